/* Sessions of document classifiers: stages, what is left out, interventions, files, bad input. */
#include "sessions.h"

#include <stdio.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "models/han_model.h"

static const char document[] = "The plot is thin.  Songs, however, shine! I would see it twice.";
enum { SENTENCES = 3, WORDS = 17 };

static Model *new_model(const char *pooling)
{
    Error error = {0};
    static const char *const names[] = {"negative", "positive", "neutral"};
    static const char *const small[] = {"embedding=5", "hidden=4", "attention-hidden=6",
                                        "max-words=50"};
    Model *model = model_new(family_find("han"), settings_new(han_settings));
    for (int i = 0; i < 4; i++)
        assert_ok(settings_assign(model->settings, small[i], &error));
    assert_ok(settings_set(model->settings, "pooling", pooling, &error));
    VocabularyLearner *learner = vocabulary_learner_new(&(VocabularySpec){0});
    vocabulary_learner_add(learner, document, strlen(document));
    model->network = han_classifier_new(model, vocabulary_learner_finish(learner),
                                        class_names_new(3, names, &error));
    assert_ok(param_set_allocate(model->params, &error));
    fill_params(model->params, 4, 0.9);
    return model;
}

static const Trace *run(const Model *model, const char *text, const RunOptions *options)
{
    Error error = {0};
    const RunInput input = {.text = text};
    const Trace *trace = model_run(model, &input, options, 0, NULL, &error);
    if (!trace)
        fail_msg("%s", error.message);
    return trace;
}

static const float *numbers(const Trace *trace, const char *name, int n)
{
    const TraceTensor *tensor = trace_find(trace, name);
    if (!tensor)
        fail_msg("there is no %s", name);
    assert_int_equal(trace_tensor_count(trace, tensor), n);
    return tensor->data;
}

static int best_of(const Trace *trace)
{
    int best = 0;
    for (int c = 1; c < 3; c++)
        if (trace_class(trace, c)->probability > trace_class(trace, best)->probability)
            best = c;
    return best;
}

/* ---- stages ---- */

static void a_session_shows_one_stage_after_the_other(void **state)
{
    (void)state;
    static const char *const stages[] = {"words", "vectors", "sentences", "class"};
    static const char *const tensors[] = {"word.weights", "sentence.vectors", "sentence.weights",
                                          "word.effect"};
    Error error = {0};
    Model *model = new_model("attention");
    const RunInput input = {.text = document};
    Session *session = session_begin(model, &input, NULL, &error);
    assert_non_null(session);
    for (int i = 0; i < 4; i++) {
        assert_false(session_is_done(session));
        assert_ok(session_step(session, NULL, &error));
        const Trace *trace = session_trace(session, &error);
        assert_string_equal(trace_step(trace, i)->token, stages[i]);
        for (int k = 0; k < 4; k++)
            assert_int_equal(trace_find(trace, tensors[k]) != NULL, k <= i);
        assert_int_equal(trace_n_classes(trace), i == 3 ? 3 : 0);
        trace_release(trace);
    }
    assert_true(session_is_done(session));
    assert_refused(session_step(session, NULL, &error), "ended after 4 steps");
    session_free(session);
    model_release(model);
}

static void words_point_into_the_text_and_know_their_sentence(void **state)
{
    (void)state;
    Model *model = new_model("attention");
    const Trace *trace = run(model, document, NULL);
    const TraceAxis *words = trace_axis(trace, trace_find_axis(trace, "word"));
    const TraceAxis *sentences = trace_axis(trace, trace_find_axis(trace, "sentence"));
    assert_int_equal(words->len, WORDS);
    assert_int_equal(sentences->len, SENTENCES);
    assert_string_equal(sentences->labels[1], "Songs, however, shine!");
    for (int i = 0; i < WORDS; i++) {
        const TraceSpan *span = &words->spans[i], *of = &sentences->spans[words->parent[i]];
        assert_true(span->begin >= of->begin && span->end <= of->end);
        assert_memory_equal(words->labels[i], document + span->begin,
                            (size_t)(span->end - span->begin));
    }
    trace_release(trace);
    model_release(model);
}

