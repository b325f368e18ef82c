/* Sessions of readers: steps, looks, interventions, traces, files, bad input. */
#include "sessions.h"

#include <stdio.h>

#include "models/reader_model.h"

static const char story[] = "Ruth took the lamp to the attic.\nOmar slept in the barn.\n"
                            "Ruth left the lamp there.";
static const char question[] = "Where is the lamp?";
enum { SENTENCES = 3, WORDS = 20, ASKED = 5 };

static Model *new_model(const char *const *settings)
{
    Error error = {0};
    static const char *const names[] = {"attic", "barn", "key,map", "yes"};
    const Family *family = family_find("reader");
    Model *model = model_new(family, settings_new(family->settings));
    static const char *const small[] = {"embedding=5", "hidden=4", "attention-hidden=3", NULL};
    for (int i = 0; small[i]; i++)
        assert_ok(settings_assign(model->settings, small[i], &error));
    for (int i = 0; settings[i]; i++)
        assert_ok(settings_assign(model->settings, settings[i], &error));
    const VocabularySpec spec = {0};
    VocabularyLearner *learner = vocabulary_learner_new(&spec);
    vocabulary_learner_add(learner, story, strlen(story));
    vocabulary_learner_add(learner, question, strlen(question));
    ClassNames *answers = class_names_new(4, names, &error);
    model->network = answerer_new(model, vocabulary_learner_finish(learner), answers, &error);
    assert_non_null(model->network);
    assert_ok(param_set_allocate(model->params, &error));
    fill_params(model->params, 4, 0.6);
    return model;
}

static const char *const attentive[] = {"attention=additive", NULL};
static const char *const hops[] = {"memory=sentences", "hops=3", NULL};
static const char *const impatient[] = {"attention=impatient", NULL};
static const char *const *const members[] = {
    attentive,
    hops,
    impatient,
    (const char *const[]){"attention=bilinear", "joint=no", NULL},
    (const char *const[]){"attention=dot", NULL},
    (const char *const[]){"attention=cosine", NULL},
    (const char *const[]){"attention=none", NULL},
    (const char *const[]){"memory=sentences", "vectors=positions", "ages=2", NULL},
    (const char *const[]){"attention=impatient", "memory=sentences", NULL},
    (const char *const[]){"attention=dot", "memory=sentences", "vectors=bags", "hops=2", NULL},
};
enum { N_MEMBERS = sizeof members / sizeof members[0] };

static const Trace *run(const Model *model, const RunInput *input, const RunOptions *options, int n,
                        const Intervention *changes)
{
    Error error = {0};
    const Trace *trace = model_run(model, input, options, n, changes, &error);
    if (!trace)
        fail_msg("%s", error.message);
    return trace;
}

static const RunInput plain = {.text = story, .question = question};

static const TraceAxis *axis_of(const Trace *trace, const char *name)
{
    int32_t i = trace_find_axis(trace, name);
    assert_true(i >= 0);
    return trace_axis(trace, i);
}

/* ---- steps ---- */

static void the_story_the_question_the_looks_and_the_answer_are_steps(void **state)
{
    (void)state;
    static const char *const tokens[] = {"story", "Where",  "is",     "the",   "lamp",
                                         "?",     "look 1", "look 2", "look 3"};
    Error error = {0};
    Model *model = new_model(hops);
    Session *session = session_begin(model, &plain, NULL, &error);
    assert_non_null(session);
    for (int i = 0; i < 10; i++) {
        assert_false(session_is_done(session));
        assert_ok(session_step(session, NULL, &error));
        const Trace *trace = session_trace(session, &error);
        assert_non_null(trace);
        const TraceStep *step = trace_step(trace, i);
        if (i < 9)
            assert_string_equal(step->token, tokens[i]);
        else
            assert_string_equal(step->token, trace_text(trace, "output"));
        assert_int_equal(trace_find(trace, "attention.weights") != NULL, i >= 6);
        if (i >= 6)
            assert_int_equal(axis_of(trace, "look")->len, i < 9 ? i - 5 : 3);
        assert_int_equal(trace_n_classes(trace), i == 9 ? 4 : 0);
        assert_true(trace_step_scalar(step, "asked") == (i < ASKED ? i : ASKED));
        trace_release(trace);
    }
    assert_true(session_is_done(session));
    assert_refused(session_step(session, NULL, &error), "");
    session_free(session);
    model_release(model);
}

