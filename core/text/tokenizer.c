#include "text/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/french.h"
#include "text/tokenizer_data.h"

#define DIRECT_BYTES 64 /* longer words are always joined step by step */

/* ---- the vocabulary ---- */

#define TEXTS_BYTES 16384 /* of one block; a piece is far smaller */

/* Short texts one after the other, in blocks that never move. */
typedef struct Texts {
    struct Texts *next;
    size_t used;
    char bytes[TEXTS_BYTES];
} Texts;

_Static_assert(TEXTS_BYTES > 2 * TOKENIZER_MAX_PIECE_BYTES, "two pieces fit into a block");

static const char *keep_text(Tokenizer *t, const char *text, size_t n)
{
    FOVEA_CHECK(n < TEXTS_BYTES, "a piece of %zu bytes", n);
    if (!t->texts || TEXTS_BYTES - t->texts->used <= n) {
        Texts *block = memory_new(1, sizeof *block);
        block->next = t->texts;
        t->texts = block;
    }
    char *copy = t->texts->bytes + t->texts->used;
    memcpy(copy, text, n);
    copy[n] = '\0';
    t->texts->used += n + 1;
    return copy;
}

static bool is_byte(int32_t id)
{
    return id >= FIRST_BYTE && id < FIRST_LETTER;
}

/* Finds the marks around the text of a piece. */
static void describe(Tokenizer *t, Piece *piece, size_t n, bool plain)
{
    size_t begin = 0, end = n;
    uint32_t code = 0;
    if (!plain) {
        utf8_decode(piece->raw, n, &code);
        if (code == MARK_SPACED || code == MARK_GLUED)
            begin = MARK_BYTES;
        piece->spaced = code == MARK_SPACED;
        piece->starts = begin > 0 || character_class(code) == CHARACTER_CJK;
        if (end >= begin + MARK_BYTES) {
            utf8_decode(piece->raw + end - MARK_BYTES, MARK_BYTES, &code);
            piece->binds = code == MARK_BINDS;
            end -= piece->binds ? MARK_BYTES : 0;
        }
    }
    piece->text = (int32_t)begin;
    piece->text_bytes = (int32_t)(end - begin);
    if (end == begin)
        piece->label = piece->raw;
    else
        piece->label =
            end == n ? piece->raw + begin : keep_text(t, piece->raw + begin, end - begin);
}

int32_t tokenizer_add_piece(Tokenizer *t, const char *raw, size_t n)
{
    int32_t id = t->n_pieces;
    FOVEA_CHECK(strmap_get(t->ids, raw, n) < 0, "piece \"%.*s\" is already there", (int)n, raw);
    t->pieces =
        memory_grow(t->pieces, &t->piece_capacity, (size_t)t->n_pieces + 1, sizeof *t->pieces);
    t->n_pieces++;
    strmap_put(t->ids, raw, n, id);
    Piece *piece = &t->pieces[id];
    *piece = (Piece){.raw = keep_text(t, raw, n), .starts = id < TOKENIZER_N_SPECIAL};
    describe(t, piece, n, id < FIRST_LETTER);
    return id;
}

void tokenizer_reserve(Tokenizer *t, int32_t n_pieces, int32_t n_merges)
{
    t->pieces = memory_grow(t->pieces, &t->piece_capacity, (size_t)n_pieces, sizeof *t->pieces);
    t->merges = memory_grow(t->merges, &t->merge_capacity, (size_t)n_merges, sizeof *t->merges);
    strmap_reserve(t->ids, (size_t)n_pieces);
    pairs_reserve(&t->ranks, (size_t)n_merges);
}

Tokenizer *tokenizer_new(bool fold)
{
    static const char *const special[TOKENIZER_N_SPECIAL] = {"<pad>", "<s>", "</s>"};
    Tokenizer *t = memory_new(1, sizeof *t);
    t->fold = fold;
    t->ids = strmap_new();
    for (int i = 0; i < TOKENIZER_N_SPECIAL; i++)
        tokenizer_add_piece(t, special[i], strlen(special[i]));
    for (int byte = 0; byte < N_BYTES; byte++) {
        char raw[16];
        int n = snprintf(raw, sizeof raw, "<0x%02X>", byte);
        tokenizer_add_piece(t, raw, (size_t)n);
    }
    return t;
}

