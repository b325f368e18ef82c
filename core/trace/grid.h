/* grid.h - a small dense matrix taken out of a trace, to be shaped, drawn and exported.
 *
 * A tensor may have six axes, lie in a mapped file and hold any type; what a heatmap, a link
 * picture or a CSV wants is one matrix of floats whose rows and columns know what they stand
 * for. A Grid is that: the pieces of words can be merged, special tokens hidden, rows and
 * columns swapped, and every row and column still tells which items of the trace it is.
 *
 * Invariants:
 *   1. data is [rows, cols], row-major; rows * cols <= GRID_MAX_CELLS.
 *   2. row[i] and col[j] stand for the items first .. first + count - 1 of their axis, in
 *      rising order, never overlapping.
 *   3. A zero-initialised Grid is an empty grid; deinit of it does nothing.
 *
 * Memory: a grid keeps a reference to its trace and owns the rest. It belongs to one thread.
 * Depends on: trace.
 */
#ifndef FOVEA_TRACE_GRID_H
#define FOVEA_TRACE_GRID_H
#include "base/memory.h"
#include "trace/trace.h"

#define GRID_MAX_CELLS ((int64_t)1 << 26) /* 256 MB; larger matrices are drawn by pyramid.h */
#define GRID_ALL       (-1)               /* in at[]: reduce over this axis */

typedef struct GridItem {
    const char *label;    /* never NULL; counted from 1 where the axis has none      */
    uint8_t flags;        /* TRACE_TOKEN_...                                         */
    int32_t first, count; /* which items of the axis                                 */
} GridItem;

typedef struct Grid {
    int32_t rows, cols;
    TraceRole role;
    float *data;
    GridItem *row, *col;
    const Trace *trace;
    Arena *arena; /* items and the labels that were made */
} Grid;

typedef enum { GRID_MEAN, GRID_MAX } GridReduction;

/* The matrix over the last two axes; at[] fixes the others as in trace_matrix. */
bool grid_init(Grid *grid, const Trace *trace, const TraceTensor *tensor, const int32_t *at,
               Error *error) FOVEA_MUST_USE;

/* The labels and the shape alone; all values zero. */
bool grid_init_zero(Grid *grid, const Trace *trace, const TraceTensor *tensor,
                    Error *error) FOVEA_MUST_USE;

/* As grid_init, with the leading axes whose at[] is GRID_ALL reduced: over heads, over layers,
 * over both. A mean that meets NaN is NaN; a maximum passes over it. */
bool grid_init_reduced(Grid *grid, const Trace *trace, const TraceTensor *tensor, const int32_t *at,
                       GridReduction how, Error *error) FOVEA_MUST_USE;

/* Attention rollout (Abnar and Zuidema 2020, section 3): the product of the layers' matrices
 * 0 .. last_layer, each mixed with the identity for the residual connection,
 *   A = 0.5 W + 0.5 I, rows renormalised;  rollout = A[last] ... A[1] A[0].
 * `layer` is the dimension of the layers; other axes with GRID_ALL (heads) are averaged
 * first. Rows and columns must be equally many. */
bool grid_init_rollout(Grid *grid, const Trace *trace, const TraceTensor *tensor, const int32_t *at,
                       int32_t layer, int32_t last_layer, Error *error) FOVEA_MUST_USE;

/* The same layer by layer: `rollout`, zero-initialised before the first, becomes the rollout
 * with one layer more, whose weights (averaged over heads) these are. */
bool grid_rollout_step(Grid *rollout, const Grid *weights, Error *error) FOVEA_MUST_USE;

void grid_deinit(Grid *grid);

bool grid_copy(Grid *grid, const Grid *source, Error *error) FOVEA_MUST_USE;

/* ---- shaping, in place ---- */

enum { GRID_ROWS = 1, GRID_COLS = 2 };

/* Items flagged TRACE_TOKEN_CONTINUES join the item before them. What a word receives is the
 * sum over its pieces, what it gives the mean over them: columns are summed, rows averaged,
 * so rows that summed to one still do. With a role other than weights columns are averaged
 * too. `sides` is GRID_ROWS, GRID_COLS or both. */
void grid_merge_words(Grid *grid, int sides);

/* Takes out rows and columns that have any of the flags. With `renormalise` the rows that
 * lost something to a hidden column are divided by what is left (an empty row stays). */
void grid_hide(Grid *grid, uint8_t row_flags, uint8_t col_flags, bool renormalise);

/* Takes out those rows and columns of padding that are all zero: what a model attends to or from
 * is seen, whatever it is called. */
void grid_hide_padding(Grid *grid);

/* Takes out the columns that get more than `share` of all weight (a sink: an end mark, a first
 * token), as often as there is one left; returns how many. Small grids have none:
 * GRID_SINK_LEAST rows and columns are the least. */
#define GRID_SINK_LEAST 4
int32_t grid_hide_sinks(Grid *grid, double share, bool renormalise);

bool grid_transpose(Grid *grid, Error *error) FOVEA_MUST_USE;

/* ---- reading ---- */

static inline float grid_get(const Grid *grid, int32_t row, int32_t col)
{
    return grid->data[(size_t)row * (size_t)grid->cols + (size_t)col];
}

static inline const float *grid_row(const Grid *grid, int32_t row)
{
    return grid->data + (size_t)row * (size_t)grid->cols;
}

/* The row (or column) that holds item `i` of the axis, or -1 when it is hidden. */
int32_t grid_find_row(const Grid *grid, int32_t i);
int32_t grid_find_col(const Grid *grid, int32_t i);

/* Lowest and highest finite value; low > high when there is none. */
typedef struct GridRange {
    float low, high;
} GridRange;

GridRange grid_range(const Grid *grid);
GridRange grid_row_range(const Grid *grid, int32_t row);

#endif
