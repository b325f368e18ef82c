/* What a person changes about a translation, and what follows; with the model that is
 * shipped. */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "models/leave_one_out.h"
#include "models/run_edits.h"
#include "models/translation.h"
#include "trace/trace_json.h"

#define SENTENCE "She is eating a green apple."

static const Model *model;

static int set_up(void **state)
{
    (void)state;
    Error error = {0};
    model = model_load(FOVEA_ASSETS "/models/en-fr-additive.safetensors", &error);
    return model ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    model_release(model);
    return 0;
}

static const Trace *run(const RunOptions *options, int n, const Intervention *steps)
{
    Error error = {0};
    const Trace *trace = model_run(model, &(RunInput){.text = SENTENCE}, options, n, steps, &error);
    if (!trace)
        fail_msg("%s", error.message);
    return trace;
}

static char *as_json(const Trace *trace)
{
    Error error = {0};
    StrBuf text = {0};
    assert_ok(trace_json_write(trace, &text, &error));
    return strbuf_take(&text);
}

/* An id that the model thought of second at this step. */
static int second_choice(const Trace *trace, int step)
{
    const TraceStep *s = trace_step(trace, step);
    assert_true(s->n_candidates >= 2);
    return s->candidates[0].id == s->id ? s->candidates[1].id : s->candidates[0].id;
}

static void a_given_word_is_written_and_named_among_the_changes(void **state)
{
    (void)state;
    const Trace *plain = run(NULL, 0, NULL);
    int id = second_choice(plain, 1);
    const Intervention step = {1, {.token = id, .selected = -1}};
    const Trace *changed = run(NULL, 1, &step);
    assert_int_equal(trace_step(changed, 0)->id, trace_step(plain, 0)->id);
    assert_int_equal(trace_step(changed, 1)->id, id);
    assert_true(trace_step(changed, 1)->forced);
    assert_false(trace_step(changed, 0)->forced);
    assert_int_equal(trace_n_changes(plain), 0);
    assert_int_equal(trace_n_changes(changed), 1);
    assert_string_equal(trace_change(changed, 0)->kind, "token");
    assert_int_equal(trace_change(changed, 0)->step, 1);
    trace_release(plain);
    trace_release(changed);
}

static void a_search_goes_on_from_a_word_that_was_given(void **state)
{
    (void)state;
    const RunOptions beam = {.beam = 4};
    const Trace *plain = run(&beam, 0, NULL);
    int id = second_choice(plain, 1);
    const Intervention step = {1, {.token = id, .selected = -1}};
    const Trace *changed = run(&beam, 1, &step);
    assert_int_equal(trace_step(changed, 1)->id, id);
    /* Every hypothesis of the tree begins with the prefix. */
    for (int32_t i = 0; i < trace_n_beam_nodes(changed); i++) {
        const TraceBeamNode *node = trace_beam_node(changed, i);
        if (node->step == 1)
            assert_int_equal(node->id, id);
        if (node->step == 0)
            assert_int_equal(node->id, trace_step(changed, 0)->id);
    }
    /* And the rest is the best that the search found: no continuation of the same length
     * that finished has a better score. */
    double best = -INFINITY, taken = -INFINITY;
    int32_t n = trace_n_steps(changed);
    for (int32_t i = 0; i < trace_n_beam_nodes(changed); i++) {
        const TraceBeamNode *node = trace_beam_node(changed, i);
        bool ends = node->state == TRACE_BEAM_FINISHED && strcmp(node->token, "</s>") == 0;
        if (ends && node->score > best)
            best = node->score;
        if (ends && node->step == n - 1 && node->score > taken)
            taken = node->score;
    }
    assert_close(taken, best, 0);
    trace_release(plain);
    trace_release(changed);
}

static void a_painted_row_changes_what_the_search_continues_with(void **state)
{
    (void)state;
    const RunOptions greedy = {.beam = 1}, narrow = {.beam = 2};
    const Trace *plain = run(&greedy, 0, NULL);
    const TraceTensor *t = trace_find(plain, "attention.weights");
    int n = trace_tensor_len(plain, t, 1);
    float *row = calloc((size_t)n, sizeof *row);
    row[n - 1] = 1;
    const Intervention step = {1, {.token = -1, .selected = -1, .n_weights = n, .weights = row}};
    const Trace *changed = run(&narrow, 1, &step);
    TraceMatrix m = trace_matrix(changed, trace_find(changed, "attention.weights"), NULL);
    assert_close(trace_matrix_get(&m, 1, n - 1), 1, 1e-6);
    TraceMatrix own = trace_matrix(changed, trace_find(changed, "attention.own_weights"), NULL);
    assert_true(trace_matrix_get(&own, 1, n - 1) < 0.9f);
    /* The nodes of the tree carry the probabilities of the painted run. */
    for (int32_t i = 0; i < trace_n_beam_nodes(changed); i++) {
        const TraceBeamNode *node = trace_beam_node(changed, i);
        const TraceStep *s = node->step <= 1 ? trace_step(changed, node->step) : NULL;
        if (s && node->id == s->id)
            assert_close(node->log_probability, log(s->probability), 1e-4);
    }
    free(row);
    trace_release(plain);
    trace_release(changed);
}

