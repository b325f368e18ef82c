/* Pictures from files: every kind, every orientation, and what is damaged. */
#include "testing.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>
#include <unistd.h>
#include <webp/encode.h>

#include "base/file.h"
#include "image/picture.h"

typedef struct Encoded {
    uint8_t *data;
    size_t n;
} Encoded;

/* Three by two: red, green, blue / white, black, half transparent red. */
enum { W = 3, H = 2 };
static const uint8_t colours[W * H * 4] = {255, 0,   0,   255, 0, 255, 0, 255, 0,   0, 255, 255,
                                           255, 255, 255, 255, 0, 0,   0, 255, 255, 0, 0,   128};

static Encoded encode_png(int format, const void *pixels, int width, int height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    image.format = (png_uint_32)format;
    png_alloc_size_t n = PNG_IMAGE_PNG_SIZE_MAX(image);
    Encoded out = {malloc(n), 0};
    assert_true(png_image_write_to_memory(&image, out.data, &n, 0, pixels, 0, NULL));
    out.n = n;
    return out;
}

static Encoded encode_jpeg(const uint8_t *rgb, int width, int height, int subsampling)
{
    tjhandle handle = tjInitCompress();
    unsigned char *data = NULL;
    unsigned long n = 0;
    assert_int_equal(
        tjCompress2(handle, rgb, width, 0, height, TJPF_RGB, &data, &n, subsampling, 100, 0), 0);
    Encoded out = {malloc(n), n};
    memcpy(out.data, data, n);
    tjFree(data);
    tjDestroy(handle);
    return out;
}

static Encoded encode_webp(const uint8_t *rgba, int width, int height)
{
    uint8_t *data;
    size_t n = WebPEncodeLosslessRGBA(rgba, width, height, 4 * width, &data);
    assert_true(n > 0);
    Encoded out = {malloc(n), n};
    memcpy(out.data, data, n);
    WebPFree(data);
    return out;
}

static void colours_and_transparency_survive_png_and_webp(void **state)
{
    (void)state;
    Error error = {0};
    Encoded files[2] = {encode_png(PNG_FORMAT_RGBA, colours, W, H), encode_webp(colours, W, H)};
    for (int i = 0; i < 2; i++) {
        Picture picture;
        assert_true(picture_is_one(files[i].data, files[i].n));
        assert_ok(picture_decode(&picture, files[i].data, files[i].n, &error));
        assert_int_equal(picture.width, W);
        assert_int_equal(picture.height, H);
        assert_memory_equal(picture.rgba, colours, sizeof colours);
        picture_free(&picture);
        free(files[i].data);
    }
}

static void grey_and_sixteen_bits_become_eight(void **state)
{
    (void)state;
    Error error = {0};
    const uint8_t grey[4] = {0, 85, 170, 255};
    /* The simplified interface takes 16 bits as linear light: black and white are fixed. */
    const uint16_t deep[4] = {0, 65535, 0, 65535};
    Encoded files[2] = {encode_png(PNG_FORMAT_GRAY, grey, 2, 2),
                        encode_png(PNG_FORMAT_LINEAR_Y, deep, 2, 2)};
    for (int i = 0; i < 2; i++) {
        Picture picture;
        assert_ok(picture_decode(&picture, files[i].data, files[i].n, &error));
        for (int k = 0; k < 4; k++) {
            int want = i == 0 ? grey[k] : deep[k] >> 8;
            for (int c = 0; c < 3; c++)
                assert_int_equal(picture.rgba[4 * k + c], want);
            assert_int_equal(picture.rgba[4 * k + 3], 255);
        }
        picture_free(&picture);
        free(files[i].data);
    }
}

/* ---- orientation ---- */

enum { SIDE = 32 };

/* Left half red, right half blue, and the top quarter white: no two of the eight ways to lay
 * it look alike. */