static void weights_sum_to_one_in_every_sentence_and_over_them(void **state)
{
    (void)state;
    static const char *const poolings[] = {"attention", "words", "mean"};
    for (int k = 0; k < 3; k++) {
        Model *model = new_model(poolings[k]);
        const Trace *trace = run(model, document, NULL);
        const TraceAxis *words = trace_axis(trace, trace_find_axis(trace, "word"));
        const float *w = numbers(trace, "word.weights", WORDS);
        const float *s = numbers(trace, "sentence.weights", SENTENCES);
        double sum[SENTENCES] = {0}, all = 0;
        for (int i = 0; i < WORDS; i++)
            sum[words->parent[i]] += (double)w[i];
        for (int i = 0; i < SENTENCES; i++) {
            assert_close(sum[i], 1, 1e-5);
            all += (double)s[i];
            if (k > 0)
                assert_close(s[i], 1.0 / SENTENCES, 1e-6);
        }
        assert_close(all, 1, 1e-5);
        trace_release(trace);
        model_release(model);
    }
    Model *model = new_model("max");
    const Trace *trace = run(model, document, NULL);
    assert_null(trace_find(trace, "word.weights"));
    numbers(trace, "word.effect", WORDS);
    trace_release(trace);
    model_release(model);
}

/* ---- what is left out ---- */

static double without(const Model *model, TraceSpan span, int class)
{
    StrBuf text = {0};
    strbuf_addf(&text, "%.*s %s", (int)span.begin, document, document + span.end);
    const Trace *trace = run(model, text.text, NULL);
    double p = trace_class(trace, class)->probability;
    trace_release(trace);
    strbuf_free(&text);
    return p;
}

static void an_effect_is_the_change_when_the_text_is_shortened_by_hand(void **state)
{
    (void)state;
    static const char *const poolings[] = {"attention", "max"};
    for (int k = 0; k < 2; k++) {
        Model *model = new_model(poolings[k]);
        const Trace *trace = run(model, document, NULL);
        int best = best_of(trace);
        double p = trace_class(trace, best)->probability;
        const TraceAxis *words = trace_axis(trace, trace_find_axis(trace, "word"));
        const TraceAxis *sentences = trace_axis(trace, trace_find_axis(trace, "sentence"));
        const float *effect = numbers(trace, "sentence.effect", SENTENCES);
        for (int i = 0; i < SENTENCES; i++)
            assert_close(effect[i], p - without(model, sentences->spans[i], best), 1e-5);
        effect = numbers(trace, "word.effect", WORDS);
        for (int i = 0; i < WORDS; i++)
            if (i > 0 && words->parent[i] == words->parent[i - 1] && /* else sentences may join */
                strcspn(words->labels[i], ".!") > 0)
                assert_close(effect[i], p - without(model, words->spans[i], best), 1e-5);
        trace_release(trace);
        model_release(model);
    }
}

static void gradient_times_input_is_the_slope_when_a_vector_grows(void **state)
{
    (void)state;
    enum { WORD = 7 }; /* "however", which stands once */
    Model *model = new_model("attention");
    const Trace *trace = run(model, document, NULL);
    int best = best_of(trace);
    double want = (double)numbers(trace, "word.gradient", WORDS)[WORD];
    trace_release(trace);
    const HanClassifier *classifier = model->network;
    const Param *embedding = param_find(model->params, "embedding");
    Real *x = param_value(model->params, embedding) +
              vocabulary_find(classifier->vocabulary, "however") * embedding->cols;
    double p[2];
    for (int k = 0; k < 2; k++) {
        Real scale = k ? (Real)(0.99 / 1.01) : (Real)1.01;
        for (int j = 0; j < embedding->cols; j++)
            x[j] *= scale;
        trace = run(model, document, NULL);
        p[k] = trace_class(trace, best)->probability;
        trace_release(trace);
    }
    assert_true(fabs(want) > 1e-4);
    assert_close((p[0] - p[1]) / 0.02, want, 2e-4 + 0.02 * fabs(want));
    model_release(model);
}

static void a_word_that_is_alone_counts_as_its_sentence(void **state)
{
    (void)state;
    Model *model = new_model("attention");
    const Trace *trace = run(model, "Songs\nThe plot is thin.", NULL);
    assert_true(numbers(trace, "word.effect", 6)[0] == numbers(trace, "sentence.effect", 2)[0]);
    trace_release(trace);
    trace = run(model, "songs", NULL);
    assert_close(numbers(trace, "word.weights", 1)[0], 1, 0);
    assert_true(numbers(trace, "word.effect", 1)[0] == numbers(trace, "sentence.effect", 1)[0]);
    trace_release(trace);
    model_release(model);
}

/* ---- interventions ---- */

