#include "text/french.h"

#include <string.h>

#include "base/utf8.h"
#include "text/splitter.h"

#define LONGEST_RUN     16 /* of marks: "?!" is two */
#define LEFT_QUOTE      0x00AB
#define RIGHT_QUOTE     0x00BB
#define NO_BREAK        "\xC2\xA0"     /* U+00A0 */
#define NO_BREAK_NARROW "\xE2\x80\xAF" /* U+202F */

static bool is_mark(uint32_t code)
{
    return code == '!' || code == '?' || code == ';' || code == ':' || code == RIGHT_QUOTE;
}

static bool closes(uint32_t code)
{
    return code == ')' || code == ']' || code == '"' || code == '\'' || code == ',' ||
           code == '.' || code == 0x2019 || code == 0x201D || code == 0x2026;
}

uint32_t french_mark_at(const char *text, size_t n, size_t offset)
{
    uint32_t first = 0, code;
    if (offset >= n)
        return 0;
    offset += (size_t)utf8_decode(text + offset, n - offset, &first);
    if (!is_mark(first))
        return 0;
    for (int marks = 1; offset < n && marks < LONGEST_RUN; marks++) {
        offset += (size_t)utf8_decode(text + offset, n - offset, &code);
        if (character_class(code) == CHARACTER_SPACE)
            return first;
        if (is_mark(code))
            continue;
        /* ":)" is a face, "!)" is not. */
        return closes(code) && first != ':' && first != ';' ? first : 0;
    }
    return first;
}

/* What a space may be put behind: not another mark, an opening bracket or a space. */
static bool takes_space(uint32_t code)
{
    return code && code != '(' && code != '[' && code != LEFT_QUOTE && code != 0x201C &&
           character_class(code) != CHARACTER_SPACE && character_class(code) != CHARACTER_CJK;
}

static const char *space_between(uint32_t before, const char *text, size_t n, size_t offset)
{
    uint32_t code;
    if (offset >= n)
        return "";
    utf8_decode(text + offset, n - offset, &code);
    if (before == LEFT_QUOTE)
        return character_class(code) == CHARACTER_SPACE ? "" : NO_BREAK;
    uint32_t mark = french_mark_at(text, n, offset);
    if (!mark || !takes_space(before) || (is_mark(before) && mark != RIGHT_QUOTE))
        return "";
    return mark == ':' || mark == RIGHT_QUOTE ? NO_BREAK : NO_BREAK_NARROW;
}

void french_add_spaces(const char *text, size_t n, size_t *places, size_t n_places, StrBuf *out)
{
    size_t start = out->length;
    size_t place = 0;
    uint32_t before = 0;
    for (size_t offset = 0; offset < n;) {
        strbuf_add(out, space_between(before, text, n, offset));
        size_t bytes = (size_t)utf8_decode(text + offset, n - offset, &before);
        size_t moved = out->length - start - offset;
        for (; place < n_places && places[place] < offset + bytes; place++)
            places[place] += moved;
        strbuf_add_bytes(out, text + offset, bytes);
        offset += bytes;
    }
    for (; place < n_places; place++)
        places[place] += out->length - start - n;
}
