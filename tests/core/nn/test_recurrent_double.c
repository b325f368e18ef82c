#include "core/grad/gradient_check.h"

#include <string.h>

#include "nn/recurrent.h"

static const int lengths[] = {3, 3, 2, 1};

static Var *gru_after(Tape *t, Var *const *x)
{
    return op_gru_step(t, GRU_RESET_AFTER, x[0], x[1], x[2], NULL);
}
static Var *gru_before(Tape *t, Var *const *x)
{
    return op_gru_step(t, GRU_RESET_BEFORE, x[0], x[1], x[2], NULL);
}
static Var *lstm(Tape *t, Var *const *x)
{
    return op_lstm_step(t, x[0], x[1], x[2], NULL);
}

static Var *gru_run(Tape *t, Var *const *x, GruKind kind, bool reverse)
{
    Ragged batch = ragged_new(tape_arena(t), RAGGED_STEP_MAJOR, 4, lengths);
    return op_gru_sequence(t, kind, x[0], x[1], &batch, reverse);
}
static Var *gru_after_forward(Tape *t, Var *const *x)
{
    return gru_run(t, x, GRU_RESET_AFTER, false);
}
static Var *gru_after_reverse(Tape *t, Var *const *x)
{
    return gru_run(t, x, GRU_RESET_AFTER, true);
}
static Var *gru_before_forward(Tape *t, Var *const *x)
{
    return gru_run(t, x, GRU_RESET_BEFORE, false);
}
static Var *gru_before_reverse(Tape *t, Var *const *x)
{
    return gru_run(t, x, GRU_RESET_BEFORE, true);
}
static const int shared_rows[] = {0, 3, 1, 0, 2, 3, 4, 0, 4}; /* items read rows of xp */

static Var *gru_both(Tape *t, Var *const *x, GruKind kind, const int *source)
{
    Ragged batch = ragged_new(tape_arena(t), RAGGED_STEP_MAJOR, 4, lengths);
    return op_gru_both_ways(t, kind, x[0], source, x[1], x[2], &batch);
}
static Var *gru_after_both_ways(Tape *t, Var *const *x)
{
    return gru_both(t, x, GRU_RESET_AFTER, NULL);
}
static Var *gru_after_both_ways_shared(Tape *t, Var *const *x)
{
    return gru_both(t, x, GRU_RESET_AFTER, shared_rows);
}
static Var *gru_before_both_ways_shared(Tape *t, Var *const *x)
{
    return gru_both(t, x, GRU_RESET_BEFORE, shared_rows);
}
static Var *lstm_forward(Tape *t, Var *const *x)
{
    Ragged batch = ragged_new(tape_arena(t), RAGGED_STEP_MAJOR, 4, lengths);
    return op_lstm_sequence(t, x[0], x[1], &batch, false);
}
static Var *lstm_reverse(Tape *t, Var *const *x)
{
    Ragged batch = ragged_new(tape_arena(t), RAGGED_STEP_MAJOR, 4, lengths);
    return op_lstm_sequence(t, x[0], x[1], &batch, true);
}

static const GradientCase cases[] = {
    {"op_gru_step, reset after", gru_after, {{3, 12}, {3, 4}, {12, 4}}},
    {"op_gru_step, reset before", gru_before, {{3, 12}, {3, 4}, {12, 4}}},
    {"op_lstm_step", lstm, {{3, 16}, {3, 8}, {16, 4}}},
    {"op_gru_sequence, reset after", gru_after_forward, {{9, 9}, {9, 3}}},
    {"op_gru_sequence, reset after, reverse", gru_after_reverse, {{9, 9}, {9, 3}}},
    {"op_gru_sequence, reset before", gru_before_forward, {{9, 9}, {9, 3}}},
    {"op_gru_sequence, reset before, reverse", gru_before_reverse, {{9, 9}, {9, 3}}},
    {"op_gru_both_ways, reset after", gru_after_both_ways, {{9, 18}, {9, 3}, {9, 3}}},
    {"op_gru_both_ways, shared rows", gru_after_both_ways_shared, {{5, 18}, {9, 3}, {9, 3}}},
    {"op_gru_both_ways, reset before", gru_before_both_ways_shared, {{5, 18}, {9, 3}, {9, 3}}},
    {"op_lstm_sequence", lstm_forward, {{9, 12}, {12, 3}}},
    {"op_lstm_sequence, reverse", lstm_reverse, {{9, 12}, {12, 3}}},
};

static void gradients_agree_with_central_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint64_t seed = 1; seed <= 2; seed++)
            gradient_check(&cases[i], seed);
}

static void fill(Real *x, size_t n, uint64_t seed)
{
    Random random = random_seed(seed, 0);
    for (size_t i = 0; i < n; i++)
        x[i] = (Real)random_normal(&random);
}

