/* The panel at the left: the views that this trace offers, and the options of the chosen one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "screen/dump.h"
#include "screen/screen_words.h"
#include "screen/what_if.h"

#define MOST_CHOICES 24

/* A row of controls; captions have their own air. */
static Rect next_row(App *app, Rect *panel)
{
    return rect_pad(rect_cut_top(panel, app->theme.row), 8, 0);
}

static void lab_item(App *app, Rect *panel, const char *word, LabKind kind)
{
    char name[64];
    snprintf(name, sizeof name, "view.%s", word);
    const UiControl control = {.name = name, .label = screen_word(app->language, word)};
    if (ui_item(app->ui, next_row(app, panel), &control, lab_is_open(app) == kind)) {
        pane_open(app, PANE_NONE);
        lab_open(app, kind);
    }
    rect_cut_top(panel, 1);
}

static void list_views(App *app, Rect *panel)
{
    ui_caption(app->ui, panel, ui_word(app->ui, STRING_VIEWS));
    int number = 0;
    for (int i = 0; view_at(i); i++) {
        const View *view = view_at(i);
        if (!app->trace || !view->offers(app->trace))
            continue;
        char name[64], note[16];
        snprintf(name, sizeof name, "view.%s", view->name);
        snprintf(note, sizeof note, "%d", ++number);
        const UiControl control = {
            .name = name,
            .label = screen_word(app->language, view->name),
            .note = number <= 9 ? note : NULL,
        };
        if (ui_item(app->ui, next_row(app, panel), &control,
                    view == app->doc.view && !lab_is_open(app) && !pane_is_open(app)))
            app_choose_view(app, view);
        rect_cut_top(panel, 1);
    }
    pane_list(app, panel);
    if (lab_is_offered(app))
        lab_item(app, panel, "lab", LAB_RUNS);
    if (lengths_is_offered(app))
        lab_item(app, panel, "lengths", LAB_LENGTHS);
    if (cost_is_offered(app))
        lab_item(app, panel, "cost", LAB_COST);
}

/* ---- options, from the view's table ---- */

static void set(App *app, Settings *options, const char *name, const char *value)
{
    Error refused = {0};
    if (!settings_set(options, name, value, &refused))
        app_say(app, &refused);
}

static void option_choice(App *app, Rect row, const UiControl *control, Settings *options,
                          const Setting *s)
{
    UiOption list[MOST_CHOICES];
    char words[MOST_CHOICES][48];
    int n = 0, chosen = settings_choice(options, s->name);
    for (const char *p = s->choices; *p && n < MOST_CHOICES; n++) {
        size_t width = strcspn(p, "|");
        snprintf(words[n], sizeof words[n], "%.*s", (int)(width < 47 ? width : 47), p);
        list[n] = (UiOption){.label = screen_word(app->language, words[n])};
        p += width + (p[width] == '|');
    }
    if (ui_choice(app->ui, row, control, UI_QUIET, list, n, &chosen))
        set(app, options, s->name, words[chosen]);
}

static void option_number(App *app, Rect row, const UiControl *control, Settings *options,
                          const Setting *s)
{
    double value = settings_real(options, s->name);
    bool whole = s->type == SETTING_INT;
    const UiRange range = {
        .low = s->least, .high = s->most, .whole = whole, .step = whole ? 1 : 0.05};
    if (!ui_number(app->ui, row, control, &range, &value))
        return;
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    set(app, options, s->name, text);
}

void screen_option(App *app, Rect row, const char *prefix, Settings *options, const Setting *s)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", prefix, s->name);
    const UiControl control = {
        .name = name,
        .label = screen_word(app->language, s->name),
        .tip = screen_word(app->language, s->help),
    };
    bool on;
    switch (s->type) {
    case SETTING_BOOL:
        on = settings_bool(options, s->name);
        if (ui_check(app->ui, row, &control, &on))
            set(app, options, s->name, on ? "yes" : "no");
        break;
    case SETTING_CHOICE: option_choice(app, row, &control, options, s); break;
    case SETTING_INT:
    case SETTING_REAL: option_number(app, row, &control, options, s); break;
    case SETTING_TEXT: break;
    }
}

