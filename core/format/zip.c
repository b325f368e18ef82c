#include "format/zip.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/memory.h"
#include "base/strmap.h"
#include "base/utf8.h"

#define LOCAL_BYTES     30
#define CENTRAL_BYTES   46
#define END_BYTES       22
#define END64_BYTES     56
#define LOCATOR64_BYTES 20
#define MAX_COMMENT     65535
#define BLANK32         0xFFFFFFFFu
#define MAX_RATIO       1032 /* of deflate, by its construction */

struct Zip {
    char *name;
    const unsigned char *bytes;
    size_t n;
    ZipMember *members;
    void **inflated; /* what was handed out, or NULL */
    uint64_t inflated_bytes;
    int32_t count;
    StrMap *names; /* owns the members' names */
};

static uint64_t read_number(const unsigned char *p, int n)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

static bool has_mark(const Zip *zip, uint64_t offset, uint64_t size, const char *mark)
{
    return offset <= zip->n && size <= zip->n - offset && memcmp(zip->bytes + offset, mark, 4) == 0;
}

bool zip_is(const void *bytes, size_t n)
{
    return n >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

/* ---- the end of the archive ---- */

typedef struct Directory {
    uint64_t offset, size, count;
} Directory;

static bool find_end(const Zip *zip, uint64_t *end, Error *error)
{
    for (size_t comment = 0; comment <= MAX_COMMENT && comment + END_BYTES <= zip->n; comment++) {
        size_t at = zip->n - END_BYTES - comment;
        if (has_mark(zip, at, END_BYTES, "PK\5\6") &&
            read_number(zip->bytes + at + 20, 2) == comment) {
            *end = at;
            return true;
        }
    }
    return error_set(error, ERROR_FORMAT,
                     "%s: the archive has no directory at its end: cut off during a download?",
                     zip->name);
}

/* Archives with large numbers keep them in a second end record, found by a locator. */
static bool read_end64(const Zip *zip, uint64_t end, Directory *directory, Error *error)
{
    if (end < LOCATOR64_BYTES || !has_mark(zip, end - LOCATOR64_BYTES, LOCATOR64_BYTES, "PK\6\7"))
        return true;
    uint64_t at = read_number(zip->bytes + end - LOCATOR64_BYTES + 8, 8);
    if (!has_mark(zip, at, END64_BYTES, "PK\6\6"))
        return error_set(error, ERROR_FORMAT, "%s: the archive's second directory end is missing",
                         zip->name);
    directory->count = read_number(zip->bytes + at + 32, 8);
    directory->size = read_number(zip->bytes + at + 40, 8);
    directory->offset = read_number(zip->bytes + at + 48, 8);
    return true;
}

static bool find_directory(const Zip *zip, Directory *directory, Error *error)
{
    uint64_t end = 0;
    if (!find_end(zip, &end, error))
        return false;
    const unsigned char *p = zip->bytes + end;
    if (read_number(p + 4, 2) != read_number(p + 6, 2))
        return error_set(error, ERROR_UNSUPPORTED, "%s: an archive in several parts", zip->name);
    *directory = (Directory){.count = read_number(p + 10, 2),
                             .size = read_number(p + 12, 4),
                             .offset = read_number(p + 16, 4)};
    if (!read_end64(zip, end, directory, error))
        return false;
    if (directory->count > ZIP_MAX_MEMBERS)
        return error_set(error, ERROR_LIMIT, "%s: %llu members; at most %d are read", zip->name,
                         (unsigned long long)directory->count, ZIP_MAX_MEMBERS);
    if (directory->offset > zip->n || directory->size > zip->n - directory->offset)
        return error_set(error, ERROR_FORMAT,
                         "%s: the archive's directory lies outside of the file", zip->name);
    return true;
}

/* ---- one member ---- */

/* Replaces what is blank (all ones) in the order that the format fixes. */
static bool read_extra64(const unsigned char *extra, size_t n, ZipMember *member)
{
    uint64_t *fields[] = {&member->size, &member->compressed, &member->offset};
    for (size_t i = 0; i + 4 <= n;) {
        uint64_t id = read_number(extra + i, 2), size = read_number(extra + i + 2, 2);
        if (size > n - i - 4)
            return false;
        const unsigned char *p = extra + i + 4;
        for (int k = 0; id == 1 && k < 3; k++) {
            if (*fields[k] != BLANK32)
                continue;
            if (size < 8)
                return false;
            *fields[k] = read_number(p, 8);
            p += 8;
            size -= 8;
        }
        i += 4 + (size_t)read_number(extra + i + 2, 2);
    }
    return true;
}

static bool check_kind(const Zip *zip, const unsigned char *entry, const ZipMember *member,
                       Error *error)
{
    uint64_t flags = read_number(entry + 8, 2), method = read_number(entry + 10, 2);
    if (flags & 1)
        return error_set(error, ERROR_UNSUPPORTED, "%s: member \"%s\" is encrypted", zip->name,
                         member->name);
    if (method != 0 && method != 8)
        return error_set(error, ERROR_UNSUPPORTED,
                         "%s: member \"%s\" is compressed by method %llu; stored and deflated ones "
                         "are read",
                         zip->name, member->name, (unsigned long long)method);
    if (method == 0 && member->size != member->compressed)
        return error_set(error, ERROR_FORMAT,
                         "%s: member \"%s\" is stored but gives two sizes, %llu and %llu",
                         zip->name, member->name, (unsigned long long)member->compressed,
                         (unsigned long long)member->size);
    if (member->size > ZIP_MAX_INFLATED_BYTES && method == 8)
        return error_set(error, ERROR_LIMIT,
                         "%s: member \"%s\" would inflate to %llu bytes; at most %llu are read",
                         zip->name, member->name, (unsigned long long)member->size,
                         (unsigned long long)ZIP_MAX_INFLATED_BYTES);
    if (method == 8 && member->size / MAX_RATIO > member->compressed)
        return error_set(
            error, ERROR_FORMAT,
            "%s: member \"%s\" claims to inflate from %llu to %llu bytes, which deflate "
            "cannot do",
            zip->name, member->name, (unsigned long long)member->compressed,
            (unsigned long long)member->size);
    return true;
}

/* From the offset of the local header to that of the data behind it. */
static bool find_data(const Zip *zip, ZipMember *member, Error *error)
{
    if (!has_mark(zip, member->offset, LOCAL_BYTES, "PK\3\4"))
        return error_set(error, ERROR_FORMAT, "%s: member \"%s\" is not where the directory says",
                         zip->name, member->name);
    const unsigned char *local = zip->bytes + member->offset;
    uint64_t start =
        member->offset + LOCAL_BYTES + read_number(local + 26, 2) + read_number(local + 28, 2);
    if (start > zip->n || member->compressed > zip->n - start)
        return error_set(error, ERROR_FORMAT, "%s: member \"%s\" reaches beyond the file",
                         zip->name, member->name);
    member->offset = start;
    return true;
}

static bool claim_name(Zip *zip, const char *text, size_t n, ZipMember *member, Error *error)
{
    char shown[80];
    utf8_clean(text, n, shown, sizeof shown);
    if (!utf8_is_valid(text, n) || memchr(text, '\0', n))
        return error_set(error, ERROR_FORMAT, "%s: the member name \"%s\" is not valid UTF-8",
                         zip->name, shown);
    if (strmap_get(zip->names, text, n) >= 0)
        return error_set(error, ERROR_FORMAT, "%s: two members are called \"%s\"", zip->name,
                         shown);
    strmap_put(zip->names, text, n, zip->count);
    member->name = strmap_key(zip->names, zip->count, NULL, NULL);
    return true;
}

/* Reads the entry at `offset` of the directory and moves behind it. */
static bool read_entry(Zip *zip, const Directory *directory, uint64_t *offset, Error *error)
{
    uint64_t end = directory->offset + directory->size;
    const unsigned char *p = zip->bytes + *offset;
    if (end - *offset < CENTRAL_BYTES || memcmp(p, "PK\1\2", 4) != 0)
        return error_set(error, ERROR_FORMAT, "%s: entry %d of the archive's directory is damaged",
                         zip->name, zip->count);
    uint64_t name = read_number(p + 28, 2), extra = read_number(p + 30, 2);
    uint64_t comment = read_number(p + 32, 2), size = CENTRAL_BYTES + name + extra + comment;
    if (size > end - *offset)
        return error_set(error, ERROR_FORMAT, "%s: entry %d of the archive's directory is cut off",
                         zip->name, zip->count);
    ZipMember *member = &zip->members[zip->count];
    *member = (ZipMember){.crc = (uint32_t)read_number(p + 16, 4),
                          .compressed = read_number(p + 20, 4),
                          .size = read_number(p + 24, 4),
                          .offset = read_number(p + 42, 4),
                          .deflated = read_number(p + 10, 2) == 8};
    if (!claim_name(zip, (const char *)p + CENTRAL_BYTES, (size_t)name, member, error))
        return false;
    if (!read_extra64(p + CENTRAL_BYTES + name, (size_t)extra, member))
        return error_set(error, ERROR_FORMAT, "%s: member \"%s\" has damaged extra fields",
                         zip->name, member->name);
    if (!check_kind(zip, p, member, error) || !find_data(zip, member, error))
        return false;
    zip->count++;
    *offset += size;
    return true;
}

/* ---- the whole ---- */

static int by_offset(const void *a, const void *b)
{
    const ZipMember *x = *(const ZipMember *const *)a, *y = *(const ZipMember *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool check_overlaps(const Zip *zip, Error *error)
{
    const ZipMember **order = memory_new((size_t)zip->count, sizeof(ZipMember *));
    for (int32_t i = 0; i < zip->count; i++)
        order[i] = &zip->members[i];
    qsort(order, (size_t)zip->count, sizeof *order, by_offset);
    bool ok = true;
    for (int32_t i = 1; i < zip->count && ok; i++)
        if (order[i - 1]->offset + order[i - 1]->compressed > order[i]->offset)
            ok = error_set(error, ERROR_FORMAT, "%s: members \"%s\" and \"%s\" overlap", zip->name,
                           order[i - 1]->name, order[i]->name);
    free(order);
    return ok;
}

static bool read_directory(Zip *zip, Error *error)
{
    Directory directory = {0};
    if (!find_directory(zip, &directory, error))
        return false;
    zip->members = memory_new((size_t)directory.count, sizeof *zip->members);
    zip->inflated = memory_new((size_t)directory.count, sizeof *zip->inflated);
    uint64_t offset = directory.offset;
    for (uint64_t i = 0; i < directory.count; i++)
        if (!read_entry(zip, &directory, &offset, error))
            return false;
    /* The map may have moved its keys while it grew. */
    for (int32_t i = 0; i < zip->count; i++)
        zip->members[i].name = strmap_key(zip->names, i, NULL, NULL);
    return check_overlaps(zip, error);
}

Zip *zip_open(const void *bytes, size_t n, const char *name, Error *error)
{
    Zip *zip = memory_new(1, sizeof *zip);
    zip->name = memory_copy_string(name);
    zip->bytes = bytes;
    zip->n = n;
    zip->names = strmap_new();
    if (read_directory(zip, error))
        return zip;
    zip_close(zip);
    return NULL;
}

void zip_close(Zip *zip)
{
    if (!zip)
        return;
    for (int32_t i = 0; i < zip->count; i++)
        free(zip->inflated[i]);
    free(zip->inflated);
    free(zip->members);
    strmap_free(zip->names);
    free(zip->name);
    free(zip);
}

int32_t zip_count(const Zip *zip)
{
    return zip->count;
}

const ZipMember *zip_member(const Zip *zip, int32_t i)
{
    FOVEA_CHECK(i >= 0 && i < zip->count, "member %d of %d", i, zip->count);
    return &zip->members[i];
}

/* ---- data ---- */

static uint32_t checksum(const void *data, uint64_t n)
{
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, (z_size_t)n);
}

static bool inflate_all(const Zip *zip, const ZipMember *member, void *out)
{
    z_stream stream = {0};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return false;
    const unsigned char *in = zip->bytes + member->offset;
    uint64_t left_in = member->compressed, left_out = member->size;
    const uint64_t portion = 1u << 30; /* zlib counts in 32 bits */
    stream.next_in = (unsigned char *)in;
    stream.next_out = out;
    int state = Z_OK;
    while (state == Z_OK) {
        if (stream.avail_in == 0) {
            stream.avail_in = (unsigned)(left_in < portion ? left_in : portion);
            left_in -= stream.avail_in;
        }
        if (stream.avail_out == 0) {
            stream.avail_out = (unsigned)(left_out < portion ? left_out : portion);
            left_out -= stream.avail_out;
        }
        state = inflate(&stream, Z_NO_FLUSH);
    }
    bool ok = state == Z_STREAM_END && stream.avail_out == 0 && left_out == 0;
    inflateEnd(&stream);
    return ok;
}

static const void *read_inflated(Zip *zip, int32_t i, Error *error)
{
    const ZipMember *member = &zip->members[i];
    if (zip->inflated[i])
        return zip->inflated[i];
    if (member->size > ZIP_MAX_INFLATED_BYTES - zip->inflated_bytes) {
        error_set(error, ERROR_LIMIT, "%s: the members inflate to more than %llu bytes in all",
                  zip->name, (unsigned long long)ZIP_MAX_INFLATED_BYTES);
        return NULL;
    }
    void *out = memory_try_new((size_t)member->size, 1);
    if (!out) {
        error_set(error, ERROR_MEMORY, "%s: no memory for the %llu bytes of member \"%s\"",
                  zip->name, (unsigned long long)member->size, member->name);
        return NULL;
    }
    zip->inflated[i] = out;
    if (!inflate_all(zip, member, out) || checksum(out, member->size) != member->crc) {
        zip->inflated[i] = NULL;
        free(out);
        error_set(error, ERROR_FORMAT, "%s: the compressed data of member \"%s\" are damaged",
                  zip->name, member->name);
        return NULL;
    }
    zip->inflated_bytes += member->size;
    return out;
}

const void *zip_read(Zip *zip, int32_t i, Error *error)
{
    const ZipMember *member = zip_member(zip, i);
    if (member->deflated)
        return read_inflated(zip, i, error);
    const unsigned char *data = zip->bytes + member->offset;
    if (member->size <= ZIP_CHECKED_STORED_BYTES && checksum(data, member->size) != member->crc) {
        error_set(error, ERROR_FORMAT, "%s: the checksum of member \"%s\" does not match its data",
                  zip->name, member->name);
        return NULL;
    }
    return data;
}
