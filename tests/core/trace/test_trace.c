#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

static int32_t add_index_axis(TraceBuilder *builder, const char *name, int32_t len)
{
    return trace_add_axis(builder,
                          &(TraceAxis){.name = name, .kind = TRACE_AXIS_INDEX, .len = len});
}

static void a_trace_gives_back_what_was_put_in(void **state)
{
    (void)state;
    Error error = {0};
    TraceBuilder *builder = trace_builder_new();
    trace_set_text(builder, "input", "the house");
    trace_set_attribute(builder, "seed", "%d", 7);
    trace_set_attribute(builder, "seed", "%d", 8);
    trace_set_score(builder, -3.25);
    trace_add_note(builder, "axes taken as %s", "target, source");
    const char *source[] = {"the", "house"};
    const char *target[] = {"la", "maison", NULL};
    TraceSpan spans[] = {{0, 3}, {4, 9}};
    uint8_t flags[] = {0, TRACE_TOKEN_SPECIAL};
    int32_t axes[2];
    axes[1] = trace_add_axis(builder, &(TraceAxis){.name = "source",
                                                   .kind = TRACE_AXIS_TOKEN,
                                                   .len = 2,
                                                   .labels = source,
                                                   .text = "input",
                                                   .spans = spans,
                                                   .flags = flags});
    axes[0] = trace_add_axis(
        builder,
        &(TraceAxis){.name = "target", .kind = TRACE_AXIS_TOKEN, .len = 3, .labels = target});
    float data[] = {0.9f, 0.1f, 0.2f, 0.8f, 0.5f, 0.5f};
    trace_add_tensor(builder, "attention.weights", TRACE_WEIGHTS, 2, axes, data);
    TraceCandidate candidates[] = {{"la", 4, 0.75}, {"le", 5, 0.25}};
    TraceScalar scalars[] = {{"entropy", 0.5}};
    TraceWindow window = {1.5, 0, 1, 2.5};
    int32_t selected[] = {1};
    TraceBox boxes[] = {{0.1f, 0.2f, 0.3f, 0.4f}};
    trace_add_step(builder, &(TraceStep){.token = "la",
                                         .id = 4,
                                         .probability = 0.75,
                                         .forced = true,
                                         .n_candidates = 2,
                                         .candidates = candidates,
                                         .n_scalars = 1,
                                         .scalars = scalars,
                                         .window = &window,
                                         .n_selected = 1,
                                         .selected = selected,
                                         .n_boxes = 1,
                                         .boxes = boxes});
    /* Everything was copied: what the producer does to its own arrays does not show. */
    memset(data, 0, sizeof data);
    memset(candidates, 0, sizeof candidates);
    memset(spans, 0, sizeof spans);
    const Trace *trace = trace_seal(builder, &error);
    assert_ok(trace);

    assert_string_equal(trace_text(trace, "input"), "the house");
    assert_null(trace_text(trace, "output"));
    assert_string_equal(trace_attribute(trace, "seed"), "8");
    assert_int_equal(trace_n_attributes(trace), 1);
    assert_close(trace_score(trace), -3.25, 0);
    assert_string_equal(trace_note(trace, 0), "axes taken as target, source");
    assert_int_equal(trace_find_axis(trace, "target"), axes[0]);
    assert_int_equal(trace_find_axis(trace, "nowhere"), -1);
    const TraceAxis *axis = trace_axis(trace, axes[1]);
    assert_string_equal(axis->labels[1], "house");
    assert_int_equal(axis->spans[1].end, 9);
    assert_int_equal(axis->flags[1], TRACE_TOKEN_SPECIAL);
    assert_int_equal(axis->parent_axis, -1);
    assert_string_equal(trace_axis(trace, axes[0])->labels[2], "");
    TraceMatrix matrix = trace_matrix(trace, trace_find(trace, "attention.weights"), NULL);
    assert_int_equal(matrix.rows, 3);
    assert_close(trace_matrix_get(&matrix, 1, 1), 0.8, 1e-7);
    matrix = trace_matrix_transpose(matrix);
    assert_close(trace_matrix_get(&matrix, 1, 2), 0.5, 0);
    const TraceStep *step = trace_step(trace, 0);
    assert_string_equal(step->candidates[1].token, "le");
    assert_close(trace_step_scalar(step, "entropy"), 0.5, 0);
    assert_true(isnan(trace_step_scalar(step, "gate")));
    assert_close(step->window->sigma, 2.5, 0);
    assert_int_equal(step->selected[0], 1);
    assert_close(step->boxes[0].h, 0.4f, 0);
    trace_release(trace);
}

