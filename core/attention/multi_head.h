/* multi_head.h - scaled dot-product attention with several heads (Vaswani et al. 2017, arXiv
 * 1706.03762, eq. 1 and 3.2.2), for whole sequences at once.
 *
 * For each sequence and each head a, with the columns of the head:
 *     S = Q_a K_a^T / sqrt(dk)      A = softmax of the rows of S over what a query may see
 *     O_a = A V_a                   result [O_1, O_2, ...]
 * Row of A = query, column = key. The projections before and after are op_linear.
 *
 * Who sees what. Queries and keys are ragged rows, sequence-major; query sequence i attends
 * to key sequence owner[i] (NULL: i), so the same operation is self-attention, attention
 * across an encoder and a decoder, and several hypotheses over one source. `causal`: query t
 * of Q sees key j of K only if j <= t + K - Q; the ends are aligned, so a single new query
 * over all keys so far is the last row of the whole square. A query that may see nothing
 * gets zero weights and a zero result.
 *
 * A growing cache needs no copying: keys->start[i] may leave gaps (rows that belong to no
 * sequence), so each sequence can have room of its own that fills up; `keys->rows` is then
 * the number of rows of k and v, gaps included.
 *
 * Letters: H heads, dk and dv columns of one head, S = keys->steps.
 */
#ifndef FOVEA_ATTENTION_MULTI_HEAD_H
#define FOVEA_ATTENTION_MULTI_HEAD_H
#include "grad/tape.h"
#include "math/ragged.h"

/* All it points to must live until the tape's reset. */
typedef struct MultiHeadSpec {
    int heads;
    const Ragged *queries;     /* [rows of q]                                               */
    const Ragged *keys;        /* [rows of k and v]; the same pointer in self-attention     */
    const int *owner;          /* [queries->n] key sequence of each query sequence, or NULL */
    bool causal;               /* no query sees a later key                                 */
    const unsigned char *keep; /* [keys->rows] 0 hides a key; NULL: none hidden             */
    Real temperature;          /* S is divided by it; 0: 1                                  */
    bool wants_scores;         /* keep S for a picture                                      */
    /* Inference only: [H, rows of q, S] weights to use; a row that begins with NaN is the
     * model's own. NULL: all are. */
    const Real *replaced;
} MultiHeadSpec;

typedef struct MultiHead {
    Var *output;         /* [rows of q, H dv]                                                */
    const Real *weights; /* A: [H, rows of q, S], 0 where not seen; until the tape's reset   */
    const Real *scores;  /* S, NaN where not seen; NULL unless wanted                        */
} MultiHead;

/* q [rows, H dk], k [rows, H dk], v [rows, H dv] */
MultiHead op_multi_head(Tape *tape, Var *q, Var *k, Var *v, const MultiHeadSpec *spec);

/* How many keys query t of query sequence i may see at most: they are the first ones. */
int multi_head_reach(const MultiHeadSpec *spec, int i, int t);

#endif
