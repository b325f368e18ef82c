/* chord.h - a key with the modifiers held, as in "Ctrl+Shift+Z".
 *
 * Written as people write it: modifiers Ctrl, Shift, Alt in any order and case, then a named
 * key (Left, Home, Space, F1, ...) or one character. Letters are one key whatever their
 * case; a character that is typed with Shift ("?", "+") is written as itself, without Shift.
 *
 * Invariants: chord_print of a valid chord is read back by chord_parse as the same chord.
 * Threads: all functions are pure.
 */
#ifndef FOVEA_UI_CHORD_H
#define FOVEA_UI_CHORD_H
#include <stddef.h>

#include "base/error.h"
#include "ui/input.h"

#define CHORD_TEXT_BYTES 40

typedef struct Chord {
    Key key;       /* KEY_NONE: no chord                      */
    uint32_t code; /* of KEY_CHARACTER, lower case; else 0    */
    unsigned mods;
} Chord;

bool chord_parse(const char *text, Chord *chord, Error *error) FOVEA_MUST_USE;

/* As chord_parse reads it, in ASCII but for the character itself. "" for no chord. */
void chord_print(Chord chord, char text[CHORD_TEXT_BYTES]);

/* As a person sees it: arrows as signs. */
void chord_show(Chord chord, char text[CHORD_TEXT_BYTES]);

/* Of an EVENT_KEY. Shift with a key that then types another sign (on the layout of the United
 * States, which the signs of most layouts share) becomes that sign without Shift. */
Chord chord_of_event(const Event *event);

bool chord_equal(Chord a, Chord b);

#endif
