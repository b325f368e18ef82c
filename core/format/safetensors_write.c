#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/half.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/strmap.h"
#include "base/utf8.h"
#include "format/safetensors.h"

#define HEADER_ALIGNMENT 64 /* so that mapped data start on a vector's boundary */
#define CONVERT_CHUNK    4096

typedef struct Entry {
    char *name;
    TraceType type;
    int32_t rank;
    int64_t shape[SAFETENSORS_MAX_RANK];
    size_t count;
    const float *floats; /* to be converted, or NULL */
    const void *raw;
} Entry;

struct SafeTensorsWriter {
    StrBuf metadata; /* "key":"value",... */
    StrMap *keys;
    StrMap *names;
    Entry *entries;
    size_t n, capacity;
    Error error;
};

SafeTensorsWriter *safetensors_writer_new(void)
{
    SafeTensorsWriter *writer = memory_new(1, sizeof *writer);
    writer->keys = strmap_new();
    writer->names = strmap_new();
    return writer;
}

void safetensors_writer_free(SafeTensorsWriter *writer)
{
    if (!writer)
        return;
    for (size_t i = 0; i < writer->n; i++)
        free(writer->entries[i].name);
    free(writer->entries);
    strbuf_free(&writer->metadata);
    strmap_free(writer->keys);
    strmap_free(writer->names);
    free(writer);
}

static bool claim(SafeTensorsWriter *writer, StrMap *names, const char *what, const char *name)
{
    size_t n = strlen(name);
    if (!utf8_is_valid(name, n))
        return error_set(&writer->error, ERROR_INPUT, "%s \"%s\" is not valid UTF-8", what, name);
    if (strmap_get(names, name, n) >= 0)
        return error_set(&writer->error, ERROR_INPUT, "%s \"%s\" is there twice", what, name);
    strmap_put(names, name, n, 0);
    return true;
}

static void add_string(StrBuf *buffer, const char *text)
{
    strbuf_add_char(buffer, '"');
    strbuf_add_json(buffer, text, strlen(text));
    strbuf_add_char(buffer, '"');
}

void safetensors_writer_metadata(SafeTensorsWriter *writer, const char *key, const char *value)
{
    if (error_is_set(&writer->error) || !claim(writer, writer->keys, "metadata", key))
        return;
    if (writer->metadata.length)
        strbuf_add_char(&writer->metadata, ',');
    add_string(&writer->metadata, key);
    strbuf_add_char(&writer->metadata, ':');
    add_string(&writer->metadata, value);
}

static void add_entry(SafeTensorsWriter *writer, Entry entry, const char *name,
                      const int64_t *shape)
{
    if (error_is_set(&writer->error) || !claim(writer, writer->names, "tensor", name))
        return;
    if (entry.rank < 0 || entry.rank > SAFETENSORS_MAX_RANK) {
        error_set(&writer->error, ERROR_LIMIT, "tensor \"%s\" has %d axes; at most %d are written",
                  name, entry.rank, SAFETENSORS_MAX_RANK);
        return;
    }
    entry.count = 1;
    for (int32_t i = 0; i < entry.rank; i++) {
        FOVEA_CHECK(shape[i] >= 0, "tensor %s: length %lld", name, (long long)shape[i]);
        entry.shape[i] = shape[i];
        entry.count *= (size_t)shape[i];
    }
    entry.name = memory_copy_string(name);
    writer->entries =
        memory_grow(writer->entries, &writer->capacity, writer->n + 1, sizeof *writer->entries);
    writer->entries[writer->n++] = entry;
}

void safetensors_writer_add(SafeTensorsWriter *writer, const char *name, TraceType type,
                            int32_t rank, const int64_t *shape, const float *data)
{
    FOVEA_CHECK(type == TRACE_F32 || type == TRACE_F64 || type == TRACE_F16 || type == TRACE_BF16,
                "tensor %s: floats cannot be written as %s", name, trace_type_name(type));
    add_entry(writer, (Entry){.type = type, .rank = rank, .floats = data}, name, shape);
}

void safetensors_writer_add_raw(SafeTensorsWriter *writer, const char *name, TraceType type,
                                int32_t rank, const int64_t *shape, const void *data)
{
    add_entry(writer, (Entry){.type = type, .rank = rank, .raw = data}, name, shape);
}

/* ---- the file ---- */

static void add_tensor_header(StrBuf *header, const Entry *entry, size_t begin, size_t end)
{
    add_string(header, entry->name);
    strbuf_addf(header, ":{\"dtype\":\"%s\",\"shape\":[", trace_type_name(entry->type));
    for (int32_t i = 0; i < entry->rank; i++)
        strbuf_addf(header, "%s%lld", i ? "," : "", (long long)entry->shape[i]);
    strbuf_addf(header, "],\"data_offsets\":[%zu,%zu]}", begin, end);
}

static void build_header(const SafeTensorsWriter *writer, StrBuf *header)
{
    strbuf_add_char(header, '{');
    if (writer->metadata.length) {
        strbuf_add(header, "\"__metadata__\":{");
        strbuf_add(header, writer->metadata.text);
        strbuf_add_char(header, '}');
    }
    size_t offset = 0;
    for (size_t i = 0; i < writer->n; i++) {
        const Entry *entry = &writer->entries[i];
        size_t bytes = entry->count * trace_type_bytes(entry->type);
        if (header->length > 1)
            strbuf_add_char(header, ',');
        add_tensor_header(header, entry, offset, offset + bytes);
        offset += bytes;
    }
    strbuf_add_char(header, '}');
    while ((header->length + 8) % HEADER_ALIGNMENT)
        strbuf_add_char(header, ' ');
}

static void convert(const float *source, size_t n, TraceType type, void *out)
{
    if (type == TRACE_F16) {
        half_write_f16(source, n, out);
    } else if (type == TRACE_BF16) {
        half_write_bf16(source, n, out);
    } else {
        double *wide = out;
        for (size_t i = 0; i < n; i++)
            wide[i] = (double)source[i];
    }
}

/* Short writes show in file_end_write. */
static void write_entry(const Entry *entry, FILE *stream)
{
    size_t size = trace_type_bytes(entry->type);
    const void *ready = entry->type == TRACE_F32 && entry->floats ? entry->floats : entry->raw;
    if (ready) {
        fwrite(ready, size, entry->count, stream);
        return;
    }
    double chunk[CONVERT_CHUNK];
    for (size_t done = 0; done < entry->count; done += CONVERT_CHUNK) {
        size_t n = entry->count - done < CONVERT_CHUNK ? entry->count - done : CONVERT_CHUNK;
        convert(entry->floats + done, n, entry->type, chunk);
        fwrite(chunk, size, n, stream);
    }
}

static bool write_file(const SafeTensorsWriter *writer, const char *path, Error *error)
{
    FileWriter file;
    if (!file_begin_write(path, &file, error))
        return false;
    StrBuf header = {0};
    build_header(writer, &header);
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)header.length >> 8 * i);
    fwrite(length, 1, sizeof length, file.stream);
    fwrite(header.text, 1, header.length, file.stream);
    strbuf_free(&header);
    for (size_t i = 0; i < writer->n; i++)
        write_entry(&writer->entries[i], file.stream);
    return file_end_write(&file, error);
}

bool safetensors_writer_finish(SafeTensorsWriter *writer, const char *path, Error *error)
{
    bool ok = !error_is_set(&writer->error);
    if (ok)
        ok = write_file(writer, path, error);
    else
        error_set(error, writer->error.kind, "%s: %s", path, writer->error.message);
    safetensors_writer_free(writer);
    return ok;
}
