#include "core/grad/gradient_check.h"

#include <string.h>

#include "attention/attention.h"

/* Three sequences, five queries; windows that start before, end behind, and one that sees
 * nothing. */
static const int lengths[] = {4, 3, 1};
static const int owners[] = {0, 2, 1, 0, 1};
static const Span spans[] = {{-2, 2}, {0, 9}, {1, 3}, {3, 3}, {0, 3}};
static const unsigned char keep[] = {1, 1, 1, 0, 1, 1, 1, 1};

static AttendTo *attend(Tape *t, RaggedOrder order, bool windows, bool hides)
{
    Arena *arena = tape_arena(t);
    Ragged *keys = arena_get(arena, 1, sizeof *keys);
    *keys = ragged_new(arena, order, 3, lengths);
    AttendTo *to = arena_get(arena, 1, sizeof *to);
    *to = (AttendTo){keys, owners, windows ? spans : NULL, hides ? keep : NULL};
    return to;
}

static Var *additive(Tape *t, Var *const *x)
{
    return op_score_additive(t, x[0], x[1], x[2], attend(t, RAGGED_STEP_MAJOR, false, false));
}
static Var *additive_in_windows(Tape *t, Var *const *x)
{
    return op_score_additive(t, x[0], x[1], x[2], attend(t, RAGGED_SEQUENCE_MAJOR, true, false));
}
static Var *dot(Tape *t, Var *const *x)
{
    return op_score_dot(t, x[0], x[1], (Real)0.5, attend(t, RAGGED_STEP_MAJOR, true, false));
}
static Var *cosine(Tape *t, Var *const *x)
{
    return op_score_cosine(t, x[0], x[1], x[2], attend(t, RAGGED_STEP_MAJOR, true, false));
}
static Var *location(Tape *t, Var *const *x)
{
    return op_score_location(t, x[0], attend(t, RAGGED_STEP_MAJOR, true, false));
}
static Var *softmax(Tape *t, Var *const *x)
{
    return op_align_softmax(t, x[0], (Real)0.7, attend(t, RAGGED_STEP_MAJOR, true, false));
}
static Var *softmax_with_hidden_keys(Tape *t, Var *const *x)
{
    return op_align_softmax(t, x[0], 1, attend(t, RAGGED_STEP_MAJOR, false, true));
}
static Var *gaussian(Tape *t, Var *const *x)
{
    return op_align_gaussian(t, x[0], x[1], 2, attend(t, RAGGED_STEP_MAJOR, true, false));
}
static Var *context(Tape *t, Var *const *x)
{
    return op_context(t, x[0], x[1], attend(t, RAGGED_STEP_MAJOR, true, false));
}
static Var *log_chosen(Tape *t, Var *const *x)
{
    const int chosen[] = {2, 0, -1, 0, 1};
    const Real weight[] = {1, 2, 3, -1, (Real)0.5};
    Var *a = op_align_softmax(t, x[0], 1, attend(t, RAGGED_STEP_MAJOR, false, false));
    return op_log_chosen(t, a, chosen, weight, (Real)0.3);
}
static Var *entropy(Tape *t, Var *const *x)
{
    const Real weight[] = {1, 2, 3, -1, (Real)0.5};
    Var *a = op_align_softmax(t, x[0], 1, attend(t, RAGGED_STEP_MAJOR, false, false));
    return op_entropy(t, a, weight, (Real)0.3);
}

static const GradientCase cases[] = {
    {"op_score_additive", additive, {{5, 3}, {8, 3}, {1, 3}}},
    {"op_score_additive in windows", additive_in_windows, {{5, 3}, {8, 3}, {1, 3}}},
    {"op_score_dot", dot, {{5, 3}, {8, 3}}},
    {"op_score_cosine", cosine, {{5, 3}, {8, 3}, {1, 1}}},
    {"op_score_location", location, {{5, 6}}},
    {"op_align_softmax", softmax, {{5, 4}}},
    {"op_align_softmax with hidden keys", softmax_with_hidden_keys, {{5, 4}}},
    {"op_align_gaussian", gaussian, {{5, 4}, {5, 1}}},
    {"op_context", context, {{5, 4}, {8, 3}}},
    {"op_log_chosen", log_chosen, {{5, 4}}},
    {"op_entropy", entropy, {{5, 4}}},
};

