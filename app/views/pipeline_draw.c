#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/pipeline.h"

/* y on the canvas of a place in the scrolled content. */
static float shown_y(const PipelinePlan *plan, float y)
{
    return plan->place.y + y - plan->scroll;
}

static float band_scale(const PipelinePlan *plan, const Band *band)
{
    float u = view_unit(plan->frame), range = band->high - band->low;
    float room = band->place.h - (band->is_signed ? 60 : 50) * u;
    return range > 0 ? fmaxf(room, u) / range : 0;
}

/* ---- bars ---- */

static bool shows_number(const PipelinePlan *plan, const Band *band, int32_t i)
{
    float u = view_unit(plan->frame), value = fabsf(band->values[i]);
    float most = fmaxf(band->high, -band->low);
    if (plan->pitch >= 30 * u)
        return value >= 0.02f * most && (band->is_signed || value >= 0.01f);
    return i == plan->focus || value >= 0.999f * most;
}

static void draw_bar(const PipelinePlan *plan, Canvas *canvas, const Band *band, int32_t i,
                     float scale)
{
    const Theme *theme = plan->frame->theme;
    float u = view_unit(plan->frame), value = band->values[i];
    float w = fminf(plan->pitch * 0.5f, 24 * u), zero = shown_y(plan, band->zero);
    float x = pipeline_x(plan, i) + (plan->pitch - w) / 2,
          h = fmaxf(fabsf(value) * scale, 0.75f * u);
    Color color = value < 0 ? theme->warning : band->color;
    if (band->is_reading)
        color = color_mix(theme->background, color, 0.6f);
    if (fabsf(value) * scale < 0.5f)
        color = theme->line;
    Rect bar = {x, value < 0 ? zero : zero - h, w, h};
    canvas_fill(canvas, bar, fminf(2 * u, h / 2), color);
    canvas_tag(canvas, bar, TAG_CELL, band->name, view_number((double)value, 3).text);
    if (!shows_number(plan, band, i))
        return;
    TextStyle number = theme_number(theme);
    number.size =
        fminf(theme->caption_size, plan->pitch > 30 * u ? plan->pitch * 0.3f : theme->caption_size);
    number.color = theme->muted;
    number.align = ALIGN_MIDDLE;
    float top = band->marks ? fmaxf(h, scale * band->marks[i]) : h;
    if (i == band->spike) /* above its ring */
        top += 5 * u;
    float y = value < 0 ? zero + h + 11 * u : zero - top - 5 * u;
    canvas_text(canvas, (Point){x + w / 2, y}, view_number((double)value, 2).text, number);
}

/* Positions that were not scored: a quiet hatched run. */
static void draw_unscored(const PipelinePlan *plan, Canvas *canvas, const Band *band)
{
    float u = view_unit(plan->frame), zero = shown_y(plan, band->zero);
    for (int32_t i = 0; i < plan->n; i++) {
        if (!isnan(band->values[i]))
            continue;
        float x = pipeline_x(plan, i);
        Stroke stroke = {color_fade(plan->frame->theme->muted, 0.5f), u, 0};
        canvas_clip_push(canvas, (Rect){x, zero - 5 * u, plan->pitch, 10 * u});
        for (float at = floorf(x / (6 * u)) * 6 * u - 10 * u; at < x + plan->pitch; at += 6 * u)
            canvas_line(canvas, (Point){at, zero + 5 * u}, (Point){at + 10 * u, zero - 5 * u},
                        stroke);
        canvas_clip_pop(canvas);
    }
}

/* A line where the bar would end if it were as high as its mark. */
static void draw_marks(const PipelinePlan *plan, Canvas *canvas, const Band *band, float scale)
{
    float u = view_unit(plan->frame), zero = shown_y(plan, band->zero);
    float w = fminf(plan->pitch * 0.8f, 36 * u);
    for (int32_t i = 0; i < plan->n; i++) {
        if (scale * band->marks[i] < u)
            continue; /* on the axis */
        float x = pipeline_x(plan, i) + (plan->pitch - w) / 2, y = zero - scale * band->marks[i];
        canvas_line(canvas, (Point){x, y}, (Point){x + w, y},
                    (Stroke){plan->frame->theme->text, 1.5f * u, 0});
    }
}

static void draw_bars(const PipelinePlan *plan, Canvas *canvas, const Band *band)
{
    float scale = band_scale(plan, band);
    for (int32_t i = 0; i < plan->n; i++)
        if (isfinite(band->values[i]))
            draw_bar(plan, canvas, band, i, scale);
    if (band->marks)
        draw_marks(plan, canvas, band, scale);
    draw_unscored(plan, canvas, band);
}

/* ---- the Gaussian ---- */

static void draw_curve(const PipelinePlan *plan, Canvas *canvas, const Band *band)
{
    enum { POINTS = 121 };
    Point points[POINTS];
    float scale = band_scale(plan, band), u = view_unit(plan->frame);
    for (int k = 0; k < POINTS; k++) {
        double position = -0.5 + (double)plan->n * k / (POINTS - 1);
        double z = (position - plan->window.centre) / plan->window.sigma;
        points[k] = (Point){pipeline_x_at(plan, position),
                            shown_y(plan, band->zero) - scale * (float)exp(-z * z / 2)};
    }
    canvas_path(canvas, points, POINTS, false, (Stroke){band->color, 2 * u, 0});
}

