/* What the pointer changes in the figure. A change is always one of the document's edits, so
 * it is listed, undone, saved, and means the same on the command line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/what_if.h"
#include "trace/grid.h"

#define PAINT_PIXELS 120.0f /* of a drag, from nothing to everything */

/* ---- what is attended to ---- */

static bool is_document(const App *app)
{
    return trace_find(app->trace, "sentence.weights") && trace_find(app->trace, "word.weights");
}

/* The weights that a person may replace, or NULL. A transformer's are given to all heads. */
static const TraceTensor *main_weights(const App *app)
{
    static const char *const names[] = {"attention.weights", "cross.weights", "sentence.weights"};
    const TraceTensor *t = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !t; i++)
        t = trace_find(app->trace, names[i]);
    return t;
}

/* Of the axis of what hidden words count, or -1. */
static int32_t source_axis_index(const App *app)
{
    const TraceTensor *t = main_weights(app);
    if (is_document(app))
        return trace_find_axis(app->trace, "word");
    return t ? t->axis[t->rank - 1] : -1;
}

static const TraceAxis *source_axis(const App *app)
{
    int32_t axis = source_axis_index(app);
    return axis >= 0 ? trace_axis(app->trace, axis) : NULL;
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
    if (axis && !axis->labels)
        strbuf_addf(out, "%d", first + 1);
    for (int i = 0; axis && axis->labels && i < word_items(app, first); i++)
        if (first + i < axis->len)
            strbuf_add(out, axis->labels[first + i]);
}

/* ---- what a hit means ---- */

/* A row of weights and the items of it that the pointer is on. */
typedef struct Target {
    const TraceTensor *tensor;
    int row;         /* of the weights */
    int step;        /* that it belongs to */
    int item, count; /* what the figure shows as one */
    int n;           /* weights of the row */
    int first, end;  /* of them, those that share a sum of one with the item */
} Target;

/* Rows are steps, but for readers, whose looks come after the story and the question. */
static int step_of_row(const App *app, int row)
{
    for (int i = 0; i < app_n_steps(app); i++)
        if (trace_step_scalar(trace_step(app->trace, i), "look") == row + 1)
            return i;
    return row;
}

static int step_called(const App *app, const char *name)
{
    for (int i = 0; i < app_n_steps(app); i++)
        if (strcmp(trace_step(app->trace, i)->token, name) == 0)
            return i;
    return -1;
}

static bool is_hard(const App *app)
{
    const char *align = trace_attribute(app->trace, "align");
    return (align && strcmp(align, "hard") == 0) ||
           (app->model && strcmp(model_attention(app->model), "hard") == 0);
}

static bool is_view(const App *app, const char *name)
{
    return strcmp(app->doc.view->name, name) == 0;
}

/* Is it a cell of the main weights in the view that is open? */
static bool is_cell(const App *app, const ViewHit *hit)
{
    ModelTask task = app->model ? model_task(app->model) : TASK_CLASSIFY;
    if (hit->kind != HIT_CELL || task == TASK_CLASSIFY)
        return false;
    return is_view(app, "heatmap") || is_view(app, "pipeline") ||
           (is_view(app, "image") && task == TASK_CAPTION);
}

/* The row of the weights that running text is shaded by, or -1. */
static int text_row(const App *app)
{
    if (!is_view(app, "text") || app_n_steps(app) == 0)
        return -1;
    if (model_task(app->model) != TASK_ANSWER)
        return app_step(app);
    double look = trace_step_scalar(trace_step(app->trace, app_step(app)), "look");
    return look >= 1 ? (int)look - 1 : -1;
}

/* Items of the weights that a word or a sentence of the text stands for: *count 0 if none. */
static int text_items(const App *app, const ViewHit *hit, int *count)
{
    int32_t axis = source_axis_index(app);
    const TraceAxis *words = trace_axis(app->trace, axis);
    *count = 0;
    if (hit->axis == axis) {
        *count = word_items(app, hit->row);
        return hit->row;
    }
    int first = 0;
    for (int32_t i = 0; words->parent && words->parent_axis == hit->axis && i < words->len; i++)
        if (words->parent[i] == hit->row && (*count)++ == 0)
            first = i;
    return first;
}