static void identities_are_never_reused_and_the_last_release_frees(void **state)
{
    (void)state;
    Error error = {0};
    const Trace *first = trace_seal(trace_builder_new(), &error);
    uint64_t id = trace_id(first);
    assert_ptr_equal(trace_retain(first), first);
    trace_release(first);
    assert_int_equal(trace_id(first), id);
    trace_release(first);
    const Trace *second = trace_seal(trace_builder_new(), &error);
    assert_int_not_equal(trace_id(second), id);
    assert_true(isnan(trace_score(second)));
    assert_null(trace_image(second));
    trace_release(second);
    trace_release(NULL);
    assert_null(trace_retain(NULL));
}

/* Each case spoils a builder in one way; the message must name it. */
typedef struct Spoil {
    const char *part;
    void (*spoil)(TraceBuilder *builder);
} Spoil;

static void spoil_label(TraceBuilder *builder)
{
    const char *labels[] = {"good", "b\xFF"};
    trace_add_axis(builder, &(TraceAxis){.name = "a", .len = 2, .labels = labels});
}

static void spoil_grid(TraceBuilder *builder)
{
    trace_add_axis(
        builder,
        &(TraceAxis){.name = "picture", .kind = TRACE_AXIS_GRID, .len = 5, .rows = 2, .cols = 3});
}

static void spoil_length(TraceBuilder *builder)
{
    add_index_axis(builder, "a", TRACE_MAX_LEN + 1);
}

static void spoil_axis_name(TraceBuilder *builder)
{
    add_index_axis(builder, "twice", 1);
    add_index_axis(builder, "twice", 1);
}

static void spoil_span(TraceBuilder *builder)
{
    TraceSpan span = {0, 6};
    trace_add_axis(builder, &(TraceAxis){.name = "a", .len = 1, .text = "input", .spans = &span});
    trace_set_text(builder, "input", "short");
}

static void spoil_span_text(TraceBuilder *builder)
{
    TraceSpan span = {0, 0};
    trace_add_axis(builder, &(TraceAxis){.name = "a", .len = 1, .spans = &span});
}

static void spoil_parent(TraceBuilder *builder)
{
    int32_t sentence = add_index_axis(builder, "sentence", 2);
    int32_t parent[] = {0, 2};
    trace_add_axis(builder,
                   &(TraceAxis){.name = "a", .len = 2, .parent_axis = sentence, .parent = parent});
}

static void spoil_rank(TraceBuilder *builder)
{
    int32_t axes[TRACE_MAX_RANK + 1] = {add_index_axis(builder, "a", 1)};
    trace_new_tensor(builder, "deep", TRACE_STATE, TRACE_MAX_RANK + 1, axes);
}

static void spoil_axis_index(TraceBuilder *builder)
{
    int32_t axes[] = {3};
    trace_new_tensor(builder, "lost", TRACE_STATE, 1, axes);
}

static void spoil_count(TraceBuilder *builder)
{
    int32_t axis = add_index_axis(builder, "a", TRACE_MAX_LEN);
    int32_t axes[] = {axis, axis, axis, axis, axis, axis};
    trace_new_tensor(builder, "huge", TRACE_STATE, 6, axes);
}

static void spoil_tensor_name(TraceBuilder *builder)
{
    int32_t axis = add_index_axis(builder, "a", 1);
    trace_new_tensor(builder, "same", TRACE_STATE, 1, &axis);
    trace_new_tensor(builder, "same", TRACE_STATE, 1, &axis);
}

