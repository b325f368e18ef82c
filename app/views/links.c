#include "views/links.h"

#include <math.h>

const Setting links_settings[] = {
    {"least", SETTING_REAL, "0.04", 0, 1, NULL, "weaker links are not drawn"},
    VALUES_SETTINGS,
    {"heads", SETTING_CHOICE, "together", 0, 0, "together|each",
     "one matrix, or each head in its colour"},
    {"open", SETTING_TEXT, "", 0, 0, NULL, "which heads: 1,4,9; empty: all"},
    {"tensor", SETTING_TEXT, "", 0, 0, NULL, "which tensor, by name; empty: the main one"},
    {0},
};

/* The word whose links are isolated: pointed at, or clicked. */
typedef struct Focus {
    int32_t row, col; /* nodes; -1: none. Both: one link */
} Focus;

static int32_t node_at(const LinkNode *nodes, int32_t n, int32_t place)
{
    for (int32_t i = 0; i < n && place >= 0; i++)
        if (place >= nodes[i].first && place < nodes[i].first + nodes[i].count)
            return i;
    return -1;
}

static Focus find_focus(const LinksPlan *plan)
{
    Focus focus = {-1, -1};
    const ViewFrame *f = plan->frame;
    const ViewHit *hit = f->hover.kind != HIT_NOTHING ? &f->hover : &f->selected;
    if (f->is_figure)
        hit = &f->selected;
    if (hit->kind == HIT_ROW || hit->kind == HIT_CELL)
        focus.row = node_at(plan->rows, plan->n_rows, side_find(&plan->values->rows, hit->row));
    if (hit->kind == HIT_COL || hit->kind == HIT_CELL)
        focus.col = node_at(plan->cols, plan->n_cols, side_find(&plan->values->cols, hit->col));
    return focus;
}

/* ---- drawing ---- */

static float link_opacity(const LinksPlan *plan, const Link *link, Focus focus)
{
    float opacity = 0.12f + 0.88f * sqrtf(fminf(link->weight, 1));
    if (focus.row >= 0 || focus.col >= 0) {
        bool is_in =
            (focus.row < 0 || link->row == focus.row) && (focus.col < 0 || link->col == focus.col);
        return is_in ? fmaxf(opacity, 0.35f) : 0.05f;
    }
    if (link->row >= plan->ghosts_from)
        return opacity * 0.16f;
    return plan->current >= 0 && link->row != plan->current ? opacity * 0.45f : opacity;
}

static void draw_links(const LinksPlan *plan, Canvas *canvas, Focus focus)
{
    float u = view_unit(plan->frame);
    for (int i = plan->n_links - 1; i >= 0; i--) { /* the strongest last */
        const Link *link = &plan->links[i];
        Point curve[4];
        links_curve(plan, link, curve);
        float width = u * fmaxf(0.7f, 7 * fminf(link->weight, 1));
        Color color = link->head < 0 ? plan->frame->theme->accent
                                     : links_head_color(plan->frame->theme, link->head);
        color = color_fade(color, link_opacity(plan, link, focus));
        canvas_path(canvas, curve, 4, true, (Stroke){color, width, 0});
    }
}

/* A word that the person hid is struck out. */
static void draw_struck(const LinksPlan *plan, Canvas *canvas, const LinkNode *node,
                        const char *label, TextStyle style)
{
    float w = fonts_width(plan->frame->fonts, label, &style), x = node->text.x;
    x -= style.align == ALIGN_END ? w : style.align == ALIGN_MIDDLE ? w / 2 : 0;
    float y = node->text.y - view_baseline(&style) + style.size * 0.06f;
    canvas_line(canvas, (Point){x, y}, (Point){x + w, y},
                (Stroke){plan->frame->theme->warning, 1.5f * view_unit(plan->frame), 0});
}

static void draw_node(const LinksPlan *plan, Canvas *canvas, const Side *side, const LinkNode *node,
                      TextStyle style, bool is_focus, bool is_ghost)
{
    char text[LINKS_LABEL_BYTES];
    const Theme *theme = plan->frame->theme;
    uint8_t flags = side_flags(side, node->first);
    const char *label = links_label(side, node, text);
    if (is_focus && node->place.h > style.size)
        canvas_fill(canvas, node->place, 4 * view_unit(plan->frame), theme->accent_tint);
    style.bold = is_focus;
    if (flags & (TRACE_TOKEN_SPECIAL | TRACE_TOKEN_PADDING))
        style.color = theme->muted;
    if (flags & TRACE_TOKEN_FORCED)
        style.color = theme->warning;
    if (flags & TRACE_TOKEN_HIDDEN)
        draw_struck(plan, canvas, node, label, style);
    if (is_ghost)
        style.color = color_fade(theme->muted, 0.55f);
    canvas_text(canvas, node->text, label, style);
    canvas_tag(canvas, node->place, TAG_LABEL, label, NULL);
}

