#include "figure/figure_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "canvas/canvas_cairo.h"
#include "views/view_tools.h"
#include "views/views.h"

#define PX_PER_MM    (96 / 25.4f)
#define PX_PER_POINT (96 / 72.0f)

/* ---- paper ---- */

static float millimetres(const Figure *figure, const char *name)
{
    return (float)settings_real(figure->settings, name) * PX_PER_MM;
}

/* All measures follow the type, so that the drawing is the same at every size. */
static Theme scaled_theme(const Figure *figure)
{
    Theme theme =
        theme_make(settings_choice(figure->settings, "theme") == 1 ? THEME_DARK : THEME_LIGHT);
    float scale = (float)settings_real(figure->settings, "font") * PX_PER_POINT / theme.input_size;
    theme.text_size *= scale;
    theme.input_size *= scale;
    theme.caption_size *= scale;
    theme.row *= scale;
    theme.line_height *= scale;
    theme.radius *= scale;
    return theme;
}

void figure_paper_init(FigurePaper *paper, const Figure *figure, Fonts *fonts)
{
    *paper = (FigurePaper){.figure = figure, .theme = scaled_theme(figure)};
    int background = settings_choice(figure->settings, "background");
    const char *title = settings_text(figure->settings, "title");
    if (background != 1)
        paper->theme.background = paper->theme.panel;
    paper->background = background == 2 ? 0 : paper->theme.background;
    paper->width = millimetres(figure, "width");
    paper->cache = view_cache_new();
    paper->frame = (ViewFrame){
        .trace = figure->trace,
        .other = figure->other,
        .step = figure->step,
        .selected = figure->selected,
        .locks = figure->locks,
        .options = figure->options,
        .theme = &paper->theme,
        .fonts = fonts,
        .cache = paper->cache,
        .language = settings_choice(figure->settings, "language"),
        .is_figure = true,
        .title = strcmp(title, "auto") == 0   ? NULL
                 : strcmp(title, "none") == 0 ? ""
                                              : title,
    };
    memcpy(paper->frame.at, figure->at, sizeof figure->at);
}

void figure_paper_deinit(FigurePaper *paper)
{
    view_cache_free(paper->cache);
}

/* ---- caption ---- */

void figure_caption(const Figure *figure, const ViewFrame *frame, StrBuf *out)
{
    const Trace *trace = figure->trace;
    const char *input = trace_text(trace, "input"), *output = trace_text(trace, "output");
    const char *model = view_attribute(trace, "model");
    strbuf_add(out, model); /* perhaps "": the sentence is never NULL */
    const char *dot = out->length ? " \u00b7 " : "";
    if (input && strlen(input) < 400)
        strbuf_addf(out, "%s\u201c%s\u201d", dot, input);
    if (output && strlen(output) < 400)
        strbuf_addf(out, " \u2192 \u201c%s\u201d", output);
    int32_t n = trace_n_steps(trace);
    if (frame->step < 0 || frame->step >= n)
        return;
    strbuf_add(out, " \u00b7 ");
    strbuf_addf(out, view_word(frame, WORD_STEP_OF), (int)frame->step + 1, (int)n);
}

/* Below the figure, from the left edge of its heading if it is short enough for that. */
static float draw_caption(FigurePaper *paper, Canvas *canvas, float y)
{
    if (!settings_bool(paper->figure->settings, "caption"))
        return 0;
    StrBuf text = {0};
    figure_caption(paper->figure, &paper->frame, &text);
    float u = view_unit(&paper->frame), margin = 10 * u;
    TextStyle style = theme_muted(&paper->theme);
    Rect place = {margin, y, paper->width - 2 * margin, 0}, heading;
    if (canvas && canvas_find_tag(canvas, "heading", &heading)) {
        float room = paper->width - margin - fonts_width(paper->frame.fonts, text.text, &style);
        place.x = fmaxf(margin, fminf(heading.x, room));
        place.w = paper->width - margin - place.x;
    }
    float height = view_draw_wrapped(&paper->frame, canvas, place, text.text, style);
    strbuf_free(&text);
    return height + margin;
}

static float caption_height(FigurePaper *paper)
{
    return draw_caption(paper, NULL, 0);
}

