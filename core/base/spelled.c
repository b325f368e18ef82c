#include "base/spelled.h"

#include <string.h>

#include "base/utf8.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int spelled_byte(const char *text, size_t n)
{
    if (n < SPELLED_BYTES || memcmp(text, "<0x", 3) != 0 || text[5] != '>')
        return -1;
    int high = hex_digit(text[3]), low = hex_digit(text[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* How many bytes the character has that begins with this one. */
static int length_of(int first)
{
    return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* The character that text[0..n) spells at its beginning: how many bytes, or 0. */
static int take_character(const char *text, size_t n, char out[4])
{
    int first = spelled_byte(text, n), length = 0;
    uint32_t code;
    if (first < 0)
        return 0;
    for (; length < length_of(first); length++) {
        size_t at = (size_t)length * SPELLED_BYTES;
        int byte = at < n ? spelled_byte(text + at, n - at) : -1;
        if (byte < 0)
            return 0;
        out[length] = (char)byte;
    }
    bool is_whole = utf8_is_valid(out, (size_t)length);
    return is_whole && utf8_decode(out, (size_t)length, &code) == length && code != 0 &&
                   !utf8_is_control(code)
               ? length
               : 0;
}

void spelled_join(char *text)
{
    size_t n = strlen(text), end = 0;
    for (size_t i = 0; i < n;) {
        char character[4];
        int length = text[i] == '<' ? take_character(text + i, n - i, character) : 0;
        if (length == 0) {
            text[end++] = text[i++];
            continue;
        }
        memcpy(text + end, character, (size_t)length);
        end += (size_t)length;
        i += (size_t)length * SPELLED_BYTES;
    }
    text[end] = '\0';
}