void pipeline_draw_band(const PipelinePlan *plan, Canvas *canvas, const Band *band)
{
    const Theme *theme = plan->frame->theme;
    float u = view_unit(plan->frame), y = shown_y(plan, band->place.y);
    TextStyle name = theme_muted(theme), formula = theme_formula(theme);
    formula.size *= 0.92f;
    if (band->is_reading)
        formula.color = theme->muted;
    float w = fonts_width(plan->frame->fonts, band->name, &name);
    canvas_text(canvas, (Point){band->place.x, y + 18 * u}, band->name, name);
    float kept = plan->has_window && band == plan->bands ? 150 * u : 0; /* for the window's words */
    formula.max_width = fmaxf(band->place.w - w - 14 * u - kept, u);
    canvas_text(canvas, (Point){band->place.x + w + 14 * u, y + 18 * u}, band->formula, formula);
    float zero = shown_y(plan, band->zero), end = plan->x + plan->pitch * (float)plan->n;
    canvas_line(canvas, (Point){plan->x, zero}, (Point){end, zero}, (Stroke){theme->line, u, 0});
    if (band->kind == BAND_CURVE)
        draw_curve(plan, canvas, band);
    else
        draw_bars(plan, canvas, band);
    if (band->spike >= 0 && band->spike < plan->n) {
        Point top = {pipeline_x(plan, band->spike) + plan->pitch / 2,
                     zero - band_scale(plan, band) * band->values[band->spike]};
        canvas_circle(canvas, top, 5 * u, theme->background, (Stroke){band->color, 2.5f * u, 0});
    }
}

/* ---- window ---- */

/* Of a window that the person moved or resized, the colour of changes. */
static Color window_color(const PipelinePlan *plan)
{
    const Trace *trace = plan->frame->trace;
    for (int32_t i = 0; i < trace_n_changes(trace); i++) {
        const TraceChange *c = trace_change(trace, i);
        if (c->step == plan->row && strcmp(c->kind, "window") == 0)
            return plan->frame->theme->warning;
    }
    return plan->frame->theme->accent;
}

void pipeline_draw_window(const PipelinePlan *plan, Canvas *canvas)
{
    if (!plan->has_window)
        return;
    const Theme *theme = plan->frame->theme;
    float u = view_unit(plan->frame), end = 0;
    for (int i = 0; i < plan->n_bands; i++)
        if (plan->bands[i].in_window)
            end = plan->bands[i].place.y + plan->bands[i].place.h;
    Color color = window_color(plan);
    float a = pipeline_x_at(plan, plan->window.low - 0.5);
    float b = pipeline_x_at(plan, plan->window.high + 0.5);
    Rect box = {fminf(a, b), shown_y(plan, 24 * u), fabsf(b - a), end - 24 * u};
    canvas_fill(canvas, box, 0, color_fade(color, 0.07f));
    float centre = pipeline_x_at(plan, plan->window.centre);
    for (int i = 0; i < plan->n_bands && plan->bands[i].in_window; i++) {
        /* Interrupted where a formula stands. */
        float y = shown_y(plan, plan->bands[i].place.y), h = plan->bands[i].place.h;
        canvas_line(canvas, (Point){centre, y + 26 * u}, (Point){centre, y + h},
                    (Stroke){color_fade(color, 0.75f), 1.5f * u, 4 * u});
    }
    TextStyle style = theme_caption(theme);
    style.color = color;
    style.align = ALIGN_END;
    Rect first = plan->bands[0].place;
    canvas_textf(canvas, (Point){first.x + first.w, shown_y(plan, first.y) + 18 * u}, style,
                 view_word(plan->frame, WORD_WINDOW), view_number(plan->window.centre + 1, 1).text,
                 (int)plan->window.low + 1, (int)plan->window.high + 1);
    canvas_tag(canvas, box, TAG_SLIDER, "window", NULL);
}

/* ---- labels, results ---- */

void pipeline_draw_labels(const PipelinePlan *plan, Canvas *canvas)
{
    const Band *last = &plan->bands[plan->n_bands - 1];
    Rect cells = {plan->x, shown_y(plan, last->place.y), plan->pitch * (float)plan->n,
                  last->place.h};
    SideMarks marks = {plan->focus, -1, plan->n, -1};
    if (!plan->frame->is_figure &&
        (plan->frame->hover.kind == HIT_COL || plan->frame->hover.kind == HIT_CELL))
        marks.hovered = plan->focus;
    side_draw(plan->frame, canvas, &plan->side, &plan->labels, cells, plan->x, plan->pitch, marks);
}

enum { CANDIDATES_SHOWN = 6 };

static int shown_candidates(const PipelinePlan *plan)
{
    int n = plan->step ? plan->step->n_candidates : 0;
    return n < CANDIDATES_SHOWN ? n : CANDIDATES_SHOWN;
}

