/* What the Text view shows: which texts, which tokens, which values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/text.h"

/* ---- texts ---- */

/* Labels as a text of their own: pieces of a word stand together, words apart. */
static void join_labels(TextPlan *plan, TextPart *part, const TraceAxis *axis)
{
    StrBuf text = {0};
    TraceSpan *spans = arena_get_zeroed(plan->arena, (size_t)axis->len + 1, sizeof *spans);
    strbuf_add(&text, "");
    for (int32_t i = 0; i < axis->len; i++) {
        uint8_t flags = axis->flags ? axis->flags[i] : 0;
        if (flags & (TRACE_TOKEN_PADDING | TRACE_TOKEN_SPECIAL))
            continue;
        if (text.length > 0 && !(flags & TRACE_TOKEN_CONTINUES))
            strbuf_add_char(&text, ' ');
        spans[i].begin = (int32_t)text.length;
        strbuf_add(&text, axis->labels ? axis->labels[i] : "\u00b7");
        spans[i].end = (int32_t)text.length;
    }
    part->text = arena_copy_string(plan->arena, text.text);
    part->spans = spans;
    strbuf_free(&text);
}

/* Finds the labels one after another in a text that has nothing else but white space. */
static bool match_labels(TextPlan *plan, TextPart *part, const TraceAxis *axis, const char *text)
{
    TraceSpan *spans = arena_get_zeroed(plan->arena, (size_t)axis->len + 1, sizeof *spans);
    const char *at = text;
    for (int32_t i = 0; i < axis->len; i++) {
        if (axis->flags && axis->flags[i] & (TRACE_TOKEN_PADDING | TRACE_TOKEN_SPECIAL))
            continue;
        size_t n = strlen(axis->labels[i]);
        for (;;) { /* ordinary, no-break and narrow no-break spaces */
            size_t space = *at == ' '                      ? 1
                           : strncmp(at, "\u00a0", 2) == 0 ? 2
                           : strncmp(at, "\u202f", 3) == 0 ? 3
                                                           : 0;
            if (space == 0 || strncmp(at, axis->labels[i], n) == 0)
                break;
            at += space;
        }
        if (strncmp(at, axis->labels[i], n) != 0)
            return false;
        spans[i] = (TraceSpan){(int32_t)(at - text), (int32_t)(at - text + (ptrdiff_t)n)};
        at += n;
    }
    part->text = text;
    part->spans = spans;
    return true;
}

static void whole_text(TextPlan *plan, TextPart *part)
{
    FlowBlock *block = arena_get(plan->arena, 1, sizeof *block);
    *block = (FlowBlock){-1, {0, (int32_t)strlen(part->text)}};
    part->blocks = block;
    part->n_blocks = 1;
}

static TextPart *add_part(TextPlan *plan, int32_t axis_index, ViewWord caption)
{
    TextPart *part = &plan->parts[plan->n_parts++];
    const TraceAxis *axis = trace_axis(plan->frame->trace, axis_index);
    *part = (TextPart){.caption = caption,
                       .axis = axis_index,
                       .n = axis->len,
                       .current = -1,
                       .ghosts_from = axis->len};
    const char *text =
        axis->text && axis->spans ? trace_text(plan->frame->trace, axis->text) : NULL;
    const char *output = trace_text(plan->frame->trace, "output");
    bool is_output = strcmp(axis->name, "target") == 0 && output && axis->labels;
    if (text) {
        part->text = text;
        part->spans = axis->spans;
    } else if (!is_output || !match_labels(plan, part, axis, output)) {
        join_labels(plan, part, axis);
    }
    whole_text(plan, part);
    return part;
}

/* ---- documents ---- */

static const float *read_rank_one(const TextPlan *plan, const char *name, int32_t axis)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *tensor = trace_find(trace, name);
    if (!tensor || tensor->rank != 1 || tensor->axis[0] != axis)
        return NULL;
    int32_t n = trace_axis(trace, axis)->len;
    float *values = arena_get(plan->arena, (size_t)n + 1, sizeof *values);
    TraceMatrix matrix = trace_matrix(trace, tensor, NULL);
    trace_matrix_read(&matrix, 0, 0, n, values);
    return values;
}

const float *text_rank_one(TextPlan *plan, const char *name, int32_t axis)
{
    for (int i = 0; i < plan->n_known; i++)
        if (plan->known[i].axis == axis && strcmp(plan->known[i].name, name) == 0)
            return plan->known[i].values;
    const float *values = read_rank_one(plan, name, axis);
    if (plan->n_known < TEXT_MAX_KNOWN) {
        plan->known[plan->n_known].name = name;
        plan->known[plan->n_known].axis = axis;
        plan->known[plan->n_known++].values = values;
    }
    return values;
}

