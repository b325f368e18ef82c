#include "trace/followed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_same(const TraceStep *a, const TraceStep *b)
{
    return a->id == b->id && strcmp(a->token, b->token) == 0;
}

static double probability_of(const TraceStep *step, int32_t id)
{
    for (int32_t i = 0; i < step->n_candidates; i++)
        if (step->candidates[i].id == id)
            return step->candidates[i].probability;
    return NAN;
}

static void add(Followed *f, const Trace *before, const Trace *after, int32_t i, int32_t j)
{
    const TraceStep *a = i >= 0 ? trace_step(before, i) : NULL;
    const TraceStep *b = j >= 0 ? trace_step(after, j) : NULL;
    bool same = a && b && is_same(a, b);
    f->at[f->n++] = (FollowedStep){
        .before = i,
        .after = j,
        .same = same,
        .p_before = a ? a->probability : NAN,
        .p_after = b ? b->probability : NAN,
        .change = same ? b->probability - a->probability : NAN,
        .p_old = !a || !b ? NAN
                 : same   ? b->probability
                          : probability_of(b, a->id),
    };
    f->n_other += !same;
}

/* cost[i, j]: differences between the ends, before[i..] and after[j..], so that walking from
 * the start puts the differences as late as they can be. */
static int32_t *ends_cost(const Trace *before, const Trace *after, int32_t n, int32_t m)
{
    size_t width = (size_t)m + 1;
    int32_t *cost = memory_new(((size_t)n + 1) * width, sizeof *cost);
    for (int32_t i = n; i >= 0; i--)
        for (int32_t j = m; j >= 0; j--) {
            int32_t *c = cost + (size_t)i * width + (size_t)j;
            if (i == n || j == m) {
                *c = (n - i) + (m - j);
                continue;
            }
            bool same = is_same(trace_step(before, i), trace_step(after, j));
            int32_t least = c[width + 1] + !same;
            least = c[width] + 1 < least ? c[width] + 1 : least;
            *c = c[1] + 1 < least ? c[1] + 1 : least;
        }
    return cost;
}

static void walk(Followed *f, const Trace *before, const Trace *after, int32_t n, int32_t m)
{
    size_t width = (size_t)m + 1;
    int32_t *cost = ends_cost(before, after, n, m);
    for (int32_t i = 0, j = 0; i < n || j < m;) {
        const int32_t *c = cost + (size_t)i * width + (size_t)j;
        bool both = i < n && j < m;
        bool same = both && is_same(trace_step(before, i), trace_step(after, j));
        if (both && *c == c[width + 1] + !same)
            add(f, before, after, i++, j++);
        else if (i < n && *c == c[width] + 1)
            add(f, before, after, i++, -1);
        else
            add(f, before, after, -1, j++);
    }
    free(cost);
}

Followed followed_new(const Trace *before, const Trace *after)
{
    int32_t n = trace_n_steps(before), m = trace_n_steps(after);
    Followed f = {.at = memory_new((size_t)n + (size_t)m + 1, sizeof *f.at)};
    if (((int64_t)n + 1) * ((int64_t)m + 1) <= FOLLOWED_MAX_CELLS)
        walk(&f, before, after, n, m);
    else
        for (int32_t i = 0; i < n || i < m; i++)
            add(&f, before, after, i < n ? i : -1, i < m ? i : -1);
    return f;
}

void followed_free(Followed *followed)
{
    free(followed->at);
    *followed = (Followed){0};
}
