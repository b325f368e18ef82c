#include "screen/app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "screen/dump.h"
#include "screen/export_work.h"
#include "screen/what_if.h"
#include "session/paths.h"
#include "views/view_tools.h"

#define STATUS_SECONDS 8.0

static void start_reading_catalogue(App *app);

/* ---- life ---- */

App *app_new(const AppSpec *spec)
{
    App *app = memory_new(1, sizeof *app);
    app->spec = *spec;
    app->fonts = spec->fonts;
    app->ui = ui_new();
    app->canvas = canvas_new(1280, 800);
    app->cache = view_cache_new();
    app->theme = theme_make(spec->theme);
    app->language = spec->language;
    app->scale = 1;
    app->speed = 1;
    app->at_end = app->left_is_open = app->right_is_open = true;
    keymap_init(&app->keys);
    document_init(&app->doc);
    app->catalogue = catalogue_new();
    app->runs = worker_new(spec->wake, spec->wake_context);
    app->tasks = worker_new(spec->wake, spec->wake_context);
    app->what_if = what_if_new(spec);
    app->dump_work = dump_work_new(spec);
    app->lab = lab_new(spec->wake, spec->wake_context);
    app->input = edit_new(EDIT_ONE_LINE, INPUT_MAX_BYTES);
    app->question = edit_new(EDIT_ONE_LINE, INPUT_MAX_BYTES);
    app->target = edit_new(EDIT_ONE_LINE, INPUT_MAX_BYTES);
    app->file_name = edit_new(EDIT_ONE_LINE, 4096);
    app->list_search = edit_new(EDIT_ONE_LINE, 1024);
    app->folder = memory_copy_string(".");
    app->exporting = exporting_new();
    start_reading_catalogue(app);
    app_restore(app);
    return app;
}

void app_free(App *app)
{
    if (!app)
        return;
    app_forget(app);
    worker_free(app->runs);
    worker_free(app->tasks);
    what_if_free(app->what_if);
    dump_work_free(app->dump_work);
    lab_free(app->lab);
    trace_release(app->trace);
    trace_release(app->plain);
    json_decref(app->restoring);
    model_release(app->model);
    document_deinit(&app->doc);
    catalogue_free(app->catalogue);
    edit_free(app->input);
    edit_free(app->question);
    edit_free(app->target);
    edit_free(app->file_name);
    edit_free(app->list_search);
    free(app->folder);
    exporting_free(app->exporting);
    import_close(app->dump);
    stories_free(app->stories);
    free(app->drag.weights);
    view_cache_free(app->cache);
    canvas_free(app->canvas);
    ui_free(app->ui);
    free(app);
}

const Canvas *app_canvas(const App *app)
{
    return app->canvas;
}

bool app_wants_quit(const App *app)
{
    return app->quit;
}

float app_scale(const App *app)
{
    return app->scale;
}

ThemeKind app_theme(const App *app)
{
    return app->theme.kind;
}

Language app_language(const App *app)
{
    return app->language;
}

bool app_wants_full_screen(const App *app)
{
    return app->full_screen;
}

const Ui *app_ui(const App *app)
{
    return app->ui;
}

const Trace *app_trace(const App *app)
{
    return app->trace;
}

int app_step(const App *app)
{
    int last = app_n_steps(app) - 1;
    int step = app->doc.step < last ? app->doc.step : last;
    return step < 0 ? 0 : step;
}

/* ---- the status line ---- */

void app_say(App *app, const Error *error)
{
    app->status = *error;
    app->status_is_good = false;
    app->status_until = ui_time(app->ui) + STATUS_SECONDS;
}

void app_say_done(App *app, const char *fmt, ...)
{
    error_clear(&app->status);
    va_list args;
    va_start(args, fmt);
    error_set_va(&app->status, ERROR_INPUT, fmt, args);
    va_end(args);
    app->status_is_good = true;
    app->status_until = ui_time(app->ui) + STATUS_SECONDS;
}

