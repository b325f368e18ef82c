/* Stepping through pictures: digits by glimpses and descriptions word by word, with networks
 * that were never trained. */
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "models/caption_model.h"
#include "models/ram_model.h"
#include "trace/trace_json.h"

static void set(Settings *settings, const char *assignment)
{
    Error error = {0};
    assert_ok(settings_assign(settings, assignment, &error));
}

static void initialise(Model *model)
{
    Error error = {0};
    Random random = random_seed(4, RANDOM_INIT);
    assert_non_null(model->network);
    assert_ok(param_set_allocate(model->params, &error));
    param_set_initialise(model->params, &random);
    for (size_t i = 0; i < param_set_size(model->params); i++)
        param_set_values(model->params)[i] += (Real)(0.05 * random_normal(&random));
}

static Model *digit_model(const char *looking)
{
    Error error = {0};
    Settings *settings = settings_new(ram_settings);
    set(settings, "scales=2");
    set(settings, "hidden=16");
    set(settings, "glimpse-hidden=8");
    set(settings, looking);
    Model *model = model_new(family_find("ram"), settings);
    model->network = ram_model_new(model, &error);
    initialise(model);
    return model;
}

static Model *caption_model(const char *attention)
{
    Error error = {0};
    Settings *settings = settings_new(caption_settings);
    set(settings, "width=2");
    set(settings, "hidden=12");
    set(settings, "embedding=6");
    set(settings, "attention-hidden=5");
    set(settings, attention);
    Model *model = model_new(family_find("caption"), settings);
    model->network = describer_new(model, &error);
    initialise(model);
    return model;
}

static const RunInput seven = {.text = "20,15 75,15 45,85"};

/* A picture that needs no font. */
static uint8_t pixels[40 * 30 * 4];
static const TraceImage photo = {40, 30, pixels};
static const RunInput photo_input = {.image = &photo};

static int fill_pixels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 31 % 251);
    return 0;
}

static char *json_of(const Trace *trace)
{
    Error error = {0};
    StrBuf out = {0};
    assert_ok(trace_json_write(trace, &out, &error));
    return strbuf_take(&out);
}

static char *run_json(const Model *model, const RunInput *input, const RunOptions *options)
{
    Error error = {0};
    const Trace *trace = model_run(model, input, options, 0, NULL, &error);
    assert_ok(trace != NULL);
    char *text = json_of(trace);
    trace_release(trace);
    return text;
}

static Session *begin(const Model *model, const RunInput *input, const RunOptions *options)
{
    Error error = {0};
    Session *session = session_begin(model, input, options, &error);
    assert_ok(session != NULL);
    return session;
}

static void step(Session *session, const StepChoice *choice)
{
    Error error = {0};
    assert_ok(session_step(session, choice, &error));
}

static const Trace *trace_of(Session *session)
{
    Error error = {0};
    const Trace *trace = session_trace(session, &error);
    assert_ok(trace != NULL);
    return trace;
}

/* ---- all of them ---- */

static void the_same_seed_gives_the_same_trace_and_going_back_changes_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        static const char *const settings[] = {"looking=learned", "looking=random", "looking=fixed",
                                               "attention=soft", "attention=hard"};
        Model *model = kind < 3 ? digit_model(settings[kind]) : caption_model(settings[kind]);
        const RunInput *input = kind < 3 ? &seven : &photo_input;
        const RunOptions options = {.seed = 5, .sample = true, .paths = 7, .max_steps = 6};
        char *first = run_json(model, input, &options), *second = run_json(model, input, &options);
        assert_string_equal(first, second);
        Session *session = begin(model, input, &options);
        for (int i = 0; i < 5 && !session_is_done(session); i++)
            step(session, NULL);
        session_rewind(session, 2);
        while (!session_is_done(session))
            step(session, NULL);
        const Trace *trace = trace_of(session);
        char *third = json_of(trace);
        assert_string_equal(first, third);
        trace_release(trace);
        session_free(session);
        free(first);
        free(second);
        free(third);
        model_release(model);
    }
}