static void hidden_words_receive_nothing_and_a_hidden_sentence_neither(void **state)
{
    (void)state;
    static const int hidden[] = {0, 1, 2, 3, 4, 6};
    Model *model = new_model("attention");
    const RunOptions options = {.n_hidden = 6, .hidden = hidden};
    const Trace *trace = run(model, document, &options);
    const float *w = numbers(trace, "word.weights", WORDS);
    for (int i = 0; i < 6; i++)
        assert_true(w[hidden[i]] == 0);
    assert_true(numbers(trace, "sentence.weights", SENTENCES)[0] == 0);
    assert_null(trace_find(trace, "word.effect"));
    assert_int_equal(trace_n_changes(trace), 6);
    trace_release(trace);
    static const int far[] = {WORDS};
    const RunOptions bad = {.n_hidden = 1, .hidden = far};
    Error error = {0};
    const RunInput input = {.text = document};
    assert_null(session_begin(model, &input, &bad, &error));
    assert_non_null(strstr(error.message, "word 18 cannot be hidden"));
    model_release(model);
}

static void a_person_weighs_sentences_and_going_back_undoes_it(void **state)
{
    (void)state;
    static const float weights[] = {0, 2, 2};
    Error error = {0};
    Model *model = new_model("attention");
    const RunInput input = {.text = document};
    Session *session = session_begin(model, &input, NULL, &error);
    StepChoice choice = STEP_CHOICE_NONE;
    choice.n_weights = SENTENCES;
    choice.weights = weights;
    assert_refused(session_step(session, &choice, &error), "3 weights were given for");
    assert_ok(session_step(session, NULL, &error));
    assert_refused(session_step(session, &choice, &error), "in step 3; this is step 2");
    assert_ok(session_step(session, NULL, &error));
    choice.n_weights = 2;
    assert_refused(session_step(session, &choice, &error), "2 weights were given for 3 sentences");
    choice.n_weights = SENTENCES;
    assert_ok(session_step(session, &choice, &error));
    const Trace *trace = session_trace(session, &error);
    const float *used = numbers(trace, "sentence.weights", SENTENCES);
    assert_close(used[0], 0, 0);
    assert_close(used[1], 0.5, 1e-6);
    numbers(trace, "sentence.own_weights", SENTENCES);
    trace_release(trace);
    session_rewind(session, 1);
    while (!session_is_done(session))
        assert_ok(session_step(session, NULL, &error));
    char *got = json_of(session_trace(session, &error));
    char *want = json_of(run(model, document, NULL));
    assert_string_equal(got, want);
    free(got);
    free(want);
    session_rewind(session, 0);
    choice = STEP_CHOICE_NONE;
    choice.selected = 1;
    assert_refused(session_step(session, &choice, &error), "no such choice");
    session_free(session);
    model_release(model);
}

static void a_hidden_sentence_takes_no_given_weight(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = new_model("attention");
    const Trace *plain = run(model, document, NULL);
    const TraceAxis *words = trace_axis(plain, trace_find_axis(plain, "word"));
    int hidden[WORDS], n = 0;
    for (int i = 0; i < WORDS && words->parent[i] == 0; i++)
        hidden[n++] = i;
    trace_release(plain);
    const RunOptions options = {.n_hidden = n, .hidden = hidden};
    const RunInput input = {.text = document};
    Session *session = session_begin(model, &input, &options, &error);
    static const float weights[SENTENCES] = {2, 1, 1};
    StepChoice choice = STEP_CHOICE_NONE;
    choice.n_weights = SENTENCES;
    choice.weights = weights;
    assert_ok(session_step(session, NULL, &error));
    assert_ok(session_step(session, NULL, &error));
    assert_ok(session_step(session, &choice, &error));
    const Trace *trace = session_trace(session, &error);
    const float *used = numbers(trace, "sentence.weights", SENTENCES);
    assert_close(used[0], 0, 0);
    assert_close(used[1], 0.5, 1e-6);
    trace_release(trace);
    session_free(session);
    model_release(model);
}

