/* attention.h - scores, alignment, context: the three stages of every attention here.
 *
 *     scores   e_j  = score(query, key_j)
 *     weights  a    = align(e)             softmax, local window, hard choice
 *     context  c    = sum_j a_j value_j
 *
 * Each stage is an operation of its own, so each can be looked at, replaced or forced.
 * Keys and values are ragged rows; queries are rows too, and `AttendTo` says which keys a
 * query may see. Scores and weights are [n_queries, keys->steps]; columns that a query may
 * not see hold 0.
 *
 * Scores (MODELS: Graves 2014, Bahdanau 2015, Luong 2015, Vaswani 2017):
 *     additive   v^T tanh(q + k)    with q = W s and k = U h projected by the caller
 *     dot        scale q^T k        general: q = W^T s projected; scaled: scale = 1 / sqrt(d)
 *     cosine     beta q^T k / max(|q| |k|, eps)
 *     location   e_j = logits_j of the query alone
 *
 * An AttendTo and all it points to must live until the tape's reset (put it in the tape's
 * arena): backward passes read it again.
 *
 * A query that may see nothing gets all-zero weights and a zero context, never NaN.
 */
#ifndef FOVEA_ATTENTION_ATTENTION_H
#define FOVEA_ATTENTION_ATTENTION_H
#include "base/random.h"
#include "grad/tape.h"
#include "math/ragged.h"

typedef struct Span {
    int low, high; /* positions low .. high - 1 of the sequence */
} Span;

typedef struct AttendTo {
    const Ragged *keys;
    const int *owner;          /* [n_queries]: sequence seen; NULL: query i sees sequence i */
    const Span *span;          /* [n_queries]: only these positions; NULL: all              */
    const unsigned char *keep; /* [keys->rows]: 0 hides a key; NULL: none hidden            */
} AttendTo;

/* What query q sees, cut to its sequence. */
Span attend_span(const AttendTo *to, int q);
int attend_owner(const AttendTo *to, int q);
/* Row of key j for query q, whatever the order of the keys. */
int attend_row(const AttendTo *to, int q, int j);
bool attend_sees(const AttendTo *to, int q, int j);

/* ---- scores: q [n,a], keys [rows,a] -> [n, steps] ---- */
Var *op_score_additive(Tape *tape, Var *q, Var *keys, Var *v, const AttendTo *to); /* v [1,a] */
Var *op_score_dot(Tape *tape, Var *q, Var *keys, Real scale, const AttendTo *to);
Var *op_score_cosine(Tape *tape, Var *q, Var *keys, Var *beta, const AttendTo *to); /* [1,1] */
/* logits [n, most]: position j takes logit j; positions from `most` on must be outside the
 * spans (see attend_limit). */
Var *op_score_location(Tape *tape, Var *logits, const AttendTo *to);

/* ---- alignment ---- */

/* softmax(e / temperature) over what each query sees; temperature > 0. */
Var *op_align_softmax(Tape *tape, Var *scores, Real temperature, const AttendTo *to);

/* weights o exp(-(j - centre)^2 / (2 sigma^2)), centre [n,1] (Luong 2015, eq. 10; the
 * product is not renormalised). */
Var *op_align_gaussian(Tape *tape, Var *weights, Var *centre, Real sigma, const AttendTo *to);

/* The first position whose cumulative weight exceeds u in [0,1), among those with weight
 * > 0; the last such one when rounding leaves none; -1 when there is none. */
int align_sample(const Real *weights, int n, double u);
/* The first position of the largest weight, or -1 when all are zero. */
int align_argmax(const Real *weights, int n);

/* ---- context: weights [n, steps], values [rows,d] -> [n,d] ---- */
Var *op_context(Tape *tape, Var *weights, Var *values, const AttendTo *to);

/* ---- for policy gradients ---- */

/* scale sum_q weight_q log(weights[q, chosen_q]); chosen -1 is skipped. Through the softmax
 * its gradient in the scores is weight_q (onehot - a). */
Var *op_log_chosen(Tape *tape, Var *weights, const int *chosen, const Real *weight, Real scale);

/* scale sum_q weight_q H(a_q), H = -sum_j a_j log a_j in nats; weight NULL: 1. */
Var *op_entropy(Tape *tape, Var *weights, const Real *weight, Real scale);

#endif
