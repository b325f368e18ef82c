/* spelled.h - bytes that a tokenizer spells: "<0xE2><0x82><0xAC>" for a character that its
 * vocabulary lacks.
 *
 * Threads: pure functions.
 */
#ifndef FOVEA_BASE_SPELLED_H
#define FOVEA_BASE_SPELLED_H
#include <stddef.h>

#define SPELLED_BYTES 6 /* "<0xE2>" */

/* The byte that text[0..n) begins with in this spelling, or -1. */
int spelled_byte(const char *text, size_t n);

/* In place: spelled bytes that together make a character become that character; control
 * characters and what makes none stay as they are. */
void spelled_join(char *text);

#endif
