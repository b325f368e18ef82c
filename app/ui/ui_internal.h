/* ui_internal.h - what the files of the widget layer share.
 *
 * ui.c        the frame: events in batches, actions, what lasts between frames
 * ui_touch.c  the pointer and the keyboard on one control
 * ui_layer.c  what floats, tooltips
 * ui_draw.c   text and boxes
 */
#ifndef FOVEA_UI_UI_INTERNAL_H
#define FOVEA_UI_UI_INTERNAL_H
#include "ui/controls.h"
#include "ui/text_lines.h"
#include "ui/ui.h"

#define UI_NAME_BYTES 128

#define UI_EASE_SECONDS  0.12
#define UI_TIP_SECONDS   0.5  /* until a tooltip comes                    */
#define UI_TIP_WARM      0.4  /* after one went, the next comes at once   */
#define UI_BLINK_SECONDS 0.53 /* the caret is seen, and is not            */
#define UI_BLINK_FOR     10.0 /* then it stays                            */
#define UI_DRAG_PX       3.0f /* a press that moves less is a click       */
#define UI_WHEEL_PX      48.0f

enum {
    UI_MAX_LAYERS = 8,
    UI_MAX_CLIPS = 24,
    UI_MAX_SCROLLS = 12,
    UI_MAX_ACTIONS = 8,
    UI_TIP_LINES = 8,
    UI_TIP_BYTES = 512,
};

typedef uint64_t UiId; /* of a name; 0: none */

/* What lasts, by name. One struct for all kinds: each uses a few fields. */
typedef struct UiMemory {
    UiId id;
    bool open;
    float scroll_x, scroll_y; /* pixels                              */
    float extent;             /* height of what is scrolled          */
    float value;              /* eased; or where a drag started      */
    double since;             /* seconds                             */
    double number;            /* before a drag                       */
    int at;                   /* highlighted item, -1 at first       */
    bool fresh;               /* opened, and not drawn yet           */
    bool dragged;             /* the press has become a drag         */
    Point place;              /* of a menu                           */
    EditRange word;           /* where a selection by words began    */
    int clicks;               /* of that press                       */
    TextLines lines;          /* of a field                          */
} UiMemory;

typedef struct UiLayer {
    UiId id;
    Canvas *canvas;
    Rect rect;     /* where it catches the pointer        */
    bool modal;    /* catches it everywhere               */
    unsigned seen; /* frame in which it was last drawn    */
    UiId focus_before;
    bool ring_before;
} UiLayer;

/* A place where Tab stops. */
typedef struct UiStop {
    UiId id;
    int layer;
    bool takes_text;
} UiStop;

typedef struct UiScroll {
    UiMemory *memory; /* NULL: a layer begins here, what is above does not scroll it */
    Rect view;
    Rect thumb; /* empty: everything is seen */
    bool thumb_hot;
} UiScroll;

typedef struct UiTip {
    UiId id; /* 0: no control offers one */
    Rect place;
    bool at_pointer; /* lines of the caller, at once     */
    bool at_once;    /* a message, below its place       */
    int n;
    char lines[UI_TIP_LINES][UI_TIP_BYTES];
    char key[CHORD_TEXT_BYTES];
} UiTip;

struct Ui {
    UiFrame frame;
    unsigned frame_number;
    double now;
    double wants; /* seconds */

    /* Events: queue[queue_start .. queue_end) wait; the first n_events are the batch. */
    Event *queue;
    size_t queue_capacity, queue_start, queue_end;
    const Event *events;
    int n_events;
    bool taken[INPUT_MAX_EVENTS];
    Chord swallow; /* its text is not typed: the key was a command */
    char composing[INPUT_TEXT_BYTES];
    int composing_caret;
    char dropped[INPUT_PATH_BYTES];

    /* The pointer. */
    Point pointer;
    unsigned mods;
    UiId hot;
    UiId active; /* pressed and not released */
    int active_button;
    bool active_seen;
    Point pressed_at;
    UiCursor cursor;

    /* The keyboard. */
    UiId focus;
    bool ring;     /* reached by keys: shown  */
    bool typing;   /* it takes text           */
    int unseen;    /* frames without it       */
    UiId reveal;   /* to be scrolled into view */
    UiStop *stops; /* [n_stops] of this frame */
    size_t n_stops, stops_capacity;
    double blink_since;
    Rect caret;
    bool caret_seen;

    UiLayer layers[UI_MAX_LAYERS];
    int n_layers;
    int layer; /* that is drawn into */
    Rect clips[UI_MAX_CLIPS];
    int n_clips;
    UiScroll scrolls[UI_MAX_SCROLLS];
    int n_scrolls;
    int layer_stack[UI_MAX_LAYERS];
    int layer_depth;

    Action actions[UI_MAX_ACTIONS];
    int n_actions;

    UiTip tip;   /* offered in this frame              */
    UiId tip_id; /* whose turn it is, and since when   */
    double tip_since;
    double tip_gone; /* when one was last seen              */
    bool tip_seen, tip_blocked;

    UiMemory **memories; /* [n_memories] */
    size_t n_memories, memories_capacity;

    Edit *number; /* the number that is being typed */
    UiId number_id;
    Edit *query; /* of the palette or of a list that is searched */
    UiId query_id;
    char ahead[64]; /* what was typed to find an option, and when */
    double ahead_since;
    StrBuf clips_text[2]; /* the clipboard when there is none */
    Clipboard own_clipboard;
};