static void a_saved_model_runs_as_before(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        Error error = {0};
        char path[] = "/tmp/fovea-model-XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        Model *model = kind == 0 ? digit_model("looking=learned") : caption_model("attention=hard");
        const RunInput *input = kind == 0 ? &seven : &photo_input;
        assert_ok(model_save(model, path, false, &error));
        Model *loaded = model_load(path, &error);
        assert_ok(loaded != NULL);
        free(loaded->name); /* of the file */
        loaded->name = strdup(model->name);
        char *before = run_json(model, input, NULL), *after = run_json(loaded, input, NULL);
        assert_string_equal(before, after);
        free(before);
        free(after);
        model_release(model);
        model_release(loaded);
        unlink(path);
    }
}

static void every_wrong_choice_is_refused_and_leaves_the_session_as_it_was(void **state)
{
    (void)state;
    const float negative[64] = {-1}, zero[64] = {0};
    const struct {
        const char *settings;
        StepChoice choice;
        const char *message;
    } cases[] = {
        {"looking=learned",
         {.token = -1, .selected = -1, .moves_window = true, .centre = 1.5},
         "parts of the picture"},
        {"looking=learned",
         {.token = -1, .selected = -1, .moves_window = true, .centre = NAN},
         "parts of the picture"},
        {"attention=soft", {.token = 9999, .selected = -1}, "the vocabulary has"},
        {"attention=soft", {.token = -1, .word = "unicorn", .selected = -1}, "unicorn"},
        {"attention=soft", {.token = -1, .selected = 3}, "no single cell"},
        {"attention=hard", {.token = -1, .selected = 64}, "the grid has 64"},
        {"attention=soft",
         {.token = -1, .selected = -1, .n_weights = 3, .weights = zero},
         "3 weights for 64"},
        {"attention=soft",
         {.token = -1, .selected = -1, .n_weights = 64, .weights = negative},
         "none may be negative"},
        {"attention=soft",
         {.token = -1, .selected = -1, .n_weights = 64, .weights = zero},
         "one must be positive"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        bool is_digit = cases[i].settings[0] == 'l';
        Model *model = is_digit ? digit_model(cases[i].settings) : caption_model(cases[i].settings);
        const RunInput *input = is_digit ? &seven : &photo_input;
        Session *session = begin(model, input, NULL);
        step(session, NULL);
        assert_refused(session_step(session, &cases[i].choice, &error), cases[i].message);
        assert_int_equal(session_n_steps(session), 1);
        step(session, NULL);
        session_free(session);
        model_release(model);
    }
}

static void what_cannot_be_looked_at_is_refused(void **state)
{
    (void)state;
    static const uint8_t white[4] = {255, 255, 255, 255};
    const TraceImage pixel = {1, 1, white};
    const int hidden[] = {64};
    const struct {
        bool is_digit;
        RunInput input;
        RunOptions options;
        const char *message;
    } cases[] = {
        {true, {0}, {0}, "picture of a digit"},
        {true, {.image = &pixel}, {0}, "blank"},
        {true, {.text = "seven"}, {0}, "is not a point"},
        {true, seven, {.force = "seven"}, "is a digit"},
        {true, seven, {.max_steps = 1000}, "at most"},
        {true, seven, {.paths = RUN_MAX_PATHS + 1}, "paths"},
        {false, {0}, {0}, "a picture or the description"},
        {false, {.text = "a unicorn"}, {0}, "unicorn"},
        {false, photo_input, {.force = "a unicorn"}, "unicorn"},
        {false, photo_input, {.beam = 3}, "without a beam"},
        {false, photo_input, {.temperature = -1}, "temperature"},
        {false, photo_input, {.n_hidden = 1, .hidden = hidden}, "cannot be hidden"},
    };
    Model *digits = digit_model("looking=learned"), *captions = caption_model("attention=soft");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        const Model *model = cases[i].is_digit ? digits : captions;
        assert_refused(session_begin(model, &cases[i].input, &cases[i].options, &error) != NULL,
                       cases[i].message);
    }
    /* One pixel is a picture like any other for a description. */
    free(run_json(captions, &(RunInput){.image = &pixel}, NULL));
    model_release(digits);
    model_release(captions);
}

