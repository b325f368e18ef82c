/* The dialogs that the person fills with habits: which key does what, and the files of the
 * last times. Both are kept beside the other choices (app_state.c). */
#define _XOPEN_SOURCE 700 /* realpath */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "screen/what_if.h"

#define DIALOG_WIDTH  520
#define DIALOG_HEIGHT 560
#define KEY_WIDTH     180
#define MOST_BYTES    ((size_t)1 << 20)

static char *state_file(const App *app, const char *name)
{
    return app->spec.state_path ? file_join(app->spec.state_path, name) : NULL;
}

static void keep(App *app, const char *name, const char *text)
{
    char *path = state_file(app, name);
    Error error = {0};
    if (path && !(file_make_directories(app->spec.state_path, &error) &&
                  file_write(path, text, strlen(text), &error)))
        app_say(app, &error);
    free(path);
}

/* ---- keys ---- */

static void keep_keys(App *app)
{
    StrBuf text = {0};
    keymap_write(&app->keys, &text);
    keep(app, "keys.json", text.text);
    strbuf_free(&text);
}

/* Without one key in a list of them. */
static void take_away(json_t *map, const char *key)
{
    const char *name;
    json_t *list;
    json_object_foreach(map, name, list)
    {
        for (size_t i = json_array_size(list); i-- > 0;)
            if (strcmp(json_string_value(json_array_get(list, i)), key) == 0)
                json_array_remove(list, i);
    }
}

/* The keys as they stand, as JSON to be changed. */
static json_t *keys_as_json(const App *app)
{
    StrBuf text = {0};
    json_error_t why;
    keymap_write(&app->keys, &text);
    json_t *map = json_loadb(text.text, text.length, 0, &why);
    strbuf_free(&text);
    return map;
}

static void read_keys(App *app, json_t *map)
{
    char *text = json_dumps(map, 0);
    Keymap fresh;
    Error error = {0};
    keymap_init(&fresh);
    if (keymap_read(&fresh, text, strlen(text), "keys", &error)) {
        app->keys = fresh;
        keep_keys(app);
    } else {
        app_say(app, &error);
    }
    free(text);
}

/* The key becomes the action's first one; whatever it did before, it does no more. */
static void give_key(App *app, Action action, const char *key)
{
    json_t *map = keys_as_json(app);
    take_away(map, key);
    json_t *list = json_object_get(map, action_name(action));
    if (json_array_size(list) == KEYMAP_CHORDS)
        json_array_remove(list, KEYMAP_CHORDS - 1);
    json_array_insert_new(list, 0, json_string(key));
    read_keys(app, map);
    json_decref(map);
}

static void take_keys(App *app, Action action)
{
    json_t *map = keys_as_json(app);
    json_array_clear(json_object_get(map, action_name(action)));
    read_keys(app, map);
    json_decref(map);
}

static void answer_key(App *app, const Event *event)
{
    Action action = app->what_if->waiting;
    app->what_if->waiting = ACTION_NONE;
    if (event->key == KEY_ESCAPE)
        return;
    if (event->key == KEY_BACKSPACE || event->key == KEY_DELETE) {
        take_keys(app, action);
        return;
    }
    char key[CHORD_TEXT_BYTES];
    chord_print((Chord){.key = event->key, .code = event->code, .mods = event->mods}, key);
    give_key(app, action, key);
}

void keys_take(App *app, Input *input)
{
    if (app->what_if->waiting == ACTION_NONE)
        return;
    int left = 0;
    for (int i = 0; i < input->n_events; i++) {
        Event *e = &input->events[i];
        bool is_key = e->kind == EVENT_KEY || e->kind == EVENT_TEXT;
        if (e->kind == EVENT_KEY && app->what_if->waiting != ACTION_NONE)
            answer_key(app, e);
        if (!is_key)
            input->events[left++] = *e;
    }
    input->n_events = left;
}

static void key_row(App *app, Rect row, Action action)
{
    bool waits = app->what_if->waiting == action;
    char name[64], key[CHORD_TEXT_BYTES];
    snprintf(name, sizeof name, "keys.%s", action_name(action));
    keymap_show(&app->keys, action, key);
    const UiControl control = {
        .name = name,
        .label = waits  ? ui_word(app->ui, STRING_PRESS_A_KEY)
                 : *key ? key
                        : ui_word(app->ui, STRING_NO_CHOICE),
    };
    Rect button = rect_cut_right(&row, KEY_WIDTH);
    ui_label(app->ui, row, ui_word(app->ui, action_words(action)), theme_text(&app->theme));
    if (ui_button(app->ui, rect_pad(button, 0, 1), &control, waits ? UI_PRIMARY : UI_QUIET, false))
        app->what_if->waiting = waits ? ACTION_NONE : action;
}

