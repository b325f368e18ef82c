#include "screen/export_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "canvas/canvas_cairo.h"

#define PREVIEW_SCALE 2.0f /* sharp on a fine display too */
#define MOST_TENSORS  200
#define CHECKER_PX    16 /* what is transparent shows squares */

/* ---- the figure ---- */

/* The view's options as they stand, but for the colours; the caller frees. */
static Settings *figure_options(App *app)
{
    Settings *options = settings_copy(document_view(&app->doc, seen_view(app))->options);
    Error refused = {0};
    const char *map = app->exporting->colormap;
    if (*map && settings_has(options, "colormap") &&
        !settings_set(options, "colormap", map, &refused))
        app->exporting->colormap[0] = '\0'; /* this view has no such map */
    return options;
}

static Figure figure_now(App *app, const Settings *options, const Seen *seen)
{
    ViewFrame frame = app_view_frame(app, app->figure);
    frame.options = options;
    Error refused = {0};
    if (!settings_set(app->exporting->settings, "language",
                      app->language == LANGUAGE_CHINESE ? "chinese" : "english", &refused))
        app_say(app, &refused);
    Figure figure = figure_of_frame(&frame, seen_view(app), app->exporting->settings);
    figure.drawing = seen->drawing.draw ? &seen->drawing : NULL;
    return figure;
}

/* ---- the name of the file ---- */

static void set_name(App *app, const char *name)
{
    Error refused = {0};
    if (!edit_reset(app->exporting->name, name, &refused))
        app_say(app, &refused);
}

void export_name_changed(App *app)
{
    Exporting *e = app->exporting;
    FigureFormat format;
    Error other = {0};
    e->replaces = false;
    error_clear(&e->error);
    if (*file_extension(edit_text(e->name)) &&
        figure_format_find(edit_text(e->name), &format, &other))
        e->format = format;
}

void export_set_format(App *app, FigureFormat format)
{
    Exporting *e = app->exporting;
    const char *name = edit_text(e->name), *ending = file_extension(name);
    FigureFormat old;
    Error none = {0};
    bool known = *ending && figure_format_find(name, &old, &none);
    int kept = (int)(strlen(name) - (known ? strlen(ending) : 0));
    StrBuf text = {0};
    strbuf_addf(&text, "%.*s.%s", kept, name, figure_format_name(format));
    set_name(app, text.text);
    strbuf_free(&text);
    e->format = format;
    e->replaces = false;
    error_clear(&e->error);
}

void export_open(App *app)
{
    Exporting *e = app->exporting;
    const char *what = app->model       ? model_name(app->model)
                       : *app->doc.file ? file_base_name(app->doc.file)
                                        : "run";
    StrBuf name = {0};
    int length = (int)(strlen(what) - (app->model ? 0 : strlen(file_extension(what))));
    Seen seen = seen_now(app);
    strbuf_addf(&name, "%.*s-%s.%s", length, what, seen.name, figure_format_name(e->format));
    seen_release(&seen);
    set_name(app, name.text);
    strbuf_free(&name);
    e->replaces = false;
    error_clear(&e->error);
    ui_open(app->ui, "export.dialog");
}

/* ---- the preview ---- */

/* Everything that the preview depends on. */
static char *describe(const App *app, const Figure *figure, const Seen *seen, Rect area)
{
    StrBuf key = {0};
    strbuf_addf(&key, "%s %llu ", seen->name, (unsigned long long)seen->version);
    strbuf_addf(&key, "%d %s %llu %llu %d %g %g %g %g %g", (int)app->exporting->format,
                figure->view->name, (unsigned long long)trace_id(figure->trace),
                figure->other ? (unsigned long long)trace_id(figure->other) : 0, (int)figure->step,
                (double)figure->camera.zoom, (double)figure->camera.left,
                (double)figure->camera.top, (double)area.w, (double)area.h);
    for (int i = 0; i < TRACE_MAX_RANK; i++)
        strbuf_addf(&key, " %d", (int)figure->at[i]);
    for (int32_t i = 0; i < figure->locks.n; i++)
        strbuf_add_char(&key, figure->locks.at[i] ? '1' : '0');
    settings_to_json(figure->options, &key);
    settings_to_json(figure->settings, &key);
    return strbuf_take(&key);
}

/* Premultiplied 0xAARRGGBB over squares of two greys, as the bytes of an opaque picture. */
static void show_pixels(const uint32_t *pixels, int width, int height, uint8_t *rgba)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++, rgba += 4) {
            uint32_t p = pixels[(size_t)y * (size_t)width + (size_t)x], hidden = 255 - (p >> 24);
            uint32_t square = (x / CHECKER_PX + y / CHECKER_PX) % 2 ? 0xDD : 0xF4;
            uint32_t under = hidden * square / 255;
            rgba[0] = (uint8_t)((p >> 16 & 255) + under);
            rgba[1] = (uint8_t)((p >> 8 & 255) + under);
            rgba[2] = (uint8_t)((p & 255) + under);
            rgba[3] = 255;
        }
}

