#include "trace/trace.h"

#include <math.h>
#include <string.h>

#include "base/half.h"

static const char *const ROLE_NAMES[TRACE_N_ROLES] = {"weights", "scores", "probabilities",
                                                      "mask",    "state",  "scalar"};

static const struct {
    const char *name;
    size_t bytes;
} TYPES[TRACE_N_TYPES] = {
    [TRACE_F32] = {"F32", 4},   [TRACE_F64] = {"F64", 8},         [TRACE_F16] = {"F16", 2},
    [TRACE_BF16] = {"BF16", 2}, [TRACE_F8_E4M3] = {"F8_E4M3", 1}, [TRACE_F8_E5M2] = {"F8_E5M2", 1},
    [TRACE_I8] = {"I8", 1},     [TRACE_I16] = {"I16", 2},         [TRACE_I32] = {"I32", 4},
    [TRACE_I64] = {"I64", 8},   [TRACE_U8] = {"U8", 1},           [TRACE_U16] = {"U16", 2},
    [TRACE_U32] = {"U32", 4},   [TRACE_U64] = {"U64", 8},         [TRACE_BOOL] = {"BOOL", 1},
};

size_t trace_type_bytes(TraceType type)
{
    return TYPES[type].bytes;
}

const char *trace_type_name(TraceType type)
{
    return TYPES[type].name;
}

bool trace_type_parse(const char *name, TraceType *type)
{
    for (int i = 0; i < TRACE_N_TYPES; i++) {
        if (strcmp(TYPES[i].name, name) == 0) {
            *type = (TraceType)i;
            return true;
        }
    }
    return false;
}

const char *trace_role_name(TraceRole role)
{
    return ROLE_NAMES[role];
}

bool trace_role_parse(const char *name, TraceRole *role)
{
    for (int i = 0; i < TRACE_N_ROLES; i++) {
        if (strcmp(ROLE_NAMES[i], name) == 0) {
            *role = (TraceRole)i;
            return true;
        }
    }
    return false;
}

/* The element's bytes as an unsigned number, whatever the order in memory. */
static uint64_t load_bits(const unsigned char *p, size_t bytes, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; i++)
        bits |= (uint64_t)p[i] << 8 * (big_endian ? bytes - 1 - i : i);
    return bits;
}

static double f64_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double trace_element(TraceType type, bool big_endian, const void *element)
{
    uint64_t bits = load_bits(element, TYPES[type].bytes, big_endian);
    switch (type) {
    case TRACE_F32: return (double)f32_of_bits((uint32_t)bits);
    case TRACE_F64: return f64_of_bits(bits);
    case TRACE_F16: return (double)half_f16_to_f32((uint16_t)bits);
    case TRACE_BF16: return (double)half_bf16_to_f32((uint16_t)bits);
    case TRACE_F8_E4M3: return (double)half_e4m3_to_f32((uint8_t)bits);
    case TRACE_F8_E5M2: return (double)half_e5m2_to_f32((uint8_t)bits);
    case TRACE_U64: return (double)bits;
    case TRACE_BOOL: return bits != 0;
    default: return (double)trace_element_integer(type, big_endian, element);
    }
}

int64_t trace_element_integer(TraceType type, bool big_endian, const void *element)
{
    uint64_t bits = load_bits(element, TYPES[type].bytes, big_endian);
    switch (type) {
    case TRACE_I8: return (int8_t)bits;
    case TRACE_I16: return (int16_t)bits;
    case TRACE_I32: return (int32_t)bits;
    default: return (int64_t)bits;
    }
}

static const char *element_at(const TraceMatrix *matrix, int32_t row, int32_t col)
{
    int64_t offset = row * matrix->row_stride + col * matrix->col_stride;
    return (const char *)matrix->data + offset * (int64_t)TYPES[matrix->type].bytes;
}

float trace_matrix_get(const TraceMatrix *matrix, int32_t row, int32_t col)
{
    FOVEA_CHECK(row >= 0 && row < matrix->rows && col >= 0 && col < matrix->cols,
                "cell %d, %d of a matrix of %d x %d", row, col, matrix->rows, matrix->cols);
    return (float)trace_element(matrix->type, matrix->big_endian, element_at(matrix, row, col));
}

static bool machine_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/* The common cases without a decision per element; false when there is no fast way. */
static bool read_fast(const TraceMatrix *matrix, const char *source, int32_t n, float *out)
{
    size_t bytes = TYPES[matrix->type].bytes;
    if (bytes > 1 && matrix->big_endian != machine_is_big_endian())
        return false;
    int64_t stride = matrix->col_stride * (int64_t)bytes;
    if (matrix->type == TRACE_F32 && matrix->col_stride == 1) {
        memcpy(out, source, (size_t)n * sizeof *out);
    } else if (matrix->type == TRACE_F32) {
        for (int32_t i = 0; i < n; i++)
            memcpy(out + i, source + i * stride, sizeof *out);
    } else if (matrix->type == TRACE_F16 && matrix->col_stride == 1) {
        half_read_f16(source, (size_t)n, out);
    } else if (matrix->type == TRACE_F16) {
        for (int32_t i = 0; i < n; i++) {
            uint16_t bits;
            memcpy(&bits, source + i * stride, sizeof bits);
            out[i] = half_f16_to_f32(bits);
        }
    } else if (matrix->type == TRACE_BF16 && matrix->col_stride == 1) {
        half_read_bf16(source, (size_t)n, out);
    } else if (matrix->type == TRACE_F64) {
        for (int32_t i = 0; i < n; i++) {
            double value;
            memcpy(&value, source + i * stride, sizeof value);
            out[i] = (float)value;
        }
    } else {
        return false;
    }
    return true;
}

void trace_matrix_read(const TraceMatrix *matrix, int32_t row, int32_t begin, int32_t end,
                       float *out)
{
    FOVEA_CHECK(row >= 0 && row < matrix->rows && begin >= 0 && begin <= end && end <= matrix->cols,
                "row %d, columns %d to %d of a matrix of %d x %d", row, begin, end, matrix->rows,
                matrix->cols);
    if (begin == end)
        return;
    const char *source = element_at(matrix, row, begin);
    if (read_fast(matrix, source, end - begin, out))
        return;
    int64_t stride = matrix->col_stride * (int64_t)TYPES[matrix->type].bytes;
    for (int32_t i = 0; i < end - begin; i++)
        out[i] = (float)trace_element(matrix->type, matrix->big_endian, source + i * stride);
}

TraceMatrix trace_matrix_transpose(TraceMatrix matrix)
{
    TraceMatrix turned = matrix;
    turned.rows = matrix.cols;
    turned.cols = matrix.rows;
    turned.row_stride = matrix.col_stride;
    turned.col_stride = matrix.row_stride;
    return turned;
}
