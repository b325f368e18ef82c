#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/links.h"

/* ---- blocks of words ---- */

static LinkNode *make_nodes(LinksPlan *plan, int32_t n, int32_t *n_nodes)
{
    int32_t per = (n + LINKS_MAX_NODES - 1) / LINKS_MAX_NODES;
    per = per > 0 ? per : 1;
    *n_nodes = (n + per - 1) / per;
    LinkNode *nodes = arena_get_zeroed(plan->arena, (size_t)*n_nodes + 1, sizeof *nodes);
    for (int32_t i = 0; i < *n_nodes; i++) {
        nodes[i].first = i * per;
        nodes[i].count = i * per + per <= n ? per : n - i * per;
    }
    return nodes;
}

/* Adds the columns' sums to one row of blocks. */
static void add_row(const LinksPlan *plan, const float *values, float share, float *blocks)
{
    for (int32_t j = 0; j < plan->n_cols; j++) {
        double sum = 0;
        for (int32_t k = plan->cols[j].first; k < plan->cols[j].first + plan->cols[j].count; k++)
            sum += isfinite(values[k]) ? (double)values[k] : 0;
        blocks[j] += (float)sum * share;
    }
}

/* [n_rows, n_cols]; borrowed from the cache. */
static const float *block_weights(const LinksPlan *plan, const ValuesSpec *spec,
                                  const Values *values)
{
    ViewKey key = values_key("links", spec);
    float *blocks = view_cache_find(plan->frame->cache, &key);
    if (blocks)
        return blocks;
    size_t n = (size_t)plan->n_rows * (size_t)plan->n_cols;
    const TraceMatrix *matrix = &values->matrix;
    blocks = memory_new(n + 1, sizeof *blocks);
    float *row = memory_new((size_t)matrix->cols, sizeof *row);
    for (int32_t i = 0; i < plan->n_rows; i++)
        for (int32_t k = plan->rows[i].first; k < plan->rows[i].first + plan->rows[i].count; k++) {
            trace_matrix_read(matrix, k, 0, matrix->cols, row);
            add_row(plan, row, 1 / (float)plan->rows[i].count,
                    blocks + (size_t)i * (size_t)plan->n_cols);
        }
    free(row);
    return view_cache_put(plan->frame->cache, &key, blocks, n * sizeof *blocks, free);
}

static int by_falling_weight(const void *a, const void *b)
{
    const Link *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    if (x->head != y->head)
        return x->head - y->head;
    return x->row != y->row ? x->row - y->row : x->col - y->col;
}

/* The strongest links of one matrix, behind the `n` that are there; returns how many are then.
 * *total and *drawn grow by its weight and by what is drawn of it. */
static int collect(LinksPlan *plan, const float *blocks, int32_t head, int n, double *total,
                   double *drawn)
{
    float least = (float)settings_real(plan->frame->options, "least");
    int most = head < 0 ? LINKS_MAX : LINKS_OF_A_HEAD, kept = 0;
    size_t cells = (size_t)plan->n_rows * (size_t)plan->n_cols;
    Link *all = arena_get(plan->arena, cells + 1, sizeof *all);
    for (int32_t i = 0; i < plan->n_rows; i++)
        for (int32_t j = 0; j < plan->n_cols; j++) {
            float weight = blocks[(size_t)i * (size_t)plan->n_cols + (size_t)j];
            *total += (double)weight;
            if (weight >= least)
                all[kept++] = (Link){i, j, weight, head};
        }
    qsort(all, (size_t)kept, sizeof *all, by_falling_weight);
    plan->n_omitted += (double)cells - (kept < most ? kept : most);
    for (int i = 0; i < kept && i < most; i++) {
        plan->links[n++] = all[i];
        *drawn += (double)all[i].weight;
    }
    return n;
}

static int32_t n_open(const LinksPlan *plan)
{
    int32_t n = 0;
    for (int32_t h = 0; h < plan->n_heads; h++)
        n += plan->open[h];
    return n;
}

