#include "core/grad/gradient_check.h"

#include <string.h>

#include "attention/feature.h"
#include "attention/pooling.h"

/* ---- pairs: three sentences of 4, 1 and 3 words; some are heads, some dependents ---- */

static const int words[] = {4, 1, 3};
static const int all_places[] = {0, 1, 2, 3, 0, 0, 1, 2};
static const int n_heads[] = {2, 0, 2}, head_places[] = {1, 3, 0, 1};
static const int n_dependents[] = {3, 1, 1}, dependent_places[] = {0, 1, 2, 0, 1};

static Ragged *ragged(Tape *t, int n, const int *lengths)
{
    Ragged *r = arena_get(tape_arena(t), 1, sizeof *r);
    *r = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, n, lengths);
    return r;
}

static FeaturePairs all_pairs(Tape *t, PairRule rule)
{
    const Ragged *rows = ragged(t, 3, words);
    return (FeaturePairs){rows, rows, all_places, all_places, rule};
}

static FeaturePairs some_pairs(Tape *t, PairRule rule)
{
    return (FeaturePairs){ragged(t, 3, n_heads), ragged(t, 3, n_dependents), head_places,
                          dependent_places, rule};
}

static Var *different(Tape *t, Var *const *x)
{
    FeaturePairs p = all_pairs(t, PAIRS_DIFFERENT);
    return op_feature_attend(t, x[0], x[1], x[2], 5, &p);
}
static Var *earlier(Tape *t, Var *const *x)
{
    FeaturePairs p = all_pairs(t, PAIRS_EARLIER);
    return op_feature_attend(t, x[0], x[1], x[2], 2, &p);
}
static Var *later(Tape *t, Var *const *x)
{
    FeaturePairs p = all_pairs(t, PAIRS_LATER);
    return op_feature_attend(t, x[0], x[1], x[2], 2, &p);
}
static Var *selected(Tape *t, Var *const *x)
{
    FeaturePairs p = some_pairs(t, PAIRS_DIFFERENT);
    return op_feature_attend(t, x[0], x[1], x[2], 5, &p);
}
static Var *mean_of_others(Tape *t, Var *const *x)
{
    return op_feature_mean(t, x[0], ragged(t, 3, words), PAIRS_DIFFERENT);
}
static Var *mean_of_earlier(Tape *t, Var *const *x)
{
    return op_feature_mean(t, x[0], ragged(t, 3, words), PAIRS_EARLIER);
}
static Var *mean_of_later(Tape *t, Var *const *x)
{
    return op_feature_mean(t, x[0], ragged(t, 3, words), PAIRS_LATER);
}
static Var *pool_softmax(Tape *t, Var *const *x)
{
    return op_pool_softmax(t, x[0], ragged(t, 3, words));
}
static Var *pool_sum(Tape *t, Var *const *x)
{
    return op_pool_sum(t, x[0], ragged(t, 3, words));
}
static Var *pool_mean(Tape *t, Var *const *x)
{
    return op_pool_mean(t, x[0], ragged(t, 3, words));
}
static Var *pool_product(Tape *t, Var *const *x)
{
    return op_pool_product(t, x[0], x[1], ragged(t, 3, words));
}
static Var *pool_penalty(Tape *t, Var *const *x)
{
    return op_pool_penalty(t, x[0], (Real)0.3, ragged(t, 3, words));
}

