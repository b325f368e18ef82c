#include "views/side.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

Side side_of_axis(const Trace *trace, int32_t axis)
{
    return (Side){.trace = trace, .axis = axis, .n = axis < 0 ? 1 : trace_axis(trace, axis)->len};
}

Side side_of_items(const Trace *trace, int32_t axis, const GridItem *items, int32_t n)
{
    return (Side){.trace = trace, .axis = axis, .items = items, .n = n};
}

const char *side_label(const Side *side, int32_t i, char room[SIDE_LABEL_BYTES])
{
    if (side->items)
        return side->items[i].label;
    const TraceAxis *axis = side->axis < 0 ? NULL : trace_axis(side->trace, side->axis);
    if (axis && axis->labels)
        return axis->labels[i];
    snprintf(room, SIDE_LABEL_BYTES, "%d", (int)i + 1);
    return axis ? room : "";
}

uint8_t side_flags(const Side *side, int32_t i)
{
    if (side->items)
        return side->items[i].flags;
    const TraceAxis *axis = side->axis < 0 ? NULL : trace_axis(side->trace, side->axis);
    return axis && axis->flags ? axis->flags[i] : 0;
}

int32_t side_first(const Side *side, int32_t i)
{
    return side->items ? side->items[i].first : i;
}

int32_t side_count(const Side *side, int32_t i)
{
    return side->items ? side->items[i].count : 1;
}

int32_t side_find(const Side *side, int32_t first)
{
    if (!side->items)
        return first >= 0 && first < side->n ? first : -1;
    for (int32_t i = 0; i < side->n; i++)
        if (first >= side->items[i].first && first < side->items[i].first + side->items[i].count)
            return i;
    return -1;
}

static bool code_is_right_to_left(uint32_t code)
{
    return (code >= 0x0590 && code <= 0x08FF) || (code >= 0xFB1D && code <= 0xFDFF) ||
           (code >= 0xFE70 && code <= 0xFEFC) || (code >= 0x10800 && code <= 0x10FFF) ||
           (code >= 0x1E800 && code <= 0x1EFFF);
}

bool side_reads_right_to_left(const Side *side)
{
    char room[SIDE_LABEL_BYTES];
    int32_t right = 0, left = 0, step = 1 + side->n / SIDE_MOST_WIDTHS;
    for (int32_t i = 0; i < side->n; i += step) {
        const char *label = side_label(side, i, room);
        size_t n = strlen(label);
        uint32_t code;
        for (size_t at = 0; at < n; at += (size_t)utf8_decode(label + at, n - at, &code)) {
            utf8_decode(label + at, n - at, &code);
            if (code_is_right_to_left(code))
                right++;
            else if (utf8_is_letter(code))
                left++;
        }
    }
    return right > left;
}

/* ---- layout ---- */

typedef struct Widths {
    float widest;
    float share_over; /* of labels that are wider than the pitch */
} Widths;

int32_t side_measure(const ViewFrame *frame, const Side *side, float widths[SIDE_MOST_WIDTHS])
{
    char room[SIDE_LABEL_BYTES];
    TextStyle style = theme_text(frame->theme);
    int32_t step = 1 + side->n / SIDE_MOST_WIDTHS, n = 0;
    style.bold = true; /* any label may become the current one */
    style.size = 1;
    for (int32_t i = 0; i < side->n; i += step)
        widths[n++] = fonts_width(frame->fonts, side_label(side, i, room), &style);
    return n;
}

static Widths measure(const ViewFrame *frame, const Side *side, float size, float limit)
{
    float room[SIDE_MOST_WIDTHS];
    Widths found = {0};
    int32_t n = side->widths ? side->n_widths : side_measure(frame, side, room), over = 0;
    const float *widths = side->widths ? side->widths : room;
    for (int32_t i = 0; i < n; i++) {
        found.widest = fmaxf(found.widest, widths[i] * size);
        over += widths[i] * size > limit;
    }
    found.share_over = n ? (float)over / (float)n : 0;
    return found;
}

/* 1, 2, 5, 10, 20, 50, ... */
static int32_t nice_stride(float least)
{
    int32_t stride = 1;
    for (int i = 0; (float)stride < least; i++)
        stride = i % 3 == 1 ? stride / 2 * 5 : stride * 2;
    return stride;
}

/* The size at which lines of text stand `distance` apart, and how many must be left out. */
static void fit_lines(SideLayout *layout, float distance, float least_size)
{
    float line = 1.15f;
    if (layout->style.size * line > distance)
        layout->style.size = fmaxf(least_size, distance / line);
    layout->stride = nice_stride(layout->style.size * line / distance);
}

