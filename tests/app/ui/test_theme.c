#include "testing.h"

#include "ui/theme.h"

static void check_contrast(const char *what, Color ink, Color paper)
{
    float contrast = color_contrast(ink, paper);
    if (contrast < 4.5f)
        fail_msg("%s: #%08x on #%08x has a contrast of %.2f", what, ink, paper, (double)contrast);
}

static void every_ink_reads_on_every_paper(void **state)
{
    (void)state;
    for (int kind = THEME_LIGHT; kind <= THEME_DARK; kind++) {
        Theme theme = theme_make((ThemeKind)kind);
        const Color inks[] = {theme.text, theme.muted, theme.accent, theme.warning, theme.good};
        for (size_t i = 0; i < sizeof inks / sizeof inks[0]; i++) {
            check_contrast("on panel", inks[i], theme.panel);
            check_contrast("on background", inks[i], theme.background);
        }
        check_contrast("text on tint", theme.text, theme.accent_tint);
        check_contrast("accent on tint", theme.accent, theme.accent_tint);
        check_contrast("text on hover", theme.text, theme.hover);
        check_contrast("accent on hover", theme.accent, theme.hover);
        check_contrast("on accent", theme.on_accent, theme.accent);
        check_contrast("tooltip", theme.on_tooltip, theme.tooltip);
        check_contrast("muted in tooltip", theme.on_tooltip_muted, theme.tooltip);
        Color selected = color_over(theme.selection, theme.panel);
        check_contrast("selected text", theme.text, selected);
    }
}

static void colours_are_opaque_unless_they_lie_over_something(void **state)
{
    (void)state;
    for (int kind = THEME_LIGHT; kind <= THEME_DARK; kind++) {
        Theme theme = theme_make((ThemeKind)kind);
        const Color opaque[] = {theme.background, theme.panel,       theme.line,    theme.text,
                                theme.muted,      theme.accent,      theme.warning, theme.good,
                                theme.on_accent,  theme.accent_tint, theme.tooltip, theme.hover};
        for (size_t i = 0; i < sizeof opaque / sizeof opaque[0]; i++)
            assert_int_equal(color_alpha(opaque[i]), 255);
        assert_true(color_alpha(theme.selection) < 255);
        assert_true(color_alpha(theme.dim) < 255);
        assert_int_equal(theme.kind, kind);
    }
}

static void rows_stand_on_the_grid(void **state)
{
    (void)state;
    Theme theme = theme_make(THEME_LIGHT);
    assert_close(fmod((double)theme.row, (double)UI_STEP), 0, 0);
    assert_close(fmod((double)theme.line_height, (double)UI_STEP), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ink_reads_on_every_paper),
        cmocka_unit_test(colours_are_opaque_unless_they_lie_over_something),
        cmocka_unit_test(rows_stand_on_the_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
