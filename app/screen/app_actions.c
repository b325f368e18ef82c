/* What each action does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "screen/dump.h"
#include "screen/export_work.h"
#include "screen/screen_words.h"
#include "screen/what_if.h"

/* The options of the current view, if it has this one. */
static Settings *option(App *app, const char *name)
{
    Settings *options = document_view(&app->doc, app->doc.view)->options;
    return settings_has(options, name) ? options : NULL;
}

static bool can_option(const App *app, const char *name)
{
    return option((App *)app, name) != NULL;
}

static void set_option(App *app, const char *name, const char *value)
{
    Error refused = {0};
    Settings *options = option(app, name);
    if (options && !settings_set(options, name, value, &refused))
        app_say(app, &refused);
}

static void toggle(App *app, const char *name)
{
    Settings *options = option(app, name);
    if (options)
        set_option(app, name, settings_bool(options, name) ? "no" : "yes");
}

static void toggle_scores(App *app)
{
    Settings *options = option(app, "show");
    if (options)
        set_option(app, "show",
                   strcmp(settings_text(options, "show"), "weights") == 0 ? "scores" : "weights");
}

/* The n-th view that the trace offers, counted from 0. */
static const View *offered(const App *app, int n)
{
    for (int i = 0; app->trace && view_at(i); i++)
        if (view_at(i)->offers(app->trace) && n-- == 0)
            return view_at(i);
    return NULL;
}

static void zoom(App *app, float factor)
{
    ViewFrame frame = app_view_frame(app, app->figure);
    ViewCamera *camera = &document_view(&app->doc, app->doc.view)->camera;
    *camera = view_zoom(app->doc.view, &frame, app->figure.x + app->figure.w / 2,
                        app->figure.y + app->figure.h / 2, factor);
}

static void other_model(App *app, int direction)
{
    int n = app->catalogue->n;
    if (n == 0)
        return;
    int i = catalogue_find(app->catalogue, app->doc.model);
    Error error = {0};
    i = i < 0 ? 0 : (i + direction + n) % n;
    if (!app_use_model(app, app->catalogue->entries[i].name, &error))
        app_say(app, &error);
}

static void resample(App *app)
{
    const RunOptions *o = run_edits_options(app->doc.edits);
    run_edits_set_sample(app->doc.edits, true);
    run_edits_set_seed(app->doc.edits, o->seed + 1);
    app_edited(app);
}

/* Many draws of the step beside the weights that they come from; pressed again, without. Of a
 * selection, what the class is over many of them. */
static void toggle_samples(App *app)
{
    if (trace_find(app->trace, "head.probabilities")) {
        bool on = run_edits_options(app->doc.edits)->paths > 0;
        run_edits_set_paths(app->doc.edits, on ? 0 : RUN_MAX_PATHS);
        app_edited(app);
        return;
    }
    bool open = strcmp(app->doc.view->name, "pipeline") == 0 && !lab_is_open(app);
    app_choose_view(app, view_find("pipeline"));
    if (open)
        toggle(app, "samples");
    else
        set_option(app, "samples", "yes");
}

static void toggle_beam(App *app)
{
    bool on = run_edits_options(app->doc.edits)->beam > 1;
    run_edits_set_beam(app->doc.edits, on ? 1 : 5);
    app_edited(app);
}

/* ---- the table ---- */

static void do_step(App *app, Action action)
{
    app->playing = false;
    switch (action) {
    case ACTION_STEP_NEXT: /* from the end, anew */
        app_go_to(app, app->doc.step + 1 < app_n_steps(app) ? app->doc.step + 1 : 0);
        break;
    case ACTION_STEP_PREVIOUS: app_go_to(app, app->doc.step - 1); break;
    case ACTION_STEP_FIRST: app_go_to(app, 0); break;
    default: app_go_to(app, app_n_steps(app) - 1); break;
    }
}

static void do_play(App *app)
{
    app->playing = !app->playing;
    if (!app->playing)
        return;
    /* From the end, playing begins anew. */
    if (app->doc.step + 1 >= app_n_steps(app))
        app_go_to(app, 0);
    app->next_tick = ui_time(app->ui) + 0.7 / app->speed;
}

