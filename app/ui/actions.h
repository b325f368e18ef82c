/* actions.h - what a person can tell the program to do, in one table.
 *
 * An action has a name (for the file of keys and for scripts), words (strings.h), a group on
 * the help page and keys. Key handling, the command palette, the help page, menus and
 * tooltips all come from this table. Adding an action: one line here, one in strings.h.
 *
 * A Keymap says which keys do what. It starts from the table and is changed by a small JSON
 * file: an object from names of actions to a key or a list of keys; [] takes them all away.
 *
 *   {"step-next": ["Right", "L"], "theme": "Ctrl+T", "quit": []}
 *
 * Invariants:
 *   1. In a Keymap no chord does two things.
 *   2. Tab, Shift+Tab, Escape and Enter belong to the controls and are in no Keymap.
 *
 * Memory: a Keymap is plain data. Threads: functions without a Keymap to fill are pure.
 */
#ifndef FOVEA_UI_ACTIONS_H
#define FOVEA_UI_ACTIONS_H
#include <stddef.h>

#include "base/strbuf.h"
#include "ui/chord.h"
#include "ui/strings.h"

/* id, name, group, whether a held key does it again and again, default keys with spaces */
#define ACTIONS(X)                                                                                 \
    X(STEP_NEXT, "step-next", STEPS, true, "Right")                                                \
    X(STEP_PREVIOUS, "step-previous", STEPS, true, "Left")                                         \
    X(STEP_FIRST, "step-first", STEPS, false, "Home")                                              \
    X(STEP_LAST, "step-last", STEPS, false, "End")                                                 \
    X(PLAY, "play", STEPS, false, "Space")                                                         \
    X(FASTER, "faster", STEPS, true, ".")                                                          \
    X(SLOWER, "slower", STEPS, true, ",")                                                          \
    X(VIEW_1, "view-1", VIEWS, false, "1")                                                         \
    X(VIEW_2, "view-2", VIEWS, false, "2")                                                         \
    X(VIEW_3, "view-3", VIEWS, false, "3")                                                         \
    X(VIEW_4, "view-4", VIEWS, false, "4")                                                         \
    X(VIEW_5, "view-5", VIEWS, false, "5")                                                         \
    X(VIEW_6, "view-6", VIEWS, false, "6")                                                         \
    X(VIEW_7, "view-7", VIEWS, false, "7")                                                         \
    X(VIEW_8, "view-8", VIEWS, false, "8")                                                         \
    X(VIEW_9, "view-9", VIEWS, false, "9")                                                         \
    X(ZOOM_IN, "zoom-in", FIGURE, true, "+ =")                                                     \
    X(ZOOM_OUT, "zoom-out", FIGURE, true, "-")                                                     \
    X(ZOOM_RESET, "zoom-reset", FIGURE, false, "0")                                                \
    X(TRANSPOSE, "transpose", FIGURE, false, "T")                                                  \
    X(TOGGLE_SCORES, "scores", FIGURE, false, "W")                                                 \
    X(TOGGLE_NUMBERS, "numbers", FIGURE, false, "N")                                               \
    X(TOGGLE_MERGE, "merge", FIGURE, false, "M")                                                   \
    X(TOGGLE_SPECIALS, "specials", FIGURE, false, "S")                                             \
    X(TOGGLE_GOLD, "gold", FIGURE, false, "G")                                                     \
    X(MODEL_NEXT, "model-next", RUN, true, "] Ctrl+PageDown")                                      \
    X(MODEL_PREVIOUS, "model-previous", RUN, true, "[ Ctrl+PageUp")                                \
    X(MODEL_CHOOSE, "model", RUN, false, "Ctrl+M")                                                 \
    X(FOCUS_INPUT, "input", RUN, false, "/ Ctrl+L")                                                \
    X(FOCUS_TARGET, "target", RUN, false, "F Ctrl+T")                                              \
    X(RESAMPLE, "resample", RUN, false, "R")                                                       \
    X(MANY_SAMPLES, "many-samples", RUN, false, "Shift+R")                                         \
    X(BEAM, "beam", RUN, false, "B")                                                               \
    X(COMPARE, "compare", RUN, false, "C")                                                         \
    X(PIN, "pin", RUN, false, "P")                                                                 \
    X(LEAVE_OUT, "leave-out", RUN, false, "L")                                                     \
    X(FOLLOWED, "followed", RUN, false, "Shift+L")                                                 \
    X(PINNED, "pinned", RUN, false, "Shift+P")                                                     \
    X(UNPIN, "unpin", RUN, false, "Ctrl+Alt+P")                                                    \
    X(LAB, "all-models", RUN, false, "A")                                                          \
    X(LENGTHS, "lengths", RUN, false, "Shift+A")                                                   \
    X(COST, "cost", RUN, false, "Ctrl+Alt+A")                                                      \
    X(SAMPLE, "sample", RUN, false, "Ctrl+Alt+R")                                                  \
    X(UNDO, "undo", CHANGES, true, "Ctrl+Z")                                                       \
    X(REDO, "redo", CHANGES, true, "Ctrl+Shift+Z Ctrl+Y")                                          \
    X(CLEAR_CHANGES, "clear-changes", CHANGES, false, "Ctrl+Alt+Z")                                \
    X(OPEN, "open", FILES, false, "Ctrl+O")                                                        \
    X(SAVE, "save", FILES, false, "Ctrl+S")                                                        \
    X(EXPORT, "export", FILES, false, "Ctrl+E")                                                    \
    X(COPY_CELL, "copy-cell", FILES, false, "Ctrl+C")                                              \
    X(COPY_ROW, "copy-row", FILES, false, "Ctrl+Shift+C")                                          \
    X(COPY_MATRIX, "copy-matrix", FILES, false, "Ctrl+Alt+C")                                      \
    X(COPY_FIGURE, "copy-figure", FILES, false, "Ctrl+Alt+F")                                      \
    X(SENTENCES, "sentences", FILES, false, "Ctrl+J")                                              \
    X(TOKENS, "tokens", FILES, false, "Ctrl+Alt+T")                                                \
    X(GOLD_FILE, "gold-file", FILES, false, "Ctrl+Alt+G")                                          \
    X(BESIDE, "beside", FILES, false, "Ctrl+Alt+O")                                                \
    X(RECENT, "recent", FILES, false, "Ctrl+R")                                                    \
    X(PALETTE, "palette", WINDOW, false, "Ctrl+K Ctrl+Shift+P")                                    \
    X(HELP, "help", WINDOW, false, "F1 ?")                                                         \
    X(KEYS, "keys", WINDOW, false, "Ctrl+Alt+K")                                                   \
    X(THEME, "theme", WINDOW, false, "F2")                                                         \
    X(LANGUAGE, "language", WINDOW, false, "F3")                                                   \
    X(PANEL_LEFT, "panel-left", WINDOW, false, "Ctrl+B")                                           \
    X(PANEL_RIGHT, "panel-right", WINDOW, false, "Ctrl+I")                                         \
    X(SCALE_UP, "scale-up", WINDOW, true, "Ctrl++ Ctrl+=")                                         \
    X(SCALE_DOWN, "scale-down", WINDOW, true, "Ctrl+-")                                            \
    X(SCALE_RESET, "scale-reset", WINDOW, false, "Ctrl+0")                                         \
    X(FULL_SCREEN, "full-screen", WINDOW, false, "F11")                                            \
    X(QUIT, "quit", WINDOW, false, "Ctrl+Q")

