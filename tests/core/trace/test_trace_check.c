#include "trace/trace_check.h"

#include "grids.h"

static TraceReport check(const Trace *trace)
{
    TraceReport report;
    trace_check(trace, trace_find(trace, "w"), NULL, &report);
    assert_true(report.complete);
    return report;
}

static const TraceFinding *find(const TraceReport *report, TraceCheckKind kind)
{
    const TraceFinding *finding = trace_report_find(report, kind);
    if (!finding)
        fail_msg("no finding of kind %d", kind);
    return finding;
}

static void a_sound_matrix_has_nothing_to_say(void **state)
{
    (void)state;
    float data[] = {0.9f, 0.1f, 0.2f, 0.8f, 0.5004f, 0.5f};
    const Trace *trace = make_tensor_trace(2, (int32_t[]){3, 2}, data);
    TraceReport report = check(trace);
    assert_int_equal(report.n, 0);
    assert_int_equal(report.n_matrices, 1);
    assert_int_equal(report.n_rows, 3);
    trace_release(trace);
}

static void every_fault_is_counted_and_its_worst_place_told(void **state)
{
    (void)state;
    float data[2 * 3 * 3] = {
        0.5f, 0.5f, 0, 0.7f,     0.2f, 0, 0.4f, 0.4f,  0, /* head 0: two sums off, column 2 zero */
        0,    0,    0, INFINITY, NAN,  0, 1.5f, -0.5f, 0, /* head 1 */
    };
    const Trace *trace = make_tensor_trace(3, (int32_t[]){2, 3, 3}, data);
    TraceReport report = check(trace);
    const TraceFinding *finding = find(&report, TRACE_CHECK_ROW_SUM);
    assert_int_equal(finding->count, 2);
    assert_close(finding->value, 0.8, 1e-6);
    assert_int_equal(finding->at[1], 2);
    assert_string_equal(finding->text, "2 rows do not sum to one, worst 0.8 at a 1, b 3");
    finding = find(&report, TRACE_CHECK_NAN);
    assert_string_equal(finding->text, "1 cell is not a number, first at a 2, b 2, c 2");
    finding = find(&report, TRACE_CHECK_INFINITE);
    assert_string_equal(finding->text, "1 cell is infinite, first inf at a 2, b 2, c 1");
    finding = find(&report, TRACE_CHECK_NEGATIVE);
    assert_string_equal(finding->text, "1 weight is below zero, lowest -0.5 at a 2, b 3, c 2");
    finding = find(&report, TRACE_CHECK_ZERO_ROWS);
    assert_string_equal(finding->text, "1 row is all zeros (masked or padding), first at a 2, b 1");
    finding = find(&report, TRACE_CHECK_ZERO_COLUMNS);
    assert_int_equal(finding->count, 2);
    assert_string_equal(finding->text,
                        "2 columns are all zeros (masked or padding), first at a 1, c 3");
    assert_null(trace_report_find(&report, TRACE_CHECK_UNIFORM));
    assert_null(trace_report_find(&report, TRACE_CHECK_COLUMN_SUM));
    trace_release(trace);
}

static void a_swapped_matrix_is_suspected(void **state)
{
    (void)state;
    float data[] = {0.9f, 0.2f, 0.3f, 0.1f, 0.8f, 0.7f};
    const Trace *trace = make_tensor_trace(2, (int32_t[]){2, 3}, data);
    TraceReport report = check(trace);
    assert_string_equal(find(&report, TRACE_CHECK_COLUMN_SUM)->text,
                        "1 matrix has columns that sum to one, not rows (swapped?)");
    trace_release(trace);
}

static void numbers_of_another_kind_do_not_look_like_attention(void **state)
{
    (void)state;
    float data[] = {0.9f, 0.7f, 0.2f, 0.1f, 0.8f, 0.3f};
    const Trace *trace = make_tensor_trace(2, (int32_t[]){3, 2}, data);
    TraceReport report = check(trace);
    assert_string_equal(
        find(&report, TRACE_CHECK_OTHER)->text,
        "1 matrix does not look like attention: neither rows nor columns sum to one");
    assert_string_equal(find(&report, TRACE_CHECK_ROW_SUM)->place, "a 2");
    trace_release(trace);
    /* One bad row of three is a fault, not another kind of numbers. */
    float fault[] = {0.9f, 0.7f, 0.2f, 0.8f, 0.5f, 0.5f};
    trace = make_tensor_trace(2, (int32_t[]){3, 2}, fault);
    report = check(trace);
    assert_null(trace_report_find(&report, TRACE_CHECK_OTHER));
    assert_int_equal(find(&report, TRACE_CHECK_ROW_SUM)->count, 1);
    trace_release(trace);
}

