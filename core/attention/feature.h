/* feature.h - multi-dimensional attention between the words of a sentence: one weight for
 * each pair AND feature (Shen et al. 2017, arXiv 1709.04696, DiSAN; 2018, arXiv 1801.10296,
 * ReSAN).
 *
 * A head j reads dependents i. For every feature k by itself:
 *     f_ijk = c tanh((a_ik + b_jk) / c)       a = W1 x_i, b = W2 x_j + bias, by the caller
 *     P_ijk = exp(f_ijk) / sum of exp(f) over the dependents i that j may read
 *     s_jk  = sum_i P_ijk x_ik
 * The logits are bounded by c, so no maximum has to be taken, and nothing of size n x n x d
 * is ever stored: the backward pass computes it again.
 *
 * Only selected words take part: heads and dependents are lists of rows that were gathered
 * before, so leaving words out makes it cheaper in proportion to the pairs that remain. Each
 * row knows its place in the sentence, and the rule says which places a head may read:
 *     PAIRS_DIFFERENT  i != j       PAIRS_EARLIER  i < j       PAIRS_LATER  i > j
 * A head that may read nothing gets s = 0.
 *
 * a and b beyond +-40 c / 2 count as that: tanh is 1 long before.
 */
#ifndef FOVEA_ATTENTION_FEATURE_H
#define FOVEA_ATTENTION_FEATURE_H
#include "grad/tape.h"
#include "math/ragged.h"

typedef enum { PAIRS_DIFFERENT, PAIRS_EARLIER, PAIRS_LATER } PairRule;

/* All it points to must live until the tape's reset. */
typedef struct FeaturePairs {
    const Ragged *heads, *dependents; /* sequence-major, of the same sentences             */
    const int *head_place;            /* [heads->rows] position in the sentence, rising    */
    const int *dependent_place;       /* [dependents->rows]                                */
    PairRule rule;
} FeaturePairs;

/* a, x [dependents->rows, d], b [heads->rows, d] -> s [heads->rows, d]; 0 < c <= 20 */
Var *op_feature_attend(Tape *tape, Var *a, Var *b, Var *x, Real c, const FeaturePairs *pairs);

/* For each word the plain mean of the words that the rule lets it read, 0 if there are none:
 * x [rows,d], sequence-major -> [rows,d]. What ReSAN gives a word that is no head. */
Var *op_feature_mean(Tape *tape, Var *x, const Ragged *rows, PairRule rule);

/* The pairs that are computed. */
long feature_pairs_count(const FeaturePairs *pairs);
bool feature_pairs_allow(const FeaturePairs *pairs, int head_place, int dependent_place);

/* What the operation does not keep, for a picture: one head at a time. */
typedef struct FeatureLook {
    FeaturePairs pairs;
    int d;
    Real c;
    Real *ea, *eb, *sum; /* exponentials of a and b; scratch */
} FeatureLook;

/* In the arena; a and b as they were given to the operation. */
FeatureLook *feature_look_begin(Arena *arena, const Var *a, const Var *b, Real c,
                                const FeaturePairs *pairs);
/* Weights and scores [m,d] of a head of sentence i (row `head` of all heads) over the m
 * dependents of the sentence; 0 and NaN where it may not read. */
void feature_look(const FeatureLook *look, int i, int head, Real *weights, Real *scores);

#endif
