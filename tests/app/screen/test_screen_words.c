/* The words beside options: everything that a table of settings says is said in Chinese, too. */
#include "testing.h"

#include <string.h>

#include "figure/figure.h"
#include "screen/screen_words.h"
#include "views/view.h"

static bool has_chinese(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p >= 0xE3 && *p <= 0xE9)
            return true;
    return false;
}

/* Settings that no control shows have no name, but help texts are for the command line, too. */
static void check(const char *of, const Setting *table)
{
    for (const Setting *s = table; s->name; s++) {
        if (s->type != SETTING_TEXT && !has_chinese(screen_word(LANGUAGE_CHINESE, s->name)) &&
            strcmp(s->name, "columns") != 0 && strcmp(s->name, "language") != 0)
            fail_msg("%s: the name of \"%s\" is not translated", of, s->name);
        if (s->help && !has_chinese(screen_word(LANGUAGE_CHINESE, s->help)))
            fail_msg("%s: \"%s\" is not translated", of, s->help);
        if (s->help)
            assert_string_equal(screen_word(LANGUAGE_ENGLISH, s->help), s->help);
    }
}

static void every_option_is_named_and_explained_in_chinese(void **state)
{
    (void)state;
    for (int i = 0; view_at(i); i++) {
        check(view_at(i)->name, view_at(i)->options);
        assert_true(has_chinese(screen_word(LANGUAGE_CHINESE, view_at(i)->name)));
    }
    check("figure", figure_settings);
}

static void a_word_that_is_not_listed_is_shown_as_it_is(void **state)
{
    (void)state;
    assert_string_equal(screen_word(LANGUAGE_CHINESE, "no.such.word"), "no.such.word");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_named_and_explained_in_chinese),
        cmocka_unit_test(a_word_that_is_not_listed_is_shown_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
