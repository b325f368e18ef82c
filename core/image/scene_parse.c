/* What a person writes, as a scene. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/scene.h"

/* ---- words ---- */

enum { MOST_WORDS = 64, WORD_ROOM = 32 };

typedef struct Words {
    int n;
    char word[MOST_WORDS][WORD_ROOM];
} Words;

/* Lower case; whatever is no letter, digit or part of an emoji separates. */
static bool split(const char *text, Words *words, Error *error)
{
    words->n = 0;
    size_t length = 0;
    for (const char *p = text;; p++) {
        unsigned char c = (unsigned char)*p;
        c = c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
        bool is_part = c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (is_part && words->n < MOST_WORDS && length + 1 < WORD_ROOM) {
            words->word[words->n][length++] = (char)c;
        } else if (is_part) {
            return error_set(error, ERROR_INPUT, "the description of a scene is too long");
        } else if (length > 0) {
            words->word[words->n++][length] = '\0';
            length = 0;
        }
        if (c == '\0')
            return true;
    }
}

static bool is_filler(const char *word)
{
    static const char *const fillers[] = {"a", "an", "the", "to", "of", "and", "is", "one", "1"};
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++)
        if (strcmp(word, fillers[i]) == 0)
            return true;
    return false;
}

static int relation_of(const char *word)
{
    static const char *const names[][3] = {{"left", "leftof", ""},
                                           {"right", "rightof", ""},
                                           {"above", "over", "on"},
                                           {"below", "under", "beneath"}};
    for (int r = 0; r < SCENE_N_RELATIONS; r++)
        for (int k = 0; k < 3; k++)
            if (strcmp(word, names[r][k]) == 0)
                return r;
    return -1;
}

static int count_of(const char *word)
{
    static const char *const names[][2] = {{"two", "2"}, {"three", "3"}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(word, names[i][k]) == 0)
                return i + 2;
    return 0;
}

/* An object's name of one or two words at word i; -1: none. */
static int kind_at(const Words *words, int i, int *length)
{
    if (i + 1 < words->n) {
        StrBuf both = {0};
        strbuf_addf(&both, "%s %s", words->word[i], words->word[i + 1]);
        int kind = scene_find_kind(both.text);
        strbuf_free(&both);
        *length = 2;
        if (kind >= 0)
            return kind;
    }
    *length = 1;
    return scene_find_kind(words->word[i]);
}

typedef struct Reading {
    SceneSpec spec;
    int count, relation; /* read, and waiting for their object; 0 and -1: none */
} Reading;

static bool add_object(Reading *r, int kind, Error *error)
{
    int g = r->spec.n_groups;
    for (int i = 0; i < g; i++)
        if (r->spec.group[i].kind == kind)
            return error_set(error, ERROR_INPUT, "the %s is there twice: \"two %s\" was expected",
                             scene_kind(kind)->name, scene_kind(kind)->plural);
    if (g == SCENE_MAX_GROUPS)
        return error_set(error, ERROR_INPUT, "more than %d kinds of objects; JSON places more",
                         SCENE_MAX_GROUPS);
    if (g > 0 && r->relation < 0)
        return error_set(error, ERROR_INPUT,
                         "where is the %s? left-of, right-of, above or below was expected",
                         scene_kind(kind)->name);
    r->spec.group[g].kind = kind;
    r->spec.group[g].count = r->count > 0 ? r->count : 1;
    if (g > 0)
        r->spec.relation[g - 1] = (SceneRelation)r->relation;
    r->spec.n_groups++;
    r->count = 0;
    r->relation = -1;
    return true;
}

static bool read_word(Reading *r, const Words *words, int *i, Error *error)
{
    const char *word = words->word[*i];
    int length = 1, relation = relation_of(word), count = count_of(word);
    int kind = kind_at(words, *i, &length);
    if (kind >= 0) {
        *i += length;
        return add_object(r, kind, error);
    }
    *i += 1;
    if (relation >= 0)
        r->relation = relation;
    else if (count > 0)
        r->count = count;
    else if (!is_filler(word))
        return error_set(error, ERROR_INPUT,
                         "\"%s\" is no object, number or place that scenes know", word);
    return true;
}

static bool parse_sentence(const char *text, uint64_t seed, Scene *scene, Error *error)
{
    Words words;
    Reading r = {.relation = -1};
    if (!split(text, &words, error))
        return false;
    for (int i = 0; i < words.n;)
        if (!read_word(&r, &words, &i, error))
            return false;
    if (r.spec.n_groups == 0)
        return error_set(error, ERROR_INPUT, "there is no object in the description");
    Random random = random_seed(seed, RANDOM_EXPLORE);
    return scene_lay_out(&r.spec, &random, scene) ||
           error_set(error, ERROR_INPUT, "no room for all of \"%s\"", text);
}

