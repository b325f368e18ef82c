#include "trace/pyramid.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_STORED 2
#define TOP          8 /* a block is one cell here */
#define BLOCK        (1 << TOP)

struct Pyramid {
    const Trace *trace;
    TraceMatrix matrix;
    PyramidRule rule;
    int32_t block_rows, block_cols;
    float **blocks; /* [block_rows, block_cols]; NULL: not read yet */
    float *scratch; /* [BLOCK, BLOCK] */
    bool guesses;   /* while pyramid_read_so_far runs */
};

static int32_t ceil_shift(int32_t n, int32_t shift)
{
    return (int32_t)(((int64_t)n + ((int64_t)1 << shift) - 1) >> shift);
}

Pyramid *pyramid_new(const Trace *trace, TraceMatrix matrix, PyramidRule rule, Error *error)
{
    int32_t rows = ceil_shift(matrix.rows, TOP), cols = ceil_shift(matrix.cols, TOP);
    size_t n = (size_t)rows * (size_t)cols;
    float **blocks = memory_try_new(n, sizeof *blocks);
    if (!blocks) {
        error_set(error, ERROR_MEMORY, "no memory for the index of %d x %d cells", matrix.rows,
                  matrix.cols);
        return NULL;
    }
    Pyramid *pyramid = memory_new(1, sizeof *pyramid);
    pyramid->trace = trace_retain(trace);
    pyramid->matrix = matrix;
    pyramid->rule = rule;
    pyramid->block_rows = rows;
    pyramid->block_cols = cols;
    pyramid->blocks = blocks;
    pyramid->scratch = memory_new(BLOCK * BLOCK, sizeof *pyramid->scratch);
    return pyramid;
}

void pyramid_free(Pyramid *pyramid)
{
    if (!pyramid)
        return;
    size_t n = (size_t)pyramid->block_rows * (size_t)pyramid->block_cols;
    for (size_t i = 0; i < n; i++)
        free(pyramid->blocks[i]);
    free(pyramid->blocks);
    free(pyramid->scratch);
    trace_release(pyramid->trace);
    free(pyramid);
}

/* ---- levels ---- */

int32_t pyramid_rows(const Pyramid *pyramid, int32_t level)
{
    return ceil_shift(pyramid->matrix.rows, level);
}

int32_t pyramid_cols(const Pyramid *pyramid, int32_t level)
{
    return ceil_shift(pyramid->matrix.cols, level);
}

int32_t pyramid_n_levels(const Pyramid *pyramid)
{
    int32_t level = 0;
    while (pyramid_rows(pyramid, level) > 1 || pyramid_cols(pyramid, level) > 1)
        level++;
    return level + 1;
}

int32_t pyramid_level_for(const Pyramid *pyramid, double cells_per_pixel)
{
    int32_t last = pyramid_n_levels(pyramid) - 1, level = 0;
    while (level < last && ldexp(1, level + 1) <= cells_per_pixel)
        level++;
    return level;
}

/* ---- the rule ---- */

/* Both pass over NaN. A comparison rather than fmaxf, which is a call: this runs three times for
 * four cells of a picture that is being moved. */
static inline float stronger(PyramidRule rule, float a, float b)
{
    if (rule == PYRAMID_MAXIMUM)
        return a > b || isnan(b) ? a : b;
    return isnan(a) || fabsf(b) > fabsf(a) ? b : a;
}

/* The stronger of two rows, part by part, then of neighbours: loops that become vector arithmetic.
 * `rule` is a constant in both calls, so that they do not ask. */
static inline __attribute__((always_inline)) void
halve_rows(PyramidRule rule, const float *a, const float *b, int32_t cols, float *out)
{
    enum { PART = 512 };
    float both[PART];
    for (int32_t begin = 0; begin < cols; begin += PART) {
        int32_t n = cols - begin < PART ? cols - begin : PART;
        for (int32_t j = 0; j < n; j++)
            both[j] = stronger(rule, a[begin + j], b[begin + j]);
        for (int32_t j = 0; j < n / 2; j++)
            out[begin / 2 + j] = stronger(rule, both[2 * j], both[2 * j + 1]);
        if (n % 2 != 0)
            out[(begin + n) / 2] = both[n - 1];
    }
}

