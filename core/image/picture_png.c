/* PNG through libpng's simplified interface, which reports errors by returning. */
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/library.h"
#include "base/memory.h"
#include "image/picture_internal.h"

typedef struct Png {
    __typeof__(png_image_begin_read_from_memory) *begin_read;
    __typeof__(png_image_finish_read) *finish_read;
    __typeof__(png_image_write_to_memory) *write;
    __typeof__(png_image_free) *free;
} Png;

static bool load_png(Png *png, Error *error)
{
    const LibraryFunction functions[] = {{"png_image_begin_read_from_memory", &png->begin_read},
                                         {"png_image_finish_read", &png->finish_read},
                                         {"png_image_write_to_memory", &png->write},
                                         {"png_image_free", &png->free}};
    return library_load("libpng16.so.16", "libpng16-16", 4, functions, error);
}

bool picture_decode_png(Picture *picture, const uint8_t *data, size_t n, Error *error)
{
    Png png;
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!load_png(&png, error))
        return false;
    if (!png.begin_read(&image, data, n))
        return error_set(error, ERROR_FORMAT, "damaged PNG: %s", image.message);
    image.format = PNG_FORMAT_RGBA;
    bool fits = image.width <= PICTURE_MAX_SIDE && image.height <= PICTURE_MAX_SIDE;
    int width = fits ? (int)image.width : PICTURE_MAX_SIDE + 1;
    int height = fits ? (int)image.height : PICTURE_MAX_SIDE + 1;
    bool ok = fits ? picture_new(picture, width, height, error)
                   : error_set(error, ERROR_LIMIT, "%u x %u pixels; at most %d a side are read",
                               image.width, image.height, PICTURE_MAX_SIDE);
    if (ok && !png.finish_read(&image, NULL, picture->rgba, width * 4, NULL))
        ok = error_set(error, ERROR_FORMAT, "damaged PNG: %s", image.message);
    png.free(&image);
    return ok;
}

uint8_t *picture_encode_png(const TraceImage *source, size_t *n, Error *error)
{
    Png png;
    if (!load_png(&png, error))
        return NULL;
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)source->width,
        .height = (png_uint_32)source->height,
        .format = PNG_FORMAT_RGBA,
    };
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t *memory = memory_try_new(bytes, 1);
    bool ok = memory || error_set(error, ERROR_MEMORY, "no memory to write the picture");
    if (ok && !png.write(&image, memory, &bytes, 0, source->rgba, 0, NULL))
        ok = error_set(error, ERROR_IO, "%s", image.message);
    if (!ok) {
        free(memory);
        return NULL;
    }
    *n = bytes;
    return memory;
}

bool picture_write_png(const TraceImage *source, const char *path, Error *error)
{
    size_t n = 0;
    uint8_t *png = picture_encode_png(source, &n, error);
    if (!png) {
        error_prefix(error, "%s", path);
        return false;
    }
    bool ok = file_write(path, png, n, error);
    free(png);
    return ok;
}
