#include <math.h>
#include <string.h>

#include "attention/attention.h"
#include "base/error.h"
#include "math/kernels.h"
#include "math/matrix.h"

#define COSINE_EPSILON 1e-8

typedef struct Score {
    Var *y, *q, *keys, *extra;
    const AttendTo *to;
    Real scale;
    Real *saved; /* additive: tanh values; cosine: norms of q and keys */
} Score;

static Var *new_scores(Tape *tape, const Var *q, const Var *keys, const Var *extra,
                       const AttendTo *to)
{
    FOVEA_CHECK(keys->rows == to->keys->rows, "scores: %d keys for a batch of %d", keys->rows,
                to->keys->rows);
    tape_check_shape("scores", keys, -1, q->cols);
    Var *y = tape_new_var(tape, q->rows, to->keys->steps,
                          q->wants_grad || keys->wants_grad || (extra && extra->wants_grad));
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    return y;
}

static void save_score(Tape *tape, const Score *score, void (*backward)(Tape *, void *))
{
    Score *saved = tape_record(tape, score->y, backward, sizeof *saved);
    if (saved)
        *saved = *score;
}

/* ---- additive ---- */

/* e = sum v tanh(q + k), t = tanh(q + k), g = de v (1 - t^2): dq += g, dk += g, dv += de t. */
static void additive_backward(Tape *tape, void *saved)
{
    const Score *s = saved;
    size_t a = (size_t)s->q->cols;
    Real *dq = tape_grad(tape, s->q), *dk = tape_grad(tape, s->keys);
    Real *dv = tape_grad(tape, s->extra);
    const Real *v = s->extra->value;
    Real *g = tape_scratch(tape, a);
    for (int q = 0; q < s->q->rows; q++) {
        Span span = attend_span(s->to, q);
        for (int j = span.low; j < span.high; j++) {
            size_t at = (size_t)q * (size_t)s->y->cols + (size_t)j;
            Real de = s->y->grad[at];
            if (de == 0)
                continue;
            const Real *t = s->saved + at * a;
            for (size_t i = 0; i < a; i++)
                g[i] = de * v[i] * (1 - t[i] * t[i]);
            if (dq)
                kernels()->add(a, g, dq + (size_t)q * a);
            if (dk)
                kernels()->add(a, g, dk + (size_t)attend_row(s->to, q, j) * a);
            if (dv)
                kernels()->axpy(a, de, t, dv);
        }
    }
}

Var *op_score_additive(Tape *tape, Var *q, Var *keys, Var *v, const AttendTo *to)
{
    tape_check_shape("op_score_additive", v, 1, q->cols);
    Var *y = new_scores(tape, q, keys, v, to);
    size_t a = (size_t)q->cols;
    Real *t = y->wants_grad ? tape_scratch(tape, var_size(y) * a) : NULL;
    for (int i = 0; i < q->rows; i++) {
        Span span = attend_span(to, i);
        for (int j = span.low; j < span.high; j++) {
            size_t at = (size_t)i * (size_t)y->cols + (size_t)j;
            y->value[at] =
                kernels()->tanh_dot(a, var_row(q, i), var_row(keys, attend_row(to, i, j)), v->value,
                                    t ? t + at * a : NULL);
        }
    }
    save_score(tape, &(Score){y, q, keys, v, to, 0, t}, additive_backward);
    return y;
}

/* ---- dot ---- */

/* e = c q.k:  dq += c de k, dk += c de q. */
static void dot_backward(Tape *tape, void *saved)
{
    const Score *s = saved;
    size_t a = (size_t)s->q->cols;
    Real *dq = tape_grad(tape, s->q), *dk = tape_grad(tape, s->keys);
    for (int q = 0; q < s->q->rows; q++) {
        Span span = attend_span(s->to, q);
        for (int j = span.low; j < span.high; j++) {
            Real de = s->scale * s->y->grad[(size_t)q * (size_t)s->y->cols + (size_t)j];
            int row = attend_row(s->to, q, j);
            if (dq)
                kernels()->axpy(a, de, var_row(s->keys, row), dq + (size_t)q * a);
            if (dk)
                kernels()->axpy(a, de, var_row(s->q, q), dk + (size_t)row * a);
        }
    }
}

Var *op_score_dot(Tape *tape, Var *q, Var *keys, Real scale, const AttendTo *to)
{
    Var *y = new_scores(tape, q, keys, NULL, to);
    size_t a = (size_t)q->cols;
    for (int i = 0; i < q->rows; i++) {
        Span span = attend_span(to, i);
        Real *e = var_row(y, i);
        for (int j = span.low; j < span.high; j++)
            e[j] = scale * kernels()->dot(a, var_row(q, i), var_row(keys, attend_row(to, i, j)));
    }
    save_score(tape, &(Score){y, q, keys, NULL, to, scale, NULL}, dot_backward);
    return y;
}

