/* A run as a note in a picture: deflated, in base64, behind a mark.
 *
 *   fovea:1:BYTES:PACKED:base64
 *
 * with the bytes of the JSON before and after deflating. Such a note is plain text without a
 * letter that any container has to escape, so it lies in PNG, SVG, PDF and HTML in one piece, is
 * found by its mark, wherever another tool may have moved it; a GIF cuts it into blocks. */
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "figure/figure_origin.h"
#include "trace/base64.h"

#define MARK          "fovea:1:"
#define DEFLATE_RATIO 1032 /* no more than this is ever gained */

static bool starts(const char *data, size_t n, const char *magic, size_t length)
{
    return n >= length && memcmp(data, magic, length) == 0;
}

static const char *find(const char *data, size_t n, const char *what)
{
    size_t length = strlen(what);
    const char *end = data + n;
    for (const char *p = data; (size_t)(end - p) >= length; p++) {
        p = memchr(p, what[0], (size_t)(end - p) - length + 1);
        if (!p)
            return NULL;
        if (memcmp(p, what, length) == 0)
            return p;
    }
    return NULL;
}

/* ---- packing ---- */

bool figure_note_write(const char *text, size_t n, StrBuf *out, Error *error)
{
    uLongf packed = compressBound((uLong)n);
    uint8_t *bytes = memory_try_new(packed, 1);
    if (!bytes || compress2(bytes, &packed, (const Bytef *)text, (uLong)n, 6) != Z_OK) {
        free(bytes);
        return error_set(error, ERROR_MEMORY, "no memory to put the run into the figure");
    }
    strbuf_addf(out, MARK "%zu:%lu:", n, (unsigned long)packed);
    base64_encode(bytes, packed, out);
    free(bytes);
    return true;
}

static bool read_size(const char **p, const char *end, size_t *size)
{
    int32_t value;
    size_t n = number_parse_index(*p, (size_t)(end - *p), &value);
    if (n == 0 || *p + n >= end || (*p)[n] != ':')
        return false;
    *p += n + 1;
    *size = (size_t)value;
    return *size > 0;
}

/* The note that begins behind the mark, as JSON; NULL when it is damaged. */
static char *unpack(const char *p, const char *end)
{
    size_t n, packed;
    if (!read_size(&p, end, &n) || !read_size(&p, end, &packed))
        return NULL;
    size_t letters = (packed + 2) / 3 * 4;
    if (n > FIGURE_ORIGIN_MAX_BYTES || n / DEFLATE_RATIO > packed || letters > (size_t)(end - p))
        return NULL;
    uint8_t *bytes = memory_try_new(packed, 1);
    char *text = memory_try_new(n + 1, 1);
    uLongf length = (uLongf)n;
    bool ok = bytes && text && base64_decode(p, letters, bytes, packed) &&
              uncompress((Bytef *)text, &length, bytes, (uLong)packed) == Z_OK && length == n;
    free(bytes);
    if (ok)
        return text;
    free(text);
    return NULL;
}

static char *find_note(const char *data, size_t n)
{
    const char *end = data + n;
    for (const char *p = data; (p = find(p, (size_t)(end - p), MARK));) {
        p += strlen(MARK);
        char *text = unpack(p, end);
        if (text)
            return text;
    }
    return NULL;
}

/* ---- GIF ---- */

/* Sub-blocks of at most 255 bytes each, up to an empty one; appended to out if not NULL. */
static size_t skip_blocks(const char *data, size_t n, size_t at, StrBuf *out)
{
    while (at < n) {
        size_t length = (unsigned char)data[at++];
        if (length == 0 || length > n - at)
            return length == 0 ? at : n;
        if (out)
            strbuf_add_bytes(out, data + at, length);
        at += length;
    }
    return n;
}

static size_t color_table(unsigned char flags)
{
    return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

/* All comments, one behind the other. */
static void collect_comments(const char *data, size_t n, StrBuf *out)
{
    if (n < 13)
        return;
    for (size_t at = 13 + color_table((unsigned char)data[10]); at + 1 < n;) {
        unsigned char kind = (unsigned char)data[at];
        bool is_comment = (unsigned char)data[at + 1] == 0xFE;
        if (kind == 0x21) {
            at = skip_blocks(data, n, at + 2, is_comment ? out : NULL);
        } else if (kind == 0x2C && n - at > 11) {
            size_t table = color_table((unsigned char)data[at + 9]);
            at = table < n - at - 11 ? skip_blocks(data, n, at + 11 + table, NULL) : n;
        } else {
            return;
        }
    }
}

/* ---- all ---- */

static bool is_svg(const char *data, size_t n)
{
    size_t at = starts(data, n, "\xEF\xBB\xBF", 3) ? 3 : 0;
    while (at < n && (data[at] == ' ' || data[at] == '\n' || data[at] == '\r' || data[at] == '\t'))
        at++;
    return at < n && data[at] == '<' && find(data, n < 4096 ? n : 4096, "<svg") != NULL;
}

/* Only a page of ours: any other is a text. */
static bool is_page(const char *data, size_t n)
{
    return starts(data, n, "<!DOCTYPE html>", 15) &&
           find(data, n < 4096 ? n : 4096, FIGURE_HTML_MARK) != NULL;
}

bool figure_origin_recognise(const char *data, size_t n)
{
    return starts(data, n, "\x89PNG\r\n\x1a\n", 8) || starts(data, n, "GIF8", 4) ||
           starts(data, n, "%PDF-", 5) || is_page(data, n) || is_svg(data, n);
}

char *figure_note_read(const char *data, size_t n)
{
    if (!starts(data, n, "GIF8", 4))
        return find_note(data, n);
    StrBuf comments = {0};
    collect_comments(data, n, &comments);
    char *text = comments.length > 0 ? find_note(comments.text, comments.length) : NULL;
    strbuf_free(&comments);
    return text;
}
