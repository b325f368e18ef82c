/* safetensors.h - named tensors in one file, mapped.
 *
 * A file is a length (eight bytes, little-endian), a JSON header of that length, and the
 * tensors' bytes, little-endian and row-major. The header gives every tensor's type, shape
 * and place, and under "__metadata__" strings by name. Models and large dumps are such
 * files: opening one reads the header only.
 *
 * Invariants of an opened file:
 *   1. Every tensor lies inside the data, has exactly shape x type bytes, and overlaps no
 *      other; together they cover the data without holes, as the format demands.
 *   2. Names are unique, valid UTF-8.
 *   3. `data` has no particular alignment: read through safetensors_read or trace_element.
 *
 * Memory: names, shapes and metadata live as long as the SafeTensors. Threads: reading an
 * opened file is safe from many threads. Depends on: base, trace (element types).
 * Source: the format's description at github.com/huggingface/safetensors.
 */
#ifndef FOVEA_FORMAT_SAFETENSORS_H
#define FOVEA_FORMAT_SAFETENSORS_H
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/trace.h"

#define SAFETENSORS_MAX_HEADER_BYTES 100000000 /* as the reference reader */
#define SAFETENSORS_MAX_RANK         8

typedef struct SafeTensors SafeTensors;

typedef struct SafeTensor {
    const char *name;
    TraceType type;
    int32_t rank; /* 0: a single number */
    int64_t shape[SAFETENSORS_MAX_RANK];
    int64_t count; /* product of the shape */
    const void *data;
    size_t bytes;
} SafeTensor;

SafeTensors *safetensors_open(const char *path, Error *error) FOVEA_MUST_USE;
/* The same from memory that the caller keeps until closing; `name` is for messages. */
SafeTensors *safetensors_open_memory(const void *data, size_t n, const char *name,
                                     Error *error) FOVEA_MUST_USE;
void safetensors_close(SafeTensors *file); /* NULL is fine */

int32_t safetensors_count(const SafeTensors *file);
const SafeTensor *safetensors_at(const SafeTensors *file, int32_t i); /* in the header's order */
const SafeTensor *safetensors_find(const SafeTensors *file, const char *name); /* or NULL */

int32_t safetensors_n_metadata(const SafeTensors *file);
const char *safetensors_metadata_at(const SafeTensors *file, int32_t i, const char **key);
const char *safetensors_metadata(const SafeTensors *file, const char *key); /* or NULL */

/* All elements as floats, [count]. false when the file has become shorter since it was
 * opened. */
bool safetensors_read(const SafeTensors *file, const SafeTensor *tensor, float *out,
                      Error *error) FOVEA_MUST_USE;

/* All elements as the file has them, [bytes]: read past the map, so that what is kept costs no
 * second touch of every page. */
bool safetensors_copy(const SafeTensors *file, const SafeTensor *tensor, void *out,
                      Error *error) FOVEA_MUST_USE;

/* Its elements will not be read again soon: gives back the memory of the mapped file. */
void safetensors_forget(const SafeTensors *file, const SafeTensor *tensor);

/* The whole storage that tensors point into, for trace_add_mapped. */
const void *safetensors_storage(const SafeTensors *file, size_t *bytes);

/* ---- writing ----
 * Names and metadata are copied, data are borrowed until safetensors_writer_finish. The
 * first error sticks (two tensors of one name, a shape of rank above the limit). */

typedef struct SafeTensorsWriter SafeTensorsWriter;

SafeTensorsWriter *safetensors_writer_new(void);
void safetensors_writer_free(SafeTensorsWriter *writer); /* only when giving up; NULL is fine */

void safetensors_writer_metadata(SafeTensorsWriter *writer, const char *key, const char *value);

/* Floats, written as F32, F64, F16 or BF16 (rounded to nearest even). */
void safetensors_writer_add(SafeTensorsWriter *writer, const char *name, TraceType type,
                            int32_t rank, const int64_t *shape, const float *data);
/* Elements that are already of that type, in this machine's byte order (little-endian). */
void safetensors_writer_add_raw(SafeTensorsWriter *writer, const char *name, TraceType type,
                                int32_t rank, const int64_t *shape, const void *data);

/* Writes the file atomically, tensors in the order of adding, and frees the writer, also on
 * failure. The same input gives the same bytes. */
bool safetensors_writer_finish(SafeTensorsWriter *writer, const char *path,
                               Error *error) FOVEA_MUST_USE;

#endif