static SideLayout layout_left(const ViewFrame *frame, const Side *side, float pitch, float room)
{
    float u = view_unit(frame);
    SideLayout layout = {.edge = SIDE_LEFT, .style = theme_text(frame->theme)};
    layout.style.size = frame->theme->input_size;
    layout.style.align = ALIGN_END;
    /* The room is that of full-size labels: zooming in sets them larger. */
    Widths widths = measure(frame, side, layout.style.size, room);
    layout.style.max_width = fmaxf(fminf(widths.widest + u, room - 12 * u), 12 * u);
    layout.extent = layout.style.max_width + 12 * u;
    fit_lines(&layout, pitch, 9 * u);
    return layout;
}

static void lie_flat(SideLayout *layout, float max_width, float u)
{
    layout->style.align = ALIGN_MIDDLE;
    layout->style.max_width = max_width;
    layout->extent = layout->style.size * 1.3f + 8 * u;
    layout->stride = 1;
}

/* The flattest of three slopes at which neighbours do not touch. */
static void turn(SideLayout *layout, float pitch, float room, float widest, float u)
{
    static const float slopes[] = {45, 60, 90};
    float degrees = 90, sine = 1;
    for (int i = 0; i < 3; i++) {
        sine = sinf(slopes[i] * 0.0174533f);
        degrees = slopes[i];
        if (sine * pitch >= layout->style.size * 1.15f)
            break;
    }
    fit_lines(layout, sine * pitch, 9 * u);
    float cosine = degrees > 89 ? 0 : cosf(degrees * 0.0174533f), size = layout->style.size;
    float most = (room - size - 6 * u) / sine;
    layout->style.turn = -degrees;
    layout->style.align = layout->edge == SIDE_BOTTOM ? ALIGN_END : ALIGN_START;
    layout->style.max_width = fmaxf(fminf(widest + u, most), 16 * u);
    layout->extent = sine * layout->style.max_width + cosine * size + 8 * u;
    layout->overhang = cosine * layout->style.max_width;
}

SideLayout side_layout(const ViewFrame *frame, const Side *side, SideEdge edge, float pitch,
                       float room)
{
    if (edge == SIDE_LEFT)
        return layout_left(frame, side, pitch, room);
    float u = view_unit(frame);
    SideLayout layout = {.edge = edge, .style = theme_text(frame->theme)};
    layout.style.size = frame->theme->input_size;
    Widths widths = measure(frame, side, layout.style.size, pitch - 6 * u);
    bool mostly_fits = pitch >= 56 * u && widths.share_over < 0.15f;
    if (side->n == 0 || widths.widest <= pitch - 6 * u || mostly_fits)
        lie_flat(&layout, pitch - 6 * u, u);
    else
        turn(&layout, pitch, room, widths.widest, u);
    return layout;
}

/* ---- drawing ---- */

/* Of thinned labels every stride-th is seen, the last, and those that are marked; the others make
 * room for these. */
static bool is_shown(const SideLayout *layout, int32_t i, int32_t last, SideMarks marks)
{
    if (i == marks.current || i == marks.hovered)
        return true;
    if ((marks.current >= 0 && abs(i - marks.current) < layout->stride) ||
        (marks.hovered >= 0 && abs(i - marks.hovered) < layout->stride))
        return false;
    return i == last || (i % layout->stride == 0 && (i == 0 || last - i >= layout->stride));
}

/* Where the label of the item whose middle is at `middle` along its edge begins or ends. */
static Point label_point(const SideLayout *layout, Rect cells, float middle, float u)
{
    float drop = view_baseline(&layout->style), gap = 6 * u;
    if (layout->edge == SIDE_LEFT)
        return (Point){cells.x - 10 * u, middle + drop};
    float y = layout->edge == SIDE_TOP ? cells.y - gap : cells.y + cells.h + gap;
    if (layout->style.turn == 0)
        return (Point){middle, layout->edge == SIDE_TOP ? y - 3 * u : y + layout->style.size + u};
    float angle = -layout->style.turn * 0.0174533f;
    if (layout->edge == SIDE_BOTTOM)
        y += drop * cosf(angle) + 2 * u;
    return (Point){middle + drop * sinf(angle), y};
}

static Rect label_band(const SideLayout *layout, Rect cells, float from, float pitch)
{
    if (layout->edge == SIDE_LEFT)
        return (Rect){cells.x - layout->extent, from, layout->extent, pitch};
    float y = layout->edge == SIDE_TOP ? cells.y - layout->extent : cells.y + cells.h;
    return (Rect){from, y, pitch, layout->extent};
}

