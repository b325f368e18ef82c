#include "testing.h"

#include <float.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"

static void what_is_written_reads_back_to_the_same_bits(void **state)
{
    (void)state;
    Random random = random_seed(11, RANDOM_EXPLORE);
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = random_bits(&random);
        float single, single_back;
        double whole, whole_back, parsed;
        memcpy(&single, &bits, sizeof single);
        memcpy(&whole, &bits, sizeof whole);
        char text[NUMBER_MAX_CHARS];
        int n = number_format_float(single, text);
        assert_int_equal(number_parse(text, (size_t)n, &parsed), n);
        single_back = (float)parsed;
        assert_true(single_back == single || (isnan(single) && isnan(single_back)));
        n = number_format_double(whole, text);
        assert_int_equal(n, strlen(text));
        assert_int_equal(number_parse(text, (size_t)n, &whole_back), n);
        assert_true(whole_back == whole || (isnan(whole) && isnan(whole_back)));
    }
}

static void short_numbers_stay_short(void **state)
{
    (void)state;
    static const struct {
        float value;
        const char *text;
    } CASES[] = {{0.1f, "0.1"},     {1, "1"},         {0, "0"},          {-0.0f, "-0.0"},
                 {-0.25f, "-0.25"}, {1e-7f, "1e-07"}, {INFINITY, "inf"}, {-INFINITY, "-inf"},
                 {NAN, "nan"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[NUMBER_MAX_CHARS];
        number_format_float(CASES[i].value, text);
        assert_string_equal(text, CASES[i].text);
    }
    StrBuf buffer = {0};
    strbuf_add_double(&buffer, 0.1);
    strbuf_add_char(&buffer, ' ');
    strbuf_add_double(&buffer, 0.1 + 0.2);
    strbuf_add_char(&buffer, ' ');
    strbuf_add_float(&buffer, FLT_MAX);
    assert_string_equal(buffer.text, "0.1 0.30000000000000004 3.40282347e+38");
    strbuf_free(&buffer);
}

static void the_longest_number_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        double value;
    } CASES[] = {
        {"12.5,3", 4, 12.5},
        {"-1e3x", 4, -1000},
        {"1e", 1, 1},
        {"1e+", 1, 1},
        {".5", 2, 0.5},
        {"2.", 2, 2},
        {"-.5e-1 ", 6, -0.05},
        {"+3", 2, 3},
        {"0x10", 1, 0},
        {".", 0, 0},
        {"-", 0, 0},
        {"", 0, 0},
        {" 1", 0, 0},
        {"e5", 0, 0},
        {"Infinity", 8, INFINITY},
        {"-inf,", 4, -INFINITY},
        {"1e999", 5, INFINITY},
        {"*0.5", 0, 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double value = 0;
        assert_int_equal(number_parse(CASES[i].text, strlen(CASES[i].text), &value),
                         CASES[i].length);
        if (CASES[i].length)
            assert_true(value == CASES[i].value);
    }
    double value;
    assert_int_equal(number_parse("-NaN", 4, &value), 4);
    assert_true(isnan(value));
    assert_int_equal(number_parse("123", 2, &value), 2); /* never beyond n */
    assert_close(value, 12, 0);
    char longest[514];
    memset(longest, '1', sizeof longest);
    assert_int_equal(number_parse(longest, 512, &value), 512);
    assert_int_equal(number_parse(longest, 513, &value), 0);
}

static void an_index_is_digits_only_and_bounded(void **state)
{
    (void)state;
    int32_t value;
    assert_int_equal(number_parse_index("2147483647-", 11, &value), 10);
    assert_int_equal(value, INT32_MAX);
    assert_int_equal(number_parse_index("2147483648", 10, &value), 0);
    assert_int_equal(number_parse_index("-1", 2, &value), 0);
    assert_int_equal(number_parse_index("", 0, &value), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back_to_the_same_bits),
        cmocka_unit_test(short_numbers_stay_short),
        cmocka_unit_test(the_longest_number_is_taken),
        cmocka_unit_test(an_index_is_digits_only_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
