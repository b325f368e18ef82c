/* json_scan.h - walks over JSON text without building values.
 *
 * For the few long texts that are read at every start: a tokeniser's ten thousand small lists
 * and strings cost a JSON library more time and memory than the whole translation. Only the
 * plain form that our own writers use is walked. Everything else, right or wrong, makes these
 * functions return false, and the caller gives the text to jansson (base/json_text.h), which
 * decides and words the message. So they never accept what jansson refuses; what they pass over
 * as a whole (json_scan_value) must be given to jansson or walked itself.
 *
 * Threads: any. A scan is [at, end) of a text that the caller keeps.
 */
#ifndef FOVEA_BASE_JSON_SCAN_H
#define FOVEA_BASE_JSON_SCAN_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

#define JSON_SCAN_NAME_BYTES 64

typedef struct JsonScan {
    const char *at, *end;
} JsonScan;

/* Takes white space and then the character; without it the scan only passes white space. */
bool json_scan_take(JsonScan *scan, char character);
bool json_scan_is_done(JsonScan *scan); /* only white space is left */

/* Appends a string's bytes: valid UTF-8, no control characters; \u0041 is not plain. */
bool json_scan_string(JsonScan *scan, StrBuf *out);
/* A natural number of at most nine digits. */
bool json_scan_natural(JsonScan *scan, int32_t *number);
/* The next member's name, without escapes, terminated, and its colon. */
bool json_scan_name(JsonScan *scan, char name[JSON_SCAN_NAME_BYTES]);
/* Passes over one value by its outer form alone and says where it lies. */
bool json_scan_value(JsonScan *scan, const char **value, size_t *n);

/* An object of which some members are long. The result is what jansson makes of the text, but
 * for the members of these names (a list that ends with NULL; or NULL), wherever they hold an
 * object: they become a string that holds their text. NULL when the form is not plain. */
json_t *json_scan_object(const char *text, size_t n, const char *const *as_text);

#endif
