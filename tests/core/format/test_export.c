#include "format/export.h"

#include <unistd.h>

#include "dumps.h"
#include "trace/trace_json.h"

/* Tensors that lie in every way: dense, strided, big-endian, in parts, narrow, empty. */
static const Trace *make_trace(bool narrow)
{
    static const float dense[6] = {0.5f, 0.5f, 0.1f, 0.9f, NAN, -INFINITY};
    static const unsigned char big[4] = {0x3C, 0x00, 0xC0, 0x00}; /* F16: 1, -2 */
    static const uint16_t bf16[2] = {0x3F80, 0xC000};
    static const uint64_t whole[3] = {UINT64_MAX, 0, 9007199254740993};
    const void *parts[] = {dense + 2, dense, dense + 4};
    TraceBuilder *builder = trace_builder_new();
    trace_set_text(builder, "input", "the house");
    trace_set_attribute(builder, "model", "m");
    trace_add_note(builder, "n");
    const char *labels[] = {"the", "\xE2\x82\xAC \"x\""};
    uint8_t flags[] = {0, TRACE_TOKEN_SPECIAL};
    TraceAxis source = {.name = "source", .kind = TRACE_AXIS_TOKEN, .len = 2};
    source.labels = labels;
    source.flags = flags;
    int32_t two = trace_add_axis(builder, &source);
    int32_t three =
        trace_add_axis(builder, &(TraceAxis){.name = "layer", .kind = TRACE_AXIS_INDEX, .len = 3});
    int32_t one =
        trace_add_axis(builder, &(TraceAxis){.name = "head", .kind = TRACE_AXIS_INDEX, .len = 1});
    int32_t none = trace_add_axis(builder, &(TraceAxis){.name = "none"});
    trace_add_tensor(builder, "plain", TRACE_WEIGHTS, 2, (int32_t[]){three, two}, dense);
    trace_add_tensor(builder, "empty", TRACE_SCORES, 2, (int32_t[]){three, none}, dense);
    TraceTensor tensor = {.name = "turned", .rank = 2, .axis = {two, three}, .stride = {1, 2}};
    tensor.data = dense;
    trace_add_mapped(builder, &tensor, dense, sizeof dense);
    tensor = (TraceTensor){.name = "parts", .rank = 3, .axis = {three, one, two}};
    tensor.stride[1] = 2;
    tensor.stride[2] = 1;
    tensor.parts = parts;
    trace_add_mapped(builder, &tensor, dense, sizeof dense);
    tensor = (TraceTensor){.name = "big", .rank = 1, .axis = {two}, .stride = {1}};
    tensor.type = TRACE_F16;
    tensor.big_endian = true;
    tensor.data = big;
    trace_add_mapped(builder, &tensor, big, sizeof big);
    tensor = (TraceTensor){.name = "whole", .rank = 1, .axis = {three}, .stride = {1}};
    tensor.type = TRACE_U64;
    tensor.data = whole;
    trace_add_mapped(builder, &tensor, whole, sizeof whole);
    tensor = (TraceTensor){.name = "narrow", .rank = 1, .axis = {two}, .stride = {1}};
    tensor.type = TRACE_BF16;
    tensor.data = bf16;
    if (narrow)
        trace_add_mapped(builder, &tensor, bf16, sizeof bf16);
    trace_add_step(builder, &(TraceStep){.token = "la", .probability = 0.5});
    Error error = {0};
    const Trace *trace = trace_seal(builder, &error);
    assert_ok(trace);
    return trace;
}

static StrBuf to_json(const Trace *trace)
{
    StrBuf out = {0};
    Error error = {0};
    assert_ok(trace_json_write(trace, &out, &error));
    return out;
}

static void assert_comes_back(const Trace *trace, const char *path, const char *format)
{
    Error error = {0};
    ImportSet *set = import_open(path, NULL, &error);
    assert_ok(set);
    assert_string_equal(import_format(set), format);
    assert_string_equal(import_label(set, 0), "the house");
    const Trace *back = import_trace(set, 0, &error);
    assert_ok(back);
    import_close(set);
    StrBuf first = to_json(trace), second = to_json(back);
    assert_string_equal(first.text, second.text);
    strbuf_free(&first);
    strbuf_free(&second);
    trace_release(back);
    unlink(path);
}

static void a_trace_comes_back_equal_from_every_form(void **state)
{
    (void)state;
    Error error = {0};
    const Trace *trace = make_trace(true);
    assert_ok(export_trace_json(trace, "test_export.tmp", &error));
    assert_comes_back(trace, "test_export.tmp", "JSON");
    assert_ok(export_trace_safetensors(trace, "test_export.tmp", &error));
    assert_comes_back(trace, "test_export.tmp", "safetensors");
    trace_release(trace);
    trace = make_trace(false);
    assert_ok(export_trace_npz(trace, "test_export.tmp", &error));
    assert_comes_back(trace, "test_export.tmp", "numpy .npz");
    trace_release(trace);
}

static void what_numpy_has_no_type_for_is_widened(void **state)
{
    (void)state;
    Error error = {0};
    const Trace *trace = make_trace(true);
    assert_ok(export_trace_npz(trace, "test_export.tmp", &error));
    ImportSet *set = import_open("test_export.tmp", NULL, &error);
    assert_ok(set);
    const Trace *back = import_trace(set, 0, &error);
    assert_ok(back);
    const TraceTensor *narrow = trace_find(back, "narrow");
    assert_int_equal(narrow->type, TRACE_F32);
    TraceMatrix row = trace_matrix(back, narrow, NULL);
    assert_close(trace_matrix_get(&row, 0, 1), -2, 0);
    trace_release(back);
    import_close(set);
    trace_release(trace);
    unlink("test_export.tmp");
}

