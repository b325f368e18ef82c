#include "trace/compare.h"

#include <stdlib.h>

#include "base/random.h"
#include "grids.h"

static void equal_rows_are_no_distance_apart_and_disjoint_ones_the_whole(void **state)
{
    (void)state;
    float p[] = {0.5f, 0.5f, 0, 0}, q[] = {0, 0, 3, 1}, r[] = {1, 1, 0, 0};
    assert_close(compare_jensen_shannon(p, r, 4), 0, 0); /* unnormalised, but the same */
    assert_close(compare_jensen_shannon(p, q, 4), log(2), 1e-12);
    assert_close(compare_total_variation(p, q, 4), 1, 1e-12);
    assert_close(compare_total_variation(p, r, 4), 0, 0);
    float half[] = {1, 0, 0, 0};
    assert_close(compare_total_variation(p, half, 4), 0.5, 1e-12);
    /* 0.5 (log 4/3 / 2 + log 2 / 2) + 0.5 log 4/3, by hand */
    assert_close(compare_jensen_shannon(p, half, 4),
                 0.25 * log(0.5 / 0.75) + 0.25 * log(2) + 0.5 * log(1 / 0.75), 1e-12);
    assert_close(compare_jensen_shannon(p, half, 4), compare_jensen_shannon(half, p, 4), 1e-15);
    float nothing[4] = {0}, bad[] = {1, NAN, 0, 0}, negative[] = {2, -1, 0, 0};
    assert_true(isnan(compare_jensen_shannon(p, nothing, 4)));
    assert_true(isnan(compare_total_variation(bad, p, 4)));
    assert_true(isnan(compare_jensen_shannon(negative, p, 4)));
}

/* The definition: concordant minus discordant pairs, corrected for ties. */
static double kendall_by_pairs(const float *x, const float *y, int n)
{
    double agree = 0, in_x = 0, in_y = 0, all = n * (n - 1) / 2.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double product = (double)(x[i] - x[j]) * (double)(y[i] - y[j]);
            agree += (product > 0) - (product < 0);
            in_x += x[i] == x[j];
            in_y += y[i] == y[j];
        }
    }
    return agree / sqrt((all - in_x) * (all - in_y));
}

static void kendall_agrees_with_its_definition(void **state)
{
    (void)state;
    Random random = random_seed(3, RANDOM_EXPLORE);
    for (int turn = 0; turn < 300; turn++) {
        float x[40], y[40];
        int n = 2 + (int)random_below(&random, 38);
        for (int i = 0; i < n; i++) { /* few values, so that there are ties */
            x[i] = (float)random_below(&random, 8);
            y[i] = (float)random_below(&random, 8) + x[i] * (float)(turn % 3);
        }
        double wanted = kendall_by_pairs(x, y, n), found = compare_kendall(x, y, n);
        if (isnan(wanted))
            assert_true(isnan(found));
        else
            assert_close(found, wanted, 1e-12);
    }
}

static void spearman_is_the_correlation_of_average_ranks(void **state)
{
    (void)state;
    float x[] = {1, 2, 3, 4, 5}, grows[] = {1, 4, 9, 16, 25}, falls[] = {5, 4, 3, 2, 1};
    assert_close(compare_spearman(x, grows, 5), 1, 1e-12);
    assert_close(compare_spearman(x, falls, 5), -1, 1e-12);
    assert_close(compare_kendall(x, falls, 5), -1, 1e-12);
    /* Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5). */
    float tied[] = {0, 1, 1, 2}, plain[] = {0, 1, 2, 3};
    assert_close(compare_spearman(tied, plain, 4), 4.5 / sqrt(4.5 * 5), 1e-12);
    float constant[] = {7, 7, 7, 7, 7}, bad[] = {1, 2, NAN, 4, 5};
    assert_true(isnan(compare_spearman(x, constant, 5)));
    assert_true(isnan(compare_kendall(constant, x, 5)));
    assert_true(isnan(compare_kendall(x, bad, 5)));
    assert_true(isnan(compare_spearman(x, x, 1)));
}

static void a_summary_names_the_row_that_differs_most(void **state)
{
    (void)state;
    Error error = {0};
    float first[] = {0.9f, 0.1f, 0, 0.5f, 0.4f, 0.1f, 0, 0, 0, 0.2f, 0.3f, 0.5f};
    float second[] = {0.9f, 0.1f, 0, 0, 0.4f, 0.6f, 1, 0, 0, 0.2f, 0.3f, 0.5f};
    Grid a = make_grid(4, 3, first), b = make_grid(4, 3, second);
    assert_ok(compare_shapes(&a, &b, &error));
    CompareSummary summary = compare_grids(&a, &b);
    assert_int_equal(summary.n_rows, 3); /* one is all zeros on one side */
    assert_int_equal(summary.worst_row, 1);
    assert_close(summary.argmax_agreement, 2.0 / 3, 1e-12);
    assert_close(summary.total_variation, 0.5 / 3, 1e-6);
    assert_close(summary.largest_difference, 1, 0);
    Grid difference;
    assert_ok(compare_difference(&a, &b, &difference, &error));
    assert_close(grid_get(&difference, 1, 0), 0.5, 1e-7);
    assert_close(grid_get(&difference, 2, 0), -1, 0);
    assert_int_equal(compare_n_other_labels(&a, &b), 0);
    grid_deinit(&difference);
    grid_deinit(&b);
    b = make_grid(3, 4, second);
    assert_refused(compare_difference(&a, &b, &difference, &error),
                   "one is 4 x 3, the other 3 x 4");
    assert_int_equal(compare_n_other_labels(&a, &b), 2);
    grid_deinit(&a);
    grid_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_are_no_distance_apart_and_disjoint_ones_the_whole),
        cmocka_unit_test(kendall_agrees_with_its_definition),
        cmocka_unit_test(spearman_is_the_correlation_of_average_ranks),
        cmocka_unit_test(a_summary_names_the_row_that_differs_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
