/* training.c - attention on one input at successive checkpoints, next to the curves of the
 * loss. The frame's at[] says which checkpoint; a click on the chart is HIT_STEP with its
 * place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/chart.h"
#include "views/heatmap.h"
#include "views/views.h"

static const Setting training_settings[] = {
    HEATMAP_SETTINGS,
    {0},
};

typedef struct TrainingPlan {
    const ViewFrame *frame;
    const TraceTensor *tensor; /* NULL: nothing to draw */
    int32_t n, at;             /* checkpoints, the one shown */
    float *steps;              /* [n] */
    float *losses[2];          /* training, validation: [n] or NULL */
    ChartSeries series[2];
    ChartSpec chart;
    ViewFrame inner; /* of the heatmap */
    HeatmapPlan heatmap;
    Arena *arena;
    char subtitle[96];
} TrainingPlan;

/* The tensor whose first leading axis is made of checkpoints. */
static const TraceTensor *find_checkpoints(const Trace *trace)
{
    int32_t axis = trace_find_axis(trace, "checkpoint");
    for (int32_t i = 0; axis >= 0 && i < trace_n_tensors(trace); i++) {
        const TraceTensor *t = trace_tensor(trace, i);
        if (t->rank >= 3 && t->axis[0] == axis && t->role == TRACE_WEIGHTS)
            return t;
    }
    return NULL;
}

static float *read_loss(TrainingPlan *plan, const char *name)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *t = trace_find(trace, name);
    if (!t || t->rank != 1 || trace_tensor_len(trace, t, 0) != plan->n)
        return NULL;
    float *out = arena_get(plan->arena, (size_t)plan->n + 1, sizeof *out);
    TraceMatrix matrix = trace_matrix(trace, t, NULL);
    trace_matrix_read(&matrix, 0, 0, plan->n, out);
    return out;
}

/* Step numbers are the labels, where they are numbers. */
static void read_steps(TrainingPlan *plan)
{
    Side side = side_of_axis(plan->frame->trace, plan->tensor->axis[0]);
    char room[SIDE_LABEL_BYTES];
    plan->steps = arena_get(plan->arena, (size_t)plan->n + 1, sizeof *plan->steps);
    for (int32_t i = 0; i < plan->n; i++) {
        char *end;
        const char *label = side_label(&side, i, room);
        float value = strtof(label, &end);
        plan->steps[i] = end != label && !*end ? value : (float)i + 1;
    }
}

static void plan_chart(TrainingPlan *plan, Rect area)
{
    static const ViewWord names[] = {WORD_TRAIN_SERIES, WORD_VALID_SERIES};
    const ViewFrame *frame = plan->frame;
    plan->losses[0] = read_loss(plan, "loss.train");
    plan->losses[1] = read_loss(plan, "loss.valid");
    plan->chart = (ChartSpec){
        .frame = frame,
        .area = area,
        .kind = CHART_LINES,
        .x = {.title = view_word(frame, WORD_STEPS_AXIS)},
        .y = {.title = view_word(frame, WORD_LOSS_AXIS)},
        .series = plan->series,
        .marker = plan->n > 0 ? plan->steps[plan->at] : NAN,
    };
    for (int k = 0; k < 2; k++)
        if (plan->losses[k])
            plan->series[plan->chart.n_series++] =
                (ChartSeries){view_word(frame, names[k]), plan->steps, plan->losses[k], plan->n, 0};
}

static void plan_training(TrainingPlan *plan, const ViewFrame *frame)
{
    *plan = (TrainingPlan){.frame = frame, .arena = arena_new()};
    plan->tensor = find_checkpoints(frame->trace);
    if (!plan->tensor)
        return;
    plan->n = trace_tensor_len(frame->trace, plan->tensor, 0);
    plan->at = frame->at[0] < 0 ? 0 : frame->at[0] < plan->n ? frame->at[0] : plan->n - 1;
    if (plan->n == 0) {
        plan->tensor = NULL;
        return;
    }
    read_steps(plan);
    char room[SIDE_LABEL_BYTES];
    Side side = side_of_axis(frame->trace, plan->tensor->axis[0]);
    snprintf(plan->subtitle, sizeof plan->subtitle, view_word(frame, WORD_CHECKPOINT),
             side_label(&side, plan->at, room));
    float u = view_unit(frame);
    Rect content = view_content(frame);
    float head = view_draw_heading(frame, NULL, content, (ViewHeading){"x", plan->subtitle});
    float chart = fminf(190 * u, content.h * 0.34f);
    plan_chart(plan, (Rect){content.x, content.y + head + 8 * u, content.w, chart});
    if (plan->chart.n_series == 0)
        chart = 0;
    plan->inner = *frame;
    plan->inner.title = NULL; /* says which checkpoint */
    float top = content.y + head + chart - frame->area.y;
    plan->inner.area.y += top;
    plan->inner.area.h -= top;
    plan->inner.at[0] = plan->at;
    heatmap_plan(&plan->heatmap, &plan->inner);
}

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    TrainingPlan plan;
    plan_training(&plan, frame);
    if (!plan.tensor) {
        view_draw_empty(frame, canvas, view_word(frame, WORD_NO_CHECKPOINTS));
    } else {
        view_draw_heading(frame, canvas, view_content(frame),
                          (ViewHeading){view_word(frame, WORD_TRAINING_TITLE), plan.subtitle});
        if (plan.chart.n_series > 0)
            chart_draw(&plan.chart, canvas);
        if (plan.heatmap.values)
            heatmap_draw_plan(&plan.heatmap, canvas);
        else
            view_draw_empty(&plan.inner, canvas, plan.heatmap.error.message);
    }
    view_draw_tooltip(frame, canvas, &frame->hover);
    arena_free(plan.arena);
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    TrainingPlan plan;
    plan_training(&plan, frame);
    ViewHit found = {0};
    int series, index;
    Rect place;
    if (plan.tensor && plan.chart.n_series > 0 &&
        chart_at(&plan.chart, x, y, &series, &index, &place)) {
        found = (ViewHit){.kind = HIT_STEP, .row = index, .place = place};
        view_hit_add(&found, "%s %s", view_word(frame, WORD_STEPS_AXIS),
                     view_short_number((double)plan.steps[index]).text);
        view_hit_add(&found, "%s %s", plan.series[series].name,
                     view_number((double)plan.series[series].y[index], 3).text);
    } else if (plan.tensor && plan.heatmap.values) {
        found = heatmap_hit_plan(&plan.heatmap, x, y);
    }
    arena_free(plan.arena);
    return found;
}

static float wanted_height(const ViewFrame *frame, float width)
{
    return view_heatmap.wanted_height(frame, width) + 240 * view_unit(frame);
}

static ViewPort port(const ViewFrame *frame)
{
    TrainingPlan plan;
    ViewFrame whole = *frame;
    whole.camera = (ViewCamera){0};
    plan_training(&plan, &whole);
    ViewPort port = {0};
    if (plan.tensor && plan.heatmap.values)
        port = matrix_port(&plan.heatmap.matrix);
    arena_free(plan.arena);
    return port;
}

static bool offers(const Trace *trace)
{
    return find_checkpoints(trace) != NULL;
}

const View view_training = {
    "training", "Training", training_settings, offers, draw, hit, wanted_height, port, NULL,
};
