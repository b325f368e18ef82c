/* npy.h - numpy's array files.
 *
 * A magic number, a version, a header that is a Python dictionary written as text, then the
 * elements. The header is read by a small parser of exactly the literals that occur there;
 * nothing is evaluated. Read are versions 1 to 3, numbers of both byte orders and both
 * orders of the axes, bool, and texts (U and S). "V2" without a name is taken for bfloat16,
 * which is how it is saved by tools whose numpy does not know the type. Refused with a
 * sentence and, where Python can help, the two lines that convert the file: object arrays
 * (pickle), structured arrays, complex numbers, dates.
 *
 * Source: numpy's format description (numpy.lib.format).
 * Depends on: base, trace (element types).
 */
#ifndef FOVEA_FORMAT_NPY_H
#define FOVEA_FORMAT_NPY_H
#include <stddef.h>

#include "format/array.h"

#define NPY_MAX_HEADER_BYTES ((size_t)1 << 20)

bool npy_is(const void *bytes, size_t n); /* has the magic number */

/* The array at the start of bytes[0..n), in place. `name` is for messages and becomes the
 * array's name (borrowed). *used is where it ends: np.save called repeatedly on one file
 * puts arrays behind each other. */
bool npy_read(const void *bytes, size_t n, const char *name, Array *out, size_t *used,
              Error *error) FOVEA_MUST_USE;

/* ---- writing; numpy.load gives back the same array ---- */

/* One array of floats, row-major, atomically. */
bool npy_write(const char *path, int32_t rank, const int64_t *shape, const float *data,
               Error *error) FOVEA_MUST_USE;

/* An archive of arrays, members stored without compression so that they can be mapped. The
 * first error sticks. Data are borrowed until npz_writer_finish. */
typedef struct NpzWriter NpzWriter;

#define NPZ_MAX_MEMBER_BYTES ((uint64_t)0xFFFFFFFE) /* larger ones belong in a safetensors file */

NpzWriter *npz_writer_new(void);
void npz_writer_free(NpzWriter *writer); /* only when giving up; NULL is fine */
void npz_writer_add(NpzWriter *writer, const char *name, int32_t rank, const int64_t *shape,
                    const float *data);
/* Elements already of that type, little-endian, dense. BF16 and F8 have no numpy type: use
 * npz_writer_add. */
void npz_writer_add_raw(NpzWriter *writer, const char *name, TraceType type, int32_t rank,
                        const int64_t *shape, const void *data);
/* A list of texts, as numpy's <U type. */
void npz_writer_add_texts(NpzWriter *writer, const char *name, int64_t n, const char *const *texts);
/* A member that is no array: numpy hands it out as bytes. The text is copied. */
void npz_writer_add_file(NpzWriter *writer, const char *name, const char *text);
/* Writes atomically and frees the writer, also on failure. */
bool npz_writer_finish(NpzWriter *writer, const char *path, Error *error) FOVEA_MUST_USE;

#endif
