#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "trace/pyramid.h"

/* A trace of one [rows, cols] matrix, and its values. */
typedef struct Case {
    int32_t rows, cols;
    float *data;
    const Trace *trace;
    TraceMatrix matrix;
} Case;

static Case make_case(int32_t rows, int32_t cols)
{
    Error error = {0};
    Case c = {.rows = rows, .cols = cols};
    size_t n = (size_t)rows * (size_t)cols;
    Random random = random_seed((uint64_t)rows * 7919 + (uint64_t)cols, RANDOM_EXPLORE);
    c.data = malloc(n * sizeof *c.data + 1);
    for (size_t i = 0; i < n; i++)
        c.data[i] = random_below(&random, 20) ? (float)random_normal(&random) : NAN;
    TraceBuilder *builder = trace_builder_new();
    int32_t axes[2];
    axes[0] =
        trace_add_axis(builder, &(TraceAxis){.name = "r", .kind = TRACE_AXIS_INDEX, .len = rows});
    axes[1] =
        trace_add_axis(builder, &(TraceAxis){.name = "c", .kind = TRACE_AXIS_INDEX, .len = cols});
    trace_add_tensor(builder, "w", TRACE_WEIGHTS, 2, axes, c.data);
    c.trace = trace_seal(builder, &error);
    assert_ok(c.trace);
    c.matrix = trace_matrix(c.trace, trace_find(c.trace, "w"), NULL);
    return c;
}

static void free_case(Case *c)
{
    trace_release(c->trace);
    free(c->data);
}

/* The definition: over all cells below. */
static float expected(const Case *c, int32_t level, int32_t row, int32_t col, PyramidRule rule)
{
    float best = NAN;
    for (int32_t i = row << level; i < (row + 1) << level && i < c->rows; i++) {
        for (int32_t j = col << level; j < (col + 1) << level && j < c->cols; j++) {
            float value = c->data[i * c->cols + j];
            if (isnan(value))
                continue;
            bool better = rule == PYRAMID_MAXIMUM ? value > best : fabsf(value) > fabsf(best);
            if (isnan(best) || better)
                best = value;
        }
    }
    return best;
}

static void every_level_keeps_the_peaks(void **state)
{
    (void)state;
    static const int32_t SIZES[][2] = {{1, 1},     {3, 5},    {256, 256},
                                       {257, 300}, {700, 40}, {1, 1100}};
    for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
        for (int rule = 0; rule < 2; rule++) {
            Error error = {0};
            Case c = make_case(SIZES[s][0], SIZES[s][1]);
            Pyramid *pyramid = pyramid_new(c.trace, c.matrix, (PyramidRule)rule, &error);
            assert_ok(pyramid);
            int32_t n = pyramid_n_levels(pyramid);
            assert_int_equal(pyramid_rows(pyramid, n - 1) * pyramid_cols(pyramid, n - 1), 1);
            for (int32_t level = 0; level < n; level++) {
                int32_t rows = pyramid_rows(pyramid, level), cols = pyramid_cols(pyramid, level);
                float *out = malloc((size_t)rows * (size_t)cols * sizeof *out);
                pyramid_read(pyramid, level, (PyramidRegion){0, 0, rows, cols}, out);
                for (int32_t i = 0; i < rows; i++) {
                    for (int32_t j = 0; j < cols; j++) {
                        float wanted = expected(&c, level, i, j, (PyramidRule)rule);
                        float found = out[i * cols + j];
                        assert_true(found == wanted || (isnan(found) && isnan(wanted)));
                    }
                }
                free(out);
            }
            pyramid_free(pyramid);
            free_case(&c);
        }
    }
}

static void a_region_is_that_part_of_its_level(void **state)
{
    (void)state;
    Error error = {0};
    Case c = make_case(600, 530);
    TraceMatrix turned = trace_matrix_transpose(c.matrix);
    Pyramid *pyramid = pyramid_new(c.trace, turned, PYRAMID_MAXIMUM, &error);
    assert_ok(pyramid);
    for (int32_t level = 0; level < pyramid_n_levels(pyramid); level++) {
        int32_t rows = pyramid_rows(pyramid, level), cols = pyramid_cols(pyramid, level);
        PyramidRegion region = {rows / 2, cols / 3, rows - rows / 2, cols - cols / 3};
        float *out = malloc((size_t)region.rows * (size_t)region.cols * sizeof *out);
        pyramid_read(pyramid, level, region, out);
        for (int32_t i = 0; i < region.rows; i++) {
            for (int32_t j = 0; j < region.cols; j++) {
                float wanted = expected(&c, level, region.col + j, region.row + i, PYRAMID_MAXIMUM);
                float found = out[i * region.cols + j];
                assert_true(found == wanted || (isnan(found) && isnan(wanted)));
            }
        }
        free(out);
    }
    pyramid_free(pyramid);
    free_case(&c);
}

