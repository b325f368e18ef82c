/* Training document classifiers on lines of label TAB text. */
#include <stdlib.h>

#include "train/han_loss.h"

static const Setting han_training[] = {
    LABELLED_SETTINGS,
    {"min-count", SETTING_INT, "5", 1, 1e6, NULL, "rarer words are <unk>"},
    {"batch", SETTING_INT, "32", 1, 65536, NULL, "documents in a batch"},
    {"batch-words", SETTING_INT, "20000", 0, 1e9, NULL,
     "words in a batch at most; a longer document is a batch of its own; 0: any"},
    {"dropout", SETTING_REAL, "0.3", 0, 0.9, NULL, "of word vectors and the document's vector"},
    {"state-dropout", SETTING_REAL, "0", 0, 0.9, NULL, "of what is pooled, at both levels"},
    {"word-dropout", SETTING_REAL, "0", 0, 0.9, NULL, "of whole words, read as <unk>"},
    {"smoothing", SETTING_REAL, "0", 0, 0.9, NULL, "of the labels"},
    {"word-entropy", SETTING_REAL, "0", 0, 100, NULL, "cost of a nat of spread among words"},
    {"sentence-entropy", SETTING_REAL, "0", 0, 100, NULL, "the same among sentences"},
    {"update-bias", SETTING_REAL, "0", -10, 10, NULL,
     "of the words' update gates at the start: the larger, the shorter their memory"},
    {0},
};

typedef struct HanTask {
    Model *model;
    Documents train, valid;
    BatchPlan plan;
    BatchPlanSpec spec;
    HanLossSpec loss;
    double unknown;
} HanTask;

static const HanClassifier *classifier_of(const HanTask *t)
{
    return t->model->network;
}

/* ---- opening ---- */

static void han_task_close(void *task)
{
    HanTask *t = task;
    documents_free(&t->train);
    documents_free(&t->valid);
    batch_plan_free(&t->plan);
    model_release(t->model);
    free(t);
}

static Vocabulary *learn_words(const Labelled *labelled, int min_count)
{
    const VocabularySpec spec = {.min_count = min_count};
    VocabularyLearner *learner = vocabulary_learner_new(&spec);
    for (int i = 0; i < labelled->n; i++)
        vocabulary_learner_add(learner, labelled->items[i].text, labelled->items[i].n);
    return vocabulary_learner_finish(learner);
}

/* Takes over the classes. */
static bool build_model(HanTask *t, const Labelled *labelled, ClassNames *classes,
                        const Settings *training, uint64_t seed, Error *error)
{
    Vocabulary *words = learn_words(labelled, settings_int(training, "min-count"));
    HanClassifier *classifier = han_classifier_new(t->model, words, classes);
    t->model->network = classifier;
    if (!param_set_allocate(t->model->params, error))
        return false;
    Random random = random_seed(seed, RANDOM_INIT);
    param_set_initialise(t->model->params, &random);
    han_set_update_bias(classifier->net, t->model->params,
                        (Real)settings_real(training, "update-bias"));
    return true;
}

static bool read_train(HanTask *t, const char *path, const Settings *training, uint64_t seed,
                       Error *error)
{
    Labelled labelled;
    ClassNames *classes = NULL;
    const LabelledSpec spec = labelled_spec(training);
    if (!labelled_read(path, &spec, &classes, &labelled, error)) {
        class_names_free(classes);
        return false;
    }
    bool ok = build_model(t, &labelled, classes, training, seed, error);
    if (ok)
        t->train = documents_encode(&labelled, classifier_of(t));
    labelled_free(&labelled);
    return ok;
}

static bool read_valid(HanTask *t, const char *path, const Settings *training, Error *error)
{
    Labelled labelled;
    ClassNames *classes = classifier_of(t)->classes;
    const LabelledSpec spec = labelled_spec(training);
    if (!labelled_read(path, &spec, &classes, &labelled, error))
        return false;
    t->valid = documents_encode(&labelled, classifier_of(t));
    labelled_free(&labelled);
    return true;
}

