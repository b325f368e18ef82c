#include "image/picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/sniff.h"
#include "image/picture_internal.h"

typedef struct Kind {
    bool (*is_one)(const uint8_t *data, size_t n);
    bool (*decode)(Picture *picture, const uint8_t *data, size_t n, Error *error);
    int (*orientation)(const uint8_t *data, size_t n);
} Kind;

static bool begins(const uint8_t *data, size_t n, const char *with, size_t length)
{
    return n >= length && memcmp(data, with, length) == 0;
}

static bool is_png(const uint8_t *data, size_t n)
{
    return begins(data, n, "\x89PNG\r\n\x1a\n", 8);
}

static bool is_jpeg(const uint8_t *data, size_t n)
{
    return begins(data, n, "\xff\xd8\xff", 3);
}

static bool is_webp(const uint8_t *data, size_t n)
{
    return n >= 12 && begins(data, n, "RIFF", 4) && memcmp(data + 8, "WEBP", 4) == 0;
}

static const Kind kinds[] = {
    {is_png, picture_decode_png, exif_orientation_png},
    {is_jpeg, picture_decode_jpeg, exif_orientation_jpeg},
    {is_webp, picture_decode_webp, exif_orientation_webp},
};

static const Kind *kind_of(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].is_one(data, n))
            return &kinds[i];
    return NULL;
}

bool picture_is_one(const void *data, size_t n)
{
    return kind_of(data, n) != NULL;
}

bool picture_new(Picture *picture, int width, int height, Error *error)
{
    *picture = (Picture){0};
    if (width < 1 || height < 1)
        return error_set(error, ERROR_FORMAT, "a picture of %d x %d pixels has nothing in it",
                         width, height);
    if (width > PICTURE_MAX_SIDE || height > PICTURE_MAX_SIDE ||
        (size_t)width * (size_t)height > PICTURE_MAX_PIXELS)
        return error_set(error, ERROR_LIMIT,
                         "%d x %d pixels; at most %d a side and %zu million in all are read", width,
                         height, PICTURE_MAX_SIDE, PICTURE_MAX_PIXELS / 1000000);
    picture->rgba = memory_try_new((size_t)width * (size_t)height, 4);
    if (!picture->rgba)
        return error_set(error, ERROR_MEMORY, "no memory for %d x %d pixels", width, height);
    picture->width = width;
    picture->height = height;
    return true;
}

void picture_free(Picture *picture)
{
    free(picture->rgba);
    *picture = (Picture){0};
}

TraceImage picture_view(const Picture *picture)
{
    return (TraceImage){picture->width, picture->height, picture->rgba};
}

/* Where pixel (x, y) of the upright picture lies in the stored one (EXIF 2.3, table 6). */
static size_t stored_pixel(const Picture *stored, int orientation, int x, int y)
{
    int w = stored->width, h = stored->height;
    int sx = x, sy = y;
    if (orientation >= 5) { /* rows and columns change places */
        sx = y;
        sy = x;
    }
    bool mirrors_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool mirrors_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    sx = mirrors_x ? w - 1 - sx : sx;
    sy = mirrors_y ? h - 1 - sy : sy;
    return ((size_t)sy * (size_t)w + (size_t)sx) * 4;
}

static bool turn_upright(Picture *picture, int orientation, Error *error)
{
    if (orientation <= 1)
        return true;
    Picture stored = *picture;
    bool turned = orientation >= 5;
    if (!picture_new(picture, turned ? stored.height : stored.width,
                     turned ? stored.width : stored.height, error)) {
        picture_free(&stored);
        return false;
    }
    uint8_t *to = picture->rgba;
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++, to += 4)
            memcpy(to, stored.rgba + stored_pixel(&stored, orientation, x, y), 4);
    picture_free(&stored);
    return true;
}

bool picture_decode(Picture *picture, const void *data, size_t n, Error *error)
{
    *picture = (Picture){0};
    const Kind *kind = kind_of(data, n);
    if (!kind)
        return error_set(error, ERROR_UNSUPPORTED,
                         "not a picture that Fovea reads: PNG, JPEG and WebP are");
    if (kind->decode(picture, data, n, error) &&
        turn_upright(picture, kind->orientation(data, n), error))
        return true;
    picture_free(picture);
    return false;
}

bool picture_read(Picture *picture, const char *path, Error *error)
{
    Bytes bytes;
    *picture = (Picture){0};
    if (!file_read(path, PICTURE_MAX_FILE_BYTES, &bytes, error))
        return false;
    Error why = {0};
    bool ok = !sniff_impostor(bytes.data, bytes.size, path, error);
    if (ok && !picture_decode(picture, bytes.data, bytes.size, &why))
        ok = error_set(error, why.kind, "%s: %s", path, why.message);
    bytes_free(&bytes);
    return ok;
}
