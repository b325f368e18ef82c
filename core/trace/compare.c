#include "trace/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/measure.h"

bool compare_shapes(const Grid *a, const Grid *b, Error *error)
{
    if (a->rows == b->rows && a->cols == b->cols)
        return true;
    return error_set(error, ERROR_INPUT,
                     "the two cannot be compared cell by cell: one is %d x %d, the other %d x %d",
                     a->rows, a->cols, b->rows, b->cols);
}

static int32_t count_other(const GridItem *a, const GridItem *b, int32_t n)
{
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++)
        count += strcmp(a[i].label, b[i].label) != 0;
    return count;
}

int32_t compare_n_other_labels(const Grid *a, const Grid *b)
{
    int32_t rows = a->rows < b->rows ? a->rows : b->rows;
    int32_t cols = a->cols < b->cols ? a->cols : b->cols;
    return count_other(a->row, b->row, rows) + count_other(a->col, b->col, cols) +
           abs(a->rows - b->rows) + abs(a->cols - b->cols);
}

bool compare_difference(const Grid *a, const Grid *b, Grid *out, Error *error)
{
    *out = (Grid){0};
    if (!compare_shapes(a, b, error) || !grid_copy(out, a, error))
        return false;
    size_t n = (size_t)a->rows * (size_t)a->cols;
    for (size_t i = 0; i < n; i++)
        out->data[i] = a->data[i] - b->data[i];
    out->role = TRACE_SCORES; /* no longer weights: negative, and rows sum to zero */
    return true;
}

/* ---- divergences ---- */

/* NaN for what is no distribution. */
static double distribution_sum(const float *p, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        if (!(p[i] >= 0) || !isfinite(p[i]))
            return NAN;
        sum += (double)p[i];
    }
    return sum > 0 ? sum : NAN;
}

static double divergence_term(double p, double mixture)
{
    return p > 0 ? p * log(p / mixture) : 0;
}

double compare_jensen_shannon(const float *p, const float *q, int32_t n)
{
    double p_sum = distribution_sum(p, n), q_sum = distribution_sum(q, n), total = 0;
    if (isnan(p_sum) || isnan(q_sum))
        return NAN;
    for (int32_t i = 0; i < n; i++) {
        double a = (double)p[i] / p_sum, b = (double)q[i] / q_sum, mixture = 0.5 * (a + b);
        total += 0.5 * (divergence_term(a, mixture) + divergence_term(b, mixture));
    }
    return total > 0 ? total : 0; /* rounding may leave -1e-17 */
}

double compare_total_variation(const float *p, const float *q, int32_t n)
{
    double p_sum = distribution_sum(p, n), q_sum = distribution_sum(q, n), total = 0;
    if (isnan(p_sum) || isnan(q_sum))
        return NAN;
    for (int32_t i = 0; i < n; i++)
        total += fabs((double)p[i] / p_sum - (double)q[i] / q_sum);
    return 0.5 * total;
}

/* ---- ranks ---- */

typedef struct Pair {
    float x, y;
} Pair;

static int by_x_then_y(const void *a, const void *b)
{
    const Pair *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->y < q->y ? -1 : p->y > q->y;
}

static bool has_nan(const float *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

static double n_pairs(double n)
{
    return n * (n - 1) / 2;
}

/* Sorts y by merging and returns how many pairs stood in the wrong order. */
static double merge_count(float *y, float *scratch, int32_t n)
{
    if (n < 2)
        return 0;
    int32_t half = n / 2;
    double swaps = merge_count(y, scratch, half) + merge_count(y + half, scratch, n - half);
    int32_t i = 0, j = half, k = 0;
    while (i < half && j < n) {
        if (y[i] <= y[j]) {
            scratch[k++] = y[i++];
        } else {
            swaps += half - i;
            scratch[k++] = y[j++];
        }
    }
    while (i < half)
        scratch[k++] = y[i++];
    memcpy(y, scratch, (size_t)k * sizeof *y);
    return swaps;
}

/* Pairs that are tied within sorted runs; `same` says whether i belongs to the run of i - 1. */
static double tied_pairs(const Pair *pairs, const float *y, int32_t n, int which)
{
    double total = 0;
    for (int32_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n; run++) {
            bool same = which == 0 ? pairs[i + run].x == pairs[i].x
                        : which == 1
                            ? y[i + run] == y[i]
                            : pairs[i + run].x == pairs[i].x && pairs[i + run].y == pairs[i].y;
            if (!same)
                break;
        }
        total += n_pairs(run);
    }
    return total;
}

