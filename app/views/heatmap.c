#include "views/heatmap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const Setting heatmap_settings[] = {
    HEATMAP_SETTINGS,
    {0},
};

HeatmapOptions heatmap_options(const Settings *s)
{
    return (HeatmapOptions){
        .tensor = settings_text(s, "tensor"),
        .shows = (HeatmapValues)settings_choice(s, "show"),
        .numbers = settings_bool(s, "numbers"),
        .transpose = settings_bool(s, "transpose"),
        .sums = settings_bool(s, "sums"),
        .gold = settings_bool(s, "gold"),
        .top = settings_int(s, "top"),
        .shade = shade_options(s),
    };
}

Rect view_content(const ViewFrame *frame)
{
    float u = view_unit(frame), pad = frame->is_figure ? 10 * u : 28 * u;
    return rect_inset(frame->area, fminf(pad, frame->area.w / 8), fminf(pad, frame->area.h / 8));
}

/* ---- marks ---- */

void heatmap_mark_step(const ViewFrame *frame, MatrixSpec *spec)
{
    int32_t axis = values_step_axis(frame->trace);
    const Values *v = spec->values;
    if (axis < 0 || v->rows.axis != axis)
        return;
    int32_t n = trace_n_steps(frame->trace);
    if (frame->step >= n)
        return;
    spec->current = frame->step >= 0 ? side_find(&v->rows, frame->step) : -1;
    spec->ghosts_from = v->rows.n;
    for (int32_t i = v->rows.n - 1; i >= 0 && side_first(&v->rows, i) > frame->step; i--)
        spec->ghosts_from = i;
    if (spec->current < 0)
        return;
    float best = -INFINITY;
    for (int32_t j = 0; j < v->cols.n && v->cols.n <= 4096; j++)
        if (values_at(v, spec->current, j) > best) {
            best = values_at(v, spec->current, j);
            spec->strongest_col = j;
        }
}

void heatmap_mark_hover(const ViewFrame *frame, MatrixSpec *spec)
{
    const ViewHit *hit = frame->hover.kind != HIT_NOTHING ? &frame->hover : &frame->selected;
    if (frame->is_figure)
        return;
    if (hit->kind == HIT_CELL || hit->kind == HIT_ROW)
        spec->hover_row = side_find(&spec->values->rows, hit->row);
    if (hit->kind == HIT_CELL || hit->kind == HIT_COL)
        spec->hover_col = side_find(&spec->values->cols, hit->col);
}

/* ---- words ---- */

static bool is_saliency(const HeatmapPlan *plan)
{
    return strcmp(plan->shown->name, "saliency.weights") == 0;
}

static const char *say_shown(const HeatmapPlan *plan)
{
    static const ViewWord words[] = {WORD_WEIGHTS_LONG, WORD_SCORES_LONG, WORD_SOFTMAX_LONG,
                                     WORD_OWN_LONG};
    if (plan->shown == plan->main && plan->main->role != TRACE_WEIGHTS)
        return plan->main->name;
    if (is_saliency(plan))
        return view_word(plan->frame, WORD_SALIENCY_LONG);
    HeatmapValues shows = plan->shown == plan->main ? HEATMAP_WEIGHTS : plan->options.shows;
    return view_word(plan->frame, words[shows]);
}

/* "rows sum to 1", or from where to where; "" when that means nothing here. */
static void say_sums(const HeatmapPlan *plan, char *out, size_t size)
{
    const Values *v = plan->values;
    out[0] = '\0';
    if (plan->shown->role != TRACE_WEIGHTS || v->pyramid || v->n_missing > 0)
        return;
    double low = (double)v->sums.low, high = (double)v->sums.high;
    if (low >= 0.995 && high <= 1.005)
        snprintf(out, size, ", %s", view_word(plan->frame, WORD_ROWS_SUM_TO_1));
    else if (low <= high)
        snprintf(out, size, ", %s %s\u2013%s", view_word(plan->frame, WORD_ROW_SUMS),
                 view_number(low, 2).text, view_number(high, 2).text);
}

