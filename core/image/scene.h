/* scene.h - small pictures composed of emoji, and the sentences that describe them.
 *
 * A scene is one to four objects of at most three kinds on a coloured ground. Its sentence
 * follows a small grammar:
 *
 *     scene     group | group relation group | group relation group "and" relation group
 *     group     "a dog" | "an umbrella" | "two dogs" | "three dogs"
 *     relation  "to the left of" | "to the right of" | "above" | "below"
 *
 * The first group is the kind that stands first in the table of objects (fruit, animals,
 * vehicles, things), both relations are those of the first group, and a relation is the
 * longer of the distances across and down between the groups' middles: every scene has
 * exactly one sentence. Moving one object changes exactly the words that it should.
 *
 * About one in eight combinations (object, relation, object) and (number, object) is held
 * out of training, to test whether a model composes what it has learned.
 *
 * Lengths are parts of the picture, 0 .. 1; (0, 0) is the top left corner.
 */
#ifndef FOVEA_IMAGE_SCENE_H
#define FOVEA_IMAGE_SCENE_H
#include <stdbool.h>

#include "base/error.h"
#include "base/random.h"
#include "base/strbuf.h"
#include "image/emoji.h"

#define SCENE_MAX_OBJECTS 16 /* that a person may lay out; generated ones have up to four */
#define SCENE_MAX_GROUPS  3
#define SCENE_MAX_COUNT   3

/* ---- the table of objects ---- */

typedef struct ObjectKind {
    const char *name;   /* "green apple"  */
    const char *plural; /* "green apples" */
    const char *emoji;
} ObjectKind;

int scene_n_kinds(void);
const ObjectKind *scene_kind(int i);
/* By name, plural or emoji; "apple" finds the first that ends in it. -1: none. */
int scene_find_kind(const char *name);
/* ---- scenes ---- */

typedef struct SceneObject {
    int kind;
    double x, y; /* of its middle */
    double size; /* of its square */
} SceneObject;

typedef struct Scene {
    int n;
    SceneObject objects[SCENE_MAX_OBJECTS]; /* later ones lie on top */
    float top[3], bottom[3];                /* colours of the ground, 0 .. 1 */
} Scene;

typedef enum {
    SCENE_LEFT_OF,
    SCENE_RIGHT_OF,
    SCENE_ABOVE,
    SCENE_BELOW,
    SCENE_N_RELATIONS
} SceneRelation;

/* What a sentence says. relation[i] is that of group 0 to group i + 1. */
typedef struct SceneSpec {
    int n_groups;
    struct {
        int kind, count;
    } group[SCENE_MAX_GROUPS];
    SceneRelation relation[SCENE_MAX_GROUPS - 1];
} SceneSpec;

/* The emoji that a scene needs, or all (NULL); ERROR_UNSUPPORTED without a colour font. */
EmojiSet *scene_load_emoji(const Scene *scene, Error *error) FOVEA_MUST_USE;

/* rgb [side, side, 3], 0 .. 1 */
void scene_render(const Scene *scene, const EmojiSet *emoji, int side, float *rgb);

/* ---- sentences ---- */

/* How all objects of one kind stand to all of another; each kind must be there. */
SceneRelation scene_relation(const Scene *scene, int kind, int other);

/* What the scene's own sentence says; false when the grammar has none for it (no objects,
 * too many kinds or too many of one). */
bool scene_describe(const Scene *scene, SceneSpec *spec);
void scene_write(const SceneSpec *spec, StrBuf *out);

/* Word i of all that a sentence may have, each once, in a fixed order; false past the end. */
#define SCENE_WORD_BYTES 16
bool scene_word_copy(int i, char out[SCENE_WORD_BYTES]);

/* Does the word (of a sentence) name this kind? "apple", "apples" and "green" name the green
 * apple. */
bool scene_word_names(const char *word, int kind);

/* ---- composing ---- */

/* Is any combination in it held out of training? */
bool scene_is_held_out(const SceneSpec *spec);

/* A random sentence: held_out says which side of the split it is on. */
void scene_invent(Random *random, bool held_out, SceneSpec *spec);
/* Random sizes, places and ground that fit the sentence; false when it found none. */
bool scene_lay_out(const SceneSpec *spec, Random *random, Scene *scene);

/* What a person writes: a sentence of the grammar, or shorter ("apple left-of dog", "2 cats
 * above car"), laid out by `seed`; or JSON with every place:
 *   [{"object": "dog", "x": 0.3, "y": 0.5, "size": 0.3}, ...]
 *   {"objects": [...], "ground": ["#ffffff", "#ddeeff"]} */
bool scene_parse(const char *text, uint64_t seed, Scene *scene, Error *error) FOVEA_MUST_USE;
/* As such JSON, to a thousandth of the picture; colours to a 255th. */
void scene_write_json(const Scene *scene, StrBuf *out);

#endif
