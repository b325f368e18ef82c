#include "dumps.h"
#include "format/pickle.h"

#define W "attention.weights"

static void tensors_are_read_as_the_views_that_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *file, *axes, *leading;
        int first_layer;
        double tolerance;
    } CASES[] = {
        {"tuple.pt", "layer 2, head 3, target 4, source 5", "lh", 0, 1e-6},
        {"view.pt", "head 3, target 4, source 5", "h", 0, 1e-6}, /* transposed in the file */
        {"grad.pt", "target 4, source 5", "", 0, 1e-6},
        {"state.pt", "target 4, source 5", "", 0, 1e-6},
        {"bf16.pt", "target 4, source 5", "", 0, 4e-3},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const Trace *trace = only_trace(CASES[i].file, NULL);
        assert_string_equal(trace_attribute(trace, "format"), "torch .pt");
        assert_axes(trace, W, CASES[i].axes);
        assert_weights(trace, W, CASES[i].leading, 0, CASES[i].tolerance);
        trace_release(trace);
    }
}

/* Rows 4 to 7 of the second layer's doubled rows: an offset into a larger storage. */
static void a_slice_begins_where_it_begins(void **state)
{
    (void)state;
    const Trace *trace = only_trace("slice.pt", NULL);
    assert_axes(trace, W, "head 3, target 4, source 5");
    const TraceTensor *tensor = trace_find(trace, W);
    for (int h = 0; h < 3; h++) {
        TraceMatrix matrix = trace_matrix(trace, tensor, (int32_t[]){h});
        for (int t = 0; t < 4; t++)
            for (int s = 0; s < 5; s++)
                assert_close(trace_matrix_get(&matrix, t, s), weight_at(1, 0, h, t, s, 5), 1e-6);
    }
    trace_release(trace);
}

static void texts_in_a_dictionary_are_tokens(void **state)
{
    (void)state;
    const Trace *trace = only_trace("dict.pt", NULL);
    assert_axes(trace, W, "layer 2, head 3, target 4, source 5");
    assert_weights(trace, W, "lh", 0, 1e-3);
    assert_labels(trace, "source", "a b c d e");
    assert_labels(trace, "target", "v w x y");
    trace_release(trace);
}

static void everything_else_is_refused_and_not_run(void **state)
{
    (void)state;
    static const struct {
        const char *file, *part;
    } CASES[] = {
        {"refused_module.pt", "\"torch.nn.modules.linear Linear\", which is not run"},
        {"refused_function.pt", "\"__builtin__ print\", which is not run"},
        {"refused_sparse.pt", "which is not run"},
        {"refused_legacy.pt", "Python pickle"},
        {"refused.pkl", "Python pickle"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        assert_refused(open_dump(CASES[i].file, NULL, &error), CASES[i].part);
    }
}

static void hostile_pickles_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *part;
    } CASES[] = {
        {"", 0, "ends too early"},
        {".", 1, "takes what is not there"},
        {"a", 1, "takes what is not there"},
        {"(.", 2, "takes what is not there"},
        {"N(\x86", 3, "a tuple of more than there is"},
        {"NN(NN\x87", 6, "a tuple of more than there is"},
        {"t", 1, "a mark that is not there"},
        {"N(u", 3, "no container"},
        {"(N(e", 4, "no container"},
        {"}(Nu", 4, "no container"},
        {"NNs", 3, "takes what is not there"},
        {"h\5", 2, "a memo that was never made"},
        {"r\377\377\377\377", 5, "a memo that cannot be"},
        {"Nr\377\377\377\377", 6, "a memo that cannot be"},
        {"\x8a\x09", 2, "more than 64 bits"},
        {"X\377\377\377\377a", 6, "ends too early"},
        {"X\1\0\0\0\377", 6, "not UTF-8"},
        {"cos\nsystem\n", 11, "\"os system\", which is not run"},
        {"\x8c\2os\x8c\6system\x93", 13, "\"os system\", which is not run"},
        {"ccollections\nOrderedDict\nNR.", 28, ""},
        {"ctorch._utils\n_rebuild_tensor_v2\n)R", 35, "a tensor that is not understood"},
        {"NNR", 3, "a call of something else"},
        {"NQ", 2, "a storage that is not understood"},
        {"NNb", 3, "an object of some class"},
        {"\x81", 1, "an instruction that tensors do not need"},
        {"i", 1, "an instruction that tensors do not need"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        Arena *arena = arena_new();
        const PickleValue *value = pickle_read(CASES[i].bytes, CASES[i].n, "x.pt", arena, &error);
        if (*CASES[i].part)
            assert_refused(value, CASES[i].part);
        else
            assert_ok(value);
        arena_free(arena);
    }
}

