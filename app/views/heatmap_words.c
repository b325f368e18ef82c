/* What a heatmap's tooltip says. */
#include <math.h>

#include "views/heatmap.h"

/* The value of another tensor of the same group in the same cell, or NaN. */
static float sibling_value(const HeatmapPlan *plan, const char *what, int32_t row, int32_t col)
{
    const TraceTensor *tensor = values_sibling(plan->frame->trace, plan->main, what);
    if (!tensor)
        return NAN;
    ValuesSpec spec = values_spec(plan->frame, tensor);
    Error error = {0};
    const Values *v = values_get(plan->frame, &spec, &error);
    if (!v || v->rows.n != plan->values->rows.n || v->cols.n != plan->values->cols.n)
        return NAN;
    return values_at(v, row, col);
}

static int rank_in_row(const Values *v, int32_t row, int32_t col)
{
    float value = values_at(v, row, col);
    int rank = 1;
    for (int32_t j = 0; j < v->cols.n; j++)
        rank += values_at(v, row, j) > value;
    return rank;
}

static void describe_value(const HeatmapPlan *plan, int32_t row, int32_t col, ViewHit *hit)
{
    const ViewFrame *frame = plan->frame;
    float value = values_at(plan->values, row, col);
    float weight =
        plan->shown->role == TRACE_SCORES ? sibling_value(plan, "weights", row, col) : value;
    float score =
        plan->shown->role == TRACE_SCORES ? value : sibling_value(plan, "scores", row, col);
    if (!isnan(weight) && !isnan(score))
        view_hit_add(hit, "%s %s · %s %s", view_word(frame, WORD_WEIGHT),
                     view_number((double)weight, 3).text, view_word(frame, WORD_SCORE),
                     view_number((double)score, 2).text);
    else if (isnan(value))
        view_hit_add(hit, "%s", view_word(frame, WORD_NOT_COMPUTED));
    else
        view_hit_add(
            hit, "%s %s",
            view_word(frame, plan->shown->role == TRACE_WEIGHTS ? WORD_WEIGHT : WORD_VALUE),
            view_number((double)value, 3).text);
}

void heatmap_describe_cell(const HeatmapPlan *plan, int32_t row, int32_t col, ViewHit *hit)
{
    char a[SIDE_LABEL_BYTES], b[SIDE_LABEL_BYTES];
    const ViewFrame *frame = plan->frame;
    const Values *v = plan->values;
    view_hit_add(hit, "%s \u2190 %s", side_label(&v->rows, row, a), side_label(&v->cols, col, b));
    describe_value(plan, row, col, hit);
    if (!isnan(values_at(v, row, col)))
        view_hit_add(hit, view_word(frame, WORD_RANK), rank_in_row(v, row, col), (int)v->cols.n);
    float own = plan->shown == plan->main ? sibling_value(plan, "own_weights", row, col) : NAN;
    if (!isnan(own) && fabsf(own - values_at(v, row, col)) > 1e-6f)
        view_hit_add(hit, "%s %s", view_word(frame, WORD_MODELS_OWN),
                     view_number((double)own, 3).text);
    HeatmapGold gold = plan->options.gold ? heatmap_gold_at(plan, row, col) : GOLD_NONE;
    if (gold != GOLD_NONE)
        view_hit_add(hit, "%s",
                     view_word(frame, gold == GOLD_SURE ? WORD_GOLD_SURE : WORD_GOLD_POSSIBLE));
}

/* The pieces that were merged into one label. */
static void describe_pieces(const ViewFrame *frame, const Side *side, int32_t i, ViewHit *hit)
{
    const TraceAxis *axis = side->axis < 0 ? NULL : trace_axis(side->trace, side->axis);
    int32_t first = side_first(side, i), n = side_count(side, i);
    if (!axis || !axis->labels || n < 2)
        return;
    StrBuf text = {0};
    for (int32_t k = first; k < first + n && text.length < VIEW_HIT_BYTES; k++)
        strbuf_addf(&text, "%s%s", k > first ? " | " : "", axis->labels[k]);
    view_hit_add(hit, "%s: %s", view_word(frame, WORD_PIECES), text.text);
    strbuf_free(&text);
}

static void describe_flags(const ViewFrame *frame, uint8_t flags, ViewHit *hit)
{
    if (flags & TRACE_TOKEN_FORCED)
        view_hit_add(hit, "%s", view_word(frame, WORD_FORCED_TOKEN));
    if (flags & TRACE_TOKEN_HIDDEN)
        view_hit_add(hit, "%s", view_word(frame, WORD_HIDDEN_TOKEN));
    if (flags & TRACE_TOKEN_UNKNOWN)
        view_hit_add(hit, "%s", view_word(frame, WORD_UNKNOWN_TOKEN));
}

void heatmap_describe_row(const HeatmapPlan *plan, int32_t row, ViewHit *hit)
{
    char room[SIDE_LABEL_BYTES];
    const ViewFrame *frame = plan->frame;
    const Side *rows = &plan->values->rows;
    view_hit_add(hit, "%s", side_label(rows, row, room));
    int32_t first = side_first(rows, row);
    if (rows->axis >= 0 && rows->axis == values_step_axis(frame->trace)) {
        const TraceStep *step = trace_step(frame->trace, first);
        view_hit_add(hit, view_word(frame, WORD_STEP_OF), (int)first + 1,
                     (int)trace_n_steps(frame->trace));
        view_hit_add(hit, "%s %s %%", view_word(frame, WORD_PROBABILITY),
                     view_percent(step->probability).text);
    }
    describe_pieces(frame, rows, row, hit);
    describe_flags(frame, side_flags(rows, row), hit);
}

void heatmap_describe_col(const HeatmapPlan *plan, int32_t col, ViewHit *hit)
{
    char room[SIDE_LABEL_BYTES];
    const Values *v = plan->values;
    view_hit_add(hit, "%s", side_label(&v->cols, col, room));
    if (!v->pyramid && plan->shown->role == TRACE_WEIGHTS) {
        double sum = 0;
        for (int32_t i = 0; i < v->rows.n; i++)
            sum += (double)values_at(v, i, col);
        view_hit_add(hit, view_word(plan->frame, WORD_RECEIVES), view_number(sum, 2).text,
                     (int)v->rows.n);
    }
    describe_pieces(plan->frame, &v->cols, col, hit);
    describe_flags(plan->frame, side_flags(&v->cols, col), hit);
}
