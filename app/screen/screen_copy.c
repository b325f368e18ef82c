/* The figure on the desktop's clipboard, as PNG. SDL puts only text there, so the desktop's
 * own program does it: wl-copy under Wayland, xclip under X11. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "canvas/canvas_cairo.h"
#include "screen/what_if.h"

#define FIGURE_SCALE 2 /* pixels of the picture for one on the screen */

extern char **environ;

static bool run_program(const char *const *words, int input, Error *error)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    pid_t pid;
    int status = 0,
        failed = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT)
        return error_set(error, ERROR_UNSUPPORTED,
                         "%s puts pictures on the clipboard, and is not installed", words[0]);
    if (failed)
        return error_set(error, ERROR_IO, "%s: %s", words[0], strerror(failed));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           error_set(error, ERROR_IO, "%s could not take the picture", words[0]);
}

/* The program reads the picture from a file without a name. */
static bool put_picture(const StrBuf *png, Error *error)
{
    static const char *const wayland[] = {"wl-copy", "--type", "image/png", NULL};
    static const char *const x11[] = {"xclip", "-selection", "clipboard", "-t", "image/png", NULL};
    bool has_wayland = getenv("WAYLAND_DISPLAY") != NULL;
    if (!has_wayland && !getenv("DISPLAY"))
        return error_set(error, ERROR_UNSUPPORTED, "there is no desktop with a clipboard");
    FILE *file = tmpfile();
    bool ok = file && fwrite(png->text, 1, png->length, file) == png->length && fflush(file) == 0 &&
              lseek(fileno(file), 0, SEEK_SET) == 0;
    if (!ok)
        error_set(error, ERROR_IO, "the picture cannot be handed over: %s", strerror(errno));
    ok = ok && run_program(has_wayland ? wayland : x11, fileno(file), error);
    if (file)
        fclose(file);
    return ok;
}

void copy_figure(App *app)
{
    Canvas *canvas = canvas_new(fmaxf(1, app->figure.w), fmaxf(1, app->figure.h));
    ViewFrame frame = app_view_frame(app, (Rect){0, 0, app->figure.w, app->figure.h});
    frame.is_figure = true;
    app->doc.view->draw(&frame, canvas);
    StrBuf png = {0};
    Error error = {0};
    const PngOptions options = {.scale = FIGURE_SCALE, .background = app->theme.background};
    bool ok =
        canvas_encode_png(canvas, app->fonts, &options, &png, &error) && put_picture(&png, &error);
    if (ok)
        app_say_done(app, "%s", ui_word(app->ui, STRING_COPIED));
    else
        app_say(app, &error);
    strbuf_free(&png);
    canvas_free(canvas);
}
