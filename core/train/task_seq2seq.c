/* Training recurrent encoder-decoders on sentence pairs, one a line: source TAB target. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "models/seq2seq_model.h"
#include "train/seq2seq_loss.h"
#include "train/task.h"
#include "train/translation_data.h"

static const Setting seq2seq_training[] = {
    TRANSLATION_SETTINGS,
    {"expectation", SETTING_REAL, "0.5", 0, 1, NULL,
     "align=hard: share of sentences that take the expectation instead of a draw"},
    {"policy", SETTING_REAL, "0.1", 0, 100, NULL, "align=hard: weight of the policy gradient"},
    {"entropy", SETTING_REAL, "0.002", 0, 100, NULL, "align=hard: weight of the entropy bonus"},
    {"baseline", SETTING_CHOICE, "moving", 0, 0, "none|moving",
     "align=hard: what rewards are compared with"},
    {"centre-rate", SETTING_REAL, "1", 0, 100, NULL,
     "align=local-p: learning rate of the predicted centre, as a part of the others'"},
    {"samples", SETTING_INT, "1", 1, 64, NULL, "align=hard: draws for each sentence"},
    {0},
};

typedef struct Seq2SeqTask {
    Model *model;
    TranslationData data;
    Seq2SeqLossSpec loss;
    bool has_baseline;
    double centre_rate;
    int samples;
    double state[2]; /* moving average of log p of a target token, and whether it has begun */
} Seq2SeqTask;

/* ---- opening ---- */

static void seq2seq_task_close(void *task)
{
    Seq2SeqTask *t = task;
    translation_data_free(&t->data);
    model_release(t->model);
    free(t);
}

static void *seq2seq_task_open(const TaskFiles *files, Settings *model_settings,
                               const Settings *training, uint64_t seed, Error *error)
{
    Seq2SeqTask *t = memory_new(1, sizeof *t);
    t->model = model_new(family_find("seq2seq"), settings_copy(model_settings));
    Tokenizers tokenizers;
    bool ok = translation_data_open(&t->data, files, training, &tokenizers, error);
    if (ok)
        t->model->network = translator_new(t->model, tokenizers, error);
    ok = ok && t->model->network && param_set_allocate(t->model->params, error);
    if (!ok) {
        seq2seq_task_close(t);
        return NULL;
    }
    Random random = random_seed(seed, RANDOM_INIT);
    param_set_initialise(t->model->params, &random);
    Real dropout = (Real)settings_real(training, "dropout");
    t->loss = (Seq2SeqLossSpec){
        .dropout = {dropout, dropout, NULL},
        .smoothing = (Real)settings_real(training, "smoothing"),
        .expectation = settings_real(training, "expectation"),
        .policy = (Real)settings_real(training, "policy"),
        .entropy = (Real)settings_real(training, "entropy"),
    };
    t->has_baseline = settings_choice(training, "baseline") == 1;
    t->centre_rate = settings_real(training, "centre-rate");
    t->samples = settings_int(training, "samples");
    return t;
}

static Model *seq2seq_task_model(void *task)
{
    return ((Seq2SeqTask *)task)->model;
}

static int seq2seq_task_plan(void *task, Random *random, int epoch)
{
    (void)epoch;
    Seq2SeqTask *t = task;
    pair_plan(&t->data.plan, t->data.train, t->data.batch_size, random);
    return t->data.plan.n_batches;
}

/* ---- one batch ---- */

static double seq2seq_task_shard(void *task, ShardJob *job, Measures *measures)
{
    const Seq2SeqTask *t = task;
    PairBatch batch = pair_batch(tape_arena(job->tape), t->data.train, &t->data.plan, job->batch,
                                 job->shard, job->n_shards, t->samples);
    if (batch.n == 0)
        return 0;
    Real scale = (Real)1 / (Real)(batch.n_tokens_in_batch * t->samples);
    Seq2SeqLossSpec spec = t->loss;
    spec.baseline = t->has_baseline ? t->state[0] : 0;
    const Translator *translator = t->model->network;
    tape_backward(job->tape, seq2seq_loss(translator->net, job->tape, &batch, &spec, &job->random,
                                          scale, measures, NULL));
    return batch.n_rows;
}

/* The moving average of Show, Attend and Tell: 0.9 old, 0.1 new. */
static void seq2seq_task_batch_done(void *task, const Measures *measures)
{
    Seq2SeqTask *t = task;
    double reward = -measures_get(measures, "loss");
    t->state[0] = t->state[1] != 0 ? 0.9 * t->state[0] + 0.1 * reward : reward;
    t->state[1] = 1;
}

static double *seq2seq_task_state(void *task, int *n)
{
    *n = 2;
    return ((Seq2SeqTask *)task)->state;
}

/* A centre that moves as fast as the rest runs to the sentence's end, where a summary of it
 * all lies, before scores mean anything, and its window keeps it there. */
static void seq2seq_task_rates(void *task, int epoch, double rate,
                               OptimiserGroup groups[PARAM_N_GROUPS])
{
    (void)epoch;
    const Seq2SeqTask *t = task;
    groups[PARAM_GROUP_POLICY] = groups[PARAM_GROUP_MAIN];
    groups[PARAM_GROUP_POLICY].rate = rate * t->centre_rate;
}

/* ---- validation ---- */

typedef struct Validation {
    const Seq2SeqTask *task;
    BatchPlan plan;
} Validation;

static void validate_batch(void *context, int i, Tape *tape, Measures *measures)
{
    Validation *v = context;
    PairBatch batch = pair_batch(tape_arena(tape), v->task->data.valid, &v->plan, i, 0, 1, 1);
    const Translator *translator = v->task->model->network;
    seq2seq_loss(translator->net, tape, &batch, &v->task->loss, NULL, 1, measures, NULL);
}

static bool seq2seq_task_validate(void *task, Workers *workers, Measures *measures, Error *error)
{
    (void)error;
    const Seq2SeqTask *t = task;
    if (!t->data.valid)
        return true;
    Validation v = {.task = t};
    pair_plan(&v.plan, t->data.valid, t->data.batch_size, NULL);
    measures_of_batches(workers, t->model->params, v.plan.n_batches, validate_batch, &v, measures);
    batch_plan_free(&v.plan);
    return true;
}

const TrainTask task_seq2seq = {
    .family = "seq2seq",
    .data_help = "sentence pairs, one a line: source TAB target",
    .settings = seq2seq_training,
    .open = seq2seq_task_open,
    .close = seq2seq_task_close,
    .model = seq2seq_task_model,
    .plan = seq2seq_task_plan,
    .shard = seq2seq_task_shard,
    .unit = "tokens",
    .batch_done = seq2seq_task_batch_done,
    .state = seq2seq_task_state,
    .rates = seq2seq_task_rates,
    .validate = seq2seq_task_validate,
};
