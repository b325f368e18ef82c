#include "ui/icons.h"

#include "base/error.h"
#include "ui/layout.h"

#define GRID     16.0f
#define STROKE   1.4f
#define THINNEST 1.25f /* pixels */

typedef enum {
    SHAPE_END,
    SHAPE_LINE,   /* through the points                        */
    SHAPE_CURVE,  /* Bezier: 3 k + 1 points                    */
    SHAPE_FILL,   /* polygon                                   */
    SHAPE_CIRCLE, /* first point: centre; second: x is radius  */
    SHAPE_DISC,   /* likewise, filled                          */
} ShapeKind;

enum { MAX_SHAPES = 4, MAX_POINTS = 8 };

typedef struct Shape {
    ShapeKind kind;
    int n;
    Point points[MAX_POINTS];
} Shape;

static const Shape icons[ICON_COUNT][MAX_SHAPES] = {
    [ICON_PLAY] = {{SHAPE_FILL, 3, {{4.5f, 2.5f}, {13.5f, 8}, {4.5f, 13.5f}}}},
    [ICON_PAUSE] = {{SHAPE_FILL, 4, {{4, 3}, {6.5f, 3}, {6.5f, 13}, {4, 13}}},
                    {SHAPE_FILL, 4, {{9.5f, 3}, {12, 3}, {12, 13}, {9.5f, 13}}}},
    [ICON_NEXT] = {{SHAPE_LINE, 3, {{6, 3}, {11, 8}, {6, 13}}}},
    [ICON_PREVIOUS] = {{SHAPE_LINE, 3, {{10, 3}, {5, 8}, {10, 13}}}},
    [ICON_FIRST] = {{SHAPE_LINE, 3, {{12, 3}, {7, 8}, {12, 13}}},
                    {SHAPE_LINE, 2, {{4, 3}, {4, 13}}}},
    [ICON_LAST] = {{SHAPE_LINE, 3, {{4, 3}, {9, 8}, {4, 13}}},
                   {SHAPE_LINE, 2, {{12, 3}, {12, 13}}}},
    [ICON_THEME] = {{SHAPE_CIRCLE, 2, {{8, 8}, {5.5f, 0}}},
                    {SHAPE_FILL,
                     8,
                     {{8, 2.5f},
                      {5.9f, 2.92f},
                      {4.11f, 4.11f},
                      {2.5f, 8},
                      {4.11f, 11.89f},
                      {5.9f, 13.08f},
                      {8, 13.5f},
                      {8, 2.5f}}}},
    [ICON_LANGUAGE] = {{SHAPE_LINE, 2, {{8, 1.5f}, {8, 4.5f}}},
                       {SHAPE_LINE, 2, {{2, 4.5f}, {14, 4.5f}}},
                       {SHAPE_CURVE, 4, {{11.5f, 4.5f}, {10.5f, 9}, {7, 12.5f}, {2.5f, 14}}},
                       {SHAPE_CURVE, 4, {{4.5f, 4.5f}, {5.5f, 9}, {9, 12.5f}, {13.5f, 14}}}},
    [ICON_HELP] =
        {{SHAPE_CURVE,
          7,
          {{5, 5.5f}, {5, 1}, {11.5f, 1.5f}, {11, 5.5f}, {10.6f, 7.6f}, {8, 7.6f}, {8, 10.5f}}},
         {SHAPE_DISC, 2, {{8, 13}, {1, 0}}}},
    [ICON_EXPORT] = {{SHAPE_LINE, 2, {{8, 10}, {8, 2}}},
                     {SHAPE_LINE, 3, {{4.5f, 5.5f}, {8, 2}, {11.5f, 5.5f}}},
                     {SHAPE_LINE, 4, {{2.5f, 9.5f}, {2.5f, 13.5f}, {13.5f, 13.5f}, {13.5f, 9.5f}}}},
    [ICON_UNDO] = {{SHAPE_LINE, 3, {{6, 2.5f}, {2.5f, 6}, {6, 9.5f}}},
                   {SHAPE_LINE, 2, {{2.5f, 6}, {9, 6}}},
                   {SHAPE_CURVE, 4, {{9, 6}, {15, 6}, {15, 13.5f}, {9, 13.5f}}}},
    [ICON_REDO] = {{SHAPE_LINE, 3, {{10, 2.5f}, {13.5f, 6}, {10, 9.5f}}},
                   {SHAPE_LINE, 2, {{13.5f, 6}, {7, 6}}},
                   {SHAPE_CURVE, 4, {{7, 6}, {1, 6}, {1, 13.5f}, {7, 13.5f}}}},
    [ICON_CLOSE] = {{SHAPE_LINE, 2, {{4, 4}, {12, 12}}}, {SHAPE_LINE, 2, {{12, 4}, {4, 12}}}},
    [ICON_CHEVRON_LEFT] = {{SHAPE_LINE, 3, {{9.5f, 4.5f}, {6, 8}, {9.5f, 11.5f}}}},
    [ICON_CHEVRON_RIGHT] = {{SHAPE_LINE, 3, {{6.5f, 4.5f}, {10, 8}, {6.5f, 11.5f}}}},
    [ICON_CHEVRON_UP] = {{SHAPE_LINE, 3, {{4.5f, 9.5f}, {8, 6}, {11.5f, 9.5f}}}},
    [ICON_CHEVRON_DOWN] = {{SHAPE_LINE, 3, {{4.5f, 6.5f}, {8, 10}, {11.5f, 6.5f}}}},
    [ICON_PIN] = {{SHAPE_LINE, 2, {{5, 2.5f}, {11, 2.5f}}},
                  {SHAPE_LINE,
                   6,
                   {{6, 2.5f}, {6, 6.5f}, {3.5f, 9.5f}, {12.5f, 9.5f}, {10, 6.5f}, {10, 2.5f}}},
                  {SHAPE_LINE, 2, {{8, 9.5f}, {8, 14}}}},
    [ICON_COMPARE] = {{SHAPE_LINE, 5, {{2.5f, 3}, {6.5f, 3}, {6.5f, 13}, {2.5f, 13}, {2.5f, 2.3f}}},
                      {SHAPE_LINE,
                       5,
                       {{9.5f, 3}, {13.5f, 3}, {13.5f, 13}, {9.5f, 13}, {9.5f, 2.3f}}}},
    [ICON_FOLDER] =
        {{SHAPE_LINE,
          7,
          {{2, 13}, {2, 3.5f}, {6, 3.5f}, {8, 5.5f}, {14, 5.5f}, {14, 13}, {1.3f, 13}}}},
    [ICON_SAVE] = {{SHAPE_LINE, 2, {{8, 2}, {8, 10}}},
                   {SHAPE_LINE, 3, {{4.5f, 6.5f}, {8, 10}, {11.5f, 6.5f}}},
                   {SHAPE_LINE, 4, {{2.5f, 9.5f}, {2.5f, 13.5f}, {13.5f, 13.5f}, {13.5f, 9.5f}}}},
    [ICON_SEARCH] = {{SHAPE_CIRCLE, 2, {{7, 7}, {4.5f, 0}}},
                     {SHAPE_LINE, 2, {{10.2f, 10.2f}, {14, 14}}}},
    [ICON_CHECK] = {{SHAPE_LINE, 3, {{3, 8.5f}, {6.5f, 12}, {13, 4.5f}}}},
    [ICON_PLUS] = {{SHAPE_LINE, 2, {{8, 3}, {8, 13}}}, {SHAPE_LINE, 2, {{3, 8}, {13, 8}}}},
    [ICON_MINUS] = {{SHAPE_LINE, 2, {{3, 8}, {13, 8}}}},
    [ICON_MORE] = {{SHAPE_DISC, 2, {{3, 8}, {1.3f, 0}}},
                   {SHAPE_DISC, 2, {{8, 8}, {1.3f, 0}}},
                   {SHAPE_DISC, 2, {{13, 8}, {1.3f, 0}}}},
    [ICON_INFO] = {{SHAPE_CIRCLE, 2, {{8, 8}, {6, 0}}},
                   {SHAPE_LINE, 2, {{8, 7.2f}, {8, 11.5f}}},
                   {SHAPE_DISC, 2, {{8, 5}, {0.9f, 0}}}},
    [ICON_WARNING] = {{SHAPE_LINE, 4, {{8, 2.2f}, {14.2f, 13.5f}, {1.8f, 13.5f}, {8.4f, 1.6f}}},
                      {SHAPE_LINE, 2, {{8, 6}, {8, 9.6f}}},
                      {SHAPE_DISC, 2, {{8, 11.5f}, {0.9f, 0}}}},
    [ICON_ERROR] = {{SHAPE_CIRCLE, 2, {{8, 8}, {6, 0}}},
                    {SHAPE_LINE, 2, {{5.8f, 5.8f}, {10.2f, 10.2f}}},
                    {SHAPE_LINE, 2, {{10.2f, 5.8f}, {5.8f, 10.2f}}}},
    [ICON_DICE] = {{SHAPE_LINE,
                    5,
                    {{2.5f, 2.5f}, {13.5f, 2.5f}, {13.5f, 13.5f}, {2.5f, 13.5f}, {2.5f, 1.8f}}},
                   {SHAPE_DISC, 2, {{5.4f, 5.4f}, {1.1f, 0}}},
                   {SHAPE_DISC, 2, {{8, 8}, {1.1f, 0}}},
                   {SHAPE_DISC, 2, {{10.6f, 10.6f}, {1.1f, 0}}}},
};

