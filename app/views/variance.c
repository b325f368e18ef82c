/* variance.c - how noisy the estimate of a policy's gradient was while it was learned, with
 * nothing, a moving average and a learned baseline to compare the reward with: REINFORCE
 * beside actor and critic, on the same runs. */
#include <math.h>
#include <stdlib.h>

#include "views/chart.h"
#include "views/heatmap.h"
#include "views/views.h"

enum { N_KINDS = 3 };

static const struct {
    const char *tensor;
    ViewWord word;
} kinds[N_KINDS] = {
    {"variance.none", WORD_BASELINE_NONE},
    {"variance.moving", WORD_BASELINE_MOVING},
    {"variance.learned", WORD_BASELINE_LEARNED},
};

static const Setting variance_settings[] = {{0}};

typedef struct VariancePlan {
    const ViewFrame *frame;
    int32_t axis; /* the epochs; -1: nothing to draw */
    Rect content;
    ChartSeries series[N_KINDS];
    ChartSpec chart;
    Arena *arena;
} VariancePlan;

static const TraceTensor *find_kind(const Trace *trace, int kind)
{
    const TraceTensor *t = trace_find(trace, kinds[kind].tensor);
    return t && t->rank == 1 && trace_tensor_len(trace, t, 0) > 0 ? t : NULL;
}

/* Epochs are numbered by their labels, where those are numbers. */
static const float *read_epochs(const VariancePlan *plan, int32_t axis, int32_t n)
{
    Side side = side_of_axis(plan->frame->trace, axis);
    char room[SIDE_LABEL_BYTES];
    float *epochs = arena_get(plan->arena, (size_t)n, sizeof *epochs);
    for (int32_t i = 0; i < n; i++) {
        char *end;
        const char *label = side_label(&side, i, room);
        float value = strtof(label, &end);
        epochs[i] = end != label && !*end ? value : (float)i + 1;
    }
    return epochs;
}

static void add_series(VariancePlan *plan, int kind)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *t = find_kind(trace, kind);
    if (!t || (plan->axis >= 0 && t->axis[0] != plan->axis))
        return;
    int32_t n = trace_tensor_len(trace, t, 0);
    float *values = arena_get(plan->arena, (size_t)n, sizeof *values);
    TraceMatrix matrix = trace_matrix(trace, t, NULL);
    trace_matrix_read(&matrix, 0, 0, n, values);
    const float *epochs =
        plan->chart.n_series > 0 ? plan->series[0].x : read_epochs(plan, t->axis[0], n);
    plan->axis = t->axis[0];
    plan->series[plan->chart.n_series++] =
        (ChartSeries){view_word(plan->frame, kinds[kind].word), epochs, values, n, 0};
}

static ViewHeading heading_of(const ViewFrame *frame)
{
    return (ViewHeading){view_word(frame, WORD_VARIANCE_TITLE),
                         view_word(frame, WORD_VARIANCE_SUBTITLE)};
}

static void plan_variance(VariancePlan *plan, const ViewFrame *frame)
{
    *plan = (VariancePlan){.frame = frame, .axis = -1, .arena = arena_new()};
    float u = view_unit(frame);
    plan->content = view_content(frame);
    float head = view_draw_heading(frame, NULL, plan->content, heading_of(frame)) + 16 * u;
    Rect area = plan->content;
    area.y += head;
    area.h = fminf(area.h - head, 420 * u);
    plan->chart = (ChartSpec){
        .frame = frame,
        .area = area,
        .kind = CHART_LINES,
        .x = {.title = view_word(frame, WORD_EPOCH_AXIS)},
        .y = {.title = view_word(frame, WORD_VARIANCE_AXIS), .is_log = true},
        .series = plan->series,
        .marker = NAN,
    };
    for (int kind = 0; kind < N_KINDS; kind++)
        add_series(plan, kind);
}

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    VariancePlan plan;
    plan_variance(&plan, frame);
    if (plan.axis < 0) {
        view_draw_empty(frame, canvas, view_word(frame, WORD_NO_VARIANCE));
    } else {
        view_draw_heading(frame, canvas, plan.content, heading_of(frame));
        chart_draw(&plan.chart, canvas);
    }
    view_draw_tooltip(frame, canvas, &frame->hover);
    arena_free(plan.arena);
}

/* The epoch whose column the pointer is in; the column reaches half-way to its neighbours. */
static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    VariancePlan plan;
    plan_variance(&plan, frame);
    ViewHit found = {0};
    Rect plot = chart_plot(&plan.chart);
    if (plan.axis >= 0 && rect_contains(plot, x, y)) {
        int n = plan.series[0].n;
        float each = n > 1 ? plot.w / (float)(n - 1) : plot.w;
        int epoch = n > 1 ? (int)lroundf((x - plot.x) / each) : 0;
        Rect column = {plot.x + each * ((float)epoch - 0.5f), plot.y, each, plot.h};
        if (n == 1)
            column.x = plot.x;
        found = (ViewHit){
            .kind = HIT_ITEM, .axis = plan.axis, .row = epoch, .col = -1, .place = column};
        view_hit_add(&found, view_word(frame, WORD_EPOCH_NUMBER),
                     view_short_number((double)plan.series[0].x[epoch]).text);
        for (int i = 0; i < plan.chart.n_series; i++)
            view_hit_add(&found, "%s %s", plan.series[i].name,
                         view_short_number((double)plan.series[i].y[epoch]).text);
    }
    arena_free(plan.arena);
    return found;
}

static float wanted_height(const ViewFrame *frame, float width)
{
    (void)width;
    return 480 * view_unit(frame);
}

static bool offers(const Trace *trace)
{
    for (int kind = 0; kind < N_KINDS; kind++)
        if (find_kind(trace, kind))
            return true;
    return false;
}

const View view_variance = {
    "variance", "Gradient noise", variance_settings, offers, draw, hit, wanted_height, NULL, NULL,
};
