/* Every word left out in turn, beside the weights it received; worked out while the pane is
 * open, again whenever text, model or changes are other ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/what_if.h"
#include "views/left_out.h"

#define MARGIN 24

bool left_out_is_offered(const App *app)
{
    const TraceTensor *t = app->trace ? trace_find(app->trace, "attention.weights") : NULL;
    ModelTask task = app->model ? model_task(app->model) : TASK_DIGIT;
    return t && (task == TASK_TRANSLATE || task == TASK_CLASSIFY);
}

typedef struct LeavingOut {
    App *app;
    const Model *model;
    char *text;
    RunEdits *edits;
    LeaveOneOut result;
    Error error;
} LeavingOut;

static void leave_out(void *context, const StopFlag *stop)
{
    LeavingOut *l = context;
    const RunInput input = {.text = l->text};
    RunOptions options = *run_edits_options(l->edits);
    options.stop = stop;
    int n;
    const Intervention *steps = run_edits_interventions(l->edits, &n);
    const LeaveOneOutSpec spec = {
        .model = l->model,
        .input = &input,
        .options = &options,
        .n_interventions = n,
        .interventions = steps,
        .n_threads = thread_count_available(),
    };
    if (!leave_one_out(&spec, &l->result, &l->error))
        l->result = (LeaveOneOut){0};
}

static void take_left_out(void *context, JobOutcome outcome)
{
    LeavingOut *l = context;
    WhatIf *w = l->app->what_if;
    bool stopped = outcome == JOB_DROPPED || l->error.kind == ERROR_CANCELLED;
    if (!stopped) {
        LeaveOneOut old = w->left_out;
        w->left_out = l->result;
        l->result = old;
        w->left_out_is_done = true;
        free(w->left_out_problem);
        w->left_out_problem = error_is_set(&l->error) ? memory_copy_string(l->error.message) : NULL;
    }
    leave_one_out_free(&l->result);
    model_release(l->model);
    run_edits_free(l->edits);
    free(l->text);
    free(l);
}

static char *key_of(const App *app)
{
    StrBuf key = {0};
    json_t *edits = run_edits_to_json(app->doc.edits);
    char *text = json_dumps(edits, JSON_COMPACT | JSON_SORT_KEYS);
    strbuf_addf(&key, "%s\n%s\n%s", app->doc.model, app->doc.text, text);
    free(text);
    json_decref(edits);
    return strbuf_take(&key);
}

void left_out_poll(App *app)
{
    WhatIf *w = app->what_if;
    if (w->pane != PANE_LEFT_OUT || !left_out_is_offered(app))
        return;
    char *key = key_of(app);
    if (w->left_out_asked && strcmp(w->left_out_asked, key) == 0) {
        free(key);
        return;
    }
    free(w->left_out_asked);
    w->left_out_asked = key;
    w->left_out_is_done = false;
    LeavingOut *l = memory_new(1, sizeof *l);
    *l = (LeavingOut){
        .app = app,
        .model = model_retain(app->model),
        .text = memory_copy_string(app->doc.text),
        .edits = run_edits_copy(app->doc.edits),
    };
    worker_submit_replacing(w->worker, (Job){l, leave_out, take_left_out});
}

/* ---- the picture ---- */

typedef struct Columns {
    const char **words, **outputs;
    float *weights, *effects;
} Columns;

static Columns columns_of(const LeaveOneOut *r, Arena *arena)
{
    size_t n = (size_t)r->n_words;
    Columns c = {
        arena_get(arena, n, sizeof *c.words),
        arena_get(arena, n, sizeof *c.outputs),
        arena_get(arena, n, sizeof *c.weights),
        arena_get(arena, n, sizeof *c.effects),
    };
    for (size_t k = 0; k < n; k++) {
        c.words[k] = r->words[k].word;
        c.outputs[k] = r->words[k].changes_output ? r->words[k].output : NULL;
        c.weights[k] = r->words[k].weight;
        c.effects[k] = r->words[k].effect;
    }
    return c;
}

static void draw_table(App *app, Rect place)
{
    const LeaveOneOut *r = &app->what_if->left_out;
    Arena *arena = arena_new();
    Columns c = columns_of(r, arena);
    ViewFrame frame = app_view_frame(app, rect_pad(place, MARGIN, MARGIN));
    frame.hover = (ViewHit){0};
    LeftOutSpec spec = {
        .frame = &frame,
        .n = r->n_words,
        .words = c.words,
        .weights = c.weights,
        .effects = c.effects,
        .outputs = c.outputs,
        .kendall = r->kendall,
        .spearman = r->spearman,
        .row_kendall = r->row_kendall,
    };
    Rect content = ui_scroll_begin(app->ui, "left_out", place);
    float height = left_out_wanted_height(&spec, frame.area.w);
    frame.area.y = content.y + MARGIN;
    frame.area.h = fmaxf(frame.area.h, height);
    UiArea pointer = ui_area(app->ui, "figure", place);
    if (pointer.inside)
        frame.hover = left_out_hit(&spec, pointer.x, pointer.y);
    left_out_draw(&spec, ui_canvas(app->ui));
    ui_scroll_end(app->ui, height + 2 * MARGIN);
    arena_free(arena);
    if (pointer.released && frame.hover.kind == HIT_ITEM)
        change_click(app, &(ViewHit){.kind = HIT_COL, .col = r->words[frame.hover.row].first});
}

void screen_left_out(App *app, Rect place)
{
    const WhatIf *w = app->what_if;
    if (w->left_out.n_words > 0) {
        draw_table(app, place);
        return;
    }
    const char *text = w->left_out_problem   ? w->left_out_problem
                       : w->left_out_is_done ? ""
                                             : ui_word(app->ui, STRING_RUNNING);
    ViewFrame frame = app_view_frame(app, rect_pad(place, MARGIN, MARGIN));
    view_draw_empty(&frame, app->canvas, text);
}