static const GradientCase cases[] = {
    {"op_feature_attend", different, {{8, 3}, {8, 3}, {8, 3}}},
    {"op_feature_attend, earlier", earlier, {{8, 3}, {8, 3}, {8, 3}}},
    {"op_feature_attend, later", later, {{8, 3}, {8, 3}, {8, 3}}},
    {"op_feature_attend of selected words", selected, {{5, 3}, {4, 3}, {5, 3}}},
    {"op_feature_mean", mean_of_others, {{8, 3}}},
    {"op_feature_mean, earlier", mean_of_earlier, {{8, 3}}},
    {"op_feature_mean, later", mean_of_later, {{8, 3}}},
    {"op_pool_softmax", pool_softmax, {{8, 3}}},
    {"op_pool_sum", pool_sum, {{8, 3}}},
    {"op_pool_mean", pool_mean, {{8, 3}}},
    {"op_pool_product", pool_product, {{8, 2}, {8, 3}}},
    {"op_pool_penalty", pool_penalty, {{8, 2}}},
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

/* The definition, pair by pair, with the maximum subtracted. */
static double direct(const Var *a, const Var *b, const Var *x, double c, const FeaturePairs *p,
                     int sentence, int head, int k)
{
    double sum = 0, weighted = 0;
    for (int j = 0; j < p->dependents->length[sentence]; j++) {
        int row = p->dependents->start[sentence] + j;
        if (!feature_pairs_allow(p, p->head_place[head], p->dependent_place[row]))
            continue;
        double f = c * tanh((double)(var_row(a, row)[k] + var_row(b, head)[k]) / c);
        sum += exp(f);
        weighted += exp(f) * (double)var_row(x, row)[k];
    }
    return sum > 0 ? weighted / sum : 0;
}

static void the_fused_loop_is_the_definition(void **state)
{
    (void)state;
    static const PairRule rules[] = {PAIRS_DIFFERENT, PAIRS_EARLIER, PAIRS_LATER};
    for (int r = 0; r < 3; r++)
        for (int scale = 1; scale <= 10; scale *= 10) {
            Tape *t = tape_new_inference(NULL);
            FeaturePairs p = some_pairs(t, rules[r]);
            Var *a = random_value(t, 5, 3, 1, scale), *b = random_value(t, 4, 3, 2, scale);
            Var *x = random_value(t, 5, 3, 3, 1);
            Var *s = op_feature_attend(t, a, b, x, 5, &p);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < n_heads[i]; j++)
                    for (int k = 0; k < 3; k++) {
                        int head = p.heads->start[i] + j;
                        assert_close(var_row(s, head)[k], direct(a, b, x, 5, &p, i, head, k),
                                     1e-12);
                    }
            tape_free(t);
        }
}

/* |heads| |dependents| - |both|, with i != j alone. */
static void pairs_are_counted_by_the_formula(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    FeaturePairs p = some_pairs(t, PAIRS_DIFFERENT);
    assert_int_equal(feature_pairs_count(&p), (2 * 3 - 1) + 0 + (2 * 1 - 1));
    p.rule = PAIRS_EARLIER;
    assert_int_equal(feature_pairs_count(&p), (1 + 3) + 0 + 0);
    p.rule = PAIRS_LATER;
    assert_int_equal(feature_pairs_count(&p), 1 + 0 + 1);
    tape_free(t);
}

static void a_head_without_dependents_reads_nothing(void **state)
{
    (void)state;
    Tape *t = tape_new(NULL, NULL);
    FeaturePairs p = all_pairs(t, PAIRS_EARLIER);
    const Real data[24] = {1, 2, 3};
    Var *a = tape_input(t, 8, 3, data);
    Var *s = op_feature_attend(t, a, a, a, 5, &p);
    for (int k = 0; k < 3; k++)
        assert_true(var_row(s, 0)[k] == 0 && var_row(s, 4)[k] == 0 && var_row(s, 5)[k] == 0);
    tape_backward(t, op_sum(t, s));
    for (int i = 0; i < 24; i++)
        assert_true(isfinite((double)a->grad[i]));
    tape_free(t);
}

