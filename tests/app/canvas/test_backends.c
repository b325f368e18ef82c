#include "testing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cairo.h>
#include <gif_lib.h>
#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "canvas/canvas_cairo.h"
#include "canvas/canvas_sdl.h"
#include "canvas/canvas_svg.h"
#include "page.h"

static int setup(void **state)
{
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    Error error = {0};
    *state = fonts_new(&error);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    fonts_free(*state);
    return 0;
}

/* Pixels for the canvas, white at first; the caller frees data. */
static CanvasPixels draw(const Canvas *canvas, Fonts *fonts, float scale)
{
    Error error = {0};
    CanvasPixels pixels = {
        .width = (int)ceilf(canvas_width(canvas) * scale),
        .height = (int)ceilf(canvas_height(canvas) * scale),
        .scale = scale,
        .opaque = true,
    };
    pixels.stride = pixels.width * 4;
    size_t n = (size_t)pixels.width * (size_t)pixels.height;
    pixels.data = memory_new(n, 4);
    memset(pixels.data, 255, n * 4);
    assert_ok(canvas_draw_pixels(canvas, fonts, &pixels, &error));
    return pixels;
}

static uint32_t at(const CanvasPixels *pixels, int x, int y)
{
    return pixels->data[y * pixels->width + x] & 0xFFFFFF;
}

typedef struct Cursor {
    const StrBuf *bytes;
    size_t at;
} Cursor;

