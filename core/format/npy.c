#include "format/npy.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6
#define MAX_WIDTH   (1 << 20)

bool npy_is(const void *bytes, size_t n)
{
    return n >= MAGIC_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) == 0;
}

/* ---- the dictionary ---- */

typedef struct Header {
    const char *text;
    size_t n, i;
    const char *name; /* of the file */
    Error *error;
} Header;

static bool fault(Header *header, const char *wanted)
{
    return error_set(header->error, ERROR_FORMAT,
                     "%s: the array header at byte %zu: %s was expected", header->name, header->i,
                     wanted);
}

static void skip_spaces(Header *header)
{
    while (header->i < header->n && strchr(" \t\r\n", header->text[header->i]) &&
           header->text[header->i])
        header->i++;
}

/* Takes the character if it comes next. */
static bool take(Header *header, char c)
{
    skip_spaces(header);
    if (header->i >= header->n || header->text[header->i] != c)
        return false;
    header->i++;
    return true;
}

static bool take_word(Header *header, const char *word)
{
    size_t length = strlen(word);
    skip_spaces(header);
    if (header->n - header->i < length || memcmp(header->text + header->i, word, length) != 0)
        return false;
    header->i += length;
    return true;
}

/* A string in either kind of quotes, without escapes: none occurs in what is accepted. */
static bool read_string(Header *header, char *out, size_t size)
{
    skip_spaces(header);
    char quote = header->i < header->n ? header->text[header->i] : '\0';
    if (quote != '\'' && quote != '"')
        return fault(header, "a string");
    size_t start = ++header->i;
    while (header->i < header->n && header->text[header->i] != quote)
        header->i++;
    size_t length = header->i - start;
    if (header->i == header->n || length >= size)
        return fault(header, "the end of a short string");
    memcpy(out, header->text + start, length);
    out[length] = '\0';
    header->i++;
    return true;
}

static bool read_length(Header *header, int64_t *out)
{
    size_t start = header->i;
    int64_t value = 0;
    while (header->i < header->n && header->text[header->i] >= '0' &&
           header->text[header->i] <= '9') {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, header->text[header->i] - '0', &value))
            return fault(header, "a smaller length");
        header->i++;
    }
    *out = value;
    if (header->i == start)
        return fault(header, "a length");
    take(header, 'L'); /* Python 2 wrote (2L,) */
    return true;
}

static bool read_shape(Header *header, Array *array)
{
    if (!take(header, '('))
        return fault(header, "a tuple of lengths");
    array->rank = 0;
    while (!take(header, ')')) {
        if (array->rank == ARRAY_MAX_RANK)
            return fault(header, "at most 32 lengths");
        skip_spaces(header);
        if (!read_length(header, &array->shape[array->rank++]))
            return false;
        if (!take(header, ',') && (header->i >= header->n || header->text[header->i] != ')'))
            return fault(header, "a comma or the end of the tuple");
    }
    return true;
}

static bool read_bool(Header *header, bool *out)
{
    *out = take_word(header, "True");
    return *out || take_word(header, "False") || fault(header, "True or False");
}

/* ---- the type ---- */

static const struct {
    const char *code;
    TraceType type;
} NUMBER_TYPES[] =
    {
        {"f4", TRACE_F32},  {"f8", TRACE_F64}, {"f2", TRACE_F16}, {"i1", TRACE_I8},
        {"i2", TRACE_I16},  {"i4", TRACE_I32}, {"i8", TRACE_I64}, {"u1", TRACE_U8},
        {"u2", TRACE_U16},  {"u4", TRACE_U32}, {"u8", TRACE_U64}, {"b1", TRACE_BOOL},
        {"V2", TRACE_BF16}, /* ml_dtypes' bfloat16 on a numpy without it */
};

static bool refuse_type(const Header *header, const char *descr)
{
    char kind = descr[0] && strchr("<>|=", descr[0]) ? descr[1] : descr[0];
    if (kind == 'O')
        return error_set(header->error, ERROR_UNSUPPORTED,
                         "%s: an array of Python objects (a pickle) is not read. Convert it in "
                         "Python: a = numpy.load(\"file\", allow_pickle=True); "
                         "numpy.savez(\"new.npz\", *[numpy.asarray(x, \"f4\") for x in a.flat])",
                         header->name);
    if (kind == 'c')
        return error_set(header->error, ERROR_UNSUPPORTED,
                         "%s: complex numbers (%s); save a.real or abs(a) instead", header->name,
                         descr);
    return error_set(header->error, ERROR_UNSUPPORTED,
                     "%s: elements of type \"%s\" are not read; known are floats, integers, bool "
                     "and texts",
                     header->name, descr);
}

static bool read_width(const Header *header, const char *digits, Array *array)
{
    size_t n = strlen(digits);
    /* Without a width any number of elements would fit into no bytes. */
    if (number_parse_index(digits, n, &array->width) != n || array->width < 1 ||
        array->width > MAX_WIDTH)
        return error_set(header->error, ERROR_LIMIT,
                         "%s: texts of \"%s\" characters; 1 to %d are read", header->name, digits,
                         MAX_WIDTH);
    return true;
}

