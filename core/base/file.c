#define _DEFAULT_SOURCE /* madvise */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/memory.h"
#include "base/strbuf.h"

#define READ_CHUNK_BYTES ((size_t)1 << 16)

static bool system_error(Error *error, const char *path, const char *doing)
{
    return error_set(error, ERROR_IO, "%s: cannot %s: %s", path, doing, strerror(errno));
}

static int open_regular(const char *path, struct stat *status, Error *error)
{
    /* O_NONBLOCK: opening a pipe that nobody writes must not hang. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        system_error(error, path, "open");
        return -1;
    }
    if (fstat(fd, status) != 0) {
        system_error(error, path, "examine");
        close(fd);
        return -1;
    }
    if (!S_ISREG(status->st_mode)) {
        const char *what = S_ISDIR(status->st_mode) ? "a directory" : "not a regular file";
        error_set(error, ERROR_IO, "%s: this is %s; a file was expected", path, what);
        close(fd);
        return -1;
    }
    return fd;
}

bool file_read_stream(FILE *stream, const char *name, size_t max_bytes, Bytes *out, Error *error)
{
    StrBuf buffer = {0};
    char *chunk = memory_new(1, READ_CHUNK_BYTES);
    size_t n;
    bool ok = true;
    while (ok && (n = fread(chunk, 1, READ_CHUNK_BYTES, stream)) > 0) {
        if (buffer.length + n > max_bytes)
            ok = error_set(error, ERROR_LIMIT, "%s: larger than the limit of %zu bytes", name,
                           max_bytes);
        else
            strbuf_add_bytes(&buffer, chunk, n);
    }
    if (ok && ferror(stream))
        ok = system_error(error, name, "read");
    free(chunk);
    out->size = ok ? buffer.length : 0;
    out->data = ok ? strbuf_take(&buffer) : NULL;
    strbuf_free(&buffer);
    return ok;
}

static bool read_all(int fd, const char *path, size_t size, Bytes *out, Error *error)
{
    char *data = memory_try_new(size + 1, 1);
    if (!data)
        return error_set(error, ERROR_MEMORY, "%s: no memory for its %zu bytes", path, size);
    size_t used = 0;
    while (used < size) {
        ssize_t n = read(fd, data + used, size - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            free(data);
            return system_error(error, path, "read");
        }
        if (n == 0)
            break;
        used += (size_t)n;
    }
    *out = (Bytes){data, used};
    return true;
}

bool file_read(const char *path, size_t max_bytes, Bytes *out, Error *error)
{
    *out = (Bytes){0};
    if (strcmp(path, "-") == 0)
        return file_read_stream(stdin, "standard input", max_bytes, out, error);
    struct stat status;
    int fd = open_regular(path, &status, error);
    if (fd < 0)
        return false;
    bool ok;
    if ((uintmax_t)status.st_size > max_bytes)
        ok = error_set(error, ERROR_LIMIT, "%s: %jd bytes, above the limit of %zu", path,
                       (intmax_t)status.st_size, max_bytes);
    else
        ok = read_all(fd, path, (size_t)status.st_size, out, error);
    close(fd);
    return ok;
}

void bytes_free(Bytes *bytes)
{
    free(bytes->data);
    *bytes = (Bytes){0};
}

bool file_read_gzip(const char *path, size_t max_bytes, Bytes *out, Error *error)
{
    *out = (Bytes){0};
    struct stat status;
    int fd = open_regular(path, &status, error);
    if (fd < 0)
        return false;
    gzFile stream = gzdopen(fd, "rb");
    if (!stream) {
        close(fd);
        return error_set(error, ERROR_MEMORY, "%s: cannot start decompressing", path);
    }
    StrBuf buffer = {0};
    char *chunk = memory_new(1, READ_CHUNK_BYTES);
    bool ok = true;
    int n;
    while (ok && (n = gzread(stream, chunk, READ_CHUNK_BYTES)) != 0) {
        if (n < 0)
            ok = error_set(error, ERROR_FORMAT, "%s: damaged compressed data after %zu bytes", path,
                           buffer.length);
        else if (buffer.length + (size_t)n > max_bytes)
            ok = error_set(error, ERROR_LIMIT, "%s: more than %zu bytes once decompressed", path,
                           max_bytes);
        else
            strbuf_add_bytes(&buffer, chunk, (size_t)n);
    }
    /* A truncated gzip ends without an error from gzread; gzclose tells. */
    if (gzclose(stream) != Z_OK && ok)
        ok = error_set(error, ERROR_FORMAT, "%s: the compressed data ends too early", path);
    free(chunk);
    if (ok) {
        out->size = buffer.length;
        out->data = strbuf_take(&buffer);
    }
    strbuf_free(&buffer);
    return ok;
}