/* ---- cosine ---- */

static Real norm(size_t n, const Real *x)
{
    return (Real)sqrt((double)kernels()->dot(n, x, x));
}

/* K = q.k / m, m = max(|q| |k|, eps), e = beta K. Where m is not the bound:
 * dq += beta de (k / m - K q / |q|^2), the same for k with roles exchanged; dbeta += de K. */
static void cosine_backward(Tape *tape, void *saved)
{
    const Score *s = saved;
    size_t a = (size_t)s->q->cols;
    Real *dq = tape_grad(tape, s->q), *dk = tape_grad(tape, s->keys);
    Real *dbeta = tape_grad(tape, s->extra);
    Real beta = s->extra->value[0];
    const Real *q_norm = s->saved, *k_norm = s->saved + s->q->rows;
    for (int q = 0; q < s->q->rows; q++) {
        Span span = attend_span(s->to, q);
        for (int j = span.low; j < span.high; j++) {
            int row = attend_row(s->to, q, j);
            Real de = s->y->grad[(size_t)q * (size_t)s->y->cols + (size_t)j];
            const Real *x = var_row(s->q, q), *k = var_row(s->keys, row);
            Real product = q_norm[q] * k_norm[row];
            bool bounded = product < (Real)COSINE_EPSILON;
            Real m = bounded ? (Real)COSINE_EPSILON : product;
            Real cosine = kernels()->dot(a, x, k) / m;
            if (dbeta)
                dbeta[0] += de * cosine;
            if (dq) {
                kernels()->axpy(a, beta * de / m, k, dq + (size_t)q * a);
                if (!bounded)
                    kernels()->axpy(a, -beta * de * cosine / (q_norm[q] * q_norm[q]), x,
                                    dq + (size_t)q * a);
            }
            if (dk) {
                kernels()->axpy(a, beta * de / m, x, dk + (size_t)row * a);
                if (!bounded)
                    kernels()->axpy(a, -beta * de * cosine / (k_norm[row] * k_norm[row]), k,
                                    dk + (size_t)row * a);
            }
        }
    }
}

Var *op_score_cosine(Tape *tape, Var *q, Var *keys, Var *beta, const AttendTo *to)
{
    tape_check_shape("op_score_cosine", beta, 1, 1);
    Var *y = new_scores(tape, q, keys, beta, to);
    size_t a = (size_t)q->cols;
    Real *q_norm = tape_scratch(tape, (size_t)q->rows + (size_t)keys->rows);
    Real *k_norm = q_norm + q->rows;
    for (int i = 0; i < q->rows; i++)
        q_norm[i] = norm(a, var_row(q, i));
    for (int i = 0; i < keys->rows; i++)
        k_norm[i] = norm(a, var_row(keys, i));
    for (int i = 0; i < q->rows; i++) {
        Span span = attend_span(to, i);
        for (int j = span.low; j < span.high; j++) {
            int row = attend_row(to, i, j);
            Real m = q_norm[i] * k_norm[row];
            m = m < (Real)COSINE_EPSILON ? (Real)COSINE_EPSILON : m;
            var_row(y, i)[j] =
                beta->value[0] * kernels()->dot(a, var_row(q, i), var_row(keys, row)) / m;
        }
    }
    save_score(tape, &(Score){y, q, keys, beta, to, 0, q_norm}, cosine_backward);
    return y;
}

/* ---- location ---- */

/* e_j = logit_j:  dlogit_j += de_j. */
static void location_backward(Tape *tape, void *saved)
{
    const Score *s = saved;
    Real *dl = tape_grad(tape, s->q);
    for (int q = 0; q < s->q->rows; q++) {
        Span span = attend_span(s->to, q);
        for (int j = span.low; j < span.high; j++)
            dl[(size_t)q * (size_t)s->q->cols + (size_t)j] +=
                s->y->grad[(size_t)q * (size_t)s->y->cols + (size_t)j];
    }
}

Var *op_score_location(Tape *tape, Var *logits, const AttendTo *to)
{
    Var *y = tape_new_var(tape, logits->rows, to->keys->steps, logits->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    for (int i = 0; i < logits->rows; i++) {
        Span span = attend_span(to, i);
        FOVEA_CHECK(span.high <= logits->cols, "location scores: %d positions for %d", logits->cols,
                    span.high);
        for (int j = span.low; j < span.high; j++)
            var_row(y, i)[j] = var_row(logits, i)[j];
    }
    save_score(tape, &(Score){y, logits, NULL, NULL, to, 0, NULL}, location_backward);
    return y;
}
