/* note_words.h - what a trace says about itself, in the languages of the interface.
 *
 * Notes are English sentences: they stand in files, are printed by commands and were perhaps
 * written by another Fovea. The window shows them in its own language: a sentence is compared
 * with a table of patterns, part by part (parts are separated by "; "), and what stood in the
 * places of the pattern is put into the translated one. What is in no pattern is shown as it is.
 *
 * Threads: pure functions. Depends on: base, strings.h.
 */
#ifndef FOVEA_SCREEN_NOTE_WORDS_H
#define FOVEA_SCREEN_NOTE_WORDS_H
#include "base/strbuf.h"
#include "ui/strings.h"

/* Appends the note. */
void note_say(Language language, const char *note, StrBuf *out);

/* Appends a place, "layer 1, head 2, target 3 (maison)": its axes by their names. */
void note_say_place(Language language, const char *place, StrBuf *out);

#endif