/* ---- one view, or what is drawn in its place ---- */

static float height_of(const Figure *figure, const ViewFrame *frame, float width)
{
    const FigureDrawing *drawing = figure->drawing;
    return drawing ? drawing->wanted_height(drawing->context, frame, width)
                   : figure->view->wanted_height(frame, width);
}

static void draw_content(const Figure *figure, const ViewFrame *frame, Canvas *canvas)
{
    const FigureDrawing *drawing = figure->drawing;
    if (drawing)
        drawing->draw(drawing->context, frame, canvas);
    else
        figure->view->draw(frame, canvas);
}

/* What scrolls; nothing in a drawing. */
static ViewPort port_of(const Figure *figure, const ViewFrame *frame)
{
    bool scrolls = !figure->drawing && figure->view->port;
    return scrolls ? figure->view->port(frame) : (ViewPort){0};
}

static float wanted_height(FigurePaper *paper, float width)
{
    float height = millimetres(paper->figure, "height");
    if (height > 0)
        return fmaxf(height - caption_height(paper), 1);
    height = height_of(paper->figure, &paper->frame, width);
    return fminf(fmaxf(ceilf(height), 1), CANVAS_MAX_COORDINATE);
}

/* The figure's camera for a place of another size than the screen's. */
static void aim(FigurePaper *paper, ViewFrame *frame)
{
    const FigureCamera *camera = &paper->figure->camera;
    frame->camera = (ViewCamera){0};
    if (!(camera->zoom > 1))
        return;
    ViewPort port = port_of(paper->figure, frame);
    frame->camera =
        (ViewCamera){camera->zoom, camera->left * port.width, camera->top * port.height};
}

static void draw_view(FigurePaper *paper, Canvas *canvas, Rect area, int32_t step)
{
    ViewFrame frame = paper->frame;
    frame.area = area;
    frame.step = step;
    aim(paper, &frame);
    draw_content(paper->figure, &frame, canvas);
}

/* ---- all steps side by side ---- */

typedef struct Strip {
    int cols, rows;
    float w, h;
} Strip;

static Strip plan_strip(FigurePaper *paper, int n)
{
    float u = view_unit(&paper->frame);
    float each = paper->figure->view == &view_image ? 130 : 330; /* a picture, or a whole view */
    int cols = settings_int(paper->figure->settings, "columns");
    if (cols == 0)
        cols = (int)fmaxf(1, floorf(paper->width / (each * u)));
    cols = cols < n ? cols : n;
    Strip strip = {cols, (n + cols - 1) / cols, paper->width / (float)cols, 0};
    for (int i = 0; i < n; i++) {
        ViewFrame frame = paper->frame;
        frame.step = i;
        strip.h = fmaxf(strip.h, height_of(paper->figure, &frame, strip.w));
    }
    float height = millimetres(paper->figure, "height");
    if (height > 0)
        strip.h = height / (float)strip.rows;
    return strip;
}

static Canvas *draw_strip(FigurePaper *paper, int n)
{
    paper->frame.is_in_strip = true;
    Strip strip = plan_strip(paper, n);
    float height = strip.h * (float)strip.rows, caption = caption_height(paper);
    Canvas *canvas = canvas_new(paper->width, fminf(height + caption, CANVAS_MAX_COORDINATE));
    for (int i = 0; i < n; i++)
        draw_view(paper, canvas,
                  (Rect){strip.w * (float)(i % strip.cols), strip.h * (float)(i / strip.cols),
                         strip.w, strip.h},
                  i);
    draw_caption(paper, canvas, height);
    return canvas;
}

Canvas *figure_draw_page(FigurePaper *paper)
{
    int32_t n = paper->figure->drawing ? 0 : trace_n_steps(paper->figure->trace);
    if (settings_choice(paper->figure->settings, "steps") == 1 && n > 0)
        return draw_strip(paper, n < 256 ? (int)n : 256);
    float height = wanted_height(paper, paper->width), caption = caption_height(paper);
    Canvas *canvas = canvas_new(paper->width, fminf(height + caption, CANVAS_MAX_COORDINATE));
    draw_view(paper, canvas, (Rect){0, 0, paper->width, height}, paper->frame.step);
    draw_caption(paper, canvas, height);
    return canvas;
}

