#include "format/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spelled.h"
#include "base/strbuf.h"
#include "base/utf8.h"

#define WORD_MARK  "\xE2\x96\x81" /* U+2581 */
#define SPACE_MARK "\xC4\xA0"     /* U+0120, the space of the byte-level spelling       */
#define LINE_MARK  "\xC4\x8A"     /* U+010A, its line break                              */

/* ---- special tokens ---- */

static const struct {
    const char *name; /* lower case */
    uint8_t flags;
} SPECIALS[] = {
    {"<s>", TRACE_TOKEN_SPECIAL},     {"</s>", TRACE_TOKEN_SPECIAL},
    {"<bos>", TRACE_TOKEN_SPECIAL},   {"<eos>", TRACE_TOKEN_SPECIAL},
    {"<cls>", TRACE_TOKEN_SPECIAL},   {"<sep>", TRACE_TOKEN_SPECIAL},
    {"<mask>", TRACE_TOKEN_SPECIAL},  {"<start>", TRACE_TOKEN_SPECIAL},
    {"<end>", TRACE_TOKEN_SPECIAL},   {"<go>", TRACE_TOKEN_SPECIAL},
    {"[cls]", TRACE_TOKEN_SPECIAL},   {"[sep]", TRACE_TOKEN_SPECIAL},
    {"[mask]", TRACE_TOKEN_SPECIAL},  {"[bos]", TRACE_TOKEN_SPECIAL},
    {"[eos]", TRACE_TOKEN_SPECIAL},   {"<pad>", TRACE_TOKEN_PADDING},
    {"[pad]", TRACE_TOKEN_PADDING},   {"<blank>", TRACE_TOKEN_PADDING},
    {"<|pad|>", TRACE_TOKEN_PADDING}, {"<padding>", TRACE_TOKEN_PADDING},
    {"<unk>", TRACE_TOKEN_UNKNOWN},   {"[unk]", TRACE_TOKEN_UNKNOWN},
    {"<|unk|>", TRACE_TOKEN_UNKNOWN},
};

static bool equals_lower(const char *token, const char *name)
{
    size_t n = strlen(name);
    if (strlen(token) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = token[i] >= 'A' && token[i] <= 'Z' ? (char)(token[i] + 32) : token[i];
        if (c != name[i])
            return false;
    }
    return true;
}

uint8_t pieces_special_flags(const char *token)
{
    size_t n = strlen(token);
    for (size_t i = 0; i < sizeof SPECIALS / sizeof *SPECIALS; i++)
        if (equals_lower(token, SPECIALS[i].name))
            return SPECIALS[i].flags;
    if (n > 4 && memcmp(token, "<|", 2) == 0 && memcmp(token + n - 2, "|>", 2) == 0)
        return TRACE_TOKEN_SPECIAL;
    return 0;
}

/* ---- which convention ---- */

static bool begins_with(const char *token, const char *mark)
{
    return strncmp(token, mark, strlen(mark)) == 0;
}

static bool ends_with(const char *token, const char *mark)
{
    size_t n = strlen(token), m = strlen(mark);
    return n > m && memcmp(token + n - m, mark, m) == 0;
}

/* "<0xE2>", a byte for which the vocabulary had no piece; -1 for anything else. */
static int fallback_byte(const char *token)
{
    size_t n = strlen(token);
    return n == SPELLED_BYTES ? spelled_byte(token, n) : -1;
}

static PiecesStyle mark_of(const char *token)
{
    if (begins_with(token, WORD_MARK) || fallback_byte(token) >= 0)
        return PIECES_SENTENCEPIECE;
    if (begins_with(token, SPACE_MARK) || begins_with(token, LINE_MARK))
        return PIECES_BYTE_LEVEL;
    if (begins_with(token, "##") && token[2])
        return PIECES_WORDPIECE;
    if (ends_with(token, "@@"))
        return PIECES_SUBWORD_NMT;
    return ends_with(token, "</w>") ? PIECES_END_OF_WORD : PIECES_WORDS;
}

