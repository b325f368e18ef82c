#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/pipeline.h"

#define ROWS_TO_TRY 256 /* before the first one is taken, whatever it reads */

/* ---- numbers of the step ---- */

static const float *read_row(PipelinePlan *plan, const TraceTensor *tensor)
{
    if (!tensor)
        return NULL;
    ValuesSpec spec = values_spec(plan->frame, tensor);
    int32_t at[TRACE_MAX_RANK];
    for (int32_t d = 0; d < TRACE_MAX_RANK; d++)
        at[d] = spec.at[d] < 0 ? 0 : spec.at[d]; /* one head: a mean has no formula */
    TraceMatrix matrix = trace_matrix(plan->frame->trace, tensor, at);
    if (plan->row >= matrix.rows)
        return NULL;
    float *row = arena_get(plan->arena, (size_t)matrix.cols + 1, sizeof *row);
    trace_matrix_read(&matrix, plan->row, 0, matrix.cols, row);
    return row;
}

/* The first row that has any weight: a word that was not selected reads nothing. */
static int32_t first_reading_row(PipelinePlan *plan, int32_t rows)
{
    for (plan->row = 0; plan->row < rows && plan->row < ROWS_TO_TRY; plan->row++) {
        const float *weights = read_row(plan, plan->tensor);
        for (int32_t i = 0; weights && i < plan->n; i++)
            if (weights[i] > 0)
                return plan->row;
    }
    return 0;
}

static int32_t choose_row(PipelinePlan *plan)
{
    const ViewFrame *frame = plan->frame;
    const TraceTensor *t = plan->tensor;
    int32_t rows = t->rank > 1 ? trace_tensor_len(frame->trace, t, t->rank - 2) : 1;
    int32_t row = frame->step;
    bool is_stepped = t->rank > 1 && values_step_axis(frame->trace) == t->axis[t->rank - 2];
    if (!is_stepped)
        row = frame->selected.kind == HIT_ROW || frame->selected.kind == HIT_CELL
                  ? frame->selected.row
                  : first_reading_row(plan, rows);
    return row < 0 ? 0 : row < rows ? row : rows - 1;
}

/* Whose numbers the formulas show: pointed at, or where the weight is. */
static int32_t choose_focus(const PipelinePlan *plan)
{
    const ViewHit *hit = &plan->frame->hover;
    if (!plan->frame->is_figure && (hit->kind == HIT_COL || hit->kind == HIT_CELL) &&
        hit->col >= 0 && hit->col < plan->n)
        return hit->col;
    int32_t best = 0;
    for (int32_t i = 1; i < plan->n; i++)
        if (plan->weights[i] > plan->weights[best])
            best = i;
    return best;
}

static void read_step(PipelinePlan *plan)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *t = plan->tensor;
    plan->row = choose_row(plan);
    plan->weights = read_row(plan, t);
    plan->scores = read_row(plan, values_sibling(trace, t, "scores"));
    plan->softmax = read_row(plan, values_sibling(trace, t, "softmax"));
    if (t->rank > 1 && values_step_axis(trace) == t->axis[t->rank - 2])
        plan->step = trace_step(trace, plan->row);
    if (plan->step && plan->step->window) {
        plan->has_window = true;
        plan->window = *plan->step->window;
    }
    const char *temperature = view_attribute(trace, "temperature");
    double t_value;
    plan->temperature =
        temperature[0] && sscanf(temperature, "%lf", &t_value) == 1 ? (float)t_value : 1;
    plan->is_hard = strcmp(view_attribute(trace, "align"), "hard") == 0;
    plan->focus = choose_focus(plan);
}

/* ---- bands ---- */

static Band *add_band(PipelinePlan *plan, const char *name, const float *values)
{
    Band *band = &plan->bands[plan->n_bands++];
    *band = (Band){.name = name,
                   .values = values,
                   .high = 0,
                   .spike = -1,
                   .color = plan->frame->theme->accent};
    for (int32_t i = 0; i < plan->n; i++)
        if (values && isfinite(values[i])) {
            band->low = fminf(band->low, values[i]);
            band->high = fmaxf(band->high, values[i]);
        }
    band->is_signed = band->low < 0;
    return band;
}

/* Weights of one figure share a scale, so that bands can be compared. */
static Band *add_weights(PipelinePlan *plan, const char *name, const float *values)
{
    Band *band = add_band(plan, name, values);
    float most = 0;
    for (int32_t i = 0; i < plan->n; i++)
        most = fmaxf(most, plan->weights[i]);
    band->high = fmaxf(band->high, most);
    return band;
}

/* The model's own weights across those that a person painted. */
static void mark_own(PipelinePlan *plan, Band *band)
{
    const float *own =
        read_row(plan, values_sibling(plan->frame->trace, plan->tensor, "own_weights"));
    bool differs = false;
    for (int32_t i = 0; own && i < plan->n; i++)
        differs = differs || fabsf(own[i] - plan->weights[i]) > 1e-6f;
    if (!differs)
        return;
    band->marks = own;
    band->color = plan->frame->theme->warning;
    for (int32_t i = 0; i < plan->n; i++)
        band->high = fmaxf(band->high, own[i]);
}

