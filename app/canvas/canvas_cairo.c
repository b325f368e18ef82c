#include "canvas/canvas_cairo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cairo-pdf.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "canvas/cairo_painter.h"

#define POINTS_PER_PIXEL 0.75 /* 1/72 inch against 1/96 */

static bool cairo_failed(cairo_status_t status, const char *doing, Error *error)
{
    ErrorKind kind = status == CAIRO_STATUS_NO_MEMORY ? ERROR_MEMORY : ERROR_IO;
    return error_set(error, kind, "%s: %s", doing, cairo_status_to_string(status));
}

static cairo_surface_t *surface_of(const CanvasPixels *pixels)
{
    return cairo_image_surface_create_for_data(
        (unsigned char *)pixels->data, pixels->opaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32,
        pixels->width, pixels->height, pixels->stride);
}

bool canvas_draw_pixels(const Canvas *canvas, Fonts *fonts, const CanvasPixels *pixels,
                        Error *error)
{
    cairo_surface_t *surface = surface_of(pixels);
    CairoPainter painter = {
        .cairo = cairo_create(surface),
        .fonts = fonts,
        .scale = pixels->scale,
        .pixels = true,
    };
    bool ok = cairo_painter_draw(&painter, canvas, error);
    cairo_destroy(painter.cairo);
    cairo_surface_destroy(surface);
    free(painter.scratch);
    return ok;
}

static cairo_status_t collect(void *closure, const unsigned char *data, unsigned n)
{
    strbuf_add_bytes(closure, data, n);
    return CAIRO_STATUS_SUCCESS;
}

static void add_big_endian(StrBuf *out, uint32_t value)
{
    const unsigned char bytes[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 8), (unsigned char)value};
    strbuf_add_bytes(out, bytes, sizeof bytes);
}

/* A PNG chunk: length, type, data, checksum of type and data. */
static void add_chunk(StrBuf *out, const char *type, const StrBuf *data)
{
    add_big_endian(out, (uint32_t)data->length);
    size_t start = out->length;
    strbuf_add(out, type);
    strbuf_add_bytes(out, data->text, data->length);
    uLong checksum = crc32_z(0, (const Bytef *)out->text + start, (z_size_t)(out->length - start));
    add_big_endian(out, (uint32_t)checksum);
}

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x7F || ((unsigned char)*text < 0x20 && *text != '\n'))
            return false;
    return true;
}

/* tEXt is Latin-1; anything else goes into iTXt, which is UTF-8. */
static void add_note(StrBuf *out, const CanvasNote *note)
{
    static const char zeros[5] = {0};
    StrBuf data = {0};
    bool ascii = is_ascii(note->value);
    strbuf_add(&data, note->key);
    /* tEXt: the name's end. iTXt: that, not compressed, method 0, no language, no
     * translated name. */
    strbuf_add_bytes(&data, zeros, ascii ? 1 : 5);
    strbuf_add(&data, note->value);
    add_chunk(out, ascii ? "tEXt" : "iTXt", &data);
    strbuf_free(&data);
}

static void add_resolution(StrBuf *out, float dpi)
{
    StrBuf data = {0};
    uint32_t per_metre = (uint32_t)lrintf(dpi / 0.0254f);
    add_big_endian(&data, per_metre);
    add_big_endian(&data, per_metre);
    strbuf_add_char(&data, 1);
    add_chunk(out, "pHYs", &data);
    strbuf_free(&data);
}

/* cairo writes the picture; the chunks that it does not know go in after the header. */
bool png_encode(const CanvasPixels *pixels, float dpi, CanvasNotes notes, StrBuf *out, Error *error)
{
    const size_t header_bytes = 8 + 25; /* signature, IHDR */
    cairo_surface_t *surface = surface_of(pixels);
    StrBuf picture = {0};
    cairo_status_t status = cairo_surface_write_to_png_stream(surface, collect, &picture);
    cairo_surface_destroy(surface);
    bool ok = status == CAIRO_STATUS_SUCCESS && picture.length > header_bytes;
    if (ok) {
        strbuf_add_bytes(out, picture.text, header_bytes);
        if (dpi > 0)
            add_resolution(out, dpi);
        for (int i = 0; i < notes.n; i++)
            add_note(out, &notes.notes[i]);
        strbuf_add_bytes(out, picture.text + header_bytes, picture.length - header_bytes);
    } else {
        cairo_failed(status, "the PNG picture cannot be written", error);
    }
    strbuf_free(&picture);
    return ok;
}

