/* import_blocks.c - the block format of Nematus, Sockeye and OpenNMT.
 *
 *   0 ||| das Haus ||| -1.2 ||| the house ||| 3 3
 *   0.8 0.1 0.1
 *   ...
 *   (a blank line)
 *
 * Nematus writes target x source with the end marks in both, Sockeye "||| 3 ||| 3" and
 * source x target with "</s>" among the target words, OpenNMT "0 0" and no end marks. The
 * counts are unreliable, so the matrix is believed: its shape tells the order where it can,
 * its sums where it cannot. A token may itself be "|||".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "format/import_formats.h"

#define MAX_FIELDS 64

typedef struct Header {
    Slice id, target, score, source;
    bool sockeye;
} Header;

typedef struct Fields {
    Slice at[MAX_FIELDS];
    int32_t n;
} Fields;

static Fields split_fields(Slice line)
{
    Fields fields = {0};
    Slice field;
    while (fields.n < MAX_FIELDS && slice_next_field(&line, &field))
        fields.at[fields.n++] = field;
    return fields;
}

static bool is_number(Slice slice)
{
    double value;
    return slice.n > 0 && number_parse(slice.text, slice.n, &value) == slice.n;
}

/* `n` words, all of them whole numbers. */
static bool is_counts(Slice slice, size_t n)
{
    Slice word;
    int32_t value;
    size_t count = 0;
    while (slice_next_word(&slice, &word)) {
        if (number_parse_index(word.text, word.n, &value) != word.n)
            return false;
        count++;
    }
    return count == n;
}

/* How many fields at the end are counts: 1 (Nematus), 2 (Sockeye), or 0: no header. */
static int32_t n_count_fields(const Fields *fields)
{
    int32_t n = fields->n;
    if (n >= 6 && is_counts(fields->at[n - 1], 1) && is_counts(fields->at[n - 2], 1))
        return 2;
    return n >= 5 && is_counts(fields->at[n - 1], 2) ? 1 : 0;
}

static bool is_header(Slice line)
{
    Fields fields = split_fields(line);
    return n_count_fields(&fields) > 0;
}

static Slice span_of(const Fields *fields, int32_t first, int32_t last)
{
    const char *begin = fields->at[first].text;
    return (Slice){begin, (size_t)(fields->at[last].text + fields->at[last].n - begin)};
}

/* The header when field `score` is the score, everything before it (but for the number) the
 * target and everything behind it the source. */
static Header header_at(const Fields *fields, int32_t score, int32_t n_counts)
{
    return (Header){.id = fields->at[0],
                    .target = span_of(fields, 1, score - 1),
                    .score = fields->at[score],
                    .source = span_of(fields, score + 1, fields->n - n_counts - 1),
                    .sockeye = n_counts == 2};
}

/* How badly so many words fit so many rows or columns; an end mark more is no fault. */
static int32_t misfit(size_t words, int32_t items)
{
    int32_t n = words < INT32_MAX ? (int32_t)words : INT32_MAX;
    return n == items || n + 1 == items ? 0 : 1 + abs(n - items);
}

static int32_t misfit_of(const Header *header, int32_t target_items, int32_t source_items)
{
    return misfit(slice_count_words(header->target), target_items) +
           misfit(slice_count_words(header->source), source_items);
}

/* Where a token is "|||" there are several fields that could be the score: the one whose
 * words fit the matrix. */
static Header read_header(Slice line, int32_t rows, int32_t cols)
{
    Fields fields = split_fields(line);
    int32_t n_counts = n_count_fields(&fields), best = -1;
    Header found = {0};
    for (int32_t score = 2; score < fields.n - n_counts - 1; score++) {
        if (!is_number(fields.at[score]) && fields.n > 4 + n_counts)
            continue;
        Header header = header_at(&fields, score, n_counts);
        int32_t straight = misfit_of(&header, rows, cols), turned = misfit_of(&header, cols, rows);
        int32_t fit = straight < turned ? straight : turned;
        if (best < 0 || fit < best) {
            best = fit;
            found = header;
        }
    }
    return best < 0 ? header_at(&fields, 2, n_counts) : found;
}

/* ---- listing ---- */

static bool recognise(const char *data, size_t n)
{
    Lines lines = lines_begin(data, n);
    Slice line;
    while (lines_next(&lines, &line))
        if (!slice_is_blank(line))
            return is_header(line);
    return false;
}

