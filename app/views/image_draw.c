#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/image.h"

/* ---- weights over the picture ---- */

static Color weight_color(const ImagePlan *plan, float weight)
{
    float t = colormap_position(&plan->shade.map, plan->shade.range, weight);
    t = isnan(t) ? 0 : t;
    return plan->veils ? color_fade(0x000000FF, 0.78f * (1 - t))
                       : color_fade(IMAGE_MARK, 0.85f * t);
}

/* Between the middles of cells the weight changes evenly; at the border it stays. */
static float weight_between(const ImagePlan *plan, const float *weights, float x, float y)
{
    int32_t rows = plan->grid_rows, cols = plan->grid_cols;
    x = fminf(fmaxf(x * (float)cols - 0.5f, 0), (float)(cols - 1));
    y = fminf(fmaxf(y * (float)rows - 0.5f, 0), (float)(rows - 1));
    int32_t left = (int32_t)x, top = (int32_t)y;
    int32_t right = left + 1 < cols ? left + 1 : left, below = top + 1 < rows ? top + 1 : top;
    float fx = x - (float)left, fy = y - (float)top;
    float above = (1 - fx) * weights[top * cols + left] + fx * weights[top * cols + right];
    float under = (1 - fx) * weights[below * cols + left] + fx * weights[below * cols + right];
    return (1 - fy) * above + fy * under;
}

/* As a small picture: back ends blur it on to the pixels that they have. */
static void draw_smooth(const ImagePlan *plan, Canvas *canvas, Rect place, const float *weights)
{
    enum { PER_CELL = 6, MOST = 240 };
    int cols = plan->grid_cols * PER_CELL < MOST ? plan->grid_cols * PER_CELL : MOST;
    int rows = plan->grid_rows * PER_CELL < MOST ? plan->grid_rows * PER_CELL : MOST;
    uint8_t *rgba = arena_get(plan->arena, (size_t)rows * (size_t)cols * 4, 1);
    for (int i = 0; i < rows * cols; i++) {
        float x = ((float)(i % cols) + 0.5f) / (float)cols;
        float y = ((float)(i / cols) + 0.5f) / (float)rows;
        Color color = weight_color(plan, weight_between(plan, weights, x, y));
        for (int k = 0; k < 4; k++)
            rgba[4 * i + k] = (uint8_t)(color >> (24 - 8 * k));
    }
    canvas_image(canvas, place, cols, rows, rgba, true);
}

static void draw_weights(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step)
{
    const float *weights = image_weights(plan, step);
    if (!weights)
        return;
    if (plan->smooth) {
        draw_smooth(plan, canvas, place, weights);
        return;
    }
    int32_t n = plan->grid_rows * plan->grid_cols;
    Color *cells = arena_get(plan->arena, (size_t)n + 1, sizeof *cells);
    for (int32_t i = 0; i < n; i++)
        cells[i] = weight_color(plan, weights[i]);
    canvas_cells(canvas, place, plan->grid_rows, plan->grid_cols, cells);
}

/* Cells that the person hid are crossed out. */
static void draw_hidden(const ImagePlan *plan, Canvas *canvas, Rect place)
{
    const TraceTensor *t = plan->grid;
    const TraceAxis *axis = trace_axis(plan->frame->trace, t->axis[t->rank - 1]);
    float w = place.w / (float)plan->grid_cols, h = place.h / (float)plan->grid_rows;
    float u = view_unit(plan->frame), in = 0.25f * fminf(w, h);
    for (int32_t i = 0; axis->flags && i < axis->len; i++) {
        if (!(axis->flags[i] & TRACE_TOKEN_HIDDEN))
            continue;
        Rect cell = rect_inset((Rect){place.x + (float)(i % plan->grid_cols) * w,
                                      place.y + (float)(i / plan->grid_cols) * h, w, h},
                               in, in);
        const Point ends[4] = {{cell.x, cell.y},
                               {cell.x + cell.w, cell.y + cell.h},
                               {cell.x + cell.w, cell.y},
                               {cell.x, cell.y + cell.h}};
        for (int k = 0; k < 4; k += 2) {
            canvas_line(canvas, ends[k], ends[k + 1], (Stroke){0x000000A0, 3.5f * u, 0});
            canvas_line(canvas, ends[k], ends[k + 1], (Stroke){0xFFFFFFFF, 1.5f * u, 0});
        }
    }
}

