#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/tokenizer_data.h"

#define VERSION 1

json_t *tokenizer_to_json(const Tokenizer *t)
{
    json_t *pieces = json_array();
    for (int32_t i = 0; i < t->n_pieces; i++)
        json_array_append_new(pieces, json_string(t->pieces[i].raw));
    json_t *merges = json_array();
    for (int32_t i = 0; i < t->n_merges; i++)
        json_array_append_new(merges,
                              json_pack("[ii]", (int)t->merges[i].left, (int)t->merges[i].right));
    json_t *value =
        json_pack("{ss si sb si so so}", "type", "bpe", "version", VERSION, "fold", (int)t->fold,
                  "letters", (int)t->n_letters, "pieces", pieces, "merges", merges);
    FOVEA_CHECK(value, "the tokenizer makes no JSON");
    return value;
}

/* ---- reading text ---- */

typedef struct PlainPiece {
    size_t text, bytes; /* in `text` of Plain, terminated */
} PlainPiece;

/* A tokenizer's members, walked but not yet checked. */
typedef struct Plain {
    char type[64];
    int32_t version, n_letters;
    bool fold;
    StrBuf text;
    PlainPiece *pieces;
    int32_t (*merges)[2];
    size_t n_pieces, piece_capacity, n_merges, merge_capacity;
} Plain;

static bool walk_piece(Plain *p, JsonScan *s)
{
    size_t begin = p->text.length;
    if (!json_scan_string(s, &p->text))
        return false;
    p->pieces = memory_grow(p->pieces, &p->piece_capacity, p->n_pieces + 1, sizeof *p->pieces);
    p->pieces[p->n_pieces++] = (PlainPiece){begin, p->text.length - begin};
    strbuf_add_bytes(&p->text, "", 1); /* each with its end */
    return true;
}

static bool walk_merge(Plain *p, JsonScan *s)
{
    p->merges = memory_grow(p->merges, &p->merge_capacity, p->n_merges + 1, sizeof *p->merges);
    int32_t *pair = p->merges[p->n_merges++];
    return json_scan_take(s, '[') && json_scan_natural(s, &pair[0]) && json_scan_take(s, ',') &&
           json_scan_natural(s, &pair[1]) && json_scan_take(s, ']');
}

static bool walk_list(Plain *p, JsonScan *s, bool (*walk)(Plain *, JsonScan *))
{
    bool ok = json_scan_take(s, '[');
    for (bool first = true; ok && !json_scan_take(s, ']'); first = false)
        ok = (first || json_scan_take(s, ',')) && walk(p, s);
    return ok;
}

static bool walk_type(Plain *p, JsonScan *s)
{
    StrBuf type = {0};
    bool ok = json_scan_string(s, &type) && type.text && type.length < sizeof p->type &&
              !memchr(type.text, '\0', type.length);
    if (ok)
        memcpy(p->type, type.text, type.length + 1);
    strbuf_free(&type);
    return ok;
}

static bool walk_bool(bool *value, JsonScan *s)
{
    const char *text;
    size_t n;
    if (!json_scan_value(s, &text, &n))
        return false;
    *value = n == 4 && memcmp(text, "true", n) == 0;
    return *value || (n == 5 && memcmp(text, "false", n) == 0);
}

static bool walk_member(Plain *p, JsonScan *s, const char *name)
{
    if (strcmp(name, "type") == 0)
        return walk_type(p, s);
    if (strcmp(name, "version") == 0)
        return json_scan_natural(s, &p->version);
    if (strcmp(name, "fold") == 0)
        return walk_bool(&p->fold, s);
    if (strcmp(name, "letters") == 0)
        return json_scan_natural(s, &p->n_letters);
    if (strcmp(name, "pieces") == 0)
        return walk_list(p, s, walk_piece);
    return strcmp(name, "merges") == 0 && walk_list(p, s, walk_merge);
}