static bool open_blocks(ImportSet *set, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    Lines lines = lines_begin(data, n);
    Slice line;
    bool within = false;
    size_t begin = lines.at;
    for (; lines_next(&lines, &line); begin = lines.at) {
        bool blank = slice_is_blank(line);
        if (!blank && (!within || memchr(line.text, '|', line.n))) {
            if (!is_header(line))
                return error_set(
                    error, ERROR_FORMAT,
                    "%s: line %lld: a header was expected: number ||| target ||| score "
                    "||| source ||| counts",
                    import_file_name(set->file), (long long)lines.number);
            if (import_too_many(set, error))
                return false;
            Header header = read_header(line, -1, -1);
            ImportItem *item = import_add_pair(set, header.source, header.target);
            item->begin = begin;
            item->number = lines.number; /* of the line, for messages */
        }
        within = !blank;
        if (set->n > 0)
            set->items[set->n - 1].end = lines.at;
    }
    return true;
}

/* ---- one block ---- */

static bool read_rows(const ImportSet *set, const ImportItem *item, Lines *lines,
                      ImportNumbers *numbers, ImportMatrix *matrix, Error *error)
{
    Slice line;
    while (lines_next(lines, &line) && !slice_is_blank(line)) {
        size_t before = numbers->n;
        long long at = (long long)(item->number + lines->number - 1);
        if (!import_numbers_parse(numbers, line))
            return error_set(error, ERROR_FORMAT, "%s: line %lld: a row of numbers was expected",
                             import_file_name(set->file), at);
        int64_t n = (int64_t)(numbers->n - before);
        if (n > TRACE_MAX_LEN || (matrix->rows > 0 && n != matrix->cols))
            return error_set(error, ERROR_FORMAT, "%s: line %lld: a row of %lld numbers; %d before",
                             import_file_name(set->file), at, (long long)n, matrix->cols);
        matrix->cols = (int32_t)n;
        matrix->rows++;
    }
    return true;
}

static bool sums_to_one(const float *data, int32_t n, int64_t stride)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += (double)data[i * stride];
    return fabs(sum - 1) < 0.02;
}

/* Rows that sum to one minus columns that do. */
static int32_t row_evidence(const ImportMatrix *matrix)
{
    int32_t rows = 0, cols = 0;
    for (int32_t i = 0; i < matrix->rows; i++)
        rows += sums_to_one(matrix->data + (size_t)i * (size_t)matrix->cols, matrix->cols, 1);
    for (int32_t j = 0; j < matrix->cols; j++)
        cols += sums_to_one(matrix->data + j, matrix->rows, matrix->cols);
    return rows - cols;
}

/* Whether the rows are the source's words. */
static bool is_source_first(const ImportMatrix *matrix, const Header *header)
{
    int32_t straight = misfit_of(header, matrix->rows, matrix->cols);
    int32_t turned = misfit_of(header, matrix->cols, matrix->rows);
    if (straight != turned)
        return turned < straight;
    int32_t evidence = row_evidence(matrix);
    return evidence != 0 ? evidence < 0 : header->sockeye;
}

static const Trace *build(ImportSet *set, int32_t i, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    const ImportItem *item = &set->items[i];
    Lines lines = lines_begin(data + item->begin, item->end - item->begin);
    lines.at = 0; /* a byte order mark stands in front of the whole file only */
    Slice line = {0};
    ImportMatrix matrix = {.role = TRACE_WEIGHTS};
    ImportNumbers numbers = {0};
    lines_next(&lines, &line);
    if (!read_rows(set, item, &lines, &numbers, &matrix, error)) {
        free(numbers.at);
        return NULL;
    }
    matrix.data = numbers.at;
    Header header = read_header(line, matrix.rows, matrix.cols);
    TraceBuilder *builder = import_begin_trace(set, i);
    double score;
    if (is_number(header.score) &&
        number_parse(header.score.text, header.score.n, &score) == header.score.n)
        trace_set_score(builder, score);
    trace_set_attribute(builder, "id", "%.*s", header.id.n < 60 ? (int)header.id.n : 60,
                        header.id.text);
    if (matrix.rows > 0 && is_source_first(&matrix, &header) != set->options.swap) {
        import_matrix_turn(&matrix);
        if (!set->options.swap)
            trace_add_note(builder, "the file has the source's words as rows; turned round");
    }
    if (set->options.swap)
        trace_add_note(builder, IMPORT_EXCHANGED);
    matrix.target = words_split(header.target);
    matrix.source = words_split(header.source);
    matrix.gold = import_tokens_gold(&set->tokens, i);
    return import_finish_matrix(builder, &matrix, error);
}

const ImportFormat IMPORT_BLOCKS = {"blocks of Nematus, Sockeye or OpenNMT", recognise, open_blocks,
                                    build, NULL};
