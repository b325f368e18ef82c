#include "format/import_arrays.h"
#include "trace/trace_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"

/* ---- collecting ---- */

bool import_arrays_add(ImportArrays *arrays, const Array *array, Error *error)
{
    if (arrays->n >= TRACE_MAX_TENSORS)
        return error_set(error, ERROR_LIMIT, "more than %d arrays in one file", TRACE_MAX_TENSORS);
    arrays->at =
        memory_grow(arrays->at, &arrays->capacity, (size_t)arrays->n + 1, sizeof *arrays->at);
    arrays->at[arrays->n] = *array;
    arrays->at[arrays->n++].name = memory_copy_string(array->name);
    return true;
}

void import_arrays_leave_out(ImportArrays *arrays, const char *what)
{
    arrays->left_out = memory_grow(arrays->left_out, &arrays->left_out_capacity,
                                   (size_t)arrays->n_left_out + 1, sizeof *arrays->left_out);
    StrBuf note = {0};
    strbuf_addf(&note, "left out: %s", what);
    arrays->left_out[arrays->n_left_out++] = strbuf_take(&note);
}

void import_arrays_free(ImportArrays *arrays)
{
    for (int32_t i = 0; i < arrays->n_left_out; i++)
        free(arrays->left_out[i]);
    free(arrays->left_out);
    for (int32_t i = 0; i < arrays->n; i++)
        free((char *)arrays->at[i].name);
    free(arrays->at);
    array_groups_free(&arrays->groups);
    free(arrays->plans);
    json_decref(arrays->outline);
    *arrays = (ImportArrays){0};
}

/* ---- texts among the arrays ---- */

static json_t *text_list(const Array *array, int64_t begin, int64_t end)
{
    json_t *list = json_array();
    for (int64_t i = begin; i < end; i++) {
        char *text = array_text(array, i);
        json_array_append_new(list, json_string(text));
        free(text);
    }
    /* Lists of different lengths were padded with empty texts. */
    while (json_array_size(list) > 0 &&
           !*json_string_value(json_array_get(list, json_array_size(list) - 1)))
        json_array_remove(list, json_array_size(list) - 1);
    return list;
}

void import_arrays_take_texts(const ImportArrays *arrays, ImportTokens *tokens)
{
    for (int32_t i = 0; i < arrays->n; i++) {
        const Array *array = &arrays->at[i];
        if (array->kind == ARRAY_NUMBERS || array->rank < 1 || array->rank > 2 ||
            array->count > TRACE_MAX_LEN)
            continue;
        json_t *value = NULL;
        if (array->rank == 1) {
            value = text_list(array, 0, array->count);
        } else {
            value = json_array();
            for (int64_t row = 0; row < array->shape[0]; row++)
                json_array_append_new(
                    value, text_list(array, row * array->shape[1], (row + 1) * array->shape[1]));
        }
        size_t n = strlen(array->name);
        n -= n > 4 && strcmp(array->name + n - 4, ".npy") == 0 ? 4 : 0;
        char *key = memory_copy_bytes(array->name, n);
        json_t *object = json_object();
        json_object_set(object, key, value);
        if (!import_tokens_take(tokens, object))
            import_tokens_take(tokens, value); /* texts of any name are tokens of something */
        json_decref(object);
        json_decref(value);
        free(key);
    }
}

/* ---- planning ---- */

static bool is_float(const Array *array)
{
    return array->kind == ARRAY_NUMBERS && array->type < TRACE_I8;
}

/* Floats of rank 2 and more; when there is none, whatever numbers there are. Identifiers and
 * masks stand beside attention in many dumps. */
static void group_arrays(ImportArrays *arrays)
{
    Array *kept = memory_new((size_t)arrays->n, sizeof *kept);
    int32_t n = 0, high = 0;
    for (int32_t i = 0; i < arrays->n; i++)
        high += is_float(&arrays->at[i]) && arrays->at[i].rank >= 2;
    if (high > 0) { /* the others move behind, in their order */
        for (int pass = 0; pass < 2; pass++)
            for (int32_t i = 0; i < arrays->n; i++)
                if ((is_float(&arrays->at[i]) && arrays->at[i].rank >= 2) == (pass == 0))
                    kept[n++] = arrays->at[i];
        memcpy(arrays->at, kept, (size_t)n * sizeof *kept);
        array_groups_init(&arrays->groups, arrays->at, high, 2);
    } else {
        array_groups_init(&arrays->groups, arrays->at, arrays->n, 2);
        if (arrays->groups.n == 0)
            array_groups_init(&arrays->groups, arrays->at, arrays->n, 1);
    }
    free(kept);
}