static void spoil_storage(TraceBuilder *builder)
{
    static const float storage[4] = {0};
    int32_t axis = add_index_axis(builder, "a", 3);
    trace_add_mapped(
        builder,
        &(TraceTensor){.name = "out", .rank = 1, .axis = {axis}, .data = storage, .stride = {2}},
        storage, sizeof storage);
}

static void spoil_negative_stride(TraceBuilder *builder)
{
    static const float storage[4] = {0};
    int32_t axis = add_index_axis(builder, "a", 3);
    trace_add_mapped(
        builder,
        &(TraceTensor){
            .name = "out", .rank = 1, .axis = {axis}, .data = storage + 1, .stride = {-1}},
        storage, sizeof storage);
}

static void spoil_beam(TraceBuilder *builder)
{
    trace_add_beam_node(builder, &(TraceBeamNode){.parent = 0});
}

static void spoil_image(TraceBuilder *builder)
{
    trace_set_image(builder, &(TraceImage){.width = 0, .height = 3});
}

static void spoil_image_side(TraceBuilder *builder)
{
    trace_set_image(builder, &(TraceImage){.width = 1, .height = TRACE_MAX_IMAGE_SIDE + 1});
}

static void spoil_axes(TraceBuilder *builder)
{
    for (int i = 0; i <= TRACE_MAX_AXES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        add_index_axis(builder, name, 1);
    }
}

static void spoil_scalars(TraceBuilder *builder)
{
    TraceScalar scalars[] = {{"entropy", 1}, {"entropy", 2}};
    trace_add_step(builder, &(TraceStep){.n_scalars = 2, .scalars = scalars});
}

static void spoil_text(TraceBuilder *builder)
{
    trace_set_text(builder, "input", "ab\xC3");
}

static void a_spoiled_builder_is_refused_with_the_place(void **state)
{
    (void)state;
    static const Spoil CASES[] = {
        {"label 1 of axis \"a\"", spoil_label},
        {"\"picture\" has 5 items but 2 x 3", spoil_grid},
        {"0 to 16777216", spoil_length},
        {"two axes of a trace are called \"twice\"", spoil_axis_name},
        {"span 0 of axis \"a\" is 0 to 6; the text has 5", spoil_span},
        {"which is not there", spoil_span_text},
        {"item 1 of axis \"a\" has parent 2 of 2", spoil_parent},
        {"\"deep\" has 7 axes", spoil_rank},
        {"\"lost\" names axis 3 of 0", spoil_axis_index},
        {"\"huge\" has more than", spoil_count},
        {"two tensors of a trace are called \"same\"", spoil_tensor_name},
        {"\"out\" reaches outside its 16 bytes", spoil_storage},
        {"\"out\" reaches outside its 16 bytes", spoil_negative_stride},
        {"beam node 0 has parent 0", spoil_beam},
        {"an image of 0 x 3", spoil_image},
        {"an image of 1 x 16385; 1 to 16384", spoil_image_side},
        {"more than 4096 axes", spoil_axes},
        {"two scalars of a step are called \"entropy\"", spoil_scalars},
        {"input \"ab\xEF\xBF\xBD\" is not valid UTF-8 at byte 2", spoil_text},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error error = {0};
        TraceBuilder *builder = trace_builder_new();
        CASES[i].spoil(builder);
        add_index_axis(builder, "later calls do nothing", 1);
        assert_refused(trace_seal(builder, &error) != NULL, CASES[i].part);
    }
}