const char *pieces_style_name(PiecesStyle style)
{
    static const char *const NAMES[PIECES_N_STYLES] = {
        "words", "SentencePiece", "byte-level BPE", "WordPiece", "subword-nmt", "BPE with </w>"};
    return NAMES[style];
}

/* ---- from a token to bytes ---- */

/* The byte that a character of the byte-level spelling stands for, or -1: printable bytes
 * are themselves, the other 68 are numbered from U+0100 in their order. */
static int byte_of_code(uint32_t code)
{
    if ((code >= 33 && code <= 126) || (code >= 161 && code <= 172) || (code >= 174 && code <= 255))
        return (int)code;
    if (code >= 256 && code <= 288)
        return (int)code - 256;
    if (code >= 289 && code <= 322)
        return (int)code - 289 + 127;
    return code == 323 ? 173 : -1;
}

static void add_spelled(StrBuf *bytes, const char *token)
{
    size_t n = strlen(token);
    for (size_t i = 0; i < n;) {
        uint32_t code;
        int length = utf8_decode(token + i, n - i, &code);
        int byte = byte_of_code(code);
        if (byte >= 0)
            strbuf_add_char(bytes, (char)byte);
        else
            strbuf_add_bytes(bytes, token + i, (size_t)length);
        i += (size_t)length;
    }
}

/* Whether tokens without any mark are spelled in bytes all the same, as where no spaces are
 * written: every character stands for a byte, and together these are text beyond ASCII. Words
 * that are what they look like ("été", "kuća") make no such bytes. */
static bool is_byte_level(const char *const *tokens, int32_t n)
{
    StrBuf bytes = {0};
    bool all = true, beyond = false;
    strbuf_add(&bytes, "");
    for (int32_t i = 0; i < n && all; i++) {
        size_t length = strlen(tokens[i]);
        if (pieces_special_flags(tokens[i]))
            continue;
        for (size_t at = 0; at < length && all;) {
            uint32_t code;
            at += (size_t)utf8_decode(tokens[i] + at, length - at, &code);
            int byte = byte_of_code(code);
            bool is_control = byte < ' ' && byte != '\n' && byte != '\t';
            all = !is_control && byte != 0x7F;
            beyond = beyond || byte >= 0x80;
        }
        add_spelled(&bytes, tokens[i]);
    }
    bool is = all && beyond && utf8_is_valid(bytes.text, bytes.length);
    strbuf_free(&bytes);
    return is;
}

static PiecesStyle find_style(const char *const *tokens, int32_t n)
{
    int32_t counts[PIECES_N_STYLES] = {0};
    PiecesStyle best = PIECES_WORDS;
    for (int32_t i = 0; i < n; i++)
        counts[mark_of(tokens[i])]++;
    for (int style = PIECES_WORDS + 1; style < PIECES_N_STYLES; style++)
        if (counts[style] > 0 && (best == PIECES_WORDS || counts[style] > counts[best]))
            best = (PiecesStyle)style;
    if (best == PIECES_WORDS && is_byte_level(tokens, n))
        return PIECES_BYTE_LEVEL;
    return best;
}

/* ---- reading ---- */

typedef struct Reader {
    const char *const *tokens;
    Pieces *pieces;
    StrBuf bytes;  /* of all pieces, marks taken off */
    size_t *begin; /* [n + 1] */
    bool *space;   /* [n]: a space stands before it  */
} Reader;

