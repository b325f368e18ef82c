/* loop_state.h - everything a training run knows; private to loop.c and checkpoint.c. */
#ifndef FOVEA_TRAIN_LOOP_STATE_H
#define FOVEA_TRAIN_LOOP_STATE_H
#include <jansson.h>

#include "train/loop.h"

typedef struct Shard {
    Tape *tape;
    Real *gradient;
    Measures measures;
    double items;
} Shard;

typedef struct Loop {
    const TrainRequest *request;
    void *context; /* the task's */
    Model *model;
    ParamSet *params;
    size_t size;
    Optimiser *optimiser;
    Workers *workers;
    Shard *shards;
    int n_shards;
    uint64_t seed;

    /* What a checkpoint holds, beside the arrays. */
    Real *averaged;
    Real *best;
    double best_loss;
    int best_epoch, bad_epochs;
    int epoch, batch; /* from 0 */
    uint64_t step;
    Random order, order_at_start; /* of the plan: now, and before the running epoch */
    bool is_mid_epoch;
    Measures measures; /* of the epoch so far */
    double moving_loss;
    double total_seconds; /* of earlier runs */
    json_t *history;
    json_t *resumed; /* what was read, or NULL; owns measure names */

    /* Not stored. */
    int n_batches;
    double items, seconds;
    int n_timed;
} Loop;

#endif
