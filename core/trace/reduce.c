/* reduce.c - grids that come from several matrices of a tensor. Declared in grid.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/matrix.h"
#include "trace/grid.h"

/* Walks over every index of the axes that at[] leaves open. */
typedef struct Walk {
    int32_t n_leading;
    int32_t len[TRACE_MAX_RANK];
    bool open[TRACE_MAX_RANK];
    int32_t at[TRACE_MAX_RANK];
    int64_t count;
} Walk;

static Walk walk_begin(const Trace *trace, const TraceTensor *tensor, const int32_t *at)
{
    Walk walk = {.n_leading = tensor->rank > 2 ? tensor->rank - 2 : 0, .count = 1};
    for (int32_t i = 0; i < walk.n_leading; i++) {
        walk.len[i] = trace_tensor_len(trace, tensor, i);
        walk.open[i] = at[i] == GRID_ALL;
        walk.at[i] = walk.open[i] ? 0 : at[i];
        if (walk.open[i])
            walk.count *= walk.len[i];
    }
    return walk;
}

static bool walk_next(Walk *walk)
{
    for (int32_t i = walk->n_leading; i-- > 0;) {
        if (!walk->open[i])
            continue;
        if (++walk->at[i] < walk->len[i])
            return true;
        walk->at[i] = 0;
    }
    return false;
}

static void add_row(float *sum, const float *row, int32_t n, GridReduction how)
{
    for (int32_t j = 0; j < n; j++)
        sum[j] = how == GRID_MEAN ? sum[j] + row[j] : fmaxf(sum[j], row[j]);
}

/* The reduction of everything that is open, over the grid's zeros. */
static bool reduce_into(Grid *grid, const TraceTensor *tensor, const int32_t *at, GridReduction how,
                        Error *error)
{
    Walk walk = walk_begin(grid->trace, tensor, at);
    if (walk.count == 0)
        return error_set(error, ERROR_INPUT, "tensor \"%s\" has nothing to reduce over",
                         tensor->name);
    size_t cols = (size_t)grid->cols, cells = (size_t)grid->rows * cols;
    float *row = memory_try_new(cols, sizeof *row);
    if (!row)
        return error_set(error, ERROR_MEMORY, "no memory for a row of %zu cells", cols);
    for (size_t k = 0; how == GRID_MAX && k < cells; k++)
        grid->data[k] = NAN; /* which fmaxf passes over */
    do {
        TraceMatrix matrix = trace_matrix(grid->trace, tensor, walk.at);
        for (int32_t i = 0; i < grid->rows; i++) {
            trace_matrix_read(&matrix, i, 0, grid->cols, row);
            add_row(grid->data + (size_t)i * cols, row, grid->cols, how);
        }
    } while (walk_next(&walk));
    for (size_t k = 0; how == GRID_MEAN && k < cells; k++)
        grid->data[k] = (float)((double)grid->data[k] / (double)walk.count);
    free(row);
    return true;
}

bool grid_init_reduced(Grid *grid, const Trace *trace, const TraceTensor *tensor, const int32_t *at,
                       GridReduction how, Error *error)
{
    if (!grid_init_zero(grid, trace, tensor, error))
        return false;
    if (reduce_into(grid, tensor, at, how, error))
        return true;
    grid_deinit(grid);
    return false;
}

/* ---- rollout ---- */

/* W -> 0.5 W + 0.5 I with rows that sum to one. A row that attends to nothing keeps itself. */
static void mix_with_identity(const float *weights, int32_t n, Real *out)
{
    for (int32_t i = 0; i < n; i++) {
        const float *in = weights + (size_t)i * (size_t)n;
        Real *row = out + (size_t)i * (size_t)n;
        double sum = 0;
        for (int32_t j = 0; j < n; j++) {
            double mixed = 0.5 * (double)in[j] + (i == j ? 0.5 : 0);
            row[j] = (Real)mixed;
            sum += mixed;
        }
        for (int32_t j = 0; j < n && sum != 0; j++)
            row[j] = (Real)((double)row[j] / sum);
    }
}

typedef struct Rollout {
    Real *mixed, *product, *next;
} Rollout;