static void gradients_agree_with_central_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            gradient_check(&cases[i], seed);
}

static Var *random_value(Tape *t, int rows, int cols, uint64_t seed, double scale)
{
    Random random = random_seed(seed, 0);
    Var *x = tape_zeros(t, rows, cols);
    for (size_t i = 0; i < var_size(x); i++)
        x->value[i] = (Real)(scale * random_normal(&random));
    return x;
}

static void softmax_of_a_fully_masked_row_is_zero(void **state)
{
    (void)state;
    Tape *t = tape_new(NULL, NULL);
    AttendTo *to = attend(t, RAGGED_STEP_MAJOR, true, false);
    const Real data[20] = {0};
    Var *e = tape_input(t, 5, 4, data);
    Var *a = op_align_softmax(t, e, 1, to);
    for (int j = 0; j < 4; j++)
        assert_true(var_row(a, 3)[j] == 0);
    Var *c = op_context(t, a, random_value(t, 8, 2, 1, 1), to);
    assert_true(var_row(c, 3)[0] == 0 && var_row(c, 3)[1] == 0);
    tape_backward(t, gradient_loss(t, c));
    for (int j = 0; j < 4; j++)
        assert_true(e->grad[12 + j] == 0);
    static const unsigned char none[8] = {0};
    to->span = NULL;
    to->keep = none;
    a = op_align_softmax(t, e, 1, to);
    for (size_t i = 0; i < var_size(a); i++)
        assert_true(a->value[i] == 0);
    tape_free(t);
}

static void weights_sum_to_one_and_ignore_a_constant(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    AttendTo *to = attend(t, RAGGED_STEP_MAJOR, false, true);
    Var *e = random_value(t, 5, 4, 2, 1e4);
    Var *shifted = op_add(t, e, tape_zeros(t, 5, 4));
    for (size_t i = 0; i < var_size(shifted); i++)
        shifted->value[i] += 1000;
    Var *a = op_align_softmax(t, e, 1, to), *b = op_align_softmax(t, shifted, 1, to);
    for (int q = 0; q < 5; q++) {
        double sum = 0;
        for (int j = 0; j < 4; j++) {
            Real w = var_row(a, q)[j];
            assert_true(w >= 0 && isfinite(w));
            assert_close(w, var_row(b, q)[j], 1e-9);
            bool visible = j < lengths[owners[q]] && attend_sees(to, q, j);
            assert_true(visible || w == 0);
            sum += (double)w;
        }
        assert_close(sum, 1, 1e-12);
    }
    tape_free(t);
}

static void scores_are_related_as_their_formulas_say(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    AttendTo *to = attend(t, RAGGED_STEP_MAJOR, false, false);
    Var *q = random_value(t, 5, 3, 3, 1), *k = random_value(t, 8, 3, 4, 1);
    Var *one = tape_zeros(t, 1, 1);
    one->value[0] = 1;
    Var *dots = op_score_dot(t, q, k, 1, to);
    Var *scaled = op_score_dot(t, q, k, (Real)(1 / sqrt(3.0)), to);
    Var *cosines = op_score_cosine(t, q, k, one, to);
    Var *cosines_of_longer = op_score_cosine(t, op_scale(t, q, 7), k, one, to);
    for (size_t i = 0; i < var_size(dots); i++) {
        assert_close(scaled->value[i] * sqrt(3.0), dots->value[i], 1e-12);
        assert_close(cosines->value[i], cosines_of_longer->value[i], 1e-12);
        assert_true(fabs((double)cosines->value[i]) <= 1 + 1e-12);
    }
    /* A temperature of sqrt(d) turns dot into scaled dot. */
    Var *a = op_align_softmax(t, dots, (Real)sqrt(3.0), to);
    Var *b = op_align_softmax(t, scaled, 1, to);
    for (size_t i = 0; i < var_size(a); i++)
        assert_close(a->value[i], b->value[i], 1e-12);
    /* A zero query has cosine 0 with everything. */
    Var *zero = op_score_cosine(t, tape_zeros(t, 5, 3), k, one, to);
    for (size_t i = 0; i < var_size(zero); i++)
        assert_true(zero->value[i] == 0);
    tape_free(t);
}

