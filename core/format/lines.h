/* lines.h - walking over text that lies in memory, without copying it.
 *
 * A Slice is a part of a text. Lines end with LF or CRLF; a byte order mark in front of the
 * text is skipped. Words are separated by spaces and tabs only: a no-break space belongs to
 * a token. Fields are separated by "|||" standing as a word of its own, and may be empty.
 */
#ifndef FOVEA_FORMAT_LINES_H
#define FOVEA_FORMAT_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Slice {
    const char *text;
    size_t n;
} Slice;

typedef struct Lines {
    const char *text;
    size_t n, at;
    int64_t number; /* of the line that was read last, from 1 */
} Lines;

Lines lines_begin(const char *text, size_t n);
bool lines_next(Lines *lines, Slice *line); /* false at the end */

bool slice_is_blank(Slice slice); /* spaces and tabs at most */
Slice slice_trim(Slice slice);
bool slice_equals(Slice slice, const char *text);
bool slice_starts_with(Slice slice, const char *text);

/* Takes the next word off the front of *rest. */
bool slice_next_word(Slice *rest, Slice *word);
size_t slice_count_words(Slice slice);

/* Takes the next field off the front of *rest (trimmed). The last field leaves rest->text
 * NULL, and then there is no other. */
bool slice_next_field(Slice *rest, Slice *field);

/* Words as strings; free with words_free. */
typedef struct Words {
    char **at;
    int32_t n;
} Words;

Words words_split(Slice slice);
void words_free(Words *words);

#endif
