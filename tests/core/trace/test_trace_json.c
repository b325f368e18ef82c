#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "trace/base64.h"
#include "trace/trace_json.h"

/* Everything a trace can hold, with awkward values. */
static const Trace *rich_trace(void)
{
    TraceBuilder *builder = trace_builder_new();
    trace_set_text(builder, "input", "the \"house\"\n\t\xE2\x82\xAC");
    trace_set_text(builder, "output", "");
    trace_set_text(builder, "question", "where?");
    trace_set_text(builder, "model", "a text, not the attribute");
    trace_set_attribute(builder, "model", "en-fr");
    trace_set_attribute(builder, "seed", "%lld", (long long)INT64_MIN);
    trace_set_attribute(builder, "family", "{[");
    trace_set_score(builder, -1.0 / 3);
    trace_add_note(builder, "assumed [T, S]");
    int32_t sentence = trace_add_axis(
        builder, &(TraceAxis){.name = "sentence", .kind = TRACE_AXIS_INDEX, .len = 2});
    const char *labels[] = {"the", "\"house\"", "\xE2\x82\xAC{"};
    TraceSpan spans[] = {{0, 3}, {4, 11}, {13, 16}};
    uint8_t flags[] = {0, TRACE_TOKEN_CONTINUES | TRACE_TOKEN_FORCED, TRACE_TOKEN_SPECIAL};
    int32_t parents[] = {0, -1, 1};
    int32_t source = trace_add_axis(builder, &(TraceAxis){.name = "source",
                                                          .kind = TRACE_AXIS_TOKEN,
                                                          .len = 3,
                                                          .labels = labels,
                                                          .text = "input",
                                                          .spans = spans,
                                                          .flags = flags,
                                                          .parent_axis = sentence,
                                                          .parent = parents});
    int32_t grid = trace_add_axis(
        builder,
        &(TraceAxis){.name = "cell", .kind = TRACE_AXIS_GRID, .len = 6, .rows = 2, .cols = 3});
    int32_t none = trace_add_axis(
        builder, &(TraceAxis){.name = "none", .kind = TRACE_AXIS_CLASS, .text = "question"});
    float weights[6] = {0.1f, 1.0f / 3, 1e-38f, NAN, INFINITY, -INFINITY};
    trace_add_tensor(builder, "attention.weights", TRACE_WEIGHTS, 2, (int32_t[]){sentence, source},
                     weights);
    trace_add_tensor(builder, "empty", TRACE_SCORES, 3, (int32_t[]){sentence, none, grid}, weights);
    static const double doubles[3] = {0.1, 1.0 / 3, 5e-324};
    trace_add_mapped(builder,
                     &(TraceTensor){.name = "reversed",
                                    .role = TRACE_STATE,
                                    .rank = 1,
                                    .axis = {source},
                                    .type = TRACE_F64,
                                    .data = doubles + 2,
                                    .stride = {-1}},
                     doubles, sizeof doubles);
    static const uint64_t huge[6] = {UINT64_MAX, 0, 1, INT64_MAX, 1ull << 63, 9007199254740993};
    trace_add_mapped(builder,
                     &(TraceTensor){.name = "integers",
                                    .role = TRACE_MASK,
                                    .rank = 1,
                                    .axis = {grid},
                                    .type = TRACE_U64,
                                    .data = huge,
                                    .stride = {1}},
                     huge, sizeof huge);
    TraceCandidate candidates[] = {{"la", 4, 0.75}, {"le", 0, 0.1}};
    TraceScalar scalars[] = {{"entropy", 0.3}, {"gate.update", NAN}};
    trace_add_step(builder, &(TraceStep){.token = "la",
                                         .id = -4,
                                         .probability = 0.75,
                                         .forced = true,
                                         .n_candidates = 2,
                                         .candidates = candidates,
                                         .n_scalars = 2,
                                         .scalars = scalars,
                                         .window = &(TraceWindow){1.1, -1, 1, 2.5},
                                         .n_selected = 2,
                                         .selected = (int32_t[]){1, 0},
                                         .n_boxes = 1,
                                         .boxes = &(TraceBox){-0.1f, 0.2f, 0.3f, 1.4f}});
    trace_add_step(builder, &(TraceStep){.token = NULL});
    trace_add_class(builder, "positive", 0.98);
    trace_add_beam_node(builder,
                        &(TraceBeamNode){-1, 0, "la", 4, -0.1, -0.1, TRACE_BEAM_LIVE, 0, 0, 0});
    trace_add_beam_node(
        builder, &(TraceBeamNode){0, 1, "x", 5, -2, -1.05, TRACE_BEAM_PRUNED, 2, -1.5, -1.25});
    uint8_t rgba[8] = {0, 255, 3, 4, 5, 6, 7, 128};
    trace_set_image(builder, &(TraceImage){2, 1, rgba});
    trace_add_change(builder, &(TraceChange){-1, "temperature", "T = 0.5"});
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

static void writing_and_reading_lose_nothing(void **state)
{
    (void)state;
    Error error = {0};
    const Trace *trace = rich_trace();
    StrBuf first = to_json(trace);
    assert_null(strchr(first.text, '\n'));
    const Trace *back = trace_json_read(first.text, first.length, "x.json", &error);
    assert_ok(back);
    StrBuf second = to_json(back);
    assert_string_equal(first.text, second.text);

    /* The text could hide a fault that both ways share: look at the values themselves. */
    TraceMatrix a = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
    TraceMatrix b = trace_matrix(back, trace_find(back, "attention.weights"), NULL);
    for (int i = 0; i < 6; i++) {
        float x = trace_matrix_get(&a, i / 3, i % 3), y = trace_matrix_get(&b, i / 3, i % 3);
        assert_true(x == y || (isnan(x) && isnan(y)));
    }
    const TraceTensor *reversed = trace_find(back, "reversed");
    assert_int_equal(reversed->type, TRACE_F64);
    assert_true(trace_element(TRACE_F64, reversed->big_endian, reversed->data) == 5e-324);
    const TraceTensor *integers = trace_find(back, "integers");
    assert_true((uint64_t)trace_element_integer(TRACE_U64, false, integers->data) == UINT64_MAX);
    assert_true(trace_element_integer(TRACE_U64, false, (const char *)integers->data + 40) ==
                9007199254740993);
    const TraceAxis *source = trace_axis(back, trace_find_axis(back, "source"));
    assert_int_equal(source->flags[1], TRACE_TOKEN_CONTINUES | TRACE_TOKEN_FORCED);
    assert_int_equal(source->flags[2], TRACE_TOKEN_SPECIAL);
    assert_int_equal(source->parent[2], 1);
    assert_int_equal(source->spans[1].end, 11);
    assert_string_equal(source->labels[2], "\xE2\x82\xAC{");
    assert_int_equal(trace_axis(back, trace_find_axis(back, "cell"))->cols, 3);
    assert_string_equal(trace_text(back, "model"), "a text, not the attribute");
    assert_string_equal(trace_attribute(back, "model"), "en-fr");
    assert_string_equal(trace_attribute(back, "seed"), "-9223372036854775808");
    assert_true(trace_score(back) == -1.0 / 3);
    const TraceStep *step = trace_step(back, 0);
    assert_int_equal(step->id, -4);
    assert_true(step->forced);
    assert_true(isnan(trace_step_scalar(step, "gate.update")));
    assert_int_equal(step->window->low, -1);
    assert_close(step->boxes[0].w, 0.3f, 0);
    assert_int_equal(trace_beam_node(back, 1)->state, TRACE_BEAM_PRUNED);
    assert_int_equal(trace_beam_node(back, 1)->dropped_at, 2);
    assert_true(trace_beam_node(back, 1)->dropped_score == -1.5 &&
                trace_beam_node(back, 1)->kept_score == -1.25);
    assert_int_equal(trace_image(back)->rgba[7], 128);
    assert_int_equal(trace_change(back, 0)->step, -1);
    trace_release(trace);
    trace_release(back);
    strbuf_free(&first);
    strbuf_free(&second);
}

/* The example of the format's description, as another program would write it. */
static void a_hand_written_trace_is_read(void **state)
{
    (void)state;
    static const char TEXT[] =
        "{\"fovea\": 1, \"model\": \"m\", \"seed\": 1, \"input\": \"ab\", \"extra\": {\"x\": 1},\n"
        " \"axes\": [{\"name\": \"source\", \"kind\": \"token\", \"labels\": [\"a\", \"b\"],\n"
        "            \"spans\": [[0, 1], [1, 2]]},\n"
        "          {\"name\": \"target\", \"kind\": \"token\", \"labels\": [\"x\"]}],\n"
        " \"tensors\": [{\"name\": \"attention.weights\", \"role\": \"weights\",\n"
        "               \"axes\": [\"target\", \"source\"], \"data\": [[1, \"nan\"]]}],\n"
        " \"steps\": [{\"index\": 0, \"token\": \"x\", \"probability\": 0.93}],\n"
        " \"classes\": [{\"label\": \"p\", \"probability\": 1}]}\n";
    Error error = {0};
    const Trace *trace = trace_json_read(TEXT, sizeof TEXT - 1, "hand.json", &error);
    assert_ok(trace);
    TraceMatrix matrix = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
    assert_close(trace_matrix_get(&matrix, 0, 0), 1, 0);
    assert_true(isnan(trace_matrix_get(&matrix, 0, 1)));
    assert_string_equal(trace_axis(trace, 0)->text, "input");
    assert_close(trace_step(trace, 0)->probability, 0.93, 0);
    assert_true(isnan(trace_score(trace)));
    trace_release(trace);
}

static void faults_are_named_with_their_place(void **state)
{
    (void)state;
#define AXES           "\"axes\":[{\"name\":\"s\",\"labels\":[\"a\",\"b\"]},{\"name\":\"t\",\"length\":1}]"
#define TENSOR(fields) "{\"fovea\":1," AXES ",\"tensors\":[{\"name\":\"w\"," fields "}]}"
    static const struct {
        const char *text;
        const char *part;
    } CASES[] = {
        {"", "x.json: line 1, column 0"},
        {"{\"fovea\":1,\n  \"a\" 2}", "x.json: line 2, column 7"},
        {"{\"fovea\":1,\"fovea\":1}", "duplicate"},
        {"{\"fovea\":1} x", "end of file expected"},
        {"[]", "this is a list"},
        {"{}", "\"fovea\" (the version) is 0; 1 is"},
        {"{\"fovea\":2}", "is 2; 1 is"},
        {"{\"fovea\":\"1\"}", "\"fovea\" should be a whole number of 32 bits; it is a string"},
        {"{\"fovea\":1,\"input\":3}", "\"input\" should be a string; it is a number"},
        {"{\"fovea\":1,\"score\":\"high\"}", "\"score\" should be a number"},
        {"{\"fovea\":1,\"seed\":[]}", "\"seed\" should be"},
        {"{\"fovea\":1,\"texts\":[]}", "\"texts\" should be an object"},
        {"{\"fovea\":1,\"notes\":[1]}", "\"notes\" should be a list of strings"},
        {"{\"fovea\":1,\"axes\":7}", "\"axes\" should be a list; it is a number"},
        {"{\"fovea\":1,\"axes\":[{}]}", "axes[0]: \"name\" should be a string; it is nothing"},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\"}]}", "axes[0] \"s\": neither \"labels\" nor"},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\",\"length\":-1}]}", "neither \"labels\" nor"},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\",\"length\":1,\"kind\":\"word\"}]}",
         "\"kind\" is \"word\""},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\",\"labels\":[\"a\"],\"length\":2}]}",
         "1 labels but \"length\" 2"},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\",\"length\":16777217}]}", "0 to 16777216"},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\",\"kind\":\"grid\",\"rows\":65536,\"cols\":65536}]"
         "}",
         "neither"},
        {"{\"fovea\":1,\"input\":\"ab\",\"axes\":[{\"name\":\"s\",\"length\":1,\"spans\":[[0,3]]}]"
         "}",
         "span 0 of axis \"s\" is 0 to 3; the text has 2"},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\",\"length\":1,\"spans\":[[0]]}]}", "pairs"},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\",\"length\":1,\"spans\":[]}]}", "0 spans for 1"},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\",\"length\":1,\"flags\":{\"special\":[1]}}]}",
         "flag \"special\" of item 1 of 1"},
        {"{\"fovea\":1,\"axes\":[{\"name\":\"s\",\"length\":1,\"parent_axis\":\"s\",\"parents\":[0]"
         "}]}",
         "there is no axis \"s\""},
        {TENSOR("\"axes\":[]"), "tensors[0] \"w\": 0 axes; 1 to 6"},
        {TENSOR("\"axes\":[\"z\"]"), "there is no axis \"z\""},
        {TENSOR("\"axes\":[\"s\"],\"role\":\"x\""), "role \"x\""},
        {TENSOR("\"axes\":[\"s\"],\"type\":\"F4\""), "type \"F4\""},
        {TENSOR("\"axes\":[\"t\",\"s\"],\"data\":[[1]]"),
         "a list of 1 items at depth 1; its axis has 2"},
        {TENSOR("\"axes\":[\"t\",\"s\"],\"data\":[[1,2],[3,4]]"), "of 2 items at depth 0"},
        {TENSOR("\"axes\":[\"t\",\"s\"],\"data\":[1]"),
         "as deep as there are axes; it is a number"},
        {TENSOR("\"axes\":[\"s\"],\"data\":[1,\"7\"]"), "\"data\" should be numbers"},
        {TENSOR("\"axes\":[\"s\"],\"data\":[1,[2]]"), "\"data\" should be numbers"},
        {TENSOR("\"axes\":[\"s\"],\"type\":\"I8\",\"data\":[1,2.5]"), "should be whole numbers"},
        {TENSOR("\"axes\":[\"s\"],\"type\":\"I8\",\"data\":[1,\"2x\"]"), "should be whole numbers"},
        {"{\"fovea\":1,\"steps\":[3]}", "steps[0]: \"steps\" should be a list of objects"},
        {"{\"fovea\":1,\"steps\":[{\"window\":[]}]}", "\"window\" should be an object"},
        {"{\"fovea\":1,\"steps\":[{\"boxes\":[[1,2,3]]}]}", "lists of four numbers"},
        {"{\"fovea\":1,\"steps\":[{\"selection\":[0.5]}]}", "\"selection\" should be"},
        {"{\"fovea\":1,\"steps\":[{\"scalars\":{\"e\":\"x\"}}]}", "\"e\" should be a number"},
        {"{\"fovea\":1,\"beam\":[{\"parent\":0}]}", "beam node 0 has parent 0"},
        {"{\"fovea\":1,\"image\":{\"width\":0,\"height\":1}}", "image: 0 x 1"},
        {"{\"fovea\":1,\"image\":{\"width\":1,\"height\":1,\"rgba\":\"AAAA\"}}", "base64 of the 4"},
        {"{\"fovea\":1,\"image\":{\"width\":1,\"height\":1,\"rgba\":\"AAAA-A==\"}}", "decoded"},
        {"{\"fovea\":1,\"input\":\"\xFF\"}", "x.json: line 1"},
        {"{\"fovea\":1,\"input\":\"\\u0000\"}", "x.json: line 1"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        assert_refused(trace_json_read(CASES[i].text, strlen(CASES[i].text), "x.json", &error),
                       CASES[i].part);
    }
}