/* ---- digits ---- */

static void a_glimpse_goes_where_it_is_put(void **state)
{
    (void)state;
    Model *model = digit_model("looking=learned");
    Session *session = begin(model, &seven, &(RunOptions){.force = "7"});
    StepChoice choice = STEP_CHOICE_NONE;
    choice.moves_window = true;
    choice.centre = 0.25;
    choice.centre_y = 0.75;
    step(session, &choice);
    step(session, NULL);
    const Trace *trace = trace_of(session);
    const TraceStep *first = trace_step(trace, 0);
    assert_true(first->forced);
    assert_close(trace_step_scalar(first, "location.x"), -0.5, 1e-6);
    assert_close(trace_step_scalar(first, "location.y"), 0.5, 1e-6);
    assert_int_equal(first->n_boxes, 2);
    /* 28 pixels: the 8 around 7 begin at 3. */
    assert_close(first->boxes[0].x, 3.0 / 28, 1e-6);
    assert_close(first->boxes[0].w, 8.0 / 28, 1e-6);
    assert_close(first->boxes[1].w, 16.0 / 28, 1e-6);
    assert_int_equal(trace_n_changes(trace), 1);
    double reward = trace_step_scalar(first, "reward");
    assert_true(reward == 0 || reward == 1);
    assert_close(trace_step_scalar(first, "advantage"),
                 reward - trace_step_scalar(first, "baseline"), 1e-12);
    trace_release(trace);
    session_free(session);
    model_release(model);
}

/* The patches in the trace are the picture at the boxes, and the verdict the mean of the
 * sampled runs. */
static void a_digit_trace_holds_what_was_seen_and_the_averaged_verdict(void **state)
{
    (void)state;
    enum { PATHS = 20 };
    Error error = {0};
    Model *model = digit_model("looking=learned");
    const RunOptions options = {.paths = PATHS};
    const Trace *trace = model_run(model, &seven, &options, 0, NULL, &error);
    assert_ok(trace != NULL);
    const TraceImage *image = trace_image(trace);
    assert_int_equal(image->width, 28);
    const TraceTensor *patches = trace_find(trace, "glimpse.patches");
    for (int t = 0; t < trace_n_steps(trace); t++) {
        const TraceBox *box = &trace_step(trace, t)->boxes[0];
        TraceMatrix seen = trace_matrix(trace, patches, (const int32_t[]){t});
        int left = (int)lround(28 * (double)box->x), top = (int)lround(28 * (double)box->y);
        for (int i = 0; i < 64; i++) {
            int x = left + i % 8, y = top + i / 8;
            bool inside = x >= 0 && x < 28 && y >= 0 && y < 28;
            double want = inside ? image->rgba[4 * (y * 28 + x)] / 255.0 : 0;
            assert_close(trace_matrix_get(&seen, 0, i), want, 0.003);
        }
    }
    TraceMatrix answers = trace_matrix(trace, trace_find(trace, "paths.classes"), NULL);
    double sum = 0;
    for (int c = 0; c < 10; c++) {
        double mean = 0;
        for (int k = 0; k < PATHS; k++)
            mean += (double)trace_matrix_get(&answers, k, c) / PATHS;
        assert_close(trace_class(trace, c)->probability, mean, 1e-6);
        sum += mean;
    }
    assert_close(sum, 1, 1e-5);
    trace_release(trace);
    model_release(model);
}

