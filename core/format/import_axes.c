/* import_axes.c - how tokens meet the rows and columns of a matrix. Declared in import_set.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "format/import_set.h"
#include "format/pieces.h"

/* ---- fitting ---- */

typedef enum {
    FIT_EXACT,
    FIT_CUT,  /* more items than tokens, but those are all zero: padding                */
    FIT_END,  /* one item more: the end of the sentence                                 */
    FIT_BOTH, /* two items more: marks at both ends                                     */
    FIT_DROP, /* one token more, and it is an end mark that attention does not have     */
    FIT_NONE,
} FitKind;

typedef struct Fit {
    FitKind kind;
    int32_t n; /* items that stay */
} Fit;

static Fit fit_tokens(const Words *words, int32_t n, int32_t used)
{
    int32_t have = words->n;
    if (have == n)
        return (Fit){FIT_EXACT, n};
    for (int32_t more = 0; more <= 2; more++)
        if (have + more <= n && used <= have + more)
            return (Fit){more == 0 ? FIT_CUT : more == 1 ? FIT_END : FIT_BOTH, have + more};
    bool end_mark = have == n + 1 && pieces_special_flags(words->at[have - 1]);
    return (Fit){end_mark ? FIT_DROP : FIT_NONE, n};
}

static void note_fit(TraceBuilder *builder, const ImportAxis *axis, Fit fit)
{
    int32_t have = axis->words->n;
    switch (fit.kind) {
    case FIT_CUT:
    case FIT_END:
    case FIT_BOTH:
        if (fit.kind != FIT_CUT)
            trace_add_note(builder, "%s: %d tokens for %d %s; taken as the sentence and %s",
                           axis->name, have, fit.n, axis->items,
                           fit.kind == FIT_END ? "its end mark" : "a mark at either end");
        if (fit.n < axis->n)
            trace_add_note(builder, "%s: %d %s of zeros behind the sentence were taken as padding",
                           axis->name, axis->n - fit.n, axis->items);
        break;
    case FIT_DROP:
        trace_add_note(builder, "%s: %d tokens for %d %s; the end mark has none", axis->name, have,
                       fit.n, axis->items);
        break;
    case FIT_NONE:
        trace_add_note(builder,
                       "%s: %d tokens do not fit %d %s, so these are numbered. Are the tokens of "
                       "another sentence, or counted in words where the model has pieces?",
                       axis->name, have, axis->n, axis->items);
        break;
    default: break;
    }
}

static void add_marks(Pieces *pieces, FitKind kind)
{
    bool brackets = pieces->style == PIECES_WORDPIECE;
    if (kind == FIT_BOTH)
        pieces_prepend_special(pieces, brackets ? "[CLS]" : "<s>", TRACE_TOKEN_SPECIAL);
    if (kind == FIT_BOTH || kind == FIT_END)
        pieces_append_special(pieces, brackets ? "[SEP]" : "</s>", TRACE_TOKEN_SPECIAL);
}

int32_t import_add_axis(TraceBuilder *builder, const ImportAxis *axis, int32_t *n)
{
    TraceAxis made = {.name = axis->name, .kind = TRACE_AXIS_TOKEN, .len = axis->n};
    *n = axis->n;
    if (axis->words->n < 0)
        return trace_add_axis(builder, &made);
    Fit fit = fit_tokens(axis->words, axis->n, axis->used);
    note_fit(builder, axis, fit);
    if (fit.kind == FIT_NONE)
        return trace_add_axis(builder, &made);
    Pieces pieces;
    int32_t n_words = fit.kind == FIT_DROP ? fit.n : axis->words->n;
    pieces_init(&pieces, (const char *const *)axis->words->at, n_words);
    add_marks(&pieces, fit.kind);
    *n = made.len = fit.n;
    made.labels = (const char *const *)pieces.labels;
    made.flags = pieces.flags;
    made.text = axis->text;
    made.spans = pieces.spans;
    trace_set_text(builder, axis->text, pieces.text);
    if (pieces.style != PIECES_WORDS)
        trace_add_note(builder, "%s: pieces of %s, marks taken off", axis->name,
                       pieces_style_name(pieces.style));
    int32_t index = trace_add_axis(builder, &made);
    pieces_deinit(&pieces);
    return index;
}

/* ---- gold links ---- */