static void add_own_bands(PipelinePlan *plan)
{
    const ViewFrame *frame = plan->frame;
    bool has_gaussian = plan->has_window && plan->window.sigma > 0;
    if (plan->scores) {
        Band *band = add_band(plan, view_word(frame, WORD_BAND_SCORE), plan->scores);
        band->in_window = true;
        formula_score(plan, band->formula);
    }
    if (plan->softmax && (has_gaussian || plan->is_hard)) {
        Band *band = add_weights(
            plan,
            view_word(frame, has_gaussian ? WORD_BAND_SOFTMAX_WINDOW : WORD_BAND_PROBABILITIES),
            plan->softmax);
        band->in_window = true;
        formula_softmax(plan, plan->softmax, band->formula);
    }
    if (has_gaussian) {
        Band *band = add_band(plan, view_word(frame, WORD_BAND_GAUSSIAN), NULL);
        band->kind = BAND_CURVE;
        band->high = 1;
        band->in_window = true;
        band->color = frame->theme->good;
        formula_gaussian(plan, band->formula);
    }
    ViewWord name = pipeline_has_no_attention(plan) ? WORD_BAND_GRADIENT
                    : plan->is_hard                 ? WORD_BAND_CHOICE
                    : has_gaussian                  ? WORD_BAND_PRODUCT
                    : plan->has_window              ? WORD_BAND_SOFTMAX_WINDOW
                    : plan->scores                  ? WORD_BAND_SOFTMAX
                                                    : WORD_BAND_WEIGHTS;
    Band *band = add_weights(plan, view_word(frame, name), plan->weights);
    band->in_window = band->is_weights = true;
    mark_own(plan, band);
    if (band->marks) { /* no formula gives what a person painted */
        band->name = view_word(frame, WORD_BAND_PAINTED);
    } else if (plan->is_hard) {
        band->spike = plan->step && plan->step->n_selected > 0 ? plan->step->selected[0] : -1;
        formula_choice(plan, band->formula);
    } else if (has_gaussian || !plan->scores) {
        formula_weights(plan, band->formula);
    } else {
        formula_softmax(plan, plan->weights, band->formula);
    }
}

/* A window of D around the model's centre, or around the largest score. */
static TraceWindow other_window(const PipelinePlan *plan)
{
    int d = settings_int(plan->frame->options, "readings_window");
    double centre = plan->has_window ? plan->window.centre : plan->focus;
    if (!plan->has_window)
        for (int32_t i = 0; i < plan->n; i++)
            if (plan->scores[i] > plan->scores[(int32_t)centre])
                centre = i;
    int32_t at = (int32_t)floor(centre);
    return (TraceWindow){centre, at - d < 0 ? 0 : at - d, at + d < plan->n ? at + d : plan->n - 1,
                         d / 2.0};
}

static void add_readings(PipelinePlan *plan)
{
    const ViewFrame *frame = plan->frame;
    if (!settings_bool(frame->options, "readings") || !plan->scores)
        return;
    double temperature = settings_real(frame->options, "readings_temperature");
    if (plan->is_hard || plan->has_window || temperature != (double)plan->temperature) {
        Band *band = add_weights(plan, view_word(frame, WORD_READING_SOFT),
                                 reading_softmax(plan, plan->scores, temperature));
        band->is_reading = true;
        snprintf(band->formula, sizeof band->formula, "softmax(e / T), T = %s",
                 view_short_number(temperature).text);
    }
    if (!plan->is_hard) {
        Band *band = add_weights(plan, view_word(frame, WORD_READING_HARD),
                                 reading_hard(plan, plan->scores));
        band->is_reading = true;
        snprintf(band->formula, sizeof band->formula, "z = argmax e");
    }
    if (!plan->has_window) {
        TraceWindow window = other_window(plan);
        Band *band = add_weights(plan, view_word(frame, WORD_READING_LOCAL),
                                 reading_local(plan, plan->scores, &window, temperature));
        band->is_reading = true;
        snprintf(band->formula, sizeof band->formula,
                 "softmax \u00b7 exp(\u2212(j \u2212 p)\u00b2 / 2\u03c3\u00b2), p = %d, D = %d",
                 (int)window.centre + 1, settings_int(frame->options, "readings_window"));
    }
    for (int32_t i = 0; i < plan->n; i++)
        if (isnan(plan->scores[i])) {
            view_note(&plan->notes, false, "%s", view_word(frame, WORD_NOT_ALL_SCORED));
            return;
        }
}

/* What hard attention would draw from: nothing, if the soft weights are no distribution. */
static const float *drawn_from(const PipelinePlan *plan)
{
    const float *soft = plan->softmax ? plan->softmax : plan->weights;
    double sum = 0;
    for (int32_t i = 0; i < plan->n; i++)
        sum += (double)soft[i];
    return sum > 0.99 && sum < 1.01 ? soft : NULL;
}

