#include <unistd.h>

#include "dumps.h"

#define W "attention.weights"

static ImportSet *open_text(const char *text, Error *error)
{
    return import_open_memory(text, strlen(text), "x.json", NULL, error);
}

static const Trace *trace_of(const char *text, int32_t i, int32_t count, const char *label)
{
    Error error = {0};
    ImportSet *set = open_text(text, &error);
    assert_ok(set);
    assert_string_equal(import_format(set), "JSON");
    assert_int_equal(import_count(set), count);
    assert_string_equal(import_label(set, i), label);
    const Trace *trace = import_trace(set, i, &error);
    assert_ok(trace);
    import_close(set);
    return trace;
}

static float cell(const Trace *trace, const char *name, int32_t row, int32_t col)
{
    TraceMatrix matrix = trace_matrix(trace, trace_find(trace, name), NULL);
    return trace_matrix_get(&matrix, row, col);
}

static void dump_lines_state_their_axes(void **state)
{
    (void)state;
    static const char LINES[] =
        "{\"src\":[\"the\",\"house\"],\"tgt\":[\"la\",\"maison\",\"</s>\"],"
        "\"att\":[[0.8,0.2],[0.1,0.9],[0.5,0.5]],\"axis\":\"tgt-src\",\"kind\":\"cross\"}\n\n"
        "{\"src\":[\"caf\\u00e9\",\"b\"],\"tgt\":[\"x\",\"y\"],"
        "\"att\":[[0.9,0.4],[0.1,0.6]],\"axis\":\"src-tgt\"}\r\n";
    const Trace *trace = trace_of(LINES, 0, 2, "the house | la maison");
    assert_axes(trace, W, "target 3, source 2");
    assert_labels(trace, "source", "the house");
    assert_labels(trace, "target", "la maison </s>");
    assert_close(cell(trace, W, 1, 1), 0.9f, 0);
    trace_release(trace);
    trace = trace_of(LINES, 1, 2, "caf\u00E9 b | x y");
    assert_axes(trace, W, "target 2, source 2");
    assert_close(cell(trace, W, 1, 0), 0.4f, 0); /* the file is source x target */
    trace_release(trace);
}

static void attention_under_any_name_is_found(void **state)
{
    (void)state;
    const Trace *trace = trace_of("{\"tokens\": [\"a\", \"b\"], \"attention\":\n"
                                  " [[[[1, 0], [0.5, 0.5]], [[0, 1], [1, 0]]]]}",
                                  0, 1, "a b");
    assert_axes(trace, W, "head 2, token 2, token 2");
    assert_labels(trace, "token", "a b");
    trace_release(trace);
    trace = trace_of("{\"encoder_attentions\": [[[1]]], \"cross_attentions\": [[[1], [1]]],"
                     " \"decoder_attentions\": [[[1, 0], [0.5, 0.5]]],"
                     " \"encoder_tokens\": [\"a\"], \"decoder_tokens\": [\"x\", \"y\"]}",
                     0, 1, "1");
    assert_axes(trace, "attention.encoder.weights", "source 1, source 1");
    assert_axes(trace, "attention.cross.weights", "target 2, source 1");
    assert_axes(trace, "attention.decoder.weights", "target 2, target 2");
    trace_release(trace);
    trace = trace_of("[[0.5, 0.5], [null, 1]]", 0, 1, "1");
    assert_axes(trace, W, "token 2, token 2");
    assert_true(isnan(cell(trace, W, 1, 0)));
    trace_release(trace);
}

static void traces_are_read_one_or_one_a_line(void **state)
{
    (void)state;
    static const char LINES[] =
        "{\"fovea\": 1, \"input\": \"one\"}\n{\"fovea\": 1, \"input\": \"two\"}\n";
    const Trace *trace = trace_of(LINES, 1, 2, "two");
    assert_string_equal(trace_text(trace, "input"), "two");
    trace_release(trace);
    trace = trace_of("{\"fovea\": 1,\n \"input\": \"three\"}\n", 0, 1, "three");
    assert_string_equal(trace_text(trace, "input"), "three");
    trace_release(trace);
}

