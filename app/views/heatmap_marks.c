/* What lies over a heatmap: gold links, the largest cells, sums, rows a person changed. */
#include <math.h>
#include <stdlib.h>

#include "trace/align_score.h"
#include "trace/measure.h"
#include "views/heatmap.h"

/* ---- gold ---- */

static bool gold_matrix(const HeatmapPlan *plan, const char *name, TraceMatrix *out)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *gold = trace_find(trace, name), *main = plan->main;
    if (!gold || gold->rank != 2 || main->rank < 2 || gold->axis[0] != main->axis[main->rank - 2] ||
        gold->axis[1] != main->axis[main->rank - 1])
        return false;
    *out = trace_matrix(trace, gold, NULL);
    return true;
}

/* Any link among the items that a cell stands for. */
static bool has_link(const HeatmapPlan *plan, const TraceMatrix *gold, int32_t row, int32_t col)
{
    const Side *rows = &plan->values->rows, *cols = &plan->values->cols;
    int32_t r = side_first(rows, row), c = side_first(cols, col);
    for (int32_t i = r; i < r + side_count(rows, row); i++)
        for (int32_t j = c; j < c + side_count(cols, col); j++)
            if (trace_matrix_get(gold, i, j) > 0)
                return true;
    return false;
}

HeatmapGold heatmap_gold_at(const HeatmapPlan *plan, int32_t row, int32_t col)
{
    TraceMatrix gold;
    if (gold_matrix(plan, "gold.sure", &gold) && has_link(plan, &gold, row, col))
        return GOLD_SURE;
    if (gold_matrix(plan, "gold.possible", &gold) && has_link(plan, &gold, row, col))
        return GOLD_POSSIBLE;
    return GOLD_NONE;
}

void heatmap_draw_gold(const HeatmapPlan *plan, Canvas *canvas)
{
    if (!plan->options.gold)
        return;
    const Matrix *m = &plan->matrix;
    float u = view_unit(plan->frame), inset = fminf(2.5f * u, m->cell_w * 0.15f);
    Color good = plan->frame->theme->good;
    PyramidRegion part = matrix_visible(m);
    canvas_clip_push(canvas, m->cells);
    for (int32_t i = part.row; i < part.row + part.rows && m->cell_w >= 4; i++)
        for (int32_t j = part.col; j < part.col + part.cols; j++) {
            HeatmapGold gold = heatmap_gold_at(plan, i, j);
            if (gold == GOLD_NONE)
                continue;
            Rect cell = rect_inset(matrix_cell(m, i, j), inset, inset);
            /* A light line below keeps the mark visible on any cell. */
            canvas_frame(canvas, cell, 2 * u, (Stroke){plan->frame->theme->panel, 4 * u, 0});
            canvas_frame(canvas, rect_inset(cell, u, u), 2 * u,
                         (Stroke){good, 2 * u, gold == GOLD_SURE ? 0 : 4 * u});
        }
    canvas_clip_pop(canvas);
}

void heatmap_note_gold(HeatmapPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    const Values *v = plan->values;
    TraceMatrix any;
    bool has_sure = gold_matrix(plan, "gold.sure", &any);
    if (!has_sure && !gold_matrix(plan, "gold.possible", &any)) {
        view_note(&plan->notes, false, "%s", view_word(frame, WORD_NO_GOLD));
        return;
    }
    if (v->pyramid)
        return;
    AlignLinks gold = {0}, predicted = {0};
    int sure = 0, possible = 0;
    for (int32_t i = 0; i < v->rows.n; i++)
        for (int32_t j = 0; j < v->cols.n; j++) {
            HeatmapGold kind = heatmap_gold_at(plan, i, j);
            if (kind == GOLD_NONE)
                continue;
            sure += kind == GOLD_SURE;
            possible += kind == GOLD_POSSIBLE;
            align_links_add(&gold, (AlignLink){side_first(&v->cols, j), side_first(&v->rows, i),
                                               kind == GOLD_POSSIBLE});
        }
    align_from_grid(&v->grid, 0, &predicted);
    AlignScore score = {0};
    align_score_add(&score, &predicted, &gold);
    view_note(&plan->notes, false, view_word(frame, WORD_GOLD_NOTE),
              view_number(align_score_error_rate(&score), 3).text, sure, possible);
    align_links_free(&gold);
    align_links_free(&predicted);
}