static void draw_sides(const LinksPlan *plan, Canvas *canvas, Focus focus)
{
    for (int32_t i = 0; i < plan->n_cols; i++)
        draw_node(plan, canvas, &plan->values->cols, &plan->cols[i], plan->col_style,
                  i == focus.col, false);
    for (int32_t i = 0; i < plan->n_rows; i++)
        draw_node(plan, canvas, &plan->values->rows, &plan->rows[i], plan->row_style,
                  i == focus.row || (focus.row < 0 && focus.col < 0 && i == plan->current),
                  i >= plan->ghosts_from);
}

/* Numbers at the far ends of an isolated word's links. */
static void draw_numbers(const LinksPlan *plan, Canvas *canvas, Focus focus)
{
    float u = view_unit(plan->frame);
    if ((focus.row < 0) == (focus.col < 0))
        return;
    TextStyle style = theme_number(plan->frame->theme);
    style.size = plan->frame->theme->caption_size;
    style.color = plan->frame->theme->muted;
    style.align = ALIGN_MIDDLE;
    for (int i = 0; i < plan->n_links; i++) {
        const Link *link = &plan->links[i];
        if ((focus.row >= 0 && link->row != focus.row) ||
            (focus.col >= 0 && link->col != focus.col))
            continue;
        bool at_col = focus.row >= 0;
        const LinkNode *end = at_col ? &plan->cols[link->col] : &plan->rows[link->row];
        Point at = {end->place.x + end->place.w / 2,
                    at_col ? end->place.y - 4 * u : end->place.y + end->place.h + 11 * u};
        if (!plan->across) {
            if (end->place.h < 10 * u)
                continue;
            style.align = at_col ? ALIGN_START : ALIGN_END;
            at = (Point){end->anchor.x + (at_col ? 8 * u : -8 * u), end->anchor.y - 3 * u};
        }
        canvas_text(canvas, at, view_number((double)link->weight, 2).text, style);
    }
}

/* Sample strokes with their weights. */
static void draw_legend(const LinksPlan *plan, Canvas *canvas)
{
    static const float samples[] = {0.1f, 0.25f, 0.5f, 1};
    float u = view_unit(plan->frame), x = plan->legend.x, y = plan->legend.y + 8 * u;
    TextStyle number = theme_number(plan->frame->theme), text = theme_muted(plan->frame->theme);
    number.size = plan->frame->theme->caption_size;
    number.color = plan->frame->theme->muted;
    for (int i = 0; i < 4; i++) {
        float opacity = 0.12f + 0.88f * sqrtf(samples[i]);
        canvas_line(canvas, (Point){x, y}, (Point){x + 30 * u, y},
                    (Stroke){color_fade(plan->frame->theme->accent, opacity),
                             u * fmaxf(0.7f, 7 * samples[i]), 0});
        ViewNumber label = view_short_number((double)samples[i]);
        canvas_text(canvas, (Point){x + 36 * u, y + view_baseline(&number)}, label.text, number);
        x += 52 * u + fonts_width(plan->frame->fonts, label.text, &number);
    }
    text.max_width = fmaxf(plan->legend.x + plan->legend.w - x, u);
    canvas_text(canvas, (Point){x, y + view_baseline(&text)},
                view_word(plan->frame, WORD_LEGEND_WEIGHT), text);
    canvas_tag(canvas, plan->legend, TAG_LABEL, "legend", NULL);
}

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    LinksPlan plan;
    links_plan(&plan, frame);
    if (!plan.values) {
        view_draw_empty(frame, canvas, plan.error.message);
        links_plan_free(&plan);
        return;
    }
    Focus focus = find_focus(&plan);
    view_draw_heading(frame, canvas, plan.heading,
                      (ViewHeading){view_attention_title(frame), plan.subtitle});
    float u = view_unit(frame);
    canvas_clip_push(canvas, rect_inset(plan.place, -8 * u, plan.across ? -14 * u : 0));
    draw_links(&plan, canvas, focus);
    draw_sides(&plan, canvas, focus);
    draw_numbers(&plan, canvas, focus);
    canvas_clip_pop(canvas);
    draw_legend(&plan, canvas);
    links_draw_chips(&plan, canvas);
    view_draw_notes(frame, canvas, plan.notes_place, &plan.notes);
    view_draw_tooltip(frame, canvas, &frame->hover);
    links_plan_free(&plan);
}

/* ---- hits ---- */

static float distance_to_curve(const Point curve[4], float x, float y)
{
    enum { SAMPLES = 24 };
    float best = INFINITY;
    for (int i = 0; i <= SAMPLES; i++) {
        float t = (float)i / SAMPLES, s = 1 - t;
        float a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
        float dx = a * curve[0].x + b * curve[1].x + c * curve[2].x + d * curve[3].x - x;
        float dy = a * curve[0].y + b * curve[1].y + c * curve[2].y + d * curve[3].y - y;
        best = fminf(best, dx * dx + dy * dy);
    }
    return sqrtf(best);
}

static const Link *link_at(const LinksPlan *plan, float x, float y)
{
    float u = view_unit(plan->frame);
    for (int i = 0; i < plan->n_links; i++) { /* the strongest first */
        Point curve[4];
        links_curve(plan, &plan->links[i], curve);
        float reach = fmaxf(7 * plan->links[i].weight * u / 2, 2 * u) + 3 * u;
        if (distance_to_curve(curve, x, y) < reach)
            return &plan->links[i];
    }
    return NULL;
}