/* "x_y" belongs to the switch "x", and is shown while that is on. */
static bool is_of_no_use(const Settings *options, const Setting *s)
{
    for (const Setting *o = settings_table(options); o->name; o++) {
        size_t n = strlen(o->name);
        if (o->type == SETTING_BOOL && strncmp(s->name, o->name, n) == 0 && s->name[n] == '_')
            return !settings_bool(options, o->name);
    }
    return false;
}

/* One of the features, or all of them: a number and a slider, where the run kept several. */
static void feature_option(App *app, Rect *panel, Settings *options, const Setting *s)
{
    int axis = app->trace ? trace_find_axis(app->trace, s->name) : -1;
    int n = axis >= 0 ? trace_axis(app->trace, axis)->len : 0;
    if (n < 2)
        return;
    Setting here = *s;
    here.most = n;
    screen_option(app, next_row(app, panel), "option", options, &here);
    double value = fmin(settings_int(options, s->name), n);
    const UiControl control = {.name = "option.feature.slider",
                               .tip = screen_word(app->language, s->help)};
    const UiRange range = {.low = 0, .high = n, .step = 1, .whole = true};
    char text[16];
    if (!ui_slider(app->ui, next_row(app, panel), &control, &range, &value))
        return;
    snprintf(text, sizeof text, "%d", (int)value);
    set(app, options, s->name, text);
}

static void list_options(App *app, Rect *panel)
{
    LabKind lab = lab_is_open(app);
    bool pane = pane_is_open(app);
    if (lab == LAB_LENGTHS || lab == LAB_COST || (pane && app->what_if->pane != PANE_PINNED))
        return; /* they have none */
    const View *view = lab == LAB_RUNS || pane ? view_find("heatmap") : app->doc.view;
    Settings *options = document_view(&app->doc, view)->options;
    if (lab != LAB_RUNS && !settings_table(options)->name)
        return;
    ui_caption(app->ui, panel, ui_word(app->ui, STRING_OPTIONS));
    if (lab == LAB_RUNS)
        screen_lab_options(app, next_row(app, panel));
    screen_compare_options(app, panel);
    for (const Setting *s = settings_table(options); s->name; s++)
        if (strcmp(s->name, "feature") == 0)
            feature_option(app, panel, options, s);
        else if (s->type != SETTING_TEXT && !is_of_no_use(options, s))
            screen_option(app, next_row(app, panel), "option", options, s);
}

/* ---- what the run is told ---- */

/* A row with a number; true when the person changed it. */
static bool run_number(App *app, Rect *panel, const char *name, StringId words,
                       const UiRange *range, double *value)
{
    const UiControl control = {.name = name, .label = ui_word(app->ui, words)};
    return ui_number(app->ui, next_row(app, panel), &control, range, value);
}

/* Scores of some kind go through a softmax. */
static bool has_temperature(const App *app)
{
    ModelTask task = model_task(app->model);
    return app_reads_documents(app) || (task != TASK_CLASSIFY && task != TASK_DIGIT);
}

