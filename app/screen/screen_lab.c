/* The lab: one sentence through every installed model of its kind, as small pictures of one
 * scale. Score functions stand side by side, soft beside hard, global beside local.
 *
 * A worker of its own loads the models once and keeps them; a newer sentence replaces a run
 * that is still under way, as in the figure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/app_internal.h"
#include "screen/screen_words.h"
#include "session/paths.h"
#include "trace/followed.h"
#include "trace/measure.h"
#include "views/multiples.h"

#define TITLE_SIZE 64
#define NOTE_SIZE  512
#define MARGIN     24

typedef struct LabRun {
    const Trace *trace;
    long parameters;
    char name[TITLE_SIZE], title[TITLE_SIZE], aside[TITLE_SIZE], note[NOTE_SIZE];
} LabRun;

struct Lab {
    LabKind open;
    bool only_scores;
    LabRun runs[LAB_MAX];
    int n;
    char *asked; /* the text that was run last, or is being run */
    Worker *worker;
    /* Of the worker's jobs alone, which run one at a time. */
    Model *models[LAB_MAX];
    char *names[LAB_MAX];
    int n_models;
};

Lab *lab_new(void (*wake)(void *context), void *context)
{
    Lab *lab = memory_new(1, sizeof *lab);
    lab->worker = worker_new(wake, context);
    lab->only_scores = true;
    return lab;
}

static void forget_runs(LabRun *runs, int n)
{
    for (int i = 0; i < n; i++)
        trace_release(runs[i].trace);
}

void lab_free(Lab *lab)
{
    if (!lab)
        return;
    worker_free(lab->worker);
    forget_runs(lab->runs, lab->n);
    for (int i = 0; i < lab->n_models; i++) {
        model_release(lab->models[i]);
        free(lab->names[i]);
    }
    free(lab->asked);
    free(lab);
}

/* ---- which models ---- */

/* Models of one kind share what their name begins with: "en-fr-". */
size_t lab_kind_length(const char *name)
{
    const char *first = strchr(name, '-');
    const char *second = first ? strchr(first + 1, '-') : NULL;
    return second ? (size_t)(second - name) + 1 : 0;
}

int lab_find_kind(const App *app, const char *names[LAB_MAX])
{
    if (!app->model || model_task(app->model) != TASK_TRANSLATE)
        return 0;
    const char *mine = app->doc.model;
    size_t n = lab_kind_length(mine);
    int found = 0;
    for (int i = 0; n > 0 && i < app->catalogue->n && found < LAB_MAX; i++) {
        const CatalogueEntry *e = &app->catalogue->entries[i];
        if (!e->problem && strncmp(e->name, mine, n) == 0)
            names[found++] = e->name;
    }
    return found;
}

bool lab_is_offered(const App *app)
{
    const char *names[LAB_MAX];
    return lab_find_kind(app, names) > 1;
}

LabKind lab_is_open(const App *app)
{
    LabKind open = app->lab->open; /* costs are one model's; the others compare several */
    return (open == LAB_COST ? cost_is_offered(app) : lab_is_offered(app)) ? open : LAB_CLOSED;
}

bool lab_only_scores(const App *app)
{
    return app->lab->only_scores;
}

void lab_set_only_scores(App *app, bool only)
{
    if (only == app->lab->only_scores)
        return;
    app->lab->only_scores = only;
    free(app->lab->asked);
    app->lab->asked = NULL;
}

static bool is(const Trace *trace, const char *attribute, const char *value)
{
    const char *held = trace_attribute(trace, attribute);
    return held && strcmp(held, value) == 0;
}

/* All else equal: attention over all words by the state before the step. */
static bool is_score_function(const LabRun *run)
{
    return trace_find(run->trace, "attention.weights") && is(run->trace, "align", "global") &&
           is(run->trace, "query", "previous") && is(run->trace, "feeding", "no");
}