static bool roll(Grid *grid, const TraceTensor *tensor, const int32_t *at, int32_t layer,
                 int32_t last_layer, Rollout *buffers, Error *error)
{
    int32_t n = grid->rows, index[TRACE_MAX_RANK];
    size_t cells = (size_t)n * (size_t)n;
    memcpy(index, at, (size_t)(tensor->rank - 2) * sizeof *index);
    for (int32_t l = 0; l <= last_layer; l++) {
        index[layer] = l;
        memset(grid->data, 0, cells * sizeof *grid->data);
        if (!reduce_into(grid, tensor, index, GRID_MEAN, error))
            return false;
        mix_with_identity(grid->data, n, l == 0 ? buffers->product : buffers->mixed);
        if (l == 0)
            continue;
        matrix_product_nn(n, n, n, buffers->mixed, n, buffers->product, n, 0, buffers->next, n);
        Real *old = buffers->product;
        buffers->product = buffers->next;
        buffers->next = old;
    }
    for (size_t k = 0; k < cells; k++)
        grid->data[k] = (float)buffers->product[k];
    return true;
}

bool grid_init_rollout(Grid *grid, const Trace *trace, const TraceTensor *tensor, const int32_t *at,
                       int32_t layer, int32_t last_layer, Error *error)
{
    *grid = (Grid){0};
    FOVEA_CHECK(layer >= 0 && layer < tensor->rank - 2 && last_layer >= 0 &&
                    last_layer < trace_tensor_len(trace, tensor, layer),
                "rollout of tensor %s over dimension %d to layer %d", tensor->name, layer,
                last_layer);
    int32_t rows = trace_tensor_len(trace, tensor, tensor->rank - 2);
    int32_t cols = trace_tensor_len(trace, tensor, tensor->rank - 1);
    if (rows != cols)
        return error_set(error, ERROR_INPUT,
                         "rollout needs self-attention; tensor \"%s\" is %d x %d", tensor->name,
                         rows, cols);
    if (!grid_init_zero(grid, trace, tensor, error))
        return false;
    size_t cells = (size_t)rows * (size_t)cols;
    Rollout buffers = {memory_try_new(cells, sizeof(Real)), memory_try_new(cells, sizeof(Real)),
                       memory_try_new(cells, sizeof(Real))};
    bool ok = buffers.mixed && buffers.product && buffers.next;
    if (ok)
        ok = roll(grid, tensor, at, layer, last_layer, &buffers, error);
    else
        error_set(error, ERROR_MEMORY, "no memory for a rollout of %d x %d", rows, cols);
    free(buffers.mixed);
    free(buffers.product);
    free(buffers.next);
    if (!ok)
        grid_deinit(grid);
    return ok;
}

bool grid_rollout_step(Grid *rollout, const Grid *weights, Error *error)
{
    bool is_first = !rollout->arena;
    int32_t n = weights->rows;
    size_t cells = (size_t)n * (size_t)n;
    FOVEA_CHECK(n == weights->cols && (is_first || n == rollout->rows), "rollout of %d x %d", n,
                weights->cols);
    Rollout buffers = {memory_try_new(cells, sizeof(Real)), memory_try_new(cells, sizeof(Real)),
                       memory_try_new(cells, sizeof(Real))};
    bool ok = buffers.mixed && buffers.product && buffers.next;
    if (!ok)
        error_set(error, ERROR_MEMORY, "no memory for a rollout of %d x %d", n, n);
    ok = ok && (!is_first || grid_copy(rollout, weights, error));
    if (ok) {
        mix_with_identity(weights->data, n, buffers.mixed);
        for (size_t k = 0; k < cells; k++)
            buffers.product[k] = (Real)rollout->data[k];
        if (!is_first)
            matrix_product_nn(n, n, n, buffers.mixed, n, buffers.product, n, 0, buffers.next, n);
        const Real *result = is_first ? buffers.mixed : buffers.next;
        for (size_t k = 0; k < cells; k++)
            rollout->data[k] = (float)result[k];
    }
    free(buffers.mixed);
    free(buffers.product);
    free(buffers.next);
    return ok;
}
