#include "testing.h"

#include <string.h>

#include "canvas/canvas_dump.h"

static void record(Canvas *canvas, int part)
{
    if (part == 0) {
        canvas_clip_push(canvas, (Rect){1, 2, 30, 40});
        canvas_text(canvas, (Point){3, 4}, "below", (TextStyle){.size = 12, .color = 0xFF});
        canvas_clip_pop(canvas);
    } else {
        canvas_fill(canvas, (Rect){5, 6, 7, 8}, 2, 0x112233FF);
        canvas_tag(canvas, (Rect){5, 6, 7, 8}, TAG_BUTTON, "above", "on");
    }
}

static void an_appended_recording_equals_the_same_calls(void **state)
{
    (void)state;
    Error error = {0};
    Canvas *direct = canvas_new(100, 50);
    Canvas *whole = canvas_new(100, 50);
    Canvas *above = canvas_new(100, 50);
    record(direct, 0);
    record(direct, 1);
    record(whole, 0);
    record(above, 1);
    canvas_append(whole, above);
    assert_true(canvas_hash(whole) == canvas_hash(direct));
    StrBuf a = {0};
    StrBuf b = {0};
    assert_ok(canvas_dump(whole, &a, &error));
    assert_ok(canvas_dump(direct, &b, &error));
    assert_string_equal(a.text, b.text);
    Rect rect;
    assert_true(canvas_find_tag(whole, "above", &rect));
    strbuf_free(&a);
    strbuf_free(&b);
    canvas_free(direct);
    canvas_free(whole);
    canvas_free(above);
}

static void an_appended_failure_is_reported_by_the_replay(void **state)
{
    (void)state;
    Error error = {0};
    Canvas *whole = canvas_new(10, 10);
    Canvas *failed = canvas_new(10, 10);
    static const Color cell = 0xFF;
    canvas_cells(failed, (Rect){0, 0, 1, 1}, 1 << 13, 1 << 12, &cell);
    canvas_append(whole, failed);
    StrBuf text = {0};
    assert_refused(canvas_dump(whole, &text, &error), "a matrix of 8192 x 4096");
    strbuf_free(&text);
    canvas_free(whole);
    canvas_free(failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_appended_recording_equals_the_same_calls),
        cmocka_unit_test(an_appended_failure_is_reported_by_the_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
