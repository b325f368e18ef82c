#include "views/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- drawing ---- */

ViewWord text_legend(const TextPlan *plan)
{
    static const ViewWord documents[] = {WORD_LEGEND_SQRT, WORD_LEGEND_WEIGHT, WORD_LEGEND_LIFT,
                                         WORD_LEGEND_EFFECT, WORD_LEGEND_GRADIENT};
    if (plan->values || (plan->by == TEXT_BY_AUTO && !text_has_bars(plan)))
        return WORD_LEGEND_WEIGHT;
    return documents[plan->by];
}

static void draw_legend(const TextPlan *plan, Canvas *canvas)
{
    char right[96] = "";
    if (text_has_bars(plan) && plan->longest > 0)
        snprintf(right, sizeof right, view_word(plan->frame, WORD_LONGEST_BAR),
                 view_number((double)plan->longest, 2).text);
    shade_draw_legend(plan->frame, canvas, &plan->shade, plan->legend,
                      view_word(plan->frame, text_legend(plan)), right);
}

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    TextPlan plan;
    text_plan(&plan, frame);
    if (plan.n_parts == 0) {
        view_draw_empty(frame, canvas, plan.error.message);
        text_plan_free(&plan);
        return;
    }
    float u = view_unit(frame);
    view_draw_heading(frame, canvas, plan.heading_place, plan.heading);
    /* A page of a figure ends between two lines; a whole figure keeps what hangs over. */
    float over = !frame->is_figure ? 2 * u : plan.height > plan.place.h + 1 ? 0 : 6 * u;
    canvas_clip_push(canvas, rect_inset(plan.place, -6 * u, -over));
    for (int i = 0; i < plan.n_parts; i++)
        text_draw_part(&plan, canvas, &plan.parts[i]);
    canvas_clip_pop(canvas);
    text_draw_minimap(&plan, canvas);
    text_draw_classes(&plan, canvas);
    draw_legend(&plan, canvas);
    view_draw_notes(frame, canvas, plan.notes_place, &plan.notes);
    view_draw_tooltip(frame, canvas, &frame->hover);
    text_plan_free(&plan);
}

/* ---- hits ---- */

/* Its weight beside those of the other words of the sentence. */
static void describe_weight(TextPlan *plan, int32_t axis, int32_t word, ViewHit *hit)
{
    const ViewFrame *frame = plan->frame;
    const TraceAxis *words = trace_axis(frame->trace, axis);
    const float *weights = text_rank_one(plan, "word.weights", axis);
    int32_t length = 0, rank = 1;
    for (int32_t i = 0; i < words->len; i++)
        if (!words->parent || words->parent[i] == words->parent[word]) {
            length++;
            rank += weights[i] > weights[word];
        }
    double weight = (double)weights[word];
    if (length > 1)
        view_hit_add(hit, view_word(frame, WORD_WORD_WEIGHT), view_number(weight, 3).text,
                     view_number(weight * length, 1).text, (int)rank, (int)length);
    else
        view_hit_add(hit, "%s", view_word(frame, WORD_ALONE));
}

static void describe_state(const ViewFrame *frame, int32_t axis, int32_t word, ViewHit *hit)
{
    const TraceTensor *states = trace_find(frame->trace, "word.states");
    if (!states || states->rank != 2 || states->axis[0] != axis)
        return;
    TraceMatrix m = trace_matrix(frame->trace, states, NULL);
    double sum = 0;
    for (int32_t j = 0; j < m.cols; j++) {
        double h = (double)trace_matrix_get(&m, word, j);
        sum += h * h;
    }
    view_hit_add(hit, view_word(frame, WORD_WORD_STATE), view_number(sqrt(sum), 2).text);
}

