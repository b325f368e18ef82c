/* digit.h - any drawing of a digit as the pictures that the digit models were trained on.
 *
 * MNIST's makers scaled each digit to fit 20 x 20 pixels, keeping its shape, with
 * antialiasing, and laid it into 28 x 28 with its centre of mass in the middle. The same is
 * done here to a photograph or a drawing: light ink on black, whatever it was before.
 *
 * Pictures that are already of the model's size are taken as they are, so a digit from the
 * data stays itself.
 */
#ifndef FOVEA_IMAGE_DIGIT_H
#define FOVEA_IMAGE_DIGIT_H
#include "trace/trace.h"

#define DIGIT_INK_SIDE 20

typedef enum {
    DIGIT_CENTRED, /* the ink is cut out, scaled to 20 pixels and centred                 */
    DIGIT_PLACED,  /* the whole picture is scaled to the side; the ink stays where it is   */
} DigitLayout;

/* out [side, side], 0 .. 1, ink is 1. ERROR_INPUT when there is no ink to see. */
bool digit_prepare(const TraceImage *image, DigitLayout layout, int side, float *out,
                   Error *error) FOVEA_MUST_USE;

/* A canvas on which strokes were drawn: values 0 .. 1, ink is 1, [height, width]. The same
 * without guessing which colour the ink has. */
bool digit_from_canvas(const float *canvas, int width, int height, DigitLayout layout, int side,
                       float *out, Error *error) FOVEA_MUST_USE;

/* Draws one stroke of a round pen, antialiased, on such a canvas; lengths in pixels. A point
 * is a stroke whose ends are equal. */
void canvas_draw_stroke(float *canvas, int width, int height, float x0, float y0, float x1,
                        float y1, float pen_width);

#endif