static void keys_dialog(App *app)
{
    Rect body;
    if (!ui_dialog_begin(app->ui, "keys", ui_word(app->ui, STRING_ACTION_KEYS), DIALOG_WIDTH,
                         DIALOG_HEIGHT, &body)) {
        app->what_if->waiting = ACTION_NONE;
        return;
    }
    Rect bottom = rect_cut_bottom(&body, 36);
    const UiControl reset = {.name = "keys.reset", .label = ui_word(app->ui, STRING_KEYS_RESET)};
    float width = ui_button_width(app->ui, &reset);
    if (ui_button(app->ui, rect_middle(rect_cut_right(&bottom, width), width, 30), &reset,
                  UI_FRAMED, false)) {
        keymap_init(&app->keys);
        keep_keys(app);
    }
    ui_label(app->ui, bottom, ui_word(app->ui, STRING_KEYS_HINT), theme_muted(&app->theme));
    Rect content = ui_scroll_begin(app->ui, "keys.list", body), rest = content;
    rest.h = 8000;
    float top = rest.y;
    for (Action a = ACTION_NONE + 1; a < ACTION_COUNT; a++)
        key_row(app, rect_pad(rect_cut_top(&rest, app->theme.row), 4, 0), a);
    ui_scroll_end(app->ui, rest.y - top);
    ui_dialog_end(app->ui);
}

/* ---- files of the last times ---- */

static void keep_recent(App *app)
{
    json_t *list = json_array();
    for (int i = 0; i < app->what_if->n_recent; i++)
        json_array_append_new(list, json_string(app->what_if->recent[i]));
    char *text = json_dumps(list, JSON_INDENT(1));
    keep(app, "recent.json", text);
    free(text);
    json_decref(list);
}

/* Newest first, each once. */
static void put_first(WhatIf *w, const char *path)
{
    char *copy = memory_copy_string(path);
    int at = 0;
    while (at < w->n_recent && strcmp(w->recent[at], path) != 0)
        at++;
    if (at == RECENT_MAX)
        at--;
    if (at < w->n_recent)
        free(w->recent[at]);
    else
        w->n_recent++;
    memmove(w->recent + 1, w->recent, (size_t)at * sizeof *w->recent);
    w->recent[0] = copy;
}

void recent_add(App *app, const char *path)
{
    char *real = realpath(path, NULL);
    put_first(app->what_if, real ? real : path);
    free(real);
    keep_recent(app);
}

void recent_restore(App *app)
{
    char *path = state_file(app, "recent.json");
    json_t *list = path ? json_load_file(path, JSON_REJECT_DUPLICATES, NULL) : NULL;
    for (size_t i = json_array_size(list); i-- > 0;) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text && *text)
            put_first(app->what_if, text);
    }
    json_decref(list);
    free(path);
}

static void recent_dialog(App *app)
{
    Rect body;
    WhatIf *w = app->what_if;
    if (!ui_dialog_begin(app->ui, "recent", ui_word(app->ui, STRING_ACTION_RECENT), DIALOG_WIDTH,
                         420, &body))
        return;
    UiOption options[RECENT_MAX];
    for (int i = 0; i < w->n_recent; i++)
        options[i] = (UiOption){.label = file_base_name(w->recent[i]), .help = w->recent[i]};
    int chosen = -1;
    const UiControl control = {.name = "recent.list"};
    if (w->n_recent == 0)
        ui_label(app->ui, rect_cut_top(&body, 28), ui_word(app->ui, STRING_NOTHING_RECENT),
                 theme_muted(&app->theme));
    bool picked = w->n_recent > 0 &&
                  ui_list(app->ui, body, &control, options, w->n_recent, app->list_search, &chosen);
    if (w->recent_is_new)
        ui_focus(app->ui, "recent.list.search");
    w->recent_is_new = false;
    ui_dialog_end(app->ui);
    if (!picked || chosen < 0)
        return;
    ui_close(app->ui, "recent");
    char *path = memory_copy_string(w->recent[chosen]); /* the list is about to move */
    Error error = {0};
    if (!app_open(app, path, &error))
        app_say(app, &error);
    free(path);
}

void screen_keys(App *app)
{
    keys_dialog(app);
    recent_dialog(app);
}