/* Only our own writer's members in its own order: then none can be there twice. */
static bool walk(Plain *p, const char *text, size_t n)
{
    static const char *const members[] = {"type", "version", "fold", "letters", "pieces", "merges"};
    JsonScan s = {text, text + n};
    char name[JSON_SCAN_NAME_BYTES];
    bool ok = json_scan_take(&s, '{');
    for (size_t i = 0; ok && i < sizeof members / sizeof *members; i++)
        ok = (i == 0 || json_scan_take(&s, ',')) && json_scan_name(&s, name) &&
             strcmp(name, members[i]) == 0 && walk_member(p, &s, name);
    return ok && json_scan_take(&s, '}') && json_scan_is_done(&s) &&
           p->n_pieces <= TOKENIZER_MAX_PIECES && p->n_merges <= TOKENIZER_MAX_PIECES;
}

/* What is being read, for the messages. */
typedef struct Reader {
    const char *name;
    const json_t *pieces; /* as values ... */
    const json_t *merges;
    const Plain *plain; /* ... or walked */
    int32_t n_pieces, n_letters, n_merges;
    bool fold;
} Reader;

static bool read_count(const Reader *r, const json_t *value, const char *what, int32_t *count,
                       Error *error)
{
    size_t n = json_array_size(value);
    if (!json_is_array(value))
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: \"%s\" is %s, expected a list",
                         r->name, what, json_text_type(value));
    if (n > TOKENIZER_MAX_PIECES)
        return error_set(error, ERROR_LIMIT, "%s: tokenizer: %zu %s, at most %d are read", r->name,
                         n, what, TOKENIZER_MAX_PIECES);
    *count = (int32_t)n;
    return true;
}

static bool read_kind(const Reader *r, const char *type, json_int_t version, Error *error)
{
    if (!type || strcmp(type, "bpe") != 0)
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: type \"%.40s\", expected \"bpe\"",
                         r->name, type ? type : "");
    if (version != VERSION)
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: version %lld, this program reads %d",
                         r->name, (long long)version, VERSION);
    return true;
}

static bool read_letter_count(Reader *r, json_int_t letters, Error *error)
{
    if (letters < 0 || letters > r->n_pieces - FIRST_LETTER)
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: %lld letters among %d pieces",
                         r->name, (long long)letters, (int)r->n_pieces);
    r->n_letters = (int32_t)letters;
    return true;
}

static bool read_header(const json_t *value, Reader *r, Error *error)
{
    const char *type = json_text_string(value, "type");
    if (!json_is_object(value))
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: found %s, expected an object",
                         r->name, json_text_type(value));
    if (!read_kind(r, type, json_integer_value(json_object_get(value, "version")), error))
        return false;
    r->fold = json_is_true(json_object_get(value, "fold"));
    r->pieces = json_object_get(value, "pieces");
    r->merges = json_object_get(value, "merges");
    if (!read_count(r, r->pieces, "pieces", &r->n_pieces, error) ||
        !read_count(r, r->merges, "merges", &r->n_merges, error))
        return false;
    return read_letter_count(r, json_integer_value(json_object_get(value, "letters")), error);
}

/* The string of piece i, or NULL. */
static const char *piece_text(const Reader *r, int32_t i, size_t *n, Error *error)
{
    const PlainPiece *plain = r->plain ? &r->plain->pieces[i] : NULL;
    const json_t *value = json_array_get(r->pieces, (size_t)i);
    *n = plain ? plain->bytes : json_string_length(value);
    if (plain && *n > 0 && *n <= TOKENIZER_MAX_PIECE_BYTES)
        return r->plain->text.text + plain->text;
    if (json_is_string(value) && *n > 0 && *n <= TOKENIZER_MAX_PIECE_BYTES)
        return json_string_value(value);
    if (plain || json_is_string(value))
        error_set(error, ERROR_FORMAT, "%s: tokenizer: piece %d has %zu bytes, expected 1 to %d",
                  r->name, (int)i, *n, TOKENIZER_MAX_PIECE_BYTES);
    else
        error_set(error, ERROR_FORMAT, "%s: tokenizer: piece %d is %s, expected a string", r->name,
                  (int)i, json_text_type(value));
    return NULL;
}

