/* Sessions of language models: reading, writing on, interventions, files, bad input. */
#include "sessions.h"

#include <stdio.h>

#include "models/language_model.h"

static const char text[] = "the cat sees the dog, and the dog runs.";

static Model *new_model(const char *attention)
{
    Error error = {0};
    const Family *family = family_find("lstmn");
    Model *model = model_new(family, settings_new(family->settings));
    static const char *const small[] = {"embedding=6", "hidden=8", "attention-hidden=5", NULL};
    for (int i = 0; small[i]; i++)
        assert_ok(settings_assign(model->settings, small[i], &error));
    assert_ok(settings_set(model->settings, "attention", attention, &error));
    const TokenizerSpec spec = {.n_merges = 40};
    TokenizerLearner *learner = tokenizer_learner_new(&spec);
    tokenizer_learner_add(learner, text, strlen(text));
    tokenizer_learner_add(learner, text, strlen(text));
    model->network = language_model_new(model, tokenizer_learner_finish(learner));
    assert_ok(param_set_allocate(model->params, &error));
    fill_params(model->params, 6, 0.7);
    return model;
}

static const Trace *run(const Model *model, const char *input_text, const RunOptions *options)
{
    Error error = {0};
    const RunInput input = {.text = input_text};
    const Trace *trace = model_run(model, &input, options, 0, NULL, &error);
    if (!trace)
        fail_msg("%s", error.message);
    return trace;
}

static const TraceAxis *tokens_of(const Trace *trace)
{
    return trace_axis(trace, trace_find_axis(trace, "token"));
}

/* ---- reading ---- */

static void every_token_looks_back_and_its_row_sums_to_one(void **state)
{
    (void)state;
    Model *model = new_model("intra");
    const Trace *trace = run(model, text, NULL);
    const TraceAxis *axis = tokens_of(trace);
    assert_int_equal(trace_n_steps(trace), axis->len);
    assert_string_equal(axis->labels[0], "<s>");
    assert_string_equal(axis->labels[1], "the");
    assert_true(axis->flags[0] & TRACE_TOKEN_SPECIAL);
    for (int i = 0; i < axis->len; i++) {
        double sum = 0;
        for (int j = 0; j < axis->len; j++) {
            sum += (double)at(trace, "attention.weights", i, j);
            assert_int_equal(isnan((double)at(trace, "attention.scores", i, j)) != 0, j >= i);
            assert_true(j < i || at(trace, "attention.weights", i, j) == 0);
        }
        assert_close(sum, i > 0, 1e-6);
    }
    trace_release(trace);
    model_release(model);
}

/* Spans of what was given and of what was written are all in one text. */
static void the_output_goes_on_where_the_input_ends(void **state)
{
    (void)state;
    Model *model = new_model("intra");
    const RunOptions options = {.max_steps = 24, .sample = true, .seed = 2};
    const Trace *trace = run(model, text, &options);
    const TraceAxis *axis = tokens_of(trace);
    const char *output = trace_text(trace, "output");
    assert_memory_equal(output, text, strlen(text));
    assert_true(axis->len > 14 && strlen(output) > strlen(text));
    int end = 0;
    for (int i = 1; i < axis->len; i++) {
        TraceSpan span = axis->spans[i];
        if (axis->flags[i] & TRACE_TOKEN_SPECIAL)
            continue;
        assert_true(span.begin >= end && span.end <= (int)strlen(output));
        end = span.end;
    }
    assert_int_equal(end, strlen(output));
    trace_release(trace);
    model_release(model);
}

static void the_score_is_the_log_probability_of_what_was_read(void **state)
{
    (void)state;
    static const char *const kinds[] = {"intra", "none"};
    for (int k = 0; k < 2; k++) {
        Model *model = new_model(kinds[k]);
        const Trace *trace = run(model, text, NULL);
        double sum = 0;
        for (int i = 0; i < trace_n_steps(trace); i++)
            sum += log(trace_step(trace, i)->probability);
        assert_close(trace_score(trace), sum, 1e-9);
        assert_int_equal(trace_find(trace, "attention.weights") != NULL, k == 0);
        trace_release(trace);
        model_release(model);
    }
}

/* ---- interventions ---- */

static void weights_can_be_replaced_and_the_own_ones_stay_visible(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = new_model("intra");
    const RunInput input = {.text = text};
    const float weights[] = {0, 3, 1};
    Intervention change = {3, STEP_CHOICE_NONE};
    change.choice.n_weights = 3;
    change.choice.weights = weights;
    const Trace *before = run(model, text, NULL);
    const Trace *after = model_run(model, &input, NULL, 1, &change, &error);
    assert_non_null(after);
    assert_close(at(after, "attention.weights", 3, 1), 0.75, 1e-7);
    assert_close(at(after, "attention.own_weights", 3, 1), at(before, "attention.weights", 3, 1),
                 1e-7);
    assert_true(trace_step(after, 4)->probability != trace_step(before, 4)->probability);
    assert_true(trace_step(after, 3)->probability == trace_step(before, 3)->probability);
    trace_release(before);
    trace_release(after);
    model_release(model);
}

static void another_token_can_be_put_in(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = new_model("intra");
    const RunInput input = {.text = text};
    Intervention change = {2, STEP_CHOICE_NONE};
    change.choice.word = "dog";
    const Trace *trace = model_run(model, &input, NULL, 1, &change, &error);
    assert_non_null(trace);
    assert_string_equal(tokens_of(trace)->labels[2], "dog");
    assert_true(tokens_of(trace)->flags[2] & TRACE_TOKEN_FORCED);
    trace_release(trace);
    model_release(model);
}

