/* Training sentence classifiers on lines of label TAB sentence, or with two sentences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train/sentence_loss.h"

static const Setting sentence_training[] = {
    LABELLED_SETTINGS,
    {"min-count", SETTING_INT, "2", 1, 1e6, NULL, "rarer words are <unk>"},
    {"max-words", SETTING_INT, "100", 0, SENTENCE_MAX_WORDS, NULL,
     "longer sentences are left out; 0: none"},
    {"batch", SETTING_INT, "32", 1, 65536, NULL, "sentences in a batch"},
    {"dropout", SETTING_REAL, "0.4", 0, 0.9, NULL, "of word vectors, scores and the sentence"},
    {"word-dropout", SETTING_REAL, "0.1", 0, 0.9, NULL, "of whole words"},
    {"smoothing", SETTING_REAL, "0", 0, 0.9, NULL, "of the labels"},
    {"penalty", SETTING_REAL, "0.3", 0, 100, NULL, "structured: weight of |A A^T - I|^2"},
    {"warm", SETTING_INT, "3", 0, 10000, NULL, "resan, hard: epochs with every word selected"},
    {"policy-only", SETTING_INT, "1", 0, 10000, NULL,
     "resan, hard: epochs then that teach the selectors alone"},
    {"policy", SETTING_CHOICE, "learned", 0, 0, "learned|random|none",
     "resan, hard: controls that draw every word alike, or take every word"},
    {"random-share", SETTING_REAL, "0.4", 0, 1, NULL, "policy=random: probability of a word"},
    {"policy-rate", SETTING_REAL, "1e-3", 0, 1, NULL, "resan, hard: rate of the selectors"},
    {"copies", SETTING_INT, "5", 1, 64, NULL, "resan, hard: copies of each sentence in a batch"},
    {"anchor", SETTING_BOOL, "yes", 0, 0, NULL,
     "resan, hard: one of the copies takes every word, for the network alone"},
    {"lambda", SETTING_REAL, "0.5", 0, 100, NULL, "resan, hard: cost of selecting every word"},
    {"floor", SETTING_REAL, "0.3", 0, 1, NULL, "resan, hard: share of words that costs nothing"},
    {"baseline", SETTING_CHOICE, "others", 0, 0, "none|moving|others",
     "resan, hard: what rewards are compared with"},
    {"entropy", SETTING_REAL, "0", 0, 100, NULL, "resan, hard: weight of the draws' entropy"},
    {0},
};

typedef enum { PHASE_WARM, PHASE_POLICY, PHASE_BOTH } Phase;

typedef struct SentenceTask {
    Model *model;
    Pairs *train, *valid;
    BatchPlan plan;
    int batch_size;
    SentenceLossSpec loss;
    bool learns_policy;
    int warm, policy_only;
    double policy_rate;
    double state[2]; /* moving mean of the reward, and whether it has begun */
} SentenceTask;

static const SentenceNet *net_of(const SentenceTask *t)
{
    return ((const SentenceClassifier *)t->model->network)->net;
}

static Phase phase_of(const SentenceTask *t, int epoch)
{
    if (sentence_n_selectors(sentence_get_shape(net_of(t))) == 0 || epoch < t->warm)
        return PHASE_WARM;
    return t->learns_policy && epoch < t->warm + t->policy_only ? PHASE_POLICY : PHASE_BOTH;
}

/* ---- opening ---- */

static void sentence_task_close(void *task)
{
    SentenceTask *t = task;
    pairs_free(t->train);
    pairs_free(t->valid);
    batch_plan_free(&t->plan);
    model_release(t->model);
    free(t);
}

static Vocabulary *learn_words(const Labelled *labelled, int min_count)
{
    const VocabularySpec spec = {.min_count = min_count};
    VocabularyLearner *learner = vocabulary_learner_new(&spec);
    for (int i = 0; i < labelled->n; i++) {
        const LabelledItem *item = &labelled->items[i];
        vocabulary_learner_add(learner, item->text, item->n);
        if (item->second)
            vocabulary_learner_add(learner, item->second, item->n_second);
    }
    return vocabulary_learner_finish(learner);
}

/* Takes over the classes. */
static bool build_model(SentenceTask *t, const Labelled *labelled, ClassNames *classes,
                        const Settings *training, uint64_t seed, Error *error)
{
    Vocabulary *words = learn_words(labelled, settings_int(training, "min-count"));
    t->model->network = sentence_classifier_new(t->model, words, classes, error);
    if (!t->model->network || !param_set_allocate(t->model->params, error))
        return false;
    Random random = random_seed(seed, RANDOM_INIT);
    param_set_initialise(t->model->params, &random);
    return true;
}

static Pairs *encode(const SentenceTask *t, const Labelled *labelled, const char *path,
                     int max_words, Error *error)
{
    const SentenceClassifier *classifier = t->model->network;
    return sentences_encode(labelled, path, classifier->vocabulary, max_words, error);
}

