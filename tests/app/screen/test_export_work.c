/* The choices of the dialog that exports, kept between runs of the program. */
#include "testing.h"

#include <string.h>

#include "screen/export_work.h"

static void choices_come_back_as_they_were(void **state)
{
    (void)state;
    Error error = {0};
    Exporting *e = exporting_new(), *again = exporting_new();
    e->format = FIGURE_PDF;
    assert_ok(settings_set(e->settings, "width", "84", &error));
    assert_ok(settings_set(e->settings, "theme", "dark", &error));
    memcpy(e->colormap, "grey", sizeof "grey");
    json_t *kept = exporting_to_json(e);
    exporting_from_json(again, kept);
    assert_int_equal(again->format, FIGURE_PDF);
    assert_string_equal(again->colormap, "grey");
    for (const Setting *s = figure_settings; s->name; s++)
        assert_string_equal(settings_text(again->settings, s->name),
                            settings_text(e->settings, s->name));
    json_decref(kept);
    exporting_free(e);
    exporting_free(again);
}

static void odd_choices_are_passed_over(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "{}",
        "[]",
        "7",
        "{\"format\": \"bmp\", \"settings\": {\"width\": \"-3\", \"theme\": \"lilac\"}}",
        "{\"format\": 3, \"colormap\": null, \"settings\": [1]}",
        "{\"settings\": {\"width\": 84, \"unknown\": \"x\"}}",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Exporting *e = exporting_new();
        json_t *odd = json_loads(cases[i], JSON_DECODE_ANY, NULL);
        assert_non_null(odd);
        exporting_from_json(e, odd);
        assert_int_equal(e->format, FIGURE_PNG);
        assert_string_equal(settings_text(e->settings, "width"), "160");
        assert_string_equal(settings_text(e->settings, "theme"), "light");
        json_decref(odd);
        exporting_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_come_back_as_they_were),
        cmocka_unit_test(odd_choices_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
