#include <string.h>

#include "base/error.h"
#include "base/half.h"
#include "grad/ops.h"
#include "math/kernels.h"
#include "math/matrix.h"

/* ---- linear ---- */

typedef struct Linear {
    Var *y, *x, *w, *b;
} Linear;

/* y = x w^T + b:  dx += dy w, dw += dy^T x, db += sum of rows of dy. */
static void linear_backward(Tape *tape, void *saved)
{
    const Linear *s = saved;
    int n = s->x->rows, k = s->x->cols, d = s->w->rows;
    const Real *dy = s->y->grad;
    bool is_fresh;
    Real *dx = tape_grad_or_fresh(tape, s->x, &is_fresh);
    Real *dw = tape_grad(tape, s->w);
    Real *db = s->b ? tape_grad(tape, s->b) : NULL;
    if (dx)
        matrix_product_nn(n, k, d, dy, d, s->w->value, k, is_fresh ? 0 : 1, dx, k);
    if (dw)
        matrix_product_tn(d, k, n, dy, d, s->x->value, k, 1, dw, k);
    if (db)
        for (int i = 0; i < n; i++)
            kernels()->add((size_t)d, dy + (size_t)i * (size_t)d, db);
}

Var *op_linear(Tape *tape, Var *x, Var *w, Var *b)
{
    tape_check_shape("op_linear", w, -1, x->cols);
    if (b)
        tape_check_shape("op_linear", b, 1, w->rows);
    int n = x->rows, k = x->cols, d = w->rows;
    Var *y = tape_new_var(tape, n, d, x->wants_grad || w->wants_grad || (b && b->wants_grad));
    if (b)
        for (int i = 0; i < n; i++)
            memcpy(var_row(y, i), b->value, (size_t)d * sizeof *b->value);
    matrix_product_weights(n, d, k, x->value, k, var_weights(w), b ? 1 : 0, y->value, d);
    Linear *saved = tape_record(tape, y, linear_backward, sizeof *saved);
    if (saved)
        *saved = (Linear){y, x, w, b};
    return y;
}

/* ---- parts side by side or on top of each other ---- */

typedef struct Parts {
    Var *y;
    int n;
    Var **part;
} Parts;

static Var **copy_parts(Tape *tape, int n, Var *const *parts)
{
    Var **copy = arena_get(tape_arena(tape), (size_t)n, sizeof(Var *));
    memcpy(copy, parts, (size_t)n * sizeof(Var *));
    return copy;
}

/* y = [p_1, p_2, ...]:  dp_i += its columns of dy. */
static void concat_backward(Tape *tape, void *saved)
{
    const Parts *s = saved;
    size_t d = (size_t)s->y->cols, at = 0;
    for (int i = 0; i < s->n; i++) {
        size_t width = (size_t)s->part[i]->cols;
        Real *dp = tape_grad(tape, s->part[i]);
        for (int row = 0; dp && row < s->y->rows; row++)
            kernels()->add(width, s->y->grad + (size_t)row * d + at, dp + (size_t)row * width);
        at += width;
    }
}

Var *op_concat(Tape *tape, int n_parts, Var *const *parts)
{
    int cols = 0;
    bool wants_grad = false;
    for (int i = 0; i < n_parts; i++) {
        tape_check_shape("op_concat", parts[i], parts[0]->rows, -1);
        cols += parts[i]->cols;
        wants_grad = wants_grad || parts[i]->wants_grad;
    }
    Var *y = tape_new_var(tape, parts[0]->rows, cols, wants_grad);
    for (int row = 0; row < y->rows; row++) {
        Real *out = var_row(y, row);
        for (int i = 0; i < n_parts; i++) {
            memcpy(out, var_row(parts[i], row), (size_t)parts[i]->cols * sizeof *out);
            out += parts[i]->cols;
        }
    }
    Parts *saved = tape_record(tape, y, concat_backward, sizeof *saved);
    if (saved)
        *saved = (Parts){y, n_parts, copy_parts(tape, n_parts, parts)};
    return y;
}

/* y = [p_1; p_2; ...]:  dp_i += its rows of dy. */
static void stack_backward(Tape *tape, void *saved)
{
    const Parts *s = saved;
    const Real *dy = s->y->grad;
    for (int i = 0; i < s->n; i++) {
        Real *dp = tape_grad(tape, s->part[i]);
        if (dp)
            kernels()->add(var_size(s->part[i]), dy, dp);
        dy += var_size(s->part[i]);
    }
}

