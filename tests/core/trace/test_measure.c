#include "trace/measure.h"

#include "grids.h"

static void a_row_is_measured_as_a_distribution(void **state)
{
    (void)state;
    Error error = {0};
    uint8_t flags[] = {TRACE_TOKEN_SPECIAL, 0, 0, TRACE_TOKEN_PADDING};
    float data[] = {0.25f, 0.25f, 0.25f, 0.25f, 0, 2, 0, 0,  0, 0, 0,        0,
                    0.5f,  NAN,   0,     0,     1, 0, 0, -1, 1, 1, INFINITY, 0};
    const Trace *trace = make_matrix_trace(TRACE_WEIGHTS, 6, 4, NULL, NULL, NULL, flags, data);
    Grid grid;
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    MeasureRow row = measure_row(&grid, 0);
    assert_close(row.sum, 1, 0);
    assert_close(row.entropy, log(4), 1e-12);
    assert_close(row.effective, 4, 1e-12);
    assert_close(row.special, 0.5, 0);
    assert_int_equal(row.argmax, 0); /* of equal ones the first */
    row = measure_row(&grid, 1);
    assert_close(row.sum, 2, 0);
    assert_close(row.entropy, 0, 0);
    assert_close(row.effective, 1, 0);
    assert_int_equal(row.argmax, 1);
    assert_close(row.max, 2, 0);
    assert_close(row.distance, fabs(1 * 5.0 / 3 - 1), 1e-12); /* columns scaled to 6 rows */
    row = measure_row(&grid, 2);
    assert_close(row.sum, 0, 0);
    assert_close(row.entropy, 0, 0);
    assert_int_equal(row.argmax, -1);
    for (int i = 3; i < 6; i++) {
        row = measure_row(&grid, i);
        assert_true(isnan(row.sum) && isnan(row.entropy) && isnan(row.effective));
        assert_true(isnan(row.special) && isnan(row.distance));
        assert_int_equal(row.argmax, 0);
    }
    grid_deinit(&grid);
    trace_release(trace);
}

static void the_largest_come_first_and_ties_go_left(void **state)
{
    (void)state;
    float data[] = {0.1f, 0.3f, NAN, 0.3f, 0.2f, -1};
    Grid grid = make_grid(1, 6, data);
    int32_t top[8];
    assert_int_equal(measure_top(&grid, 0, 3, top), 3);
    assert_int_equal(top[0], 1);
    assert_int_equal(top[1], 3);
    assert_int_equal(top[2], 4);
    assert_int_equal(measure_top(&grid, 0, 8, top), 5);
    assert_int_equal(top[4], 5);
    assert_int_equal(measure_top(&grid, 0, 0, top), 0);
    grid_deinit(&grid);
}

/* n x n weights with 1 at column `to(i)`. */
static Grid pattern(int32_t n, int32_t offset, int32_t fixed)
{
    float data[64] = {0};
    for (int32_t i = 0; i < n; i++) {
        int32_t j = fixed >= 0 ? fixed : i + offset;
        if (j >= 0 && j < n)
            data[i * n + j] = 1;
        else
            data[i * n + i] = 1;
    }
    return make_grid(n, n, data);
}

static void heads_are_known_by_their_patterns(void **state)
{
    (void)state;
    Grid grid = pattern(5, -1, -1);
    MeasureHead head = measure_head(&grid);
    assert_close(head.previous, 1, 0);
    assert_close(head.next, 0, 0);
    assert_close(head.self, 0.2, 1e-12); /* the first row has no token before it */
    assert_close(head.distance, 0.8, 1e-12);
    assert_close(head.entropy, 0, 0);
    assert_close(head.effective, 1, 0);
    assert_true(head.diagonal > 0.9);
    assert_true(isnan(head.same_word));
    grid_deinit(&grid);
    grid = pattern(5, 1, -1);
    head = measure_head(&grid);
    assert_close(head.next, 1, 0);
    grid_deinit(&grid);
    grid = pattern(5, 0, -1);
    head = measure_head(&grid);
    assert_close(head.self, 1, 0);
    assert_close(head.diagonal, 1, 1e-12);
    grid_deinit(&grid);
    grid = pattern(5, 0, 0);
    head = measure_head(&grid);
    assert_close(head.first, 1, 0);
    assert_close(head.diagonal, 0, 0);
    grid_deinit(&grid);
    float uniform[12], backwards[9] = {0, 0, 1, 0, 1, 0, 1, 0, 0};
    for (int i = 0; i < 12; i++)
        uniform[i] = 0.25f;
    grid = make_grid(3, 4, uniform);
    head = measure_head(&grid);
    assert_close(head.diagonal, 0, 1e-9);
    assert_close(head.effective, 4, 1e-9);
    assert_true(isnan(head.self) && isnan(head.previous) && isnan(head.next));
    grid_deinit(&grid);
    grid = make_grid(3, 3, backwards);
    assert_close(measure_head(&grid).diagonal, -1, 1e-12);
    grid_deinit(&grid);
}

static void pieces_of_one_word_are_seen(void **state)
{
    (void)state;
    Error error = {0};
    uint8_t flags[] = {0, 0, TRACE_TOKEN_CONTINUES, 0};
    float data[] = {1, 0, 0, 0, 0.25f, 0.25f, 0.5f, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    const Trace *trace = make_matrix_trace(TRACE_WEIGHTS, 4, 4, NULL, flags, NULL, flags, data);
    Grid grid;
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    assert_close(measure_head(&grid).same_word, (0.5 + 1) / 2, 1e-12);
    grid_deinit(&grid);
    trace_release(trace);
}

static void rows_without_weight_or_with_nan_do_not_count(void **state)
{
    (void)state;
    float data[] = {0, 0, NAN, 1, 0.5f, 0.5f};
    Grid grid = make_grid(3, 2, data);
    MeasureHead head = measure_head(&grid);
    assert_close(head.entropy, log(2), 1e-12);
    assert_close(head.first, 0.5, 0);
    grid_deinit(&grid);
    float nothing[4] = {0};
    grid = make_grid(2, 2, nothing);
    head = measure_head(&grid);
    for (int i = 0; i < MEASURE_N_HEAD; i++)
        assert_true(isnan(measure_head_value(&head, i)));
    assert_string_equal(measure_head_name(0), "entropy");
    assert_string_equal(measure_head_name(MEASURE_N_HEAD - 1), "diagonal");
    grid_deinit(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_measured_as_a_distribution),
        cmocka_unit_test(the_largest_come_first_and_ties_go_left),
        cmocka_unit_test(heads_are_known_by_their_patterns),
        cmocka_unit_test(pieces_of_one_word_are_seen),
        cmocka_unit_test(rows_without_weight_or_with_nan_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
