#include "attention/feature.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/kernels.h"

#define FEATURE_MOST_EXPONENT 40 /* exp(40)^2 is finite in single precision */

/* Rows of dependents that a head reads: at most two runs, before and behind itself. */
typedef struct Runs {
    int first[2], n[2];
} Runs;

static Runs runs_of(const FeaturePairs *p, int i, int head)
{
    int begin = p->dependents->start[i], end = begin + p->dependents->length[i];
    int place = p->head_place[head], low = begin, high = end;
    while (low < high) { /* the first dependent that does not come before the head */
        int middle = low + (high - low) / 2;
        if (p->dependent_place[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    int behind = low + (low < end && p->dependent_place[low] == place);
    Runs runs = {{begin, behind}, {low - begin, end - behind}};
    if (p->rule == PAIRS_EARLIER)
        runs.n[1] = 0;
    if (p->rule == PAIRS_LATER)
        runs.n[0] = 0;
    return runs;
}

bool feature_pairs_allow(const FeaturePairs *pairs, int head_place, int dependent_place)
{
    switch (pairs->rule) {
    case PAIRS_EARLIER: return dependent_place < head_place;
    case PAIRS_LATER: return dependent_place > head_place;
    case PAIRS_DIFFERENT: break;
    }
    return dependent_place != head_place;
}

long feature_pairs_count(const FeaturePairs *pairs)
{
    long sum = 0;
    for (int i = 0; i < pairs->heads->n; i++)
        for (int j = 0; j < pairs->heads->length[i]; j++) {
            Runs runs = runs_of(pairs, i, pairs->heads->start[i] + j);
            sum += runs.n[0] + runs.n[1];
        }
    return sum;
}

typedef struct Attend {
    Var *y, *a, *b, *x;
    FeaturePairs pairs;
    Real c;
    Real *ea, *eb, *sum; /* [dependents,d], [heads,d], [heads,d] */
} Attend;

/* exp(2 u / c) with the exponent cut to what two factors can hold. */
static void exponentials(size_t n, const Real *u, Real c, Real *out)
{
    const Real most = FEATURE_MOST_EXPONENT;
    for (size_t i = 0; i < n; i++) {
        Real e = 2 * u[i] / c;
        e = e > most ? most : e;
        out[i] = e < -most ? -most : e;
    }
    kernels()->exp(n, out, out);
}

/* ---- backward ---- */

static void attend_backward(Tape *tape, void *saved)
{
    const Attend *s = saved;
    size_t d = (size_t)s->y->cols;
    Real *da = tape_grad(tape, s->a), *db = tape_grad(tape, s->b), *dx = tape_grad(tape, s->x);
    size_t most = var_size(s->a) > var_size(s->b) ? var_size(s->a) : var_size(s->b);
    Real *unwanted = da && db && dx ? NULL : tape_scratch(tape, most);
    if (unwanted)
        memset(unwanted, 0, most * sizeof *unwanted);
    for (int i = 0; i < s->pairs.heads->n; i++)
        for (int j = 0; j < s->pairs.heads->length[i]; j++) {
            int head = s->pairs.heads->start[i] + j;
            Runs runs = runs_of(&s->pairs, i, head);
            size_t row = (size_t)head * d;
            const FeatureQuery query = {s->eb + row, s->sum + row, s->y->value + row,
                                        s->y->grad + row, (db ? db : unwanted) + row};
            for (int run = 0; run < 2; run++) {
                size_t at = (size_t)runs.first[run] * d;
                if (runs.n[run] > 0)
                    kernels()->feature_slopes((size_t)runs.n[run], d, s->c, &query, s->ea + at,
                                              s->x->value + at, (da ? da : unwanted) + at,
                                              (dx ? dx : unwanted) + at);
            }
        }
}

/* ---- forward ---- */

static void attend_head(const Attend *s, int i, int head)
{
    size_t d = (size_t)s->y->cols, row = (size_t)head * d;
    Real *sum = s->sum + row, *weighted = s->y->value + row;
    memset(sum, 0, d * sizeof *sum);
    memset(weighted, 0, d * sizeof *weighted);
    Runs runs = runs_of(&s->pairs, i, head);
    for (int run = 0; run < 2; run++) {
        size_t at = (size_t)runs.first[run] * d;
        if (runs.n[run] > 0)
            kernels()->feature_sums((size_t)runs.n[run], d, s->c, s->ea + at, s->eb + row,
                                    s->x->value + at, sum, weighted);
    }
    if (runs.n[0] + runs.n[1] > 0)
        for (size_t k = 0; k < d; k++)
            weighted[k] /= sum[k];
}

Var *op_feature_attend(Tape *tape, Var *a, Var *b, Var *x, Real c, const FeaturePairs *pairs)
{
    tape_check_shape("op_feature_attend dependents", a, pairs->dependents->rows, x->cols);
    tape_check_shape("op_feature_attend values", x, a->rows, -1);
    tape_check_shape("op_feature_attend heads", b, pairs->heads->rows, a->cols);
    FOVEA_CHECK(pairs->heads->n == pairs->dependents->n, "op_feature_attend: %d and %d sentences",
                pairs->heads->n, pairs->dependents->n);
    FOVEA_CHECK(c > 0 && c <= 20, "op_feature_attend: c is %g", (double)c);
    Var *y = tape_new_var(tape, b->rows, b->cols, a->wants_grad || b->wants_grad || x->wants_grad);
    Attend s = {.y = y, .a = a, .b = b, .x = x, .pairs = *pairs, .c = c};
    s.ea = tape_scratch(tape, var_size(a));
    s.eb = tape_scratch(tape, var_size(b));
    s.sum = tape_scratch(tape, var_size(b));
    exponentials(var_size(a), a->value, c, s.ea);
    exponentials(var_size(b), b->value, c, s.eb);
    for (int i = 0; i < pairs->heads->n; i++)
        for (int j = 0; j < pairs->heads->length[i]; j++)
            attend_head(&s, i, pairs->heads->start[i] + j);
    Attend *saved = tape_record(tape, y, attend_backward, sizeof *saved);
    if (saved)
        *saved = s;
    return y;
}

/* ---- mean ---- */

typedef struct Mean {
    Var *y, *x;
    Ragged rows;
    PairRule rule;
} Mean;

static int n_readable(PairRule rule, int t, int n)
{
    return rule == PAIRS_EARLIER ? t : rule == PAIRS_LATER ? n - 1 - t : n - 1;
}

/* out_t += sum of share_i in_i over the rows i that the rule pairs with t, for one sentence,
 * by running sums in both directions. share NULL: 1. */
static void add_running_sums(size_t n, size_t d, const Real *in, const Real *share, bool before,
                             bool behind, Real *sum, Real *out)
{
    for (int way = 0; way < 2; way++) {
        if (!(way == 0 ? before : behind))
            continue;
        memset(sum, 0, d * sizeof *sum);
        for (size_t k = 0; k < n; k++) {
            size_t t = way == 0 ? k : n - 1 - k;
            kernels()->add(d, sum, out + t * d);
            kernels()->axpy(d, share ? share[t] : 1, in + t * d, sum);
        }
    }
}

static const Real *shares(const Mean *s, int i, Real *share)
{
    for (int t = 0; t < s->rows.length[i]; t++) {
        int n = n_readable(s->rule, t, s->rows.length[i]);
        share[t] = n > 0 ? 1 / (Real)n : 0;
    }
    return share;
}

/* y_t = sum_i x_i / n_t:  dx_i += sum over the t that read i of dy_t / n_t. */
static void mean_backward(Tape *tape, void *saved)
{
    const Mean *s = saved;
    size_t d = (size_t)s->y->cols;
    Real *dx = tape_grad(tape, s->x), *sum = tape_scratch(tape, d);
    Real *share = tape_scratch(tape, (size_t)s->rows.steps);
    for (int i = 0; i < s->rows.n; i++) {
        size_t at = (size_t)s->rows.start[i] * d;
        add_running_sums((size_t)s->rows.length[i], d, s->y->grad + at, shares(s, i, share),
                         s->rule != PAIRS_EARLIER, s->rule != PAIRS_LATER, sum, dx + at);
    }
}

Var *op_feature_mean(Tape *tape, Var *x, const Ragged *rows, PairRule rule)
{
    tape_check_shape("op_feature_mean", x, rows->rows, -1);
    Var *y = tape_new_var(tape, x->rows, x->cols, x->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    size_t d = (size_t)x->cols;
    Mean mean = {y, x, *rows, rule};
    Real *sum = tape_scratch(tape, d), *share = tape_scratch(tape, (size_t)rows->steps);
    for (int i = 0; i < rows->n; i++) {
        size_t n = (size_t)rows->length[i], at = (size_t)rows->start[i] * d;
        add_running_sums(n, d, x->value + at, NULL, rule != PAIRS_LATER, rule != PAIRS_EARLIER, sum,
                         y->value + at);
        shares(&mean, i, share);
        for (size_t t = 0; t < n; t++)
            for (size_t k = 0; k < d; k++)
                y->value[at + t * d + k] *= share[t];
    }
    Mean *saved = tape_record(tape, y, mean_backward, sizeof *saved);
    if (saved)
        *saved = mean;
    return y;
}

/* ---- looking ---- */

/* f = c tanh((a + b) / c) = c - 2 c / (ea eb + 1) of one pair, for all features. */
static void pair_scores(size_t d, Real c, const Real *ea, const Real *eb, Real *out)
{
    for (size_t k = 0; k < d; k++)
        out[k] = c - 2 * c / (ea[k] * eb[k] + 1);
}

FeatureLook *feature_look_begin(Arena *arena, const Var *a, const Var *b, Real c,
                                const FeaturePairs *pairs)
{
    FeatureLook *look = arena_get(arena, 1, sizeof *look);
    *look = (FeatureLook){*pairs,
                          a->cols,
                          c,
                          arena_get(arena, var_size(a), sizeof(Real)),
                          arena_get(arena, var_size(b), sizeof(Real)),
                          arena_get(arena, (size_t)a->cols, sizeof(Real))};
    exponentials(var_size(a), a->value, c, look->ea);
    exponentials(var_size(b), b->value, c, look->eb);
    return look;
}

void feature_look(const FeatureLook *look, int i, int head, Real *weights, Real *scores)
{
    const FeaturePairs *p = &look->pairs;
    size_t d = (size_t)look->d, n = 0;
    int m = p->dependents->length[i], first = p->dependents->start[i];
    memset(look->sum, 0, d * sizeof *look->sum);
    for (int j = 0; j < m; j++) {
        Real *f = scores + (size_t)j * d, *e = weights + (size_t)j * d;
        if (!feature_pairs_allow(p, p->head_place[head], p->dependent_place[first + j])) {
            for (size_t k = 0; k < d; k++) {
                f[k] = (Real)NAN;
                e[k] = 0;
            }
            continue;
        }
        pair_scores(d, look->c, look->ea + (size_t)(first + j) * d, look->eb + (size_t)head * d, f);
        kernels()->exp(d, f, e);
        kernels()->add(d, e, look->sum);
        n++;
    }
    for (size_t at = 0; n > 0 && at < (size_t)m * d; at++)
        weights[at] /= look->sum[at % d];
}