/* Of two models with one score function the smaller is the one made for comparing. */
static void keep_score_functions(LabRun *runs, int *n)
{
    int kept = 0;
    for (int i = 0; i < *n; i++) {
        int same = -1;
        for (int j = 0; j < kept && is_score_function(&runs[i]); j++)
            if (is(runs[j].trace, "attention", trace_attribute(runs[i].trace, "attention")))
                same = j;
        bool take =
            is_score_function(&runs[i]) && (same < 0 || runs[i].parameters < runs[same].parameters);
        int gone = take ? same : i;
        if (take && same < 0) {
            runs[kept++] = runs[i];
        } else {
            trace_release(runs[gone].trace);
            if (take)
                runs[same] = runs[i];
        }
    }
    *n = kept;
}

/* ---- running them ---- */

typedef struct LabJob {
    App *app;
    Lab *lab;
    char *text;
    bool only_scores;
    const char *no_attention; /* in words */
    char names[LAB_MAX][TITLE_SIZE];
    int n_names;
    LabRun runs[LAB_MAX];
    int n;
    Error error;
} LabJob;

static Model *loaded(Lab *lab, const char *name, Error *error)
{
    for (int i = 0; i < lab->n_models; i++)
        if (strcmp(lab->names[i], name) == 0)
            return lab->models[i];
    if (lab->n_models == LAB_MAX) { /* another kind of models: begin anew */
        for (int i = 0; i < LAB_MAX; i++) {
            model_release(lab->models[i]);
            free(lab->names[i]);
        }
        lab->n_models = 0;
    }
    char *path = paths_find_model(name, error);
    Model *model = path ? model_load(path, error) : NULL;
    free(path);
    if (!model)
        return NULL;
    lab->models[lab->n_models] = model;
    lab->names[lab->n_models++] = memory_copy_string(name);
    return model;
}

/* Of words that both wrote, the part that took most from the same source word. */
static double agreement(const Trace *a, const Trace *b)
{
    const TraceTensor *wa = trace_find(a, "attention.weights");
    const TraceTensor *wb = trace_find(b, "attention.weights");
    Grid ga, gb;
    Error none = {0};
    if (!wa || !wb || !grid_init(&ga, a, wa, NULL, &none))
        return (double)NAN;
    int same = 0, all = 0;
    if (grid_init(&gb, b, wb, NULL, &none)) {
        Followed words = followed_new(a, b);
        for (int32_t i = 0; i < words.n; i++) {
            const FollowedStep *s = &words.at[i];
            if (!s->same || s->before >= ga.rows || s->after >= gb.rows)
                continue;
            all++;
            same += measure_row(&ga, s->before).argmax == measure_row(&gb, s->after).argmax;
        }
        followed_free(&words);
        grid_deinit(&gb);
    }
    grid_deinit(&ga);
    return all > 0 ? (double)same / all : (double)NAN;
}

static double mean_agreement(const LabJob *job, int i)
{
    double sum = 0;
    int n = 0;
    for (int j = 0; j < job->n; j++) {
        double a = j == i ? (double)NAN : agreement(job->runs[i].trace, job->runs[j].trace);
        sum += isnan(a) ? 0 : a;
        n += !isnan(a);
    }
    return n > 0 ? sum / n : (double)NAN;
}

static double entropy(const Trace *trace)
{
    const TraceTensor *weights = trace_find(trace, "attention.weights");
    Grid grid;
    Error none = {0};
    if (!weights || !grid_init(&grid, trace, weights, NULL, &none))
        return (double)NAN;
    double value = measure_head(&grid).entropy;
    grid_deinit(&grid);
    return value;
}