bool cairo_new_pixels(const Canvas *canvas, float scale, Color background, CanvasPixels *pixels,
                      Error *error)
{
    scale = scale > 0 ? scale : 1;
    float width = ceilf(canvas_width(canvas) * scale - 0.01f);
    float height = ceilf(canvas_height(canvas) * scale - 0.01f);
    if (!(width <= CANVAS_MAX_SIDE_PX && height <= CANVAS_MAX_SIDE_PX))
        return error_set(error, ERROR_LIMIT,
                         "a picture of %.0f x %.0f pixels; at most %d on each side can be drawn, "
                         "so choose a lower resolution",
                         (double)width, (double)height, CANVAS_MAX_SIDE_PX);
    *pixels = (CanvasPixels){
        .width = width < 1 ? 1 : (int)width,
        .height = height < 1 ? 1 : (int)height,
        .scale = scale,
    };
    pixels->stride = pixels->width * 4;
    pixels->opaque = (background & 255) == 255;
    size_t n = (size_t)pixels->width * (size_t)pixels->height;
    pixels->data = memory_try_new(n, sizeof *pixels->data);
    if (!pixels->data)
        return error_set(error, ERROR_MEMORY, "no memory for a picture of %d x %d pixels",
                         pixels->width, pixels->height);
    uint32_t alpha = background & 255;
    uint32_t paper = alpha << 24;
    for (int shift = 0; shift <= 16; shift += 8)
        paper |= ((background >> (shift + 8) & 255) * alpha + 127) / 255 << shift;
    for (size_t i = 0; alpha > 0 && i < n; i++)
        pixels->data[i] = paper;
    return true;
}

bool canvas_encode_png(const Canvas *canvas, Fonts *fonts, const PngOptions *options, StrBuf *out,
                       Error *error)
{
    CanvasPixels pixels;
    if (!cairo_new_pixels(canvas, options->scale, options->background, &pixels, error))
        return false;
    bool ok = canvas_draw_pixels(canvas, fonts, &pixels, error) &&
              png_encode(&pixels, pixels.scale * 96, options->notes, out, error);
    free(pixels.data);
    return ok;
}

/* cairo refuses text with code points that are no characters, PDF readers choke on control
 * characters. */
static void set_metadata(cairo_surface_t *surface, cairo_pdf_metadata_t which, const char *text)
{
    if (!text)
        return;
    StrBuf clean = {0};
    strbuf_add(&clean, "");
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        uint32_t code;
        i += (size_t)utf8_decode(text + i, n - i, &code);
        if ((code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF))
            code = UTF8_REPLACEMENT;
        else if (code < 0x20 || code == 0x7F)
            code = ' ';
        char bytes[4];
        strbuf_add_bytes(&clean, bytes, (size_t)utf8_encode(code, bytes));
    }
    cairo_pdf_surface_set_metadata(surface, which, clean.text);
    strbuf_free(&clean);
}

static bool draw_page(cairo_surface_t *surface, const Canvas *canvas, Fonts *fonts,
                      Color background, Error *error)
{
    cairo_pdf_surface_set_size(surface, (double)canvas_width(canvas) * POINTS_PER_PIXEL,
                               (double)canvas_height(canvas) * POINTS_PER_PIXEL);
    CairoPainter painter = {.cairo = cairo_create(surface), .fonts = fonts, .scale = 1};
    cairo_scale(painter.cairo, POINTS_PER_PIXEL, POINTS_PER_PIXEL);
    if ((background & 255) > 0) {
        cairo_set_color(painter.cairo, background);
        cairo_paint(painter.cairo);
    }
    bool ok = cairo_painter_draw(&painter, canvas, error);
    if (ok)
        cairo_show_page(painter.cairo);
    cairo_destroy(painter.cairo);
    free(painter.scratch);
    return ok;
}

bool canvas_encode_pdf(const Canvas *const *pages, int n, Fonts *fonts, const PdfOptions *options,
                       StrBuf *out, Error *error)
{
    FOVEA_CHECK(n > 0, "a document of %d pages", n);
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(
        collect, out, (double)canvas_width(pages[0]), (double)canvas_height(pages[0]));
    set_metadata(surface, CAIRO_PDF_METADATA_TITLE, options->title);
    set_metadata(surface, CAIRO_PDF_METADATA_AUTHOR, options->author);
    set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, options->subject);
    set_metadata(surface, CAIRO_PDF_METADATA_KEYWORDS, options->keywords);
    set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Fovea " FOVEA_VERSION);
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = draw_page(surface, pages[i], fonts, options->background, error);
    cairo_surface_finish(surface);
    cairo_status_t status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (ok && status != CAIRO_STATUS_SUCCESS)
        ok = cairo_failed(status, "the PDF page cannot be written", error);
    return ok;
}
