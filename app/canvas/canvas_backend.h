/* canvas_backend.h - what a back end of the canvas implements.
 *
 * A back end is a table of functions, one a command, and a `self` that they share. The
 * replay walks a recording and calls them in order with plain structs; what the structs
 * point to lives in the recording.
 *
 * Invariants:
 *   1. A NULL entry skips its command: most back ends have no use for tags.
 *   2. Sticky: the first error that an entry sets ends the replay.
 *   3. Clips are balanced: a recording in which they are not is a bug and stops the program
 *      before anything is drawn.
 */
#ifndef FOVEA_CANVAS_CANVAS_BACKEND_H
#define FOVEA_CANVAS_CANVAS_BACKEND_H
#include "canvas/canvas.h"

typedef struct CanvasFill {
    Rect rect;
    float radius;
    Color color;
} CanvasFill;

typedef struct CanvasFrame {
    Rect rect;
    float radius;
    Stroke stroke; /* its outer edge is the edge of rect */
} CanvasFrame;

typedef struct CanvasPath {
    const Point *points; /* [n] */
    int n;
    bool cubic;
    Stroke stroke;
} CanvasPath;

typedef struct CanvasPolygon {
    const Point *points; /* [n] */
    int n;
    Color color;
} CanvasPolygon;

typedef struct CanvasCircle {
    Point centre;
    float radius;
    Color fill;    /* alpha 0: none */
    Stroke stroke; /* centred on the circle; width 0: none */
} CanvasCircle;

typedef struct CanvasText {
    Point baseline;
    const char *text; /* terminated; any bytes: fonts_layout decides what is shown */
    TextStyle style;
} CanvasText;

typedef struct CanvasCells {
    Rect rect;
    int rows, cols;
    const Color *cells; /* [rows, cols] */
} CanvasCells;

typedef struct CanvasImage {
    Rect rect;
    int width, height;
    const uint8_t *rgba; /* [height, width, 4], straight alpha */
    bool smooth;
} CanvasImage;

typedef struct CanvasTag {
    Rect rect;
    TagRole role;
    const char *name;
    const char *value; /* never NULL */
} CanvasTag;

typedef struct CanvasBackend {
    void (*clip_push)(void *self, const Rect *rect, Error *error);
    void (*clip_pop)(void *self, Error *error);
    void (*fill)(void *self, const CanvasFill *fill, Error *error);
    void (*frame)(void *self, const CanvasFrame *frame, Error *error);
    void (*path)(void *self, const CanvasPath *path, Error *error); /* lines too: n = 2 */
    void (*polygon)(void *self, const CanvasPolygon *polygon, Error *error);
    void (*circle)(void *self, const CanvasCircle *circle, Error *error);
    void (*text)(void *self, const CanvasText *text, Error *error);
    void (*cells)(void *self, const CanvasCells *cells, Error *error);
    void (*image)(void *self, const CanvasImage *image, Error *error);
    void (*tag)(void *self, const CanvasTag *tag, Error *error);
} CanvasBackend;

/* false: the recording's own error (a limit, memory) or the first one of the back end. */
bool canvas_replay(const Canvas *canvas, const CanvasBackend *backend, void *self,
                   Error *error) FOVEA_MUST_USE;

#endif