bool file_map(const char *path, FileMap *out, Error *error)
{
    *out = (FileMap){.descriptor = -1};
    struct stat status;
    int fd = open_regular(path, &status, error);
    if (fd < 0)
        return false;
    size_t size = (size_t)status.st_size;
    void *data = NULL;
    if (size > 0) {
        data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            system_error(error, path, "map");
            close(fd);
            return false;
        }
    }
    *out = (FileMap){data, size, fd};
    return true;
}

bool file_map_check(const FileMap *map)
{
    struct stat status;
    return fstat(map->descriptor, &status) == 0 && (size_t)status.st_size >= map->size;
}

bool file_map_read(const FileMap *map, size_t at, size_t n, void *out)
{
    size_t used = 0;
    while (used < n) {
        ssize_t got = pread(map->descriptor, (char *)out + used, n - used, (off_t)(at + used));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        used += (size_t)got;
    }
    return true;
}

void file_map_forget(const FileMap *map, const void *from, size_t n)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)from + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)from + n) / page * page;
    FOVEA_CHECK((const char *)from >= map->data && n <= map->size, "outside of the file");
    if (begin < end) /* a wish: the bytes stay readable either way */
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void file_unmap(FileMap *map)
{
    if (map->data)
        munmap((void *)map->data, map->size);
    if (map->descriptor >= 0)
        close(map->descriptor);
    *map = (FileMap){.descriptor = -1};
}

bool file_begin_write(const char *path, FileWriter *writer, Error *error)
{
    *writer = (FileWriter){0};
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode))
        return error_set(error, ERROR_IO, "%s: cannot be replaced: not a regular file", path);
    StrBuf name = {0};
    strbuf_addf(&name, "%s.tmp-", path);
    for (int i = 0; i < 6; i++)
        strbuf_add_char(&name, 'X'); /* mkstemp's six */
    int fd = mkstemp(name.text);
    if (fd < 0) {
        strbuf_free(&name);
        return system_error(error, path, "write here");
    }
    mode_t mask = umask(0);
    umask(mask);
    /* mkstemp makes a private file; the result should look like any other. */
    if (fchmod(fd, exists ? status.st_mode & 07777 : 0666 & ~mask) != 0)
        errno = 0;
    writer->stream = fdopen(fd, "wb");
    writer->path = memory_copy_string(path);
    writer->temporary = strbuf_take(&name);
    if (!writer->stream) {
        close(fd);
        file_cancel_write(writer);
        return error_set(error, ERROR_IO, "%s: cannot be written", path);
    }
    return true;
}

bool file_end_write(FileWriter *writer, Error *error)
{
    bool ok = fflush(writer->stream) == 0 && !ferror(writer->stream) &&
              fsync(fileno(writer->stream)) == 0;
    int saved = errno;
    ok = fclose(writer->stream) == 0 && ok;
    writer->stream = NULL;
    if (ok) {
        ok = rename(writer->temporary, writer->path) == 0;
        saved = errno;
    }
    if (!ok)
        error_set(error, ERROR_IO, "%s: cannot write: %s; nothing was changed", writer->path,
                  strerror(saved));
    if (ok) {
        free(writer->temporary);
        writer->temporary = NULL;
    }
    file_cancel_write(writer);
    return ok;
}

void file_cancel_write(FileWriter *writer)
{
    if (writer->stream)
        fclose(writer->stream);
    if (writer->temporary)
        unlink(writer->temporary);
    free(writer->temporary);
    free(writer->path);
    *writer = (FileWriter){0};
}

bool file_write(const char *path, const void *data, size_t n, Error *error)
{
    FileWriter writer;
    if (!file_begin_write(path, &writer, error))
        return false;
    if (n)
        fwrite(data, 1, n, writer.stream); /* a short write shows in file_end_write */
    return file_end_write(&writer, error);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_make_directories(const char *path, Error *error)
{
    char *copy = memory_copy_string(path);
    bool ok = true;
    for (char *p = copy + 1; ok && *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *p = '/';
    }
    ok = ok && (mkdir(copy, 0777) == 0 || errno == EEXIST);
    if (!ok)
        system_error(error, path, "make the directory");
    free(copy);
    return ok;
}

const char *file_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *file_extension(const char *path)
{
    const char *name = file_base_name(path);
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? dot : "";
}

char *file_join(const char *directory, const char *name)
{
    StrBuf path = {0};
    size_t n = strlen(directory);
    bool slash = n == 0 || directory[n - 1] == '/';
    strbuf_addf(&path, "%s%s%s", directory, slash ? "" : "/", name);
    return strbuf_take(&path);
}
