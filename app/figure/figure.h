/* figure.h - what is on the screen, as a file that a paper or a lecture can print.
 *
 * A Figure is a view of a trace with settings of its own: width in millimetres, type in
 * points, resolution, theme, background, caption. The same view code draws it, so a figure
 * cannot differ from the screen but in what its settings say. Pictures are PNG, SVG and PDF
 * with real text, HTML pages that stand alone, and GIF for the steps; numbers are CSV and TSV (what
 * the view shows) and NPZ, safetensors and JSON (the whole run).
 *
 * A picture carries how it was made (figure_origin.h), so that it opens again as the run that
 * drew it. Files are written atomically; one that exists is replaced only if told so.
 *
 * Threads: a call uses what it is given and nothing else; the Fonts belong to one thread.
 */
#ifndef FOVEA_FIGURE_FIGURE_H
#define FOVEA_FIGURE_FIGURE_H
#include "format/table.h"
#include "views/view.h"

#define FIGURE_FORMATS(X)                                                                          \
    X(PNG, "png", "picture of pixels")                                                             \
    X(SVG, "svg", "picture for the web and for editing")                                           \
    X(PDF, "pdf", "picture for print, long documents in pages")                                    \
    X(HTML, "html", "page for a browser, its text still text")                                     \
    X(GIF, "gif", "animation of the steps")                                                        \
    X(CSV, "csv", "the numbers shown, separated by commas")                                        \
    X(TSV, "tsv", "the numbers shown, separated by tabs")                                          \
    X(NPZ, "npz", "the whole run for numpy")                                                       \
    X(SAFETENSORS, "safetensors", "the whole run, for large ones")                                 \
    X(JSON, "json", "the whole run, to open again")

typedef enum {
#define FIGURE_FORMAT(id, name, about) FIGURE_##id,
    FIGURE_FORMATS(FIGURE_FORMAT)
#undef FIGURE_FORMAT
        FIGURE_FORMAT_COUNT
} FigureFormat;

const char *figure_format_name(FigureFormat format);  /* "png" */
const char *figure_format_about(FigureFormat format); /* a line for people */
/* By name ("png") or by the ending of a path ("a/b.png"), in letters of either case. */
bool figure_format_find(const char *text, FigureFormat *format, Error *error) FOVEA_MUST_USE;

/* width, height, font, dpi, theme, background, title, caption, steps, columns, delay, page,
 * language, origin. */
extern const Setting figure_settings[];

/* What is zoomed into, as parts of the content; zoom 0 or 1: all of it. */
typedef struct FigureCamera {
    float zoom, left, top;
} FigureCamera;

/* A picture of several runs, or of none: drawn where the view would be. It has one step. The
 * run of the figure is the one that its file opens again. */
typedef struct FigureDrawing {
    void (*draw)(const void *context, const ViewFrame *frame, Canvas *canvas);
    float (*wanted_height)(const void *context, const ViewFrame *frame, float width);
    void (*write)(const void *context, const ViewFrame *frame, Table *table); /* its numbers */
    const void *context;                                                      /* borrowed */
} FigureDrawing;

typedef struct Figure {
    const Trace *trace;
    const Trace *other; /* Compare; else NULL */
    const View *view;
    const FigureDrawing *drawing; /* instead of the view; NULL: the view draws */
    const Settings *options;      /* of the view       */
    const Settings *settings;     /* figure_settings   */
    int32_t step;
    int32_t at[TRACE_MAX_RANK];
    FigureCamera camera;
    ViewHit selected;
    ViewLocks locks;
    const char *session; /* what runs it again, as one JSON object (document.h); NULL: nothing */
} Figure;

/* The figure of what a frame shows; `settings` as above. Borrows everything. */
Figure figure_of_frame(const ViewFrame *frame, const View *view, const Settings *settings);

/* The picture itself, all of it on one canvas; the caller frees. */
Canvas *figure_canvas(const Figure *figure, Fonts *fonts);

/* What a file of this format shows first: a PDF's first page. `background` (alpha 0:
 * transparent) is to be painted below it, *n_pages are the pages of a PDF, the frames of a GIF,
 * else 1. */
Canvas *figure_preview(const Figure *figure, Fonts *fonts, FigureFormat format, Color *background,
                       int *n_pages);

/* Device pixels per logical one of a picture made of pixels. */
float figure_scale(const Figure *figure, FigureFormat format);
/* The same for a picture of this size: less where nobody chose a resolution and the picture would
 * be larger than any can be. */
float figure_scale_fit(const Figure *figure, FigureFormat format, float width, float height);

/* The whole file in memory. NPZ and safetensors cannot: they are written to a path only. */
bool figure_encode(const Figure *figure, Fonts *fonts, FigureFormat format, StrBuf *out,
                   Error *error) FOVEA_MUST_USE;

/* ERROR_IO when the file exists and `replace` is false. */
bool figure_write(const Figure *figure, Fonts *fonts, FigureFormat format, const char *path,
                  bool replace, Error *error) FOVEA_MUST_USE;

#endif