static bool draw_pixels(App *app, const Canvas *canvas, Color background, Rect area)
{
    Exporting *e = app->exporting;
    float fit = fminf(area.w / canvas_width(canvas), area.h / canvas_height(canvas));
    float scale = fminf(fit * PREVIEW_SCALE, 8);
    e->width = (int)ceilf(canvas_width(canvas) * scale);
    e->height = (int)ceilf(canvas_height(canvas) * scale);
    size_t n = (size_t)e->width * (size_t)e->height;
    uint32_t *pixels = memory_try_new(n, sizeof *pixels);
    e->rgba = memory_try_new(n, 4);
    if (!pixels || !e->rgba) {
        free(pixels);
        return error_set(&e->preview_error, ERROR_MEMORY, "no memory for the preview");
    }
    uint32_t paint = (background & 255) ? 0xFF000000 | background >> 8 : 0;
    for (size_t i = 0; i < n; i++)
        pixels[i] = paint;
    CanvasPixels to = {pixels, e->width, e->height, e->width * 4, scale, false};
    bool ok = canvas_draw_pixels(canvas, app->fonts, &to, &e->preview_error);
    if (ok)
        show_pixels(pixels, e->width, e->height, e->rgba);
    free(pixels);
    return ok;
}

/* What a whole run holds, a tensor a line. */
static void list_tensors(const Trace *trace, StrBuf *out)
{
    for (int32_t i = 0; i < trace_n_tensors(trace) && i < MOST_TENSORS; i++) {
        const TraceTensor *t = trace_tensor(trace, i);
        strbuf_addf(out, "%-24s", t->name);
        for (int32_t k = 0; k < t->rank; k++)
            strbuf_addf(out, "%s%s %d", k ? " × " : " ", trace_axis(trace, t->axis[k])->name,
                        (int)trace_tensor_len(trace, t, k));
        strbuf_add_char(out, '\n');
    }
}

static void make_text(App *app, const Figure *figure)
{
    Exporting *e = app->exporting;
    StrBuf text = {0};
    strbuf_add(&text, "");
    bool is_table = e->format == FIGURE_CSV || e->format == FIGURE_TSV;
    if (!is_table)
        list_tensors(figure->trace, &text);
    else if (!figure_encode(figure, app->fonts, e->format, &text, &e->preview_error))
        strbuf_clear(&text);
    e->text = strbuf_take(&text);
}

static void forget_preview(Exporting *e)
{
    free(e->rgba);
    free(e->text);
    e->rgba = NULL;
    e->text = NULL;
    error_clear(&e->preview_error);
}

static void make_preview(App *app, const Figure *figure, Rect area)
{
    Exporting *e = app->exporting;
    forget_preview(e);
    if (e->format > FIGURE_GIF) {
        make_text(app, figure);
        return;
    }
    Color background;
    Canvas *canvas = figure_preview(figure, app->fonts, e->format, &background, &e->n_pages);
    e->paper_w = canvas_width(canvas);
    e->paper_h = canvas_height(canvas);
    if (!draw_pixels(app, canvas, background, area)) {
        free(e->rgba);
        e->rgba = NULL;
    }
    canvas_free(canvas);
}

/* One line of a table, its columns some way apart. */
static void draw_line(Canvas *canvas, Rect row, const char *line, size_t n, char separator,
                      TextStyle style)
{
    const float column = 94;
    style.max_width = column - 8;
    for (size_t from = 0; from <= n && row.w > 0;) {
        size_t length = 0;
        while (from + length < n && line[from + length] != separator)
            length++;
        Rect cell = rect_cut_left(&row, column);
        canvas_textf(canvas, (Point){cell.x, cell.y + 13}, style, "%.*s", (int)length, line + from);
        from += length + 1;
    }
}

static void draw_lines(App *app, Rect area)
{
    const Exporting *e = app->exporting;
    TextStyle style = theme_number(&app->theme);
    Canvas *canvas = ui_canvas(app->ui);
    canvas_fill(canvas, area, app->theme.radius, app->theme.background);
    Rect rest = rect_pad(area, 12, 10);
    canvas_clip_push(canvas, area);
    bool is_table = e->format == FIGURE_CSV || e->format == FIGURE_TSV;
    char separator = e->format == FIGURE_CSV ? ',' : '\t';
    for (const char *p = e->text; *p && rest.h > 18;) {
        size_t n = strcspn(p, "\r\n");
        Rect row = rect_cut_top(&rest, 18);
        if (is_table)
            draw_line(canvas, row, p, n, separator, style);
        else
            canvas_textf(canvas, (Point){row.x, row.y + 13}, style, "%.*s", (int)n, p);
        p += n;
        p += *p == '\r';
        p += *p == '\n';
    }
    canvas_clip_pop(canvas);
    canvas_tag(canvas, area, TAG_GROUP, "export.preview", figure_format_name(e->format));
}