int32_t tokenizer_add_merge(Tokenizer *t, int32_t left, int32_t right)
{
    char raw[2 * TOKENIZER_MAX_PIECE_BYTES];
    size_t n = strlen(t->pieces[left].raw), m = strlen(t->pieces[right].raw);
    FOVEA_CHECK(n + m <= sizeof raw, "pieces of %zu and %zu bytes", n, m);
    memcpy(raw, t->pieces[left].raw, n);
    memcpy(raw + n, t->pieces[right].raw, m);
    int32_t result = strmap_get(t->ids, raw, n + m);
    if (result < 0)
        result = tokenizer_add_piece(t, raw, n + m);
    t->merges =
        memory_grow(t->merges, &t->merge_capacity, (size_t)t->n_merges + 1, sizeof *t->merges);
    pairs_add(&t->ranks, left, right, t->n_merges);
    t->merges[t->n_merges++] = (Merge){left, right, result};
    return result;
}

void tokenizer_free(Tokenizer *t)
{
    if (!t)
        return;
    for (Texts *block = t->texts, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(t->direct);
    free(t->pieces);
    free(t->merges);
    strmap_free(t->ids);
    pairs_deinit(&t->ranks);
    free(t);
}

static int32_t find_letter(const Tokenizer *t, uint32_t code)
{
    char bytes[4];
    if (code == 0)
        return -1;
    return strmap_get(t->ids, bytes, (size_t)utf8_encode(code, bytes));
}

int32_t tokenizer_letter(const Tokenizer *t, uint32_t code)
{
    return code < N_DIRECT ? t->letters[code] : find_letter(t, code);
}

/* ---- encoding ---- */

/* The first of the smallest ranks, or -1. */
static int smallest(const int32_t *ranks, int n)
{
    int best = -1;
    for (int i = 0; i < n; i++)
        if (ranks[i] >= 0 && (best < 0 || ranks[i] < ranks[best]))
            best = i;
    return best;
}

/* Joins neighbours in the order in which the merges were learned; returns how many are left. */
static int join(const Tokenizer *t, Token *symbols, int n)
{
    int32_t ranks[MAX_SYMBOLS];
    for (int i = 0; i + 1 < n; i++)
        ranks[i] = pairs_get(&t->ranks, symbols[i].id, symbols[i + 1].id);
    for (int at; (at = smallest(ranks, n - 1)) >= 0;) {
        symbols[at].id = t->merges[ranks[at]].result;
        symbols[at].end = symbols[at + 1].end;
        n--;
        size_t after = (size_t)(n - at - 1);
        memmove(symbols + at + 1, symbols + at + 2, after * sizeof *symbols);
        memmove(ranks + at, ranks + at + 1, after * sizeof *ranks);
        if (at > 0)
            ranks[at - 1] = pairs_get(&t->ranks, symbols[at - 1].id, symbols[at].id);
        if (at + 1 < n)
            ranks[at] = pairs_get(&t->ranks, symbols[at].id, symbols[at + 1].id);
    }
    return n;
}

/* Characters of a word on their way to pieces. */
typedef struct Encoder {
    const Tokenizer *tokenizer;
    TokenList *out;
    Token symbols[MAX_SYMBOLS];
    int n;
} Encoder;

static void flush(Encoder *e)
{
    int n = join(e->tokenizer, e->symbols, e->n);
    for (int i = 0; i < n; i++) {
        Token token = e->symbols[i];
        token.starts_word = e->tokenizer->pieces[token.id].starts;
        token_list_add(e->out, token);
    }
    e->n = 0;
}

static void add_symbol(Encoder *e, int32_t id, size_t begin, size_t end)
{
    if (e->n == MAX_SYMBOLS)
        flush(e);
    e->symbols[e->n++] = (Token){.id = id, .begin = (int32_t)begin, .end = (int32_t)end};
}

static void add_character(Encoder *e, uint32_t code, size_t begin, size_t end)
{
    int32_t id = tokenizer_is_mark(code) ? -1 : tokenizer_letter(e->tokenizer, code);
    if (id >= 0) {
        add_symbol(e, id, begin, end);
        return;
    }
    char bytes[4];
    int n = utf8_encode(code, bytes);
    for (int i = 0; i < n; i++)
        add_symbol(e, FIRST_BYTE + (unsigned char)bytes[i], begin, end);
}

static void encode_slowly(Encoder *e, const char *text, const MarkedWord *word)
{
    uint32_t code;
    uint32_t mark = word->mark;
    for (size_t offset = word->begin; offset < word->end;) {
        size_t bytes = tokenizer_read(e->tokenizer->fold, text + offset, word->end - offset, &code);
        /* In bytes nothing says that a Han character starts a word: a mark does. */
        if (offset == word->begin && !mark && tokenizer_letter(e->tokenizer, code) < 0)
            mark = MARK_GLUED;
        if (offset == word->begin && mark)
            add_symbol(e, tokenizer_letter(e->tokenizer, mark), offset, offset);
        add_character(e, code, offset, offset + bytes);
        offset += bytes;
    }
    if (word->binds)
        add_symbol(e, tokenizer_letter(e->tokenizer, MARK_BINDS), word->end, word->end);
    flush(e);
}

/* Does a word that is written like this piece come out as this piece? Not always: its
 * letters may be joined another way first. */
static bool is_direct(const Tokenizer *t, int32_t id)
{
    Token symbols[MAX_SYMBOLS];
    int n = 0;
    const char *raw = t->pieces[id].raw;
    for (size_t length = strlen(raw), offset = 0; offset < length;) {
        uint32_t code;
        offset += (size_t)utf8_decode(raw + offset, length - offset, &code);
        int32_t letter = tokenizer_letter(t, code);
        if (n == MAX_SYMBOLS || letter < 0)
            return false;
        symbols[n++] = (Token){.id = letter};
    }
    return join(t, symbols, n) == 1 && symbols[0].id == id;
}

/* The answer is found once; threads that ask at the same time find the same. */
static bool is_known_direct(const Tokenizer *t, int32_t id)
{
    unsigned known = atomic_load_explicit(&t->direct[id], memory_order_relaxed);
    if (known == DIRECT_UNKNOWN) {
        known = is_direct(t, id) ? DIRECT_YES : DIRECT_NO;
        atomic_store_explicit(&t->direct[id], (unsigned char)known, memory_order_relaxed);
    }
    return known == DIRECT_YES;
}

/* Most words are one piece: found without joining anything. Returns its id, or -1. */
static int32_t find_word(const Tokenizer *t, const char *text, const MarkedWord *word)
{
    char raw[DIRECT_BYTES + 3 * MARK_BYTES];
    size_t n = word->mark ? (size_t)utf8_encode(word->mark, raw) : 0;
    if (word->end - word->begin > DIRECT_BYTES)
        return -1;
    for (size_t offset = word->begin; offset < word->end;) {
        uint32_t code;
        offset += tokenizer_read(t->fold, text + offset, word->end - offset, &code);
        if (tokenizer_is_mark(code) || n > DIRECT_BYTES)
            return -1;
        n += (size_t)utf8_encode(code, raw + n);
    }
    if (word->binds)
        n += (size_t)utf8_encode(MARK_BINDS, raw + n);
    int32_t id = strmap_get(t->ids, raw, n);
    return id >= FIRST_LETTER && is_known_direct(t, id) ? id : -1;
}

void tokenizer_encode(const Tokenizer *t, const char *text, size_t n, TokenList *out)
{
    FOVEA_CHECK(n <= TOKENIZER_MAX_TEXT_BYTES, "%zu bytes of text", n);
    Encoder encoder = {.tokenizer = t, .out = out};
    WordWalk walk;
    MarkedWord word;
    word_walk_begin(&walk, text, n);
    while (word_walk_next(&walk, &word)) {
        int32_t id = find_word(t, text, &word);
        if (id >= 0)
            token_list_add(
                out, (Token){id, (int32_t)word.begin, (int32_t)word.end, t->pieces[id].starts});
        else
            encode_slowly(&encoder, text, &word);
    }
}

void tokenizer_prepare(Tokenizer *t)
{
    for (uint32_t code = 0; code < N_DIRECT; code++)
        t->letters[code] = find_letter(t, code);
    t->direct = memory_new((size_t)t->n_pieces, sizeof *t->direct);
}

/* ---- decoding ---- */

typedef struct Decoder {
    const Tokenizer *tokenizer;
    StrBuf text;
    StrBuf bytes; /* byte pieces that do not yet make characters */
    TokenList spans;
    bool space, bound;
} Decoder;

static void write_space(Decoder *d)
{
    if (d->space && !d->bound && d->text.length)
        strbuf_add_char(&d->text, ' ');
    d->space = false;
    d->bound = false;
}

/* Writes the characters of the byte pieces, which are the last of the spans. */
static void flush_bytes(Decoder *d)
{
    if (!d->bytes.length)
        return;
    write_space(d);
    Token *span = d->spans.items + d->spans.n - d->bytes.length;
    for (size_t i = 0; i < d->bytes.length;) {
        uint32_t code;
        int used = utf8_decode(d->bytes.text + i, d->bytes.length - i, &code);
        char out[4];
        size_t begin = d->text.length;
        strbuf_add_bytes(&d->text, out, (size_t)utf8_encode(code, out));
        for (int k = 0; k < used; k++, span++) {
            span->begin = (int32_t)begin;
            span->end = (int32_t)d->text.length;
        }
        i += (size_t)used;
    }
    strbuf_clear(&d->bytes);
}

static void decode_piece(Decoder *d, int32_t id)
{
    const Piece *piece = &d->tokenizer->pieces[id];
    Token token = {.id = id, .starts_word = piece->starts};
    if (is_byte(id)) {
        token_list_add(&d->spans, token);
        strbuf_add_char(&d->bytes, (char)(id - FIRST_BYTE));
        return;
    }
    flush_bytes(d);
    d->space |= piece->spaced;
    if (id >= FIRST_LETTER && piece->text_bytes)
        write_space(d);
    token.begin = (int32_t)d->text.length;
    if (id >= FIRST_LETTER)
        strbuf_add_bytes(&d->text, piece->raw + piece->text, (size_t)piece->text_bytes);
    token.end = (int32_t)d->text.length;
    d->bound |= piece->binds;
    token_list_add(&d->spans, token);
}

/* Spaces are put in between pieces only, so a piece keeps its length. */
static void add_french_spaces(Decoder *d, StrBuf *out)
{
    size_t *places = memory_new(d->spans.n, sizeof *places);
    for (size_t i = 0; i < d->spans.n; i++)
        places[i] = (size_t)d->spans.items[i].begin;
    french_add_spaces(d->text.text, d->text.length, places, d->spans.n, out);
    for (size_t i = 0; i < d->spans.n; i++) {
        Token *span = &d->spans.items[i];
        int32_t length = span->end - span->begin;
        span->begin = (int32_t)places[i];
        span->end = span->begin + length;
    }
    free(places);
}

void tokenizer_decode(const Tokenizer *t, const int32_t *ids, size_t n, unsigned options,
                      StrBuf *out, TokenList *spans)
{
    Decoder d = {.tokenizer = t};
    for (size_t i = 0; i < n; i++) {
        FOVEA_CHECK(ids[i] >= 0 && ids[i] < t->n_pieces, "id %d of %d pieces", (int)ids[i],
                    (int)t->n_pieces);
        decode_piece(&d, ids[i]);
    }
    flush_bytes(&d);
    if (options & TOKENIZER_FRENCH)
        add_french_spaces(&d, out);
    else
        strbuf_add_bytes(out, d.text.text, d.text.length);
    for (size_t i = 0; spans && i < d.spans.n; i++)
        token_list_add(spans, d.spans.items[i]);
    strbuf_free(&d.text);
    strbuf_free(&d.bytes);
    token_list_free(&d.spans);
}

/* ---- looking ---- */

int32_t tokenizer_n_pieces(const Tokenizer *t)
{
    return t->n_pieces;
}

static const Piece *piece_at(const Tokenizer *t, int32_t id)
{
    FOVEA_CHECK(id >= 0 && id < t->n_pieces, "id %d of %d pieces", (int)id, (int)t->n_pieces);
    return &t->pieces[id];
}

const char *tokenizer_piece(const Tokenizer *t, int32_t id)
{
    return piece_at(t, id)->label;
}

const char *tokenizer_raw_piece(const Tokenizer *t, int32_t id)
{
    return piece_at(t, id)->raw;
}

int32_t tokenizer_find(const Tokenizer *t, const char *raw_piece)
{
    return strmap_get(t->ids, raw_piece, strlen(raw_piece));
}

bool tokenizer_starts_word(const Tokenizer *t, int32_t id)
{
    return piece_at(t, id)->starts;
}