static LabelledSpec labels_of(const SentenceTask *t, const Settings *training)
{
    LabelledSpec spec = labelled_spec(training);
    spec.pairs = settings_bool(t->model->settings, "pair");
    return spec;
}

static bool read_train(SentenceTask *t, const char *path, const Settings *training, uint64_t seed,
                       Error *error)
{
    Labelled labelled;
    ClassNames *classes = NULL;
    const LabelledSpec spec = labels_of(t, training);
    if (!labelled_read(path, &spec, &classes, &labelled, error)) {
        class_names_free(classes);
        return false;
    }
    if (build_model(t, &labelled, classes, training, seed, error))
        t->train = encode(t, &labelled, path, settings_int(training, "max-words"), error);
    labelled_free(&labelled);
    return t->train != NULL;
}

static bool read_valid(SentenceTask *t, const char *path, const Settings *training, Error *error)
{
    Labelled labelled;
    ClassNames *classes = ((SentenceClassifier *)t->model->network)->classes;
    const LabelledSpec spec = labels_of(t, training);
    if (!labelled_read(path, &spec, &classes, &labelled, error))
        return false;
    t->valid = encode(t, &labelled, path, 0, error);
    labelled_free(&labelled);
    return t->valid != NULL;
}

static void read_settings(SentenceTask *t, const Settings *training)
{
    static const TakeWords takes[] = {TAKE_DRAWN, TAKE_UNIFORM, TAKE_ALL};
    Real dropout = (Real)settings_real(training, "dropout");
    t->batch_size = settings_int(training, "batch");
    t->warm = settings_int(training, "warm");
    t->policy_only = settings_int(training, "policy-only");
    t->policy_rate = settings_real(training, "policy-rate");
    t->learns_policy = settings_choice(training, "policy") == 0;
    t->loss = (SentenceLossSpec){
        .dropout = {(Real)settings_real(training, "word-dropout"), dropout, dropout, NULL},
        .take = takes[settings_choice(training, "policy")],
        .uniform = settings_real(training, "random-share"),
        .teaches_network = true,
        .copies = settings_int(training, "copies"),
        .anchor = settings_bool(training, "anchor"),
        .smoothing = (Real)settings_real(training, "smoothing"),
        .penalty = (Real)settings_real(training, "penalty"),
        .lambda = settings_real(training, "lambda"),
        .floor = settings_real(training, "floor"),
        .baseline = (SentenceBaseline)settings_choice(training, "baseline"),
        .entropy = (Real)settings_real(training, "entropy"),
    };
}

static bool check_settings(const SentenceTask *t, Error *error)
{
    int least = 1 + t->loss.anchor + (t->loss.baseline == SENTENCE_BASELINE_OTHERS);
    return t->loss.copies >= least || !t->learns_policy ||
           error_set(error, ERROR_INPUT,
                     "copies=%d: at least %d are wanted, one drawn, one for anchor=yes and one for "
                     "baseline=others",
                     t->loss.copies, least);
}

static void *sentence_task_open(const TaskFiles *files, Settings *model_settings,
                                const Settings *training, uint64_t seed, Error *error)
{
    SentenceTask *t = memory_new(1, sizeof *t);
    t->model = model_new(family_find("sentence"), settings_copy(model_settings));
    read_settings(t, training);
    if (check_settings(t, error) && read_train(t, files->data, training, seed, error) &&
        (!files->valid || read_valid(t, files->valid, training, error)))
        return t;
    sentence_task_close(t);
    return NULL;
}

static Model *sentence_task_model(void *task)
{
    return ((SentenceTask *)task)->model;
}

static int sentence_task_plan(void *task, Random *random, int epoch)
{
    (void)epoch;
    SentenceTask *t = task;
    pair_plan(&t->plan, t->train, t->batch_size, random);
    return t->plan.n_batches;
}

/* ---- one batch ---- */

static double sentence_task_shard(void *task, ShardJob *job, Measures *measures)
{
    const SentenceTask *t = task;
    Phase phase = phase_of(t, job->epoch);
    SentenceLossSpec spec = t->loss;
    spec.moving = t->state[0];
    if (phase == PHASE_WARM || spec.take == TAKE_ALL) {
        spec.take = TAKE_ALL;
        spec.copies = 1;
        spec.anchor = false;
    }
    spec.teaches_network = phase != PHASE_POLICY;
    spec.teaches_policy = phase != PHASE_WARM && t->learns_policy;
    SentenceBatch batch = sentence_batch(tape_arena(job->tape), t->train, &t->plan, job->batch,
                                         job->shard, job->n_shards, spec.copies);
    if (batch.n == 0)
        return 0;
    Real scale = (Real)1 / (Real)batch.n_in_batch;
    tape_backward(job->tape, sentence_loss(net_of(t), job->tape, &batch, &spec, &job->random, scale,
                                           measures, NULL));
    return batch.n / spec.copies;
}

