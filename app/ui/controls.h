/* controls.h - buttons, checks, choices, numbers, sliders, fields, tabs.
 *
 * Each takes the place it fills, what it is called, and the value it changes, and returns
 * true in the frame in which the person changed it. All are reached by Tab and worked by
 * keys: Space and Enter press, arrows choose and change, Escape leaves.
 *
 * Heights: theme.row for a row of a panel, 28 to 32 for what stands alone.
 */
#ifndef FOVEA_UI_CONTROLS_H
#define FOVEA_UI_CONTROLS_H
#include "ui/ui.h"

/* What every control has. Zero is: no label, no tooltip, no action, enabled. */
typedef struct UiControl {
    const char *name;  /* unique in a frame, the same over frames; also the tag            */
    const char *label; /* NULL: the action's words, if there is one and no icon            */
    const char *note;  /* small and muted beside the label                                 */
    const char *tip;   /* NULL: the action's words, or the label when it does not fit      */
    Action action;     /* done when a button is pressed; its key is in the tooltip         */
    Icon icon;
    bool disabled;
} UiControl;

typedef enum {
    UI_FRAMED,  /* a line around it                           */
    UI_QUIET,   /* nothing until the pointer is on it         */
    UI_PRIMARY, /* filled with the accent: one on a screen    */
} UiLook;

/* true when pressed; an action, if it has one, also comes from ui_next_action. `on`: shown as
 * chosen (a view that is open, playing). */
bool ui_button(Ui *ui, Rect rect, const UiControl *control, UiLook look, bool on);
/* Width that a button's words and icon need. */
float ui_button_width(Ui *ui, const UiControl *control);

/* A row of a list of places to go: label left, note right. */
bool ui_item(Ui *ui, Rect rect, const UiControl *control, bool chosen);

bool ui_check(Ui *ui, Rect rect, const UiControl *control, bool *on);

/* One of several labels side by side, all seen. */
bool ui_tabs(Ui *ui, Rect rect, const UiControl *control, const char *const *labels, int n,
             int *chosen);

/* One of several, in a list that opens. Options of a group stand together, under its name. */
typedef struct UiOption {
    const char *label;
    const char *note;  /* small, at the right; NULL   */
    const char *help;  /* a line below; NULL          */
    const char *group; /* NULL: none                  */
    bool disabled;
} UiOption;

/* UI_FRAMED: a button with the chosen label and note. UI_QUIET: a row, label left and the
 * chosen one right. *chosen is -1 for none. Opens with ui_open(ui, control->name) too. */
bool ui_choice(Ui *ui, Rect rect, const UiControl *control, UiLook look, const UiOption *options,
               int n, int *chosen);
float ui_choice_width(Ui *ui, const UiOption *option); /* framed, with this one chosen */

typedef struct UiRange {
    double low, high;
    double step;        /* of an arrow key and a wheel line; 0: a hundredth of the range */
    const char *format; /* of the value, for one double; NULL: "%g"                      */
    int ticks;          /* of a slider: marks at equal distances, ends included; 0: none */
    bool whole;         /* only low + k * step                                           */
} UiRange;

/* A row: label left, number right. Dragging changes it (Shift: finer), so do arrow keys and,
 * while it has the keyboard, the wheel; a click or Enter lets one type. */
bool ui_number(Ui *ui, Rect rect, const UiControl *control, const UiRange *range, double *value);

/* A bar with a knob, for scrubbing. */
bool ui_slider(Ui *ui, Rect rect, const UiControl *control, const UiRange *range, double *value);

/* A text field of one line or several, as the Edit says; with several it scrolls. */
enum {
    UI_FIELD_CHANGED = 1,
    UI_FIELD_SUBMITTED = 2, /* Enter; Ctrl+Enter where Enter makes a line     */
    UI_FIELD_LEFT = 4,      /* Escape, or the keyboard went elsewhere         */
    UI_FIELD_REFUSED = 8,   /* too long: `error` says so, nothing was changed */
};
unsigned ui_field(Ui *ui, Rect rect, const UiControl *control, Edit *edit, Error *error);

#endif
