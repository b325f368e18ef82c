/* loop.h - training from the first batch to the saved model.
 *
 * Each epoch: plan, batches, validation. The learning rate is multiplied by `decay` every
 * epoch from `decay-from` on (or follows warm-up and inverse square root); training stops
 * after `patience` epochs without a better validation loss; the best weights are saved.
 *
 * A checkpoint (OUT.checkpoint, removed at the end) is written every `checkpoint` minutes,
 * after each epoch and when stopping was requested. Resuming from it continues bit for bit:
 * it holds values, optimiser state, the best weights, the place in the epoch and the
 * measures so far.
 *
 * Before the first batch it is tried whether anything can be written beside OUT. A checkpoint
 * that cannot be written later (a full disk) does not end the run: it is said, and the next one
 * is another attempt. A finished model that cannot be written is tried again until it can, or
 * until a stop is requested.
 */
#ifndef FOVEA_TRAIN_LOOP_H
#define FOVEA_TRAIN_LOOP_H
#include "train/task.h"

extern const Setting loop_settings[];

/* What a person watches; called from the training thread. */
typedef struct TrainProgress {
    int epoch, n_epochs; /* from 1 */
    int batch, n_batches;
    double loss;             /* moving average                     */
    double rate;             /* learning rate                      */
    double items_per_second; /* words, documents, ...              */
    double seconds_left;     /* of this epoch                      */
    const char *unit;
    const Measures *train; /* of the epoch so far                  */
    const Measures *valid; /* only at the end of an epoch, or NULL */
    bool is_best;
} TrainProgress;

typedef struct TrainRequest {
    const TrainTask *task;
    TaskFiles files;
    const char *output;
    Settings *model_settings; /* stays the caller's */
    Settings *loop;           /* loop_settings      */
    Settings *training;       /* task->settings     */
    bool resume;
    const char *command;    /* how it was called, for the provenance; or NULL */
    const char *provenance; /* JSON object to put into it (data licence, ...), or NULL */
    const char *title;      /* or NULL */
    int n_examples;
    const char *const *examples;
    const StopFlag *stop;
    void (*progress)(void *context, const TrainProgress *progress);
    void (*warn)(void *context, const Error *error); /* what could not be written; or NULL */
    void *context;
} TrainRequest;

/* true when a model was saved; ERROR_CANCELLED after a stop, with a checkpoint left. ERROR_INPUT
 * when OUT.checkpoint is there and `resume` is not set: nobody's hours are written over. */
bool train_run(const TrainRequest *request, Error *error) FOVEA_MUST_USE;

#endif
