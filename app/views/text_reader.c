/* What the Text view shows of a reader beside a matrix: which look a step shows, how much of the
 * question has been read, sentences and what supports the answer. */
#include <math.h>
#include <string.h>

#include "views/text.h"

/* ---- steps ---- */

/* A scalar of the current step as a whole number; `otherwise` when no step has it. */
static int32_t scalar_of_step(const ViewFrame *frame, const char *name, int32_t otherwise)
{
    int32_t n = trace_n_steps(frame->trace), step = frame->step;
    if (n == 0)
        return otherwise;
    double last = trace_step_scalar(trace_step(frame->trace, n - 1), name);
    if (isnan(last))
        return otherwise;
    double value =
        step >= 0 && step < n ? trace_step_scalar(trace_step(frame->trace, step), name) : last;
    return value >= 0 && value < TRACE_MAX_LEN ? (int32_t)value : 0;
}

int32_t text_look_row(const ViewFrame *frame)
{
    int32_t look = scalar_of_step(frame, "look", -1);
    return look < 0 ? TEXT_MEAN_ROW : look == 0 ? TEXT_NO_ROW : look - 1;
}

void text_mark_asked(const ViewFrame *frame, TextPart *question)
{
    int32_t asked = scalar_of_step(frame, "asked", -1);
    if (asked < 0 || asked > question->n)
        return;
    question->ghosts_from = asked;
    question->current = asked > 0 && asked == frame->step ? asked - 1 : -1;
}

bool text_is_answered(const ViewFrame *frame)
{
    int32_t n = trace_n_steps(frame->trace);
    bool asks = scalar_of_step(frame, "asked", -1) >= 0;
    bool has_stages = n > 0 && trace_n_classes(frame->trace) > 0 &&
                      strcmp(trace_step(frame->trace, n - 1)->token, "class") == 0;
    return (!asks && !has_stages) || frame->step < 0 || frame->step >= n - 1;
}

/* ---- sentences ---- */

int32_t text_words_of(const Trace *trace, int32_t axis)
{
    for (int32_t i = 0; i < trace_n_axes(trace); i++) {
        const TraceAxis *a = trace_axis(trace, i);
        if (a->kind == TRACE_AXIS_TOKEN && a->parent && a->parent_axis == axis)
            return i;
    }
    return axis;
}

const float *text_spread(TextPlan *plan, const TraceAxis *words, const float *sentences)
{
    float *values = arena_get_zeroed(plan->arena, (size_t)words->len + 1, sizeof *values);
    for (int32_t i = 0; i < words->len; i++)
        if (words->parent[i] >= 0)
            values[i] = sentences[words->parent[i]];
    return values;
}

const float *text_sum_sentences(TextPlan *plan, const TraceAxis *words, const float *values)
{
    int32_t n = trace_axis(plan->frame->trace, words->parent_axis)->len;
    float *sums = arena_get_zeroed(plan->arena, (size_t)n + 1, sizeof *sums);
    for (int32_t i = 0; i < words->len; i++)
        if (words->parent[i] >= 0 && isfinite(values[i]))
            sums[words->parent[i]] += values[i];
    return sums;
}

/* ---- drawing ---- */

/* A frame round every sentence that is known to hold the answer. */
void text_draw_support(const TextPlan *plan, Canvas *canvas, const TextPart *part, float top)
{
    float u = view_unit(plan->frame);
    for (int32_t i = 0; i < part->flow->n_lines;) {
        int32_t block = part->flow->lines[i].block, item = part->blocks[block].item;
        float above = part->flow->lines[i].middle, below = above, left = 1e9f, right = 0;
        for (; i < part->flow->n_lines && part->flow->lines[i].block == block; i++) {
            const FlowLine *line = &part->flow->lines[i];
            below = line->middle;
            for (int32_t k = 0; k < line->n_boxes; k++) {
                const FlowBox *box = &part->flow->boxes[line->first_box + k];
                left = fminf(left, box->x);
                right = fmaxf(right, box->x + box->width);
            }
        }
        if (item < 0 || !(plan->support[item] > 0) || right <= left)
            continue;
        Rect place = {plan->place.x + plan->indent + left - 5 * u, top + above - 14 * u,
                      right - left + 10 * u, below - above + 28 * u};
        canvas_frame(canvas, place, 5 * u, (Stroke){plan->frame->theme->good, 1.5f * u, 0});
        canvas_tag(canvas, place, TAG_LABEL, "support", NULL);
    }
}

/* A broken line under a word that the model has never seen. */
void text_draw_unknown(const TextPlan *plan, Canvas *canvas, Rect box)
{
    float u = view_unit(plan->frame), y = box.y + box.h - 2 * u;
    canvas_line(canvas, (Point){box.x + u, y}, (Point){box.x + box.w - u, y},
                (Stroke){plan->frame->theme->warning, 1.5f * u, 3 * u});
}
