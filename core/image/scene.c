#include "image/scene.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* In the order in which a sentence names them. */
static const ObjectKind kinds[] = {
    {"green apple", "green apples", "\U0001F34F"},
    {"red apple", "red apples", "\U0001F34E"},
    {"banana", "bananas", "\U0001F34C"},
    {"lemon", "lemons", "\U0001F34B"},
    {"pear", "pears", "\U0001F350"},
    {"strawberry", "strawberries", "\U0001F353"},
    {"carrot", "carrots", "\U0001F955"},
    {"mushroom", "mushrooms", "\U0001F344"},
    {"bee", "bees", "\U0001F41D"},
    {"butterfly", "butterflies", "\U0001F98B"},
    {"cat", "cats", "\U0001F431"},
    {"dog", "dogs", "\U0001F436"},
    {"fish", "fish", "\U0001F41F"},
    {"fox", "foxes", "\U0001F98A"},
    {"frog", "frogs", "\U0001F438"},
    {"lion", "lions", "\U0001F981"},
    {"monkey", "monkeys", "\U0001F435"},
    {"panda", "pandas", "\U0001F43C"},
    {"penguin", "penguins", "\U0001F427"},
    {"pig", "pigs", "\U0001F437"},
    {"rabbit", "rabbits", "\U0001F430"},
    {"turtle", "turtles", "\U0001F422"},
    {"bicycle", "bicycles", "\U0001F6B2"},
    {"boat", "boats", "\u26F5"},
    {"bus", "buses", "\U0001F68C"},
    {"car", "cars", "\U0001F697"},
    {"rocket", "rockets", "\U0001F680"},
    {"ball", "balls", "\u26BD"},
    {"bell", "bells", "\U0001F514"},
    {"red book", "red books", "\U0001F4D5"},
    {"blue book", "blue books", "\U0001F4D8"},
    {"clock", "clocks", "\u23F0"},
    {"red heart", "red hearts", "\u2764"},
    {"blue heart", "blue hearts", "\U0001F499"},
    {"key", "keys", "\U0001F511"},
    {"umbrella", "umbrellas", "\u2614"},
    {"star", "stars", "\u2B50"},
    {"flower", "flowers", "\U0001F33B"},
    {"tree", "trees", "\U0001F333"},
    {"house", "houses", "\U0001F3E0"},
};

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

int scene_n_kinds(void)
{
    return N_KINDS;
}

const ObjectKind *scene_kind(int i)
{
    return &kinds[i];
}

static bool ends_in_word(const char *name, const char *word)
{
    size_t n = strlen(name), k = strlen(word);
    return k > 0 && n > k && name[n - k - 1] == ' ' && strcmp(name + n - k, word) == 0;
}

int scene_find_kind(const char *name)
{
    for (int i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0 || strcmp(kinds[i].plural, name) == 0 ||
            strcmp(kinds[i].emoji, name) == 0)
            return i;
    for (int i = 0; i < N_KINDS; i++)
        if (ends_in_word(kinds[i].name, name) || ends_in_word(kinds[i].plural, name))
            return i;
    return -1;
}

EmojiSet *scene_load_emoji(const Scene *scene, Error *error)
{
    const char *texts[N_KINDS] = {0};
    for (int i = 0; i < N_KINDS && !scene; i++)
        texts[i] = kinds[i].emoji;
    for (int i = 0; scene && i < scene->n; i++)
        texts[scene->objects[i].kind] = kinds[scene->objects[i].kind].emoji;
    return emoji_load(N_KINDS, texts, error);
}

void scene_render(const Scene *scene, const EmojiSet *emoji, int side, float *rgb)
{
    for (int y = 0; y < side; y++) {
        float share = ((float)y + 0.5f) / (float)side;
        for (int x = 0; x < side; x++)
            for (int c = 0; c < 3; c++)
                rgb[3 * (y * side + x) + c] =
                    scene->top[c] + share * (scene->bottom[c] - scene->top[c]);
    }
    for (int i = 0; i < scene->n; i++) {
        const SceneObject *o = &scene->objects[i];
        emoji_draw(emoji, o->kind, o->x * side, o->y * side, o->size * side, rgb, side, side);
    }
}

/* ---- sentences ---- */

static const char *const counts[SCENE_MAX_COUNT + 1] = {"", "", "two", "three"};
static const char *const relations[SCENE_N_RELATIONS] = {"to the left of", "to the right of",
                                                         "above", "below"};

