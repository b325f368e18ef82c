#include "trace/measure.h"

#include <math.h>
#include <stdlib.h>

/* ---- rows ---- */

/* The sum, or NaN for a row that is no distribution. */
static double row_sum(const float *row, int32_t n)
{
    double sum = 0;
    for (int32_t j = 0; j < n; j++) {
        if (!(row[j] >= 0) || !isfinite(row[j]))
            return NAN;
        sum += (double)row[j];
    }
    return sum;
}

static double column_scale(const Grid *grid)
{
    bool square = grid->rows == grid->cols || grid->cols < 2;
    return square ? 1 : (double)(grid->rows - 1) / (grid->cols - 1);
}

static double row_distance(const Grid *grid, int32_t i, double sum)
{
    const float *row = grid_row(grid, i);
    double scale = column_scale(grid), total = 0;
    for (int32_t j = 0; j < grid->cols; j++)
        total += (double)row[j] * fabs(j * scale - i);
    return total / sum;
}

static double row_entropy(const float *row, int32_t n, double sum)
{
    double entropy = 0;
    for (int32_t j = 0; j < n; j++) {
        double p = (double)row[j] / sum;
        if (p > 0)
            entropy -= p * log(p);
    }
    return entropy;
}

static int32_t row_argmax(const float *row, int32_t n)
{
    int32_t best = -1;
    for (int32_t j = 0; j < n; j++)
        if (isfinite(row[j]) && (best < 0 || row[j] > row[best]))
            best = j;
    return best;
}

static double special_mass(const Grid *grid, const float *row, double sum)
{
    double mass = 0;
    for (int32_t j = 0; j < grid->cols; j++)
        if (grid->col[j].flags & (TRACE_TOKEN_SPECIAL | TRACE_TOKEN_PADDING))
            mass += (double)row[j];
    return mass / sum;
}

MeasureRow measure_row(const Grid *grid, int32_t i)
{
    const float *row = grid_row(grid, i);
    double sum = row_sum(row, grid->cols);
    int32_t best = row_argmax(row, grid->cols);
    MeasureRow out = {.sum = sum, .argmax = best, .max = best < 0 ? NAN : row[best]};
    if (sum == 0) {
        out.argmax = -1;
        out.effective = 1;
        return out;
    }
    /* A sum of NaN makes the rest NaN too. */
    out.entropy = isnan(sum) ? NAN : row_entropy(row, grid->cols, sum);
    out.effective = exp(out.entropy);
    out.special = special_mass(grid, row, sum);
    out.distance = row_distance(grid, i, sum);
    return out;
}

int32_t measure_top(const Grid *grid, int32_t i, int32_t k, int32_t *out)
{
    const float *row = grid_row(grid, i);
    int32_t n = 0;
    for (int32_t j = 0; j < grid->cols && k > 0; j++) {
        if (!isfinite(row[j]) || (n == k && row[j] <= row[out[n - 1]]))
            continue;
        int32_t place = n < k ? n++ : n - 1;
        for (; place > 0 && row[j] > row[out[place - 1]]; place--)
            out[place] = out[place - 1];
        out[place] = j;
    }
    return n;
}

/* ---- heads ---- */

typedef struct Mean {
    double sum;
    int64_t n;
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
    return mean.n ? mean.sum / (double)mean.n : NAN;
}

static double mass_at(const float *row, int32_t n, int32_t j, double sum)
{
    return j >= 0 && j < n ? (double)row[j] / sum : NAN;
}

/* Mass on the other pieces of the word that item i belongs to, or NaN when it has none. */
static double same_word_mass(const Grid *grid, int32_t i, double sum)
{
    int32_t begin = i, end = i + 1;
    while (begin > 0 && (grid->col[begin].flags & TRACE_TOKEN_CONTINUES))
        begin--;
    while (end < grid->cols && (grid->col[end].flags & TRACE_TOKEN_CONTINUES))
        end++;
    if (end - begin < 2)
        return NAN;
    const float *row = grid_row(grid, i);
    double mass = -(double)row[i];
    for (int32_t j = begin; j < end; j++)
        mass += (double)row[j];
    return mass / sum;
}

