#include "testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "format/safetensors.h"

#define PATH "test_safetensors.tmp"

/* Length, header, data: a file in memory. */
static StrBuf make(const char *header, const void *data, size_t n)
{
    StrBuf bytes = {0};
    size_t length = strlen(header);
    for (int i = 0; i < 8; i++)
        strbuf_add_char(&bytes, (char)((uint64_t)length >> 8 * i));
    strbuf_add(&bytes, header);
    strbuf_add_bytes(&bytes, data, n);
    return bytes;
}

static SafeTensors *open_bytes(const StrBuf *bytes, Error *error)
{
    return safetensors_open_memory(bytes->text, bytes->length, "x.safetensors", error);
}

static void tensors_and_metadata_are_found_by_name(void **state)
{
    (void)state;
    Error error = {0};
    float data[] = {1, 2, 3, 4, 5, 6, 7};
    StrBuf bytes = make("{\"b\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[4,28]},"
                        "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                        "\"none\":{\"dtype\":\"F16\",\"shape\":[0,9],\"data_offsets\":[28,28]},"
                        "\"__metadata__\":{\"tokens\":\"[\\\"x\\\"]\"}}   ",
                        data, sizeof data);
    SafeTensors *file = open_bytes(&bytes, &error);
    assert_ok(file);
    assert_int_equal(safetensors_count(file), 3);
    assert_string_equal(safetensors_at(file, 0)->name, "b");
    const SafeTensor *b = safetensors_find(file, "b");
    assert_int_equal(b->rank, 2);
    assert_int_equal(b->shape[1], 3);
    assert_int_equal(b->count, 6);
    float out[6];
    assert_ok(safetensors_read(file, b, out, &error));
    assert_memory_equal(out, data + 1, sizeof out);
    const SafeTensor *a = safetensors_find(file, "a");
    assert_int_equal(a->rank, 0);
    assert_int_equal(a->count, 1);
    assert_int_equal(safetensors_find(file, "none")->count, 0);
    assert_null(safetensors_find(file, "c"));
    assert_string_equal(safetensors_metadata(file, "tokens"), "[\"x\"]");
    assert_null(safetensors_metadata(file, "model"));
    const char *key;
    assert_int_equal(safetensors_n_metadata(file), 1);
    assert_string_equal(safetensors_metadata_at(file, 0, &key), "[\"x\"]");
    assert_string_equal(key, "tokens");
    safetensors_close(file);
    strbuf_free(&bytes);
}

static void bad_headers_are_refused_with_the_fault(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        const char *part;
    } CASES[] = {
        {"[1]", "does not start with"},
        {" {}", "does not start with"},
        {"{}", "8 bytes at the end belong to no tensor"},
        {"{\"a\":1,}", "line 1, column"},
        {"{\"a\":{},\"a\":{}}", "duplicate"},
        {"{\"a\":7}", "\"a\" is not described by an object"},
        {"{\"__metadata__\":[]}", "is a list, not an object"},
        {"{\"__metadata__\":{\"n\":5}}", "metadata \"n\" is a number"},
        {"{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", "no \"dtype\""},
        {"{\"a\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,8]}}", "of type \"F4\""},
        {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", "no list \"shape\""},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", "no natural number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,8]}}", "no natural number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,2],\"data_offsets\":[0,8]}}",
         "has 9 axes; at most 8"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]}}",
         "overflows"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[4611686018427387904],\"data_offsets\":[0,8]}}",
         "overflows"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", "no \"data_offsets\""},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,9]}}", "of two numbers"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", "run backwards"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}", "run backwards"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}",
         "ends at byte 12 of the data, which has 8"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,8]}}",
         "needs 4 bytes by its shape and type; its offsets give 8"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
         "tensor \"b\" overlaps another at byte 4"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
         "tensor \"a\" leaves a hole before it at byte 4"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", "4 bytes at the end"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        StrBuf bytes = make(CASES[i].header, "12345678", 8);
        assert_refused(open_bytes(&bytes, &error), CASES[i].part);
        strbuf_free(&bytes);
    }
}

