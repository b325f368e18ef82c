/* The run inside a picture: read back whole, or refused. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "drawn.h"
#include "trace/trace_json.h"

static Fonts *fonts;

static int open_fonts(void **state)
{
    (void)state;
    Error error = {0};
    fonts = fonts_new(&error);
    return fonts ? 0 : -1;
}

static int close_fonts(void **state)
{
    (void)state;
    fonts_free(fonts);
    return 0;
}

static const FigureFormat pictures[] = {FIGURE_PNG, FIGURE_SVG, FIGURE_PDF, FIGURE_HTML,
                                        FIGURE_GIF};
enum { N_PICTURES = sizeof pictures / sizeof pictures[0] };

static StrBuf encoded(const Figure *figure, FigureFormat format)
{
    StrBuf out = {0};
    Error error = {0};
    assert_ok(figure_encode(figure, fonts, format, &out, &error));
    return out;
}

static void assert_same_run(const Trace *a, const Trace *b)
{
    Error error = {0};
    StrBuf x = {0}, y = {0};
    assert_ok(trace_json_write(a, &x, &error));
    assert_ok(trace_json_write(b, &y, &error));
    assert_string_equal(x.text, y.text);
    strbuf_free(&x);
    strbuf_free(&y);
}

static const Sample compared = {"compare",
                                "two",
                                SENTENCE_CHINESE,
                                .step = 2,
                                .other = 1 + SENTENCE_ARABIC,
                                .options = {"mode=side"}};

static void a_picture_gives_back_the_run_and_how_it_was_looked_at(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &compared, fonts);
    drawn_set(&d, "width", "50");
    drawn_set(&d, "dpi", "96");
    drawn_set(&d, "theme", "dark");
    d.figure.camera = (FigureCamera){2, 0.25f, 0.5f};
    d.figure.session = "{\"model\": \"m (1)\"}";
    for (int i = 0; i <= N_PICTURES; i++) {
        StrBuf file = encoded(&d.figure, i < N_PICTURES ? pictures[i] : FIGURE_JSON);
        FigureOrigin origin;
        Error error = {0};
        assert_ok(figure_origin_read_memory(file.text, file.length, "it", &origin, &error));
        assert_same_run(origin.trace, d.figure.trace);
        if (i < N_PICTURES)
            assert_same_run(origin.other, d.figure.other);
        assert_ptr_equal(origin.view, d.figure.view);
        assert_int_equal(origin.step, 2);
        assert_string_equal(settings_text(origin.settings, "theme"), "dark");
        assert_string_equal(settings_text(origin.settings, "width"), "50");
        assert_string_equal(settings_text(origin.options, "mode"), "side");
        assert_true(origin.camera.zoom == 2 && origin.camera.left == 0.25f);
        assert_non_null(strstr(origin.session, "m (1)"));
        figure_origin_free(&origin);
        strbuf_free(&file);
    }
    drawn_close(&d);
}

static void every_sample_survives_the_way_through_a_picture(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLES; i++) {
        if (samples[i].make == traces_huge)
            continue;
        Drawn d;
        drawn_open(&d, &samples[i], fonts);
        StrBuf svg = encoded(&d.figure, FIGURE_SVG);
        FigureOrigin origin;
        Error error = {0};
        assert_ok(figure_origin_read_memory(svg.text, svg.length, "it", &origin, &error));
        assert_same_run(origin.trace, d.figure.trace);
        const Figure again = {.trace = origin.trace,
                              .other = origin.other,
                              .view = origin.view,
                              .options = origin.options,
                              .settings = origin.settings,
                              .step = origin.step,
                              .camera = origin.camera};
        StrBuf second = encoded(&again, FIGURE_SVG);
        if (strcmp(svg.text, second.text) != 0)
            fail_msg("%s of %s is not drawn again as it was", samples[i].view, samples[i].name);
        strbuf_free(&second);
        figure_origin_free(&origin);
        strbuf_free(&svg);
        drawn_close(&d);
    }
}

static const Sample short_one = {"heatmap", "short", SENTENCE_ONE, .step = 0};

static void a_picture_without_a_run_is_refused(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    drawn_set(&d, "origin", "no");
    drawn_set(&d, "width", "20");
    for (int i = 0; i < N_PICTURES; i++) {
        StrBuf file = encoded(&d.figure, pictures[i]);
        assert_true(figure_origin_recognise(file.text, file.length));
        FigureOrigin origin;
        Error error = {0};
        assert_refused(figure_origin_read_memory(file.text, file.length, "it", &origin, &error),
                       "it: this picture holds no run");
        assert_null(origin.trace);
        strbuf_free(&file);
    }
    drawn_close(&d);
}

static void a_run_that_is_too_large_is_left_out_and_that_is_said(void **state)
{
    (void)state;
    static const Sample huge = {"heatmap", "huge", .make = traces_huge};
    Drawn d;
    drawn_open(&d, &huge, fonts);
    StrBuf svg = encoded(&d.figure, FIGURE_SVG);
    FigureOrigin origin;
    Error error = {0};
    assert_refused(figure_origin_read_memory(svg.text, svg.length, "it", &origin, &error),
                   "too large");
    strbuf_free(&svg);
    drawn_close(&d);
}

static void what_is_no_figure_is_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "it"},
        {"hello", "it"},
        {"{}", "not a run"},
        {"{\"fovea\": 2}", "not a run"},
        {"[1, 2]", "not a run"},
        {"<svg>fovea:1:5:5:AAAA</svg>", "no run"},
        {"<svg>fovea:1:99999999999:5:AAAAAAAA</svg>", "no run"},
        {"<svg>fovea:1:2000000000:5:AAAAAAAA</svg>", "no run"},
        {"<svg>fovea:1:60000000:100:AAAA</svg>", "no run"},
        {"<svg>fovea:1::</svg>", "no run"},
        {"GIF89a", "no run"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FigureOrigin origin;
        Error error = {0};
        assert_refused(
            figure_origin_read_memory(cases[i][0], strlen(cases[i][0]), "it", &origin, &error),
            cases[i][1]);
    }
}

/* Whatever is cut off or damaged, nothing but a refusal or a whole run comes out. */
static void a_picture_damaged_anywhere_is_refused_or_read(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    drawn_set(&d, "width", "20");
    drawn_set(&d, "dpi", "24");
    for (int i = 0; i < N_PICTURES; i++) {
        StrBuf file = encoded(&d.figure, pictures[i]);
        size_t step = file.length / 400 + 1;
        for (size_t n = 0; n < 2 * file.length; n += step) {
            /* First cut at n, then with one byte changed. */
            size_t length = n < file.length ? n : file.length;
            char *copy = memory_copy_bytes(file.text, length);
            if (n >= file.length)
                copy[n - file.length] ^= 0x15;
            FigureOrigin origin;
            Error error = {0};
            if (figure_origin_read_memory(copy, length, "it", &origin, &error))
                figure_origin_free(&origin);
            else
                assert_true(error_is_set(&error));
            free(copy);
        }
        strbuf_free(&file);
    }
    drawn_close(&d);
}