static bool check_fixed(const Reader *r, const Tokenizer *t, Error *error)
{
    for (int32_t i = 0; i < FIRST_LETTER; i++) {
        size_t n;
        const char *text = piece_text(r, i, &n, error);
        if (!text)
            return false;
        if (strcmp(text, t->pieces[i].raw) != 0)
            return error_set(error, ERROR_FORMAT,
                             "%s: tokenizer: piece %d is \"%.40s\", expected \"%s\"", r->name,
                             (int)i, text, t->pieces[i].raw);
    }
    return true;
}

static bool read_letters(const Reader *r, Tokenizer *t, Error *error)
{
    static const uint32_t marks[] = {MARK_SPACED, MARK_GLUED, MARK_BINDS};
    for (int32_t i = FIRST_LETTER; i < FIRST_LETTER + r->n_letters; i++) {
        size_t n;
        const char *text = piece_text(r, i, &n, error);
        uint32_t code;
        if (!text)
            return false;
        if ((size_t)utf8_decode(text, n, &code) != n)
            return error_set(error, ERROR_FORMAT,
                             "%s: tokenizer: piece %d \"%.40s\" is not one character, though it "
                             "stands among the %d letters",
                             r->name, (int)i, text, (int)r->n_letters);
        if (tokenizer_find(t, text) >= 0)
            return error_set(error, ERROR_FORMAT, "%s: tokenizer: piece %d \"%s\" is there twice",
                             r->name, (int)i, text);
        tokenizer_add_piece(t, text, n);
    }
    t->n_letters = r->n_letters;
    for (size_t i = 0; i < 3; i++) {
        char bytes[4];
        size_t n = (size_t)utf8_encode(marks[i], bytes);
        if (strmap_get(t->ids, bytes, n) < FIRST_LETTER)
            return error_set(error, ERROR_FORMAT, "%s: tokenizer: the mark U+%04X is no letter",
                             r->name, (unsigned)marks[i]);
    }
    return true;
}

/* Marks stand at the ends of a piece: U+2040 last, the others first. */
static bool marks_fit(const Piece *left, const Piece *right)
{
    uint32_t first;
    size_t n = strlen(right->raw);
    utf8_decode(right->raw, n, &first);
    return !left->binds && first != MARK_SPACED && first != MARK_GLUED;
}

static bool check_merge_id(const Reader *r, const Tokenizer *t, int32_t i, json_int_t id,
                           Error *error)
{
    if (id >= FIRST_LETTER && id < t->n_pieces)
        return true;
    return error_set(error, ERROR_FORMAT,
                     "%s: tokenizer: merge %d joins piece %lld, expected one of the %d "
                     "that are known by then, from %d on",
                     r->name, (int)i, (long long)id, (int)t->n_pieces, FIRST_LETTER);
}

static bool read_merge_ids(const Reader *r, const Tokenizer *t, int32_t i, int32_t ids[2],
                           Error *error)
{
    if (r->plain) {
        memcpy(ids, r->plain->merges[i], 2 * sizeof *ids);
        return check_merge_id(r, t, i, ids[0], error) && check_merge_id(r, t, i, ids[1], error);
    }
    const json_t *pair = json_array_get(r->merges, (size_t)i);
    if (json_array_size(pair) != 2)
        return error_set(error, ERROR_FORMAT,
                         "%s: tokenizer: merge %d is %s, expected a list of two ids", r->name,
                         (int)i, json_text_type(pair));
    for (size_t k = 0; k < 2; k++) {
        json_int_t id = json_integer_value(json_array_get(pair, k)); /* 0 if it is none */
        if (!check_merge_id(r, t, i, id, error))
            return false;
        ids[k] = (int32_t)id;
    }
    return true;
}

