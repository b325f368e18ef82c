/* ragged.h - a batch of sequences of unequal length, stored without padding.
 *
 * The rows of a matrix are the items of all sequences; a Ragged says which row belongs to
 * which item. Two orders:
 *   step-major      all first items, then all second items, ...: what a recurrent network
 *                   reads, one contiguous block a step. Sequences are sorted by falling
 *                   length, so those still running are always the first ones of the block.
 *   sequence-major  one sequence after the other: what self-attention reads.
 * Nothing is ever computed for padding, because there is none.
 *
 * Memory: the arrays live in the arena given to ragged_new.
 */
#ifndef FOVEA_MATH_RAGGED_H
#define FOVEA_MATH_RAGGED_H
#include "base/memory.h"

typedef enum { RAGGED_STEP_MAJOR, RAGGED_SEQUENCE_MAJOR } RaggedOrder;

typedef struct Ragged {
    RaggedOrder order;
    int n;             /* sequences                                                   */
    int steps;         /* the longest length                                          */
    int rows;          /* sum of lengths                                              */
    const int *length; /* [n], each >= 0; falling when step-major                     */
    const int *start;  /* step-major: first row of step t, [steps + 1];
                          sequence-major: first row of sequence i, [n + 1]            */
} Ragged;

/* Copies the lengths. Step-major wants them sorted by falling length. */
Ragged ragged_new(Arena *arena, RaggedOrder order, int n, const int *length);

/* Row of item t of sequence i. */
static inline int ragged_row(const Ragged *r, int i, int t)
{
    return r->order == RAGGED_STEP_MAJOR ? r->start[t] + i : r->start[i] + t;
}

/* Sequences still running at step t (step-major only). */
static inline int ragged_active(const Ragged *r, int t)
{
    return r->start[t + 1] - r->start[t];
}

/* order[0..n-1] = indices of sequences by falling length, stable. */
void ragged_sort(int n, const int *length, int *order);

#endif
