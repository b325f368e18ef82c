/* positions.h - what tells self-attention where a word stands (Vaswani et al. 2017, 3.5).
 *
 *     PE(t, 2i) = sin(t / 10000^(2i / d))      PE(t, 2i + 1) = cos(t / 10000^(2i / d))
 *
 * Positions count from 0 within each sequence.
 */
#ifndef FOVEA_NN_POSITIONS_H
#define FOVEA_NN_POSITIONS_H
#include "grad/tape.h"
#include "math/ragged.h"

/* One position: out [d]. */
void position_encode(int position, int d, Real *out);

/* A constant [rows->rows, d] in the order of the rows; the first item of every sequence
 * stands at `first` (0 but for a continuation). */
Var *position_rows(Tape *tape, const Ragged *rows, int first, int d);

#endif
