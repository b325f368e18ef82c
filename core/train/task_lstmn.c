/* Training language models on text, one sentence a line. */
#include <stdlib.h>

#include "models/language_model.h"
#include "train/language_loss.h"

static const Setting lstmn_training[] = {
    {"merges", SETTING_INT, "5000", 0, 100000, NULL, "byte-pair merges to learn"},
    {"max-pieces", SETTING_INT, "30", 0, 10000, NULL, "longer sentences are left out; 0: none"},
    {"batch", SETTING_INT, "64", 1, 65536, NULL, "sentences in a batch"},
    {"dropout", SETTING_REAL, "0.2", 0, 0.9, NULL, "of word vectors and readout"},
    {0},
};

typedef struct LstmnTask {
    Model *model;
    Pairs *train, *valid;
    BatchPlan plan;
    int batch_size;
    Real dropout;
} LstmnTask;

static const LanguageModel *language_of(const LstmnTask *t)
{
    return t->model->network;
}

/* ---- opening ---- */

static void lstmn_task_close(void *task)
{
    LstmnTask *t = task;
    pairs_free(t->train);
    pairs_free(t->valid);
    batch_plan_free(&t->plan);
    model_release(t->model);
    free(t);
}

static Tokenizer *learn(const LanguageLines *lines, int merges)
{
    const TokenizerSpec spec = {.n_merges = merges, .fold = true};
    TokenizerLearner *learner = tokenizer_learner_new(&spec);
    for (int i = 0; i < lines->n; i++)
        tokenizer_learner_add(learner, lines->items[i].text, lines->items[i].n);
    return tokenizer_learner_finish(learner);
}

static bool read_train(LstmnTask *t, const char *path, const Settings *training, uint64_t seed,
                       Error *error)
{
    LanguageLines lines;
    if (!language_lines_read(path, &lines, error))
        return false;
    t->model->network =
        language_model_new(t->model, learn(&lines, settings_int(training, "merges")));
    bool ok = param_set_allocate(t->model->params, error);
    if (ok) {
        Random random = random_seed(seed, RANDOM_INIT);
        param_set_initialise(t->model->params, &random);
        t->train = language_encode(&lines, path, language_of(t)->tokenizer,
                                   settings_int(training, "max-pieces"), error);
    }
    language_lines_free(&lines);
    return ok && t->train;
}

static bool read_valid(LstmnTask *t, const char *path, Error *error)
{
    LanguageLines lines;
    if (!language_lines_read(path, &lines, error))
        return false;
    t->valid = language_encode(&lines, path, language_of(t)->tokenizer, 0, error);
    language_lines_free(&lines);
    return t->valid != NULL;
}

static void *lstmn_task_open(const TaskFiles *files, Settings *model_settings,
                             const Settings *training, uint64_t seed, Error *error)
{
    LstmnTask *t = memory_new(1, sizeof *t);
    t->model = model_new(family_find("lstmn"), settings_copy(model_settings));
    t->batch_size = settings_int(training, "batch");
    t->dropout = (Real)settings_real(training, "dropout");
    if (read_train(t, files->data, training, seed, error) &&
        (!files->valid || read_valid(t, files->valid, error)))
        return t;
    lstmn_task_close(t);
    return NULL;
}

static Model *lstmn_task_model(void *task)
{
    return ((LstmnTask *)task)->model;
}

static int lstmn_task_plan(void *task, Random *random, int epoch)
{
    (void)epoch;
    LstmnTask *t = task;
    pair_plan(&t->plan, t->train, t->batch_size, random);
    return t->plan.n_batches;
}

/* ---- one batch ---- */

static double lstmn_task_shard(void *task, ShardJob *job, Measures *measures)
{
    const LstmnTask *t = task;
    LanguageBatch batch = language_batch(tape_arena(job->tape), t->train, &t->plan, job->batch,
                                         job->shard, job->n_shards);
    if (batch.rows.n == 0)
        return 0;
    Real scale = (Real)1 / (Real)batch.n_tokens_in_batch;
    tape_backward(job->tape, language_loss(language_of(t)->net, job->tape, &batch, t->dropout,
                                           &job->random, scale, measures));
    return batch.rows.rows;
}

/* ---- validation ---- */

typedef struct Validation {
    const LstmnTask *task;
    BatchPlan plan;
} Validation;

static void validate_batch(void *context, int i, Tape *tape, Measures *measures)
{
    Validation *v = context;
    LanguageBatch batch = language_batch(tape_arena(tape), v->task->valid, &v->plan, i, 0, 1);
    language_loss(language_of(v->task)->net, tape, &batch, 0, NULL, 1, measures);
}

static bool lstmn_task_validate(void *task, Workers *workers, Measures *measures, Error *error)
{
    (void)error;
    const LstmnTask *t = task;
    if (!t->valid)
        return true;
    Validation v = {.task = t};
    pair_plan(&v.plan, t->valid, t->batch_size, NULL);
    measures_of_batches(workers, t->model->params, v.plan.n_batches, validate_batch, &v, measures);
    batch_plan_free(&v.plan);
    return true;
}

const TrainTask task_lstmn = {
    .family = "lstmn",
    .data_help = "text, one sentence a line; what follows a TAB is left out, repeats count once",
    .settings = lstmn_training,
    .open = lstmn_task_open,
    .close = lstmn_task_close,
    .model = lstmn_task_model,
    .plan = lstmn_task_plan,
    .shard = lstmn_task_shard,
    .unit = "tokens",
    .validate = lstmn_task_validate,
};
