#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "format/zip.h"

/* A member as it is written, and the lies that the tests tell about it. */
typedef struct Member {
    const char *name;
    const char *data;
    uint32_t n;
    bool deflate;
    uint32_t claim_size;   /* 0: the true one */
    uint32_t claim_offset; /* 0: the true one */
    int method, flags;     /* 0: what fits    */
    uint32_t crc_error;
} Member;

static void put(StrBuf *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_add_char(out, (char)(value >> 8 * i));
}

static StrBuf pack(const Member *member)
{
    StrBuf out = {0};
    if (!member->deflate) {
        strbuf_add_bytes(&out, member->data, member->n);
        return out;
    }
    unsigned char buffer[4096];
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)member->data;
    stream.avail_in = member->n;
    stream.next_out = buffer;
    stream.avail_out = sizeof buffer;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    strbuf_add_bytes(&out, buffer, sizeof buffer - stream.avail_out);
    deflateEnd(&stream);
    return out;
}

static void put_facts(StrBuf *out, const Member *member, uint32_t packed)
{
    uint32_t crc = (uint32_t)crc32(0, (const unsigned char *)member->data, member->n);
    put(out, 20, 2);
    put(out, (uint64_t)member->flags, 2);
    put(out, (uint64_t)(member->method ? member->method : member->deflate ? 8 : 0), 2);
    put(out, 0, 4);
    put(out, crc + member->crc_error, 4);
    put(out, packed, 4);
    put(out, member->claim_size ? member->claim_size : member->n, 4);
    put(out, strlen(member->name), 2);
}

static StrBuf make_zip(const Member *members, size_t n)
{
    StrBuf out = {0}, directory = {0};
    for (size_t i = 0; i < n; i++) {
        size_t offset = out.length;
        StrBuf packed = pack(&members[i]);
        strbuf_add(&out, "PK\3\4");
        put_facts(&out, &members[i], (uint32_t)packed.length);
        put(&out, 0, 2);
        strbuf_add(&out, members[i].name);
        strbuf_add_bytes(&out, packed.text, packed.length);
        strbuf_add(&directory, "PK\1\2");
        put(&directory, 20, 2);
        put_facts(&directory, &members[i], (uint32_t)packed.length);
        put(&directory, 0, 8);
        put(&directory, 0, 4);
        put(&directory, members[i].claim_offset ? members[i].claim_offset : offset, 4);
        strbuf_add(&directory, members[i].name);
        strbuf_free(&packed);
    }
    size_t start = out.length;
    strbuf_add_bytes(&out, directory.text, directory.length);
    strbuf_add(&out, "PK\5\6");
    put(&out, 0, 4);
    put(&out, n, 2);
    put(&out, n, 2);
    put(&out, directory.length, 4);
    put(&out, start, 4);
    put(&out, 0, 2);
    strbuf_free(&directory);
    return out;
}

static void stored_and_deflated_members_are_read(void **state)
{
    (void)state;
    Error error = {0};
    Member members[] = {
        {.name = "a", .data = "plain", .n = 5},
        {.name = "folder/b", .data = "aaaaaaaaaaaaaaaaaaaaaa", .n = 22, .deflate = 1},
        {.name = "none", .data = "", .n = 0, .deflate = 1}};
    StrBuf file = make_zip(members, 3);
    assert_true(zip_is(file.text, file.length));
    Zip *zip = zip_open(file.text, file.length, "x.zip", &error);
    assert_ok(zip);
    assert_int_equal(zip_count(zip), 3);
    assert_string_equal(zip_member(zip, 1)->name, "folder/b");
    const char *plain = zip_read(zip, 0, &error);
    assert_ok(plain);
    assert_true(plain > file.text && plain < file.text + file.length); /* in place */
    assert_memory_equal(plain, "plain", 5);
    const char *inflated = zip_read(zip, 1, &error);
    assert_ok(inflated);
    assert_memory_equal(inflated, members[1].data, 22);
    assert_ptr_equal(zip_read(zip, 1, &error), inflated);
    assert_ok(zip_read(zip, 2, &error));
    zip_close(zip);
    strbuf_free(&file);
}

