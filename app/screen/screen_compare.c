/* Which run stands beside the figure's, how far the two are apart, and the pinned runs as
 * small pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "screen/dump.h"
#include "screen/screen_words.h"
#include "screen/what_if.h"
#include "session/paths.h"
#include "trace/compare.h"
#include "trace/followed.h"
#include "trace/measure.h"
#include "views/multiples.h"
#include "views/values.h"
#include "views/view_tools.h"

#define MOST_PARTNERS 128
#define LABEL_BYTES   96
#define MARGIN        24
#define FIT_PINNED    6                  /* so many are readable without scrolling */
#define MOST_CELLS    ((int64_t)1 << 20) /* of matrices whose distance is worked out in a frame */

/* ---- the partner ---- */

/* Of those that are not the current run itself; -1: there is none. */
static int newest_pin(const App *app)
{
    int i = app->doc.n_pins - 1;
    while (i >= 0 && app->doc.pins[i].trace == app->trace)
        i--;
    return i;
}

const Trace *compare_partner(const App *app)
{
    const WhatIf *w = app->what_if;
    const Trace *other = app->plain;
    if (app->dump && app->dump_work->beside)
        return dump_partner((App *)app);
    if (w->versus_model)
        other = w->versus;
    else if (w->chosen_pin >= 0 && w->chosen_pin < app->doc.n_pins)
        other = app->doc.pins[w->chosen_pin].trace;
    else if (w->chosen_pin != COMPARE_PIN_NONE && newest_pin(app) >= 0)
        other = app->doc.pins[newest_pin(app)].trace;
    return other == app->trace ? NULL : other;
}

typedef struct Beside {
    App *app;
    bool is_plain; /* else the other model */
    char *model;
    InputCopy input;
    const Model *loaded; /* the figure's own, for is_plain */
    const Trace *trace;
    Error error;
} Beside;

static void run_beside(void *context, const StopFlag *stop)
{
    Beside *b = context;
    const RunInput input = input_view(&b->input);
    const RunOptions options = {.stop = stop};
    const Model *model = b->loaded ? model_retain(b->loaded) : NULL;
    if (!model) {
        char *path = paths_find_model(b->model, &b->error);
        model = path ? model_load(path, &b->error) : NULL;
        free(path);
    }
    if (model)
        b->trace = model_run(model, &input, &options, 0, NULL, &b->error);
    model_release(model);
}

static void take_beside(void *context, JobOutcome outcome)
{
    Beside *b = context;
    WhatIf *w = b->app->what_if;
    char **asked = b->is_plain ? &w->plain_asked : &w->versus_asked;
    const Trace **place = b->is_plain ? &b->app->plain : &w->versus;
    bool stopped = outcome == JOB_DROPPED || b->error.kind == ERROR_CANCELLED;
    if (b->trace) {
        trace_release(*place);
        *place = b->trace;
    } else if (stopped) {
        free(*asked);
        *asked = NULL; /* asked for again */
    } else {
        app_say(b->app, &b->error);
    }
    model_release(b->loaded);
    free(b->model);
    input_free(&b->input);
    free(b);
}

/* Asks for a run unless the same was asked for last. */
static void ask(App *app, bool is_plain, const char *model, char **asked)
{
    StrBuf key = {0};
    strbuf_addf(&key, "%s\n%s\n%s\n%d", model, app->doc.text, app->doc.question,
                app->doc.n_pictures);
    bool same = *asked && strcmp(*asked, key.text) == 0;
    if (same) {
        strbuf_free(&key);
        return;
    }
    free(*asked);
    *asked = strbuf_take(&key);
    Beside *b = memory_new(1, sizeof *b);
    *b = (Beside){
        .app = app,
        .is_plain = is_plain,
        .model = memory_copy_string(model),
        .loaded = is_plain ? model_retain(app->model) : NULL,
    };
    input_copy(&b->input, &app->doc);
    worker_submit(app->what_if->worker, (Job){b, run_beside, take_beside});
}

static bool is_about(const Trace *trace, const App *app)
{
    const char *text = trace_text(trace, "input"), *model = trace_attribute(trace, "model");
    const char *question = trace_text(trace, "question");
    return text && strcmp(text, app->doc.text) == 0 && model && app->model &&
           strcmp(model, model_name(app->model)) == 0 &&
           (!question || strcmp(question, app->doc.question) == 0);
}

void compare_poll(App *app)
{
    WhatIf *w = app->what_if;
    if (!app->model || (!app->doc.picture.rgba && !*app->doc.text))
        return;
    /* Changes of the whole run outlive the text that they were made on. */
    if (run_edits_count(app->doc.edits) > 0 && (!app->plain || !is_about(app->plain, app)))
        ask(app, true, app->doc.model, &w->plain_asked);
    if (w->versus_model && strcmp(app->doc.view->name, "compare") == 0)
        ask(app, false, w->versus_model, &w->versus_asked);
}

