#include "format/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/strmap.h"
#include "format/sniff.h"

#define LENGTH_BYTES 8
#define METADATA_KEY "__metadata__"

struct SafeTensors {
    char *name; /* for messages */
    FileMap map;
    const char *data; /* the whole file; the caller's memory or the map's */
    size_t size;
    size_t data_start;
    json_t *header; /* owns every string that is handed out */
    SafeTensor *tensors;
    int32_t n_tensors;
    StrMap *names;
};

void safetensors_close(SafeTensors *file)
{
    if (!file)
        return;
    json_decref(file->header);
    strmap_free(file->names);
    free(file->tensors);
    if (file->map.data)
        file_unmap(&file->map);
    free(file->name);
    free(file);
}

/* ---- the header ---- */

static uint64_t read_u64(const unsigned char *p)
{
    uint64_t value = 0;
    for (int i = 0; i < LENGTH_BYTES; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

static bool read_header(SafeTensors *file, Error *error)
{
    if (sniff_impostor(file->data, file->size, file->name, error))
        return false;
    if (file->size < LENGTH_BYTES + 2)
        return error_set(error, ERROR_FORMAT,
                         "%s: %zu bytes; a safetensors file has 8 bytes of length and a header",
                         file->name, file->size);
    uint64_t length = read_u64((const unsigned char *)file->data);
    if (length > SAFETENSORS_MAX_HEADER_BYTES)
        return error_set(
            error, ERROR_LIMIT,
            "%s: the first 8 bytes give a header of %llu bytes; at most %d are read. Is "
            "this a safetensors file?",
            file->name, (unsigned long long)length, SAFETENSORS_MAX_HEADER_BYTES);
    if (length > file->size - LENGTH_BYTES)
        return error_set(error, ERROR_FORMAT,
                         "%s: the header should have %llu bytes, the file ends after %zu: cut off?",
                         file->name, (unsigned long long)length, file->size - LENGTH_BYTES);
    if (length == 0 || file->data[LENGTH_BYTES] != '{')
        return error_set(error, ERROR_FORMAT, "%s: the header does not start with \"{\"",
                         file->name);
    file->data_start = LENGTH_BYTES + (size_t)length;
    const char *text = file->data + LENGTH_BYTES;
    file->header = json_scan_object(text, (size_t)length, NULL);
    if (!file->header)
        file->header = json_text_parse(text, (size_t)length, file->name, error);
    return file->header != NULL;
}

/* ---- one tensor ---- */

static bool bad_entry(const SafeTensors *file, const char *name, const char *what, Error *error)
{
    return error_set(error, ERROR_FORMAT, "%s: tensor \"%s\" %s", file->name, name, what);
}

static bool read_type(const SafeTensors *file, const json_t *entry, SafeTensor *tensor,
                      Error *error)
{
    const char *type = json_text_string(entry, "dtype");
    if (!type)
        return bad_entry(file, tensor->name, "has no \"dtype\"", error);
    if (trace_type_parse(type, &tensor->type))
        return true;
    return error_set(error, ERROR_UNSUPPORTED,
                     "%s: tensor \"%s\" is of type \"%s\"; known are F64, F32, F16, BF16, F8, the "
                     "integers and BOOL",
                     file->name, tensor->name, type);
}

static bool read_shape(const SafeTensors *file, const json_t *entry, SafeTensor *tensor,
                       Error *error)
{
    const json_t *shape = json_object_get(entry, "shape");
    if (!json_is_array(shape))
        return bad_entry(file, tensor->name, "has no list \"shape\"", error);
    if (json_array_size(shape) > SAFETENSORS_MAX_RANK)
        return error_set(error, ERROR_LIMIT, "%s: tensor \"%s\" has %zu axes; at most %d are read",
                         file->name, tensor->name, json_array_size(shape), SAFETENSORS_MAX_RANK);
    tensor->rank = (int32_t)json_array_size(shape);
    tensor->count = 1;
    bool fits = true;
    for (int32_t i = 0; i < tensor->rank; i++) {
        const json_t *length = json_array_get(shape, (size_t)i);
        if (!json_is_integer(length) || json_integer_value(length) < 0)
            return bad_entry(file, tensor->name, "has a length that is no natural number", error);
        tensor->shape[i] = json_integer_value(length);
        fits = fits && !__builtin_mul_overflow(tensor->count, tensor->shape[i], &tensor->count);
    }
    fits = fits &&
           memory_multiply((size_t)tensor->count, trace_type_bytes(tensor->type), &tensor->bytes);
    return fits || bad_entry(file, tensor->name, "has a shape whose product overflows", error);
}

static bool read_place(const SafeTensors *file, const json_t *entry, SafeTensor *tensor,
                       Error *error)
{
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const json_t *first = json_array_get(offsets, 0), *last = json_array_get(offsets, 1);
    if (json_array_size(offsets) != 2 || !json_is_integer(first) || !json_is_integer(last))
        return bad_entry(file, tensor->name, "has no \"data_offsets\" of two numbers", error);
    json_int_t begin = json_integer_value(first), end = json_integer_value(last);
    size_t available = file->size - file->data_start;
    if (begin < 0 || end < begin)
        return bad_entry(file, tensor->name, "has data offsets that run backwards", error);
    if ((uint64_t)end > available)
        return error_set(error, ERROR_FORMAT,
                         "%s: tensor \"%s\" ends at byte %lld of the data, which has %zu: cut off?",
                         file->name, tensor->name, (long long)end, available);
    if ((uint64_t)(end - begin) != tensor->bytes)
        return error_set(
            error, ERROR_FORMAT,
            "%s: tensor \"%s\" needs %zu bytes by its shape and type; its offsets give "
            "%lld",
            file->name, tensor->name, tensor->bytes, (long long)(end - begin));
    tensor->data = file->data + file->data_start + begin;
    return true;
}

static bool read_tensor(SafeTensors *file, const char *name, const json_t *entry, Error *error)
{
    SafeTensor *tensor = &file->tensors[file->n_tensors];
    *tensor = (SafeTensor){.name = name};
    if (!json_is_object(entry))
        return bad_entry(file, name, "is not described by an object", error);
    if (!read_type(file, entry, tensor, error) || !read_shape(file, entry, tensor, error) ||
        !read_place(file, entry, tensor, error))
        return false;
    strmap_put(file->names, name, strlen(name), file->n_tensors++);
    return true;
}

/* ---- the whole ---- */

static bool check_metadata(const SafeTensors *file, Error *error)
{
    json_t *metadata = json_object_get(file->header, METADATA_KEY);
    if (metadata && !json_is_object(metadata))
        return error_set(error, ERROR_FORMAT, "%s: \"" METADATA_KEY "\" is %s, not an object",
                         file->name, json_text_type(metadata));
    const char *key;
    json_t *value;
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value))
            return error_set(error, ERROR_FORMAT,
                             "%s: metadata \"%s\" is %s; only strings are possible", file->name,
                             key, json_text_type(value));
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const SafeTensor *x = *(const SafeTensor *const *)a, *y = *(const SafeTensor *const *)b;
    if (x->data != y->data)
        return (const char *)x->data < (const char *)y->data ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes; /* empty ones first */
}

