/* What the pointer changes in the figure. A change is always one of the document's edits, so
 * it is listed, undone, saved, and means the same on the command line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/what_if.h"
#include "views/heatmap.h"

#define PAINT_PIXELS 120.0f /* of a drag, from nothing to everything */

/* ---- words ---- */

/* The axis of the source, or NULL: what weights and hidden words count. */
static const TraceAxis *source_axis(const App *app)
{
    const TraceTensor *t = trace_find(app->trace, "attention.weights");
    return t ? trace_axis(app->trace, t->axis[t->rank - 1]) : NULL;
}

/* How many items the figure shows as one word with item `first`. */
static int word_items(const App *app, int first)
{
    const TraceAxis *axis = source_axis(app);
    const Settings *options = document_view((Document *)&app->doc, app->doc.view)->options;
    bool merged = settings_has(options, "merge_words") && settings_bool(options, "merge_words");
    int n = 1;
    while (merged && axis && axis->flags && first + n < axis->len &&
           (axis->flags[first + n] & TRACE_TOKEN_CONTINUES))
        n++;
    return n;
}

static void word_label(const App *app, int first, StrBuf *out)
{
    const TraceAxis *axis = source_axis(app);
    strbuf_add(out, "");
    for (int i = 0; axis && axis->labels && i < word_items(app, first); i++)
        if (first + i < axis->len)
            strbuf_add(out, axis->labels[first + i]);
}

/* ---- locks ---- */

static bool is_locked(const App *app, int step, int item)
{
    const WhatIf *w = app->what_if;
    return w->lock_step == step && item < w->n_locked && w->locked[item];
}

static void toggle_lock(App *app, int step, int item)
{
    WhatIf *w = app->what_if;
    const TraceAxis *axis = source_axis(app);
    if (!axis)
        return;
    if (w->lock_step != step || w->n_locked != axis->len) {
        w->locked = memory_resize(w->locked, (size_t)axis->len, sizeof *w->locked);
        memset(w->locked, 0, (size_t)axis->len * sizeof *w->locked);
        w->lock_step = step;
        w->n_locked = axis->len;
    }
    bool lock = !w->locked[item];
    for (int i = 0; i < word_items(app, item) && item + i < w->n_locked; i++)
        w->locked[item + i] = lock;
}

/* A mark in the corner of every locked cell. */
void change_draw_marks(App *app)
{
    WhatIf *w = app->what_if;
    if (w->n_locked == 0 || strcmp(app->doc.view->name, "heatmap") != 0)
        return;
    ViewFrame frame = app_view_frame(app, app->figure);
    HeatmapPlan plan;
    heatmap_plan(&plan, &frame);
    int32_t row = plan.values ? side_find(&plan.values->rows, w->lock_step) : -1;
    for (int i = 0; row >= 0 && i < w->n_locked; i++) {
        int32_t col = w->locked[i] ? side_find(&plan.values->cols, i) : -1;
        if (col < 0 || side_first(&plan.values->cols, col) != i)
            continue;
        Rect cell = matrix_cell(&plan.matrix, row, col);
        if (cell.x < plan.matrix.cells.x || cell.y < plan.matrix.cells.y)
            continue;
        Rect mark = {cell.x + cell.w - 9, cell.y + 3, 6, 6};
        canvas_fill(app->canvas, rect_pad(mark, -1, -1), 2, app->theme.panel);
        canvas_fill(app->canvas, mark, 1.5f, app->theme.accent);
        canvas_tag(app->canvas, mark, TAG_LABEL, "locked", NULL);
    }
}

/* ---- painting a row ---- */

/* Only the cells of a run's own weights over its words can be painted. */
bool change_can_paint(const App *app, const ViewHit *hit)
{
    const TraceTensor *t = trace_find(app->trace, "attention.weights");
    return hit->kind == HIT_CELL && app->model && t && t->rank == 2 &&
           strcmp(app->doc.view->name, "heatmap") == 0 && model_task(app->model) != TASK_CLASSIFY;
}

/* false when the figure shows another row than those of the weights. */
static bool read_row(App *app, int row)
{
    const TraceTensor *tensor = trace_find(app->trace, "attention.weights");
    TraceMatrix m = trace_matrix(app->trace, tensor, NULL);
    Drag *d = &app->drag;
    if (row < 0 || row >= m.rows)
        return false;
    d->row = row;
    d->n = m.cols;
    d->weights = memory_resize(d->weights, (size_t)m.cols, sizeof *d->weights);
    trace_matrix_read(&m, row, 0, m.cols, d->weights);
    return true;
}

