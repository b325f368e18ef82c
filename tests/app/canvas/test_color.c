#include "testing.h"

#include <string.h>

#include "canvas/color.h"

static const Color panels[] = {0xFFFFFFFF, 0xF6F6F3FF, 0x1B1F26FF, 0x14171CFF};
enum { N_PANELS = sizeof panels / sizeof panels[0] };

static void colours_are_read_from_hexadecimal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        Color color;
    } good[] = {
        {"#fff", 0xFFFFFFFF},      {"#1B1f26", 0x1B1F26FF}, {"2c63d6", 0x2C63D6FF},
        {"#2c63d680", 0x2C63D680}, {"abc", 0xAABBCCFF},
    };
    static const char *const bad[] = {"",         "#",       "#ff", "#ffff",     "#fffff",
                                      "#1234567", "#12345g", "red", "#123456789"};
    Error error = {0};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        Color color = 0;
        assert_ok(color_parse(good[i].text, &color, &error));
        assert_int_equal(color, good[i].color);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Color color;
        assert_refused(color_parse(bad[i], &color, &error), "is not a colour");
    }
}

static void mixing_and_covering_give_the_ends_exactly(void **state)
{
    (void)state;
    Color a = 0x10203040;
    Color b = 0xF0E0D0C0;
    assert_int_equal(color_mix(a, b, 0), a);
    assert_int_equal(color_mix(a, b, 1), b);
    assert_int_equal(color_mix(a, b, -3), a);
    assert_int_equal(color_mix(0x000000FF, 0xFFFFFFFF, 0.5f), 0x808080FF);
    assert_int_equal(color_over(0x12345600, 0xABCDEFFF), 0xABCDEFFF);
    assert_int_equal(color_over(0x123456FF, 0xABCDEFFF), 0x123456FF);
    assert_int_equal(color_fade(0x123456FF, 0.5f), 0x12345680);
    assert_int_equal(color_fade(0x12345680, 2), 0x12345680);
}

static void contrast_agrees_with_published_values(void **state)
{
    (void)state;
    assert_close(color_contrast(0x000000FF, 0xFFFFFFFF), 21, 1e-4);
    assert_close(color_contrast(0x767676FF, 0xFFFFFFFF), 4.54, 0.005); /* the greyest AA grey */
    assert_close(color_contrast(0x777777FF, 0xFFFFFFFF), 4.48, 0.005);
    assert_close(color_contrast(0xFF0000FF, 0xFFFFFFFF), 4.00, 0.005);
    assert_close(color_contrast(0xABCDEFFF, 0xABCDEFFF), 1, 1e-6);
    assert_close(color_luminance(0xFFFFFFFF), 1, 1e-5);
    assert_close(color_lightness(0xFFFFFFFF), 1, 1e-4);
    assert_close(color_lightness(0x000000FF), 0, 1e-6);
}

static void ink_is_readable_on_every_colour(void **state)
{
    (void)state;
    for (int r = 0; r < 256; r += 5)
        for (int g = 0; g < 256; g += 5)
            for (int b = 0; b < 256; b += 5) {
                Color cell = color_rgba(r, g, b, 255);
                if (color_contrast(cell, color_ink(cell)) < 4.5f)
                    fail_msg("contrast %.3f on %08x", (double)color_contrast(cell, color_ink(cell)),
                             (unsigned)cell);
            }
    for (int kind = 0; kind < COLORMAP_COUNT; kind++)
        for (int p = 0; p < N_PANELS; p++) {
            Colormap map;
            colormap_init(&map, (ColormapKind)kind, panels[p]);
            for (int i = 0; i < COLORMAP_SAMPLES; i++)
                assert_true(color_contrast(map.table[i], color_ink(map.table[i])) >= 4.5f);
        }
}

/* Rounding to eight bits moves the lightness by up to 0.0021 on these maps. */
#define ROUNDING 0.0025f

static void sequential_maps_are_monotone_in_lightness(void **state)
{
    (void)state;
    for (int kind = 0; kind < COLORMAP_COUNT; kind++)
        for (int p = 0; p < N_PANELS; p++) {
            Colormap map;
            colormap_init(&map, (ColormapKind)kind, panels[p]);
            if (map.diverging)
                continue;
            float first = color_lightness(map.table[0]);
            float last = color_lightness(map.table[COLORMAP_SAMPLES - 1]);
            assert_true(fabsf(last - first) > 0.5f);
            float sign = last > first ? 1.0f : -1.0f;
            for (int i = 1; i < COLORMAP_SAMPLES; i++) {
                float step =
                    sign * (color_lightness(map.table[i]) - color_lightness(map.table[i - 1]));
                if (step < -ROUNDING)
                    fail_msg("%s, sample %d: lightness steps back by %g",
                             colormap_name((ColormapKind)kind), i, (double)-step);
                if (i < 8)
                    continue;
                float far =
                    sign * (color_lightness(map.table[i]) - color_lightness(map.table[i - 8]));
                if (far <= 0)
                    fail_msg("%s stands still before sample %d", colormap_name((ColormapKind)kind),
                             i);
            }
        }
}

