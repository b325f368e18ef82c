#include "views/pipeline.h"

#include <math.h>

const Setting pipeline_settings[] = {
    {"samples", SETTING_BOOL, "no", 0, 0, NULL,
     "many draws from the soft weights, counted beside them"},
    {"samples_number", SETTING_INT, "1000", 1, 10000, NULL, "of those draws"},
    {"readings", SETTING_BOOL, "no", 0, 0, NULL, "the same scores read as soft, hard and local"},
    {"readings_temperature", SETTING_REAL, "1", 0.01, 100, NULL,
     "of the softmax of those readings"},
    {"readings_window", SETTING_INT, "4", 1, 100, NULL, "D of the local reading"},
    {"tensor", SETTING_TEXT, "", 0, 0, NULL, "which tensor, by name; empty: the main one"},
    {0},
};

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    PipelinePlan plan;
    pipeline_plan(&plan, frame);
    if (plan.n == 0) {
        view_draw_empty(frame, canvas, plan.error.message);
        pipeline_plan_free(&plan);
        return;
    }
    float u = view_unit(frame);
    view_draw_heading(frame, canvas, plan.heading_place,
                      (ViewHeading){view_attention_title(frame), plan.subtitle});
    canvas_clip_push(canvas, rect_inset(plan.place, -8 * u, 0));
    pipeline_draw_window(&plan, canvas);
    for (int i = 0; i < plan.n_bands; i++)
        pipeline_draw_band(&plan, canvas, &plan.bands[i]);
    pipeline_draw_labels(&plan, canvas);
    pipeline_draw_results(&plan, canvas);
    canvas_clip_pop(canvas);
    view_draw_notes(frame, canvas, plan.notes_place, &plan.notes);
    view_draw_tooltip(frame, canvas, &frame->hover);
    pipeline_plan_free(&plan);
}

/* ---- hits ---- */

static bool window_hit(const PipelinePlan *plan, float x, float y, ViewHit *hit)
{
    if (!plan->has_window)
        return false;
    float u = view_unit(plan->frame), reach = 5 * u;
    float top = plan->place.y - plan->scroll + 24 * u;
    float bottom = plan->place.y - plan->scroll;
    for (int i = 0; i < plan->n_bands; i++)
        if (plan->bands[i].in_window)
            bottom = plan->place.y - plan->scroll + plan->bands[i].place.y + plan->bands[i].place.h;
    if (y < top || y >= bottom)
        return false;
    float centre = pipeline_x_at(plan, plan->window.centre);
    float edges[2] = {pipeline_x_at(plan, plan->window.low - 0.5),
                      pipeline_x_at(plan, plan->window.high + 0.5)};
    bool at_centre = fabsf(x - centre) < reach;
    bool at_edge = fabsf(x - edges[0]) < reach || fabsf(x - edges[1]) < reach;
    if (!at_centre && !at_edge)
        return false;
    *hit = (ViewHit){.kind = HIT_WINDOW,
                     .row = plan->row,
                     .col = at_centre ? 0 : 1,
                     .place = {x - reach, y, 2 * reach, 1}};
    view_hit_add(hit, at_centre ? "p = %s" : "D = %s",
                 at_centre ? view_number(plan->window.centre + 1, 2).text
                           : view_number((plan->window.high - plan->window.low) / 2.0, 0).text);
    view_hit_add(hit, "%s", view_word(plan->frame, at_centre ? WORD_DRAG_CENTRE : WORD_DRAG_EDGE));
    return true;
}

