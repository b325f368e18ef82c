/* pairs.h - from pairs of non-negative integers to a non-negative integer.
 *
 * Open addressing, at most half full. The merge table of the tokeniser, and its counts while
 * it learns. Zero-initialised is empty.
 */
#ifndef FOVEA_TEXT_PAIRS_H
#define FOVEA_TEXT_PAIRS_H
#include <stddef.h>
#include <stdint.h>

typedef struct Pairs {
    uint64_t *keys; /* 0: free */
    int32_t *values;
    size_t n_slots; /* a power of two, or 0 */
    size_t count;
} Pairs;

/* Room for so many, so that none of them is placed twice. */
void pairs_reserve(Pairs *pairs, size_t n);

/* The value of the pair, or -1. */
int32_t pairs_get(const Pairs *pairs, int32_t left, int32_t right);

/* The pair must be new. */
void pairs_add(Pairs *pairs, int32_t left, int32_t right, int32_t value);

void pairs_deinit(Pairs *pairs);

#endif