static void the_default_map_starts_at_the_panel_and_ends_loud(void **state)
{
    (void)state;
    for (int p = 0; p < N_PANELS; p++) {
        Colormap map;
        colormap_init(&map, COLORMAP_BLUES, panels[p]);
        assert_int_equal(map.table[0], panels[p]);
        assert_true(color_contrast(map.table[COLORMAP_SAMPLES - 1], panels[p]) > 12);
    }
}

static void the_diverging_map_is_the_panel_at_zero_and_even_on_both_sides(void **state)
{
    (void)state;
    for (int p = 0; p < N_PANELS; p++) {
        Colormap map;
        colormap_init(&map, COLORMAP_DIVERGING, panels[p]);
        assert_true(map.diverging);
        assert_int_equal(colormap_at(&map, 0.5f), panels[p]);
        float before = 0;
        for (int i = 0; i < COLORMAP_SAMPLES / 2; i++) {
            float below = color_lightness(map.table[COLORMAP_SAMPLES / 2 - 1 - i]);
            float above = color_lightness(map.table[COLORMAP_SAMPLES / 2 + i]);
            assert_close(below, above, 2 * ROUNDING);
            float away = fabsf(above - color_lightness(panels[p]));
            assert_true(away >= before - ROUNDING);
            before = away;
        }
        assert_true(color_blue(map.table[COLORMAP_SAMPLES - 1]) >
                    color_red(map.table[COLORMAP_SAMPLES - 1]));
        assert_true(color_red(map.table[0]) > color_blue(map.table[0]));
    }
}

static void values_find_their_place_whatever_they_are(void **state)
{
    (void)state;
    Colormap blues;
    Colormap diverging;
    colormap_init(&blues, COLORMAP_BLUES, 0xFFFFFFFF);
    colormap_init(&diverging, COLORMAP_DIVERGING, 0xFFFFFFFF);
    ColormapScale scale = {-2, 2, 0};
    assert_close(colormap_position(&blues, scale, -2), 0, 0);
    assert_close(colormap_position(&blues, scale, 2), 1, 0);
    assert_close(colormap_position(&blues, scale, 0), 0.5, 0);
    assert_true(isnan(colormap_position(&blues, scale, INFINITY)));
    assert_true(isnan(colormap_position(&blues, scale, -INFINITY)));
    assert_true(isnan(colormap_position(&blues, scale, NAN)));
    assert_close(colormap_position(&blues, (ColormapScale){3, 3, 0}, 3), 0, 0);
    assert_close(colormap_position(&diverging, (ColormapScale){0, 0, 0}, 7), 0.5, 0);
    assert_close(colormap_position(&blues, (ColormapScale){0, 1, 0.5f}, 0.25f), 0.5, 1e-6);
    assert_close(colormap_position(&diverging, (ColormapScale){-1, 1, 0.5f}, -0.25f), 0.25, 1e-6);
    assert_close(colormap_position(&diverging, (ColormapScale){-1, 1, 0.5f}, 0.25f), 0.75, 1e-6);
    float values[4] = {NAN, -9, 9, 0};
    Color colors[4];
    colormap_fill(&blues, scale, values, 4, colors);
    assert_int_equal(colors[0], colormap_nan(&blues));
    assert_int_equal(colors[1], blues.table[0]);
    assert_int_equal(colors[2], blues.table[COLORMAP_SAMPLES - 1]);
    assert_int_equal(colors[3], colormap_at(&blues, 0.5f));
}

static void maps_are_found_by_the_names_that_they_give(void **state)
{
    (void)state;
    Error error = {0};
    for (int i = 0; i < COLORMAP_COUNT; i++) {
        ColormapKind kind = COLORMAP_COUNT;
        assert_ok(colormap_find(colormap_name((ColormapKind)i), &kind, &error));
        assert_int_equal(kind, i);
        assert_true(strlen(colormap_about(kind)) > 0);
    }
    ColormapKind kind;
    assert_refused(colormap_find("jet", &kind, &error), "no colour map \"jet\"");
}

static void viridis_magma_and_cividis_keep_their_published_ends(void **state)
{
    (void)state;
    static const struct {
        ColormapKind kind;
        Color first, last;
    } ends[] = {
        {COLORMAP_VIRIDIS, 0x440154FF, 0xFDE725FF},
        {COLORMAP_MAGMA, 0x000004FF, 0xFCFDBFFF},
        {COLORMAP_CIVIDIS, 0x00224EFF, 0xFEE838FF},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        Colormap map;
        colormap_init(&map, ends[i].kind, 0xFFFFFFFF);
        assert_int_equal(colormap_at(&map, 0), ends[i].first);
        assert_int_equal(colormap_at(&map, 1), ends[i].last);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_read_from_hexadecimal),
        cmocka_unit_test(mixing_and_covering_give_the_ends_exactly),
        cmocka_unit_test(contrast_agrees_with_published_values),
        cmocka_unit_test(ink_is_readable_on_every_colour),
        cmocka_unit_test(sequential_maps_are_monotone_in_lightness),
        cmocka_unit_test(the_default_map_starts_at_the_panel_and_ends_loud),
        cmocka_unit_test(the_diverging_map_is_the_panel_at_zero_and_even_on_both_sides),
        cmocka_unit_test(values_find_their_place_whatever_they_are),
        cmocka_unit_test(maps_are_found_by_the_names_that_they_give),
        cmocka_unit_test(viridis_magma_and_cividis_keep_their_published_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
