#include "testing.h"

#include <string.h>

#include "base/utf8.h"

static void bad_sequences_decode_one_byte_at_a_time(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80",         "\xC0\x80",         "\xC1\xBF",         "\xE0\x80\x80",
        "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\xFF",         "\xE2\x82",         "\xF0\x9F\x98",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint32_t code = 0;
        assert_int_equal(utf8_decode(bad[i], strlen(bad[i]), &code), 1);
        assert_int_equal(code, UTF8_REPLACEMENT);
        assert_false(utf8_is_valid(bad[i], strlen(bad[i])));
    }
}

static void every_scalar_value_survives_encode_and_decode(void **state)
{
    (void)state;
    for (uint32_t code = 1; code <= 0x10FFFF; code++) {
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        char bytes[4];
        uint32_t back = 0;
        int n = utf8_encode(code, bytes);
        assert_int_equal(utf8_decode(bytes, (size_t)n, &back), n);
        assert_int_equal(back, code);
    }
}

static void cleaning_never_splits_a_character(void **state)
{
    (void)state;
    const char *text = "a\x01"
                       "é漢\xFF🍏";
    char out[32];
    for (size_t size = 1; size <= sizeof out; size++) {
        size_t n = utf8_clean(text, strlen(text), out, size);
        assert_true(n < size);
        assert_true(utf8_is_valid(out, n));
    }
    assert_string_equal(out, "a é漢\xEF\xBF\xBD🍏");
}

static void the_cursor_moves_over_whole_graphemes(void **state)
{
    (void)state;
    /* e + combining acute, a flag of two regional indicators, a family joined by ZWJ */
    const char *text = "e\xCC\x81🇫🇷👨‍👩‍👧x";
    size_t n = strlen(text);
    size_t stops[5] = {0};
    size_t count = 0;
    for (size_t i = 0; i < n && count < 5; i = utf8_next_grapheme(text, n, i))
        stops[count++] = i;
    assert_int_equal(count, 4);
    size_t back = n;
    for (size_t i = count; i-- > 0;) {
        back = utf8_previous_grapheme(text, n, back);
        assert_int_equal(back, stops[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_sequences_decode_one_byte_at_a_time),
        cmocka_unit_test(every_scalar_value_survives_encode_and_decode),
        cmocka_unit_test(cleaning_never_splits_a_character),
        cmocka_unit_test(the_cursor_moves_over_whole_graphemes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