/* What it wrote, how sharply it looked, how often it looked where the others did. */
static void write_note(LabJob *job, int i)
{
    LabRun *run = &job->runs[i];
    const char *output = trace_text(run->trace, "output");
    double h = entropy(run->trace), share = mean_agreement(job, i);
    snprintf(run->note, NOTE_SIZE, "%.*s", NOTE_SIZE - 1, output ? output : "");
    if (!trace_find(run->trace, "attention.weights") && trace_find(run->trace, "saliency.weights"))
        snprintf(run->aside, TITLE_SIZE, "%s", job->no_attention);
    else if (!isnan(h) && !isnan(share))
        snprintf(run->aside, TITLE_SIZE, "H %.2f \u00b7 %.0f %%", h, 100 * share);
    else if (!isnan(h))
        snprintf(run->aside, TITLE_SIZE, "H %.2f", h);
}

static void run_all(void *context, const StopFlag *stop)
{
    LabJob *job = context;
    const RunInput input = {.text = job->text};
    const RunOptions options = {.stop = stop};
    for (int i = 0; i < job->n_names; i++) {
        const Model *model = loaded(job->lab, job->names[i], &job->error);
        const Trace *trace =
            model ? model_run(model, &input, &options, 0, NULL, &job->error) : NULL;
        if (!trace)
            return;
        LabRun *run = &job->runs[job->n++];
        run->trace = trace;
        run->parameters = model_parameters(model);
        size_t kind = lab_kind_length(job->names[i]);
        memcpy(run->name, job->names[i], TITLE_SIZE);
        memcpy(run->title, job->names[i] + kind, TITLE_SIZE - kind);
    }
    if (job->only_scores)
        keep_score_functions(job->runs, &job->n);
    for (int i = 0; i < job->n; i++)
        write_note(job, i);
}

static void take_runs(void *context, JobOutcome outcome)
{
    LabJob *job = context;
    Lab *lab = job->lab;
    bool failed = error_is_set(&job->error);
    if (outcome == JOB_RAN && !failed) {
        forget_runs(lab->runs, lab->n);
        memcpy(lab->runs, job->runs, sizeof job->runs);
        lab->n = job->n;
    } else {
        forget_runs(job->runs, job->n);
        if (failed && job->error.kind != ERROR_CANCELLED)
            app_say(job->app, &job->error);
    }
    free(job->text);
    free(job);
}

static void start(App *app)
{
    Lab *lab = app->lab;
    LabJob *job = memory_new(1, sizeof *job);
    *job = (LabJob){.app = app, .lab = lab, .only_scores = lab->only_scores};
    job->no_attention = screen_word(app->language, "lab.gradient");
    job->text = memory_copy_string(app->doc.text);
    const char *names[LAB_MAX];
    job->n_names = lab_find_kind(app, names);
    for (int i = 0; i < job->n_names; i++)
        snprintf(job->names[i], TITLE_SIZE, "%s", names[i]);
    free(lab->asked);
    lab->asked = memory_copy_string(app->doc.text);
    worker_submit_replacing(lab->worker, (Job){job, run_all, take_runs});
}

int lab_poll(App *app)
{
    Lab *lab = app->lab;
    int taken = worker_poll(lab->worker);
    if (lab_is_open(app) == LAB_RUNS && (!lab->asked || strcmp(lab->asked, app->doc.text) != 0)) {
        start(app);
        if (app->spec.still) {
            worker_wait(lab->worker);
            taken += worker_poll(lab->worker);
        }
    }
    return taken;
}

void lab_open(App *app, LabKind open)
{
    app->lab->open = open;
    app->hover = app->selected = (ViewHit){0};
}

/* ---- the picture ---- */

/* The runs of the lab, and what is written above them. */
typedef struct LabPicture {
    const LabRun *runs;
    int n;
    const char *title, *subtitle;
} LabPicture;

static LabPicture picture_of(const App *app)
{
    const Lab *lab = app->lab;
    return (LabPicture){lab->runs, lab->n,
                        screen_word(app->language, lab->only_scores ? "lab.scores" : "lab.all"),
                        screen_word(app->language, "lab.subtitle")};
}

typedef struct LabSpec {
    MultiplesSpec spec;
    const Trace *traces[LAB_MAX];
    const char *titles[LAB_MAX], *asides[LAB_MAX], *notes[LAB_MAX];
} LabSpec;

