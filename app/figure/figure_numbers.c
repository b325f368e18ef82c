/* What a view shows, as a table: labels as they stand in the figure, numbers in full. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figure/figure_page.h"
#include "format/table.h"
#include "views/compare.h"
#include "views/heads.h"
#include "views/pipeline.h"
#include "views/text.h"

typedef struct Sheet {
    const ViewFrame *frame;
    Table table;
    Error *error;
} Sheet;

static void add_head(Sheet *s, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        table_add_text(&s->table, names[i]);
    table_end_row(&s->table);
}

static bool fail(Sheet *s, ViewWord why)
{
    return error_set(s->error, ERROR_INPUT, "%s", view_word(s->frame, why));
}

/* ---- matrices ---- */

static bool write_values(Sheet *s, const Values *values)
{
    char room[SIDE_LABEL_BYTES];
    table_add_text(&s->table, "");
    for (int32_t j = 0; j < values->cols.n; j++)
        table_add_text(&s->table, side_label(&values->cols, j, room));
    table_end_row(&s->table);
    for (int32_t i = 0; i < values->rows.n; i++) {
        table_add_text(&s->table, side_label(&values->rows, i, room));
        for (int32_t j = 0; j < values->cols.n; j++)
            table_add_float(&s->table, values_at(values, i, j));
        table_end_row(&s->table);
    }
    return true;
}

static bool write_matrix(Sheet *s)
{
    const Settings *o = s->frame->options;
    static const char *const siblings[] = {"weights", "scores", "softmax", "own_weights"};
    const char *name = settings_has(o, "tensor") ? settings_text(o, "tensor") : "";
    const TraceTensor *tensor = values_named(s->frame->trace, name);
    if (!tensor)
        return fail(s, WORD_NO_ATTENTION);
    if (settings_has(o, "show") && settings_choice(o, "show") > 0) {
        const TraceTensor *sibling =
            values_sibling(s->frame->trace, tensor, siblings[settings_choice(o, "show")]);
        tensor = sibling ? sibling : tensor;
    }
    ValuesSpec spec = values_spec(s->frame, tensor);
    const Values *values = values_get(s->frame, &spec, s->error);
    return values && write_values(s, values);
}

static bool write_compared(Sheet *s)
{
    static const char *const names[] = {"row", "column", "first", "second", "difference"};
    ComparedValues v;
    if (!s->frame->other)
        return fail(s, WORD_NOTHING_TO_COMPARE);
    if (!compare_values(s->frame, &v)) {
        if (!v.first || !v.second)
            return fail(s, WORD_NO_ATTENTION);
        write_values(s, v.first);
        table_end_row(&s->table);
        return write_values(s, v.second);
    }
    char room[SIDE_LABEL_BYTES];
    add_head(s, names, 5);
    for (int32_t i = 0; i < v.first->rows.n; i++)
        for (int32_t j = 0; j < v.first->cols.n; j++) {
            table_add_text(&s->table, side_label(&v.first->rows, i, room));
            table_add_text(&s->table, side_label(&v.first->cols, j, room));
            table_add_float(&s->table, values_at(v.first, i, j));
            table_add_float(&s->table, values_at(v.second, i, j));
            table_add_float(&s->table, values_at(v.difference, i, j));
            table_end_row(&s->table);
        }
    return true;
}

/* ---- lists ---- */

static bool write_positions(Sheet *s)
{
    static const char *const names[] = {"position", "token", "score", "softmax", "weight"};
    char room[SIDE_LABEL_BYTES];
    PipelinePlan plan;
    pipeline_plan(&plan, s->frame);
    bool ok = plan.n > 0;
    if (ok)
        add_head(s, names, 5);
    else
        error_set(s->error, ERROR_INPUT, "%s", plan.error.message);
    for (int32_t i = 0; i < plan.n; i++) {
        table_add_int(&s->table, (int)i + 1);
        table_add_text(&s->table, side_label(&plan.side, i, room));
        table_add_float(&s->table, plan.scores ? plan.scores[i] : NAN);
        table_add_float(&s->table, plan.softmax ? plan.softmax[i] : plan.weights[i]);
        table_add_float(&s->table, plan.weights[i]);
        table_end_row(&s->table);
    }
    pipeline_plan_free(&plan);
    return ok;
}

/* NaN where the run does not say. */
static void add_known(Sheet *s, const float *values, int32_t i)
{
    table_add_float(&s->table, values ? values[i] : NAN);
}

static void write_word(Sheet *s, TextPlan *plan, const TextPart *part, int32_t i,
                       const float *weights)
{
    char room[SIDE_LABEL_BYTES];
    Side side = side_of_axis(s->frame->trace, part->axis);
    const TraceAxis *axis = trace_axis(s->frame->trace, part->axis);
    int32_t sentence = axis->parent ? axis->parent[i] : -1;
    table_add_int(&s->table, (int)i + 1);
    table_add_text(&s->table, side_label(&side, i, room));
    table_add_int(&s->table, (int)sentence + 1);
    table_add_float(&s->table, plan->sentences && sentence >= 0 ? plan->sentences[sentence] : NAN);
    add_known(s, weights, i);
    add_known(s, part->values, i);
    if (!plan->values) {
        add_known(s, text_rank_one(plan, "word.effect", part->axis), i);
        add_known(s, text_rank_one(plan, "word.gradient", part->axis), i);
    }
    table_end_row(&s->table);
}

