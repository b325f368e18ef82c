/* input.h - what the person did since the last frame, as plain data.
 *
 * The window (SDL) fills it; so do scripts and tests. Nothing above this knows SDL.
 * Positions are logical pixels of the canvas.
 */
#ifndef FOVEA_UI_INPUT_H
#define FOVEA_UI_INPUT_H
#include <stdbool.h>
#include <stdint.h>

#define INPUT_MAX_EVENTS 128
#define INPUT_TEXT_BYTES 256

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
    EVENT_DROP
} EventKind;

typedef struct Event {
    EventKind kind;
    Key key;
    uint32_t code; /* of KEY_CHARACTER                                    */
    unsigned mods;
    bool repeat;
    int button;                  /* 1 left, 2 middle, 3 right                           */
    int clicks;                  /* 1 single, 2 double, 3 triple                        */
    float x, y;                  /* of the pointer                                      */
    float dx, dy;                /* wheel, in lines; y up is positive                   */
    char text[INPUT_TEXT_BYTES]; /* EVENT_TEXT: typed; EVENT_DROP: a path   */
} Event;

typedef struct Input {
    float width, height; /* of the canvas                           */
    float x, y;          /* pointer; negative when outside          */
    bool down[4];        /* buttons held, by number                 */
    unsigned mods;
    double time; /* seconds, monotonic                      */
    int n_events;
    Event events[INPUT_MAX_EVENTS];   /* in order                     */
    char composing[INPUT_TEXT_BYTES]; /* IME text not yet committed */
} Input;

#endif