/* Within a sentence what is given sums to one; the other sentences stay as they are. */
static void a_person_weighs_words(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = new_model("attention");
    const RunInput input = {.text = document};
    const Trace *plain = run(model, document, NULL);
    float weights[WORDS];
    memcpy(weights, numbers(plain, "word.weights", WORDS), sizeof weights);
    const TraceAxis *words = trace_axis(plain, trace_find_axis(plain, "word"));
    int n = 0;
    while (words->parent[n] == 0)
        weights[n++] = 0;
    Session *session = session_begin(model, &input, NULL, &error);
    StepChoice choice = STEP_CHOICE_NONE;
    choice.n_weights = WORDS;
    choice.weights = weights;
    assert_refused(session_step(session, &choice, &error), "sentence 1: all weights");
    weights[1] = 3;
    assert_ok(session_step(session, &choice, &error));
    while (!session_is_done(session))
        assert_ok(session_step(session, NULL, &error));
    const Trace *trace = session_trace(session, &error);
    const float *used = numbers(trace, "word.weights", WORDS);
    for (int i = 0; i < WORDS; i++)
        assert_close(used[i], i == 1 ? 1 : weights[i], 1e-6);
    assert_memory_equal(numbers(trace, "word.own_weights", WORDS),
                        numbers(plain, "word.weights", WORDS), WORDS * sizeof(float));
    assert_true(trace_step(trace, 0)->forced);
    assert_true(trace_class(trace, 0)->probability != trace_class(plain, 0)->probability);
    trace_release(trace);
    session_rewind(session, 0);
    while (!session_is_done(session))
        assert_ok(session_step(session, NULL, &error));
    char *got = json_of(session_trace(session, &error)), *want = json_of(plain);
    assert_string_equal(got, want);
    free(got);
    free(want);
    session_free(session);
    model_release(model);
}

static void a_high_temperature_evens_the_weights(void **state)
{
    (void)state;
    Model *model = new_model("attention");
    const RunOptions hot = {.temperature = 1e6};
    const Trace *trace = run(model, document, &hot);
    for (int i = 0; i < SENTENCES; i++)
        assert_close(numbers(trace, "sentence.weights", SENTENCES)[i], 1.0 / SENTENCES, 1e-4);
    trace_release(trace);
    model_release(model);
}

/* ---- files ---- */

static void a_model_survives_its_file(void **state)
{
    (void)state;
    Error error = {0};
    char path[] = "/tmp/fovea-han-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    Model *model = new_model("attention");
    assert_ok(model_save(model, path, false, &error));
    Model *again = model_load(path, &error);
    assert_non_null(again);
    assert_string_equal(model_attention(again), "hierarchical");
    const Trace *a = run(model, document, NULL), *b = run(again, document, NULL);
    assert_memory_equal(numbers(a, "word.effect", WORDS), numbers(b, "word.effect", WORDS),
                        WORDS * sizeof(float));
    trace_release(a);
    trace_release(b);
    model_release(again);
    model_release(model);
    unlink(path);
}

/* ---- bad input ---- */

static void a_text_without_a_word_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", " \r\n\t ", "\xEF\xBB\xBF", "<br /><br />", NULL};
    Model *model = new_model("attention");
    for (int i = 0; texts[i]; i++) {
        Error error = {0};
        const RunInput input = {.text = texts[i]};
        assert_null(session_begin(model, &input, NULL, &error));
        assert_non_null(strstr(error.message, "no word to classify"));
    }
    model_release(model);
}

static void any_text_has_a_verdict(void **state)
{
    (void)state;
    static const char *const texts[] = {"x",
                                        "!!! ... ???",
                                        "\xEF\xBB\xBFThe plot.\r\nIs thin.\r\n",
                                        "这部电影很好看。音乐也不错！",
                                        "الفيلم جميل. الموسيقى رائعة؟",
                                        "<p>The <b>plot</b> is &amp; thin<br/>Songs</p>",
                                        NULL};
    Model *model = new_model("attention");
    for (int i = 0; texts[i]; i++) {
        const Trace *trace = run(model, texts[i], NULL);
        double sum = 0;
        for (int c = 0; c < 3; c++)
            sum += trace_class(trace, c)->probability;
        assert_close(sum, 1, 1e-6);
        trace_release(trace);
    }
    model_release(model);
}

static void repeat(StrBuf *text, const char *piece, int n)
{
    for (int i = 0; i < n; i++)
        strbuf_add(text, piece);
}

static void a_sentence_of_thousands_of_words_is_read_in_pieces(void **state)
{
    (void)state;
    StrBuf text = {0};
    repeat(&text, "plot ", 3000);
    Model *model = new_model("attention");
    const Trace *trace = run(model, text.text, NULL);
    assert_int_equal(trace_axis(trace, trace_find_axis(trace, "sentence"))->len, 60);
    trace_release(trace);
    model_release(model);
    strbuf_free(&text);
}

static void thousands_of_sentences_are_read_and_the_heaviest_left_out(void **state)
{
    (void)state;
    StrBuf text = {0};
    repeat(&text, "Songs shine. ", 5000);
    Model *model = new_model("attention");
    const Trace *trace = run(model, text.text, NULL);
    assert_int_equal(trace_axis(trace, trace_find_axis(trace, "sentence"))->len, 5000);
    assert_int_equal(trace_n_notes(trace), 1);
    const float *effect = numbers(trace, "word.effect", 15000);
    int known = 0;
    for (int i = 0; i < 15000; i++)
        known += !isnan(effect[i]);
    assert_true(known > 0 && known < 15000);
    trace_release(trace);
    model_release(model);
    strbuf_free(&text);
}