Var *op_stack(Tape *tape, int n_parts, Var *const *parts)
{
    int rows = 0;
    bool wants_grad = false;
    for (int i = 0; i < n_parts; i++) {
        tape_check_shape("op_stack", parts[i], -1, parts[0]->cols);
        rows += parts[i]->rows;
        wants_grad = wants_grad || parts[i]->wants_grad;
    }
    Var *y = tape_new_var(tape, rows, parts[0]->cols, wants_grad);
    Real *out = y->value;
    for (int i = 0; i < n_parts; i++) {
        memcpy(out, parts[i]->value, var_size(parts[i]) * sizeof *out);
        out += var_size(parts[i]);
    }
    Parts *saved = tape_record(tape, y, stack_backward, sizeof *saved);
    if (saved)
        *saved = (Parts){y, n_parts, copy_parts(tape, n_parts, parts)};
    return y;
}

/* ---- a range of columns or rows ---- */

typedef struct Slice {
    Var *y, *x;
    int begin;
} Slice;

static Var *save_slice(Tape *tape, Var *y, Var *x, int begin, void (*backward)(Tape *, void *))
{
    Slice *saved = tape_record(tape, y, backward, sizeof *saved);
    if (saved)
        *saved = (Slice){y, x, begin};
    return y;
}

/* y = x[:, begin:end]:  those columns of dx += dy. */
static void slice_backward(Tape *tape, void *saved)
{
    const Slice *s = saved;
    Real *dx = tape_grad(tape, s->x);
    size_t d = (size_t)s->y->cols;
    for (int i = 0; i < s->y->rows; i++)
        kernels()->add(d, s->y->grad + (size_t)i * d,
                       dx + (size_t)i * (size_t)s->x->cols + s->begin);
}

Var *op_slice(Tape *tape, Var *x, int begin, int end)
{
    FOVEA_CHECK(0 <= begin && begin <= end && end <= x->cols, "op_slice: columns %d to %d of %d",
                begin, end, x->cols);
    Var *y = tape_new_var(tape, x->rows, end - begin, x->wants_grad);
    for (int i = 0; i < x->rows; i++)
        memcpy(var_row(y, i), var_row(x, i) + begin, (size_t)y->cols * sizeof *y->value);
    return save_slice(tape, y, x, begin, slice_backward);
}

/* y = x[begin:end, :]:  those rows of dx += dy. */
static void slice_rows_backward(Tape *tape, void *saved)
{
    const Slice *s = saved;
    kernels()->add(var_size(s->y), s->y->grad,
                   tape_grad(tape, s->x) + (size_t)s->begin * (size_t)s->x->cols);
}

Var *op_slice_rows(Tape *tape, Var *x, int begin, int end)
{
    FOVEA_CHECK(0 <= begin && begin <= end && end <= x->rows, "op_slice_rows: %d to %d of %d",
                begin, end, x->rows);
    Var *y = tape_new_var(tape, end - begin, x->cols, x->wants_grad);
    memcpy(y->value, var_row(x, begin), var_size(y) * sizeof *y->value);
    return save_slice(tape, y, x, begin, slice_rows_backward);
}

static void reshape_backward(Tape *tape, void *saved)
{
    const Slice *s = saved;
    kernels()->add(var_size(s->y), s->y->grad, tape_grad(tape, s->x));
}

Var *op_reshape(Tape *tape, Var *x, int rows, int cols)
{
    FOVEA_CHECK((size_t)rows * (size_t)cols == var_size(x), "op_reshape: [%d, %d] to [%d, %d]",
                x->rows, x->cols, rows, cols);
    Var *y = tape_new_var(tape, rows, cols, x->wants_grad);
    memcpy(y->value, x->value, var_size(x) * sizeof *y->value);
    return save_slice(tape, y, x, 0, reshape_backward);
}

/* ---- gather ---- */

typedef struct Gather {
    Var *y, *x;
    const int *index;
} Gather;

/* y_i = x_index(i):  dx_index(i) += dy_i. */
static void gather_backward(Tape *tape, void *saved)
{
    const Gather *s = saved;
    Real *dx = tape_grad(tape, s->x);
    size_t d = (size_t)s->x->cols;
    for (int i = 0; i < s->y->rows; i++)
        if (s->index[i] >= 0)
            kernels()->add(d, s->y->grad + (size_t)i * d, dx + (size_t)s->index[i] * d);
}

/* Row `row` of x, which may be in half precision. */
static void copy_row(const Var *x, int row, Real *out)
{
    if (!x->half) {
        memcpy(out, var_row(x, row), (size_t)x->cols * sizeof *out);
        return;
    }
    const uint16_t *half = x->half + (size_t)row * (size_t)x->cols;
#ifdef FOVEA_DOUBLE
    for (int j = 0; j < x->cols; j++)
        out[j] = (Real)half_f16_to_f32(half[j]);
#else
    half_read_f16(half, (size_t)x->cols, out);
#endif
}