static bool is_text_of_steps(const App *app, const ViewHit *hit)
{
    ModelTask task = model_task(app->model);
    return hit->kind == HIT_ITEM && hit->axis >= 0 && task != TASK_CLASSIFY && task != TASK_DIGIT &&
           source_axis_index(app) >= 0 && text_row(app) >= 0;
}

/* A sentence of a document, among the others; a word of one, among those of its sentence. */
static bool find_in_document(const App *app, const ViewHit *hit, Target *t)
{
    const Trace *trace = app->trace;
    if (hit->kind != HIT_ITEM)
        return false;
    if (hit->axis == trace_find_axis(trace, "sentence")) {
        int n = trace_axis(trace, hit->axis)->len;
        *t = (Target){trace_find(trace, "sentence.weights"),
                      0,
                      step_called(app, "sentences"),
                      hit->row,
                      1,
                      n,
                      0,
                      n};
        return true;
    }
    if (hit->axis != trace_find_axis(trace, "word"))
        return false;
    const TraceAxis *words = trace_axis(trace, hit->axis);
    *t = (Target){trace_find(trace, "word.weights"),
                  0,
                  step_called(app, "words"),
                  hit->row,
                  word_items(app, hit->row),
                  words->len,
                  hit->row,
                  hit->row + 1};
    while (t->first > 0 && words->parent[t->first - 1] == words->parent[hit->row])
        t->first--;
    while (t->end < t->n && words->parent[t->end] == words->parent[hit->row])
        t->end++;
    return true;
}

static bool find_among_steps(const App *app, const ViewHit *hit, Target *t)
{
    const TraceTensor *tensor = main_weights(app);
    int n = trace_axis(app->trace, tensor->axis[tensor->rank - 1])->len;
    if (is_cell(app, hit)) {
        *t = (Target){
            tensor, hit->row, step_of_row(app, hit->row), hit->col, word_items(app, hit->col), n,
            0,      n};
    } else if (is_text_of_steps(app, hit)) {
        int count, first = text_items(app, hit, &count);
        *t =
            (Target){tensor, text_row(app), step_of_row(app, text_row(app)), first, count, n, 0, n};
        if (count == 0)
            return false;
    } else {
        return false;
    }
    if (model_task(app->model) == TASK_LANGUAGE)
        t->n = t->end = t->row; /* the words before it */
    return true;
}

/* false: the hit is in no row that could be replaced. */
static bool find_target(const App *app, const ViewHit *hit, Target *t)
{
    if (!app->model || !main_weights(app) ||
        !(is_document(app) ? find_in_document : find_among_steps)(app, hit, t) || t->item < 0 ||
        t->item >= t->n || t->step < 0)
        return false;
    t->count = t->item + t->count > t->n ? t->n - t->item : t->count;
    return true;
}

/* ---- the list of changes ---- */

static const StringId edit_words[RUN_EDIT_KINDS] = {
    [RUN_EDIT_TEMPERATURE] = STRING_EDIT_TEMPERATURE,
    [RUN_EDIT_BEAM] = STRING_EDIT_BEAM,
    [RUN_EDIT_LENGTH_PENALTY] = STRING_EDIT_LENGTH_PENALTY,
    [RUN_EDIT_WINDOW] = STRING_EDIT_WINDOW,
    [RUN_EDIT_RENORMALISE] = STRING_EDIT_RENORMALISE,
    [RUN_EDIT_SAMPLE] = STRING_EDIT_SAMPLE,
    [RUN_EDIT_PATHS] = STRING_EDIT_PATHS,
    [RUN_EDIT_FORCE] = STRING_EDIT_FORCE,
    [RUN_EDIT_HIDDEN] = STRING_EDIT_HIDDEN,
    [RUN_EDIT_TOKEN] = STRING_EDIT_TOKEN,
    [RUN_EDIT_WEIGHTS] = STRING_EDIT_WEIGHTS,
    [RUN_EDIT_SELECTED] = STRING_EDIT_SELECTED,
    [RUN_EDIT_CENTRE] = STRING_EDIT_CENTRE,
    [RUN_EDIT_STEP_WINDOW] = STRING_EDIT_STEP_WINDOW,
    [RUN_EDIT_FLIPS] = STRING_EDIT_FLIPS,
};