static int32_t word_at(const LinkNode *nodes, int32_t n, float x, float y)
{
    for (int32_t i = 0; i < n; i++)
        if (rect_contains(nodes[i].place, x, y))
            return i;
    return -1;
}

static ViewHit word_hit(HitKind kind, const Side *side, const LinkNode *node)
{
    char room[SIDE_LABEL_BYTES];
    int32_t item = side_first(side, node->first);
    ViewHit hit = {.kind = kind,
                   .axis = side->axis,
                   .row = kind == HIT_ROW ? item : 0,
                   .col = kind == HIT_COL ? item : 0,
                   .place = node->place};
    view_hit_add(&hit, "%s", side_label(side, node->first, room));
    if (node->count > 1)
        view_hit_add(&hit, "\u2026 %s", side_label(side, node->first + node->count - 1, room));
    return hit;
}

static ViewHit link_hit(const LinksPlan *plan, const Link *link, float x, float y)
{
    char a[SIDE_LABEL_BYTES], b[SIDE_LABEL_BYTES];
    const Values *v = plan->values;
    int32_t row = plan->rows[link->row].first, col = plan->cols[link->col].first;
    ViewHit hit = {.kind = HIT_CELL,
                   .row = side_first(&v->rows, row),
                   .col = side_first(&v->cols, col),
                   .place = {x, y, 1, 1}};
    view_hit_add(&hit, "%s \u2190 %s", side_label(&v->rows, row, a), side_label(&v->cols, col, b));
    view_hit_add(&hit, "%s %s", view_word(plan->frame, WORD_WEIGHT),
                 view_number((double)link->weight, 3).text);
    if (link->head >= 0)
        view_hit_add(&hit, "%s %d", view_word(plan->frame, WORD_HEAD), (int)link->head + 1);
    return hit;
}

static ViewHit chip_hit(const LinksPlan *plan, int32_t head)
{
    ViewHit hit = {.kind = HIT_HEAD, .row = -1, .col = head, .place = links_chip(plan, head)};
    view_hit_add(&hit, "%s %d", view_word(plan->frame, WORD_HEAD), (int)head + 1);
    return hit;
}

static ViewHit hit_plan(const LinksPlan *plan, float x, float y)
{
    const Values *v = plan->values;
    for (int32_t h = 0; h < plan->n_heads; h++)
        if (rect_contains(links_chip(plan, h), x, y))
            return chip_hit(plan, h);
    if (!rect_contains(rect_inset(plan->place, -8, -14), x, y))
        return (ViewHit){0};
    int32_t row = word_at(plan->rows, plan->n_rows, x, y);
    if (row >= 0)
        return word_hit(HIT_ROW, &v->rows, &plan->rows[row]);
    int32_t col = word_at(plan->cols, plan->n_cols, x, y);
    if (col >= 0)
        return word_hit(HIT_COL, &v->cols, &plan->cols[col]);
    const Link *link = link_at(plan, x, y);
    return link ? link_hit(plan, link, x, y) : (ViewHit){0};
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    LinksPlan plan;
    links_plan(&plan, frame);
    ViewHit found = plan.values ? hit_plan(&plan, x, y) : (ViewHit){0};
    links_plan_free(&plan);
    return found;
}

static float wanted_height(const ViewFrame *frame, float width)
{
    ViewFrame tall = *frame;
    float u = view_unit(frame);
    tall.area = (Rect){0, 0, width, 200 * u};
    tall.camera = (ViewCamera){0};
    LinksPlan plan;
    links_plan(&plan, &tall);
    float height = 200 * u;
    if (plan.values) {
        int32_t most = plan.n_rows > plan.n_cols ? plan.n_rows : plan.n_cols;
        float inner = plan.across ? 240 * u : fmaxf(17 * u * (float)most, 120 * u);
        height = plan.place.y + inner + 54 * u + plan.chips.h + plan.notes_place.h +
                 view_content(&tall).y;
    }
    links_plan_free(&plan);
    return height;
}

static ViewPort port(const ViewFrame *frame)
{
    LinksPlan plan;
    ViewFrame whole = *frame;
    whole.camera = (ViewCamera){0};
    links_plan(&plan, &whole);
    ViewPort port = {0};
    if (plan.values)
        port = (ViewPort){plan.place, plan.place.w, fmaxf(plan.height, plan.place.h), 1};
    links_plan_free(&plan);
    return port;
}

static bool offers(const Trace *trace)
{
    const TraceTensor *main = values_main(trace);
    if (!main || main->rank < 2)
        return false;
    const TraceAxis *rows = trace_axis(trace, main->axis[main->rank - 2]);
    const TraceAxis *cols = trace_axis(trace, main->axis[main->rank - 1]);
    return rows->kind != TRACE_AXIS_GRID && cols->kind != TRACE_AXIS_GRID;
}

const View view_links = {
    "links", "Links", links_settings, offers, draw, hit, wanted_height, port, NULL,
};