void change_begin_painting(App *app, const ViewHit *hit)
{
    if (!read_row(app, hit->row))
        return;
    app_go_to(app, hit->row);
    app->drag.kind = DRAG_PAINT;
}

/* Gives the `n` items from `first` together `wanted`, in the proportions they have; what is
 * neither they nor locked shares the rest, in its own proportions. */
static void share_out(const App *app, float *weights, int n_all, int first, int n, float wanted)
{
    float own = 0, held = 0, rest = 0;
    int n_rest = 0;
    for (int j = 0; j < n_all; j++) {
        bool mine = j >= first && j < first + n;
        bool locked = !mine && is_locked(app, app->drag.row, j);
        own += mine ? weights[j] : 0;
        held += locked ? weights[j] : 0;
        rest += mine || locked ? 0 : weights[j];
        n_rest += !mine && !locked;
    }
    wanted = n_rest == 0 ? 1 - held : fminf(wanted, 1 - held);
    float left = fmaxf(0, 1 - held - wanted);
    for (int j = 0; j < n_all; j++) {
        bool mine = j >= first && j < first + n;
        if (mine)
            weights[j] = own > 0 ? weights[j] * wanted / own : wanted / (float)n;
        else if (!is_locked(app, app->drag.row, j))
            weights[j] = rest > 0 ? weights[j] * left / rest : left / (float)n_rest;
    }
}

static void set_weight(App *app, int item, float wanted)
{
    Drag *d = &app->drag;
    int n = word_items(app, item);
    n = item + n > d->n ? d->n - item : n;
    share_out(app, d->weights, d->n, item, n, fminf(1, fmaxf(0, wanted)));
    run_edits_set_weights(app->doc.edits, d->row, d->n, d->weights);
}

static float weight_of(const App *app, int item)
{
    float sum = 0;
    for (int i = 0; i < word_items(app, item) && item + i < app->drag.n; i++)
        sum += app->drag.weights[item + i];
    return sum;
}

void change_paint(App *app, const ViewHit *hit, float dy)
{
    Drag *d = &app->drag;
    if (hit->kind != HIT_CELL || hit->col < 0 || hit->col >= d->n || dy == 0)
        return;
    if (is_locked(app, d->row, hit->col)) {
        app_say_done(app, "%s", ui_word(app->ui, STRING_IS_LOCKED));
        return;
    }
    set_weight(app, hit->col, weight_of(app, hit->col) - dy / PAINT_PIXELS);
    app_run(app);
}

/* ---- clicks ---- */

static bool can_hide(const App *app)
{
    ModelTask task = app->model ? model_task(app->model) : TASK_DIGIT;
    return task == TASK_TRANSLATE || task == TASK_LANGUAGE || task == TASK_CLASSIFY;
}

static bool is_hidden(const App *app, int item)
{
    const RunOptions *o = run_edits_options(app->doc.edits);
    for (int i = 0; i < o->n_hidden; i++)
        if (o->hidden[i] == item)
            return true;
    return false;
}

static void toggle_hidden(App *app, int item)
{
    bool hide = !is_hidden(app, item);
    StrBuf word = {0};
    word_label(app, item, &word);
    for (int i = 0; i < word_items(app, item); i++)
        run_edits_hide(app->doc.edits, item + i, hide);
    app_edited(app);
    app_say_done(app, ui_word(app->ui, hide ? STRING_WORD_HIDDEN : STRING_WORD_SHOWN), word.text);
    strbuf_free(&word);
}

static void force_candidate(App *app, int step, int k)
{
    const TraceStep *s = step < app_n_steps(app) ? trace_step(app->trace, step) : NULL;
    if (!s || k >= s->n_candidates)
        return;
    run_edits_forget_after(app->doc.edits, step);
    run_edits_set_token(app->doc.edits, step, s->candidates[k].id, s->candidates[k].token);
    app_go_to(app, step);
    app_edited(app);
}

/* The hypothesis that ends in this node: what it shares with the figure stays the model's
 * own, the rest is given, and the search goes on behind it. */
static void follow_hypothesis(App *app, int node)
{
    const TraceBeamNode *last = trace_beam_node(app->trace, node);
    int n = last->step + 1, first = 0;
    const TraceBeamNode **path = memory_new((size_t)n, sizeof *path);
    for (int i = node; i >= 0; i = trace_beam_node(app->trace, i)->parent)
        path[trace_beam_node(app->trace, i)->step] = trace_beam_node(app->trace, i);
    while (first < n && first < app_n_steps(app) &&
           trace_step(app->trace, first)->id == path[first]->id)
        first++;
    if (first < n)
        run_edits_forget_after(app->doc.edits, first - 1);
    for (int i = first; i < n; i++)
        run_edits_set_token(app->doc.edits, i, path[i]->id, path[i]->token);
    free(path);
    app->at_end = false;
    app->doc.step = last->step;
    app_edited(app);
    app_choose_view(app, view_find("heatmap"));
}