void app_report(App *app, const Error *error)
{
    app_say(app, error);
    app->status_until = INFINITY; /* nothing else stands on the screen: it stays */
}

/* ---- steps and views ---- */

int app_n_steps(const App *app)
{
    return app->trace ? trace_n_steps(app->trace) : 0;
}

bool app_has_stages(const App *app)
{
    int n = app_n_steps(app);
    return n > 0 && trace_n_classes(app->trace) > 0 &&
           strcmp(trace_step(app->trace, n - 1)->token, "class") == 0;
}

void app_go_to(App *app, int step)
{
    int last = app_n_steps(app) - 1;
    step = step > last ? last : step;
    app->doc.step = step < 0 ? 0 : step;
    app->at_end = app->doc.step >= last;
}

void app_choose_view(App *app, const View *view)
{
    if (!view || !app->trace || !view->offers(app->trace))
        return;
    app->doc.view = view;
    pane_open(app, PANE_NONE);
    lab_open(app, LAB_CLOSED);
}

void app_show(App *app, const Trace *trace)
{
    trace_release(app->trace);
    app->trace = trace;
    if (run_edits_count(app->doc.edits) == 0) {
        trace_release(app->plain);
        app->plain = trace_retain(trace);
    }
    document_recognise(&app->doc, trace);
    app->hover = app->selected = (ViewHit){0};
    if (app->chooses_view || !app->doc.view->offers(trace))
        app->doc.view = view_first(trace);
    app->chooses_view = false;
    app_go_to(app, app->at_end ? app_n_steps(app) - 1 : app->doc.step);
    app_restore_rest(app);
}

void app_pin(App *app)
{
    if (!app->trace)
        return;
    document_pin(&app->doc, app->trace);
    app_say_done(app, "%s", ui_word(app->ui, STRING_PINNED));
}

const Trace *app_other(const App *app)
{
    return compare_partner(app);
}

/* ---- the list of models ---- */

typedef struct Reading {
    App *app;
    Catalogue *catalogue;
} Reading;

static void read_catalogue(void *context, const StopFlag *stop)
{
    (void)stop;
    catalogue_read(((Reading *)context)->catalogue);
}

static void take_catalogue(void *context, JobOutcome outcome)
{
    Reading *r = context;
    if (outcome == JOB_RAN) {
        Catalogue *old = r->app->catalogue;
        r->app->catalogue = r->catalogue;
        r->catalogue = old;
    }
    catalogue_free(r->catalogue);
    free(r);
}

/* What the files say about themselves comes when it comes; the names are there at once. */
static void start_reading_catalogue(App *app)
{
    Reading *r = memory_new(1, sizeof *r);
    *r = (Reading){app, catalogue_new()};
    worker_submit(app->tasks, (Job){r, read_catalogue, take_catalogue});
}

/* ---- running ---- */

/* The worker's own: the person may load another one meanwhile. */
static void copy_picture(Picture *to, const Picture *from)
{
    Error none = {0};
    if (!from->rgba || !picture_new(to, from->width, from->height, &none))
        return;
    memcpy(to->rgba, from->rgba, (size_t)from->width * (size_t)from->height * 4);
}

void input_copy(InputCopy *copy, const Document *doc)
{
    *copy = (InputCopy){
        .text = memory_copy_string(doc->text),
        .question = memory_copy_string(doc->question),
        .n_supports = doc->n_supports,
        .supports = memory_new((size_t)doc->n_supports + 1, sizeof *copy->supports),
    };
    for (int i = 0; i < doc->n_supports; i++)
        copy->supports[i] = doc->supports[i];
    copy_picture(&copy->picture, &doc->picture);
}

RunInput input_view(InputCopy *copy)
{
    copy->view = picture_view(&copy->picture);
    return (RunInput){
        .text = copy->text,
        .question = copy->question,
        .n_supports = copy->n_supports,
        .supports = copy->supports,
        .image = copy->picture.rgba ? &copy->view : NULL,
    };
}

