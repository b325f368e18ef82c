/* canvas.h - drawing as data. Views record; a back end replays.
 *
 * A view never meets SDL or cairo. It appends commands to a Canvas; the same list is then
 * replayed on the window (canvas_sdl.h), into PNG, PDF or GIF (canvas_cairo.h), as SVG
 * (canvas_svg.h) or as text that a test compares (canvas_dump.h). What is seen and what is
 * exported cannot drift apart.
 *
 * Units: logical pixels of 1/96 inch, y down, origin top left; a back end alone knows the
 * device's scale. Back ends made of pixels put the edges of unrounded rectangles, of
 * horizontal and vertical lines and of clips on whole device pixels, so that they are crisp
 * at every scale; vector back ends keep the numbers. Colours: straight-alpha sRGB,
 * 0xRRGGBBAA. Text is placed by its baseline and an anchor; widths for layout come from
 * fonts.h, whichever back end draws.
 *
 * Invariants:
 *   1. Commands and everything they point to are copied: nothing handed in must outlive
 *      the call. (Pixels of canvas_cells and canvas_image too.)
 *   2. Clips nest and only shrink. Every push has its pop when a replay begins.
 *   3. Two recordings with equal canvas_hash draw the same picture.
 *   4. A command with a coordinate that is not finite, or farther than CANVAS_MAX_COORDINATE
 *      from the origin, is not recorded: one strange number costs one mark, not the figure.
 *   5. Sticky: what is larger than a limit below, or than memory, makes the recording
 *      invalid; every later call does nothing and the replay reports it.
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

#define CANVAS_MAX_COORDINATE  1e6f
#define CANVAS_MAX_TEXT_BYTES  ((size_t)16384)   /* longer text is cut between graphemes   */
#define CANVAS_MAX_CELLS       ((size_t)1 << 24) /* of one canvas_cells, pixels of an image */
#define CANVAS_MAX_PATH_POINTS 100000

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
    FACE_COUNT,
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

/* 0 < width, height <= CANVAS_MAX_COORDINATE. */
Canvas *canvas_new(float width, float height);
void canvas_clear(Canvas *canvas, float width, float height); /* and forgets an error */
void canvas_free(Canvas *canvas);                             /* NULL is fine         */
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

/* A heatmap: cells[rows, cols] of equal size that fill rect, never smoothed. One command
 * rather than many rectangles: pixels get it in one pass, a vector page writes exact cells.
 * Where there are more cells than device pixels only some are seen; which ones matter (the
 * largest weight, not the mean) only the view can say, so it reduces first. */
void canvas_cells(Canvas *canvas, Rect rect, int rows, int cols, const Color *cells);

/* A picture of width x height RGBA bytes, scaled to rect. */
void canvas_image(Canvas *canvas, Rect rect, int width, int height, const uint8_t *rgba,
                  bool smooth);

/* Meaning, drawn by nobody: a test clicks a control by its name, SVG gets a title. */
#define TAG_ROLES(X)                                                                               \
    X(GROUP, "group")                                                                              \
    X(BUTTON, "button")                                                                            \
    X(CHECK, "check")                                                                              \
    X(SLIDER, "slider")                                                                            \
    X(CHOICE, "choice")                                                                            \
    X(FIELD, "field")                                                                              \
    X(ITEM, "item")                                                                                \
    X(CELL, "cell")                                                                                \
    X(LABEL, "label")                                                                              \
    X(HEATMAP, "heatmap")

typedef enum {
#define TAG_ROLE(id, name) TAG_##id,
    TAG_ROLES(TAG_ROLE)
#undef TAG_ROLE
} TagRole;

const char *tag_role_name(TagRole role); /* "button"; lives as long as the program */

/* `value` (what the thing shows or holds) may be NULL. */
void canvas_tag(Canvas *canvas, Rect rect, TagRole role, const char *name, const char *value);

/* The place of the tag recorded last with this name; false when there is none. */
bool canvas_find_tag(const Canvas *canvas, const char *name, Rect *rect);

/* Records all that `other` holds, where it stands. Its clips must be balanced; when it has
 * failed, so has this one. */
void canvas_append(Canvas *canvas, const Canvas *other);

/* Of size and commands: equal recordings, equal hash, in every run of the program. */
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