static bool is_hard(const App *app)
{
    const char *align = trace_attribute(app->trace, "align");
    return (align && strcmp(align, "hard") == 0) ||
           (app->model && strcmp(model_attention(app->model), "hard") == 0);
}

bool change_click(App *app, const ViewHit *hit)
{
    const char *view = app->doc.view->name;
    if (!app->model)
        return false;
    if (hit->kind == HIT_CANDIDATE)
        force_candidate(app, hit->row, hit->col);
    else if (hit->kind == HIT_NODE)
        follow_hypothesis(app, hit->row);
    else if (hit->kind == HIT_COL && can_hide(app) && strcmp(view, "compare") != 0 &&
             strcmp(view, "selection") != 0)
        toggle_hidden(app, hit->col);
    else
        return false;
    return true;
}

/* ---- the menu of a cell ---- */

enum { MENU_LOCK, MENU_ALL, MENU_NONE, MENU_TAKE, MENU_HIDE, MENU_OWN, MENU_LINE, MENU_COPY };

void change_open_menu(App *app, const ViewHit *hit)
{
    if (hit->kind != HIT_CELL && hit->kind != HIT_COL)
        return;
    app->what_if->menu = *hit;
    app->selected = *hit;
    ui_open(app->ui, "change.menu");
}

static bool is_painted(const App *app, int step)
{
    int n;
    const Intervention *steps = run_edits_interventions(app->doc.edits, &n);
    for (int i = 0; i < n; i++)
        if (steps[i].step == step)
            return steps[i].choice.n_weights > 0;
    return false;
}

static void do_menu(App *app, int item)
{
    const ViewHit *hit = &app->what_if->menu;
    switch (item) {
    case MENU_LOCK: toggle_lock(app, hit->row, hit->col); return;
    case MENU_ALL:
    case MENU_NONE:
        if (!read_row(app, hit->row))
            return;
        app_go_to(app, hit->row);
        set_weight(app, hit->col, item == MENU_ALL ? 1 : 0);
        app_edited(app);
        return;
    case MENU_TAKE:
        run_edits_set_selected(app->doc.edits, hit->row, hit->col);
        app_edited(app);
        return;
    case MENU_HIDE: toggle_hidden(app, hit->col); return;
    case MENU_OWN:
        run_edits_set_weights(app->doc.edits, hit->row, 0, NULL);
        app_edited(app);
        return;
    default: return;
    }
}

void change_menu(App *app)
{
    if (!ui_is_open(app->ui, "change.menu") || !app->trace)
        return;
    const ViewHit *hit = &app->what_if->menu;
    bool paints = change_can_paint(app, hit), hides = can_hide(app);
    bool locked = is_locked(app, hit->row, hit->col);
    StrBuf word = {0}, hide = {0};
    word_label(app, hit->col, &word);
    strbuf_addf(&hide,
                ui_word(app->ui, is_hidden(app, hit->col) ? STRING_SHOW_WORD : STRING_HIDE_WORD),
                word.text);
    const UiMenuItem items[] = {
        [MENU_LOCK] = {.label = ui_word(app->ui, STRING_LOCK),
                       .checked = locked,
                       .disabled = !paints},
        [MENU_ALL] = {.label = ui_word(app->ui, STRING_GIVE_ALL), .disabled = !paints || locked},
        [MENU_NONE] = {.label = ui_word(app->ui, STRING_TAKE_AWAY), .disabled = !paints || locked},
        [MENU_TAKE] = {.label = ui_word(app->ui, STRING_TAKE_POSITION),
                       .disabled = !paints || !is_hard(app)},
        [MENU_HIDE] = {.label = hide.text, .disabled = !hides},
        [MENU_OWN] = {.label = ui_word(app->ui, STRING_OWN_ROW),
                      .disabled = !is_painted(app, hit->row)},
        [MENU_LINE] = {.separator = true},
        [MENU_COPY] = {.action = ACTION_COPY_CELL},
        {.action = ACTION_COPY_ROW},
        {.action = ACTION_COPY_MATRIX},
    };
    do_menu(app, ui_menu(app->ui, "change.menu", items, sizeof items / sizeof items[0]));
    strbuf_free(&word);
    strbuf_free(&hide);
}
