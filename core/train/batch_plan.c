#include "train/batch_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define POOL_BATCHES 100 /* so many batches are sorted by length together */

typedef struct Keyed {
    int key, index;
} Keyed;

static int by_key(const void *a, const void *b)
{
    const Keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void sort_pool(int *order, int n, const int *length, Keyed *scratch)
{
    for (int i = 0; i < n; i++)
        scratch[i] = (Keyed){length[order[i]], order[i]};
    qsort(scratch, (size_t)n, sizeof *scratch, by_key);
    for (int i = 0; i < n; i++)
        order[i] = scratch[i].index;
}

static void cut_batches(BatchPlan *plan, int n, const int *length, const BatchPlanSpec *spec)
{
    plan->start = memory_resize(plan->start, (size_t)n + 1, sizeof *plan->start);
    plan->n_batches = 0;
    plan->start[0] = 0;
    long sum = 0;
    for (int i = 0, size = 0; i < n; i++, size++) {
        int more = length[plan->order[i]];
        if (size == spec->size || (size > 0 && spec->limit > 0 && sum + more > spec->limit)) {
            plan->start[++plan->n_batches] = i;
            size = 0;
            sum = 0;
        }
        sum += more;
    }
    if (n > 0)
        plan->start[++plan->n_batches] = n;
}

static void shuffle_batches(BatchPlan *plan, int n, Random *random)
{
    int *sequence = memory_new((size_t)plan->n_batches + 1, sizeof *sequence);
    int *order = memory_new((size_t)n + 1, sizeof *order);
    int *start = memory_new((size_t)n + 1, sizeof *start);
    for (int b = 0; b < plan->n_batches; b++)
        sequence[b] = b;
    random_shuffle(random, sequence, plan->n_batches);
    for (int b = 0; b < plan->n_batches; b++) {
        int from = plan->start[sequence[b]], size = plan->start[sequence[b] + 1] - from;
        memcpy(order + start[b], plan->order + from, (size_t)size * sizeof *order);
        start[b + 1] = start[b] + size;
    }
    free(plan->order);
    free(plan->start);
    free(sequence);
    plan->order = order;
    plan->start = start;
}

void batch_plan(BatchPlan *plan, int n, const int *length, const BatchPlanSpec *spec,
                Random *random)
{
    plan->order = memory_resize(plan->order, (size_t)n + 1, sizeof *plan->order);
    for (int i = 0; i < n; i++)
        plan->order[i] = i;
    if (random)
        random_shuffle(random, plan->order, n);
    int pool = random ? spec->size * POOL_BATCHES : n;
    Keyed *scratch = memory_new((size_t)n + 1, sizeof *scratch);
    for (int at = 0; at < n; at += pool)
        sort_pool(plan->order + at, n - at < pool ? n - at : pool, length, scratch);
    free(scratch);
    cut_batches(plan, n, length, spec);
    if (random)
        shuffle_batches(plan, n, random);
}

void batch_plan_free(BatchPlan *plan)
{
    free(plan->order);
    free(plan->start);
    *plan = (BatchPlan){0};
}
