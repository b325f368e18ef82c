#include "gradient_check.h"

#include <string.h>

static Var *add(Tape *t, Var *const *x)
{
    return op_add(t, x[0], x[1]);
}
static Var *subtract(Tape *t, Var *const *x)
{
    return op_subtract(t, x[0], x[1]);
}
static Var *multiply(Tape *t, Var *const *x)
{
    return op_multiply(t, x[0], x[1]);
}
static Var *square_itself(Tape *t, Var *const *x)
{
    return op_multiply(t, x[0], x[0]);
}
static Var *scale(Tape *t, Var *const *x)
{
    return op_scale(t, x[0], (Real)-1.5);
}
static Var *exponential(Tape *t, Var *const *x)
{
    return op_exp(t, x[0]);
}
static Var *hyperbolic(Tape *t, Var *const *x)
{
    return op_tanh(t, x[0]);
}
static Var *sigmoid(Tape *t, Var *const *x)
{
    return op_sigmoid(t, x[0]);
}
static Var *relu(Tape *t, Var *const *x)
{
    return op_relu(t, x[0]);
}
static Var *elu(Tape *t, Var *const *x)
{
    return op_elu(t, x[0]);
}
static Var *absolute(Tape *t, Var *const *x)
{
    return op_abs(t, x[0]);
}
static Var *mix(Tape *t, Var *const *x)
{
    return op_mix(t, x[0], x[1], x[2]);
}
static Var *linear(Tape *t, Var *const *x)
{
    return op_linear(t, x[0], x[1], x[2]);
}
static Var *linear_without_bias(Tape *t, Var *const *x)
{
    return op_linear(t, x[0], x[1], NULL);
}
static Var *concat(Tape *t, Var *const *x)
{
    return op_concat(t, 3, x);
}
static Var *slice(Tape *t, Var *const *x)
{
    return op_slice(t, x[0], 1, 3);
}
static Var *stack(Tape *t, Var *const *x)
{
    return op_stack(t, 2, x);
}
static Var *slice_rows(Tape *t, Var *const *x)
{
    return op_slice_rows(t, x[0], 1, 3);
}
static Var *gather(Tape *t, Var *const *x)
{
    const int index[] = {2, -1, 0, 2, 1};
    return op_gather(t, x[0], 5, index);
}
static Var *reshape(Tape *t, Var *const *x)
{
    return op_reshape(t, x[0], 2, 6);
}
static Var *sum(Tape *t, Var *const *x)
{
    return op_sum(t, op_multiply(t, x[0], x[0]));
}
static Var *mean_rows(Tape *t, Var *const *x)
{
    return op_mean_rows(t, x[0]);
}
static Var *sum_columns(Tape *t, Var *const *x)
{
    return op_sum_columns(t, x[0]);
}
static Var *weighted_sum(Tape *t, Var *const *x)
{
    const Real weights[] = {2, (Real)-0.5};
    return op_weighted_sum(t, 2, x, weights);
}
static Var *dropout(Tape *t, Var *const *x)
{
    Random random = random_seed(9, RANDOM_DROPOUT);
    return op_dropout(t, x[0], (Real)0.4, &random);
}
static Var *dropout_rows(Tape *t, Var *const *x)
{
    Random random = random_seed(9, RANDOM_DROPOUT);
    return op_dropout_rows(t, x[0], (Real)0.4, &random);
}
static Var *cross_entropy(Tape *t, Var *const *x)
{
    const int target[] = {1, -1, 4, 0};
    return op_cross_entropy(t, x[0], target, NULL, 0, (Real)0.5).loss;
}
static Var *smoothed_weighted_cross_entropy(Tape *t, Var *const *x)
{
    const int target[] = {1, -1, 4, 0};
    const Real weight[] = {1, 2, (Real)0.3, 0};
    return op_cross_entropy(t, x[0], target, weight, (Real)0.1, (Real)0.5).loss;
}
static Var *squared_error(Tape *t, Var *const *x)
{
    const Real target[] = {1, 0, -1, 2};
    const Real weight[] = {1, 2, 0, (Real)0.5};
    return op_squared_error(t, x[0], target, weight, (Real)0.7);
}
static Var *bernoulli_log(Tape *t, Var *const *x)
{
    const unsigned char z[] = {1, 0, 1, 0};
    const Real weight[] = {1, 2, 0, (Real)-0.5};
    return op_bernoulli_log(t, x[0], z, weight, (Real)0.7);
}

static Var *bernoulli_entropy(Tape *t, Var *const *x)
{
    return op_bernoulli_entropy(t, x[0], (Real)0.7);
}

