/* Whatever is read as a trace must be written and read again to the same text. */
#include <string.h>

#include "trace/trace_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    const Trace *trace = trace_json_read((const char *)data, size, "fuzz", &error);
    if (!trace) {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
        return 0;
    }
    StrBuf first = {0}, second = {0};
    bool ok = trace_json_write(trace, &first, &error);
    FOVEA_CHECK(ok, "%s", error.message);
    const Trace *again = trace_json_read(first.text, first.length, "again", &error);
    FOVEA_CHECK(again, "%s", error.message);
    ok = trace_json_write(again, &second, &error);
    FOVEA_CHECK(ok && strcmp(first.text, second.text) == 0, "%s became %s", first.text,
                second.text);
    strbuf_free(&first);
    strbuf_free(&second);
    trace_release(trace);
    trace_release(again);
    return 0;
}
