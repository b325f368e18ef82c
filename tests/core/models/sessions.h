/* sessions.h - what tests of sessions share: a network of random numbers, a trace as text, a
 * number in it. */
#ifndef FOVEA_TESTS_SESSIONS_H
#define FOVEA_TESTS_SESSIONS_H
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "models/family.h"
#include "trace/trace_json.h"

/* Normal numbers, the same in every run of the tests. */
static inline void fill_params(ParamSet *params, uint64_t seed, double scale)
{
    Random random = random_seed(seed, 0);
    for (int i = 0; i < param_count(params); i++) {
        const Param *p = param_at(params, i);
        for (int j = 0; j < p->rows * p->cols; j++)
            param_value(params, p)[j] = (Real)(scale * random_normal(&random));
    }
}

/* Takes the trace; the caller frees. */
static inline char *json_of(const Trace *trace)
{
    Error error = {0};
    StrBuf text = {0};
    assert_non_null(trace);
    assert_ok(trace_json_write(trace, &text, &error));
    trace_release(trace);
    return strbuf_take(&text);
}

/* Of the first item of every leading axis. */
static inline float at(const Trace *trace, const char *name, int i, int j)
{
    const TraceTensor *tensor = trace_find(trace, name);
    assert_non_null(tensor);
    const int32_t first[TRACE_MAX_RANK] = {0};
    TraceMatrix m = trace_matrix(trace, tensor, first);
    return trace_matrix_get(&m, i, j);
}

#endif
