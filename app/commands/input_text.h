/* input_text.h - a file as one text, for the commands that run models on it. */
#ifndef FOVEA_COMMANDS_INPUT_TEXT_H
#define FOVEA_COMMANDS_INPUT_TEXT_H
#include "base/file.h"
#include "format/lines.h"

/* A text that can be run: UTF-8 without NUL characters, not too long. */
bool input_text_check(Slice text, Error *error) FOVEA_MUST_USE;

/* The text of a file ("-": standard input) that input_text_check lets pass, without a byte-order
 * mark and the ends of its last lines. Of a web page it is what is read there (web_page.h), which
 * is said on standard error. Errors name the file. bytes_free afterwards. */
bool input_text_read(const char *path, Bytes *out, Error *error) FOVEA_MUST_USE;

/* Whether the file holds a web page; false for standard input and what cannot be read. */
bool input_text_is_page(const char *path);

#endif