float pipeline_results_height(const PipelinePlan *plan)
{
    int lines = shown_candidates(plan);
    return view_unit(plan->frame) * (34 + 20 * (float)(lines > 3 ? lines : 3));
}

Rect pipeline_candidate(const PipelinePlan *plan, int k)
{
    float u = view_unit(plan->frame);
    if (k >= shown_candidates(plan))
        return (Rect){0};
    bool wide = plan->results.w >= 560 * u;
    float x = plan->results.x + (wide ? plan->results.w * 0.52f : 0);
    float w = plan->results.x + plan->results.w - x;
    return (Rect){x, shown_y(plan, plan->results.y) + 24 * u + 20 * u * (float)k, fminf(w, 380 * u),
                  20 * u};
}

static void draw_candidate(const PipelinePlan *plan, Canvas *canvas, int k)
{
    const Theme *theme = plan->frame->theme;
    const TraceCandidate *c = &plan->step->candidates[k];
    float u = view_unit(plan->frame);
    Rect row = pipeline_candidate(plan, k);
    float middle = row.y + row.h / 2;
    bool is_written = c->id == plan->step->id;
    TextStyle token = theme_text(theme), number = theme_number(theme);
    token.bold = is_written;
    token.max_width = 100 * u;
    number.color = theme->muted;
    number.align = ALIGN_END;
    canvas_text(canvas, (Point){row.x, middle + view_baseline(&token)}, c->token, token);
    Rect bar = {row.x + 110 * u, middle - 4.5f * u, row.w - 160 * u, 9 * u};
    Color color = is_written && plan->step->forced ? theme->warning : theme->accent;
    view_draw_bar(plan->frame, canvas, bar, (float)c->probability,
                  is_written ? color : color_mix(theme->background, theme->accent, 0.55f));
    canvas_text(canvas, (Point){row.x + row.w, middle + view_baseline(&number)},
                view_percent(c->probability).text, number);
    canvas_tag(canvas, row, TAG_ITEM, c->token, view_percent(c->probability).text);
}

/* "update gate, mean  0.48" with a small meter. */
static void draw_gate(const PipelinePlan *plan, Canvas *canvas, const TraceScalar *gate, Point at)
{
    const Theme *theme = plan->frame->theme;
    float u = view_unit(plan->frame);
    TextStyle name = theme_muted(theme), number = theme_number(theme);
    number.color = theme->muted;
    canvas_textf(canvas, (Point){at.x, at.y + view_baseline(&name)}, name,
                 view_word(plan->frame, WORD_GATE_MEAN), gate->name + strlen("gate."));
    Rect meter = {at.x + 150 * u, at.y - 3 * u, 80 * u, 6 * u};
    canvas_fill(canvas, meter, 3 * u, theme->line);
    view_draw_bar(plan->frame, canvas, meter, (float)gate->value, theme->good);
    canvas_text(canvas, (Point){meter.x + meter.w + 10 * u, at.y + view_baseline(&number)},
                view_number(gate->value, 2).text, number);
}

static void draw_formulas(const PipelinePlan *plan, Canvas *canvas)
{
    float u = view_unit(plan->frame), y = shown_y(plan, plan->results.y) + 34 * u;
    TextStyle formula = theme_formula(plan->frame->theme);
    formula.max_width = plan->results.w * 0.48f;
    char text[PIPELINE_FORMULA_BYTES];
    formula_query(plan, text);
    canvas_text(canvas, (Point){plan->results.x, y + view_baseline(&formula)}, text, formula);
    y += 24 * u;
    formula_context(plan, text);
    canvas_text(canvas, (Point){plan->results.x, y + view_baseline(&formula)}, text, formula);
    for (int32_t i = 0, shown = 0; plan->step && i < plan->step->n_scalars && shown < 3; i++) {
        const TraceScalar *scalar = &plan->step->scalars[i];
        if (strncmp(scalar->name, "gate.", 5) != 0)
            continue;
        y += 22 * u;
        shown++;
        draw_gate(plan, canvas, scalar, (Point){plan->results.x, y});
    }
}

void pipeline_draw_results(const PipelinePlan *plan, Canvas *canvas)
{
    float u = view_unit(plan->frame), y = shown_y(plan, plan->results.y) + 12 * u;
    bool wide = plan->results.w >= 560 * u;
    TextStyle caption = theme_muted(plan->frame->theme);
    if (wide || shown_candidates(plan) == 0) {
        canvas_text(canvas, (Point){plan->results.x, y + view_baseline(&caption)},
                    view_word(plan->frame, WORD_QUERY_CONTEXT), caption);
        draw_formulas(plan, canvas);
    }
    if (shown_candidates(plan) == 0)
        return;
    char index[32];
    formula_index('y', plan->row + 1, index);
    Rect first = pipeline_candidate(plan, 0);
    canvas_textf(canvas, (Point){first.x, y + view_baseline(&caption)}, caption,
                 view_word(plan->frame, WORD_NEXT_TOKEN), index);
    for (int k = 0; k < shown_candidates(plan); k++)
        draw_candidate(plan, canvas, k);
}
