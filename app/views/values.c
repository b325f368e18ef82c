#include "views/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace_check.h"

/* ---- shaping ---- */

ValuesSpec values_spec(const ViewFrame *frame, const TraceTensor *tensor)
{
    const Settings *o = frame->options;
    ValuesSpec spec = {
        .trace = frame->trace,
        .tensor = tensor,
        .reduction =
            settings_has(o, "reduce") ? (ValuesReduction)settings_choice(o, "reduce") : VALUES_MEAN,
        .merge_words = settings_has(o, "merge_words") && settings_bool(o, "merge_words"),
        .hide_special = settings_has(o, "hide_special") && settings_bool(o, "hide_special"),
        .hide_padding = settings_has(o, "hide_padding") && settings_bool(o, "hide_padding"),
        .hide_sinks = settings_has(o, "hide_sinks") && settings_bool(o, "hide_sinks"),
        .renormalise = settings_has(o, "renormalise") && settings_bool(o, "renormalise"),
    };
    for (int32_t d = 0; tensor && d + 2 < tensor->rank; d++) {
        int32_t len = trace_tensor_len(frame->trace, tensor, d), at = frame->at[d];
        spec.at[d] = at < 0 ? GRID_ALL : at < len ? at : len - 1;
    }
    return spec;
}

ViewKey values_key(const char *kind, const ValuesSpec *s)
{
    const TraceTensor *first = trace_tensor(s->trace, 0);
    return view_key("%s:%llu:%d:%d,%d,%d,%d:%d%d%d%d%d%d", kind,
                    (unsigned long long)trace_id(s->trace), (int)(s->tensor - first), (int)s->at[0],
                    (int)s->at[1], (int)s->at[2], (int)s->at[3], (int)s->reduction, s->merge_words,
                    s->hide_special, s->hide_padding, s->hide_sinks, s->renormalise);
}

static bool is_reduced(const ValuesSpec *spec)
{
    for (int32_t d = 0; d + 2 < spec->tensor->rank; d++)
        if (spec->at[d] == GRID_ALL)
            return true;
    return spec->reduction == VALUES_ROLLOUT && spec->tensor->rank > 2;
}

/* The leading axis of the layers: the one of that name, else the outermost. */
static int32_t layer_dimension(const ValuesSpec *spec)
{
    for (int32_t d = 0; d + 2 < spec->tensor->rank; d++)
        if (strcmp(trace_axis(spec->trace, spec->tensor->axis[d])->name, "layer") == 0)
            return d;
    return 0;
}

static bool read_grid(const ValuesSpec *spec, Grid *grid, Error *error)
{
    if (!is_reduced(spec))
        return grid_init(grid, spec->trace, spec->tensor, spec->at, error);
    if (spec->reduction != VALUES_ROLLOUT)
        return grid_init_reduced(grid, spec->trace, spec->tensor, spec->at,
                                 spec->reduction == VALUES_MAX ? GRID_MAX : GRID_MEAN, error);
    int32_t layer = layer_dimension(spec);
    int32_t last = trace_tensor_len(spec->trace, spec->tensor, layer) - 1;
    if (spec->at[layer] >= 0)
        last = spec->at[layer];
    return grid_init_rollout(grid, spec->trace, spec->tensor, spec->at, layer, last, error);
}

static uint8_t hidden_flags(const ValuesSpec *spec)
{
    return (uint8_t)((spec->hide_special ? TRACE_TOKEN_SPECIAL : 0) |
                     (spec->hide_padding ? TRACE_TOKEN_PADDING : 0));
}

static int32_t n_items(const Grid *grid)
{
    return grid->rows + grid->cols;
}

static bool axis_has_flags(const Trace *trace, int32_t axis, uint8_t flags)
{
    const TraceAxis *a = trace_axis(trace, axis);
    for (int32_t i = 0; a->flags && i < a->len; i++)
        if (a->flags[i] & flags)
            return true;
    return false;
}

static bool hides_sinks(const ValuesSpec *spec)
{
    return spec->hide_sinks && spec->tensor->role == TRACE_WEIGHTS;
}

static bool needs_shaping(const ValuesSpec *spec)
{
    uint8_t flags = (uint8_t)(hidden_flags(spec) | (spec->merge_words ? TRACE_TOKEN_CONTINUES : 0));
    const TraceTensor *t = spec->tensor;
    for (int32_t d = t->rank > 1 ? t->rank - 2 : 0; d < t->rank; d++)
        if (axis_has_flags(spec->trace, t->axis[d], flags))
            return true;
    return is_reduced(spec) || hides_sinks(spec);
}

