#include "grids.h"

static void a_grid_keeps_values_labels_and_places(void **state)
{
    (void)state;
    Error error = {0};
    const char *rows[] = {"la", "maison"};
    uint8_t flags[] = {0, TRACE_TOKEN_FORCED};
    float data[] = {1, 2, 3, 4, 5, 6};
    const Trace *trace = make_matrix_trace(TRACE_SCORES, 2, 3, rows, flags, NULL, NULL, data);
    Grid grid;
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    trace_release(trace); /* the grid keeps it alive */
    assert_int_equal(grid.role, TRACE_SCORES);
    assert_memory_equal(grid.data, data, sizeof data);
    assert_string_equal(grid.row[1].label, "maison");
    assert_int_equal(grid.row[1].flags, TRACE_TOKEN_FORCED);
    assert_string_equal(grid.col[2].label, "3");
    Grid copy;
    assert_ok(grid_copy(&copy, &grid, &error));
    assert_ok(grid_transpose(&grid, &error));
    assert_int_equal(grid.rows, 3);
    assert_close(grid_get(&grid, 2, 1), 6, 0);
    assert_string_equal(grid.col[1].label, "maison");
    grid_deinit(&grid);
    assert_memory_equal(copy.data, data, sizeof data);
    assert_string_equal(copy.row[0].label, "la");
    grid_deinit(&copy);
    grid_deinit(&copy); /* an empty grid */
}

static void too_large_a_matrix_is_refused(void **state)
{
    (void)state;
    Error error = {0};
    TraceBuilder *builder = trace_builder_new();
    int32_t big =
        trace_add_axis(builder, &(TraceAxis){.name = "big", .kind = TRACE_AXIS_INDEX, .len = 8192});
    int32_t more = trace_add_axis(
        builder, &(TraceAxis){.name = "more", .kind = TRACE_AXIS_INDEX, .len = 8193});
    static const float zero = 0;
    TraceTensor tensor = {.name = "w", .rank = 2, .axis = {big, more}, .data = &zero};
    trace_add_mapped(builder, &tensor, &zero, sizeof zero);
    const Trace *trace = trace_seal(builder, &error);
    assert_ok(trace);
    Grid grid;
    assert_refused(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error),
                   "8192 x 8193 cells is above the limit");
    grid_deinit(&grid);
    trace_release(trace);
}

/* "un" + "believ" + "able" is one word of three pieces. */
static void pieces_merge_into_words_and_rows_still_sum_to_one(void **state)
{
    (void)state;
    Error error = {0};
    const char *rows[] = {"in", "croy", "able"}, *cols[] = {"un", "believ", "able", "!"};
    uint8_t row_flags[] = {0, TRACE_TOKEN_CONTINUES, TRACE_TOKEN_CONTINUES};
    uint8_t col_flags[] = {TRACE_TOKEN_CONTINUES, TRACE_TOKEN_CONTINUES,
                           TRACE_TOKEN_CONTINUES | TRACE_TOKEN_UNKNOWN, TRACE_TOKEN_SPECIAL};
    float data[] = {0.1f, 0.2f, 0.3f, 0.4f, 0.25f, 0.25f, 0.25f, 0.25f, 0, 0, 1, 0};
    const Trace *trace =
        make_matrix_trace(TRACE_WEIGHTS, 3, 4, rows, row_flags, cols, col_flags, data);
    Grid grid;
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    grid_merge_words(&grid, GRID_COLS);
    assert_int_equal(grid.cols, 2);
    assert_string_equal(grid.col[0].label, "unbelievable");
    assert_int_equal(grid.col[0].count, 3);
    assert_int_equal(grid.col[0].flags, 0);
    assert_int_equal(grid.col[1].flags, TRACE_TOKEN_SPECIAL);
    assert_close(grid_get(&grid, 0, 0), 0.6, 1e-6);
    assert_close(grid_get(&grid, 1, 1), 0.25, 0);
    grid_merge_words(&grid, GRID_ROWS);
    assert_int_equal(grid.rows, 1);
    assert_string_equal(grid.row[0].label, "incroyable");
    assert_close(grid_get(&grid, 0, 0), (0.6 + 0.75 + 1) / 3, 1e-6);
    assert_close(grid_get(&grid, 0, 0) + grid_get(&grid, 0, 1), 1, 1e-6);
    assert_int_equal(grid_find_row(&grid, 2), 0);
    assert_int_equal(grid_find_col(&grid, 3), 1);
    assert_int_equal(grid_find_col(&grid, 4), -1);
    grid_deinit(&grid);
    trace_release(trace);
    /* Bytes that a tokenizer spells make a character where they are all there. */
    const char *bytes[] = {"\u2581<0xE0>", "<0xB8>", "<0x81><0xE0>", "!"};
    trace = make_matrix_trace(TRACE_WEIGHTS, 3, 4, rows, row_flags, bytes, col_flags, data);
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    grid_merge_words(&grid, GRID_COLS);
    assert_string_equal(grid.col[0].label, "\u2581\u0E01<0xE0>");
    grid_deinit(&grid);
    trace_release(trace);
    /* Scores of a word are averaged: their sum would mean nothing. */
    trace = make_matrix_trace(TRACE_SCORES, 3, 4, rows, row_flags, cols, col_flags, data);
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    grid_merge_words(&grid, GRID_COLS);
    assert_close(grid_get(&grid, 0, 0), 0.2, 1e-6);
    grid_deinit(&grid);
    trace_release(trace);
}

