#include <math.h>
#include <string.h>

#include "base/error.h"
#include "grad/ops.h"
#include "math/kernels.h"

/* ---- two inputs; the second may be broadcast ---- */

typedef enum { SAME, ROW, COLUMN } Broadcast;

typedef struct Binary {
    Var *y, *a, *b;
    Broadcast broadcast;
} Binary;

static Broadcast broadcast_of(const char *operation, const Var *a, const Var *b)
{
    if (b->rows == a->rows && b->cols == a->cols)
        return SAME;
    if (b->rows == 1 && b->cols == a->cols)
        return ROW;
    FOVEA_CHECK(b->cols == 1 && b->rows == a->rows, "%s: [%d, %d] with [%d, %d]", operation,
                a->rows, a->cols, b->rows, b->cols);
    return COLUMN;
}

static void save_binary(Tape *tape, Var *y, Var *a, Var *b, Broadcast broadcast,
                        void (*backward)(Tape *, void *))
{
    Binary *saved = tape_record(tape, y, backward, sizeof *saved);
    if (saved)
        *saved = (Binary){y, a, b, broadcast};
}

/* y = a + b:  da += dy, db += dy (summed over the rows that share it). */
static void add_backward(Tape *tape, void *saved)
{
    const Binary *s = saved;
    Real *da = tape_grad(tape, s->a);
    Real *db = tape_grad(tape, s->b);
    size_t d = (size_t)s->y->cols;
    if (da)
        kernels()->add(var_size(s->y), s->y->grad, da);
    if (db)
        for (int i = 0; i < s->y->rows; i++)
            kernels()->add(d, s->y->grad + (size_t)i * d,
                           db + (s->broadcast == ROW ? 0 : (size_t)i * d));
}

Var *op_add(Tape *tape, Var *a, Var *b)
{
    Broadcast broadcast = broadcast_of("op_add", a, b);
    FOVEA_CHECK(broadcast != COLUMN || a->cols == 1, "op_add: a column cannot be added");
    Var *y = tape_new_var(tape, a->rows, a->cols, a->wants_grad || b->wants_grad);
    size_t d = (size_t)a->cols;
    memcpy(y->value, a->value, var_size(a) * sizeof *y->value);
    for (int i = 0; i < a->rows; i++)
        kernels()->add(d, b->value + (broadcast == ROW ? 0 : (size_t)i * d),
                       y->value + (size_t)i * d);
    save_binary(tape, y, a, b, broadcast, add_backward);
    return y;
}

/* y = a - b:  da += dy, db -= dy. */
static void subtract_backward(Tape *tape, void *saved)
{
    const Binary *s = saved;
    Real *da = tape_grad(tape, s->a);
    Real *db = tape_grad(tape, s->b);
    if (da)
        kernels()->add(var_size(s->y), s->y->grad, da);
    if (db)
        kernels()->axpy(var_size(s->y), -1, s->y->grad, db);
}

Var *op_subtract(Tape *tape, Var *a, Var *b)
{
    tape_check_shape("op_subtract", b, a->rows, a->cols);
    Var *y = tape_new_var(tape, a->rows, a->cols, a->wants_grad || b->wants_grad);
    for (size_t i = 0; i < var_size(a); i++)
        y->value[i] = a->value[i] - b->value[i];
    save_binary(tape, y, a, b, SAME, subtract_backward);
    return y;
}

/* y = a o b:  da += dy o b, db += dy o a (summed where b is shared). */
static void multiply_backward(Tape *tape, void *saved)
{
    const Binary *s = saved;
    Real *da = tape_grad(tape, s->a);
    Real *db = tape_grad(tape, s->b);
    size_t d = (size_t)s->y->cols;
    for (int i = 0; i < s->y->rows; i++) {
        const Real *dy = s->y->grad + (size_t)i * d;
        const Real *a = var_row(s->a, i);
        size_t at = s->broadcast == SAME ? (size_t)i * d : s->broadcast == COLUMN ? (size_t)i : 0;
        if (s->broadcast == COLUMN) {
            if (da)
                kernels()->axpy(d, s->b->value[at], dy, da + (size_t)i * d);
            if (db)
                db[at] += kernels()->dot(d, dy, a);
            continue;
        }
        if (da)
            kernels()->multiply_add(d, dy, s->b->value + at, da + (size_t)i * d);
        if (db)
            kernels()->multiply_add(d, dy, a, db + at);
    }
}

