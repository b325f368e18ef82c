#include "base/utf8.h"

#include <string.h>

#include <utf8proc.h>

static int sequence_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    if (lead >= 0xF0 && lead <= 0xF4)
        return 4;
    return 0;
}

static bool is_scalar_of_length(uint32_t code, int length)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    return code >= least[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

/* 0 when text[0..n) does not start with a valid character. */
static int decode_strict(const char *text, size_t n, uint32_t *code)
{
    const unsigned char *byte = (const unsigned char *)text;
    int length = sequence_length(byte[0]);
    if (length == 0 || (size_t)length > n)
        return 0;
    uint32_t value = length == 1 ? byte[0] : byte[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (byte[i] & 0x3Fu);
    }
    if (length > 1 && !is_scalar_of_length(value, length))
        return 0;
    *code = value;
    return length;
}

int utf8_decode(const char *text, size_t n, uint32_t *code)
{
    int length = decode_strict(text, n, code);
    if (length)
        return length;
    *code = UTF8_REPLACEMENT;
    return 1;
}

int utf8_encode(uint32_t code, char out[4])
{
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        code = UTF8_REPLACEMENT;
    return (int)utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)out);
}

size_t utf8_valid_prefix(const char *text, size_t n)
{
    uint32_t code;
    size_t i = 0;
    while (i < n) {
        uint64_t eight; /* most text is ASCII: eight bytes at once */
        if (n - i >= sizeof eight) {
            memcpy(&eight, text + i, sizeof eight);
            if (!(eight & 0x8080808080808080u)) {
                i += sizeof eight;
                continue;
            }
        }
        int length = decode_strict(text + i, n - i, &code);
        if (!length)
            break;
        i += (size_t)length;
    }
    return i;
}

bool utf8_is_valid(const char *text, size_t n)
{
    return utf8_valid_prefix(text, n) == n;
}

size_t utf8_length(const char *text, size_t n)
{
    uint32_t code;
    size_t count = 0;
    for (size_t i = 0; i < n; count++)
        i += (size_t)utf8_decode(text + i, n - i, &code);
    return count;
}

size_t utf8_next_grapheme(const char *text, size_t n, size_t offset)
{
    if (offset >= n)
        return n;
    uint32_t previous;
    uint32_t code;
    utf8proc_int32_t state = 0;
    offset += (size_t)utf8_decode(text + offset, n - offset, &previous);
    while (offset < n) {
        int length = utf8_decode(text + offset, n - offset, &code);
        if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)previous, (utf8proc_int32_t)code,
                                             &state))
            break;
        offset += (size_t)length;
        previous = code;
    }
    return offset;
}

size_t utf8_previous_grapheme(const char *text, size_t n, size_t offset)
{
    /* Clusters are found forwards only, so start from a place that is surely a boundary:
     * the last line start or plain ASCII character well before the offset. */
    size_t start = offset > 64 ? offset - 64 : 0;
    while (start > 0 && (unsigned char)text[start] >= 0x80)
        start--;
    size_t previous = start;
    for (size_t i = start; i < offset;) {
        previous = i;
        i = utf8_next_grapheme(text, n, i);
    }
    return previous;
}

size_t utf8_clean(const char *text, size_t n, char *out, size_t size)
{
    size_t used = 0;
    uint32_t code;
    for (size_t i = 0; i < n;) {
        i += (size_t)utf8_decode(text + i, n - i, &code);
        if (utf8proc_category((utf8proc_int32_t)code) == UTF8PROC_CATEGORY_CC)
            code = ' ';
        char bytes[4];
        size_t length = (size_t)utf8_encode(code, bytes);
        if (used + length + 1 > size)
            break;
        memcpy(out + used, bytes, length);
        used += length;
    }
    out[used] = '\0';
    return used;
}

static utf8proc_category_t category(uint32_t code)
{
    return utf8proc_category((utf8proc_int32_t)code);
}

bool utf8_is_space(uint32_t code)
{
    if ((code >= 9 && code <= 13) || code == 0x85)
        return true;
    utf8proc_category_t c = category(code);
    return c == UTF8PROC_CATEGORY_ZS || c == UTF8PROC_CATEGORY_ZL || c == UTF8PROC_CATEGORY_ZP;
}

bool utf8_is_control(uint32_t code)
{
    utf8proc_category_t c = category(code);
    return c == UTF8PROC_CATEGORY_CC || c == UTF8PROC_CATEGORY_CF;
}

bool utf8_is_letter(uint32_t code)
{
    utf8proc_category_t c = category(code);
    return (c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO) ||
           (c >= UTF8PROC_CATEGORY_MN && c <= UTF8PROC_CATEGORY_ME);
}

bool utf8_is_digit(uint32_t code)
{
    return category(code) == UTF8PROC_CATEGORY_ND;
}

bool utf8_is_punctuation(uint32_t code)
{
    utf8proc_category_t c = category(code);
    return c >= UTF8PROC_CATEGORY_PC && c <= UTF8PROC_CATEGORY_SO;
}

bool utf8_is_upper(uint32_t code)
{
    return category(code) == UTF8PROC_CATEGORY_LU;
}

bool utf8_is_cjk(uint32_t code)
{
    return (code >= 0x2E80 && code <= 0x2FDF) || (code >= 0x3040 && code <= 0x30FF) ||
           (code >= 0x3400 && code <= 0x4DBF) || (code >= 0x4E00 && code <= 0x9FFF) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x20000 && code <= 0x3FFFF);
}

uint32_t utf8_lower(uint32_t code)
{
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
}
