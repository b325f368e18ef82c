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
#include "views/view_tools.h"

#define MOST_PARTNERS 64
#define LABEL_BYTES   96
#define MARGIN        24
#define MOST_CELLS    ((int64_t)1 << 20) /* of matrices whose distance is worked out in a frame */

enum { PIN_NEWEST = -1, PIN_NONE = -2 };

/* ---- the partner ---- */

const Trace *compare_partner(const App *app)
{
    const WhatIf *w = app->what_if;
    const Trace *other = app->plain;
    if (app->dump && app->dump_work->beside)
        return dump_partner((App *)app);
    if (w->versus_model)
        other = w->versus;
    else if (w->chosen_pin >= 0 && w->chosen_pin < app->n_pinned)
        other = app->pinned[w->chosen_pin];
    else if (w->chosen_pin != PIN_NONE && app->n_pinned > 0)
        other = app->pinned[app->n_pinned - 1];
    return other == app->trace ? NULL : other;
}

typedef struct Beside {
    App *app;
    bool is_plain; /* else the other model */
    char *model, *text, *question;
    const Model *loaded; /* the figure's own, for is_plain */
    const Trace *trace;
    Error error;
} Beside;

static void run_beside(void *context, const StopFlag *stop)
{
    Beside *b = context;
    const RunInput input = {.text = b->text, .question = b->question};
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
    free(b->text);
    free(b->question);
    free(b);
}

/* Asks for a run unless the same was asked for last. */
static void ask(App *app, bool is_plain, const char *model, char **asked)
{
    StrBuf key = {0};
    strbuf_addf(&key, "%s\n%s\n%s", model, app->doc.text, app->doc.question);
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
        .text = memory_copy_string(app->doc.text),
        .question = memory_copy_string(app->doc.question),
        .loaded = is_plain ? model_retain(app->model) : NULL,
    };
    worker_submit(app->what_if->worker, (Job){b, run_beside, take_beside});
}

static bool is_about(const Trace *trace, const App *app)
{
    const char *text = trace_text(trace, "input"), *model = trace_attribute(trace, "model");
    return text && strcmp(text, app->doc.text) == 0 && model && app->model &&
           strcmp(model, model_name(app->model)) == 0;
}

void compare_poll(App *app)
{
    WhatIf *w = app->what_if;
    if (!app->model || app->picture.rgba || !*app->doc.text)
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
    add_partner(p, PIN_NONE, NULL, ui_word(app->ui, STRING_BEFORE_CHANGES));
    for (int i = 0; i < app->n_pinned; i++) {
        const char *text = trace_text(app->pinned[i], "output");
        add_partner(p, i, NULL, text && *text ? text : trace_attribute(app->pinned[i], "model"));
        p->option[p->n - 1].group = ui_word(app->ui, STRING_PINNED_RUNS);
    }
    for (int i = 0; i < app->catalogue->n; i++) {
        const CatalogueEntry *e = &app->catalogue->entries[i];
        bool fits = e->is_read && app->model && e->facts.task == model_task(app->model) &&
                    strcmp(e->name, app->doc.model) != 0;
        if (!fits)
            continue;
        add_partner(p, PIN_NONE, e->name, e->name);
        p->option[p->n - 1].group = ui_word(app->ui, STRING_OTHER_MODELS);
    }
    p->chosen = 0;
    for (int i = 0; i < p->n; i++) {
        bool model = w->versus_model && p->model[i] && strcmp(w->versus_model, p->model[i]) == 0;
        int newest = app->n_pinned - 1;
        int pin = w->chosen_pin == PIN_NEWEST && newest >= 0 ? newest : w->chosen_pin;
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

typedef struct Distance {
    double jensen_shannon, variation;
    int n, same_place;
} Distance;

static const TraceTensor *weights_of(const Trace *trace)
{
    const TraceTensor *t = trace_find(trace, "attention.weights");
    return t && t->rank == 2 ? t : NULL;
}

/* Over the words that both wrote. */
static Distance measure(const Trace *a, const Trace *b)
{
    Distance d = {0};
    const TraceTensor *ta = weights_of(a), *tb = weights_of(b);
    Grid ga = {0}, gb = {0};
    Error none = {0};
    if (!ta || !tb || trace_tensor_count(a, ta) > MOST_CELLS ||
        trace_tensor_count(b, tb) > MOST_CELLS || !grid_init(&ga, a, ta, NULL, &none))
        return d;
    if (grid_init(&gb, b, tb, NULL, &none) && ga.cols == gb.cols) {
        Followed f = followed_new(a, b);
        for (int i = 0; i < f.n; i++) {
            const FollowedStep *s = &f.at[i];
            if (!s->same || s->before >= ga.rows || s->after >= gb.rows)
                continue;
            const float *p = grid_row(&ga, s->before), *q = grid_row(&gb, s->after);
            double js = compare_jensen_shannon(p, q, ga.cols);
            if (!isfinite(js))
                continue;
            d.n++;
            d.jensen_shannon += js;
            d.variation += compare_total_variation(p, q, ga.cols);
            d.same_place += measure_row(&ga, s->before).argmax == measure_row(&gb, s->after).argmax;
        }
        followed_free(&f);
    }
    grid_deinit(&ga);
    grid_deinit(&gb);
    return d;
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
}

/* ---- the pinned row ---- */

static const char *title_of(const Trace *trace, bool by_model, char room[LABEL_BYTES])
{
    const char *text = by_model ? trace_attribute(trace, "model") : trace_text(trace, "input");
    text = text ? text : "";
    utf8_clean(text, strlen(text), room, LABEL_BYTES);
    return room;
}

static bool one_text(const Trace *const *traces, int n)
{
    for (int i = 1; i < n; i++) {
        const char *a = trace_text(traces[0], "input"), *b = trace_text(traces[i], "input");
        if (!a || !b || strcmp(a, b) != 0)
            return false;
    }
    return true;
}

void screen_pinned(App *app, Rect place)
{
    Rect area = rect_pad(place, MARGIN, MARGIN);
    const Trace *traces[APP_MAX_PINS + 1];
    char room[APP_MAX_PINS + 1][LABEL_BYTES];
    const char *titles[APP_MAX_PINS + 1];
    int n = 0;
    for (int i = 0; i < app->n_pinned; i++)
        traces[n++] = app->pinned[i];
    if (n == 0 || app->pinned[n - 1] != app->trace)
        traces[n++] = app->trace;
    bool by_model = one_text(traces, n);
    for (int i = 0; i < n; i++)
        titles[i] = title_of(traces[i], by_model, room[i]);
    ViewFrame frame = app_view_frame(app, area);
    frame.options = document_view(&app->doc, view_find("heatmap"))->options;
    frame.camera = (ViewCamera){0};
    const MultiplesSpec spec = {
        .frame = &frame,
        .traces = traces,
        .titles = titles,
        .n = n,
        .title = ui_word(app->ui, STRING_PINNED_RUNS),
        .subtitle = by_model ? trace_text(app->trace, "input") : NULL,
    };
    UiArea pointer = ui_area(app->ui, "figure", area);
    app->hover = (ViewHit){0};
    if (pointer.inside && multiples_hit(&spec, pointer.x, pointer.y, &app->hover) < 0)
        app->hover = (ViewHit){0};
    frame.hover = app->hover;
    canvas_clip_push(app->canvas, place);
    multiples_draw(&spec, app->canvas);
    canvas_clip_pop(app->canvas);
}
