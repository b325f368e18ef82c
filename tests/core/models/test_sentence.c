/* Sessions of sentence classifiers: stages, interventions, traces, files, bad input. */
#include "sentence_sessions.h"

#include <stdio.h>

static const char sentence[] = "a slow start , but a strong end";
enum { WORDS = 8 };

static const Trace *run_flipped(const Model *model, const RunOptions *options, int n,
                                const int *flips)
{
    Error error = {0};
    const RunInput input = {.text = sentence};
    Intervention change = {0, STEP_CHOICE_NONE};
    change.choice.n_flips = n;
    change.choice.flips = flips;
    const Trace *trace = model_run(model, &input, options, 1, &change, &error);
    if (!trace)
        fail_msg("%s", error.message);
    return trace;
}

/* ---- stages ---- */

static void a_session_shows_one_stage_after_the_other(void **state)
{
    (void)state;
    static const char *const stages[] = {"selection", "mask",    "scores", "weights",
                                         "gate",      "pooling", "class"};
    static const char *const tensors[] = {"head.selected",     "attention.mask", "attention.scores",
                                          "attention.weights", "gate.mean",      "pool.weights"};
    Error error = {0};
    Model *model = resan();
    const RunInput input = {.text = sentence};
    Session *session = session_begin(model, &input, NULL, &error);
    assert_non_null(session);
    for (int i = 0; i < 7; i++) {
        assert_false(session_is_done(session));
        assert_ok(session_step(session, NULL, &error));
        const Trace *trace = session_trace(session, &error);
        assert_string_equal(trace_step(trace, i)->token, stages[i]);
        for (int k = 0; k < 6; k++)
            assert_int_equal(trace_find(trace, tensors[k]) != NULL, k <= i);
        assert_int_equal(trace_n_classes(trace), i == 6 ? 3 : 0);
        trace_release(trace);
    }
    assert_true(session_is_done(session));
    assert_refused(session_step(session, NULL, &error), "ended after 7 steps");
    session_free(session);
    model_release(model);
}

static void every_member_runs_and_its_rows_of_weights_sum_to_one(void **state)
{
    (void)state;
    static const char *const kinds[][3] = {
        {"attention=none"},       {"attention=multi-head", "layers=2"},
        {"attention=structured"}, {"attention=disan"},
        {"attention=resan"},      {"attention=resan", "direction=diagonal"},
        {"attention=hard"},       {"attention=resan", "unselected=mean"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        Model *model = new_model(kinds[k]);
        const Trace *trace = run(model, sentence, NULL);
        assert_int_equal(trace_axis(trace, trace_find_axis(trace, "token"))->len, WORDS);
        for (int32_t i = 0; i < trace_n_tensors(trace); i++) {
            const TraceTensor *t = trace_tensor(trace, i);
            if (t->role != TRACE_WEIGHTS)
                continue;
            int64_t rows = trace_tensor_count(trace, t) / WORDS;
            const float *data = t->data;
            for (int64_t r = 0; r < rows; r++) {
                double sum = 0;
                for (int j = 0; j < WORDS; j++)
                    sum += (double)data[r * WORDS + j];
                if (!(fabs(sum - 1) < 1e-5 || sum == 0))
                    fail_msg("%s, %s: row %d sums to %g", kinds[k][0], t->name, (int)r, sum);
            }
        }
        double sum = 0;
        for (int c = 0; c < 3; c++)
            sum += trace_class(trace, c)->probability;
        assert_close(sum, 1, 1e-6);
        trace_release(trace);
        model_release(model);
    }
}

/* What the mask allows is what heads and dependents leave, never a word with itself. */
static void the_mask_is_heads_by_dependents_without_the_diagonal(void **state)
{
    (void)state;
    static const char *const settings[] = {"attention=resan", "direction=diagonal", NULL};
    Model *model = new_model(settings);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const RunOptions options = {.sample = true, .seed = seed};
        const Trace *trace = run(model, sentence, &options);
        int heads = 0, dependents = 0, both = 0, pairs = 0;
        for (int j = 0; j < WORDS; j++) {
            bool head = at(trace, "head.selected", 0, j) != 0;
            bool dependent = at(trace, "dependent.selected", 0, j) != 0;
            heads += head;
            dependents += dependent;
            both += head && dependent;
            assert_true(head ==
                        (at(trace, "head.draws", 0, j) < at(trace, "head.probabilities", 0, j)));
            for (int i = 0; i < WORDS; i++) {
                bool allowed = head && at(trace, "dependent.selected", 0, i) != 0 && i != j;
                pairs += allowed;
                assert_true((at(trace, "attention.mask", j, i) != 0) == allowed);
                assert_true((at(trace, "attention.weights", j, i) > 0) == allowed);
                assert_true(isnan((double)at(trace, "attention.scores", j, i)) != allowed);
            }
        }
        assert_int_equal(pairs, heads * dependents - both);
        assert_true(trace_step_scalar(trace_step(trace, 1), "pairs") == pairs);
        trace_release(trace);
    }
    model_release(model);
}

