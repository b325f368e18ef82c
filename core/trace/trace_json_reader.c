#include "trace/trace_json_reader.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/json_text.h"
#include "base/number.h"

bool reader_fault(TraceJsonReader *reader, const char *field, const char *wanted,
                  const json_t *found)
{
    return error_set(reader->error, ERROR_FORMAT, "%s: \"%s\" should be %s; it is %s",
                     reader->place, field, wanted, json_text_type(found));
}

/* ---- single values; a missing field leaves what is there ---- */

bool reader_to_double(const json_t *value, double *out)
{
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    size_t n = text ? strlen(text) : 0;
    return n > 0 && number_parse(text, n, out) == n && !isfinite(*out);
}

bool reader_double(TraceJsonReader *reader, const json_t *object, const char *key, double *out)
{
    const json_t *value = json_object_get(object, key);
    return !value || reader_to_double(value, out) ||
           reader_fault(reader, key, "a number or \"nan\", \"inf\", \"-inf\"", value);
}

bool reader_integer(TraceJsonReader *reader, const json_t *object, const char *key, int32_t *out)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return true;
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < INT32_MIN || number > INT32_MAX)
        return reader_fault(reader, key, "a whole number of 32 bits", value);
    *out = (int32_t)number;
    return true;
}

bool reader_text(TraceJsonReader *reader, const json_t *object, const char *key, const char **out)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return true;
    *out = json_string_value(value);
    return *out || reader_fault(reader, key, "a string", value);
}

/* A list, or NULL when the field is missing; false when it is something else. */
bool reader_list(TraceJsonReader *reader, const json_t *object, const char *key, const json_t **out)
{
    *out = json_object_get(object, key);
    return !*out || json_is_array(*out) || reader_fault(reader, key, "a list", *out);
}

bool reader_choice(TraceJsonReader *reader, const json_t *object, const char *key,
                   const char *const *names, int n, int *out)
{
    const char *text = NULL;
    if (!reader_text(reader, object, key, &text))
        return false;
    for (int i = 0; text && i < n; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return !text || error_set(reader->error, ERROR_FORMAT,
                              "%s: \"%s\" is \"%s\", which is not known", reader->place, key, text);
}

void *reader_allocate(TraceJsonReader *reader, size_t n, size_t size)
{
    void *pointer = arena_try_get(reader->arena, n, size);
    if (!pointer)
        error_set(reader->error, ERROR_MEMORY, "%s: no memory for %zu items", reader->place, n);
    return pointer;
}

/* A list of 32-bit numbers of the length `n` (or of any length for n < 0). */
const int32_t *reader_integers(TraceJsonReader *reader, const json_t *list, const char *key,
                               int32_t n)
{
    size_t size = json_array_size(list);
    if (n >= 0 && size != (size_t)n) {
        error_set(reader->error, ERROR_FORMAT, "%s: \"%s\" has %zu items; the axis has %d",
                  reader->place, key, size, n);
        return NULL;
    }
    int32_t *out = reader_allocate(reader, size, sizeof *out);
    for (size_t i = 0; out && i < size; i++) {
        const json_t *value = json_array_get(list, i);
        json_int_t number = json_integer_value(value);
        if (!json_is_integer(value) || number < INT32_MIN || number > INT32_MAX) {
            reader_fault(reader, key, "a list of whole numbers", value);
            return NULL;
        }
        out[i] = (int32_t)number;
    }
    return out;
}
