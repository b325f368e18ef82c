/* french.h - the spaces of French typography.
 *
 * French sets ! ? ; : and the inner side of « » apart with a space that does not break:
 * U+202F (narrow) before ! ? ; and U+00A0 before : and inside of « ». People and corpora
 * write an ordinary space, any of the others, or none. So the tokeniser forgets such a
 * space, and french_add_spaces puts the right one back.
 *
 * A mark counts only where it ends something: "10:30", "http://x", "a != b", ":-)" are left
 * alone. Full-width marks have their space built in.
 *
 * Threads: pure functions. Depends on: base.
 */
#ifndef FOVEA_TEXT_FRENCH_H
#define FOVEA_TEXT_FRENCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Is there a mark at text[offset] before which French writes a space? Then its code (one of
 * ! ? ; : »), otherwise 0. Only what follows the mark decides. */
uint32_t french_mark_at(const char *text, size_t n, size_t offset);

/* Appends text[0..n) with the missing spaces put in. places[0..n_places) are byte offsets
 * into the text, rising; each becomes the offset of the same character in what was appended
 * (an offset at a new space goes behind it). */
void french_add_spaces(const char *text, size_t n, size_t *places, size_t n_places, StrBuf *out);

#endif