/* Whether the text of a token begins a word by its mark, and where its text begins. */
static bool take_mark(PiecesStyle style, const char *token, bool previous_open, const char **text)
{
    *text = token;
    switch (style) {
    case PIECES_SENTENCEPIECE:
        if (!begins_with(token, WORD_MARK))
            return false;
        /* A mark alone is a word that has only begun: it stays visible. */
        *text += token[strlen(WORD_MARK)] ? strlen(WORD_MARK) : 0;
        return true;
    case PIECES_BYTE_LEVEL:
        if (!begins_with(token, SPACE_MARK))
            return begins_with(token, LINE_MARK);
        *text += token[strlen(SPACE_MARK)] ? strlen(SPACE_MARK) : 0;
        return true;
    case PIECES_WORDPIECE:
        if (!begins_with(token, "##") || !token[2])
            return true;
        *text += 2;
        return false;
    default: return !previous_open;
    }
}

static size_t mark_at_end(PiecesStyle style, const char *token)
{
    if (style == PIECES_SUBWORD_NMT && ends_with(token, "@@"))
        return 2;
    return style == PIECES_END_OF_WORD && ends_with(token, "</w>") ? 4 : 0;
}

static void add_text(StrBuf *bytes, PiecesStyle style, const char *token, const char *text)
{
    int byte = fallback_byte(token);
    if (byte > 0 && style == PIECES_SENTENCEPIECE)
        strbuf_add_char(bytes, (char)byte);
    else if (style == PIECES_BYTE_LEVEL)
        add_spelled(bytes, text);
    else
        strbuf_add_bytes(bytes, text, strlen(text) - mark_at_end(style, token));
}

static bool is_special(uint8_t flags)
{
    return flags & (TRACE_TOKEN_SPECIAL | TRACE_TOKEN_PADDING);
}

/* Splits marks from text: fills bytes, begin, space and those flags that marks decide. */
static void read_marks(Reader *reader)
{
    Pieces *pieces = reader->pieces;
    bool open = false; /* the word before is not finished, says its own mark */
    for (int32_t i = 0; i < pieces->n; i++) {
        const char *token = reader->tokens[i], *text;
        uint8_t flags = pieces_special_flags(token);
        reader->begin[i] = reader->bytes.length;
        if (flags) {
            strbuf_add(&reader->bytes, token);
            reader->space[i] = true;
            open = false;
        } else {
            bool begins = take_mark(pieces->style, token, open, &text);
            bool first = i == 0 || is_special(pieces->flags[i - 1]);
            add_text(&reader->bytes, pieces->style, token, text);
            reader->space[i] = begins || first;
            flags = begins || first ? 0 : TRACE_TOKEN_CONTINUES;
            size_t end_mark = mark_at_end(pieces->style, token);
            open = pieces->style == PIECES_END_OF_WORD ? end_mark == 0 : end_mark > 0;
        }
        pieces->flags[i] = flags;
    }
    reader->begin[pieces->n] = reader->bytes.length;
}

/* A character belongs to the piece in which it begins; what is none becomes \xE2. A piece
 * that begins a word ends the characters of the pieces before it. */
static void make_labels(Reader *reader)
{
    Pieces *pieces = reader->pieces;
    const char *bytes = reader->bytes.text;
    size_t at = 0;
    for (int32_t i = 0; i < pieces->n; i++) {
        StrBuf label = {0};
        int32_t end = i + 1;
        while (end < pieces->n && (pieces->flags[end] & TRACE_TOKEN_CONTINUES))
            end++;
        size_t run_end = reader->begin[end];
        at = at > reader->begin[i] ? at : reader->begin[i];
        while (at < reader->begin[i + 1]) {
            uint32_t code;
            int length = utf8_decode(bytes + at, run_end - at, &code);
            bool bad = (length == 1 && (unsigned char)bytes[at] >= 0x80) || bytes[at] == '\0';
            if (bad)
                strbuf_addf(&label, "\\x%02X", (unsigned char)bytes[at]);
            else
                strbuf_add_bytes(&label, bytes + at, (size_t)length);
            at += (size_t)length;
        }
        pieces->labels[i] = strbuf_take(&label);
    }
}