static void an_outline_without_its_numbers_is_refused(void **state)
{
    (void)state;
    Error error = {0};
    const Trace *trace = make_trace(false);
    StrBuf outline = {0};
    assert_ok(trace_json_write_outline(trace, &outline, &error));
    assert_null(strstr(outline.text, "\"data\""));
    assert_refused(trace_json_read(outline.text, outline.length, "x", &error), "\"data\"");
    strbuf_free(&outline);
    trace_release(trace);
}

static void a_table_is_quoted_where_it_must_be(void **state)
{
    (void)state;
    Error error = {0};
    const char *labels[] = {"a,b", "say \"hi\"", " x", "line\nbreak"};
    TraceBuilder *builder = trace_builder_new();
    TraceAxis axis = {.name = "source", .kind = TRACE_AXIS_TOKEN, .len = 4, .labels = labels};
    int32_t axes[2];
    axes[1] = trace_add_axis(builder, &axis);
    axes[0] = trace_add_axis(builder, &(TraceAxis){.name = "target", .len = 1});
    float data[] = {0.5f, NAN, 1.0f / 3, -0.0f};
    trace_add_tensor(builder, "w", TRACE_WEIGHTS, 2, axes, data);
    const Trace *trace = trace_seal(builder, &error);
    assert_ok(trace);
    Grid grid;
    assert_ok(grid_init(&grid, trace, trace_find(trace, "w"), NULL, &error));
    StrBuf table = {0};
    export_grid_table(&grid, ',', &table);
    assert_string_equal(table.text, ",\"a,b\",\"say \"\"hi\"\"\",\" x\",\"line\nbreak\"\r\n"
                                    "1,0.5,nan,0.333333343,-0.0\r\n");
    strbuf_clear(&table);
    export_grid_table(&grid, '\t', &table);
    assert_memory_equal(table.text, "\ta,b\t", 5);
    assert_ok(export_grid_csv(&grid, ',', "test_export.tmp", &error));
    Bytes bytes;
    assert_ok(file_read("test_export.tmp", 1000, &bytes, &error));
    assert_memory_equal(bytes.data, ",\"a,b\"", 6);
    bytes_free(&bytes);
    assert_ok(export_grid_npy(&grid, "test_export.tmp", &error));
    ImportSet *set = import_open("test_export.tmp", NULL, &error);
    assert_ok(set);
    assert_string_equal(import_format(set), "numpy .npy");
    import_close(set);
    unlink("test_export.tmp");
    strbuf_free(&table);
    grid_deinit(&grid);
    trace_release(trace);
}

static void links_are_written_one_sentence_a_line(void **state)
{
    (void)state;
    Error error = {0};
    AlignLinks sentences[3] = {{0}};
    align_links_add(&sentences[0], (AlignLink){0, 1, false});
    align_links_add(&sentences[0], (AlignLink){2, 0, true});
    align_links_add(&sentences[2], (AlignLink){0, 0, false});
    assert_ok(export_links(sentences, 3, "test_export.tmp", &error));
    Bytes bytes;
    assert_ok(file_read("test_export.tmp", 1000, &bytes, &error));
    assert_string_equal(bytes.data, "0-1 2p0\n\n0-0\n");
    bytes_free(&bytes);
    LinksFile file;
    assert_ok(links_read("test_export.tmp", NULL, &file, &error));
    assert_int_equal(file.n, 3);
    assert_true(file.at[0].at[1].possible);
    links_free(&file);
    unlink("test_export.tmp");
    for (int i = 0; i < 3; i++)
        align_links_free(&sentences[i]);
    assert_refused(export_links(NULL, 0, "/nonexistent/x", &error), "cannot write");
}

static void links_of_a_run_are_its_largest_weights_or_its_own(void **state)
{
    (void)state;
    Error error = {0};
    static const struct {
        const char *dump, *links;
    } cases[] = {
        {"{\"src\":[\"a\",\"b\"],\"tgt\":[\"x\",\"y\"],\"att\":[[0.2,0.8],[0.9,0.1]]}", "1-0 0-1"},
        {"0-0 2p1\n", "0-0 2p1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AlignLinks links = {0};
        StrBuf line = {0};
        ImportSet *set =
            import_open_memory(cases[i].dump, strlen(cases[i].dump), "x", NULL, &error);
        assert_ok(set);
        const Trace *trace = import_trace(set, 0, &error);
        assert_ok(trace);
        assert_ok(export_trace_links(trace, &links, &error));
        links_add_line(&links, &line);
        assert_string_equal(line.text, cases[i].links);
        strbuf_free(&line);
        align_links_free(&links);
        trace_release(trace);
        import_close(set);
    }
    const char *square = "{\"tokens\":[\"a\",\"b\"],\"att\":[[0.5,0.5],[0.5,0.5]]}";
    ImportSet *set = import_open_memory(square, strlen(square), "x", NULL, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    AlignLinks links = {0};
    assert_refused(export_trace_links(trace, &links, &error), "no weights between");
    trace_release(trace);
    import_close(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_comes_back_equal_from_every_form),
        cmocka_unit_test(what_numpy_has_no_type_for_is_widened),
        cmocka_unit_test(an_outline_without_its_numbers_is_refused),
        cmocka_unit_test(a_table_is_quoted_where_it_must_be),
        cmocka_unit_test(links_are_written_one_sentence_a_line),
        cmocka_unit_test(links_of_a_run_are_its_largest_weights_or_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