static inline __attribute__((always_inline)) void
halve_by(PyramidRule rule, const float *in, int32_t rows, int32_t cols, int32_t stride, float *out)
{
    int32_t out_cols = (cols + 1) / 2;
    for (int32_t i = 0; i < rows; i += 2) {
        const float *a = in + (size_t)i * (size_t)stride;
        const float *b = i + 1 < rows ? a + stride : a;
        halve_rows(rule, a, b, cols, out + (size_t)(i / 2) * (size_t)out_cols);
    }
}

/* in[rows, cols] with a distance of `stride` -> out[ceil(rows/2), ceil(cols/2)], dense. */
static void halve(PyramidRule rule, const float *in, int32_t rows, int32_t cols, int32_t stride,
                  float *out)
{
    if (rule == PYRAMID_MAXIMUM)
        halve_by(PYRAMID_MAXIMUM, in, rows, cols, stride, out);
    else
        halve_by(PYRAMID_MAGNITUDE, in, rows, cols, stride, out);
}

/* ---- blocks ---- */

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Cells of one block, which may be cut off at the matrix' edge. */
static int32_t block_len(int32_t n, int32_t block)
{
    return smaller(n - block * BLOCK, BLOCK);
}

/* Where a level of a block of that size begins in its memory. */
static size_t level_offset(int32_t rows, int32_t cols, int32_t level)
{
    size_t offset = 0;
    for (int32_t l = FIRST_STORED; l < level; l++)
        offset += (size_t)ceil_shift(rows, l) * (size_t)ceil_shift(cols, l);
    return offset;
}

static float *build_block(Pyramid *pyramid, int32_t block_row, int32_t block_col)
{
    int32_t rows = block_len(pyramid->matrix.rows, block_row);
    int32_t cols = block_len(pyramid->matrix.cols, block_col);
    float *scratch = pyramid->scratch;
    for (int32_t i = 0; i < rows; i++)
        trace_matrix_read(&pyramid->matrix, block_row * BLOCK + i, block_col * BLOCK,
                          block_col * BLOCK + cols, scratch + (size_t)i * BLOCK);
    /* Level 1 overwrites what it has read: row i / 2 lies before row i. */
    halve(pyramid->rule, scratch, rows, cols, BLOCK, scratch);
    float *block = memory_new(level_offset(rows, cols, TOP + 1), sizeof *block);
    const float *below = scratch;
    float *out = block;
    for (int32_t level = FIRST_STORED; level <= TOP; level++) {
        int32_t r = ceil_shift(rows, level - 1), c = ceil_shift(cols, level - 1);
        halve(pyramid->rule, below, r, c, c, out);
        below = out;
        out += (size_t)ceil_shift(rows, level) * (size_t)ceil_shift(cols, level);
    }
    return block;
}

static bool is_read(const Pyramid *pyramid, int32_t block_row, int32_t block_col)
{
    return pyramid->blocks[(size_t)block_row * (size_t)pyramid->block_cols + (size_t)block_col];
}

static const float *get_block(Pyramid *pyramid, int32_t block_row, int32_t block_col)
{
    float **slot =
        &pyramid->blocks[(size_t)block_row * (size_t)pyramid->block_cols + (size_t)block_col];
    if (!*slot)
        *slot = build_block(pyramid, block_row, block_col);
    return *slot;
}

typedef struct BlockRange {
    int32_t row, row_end, col, col_end;
} BlockRange;

