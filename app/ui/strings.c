#include "ui/strings.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[STRING_COUNT][LANGUAGE_COUNT] = {
#define STRING_WORDS(id, english, chinese) {english, chinese},
    STRINGS(STRING_WORDS)
#undef STRING_WORDS
};

static const char *const codes[LANGUAGE_COUNT] = {"en", "zh"};

const char *ui_text(Language language, StringId id)
{
    FOVEA_CHECK((unsigned)language < LANGUAGE_COUNT && (unsigned)id < STRING_COUNT,
                "string %d in language %d", (int)id, (int)language);
    return words[id][language];
}

const char *language_code(Language language)
{
    FOVEA_CHECK((unsigned)language < LANGUAGE_COUNT, "language %d", (int)language);
    return codes[language];
}

bool language_find(const char *code, Language *language, Error *error)
{
    for (int i = 0; i < LANGUAGE_COUNT; i++)
        if (strcmp(code, codes[i]) == 0) {
            *language = (Language)i;
            return true;
        }
    return error_set(error, ERROR_INPUT, "language \"%s\" is not known; use en or zh", code);
}

Language language_of_environment(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && value[0])
            return strncmp(value, "zh", 2) == 0 ? LANGUAGE_CHINESE : LANGUAGE_ENGLISH;
    }
    return LANGUAGE_ENGLISH;
}
