/* json_text.h - JSON text from the world into a tree.
 *
 * jansson does the parsing: it refuses invalid UTF-8, duplicate keys, numbers out of range,
 * NUL characters and nesting beyond 2048, and knows line and column. This header makes a
 * sentence of what it says and has the small accessors that every reader wants.
 *
 * The tree takes up to forty times the text, so callers limit the text.
 */
#ifndef FOVEA_BASE_JSON_TEXT_H
#define FOVEA_BASE_JSON_TEXT_H
#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/* One value and nothing after it. A byte order mark in front is skipped. `name` is the file
 * for the message: "x.json: line 3, column 7: ...". Freed with json_decref; NULL on error. */
json_t *json_text_parse(const char *text, size_t n, const char *name, Error *error) FOVEA_MUST_USE;

/* The string under `key`, or NULL when it is missing or of another type; borrowed. */
const char *json_text_string(const json_t *object, const char *key);

/* "a number", "an object", ...: for messages of what was found. */
const char *json_text_type(const json_t *value);

#endif
