#include "format/web_page.h"

#include <ctype.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "format/web_page_names.h"

#define NAME_BYTES 24 /* longer names of tags and references mean nothing */
#define LAST_CODE  0x10FFFFu

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

/* Whether text[0..n) begins with `word`, which is in small letters. */
static bool begins(const char *text, size_t n, const char *word)
{
    size_t length = strlen(word);
    if (n < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (lower(text[i]) != word[i])
            return false;
    return true;
}

/* Place of `word` in text[from..n), or n. */
static size_t find(const char *text, size_t n, size_t from, const char *word)
{
    for (size_t i = from; i < n; i++) {
        const char *next = memchr(text + i, word[0], n - i);
        if (!next)
            return n;
        i = (size_t)(next - text);
        if (begins(next, n - i, word))
            return i;
    }
    return n;
}

/* ---- what it is ---- */

static size_t skip_blanks(const char *data, size_t n, size_t i)
{
    while (i < n && is_blank(data[i]))
        i++;
    return i;
}

bool web_page_recognise(const char *data, size_t n)
{
    size_t i = begins(data, n, "\xEF\xBB\xBF") ? 3 : 0;
    for (;;) {
        i = skip_blanks(data, n, i);
        bool is_comment = begins(data + i, n - i, "<!--");
        if (!is_comment && !begins(data + i, n - i, "<?xml"))
            break;
        const char *end = is_comment ? "-->" : "?>";
        i = find(data, n, i, end);
        if (i == n)
            return false;
        i += strlen(end);
    }
    return begins(data + i, n - i, "<!doctype html") || begins(data + i, n - i, "<html");
}

/* ---- its bytes ---- */

#define CHARSET_WITHIN 2048 /* bytes of the page's beginning that may name it */

/* The charset that a page's <meta> names; Windows-1252 where it names none or is mistaken. What
 * calls itself Latin-1 is Windows-1252 on the web. */
static void find_charset(const char *data, size_t n, char name[NAME_BYTES])
{
    size_t head = n < CHARSET_WITHIN ? n : CHARSET_WITHIN, length = 0;
    size_t i = find(data, head, 0, "charset=");
    i = i < head ? i + strlen("charset=") : head;
    while (i < head && (data[i] == '"' || data[i] == '\'' || is_blank(data[i])))
        i++;
    for (; i < head && length + 1 < NAME_BYTES; i++, length++) {
        char c = lower(data[i]);
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || strchr("-_:", c)) || c == '\0')
            break;
        name[length] = c;
    }
    name[length] = '\0';
    static const char *const mistaken[] = {"",           "utf-8",  "utf8",    "utf-16",
                                           "iso-8859-1", "latin1", "us-ascii"};
    for (size_t k = 0; k < sizeof mistaken / sizeof *mistaken; k++)
        if (strcmp(name, mistaken[k]) == 0)
            memcpy(name, "windows-1252", sizeof "windows-1252");
}

/* Bytes that the charset does not have become U+FFFD. */
static void convert(iconv_t to_utf8, char *data, size_t n, StrBuf *out)
{
    char room[4096];
    while (n > 0) {
        char *to = room;
        size_t left = sizeof room, before = n;
        size_t result = iconv(to_utf8, &data, &n, &to, &left);
        strbuf_add_bytes(out, room, (size_t)(to - room));
        if (result == (size_t)-1 && n == before && to == room) {
            strbuf_add(out, "\xEF\xBF\xBD");
            data++;
            n--;
        }
    }
}

/* The page as UTF-8. */
static bool decode(const char *name, const char *data, size_t n, StrBuf *out, Error *error)
{
    if (memchr(data, '\0', n))
        return error_set(error, ERROR_FORMAT, "%s: a NUL character: this is no text", name);
    if (utf8_is_valid(data, n)) {
        strbuf_add_bytes(out, data, n);
        return true;
    }
    char charset[NAME_BYTES];
    find_charset(data, n, charset);
    iconv_t to_utf8 = iconv_open("UTF-8", charset);
    if (to_utf8 == (iconv_t)-1)
        return error_set(error, ERROR_UNSUPPORTED,
                         "%s: the page is written in \"%s\", which is not known here; save it as "
                         "UTF-8",
                         name, charset);
    char *copy = memory_copy_bytes(data, n);
    convert(to_utf8, copy, n, out);
    free(copy);
    iconv_close(to_utf8);
    return true;
}

