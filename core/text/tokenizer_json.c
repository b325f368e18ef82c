#include <string.h>

#include "base/json_text.h"
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

/* What is being read, for the messages. */
typedef struct Reader {
    const char *name;
    const json_t *pieces;
    const json_t *merges;
    int32_t n_pieces, n_letters;
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

static bool read_header(const json_t *value, Reader *r, Error *error)
{
    const char *type = json_text_string(value, "type");
    if (!json_is_object(value))
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: found %s, expected an object",
                         r->name, json_text_type(value));
    if (!type || strcmp(type, "bpe") != 0)
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: type \"%.40s\", expected \"bpe\"",
                         r->name, type ? type : "");
    json_int_t version = json_integer_value(json_object_get(value, "version"));
    if (version != VERSION)
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: version %lld, this program reads %d",
                         r->name, (long long)version, VERSION);
    r->fold = json_is_true(json_object_get(value, "fold"));
    r->pieces = json_object_get(value, "pieces");
    r->merges = json_object_get(value, "merges");
    int32_t n_merges;
    if (!read_count(r, r->pieces, "pieces", &r->n_pieces, error) ||
        !read_count(r, r->merges, "merges", &n_merges, error))
        return false;
    json_int_t letters = json_integer_value(json_object_get(value, "letters"));
    if (letters < 0 || letters > r->n_pieces - FIRST_LETTER)
        return error_set(error, ERROR_FORMAT, "%s: tokenizer: %lld letters among %d pieces",
                         r->name, (long long)letters, (int)r->n_pieces);
    r->n_letters = (int32_t)letters;
    return true;
}

/* The string of piece i, or NULL. */
static const char *piece_text(const Reader *r, int32_t i, size_t *n, Error *error)
{
    const json_t *value = json_array_get(r->pieces, (size_t)i);
    *n = json_string_length(value);
    if (json_is_string(value) && *n > 0 && *n <= TOKENIZER_MAX_PIECE_BYTES)
        return json_string_value(value);
    if (json_is_string(value))
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

static bool read_merge_ids(const Reader *r, const Tokenizer *t, int32_t i, int32_t ids[2],
                           Error *error)
{
    const json_t *pair = json_array_get(r->merges, (size_t)i);
    if (json_array_size(pair) != 2)
        return error_set(error, ERROR_FORMAT,
                         "%s: tokenizer: merge %d is %s, expected a list of two ids", r->name,
                         (int)i, json_text_type(pair));
    for (size_t k = 0; k < 2; k++) {
        const json_t *value = json_array_get(pair, k);
        json_int_t id = json_integer_value(value);
        if (!json_is_integer(value) || id < FIRST_LETTER || id >= t->n_pieces)
            return error_set(error, ERROR_FORMAT,
                             "%s: tokenizer: merge %d joins piece %lld, expected one of the %d "
                             "that are known by then, from %d on",
                             r->name, (int)i, (long long)id, (int)t->n_pieces, FIRST_LETTER);
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

Tokenizer *tokenizer_from_json(const json_t *value, const char *name, Error *error)
{
    Reader r = {.name = name};
    if (!read_header(value, &r, error))
        return NULL;
    Tokenizer *t = tokenizer_new(r.fold);
    bool ok = check_fixed(&r, t, error) && read_letters(&r, t, error);
    size_t n_merges = json_array_size(r.merges);
    for (size_t i = 0; ok && i < n_merges; i++)
        ok = read_merge(&r, t, (int32_t)i, error);
    if (ok && t->n_pieces < r.n_pieces)
        ok = error_set(error, ERROR_FORMAT, "%s: tokenizer: no merge makes piece %d", name,
                       (int)t->n_pieces);
    if (!ok) {
        tokenizer_free(t);
        return NULL;
    }
    tokenizer_prepare(t);
    return t;
}
