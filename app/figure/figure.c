#include "figure/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "canvas/canvas_cairo.h"
#include "canvas/canvas_svg.h"
#include "figure/figure_origin.h"
#include "figure/figure_page.h"
#include "format/export.h"

const Setting figure_settings[] = {
    {"width", SETTING_REAL, "160", 20, 2000, NULL, "millimetres"},
    {"height", SETTING_REAL, "0", 0, 5000, NULL, "millimetres; 0: what the view needs"},
    {"font", SETTING_REAL, "8", 3, 96, NULL, "points, of the words"},
    {"dpi", SETTING_REAL, "0", 0, 2400, NULL, "of pixels; 0: 300, animations 120"},
    {"theme", SETTING_CHOICE, "light", 0, 0, "light|dark", "whatever the screen's is"},
    {"background", SETTING_CHOICE, "plain", 0, 0, "plain|screen|transparent",
     "white or the dark panel, the window's colour, or nothing"},
    {"title", SETTING_TEXT, "auto", 0, 0, NULL,
     "above the figure; auto: the view's own, none: none"},
    {"caption", SETTING_BOOL, "no", 0, 0, NULL, "a line below with model, input and step"},
    {"steps", SETTING_CHOICE, "one", 0, 0, "one|strip", "the current step, or all side by side"},
    {"columns", SETTING_INT, "0", 0, 64, NULL, "of the strip; 0: as many as are readable"},
    {"delay", SETTING_INT, "700", 20, 60000, NULL, "milliseconds a step of an animation"},
    {"page", SETTING_REAL, "240", 0, 2000, NULL,
     "millimetres a PDF page is high at most; a longer text goes on on the next; 0: one page"},
    {"language", SETTING_CHOICE, "english", 0, 0, "english|chinese", "of titles and legends"},
    {"origin", SETTING_BOOL, "yes", 0, 0, NULL, "put the run into the picture, to open it again"},
    {0},
};

static const char *const format_names[] = {
#define FIGURE_FORMAT(id, name, about) name,
    FIGURE_FORMATS(FIGURE_FORMAT)
#undef FIGURE_FORMAT
};

const char *figure_format_name(FigureFormat format)
{
    return format_names[format];
}

const char *figure_format_about(FigureFormat format)
{
    static const char *const about[] = {
#define FIGURE_FORMAT(id, name, text) text,
        FIGURE_FORMATS(FIGURE_FORMAT)
#undef FIGURE_FORMAT
    };
    return about[format];
}

bool figure_format_find(const char *text, FigureFormat *format, Error *error)
{
    const char *ending = file_extension(text);
    const char *name = ending[0] == '.' ? ending + 1 : text;
    for (int i = 0; i < FIGURE_FORMAT_COUNT; i++)
        if (strcasecmp(name, format_names[i]) == 0) {
            *format = (FigureFormat)i;
            return true;
        }
    StrBuf list = {0};
    for (int i = 0; i < FIGURE_FORMAT_COUNT; i++)
        strbuf_addf(&list, "%s%s", i ? ", " : "", format_names[i]);
    error_set(error, ERROR_INPUT, "\"%s\" does not say which kind of file: expected %s", text,
              list.text);
    strbuf_free(&list);
    return false;
}

Figure figure_of_frame(const ViewFrame *frame, const View *view, const Settings *settings)
{
    Figure figure = {
        .trace = frame->trace,
        .other = frame->other,
        .view = view,
        .options = frame->options,
        .settings = settings,
        .step = frame->step,
        .selected = frame->selected,
        .locks = frame->locks,
    };
    memcpy(figure.at, frame->at, sizeof figure.at);
    ViewPort port = view->port ? view->port(frame) : (ViewPort){0};
    if (port.width > 0 && port.height > 0 && port.max_zoom > 1) {
        ViewCamera camera = view_camera(&port, frame->camera);
        figure.camera = (FigureCamera){camera.zoom, camera.x / port.width, camera.y / port.height};
    }
    return figure;
}

Canvas *figure_canvas(const Figure *figure, Fonts *fonts)
{
    FigurePaper paper;
    figure_paper_init(&paper, figure, fonts);
    Canvas *canvas = figure_draw_page(&paper);
    figure_paper_deinit(&paper);
    return canvas;
}

Canvas *figure_preview(const Figure *figure, Fonts *fonts, FigureFormat format, Color *background,
                       int *n_pages)
{
    FigurePaper paper;
    figure_paper_init(&paper, figure, fonts);
    Canvas *canvas = NULL;
    *background = format == FIGURE_GIF ? paper.background | 255 : paper.background;
    *n_pages = format == FIGURE_GIF ? figure_count_frames(figure) : 1;
    if (format == FIGURE_PDF) {
        FigurePages pages = figure_draw_pages(&paper);
        *n_pages = pages.n;
        canvas = pages.at[0];
        pages.at[0] = NULL;
        figure_pages_free(&pages);
    } else {
        canvas = figure_draw_page(&paper);
    }
    figure_paper_deinit(&paper);
    return canvas;
}

/* ---- encoding ---- */

typedef struct Encoding {
    FigurePaper paper;
    Fonts *fonts;
    StrBuf note, title; /* the run, if it goes along; the caption's sentence */
    StrBuf *out;
    Error *error;
} Encoding;

