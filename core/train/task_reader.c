/* Training readers on bAbI tasks. */
#include <stdlib.h>
#include <string.h>

#include "train/reader_loss.h"

static const Setting reader_training[] = {
    {"sentences", SETTING_INT, "0", 0, 100000, NULL,
     "only so many last sentences of a story are read; 0: all"},
    {"valid-share", SETTING_REAL, "0.1", 0, 0.9, NULL,
     "without --valid: the last part of every task's questions is held out"},
    {"batch", SETTING_INT, "32", 1, 65536, NULL, "questions in a batch"},
    {"dropout", SETTING_REAL, "0", 0, 0.9, NULL, "of word vectors"},
    {"state-dropout", SETTING_REAL, "0", 0, 0.9, NULL, "of what the recurrent layers give"},
    {"answer-dropout", SETTING_REAL, "0", 0, 0.9, NULL, "of what the answer is read from"},
    {"unknown", SETTING_REAL, "0", 0, 0.9, NULL,
     "share of the words of stories that are read as unknown"},
    {"smoothing", SETTING_REAL, "0", 0, 0.9, NULL, "of the answers"},
    {"gaps", SETTING_REAL, "0", 0, 0.9, NULL, "ages > 0: how often an age is skipped"},
    {"linear", SETTING_INT, "0", 0, 10000, NULL,
     "first epochs without softmax: scores are weights; they are no candidate for the best"},
    {0},
};

typedef struct ReaderTraining {
    Model *model;
    ReaderExamples train, valid;
    BatchPlan plan;
    int batch_size, last_sentences;
    int linear; /* epochs */
    ReaderDropout dropout;
    Real smoothing;
    double unknown, valid_share;
} ReaderTraining;

static const Answerer *answerer_of(const ReaderTraining *t)
{
    return t->model->network;
}

/* ---- opening ---- */

static void reader_task_close(void *task)
{
    ReaderTraining *t = task;
    reader_examples_free(&t->train);
    reader_examples_free(&t->valid);
    batch_plan_free(&t->plan);
    model_release(t->model);
    free(t);
}

static bool build_model(ReaderTraining *t, const ReaderTasks *tasks, uint64_t seed, Error *error)
{
    ClassNames *answers = reader_learn_answers(tasks, error);
    if (!answers)
        return false;
    t->model->network = answerer_new(t->model, reader_learn_words(tasks), answers, error);
    if (!t->model->network || !param_set_allocate(t->model->params, error))
        return false;
    Random random = random_seed(seed, RANDOM_INIT);
    param_set_initialise(t->model->params, &random);
    return true;
}

static bool read_train(ReaderTraining *t, const TaskFiles *files, uint64_t seed, Error *error)
{
    ReaderTasks tasks;
    double held_out = files->valid ? 0 : t->valid_share;
    const ReaderEncoding train = {t->last_sentences, 0, 1 - held_out};
    const ReaderEncoding valid = {0, 1 - held_out, 1};
    bool ok = reader_tasks_read(files->data, "_train.txt", &tasks, error) &&
              build_model(t, &tasks, seed, error) &&
              reader_encode(&tasks, answerer_of(t), &train, &t->train, error) &&
              (held_out == 0 || reader_encode(&tasks, answerer_of(t), &valid, &t->valid, error));
    reader_tasks_free(&tasks);
    return ok && (t->train.n > 0 || error_set(error, ERROR_INPUT,
                                              "%s: no question is left to "
                                              "train on",
                                              files->data));
}

static bool read_valid(ReaderTraining *t, const TaskFiles *files, Error *error)
{
    if (!files->valid)
        return true;
    ReaderTasks tasks;
    const ReaderEncoding all = {0, 0, 1};
    bool ok = reader_tasks_read(files->valid, "_valid.txt", &tasks, error) &&
              reader_encode(&tasks, answerer_of(t), &all, &t->valid, error);
    reader_tasks_free(&tasks);
    return ok;
}

static void *reader_task_open(const TaskFiles *files, Settings *model_settings,
                              const Settings *training, uint64_t seed, Error *error)
{
    ReaderTraining *t = memory_new(1, sizeof *t);
    t->model = model_new(family_find("reader"), settings_copy(model_settings));
    t->batch_size = settings_int(training, "batch");
    t->last_sentences = settings_int(training, "sentences");
    t->smoothing = (Real)settings_real(training, "smoothing");
    t->linear = settings_int(training, "linear");
    t->unknown = settings_real(training, "unknown");
    t->valid_share = settings_real(training, "valid-share");
    t->dropout = (ReaderDropout){.embedding = (Real)settings_real(training, "dropout"),
                                 .states = (Real)settings_real(training, "state-dropout"),
                                 .gaps = settings_real(training, "gaps"),
                                 .answer = (Real)settings_real(training, "answer-dropout")};
    if (read_train(t, files, seed, error) && read_valid(t, files, error))
        return t;
    reader_task_close(t);
    return NULL;
}

static Model *reader_task_model(void *task)
{
    return ((ReaderTraining *)task)->model;
}

static int reader_task_plan(void *task, Random *random, int epoch)
{
    (void)epoch;
    ReaderTraining *t = task;
    reader_plan(&t->plan, &t->train, t->batch_size, random);
    return t->plan.n_batches;
}

/* ---- one batch ---- */

static double reader_task_shard(void *task, ShardJob *job, Measures *measures)
{
    const ReaderTraining *t = task;
    ReaderExamplesBatch batch =
        reader_examples_batch(tape_arena(job->tape), &t->train, &t->plan, job->batch, job->shard,
                              job->n_shards, t->unknown, &job->random);
    if (batch.n == 0)
        return 0;
    ReaderDropout dropout = t->dropout;
    dropout.random = &job->random;
    dropout.linear = job->epoch < t->linear;
    tape_backward(job->tape, reader_loss(answerer_of(t)->net, job->tape, &batch, &dropout,
                                         t->smoothing, (Real)1 / (Real)batch.n_in_batch, measures));
    return batch.n;
}

static bool reader_task_counts(void *task, int epoch)
{
    return epoch >= ((ReaderTraining *)task)->linear;
}

/* ---- validation ---- */

typedef struct Validation {
    const ReaderTraining *task;
    BatchPlan plan;
} Validation;

static void validate_batch(void *context, int i, Tape *tape, Measures *measures)
{
    const Validation *v = context;
    ReaderExamplesBatch batch =
        reader_examples_batch(tape_arena(tape), &v->task->valid, &v->plan, i, 0, 1, 0, NULL);
    reader_loss(answerer_of(v->task)->net, tape, &batch, NULL, 0, 1, measures);
}

static bool reader_task_validate(void *task, Workers *workers, Measures *measures, Error *error)
{
    (void)error;
    const ReaderTraining *t = task;
    if (t->valid.n == 0)
        return true;
    Validation v = {.task = t};
    reader_plan(&v.plan, &t->valid, t->batch_size, NULL);
    measures_of_batches(workers, t->model->params, v.plan.n_batches, validate_batch, &v, measures);
    batch_plan_free(&v.plan);
    return true;
}

const TrainTask task_reader = {
    .family = "reader",
    .data_help = "a task in bAbI's format, or a folder of files *_train.txt",
    .settings = reader_training,
    .open = reader_task_open,
    .close = reader_task_close,
    .model = reader_task_model,
    .plan = reader_task_plan,
    .shard = reader_task_shard,
    .unit = "questions",
    .validate = reader_task_validate,
    .counts = reader_task_counts,
};