static void too_many_words_are_refused_and_as_many_as_allowed_are_not(void **state)
{
    (void)state;
    Model *model = new_model("mean");
    for (int more = 0; more < 2; more++) {
        StrBuf text = {0};
        repeat(&text, "plot ", HAN_MAX_TEXT_WORDS + more);
        Error error = {0};
        const RunInput input = {.text = text.text};
        Session *session = session_begin(model, &input, NULL, &error);
        assert_int_equal(session != NULL, more == 0);
        if (more)
            assert_non_null(strstr(error.message, "the limit is 200000"));
        session_free(session);
        strbuf_free(&text);
    }
    model_release(model);
}

static void a_stopped_run_says_so(void **state)
{
    (void)state;
    Model *model = new_model("attention");
    StopFlag stop = {0};
    stop_request(&stop);
    Error error = {0};
    const RunInput input = {.text = document};
    const RunOptions options = {.stop = &stop};
    assert_null(model_run(model, &input, &options, 0, NULL, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    model_release(model);
}

static void a_verdict_may_come_before_what_explains_it(void **state)
{
    (void)state;
    Model *model = new_model("attention");
    const Trace *whole = run(model, document, &(RunOptions){0});
    const Trace *first = run(model, document, &(RunOptions){.verdict_first = true});
    const TraceStep *verdict = trace_step(first, trace_n_steps(first) - 1);
    const TraceStep *explained = trace_step(whole, trace_n_steps(whole) - 1);
    assert_string_equal(trace_attribute(first, "effects"), "later");
    assert_null(trace_attribute(whole, "effects"));
    assert_null(trace_find(first, "word.effect"));
    assert_null(trace_find(first, "word.gradient"));
    assert_null(trace_find(first, "sentence.effect"));
    for (int c = 0; c < 3; c++)
        assert_true(trace_class(first, c)->probability == trace_class(whole, c)->probability);
    assert_memory_equal(numbers(first, "word.weights", WORDS),
                        numbers(whole, "word.weights", WORDS), WORDS * sizeof(float));
    assert_int_equal(verdict->n_scalars, explained->n_scalars); /* they keep their places */
    for (int i = 0; i < verdict->n_scalars; i++) {
        assert_string_equal(verdict->scalars[i].name, explained->scalars[i].name);
        assert_true(isnan(verdict->scalars[i].value) && !isnan(explained->scalars[i].value));
    }
    trace_release(whole);
    trace_release(first);

    /* Where nothing is to come, nothing is promised. */
    const int hidden[] = {1};
    const RunOptions hides = {.verdict_first = true, .n_hidden = 1, .hidden = hidden};
    first = run(model, document, &hides);
    assert_null(trace_attribute(first, "effects"));
    trace_release(first);
    model_release(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_shows_one_stage_after_the_other),
        cmocka_unit_test(words_point_into_the_text_and_know_their_sentence),
        cmocka_unit_test(weights_sum_to_one_in_every_sentence_and_over_them),
        cmocka_unit_test(an_effect_is_the_change_when_the_text_is_shortened_by_hand),
        cmocka_unit_test(gradient_times_input_is_the_slope_when_a_vector_grows),
        cmocka_unit_test(a_word_that_is_alone_counts_as_its_sentence),
        cmocka_unit_test(hidden_words_receive_nothing_and_a_hidden_sentence_neither),
        cmocka_unit_test(a_person_weighs_sentences_and_going_back_undoes_it),
        cmocka_unit_test(a_person_weighs_words),
        cmocka_unit_test(a_hidden_sentence_takes_no_given_weight),
        cmocka_unit_test(a_high_temperature_evens_the_weights),
        cmocka_unit_test(a_model_survives_its_file),
        cmocka_unit_test(a_text_without_a_word_is_refused),
        cmocka_unit_test(any_text_has_a_verdict),
        cmocka_unit_test(a_sentence_of_thousands_of_words_is_read_in_pieces),
        cmocka_unit_test(thousands_of_sentences_are_read_and_the_heaviest_left_out),
        cmocka_unit_test(too_many_words_are_refused_and_as_many_as_allowed_are_not),
        cmocka_unit_test(a_stopped_run_says_so),
        cmocka_unit_test(a_verdict_may_come_before_what_explains_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