/* ---- JSON ---- */

static bool read_part(const json_t *object, const char *name, double otherwise, double *value,
                      Error *error)
{
    const json_t *v = json_object_get(object, name);
    *value = v ? json_number_value(v) : otherwise;
    if ((!v || json_is_number(v)) && *value >= -1 && *value <= 2)
        return true;
    return error_set(error, ERROR_INPUT, "\"%s\": a part of the picture was expected, 0 to 1",
                     name);
}

static bool read_object(const json_t *value, SceneObject *out, Error *error)
{
    const char *name = json_string_value(json_object_get(value, "object"));
    out->kind = name ? scene_find_kind(name) : -1;
    if (out->kind < 0)
        return error_set(error, ERROR_INPUT, "\"object\": \"%s\" is not known to scenes",
                         name ? name : "");
    if (!read_part(value, "x", 0.5, &out->x, error) ||
        !read_part(value, "y", 0.5, &out->y, error) ||
        !read_part(value, "size", 0.3, &out->size, error))
        return false;
    return (out->size >= 0.02 && out->size <= 1) ||
           error_set(error, ERROR_INPUT, "\"size\": 0.02 to 1 was expected");
}

static bool read_colour(const json_t *value, float out[3], Error *error)
{
    const char *text = json_string_value(value);
    char *end = NULL;
    if (text && text[0] == '#' && strlen(text) == 7 && text[1] != '-' && text[1] != '+' &&
        text[1] != ' ') {
        unsigned long rgb = strtoul(text + 1, &end, 16);
        if (*end == '\0') {
            for (int c = 0; c < 3; c++)
                out[c] = (float)(rgb >> (16 - 8 * c) & 255) / 255;
            return true;
        }
    }
    return error_set(error, ERROR_INPUT, "\"ground\": two colours like \"#ddeeff\" were expected");
}

static bool read_scene(const json_t *value, Scene *scene, Error *error)
{
    *scene = (Scene){0, {{0}}, {0.96f, 0.96f, 0.94f}, {0.90f, 0.92f, 0.94f}};
    const json_t *list = json_is_array(value) ? value : json_object_get(value, "objects");
    const json_t *ground = json_object_get(value, "ground");
    if (!json_is_array(list) || json_array_size(list) == 0)
        return error_set(error, ERROR_INPUT, "a list of objects was expected");
    if (json_array_size(list) > SCENE_MAX_OBJECTS)
        return error_set(error, ERROR_LIMIT, "%zu objects; a scene has at most %d",
                         json_array_size(list), SCENE_MAX_OBJECTS);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!read_object(json_array_get(list, i), &scene->objects[scene->n++], error))
            return false;
    return !ground || (read_colour(json_array_get(ground, 0), scene->top, error) &&
                       read_colour(json_array_get(ground, 1), scene->bottom, error));
}

static bool parse_json(const char *text, Scene *scene, Error *error)
{
    json_error_t why;
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!value)
        return error_set(error, ERROR_INPUT, "the scene's JSON, line %d: %s", why.line, why.text);
    bool ok = read_scene(value, scene, error);
    json_decref(value);
    return ok;
}

static void write_colour(const float rgb[3], StrBuf *out)
{
    strbuf_addf(out, "\"#%02lx%02lx%02lx\"", lround(255 * (double)rgb[0]),
                lround(255 * (double)rgb[1]), lround(255 * (double)rgb[2]));
}

void scene_write_json(const Scene *scene, StrBuf *out)
{
    strbuf_add(out, "{\"objects\": [");
    for (int i = 0; i < scene->n; i++) {
        const SceneObject *o = &scene->objects[i];
        strbuf_addf(out, "%s{\"object\": \"%s\", \"x\": %.3f, \"y\": %.3f, \"size\": %.3f}",
                    i > 0 ? ", " : "", scene_kind(o->kind)->name, o->x, o->y, o->size);
    }
    strbuf_add(out, "], \"ground\": [");
    write_colour(scene->top, out);
    strbuf_add(out, ", ");
    write_colour(scene->bottom, out);
    strbuf_add(out, "]}");
}

bool scene_parse(const char *text, uint64_t seed, Scene *scene, Error *error)
{
    const char *first = text + strspn(text, " \t\r\n");
    *scene = (Scene){0};
    if (*first == '[' || *first == '{')
        return parse_json(first, scene, error);
    return parse_sentence(text, seed, scene, error);
}
