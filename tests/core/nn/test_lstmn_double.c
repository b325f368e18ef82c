#include "core/grad/gradient_check.h"

#include <string.h>

#include "nn/lstmn.h"
#include "nn/recurrent.h"

enum { D = 2, A = 3 };

static const int lengths[] = {4, 3, 1};

static Ragged batch_of(Tape *t)
{
    return ragged_new(tape_arena(t), RAGGED_STEP_MAJOR, 3, lengths);
}

static Var *sequence(Tape *t, Var *const *x)
{
    Ragged batch = batch_of(t);
    const LstmnWeights w = {x[2], x[3], x[4], x[5]};
    return op_lstmn_sequence(t, x[0], x[1], &w, &batch, NULL);
}

static const GradientCase cases[] = {
    {"op_lstmn_sequence", sequence, {{8, 4 * D}, {8, A}, {4 * D, D}, {A, D}, {A, D}, {1, A}}},
};

static void gradients_agree_with_central_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            gradient_check(&cases[i], seed);
}

static Var *random_value(Tape *t, int rows, int cols, uint64_t seed)
{
    Random random = random_seed(seed, 0);
    Var *x = tape_zeros(t, rows, cols);
    for (size_t i = 0; i < var_size(x); i++)
        x->value[i] = (Real)random_normal(&random);
    return x;
}

static LstmnWeights random_weights(Tape *t)
{
    return (LstmnWeights){random_value(t, 4 * D, D, 1), random_value(t, A, D, 2),
                          random_value(t, A, D, 3), random_value(t, 1, A, 4)};
}

static void rows_look_back_only_and_sum_to_one(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    Ragged batch = batch_of(t);
    LstmnWeights w = random_weights(t);
    const Real *s;
    op_lstmn_sequence(t, random_value(t, 8, 4 * D, 5), random_value(t, 8, A, 6), &w, &batch, &s);
    for (int step = 0; step < batch.steps; step++)
        for (int i = 0; i < ragged_active(&batch, step); i++) {
            const Real *row = s + ragged_row(&batch, i, step) * batch.steps;
            double sum = 0;
            for (int k = 0; k < batch.steps; k++) {
                assert_true(k < step ? row[k] > 0 : row[k] == 0);
                sum += (double)row[k];
            }
            assert_close(sum, step > 0, 1e-14);
            assert_true(step != 1 || row[0] == 1);
        }
    tape_free(t);
}

/* Very unequal scores put all weight on the word before: keys that grow with the step. */
static void all_weight_on_the_word_before_is_an_lstm(void **state)
{
    (void)state;
    enum { N = 4 };
    Tape *t = tape_new_inference(NULL);
    const int length = N;
    Ragged batch = ragged_new(tape_arena(t), RAGGED_STEP_MAJOR, 1, &length);
    LstmnWeights w = random_weights(t);
    Var *xp = random_value(t, N, 4 * D, 5), *xa = random_value(t, N, A, 6);
    Var *want = op_lstm_sequence(t, xp, w.u, &batch, false);
    Real states[N * 2 * D], keys[N * A], read[2 * D] = {0};
    for (int step = 0; step < N; step++) {
        Real before[N] = {0};
        if (step > 0)
            before[step - 1] = 1;
        const LstmnMemory memory = {step, states, keys, read};
        LstmnStep r =
            lstmn_step(t, tape_borrow(t, 1, 4 * D, var_row(xp, step)),
                       tape_borrow(t, 1, A, var_row(xa, step)), &w, &memory, NULL, 1, before);
        memcpy(states + step * 2 * D, r.state, sizeof read);
        memcpy(keys + step * A, r.key, A * sizeof *keys);
        memcpy(read, r.read, sizeof read);
        for (int k = 0; k < 2 * D; k++)
            assert_close(r.state[k], var_row(want, step)[k], 1e-14);
    }
    tape_free(t);
}

