/* pyramid.h - a matrix too large for the screen, at every scale, keeping its peaks.
 *
 * A heatmap of 16,384 x 16,384 cells on 800 pixels must not average: one sharp cell is what a
 * person looks for, and a mean over 400 cells hides it. So a cell of level k is the largest
 * of the 2^k x 2^k cells below it (or the one furthest from zero, for differences).
 *
 * Nothing is read before it is asked for. The matrix is cut into blocks of 256 x 256; a
 * block is read once, from wherever the tensor lies, and leaves its levels 2 to 8 behind (a
 * twelfth of its cells). Levels 0 and 1 come from the matrix itself, levels above 8 from the
 * blocks' tops.
 *
 * Memory: keeps a reference to the trace. Threads: one. Depends on: trace.
 */
#ifndef FOVEA_TRACE_PYRAMID_H
#define FOVEA_TRACE_PYRAMID_H
#include "trace/trace.h"

typedef enum {
    PYRAMID_MAXIMUM,  /* NaN only where all cells are NaN */
    PYRAMID_MAGNITUDE /* the value furthest from zero, with its sign */
} PyramidRule;

typedef struct Pyramid Pyramid;

typedef struct PyramidRegion {
    int32_t row, col, rows, cols; /* in cells of a level */
} PyramidRegion;

/* `matrix` must be of `trace`. NULL with an error when there is no memory for the index. */
Pyramid *pyramid_new(const Trace *trace, TraceMatrix matrix, PyramidRule rule,
                     Error *error) FOVEA_MUST_USE;
void pyramid_free(Pyramid *pyramid); /* NULL is fine */

/* Levels 0 .. n-1; the last one is a single cell. */
int32_t pyramid_n_levels(const Pyramid *pyramid);
/* Cells of a level: ceil(n / 2^level). */
int32_t pyramid_rows(const Pyramid *pyramid, int32_t level);
int32_t pyramid_cols(const Pyramid *pyramid, int32_t level);
/* The coarsest level whose cells are still no larger than a pixel, for a scale of
 * `cells_per_pixel` of the matrix. */
int32_t pyramid_level_for(const Pyramid *pyramid, double cells_per_pixel);

/* Reads at most max_blocks of those blocks that the region needs and that have not been
 * read; true when none is missing any more. So a view can draw what it has and come back. */
bool pyramid_prepare(Pyramid *pyramid, int32_t level, PyramidRegion region, int32_t max_blocks);

/* out[region.rows, region.cols]. What has not been prepared is read now. */
void pyramid_read(Pyramid *pyramid, int32_t level, PyramidRegion region, float *out);
/* The same at once: what has not been prepared is guessed from one row in PYRAMID_GUESSED_ROWS,
 * which may miss a peak. */
#define PYRAMID_GUESSED_ROWS 32
void pyramid_read_so_far(Pyramid *pyramid, int32_t level, PyramidRegion region, float *out);

#endif
