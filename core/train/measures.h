/* measures.h - named means that a batch, an epoch or a validation reports.
 *
 * A measure is a sum of values and a sum of their weights; its value is their quotient.
 * Merging in a fixed order makes the sums, to the last bit, independent of who computed what.
 *
 * Memory: plain data; names are string literals. Threads: one Measures belongs to one thread.
 * Depends on: base, grad (the tape of a batch).
 */
#ifndef FOVEA_TRAIN_MEASURES_H
#define FOVEA_TRAIN_MEASURES_H
#include "base/thread.h"
#include "grad/tape.h"

#define MEASURES_MAX 16 /* names in one Measures; more are a bug */

/* Zero-initialised: empty. */
typedef struct Measures {
    int n;
    struct {
        const char *name;
        double sum, weight;
    } item[MEASURES_MAX];
} Measures;

/* Adds value * weight under a name (a string literal). */
void measures_add(Measures *measures, const char *name, double value, double weight);
/* What weighs nothing is left out. */
void measures_merge(Measures *into, const Measures *from);
double measures_get(const Measures *measures, const char *name); /* NaN when absent */

/* Measures batch i of `context` into `out` (empty at first). The tape does not record and is
 * fresh: the batch may live in its arena. Runs on any thread, several batches at once. */
typedef void MeasureBatch(void *context, int i, Tape *tape, Measures *out);

/* Merges what measure(context, i, ...) finds for i = 0 .. n - 1, in that order, into `out`. */
void measures_of_batches(Workers *workers, const ParamSet *params, int n, MeasureBatch *measure,
                         void *context, Measures *out);

#endif
