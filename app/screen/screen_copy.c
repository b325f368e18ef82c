/* The figure and its numbers on the desktop's clipboard. Pictures go there as PNG. SDL puts only
 * text there, so the desktop's own program does it: wl-copy under Wayland, xclip under X11. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "canvas/canvas_cairo.h"
#include "screen/export_work.h"
#include "screen/what_if.h"
#include "views/values.h"

#define FIGURE_SCALE 2 /* pixels of the picture for one on the screen */
#define MOST_CELLS   ((int64_t)1 << 21)

extern char **environ;

static bool run_program(const char *const *words, int input, Error *error)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    /* It stays behind to serve the clipboard: our output must not wait for it. */
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
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
    Seen seen = seen_now(app);
    frame.is_figure = true;
    frame.options = document_view(&app->doc, seen_view(app))->options;
    if (seen.drawing.draw)
        seen.drawing.draw(seen.drawing.context, &frame, canvas);
    else
        app->doc.view->draw(&frame, canvas);
    seen_release(&seen);
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

/* ---- numbers ---- */

/* Which cell is meant: under the pointer, or the one that was clicked. */
static const ViewHit *chosen_cell(const App *app)
{
    const ViewHit *hit = app->hover.kind == HIT_CELL ? &app->hover : &app->selected;
    return hit->kind == HIT_CELL ? hit : NULL;
}

static const Trace *chosen_trace(const App *app)
{
    return seen_trace(app, chosen_cell(app));
}

/* What is seen is a list and no matrix; the column that a copied cell is of. -1: a matrix. */
static int list_column(const App *app)
{
    static const struct {
        const char *name;
        int column;
    } lists[] = {{"left_out", 2}, {"followed", 5}, {"lengths", 1}, {"cost", 1},
                 {"pipeline", 4}, {"text", 4},     {"beam", 6},    {"heads", 2}};
    Seen seen = seen_now(app);
    int column = -1;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (strcmp(lists[i].name, seen.name) == 0)
            column = lists[i].column;
    bool several = seen.drawing.draw && !chosen_cell(app); /* no one run is meant */
    seen_release(&seen);
    return column < 0 && (several || !values_main(app->trace)) ? 0 : column;
}

/* The line of the list that is pointed at, or was clicked; -1: none. */
static int chosen_line(const App *app)
{
    const ViewHit *hit = app->hover.kind != HIT_NOTHING ? &app->hover : &app->selected;
    if (hit->kind == HIT_ITEM || hit->kind == HIT_NODE || hit->kind == HIT_STEP)
        return hit->row;
    return hit->kind == HIT_COL ? hit->col : -1;
}

bool copy_has_numbers(const App *app)
{
    return app->trace && (list_column(app) >= 0 || values_main(chosen_trace(app)));
}

bool copy_has_cell(const App *app)
{
    return copy_has_numbers(app) &&
           (list_column(app) >= 0 ? chosen_line(app) >= 0 : chosen_cell(app) != NULL);
}

/* With the heatmap's options, whichever view is open. */
static const Values *shown_values(App *app, Error *error)
{
    const View *heatmap = view_find("heatmap");
    DocumentView *state = document_view(&app->doc, heatmap);
    ViewFrame frame = app_view_frame(app, app->figure);
    frame.trace = chosen_trace(app);
    frame.options = state->options;
    memcpy(frame.at, state->at, sizeof frame.at);
    const TraceTensor *t = values_named(frame.trace, settings_text(frame.options, "tensor"));
    if (!t)
        return NULL;
    ValuesSpec spec = values_spec(&frame, t);
    return values_get(&frame, &spec, error);
}

/* A word in a table: what would end a cell or a line becomes a space. */
static void add_label(StrBuf *out, const Side *side, int32_t i)
{
    char room[SIDE_LABEL_BYTES];
    for (const char *p = side_label(side, i, room); *p; p++)
        strbuf_add_char(out, *p == '\t' || *p == '\n' || *p == '\r' ? ' ' : *p);
}

static void add_head(StrBuf *out, const Values *v)
{
    for (int32_t j = 0; j < v->cols.n; j++) {
        strbuf_add_char(out, '\t');
        add_label(out, &v->cols, j);
    }
    strbuf_add_char(out, '\n');
}

