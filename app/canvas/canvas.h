/* canvas.h - drawing as data. Views record; a back end replays.
 *
 * A view never meets SDL or cairo. It appends commands to a Canvas; the same list is then
 * replayed on the window (canvas_sdl), into PNG, PDF or GIF (canvas_cairo), as SVG
 * (canvas_svg) or as text that a test compares (canvas_text). What is seen and what is
 * exported cannot drift apart.
 *
 * Units: logical pixels of 1/96 inch, y down, origin top left; a back end alone knows the
 * device's scale. Colours: straight-alpha sRGB, 0xRRGGBBAA. Text is placed by its baseline
 * and an anchor; widths for layout come from fonts.h, whichever back end draws.
 *
 * Invariants:
 *   1. Commands and everything they point to are copied: nothing handed in must outlive
 *      the call. (Pixels of canvas_cells and canvas_image too.)
 *   2. Clips nest and only shrink. Every push has its pop when a replay begins.
 *   3. Two recordings with equal canvas_hash draw the same picture.
 *
 * Memory: grows with the recording; canvas_clear keeps it, so a warm frame allocates
 * nothing. Threads: a canvas belongs to one thread while recording; afterwards any thread
 * may replay it.
 */
#ifndef FOVEA_CANVAS_CANVAS_H
#define FOVEA_CANVAS_CANVAS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct Canvas Canvas;

typedef struct Rect {
    float x, y, w, h;
} Rect;

typedef struct Point {
    float x, y;
} Point;

typedef uint32_t Color; /* 0xRRGGBBAA */

typedef enum {
    FACE_UI,    /* Inter: the interface and the person's own text */
    FACE_MONO,  /* JetBrains Mono: numbers                        */
    FACE_SERIF, /* formulas                                       */
} Face;

typedef enum { ALIGN_START, ALIGN_MIDDLE, ALIGN_END } Align;

typedef struct TextStyle {
    Face face;
    float size; /* pixels per em */
    Color color;
    Align align; /* which end of the text stands at the point: START is its left      */
    float turn;  /* degrees, clockwise around the point                               */
    bool bold;
    bool italic;
    float max_width; /* cut with an ellipsis beyond this; 0: no limit                     */
} TextStyle;

typedef struct Stroke {
    Color color;
    float width;
    float dash; /* length of dashes and gaps; 0: solid */
} Stroke;

Canvas *canvas_new(float width, float height);
void canvas_clear(Canvas *canvas, float width, float height);
void canvas_free(Canvas *canvas);
float canvas_width(const Canvas *canvas);
float canvas_height(const Canvas *canvas);

void canvas_clip_push(Canvas *canvas, Rect rect);
void canvas_clip_pop(Canvas *canvas);

void canvas_fill(Canvas *canvas, Rect rect, float radius, Color color);
void canvas_frame(Canvas *canvas, Rect rect, float radius, Stroke stroke); /* line inside rect */
void canvas_line(Canvas *canvas, Point a, Point b, Stroke stroke);
/* n >= 2 points: a polyline, or with `cubic` a chain of Bezier curves (n = 3 k + 1). */
void canvas_path(Canvas *canvas, const Point *points, int n, bool cubic, Stroke stroke);
void canvas_polygon(Canvas *canvas, const Point *points, int n, Color color); /* filled */
void canvas_circle(Canvas *canvas, Point centre, float radius, Color fill, Stroke stroke);

void canvas_text(Canvas *canvas, Point baseline, const char *utf8, TextStyle style);
void canvas_textf(Canvas *canvas, Point baseline, TextStyle style, const char *fmt, ...)
    FOVEA_PRINTF(4, 5);

/* A heatmap: rows x cols equal cells that fill rect, never smoothed. One command rather
 * than many rectangles: a window uploads it as one texture, a vector page writes exact
 * cells. */
void canvas_cells(Canvas *canvas, Rect rect, int rows, int cols, const Color *cells);

/* A picture of width x height RGBA bytes, scaled to rect. */
void canvas_image(Canvas *canvas, Rect rect, int width, int height, const uint8_t *rgba,
                  bool smooth);

/* Meaning, drawn by nobody: a test clicks a control by its name, SVG gets a title. */
typedef enum {
    TAG_GROUP,
    TAG_BUTTON,
    TAG_CHECK,
    TAG_SLIDER,
    TAG_CHOICE,
    TAG_FIELD,
    TAG_ITEM,
    TAG_CELL,
    TAG_LABEL,
    TAG_HEATMAP,
} TagRole;
void canvas_tag(Canvas *canvas, Rect rect, TagRole role, const char *name, const char *value);

/* The place of the tag drawn last with this name; false when there is none. */
bool canvas_find_tag(const Canvas *canvas, const char *name, Rect *rect);

/* Of all commands: equal recordings, equal hash. */
uint64_t canvas_hash(const Canvas *canvas);

static inline bool rect_contains(Rect r, float x, float y)
{
    return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

static inline Rect rect_inset(Rect r, float dx, float dy)
{
    return (Rect){r.x + dx, r.y + dy, r.w - 2 * dx, r.h - 2 * dy};
}

#endif
