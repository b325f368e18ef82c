/* resample.h - pictures of another size, and as grey.
 *
 * Shrinking averages over the area that a pixel covers (no moire, no lost strokes);
 * enlarging interpolates linearly. Planes are float [height, width, channels], row-major.
 */
#ifndef FOVEA_IMAGE_RESAMPLE_H
#define FOVEA_IMAGE_RESAMPLE_H
#include "trace/trace.h"

/* The part [x, x + w) x [y, y + h) of `in` (real pixels; may reach outside, where there is
 * `outside`) to out [height, width, channels]. channels is 1 to 4. */
typedef struct ResamplePart {
    double x, y, w, h;
} ResamplePart;

void plane_resample(const float *in, int in_width, int in_height, int channels,
                    const ResamplePart *part, float outside, float *out, int width, int height);

/* Luminance 0 .. 1 (Rec. 709 weights on the stored values) over a background: white, or black
 * when what is not transparent is mostly light. out [height, width] */
void picture_to_grey(const TraceImage *image, float *out);

/* Red, green, blue 0 .. 1 over white: out [height, width, 3] */
void picture_to_rgb(const TraceImage *image, float *out);

#endif