/* A place in a picture, or a position of the source, counted from 1. */
static void describe_centre(const App *app, RunEdit edit, StrBuf *out)
{
    int n;
    const Intervention *steps = run_edits_interventions(app->doc.edits, &n);
    bool is_picture = app->model && model_task(app->model) == TASK_DIGIT;
    for (int i = 0; i < n && is_picture; i++)
        if (steps[i].step == edit.step)
            strbuf_addf(out, "%.2f, %.2f", steps[i].choice.centre, steps[i].choice.centre_y);
    if (!is_picture)
        strbuf_addf(out, "%.1f", edit.number + 1);
}

void change_describe(const App *app, RunEdit edit, StrBuf *out)
{
    const char *words = ui_text(app->language, edit_words[edit.kind]);
    StrBuf value = {0};
    switch (edit.kind) {
    case RUN_EDIT_RENORMALISE:
    case RUN_EDIT_WEIGHTS: strbuf_add(&value, ""); break;
    case RUN_EDIT_HIDDEN: word_label(app, (int)edit.number, &value); break;
    case RUN_EDIT_SELECTED: strbuf_addf(&value, "%.0f", edit.number + 1); break; /* from 1 */
    case RUN_EDIT_CENTRE: describe_centre(app, edit, &value); break;
    default:
        if (edit.word)
            strbuf_add(&value, edit.word);
        else
            strbuf_addf(&value, "%.15g", edit.number);
    }
    if (edit.step >= 0)
        strbuf_addf(out, words, edit.step + 1, value.text);
    else
        strbuf_addf(out, words, value.text);
    strbuf_free(&value);
}

/* ---- locks ---- */

static bool is_locked(const App *app, int step, int item)
{
    const WhatIf *w = app->what_if;
    return w->lock_step == step && item < w->n_locked && w->locked[item];
}

static void toggle_lock(App *app, const Target *t)
{
    WhatIf *w = app->what_if;
    if (w->lock_step != t->step || w->n_locked != t->n) {
        w->locked = memory_resize(w->locked, (size_t)t->n, sizeof *w->locked);
        memset(w->locked, 0, (size_t)t->n * sizeof *w->locked);
        w->lock_step = t->step;
        w->n_locked = t->n;
    }
    bool lock = !w->locked[t->item];
    for (int i = 0; i < t->count; i++)
        w->locked[t->item + i] = lock;
}

ViewLocks change_locks(const App *app)
{
    const WhatIf *w = app->what_if;
    const TraceStep *step = w->lock_step >= 0 && w->lock_step < app_n_steps(app)
                                ? trace_step(app->trace, w->lock_step)
                                : NULL;
    double look = step ? trace_step_scalar(step, "look") : NAN;
    return (ViewLocks){look >= 1 ? (int32_t)look - 1 : w->lock_step, w->n_locked, w->locked};
}

/* ---- painting a row ---- */

/* A sentence's bar; its words are moved by the drag that moves the text. */
static bool is_bar(const App *app, const ViewHit *hit)
{
    return hit->kind == HIT_ITEM && hit->axis >= 0 && is_view(app, "text") &&
           hit->axis == trace_find_axis(app->trace, "sentence");
}

/* Where a click takes a position, as hard attention does, nothing is dragged. */
bool change_can_paint(const App *app, const ViewHit *hit)
{
    Target t;
    return (hit->kind == HIT_CELL || is_bar(app, hit)) && find_target(app, hit, &t) &&
           (!is_view(app, "image") || !is_hard(app));
}