static void an_impatient_reader_looks_at_every_word_of_the_question(void **state)
{
    (void)state;
    Model *model = new_model(impatient);
    const Trace *trace = run(model, &plain, NULL, 0, NULL);
    assert_int_equal(trace_n_steps(trace), 1 + ASKED + 1);
    const TraceTensor *weights = trace_find(trace, "attention.weights");
    assert_string_equal(trace_axis(trace, weights->axis[0])->name, "question");
    assert_string_equal(trace_axis(trace, weights->axis[1])->name, "document");
    assert_true(trace_step_scalar(trace_step(trace, 3), "look") == 3);
    trace_release(trace);
    model_release(model);
}

static void every_member_runs_and_its_rows_of_weights_sum_to_one(void **state)
{
    (void)state;
    for (int k = 0; k < N_MEMBERS; k++) {
        Model *model = new_model(members[k]);
        const Trace *trace = run(model, &plain, NULL, 0, NULL);
        TraceMatrix m = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
        double p = 0;
        for (int i = 0; i < m.rows; i++) {
            double sum = 0;
            for (int j = 0; j < m.cols; j++)
                sum += (double)trace_matrix_get(&m, i, j);
            assert_close(sum, 1, 1e-5);
        }
        for (int c = 0; c < 4; c++)
            p += trace_class(trace, c)->probability;
        assert_close(p, 1, 1e-6);
        assert_true(m.cols == WORDS || m.cols == SENTENCES);
        trace_release(trace);
        model_release(model);
    }
}

static void going_back_and_forth_gives_the_same_trace(void **state)
{
    (void)state;
    Error error = {0};
    for (int k = 0; k < N_MEMBERS; k++) {
        Model *model = new_model(members[k]);
        char *once = json_of(run(model, &plain, NULL, 0, NULL));
        Session *session = session_begin(model, &plain, &(RunOptions){0}, &error);
        for (int back = 0; back < 4; back++) {
            while (!session_is_done(session))
                assert_ok(session_step(session, NULL, &error));
            session_rewind(session, back * 2);
        }
        while (!session_is_done(session))
            assert_ok(session_step(session, NULL, &error));
        char *again = json_of(session_trace(session, &error));
        assert_string_equal(once, again);
        free(once);
        free(again);
        session_free(session);
        model_release(model);
    }
}

/* ---- what the trace tells ---- */

static void words_belong_to_sentences_and_to_the_text(void **state)
{
    (void)state;
    Model *model = new_model(attentive);
    const Trace *trace = run(model, &plain, NULL, 0, NULL);
    const TraceAxis *document = axis_of(trace, "document"), *sentences = axis_of(trace, "sentence");
    assert_int_equal(document->len, WORDS);
    assert_int_equal(sentences->len, SENTENCES);
    assert_string_equal(sentences->labels[1], "Omar slept in the barn.");
    assert_int_equal(document->parent[8], 1);
    assert_string_equal(document->labels[8], "Omar");
    assert_int_equal(strncmp(story + document->spans[8].begin, "Omar", 4), 0);
    trace_release(trace);
    model_release(model);
}

static void supporting_sentences_are_marked_and_scored_but_not_read(void **state)
{
    (void)state;
    const int lines[] = {0, 2};
    RunInput known = plain;
    known.n_supports = 2;
    known.supports = lines;
    for (int k = 0; k < N_MEMBERS; k++) {
        Model *model = new_model(members[k]);
        const Trace *trace = run(model, &known, NULL, 0, NULL);
        const Trace *without = run(model, &plain, NULL, 0, NULL);
        const TraceAxis *document = axis_of(trace, "document");
        TraceMatrix m = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
        double mass = 0;
        for (int j = 0; j < m.cols; j++)
            if ((m.cols == SENTENCES ? j : document->parent[j]) != 1)
                mass += (double)trace_matrix_get(&m, m.rows - 1, j);
        const TraceStep *look = trace_step(trace, trace_n_steps(trace) - 2);
        assert_close(trace_step_scalar(look, "support.mass"), mass, 1e-6);
        assert_true(at(trace, "gold.support", 0, 0) == 1 && at(trace, "gold.support", 0, 1) == 0);
        assert_null(trace_find(without, "gold.support"));
        for (int c = 0; c < 4; c++)
            assert_true(trace_class(trace, c)->probability == trace_class(without, c)->probability);
        trace_release(trace);
        trace_release(without);
        model_release(model);
    }
    Error error = {0};
    Model *model = new_model(attentive);
    known.supports = (const int[]){0, 7};
    assert_refused(session_begin(model, &known, NULL, &error), "line 8 cannot hold the answer");
    model_release(model);
}