/* Sums for a weighted correlation of row and column position. */
typedef struct Moments {
    double w, x, y, xx, yy, xy;
} Moments;

static void moments_add(Moments *m, const Grid *grid, int32_t i, double sum)
{
    const float *row = grid_row(grid, i);
    double x = i;
    for (int32_t j = 0; j < grid->cols; j++) {
        double p = (double)row[j] / sum, y = j;
        m->w += p;
        m->x += p * x;
        m->y += p * y;
        m->xx += p * x * x;
        m->yy += p * y * y;
        m->xy += p * x * y;
    }
}

static double correlation(const Moments *m)
{
    double covariance = m->xy - m->x * m->y / m->w;
    double vx = m->xx - m->x * m->x / m->w, vy = m->yy - m->y * m->y / m->w;
    /* All weight in one column leaves only rounding noise in vy. */
    if (!(vx > 1e-9 * m->xx) || !(vy > 1e-9 * m->yy))
        return 0;
    return covariance / sqrt(vx * vy);
}

typedef struct HeadMeans {
    Mean entropy, effective, distance, self, previous, next, same_word, first, special;
} HeadMeans;

static void add_patterns(HeadMeans *means, const Grid *grid, int32_t i, double sum)
{
    const float *row = grid_row(grid, i);
    mean_add(&means->first, mass_at(row, grid->cols, 0, sum));
    if (grid->rows != grid->cols)
        return;
    mean_add(&means->self, mass_at(row, grid->cols, i, sum));
    mean_add(&means->previous, mass_at(row, grid->cols, i - 1, sum));
    mean_add(&means->next, mass_at(row, grid->cols, i + 1, sum));
    mean_add(&means->same_word, same_word_mass(grid, i, sum));
}

MeasureHead measure_head(const Grid *grid)
{
    HeadMeans means = {0};
    Moments moments = {0};
    for (int32_t i = 0; i < grid->rows; i++) {
        MeasureRow row = measure_row(grid, i);
        if (!(row.sum > 0))
            continue;
        mean_add(&means.entropy, row.entropy);
        mean_add(&means.effective, row.effective);
        mean_add(&means.distance, row.distance);
        mean_add(&means.special, row.special);
        add_patterns(&means, grid, i, row.sum);
        moments_add(&moments, grid, i, row.sum);
    }
    return (MeasureHead){
        .entropy = mean_value(means.entropy),
        .effective = mean_value(means.effective),
        .distance = mean_value(means.distance),
        .self = mean_value(means.self),
        .previous = mean_value(means.previous),
        .next = mean_value(means.next),
        .same_word = mean_value(means.same_word),
        .first = mean_value(means.first),
        .special = mean_value(means.special),
        .diagonal = moments.w > 0 ? correlation(&moments) : NAN,
    };
}

static const struct {
    const char *name;
    size_t offset;
} HEAD[MEASURE_N_HEAD] = {
    {"entropy", offsetof(MeasureHead, entropy)},
    {"effective", offsetof(MeasureHead, effective)},
    {"distance", offsetof(MeasureHead, distance)},
    {"self", offsetof(MeasureHead, self)},
    {"previous", offsetof(MeasureHead, previous)},
    {"next", offsetof(MeasureHead, next)},
    {"same-word", offsetof(MeasureHead, same_word)},
    {"first", offsetof(MeasureHead, first)},
    {"special", offsetof(MeasureHead, special)},
    {"diagonal", offsetof(MeasureHead, diagonal)},
};

const char *measure_head_name(int i)
{
    FOVEA_CHECK(i >= 0 && i < MEASURE_N_HEAD, "measure %d of %d", i, MEASURE_N_HEAD);
    return HEAD[i].name;
}

double measure_head_value(const MeasureHead *head, int i)
{
    FOVEA_CHECK(i >= 0 && i < MEASURE_N_HEAD, "measure %d of %d", i, MEASURE_N_HEAD);
    return *(const double *)((const char *)head + HEAD[i].offset);
}