/* The row as the run used it; of several heads and layers the mean. */
static bool read_row(App *app, const Target *t)
{
    Grid grid;
    Error none = {0};
    int32_t all[TRACE_MAX_RANK];
    for (int i = 0; i < TRACE_MAX_RANK; i++)
        all[i] = GRID_ALL;
    if (!grid_init_reduced(&grid, app->trace, t->tensor, all, GRID_MEAN, &none))
        return false;
    bool ok = t->row < grid.rows && t->n <= grid.cols;
    Drag *d = &app->drag;
    if (ok) {
        d->row = t->step;
        d->n = t->n;
        d->weights = memory_resize(d->weights, (size_t)t->n, sizeof *d->weights);
        memcpy(d->weights, grid_row(&grid, t->row), (size_t)t->n * sizeof *d->weights);
    }
    grid_deinit(&grid);
    return ok;
}

void change_begin_painting(App *app, const ViewHit *hit)
{
    Target t;
    if (!find_target(app, hit, &t) || !read_row(app, &t))
        return;
    if (!is_document(app)) /* whose verdict is what one looks at */
        app_go_to(app, t.step);
    app->drag.kind = DRAG_PAINT;
    app->drag.item = is_bar(app, hit) ? *hit : (ViewHit){0};
}

/* Gives the target's items together `wanted`, in the proportions they have; what is neither
 * they nor locked shares the rest of the one, in its own proportions. */
static void share_out(const App *app, const Target *t, float *weights, float wanted)
{
    float own = 0, held = 0, rest = 0;
    int n_rest = 0;
    for (int j = t->first; j < t->end; j++) {
        bool mine = j >= t->item && j < t->item + t->count;
        bool locked = !mine && is_locked(app, t->step, j);
        own += mine ? weights[j] : 0;
        held += locked ? weights[j] : 0;
        rest += mine || locked ? 0 : weights[j];
        n_rest += !mine && !locked;
    }
    wanted = n_rest == 0 ? 1 - held : fminf(wanted, 1 - held);
    float left = fmaxf(0, 1 - held - wanted);
    for (int j = t->first; j < t->end; j++) {
        bool mine = j >= t->item && j < t->item + t->count;
        if (mine)
            weights[j] = own > 0 ? weights[j] * wanted / own : wanted / (float)t->count;
        else if (!is_locked(app, t->step, j))
            weights[j] = rest > 0 ? weights[j] * left / rest : left / (float)n_rest;
    }
}

static void set_weight(App *app, const Target *t, float wanted)
{
    Drag *d = &app->drag;
    share_out(app, t, d->weights, fminf(1, fmaxf(0, wanted)));
    run_edits_set_weights(app->doc.edits, d->row, d->n, d->weights);
}

static float weight_of(const App *app, const Target *t)
{
    float sum = 0;
    for (int i = 0; i < t->count; i++)
        sum += app->drag.weights[t->item + i];
    return sum;
}

/* A bar grows to its own side and is held on to; in a row every cell that is met is painted. */
void change_paint(App *app, const ViewHit *hit, float dx, float dy)
{
    Drag *d = &app->drag;
    Target t;
    if (d->item.kind != HIT_NOTHING) {
        bool mirrored = d->item.place.x > app->figure.x + app->figure.w / 2;
        hit = &d->item;
        dy = mirrored ? dx : -dx;
    }
    if (dy == 0 || !find_target(app, hit, &t) || t.item + t.count > d->n)
        return;
    if (is_locked(app, d->row, t.item)) {
        app_say_done(app, "%s", ui_word(app->ui, STRING_IS_LOCKED));
        return;
    }
    set_weight(app, &t, weight_of(app, &t) - dy / PAINT_PIXELS);
    app_run(app);
}

/* ---- clicks ---- */

static bool can_hide(const App *app)
{
    return app->model && model_task(app->model) != TASK_DIGIT && source_axis(app);
}