static void write_subtitle(HeatmapPlan *plan)
{
    char sums[80];
    say_sums(plan, sums, sizeof sums);
    ValuesPlace place = values_place(plan->frame, &plan->spec);
    const char *model = view_maker(plan->frame->trace);
    snprintf(plan->subtitle, sizeof plan->subtitle, "%s%s%s%s%s%s", say_shown(plan), sums,
             place.text[0] ? " · " : "", place.text, model[0] ? " · " : "", model);
}

static const char *axis_word(const ViewFrame *frame, const Side *side)
{
    if (side->axis < 0)
        return "";
    const char *name = trace_axis(side->trace, side->axis)->name;
    if (strcmp(name, "source") == 0)
        return view_word(frame, WORD_SOURCE);
    if (strcmp(name, "target") == 0)
        return view_word(frame, WORD_OUTPUT);
    return view_name(frame, name);
}

static void draw_legend(const HeatmapPlan *plan, Canvas *canvas)
{
    const ViewFrame *frame = plan->frame;
    const Matrix *m = &plan->matrix;
    static const ViewWord captions[TRACE_N_ROLES] = {
        [TRACE_WEIGHTS] = WORD_LEGEND_WEIGHT,
        [TRACE_SCORES] = WORD_LEGEND_SCORE,
        [TRACE_PROBABILITIES] = WORD_LEGEND_PROBABILITY,
        [TRACE_MASK] = WORD_LEGEND_MASK,
        [TRACE_STATE] = WORD_LEGEND_VALUE,
        [TRACE_SCALAR] = WORD_LEGEND_VALUE,
    };
    char caption[128], right[128];
    ViewWord what = is_saliency(plan) ? WORD_LEGEND_SALIENCY : captions[plan->shown->role];
    snprintf(caption, sizeof caption, "%s%s%s", view_word(frame, what),
             plan->shade.per_row ? ", " : "",
             plan->shade.per_row ? view_word(frame, WORD_PER_ROW) : "");
    const char *across = axis_word(frame, &m->top), *down = axis_word(frame, &m->left);
    bool rtl = m->top.reversed;
    snprintf(right, sizeof right, "%s%s%s · %s \u2193", rtl ? "\u2190 " : "", across,
             rtl ? "" : " \u2192", down);
    shade_draw_legend(frame, canvas, &plan->shade, plan->legend, caption, down[0] ? right : across);
}

/* ---- plan ---- */

static void choose_tensor(HeatmapPlan *plan)
{
    static const char *const siblings[] = {"weights", "scores", "softmax", "own_weights"};
    const Trace *trace = plan->frame->trace;
    plan->main = values_named(trace, plan->options.tensor);
    plan->shown = plan->main;
    if (!plan->main || plan->options.shows == HEATMAP_WEIGHTS)
        return;
    const TraceTensor *sibling = values_sibling(trace, plan->main, siblings[plan->options.shows]);
    if (sibling)
        plan->shown = sibling;
    else
        view_note(&plan->notes, false, view_word(plan->frame, WORD_NOT_IN_TRACE),
                  siblings[plan->options.shows]);
}

static void note_things(HeatmapPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    view_note_changes(frame, &plan->notes);
    matrix_note(&plan->matrix, &plan->notes);
    if (plan->values->n_hidden_cols > 0) /* weight that is not seen */
        view_note(&plan->notes, false, view_word(frame, WORD_HIDDEN_COLUMNS),
                  (int)plan->values->n_hidden_cols);
    if (plan->values->n_padding > 0)
        view_note(&plan->notes, false, view_word(frame, WORD_HIDDEN_PADDING),
                  (int)plan->values->n_padding);
    if (plan->values->n_missing > 0 && plan->shown->role == TRACE_WEIGHTS)
        view_note(&plan->notes, true, view_word(frame, WORD_MISSING_CELLS),
                  (int)plan->values->n_missing);
    if (plan->values->n_sinks > 0)
        view_note(&plan->notes, false, view_word(frame, WORD_HIDDEN_SINKS),
                  (int)plan->values->n_sinks);
    bool hides = plan->values->n_sinks > 0 || plan->values->n_hidden_cols > 0;
    if (plan->spec.renormalise && hides && plan->shown->role == TRACE_WEIGHTS)
        view_note(&plan->notes, false, "%s", view_word(frame, WORD_RENORMALISED));
    if (plan->shade.per_row && plan->values->pyramid)
        view_note(&plan->notes, false, "%s", view_word(frame, WORD_PER_ROW_APPROXIMATE));
    if (plan->options.gold)
        heatmap_note_gold(plan);
}

