/* theme.h - the colours and measures of the screen and of figures, as one plain value. */
#ifndef FOVEA_UI_THEME_H
#define FOVEA_UI_THEME_H
#include "canvas/color.h"

typedef enum { THEME_LIGHT, THEME_DARK } ThemeKind;

typedef struct Theme {
    ThemeKind kind;
    Color background, panel, line;
    Color text, muted;
    Color accent, accent_tint, on_accent;
    Color warning, good;
    Color tooltip, on_tooltip;
    float text_size;    /* 13: the interface          */
    float input_size;   /* 14.5: the person's own text */
    float caption_size; /* 11                          */
    float row;          /* 27: height of a row         */
    float radius;       /* 6                           */
} Theme;

Theme theme_make(ThemeKind kind);

TextStyle theme_text(const Theme *theme); /* interface text in `text`     */
TextStyle theme_muted(const Theme *theme);
TextStyle theme_caption(const Theme *theme); /* small and muted              */
TextStyle theme_title(const Theme *theme);   /* bold                         */
TextStyle theme_number(const Theme *theme);  /* monospaced, 12               */
TextStyle theme_formula(const Theme *theme); /* serif italic, 15             */

#endif
