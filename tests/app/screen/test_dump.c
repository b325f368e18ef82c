/* A dump in the window while its file becomes another one. */
#include "screen/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "canvas/canvas_dump.h"
#include "testing.h"

enum { SIDE = 4200 }; /* of a matrix of floats: more than is copied into memory */

typedef struct Window {
    Fonts *fonts;
    App *app;
    Input input;
    char path[64];
} Window;

/* A mapped .npy of zeros: a header, and a file that is as long as it says. */
static void write_large(const char *path)
{
    char header[128];
    int n = snprintf(header + 10, 118,
                     "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", SIDE, SIDE);
    memset(header + 10 + n, ' ', (size_t)(118 - n));
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    header[127] = '\n';
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(header, 1, 128, file), 128);
    assert_int_equal(ftruncate(fileno(file), 128 + (off_t)SIDE * SIDE * 4), 0);
    fclose(file);
}

static void frames(Window *w, int n)
{
    for (int i = 0; i < n; i++)
        app_frame(w->app, &w->input);
}

static void open_window(Window *w)
{
    Error error = {0};
    *w = (Window){.input = {.width = 1000, .height = 700, .x = -1, .y = -1}};
    snprintf(w->path, sizeof w->path, "/tmp/fovea-shrinks-%ld.npy", (long)getpid());
    w->fonts = fonts_new(&error);
    assert_ok(w->fonts);
    const AppSpec spec = {.fonts = w->fonts, .still = true};
    w->app = app_new(&spec);
    write_large(w->path);
    assert_ok(app_open(w->app, w->path, &error));
    frames(w, 3);
}

static void close_window(Window *w)
{
    app_free(w->app);
    fonts_free(w->fonts);
    unlink(w->path);
}

static bool shows(const Window *w, const char *text)
{
    Error error = {0};
    StrBuf out = {0};
    assert_ok(canvas_dump(app_canvas(w->app), &out, &error));
    bool found = strstr(out.text, text) != NULL;
    strbuf_free(&out);
    return found;
}

static void a_file_that_shrinks_is_let_go_of_and_said(void **state)
{
    (void)state;
    Window w;
    open_window(&w);
    assert_non_null(app_trace(w.app));
    assert_true(shows(&w, "attention.weights"));
    assert_int_equal(truncate(w.path, 4096), 0);
    /* The pointer goes over it, the wheel zooms, a key steps: nothing may read it. */
    w.input.x = 500;
    w.input.y = 400;
    w.input.events[w.input.n_events++] = (Event){.kind = EVENT_WHEEL, .x = 500, .y = 400, .dy = 3};
    frames(&w, 2);
    w.input.events[w.input.n_events++] = (Event){.kind = EVENT_KEY, .key = KEY_RIGHT};
    frames(&w, 2);
    assert_null(app_trace(w.app));
    assert_true(shows(&w, "became shorter"));
    close_window(&w);
}

static void a_pinned_and_a_second_file_that_shrink_are_let_go_of_too(void **state)
{
    (void)state;
    Window w;
    Error error = {0};
    open_window(&w);
    app_pin(w.app);
    assert_ok(dump_open_beside(w.app, w.path, &error));
    frames(&w, 2);
    assert_non_null(dump_partner(w.app));
    assert_int_equal(truncate(w.path, 0), 0);
    frames(&w, 2);
    assert_int_equal(w.app->doc.n_pins, 0);
    assert_null(dump_partner(w.app));
    assert_true(shows(&w, "became shorter"));
    /* Whole again, it opens again. */
    write_large(w.path);
    assert_ok(app_open(w.app, w.path, &error));
    frames(&w, 2);
    assert_non_null(app_trace(w.app));
    close_window(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_shrinks_is_let_go_of_and_said),
        cmocka_unit_test(a_pinned_and_a_second_file_that_shrink_are_let_go_of_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
