#include "trace/confidence.h"

#include <math.h>

typedef struct Penalty {
    double sum;
    int32_t n;
} Penalty;

static double mean(Penalty p)
{
    return p.n > 0 ? p.sum / p.n : NAN;
}

/* sum p log p of the n values that lie `stride` apart, p = value / their sum; 0 for zeros. */
static double negative_entropy(const float *values, int32_t n, size_t stride, double *sum)
{
    double total = 0, out = 0;
    *sum = 0;
    for (int32_t i = 0; i < n; i++) {
        double value = (double)values[(size_t)i * stride];
        if (!(value >= 0) || !isfinite(value))
            return *sum = NAN;
        total += value;
    }
    for (int32_t i = 0; i < n && total > 0; i++) {
        double p = (double)values[(size_t)i * stride] / total;
        out += p > 0 ? p * log(p) : 0;
    }
    *sum = total;
    return out;
}

static bool is_padding(const GridItem *item)
{
    return (item->flags & TRACE_TOKEN_PADDING) != 0;
}

Confidence confidence_of_grid(const Grid *grid)
{
    Penalty coverage = {0}, out = {0}, in = {0};
    for (int32_t i = 0; i < grid->rows; i++) {
        double sum;
        if (is_padding(&grid->row[i]))
            continue;
        out.sum += negative_entropy(grid_row(grid, i), grid->cols, 1, &sum);
        out.n++;
    }
    for (int32_t j = 0; j < grid->cols; j++) {
        double sum;
        if (is_padding(&grid->col[j]))
            continue;
        in.sum += negative_entropy(grid->data + j, grid->rows, (size_t)grid->cols, &sum);
        in.n++;
        coverage.sum -= log(1 + pow(fabs(1 - sum), CONFIDENCE_COVERAGE_POWER));
        coverage.n++;
    }
    Confidence c = {mean(coverage), mean(out), mean(in), NAN};
    double total = c.coverage_deviation + c.absent_out + c.absent_in;
    c.confidence = exp(-0.05 * total * total);
    return c;
}