static void stepping_gives_the_rows_of_the_whole(void **state)
{
    (void)state;
    enum { N = 4 };
    Tape *t = tape_new_inference(NULL);
    const int length = N;
    Ragged batch = ragged_new(tape_arena(t), RAGGED_STEP_MAJOR, 1, &length);
    LstmnWeights w = random_weights(t);
    Var *xp = random_value(t, N, 4 * D, 5), *xa = random_value(t, N, A, 6);
    const Real *s;
    Var *want = op_lstmn_sequence(t, xp, xa, &w, &batch, &s);
    Real states[N * 2 * D], keys[N * A], read[2 * D] = {0};
    for (int step = 0; step < N; step++) {
        const LstmnMemory memory = {step, states, keys, read};
        LstmnStep r =
            lstmn_step(t, tape_borrow(t, 1, 4 * D, var_row(xp, step)),
                       tape_borrow(t, 1, A, var_row(xa, step)), &w, &memory, NULL, 1, NULL);
        memcpy(states + step * 2 * D, r.state, sizeof read);
        memcpy(keys + step * A, r.key, A * sizeof *keys);
        memcpy(read, r.read, sizeof read);
        for (int k = 0; k < 2 * D; k++)
            assert_close(r.state[k], var_row(want, step)[k], 1e-14);
        for (int k = 0; k < step; k++)
            assert_close(r.attention[k], s[step * N + k], 1e-14);
    }
    tape_free(t);
}

static void the_future_does_not_matter(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    Ragged batch = batch_of(t);
    LstmnWeights w = random_weights(t);
    Var *xp = random_value(t, 8, 4 * D, 5), *xa = random_value(t, 8, A, 6);
    Var *a = op_lstmn_sequence(t, xp, xa, &w, &batch, NULL);
    int last = ragged_row(&batch, 0, 3);
    Var *changed = random_value(t, 8, 4 * D, 5);
    var_row(changed, last)[1] += 2;
    Var *b = op_lstmn_sequence(t, changed, xa, &w, &batch, NULL);
    for (int row = 0; row < 8; row++) {
        bool equal = memcmp(var_row(a, row), var_row(b, row), 2 * D * sizeof(Real)) == 0;
        assert_int_equal(equal, row != last);
    }
    tape_free(t);
}

static void hidden_words_get_nothing_even_when_all_are(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    LstmnWeights w = random_weights(t);
    Var *states = random_value(t, 3, 2 * D, 7), *keys = random_value(t, 3, A, 8);
    Var *read = random_value(t, 1, 2 * D, 9);
    Var *xp = random_value(t, 1, 4 * D, 5), *xa = random_value(t, 1, A, 6);
    const LstmnMemory memory = {3, states->value, keys->value, read->value};
    static const unsigned char some[] = {1, 0, 1}, none[] = {0, 0, 0};
    LstmnStep r = lstmn_step(t, xp, xa, &w, &memory, some, 1, NULL);
    assert_true(r.attention[1] == 0 && isnan((double)r.scores[1]));
    assert_close(r.attention[0] + r.attention[2], 1, 1e-15);
    LstmnStep cold = lstmn_step(t, xp, xa, &w, &memory, some, (Real)0.01, NULL);
    assert_true(fmax((double)cold.attention[0], (double)cold.attention[2]) >
                fmax((double)r.attention[0], (double)r.attention[2]));
    r = lstmn_step(t, xp, xa, &w, &memory, none, 1, NULL);
    for (int k = 0; k < 3; k++)
        assert_true(r.attention[k] == 0);
    for (int k = 0; k < 2 * D; k++)
        assert_true(r.read[k] == 0 && isfinite((double)r.state[k]));
    tape_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_central_differences),
        cmocka_unit_test(rows_look_back_only_and_sum_to_one),
        cmocka_unit_test(all_weight_on_the_word_before_is_an_lstm),
        cmocka_unit_test(stepping_gives_the_rows_of_the_whole),
        cmocka_unit_test(the_future_does_not_matter),
        cmocka_unit_test(hidden_words_get_nothing_even_when_all_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
