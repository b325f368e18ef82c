/* How far a document classifier has come: words, sentence vectors, sentences, class. The text
 * stands where it stands; what has not been worked out yet is not there. */
#include <math.h>
#include <string.h>

#include "views/text.h"

TextStage text_stage(const ViewFrame *frame)
{
    static const char *const names[TEXT_STAGE_CLASS] = {"words", "vectors", "sentences"};
    const Trace *trace = frame->trace;
    int32_t n = trace_n_steps(trace);
    if (frame->step < 0 || frame->step >= n || n != TEXT_STAGE_CLASS + 1)
        return TEXT_STAGE_CLASS;
    for (int i = 0; i < TEXT_STAGE_CLASS; i++)
        if (strcmp(trace_step(trace, i)->token, names[i]) != 0)
            return TEXT_STAGE_CLASS; /* steps of another kind */
    return (TextStage)frame->step;
}

bool text_has_bars(const TextPlan *plan)
{
    return plan->sentences && plan->stage >= TEXT_STAGE_SENTENCES;
}

/* ---- sentence vectors ---- */

enum { STRIP_CELLS = 25 }; /* at most so many in a strip: each is the mean of its numbers */

static const TraceTensor *vectors(const TextPlan *plan)
{
    const TraceTensor *t = trace_find(plan->frame->trace, "sentence.vectors");
    return t && t->rank == 2 && t->axis[0] == plan->sentence_axis ? t : NULL;
}

static int strip_of(const TraceMatrix *m, int32_t row, float cells[STRIP_CELLS])
{
    int n = m->cols < STRIP_CELLS ? (int)m->cols : STRIP_CELLS;
    for (int k = 0; k < n; k++) {
        int32_t from = (int32_t)((int64_t)m->cols * k / n);
        int32_t end = (int32_t)((int64_t)m->cols * (k + 1) / n);
        double sum = 0;
        for (int32_t j = from; j < end; j++)
            sum += (double)trace_matrix_get(m, row, j);
        cells[k] = (float)(sum / (end - from));
    }
    return n;
}

/* Of all strips, so that they can be compared. */
static float largest(const TraceMatrix *m)
{
    float most = 0, cells[STRIP_CELLS];
    for (int32_t i = 0; i < m->rows; i++)
        for (int k = strip_of(m, i, cells) - 1; k >= 0; k--)
            most = fmaxf(most, fabsf(cells[k]));
    return most;
}

void text_draw_vectors(const TextPlan *plan, Canvas *canvas, const TextPart *part, float top)
{
    const TraceTensor *tensor = vectors(plan);
    const Theme *theme = plan->frame->theme;
    if (!tensor || plan->stage != TEXT_STAGE_VECTORS)
        return;
    TraceMatrix m = trace_matrix(plan->frame->trace, tensor, NULL);
    float most = largest(&m), u = view_unit(plan->frame);
    for (int32_t i = 0; i < part->n_blocks; i++) {
        float values[STRIP_CELLS];
        Color cells[STRIP_CELLS];
        if (part->blocks[i].item < 0)
            continue;
        int n = strip_of(&m, part->blocks[i].item, values);
        for (int k = 0; k < n; k++)
            cells[k] = color_mix(theme->background, values[k] > 0 ? theme->accent : theme->warning,
                                 most > 0 ? fabsf(values[k]) / most : 0);
        Rect place = text_bar(plan, top + part->flow->block_top[i], 5.5f * u);
        canvas_cells(canvas, place, 1, n, cells);
        canvas_tag(canvas, place, TAG_LABEL, "vector", NULL);
    }
}