static void archives_of_numpy_are_read(void **state)
{
    (void)state;
    static const char *const FILES[] = {"stored.npz", "deflated.npz"};
    for (int f = 0; f < 2; f++) {
        Error error = {0};
        StrBuf path = {0};
        Bytes bytes;
        strbuf_addf(&path, "%s/npy/%s", FOVEA_TEST_DATA, FILES[f]);
        assert_ok(file_read(path.text, 1 << 20, &bytes, &error));
        Zip *zip = zip_open(bytes.data, bytes.size, FILES[f], &error);
        assert_ok(zip);
        assert_int_equal(zip_count(zip), 2);
        assert_string_equal(zip_member(zip, 0)->name, "a.npy");
        for (int i = 0; i < 2; i++)
            assert_memory_equal(zip_read(zip, i, &error), "\x93NUMPY", 6);
        zip_close(zip);
        bytes_free(&bytes);
        strbuf_free(&path);
    }
}

static void lies_are_refused(void **state)
{
    (void)state;
    static const struct {
        Member members[2];
        size_t n;
        const char *part;
    } CASES[] = {
        {{{.name = "a", .data = "x", .n = 1, .flags = 1}}, 1, "\"a\" is encrypted"},
        {{{.name = "a", .data = "x", .n = 1, .method = 93}}, 1, "method 93"},
        {{{.name = "a", .data = "x", .n = 1, .claim_size = 2}}, 1, "two sizes, 1 and 2"},
        {{{.name = "a", .data = "x", .n = 1, .deflate = 1, .claim_size = 1u << 30}},
         1,
         "which deflate cannot do"},
        {{{.name = "a", .data = "x", .n = 1, .deflate = 1, .claim_size = 0x80000001u}},
         1,
         "would inflate to 2147483649 bytes"},
        {{{.name = "a", .data = "x", .n = 1}, {.name = "a", .data = "y", .n = 1}},
         2,
         "two members are called \"a\""},
        {{{.name = "a", .data = "x", .n = 1, .claim_offset = 7}},
         1,
         "not where the directory says"},
        {{{.name = "a", .data = "x", .n = 1, .claim_offset = 0xFFFFFF}}, 1, "not where"},
        {{{.name = "\xFF", .data = "x", .n = 1}}, 1, "not valid UTF-8"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        StrBuf file = make_zip(CASES[i].members, CASES[i].n);
        assert_refused(zip_open(file.text, file.length, "x.zip", &error), CASES[i].part);
        strbuf_free(&file);
    }
}

/* The archive that inflates to petabytes has its members share one piece of data. */
static void overlapping_members_are_refused(void **state)
{
    (void)state;
    Error error = {0};
    Member members[] = {{.name = "a", .data = "same", .n = 4},
                        {.name = "b", .data = "same", .n = 4}};
    StrBuf file = make_zip(members, 2);
    /* The second entry of the directory is made to point to the first member. */
    char *entry = file.text + file.length - 22 - 47;
    assert_memory_equal(entry, "PK\1\2", 4);
    memset(entry + 42, 0, 4);
    assert_refused(zip_open(file.text, file.length, "x.zip", &error), "\"a\" and \"b\" overlap");
    strbuf_free(&file);
}

static void damaged_data_are_refused_when_read(void **state)
{
    (void)state;
    Error error = {0};
    Member members[] = {
        {.name = "crc", .data = "plain", .n = 5, .crc_error = 1},
        {.name = "packed", .data = "aaaaaaaaaaaaaaaa", .n = 16, .deflate = 1, .crc_error = 1},
        {.name = "longer", .data = "abcdefgh", .n = 8, .deflate = 1, .claim_size = 9},
        {.name = "shorter", .data = "abcdefgh", .n = 8, .deflate = 1, .claim_size = 7},
        {.name = "noise", .data = "\377\377\377\377", .n = 4, .method = 8}};
    StrBuf file = make_zip(members, 5);
    Zip *zip = zip_open(file.text, file.length, "x.zip", &error);
    assert_ok(zip);
    assert_refused(zip_read(zip, 0, &error), "checksum of member \"crc\"");
    for (int i = 1; i < 5; i++)
        assert_refused(zip_read(zip, i, &error), "are damaged");
    zip_close(zip);
    strbuf_free(&file);
}

static void an_archive_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    Member members[] = {{.name = "a", .data = "plain", .n = 5},
                        {.name = "b", .data = "xy", .n = 2}};
    StrBuf file = make_zip(members, 2);
    for (size_t n = 0; n < file.length; n++) {
        Error error = {0};
        char *copy = memcpy(malloc(n + 1), file.text, n);
        assert_refused(zip_open(copy, n, "cut.zip", &error), "cut.zip");
        free(copy);
    }
    strbuf_free(&file);
}