static cairo_status_t read_bytes(void *closure, unsigned char *data, unsigned n)
{
    Cursor *cursor = closure;
    if (cursor->bytes->length - cursor->at < n)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(data, cursor->bytes->text + cursor->at, n);
    cursor->at += n;
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *decode_png(const StrBuf *png)
{
    Cursor cursor = {png, 0};
    cairo_surface_t *image = cairo_image_surface_create_from_png_stream(read_bytes, &cursor);
    assert_int_equal(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    return image;
}

static void expect_same_pixels(const CanvasPixels *expected, const StrBuf *png)
{
    cairo_surface_t *image = decode_png(png);
    assert_int_equal(cairo_image_surface_get_width(image), expected->width);
    assert_int_equal(cairo_image_surface_get_height(image), expected->height);
    const unsigned char *data = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    for (int y = 0; y < expected->height; y++)
        for (int x = 0; x < expected->width; x++) {
            uint32_t pixel;
            memcpy(&pixel, data + (ptrdiff_t)y * stride + 4 * x, 4);
            if ((pixel & 0xFFFFFF) != at(expected, x, y))
                fail_msg("pixel %d, %d: %06x instead of %06x", x, y, (unsigned)pixel & 0xFFFFFF,
                         (unsigned)at(expected, x, y));
        }
    cairo_surface_destroy(image);
}

static void the_screen_and_a_png_show_the_same_pixels_at_every_scale(void **state)
{
    static const float scales[] = {1, 1.25f, 2};
    Error error = {0};
    canvas_sdl_prepare();
    assert_int_equal(SDL_Init(SDL_INIT_VIDEO), 0);
    Canvas *canvas = canvas_new(1, 1);
    for (int i = 0; i < 3; i++) {
        page_record(canvas, *state, i == 1, i);
        SDL_Window *sdl = SDL_CreateWindow("test", 0, 0, (int)(1280 * scales[i]),
                                           (int)(800 * scales[i]), SDL_WINDOW_SHOWN);
        assert_non_null(sdl);
        CanvasWindow *window = canvas_window_new(sdl, *state, &error);
        assert_ok(window != NULL);
        bool drawn = false;
        assert_ok(canvas_window_show(window, canvas, scales[i], &drawn, &error));
        assert_true(drawn);
        assert_ok(canvas_window_show(window, canvas, scales[i], &drawn, &error));
        assert_false(drawn); /* an equal recording is not drawn again */
        StrBuf shown = {0};
        StrBuf exported = {0};
        assert_ok(canvas_window_screenshot(window, &shown, &error));
        PngOptions options = {.scale = scales[i], .background = 0xFFFFFFFF};
        assert_ok(canvas_encode_png(canvas, *state, &options, &exported, &error));
        CanvasPixels pixels = draw(canvas, *state, scales[i]);
        expect_same_pixels(&pixels, &shown);
        expect_same_pixels(&pixels, &exported);
        free(pixels.data);
        strbuf_free(&shown);
        strbuf_free(&exported);
        canvas_window_free(window);
        SDL_DestroyWindow(sdl);
    }
    canvas_free(canvas);
    SDL_Quit();
}

static void a_window_follows_its_size_and_clears_what_the_canvas_leaves(void **state)
{
    Error error = {0};
    assert_int_equal(SDL_Init(SDL_INIT_VIDEO), 0);
    SDL_Window *sdl = SDL_CreateWindow("test", 0, 0, 100, 60, SDL_WINDOW_SHOWN);
    CanvasWindow *window = canvas_window_new(sdl, *state, &error);
    assert_ok(window != NULL);
    Canvas *canvas = canvas_new(100, 60);
    canvas_fill(canvas, (Rect){0, 0, 100, 60}, 0, 0xFF8000FF);
    assert_ok(canvas_window_show(window, canvas, 1, NULL, &error));
    SDL_SetWindowSize(sdl, 120, 80);
    SDL_PumpEvents();
    bool drawn = false;
    assert_ok(canvas_window_show(window, canvas, 1, &drawn, &error));
    assert_true(drawn);
    int width = 0;
    int height = 0;
    canvas_window_size(window, &width, &height);
    assert_int_equal(width, 120);
    assert_int_equal(height, 80);
    StrBuf png = {0};
    assert_ok(canvas_window_screenshot(window, &png, &error));
    cairo_surface_t *image = decode_png(&png);
    const uint32_t *row = (const uint32_t *)(const void *)cairo_image_surface_get_data(image);
    assert_int_equal(row[99] & 0xFFFFFF, 0xFF8000);
    assert_int_equal(row[110] & 0xFFFFFF, 0);
    cairo_surface_destroy(image);
    strbuf_free(&png);
    canvas_window_forget(window);
    assert_ok(canvas_window_show(window, canvas, 1, &drawn, &error));
    assert_true(drawn);
    canvas_free(canvas);
    canvas_window_free(window);
    SDL_DestroyWindow(sdl);
    SDL_Quit();
}

static void edges_are_crisp_at_every_scale(void **state)
{
    static const float scales[] = {1, 1.25f, 1.5f, 2, 3};
    Canvas *canvas = canvas_new(60, 40);
    canvas_fill(canvas, (Rect){3, 3, 7, 7}, 0, 0x000000FF);
    canvas_fill(canvas, (Rect){10, 3, 0.05f, 7}, 0, 0x000000FF);
    canvas_line(canvas, (Point){3, 15}, (Point){50, 15}, (Stroke){0x000000FF, 1, 0});
    canvas_line(canvas, (Point){20, 20}, (Point){20, 35}, (Stroke){0x000000FF, 1.3f, 0});
    canvas_frame(canvas, (Rect){30, 22, 11, 9}, 0, (Stroke){0x000000FF, 1, 0});
    Color cells[6] = {0x000000FF, 0xFFFFFFFF, 0x000000FF, 0xFFFFFFFF, 0x000000FF, 0xFFFFFFFF};
    canvas_cells(canvas, (Rect){42, 3, 13, 9}, 2, 3, cells);
    for (int i = 0; i < 5; i++) {
        CanvasPixels pixels = draw(canvas, *state, scales[i]);
        int n_black = 0;
        for (int j = 0; j < pixels.width * pixels.height; j++) {
            uint32_t pixel = pixels.data[j] & 0xFFFFFF;
            if (pixel != 0 && pixel != 0xFFFFFF)
                fail_msg("a grey pixel %06x at scale %g", (unsigned)pixel, (double)scales[i]);
            n_black += pixel == 0;
        }
        assert_true(n_black > 100);
        free(pixels.data);
    }
    canvas_free(canvas);
}

static void a_matrix_is_drawn_cell_by_cell_and_never_smoothed(void **state)
{
    enum { ROWS = 5, COLS = 7 };
    Color cells[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++)
        cells[i] = color_rgba(i * 7, 255 - i * 5, i * 3, 255);
    Canvas *canvas = canvas_new(COLS * 10, ROWS * 10);
    canvas_cells(canvas, (Rect){0, 0, COLS * 10, ROWS * 10}, ROWS, COLS, cells);
    CanvasPixels pixels = draw(canvas, *state, 1);
    for (int y = 0; y < ROWS * 10; y++)
        for (int x = 0; x < COLS * 10; x++)
            assert_int_equal(at(&pixels, x, y), cells[y / 10 * COLS + x / 10] >> 8);
    free(pixels.data);
    canvas_free(canvas);
}

static void clips_only_shrink(void **state)
{
    Canvas *canvas = canvas_new(30, 30);
    Rect all = {0, 0, 30, 30};
    canvas_clip_push(canvas, (Rect){5, 5, 10, 10});
    canvas_clip_push(canvas, (Rect){0, 8, 30, 30});
    canvas_fill(canvas, all, 0, 0xFF0000FF);
    canvas_clip_pop(canvas);
    canvas_clip_push(canvas, (Rect){20, 20, 5, 5});
    canvas_fill(canvas, all, 0, 0x0000FFFF);
    canvas_clip_pop(canvas);
    canvas_clip_push(canvas, (Rect){6, 6, 0, 0});
    canvas_fill(canvas, all, 0, 0x00FF00FF);
    canvas_clip_pop(canvas);
    canvas_clip_pop(canvas);
    CanvasPixels pixels = draw(canvas, *state, 1);
    for (int y = 0; y < 30; y++)
        for (int x = 0; x < 30; x++) {
            bool red = x >= 5 && x < 15 && y >= 8 && y < 15;
            assert_int_equal(at(&pixels, x, y), red ? 0xFF0000 : 0xFFFFFF);
        }
    free(pixels.data);
    canvas_free(canvas);
}

/* First and last column and row with ink. */
static void ink_box(const CanvasPixels *pixels, int *left, int *top, int *right, int *bottom)
{
    *left = *top = 1 << 20;
    *right = *bottom = -1;
    for (int y = 0; y < pixels->height; y++)
        for (int x = 0; x < pixels->width; x++)
            if (at(pixels, x, y) != 0xFFFFFF) {
                *left = x < *left ? x : *left;
                *right = x > *right ? x : *right;
                *top = y < *top ? y : *top;
                *bottom = y > *bottom ? y : *bottom;
            }
}

static void text_stands_where_its_anchor_says(void **state)
{
    static const char *const texts[] = {"HHHH", "שששש", "中中"};
    for (int t = 0; t < 3; t++)
        for (int align = ALIGN_START; align <= ALIGN_END; align++) {
            TextStyle style = {
                .face = FACE_UI, .size = 20, .color = 0x000000FF, .align = (Align)align};
            Canvas *canvas = canvas_new(300, 60);
            canvas_text(canvas, (Point){150, 40}, texts[t], style);
            CanvasPixels pixels = draw(canvas, *state, 1);
            int left, top, right, bottom;
            ink_box(&pixels, &left, &top, &right, &bottom);
            float width = fonts_width(*state, texts[t], &style);
            float start = 150 - width * (float)align / 2;
            assert_close(left, start, 3);
            assert_close(right + 1, start + width, 3);
            free(pixels.data);
            canvas_free(canvas);
        }
}

static void an_image_keeps_its_corners(void **state)
{
    uint8_t rgba[2 * 2 * 4] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 0, 0, 0, 0};
    for (int smooth = 0; smooth < 2; smooth++) {
        Canvas *canvas = canvas_new(40, 40);
        canvas_image(canvas, (Rect){0, 0, 40, 40}, 2, 2, rgba, smooth);
        CanvasPixels pixels = draw(canvas, *state, 1);
        assert_int_equal(at(&pixels, 0, 0), 0xFF0000);
        assert_int_equal(at(&pixels, 39, 0), 0x00FF00);
        assert_int_equal(at(&pixels, 0, 39), 0x0000FF);
        assert_int_equal(at(&pixels, 39, 39), 0xFFFFFF); /* transparent */
        free(pixels.data);
        canvas_free(canvas);
    }
}

static uint32_t big_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Data of the nth chunk of a type; checks every checksum on the way. */
static const char *find_chunk(const StrBuf *png, const char *type, int nth, size_t *n)
{
    const char *found = NULL;
    for (size_t i = 8; i + 12 <= png->length;) {
        *n = found ? *n : big_endian(png->text + i);
        size_t length = big_endian(png->text + i);
        uLong checksum = crc32_z(0, (const Bytef *)png->text + i + 4, length + 4);
        assert_int_equal(checksum, big_endian(png->text + i + 8 + length));
        if (!found && memcmp(png->text + i + 4, type, 4) == 0 && nth-- == 0) {
            found = png->text + i + 8;
            *n = length;
        }
        i += 12 + length;
    }
    return found;
}

static void a_png_says_its_resolution_and_how_it_was_made(void **state)
{
    Error error = {0};
    Canvas *canvas = canvas_new(20, 10);
    CanvasNote notes[] = {{"fovea", "{\"model\":\"en-fr\"}"}, {"input", "她正在吃"}};
    PngOptions options = {.scale = 300 / 96.0f, .notes = {notes, 2}};
    StrBuf png = {0};
    assert_ok(canvas_encode_png(canvas, *state, &options, &png, &error));
    size_t n = 0;
    const char *chunk = find_chunk(&png, "pHYs", 0, &n);
    assert_non_null(chunk);
    assert_int_equal(n, 9);
    assert_int_equal(big_endian(chunk), 11811); /* 300 / 0.0254 */
    assert_int_equal(chunk[8], 1);
    chunk = find_chunk(&png, "tEXt", 0, &n);
    assert_non_null(chunk);
    assert_string_equal(chunk, "fovea");
    assert_int_equal(n, 6 + strlen(notes[0].value));
    assert_memory_equal(chunk + 6, notes[0].value, strlen(notes[0].value));
    chunk = find_chunk(&png, "iTXt", 0, &n);
    assert_non_null(chunk);
    assert_memory_equal(chunk, "input\0\0\0\0\0", 10);
    assert_memory_equal(chunk + 10, notes[1].value, strlen(notes[1].value));
    assert_null(find_chunk(&png, "tEXt", 1, &n));
    cairo_surface_t *image = decode_png(&png);
    assert_int_equal(cairo_image_surface_get_width(image), 63);
    cairo_surface_destroy(image);
    strbuf_free(&png);
    canvas_free(canvas);
}

static void a_background_is_transparent_half_or_whole(void **state)
{
    static const struct {
        Color background;
        uint32_t pixel; /* premultiplied */
    } cases[] = {{0, 0}, {0xFF800080, 0x80804000}, {0xFF8000FF, 0xFFFF8000}};
    Error error = {0};
    Canvas *canvas = canvas_new(4, 4);
    canvas_fill(canvas, (Rect){0, 0, 1, 1}, 0, 0x0000FFFF);
    for (int i = 0; i < 3; i++) {
        StrBuf png = {0};
        PngOptions options = {.background = cases[i].background};
        assert_ok(canvas_encode_png(canvas, *state, &options, &png, &error));
        cairo_surface_t *image = decode_png(&png);
        const uint32_t *row = (const uint32_t *)(const void *)cairo_image_surface_get_data(image);
        assert_int_equal(row[0] | 0xFF000000, 0xFF0000FF);
        assert_int_equal(row[3] | (i == 2 ? 0xFF000000 : 0), cases[i].pixel);
        cairo_surface_destroy(image);
        strbuf_free(&png);
    }
    canvas_free(canvas);
}

static void a_picture_is_as_large_as_the_limit_and_no_larger(void **state)
{
    Error error = {0};
    StrBuf png = {0};
    Canvas *canvas = canvas_new(CANVAS_MAX_SIDE_PX, 2);
    assert_ok(canvas_encode_png(canvas, *state, &(PngOptions){0}, &png, &error));
    canvas_clear(canvas, CANVAS_MAX_SIDE_PX + 1, 2);
    assert_refused(canvas_encode_png(canvas, *state, &(PngOptions){0}, &png, &error),
                   "16385 x 2 pixels");
    canvas_clear(canvas, 100, 100);
    assert_refused(canvas_encode_png(canvas, *state, &(PngOptions){.scale = 164}, &png, &error),
                   "choose a lower resolution");
    strbuf_free(&png);
    canvas_free(canvas);
}

static int read_gif(GifFileType *gif, GifByteType *data, int n)
{
    Cursor *cursor = gif->UserData;
    size_t left = cursor->bytes->length - cursor->at;
    size_t count = left < (size_t)n ? left : (size_t)n;
    memcpy(data, cursor->bytes->text + cursor->at, count);
    cursor->at += count;
    return (int)count;
}

static GifFileType *decode_gif(Cursor *cursor)
{
    int code = 0;
    GifFileType *gif = DGifOpen(cursor, read_gif, &code);
    assert_non_null(gif);
    assert_int_equal(DGifSlurp(gif), GIF_OK);
    return gif;
}

/* Lays frame i over what is shown. */
static void show_frame(const GifFileType *gif, int i, uint32_t *shown)
{
    const SavedImage *frame = &gif->SavedImages[i];
    const GifImageDesc *desc = &frame->ImageDesc;
    GraphicsControlBlock control;
    assert_int_equal(DGifSavedExtensionToGCB((GifFileType *)gif, i, &control), GIF_OK);
    for (int y = 0; y < desc->Height; y++)
        for (int x = 0; x < desc->Width; x++) {
            int index = frame->RasterBits[y * desc->Width + x];
            if (index == control.TransparentColor)
                continue;
            GifColorType color = gif->SColorMap->Colors[index];
            shown[(desc->Top + y) * gif->SWidth + desc->Left + x] =
                (uint32_t)color.Red << 16 | (uint32_t)color.Green << 8 | color.Blue;
        }
}

static void an_animation_of_few_colours_shows_every_frame_exactly(void **state)
{
    enum { N = 5 };
    Error error = {0};
    Canvas *frames[N];
    const Canvas *list[N];
    const int delays[N] = {500, 120, 20, 5, 1000};
    for (int i = 0; i < N; i++) {
        list[i] = frames[i] = canvas_new(160, 90);
        canvas_fill(frames[i], (Rect){0, 0, 160, 90}, 0, 0xF6F6F3FF);
        int at_step = i == 3 ? 2 : i; /* the fourth frame equals the third */
        canvas_fill(frames[i], (Rect){10 + 20.0f * (float)at_step, 10, 15, 15}, 0, 0x2C63D6FF);
        TextStyle style = {.face = FACE_UI, .size = 14, .color = 0x1D2127FF};
        canvas_textf(frames[i], (Point){10, 60}, style, "step %d", at_step);
    }
    StrBuf bytes = {0};
    GifOptions options = {.background = 0xFFFFFFFF, .comment = "how it was made"};
    assert_ok(canvas_encode_gif(list, delays, N, *state, &options, &bytes, &error));
    Cursor cursor = {&bytes, 0};
    GifFileType *gif = decode_gif(&cursor);
    assert_int_equal(gif->ImageCount, N);
    uint32_t *shown = memory_new(160 * 90, sizeof *shown);
    for (int i = 0; i < N; i++) {
        GraphicsControlBlock control;
        DGifSavedExtensionToGCB(gif, i, &control);
        assert_int_equal(control.DelayTime, delays[i] / 10 < 2 ? 2 : delays[i] / 10);
        show_frame(gif, i, shown);
        CanvasPixels pixels = draw(list[i], *state, 1);
        for (int j = 0; j < 160 * 90; j++)
            assert_int_equal(shown[j], pixels.data[j] & 0xFFFFFF);
        free(pixels.data);
    }
    assert_int_equal(gif->SavedImages[3].ImageDesc.Width, 1);
    assert_true(gif->SavedImages[1].ImageDesc.Height < 60); /* only what changed */
    free(shown);
    DGifCloseFile(gif, NULL);
    for (int i = 0; i < N; i++)
        canvas_free(frames[i]);
    strbuf_free(&bytes);
}

static void many_colours_become_255_that_look_alike(void **state)
{
    enum { SIDE = 96 };
    Error error = {0};
    Color *cells = memory_new(SIDE * SIDE, sizeof *cells);
    for (int i = 0; i < SIDE * SIDE; i++)
        cells[i] = color_rgba(i % SIDE * 255 / SIDE, i / SIDE * 255 / SIDE, 128, 255);
    Canvas *canvas = canvas_new(SIDE, 2 * SIDE);
    canvas_fill(canvas, (Rect){0, 0, SIDE, 2 * SIDE}, 0, 0xF6F6F3FF);
    canvas_cells(canvas, (Rect){0, 0, SIDE, SIDE}, SIDE, SIDE, cells);
    const Canvas *frame = canvas;
    StrBuf bytes = {0};
    assert_ok(canvas_encode_gif(&frame, &(int){100}, 1, *state, &(GifOptions){.once = true}, &bytes,
                                &error));
    Cursor cursor = {&bytes, 0};
    GifFileType *gif = decode_gif(&cursor);
    uint32_t *shown = memory_new(SIDE * 2 * SIDE, sizeof *shown);
    show_frame(gif, 0, shown);
    CanvasPixels pixels = draw(canvas, *state, 1);
    double total = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int shift = 0; shift < 24; shift += 8)
            total +=
                fabs((double)(shown[i] >> shift & 255) - (double)(pixels.data[i] >> shift & 255));
    assert_true(total / (SIDE * SIDE * 3) < 6); /* observed: 4.0 */
    for (int i = SIDE * SIDE; i < 2 * SIDE * SIDE; i++)
        assert_int_equal(shown[i], 0xF6F6F3); /* plain areas keep their colour */
    free(pixels.data);
    free(shown);
    free(cells);
    DGifCloseFile(gif, NULL);
    strbuf_free(&bytes);
    canvas_free(canvas);
}