/* ---- choosing it ---- */

typedef struct Partners {
    UiOption option[MOST_PARTNERS];
    char label[MOST_PARTNERS][LABEL_BYTES];
    int pin[MOST_PARTNERS]; /* or a model: */
    const char *model[MOST_PARTNERS];
    int n, chosen;
} Partners;

static void add_partner(Partners *p, int pin, const char *model, const char *label)
{
    if (p->n == MOST_PARTNERS)
        return;
    size_t n = utf8_clean(label, strlen(label), p->label[p->n], LABEL_BYTES);
    p->option[p->n] = (UiOption){.label = n > 0 ? p->label[p->n] : "…"};
    p->pin[p->n] = pin;
    p->model[p->n++] = model;
}

static void list_partners(const App *app, Partners *p)
{
    const WhatIf *w = app->what_if;
    add_partner(p, COMPARE_PIN_NONE, NULL, ui_word(app->ui, STRING_BEFORE_CHANGES));
    for (int i = 0; i < app->doc.n_pins; i++) {
        const char *text = trace_text(app->doc.pins[i].trace, "output");
        add_partner(p, i, NULL,
                    text && *text ? text : trace_attribute(app->doc.pins[i].trace, "model"));
        p->option[p->n - 1].group = ui_word(app->ui, STRING_PINNED_RUNS);
    }
    for (int i = 0; i < app->catalogue->n; i++) {
        const CatalogueEntry *e = &app->catalogue->entries[i];
        bool fits = e->is_read && app->model && e->facts.task == model_task(app->model) &&
                    strcmp(e->name, app->doc.model) != 0;
        if (!fits)
            continue;
        add_partner(p, COMPARE_PIN_NONE, e->name, e->name);
        p->option[p->n - 1].group = ui_word(app->ui, STRING_OTHER_MODELS);
    }
    p->chosen = 0;
    for (int i = 0; i < p->n; i++) {
        bool model = w->versus_model && p->model[i] && strcmp(w->versus_model, p->model[i]) == 0;
        int newest = newest_pin(app);
        int pin = w->chosen_pin == COMPARE_PIN_NEWEST && newest >= 0 ? newest : w->chosen_pin;
        if (model || (!w->versus_model && !p->model[i] && p->pin[i] == pin))
            p->chosen = i;
    }
}

void screen_compare_options(App *app, Rect *panel)
{
    if (strcmp(app->doc.view->name, "compare") != 0)
        return;
    if (app->dump && dump_compare_options(app, panel))
        return;
    WhatIf *w = app->what_if;
    Partners p = {.n = 0};
    list_partners(app, &p);
    Rect row = rect_pad(rect_cut_top(panel, app->theme.row), 8, 0);
    const UiControl control = {.name = "compare.with",
                               .label = ui_word(app->ui, STRING_COMPARE_WITH)};
    if (!ui_choice(app->ui, row, &control, UI_QUIET, p.option, p.n, &p.chosen))
        return;
    free(w->versus_model);
    w->versus_model = p.model[p.chosen] ? memory_copy_string(p.model[p.chosen]) : NULL;
    w->chosen_pin = p.pin[p.chosen];
    free(w->versus_asked);
    w->versus_asked = NULL;
    trace_release(w->versus);
    w->versus = NULL;
}

/* ---- distances ---- */

#define MOST_ROWS 60 /* that are listed one by one */

typedef struct RowDistance {
    int32_t row; /* of the second run */
    double jensen_shannon, variation;
    bool same_place;
} RowDistance;

typedef struct Distance {
    double jensen_shannon, variation;
    int n, same_place;
    RowDistance rows[MOST_ROWS]; /* the first of the n */
} Distance;

static bool has_step_rows(const Trace *trace, const TraceTensor *t)
{
    return values_step_axis(trace) == t->axis[t->rank - 2];
}

/* The main weights of a run, the mean over its heads and layers. */
static bool read_weights(const Trace *trace, const TraceTensor *t, Grid *grid)
{
    Error none = {0};
    int32_t all[TRACE_MAX_RANK];
    for (int i = 0; i < TRACE_MAX_RANK; i++)
        all[i] = GRID_ALL;
    return t && t->rank >= 2 && trace_tensor_count(trace, t) <= MOST_CELLS &&
           grid_init_reduced(grid, trace, t, all, GRID_MEAN, &none);
}

