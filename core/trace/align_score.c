#include "trace/align_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void align_links_add(AlignLinks *links, AlignLink link)
{
    links->at = memory_grow(links->at, &links->capacity, links->n + 1, sizeof *links->at);
    links->at[links->n++] = link;
}

void align_links_free(AlignLinks *links)
{
    free(links->at);
    *links = (AlignLinks){0};
}

/* By place, a sure link before a possible one at the same place. */
static int by_place(const void *a, const void *b)
{
    const AlignLink *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (int)x->possible - (int)y->possible;
}

static bool same_place(const AlignLink *a, const AlignLink *b)
{
    return a->source == b->source && a->target == b->target;
}

/* A sorted copy with each place once: sure if it is anywhere sure. */
static AlignLink *as_set(const AlignLinks *links, size_t *n)
{
    AlignLink *set = memory_new(links->n, sizeof *set);
    if (links->n)
        memcpy(set, links->at, links->n * sizeof *set);
    qsort(set, links->n, sizeof *set, by_place);
    *n = 0;
    for (size_t i = 0; i < links->n; i++)
        if (*n == 0 || !same_place(&set[*n - 1], &set[i]))
            set[(*n)++] = set[i];
    return set;
}

void align_score_add(AlignScore *score, const AlignLinks *predicted, const AlignLinks *gold)
{
    size_t n_predicted, n_gold, j = 0;
    AlignLink *a = as_set(predicted, &n_predicted), *g = as_set(gold, &n_gold);
    for (size_t i = 0; i < n_gold; i++)
        score->n_sure += !g[i].possible;
    for (size_t i = 0; i < n_predicted; i++) {
        AlignLink wanted = a[i];
        wanted.possible = false;
        while (j < n_gold && !same_place(&g[j], &wanted) && by_place(&g[j], &wanted) < 0)
            j++;
        if (j == n_gold || !same_place(&g[j], &wanted))
            continue;
        score->n_hit_possible++;
        score->n_hit_sure += !g[j].possible;
    }
    score->n_predicted += (int64_t)n_predicted;
    free(a);
    free(g);
}

static double ratio(int64_t part, int64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

double align_score_error_rate(const AlignScore *score)
{
    return 1 - ratio(score->n_hit_sure + score->n_hit_possible, score->n_predicted + score->n_sure);
}

double align_score_precision(const AlignScore *score)
{
    return ratio(score->n_hit_possible, score->n_predicted);
}

double align_score_recall(const AlignScore *score)
{
    return ratio(score->n_hit_sure, score->n_sure);
}

void align_from_grid(const Grid *grid, float threshold, AlignLinks *out)
{
    const uint8_t special = TRACE_TOKEN_SPECIAL | TRACE_TOKEN_PADDING;
    for (int32_t i = 0; i < grid->rows; i++) {
        const float *row = grid_row(grid, i);
        int32_t best = -1;
        for (int32_t j = 0; j < grid->cols; j++)
            if (isfinite(row[j]) && (best < 0 || row[j] > row[best]))
                best = j;
        if (best < 0 || !(row[best] > threshold) || (grid->row[i].flags & special) ||
            (grid->col[best].flags & special))
            continue;
        align_links_add(out, (AlignLink){grid->col[best].first, grid->row[i].first, false});
    }
}
