#include "canvas/cairo_painter.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "canvas/pixels.h"
#include "canvas/text_picture.h"

/* Beyond this a page gets a matrix as an image: a file of rectangles would be too large. */
#define PAGE_CELLS_MAX ((size_t)4096)

/* Device edges. */
typedef struct Edges {
    double left, top, right, bottom;
} Edges;

void cairo_set_color(cairo_t *cairo, Color color)
{
    cairo_set_source_rgba(cairo, (color >> 24) / 255.0, (color >> 16 & 255) / 255.0,
                          (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
}

static double snap(const CairoPainter *painter, float value)
{
    double device = (double)value * (double)painter->scale;
    return painter->pixels ? floor(device + 0.5) : device;
}

/* Nothing that has a size disappears between two pixels. */
static Edges edges_of(const CairoPainter *painter, Rect rect)
{
    Edges edges = {snap(painter, rect.x), snap(painter, rect.y), snap(painter, rect.x + rect.w),
                   snap(painter, rect.y + rect.h)};
    if (painter->pixels && rect.w > 0 && edges.right == edges.left)
        edges.right++;
    if (painter->pixels && rect.h > 0 && edges.bottom == edges.top)
        edges.bottom++;
    return edges;
}

static double line_width(const CairoPainter *painter, float width)
{
    double device = (double)width * (double)painter->scale;
    return painter->pixels ? fmax(1, floor(device + 0.5)) : device;
}

static void rectangle(cairo_t *cairo, Edges edges)
{
    cairo_rectangle(cairo, edges.left, edges.top, edges.right - edges.left,
                    edges.bottom - edges.top);
}

static void rounded(cairo_t *cairo, Edges edges, double radius)
{
    const double pi = 3.14159265358979323846;
    double most = fmin(edges.right - edges.left, edges.bottom - edges.top) / 2;
    double r = fmin(radius, most);
    if (!(r > 0)) {
        rectangle(cairo, edges);
        return;
    }
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, edges.right - r, edges.top + r, r, -pi / 2, 0);
    cairo_arc(cairo, edges.right - r, edges.bottom - r, r, 0, pi / 2);
    cairo_arc(cairo, edges.left + r, edges.bottom - r, r, pi / 2, pi);
    cairo_arc(cairo, edges.left + r, edges.top + r, r, pi, pi * 1.5);
    cairo_close_path(cairo);
}

static void set_stroke(const CairoPainter *painter, const Stroke *stroke, double width)
{
    cairo_set_color(painter->cairo, stroke->color);
    cairo_set_line_width(painter->cairo, width);
    double dash = (double)stroke->dash * (double)painter->scale;
    cairo_set_dash(painter->cairo, &dash, stroke->dash > 0 ? 1 : 0, 0);
}

static void paint_clip_push(void *self, const Rect *rect, Error *error)
{
    (void)error;
    CairoPainter *painter = self;
    cairo_save(painter->cairo);
    Edges edges = {snap(painter, rect->x), snap(painter, rect->y), snap(painter, rect->x + rect->w),
                   snap(painter, rect->y + rect->h)};
    rectangle(painter->cairo, edges);
    cairo_clip(painter->cairo);
}

static void paint_clip_pop(void *self, Error *error)
{
    (void)error;
    CairoPainter *painter = self;
    cairo_restore(painter->cairo);
}

static void paint_fill(void *self, const CanvasFill *fill, Error *error)
{
    (void)error;
    CairoPainter *painter = self;
    cairo_set_color(painter->cairo, fill->color);
    rounded(painter->cairo, edges_of(painter, fill->rect),
            (double)fill->radius * (double)painter->scale);
    cairo_fill(painter->cairo);
}

static void paint_frame(void *self, const CanvasFrame *frame, Error *error)
{
    (void)error;
    CairoPainter *painter = self;
    double width = line_width(painter, frame->stroke.width);
    Edges edges = edges_of(painter, frame->rect);
    edges.left += width / 2;
    edges.top += width / 2;
    edges.right -= width / 2;
    edges.bottom -= width / 2;
    if (edges.right < edges.left || edges.bottom < edges.top)
        return;
    set_stroke(painter, &frame->stroke, width);
    cairo_set_line_join(painter->cairo, CAIRO_LINE_JOIN_MITER);
    double radius = (double)frame->radius * (double)painter->scale - width / 2;
    rounded(painter->cairo, edges, frame->radius > 0 ? fmax(radius, 0) : 0);
    cairo_stroke(painter->cairo);
}

/* A horizontal or vertical line: its sides on whole pixels. */
static void straight_line(const CairoPainter *painter, const CanvasPath *path)
{
    const Point *a = &path->points[0];
    const Point *b = &path->points[1];
    double width = line_width(painter, path->stroke.width);
    double scale = painter->scale;
    set_stroke(painter, &path->stroke, width);
    if (a->y == b->y) {
        double y = floor((double)a->y * scale - width / 2 + 0.5) + width / 2;
        cairo_move_to(painter->cairo, snap(painter, a->x), y);
        cairo_line_to(painter->cairo, snap(painter, b->x), y);
    } else {
        double x = floor((double)a->x * scale - width / 2 + 0.5) + width / 2;
        cairo_move_to(painter->cairo, x, snap(painter, a->y));
        cairo_line_to(painter->cairo, x, snap(painter, b->y));
    }
    cairo_stroke(painter->cairo);
}

static void add_points(const CairoPainter *painter, const Point *points, int n, bool cubic)
{
    double s = painter->scale;
    cairo_move_to(painter->cairo, points[0].x * s, points[0].y * s);
    if (!cubic) {
        for (int i = 1; i < n; i++)
            cairo_line_to(painter->cairo, points[i].x * s, points[i].y * s);
        return;
    }
    for (int i = 1; i + 2 < n; i += 3)
        cairo_curve_to(painter->cairo, points[i].x * s, points[i].y * s, points[i + 1].x * s,
                       points[i + 1].y * s, points[i + 2].x * s, points[i + 2].y * s);
}

static void paint_path(void *self, const CanvasPath *path, Error *error)
{
    (void)error;
    CairoPainter *painter = self;
    const Point *points = path->points;
    bool straight = points[0].x == points[1].x || points[0].y == points[1].y;
    if (painter->pixels && path->n == 2 && !path->cubic && straight) {
        straight_line(painter, path);
        return;
    }
    set_stroke(painter, &path->stroke, (double)path->stroke.width * (double)painter->scale);
    cairo_set_line_join(painter->cairo, CAIRO_LINE_JOIN_ROUND);
    add_points(painter, points, path->n, path->cubic);
    cairo_stroke(painter->cairo);
}

static void paint_polygon(void *self, const CanvasPolygon *polygon, Error *error)
{
    (void)error;
    CairoPainter *painter = self;
    cairo_set_color(painter->cairo, polygon->color);
    add_points(painter, polygon->points, polygon->n, false);
    cairo_close_path(painter->cairo);
    cairo_fill(painter->cairo);
}

static void paint_circle(void *self, const CanvasCircle *circle, Error *error)
{
    (void)error;
    CairoPainter *painter = self;
    double scale = painter->scale;
    cairo_new_sub_path(painter->cairo);
    cairo_arc(painter->cairo, circle->centre.x * scale, circle->centre.y * scale,
              circle->radius * scale, 0, 2 * 3.14159265358979323846);
    cairo_close_path(painter->cairo);
    cairo_set_color(painter->cairo, circle->fill);
    cairo_fill_preserve(painter->cairo);
    if (circle->stroke.width > 0) {
        set_stroke(painter, &circle->stroke, circle->stroke.width * scale);
        cairo_stroke_preserve(painter->cairo);
    }
    cairo_new_path(painter->cairo);
}

static void paint_picture(const CairoPainter *painter, const TextPicture *picture, int x, int y,
                          Color color)
{
    cairo_t *cairo = painter->cairo;
    x += picture->x;
    y += picture->y;
    if (picture->mask) {
        cairo_surface_t *mask =
            cairo_image_surface_create_for_data((unsigned char *)picture->mask, CAIRO_FORMAT_A8,
                                                picture->width, picture->height, picture->stride);
        cairo_set_color(cairo, color);
        cairo_mask_surface(cairo, mask, x, y);
        cairo_surface_destroy(mask);
    }
    if (picture->color) {
        cairo_surface_t *image = cairo_image_surface_create_for_data(
            (unsigned char *)picture->color, CAIRO_FORMAT_ARGB32, picture->width, picture->height,
            picture->width * 4);
        cairo_set_source_surface(cairo, image, x, y);
        cairo_paint_with_alpha(cairo, (color & 255) / 255.0);
        cairo_surface_destroy(image);
    }
}

/* Text stands on whole pixels: the same word looks the same wherever it is. */
static void paint_text_pixels(const CairoPainter *painter, const TextLayout *layout,
                              const TextStyle *style, float x, float y)
{
    const TextPicture *picture =
        text_picture(painter->fonts, layout, style->size * painter->scale, style->turn);
    if (picture)
        paint_picture(painter, picture, (int)lrintf(x * painter->scale),
                      (int)lrintf(y * painter->scale), style->color);
}

static void paint_text(void *self, const CanvasText *text, Error *error)
{
    (void)error;
    CairoPainter *painter = self;
    const TextStyle *style = &text->style;
    const TextLayout *layout = fonts_layout(painter->fonts, text->text, style);
    float back = style->align == ALIGN_START    ? 0
                 : style->align == ALIGN_MIDDLE ? layout->width * style->size / 2
                                                : layout->width * style->size;
    float angle = style->turn * 3.14159265f / 180;
    float x = text->baseline.x - back * cosf(angle);
    float y = text->baseline.y - back * sinf(angle);
    if (painter->pixels)
        paint_text_pixels(painter, layout, style, x, y);
    else
        cairo_show_layout(painter->cairo, painter->fonts, layout, style, x, y);
}

static bool reserve_scratch(CairoPainter *painter, int width, int height, Error *error)
{
    size_t n = (size_t)width * (size_t)height;
    if (n <= painter->scratch_capacity)
        return true;
    uint32_t *pixels = memory_try_resize(painter->scratch, n, sizeof *pixels);
    if (!pixels)
        return error_set(error, ERROR_MEMORY, "no memory to draw a matrix of %d x %d", height,
                         width);
    painter->scratch = pixels;
    painter->scratch_capacity = n;
    return true;
}

/* The scratch as an image that fills the rectangle. */
static void paint_scratch(const CairoPainter *painter, Rect rect, int width, int height,
                          cairo_filter_t filter)
{
    cairo_t *cairo = painter->cairo;
    Edges edges = edges_of(painter, rect);
    cairo_surface_t *image = cairo_image_surface_create_for_data(
        (unsigned char *)painter->scratch, CAIRO_FORMAT_ARGB32, width, height, width * 4);
    cairo_save(cairo);
    rectangle(cairo, edges);
    cairo_translate(cairo, edges.left, edges.top);
    cairo_scale(cairo, (edges.right - edges.left) / width, (edges.bottom - edges.top) / height);
    cairo_set_source_surface(cairo, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo), filter);
    /* Without padding a smoothed image fades out at its edges. */
    cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
    cairo_fill(cairo);
    cairo_restore(cairo);
    /* A page keeps the image until it is written, but the scratch is used again: the copy
     * must be made now. */
    cairo_surface_finish(image);
    cairo_surface_destroy(image);
}

