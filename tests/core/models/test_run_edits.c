#include "testing.h"

#include <string.h>

#include "models/run_edits.h"

static RunEdits *everything(void)
{
    RunEdits *e = run_edits_new();
    const float weights[] = {0, 0.25f, 3};
    run_edits_set_temperature(e, 0.5);
    run_edits_set_beam(e, 5);
    run_edits_set_length_penalty(e, 0.6);
    run_edits_set_window(e, 4);
    run_edits_set_renormalise(e, true);
    run_edits_set_sample(e, true);
    run_edits_set_seed(e, 7);
    run_edits_set_paths(e, 100);
    run_edits_set_force(e, "une pomme \"verte\"");
    run_edits_hide(e, 2, true);
    run_edits_hide(e, 0, true);
    run_edits_set_token(e, 3, 41, "pomme");
    run_edits_set_weights(e, 1, 3, weights);
    run_edits_set_selected(e, 2, 5);
    run_edits_set_centre(e, 4, 2.5, -0.5);
    run_edits_set_step_window(e, 4, 2);
    run_edits_flip(e, 0, 6);
    run_edits_flip(e, 0, 1);
    return e;
}

static void json_keeps_everything(void **state)
{
    (void)state;
    Error error = {0};
    RunEdits *e = everything();
    json_t *json = run_edits_to_json(e);
    RunEdits *back = run_edits_from_json(json, &error);
    assert_non_null(back);
    assert_true(run_edits_equal(e, back));
    RunEdits *copy = run_edits_copy(back);
    run_edits_flip(back, 0, 1);
    assert_false(run_edits_equal(e, back));
    assert_true(run_edits_equal(e, copy));
    json_decref(json);
    run_edits_free(e);
    run_edits_free(back);
    run_edits_free(copy);
}

static void every_change_is_named_and_can_be_taken_back_alone(void **state)
{
    (void)state;
    RunEdits *all = everything();
    int n = run_edits_count(all);
    assert_int_equal(n, 16);
    bool seen[RUN_EDIT_KINDS] = {false};
    for (int i = 0; i < n; i++) {
        RunEdits *e = run_edits_copy(all);
        RunEdit edit = run_edits_at(e, i);
        seen[edit.kind] = true;
        assert_true(edit.step >= -1 && edit.step <= 4);
        assert_true((edit.step == -1) == (edit.kind < RUN_EDIT_TOKEN));
        run_edits_remove(e, i);
        assert_int_equal(run_edits_count(e), n - 1);
        run_edits_free(e);
    }
    for (int k = 0; k < RUN_EDIT_KINDS; k++)
        assert_true(seen[k]);
    while (run_edits_count(all) > 0)
        run_edits_remove(all, 0);
    RunEdits *none = run_edits_new();
    run_edits_set_seed(none, 7); /* a seed alone changes nothing that is shown */
    assert_true(run_edits_equal(all, none));
    run_edits_free(none);
    run_edits_free(all);
}

static void deciding_a_step_anew_forgets_what_came_after(void **state)
{
    (void)state;
    RunEdits *e = everything();
    run_edits_forget_after(e, 1);
    int n;
    const Intervention *steps = run_edits_interventions(e, &n);
    assert_int_equal(n, 2);
    assert_int_equal(steps[0].step, 0);
    assert_int_equal(steps[1].step, 1);
    run_edits_free(e);
}

static void bad_json_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"[]", "an object was expected"},
        {"{\"temprature\": 1}", "temprature"},
        {"{\"temperature\": 0}", "from 1e-06"},
        {"{\"beam\": 1000}", "beam"},
        {"{\"beam\": 2.5}", "not whole"},
        {"{\"sample\": 1}", "true or false"},
        {"{\"paths\": 0}", "from 1 to"},
        {"{\"steps\": [{\"token\": 1}]}", "\"step\""},
        {"{\"steps\": [{\"step\": 2, \"weights\": [1, -1]}]}", "weights"},
        {"{\"steps\": [{\"step\": 2, \"wieghts\": []}]}", "step 2: \"wieghts\""},
        {"{\"hidden\": 3}", "a list"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Error error = {0};
        json_t *json = json_loads(bad[i][0], 0, NULL);
        assert_refused(run_edits_from_json(json, &error) != NULL, bad[i][1]);
        json_decref(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_keeps_everything),
        cmocka_unit_test(every_change_is_named_and_can_be_taken_back_alone),
        cmocka_unit_test(deciding_a_step_anew_forgets_what_came_after),
        cmocka_unit_test(bad_json_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
