#include "trace/trace_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

#define PLACE_BYTES 120

typedef struct Check {
    const Trace *trace;
    const TraceTensor *tensor;
    TraceReport *out;
    TraceFinding found[TRACE_CHECK_N];
    int32_t at[TRACE_MAX_RANK];
    int32_t rows, cols;
    double tolerance;
    float *row;
    double *column_sums;
    bool *column_used; /* has a cell that is not zero */
} Check;

double trace_check_tolerance(TraceType type)
{
    switch (type) {
    case TRACE_F16: return 2e-3;
    case TRACE_BF16: return 1e-2;
    case TRACE_F8_E4M3:
    case TRACE_F8_E5M2: return 0.1;
    default: return 1e-3;
    }
}

/* ---- collecting ---- */

/* Counts; the first place, or a better one, is kept with its value. */
static void note(Check *check, TraceCheckKind kind, int32_t row, int32_t col, double value,
                 bool better)
{
    TraceFinding *finding = &check->found[kind];
    if (finding->count++ > 0 && !better)
        return;
    int32_t rank = check->tensor->rank;
    memcpy(finding->at, check->at, sizeof finding->at);
    if (rank > 1)
        finding->at[rank - 2] = row;
    finding->at[rank - 1] = col;
    finding->value = value;
}

static void check_cell(Check *check, int32_t row, int32_t col, float value)
{
    TraceRole role = check->tensor->role;
    if (isnan(value))
        note(check, TRACE_CHECK_NAN, row, col, NAN, false);
    else if (isinf(value))
        note(check, TRACE_CHECK_INFINITE, row, col, (double)value, false);
    if (value < 0 && (role == TRACE_WEIGHTS || role == TRACE_PROBABILITIES))
        note(check, TRACE_CHECK_NEGATIVE, row, col, (double)value,
             (double)value < check->found[TRACE_CHECK_NEGATIVE].value);
}

static void check_row_sum(Check *check, int32_t row, double sum, bool all_zero)
{
    const TraceFinding *worst = &check->found[TRACE_CHECK_ROW_SUM];
    if (all_zero)
        note(check, TRACE_CHECK_ZERO_ROWS, row, 0, 0, false);
    else if (fabs(sum - 1) > check->tolerance)
        note(check, TRACE_CHECK_ROW_SUM, row, 0, sum, fabs(sum - 1) > fabs(worst->value - 1));
}

static void check_row(Check *check, int32_t row)
{
    double sum = 0;
    bool all_zero = true;
    for (int32_t j = 0; j < check->cols; j++) {
        float value = check->row[j];
        if (!isfinite(value) || value < 0)
            check_cell(check, row, j, value);
        sum += (double)value;
        all_zero = all_zero && value == 0;
        check->column_sums[j] += (double)value;
        check->column_used[j] = check->column_used[j] || value != 0;
    }
    check->out->n_rows++;
    /* A row with NaN is told of as such; its sum says nothing more. */
    if (check->tensor->role == TRACE_WEIGHTS && !isnan(sum))
        check_row_sum(check, row, sum, all_zero);
}

/* ---- one matrix ---- */

static void check_columns(Check *check, int64_t bad_rows)
{
    bool sum_to_one = check->rows > 1;
    for (int32_t j = 0; j < check->cols; j++) {
        if (!check->column_used[j])
            note(check, TRACE_CHECK_ZERO_COLUMNS, 0, j, 0, false);
        sum_to_one = sum_to_one && fabs(check->column_sums[j] - 1) <= check->tolerance;
    }
    if (2 * bad_rows <= check->rows)
        return;
    note(check, sum_to_one ? TRACE_CHECK_COLUMN_SUM : TRACE_CHECK_OTHER, 0, 0, 1, false);
}

static void check_sink(Check *check)
{
    double total = 0;
    int32_t best = 0;
    if (check->rows < TRACE_CHECK_SINK_LEAST || check->cols < TRACE_CHECK_SINK_LEAST)
        return;
    for (int32_t j = 0; j < check->cols; j++) {
        total += check->column_sums[j];
        if (check->column_sums[j] > check->column_sums[best])
            best = j;
    }
    double share = check->column_sums[best] / total;
    if (share > TRACE_CHECK_SINK_SHARE)
        note(check, TRACE_CHECK_SINK, 0, best, share, share > check->found[TRACE_CHECK_SINK].value);
}