static bool is_opaque(const CanvasCells *cells, int row, int col)
{
    if (row >= cells->rows || col >= cells->cols)
        return false;
    return (cells->cells[(size_t)row * (size_t)cells->cols + (size_t)col] & 255) == 255;
}

/* Exact rectangles for a page. Viewers show hair lines between rectangles that only touch,
 * so each reaches under the next ones where those cover it. */
static void paint_cells_page(const CairoPainter *painter, const CanvasCells *cells)
{
    double width = (double)cells->rect.w / cells->cols;
    double height = (double)cells->rect.h / cells->rows;
    for (int row = 0; row < cells->rows; row++) {
        for (int col = 0; col < cells->cols; col++) {
            bool right = is_opaque(cells, row, col + 1);
            bool below = is_opaque(cells, row + 1, col);
            bool corner = is_opaque(cells, row + 1, col + 1);
            cairo_set_color(painter->cairo,
                            cells->cells[(size_t)row * (size_t)cells->cols + (size_t)col]);
            cairo_rectangle(painter->cairo, (double)cells->rect.x + col * width,
                            (double)cells->rect.y + row * height,
                            right && (corner || !below) ? width * 1.5 : width,
                            below && (corner || !right) ? height * 1.5 : height);
            cairo_fill(painter->cairo);
        }
    }
}