static bool is_changed_by(const ImagePlan *plan, int32_t step, const char *kind)
{
    const Trace *trace = plan->frame->trace;
    for (int32_t i = 0; i < trace_n_changes(trace); i++)
        if (trace_change(trace, i)->step == step && strcmp(trace_change(trace, i)->kind, kind) == 0)
            return true;
    return false;
}

static void draw_chosen(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step)
{
    const TraceStep *s = trace_step(plan->frame->trace, step);
    float w = place.w / (float)plan->grid_cols, h = place.h / (float)plan->grid_rows;
    float u = view_unit(plan->frame);
    bool by_hand = is_changed_by(plan, step, "selection");
    Color color = by_hand ? plan->frame->theme->warning : plan->frame->theme->accent;
    for (int32_t i = 0; i < s->n_selected; i++) {
        int32_t row = s->selected[i] / plan->grid_cols, col = s->selected[i] % plan->grid_cols;
        Rect cell = {place.x + (float)col * w, place.y + (float)row * h, w, h};
        canvas_frame(canvas, rect_inset(cell, -1.5f * u, -1.5f * u), 2 * u,
                     (Stroke){0xFFFFFFFF, 4.5f * u, 0});
        canvas_frame(canvas, cell, 2 * u, (Stroke){color, 2.5f * u, 0});
    }
}

/* ---- glimpses ---- */

static Rect box_rect(Rect place, const TraceBox *box)
{
    return (Rect){place.x + box->x * place.w, place.y + box->y * place.h, box->w * place.w,
                  box->h * place.h};
}

static Point box_centre(Rect place, const TraceBox *box)
{
    Rect r = box_rect(place, box);
    return (Point){r.x + r.w / 2, r.y + r.h / 2};
}

static void draw_boxes(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step,
                       float opacity)
{
    const TraceStep *s = trace_step(plan->frame->trace, step);
    float u = view_unit(plan->frame);
    for (int32_t i = s->n_boxes - 1; i >= 0; i--) {
        Rect box = box_rect(place, &s->boxes[i]);
        canvas_frame(canvas, rect_inset(box, -u, -u), 0,
                     (Stroke){color_fade(0x000000FF, 0.5f * opacity), (i ? 2.5f : 4) * u, 0});
        canvas_frame(canvas, box, 0,
                     (Stroke){color_fade(IMAGE_MARK, opacity), (i ? 1.25f : 2.25f) * u, 0});
    }
}

static void draw_path(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step)
{
    const Trace *trace = plan->frame->trace;
    float u = view_unit(plan->frame);
    Point *points = arena_get(plan->arena, (size_t)step + 2, sizeof *points);
    int n = 0;
    for (int32_t i = 0; i <= step; i++) {
        const TraceStep *s = trace_step(trace, i);
        if (s->n_boxes > 0)
            points[n++] = box_centre(place, &s->boxes[0]);
    }
    if (n > 1) {
        canvas_path(canvas, points, n, false, (Stroke){0x000000A0, 3.5f * u, 0});
        canvas_path(canvas, points, n, false, (Stroke){IMAGE_MARK, 1.75f * u, 0});
    }
    TextStyle number = theme_number(plan->frame->theme);
    number.size = plan->frame->theme->caption_size;
    number.align = ALIGN_MIDDLE;
    number.color = 0x1D2127FF;
    for (int i = 0; i < n; i++) {
        canvas_circle(canvas, points[i], 8 * u, IMAGE_MARK, (Stroke){0x000000A0, u, 0});
        if (is_changed_by(plan, i, "glimpse")) /* a ring: the person put it there */
            canvas_circle(canvas, points[i], 11 * u, 0, (Stroke){0xFFFFFFFF, 2 * u, 0});
        canvas_textf(canvas, (Point){points[i].x, points[i].y + view_baseline(&number)}, number,
                     "%d", i + 1);
    }
}