static void plan_matrix(HeatmapPlan *plan, Rect area, ViewCamera camera)
{
    const ViewFrame *frame = plan->frame;
    MatrixSpec spec = matrix_spec(frame, plan->values, &plan->shade, area);
    spec.camera = camera;
    spec.transposed = plan->options.transpose;
    spec.numbers = plan->options.numbers;
    spec.right_room = plan->options.sums && !spec.transposed ? 56 * view_unit(frame) : 0;
    heatmap_mark_step(frame, &spec);
    heatmap_mark_hover(frame, &spec);
    heatmap_mark_changed(plan, &spec);
    plan->matrix = matrix_plan(&spec);
}

/* From top to bottom: heading, labels and cells, legend, notes. */
static void place_parts(HeatmapPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    ViewHeading heading = {view_attention_title(frame), plan->subtitle};
    float head = view_draw_heading(frame, NULL, content, heading) + 14 * u;
    float below = 26 * u + shade_draw_legend(frame, NULL, &plan->shade, content, "", "");
    Rect area = {content.x, content.y + head, content.w, content.h - head - below};
    float sums = plan->options.sums && plan->options.transpose ? 20 * u : 0;
    area.h -= sums;
    /* Notes take their room from the cells: that of the whole figure, so that zooming in, which
     * needs fewer of them, moves nothing. */
    ViewNotes first = plan->notes;
    plan_matrix(plan, area, (ViewCamera){0});
    note_things(plan);
    float notes = view_draw_notes(frame, NULL, content, &plan->notes);
    area.h -= notes > 0 ? notes + 8 * u : 0;
    plan_matrix(plan, area, frame->camera);
    plan->notes = first;
    note_things(plan);
    const Rect *cells = &plan->matrix.cells;
    float right = content.x + content.w - cells->x;
    plan->heading = (Rect){cells->x, content.y, right, head};
    /* Few cells leave the legend too little: it takes from the room of the labels. */
    float legend_width = fminf(content.w, fmaxf(cells->w, 300 * u));
    float legend_x = fminf(cells->x, content.x + content.w - legend_width);
    float y = cells->y + cells->h + sums + 26 * u;
    plan->legend = (Rect){legend_x, y, legend_width, below - 26 * u};
    plan->notes_place = (Rect){cells->x, y + below - 26 * u + 8 * u, right, notes};
}

void heatmap_plan(HeatmapPlan *plan, const ViewFrame *frame)
{
    heatmap_plan_in(plan, frame, NULL);
}

void heatmap_plan_in(HeatmapPlan *plan, const ViewFrame *frame, const GridRange *range)
{
    *plan = (HeatmapPlan){.frame = frame, .options = heatmap_options(frame->options)};
    choose_tensor(plan);
    if (!plan->main) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_ATTENTION));
        return;
    }
    plan->spec = values_spec(frame, plan->shown);
    plan->values = values_get(frame, &plan->spec, &plan->error);
    if (!plan->values)
        return;
    if (plan->values->matrix.rows == 0 || plan->values->matrix.cols == 0) {
        plan->values = NULL;
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_TOKENS));
        return;
    }
    plan->shade = shade_make(frame, plan->options.shade, plan->shown->role,
                             range ? *range : plan->values->range);
    write_subtitle(plan);
    place_parts(plan);
}

/* ---- the view ---- */

static void draw_selected(const HeatmapPlan *plan, Canvas *canvas)
{
    const ViewHit *hit = &plan->frame->selected;
    if (plan->frame->is_figure || hit->kind != HIT_CELL)
        return;
    int32_t row = side_find(&plan->values->rows, hit->row);
    int32_t col = side_find(&plan->values->cols, hit->col);
    if (row < 0 || col < 0)
        return;
    float u = view_unit(plan->frame);
    canvas_clip_push(canvas, rect_inset(plan->matrix.cells, -2 * u, -2 * u));
    canvas_frame(canvas, rect_inset(matrix_cell(&plan->matrix, row, col), -u, -u), 0,
                 (Stroke){plan->frame->theme->accent, 2 * u, 0});
    canvas_clip_pop(canvas);
}

