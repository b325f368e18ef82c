#include "text/vocabulary.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "base/strmap.h"
#include "base/utf8.h"
#include "text/fold.h"
#include "text/splitter.h"

#define VERSION     1
#define LONGEST_RUN 3 /* of one mark */

static const char *const special_forms[VOCABULARY_N_SPECIAL] = {"<pad>", "<unk>"};
static const char *const style_names[VOCABULARY_N_STYLES] = {"text", "spaced"};

struct Vocabulary {
    VocabularyStyle style;
    bool keep_case;
    StrMap *ids; /* form -> id, special ones too */
};

/* ---- cutting ---- */

/* The words of a text one by one, in either style. */
typedef struct Walk {
    VocabularyStyle style;
    Splitter splitter;
} Walk;

static bool next_spaced(Splitter *s, SplitWord *word)
{
    uint32_t code;
    size_t offset = s->offset;
    word->begin = word->end = s->n;
    for (size_t bytes; offset < s->n; offset += bytes) {
        bytes = (size_t)utf8_decode(s->text + offset, s->n - offset, &code);
        bool space = character_class(code) == CHARACTER_SPACE;
        if (!space && word->begin == s->n)
            word->begin = offset;
        if (space && word->begin < s->n) {
            word->end = offset;
            break;
        }
    }
    s->offset = word->end;
    return word->begin < s->n;
}

static bool walk_next(Walk *walk, SplitWord *word)
{
    return walk->style == VOCABULARY_SPACED ? next_spaced(&walk->splitter, word)
                                            : splitter_next(&walk->splitter, word);
}

static Walk walk_of(VocabularyStyle style, const char *text, size_t n)
{
    Walk walk = {.style = style};
    FOVEA_CHECK(n <= INT32_MAX, "%zu bytes of text", n);
    splitter_init(&walk.splitter, text, n, SPLIT_TREEBANK);
    return walk;
}

/* ---- forms ---- */