static bool read_merge(const Reader *r, Tokenizer *t, int32_t i, Error *error)
{
    int32_t ids[2];
    if (!read_merge_ids(r, t, i, ids, error))
        return false;
    const Piece *left = &t->pieces[ids[0]], *right = &t->pieces[ids[1]];
    if (pairs_get(&t->ranks, ids[0], ids[1]) >= 0)
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: merge %d, %d with %d, is there twice",
                         r->name, (int)i, (int)ids[0], (int)ids[1]);
    if (!marks_fit(left, right) ||
        strlen(left->raw) + strlen(right->raw) > TOKENIZER_MAX_PIECE_BYTES)
        return error_set(error, ERROR_FORMAT,
                         "%s: tokenizer: merge %d makes no piece of \"%.40s\" and \"%.40s\"",
                         r->name, (int)i, left->raw, right->raw);
    int32_t known = t->n_pieces;
    int32_t result = tokenizer_add_merge(t, ids[0], ids[1]);
    if (result < FIRST_LETTER)
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: merge %d makes the special \"%s\"",
                         r->name, (int)i, t->pieces[result].raw);
    if (result < known)
        return true;
    size_t n;
    if (result >= r->n_pieces)
        return error_set(error, ERROR_FORMAT,
                         "%s: tokenizer: merge %d makes \"%.40s\", which is "
                         "no piece",
                         r->name, (int)i, t->pieces[result].raw);
    const char *text = piece_text(r, result, &n, error);
    if (!text)
        return false;
    if (strcmp(text, t->pieces[result].raw) != 0)
        return error_set(error, ERROR_FORMAT,
                         "%s: tokenizer: merge %d makes \"%.40s\", but piece %d is \"%.40s\"",
                         r->name, (int)i, t->pieces[result].raw, (int)result, text);
    return true;
}

static Tokenizer *build(const Reader *r, Error *error)
{
    Tokenizer *t = tokenizer_new(r->fold);
    tokenizer_reserve(t, r->n_pieces, r->n_merges);
    bool ok = check_fixed(r, t, error) && read_letters(r, t, error);
    for (int32_t i = 0; ok && i < r->n_merges; i++)
        ok = read_merge(r, t, i, error);
    if (ok && t->n_pieces < r->n_pieces)
        ok = error_set(error, ERROR_FORMAT, "%s: tokenizer: no merge makes piece %d", r->name,
                       (int)t->n_pieces);
    if (!ok) {
        tokenizer_free(t);
        return NULL;
    }
    tokenizer_prepare(t);
    return t;
}

static Tokenizer *from_value(const json_t *value, const char *name, Error *error)
{
    Reader r = {.name = name};
    return read_header(value, &r, error) ? build(&r, error) : NULL;
}

static Tokenizer *from_plain(const Plain *plain, const char *name, Error *error)
{
    Reader r = {.name = name,
                .plain = plain,
                .fold = plain->fold,
                .n_pieces = (int32_t)plain->n_pieces,
                .n_merges = (int32_t)plain->n_merges};
    return read_kind(&r, plain->type, plain->version, error) &&
                   read_letter_count(&r, plain->n_letters, error)
               ? build(&r, error)
               : NULL;
}

static Tokenizer *from_text(const char *text, size_t n, const char *name, Error *error)
{
    Plain plain = {0};
    Tokenizer *t = NULL;
    if (walk(&plain, text, n)) {
        t = from_plain(&plain, name, error);
    } else {
        StrBuf what = {0};
        strbuf_addf(&what, "%s: tokenizer", name);
        json_t *value = json_text_parse(text, n, what.text, error);
        t = value ? from_value(value, name, error) : NULL;
        json_decref(value);
        strbuf_free(&what);
    }
    strbuf_free(&plain.text);
    free(plain.pieces);
    free(plain.merges);
    return t;
}

Tokenizer *tokenizer_from_json(const json_t *value, const char *name, Error *error)
{
    if (json_is_string(value))
        return from_text(json_string_value(value), json_string_length(value), name, error);
    return from_value(value, name, error);
}
