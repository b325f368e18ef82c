#include "core/grad/gradient_check.h"

#include <stdlib.h>
#include <string.h>

#include "attention/attention.h"
#include "attention/transformer.h"

/* Three sequences as queries and keys of other lengths; two heads. */
static const int key_lengths[] = {4, 3, 1}, query_lengths[] = {2, 3, 1};
static const unsigned char keep[] = {1, 0, 1, 1, 1, 1, 0, 0};
static const int owners[] = {1, 1, 0};

static Ragged *ragged(Tape *t, const int *lengths)
{
    Ragged *r = arena_get(tape_arena(t), 1, sizeof *r);
    *r = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 3, lengths);
    return r;
}

static MultiHeadSpec own_spec(Tape *t)
{
    const Ragged *rows = ragged(t, key_lengths);
    return (MultiHeadSpec){.heads = 2, .queries = rows, .keys = rows};
}

static MultiHeadSpec cross_spec(Tape *t)
{
    return (MultiHeadSpec){
        .heads = 2, .queries = ragged(t, query_lengths), .keys = ragged(t, key_lengths)};
}

static Var *own(Tape *t, Var *const *x)
{
    MultiHeadSpec spec = own_spec(t);
    return op_multi_head(t, x[0], x[1], x[2], &spec).output;
}
static Var *own_causal(Tape *t, Var *const *x)
{
    MultiHeadSpec spec = own_spec(t);
    spec.causal = true;
    return op_multi_head(t, x[0], x[1], x[2], &spec).output;
}
static Var *own_hidden(Tape *t, Var *const *x)
{
    MultiHeadSpec spec = own_spec(t);
    spec.keep = keep;
    return op_multi_head(t, x[0], x[1], x[2], &spec).output;
}
static Var *own_one_input(Tape *t, Var *const *x)
{
    MultiHeadSpec spec = own_spec(t);
    return op_multi_head(t, x[0], x[0], x[0], &spec).output;
}
static Var *cross(Tape *t, Var *const *x)
{
    MultiHeadSpec spec = cross_spec(t);
    return op_multi_head(t, x[0], x[1], x[2], &spec).output;
}
static Var *cross_shared(Tape *t, Var *const *x)
{
    MultiHeadSpec spec = cross_spec(t);
    spec.owner = owners;
    spec.causal = true;
    return op_multi_head(t, x[0], x[1], x[2], &spec).output;
}

static const GradientCase cases[] = {
    {"op_multi_head", own, {{8, 6}, {8, 6}, {8, 4}}},
    {"op_multi_head, causal", own_causal, {{8, 6}, {8, 6}, {8, 4}}},
    {"op_multi_head with hidden keys", own_hidden, {{8, 6}, {8, 6}, {8, 4}}},
    {"op_multi_head of one input", own_one_input, {{8, 4}}},
    {"op_multi_head across", cross, {{6, 4}, {8, 4}, {8, 6}}},
    {"op_multi_head across, shared keys", cross_shared, {{6, 4}, {8, 4}, {8, 6}}},
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

static const Real *weights_of(const MultiHead *m, int rows, int steps, int head, int row)
{
    return m->weights + ((size_t)head * (size_t)rows + (size_t)row) * (size_t)steps;
}

static void one_head_is_scaled_dot_attention_in_three_stages(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    MultiHeadSpec spec = own_spec(t);
    spec.heads = 1;
    spec.wants_scores = true;
    Var *q = random_value(t, 8, 5, 1), *k = random_value(t, 8, 5, 2), *v = random_value(t, 8, 3, 3);
    MultiHead m = op_multi_head(t, q, k, v, &spec);
    const int owner[] = {0, 0, 0, 0, 1, 1, 1, 2};
    AttendTo to = {spec.keys, owner, NULL, NULL};
    Var *e = op_score_dot(t, q, k, (Real)(1 / sqrt(5)), &to);
    Var *a = op_align_softmax(t, e, 1, &to);
    Var *c = op_context(t, a, v, &to);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++) {
            assert_close(weights_of(&m, 8, 4, 0, i)[j], var_row(a, i)[j], 1e-14);
            if (j < spec.keys->length[owner[i]])
                assert_close(m.scores[i * 4 + j], var_row(e, i)[j], 1e-14);
            else
                assert_true(isnan((double)m.scores[i * 4 + j]));
        }
    for (size_t i = 0; i < var_size(c); i++)
        assert_close(m.output->value[i], c->value[i], 1e-14);
    tape_free(t);
}

