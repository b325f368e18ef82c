/* Drawings and photographs as the digit models want them. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "image/digit.h"
#include "image/drawing.h"
#include "image/resample.h"

enum { SIDE = 28 };

static void centre(const float *out, int side, double *x, double *y)
{
    double mass = 0;
    *x = *y = 0;
    for (int i = 0; i < side * side; i++) {
        mass += (double)out[i];
        *x += (double)out[i] * (i % side + 0.5);
        *y += (double)out[i] * (i / side + 0.5);
    }
    *x /= mass;
    *y /= mass;
}

static void a_digit_fills_twenty_pixels_around_its_centre_of_mass(void **state)
{
    (void)state;
    static const char *const drawings[] = {"10,5 14,5 12,9", "60,60 90,60 75,95",
                                           "5,5 95,5 95,95 5,95 5,5", "50,2 50,40", "3,50 60,50"};
    for (size_t i = 0; i < sizeof drawings / sizeof drawings[0]; i++) {
        Error error = {0};
        enum { CANVAS = 200 };
        float *canvas = calloc(CANVAS * CANVAS, sizeof *canvas), out[SIDE * SIDE];
        assert_ok(drawing_render(drawings[i], canvas, CANVAS, 6, &error));
        assert_ok(digit_from_canvas(canvas, CANVAS, CANVAS, DIGIT_CENTRED, SIDE, out, &error));
        double x, y;
        centre(out, SIDE, &x, &y);
        assert_close(x, 14, 0.6);
        assert_close(y, 14, 0.6);
        int left = SIDE, right = 0, top = SIDE, bottom = 0;
        for (int k = 0; k < SIDE * SIDE; k++)
            if (out[k] > 0.2f) {
                left = k % SIDE < left ? k % SIDE : left;
                right = k % SIDE > right ? k % SIDE : right;
                top = k / SIDE < top ? k / SIDE : top;
                bottom = k / SIDE > bottom ? k / SIDE : bottom;
            }
        int longest = right - left > bottom - top ? right - left : bottom - top;
        assert_in_range(longest + 1, 19, 21);
        free(canvas);
    }
}

/* Black on white, white on black and ink on a transparent ground are the same digit. */
static void ink_is_ink_whatever_its_colour(void **state)
{
    (void)state;
    enum { N = 60 };
    static const uint8_t grounds[][2][4] = {
        {{255, 255, 255, 255}, {0, 0, 0, 255}},
        {{0, 0, 0, 255}, {255, 255, 255, 255}},
        {{0, 0, 0, 0}, {0, 0, 0, 255}},
        {{255, 255, 255, 0}, {255, 255, 255, 255}},
        {{250, 240, 200, 255}, {20, 30, 120, 255}},
    };
    float first[SIDE * SIDE], out[SIDE * SIDE];
    for (int g = 0; g < 5; g++) {
        Error error = {0};
        uint8_t rgba[N * N * 4];
        for (int i = 0; i < N * N; i++) {
            bool ink = (i % N >= 20 && i % N < 26 && i / N >= 10 && i / N < 50) ||
                       (i / N >= 44 && i / N < 50 && i % N >= 20 && i % N < 44);
            memcpy(rgba + 4 * i, grounds[g][ink], 4);
        }
        const TraceImage image = {N, N, rgba};
        assert_ok(digit_prepare(&image, DIGIT_CENTRED, SIDE, out, &error));
        if (g == 0)
            memcpy(first, out, sizeof first);
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_close(out[i], first[i], 1e-4);
    }
}

static void a_blank_picture_is_refused_in_every_colour(void **state)
{
    (void)state;
    for (int shade = 0; shade <= 255; shade += 51) {
        Error error = {0};
        float out[SIDE * SIDE];
        uint8_t rgba[9 * 4];
        memset(rgba, shade, sizeof rgba);
        const TraceImage image = {3, 3, rgba};
        assert_refused(digit_prepare(&image, DIGIT_CENTRED, SIDE, out, &error), "blank");
        const TraceImage pixel = {1, 1, rgba};
        assert_refused(digit_prepare(&pixel, DIGIT_PLACED, SIDE, out, &error), "blank");
    }
}