/* The item of the source that a hit is on, or -1. */
static int hidden_item(const App *app, const ViewHit *hit)
{
    if (!can_hide(app))
        return -1;
    if (hit->kind == HIT_ITEM)
        return hit->axis == source_axis_index(app) ? hit->row : -1;
    return hit->kind == HIT_CELL || hit->kind == HIT_COL ? hit->col : -1;
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

bool change_click(App *app, const ViewHit *hit)
{
    if (!app->model)
        return false;
    if (hit->kind == HIT_CANDIDATE)
        force_candidate(app, hit->row, hit->col);
    else if (hit->kind == HIT_NODE)
        follow_hypothesis(app, hit->row);
    else if (hit->kind == HIT_COL && can_hide(app) && !is_view(app, "compare") &&
             !is_view(app, "selection"))
        toggle_hidden(app, hit->col);
    else
        return false;
    return true;
}

/* ---- the menu of a cell ---- */

enum { MENU_LOCK, MENU_ALL, MENU_NONE, MENU_TAKE, MENU_HIDE, MENU_OWN, MENU_LINE, MENU_COPY };

void change_open_menu(App *app, const ViewHit *hit)
{
    Target t;
    if (hit->kind != HIT_CELL && hidden_item(app, hit) < 0 && !find_target(app, hit, &t))
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

static void do_menu(App *app, int item, const Target *t)
{
    const ViewHit *hit = &app->what_if->menu;
    switch (item) {
    case MENU_LOCK: toggle_lock(app, t); return;
    case MENU_ALL:
    case MENU_NONE:
        if (!read_row(app, t))
            return;
        if (!is_document(app))
            app_go_to(app, t->step);
        set_weight(app, t, item == MENU_ALL ? 1 : 0);
        app_edited(app);
        return;
    case MENU_TAKE:
        run_edits_set_selected(app->doc.edits, t->step, t->item);
        app_edited(app);
        return;
    case MENU_HIDE: toggle_hidden(app, hidden_item(app, hit)); return;
    case MENU_OWN:
        run_edits_set_weights(app->doc.edits, t->step, 0, NULL);
        app_edited(app);
        return;
    default: return;
    }
}

void change_menu(App *app)
{
    if (!ui_is_open(app->ui, "change.menu") || !app->trace)
        return;
    Target t = {.step = -1};
    const ViewHit *hit = &app->what_if->menu;
    bool paints = find_target(app, hit, &t), cells = hit->kind == HIT_CELL;
    bool locked = paints && is_locked(app, t.step, t.item);
    int item = hidden_item(app, hit);
    StrBuf word = {0}, hide = {0};
    if (item >= 0)
        word_label(app, item, &word);
    strbuf_addf(
        &hide,
        ui_word(app->ui, item >= 0 && is_hidden(app, item) ? STRING_SHOW_WORD : STRING_HIDE_WORD),
        item >= 0 ? word.text : "…");
    const UiMenuItem items[] = {
        [MENU_LOCK] = {.label = ui_word(app->ui, STRING_LOCK),
                       .checked = locked,
                       .disabled = !paints},
        [MENU_ALL] = {.label = ui_word(app->ui, STRING_GIVE_ALL), .disabled = !paints || locked},
        [MENU_NONE] = {.label = ui_word(app->ui, STRING_TAKE_AWAY), .disabled = !paints || locked},
        [MENU_TAKE] = {.label = ui_word(app->ui, STRING_TAKE_POSITION),
                       .disabled = !paints || !is_hard(app)},
        [MENU_HIDE] = {.label = hide.text, .disabled = item < 0},
        [MENU_OWN] = {.label = ui_word(app->ui, STRING_OWN_ROW),
                      .disabled = !is_painted(app, t.step)},
        [MENU_LINE] = {.separator = true},
        [MENU_COPY] = {.action = ACTION_COPY_CELL, .disabled = !cells},
        {.action = ACTION_COPY_ROW},
        {.action = ACTION_COPY_MATRIX},
    };
    do_menu(app, ui_menu(app->ui, "change.menu", items, sizeof items / sizeof items[0]), &t);
    strbuf_free(&word);
    strbuf_free(&hide);
}