static void attention_on_the_mentions_of_an_answer_is_added_up(void **state)
{
    (void)state;
    Model *model = new_model(attentive);
    const Trace *trace = run(model, &plain, NULL, 0, NULL);
    assert_close(at(trace, "candidate.mass", 0, 0), at(trace, "attention.weights", 0, 6), 1e-7);
    assert_true(at(trace, "candidate.mass", 0, 2) == 0); /* "key,map" is no word */
    trace_release(trace);
    model_release(model);
    model = new_model(hops); /* over sentences: the last look's weight of those that name it */
    trace = run(model, &plain, NULL, 0, NULL);
    assert_close(at(trace, "candidate.mass", 0, 1), at(trace, "attention.weights", 2, 1), 1e-7);
    trace_release(trace);
    model_release(model);
}

static void unknown_words_are_read_marked_and_named(void **state)
{
    (void)state;
    Model *model = new_model(attentive);
    const RunInput input = {.text = "Ruth took the xylophone to the attic.",
                            .question = "Where is the xylophone?"};
    const Trace *trace = run(model, &input, NULL, 0, NULL);
    const TraceAxis *document = axis_of(trace, "document");
    assert_int_equal(document->len, 8);
    assert_true(document->flags[3] & TRACE_TOKEN_UNKNOWN);
    assert_false(document->flags[1] & TRACE_TOKEN_UNKNOWN);
    assert_int_equal(trace_n_notes(trace), 2);
    assert_non_null(strstr(trace_note(trace, 0), "1 word of the story: \"xylophone\""));
    assert_non_null(strstr(trace_note(trace, 1), "1 word of the question: \"xylophone\""));
    assert_true(trace_step_scalar(trace_step(trace, 0), "words.unknown") == 1);
    trace_release(trace);
    trace = run(model, &plain, NULL, 0, NULL);
    assert_int_equal(trace_n_notes(trace), 0);
    trace_release(trace);
    model_release(model);
}

static void the_right_answer_can_be_told(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = new_model(hops);
    const RunOptions options = {.force = "barn"};
    const Trace *trace = run(model, &plain, &options, 0, NULL);
    const TraceStep *last = trace_step(trace, trace_n_steps(trace) - 1);
    assert_close(trace_step_scalar(last, "expected"), trace_class(trace, 1)->probability, 1e-12);
    trace_release(trace);
    const RunOptions other = {.force = "moon"};
    assert_refused(session_begin(model, &plain, &other, &error), "\"moon\" is none of the 4");
    model_release(model);
}

/* ---- interventions ---- */

static void weights_by_hand_replace_a_look(void **state)
{
    (void)state;
    Model *model = new_model(hops);
    const float weights[SENTENCES] = {0, 3, 1};
    Intervention change = {6, STEP_CHOICE_NONE};
    change.choice.n_weights = SENTENCES;
    change.choice.weights = weights;
    const Trace *own = run(model, &plain, NULL, 0, NULL);
    const Trace *trace = run(model, &plain, NULL, 1, &change);
    assert_close(at(trace, "attention.weights", 0, 1), 0.75, 1e-6);
    for (int j = 0; j < SENTENCES; j++)
        assert_close(at(trace, "attention.own_weights", 0, j), at(own, "attention.weights", 0, j),
                     1e-7);
    assert_true(trace_step(trace, 6)->forced);
    assert_true(fabsf(at(trace, "attention.weights", 1, 0) - at(own, "attention.weights", 1, 0)) >
                1e-6f); /* the next look knows of it */
    assert_string_equal(trace_change(trace, 0)->text, "weights of look 1 by hand");
    trace_release(own);
    trace_release(trace);
    model_release(model);
}