/* How many words a sentence has, for each word: [n]. */
static const float *sentence_lengths(TextPlan *plan, const TraceAxis *words)
{
    float *lengths = arena_get_zeroed(plan->arena, (size_t)words->len + 1, sizeof *lengths);
    if (!words->parent) {
        for (int32_t i = 0; i < words->len; i++)
            lengths[i] = (float)words->len;
        return lengths;
    }
    int32_t n = trace_axis(plan->frame->trace, words->parent_axis)->len;
    float *counts = arena_get_zeroed(plan->arena, (size_t)n + 1, sizeof *counts);
    for (int32_t i = 0; i < words->len; i++)
        if (words->parent[i] >= 0)
            counts[words->parent[i]]++;
    for (int32_t i = 0; i < words->len; i++)
        lengths[i] = words->parent[i] >= 0 ? counts[words->parent[i]] : 1;
    return lengths;
}

/* Weights, sqrt(p_s) p_w (Yang et al. 2016, section 3.4) or lift; a word that is alone in its
 * sentence has weight one whatever it is, which says nothing: NaN. */
static const float *document_shades(TextPlan *plan, const TraceAxis *words, const float *weights)
{
    const float *lengths = sentence_lengths(plan, words);
    float *values = arena_get(plan->arena, (size_t)words->len + 1, sizeof *values);
    for (int32_t i = 0; i < words->len; i++) {
        values[i] = lengths[i] > 1 ? weights[i] : NAN;
        if (plan->by == TEXT_BY_LIFT)
            values[i] *= lengths[i];
        else if (plan->by == TEXT_BY_AUTO && text_has_bars(plan) && words->parent &&
                 words->parent[i] >= 0)
            values[i] *= sqrtf(plan->sentences[words->parent[i]]);
    }
    return values;
}

typedef struct WeighedBlock {
    float weight;
    FlowBlock block;
} WeighedBlock;

static int by_falling_weight(const void *a, const void *b)
{
    const WeighedBlock *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : x->block.item - y->block.item;
}

/* Sentences in the order of the text, or the heaviest first. */
static void sentence_blocks(TextPlan *plan, TextPart *part, bool sorted)
{
    const TraceAxis *axis = trace_axis(plan->frame->trace, plan->sentence_axis);
    if (!axis->spans || axis->len == 0)
        return;
    WeighedBlock *all = arena_get(plan->arena, (size_t)axis->len, sizeof *all);
    for (int32_t i = 0; i < axis->len; i++)
        all[i] = (WeighedBlock){plan->sentences ? plan->sentences[i] : 0, {i, axis->spans[i]}};
    if (sorted && plan->sentences)
        qsort(all, (size_t)axis->len, sizeof *all, by_falling_weight);
    FlowBlock *blocks = arena_get(plan->arena, (size_t)axis->len, sizeof *blocks);
    for (int32_t i = 0; i < axis->len; i++)
        blocks[i] = all[i].block;
    part->blocks = blocks;
    part->n_blocks = axis->len;
}

static void find_sentences(TextPlan *plan, const TraceAxis *words)
{
    plan->sentence_axis = words->parent ? words->parent_axis : -1;
    if (plan->sentence_axis < 0)
        return;
    plan->sentences = text_rank_one(plan, "sentence.weights", plan->sentence_axis);
    int32_t n = trace_axis(plan->frame->trace, plan->sentence_axis)->len;
    for (int32_t i = 0; plan->sentences && i < n; i++)
        plan->longest = fmaxf(plan->longest, plan->sentences[i]);
}

/* A step is a sentence: what comes after it has not been read. */
static void mark_read(TextPlan *plan, TextPart *part)
{
    const ViewFrame *frame = plan->frame;
    int32_t axis = values_step_axis(frame->trace);
    const TraceAxis *tokens = trace_axis(frame->trace, part->axis);
    if (axis < 0 || frame->step >= trace_n_steps(frame->trace))
        return;
    if (axis == part->axis)
        part->ghosts_from = frame->step + 1;
    else if (tokens->parent && axis == tokens->parent_axis)
        for (int32_t i = tokens->len - 1; i >= 0 && tokens->parent[i] > frame->step; i--)
            part->ghosts_from = i;
}

static bool find_document(TextPlan *plan)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *weights = trace_find(trace, "word.weights");
    if (!weights || weights->rank != 1)
        return false;
    plan->tensor = weights;
    plan->stage = text_stage(plan->frame);
    const TraceAxis *words = trace_axis(trace, weights->axis[0]);
    find_sentences(plan, words);
    TextPart *part = add_part(plan, weights->axis[0], WORD_COUNT);
    if (plan->sentence_axis >= 0)
        sentence_blocks(plan, part, settings_bool(plan->frame->options, "sort"));
    const float *values = NULL;
    if (plan->by == TEXT_BY_EFFECT)
        values = text_rank_one(plan, "word.effect", part->axis);
    else if (plan->by == TEXT_BY_GRADIENT)
        values = text_rank_one(plan, "word.gradient", part->axis);
    if (!values && plan->by >= TEXT_BY_EFFECT) {
        view_note(&plan->notes, false, view_word(plan->frame, WORD_NOT_IN_TRACE),
                  plan->by == TEXT_BY_EFFECT ? "word.effect" : "word.gradient");
        plan->by = TEXT_BY_AUTO;
    }
    if (!values)
        values = document_shades(plan, words, text_rank_one(plan, "word.weights", part->axis));
    part->values = values;
    mark_read(plan, part);
    return true;
}

