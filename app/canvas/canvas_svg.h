/* canvas_svg.h - a recording as SVG 1.1 that is still text.
 *
 * Written by hand rather than by cairo, whose SVG turns text into outlines: here a label is
 * a <text> that can be searched, restyled and translated. Matrices are exact rectangles, or
 * beyond SVG_CELLS_MAX cells an embedded picture that viewers are told not to smooth. Tags
 * become titles, shown by browsers under the pointer. Notes go into <metadata>.
 *
 * The text shown is that of fonts.h (signs for invisible characters, the ellipsis); text that
 * was cut carries its whole in a title. The result is well-formed XML whatever the input.
 */
#ifndef FOVEA_CANVAS_CANVAS_SVG_H
#define FOVEA_CANVAS_CANVAS_SVG_H
#include "base/strbuf.h"
#include "canvas/canvas_cairo.h"

#define SVG_CELLS_MAX  ((size_t)4096) /* cells of one matrix that become rectangles */
#define SVG_TITLES_MAX 4096           /* tags that become titles                    */

typedef struct SvgOptions {
    Color background;  /* alpha 0: none          */
    const char *title; /* NULL: none            */
    CanvasNotes notes; /* how it was made       */
} SvgOptions;

bool canvas_encode_svg(const Canvas *canvas, Fonts *fonts, const SvgOptions *options, StrBuf *out,
                       Error *error) FOVEA_MUST_USE;

#endif
