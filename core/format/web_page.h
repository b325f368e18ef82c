/* web_page.h - the running text of a web page, for models that read text.
 *
 * A person saves a page with a review and opens it: what they want read is what they read.
 * Tags, comments, scripts and styles go; so do menus and footers (nav, aside, footer) and, where
 * the page says which part is its own (main, article), all the rest. Blocks end a line,
 * paragraphs leave one free, white space is one space, character references (&eacute; &#233;)
 * become their characters. This is no browser: styles that hide and scripts that write are not
 * known.
 *
 * Bytes that are not UTF-8 are decoded by the charset that the page names, else as Windows-1252,
 * as browsers do.
 *
 * Invariants:
 *   1. What is read is UTF-8 without NUL, and never empty.
 *   2. Any bytes are accepted or refused with a message. Linear in n.
 *
 * Errors name the page: ERROR_UNSUPPORTED for a charset that is not known, ERROR_FORMAT for
 * binary data and for a page without text. Threads: pure. Depends on: base.
 */
#ifndef FOVEA_FORMAT_WEB_PAGE_H
#define FOVEA_FORMAT_WEB_PAGE_H
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"

#define WEB_PAGE_MAX_BYTES ((size_t)64 << 20)

/* HTML, told from its beginning: <!doctype html> or <html>, perhaps behind a byte-order mark, an
 * XML declaration and comments. */
bool web_page_recognise(const char *data, size_t n);

/* Appends its text. `name` is the file for messages. */
bool web_page_read(const char *name, const char *data, size_t n, StrBuf *out,
                   Error *error) FOVEA_MUST_USE;

#endif
