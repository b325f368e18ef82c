/* normalise.h - layer normalisation (Ba, Kiros, Hinton 2016, arXiv 1607.06450).
 *
 *     y = (x - mean) / sqrt(variance + 1e-5) o gain + bias      over each row by itself
 *
 * The variance is that of the row (divided by d). A constant row gives the bias.
 */
#ifndef FOVEA_NN_NORMALISE_H
#define FOVEA_NN_NORMALISE_H
#include "grad/tape.h"

/* x [n,d], gain [1,d], bias [1,d] -> [n,d] */
Var *op_layer_norm(Tape *tape, Var *x, Var *gain, Var *bias);

#endif