static void paint_cells(void *self, const CanvasCells *cells, Error *error)
{
    CairoPainter *painter = self;
    size_t n = (size_t)cells->rows * (size_t)cells->cols;
    if (!painter->pixels && n <= PAGE_CELLS_MAX) {
        paint_cells_page(painter, cells);
        return;
    }
    int times = painter->pixels ? 1 : pixels_sharpening(cells->cols, cells->rows);
    if (!reserve_scratch(painter, cells->cols * times, cells->rows * times, error))
        return;
    pixels_from_cells(cells, times, painter->scratch);
    paint_scratch(painter, cells->rect, cells->cols * times, cells->rows * times,
                  CAIRO_FILTER_NEAREST);
}

static void paint_image(void *self, const CanvasImage *image, Error *error)
{
    CairoPainter *painter = self;
    int times =
        painter->pixels || image->smooth ? 1 : pixels_sharpening(image->width, image->height);
    if (!reserve_scratch(painter, image->width * times, image->height * times, error))
        return;
    pixels_from_image(image, times, painter->scratch);
    paint_scratch(painter, image->rect, image->width * times, image->height * times,
                  image->smooth ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
}

bool cairo_painter_draw(CairoPainter *painter, const Canvas *canvas, Error *error)
{
    static const CanvasBackend backend = {
        .clip_push = paint_clip_push,
        .clip_pop = paint_clip_pop,
        .fill = paint_fill,
        .frame = paint_frame,
        .path = paint_path,
        .polygon = paint_polygon,
        .circle = paint_circle,
        .text = paint_text,
        .cells = paint_cells,
        .image = paint_image,
    };
    if (!canvas_replay(canvas, &backend, painter, error))
        return false;
    cairo_status_t status = cairo_status(painter->cairo);
    if (status != CAIRO_STATUS_SUCCESS)
        return error_set(error, status == CAIRO_STATUS_NO_MEMORY ? ERROR_MEMORY : ERROR_IO,
                         "the picture cannot be drawn: %s", cairo_status_to_string(status));
    return true;
}