static bool check_covering(const SafeTensors *file, Error *error)
{
    const SafeTensor **order = memory_new((size_t)file->n_tensors, sizeof(SafeTensor *));
    for (int32_t i = 0; i < file->n_tensors; i++)
        order[i] = &file->tensors[i];
    qsort(order, (size_t)file->n_tensors, sizeof *order, by_place);
    const char *expected = file->data + file->data_start;
    bool ok = true;
    for (int32_t i = 0; i < file->n_tensors && ok; i++) {
        const char *data = order[i]->data;
        if (data != expected)
            ok = error_set(error, ERROR_FORMAT, "%s: tensor \"%s\" %s at byte %td of the data",
                           file->name, order[i]->name,
                           data < expected ? "overlaps another" : "leaves a hole before it",
                           data - (file->data + file->data_start));
        expected = data + order[i]->bytes;
    }
    if (ok && expected != file->data + file->size)
        ok = error_set(error, ERROR_FORMAT, "%s: %td bytes at the end belong to no tensor",
                       file->name, file->data + file->size - expected);
    free(order);
    return ok;
}

static bool read_all(SafeTensors *file, Error *error)
{
    if (!read_header(file, error) || !check_metadata(file, error))
        return false;
    file->tensors = memory_try_new(json_object_size(file->header), sizeof *file->tensors);
    if (!file->tensors)
        return error_set(error, ERROR_MEMORY, "%s: no memory for %zu tensors", file->name,
                         json_object_size(file->header));
    const char *name;
    json_t *entry;
    json_object_foreach(file->header, name,
                        entry) if (strcmp(name, METADATA_KEY) != 0 &&
                                   !read_tensor(file, name, entry, error)) return false;
    return check_covering(file, error);
}

