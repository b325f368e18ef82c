#include "format/import_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "trace/grid.h"

static bool get_cells(ImportMatrix *matrix, int64_t rows, int64_t cols, Error *error)
{
    if (rows > TRACE_MAX_LEN || cols > TRACE_MAX_LEN || rows * cols > GRID_MAX_CELLS)
        return error_set(error, ERROR_LIMIT, "an alignment of %lld x %lld cells", (long long)rows,
                         (long long)cols);
    matrix->rows = (int32_t)rows;
    matrix->cols = (int32_t)cols;
    matrix->data = memory_try_new((size_t)(rows * cols), sizeof *matrix->data);
    return matrix->data ||
           error_set(error, ERROR_MEMORY, "no memory for an alignment of %lld x %lld cells",
                     (long long)rows, (long long)cols);
}

bool import_text_links(TraceBuilder *builder, const AlignLinks *links, ImportMatrix *matrix,
                       Error *error)
{
    int32_t rows = matrix->target.n > 0 ? matrix->target.n : 0;
    int32_t cols = matrix->source.n > 0 ? matrix->source.n : 0;
    int32_t n_outside = 0;
    for (size_t i = 0; i < links->n; i++) {
        n_outside += (matrix->target.n >= 0 && links->at[i].target >= matrix->target.n) ||
                     (matrix->source.n >= 0 && links->at[i].source >= matrix->source.n);
        rows = links->at[i].target >= rows ? links->at[i].target + 1 : rows;
        cols = links->at[i].source >= cols ? links->at[i].source + 1 : cols;
    }
    if (n_outside > 0)
        trace_add_note(builder,
                       "%d links point beyond the sentence: is this the right sentence, and "
                       "does the file count from 0 or from 1?",
                       n_outside);
    matrix->role = TRACE_PROBABILITIES;
    if (!get_cells(matrix, rows, cols, error))
        return false;
    for (size_t i = 0; i < links->n; i++) {
        float *cell =
            matrix->data + (size_t)links->at[i].target * (size_t)cols + links->at[i].source;
        float value = links->at[i].possible ? 0.5f : 1;
        *cell = *cell > value ? *cell : value;
    }
    return true;
}

static bool read_links(TraceBuilder *builder, Slice text, const LinksOptions *options,
                       ImportMatrix *matrix, Error *error)
{
    AlignLinks links = {0};
    Slice word;
    bool ok = true;
    int32_t base = options->base == LINKS_BASE_ONE;
    while (ok && slice_next_word(&text, &word)) {
        AlignLink link;
        if (links_parse_one(word.text, word.n, &link) != word.n || link.source < base ||
            link.target < base || link.source > LINKS_MAX_POSITION ||
            link.target > LINKS_MAX_POSITION)
            ok = error_set(error, ERROR_FORMAT, "\"%.*s\" is no link like 0-0",
                           word.n < 40 ? (int)word.n : 40, word.text);
        else if (options->swap)
            align_links_add(&links,
                            (AlignLink){link.target - base, link.source - base, link.possible});
        else
            align_links_add(&links,
                            (AlignLink){link.source - base, link.target - base, link.possible});
    }
    ok = ok && import_text_links(builder, &links, matrix, error);
    align_links_free(&links);
    return ok;
}

/* Rows of any lengths: the longest counts, the others are filled with zeros. */
static bool read_lists(Slice text, ImportMatrix *matrix, Error *error)
{
    ImportNumbers numbers = {0};
    Slice rest = text, word;
    size_t rows = 0, cols = 0;
    bool ok = true;
    while (ok && slice_next_word(&rest, &word)) {
        size_t before = numbers.n;
        if (!import_numbers_parse(&numbers, word))
            ok = error_set(error, ERROR_FORMAT, "\"%.*s\" is no list of numbers",
                           word.n < 40 ? (int)word.n : 40, word.text);
        cols = numbers.n - before > cols ? numbers.n - before : cols;
        rows++;
    }
    ok = ok && get_cells(matrix, (int64_t)rows, (int64_t)cols, error);
    numbers.n = 0;
    for (size_t i = 0; ok && slice_next_word(&text, &word); i++) {
        size_t before = numbers.n;
        ok = import_numbers_parse(&numbers, word);
        if (numbers.n > before) /* "," is a row of none */
            memcpy(matrix->data + i * cols, numbers.at + before,
                   (numbers.n - before) * sizeof *matrix->data);
    }
    matrix->role = TRACE_WEIGHTS;
    free(numbers.at);
    return ok;
}

/* "0 2 2": every row's largest source position. */
static bool read_largest(TraceBuilder *builder, Slice text, ImportMatrix *matrix, Error *error)
{
    Slice rest = text, word;
    int32_t rows = 0, value = 0, cols = matrix->source.n > 0 ? matrix->source.n + 1 : 0;
    while (slice_next_word(&rest, &word)) {
        if (number_parse_index(word.text, word.n, &value) != word.n || value > LINKS_MAX_POSITION)
            return error_set(error, ERROR_FORMAT, "\"%.*s\" is no source position",
                             word.n < 40 ? (int)word.n : 40, word.text);
        cols = value >= cols ? value + 1 : cols;
        rows++;
    }
    if (!get_cells(matrix, rows, cols, error))
        return false;
    for (int32_t i = 0; slice_next_word(&text, &word); i++) {
        number_parse_index(word.text, word.n, &value);
        matrix->data[(size_t)i * (size_t)cols + (size_t)value] = 1;
    }
    matrix->role = TRACE_WEIGHTS;
    trace_add_note(builder, "only the largest weight of every row is in the file");
    return true;
}

bool import_text_alignment(TraceBuilder *builder, Slice text, const LinksOptions *options,
                           ImportMatrix *matrix, Error *error)
{
    Slice rest = text, first;
    AlignLink link;
    int32_t position;
    if (!slice_next_word(&rest, &first) || links_parse_one(first.text, first.n, &link) == first.n)
        return read_links(builder, text, options, matrix, error);
    bool ok = number_parse_index(first.text, first.n, &position) == first.n
                  ? read_largest(builder, text, matrix, error)
                  : read_lists(text, matrix, error);
    if (ok && options->swap)
        import_matrix_turn(matrix);
    return ok;
}