static void deep_nesting_is_refused_not_followed(void **state)
{
    (void)state;
    Error error = {0};
    StrBuf text = {0};
    for (int i = 0; i < 100000; i++)
        strbuf_add_char(&text, '[');
    assert_refused(trace_json_read(text.text, text.length, "deep.json", &error), "depth");
    strbuf_free(&text);
}

static void more_text_than_the_limit_is_not_even_looked_at(void **state)
{
    (void)state;
    Error error = {0};
    assert_refused(trace_json_read("{}", TRACE_JSON_MAX_BYTES + 1, "big.json", &error),
                   "big.json: 268435457 bytes of JSON; at most 268435456");
}

static void a_text_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    Error error = {0};
    const Trace *trace = rich_trace();
    StrBuf text = to_json(trace);
    for (size_t n = 0; n < text.length; n++) {
        char *copy = memcpy(malloc(n + 1), text.text, n);
        assert_refused(trace_json_read(copy, n, "cut", &error), "cut: line 1");
        free(copy);
    }
    trace_release(trace);
    strbuf_free(&text);
}

static void narrow_types_keep_every_value(void **state)
{
    (void)state;
    Error error = {0};
    static unsigned char bytes[2 * 65536];
    for (uint32_t i = 0; i < 65536; i++) {
        bytes[2 * i] = (unsigned char)i;
        bytes[2 * i + 1] = (unsigned char)(i >> 8);
    }
    for (int type = TRACE_F16; type < TRACE_N_TYPES; type++) {
        size_t size = trace_type_bytes((TraceType)type);
        int32_t n = size == 1 ? 256 : 65536;
        TraceBuilder *builder = trace_builder_new();
        int32_t axis =
            trace_add_axis(builder, &(TraceAxis){.name = "i", .kind = TRACE_AXIS_INDEX, .len = n});
        unsigned char wide[256];
        for (int i = 0; i < 256; i++)
            wide[i] = (unsigned char)(type == TRACE_BOOL ? i & 1 : i);
        n = size > 2 ? 32 : n;
        trace_add_mapped(builder,
                         &(TraceTensor){.name = "x",
                                        .rank = 1,
                                        .axis = {axis},
                                        .type = (TraceType)type,
                                        .data = size == 1 ? wide : bytes,
                                        .stride = {size > 2 ? 0 : 1}},
                         size == 1 ? wide : bytes, size == 1 ? 256 : sizeof bytes);
        const Trace *trace = trace_seal(builder, &error);
        assert_ok(trace);
        StrBuf text = to_json(trace);
        const Trace *back = trace_json_read(text.text, text.length, "narrow", &error);
        assert_ok(back);
        const TraceTensor *x = trace_find(back, "x");
        assert_int_equal(x->type, type);
        for (int32_t i = 0; i < n; i++) {
            const char *was =
                (const char *)trace_find(trace, "x")->data + (size > 2 ? 0 : i * (int)size);
            double wanted = trace_element((TraceType)type, false, was);
            double found = trace_element((TraceType)type, x->big_endian,
                                         (const char *)x->data + i * (int)size);
            assert_true(found == wanted || (isnan(found) && isnan(wanted)));
            assert_int_equal(signbit(found) && !isnan(found), signbit(wanted) && !isnan(wanted));
        }
        strbuf_free(&text);
        trace_release(trace);
        trace_release(back);
    }
}

