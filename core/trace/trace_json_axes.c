#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "trace/trace_json.h"
#include "trace/trace_json_reader.h"

/* ---- axes ---- */

static bool read_labels(TraceJsonReader *reader, const json_t *entry, TraceAxis *axis)
{
    const json_t *labels;
    if (!reader_list(reader, entry, "labels", &labels))
        return false;
    if (!labels)
        return true;
    size_t n = json_array_size(labels);
    if (n > TRACE_MAX_LEN)
        return error_set(reader->error, ERROR_LIMIT, "%s: %zu labels; at most %d are read",
                         reader->place, n, TRACE_MAX_LEN);
    const char **texts = reader_allocate(reader, n, sizeof *texts);
    for (size_t i = 0; texts && i < n; i++) {
        texts[i] = json_string_value(json_array_get(labels, i));
        if (!texts[i])
            return reader_fault(reader, "labels", "a list of strings", json_array_get(labels, i));
    }
    axis->labels = texts;
    axis->len = (int32_t)n;
    return texts != NULL;
}

static bool read_length(TraceJsonReader *reader, const json_t *entry, TraceAxis *axis)
{
    int32_t length = axis->labels ? axis->len : -1;
    if (!reader_integer(reader, entry, "length", &length) ||
        !reader_integer(reader, entry, "rows", &axis->rows) ||
        !reader_integer(reader, entry, "cols", &axis->cols))
        return false;
    int64_t cells = (int64_t)axis->rows * axis->cols;
    if (length < 0 && axis->kind == TRACE_AXIS_GRID && cells >= 0 && cells <= TRACE_MAX_LEN)
        length = (int32_t)cells;
    if (length < 0)
        return error_set(reader->error, ERROR_FORMAT, "%s: neither \"labels\" nor \"length\"",
                         reader->place);
    if (axis->labels && length != axis->len)
        return error_set(reader->error, ERROR_FORMAT, "%s: %d labels but \"length\" %d",
                         reader->place, axis->len, length);
    axis->len = length;
    return true;
}

static bool read_spans(TraceJsonReader *reader, const json_t *entry, TraceAxis *axis)
{
    const json_t *list;
    if (!reader_text(reader, entry, "text", &axis->text) ||
        !reader_list(reader, entry, "spans", &list))
        return false;
    if (!list)
        return true;
    size_t n = json_array_size(list);
    if (n != (size_t)axis->len)
        return error_set(reader->error, ERROR_FORMAT, "%s: %zu spans for %d items", reader->place,
                         n, axis->len);
    TraceSpan *spans = reader_allocate(reader, n, sizeof *spans);
    for (size_t i = 0; spans && i < n; i++) {
        const json_t *pair = json_array_get(list, i);
        const int32_t *ends =
            json_array_size(pair) == 2 ? reader_integers(reader, pair, "spans", 2) : NULL;
        if (!ends)
            return reader_fault(reader, "spans", "a list of pairs of whole numbers", pair);
        spans[i] = (TraceSpan){ends[0], ends[1]};
    }
    axis->spans = spans;
    if (!axis->text)
        axis->text = "input";
    return spans != NULL;
}

static bool read_flags(TraceJsonReader *reader, const json_t *entry, TraceAxis *axis)
{
    const json_t *object = json_object_get(entry, "flags");
    if (!object)
        return true;
    if (!json_is_object(object))
        return reader_fault(reader, "flags", "an object", object);
    uint8_t *flags = reader_allocate(reader, (size_t)axis->len, 1);
    for (int bit = 0; flags && bit < TRACE_TOKEN_N_FLAGS; bit++) {
        const json_t *list;
        if (!reader_list(reader, object, TRACE_JSON_FLAGS[bit], &list))
            return false;
        const int32_t *items =
            list ? reader_integers(reader, list, TRACE_JSON_FLAGS[bit], -1) : NULL;
        if (list && !items)
            return false;
        for (size_t i = 0; i < json_array_size(list); i++) {
            if (items[i] < 0 || items[i] >= axis->len)
                return error_set(reader->error, ERROR_FORMAT, "%s: flag \"%s\" of item %d of %d",
                                 reader->place, TRACE_JSON_FLAGS[bit], items[i], axis->len);
            flags[items[i]] |= (uint8_t)(1 << bit);
        }
    }
    axis->flags = flags;
    return flags != NULL;
}

static int32_t find_axis(TraceJsonReader *reader, const char *name)
{
    int32_t index = strmap_get(reader->axes, name, strlen(name));
    if (index < 0)
        error_set(reader->error, ERROR_FORMAT, "%s: there is no axis \"%s\"", reader->place, name);
    return index;
}

static bool read_parents(TraceJsonReader *reader, const json_t *entry, TraceAxis *axis)
{
    const char *parent = NULL;
    const json_t *list;
    if (!reader_text(reader, entry, "parent_axis", &parent) ||
        !reader_list(reader, entry, "parents", &list))
        return false;
    if (!parent || !list)
        return true;
    axis->parent_axis = find_axis(reader, parent);
    axis->parent = reader_integers(reader, list, "parents", axis->len);
    return axis->parent_axis >= 0 && axis->parent;
}

