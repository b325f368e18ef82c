/* drawing.h - strokes as text: what a mouse drew, an example of a model, a test.
 *
 *     20,15 75,15 45,85 / 30,50 62,50
 *
 * Points are x,y in hundredths of the picture's sides, from the top left corner; a stroke
 * joins its points by straight lines; "/" begins another stroke. A stroke of one point is a
 * dot.
 */
#ifndef FOVEA_IMAGE_DRAWING_H
#define FOVEA_IMAGE_DRAWING_H
#include "base/error.h"

#define DRAWING_MAX_POINTS 100000

/* Draws on canvas [side, side], 0 .. 1, which the caller has cleared. pen_width in pixels.
 * ERROR_INPUT names what is not a point. */
bool drawing_render(const char *text, float *canvas, int side, float pen_width,
                    Error *error) FOVEA_MUST_USE;

/* Does the text look like strokes (and not like words)? */
bool drawing_is_one(const char *text);

#endif
