/* The ways of further drawn runs: over glimpses, or from cell to cell of a hard choice. */
#include <math.h>

#include "views/image.h"

#define RUN_MARK 0x5CCBFFFFu /* as the distribution that places are drawn from */

/* Cells are wide and runs many: each has its own place within the cell. */
static float within_cell(int32_t run, int32_t step, uint32_t salt)
{
    uint32_t x = ((uint32_t)run * 2654435761u) ^ ((uint32_t)step * 2246822519u) ^ salt;
    x = (x ^ (x >> 15)) * 2246822519u;
    x = (x ^ (x >> 13)) * 3266489917u;
    return 0.2f + 0.6f * (float)((x ^ (x >> 16)) & 0xFFFF) / 65535.0f;
}

static Point at_cell(const ImagePlan *plan, Rect place, int32_t cell, int32_t run, int32_t step)
{
    float w = place.w / (float)plan->grid_cols, h = place.h / (float)plan->grid_rows;
    return (Point){place.x + w * ((float)(cell % plan->grid_cols) + within_cell(run, step, 1)),
                   place.y + h * ((float)(cell / plan->grid_cols) + within_cell(run, step, 77))};
}

static Point at_glimpse(const ImagePlan *plan, Rect place, int32_t run, int32_t step)
{
    TraceMatrix m = trace_matrix(plan->frame->trace, plan->places, &run);
    return image_point(plan, place, (trace_matrix_get(&m, step, 0) + 1) / 2,
                       (trace_matrix_get(&m, step, 1) + 1) / 2);
}

static int32_t count_runs(const ImagePlan *plan)
{
    const TraceTensor *t = plan->places ? plan->places : plan->grid ? plan->taken : NULL;
    return t ? trace_tensor_len(plan->frame->trace, t, 0) : 0;
}

static int32_t count_steps(const ImagePlan *plan)
{
    return trace_tensor_len(plan->frame->trace, plan->places ? plan->places : plan->taken, 1);
}

/* A cell of the grid, or -1. */
static int32_t cell_of(const ImagePlan *plan, int32_t run, int32_t step)
{
    TraceMatrix m = trace_matrix(plan->frame->trace, plan->taken, NULL);
    float cell = trace_matrix_get(&m, run, step);
    int32_t n = plan->grid_rows * plan->grid_cols;
    return cell >= 0 && cell < (float)n ? (int32_t)cell : -1;
}

static Point look_of(const ImagePlan *plan, Rect place, int32_t run, int32_t step)
{
    if (plan->places)
        return at_glimpse(plan, place, run, step);
    int32_t cell = cell_of(plan, run, step);
    return cell < 0 ? (Point){NAN, NAN} : at_cell(plan, place, cell, run, step);
}

int32_t image_count_taken(const ImagePlan *plan, int32_t step, int32_t cell, int32_t *n_runs)
{
    int32_t n = 0;
    *n_runs = plan->taken && step < count_steps(plan) ? count_runs(plan) : 0;
    for (int32_t run = 0; run < *n_runs; run++)
        n += cell_of(plan, run, step) == cell;
    return n;
}

void image_draw_runs(const ImagePlan *plan, Canvas *canvas, Rect place, int32_t step)
{
    int32_t n_runs = count_runs(plan);
    if (n_runs == 0 || !settings_bool(plan->frame->options, "runs"))
        return;
    int32_t last = step < count_steps(plan) ? step : count_steps(plan) - 1;
    float u = view_unit(plan->frame);
    bool lines = settings_bool(plan->frame->options, "path") && n_runs <= IMAGE_MOST_WAYS;
    Stroke stroke = {color_fade(RUN_MARK, fminf(0.6f, fmaxf(0.1f, 9 / (float)n_runs))), u, 0};
    Color dot = color_fade(RUN_MARK, n_runs > IMAGE_MOST_WAYS ? 0.3f : 0.7f);
    Point *way = arena_get(plan->arena, (size_t)last + 2, sizeof *way);
    for (int32_t run = 0; run < n_runs; run++) {
        int n = 0;
        for (int32_t t = lines ? 0 : last; t <= last; t++) {
            Point at = look_of(plan, place, run, t);
            if (isfinite(at.x) && isfinite(at.y))
                way[n++] = at;
        }
        if (n > 1)
            canvas_path(canvas, way, n, false, stroke);
        if (n > 0)
            canvas_circle(canvas, way[n - 1], 2.5f * u, dot, (Stroke){0});
    }
}
