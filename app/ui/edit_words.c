/* Boundaries of characters, words and lines. */
#include <string.h>

#include "base/utf8.h"
#include "ui/edit_internal.h"

size_t edit_line_start(const char *text, size_t offset)
{
    while (offset > 0 && text[offset - 1] != '\n')
        offset--;
    return offset;
}

size_t edit_line_end(const char *text, size_t n, size_t offset)
{
    const char *newline = offset < n ? memchr(text + offset, '\n', n - offset) : NULL;
    return newline ? (size_t)(newline - text) : n;
}

size_t edit_boundary_at_or_before(const char *text, size_t n, size_t offset)
{
    if (offset >= n)
        return n;
    size_t at = edit_line_start(text, offset);
    for (size_t next; (next = utf8_next_grapheme(text, n, at)) <= offset;)
        at = next;
    return at;
}

size_t edit_boundary_before(const char *text, size_t n, size_t offset)
{
    return offset == 0 ? 0 : edit_boundary_at_or_before(text, n, offset - 1);
}

size_t edit_boundary_at_or_after(const char *text, size_t n, size_t offset)
{
    size_t at = edit_boundary_at_or_before(text, n, offset);
    return at == offset ? at : utf8_next_grapheme(text, n, at);
}

typedef enum { WORD_NEWLINE, WORD_SPACE, WORD_LETTERS, WORD_IDEOGRAPHS, WORD_SIGNS } WordClass;

static WordClass class_at(const char *text, size_t n, size_t offset)
{
    uint32_t code;
    utf8_decode(text + offset, n - offset, &code);
    if (code == '\n')
        return WORD_NEWLINE;
    if (utf8_is_space(code))
        return WORD_SPACE;
    if (utf8_is_cjk(code))
        return WORD_IDEOGRAPHS;
    return utf8_is_letter(code) || utf8_is_digit(code) || code == '_' ? WORD_LETTERS : WORD_SIGNS;
}

static bool is_apostrophe(const char *text, size_t n, size_t offset)
{
    uint32_t code;
    utf8_decode(text + offset, n - offset, &code);
    return code == '\'' || code == 0x2019;
}

/* From the start of a word to its end: characters of one class, and apostrophes between
 * letters. A newline is a word of its own. */
static size_t word_end(const char *text, size_t n, size_t start)
{
    WordClass class = class_at(text, n, start);
    size_t at = utf8_next_grapheme(text, n, start);
    while (class != WORD_NEWLINE && at < n) {
        size_t next = utf8_next_grapheme(text, n, at);
        bool joins = class == WORD_LETTERS && is_apostrophe(text, n, at) && next < n &&
                     class_at(text, n, next) == WORD_LETTERS;
        if (!joins && class_at(text, n, at) != class)
            break;
        at = next;
    }
    return at;
}

static bool is_blank(WordClass class)
{
    return class == WORD_SPACE || class == WORD_NEWLINE;
}

/* The start of the last word before offset in its line, or `none`. */
static size_t last_word_before(const char *text, size_t n, size_t line, size_t offset, size_t none)
{
    size_t found = none;
    for (size_t at = line; at < offset;) {
        if (!is_blank(class_at(text, n, at)))
            found = at;
        at = word_end(text, n, at);
    }
    return found;
}

size_t edit_word_start_before(const char *text, size_t n, size_t offset)
{
    while (offset > 0) {
        size_t line = edit_line_start(text, offset);
        size_t found = last_word_before(text, n, line, offset, n);
        if (found != n)
            return found;
        if (line == 0)
            break;
        offset = line - 1;
    }
    return 0;
}

size_t edit_word_end_after(const char *text, size_t n, size_t offset)
{
    while (offset < n && is_blank(class_at(text, n, offset)))
        offset = utf8_next_grapheme(text, n, offset);
    return offset < n ? word_end(text, n, offset) : n;
}

EditRange edit_word_around(const char *text, size_t n, size_t offset)
{
    size_t line = edit_line_start(text, offset);
    size_t line_end = edit_line_end(text, n, offset);
    EditRange word = {line, line};
    /* A click behind the last word of a line means that word. */
    while (word.end < line_end && word.end <= offset) {
        word.start = word.end;
        word.end = word_end(text, n, word.start);
    }
    return word;
}
