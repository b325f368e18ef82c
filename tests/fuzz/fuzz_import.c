/* Whatever opens as a dump: every sentence gives a trace or a message, and every cell of
 * every tensor can be read. */
#include <stdlib.h>

#include "format/import.h"
#include "trace/trace_check.h"

#define MOST_SENTENCES 30
#define MOST_CELLS     (1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_trace(const Trace *trace)
{
    for (int32_t i = 0; i < trace_n_tensors(trace); i++) {
        TraceReport report;
        if (trace_tensor_count(trace, trace_tensor(trace, i)) <= MOST_CELLS)
            trace_check(trace, trace_tensor(trace, i), NULL, &report);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    ImportSet *set = import_open_memory((const char *)data, size, "fuzz", NULL, &error);
    if (!set) {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
        return 0;
    }
    for (int32_t i = 0; i < import_count(set) && i < MOST_SENTENCES; i++) {
        Error fault = {0};
        const Trace *trace = import_trace(set, i, &fault);
        FOVEA_CHECK(trace || error_is_set(&fault), "refused without a message");
        FOVEA_CHECK(import_label(set, i), "no label");
        if (trace)
            read_trace(trace);
        trace_release(trace);
    }
    import_find(set, "zz", 0);
    import_close(set);
    return 0;
}
