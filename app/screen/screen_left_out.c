/* Every word left out in turn, beside the weights it received; worked out while the pane is
 * open, again whenever text, model or changes are other ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/what_if.h"
#include "views/view_tools.h"

#define MARGIN 24

bool left_out_is_offered(const App *app)
{
    return app->trace && app->model && leave_one_out_is_possible(app->trace);
}

typedef struct LeavingOut {
    App *app;
    const Model *model;
    InputCopy input;
    RunEdits *edits;
    LeaveOneOut result;
    Error error;
} LeavingOut;

static void leave_out(void *context, const StopFlag *stop)
{
    LeavingOut *l = context;
    const RunInput input = input_view(&l->input);
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
        w->left_out_version++;
        w->left_out_is_done = true;
        free(w->left_out_problem);
        w->left_out_problem = error_is_set(&l->error) ? memory_copy_string(l->error.message) : NULL;
    }
    leave_one_out_free(&l->result);
    model_release(l->model);
    run_edits_free(l->edits);
    input_free(&l->input);
    free(l);
}

static char *key_of(const App *app)
{
    StrBuf key = {0};
    json_t *edits = run_edits_to_json(app->doc.edits);
    char *text = json_dumps(edits, JSON_COMPACT | JSON_SORT_KEYS);
    strbuf_addf(&key, "%s\n%s\n%s\n%s", app->doc.model, app->doc.text, app->doc.question, text);
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
        .edits = run_edits_copy(app->doc.edits),
    };
    input_copy(&l->input, &app->doc);
    worker_submit_replacing(w->worker, (Job){l, leave_out, take_left_out});
}

/* ---- the picture ---- */

static void draw_table(App *app, Rect place)
{
    const LeaveOneOut *r = &app->what_if->left_out;
    LeftOutPicture *picture = left_out_picture_new(r);
    ViewFrame frame = app_view_frame(app, place);
    frame.hover = (ViewHit){0};
    LeftOutSpec spec = left_out_picture_spec(picture, &frame);
    Rect content = ui_scroll_begin(app->ui, "left_out", place);
    float height = left_out_wanted_height(&spec, frame.area.w);
    frame.area.y = content.y;
    frame.area.h = fmaxf(frame.area.h, height);
    UiArea pointer = ui_area(app->ui, "figure", place);
    if (pointer.inside)
        frame.hover = left_out_hit(&spec, pointer.x, pointer.y);
    app->hover = frame.hover;
    left_out_draw(&spec, ui_canvas(app->ui));
    ui_scroll_end(app->ui, height);
    left_out_picture_free(picture);
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

Seen left_out_seen(const App *app)
{
    LeftOutPicture *picture = left_out_picture_new(&app->what_if->left_out);
    return (Seen){
        .drawing = left_out_picture_drawing(picture),
        .name = "left_out",
        .version = app->what_if->left_out_version,
        .release = left_out_picture_free,
        .context = picture,
    };
}
