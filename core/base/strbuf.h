/* strbuf.h - a growing string.
 *
 * Zero-initialise it, append, use `text` (always terminated once anything was appended),
 * free it with strbuf_free or take the text out with strbuf_take.
 */
#ifndef FOVEA_BASE_STRBUF_H
#define FOVEA_BASE_STRBUF_H
#include <stddef.h>

#include "base/error.h"

typedef struct StrBuf {
    char *text; /* NULL until something is appended */
    size_t length;
    size_t capacity;
} StrBuf;

void strbuf_add(StrBuf *buffer, const char *text);
void strbuf_add_bytes(StrBuf *buffer, const void *bytes, size_t n);
void strbuf_add_char(StrBuf *buffer, char c);
void strbuf_addf(StrBuf *buffer, const char *fmt, ...) FOVEA_PRINTF(2, 3);
void strbuf_clear(StrBuf *buffer); /* keeps the memory */
void strbuf_free(StrBuf *buffer);
char *strbuf_take(StrBuf *buffer); /* never NULL; the caller frees; the buffer is empty again */

/* Escapes for markup (& < > " ') and for a JSON string (without the quotes; invalid UTF-8
 * becomes U+FFFD). Control characters that markup cannot hold become U+FFFD. */
void strbuf_add_xml(StrBuf *buffer, const char *text);
void strbuf_add_json(StrBuf *buffer, const char *text, size_t n);

#endif