/* Every sequence alone must give what it gives inside the batch: no padding leaks. */
static void a_sequence_in_a_batch_equals_the_sequence_alone(void **state)
{
    (void)state;
    enum { D = 5 };
    Real x[9 * 4 * D], u[4 * D * D];
    fill(x, 9 * 4 * D, 1);
    fill(u, 4 * D * D, 2);
    for (int variant = 0; variant < 6; variant++) {
        bool reverse = variant % 2, is_lstm = variant >= 4;
        int gates = is_lstm ? 4 : 3, width = is_lstm ? 2 * D : D;
        Tape *tape = tape_new_inference(NULL);
        Ragged batch = ragged_new(tape_arena(tape), RAGGED_STEP_MAJOR, 4, lengths);
        Var *w = tape_constant(tape, gates * D, D, u);
        Var *all = tape_constant(tape, 9, gates * D, x);
        Var *y = is_lstm ? op_lstm_sequence(tape, all, w, &batch, reverse)
                         : op_gru_sequence(tape, (GruKind)(variant / 2), all, w, &batch, reverse);
        for (int i = 0; i < 4; i++) {
            int rows[3];
            for (int t = 0; t < lengths[i]; t++)
                rows[t] = ragged_row(&batch, i, t);
            Ragged one = ragged_new(tape_arena(tape), RAGGED_STEP_MAJOR, 1, &lengths[i]);
            Var *mine = op_gather(tape, all, lengths[i], rows);
            Var *z = is_lstm
                         ? op_lstm_sequence(tape, mine, w, &one, reverse)
                         : op_gru_sequence(tape, (GruKind)(variant / 2), mine, w, &one, reverse);
            for (int t = 0; t < lengths[i]; t++)
                for (int j = 0; j < width; j++)
                    assert_close(var_row(y, rows[t])[j], var_row(z, t)[j], 1e-12);
        }
        tape_free(tape);
    }
}

static void both_ways_at_once_are_two_sequences_side_by_side(void **state)
{
    (void)state;
    enum { D = 3, ROWS = 9, M = 5 };
    Real x[M * 6 * D], u[2][3 * D * D];
    fill(x, M * 6 * D, 3);
    fill(u[0], 3 * D * D, 4);
    fill(u[1], 3 * D * D, 5);
    for (int kind = GRU_RESET_AFTER; kind <= GRU_RESET_BEFORE; kind++) {
        Tape *tape = tape_new_inference(NULL);
        Ragged batch = ragged_new(tape_arena(tape), RAGGED_STEP_MAJOR, 4, lengths);
        Var *xp = tape_constant(tape, M, 6 * D, x);
        Var *w[2] = {tape_constant(tape, 3 * D, D, u[0]), tape_constant(tape, 3 * D, D, u[1])};
        Var *both = op_gru_both_ways(tape, (GruKind)kind, xp, shared_rows, w[0], w[1], &batch);
        Var *all = op_gather(tape, xp, ROWS, shared_rows);
        for (int way = 0; way < 2; way++) {
            Var *half = op_slice(tape, all, way * 3 * D, (way + 1) * 3 * D);
            Var *one = op_gru_sequence(tape, (GruKind)kind, half, w[way], &batch, way == 1);
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < D; j++)
                    assert_true(var_row(both, i)[way * D + j] == var_row(one, i)[j]);
        }
        tape_free(tape);
    }
}

static void gru_gates_do_what_they_say(void **state)
{
    (void)state;
    Tape *tape = tape_new_inference(NULL);
    const Real h[] = {(Real)0.3, (Real)-0.7};
    Real u[12] = {0}, xp[6] = {0};
    Var *state_in = tape_constant(tape, 1, 2, h);
    for (int kind = 0; kind < 2; kind++) {
        xp[2] = xp[3] = -1000; /* z = 0: the state stays */
        Var *y = op_gru_step(tape, (GruKind)kind, tape_constant(tape, 1, 6, xp), state_in,
                             tape_constant(tape, 6, 2, u), NULL);
        assert_true(y->value[0] == h[0] && y->value[1] == h[1]);
        xp[2] = xp[3] = 1000; /* z = 1: the candidate replaces it */
        xp[4] = (Real)0.25;
        xp[5] = -2;
        const Real *gates;
        y = op_gru_step(tape, (GruKind)kind, tape_constant(tape, 1, 6, xp), state_in,
                        tape_constant(tape, 6, 2, u), &gates);
        assert_close(y->value[0], tanh(0.25), 1e-12);
        assert_close(y->value[1], tanh(-2.0), 1e-12);
        assert_true(gates[2] == 1 && gates[3] == 1);
    }
    tape_free(tape);
}

/* With U diagonal, U (r o h) = r o (U h). */
static void the_two_gru_kinds_agree_when_u_is_diagonal(void **state)
{
    (void)state;
    enum { D = 3 };
    Real xp[2 * 3 * D], h[2 * D], u[3 * D * D] = {0};
    fill(xp, 2 * 3 * D, 3);
    fill(h, 2 * D, 4);
    for (int block = 0; block < 3; block++)
        for (int i = 0; i < D; i++)
            u[(block * D + i) * D + i] = (Real)(0.5 + block + i);
    Tape *tape = tape_new_inference(NULL);
    Var *y[2];
    for (int kind = 0; kind < 2; kind++)
        y[kind] = op_gru_step(tape, (GruKind)kind, tape_constant(tape, 2, 3 * D, xp),
                              tape_constant(tape, 2, D, h), tape_constant(tape, 3 * D, D, u), NULL);
    for (int i = 0; i < 2 * D; i++)
        assert_close(y[0]->value[i], y[1]->value[i], 1e-12);
    tape_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_central_differences),
        cmocka_unit_test(a_sequence_in_a_batch_equals_the_sequence_alone),
        cmocka_unit_test(both_ways_at_once_are_two_sequences_side_by_side),
        cmocka_unit_test(gru_gates_do_what_they_say),
        cmocka_unit_test(the_two_gru_kinds_agree_when_u_is_diagonal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
