#include "train/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void measures_add(Measures *measures, const char *name, double value, double weight)
{
    int i = 0;
    while (i < measures->n && strcmp(measures->item[i].name, name) != 0)
        i++;
    if (i == measures->n) {
        FOVEA_CHECK(i < MEASURES_MAX, "too many measures for \"%s\"", name);
        measures->item[i].name = name;
        measures->item[i].sum = measures->item[i].weight = 0;
        measures->n++;
    }
    measures->item[i].sum += value * weight;
    measures->item[i].weight += weight;
}

void measures_merge(Measures *into, const Measures *from)
{
    for (int i = 0; i < from->n; i++)
        if (from->item[i].weight > 0)
            measures_add(into, from->item[i].name, from->item[i].sum / from->item[i].weight,
                         from->item[i].weight);
}

double measures_get(const Measures *measures, const char *name)
{
    for (int i = 0; i < measures->n; i++)
        if (strcmp(measures->item[i].name, name) == 0 && measures->item[i].weight > 0)
            return measures->item[i].sum / measures->item[i].weight;
    return NAN;
}

/* ---- batches ---- */

typedef struct Batches {
    const ParamSet *params;
    MeasureBatch *measure;
    void *context;
    Measures *found; /* one for each batch: nothing is shared between threads */
} Batches;

static void measure_batch(void *context, int i)
{
    const Batches *b = context;
    Tape *tape = tape_new_inference(b->params);
    b->measure(b->context, i, tape, &b->found[i]);
    tape_free(tape);
}

void measures_of_batches(Workers *workers, const ParamSet *params, int n, MeasureBatch *measure,
                         void *context, Measures *out)
{
    Batches b = {params, measure, context, memory_new((size_t)n + 1, sizeof *b.found)};
    workers_run(workers, n, measure_batch, &b);
    for (int i = 0; i < n; i++)
        measures_merge(out, &b.found[i]);
    free(b.found);
}