static void read_settings(HanTask *t, const Settings *training)
{
    Real dropout = (Real)settings_real(training, "dropout");
    t->spec = (BatchPlanSpec){settings_int(training, "batch"),
                              (long)settings_int(training, "batch-words")};
    t->unknown = settings_real(training, "word-dropout");
    t->loss = (HanLossSpec){
        .dropout = {dropout, (Real)settings_real(training, "state-dropout"), dropout, NULL},
        .smoothing = (Real)settings_real(training, "smoothing"),
        .word_entropy = (Real)settings_real(training, "word-entropy"),
        .sentence_entropy = (Real)settings_real(training, "sentence-entropy"),
    };
}

static void *han_task_open(const TaskFiles *files, Settings *model_settings,
                           const Settings *training, uint64_t seed, Error *error)
{
    HanTask *t = memory_new(1, sizeof *t);
    t->model = model_new(family_find("han"), settings_copy(model_settings));
    read_settings(t, training);
    if (read_train(t, files->data, training, seed, error) &&
        (!files->valid || read_valid(t, files->valid, training, error)))
        return t;
    han_task_close(t);
    return NULL;
}

static Model *han_task_model(void *task)
{
    return ((HanTask *)task)->model;
}

static int han_task_plan(void *task, Random *random, int epoch)
{
    (void)epoch;
    HanTask *t = task;
    document_plan(&t->plan, &t->train, &t->spec, random);
    return t->plan.n_batches;
}

/* ---- one batch ---- */

static double han_task_shard(void *task, ShardJob *job, Measures *measures)
{
    const HanTask *t = task;
    int begin = t->plan.start[job->batch], size = t->plan.start[job->batch + 1] - begin;
    int from = begin + (int)((long)size * job->shard / job->n_shards);
    int to = begin + (int)((long)size * (job->shard + 1) / job->n_shards);
    if (from == to)
        return 0;
    HanLossSpec spec = t->loss;
    spec.dropout.random = &job->random;
    DocumentBatch batch = document_batch(tape_arena(job->tape), &t->train, to - from,
                                         t->plan.order + from, t->unknown, &job->random);
    tape_backward(job->tape, han_loss(classifier_of(t)->net, job->tape, &batch, &spec,
                                      (Real)1 / (Real)size, measures));
    return to - from;
}

/* ---- validation ---- */

typedef struct Validation {
    const HanTask *task;
    BatchPlan plan;
} Validation;

static void validate_batch(void *context, int i, Tape *tape, Measures *measures)
{
    const Validation *v = context;
    const HanTask *t = v->task;
    const HanLossSpec spec = {0};
    int begin = v->plan.start[i], n = v->plan.start[i + 1] - begin;
    DocumentBatch batch =
        document_batch(tape_arena(tape), &t->valid, n, v->plan.order + begin, 0, NULL);
    han_loss(classifier_of(t)->net, tape, &batch, &spec, 1, measures);
}

static bool han_task_validate(void *task, Workers *workers, Measures *measures, Error *error)
{
    (void)error;
    const HanTask *t = task;
    if (t->valid.n == 0)
        return true;
    Validation v = {.task = t};
    document_plan(&v.plan, &t->valid, &t->spec, NULL);
    measures_of_batches(workers, t->model->params, v.plan.n_batches, validate_batch, &v, measures);
    batch_plan_free(&v.plan);
    return true;
}

const TrainTask task_han = {
    .family = "han",
    .data_help = "labelled documents, one a line: label TAB text",
    .settings = han_training,
    .open = han_task_open,
    .close = han_task_close,
    .model = han_task_model,
    .plan = han_task_plan,
    .shard = han_task_shard,
    .unit = "documents",
    .validate = han_task_validate,
};
