#include "base/spelled.h"

#include <stdio.h>

#include "testing.h"

static void joined(const char *text, const char *expected)
{
    char room[80];
    snprintf(room, sizeof room, "%s", text);
    spelled_join(room);
    assert_string_equal(room, expected);
}

static void bytes_are_read_in_either_case(void **state)
{
    (void)state;
    assert_int_equal(spelled_byte("<0xE2>", 6), 0xE2);
    assert_int_equal(spelled_byte("<0xaF>x", 7), 0xAF);
    assert_int_equal(spelled_byte("<0xE2", 5), -1);
    assert_int_equal(spelled_byte("<0xG2>", 6), -1);
    assert_int_equal(spelled_byte("(0xE2)", 6), -1);
}

static void bytes_that_make_a_character_become_it(void **state)
{
    (void)state;
    joined("a<0xE2><0x82><0xAC>b", "a\u20ACb");
    joined("<0xF0><0x9F><0x98><0x80><0x41>", "\U0001F600A");
    joined("", "");
}

static void what_makes_none_stays_as_it_is(void **state)
{
    (void)state;
    joined("<0xE2><0x82>", "<0xE2><0x82>");
    joined("<0xE2><0x82>x", "<0xE2><0x82>x");
    joined("<0xAC><0xC3><0xA9>", "<0xAC>\u00E9");
    joined("<0xC0><0x80><0xED><0xA0><0x80>", "<0xC0><0x80><0xED><0xA0><0x80>");
    joined("<0x0A><0x00><0xFF>", "<0x0A><0x00><0xFF>");
    joined("<<0x", "<<0x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_read_in_either_case),
        cmocka_unit_test(bytes_that_make_a_character_become_it),
        cmocka_unit_test(what_makes_none_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