static void a_header_length_that_lies_is_refused(void **state)
{
    (void)state;
    Error error = {0};
    static const struct {
        const char *bytes;
        size_t n;
        const char *part;
    } CASES[] = {
        {"", 0, "empty"},
        {"\2\0\0", 3, "3 bytes"},
        {"\377\377\377\377\377\377\377\377{}", 10, "18446744073709551615 bytes; at most 100000000"},
        {"\1\341\365\5\0\0\0\0{}", 10, "at most 100000000"},
        {"\0\341\365\5\0\0\0\0{}", 10, "should have 100000000 bytes, the file ends after 2"},
        {"\0\0\0\0\0\0\0\0{}", 10, "does not start"},
        {"version https://git-lfs.github.com/spec/v1\noid", 46, "git lfs pull"},
        {"\n<!DOCTYPE html><html>404", 25, "web page"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_refused(safetensors_open_memory(CASES[i].bytes, CASES[i].n, "x", &error),
                       CASES[i].part);
}

static void a_file_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    Error error = {0};
    StrBuf bytes =
        make("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", "12345678", 8);
    for (size_t n = 0; n < bytes.length; n++) {
        char *copy = memcpy(malloc(n + 1), bytes.text, n); /* its end is the sanitizer's to watch */
        assert_refused(safetensors_open_memory(copy, n, "cut", &error), "cut");
        free(copy);
    }
    strbuf_free(&bytes);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    Error error = {0};
    float values[] = {0, -1.5f, 3.25f, 65504, 0.1f, -0.0f};
    int64_t shape[] = {2, 3};
    int32_t integers[] = {-7, 1 << 30};
    int64_t two[] = {2};
    SafeTensorsWriter *writer = safetensors_writer_new();
    safetensors_writer_metadata(writer, "config", "{\"a\": \"b\n\"}");
    safetensors_writer_metadata(writer, "\xE6\xBA\x90", "\"quoted\"");
    safetensors_writer_add(writer, "f16", TRACE_F16, 2, shape, values);
    safetensors_writer_add(writer, "f32", TRACE_F32, 2, shape, values);
    safetensors_writer_add(writer, "f64", TRACE_F64, 2, shape, values);
    safetensors_writer_add(writer, "bf16", TRACE_BF16, 2, shape, values);
    safetensors_writer_add_raw(writer, "i32", TRACE_I32, 1, two, integers);
    safetensors_writer_add(writer, "one", TRACE_F32, 0, NULL, values + 1);
    assert_ok(safetensors_writer_finish(writer, PATH, &error));

    SafeTensors *file = safetensors_open(PATH, &error);
    assert_ok(file);
    assert_string_equal(safetensors_metadata(file, "config"), "{\"a\": \"b\n\"}");
    assert_string_equal(safetensors_metadata(file, "\xE6\xBA\x90"), "\"quoted\"");
    float out[6];
    assert_ok(safetensors_read(file, safetensors_find(file, "f32"), out, &error));
    assert_memory_equal(out, values, sizeof values);
    assert_ok(safetensors_read(file, safetensors_find(file, "f64"), out, &error));
    assert_memory_equal(out, values, sizeof values);
    assert_ok(safetensors_read(file, safetensors_find(file, "f16"), out, &error));
    for (int i = 0; i < 6; i++)
        assert_close(out[i], values[i], i == 4 ? 0x1p-14 : 0);
    assert_ok(safetensors_read(file, safetensors_find(file, "bf16"), out, &error));
    assert_close(out[4], 0.1, 0x1p-12);
    assert_ok(safetensors_read(file, safetensors_find(file, "i32"), out, &error));
    assert_close(out[1], 1 << 30, 0);
    assert_ok(safetensors_read(file, safetensors_find(file, "one"), out, &error));
    assert_close(out[0], -1.5, 0);
    assert_int_equal(safetensors_count(file), 6);
    safetensors_close(file);
    unlink(PATH);
}

static void many_values_are_converted_in_chunks(void **state)
{
    (void)state;
    Error error = {0};
    enum { N = (1 << 20) + 4097 };
    float *values = malloc(N * sizeof *values), *out = malloc(N * sizeof *out);
    for (int i = 0; i < N; i++)
        values[i] = (float)(i % 2048);
    int64_t shape[] = {N};
    SafeTensorsWriter *writer = safetensors_writer_new();
    safetensors_writer_add(writer, "x", TRACE_F16, 1, shape, values);
    assert_ok(safetensors_writer_finish(writer, PATH, &error));
    SafeTensors *file = safetensors_open(PATH, &error);
    assert_ok(file);
    assert_ok(safetensors_read(file, safetensors_at(file, 0), out, &error));
    assert_memory_equal(out, values, N * sizeof *values);
    /* The file loses its end while it is open. */
    assert_int_equal(truncate(PATH, 100), 0);
    assert_refused(safetensors_read(file, safetensors_at(file, 0), out, &error), "became shorter");
    safetensors_close(file);
    unlink(PATH);
    free(values);
    free(out);
}

static void a_writer_refuses_what_a_reader_would(void **state)
{
    (void)state;
    Error error = {0};
    float one = 1;
    SafeTensorsWriter *writer = safetensors_writer_new();
    safetensors_writer_add(writer, "a", TRACE_F32, 0, NULL, &one);
    safetensors_writer_add(writer, "a", TRACE_F32, 0, NULL, &one);
    assert_refused(safetensors_writer_finish(writer, PATH, &error), "tensor \"a\" is there twice");
    writer = safetensors_writer_new();
    safetensors_writer_metadata(writer, "k\xFF", "v");
    assert_refused(safetensors_writer_finish(writer, PATH, &error), "not valid UTF-8");
    writer = safetensors_writer_new();
    int64_t shape[SAFETENSORS_MAX_RANK + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    safetensors_writer_add(writer, "a", TRACE_F32, SAFETENSORS_MAX_RANK + 1, shape, &one);
    assert_refused(safetensors_writer_finish(writer, PATH, &error), "has 9 axes");
    assert_false(file_exists(PATH));
    writer = safetensors_writer_new();
    safetensors_writer_add(writer, "a", TRACE_F32, SAFETENSORS_MAX_RANK, shape, &one);
    assert_ok(safetensors_writer_finish(writer, PATH, &error));
    unlink(PATH);
    safetensors_writer_free(safetensors_writer_new());
    assert_refused(safetensors_open(".", &error), "a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_and_metadata_are_found_by_name),
        cmocka_unit_test(bad_headers_are_refused_with_the_fault),
        cmocka_unit_test(a_header_length_that_lies_is_refused),
        cmocka_unit_test(a_file_cut_at_any_byte_is_refused),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(many_values_are_converted_in_chunks),
        cmocka_unit_test(a_writer_refuses_what_a_reader_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
