/* batch_plan.h - the order of one epoch: examples of like length in one batch.
 *
 * Examples are shuffled; pools of many batches are sorted by length and cut; the batches are
 * shuffled again. So batches are even and no two epochs are alike. Without random numbers all
 * examples are sorted once (validation).
 */
#ifndef FOVEA_TRAIN_BATCH_PLAN_H
#define FOVEA_TRAIN_BATCH_PLAN_H
#include "base/random.h"

/* Batch b is order[start[b] .. start[b + 1]). Zero-initialised is empty. */
typedef struct BatchPlan {
    int *order;
    int *start;
    int n_batches;
} BatchPlan;

typedef struct BatchPlanSpec {
    int size;   /* examples in a batch                                                       */
    long limit; /* the lengths of a batch add up to no more; 0: any. One that is longer still
                   is a batch of its own                                                     */
} BatchPlanSpec;

/* length [n] >= 0. Ties stay in the order of their numbers. Reuses the plan's memory. */
void batch_plan(BatchPlan *plan, int n, const int *length, const BatchPlanSpec *spec,
                Random *random);
void batch_plan_free(BatchPlan *plan);

#endif
