/* ragged_attention.h - one query for every sequence, without padding: a sequence of any
 * length made one vector.
 *
 * attention.h keeps scores as a table of queries and keys. Where each sequence is asked once
 * (by a learned query, the same for all) that table would be mostly padding: here scores and
 * weights are one number a row, beside the rows of the keys, in either order.
 *
 *     weights   a_j = exp(e_j) / sum_k exp(e_k)    over the sequence's items that are kept
 *     context   s   = sum_j a_j h_j
 *     maximum   s_d = max_j h_jd                   what attention is compared with
 *
 * A mean is the context under ragged_uniform's weights. A sequence without items, or with
 * none that is kept, has weights and a vector of zeros, never NaN.
 *
 * Memory: the batch's arrays and the kept marks must live until the tape's reset.
 */
#ifndef FOVEA_ATTENTION_RAGGED_ATTENTION_H
#define FOVEA_ATTENTION_RAGGED_ATTENTION_H
#include "grad/tape.h"
#include "math/ragged.h"

/* scores [rows,1] -> weights [rows,1]; keep [rows]: 0 hides an item; NULL: none hidden. */
Var *op_ragged_softmax(Tape *tape, Var *scores, const unsigned char *keep, const Ragged *batch);

/* 1 / n for each of the n items of a sequence that are kept: [rows,1], a constant. */
Var *ragged_uniform(Tape *tape, const unsigned char *keep, const Ragged *batch);

/* weights [rows,1], values [rows,d] -> [n,d] */
Var *op_ragged_context(Tape *tape, Var *weights, Var *values, const Ragged *batch);

/* values [rows,d] -> [n,d], over the items that are kept. The gradient goes to the item that
 * gave the maximum, the first one of equal ones. */
Var *op_ragged_max(Tape *tape, Var *values, const unsigned char *keep, const Ragged *batch);

#endif