void input_free(InputCopy *copy)
{
    free(copy->text);
    free(copy->question);
    free(copy->supports);
    picture_free(&copy->picture);
}

typedef struct Run {
    App *app;
    uint64_t ticket;
    const Model *model;
    InputCopy input;
    RunEdits *edits;
    bool verdict_first; /* what explains it is the next run's */
    const Trace *trace;
    Error error;
    double seconds;
} Run;

static void run_model(void *context, const StopFlag *stop)
{
    Run *run = context;
    double began = clock_seconds();
    RunOptions options = *run_edits_options(run->edits);
    options.stop = stop;
    options.verdict_first = run->verdict_first;
    int n;
    const Intervention *steps = run_edits_interventions(run->edits, &n);
    const RunInput input = input_view(&run->input);
    run->trace = model_run(run->model, &input, &options, n, steps, &run->error);
    run->seconds = clock_seconds() - began;
}

static bool is_blank(const char *text)
{
    size_t n = strlen(text);
    uint32_t code = ' ';
    while (n > 0 && utf8_is_space(code)) {
        size_t length = (size_t)utf8_decode(text, n, &code);
        text += length;
        n -= length;
    }
    return utf8_is_space(code);
}

/* The picture stays as long as it shows something of this model's; there is nothing to complain
 * about while nothing has been written. */
static void refuse_run(App *app, const Run *run)
{
    bool draws = model_task(run->model) == TASK_DIGIT || model_task(run->model) == TASK_CAPTION;
    bool says_nothing = is_blank(run->input.text) && !run->input.picture.rgba && !draws;
    bool is_others =
        app->trace && strcmp(view_attribute(app->trace, "model"), model_name(run->model)) != 0;
    if (says_nothing || is_others) {
        trace_release(app->trace);
        trace_release(app->plain);
        app->trace = app->plain = NULL;
        app->hover = app->selected = (ViewHit){0};
    }
    if (says_nothing)
        error_clear(&app->status);
    else
        app_say(app, &run->error);
}

static void show_run(App *app, const Trace *trace)
{
    Error gone = {0};
    app_show(app, trace);
    if (!app->status_is_good)
        error_clear(&app->status);
    if (!run_edits_check_steps(app->doc.edits, app_n_steps(app), &gone))
        app_say(app, &gone);
}

/* The same run with what explains it: what the person has clicked meanwhile stays, and says now
 * what is known. */
static void complete_run(App *app, const Trace *trace)
{
    ViewHit clicked = app->selected;
    app_show(app, trace);
    if (clicked.kind == HIT_NOTHING)
        return;
    ViewFrame frame = app_view_frame(app, app->figure);
    app->selected = app->doc.view->hit(&frame, clicked.place.x + clicked.place.w / 2,
                                       clicked.place.y + clicked.place.h / 2);
}

static void submit_run(App *app, bool verdict_first);

static void finish_run(void *context, JobOutcome outcome)
{
    Run *run = context;
    App *app = run->app;
    bool is_newest = outcome == JOB_RAN && run->ticket == app->ticket;
    bool is_first = is_newest && app->shown != run->ticket;
    if (is_first) {
        app->shown = run->ticket;
        app->run_seconds = run->seconds;
    }
    if (is_newest && run->trace) {
        if (is_first)
            show_run(app, run->trace);
        else
            complete_run(app, run->trace);
        run->trace = NULL;
        if (strcmp(view_attribute(app->trace, "effects"), "later") == 0)
            submit_run(app, false);
    } else if (is_newest && run->error.kind != ERROR_CANCELLED) {
        refuse_run(app, run);
    }
    trace_release(run->trace);
    model_release(run->model);
    run_edits_free(run->edits);
    input_free(&run->input);
    free(run);
}

