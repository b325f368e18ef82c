/* What stands beside a dump: lists of tokens in JSON, lines of tokens, gold links. The first
 * byte says which; a small dump takes them. */
#include <stdlib.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "format/import_set.h"
#include "format/links.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char dump[] = "{\"att\":[[0.5,0.25,0.25],[0.1,0.8,0.1]]}\n{\"att\":[[1,0],[0,1]]}\n";

static void try_json(const char *data, size_t n)
{
    Error error = {0};
    ImportTokens tokens = {0};
    json_t *value = json_text_parse(data, n, "fuzz", &error);
    if (value)
        import_tokens_take(&tokens, value);
    json_decref(value);
    for (int side = 0; side < IMPORT_N_SIDES; side++)
        for (int32_t i = 0; i < 4; i++) {
            Words words = import_tokens_get(&tokens, (ImportSide)side, i);
            words_free(&words);
        }
    FOVEA_CHECK(import_tokens_sentences(&tokens) >= 0, "fewer than no sentences");
    import_tokens_free(&tokens);
}

static void try_typed(const char *text, int32_t sentence)
{
    Error error = {0};
    const ImportOptions typed = {
        .source_text = text, .target_text = text, .typed_sentence = sentence};
    ImportSet *set = import_open_memory(dump, sizeof dump - 1, "fuzz", &typed, &error);
    FOVEA_CHECK(set, "%s", error.message);
    for (int32_t i = 0; i < import_count(set); i++) {
        const Trace *trace = import_trace(set, i, &error);
        FOVEA_CHECK(trace, "%s", error.message);
        trace_release(trace);
    }
    import_close(set);
}

static void try_links(const char *data, size_t n)
{
    Error error = {0};
    LinksFile file = {0};
    if (!links_parse(data, n, "fuzz", NULL, &file, &error)) {
        FOVEA_CHECK(error_is_set(&error), "refused without a message");
        return;
    }
    for (int32_t i = 0; i < file.n && i < 20; i++) {
        TraceBuilder *builder = trace_builder_new();
        TraceAxis axis = {.name = "target", .kind = TRACE_AXIS_TOKEN, .len = 3};
        int32_t axes[2] = {trace_add_axis(builder, &axis), 0};
        axis.name = "source";
        axes[1] = trace_add_axis(builder, &axis);
        import_add_gold(builder, &file.at[i], axes, (int32_t[]){3, 3});
        Error fault = {0};
        const Trace *trace = trace_seal(builder, &fault);
        FOVEA_CHECK(trace, "%s", fault.message);
        trace_release(trace);
    }
    links_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = memory_copy_bytes((const char *)data + 1, size - 1);
    switch (data[0] % 3) {
    case 0: try_json(text, size - 1); break;
    case 1: try_typed(text, data[0] / 3 % 4); break;
    default: try_links(text, size - 1); break;
    }
    free(text);
    return 0;
}
