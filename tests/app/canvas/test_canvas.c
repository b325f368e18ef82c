#include "testing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "canvas/canvas.h"
#include "canvas/canvas_backend.h"
#include "canvas/canvas_dump.h"

static const TextStyle plain = {.face = FACE_UI, .size = 13, .color = 0x1D2127FF};
static const Stroke thin = {0x000000FF, 1, 0};

/* One command each; the index is changed by one number a case. */
static void record(Canvas *canvas, int changed)
{
    float d = changed == 0 ? 0.5f : 0;
    canvas_clear(canvas, changed == 1 ? 101 : 100, 80);
    canvas_clip_push(canvas, (Rect){1, 2, changed == 2 ? 31 : 30, 40});
    canvas_fill(canvas, (Rect){1 + d, 2, 3, 4}, changed == 3 ? 1 : 0, 0xFF0000FF);
    canvas_clip_pop(canvas);
    canvas_frame(canvas, (Rect){1, 2, 3, 4}, 2, (Stroke){changed == 4 ? 1u : 0x000000FFu, 1, 0});
    canvas_line(canvas, (Point){0, 0}, (Point){5, 5},
                (Stroke){0x000000FF, 1, changed == 5 ? 3 : 0});
    Point curve[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
    canvas_path(canvas, curve, 4, changed != 6, thin);
    canvas_polygon(canvas, curve, changed == 7 ? 4 : 3, 0x00FF0080);
    canvas_circle(canvas, (Point){4, 4}, changed == 8 ? 3 : 2, 0x0000FFFF, thin);
    TextStyle style = plain;
    style.bold = changed == 9;
    style.turn = changed == 10 ? 45 : 0;
    style.align = changed == 11 ? ALIGN_END : ALIGN_START;
    canvas_text(canvas, (Point){9, 9}, changed == 12 ? "worb" : "word", style);
    Color cells[4] = {1, 2, 3, changed == 13 ? 5 : 4};
    canvas_cells(canvas, (Rect){0, 0, 8, 8}, 2, 2, cells);
    uint8_t pixels[8] = {1, 2, 3, 255, 4, 5, 6, changed == 14 ? 254 : 255};
    canvas_image(canvas, (Rect){0, 0, 8, 8}, 2, 1, pixels, changed == 15);
    canvas_tag(canvas, (Rect){0, 0, 8, 8}, TAG_BUTTON, "go", changed == 16 ? "on" : NULL);
}

enum { N_CHANGES = 17 };

static void equal_recordings_have_equal_hashes_and_any_change_changes_it(void **state)
{
    (void)state;
    Canvas *a = canvas_new(1, 1);
    Canvas *b = canvas_new(9, 9);
    record(a, -1);
    uint64_t hash = canvas_hash(a);
    record(b, -1);
    assert_true(canvas_hash(b) == hash);
    for (int i = 0; i < N_CHANGES; i++) {
        record(b, i);
        if (canvas_hash(b) == hash)
            fail_msg("change %d does not change the hash", i);
    }
    canvas_free(a);
    canvas_free(b);
}

static void a_recording_reads_as_text(void **state)
{
    (void)state;
    static const char expected[] = "canvas 100 80\n"
                                   "clip 1 2 30 40\n"
                                   "  fill 1 2 3 4 #ff0000\n"
                                   "frame 1 2 3 4 #000000 width 1 radius 2\n"
                                   "line 0 0 5 5 #000000 width 1\n"
                                   "curve 0 0 1 1 2 2 3 3 #000000 width 1\n"
                                   "polygon 0 0 1 1 2 2 #00ff0080\n"
                                   "circle 4 4 2 #0000ff stroke #000000 width 1\n"
                                   "text 9 9 \"word\" ui 13 #1d2127\n"
                                   "cells 0 0 8 8 2 x 2 hash bfb8caf9\n"
                                   "image 0 0 8 8 2 x 1 hash b6be9eb4\n"
                                   "tag button \"go\" 0 0 8 8\n";
    Error error = {0};
    Canvas *canvas = canvas_new(1, 1);
    record(canvas, -1);
    StrBuf text = {0};
    assert_ok(canvas_dump(canvas, &text, &error));
    assert_string_equal(text.text, expected);
    strbuf_free(&text);
    canvas_free(canvas);
}

static void numbers_in_a_dump_are_rounded_to_hundredths(void **state)
{
    (void)state;
    Error error = {0};
    Canvas *canvas = canvas_new(100, 80);
    canvas_fill(canvas, (Rect){-0.004f, 1.005f, 12.5f, 0.999f}, 1.25f, 0x000000FF);
    TextStyle style = {.face = FACE_SERIF,
                       .size = 12,
                       .italic = true,
                       .bold = true,
                       .align = ALIGN_MIDDLE,
                       .turn = -30,
                       .max_width = 70,
                       .color = 0x00000080};
    canvas_text(canvas, (Point){-3.126f, 2}, "a\"\n<\x01", style);
    StrBuf text = {0};
    assert_ok(canvas_dump(canvas, &text, &error));
    assert_string_equal(text.text,
                        "canvas 100 80\n"
                        "fill 0 1 12.5 1 #000000 radius 1.25\n"
                        "text -3.13 2 \"a\\\"\\n<\\u0001\" serif 12 bold italic #00000080 middle "
                        "turn -30 max 70\n");
    strbuf_free(&text);
    canvas_free(canvas);
}

static size_t dump_length(const Canvas *canvas)
{
    Error error = {0};
    StrBuf text = {0};
    assert_ok(canvas_dump(canvas, &text, &error));
    size_t n = text.length;
    strbuf_free(&text);
    return n;
}

static void strange_numbers_cost_one_mark_and_no_more(void **state)
{
    (void)state;
    const float strange[] = {NAN, INFINITY, -INFINITY, CANVAS_MAX_COORDINATE * 1.01f};
    Canvas *canvas = canvas_new(10, 10);
    size_t empty = dump_length(canvas);
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
        float bad = strange[i];
        Point points[3] = {{0, 0}, {1, bad}, {2, 0}};
        Color cell = 0;
        canvas_fill(canvas, (Rect){bad, 0, 1, 1}, 0, 0xFF);
        canvas_fill(canvas, (Rect){0, 0, 1, 1}, bad, 0xFF);
        canvas_frame(canvas, (Rect){0, 0, bad, 1}, 0, thin);
        canvas_line(canvas, points[0], points[1], thin);
        canvas_polygon(canvas, points, 3, 0xFF);
        canvas_circle(canvas, (Point){0, 0}, bad, 0xFF, thin);
        canvas_text(canvas, (Point){bad, 0}, "x", plain);
        canvas_cells(canvas, (Rect){0, 0, 1, bad}, 1, 1, &cell);
        canvas_tag(canvas, (Rect){0, bad, 1, 1}, TAG_CELL, "x", NULL);
        assert_int_equal(dump_length(canvas), empty);
        canvas_clip_push(canvas, (Rect){0, 0, bad, 1});
        canvas_clip_pop(canvas);
        canvas_clear(canvas, 10, 10);
    }
    canvas_fill(canvas, (Rect){0, 0, CANVAS_MAX_COORDINATE, 1}, 0, 0xFF);
    assert_true(dump_length(canvas) > empty);
    canvas_free(canvas);
}