static void blocks_are_read_when_asked_and_in_portions(void **state)
{
    (void)state;
    Error error = {0};
    Case c = make_case(600, 600); /* 3 x 3 blocks */
    Pyramid *pyramid = pyramid_new(c.trace, c.matrix, PYRAMID_MAXIMUM, &error);
    assert_ok(pyramid);
    PyramidRegion all = {0, 0, pyramid_rows(pyramid, 4), pyramid_cols(pyramid, 4)};
    assert_true(pyramid_prepare(pyramid, 1, (PyramidRegion){0, 0, 300, 300}, 0));
    assert_false(pyramid_prepare(pyramid, 4, all, 4));
    assert_false(pyramid_prepare(pyramid, 4, all, 4));
    assert_true(pyramid_prepare(pyramid, 4, all, 1));
    assert_true(pyramid_prepare(pyramid, 4, all, 0));
    assert_true(pyramid_prepare(pyramid, 10, (PyramidRegion){0, 0, 1, 1}, 0));
    pyramid_free(pyramid);
    free_case(&c);
}

static bool is_same(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* What a cell of a block that was not read is said to be: the row below which it lies. */
static float guessed(const Case *c, int32_t level, int32_t i, int32_t j)
{
    float best = NAN;
    int32_t row = (i << level) / PYRAMID_GUESSED_ROWS * PYRAMID_GUESSED_ROWS;
    for (int32_t k = j << level; k < (j + 1) << level && k < c->matrix.cols; k++)
        best = fmaxf(best, trace_matrix_get(&c->matrix, row, k));
    return best;
}

static void what_is_not_read_yet_is_guessed(void **state)
{
    (void)state;
    Error error = {0};
    Case c = make_case(600, 530);
    Pyramid *pyramid = pyramid_new(c.trace, c.matrix, PYRAMID_MAXIMUM, &error);
    assert_ok(pyramid);
    for (int32_t level = 8; level >= 0; level--) {
        int32_t rows = pyramid_rows(pyramid, level), cols = pyramid_cols(pyramid, level);
        PyramidRegion all = {0, 0, rows, cols};
        float *out = malloc((size_t)rows * (size_t)cols * sizeof *out);
        for (int n = 0; n < 3; n++) {
            bool ready = pyramid_prepare(pyramid, level, all, n);
            pyramid_read_so_far(pyramid, level, all, out);
            for (int32_t i = 0; i < rows * cols; i++) {
                float wanted = expected(&c, level, i / cols, i % cols, PYRAMID_MAXIMUM);
                float guess = guessed(&c, level, i / cols, i % cols);
                assert_true(is_same(out[i], wanted) || (!ready && is_same(out[i], guess)));
            }
        }
        free(out);
    }
    pyramid_free(pyramid);
    free_case(&c);
}

static void the_level_fits_the_scale(void **state)
{
    (void)state;
    Error error = {0};
    Case c = make_case(40, 40);
    Pyramid *pyramid = pyramid_new(c.trace, c.matrix, PYRAMID_MAXIMUM, &error);
    assert_ok(pyramid);
    assert_int_equal(pyramid_level_for(pyramid, 0.1), 0);
    assert_int_equal(pyramid_level_for(pyramid, 1.99), 0);
    assert_int_equal(pyramid_level_for(pyramid, 2), 1);
    assert_int_equal(pyramid_level_for(pyramid, 5), 2);
    assert_int_equal(pyramid_level_for(pyramid, 1e9), pyramid_n_levels(pyramid) - 1);
    pyramid_free(pyramid);
    pyramid_free(NULL);
    free_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_keeps_the_peaks),
        cmocka_unit_test(a_region_is_that_part_of_its_level),
        cmocka_unit_test(blocks_are_read_when_asked_and_in_portions),
        cmocka_unit_test(what_is_not_read_yet_is_guessed),
        cmocka_unit_test(the_level_fits_the_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
