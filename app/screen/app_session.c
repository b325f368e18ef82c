/* The screen in a session: what the window shows beside the run and its view.
 *
 *   {"theme": "dark", "language": "zh", "left": true, "right": true, "target": false,
 *    "speed": 1, "pane": "left_out", "only_scores": true, "erases": false,
 *    "compare": {"model": "en-fr-dot"},
 *    "locked": {"step": 1, "of": 9, "items": [2]},
 *    "selected": {"kind": 1, "axis": 0, "row": 1, "col": 2, "x": 0, "y": 0, "lines": ["..."]},
 *    "scroll": {"left": 120}, "dump": {...}} (dump.h)
 *
 * The sizes of the window and of its type are the display's, and in no session. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/dump.h"
#include "screen/what_if.h"
#include "views/view_tools.h"

/* What stands in the view's place. */
static const struct {
    const char *name;
    Pane pane;
    LabKind lab;
} places[] = {
    {"", PANE_NONE, LAB_CLOSED},         {"left_out", PANE_LEFT_OUT, LAB_CLOSED},
    {"pinned", PANE_PINNED, LAB_CLOSED}, {"followed", PANE_FOLLOWED, LAB_CLOSED},
    {"lab", PANE_NONE, LAB_RUNS},        {"lengths", PANE_NONE, LAB_LENGTHS},
    {"cost", PANE_NONE, LAB_COST},
};

static const char *const scrolled[] = {"left", "right", "left_out", "pinned", "followed", "input"};

enum { N_PLACES = sizeof places / sizeof places[0] };
enum { N_SCROLLED = sizeof scrolled / sizeof scrolled[0] };

/* ---- writing ---- */

static json_t *selection_to_json(const ViewHit *hit)
{
    json_t *lines = json_array();
    for (int i = 0; i < hit->n_lines; i++)
        json_array_append_new(lines, json_string(hit->lines[i]));
    return json_pack("{s:i, s:i, s:i, s:i, s:f, s:f, s:o}", "kind", (int)hit->kind, "axis",
                     (int)hit->axis, "row", (int)hit->row, "col", (int)hit->col, "x",
                     (double)hit->x, "y", (double)hit->y, "lines", lines);
}

static json_t *locks_to_json(const WhatIf *w)
{
    json_t *items = json_array();
    for (int i = 0; i < w->n_locked; i++)
        if (w->locked[i])
            json_array_append_new(items, json_integer(i));
    return json_pack("{s:i, s:i, s:o}", "step", w->lock_step, "of", w->n_locked, "items", items);
}

static json_t *partner_to_json(const WhatIf *w)
{
    return w->versus_model ? json_pack("{s:s}", "model", w->versus_model)
                           : json_pack("{s:i}", "pin", w->chosen_pin);
}

static const char *place_name(const App *app)
{
    for (int i = 1; i < N_PLACES; i++)
        if (places[i].pane == app->what_if->pane && places[i].lab == lab_is_open(app))
            return places[i].name;
    return "";
}

static json_t *screen_to_json(const App *app)
{
    json_t *scroll = json_object(), *o = json_object();
    for (int i = 0; i < N_SCROLLED; i++)
        json_object_set_new(scroll, scrolled[i],
                            json_real((double)ui_scroll_at(app->ui, scrolled[i])));
    json_object_set_new(o, "theme", json_string(app->theme.kind == THEME_DARK ? "dark" : "light"));
    json_object_set_new(o, "language", json_string(language_code(app->language)));
    json_object_set_new(o, "left", json_boolean(app->left_is_open));
    json_object_set_new(o, "right", json_boolean(app->right_is_open));
    json_object_set_new(o, "target", json_boolean(app->target_is_open));
    json_object_set_new(o, "speed", json_real(app->speed));
    json_object_set_new(o, "pane", json_string(place_name(app)));
    json_object_set_new(o, "only_scores", json_boolean(lab_only_scores(app)));
    json_object_set_new(o, "erases", json_boolean(app->erases));
    json_object_set_new(o, "compare", partner_to_json(app->what_if));
    json_object_set_new(o, "locked", locks_to_json(app->what_if));
    json_object_set_new(o, "selected", selection_to_json(&app->selected));
    json_object_set_new(o, "scroll", scroll);
    if (app->dump)
        json_object_set_new(o, "dump", dump_to_json(app));
    return o;
}

static void note_screen(App *app)
{
    json_decref(app->doc.screen);
    app->doc.screen = screen_to_json(app);
}

char *app_session_json(App *app)
{
    note_screen(app);
    return document_to_json(&app->doc);
}

char *app_figure_json(const App *app)
{
    bool needs_pins = pane_is_open(app) && app->what_if->pane == PANE_PINNED;
    char *text = needs_pins ? document_to_json(&app->doc) : document_run_to_json(&app->doc);
    json_t *o = json_loads(text, 0, NULL);
    json_object_set_new(
        o, "screen",
        json_pack("{s:s, s:o}", "pane", place_name(app), "locked", locks_to_json(app->what_if)));
    free(text);
    text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(o);
    return text;
}

