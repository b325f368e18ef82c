#include "nn/normalise.h"

#include <math.h>

#include "math/kernels.h"

#define LAYER_NORM_EPSILON 1e-5

typedef struct LayerNorm {
    Var *y, *x, *gain, *bias;
    Real *unit;    /* [n,d] (x - mean) / deviation */
    Real *inverse; /* [n] 1 / deviation            */
} LayerNorm;

/* u = (x - mean) / s, y = g u + b, with du = dy g:
 *     dg += dy u   db += dy   dx += (du - mean(du) - u mean(du u)) / s */
static void layer_norm_backward(Tape *tape, void *saved)
{
    const LayerNorm *s = saved;
    size_t d = (size_t)s->y->cols;
    Real *dx = tape_grad(tape, s->x);
    Real *dgain = tape_grad(tape, s->gain), *dbias = tape_grad(tape, s->bias);
    Real *du = tape_scratch(tape, d);
    for (int row = 0; row < s->y->rows; row++) {
        const Real *dy = s->y->grad + (size_t)row * d, *u = s->unit + (size_t)row * d;
        if (dgain)
            kernels()->multiply_add(d, dy, u, dgain);
        if (dbias)
            kernels()->add(d, dy, dbias);
        if (!dx)
            continue;
        kernels()->multiply(d, dy, s->gain->value, du);
        Real mean = kernels()->sum(d, du) / (Real)d, along = kernels()->dot(d, du, u) / (Real)d;
        Real *out = dx + (size_t)row * d, inverse = s->inverse[row];
        for (size_t i = 0; i < d; i++)
            out[i] += (du[i] - mean - u[i] * along) * inverse;
    }
}

Var *op_layer_norm(Tape *tape, Var *x, Var *gain, Var *bias)
{
    tape_check_shape("op_layer_norm gain", gain, 1, x->cols);
    tape_check_shape("op_layer_norm bias", bias, 1, x->cols);
    Var *y =
        tape_new_var(tape, x->rows, x->cols, x->wants_grad || gain->wants_grad || bias->wants_grad);
    size_t d = (size_t)x->cols;
    LayerNorm norm = {
        y, x, gain, bias, tape_scratch(tape, var_size(x)), tape_scratch(tape, (size_t)x->rows)};
    for (int row = 0; row < x->rows; row++) {
        const Real *in = var_row(x, row);
        Real *u = norm.unit + (size_t)row * d, *out = var_row(y, row);
        Real mean = kernels()->sum(d, in) / (Real)d;
        for (size_t i = 0; i < d; i++)
            u[i] = in[i] - mean;
        double variance = (double)kernels()->dot(d, u, u) / (double)d;
        Real inverse = norm.inverse[row] = (Real)(1 / sqrt(variance + LAYER_NORM_EPSILON));
        for (size_t i = 0; i < d; i++) {
            u[i] *= inverse;
            out[i] = gain->value[i] * u[i] + bias->value[i];
        }
    }
    LayerNorm *saved = tape_record(tape, y, layer_norm_backward, sizeof *saved);
    if (saved)
        *saved = norm;
    return y;
}