/* ---- the largest of a row ---- */

void heatmap_draw_top(const HeatmapPlan *plan, Canvas *canvas)
{
    const Matrix *m = &plan->matrix;
    int k = plan->options.top;
    if (k == 0 || plan->values->pyramid || m->cell_w < 3)
        return;
    int32_t top[10];
    float u = view_unit(plan->frame);
    Color text = plan->frame->theme->text;
    PyramidRegion part = matrix_visible(m);
    canvas_clip_push(canvas, m->cells);
    for (int32_t i = part.row; i < part.row + part.rows; i++) {
        int32_t n = measure_top(&plan->values->grid, i, k, top);
        float opacity = i >= m->spec.ghosts_from ? 0.3f : 0.8f;
        for (int32_t j = 0; j < n; j++)
            canvas_frame(canvas, rect_inset(matrix_cell(m, i, top[j]), u, u), 0,
                         (Stroke){color_fade(text, opacity), j == 0 ? 1.5f * u : u, 0});
    }
    canvas_clip_pop(canvas);
}

/* ---- sums ---- */

static double row_sum(const HeatmapPlan *plan, int32_t row)
{
    double sum = 0;
    for (int32_t j = 0; j < plan->values->matrix.cols; j++)
        sum += (double)values_at(plan->values, row, j);
    return sum;
}

void heatmap_draw_sums(const HeatmapPlan *plan, Canvas *canvas)
{
    const Matrix *m = &plan->matrix;
    if (!plan->options.sums || plan->values->pyramid)
        return;
    float u = view_unit(plan->frame);
    bool below = m->spec.transposed;
    TextStyle style = theme_number(plan->frame->theme);
    style.color = plan->frame->theme->muted;
    style.size = fminf(11.5f * u, fmaxf(8.5f * u, m->cell_h * 0.7f));
    style.align = below ? ALIGN_MIDDLE : ALIGN_END;
    float pitch = below ? m->cell_w / 3.2f : m->cell_h;
    int32_t stride = (int32_t)fmaxf(1, ceilf(style.size * 1.15f / pitch));
    float right = m->cells.x + m->cells.w + 46 * u, under = m->cells.y + m->cells.h + 15 * u;
    PyramidRegion part = matrix_visible(m);
    for (int32_t i = part.row; i < part.row + part.rows; i += stride) {
        Rect cell = matrix_cell(m, i, 0);
        Point at = below ? (Point){cell.x + cell.w / 2, under}
                         : (Point){right, cell.y + cell.h / 2 + view_baseline(&style)};
        canvas_text(canvas, at, view_number(row_sum(plan, i), 2).text, style);
    }
    Point head = below ? (Point){m->cells.x - 10 * u, under} : (Point){right, m->cells.y - 9 * u};
    style.align = ALIGN_END;
    canvas_text(canvas, head, "\u03a3", style);
}

/* ---- rows that a person changed ---- */

static bool row_differs(const Values *a, const Values *b, int32_t row)
{
    for (int32_t j = 0; j < a->matrix.cols; j++)
        if (!(fabsf(values_at(a, row, j) - values_at(b, row, j)) <= 1e-6f))
            return true;
    return false;
}

/* The part of a row's place that shows the model's own weights. */
static Rect own_strip(const Matrix *m, int32_t row)
{
    const Values *v = m->spec.values;
    Rect a = matrix_cell(m, row, 0), b = matrix_cell(m, row, v->cols.n - 1);
    Rect all = {fminf(a.x, b.x), fminf(a.y, b.y), fabsf(b.x - a.x) + a.w, fabsf(b.y - a.y) + a.h};
    float share = MATRIX_SPLIT;
    if (m->spec.transposed)
        return (Rect){all.x + all.w * (1 - share), all.y, all.w * share, all.h};
    return (Rect){all.x, all.y + all.h * (1 - share), all.w, all.h * share};
}

