#include "screen/window_sdl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen/app.h"
#include "session/paths.h"
#include "ui/platform_sdl.h"

#define WIDTH  1280
#define HEIGHT 800

typedef struct Window {
    Fonts *fonts;
    Platform *platform;
    App *app;
    char *state_path;
} Window;

static bool open_window(Window *w, Error *error)
{
    w->fonts = fonts_new(error);
    if (w->fonts)
        w->platform = platform_new("Fovea", WIDTH, HEIGHT, w->fonts, error);
    if (!w->platform)
        return false;
    const AppSpec spec = {
        .wake = platform_wake,
        .wake_context = w->platform,
        .clipboard = platform_clipboard(w->platform),
        .fonts = w->fonts,
        .state_path = w->state_path = paths_state(),
    };
    w->app = app_new(&spec);
    return true;
}

static void close_window(Window *w)
{
    app_free(w->app);
    platform_free(w->platform);
    fonts_free(w->fonts);
    free(w->state_path);
}

/* The first picture shows a finished run: it is waited for. What the other models say about
 * themselves takes longer and comes afterwards. */
static void open_files(Window *w, int n, const char *const *files)
{
    Error error = {0};
    bool ok = n > 0;
    for (int i = 0; ok && i < n; i++)
        ok = app_open(w->app, files[i], &error);
    if (!ok && n == 0)
        ok = app_open_default(w->app, &error);
    if (!ok)
        app_report(w->app, &error);
    app_settle_run(w->app);
}

/* Frames until nothing changes by itself; only the last is shown. */
static bool make_frames(Window *w, Input *input, Error *error)
{
    do {
        app_frame(w->app, input);
    } while (app_wants_frame(w->app) == 0 && !app_wants_quit(w->app));
    platform_set_zoom(w->platform, app_scale(w->app));
    platform_follow(w->platform, app_ui(w->app));
    return platform_show(w->platform, app_canvas(w->app), error);
}

static bool loop(Window *w, Error *error)
{
    Input input = {.width = WIDTH, .height = HEIGHT, .x = -1, .y = -1};
    bool full_screen = false, open = platform_wait(w->platform, 0, &input);
    while (open) {
        if (!make_frames(w, &input, error))
            return false;
        if (app_wants_quit(w->app))
            break;
        if (app_wants_full_screen(w->app) != full_screen) {
            full_screen = !full_screen;
            platform_toggle_full_screen(w->platform);
        }
        open = platform_wait(w->platform, app_wants_frame(w->app), &input);
    }
    return true;
}

bool window_run(int n_files, const char *const *files, Error *error)
{
    Window w = {0};
    bool ok = open_window(&w, error);
    if (ok) {
        open_files(&w, n_files, files);
        ok = loop(&w, error);
    }
    close_window(&w);
    return ok;
}