static void the_number_of_members_is_limited(void **state)
{
    (void)state;
    Error error = {0};
    for (uint64_t count = ZIP_MAX_MEMBERS; count <= ZIP_MAX_MEMBERS + 1; count++) {
        StrBuf file = {0};
        strbuf_add(&file, "PK\6\6");
        put(&file, 44, 8);
        put(&file, 0, 8);
        put(&file, 0, 4);
        put(&file, count, 8);
        put(&file, count, 8);
        put(&file, 0, 8);
        put(&file, 0, 8);
        strbuf_add(&file, "PK\6\7");
        put(&file, 0, 4);
        put(&file, 0, 8);
        put(&file, 1, 4);
        strbuf_add(&file, "PK\5\6");
        put(&file, 0, 8);
        put(&file, 0, 8);
        put(&file, 0, 2);
        /* At the limit the missing entries are what is wrong. */
        assert_refused(zip_open(file.text, file.length, "x.zip", &error),
                       count > ZIP_MAX_MEMBERS ? "65537 members; at most 65536" : "entry 0");
        strbuf_free(&file);
    }
}

/* Sizes and places in an extra field, as tools write them for archives that may grow. */
static void numbers_of_64_bits_are_read(void **state)
{
    (void)state;
    Error error = {0};
    StrBuf file = {0};
    strbuf_add(&file, "PK\3\4");
    put(&file, 45, 2);
    put(&file, 0, 8);
    put(&file, crc32(0, (const unsigned char *)"data", 4), 4);
    put(&file, 0xFFFFFFFFu, 4); /* blank in the local header, and not looked at */
    put(&file, 0xFFFFFFFFu, 4);
    put(&file, 1, 2);
    put(&file, 0, 2);
    strbuf_add(&file, "adata");
    size_t start = file.length;
    strbuf_add(&file, "PK\1\2");
    put(&file, 45, 4);
    put(&file, 0, 8);
    put(&file, crc32(0, (const unsigned char *)"data", 4), 4);
    put(&file, 0xFFFFFFFFu, 4);
    put(&file, 0xFFFFFFFFu, 4);
    put(&file, 1, 2);
    put(&file, 32, 2);
    put(&file, 0, 2);
    put(&file, 0, 8);
    put(&file, 0xFFFFFFFFu, 4);
    strbuf_add(&file, "a");
    put(&file, 0x7777, 2); /* another tool's field first */
    put(&file, 0, 2);
    put(&file, 1, 2);
    put(&file, 24, 2);
    put(&file, 4, 8);
    put(&file, 4, 8);
    put(&file, 0, 8);
    size_t end64 = file.length, size = end64 - start;
    strbuf_add(&file, "PK\6\6");
    put(&file, 44, 8);
    put(&file, 0, 8);
    put(&file, 0, 4);
    put(&file, 1, 8);
    put(&file, 1, 8);
    put(&file, size, 8);
    put(&file, start, 8);
    strbuf_add(&file, "PK\6\7");
    put(&file, 0, 4);
    put(&file, end64, 8);
    put(&file, 1, 4);
    strbuf_add(&file, "PK\5\6");
    put(&file, 0, 4);
    put(&file, 0xFFFF, 2);
    put(&file, 0xFFFF, 2);
    put(&file, 0xFFFFFFFFu, 4);
    put(&file, 0xFFFFFFFFu, 4);
    put(&file, 7, 2);
    strbuf_add(&file, "comment");
    Zip *zip = zip_open(file.text, file.length, "x.zip", &error);
    assert_ok(zip);
    assert_int_equal(zip_member(zip, 0)->size, 4);
    assert_memory_equal(zip_read(zip, 0, &error), "data", 4);
    zip_close(zip);
    strbuf_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_and_deflated_members_are_read),
        cmocka_unit_test(archives_of_numpy_are_read),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(overlapping_members_are_refused),
        cmocka_unit_test(damaged_data_are_refused_when_read),
        cmocka_unit_test(an_archive_cut_at_any_byte_is_refused),
        cmocka_unit_test(the_number_of_members_is_limited),
        cmocka_unit_test(numbers_of_64_bits_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