static void collect_heads(LinksPlan *plan, double *total, double *drawn)
{
    for (int32_t h = 0; h < plan->n_heads; h++) {
        ValuesSpec spec = plan->spec;
        Error passed_over = {0};
        spec.at[plan->head_axis] = h;
        const Values *values = plan->open[h] ? values_get(plan->frame, &spec, &passed_over) : NULL;
        if (values && values->rows.n == plan->values->rows.n &&
            values->cols.n == plan->values->cols.n)
            plan->n_links =
                collect(plan, block_weights(plan, &spec, values), h, plan->n_links, total, drawn);
    }
}

static void collect_links(LinksPlan *plan)
{
    double total = 0, drawn = 0;
    int32_t heads = n_open(plan);
    size_t room = heads > 0 ? (size_t)heads * LINKS_OF_A_HEAD : LINKS_MAX;
    plan->links = arena_get(plan->arena, room + 1, sizeof *plan->links);
    if (heads > 0)
        collect_heads(plan, &total, &drawn);
    else
        plan->n_links =
            collect(plan, block_weights(plan, &plan->spec, plan->values), -1, 0, &total, &drawn);
    qsort(plan->links, (size_t)plan->n_links, sizeof *plan->links, by_falling_weight);
    int32_t matrices = heads > 0 ? heads : 1;
    plan->omitted = plan->n_rows ? (total - drawn) / plan->n_rows / matrices : 0;
}

static int32_t node_of(const LinkNode *nodes, int32_t n, int32_t item)
{
    for (int32_t i = 0; i < n; i++)
        if (item >= nodes[i].first && item < nodes[i].first + nodes[i].count)
            return i;
    return -1;
}

static void mark_step(LinksPlan *plan)
{
    Shade none = {0};
    MatrixSpec spec = matrix_spec(plan->frame, plan->values, &none, plan->frame->area);
    heatmap_mark_step(plan->frame, &spec);
    plan->current = spec.current < 0 ? -1 : node_of(plan->rows, plan->n_rows, spec.current);
    plan->ghosts_from = plan->n_rows;
    for (int32_t i = plan->n_rows - 1; i >= 0 && plan->rows[i].first >= spec.ghosts_from; i--)
        plan->ghosts_from = i;
}

/* ---- places ---- */

const char *links_label(const Side *side, const LinkNode *node, char text[LINKS_LABEL_BYTES])
{
    char room[SIDE_LABEL_BYTES];
    const char *label = side_label(side, node->first, room);
    if (node->count == 1 && label != room)
        return label;
    if (node->count == 1)
        snprintf(text, LINKS_LABEL_BYTES, "%s", label);
    else
        snprintf(text, LINKS_LABEL_BYTES, "%.160s \u2026 +%d", label, (int)node->count - 1);
    return text;
}

static float label_width(const LinksPlan *plan, const Side *side, const LinkNode *node,
                         TextStyle style)
{
    char text[LINKS_LABEL_BYTES];
    style.bold = true;
    return fonts_width(plan->frame->fonts, links_label(side, node, text), &style);
}

static float sentence_width(const LinksPlan *plan, const Side *side, const LinkNode *nodes,
                            int32_t n, TextStyle style, float gap)
{
    float sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += label_width(plan, side, &nodes[i], style) + gap;
    return sum - gap;
}