void import_add_gold(TraceBuilder *builder, const AlignLinks *gold, const int32_t axes[2],
                     const int32_t lengths[2])
{
    if (!gold)
        return;
    float *sure = trace_new_tensor(builder, "gold.sure", TRACE_MASK, 2, axes);
    float *possible = trace_new_tensor(builder, "gold.possible", TRACE_MASK, 2, axes);
    size_t beyond = 0;
    for (size_t i = 0; i < gold->n && sure && possible; i++) {
        const AlignLink *link = &gold->at[i];
        if (link->target >= lengths[0] || link->source >= lengths[1])
            beyond++;
        else
            (link->possible
                 ? possible
                 : sure)[(size_t)link->target * (size_t)lengths[1] + (size_t)link->source] = 1;
    }
    if (beyond > 0)
        trace_add_note(
            builder,
            "gold: %zu of %zu links lie beyond the %d x %d tokens and were left out; are "
            "they of another sentence, or counted in words where the model has pieces?",
            beyond, gold->n, lengths[1], lengths[0]);
}

/* ---- one matrix ---- */

/* Leading rows (stride cols, step 1) or columns that are not all zero. */
static int32_t used_rows(const ImportMatrix *matrix)
{
    size_t cols = (size_t)matrix->cols, n = (size_t)matrix->rows * cols;
    while (n > 0 && matrix->data[n - 1] == 0)
        n--;
    return cols ? (int32_t)((n + cols - 1) / cols) : 0;
}

static int32_t used_cols(const ImportMatrix *matrix)
{
    int32_t used = 0;
    for (int32_t i = 0; i < matrix->rows; i++) {
        const float *row = matrix->data + (size_t)i * (size_t)matrix->cols;
        for (int32_t j = matrix->cols; j > used; j--)
            if (row[j - 1] != 0)
                used = j;
    }
    return used;
}

static void copy_cells(const ImportMatrix *matrix, int32_t rows, int32_t cols, float *out)
{
    for (int32_t i = 0; i < rows; i++)
        if (cols > 0)
            memcpy(out + (size_t)i * (size_t)cols, matrix->data + (size_t)i * (size_t)matrix->cols,
                   (size_t)cols * sizeof *out);
}

const Trace *import_finish_matrix(TraceBuilder *builder, ImportMatrix *matrix, Error *error)
{
    int32_t axes[2], rows, cols;
    if (trace_builder_failed(builder)) {
        import_matrix_free(matrix);
        return trace_seal(builder, error);
    }
    ImportAxis target = {"target",        "output",     "rows",
                         &matrix->target, matrix->rows, used_rows(matrix)};
    ImportAxis source = {"source",        "input",      "columns",
                         &matrix->source, matrix->cols, used_cols(matrix)};
    axes[0] = import_add_axis(builder, &target, &rows);
    axes[1] = import_add_axis(builder, &source, &cols);
    if (matrix->target.n < 0 || matrix->source.n < 0)
        trace_add_note(builder,
                       "no tokens of the %s were found; they can stand beside the file, "
                       "in .src and .tgt or .tokens.json",
                       matrix->target.n >= 0   ? "source"
                       : matrix->source.n >= 0 ? "target"
                                               : "source and the target");
    const char *name = matrix->role == TRACE_WEIGHTS ? "attention.weights" : "alignment.links";
    float *out = trace_new_tensor(builder, name, matrix->role, 2, axes);
    if (out)
        copy_cells(matrix, rows, cols, out);
    import_add_gold(builder, matrix->gold, axes, (int32_t[]){rows, cols});
    import_matrix_free(matrix);
    return trace_seal(builder, error);
}

void import_matrix_turn(ImportMatrix *matrix)
{
    size_t rows = (size_t)matrix->rows, cols = (size_t)matrix->cols;
    float *turned = memory_new(rows * cols, sizeof *turned);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            turned[j * rows + i] = matrix->data[i * cols + j];
    free(matrix->data);
    matrix->data = turned;
    matrix->rows = (int32_t)cols;
    matrix->cols = (int32_t)rows;
}

void import_matrix_free(ImportMatrix *matrix)
{
    free(matrix->data);
    words_free(&matrix->target);
    words_free(&matrix->source);
    *matrix = (ImportMatrix){0};
}

/* ---- numbers ---- */

void import_numbers_add(ImportNumbers *numbers, float value)
{
    numbers->at = memory_grow(numbers->at, &numbers->capacity, numbers->n + 1, sizeof *numbers->at);
    numbers->at[numbers->n++] = value;
}

bool import_numbers_parse(ImportNumbers *numbers, Slice line)
{
    size_t i = 0;
    for (;;) {
        while (i < line.n && (line.text[i] == ' ' || line.text[i] == '\t' || line.text[i] == ','))
            i++;
        if (i == line.n)
            return true;
        double value;
        size_t length = number_parse(line.text + i, line.n - i, &value);
        i += length;
        if (length == 0 || (i < line.n && !strchr(" \t,", line.text[i])))
            return false;
        import_numbers_add(numbers, (float)value);
    }
}
