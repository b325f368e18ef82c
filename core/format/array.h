/* array.h - an array that lies somewhere in a file: the common form of .npy, .npz,
 * .safetensors and torch files.
 *
 * Elements are numbers of a TraceType, or texts of a fixed width (numpy's <U7 and |S7). The
 * strides say how they lie; data has no particular alignment.
 *
 * Invariant: every element of the shape lies inside the storage that the array was read
 * from. Memory: borrowed from that storage; `name` from the reader.
 */
#ifndef FOVEA_FORMAT_ARRAY_H
#define FOVEA_FORMAT_ARRAY_H
#include <stdint.h>

#include "trace/trace.h"

#define ARRAY_MAX_RANK 32 /* as numpy */

typedef enum {
    ARRAY_NUMBERS,
    ARRAY_UNICODE, /* UTF-32 of `width` characters, zeros at the end are no part of it */
    ARRAY_BYTES,   /* `width` bytes, zeros at the end are no part of it                */
} ArrayKind;

typedef struct Array {
    const char *name;
    ArrayKind kind;
    TraceType type; /* of numbers */
    bool big_endian;
    int32_t width; /* of texts */
    int32_t rank;  /* 0: a single element */
    int64_t shape[ARRAY_MAX_RANK];
    int64_t stride[ARRAY_MAX_RANK]; /* in elements */
    int64_t count;                  /* product of the shape */
    const void *data;
} Array;

size_t array_element_bytes(const Array *array);

/* Sets count and dense strides (row-major, or column-major with `fortran`) from rank and
 * shape; false when the number of bytes overflows. */
bool array_set_dense(Array *array, bool fortran, size_t *bytes);

/* The bytes that `strides` reach, counted from `data`; false when they overflow or go below
 * data. For views whose strides come from a file. */
bool array_reach(const Array *array, size_t *bytes);

/* Element i in row-major order of a text array, as UTF-8 (what is no character becomes
 * U+FFFD); the caller frees. */
char *array_text(const Array *array, int64_t i);

/* Element i in row-major order of a number array. */
double array_number(const Array *array, int64_t i);

/* "[2, 12, 1, 7, 7]" for messages. */
#define ARRAY_SHAPE_BYTES 96
void array_describe_shape(const Array *array, char out[ARRAY_SHAPE_BYTES]);

#endif