static bool read_axis(TraceJsonReader *reader, const json_t *entry, size_t index)
{
    const char *name = NULL;
    int kind = TRACE_AXIS_INDEX;
    arena_reset(reader->arena);
    snprintf(reader->place, sizeof reader->place, "axes[%zu]", index);
    if (!reader_text(reader, entry, "name", &name))
        return false;
    if (!name)
        return reader_fault(reader, "name", "a string", NULL);
    snprintf(reader->place, sizeof reader->place, "axes[%zu] \"%.80s\"", index, name);
    if (!reader_choice(reader, entry, "kind", TRACE_JSON_KINDS, 5, &kind))
        return false;
    TraceAxis axis = {.name = name, .kind = (TraceAxisKind)kind, .parent_axis = -1};
    if (!read_labels(reader, entry, &axis) || !read_length(reader, entry, &axis) ||
        !read_spans(reader, entry, &axis) || !read_flags(reader, entry, &axis) ||
        !read_parents(reader, entry, &axis))
        return false;
    trace_add_axis(reader->builder, &axis);
    strmap_put(reader->axes, name, strlen(name), (int)index);
    reader->length[index] = axis.len;
    return !trace_builder_failed(reader->builder);
}

bool reader_read_axes(TraceJsonReader *reader, const json_t *root)
{
    const json_t *list;
    if (!reader_list(reader, root, "axes", &list))
        return false;
    size_t n = json_array_size(list);
    if (n > TRACE_MAX_AXES)
        return error_set(reader->error, ERROR_LIMIT, "%zu axes; at most %d are read", n,
                         TRACE_MAX_AXES);
    reader->length = memory_new(n, sizeof *reader->length);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        ok = read_axis(reader, json_array_get(list, i), i);
    return ok;
}

/* ---- tensors ---- */

typedef struct Filling {
    TraceJsonReader *reader;
    const TraceTensor *tensor;
    const int32_t *lengths;
    unsigned char *next; /* where the next element goes */
} Filling;

/* The narrow types have exact values only, so the nearest code is the code. */
static uint8_t to_f8(TraceType type, float value)
{
    for (int code = 0; code < 256; code++) {
        float other = type == TRACE_F8_E4M3 ? half_e4m3_to_f32((uint8_t)code)
                                            : half_e5m2_to_f32((uint8_t)code);
        if ((other == value && signbit(other) == signbit(value)) || (isnan(other) && isnan(value)))
            return (uint8_t)code;
    }
    return (uint8_t)(type == TRACE_F8_E4M3 ? 0x7F : 0x7E);
}

/* Elements are stored little-endian, whatever the machine is; the tensor says so. */
static void put_bits(unsigned char *out, size_t bytes, uint64_t bits)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(bits >> 8 * i);
}

static uint64_t float_bits(TraceType type, double value)
{
    float single = (float)value;
    uint32_t bits32;
    uint64_t bits64;
    memcpy(&bits32, &single, sizeof bits32);
    memcpy(&bits64, &value, sizeof bits64);
    switch (type) {
    case TRACE_F32: return bits32;
    case TRACE_F64: return bits64;
    case TRACE_F16: return half_f32_to_f16(single);
    case TRACE_BF16: return half_f32_to_bf16(single);
    default: return to_f8(type, single);
    }
}

static bool integer_bits(const json_t *value, uint64_t *bits)
{
    const char *text = json_string_value(value);
    char *end = NULL;
    if (json_is_integer(value))
        *bits = (uint64_t)json_integer_value(value);
    else if (json_is_boolean(value))
        *bits = json_is_true(value);
    else if (text)
        *bits = strtoull(text, &end, 10);
    else
        return false;
    return !text || (end != text && *end == '\0');
}

static bool put_element(Filling *filling, const json_t *value)
{
    TraceType type = filling->tensor->type;
    size_t bytes = trace_type_bytes(type);
    double number = 0;
    uint64_t bits = 0;
    bool whole = type >= TRACE_I8;
    if (whole ? !integer_bits(value, &bits) : !reader_to_double(value, &number))
        return reader_fault(filling->reader, "data",
                            whole ? "whole numbers" : "numbers (or \"nan\", \"inf\", \"-inf\")",
                            value);
    put_bits(filling->next, bytes, whole ? bits : float_bits(type, number));
    filling->next += bytes;
    return true;
}