static void compose(const LabPicture *picture, const ViewFrame *frame, LabSpec *out)
{
    for (int i = 0; i < picture->n; i++) {
        out->traces[i] = picture->runs[i].trace;
        out->titles[i] = picture->runs[i].title;
        out->asides[i] = picture->runs[i].aside;
        out->notes[i] = picture->runs[i].note;
    }
    out->spec = (MultiplesSpec){
        .frame = frame,
        .traces = out->traces,
        .titles = out->titles,
        .asides = out->asides,
        .notes = out->notes,
        .title = picture->title,
        .subtitle = picture->subtitle,
        .n = picture->n,
    };
}

void screen_lab(App *app, Rect place)
{
    Rect area = rect_pad(place, MARGIN, MARGIN);
    LabPicture picture = picture_of(app);
    if (picture.n == 0)
        return;
    ViewFrame frame = app_view_frame(app, area);
    frame.options = document_view(&app->doc, view_find("heatmap"))->options;
    frame.camera = (ViewCamera){0};
    LabSpec lab;
    compose(&picture, &frame, &lab);
    UiArea pointer = ui_area(app->ui, "figure", area);
    app->hover = (ViewHit){0};
    int at = -1;
    if (pointer.inside)
        at = multiples_hit(&lab.spec, pointer.x, pointer.y, &app->hover);
    frame.hover = app->hover;
    canvas_clip_push(app->canvas, place);
    multiples_draw(&lab.spec, app->canvas);
    canvas_clip_pop(app->canvas);
    if (pointer.released && at >= 0) {
        Error error = {0};
        lab_open(app, LAB_CLOSED);
        if (!app_use_model(app, app->lab->runs[at].name, &error))
            app_say(app, &error);
    }
}

/* ---- the picture as a figure ---- */

typedef struct LabFigure {
    LabPicture picture;
    LabRun runs[LAB_MAX];
} LabFigure;

static void draw_figure(const void *context, const ViewFrame *frame, Canvas *canvas)
{
    const LabFigure *figure = context;
    LabSpec lab;
    compose(&figure->picture, frame, &lab);
    multiples_draw(&lab.spec, canvas);
}

static void write_figure(const void *context, const ViewFrame *frame, Table *table)
{
    const LabFigure *figure = context;
    LabSpec lab;
    compose(&figure->picture, frame, &lab);
    multiples_write(&lab.spec, table);
}

static float figure_height(const void *context, const ViewFrame *frame, float width)
{
    const LabFigure *figure = context;
    LabSpec lab;
    compose(&figure->picture, frame, &lab);
    return multiples_wanted_height(&lab.spec, width);
}

static void release_figure(void *context)
{
    LabFigure *figure = context;
    forget_runs(figure->runs, figure->picture.n);
    free(figure);
}

Seen lab_seen(const App *app)
{
    LabFigure *figure = memory_new(1, sizeof *figure);
    figure->picture = picture_of(app);
    uint64_t version = 0;
    for (int i = 0; i < figure->picture.n; i++) {
        figure->runs[i] = app->lab->runs[i];
        trace_retain(figure->runs[i].trace);
        version = version * 31 + trace_id(figure->runs[i].trace);
    }
    figure->picture.runs = figure->runs;
    return (Seen){
        .drawing = {draw_figure, figure_height, write_figure, figure},
        .name = "lab",
        .version = version,
        .release = release_figure,
        .context = figure,
    };
}

const Trace *lab_trace(const App *app, int i)
{
    return i >= 0 && i < app->lab->n ? app->lab->runs[i].trace : NULL;
}

void screen_lab_options(App *app, Rect row)
{
    const UiControl control = {.name = "lab.only_scores",
                               .label = screen_word(app->language, "lab.only_scores")};
    bool only = app->lab->only_scores;
    if (ui_check(app->ui, row, &control, &only))
        lab_set_only_scores(app, only);
}
