/* import_onmt.c - the tables that OpenNMT-py prints with -attn_debug.
 *
 *                     the      house
 *          das *0.8000000  0.2000000
 *         Haus  0.3000000 *0.7000000
 *         </s>  0.1000000 *0.9000000
 *
 * Source words are cut to the width of their columns; where the log has a line
 * "SENT 1: ['the', 'house']" before the table, the words are whole there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "format/import_formats.h"

/* "word *0.8 0.2": the number of values, or 0 when the line is no row. Appends them. */
static size_t parse_row(Slice line, Slice *word, ImportNumbers *numbers)
{
    Slice value;
    size_t n = 0;
    bool star = false;
    if (!slice_next_word(&line, word))
        return 0;
    while (slice_next_word(&line, &value)) {
        double number;
        size_t skip = 0;
        while (skip < value.n && value.text[skip] == '*')
            skip++;
        star = star || skip > 0;
        if (skip == value.n ||
            number_parse(value.text + skip, value.n - skip, &number) != value.n - skip)
            return 0;
        if (numbers)
            import_numbers_add(numbers, (float)number);
        n++;
    }
    return star ? n : 0;
}

static size_t count_values(Slice line)
{
    Slice word;
    return parse_row(line, &word, NULL);
}

/* The word of the first row may be missing when it was a space. */
static bool begins_table(Slice header, Slice row)
{
    size_t words = slice_count_words(header);
    return header.n > 0 && header.text[0] == ' ' && words > 0 && count_values(header) == 0 &&
           count_values(row) == words;
}

static bool recognise(const char *data, size_t n)
{
    Lines lines = lines_begin(data, n);
    Slice before = {0}, line;
    for (int i = 0; i < 200 && lines_next(&lines, &line); i++) {
        if (begins_table(before, line))
            return true;
        before = line;
    }
    return false;
}

/* Items begin at the header line; `number` is the offset of the SENT line's list, or -1. */
static bool open_tables(ImportSet *set, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    Lines lines = lines_begin(data, n);
    Slice before = {0}, line;
    int64_t sentence = -1;
    bool within = false;
    while (lines_next(&lines, &line)) {
        if (slice_starts_with(line, "SENT ") && memchr(line.text, '[', line.n)) {
            sentence = (const char *)memchr(line.text, '[', line.n) - data;
        } else if (!within && begins_table(before, line)) {
            if (import_too_many(set, error))
                return false;
            ImportItem *item = import_add_item(set, slice_trim(before));
            item->begin = (size_t)(before.text - data);
            item->number = sentence;
            sentence = -1;
            within = true;
        }
        within = within && count_values(line) > 0;
        if (within)
            set->items[set->n - 1].end = lines.at;
        before = line;
    }
    return true;
}

/* "['the', "it's"]": Python's way to write a list of strings. The words, n = -1 when it is
 * none. */
static Words parse_list(Slice text)
{
    Words words = {.n = -1};
    size_t capacity = 0, i = 1, n = 0;
    char **at = NULL;
    while (i < text.n && text.text[i] != ']') {
        char quote = text.text[i];
        if (quote != '\'' && quote != '"') {
            i++;
            continue;
        }
        StrBuf word = {0};
        strbuf_add(&word, "");
        for (i++; i < text.n && text.text[i] != quote; i++) {
            i += text.text[i] == '\\' && i + 1 < text.n;
            strbuf_add_char(&word, text.text[i]);
        }
        i++;
        at = memory_grow(at, &capacity, n + 1, sizeof *at);
        at[n++] = strbuf_take(&word);
    }
    words.at = at;
    words.n = (int32_t)n;
    return words;
}

static Words source_words(const char *data, size_t n, const ImportItem *item, Slice header,
                          TraceBuilder *builder)
{
    Words clipped = words_split(header);
    if (item->number >= 0) {
        const char *list = data + item->number;
        const char *end = memchr(list, '\n', n - (size_t)item->number);
        Words whole =
            parse_list((Slice){list, end ? (size_t)(end - list) : n - (size_t)item->number});
        if (whole.n == clipped.n) {
            words_free(&clipped);
            return whole;
        }
        words_free(&whole);
    }
    for (int32_t i = 0; i < clipped.n; i++) {
        if (strlen(clipped.at[i]) >= 7) {
            trace_add_note(builder, "the table cuts words to the width of its columns");
            break;
        }
    }
    return clipped;
}

static const Trace *build(ImportSet *set, int32_t i, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    const ImportItem *item = &set->items[i];
    Lines lines = {.text = data + item->begin, .n = item->end - item->begin};
    Slice header = {0}, line, word;
    lines_next(&lines, &header);
    TraceBuilder *builder = import_begin_trace(set, i);
    ImportMatrix matrix = {.role = TRACE_WEIGHTS, .cols = (int32_t)slice_count_words(header)};
    ImportNumbers numbers = {0};
    size_t capacity = 0;
    while (lines_next(&lines, &line)) {
        if (parse_row(line, &word, &numbers) != (size_t)matrix.cols) {
            Error fault = {0};
            error_set(&fault, ERROR_FORMAT, "%s: table %d, row %d does not have %d values",
                      import_file_name(set->file), i + 1, matrix.rows + 1, matrix.cols);
            trace_builder_fail(builder, &fault);
            break;
        }
        matrix.target.at = memory_grow(matrix.target.at, &capacity, (size_t)matrix.rows + 1,
                                       sizeof *matrix.target.at);
        matrix.target.at[matrix.rows++] = memory_copy_bytes(word.text, word.n);
        matrix.target.n = matrix.rows;
    }
    matrix.data = numbers.at;
    matrix.source = source_words(data, n, item, header, builder);
    if (set->options.swap && !trace_builder_failed(builder)) {
        Words source = matrix.source;
        import_matrix_turn(&matrix);
        matrix.source = matrix.target;
        matrix.target = source;
        trace_add_note(builder, IMPORT_EXCHANGED);
    }
    matrix.gold = import_tokens_gold(&set->tokens, i);
    return import_finish_matrix(builder, &matrix, error);
}

const ImportFormat IMPORT_ONMT_TABLE = {"OpenNMT-py tables", recognise, open_tables, build, NULL};
