/* conv.h - convolution and pooling over pictures.
 *
 * A batch of n pictures is one value: a row for each pixel (picture by picture, row by row,
 * from the top left), a column for each channel: [n h w, c]. So a 1 x 1 convolution is
 * op_linear, and the result of a network is already a list of annotation vectors.
 *
 * Convolution is a matrix product: the k x k neighbourhood of every output pixel is laid out
 * as one row (im2col), a few pictures at a time so that the rows stay in the cache, and
 * multiplied with the weights. The rows are made again for the backward pass: copying is
 * cheaper than keeping them.
 *
 * Letters: n pictures, h and w pixels, c input and d output channels, k the kernel's side.
 */
#ifndef FOVEA_NN_CONV_H
#define FOVEA_NN_CONV_H
#include "grad/tape.h"

typedef struct Conv {
    int height, width; /* of the input                                      */
    int kernel;        /* k                                                 */
    int stride;        /* >= 1                                              */
    int padding;       /* pixels of 0 around the input, less than the kernel */
} Conv;

int conv_out_height(const Conv *conv); /* floor((h + 2 padding - k) / stride) + 1 */
int conv_out_width(const Conv *conv);

/* x [n h w, c], weights [d, k k c] (row, column, channel), bias [1, d] or NULL
 * -> [n h' w', d]:  y(i, j) = bias + sum over u, v of w(u, v) x(i s + u - p, j s + v - p) */
Var *op_conv(Tape *tape, Var *x, Var *weights, Var *bias, const Conv *conv);

/* The largest of each k x k neighbourhood, channel by channel: [n h w, c] -> [n h' w', c].
 * Padding never wins. Of equal values the first counts (gradient). */
Var *op_max_pool(Tape *tape, Var *x, const Conv *conv);

#endif