static bool write_words(Sheet *s)
{
    static const char *const names[] = {
        "position", "token", "sentence",        "sentence weight",
        "weight",   "shade", "lost without it", "gradient times input",
    };
    TextPlan plan;
    text_plan(&plan, s->frame);
    bool ok = plan.n_parts > 0;
    if (ok) {
        const TextPart *part = &plan.parts[plan.main];
        const float *weights =
            plan.values ? part->values : text_rank_one(&plan, "word.weights", part->axis);
        add_head(s, names, plan.values ? 6 : 8);
        for (int32_t i = 0; i < part->n; i++)
            write_word(s, &plan, part, i, weights);
    } else {
        error_set(s->error, ERROR_INPUT, "%s", plan.error.message);
    }
    text_plan_free(&plan);
    return ok;
}

static bool write_heads(Sheet *s)
{
    const TraceTensor *tensor =
        values_named(s->frame->trace, settings_text(s->frame->options, "tensor"));
    const HeadSet *set = heads_get(s->frame, tensor, s->error);
    if (!set)
        return false;
    table_add_text(&s->table, "layer");
    table_add_text(&s->table, "head");
    for (int k = 0; k < MEASURE_N_HEAD; k++)
        table_add_text(&s->table, measure_head_name(k));
    table_end_row(&s->table);
    for (int32_t i = 0; i < set->n; i++) {
        table_add_int(&s->table, (int)set->heads[i].layer + 1);
        table_add_int(&s->table, (int)set->heads[i].head + 1);
        for (int k = 0; k < MEASURE_N_HEAD; k++)
            table_add_double(&s->table, measure_head_value(&set->heads[i].measures, k));
        table_end_row(&s->table);
    }
    return true;
}

static bool write_beam(Sheet *s)
{
    static const char *const names[] = {"node",  "parent",          "step", "token",
                                        "state", "log probability", "score"};
    static const char *const states[] = {[TRACE_BEAM_LIVE] = "live",
                                         [TRACE_BEAM_FINISHED] = "finished",
                                         [TRACE_BEAM_PRUNED] = "pruned"};
    const Trace *trace = s->frame->trace;
    if (trace_n_beam_nodes(trace) == 0)
        return fail(s, WORD_NO_BEAM);
    add_head(s, names, 7);
    for (int32_t i = 0; i < trace_n_beam_nodes(trace); i++) {
        const TraceBeamNode *node = trace_beam_node(trace, i);
        table_add_int(&s->table, (int)i + 1);
        table_add_int(&s->table, (int)node->parent + 1);
        table_add_int(&s->table, (int)node->step + 1);
        table_add_text(&s->table, node->token);
        table_add_text(&s->table, states[node->state]);
        table_add_double(&s->table, node->log_probability);
        table_add_double(&s->table, node->score);
        table_end_row(&s->table);
    }
    return true;
}

/* Glimpses: where each looked. Grids are matrices like any other. */
static bool write_image(Sheet *s)
{
    static const char *const names[] = {"step", "token", "box", "x", "y", "width", "height"};
    const Trace *trace = s->frame->trace;
    bool has_boxes = false;
    for (int32_t i = 0; i < trace_n_steps(trace); i++)
        has_boxes = has_boxes || trace_step(trace, i)->n_boxes > 0;
    if (!has_boxes)
        return write_matrix(s);
    add_head(s, names, 7);
    for (int32_t i = 0; i < trace_n_steps(trace); i++)
        for (int32_t k = 0; k < trace_step(trace, i)->n_boxes; k++) {
            const TraceBox *box = &trace_step(trace, i)->boxes[k];
            const float numbers[] = {box->x, box->y, box->w, box->h};
            table_add_int(&s->table, (int)i + 1);
            table_add_text(&s->table, trace_step(trace, i)->token);
            table_add_int(&s->table, (int)k + 1);
            for (int c = 0; c < 4; c++)
                table_add_float(&s->table, numbers[c]);
            table_end_row(&s->table);
        }
    return true;
}

bool figure_write_table(const FigurePaper *paper, char separator, StrBuf *out, Error *error)
{
    static const struct {
        const char *view;
        bool (*write)(Sheet *sheet);
    } writers[] = {
        {"compare", write_compared}, {"pipeline", write_positions}, {"text", write_words},
        {"heads", write_heads},      {"beam", write_beam},          {"image", write_image},
    };
    const FigureDrawing *drawing = paper->figure->drawing;
    ViewFrame frame = paper->frame;
    frame.area = (Rect){0, 0, paper->width, paper->width};
    Sheet sheet = {&frame, {.out = out, .separator = separator}, error};
    if (drawing) {
        drawing->write(drawing->context, &frame, &sheet.table);
        return true;
    }
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        if (strcmp(writers[i].view, paper->figure->view->name) == 0)
            return writers[i].write(&sheet);
    return write_matrix(&sheet);
}