/* "160 × 106 mm · 1890 × 1252 px" */
static void draw_size(App *app, Rect place)
{
    const Exporting *e = app->exporting;
    const Figure figure = {.settings = e->settings};
    StrBuf text = {0};
    strbuf_addf(&text, "%.0f × %.0f mm", (double)e->paper_w * 25.4 / 96,
                (double)e->paper_h * 25.4 / 96);
    float scale = figure_scale_fit(&figure, e->format, e->paper_w, e->paper_h);
    if (e->format == FIGURE_PNG || e->format == FIGURE_GIF)
        strbuf_addf(&text, " · %.0f × %.0f px", (double)ceilf(e->paper_w * scale),
                    (double)ceilf(e->paper_h * scale));
    if (e->n_pages > 1) {
        strbuf_add(&text, " · ");
        strbuf_addf(&text,
                    ui_word(app->ui, e->format == FIGURE_GIF ? STRING_N_STEPS : STRING_N_PAGES),
                    e->n_pages);
    }
    TextStyle style = theme_caption(&app->theme);
    style.align = ALIGN_MIDDLE;
    canvas_text(ui_canvas(app->ui), (Point){place.x + place.w / 2, place.y + 15}, text.text, style);
    canvas_tag(ui_canvas(app->ui), place, TAG_LABEL, "export.size", text.text);
    strbuf_free(&text);
}

static void draw_picture(App *app, Rect area)
{
    const Exporting *e = app->exporting;
    Canvas *canvas = ui_canvas(app->ui);
    float w = (float)e->width, h = (float)e->height, fit = fminf(area.w / w, area.h / h);
    Rect place = {area.x + (area.w - w * fit) / 2, area.y + (area.h - h * fit) / 2, w * fit,
                  h * fit};
    canvas_image(canvas, place, e->width, e->height, e->rgba, true);
    canvas_frame(canvas, (Rect){place.x - 1, place.y - 1, place.w + 2, place.h + 2}, 0,
                 (Stroke){app->theme.line, 1, 0});
    canvas_tag(canvas, place, TAG_GROUP, "export.preview", figure_format_name(e->format));
}

void export_draw_preview(App *app, Rect area)
{
    Exporting *e = app->exporting;
    Settings *options = figure_options(app);
    Seen seen = seen_now(app);
    Figure figure = figure_now(app, options, &seen);
    Rect size = rect_cut_bottom(&area, 24);
    char *key = describe(app, &figure, &seen, area);
    if (!e->key || strcmp(key, e->key) != 0)
        make_preview(app, &figure, area);
    free(e->key);
    e->key = key;
    settings_free(options);
    seen_release(&seen);
    if (error_is_set(&e->preview_error)) {
        TextStyle style = theme_muted(&app->theme);
        ui_label(app->ui, rect_middle(area, area.w, 24), e->preview_error.message, style);
    } else if (e->rgba) {
        draw_picture(app, area);
        draw_size(app, size);
    } else if (e->text) {
        draw_lines(app, area);
    }
}

/* ---- writing ---- */

typedef struct Writing {
    App *app;
    Figure figure; /* everything in it is owned */
    Seen seen;
    Settings *options, *settings;
    char *session, *path;
    bool *locked; /* of the figure's locks */
    FigureFormat format;
    bool replaces, ok;
    Error error;
} Writing;

/* The worker has fonts of its own: the screen's belong to the screen. */
static void write_figure(void *context, const StopFlag *stop)
{
    (void)stop;
    Writing *w = context;
    Fonts *fonts = fonts_new(&w->error);
    w->ok = fonts && figure_write(&w->figure, fonts, w->format, w->path, w->replaces, &w->error);
    fonts_free(fonts);
}

static void finish_writing(void *context, JobOutcome outcome)
{
    Writing *w = context;
    Exporting *e = w->app->exporting;
    e->is_busy = false;
    if (outcome == JOB_RAN && w->ok) {
        ui_close(w->app->ui, "export.dialog");
        app_say_done(w->app, ui_word(w->app->ui, STRING_SAVED), w->path);
    } else if (outcome == JOB_RAN) {
        e->error = w->error;
    }
    trace_release(w->figure.trace);
    trace_release(w->figure.other);
    seen_release(&w->seen);
    settings_free(w->options);
    settings_free(w->settings);
    free(w->session);
    free(w->locked);
    free(w->path);
    free(w);
}