static void describe_document(TextPlan *plan, int32_t axis, int32_t word, ViewHit *hit)
{
    const ViewFrame *frame = plan->frame;
    const TraceAxis *words = trace_axis(frame->trace, axis);
    const float *effects = text_rank_one(plan, "word.effect", axis);
    const float *gradients = text_rank_one(plan, "word.gradient", axis);
    int32_t sentence = words->parent ? words->parent[word] : -1;
    describe_weight(plan, axis, word, hit);
    if (text_has_bars(plan) && sentence >= 0)
        view_hit_add(hit, view_word(frame, WORD_SENTENCE_WEIGHT), (int)sentence + 1,
                     view_number((double)plan->sentences[sentence], 3).text);
    if (plan->stage == TEXT_STAGE_CLASS && effects && !isnan(effects[word]))
        view_hit_add(hit, view_word(frame, WORD_WITHOUT_WORD),
                     view_number(-100 * (double)effects[word], 1).text);
    if (plan->stage == TEXT_STAGE_CLASS && gradients)
        view_hit_add(hit, view_word(frame, WORD_WORD_GRADIENT),
                     view_number(100 * (double)gradients[word], 1).text);
    describe_state(frame, axis, word, hit);
}

void text_describe_token(TextPlan *plan, const TextPart *part, int32_t token, ViewHit *hit)
{
    const ViewFrame *frame = plan->frame;
    const TraceAxis *axis = trace_axis(frame->trace, part->axis);
    if (axis->labels)
        view_hit_add(hit, "%s", axis->labels[token]);
    if (axis->flags && axis->flags[token] & TRACE_TOKEN_HIDDEN)
        view_hit_add(hit, "%s", view_word(frame, WORD_HIDDEN_TOKEN));
    if (!plan->values) {
        describe_document(plan, part->axis, token, hit);
        return;
    }
    if (part->values && !isnan(part->values[token]))
        view_hit_add(hit, "%s %s", view_word(frame, WORD_WEIGHT),
                     view_number((double)part->values[token], 3).text);
    if (axis->flags && axis->flags[token] & TRACE_TOKEN_UNKNOWN)
        view_hit_add(hit, "%s", view_word(frame, WORD_UNKNOWN_TOKEN));
    if (axis->flags && axis->flags[token] & TRACE_TOKEN_FORCED)
        view_hit_add(hit, "%s", view_word(frame, WORD_FORCED_TOKEN));
}

static bool find_token(const TextPlan *plan, const TextPart *part, float x, float y, int32_t *token,
                       Rect *place)
{
    float u = view_unit(plan->frame), top = plan->place.y + part->top - plan->scroll;
    int32_t first, end;
    flow_visible(part->flow, y - top - 13 * u, y - top + 13 * u, &first, &end);
    for (int32_t i = first; i < end; i++) {
        const FlowLine *line = &part->flow->lines[i];
        for (int32_t k = line->first_box; k < line->first_box + line->n_boxes; k++) {
            const FlowBox *box = &part->flow->boxes[k];
            Rect rect = {plan->place.x + plan->indent + box->x, top + line->middle - 13 * u,
                         box->width, 26 * u};
            if (!rect_contains(rect, x, y))
                continue;
            *token = box->token;
            *place = rect;
            return true;
        }
    }
    return false;
}

static bool find_bar(const TextPlan *plan, float x, float y, int32_t *sentence, Rect *place)
{
    const TextPart *part = &plan->parts[plan->main];
    float u = view_unit(plan->frame), top = plan->place.y + part->top - plan->scroll;
    if (!plan->sentences)
        return false;
    for (int32_t i = 0; i < part->n_blocks; i++) {
        Rect rect = text_bar(plan, top + part->flow->block_top[i], 13 * u);
        if (part->blocks[i].item < 0 || !rect_contains(rect, x, y))
            continue;
        *sentence = part->blocks[i].item;
        *place = rect;
        return true;
    }
    return false;
}