static void check_matrix(Check *check)
{
    bool leading = check->tensor->rank > 2;
    TraceMatrix matrix = trace_matrix(check->trace, check->tensor, leading ? check->at : NULL);
    int64_t bad_rows = check->found[TRACE_CHECK_ROW_SUM].count;
    bool uniform = check->rows > 1 && check->cols > 1;
    float first = NAN;
    memset(check->column_sums, 0, (size_t)check->cols * sizeof *check->column_sums);
    memset(check->column_used, 0, (size_t)check->cols * sizeof *check->column_used);
    for (int32_t i = 0; i < check->rows; i++) {
        trace_matrix_read(&matrix, i, 0, check->cols, check->row);
        if (i == 0 && check->cols > 0)
            first = check->row[0];
        for (int32_t j = 0; uniform && j < check->cols; j++)
            uniform = check->row[j] == first;
        check_row(check, i);
    }
    check->out->n_matrices++;
    if (check->tensor->role != TRACE_WEIGHTS || check->rows == 0)
        return;
    bad_rows = check->found[TRACE_CHECK_ROW_SUM].count - bad_rows;
    check_columns(check, bad_rows);
    check_sink(check);
    if (uniform)
        note(check, TRACE_CHECK_UNIFORM, 0, 0, (double)first, false);
}

static bool next_matrix(Check *check)
{
    for (int32_t i = check->tensor->rank - 2; i-- > 0;) {
        if (++check->at[i] < trace_tensor_len(check->trace, check->tensor, i))
            return true;
        check->at[i] = 0;
    }
    return false;
}

/* ---- sentences ---- */

static void add_text(char *out, size_t size, const char *fmt, ...) FOVEA_PRINTF(3, 4);

static void add_text(char *out, size_t size, const char *fmt, ...)
{
    size_t used = strlen(out);
    va_list args;
    va_start(args, fmt);
    vsnprintf(out + used, size - used, fmt, args);
    va_end(args);
}

/* "layer 1, head 2, target 3 (maison)", counted from 1: axes begin .. end - 1 of the tensor. */
static void describe_place(const Check *check, const TraceFinding *finding, int32_t begin,
                           int32_t end, char out[PLACE_BYTES])
{
    out[0] = '\0';
    for (int32_t i = begin; i < end; i++) {
        const TraceAxis *axis = trace_axis(check->trace, check->tensor->axis[i]);
        int32_t index = finding->at[i];
        add_text(out, PLACE_BYTES, "%s%.30s %d", *out ? ", " : "", axis->name, index + 1);
        if (axis->labels && index < axis->len)
            add_text(out, PLACE_BYTES, " (%.24s)", axis->labels[index]);
    }
}

typedef enum { PLACE_MATRIX, PLACE_ROW, PLACE_COLUMN, PLACE_CELL } Place;

/* "3 rows do not sum to one, worst 0.87 at head 2, target 3 (maison)" */
static const struct {
    const char *one, *many;
    const char *which; /* of them is shown */
    bool has_value;
    Place place;
} SENTENCES[TRACE_CHECK_N] = {
    [TRACE_CHECK_NAN] = {"cell is not a number", "cells are not numbers", "first", false,
                         PLACE_CELL},
    [TRACE_CHECK_INFINITE] = {"cell is infinite", "cells are infinite", "first", true, PLACE_CELL},
    [TRACE_CHECK_NEGATIVE] = {"weight is below zero", "weights are below zero", "lowest", true,
                              PLACE_CELL},
    [TRACE_CHECK_ROW_SUM] = {"row does not sum to one", "rows do not sum to one", "worst", true,
                             PLACE_ROW},
    [TRACE_CHECK_COLUMN_SUM] = {"matrix has columns that sum to one, not rows (swapped?)",
                                "matrices have columns that sum to one, not rows (swapped?)",
                                "first", false, PLACE_MATRIX},
    [TRACE_CHECK_ZERO_ROWS] = {"row is all zeros (masked or padding)",
                               "rows are all zeros (masked or padding)", "first", false, PLACE_ROW},
    [TRACE_CHECK_ZERO_COLUMNS] = {"column is all zeros (masked or padding)",
                                  "columns are all zeros (masked or padding)", "first", false,
                                  PLACE_COLUMN},
    [TRACE_CHECK_UNIFORM] = {"matrix has one value in every cell",
                             "matrices have one value in every cell", "first", true, PLACE_MATRIX},
    [TRACE_CHECK_SINK] = {"matrix gives more than half of its weight to one column",
                          "matrices give more than half of their weight to one column", "most",
                          true, PLACE_COLUMN},
    [TRACE_CHECK_OTHER] =
        {"matrix does not look like attention: neither rows nor columns sum to one",
         "matrices do not look like attention: neither rows nor columns sum to one", "first", false,
         PLACE_MATRIX},
};