static void add_rows(Distance *d, const Grid *a, int32_t i, const Grid *b, int32_t j)
{
    const float *p = grid_row(a, i), *q = grid_row(b, j);
    double js = compare_jensen_shannon(p, q, a->cols);
    if (!isfinite(js))
        return;
    const RowDistance row = {j, js, compare_total_variation(p, q, a->cols),
                             measure_row(a, i).argmax == measure_row(b, j).argmax};
    if (d->n < MOST_ROWS)
        d->rows[d->n] = row;
    d->n++;
    d->jensen_shannon += js;
    d->variation += row.variation;
    d->same_place += row.same_place;
}

/* Rows of steps: over the words that both wrote. */
static void add_steps(Distance *d, const Trace *a, const Grid *ga, const Trace *b, const Grid *gb)
{
    Followed f = followed_new(a, b);
    for (int i = 0; i < f.n; i++) {
        const FollowedStep *s = &f.at[i];
        if (s->same && s->before < ga->rows && s->after < gb->rows)
            add_rows(d, ga, s->before, gb, s->after);
    }
    followed_free(&f);
}

static Distance measure(const Trace *a, const Trace *b)
{
    Distance d = {0};
    const TraceTensor *ta = values_main(a), *tb = values_main(b);
    Grid ga = {0}, gb = {0};
    if (read_weights(a, ta, &ga) && read_weights(b, tb, &gb) && ga.cols == gb.cols) {
        bool steps = has_step_rows(a, ta) && has_step_rows(b, tb);
        if (steps)
            add_steps(&d, a, &ga, b, &gb);
        for (int32_t i = 0; i < ga.rows && !steps && ga.rows == gb.rows; i++)
            add_rows(&d, &ga, i, &gb, i);
    }
    grid_deinit(&ga);
    grid_deinit(&gb);
    return d;
}

/* Each row of its own: how far apart, and whether both look most at the same place. */
static void list_rows(App *app, Rect *rest, const Distance *d)
{
    const TraceTensor *t = values_main(app->trace);
    const TraceAxis *axis = trace_axis(app->trace, t->axis[t->rank - 2]);
    ui_note(app->ui, rest, ui_word(app->ui, STRING_EACH_ROW));
    for (int i = 0; i < d->n && i < MOST_ROWS; i++) {
        const RowDistance *r = &d->rows[i];
        char label[LABEL_BYTES], text[64];
        snprintf(label, sizeof label, "%d", (int)r->row + 1);
        if (axis->labels)
            utf8_clean(axis->labels[r->row], strlen(axis->labels[r->row]), label, sizeof label);
        snprintf(text, sizeof text, "%.3f  %.3f  %s", r->jensen_shannon, r->variation,
                 r->same_place ? "=" : "\u2260");
        ui_pair(app->ui, rest, label, text);
    }
}

void screen_distances(App *app, Rect *rest, Rect panel)
{
    const Trace *other = strcmp(app->doc.view->name, "compare") == 0 ? app_other(app) : NULL;
    Distance d = other ? measure(other, app->trace) : (Distance){0};
    if (d.n == 0)
        return;
    char text[64];
    ui_rule(app->ui, rest, panel);
    ui_heading(app->ui, rest, ui_word(app->ui, STRING_DISTANCES));
    snprintf(text, sizeof text, ui_word(app->ui, STRING_OF_WORDS), d.n);
    ui_note(app->ui, rest, text);
    snprintf(text, sizeof text, "%.3f nats", d.jensen_shannon / d.n);
    ui_pair(app->ui, rest, "Jensen-Shannon", text);
    snprintf(text, sizeof text, "%.3f", d.variation / d.n);
    ui_pair(app->ui, rest, ui_word(app->ui, STRING_TOTAL_VARIATION), text);
    snprintf(text, sizeof text, "%s %%", view_percent((double)d.same_place / d.n).text);
    ui_pair(app->ui, rest, ui_word(app->ui, STRING_SAME_PLACE), text);
    list_rows(app, rest, &d);
}

/* ---- the pinned row ---- */

static const char *text_of(const Trace *trace)
{
    return trace_text(trace, "input");
}

static const char *model_of(const Trace *trace)
{
    return trace_attribute(trace, "model");
}

static bool all_same(const Trace *const *traces, int n, const char *(*what)(const Trace *trace))
{
    for (int i = 1; i < n; i++) {
        const char *a = what(traces[0]), *b = what(traces[i]);
        if (!a || !b || strcmp(a, b) != 0)
            return false;
    }
    return true;
}

/* Pinned runs, and the current one where it is not the newest of them. */
typedef struct PinnedRow {
    const Trace *traces[DOCUMENT_MAX_PINS + 1];
    char room[DOCUMENT_MAX_PINS + 1][LABEL_BYTES];
    const char *titles[DOCUMENT_MAX_PINS + 1];
    const char *heading;
    int n;
    bool one_text, one_model;
} PinnedRow;