static bool begins_with_cjk(const char *label)
{
    uint32_t code;
    size_t n = strlen(label);
    return n > 0 && (utf8_decode(label, n, &code), utf8_is_cjk(code));
}

static bool ends_with_cjk(const char *label)
{
    uint32_t code = 0;
    size_t n = strlen(label);
    for (size_t i = 0; i < n;)
        i += (size_t)utf8_decode(label + i, n - i, &code);
    return n > 0 && utf8_is_cjk(code);
}

static void part_where_no_spaces_are_written(Pieces *pieces)
{
    for (int32_t i = 1; i < pieces->n; i++)
        if (pieces->labels[i][0] &&
            (begins_with_cjk(pieces->labels[i]) || ends_with_cjk(pieces->labels[i - 1])))
            pieces->flags[i] &= (uint8_t)~TRACE_TOKEN_CONTINUES;
}

static void make_running_text(Pieces *pieces, const bool *space)
{
    StrBuf text = {0};
    strbuf_add(&text, "");
    for (int32_t i = 0; i < pieces->n; i++) {
        bool hidden = is_special(pieces->flags[i]);
        if (!hidden && space[i] && text.length)
            strbuf_add_char(&text, ' ');
        pieces->spans[i].begin = (int32_t)text.length;
        if (!hidden)
            strbuf_add(&text, pieces->labels[i]);
        pieces->spans[i].end = (int32_t)text.length;
    }
    pieces->text = strbuf_take(&text);
}

void pieces_init(Pieces *pieces, const char *const *tokens, int32_t n)
{
    size_t count = (size_t)n;
    *pieces = (Pieces){.style = find_style(tokens, n), .n = n};
    pieces->labels = memory_new(count, sizeof *pieces->labels);
    pieces->flags = memory_new(count, 1);
    pieces->spans = memory_new(count, sizeof *pieces->spans);
    Reader reader = {.tokens = tokens,
                     .pieces = pieces,
                     .begin = memory_new(count + 1, sizeof *reader.begin),
                     .space = memory_new(count, sizeof *reader.space)};
    strbuf_add(&reader.bytes, "");
    read_marks(&reader);
    make_labels(&reader);
    part_where_no_spaces_are_written(pieces);
    make_running_text(pieces, reader.space);
    strbuf_free(&reader.bytes);
    free(reader.begin);
    free(reader.space);
}

void pieces_deinit(Pieces *pieces)
{
    for (int32_t i = 0; i < pieces->n; i++)
        free(pieces->labels[i]);
    free(pieces->labels);
    free(pieces->flags);
    free(pieces->spans);
    free(pieces->text);
    *pieces = (Pieces){0};
}

/* ---- adding ---- */

static void insert(Pieces *pieces, int32_t at, const char *label, uint8_t flags)
{
    size_t n = (size_t)pieces->n + 1, behind = (size_t)(pieces->n - at);
    pieces->labels = memory_resize(pieces->labels, n, sizeof *pieces->labels);
    pieces->flags = memory_resize(pieces->flags, n, 1);
    pieces->spans = memory_resize(pieces->spans, n, sizeof *pieces->spans);
    memmove(pieces->labels + at + 1, pieces->labels + at, behind * sizeof *pieces->labels);
    memmove(pieces->flags + at + 1, pieces->flags + at, behind);
    memmove(pieces->spans + at + 1, pieces->spans + at, behind * sizeof *pieces->spans);
    int32_t place = at == 0 ? 0 : (int32_t)strlen(pieces->text);
    pieces->labels[at] = memory_copy_string(label);
    pieces->flags[at] = flags;
    pieces->spans[at] = (TraceSpan){place, place};
    pieces->n++;
}

void pieces_append_special(Pieces *pieces, const char *label, uint8_t flags)
{
    insert(pieces, pieces->n, label, flags);
}

void pieces_prepend_special(Pieces *pieces, const char *label, uint8_t flags)
{
    insert(pieces, 0, label, flags);
}