static void do_window(App *app, Action action)
{
    switch (action) {
    case ACTION_THEME:
        app->theme = theme_make(app->theme.kind == THEME_LIGHT ? THEME_DARK : THEME_LIGHT);
        break;
    case ACTION_LANGUAGE: app->language = (Language)((app->language + 1) % LANGUAGE_COUNT); break;
    case ACTION_PANEL_LEFT: app->left_is_open = !app->left_is_open; break;
    case ACTION_PANEL_RIGHT: app->right_is_open = !app->right_is_open; break;
    case ACTION_SCALE_UP: app->scale = fminf(3, app->scale * 1.125f); break;
    case ACTION_SCALE_DOWN: app->scale = fmaxf(0.5f, app->scale / 1.125f); break;
    case ACTION_SCALE_RESET: app->scale = 1; break;
    case ACTION_FULL_SCREEN: app->full_screen = !app->full_screen; break;
    case ACTION_PALETTE: ui_open(app->ui, "palette"); break;
    case ACTION_HELP: ui_open(app->ui, "help"); break;
    case ACTION_KEYS: ui_open(app->ui, "keys"); break;
    case ACTION_RECENT:
        app->what_if->recent_is_new = true;
        ui_open(app->ui, "recent");
        break;
    case ACTION_LEAVE_OUT: pane_open(app, PANE_LEFT_OUT); break;
    case ACTION_FOLLOWED: pane_open(app, PANE_FOLLOWED); break;
    case ACTION_PINNED: pane_open(app, PANE_PINNED); break;
    case ACTION_UNPIN: document_unpin_all(&app->doc); break;
    case ACTION_LAB:
    case ACTION_LENGTHS:
    case ACTION_COST:
        pane_open(app, PANE_NONE);
        lab_open(app, action == ACTION_LAB       ? LAB_RUNS
                      : action == ACTION_LENGTHS ? LAB_LENGTHS
                                                 : LAB_COST);
        break;
    case ACTION_QUIT: app->quit = true; break;
    default: break;
    }
}

static void do_change(App *app, Action action)
{
    if (action == ACTION_UNDO)
        document_undo(&app->doc);
    else if (action == ACTION_REDO)
        document_redo(&app->doc);
    else
        document_clear_edits(&app->doc);
    app_run(app);
}

static void choose_file(App *app, FileUse use)
{
    app->file_use = use;
    ui_open(app->ui, "files");
}

void app_do(App *app, Action action)
{
    switch (action) {
    case ACTION_STEP_NEXT:
    case ACTION_STEP_PREVIOUS:
    case ACTION_STEP_FIRST:
    case ACTION_STEP_LAST: do_step(app, action); break;
    case ACTION_PLAY: do_play(app); break;
    case ACTION_FASTER: app->speed = fmin(8, app->speed * 2); break;
    case ACTION_SLOWER: app->speed = fmax(0.25, app->speed / 2); break;
    case ACTION_VIEW_1:
    case ACTION_VIEW_2:
    case ACTION_VIEW_3:
    case ACTION_VIEW_4:
    case ACTION_VIEW_5:
    case ACTION_VIEW_6:
    case ACTION_VIEW_7:
    case ACTION_VIEW_8:
    case ACTION_VIEW_9: app_choose_view(app, offered(app, (int)(action - ACTION_VIEW_1))); break;
    case ACTION_ZOOM_IN: zoom(app, 1.5f); break;
    case ACTION_ZOOM_OUT: zoom(app, 1 / 1.5f); break;
    case ACTION_ZOOM_RESET:
        document_view(&app->doc, app->doc.view)->camera = (ViewCamera){0};
        break;
    case ACTION_TRANSPOSE:
        if (app->dump && import_can_swap(app->dump))
            dump_show(app, app->doc.sentence, !app->doc.flipped);
        else
            toggle(app, "transpose");
        break;
    case ACTION_TOGGLE_SCORES: toggle_scores(app); break;
    case ACTION_TOGGLE_NUMBERS: toggle(app, "numbers"); break;
    case ACTION_TOGGLE_MERGE: toggle(app, "merge_words"); break;
    case ACTION_TOGGLE_SPECIALS: toggle(app, "hide_special"); break;
    case ACTION_TOGGLE_GOLD: toggle(app, "gold"); break;
    case ACTION_MODEL_NEXT: other_model(app, 1); break;
    case ACTION_MODEL_PREVIOUS: other_model(app, -1); break;
    case ACTION_MODEL_CHOOSE: ui_open(app->ui, "model"); break;
    case ACTION_FOCUS_INPUT: ui_focus(app->ui, "input"); break;
    case ACTION_FOCUS_TARGET:
        app->target_is_open = true;
        ui_focus(app->ui, "target");
        break;
    case ACTION_RESAMPLE: resample(app); break;
    case ACTION_MANY_SAMPLES: toggle_samples(app); break;
    case ACTION_SAMPLE:
        run_edits_set_sample(app->doc.edits, !run_edits_options(app->doc.edits)->sample);
        app_edited(app);
        break;
    case ACTION_BEAM: toggle_beam(app); break;
    case ACTION_OPEN: choose_file(app, FILE_OPENS); break;
    case ACTION_SAVE: choose_file(app, FILE_SAVES); break;
    case ACTION_GOLD_FILE: choose_file(app, FILE_IS_GOLD); break;
    case ACTION_BESIDE: choose_file(app, FILE_IS_BESIDE); break;
    case ACTION_SENTENCES: ui_open(app->ui, "sentences"); break;
    case ACTION_TOKENS: ui_open(app->ui, "tokens"); break;
    case ACTION_EXPORT: export_open(app); break;
    case ACTION_PIN: app_pin(app); break;
    case ACTION_COMPARE: app_choose_view(app, view_find("compare")); break;
    case ACTION_UNDO:
    case ACTION_REDO:
    case ACTION_CLEAR_CHANGES: do_change(app, action); break;
    case ACTION_COPY_CELL:
    case ACTION_COPY_ROW:
    case ACTION_COPY_MATRIX: copy_numbers(app, action); break;
    case ACTION_COPY_FIGURE: copy_figure(app); break;
    default: do_window(app, action); break;
    }
}