Var *op_multiply(Tape *tape, Var *a, Var *b)
{
    Broadcast broadcast = broadcast_of("op_multiply", a, b);
    Var *y = tape_new_var(tape, a->rows, a->cols, a->wants_grad || b->wants_grad);
    size_t d = (size_t)a->cols;
    for (int i = 0; i < a->rows; i++) {
        const Real *x = var_row(a, i);
        Real *out = var_row(y, i);
        if (broadcast == COLUMN)
            for (size_t j = 0; j < d; j++)
                out[j] = x[j] * b->value[i];
        else
            kernels()->multiply(d, x, b->value + (broadcast == SAME ? (size_t)i * d : 0), out);
    }
    save_binary(tape, y, a, b, broadcast, multiply_backward);
    return y;
}

/* ---- one input ---- */

typedef struct Unary {
    Var *y, *x;
    Real factor;
} Unary;

static Var *save_unary(Tape *tape, Var *y, Var *x, Real factor, void (*backward)(Tape *, void *))
{
    Unary *saved = tape_record(tape, y, backward, sizeof *saved);
    if (saved)
        *saved = (Unary){y, x, factor};
    return y;
}

static Var *same_shape(Tape *tape, const Var *x)
{
    return tape_new_var(tape, x->rows, x->cols, x->wants_grad);
}

/* y = c x:  dx += c dy. */
static void scale_backward(Tape *tape, void *saved)
{
    const Unary *s = saved;
    kernels()->axpy(var_size(s->y), s->factor, s->y->grad, tape_grad(tape, s->x));
}

Var *op_scale(Tape *tape, Var *a, Real factor)
{
    Var *y = same_shape(tape, a);
    for (size_t i = 0; i < var_size(a); i++)
        y->value[i] = factor * a->value[i];
    return save_unary(tape, y, a, factor, scale_backward);
}

/* y = exp(x):  dx += dy y. */
static void exp_backward(Tape *tape, void *saved)
{
    const Unary *s = saved;
    kernels()->multiply_add(var_size(s->y), s->y->grad, s->y->value, tape_grad(tape, s->x));
}

Var *op_exp(Tape *tape, Var *a)
{
    Var *y = same_shape(tape, a);
    kernels()->exp(var_size(a), a->value, y->value);
    return save_unary(tape, y, a, 0, exp_backward);
}

/* y = tanh(x):  dx += dy (1 - y^2). */
static void tanh_backward(Tape *tape, void *saved)
{
    const Unary *s = saved;
    Real *dx = tape_grad(tape, s->x);
    for (size_t i = 0; i < var_size(s->y); i++)
        dx[i] += s->y->grad[i] * (1 - s->y->value[i] * s->y->value[i]);
}

Var *op_tanh(Tape *tape, Var *a)
{
    Var *y = same_shape(tape, a);
    kernels()->tanh(var_size(a), a->value, y->value);
    return save_unary(tape, y, a, 0, tanh_backward);
}

/* y = sigmoid(x):  dx += dy y (1 - y). */
static void sigmoid_backward(Tape *tape, void *saved)
{
    const Unary *s = saved;
    Real *dx = tape_grad(tape, s->x);
    for (size_t i = 0; i < var_size(s->y); i++)
        dx[i] += s->y->grad[i] * s->y->value[i] * (1 - s->y->value[i]);
}

Var *op_sigmoid(Tape *tape, Var *a)
{
    Var *y = same_shape(tape, a);
    kernels()->sigmoid(var_size(a), a->value, y->value);
    return save_unary(tape, y, a, 0, sigmoid_backward);
}

/* y = max(x, 0):  dx += dy where y > 0. */
static void relu_backward(Tape *tape, void *saved)
{
    const Unary *s = saved;
    Real *dx = tape_grad(tape, s->x);
    const Real *y = s->y->value, *dy = s->y->grad;
    for (size_t i = 0, n = var_size(s->y); i < n; i++) {
        Real slope = dy[i]; /* read in any case, so that the loop becomes vector code */
        dx[i] += y[i] > 0 ? slope : 0;
    }
}

Var *op_relu(Tape *tape, Var *a)
{
    Var *y = same_shape(tape, a);
    const Real *x = a->value;
    Real *out = y->value;
    for (size_t i = 0, n = var_size(a); i < n; i++)
        out[i] = x[i] < 0 ? 0 : x[i]; /* NaN stays */
    return save_unary(tape, y, a, 0, relu_backward);
}