/* A sentence along y; words keep their widths and share what is left. */
static void lay_across(LinksPlan *plan, const Side *side, LinkNode *nodes, int32_t n, float y,
                       bool links_below)
{
    float u = view_unit(plan->frame), gap = 14 * u;
    TextStyle style = plan->row_style;
    float width = sentence_width(plan, side, nodes, n, style, gap);
    if (n > 1)
        gap = fminf(gap + (plan->place.w - width) / (float)(n - 1), 44 * u);
    width = sentence_width(plan, side, nodes, n, style, gap);
    float x = plan->place.x + (plan->place.w - width) / 2;
    for (int32_t k = 0; k < n; k++) {
        LinkNode *node = &nodes[side->reversed ? n - 1 - k : k];
        float w = label_width(plan, side, node, style);
        node->place = (Rect){x - 5 * u, y - 13 * u, w + 10 * u, 26 * u};
        node->text = (Point){x + w / 2, y + view_baseline(&style)};
        node->anchor = (Point){x + w / 2, links_below ? y + 14 * u : y - 14 * u};
        x += w + gap;
    }
}

static float widest(const LinksPlan *plan, const Side *side, const LinkNode *nodes, int32_t n,
                    TextStyle style)
{
    float most = 0;
    for (int32_t i = 0; i < n; i++)
        most = fmaxf(most, label_width(plan, side, &nodes[i], style));
    return most;
}

/* A column; the shorter one is spread so that both end together. */
static void lay_column(LinkNode *nodes, int32_t n, TextStyle style, float x, float y, float height,
                       float width, bool is_left, float u)
{
    float pitch = height / (float)(n > 0 ? n : 1);
    for (int32_t i = 0; i < n; i++) {
        float middle = y + pitch * ((float)i + 0.5f), h = fminf(pitch, 26 * u);
        nodes[i].place = (Rect){is_left ? x - width : x, middle - h / 2, width, h};
        nodes[i].text = (Point){is_left ? x - 8 * u : x + 8 * u, middle + view_baseline(&style)};
        nodes[i].anchor = (Point){x, middle};
    }
}

static void lay_columns(LinksPlan *plan)
{
    const Values *v = plan->values;
    float u = view_unit(plan->frame);
    int32_t most = plan->n_rows > plan->n_cols ? plan->n_rows : plan->n_cols;
    float pitch = fminf(fmaxf(plan->place.h / (float)most, 11.5f * u), 30 * u);
    float height = pitch * (float)most;
    float size = fminf(plan->frame->theme->input_size, pitch * 0.82f);
    plan->row_style.size = plan->col_style.size = size;
    float limit = plan->place.w * 0.3f;
    float left = fminf(widest(plan, &v->cols, plan->cols, plan->n_cols, plan->col_style), limit);
    float right = fminf(widest(plan, &v->rows, plan->rows, plan->n_rows, plan->row_style), limit);
    float between = fminf(plan->place.w - left - right - 36 * u, 420 * u);
    float x = plan->place.x + (plan->place.w - left - right - between - 32 * u) / 2;
    plan->col_style.max_width = left + u;
    plan->row_style.max_width = right + u;
    plan->col_style.align = ALIGN_END;
    plan->row_style.align = ALIGN_START;
    ViewPort port = {plan->place, plan->place.w, height, 1};
    float scrolled = plan->place.y - view_camera(&port, plan->frame->camera).y;
    plan->height = height;
    lay_column(plan->cols, plan->n_cols, plan->col_style, x + left + 16 * u, scrolled, height,
               left + 16 * u, true, u);
    lay_column(plan->rows, plan->n_rows, plan->row_style, x + left + 16 * u + between, scrolled,
               height, right + 16 * u, false, u);
}

static void lay_out(LinksPlan *plan)
{
    const Values *v = plan->values;
    float u = view_unit(plan->frame), gap = 14 * u;
    TextStyle style = theme_text(plan->frame->theme);
    style.size = plan->frame->theme->input_size;
    style.align = ALIGN_MIDDLE;
    plan->row_style = plan->col_style = style;
    float top = sentence_width(plan, &v->cols, plan->cols, plan->n_cols, style, gap);
    float bottom = sentence_width(plan, &v->rows, plan->rows, plan->n_rows, style, gap);
    plan->across = fmaxf(top, bottom) <= plan->place.w;
    if (!plan->across) {
        lay_columns(plan);
        return;
    }
    float height = fminf(plan->place.h, 300 * u);
    plan->height = height;
    lay_across(plan, &v->cols, plan->cols, plan->n_cols, plan->place.y + 14 * u, true);
    lay_across(plan, &v->rows, plan->rows, plan->n_rows, plan->place.y + height - 14 * u, false);
}

