/* ops.h - the basic operations of the tape.
 *
 * Letters: n rows, d and e columns, k terms. Every function returns a new value; inputs are
 * not changed. Formulas stand on the declarations, gradients are in the .c files beside the
 * quoted forward formula.
 */
#ifndef FOVEA_GRAD_OPS_H
#define FOVEA_GRAD_OPS_H
#include "base/random.h"
#include "grad/tape.h"

/* ---- elementwise ---- */
Var *op_add(Tape *tape, Var *a, Var *b);        /* [n,d] + [n,d], or b [1,d] for each row */
Var *op_subtract(Tape *tape, Var *a, Var *b);   /* [n,d] - [n,d]                          */
Var *op_multiply(Tape *tape, Var *a, Var *b);   /* [n,d] o [n,d], or b [1,d], or b [n,1]  */
Var *op_scale(Tape *tape, Var *a, Real factor); /* factor a                               */
Var *op_exp(Tape *tape, Var *a);
Var *op_tanh(Tape *tape, Var *a);
Var *op_sigmoid(Tape *tape, Var *a);
Var *op_relu(Tape *tape, Var *a);
Var *op_elu(Tape *tape, Var *a); /* a > 0 ? a : exp(a) - 1                 */
Var *op_abs(Tape *tape, Var *a);
/* f o x + (1 - f) o s: a gate between two values, all [n,d] (or f [n,1]). */
Var *op_mix(Tape *tape, Var *f, Var *x, Var *s);

/* ---- products ---- */
/* x [n,k], w [d,k], b [1,d] or NULL -> x w^T + b: [n,d] */
Var *op_linear(Tape *tape, Var *x, Var *w, Var *b);

/* ---- columns and rows ---- */
Var *op_concat(Tape *tape, int n_parts, Var *const *parts); /* side by side            */
Var *op_slice(Tape *tape, Var *x, int begin, int end);      /* columns [begin, end)    */
Var *op_stack(Tape *tape, int n_parts, Var *const *parts);  /* on top of each other    */
Var *op_slice_rows(Tape *tape, Var *x, int begin, int end);
/* Row index[i] of x, or a row of zeros for -1: [n,d]. Embedding lookup, and any reordering;
 * the index is copied. */
Var *op_gather(Tape *tape, Var *x, int n, const int *index);
Var *op_reshape(Tape *tape, Var *x, int rows, int cols); /* same number of elements */

/* ---- reductions ---- */
Var *op_sum(Tape *tape, Var *x);         /* [1,1]                                  */
Var *op_mean_rows(Tape *tape, Var *x);   /* [n,d] -> [1,d]                         */
Var *op_sum_columns(Tape *tape, Var *x); /* [n,d] -> [n,1]                         */
/* sum_i w_i x_i of [1,1] values with constant weights: [1,1] */
Var *op_weighted_sum(Tape *tape, int n, Var *const *x, const Real *weights);

/* ---- dropout ---- */
/* Zero with probability p, else 1 / (1 - p) times (Srivastava 2014, inverted). random NULL
 * or p = 0: x itself. */
Var *op_dropout(Tape *tape, Var *x, Real p, Random *random);
/* Whole rows: row i is kept or dropped as one (word dropout). */
Var *op_dropout_rows(Tape *tape, Var *x, Real p, Random *random);

/* ---- losses ---- */

typedef struct CrossEntropy {
    Var *loss;       /* [1,1]: scale times the sum over rows of weight_i loss_i            */
    const Real *nll; /* [n]: -log p(target) of each row, without smoothing; 0 if skipped   */
    double sum_nll;  /* over the rows that count                                           */
    int n_counted;   /* rows with target >= 0                                              */
    int n_correct;   /* whose target has the largest logit                                 */
} CrossEntropy;

/* Softmax cross-entropy of logits [n,V] against target[i] in 0..V-1, or -1 to skip the row,
 * with label smoothing q = (1 - s) onehot + s / V (Szegedy 2016). weight [n] or NULL.
 * Without a tape only the numbers are computed. */
CrossEntropy op_cross_entropy(Tape *tape, Var *logits, const int *target, const Real *weight,
                              Real smoothing, Real scale);

/* scale * sum_i weight_i (x_i - target_i)^2 over all elements; weight NULL: 1. */
Var *op_squared_error(Tape *tape, Var *x, const Real *target, const Real *weight, Real scale);

/* scale * sum_i weight_i log sigmoid(+-a_i), + where z_i = 1: the log-probability of
 * independent Bernoulli draws with logits a, each weighted (weights are constants). */
Var *op_bernoulli_log(Tape *tape, Var *logits, const unsigned char *z, const Real *weight,
                      Real scale);

/* scale * sum of the entropies of independent Bernoulli variables with logits a, in nats. */
Var *op_bernoulli_entropy(Tape *tape, Var *logits, Real scale);

#endif
