/* ui.h - the interface as calls: a control is drawn, and asked what happened to it, at once.
 *
 * There are no widget objects. Every frame the screen is described again from the program's
 * own state, and each call returns what the person did with that control:
 *
 *   ui_begin(ui, &frame);
 *   Rect window = ui_window(ui);
 *   Rect top = rect_cut_top(&window, 48);
 *   if (ui_button(ui, rect_cut_right(&top, 80), &(UiControl){.name = "export"}, UI_PRIMARY))
 *       ...
 *   for (Action action; (action = ui_next_action(ui)) != ACTION_NONE;)
 *       ...
 *   ui_end(ui);
 *
 * What must last between frames (where a list is scrolled to, what is open, what has the
 * keyboard) is kept here by the control's name. The name is also its tag on the canvas, so a
 * test or a script finds and clicks a control as a person would.
 *
 * Events are taken from the input in order and shown to the controls in batches: a frame sees
 * at most one press, release or command key, and it is the last of its batch. So a click that
 * opens a dialog and the text typed after it never meet in one frame, however fast they came;
 * ui_wants_frame is 0 while events wait, and also once after a frame that saw one, because
 * what was drawn before the control that changed something is then out of date. Draw again
 * at once until it is not 0; only the last of these frames need be shown.
 *
 * What floats (the list of a choice, menus, dialogs) is a layer: recorded apart, drawn above
 * the rest, and while it is open nothing below it sees the pointer or the keyboard.
 *
 * Invariants:
 *   1. No event is lost: what does not fit into a frame waits for the next.
 *   2. An event is taken by one control: the first that is called, so what lies on another
 *      control is called before it.
 *   3. Equal state and equal input give equal recordings.
 *   4. A frame without events allocates nothing once it was drawn before.
 *   5. Names are unique in a frame.
 *
 * Memory: a Ui keeps what it needs; strings passed in are not kept. Threads: one thread.
 */
#ifndef FOVEA_UI_UI_H
#define FOVEA_UI_UI_H
#include "canvas/canvas.h"
#include "canvas/fonts.h"
#include "ui/actions.h"
#include "ui/edit.h"
#include "ui/icons.h"
#include "ui/input.h"
#include "ui/layout.h"
#include "ui/strings.h"
#include "ui/theme.h"

typedef struct Ui Ui;

/* What a frame is made with; borrowed from ui_begin to ui_end. */
typedef struct UiFrame {
    Canvas *canvas; /* cleared by ui_begin to the size of the input */
    Fonts *fonts;
    const Theme *theme;
    Input *input; /* its events are taken: n_events is 0 afterwards */
    Language language;
    const Keymap *keys;      /* NULL: no keys                                       */
    const bool *unavailable; /* [ACTION_COUNT]: what cannot be done now; NULL: none */
    /* [ACTION_COUNT] or NULL: words that say better than an action's own what it does just
     * now, or NULL; "" when it means nothing now and the palette shall not list it. */
    const char *const *meanings;
    const Clipboard *clipboard; /* NULL: one that only this Ui knows                   */
    bool still;                 /* no motion: everything is where it ends at once      */
} UiFrame;

Ui *ui_new(void);
void ui_free(Ui *ui); /* NULL is fine */

void ui_begin(Ui *ui, const UiFrame *frame);
void ui_end(Ui *ui);

/* What the person asked for: keys that no control took, buttons and menu items with an
 * action, the palette. Called after the controls, until it returns ACTION_NONE. */
Action ui_next_action(Ui *ui);

/* Seconds until the screen changes by itself; 0: draw again now, INFINITY: only on input. */
double ui_wants_frame(const Ui *ui);
/* For motion of the caller's own: another frame in so many seconds at the latest. */
void ui_ask_frame(Ui *ui, double seconds);

/* For the window: whether text may be typed and where its caret stands (the input method's
 * list of candidates belongs there); the shape of the pointer. */
bool ui_wants_text(const Ui *ui, Rect *caret);

typedef enum {
    UI_CURSOR_ARROW,
    UI_CURSOR_HAND,
    UI_CURSOR_TEXT,
    UI_CURSOR_SIDEWAYS,
    UI_CURSOR_MOVE,
    UI_CURSOR_CROSS,
    UI_CURSOR_COUNT,
} UiCursor;

UiCursor ui_cursor(const Ui *ui);
void ui_set_cursor(Ui *ui, UiCursor cursor); /* in this frame */

/* Of the frame. */
Canvas *ui_canvas(Ui *ui); /* of the layer that is being drawn */
Fonts *ui_fonts(Ui *ui);
const Theme *ui_theme(Ui *ui);
Language ui_language(Ui *ui);
double ui_time(Ui *ui);
Rect ui_window(Ui *ui);
const char *ui_word(Ui *ui, StringId id);           /* in the frame's language */
const char *ui_action_words(Ui *ui, Action action); /* its meaning now, or its own words */
bool ui_can(Ui *ui, Action action);                 /* not in frame.unavailable */

/* The keyboard. */
void ui_focus(Ui *ui, const char *name); /* NULL: nothing has it */
bool ui_has_focus(Ui *ui, const char *name);

/* Opens or closes what floats by its name: the list of a choice, a menu, a dialog, a panel.
 * What takes the whole window is never opened over another one: ui_open returns false. */
bool ui_open(Ui *ui, const char *name);
void ui_close(Ui *ui, const char *name);
bool ui_is_open(Ui *ui, const char *name);

/* A number that follows `target` within 120 ms, remembered by name. */
float ui_ease(Ui *ui, const char *name, float target);

/* A place that the caller draws and that answers to the mouse, like the figure. */
typedef struct UiArea {
    bool inside; /* the pointer is on it, and on nothing that lies over it */
    float x, y;  /* pointer, also while it is dragged outside              */
    int button;  /* that went down here and is held, or was released; 0    */
    int clicks;  /* with pressed                                           */
    bool pressed, held, released;
    float from_x, from_y;   /* where it was pressed */
    float wheel_x, wheel_y; /* lines */
    unsigned mods;
} UiArea;
UiArea ui_area(Ui *ui, const char *name, Rect rect);

/* Path of a file that was dropped on the window in this frame, once; NULL. Wherever it fell: not
 * every system tells where the pointer is while something is dragged in from outside. */
const char *ui_take_dropped(Ui *ui);

/* A box of words beside the pointer, at once; the first line is bold. Nothing is kept. */
void ui_tip_lines(Ui *ui, const char *const *lines, int n);

/* Text in the middle of a row's height, on the baseline that all controls share; what does
 * not fit is cut with an ellipsis and shown whole when the pointer rests on it. */
void ui_label(Ui *ui, Rect rect, const char *text, TextStyle style);
/* Text broken to lines; returns the height it takes, whatever rect.h is. */
float ui_paragraph(Ui *ui, Rect rect, const char *text, TextStyle style);

#endif
