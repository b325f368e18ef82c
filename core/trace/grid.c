#include "trace/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/spelled.h"

static bool check_size(int64_t rows, int64_t cols, Error *error)
{
    if (rows * cols <= GRID_MAX_CELLS)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "a matrix of %lld x %lld cells is above the limit of %lld for whole matrices",
                     (long long)rows, (long long)cols, (long long)GRID_MAX_CELLS);
}

static bool out_of_memory(Grid *grid, Error *error)
{
    int32_t rows = grid->rows, cols = grid->cols;
    grid_deinit(grid);
    return error_set(error, ERROR_MEMORY, "no memory for a matrix of %d x %d cells", rows, cols);
}

/* ---- making ---- */

/* Counted from 1, as places are everywhere. */
static const char *index_label(Arena *arena, int32_t i)
{
    char text[16];
    snprintf(text, sizeof text, "%d", i + 1);
    return arena_copy_string(arena, text);
}

/* One item for each of an axis, or a single one when the tensor has no such axis. */
static GridItem *make_items(Arena *arena, const TraceAxis *axis)
{
    int32_t n = axis ? axis->len : 1;
    GridItem *items = arena_try_get(arena, (size_t)n, sizeof *items);
    for (int32_t i = 0; items && i < n; i++) {
        items[i].label = !axis ? "" : axis->labels ? axis->labels[i] : index_label(arena, i);
        items[i].flags = axis && axis->flags ? axis->flags[i] : 0;
        items[i].first = i;
        items[i].count = 1;
    }
    return items;
}

bool grid_init_zero(Grid *grid, const Trace *trace, const TraceTensor *tensor, Error *error)
{
    int32_t rank = tensor->rank;
    const TraceAxis *row_axis = rank > 1 ? trace_axis(trace, tensor->axis[rank - 2]) : NULL;
    const TraceAxis *col_axis = trace_axis(trace, tensor->axis[rank - 1]);
    int32_t rows = row_axis ? row_axis->len : 1;
    *grid = (Grid){0};
    if (!check_size(rows, col_axis->len, error))
        return false;
    grid->rows = rows;
    grid->cols = col_axis->len;
    grid->role = tensor->role;
    grid->trace = trace_retain(trace);
    grid->arena = arena_new();
    grid->data = memory_try_new((size_t)rows * (size_t)grid->cols, sizeof *grid->data);
    grid->row = make_items(grid->arena, row_axis);
    grid->col = make_items(grid->arena, col_axis);
    return (grid->data && grid->row && grid->col) || out_of_memory(grid, error);
}

bool grid_init(Grid *grid, const Trace *trace, const TraceTensor *tensor, const int32_t *at,
               Error *error)
{
    if (!grid_init_zero(grid, trace, tensor, error))
        return false;
    TraceMatrix matrix = trace_matrix(trace, tensor, at);
    for (int32_t i = 0; i < grid->rows; i++)
        trace_matrix_read(&matrix, i, 0, grid->cols, grid->data + (size_t)i * (size_t)grid->cols);
    return true;
}

bool grid_copy(Grid *grid, const Grid *source, Error *error)
{
    *grid = *source;
    grid->trace = trace_retain(source->trace);
    grid->arena = arena_new();
    size_t rows = (size_t)source->rows, cols = (size_t)source->cols;
    grid->data = memory_try_new(rows * cols, sizeof *grid->data);
    grid->row = arena_try_get(grid->arena, rows, sizeof *grid->row);
    grid->col = arena_try_get(grid->arena, cols, sizeof *grid->col);
    if (!grid->data || !grid->row || !grid->col)
        return out_of_memory(grid, error);
    if (rows > 0 && cols > 0)
        memcpy(grid->data, source->data, rows * cols * sizeof *grid->data);
    for (size_t i = 0; i < rows; i++) {
        grid->row[i] = source->row[i];
        grid->row[i].label = arena_copy_string(grid->arena, source->row[i].label);
    }
    for (size_t i = 0; i < cols; i++) {
        grid->col[i] = source->col[i];
        grid->col[i].label = arena_copy_string(grid->arena, source->col[i].label);
    }
    return true;
}

void grid_deinit(Grid *grid)
{
    free(grid->data);
    arena_free(grid->arena);
    trace_release(grid->trace);
    *grid = (Grid){0};
}

/* ---- merging ---- */

