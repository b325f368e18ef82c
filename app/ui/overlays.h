/* overlays.h - what lies over the screen: menus, dialogs, the palette, the help page; and the
 * line of messages, which never does.
 *
 * Each is opened with ui_open(ui, name) and called every frame; closed, it does nothing. While
 * one is open it alone has the pointer and the keyboard; Escape and a press beside it close
 * it. There is never more than one dialog: a second ui_open is refused (ui.h).
 */
#ifndef FOVEA_UI_OVERLAYS_H
#define FOVEA_UI_OVERLAYS_H
#include "ui/controls.h"

typedef struct UiMenuItem {
    Action action;     /* gives words and key, and is done when chosen; ACTION_NONE: */
    const char *label; /* the words                                                  */
    const char *key;   /* shown at the right; NULL                                   */
    bool separator;    /* a line, nothing else counts                                */
    bool checked;
    bool disabled;
} UiMenuItem;

/* A menu where the pointer was when it was opened. Returns the item chosen now, or -1. */
int ui_menu(Ui *ui, const char *name, const UiMenuItem *items, int n);

/* In the middle, at most as large as the window; *body is the place inside, below the title.
 * false: not open. Otherwise ui_dialog_end must follow. */
bool ui_dialog_begin(Ui *ui, const char *name, const char *title, float width, float height,
                     Rect *body);
void ui_dialog_end(Ui *ui);

/* Commands found by their names; what is chosen comes from ui_next_action. Its name is
 * "palette", that of the help page "help": both open by ui_open. */
void ui_palette(Ui *ui);
void ui_help(Ui *ui);

/* A message in the status line: plain words, and what can be done. */
typedef enum { UI_MESSAGE_INFO, UI_MESSAGE_WARNING, UI_MESSAGE_ERROR } UiMessageKind;

typedef struct UiMessage {
    UiMessageKind kind;
    const char *text;
    const char *action; /* words of a button; NULL: none */
} UiMessage;

typedef enum { UI_ANSWER_NONE, UI_ANSWER_ACTION, UI_ANSWER_CLOSE } UiAnswer;
UiAnswer ui_message(Ui *ui, Rect rect, const char *name, const UiMessage *message);

#endif