/* With the format's ending; beside the file that was opened last unless it says where. */
static char *path_of(const App *app)
{
    const Exporting *e = app->exporting;
    const char *name = edit_text(e->name);
    FigureFormat named;
    Error none = {0};
    bool has_ending = *file_extension(name) && figure_format_find(name, &named, &none);
    StrBuf path = {0};
    if (name[0] != '/')
        strbuf_addf(&path, "%s/", app->folder);
    strbuf_addf(&path, "%s%s%s", name, has_ending ? "" : ".",
                has_ending ? "" : figure_format_name(e->format));
    return strbuf_take(&path);
}

/* The person goes on locking and unlocking meanwhile. */
static bool *copy_locks(ViewLocks *locks)
{
    bool *copy = memory_new((size_t)locks->n + 1, sizeof *copy);
    if (locks->n > 0)
        memcpy(copy, locks->at, (size_t)locks->n * sizeof *copy);
    locks->at = copy;
    return copy;
}

/* Everything that the writing needs, so that the person can go on. */
static Writing *prepare(App *app, char *path)
{
    Exporting *e = app->exporting;
    Writing *w = memory_new(1, sizeof *w);
    w->app = app;
    w->options = figure_options(app);
    w->seen = seen_now(app);
    w->figure = figure_now(app, w->options, &w->seen);
    w->settings = settings_copy(e->settings);
    w->figure.settings = w->settings;
    w->figure.trace = trace_retain(w->figure.trace);
    w->figure.other = trace_retain(w->figure.other);
    w->session = app->model ? app_figure_json(app) : NULL;
    w->figure.session = w->session;
    w->locked = copy_locks(&w->figure.locks);
    w->path = path;
    w->format = e->format;
    w->replaces = e->replaces;
    return w;
}

void export_start(App *app)
{
    Exporting *e = app->exporting;
    error_clear(&e->error);
    if (!*edit_text(e->name)) {
        error_set(&e->error, ERROR_INPUT, "%s", ui_word(app->ui, STRING_NAME_IT));
        return;
    }
    char *path = path_of(app);
    if (!e->replaces && file_exists(path)) {
        error_set(&e->error, ERROR_IO, ui_word(app->ui, STRING_EXISTS), path);
        e->replaces = true;
        free(path);
        return;
    }
    e->is_busy = true;
    worker_submit(app->tasks, (Job){prepare(app, path), write_figure, finish_writing});
    if (app->spec.still)
        app_settle(app);
}

bool export_encode_table(App *app, FigureFormat format, StrBuf *out, Error *error)
{
    Settings *options = figure_options(app);
    Seen seen = seen_now(app);
    Figure figure = figure_now(app, options, &seen);
    bool ok = figure_encode(&figure, app->fonts, format, out, error);
    seen_release(&seen);
    settings_free(options);
    return ok;
}

/* ---- life ---- */

Exporting *exporting_new(void)
{
    Exporting *e = memory_new(1, sizeof *e);
    e->settings = settings_new(figure_settings);
    e->format = FIGURE_PNG;
    e->name = edit_new(EDIT_ONE_LINE, 4096);
    return e;
}

void exporting_free(Exporting *e)
{
    if (!e)
        return;
    forget_preview(e);
    free(e->key);
    settings_free(e->settings);
    edit_free(e->name);
    free(e);
}

json_t *exporting_to_json(const Exporting *e)
{
    json_t *settings = json_object();
    for (const Setting *s = figure_settings; s->name; s++)
        json_object_set_new(settings, s->name, json_string(settings_text(e->settings, s->name)));
    json_t *o = json_object();
    json_object_set_new(o, "format", json_string(figure_format_name(e->format)));
    json_object_set_new(o, "colormap", json_string(e->colormap));
    json_object_set_new(o, "settings", settings);
    return o;
}

void exporting_from_json(Exporting *e, const json_t *value)
{
    Error odd = {0};
    const char *format = json_string_value(json_object_get(value, "format"));
    const char *map = json_string_value(json_object_get(value, "colormap"));
    if (format && !figure_format_find(format, &e->format, &odd))
        error_clear(&odd);
    snprintf(e->colormap, sizeof e->colormap, "%s", map ? map : "");
    for (const Setting *s = figure_settings; s->name; s++) {
        const json_t *settings = json_object_get(value, "settings");
        const char *text = json_string_value(json_object_get(settings, s->name));
        if (text && !settings_set(e->settings, s->name, text, &odd))
            error_clear(&odd);
    }
}
