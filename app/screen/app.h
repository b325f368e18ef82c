/* app.h - the program behind the window: what is looked at, and the screen that shows it.
 *
 * No SDL: input comes as data, the screen is a recorded canvas, so the same program runs in
 * the window, from a script and in a test. window_sdl.c connects it to a display.
 *
 * A frame: app_frame takes the input, answers the person, and records the screen; long work
 * (running a model, reading a file, writing a figure) goes to the worker, whose wake-up asks
 * for another frame.
 *
 * Threads: everything here belongs to one thread, but for the wake-up.
 */
#ifndef FOVEA_SCREEN_APP_H
#define FOVEA_SCREEN_APP_H
#include "trace/trace.h"
#include "ui/ui.h"

typedef struct App App;

typedef struct AppSpec {
    Fonts *fonts;                /* borrowed; must outlive the program */
    void (*wake)(void *context); /* from the worker's thread; NULL in scripts         */
    void *wake_context;
    const Clipboard *clipboard;
    ThemeKind theme;
    Language language;
    bool still;             /* no motion, and runs are waited for: scripts and tests  */
    const char *state_path; /* where work in progress and choices are kept; NULL: not */
} AppSpec;

App *app_new(const AppSpec *spec);
void app_free(App *app);

/* A model, a session, a figure that Fovea drew, a dump of another tool, or a text; or the name
 * of an installed model. What cannot be opened is said on the screen too. */
bool app_open(App *app, const char *path, Error *error) FOVEA_MUST_USE;
/* The model and sentence that a first start shows. */
bool app_open_default(App *app, Error *error) FOVEA_MUST_USE;

/* Says on the screen what went wrong. */
void app_report(App *app, const Error *error);

void app_frame(App *app, Input *input);
const Canvas *app_canvas(const App *app);
double app_wants_frame(const App *app); /* seconds; INFINITY: only on input */
bool app_wants_quit(const App *app);
float app_scale(const App *app); /* of the interface, from Ctrl + and -: 1 is normal */
ThemeKind app_theme(const App *app);
Language app_language(const App *app);
bool app_wants_full_screen(const App *app);
const Ui *app_ui(const App *app); /* text input, caret, cursor */

/* Waits for the model that runs and takes its result; what else is read goes on, and what
 * explains the result may be the next one. */
void app_settle_run(App *app);
/* For scripts: waits until nothing runs and takes the results. */
void app_settle(App *app);

/* What stands on the screen, for tests: the current trace (borrowed), its step. */
const Trace *app_trace(const App *app);
int app_step(const App *app);

#endif