static void an_animation_has_at_most_the_limit_of_frames(void **state)
{
    Error error = {0};
    Canvas *canvas = canvas_new(2, 2);
    const Canvas **frames = memory_new(CANVAS_MAX_FRAMES + 1, sizeof *frames);
    int *delays = memory_new(CANVAS_MAX_FRAMES + 1, sizeof *delays);
    for (int i = 0; i <= CANVAS_MAX_FRAMES; i++)
        frames[i] = canvas;
    StrBuf bytes = {0};
    GifOptions options = {0};
    assert_ok(
        canvas_encode_gif(frames, delays, CANVAS_MAX_FRAMES, *state, &options, &bytes, &error));
    assert_refused(
        canvas_encode_gif(frames, delays, CANVAS_MAX_FRAMES + 1, *state, &options, &bytes, &error),
        "2001 frames");
    free(frames);
    free(delays);
    strbuf_free(&bytes);
    canvas_free(canvas);
}

static void an_invalid_recording_is_refused_by_every_back_end(void **state)
{
    Error error = {0};
    Canvas *canvas = canvas_new(10, 10);
    const Canvas *page = canvas;
    canvas_image(canvas, (Rect){0, 0, 1, 1}, 65536, 65536, NULL, false);
    StrBuf out = {0};
    assert_refused(canvas_encode_png(canvas, *state, &(PngOptions){0}, &out, &error), "an image");
    assert_refused(canvas_encode_pdf(&page, 1, *state, &(PdfOptions){0}, &out, &error), "an image");
    assert_refused(canvas_encode_gif(&page, &(int){9}, 1, *state, &(GifOptions){0}, &out, &error),
                   "an image");
    assert_refused(canvas_encode_svg(canvas, *state, &(SvgOptions){0}, &out, &error), "an image");
    strbuf_free(&out);
    canvas_free(canvas);
}