/* The blocks below a region of a level. */
static BlockRange blocks_of(const Pyramid *pyramid, int32_t level, PyramidRegion region)
{
    int64_t row_end = (((int64_t)region.row + region.rows) << level) - 1;
    int64_t col_end = (((int64_t)region.col + region.cols) << level) - 1;
    row_end = (row_end >> TOP) + 1;
    col_end = (col_end >> TOP) + 1;
    return (BlockRange){
        .row = (int32_t)(((int64_t)region.row << level) >> TOP),
        .row_end = row_end < pyramid->block_rows ? (int32_t)row_end : pyramid->block_rows,
        .col = (int32_t)(((int64_t)region.col << level) >> TOP),
        .col_end = col_end < pyramid->block_cols ? (int32_t)col_end : pyramid->block_cols,
    };
}

static void check_region(const Pyramid *pyramid, int32_t level, PyramidRegion region)
{
    FOVEA_CHECK(level >= 0 && level < pyramid_n_levels(pyramid), "level %d", level);
    FOVEA_CHECK(region.row >= 0 && region.rows >= 0 && region.col >= 0 && region.cols >= 0 &&
                    region.rows <= pyramid_rows(pyramid, level) - region.row &&
                    region.cols <= pyramid_cols(pyramid, level) - region.col,
                "region %d+%d, %d+%d of %d x %d cells", region.row, region.rows, region.col,
                region.cols, pyramid_rows(pyramid, level), pyramid_cols(pyramid, level));
}

bool pyramid_prepare(Pyramid *pyramid, int32_t level, PyramidRegion region, int32_t max_blocks)
{
    check_region(pyramid, level, region);
    if (level < FIRST_STORED)
        return true;
    BlockRange range = blocks_of(pyramid, level, region);
    for (int32_t i = range.row; i < range.row_end; i++) {
        for (int32_t j = range.col; j < range.col_end; j++) {
            if (is_read(pyramid, i, j))
                continue;
            if (max_blocks-- <= 0)
                return false;
            get_block(pyramid, i, j);
        }
    }
    return true;
}

/* ---- reading ---- */

static void read_cells(const Pyramid *pyramid, PyramidRegion region, float *out)
{
    for (int32_t i = 0; i < region.rows; i++)
        trace_matrix_read(&pyramid->matrix, region.row + i, region.col, region.col + region.cols,
                          out + (size_t)i * (size_t)region.cols);
}

static void read_halves(const Pyramid *pyramid, PyramidRegion region, float *out)
{
    int32_t col = 2 * region.col;
    int32_t cols = smaller(2 * region.cols, pyramid->matrix.cols - col);
    float *pair = memory_new(2 * (size_t)cols, sizeof *pair);
    for (int32_t i = 0; i < region.rows; i++) {
        int32_t row = 2 * (region.row + i), rows = smaller(2, pyramid->matrix.rows - row);
        for (int32_t k = 0; k < rows; k++)
            trace_matrix_read(&pyramid->matrix, row + k, col, col + cols,
                              pair + (size_t)k * (size_t)cols);
        halve(pyramid->rule, pair, rows, cols, cols, out + (size_t)i * (size_t)region.cols);
    }
    free(pair);
}

/* A level of a block out of a few of its rows: [ceil(rows / 2^level), ceil(cols / 2^level)] in the
 * scratch. */
static const float *guess_block(Pyramid *pyramid, int32_t level, int32_t block_row,
                                int32_t block_col)
{
    int32_t rows = block_len(pyramid->matrix.rows, block_row), cell = 1 << level;
    int32_t cols = block_len(pyramid->matrix.cols, block_col), width = ceil_shift(cols, level);
    float row[BLOCK], *out = pyramid->scratch;
    for (int32_t i = 0, last = -1; i < ceil_shift(rows, level); i++, out += width) {
        int32_t wanted = i * cell / PYRAMID_GUESSED_ROWS * PYRAMID_GUESSED_ROWS;
        if (wanted == last) {
            memcpy(out, out - width, (size_t)width * sizeof *out);
            continue;
        }
        last = wanted;
        trace_matrix_read(&pyramid->matrix, block_row * BLOCK + wanted, block_col * BLOCK,
                          block_col * BLOCK + cols, row);
        for (int32_t j = 0; j < width; j++) {
            out[j] = row[j * cell];
            for (int32_t k = 1; k < cell && j * cell + k < cols; k++)
                out[j] = stronger(pyramid->rule, out[j], row[j * cell + k]);
        }
    }
    return pyramid->scratch;
}