/* Invariant 2 of model.h, with a search that was made again on the way. */
static void going_back_and_the_same_steps_again_give_the_same_trace(void **state)
{
    (void)state;
    Error error = {0};
    const RunOptions beam = {.beam = 3};
    const RunInput input = {.text = SENTENCE};
    Session *s = session_begin(model, &input, &beam, &error);
    assert_non_null(s);
    while (!session_is_done(s))
        assert_ok(session_step(s, NULL, &error));
    const Trace *first = session_trace(s, &error);
    session_rewind(s, 1);
    const StepChoice other = {.token = second_choice(first, 1), .selected = -1};
    assert_ok(session_step(s, &other, &error));
    while (!session_is_done(s))
        assert_ok(session_step(s, NULL, &error));
    session_rewind(s, 1);
    while (!session_is_done(s))
        assert_ok(session_step(s, NULL, &error));
    const Trace *again = session_trace(s, &error);
    char *a = as_json(first), *b = as_json(again);
    assert_string_equal(a, b);
    free(a);
    free(b);
    trace_release(first);
    trace_release(again);
    session_free(s);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    const float zeros[64] = {0};
    const Trace *plain = run(NULL, 0, NULL);
    int n = trace_tensor_len(plain, trace_find(plain, "attention.weights"), 1);
    const int hidden[] = {1000};
    const struct {
        RunOptions options;
        Intervention step;
        const char *message;
    } cases[] = {
        {{0},
         {0, {.token = -1, .selected = -1, .n_weights = n, .weights = zeros}},
         "all weights of the row are zero"},
        {{0},
         {0, {.token = -1, .selected = -1, .n_weights = n + 1, .weights = zeros}},
         "weights for"},
        {{0}, {0, {.token = 1 << 20, .selected = -1}}, "the vocabulary has"},
        {{0}, {0, {.token = -1, .word = "no such piece", .selected = -1}}, "not a piece"},
        {{0}, {0, {.token = -1, .selected = n}}, "the source has"},
        {{.beam = RUN_MAX_BEAM + 1}, {0, STEP_CHOICE_NONE}, "expected 1 to"},
        {{.n_hidden = 1, .hidden = hidden}, {0, STEP_CHOICE_NONE}, "cannot be hidden"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        assert_refused(model_run(model, &(RunInput){.text = SENTENCE}, &cases[i].options, 1,
                                 &cases[i].step, &error) != NULL,
                       cases[i].message);
    }
    Error error = {0};
    RunEdits *edits = run_edits_new();
    run_edits_set_selected(edits, 40, 1);
    assert_refused(run_edits_check_steps(edits, 9, &error), "step 41 cannot be changed");
    assert_ok(run_edits_check_steps(edits, 41, &error));
    run_edits_free(edits);
    trace_release(plain);
}

/* ---- leaving out words ---- */

static void without_a_word_what_spoke_for_it_is_lost(void **state)
{
    (void)state;
    Error error = {0};
    const RunInput input = {.text = SENTENCE};
    const LeaveOneOutSpec spec = {.model = model, .input = &input, .n_threads = 2};
    LeaveOneOut r, serial;
    assert_ok(leave_one_out(&spec, &r, &error));
    const Trace *plain = run(NULL, 0, NULL);
    assert_int_equal(r.n_rows, trace_n_steps(plain));
    assert_true(r.n_words >= 6); /* the words and the full stop; pieces belong to their word */
    double total = 0;
    for (int k = 0; k < r.n_words; k++) {
        double sum = 0;
        for (int i = 0; i < r.n_rows; i++)
            sum += (double)r.effects[i * r.n_words + k];
        assert_close(sum, r.words[k].effect, 1e-3);
        total += (double)r.words[k].effect;
    }
    assert_true(total > 0);
    assert_true(r.kendall >= -1 && r.kendall <= 1);
    /* Checked against one run made by hand: the same tokens, the first word hidden. */
    int n = r.n_rows, hidden[8];
    Intervention *steps = calloc((size_t)n, sizeof *steps);
    for (int i = 0; i < n; i++)
        steps[i] = (Intervention){i, {.token = trace_step(plain, i)->id, .selected = -1}};
    for (int i = 0; i < r.words[0].count; i++)
        hidden[i] = r.words[0].first + i;
    const Trace *without =
        run(&(RunOptions){.n_hidden = r.words[0].count, .hidden = hidden}, n, steps);
    for (int i = 0; i < n; i++)
        assert_close(r.effects[i * r.n_words],
                     log(trace_step(plain, i)->probability) -
                         log(trace_step(without, i)->probability),
                     1e-5);
    /* However many threads there are. */
    LeaveOneOutSpec one = spec;
    one.n_threads = 1;
    assert_ok(leave_one_out(&one, &serial, &error));
    assert_memory_equal(r.effects, serial.effects,
                        (size_t)(r.n_rows * r.n_words) * sizeof *r.effects);
    free(steps);
    trace_release(plain);
    trace_release(without);
    leave_one_out_free(&r);
    leave_one_out_free(&serial);
}

/* Whatever a model reads by words; the first word hidden by hand gives the same effect. */
static void every_model_that_looks_at_words_leaves_them_out(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *question;
        int n_words;
    } cases[] = {
        {"en-fr-transformer", SENTENCE, NULL, 7},
        {"en-fr-hard", SENTENCE, NULL, 7},
        {"en-fr-local-p", SENTENCE, NULL, 7},
        {"sentiment-structured", "a bad and boring film .", NULL, 6},
        {"sentiment-multi-head", "a bad and boring film .", NULL, 6},
        {"sentiment-resan", "a bad and boring film .", NULL, 6},
        {"entailment-resan", "A man sleeps ||| A man is awake", NULL, 7},
        {"english-lstmn", "The old man sat by the sea.", NULL, 8},
        {"han-reviews", "The film was slow. But the music was wonderful.", NULL, 11},
        {"reader-babi", "Mary went to the kitchen. John went home.", "Where is Mary?", 10},
        {"reader-babi-hops", "Mary went to the kitchen. John went home.", "Where is Mary?", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        char path[512];
        snprintf(path, sizeof path, FOVEA_ASSETS "/models/%s.safetensors", cases[i].name);
        const Model *m = model_load(path, &error);
        if (!m)
            fail_msg("%s", error.message);
        const RunInput input = {.text = cases[i].text, .question = cases[i].question};
        LeaveOneOut r;
        if (!leave_one_out(&(LeaveOneOutSpec){.model = m, .input = &input, .n_threads = 2}, &r,
                           &error))
            fail_msg("%s: %s", cases[i].name, error.message);
        double most = 0;
        for (int32_t k = 0; k < r.n_words; k++) {
            assert_true(isfinite(r.words[k].effect) && r.words[k].weight >= 0);
            most = fmax(most, fabs((double)r.words[k].effect));
        }
        if (r.n_words != cases[i].n_words || !(most > 0))
            fail_msg("%s: %d words, effects up to %g", cases[i].name, (int)r.n_words, most);
        leave_one_out_free(&r);
        model_release(m);
    }
}

/* Words among themselves do not see it either. */
static void a_hidden_word_is_seen_by_no_part_of_a_transformer(void **state)
{
    (void)state;
    Error error = {0};
    const int hidden[] = {0};
    const Model *m = model_load(FOVEA_ASSETS "/models/en-fr-transformer.safetensors", &error);
    assert_non_null(m);
    const Trace *t = model_run(m, &(RunInput){.text = SENTENCE},
                               &(RunOptions){.n_hidden = 1, .hidden = hidden}, 0, NULL, &error);
    assert_non_null(t);
    static const char *const names[] = {"encoder.weights", "cross.weights"};
    for (int k = 0; k < 2; k++) {
        const TraceTensor *w = trace_find(t, names[k]);
        for (int32_t l = 0; l < trace_tensor_len(t, w, 0); l++)
            for (int32_t h = 0; h < trace_tensor_len(t, w, 1); h++) {
                TraceMatrix matrix = trace_matrix(t, w, (const int32_t[]){l, h});
                for (int32_t i = 0; i < matrix.rows; i++)
                    assert_close(trace_matrix_get(&matrix, i, 0), 0, 0);
            }
    }
    const TraceAxis *source = trace_axis(t, trace_find_axis(t, "source"));
    assert_true(source->flags[0] & TRACE_TOKEN_HIDDEN);
    assert_false(source->flags[1] & TRACE_TOKEN_HIDDEN);
    trace_release(t);
    model_release(m);
}

static void a_run_that_nobody_limits_ends_in_the_end(void **state)
{
    (void)state;
    assert_int_equal(translation_step_limit(1, 0), 12);
    assert_int_equal(translation_step_limit(994, 0), 1998);
    assert_int_equal(translation_step_limit(995, 0), TRANSLATION_MOST_STEPS);
    assert_int_equal(translation_step_limit(2000000000, 0), TRANSLATION_MOST_STEPS);
    assert_int_equal(translation_step_limit(5, 100000), 100000); /* what is asked for is done */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_given_word_is_written_and_named_among_the_changes),
        cmocka_unit_test(a_search_goes_on_from_a_word_that_was_given),
        cmocka_unit_test(a_painted_row_changes_what_the_search_continues_with),
        cmocka_unit_test(going_back_and_the_same_steps_again_give_the_same_trace),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_run_that_nobody_limits_ends_in_the_end),
        cmocka_unit_test(every_model_that_looks_at_words_leaves_them_out),
        cmocka_unit_test(a_hidden_word_is_seen_by_no_part_of_a_transformer),
        cmocka_unit_test(without_a_word_what_spoke_for_it_is_lost),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