static void a_full_disk_and_a_missing_folder_leave_the_old_figure(void **state)
{
    Error error = {0};
    char directory[] = "/tmp/fovea-figure-XXXXXX";
    assert_non_null(mkdtemp(directory));
    char *path = file_join(directory, "figure.png");
    assert_ok(file_write(path, "old", 3, &error));
    Canvas *canvas = canvas_new(1, 1);
    page_record(canvas, *state, false, 0);
    StrBuf png = {0};
    assert_ok(canvas_encode_png(canvas, *state, &(PngOptions){0}, &png, &error));
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit small = {4096, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool written = file_write(path, png.text, png.length, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_refused(written, "nothing was changed");
    Bytes kept;
    assert_ok(file_read(path, 1000, &kept, &error));
    assert_string_equal(kept.data, "old");
    bytes_free(&kept);
    assert_refused(file_write("/nonexistent/figure.png", png.text, png.length, &error),
                   "/nonexistent/figure.png");
    free(path);
    strbuf_free(&png);
    canvas_free(canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_screen_and_a_png_show_the_same_pixels_at_every_scale),
        cmocka_unit_test(a_window_follows_its_size_and_clears_what_the_canvas_leaves),
        cmocka_unit_test(edges_are_crisp_at_every_scale),
        cmocka_unit_test(a_matrix_is_drawn_cell_by_cell_and_never_smoothed),
        cmocka_unit_test(clips_only_shrink),
        cmocka_unit_test(text_stands_where_its_anchor_says),
        cmocka_unit_test(an_image_keeps_its_corners),
        cmocka_unit_test(a_png_says_its_resolution_and_how_it_was_made),
        cmocka_unit_test(a_background_is_transparent_half_or_whole),
        cmocka_unit_test(a_picture_is_as_large_as_the_limit_and_no_larger),
        cmocka_unit_test(an_animation_of_few_colours_shows_every_frame_exactly),
        cmocka_unit_test(many_colours_become_255_that_look_alike),
        cmocka_unit_test(an_animation_has_at_most_the_limit_of_frames),
        cmocka_unit_test(an_invalid_recording_is_refused_by_every_back_end),
        cmocka_unit_test(a_full_disk_and_a_missing_folder_leave_the_old_figure),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
