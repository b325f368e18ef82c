/* screen_words.h - names of views, options and measures in the languages of the interface.
 *
 * They are looked up by the name that tables and files use; what is not listed is shown as
 * it is, with spaces for marks.
 */
#ifndef FOVEA_SCREEN_SCREEN_WORDS_H
#define FOVEA_SCREEN_SCREEN_WORDS_H
#include "ui/strings.h"

/* Borrowed: from the table, or `name` itself. */
const char *screen_word(Language language, const char *name);

#endif
