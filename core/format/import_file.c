#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/import_set.h"

struct ImportFile {
    atomic_int references;
    char *name;
    FileMap map;  /* of a large file   */
    Bytes memory; /* of a small one    */
    bool mapped;
    void *kept;
    void (*release_kept)(void *kept);
};

ImportFile *import_file_copy(const char *data, size_t n, const char *name, Error *error)
{
    char *copy = memory_try_new(n + 1, 1);
    if (!copy) {
        error_set(error, ERROR_MEMORY, "%s: no memory for its %zu bytes", name, n);
        return NULL;
    }
    if (n)
        memcpy(copy, data, n);
    ImportFile *file = memory_new(1, sizeof *file);
    atomic_init(&file->references, 1);
    file->name = memory_copy_string(name);
    file->memory = (Bytes){copy, n};
    return file;
}

ImportFile *import_file_open(const char *path, Error *error)
{
    FileMap map;
    if (!file_map(path, &map, error))
        return NULL;
    if (map.size > IMPORT_COPIED_BYTES) {
        ImportFile *file = memory_new(1, sizeof *file);
        atomic_init(&file->references, 1);
        file->name = memory_copy_string(path);
        file->map = map;
        file->mapped = true;
        return file;
    }
    file_unmap(&map);
    Bytes bytes;
    if (!file_read(path, IMPORT_COPIED_BYTES, &bytes, error))
        return NULL;
    ImportFile *file = memory_new(1, sizeof *file);
    atomic_init(&file->references, 1);
    file->name = memory_copy_string(path);
    file->memory = bytes;
    return file;
}

ImportFile *import_file_retain(ImportFile *file)
{
    atomic_fetch_add(&file->references, 1);
    return file;
}

void import_file_release(void *pointer)
{
    ImportFile *file = pointer;
    if (!file || atomic_fetch_sub(&file->references, 1) != 1)
        return;
    if (file->release_kept)
        file->release_kept(file->kept);
    if (file->mapped)
        file_unmap(&file->map);
    bytes_free(&file->memory);
    free(file->name);
    free(file);
}

void import_file_keep(ImportFile *file, void *state, void (*release)(void *state))
{
    FOVEA_CHECK(!file->release_kept, "%s keeps something already", file->name);
    file->kept = state;
    file->release_kept = release;
}

static bool is_intact(void *file)
{
    return import_file_check(file, NULL);
}

void import_file_own(TraceBuilder *builder, ImportFile *file)
{
    trace_own(builder, import_file_retain(file), import_file_release);
    if (file->mapped)
        trace_guard(builder, file, is_intact);
}

bool import_file_check(const ImportFile *file, Error *error)
{
    if (!file->mapped || file_map_check(&file->map))
        return true;
    return error_set(error, ERROR_IO, "%s: the file became shorter while it was open", file->name);
}

const char *import_file_name(const ImportFile *file)
{
    return file->name;
}

const char *import_file_data(const ImportFile *file, size_t *n)
{
    *n = file->mapped ? file->map.size : file->memory.size;
    return file->mapped ? file->map.data : file->memory.data;
}