/* What the location was drawn from: its mean and one and two standard deviations. */
static void draw_policy(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step)
{
    const TraceStep *s = trace_step(plan->frame->trace, step);
    double x = trace_step_scalar(s, "mean.x"), y = trace_step_scalar(s, "mean.y");
    double sigma = trace_step_scalar(s, "sigma");
    if (isnan(x) || isnan(y))
        return;
    float u = view_unit(plan->frame), r = 5 * u;
    Point at = image_point(plan, place, (float)(x + 1) / 2, (float)(y + 1) / 2);
    Stroke stroke = {0x5CCBFFFF, 1.5f * u, 0};
    canvas_line(canvas, (Point){at.x - r, at.y}, (Point){at.x + r, at.y}, stroke);
    canvas_line(canvas, (Point){at.x, at.y - r}, (Point){at.x, at.y + r}, stroke);
    for (int k = 1; k <= 2 && sigma > 0; k++) {
        Stroke ring = {color_fade(0x5CCBFFFF, k == 1 ? 0.9f : 0.5f), u, k == 1 ? 0 : 3 * u};
        canvas_circle(canvas, at, (float)(sigma * k) * place.w / 2, 0, ring);
    }
}

/* Everything that no glimpse has covered is dark. */
static void draw_unseen(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step)
{
    enum { MOST = 160 };
    const Trace *trace = plan->frame->trace;
    int32_t cols = plan->image->width < MOST ? plan->image->width : MOST;
    int32_t rows = plan->image->height < MOST ? plan->image->height : MOST;
    Color *cells = arena_get(plan->arena, (size_t)rows * (size_t)cols, sizeof *cells);
    for (int32_t i = 0; i < rows * cols; i++) {
        float x = ((float)(i % cols) + 0.5f) / (float)cols;
        float y = ((float)(i / cols) + 0.5f) / (float)rows;
        bool seen = false;
        for (int32_t t = 0; t <= step && !seen; t++)
            for (int32_t k = 0; k < trace_step(trace, t)->n_boxes && !seen; k++) {
                const TraceBox *b = &trace_step(trace, t)->boxes[k];
                seen = x >= b->x && x < b->x + b->w && y >= b->y && y < b->y + b->h;
            }
        cells[i] = seen ? 0 : 0x000000C8;
    }
    canvas_cells(canvas, place, rows, cols, cells);
}

void image_draw_picture(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step,
                        bool is_thumb)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    bool smooth = plan->image->width > (int32_t)(place.w / 3); /* small pictures stay pixels */
    canvas_image(canvas, place, plan->image->width, plan->image->height, plan->image->rgba, smooth);
    canvas_frame(canvas, rect_inset(place, -u, -u), 0, (Stroke){frame->theme->line, u, 0});
    draw_weights(plan, canvas, place, step);
    if (plan->n_steps == 0)
        return;
    canvas_clip_push(canvas, place); /* boxes may reach outside the picture */
    if (!is_thumb && settings_bool(frame->options, "seen"))
        draw_unseen(plan, canvas, place, step);
    if (plan->grid)
        draw_chosen(plan, canvas, place, step);
    if (plan->grid)
        draw_hidden(plan, canvas, place);
    if (!is_thumb)
        image_draw_runs(plan, canvas, place, step);
    bool path = !is_thumb && settings_bool(frame->options, "path");
    for (int32_t i = 0; path && i < step; i++)
        draw_boxes(plan, canvas, place, i, 0.28f);
    draw_boxes(plan, canvas, place, step, 1);
    if (!is_thumb)
        draw_policy(plan, canvas, place, step);
    if (path)
        draw_path(plan, canvas, place, step);
    canvas_clip_pop(canvas);
}

/* ---- all steps ---- */

/* The word of a step, or its number, below its picture. */
static void draw_step_name(const ImagePlan *plan, Canvas *canvas, Rect picture, int32_t i,
                           TextStyle style)
{
    const TraceStep *step = trace_step(plan->frame->trace, i);
    float u = view_unit(plan->frame);
    style.align = ALIGN_MIDDLE;
    style.max_width = picture.w;
    Point at = {picture.x + picture.w / 2, picture.y + picture.h + 10 * u + view_baseline(&style)};
    if (step->token[0])
        canvas_text(canvas, at, step->token, style);
    else
        canvas_textf(canvas, at, style, "%d", (int)i + 1);
    if (view_is_changed(plan->frame->trace, i))
        view_draw_changed(plan->frame, canvas,
                          (Point){picture.x + 3 * u, picture.y + picture.h + 10 * u});
}

