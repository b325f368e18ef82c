/* Animated GIF, by giflib: drawn twice, once to choose the palette and once to write, so
 * that no more than two frames are in memory. */
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

#include "base/memory.h"
#include "canvas/cairo_painter.h"
#include "canvas/gif_palette.h"

enum { TRANSPARENT = 255, SHORTEST_DELAY = 2 };

typedef struct GifWriter {
    Fonts *fonts;
    const GifOptions *options;
    GifFileType *gif;
    Palette *palette;
    CanvasPixels pixels;
    uint32_t *shown; /* what the viewer has after the frame before; NULL at first */
    GifByteType *line;
} GifWriter;

/* The part of a frame that changed. */
typedef struct Changed {
    int left, top, right, bottom;
} Changed;

static bool gif_failed(int code, Error *error)
{
    const char *why = GifErrorString(code);
    return error_set(error, ERROR_IO, "the GIF picture cannot be written: %s",
                     why ? why : "giflib gives no reason");
}

static int write_bytes(GifFileType *gif, const GifByteType *bytes, int n)
{
    strbuf_add_bytes(gif->UserData, bytes, (size_t)n);
    return n;
}

static bool draw_frame(GifWriter *writer, const Canvas *canvas, Error *error)
{
    free(writer->pixels.data);
    writer->pixels.data = NULL;
    return cairo_new_pixels(canvas, writer->options->scale, writer->options->background | 255,
                            &writer->pixels, error) &&
           canvas_draw_pixels(canvas, writer->fonts, &writer->pixels, error);
}

static size_t n_pixels(const GifWriter *writer)
{
    return (size_t)writer->pixels.width * (size_t)writer->pixels.height;
}

static bool same_pixel(uint32_t a, uint32_t b)
{
    return ((a ^ b) & 0xFFFFFF) == 0;
}

/* All of the first frame; one pixel when nothing changed, to carry the delay. */
static Changed find_changed(const GifWriter *writer)
{
    int width = writer->pixels.width;
    int height = writer->pixels.height;
    if (!writer->shown)
        return (Changed){0, 0, width, height};
    Changed changed = {width, height, 0, 0};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * (size_t)width + (size_t)x;
            if (same_pixel(writer->pixels.data[i], writer->shown[i]))
                continue;
            changed.left = x < changed.left ? x : changed.left;
            changed.right = x + 1 > changed.right ? x + 1 : changed.right;
            changed.top = y < changed.top ? y : changed.top;
            changed.bottom = y + 1;
        }
    return changed.right > changed.left ? changed : (Changed){0, 0, 1, 1};
}

static bool put_control(GifFileType *gif, int delay_ms)
{
    GraphicsControlBlock control = {
        .DisposalMode = DISPOSE_DO_NOT,
        .DelayTime = delay_ms / 10 < SHORTEST_DELAY ? SHORTEST_DELAY : delay_ms / 10,
        .TransparentColor = TRANSPARENT,
    };
    GifByteType bytes[4];
    size_t n = EGifGCBToExtension(&control, bytes);
    return EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, (int)n, bytes) == GIF_OK;
}

static bool put_lines(GifWriter *writer, Changed changed)
{
    size_t width = (size_t)writer->pixels.width;
    for (int y = changed.top; y < changed.bottom; y++) {
        for (int x = changed.left; x < changed.right; x++) {
            size_t i = (size_t)y * width + (size_t)x;
            uint32_t pixel = writer->pixels.data[i];
            bool same = writer->shown && same_pixel(pixel, writer->shown[i]);
            writer->line[x - changed.left] =
                (GifByteType)(same ? TRANSPARENT : palette_index(writer->palette, pixel));
        }
        if (EGifPutLine(writer->gif, writer->line, changed.right - changed.left) != GIF_OK)
            return false;
    }
    return true;
}