static bool replays(const Canvas *canvas, Error *error)
{
    static const CanvasBackend nothing = {0};
    return canvas_replay(canvas, &nothing, NULL, error);
}

static void matrices_up_to_the_limit_are_kept_and_larger_ones_reported(void **state)
{
    (void)state;
    Error error = {0};
    Canvas *canvas = canvas_new(10, 10);
    Color *cells = memory_new(CANVAS_MAX_CELLS, sizeof *cells);
    Rect rect = {0, 0, 10, 10};
    canvas_cells(canvas, rect, 4096, (int)(CANVAS_MAX_CELLS / 4096), cells);
    assert_ok(replays(canvas, &error));
    canvas_clear(canvas, 10, 10);
    canvas_cells(canvas, rect, 4096, (int)(CANVAS_MAX_CELLS / 4096) + 1, cells);
    assert_refused(replays(canvas, &error), "a matrix of 4096 x 4097");
    canvas_clear(canvas, 10, 10);
    canvas_image(canvas, rect, 65536, 65536, NULL, false);
    assert_refused(replays(canvas, &error), "an image of 65536 x 65536");
    free(cells);
    canvas_free(canvas);
}

static void paths_up_to_the_limit_are_kept_and_longer_ones_reported(void **state)
{
    (void)state;
    Error error = {0};
    Canvas *canvas = canvas_new(10, 10);
    Point *points = memory_new(CANVAS_MAX_PATH_POINTS + 1, sizeof *points);
    canvas_path(canvas, points, CANVAS_MAX_PATH_POINTS, false, thin);
    assert_ok(replays(canvas, &error));
    canvas_polygon(canvas, points, CANVAS_MAX_PATH_POINTS + 1, 0xFF);
    assert_refused(replays(canvas, &error), "a line of 100001 points");
    free(points);
    canvas_free(canvas);
}

static void the_first_error_stays_until_the_canvas_is_cleared(void **state)
{
    (void)state;
    Error error = {0};
    Canvas *canvas = canvas_new(10, 10);
    canvas_image(canvas, (Rect){0, 0, 1, 1}, 65536, 65536, NULL, false);
    canvas_fill(canvas, (Rect){0, 0, 1, 1}, 0, 0xFF);
    canvas_cells(canvas, (Rect){0, 0, 1, 1}, 65536, 65536, NULL);
    assert_refused(replays(canvas, &error), "an image");
    assert_false(replays(canvas, NULL));
    canvas_clear(canvas, 10, 10);
    assert_ok(replays(canvas, &error));
    canvas_free(canvas);
}

static void keep_text(void *self, const CanvasText *text, Error *error)
{
    (void)error;
    strbuf_add(self, text->text);
}

