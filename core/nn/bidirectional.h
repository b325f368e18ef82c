/* bidirectional.h - a recurrent layer in both directions over sentences stored one after the
 * other (sequence-major), with parameters of its own.
 *
 *     h_t = [forward_t ; backward_t] in R^2d
 *
 * The rows are put in order of steps for the recurrence and back again; no row is padding.
 */
#ifndef FOVEA_NN_BIDIRECTIONAL_H
#define FOVEA_NN_BIDIRECTIONAL_H
#include "nn/recurrent.h"

typedef enum { CELL_GRU, CELL_LSTM } CellKind;

typedef struct BidirectionalLayer {
    CellKind cell;
    const Param *w[2], *b[2], *u[2]; /* forward, backward: [g d, e], [1, g d], [g d, d] */
} BidirectionalLayer;

/* prefix.{forward,backward}.{W,b,U}, all in the given group (param.h). */
BidirectionalLayer bidirectional_declare(ParamSet *params, const char *prefix, CellKind cell, int e,
                                         int d, int group);

/* x [rows,e] -> [rows,2d] */
Var *bidirectional_layer(Tape *tape, const BidirectionalLayer *layer, Var *x, const Ragged *rows);

#endif