double compare_kendall(const float *x, const float *y, int32_t n)
{
    if (n < 2 || has_nan(x, n) || has_nan(y, n))
        return NAN;
    Pair *pairs = memory_new((size_t)n, sizeof *pairs);
    float *sorted = memory_new(2 * (size_t)n, sizeof *sorted);
    for (int32_t i = 0; i < n; i++)
        pairs[i] = (Pair){x[i], y[i]};
    qsort(pairs, (size_t)n, sizeof *pairs, by_x_then_y);
    for (int32_t i = 0; i < n; i++)
        sorted[i] = pairs[i].y;
    double swaps = merge_count(sorted, sorted + n, n);
    double all = n_pairs(n), in_x = tied_pairs(pairs, sorted, n, 0);
    double in_y = tied_pairs(pairs, sorted, n, 1), in_both = tied_pairs(pairs, sorted, n, 2);
    free(pairs);
    free(sorted);
    double below = sqrt(all - in_x) * sqrt(all - in_y);
    return below > 0 ? (all - in_x - in_y + in_both - 2 * swaps) / below : NAN;
}

typedef struct Ranked {
    float value;
    int32_t index;
} Ranked;

static int by_value(const void *a, const void *b)
{
    const Ranked *p = a, *q = b;
    return p->value < q->value ? -1 : p->value > q->value;
}

/* Average ranks, from 1. */
static void rank_values(const float *x, int32_t n, Ranked *scratch, double *rank)
{
    for (int32_t i = 0; i < n; i++)
        scratch[i] = (Ranked){x[i], i};
    qsort(scratch, (size_t)n, sizeof *scratch, by_value);
    for (int32_t i = 0, end; i < n; i = end) {
        end = i + 1;
        while (end < n && scratch[end].value == scratch[i].value)
            end++;
        for (int32_t k = i; k < end; k++)
            rank[scratch[k].index] = 0.5 * (i + 1 + end);
    }
}

static double pearson(const double *x, const double *y, int32_t n)
{
    double mean = 0.5 * (n + 1), xx = 0, yy = 0, xy = 0; /* ranks have this mean */
    for (int32_t i = 0; i < n; i++) {
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
        xy += (x[i] - mean) * (y[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

double compare_spearman(const float *x, const float *y, int32_t n)
{
    if (n < 2 || has_nan(x, n) || has_nan(y, n))
        return NAN;
    double *ranks = memory_new(2 * (size_t)n, sizeof *ranks);
    Ranked *scratch = memory_new((size_t)n, sizeof *scratch);
    rank_values(x, n, scratch, ranks);
    rank_values(y, n, scratch, ranks + n);
    double rho = pearson(ranks, ranks + n, n);
    free(ranks);
    free(scratch);
    return rho;
}

/* ---- summary ---- */

static float largest_difference(const Grid *a, const Grid *b)
{
    size_t n = (size_t)a->rows * (size_t)a->cols;
    float largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmaxf(largest, fabsf(b->data[i] - a->data[i]));
    return largest;
}

typedef struct Mean {
    double sum;
    int32_t n;
} Mean;

static void mean_add(Mean *mean, double value)
{
    if (isnan(value))
        return;
    mean->sum += value;
    mean->n++;
}

static double mean_value(Mean mean)
{
    return mean.n ? mean.sum / mean.n : NAN;
}

CompareSummary compare_grids(const Grid *a, const Grid *b)
{
    FOVEA_CHECK(a->rows == b->rows && a->cols == b->cols, "%d x %d against %d x %d", a->rows,
                a->cols, b->rows, b->cols);
    CompareSummary out = {.worst_row = -1, .worst = NAN};
    Mean divergence = {0}, variation = {0}, agreement = {0}, kendall = {0}, spearman = {0};
    for (int32_t i = 0; i < a->rows; i++) {
        const float *p = grid_row(a, i), *q = grid_row(b, i);
        double value = compare_jensen_shannon(p, q, a->cols);
        if (isnan(value))
            continue;
        mean_add(&divergence, value);
        mean_add(&variation, compare_total_variation(p, q, a->cols));
        mean_add(&agreement, measure_row(a, i).argmax == measure_row(b, i).argmax);
        mean_add(&kendall, compare_kendall(p, q, a->cols));
        mean_add(&spearman, compare_spearman(p, q, a->cols));
        if (out.worst_row < 0 || value > out.worst) {
            out.worst_row = i;
            out.worst = value;
        }
    }
    out.jensen_shannon = mean_value(divergence);
    out.total_variation = mean_value(variation);
    out.argmax_agreement = mean_value(agreement);
    out.kendall = mean_value(kendall);
    out.spearman = mean_value(spearman);
    out.n_rows = divergence.n;
    out.largest_difference = largest_difference(a, b);
    return out;
}