static void choices_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = new_model("intra");
    const RunInput input = {.text = text};
    Session *session = session_begin(model, &input, NULL, &error);
    StepChoice choice = STEP_CHOICE_NONE;
    choice.token = 5;
    assert_refused(session_step(session, &choice, &error), "begin mark");
    choice.token = 100000;
    assert_refused(session_step(session, &choice, &error), "the vocabulary has");
    choice = STEP_CHOICE_NONE;
    choice.word = "zebra";
    assert_refused(session_step(session, &choice, &error), "\"zebra\"");
    choice = STEP_CHOICE_NONE;
    choice.selected = 1;
    assert_refused(session_step(session, &choice, &error), "no positions");
    assert_ok(session_step(session, NULL, &error));
    const float weights[] = {-1, 0}, zero[] = {0};
    choice = STEP_CHOICE_NONE;
    choice.n_weights = 2;
    choice.weights = weights;
    assert_refused(session_step(session, &choice, &error), "2 weights for the 1 tokens");
    choice.n_weights = 1;
    assert_refused(session_step(session, &choice, &error), "none may be negative");
    choice.weights = zero;
    assert_refused(session_step(session, &choice, &error), "one must be positive");
    assert_int_equal(session_n_steps(session), 1);
    session_free(session);
    model_release(model);
}

static void going_back_and_forth_gives_the_same_trace(void **state)
{
    (void)state;
    Error error = {0};
    static const char *const kinds[] = {"intra", "none"};
    for (int k = 0; k < 2; k++) {
        Model *model = new_model(kinds[k]);
        const RunInput input = {.text = text};
        const RunOptions options = {.max_steps = 20, .sample = true, .seed = 9};
        char *want = json_of(run(model, text, &options));
        Session *session = session_begin(model, &input, &options, &error);
        while (!session_is_done(session))
            assert_ok(session_step(session, NULL, &error));
        session_rewind(session, session_n_steps(session));
        assert_true(session_is_done(session));
        session_rewind(session, 5);
        while (!session_is_done(session))
            assert_ok(session_step(session, NULL, &error));
        char *got = json_of(session_trace(session, &error));
        assert_string_equal(got, want);
        free(got);
        free(want);
        session_free(session);
        model_release(model);
    }
}

static void a_hidden_token_is_not_read(void **state)
{
    (void)state;
    Model *model = new_model("intra");
    const int hidden[] = {1};
    const RunOptions options = {.n_hidden = 1, .hidden = hidden};
    const Trace *trace = run(model, text, &options);
    for (int i = 2; i < tokens_of(trace)->len; i++)
        assert_true(at(trace, "attention.weights", i, 1) == 0);
    assert_true(at(trace, "attention.weights", 2, 0) == 1);
    trace_release(trace);
    model_release(model);
}

/* ---- input ---- */

static void input_at_the_limits(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = new_model("intra");
    RunInput input = {.text = NULL};
    assert_refused(session_begin(model, &input, NULL, &error), "a text was expected");
    const RunOptions bad[] = {{.temperature = -1}, {.beam = 3}, {.force = "x"}, {.max_steps = -1}};
    static const char *const part[] = {"temperature -1", "no beam", "no other text", "-1 steps"};
    input.text = text;
    for (int i = 0; i < 4; i++)
        assert_refused(session_begin(model, &input, &bad[i], &error), part[i]);
    char *long_text = memory_new(4 * LANGUAGE_MAX_PIECES, 1);
    memset(long_text, '5', LANGUAGE_MAX_PIECES); /* a digit is one piece or more */
    input.text = long_text;
    assert_refused(session_begin(model, &input, NULL, &error), "the limit is 4094");
    free(long_text);
    const Trace *trace = run(model, "", NULL);
    assert_int_equal(tokens_of(trace)->len, 2);
    trace_release(trace);
    trace = run(model, "\xE6\xBC\xA2", NULL); /* outside the vocabulary: three bytes */
    assert_int_equal(tokens_of(trace)->len >= 5, 1);
    trace_release(trace);
    model_release(model);
}

static void a_saved_model_runs_the_same(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = new_model("intra");
    assert_ok(model_save(model, "test_language.safetensors", false, &error));
    Model *loaded = model_load("test_language.safetensors", &error);
    if (!loaded)
        fail_msg("%s", error.message);
    free(model->name);
    model->name = memory_copy_string("test_language");
    char *a = json_of(run(model, text, NULL)), *b = json_of(run(loaded, text, NULL));
    assert_string_equal(a, b);
    assert_int_equal(model_task(loaded), TASK_LANGUAGE);
    free(a);
    free(b);
    model_release(loaded);
    model_release(model);
    remove("test_language.safetensors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_token_looks_back_and_its_row_sums_to_one),
        cmocka_unit_test(the_output_goes_on_where_the_input_ends),
        cmocka_unit_test(the_score_is_the_log_probability_of_what_was_read),
        cmocka_unit_test(weights_can_be_replaced_and_the_own_ones_stay_visible),
        cmocka_unit_test(another_token_can_be_put_in),
        cmocka_unit_test(choices_that_do_not_fit_are_refused),
        cmocka_unit_test(going_back_and_forth_gives_the_same_trace),
        cmocka_unit_test(a_hidden_token_is_not_read),
        cmocka_unit_test(input_at_the_limits),
        cmocka_unit_test(a_saved_model_runs_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
