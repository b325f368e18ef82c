#include "base/json_text.h"

#include <string.h>

json_t *json_text_parse(const char *text, size_t n, const char *name, Error *error)
{
    size_t skip = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    json_error_t fault;
    json_t *value =
        json_loadb(text + skip, n - skip, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);
    if (value)
        return value;
    ErrorKind kind =
        json_error_code(&fault) == json_error_out_of_memory ? ERROR_MEMORY : ERROR_FORMAT;
    error_set(error, kind, "%s: line %d, column %d: %s", name, fault.line, fault.column,
              fault.text);
    return NULL;
}

const char *json_text_string(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

const char *json_text_type(const json_t *value)
{
    if (!value)
        return "nothing";
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_NULL: return "null";
    default: return "true or false";
    }
}