static bool renormalises(const ValuesSpec *spec)
{
    return spec->renormalise && spec->tensor->role == TRACE_WEIGHTS;
}

static bool shape_grid(const ValuesSpec *spec, Values *values, Error *error)
{
    if (!read_grid(spec, &values->grid, error))
        return false;
    if (spec->merge_words)
        grid_merge_words(&values->grid, GRID_ROWS | GRID_COLS);
    int32_t all = n_items(&values->grid);
    if (spec->hide_padding)
        grid_hide_padding(&values->grid);
    values->n_padding = all - n_items(&values->grid);
    int32_t cols = values->grid.cols;
    if (spec->hide_special)
        grid_hide(&values->grid, TRACE_TOKEN_SPECIAL, TRACE_TOKEN_SPECIAL, renormalises(spec));
    values->n_hidden_cols = cols - values->grid.cols;
    if (hides_sinks(spec))
        values->n_sinks =
            grid_hide_sinks(&values->grid, TRACE_CHECK_SINK_SHARE, renormalises(spec));
    return true;
}

/* ---- reading it all once ---- */

enum { SAMPLED_ROWS = 512 };

typedef struct RowScan {
    float low, high; /* finite values; low > high: none */
    int32_t n_missing;
} RowScan;

static RowScan scan_finite(const float *row, int32_t n)
{
    RowScan scan = {INFINITY, -INFINITY, 0};
    for (int32_t j = 0; j < n; j++) {
        if (isfinite(row[j])) {
            scan.low = fminf(scan.low, row[j]);
            scan.high = fmaxf(scan.high, row[j]);
        } else {
            scan.n_missing++;
        }
    }
    return scan;
}

/* Comparisons alone: fast, and right unless there are infinities. */
static RowScan scan_row(const float *row, int32_t n)
{
    float low = INFINITY, high = -INFINITY;
    int n_nan = 0;
    for (int32_t j = 0; j < n; j++) {
        low = row[j] < low ? row[j] : low;
        high = row[j] > high ? row[j] : high;
        n_nan += row[j] != row[j];
    }
    bool is_plain = n > 0 && isfinite(low) && isfinite(high);
    return is_plain ? (RowScan){low, high, n_nan} : scan_finite(row, n);
}

static float sum_of(const float *row, int32_t n)
{
    double sum = 0;
    for (int32_t j = 0; j < n; j++)
        sum += (double)row[j];
    return (float)sum;
}

static void widen(GridRange *range, float value)
{
    range->low = fminf(range->low, value);
    range->high = fmaxf(range->high, value);
}

static void scan(Values *v)
{
    int64_t cells = (int64_t)v->matrix.rows * v->matrix.cols;
    v->is_estimated = cells > 2 * VALUES_SHAPED_CELLS;
    int32_t step = v->is_estimated ? 1 + v->matrix.rows / SAMPLED_ROWS : 1;
    v->range = v->sums = (GridRange){INFINITY, -INFINITY};
    v->peaks = memory_new((size_t)v->matrix.rows, sizeof *v->peaks);
    float *row = memory_new((size_t)v->matrix.cols, sizeof *row);
    for (int32_t i = 0; i < v->matrix.rows; i += step) {
        trace_matrix_read(&v->matrix, i, 0, v->matrix.cols, row);
        RowScan found = scan_row(row, v->matrix.cols);
        v->n_missing += found.n_missing;
        if (found.low > found.high)
            continue;
        widen(&v->range, found.low);
        widen(&v->range, found.high);
        v->peaks[i] = fmaxf(fabsf(found.low), fabsf(found.high));
        if (!v->is_estimated)
            widen(&v->sums, sum_of(row, v->matrix.cols));
    }
    free(row);
}

static void use_grid(Values *v)
{
    v->matrix =
        (TraceMatrix){v->grid.rows, v->grid.cols, TRACE_F32, false, v->grid.data, v->grid.cols, 1};
    int32_t row_axis = -1, col_axis = -1;
    if (v->tensor) {
        col_axis = v->tensor->axis[v->tensor->rank - 1];
        row_axis = v->tensor->rank > 1 ? v->tensor->axis[v->tensor->rank - 2] : -1;
    }
    v->rows = side_of_items(v->trace, row_axis, v->grid.row, v->grid.rows);
    v->cols = side_of_items(v->trace, col_axis, v->grid.col, v->grid.cols);
}

