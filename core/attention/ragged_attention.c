#include "attention/ragged_attention.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/kernels.h"

typedef struct Pooled {
    Var *y, *weights, *values;
    Ragged batch;
    int *from; /* maximum: [n,d] rows of the largest values, -1: none */
} Pooled;

static void check_rows(const char *operation, const Var *x, const Ragged *batch)
{
    FOVEA_CHECK(x->rows == batch->rows, "%s: %d rows for a batch of %d", operation, x->rows,
                batch->rows);
}

static void save_pooled(Tape *tape, const Pooled *pooled, void (*backward)(Tape *, void *))
{
    Pooled *saved = tape_record(tape, pooled->y, backward, sizeof *saved);
    if (saved)
        *saved = *pooled;
}

static bool is_kept(const unsigned char *keep, int row)
{
    return !keep || keep[row];
}

/* ---- weights ---- */

/* a = softmax(e):  de_j += a_j (da_j - sum_k a_k da_k). Hidden items have a = 0. */
static void softmax_backward(Tape *tape, void *saved)
{
    const Pooled *s = saved;
    Real *de = tape_grad(tape, s->values);
    const Real *a = s->y->value, *da = s->y->grad;
    for (int i = 0; i < s->batch.n; i++) {
        Real mean = 0;
        for (int t = 0; t < s->batch.length[i]; t++) {
            int row = ragged_row(&s->batch, i, t);
            mean += a[row] * da[row];
        }
        for (int t = 0; t < s->batch.length[i]; t++) {
            int row = ragged_row(&s->batch, i, t);
            de[row] += a[row] * (da[row] - mean);
        }
    }
}

/* The largest kept score of sequence i; -infinity when none is kept; NaN if any is. */
static Real largest_score(const Real *e, const unsigned char *keep, const Ragged *batch, int i)
{
    Real max = -(Real)INFINITY;
    for (int t = 0; t < batch->length[i]; t++) {
        int row = ragged_row(batch, i, t);
        if (is_kept(keep, row) && (e[row] > max || e[row] != e[row]))
            max = e[row];
    }
    return max;
}

Var *op_ragged_softmax(Tape *tape, Var *scores, const unsigned char *keep, const Ragged *batch)
{
    check_rows("op_ragged_softmax", scores, batch);
    tape_check_shape("op_ragged_softmax", scores, -1, 1);
    Var *y = tape_new_var(tape, scores->rows, 1, scores->wants_grad);
    const Real hidden = -(Real)INFINITY;
    Real *max = tape_scratch(tape, (size_t)batch->n), *sum = tape_scratch(tape, (size_t)batch->n);
    for (int i = 0; i < batch->n; i++) {
        max[i] = largest_score(scores->value, keep, batch, i);
        sum[i] = 0;
        for (int t = 0; t < batch->length[i]; t++) {
            int row = ragged_row(batch, i, t);
            bool seen = is_kept(keep, row) && max[i] != hidden;
            y->value[row] = seen ? scores->value[row] - max[i] : hidden;
        }
    }
    kernels()->exp((size_t)batch->rows, y->value, y->value);
    for (int i = 0; i < batch->n; i++) {
        for (int t = 0; t < batch->length[i]; t++)
            sum[i] += y->value[ragged_row(batch, i, t)];
        for (int t = 0; sum[i] != 0 && t < batch->length[i]; t++)
            y->value[ragged_row(batch, i, t)] /= sum[i];
    }
    save_pooled(tape, &(Pooled){y, NULL, scores, *batch, NULL}, softmax_backward);
    return y;
}

Var *ragged_uniform(Tape *tape, const unsigned char *keep, const Ragged *batch)
{
    Var *y = tape_zeros(tape, batch->rows, 1);
    for (int i = 0; i < batch->n; i++) {
        int n = 0;
        for (int t = 0; t < batch->length[i]; t++)
            n += is_kept(keep, ragged_row(batch, i, t));
        for (int t = 0; t < batch->length[i]; t++) {
            int row = ragged_row(batch, i, t);
            y->value[row] = is_kept(keep, row) ? (Real)1 / (Real)n : 0;
        }
    }
    return y;
}

/* ---- sum ---- */

/* s = sum_j a_j h_j:  da_j += ds.h_j, dh_j += a_j ds. */
static void sum_backward(Tape *tape, void *saved)
{
    const Pooled *s = saved;
    Real *da = tape_grad(tape, s->weights), *dh = tape_grad(tape, s->values);
    size_t d = (size_t)s->values->cols;
    for (int i = 0; i < s->batch.n; i++) {
        const Real *ds = s->y->grad + (size_t)i * d;
        for (int t = 0; t < s->batch.length[i]; t++) {
            int row = ragged_row(&s->batch, i, t);
            if (da)
                da[row] += kernels()->dot(d, ds, var_row(s->values, row));
            if (dh)
                kernels()->axpy(d, s->weights->value[row], ds, dh + (size_t)row * d);
        }
    }
}

Var *op_ragged_context(Tape *tape, Var *weights, Var *values, const Ragged *batch)
{
    check_rows("op_ragged_context", values, batch);
    tape_check_shape("op_ragged_context", weights, batch->rows, 1);
    size_t d = (size_t)values->cols;
    Var *y = tape_new_var(tape, batch->n, values->cols, weights->wants_grad || values->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    for (int i = 0; i < batch->n; i++)
        for (int t = 0; t < batch->length[i]; t++) {
            int row = ragged_row(batch, i, t);
            if (weights->value[row] != 0)
                kernels()->axpy(d, weights->value[row], var_row(values, row), var_row(y, i));
        }
    save_pooled(tape, &(Pooled){y, weights, values, *batch, NULL}, sum_backward);
    return y;
}

/* ---- maximum ---- */

/* s_d = h_jd, j = argmax:  dh_jd += ds_d. */
static void max_backward(Tape *tape, void *saved)
{
    const Pooled *s = saved;
    Real *dh = tape_grad(tape, s->values);
    size_t d = (size_t)s->values->cols;
    for (size_t at = 0; at < var_size(s->y); at++)
        if (s->from[at] >= 0)
            dh[(size_t)s->from[at] * d + at % d] += s->y->grad[at];
}

static void take_larger(size_t d, const Real *h, int row, Real *y, int *from)
{
    for (size_t j = 0; j < d; j++)
        if (from[j] < 0 || h[j] > y[j]) {
            y[j] = h[j];
            from[j] = row;
        }
}

Var *op_ragged_max(Tape *tape, Var *values, const unsigned char *keep, const Ragged *batch)
{
    check_rows("op_ragged_max", values, batch);
    size_t d = (size_t)values->cols;
    Var *y = tape_new_var(tape, batch->n, values->cols, values->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    int *from = arena_get(tape_arena(tape), var_size(y), sizeof *from);
    for (size_t i = 0; i < var_size(y); i++)
        from[i] = -1;
    for (int i = 0; i < batch->n; i++)
        for (int t = 0; t < batch->length[i]; t++) {
            int row = ragged_row(batch, i, t);
            if (is_kept(keep, row))
                take_larger(d, var_row(values, row), row, var_row(y, i), from + (size_t)i * d);
        }
    save_pooled(tape, &(Pooled){y, NULL, values, *batch, from}, max_backward);
    return y;
}
