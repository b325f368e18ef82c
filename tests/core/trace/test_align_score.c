#include "trace/align_score.h"

#include "grids.h"

static AlignLinks make_links(const AlignLink *at, size_t n)
{
    AlignLinks links = {0};
    for (size_t i = 0; i < n; i++)
        align_links_add(&links, at[i]);
    return links;
}

/* A = {0-0, 1-1, 2-1, 3-3}, S = {0-0, 1-2}, P = S + {1-1}. */
static void the_error_rate_follows_its_formula(void **state)
{
    (void)state;
    AlignLinks predicted = make_links(
        (AlignLink[]){{2, 1, 0}, {0, 0, 0}, {1, 1, 0}, {3, 3, 0}, {0, 0, 1}}, 5); /* one twice */
    AlignLinks gold =
        make_links((AlignLink[]){{1, 1, true}, {0, 0, true}, {1, 2, false}, {0, 0, false}}, 4);
    AlignScore score = {0};
    align_score_add(&score, &predicted, &gold);
    assert_int_equal(score.n_predicted, 4);
    assert_int_equal(score.n_sure, 2);
    assert_int_equal(score.n_hit_sure, 1);
    assert_int_equal(score.n_hit_possible, 2);
    assert_close(align_score_error_rate(&score), 1 - 3.0 / 6, 1e-12);
    assert_close(align_score_precision(&score), 0.5, 1e-12);
    assert_close(align_score_recall(&score), 0.5, 1e-12);
    /* A second sentence is pooled, not averaged. */
    AlignLinks none = {0};
    align_score_add(&score, &none, &gold);
    assert_close(align_score_error_rate(&score), 1 - 3.0 / 8, 1e-12);
    align_links_free(&predicted);
    align_links_free(&gold);
}

static void a_perfect_alignment_has_no_errors_and_nothing_has_no_rate(void **state)
{
    (void)state;
    AlignLinks gold = make_links((AlignLink[]){{0, 0, 0}, {1, 0, 0}, {5, 5, 1}}, 3);
    AlignLinks sure = make_links((AlignLink[]){{0, 0, 0}, {1, 0, 0}}, 2), none = {0};
    AlignScore score = {0};
    align_score_add(&score, &sure, &gold);
    assert_close(align_score_error_rate(&score), 0, 0);
    AlignScore nothing = {0};
    align_score_add(&nothing, &none, &none);
    assert_true(isnan(align_score_error_rate(&nothing)));
    assert_true(isnan(align_score_precision(&nothing)));
    assert_true(isnan(align_score_recall(&nothing)));
    align_links_free(&gold);
    align_links_free(&sure);
}

static void the_heaviest_column_is_the_link(void **state)
{
    (void)state;
    Error error = {0};
    uint8_t source[] = {TRACE_TOKEN_SPECIAL, 0, 0, TRACE_TOKEN_CONTINUES};
    uint8_t target[] = {0, 0, TRACE_TOKEN_SPECIAL, 0, 0};
    float data[] = {0.1f, 0.2f, 0.3f, 0.4f, 0.9f, 0.1f, 0, 0,    0,   1,
                    0,    0,    0,    0,    0,    0,    0, 0.5f, NAN, 0.4f};
    const Trace *trace = make_matrix_trace(TRACE_WEIGHTS, 5, 4, NULL, target, NULL, source, data);
    Grid grid;
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    AlignLinks links = {0};
    align_from_grid(&grid, 0, &links);
    /* Row 1 looks at <s>, row 2 is special, row 3 looks at nothing. */
    assert_int_equal(links.n, 2);
    assert_int_equal(links.at[0].source, 3);
    assert_int_equal(links.at[0].target, 0);
    assert_int_equal(links.at[1].source, 1);
    assert_int_equal(links.at[1].target, 4);
    links.n = 0;
    align_from_grid(&grid, 0.45f, &links);
    assert_int_equal(links.n, 1);
    links.n = 0;
    grid_merge_words(&grid, GRID_COLS);
    align_from_grid(&grid, 0, &links);
    assert_int_equal(links.at[0].source, 2); /* the word's first piece */
    align_links_free(&links);
    grid_deinit(&grid);
    trace_release(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_rate_follows_its_formula),
        cmocka_unit_test(a_perfect_alignment_has_no_errors_and_nothing_has_no_rate),
        cmocka_unit_test(the_heaviest_column_is_the_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
