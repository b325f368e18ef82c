/* theme.h - the colours and measures of the screen and of figures, as one plain value.
 *
 * One accent colour, one warm and one green signal, everything else between paper and ink.
 * Sizes are logical pixels; whatever is laid out by hand keeps to steps of UI_STEP.
 *
 * Invariants:
 *   1. Text, muted, accent, warning and good have a contrast of at least 4.5 : 1 on panel and
 *      on background; text and accent on accent_tint and hover; on_accent on accent.
 *   2. Every colour but selection, shadow and dim is opaque.
 *
 * Threads: all functions are pure.
 */
#ifndef FOVEA_UI_THEME_H
#define FOVEA_UI_THEME_H
#include "canvas/color.h"

#define UI_STEP 4.0f

typedef enum { THEME_LIGHT, THEME_DARK } ThemeKind;

typedef struct Theme {
    ThemeKind kind;
    Color background, panel, line;
    Color text, muted;
    Color accent, accent_tint, on_accent;
    Color warning, good;
    Color tooltip, on_tooltip, on_tooltip_muted;
    Color hover;        /* under what the pointer is on, over panel   */
    Color selection;    /* behind selected text                       */
    Color shadow, dim;  /* around what floats; over what waits        */
    float text_size;    /* 13: the interface                          */
    float input_size;   /* 14.5: the person's own text                */
    float caption_size; /* 11                                         */
    float row;          /* 28: height of a row, of a control          */
    float line_height;  /* 20: of a line of text, of a row of numbers */
    float radius;       /* 6                                          */
} Theme;

Theme theme_make(ThemeKind kind);

TextStyle theme_text(const Theme *theme);    /* interface text in `text`     */
TextStyle theme_input(const Theme *theme);   /* the person's own text        */
TextStyle theme_muted(const Theme *theme);   /* 12, muted                    */
TextStyle theme_caption(const Theme *theme); /* small and muted              */
TextStyle theme_heading(const Theme *theme); /* 12, bold: over a few rows    */
TextStyle theme_title(const Theme *theme);   /* 15, bold: over a figure      */
TextStyle theme_number(const Theme *theme);  /* monospaced, 12               */
TextStyle theme_formula(const Theme *theme); /* serif italic, 15             */

#endif