/* ---- its text ---- */

typedef enum { GAP_NONE, GAP_SPACE, GAP_LINE, GAP_PARAGRAPH } Gap;

typedef struct Reader {
    const char *data;
    size_t n, at;
    StrBuf text;
    Gap gap;          /* between what was written and what comes */
    int n_preserved;  /* open <pre>: line ends are its own       */
    int n_own;        /* open <main> and <article>               */
    bool only_own;    /* what stands outside them is passed over */
    unsigned endless; /* hidden elements without an end from here: a bit each */
} Reader;

static void leave_gap(Reader *r, Gap gap)
{
    if (gap > r->gap)
        r->gap = gap;
}

static void add(Reader *r, const char *bytes, size_t n)
{
    static const char *const gaps[] = {"", " ", "\n", "\n\n"};
    if (r->only_own && r->n_own == 0)
        return;
    if (r->text.length > 0)
        strbuf_add(&r->text, gaps[r->gap]);
    r->gap = GAP_NONE;
    strbuf_add_bytes(&r->text, bytes, n);
}

static void write_code(Reader *r, uint32_t code)
{
    char bytes[4];
    if (code == 0xAD)
        return; /* a hyphen where a line may end */
    if (utf8_is_space(code))
        leave_gap(r, GAP_SPACE);
    else if (!utf8_is_control(code) || code == 0x200C || code == 0x200D)
        add(r, bytes, (size_t)utf8_encode(code, bytes));
}

/* What was typed where Windows-1252 was spoken: "&#146;" is an apostrophe, as in a browser. */
static uint32_t windows_code(uint32_t code)
{
    static const uint16_t codes[32] = {
        0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
        0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178,
    };
    return code >= 0x80 && code < 0xA0 ? codes[code - 0x80] : code;
}

/* "&#233;" and "&#xE9;" at text[0..n): its bytes, or 0. */
static size_t numeric_reference(const char *text, size_t n, uint32_t *code)
{
    bool is_hex = n > 2 && lower(text[2]) == 'x';
    size_t first = is_hex ? 3 : 2, i = first;
    *code = 0;
    for (; i < n && isxdigit((unsigned char)text[i]) && (is_hex || text[i] <= '9'); i++) {
        uint32_t digit = (uint32_t)(text[i] <= '9' ? text[i] - '0' : lower(text[i]) - 'a' + 10);
        *code = *code > LAST_CODE ? *code : *code * (is_hex ? 16 : 10) + digit;
    }
    *code = windows_code(*code);
    return i == first ? 0 : i < n && text[i] == ';' ? i + 1 : i;
}

/* "&eacute;" at text[0..n): its bytes, or 0 when it is none that is known. */
static size_t reference(const char *text, size_t n, uint32_t *code)
{
    char name[NAME_BYTES];
    size_t length = 0;
    if (n > 1 && text[1] == '#')
        return numeric_reference(text, n, code);
    while (length + 1 < n && length + 1 < NAME_BYTES && isalnum((unsigned char)text[length + 1])) {
        name[length] = text[length + 1];
        length++;
    }
    name[length] = '\0';
    *code = web_page_reference(name);
    if (*code == 0)
        return 0;
    return length + 1 < n && text[length + 1] == ';' ? length + 2 : length + 1;
}

static void read_text(Reader *r)
{
    const char *text = r->data + r->at;
    size_t n = r->n - r->at, used = 0;
    uint32_t code;
    if (is_blank(*text)) {
        leave_gap(r, *text == '\n' && r->n_preserved > 0 ? GAP_LINE : GAP_SPACE);
        used = 1;
    } else {
        if (*text == '&')
            used = reference(text, n, &code);
        if (used == 0)
            used = (size_t)utf8_decode(text, n, &code);
        write_code(r, code);
    }
    r->at += used;
}

/* ---- its tags ---- */

typedef struct Tag {
    char name[NAME_BYTES];
    bool is_end;
} Tag;

