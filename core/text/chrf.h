/* chrf.h - corpus chrF2 of translations against one reference each.
 *
 * Popovic 2015 and 2016; the numbers are those of sacreBLEU's chrF2 with its defaults:
 * character n-grams of order 1..6 without white space, counts summed over the corpus,
 * precision and recall averaged over the orders that occur on both sides, and
 *   chrF = 100 (1 + b^2) P R / (b^2 P + R),  b = 2 (recall counts twice as much).
 * A sentence whose reference is too short for an order does not count for that order.
 *
 * Memory: a Chrf is plain sums. Threads: one at a time. Depends on: base.
 */
#ifndef FOVEA_TEXT_CHRF_H
#define FOVEA_TEXT_CHRF_H
#include <stdint.h>

#define CHRF_ORDER 6

/* Zero-initialise, add sentence by sentence, ask for the score. */
typedef struct Chrf {
    int64_t hypothesis[CHRF_ORDER], reference[CHRF_ORDER], match[CHRF_ORDER];
} Chrf;

void chrf_add(Chrf *chrf, const char *hypothesis, const char *reference);
double chrf_score(const Chrf *chrf); /* 0..100 */

/* "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no": how the number was made. */
const char *chrf_signature(void);

#endif
