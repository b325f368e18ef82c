#include "core/grad/gradient_check.h"

#include "attention/ragged_attention.h"

/* Four sequences, one of them empty; nothing of the third is kept when items are hidden. */
enum { N = 4, ROWS = 8 };
static const int lengths[N] = {4, 3, 1, 0};
static const unsigned char step_major_keep[ROWS] = {1, 1, 0, 0, 1, 1, 1, 1};
static const unsigned char sequence_major_keep[ROWS] = {1, 0, 1, 1, 1, 1, 1, 0};

static const Ragged *batch_of(Tape *t, RaggedOrder order)
{
    Ragged *batch = arena_get(tape_arena(t), 1, sizeof *batch);
    *batch = ragged_new(tape_arena(t), order, N, lengths);
    return batch;
}

static Var *softmax(Tape *t, Var *const *x)
{
    return op_ragged_softmax(t, x[0], NULL, batch_of(t, RAGGED_STEP_MAJOR));
}
static Var *softmax_with_hidden_items(Tape *t, Var *const *x)
{
    return op_ragged_softmax(t, x[0], sequence_major_keep, batch_of(t, RAGGED_SEQUENCE_MAJOR));
}
static Var *sum(Tape *t, Var *const *x)
{
    return op_ragged_context(t, x[0], x[1], batch_of(t, RAGGED_STEP_MAJOR));
}
static Var *attention(Tape *t, Var *const *x)
{
    const Ragged *batch = batch_of(t, RAGGED_STEP_MAJOR);
    return op_ragged_context(t, op_ragged_softmax(t, x[0], step_major_keep, batch), x[1], batch);
}
static Var *maximum(Tape *t, Var *const *x)
{
    return op_ragged_max(t, x[0], NULL, batch_of(t, RAGGED_STEP_MAJOR));
}
static Var *maximum_with_hidden_items(Tape *t, Var *const *x)
{
    return op_ragged_max(t, x[0], step_major_keep, batch_of(t, RAGGED_STEP_MAJOR));
}

static const GradientCase cases[] = {
    {"op_ragged_softmax", softmax, {{8, 1}}},
    {"op_ragged_softmax with hidden items", softmax_with_hidden_items, {{8, 1}}},
    {"op_ragged_context", sum, {{8, 1}, {8, 3}}},
    {"attention", attention, {{8, 1}, {8, 3}}},
    {"op_ragged_max", maximum, {{8, 3}}},
    {"op_ragged_max with hidden items", maximum_with_hidden_items, {{8, 3}}},
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

static double weight_of(const Var *weights, const Ragged *batch, int sequence)
{
    double total = 0;
    for (int t = 0; t < batch->length[sequence]; t++)
        total += (double)weights->value[ragged_row(batch, sequence, t)];
    return total;
}

static void weights_of_each_sequence_sum_to_one_and_ignore_a_constant(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    const Ragged *batch = batch_of(t, RAGGED_STEP_MAJOR);
    Var *e = random_value(t, ROWS, 1, 1, 1e4), *shifted = tape_constant(t, ROWS, 1, e->value);
    for (int i = 0; i < ROWS; i++)
        shifted->value[i] += 777;
    Var *a = op_ragged_softmax(t, e, NULL, batch), *b = op_ragged_softmax(t, shifted, NULL, batch);
    for (int i = 0; i < N - 1; i++)
        assert_close(weight_of(a, batch, i), 1, 1e-12);
    for (int i = 0; i < ROWS; i++) {
        assert_true(a->value[i] >= 0 && a->value[i] <= 1);
        assert_close(a->value[i], b->value[i], 1e-9);
    }
    tape_free(t);
}

static void a_sequence_without_items_or_with_all_hidden_is_zero(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    const Ragged *batch = batch_of(t, RAGGED_STEP_MAJOR);
    const unsigned char *keep = step_major_keep;
    Var *h = random_value(t, ROWS, 3, 2, 1);
    Var *soft = op_ragged_softmax(t, random_value(t, ROWS, 1, 3, 1), keep, batch);
    Var *flat = ragged_uniform(t, keep, batch);
    Var *const pooled[] = {op_ragged_context(t, soft, h, batch),
                           op_ragged_context(t, flat, h, batch), op_ragged_max(t, h, keep, batch)};
    assert_true(weight_of(soft, batch, 2) == 0 && weight_of(flat, batch, 2) == 0);
    assert_close(weight_of(flat, batch, 1), 1, 1e-12);
    for (int k = 0; k < 3; k++)
        for (int i = 2; i < N; i++)
            for (int j = 0; j < 3; j++)
                assert_true(var_row(pooled[k], i)[j] == 0);
    tape_free(t);
}

static void the_order_of_rows_does_not_matter(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    const Ragged *steps = batch_of(t, RAGGED_STEP_MAJOR);
    const Ragged *sequences = batch_of(t, RAGGED_SEQUENCE_MAJOR);
    Var *h = random_value(t, ROWS, 3, 4, 1), *e = random_value(t, ROWS, 1, 5, 1);
    int index[ROWS];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < lengths[i]; k++)
            index[ragged_row(sequences, i, k)] = ragged_row(steps, i, k);
    Var *h2 = op_gather(t, h, ROWS, index), *e2 = op_gather(t, e, ROWS, index);
    Var *a = op_ragged_context(t, op_ragged_softmax(t, e, NULL, steps), h, steps);
    Var *b = op_ragged_context(t, op_ragged_softmax(t, e2, NULL, sequences), h2, sequences);
    for (size_t i = 0; i < var_size(a); i++)
        assert_true(a->value[i] == b->value[i]);
    tape_free(t);
}

static void the_vector_lies_between_the_values(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    const Ragged *batch = batch_of(t, RAGGED_STEP_MAJOR);
    Var *h = random_value(t, ROWS, 3, 6, 1);
    Var *a = op_ragged_softmax(t, random_value(t, ROWS, 1, 7, 3), NULL, batch);
    Var *s = op_ragged_context(t, a, h, batch), *top = op_ragged_max(t, h, NULL, batch);
    for (int i = 0; i < N - 1; i++)
        for (int j = 0; j < 3; j++)
            assert_true(var_row(s, i)[j] <= var_row(top, i)[j] + 1e-12);
    tape_free(t);
}

static void a_score_that_is_not_a_number_shows(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    const Ragged *batch = batch_of(t, RAGGED_STEP_MAJOR);
    Var *e = random_value(t, ROWS, 1, 8, 1);
    e->value[ragged_row(batch, 0, 1)] = (Real)NAN;
    Var *a = op_ragged_softmax(t, e, NULL, batch);
    assert_true(isnan(a->value[ragged_row(batch, 0, 0)]));
    assert_close(weight_of(a, batch, 1), 1, 1e-12);
    tape_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_central_differences),
        cmocka_unit_test(weights_of_each_sequence_sum_to_one_and_ignore_a_constant),
        cmocka_unit_test(a_sequence_without_items_or_with_all_hidden_is_zero),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(the_vector_lies_between_the_values),
        cmocka_unit_test(a_score_that_is_not_a_number_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
