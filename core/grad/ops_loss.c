#include <math.h>
#include <string.h>

#include "base/error.h"
#include "grad/ops.h"
#include "math/kernels.h"

/* ---- softmax cross-entropy ---- */

typedef struct CrossEntropySaved {
    Var *loss, *logits;
    const int *target;
    const Real *weight; /* of each row, scale included */
    const Real *log_z;  /* log of the sum of exponentials */
    Real smoothing;
} CrossEntropySaved;

/* loss = sum_i w_i (-sum_v q_v log p_v), p = softmax(logits), q = (1-s) onehot + s/V:
 * dlogits_i += w_i (p - q). */
static void cross_entropy_backward(Tape *tape, void *saved)
{
    const CrossEntropySaved *s = saved;
    bool is_fresh;
    Real *dx = tape_grad_or_fresh(tape, s->logits, &is_fresh);
    size_t v = (size_t)s->logits->cols;
    Real *scratch = tape_scratch(tape, v);
    for (int i = 0; i < s->logits->rows; i++) {
        int target = s->target[i];
        Real w = s->weight[i] * s->loss->grad[0];
        Real *row = dx + (size_t)i * v;
        Real *p = is_fresh ? row : scratch;
        if (target < 0 || w == 0) {
            if (is_fresh)
                memset(row, 0, v * sizeof *row);
            continue;
        }
        kernels()->exp_sum(v, var_row(s->logits, i), s->log_z[i], p);
        Real base = s->smoothing / (Real)v;
        for (size_t j = 0; j < v; j++)
            p[j] = w * (p[j] - base);
        p[target] -= w * (1 - s->smoothing);
        if (!is_fresh)
            kernels()->add(v, p, row);
    }
}

/* Fills one row's numbers; returns its loss with smoothing. *is_best: nothing is larger. */
static double cross_entropy_row(const Real *logits, int v, int target, Real smoothing, Real *log_z,
                                Real *nll, bool *is_best, Real *scratch)
{
    Real max = kernels()->max((size_t)v, logits);
    *is_best = logits[target] >= max;
    Real sum = kernels()->exp_sum((size_t)v, logits, max, scratch);
    *log_z = max + (Real)log((double)sum);
    *nll = *log_z - logits[target];
    if (smoothing == 0)
        return (double)*nll;
    double mean = (double)kernels()->sum((size_t)v, logits) / v;
    return (1 - (double)smoothing) * (double)*nll + (double)smoothing * ((double)*log_z - mean);
}

CrossEntropy op_cross_entropy(Tape *tape, Var *logits, const int *target, const Real *weight,
                              Real smoothing, Real scale)
{
    int n = logits->rows, v = logits->cols;
    Real *log_z = tape_scratch(tape, (size_t)n);
    Real *nll = tape_scratch(tape, (size_t)n);
    Real *scratch = tape_scratch(tape, (size_t)v);
    Real *row_weight = tape_scratch(tape, (size_t)n);
    CrossEntropy result = {.nll = nll};
    double total = 0;
    for (int i = 0; i < n; i++) {
        FOVEA_CHECK(target[i] < v, "op_cross_entropy: target %d of %d", target[i], v);
        nll[i] = log_z[i] = 0;
        row_weight[i] = scale * (weight ? weight[i] : 1);
        if (target[i] < 0)
            continue;
        const Real *row = var_row(logits, i);
        bool is_best;
        total += (double)row_weight[i] * cross_entropy_row(row, v, target[i], smoothing, &log_z[i],
                                                           &nll[i], &is_best, scratch);
        result.sum_nll += (double)nll[i];
        result.n_counted++;
        result.n_correct += is_best;
    }
    result.loss = tape_new_var(tape, 1, 1, logits->wants_grad);
    result.loss->value[0] = (Real)total;
    CrossEntropySaved *saved =
        tape_record(tape, result.loss, cross_entropy_backward, sizeof *saved);
    if (saved) {
        int *copy = arena_get(tape_arena(tape), (size_t)n, sizeof *copy);
        memcpy(copy, target, (size_t)n * sizeof *copy);
        *saved = (CrossEntropySaved){result.loss, logits, copy, row_weight, log_z, smoothing};
    }
    return result;
}

/* ---- squared error ---- */

typedef struct Squared {
    Var *loss, *x;
    const Real *slope; /* d loss / d x */
} Squared;

static void slope_backward(Tape *tape, void *saved)
{
    const Squared *s = saved;
    kernels()->axpy(var_size(s->x), s->loss->grad[0], s->slope, tape_grad(tape, s->x));
}

/* A [1,1] loss whose gradient in x is already known when it is computed. */
static Var *loss_with_slope(Tape *tape, Var *x, double value, const Real *slope)
{
    Var *loss = tape_new_var(tape, 1, 1, x->wants_grad);
    loss->value[0] = (Real)value;
    Squared *saved = tape_record(tape, loss, slope_backward, sizeof *saved);
    if (saved)
        *saved = (Squared){loss, x, slope};
    return loss;
}

/* loss = c sum w (x - t)^2:  dx += 2 c w (x - t). */
Var *op_squared_error(Tape *tape, Var *x, const Real *target, const Real *weight, Real scale)
{
    size_t n = var_size(x);
    Real *slope = tape_scratch(tape, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        Real w = scale * (weight ? weight[i] : 1);
        Real e = x->value[i] - target[i];
        slope[i] = 2 * w * e;
        sum += (double)(w * e * e);
    }
    return loss_with_slope(tape, x, sum, slope);
}

/* loss = c sum w log sigmoid(+-a) = -c sum w softplus(-+a):  da += c w (z - sigmoid(a)). */
Var *op_bernoulli_log(Tape *tape, Var *logits, const unsigned char *z, const Real *weight,
                      Real scale)
{
    size_t n = var_size(logits);
    Real *slope = tape_scratch(tape, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double a = (double)logits->value[i];
        double w = (double)scale * (weight ? (double)weight[i] : 1);
        double signed_logit = z[i] ? a : -a;
        /* log sigmoid(s) without overflow */
        sum += w * (signed_logit < 0 ? signed_logit - log1p(exp(signed_logit))
                                     : -log1p(exp(-signed_logit)));
        slope[i] = (Real)(w * ((z[i] ? 1 : 0) - 1 / (1 + exp(-a))));
    }
    return loss_with_slope(tape, logits, sum, slope);
}

/* H(a) = log(1 + exp(a)) - a sigmoid(a):  da += c (-a sigmoid(a) (1 - sigmoid(a))). */
Var *op_bernoulli_entropy(Tape *tape, Var *logits, Real scale)
{
    size_t n = var_size(logits);
    Real *slope = tape_scratch(tape, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double a = (double)logits->value[i], p = 1 / (1 + exp(-a));
        sum += (double)scale * ((a > 0 ? a : 0) + log1p(exp(-fabs(a))) - a * p);
        slope[i] = (Real)((double)scale * -a * p * (1 - p));
    }
    return loss_with_slope(tape, logits, sum, slope);
}