static bool parse_type(const Header *header, const char *descr, Array *array)
{
    const char *code = descr;
    array->big_endian = descr[0] == '>';
    if (descr[0] && strchr("<>|=", descr[0]))
        code++;
    array->kind = ARRAY_NUMBERS;
    if (code[0] == 'U' || code[0] == 'S' || code[0] == 'a') {
        array->kind = code[0] == 'U' ? ARRAY_UNICODE : ARRAY_BYTES;
        return read_width(header, code + 1, array);
    }
    for (size_t i = 0; i < sizeof NUMBER_TYPES / sizeof *NUMBER_TYPES; i++) {
        if (strcmp(NUMBER_TYPES[i].code, code) == 0) {
            array->type = NUMBER_TYPES[i].type;
            return true;
        }
    }
    return refuse_type(header, descr);
}

static bool read_type(Header *header, Array *array)
{
    char descr[64];
    skip_spaces(header);
    if (header->i < header->n && header->text[header->i] == '[')
        return error_set(header->error, ERROR_UNSUPPORTED,
                         "%s: a structured array (with named fields) is not read; save one field: "
                         "numpy.save(\"new.npy\", a[\"field\"])",
                         header->name);
    return read_string(header, descr, sizeof descr) && parse_type(header, descr, array);
}

/* ---- the whole ---- */

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4 };

static bool read_entry(Header *header, Array *array, bool *fortran, int *has)
{
    char key[32];
    if (!read_string(header, key, sizeof key))
        return false;
    int which = strcmp(key, "descr") == 0           ? HAS_DESCR
                : strcmp(key, "fortran_order") == 0 ? HAS_ORDER
                : strcmp(key, "shape") == 0         ? HAS_SHAPE
                                                    : 0;
    if (!which || (*has & which))
        return fault(header, "one each of descr, fortran_order and shape");
    *has |= which;
    if (!take(header, ':'))
        return fault(header, "a colon");
    if (which == HAS_DESCR)
        return read_type(header, array);
    return which == HAS_ORDER ? read_bool(header, fortran) : read_shape(header, array);
}

static bool read_dictionary(Header *header, Array *array, bool *fortran)
{
    int has = 0;
    if (!take(header, '{'))
        return fault(header, "a dictionary");
    while (!take(header, '}')) {
        if (!read_entry(header, array, fortran, &has))
            return false;
        if (!take(header, ',') && (header->i >= header->n || header->text[header->i] != '}'))
            return fault(header, "a comma or the end of the dictionary");
    }
    skip_spaces(header);
    if (header->i < header->n)
        return fault(header, "nothing after the dictionary");
    return has == (HAS_DESCR | HAS_ORDER | HAS_SHAPE) ||
           fault(header, "descr, fortran_order and shape");
}

/* Where the dictionary lies: [*start, *end). */
static bool find_header(const unsigned char *p, size_t n, const char *name, size_t *start,
                        size_t *end, Error *error)
{
    if (!npy_is(p, n) || n < MAGIC_BYTES + 2)
        return error_set(error, ERROR_FORMAT, "%s: does not begin as a numpy array", name);
    int major = p[MAGIC_BYTES];
    if (major < 1 || major > 3)
        return error_set(error, ERROR_UNSUPPORTED,
                         "%s: version %d of the numpy array format; 1 to 3 are read", name, major);
    size_t length = 0, width = major == 1 ? 2 : 4;
    *start = MAGIC_BYTES + 2 + width;
    if (n < *start)
        return error_set(error, ERROR_FORMAT, "%s: ends within the array header", name);
    for (size_t i = 0; i < width; i++)
        length |= (size_t)p[MAGIC_BYTES + 2 + i] << 8 * i;
    if (length > NPY_MAX_HEADER_BYTES)
        return error_set(error, ERROR_LIMIT,
                         "%s: an array header of %zu bytes; at most %zu are read", name, length,
                         NPY_MAX_HEADER_BYTES);
    if (length > n - *start)
        return error_set(error, ERROR_FORMAT,
                         "%s: the array header should have %zu bytes, %zu are there: cut off?",
                         name, length, n - *start);
    *end = *start + length;
    return true;
}

bool npy_read(const void *bytes, size_t n, const char *name, Array *out, size_t *used, Error *error)
{
    size_t start = 0, end = 0, size;
    bool fortran = false;
    *out = (Array){.name = name};
    if (!find_header(bytes, n, name, &start, &end, error))
        return false;
    Header header = {(const char *)bytes + start, end - start, 0, name, error};
    if (!read_dictionary(&header, out, &fortran))
        return false;
    char shape[ARRAY_SHAPE_BYTES];
    array_describe_shape(out, shape);
    if (!array_set_dense(out, fortran, &size))
        return error_set(error, ERROR_LIMIT, "%s: the shape %s is more than can be", name, shape);
    if (size > n - end)
        return error_set(error, ERROR_FORMAT,
                         "%s: the shape %s needs %zu bytes, %zu are there: cut off?", name, shape,
                         size, n - end);
    out->data = (const char *)bytes + end;
    *used = end + size;
    return true;
}