typedef enum {
    ACTION_NONE,
#define ACTION_ID(id, name, group, repeats, keys) ACTION_##id,
    ACTIONS(ACTION_ID)
#undef ACTION_ID
        ACTION_COUNT,
} Action;

const char *action_name(Action action); /* "step-next"; ACTION_NONE: ""      */
StringId action_words(Action action);   /* what it is called                 */
StringId action_group(Action action);   /* STRING_GROUP_...                  */
bool action_repeats(Action action);
bool action_find(const char *name, Action *action, Error *error) FOVEA_MUST_USE;

enum { KEYMAP_CHORDS = 4 }; /* of one action, at most */

typedef struct Keymap {
    Chord chords[ACTION_COUNT][KEYMAP_CHORDS]; /* used ones first, best first */
} Keymap;

void keymap_init(Keymap *keymap); /* the table's keys */

/* Changes what the text says; `name` is the file for messages. A key that the file gives to
 * one action is taken from the action that has it by default. On error nothing is changed. */
bool keymap_read(Keymap *keymap, const char *json, size_t n, const char *name,
                 Error *error) FOVEA_MUST_USE;

/* Every action with its keys, as keymap_read reads it. */
void keymap_write(const Keymap *keymap, StrBuf *json);

/* What an EVENT_KEY asks for; ACTION_NONE: nothing. */
Action keymap_action(const Keymap *keymap, const Event *event);

/* The first chord as a person sees it; "" when it has none. `keymap` may be NULL. */
void keymap_show(const Keymap *keymap, Action action, char text[CHORD_TEXT_BYTES]);

#endif
