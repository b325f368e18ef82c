/* What must hold between members of the sentence family, and that they learn. */
#include "sentence_tiny.h"

static Real *logits_of(Tiny *tiny, const Selection *selection, Real *out)
{
    Tape *tape = tape_new_inference(tiny->params);
    SentenceBatch batch = sentence_batch(tape_arena(tape), &tiny->list, &tiny->plan, 0, 0, 1, 1);
    Var *x = sentence_embed(tiny->net, tape, &batch.rows, batch.ids);
    SentenceRun run = sentence_run(tiny->net, tape, &batch.rows, x, selection, NULL);
    memcpy(out, run.logits->value, var_size(run.logits) * sizeof *out);
    tape_free(tape);
    return out;
}

static void copy_values(const Tiny *from, Tiny *to)
{
    for (int i = 0; i < param_count(to->params); i++) {
        const Param *p = param_at(to->params, i), *q = param_find(from->params, p->name);
        if (q)
            memcpy(param_value(to->params, p), param_value(from->params, q),
                   (size_t)p->rows * (size_t)p->cols * sizeof(Real));
    }
}

static void selecting_every_word_is_disan(void **state)
{
    (void)state;
    static const int ids[5] = {3, 5, 4, 2, 6};
    static const unsigned char ones[5] = {1, 1, 1, 1, 1};
    Tiny tiny[2] = {{0}};
    Real logits[3][3];
    for (int i = 0; i < 2; i++) {
        set(&tiny[i], i == 0 ? "attention=disan" : "attention=resan");
        set(&tiny[i], "embedding=3");
        set(&tiny[i], "hidden=4");
        build(&tiny[i], 8, 3, 4, 0.5);
        add_sentence(&tiny[i], 0, 5, ids);
    }
    copy_values(&tiny[0], &tiny[1]);
    const Selection all = {{ones, ones}};
    logits_of(&tiny[0], NULL, logits[0]);
    logits_of(&tiny[1], NULL, logits[1]);
    logits_of(&tiny[1], &all, logits[2]);
    assert_memory_equal(logits[0], logits[1], sizeof logits[0]);
    assert_memory_equal(logits[0], logits[2], sizeof logits[0]);
    tiny_free(&tiny[0]);
    tiny_free(&tiny[1]);
}

/* What the policy would say plays no part while everything is selected. */
static void the_warm_phase_does_not_depend_on_the_selectors(void **state)
{
    (void)state;
    static const int ids[4] = {3, 5, 4, 2};
    Tiny tiny = {0};
    set(&tiny, "attention=resan");
    set(&tiny, "hidden=4");
    set(&tiny, "embedding=3");
    build(&tiny, 8, 3, 2, 0.5);
    add_sentence(&tiny, 2, 4, ids);
    const SentenceLossSpec spec = {.take = TAKE_ALL, .teaches_network = true, .copies = 1};
    double before = loss_of(&tiny, &spec, 1);
    for (int i = 0; i < param_count(tiny.params); i++) {
        const Param *p = param_at(tiny.params, i);
        if (p->group == PARAM_GROUP_POLICY)
            param_value(tiny.params, p)[0] += 1;
    }
    assert_true(loss_of(&tiny, &spec, 1) == before);
    tiny_free(&tiny);
}

static void a_sentence_alone_is_the_sentence_in_a_batch(void **state)
{
    (void)state;
    static const char *const kinds[] = {"none",  "multi-head", "structured",
                                        "disan", "resan",      "hard"};
    static const int ids[3][5] = {{3, 5, 4, 2, 6}, {7, 0, 0, 0, 0}, {2, 2, 5, 0, 0}};
    static const int length[3] = {5, 1, 3};
    static const unsigned char flags[9] = {1, 0, 1, 1, 0, 1, 0, 1, 0};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        Tiny all = {0};
        char text[40];
        snprintf(text, sizeof text, "attention=%s", kinds[k]);
        set(&all, text);
        set(&all, "embedding=3");
        set(&all, "hidden=4");
        set(&all, "heads=2");
        build(&all, 8, 3, 4, 0.5);
        for (int i = 0; i < 3; i++)
            add_sentence(&all, 0, length[i], ids[i]);
        Real together[9], alone[3];
        bool selects = k >= 4;
        const Selection some = {{flags, flags}};
        logits_of(&all, selects ? &some : NULL, together);
        for (int i = 0, at = 0; i < 3; at += length[i++]) {
            Tiny one = {.params = all.params, .net = all.net};
            add_sentence(&one, 0, length[i], ids[i]);
            const Selection own = {{flags + at, flags + at}};
            logits_of(&one, selects ? &own : NULL, alone);
            for (int c = 0; c < 3; c++)
                assert_close(alone[c], together[i * 3 + c], 1e-13);
        }
        tiny_free(&all);
    }
}

