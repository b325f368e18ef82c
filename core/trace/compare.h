/* compare.h - two attention matrices against each other, and rank correlations.
 *
 * For the Compare view (two models, two sentences, before and after a change) and for the
 * scripts that ask whether two heads, or attention and some other importance, agree.
 *
 * Rows are taken as distributions (divided by their sums). A row that is none, because it
 * holds NaN, an infinity, a negative value or only zeros, compares as NaN and means pass
 * over it. Divergences are in nats: Jensen-Shannon lies in [0, log 2], total variation in
 * [0, 1].
 *
 * Depends on: grid.
 */
#ifndef FOVEA_TRACE_COMPARE_H
#define FOVEA_TRACE_COMPARE_H
#include "trace/grid.h"

/* Equally many rows and columns; otherwise an error that names both shapes. */
bool compare_shapes(const Grid *a, const Grid *b, Error *error) FOVEA_MUST_USE;

/* How many rows and columns carry different labels: the two may be about different words. */
int32_t compare_n_other_labels(const Grid *a, const Grid *b);

/* out = a - b, with a's labels. */
bool compare_difference(const Grid *a, const Grid *b, Grid *out, Error *error) FOVEA_MUST_USE;

/* Of distributions p, q of length n, not necessarily normalised. */
double compare_jensen_shannon(const float *p, const float *q, int32_t n);
double compare_total_variation(const float *p, const float *q, int32_t n);

/* Rank correlations of x and y; NaN when one of them is constant, shorter than 2 or holds a
 * NaN. Kendall's tau-b corrects for ties (Kendall 1945; computed as by Knight 1966 in
 * n log n); Spearman's rho is Pearson's r of the average ranks. */
double compare_kendall(const float *x, const float *y, int32_t n);
double compare_spearman(const float *x, const float *y, int32_t n);

typedef struct CompareSummary {
    double jensen_shannon, total_variation; /* means over the rows that could be compared */
    double argmax_agreement;                /* part of those rows, 0..1                   */
    double kendall, spearman;               /* means over the rows that have one          */
    int32_t n_rows;                         /* how many could be compared                 */
    int32_t worst_row;                      /* of the largest divergence; -1: none        */
    double worst;                           /* its Jensen-Shannon                         */
    float largest_difference;               /* of any two cells                           */
} CompareSummary;

CompareSummary compare_grids(const Grid *a, const Grid *b); /* of equal shape */

#endif
