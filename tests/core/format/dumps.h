/* dumps.h - for the tests of the importers: opening test files, and the formula that the
 * generated dumps follow (tests/data/make_dumps.py). */
#ifndef FOVEA_TESTS_DUMPS_H
#define FOVEA_TESTS_DUMPS_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "format/import.h"
#include "testing.h"

static inline ImportSet *open_dump(const char *name, const ImportOptions *options, Error *error)
{
    StrBuf path = {0};
    strbuf_addf(&path, "%s/dumps/%s", FOVEA_TEST_DATA, name);
    ImportSet *set = import_open(path.text, options, error);
    strbuf_free(&path);
    return set;
}

/* The one sentence of a dump. */
static inline const Trace *only_trace(const char *name, const ImportOptions *options)
{
    Error error = {0};
    ImportSet *set = open_dump(name, options, &error);
    assert_ok(set);
    assert_int_equal(import_count(set), 1);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    import_close(set); /* traces live on */
    return trace;
}

static inline bool has_note(const Trace *trace, const char *part)
{
    for (int32_t i = 0; i < trace_n_notes(trace); i++)
        if (strstr(trace_note(trace, i), part))
            return true;
    return false;
}

static inline void assert_note(const Trace *trace, const char *part)
{
    if (has_note(trace, part))
        return;
    for (int32_t i = 0; i < trace_n_notes(trace); i++)
        fprintf(stderr, "note: %s\n", trace_note(trace, i));
    fail_msg("no note holds \"%s\"", part);
}

/* Names of a tensor's axes with their lengths: "layer 2, head 3, target 4, source 5". */
static inline void assert_axes(const Trace *trace, const char *tensor_name, const char *wanted)
{
    const TraceTensor *tensor = trace_find(trace, tensor_name);
    if (!tensor) {
        for (int32_t i = 0; i < trace_n_tensors(trace); i++)
            fprintf(stderr, "tensor: %s\n", trace_tensor(trace, i)->name);
        fail_msg("no tensor %s", tensor_name);
    }
    StrBuf text = {0};
    for (int32_t i = 0; i < tensor->rank; i++)
        strbuf_addf(&text, "%s%s %d", i ? ", " : "", trace_axis(trace, tensor->axis[i])->name,
                    trace_tensor_len(trace, tensor, i));
    assert_string_equal(text.text, wanted);
    strbuf_free(&text);
}

/* Labels of an axis, joined by spaces. */
static inline void assert_labels(const Trace *trace, const char *axis_name, const char *wanted)
{
    int32_t index = trace_find_axis(trace, axis_name);
    if (index < 0)
        fail_msg("no axis %s", axis_name);
    const TraceAxis *axis = trace_axis(trace, index);
    StrBuf text = {0};
    strbuf_add(&text, axis->labels ? "" : "(none)");
    for (int32_t i = 0; axis->labels && i < axis->len; i++)
        strbuf_addf(&text, "%s%s", i ? " " : "", axis->labels[i]);
    assert_string_equal(text.text, wanted);
    strbuf_free(&text);
}

static inline double raw_weight(int l, int b, int h, int t, int s)
{
    return 1 + (7 * l + 5 * b + 3 * h + 11 * t + 13 * s) % 17;
}

static inline double weight_at(int l, int b, int h, int t, int s, int cols)
{
    double sum = 0;
    for (int k = 0; k < cols; k++)
        sum += raw_weight(l, b, h, t, k);
    return raw_weight(l, b, h, t, s) / sum;
}

/* Every cell of a tensor whose leading axes are, in order, the letters of `leading` ('l' for
 * layers, 'h' for heads), for batch item b. */
static inline void assert_weights(const Trace *trace, const char *name, const char *leading, int b,
                                  double tolerance)
{
    const TraceTensor *tensor = trace_find(trace, name);
    assert_non_null(tensor);
    int32_t at[TRACE_MAX_RANK] = {0}, n = (int32_t)strlen(leading);
    assert_int_equal(tensor->rank, n + 2);
    for (;;) {
        int l = 0, h = 0;
        for (int32_t i = 0; i < n; i++)
            *(leading[i] == 'l' ? &l : &h) = at[i];
        TraceMatrix matrix = trace_matrix(trace, tensor, at);
        for (int32_t t = 0; t < matrix.rows; t++)
            for (int32_t s = 0; s < matrix.cols; s++)
                assert_close(trace_matrix_get(&matrix, t, s), weight_at(l, b, h, t, s, matrix.cols),
                             tolerance);
        int32_t i = n;
        while (i-- > 0 && ++at[i] == trace_tensor_len(trace, tensor, i))
            at[i] = 0;
        if (i < 0)
            return;
    }
}

#endif