static void gradients_that_nobody_wants_change_nothing(void **state)
{
    (void)state;
    Real got[2][15];
    for (int alone = 0; alone < 2; alone++) {
        Tape *t = tape_new(NULL, NULL);
        FeaturePairs p = some_pairs(t, PAIRS_DIFFERENT);
        Var *a = random_value(t, 5, 3, 1, 1), *b = random_value(t, 4, 3, 2, 1);
        Var *x = tape_input(t, 5, 3, random_value(t, 5, 3, 3, 1)->value);
        if (!alone) {
            a = tape_input(t, 5, 3, a->value);
            b = tape_input(t, 4, 3, b->value);
        }
        tape_backward(t, gradient_loss(t, op_feature_attend(t, a, b, x, 5, &p)));
        memcpy(got[alone], x->grad, sizeof got[alone]);
        tape_free(t);
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
}

/* Equal logits weigh equally: the mean is attention with a = b = 0. */
static void the_mean_is_attention_without_scores(void **state)
{
    (void)state;
    static const PairRule rules[] = {PAIRS_DIFFERENT, PAIRS_EARLIER, PAIRS_LATER};
    for (int r = 0; r < 3; r++) {
        Tape *t = tape_new_inference(NULL);
        FeaturePairs p = all_pairs(t, rules[r]);
        Var *zero = tape_zeros(t, 8, 3), *x = random_value(t, 8, 3, 3, 1);
        Var *s = op_feature_attend(t, zero, zero, x, 5, &p);
        Var *m = op_feature_mean(t, x, p.heads, rules[r]);
        for (size_t i = 0; i < var_size(s); i++)
            assert_close(s->value[i], m->value[i], 1e-14);
        tape_free(t);
    }
}

static void weights_and_scores_can_be_looked_at(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    FeaturePairs p = all_pairs(t, PAIRS_DIFFERENT);
    Var *a = random_value(t, 8, 3, 1, 3), *x = random_value(t, 8, 3, 2, 1);
    Var *s = op_feature_attend(t, a, a, x, 5, &p);
    Real weights[12], scores[12];
    FeatureLook *look = feature_look_begin(tape_arena(t), a, a, 5, &p);
    feature_look(look, 0, 2, weights, scores);
    for (int k = 0; k < 3; k++) {
        double sum = 0, context = 0;
        for (int j = 0; j < 4; j++) {
            assert_true(j == 2 ? weights[j * 3 + k] == 0 && isnan((double)scores[j * 3 + k])
                               : fabs((double)scores[j * 3 + k]) < 5);
            sum += (double)weights[j * 3 + k];
            context += (double)weights[j * 3 + k] * (double)var_row(x, j)[k];
        }
        assert_close(sum, 1, 1e-14);
        assert_close(context, var_row(s, 2)[k], 1e-13);
    }
    feature_look(look, 1, 4, weights, scores);
    assert_true(weights[0] == 0 && isnan((double)scores[0]));
    tape_free(t);
}

/* ---- pooling ---- */

static void the_penalty_knows_equal_and_different_hops(void **state)
{
    (void)state;
    enum { N = 4, R = 3 };
    const int length = N;
    Tape *t = tape_new_inference(NULL);
    Ragged rows = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 1, &length);
    Var *uniform = op_pool_softmax(t, tape_zeros(t, N, R), &rows);
    double want = R * pow(1.0 / N - 1, 2) + R * (R - 1) / (double)(N * N);
    assert_close(op_pool_penalty(t, uniform, 1, &rows)->value[0], want, 1e-14);
    Var *apart = tape_zeros(t, N, R);
    for (int k = 0; k < R; k++)
        var_row(apart, k + 1)[k] = 1;
    assert_true(op_pool_penalty(t, apart, 1, &rows)->value[0] == 0);
    tape_free(t);
}

static void pooling_an_empty_sequence_gives_zero(void **state)
{
    (void)state;
    const int lengths[] = {0, 2};
    Tape *t = tape_new(NULL, NULL);
    Ragged rows = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 2, lengths);
    const Real data[] = {1, 2, 3, 4};
    Var *x = tape_input(t, 2, 2, data);
    Var *a = op_pool_softmax(t, x, &rows);
    Var *all[] = {op_pool_sum(t, x, &rows), op_pool_mean(t, x, &rows),
                  op_pool_product(t, a, x, &rows)};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < all[i]->cols; k++)
            assert_true(all[i]->value[k] == 0);
    assert_true(var_row(all[1], 1)[0] == 2 && var_row(all[0], 1)[1] == 6);
    tape_backward(t, op_sum(t, op_add(t, all[0], all[1])));
    assert_true(x->grad[0] == (Real)1.5);
    const int *sequence = pool_sequence_of_rows(t, &rows);
    assert_true(sequence[0] == 1 && sequence[1] == 1);
    tape_free(t);
}

static void pooling_weights_survive_extreme_scores(void **state)
{
    (void)state;
    const int length = 2;
    Tape *t = tape_new_inference(NULL);
    Ragged rows = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 1, &length);
    const Real data[] = {(Real)1e4, (Real)-1e4, (Real)-1e4, (Real)-1e4};
    Var *a = op_pool_softmax(t, tape_constant(t, 2, 2, data), &rows);
    assert_true(a->value[0] == 1 && a->value[2] == 0);
    assert_close(a->value[1], 0.5, 1e-15);
    tape_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_central_differences),
        cmocka_unit_test(the_fused_loop_is_the_definition),
        cmocka_unit_test(pairs_are_counted_by_the_formula),
        cmocka_unit_test(a_head_without_dependents_reads_nothing),
        cmocka_unit_test(gradients_that_nobody_wants_change_nothing),
        cmocka_unit_test(the_mean_is_attention_without_scores),
        cmocka_unit_test(weights_and_scores_can_be_looked_at),
        cmocka_unit_test(the_penalty_knows_equal_and_different_hops),
        cmocka_unit_test(pooling_an_empty_sequence_gives_zero),
        cmocka_unit_test(pooling_weights_survive_extreme_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
