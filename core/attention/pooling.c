#include "attention/pooling.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/kernels.h"
#include "math/matrix.h"

typedef struct Pool {
    Var *y, *x, *weights;
    Ragged rows;
    bool mean;
    Real *saved;
} Pool;

static void save_pool(Tape *tape, const Pool *pool, void (*backward)(Tape *, void *))
{
    Pool *saved = tape_record(tape, pool->y, backward, sizeof *saved);
    if (saved)
        *saved = *pool;
}

static void check_rows(const char *operation, const Var *x, const Ragged *rows)
{
    FOVEA_CHECK(rows->order == RAGGED_SEQUENCE_MAJOR, "%s: rows must be sequence-major", operation);
    tape_check_shape(operation, x, rows->rows, -1);
}

const int *pool_sequence_of_rows(Tape *tape, const Ragged *rows)
{
    int *sequence = arena_get(tape_arena(tape), (size_t)rows->rows + 1, sizeof *sequence);
    for (int i = 0; i < rows->n; i++)
        for (int t = 0; t < rows->length[i]; t++)
            sequence[rows->start[i] + t] = i;
    return sequence;
}

/* ---- softmax ---- */

/* a = softmax(e) down a column:  de += a (da - sum of a da). */
static void softmax_backward(Tape *tape, void *saved)
{
    const Pool *s = saved;
    size_t r = (size_t)s->y->cols;
    Real *de = tape_grad(tape, s->x), *mean = tape_scratch(tape, r);
    for (int i = 0; i < s->rows.n; i++) {
        size_t first = (size_t)s->rows.start[i] * r, n = (size_t)s->rows.length[i];
        const Real *a = s->y->value + first, *da = s->y->grad + first;
        memset(mean, 0, r * sizeof *mean);
        for (size_t t = 0; t < n; t++)
            kernels()->multiply_add(r, a + t * r, da + t * r, mean);
        for (size_t t = 0; t < n; t++)
            for (size_t k = 0; k < r; k++)
                de[first + t * r + k] += a[t * r + k] * (da[t * r + k] - mean[k]);
    }
}

/* x [n,r] -> softmax down the columns. NaN goes through its column. */
static void column_softmax(size_t n, size_t r, const Real *x, Real *y, Real *max, Real *sum)
{
    memcpy(max, x, r * sizeof *max);
    for (size_t t = 1; t < n; t++)
        for (size_t k = 0; k < r; k++)
            max[k] = x[t * r + k] > max[k] ? x[t * r + k] : max[k];
    memset(sum, 0, r * sizeof *sum);
    for (size_t t = 0; t < n; t++) {
        Real *row = y + t * r;
        for (size_t k = 0; k < r; k++)
            row[k] = x[t * r + k] - max[k];
        kernels()->exp(r, row, row);
        kernels()->add(r, row, sum);
    }
    for (size_t t = 0; t < n; t++)
        for (size_t k = 0; k < r; k++)
            y[t * r + k] /= sum[k];
}

Var *op_pool_softmax(Tape *tape, Var *scores, const Ragged *rows)
{
    check_rows("op_pool_softmax", scores, rows);
    Var *y = tape_new_var(tape, scores->rows, scores->cols, scores->wants_grad);
    size_t r = (size_t)scores->cols;
    Real *max = tape_scratch(tape, 2 * r);
    for (int i = 0; i < rows->n; i++)
        if (rows->length[i] > 0)
            column_softmax((size_t)rows->length[i], r, var_row(scores, rows->start[i]),
                           var_row(y, rows->start[i]), max, max + r);
    save_pool(tape, &(Pool){.y = y, .x = scores, .rows = *rows}, softmax_backward);
    return y;
}

/* ---- sum and mean ---- */

static Real share_of(const Pool *s, int i)
{
    return s->mean && s->rows.length[i] > 0 ? 1 / (Real)s->rows.length[i] : 1;
}

/* y_n = f sum_i x_i:  dx_i += f dy_n, f = 1 or 1 / length. */
static void sum_backward(Tape *tape, void *saved)
{
    const Pool *s = saved;
    size_t d = (size_t)s->y->cols;
    Real *dx = tape_grad(tape, s->x);
    for (int i = 0; i < s->rows.n; i++)
        for (int t = 0; t < s->rows.length[i]; t++)
            kernels()->axpy(d, share_of(s, i), s->y->grad + (size_t)i * d,
                            dx + (size_t)(s->rows.start[i] + t) * d);
}