void text_describe_sentence(TextPlan *plan, int32_t sentence, ViewHit *hit)
{
    const ViewFrame *frame = plan->frame;
    int32_t n = trace_axis(frame->trace, plan->sentence_axis)->len;
    view_hit_add(hit, view_word(frame, WORD_SENTENCE_OF), (int)sentence + 1, (int)n);
    if (!text_has_bars(plan))
        return;
    view_hit_add(hit, "%s %s", view_word(frame, WORD_WEIGHT),
                 view_number((double)plan->sentences[sentence], 3).text);
    if (plan->support && plan->support[sentence] > 0)
        view_hit_add(hit, "%s", view_word(frame, WORD_SUPPORTS));
    const float *effects = text_rank_one(plan, "sentence.effect", plan->sentence_axis);
    if (plan->stage == TEXT_STAGE_CLASS && effects && !isnan(effects[sentence]))
        view_hit_add(hit, view_word(frame, WORD_WITHOUT_SENTENCE),
                     view_number(-100 * (double)effects[sentence], 1).text);
}

static ViewHit hit_plan(TextPlan *plan, float x, float y)
{
    ViewHit hit = {0};
    int32_t item;
    Rect minimap = rect_inset(plan->minimap, -4, 0);
    if (!rect_is_empty(plan->minimap) && rect_contains(minimap, x, y)) {
        float scale = fminf(plan->minimap.h / plan->height, 0.16f);
        hit = (ViewHit){.kind = HIT_SCROLL, .place = plan->minimap};
        hit.y = fminf((y - plan->minimap.y) / scale / plan->height, 1);
        return hit;
    }
    if (!rect_contains(plan->place, x, y))
        return hit;
    if (find_bar(plan, x, y, &item, &hit.place)) {
        hit.kind = HIT_ITEM;
        hit.axis = plan->sentence_axis;
        hit.row = item;
        text_describe_sentence(plan, item, &hit);
        return hit;
    }
    for (int i = 0; i < plan->n_parts; i++)
        if (find_token(plan, &plan->parts[i], x, y, &item, &hit.place)) {
            hit.kind = HIT_ITEM;
            hit.axis = plan->parts[i].axis;
            hit.row = item;
            text_describe_token(plan, &plan->parts[i], item, &hit);
            break;
        }
    return hit;
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    TextPlan plan;
    text_plan(&plan, frame);
    ViewHit found = plan.n_parts > 0 ? hit_plan(&plan, x, y) : (ViewHit){0};
    text_plan_free(&plan);
    return found;
}

/* ---- the view ---- */

static float wanted_height(const ViewFrame *frame, float width)
{
    ViewFrame tall = *frame;
    float u = view_unit(frame);
    tall.area = (Rect){0, 0, width, 1e5f};
    tall.camera = (ViewCamera){0};
    TextPlan plan;
    text_plan(&plan, &tall);
    float height = 160 * u;
    if (plan.n_parts > 0)
        height = plan.legend.y + plan.legend.h + (plan.notes.n > 0 ? 8 * u : 0) +
                 plan.notes_place.h + (frame->is_figure ? 10 : 28) * u;
    text_plan_free(&plan);
    return height;
}

static ViewPort port(const ViewFrame *frame)
{
    TextPlan plan;
    text_plan(&plan, frame);
    ViewPort port = {0};
    if (plan.n_parts > 0)
        port = (ViewPort){plan.place, plan.place.w, fmaxf(plan.height, plan.place.h), 1};
    text_plan_free(&plan);
    return port;
}

/* Between two lines. */
static float cut(const ViewFrame *frame, float y)
{
    TextPlan plan;
    text_plan(&plan, frame);
    float best = 0, half = 13 * view_unit(frame);
    for (int i = 0; i < plan.n_parts; i++)
        for (int32_t k = 0; k < plan.parts[i].flow->n_lines; k++) {
            float end = plan.parts[i].top + plan.parts[i].flow->lines[k].middle + half;
            if (end <= y + 0.5f && end > best)
                best = end;
        }
    text_plan_free(&plan);
    return best;
}

static bool offers(const Trace *trace)
{
    const TraceTensor *words = trace_find(trace, "word.weights");
    if (words && words->rank == 1)
        return true;
    const TraceTensor *main = values_main(trace);
    if (!main)
        return false;
    const TraceAxis *cols = trace_axis(trace, main->axis[main->rank - 1]);
    return cols->kind == TRACE_AXIS_TOKEN;
}

const View view_text = {
    "text", "Text", text_settings, offers, draw, hit, wanted_height, port, cut,
};
