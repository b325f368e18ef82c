#include "core/grad/gradient_check.h"

#include "nn/normalise.h"
#include "nn/positions.h"

static Var *layer_norm(Tape *t, Var *const *x)
{
    return op_layer_norm(t, x[0], x[1], x[2]);
}

static const GradientCase cases[] = {
    {"op_layer_norm", layer_norm, {{4, 5}, {1, 5}, {1, 5}}},
    {"op_layer_norm of one row", layer_norm, {{1, 8}, {1, 8}, {1, 8}}},
};

static void gradients_agree_with_central_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            gradient_check(&cases[i], seed);
}

static void rows_have_mean_zero_and_variance_one_whatever_their_scale(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    Var *x = tape_zeros(t, 2, 6), *gain = tape_zeros(t, 1, 6);
    for (int i = 0; i < 6; i++) {
        var_row(x, 0)[i] = i;
        var_row(x, 1)[i] = 1000 * i - 77;
        gain->value[i] = 1;
    }
    Var *y = op_layer_norm(t, x, gain, tape_zeros(t, 1, 6));
    double sum = 0, square = 0;
    for (int i = 0; i < 6; i++) {
        sum += (double)y->value[i];
        square += (double)(y->value[i] * y->value[i]);
        assert_close(var_row(y, 0)[i], var_row(y, 1)[i], 1e-5);
    }
    assert_close(sum, 0, 1e-12);
    assert_close(square / 6, 1, 1e-5);
    tape_free(t);
}

static void a_constant_row_gives_the_bias(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    const Real same[] = {3, 3, 3}, gain[] = {2, 2, 2}, bias[] = {1, -1, 5};
    Var *y = op_layer_norm(t, tape_constant(t, 1, 3, same), tape_constant(t, 1, 3, gain),
                           tape_constant(t, 1, 3, bias));
    for (int i = 0; i < 3; i++)
        assert_true(y->value[i] == bias[i]);
    assert_int_equal(
        op_layer_norm(t, tape_zeros(t, 0, 3), tape_zeros(t, 1, 3), tape_zeros(t, 1, 3))->rows, 0);
    tape_free(t);
}

static void positions_follow_the_formula_and_each_sequence_starts_anew(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    const int lengths[] = {3, 1, 2};
    Ragged rows = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 3, lengths);
    Var *p = position_rows(t, &rows, 0, 5);
    for (int k = 0; k < 5; k++) {
        double angle = 2 / pow(10000, (k - k % 2) / 5.0);
        assert_close(var_row(p, 2)[k], k % 2 ? cos(angle) : sin(angle), 1e-15);
        assert_true(var_row(p, 3)[k] == (k % 2 ? 1 : 0));
        assert_true(var_row(p, 1)[k] == var_row(p, 5)[k]);
        assert_true(var_row(position_rows(t, &rows, 1, 5), 0)[k] == var_row(p, 1)[k]);
    }
    tape_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_central_differences),
        cmocka_unit_test(rows_have_mean_zero_and_variance_one_whatever_their_scale),
        cmocka_unit_test(a_constant_row_gives_the_bias),
        cmocka_unit_test(positions_follow_the_formula_and_each_sequence_starts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