Var *op_gather(Tape *tape, Var *x, int n, const int *index)
{
    Var *y = tape_new_var(tape, n, x->cols, x->wants_grad);
    for (int i = 0; i < n; i++) {
        FOVEA_CHECK(index[i] >= -1 && index[i] < x->rows, "op_gather: row %d of %d", index[i],
                    x->rows);
        if (index[i] >= 0)
            copy_row(x, index[i], var_row(y, i));
        else
            memset(var_row(y, i), 0, (size_t)x->cols * sizeof *y->value);
    }
    Gather *saved = tape_record(tape, y, gather_backward, sizeof *saved);
    if (saved) {
        int *copy = arena_get(tape_arena(tape), (size_t)n, sizeof *copy);
        memcpy(copy, index, (size_t)n * sizeof *copy);
        *saved = (Gather){y, x, copy};
    }
    return y;
}

/* ---- reductions ---- */

typedef struct Reduce {
    Var *y, *x;
} Reduce;

static Var *save_reduce(Tape *tape, Var *y, Var *x, void (*backward)(Tape *, void *))
{
    Reduce *saved = tape_record(tape, y, backward, sizeof *saved);
    if (saved)
        *saved = (Reduce){y, x};
    return y;
}

static void sum_backward(Tape *tape, void *saved)
{
    const Reduce *s = saved;
    Real *dx = tape_grad(tape, s->x);
    for (size_t i = 0; i < var_size(s->x); i++)
        dx[i] += s->y->grad[0];
}

Var *op_sum(Tape *tape, Var *x)
{
    Var *y = tape_new_var(tape, 1, 1, x->wants_grad);
    y->value[0] = kernels()->sum(var_size(x), x->value);
    return save_reduce(tape, y, x, sum_backward);
}

/* y = (1/n) sum of rows:  every row of dx += dy / n. */
static void mean_rows_backward(Tape *tape, void *saved)
{
    const Reduce *s = saved;
    Real *dx = tape_grad(tape, s->x);
    size_t d = (size_t)s->x->cols;
    for (int i = 0; i < s->x->rows; i++)
        kernels()->axpy(d, (Real)1 / (Real)s->x->rows, s->y->grad, dx + (size_t)i * d);
}

Var *op_mean_rows(Tape *tape, Var *x)
{
    Var *y = tape_new_var(tape, 1, x->cols, x->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    for (int i = 0; i < x->rows; i++)
        kernels()->axpy((size_t)x->cols, (Real)1 / (Real)x->rows, var_row(x, i), y->value);
    return save_reduce(tape, y, x, mean_rows_backward);
}

/* y_i = sum_j x_ij:  dx_ij += dy_i. */
static void sum_columns_backward(Tape *tape, void *saved)
{
    const Reduce *s = saved;
    Real *dx = tape_grad(tape, s->x);
    size_t d = (size_t)s->x->cols;
    for (size_t i = 0; i < var_size(s->x); i++)
        dx[i] += s->y->grad[i / d];
}

Var *op_sum_columns(Tape *tape, Var *x)
{
    Var *y = tape_new_var(tape, x->rows, 1, x->wants_grad);
    for (int i = 0; i < x->rows; i++)
        y->value[i] = kernels()->sum((size_t)x->cols, var_row(x, i));
    return save_reduce(tape, y, x, sum_columns_backward);
}

typedef struct WeightedSum {
    Var *y;
    int n;
    Var **x;
    Real *weight;
} WeightedSum;

static void weighted_sum_backward(Tape *tape, void *saved)
{
    const WeightedSum *s = saved;
    for (int i = 0; i < s->n; i++) {
        Real *dx = tape_grad(tape, s->x[i]);
        if (dx)
            dx[0] += s->weight[i] * s->y->grad[0];
    }
}

Var *op_weighted_sum(Tape *tape, int n, Var *const *x, const Real *weights)
{
    bool wants_grad = false;
    Real sum = 0;
    for (int i = 0; i < n; i++) {
        tape_check_shape("op_weighted_sum", x[i], 1, 1);
        wants_grad = wants_grad || x[i]->wants_grad;
        sum += weights[i] * x[i]->value[0];
    }
    Var *y = tape_new_var(tape, 1, 1, wants_grad);
    y->value[0] = sum;
    WeightedSum *saved = tape_record(tape, y, weighted_sum_backward, sizeof *saved);
    if (saved) {
        Real *copy = tape_scratch(tape, (size_t)n);
        memcpy(copy, weights, (size_t)n * sizeof *copy);
        *saved = (WeightedSum){y, n, copy_parts(tape, n, x), copy};
    }
    return y;
}
