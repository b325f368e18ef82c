/* text_lines.h - a text broken to lines: between the offsets of an Edit and places on the
 * screen.
 *
 * Each line is laid out by itself (fonts.h), in its own direction: a line that reads from
 * right to left stands at the right. A newline belongs to the line that it ends but is not
 * drawn; spaces at a soft break hang over.
 *
 * Invariants: there is at least one line; the lines cover the text in order without a gap.
 * Memory: kept; an update with the same text, style and width does and allocates nothing.
 */
#ifndef FOVEA_UI_TEXT_LINES_H
#define FOVEA_UI_TEXT_LINES_H
#include "base/strbuf.h"
#include "canvas/fonts.h"

typedef struct TextLine {
    size_t start, end; /* bytes of the text: what is drawn                      */
    size_t next;       /* where the next line starts: behind a newline, or end  */
    size_t copy;       /* of the line, terminated, in TextLines.copy            */
    float left;        /* pixels: where the line begins                         */
    bool right_to_left;
} TextLine;

typedef struct TextLines {
    TextLine *lines; /* [n_lines] */
    size_t n_lines;
    size_t capacity;
    StrBuf text; /* what was broken */
    StrBuf copy; /* all lines, each with a zero behind it */
    TextStyle style;
    float width;
    float widest; /* pixels, of the lines */
} TextLines;

/* Breaks text[0..n) to lines of `width` pixels; width 0: only at newlines, aligned to the
 * left. `lines` is zero-initialised at first and freed with text_lines_free. */
void text_lines_update(TextLines *lines, Fonts *fonts, const char *text, size_t n,
                       const TextStyle *style, float width);
void text_lines_free(TextLines *lines);

const char *text_lines_text(const TextLines *lines, size_t line); /* terminated, borrowed */

/* The line of a caret; at_line_end: at a soft break it stands on the line before. */
size_t text_lines_find(const TextLines *lines, size_t offset, bool at_line_end);

/* Pixels from the left of the text's area. */
float text_lines_caret_x(const TextLines *lines, Fonts *fonts, size_t line, size_t offset);

/* The offset nearest to x; *at_line_end when it is that of the next line. */
size_t text_lines_offset_at(const TextLines *lines, Fonts *fonts, size_t line, float x,
                            bool *at_line_end);

/* What bytes [start, end) cover in a line; see fonts_spans. */
int text_lines_spans(const TextLines *lines, Fonts *fonts, size_t line, size_t start, size_t end,
                     TextSpan *spans, int max);

#endif