static void corner_colours(uint8_t *rgb, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint8_t *p = rgb + 3 * (y * width + x);
            p[0] = x < width / 2 || y < height / 4 ? 255 : 0;
            p[1] = y < height / 4 ? 255 : 0;
            p[2] = x >= width / 2 || y < height / 4 ? 255 : 0;
        }
}

/* An APP1 segment with one entry, put after the first two bytes. */
static Encoded with_exif(Encoded jpeg, int orientation, bool big_endian)
{
    uint8_t tiff[26] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0};
    tiff[18] = (uint8_t)orientation;
    const uint8_t motorola[26] = {'M',  'M',  0, 42, 0, 0, 0, 8, 0, 1,
                                  0x01, 0x12, 0, 3,  0, 0, 0, 1, 0, (uint8_t)orientation};
    const uint8_t head[10] = {0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0};
    Encoded out = {malloc(jpeg.n + 36), jpeg.n + 36};
    memcpy(out.data, jpeg.data, 2);
    memcpy(out.data + 2, head, 10);
    memcpy(out.data + 12, big_endian ? motorola : tiff, 26);
    memcpy(out.data + 38, jpeg.data + 2, jpeg.n - 2);
    return out;
}

static bool is_bright(const Picture *p, int x, int y, int c)
{
    return p->rgba[4 * (y * p->width + x) + c] > 127;
}

/* Where EXIF says that the stored top row and left column belong (0th row, 0th column). */
static void every_exif_orientation_is_applied(void **state)
{
    (void)state;
    static const char *const white_edge[] = {"",     "top",   "top",   "bottom", "bottom",
                                             "left", "right", "right", "left"};
    static const bool red_first[] = {false, true, false, false, true, true, true, false, false};
    Error error = {0};
    uint8_t rgb[SIDE * 2 * SIDE * 3];
    corner_colours(rgb, 2 * SIDE, SIDE);
    Encoded plain = encode_jpeg(rgb, 2 * SIDE, SIDE, TJSAMP_444);
    for (int o = 1; o <= 8; o++) {
        Encoded file = with_exif(plain, o, o % 2 == 0);
        Picture p;
        assert_ok(picture_decode(&p, file.data, file.n, &error));
        bool turned = o >= 5;
        assert_int_equal(p.width, turned ? SIDE : 2 * SIDE);
        const char *edge = white_edge[o];
        int x = strcmp(edge, "left") == 0    ? 2
                : strcmp(edge, "right") == 0 ? p.width - 3
                                             : p.width / 4;
        int y = strcmp(edge, "top") == 0      ? 2
                : strcmp(edge, "bottom") == 0 ? p.height - 3
                                              : p.height / 4;
        assert_true(is_bright(&p, x, y, 0) && is_bright(&p, x, y, 1) && is_bright(&p, x, y, 2));
        /* Away from the white: the first half along the other direction. */
        int mx = turned ? p.width / 2 : 2, my = turned ? 2 : p.height / 2;
        assert_true(is_bright(&p, mx, my, red_first[o] ? 0 : 2));
        assert_false(is_bright(&p, mx, my, red_first[o] ? 2 : 0));
        picture_free(&p);
        free(file.data);
    }
    free(plain.data);
}

/* ---- what is wrong ---- */

