#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "format/npy.h"
#include "format/zip.h"

static Bytes load(const char *name)
{
    Error error = {0};
    StrBuf path = {0};
    Bytes bytes;
    strbuf_addf(&path, "%s/npy/%s", FOVEA_TEST_DATA, name);
    assert_ok(file_read(path.text, 1 << 20, &bytes, &error));
    strbuf_free(&path);
    return bytes;
}

static const float MATRIX[12] = {0.5f, 0.25f, 0.125f, 0.125f, 0,     1,
                                 0,    0,     0.25f,  0.25f,  0.25f, 0.25f};

static void the_same_matrix_is_read_from_every_type_and_order(void **state)
{
    (void)state;
    static const char *const FILES[] = {
        "little_f2.npy", "little_f4.npy", "little_f8.npy", "big_f2.npy",   "big_f4.npy",
        "big_f8.npy",    "fortran.npy",   "version1.npy",  "version2.npy", "version3.npy"};
    for (size_t f = 0; f < sizeof FILES / sizeof *FILES; f++) {
        Error error = {0};
        Bytes bytes = load(FILES[f]);
        Array array;
        size_t used;
        assert_ok(npy_read(bytes.data, bytes.size, FILES[f], &array, &used, &error));
        assert_int_equal(used, bytes.size);
        assert_int_equal(array.rank, 2);
        assert_int_equal(array.shape[0], 3);
        assert_int_equal(array.shape[1], 4);
        for (int i = 0; i < 12; i++)
            assert_close(array_number(&array, i), MATRIX[i], 0);
        bytes_free(&bytes);
    }
}

static void integers_of_every_width_are_read(void **state)
{
    (void)state;
    static const char *const FILES[] = {"int_i1.npy", "int_i2.npy",  "int_big_i2.npy", "int_i4.npy",
                                        "int_i8.npy", "int_u1.npy",  "int_u2.npy",     "int_u4.npy",
                                        "int_u8.npy", "int_bool.npy"};
    for (size_t f = 0; f < sizeof FILES / sizeof *FILES; f++) {
        Error error = {0};
        Bytes bytes = load(FILES[f]);
        Array array;
        size_t used;
        assert_ok(npy_read(bytes.data, bytes.size, FILES[f], &array, &used, &error));
        for (int i = 0; i < 12; i++) {
            double wanted = strchr(FILES[f], 'u') ? abs(i - 3) : i - 3;
            wanted = strstr(FILES[f], "bool") ? i != 3 : wanted;
            assert_close(array_number(&array, i), wanted, 0);
        }
        bytes_free(&bytes);
    }
}

static void shapes_of_every_rank_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int rank;
        int64_t count;
        const char *shape;
    } CASES[] = {{"scalar.npy", 0, 1, "[]"},
                 {"one.npy", 1, 4, "[4]"},
                 {"empty.npy", 2, 0, "[0, 5]"},
                 {"five.npy", 5, 24, "[2, 1, 3, 2, 2]"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        Bytes bytes = load(CASES[i].file);
        Array array;
        size_t used;
        char shape[ARRAY_SHAPE_BYTES];
        assert_ok(npy_read(bytes.data, bytes.size, CASES[i].file, &array, &used, &error));
        assert_int_equal(array.rank, CASES[i].rank);
        assert_int_equal(array.count, CASES[i].count);
        array_describe_shape(&array, shape);
        assert_string_equal(shape, CASES[i].shape);
        if (array.count)
            assert_close(array_number(&array, array.count - 1),
                         array.rank == 0   ? 0.5
                         : array.rank == 1 ? 0.125
                                           : 23,
                         0);
        bytes_free(&bytes);
    }
}

static void texts_become_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int n;
        const char *texts[4];
    } CASES[] = {
        {"unicode.npy", 4, {"the", "\xE2\x82\xAC", "", "\xF0\x9F\x98\x80x"}},
        {"unicode_big.npy", 2, {"the", "\xE2\x82\xAC"}},
        {"bytes.npy", 3, {"ab", "", "\xEF\xBF\xBD"}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        Bytes bytes = load(CASES[i].file);
        Array array;
        size_t used;
        assert_ok(npy_read(bytes.data, bytes.size, CASES[i].file, &array, &used, &error));
        assert_int_equal(array.count, CASES[i].n);
        for (int k = 0; k < CASES[i].n; k++) {
            char *text = array_text(&array, k);
            assert_string_equal(text, CASES[i].texts[k]);
            free(text);
        }
        bytes_free(&bytes);
    }
}

