#include <string.h>

#include "models/ram.h"

static void draw_around(const Var *mean, double sigma, Random *random, Real *sample)
{
    for (size_t i = 0; i < var_size(mean); i++)
        sample[i] = mean->value[i] + (sigma > 0 ? (Real)(sigma * random_normal(random)) : 0);
}

/* Where glimpse t is: [n, 2] before clipping. */
static void choose_places(const Ram *net, int n, int t, const Var *mean, double sigma,
                          Random *random, Real *sample)
{
    const RamShape *shape = ram_get_shape(net);
    if (t > 0 && shape->looking == LOOKING_LEARNED) {
        draw_around(mean, sigma, random, sample);
        return;
    }
    for (int i = 0; i < n; i++)
        if (shape->looking == LOOKING_LEARNED)
            ram_first_place(shape, random, sample + 2 * i);
        else
            ram_control_place(shape, t, random, sample + 2 * i);
}

static Var *clipped(Tape *tape, int n, const Real *sample)
{
    Var *where = tape_constant(tape, n, 2, sample);
    for (int i = 0; i < 2 * n; i++)
        where->value[i] = where->value[i] > 1 ? 1 : where->value[i] < -1 ? -1 : where->value[i];
    return where;
}

RamPaths ram_walk(const Ram *net, Tape *tape, int n, const Real *const *pictures, double sigma,
                  const Real *places, Random *random)
{
    const RamShape *shape = ram_get_shape(net);
    Arena *arena = tape_arena(tape);
    size_t glimpses = (size_t)shape->glimpses;
    RamPaths p = {
        arena_get_zeroed(arena, glimpses, sizeof(Var *)),
        arena_get_zeroed(arena, glimpses, sizeof(Var *)),
        arena_get_zeroed(arena, glimpses, sizeof(Var *)),
        arena_get_zeroed(arena, glimpses, sizeof(Real *)),
    };
    for (int t = 0; t < shape->glimpses; t++) {
        p.sample[t] = tape_scratch(tape, 2 * (size_t)n);
        choose_places(net, n, t, t > 0 ? p.mean[t - 1] : NULL, sigma, random, p.sample[t]);
        if (places)
            memcpy(p.sample[t], places + (size_t)t * 2 * (size_t)n, 2 * (size_t)n * sizeof *places);
        Var *where = clipped(tape, n, p.sample[t]);
        Var *seen = ram_look(net, tape, n, pictures, where->value);
        p.state[t] = ram_step(net, tape, seen, where, t > 0 ? p.state[t - 1] : NULL);
        if (shape->looking == LOOKING_LEARNED && t + 1 < shape->glimpses) {
            p.mean[t] = ram_locate(net, tape, p.state[t]);
            p.baseline[t] = ram_baseline(net, tape, p.state[t]);
        }
    }
    return p;
}
