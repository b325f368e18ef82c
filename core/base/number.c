#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX_PARSED 512

static int write_special(double value, char *out)
{
    const char *text = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    memcpy(out, text, strlen(text) + 1);
    return (int)strlen(text);
}

/* Another locale's decimal separator becomes a point; "-0" becomes "-0.0", because a reader
 * that takes it for a whole number drops the sign. */
static int finish(char *out, int n)
{
    if (n == 2 && out[0] == '-' && out[1] == '0') {
        memcpy(out, "-0.0", 5);
        return 4;
    }
    for (int i = 0; i < n; i++)
        if (out[i] == ',')
            out[i] = '.';
    return n;
}

static int print_digits(double value, int digits, char *out)
{
    return snprintf(out, NUMBER_MAX_CHARS, "%.*g", digits, value);
}

int number_format_float(float value, char out[NUMBER_MAX_CHARS])
{
    if (!isfinite(value))
        return write_special(value, out);
    int n = print_digits(value, 6, out);
    if (strtof(out, NULL) != value)
        n = print_digits(value, 9, out);
    return finish(out, n);
}

int number_format_double(double value, char out[NUMBER_MAX_CHARS])
{
    if (!isfinite(value))
        return write_special(value, out);
    int n = print_digits(value, 6, out);
    if (strtod(out, NULL) != value)
        n = print_digits(value, 15, out);
    if (strtod(out, NULL) != value)
        n = print_digits(value, 17, out);
    return finish(out, n);
}

void strbuf_add_float(StrBuf *buffer, float value)
{
    char text[NUMBER_MAX_CHARS];
    strbuf_add_bytes(buffer, text, (size_t)number_format_float(value, text));
}

void strbuf_add_double(StrBuf *buffer, double value)
{
    char text[NUMBER_MAX_CHARS];
    strbuf_add_bytes(buffer, text, (size_t)number_format_double(value, text));
}

static size_t count_digits(const char *text, size_t n, size_t i)
{
    size_t start = i;
    while (i < n && text[i] >= '0' && text[i] <= '9')
        i++;
    return i - start;
}

static bool starts_with_letters(const char *text, size_t n, const char *word)
{
    size_t length = strlen(word);
    if (n < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((text[i] | 0x20) != word[i])
            return false;
    return true;
}

static size_t parse_special(const char *text, size_t n, double sign, double *value)
{
    if (starts_with_letters(text, n, "nan")) {
        *value = NAN;
        return 3;
    }
    if (!starts_with_letters(text, n, "inf"))
        return 0;
    *value = sign * INFINITY;
    return starts_with_letters(text, n, "infinity") ? 8 : 3;
}

/* Length of "12.5e-3" without a sign, or 0. */
static size_t scan_number(const char *text, size_t n)
{
    size_t i = count_digits(text, n, 0);
    size_t digits = i;
    if (i < n && text[i] == '.') {
        size_t more = count_digits(text, n, i + 1);
        digits += more;
        i += digits ? 1 + more : 0;
    }
    if (digits == 0)
        return 0;
    if (i < n && (text[i] | 0x20) == 'e') {
        size_t j = i + 1;
        if (j < n && (text[j] == '+' || text[j] == '-'))
            j++;
        size_t exponent = count_digits(text, n, j);
        if (exponent)
            i = j + exponent;
    }
    return i;
}

/* strtod reads the separator of the locale: give it that one. */
static double convert(const char *text, size_t n)
{
    char copy[NUMBER_MAX_PARSED + 1];
    memcpy(copy, text, n);
    copy[n] = '\0';
    char *point = strchr(copy, '.');
    if (point)
        *point = localeconv()->decimal_point[0];
    return strtod(copy, NULL);
}

size_t number_parse(const char *text, size_t n, double *value)
{
    size_t i = n > 0 && (text[0] == '-' || text[0] == '+');
    double sign = i && text[0] == '-' ? -1 : 1;
    size_t length = scan_number(text + i, n - i);
    if (length > NUMBER_MAX_PARSED)
        return 0;
    if (length) {
        *value = sign * convert(text + i, length);
        return i + length;
    }
    length = parse_special(text + i, n - i, sign, value);
    return length ? i + length : 0;
}

size_t number_parse_index(const char *text, size_t n, int32_t *value)
{
    size_t length = count_digits(text, n, 0);
    int64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum = sum * 10 + (text[i] - '0');
        if (sum > INT32_MAX)
            return 0;
    }
    *value = (int32_t)sum;
    return length;
}