static void what_is_not_numbers_is_refused_with_a_way_out(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        const char *part;
    } CASES[] = {{"refused_object.npy", "numpy.load(\"file\", allow_pickle=True)"},
                 {"refused_complex.npy", "save a.real"},
                 {"refused_struct.npy", "save one field"},
                 {"refused_date.npy", "elements of type \"<M8[D]\""}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        Bytes bytes = load(CASES[i].file);
        Array array;
        size_t used;
        assert_refused(npy_read(bytes.data, bytes.size, "x.npy", &array, &used, &error),
                       CASES[i].part);
        bytes_free(&bytes);
    }
}

/* A version 1 file around a dictionary. */
static StrBuf with_header(const char *dictionary, size_t data_bytes)
{
    StrBuf out = {0};
    size_t n = strlen(dictionary);
    strbuf_add_bytes(&out, "\x93NUMPY\1\0", 8);
    strbuf_add_char(&out, (char)(n & 0xFF));
    strbuf_add_char(&out, (char)(n >> 8));
    strbuf_add(&out, dictionary);
    for (size_t i = 0; i < data_bytes; i++)
        strbuf_add_char(&out, '\0');
    return out;
}

static void headers_that_python_would_take_are_taken(void **state)
{
    (void)state;
    static const char *const GOOD[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }     \n",
        "{\"shape\":(2,3),\"descr\":\"f4\",\"fortran_order\":True}",
        "{ 'shape' : ( 2L , 3L ) , 'fortran_order' : False , 'descr' : '=f4' }",
        "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 6)}",
    };
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        Error error = {0};
        Array array;
        size_t used;
        StrBuf file = with_header(GOOD[i], 24);
        assert_ok(npy_read(file.text, file.length, "x", &array, &used, &error));
        assert_int_equal(array.shape[0], 2);
        strbuf_free(&file);
    }
}

