#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "format/import_set.h"
#include "format/sniff.h"

#define MAX_TOKENS_BYTES ((size_t)256 << 20)

/* ---- what JSON says ---- */

static const struct {
    const char *key;
    ImportSide side;
} KEYS[] = {
    {"tokens", IMPORT_BOTH},           {"text", IMPORT_BOTH},
    {"source", IMPORT_SOURCE},         {"src", IMPORT_SOURCE},
    {"source_tokens", IMPORT_SOURCE},  {"src_tokens", IMPORT_SOURCE},
    {"encoder_tokens", IMPORT_SOURCE}, {"input", IMPORT_SOURCE},
    {"target", IMPORT_TARGET},         {"tgt", IMPORT_TARGET},
    {"target_tokens", IMPORT_TARGET},  {"tgt_tokens", IMPORT_TARGET},
    {"decoder_tokens", IMPORT_TARGET}, {"output", IMPORT_TARGET},
};

static bool is_list_of(const json_t *value, bool (*accepts)(const json_t *))
{
    if (!json_is_array(value))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!accepts(json_array_get(value, i)))
            return false;
    return true;
}

static bool is_string(const json_t *value)
{
    return json_is_string(value);
}

static bool is_tokens(const json_t *value)
{
    return is_list_of(value, is_string);
}

static bool is_object(const json_t *value)
{
    return json_is_object(value);
}

static bool set_side(ImportTokens *tokens, ImportSide side, const json_t *value)
{
    if (!is_tokens(value) && !is_list_of(value, is_tokens))
        return false;
    json_decref(tokens->json[side]);
    tokens->json[side] = json_incref((json_t *)value);
    return true;
}

static bool take_object(ImportTokens *tokens, const json_t *object)
{
    bool any = false;
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        const json_t *value = json_object_get(object, KEYS[i].key);
        any = (value && set_side(tokens, KEYS[i].side, value)) || any;
    }
    return any;
}

/* [{"source": [..], "target": [..]}, ..]: one object a sentence becomes one list a side. */
static bool take_objects(ImportTokens *tokens, const json_t *list)
{
    ImportTokens one = {0};
    bool any = false;
    for (int side = 0; side < IMPORT_N_SIDES; side++) {
        json_t *column = json_array();
        bool full = json_array_size(list) > 0;
        for (size_t i = 0; i < json_array_size(list) && full; i++) {
            take_object(&one, json_array_get(list, i));
            full = is_tokens(one.json[side]) && json_array_append(column, one.json[side]) == 0;
            import_tokens_free(&one);
        }
        any = (full && set_side(tokens, (ImportSide)side, column)) || any;
        json_decref(column);
    }
    return any;
}

bool import_tokens_take(ImportTokens *tokens, const json_t *value)
{
    if (json_is_object(value))
        return take_object(tokens, value);
    if (json_array_size(value) > 0 && is_list_of(value, is_object))
        return take_objects(tokens, value);
    return set_side(tokens, IMPORT_BOTH, value);
}

/* ---- files ---- */

static json_t *parse_file(const char *path, Error *error)
{
    Bytes bytes;
    if (!file_read(path, MAX_TOKENS_BYTES, &bytes, error))
        return NULL;
    json_t *value = NULL;
    if (!sniff_impostor(bytes.data, bytes.size, path, error))
        value = json_text_parse(bytes.data, bytes.size, path, error);
    bytes_free(&bytes);
    return value;
}

static bool load_labels(ImportTokens *tokens, const char *path, Error *error)
{
    json_t *value = parse_file(path, error);
    if (!value)
        return false;
    tokens->labels = value;
    return json_is_object(value) ||
           error_set(error, ERROR_FORMAT, "%s: an object of label names was expected; this is %s",
                     path, json_text_type(value));
}

static bool load_json(ImportTokens *tokens, const char *path, Error *error)
{
    json_t *value = parse_file(path, error);
    if (!value)
        return false;
    bool ok = import_tokens_take(tokens, value) ||
              error_set(error, ERROR_FORMAT,
                        "%s: a list of tokens was expected, or a list of such lists, or an object "
                        "with \"source\" and \"target\" or \"tokens\"; this is %s",
                        path, json_text_type(value));
    json_decref(value);
    return ok;
}

