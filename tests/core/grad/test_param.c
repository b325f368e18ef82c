#include "testing.h"

#include "base/half.h"
#include "base/random.h"
#include "grad/ops.h"
#include "nn/recurrent.h"

enum { D = 5, N = 40 };

typedef struct Pair {
    ParamSet *plain, *packed; /* the same numbers as floats and in half precision */
} Pair;

static ParamSet *declare(void)
{
    ParamSet *set = param_set_new();
    param_add(set, "w", 3 * D, D, INIT_ZERO, 0);
    param_add(set, "u", 4 * D, D, INIT_ZERO, 0);
    param_add(set, "table", 7, D, INIT_ZERO, 0);
    return set;
}

static Pair make_pair(void)
{
    Error error = {0};
    Random random = random_seed(5, 0);
    Pair pair = {declare(), declare()};
    assert_true(param_set_allocate(pair.plain, &error));
    assert_true(param_set_allocate_halves(pair.packed, &error));
    for (int i = 0; i < param_count(pair.plain); i++) {
        const Param *p = param_at(pair.plain, i);
        size_t n = (size_t)p->rows * (size_t)p->cols;
        Real *value = param_value(pair.plain, p);
        uint16_t *half = param_half_storage(pair.packed, param_at(pair.packed, i));
        for (size_t j = 0; j < n; j++)
            value[j] = (Real)random_normal(&random);
        half_write_f16(value, n, half);
        half_read_f16(half, n, value);
    }
    return pair;
}

static void free_pair(Pair *pair)
{
    param_set_free(pair->plain);
    param_set_free(pair->packed);
}

static void assert_values_equal(const Pair *pair)
{
    for (int i = 0; i < param_count(pair->plain); i++) {
        const Param *p = param_at(pair->plain, i);
        size_t n = (size_t)p->rows * (size_t)p->cols;
        assert_memory_equal(param_value(pair->plain, p),
                            param_value(pair->packed, param_at(pair->packed, i)), n * sizeof(Real));
    }
}

static void half_precision_is_widened_exactly_when_asked_for(void **state)
{
    (void)state;
    Pair pair = make_pair();
    assert_null(param_half(pair.plain, param_at(pair.plain, 0)));
    assert_values_equal(&pair);
    assert_non_null(param_half(pair.packed, param_at(pair.packed, 1))); /* and stays */
    free_pair(&pair);
}

static void the_whole_block_gives_half_precision_up(void **state)
{
    (void)state;
    Pair pair = make_pair();
    const Param *w = param_find(pair.packed, "w");
    param_set_values(pair.packed)[w->offset] += 1;
    param_value(pair.plain, param_find(pair.plain, "w"))[0] += 1;
    assert_null(param_half(pair.packed, w));
    assert_values_equal(&pair);
    free_pair(&pair);
}

static Real *run(const ParamSet *set, Tape **tape)
{
    int index[N];
    for (int i = 0; i < N; i++)
        index[i] = i % 8 - 1;
    *tape = tape_new_inference(set);
    const Param *w = param_find(set, "w"), *u = param_find(set, "u");
    Var *x = op_gather(*tape, tape_weights(*tape, param_find(set, "table")), N, index);
    Var *xp = op_linear(*tape, x, tape_weights(*tape, w), NULL);
    Var *h = op_gru_step(*tape, GRU_RESET_BEFORE, xp, x, tape_weights(*tape, w), NULL);
    h = op_gru_step(*tape, GRU_RESET_AFTER, xp, h, tape_weights(*tape, w), NULL);
    Var *parts[2] = {h, x};
    Var *state = op_concat(*tape, 2, parts);
    xp = op_linear(*tape, h, tape_weights(*tape, u), NULL);
    return op_lstm_step(*tape, xp, state, tape_weights(*tape, u), NULL)->value;
}

static void operations_give_the_same_in_either_form(void **state)
{
    (void)state;
    Pair pair = make_pair();
    Tape *tape[2];
    const Real *plain = run(pair.plain, &tape[0]), *packed = run(pair.packed, &tape[1]);
    for (int i = 0; i < N * 2 * D; i++)
        assert_close(plain[i], packed[i], 1e-5);
    assert_true(plain[2 * D] != 0);
    tape_free(tape[0]);
    tape_free(tape[1]);
    free_pair(&pair);
}

static void a_tape_that_records_gets_values(void **state)
{
    (void)state;
    Pair pair = make_pair();
    Tape *tape = tape_new(pair.packed, NULL);
    Var *w = tape_weights(tape, param_find(pair.packed, "w"));
    assert_non_null(w->value);
    assert_null(w->half);
    tape_free(tape);
    free_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_precision_is_widened_exactly_when_asked_for),
        cmocka_unit_test(the_whole_block_gives_half_precision_up),
        cmocka_unit_test(operations_give_the_same_in_either_form),
        cmocka_unit_test(a_tape_that_records_gets_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