static void add_draws(PipelinePlan *plan)
{
    const ViewFrame *frame = plan->frame;
    const float *soft = drawn_from(plan);
    if (!settings_bool(frame->options, "samples") || !soft || pipeline_has_no_attention(plan))
        return;
    plan->draws = reading_draws(plan, soft, settings_int(frame->options, "samples_number"));
    Band *band = add_weights(plan, view_word(frame, WORD_BAND_DRAWS), plan->draws);
    for (int32_t i = 0; i < plan->n; i++)
        band->high = fmaxf(band->high, soft[i]);
    band->marks = soft;
    band->color = frame->theme->good;
    formula_draws(plan, soft, band->formula);
}

/* ---- places ---- */

float pipeline_x(const PipelinePlan *plan, int32_t i)
{
    return plan->x + plan->pitch * (float)side_place(&plan->side, i);
}

float pipeline_x_at(const PipelinePlan *plan, double position)
{
    double along = plan->side.reversed ? plan->n - 1 - position : position;
    return plan->x + plan->pitch * (float)(along + 0.5);
}

static void place_bands(PipelinePlan *plan)
{
    float u = view_unit(plan->frame);
    plan->pitch = fminf(plan->place.w / (float)plan->n, 64 * u);
    plan->x = plan->place.x;
    plan->labels = side_layout(plan->frame, &plan->side, SIDE_BOTTOM, plan->pitch, 110 * u);
    float fixed = plan->labels.extent + 14 * u + pipeline_results_height(plan);
    float each = (plan->place.h - fixed) / (float)plan->n_bands;
    each = fminf(fmaxf(each, 92 * u), 150 * u);
    float y = 0;
    for (int i = 0; i < plan->n_bands; i++) {
        Band *band = &plan->bands[i];
        band->place = (Rect){plan->place.x, y, plan->place.w, each};
        float top = 44 * u, bottom = band->is_signed ? 16 * u : 6 * u;
        float range = band->high - band->low;
        float down = range > 0 ? (each - top - bottom) * -band->low / range : 0;
        band->zero = y + each - bottom - down;
        y += each;
    }
    plan->results = (Rect){plan->place.x, y + plan->labels.extent + 14 * u, plan->place.w,
                           pipeline_results_height(plan)};
    plan->height = plan->results.y + plan->results.h;
}

static void place_parts(PipelinePlan *plan)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    ViewHeading heading = {view_attention_title(frame), plan->subtitle};
    float head = view_draw_heading(frame, NULL, content, heading) + 8 * u;
    float notes = view_draw_notes(frame, NULL, content, &plan->notes);
    plan->heading_place = content;
    plan->place = (Rect){content.x, content.y + head, content.w,
                         fmaxf(content.h - head - notes - (notes > 0 ? 8 * u : 0), 60 * u)};
    place_bands(plan);
    ViewPort port = {plan->place, plan->place.w, plan->height, 1};
    plan->scroll = view_camera(&port, frame->camera).y;
    float end = plan->place.y + fminf(plan->height, plan->place.h);
    plan->notes_place = (Rect){content.x, end + 8 * u, content.w, notes};
}

static void write_subtitle(PipelinePlan *plan)
{
    const ViewFrame *frame = plan->frame;
    const char *model = view_attribute(frame->trace, "model");
    const char *dot = model[0] ? " \u00b7 " : "";
    const TraceTensor *t = plan->tensor;
    const TraceAxis *rows = t->rank > 1 ? trace_axis(frame->trace, t->axis[t->rank - 2]) : NULL;
    if (plan->step)
        snprintf(plan->subtitle, sizeof plan->subtitle, view_word(frame, WORD_PIPELINE_STEP),
                 (int)plan->row + 1, plan->step->token, dot, model);
    else if (rows && rows->kind == TRACE_AXIS_TOKEN && rows->labels)
        snprintf(plan->subtitle, sizeof plan->subtitle, view_word(frame, WORD_PIPELINE_ROW_OF),
                 (int)plan->row + 1, rows->labels[plan->row], dot, model);
    else
        snprintf(plan->subtitle, sizeof plan->subtitle, view_word(frame, WORD_PIPELINE_ROW),
                 (int)plan->row + 1, dot, model);
}

void pipeline_plan(PipelinePlan *plan, const ViewFrame *frame)
{
    *plan = (PipelinePlan){.frame = frame, .arena = arena_new()};
    const TraceTensor *t = plan->tensor =
        values_named(frame->trace, settings_text(frame->options, "tensor"));
    if (!t) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_ATTENTION));
        return;
    }
    int32_t n = trace_tensor_len(frame->trace, t, t->rank - 1);
    int32_t rows = t->rank > 1 ? trace_tensor_len(frame->trace, t, t->rank - 2) : 1;
    if (n == 0 || rows == 0) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_TOKENS));
        return;
    }
    plan->n = n;
    plan->side = side_of_axis(frame->trace, t->axis[t->rank - 1]);
    plan->side.reversed = side_reads_right_to_left(&plan->side);
    read_step(plan);
    add_own_bands(plan);
    add_draws(plan);
    add_readings(plan);
    view_note_changes(frame, &plan->notes);
    write_subtitle(plan);
    place_parts(plan);
}

void pipeline_plan_free(PipelinePlan *plan)
{
    arena_free(plan->arena);
}