/* Every line, blank ones too: they count. */
static void split_lines(ImportTokens *tokens, ImportSide side)
{
    const Bytes *text = &tokens->text[side];
    Lines lines = lines_begin(text->data, text->size);
    Slice line;
    size_t capacity = 0, n = 0;
    while (lines_next(&lines, &line)) {
        tokens->lines[side] =
            memory_grow(tokens->lines[side], &capacity, n + 1, sizeof *tokens->lines[side]);
        tokens->lines[side][n++] = line;
    }
    tokens->n_lines[side] = n;
}

static bool load_text(ImportTokens *tokens, ImportSide side, const char *path, Error *error)
{
    if (!file_read(path, MAX_TOKENS_BYTES, &tokens->text[side], error))
        return false;
    const Bytes *text = &tokens->text[side];
    if (text->size > 0 && sniff_impostor(text->data, text->size, path, error))
        return false;
    split_lines(tokens, side);
    return true;
}

/* What a person typed for one sentence, as a line of the file that is not there. */
static void take_typed(ImportTokens *tokens, ImportSide side, const char *text, int32_t sentence)
{
    StrBuf lines = {0};
    for (int32_t i = 0; i < sentence; i++)
        strbuf_add_char(&lines, '\n');
    strbuf_add(&lines, text);
    size_t n = lines.length;
    tokens->text[side] = (Bytes){strbuf_take(&lines), n};
    split_lines(tokens, side);
}

/* "left ||| right": the file is read twice, so that each side owns its lines. */
static bool load_pairs(ImportTokens *tokens, const char *path, Error *error)
{
    if (!load_text(tokens, IMPORT_SOURCE, path, error) ||
        !load_text(tokens, IMPORT_TARGET, path, error))
        return false;
    for (int side = IMPORT_SOURCE; side <= IMPORT_TARGET; side++) {
        for (size_t i = 0; i < tokens->n_lines[side]; i++) {
            Slice rest = tokens->lines[side][i], left, right = {0};
            slice_next_field(&rest, &left);
            slice_next_field(&rest, &right);
            tokens->lines[side][i] = side == IMPORT_SOURCE ? left : right;
        }
    }
    return true;
}

static bool looks_like_json(const char *path)
{
    return strcmp(file_extension(path), ".json") == 0;
}

static bool load_side(ImportTokens *tokens, ImportSide side, const char *path, Error *error)
{
    if (!looks_like_json(path))
        return load_text(tokens, side, path, error);
    ImportTokens other = {0};
    if (!load_json(&other, path, error))
        return false;
    ImportSide found = other.json[side] ? side : IMPORT_BOTH;
    bool ok = other.json[found] && set_side(tokens, side, other.json[found]);
    import_tokens_free(&other);
    return ok || error_set(error, ERROR_FORMAT, "%s: no tokens of the %s in it", path,
                           side == IMPORT_SOURCE ? "source" : "target");
}

/* ---- beside the dump ---- */

static bool exists_beside(StrBuf *name, size_t stem, const char *ending)
{
    name->length = stem;
    strbuf_add(name, ending);
    return file_exists(name->text);
}

/* Whatever stands at this stem; *found tells. */
static bool load_stem(ImportTokens *tokens, StrBuf *name, bool *found, Error *error)
{
    size_t stem = name->length;
    bool ok = true;
    if (exists_beside(name, stem, ".tokens.json")) {
        *found = true;
        return load_json(tokens, name->text, error);
    }
    if (exists_beside(name, stem, ".src-tgt")) {
        *found = true;
        return load_pairs(tokens, name->text, error);
    }
    if (exists_beside(name, stem, ".src")) {
        *found = true;
        ok = load_text(tokens, IMPORT_SOURCE, name->text, error);
    }
    if (ok && exists_beside(name, stem, ".tgt")) {
        *found = true;
        ok = load_text(tokens, IMPORT_TARGET, name->text, error);
    }
    return ok;
}

static bool load_labels_beside(ImportTokens *tokens, StrBuf *name, Error *error)
{
    size_t stem = name->length;
    bool there = !tokens->labels && exists_beside(name, stem, ".labels.json");
    bool ok = !there || load_labels(tokens, name->text, error);
    name->length = stem;
    return ok;
}

static bool load_gold_beside(ImportTokens *tokens, StrBuf *name, const LinksOptions *links,
                             Error *error)
{
    size_t stem = name->length;
    bool there = tokens->gold.n == 0 && exists_beside(name, stem, ".gold");
    bool ok = !there || links_read(name->text, links, &tokens->gold, error);
    name->length = stem;
    return ok;
}

