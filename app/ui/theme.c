#include "ui/theme.h"

#define TEXT_PX 13.0f /* the size that the others are measured against */

static Theme theme_measures(ThemeKind kind)
{
    return (Theme){
        .kind = kind,
        .text_size = TEXT_PX,
        .input_size = 14.5f,
        .caption_size = 11,
        .row = 28,
        .line_height = 20,
        .radius = 6,
    };
}

static Theme theme_light(void)
{
    Theme theme = theme_measures(THEME_LIGHT);
    theme.background = 0xF6F6F3FF;
    theme.panel = 0xFFFFFFFF;
    theme.line = 0xE3E3DEFF;
    theme.text = 0x1D2127FF;
    theme.muted = 0x6A717CFF;
    theme.accent = 0x2C63D6FF;
    theme.accent_tint = 0xE9EFFCFF;
    theme.on_accent = 0xFFFFFFFF;
    theme.warning = 0xB4530AFF;
    theme.good = 0x1A7F5AFF;
    theme.tooltip = 0x1D2127FF;
    theme.on_tooltip = 0xFFFFFFFF;
    theme.on_tooltip_muted = 0xA9B0BAFF;
    theme.hover = 0xF1F1EDFF;
    theme.selection = 0x2C63D640;
    theme.shadow = 0x1D212708;
    theme.dim = 0x1D212766;
    return theme;
}

static Theme theme_dark(void)
{
    Theme theme = theme_measures(THEME_DARK);
    theme.background = 0x14171CFF;
    theme.panel = 0x1B1F26FF;
    theme.line = 0x2C323BFF;
    theme.text = 0xE7E9ECFF;
    theme.muted = 0x98A0ABFF;
    theme.accent = 0x7AA5FFFF;
    theme.accent_tint = 0x233050FF;
    theme.on_accent = 0x14171CFF;
    theme.warning = 0xF0A35AFF;
    theme.good = 0x5CCB9FFF;
    theme.tooltip = 0xE7E9ECFF;
    theme.on_tooltip = 0x14171CFF;
    theme.on_tooltip_muted = 0x565D67FF;
    theme.hover = 0x252A33FF;
    theme.selection = 0x7AA5FF4D;
    theme.shadow = 0x00000020;
    theme.dim = 0x00000099;
    return theme;
}

Theme theme_make(ThemeKind kind)
{
    return kind == THEME_DARK ? theme_dark() : theme_light();
}

static TextStyle style(const Theme *theme, Face face, float size, Color color)
{
    return (TextStyle){.face = face, .size = size * theme->text_size / TEXT_PX, .color = color};
}

TextStyle theme_text(const Theme *theme)
{
    return style(theme, FACE_UI, TEXT_PX, theme->text);
}

TextStyle theme_input(const Theme *theme)
{
    return (TextStyle){.face = FACE_UI, .size = theme->input_size, .color = theme->text};
}

TextStyle theme_muted(const Theme *theme)
{
    return style(theme, FACE_UI, 12, theme->muted);
}

TextStyle theme_caption(const Theme *theme)
{
    return (TextStyle){.face = FACE_UI, .size = theme->caption_size, .color = theme->muted};
}

TextStyle theme_heading(const Theme *theme)
{
    TextStyle heading = style(theme, FACE_UI, 12, theme->text);
    heading.bold = true;
    return heading;
}

TextStyle theme_title(const Theme *theme)
{
    TextStyle title = style(theme, FACE_UI, 15, theme->text);
    title.bold = true;
    return title;
}

TextStyle theme_number(const Theme *theme)
{
    return style(theme, FACE_MONO, 12, theme->text);
}

TextStyle theme_formula(const Theme *theme)
{
    TextStyle formula = style(theme, FACE_SERIF, 15, theme->text);
    formula.italic = true;
    return formula;
}