static CanvasNotes notes_of(const Encoding *e, CanvasNote *note)
{
    *note = (CanvasNote){FIGURE_ORIGIN_KEY, e->note.text};
    return (CanvasNotes){note, e->note.text ? 1 : 0};
}

float figure_scale(const Figure *figure, FigureFormat format)
{
    double dpi = settings_real(figure->settings, "dpi");
    return (float)((dpi > 0 ? dpi : format == FIGURE_GIF ? 120 : 300) / 96);
}

float figure_scale_fit(const Figure *figure, FigureFormat format, float width, float height)
{
    float scale = figure_scale(figure, format);
    if (settings_real(figure->settings, "dpi") > 0)
        return scale;
    return fminf(scale, (CANVAS_MAX_SIDE_PX - 1) / fmaxf(fmaxf(width, height), 1));
}

static bool encode_png(Encoding *e)
{
    CanvasNote note;
    Canvas *canvas = figure_draw_page(&e->paper);
    PngOptions options = {
        figure_scale_fit(e->paper.figure, FIGURE_PNG, canvas_width(canvas), canvas_height(canvas)),
        e->paper.background, notes_of(e, &note)};
    bool ok = canvas_encode_png(canvas, e->fonts, &options, e->out, e->error);
    canvas_free(canvas);
    return ok;
}

static bool encode_svg(Encoding *e)
{
    CanvasNote note;
    Canvas *canvas = figure_draw_page(&e->paper);
    SvgOptions options = {e->paper.background, e->title.text, notes_of(e, &note)};
    bool ok = canvas_encode_svg(canvas, e->fonts, &options, e->out, e->error);
    canvas_free(canvas);
    return ok;
}

static bool encode_pdf(Encoding *e)
{
    FigurePages pages = figure_draw_pages(&e->paper);
    PdfOptions options = {
        .title = e->title.text, .keywords = e->note.text, .background = e->paper.background};
    bool ok = canvas_encode_pdf((const Canvas *const *)pages.at, pages.n, e->fonts, &options,
                                e->out, e->error);
    figure_pages_free(&pages);
    return ok;
}

static bool encode_gif(Encoding *e)
{
    FigurePages pages;
    const Figure *figure = e->paper.figure;
    if (!figure_draw_steps(&e->paper, &pages, e->error))
        return false;
    int *delays = memory_new((size_t)pages.n, sizeof *delays);
    for (int i = 0; i < pages.n; i++)
        delays[i] = settings_int(figure->settings, "delay") * (i == pages.n - 1 ? 3 : 1);
    GifOptions options = {
        .scale = figure_scale_fit(figure, FIGURE_GIF, canvas_width(pages.at[0]),
                                  canvas_height(pages.at[0])),
        .background = e->paper.background | 255, /* a GIF has no soft edges: it must be opaque */
        .comment = e->note.text,
    };
    bool ok = canvas_encode_gif((const Canvas *const *)pages.at, delays, pages.n, e->fonts,
                                &options, e->out, e->error);
    free(delays);
    figure_pages_free(&pages);
    return ok;
}

static bool encode(Encoding *e, FigureFormat format)
{
    switch (format) {
    case FIGURE_PNG: return encode_png(e);
    case FIGURE_SVG: return encode_svg(e);
    case FIGURE_PDF: return encode_pdf(e);
    case FIGURE_HTML:
        return figure_write_html(&e->paper, e->title.text, e->note.text, e->out, e->error);
    case FIGURE_GIF: return encode_gif(e);
    case FIGURE_CSV: return figure_write_table(&e->paper, ',', e->out, e->error);
    case FIGURE_TSV: return figure_write_table(&e->paper, '\t', e->out, e->error);
    case FIGURE_JSON: return figure_origin_write_trace(e->paper.figure, e->out, e->error);
    default: break;
    }
    return error_set(e->error, ERROR_UNSUPPORTED, "%s is written to a file only",
                     figure_format_name(format));
}

bool figure_encode(const Figure *figure, Fonts *fonts, FigureFormat format, StrBuf *out,
                   Error *error)
{
    Encoding e = {.fonts = fonts, .out = out, .error = error};
    bool carries_run = format <= FIGURE_GIF && settings_bool(figure->settings, "origin");
    figure_paper_init(&e.paper, figure, fonts);
    figure_caption(figure, &e.paper.frame, &e.title);
    bool ok = (!carries_run || figure_origin_write(figure, &e.note, error)) && encode(&e, format);
    figure_paper_deinit(&e.paper);
    strbuf_free(&e.note);
    strbuf_free(&e.title);
    return ok;
}

bool figure_write(const Figure *figure, Fonts *fonts, FigureFormat format, const char *path,
                  bool replace, Error *error)
{
    if (!replace && file_exists(path))
        return error_set(error, ERROR_IO, "%s exists already and was left as it is", path);
    if (format == FIGURE_NPZ)
        return export_trace_npz(figure->trace, path, error);
    if (format == FIGURE_SAFETENSORS)
        return export_trace_safetensors(figure->trace, path, error);
    StrBuf out = {0};
    bool ok = figure_encode(figure, fonts, format, &out, error) &&
              file_write(path, out.text ? out.text : "", out.length, error);
    strbuf_free(&out);
    return ok;
}