static void draw_shape(Canvas *canvas, const Shape *shape, Point origin, float unit, Color color)
{
    Point points[MAX_POINTS];
    for (int i = 0; i < shape->n; i++)
        points[i] =
            (Point){origin.x + shape->points[i].x * unit, origin.y + shape->points[i].y * unit};
    Stroke stroke = {color, fmaxf(THINNEST, STROKE * unit), 0};
    switch (shape->kind) {
    case SHAPE_LINE: canvas_path(canvas, points, shape->n, false, stroke); break;
    case SHAPE_CURVE: canvas_path(canvas, points, shape->n, true, stroke); break;
    case SHAPE_FILL: canvas_polygon(canvas, points, shape->n, color); break;
    case SHAPE_CIRCLE:
        canvas_circle(canvas, points[0], shape->points[1].x * unit, 0, stroke);
        break;
    case SHAPE_DISC:
        canvas_circle(canvas, points[0], shape->points[1].x * unit, color, (Stroke){0});
        break;
    case SHAPE_END: break;
    }
}

void icon_draw(Canvas *canvas, Rect rect, Icon icon, float size, Color color)
{
    FOVEA_CHECK((unsigned)icon < ICON_COUNT, "icon %d", (int)icon);
    Rect place = rect_middle(rect, size, size);
    for (int i = 0; i < MAX_SHAPES && icons[icon][i].kind != SHAPE_END; i++)
        draw_shape(canvas, &icons[icon][i], (Point){place.x, place.y}, size / GRID, color);
}