/* Walks the lists before anything is allocated: what follows can trust the axes. */
static bool check_lists(Filling *filling, const json_t *list, int32_t dimension)
{
    TraceJsonReader *reader = filling->reader;
    int32_t n = filling->lengths[dimension];
    if (!json_is_array(list))
        return reader_fault(reader, "data", "nested lists as deep as there are axes", list);
    if (json_array_size(list) != (size_t)n)
        return error_set(reader->error, ERROR_FORMAT,
                         "%s: a list of %zu items at depth %d; its axis has %d", reader->place,
                         json_array_size(list), dimension, n);
    bool ok = true;
    if (dimension < filling->tensor->rank - 1)
        for (int32_t i = 0; i < n && ok; i++)
            ok = check_lists(filling, json_array_get(list, (size_t)i), dimension + 1);
    return ok;
}

static bool fill(Filling *filling, const json_t *list, int32_t dimension)
{
    bool last = dimension == filling->tensor->rank - 1;
    bool ok = true;
    for (size_t i = 0; i < json_array_size(list) && ok; i++) {
        const json_t *item = json_array_get(list, i);
        ok = last ? put_element(filling, item) : fill(filling, item, dimension + 1);
    }
    return ok;
}

static bool read_tensor_axes(TraceJsonReader *reader, const json_t *entry, TraceTensor *tensor,
                             int32_t *lengths)
{
    const json_t *list;
    if (!reader_list(reader, entry, "axes", &list))
        return false;
    size_t rank = json_array_size(list);
    if (rank < 1 || rank > TRACE_MAX_RANK)
        return error_set(reader->error, ERROR_LIMIT, "%s: %zu axes; 1 to %d are possible",
                         reader->place, rank, TRACE_MAX_RANK);
    tensor->rank = (int32_t)rank;
    for (size_t i = 0; i < rank; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name)
            return reader_fault(reader, "axes", "a list of names", json_array_get(list, i));
        tensor->axis[i] = find_axis(reader, name);
        if (tensor->axis[i] < 0)
            return false;
        lengths[i] = reader->length[tensor->axis[i]];
    }
    return true;
}

static unsigned char *new_storage(Filling *filling, TraceTensor *tensor, size_t *bytes)
{
    size_t count = 1;
    for (int32_t i = tensor->rank; i-- > 0;) {
        tensor->stride[i] = (int64_t)count;
        count *= (size_t)filling->lengths[i]; /* no more than there are numbers in the text */
    }
    *bytes = count * trace_type_bytes(tensor->type);
    unsigned char *storage = memory_try_new(*bytes, 1);
    if (!storage)
        error_set(filling->reader->error, ERROR_MEMORY, "%s: no memory for %zu bytes",
                  filling->reader->place, *bytes);
    else
        trace_own(filling->reader->builder, storage, free);
    return storage;
}

static bool read_data(TraceJsonReader *reader, const json_t *entry, TraceTensor *tensor,
                      const int32_t *lengths)
{
    Filling filling = {reader, tensor, lengths, NULL};
    const json_t *data = json_object_get(entry, "data");
    size_t bytes;
    if (!data && reader->source) {
        if (!reader->source->find(reader->source->context, tensor, lengths))
            return error_set(reader->error, ERROR_FORMAT,
                             "%s: its numbers are not in the file, or of another shape",
                             reader->place);
        trace_add_mapped(reader->builder, tensor, NULL, 0);
        return !trace_builder_failed(reader->builder);
    }
    if (!check_lists(&filling, data, 0))
        return false;
    unsigned char *storage = new_storage(&filling, tensor, &bytes);
    filling.next = storage;
    if (!storage || !fill(&filling, data, 0))
        return false;
    tensor->data = storage;
    trace_add_mapped(reader->builder, tensor, storage, bytes);
    return !trace_builder_failed(reader->builder);
}

static bool read_tensor(TraceJsonReader *reader, const json_t *entry, size_t index)
{
    TraceTensor tensor = {.name = NULL};
    const char *role = "weights", *type = "F32";
    int32_t lengths[TRACE_MAX_RANK];
    snprintf(reader->place, sizeof reader->place, "tensors[%zu]", index);
    if (!reader_text(reader, entry, "name", &tensor.name))
        return false;
    if (!tensor.name)
        return reader_fault(reader, "name", "a string", NULL);
    snprintf(reader->place, sizeof reader->place, "tensors[%zu] \"%.80s\"", index, tensor.name);
    if (!reader_text(reader, entry, "role", &role) || !reader_text(reader, entry, "type", &type) ||
        !read_tensor_axes(reader, entry, &tensor, lengths))
        return false;
    if (!trace_role_parse(role, &tensor.role) || !trace_type_parse(type, &tensor.type))
        return error_set(reader->error, ERROR_FORMAT, "%s: role \"%s\" or type \"%s\" is not known",
                         reader->place, role, type);
    return read_data(reader, entry, &tensor, lengths);
}

bool reader_read_tensors(TraceJsonReader *reader, const json_t *root)
{
    const json_t *list;
    if (!reader_list(reader, root, "tensors", &list))
        return false;
    bool ok = true;
    for (size_t i = 0; i < json_array_size(list) && ok; i++)
        ok = read_tensor(reader, json_array_get(list, i), i);
    return ok;
}
