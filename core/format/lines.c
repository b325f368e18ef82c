#include "format/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

Lines lines_begin(const char *text, size_t n)
{
    size_t skip = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return (Lines){.text = text, .n = n, .at = skip};
}

bool lines_next(Lines *lines, Slice *line)
{
    if (lines->at >= lines->n)
        return false;
    const char *start = lines->text + lines->at;
    size_t left = lines->n - lines->at;
    const char *end = memchr(start, '\n', left);
    size_t length = end ? (size_t)(end - start) : left;
    lines->at += length + (end != NULL);
    lines->number++;
    if (length > 0 && start[length - 1] == '\r')
        length--;
    *line = (Slice){start, length};
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

Slice slice_trim(Slice slice)
{
    while (slice.n > 0 && is_space(slice.text[0])) {
        slice.text++;
        slice.n--;
    }
    while (slice.n > 0 && is_space(slice.text[slice.n - 1]))
        slice.n--;
    return slice;
}

bool slice_is_blank(Slice slice)
{
    return slice_trim(slice).n == 0;
}

bool slice_equals(Slice slice, const char *text)
{
    size_t n = strlen(text);
    return slice.n == n && (n == 0 || memcmp(slice.text, text, n) == 0);
}

bool slice_starts_with(Slice slice, const char *text)
{
    size_t n = strlen(text);
    return slice.n >= n && memcmp(slice.text, text, n) == 0;
}

bool slice_next_word(Slice *rest, Slice *word)
{
    size_t i = 0;
    while (i < rest->n && is_space(rest->text[i]))
        i++;
    size_t start = i;
    while (i < rest->n && !is_space(rest->text[i]))
        i++;
    if (i == start)
        return false;
    *word = (Slice){rest->text + start, i - start};
    *rest = (Slice){rest->text + i, rest->n - i};
    return true;
}

size_t slice_count_words(Slice slice)
{
    Slice word;
    size_t n = 0;
    while (slice_next_word(&slice, &word))
        n++;
    return n;
}

bool slice_next_field(Slice *rest, Slice *field)
{
    if (!rest->text)
        return false;
    Slice scan = *rest, word;
    while (slice_next_word(&scan, &word)) {
        if (!slice_equals(word, "|||"))
            continue;
        *field = slice_trim((Slice){rest->text, (size_t)(word.text - rest->text)});
        *rest = scan;
        return true;
    }
    *field = slice_trim(*rest);
    *rest = (Slice){0};
    return true;
}

Words words_split(Slice slice)
{
    Slice word;
    size_t n = slice_count_words(slice), i = 0;
    Words words = {.at = memory_new(n, sizeof *words.at), .n = (int32_t)n};
    while (slice_next_word(&slice, &word))
        words.at[i++] = memory_copy_bytes(word.text, word.n);
    return words;
}

void words_free(Words *words)
{
    for (int32_t i = 0; i < words->n; i++)
        free(words->at[i]);
    free(words->at);
    *words = (Words){0};
}
