/* Training a Transformer on sentence pairs, one a line: source TAB target. */
#include <stdlib.h>

#include "models/transformer_model.h"
#include "train/task.h"
#include "train/transformer_loss.h"
#include "train/translation_data.h"

static const Setting transformer_training[] = {TRANSLATION_SETTINGS, {0}};

typedef struct TransformerTask {
    Model *model;
    TranslationData data;
    Real dropout, smoothing;
} TransformerTask;

static void transformer_task_close(void *task)
{
    TransformerTask *t = task;
    translation_data_free(&t->data);
    model_release(t->model);
    free(t);
}

static void *transformer_task_open(const TaskFiles *files, Settings *model_settings,
                                   const Settings *training, uint64_t seed, Error *error)
{
    TransformerTask *t = memory_new(1, sizeof *t);
    t->model = model_new(family_find("transformer"), settings_copy(model_settings));
    Tokenizers tokenizers;
    bool ok = translation_data_open(&t->data, files, training, &tokenizers, error);
    if (ok)
        t->model->network = transformer_translator_new(t->model, tokenizers, error);
    ok = ok && t->model->network && param_set_allocate(t->model->params, error);
    if (!ok) {
        transformer_task_close(t);
        return NULL;
    }
    Random random = random_seed(seed, RANDOM_INIT);
    param_set_initialise(t->model->params, &random);
    t->dropout = (Real)settings_real(training, "dropout");
    t->smoothing = (Real)settings_real(training, "smoothing");
    return t;
}

static Model *transformer_task_model(void *task)
{
    return ((TransformerTask *)task)->model;
}

static int transformer_task_plan(void *task, Random *random, int epoch)
{
    (void)epoch;
    TransformerTask *t = task;
    pair_plan(&t->data.plan, t->data.train, t->data.batch_size, random);
    return t->data.plan.n_batches;
}

static double transformer_task_shard(void *task, ShardJob *job, Measures *measures)
{
    const TransformerTask *t = task;
    const TransformerTranslator *translator = t->model->network;
    SequenceBatch batch = sequence_batch(tape_arena(job->tape), t->data.train, &t->data.plan,
                                         job->batch, job->shard, job->n_shards);
    if (batch.n == 0)
        return 0;
    const TransformerDropout dropout = {t->dropout, &job->random};
    Real scale = (Real)1 / (Real)batch.n_tokens_in_batch;
    tape_backward(job->tape, transformer_loss(translator->net, job->tape, &batch, &dropout,
                                              t->smoothing, scale, measures));
    return batch.targets.rows;
}

/* ---- validation ---- */

typedef struct Validation {
    const TransformerTask *task;
    BatchPlan plan;
} Validation;

static void validate_batch(void *context, int i, Tape *tape, Measures *measures)
{
    Validation *v = context;
    const TransformerTranslator *translator = v->task->model->network;
    SequenceBatch batch = sequence_batch(tape_arena(tape), v->task->data.valid, &v->plan, i, 0, 1);
    transformer_loss(translator->net, tape, &batch, NULL, 0, 1, measures);
}

static bool transformer_task_validate(void *task, Workers *workers, Measures *measures,
                                      Error *error)
{
    (void)error;
    const TransformerTask *t = task;
    if (!t->data.valid)
        return true;
    Validation v = {.task = t};
    pair_plan(&v.plan, t->data.valid, t->data.batch_size, NULL);
    measures_of_batches(workers, t->model->params, v.plan.n_batches, validate_batch, &v, measures);
    batch_plan_free(&v.plan);
    return true;
}

const TrainTask task_transformer = {
    .family = "transformer",
    .data_help = "sentence pairs, one a line: source TAB target",
    .settings = transformer_training,
    .open = transformer_task_open,
    .close = transformer_task_close,
    .model = transformer_task_model,
    .plan = transformer_task_plan,
    .shard = transformer_task_shard,
    .unit = "tokens",
    .validate = transformer_task_validate,
};