/* ---- interventions ---- */

static void a_flip_turns_one_selection_and_twice_is_nothing(void **state)
{
    (void)state;
    Model *model = resan();
    const int flips[] = {2, WORDS + 3}, twice[] = {2, 2};
    const Trace *before = run(model, sentence, NULL);
    const Trace *after = run_flipped(model, NULL, 2, flips);
    for (int i = 0; i < WORDS; i++) {
        assert_int_equal(at(before, "head.selected", 0, i) != at(after, "head.selected", 0, i),
                         i == 2);
        assert_int_equal(at(before, "dependent.selected", 0, i) !=
                             at(after, "dependent.selected", 0, i),
                         i == 3);
    }
    assert_true(trace_class(before, 0)->probability != trace_class(after, 0)->probability);
    assert_int_equal(trace_n_changes(after), 2);
    assert_string_equal(trace_change(after, 0)->text, "\u201cstart\u201d turned over as head");
    trace_release(after);
    char *plain = json_of(before), *back = json_of(run_flipped(model, NULL, 2, twice));
    assert_string_equal(plain, back);
    free(plain);
    free(back);
    model_release(model);
}

static void choices_that_do_not_fit_are_refused_and_change_nothing(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = resan();
    const RunInput input = {.text = sentence};
    Session *session = session_begin(model, &input, NULL, &error);
    StepChoice choice = STEP_CHOICE_NONE;
    const int far[] = {2 * WORDS}, one[] = {1};
    choice.n_flips = 1;
    choice.flips = far;
    assert_refused(session_step(session, &choice, &error), "16 cannot be turned over");
    choice.flips = one;
    choice.token = 3;
    assert_refused(session_step(session, &choice, &error), "takes no tokens");
    assert_int_equal(session_n_steps(session), 0);
    assert_ok(session_step(session, NULL, &error));
    choice.token = -1;
    assert_refused(session_step(session, &choice, &error), "at the selection step");
    while (!session_is_done(session))
        assert_ok(session_step(session, NULL, &error));
    char *got = json_of(session_trace(session, &error)),
         *want = json_of(run(model, sentence, NULL));
    assert_string_equal(got, want);
    free(got);
    free(want);
    session_free(session);
    model_release(model);
}

static void going_back_and_forth_gives_the_same_trace(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = resan();
    const RunInput input = {.text = sentence};
    const RunOptions options = {.sample = true, .seed = 3};
    char *want = json_of(run(model, sentence, &options));
    Session *session = session_begin(model, &input, &options, &error);
    StepChoice choice = STEP_CHOICE_NONE;
    const int flips[] = {0, 1, 9};
    choice.n_flips = 3;
    choice.flips = flips;
    assert_ok(session_step(session, &choice, &error));
    assert_ok(session_step(session, NULL, &error));
    session_rewind(session, 0);
    char *empty = json_of(session_trace(session, &error));
    Session *fresh = session_begin(model, &input, &options, &error);
    char *start = json_of(session_trace(fresh, &error));
    assert_string_equal(empty, start);
    for (int i = 0; i < 7; i++)
        assert_ok(session_step(session, NULL, &error));
    session_rewind(session, 4);
    for (int i = 4; i < 7; i++)
        assert_ok(session_step(session, NULL, &error));
    char *got = json_of(session_trace(session, &error));
    assert_string_equal(got, want);
    free(got);
    free(want);
    free(empty);
    free(start);
    session_free(session);
    session_free(fresh);
    model_release(model);
}

