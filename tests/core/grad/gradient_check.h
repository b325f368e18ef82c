/* gradient_check.h - a hand-written backward pass against central differences, in double
 * precision (h = 1e-5, relative error below 1e-6 on every element of every input). */
#ifndef FOVEA_TESTS_GRADIENT_CHECK_H
#define FOVEA_TESTS_GRADIENT_CHECK_H
#include "testing.h"

#include "grad/ops.h"

enum { GRADIENT_MOST_INPUTS = 6 };

typedef struct GradientCase {
    const char *name;                         /* of the operation                         */
    Var *(*build)(Tape *tape, Var *const *x); /* any result; it is weighted and summed     */
    int shape[GRADIENT_MOST_INPUTS][2];       /* of the inputs, ends at rows = 0           */
} GradientCase;

/* loss = sum of fixed pseudo-random weights times the result. */
static Var *gradient_loss(Tape *tape, Var *y)
{
    Var *w = tape_new_var(tape, y->rows, y->cols, false);
    for (size_t i = 0; i < var_size(w); i++)
        w->value[i] = (Real)sin(1.7 * (double)i + 0.3);
    return op_sum(tape, op_multiply(tape, y, w));
}

static double gradient_value(const GradientCase *c, Real data[][256])
{
    Tape *tape = tape_new(NULL, NULL);
    Var *x[GRADIENT_MOST_INPUTS];
    for (int i = 0; i < GRADIENT_MOST_INPUTS && c->shape[i][0]; i++)
        x[i] = tape_input(tape, c->shape[i][0], c->shape[i][1], data[i]);
    double loss = (double)gradient_loss(tape, c->build(tape, x))->value[0];
    tape_free(tape);
    return loss;
}

static void gradient_check(const GradientCase *c, uint64_t seed)
{
    Real data[GRADIENT_MOST_INPUTS][256];
    Random random = random_seed(seed, RANDOM_EXPLORE);
    Tape *tape = tape_new(NULL, NULL);
    Var *x[GRADIENT_MOST_INPUTS];
    int n_inputs = 0;
    for (; n_inputs < GRADIENT_MOST_INPUTS && c->shape[n_inputs][0]; n_inputs++) {
        int n = c->shape[n_inputs][0] * c->shape[n_inputs][1];
        assert_true(n <= 256);
        for (int j = 0; j < n; j++)
            data[n_inputs][j] = (Real)random_normal(&random);
        x[n_inputs] =
            tape_input(tape, c->shape[n_inputs][0], c->shape[n_inputs][1], data[n_inputs]);
    }
    tape_backward(tape, gradient_loss(tape, c->build(tape, x)));
    for (int i = 0; i < n_inputs; i++)
        for (int j = 0; j < c->shape[i][0] * c->shape[i][1]; j++) {
            const Real h = (Real)1e-5;
            Real old = data[i][j];
            data[i][j] = old + h;
            double above = gradient_value(c, data);
            data[i][j] = old - h;
            double below = gradient_value(c, data);
            data[i][j] = old;
            double want = (above - below) / (2 * (double)h);
            double got = x[i]->grad ? (double)x[i]->grad[j] : 0;
            double error = fabs(got - want) / fmax(1, fabs(got) + fabs(want));
            if (!(error < 1e-6))
                fail_msg("%s: input %d element %d: %.9g by hand, %.9g by differences", c->name, i,
                         j, got, want);
        }
    tape_free(tape);
}

#endif