/* ---- a row of a matrix ---- */

/* The item of `axis` that is pointed at or was clicked, or -1. */
static int32_t focused_item(const ViewFrame *frame, int32_t axis)
{
    const ViewHit *hits[] = {frame->is_figure ? &frame->selected : &frame->hover, &frame->selected};
    for (int i = 0; i < 2; i++)
        if (hits[i]->kind == HIT_ITEM && hits[i]->axis == axis)
            return hits[i]->row;
    return -1;
}

static int32_t focused_row(const TextPlan *plan, int32_t row_axis)
{
    const ViewFrame *frame = plan->frame;
    int32_t row = focused_item(frame, row_axis);
    if (row < 0 && (frame->selected.kind == HIT_ROW || frame->selected.kind == HIT_CELL))
        row = frame->selected.row;
    if (row < 0 && row_axis == values_step_axis(frame->trace) && frame->step >= 0 &&
        frame->step < trace_n_steps(frame->trace))
        row = frame->step;
    if (row < 0)
        row = text_look_row(frame);
    return row < plan->values->matrix.rows ? row : TEXT_MEAN_ROW;
}

/* Row `row`, the mean of all rows, or zeros. */
static float *row_values(TextPlan *plan, int32_t row)
{
    const Values *v = plan->values;
    int32_t cols = v->matrix.cols;
    float *out = arena_get_zeroed(plan->arena, (size_t)cols + 1, sizeof *out);
    if (row >= 0) {
        trace_matrix_read(&v->matrix, row, 0, cols, out);
        return out;
    }
    if (row == TEXT_NO_ROW)
        return out;
    float *one = arena_get(plan->arena, (size_t)cols + 1, sizeof *one);
    for (int32_t i = 0; i < v->matrix.rows; i++) {
        trace_matrix_read(&v->matrix, i, 0, cols, one);
        for (int32_t j = 0; j < cols; j++)
            out[j] += isfinite(one[j]) ? one[j] / (float)v->matrix.rows : 0;
    }
    return out;
}

static const float *column_values(TextPlan *plan, int32_t col)
{
    const Values *v = plan->values;
    float *out = arena_get(plan->arena, (size_t)v->matrix.rows + 1, sizeof *out);
    for (int32_t i = 0; i < v->matrix.rows; i++)
        out[i] = values_at(v, i, col);
    return out;
}

/* All pieces of a word carry what the word receives; of [0, n), the rest is left as it is. */
static void merge_words(const TraceAxis *axis, int32_t n, float *values)
{
    for (int32_t i = 0; i < n;) {
        int32_t end = i + 1;
        float sum = values[i];
        while (end < n && axis->flags && axis->flags[end] & TRACE_TOKEN_CONTINUES)
            sum += values[end++];
        for (; i < end; i++)
            values[i] = sum;
    }
}

static void say_row(TextPlan *plan, int32_t row)
{
    char room[SIDE_LABEL_BYTES];
    ValuesSpec spec = values_spec(plan->frame, plan->tensor);
    ValuesPlace place = values_place(plan->frame, &spec);
    const char *dot = place.text[0] ? " · " : "";
    int32_t axis = plan->tensor->rank > 1 ? plan->tensor->axis[plan->tensor->rank - 2] : -1;
    bool has_words = axis >= 0 && trace_axis(plan->frame->trace, axis)->kind == TRACE_AXIS_TOKEN;
    if (row == TEXT_NO_ROW)
        snprintf(plan->subtitle, sizeof plan->subtitle, "%s",
                 view_word(plan->frame, WORD_TEXT_NO_LOOK));
    else if (row >= 0 && plan->values->rows.axis >= 0)
        snprintf(plan->subtitle, sizeof plan->subtitle, view_word(plan->frame, WORD_TEXT_ROW_OF),
                 side_label(&plan->values->rows, row, room), dot, place.text);
    else
        snprintf(plan->subtitle, sizeof plan->subtitle, "%s%s%s",
                 view_word(plan->frame, plan->values->matrix.rows == 1 ? WORD_TEXT_SHADE
                                        : has_words                    ? WORD_TEXT_MEAN_ROW
                                                                       : WORD_TEXT_MEAN),
                 dot, place.text);
}

