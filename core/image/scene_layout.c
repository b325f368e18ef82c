/* Where the objects of a sentence stand, and which sentences there are. */
#include <math.h>

#include "image/scene.h"

/* ---- what is held out ---- */

static bool is_chosen(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h = (a * 73856093u) ^ (b * 19349663u) ^ (c * 83492791u);
    h = (h ^ h >> 16) * 0x45d9f3bu;
    h = (h ^ h >> 16) * 0x45d9f3bu;
    return (h ^ h >> 16) % 8 == 0;
}

bool scene_is_held_out(const SceneSpec *spec)
{
    enum { COUNTS = 1000 }; /* apart from every relation */
    for (int i = 0; i < spec->n_groups; i++) {
        uint32_t kind = (uint32_t)spec->group[i].kind, count = (uint32_t)spec->group[i].count;
        if (count > 1 && is_chosen(kind, count, COUNTS))
            return true;
        if (i > 0 &&
            is_chosen((uint32_t)spec->group[0].kind, kind, (uint32_t)spec->relation[i - 1]))
            return true;
    }
    return false;
}

/* ---- a sentence ---- */

/* Distinct kinds by rising number. */
static void draw_kinds(Random *random, SceneSpec *spec)
{
    for (int i = 0; i < spec->n_groups; i++) {
        int kind = (int)random_below(random, (uint32_t)(scene_n_kinds() - i)), at = i;
        for (int k = 0; k < i; k++)
            kind += kind >= spec->group[k].kind;
        for (; at > 0 && spec->group[at - 1].kind > kind; at--)
            spec->group[at] = spec->group[at - 1];
        spec->group[at].kind = kind;
    }
}

static void draw_counts(Random *random, SceneSpec *spec)
{
    enum { MOST_OBJECTS = 4 };
    int left = MOST_OBJECTS - spec->n_groups;
    for (int i = 0; i < spec->n_groups; i++) {
        int most = left < SCENE_MAX_COUNT - 1 ? left : SCENE_MAX_COUNT - 1;
        /* One of a kind is as frequent as all other numbers together. */
        bool several = most > 0 && random_uniform(random) < (spec->n_groups == 1 ? 0.5 : 0.3);
        int more = several ? 1 + (int)random_below(random, (uint32_t)most) : 0;
        spec->group[i].count = 1 + more;
        left -= more;
    }
}

void scene_invent(Random *random, bool held_out, SceneSpec *spec)
{
    do {
        *spec = (SceneSpec){0};
        double u = random_uniform(random);
        spec->n_groups = u < 0.15 ? 1 : u < 0.75 ? 2 : 3;
        draw_kinds(random, spec);
        draw_counts(random, spec);
        for (int i = 0; i + 1 < spec->n_groups; i++)
            spec->relation[i] = (SceneRelation)random_below(random, SCENE_N_RELATIONS);
    } while (scene_is_held_out(spec) != held_out);
}

/* ---- a layout ---- */

static double between(Random *random, double low, double high)
{
    return low + (high - low) * random_uniform(random);
}

/* Two light or two dark colours, not far from each other. */
static void draw_ground(Random *random, Scene *scene)
{
    bool dark = random_uniform(random) < 0.25;
    for (int c = 0; c < 3; c++) {
        double base = dark ? between(random, 0.05, 0.35) : between(random, 0.6, 1);
        double other = base + between(random, -0.15, 0.15);
        scene->top[c] = (float)base;
        scene->bottom[c] = (float)fmin(fmax(other, 0), 1);
    }
}

/* The members of a group in a row or a column around its middle. */
static void place_group(int kind, int count, double x, double y, double size, Random *random,
                        Scene *scene)
{
    bool in_a_row = random_uniform(random) < 0.6;
    for (int i = 0; i < count; i++) {
        double own = size * between(random, 0.9, 1.05);
        double offset = (i - (count - 1) / 2.0) * size * 1.08;
        double shake = count > 1 ? between(random, -0.12, 0.12) * size : 0;
        scene->objects[scene->n++] = (SceneObject){kind, x + (in_a_row ? offset : shake),
                                                   y + (in_a_row ? shake : offset), own};
    }
}

/* The middle of the other group, when group 0 stands in this relation to it. */
static void place_other(SceneRelation relation, double x, double y, Random *random, double *ox,
                        double *oy)
{
    double distance = between(random, 0.28, 0.6), aside = between(random, -0.6, 0.6) * distance;
    double sign = relation == SCENE_LEFT_OF || relation == SCENE_ABOVE ? 1 : -1;
    bool across = relation == SCENE_LEFT_OF || relation == SCENE_RIGHT_OF;
    *ox = x + (across ? sign * distance : aside);
    *oy = y + (across ? aside : sign * distance);
}

/* Everything inside, and nothing hides another. */
static bool fits(const Scene *scene)
{
    for (int i = 0; i < scene->n; i++) {
        const SceneObject *a = &scene->objects[i];
        if (a->x < a->size / 2 || a->x > 1 - a->size / 2 || a->y < a->size / 2 ||
            a->y > 1 - a->size / 2)
            return false;
        for (int k = 0; k < i; k++) {
            const SceneObject *b = &scene->objects[k];
            double apart = 0.46 * (a->size + b->size);
            if (fabs(a->x - b->x) < apart && fabs(a->y - b->y) < apart)
                return false;
        }
    }
    return true;
}

/* Groups may come in any order here: a person writes them as they like. */
static bool says(const Scene *scene, const SceneSpec *spec)
{
    for (int i = 1; i < spec->n_groups; i++)
        if (scene_relation(scene, spec->group[0].kind, spec->group[i].kind) !=
            spec->relation[i - 1])
            return false;
    return true;
}

bool scene_lay_out(const SceneSpec *spec, Random *random, Scene *scene)
{
    enum { TRIES = 4000 };
    for (int i = 0; i < TRIES; i++) {
        *scene = (Scene){0};
        double largest = 0.38 - 0.12 * i / TRIES;
        double x = between(random, 0.12, 0.88), y = between(random, 0.12, 0.88);
        place_group(spec->group[0].kind, spec->group[0].count, x, y, between(random, 0.22, largest),
                    random, scene);
        for (int g = 1; g < spec->n_groups; g++) {
            double ox, oy;
            place_other(spec->relation[g - 1], x, y, random, &ox, &oy);
            place_group(spec->group[g].kind, spec->group[g].count, ox, oy,
                        between(random, 0.22, largest), random, scene);
        }
        if (!fits(scene) || !says(scene, spec))
            continue;
        draw_ground(random, scene);
        return true;
    }
    return false;
}
