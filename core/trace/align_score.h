/* align_score.h - word alignments and their error rate.
 *
 * A gold alignment has sure links S and possible links P, S within P. Of a predicted set A
 * (Och and Ney 2003, section 5.1)
 *   precision = |A and P| / |A|,  recall = |A and S| / |S|,
 *   AER = 1 - (|A and S| + |A and P|) / (|A| + |S|),
 * counted over all sentences of a corpus, links as sets (a link twice counts once).
 *
 * A link joins a source token to a target token, both counted from 0.
 *
 * Depends on: grid.
 */
#ifndef FOVEA_TRACE_ALIGN_SCORE_H
#define FOVEA_TRACE_ALIGN_SCORE_H
#include "trace/grid.h"

typedef struct AlignLink {
    int32_t source, target;
    bool possible; /* false: sure */
} AlignLink;

typedef struct AlignLinks {
    AlignLink *at;
    size_t n, capacity;
} AlignLinks;

void align_links_add(AlignLinks *links, AlignLink link);
void align_links_free(AlignLinks *links);

typedef struct AlignScore {
    int64_t n_predicted, n_sure;
    int64_t n_hit_sure, n_hit_possible; /* |A and S|, |A and P| */
} AlignScore;

/* Adds one sentence; whether a predicted link is possible or sure does not matter. */
void align_score_add(AlignScore *score, const AlignLinks *predicted, const AlignLinks *gold);

/* NaN where nothing was counted. */
double align_score_error_rate(const AlignScore *score);
double align_score_precision(const AlignScore *score);
double align_score_recall(const AlignScore *score);

/* The links that a matrix of weights suggests: for every row (target) that is not special
 * or padding the column (source) with most weight, if that is above `threshold`; a special
 * column wins too, and then the row has no link. Items of the axes, not of the grid, are
 * what the links count, so it works on grids with merged words, too: the first piece is
 * meant. Appends to `out`. */
void align_from_grid(const Grid *grid, float threshold, AlignLinks *out);

#endif