static void another_seed_draws_other_words(void **state)
{
    (void)state;
    Model *model = resan();
    int different = 0;
    RunOptions options = {.sample = true, .seed = 1};
    char *first = json_of(run(model, sentence, &options));
    char *again = json_of(run(model, sentence, &options));
    assert_string_equal(first, again);
    for (options.seed = 2; options.seed < 6; options.seed++) {
        const Trace *other = run(model, sentence, &options);
        options.seed = 1;
        const Trace *one = run(model, sentence, &options);
        for (int i = 0; i < WORDS; i++)
            different += at(one, "head.selected", 0, i) != at(other, "head.selected", 0, i);
        options.seed = trace_attribute(other, "seed")[0] - '0';
        trace_release(one);
        trace_release(other);
    }
    assert_true(different > 4);
    free(first);
    free(again);
    model_release(model);
}

/* The mean over many draws against the sum over all selections, each turned by hand. */
static void the_expectation_is_the_sum_over_all_selections(void **state)
{
    (void)state;
    enum { N = 3, BITS = 2 * N, DRAWS = RUN_MAX_PATHS };
    Error error = {0};
    Model *model = resan();
    const RunInput input = {.text = "slow strong end"};
    const RunOptions options = {.paths = DRAWS};
    double want[3] = {0};
    for (int bits = 0; bits < 1 << BITS; bits++) {
        const Trace *base = model_run(model, &input, NULL, 0, NULL, &error);
        int flips[BITS], n = 0;
        double p = 1;
        for (int i = 0; i < BITS; i++) {
            bool head = i < N, z = bits >> i & 1;
            double pi =
                (double)at(base, head ? "head.probabilities" : "dependent.probabilities", 0, i % N);
            p *= z ? pi : 1 - pi;
            if (z != (at(base, head ? "head.selected" : "dependent.selected", 0, i % N) != 0))
                flips[n++] = i;
        }
        Intervention change = {0, STEP_CHOICE_NONE};
        change.choice.n_flips = n;
        change.choice.flips = flips;
        const Trace *trace = model_run(model, &input, NULL, 1, &change, &error);
        for (int c = 0; c < 3; c++)
            want[c] += p * trace_class(trace, c)->probability;
        trace_release(trace);
        trace_release(base);
    }
    const Trace *trace = model_run(model, &input, &options, 0, NULL, &error);
    for (int c = 0; c < 3; c++) {
        double deviation = (double)at(trace, "class.deviation", 0, c);
        assert_close(trace_class(trace, c)->probability, want[c], 5 * deviation / sqrt(DRAWS));
    }
    trace_release(trace);
    model_release(model);
}

static void a_hidden_word_is_neither_read_nor_pooled(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"attention=none"},       {"attention=multi-head"},
                                           {"attention=structured"}, {"attention=disan"},
                                           {"attention=resan"},      {"attention=hard"}};
    const int hidden[] = {1, 4};
    const RunOptions options = {.n_hidden = 2, .hidden = hidden};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        Model *model = new_model(kinds[k]);
        const Trace *trace = run(model, sentence, &options);
        const TraceTensor *pool = trace_find(trace, "pool.weights");
        int64_t rows = trace_tensor_count(trace, pool) / WORDS;
        for (int64_t r = 0; r < rows; r++)
            assert_true(((const float *)pool->data)[r * WORDS + 1] == 0 &&
                        ((const float *)pool->data)[r * WORDS + 4] == 0);
        for (int i = 0; trace_find(trace, "attention.weights") && i < WORDS; i++)
            assert_true(at(trace, "attention.weights", i, 4) == 0);
        trace_release(trace);
        Error error = {0};
        const int outside[] = {WORDS};
        const RunOptions bad = {.n_hidden = 1, .hidden = outside};
        const RunInput input = {.text = sentence};
        assert_refused(session_begin(model, &input, &bad, &error), "word 9 cannot be hidden");
        model_release(model);
    }
}

