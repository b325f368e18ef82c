/* task.h - what a family must provide to be trained.
 *
 * A task owns its data and knows how to make the loss of one batch; the loop (loop.h) owns
 * everything else: order, optimiser, schedule, validation, checkpoints, progress.
 *
 * A batch is computed in a fixed number of shards, each on a tape of its own, whose
 * gradients are added in order: threads only decide how many shards run at once, so the
 * result does not depend on them.
 *
 * Random numbers inside a shard come from (seed, step, shard) alone: a resumed run draws
 * the same ones without storing any state.
 */
#ifndef FOVEA_TRAIN_TASK_H
#define FOVEA_TRAIN_TASK_H
#include "base/settings.h"
#include "models/family.h"
#include "train/measures.h"
#include "train/optimiser.h"

typedef struct TaskFiles {
    const char *data;
    const char *valid; /* NULL: the task takes a part of the data, or none */
} TaskFiles;

/* What one shard is asked to do. */
typedef struct ShardJob {
    Tape *tape;
    int batch; /* of the epoch's plan */
    int shard, n_shards;
    int epoch;
    uint64_t step; /* of the whole run, from 0 */
    Random random; /* own stream */
} ShardJob;

typedef struct TrainTask {
    const char *family;
    const char *data_help;   /* what --data must look like; NULL: the task makes its own data */
    const Setting *settings; /* of the training itself, beside the loop's own */

    /* Reads the data, builds vocabularies and the model (declared, allocated, initialised). */
    void *(*open)(const TaskFiles *files, Settings *model_settings, const Settings *training,
                  uint64_t seed, Error *error);
    void (*close)(void *task);
    Model *(*model)(void *task);

    /* Puts the examples of one epoch into batches; returns how many. */
    int (*plan)(void *task, Random *random, int epoch);
    /* Loss and backward pass of one shard; adds to the measures "loss" (weight = what it is
     * averaged over) and others. Returns items processed (tokens, documents) for the
     * progress line. */
    double (*shard)(void *task, ShardJob *job, Measures *measures);
    /* Unit of what `shard` returns: "words". */
    const char *unit;

    /* After each batch, with the measures of all its shards; NULL: nothing to do. */
    void (*batch_done)(void *task, const Measures *measures);
    /* Numbers that a checkpoint must keep for it (moving averages); NULL: none. */
    double *(*state)(void *task, int *n);

    /* Held-out measures; "loss" is what early stopping watches. NULL: no validation data. */
    bool (*validate)(void *task, Workers *workers, Measures *measures, Error *error);

    /* false: the epoch prepares for later ones; its weights are no candidate for the best and
     * it does not try patience. NULL: every epoch counts. */
    bool (*counts)(void *task, int epoch);

    /* Learning rates of this step; NULL: the loop's rate for the main group, none else. */
    void (*rates)(void *task, int epoch, double rate, OptimiserGroup groups[PARAM_N_GROUPS]);
} TrainTask;

const TrainTask *task_find(const char *family); /* NULL when it cannot be trained */
const TrainTask *task_at(int i);

#endif