/* ---- pages ---- */

static void add_page(FigurePages *pages, Canvas *canvas)
{
    pages->at = memory_resize(pages->at, (size_t)pages->n + 1, sizeof *pages->at);
    pages->at[pages->n++] = canvas;
}

void figure_pages_free(FigurePages *pages)
{
    for (int i = 0; i < pages->n; i++)
        canvas_free(pages->at[i]);
    free(pages->at);
    *pages = (FigurePages){0};
}

/* The content from `top` on, as far as a page of this height goes; returns where it ends. */
static float draw_part(FigurePaper *paper, FigurePages *pages, float height, float top)
{
    const View *view = paper->figure->view;
    ViewFrame frame = paper->frame;
    frame.area = (Rect){0, 0, paper->width, height};
    ViewPort port = view->port(&frame);
    float end = fminf(top + port.place.h, port.height);
    if (view->cut && end < port.height) {
        float cut = view->cut(&frame, end);
        end = cut > top ? cut : end;
    }
    frame.area.h = height - port.place.h + (end - top);
    frame.camera = (ViewCamera){1, 0, top};
    Canvas *canvas = canvas_new(paper->width, height);
    view->draw(&frame, canvas);
    add_page(pages, canvas);
    return end;
}

FigurePages figure_draw_pages(FigurePaper *paper)
{
    FigurePages pages = {0};
    float page = millimetres(paper->figure, "page");
    ViewFrame frame = paper->frame;
    frame.area = (Rect){0, 0, paper->width, page};
    ViewPort port = {0};
    bool strip = settings_choice(paper->figure->settings, "steps") == 1;
    if (page > 0 && !strip && wanted_height(paper, paper->width) > page && paper->figure->view->cut)
        port = port_of(paper->figure, &frame);
    /* Only what scrolls by lines can be cut into pages. */
    bool scrolls = port.max_zoom == 1 && port.place.h > 20 && port.height > port.place.h + 1;
    if (!scrolls) {
        add_page(&pages, figure_draw_page(paper));
        return pages;
    }
    for (float top = 0; top < port.height - 1 && pages.n < FIGURE_MAX_PAGES;)
        top = draw_part(paper, &pages, page, top);
    return pages;
}

/* ---- animation ---- */

/* What moves: the steps, or the checkpoints of a training. */
static int32_t count_frames(const Figure *figure, bool *over_checkpoints)
{
    *over_checkpoints = false;
    if (figure->drawing)
        return 1;
    int32_t axis = trace_find_axis(figure->trace, "checkpoint");
    *over_checkpoints = strcmp(figure->view->name, "training") == 0 && axis >= 0;
    int32_t n =
        *over_checkpoints ? trace_axis(figure->trace, axis)->len : trace_n_steps(figure->trace);
    return n > 0 ? n : 1;
}

int figure_count_frames(const Figure *figure)
{
    bool over_checkpoints;
    return (int)count_frames(figure, &over_checkpoints);
}

bool figure_draw_steps(FigurePaper *paper, FigurePages *pages, Error *error)
{
    *pages = (FigurePages){0};
    bool over_checkpoints;
    int32_t n = count_frames(paper->figure, &over_checkpoints);
    if (n > CANVAS_MAX_FRAMES)
        return error_set(error, ERROR_LIMIT, "an animation of %d steps; at most %d can be written",
                         (int)n, CANVAS_MAX_FRAMES);
    float height = 0;
    for (int pass = 0; pass < 2; pass++) /* first how high, then the drawing */
        for (int32_t i = 0; i < n; i++) {
            if (over_checkpoints)
                paper->frame.at[0] = i;
            else
                paper->frame.step =
                    trace_n_steps(paper->figure->trace) > 0 ? i : paper->figure->step;
            if (pass == 0) {
                height = fmaxf(height, wanted_height(paper, paper->width));
                continue;
            }
            float caption = caption_height(paper);
            Canvas *canvas = canvas_new(paper->width, height + caption);
            draw_view(paper, canvas, (Rect){0, 0, paper->width, height}, paper->frame.step);
            draw_caption(paper, canvas, height);
            add_page(pages, canvas);
        }
    return true;
}