/* ---- input ---- */

static void input_without_words_and_with_too_many_is_refused(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = resan();
    RunInput input = {.text = NULL};
    assert_refused(session_begin(model, &input, NULL, &error), "a text was expected");
    input.text = " \t ";
    assert_refused(session_begin(model, &input, NULL, &error), "no word to classify");
    char *long_text = memory_new(2 * (SENTENCE_MAX_WORDS + 1) + 1, 1);
    for (int i = 0; i <= SENTENCE_MAX_WORDS; i++)
        memcpy(long_text + 2 * i, "a ", 2);
    input.text = long_text;
    assert_refused(session_begin(model, &input, NULL, &error), "4097 words; the limit is 4096");
    free(long_text);
    input.text = sentence;
    const RunOptions options[] = {{.paths = -1}, {.feature = 8}, {.force = "great"}};
    static const char *const part[] = {"-1 draws: expected 1 to 1000", "feature 9: there are 8",
                                       "none of the 3 classes"};
    for (int i = 0; i < 3; i++)
        assert_refused(session_begin(model, &input, &options[i], &error), part[i]);
    model_release(model);
    static const char *const plain[] = {"attention=disan", NULL};
    model = new_model(plain);
    const RunOptions draws = {.paths = 5};
    assert_refused(session_begin(model, &input, &draws, &error), "draws no selection");
    model_release(model);
}

static void one_word_and_unknown_words_are_fine(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"attention=none"},       {"attention=multi-head"},
                                           {"attention=structured"}, {"attention=disan"},
                                           {"attention=resan"},      {"attention=hard"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        Model *model = new_model(kinds[k]);
        const Trace *trace = run(model, "qwerty", NULL);
        const TraceAxis *axis = trace_axis(trace, trace_find_axis(trace, "token"));
        assert_int_equal(axis->len, 1);
        assert_string_equal(axis->labels[0], "qwerty");
        assert_true(axis->flags[0] & TRACE_TOKEN_UNKNOWN);
        for (int c = 0; c < 3; c++)
            assert_true(isfinite(trace_class(trace, c)->probability));
        trace_release(trace);
        model_release(model);
    }
}

static void nothing_and_everything_can_be_selected(void **state)
{
    (void)state;
    Model *model = resan();
    const Trace *base = run(model, sentence, NULL);
    for (int all = 0; all < 2; all++) {
        int flips[2 * WORDS], n = 0;
        for (int i = 0; i < 2 * WORDS; i++)
            if ((at(base, i < WORDS ? "head.selected" : "dependent.selected", 0, i % WORDS) != 0) !=
                (all == 1))
                flips[n++] = i;
        const Trace *trace = run_flipped(model, NULL, n, flips);
        assert_int_equal(trace_step(trace, 0)->n_selected, all ? WORDS : 0);
        assert_true(trace_step_scalar(trace_step(trace, 1), "share.pairs") == all);
        for (int c = 0; c < 3; c++)
            assert_true(isfinite(trace_class(trace, c)->probability));
        trace_release(trace);
    }
    trace_release(base);
    model_release(model);
}

