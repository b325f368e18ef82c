#include "trace/corpus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "trace/measure.h"

#define UNSEEN (TRACE_TOKEN_SPECIAL | TRACE_TOKEN_PADDING)

static int32_t count_tokens(const Trace *trace, const char *name)
{
    int32_t index = trace_find_axis(trace, name);
    if (index < 0)
        return 0;
    const TraceAxis *axis = trace_axis(trace, index);
    int32_t n = 0;
    for (int32_t i = 0; i < axis->len; i++)
        n += !axis->flags || !(axis->flags[i] & UNSEEN);
    return n;
}

static double mean_entropy(const Grid *grid)
{
    double sum = 0;
    int n = 0;
    for (int32_t i = 0; i < grid->rows; i++) {
        MeasureRow row = measure_row(grid, i);
        if (!isfinite(row.entropy) || row.argmax < 0)
            continue;
        sum += row.entropy;
        n++;
    }
    return n > 0 ? sum / n : NAN;
}

static double mean_coverage(const Grid *grid)
{
    double covered = 0;
    int n = 0;
    for (int32_t j = 0; j < grid->cols; j++) {
        if (grid->col[j].flags & UNSEEN)
            continue;
        double received = 0;
        for (int32_t i = 0; i < grid->rows; i++)
            received += (double)grid_get(grid, i, j);
        covered += fmin(1, received);
        n++;
    }
    return n > 0 ? covered / n : NAN;
}

static void measure_attention(const Trace *trace, CorpusLine *line)
{
    const TraceTensor *tensor = trace_find(trace, "attention.weights");
    const int32_t all[TRACE_MAX_RANK] = {GRID_ALL, GRID_ALL, GRID_ALL,
                                         GRID_ALL, GRID_ALL, GRID_ALL};
    Grid grid = {0};
    Error passed_over = {0}; /* a run without a matrix has no such numbers */
    if (!tensor || !grid_init_reduced(&grid, trace, tensor, all, GRID_MEAN, &passed_over))
        return;
    line->entropy = mean_entropy(&grid);
    line->coverage = mean_coverage(&grid);
    grid_deinit(&grid);
}

static void measure_verdict(const Trace *trace, CorpusLine *line)
{
    const TraceClass *best = NULL;
    for (int32_t i = 0; i < trace_n_classes(trace); i++)
        if (!best || trace_class(trace, i)->probability > best->probability)
            best = trace_class(trace, i);
    if (!best)
        return;
    size_t n = strlen(best->label);
    n = n < sizeof line->label ? n : utf8_valid_prefix(best->label, sizeof line->label - 1);
    memcpy(line->label, best->label, n);
    line->score = log(best->probability);
}

CorpusLine corpus_measure(const Trace *trace)
{
    CorpusLine line = {.entropy = NAN, .coverage = NAN, .score = NAN};
    line.n_source = count_tokens(trace, "source");
    if (line.n_source == 0)
        line.n_source = count_tokens(trace, "token");
    line.n_target = count_tokens(trace, "target");
    int32_t n = trace_n_steps(trace);
    if (n > 0)
        line.score = trace_score(trace) / n;
    measure_attention(trace, &line);
    measure_verdict(trace, &line);
    return line;
}

/* ---- adding up ---- */

static void mean_add(CorpusMean *mean, double value)
{
    if (!isfinite(value))
        return;
    mean->sum += value;
    mean->n++;
}

double corpus_mean(const CorpusMean *mean)
{
    return mean->n > 0 ? mean->sum / (double)mean->n : NAN;
}

static void part_add(CorpusPart *part, const CorpusLine *line)
{
    part->n++;
    mean_add(&part->source, line->n_source);
    if (line->n_target > 0)
        mean_add(&part->target, line->n_target);
    mean_add(&part->entropy, line->entropy);
    mean_add(&part->coverage, line->coverage);
    mean_add(&part->score, line->score);
    part->align.n_predicted += line->align.n_predicted;
    part->align.n_sure += line->align.n_sure;
    part->align.n_hit_sure += line->align.n_hit_sure;
    part->align.n_hit_possible += line->align.n_hit_possible;
}

static void bin_add(int64_t *bins, double value, double most)
{
    if (!isfinite(value))
        return;
    int i = (int)(value / most * CORPUS_N_BINS);
    bins[i < 0 ? 0 : i >= CORPUS_N_BINS ? CORPUS_N_BINS - 1 : i]++;
}

static void class_add(Corpus *corpus, const char *label)
{
    if (!*label)
        return;
    int i = 0;
    while (i < corpus->n_classes && strcmp(corpus->classes[i].label, label) != 0)
        i++;
    if (i < CORPUS_MAX_CLASSES && i == corpus->n_classes)
        snprintf(corpus->classes[corpus->n_classes++].label, CORPUS_LABEL_BYTES, "%s", label);
    corpus->classes[i < CORPUS_MAX_CLASSES ? i : CORPUS_MAX_CLASSES].n++;
}

void corpus_add(Corpus *corpus, const CorpusLine *line)
{
    int bucket = line->n_source > 0 ? (line->n_source - 1) / CORPUS_LENGTH_STEP : 0;
    part_add(&corpus->all, line);
    part_add(&corpus->length[bucket < CORPUS_N_LENGTHS ? bucket : CORPUS_N_LENGTHS - 1], line);
    bin_add(corpus->entropy_bins, line->entropy, CORPUS_MOST_ENTROPY);
    bin_add(corpus->coverage_bins, line->coverage, 1);
    class_add(corpus, line->label);
}