static void weights_sum_to_one_over_what_is_seen(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    MultiHeadSpec spec = own_spec(t);
    spec.causal = true;
    spec.keep = keep;
    MultiHead m = op_multi_head(t, random_value(t, 8, 4, 1), random_value(t, 8, 4, 2),
                                random_value(t, 8, 4, 3), &spec);
    for (int head = 0; head < 2; head++)
        for (int i = 0; i < 3; i++)
            for (int q = 0; q < key_lengths[i]; q++) {
                int row = spec.keys->start[i] + q;
                const Real *a = weights_of(&m, 8, 4, head, row);
                double sum = 0;
                bool sees = false;
                for (int j = 0; j < 4; j++) {
                    bool may = j <= q && j < key_lengths[i] && keep[spec.keys->start[i] + j];
                    sees = sees || may;
                    assert_true(may ? a[j] > 0 : a[j] == 0);
                    sum += (double)a[j];
                }
                assert_close(sum, sees ? 1 : 0, 1e-14);
                for (int k = 0; !sees && k < 2; k++)
                    assert_true(var_row(m.output, row)[head * 2 + k] == 0);
            }
    tape_free(t);
}

static void the_output_moves_with_a_permutation_of_the_words(void **state)
{
    (void)state;
    static const int order[] = {2, 0, 3, 1}, length = 4;
    Tape *t = tape_new_inference(NULL);
    Ragged rows = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 1, &length);
    const MultiHeadSpec spec = {.heads = 2, .queries = &rows, .keys = &rows};
    Var *x = random_value(t, 4, 6, 4), *moved = op_gather(t, x, 4, order);
    MultiHead a = op_multi_head(t, x, x, x, &spec),
              b = op_multi_head(t, moved, moved, moved, &spec);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 6; k++)
            assert_close(var_row(b.output, i)[k], var_row(a.output, order[i])[k], 1e-14);
        for (int j = 0; j < 4; j++)
            assert_close(weights_of(&b, 4, 4, 1, i)[j], weights_of(&a, 4, 4, 1, order[i])[order[j]],
                         1e-14);
    }
    tape_free(t);
}

static void causal_rows_do_not_depend_on_later_words(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    MultiHeadSpec spec = own_spec(t);
    spec.causal = true;
    Var *x = random_value(t, 8, 4, 5), *y = random_value(t, 8, 4, 5);
    for (int k = 0; k < 4; k++)
        var_row(y, 2)[k] += 3;
    MultiHead a = op_multi_head(t, x, x, x, &spec), b = op_multi_head(t, y, y, y, &spec);
    assert_memory_equal(a.output->value, b.output->value, 2 * 4 * sizeof(Real));
    assert_memory_not_equal(var_row(a.output, 3), var_row(b.output, 3), 4 * sizeof(Real));
    assert_memory_equal(var_row(a.output, 4), var_row(b.output, 4), 4 * 4 * sizeof(Real));
    tape_free(t);
}

static void equal_scores_give_equal_weights_and_one_key_takes_all(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    MultiHeadSpec spec = own_spec(t);
    MultiHead m = op_multi_head(t, tape_zeros(t, 8, 4), random_value(t, 8, 4, 1),
                                random_value(t, 8, 4, 2), &spec);
    for (int j = 0; j < 4; j++)
        assert_close(weights_of(&m, 8, 4, 1, 2)[j], 0.25, 1e-15);
    assert_true(weights_of(&m, 8, 4, 1, 7)[0] == 1);
    tape_free(t);
}

/* Word by word over keys that stay in rooms of their own, with gaps behind them: the same as
 * the whole causal square. */
static void a_growing_cache_gives_the_rows_of_the_whole(void **state)
{
    (void)state;
    enum { N = 2, ROOM = 6, LENGTH = 5, D = 4 };
    Tape *t = tape_new_inference(NULL);
    const int whole_lengths[N] = {LENGTH, LENGTH}, one[N] = {1, 1};
    Ragged rows = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, N, whole_lengths);
    const MultiHeadSpec whole = {.heads = 2, .queries = &rows, .keys = &rows, .causal = true};
    Var *x = random_value(t, N * LENGTH, D, 8);
    MultiHead want = op_multi_head(t, x, x, x, &whole);
    Real cache[N * ROOM * D];
    for (int i = 0; i < N * ROOM * D; i++)
        cache[i] = (Real)NAN; /* what is not filled must not be read */
    for (int step = 0; step < LENGTH; step++) {
        Var *query = tape_zeros(t, N, D);
        for (int i = 0; i < N; i++) {
            memcpy(var_row(query, i), var_row(x, i * LENGTH + step), D * sizeof(Real));
            memcpy(cache + (i * ROOM + step) * D, var_row(x, i * LENGTH + step), D * sizeof(Real));
        }
        const int start[N + 1] = {0, ROOM, 2 * ROOM}, length[N] = {step + 1, step + 1};
        Ragged keys = {RAGGED_SEQUENCE_MAJOR, N, step + 1, N * ROOM, length, start};
        Ragged queries = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, N, one);
        const MultiHeadSpec spec = {.heads = 2, .queries = &queries, .keys = &keys, .causal = true};
        Var *over = tape_borrow(t, N * ROOM, D, cache);
        MultiHead got = op_multi_head(t, query, over, over, &spec);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < D; k++)
                assert_close(var_row(got.output, i)[k], var_row(want.output, i * LENGTH + step)[k],
                             1e-14);
    }
    tape_free(t);
}