/* What a treebank or a typesetter writes for a plain mark. */
static const char *plain_mark(const char *form)
{
    static const char *const marks[][2] = {
        {"``", "\""},      {"''", "\""},     {"`", "'"},       {"-lrb-", "("},
        {"-rrb-", ")"},    {"-lsb-", "["},   {"-rsb-", "]"},   {"-lcb-", "{"},
        {"-rcb-", "}"},    {"..", "..."},    {"-LRB-", "("},   {"-RRB-", ")"},
        {"\u2026", "..."}, {"\u2013", "--"}, {"\u2014", "--"}, {"---", "--"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strcmp(form, marks[i][0]) == 0)
            return marks[i][1];
    return NULL;
}

static bool is_ascii_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void shorten_run(StrBuf *form)
{
    char first = form->text[0];
    if (form->length <= LONGEST_RUN || (first >= '0' && first <= '9') || is_ascii_letter(first))
        return;
    for (size_t i = 1; i < form->length; i++)
        if (form->text[i] != first)
            return;
    form->length = LONGEST_RUN;
    form->text[LONGEST_RUN] = '\0';
}

static bool is_ascii(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

/* Folded and lower-case. Most words are ASCII, and then this is fast. */
static void fold(bool keep_case, const char *text, size_t n, StrBuf *form)
{
    strbuf_clear(form);
    if (is_ascii(text, n)) {
        strbuf_add_bytes(form, text, n);
        for (size_t i = 0; i < n && !keep_case; i++)
            form->text[i] = (char)(form->text[i] | (is_ascii_letter(form->text[i]) ? 0x20 : 0));
        return;
    }
    for (size_t i = 0; i < n;) {
        uint32_t code;
        char bytes[4];
        i += fold_read(text + i, n - i, &code);
        code = keep_case ? code : utf8_lower(code);
        strbuf_add_bytes(form, bytes, (size_t)utf8_encode(code, bytes));
    }
}

static void form_of(VocabularyStyle style, bool keep_case, const char *text, size_t n, StrBuf *form)
{
    fold(keep_case, text, n, form);
    if (style == VOCABULARY_SPACED || is_ascii_letter(form->text[0]))
        return;
    shorten_run(form);
    const char *plain = plain_mark(form->text);
    if (plain) {
        strbuf_clear(form);
        strbuf_add(form, plain);
    }
}

/* Vocabulary that the vocabulary may hold: not too long, not the special ones, no control
 * characters (JSON cannot hold a zero). */
static bool may_be_word(const StrBuf *form)
{
    if (form->length > VOCABULARY_MAX_FORM_BYTES || memchr(form->text, 0, form->length))
        return false;
    for (int i = 0; i < VOCABULARY_N_SPECIAL; i++)
        if (strcmp(form->text, special_forms[i]) == 0)
            return false;
    return true;
}

/* ---- counting ---- */

struct VocabularyLearner {
    VocabularySpec spec;
    StrMap *counts;
    StrBuf form;
};

VocabularyLearner *vocabulary_learner_new(const VocabularySpec *spec)
{
    FOVEA_CHECK(spec->style < VOCABULARY_N_STYLES && spec->max_words <= VOCABULARY_MAX_COUNT,
                "style %d, at most %d words", (int)spec->style, spec->max_words);
    VocabularyLearner *learner = memory_new(1, sizeof *learner);
    learner->spec = *spec;
    learner->counts = strmap_new();
    return learner;
}

void vocabulary_learner_add(VocabularyLearner *learner, const char *text, size_t n)
{
    Walk walk = walk_of(learner->spec.style, text, n);
    SplitWord word;
    StrBuf *form = &learner->form;
    while (walk_next(&walk, &word)) {
        form_of(learner->spec.style, learner->spec.keep_case, text + word.begin,
                word.end - word.begin, form);
        if (!may_be_word(form))
            continue;
        int count = strmap_get(learner->counts, form->text, form->length);
        count = count < 0 ? 1 : count < INT_MAX ? count + 1 : count;
        strmap_put(learner->counts, form->text, form->length, count);
    }
}

typedef struct Counted {
    const char *form;
    int count;
} Counted;

static int by_count(const void *a, const void *b)
{
    const Counted *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->form, y->form);
}

static Vocabulary *vocabulary_new(VocabularyStyle style, bool keep_case)
{
    Vocabulary *vocabulary = memory_new(1, sizeof *vocabulary);
    vocabulary->style = style;
    vocabulary->keep_case = keep_case;
    vocabulary->ids = strmap_new();
    for (int i = 0; i < VOCABULARY_N_SPECIAL; i++)
        strmap_put(vocabulary->ids, special_forms[i], strlen(special_forms[i]), i);
    return vocabulary;
}

static void add_word(Vocabulary *vocabulary, const char *form)
{
    strmap_put(vocabulary->ids, form, strlen(form), strmap_count(vocabulary->ids));
}

Vocabulary *vocabulary_learner_finish(VocabularyLearner *learner)
{
    const VocabularySpec *spec = &learner->spec;
    int n = strmap_count(learner->counts);
    Counted *counted = memory_new((size_t)n, sizeof *counted);
    for (int i = 0; i < n; i++) {
        size_t length;
        counted[i].form = strmap_key(learner->counts, i, &length, &counted[i].count);
    }
    qsort(counted, (size_t)n, sizeof *counted, by_count);
    int most = spec->max_words > 0 ? spec->max_words : VOCABULARY_MAX_COUNT - VOCABULARY_N_SPECIAL;
    Vocabulary *vocabulary = vocabulary_new(spec->style, spec->keep_case);
    for (int i = 0; i < n && i < most && counted[i].count >= spec->min_count; i++)
        add_word(vocabulary, counted[i].form);
    free(counted);
    strmap_free(learner->counts);
    strbuf_free(&learner->form);
    free(learner);
    return vocabulary;
}

void vocabulary_free(Vocabulary *vocabulary)
{
    if (!vocabulary)
        return;
    strmap_free(vocabulary->ids);
    free(vocabulary);
}

/* ---- using ---- */

static int32_t find(const Vocabulary *vocabulary, const char *form, size_t n)
{
    int id = strmap_get(vocabulary->ids, form, n);
    return id < VOCABULARY_N_SPECIAL ? VOCABULARY_UNKNOWN : id;
}

void vocabulary_encode(const Vocabulary *vocabulary, const char *text, size_t n, TokenList *out)
{
    Walk walk = walk_of(vocabulary->style, text, n);
    SplitWord word;
    StrBuf form = {0};
    while (walk_next(&walk, &word)) {
        form_of(vocabulary->style, vocabulary->keep_case, text + word.begin, word.end - word.begin,
                &form);
        token_list_add(out, (Token){.id = find(vocabulary, form.text, form.length),
                                    .begin = (int32_t)word.begin,
                                    .end = (int32_t)word.end,
                                    .starts_word = true});
    }
    strbuf_free(&form);
}

int32_t vocabulary_count(const Vocabulary *vocabulary)
{
    return strmap_count(vocabulary->ids);
}

const char *vocabulary_form(const Vocabulary *vocabulary, int32_t id)
{
    size_t n;
    int value;
    FOVEA_CHECK(id >= 0 && id < vocabulary_count(vocabulary), "id %d of %d words", (int)id,
                (int)vocabulary_count(vocabulary));
    return strmap_key(vocabulary->ids, id, &n, &value);
}

int32_t vocabulary_find(const Vocabulary *vocabulary, const char *form)
{
    return find(vocabulary, form, strlen(form));
}

/* ---- as JSON ---- */

json_t *vocabulary_to_json(const Vocabulary *vocabulary)
{
    json_t *forms = json_array();
    for (int32_t i = 0; i < vocabulary_count(vocabulary); i++)
        json_array_append_new(forms, json_string(vocabulary_form(vocabulary, i)));
    json_t *value = json_pack("{ss si ss ss so}", "type", "words", "version", VERSION, "style",
                              style_names[vocabulary->style], "case",
                              vocabulary->keep_case ? "kept" : "lower", "words", forms);
    FOVEA_CHECK(value && json_array_size(forms) == (size_t)vocabulary_count(vocabulary),
                "the vocabulary makes no JSON");
    return value;
}

/* Index of the string under `key` among names[0..n), or -1 and an error. */
static int read_choice(const json_t *value, const char *key, const char *const *names, int n,
                       const char *file, Error *error)
{
    const char *text = json_text_string(value, key);
    for (int i = 0; text && i < n; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    error_set(error, ERROR_FORMAT, "%s: vocabulary: %s is \"%.40s\", expected \"%s\"%s%s%s", file,
              key, text ? text : "", names[0], n > 1 ? " or \"" : "", n > 1 ? names[1] : "",
              n > 1 ? "\"" : "");
    return -1;
}

static bool read_word(Vocabulary *vocabulary, const json_t *list, size_t i, const char *name,
                      Error *error)
{
    const json_t *value = json_array_get(list, i);
    const char *form = json_string_value(value);
    size_t n = json_string_length(value);
    if (!form)
        return error_set(error, ERROR_FORMAT, "%s: vocabulary: word %zu is %s, expected a string",
                         name, i, json_text_type(value));
    if (i < VOCABULARY_N_SPECIAL) {
        if (strcmp(form, special_forms[i]) == 0)
            return true;
        return error_set(error, ERROR_FORMAT,
                         "%s: vocabulary: word %zu is \"%.40s\", expected \"%s\"", name, i, form,
                         special_forms[i]);
    }
    if (n == 0 || n > VOCABULARY_MAX_FORM_BYTES)
        return error_set(error, ERROR_FORMAT,
                         "%s: vocabulary: word %zu has %zu bytes, expected 1 to %d", name, i, n,
                         VOCABULARY_MAX_FORM_BYTES);
    if (strmap_get(vocabulary->ids, form, n) >= 0)
        return error_set(error, ERROR_FORMAT, "%s: vocabulary: word %zu \"%.40s\" is there twice",
                         name, i, form);
    add_word(vocabulary, form);
    return true;
}

Vocabulary *vocabulary_from_json(const json_t *value, const char *name, Error *error)
{
    static const char *const types[] = {"words"};
    static const char *const cases[] = {"lower", "kept"};
    if (!json_is_object(value)) {
        error_set(error, ERROR_FORMAT, "%s: vocabulary: found %s, expected an object", name,
                  json_text_type(value));
        return NULL;
    }
    int style, kept;
    if (read_choice(value, "type", types, 1, name, error) < 0 ||
        (style = read_choice(value, "style", style_names, VOCABULARY_N_STYLES, name, error)) < 0 ||
        (kept = read_choice(value, "case", cases, 2, name, error)) < 0)
        return NULL;
    json_int_t version = json_integer_value(json_object_get(value, "version"));
    const json_t *list = json_object_get(value, "words");
    size_t n = json_array_size(list);
    if (version != VERSION || n < VOCABULARY_N_SPECIAL || n > VOCABULARY_MAX_COUNT) {
        error_set(error, ERROR_FORMAT,
                  "%s: vocabulary: version %lld with %zu words, this program reads version %d with "
                  "%d to %d",
                  name, (long long)version, n, VERSION, VOCABULARY_N_SPECIAL, VOCABULARY_MAX_COUNT);
        return NULL;
    }
    Vocabulary *vocabulary = vocabulary_new((VocabularyStyle)style, kept == 1);
    for (size_t i = 0; i < n; i++)
        if (!read_word(vocabulary, list, i, name, error)) {
            vocabulary_free(vocabulary);
            return NULL;
        }
    return vocabulary;
}