void image_draw_film(const ImagePlan *plan, Canvas *canvas)
{
    float u = view_unit(plan->frame);
    Rect room = rect_inset(plan->frame->area, IMAGE_FILM_GAP * u, IMAGE_FILM_GAP * u);
    float aspect = (float)plan->image->height / (float)plan->image->width;
    float w = fminf(room.w, (room.h - IMAGE_FILM_LABEL * u) / aspect);
    Rect picture = {room.x + (room.w - w) / 2, room.y, w, w * aspect};
    image_draw_picture(plan, canvas, picture, plan->step, true);
    if (plan->n_steps > 0)
        draw_step_name(plan, canvas, picture, plan->step, theme_text(plan->frame->theme));
}

void image_draw_strip(const ImagePlan *plan, Canvas *canvas)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    for (int32_t i = 0; plan->thumb > 0 && i < plan->n_steps; i++) {
        Rect place = image_thumb(plan, i);
        const TraceStep *step = trace_step(frame->trace, i);
        bool is_current = i == plan->step && frame->step < plan->n_steps;
        image_draw_picture(plan, canvas, place, i, true);
        if (i > frame->step)
            canvas_fill(canvas, rect_inset(place, -u, -u), 0,
                        color_fade(frame->theme->background, 0.6f));
        if (is_current)
            canvas_frame(canvas, rect_inset(place, -3 * u, -3 * u), 2 * u,
                         (Stroke){frame->theme->accent, 2 * u, 0});
        TextStyle style = theme_text(frame->theme);
        style.bold = is_current;
        if (i > frame->step)
            style.color = color_fade(frame->theme->muted, 0.6f);
        draw_step_name(plan, canvas, place, i, style);
        canvas_tag(canvas, place, TAG_ITEM, "step", step->token);
    }
}

/* ---- what was seen, what would be said ---- */

static float draw_patches(const ImagePlan *plan, Canvas *canvas, float y)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *t = plan->patches;
    const TraceAxis *pixels = trace_axis(trace, t->axis[2]);
    int32_t n = trace_tensor_len(trace, t, 1);
    if (pixels->kind != TRACE_AXIS_GRID || n == 0 || plan->step >= trace_tensor_len(trace, t, 0))
        return y;
    float u = view_unit(plan->frame), gap = 8 * u;
    float side = fminf((plan->side.w - gap * (float)(n - 1)) / (float)n, 84 * u);
    TextStyle caption = theme_caption(plan->frame->theme);
    canvas_text(canvas, (Point){plan->side.x, y + 9 * u}, view_word(plan->frame, WORD_RETINA),
                caption);
    TraceMatrix matrix = trace_matrix(trace, t, &plan->step);
    Color *cells = arena_get(plan->arena, (size_t)pixels->len + 1, sizeof *cells);
    for (int32_t k = 0; k < n; k++) {
        for (int32_t i = 0; i < pixels->len; i++) {
            float v = fminf(fmaxf(trace_matrix_get(&matrix, k, i), 0), 1);
            int grey = isnan(v) ? 0 : (int)lroundf(255 * v);
            cells[i] = color_rgba(grey, grey, grey, 255);
        }
        Rect place = {plan->side.x + (side + gap) * (float)k, y + 18 * u, side,
                      side * (float)pixels->rows / (float)pixels->cols};
        canvas_cells(canvas, place, pixels->rows, pixels->cols, cells);
        canvas_frame(canvas, rect_inset(place, -u, -u), 0,
                     (Stroke){plan->frame->theme->line, u, 0});
    }
    return y + side + 36 * u;
}

/* Probabilities of the classes now: the verdict of this glimpse, or the final one. */
static float class_probability(const ImagePlan *plan, int32_t class_)
{
    const Trace *trace = plan->frame->trace;
    if (!plan->verdicts)
        return (float)trace_class(trace, class_)->probability;
    TraceMatrix matrix = trace_matrix(trace, plan->verdicts, NULL);
    return plan->step < matrix.rows && class_ < matrix.cols
               ? trace_matrix_get(&matrix, plan->step, class_)
               : 0;
}

static const char *class_label(const ImagePlan *plan, int32_t class_, char room[SIDE_LABEL_BYTES])
{
    const Trace *trace = plan->frame->trace;
    if (!plan->verdicts)
        return trace_class(trace, class_)->label;
    Side side = side_of_axis(trace, plan->verdicts->axis[1]);
    return side_label(&side, class_, room);
}