static void hiding_takes_rows_and_columns_out(void **state)
{
    (void)state;
    Error error = {0};
    const char *cols[] = {"<s>", "the", "house", "<pad>"};
    uint8_t col_flags[] = {TRACE_TOKEN_SPECIAL, 0, 0, TRACE_TOKEN_PADDING};
    uint8_t row_flags[] = {0, TRACE_TOKEN_SPECIAL, 0, 0};
    float data[] = {0.5f, 0.25f, 0.25f, 0, 9, 9, 9, 9, 1, 0, 0, 0, 0, 0.1f, 0.2f, 0};
    const Trace *trace =
        make_matrix_trace(TRACE_WEIGHTS, 4, 4, NULL, row_flags, cols, col_flags, data);
    for (int renormalise = 0; renormalise < 2; renormalise++) {
        Grid grid;
        assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
        grid_hide(&grid, TRACE_TOKEN_SPECIAL, TRACE_TOKEN_SPECIAL | TRACE_TOKEN_PADDING,
                  renormalise);
        assert_int_equal(grid.rows, 3);
        assert_int_equal(grid.cols, 2);
        assert_string_equal(grid.col[1].label, "house");
        assert_int_equal(grid.row[1].first, 2);
        assert_close(grid_get(&grid, 0, 1), renormalise ? 0.5 : 0.25, 1e-7);
        assert_close(grid_get(&grid, 1, 0), 0, 0);    /* all of it is hidden: stays zero     */
        assert_close(grid_get(&grid, 2, 1), 0.2f, 0); /* nothing hidden: left as it was      */
        assert_int_equal(grid_find_row(&grid, 1), -1);
        assert_int_equal(grid_find_row(&grid, 3), 2);
        assert_int_equal(grid_find_col(&grid, 0), -1);
        grid_deinit(&grid);
    }
    trace_release(trace);
}

/* A query that is padding still attends in many models: its row is no zero and stays. */
static void padding_is_hidden_only_where_it_is_all_zero(void **state)
{
    (void)state;
    Error error = {0};
    uint8_t flags[] = {0, TRACE_TOKEN_PADDING, TRACE_TOKEN_PADDING, 0};
    float data[] = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const Trace *trace = make_matrix_trace(TRACE_WEIGHTS, 4, 4, NULL, flags, NULL, flags, data);
    Grid grid;
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    grid_hide_padding(&grid);
    assert_int_equal(grid.rows, 3);
    assert_int_equal(grid.cols, 3);
    assert_int_equal(grid_find_row(&grid, 2), -1);
    assert_int_equal(grid_find_col(&grid, 2), -1);
    assert_close(grid_get(&grid, 1, 1), 0.5, 0);
    assert_int_equal(grid_find_row(&grid, 3), 2); /* zeros that are no padding */
    grid_deinit(&grid);
    trace_release(trace);
}