static void run_options(App *app, Rect *panel)
{
    RunEdits *edits = app->doc.edits;
    const RunOptions *o = run_edits_options(edits);
    static const UiRange temperatures = {.low = 0.05, .high = 5, .step = 0.05, .format = "%.2f"};
    static const UiRange widths = {.low = 1, .high = 16, .step = 1, .whole = true};
    ui_caption(app->ui, panel, ui_word(app->ui, STRING_RUN));
    double temperature = o->temperature, beam = o->beam;
    if (run_number(app, panel, "run.temperature", STRING_TEMPERATURE, &temperatures,
                   &temperature)) {
        run_edits_set_temperature(edits, temperature);
        app_edited(app);
    }
    bool searches = model_task(app->model) == TASK_TRANSLATE;
    if (searches && run_number(app, panel, "run.beam", STRING_BEAM, &widths, &beam)) {
        run_edits_set_beam(edits, (int)beam);
        app_edited(app);
    }
    double alpha = o->length_penalty;
    static const UiRange alphas = {.low = 0, .high = 2, .step = 0.05, .format = "%.2f"};
    if (searches && o->beam > 1 &&
        run_number(app, panel, "run.length_penalty", STRING_LENGTH_PENALTY, &alphas, &alpha)) {
        run_edits_set_length_penalty(edits, alpha);
        app_edited(app);
    }
    const char *align = trace_attribute(app->trace, "align");
    bool is_local = align && strncmp(align, "local", 5) == 0;
    if (is_local) {
        double reach = o->window;
        static const UiRange reaches = {.low = 0, .high = 20, .step = 1, .whole = true};
        if (run_number(app, panel, "run.window", STRING_WINDOW, &reaches, &reach)) {
            run_edits_set_window(edits, (int)reach);
            app_edited(app);
        }
    }
}

/* Does this run make hard choices that could be drawn? */
static bool draws(const App *app)
{
    const char *attention = trace_attribute(app->trace, "attention");
    const char *align = trace_attribute(app->trace, "align");
    return (attention && strcmp(attention, "hard") == 0) || (align && strcmp(align, "hard") == 0) ||
           trace_find(app->trace, "head.probabilities") || model_task(app->model) == TASK_DIGIT;
}

static void draw_options(App *app, Rect *panel)
{
    static const UiRange counts = {.low = 0, .high = RUN_MAX_PATHS, .step = 10, .whole = true};
    RunEdits *edits = app->doc.edits;
    const RunOptions *o = run_edits_options(edits);
    bool sample = o->sample;
    double paths = o->paths;
    ui_caption(app->ui, panel, ui_word(app->ui, STRING_CHOICES));
    const UiControl check = {.name = "run.sample", .label = ui_word(app->ui, STRING_SAMPLE)};
    if (ui_check(app->ui, next_row(app, panel), &check, &sample)) {
        picture_fix(app);
        run_edits_set_sample(edits, sample);
        app_edited(app);
    }
    rect_cut_top(panel, 4);
    const UiControl again = {.name = "run.again", .label = ui_word(app->ui, STRING_DRAW_AGAIN)};
    if (ui_button(app->ui, next_row(app, panel), &again, UI_FRAMED, false)) {
        picture_fix(app);
        run_edits_set_sample(edits, true);
        run_edits_set_seed(edits, o->seed + 1);
        app_edited(app);
    }
    bool translates = model_task(app->model) == TASK_TRANSLATE;
    if (translates || app_has_stages(app)) {
        const UiControl many = {.name = "run.many",
                                .label = ui_word(app->ui, translates ? STRING_ACTION_MANY_SAMPLES
                                                                     : STRING_EXPECTATION)};
        rect_cut_top(panel, 4);
        if (ui_button(app->ui, next_row(app, panel), &many, UI_FRAMED, o->paths > 0))
            app_do(app, ACTION_MANY_SAMPLES);
    }
    if (translates) /* many runs of it mean many translations */
        return;
    if (run_number(app, panel, "run.paths", STRING_PATHS, &counts, &paths)) {
        run_edits_set_paths(edits, (int)paths);
        app_edited(app);
    }
}

void screen_left(App *app, Rect panel)
{
    Rect content = ui_scroll_begin(app->ui, "left", panel);
    Rect rest = content;
    rest.h = 4000;
    float top = rest.y;
    rect_cut_top(&rest, 12);
    picture_rows(app, &rest);
    dump_rows(app, &rest);
    list_views(app, &rest);
    if (app->trace && app->model && draws(app)) {
        rect_cut_top(&rest, 12);
        draw_options(app, &rest);
    }
    rect_cut_top(&rest, 12);
    list_options(app, &rest);
    if (app->trace && app->model && has_temperature(app)) {
        rect_cut_top(&rest, 12);
        run_options(app, &rest);
    }
    ui_scroll_end(app->ui, rest.y - top + 12);
    picture_draw_carried(app);
}