/* Where there is room for the words. */
static void name_strip(const HeatmapPlan *plan, Canvas *canvas, Rect strip)
{
    float u = view_unit(plan->frame), x = plan->matrix.cells.x + plan->matrix.cells.w + 6 * u;
    TextStyle style = theme_caption(plan->frame->theme);
    style.color = plan->frame->theme->warning;
    const char *word = view_word(plan->frame, WORD_MODELS_OWN);
    float room = plan->frame->area.x + plan->frame->area.w - 4 * u - x;
    if (fonts_width(plan->frame->fonts, word, &style) <= room)
        canvas_text(canvas, (Point){x, strip.y + strip.h / 2 + view_baseline(&style)}, word, style);
}

static void draw_own_row(const HeatmapPlan *plan, Canvas *canvas, const Values *own, int32_t row)
{
    const Matrix *m = &plan->matrix;
    float u = view_unit(plan->frame);
    Rect strip = own_strip(m, row);
    int32_t n = own->cols.n;
    Color *colors = memory_new((size_t)n, sizeof *colors);
    bool is_reversed = !m->spec.transposed && m->top.reversed;
    for (int32_t j = 0; j < n; j++)
        colors[is_reversed ? n - 1 - j : j] =
            shade_color(&plan->shade, values_at(own, row, j), own->peaks[row]);
    canvas_clip_push(canvas, m->cells);
    canvas_cells(canvas, strip, m->spec.transposed ? n : 1, m->spec.transposed ? 1 : n, colors);
    Stroke edge = {plan->frame->theme->warning, u, 0};
    Point end = m->spec.transposed ? (Point){strip.x, strip.y + strip.h}
                                   : (Point){strip.x + strip.w, strip.y};
    canvas_line(canvas, (Point){strip.x, strip.y}, end, edge);
    canvas_clip_pop(canvas);
    free(colors);
    if (!m->spec.transposed && !plan->options.sums)
        name_strip(plan, canvas, strip);
}

/* The model's own weights beside those shown; NULL when nobody changed any. */
static const Values *own_values(const HeatmapPlan *plan)
{
    const TraceTensor *tensor = values_sibling(plan->frame->trace, plan->main, "own_weights");
    if (!tensor || plan->shown != plan->main || plan->values->pyramid)
        return NULL;
    ValuesSpec spec = values_spec(plan->frame, tensor);
    Error error = {0};
    const Values *own = values_get(plan->frame, &spec, &error);
    bool fits = own && own->rows.n == plan->values->rows.n && own->cols.n == plan->values->cols.n;
    return fits ? own : NULL;
}

void heatmap_mark_changed(const HeatmapPlan *plan, MatrixSpec *spec)
{
    const Values *own = own_values(plan);
    for (int32_t i = 0; own && i < own->rows.n && spec->n_split < MATRIX_MAX_SPLIT; i++)
        if (row_differs(plan->values, own, i))
            spec->split_rows[spec->n_split++] = i;
}

void heatmap_draw_own_rows(const HeatmapPlan *plan, Canvas *canvas)
{
    const MatrixSpec *spec = &plan->matrix.spec;
    const Values *own = spec->n_split > 0 ? own_values(plan) : NULL;
    for (int i = 0; own && i < spec->n_split; i++)
        draw_own_row(plan, canvas, own, spec->split_rows[i]);
}

/* ---- weights that painting leaves alone ---- */

/* A padlock's body in the corner of every locked cell. */
void heatmap_draw_locks(const HeatmapPlan *plan, Canvas *canvas)
{
    const ViewLocks *locks = &plan->frame->locks;
    const Matrix *m = &plan->matrix;
    const Theme *theme = plan->frame->theme;
    float u = view_unit(plan->frame);
    int32_t row = locks->n > 0 ? side_find(&plan->values->rows, locks->row) : -1;
    if (row < 0)
        return;
    canvas_clip_push(canvas, m->cells);
    for (int32_t i = 0; i < locks->n; i++) {
        int32_t col = locks->at[i] ? side_find(&plan->values->cols, i) : -1;
        if (col < 0 || side_first(&plan->values->cols, col) != i)
            continue;
        Rect cell = matrix_cell(m, row, col);
        Rect mark = {cell.x + cell.w - 9 * u, cell.y + 3 * u, 6 * u, 6 * u};
        canvas_fill(canvas, rect_inset(mark, -u, -u), 2 * u, theme->panel);
        canvas_fill(canvas, mark, 1.5f * u, theme->accent);
        canvas_tag(canvas, mark, TAG_LABEL, "locked", NULL);
    }
    canvas_clip_pop(canvas);
}
