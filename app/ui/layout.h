/* layout.h - places made by cutting pieces off a rectangle.
 *
 *   Rect window = {0, 0, width, height};
 *   Rect top = rect_cut_top(&window, 48);
 *   Rect left = rect_cut_left(&window, 176);     what is left of `window` is the middle
 *
 * A cut takes at most what is there, so no side ever becomes negative: in a window that is
 * too small the last pieces are empty, and nothing is drawn in an empty rectangle.
 */
#ifndef FOVEA_UI_LAYOUT_H
#define FOVEA_UI_LAYOUT_H
#include <math.h>

#include "canvas/canvas.h"

static inline Rect rect_cut_left(Rect *rect, float size)
{
    size = fmaxf(0, fminf(size, rect->w));
    Rect cut = {rect->x, rect->y, size, rect->h};
    rect->x += size;
    rect->w -= size;
    return cut;
}

static inline Rect rect_cut_right(Rect *rect, float size)
{
    size = fmaxf(0, fminf(size, rect->w));
    rect->w -= size;
    return (Rect){rect->x + rect->w, rect->y, size, rect->h};
}

static inline Rect rect_cut_top(Rect *rect, float size)
{
    size = fmaxf(0, fminf(size, rect->h));
    Rect cut = {rect->x, rect->y, rect->w, size};
    rect->y += size;
    rect->h -= size;
    return cut;
}

static inline Rect rect_cut_bottom(Rect *rect, float size)
{
    size = fmaxf(0, fminf(size, rect->h));
    rect->h -= size;
    return (Rect){rect->x, rect->y + rect->h, rect->w, size};
}

/* Smaller on every side, never negative. */
static inline Rect rect_pad(Rect rect, float dx, float dy)
{
    dx = fminf(dx, rect.w / 2);
    dy = fminf(dy, rect.h / 2);
    return (Rect){rect.x + dx, rect.y + dy, rect.w - 2 * dx, rect.h - 2 * dy};
}

/* A place of w x h in the middle of rect, on whole pixels. */
static inline Rect rect_middle(Rect rect, float w, float h)
{
    return (Rect){floorf(rect.x + (rect.w - w) / 2), floorf(rect.y + (rect.h - h) / 2), w, h};
}

/* What both cover; w and h are 0 when nothing. */
static inline Rect rect_common(Rect a, Rect b)
{
    float x = fmaxf(a.x, b.x);
    float y = fmaxf(a.y, b.y);
    return (Rect){x, y, fmaxf(0, fminf(a.x + a.w, b.x + b.w) - x),
                  fmaxf(0, fminf(a.y + a.h, b.y + b.h) - y)};
}

static inline bool rect_is_empty(Rect rect)
{
    return !(rect.w > 0 && rect.h > 0);
}

#endif