static bool put_frame(GifWriter *writer, int delay_ms)
{
    Changed changed = find_changed(writer);
    return put_control(writer->gif, delay_ms) &&
           EGifPutImageDesc(writer->gif, changed.left, changed.top, changed.right - changed.left,
                            changed.bottom - changed.top, false, NULL) == GIF_OK &&
           put_lines(writer, changed);
}

static bool put_loop(GifFileType *gif)
{
    static const GifByteType forever[3] = {1, 0, 0};
    return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(gif, sizeof forever, forever) == GIF_OK &&
           EGifPutExtensionTrailer(gif) == GIF_OK;
}

static bool put_head(GifWriter *writer, const uint32_t *colors, int n)
{
    ColorMapObject *map = GifMakeMapObject(256, NULL);
    if (!map)
        return false;
    for (int i = 0; i < n; i++)
        map->Colors[i] = (GifColorType){(GifByteType)(colors[i] >> 16),
                                        (GifByteType)(colors[i] >> 8), (GifByteType)colors[i]};
    EGifSetGifVersion(writer->gif, true);
    bool ok = EGifPutScreenDesc(writer->gif, writer->pixels.width, writer->pixels.height, 8, 0,
                                map) == GIF_OK;
    GifFreeMapObject(map);
    ok = ok && (writer->options->once || put_loop(writer->gif));
    return ok && (!writer->options->comment ||
                  EGifPutComment(writer->gif, writer->options->comment) == GIF_OK);
}

static bool count_frames(GifWriter *writer, const Canvas *const *frames, int n, Error *error)
{
    int width = 0;
    int height = 0;
    for (int i = 0; i < n; i++) {
        if (!draw_frame(writer, frames[i], error))
            return false;
        palette_count(writer->palette, writer->pixels.data, n_pixels(writer));
        FOVEA_CHECK(i == 0 || (writer->pixels.width == width && writer->pixels.height == height),
                    "frame %d is %d x %d, the first %d x %d", i, writer->pixels.width,
                    writer->pixels.height, width, height);
        width = writer->pixels.width;
        height = writer->pixels.height;
    }
    return true;
}

static bool write_frames(GifWriter *writer, const Canvas *const *frames, const int *delays_ms,
                         int n, Error *error)
{
    uint32_t colors[PALETTE_COLORS];
    int n_colors = palette_make(writer->palette, colors);
    writer->line = memory_new((size_t)writer->pixels.width, 1);
    if (!put_head(writer, colors, n_colors))
        return gif_failed(writer->gif->Error, error);
    for (int i = 0; i < n; i++) {
        if (!draw_frame(writer, frames[i], error))
            return false;
        if (!put_frame(writer, delays_ms[i]))
            return gif_failed(writer->gif->Error, error);
        uint32_t *shown = writer->pixels.data;
        writer->pixels.data = writer->shown;
        writer->shown = shown;
    }
    return true;
}

bool canvas_encode_gif(const Canvas *const *frames, const int *delays_ms, int n, Fonts *fonts,
                       const GifOptions *options, StrBuf *out, Error *error)
{
    FOVEA_CHECK(n > 0, "an animation of %d frames", n);
    if (n > CANVAS_MAX_FRAMES)
        return error_set(error, ERROR_LIMIT, "an animation of %d frames; at most %d can be written",
                         n, CANVAS_MAX_FRAMES);
    int code = 0;
    GifWriter writer = {.fonts = fonts, .options = options, .palette = palette_new()};
    bool ok = count_frames(&writer, frames, n, error);
    if (ok) {
        writer.gif = EGifOpen(out, write_bytes, &code);
        ok = writer.gif ? write_frames(&writer, frames, delays_ms, n, error)
                        : gif_failed(code, error);
    }
    if (writer.gif && EGifCloseFile(writer.gif, &code) != GIF_OK && ok)
        ok = gif_failed(code, error);
    palette_free(writer.palette);
    free(writer.pixels.data);
    free(writer.shown);
    free(writer.line);
    return ok;
}