/* "dir/attn.npz": stems "dir/attn.npz", "dir/attn". */
static bool load_beside(ImportTokens *tokens, const char *path, const ImportOptions *options,
                        bool named, Error *error)
{
    size_t base = (size_t)(file_base_name(path) - path), stem = strlen(path);
    bool found = named, ok = true;
    while (ok && stem > base) {
        StrBuf name = {0};
        strbuf_add_bytes(&name, path, stem);
        ok = load_labels_beside(tokens, &name, error) &&
             (options->gold_path || load_gold_beside(tokens, &name, &options->links, error)) &&
             (found || load_stem(tokens, &name, &found, error));
        strbuf_free(&name);
        do
            stem--;
        while (stem > base && path[stem] != '.');
    }
    return ok;
}

bool import_tokens_load(ImportTokens *tokens, const char *path, const ImportOptions *options,
                        Error *error)
{
    bool ok = true;
    bool named = options->tokens_path || options->source_path || options->target_path ||
                 options->source_text || options->target_text;
    if (options->source_text)
        take_typed(tokens, IMPORT_SOURCE, options->source_text, options->typed_sentence);
    if (options->target_text)
        take_typed(tokens, IMPORT_TARGET, options->target_text, options->typed_sentence);
    if (options->tokens_path)
        ok = looks_like_json(options->tokens_path)
                 ? load_json(tokens, options->tokens_path, error)
                 : load_text(tokens, IMPORT_BOTH, options->tokens_path, error);
    if (ok && options->source_path)
        ok = load_side(tokens, IMPORT_SOURCE, options->source_path, error);
    if (ok && options->target_path)
        ok = load_side(tokens, IMPORT_TARGET, options->target_path, error);
    if (ok && options->labels_path)
        ok = load_labels(tokens, options->labels_path, error);
    if (ok && options->gold_path)
        ok = links_read(options->gold_path, &options->links, &tokens->gold, error);
    return ok && (!path || load_beside(tokens, path, options, named, error));
}

void import_tokens_free(ImportTokens *tokens)
{
    for (int side = 0; side < IMPORT_N_SIDES; side++) {
        json_decref(tokens->json[side]);
        free(tokens->lines[side]);
        bytes_free(&tokens->text[side]);
    }
    json_decref(tokens->labels);
    links_free(&tokens->gold);
    *tokens = (ImportTokens){0};
}

/* ---- asking ---- */

const AlignLinks *import_tokens_gold(const ImportTokens *tokens, int32_t sentence)
{
    return sentence >= 0 && sentence < tokens->gold.n ? &tokens->gold.at[sentence] : NULL;
}

const char *import_tokens_label(const ImportTokens *tokens, const char *number)
{
    const json_t *entry = json_object_get(tokens->labels, number);
    return json_is_string(entry) ? json_string_value(entry) : json_text_string(entry, "name");
}

static Words words_of_json(const json_t *list)
{
    size_t n = json_array_size(list);
    Words words = {.at = memory_new(n, sizeof *words.at), .n = (int32_t)n};
    for (size_t i = 0; i < n; i++)
        words.at[i] = memory_copy_string(json_string_value(json_array_get(list, i)));
    return words;
}

Words import_tokens_get(const ImportTokens *tokens, ImportSide side, int32_t sentence)
{
    const json_t *list = tokens->json[side];
    if (list && is_tokens(list) && (json_array_size(list) > 0 || sentence == 0))
        return sentence == 0 ? words_of_json(list) : (Words){.n = -1};
    if (list && (size_t)sentence < json_array_size(list))
        return words_of_json(json_array_get(list, (size_t)sentence));
    if (tokens->lines[side] && (size_t)sentence < tokens->n_lines[side])
        return words_split(tokens->lines[side][sentence]);
    return (Words){.n = -1};
}

int32_t import_tokens_sentences(const ImportTokens *tokens)
{
    size_t most = 0;
    for (int side = 0; side < IMPORT_N_SIDES; side++) {
        const json_t *list = tokens->json[side];
        size_t n = list ? (is_tokens(list) ? 1 : json_array_size(list)) : tokens->n_lines[side];
        most = n > most ? n : most;
    }
    return (int32_t)(most < IMPORT_MAX_SENTENCES ? most : IMPORT_MAX_SENTENCES);
}
