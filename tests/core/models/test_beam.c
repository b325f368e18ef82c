/* Beam search over a decoder of five tokens whose logits are written down: a wide beam, what is
 * pruned and when, and a prefix. */
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#include "models/beam.h"

enum { END, A, B, C, D, N_TOKENS };

/* Which token comes next depends on the last one alone. */
static const double next_probability[N_TOKENS][N_TOKENS] = {
    [END] = {0.01, 0.5, 0.3, 0.15, 0.04}, /* at the beginning */
    [A] = {0.1, 0.1, 0.2, 0.3, 0.3},      [B] = {0.9, 0.04, 0.03, 0.02, 0.01},
    [C] = {0.2, 0.2, 0.2, 0.2, 0.2},      [D] = {0.6, 0.1, 0.1, 0.1, 0.1},
};

typedef struct Fake {
    Real rows[RUN_MAX_BEAM * N_TOKENS];
    Var logits;
} Fake;

static const Var *fake_logits(void *context, int step, int n, const int *from, const int *last)
{
    Fake *fake = context;
    assert_true(n >= 1 && n <= RUN_MAX_BEAM);
    assert_true((step == 0) == (from == NULL));
    for (int i = 0; i < n; i++)
        for (int v = 0; v < N_TOKENS; v++)
            fake->rows[i * N_TOKENS + v] = (Real)log(next_probability[last[i]][v]) + 3;
    fake->logits = (Var){.rows = n, .cols = N_TOKENS, .value = fake->rows};
    return &fake->logits;
}

static BeamResult search(BeamSpec spec)
{
    Fake fake;
    BeamResult result;
    Error error = {0};
    spec.begin_token = spec.end_token = END;
    const BeamDecoder decoder = {&fake, fake_logits};
    assert_ok(beam_search(&decoder, &spec, &result, &error));
    return result;
}

/* Of all hypotheses of at most n more tokens that end: the best total. */
static double best_of_all(int last, int n)
{
    double best = -INFINITY;
    for (int v = 0; v < N_TOKENS && n > 0; v++) {
        double p = log(next_probability[last][v]);
        double rest = v == END ? 0 : best_of_all(v, n - 1);
        best = fmax(best, p + rest);
    }
    return best;
}

static void a_beam_wider_than_the_vocabulary_takes_all_that_there_is(void **state)
{
    (void)state;
    BeamResult r =
        search((BeamSpec){.width = RUN_MAX_BEAM, .max_steps = 2, .length_penalty = 1e-9});
    int finished = 0;
    for (int i = 0; i < r.n_nodes; i++) {
        finished += r.nodes[i].token == END;
        assert_int_equal(r.nodes[i].dropped_at, 0);
    }
    /* All hypotheses of one token and of two, and those that end. */
    assert_int_equal(r.n_nodes, N_TOKENS + (N_TOKENS - 1) * N_TOKENS);
    assert_int_equal(finished, 1 + N_TOKENS - 1);
    assert_close(r.score, best_of_all(END, 2), 1e-5);
    beam_result_free(&r);
}

static void what_is_pruned_says_when_its_score_and_the_worst_that_was_kept(void **state)
{
    (void)state;
    BeamResult r = search((BeamSpec){.width = 3, .max_steps = 6});
    int n_dropped = 0;
    for (int i = 0; i < r.n_nodes; i++) {
        const BeamNode *node = &r.nodes[i];
        if (node->dropped_at == 0)
            continue;
        n_dropped++;
        assert_int_equal(node->state, TRACE_BEAM_PRUNED);
        assert_int_equal(node->dropped_at, node->step + 1);
        assert_true(node->dropped_score <= node->kept_score);
        double best = -INFINITY, worst = INFINITY;
        for (int v = 0; v < N_TOKENS; v++)
            best = fmax(best, node->total + log(next_probability[node->token][v]));
        for (int k = 0; k < r.n_nodes; k++)
            if (r.nodes[k].step == node->dropped_at)
                worst = fmin(worst, r.nodes[k].score);
        assert_close(node->dropped_score, best / (node->dropped_at + 1), 1e-5);
        assert_close(node->kept_score, worst, 1e-5);
    }
    assert_true(n_dropped >= 1);
    /* Every leaf that is neither finished nor live was dropped somewhere. */
    for (int i = 0; i < r.n_nodes; i++) {
        bool is_leaf = true;
        for (int k = i + 1; k < r.n_nodes; k++)
            is_leaf = is_leaf && r.nodes[k].parent != i;
        if (is_leaf && r.nodes[i].state == TRACE_BEAM_PRUNED)
            assert_true(r.nodes[i].dropped_at > 0);
    }
    beam_result_free(&r);
}

static void every_hypothesis_begins_with_the_prefix_and_the_search_goes_on_behind_it(void **state)
{
    (void)state;
    const int prefix[] = {C, D};
    BeamResult r = search((BeamSpec){.width = 3, .max_steps = 6, .n_prefix = 2, .prefix = prefix});
    int behind = 0;
    for (int i = 0; i < r.n_nodes; i++) {
        if (r.nodes[i].step < 2)
            assert_int_equal(r.nodes[i].token, prefix[r.nodes[i].step]);
        behind += r.nodes[i].step == 2;
    }
    assert_int_equal(behind, 3);
    assert_int_equal(r.tokens[0], C);
    assert_int_equal(r.tokens[1], D);
    assert_int_equal(r.tokens[2], END);
    beam_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beam_wider_than_the_vocabulary_takes_all_that_there_is),
        cmocka_unit_test(what_is_pruned_says_when_its_score_and_the_worst_that_was_kept),
        cmocka_unit_test(every_hypothesis_begins_with_the_prefix_and_the_search_goes_on_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