static void settings_of_another_version_are_passed_over(void **state)
{
    (void)state;
    Drawn d;
    drawn_open(&d, &short_one, fonts);
    StrBuf json = encoded(&d.figure, FIGURE_JSON);
    char *view = strstr(json.text, "\"view\":\"heatmap\"");
    memcpy(view, "\"view\":\"heatmop\"", strlen("\"view\":\"heatmop\""));
    char *theme = strstr(json.text, "\"light\"");
    memcpy(theme, "\"lilac\"", strlen("\"lilac\""));
    FigureOrigin origin;
    Error error = {0};
    assert_ok(figure_origin_read_memory(json.text, json.length, "it", &origin, &error));
    assert_ptr_equal(origin.view, view_first(origin.trace));
    assert_string_equal(settings_text(origin.settings, "theme"), "light");
    figure_origin_free(&origin);
    strbuf_free(&json);
    drawn_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_gives_back_the_run_and_how_it_was_looked_at),
        cmocka_unit_test(every_sample_survives_the_way_through_a_picture),
        cmocka_unit_test(a_picture_without_a_run_is_refused),
        cmocka_unit_test(a_run_that_is_too_large_is_left_out_and_that_is_said),
        cmocka_unit_test(what_is_no_figure_is_refused),
        cmocka_unit_test(a_picture_damaged_anywhere_is_refused_or_read),
        cmocka_unit_test(settings_of_another_version_are_passed_over),
    };
    return cmocka_run_group_tests(tests, open_fonts, close_fonts);
}
