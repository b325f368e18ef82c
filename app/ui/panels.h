/* panels.h - what controls stand in, and rows that show numbers.
 *
 * A side panel is described from the top down: cut rows off the rectangle that ui_panel or
 * ui_scroll_begin returned, and tell ui_scroll_end how much was used.
 */
#ifndef FOVEA_UI_PANELS_H
#define FOVEA_UI_PANELS_H
#include "ui/controls.h"

/* An area that scrolls: returns the place of its content, moved up by what is scrolled. Draw
 * from its top down and end with the height that was used. */
Rect ui_scroll_begin(Ui *ui, const char *name, Rect rect);
void ui_scroll_end(Ui *ui, float height);

/* How far an area, or the text of a field of several lines, is scrolled, in pixels; and to put
 * it there, also before it was ever drawn. */
float ui_scroll_at(Ui *ui, const char *name);
void ui_scroll_put(Ui *ui, const char *name, float y);

/* Cuts a panel from a side of *area and draws it with a line towards the middle. Folded, it
 * is a narrow strip with a button that opens it. control->action, if any, folds it too (the
 * caller does it); the returned place of the content is empty while it is folded. */
typedef enum { UI_SIDE_LEFT, UI_SIDE_RIGHT } UiSide;
#define UI_FOLDED_WIDTH 28.0f
Rect ui_panel(Ui *ui, Rect *area, UiSide side, float width, const UiControl *control, bool *open);

/* Rows of a panel, each cut from the top of *rest. */
void ui_caption(Ui *ui, Rect *rest, const char *text); /* small, muted: over places to go */
void ui_heading(Ui *ui, Rect *rest, const char *text); /* bold: over rows of numbers      */
void ui_pair(Ui *ui, Rect *rest, const char *label, const char *value);
void ui_note(Ui *ui, Rect *rest, const char *text);    /* muted, in as many lines as it takes */
void ui_formula(Ui *ui, Rect *rest, const char *text); /* serif, italic */
void ui_rule(Ui *ui, Rect *rest, Rect panel);          /* a line across the panel, with air */

/* A row of a distribution: label, bar of `share` in [0, 1], number. true when pressed. */
bool ui_bar(Ui *ui, Rect *rest, const UiControl *control, float share, const char *number,
            bool chosen);

typedef struct UiChart {
    const float *values; /* [n]; what is not finite is left out */
    int n;
    int marked; /* drawn in full colour; -1: none */
} UiChart;

/* Bars from a line at zero; below zero in the warning colour. Returns the bar that the pointer
 * is on, or -1; *pressed (may be NULL) tells whether it was pressed. */
int ui_chart(Ui *ui, Rect rect, const UiControl *control, const UiChart *chart, bool *pressed);

/* One of many, in view; arrow keys, and typing the start of a label, move. With `search` a
 * field above leaves only what it names. true when *chosen changed; Enter and a press choose. */
bool ui_list(Ui *ui, Rect rect, const UiControl *control, const UiOption *options, int n,
             Edit *search, int *chosen);

#endif
