#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/strmap.h"
#include "base/utf8.h"
#include "format/npy.h"

#define ALIGNMENT 64 /* of the elements, as numpy itself writes */

/* ---- one array ---- */

static const char *descr_of(TraceType type)
{
    static const char *const DESCR[TRACE_N_TYPES] = {
        [TRACE_F32] = "<f4", [TRACE_F64] = "<f8", [TRACE_F16] = "<f2", [TRACE_I8] = "|i1",
        [TRACE_I16] = "<i2", [TRACE_I32] = "<i4", [TRACE_I64] = "<i8", [TRACE_U8] = "|u1",
        [TRACE_U16] = "<u2", [TRACE_U32] = "<u4", [TRACE_U64] = "<u8", [TRACE_BOOL] = "|b1",
    };
    return DESCR[type];
}

/* Magic, version, length and dictionary, padded so that what follows is aligned when the
 * header itself begins at a multiple of ALIGNMENT. */
static void add_header(StrBuf *out, const char *descr, int32_t rank, const int64_t *shape)
{
    StrBuf text = {0};
    strbuf_addf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int32_t i = 0; i < rank; i++)
        strbuf_addf(&text, "%s%lld", i ? ", " : "", (long long)shape[i]);
    strbuf_add(&text, rank == 1 ? ",), }" : "), }");
    while ((10 + text.length + 1) % ALIGNMENT)
        strbuf_add_char(&text, ' ');
    strbuf_add_char(&text, '\n');
    strbuf_add_bytes(out, "\x93NUMPY\1\0", 8);
    strbuf_add_char(out, (char)(text.length & 0xFF));
    strbuf_add_char(out, (char)(text.length >> 8));
    strbuf_add_bytes(out, text.text, text.length);
    strbuf_free(&text);
}

static uint64_t count_of(int32_t rank, const int64_t *shape)
{
    uint64_t count = 1;
    for (int32_t i = 0; i < rank; i++)
        count *= (uint64_t)shape[i];
    return count;
}

bool npy_write(const char *path, int32_t rank, const int64_t *shape, const float *data,
               Error *error)
{
    FileWriter file;
    if (!file_begin_write(path, &file, error))
        return false;
    StrBuf header = {0};
    add_header(&header, descr_of(TRACE_F32), rank, shape);
    fwrite(header.text, 1, header.length, file.stream);
    fwrite(data, sizeof *data, count_of(rank, shape), file.stream);
    strbuf_free(&header);
    return file_end_write(&file, error);
}

/* ---- the archive ---- */

typedef struct Member {
    char *name; /* with ".npy" */
    StrBuf header;
    const void *data;
    void *owned; /* data that were made here, or NULL */
    uint64_t bytes;
    uint32_t crc, offset;
} Member;

struct NpzWriter {
    StrMap *names;
    Member *members;
    size_t n, capacity;
    Error error;
};

NpzWriter *npz_writer_new(void)
{
    NpzWriter *writer = memory_new(1, sizeof *writer);
    writer->names = strmap_new();
    return writer;
}

void npz_writer_free(NpzWriter *writer)
{
    if (!writer)
        return;
    for (size_t i = 0; i < writer->n; i++) {
        free(writer->members[i].name);
        free(writer->members[i].owned);
        strbuf_free(&writer->members[i].header);
    }
    free(writer->members);
    strmap_free(writer->names);
    free(writer);
}

/* A new member called `file_name`; NULL after an error. */
static Member *add_member(NpzWriter *writer, const char *file_name, uint64_t bytes)
{
    size_t n = strlen(file_name);
    if (error_is_set(&writer->error))
        return NULL;
    if (!utf8_is_valid(file_name, n) || strmap_get(writer->names, file_name, n) >= 0 || n > 1000 ||
        bytes > NPZ_MAX_MEMBER_BYTES) {
        error_set(&writer->error, bytes > NPZ_MAX_MEMBER_BYTES ? ERROR_LIMIT : ERROR_INPUT,
                  "\"%.60s\" cannot be added: its name is used twice or is not valid, or it has "
                  "more than %llu bytes",
                  file_name, (unsigned long long)NPZ_MAX_MEMBER_BYTES);
        return NULL;
    }
    strmap_put(writer->names, file_name, n, 0);
    writer->members =
        memory_grow(writer->members, &writer->capacity, writer->n + 1, sizeof *writer->members);
    Member *member = &writer->members[writer->n++];
    *member = (Member){.name = memory_copy_string(file_name), .bytes = bytes};
    return member;
}

static Member *add_array(NpzWriter *writer, const char *name, const char *descr, int32_t rank,
                         const int64_t *shape, uint64_t bytes)
{
    StrBuf file_name = {0};
    strbuf_addf(&file_name, "%s.npy", name);
    Member *member = add_member(writer, file_name.text, bytes);
    if (member)
        add_header(&member->header, descr, rank, shape);
    strbuf_free(&file_name);
    return member;
}

void npz_writer_add_file(NpzWriter *writer, const char *name, const char *text)
{
    size_t n = strlen(text);
    Member *member = add_member(writer, name, n);
    if (member)
        member->data = member->owned = memory_copy_bytes(text, n);
}

void npz_writer_add_raw(NpzWriter *writer, const char *name, TraceType type, int32_t rank,
                        const int64_t *shape, const void *data)
{
    const char *descr = descr_of(type);
    FOVEA_CHECK(descr, "array %s: numpy has no type %s", name, trace_type_name(type));
    Member *member =
        add_array(writer, name, descr, rank, shape, count_of(rank, shape) * trace_type_bytes(type));
    if (member)
        member->data = data;
}