static void limits_themselves_are_allowed(void **state)
{
    (void)state;
    Error error = {0};
    TraceBuilder *builder = trace_builder_new();
    int32_t longest = add_index_axis(builder, "longest", TRACE_MAX_LEN);
    int32_t none = add_index_axis(builder, "none", 0);
    for (int i = 3; i < TRACE_MAX_AXES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        add_index_axis(builder, name, 1);
    }
    static const uint8_t rgba[4 * TRACE_MAX_IMAGE_SIDE] = {7};
    trace_set_image(builder, &(TraceImage){TRACE_MAX_IMAGE_SIDE, 1, rgba});
    int32_t axes[TRACE_MAX_RANK] = {longest, longest, longest, longest, longest, none};
    assert_non_null(trace_new_tensor(builder, "empty", TRACE_STATE, TRACE_MAX_RANK, axes));
    static const float storage[4] = {1, 2, 3, 4};
    int32_t pair = add_index_axis(builder, "pair", 2);
    trace_add_mapped(
        builder,
        &(TraceTensor){
            .name = "backwards", .rank = 1, .axis = {pair}, .data = storage + 3, .stride = {-3}},
        storage, sizeof storage);
    const Trace *trace = trace_seal(builder, &error);
    assert_ok(trace);
    assert_int_equal(trace_n_axes(trace), TRACE_MAX_AXES);
    assert_int_equal(trace_image(trace)->rgba[0], 7);
    int32_t at[4] = {0, 1, 2, TRACE_MAX_LEN - 1};
    TraceMatrix matrix = trace_matrix(trace, trace_find(trace, "empty"), at);
    assert_int_equal(matrix.rows, TRACE_MAX_LEN);
    assert_int_equal(matrix.cols, 0);
    trace_matrix_read(&matrix, 5, 0, 0, NULL);
    matrix = trace_matrix(trace, trace_find(trace, "backwards"), NULL);
    assert_int_equal(matrix.rows, 1);
    float row[2];
    trace_matrix_read(&matrix, 0, 0, 2, row);
    assert_close(row[0], 4, 0);
    assert_close(row[1], 1, 0);
    trace_release(trace);
}

static bool ask(void *owner)
{
    return *(bool *)owner;
}

static void a_guarded_trace_tells_when_its_storage_is_gone(void **state)
{
    (void)state;
    Error error = {0};
    bool first = true, second = true;
    TraceBuilder *builder = trace_builder_new();
    trace_guard(builder, &first, ask);
    trace_guard(builder, &second, ask);
    const Trace *trace = trace_seal(builder, &error);
    assert_true(trace_intact(trace));
    second = false;
    assert_false(trace_intact(trace));
    trace_release(trace);
}

static void count_release(void *owner)
{
    ++*(int *)owner;
}

static void owned_storage_is_released_once_whatever_happens(void **state)
{
    (void)state;
    Error error = {0};
    int released = 0;
    TraceBuilder *builder = trace_builder_new();
    trace_own(builder, &released, count_release);
    const Trace *trace = trace_seal(builder, &error);
    assert_int_equal(released, 0);
    trace_release(trace);
    assert_int_equal(released, 1);
    builder = trace_builder_new();
    trace_own(builder, &released, count_release);
    trace_builder_free(builder);
    assert_int_equal(released, 2);
    builder = trace_builder_new();
    spoil_label(builder);
    trace_own(builder, &released, count_release); /* too late, but not forgotten */
    assert_int_equal(released, 3);
    assert_true(trace_builder_failed(builder));
    assert_null(trace_seal(builder, &error));
}

/* Every type, both byte orders, at an odd address: the numbers 1, 2, 3 come out. */
static size_t encode(TraceType type, bool big_endian, int number, unsigned char *out)
{
    static const uint64_t CODES[TRACE_N_TYPES][3] = {
        [TRACE_F32] = {0x3F800000, 0x40000000, 0x40400000},
        [TRACE_F64] = {0x3FF0000000000000, 0x4000000000000000, 0x4008000000000000},
        [TRACE_F16] = {0x3C00, 0x4000, 0x4200},
        [TRACE_BF16] = {0x3F80, 0x4000, 0x4040},
        [TRACE_F8_E4M3] = {0x38, 0x40, 0x44},
        [TRACE_F8_E5M2] = {0x3C, 0x40, 0x42},
    };
    uint64_t bits = type <= TRACE_F8_E5M2 ? CODES[type][number - 1] : (uint64_t)number;
    size_t n = trace_type_bytes(type);
    for (size_t i = 0; i < n; i++)
        out[big_endian ? n - 1 - i : i] = (unsigned char)(bits >> 8 * i);
    return n;
}