static void uniform_maps_and_sinks_are_seen(void **state)
{
    (void)state;
    float data[2 * 4 * 4];
    for (int i = 0; i < 16; i++)
        data[i] = 0.25f;
    for (int i = 16; i < 32; i++)
        data[i] = i % 4 == 1 ? 0.7f : 0.1f;
    const Trace *trace = make_tensor_trace(3, (int32_t[]){2, 4, 4}, data);
    TraceReport report = check(trace);
    assert_string_equal(find(&report, TRACE_CHECK_UNIFORM)->text,
                        "1 matrix has one value in every cell, first 0.25 at a 1");
    assert_string_equal(find(&report, TRACE_CHECK_SINK)->text,
                        "1 matrix gives more than half of its weight to one column, most 0.7 at a "
                        "2, c 2");
    trace_release(trace);
    /* Three tokens are too few to speak of a sink. */
    float small[] = {1, 0, 0, 1, 0, 0, 1, 0, 0};
    trace = make_tensor_trace(2, (int32_t[]){3, 3}, small);
    report = check(trace);
    assert_null(trace_report_find(&report, TRACE_CHECK_SINK));
    trace_release(trace);
}

static void scores_may_be_negative_and_masked(void **state)
{
    (void)state;
    const char *labels[] = {"a", "b\x1b"};
    float data[] = {-1, -INFINITY, 3, -INFINITY};
    const Trace *trace = make_matrix_trace(TRACE_SCORES, 2, 2, NULL, NULL, labels, NULL, data);
    TraceReport report = check(trace);
    assert_int_equal(report.n, 1);
    assert_string_equal(report.findings[0].text,
                        "2 cells are infinite, first -inf at target 1, source 2 (b )");
    trace_release(trace);
}

static void a_rank_one_tensor_is_one_row(void **state)
{
    (void)state;
    float data[] = {0.5f, 0.6f};
    const Trace *trace = make_tensor_trace(1, (int32_t[]){2}, data);
    TraceReport report = check(trace);
    assert_string_equal(find(&report, TRACE_CHECK_ROW_SUM)->text,
                        "1 row does not sum to one, worst 1.1");
    trace_release(trace);
    trace = make_tensor_trace(3, (int32_t[]){2, 0, 5}, data);
    report = check(trace);
    assert_int_equal(report.n, 0);
    trace_release(trace);
}

static void narrow_types_are_forgiven_their_rounding(void **state)
{
    (void)state;
    assert_true(trace_check_tolerance(TRACE_F32) < trace_check_tolerance(TRACE_F16));
    assert_true(trace_check_tolerance(TRACE_F16) < trace_check_tolerance(TRACE_BF16));
}

static void a_check_stops_when_asked(void **state)
{
    (void)state;
    float data[8] = {0};
    const Trace *trace = make_tensor_trace(3, (int32_t[]){4, 1, 2}, data);
    StopFlag stop = {0};
    stop_request(&stop);
    TraceReport report;
    trace_check(trace, trace_find(trace, "w"), &stop, &report);
    assert_false(report.complete);
    assert_int_equal(report.n_matrices, 1);
    trace_release(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_matrix_has_nothing_to_say),
        cmocka_unit_test(every_fault_is_counted_and_its_worst_place_told),
        cmocka_unit_test(a_swapped_matrix_is_suspected),
        cmocka_unit_test(numbers_of_another_kind_do_not_look_like_attention),
        cmocka_unit_test(uniform_maps_and_sinks_are_seen),
        cmocka_unit_test(scores_may_be_negative_and_masked),
        cmocka_unit_test(a_rank_one_tensor_is_one_row),
        cmocka_unit_test(narrow_types_are_forgiven_their_rounding),
        cmocka_unit_test(a_check_stops_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
