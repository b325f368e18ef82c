#include "trace/confidence.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct Penalty {
    double sum;
    int32_t n;
} Penalty;

static double mean(Penalty p)
{
    return p.n > 0 ? p.sum / p.n : NAN;
}

/* What sum p log p, p = value / sum, is made of: the values' sum and that of value log value. NaN
 * once one of them is no weight. */
typedef struct Mass {
    double sum, bits;
} Mass;

static Mass mass_of(float value)
{
    bool is_weight = value > 0 && isfinite(value);
    return is_weight ? (Mass){(double)value, (double)value * log((double)value)} : (Mass){NAN, NAN};
}

static void mass_add(Mass *mass, Mass more)
{
    mass->sum += more.sum;
    mass->bits += more.bits;
}

/* 0 for zeros alone, NaN where there is NaN. */
static double negative_entropy(Mass mass)
{
    return mass.sum == 0 ? 0 : mass.bits / mass.sum - log(mass.sum);
}

static bool is_padding(const GridItem *item)
{
    return (item->flags & TRACE_TOKEN_PADDING) != 0;
}

/* Row by row, as the cells lie: a walk down the columns of a large matrix would fetch memory anew
 * for every cell. */
Confidence confidence_of_grid(const Grid *grid)
{
    Penalty coverage = {0}, out = {0}, in = {0};
    Mass *cols = memory_new((size_t)grid->cols, sizeof *cols);
    for (int32_t i = 0; i < grid->rows; i++) {
        const float *row = grid_row(grid, i);
        Mass mass = {0};
        for (int32_t j = 0; j < grid->cols; j++) {
            if (row[j] == 0)
                continue;
            Mass cell = mass_of(row[j]);
            mass_add(&mass, cell);
            mass_add(&cols[j], cell);
        }
        if (is_padding(&grid->row[i]))
            continue;
        out.sum += negative_entropy(mass);
        out.n++;
    }
    for (int32_t j = 0; j < grid->cols; j++) {
        if (is_padding(&grid->col[j]))
            continue;
        in.sum += negative_entropy(cols[j]);
        in.n++;
        coverage.sum -= log(1 + pow(fabs(1 - cols[j].sum), CONFIDENCE_COVERAGE_POWER));
        coverage.n++;
    }
    free(cols);
    Confidence c = {mean(coverage), mean(out), mean(in), NAN};
    double total = c.coverage_deviation + c.absent_out + c.absent_in;
    c.confidence = exp(-0.05 * total * total);
    return c;
}