static void the_context_lies_among_the_values(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    AttendTo *to = attend(t, RAGGED_STEP_MAJOR, false, false);
    Var *values = random_value(t, 8, 2, 5, 1);
    Var *a = op_align_softmax(t, random_value(t, 5, 4, 6, 1), 1, to);
    Var *c = op_context(t, a, values, to);
    for (int q = 0; q < 5; q++)
        for (int d = 0; d < 2; d++) {
            double least = INFINITY, most = -INFINITY;
            for (int j = 0; j < lengths[owners[q]]; j++) {
                double v = (double)var_row(values, attend_row(to, q, j))[d];
                least = fmin(least, v);
                most = fmax(most, v);
            }
            assert_true((double)var_row(c, q)[d] >= least - 1e-12);
            assert_true((double)var_row(c, q)[d] <= most + 1e-12);
        }
    tape_free(t);
}

static void the_gaussian_is_exp_minus_two_at_the_window_edge(void **state)
{
    (void)state;
    /* sigma = D / 2: at |j - p| = D the factor is exp(-2). */
    static const int length[] = {9};
    Tape *t = tape_new_inference(NULL);
    Ragged keys = ragged_new(tape_arena(t), RAGGED_STEP_MAJOR, 1, length);
    AttendTo to = {.keys = &keys};
    Var *ones = tape_zeros(t, 1, 9), *centre = tape_zeros(t, 1, 1);
    for (int j = 0; j < 9; j++)
        ones->value[j] = 1;
    centre->value[0] = 4;
    Var *y = op_align_gaussian(t, ones, centre, 2, &to);
    assert_close(y->value[0], exp(-2), 1e-12);
    assert_close(y->value[8], exp(-2), 1e-12);
    assert_true(y->value[4] == 1);
    tape_free(t);
}

static void sampling_follows_the_weights_and_never_takes_a_masked_item(void **state)
{
    (void)state;
    const Real weights[] = {0, (Real)0.2, 0, (Real)0.5, (Real)0.3, 0};
    int counts[6] = {0};
    Random random = random_seed(8, RANDOM_SAMPLE);
    enum { N = 100000 };
    for (int i = 0; i < N; i++)
        counts[align_sample(weights, 6, random_uniform(&random))]++;
    for (int j = 0; j < 6; j++) {
        double p = (double)weights[j];
        assert_close(counts[j], N * p, 4 * sqrt(N * p * (1 - p)) + 1e-9);
    }
    assert_int_equal(align_sample(weights, 6, 0), 1);
    assert_int_equal(align_sample(weights, 6, 1), 4);
    const Real none[] = {0, 0};
    assert_int_equal(align_sample(none, 2, 0.5), -1);
    assert_int_equal(align_argmax(none, 2), -1);
    assert_int_equal(align_argmax(weights, 6), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_central_differences),
        cmocka_unit_test(softmax_of_a_fully_masked_row_is_zero),
        cmocka_unit_test(weights_sum_to_one_and_ignore_a_constant),
        cmocka_unit_test(scores_are_related_as_their_formulas_say),
        cmocka_unit_test(the_context_lies_among_the_values),
        cmocka_unit_test(the_gaussian_is_exp_minus_two_at_the_window_edge),
        cmocka_unit_test(sampling_follows_the_weights_and_never_takes_a_masked_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