/* What tells a run from the others: its sentence, its model, or what was changed. */
static void title_of(const App *app, PinnedRow *row, int i)
{
    const Trace *trace = row->traces[i];
    const ViewFrame frame = {.language = (int)app->language};
    char change[VIEW_NOTE_BYTES], title[VIEW_NOTE_BYTES + 16];
    const char *text = row->one_text ? model_of(trace) : text_of(trace);
    snprintf(title, sizeof title, "%s", text ? text : "");
    if (row->one_text && row->one_model) {
        snprintf(change, sizeof change, "%s", ui_word(app->ui, STRING_BEFORE_CHANGES));
        if (trace_n_changes(trace) > 0)
            view_say_change(&frame, trace_change(trace, 0), change);
        snprintf(title, sizeof title, "%d \u00b7 %s", i + 1, change);
    }
    utf8_clean(title, strlen(title), row->room[i], LABEL_BYTES);
    row->titles[i] = row->room[i];
}

static void list_pinned(const App *app, PinnedRow *row)
{
    row->n = 0;
    row->heading = ui_text(app->language, STRING_PINNED_RUNS);
    for (int i = 0; i < app->doc.n_pins; i++)
        row->traces[row->n++] = app->doc.pins[i].trace;
    if (row->n == 0 || row->traces[row->n - 1] != app->trace)
        row->traces[row->n++] = app->trace;
    row->one_text = all_same(row->traces, row->n, text_of);
    row->one_model = all_same(row->traces, row->n, model_of);
    for (int i = 0; i < row->n; i++)
        title_of(app, row, i);
}

static MultiplesSpec compose_pinned(const PinnedRow *row, const ViewFrame *frame)
{
    return (MultiplesSpec){
        .frame = frame,
        .traces = row->traces,
        .titles = row->titles,
        .n = row->n,
        .title = row->heading,
        .subtitle = row->one_text ? text_of(row->traces[0]) : NULL,
    };
}

/* As small as is readable; more of them scroll. */
void screen_pinned(App *app, Rect place)
{
    PinnedRow *row = memory_new(1, sizeof *row);
    list_pinned(app, row);
    ViewFrame frame = app_view_frame(app, rect_pad(place, MARGIN, MARGIN));
    frame.options = document_view(&app->doc, view_find("heatmap"))->options;
    frame.camera = (ViewCamera){0};
    const MultiplesSpec spec = compose_pinned(row, &frame);
    Rect content = ui_scroll_begin(app->ui, "pinned", place);
    frame.area.y = content.y + MARGIN;
    if (row->n > FIT_PINNED)
        frame.area.h = fmaxf(frame.area.h, multiples_wanted_height(&spec, frame.area.w));
    UiArea pointer = ui_area(app->ui, "figure", place);
    app->hover = (ViewHit){0};
    if (pointer.inside && multiples_hit(&spec, pointer.x, pointer.y, &app->hover) < 0)
        app->hover = (ViewHit){0};
    frame.hover = app->hover;
    multiples_draw(&spec, ui_canvas(app->ui));
    ui_scroll_end(app->ui, frame.area.h + 2 * MARGIN);
    free(row);
}

const Trace *pinned_trace(const App *app, int i)
{
    int n = app->doc.n_pins;
    if (i >= 0 && i < n)
        return app->doc.pins[i].trace;
    return i == n ? app->trace : NULL;
}

/* ---- the row as a figure ---- */

static void draw_pinned(const void *context, const ViewFrame *frame, Canvas *canvas)
{
    const MultiplesSpec spec = compose_pinned(context, frame);
    multiples_draw(&spec, canvas);
}

static float pinned_height(const void *context, const ViewFrame *frame, float width)
{
    const MultiplesSpec spec = compose_pinned(context, frame);
    return multiples_wanted_height(&spec, width);
}

static void write_pinned(const void *context, const ViewFrame *frame, Table *table)
{
    const MultiplesSpec spec = compose_pinned(context, frame);
    multiples_write(&spec, table);
}

static void release_pinned(void *context)
{
    PinnedRow *row = context;
    for (int i = 0; i < row->n; i++)
        trace_release(row->traces[i]);
    free(row);
}

Seen pinned_seen(const App *app)
{
    PinnedRow *row = memory_new(1, sizeof *row);
    uint64_t version = 0;
    list_pinned(app, row);
    for (int i = 0; i < row->n; i++)
        version = version * 31 + trace_id(trace_retain(row->traces[i]));
    return (Seen){
        .drawing = {draw_pinned, pinned_height, write_pinned, row},
        .name = "pinned",
        .version = version,
        .release = release_pinned,
        .context = row,
    };
}