/* Past the '>' of a tag whose name ends at `at`; one inside a quoted value does not count. */
static size_t end_of_tag(const char *data, size_t n, size_t at)
{
    char before = '\0'; /* the last one that is not blank */
    for (; at < n && data[at] != '>'; at++) {
        if ((data[at] == '"' || data[at] == '\'') && before == '=') {
            const char *end = memchr(data + at + 1, data[at], n - at - 1);
            if (!end)
                return n;
            at = (size_t)(end - data);
        }
        before = is_blank(data[at]) ? before : data[at];
    }
    return at < n ? at + 1 : n;
}

/* False: the '<' is one of the text. */
static bool read_tag(Reader *r, Tag *tag)
{
    const char *data = r->data;
    size_t i = r->at + 1, length = 0;
    tag->is_end = i < r->n && data[i] == '/';
    i += tag->is_end;
    if (i >= r->n || !isalpha((unsigned char)data[i]))
        return false;
    for (; i < r->n && isalnum((unsigned char)data[i]); i++)
        if (length + 1 < NAME_BYTES)
            tag->name[length++] = lower(data[i]);
    tag->name[length] = '\0';
    r->at = end_of_tag(data, r->n, i);
    return true;
}

/* Past the end tag of an element that is not read. One that never ends hides only what is code,
 * as in a browser; that it does not end is looked for once. */
static void skip_element(Reader *r, const Tag *tag, int hidden)
{
    char end[NAME_BYTES + 2] = "</";
    memcpy(end + 2, tag->name, strlen(tag->name) + 1);
    size_t at = r->endless & 1u << hidden ? r->n : find(r->data, r->n, r->at, end);
    if (at < r->n) {
        r->at = end_of_tag(r->data, r->n, at + strlen(end));
        return;
    }
    r->endless |= 1u << hidden;
    if (web_page_is_code(hidden))
        r->at = r->n;
}

static void count(int *open, const Tag *tag)
{
    *open += tag->is_end ? -(*open > 0) : 1;
}

static void take_tag(Reader *r, const Tag *tag)
{
    static const Gap gaps[] = {GAP_NONE, GAP_SPACE, GAP_LINE, GAP_PARAGRAPH};
    int hidden = web_page_hidden(tag->name);
    if (hidden >= 0 && !tag->is_end)
        skip_element(r, tag, hidden);
    if (strcmp(tag->name, "pre") == 0)
        count(&r->n_preserved, tag);
    if (strcmp(tag->name, "main") == 0 || strcmp(tag->name, "article") == 0)
        count(&r->n_own, tag);
    leave_gap(r, gaps[web_page_room(tag->name)]);
}

/* Comments, <!doctype>, <?xml?>. */
static bool skip_declaration(Reader *r)
{
    const char *data = r->data + r->at;
    size_t n = r->n - r->at;
    bool is_comment = begins(data, n, "<!--");
    if (!is_comment && !begins(data, n, "<!") && !begins(data, n, "<?"))
        return false;
    const char *end = is_comment ? "-->" : ">";
    size_t at = find(r->data, r->n, r->at + 2, end);
    r->at = at < r->n ? at + strlen(end) : r->n;
    return true;
}

static void read_all(Reader *r)
{
    Tag tag;
    while (r->at < r->n) {
        if (r->data[r->at] == '<' && skip_declaration(r))
            continue;
        if (r->data[r->at] == '<' && read_tag(r, &tag))
            take_tag(r, &tag);
        else
            read_text(r);
    }
}

bool web_page_read(const char *name, const char *data, size_t n, StrBuf *out, Error *error)
{
    StrBuf page = {0};
    if (n > WEB_PAGE_MAX_BYTES)
        return error_set(error, ERROR_LIMIT, "%s: %zu bytes; the limit of a web page is %zu", name,
                         n, WEB_PAGE_MAX_BYTES);
    if (!decode(name, data, n, &page, error))
        return false;
    Reader r = {.data = page.text, .n = page.length, .only_own = true};
    read_all(&r);
    if (r.text.length == 0) {
        r = (Reader){.data = page.text, .n = page.length};
        read_all(&r);
    }
    bool ok = r.text.length > 0 ||
              error_set(error, ERROR_FORMAT, "%s: a web page without any text", name);
    if (ok)
        strbuf_add_bytes(out, r.text.text, r.text.length);
    strbuf_free(&r.text);
    strbuf_free(&page);
    return ok;
}