/* The word that begins at `first`: how many items, and the item that stands for it. */
static int32_t merge_items(Arena *arena, const GridItem *items, int32_t n, int32_t first,
                           GridItem *out)
{
    int32_t end = first + 1;
    size_t bytes = strlen(items[first].label) + 1;
    while (end < n && (items[end].flags & TRACE_TOKEN_CONTINUES))
        bytes += strlen(items[end++].label);
    GridItem merged = items[first];
    if (end - first > 1) {
        char *label = arena_get(arena, bytes, 1), *next = label;
        uint8_t common = items[first].flags;
        for (int32_t i = first; i < end; i++) {
            size_t length = strlen(items[i].label);
            memcpy(next, items[i].label, length + 1);
            next += length;
            common &= (uint8_t)(items[i].flags | TRACE_TOKEN_CONTINUES);
        }
        spelled_join(label);
        /* A mark that stood alone before spelled bytes begins a word that begins anyway. */
        bool marked = strcmp(items[first].label, "\u2581") == 0;
        merged.label = marked ? label + strlen(items[first].label) : label;
        merged.flags = common; /* a word is special only if all of it is */
        merged.count = items[end - 1].first + items[end - 1].count - items[first].first;
    }
    /* A first item that continues something outside of the grid begins a word here. */
    merged.flags &= (uint8_t)~TRACE_TOKEN_CONTINUES;
    *out = merged;
    return end - first;
}

static void add_rows(float *sum, const float *row, size_t n)
{
    for (size_t j = 0; j < n; j++)
        sum[j] += row[j];
}

static void merge_rows(Grid *grid)
{
    size_t cols = (size_t)grid->cols;
    int32_t kept = 0;
    for (int32_t i = 0; i < grid->rows; kept++) {
        GridItem word;
        int32_t n = merge_items(grid->arena, grid->row, grid->rows, i, &word);
        float *out = grid->data + (size_t)kept * cols;
        memmove(out, grid->data + (size_t)i * cols, cols * sizeof *out);
        for (int32_t k = 1; k < n; k++)
            add_rows(out, grid->data + (size_t)(i + k) * cols, cols);
        for (size_t j = 0; n > 1 && j < cols; j++)
            out[j] /= (float)n;
        grid->row[kept] = word;
        i += n;
    }
    grid->rows = kept;
}

static void merge_cols(Grid *grid)
{
    size_t cols = (size_t)grid->cols;
    bool average = grid->role != TRACE_WEIGHTS;
    int32_t kept = 0;
    int32_t *sizes = memory_new(cols, sizeof *sizes);
    for (int32_t j = 0; j < grid->cols; kept++) {
        GridItem word;
        sizes[kept] = merge_items(grid->arena, grid->col, grid->cols, j, &word);
        j += sizes[kept];
        grid->col[kept] = word;
    }
    float *out = grid->data;
    for (int32_t i = 0; i < grid->rows; i++) {
        const float *in = grid->data + (size_t)i * cols;
        for (int32_t word = 0; word < kept; word++) {
            float sum = *in++;
            for (int32_t k = 1; k < sizes[word]; k++)
                sum += *in++;
            *out++ = average ? sum / (float)sizes[word] : sum;
        }
    }
    free(sizes);
    grid->cols = kept;
}

void grid_merge_words(Grid *grid, int sides)
{
    if (sides & GRID_ROWS)
        merge_rows(grid);
    if (sides & GRID_COLS)
        merge_cols(grid);
}

/* ---- hiding ---- */

static void hide_rows(Grid *grid, uint8_t flags)
{
    size_t cols = (size_t)grid->cols;
    int32_t kept = 0;
    for (int32_t i = 0; i < grid->rows; i++) {
        if (grid->row[i].flags & flags)
            continue;
        grid->row[kept] = grid->row[i];
        memmove(grid->data + (size_t)kept * cols, grid->data + (size_t)i * cols,
                cols * sizeof *grid->data);
        kept++;
    }
    grid->rows = kept;
}

static void renormalise_row(float *row, int32_t n, double hidden)
{
    double left = 0;
    for (int32_t j = 0; j < n; j++)
        left += (double)row[j];
    if (hidden == 0 || left == 0)
        return;
    for (int32_t j = 0; j < n; j++)
        row[j] = (float)((double)row[j] / left);
}

