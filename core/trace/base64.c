#include "trace/base64.h"

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const uint8_t *bytes, size_t n, StrBuf *out)
{
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? (uint32_t)bytes[i + 2] : 0;
        char text[4] = {DIGITS[group >> 18], DIGITS[group >> 12 & 63],
                        left > 1 ? DIGITS[group >> 6 & 63] : '=',
                        left > 2 ? DIGITS[group & 63] : '='};
        strbuf_add_bytes(out, text, sizeof text);
    }
}

static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(const char *text, size_t n, uint8_t *out, size_t out_bytes)
{
    if (n % 4 != 0 || n / 4 != (out_bytes + 2) / 3)
        return false;
    for (size_t i = 0, done = 0; i < n; i += 4) {
        uint32_t group = 0;
        for (size_t j = 0; j < 4; j++) {
            /* Only where the bytes have run out does padding stand for a digit. */
            bool padding = j > out_bytes - done;
            int value = padding ? (text[i + j] == '=' ? 0 : -1) : digit_value(text[i + j]);
            if (value < 0)
                return false;
            group = group << 6 | (uint32_t)value;
        }
        for (size_t j = 0; j < 3 && done < out_bytes; j++)
            out[done++] = (uint8_t)(group >> (16 - 8 * j));
    }
    return true;
}
