/* What outlives the program: choices of the window, and work in progress.
 *
 * STATE/window.json holds the choices; STATE/unsaved.fovea the document, written a moment after
 * it changed and removed at a clean end. One that is found at the start is what a crash left
 * behind, and is offered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "screen/export_work.h"
#include "screen/what_if.h"

#define KEEP_SECONDS 2.0

static char *state_file(const App *app, const char *name)
{
    return app->spec.state_path ? file_join(app->spec.state_path, name) : NULL;
}

static char *window_json(const App *app)
{
    json_t *o = json_object();
    json_object_set_new(o, "theme", json_string(app->theme.kind == THEME_DARK ? "dark" : "light"));
    json_object_set_new(o, "language",
                        json_string(app->language == LANGUAGE_CHINESE ? "zh" : "en"));
    json_object_set_new(o, "scale", json_real((double)app->scale));
    json_object_set_new(o, "left", json_boolean(app->left_is_open));
    json_object_set_new(o, "right", json_boolean(app->right_is_open));
    json_object_set_new(o, "export", exporting_to_json(app->exporting));
    char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(o);
    return text;
}

static void read_window(App *app, const json_t *o)
{
    const char *theme = json_string_value(json_object_get(o, "theme"));
    const char *language = json_string_value(json_object_get(o, "language"));
    if (theme)
        app->theme = theme_make(strcmp(theme, "dark") == 0 ? THEME_DARK : THEME_LIGHT);
    if (language)
        app->language = strcmp(language, "zh") == 0 ? LANGUAGE_CHINESE : LANGUAGE_ENGLISH;
    double scale = json_number_value(json_object_get(o, "scale"));
    if (scale >= 0.5 && scale <= 3)
        app->scale = (float)scale;
    app->left_is_open = !json_is_false(json_object_get(o, "left"));
    app->right_is_open = !json_is_false(json_object_get(o, "right"));
    exporting_from_json(app->exporting, json_object_get(o, "export"));
}

/* The person's own keys: CONFIG/keys.json beside the state. */
static void read_keys(App *app)
{
    char *path = state_file(app, "keys.json");
    Bytes bytes;
    Error error = {0};
    if (path && file_exists(path)) {
        bool ok = file_read(path, (size_t)1 << 20, &bytes, &error);
        if (ok) {
            ok = keymap_read(&app->keys, bytes.data, bytes.size, path, &error);
            bytes_free(&bytes);
        }
        if (!ok)
            app_say(app, &error);
    }
    free(path);
}

void app_restore(App *app)
{
    char *path = state_file(app, "window.json");
    json_t *o = path ? json_load_file(path, 0, NULL) : NULL;
    if (json_is_object(o))
        read_window(app, o);
    json_decref(o);
    free(path);
    read_keys(app);
    recent_restore(app);
    path = state_file(app, "unsaved.fovea");
    app->has_lost_work = path && file_exists(path);
    free(path);
}

static void write_text(const App *app, const char *name, const char *text)
{
    Error passed_over = {0}; /* a state that cannot be kept must not disturb the work */
    char *path = state_file(app, name);
    if (path && file_make_directories(app->spec.state_path, &passed_over) &&
        !file_write(path, text, strlen(text), &passed_over))
        error_clear(&passed_over);
    free(path);
}

/* True when `text` differs from what was written last, which it then becomes. */
static bool is_news(char **last, char *text)
{
    bool news = !*last || strcmp(*last, text) != 0;
    free(*last);
    *last = text;
    return news;
}

void app_keep(App *app)
{
    double now = ui_time(app->ui);
    if (!app->spec.state_path || app->has_lost_work)
        return;
    app->keep_is_due = now < app->next_keep;
    if (app->keep_is_due)
        return;
    app->next_keep = now + KEEP_SECONDS;
    if (is_news(&app->kept_window, window_json(app)))
        write_text(app, "window.json", app->kept_window);
    if (is_news(&app->kept_document, app_session_json(app)))
        write_text(app, "unsaved.fovea", app->kept_document);
}

void app_forget(App *app)
{
    char *path = state_file(app, "unsaved.fovea");
    if (path && !app->has_lost_work)
        unlink(path);
    free(path);
    free(app->kept_window);
    free(app->kept_document);
}

void app_recover(App *app)
{
    char *path = state_file(app, "unsaved.fovea");
    Error error = {0};
    app->has_lost_work = false;
    if (path && !app_open_session(app, path, &error))
        app_say(app, &error);
    free(path);
}