/* y = x > 0 ? x : exp(x) - 1:  dx += dy (y > 0 ? 1 : y + 1). */
static void elu_backward(Tape *tape, void *saved)
{
    const Unary *s = saved;
    Real *dx = tape_grad(tape, s->x);
    for (size_t i = 0; i < var_size(s->y); i++)
        dx[i] += s->y->grad[i] * (s->y->value[i] > 0 ? 1 : s->y->value[i] + 1);
}

Var *op_elu(Tape *tape, Var *a)
{
    Var *y = same_shape(tape, a);
    kernels()->exp(var_size(a), a->value, y->value);
    for (size_t i = 0; i < var_size(a); i++)
        y->value[i] = a->value[i] > 0 ? a->value[i] : y->value[i] - 1;
    return save_unary(tape, y, a, 0, elu_backward);
}

/* y = |x|:  dx += dy sign(x). */
static void abs_backward(Tape *tape, void *saved)
{
    const Unary *s = saved;
    Real *dx = tape_grad(tape, s->x);
    for (size_t i = 0; i < var_size(s->y); i++)
        dx[i] += s->x->value[i] < 0 ? -s->y->grad[i] : s->x->value[i] > 0 ? s->y->grad[i] : 0;
}

Var *op_abs(Tape *tape, Var *a)
{
    Var *y = same_shape(tape, a);
    for (size_t i = 0; i < var_size(a); i++)
        y->value[i] = a->value[i] < 0 ? -a->value[i] : a->value[i];
    return save_unary(tape, y, a, 0, abs_backward);
}

/* ---- gate ---- */

typedef struct Mix {
    Var *y, *f, *x, *s;
} Mix;

/* y = f x + (1 - f) s:  df += dy (x - s), dx += dy f, ds += dy (1 - f). */
static void mix_backward(Tape *tape, void *saved)
{
    const Mix *m = saved;
    Real *df = tape_grad(tape, m->f), *dx = tape_grad(tape, m->x), *ds = tape_grad(tape, m->s);
    size_t d = (size_t)m->y->cols;
    bool shared = m->f->cols != m->y->cols;
    for (size_t i = 0; i < var_size(m->y); i++) {
        size_t at = shared ? i / d : i;
        Real dy = m->y->grad[i], f = m->f->value[at];
        if (df)
            df[at] += dy * (m->x->value[i] - m->s->value[i]);
        if (dx)
            dx[i] += dy * f;
        if (ds)
            ds[i] += dy * (1 - f);
    }
}

Var *op_mix(Tape *tape, Var *f, Var *x, Var *s)
{
    tape_check_shape("op_mix", s, x->rows, x->cols);
    tape_check_shape("op_mix", f, x->rows, f->cols == 1 ? 1 : x->cols);
    Var *y = tape_new_var(tape, x->rows, x->cols, f->wants_grad || x->wants_grad || s->wants_grad);
    size_t d = (size_t)x->cols;
    bool shared = f->cols != x->cols;
    for (size_t i = 0; i < var_size(x); i++) {
        Real gate = f->value[shared ? i / d : i];
        y->value[i] = gate * x->value[i] + (1 - gate) * s->value[i];
    }
    Mix *saved = tape_record(tape, y, mix_backward, sizeof *saved);
    if (saved)
        *saved = (Mix){y, f, x, s};
    return y;
}

/* ---- dropout ---- */

/* y = x o mask:  dx += dy o mask. Saved as a binary with a constant second input. */
static Var *apply_mask(Tape *tape, Var *x, Var *mask)
{
    return op_multiply(tape, x, mask);
}

static Var *new_mask(Tape *tape, int rows, int cols, Real p, Random *random)
{
    FOVEA_CHECK(p >= 0 && p < 1, "dropout %g", (double)p);
    Var *mask = tape_new_var(tape, rows, cols, false);
    Real keep = 1 / (1 - p);
    uint32_t threshold = (uint32_t)((double)p * 65536.0 + 0.5);
    size_t n = var_size(mask);
    for (size_t i = 0; i < n;) {
        uint64_t bits = random_bits(random); /* four draws of 16 bits */
        for (int j = 0; j < 4 && i < n; j++, i++, bits >>= 16)
            mask->value[i] = (bits & 0xFFFF) < threshold ? 0 : keep;
    }
    return mask;
}

Var *op_dropout(Tape *tape, Var *x, Real p, Random *random)
{
    if (!random || p == 0)
        return x;
    return apply_mask(tape, x, new_mask(tape, x->rows, x->cols, p, random));
}

Var *op_dropout_rows(Tape *tape, Var *x, Real p, Random *random)
{
    if (!random || p == 0)
        return x;
    return apply_mask(tape, x, new_mask(tape, x->rows, 1, p, random));
}