static void sinks_are_taken_out_one_after_the_other(void **state)
{
    (void)state;
    /* Column 0 takes 0.8 of every row, column 3 three quarters of the rest. */
    const float row[] = {0.8f, 0.02f, 0.02f, 0.15f, 0.01f, 0};
    float data[4 * 6];
    for (int i = 0; i < 4 * 6; i++)
        data[i] = row[i % 6];
    Grid grid = make_grid(4, 6, data);
    assert_int_equal(grid_hide_sinks(&grid, 0.9, false), 0);
    assert_int_equal(grid_hide_sinks(&grid, 0.5, true), 2);
    assert_int_equal(grid.cols, 4);
    assert_int_equal(grid.col[0].first, 1);
    assert_int_equal(grid.col[2].first, 4);
    assert_close(grid_get(&grid, 3, 0), 0.4, 1e-6);
    assert_close(grid_get(&grid, 3, 2), 0.2, 1e-6);
    grid_deinit(&grid);
}

static void small_grids_have_no_sinks(void **state)
{
    (void)state;
    const float data[] = {1, 0, 0, 1, 0, 0, 1, 0, 0};
    Grid grid = make_grid(3, 3, data);
    assert_int_equal(grid_hide_sinks(&grid, 0.5, true), 0);
    grid_deinit(&grid);
}

static void leading_axes_are_averaged_or_maximised(void **state)
{
    (void)state;
    Error error = {0};
    float data[2 * 3 * 1 * 2];
    for (int i = 0; i < 12; i++)
        data[i] = (float)i;
    data[1] = NAN;
    const Trace *trace = make_tensor_trace(4, (int32_t[]){2, 3, 1, 2}, data);
    const TraceTensor *tensor = trace_find(trace, "w");
    Grid grid;
    assert_ok(grid_init_reduced(&grid, trace, tensor, (int32_t[]){1, GRID_ALL}, GRID_MEAN, &error));
    assert_close(grid_get(&grid, 0, 0), 8, 0);
    assert_close(grid_get(&grid, 0, 1), 9, 0);
    grid_deinit(&grid);
    int32_t all[] = {GRID_ALL, GRID_ALL};
    assert_ok(grid_init_reduced(&grid, trace, tensor, all, GRID_MEAN, &error));
    assert_close(grid_get(&grid, 0, 0), 5, 0);
    assert_true(isnan(grid_get(&grid, 0, 1)));
    grid_deinit(&grid);
    assert_ok(grid_init_reduced(&grid, trace, tensor, (int32_t[]){GRID_ALL, 0}, GRID_MAX, &error));
    assert_close(grid_get(&grid, 0, 0), 6, 0);
    assert_close(grid_get(&grid, 0, 1), 7, 0);
    grid_deinit(&grid);
    assert_ok(grid_init_reduced(&grid, trace, tensor, (int32_t[]){0, 1}, GRID_MAX, &error));
    assert_close(grid_get(&grid, 0, 1), 3, 0);
    grid_deinit(&grid);
    trace_release(trace);
    trace = make_tensor_trace(3, (int32_t[]){0, 1, 1}, data);
    assert_refused(grid_init_reduced(&grid, trace, trace_find(trace, "w"), (int32_t[]){GRID_ALL},
                                     GRID_MEAN, &error),
                   "nothing to reduce over");
    trace_release(trace);
}