static void neat_vision_shows_words_and_the_verdict(void **state)
{
    (void)state;
    static const char TEXT[] =
        "[{\"id\": \"s1\", \"text\": [\"so\", \"good\"], \"attention\": [0.25, 0.75, 0.0, 0.0],"
        "  \"label\": 1, \"prediction\": [0, 1], \"posterior\": [0.0, 1.0986123]},\n"
        " {\"id\": 2, \"text\": [\"bad\"], \"attention\": [1], \"posterior\": [0.25, 0.75]}]";
    const Trace *trace = trace_of(TEXT, 0, 2, "so good");
    assert_axes(trace, W, "token 2");
    assert_labels(trace, "token", "so good");
    assert_close(cell(trace, W, 0, 1), 0.75, 0);
    assert_string_equal(trace_attribute(trace, "id"), "s1");
    assert_string_equal(trace_attribute(trace, "label"), "1");
    assert_string_equal(trace_attribute(trace, "prediction"), "[0,1]");
    assert_int_equal(trace_n_classes(trace), 2);
    assert_close(trace_class(trace, 1)->probability, 0.75, 1e-6);
    assert_note(trace, "their softmax");
    trace_release(trace);
    trace = trace_of(TEXT, 1, 2, "bad");
    assert_close(trace_class(trace, 0)->probability, 0.25, 0);
    assert_false(has_note(trace, "softmax"));
    trace_release(trace);
}

static void classes_have_the_names_beside_the_dump(void **state)
{
    (void)state;
    Error error = {0};
    static const char DUMP[] =
        "[{\"text\": [\"a\"], \"attention\": [1], \"posterior\": [0.25, 0.5, 0.25]}]";
    static const char LABELS[] =
        "{\"0\": {\"name\": \"joy\", \"desc\": \"_joy_\"}, \"1\": \"fear\"}";
    assert_ok(file_write("test_labels.dump.json", DUMP, sizeof DUMP - 1, &error));
    assert_ok(file_write("test_labels.labels.json", LABELS, sizeof LABELS - 1, &error));
    ImportSet *set = import_open("test_labels.dump.json", NULL, &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    assert_string_equal(trace_class(trace, 0)->label, "joy");
    assert_string_equal(trace_class(trace, 1)->label, "fear");
    assert_string_equal(trace_class(trace, 2)->label, "2");
    trace_release(trace);
    import_close(set);
    ImportOptions options = {.labels_path = "test_labels.dump.json"};
    assert_refused(import_open("test_labels.dump.json", &options, &error),
                   "an object of label names");
    unlink("test_labels.dump.json");
    unlink("test_labels.labels.json");
}

static void faults_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool opens;
        const char *part;
    } CASES[] = {
        {"{\"a\": [1, 2}", false, "x.json: line 1, column 12"},
        {"{\"a\": \"b\"}", true, "x.json: sentence 1: no attention in it"},
        {"{\"att\": [[1, 2], [3]]}", true,
         "\"att\": lists of different lengths at depth 1: 1 and 2"},
        {"{\"att\": [[1, 2], [3, \"x\"]]}", true, "\"att\": a string among the numbers"},
        {"{\"att\": [[1, 2], 3]}", true, "lists of different lengths"},
        {"{\"att\": [[1, 2]], \"axis\": \"a-b\"}", true, "should name one target and one source"},
        {"{\"fovea\": 3}", true, "x.json: sentence 1: \"fovea\" (the version) is 3"},
        {"[]", true, "no attention in it"},
        {"{\"att\": [[1]]}\n{\"att\": [[1]}\n", true, ""},
        {"[{\"att\": [[1]]}, 7]", true, ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        ImportSet *set = open_text(CASES[i].text, &error);
        if (!CASES[i].opens) {
            assert_refused(set, CASES[i].part);
            continue;
        }
        assert_ok(set);
        if (*CASES[i].part) {
            assert_refused(import_trace(set, 0, &error), CASES[i].part);
        } else { /* one bad sentence does not spoil the others */
            const Trace *trace = import_trace(set, 0, &error);
            assert_ok(trace);
            trace_release(trace);
            assert_null(import_trace(set, 1, &error));
            assert_true(error_is_set(&error));
        }
        import_close(set);
    }
}

/* [step][layer][batch][head][row][column]: the prompt's rows, then one row a step. */
static void steps_of_generate_are_put_together(void **state)
{
    (void)state;
    Error error = {0};
    ImportSet *set =
        open_text("{\"attentions\": [[[[[[1, 0], [0.5, 0.5]]]], [[[[1, 0], [0, 1]]]]], "
                  "[[[[[0.25, 0.25, 0.5]]]], [[[[0, 0, 1]]]]]], "
                  "\"tokens\": [\"a\", \"b\", \"c\"]}",
                  &error);
    assert_ok(set);
    const Trace *trace = import_trace(set, 0, &error);
    assert_ok(trace);
    const TraceTensor *tensor = trace_find(trace, "attention.weights");
    assert_non_null(tensor);
    assert_int_equal(tensor->rank, 3);
    assert_string_equal(trace_axis(trace, tensor->axis[0])->name, "layer");
    assert_labels(trace, "token", "a b c");
    TraceMatrix first = trace_matrix(trace, tensor, (int32_t[]){0});
    assert_close(trace_matrix_get(&first, 1, 1), 0.5, 0);
    assert_close(trace_matrix_get(&first, 1, 2), 0, 0);
    assert_close(trace_matrix_get(&first, 2, 2), 0.5, 0);
    TraceMatrix second = trace_matrix(trace, tensor, (int32_t[]){1});
    assert_close(trace_matrix_get(&second, 2, 2), 1, 0);
    trace_release(trace);
    import_close(set);
    set = open_text("{\"att\": [[[[[1, 0]]]], [[[\"x\"]]], [[[[1]]]]]}", &error);
    assert_ok(set);
    assert_refused(import_trace(set, 0, &error), "a list of numbers was expected");
    import_close(set);
}