void heatmap_draw_plan(const HeatmapPlan *plan, Canvas *canvas)
{
    const ViewFrame *frame = plan->frame;
    canvas_clip_push(canvas, frame->area); /* turned labels reach far */
    view_draw_heading(frame, canvas, plan->heading,
                      (ViewHeading){view_attention_title(frame), plan->subtitle});
    matrix_draw(&plan->matrix, canvas);
    heatmap_draw_own_rows(plan, canvas);
    heatmap_draw_locks(plan, canvas);
    heatmap_draw_top(plan, canvas);
    heatmap_draw_gold(plan, canvas);
    heatmap_draw_sums(plan, canvas);
    draw_legend(plan, canvas);
    view_draw_notes(frame, canvas, plan->notes_place, &plan->notes);
    draw_selected(plan, canvas);
    matrix_draw_crosshair(&plan->matrix, canvas);
    canvas_clip_pop(canvas);
}

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    HeatmapPlan plan;
    heatmap_plan(&plan, frame);
    if (plan.values)
        heatmap_draw_plan(&plan, canvas);
    else
        view_draw_empty(frame, canvas, plan.error.message);
    view_draw_tooltip(frame, canvas, &frame->hover);
}

ViewHit heatmap_hit_plan(const HeatmapPlan *plan, float x, float y)
{
    ViewHit hit = {0};
    const Matrix *m = &plan->matrix;
    int32_t row, col;
    if (matrix_cell_at(m, x, y, &row, &col)) {
        hit.kind = HIT_CELL;
        hit.row = side_first(&plan->values->rows, row);
        hit.col = side_first(&plan->values->cols, col);
        hit.place = matrix_cell(m, row, col);
        heatmap_describe_cell(plan, row, col, &hit);
    } else if ((row = matrix_row_label_at(m, x, y)) >= 0) {
        hit.kind = HIT_ROW;
        hit.axis = plan->values->rows.axis;
        hit.row = side_first(&plan->values->rows, row);
        hit.place = (Rect){x, y, 1, 1};
        heatmap_describe_row(plan, row, &hit);
    } else if ((col = matrix_col_label_at(m, x, y)) >= 0) {
        hit.kind = HIT_COL;
        hit.axis = plan->values->cols.axis;
        hit.col = side_first(&plan->values->cols, col);
        hit.place = (Rect){x, y, 1, 1};
        heatmap_describe_col(plan, col, &hit);
    }
    return hit;
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    HeatmapPlan plan;
    heatmap_plan(&plan, frame);
    return plan.values ? heatmap_hit_plan(&plan, x, y) : (ViewHit){0};
}

static float wanted_height(const ViewFrame *frame, float width)
{
    ViewFrame tall = *frame;
    float u = view_unit(frame);
    tall.area = (Rect){0, 0, width, 4000 * u}; /* labels take their part of a height */
    tall.area.h = 1200 * u;
    tall.camera = (ViewCamera){0};
    HeatmapPlan plan;
    heatmap_plan(&plan, &tall);
    if (!plan.values)
        return 200 * u;
    float pad = view_content(&tall).y;
    return plan.notes_place.y + plan.notes_place.h + pad;
}

static ViewPort port(const ViewFrame *frame)
{
    HeatmapPlan plan;
    ViewFrame whole = *frame;
    whole.camera = (ViewCamera){0};
    heatmap_plan(&plan, &whole);
    return plan.values ? matrix_port(&plan.matrix) : (ViewPort){0};
}

static bool offers(const Trace *trace)
{
    const TraceTensor *main = values_main(trace);
    if (!main)
        return false;
    /* Pictures and running text have views that suit them better than one row of cells. */
    return main->rank > 1;
}

const View view_heatmap = {
    "heatmap", "Heatmap", heatmap_settings, offers, draw, hit, wanted_height, port, NULL,
};
