#include <unistd.h>

#include "dumps.h"
#include "format/npy.h"

#define W "attention.weights"

static void axes_are_taken_by_habit(void **state)
{
    (void)state;
    static const struct {
        const char *file, *axes, *leading;
    } CASES[] = {
        {"five.npy", "layer 2, head 3, target 4, source 5", "lh"},
        {"four.npy", "layer 2, head 3, target 4, source 5", "lh"},
        {"four_fortran_big.npy", "layer 2, head 3, target 4, source 5", "lh"},
        {"three.npy", "head 3, target 4, source 5", "h"},
        {"two.npy", "target 4, source 5", ""},
        {"split_heads.npz", "layer 2, head 3, target 4, source 5", "lh"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const Trace *trace = only_trace(CASES[i].file, NULL);
        assert_axes(trace, W, CASES[i].axes);
        assert_weights(trace, W, CASES[i].leading, 0, 1e-6);
        assert_int_equal(trace_find(trace, W)->role, TRACE_WEIGHTS);
        assert_note(trace, "taken as");
        assert_note(trace, "for want of tokens");
        assert_string_equal(trace_attribute(trace, "file"), CASES[i].file);
        trace_release(trace);
    }
}

static void a_vector_is_one_row(void **state)
{
    (void)state;
    const Trace *trace = only_trace("one.npy", NULL);
    assert_axes(trace, W, "token 5");
    TraceMatrix row = trace_matrix(trace, trace_find(trace, W), NULL);
    for (int s = 0; s < 5; s++)
        assert_close(trace_matrix_get(&row, 0, s), weight_at(0, 0, 0, 0, s, 5), 1e-6);
    trace_release(trace);
}

static void row_sums_decide_which_way_round_it_is(void **state)
{
    (void)state;
    const Trace *trace = only_trace("swapped.npy", NULL);
    assert_axes(trace, W, "layer 2, head 3, target 4, source 5");
    assert_weights(trace, W, "lh", 0, 1e-6);
    assert_note(trace, "swapped, because columns sum to one and rows do not");
    trace_release(trace);
    /* Told otherwise, the file is believed to be as the person says. */
    trace = only_trace("swapped.npy", &(ImportOptions){.axes = "layer, head, target, source"});
    assert_axes(trace, W, "layer 2, head 3, target 5, source 4");
    assert_false(has_note(trace, "swapped"));
    trace_release(trace);
}

static void rows_and_columns_can_be_exchanged(void **state)
{
    (void)state;
    const Trace *trace = only_trace("four.npy", &(ImportOptions){.swap = true});
    assert_axes(trace, W, "layer 2, head 3, target 5, source 4");
    assert_note(trace, "exchanged, as asked");
    trace_release(trace);
    /* Against what row sums say, too, and with axes of length one in front. */
    trace = only_trace("swapped.npy", &(ImportOptions){.swap = true});
    assert_axes(trace, W, "layer 2, head 3, target 5, source 4");
    trace_release(trace);
    trace = only_trace("five.npy", &(ImportOptions){.swap = true});
    assert_axes(trace, W, "layer 2, head 3, target 5, source 4");
    trace_release(trace);
}

static void axes_can_be_told(void **state)
{
    (void)state;
    Error error = {0};
    const Trace *trace =
        only_trace("heads_last.npy", &(ImportOptions){.axes = "target-source-head"});
    assert_axes(trace, W, "head 3, target 4, source 5");
    assert_weights(trace, W, "h", 0, 1e-6);
    trace_release(trace);
    trace = only_trace("five.npy", &(ImportOptions){.axes = "checkpoint,head,target,source"});
    assert_axes(trace, W, "checkpoint 2, head 3, target 4, source 5"); /* the 1 needs no name */
    trace_release(trace);
    static const struct {
        const char *axes, *part;
    } CASES[] = {
        {"head,target,source",
         "are not as many as the array's; array \"array\" is [2, 1, 3, 4, 5]"},
        {"a,b,c,d,e", "should name one target and one source"},
        {"layer,batch,target,target,source", "should name one target and one source"},
        {"a_name_that_is_much_too_long,b", "too many or too long names"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_refused(open_dump("five.npy", &(ImportOptions){.axes = CASES[i].axes}, &error),
                       CASES[i].part);
    assert_refused(
        open_dump("layers.npz", &(ImportOptions){.axes = "target,batch,head,source,x"}, &error),
        "take the number of the array for rows or columns");
}

static void layers_in_arrays_of_their_own_are_ordered_by_number(void **state)
{
    (void)state;
    static const char *const FILES[] = {"layers.npz", "layers_deflated.npz"};
    for (int i = 0; i < 2; i++) {
        const Trace *trace = only_trace(FILES[i], NULL);
        assert_axes(trace, W, "layer 12, head 3, token 4, token 4");
        assert_weights(trace, W, "lh", 0, i == 0 ? 1e-3 : 1e-6);
        assert_note(trace, "and 11 more like it taken as layer, batch, head, target, source");
        if (i == 0) {
            assert_labels(trace, "token", "[CLS] un do [SEP]");
            const TraceAxis *axis = trace_axis(trace, trace_find_axis(trace, "token"));
            assert_int_equal(axis->flags[0], TRACE_TOKEN_SPECIAL);
            assert_int_equal(axis->flags[2], TRACE_TOKEN_CONTINUES);
            assert_string_equal(trace_text(trace, "input"), "undo");
            assert_note(trace, "pieces of WordPiece");
        }
        trace_release(trace);
    }
}

static void a_batch_is_a_list_of_sentences_and_padding_is_cut(void **state)
{
    (void)state;
    Error error = {0};
    ImportSet *set = open_dump("batch.npy", NULL, &error);
    assert_ok(set);
    assert_string_equal(import_format(set), "numpy .npy");
    assert_int_equal(import_count(set), 2);
    assert_string_equal(import_label(set, 1), "f g h i | v w x");
    assert_int_equal(import_find(set, "G H", 0), 1);
    assert_int_equal(import_find(set, "b c", 1), -1);
    for (int b = 0; b < 2; b++) {
        const Trace *trace = import_trace(set, b, &error);
        assert_ok(trace);
        assert_axes(trace, W,
                    b ? "layer 2, head 3, target 3, source 4"
                      : "layer 2, head 3, target 4, source 5");
        assert_weights(trace, W, "lh", b, 1e-6);
        assert_labels(trace, "source", b ? "f g h i" : "a b c d e");
        assert_int_equal(has_note(trace, "taken as padding"), b);
        trace_release(trace);
    }
    ImportMeasures measures;
    assert_ok(import_measure(set, 1, &measures, &error));
    assert_int_equal(measures.rows, 3);
    assert_float_equal(measures.length_ratio, 0.75, 1e-9);
    assert_int_equal(measures.cols, 4);
    assert_true(measures.entropy > 0 && measures.entropy < log(4));
    assert_true(measures.largest > 0.25 && measures.largest < 1);
    import_close(set);
}

static void generated_steps_are_put_together(void **state)
{
    (void)state;
    const Trace *trace = only_trace("steps.npz", NULL);
    assert_axes(trace, W, "layer 2, head 3, token 5, token 5");
    for (int l = 0; l < 2; l++) {
        for (int h = 0; h < 3; h++) {
            TraceMatrix matrix = trace_matrix(trace, trace_find(trace, W), (int32_t[]){l, h});
            for (int t = 0; t < 5; t++)
                for (int s = 0; s < 5; s++)
                    assert_close(trace_matrix_get(&matrix, t, s),
                                 s < (t < 2 ? 2 : t + 1) ? weight_at(l, 0, h, t, s, 5) : 0, 1e-6);
        }
    }
    trace_release(trace);
}

static void matrices_of_different_shapes_are_sentences(void **state)
{
    (void)state;
    Error error = {0};
    ImportSet *set = open_dump("sentences.npz", NULL, &error);
    assert_ok(set);
    assert_int_equal(import_count(set), 2);
    for (int i = 0; i < 2; i++) {
        const Trace *trace = import_trace(set, i, &error);
        assert_ok(trace);
        assert_axes(trace, W, i ? "target 2, source 6" : "target 3, source 4");
        assert_weights(trace, W, "", 0, 1e-6);
        trace_release(trace);
    }
    import_close(set);
}

static void encoder_and_cross_attention_share_their_tokens(void **state)
{
    (void)state;
    const Trace *trace = only_trace("cross.safetensors", NULL);
    assert_axes(trace, "attention.cross.weights", "layer 2, head 3, target 4, source 5");
    assert_axes(trace, "attention.encoder.weights", "layer 2, head 3, source 5, source 5");
    assert_weights(trace, "attention.cross.weights", "lh", 0, 1e-3);
    assert_weights(trace, "attention.encoder.weights", "lh", 0, 1e-6);
    assert_labels(trace, "source", "the hou se . </s>");
    assert_labels(trace, "target", "das Haus . </s>");
    assert_string_equal(trace_text(trace, "input"), "the house .");
    assert_string_equal(trace_text(trace, "output"), "das Haus .");
    trace_release(trace);
}

static void sixteen_bits_are_read_as_they_lie(void **state)
{
    (void)state;
    const Trace *trace = only_trace("bf16.safetensors", NULL);
    assert_int_equal(trace_find(trace, W)->type, TRACE_BF16);
    assert_weights(trace, W, "", 0, 2e-3);
    trace_release(trace);
}

static void scores_are_known_by_their_values(void **state)
{
    (void)state;
    const Trace *trace = only_trace("scores.npy", NULL);
    assert_axes(trace, "attention.scores", "head 3, target 4, source 5");
    assert_note(trace, "does not look like attention: values below zero");
    trace_release(trace);
}

static void what_cannot_be_read_is_left_out_and_told(void **state)
{
    (void)state;
    const Trace *trace = only_trace("half_object.npz", NULL);
    assert_weights(trace, W, "", 0, 1e-6);
    assert_note(trace, "left out: tokens.npy: an array of Python objects");
    trace_release(trace);
}

/* Writes [rows, cols] uniform weights, those at and behind `used` zero, and tokens. */
static const Trace *with_tokens(int rows, int cols, int used, const char *source,
                                const char *target)
{
    Error error = {0};
    float data[400] = {0};
    int64_t shape[] = {rows, cols};
    for (int t = 0; t < rows; t++)
        for (int s = 0; s < used; s++)
            data[t * cols + s] = 1.0f / (float)used;
    assert_ok(npy_write("test_fit.tmp.npy", 2, shape, data, &error));
    assert_ok(file_write("test_fit.src", source, strlen(source), &error));
    assert_ok(file_write("test_fit.tgt", target, strlen(target), &error));
    ImportSet *set = import_open("test_fit.tmp.npy", NULL, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    import_close(set);
    unlink("test_fit.tmp.npy");
    unlink("test_fit.src");
    unlink("test_fit.tgt");
    return trace;
}

static void counts_that_differ_are_explained(void **state)
{
    (void)state;
    static const struct {
        int rows, cols, used;
        const char *source, *labels, *note;
    } CASES[] = {
        {2, 3, 3, "a b c", "a b c", ""},
        {2, 4, 4, "a b c", "a b c </s>",
         "source: 3 tokens for 4 columns; taken as the sentence and "
         "its end mark"},
        {2, 5, 5, "a b c", "<s> a b c </s>", "a mark at either end"},
        {2, 5, 5, "a ##b c", "[CLS] a b c [SEP]", "a mark at either end"},
        {2, 9, 3, "a b c", "a b c", "6 columns of zeros behind the sentence were taken as padding"},
        {2, 9, 4, "a b c", "a b c </s>", "5 columns of zeros"},
        {2, 3, 3, "a b c </s>", "a b c", "the end mark has none"},
        {2, 3, 3, "a b c d", "(none)", "4 tokens do not fit 3 columns"},
        {2, 9, 9, "a b c", "(none)", "3 tokens do not fit 9 columns"},
        {2, 1, 1, "", "</s>", "0 tokens for 1 columns"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const Trace *trace = with_tokens(CASES[i].rows, CASES[i].cols, CASES[i].used,
                                         *CASES[i].source ? CASES[i].source : "\n", "v w\n");
        assert_labels(trace, "source", CASES[i].labels);
        assert_labels(trace, "target", "v w");
        if (*CASES[i].note)
            assert_note(trace, CASES[i].note);
        trace_release(trace);
    }
}

static void tokens_beside_the_dump_are_found_and_others_can_be_named(void **state)
{
    (void)state;
    Error error = {0};
    float data[6] = {0.5f, 0.25f, 0.25f, 1, 0, 0};
    int64_t shape[] = {2, 3};
    assert_ok(npy_write("test_side.attn.npy", 2, shape, data, &error));
    static const struct {
        const char *file, *text, *source, *target;
    } CASES[] = {
        {"test_side.tokens.json", "{\"source\": [\"a\",\"b\",\"c\"], \"target\": [\"v\",\"w\"]}",
         "a b c", "v w"},
        {"test_side.attn.tokens.json",
         "{\"src\": [[\"a\",\"b\",\"c\"],[]], \"tgt\": [[\"v\",\"w\"],[]]}", "a b c", "v w"},
        {"test_side.tokens.json", "[{\"src\": [\"a\",\"b\",\"c\"], \"tgt\": [\"v\",\"w\"]}]",
         "a b c", "v w"},
        {"test_side.tokens.json", "[\"a\",\"b\",\"c\"]", "a b c", "(none)"},
        {"test_side.src-tgt", "a b c ||| v w\r\n", "a b c", "v w"},
        {"test_side.attn.npy.src",
         "\xEF\xBB\xBF"
         "a b c\n",
         "a b c", "(none)"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_ok(file_write(CASES[i].file, CASES[i].text, strlen(CASES[i].text), &error));
        ImportSet *set = import_open("test_side.attn.npy", NULL, &error);
        assert_ok(set);
        const Trace *trace = import_trace(set, 0, &error);
        assert_ok(trace);
        assert_labels(trace, "source", CASES[i].source);
        assert_labels(trace, "target", CASES[i].target);
        trace_release(trace);
        import_close(set);
        unlink(CASES[i].file);
    }
    assert_ok(file_write("test_side.words", "x y z\n", 6, &error));
    ImportOptions options = {.source_path = "test_side.words"};
    ImportSet *set = import_open("test_side.attn.npy", &options, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_labels(trace, "source", "x y z");
    trace_release(trace);
    import_close(set);
    options.source_path = "nowhere.words";
    assert_refused(import_open("test_side.attn.npy", &options, &error),
                   "nowhere.words: cannot open");
    assert_ok(file_write("test_side.tokens.json", "[1, 2]", 6, &error));
    assert_refused(import_open("test_side.attn.npy", NULL, &error),
                   "a list of tokens was expected");
    assert_ok(file_write("test_side.tokens.json", "[\"a\",", 5, &error));
    assert_refused(import_open("test_side.attn.npy", NULL, &error), "line 1, column");
    unlink("test_side.tokens.json");
    unlink("test_side.words");
    unlink("test_side.attn.npy");
}

static void what_is_no_dump_is_refused_with_what_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *part;
    } CASES[] = {
        {"", 0, "the file is empty"},
        {"<html>404", 9, "web page"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", 56, "git lfs pull"},
        {"\x89HDF\r\n\x1a\n", 8, "h5py"},
        {"\x80\x04N.", 4, "Python pickle"},
        {"PK\3\4xxxxxxxxxxxxxxxxxxxxxx\1\0\0\0a", 31, "not of numpy arrays"},
        {"PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22, "no array of numbers"},
        {"\x1f\x8b\x08", 3, "uncompress"},
        {"once upon a time\n", 17, "no kind of attention dump"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        assert_refused(import_open_memory(CASES[i].bytes, CASES[i].n, "x", NULL, &error),
                       CASES[i].part);
    }
    Error error = {0};
    assert_refused(import_open(".", NULL, &error), "a directory");
    assert_refused(import_open("/dev/null", NULL, &error), "not a regular file");
    assert_refused(import_open("nowhere", NULL, &error), "cannot open");
}

/* Larger than what is copied into memory, but all holes on the disk. */
static void a_mapped_file_that_shrinks_is_noticed(void **state)
{
    (void)state;
    Error error = {0};
    static const char HEADER[128] = "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, "
                                    "'shape': (4097, 4096)}";
    char padded[128];
    for (size_t i = 0; i < sizeof padded; i++)
        padded[i] = i < 10 || HEADER[i] ? HEADER[i] : ' ';
    assert_ok(file_write("test_shrink.npy", padded, sizeof padded, &error));
    assert_int_equal(truncate("test_shrink.npy", 128 + 4097 * 4096 * 4), 0);
    ImportSet *set = import_open("test_shrink.npy", NULL, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    assert_axes(trace, W, "target 4097, source 4096");
    assert_true(trace_intact(trace));
    assert_int_equal(truncate("test_shrink.npy", 1000), 0);
    assert_false(trace_intact(trace));
    assert_refused(import_trace(set, 0, &error), "became shorter while it was open");
    import_close(set);
    trace_release(trace);
    unlink("test_shrink.npy");
}

static void dumps_cut_at_any_byte_never_crash(void **state)
{
    (void)state;
    static const char *const FILES[] = {"layers.npz", "layers_deflated.npz", "cross.safetensors",
                                        "batch.npy"};
    for (size_t f = 0; f < sizeof FILES / sizeof *FILES; f++) {
        Error error = {0};
        StrBuf path = {0};
        Bytes bytes;
        strbuf_addf(&path, "%s/dumps/%s", FOVEA_TEST_DATA, FILES[f]);
        assert_ok(file_read(path.text, 1 << 20, &bytes, &error));
        for (size_t n = 0; n < bytes.size; n++) {
            ImportSet *set = import_open_memory(bytes.data, n, "cut", NULL, &error);
            assert_null(set);
            assert_true(error_is_set(&error));
            error_clear(&error);
        }
        bytes_free(&bytes);
        strbuf_free(&path);
    }
}

/* Files of numpy's and of other people's, when they are at hand. */
static void published_files_are_read_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        const char *part; /* of the refusal, or NULL */
    } CASES[] = {
        {"npy/generated/f2.npy", NULL},
        {"npy/generated/f4.npy", NULL},
        {"npy/generated/f8.npy", NULL},
        {"npy/generated/be_f4.npy", NULL},
        {"npy/generated/be_f8.npy", NULL},
        {"npy/generated/be_i2.npy", NULL},
        {"npy/generated/fortran_f4.npy", NULL},
        {"npy/generated/header_v1_f4.npy", NULL},
        {"npy/generated/header_v2_f4.npy", NULL},
        {"npy/generated/header_v3_f4.npy", NULL},
        {"npy/generated/fourd_f4.npy", NULL},
        {"npy/generated/onedim_f4.npy", NULL},
        {"npy/generated/nan_inf_f4.npy", NULL},
        {"npy/generated/empty_f4.npy", NULL},
        {"npy/generated/two_stored.npz", NULL},
        {"npy/generated/two_deflated.npz", NULL},
        {"npy/generated/zerod_f4.npy", "no array of numbers"},
        {"npy/generated/c16.npy", "complex"},
        {"npy/generated/struct.npy", "structured"},
        {"npy/real/py3-objarr.npy", "Python objects"},
        {"npy/real/py3-objarr.npz", "Python objects"},
        {"npy/real/python3.npy", NULL},
        {"safetensors/mnist-tinygrad.safetensors", NULL},
    };
    const char *data = getenv("FOVEA_DATA");
    for (size_t i = 0; data && i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        StrBuf path = {0};
        strbuf_addf(&path, "%s/formats/%s", data, CASES[i].file);
        ImportSet *set = import_open(path.text, NULL, &error);
        if (CASES[i].part) {
            assert_refused(set, CASES[i].part);
        } else {
            assert_ok(set);
            const Trace *trace = import_trace(set, 0, &error);
            assert_ok(trace);
            assert_true(trace_n_tensors(trace) > 0);
            trace_release(trace);
        }
        import_close(set);
        strbuf_free(&path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_taken_by_habit),
        cmocka_unit_test(a_vector_is_one_row),
        cmocka_unit_test(row_sums_decide_which_way_round_it_is),
        cmocka_unit_test(rows_and_columns_can_be_exchanged),
        cmocka_unit_test(axes_can_be_told),
        cmocka_unit_test(layers_in_arrays_of_their_own_are_ordered_by_number),
        cmocka_unit_test(a_batch_is_a_list_of_sentences_and_padding_is_cut),
        cmocka_unit_test(generated_steps_are_put_together),
        cmocka_unit_test(matrices_of_different_shapes_are_sentences),
        cmocka_unit_test(encoder_and_cross_attention_share_their_tokens),
        cmocka_unit_test(sixteen_bits_are_read_as_they_lie),
        cmocka_unit_test(scores_are_known_by_their_values),
        cmocka_unit_test(what_cannot_be_read_is_left_out_and_told),
        cmocka_unit_test(counts_that_differ_are_explained),
        cmocka_unit_test(tokens_beside_the_dump_are_found_and_others_can_be_named),
        cmocka_unit_test(what_is_no_dump_is_refused_with_what_it_is),
        cmocka_unit_test(a_mapped_file_that_shrinks_is_noticed),
        cmocka_unit_test(dumps_cut_at_any_byte_never_crash),
        cmocka_unit_test(published_files_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