static void base64_follows_the_standard(void **state)
{
    (void)state;
    static const struct {
        const char *plain;
        const char *text;
    } CASES[] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                 {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        StrBuf out = {0};
        uint8_t back[8];
        size_t n = strlen(CASES[i].plain);
        strbuf_add(&out, "");
        base64_encode((const uint8_t *)CASES[i].plain, n, &out);
        assert_string_equal(out.text, CASES[i].text);
        assert_true(base64_decode(out.text, out.length, back, n));
        assert_memory_equal(back, CASES[i].plain, n);
        assert_false(base64_decode(out.text, out.length, back, n + 3));
        strbuf_free(&out);
    }
    uint8_t out[4];
    assert_false(base64_decode("Zg=", 3, out, 1));
    assert_false(base64_decode("Zm9=", 4, out, 1));
    assert_false(base64_decode("=m9v", 4, out, 3));
    assert_false(base64_decode("Zm9v", 4, out, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_and_reading_lose_nothing),
        cmocka_unit_test(a_hand_written_trace_is_read),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(deep_nesting_is_refused_not_followed),
        cmocka_unit_test(more_text_than_the_limit_is_not_even_looked_at),
        cmocka_unit_test(a_text_cut_at_any_byte_is_refused),
        cmocka_unit_test(narrow_types_keep_every_value),
        cmocka_unit_test(base64_follows_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
