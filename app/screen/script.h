/* script.h - the program driven by a text: what a person would do, and what is then kept.
 *
 * One command a line; "#" begins a comment. A name is a control's (its tag on the canvas).
 *
 *   size W H                logical pixels, 1280 x 800 at first
 *   theme light|dark        language en|zh
 *   open FILE               model NAME
 *   text TEXT...            puts the whole line into the input
 *   click NAME [right]      press and release in the middle of a control
 *   click-at X Y [CLICKS | right]
 *   drag X1 Y1 X2 Y2 [shift]
 *   hover NAME              hover-at X Y
 *   wheel X Y LINES
 *   type TEXT...            key CHORD
 *   drop FILE
 *   pass SECONDS            time goes on (tooltips, playing)
 *   shot OUT.png [SCALE]    dump OUT.txt        trace OUT.json
 *   clipboard OUT.txt       what was copied last
 *   expect NAME [VALUE]     fails when no control of that name (and value) is on the screen
 *   absent NAME
 *
 * After every command the frames it asks for are made and the runs it started are waited
 * for, with a clock of the script's own: the same script gives the same pictures anywhere.
 * Needs no display.
 */
#ifndef FOVEA_SCREEN_SCRIPT_H
#define FOVEA_SCREEN_SCRIPT_H
#include <stddef.h>

#include "base/error.h"

/* `n` bytes; `name` is the file for messages, which name the line. */
bool script_run(const char *text, size_t n, const char *name, Error *error) FOVEA_MUST_USE;

#endif