/* Epochs without a number keep their place; a file that has no such history gives nothing. */
static void a_digit_trace_holds_the_history_of_its_policy(void **state)
{
    (void)state;
    Model *model = digit_model("looking=learned");
    free(model->provenance);
    model->provenance = memory_copy_string(
        "{\"history\": [{\"epoch\": 1, \"valid\": {\"variance.none\": 200, \"variance.moving\": "
        "9}},"
        " {\"epoch\": 2, \"valid\": {\"variance.none\": 300, \"variance.learned\": 7.5}}]}");
    char *text = run_json(model, &seven, &(RunOptions){0});
    Error error = {0};
    const Trace *trace = trace_json_read(text, strlen(text), "digit", &error);
    assert_ok(trace != NULL);
    static const struct {
        const char *name;
        float values[2];
    } want[] = {{"variance.none", {200, 300}},
                {"variance.moving", {9, NAN}},
                {"variance.learned", {NAN, 7.5f}}};
    for (int k = 0; k < 3; k++) {
        const TraceTensor *t = trace_find(trace, want[k].name);
        assert_non_null(t);
        assert_int_equal(trace_tensor_len(trace, t, 0), 2);
        TraceMatrix matrix = trace_matrix(trace, t, NULL);
        float got[2];
        trace_matrix_read(&matrix, 0, 0, 2, got);
        for (int i = 0; i < 2; i++)
            assert_true(isnan((double)want[k].values[i]) ? isnan((double)got[i])
                                                         : got[i] == want[k].values[i]);
    }
    trace_release(trace);
    free(text);
    free(model->provenance);
    model->provenance = memory_copy_string("{\"history\": [{\"epoch\": 1, \"valid\": {}}]}");
    text = run_json(model, &seven, &(RunOptions){0});
    assert_null(strstr(text, "variance"));
    free(text);
    model_release(model);
}

