/* Sessions of classifiers that compare two sentences. */
#include "sentence_sessions.h"

static const char pair[] = "a slow start , but ||| a strong end";
enum { FIRST = 5, SECOND = 3, BOTH = FIRST + SECOND };

static Model *comparer(const char *kind)
{
    const char *const settings[] = {kind, "pair=yes", NULL};
    return new_model(settings);
}

static const char *const kinds[] = {"attention=none",       "attention=multi-head",
                                    "attention=structured", "attention=disan",
                                    "attention=resan",      "attention=hard"};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static bool same_sentence(int i, int j)
{
    return (i < FIRST) == (j < FIRST);
}

static void a_bar_a_tab_or_a_line_end_stands_between_two_sentences(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a slow start , but\ta strong end", "a slow start , but\na strong end",
        "\n a slow start , but \r\n a strong end \n", "a slow start , but|||a strong end"};
    Model *model = comparer("attention=resan");
    const Trace *want = run(model, pair, NULL);
    assert_string_equal(trace_attribute(want, "first"), "5");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const Trace *trace = run(model, texts[i], NULL);
        const TraceAxis *axis = trace_axis(trace, trace_find_axis(trace, "token"));
        assert_int_equal(axis->len, BOTH);
        for (int k = 0; k < BOTH; k++) {
            size_t n = strlen(axis->labels[k]);
            assert_int_equal(axis->spans[k].end - axis->spans[k].begin, n);
            assert_memory_equal(texts[i] + axis->spans[k].begin, axis->labels[k], n);
        }
        for (int c = 0; c < 3; c++)
            assert_true(trace_class(trace, c)->probability == trace_class(want, c)->probability);
        trace_release(trace);
    }
    trace_release(want);
    model_release(model);
}

static void anything_but_two_sentences_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",           " ",        "a slow start",  "|||",
                                        "a |||",      "||| a",    "a ||| a ||| a", "a\ta\ta",
                                        "a ||| a\na", "a\n\n \t", "a || a"};
    Model *model = comparer("attention=resan");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        Error error = {0};
        const RunInput input = {.text = texts[i]};
        Session *session = session_begin(model, &input, NULL, &error);
        if (session)
            fail_msg("\"%s\" was taken for two sentences", texts[i]);
        assert_non_null(strstr(error.message, "\"first ||| second\" was expected"));
    }
    model_release(model);
}

/* Rows of weights stay within their sentence; those of pooling sum to one in each. */
static void no_word_reads_the_other_sentence(void **state)
{
    (void)state;
    for (int k = 0; k < N_KINDS; k++) {
        Model *model = comparer(kinds[k]);
        const Trace *trace = run(model, pair, NULL);
        bool pairs = trace_find(trace, "attention.weights") != NULL;
        for (int i = 0; pairs && i < BOTH; i++)
            for (int j = 0; j < BOTH; j++)
                if (!same_sentence(i, j)) {
                    assert_true(at(trace, "attention.weights", i, j) == 0);
                    assert_true(isnan(at(trace, "attention.scores", i, j)));
                }
        for (int part = 0; part < 2; part++) {
            double sum = 0;
            for (int j = part * FIRST; j < (part ? BOTH : FIRST); j++)
                sum += (double)at(trace, "pool.weights", 0, j);
            if (!(fabs(sum - 1) < 1e-5 || sum == 0))
                fail_msg("%s: sentence %d pools %g", kinds[k], part, sum);
        }
        trace_release(trace);
        model_release(model);
    }
}

/* What a word does depends on its own sentence alone, wherever that stands. */
static void exchanging_the_sentences_exchanges_their_maps(void **state)
{
    (void)state;
    for (int k = 0; k < N_KINDS; k++) {
        Model *model = comparer(kinds[k]);
        const Trace *a = run(model, pair, NULL);
        const Trace *b = run(model, "a strong end ||| a slow start , but", NULL);
        for (int i = 0; i < BOTH; i++) {
            int to = i < FIRST ? i + SECOND : i - FIRST;
            assert_close(at(a, "pool.weights", 0, i), at(b, "pool.weights", 0, to), 1e-6);
            for (int j = 0; trace_find(a, "attention.weights") && j < BOTH; j++)
                assert_close(at(a, "attention.weights", i, j),
                             at(b, "attention.weights", to, j < FIRST ? j + SECOND : j - FIRST),
                             1e-6);
        }
        trace_release(a);
        trace_release(b);
        model_release(model);
    }
}

static void the_same_sentence_twice_has_the_same_map_twice(void **state)
{
    (void)state;
    Model *model = comparer("attention=disan");
    const Trace *trace = run(model, "a slow start ||| a slow start", NULL);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_close(at(trace, "attention.weights", i, j),
                         at(trace, "attention.weights", i + 3, j + 3), 1e-6);
    trace_release(trace);
    model_release(model);
}

