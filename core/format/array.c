#include "format/array.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "base/utf8.h"

size_t array_element_bytes(const Array *array)
{
    switch (array->kind) {
    case ARRAY_UNICODE: return 4 * (size_t)array->width;
    case ARRAY_BYTES: return (size_t)array->width;
    default: return trace_type_bytes(array->type);
    }
}

bool array_set_dense(Array *array, bool fortran, size_t *bytes)
{
    int64_t count = 1, stride = 1;
    bool empty = false, fits = true;
    for (int32_t i = 0; i < array->rank; i++)
        empty = empty || array->shape[i] == 0;
    for (int32_t k = 0; k < array->rank; k++) {
        int32_t i = fortran ? k : array->rank - 1 - k;
        array->stride[i] = empty ? 0 : stride;
        if (!empty)
            fits = fits && !__builtin_mul_overflow(stride, array->shape[i], &stride);
    }
    count = empty ? 0 : stride;
    array->count = count;
    return fits && memory_multiply((size_t)count, array_element_bytes(array), bytes) &&
           *bytes <= INT64_MAX;
}

bool array_reach(const Array *array, size_t *bytes)
{
    int64_t last = 0;
    for (int32_t i = 0; i < array->rank; i++) {
        int64_t reach;
        if (array->stride[i] < 0 ||
            __builtin_mul_overflow(array->stride[i], array->shape[i] - 1, &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return false;
    }
    return memory_multiply((size_t)last + 1, array_element_bytes(array), bytes) &&
           *bytes <= INT64_MAX;
}

static const char *element_at(const Array *array, int64_t i)
{
    FOVEA_CHECK(i >= 0 && i < array->count, "element %lld of %lld", (long long)i,
                (long long)array->count);
    int64_t offset = 0;
    for (int32_t d = array->rank; d-- > 0;) {
        offset += i % array->shape[d] * array->stride[d];
        i /= array->shape[d];
    }
    return (const char *)array->data + offset * (int64_t)array_element_bytes(array);
}

double array_number(const Array *array, int64_t i)
{
    FOVEA_CHECK(array->kind == ARRAY_NUMBERS, "array %s holds no numbers", array->name);
    return trace_element(array->type, array->big_endian, element_at(array, i));
}

static void add_character(StrBuf *out, uint32_t code)
{
    char bytes[4];
    strbuf_add_bytes(out, bytes, (size_t)utf8_encode(code, bytes));
}

static void add_bytes(StrBuf *out, const char *bytes, size_t n)
{
    uint32_t code;
    while (n > 0 && bytes[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n;) {
        i += (size_t)utf8_decode(bytes + i, n - i, &code);
        add_character(out, code ? code : UTF8_REPLACEMENT);
    }
}

static void add_unicode(StrBuf *out, const char *element, int32_t width, bool big_endian)
{
    int32_t n = width;
    while (n > 0 && trace_element_integer(TRACE_U32, big_endian, element + 4 * (n - 1)) == 0)
        n--;
    for (int32_t i = 0; i < n; i++) {
        int64_t code = trace_element_integer(TRACE_U32, big_endian, element + 4 * i);
        add_character(out, code ? (uint32_t)code : UTF8_REPLACEMENT);
    }
}

char *array_text(const Array *array, int64_t i)
{
    FOVEA_CHECK(array->kind != ARRAY_NUMBERS, "array %s holds no texts", array->name);
    StrBuf out = {0};
    if (array->kind == ARRAY_UNICODE)
        add_unicode(&out, element_at(array, i), array->width, array->big_endian);
    else
        add_bytes(&out, element_at(array, i), (size_t)array->width);
    return strbuf_take(&out);
}

void array_describe_shape(const Array *array, char out[ARRAY_SHAPE_BYTES])
{
    size_t used = (size_t)snprintf(out, ARRAY_SHAPE_BYTES, "[");
    for (int32_t i = 0; i < array->rank && used < ARRAY_SHAPE_BYTES - 24; i++)
        used += (size_t)snprintf(out + used, ARRAY_SHAPE_BYTES - used, "%s%lld", i ? ", " : "",
                                 (long long)array->shape[i]);
    snprintf(out + used, ARRAY_SHAPE_BYTES - used, "]");
}