bool import_arrays_plan(ImportArrays *arrays, const ImportTokens *tokens, const char *axes,
                        const char *kind, const char *file, Error *error)
{
    PlanHints hints = {axes, kind, import_tokens_sentences(tokens), arrays->swap};
    arrays->axes = axes;
    group_arrays(arrays);
    if (arrays->groups.n == 0)
        return error_set(error, ERROR_FORMAT, "%s: no array of numbers in it", file);
    arrays->plans = memory_new((size_t)arrays->groups.n, sizeof *arrays->plans);
    arrays->n_sentences = 1;
    for (int32_t i = 0; i < arrays->groups.n; i++) {
        if (!array_plan_make(&arrays->groups.at[i], &hints, &arrays->plans[i], error)) {
            error_prefix(error, "%s", file);
            return false;
        }
        int32_t n = arrays->plans[i].n_sentences;
        if (n != 1 && arrays->n_sentences != 1 && n != arrays->n_sentences)
            return error_set(
                error, ERROR_FORMAT,
                "%s: some arrays are of %d sentences, \"%s\" is of %d; say the axes if "
                "this is something else",
                file, arrays->n_sentences, arrays->groups.at[i].members[0]->name, n);
        arrays->n_sentences = n != 1 ? n : arrays->n_sentences;
    }
    return true;
}

void import_arrays_list(ImportSet *set, const ImportArrays *arrays, const ImportTokens *tokens)
{
    for (int32_t s = 0; s < arrays->n_sentences; s++) {
        StrBuf label = {0};
        strbuf_add(&label, "");
        for (int side = 0; side < IMPORT_N_SIDES; side++) {
            Words words = import_tokens_get(tokens, (ImportSide)side, s);
            import_label_add(&label, &words);
            words_free(&words);
        }
        if (label.length == 0)
            strbuf_addf(&label, "%d", s + 1);
        import_add_item(set, (Slice){label.text, label.length});
        strbuf_free(&label);
    }
}

/* ---- for the importers ---- */

bool import_arrays_open(ImportSet *set, ImportArrays *arrays, Error *error)
{
    const char *file = import_file_name(set->file);
    const ImportOptions *options = &set->options;
    /* What the person names comes before what the file says, and that before what merely
     * stands beside it. */
    if (!options->tokens_path && !options->source_path && !options->target_path &&
        !options->source_text && !options->target_text)
        import_arrays_take_texts(arrays, &set->tokens);
    set->state = arrays;
    if (arrays->outline) {
        set->is_stated = true;
        const char *input = json_text_string(arrays->outline, "input");
        import_add_item(set, (Slice){input ? input : "1", strlen(input ? input : "1")});
        return true;
    }
    arrays->swap = options->swap;
    if (!import_arrays_plan(arrays, &set->tokens, options->axes, NULL, file, error))
        return false;
    import_arrays_list(set, arrays, &set->tokens);
    return true;
}

/* ---- a trace of ours ---- */

static void own_file(void *context, TraceBuilder *builder)
{
    import_file_own(builder, ((ImportSet *)context)->file);
}

static bool is_named(const Array *array, const char *name)
{
    size_t n = strlen(name);
    return strncmp(array->name, name, n) == 0 &&
           (array->name[n] == '\0' || strcmp(array->name + n, ".npy") == 0);
}

static bool find_tensor(void *context, TraceTensor *tensor, const int32_t *lengths)
{
    const ImportArrays *arrays = ((ImportSet *)context)->state;
    for (int32_t i = 0; i < arrays->n; i++) {
        const Array *array = &arrays->at[i];
        bool same = array->kind == ARRAY_NUMBERS && array->rank == tensor->rank &&
                    is_named(array, tensor->name);
        for (int32_t k = 0; same && k < array->rank; k++)
            same = array->shape[k] == lengths[k];
        if (!same)
            continue;
        tensor->type = array->type;
        tensor->big_endian = array->big_endian;
        tensor->data = array->data;
        for (int32_t k = 0; k < array->rank; k++)
            tensor->stride[k] = array->stride[k];
        return true;
    }
    return false;
}

const Trace *import_arrays_trace(ImportSet *set, int32_t i, Error *error)
{
    const ImportArrays *arrays = set->state;
    const TraceJsonSource source = {set, own_file, find_tensor};
    if (arrays->outline)
        return trace_json_read_outline(arrays->outline, import_file_name(set->file), &source,
                                       error);
    Error fault = {0};
    TraceBuilder *builder = import_begin_trace(set, i);
    import_file_own(builder, set->file);
    for (int32_t k = 0; k < arrays->n_left_out; k++)
        trace_add_note(builder, "%s", arrays->left_out[k]);
    if (!import_arrays_build(arrays, &set->tokens, import_tokens_gold(&set->tokens, i), i, builder,
                             &fault))
        trace_builder_fail(builder, &fault);
    const Trace *trace = trace_seal(builder, &fault);
    if (!trace) {
        error_prefix(&fault, "%s", import_file_name(set->file));
        error_set(error, fault.kind, "%s", fault.message);
    }
    return trace;
}

void import_arrays_close(ImportSet *set)
{
    if (set->state)
        import_arrays_free(set->state);
    free(set->state);
    set->state = NULL;
}