void npz_writer_add(NpzWriter *writer, const char *name, int32_t rank, const int64_t *shape,
                    const float *data)
{
    npz_writer_add_raw(writer, name, TRACE_F32, rank, shape, data);
}

static void put_texts(uint32_t *out, size_t width, int64_t n, const char *const *texts)
{
    for (int64_t i = 0; i < n; i++) {
        size_t length = strlen(texts[i]), k = 0;
        for (size_t j = 0; j < length;)
            j += (size_t)utf8_decode(texts[i] + j, length - j, &out[(size_t)i * width + k++]);
    }
}

void npz_writer_add_texts(NpzWriter *writer, const char *name, int64_t n, const char *const *texts)
{
    size_t width = 1;
    for (int64_t i = 0; i < n; i++) {
        size_t length = utf8_length(texts[i], strlen(texts[i]));
        width = length > width ? length : width;
    }
    char descr[32];
    snprintf(descr, sizeof descr, "<U%zu", width);
    /* As many characters as the longest has for each: a long text among many may not fit. */
    uint32_t *data = memory_try_new((size_t)n * width, sizeof *data);
    Member *member = data ? add_array(writer, name, descr, 1, &n, (uint64_t)n * width * 4) : NULL;
    if (!member) {
        error_set(&writer->error, ERROR_MEMORY, "no memory for the texts \"%.60s\"", name);
        free(data);
        return;
    }
    put_texts(data, width, n, texts);
    member->data = member->owned = data;
}

static void put(StrBuf *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_add_char(out, (char)(value >> 8 * i));
}

/* What the local header and the directory's entry have in common. The date is the format's
 * first day, so that equal arrays give equal files. */
static void put_facts(StrBuf *out, const Member *member)
{
    uint64_t size = member->header.length + member->bytes;
    put(out, 20, 2);
    put(out, 0x800, 2); /* names are UTF-8 */
    put(out, 0, 2);     /* stored */
    put(out, 0, 2);
    put(out, 0x21, 2);
    put(out, member->crc, 4);
    put(out, size, 4);
    put(out, size, 4);
    put(out, strlen(member->name), 2);
}

/* An empty extra field pads the local header so that the elements lie aligned in the file. */
static uint64_t write_member(Member *member, uint64_t offset, FILE *stream)
{
    StrBuf local = {0};
    uint64_t start = offset + 30 + strlen(member->name);
    uint64_t padding = (ALIGNMENT - (start + 4) % ALIGNMENT) % ALIGNMENT;
    member->offset = (uint32_t)offset;
    member->crc = 0;
    if (member->header.length) /* zlib takes no data for "start again" */
        member->crc =
            (uint32_t)crc32_z(0, (const void *)member->header.text, member->header.length);
    if (member->bytes)
        member->crc = (uint32_t)crc32_z(member->crc, member->data, (z_size_t)member->bytes);
    strbuf_add(&local, "PK\3\4");
    put_facts(&local, member);
    put(&local, 4 + padding, 2);
    strbuf_add(&local, member->name);
    put(&local, 0xFEFA, 2); /* an identifier that nobody uses */
    put(&local, padding, 2);
    for (uint64_t i = 0; i < padding; i++)
        strbuf_add_char(&local, '\0');
    fwrite(local.text, 1, local.length, stream);
    if (member->header.length)
        fwrite(member->header.text, 1, member->header.length, stream);
    if (member->bytes)
        fwrite(member->data, 1, member->bytes, stream);
    offset += local.length + member->header.length + member->bytes;
    strbuf_free(&local);
    return offset;
}

static void put_directory(const NpzWriter *writer, uint64_t offset, StrBuf *out)
{
    for (size_t i = 0; i < writer->n; i++) {
        const Member *member = &writer->members[i];
        strbuf_add(out, "PK\1\2");
        put(out, 20, 2);
        put_facts(out, member);
        put(out, 0, 2); /* extra field, comment, part, attributes */
        put(out, 0, 2);
        put(out, 0, 2);
        put(out, 0, 2);
        put(out, 0, 4);
        put(out, member->offset, 4);
        strbuf_add(out, member->name);
    }
    uint64_t size = out->length;
    strbuf_add(out, "PK\5\6");
    put(out, 0, 4);
    put(out, writer->n, 2);
    put(out, writer->n, 2);
    put(out, size, 4);
    put(out, offset, 4);
    put(out, 0, 2);
}

static bool fits(const NpzWriter *writer)
{
    uint64_t total = 0;
    for (size_t i = 0; i < writer->n; i++)
        total += 30 + 46 + 4 + ALIGNMENT + 2 * strlen(writer->members[i].name) +
                 writer->members[i].header.length + writer->members[i].bytes;
    return total <= NPZ_MAX_MEMBER_BYTES && writer->n < 65535;
}

bool npz_writer_finish(NpzWriter *writer, const char *path, Error *error)
{
    FileWriter file;
    bool ok = false;
    if (!error_is_set(&writer->error) && !fits(writer))
        error_set(&writer->error, ERROR_LIMIT,
                  "more than 4 GB or 65,534 arrays; write a safetensors file instead");
    if (error_is_set(&writer->error)) {
        error_set(error, writer->error.kind, "%s: %s", path, writer->error.message);
    } else if (file_begin_write(path, &file, error)) {
        uint64_t offset = 0;
        for (size_t i = 0; i < writer->n; i++)
            offset = write_member(&writer->members[i], offset, file.stream);
        StrBuf directory = {0};
        put_directory(writer, offset, &directory);
        fwrite(directory.text, 1, directory.length, file.stream);
        strbuf_free(&directory);
        ok = file_end_write(&file, error);
    }
    npz_writer_free(writer);
    return ok;
}
