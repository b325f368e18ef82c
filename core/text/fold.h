/* fold.h - typed text read as corpora write it.
 *
 * Curly apostrophes and quotes become straight ones, and a letter followed by combining marks
 * becomes the one character that means the same, where there is one (NFC).
 *
 * Threads: pure. Depends on: base, utf8proc.
 */
#ifndef FOVEA_TEXT_FOLD_H
#define FOVEA_TEXT_FOLD_H
#include <stddef.h>
#include <stdint.h>

/* Reads the character at text[0..n), n >= 1, folded, into *code; returns the bytes that it
 * took, with those of the marks that were joined. */
size_t fold_read(const char *text, size_t n, uint32_t *code);

#endif