static void a_gone_word_leaves_no_trace_when_dropped(void **state)
{
    (void)state;
    Real logits[2][3];
    for (int other = 0; other < 2; other++) {
        const int ids[4] = {3, other ? 7 : 5, 4, 2};
        static const unsigned char flags[4] = {1, 0, 1, 1};
        Tiny tiny = {0};
        set(&tiny, "attention=resan");
        set(&tiny, "embedding=3");
        set(&tiny, "hidden=4");
        build(&tiny, 8, 3, 4, 0.5);
        add_sentence(&tiny, 0, 4, ids);
        const Selection some = {{flags, flags}};
        logits_of(&tiny, &some, logits[other]);
        tiny_free(&tiny);
    }
    assert_memory_equal(logits[0], logits[1], sizeof logits[0]);
}

static void nothing_selected_gives_finite_numbers_whatever_is_done_with_the_rest(void **state)
{
    (void)state;
    static const char *const rules[] = {"unselected=drop", "unselected=zero", "unselected=mean"};
    static const unsigned char none[3] = {0};
    static const int ids[3] = {3, 5, 4};
    for (int i = 0; i < 3; i++)
        for (int n = 1; n <= 3; n += 2) {
            Tiny tiny = {0};
            set(&tiny, "attention=resan");
            set(&tiny, "embedding=3");
            set(&tiny, "hidden=4");
            set(&tiny, rules[i]);
            build(&tiny, 8, 3, 4, 0.5);
            add_sentence(&tiny, 0, n, ids);
            const Selection nothing = {{none, none}};
            Real logits[3];
            logits_of(&tiny, &nothing, logits);
            for (int c = 0; c < 3; c++)
                assert_true(isfinite((double)logits[c]));
            tiny_free(&tiny);
        }
}

static void shares_count_words_and_pairs(void **state)
{
    (void)state;
    static const int lengths[2] = {4, 1};
    static const unsigned char heads[5] = {1, 1, 0, 0, 1}, dependents[5] = {1, 0, 1, 0, 0};
    Arena *arena = arena_new();
    Ragged rows = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, 2, lengths);
    const Selection some = {{heads, dependents}};
    SentenceShares s = sentence_shares(&rows, 0, &some);
    assert_true(s.head == 0.5 && s.dependent == 0.5 && s.kept == 0.75);
    assert_close(s.pairs, (2 * 2 - 1) / 12.0, 1e-15);
    s = sentence_shares(&rows, 1, &some);
    assert_true(s.head == 1 && s.dependent == 0 && s.pairs == 1);
    arena_free(arena);
}

/* ---- learning ---- */

static void every_member_learns_eight_sentences_by_heart(void **state)
{
    (void)state;
    static const char *const kinds[] = {"none", "multi-head", "structured", "disan", "resan"};
    static const int ids[8][3] = {{2, 3, 4}, {3, 2, 5}, {4, 4, 2}, {5, 6, 7},
                                  {6, 2, 2}, {7, 5, 3}, {2, 7, 4}, {3, 3, 3}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        Tiny tiny = {0};
        char text[40];
        snprintf(text, sizeof text, "attention=%s", kinds[k]);
        set(&tiny, text);
        set(&tiny, "embedding=8");
        set(&tiny, "hidden=8");
        build(&tiny, 8, 2, 3, 0.3);
        Random random = random_seed(1, RANDOM_INIT);
        param_set_initialise(tiny.params, &random);
        for (int i = 0; i < 8; i++)
            add_sentence(&tiny, i * 5 / 3 % 2, 3, ids[i]);
        const SentenceLossSpec spec = {.take = TAKE_ALL, .teaches_network = true, .copies = 1};
        Optimiser *optimiser = optimiser_new(tiny.params);
        const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.01, 0}};
        double first = loss_of(&tiny, &spec, 1), loss = first;
        assert_close(first, log(2), 0.6); /* 0.49 seen: eight sentences, width 8 */
        for (int step = 0; step < 500 && loss >= 0.05; step++) {
            optimiser_step(optimiser, tiny.gradient, groups, NULL);
            loss = loss_of(&tiny, &spec, 1);
        }
        if (loss >= 0.05)
            fail_msg("%s: loss %g after 500 steps", kinds[k], loss);
        optimiser_free(optimiser);
        tiny_free(&tiny);
    }
}