static void hidden_items_are_not_looked_at(void **state)
{
    (void)state;
    const int hidden[] = {1};
    const RunOptions options = {.n_hidden = 1, .hidden = hidden};
    for (int k = 0; k < N_MEMBERS; k++) {
        Model *model = new_model(members[k]);
        const Trace *trace = run(model, &plain, &options, 0, NULL);
        TraceMatrix m = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
        for (int i = 0; i < m.rows; i++)
            assert_true(trace_matrix_get(&m, i, 1) == 0);
        trace_release(trace);
        model_release(model);
    }
    Error error = {0};
    Model *model = new_model(hops);
    const int outside[] = {SENTENCES};
    const RunOptions bad = {.n_hidden = 1, .hidden = outside};
    assert_refused(session_begin(model, &plain, &bad, &error), "sentence 4 cannot be hidden");
    model_release(model);
}

static void a_high_temperature_spreads_the_weights(void **state)
{
    (void)state;
    Model *model = new_model(attentive);
    const RunOptions hot = {.temperature = 1000};
    const Trace *a = run(model, &plain, NULL, 0, NULL), *b = run(model, &plain, &hot, 0, NULL);
    double cold = trace_step_scalar(trace_step(a, 6), "entropy");
    double spread = trace_step_scalar(trace_step(b, 6), "entropy");
    assert_true(spread > cold);
    assert_close(spread, log(WORDS), 1e-3);
    trace_release(a);
    trace_release(b);
    model_release(model);
}

static void choices_that_do_not_fit_are_refused_and_change_nothing(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = new_model(attentive);
    Session *session = session_begin(model, &plain, NULL, &error);
    const float weights[2] = {1, 1};
    StepChoice choice = STEP_CHOICE_NONE;
    choice.token = 0;
    assert_refused(session_step(session, &choice, &error), "takes weights where it looks");
    choice = STEP_CHOICE_NONE;
    choice.n_weights = 2;
    choice.weights = weights;
    assert_refused(session_step(session, &choice, &error), "nothing is looked at in this step");
    for (int i = 0; i <= ASKED; i++)
        assert_ok(session_step(session, NULL, &error));
    assert_refused(session_step(session, &choice, &error), "2 weights for the 20 words");
    assert_int_equal(session_n_steps(session), 1 + ASKED);
    session_free(session);
    const RunOptions beam = {.beam = 2}, cold = {.temperature = -1};
    assert_refused(session_begin(model, &plain, &beam, &error), "takes no beam");
    assert_refused(session_begin(model, &plain, &cold, &error), "temperature -1");
    model_release(model);
}

/* ---- input ---- */

static void bad_stories_and_questions_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][3] = {
        {NULL, "Who?", "the story is empty"},
        {"", "Who?", "the story is empty"},
        {" \n\t\r\n", "Who?", "the story is empty"},
        {"... !", "Who?", "the story has no words, only marks"},
        {"Ruth left.", NULL, "the question is empty"},
        {"Ruth left.", "  ", "the question is empty"},
        {"Ruth left.", "?", "the question has no words, only marks: \"?\""},
        {"Ruth left.", "\xD8\x9F", "the question has no words"},
    };
    Error error = {0};
    Model *model = new_model(attentive);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const RunInput input = {.text = bad[i][0], .question = bad[i][1]};
        assert_refused(session_begin(model, &input, NULL, &error), bad[i][2]);
    }
    model_release(model);
}

static char *repeat(const char *text, int n)
{
    StrBuf out = {0};
    for (int i = 0; i < n; i++)
        strbuf_add(&out, text);
    return strbuf_take(&out);
}