static void sentence_task_batch_done(void *task, const Measures *measures)
{
    SentenceTask *t = task;
    double reward = measures_get(measures, "reward");
    if (isnan(reward))
        return;
    t->state[0] = t->state[1] != 0 ? 0.95 * t->state[0] + 0.05 * reward : reward;
    t->state[1] = 1;
}

static double *sentence_task_state(void *task, int *n)
{
    *n = 2;
    return ((SentenceTask *)task)->state;
}

static bool sentence_task_counts(void *task, int epoch)
{
    const SentenceTask *t = task;
    bool selects = sentence_n_selectors(sentence_get_shape(net_of(t))) > 0;
    return !selects || phase_of(t, epoch) == PHASE_BOTH;
}

static void sentence_task_rates(void *task, int epoch, double rate,
                                OptimiserGroup groups[PARAM_N_GROUPS])
{
    const SentenceTask *t = task;
    Phase phase = phase_of(t, epoch);
    groups[PARAM_GROUP_MAIN].rate = phase == PHASE_POLICY ? 0 : rate;
    groups[PARAM_GROUP_POLICY].clip = groups[PARAM_GROUP_MAIN].clip;
    groups[PARAM_GROUP_POLICY].rate = phase == PHASE_WARM || !t->learns_policy ? 0 : t->policy_rate;
}

/* ---- validation ---- */

typedef struct Validation {
    const SentenceTask *task;
    BatchPlan plan;
} Validation;

static void measure(const Validation *v, int i, TakeWords take, Tape *tape, Measures *measures)
{
    const SentenceTask *t = v->task;
    SentenceBatch batch = sentence_batch(tape_arena(tape), t->valid, &v->plan, i, 0, 1, 1);
    SentenceLossSpec spec = {
        .take = take, .copies = 1, .lambda = t->loss.lambda, .floor = t->loss.floor};
    Random random = random_seed((uint64_t)i, RANDOM_SAMPLE);
    spec.uniform = t->loss.uniform;
    sentence_loss(net_of(t), tape, &batch, &spec, take == TAKE_ALL ? NULL : &random, 1, measures,
                  NULL);
    tape_reset(tape);
}

/* "loss" is what training minimises: with a policy, minus the mean reward. */
static void validate_batch(void *context, int i, Tape *tape, Measures *out)
{
    const Validation *v = context;
    const SentenceTask *t = v->task;
    Measures all = {0}, likely = {0}, shuffled = {0}, drawn = {0};
    measure(v, i, TAKE_ALL, tape, &all);
    if (sentence_n_selectors(sentence_get_shape(net_of(t))) == 0) {
        measures_merge(out, &all);
        return;
    }
    double n = v->plan.start[i + 1] - v->plan.start[i];
    TakeWords control = t->loss.take; /* the same in every way */
    measure(v, i, t->learns_policy ? TAKE_LIKELY : control, tape, &likely);
    measure(v, i, t->learns_policy ? TAKE_SHUFFLED : control, tape, &shuffled);
    measure(v, i, control, tape, &drawn);
    measures_add(out, "loss", -measures_get(&likely, "reward"), n);
    measures_add(out, "nll", measures_get(&likely, "loss"), n);
    measures_add(out, "accuracy", measures_get(&likely, "accuracy"), n);
    measures_add(out, "accuracy.drawn", measures_get(&drawn, "accuracy"), n);
    measures_add(out, "accuracy.all", measures_get(&all, "accuracy"), n);
    measures_add(out, "accuracy.shuffled", measures_get(&shuffled, "accuracy"), n);
    measures_add(out, "share.drawn", measures_get(&drawn, "share.head"), n);
    static const char *const shares[] = {"share.head", "share.dependent", "share.pairs",
                                         "share.kept"};
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++)
        if (!isnan(measures_get(&likely, shares[k])))
            measures_add(out, shares[k], measures_get(&likely, shares[k]), n);
}

static bool sentence_task_validate(void *task, Workers *workers, Measures *measures, Error *error)
{
    (void)error;
    const SentenceTask *t = task;
    if (!t->valid)
        return true;
    Validation v = {.task = t};
    pair_plan(&v.plan, t->valid, t->batch_size, NULL);
    measures_of_batches(workers, t->model->params, v.plan.n_batches, validate_batch, &v, measures);
    batch_plan_free(&v.plan);
    return true;
}

const TrainTask task_sentence = {
    .family = "sentence",
    .data_help = "labelled sentences, one a line: label TAB sentence (pair=yes: TAB sentence)",
    .settings = sentence_training,
    .open = sentence_task_open,
    .close = sentence_task_close,
    .model = sentence_task_model,
    .plan = sentence_task_plan,
    .shard = sentence_task_shard,
    .unit = "sentences",
    .batch_done = sentence_task_batch_done,
    .state = sentence_task_state,
    .validate = sentence_task_validate,
    .counts = sentence_task_counts,
    .rates = sentence_task_rates,
};