static void text_is_kept_to_the_limit_and_cut_between_graphemes(void **state)
{
    (void)state;
    static const CanvasBackend backend = {.text = keep_text};
    Error error = {0};
    StrBuf text = {0};
    StrBuf kept = {0};
    while (text.length + 10 < CANVAS_MAX_TEXT_BYTES)
        strbuf_add_char(&text, 'a');
    while (text.length < CANVAS_MAX_TEXT_BYTES)
        strbuf_add_char(&text, 'b');
    Canvas *canvas = canvas_new(10, 10);
    canvas_text(canvas, (Point){0, 0}, text.text, plain);
    assert_ok(canvas_replay(canvas, &backend, &kept, &error));
    assert_string_equal(kept.text, text.text);
    /* Two flags across the limit: both or neither. */
    text.length = CANVAS_MAX_TEXT_BYTES - 4;
    strbuf_add(&text, "🇫🇷🇩🇪");
    canvas_clear(canvas, 10, 10);
    canvas_textf(canvas, (Point){0, 0}, plain, "%s", text.text);
    strbuf_clear(&kept);
    assert_ok(canvas_replay(canvas, &backend, &kept, &error));
    assert_int_equal(kept.length, CANVAS_MAX_TEXT_BYTES - 4);
    strbuf_free(&text);
    strbuf_free(&kept);
    canvas_free(canvas);
}

static void the_tag_recorded_last_is_found_by_its_name(void **state)
{
    (void)state;
    Canvas *canvas = canvas_new(10, 10);
    Rect rect = {0};
    canvas_tag(canvas, (Rect){1, 1, 1, 1}, TAG_BUTTON, "go", NULL);
    canvas_fill(canvas, (Rect){0, 0, 5, 5}, 0, 0xFF);
    canvas_tag(canvas, (Rect){2, 3, 4, 5}, TAG_BUTTON, "go", "value");
    canvas_tag(canvas, (Rect){9, 9, 9, 9}, TAG_BUTTON, "gone", NULL);
    assert_true(canvas_find_tag(canvas, "go", &rect));
    assert_true(rect.x == 2 && rect.y == 3 && rect.w == 4 && rect.h == 5);
    assert_false(canvas_find_tag(canvas, "g", &rect));
    assert_false(canvas_find_tag(canvas, "", &rect));
    canvas_free(canvas);
}

static void fail_at_second(void *self, const CanvasFill *fill, Error *error)
{
    (void)fill;
    int *count = self;
    if (++*count == 2)
        error_set(error, ERROR_IO, "the second is too much");
}

static void the_first_error_of_a_back_end_ends_the_replay(void **state)
{
    (void)state;
    static const CanvasBackend backend = {.fill = fail_at_second};
    Error error = {0};
    Canvas *canvas = canvas_new(10, 10);
    for (int i = 0; i < 5; i++)
        canvas_fill(canvas, (Rect){0, 0, 1, 1}, 0, 0xFF);
    int count = 0;
    assert_refused(canvas_replay(canvas, &backend, &count, &error), "the second");
    assert_int_equal(count, 2);
    count = 0;
    assert_false(canvas_replay(canvas, &backend, &count, NULL));
    assert_int_equal(count, 2);
    canvas_free(canvas);
}

/* Whether replaying after the pushes (1) and pops (0) stops the program. */
static bool stops(const char *clips)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        Canvas *canvas = canvas_new(10, 10);
        for (; *clips; clips++) {
            if (*clips == '1')
                canvas_clip_push(canvas, (Rect){0, 0, 1, 1});
            else
                canvas_clip_pop(canvas);
        }
        _exit(replays(canvas, NULL) ? 0 : 2);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        fail_msg("the replay of \"%s\" failed in another way", clips);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void clips_that_are_not_balanced_are_a_bug(void **state)
{
    (void)state;
    assert_false(stops(""));
    assert_false(stops("1100"));
    assert_false(stops("1010"));
    assert_true(stops("1"));
    assert_true(stops("10 0"));
    assert_true(stops("01"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_recordings_have_equal_hashes_and_any_change_changes_it),
        cmocka_unit_test(a_recording_reads_as_text),
        cmocka_unit_test(numbers_in_a_dump_are_rounded_to_hundredths),
        cmocka_unit_test(strange_numbers_cost_one_mark_and_no_more),
        cmocka_unit_test(matrices_up_to_the_limit_are_kept_and_larger_ones_reported),
        cmocka_unit_test(paths_up_to_the_limit_are_kept_and_longer_ones_reported),
        cmocka_unit_test(the_first_error_stays_until_the_canvas_is_cleared),
        cmocka_unit_test(text_is_kept_to_the_limit_and_cut_between_graphemes),
        cmocka_unit_test(the_tag_recorded_last_is_found_by_its_name),
        cmocka_unit_test(the_first_error_of_a_back_end_ends_the_replay),
        cmocka_unit_test(clips_that_are_not_balanced_are_a_bug),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