static void elements_of_every_type_and_order_are_read(void **state)
{
    (void)state;
    for (int type = 0; type < TRACE_N_TYPES; type++) {
        for (int big = 0; big < 2; big++) {
            unsigned char bytes[1 + 2 * 3 * 8] = {0};
            size_t size = trace_type_bytes((TraceType)type);
            for (int i = 0; i < 3; i++) /* one element of two, so that strides count */
                encode((TraceType)type, big, i + 1, bytes + 1 + 2 * (size_t)i * size);
            TraceMatrix matrix = {.rows = 1,
                                  .cols = 3,
                                  .type = (TraceType)type,
                                  .big_endian = big,
                                  .data = bytes + 1,
                                  .col_stride = 2};
            float row[3];
            trace_matrix_read(&matrix, 0, 0, 3, row);
            for (int i = 0; i < 3; i++) {
                float wanted = type == TRACE_BOOL ? 1 : (float)(i + 1);
                assert_close(row[i], wanted, 0);
                assert_close(trace_matrix_get(&matrix, 0, i), wanted, 0);
            }
        }
        TraceType parsed;
        assert_true(trace_type_parse(trace_type_name((TraceType)type), &parsed));
        assert_int_equal(parsed, type);
    }
    signed char minus = -5;
    assert_close(trace_element(TRACE_I8, false, &minus), -5, 0);
    int64_t big = INT64_C(9007199254740993);
    assert_true(trace_element_integer(TRACE_I64, false, &big) == big);
}

static void layers_may_lie_apart(void **state)
{
    (void)state;
    Error error = {0};
    static const float storage[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    for (int outside = 0; outside < 2; outside++) {
        const void *parts[] = {storage + 8, storage + outside * 9, storage};
        TraceBuilder *builder = trace_builder_new();
        TraceTensor tensor = {.name = "w", .rank = 3, .stride = {0, 2, 1}, .parts = parts};
        tensor.axis[0] = add_index_axis(builder, "layer", 3);
        tensor.axis[1] = tensor.axis[2] = add_index_axis(builder, "token", 2);
        trace_add_mapped(builder, &tensor, storage, sizeof storage);
        memset(parts, 0, sizeof parts); /* the list was copied */
        const Trace *trace = trace_seal(builder, &error);
        if (outside) {
            assert_refused(trace, "\"w\" reaches outside");
            continue;
        }
        assert_ok(trace);
        TraceMatrix matrix = trace_matrix(trace, trace_find(trace, "w"), (int32_t[]){0});
        assert_close(trace_matrix_get(&matrix, 1, 0), 10, 0);
        matrix = trace_matrix(trace, trace_find(trace, "w"), (int32_t[]){2});
        assert_close(trace_matrix_get(&matrix, 1, 1), 3, 0);
        trace_release(trace);
    }
}

static void roles_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < TRACE_N_ROLES; i++) {
        TraceRole role;
        assert_true(trace_role_parse(trace_role_name((TraceRole)i), &role));
        assert_int_equal(role, i);
    }
    TraceRole role;
    assert_false(trace_role_parse("weight", &role));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_gives_back_what_was_put_in),
        cmocka_unit_test(identities_are_never_reused_and_the_last_release_frees),
        cmocka_unit_test(a_spoiled_builder_is_refused_with_the_place),
        cmocka_unit_test(limits_themselves_are_allowed),
        cmocka_unit_test(owned_storage_is_released_once_whatever_happens),
        cmocka_unit_test(elements_of_every_type_and_order_are_read),
        cmocka_unit_test(a_guarded_trace_tells_when_its_storage_is_gone),
        cmocka_unit_test(layers_may_lie_apart),
        cmocka_unit_test(roles_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