/* On the weights themselves it is a cell of their row, elsewhere the position. */
static ViewHit column_hit(const PipelinePlan *plan, int32_t i, bool paints)
{
    char room[SIDE_LABEL_BYTES];
    const ViewFrame *frame = plan->frame;
    const Band *last = &plan->bands[plan->n_bands - 1];
    float bottom = last->place.y + last->place.h + plan->labels.extent;
    ViewHit hit = {
        .kind = paints ? HIT_CELL : HIT_COL,
        .axis = plan->side.axis,
        .row = plan->row,
        .col = i,
        .place = {pipeline_x(plan, i), plan->place.y - plan->scroll + bottom, plan->pitch, 1}};
    view_hit_add(&hit, "%s", side_label(&plan->side, i, room));
    if (plan->scores)
        view_hit_add(&hit, "%s %s", view_word(frame, WORD_SCORE),
                     view_number((double)plan->scores[i], 3).text);
    if (plan->softmax)
        view_hit_add(&hit, "softmax %s", view_number((double)plan->softmax[i], 3).text);
    view_hit_add(&hit, "%s %s", view_word(frame, WORD_WEIGHT),
                 view_number((double)plan->weights[i], 3).text);
    if (plan->draws)
        view_hit_add(&hit, "%s %s", view_word(frame, WORD_DRAWN),
                     view_number((double)plan->draws[i], 3).text);
    return hit;
}

static ViewHit hit_plan(const PipelinePlan *plan, float x, float y)
{
    ViewHit hit = {0};
    if (!rect_contains(rect_inset(plan->place, -8, 0), x, y) || window_hit(plan, x, y, &hit))
        return hit;
    for (int k = 0; plan->step && k < plan->step->n_candidates; k++) {
        Rect row = pipeline_candidate(plan, k);
        if (rect_is_empty(row) || !rect_contains(row, x, y))
            continue;
        hit = (ViewHit){.kind = HIT_CANDIDATE, .row = plan->row, .col = k, .place = row};
        view_hit_add(&hit, "%s", plan->step->candidates[k].token);
        view_hit_add(&hit, "%s %s %%", view_word(plan->frame, WORD_PROBABILITY),
                     view_percent(plan->step->candidates[k].probability).text);
        return hit;
    }
    float bottom = plan->place.y - plan->scroll + plan->results.y;
    int32_t place = (int32_t)floorf((x - plan->x) / plan->pitch);
    bool paints = false;
    for (int k = 0; k < plan->n_bands; k++) {
        float top = plan->place.y - plan->scroll + plan->bands[k].place.y;
        paints = paints || (plan->bands[k].is_weights && y >= top + 24 * view_unit(plan->frame) &&
                            y < top + plan->bands[k].place.h);
    }
    if (y < bottom && x >= plan->x && place < plan->n)
        return column_hit(plan, side_place(&plan->side, place), paints);
    return hit;
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    PipelinePlan plan;
    pipeline_plan(&plan, frame);
    ViewHit found = plan.n > 0 ? hit_plan(&plan, x, y) : (ViewHit){0};
    pipeline_plan_free(&plan);
    return found;
}

static float wanted_height(const ViewFrame *frame, float width)
{
    ViewFrame tall = *frame;
    float u = view_unit(frame);
    tall.area = (Rect){0, 0, width, 2000 * u};
    tall.camera = (ViewCamera){0};
    PipelinePlan plan;
    pipeline_plan(&plan, &tall);
    float height = 200 * u;
    if (plan.n > 0) { /* bands somewhat flatter than the room would allow */
        float bands = (float)plan.n_bands * plan.bands[0].place.h;
        height = plan.notes_place.y + plan.notes_place.h + (frame->is_figure ? 10 : 28) * u -
                 bands + 112 * u * (float)plan.n_bands;
    }
    pipeline_plan_free(&plan);
    return height;
}

static ViewPort port(const ViewFrame *frame)
{
    PipelinePlan plan;
    pipeline_plan(&plan, frame);
    ViewPort port = {0};
    if (plan.n > 0)
        port = (ViewPort){plan.place, plan.place.w, fmaxf(plan.height, plan.place.h), 1};
    pipeline_plan_free(&plan);
    return port;
}

static bool offers(const Trace *trace)
{
    const TraceTensor *main = values_main(trace);
    if (!main || trace_n_steps(trace) == 0)
        return main != NULL && main->rank > 1 && values_sibling(trace, main, "scores") != NULL;
    return trace_axis(trace, main->axis[main->rank - 1])->kind != TRACE_AXIS_GRID;
}

const View view_pipeline = {
    "pipeline", "Pipeline", pipeline_settings, offers, draw, hit, wanted_height, port, NULL,
};