static void limits_hold(void **state)
{
    (void)state;
    Error error = {0};
    Arena *arena = arena_new();
    assert_refused(pickle_read("", PICKLE_MAX_BYTES + 1, "x.pt", arena, &error), "67108865 bytes");
    StrBuf many = {0};
    for (int i = 0; i < PICKLE_MAX_VALUES; i++)
        strbuf_add_char(&many, 'N');
    strbuf_add_char(&many, '.');
    assert_ok(pickle_read(many.text, many.length, "x.pt", arena, &error));
    many.text[many.length - 1] = 'N';
    assert_refused(pickle_read(many.text, many.length, "x.pt", arena, &error),
                   "more than 1048576 values");
    strbuf_free(&many);
    arena_free(arena);
}

static void numbers_and_containers_are_built(void **state)
{
    (void)state;
    /* [1, 300, -2, 2.5, "a", {}, (None, True)] and -1 as a long. */
    static const char BYTES[] =
        "\x80\2](K\1M,\1J\376\377\377\377G@\4\0\0\0\0\0\0X\1\0\0\0a}N\x88\x86"
        "\x8a\1\377e.";
    Error error = {0};
    Arena *arena = arena_new();
    const PickleValue *list = pickle_read(BYTES, sizeof BYTES - 1, "x", arena, &error);
    assert_ok(list);
    assert_int_equal(list->kind, PICKLE_LIST);
    assert_int_equal(list->n, 8);
    assert_int_equal(list->items[0]->integer, 1);
    assert_int_equal(list->items[1]->integer, 300);
    assert_int_equal(list->items[2]->integer, -2);
    assert_close(list->items[3]->number, 2.5, 0);
    assert_string_equal(list->items[4]->text, "a");
    assert_int_equal(list->items[5]->kind, PICKLE_DICT);
    assert_int_equal(list->items[6]->items[1]->integer, 1);
    assert_int_equal(list->items[7]->integer, -1);
    arena_free(arena);
}

static void archives_cut_at_any_byte_never_crash(void **state)
{
    (void)state;
    Error error = {0};
    StrBuf path = {0};
    Bytes bytes;
    strbuf_addf(&path, "%s/dumps/dict.pt", FOVEA_TEST_DATA);
    assert_ok(file_read(path.text, 1 << 20, &bytes, &error));
    for (size_t n = 0; n < bytes.size; n++) {
        assert_null(import_open_memory(bytes.data, n, "cut", NULL, &error));
        assert_true(error_is_set(&error));
        error_clear(&error);
    }
    /* The same for the pickle alone: behind the local header of 30 bytes and the name. */
    const char *pickle = memchr(bytes.data, '\x80', bytes.size);
    for (size_t n = 0; n < 300; n++) {
        Arena *arena = arena_new();
        assert_null(pickle_read(pickle, n, "cut", arena, &error));
        error_clear(&error);
        arena_free(arena);
    }
    bytes_free(&bytes);
    strbuf_free(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_read_as_the_views_that_they_are),
        cmocka_unit_test(a_slice_begins_where_it_begins),
        cmocka_unit_test(texts_in_a_dictionary_are_tokens),
        cmocka_unit_test(everything_else_is_refused_and_not_run),
        cmocka_unit_test(hostile_pickles_are_refused),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(numbers_and_containers_are_built),
        cmocka_unit_test(archives_cut_at_any_byte_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