static void two_hundred_sentences_are_read_and_a_book_is_refused(void **state)
{
    (void)state;
    Error error = {0};
    char *text = repeat("Ruth left the barn. ", 200);
    char *most = repeat("a ", READER_MAX_WORDS), *more = repeat("a ", READER_MAX_WORDS + 1);
    char *asked = repeat("a ", READER_MAX_QUESTION_WORDS + 1);
    for (int k = 0; k < 3; k++) {
        Model *model = new_model(members[k]);
        const RunInput input = {.text = text, .question = question};
        const Trace *trace = run(model, &input, NULL, 0, NULL);
        assert_int_equal(axis_of(trace, "sentence")->len, 200);
        trace_release(trace);
        const RunInput whole = {.text = most, .question = question};
        trace_release(run(model, &whole, NULL, 0, NULL));
        const RunInput book = {.text = more, .question = question};
        assert_refused(session_begin(model, &book, NULL, &error),
                       "16385 words; the limit is 16384");
        const RunInput long_question = {.text = text, .question = asked};
        assert_refused(session_begin(model, &long_question, NULL, &error), "257 words");
        model_release(model);
    }
    free(text);
    free(most);
    free(more);
    free(asked);
}

static void any_script_is_read(void **state)
{
    (void)state;
    Model *model = new_model(hops);
    const RunInput chinese = {.text = "小明去了花园。小红在厨房。", .question = "小明在哪里？"};
    const Trace *trace = run(model, &chinese, NULL, 0, NULL);
    assert_int_equal(axis_of(trace, "sentence")->len, 2);
    assert_int_equal(axis_of(trace, "document")->len, 13);
    trace_release(trace);
    const RunInput arabic = {.text = "ذهبت ليلى إلى السوق. عمر في البيت.", .question = "أين ليلى؟"};
    trace = run(model, &arabic, NULL, 0, NULL);
    assert_true(axis_of(trace, "document")->flags[0] & TRACE_TOKEN_UNKNOWN);
    assert_int_equal(axis_of(trace, "question")->len, 3);
    trace_release(trace);
    model_release(model);
}

/* ---- files ---- */

static void a_saved_model_runs_the_same(void **state)
{
    (void)state;
    Error error = {0};
    for (int k = 0; k < N_MEMBERS; k++) {
        Model *model = new_model(members[k]);
        assert_ok(model_save(model, "test_reader.safetensors", false, &error));
        Model *loaded = model_load("test_reader.safetensors", &error);
        if (!loaded)
            fail_msg("%s", error.message);
        free(model->name);
        model->name = memory_copy_string("test_reader");
        char *a = json_of(run(model, &plain, NULL, 0, NULL));
        char *b = json_of(run(loaded, &plain, NULL, 0, NULL));
        assert_string_equal(a, b);
        assert_int_equal(model_task(loaded), TASK_ANSWER);
        free(a);
        free(b);
        model_release(loaded);
        model_release(model);
    }
    remove("test_reader.safetensors");
}

static void damaged_descriptions_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{}", "class"},
        {"{\"answers\": [\"a\"]}", "class"},
        {"{\"answers\": [\"a\", \"b\"]}", "vocabulary"},
        {"{\"answers\": [\"a\", \"b\"], \"vocabulary\": []}", "vocabulary"}};
    const Family *family = family_find("reader");
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
        cmocka_unit_test(the_story_the_question_the_looks_and_the_answer_are_steps),
        cmocka_unit_test(an_impatient_reader_looks_at_every_word_of_the_question),
        cmocka_unit_test(every_member_runs_and_its_rows_of_weights_sum_to_one),
        cmocka_unit_test(going_back_and_forth_gives_the_same_trace),
        cmocka_unit_test(words_belong_to_sentences_and_to_the_text),
        cmocka_unit_test(supporting_sentences_are_marked_and_scored_but_not_read),
        cmocka_unit_test(attention_on_the_mentions_of_an_answer_is_added_up),
        cmocka_unit_test(unknown_words_are_read_marked_and_named),
        cmocka_unit_test(the_right_answer_can_be_told),
        cmocka_unit_test(weights_by_hand_replace_a_look),
        cmocka_unit_test(hidden_items_are_not_looked_at),
        cmocka_unit_test(a_high_temperature_spreads_the_weights),
        cmocka_unit_test(choices_that_do_not_fit_are_refused_and_change_nothing),
        cmocka_unit_test(bad_stories_and_questions_are_refused),
        cmocka_unit_test(two_hundred_sentences_are_read_and_a_book_is_refused),
        cmocka_unit_test(any_script_is_read),
        cmocka_unit_test(a_saved_model_runs_the_same),
        cmocka_unit_test(damaged_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