static void show_bars(TextPlan *plan, const float *sentences)
{
    int32_t n = trace_axis(plan->frame->trace, plan->sentence_axis)->len;
    plan->sentences = sentences;
    for (int32_t i = 0; i < n; i++)
        plan->longest = fmaxf(plan->longest, sentences[i]);
}

/* Words that read each other in the order of the text: those before the current one. */
static int32_t read_so_far(const TextPlan *plan, const TextPart *part, int32_t row)
{
    bool is_self =
        plan->tensor->rank > 1 && plan->tensor->axis[plan->tensor->rank - 2] == part->axis;
    bool steps = values_step_axis(plan->frame->trace) == part->axis;
    return is_self && steps && row >= 0 && row < part->n ? row : part->n;
}

static void shade_columns(TextPlan *plan, TextPart *part, int32_t row)
{
    float *values = row_values(plan, row);
    const TraceAxis *axis = trace_axis(plan->frame->trace, part->axis);
    bool over_sentences = part->axis != plan->tensor->axis[plan->tensor->rank - 1];
    if (!over_sentences && settings_bool(plan->frame->options, "merge_words") &&
        plan->tensor->role == TRACE_WEIGHTS)
        merge_words(axis, read_so_far(plan, part, row), values);
    part->values = over_sentences ? text_spread(plan, axis, values) : values;
    if (over_sentences)
        show_bars(plan, values);
    else if (axis->parent && !plan->sentences && text_look_row(plan->frame) != TEXT_MEAN_ROW)
        show_bars(plan, text_sum_sentences(plan, axis, values));
    say_row(plan, row);
}

/* The text whose tokens are the rows: what was written, or what was asked. */
static void add_rows_part(TextPlan *plan, int32_t row_axis, int32_t row)
{
    const TraceAxis *axis = trace_axis(plan->frame->trace, row_axis);
    bool is_question = strcmp(axis->name, "question") == 0;
    TextPart *rows = add_part(plan, row_axis, is_question ? WORD_QUESTION : WORD_OUTPUT);
    rows->current = row < 0 ? -1 : row;
    mark_read(plan, rows);
    if (is_question)
        text_mark_asked(plan->frame, rows);
    int32_t col = focused_item(plan->frame, plan->tensor->axis[plan->tensor->rank - 1]);
    if (col >= 0 && col < plan->values->matrix.cols)
        rows->values = column_values(plan, col);
}

static bool find_matrix(TextPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    const Trace *trace = frame->trace;
    const TraceTensor *t = values_named(trace, settings_text(frame->options, "tensor"));
    if (!t) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_ATTENTION));
        return false;
    }
    plan->tensor = t;
    ValuesSpec spec = values_spec(frame, t);
    spec.merge_words = spec.hide_special = spec.hide_padding = false; /* items are the axis' own */
    plan->values = values_get(frame, &spec, &plan->error);
    if (!plan->values)
        return false;
    int32_t col_axis = t->axis[t->rank - 1], row_axis = t->rank > 1 ? t->axis[t->rank - 2] : -1;
    int32_t row = row_axis >= 0                    ? focused_row(plan, row_axis)
                  : plan->values->matrix.rows == 1 ? 0
                                                   : -1;
    int32_t question = trace_find_axis(trace, "question");
    bool asks = question >= 0 && question != col_axis;
    if (asks)
        add_rows_part(plan, question, question == row_axis ? row : -1);
    plan->main = plan->n_parts;
    bool has_text_rows = row_axis >= 0 && row_axis != col_axis &&
                         trace_axis(trace, row_axis)->kind == TRACE_AXIS_TOKEN;
    int32_t words_axis = asks ? text_words_of(trace, col_axis) : col_axis;
    TextPart *main = add_part(plan, words_axis,
                              asks            ? WORD_STORY
                              : has_text_rows ? WORD_SOURCE_TEXT
                                              : WORD_COUNT);
    find_sentences(plan, trace_axis(trace, words_axis));
    if (plan->sentence_axis >= 0) {
        sentence_blocks(plan, main, false);
        plan->support = text_rank_one(plan, "gold.support", plan->sentence_axis);
    }
    shade_columns(plan, main, row);
    if (row_axis == col_axis) {
        main->current = row;
        mark_read(plan, main);
    } else if (has_text_rows && row_axis != question) {
        add_rows_part(plan, row_axis, row);
    }
    return true;
}

void text_find_parts(TextPlan *plan)
{
    plan->sentence_axis = -1;
    plan->stage = TEXT_STAGE_CLASS;
    const char *named = settings_text(plan->frame->options, "tensor");
    if ((named[0] == '\0' || strcmp(named, "word.weights") == 0) && find_document(plan))
        return;
    if (!find_matrix(plan))
        plan->n_parts = 0;
}