static void a_picture_of_the_right_size_is_taken_as_it_is(void **state)
{
    (void)state;
    Error error = {0};
    uint8_t rgba[SIDE * SIDE * 4] = {0};
    for (int i = 0; i < SIDE * SIDE; i++) {
        uint8_t ink = i == 30 ? 255 : i == 31 ? 102 : 0;
        memset(rgba + 4 * i, ink, 3);
        rgba[4 * i + 3] = 255;
    }
    float out[SIDE * SIDE];
    const TraceImage image = {SIDE, SIDE, rgba};
    assert_ok(digit_prepare(&image, DIGIT_CENTRED, SIDE, out, &error));
    assert_close(out[30], 1, 1e-6);
    assert_close(out[31], 0.4, 1e-3);
    assert_close(out[32], 0, 1e-6);
}

static void a_placed_digit_stays_where_it_was_drawn(void **state)
{
    (void)state;
    Error error = {0};
    enum { CANVAS = 120, OUT = 60 };
    float *canvas = calloc(CANVAS * CANVAS, sizeof *canvas), out[OUT * OUT];
    assert_ok(drawing_render("80,20", canvas, CANVAS, 8, &error));
    assert_ok(digit_from_canvas(canvas, CANVAS, CANVAS, DIGIT_PLACED, OUT, out, &error));
    double x, y;
    centre(out, OUT, &x, &y);
    assert_close(x, 48, 0.2);
    assert_close(y, 12, 0.2);
    free(canvas);
}

static void drawings_that_are_no_strokes_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"", "no stroke"},           {" / / ", "no stroke"},
                                         {"12", "is not a point"},    {"1,2,3", "is not a point"},
                                         {"a,b", "is not a point"},   {"1e9,0", "is not a point"},
                                         {"nan,1", "is not a point"}, {"5,", "is not a point"}};
    float canvas[16] = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Error error = {0};
        assert_refused(drawing_render(bad[i][0], canvas, 4, 1, &error), bad[i][1]);
    }
    assert_true(drawing_is_one("1,2 3,4 / 5,6"));
    assert_false(drawing_is_one("a cat"));
    assert_false(drawing_is_one(""));
}

/* ---- resampling ---- */

static void shrinking_keeps_the_mean_and_a_constant_stays_constant(void **state)
{
    (void)state;
    float in[35 * 21], out[8 * 5];
    double mean = 0;
    for (int i = 0; i < 35 * 21; i++) {
        in[i] = (float)(i * 37 % 101) / 101;
        mean += (double)in[i] / (35 * 21);
    }
    const ResamplePart all = {0, 0, 35, 21};
    plane_resample(in, 35, 21, 1, &all, 0, out, 8, 5);
    double shrunk = 0;
    for (int i = 0; i < 40; i++)
        shrunk += (double)out[i] / 40;
    assert_close(shrunk, mean, 1e-5);
    for (int i = 0; i < 35 * 21; i++)
        in[i] = 0.25f;
    for (int side = 1; side <= 40; side += 13) {
        float large[40 * 40];
        plane_resample(in, 35, 21, 1, &all, 0.25f, large, side, side);
        for (int i = 0; i < side * side; i++)
            assert_close(large[i], 0.25, 1e-6);
    }
}

static void the_same_size_is_a_copy(void **state)
{
    (void)state;
    float in[6 * 4 * 2], out[6 * 4 * 2];
    for (int i = 0; i < 48; i++)
        in[i] = (float)i;
    plane_resample(in, 6, 4, 2, &(ResamplePart){0, 0, 6, 4}, 0, out, 6, 4);
    for (int i = 0; i < 48; i++)
        assert_close(out[i], in[i], 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_digit_fills_twenty_pixels_around_its_centre_of_mass),
        cmocka_unit_test(ink_is_ink_whatever_its_colour),
        cmocka_unit_test(a_blank_picture_is_refused_in_every_colour),
        cmocka_unit_test(a_picture_of_the_right_size_is_taken_as_it_is),
        cmocka_unit_test(a_placed_digit_stays_where_it_was_drawn),
        cmocka_unit_test(drawings_that_are_no_strokes_are_refused),
        cmocka_unit_test(shrinking_keeps_the_mean_and_a_constant_stays_constant),
        cmocka_unit_test(the_same_size_is_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