static void submit_run(App *app, bool verdict_first)
{
    Run *run = memory_new(1, sizeof *run);
    run->app = app;
    run->ticket = app->ticket;
    run->model = model_retain(app->model);
    run->verdict_first = verdict_first;
    input_copy(&run->input, &app->doc);
    run->edits = run_edits_copy(app->doc.edits);
    worker_submit_replacing(app->runs, (Job){run, run_model, finish_run});
}

/* Words that are shaded by what explains the verdict wait for it: they would go out and come
 * back with every letter. */
static bool shows_verdict_first(App *app)
{
    const char *shade =
        settings_text(document_view(&app->doc, view_find("text"))->options, "shade");
    return strcmp(shade, "effect") != 0 && strcmp(shade, "gradient") != 0;
}

void app_run(App *app)
{
    if (!app->model)
        return;
    app->ticket++;
    submit_run(app, shows_verdict_first(app));
    if (app->spec.still)
        app_settle(app);
}

void app_settle_run(App *app)
{
    worker_wait(app->runs);
    worker_poll(app->runs);
}

void app_settle(App *app)
{
    do {
        worker_wait(app->runs);
        worker_wait(app->tasks);
        what_if_settle(app);
        dump_settle(app);
    } while (worker_poll(app->runs) + worker_poll(app->tasks) > 0);
}

void app_edited(App *app)
{
    document_commit(&app->doc);
    app_run(app);
}

/* ---- the model ---- */

bool app_load_model(App *app, const char *name, Error *error)
{
    char *path = paths_find_model(name, error);
    Model *model = path ? model_load(path, error) : NULL;
    free(path);
    if (!model)
        return false;
    model_release(app->model);
    app->model = model;
    dump_close(app);
    document_set_model(&app->doc, name);
    return true;
}

static bool has_example(const App *app)
{
    const char *example;
    for (int i = 0; app->model && (example = model_example(app->model, i)); i++)
        if (app_is_example(app, example))
            return true;
    return false;
}

static bool reads_text(ModelTask task)
{
    return task == TASK_TRANSLATE || task == TASK_CLASSIFY || task == TASK_LANGUAGE;
}

/* What the person wrote is kept wherever it can be read; so is an example, as long as models of
 * one task are compared, unless the new one has examples of its own kind of text. */
static bool keeps_text(const App *app, ModelTask was, bool was_example)
{
    ModelTask task = model_task(app->model);
    bool has_lines = strchr(app->doc.text, '\n') && !app_reads_documents(app);
    if (is_blank(app->doc.text) || has_lines)
        return false;
    if (!was_example)
        return task == was || (reads_text(task) && reads_text(was));
    return task == was &&
           (task != TASK_CLASSIFY || has_example(app) || !model_example(app->model, 0));
}

bool app_use_model(App *app, const char *name, Error *error)
{
    bool had_model = app->model != NULL, was_example = has_example(app);
    bool read_documents = app_reads_documents(app);
    ModelTask task = had_model ? model_task(app->model) : TASK_TRANSLATE;
    if (!app_load_model(app, name, error))
        return false;
    bool other_task = !had_model || model_task(app->model) != task;
    if (had_model && keeps_text(app, task, was_example)) {
        if (other_task)
            document_clear_edits(&app->doc);
        if (other_task || app_reads_documents(app) != read_documents)
            app_fill_fields(app);
    } else {
        /* Another kind of input: begin with something that shows the model. */
        const char *example = model_example(app->model, 0);
        document_clear_edits(&app->doc);
        app_take_example(app, example ? example : "");
        app->at_end = true;
        app_fill_fields(app);
    }
    app->chooses_view = app->chooses_view || other_task;
    app_run(app);
    return true;
}

bool app_open_default(App *app, Error *error)
{
    if (app->catalogue->n == 0)
        return error_set(error, ERROR_IO,
                         "no model is installed; open one, or a dump of "
                         "another tool's attention");
    return app_use_model(app, app->catalogue->entries[0].name, error);
}
