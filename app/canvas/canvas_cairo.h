/* canvas_cairo.h - recordings as pixels, PNG, PDF and animated GIF.
 *
 * One painter draws for the window, for PNG and for GIF, so they show the same pixels; PDF
 * gets the same glyphs in the same places as real text. Results are whole files in memory;
 * file_write of base/file.h puts them on disk, or leaves the old file as it was.
 *
 * Threads: each call uses its own state and the Fonts that it is given.
 */
#ifndef FOVEA_CANVAS_CANVAS_CAIRO_H
#define FOVEA_CANVAS_CANVAS_CAIRO_H
#include "base/strbuf.h"
#include "canvas/canvas.h"
#include "canvas/fonts.h"

#define CANVAS_MAX_SIDE_PX 16384 /* device pixels of a picture */
#define CANVAS_MAX_FRAMES  2000  /* of an animation            */

/* How a figure was made: a name of printable ASCII (up to 79 letters) and any text. */
typedef struct CanvasNote {
    const char *key, *value;
} CanvasNote;

typedef struct CanvasNotes {
    const CanvasNote *notes; /* [n] */
    int n;
} CanvasNotes;

/* Where pixels go: [height, stride] bytes, each pixel 0xAARRGGBB, premultiplied. */
typedef struct CanvasPixels {
    uint32_t *data;
    int width, height;
    int stride;  /* bytes, a multiple of four */
    float scale; /* device pixels per logical pixel */
    bool opaque; /* no alpha is kept: the top byte is not looked at */
} CanvasPixels;

/* Draws over what is there. */
bool canvas_draw_pixels(const Canvas *canvas, Fonts *fonts, const CanvasPixels *pixels,
                        Error *error) FOVEA_MUST_USE;

typedef struct PngOptions {
    float scale;       /* device pixels per logical one, dpi / 96; 0: 1. Written as pHYs      */
    Color background;  /* painted first; alpha 0: transparent where nothing is drawn          */
    CanvasNotes notes; /* tEXt chunks, iTXt where the text is not ASCII                      */
} PngOptions;

bool canvas_encode_png(const Canvas *canvas, Fonts *fonts, const PngOptions *options, StrBuf *out,
                       Error *error) FOVEA_MUST_USE;

/* A picture as PNG without a canvas: pixels as above; dpi 0 writes no resolution. */
bool png_encode(const CanvasPixels *pixels, float dpi, CanvasNotes notes, StrBuf *out,
                Error *error) FOVEA_MUST_USE;

typedef struct PdfOptions {
    const char *title; /* NULL: none, as below */
    const char *author;
    const char *subject;
    const char *keywords; /* how it was made */
    Color background;     /* alpha 0: none */
} PdfOptions;

/* One page a canvas, each of its canvas's size (logical pixels are 1/96 inch). */
bool canvas_encode_pdf(const Canvas *const *pages, int n, Fonts *fonts, const PdfOptions *options,
                       StrBuf *out, Error *error) FOVEA_MUST_USE;

typedef struct GifOptions {
    float scale;         /* 0: 1 */
    Color background;    /* opaque: GIF has no half-transparent pixels */
    bool once;           /* otherwise it repeats for ever */
    const char *comment; /* NULL: none */
} GifOptions;

/* Frames of one size; delays_ms[n], each written in hundredths of a second, at least two.
 * One palette for all frames: the commonest colours exactly, the rest by median cut, so
 * plain areas do not flicker. */
bool canvas_encode_gif(const Canvas *const *frames, const int *delays_ms, int n, Fonts *fonts,
                       const GifOptions *options, StrBuf *out, Error *error) FOVEA_MUST_USE;

#endif
