/* Which tensors of a trace are drawn, and which belong together. */
#include <stdio.h>
#include <string.h>

#include "views/values.h"

/* "attention.weights" -> 9, the length of its group. */
static size_t group_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

static bool is_of_group(const TraceTensor *tensor, const char *group)
{
    size_t n = group_length(tensor->name);
    return strlen(group) == n && memcmp(tensor->name, group, n) == 0;
}

static bool ends_in(const TraceTensor *tensor, const char *what)
{
    const char *dot = strrchr(tensor->name, '.');
    return dot && strcmp(dot + 1, what) == 0;
}

/* Hidden vectors, single numbers, gold links and verdicts are drawn elsewhere. */
static bool is_drawable(const Trace *trace, const TraceTensor *t)
{
    if (t->role == TRACE_STATE || t->role == TRACE_SCALAR || strncmp(t->name, "gold.", 5) == 0)
        return false;
    const TraceAxis *last = trace_axis(trace, t->axis[t->rank - 1]);
    return last->kind != TRACE_AXIS_CLASS && (last->len > 0 || t->rank > 1);
}

/* Lower comes first. */
static int interest(const Trace *trace, const TraceTensor *t)
{
    if (!is_drawable(trace, t))
        return -1;
    int group = is_of_group(t, "attention") ? 0 : is_of_group(t, "cross") ? 1 : 2;
    int what = t->role == TRACE_WEIGHTS ? (ends_in(t, "weights") ? 0 : 1) : 2 + (int)t->role;
    return (t->rank > 1 ? 0 : 1000) + what * 10 + group;
}

const TraceTensor *values_candidate(const Trace *trace, int i)
{
    int n = trace_n_tensors(trace), shown = 0;
    int last = -1, last_place = -1;
    for (;;) {
        const TraceTensor *best = NULL;
        int best_interest = 0, best_place = 0;
        for (int k = 0; k < n; k++) {
            const TraceTensor *t = trace_tensor(trace, k);
            int rank = interest(trace, t);
            bool is_later = rank > last || (rank == last && k > last_place);
            if (rank >= 0 && is_later && (!best || rank < best_interest)) {
                best = t;
                best_interest = rank;
                best_place = k;
            }
        }
        if (!best || shown++ == i)
            return best;
        last = best_interest;
        last_place = best_place;
    }
}

const TraceTensor *values_main(const Trace *trace)
{
    return values_candidate(trace, 0);
}

const TraceTensor *values_named(const Trace *trace, const char *name)
{
    const TraceTensor *found = name[0] ? trace_find(trace, name) : NULL;
    return found ? found : values_main(trace);
}

const TraceTensor *values_sibling(const Trace *trace, const TraceTensor *tensor, const char *what)
{
    if (!tensor)
        return NULL;
    char name[512];
    size_t n = group_length(tensor->name);
    if (n + strlen(what) + 2 > sizeof name)
        return NULL;
    memcpy(name, tensor->name, n);
    snprintf(name + n, sizeof name - n, ".%s", what);
    const TraceTensor *found = trace_find(trace, name);
    if (!found || found->rank != tensor->rank)
        return NULL;
    for (int32_t d = 0; d < tensor->rank; d++)
        if (found->axis[d] != tensor->axis[d])
            return NULL;
    return found;
}

int32_t values_step_axis(const Trace *trace)
{
    int32_t steps = trace_n_steps(trace);
    if (steps == 0)
        return -1;
    int32_t target = trace_find_axis(trace, "target");
    if (target >= 0 && trace_axis(trace, target)->len == steps)
        return target;
    for (int32_t i = 0; i < trace_n_axes(trace); i++)
        if (trace_axis(trace, i)->kind == TRACE_AXIS_STEP && trace_axis(trace, i)->len == steps)
            return i;
    /* Reading word by word: the queries are the words themselves. */
    const TraceTensor *main = values_main(trace);
    if (!main || main->rank < 2)
        return -1;
    int32_t rows = main->axis[main->rank - 2];
    return trace_axis(trace, rows)->len == steps ? rows : -1;
}

ValuesPlace values_place(const ViewFrame *frame, const ValuesSpec *spec)
{
    ValuesPlace place = {""};
    size_t n = 0;
    if (spec->reduction == VALUES_ROLLOUT && spec->tensor->rank > 2) {
        snprintf(place.text, sizeof place.text, "%s", view_word(frame, WORD_ROLLOUT));
        return place;
    }
    for (int32_t d = 0; d + 2 < spec->tensor->rank; d++) {
        const TraceAxis *axis = trace_axis(spec->trace, spec->tensor->axis[d]);
        const char *comma = n ? ", " : "", *name = view_name(frame, axis->name);
        int wrote;
        if (spec->at[d] == GRID_ALL)
            wrote = snprintf(
                place.text + n, sizeof place.text - n,
                view_word(frame, spec->reduction == VALUES_MAX ? WORD_MAX_OVER : WORD_MEAN_OVER),
                comma, name);
        else if (axis->labels)
            wrote = snprintf(place.text + n, sizeof place.text - n, "%s%s %s", comma, name,
                             view_name(frame, axis->labels[spec->at[d]]));
        else
            wrote = snprintf(place.text + n, sizeof place.text - n, "%s%s %d", comma, name,
                             (int)spec->at[d] + 1);
        if (wrote < 0 || n + (size_t)wrote >= sizeof place.text)
            break;
        n += (size_t)wrote;
    }
    return place;
}
