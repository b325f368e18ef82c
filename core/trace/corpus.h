/* corpus.h - numbers of many runs: what a report on a file of sentences says.
 *
 * A run gives one CorpusLine; lines are added up in whatever order they come, and the sums
 * are kept by the length of the source, too, because nearly everything about attention
 * depends on it.
 *
 *   entropy    mean over the rows of a run, nats: how sharp
 *   coverage   mean over source tokens of min(1, all the weight they received): how much of
 *              the source was looked at (the penalty of Wu et al. 2016, eq. 14, without the
 *              logarithm, so that one token never seen does not decide everything)
 *   score      log probability a written token, or of the verdict: how sure
 *
 * Special and padding tokens do not count as source or target. What a run does not have is
 * NaN and left out of the means.
 *
 * Depends on: measure, align_score.
 */
#ifndef FOVEA_TRACE_CORPUS_H
#define FOVEA_TRACE_CORPUS_H
#include "trace/align_score.h"

#define CORPUS_N_LENGTHS    8 /* source lengths: 1-5, 6-10, ... 31-35, longer */
#define CORPUS_LENGTH_STEP  5
#define CORPUS_N_BINS       20 /* of the histograms */
#define CORPUS_MAX_CLASSES  16
#define CORPUS_LABEL_BYTES  48
#define CORPUS_MOST_ENTROPY 4.0 /* nats; the last bin holds what is above, too */

typedef struct CorpusLine {
    int32_t n_source, n_target;
    double entropy, coverage, score;
    char label[CORPUS_LABEL_BYTES]; /* the verdict; "" when there is none */
    AlignScore align;               /* all zero without a gold alignment  */
} CorpusLine;

CorpusLine corpus_measure(const Trace *trace);

typedef struct CorpusMean {
    double sum;
    int64_t n;
} CorpusMean;

typedef struct CorpusPart {
    int64_t n;
    CorpusMean source, target, entropy, coverage, score;
    AlignScore align;
} CorpusPart;

typedef struct CorpusClass {
    char label[CORPUS_LABEL_BYTES];
    int64_t n;
} CorpusClass;

/* Zero-initialised is empty. */
typedef struct Corpus {
    CorpusPart all, length[CORPUS_N_LENGTHS];
    int64_t entropy_bins[CORPUS_N_BINS];  /* 0 .. CORPUS_MOST_ENTROPY */
    int64_t coverage_bins[CORPUS_N_BINS]; /* 0 .. 1                   */
    int n_classes; /* the first CORPUS_MAX_CLASSES that came; others count together */
    CorpusClass classes[CORPUS_MAX_CLASSES + 1];
} Corpus;

void corpus_add(Corpus *corpus, const CorpusLine *line);
double corpus_mean(const CorpusMean *mean); /* NaN when there is none */

#endif