static void write_sentence(const Check *check, TraceFinding *finding)
{
    int32_t rank = check->tensor->rank, leading = rank > 2 ? rank - 2 : 0;
    int32_t rows_end = rank > 1 ? rank - 1 : 0;
    char raw[sizeof finding->text] = "", place[PLACE_BYTES], column[PLACE_BYTES];
    Place kind = SENTENCES[finding->kind].place;
    describe_place(check, finding, 0, kind < PLACE_ROW || kind == PLACE_COLUMN ? leading : rows_end,
                   place);
    if (kind >= PLACE_COLUMN) {
        describe_place(check, finding, rank - 1, rank, column);
        add_text(place, sizeof place, "%s%s", *place ? ", " : "", column);
    }
    add_text(raw, sizeof raw, "%lld %s", (long long)finding->count,
             finding->count == 1 ? SENTENCES[finding->kind].one : SENTENCES[finding->kind].many);
    if (*place || SENTENCES[finding->kind].has_value)
        add_text(raw, sizeof raw, ", %s", SENTENCES[finding->kind].which);
    if (SENTENCES[finding->kind].has_value)
        add_text(raw, sizeof raw, " %.4g", finding->value);
    if (*place)
        add_text(raw, sizeof raw, " at %s", place);
    utf8_clean(place, strlen(place), finding->place, sizeof finding->place);
    utf8_clean(raw, strlen(raw), finding->text, sizeof finding->text);
}

/* ---- the whole ---- */

static bool get_memory(Check *check)
{
    size_t n = (size_t)check->cols;
    check->row = memory_try_new(n, sizeof *check->row);
    check->column_sums = memory_try_new(n, sizeof *check->column_sums);
    check->column_used = memory_try_new(n, sizeof *check->column_used);
    return check->row && check->column_sums && check->column_used;
}

void trace_check(const Trace *trace, const TraceTensor *tensor, const StopFlag *stop,
                 TraceReport *out)
{
    int32_t rank = tensor->rank;
    *out = (TraceReport){0};
    Check check = {.trace = trace,
                   .tensor = tensor,
                   .out = out,
                   .rows = rank > 1 ? trace_tensor_len(trace, tensor, rank - 2) : 1,
                   .cols = trace_tensor_len(trace, tensor, rank - 1),
                   .tolerance = trace_check_tolerance(tensor->type)};
    out->complete = get_memory(&check);
    if (out->complete && trace_tensor_count(trace, tensor) > 0) {
        do {
            check_matrix(&check);
            out->complete = !stop_requested(stop);
        } while (out->complete && next_matrix(&check));
    }
    for (int kind = 0; kind < TRACE_CHECK_N; kind++) {
        if (check.found[kind].count == 0)
            continue;
        check.found[kind].kind = (TraceCheckKind)kind;
        write_sentence(&check, &check.found[kind]);
        out->findings[out->n++] = check.found[kind];
    }
    free(check.row);
    free(check.column_sums);
    free(check.column_used);
}

const TraceFinding *trace_report_find(const TraceReport *report, TraceCheckKind kind)
{
    for (int32_t i = 0; i < report->n; i++)
        if (report->findings[i].kind == kind)
            return &report->findings[i];
    return NULL;
}