/* How many of a kind there are, and the middle of their middles. */
static int middle_of(const Scene *scene, int kind, double middle[2])
{
    int count = 0;
    middle[0] = middle[1] = 0;
    for (int i = 0; i < scene->n; i++) {
        if (scene->objects[i].kind != kind)
            continue;
        count++;
        middle[0] += scene->objects[i].x;
        middle[1] += scene->objects[i].y;
    }
    for (int k = 0; k < 2 && count > 0; k++)
        middle[k] /= count;
    return count;
}

SceneRelation scene_relation(const Scene *scene, int kind, int other)
{
    double a[2], b[2];
    middle_of(scene, kind, a);
    middle_of(scene, other, b);
    double dx = a[0] - b[0], dy = a[1] - b[1];
    if (fabs(dx) >= fabs(dy))
        return dx < 0 ? SCENE_LEFT_OF : SCENE_RIGHT_OF;
    return dy < 0 ? SCENE_ABOVE : SCENE_BELOW;
}

bool scene_describe(const Scene *scene, SceneSpec *spec)
{
    double middle[2];
    *spec = (SceneSpec){0};
    for (int kind = 0; kind < N_KINDS; kind++) {
        int count = middle_of(scene, kind, middle), g = spec->n_groups;
        if (count == 0)
            continue;
        if (g == SCENE_MAX_GROUPS || count > SCENE_MAX_COUNT)
            return false;
        spec->group[g].kind = kind;
        spec->group[g].count = count;
        if (g > 0)
            spec->relation[g - 1] = scene_relation(scene, spec->group[0].kind, kind);
        spec->n_groups++;
    }
    return spec->n_groups > 0;
}

static void write_group(int kind, int count, StrBuf *out)
{
    if (count > 1)
        strbuf_addf(out, "%s %s", counts[count], kinds[kind].plural);
    else
        strbuf_addf(out, "%s %s", strchr("aeiou", kinds[kind].name[0]) ? "an" : "a",
                    kinds[kind].name);
}

void scene_write(const SceneSpec *spec, StrBuf *out)
{
    for (int i = 0; i < spec->n_groups; i++) {
        if (i > 0)
            strbuf_addf(out, "%s %s ", i > 1 ? " and" : "", relations[spec->relation[i - 1]]);
        write_group(spec->group[i].kind, spec->group[i].count, out);
    }
}

/* Every list of words that sentences are made of, one after the other. */
static const char *phrase(int i)
{
    if (i == 0)
        return "a an two three and to the left right of above below";
    i--;
    if (i < 2 * N_KINDS)
        return i % 2 ? kinds[i / 2].plural : kinds[i / 2].name;
    return NULL;
}

typedef struct WordAt {
    const char *text;
    size_t n;
} WordAt;

/* Word k of a phrase; n 0 past its end. */
static WordAt word_at(const char *text, int k)
{
    for (;; k--) {
        text += strspn(text, " ");
        size_t n = strcspn(text, " ");
        if (k == 0 || n == 0)
            return (WordAt){text, n};
        text += n;
    }
}

bool scene_word_names(const char *word, int kind)
{
    const char *const names[2] = {kinds[kind].name, kinds[kind].plural};
    for (int i = 0; i < 2; i++)
        for (int k = 0; word_at(names[i], k).n > 0; k++) {
            WordAt w = word_at(names[i], k);
            if (strlen(word) == w.n && strncmp(word, w.text, w.n) == 0)
                return true;
        }
    return false;
}

/* Is word k of phrase p the first of its kind? */
static bool is_new(int p, int k)
{
    WordAt w = word_at(phrase(p), k);
    for (int q = 0; q <= p; q++)
        for (int j = 0; word_at(phrase(q), j).n > 0 && (q < p || j < k); j++) {
            WordAt other = word_at(phrase(q), j);
            if (other.n == w.n && strncmp(other.text, w.text, w.n) == 0)
                return false;
        }
    return true;
}

bool scene_word_copy(int i, char out[SCENE_WORD_BYTES])
{
    for (int p = 0; phrase(p); p++)
        for (int k = 0; word_at(phrase(p), k).n > 0; k++) {
            if (!is_new(p, k) || i-- > 0)
                continue;
            WordAt w = word_at(phrase(p), k);
            FOVEA_CHECK(w.n < SCENE_WORD_BYTES, "word of %zu bytes", w.n);
            memcpy(out, w.text, w.n);
            out[w.n] = '\0';
            return true;
        }
    return false;
}