/* Two layers of two heads over two tokens, worked out by hand. */
static void rollout_multiplies_the_layers_with_their_residuals(void **state)
{
    (void)state;
    Error error = {0};
    float data[] = {
        1, 0, 1, 0, /* layer 0, head 0 */
        0, 1, 0, 1, /* layer 0, head 1: the mean is 0.5 everywhere            */
        0, 1, 1, 0, /* layer 1, head 0 */
        0, 1, 1, 0, /* layer 1, head 1: swaps                                 */
    };
    const Trace *trace = make_tensor_trace(4, (int32_t[]){2, 2, 2, 2}, data);
    const TraceTensor *tensor = trace_find(trace, "w");
    Grid grid;
    int32_t at[] = {0, GRID_ALL};
    assert_ok(grid_init_rollout(&grid, trace, tensor, at, 0, 0, &error));
    const float first[] = {0.75f, 0.25f, 0.25f, 0.75f};
    assert_memory_equal(grid.data, first, sizeof first);
    grid_deinit(&grid);
    assert_ok(grid_init_rollout(&grid, trace, tensor, at, 0, 1, &error));
    for (int i = 0; i < 4; i++) /* [.5 .5; .5 .5] times the above */
        assert_close(grid.data[i], 0.5, 1e-7);
    grid_deinit(&grid);
    at[1] = 0; /* one head alone */
    assert_ok(grid_init_rollout(&grid, trace, tensor, at, 0, 1, &error));
    const float alone[] = {0.75f, 0.25f, 0.75f, 0.25f};
    for (int i = 0; i < 4; i++)
        assert_close(grid.data[i], alone[i], 1e-7);
    grid_deinit(&grid);
    trace_release(trace);
    trace = make_tensor_trace(3, (int32_t[]){1, 2, 3}, data);
    assert_refused(
        grid_init_rollout(&grid, trace, trace_find(trace, "w"), (int32_t[]){0}, 0, 0, &error),
        "rollout needs self-attention");
    trace_release(trace);
}

static void rollout_goes_layer_by_layer_too(void **state)
{
    (void)state;
    Error error = {0};
    float data[3 * 4 * 4];
    for (int i = 0; i < 3 * 16; i++)
        data[i] = (float)(1 + (i * 7) % 5) / (float)(1 + i % 3);
    const Trace *trace = make_tensor_trace(3, (int32_t[]){3, 4, 4}, data);
    const TraceTensor *tensor = trace_find(trace, "w");
    Grid rollout = {0};
    for (int32_t layer = 0; layer < 3; layer++) {
        Grid whole, weights;
        assert_ok(grid_init(&weights, trace, tensor, (int32_t[]){layer}, &error));
        assert_ok(grid_rollout_step(&rollout, &weights, &error));
        assert_ok(grid_init_rollout(&whole, trace, tensor, (int32_t[]){0}, 0, layer, &error));
        for (int k = 0; k < 16; k++)
            assert_close(rollout.data[k], whole.data[k], 1e-6);
        grid_deinit(&whole);
        grid_deinit(&weights);
    }
    grid_deinit(&rollout);
    trace_release(trace);
}

static void rollout_of_masked_rows_stays_a_distribution(void **state)
{
    (void)state;
    Error error = {0};
    float data[] = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0};
    const Trace *trace = make_tensor_trace(3, (int32_t[]){2, 2, 2}, data);
    Grid grid;
    assert_ok(
        grid_init_rollout(&grid, trace, trace_find(trace, "w"), (int32_t[]){0}, 0, 1, &error));
    for (int i = 0; i < 2; i++)
        assert_close(grid_get(&grid, i, 0) + grid_get(&grid, i, 1), 1, 1e-6);
    grid_deinit(&grid);
    trace_release(trace);
}

static void ranges_pass_over_what_is_not_finite(void **state)
{
    (void)state;
    float data[] = {NAN, 2, -INFINITY, 3, NAN, NAN, INFINITY, NAN};
    Grid grid = make_grid(2, 4, data);
    GridRange range = grid_range(&grid);
    assert_close(range.low, 2, 0);
    assert_close(range.high, 3, 0);
    range = grid_row_range(&grid, 1);
    assert_true(range.low > range.high);
    grid_deinit(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_keeps_values_labels_and_places),
        cmocka_unit_test(too_large_a_matrix_is_refused),
        cmocka_unit_test(pieces_merge_into_words_and_rows_still_sum_to_one),
        cmocka_unit_test(hiding_takes_rows_and_columns_out),
        cmocka_unit_test(padding_is_hidden_only_where_it_is_all_zero),
        cmocka_unit_test(sinks_are_taken_out_one_after_the_other),
        cmocka_unit_test(small_grids_have_no_sinks),
        cmocka_unit_test(leading_axes_are_averaged_or_maximised),
        cmocka_unit_test(rollout_multiplies_the_layers_with_their_residuals),
        cmocka_unit_test(rollout_goes_layer_by_layer_too),
        cmocka_unit_test(rollout_of_masked_rows_stays_a_distribution),
        cmocka_unit_test(ranges_pass_over_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
