/* base64.h - bytes as printable text (RFC 4648, with padding). */
#ifndef FOVEA_TRACE_BASE64_H
#define FOVEA_TRACE_BASE64_H
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

void base64_encode(const uint8_t *bytes, size_t n, StrBuf *out);

/* Decodes exactly out_bytes bytes; false when the text is anything else. */
bool base64_decode(const char *text, size_t n, uint8_t *out, size_t out_bytes);

#endif