bool app_save_session(App *app, const char *path, Error *error)
{
    note_screen(app);
    return document_save(&app->doc, path, error);
}

/* ---- reading ---- */

static int read_int(const json_t *object, const char *key, int least, int most)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value < least ? least : value > most ? most : (int)value;
}

static ViewHit read_selection(const json_t *o)
{
    ViewHit hit = {
        .kind = (HitKind)read_int(o, "kind", HIT_NOTHING, HIT_NODE),
        .axis = read_int(o, "axis", 0, TRACE_MAX_LEN),
        .row = read_int(o, "row", -1, TRACE_MAX_LEN),
        .col = read_int(o, "col", -1, TRACE_MAX_LEN),
        .x = (float)json_number_value(json_object_get(o, "x")),
        .y = (float)json_number_value(json_object_get(o, "y")),
    };
    const json_t *lines = json_object_get(o, "lines");
    for (size_t i = 0; i < json_array_size(lines) && i < VIEW_HIT_LINES; i++) {
        const char *text = json_string_value(json_array_get(lines, i));
        view_hit_add(&hit, "%s", text ? text : "");
    }
    return hit;
}

static void read_locks(WhatIf *w, const json_t *o)
{
    const json_t *items = json_object_get(o, "items");
    w->n_locked = read_int(o, "of", 0, RUN_EDITS_MAX_ITEMS);
    w->lock_step = read_int(o, "step", -1, RUN_EDITS_MAX_STEPS);
    w->locked = memory_resize(w->locked, (size_t)w->n_locked + 1, sizeof *w->locked);
    memset(w->locked, 0, ((size_t)w->n_locked + 1) * sizeof *w->locked);
    for (size_t i = 0; i < json_array_size(items); i++) {
        json_int_t item = json_integer_value(json_array_get(items, i));
        if (item >= 0 && item < w->n_locked)
            w->locked[item] = true;
    }
}

static void read_partner(WhatIf *w, const json_t *o)
{
    const char *model = json_string_value(json_object_get(o, "model"));
    w->versus_model = model ? memory_copy_string(model) : NULL;
    w->chosen_pin = model ? COMPARE_PIN_NONE : COMPARE_PIN_NEWEST;
    if (json_object_get(o, "pin"))
        w->chosen_pin = read_int(o, "pin", COMPARE_PIN_NONE, DOCUMENT_MAX_PINS - 1);
}

static void read_place(App *app, const json_t *o)
{
    const char *name = json_string_value(json_object_get(o, "pane"));
    for (int i = 0; i < N_PLACES; i++)
        if (strcmp(places[i].name, name ? name : "") == 0) {
            pane_open(app, places[i].pane);
            lab_open(app, places[i].lab);
        }
}

static void read_window(App *app, const json_t *o)
{
    Error none = {0};
    const char *theme = json_string_value(json_object_get(o, "theme"));
    const char *language = json_string_value(json_object_get(o, "language"));
    double speed = json_number_value(json_object_get(o, "speed"));
    if (theme)
        app->theme = theme_make(strcmp(theme, "dark") == 0 ? THEME_DARK : THEME_LIGHT);
    if (language && !language_find(language, &app->language, &none))
        app->language = LANGUAGE_ENGLISH;
    if (speed >= 0.25 && speed <= 8)
        app->speed = speed;
    app->left_is_open = !json_is_false(json_object_get(o, "left"));
    app->right_is_open = !json_is_false(json_object_get(o, "right"));
    app->target_is_open = app->target_is_open || json_is_true(json_object_get(o, "target"));
    app->erases = json_is_true(json_object_get(o, "erases"));
    lab_set_only_scores(app, !json_is_false(json_object_get(o, "only_scores")));
}

void app_restore_place(App *app)
{
    what_if_reset(app);
    read_locks(app->what_if, json_object_get(app->doc.screen, "locked"));
    read_place(app, app->doc.screen);
}

void app_restore_screen(App *app)
{
    const json_t *screen = app->doc.screen;
    what_if_reset(app);
    trace_release(app->plain);
    app->plain = NULL;
    read_partner(app->what_if, json_object_get(screen, "compare"));
    read_locks(app->what_if, json_object_get(screen, "locked"));
    read_place(app, screen);
    if (screen)
        read_window(app, screen);
    json_decref(app->restoring);
    app->restoring = json_incref(app->doc.screen);
}

void app_restore_rest(App *app)
{
    if (!app->restoring)
        return;
    const json_t *scroll = json_object_get(app->restoring, "scroll");
    app->selected = read_selection(json_object_get(app->restoring, "selected"));
    for (int i = 0; i < N_SCROLLED; i++) {
        double y = json_number_value(json_object_get(scroll, scrolled[i]));
        ui_scroll_put(app->ui, scrolled[i], y > 0 && y < 1e7 ? (float)y : 0);
    }
    json_decref(app->restoring);
    app->restoring = NULL;
}
