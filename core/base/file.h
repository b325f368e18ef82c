/* file.h - whole files in, whole files out.
 *
 * Reading: into memory (with a limit) or mapped. Writing: to a temporary file beside the
 * target, flushed, synced and renamed, so that a failed or killed write leaves the old
 * file whole.
 *
 * Only regular files are read ("-" is standard input where a caller allows it): a
 * directory, a device or a pipe with a file's name is refused with a message. A mapped file
 * that shrinks while it is in use would fault the process; file_map_check tells.
 */
#ifndef FOVEA_BASE_FILE_H
#define FOVEA_BASE_FILE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define FILE_MAX_READ_BYTES ((size_t)1 << 31)

typedef struct Bytes {
    char *data; /* followed by one zero byte that `size` does not count */
    size_t size;
} Bytes;

/* The whole file, or standard input for "-"; ERROR_LIMIT above max_bytes. */
bool file_read(const char *path, size_t max_bytes, Bytes *out, Error *error) FOVEA_MUST_USE;
bool file_read_stream(FILE *stream, const char *name, size_t max_bytes, Bytes *out,
                      Error *error) FOVEA_MUST_USE;
void bytes_free(Bytes *bytes);

/* The whole content of a gzip file, or the file itself when it is not one. */
bool file_read_gzip(const char *path, size_t max_bytes, Bytes *out, Error *error) FOVEA_MUST_USE;

typedef struct FileMap {
    const char *data; /* NULL for an empty file */
    size_t size;
    int descriptor;
} FileMap;

bool file_map(const char *path, FileMap *out, Error *error) FOVEA_MUST_USE;
bool file_map_check(const FileMap *map); /* false once the file has become shorter */
/* Bytes [at, at + n) of the file without touching the map; false when they cannot be read. */
bool file_map_read(const FileMap *map, size_t at, size_t n, void *out);
/* [from, from + n) of a map will not be read again soon: its memory is given back. Reading it
 * stays possible. */
void file_map_forget(const FileMap *map, const void *from, size_t n);
void file_unmap(FileMap *map);

/* Atomic replacement of the whole file. */
bool file_write(const char *path, const void *data, size_t n, Error *error) FOVEA_MUST_USE;

/* The same in parts: file_begin_write gives a stream on the temporary file;
 * file_end_write checks everything written, syncs and renames; file_cancel_write removes
 * the temporary file. Exactly one of the two ends must be called. */
typedef struct FileWriter {
    FILE *stream;
    char *path;
    char *temporary;
} FileWriter;

bool file_begin_write(const char *path, FileWriter *writer, Error *error) FOVEA_MUST_USE;
bool file_end_write(FileWriter *writer, Error *error) FOVEA_MUST_USE;
void file_cancel_write(FileWriter *writer);

bool file_exists(const char *path);
bool file_make_directories(const char *path, Error *error) FOVEA_MUST_USE;

/* "/a/b/c.txt" -> "c.txt"; borrowed from `path`. */
const char *file_base_name(const char *path);
/* ".txt", or "" when there is none; borrowed. */
const char *file_extension(const char *path);
/* directory + "/" + name; the caller frees. */
char *file_join(const char *directory, const char *name);

#endif