/* ---- plan ---- */

static void write_notes(LinksPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    view_note_changes(frame, &plan->notes);
    int32_t per =
        plan->rows[0].count > plan->cols[0].count ? plan->rows[0].count : plan->cols[0].count;
    if (per > 1)
        view_note(&plan->notes, false, view_word(frame, WORD_LINK_BLOCKS), (int)per);
    if (plan->n_omitted > 0)
        view_note(&plan->notes, false, view_word(frame, WORD_LINKS_OMITTED),
                  view_percent(plan->omitted).text);
}

static void write_subtitle(LinksPlan *plan)
{
    ValuesPlace place = values_place(plan->frame, &plan->spec);
    const char *model = view_maker(plan->frame->trace);
    snprintf(plan->subtitle, sizeof plan->subtitle, "%s%s%s%s%s",
             view_word(plan->frame, WORD_LINKS_SUBTITLE), place.text[0] ? " · " : "", place.text,
             model[0] ? " · " : "", model);
}

static void place_parts(LinksPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    ViewHeading heading = {view_attention_title(frame), plan->subtitle};
    float head = view_draw_heading(frame, NULL, content, heading) + 18 * u;
    float notes = view_draw_notes(frame, NULL, content, &plan->notes);
    plan->chips = content;
    float chips = links_draw_chips(plan, NULL);
    float below = 54 * u + chips + notes;
    plan->heading = (Rect){content.x, content.y, content.w, head};
    plan->place =
        (Rect){content.x, content.y + head, content.w, fmaxf(content.h - head - below, 80 * u)};
    lay_out(plan);
    float end = plan->place.y + fminf(plan->height, plan->place.h);
    plan->legend = (Rect){content.x, end + 26 * u, content.w, 20 * u};
    plan->chips = (Rect){content.x, end + 54 * u, content.w, chips};
    plan->notes_place = (Rect){content.x, end + 54 * u + chips, content.w, notes};
}

void links_plan(LinksPlan *plan, const ViewFrame *frame)
{
    *plan = (LinksPlan){.frame = frame, .arena = arena_new(), .current = -1};
    plan->tensor = values_named(frame->trace, settings_text(frame->options, "tensor"));
    if (!plan->tensor) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_ATTENTION));
        return;
    }
    plan->spec = values_spec(frame, plan->tensor);
    const Values *values = values_get(frame, &plan->spec, &plan->error);
    if (!values)
        return;
    if (values->matrix.rows == 0 || values->matrix.cols == 0) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_TOKENS));
        return;
    }
    plan->values = values;
    plan->rows = make_nodes(plan, values->rows.n, &plan->n_rows);
    plan->cols = make_nodes(plan, values->cols.n, &plan->n_cols);
    links_choose_heads(plan);
    collect_links(plan);
    mark_step(plan);
    write_notes(plan);
    write_subtitle(plan);
    place_parts(plan);
}

void links_plan_free(LinksPlan *plan)
{
    arena_free(plan->arena);
}

void links_curve(const LinksPlan *plan, const Link *link, Point out[4])
{
    Point a = plan->cols[link->col].anchor, b = plan->rows[link->row].anchor;
    out[0] = a;
    out[3] = b;
    if (plan->across) {
        float bend = (b.y - a.y) * 0.45f;
        out[1] = (Point){a.x, a.y + bend};
        out[2] = (Point){b.x, b.y - bend};
    } else {
        float bend = (b.x - a.x) * 0.45f;
        out[1] = (Point){a.x + bend, a.y};
        out[2] = (Point){b.x - bend, b.y};
    }
}