static const GradientCase cases[] = {
    {"op_add", add, {{3, 4}, {3, 4}}},
    {"op_add of a row", add, {{3, 4}, {1, 4}}},
    {"op_subtract", subtract, {{3, 4}, {3, 4}}},
    {"op_multiply", multiply, {{3, 4}, {3, 4}}},
    {"op_multiply by a row", multiply, {{3, 4}, {1, 4}}},
    {"op_multiply by a column", multiply, {{3, 4}, {3, 1}}},
    {"op_multiply by itself", square_itself, {{3, 4}}},
    {"op_scale", scale, {{3, 4}}},
    {"op_exp", exponential, {{3, 4}}},
    {"op_tanh", hyperbolic, {{3, 4}}},
    {"op_sigmoid", sigmoid, {{3, 4}}},
    {"op_relu", relu, {{3, 4}}},
    {"op_elu", elu, {{3, 4}}},
    {"op_abs", absolute, {{3, 4}}},
    {"op_mix", mix, {{3, 4}, {3, 4}, {3, 4}}},
    {"op_mix with one gate a row", mix, {{3, 1}, {3, 4}, {3, 4}}},
    {"op_linear", linear, {{3, 4}, {5, 4}, {1, 5}}},
    {"op_linear of many rows", linear, {{17, 4}, {5, 4}, {1, 5}}},
    {"op_linear without bias", linear_without_bias, {{1, 4}, {5, 4}}},
    {"op_concat", concat, {{3, 2}, {3, 1}, {3, 4}}},
    {"op_slice", slice, {{3, 4}}},
    {"op_stack", stack, {{3, 2}, {1, 2}}},
    {"op_slice_rows", slice_rows, {{4, 3}}},
    {"op_gather", gather, {{3, 4}}},
    {"op_reshape", reshape, {{3, 4}}},
    {"op_sum", sum, {{3, 4}}},
    {"op_mean_rows", mean_rows, {{3, 4}}},
    {"op_sum_columns", sum_columns, {{3, 4}}},
    {"op_weighted_sum", weighted_sum, {{1, 1}, {1, 1}}},
    {"op_dropout", dropout, {{3, 4}}},
    {"op_dropout_rows", dropout_rows, {{6, 2}}},
    {"op_cross_entropy", cross_entropy, {{4, 5}}},
    {"op_cross_entropy smoothed", smoothed_weighted_cross_entropy, {{4, 5}}},
    {"op_squared_error", squared_error, {{4, 1}}},
    {"op_bernoulli_log", bernoulli_log, {{4, 1}}},
    {"op_bernoulli_entropy", bernoulli_entropy, {{4, 2}}},
};

static void gradients_agree_with_central_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            gradient_check(&cases[i], seed);
}

static void nothing_flows_through_a_detached_value(void **state)
{
    (void)state;
    Tape *tape = tape_new(NULL, NULL);
    const Real data[] = {1, 2};
    Var *x = tape_input(tape, 1, 2, data);
    tape_backward(tape, op_sum(tape, op_add(tape, op_tanh(tape, tape_detach(tape, x)), x)));
    assert_true(x->grad[0] == 1 && x->grad[1] == 1);
    tape_free(tape);
}

static void dropout_keeps_the_expectation(void **state)
{
    (void)state;
    Tape *tape = tape_new_inference(NULL);
    Random random = random_seed(4, RANDOM_DROPOUT);
    Var *ones = tape_zeros(tape, 100, 1000);
    for (size_t i = 0; i < var_size(ones); i++)
        ones->value[i] = 1;
    Var *y = op_dropout(tape, ones, (Real)0.3, &random);
    double sum = 0;
    for (size_t i = 0; i < var_size(y); i++)
        sum += (double)y->value[i];
    assert_close(sum / 1e5, 1, 4 * sqrt(0.3 / 0.7 / 1e5));
    assert_ptr_equal(op_dropout(tape, ones, (Real)0.3, NULL), ones);
    tape_free(tape);
}

static void an_inference_tape_computes_the_same_values_and_keeps_nothing(void **state)
{
    (void)state;
    const Real a[] = {1, -2, 3, 4, 5, -6}, w[] = {1, 0, 2, -1, 1, (Real)0.5};
    Tape *tapes[2] = {tape_new(NULL, NULL), tape_new_inference(NULL)};
    Real values[2][4];
    for (int i = 0; i < 2; i++) {
        Var *y = op_tanh(tapes[i], op_linear(tapes[i], tape_input(tapes[i], 2, 3, a),
                                             tape_constant(tapes[i], 2, 3, w), NULL));
        assert_int_equal(y->wants_grad, i == 0);
        memcpy(values[i], y->value, sizeof values[i]);
        tape_free(tapes[i]);
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_central_differences),
        cmocka_unit_test(nothing_flows_through_a_detached_value),
        cmocka_unit_test(dropout_keeps_the_expectation),
        cmocka_unit_test(an_inference_tape_computes_the_same_values_and_keeps_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
