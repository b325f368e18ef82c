#include "testing.h"

#include <math.h>

#include "grad/param.h"
#include "train/measures.h"

static void a_measure_is_a_weighted_mean(void **state)
{
    (void)state;
    Measures m = {0};
    measures_add(&m, "loss", 1, 3);
    measures_add(&m, "loss", 5, 1);
    measures_add(&m, "accuracy", 0.5, 4);
    assert_float_equal(measures_get(&m, "loss"), 2, 1e-12);
    assert_float_equal(measures_get(&m, "accuracy"), 0.5, 1e-12);
    assert_true(isnan(measures_get(&m, "entropy")));
}

static void merging_weighs_and_leaves_out_what_weighs_nothing(void **state)
{
    (void)state;
    Measures into = {0}, from = {0};
    measures_add(&into, "loss", 1, 1);
    measures_add(&from, "loss", 4, 2);
    measures_add(&from, "nothing", 7, 0);
    measures_merge(&into, &from);
    assert_float_equal(measures_get(&into, "loss"), 3, 1e-12);
    assert_int_equal(into.n, 1);
}

static void as_many_names_as_the_limit_says_have_room(void **state)
{
    (void)state;
    static const char *const names[MEASURES_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                    "i", "j", "k", "l", "m", "n", "o", "p"};
    Measures m = {0};
    for (int i = 0; i < MEASURES_MAX; i++)
        measures_add(&m, names[i], i, 1);
    assert_int_equal(m.n, MEASURES_MAX);
    assert_float_equal(measures_get(&m, names[MEASURES_MAX - 1]), MEASURES_MAX - 1, 0);
}

/* ---- batches ---- */

/* Batch i weighs i + 1, and its loss has no short binary form: sums tell orders apart. */
static double loss_of(int i)
{
    return 1.0 / (3 + 7 * i);
}

static void measure(void *context, int i, Tape *tape, Measures *out)
{
    int *seen = context;
    seen[i] += out->n == 0 && tape_new_var(tape, 1, 1, false) != NULL;
    measures_add(out, "loss", loss_of(i), i + 1);
    if (i == 2)
        measures_add(out, "rare", 9, 2);
}

static void every_batch_is_measured_once_and_merged_in_order(void **state)
{
    (void)state;
    enum { N = 23 };
    ParamSet *params = param_set_new();
    assert_true(param_set_allocate(params, NULL));
    Measures expected = {0};
    for (int i = 0; i < N; i++) {
        Measures one = {0};
        measures_add(&one, "loss", loss_of(i), i + 1);
        measures_merge(&expected, &one);
    }
    for (int n_threads = 1; n_threads <= 4; n_threads += 3) {
        int seen[N] = {0};
        Measures all = {0};
        Workers *workers = workers_new(n_threads);
        measures_of_batches(workers, params, N, measure, seen, &all);
        workers_free(workers);
        for (int i = 0; i < N; i++)
            assert_int_equal(seen[i], 1);
        assert_true(measures_get(&all, "loss") == measures_get(&expected, "loss"));
        assert_float_equal(measures_get(&all, "rare"), 9, 0);
    }
    param_set_free(params);
}

static void no_batch_measures_nothing(void **state)
{
    (void)state;
    ParamSet *params = param_set_new();
    assert_true(param_set_allocate(params, NULL));
    Workers *workers = workers_new(1);
    Measures all = {0};
    measures_of_batches(workers, params, 0, measure, NULL, &all);
    assert_int_equal(all.n, 0);
    workers_free(workers);
    param_set_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measure_is_a_weighted_mean),
        cmocka_unit_test(merging_weighs_and_leaves_out_what_weighs_nothing),
        cmocka_unit_test(as_many_names_as_the_limit_says_have_room),
        cmocka_unit_test(every_batch_is_measured_once_and_merged_in_order),
        cmocka_unit_test(no_batch_measures_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
