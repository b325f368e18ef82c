#include "ui/text_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_current(const TextLines *lines, const char *text, size_t n, const TextStyle *style,
                       float width)
{
    const TextStyle *old = &lines->style;
    return lines->n_lines > 0 && lines->width == width && old->face == style->face &&
           old->size == style->size && old->bold == style->bold && old->italic == style->italic &&
           lines->text.length == n && memcmp(lines->text.text, text, n) == 0;
}

/* Where the line that starts at `at` ends, behind its newline. */
static size_t line_next(const TextLines *lines, Fonts *fonts, size_t at)
{
    const char *text = lines->text.text;
    size_t n = lines->text.length;
    if (lines->width > 0)
        return at + fonts_break_line(fonts, text + at, n - at, &lines->style, lines->width);
    const char *newline = memchr(text + at, '\n', n - at);
    return newline ? (size_t)(newline - text) + 1 : n;
}

static void add_line(TextLines *lines, Fonts *fonts, size_t start, size_t next)
{
    const char *text = lines->text.text;
    TextLine line = {.start = start, .end = next, .next = next, .copy = lines->copy.length};
    if (next > start && text[next - 1] == '\n')
        line.end--;
    strbuf_add_bytes(&lines->copy, text + start, line.end - start);
    strbuf_add_char(&lines->copy, '\0');
    const TextLayout *layout = fonts_layout(fonts, lines->copy.text + line.copy, &lines->style);
    float width = layout->width * lines->style.size;
    line.right_to_left = layout->right_to_left;
    if (line.right_to_left && lines->width > 0)
        line.left = lines->width - width;
    lines->widest = fmaxf(lines->widest, width);
    lines->lines =
        memory_grow(lines->lines, &lines->capacity, lines->n_lines + 1, sizeof *lines->lines);
    lines->lines[lines->n_lines++] = line;
}

void text_lines_update(TextLines *lines, Fonts *fonts, const char *text, size_t n,
                       const TextStyle *style, float width)
{
    if (is_current(lines, text, n, style, width))
        return;
    strbuf_clear(&lines->text);
    strbuf_add_bytes(&lines->text, text, n);
    strbuf_clear(&lines->copy);
    lines->style = *style;
    lines->style.max_width = 0;
    lines->width = width;
    lines->widest = 0;
    lines->n_lines = 0;
    size_t at = 0;
    while (at < n) {
        size_t next = line_next(lines, fonts, at);
        add_line(lines, fonts, at, next);
        at = next;
    }
    /* The line behind a last newline, or that of an empty text. */
    if (n == 0 || text[n - 1] == '\n')
        add_line(lines, fonts, n, n);
}

void text_lines_free(TextLines *lines)
{
    free(lines->lines);
    strbuf_free(&lines->text);
    strbuf_free(&lines->copy);
    *lines = (TextLines){0};
}

const char *text_lines_text(const TextLines *lines, size_t line)
{
    return lines->copy.text + lines->lines[line].copy;
}

size_t text_lines_find(const TextLines *lines, size_t offset, bool at_line_end)
{
    size_t low = 0;
    size_t high = lines->n_lines - 1;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (lines->lines[middle].start <= offset)
            low = middle;
        else
            high = middle - 1;
    }
    bool soft = low > 0 && lines->lines[low].start == offset && lines->lines[low - 1].end == offset;
    return soft && at_line_end ? low - 1 : low;
}

float text_lines_caret_x(const TextLines *lines, Fonts *fonts, size_t line, size_t offset)
{
    const TextLine *at = &lines->lines[line];
    size_t inside = offset > at->start ? offset - at->start : 0;
    return at->left + fonts_caret_x(fonts, text_lines_text(lines, line), &lines->style, inside);
}

size_t text_lines_offset_at(const TextLines *lines, Fonts *fonts, size_t line, float x,
                            bool *at_line_end)
{
    const TextLine *at = &lines->lines[line];
    size_t offset = at->start + fonts_offset_at(fonts, text_lines_text(lines, line), &lines->style,
                                                x - at->left);
    *at_line_end = offset == at->end && at->end == at->next && line + 1 < lines->n_lines;
    return offset;
}

int text_lines_spans(const TextLines *lines, Fonts *fonts, size_t line, size_t start, size_t end,
                     TextSpan *spans, int max)
{
    const TextLine *at = &lines->lines[line];
    if (end <= at->start || start >= at->next)
        return 0;
    size_t from = start > at->start ? start - at->start : 0;
    size_t to = end < at->end ? end - at->start : at->end - at->start;
    int n = fonts_spans(fonts, text_lines_text(lines, line), &lines->style, from, to, spans, max);
    for (int i = 0; i < n; i++)
        spans[i].x += at->left;
    return n;
}