/* What the person decided: a dot where they gave the token, a ring with a bar where they hid it. */
static void draw_flags(const ViewFrame *frame, Canvas *canvas, const SideLayout *layout, Rect cells,
                       float middle, uint8_t flags)
{
    float u = view_unit(frame);
    Color color = frame->theme->warning;
    Point at = layout->edge == SIDE_LEFT  ? (Point){cells.x - 4 * u, middle}
               : layout->edge == SIDE_TOP ? (Point){middle, cells.y - 3 * u}
                                          : (Point){middle, cells.y + cells.h + 4 * u};
    if (flags & TRACE_TOKEN_FORCED)
        canvas_circle(canvas, at, 2 * u, color, (Stroke){0});
    if (!(flags & TRACE_TOKEN_HIDDEN))
        return;
    canvas_circle(canvas, at, 3 * u, frame->theme->background, (Stroke){color, 1.3f * u, 0});
    canvas_line(canvas, (Point){at.x - 2 * u, at.y + 2 * u}, (Point){at.x + 2 * u, at.y - 2 * u},
                (Stroke){color, 1.3f * u, 0});
    canvas_tag(canvas, (Rect){at.x - 3 * u, at.y - 3 * u, 6 * u, 6 * u}, TAG_LABEL, "hidden", NULL);
}

static void draw_label(const ViewFrame *frame, Canvas *canvas, const Side *side,
                       const SideLayout *layout, Rect cells, float start, float pitch, int32_t i,
                       SideMarks marks)
{
    float from = start + (float)side_place(side, i) * pitch;
    char room[SIDE_LABEL_BYTES];
    const Theme *theme = frame->theme;
    float u = view_unit(frame);
    const char *label = side_label(side, i, room);
    uint8_t flags = side_flags(side, i);
    TextStyle style = layout->style;
    style.bold = i == marks.current || i == marks.hovered || i == marks.strongest;
    if (flags & (TRACE_TOKEN_SPECIAL | TRACE_TOKEN_PADDING | TRACE_TOKEN_HIDDEN))
        style.color = theme->muted;
    if (i >= marks.ghosts_from)
        style.color = color_fade(theme->muted, 0.55f);
    Rect band = label_band(layout, cells, from, pitch);
    if (i == marks.hovered && layout->style.turn == 0 && pitch > style.size * 1.3f)
        canvas_fill(canvas, rect_inset(band, layout->edge == SIDE_LEFT ? -3 * u : u, u), 4 * u,
                    theme->accent_tint);
    Point point = label_point(layout, cells, from + pitch / 2, u);
    canvas_text(canvas, point, label, style);
    draw_flags(frame, canvas, layout, cells, from + pitch / 2, flags);
    canvas_tag(canvas, band, TAG_LABEL, label, NULL);
}

/* First and last + 1 place whose middle lies within the cells. */
static void visible_places(const SideLayout *layout, Rect cells, float start, float pitch,
                           int32_t n, int32_t *first, int32_t *end)
{
    float low = layout->edge == SIDE_LEFT ? cells.y : cells.x;
    float high = low + (layout->edge == SIDE_LEFT ? cells.h : cells.w);
    double a = ceil(((double)low - (double)start) / (double)pitch - 0.5 - 1e-3);
    double b = floor(((double)high - (double)start) / (double)pitch - 0.5 + 1e-3) + 1;
    *first = (int32_t)fmax(0, fmin(a, n));
    *end = (int32_t)fmax(*first, fmin(b, n));
}

void side_draw(const ViewFrame *frame, Canvas *canvas, const Side *side, const SideLayout *layout,
               Rect cells, float start, float pitch, SideMarks marks)
{
    int32_t first, end;
    visible_places(layout, cells, start, pitch, side->n, &first, &end);
    int32_t low = side->reversed ? side->n - end : first;
    int32_t high = side->reversed ? side->n - first : end;
    /* Where not even two fit beside each other, the first stands for the last. */
    int32_t last = side->n > layout->stride ? side->n - 1 : 0, stride = layout->stride;
    const int32_t others[] = {marks.current, marks.hovered == marks.current ? -1 : marks.hovered,
                              last == marks.current || last == marks.hovered ? -1 : last};
    for (int32_t i = (low + stride - 1) / stride * stride; i < high; i += stride)
        if (is_shown(layout, i, last, marks))
            draw_label(frame, canvas, side, layout, cells, start, pitch, i, marks);
    for (int k = 0; k < 3; k++)
        if (others[k] >= low && others[k] < high && others[k] % stride != 0 &&
            is_shown(layout, others[k], last, marks))
            draw_label(frame, canvas, side, layout, cells, start, pitch, others[k], marks);
}

int32_t side_hit(const Side *side, const SideLayout *layout, Rect cells, float start, float pitch,
                 float x, float y)
{
    bool left = layout->edge == SIDE_LEFT;
    Rect band = left ? (Rect){cells.x - layout->extent, cells.y, layout->extent, cells.h}
                     : label_band(layout, cells, cells.x, cells.w);
    if (!rect_contains(band, x, y))
        return -1;
    float along = ((left ? y : x) - start) / pitch;
    int32_t place = (int32_t)floorf(along);
    if (along < 0 || place >= side->n)
        return -1;
    return side_place(side, place);
}