static SafeTensors *new_file(const char *name)
{
    SafeTensors *file = memory_new(1, sizeof *file);
    file->name = memory_copy_string(name);
    file->names = strmap_new();
    return file;
}

static SafeTensors *finish_open(SafeTensors *file, Error *error)
{
    if (read_all(file, error))
        return file;
    safetensors_close(file);
    return NULL;
}

SafeTensors *safetensors_open_memory(const void *data, size_t n, const char *name, Error *error)
{
    SafeTensors *file = new_file(name);
    file->data = data;
    file->size = n;
    return finish_open(file, error);
}

SafeTensors *safetensors_open(const char *path, Error *error)
{
    SafeTensors *file = new_file(path);
    if (!file_map(path, &file->map, error)) {
        safetensors_close(file);
        return NULL;
    }
    file->data = file->map.data;
    file->size = file->map.size;
    return finish_open(file, error);
}

/* ---- reading ---- */

int32_t safetensors_count(const SafeTensors *file)
{
    return file->n_tensors;
}

const SafeTensor *safetensors_at(const SafeTensors *file, int32_t i)
{
    FOVEA_CHECK(i >= 0 && i < file->n_tensors, "tensor %d of %d", i, file->n_tensors);
    return &file->tensors[i];
}

const SafeTensor *safetensors_find(const SafeTensors *file, const char *name)
{
    int i = strmap_get(file->names, name, strlen(name));
    return i < 0 ? NULL : &file->tensors[i];
}

int32_t safetensors_n_metadata(const SafeTensors *file)
{
    return (int32_t)json_object_size(json_object_get(file->header, METADATA_KEY));
}

const char *safetensors_metadata_at(const SafeTensors *file, int32_t i, const char **key)
{
    json_t *metadata = json_object_get(file->header, METADATA_KEY);
    const char *name;
    json_t *value;
    json_object_foreach(metadata, name, value)
    {
        if (i-- > 0)
            continue;
        if (key)
            *key = name;
        return json_string_value(value);
    }
    error_bug(__FILE__, __LINE__, "metadata %d past the end", i);
}

const char *safetensors_metadata(const SafeTensors *file, const char *key)
{
    return json_text_string(json_object_get(file->header, METADATA_KEY), key);
}

bool safetensors_read(const SafeTensors *file, const SafeTensor *tensor, float *out, Error *error)
{
    if (file->map.data && !file_map_check(&file->map))
        return error_set(error, ERROR_IO, "%s: the file became shorter while it was open",
                         file->name);
    /* Rows of a bounded length, because a matrix counts in 32 bits. */
    const int64_t chunk = 1 << 20;
    const char *source = tensor->data;
    for (int64_t done = 0; done < tensor->count; done += chunk) {
        int32_t n = (int32_t)(tensor->count - done < chunk ? tensor->count - done : chunk);
        TraceMatrix row = {.rows = 1, .cols = n, .type = tensor->type, .col_stride = 1};
        row.data = source + done * (int64_t)trace_type_bytes(tensor->type);
        trace_matrix_read(&row, 0, 0, n, out + done);
    }
    return true;
}

bool safetensors_copy(const SafeTensors *file, const SafeTensor *tensor, void *out, Error *error)
{
    size_t at = (size_t)((const char *)tensor->data - file->data);
    if (!file->map.data)
        memcpy(out, tensor->data, tensor->bytes);
    else if (!file_map_read(&file->map, at, tensor->bytes, out))
        return error_set(error, ERROR_IO, "%s: the file became shorter while it was open",
                         file->name);
    return true;
}

void safetensors_forget(const SafeTensors *file, const SafeTensor *tensor)
{
    if (file->map.data)
        file_map_forget(&file->map, tensor->data, tensor->bytes);
}

const void *safetensors_storage(const SafeTensors *file, size_t *bytes)
{
    *bytes = file->size;
    return file->data;
}