enum { CLASSES_SHOWN = 12 };

static int32_t count_classes(const ImagePlan *plan)
{
    const Trace *trace = plan->frame->trace;
    int32_t n =
        plan->verdicts ? trace_tensor_len(trace, plan->verdicts, 1) : trace_n_classes(trace);
    return n < CLASSES_SHOWN ? n : CLASSES_SHOWN;
}

static float draw_classes(const ImagePlan *plan, Canvas *canvas, float y)
{
    const Theme *theme = plan->frame->theme;
    float u = view_unit(plan->frame), best = 0;
    int32_t n = count_classes(plan);
    if (n == 0)
        return y;
    canvas_text(canvas, (Point){plan->side.x, y + 9 * u}, view_word(plan->frame, WORD_VERDICT),
                theme_caption(theme));
    for (int32_t i = 0; i < n; i++)
        best = fmaxf(best, class_probability(plan, i));
    char room[SIDE_LABEL_BYTES];
    float line =
        fminf(18 * u, fmaxf((plan->side.h - (y - plan->side.y) - 90 * u) / (float)n, 10 * u));
    for (int32_t i = 0; i < n; i++) {
        float p = class_probability(plan, i), middle = y + 18 * u + line * ((float)i + 0.5f);
        TextStyle label = theme_text(theme), number = theme_number(theme);
        label.size = number.size = fminf(label.size, line * 0.85f);
        label.bold = p == best;
        label.max_width = 60 * u;
        number.align = ALIGN_END;
        number.color = theme->muted;
        canvas_text(canvas, (Point){plan->side.x, middle + view_baseline(&label)},
                    class_label(plan, i, room), label);
        Rect bar = {plan->side.x + 66 * u, middle - line * 0.22f, plan->side.w - 112 * u,
                    line * 0.44f};
        view_draw_bar(plan->frame, canvas, bar, p,
                      p == best ? theme->accent
                                : color_mix(theme->background, theme->accent, 0.5f));
        canvas_text(canvas, (Point){plan->side.x + plan->side.w, middle + view_baseline(&number)},
                    view_percent((double)p).text, number);
    }
    return y + 18 * u + line * (float)n + 16 * u;
}

/* Glimpses down, classes across: how the verdict forms. */
static void draw_verdicts(const ImagePlan *plan, Canvas *canvas, float y)
{
    const Trace *trace = plan->frame->trace;
    if (!plan->verdicts)
        return;
    float u = view_unit(plan->frame);
    TraceMatrix m = trace_matrix(trace, plan->verdicts, NULL);
    float room = plan->side.y + plan->side.h - y - 18 * u;
    float h = fminf(room / (float)(m.rows > 0 ? m.rows : 1), 14 * u);
    if (m.rows == 0 || m.cols == 0 || h < 3 * u || m.cols > CLASSES_SHOWN)
        return;
    canvas_text(canvas, (Point){plan->side.x, y + 9 * u}, view_word(plan->frame, WORD_VERDICTS),
                theme_caption(plan->frame->theme));
    Shade shade = shade_make(plan->frame, (ShadeOptions){.scale = SCALE_UNIT, .gamma = 1},
                             TRACE_PROBABILITIES, (GridRange){0, 1});
    Color *cells = arena_get(plan->arena, (size_t)m.rows * (size_t)m.cols, sizeof *cells);
    for (int32_t i = 0; i < m.rows; i++)
        for (int32_t j = 0; j < m.cols; j++) {
            Color color = shade_color(&shade, trace_matrix_get(&m, i, j), 0);
            cells[i * m.cols + j] = i > plan->step ? shade_ghost(&shade, color) : color;
        }
    Rect place = {plan->side.x, y + 18 * u, plan->side.w, h * (float)m.rows};
    canvas_cells(canvas, place, m.rows, m.cols, cells);
    canvas_frame(canvas, rect_inset(place, -u, -u), 0, (Stroke){plan->frame->theme->line, u, 0});
}

void image_draw_side(const ImagePlan *plan, Canvas *canvas)
{
    if (plan->side.w <= 0)
        return;
    float y = plan->side.y;
    if (plan->patches)
        y = draw_patches(plan, canvas, y);
    y = draw_classes(plan, canvas, y);
    draw_verdicts(plan, canvas, y);
}