static void lying_headers_are_refused(void **state)
{
    (void)state;
#define DICT(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape "}"
    static const struct {
        const char *dictionary;
        const char *part;
    } CASES[] = {
        {"", "a dictionary"},
        {"{}", "descr, fortran_order and shape"},
        {"{'descr': '<f4', 'descr': '<f4'}", "one each of"},
        {"{'other': 1}", "one each of"},
        {"{'shape' (1,)}", "a colon"},
        {"{'shape': [1]}", "a tuple"},
        {DICT("'<f4'", "(2 3)"), "a comma or the end of the tuple"},
        {DICT("'<f4'", "(-2,)"), "a length"},
        {DICT("'<f4'", "(x,)"), "a length"},
        {DICT("'<f4'", "(99999999999999999999,)"), "a smaller length"},
        {DICT("'<f4'", "(4611686018427387904, 4)"), "more than can be"},
        {DICT("'<f8'", "(4611686018427387904,)"), "more than can be"},
        {DICT("'<f4'", "(0, 4611686018427387904, 4611686018427387904)"), ""},
        {DICT("'<f4'", "(3, 4)"), "[3, 4] needs 48 bytes, 24 are there"},
        {DICT("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
         "at most 32"},
        {DICT("'<f3'", "(1,)"), "type \"<f3\""},
        {DICT("''", "(1,)"), "type \"\""},
        {DICT("'<U'", "(1,)"), "texts of \"\""},
        {DICT("'<U0'", "(99999999999999,)"), "texts of \"0\""},
        {DICT("'<U1048577'", "(1,)"), "1 to 1048576"},
        {"{'descr': '<f4", "the end of a short string"},
        {DICT("'<f4'", "(1,)") "x", "nothing after the dictionary"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", "True or False"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        Array array;
        size_t used;
        StrBuf file = with_header(CASES[i].dictionary, 24);
        if (*CASES[i].part)
            assert_refused(npy_read(file.text, file.length, "x", &array, &used, &error),
                           CASES[i].part);
        else
            assert_ok(npy_read(file.text, file.length, "x", &array, &used, &error));
        strbuf_free(&file);
    }
    Error error = {0};
    Array array;
    size_t used;
    assert_refused(npy_read("\x93NUMPY\4\0\0\0\0\0", 12, "x", &array, &used, &error), "version 4");
    assert_refused(npy_read("\x93NUMPY\2\0\1\0\20\0", 12, "x", &array, &used, &error),
                   "1048577 bytes; at most 1048576");
    assert_refused(npy_read("\x93NUMPY\2\0\0\0\20\0", 12, "x", &array, &used, &error),
                   "should have 1048576 bytes, 0 are there");
}

static void a_file_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    static const char *const FILES[] = {"little_f4.npy", "version3.npy", "unicode.npy"};
    for (size_t f = 0; f < sizeof FILES / sizeof *FILES; f++) {
        Bytes bytes = load(FILES[f]);
        for (size_t n = 0; n < bytes.size; n++) {
            Error error = {0};
            Array array;
            size_t used;
            char *copy = memcpy(malloc(n + 1), bytes.data, n);
            assert_refused(npy_read(copy, n, "cut", &array, &used, &error), "cut");
            free(copy);
        }
        bytes_free(&bytes);
    }
}

static void what_is_written_is_what_numpy_writes(void **state)
{
    (void)state;
    Error error = {0};
    int64_t shape[] = {3, 4};
    assert_ok(npy_write("test_npy.tmp", 2, shape, MATRIX, &error));
    Bytes ours, theirs = load("little_f4.npy");
    assert_ok(file_read("test_npy.tmp", 1000, &ours, &error));
    assert_int_equal(ours.size, theirs.size);
    assert_memory_equal(ours.data, theirs.data, ours.size);
    bytes_free(&ours);
    bytes_free(&theirs);
    int64_t one[] = {4};
    theirs = load("one.npy");
    assert_ok(npy_write("test_npy.tmp", 1, one, MATRIX, &error));
    assert_ok(file_read("test_npy.tmp", 1000, &ours, &error));
    assert_memory_equal(ours.data, theirs.data, ours.size);
    bytes_free(&ours);
    bytes_free(&theirs);
    unlink("test_npy.tmp");
}

static void archives_are_read_back(void **state)
{
    (void)state;
    Error error = {0};
    int64_t shape[] = {3, 4}, none[] = {0, 2};
    uint8_t bytes[3] = {1, 2, 255};
    int64_t three[] = {3};
    const char *texts[] = {"x", "\xE2\x82\xAC\xF0\x9F\x98\x80", ""};
    NpzWriter *writer = npz_writer_new();
    npz_writer_add(writer, "attention.weights", 2, shape, MATRIX);
    npz_writer_add_texts(writer, "tokens", 3, texts);
    npz_writer_add_raw(writer, "raw", TRACE_U8, 1, three, bytes);
    npz_writer_add(writer, "none", 2, none, NULL);
    assert_ok(npz_writer_finish(writer, "test_npz.tmp", &error));
    Bytes file;
    assert_ok(file_read("test_npz.tmp", 1 << 20, &file, &error));
    Zip *zip = zip_open(file.data, file.size, "test_npz.tmp", &error);
    assert_ok(zip);
    assert_int_equal(zip_count(zip), 4);
    assert_string_equal(zip_member(zip, 0)->name, "attention.weights.npy");
    Array array;
    size_t used;
    for (int i = 0; i < 4; i++) {
        const void *data = zip_read(zip, i, &error);
        assert_ok(data);
        assert_ok(npy_read(data, zip_member(zip, i)->size, "m", &array, &used, &error));
        assert_int_equal(((const char *)array.data - file.data) % 64, 0); /* aligned in the file */
        if (i == 0)
            assert_memory_equal(array.data, MATRIX, sizeof MATRIX);
        if (i == 1) {
            char *text = array_text(&array, 1);
            assert_string_equal(text, texts[1]);
            free(text);
        }
        if (i == 2)
            assert_close(array_number(&array, 2), 255, 0);
    }
    zip_close(zip);
    bytes_free(&file);
    unlink("test_npz.tmp");
    writer = npz_writer_new();
    npz_writer_add(writer, "a", 2, shape, MATRIX);
    npz_writer_add(writer, "a", 2, shape, MATRIX);
    assert_refused(npz_writer_finish(writer, "test_npz.tmp", &error), "\"a.npy\" cannot be added");
    assert_false(file_exists("test_npz.tmp"));
    npz_writer_free(npz_writer_new());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_matrix_is_read_from_every_type_and_order),
        cmocka_unit_test(integers_of_every_width_are_read),
        cmocka_unit_test(shapes_of_every_rank_are_read),
        cmocka_unit_test(texts_become_utf8),
        cmocka_unit_test(what_is_not_numbers_is_refused_with_a_way_out),
        cmocka_unit_test(headers_that_python_would_take_are_taken),
        cmocka_unit_test(lying_headers_are_refused),
        cmocka_unit_test(a_file_cut_at_any_byte_is_refused),
        cmocka_unit_test(what_is_written_is_what_numpy_writes),
        cmocka_unit_test(archives_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
