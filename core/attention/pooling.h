/* pooling.h - from the words of a sentence to one vector, for many sentences at once.
 *
 * Rows are sequence-major; every operation works within each sequence by itself. Letters:
 * r weights for a word (one for each feature, or one for each hop), d features.
 *
 *     source2token (Shen et al. 2017)     weights = softmax over words, for each feature
 *                                         s = sum_i weights_i o u_i:  multiply, then sum
 *     structured (Lin et al. 2017, arXiv 1703.03130)    A = softmax over words, r hops
 *                                         M = A H: op_pool_product;  P = |A A^T - I|^2
 *
 * An empty sequence has sum, mean and product 0.
 */
#ifndef FOVEA_ATTENTION_POOLING_H
#define FOVEA_ATTENTION_POOLING_H
#include "grad/tape.h"
#include "math/ragged.h"

/* Softmax over the words of each sequence, column by column: [rows,r] -> [rows,r] */
Var *op_pool_softmax(Tape *tape, Var *scores, const Ragged *rows);

Var *op_pool_sum(Tape *tape, Var *x, const Ragged *rows);  /* [rows,d] -> [n,d] */
Var *op_pool_mean(Tape *tape, Var *x, const Ragged *rows); /* [rows,d] -> [n,d] */

/* M_n = A^T X over the words: weights [rows,r], x [rows,d] -> [n, r d], hop after hop */
Var *op_pool_product(Tape *tape, Var *weights, Var *x, const Ragged *rows);

/* scale sum_n |A_n A_n^T - I|_F^2 with A_n [r, words]: [1,1]; small when the hops look at
 * different words. */
Var *op_pool_penalty(Tape *tape, Var *weights, Real scale, const Ragged *rows);

/* [rows->rows] sequence of each row, in the tape's arena: for op_gather back to words. */
const int *pool_sequence_of_rows(Tape *tape, const Ragged *rows);

#endif
