#include <math.h>
#include <string.h>

#include "attention/attention.h"
#include "base/error.h"
#include "math/kernels.h"

typedef struct Align {
    Var *y, *x, *centre;
    const AttendTo *to;
    Real parameter; /* temperature or sigma */
} Align;

static void save_align(Tape *tape, const Align *align, void (*backward)(Tape *, void *))
{
    Align *saved = tape_record(tape, align->y, backward, sizeof *saved);
    if (saved)
        *saved = *align;
}

/* ---- softmax ---- */

/* a = softmax(e / T):  de += a (da - sum_j a_j da_j) / T. Hidden items have a = 0. */
static void softmax_backward(Tape *tape, void *saved)
{
    const Align *s = saved;
    Real *de = tape_grad(tape, s->x);
    size_t cols = (size_t)s->y->cols;
    for (int q = 0; q < s->y->rows; q++) {
        Span span = attend_span(s->to, q);
        size_t n = (size_t)(span.high - span.low), at = (size_t)q * cols + (size_t)span.low;
        const Real *a = s->y->value + at, *da = s->y->grad + at;
        Real mean = kernels()->dot(n, a, da);
        for (size_t j = 0; j < n; j++)
            de[at + j] += a[j] * (da[j] - mean) / s->parameter;
    }
}

/* exp((x - max) / T) over the visible items of one row, 0 for hidden ones; returns their
 * sum (0: none visible). */
static Real exponentials(const AttendTo *to, int q, Span span, const Real *x, Real temperature,
                         Real *y)
{
    const Real hidden = -(Real)INFINITY;
    Real max = hidden;
    for (int j = span.low; j < span.high; j++) {
        y[j] = attend_sees(to, q, j) ? x[j] : hidden;
        if (y[j] > max || y[j] != y[j])
            max = y[j];
    }
    size_t n = (size_t)(span.high - span.low);
    if (max == hidden) {
        memset(y + span.low, 0, n * sizeof *y);
        return 0;
    }
    for (int j = span.low; j < span.high; j++)
        y[j] = (y[j] - max) / temperature;
    return kernels()->exp_sum(n, y + span.low, 0, y + span.low);
}

Var *op_align_softmax(Tape *tape, Var *scores, Real temperature, const AttendTo *to)
{
    FOVEA_CHECK(temperature > 0, "softmax temperature %g", (double)temperature);
    Var *y = tape_new_var(tape, scores->rows, scores->cols, scores->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    for (int q = 0; q < scores->rows; q++) {
        Span span = attend_span(to, q);
        Real *row = var_row(y, q);
        Real sum = exponentials(to, q, span, var_row(scores, q), temperature, row);
        for (int j = span.low; sum != 0 && j < span.high; j++)
            row[j] /= sum;
    }
    save_align(tape, &(Align){y, scores, NULL, to, temperature}, softmax_backward);
    return y;
}

/* ---- Gaussian ---- */

/* y = a g, g = exp(-(j - p)^2 / 2 s^2):  da += dy g, dp += dy y (j - p) / s^2. */
static void gaussian_backward(Tape *tape, void *saved)
{
    const Align *s = saved;
    Real *da = tape_grad(tape, s->x), *dp = tape_grad(tape, s->centre);
    Real variance = s->parameter * s->parameter;
    for (int q = 0; q < s->y->rows; q++) {
        Span span = attend_span(s->to, q);
        for (int j = span.low; j < span.high; j++) {
            size_t at = (size_t)q * (size_t)s->y->cols + (size_t)j;
            Real distance = (Real)j - s->centre->value[q];
            if (da)
                da[at] +=
                    s->y->grad[at] * (Real)exp(-(double)(distance * distance / (2 * variance)));
            if (dp)
                dp[q] += s->y->grad[at] * s->y->value[at] * distance / variance;
        }
    }
}

Var *op_align_gaussian(Tape *tape, Var *weights, Var *centre, Real sigma, const AttendTo *to)
{
    FOVEA_CHECK(sigma > 0, "Gaussian of width %g", (double)sigma);
    tape_check_shape("op_align_gaussian", centre, weights->rows, 1);
    Var *y =
        tape_new_var(tape, weights->rows, weights->cols, weights->wants_grad || centre->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    for (int q = 0; q < weights->rows; q++) {
        Span span = attend_span(to, q);
        for (int j = span.low; j < span.high; j++) {
            double z = ((double)j - (double)centre->value[q]) / (double)sigma;
            var_row(y, q)[j] = var_row(weights, q)[j] * (Real)exp(-z * z / 2);
        }
    }
    save_align(tape, &(Align){y, weights, centre, to, sigma}, gaussian_backward);
    return y;
}

/* ---- hard choices ---- */

int align_sample(const Real *weights, int n, double u)
{
    double cumulative = 0;
    int last = -1;
    for (int j = 0; j < n; j++) {
        if (!(weights[j] > 0))
            continue;
        last = j;
        cumulative += (double)weights[j];
        if (cumulative > u)
            return j;
    }
    return last;
}

int align_argmax(const Real *weights, int n)
{
    int best = -1;
    for (int j = 0; j < n; j++)
        if (weights[j] > 0 && (best < 0 || weights[j] > weights[best]))
            best = j;
    return best;
}

/* ---- policy gradient terms ---- */

typedef struct Policy {
    Var *loss, *weights;
    Real *slope;
} Policy;

static void policy_backward(Tape *tape, void *saved)
{
    const Policy *s = saved;
    kernels()->axpy(var_size(s->weights), s->loss->grad[0], s->slope, tape_grad(tape, s->weights));
}

static Var *policy_loss(Tape *tape, Var *weights, double value, Real *slope)
{
    Var *loss = tape_new_var(tape, 1, 1, weights->wants_grad);
    loss->value[0] = (Real)value;
    Policy *saved = tape_record(tape, loss, policy_backward, sizeof *saved);
    if (saved)
        *saved = (Policy){loss, weights, slope};
    return loss;
}

static Real *zeroed_slope(Tape *tape, const Var *x)
{
    return arena_get_zeroed(tape_arena(tape), var_size(x), sizeof(Real));
}

/* L = c sum w log a_chosen:  da_chosen += c w / a_chosen. */
Var *op_log_chosen(Tape *tape, Var *weights, const int *chosen, const Real *weight, Real scale)
{
    const Real least = (Real)1e-30; /* a chosen weight is never 0; guards rounding */
    Real *slope = zeroed_slope(tape, weights);
    double sum = 0;
    for (int q = 0; q < weights->rows; q++) {
        if (chosen[q] < 0)
            continue;
        size_t at = (size_t)q * (size_t)weights->cols + (size_t)chosen[q];
        Real a = weights->value[at] > least ? weights->value[at] : least;
        Real w = scale * (weight ? weight[q] : 1);
        sum += (double)w * log((double)a);
        slope[at] = w / a;
    }
    return policy_loss(tape, weights, sum, slope);
}

/* L = c sum_q w_q H(a_q):  da_j += -c w (log a_j + 1), 0 where a_j is 0. */
Var *op_entropy(Tape *tape, Var *weights, const Real *weight, Real scale)
{
    Real *slope = zeroed_slope(tape, weights);
    double sum = 0;
    for (size_t i = 0; i < var_size(weights); i++) {
        double a = (double)weights->value[i];
        double w = (double)scale * (weight ? (double)weight[i / (size_t)weights->cols] : 1);
        if (a <= 0)
            continue;
        sum -= w * a * log(a);
        slope[i] = (Real)(-w * (log(a) + 1));
    }
    return policy_loss(tape, weights, sum, slope);
}