static void add_row(StrBuf *out, const Values *v, int32_t row)
{
    add_label(out, &v->rows, row);
    for (int32_t j = 0; j < v->cols.n; j++)
        strbuf_addf(out, "\t%.6g", (double)values_at(v, row, j));
    strbuf_add_char(out, '\n');
}

/* false: the cell or row is not among those shown. */
static bool add_numbers(const App *app, const Values *v, Action what, StrBuf *out)
{
    const ViewHit *hit = chosen_cell(app);
    int32_t row = side_find(&v->rows, hit ? hit->row : app_step(app));
    int32_t col = hit ? side_find(&v->cols, hit->col) : -1;
    if (what == ACTION_COPY_CELL) {
        if (row >= 0 && col >= 0)
            strbuf_addf(out, "%.6g", (double)values_at(v, row, col));
        return row >= 0 && col >= 0;
    }
    add_head(out, v);
    for (int32_t i = 0; i < v->rows.n; i++)
        if (what == ACTION_COPY_MATRIX || i == row)
            add_row(out, v, i);
    return what == ACTION_COPY_MATRIX || row >= 0;
}

/* Line `i` of a table, counted behind its head. */
static bool find_line(const char *table, int i, const char **line, size_t *n)
{
    for (; i >= 0 && *table; i--) {
        table += strcspn(table, "\n");
        table += *table == '\n';
    }
    *line = table;
    *n = strcspn(table, "\n");
    return *n > 0;
}

/* The whole of a list, its head and one line, or one number of that line. */
static bool add_list(App *app, Action what, StrBuf *out, Error *error)
{
    StrBuf all = {0};
    const char *line = "";
    size_t n = 0;
    bool ok = export_encode_table(app, FIGURE_TSV, &all, error);
    bool found =
        ok && (what == ACTION_COPY_MATRIX ||
               (chosen_line(app) >= 0 && find_line(all.text, chosen_line(app), &line, &n)));
    if (ok && !found)
        error_set(error, ERROR_INPUT, "%s", ui_word(app->ui, STRING_NO_CELL));
    if (found && what == ACTION_COPY_MATRIX)
        strbuf_add(out, all.text);
    if (found && what == ACTION_COPY_ROW)
        strbuf_addf(out, "%.*s\n%.*s\n", (int)strcspn(all.text, "\n"), all.text, (int)n, line);
    for (int k = list_column(app); found && what == ACTION_COPY_CELL && k > 0; k--)
        line += strcspn(line, "\t\n") + (line[strcspn(line, "\t\n")] == '\t');
    if (found && what == ACTION_COPY_CELL)
        strbuf_add_bytes(out, line, strcspn(line, "\t\n"));
    strbuf_free(&all);
    return found;
}

static bool add_matrix(App *app, Action what, StrBuf *out, Error *error)
{
    const Values *v = shown_values(app, error);
    if (!v)
        return error_is_set(error)
                   ? false
                   : error_set(error, ERROR_INPUT, "%s", ui_word(app->ui, STRING_NO_CELL));
    if ((int64_t)v->rows.n * v->cols.n > MOST_CELLS)
        return error_set(error, ERROR_LIMIT,
                         "%d x %d cells are too many for the clipboard: export them",
                         (int)v->rows.n, (int)v->cols.n);
    return add_numbers(app, v, what, out) ||
           error_set(error, ERROR_INPUT, "%s", ui_word(app->ui, STRING_NO_CELL));
}

void copy_numbers(App *app, Action what)
{
    Error error = {0};
    StrBuf text = {0};
    bool ok = list_column(app) >= 0 ? add_list(app, what, &text, &error)
                                    : add_matrix(app, what, &text, &error);
    if (ok && app->spec.clipboard)
        app->spec.clipboard->set(app->spec.clipboard->context, CLIP_COPIED, text.text);
    if (ok)
        app_say_done(app, "%s", ui_word(app->ui, STRING_COPIED));
    else
        app_say(app, &error);
    strbuf_free(&text);
}