static void flips_and_shares_count_the_words_of_both(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = comparer("attention=resan");
    const Trace *before = run(model, pair, NULL);
    static const int last_dependent[] = {2 * BOTH - 1}, outside[] = {2 * BOTH};
    const RunInput input = {.text = pair};
    Intervention change = {0, STEP_CHOICE_NONE};
    change.choice.n_flips = 1;
    change.choice.flips = last_dependent;
    const Trace *after = model_run(model, &input, NULL, 1, &change, &error);
    assert_non_null(after);
    for (int i = 0; i < BOTH; i++)
        assert_int_equal(at(before, "dependent.selected", 0, i) != 0,
                         (at(after, "dependent.selected", 0, i) != 0) != (i == BOTH - 1));
    double pairs = trace_step_scalar(trace_step(after, 1), "pairs");
    double share = trace_step_scalar(trace_step(after, 1), "share.pairs");
    assert_close(share, pairs / (FIRST * (FIRST - 1) + SECOND * (SECOND - 1)), 1e-9);
    change.choice.flips = outside;
    assert_refused(model_run(model, &input, NULL, 1, &change, &error), "there are 16");
    trace_release(before);
    trace_release(after);
    model_release(model);
}

static void an_expectation_over_sure_selections_is_the_run(void **state)
{
    (void)state;
    static const char *const settings[] = {"attention=resan", "pair=yes", NULL};
    Model *model = new_model(settings);
    for (int k = 0; k < 2; k++) {
        static const char *const names[] = {"select.head.bias", "select.dependent.bias"};
        const Param *bias = param_find(model->params, names[k]);
        assert_non_null(bias);
        param_value(model->params, bias)[0] = 60;
    }
    const RunOptions draws = {.paths = 40};
    const Trace *one = run(model, pair, NULL), *many = run(model, pair, &draws);
    for (int c = 0; c < 3; c++) {
        assert_close(trace_class(one, c)->probability, trace_class(many, c)->probability, 1e-6);
        assert_close(at(many, "class.deviation", 0, c), 0, 1e-4);
    }
    trace_release(one);
    trace_release(many);
    model_release(model);
}

static void one_word_each_unknown_words_and_hidden_sentences_are_fine(void **state)
{
    (void)state;
    static const int first[FIRST] = {0, 1, 2, 3, 4};
    const RunOptions none = {0}, hidden = {.n_hidden = FIRST, .hidden = first};
    for (int k = 0; k < N_KINDS; k++) {
        Model *model = comparer(kinds[k]);
        for (int i = 0; i < 3; i++) {
            const Trace *trace =
                run(model, i == 0 ? "a ||| qwerty" : pair, i == 2 ? &hidden : &none);
            for (int c = 0; c < 3; c++)
                assert_true(isfinite(trace_class(trace, c)->probability));
            trace_release(trace);
        }
        model_release(model);
    }
}

static void a_thousand_words_of_both_run(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    Model *model = comparer("attention=resan");
    char *text = memory_new(7 * MANY + 1, 1);
    for (int i = 0; i < MANY; i++)
        memcpy(text + 7 * i, i == 600 ? "  |||  " : i % 3 ? "strong " : "slow   ", 7);
    const RunOptions options = {.sample = true};
    const Trace *trace = run(model, text, &options);
    assert_string_equal(trace_attribute(trace, "first"), "600");
    assert_int_equal(trace_axis(trace, trace_find_axis(trace, "token"))->len, MANY - 1);
    trace_release(trace);
    free(text);
    model_release(model);
}

static void a_saved_pair_model_runs_the_same(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = comparer("attention=resan");
    assert_ok(model_save(model, "test_sentence_pair.safetensors", false, &error));
    Model *loaded = model_load("test_sentence_pair.safetensors", &error);
    if (!loaded)
        fail_msg("%s", error.message);
    free(model->name);
    model->name = memory_copy_string("test_sentence_pair");
    char *a = json_of(run(model, pair, NULL)), *b = json_of(run(loaded, pair, NULL));
    assert_string_equal(a, b);
    free(a);
    free(b);
    model_release(loaded);
    model_release(model);
    remove("test_sentence_pair.safetensors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_a_tab_or_a_line_end_stands_between_two_sentences),
        cmocka_unit_test(anything_but_two_sentences_is_refused),
        cmocka_unit_test(no_word_reads_the_other_sentence),
        cmocka_unit_test(exchanging_the_sentences_exchanges_their_maps),
        cmocka_unit_test(the_same_sentence_twice_has_the_same_map_twice),
        cmocka_unit_test(flips_and_shares_count_the_words_of_both),
        cmocka_unit_test(an_expectation_over_sure_selections_is_the_run),
        cmocka_unit_test(one_word_each_unknown_words_and_hidden_sentences_are_fine),
        cmocka_unit_test(a_thousand_words_of_both_run),
        cmocka_unit_test(a_saved_pair_model_runs_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
