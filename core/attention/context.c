#include <string.h>

#include "attention/attention.h"
#include "math/kernels.h"

typedef struct Context {
    Var *y, *weights, *values;
    const AttendTo *to;
} Context;

/* c = sum_j a_j v_j:  da_j += dc.v_j, dv_j += a_j dc. */
static void context_backward(Tape *tape, void *saved)
{
    const Context *s = saved;
    Real *da = tape_grad(tape, s->weights), *dv = tape_grad(tape, s->values);
    size_t d = (size_t)s->values->cols;
    for (int q = 0; q < s->y->rows; q++) {
        Span span = attend_span(s->to, q);
        const Real *dc = s->y->grad + (size_t)q * d;
        for (int j = span.low; j < span.high; j++) {
            size_t at = (size_t)q * (size_t)s->weights->cols + (size_t)j;
            int row = attend_row(s->to, q, j);
            if (da)
                da[at] += kernels()->dot(d, dc, var_row(s->values, row));
            if (dv)
                kernels()->axpy(d, s->weights->value[at], dc, dv + (size_t)row * d);
        }
    }
}

Var *op_context(Tape *tape, Var *weights, Var *values, const AttendTo *to)
{
    tape_check_shape("op_context", weights, -1, to->keys->steps);
    tape_check_shape("op_context", values, to->keys->rows, -1);
    Var *y =
        tape_new_var(tape, weights->rows, values->cols, weights->wants_grad || values->wants_grad);
    memset(y->value, 0, var_size(y) * sizeof *y->value);
    for (int q = 0; q < weights->rows; q++) {
        Span span = attend_span(to, q);
        for (int j = span.low; j < span.high; j++)
            kernels()->axpy((size_t)values->cols, var_row(weights, q)[j],
                            var_row(values, attend_row(to, q, j)), var_row(y, q));
    }
    Context *saved = tape_record(tape, y, context_backward, sizeof *saved);
    if (saved)
        *saved = (Context){y, weights, values, to};
    return y;
}
