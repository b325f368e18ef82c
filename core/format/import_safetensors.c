#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "format/export.h"
#include "format/import_arrays.h"
#include "format/import_formats.h"
#include "format/safetensors.h"

static bool recognise(const char *data, size_t n)
{
    if (n < 10 || data[8] != '{')
        return false;
    for (int i = 4; i < 8; i++)
        if (data[i] != 0)
            return false;
    return true;
}

static void close_file(void *file)
{
    safetensors_close(file);
}

static bool add_tensor(ImportArrays *arrays, const SafeTensor *tensor, Error *error)
{
    size_t bytes;
    Array array = {.name = tensor->name,
                   .kind = ARRAY_NUMBERS,
                   .type = tensor->type,
                   .rank = tensor->rank,
                   .data = tensor->data};
    for (int32_t i = 0; i < tensor->rank; i++)
        array.shape[i] = tensor->shape[i];
    bool fits = array_set_dense(&array, false, &bytes);
    FOVEA_CHECK(fits, "tensor %s was checked when the file was opened", tensor->name);
    return import_arrays_add(arrays, &array, error);
}

/* Metadata are strings: "tokens" may be a JSON list written as one, or words. */
static void take_metadata(const SafeTensors *file, ImportTokens *tokens)
{
    for (int32_t i = 0; i < safetensors_n_metadata(file); i++) {
        const char *key;
        const char *text = safetensors_metadata_at(file, i, &key);
        Error ignored = {0};
        json_t *value = json_text_parse(text, strlen(text), key, &ignored);
        json_t *object = json_object();
        if (value)
            json_object_set_new(object, key, value);
        import_tokens_take(tokens, object);
        json_decref(object);
    }
}

static bool open_safetensors(ImportSet *set, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n), *name = import_file_name(set->file);
    ImportArrays *arrays = memory_new(1, sizeof *arrays);
    set->state = arrays;
    SafeTensors *file = safetensors_open_memory(data, n, name, error);
    if (!file)
        return false;
    import_file_keep(set->file, file, close_file);
    for (int32_t i = 0; i < safetensors_count(file); i++)
        if (!add_tensor(arrays, safetensors_at(file, i), error))
            return false;
    const char *outline = safetensors_metadata(file, EXPORT_TRACE_KEY);
    if (outline) {
        Error ignored = {0}; /* another tool's "trace" is none of ours */
        json_t *value = json_text_parse(outline, strlen(outline), name, &ignored);
        if (json_object_get(value, "fovea"))
            arrays->outline = json_incref(value);
        json_decref(value);
    }
    const ImportOptions *options = &set->options;
    if (!options->tokens_path && !options->source_path && !options->target_path)
        take_metadata(file, &set->tokens);
    return import_arrays_open(set, arrays, error);
}

const ImportFormat IMPORT_SAFETENSORS = {"safetensors", recognise, open_safetensors,
                                         import_arrays_trace, import_arrays_close};