static bool translates(const App *app)
{
    return app->model && model_task(app->model) == TASK_TRANSLATE;
}

void app_find_meanings(const App *app, const char *meanings[ACTION_COUNT])
{
    memset(meanings, 0, ACTION_COUNT * sizeof *meanings);
    for (int a = ACTION_VIEW_1; a <= ACTION_VIEW_9; a++) {
        const View *view = offered(app, a - (int)ACTION_VIEW_1);
        meanings[a] = view ? screen_word(app->language, view->name) : "";
    }
}

void app_find_unavailable(const App *app, bool unavailable[ACTION_COUNT])
{
    memset(unavailable, 0, ACTION_COUNT * sizeof *unavailable);
    bool no_steps = app_n_steps(app) == 0;
    for (int a = ACTION_STEP_NEXT; a <= ACTION_SLOWER; a++)
        unavailable[a] = no_steps;
    for (int a = ACTION_VIEW_1; a <= ACTION_VIEW_9; a++)
        unavailable[a] = !offered(app, a - (int)ACTION_VIEW_1);
    unavailable[ACTION_TRANSPOSE] = !app->dump && !can_option(app, "transpose");
    unavailable[ACTION_TOGGLE_SCORES] = !can_option(app, "show");
    unavailable[ACTION_TOGGLE_NUMBERS] = !can_option(app, "numbers");
    unavailable[ACTION_TOGGLE_MERGE] = !can_option(app, "merge_words");
    unavailable[ACTION_TOGGLE_SPECIALS] = !can_option(app, "hide_special");
    unavailable[ACTION_TOGGLE_GOLD] = !can_option(app, "gold");
    unavailable[ACTION_SENTENCES] = unavailable[ACTION_TOKENS] = !app->dump;
    unavailable[ACTION_GOLD_FILE] = unavailable[ACTION_BESIDE] = !app->dump;
    unavailable[ACTION_FOCUS_TARGET] = unavailable[ACTION_BEAM] = !translates(app);
    unavailable[ACTION_MANY_SAMPLES] = !app->trace || !view_find("pipeline")->offers(app->trace);
    unavailable[ACTION_RESAMPLE] = unavailable[ACTION_SAMPLE] = !app->model;
    unavailable[ACTION_LAB] = !lab_is_offered(app);
    unavailable[ACTION_LENGTHS] = !lengths_is_offered(app);
    unavailable[ACTION_COST] = !cost_is_offered(app);
    unavailable[ACTION_EXPORT] = !app->trace;
    unavailable[ACTION_LEAVE_OUT] = !left_out_is_offered(app);
    unavailable[ACTION_FOLLOWED] = !followed_is_offered(app);
    unavailable[ACTION_PINNED] = unavailable[ACTION_UNPIN] = app->doc.n_pins == 0;
    unavailable[ACTION_UNDO] = !document_can_undo(&app->doc);
    unavailable[ACTION_REDO] = !document_can_redo(&app->doc);
    unavailable[ACTION_CLEAR_CHANGES] = run_edits_count(app->doc.edits) == 0;
    unavailable[ACTION_COPY_ROW] = unavailable[ACTION_COPY_MATRIX] = !copy_has_numbers(app);
    unavailable[ACTION_COPY_CELL] = !copy_has_cell(app);
    unavailable[ACTION_COPY_FIGURE] = !app->trace;
}
