#include "trace/confidence.h"

#include <math.h>

#include "core/trace/grids.h"

/* Reference numbers: the formulas of confidence.h written down in Python, in double precision. */
static void the_penalties_follow_their_formulas(void **state)
{
    (void)state;
    const float weights[] = {0.7f, 0.2f, 0.1f, 0.1f,  0.8f,  0.1f,
                             0.6f, 0.3f, 0.1f, 0.05f, 0.05f, 0.9f};
    Grid grid = make_grid(4, 3, weights);
    Confidence c = confidence_of_grid(&grid);
    assert_float_equal(c.coverage_deviation, -0.003390018357, 1e-6);
    assert_float_equal(c.absent_out, -0.683298457124, 1e-6);
    assert_float_equal(c.absent_in, -0.967830498584, 1e-6);
    assert_float_equal(c.confidence, 0.872082149143, 1e-6);
    grid_deinit(&grid);
}

static void one_word_for_one_word_is_certain(void **state)
{
    (void)state;
    const float weights[] = {0, 1, 0, 1, 0, 0, 0, 0, 1};
    Grid grid = make_grid(3, 3, weights);
    Confidence c = confidence_of_grid(&grid);
    assert_float_equal(c.coverage_deviation, 0, 0);
    assert_float_equal(c.absent_out, 0, 0);
    assert_float_equal(c.absent_in, 0, 0);
    assert_float_equal(c.confidence, 1, 0);
    grid_deinit(&grid);
}

/* n equal weights in every row: APout is -log n, whatever the row sums are. */
static void uniform_rows_are_as_absent_as_can_be(void **state)
{
    (void)state;
    const float weights[] = {0.25f, 0.25f, 0.25f, 0.25f, 2, 2, 2, 2};
    Grid grid = make_grid(2, 4, weights);
    assert_float_equal(confidence_of_grid(&grid).absent_out, -log(4), 1e-6);
    grid_deinit(&grid);
}

static void zeros_add_no_spread_and_count_as_not_covered(void **state)
{
    (void)state;
    const float weights[] = {1, 0, 0, 0};
    Grid grid = make_grid(2, 2, weights);
    Confidence c = confidence_of_grid(&grid);
    assert_float_equal(c.absent_out, 0, 0);
    assert_float_equal(c.coverage_deviation, -log(2) / 2, 1e-9);
    grid_deinit(&grid);
}

static void padding_is_left_out(void **state)
{
    (void)state;
    const float weights[] = {1, 0, 0, 0};
    const uint8_t flags[] = {0, TRACE_TOKEN_PADDING};
    const Trace *trace = make_matrix_trace(TRACE_WEIGHTS, 2, 2, NULL, flags, NULL, flags, weights);
    Grid grid;
    Error error = {0};
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    assert_float_equal(confidence_of_grid(&grid).confidence, 1, 0);
    grid_deinit(&grid);
    trace_release(trace);
}

static void what_is_no_distribution_has_no_confidence(void **state)
{
    (void)state;
    const float bad[] = {NAN, INFINITY, -0.1f};
    for (int i = 0; i < 3; i++) {
        const float weights[] = {1, 0, bad[i], 1};
        Grid grid = make_grid(2, 2, weights);
        assert_true(isnan(confidence_of_grid(&grid).confidence));
        grid_deinit(&grid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_penalties_follow_their_formulas),
        cmocka_unit_test(one_word_for_one_word_is_certain),
        cmocka_unit_test(uniform_rows_are_as_absent_as_can_be),
        cmocka_unit_test(zeros_add_no_spread_and_count_as_not_covered),
        cmocka_unit_test(padding_is_left_out),
        cmocka_unit_test(what_is_no_distribution_has_no_confidence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