static void every_member_takes_a_thousand_words(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    static const char *const kinds[][2] = {{"attention=none"},       {"attention=multi-head"},
                                           {"attention=structured"}, {"attention=disan"},
                                           {"attention=resan"},      {"attention=hard"}};
    char *text = memory_new(7 * MANY + 1, 1);
    for (int i = 0; i < MANY; i++)
        memcpy(text + 7 * i, i % 3 ? "strong " : "unseen ", 7);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        Model *model = new_model(kinds[k]);
        const Trace *trace = run(model, text, NULL);
        assert_int_equal(trace_axis(trace, trace_find_axis(trace, "token"))->len, MANY);
        for (int c = 0; c < 3; c++)
            assert_true(isfinite(trace_class(trace, c)->probability));
        trace_release(trace);
        model_release(model);
    }
    free(text);
}

static void a_thousand_words_keep_one_feature(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    Model *model = resan();
    char *text = memory_new(7 * MANY + 1, 1);
    for (int i = 0; i < MANY; i++)
        memcpy(text + 7 * i, i % 3 ? "strong " : "slow   ", 7);
    const RunOptions options = {.sample = true, .feature = 5};
    const Trace *trace = run(model, text, &options);
    const TraceAxis *feature = trace_axis(trace, trace_find_axis(trace, "feature"));
    assert_int_equal(feature->len, 1);
    assert_string_equal(feature->labels[0], "5");
    double share = trace_step_scalar(trace_step(trace, 1), "share.pairs");
    assert_true(share > 0 && share < 1);
    trace_release(trace);
    free(text);
    model_release(model);
}

/* ---- files ---- */

static void a_saved_model_runs_the_same(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = resan();
    assert_ok(model_save(model, "test_sentence.safetensors", false, &error));
    Model *loaded = model_load("test_sentence.safetensors", &error);
    if (!loaded)
        fail_msg("%s", error.message);
    free(model->name);
    model->name = memory_copy_string("test_sentence");
    char *a = json_of(run(model, sentence, NULL)), *b = json_of(run(loaded, sentence, NULL));
    assert_string_equal(a, b);
    assert_string_equal(model_attention(loaded), "resan");
    assert_int_equal(model_task(loaded), TASK_CLASSIFY);
    free(a);
    free(b);
    model_release(loaded);
    model_release(model);
    remove("test_sentence.safetensors");
}

static void damaged_descriptions_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{}", "class"},
        {"{\"classes\": [\"a\"]}", "class"},
        {"{\"classes\": [\"a\", 3]}", "class"},
        {"{\"classes\": [\"a\", \"b\"]}", "vocabulary"},
        {"{\"classes\": [\"a\", \"b\"], \"vocabulary\": []}", "vocabulary"}};
    const Family *family = family_find("sentence");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Error error = {0};
        json_t *metadata = json_loads(bad[i][0], 0, NULL);
        Model *model = model_new(family, settings_new(family->settings));
        assert_refused(family->open(model, metadata, &error), bad[i][1]);
        model_release(model);
        json_decref(metadata);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_shows_one_stage_after_the_other),
        cmocka_unit_test(every_member_runs_and_its_rows_of_weights_sum_to_one),
        cmocka_unit_test(the_mask_is_heads_by_dependents_without_the_diagonal),
        cmocka_unit_test(a_flip_turns_one_selection_and_twice_is_nothing),
        cmocka_unit_test(choices_that_do_not_fit_are_refused_and_change_nothing),
        cmocka_unit_test(going_back_and_forth_gives_the_same_trace),
        cmocka_unit_test(another_seed_draws_other_words),
        cmocka_unit_test(the_expectation_is_the_sum_over_all_selections),
        cmocka_unit_test(a_hidden_word_is_neither_read_nor_pooled),
        cmocka_unit_test(input_without_words_and_with_too_many_is_refused),
        cmocka_unit_test(one_word_and_unknown_words_are_fine),
        cmocka_unit_test(nothing_and_everything_can_be_selected),
        cmocka_unit_test(every_member_takes_a_thousand_words),
        cmocka_unit_test(a_thousand_words_keep_one_feature),
        cmocka_unit_test(a_saved_model_runs_the_same),
        cmocka_unit_test(damaged_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