/* The one cell of a block's highest level. */
static float top_cell(Pyramid *pyramid, int32_t block_row, int32_t block_col)
{
    if (pyramid->guesses && !is_read(pyramid, block_row, block_col))
        return *guess_block(pyramid, TOP, block_row, block_col);
    int32_t rows = block_len(pyramid->matrix.rows, block_row);
    int32_t cols = block_len(pyramid->matrix.cols, block_col);
    return get_block(pyramid, block_row, block_col)[level_offset(rows, cols, TOP)];
}

/* Above the blocks: over the tops of those below. */
static float cell_above(Pyramid *pyramid, int32_t level, int32_t row, int32_t col)
{
    BlockRange range = blocks_of(pyramid, level, (PyramidRegion){row, col, 1, 1});
    float value = NAN;
    for (int32_t i = range.row; i < range.row_end; i++)
        for (int32_t j = range.col; j < range.col_end; j++)
            value = stronger(pyramid->rule, value, top_cell(pyramid, i, j));
    return value;
}

/* The part of a region that one block has, row by row. */
static void copy_block(Pyramid *pyramid, int32_t level, int32_t block_row, int32_t block_col,
                       PyramidRegion region, float *out)
{
    int32_t shift = TOP - level, top = block_row << shift, left = block_col << shift;
    int32_t rows = block_len(pyramid->matrix.rows, block_row);
    int32_t cols = block_len(pyramid->matrix.cols, block_col), width = ceil_shift(cols, level);
    const float *cells =
        pyramid->guesses && !is_read(pyramid, block_row, block_col)
            ? guess_block(pyramid, level, block_row, block_col)
            : get_block(pyramid, block_row, block_col) + level_offset(rows, cols, level);
    int32_t row = region.row > top ? region.row : top;
    int32_t col = region.col > left ? region.col : left;
    int32_t row_end = smaller(region.row + region.rows, top + (1 << shift));
    int32_t col_end = smaller(region.col + region.cols, left + (1 << shift));
    for (; row < row_end; row++)
        memcpy(out + (size_t)(row - region.row) * (size_t)region.cols + (col - region.col),
               cells + (size_t)(row - top) * (size_t)width + (col - left),
               (size_t)(col_end - col) * sizeof *out);
}

static void read_stored(Pyramid *pyramid, int32_t level, PyramidRegion region, float *out)
{
    BlockRange range = blocks_of(pyramid, level, region);
    for (int32_t i = range.row; region.cols > 0 && i < range.row_end; i++)
        for (int32_t j = range.col; j < range.col_end; j++)
            copy_block(pyramid, level, i, j, region, out);
}

void pyramid_read(Pyramid *pyramid, int32_t level, PyramidRegion region, float *out)
{
    check_region(pyramid, level, region);
    if (level == 0) {
        read_cells(pyramid, region, out);
    } else if (level < FIRST_STORED) {
        read_halves(pyramid, region, out);
    } else if (level <= TOP) {
        read_stored(pyramid, level, region, out);
    } else {
        for (int32_t i = 0; i < region.rows; i++)
            for (int32_t j = 0; j < region.cols; j++)
                *out++ = cell_above(pyramid, level, region.row + i, region.col + j);
    }
}

void pyramid_read_so_far(Pyramid *pyramid, int32_t level, PyramidRegion region, float *out)
{
    pyramid->guesses = true;
    pyramid_read(pyramid, level, region, out);
    pyramid->guesses = false;
}