/* One word in five decides; the others say nothing. A policy that pays for words learns to
 * keep that one. */
static double teach_policy(double lambda, double floor, double *kept_of_others)
{
    enum { N = 5, STEPS = 200 };
    Tiny tiny = {0};
    set(&tiny, "attention=hard");
    set(&tiny, "embedding=8");
    set(&tiny, "hidden=8");
    set(&tiny, "selector-hidden=8");
    set(&tiny, "selector-bias=0");
    build(&tiny, 8, 2, 3, 0.3);
    Random random = random_seed(1, RANDOM_INIT);
    param_set_initialise(tiny.params, &random);
    for (int i = 0; i < 8; i++) {
        int ids[N] = {4, 5, 6, 7, 4};
        ids[i % N] = 2 + i % 2;
        add_sentence(&tiny, i % 2, N, ids);
    }
    SentenceLossSpec spec = {.take = TAKE_DRAWN,
                             .teaches_network = true,
                             .teaches_policy = true,
                             .copies = 4,
                             .baseline = SENTENCE_BASELINE_OTHERS,
                             .lambda = lambda,
                             .floor = floor};
    Optimiser *optimiser = optimiser_new(tiny.params);
    const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.01, 0}, {0.01, 0}};
    double pi[2] = {0};
    for (int step = 0; step <= STEPS; step++) {
        memset(tiny.gradient, 0, param_set_size(tiny.params) * sizeof(Real));
        Tape *tape = tape_new(tiny.params, tiny.gradient);
        SentenceBatch batch =
            sentence_batch(tape_arena(tape), &tiny.list, &tiny.plan, 0, 0, 1, spec.copies);
        Measures measures = {0};
        SentenceOutcome outcome;
        tape_backward(tape, sentence_loss(tiny.net, tape, &batch, &spec, &random,
                                          (Real)1 / (Real)batch.n_in_batch, &measures, &outcome));
        for (int i = 0; step == STEPS && i < batch.rows.rows; i++)
            pi[batch.ids[i] < 4] += 1 / (1 + exp(-(double)outcome.select_logits->value[i]));
        optimiser_step(optimiser, tiny.gradient, groups, NULL);
        tape_free(tape);
    }
    optimiser_free(optimiser);
    tiny_free(&tiny);
    *kept_of_others = pi[0] / (8 * 4 * (N - 1));
    return pi[1] / (8 * 4);
}

static void a_policy_keeps_the_word_that_decides(void **state)
{
    (void)state;
    double others;
    double decisive = teach_policy(1, 0, &others);
    /* The absence of one decisive word tells as much as its presence: half may go. */
    if (!(decisive > 0.4 && others < decisive / 4))
        fail_msg("keeps %g of the decisive and %g of the other words", decisive, others);
    /* Words for nothing up to the floor: no reason to drop below it. */
    double with_floor;
    teach_policy(1, 0.6, &with_floor);
    assert_true(with_floor > others + 0.05);
}

static void settings_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    Error error = {0};
    SentenceShape shape;
    Settings *settings = settings_new(sentence_settings);
    assert_ok(settings_assign(settings, "attention=multi-head", &error));
    assert_ok(settings_assign(settings, "heads=3", &error));
    assert_refused(sentence_shape(settings, 10, 2, &shape, &error), "heads=3");
    settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selecting_every_word_is_disan),
        cmocka_unit_test(the_warm_phase_does_not_depend_on_the_selectors),
        cmocka_unit_test(a_sentence_alone_is_the_sentence_in_a_batch),
        cmocka_unit_test(a_gone_word_leaves_no_trace_when_dropped),
        cmocka_unit_test(nothing_selected_gives_finite_numbers_whatever_is_done_with_the_rest),
        cmocka_unit_test(shares_count_words_and_pairs),
        cmocka_unit_test(every_member_learns_eight_sentences_by_heart),
        cmocka_unit_test(a_policy_keeps_the_word_that_decides),
        cmocka_unit_test(settings_that_contradict_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
