/* ngrams.h - how many n-grams two sequences have in common; what BLEU and chrF count. */
#ifndef FOVEA_TEXT_NGRAMS_H
#define FOVEA_TEXT_NGRAMS_H
#include <stddef.h>
#include <stdint.h>

/* Size of the intersection of the two multisets of n-grams: every n-gram of b is matched by
 * at most one of a. Linear in the lengths. */
int64_t ngrams_common(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, size_t order);

/* Number of n-grams in a sequence of n items. */
int64_t ngrams_total(size_t n, size_t order);

#endif