static Var *pool_sum(Tape *tape, Var *x, const Ragged *rows, bool mean)
{
    check_rows("op_pool_sum", x, rows);
    Var *y = tape_new_var(tape, rows->n, x->cols, x->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    Pool pool = {.y = y, .x = x, .rows = *rows, .mean = mean};
    for (int i = 0; i < rows->n; i++)
        for (int t = 0; t < rows->length[i]; t++)
            kernels()->axpy((size_t)x->cols, share_of(&pool, i), var_row(x, rows->start[i] + t),
                            var_row(y, i));
    save_pool(tape, &pool, sum_backward);
    return y;
}

Var *op_pool_sum(Tape *tape, Var *x, const Ragged *rows)
{
    return pool_sum(tape, x, rows, false);
}

Var *op_pool_mean(Tape *tape, Var *x, const Ragged *rows)
{
    return pool_sum(tape, x, rows, true);
}

/* ---- hops ---- */

/* M = A^T X:  dA += X dM^T, dX += A dM. */
static void product_backward(Tape *tape, void *saved)
{
    const Pool *s = saved;
    int r = s->weights->cols, d = s->x->cols;
    Real *da = tape_grad(tape, s->weights), *dx = tape_grad(tape, s->x);
    for (int i = 0; i < s->rows.n; i++) {
        int n = s->rows.length[i], row = s->rows.start[i];
        const Real *dm = s->y->grad + (size_t)i * (size_t)(r * d);
        if (da)
            matrix_product_nt(n, r, d, var_row(s->x, row), d, dm, d, 1,
                              da + (size_t)row * (size_t)r, r);
        if (dx)
            matrix_product_nn(n, d, r, var_row(s->weights, row), r, dm, d, 1,
                              dx + (size_t)row * (size_t)d, d);
    }
}

Var *op_pool_product(Tape *tape, Var *weights, Var *x, const Ragged *rows)
{
    check_rows("op_pool_product", weights, rows);
    check_rows("op_pool_product", x, rows);
    int r = weights->cols, d = x->cols;
    Var *y = tape_new_var(tape, rows->n, r * d, weights->wants_grad || x->wants_grad);
    for (int i = 0; i < rows->n; i++)
        matrix_product_tn(r, d, rows->length[i], var_row(weights, rows->start[i]), r,
                          var_row(x, rows->start[i]), d, 0, var_row(y, i), d);
    save_pool(tape, &(Pool){.y = y, .x = x, .weights = weights, .rows = *rows}, product_backward);
    return y;
}

/* With A stored as [words, r]: G = A^T A - I, P = sum of G^2:  dA += 4 scale dy A G. */
static void penalty_backward(Tape *tape, void *saved)
{
    const Pool *s = saved;
    int r = s->x->cols;
    Real *da = tape_grad(tape, s->x);
    Real *g = tape_scratch(tape, (size_t)r * (size_t)r);
    for (int i = 0; i < s->rows.n; i++) {
        const Real *slope = s->saved + (size_t)i * (size_t)r * (size_t)r;
        for (int k = 0; k < r * r; k++)
            g[k] = slope[k] * s->y->grad[0];
        matrix_product_nn(s->rows.length[i], r, r, var_row(s->x, s->rows.start[i]), r, g, r, 1,
                          da + (size_t)s->rows.start[i] * (size_t)r, r);
    }
}

Var *op_pool_penalty(Tape *tape, Var *weights, Real scale, const Ragged *rows)
{
    check_rows("op_pool_penalty", weights, rows);
    int r = weights->cols;
    size_t square = (size_t)r * (size_t)r;
    Var *y = tape_new_var(tape, 1, 1, weights->wants_grad);
    Real *slopes = tape_scratch(tape, (size_t)rows->n * square);
    double sum = 0;
    for (int i = 0; i < rows->n; i++) {
        Real *g = slopes + (size_t)i * square;
        const Real *a = var_row(weights, rows->start[i]);
        matrix_product_tn(r, r, rows->length[i], a, r, a, r, 0, g, r);
        for (int k = 0; k < r; k++)
            g[k * r + k] -= 1;
        for (size_t k = 0; k < square; k++) {
            sum += (double)g[k] * (double)g[k];
            g[k] *= 4 * scale;
        }
    }
    y->value[0] = (Real)((double)scale * sum);
    save_pool(tape, &(Pool){.y = y, .x = weights, .rows = *rows, .saved = slopes},
              penalty_backward);
    return y;
}