/* Names. */
UiId ui_id(const char *name);
UiId ui_part(UiId id, const char *part);
void ui_name_item(char name[UI_NAME_BYTES], const char *of, int item);         /* "of.3" */
void ui_name_part(char name[UI_NAME_BYTES], const char *of, const char *part); /* "of.part" */
UiMemory *ui_memory(Ui *ui, UiId id); /* zero at first; stays where it is */
void ui_add_action(Ui *ui, Action action);
const Clipboard *ui_clipboard(const Ui *ui);

/* One control. */
enum {
    TOUCH_KEYBOARD = 16,   /* not for the pointer              */
    TOUCH_STOP = 1,        /* Tab stops here                    */
    TOUCH_KEYS = 2,        /* Space and Enter press it          */
    TOUCH_PRESS_FOCUS = 4, /* so does pressing it               */
    TOUCH_TEXT = 8,        /* it takes text                     */
};

typedef struct UiTouch {
    bool hot;     /* the pointer is on it           */
    bool held;    /* pressed on it and not released */
    bool pressed; /* in this frame                  */
    bool clicked; /* released on it, or by a key    */
    bool focused;
    int clicks;    /* with pressed                             */
    float dx, dy;  /* held: from where it was pressed          */
    unsigned mods; /* with pressed and clicked                 */
} UiTouch;

UiTouch ui_touch(Ui *ui, UiId id, Rect rect, unsigned flags);
bool ui_sees_pointer(const Ui *ui, Rect rect);
bool ui_is_visible(const Ui *ui, Rect rect); /* some of it is inside the clip */
void ui_give_focus(Ui *ui, UiId id, bool ring);

/* The next key event for the control that has the keyboard, from *at on; NULL: none. The
 * caller takes it, or leaves it to others. */
const Event *ui_next_key(Ui *ui, UiId id, int *at);
void ui_take(Ui *ui, const Event *event);
/* Takes the key if it is there, without modifiers. */
bool ui_take_key(Ui *ui, UiId id, Key key);
/* Wheel over rect: lines, 0 when none. */
Point ui_take_wheel(Ui *ui, Rect rect);

/* Layers. false: no room. */
bool ui_layer_begin(Ui *ui, UiId id, Rect rect, bool modal);
void ui_layer_end(Ui *ui);
bool ui_layer_is_top(const Ui *ui);
/* A press beside the layer that is drawn, or Escape; taken. */
bool ui_layer_is_left(Ui *ui, Rect rect);
void ui_draw_tip(Ui *ui);
void ui_offer_tip(Ui *ui, UiId id, Rect rect, const char *text, Action action);
/* A message below rect, at once. */
void ui_say(Ui *ui, UiId id, Rect rect, const char *text);
bool ui_is_modal(const Ui *ui);

/* Scrolling: the place of the content, moved up, as high as it was in the last frame. */
Rect ui_scroll_open(Ui *ui, UiId id, Rect rect);
/* The same where the height is known before. */
Rect ui_scroll_open_known(Ui *ui, UiId id, Rect rect, float height);
void ui_scroll_shut(Ui *ui, float height);
void ui_scroll_to(Ui *ui, float top, float bottom); /* of the content; in the open area */

/* How well `query` names `text`, in any case: 0 not at all, more is better. */
int ui_match(const char *text, const char *query);

/* Rows of options: what a list, the list of a choice, the palette have in common. */
typedef struct UiRows {
    UiId id;          /* that has the keyboard                     */
    const char *name; /* rows are NAME.0, NAME.1, ...              */
    const UiOption *options;
    int n;
    const char *filter; /* only what it names; NULL, "": all       */
    int chosen;         /* marked                                  */
    bool alone;         /* no field beside it: Home, End, letters  */
    bool show;          /* scroll to the row that arrows stand on  */
    bool pick;          /* choose that row                         */
} UiRows;
float ui_rows_height(Ui *ui, const UiRows *rows);
float ui_rows_width(Ui *ui, const UiRows *rows);
/* Draws into an area that scrolls; returns the row that was chosen now, or -1. *at: the row
 * that arrow keys stand on, -1 none. */
int ui_rows(Ui *ui, Rect rect, const UiRows *rows, int *at);

/* Drawing. */
void ui_clip_push(Ui *ui, Rect rect);
void ui_clip_pop(Ui *ui);
float ui_baseline(const Ui *ui, Rect rect);
/* On the shared baseline, in the part of rect that style.align says; true when it was cut. */
bool ui_draw_text(Ui *ui, Rect rect, const char *text, TextStyle style);
void ui_draw_ring(Ui *ui, Rect rect);
void ui_draw_float(Ui *ui, Rect rect); /* the box of what floats, with its shadow */
void ui_tag(Ui *ui, Rect rect, TagRole role, const char *name, const char *value);
Color ui_faded(Color color, bool disabled);

/* Words of a control. */
const char *ui_control_label(Ui *ui, const UiControl *control);
bool ui_control_disabled(Ui *ui, const UiControl *control);
/* After ui_touch: tooltip and pointer shape. `cut`: the label is not whole. */
void ui_control_hint(Ui *ui, const UiControl *control, UiTouch touch, Rect rect, bool cut);

#endif
