/* sequence_walk.h - the order in which a recurrent layer visits a step-major batch; private
 * to nn. At each step the active sequences are a prefix, and so are those that have a
 * previous state: one block of rows reads another. */
#ifndef FOVEA_NN_SEQUENCE_WALK_H
#define FOVEA_NN_SEQUENCE_WALK_H
#include "math/ragged.h"

typedef struct SequenceBlock {
    int first;      /* first row of this step                               */
    int n;          /* active sequences                                     */
    int previous;   /* first row of the step read before, if n_previous > 0 */
    int n_previous; /* how many of the n have a previous state (a prefix) */
} SequenceBlock;

/* Block number k = 0 .. steps-1 in the order of running. */
static inline SequenceBlock sequence_block(const Ragged *r, int k, bool reverse)
{
    int t = reverse ? r->steps - 1 - k : k;
    int from = reverse ? t + 1 : t - 1;
    SequenceBlock block = {.first = r->start[t], .n = ragged_active(r, t)};
    if (from >= 0 && from < r->steps) {
        int other = ragged_active(r, from);
        block.previous = r->start[from];
        block.n_previous = other < block.n ? other : block.n;
    }
    return block;
}

#endif
