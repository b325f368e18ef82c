/* lstm_cell.h - one step of an LSTM and its gradient, on plain arrays; private to nn. */
#ifndef FOVEA_NN_LSTM_CELL_H
#define FOVEA_NN_LSTM_CELL_H
#include "math/matrix.h"

/* One step for n rows; states are [h | c] of width 2d. */
typedef struct LstmCell {
    int n, d;
    Weights u;            /* [4d,d]                                    */
    const Real *previous; /* [n_previous, 2d]; the other rows are zero */
    int n_previous;
    Real *gates;  /* [n,4d]: i, f, o, g  */
    Real *state;  /* [n,2d]: the result  */
    Real *tanh_c; /* [n,d]              */
} LstmCell;

/* xp [n,4d] -> gates, state, tanh_c */
void lstm_cell_forward(const LstmCell *c, const Real *xp);

/* From d state [n,2d]: d gates before their functions [n,4d] (overwritten), d previous
 * [n_previous,2d] (added).   dc' = dc + dh o (1 - tanh(c)^2)
 *     di = dc' g   df = dc' c   do = dh tanh(c)   dg = dc' i   dc_previous = dc' f */
void lstm_cell_backward(const LstmCell *c, const Real *dstate, Real *dgates, Real *dprevious);

#endif
