#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "ui/strings.h"

static const char *const ids[] = {
#define STRING_NAME(id, english, chinese) #id,
    STRINGS(STRING_NAME)
#undef STRING_NAME
};

/* The conversions of a format, one after the other: "%s: %5.2f %%" gives "sf%". */
static void conversions(const char *format, char *out, size_t size)
{
    size_t n = 0;
    for (const char *at = strchr(format, '%'); at; at = strchr(at + 1, '%')) {
        at += 1 + strspn(at + 1, "-+ #0123456789.hlzjt");
        assert_true(*at != '\0' && n + 2 < size);
        out[n++] = *at;
    }
    out[n] = '\0';
}

static void no_word_is_missing_in_any_language(void **state)
{
    (void)state;
    for (int id = 0; id < STRING_COUNT; id++)
        for (int language = 0; language < LANGUAGE_COUNT; language++) {
            const char *text = ui_text((Language)language, (StringId)id);
            if (!text[0] || !utf8_is_valid(text, strlen(text)))
                fail_msg("%s is empty or broken in language %d", ids[id], language);
        }
}

static void formats_take_the_same_arguments_in_every_language(void **state)
{
    (void)state;
    for (int id = 0; id < STRING_COUNT; id++) {
        char english[32];
        char chinese[32];
        conversions(ui_text(LANGUAGE_ENGLISH, (StringId)id), english, sizeof english);
        conversions(ui_text(LANGUAGE_CHINESE, (StringId)id), chinese, sizeof chinese);
        if (strcmp(english, chinese) != 0)
            fail_msg("%s: English takes \"%s\", Chinese \"%s\"", ids[id], english, chinese);
    }
}

static void chinese_is_chinese_with_its_own_punctuation(void **state)
{
    (void)state;
    int n_chinese = 0;
    for (int id = 0; id < STRING_COUNT; id++) {
        const char *text = ui_text(LANGUAGE_CHINESE, (StringId)id);
        size_t n = strlen(text);
        bool has_ideograph = false;
        uint32_t before = 0;
        for (size_t i = 0; i < n;) {
            uint32_t code;
            i += (size_t)utf8_decode(text + i, n - i, &code);
            has_ideograph |= utf8_is_cjk(code);
            if (utf8_is_cjk(before) && (code == ',' || code == ';' || code == '?' || code == '!'))
                fail_msg("%s: \"%s\" has a half-width sign", ids[id], text);
            before = code;
        }
        n_chinese += has_ideograph;
    }
    /* All but signs and formats such as "%g×". */
    assert_in_range(n_chinese, STRING_COUNT - 3, STRING_COUNT);
}

static void languages_have_codes(void **state)
{
    (void)state;
    Error error = {0};
    Language language;
    assert_ok(language_find("zh", &language, &error));
    assert_int_equal(language, LANGUAGE_CHINESE);
    assert_ok(language_find(language_code(LANGUAGE_ENGLISH), &language, &error));
    assert_int_equal(language, LANGUAGE_ENGLISH);
    assert_refused(language_find("de", &language, &error), "use en or zh");
}

static void the_environment_chooses_the_language(void **state)
{
    (void)state;
    unsetenv("LC_ALL");
    unsetenv("LC_MESSAGES");
    setenv("LANG", "zh_CN.UTF-8", 1);
    assert_int_equal(language_of_environment(), LANGUAGE_CHINESE);
    setenv("LC_MESSAGES", "en_GB.UTF-8", 1);
    assert_int_equal(language_of_environment(), LANGUAGE_ENGLISH);
    setenv("LC_ALL", "", 1);
    assert_int_equal(language_of_environment(), LANGUAGE_ENGLISH);
    setenv("LC_ALL", "zh", 1);
    assert_int_equal(language_of_environment(), LANGUAGE_CHINESE);
    unsetenv("LC_ALL");
    unsetenv("LC_MESSAGES");
    unsetenv("LANG");
    assert_int_equal(language_of_environment(), LANGUAGE_ENGLISH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_word_is_missing_in_any_language),
        cmocka_unit_test(formats_take_the_same_arguments_in_every_language),
        cmocka_unit_test(chinese_is_chinese_with_its_own_punctuation),
        cmocka_unit_test(languages_have_codes),
        cmocka_unit_test(the_environment_chooses_the_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