static void what_a_file_states_is_not_swapped(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool can_swap;
    } CASES[] = {
        {"{\"att\": [[1, 0], [0, 1]]}", true},
        {"{\"att\": [[1, 0], [0, 1]]}\n{\"att\": [[1, 0], [0, 1]]}", true},
        {"[{\"text\": [\"a\"], \"attention\": [1]}]", false},
        {"{\"fovea\": 1, \"axes\": [], \"tensors\": []}", false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        ImportSet *set = open_text(CASES[i].text, &error);
        assert_ok(set);
        assert_int_equal(import_can_swap(set), CASES[i].can_swap);
        import_close(set);
    }
}

static void deep_json_is_refused(void **state)
{
    (void)state;
    Error error = {0};
    StrBuf text = {0};
    strbuf_add(&text, "{\"att\": ");
    for (int i = 0; i < 200; i++)
        strbuf_add_char(&text, '[');
    strbuf_add_char(&text, '1');
    for (int i = 0; i < 200; i++)
        strbuf_add_char(&text, ']');
    strbuf_add_char(&text, '}');
    ImportSet *set = import_open_memory(text.text, text.length, "deep", NULL, &error);
    assert_ok(set);
    assert_refused(import_trace(set, 0, &error), "no attention in it");
    import_close(set);
    strbuf_clear(&text);
    for (int i = 0; i < 10000; i++)
        strbuf_add_char(&text, '[');
    assert_refused(import_open_memory(text.text, text.length, "deep", NULL, &error), "depth");
    strbuf_free(&text);
}

/* Samples of a public tool, when they are at hand. */
static void published_samples_are_read(void **state)
{
    (void)state;
    const char *data = getenv("FOVEA_DATA");
    if (!data)
        return;
    Error error = {0};
    StrBuf path = {0};
    strbuf_addf(&path, "%s/formats/neat-vision/ntua-slp_semeval2018_task2_a_trial.json", data);
    ImportSet *set = import_open(path.text, NULL, &error);
    assert_ok(set);
    assert_true(import_count(set) > 100);
    for (int32_t i = 0; i < import_count(set); i++) {
        const Trace *trace = import_trace(set, i, &error);
        assert_ok(trace);
        TraceMatrix row = trace_matrix(trace, trace_find(trace, W), NULL);
        double sum = 0;
        for (int32_t k = 0; k < row.cols; k++)
            sum += (double)trace_matrix_get(&row, 0, k);
        assert_close(sum, 1, 1e-3);
        assert_int_equal(trace_n_classes(trace), 20);
        trace_release(trace);
    }
    import_close(set);
    strbuf_free(&path);
}

/* Nothing is left out in silence. */
static void a_batch_in_one_object_is_told_of(void **state)
{
    (void)state;
    static const char TEXT[] =
        "{\"src\":[\"a\",\"b\"],\"tgt\":[\"x\",\"y\"],\"att\":"
        "[[[[[1,0],[0,1]]],[[[0,1],[1,0]]]],[[[[1,0],[0,1]]],[[[0,1],[1,0]]]]]}";
    const Trace *trace = trace_of(TEXT, 0, 1, "a b | x y");
    assert_note(trace, "one of 2 sentences in one object");
    trace_release(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_in_one_object_is_told_of),
        cmocka_unit_test(dump_lines_state_their_axes),
        cmocka_unit_test(attention_under_any_name_is_found),
        cmocka_unit_test(traces_are_read_one_or_one_a_line),
        cmocka_unit_test(neat_vision_shows_words_and_the_verdict),
        cmocka_unit_test(classes_have_the_names_beside_the_dump),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(steps_of_generate_are_put_together),
        cmocka_unit_test(what_a_file_states_is_not_swapped),
        cmocka_unit_test(deep_json_is_refused),
        cmocka_unit_test(published_samples_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