static void replaced_rows_are_used_and_the_others_stay(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    MultiHeadSpec spec = cross_spec(t);
    Var *q = random_value(t, 6, 4, 1), *k = random_value(t, 8, 4, 2), *v = random_value(t, 8, 4, 3);
    MultiHead before = op_multi_head(t, q, k, v, &spec);
    Real given[2 * 6 * 4];
    for (int i = 0; i < 2 * 6 * 4; i++)
        given[i] = (Real)NAN;
    const Real row[] = {0, 1, 0, 0};
    memcpy(given + (6 + 3) * 4, row, sizeof row); /* head 1, second query of sequence 1 */
    spec.replaced = given;
    MultiHead after = op_multi_head(t, q, k, v, &spec);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++) {
            Real want = i == 3 && j >= 2 ? var_row(v, 5)[j] : var_row(before.output, i)[j];
            assert_close(var_row(after.output, i)[j], want, 1e-14);
        }
    tape_free(t);
}

static void not_a_number_stays_in_its_row(void **state)
{
    (void)state;
    Tape *t = tape_new_inference(NULL);
    MultiHeadSpec spec = own_spec(t);
    Var *q = random_value(t, 8, 4, 1), *k = random_value(t, 8, 4, 2);
    var_row(q, 1)[0] = (Real)NAN;
    MultiHead m = op_multi_head(t, q, k, k, &spec);
    for (int row = 0; row < 8; row++)
        for (int i = 0; i < 4; i++)
            assert_int_equal(isnan((double)var_row(m.output, row)[i]) != 0, row == 1 && i < 2);
    tape_free(t);
}

static void empty_sequences_are_fine(void **state)
{
    (void)state;
    static const int no_keys[] = {0, 2, 0}, some[] = {1, 0, 2};
    Tape *t = tape_new(NULL, NULL);
    Ragged keys = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 3, no_keys);
    Ragged queries = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 3, some);
    const MultiHeadSpec spec = {.heads = 1, .queries = &queries, .keys = &keys, .causal = true};
    const Real data[6] = {1, 2, 3, 4, 5, 6};
    Var *q = tape_input(t, 3, 2, data), *k = tape_input(t, 2, 2, data);
    MultiHead m = op_multi_head(t, q, k, k, &spec);
    for (size_t i = 0; i < var_size(m.output); i++)
        assert_true(m.output->value[i] == 0);
    tape_backward(t, op_sum(t, m.output));
    for (int i = 0; i < 4; i++)
        assert_true(k->grad[i] == 0);
    tape_free(t);
}

/* ---- layers ---- */

static void a_layer_over_kept_keys_is_the_layer(void **state)
{
    (void)state;
    Error error = {0};
    ParamSet *params = param_set_new();
    MultiHeadLayer layer = multi_head_layer_declare(params, "self", 6, 3);
    FeedForwardLayer forward = feed_forward_layer_declare(params, "forward", 6, 9);
    NormLayer norm = norm_layer_declare(params, "norm", 6);
    assert_ok(param_set_allocate(params, &error));
    Random random = random_seed(2, RANDOM_INIT);
    param_set_initialise(params, &random);
    assert_int_equal(param_set_elements(params), 4 * (36 + 6) + 2 * 54 + 9 + 6 + 12);
    assert_non_null(param_find(params, "self.query.W"));
    Tape *t = tape_new_inference(params);
    MultiHeadSpec spec = own_spec(t);
    Var *x = random_value(t, 8, 6, 1);
    MultiHead a = multi_head_layer(t, &layer, x, x, &spec);
    KeysValues keys = multi_head_layer_keys(t, &layer, x);
    MultiHead b = multi_head_layer_over(t, &layer, x, &keys, &spec);
    assert_memory_equal(a.output->value, b.output->value, var_size(x) * sizeof(Real));
    Var *y = feed_forward_layer(t, &forward, norm_layer(t, &norm, a.output), 0, NULL);
    tape_check_shape("feed_forward_layer", y, 8, 6);
    tape_free(t);
    param_set_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_central_differences),
        cmocka_unit_test(one_head_is_scaled_dot_attention_in_three_stages),
        cmocka_unit_test(weights_sum_to_one_over_what_is_seen),
        cmocka_unit_test(the_output_moves_with_a_permutation_of_the_words),
        cmocka_unit_test(causal_rows_do_not_depend_on_later_words),
        cmocka_unit_test(equal_scores_give_equal_weights_and_one_key_takes_all),
        cmocka_unit_test(a_growing_cache_gives_the_rows_of_the_whole),
        cmocka_unit_test(replaced_rows_are_used_and_the_others_stay),
        cmocka_unit_test(not_a_number_stays_in_its_row),
        cmocka_unit_test(empty_sequences_are_fine),
        cmocka_unit_test(a_layer_over_kept_keys_is_the_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
