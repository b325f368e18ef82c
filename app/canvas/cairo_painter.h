/* cairo_painter.h - the back end on a cairo context; shared by the files behind
 * canvas_cairo.h.
 */
#ifndef FOVEA_CANVAS_CAIRO_PAINTER_H
#define FOVEA_CANVAS_CAIRO_PAINTER_H
#include <cairo.h>

#include "canvas/canvas_backend.h"
#include "canvas/canvas_cairo.h"
#include "canvas/fonts.h"

typedef struct CairoPainter {
    cairo_t *cairo; /* identity matrix for pixels, any for a page */
    Fonts *fonts;
    float scale;       /* of every coordinate */
    bool pixels;       /* edges on whole pixels, text as pictures; otherwise vectors and glyphs */
    uint32_t *scratch; /* pixels of matrices and images */
    size_t scratch_capacity;
} CairoPainter;

/* Replays the canvas on painter->cairo and reports cairo's own errors too. */
bool cairo_painter_draw(CairoPainter *painter, const Canvas *canvas, Error *error) FOVEA_MUST_USE;

/* Pixels for the canvas at `scale` (0: 1), painted with the background; the caller frees
 * pixels->data. */
bool cairo_new_pixels(const Canvas *canvas, float scale, Color background, CanvasPixels *pixels,
                      Error *error) FOVEA_MUST_USE;

/* Text of a page as glyphs (cairo_glyphs.c): the layout with the left end of its baseline at
 * (x, y) of the current matrix. */
void cairo_show_layout(cairo_t *cairo, Fonts *fonts, const TextLayout *layout,
                       const TextStyle *style, float x, float y);

void cairo_set_color(cairo_t *cairo, Color color);

#endif
