#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

void strbuf_add_bytes(StrBuf *buffer, const void *bytes, size_t n)
{
    buffer->text = memory_grow(buffer->text, &buffer->capacity, buffer->length + n + 1, 1);
    if (n)
        memcpy(buffer->text + buffer->length, bytes, n);
    buffer->length += n;
    buffer->text[buffer->length] = '\0';
}

void strbuf_add(StrBuf *buffer, const char *text)
{
    strbuf_add_bytes(buffer, text, strlen(text));
}

void strbuf_add_char(StrBuf *buffer, char c)
{
    strbuf_add_bytes(buffer, &c, 1);
}

void strbuf_addf(StrBuf *buffer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    FOVEA_CHECK(n >= 0, "bad format \"%s\"", fmt);
    buffer->text = memory_grow(buffer->text, &buffer->capacity, buffer->length + (size_t)n + 1, 1);
    vsnprintf(buffer->text + buffer->length, (size_t)n + 1, fmt, again);
    va_end(again);
    buffer->length += (size_t)n;
}

void strbuf_clear(StrBuf *buffer)
{
    buffer->length = 0;
    if (buffer->text)
        buffer->text[0] = '\0';
}

void strbuf_free(StrBuf *buffer)
{
    free(buffer->text);
    *buffer = (StrBuf){0};
}

char *strbuf_take(StrBuf *buffer)
{
    if (!buffer->text)
        strbuf_add(buffer, "");
    char *text = buffer->text;
    *buffer = (StrBuf){0};
    return text;
}

static const char *xml_escape(uint32_t code)
{
    switch (code) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

void strbuf_add_xml(StrBuf *buffer, const char *text)
{
    size_t n = strlen(text);
    uint32_t code;
    for (size_t i = 0; i < n;) {
        i += (size_t)utf8_decode(text + i, n - i, &code);
        const char *escape = xml_escape(code);
        if (escape) {
            strbuf_add(buffer, escape);
            continue;
        }
        if ((code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xFFFE ||
            code == 0xFFFF)
            code = UTF8_REPLACEMENT;
        char bytes[4];
        strbuf_add_bytes(buffer, bytes, (size_t)utf8_encode(code, bytes));
    }
}

void strbuf_add_json(StrBuf *buffer, const char *text, size_t n)
{
    uint32_t code;
    for (size_t i = 0; i < n;) {
        i += (size_t)utf8_decode(text + i, n - i, &code);
        char bytes[4];
        if (code == '"' || code == '\\')
            strbuf_addf(buffer, "\\%c", (char)code);
        else if (code == '\n')
            strbuf_add(buffer, "\\n");
        else if (code < 0x20 || code == 0x7F)
            strbuf_addf(buffer, "\\u%04x", (unsigned)code);
        else
            strbuf_add_bytes(buffer, bytes, (size_t)utf8_encode(code, bytes));
    }
}
