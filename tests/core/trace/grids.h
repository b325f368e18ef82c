/* grids.h - small traces for the tests of everything that works on grids. */
#ifndef FOVEA_TESTS_GRIDS_H
#define FOVEA_TESTS_GRIDS_H
#include <string.h>

#include "testing.h"
#include "trace/grid.h"

/* A trace with one tensor "w" over the axes "target" [rows] and "source" [cols]. Labels and
 * flags may be NULL. */
static inline const Trace *make_matrix_trace(TraceRole role, int32_t rows, int32_t cols,
                                             const char *const *row_labels,
                                             const uint8_t *row_flags,
                                             const char *const *col_labels,
                                             const uint8_t *col_flags, const float *data)
{
    Error error = {0};
    TraceBuilder *builder = trace_builder_new();
    TraceAxis target = {.name = "target", .kind = TRACE_AXIS_TOKEN, .len = rows};
    target.labels = row_labels;
    target.flags = row_flags;
    TraceAxis source = {.name = "source", .kind = TRACE_AXIS_TOKEN, .len = cols};
    source.labels = col_labels;
    source.flags = col_flags;
    int32_t axes[2] = {trace_add_axis(builder, &target), trace_add_axis(builder, &source)};
    trace_add_tensor(builder, "w", role, 2, axes, data);
    const Trace *trace = trace_seal(builder, &error);
    assert_ok(trace);
    return trace;
}

/* A grid of plain weights without labels. */
static inline Grid make_grid(int32_t rows, int32_t cols, const float *data)
{
    Error error = {0};
    Grid grid;
    const Trace *trace = make_matrix_trace(TRACE_WEIGHTS, rows, cols, NULL, NULL, NULL, NULL, data);
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    trace_release(trace);
    return grid;
}

/* A trace with one tensor "w" over index axes of the given lengths. */
static inline const Trace *make_tensor_trace(int32_t rank, const int32_t *len, const float *data)
{
    Error error = {0};
    static const char *const NAMES[] = {"a", "b", "c", "d", "e", "f"};
    int32_t axes[TRACE_MAX_RANK];
    TraceBuilder *builder = trace_builder_new();
    for (int32_t i = 0; i < rank; i++)
        axes[i] = trace_add_axis(
            builder, &(TraceAxis){.name = NAMES[i], .kind = TRACE_AXIS_INDEX, .len = len[i]});
    trace_add_tensor(builder, "w", TRACE_WEIGHTS, rank, axes, data);
    const Trace *trace = trace_seal(builder, &error);
    assert_ok(trace);
    return trace;
}

#endif
