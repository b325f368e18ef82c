/* view.h - a view: from a trace and what the person has selected to canvas calls, and from a
 * pointer position back to what is there.
 *
 * A view knows no model, no SDL, no window. The screen and every exported figure call the
 * same `draw`. What it can be told is a table of settings, so the option controls of the
 * side panel, `--set key=value` of the export command and a saved session all come from it.
 * README.md says what a trace must hold to be drawn.
 *
 * Invariants:
 *   1. draw is a pure function of the frame: equal frames, equal recordings. The cache
 *      changes how long it takes, never what is drawn.
 *   2. Rows after the current step are drawn as ghosts: the figure never jumps while it is
 *      stepped through.
 *   3. Everything that `hit` can return is visible where it says.
 *   4. All measures follow the theme's text size, so a figure with 7 pt labels is the same
 *      drawing, smaller.
 *
 * Threads: a view has no state of its own; a frame and its cache belong to one thread.
 */
#ifndef FOVEA_VIEWS_VIEW_H
#define FOVEA_VIEWS_VIEW_H
#include "base/settings.h"
#include "canvas/canvas.h"
#include "canvas/fonts.h"
#include "trace/trace.h"
#include "ui/theme.h"
#include "views/view_cache.h"

/* Where the person is looking; belongs to the window, saved in a session. Zero-initialised
 * is "everything". */
typedef struct ViewCamera {
    float zoom; /* 1 (or 0): everything fits  */
    float x, y; /* of the visible part, in content pixels at zoom 1 */
} ViewCamera;

typedef enum {
    HIT_NOTHING,
    HIT_CELL,      /* row, col: items of the tensor's last two axes    */
    HIT_ROW,       /* a row label: an output token, a head token        */
    HIT_COL,       /* a column label: a source token                    */
    HIT_ITEM,      /* item `row` of axis `axis` (words, sentences)      */
    HIT_HEAD,      /* layer `row`, head `col`; -1: there is no such axis, or all of them */
    HIT_STEP,      /* step `row` of a chart                             */
    HIT_CANDIDATE, /* candidate `col` of step `row`                     */
    HIT_WINDOW,    /* a local window: its centre (col 0) or edge (1)    */
    HIT_POINT,     /* a place x, y in the image, as parts of it, 0..1   */
    HIT_SCROLL,    /* a minimap: y is the part of the whole, 0..1       */
    HIT_NODE,      /* beam node `row`                                   */
} HitKind;

#define VIEW_HIT_LINES 6
#define VIEW_HIT_BYTES 160

typedef struct ViewHit {
    HitKind kind;
    int32_t axis;     /* of HIT_ITEM, HIT_ROW, HIT_COL           */
    int32_t row, col; /* items of the trace, not of merged words */
    float x, y;
    Rect place;  /* what to outline                          */
    int n_lines; /* the tooltip: first line bold             */
    char lines[VIEW_HIT_LINES][VIEW_HIT_BYTES];
} ViewHit;

/* Weights of one row that painting leaves alone; zero-initialised: none. */
typedef struct ViewLocks {
    int32_t row, n;
    const bool *at; /* [n] by item of the columns */
} ViewLocks;

typedef struct ViewFrame {
    const Trace *trace;
    const Trace *other;         /* Compare only; else NULL                              */
    int32_t step;               /* current step, 0-based; -1: before the first; n: done */
    int32_t at[TRACE_MAX_RANK]; /* chosen layer, head, feature, glimpse ...; GRID_ALL   */
    Rect area;                  /* to fill                                              */
    ViewCamera camera;
    ViewHit hover;           /* what the pointer is on; HIT_NOTHING                  */
    ViewHit selected;        /* what was clicked                                     */
    ViewLocks locks;         /* in the heatmap                                   */
    const Settings *options; /* of this view's table                             */
    const Theme *theme;
    Fonts *fonts;
    ViewCache *cache;  /* what was worked out before                           */
    int language;      /* of titles and legends: 0 English, 1 Chinese          */
    bool is_figure;    /* export: no hover, no chrome                          */
    bool is_in_strip;  /* one of all steps side by side: what is the same in all may be left out */
    const char *title; /* instead of the view's own heading; "": none; NULL: its own */
    /* clock_seconds() from which on a view that has something to show leaves the rest for the
     * next frame (view_cache_ask_again); 0: everything is worked out now. */
    double until;
    const char *label; /* instead of the heading's first line only; NULL */
} ViewFrame;

/* What the camera moves over: a place on the canvas and how large its content is at zoom 1.
 * An empty place: the view stands still. */
typedef struct ViewPort {
    Rect place;
    float width, height;
    float max_zoom; /* 1: it only scrolls */
} ViewPort;

typedef struct View {
    const char *name;  /* "heatmap": also --view NAME      */
    const char *title; /* "Heatmap"                        */
    const Setting *options;
    /* Does the trace hold what this view draws? */
    bool (*offers)(const Trace *trace);
    void (*draw)(const ViewFrame *frame, Canvas *canvas);
    /* What is under (x, y) of the canvas; fills the tooltip. */
    ViewHit (*hit)(const ViewFrame *frame, float x, float y);
    /* Size at which everything is readable, for figures and scrolling; w is given. */
    float (*wanted_height)(const ViewFrame *frame, float width);
    ViewPort (*port)(const ViewFrame *frame); /* NULL: stands still */
    /* The last place at or above y of the scrolled content where a page may end without
     * cutting through a line; NULL: anywhere. */
    float (*cut)(const ViewFrame *frame, float y);
} View;

const View *view_at(int i); /* NULL past the end */
const View *view_find(const char *name);
/* The view to open a trace with: the first that offers, in an order that depends on the
 * trace's task. */
const View *view_first(const Trace *trace);

/* ---- the camera; results are held inside the content ---- */

/* The camera in force: zoom at least 1, nothing outside the content. */
ViewCamera view_camera(const ViewPort *port, ViewCamera camera);
/* Zoomed by `factor` around (x, y) of the canvas, which stays where it is. */
ViewCamera view_zoom(const View *view, const ViewFrame *frame, float x, float y, float factor);
/* Moved by canvas pixels: the content follows the pointer. */
ViewCamera view_pan(const View *view, const ViewFrame *frame, float dx, float dy);
/* So that what lies in `box` of the canvas fills the view. */
ViewCamera view_zoom_to(const View *view, const ViewFrame *frame, Rect box);

#endif
