/* input.h - what the person did since the last frame, as plain data.
 *
 * The window (platform_sdl.h) fills it; so do scripts and tests. Nothing above this knows
 * SDL. Positions are logical pixels of the canvas.
 *
 * A key that types something comes twice: as EVENT_KEY, so that it can be a command, and as
 * EVENT_TEXT with what the layout and the input method make of it. Text longer than an event
 * comes in several.
 */
#ifndef FOVEA_UI_INPUT_H
#define FOVEA_UI_INPUT_H
#include <stdbool.h>
#include <stdint.h>

#define INPUT_MAX_EVENTS 128
#define INPUT_TEXT_BYTES 256
#define INPUT_PATH_BYTES 4096

typedef enum {
    KEY_NONE,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_ENTER,
    KEY_ESCAPE,
    KEY_TAB,
    KEY_BACKSPACE,
    KEY_DELETE,
    KEY_INSERT,
    KEY_SPACE,
    KEY_F1,
    KEY_F2,
    KEY_F3,
    KEY_F4,
    KEY_F5,
    KEY_F6,
    KEY_F7,
    KEY_F8,
    KEY_F9,
    KEY_F10,
    KEY_F11,
    KEY_F12,
    KEY_CHARACTER, /* `code` says which, lower case */
} Key;

enum { MOD_SHIFT = 1, MOD_CTRL = 2, MOD_ALT = 4 };

typedef enum {
    EVENT_KEY,
    EVENT_TEXT,
    EVENT_PRESS,
    EVENT_RELEASE,
    EVENT_WHEEL,
    EVENT_DROP, /* of the file Input.dropped */
} EventKind;

enum { BUTTON_LEFT = 1, BUTTON_MIDDLE = 2, BUTTON_RIGHT = 3 };

typedef struct Event {
    EventKind kind;
    Key key;
    uint32_t code; /* of KEY_CHARACTER: what the key gives without Shift  */
    unsigned mods;
    bool repeat;
    int button;                  /* 1 left, 2 middle, 3 right                           */
    int clicks;                  /* 1 single, 2 double, 3 triple                        */
    float x, y;                  /* of the pointer                                      */
    float dx, dy;                /* wheel, in lines; y up is positive                   */
    char text[INPUT_TEXT_BYTES]; /* EVENT_TEXT: what was typed                          */
} Event;

typedef struct Input {
    float width, height; /* of the canvas, positive                 */
    float x, y;          /* pointer; negative when outside          */
    bool down[4];        /* buttons held, by number                 */
    unsigned mods;
    double time; /* seconds, monotonic                      */
    int n_events;
    Event events[INPUT_MAX_EVENTS];   /* in order                                           */
    char composing[INPUT_TEXT_BYTES]; /* text of the input method, not yet committed        */
    int composing_caret;              /* in it, bytes                                       */
    char dropped[INPUT_PATH_BYTES];   /* of the last EVENT_DROP; one at most in a frame     */
} Input;

#endif
