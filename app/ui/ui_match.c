/* Finding something by a few letters of its name. */
#include <string.h>

#include "base/utf8.h"
#include "ui/ui_internal.h"

enum { MATCH_NONE, MATCH_SCATTERED, MATCH_INSIDE, MATCH_WORD, MATCH_START };

/* The next letter in lower case, or 0 at the end. */
static uint32_t next_code(const char **at)
{
    uint32_t code;
    size_t n = strlen(*at);
    if (n == 0)
        return 0;
    *at += utf8_decode(*at, n, &code);
    return utf8_lower(code);
}

static bool starts_with(const char *text, const char *query)
{
    for (;;) {
        uint32_t wanted = next_code(&query);
        if (wanted == 0)
            return true;
        if (next_code(&text) != wanted)
            return false;
    }
}

static bool is_scattered(const char *text, const char *query)
{
    uint32_t wanted = next_code(&query);
    while (wanted != 0) {
        uint32_t code = next_code(&text);
        if (code == 0)
            return false;
        if (code == wanted)
            wanted = next_code(&query);
    }
    return true;
}

int ui_match(const char *text, const char *query)
{
    int best = MATCH_NONE;
    uint32_t before = ' ';
    const char *start = text;
    for (const char *at = text; *at;) {
        if (starts_with(at, query)) {
            bool word = utf8_is_space(before) || utf8_is_punctuation(before);
            int found = at == start ? MATCH_START : word ? MATCH_WORD : MATCH_INSIDE;
            best = found > best ? found : best;
        }
        before = next_code(&at);
    }
    if (best == MATCH_NONE && is_scattered(text, query))
        best = MATCH_SCATTERED;
    return best;
}
