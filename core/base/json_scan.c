#include "base/json_scan.h"

#include <string.h>

#include "base/utf8.h"

#define NAME_BYTES JSON_SCAN_NAME_BYTES
#define MAX_DEPTH  64
#define LONG_BYTES 1024 /* what is shorter is left to jansson */

static void pass_space(JsonScan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
}

bool json_scan_take(JsonScan *s, char character)
{
    pass_space(s);
    if (s->at == s->end || *s->at != character)
        return false;
    s->at++;
    return true;
}

bool json_scan_is_done(JsonScan *s)
{
    pass_space(s);
    return s->at == s->end;
}

/* The closing quote of the string whose opening one has been taken, or NULL. */
static const char *closing_quote(const JsonScan *s)
{
    for (const char *p = s->at; p < s->end; p++) {
        if (*p == '"')
            return p;
        p += *p == '\\';
    }
    return NULL;
}

static char unescape(char c)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = c ? strchr(from, c) : NULL;
    return found ? to[found - from] : '\0';
}

/* Writes the bytes that text[0..n) stands for over it; false where it is not plain. */
static bool unescape_in_place(char *text, size_t *n)
{
    char *to = text;
    unsigned char all = 0;
    for (const char *from = text, *end = text + *n; from < end;) {
        char c = *from++;
        if (c == '\\')
            c = unescape(*from++);
        else if ((unsigned char)c < 0x20)
            return false;
        if (!c)
            return false;
        all |= (unsigned char)c;
        *to++ = c;
    }
    *to = '\0';
    *n = (size_t)(to - text);
    return all < 0x80 || utf8_is_valid(text, *n);
}

bool json_scan_string(JsonScan *s, StrBuf *out)
{
    if (!json_scan_take(s, '"'))
        return false;
    const char *end = closing_quote(s);
    if (!end)
        return false;
    size_t begin = out->length, n = (size_t)(end - s->at);
    strbuf_add_bytes(out, s->at, n);
    bool ok = unescape_in_place(out->text + begin, &n);
    out->length = begin + n;
    s->at = end + 1;
    return ok;
}

bool json_scan_natural(JsonScan *s, int32_t *number)
{
    pass_space(s);
    const char *begin = s->at;
    int32_t value = 0;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9' && s->at - begin < 9; s->at++)
        value = value * 10 + (*s->at - '0');
    *number = value;
    /* What follows is the caller's to take: a tenth digit, a dot or an exponent will not do. */
    return s->at > begin && (*begin != '0' || s->at == begin + 1);
}

bool json_scan_name(JsonScan *s, char name[NAME_BYTES])
{
    if (!json_scan_take(s, '"'))
        return false;
    const char *end = closing_quote(s);
    size_t n = end ? (size_t)(end - s->at) : NAME_BYTES;
    if (n >= NAME_BYTES || memchr(s->at, '\\', n))
        return false;
    memcpy(name, s->at, n);
    s->at = end + 1;
    return unescape_in_place(name, &n) && json_scan_take(s, ':');
}

bool json_scan_value(JsonScan *s, const char **value, size_t *n)
{
    pass_space(s);
    *value = s->at;
    for (int depth = 0; s->at < s->end;) {
        char c = *s->at;
        bool closes = c == ']' || c == '}';
        if (depth == 0 && (c == ',' || closes))
            break;
        s->at++;
        if (c == '"') {
            const char *end = closing_quote(s);
            if (!end)
                return false;
            s->at = end + 1;
        }
        depth += (c == '[' || c == '{') - closes;
        if (depth > MAX_DEPTH)
            return false;
        if (depth == 0 && (closes || c == '"'))
            break;
    }
    *n = (size_t)(s->at - *value);
    return *n > 0;
}

/* ---- objects with long members ---- */

static bool is_named(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static json_t *long_string(const char *text, size_t n)
{
    JsonScan scan = {text, text + n};
    StrBuf bytes = {0};
    json_t *value = NULL;
    if (json_scan_string(&scan, &bytes) && json_scan_is_done(&scan))
        value = json_stringn_nocheck(bytes.text ? bytes.text : "", bytes.length);
    strbuf_free(&bytes);
    return value;
}

/* An object whose members are `walk`ed into values. */
static json_t *walk_object(const char *text, size_t n, const char *const *as_text,
                           json_t *(*walk)(const char *text, size_t n))
{
    JsonScan s = {text, text + n};
    json_t *object = json_object();
    bool ok = json_scan_take(&s, '{');
    for (bool first = true; ok && !json_scan_take(&s, '}'); first = false) {
        char name[NAME_BYTES];
        ok = (first || json_scan_take(&s, ',')) && json_scan_name(&s, name) &&
             !json_object_get(object, name) && json_scan_value(&s, &text, &n);
        json_t *value = !ok                                       ? NULL
                        : *text == '{' && is_named(name, as_text) ? json_stringn(text, n)
                                                                  : walk(text, n);
        ok = value && json_object_set_new_nocheck(object, name, value) == 0;
    }
    if (ok && json_scan_is_done(&s))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *walk_inner(const char *text, size_t n)
{
    if (n > LONG_BYTES && *text == '"')
        return long_string(text, n);
    return json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

/* Long members are looked for two levels deep and no deeper: hostile text cannot nest. */
static json_t *walk_outer(const char *text, size_t n)
{
    return n > LONG_BYTES && *text == '{' ? walk_object(text, n, NULL, walk_inner)
                                          : walk_inner(text, n);
}

json_t *json_scan_object(const char *text, size_t n, const char *const *as_text)
{
    return walk_object(text, n, as_text, walk_outer);
}