static void use_trace(Values *v, const ValuesSpec *spec)
{
    const TraceTensor *t = spec->tensor;
    v->matrix = trace_matrix(spec->trace, t, spec->at);
    v->rows = side_of_axis(spec->trace, t->rank > 1 ? t->axis[t->rank - 2] : -1);
    v->cols = side_of_axis(spec->trace, t->axis[t->rank - 1]);
    trace_retain(spec->trace);
}

static void measure_labels(const ViewFrame *frame, Values *v)
{
    v->widths = memory_new((size_t)2 * SIDE_MOST_WIDTHS, sizeof *v->widths);
    v->rows.n_widths = side_measure(frame, &v->rows, v->widths);
    v->cols.n_widths = side_measure(frame, &v->cols, v->widths + SIDE_MOST_WIDTHS);
    v->rows.widths = v->widths;
    v->cols.widths = v->widths + SIDE_MOST_WIDTHS;
}

static bool finish(const ViewFrame *frame, Values *v, Error *error)
{
    v->rows.reversed = side_reads_right_to_left(&v->rows);
    v->cols.reversed = side_reads_right_to_left(&v->cols);
    measure_labels(frame, v);
    scan(v);
    if ((int64_t)v->matrix.rows * v->matrix.cols <= VALUES_SMALL_CELLS)
        return true;
    PyramidRule rule = v->range.low < 0 ? PYRAMID_MAGNITUDE : PYRAMID_MAXIMUM;
    v->pyramid = pyramid_new(v->trace, v->matrix, rule, error);
    return v->pyramid != NULL;
}

static void values_free(void *value)
{
    Values *v = value;
    pyramid_free(v->pyramid);
    if (v->grid.arena)
        grid_deinit(&v->grid);
    else
        trace_release(v->trace);
    free(v->peaks);
    free(v->widths);
    free(v);
}

static size_t values_bytes(const Values *v)
{
    size_t cells = (size_t)v->matrix.rows * (size_t)v->matrix.cols;
    return (v->grid.arena ? cells * 4 : 0) + (v->pyramid ? cells / 3 : 0) + 8192;
}

const Values *values_get(const ViewFrame *frame, const ValuesSpec *spec, Error *error)
{
    ViewKey key = values_key("values", spec);
    Values *v = view_cache_find(frame->cache, &key);
    if (v)
        return v;
    const TraceTensor *t = spec->tensor;
    v = memory_new(1, sizeof *v);
    v->trace = spec->trace;
    v->tensor = t;
    v->role = t->role;
    int32_t rows = t->rank > 1 ? trace_tensor_len(spec->trace, t, t->rank - 2) : 1;
    int64_t cells = (int64_t)rows * trace_tensor_len(spec->trace, t, t->rank - 1);
    bool is_large = cells > VALUES_SMALL_CELLS, shaped = needs_shaping(spec);
    v->is_raw = shaped && cells > VALUES_SHAPED_CELLS && !is_reduced(spec);
    bool ok = true;
    if (v->is_raw || (is_large && !shaped))
        use_trace(v, spec);
    else if ((ok = shape_grid(spec, v, error)))
        use_grid(v);
    if (!ok) {
        free(v);
        return NULL;
    }
    if (!finish(frame, v, error)) {
        values_free(v);
        return NULL;
    }
    return view_cache_put(frame->cache, &key, v, values_bytes(v), values_free);
}

const Values *values_put(const ViewFrame *frame, const ViewKey *key, Grid *grid)
{
    Values *v = memory_new(1, sizeof *v);
    v->trace = grid->trace;
    v->role = grid->role;
    v->grid = *grid;
    *grid = (Grid){0};
    use_grid(v);
    Error error = {0};
    if (!finish(frame, v, &error)) { /* no memory for a pyramid: drawn without */
        v->pyramid = NULL;
    }
    return view_cache_put(frame->cache, key, v, values_bytes(v), values_free);
}

const Values *values_find(const ViewFrame *frame, const ViewKey *key)
{
    return view_cache_find(frame->cache, key);
}

float values_at(const Values *values, int32_t row, int32_t col)
{
    return trace_matrix_get(&values->matrix, row, col);
}
