#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "text/french.h"

#define NB  "\u00a0"
#define NNB "\u202f"

static void spaces_are_put_where_french_wants_them(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"Quoi?", "Quoi" NNB "?"},
        {"Quoi?!", "Quoi" NNB "?!"},
        {"Vite!!!", "Vite" NNB "!!!"},
        {"oui; non", "oui" NNB "; non"},
        {"voici: tout", "voici" NB ": tout"},
        {"voici:", "voici" NB ":"},
        {"\u00aboui\u00bb", "\u00ab" NB "oui" NB "\u00bb"},
        {"\u00abQuoi?\u00bb, dit-il", "\u00ab" NB "Quoi" NNB "?" NB "\u00bb, dit-il"},
        {"(quoi?)", "(quoi" NNB "?)"},
        {"\"quoi?\"", "\"quoi" NNB "?\""},
        {"Ah...?", "Ah..." NNB "?"},
        {"(!)", "(!)"},
        {"!", "!"},
        {"10:30", "10:30"},
        {"http://x", "http://x"},
        {"a != b", "a != b"},
        {"bien :-) ou :)", "bien :-) ou :)"},
        {"deja ?", "deja ?"},
        {"deja" NB "?", "deja" NB "?"},
        {"\u662f\uff1f", "\u662f\uff1f"},
        {"\u662f?", "\u662f?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        StrBuf out = {0};
        strbuf_add(&out, "");
        french_add_spaces(cases[i][0], strlen(cases[i][0]), NULL, 0, &out);
        assert_string_equal(out.text, cases[i][1]);
        /* Nothing is added where the spaces are right. */
        StrBuf again = {0};
        strbuf_add(&again, "");
        french_add_spaces(out.text, out.length, NULL, 0, &again);
        assert_string_equal(again.text, out.text);
        strbuf_free(&out);
        strbuf_free(&again);
    }
}

static void places_follow_their_characters(void **state)
{
    (void)state;
    StrBuf out = {0};
    const char *text = "\u00aboui?\u00bb x";
    size_t places[] = {0, 2, 5, 6, 9, 10};
    strbuf_add(&out, "before");
    french_add_spaces(text, strlen(text), places, 6, &out);
    static const char *const starts[] = {"\u00ab", "oui", "?", "\u00bb", "x", ""};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(strncmp(out.text + 6 + places[i], starts[i], strlen(starts[i])), 0);
    assert_int_equal(places[5] + 6, out.length);
    strbuf_free(&out);
}

static void a_mark_counts_only_where_it_ends_something(void **state)
{
    (void)state;
    assert_int_equal(french_mark_at("?", 1, 0), '?');
    assert_int_equal(french_mark_at("a? b", 4, 1), '?');
    assert_int_equal(french_mark_at("a?b", 3, 1), 0);
    assert_int_equal(french_mark_at("a?", 2, 0), 0);
    assert_int_equal(french_mark_at("a?", 2, 2), 0);
    assert_int_equal(french_mark_at("?\xFF", 2, 0), 0);
}

static void a_long_run_of_marks_takes_linear_time(void **state)
{
    (void)state;
    size_t n = 400000;
    char *text = malloc(n);
    assert_non_null(text);
    for (size_t i = 0; i < n; i += 2)
        memcpy(text + i, "\u00bb", 2);
    StrBuf out = {0};
    french_add_spaces(text, n, NULL, 0, &out);
    assert_true(out.length >= n);
    strbuf_free(&out);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_are_put_where_french_wants_them),
        cmocka_unit_test(places_follow_their_characters),
        cmocka_unit_test(a_mark_counts_only_where_it_ends_something),
        cmocka_unit_test(a_long_run_of_marks_takes_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