static void hide_cols(Grid *grid, uint8_t flags, bool renormalise)
{
    size_t cols = (size_t)grid->cols;
    int32_t kept = 0;
    for (int32_t j = 0; j < grid->cols; j++)
        kept += !(grid->col[j].flags & flags);
    for (int32_t i = 0; i < grid->rows; i++) {
        const float *in = grid->data + (size_t)i * cols;
        float *out = grid->data + (size_t)i * (size_t)kept;
        double hidden = 0;
        int32_t n = 0;
        for (int32_t j = 0; j < grid->cols; j++) {
            if (grid->col[j].flags & flags)
                hidden += (double)in[j];
            else
                out[n++] = in[j];
        }
        if (renormalise)
            renormalise_row(out, kept, hidden);
    }
    int32_t n = 0;
    for (int32_t j = 0; j < grid->cols; j++)
        if (!(grid->col[j].flags & flags))
            grid->col[n++] = grid->col[j];
    grid->cols = kept;
}

void grid_hide(Grid *grid, uint8_t row_flags, uint8_t col_flags, bool renormalise)
{
    if (row_flags)
        hide_rows(grid, row_flags);
    if (col_flags)
        hide_cols(grid, col_flags, renormalise);
}

/* For what is to be hidden: no flag of tokens. */
enum { TO_HIDE = 0x80 };

void grid_hide_padding(Grid *grid)
{
    size_t rows = (size_t)grid->rows, cols = (size_t)grid->cols;
    bool *row_used = memory_new(rows, 1), *col_used = memory_new(cols, 1);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            if (grid->data[i * cols + j] != 0)
                row_used[i] = col_used[j] = true;
    for (size_t i = 0; i < rows; i++)
        if ((grid->row[i].flags & TRACE_TOKEN_PADDING) && !row_used[i])
            grid->row[i].flags |= TO_HIDE;
    for (size_t j = 0; j < cols; j++)
        if ((grid->col[j].flags & TRACE_TOKEN_PADDING) && !col_used[j])
            grid->col[j].flags |= TO_HIDE;
    free(row_used);
    free(col_used);
    grid_hide(grid, TO_HIDE, TO_HIDE, false);
}

/* The column with most of the finite weight if that is more than `share`, or -1. */
static int32_t find_sink(const Grid *grid, double share)
{
    int32_t best = -1;
    double total = 0, most = 0;
    for (int32_t j = 0; j < grid->cols; j++) {
        double sum = 0;
        for (int32_t i = 0; i < grid->rows; i++)
            sum += isfinite(grid_get(grid, i, j)) ? (double)grid_get(grid, i, j) : 0;
        total += sum;
        if (sum > most) {
            most = sum;
            best = j;
        }
    }
    return most > share * total ? best : -1;
}

int32_t grid_hide_sinks(Grid *grid, double share, bool renormalise)
{
    int32_t n = 0;
    while (grid->rows >= GRID_SINK_LEAST && grid->cols >= GRID_SINK_LEAST) {
        int32_t sink = find_sink(grid, share);
        if (sink < 0)
            break;
        grid->col[sink].flags |= TO_HIDE;
        hide_cols(grid, TO_HIDE, renormalise);
        n++;
    }
    return n;
}

bool grid_transpose(Grid *grid, Error *error)
{
    size_t rows = (size_t)grid->rows, cols = (size_t)grid->cols;
    float *turned = memory_try_new(rows * cols, sizeof *turned);
    if (!turned)
        return error_set(error, ERROR_MEMORY, "no memory to transpose %zu x %zu cells", rows, cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            turned[j * rows + i] = grid->data[i * cols + j];
    free(grid->data);
    GridItem *items = grid->row;
    grid->data = turned;
    grid->row = grid->col;
    grid->col = items;
    grid->rows = (int32_t)cols;
    grid->cols = (int32_t)rows;
    return true;
}

/* ---- reading ---- */

static int32_t find_item(const GridItem *items, int32_t n, int32_t wanted)
{
    int32_t low = 0, high = n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (items[middle].first + items[middle].count <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && items[low].first <= wanted ? low : -1;
}

int32_t grid_find_row(const Grid *grid, int32_t i)
{
    return find_item(grid->row, grid->rows, i);
}

int32_t grid_find_col(const Grid *grid, int32_t i)
{
    return find_item(grid->col, grid->cols, i);
}

static GridRange range_of(const float *values, size_t n)
{
    GridRange range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]))
            continue;
        range.low = values[i] < range.low ? values[i] : range.low;
        range.high = values[i] > range.high ? values[i] : range.high;
    }
    return range;
}

GridRange grid_range(const Grid *grid)
{
    return range_of(grid->data, (size_t)grid->rows * (size_t)grid->cols);
}

GridRange grid_row_range(const Grid *grid, int32_t row)
{
    return range_of(grid_row(grid, row), (size_t)grid->cols);
}