static void the_mean_path_has_no_chance_in_it(void **state)
{
    (void)state;
    Model *model = digit_model("looking=learned");
    Error error = {0};
    double x[2][6];
    for (int seed = 0; seed < 2; seed++) {
        const Trace *trace =
            model_run(model, &seven, &(RunOptions){.seed = (uint64_t)seed}, 0, NULL, &error);
        assert_ok(trace != NULL);
        for (int t = 0; t < 6; t++)
            x[seed][t] = trace_step_scalar(trace_step(trace, t), "location.x");
        trace_release(trace);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    model_release(model);
}

/* ---- descriptions ---- */

static void a_cell_taken_by_hand_is_the_cell_that_is_read(void **state)
{
    (void)state;
    Model *model = caption_model("attention=hard");
    Session *session = begin(model, &photo_input, NULL);
    StepChoice choice = STEP_CHOICE_NONE;
    choice.selected = 19;
    step(session, &choice);
    step(session, NULL);
    const Trace *trace = trace_of(session);
    const TraceStep *first = trace_step(trace, 0);
    assert_int_equal(first->n_selected, 1);
    assert_int_equal(first->selected[0], 19);
    TraceMatrix weights = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
    for (int row = 0; row < 2; row++)
        for (int j = 0; j < 64; j++)
            assert_close(trace_matrix_get(&weights, row, j),
                         j == trace_step(trace, row)->selected[0] ? 1 : 0, 0);
    trace_release(trace);
    session_free(session);
    model_release(model);
}

static void painted_weights_are_used_and_the_models_own_kept(void **state)
{
    (void)state;
    Model *model = caption_model("attention=soft");
    Session *session = begin(model, &photo_input, NULL);
    float painted[64] = {0};
    painted[5] = 3;
    painted[6] = 1;
    StepChoice choice = STEP_CHOICE_NONE;
    choice.n_weights = 64;
    choice.weights = painted;
    step(session, &choice);
    step(session, NULL);
    const Trace *trace = trace_of(session);
    TraceMatrix used = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
    TraceMatrix own = trace_matrix(trace, trace_find(trace, "attention.own_weights"), NULL);
    assert_close(trace_matrix_get(&used, 0, 5), 0.75, 1e-6);
    assert_true(trace_matrix_get(&own, 0, 5) < 0.5f);
    for (int j = 0; j < 64; j++)
        assert_close(trace_matrix_get(&used, 1, j), trace_matrix_get(&own, 1, j), 0);
    trace_release(trace);
    session_free(session);
    model_release(model);
}

static void hidden_cells_get_no_weight_and_coverage_adds_up(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = caption_model("attention=soft");
    const int hidden[] = {0, 7, 63};
    const RunOptions options = {.n_hidden = 3, .hidden = hidden, .max_steps = 4};
    const Trace *trace = model_run(model, &photo_input, &options, 0, NULL, &error);
    assert_ok(trace != NULL);
    TraceMatrix weights = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
    TraceMatrix coverage = trace_matrix(trace, trace_find(trace, "attention.coverage"), NULL);
    for (int row = 0; row < weights.rows; row++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            assert_close(trace_matrix_get(&weights, row, hidden[k]), 0, 0);
        for (int j = 0; j < 64; j++)
            sum += (double)trace_matrix_get(&coverage, row, j);
        assert_close(sum, row + 1, 1e-4);
        double beta = trace_step_scalar(trace_step(trace, row), "gate.beta");
        assert_true(beta > 0 && beta < 1);
    }
    trace_release(trace);
    model_release(model);
}

static void a_forced_sentence_is_written_to_its_end(void **state)
{
    (void)state;
    Error error = {0};
    Model *model = caption_model("attention=soft");
    const RunOptions options = {.force = "two cats above a car"};
    const Trace *trace = model_run(model, &photo_input, &options, 0, NULL, &error);
    assert_ok(trace != NULL);
    assert_string_equal(trace_text(trace, "output"), options.force);
    assert_int_equal(trace_n_steps(trace), 6);
    assert_string_equal(trace_step(trace, 5)->token, "</s>");
    trace_release(trace);
    model_release(model);
}

static void many_sampled_paths_approach_the_softmax(void **state)
{
    (void)state;
    enum { PATHS = 1000 };
    Error error = {0};
    Model *model = caption_model("attention=hard");
    const RunOptions options = {.paths = PATHS, .max_steps = 3};
    const Trace *trace = model_run(model, &photo_input, &options, 0, NULL, &error);
    assert_ok(trace != NULL);
    TraceMatrix soft = trace_matrix(trace, trace_find(trace, "attention.softmax"), NULL);
    TraceMatrix drawn = trace_matrix(trace, trace_find(trace, "paths.weights"), NULL);
    double sum = 0;
    for (int j = 0; j < 64; j++) {
        double p = (double)trace_matrix_get(&soft, 0, j);
        assert_close(trace_matrix_get(&drawn, 0, j), p, 5 * sqrt(p * (1 - p) / PATHS) + 1e-6);
        sum += (double)trace_matrix_get(&drawn, 0, j);
    }
    assert_close(sum, 1, 1e-4);
    trace_release(trace);
    model_release(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_trace_and_going_back_changes_nothing),
        cmocka_unit_test(a_saved_model_runs_as_before),
        cmocka_unit_test(every_wrong_choice_is_refused_and_leaves_the_session_as_it_was),
        cmocka_unit_test(what_cannot_be_looked_at_is_refused),
        cmocka_unit_test(a_glimpse_goes_where_it_is_put),
        cmocka_unit_test(a_digit_trace_holds_what_was_seen_and_the_averaged_verdict),
        cmocka_unit_test(a_digit_trace_holds_the_history_of_its_policy),
        cmocka_unit_test(the_mean_path_has_no_chance_in_it),
        cmocka_unit_test(a_cell_taken_by_hand_is_the_cell_that_is_read),
        cmocka_unit_test(painted_weights_are_used_and_the_models_own_kept),
        cmocka_unit_test(hidden_cells_get_no_weight_and_coverage_adds_up),
        cmocka_unit_test(a_forced_sentence_is_written_to_its_end),
        cmocka_unit_test(many_sampled_paths_approach_the_softmax),
    };
    return cmocka_run_group_tests(tests, fill_pixels, NULL);
}