static void every_truncation_is_refused(void **state)
{
    (void)state;
    uint8_t rgb[SIDE * SIDE * 3];
    corner_colours(rgb, SIDE, SIDE);
    Encoded files[] = {encode_png(PNG_FORMAT_RGBA, colours, W, H), encode_webp(colours, W, H),
                       encode_jpeg(rgb, SIDE, SIDE, TJSAMP_420)};
    for (size_t i = 0; i < 3; i++) {
        /* The end marks of PNG and JPEG and a padding byte carry no pixel. */
        size_t last = files[i].n - (i == 0 ? 12 : 2);
        for (size_t n = 0; n < last; n++) {
            Error error = {0};
            Picture picture;
            uint8_t *copy = malloc(n + 1); /* of exactly this size: reading beyond it is seen */
            memcpy(copy, files[i].data, n);
            if (picture_decode(&picture, copy, n, &error))
                fail_msg("kind %zu, cut to %zu of %zu bytes, was read", i, n, files[i].n);
            assert_true(error_is_set(&error));
            assert_null(picture.rgba);
            free(copy);
        }
        free(files[i].data);
    }
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* The size in the header, with its checksum made right again. */
static void set_png_size(Encoded png, uint32_t width, uint32_t height)
{
    put32(png.data + 16, width);
    put32(png.data + 20, height);
    uint32_t crc = 0xffffffffu;
    for (int i = 12; i < 29; i++) {
        crc ^= png.data[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    put32(png.data + 29, ~crc);
}

static void headers_that_claim_too_much_are_refused_before_memory_is_taken(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{20000, 20000},
                                        {PICTURE_MAX_SIDE + 1, 1},
                                        {PICTURE_MAX_SIDE, PICTURE_MAX_SIDE},
                                        {0x7fffffff, 0x7fffffff}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        Error error = {0};
        Picture picture;
        Encoded png = encode_png(PNG_FORMAT_RGBA, colours, W, H);
        set_png_size(png, sizes[i][0], sizes[i][1]);
        assert_false(picture_decode(&picture, png.data, png.n, &error));
        assert_true(error.kind == ERROR_LIMIT || error.kind == ERROR_FORMAT);
        free(png.data);
    }
    /* A size within the limits, but not that of the data that follow. */
    Error error = {0};
    Picture picture;
    Encoded png = encode_png(PNG_FORMAT_RGBA, colours, W, H);
    set_png_size(png, W, H + 3);
    assert_refused(picture_decode(&picture, png.data, png.n, &error), "damaged PNG");
    free(png.data);
}

static void both_sides_of_the_limits(void **state)
{
    (void)state;
    Error error = {0};
    Picture picture;
    assert_ok(picture_new(&picture, PICTURE_MAX_SIDE, 1, &error));
    picture_free(&picture);
    assert_refused(picture_new(&picture, PICTURE_MAX_SIDE + 1, 1, &error), "at most");
    assert_refused(picture_new(&picture, 20000, 20000, &error), "20000 x 20000");
    assert_refused(picture_new(&picture, 0, 5, &error), "nothing in it");
}

static void a_single_pixel_is_a_picture(void **state)
{
    (void)state;
    Error error = {0};
    Picture picture;
    Encoded png = encode_png(PNG_FORMAT_RGBA, colours, 1, 1);
    assert_ok(picture_decode(&picture, png.data, png.n, &error));
    assert_memory_equal(picture.rgba, colours, 4);
    picture_free(&picture);
    free(png.data);
}

static void other_files_are_named_for_what_they_are_not(void **state)
{
    (void)state;
    Error error = {0};
    Picture picture;
    assert_refused(picture_decode(&picture, "GIF89a", 6, &error), "PNG, JPEG and WebP");
    assert_refused(picture_decode(&picture, "", 0, &error), "PNG, JPEG and WebP");
    assert_refused(picture_read(&picture, "/no/such/picture.png", &error), "/no/such/picture.png");
}

static void a_written_png_is_read_back(void **state)
{
    (void)state;
    Error error = {0};
    char path[] = "/tmp/fovea-picture-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    const TraceImage image = {W, H, colours};
    assert_ok(picture_write_png(&image, path, &error));
    Picture picture;
    assert_ok(picture_read(&picture, path, &error));
    assert_memory_equal(picture.rgba, colours, sizeof colours);
    picture_free(&picture);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_and_transparency_survive_png_and_webp),
        cmocka_unit_test(grey_and_sixteen_bits_become_eight),
        cmocka_unit_test(every_exif_orientation_is_applied),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(headers_that_claim_too_much_are_refused_before_memory_is_taken),
        cmocka_unit_test(both_sides_of_the_limits),
        cmocka_unit_test(a_single_pixel_is_a_picture),
        cmocka_unit_test(other_files_are_named_for_what_they_are_not),
        cmocka_unit_test(a_written_png_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
