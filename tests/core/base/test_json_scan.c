#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"

static json_t *by_jansson(const char *text, size_t n)
{
    return json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

/* {"short": 1, "long": "xxx...", "inner": {"long": ...}}, both long ones with `middle` in them. */
static char *text_with(const char *middle)
{
    StrBuf text = {0};
    strbuf_add(&text, "{\"short\":[1,{\"a\":null}], \"long\":\"");
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 150; i++)
            strbuf_add(&text, "0123456789");
        strbuf_add(&text, middle);
        strbuf_add(&text, turn == 0 ? "\",\"inner\" : {\"n\":-1.5e3,\"long\":\"" : "\"}}\n");
    }
    return strbuf_take(&text);
}

static void long_members_are_what_jansson_makes_of_them(void **state)
{
    (void)state;
    static const char *const middles[] = {"", "\\\"\\\\\\/\\b\\f\\n\\r\\t",
                                          "\u00e9\u20ac\U0001F600", "[{\\\"a\\\":[]}],"};
    for (size_t i = 0; i < sizeof middles / sizeof *middles; i++) {
        char *text = text_with(middles[i]);
        json_t *walked = json_scan_object(text, strlen(text), NULL);
        json_t *value = by_jansson(text, strlen(text));
        assert_non_null(walked);
        assert_non_null(value);
        assert_true(json_equal(walked, value));
        json_decref(walked);
        json_decref(value);
        free(text);
    }
}

static void what_is_not_plain_is_left_to_jansson(void **state)
{
    (void)state;
    static const char *const middles[] = {"\\u0041",      "\\x", "\x01",  "\xFF", "\xC0\x80",
                                          "\xED\xA0\x80", "\"",  "\" \"", "\\"};
    for (size_t i = 0; i < sizeof middles / sizeof *middles; i++) {
        char *text = text_with(middles[i]);
        assert_null(json_scan_object(text, strlen(text), NULL));
        free(text);
    }
    static const char *const texts[] = {"",
                                        "[]",
                                        "{",
                                        "{}x",
                                        "{\"a\":1,}",
                                        "{,\"a\":1}",
                                        "{\"a\":1 \"b\":2}",
                                        "{\"a\":1,\"a\":2}",
                                        "{\"a\":01}",
                                        "{\"a\":}",
                                        "{\"a\":]}",
                                        "{\"a\":[}",
                                        "{\"a\":[1}]}",
                                        "{\"a\":\"}",
                                        "{\"a\\n\":1}",
                                        "{a:1}",
                                        "{\"a\" 1}",
                                        "{\"a\":tru}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(json_scan_object(texts[i], strlen(texts[i]), NULL));
}

static void a_text_that_is_cut_off_anywhere_is_refused(void **state)
{
    (void)state;
    char *text = text_with("\\\"\u00e9");
    for (size_t n = 0; n + 1 < strlen(text); n++)
        assert_null(json_scan_object(text, n, NULL));
    free(text);
}

static void named_members_stay_text(void **state)
{
    (void)state;
    static const char *const names[] = {"b", "c", NULL};
    const char *text = "{\"a\": {\"b\": {\"d\": 1}}, \"b\": {\"x\" :[1, \"}\"]} , \"c\": 7}";
    json_t *object = json_scan_object(text, strlen(text), names);
    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(object, "b")), "{\"x\" :[1, \"}\"]}");
    assert_int_equal(json_integer_value(json_object_get(object, "c")), 7);
    assert_true(json_is_object(json_object_get(json_object_get(object, "a"), "b")));
    json_decref(object);
}

static void naturals_have_at_most_nine_digits_and_no_leading_zero(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int32_t value;
    } cases[] = {{"0", true, 0},   {" 7", true, 7}, {"999999999", true, 999999999},
                 {"00", false, 0}, {"", false, 0},  {"-1", false, 0},
                 {"01", false, 0}, {"x", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        JsonScan scan = {cases[i].text, cases[i].text + strlen(cases[i].text)};
        int32_t value;
        assert_int_equal(json_scan_natural(&scan, &value), cases[i].ok);
        if (cases[i].ok)
            assert_int_equal(value, cases[i].value);
    }
    const char *ten = "1234567890]";
    JsonScan scan = {ten, ten + strlen(ten)};
    int32_t value;
    assert_true(json_scan_natural(&scan, &value));
    assert_false(json_scan_take(&scan, ']')); /* a digit is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_members_are_what_jansson_makes_of_them),
        cmocka_unit_test(what_is_not_plain_is_left_to_jansson),
        cmocka_unit_test(a_text_that_is_cut_off_anywhere_is_refused),
        cmocka_unit_test(named_members_stay_text),
        cmocka_unit_test(naturals_have_at_most_nine_digits_and_no_leading_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
