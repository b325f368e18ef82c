/* Training sentences about pictures. There are no data files: scenes of emoji are composed as
 * they are needed, and some combinations never are (image/scene.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/scene.h"
#include "models/caption_model.h"
#include "train/caption_loss.h"
#include "train/task.h"

enum { VALIDATION_BATCHES = 12, VALIDATION_BATCH = 64 };

static const Setting caption_training[] = {
    {"batch", SETTING_INT, "64", 1, 65536, NULL, "pictures in a batch"},
    {"batches", SETTING_INT, "250", 1, 1e6, NULL, "batches of an epoch"},
    {"dropout", SETTING_REAL, "0.2", 0, 0.9, NULL, "probability, before the output layer"},
    {"coverage", SETTING_REAL, "0.01", 0, 100, NULL,
     "attention=soft: weight of the doubly stochastic term (1 in the paper)"},
    {"expectation", SETTING_REAL, "0.5", 0, 1, NULL,
     "attention=hard: share of sentences that take the expectation instead of a draw"},
    {"policy", SETTING_REAL, "0.1", 0, 100, NULL, "attention=hard: weight of the policy gradient"},
    {"entropy", SETTING_REAL, "0.002", 0, 100, NULL, "attention=hard: weight of the entropy bonus"},
    {"reward", SETTING_CHOICE, "whole", 0, 0, "whole|to-go|word",
     "attention=hard: log p of the whole sentence, of what follows the choice, or of its word"},
    {"baseline", SETTING_CHOICE, "moving", 0, 0, "none|moving",
     "attention=hard: what rewards are compared with"},
    {0},
};

typedef struct CaptionTask {
    Model *model;
    const Describer *describer;
    EmojiSet *emoji;
    uint64_t seed;
    int batch_size, n_batches;
    CaptionLossSpec loss;
    bool has_baseline;
    double state[2]; /* moving average of the reward, and whether it has begun */
} CaptionTask;

/* ---- opening ---- */

static void caption_task_close(void *task)
{
    CaptionTask *t = task;
    emoji_free(t->emoji);
    model_release(t->model);
    free(t);
}

static void read_settings(CaptionTask *t, const Settings *training)
{
    t->batch_size = settings_int(training, "batch");
    t->n_batches = settings_int(training, "batches");
    t->has_baseline = settings_choice(training, "baseline") == 1;
    t->loss = (CaptionLossSpec){
        .dropout = (Real)settings_real(training, "dropout"),
        .coverage = (Real)settings_real(training, "coverage"),
        .expectation = settings_real(training, "expectation"),
        .policy = (Real)settings_real(training, "policy"),
        .entropy = (Real)settings_real(training, "entropy"),
        .reward = (CaptionReward)settings_choice(training, "reward"),
    };
}

static void *caption_task_open(const TaskFiles *files, Settings *model_settings,
                               const Settings *training, uint64_t seed, Error *error)
{
    (void)files;
    CaptionTask *t = memory_new(1, sizeof *t);
    t->model = model_new(family_find("caption"), settings_copy(model_settings));
    t->seed = seed;
    read_settings(t, training);
    t->model->network = describer_new(t->model, error);
    t->describer = t->model->network;
    t->emoji = t->describer ? scene_load_emoji(NULL, error) : NULL;
    if (!t->emoji || !param_set_allocate(t->model->params, error)) {
        caption_task_close(t);
        return NULL;
    }
    Random random = random_seed(seed, RANDOM_INIT);
    param_set_initialise(t->model->params, &random);
    return t;
}

static Model *caption_task_model(void *task)
{
    return ((CaptionTask *)task)->model;
}

static int caption_task_plan(void *task, Random *random, int epoch)
{
    (void)random;
    (void)epoch;
    return ((CaptionTask *)task)->n_batches;
}

/* ---- one batch ---- */

/* A scene that the sentence fits; nearly every one finds room at the first attempt. */
static void invent(Random *random, bool held_out, SceneSpec *spec, Scene *scene)
{
    do
        scene_invent(random, held_out, spec);
    while (!scene_lay_out(spec, random, scene));
}

static void compose(const CaptionTask *t, Random *random, bool held_out, float *rgb, Real *picture,
                    int *ids, int *length)
{
    int side = caption_get_shape(t->describer->net)->side;
    SceneSpec spec;
    Scene scene;
    Error error = {0};
    StrBuf sentence = {0};
    invent(random, held_out, &spec, &scene);
    scene_render(&scene, t->emoji, side, rgb);
    for (int i = 0; i < 3 * side * side; i++)
        picture[i] = (Real)rgb[i];
    scene_write(&spec, &sentence);
    *length = describer_encode(t->describer, sentence.text, ids, &error);
    FOVEA_CHECK(*length > 0, "%s", error.message);
    strbuf_free(&sentence);
}

static CaptionBatch compose_batch(const CaptionTask *t, Tape *tape, int n, bool held_out,
                                  Random *random)
{
    Arena *arena = tape_arena(tape);
    int side = caption_get_shape(t->describer->net)->side;
    size_t size = (size_t)side * (size_t)side * 3;
    Var *pictures = tape_new_var(tape, n * side * side, 3, false);
    int *ids = arena_get_zeroed(arena, (size_t)n * CAPTION_MAX_WORDS, sizeof *ids);
    int *length = arena_get(arena, (size_t)n, sizeof *length);
    float *rgb = arena_get(arena, size, sizeof *rgb);
    for (int i = 0; i < n; i++)
        compose(t, random, held_out, rgb, pictures->value + (size_t)i * size,
                ids + i * CAPTION_MAX_WORDS, &length[i]);
    return (CaptionBatch){n, pictures, ids, length};
}

static double caption_task_shard(void *task, ShardJob *job, Measures *measures)
{
    const CaptionTask *t = task;
    int n = t->batch_size * (job->shard + 1) / job->n_shards -
            t->batch_size * job->shard / job->n_shards;
    if (n == 0)
        return 0;
    CaptionBatch batch = compose_batch(t, job->tape, n, false, &job->random);
    CaptionLossSpec spec = t->loss;
    spec.baseline = t->has_baseline ? t->state[0] : 0;
    /* Mean over a typical number of words: batches differ by a few percent only. */
    const double words = 9;
    Real scale = (Real)(1 / (words * t->batch_size));
    tape_backward(job->tape, caption_loss(t->describer->net, job->tape, &batch, &spec, &job->random,
                                          scale, measures, NULL));
    return n;
}

static void caption_task_batch_done(void *task, const Measures *measures)
{
    CaptionTask *t = task;
    double reward = t->loss.reward == REWARD_SENTENCE ? measures_get(measures, "sentence")
                                                      : -measures_get(measures, "loss");
    t->state[0] = t->state[1] != 0 ? 0.9 * t->state[0] + 0.1 * reward : reward;
    t->state[1] = 1;
}

static double *caption_task_state(void *task, int *n)
{
    *n = 2;
    return ((CaptionTask *)task)->state;
}

/* ---- validation: new scenes of known combinations, and of those held out ---- */

static void validate_batch(void *context, int i, Tape *tape, Measures *measures)
{
    const CaptionTask *t = context;
    bool held_out = i % 2 == 1;
    Random random = random_seed(1000003, (uint64_t)i);
    CaptionBatch batch = compose_batch(t, tape, VALIDATION_BATCH, held_out, &random);
    Measures m = {0};
    caption_loss(t->describer->net, tape, &batch, &t->loss, NULL, 1, &m, NULL);
    if (held_out) {
        measures_add(measures, "new.loss", measures_get(&m, "loss"), VALIDATION_BATCH);
        measures_add(measures, "new.accuracy", measures_get(&m, "accuracy"), VALIDATION_BATCH);
    } else {
        *measures = m;
    }
}

static bool caption_task_validate(void *task, Workers *workers, Measures *measures, Error *error)
{
    (void)error;
    const CaptionTask *t = task;
    measures_of_batches(workers, t->model->params, VALIDATION_BATCHES, validate_batch, task,
                        measures);
    return true;
}

const TrainTask task_caption = {
    .family = "caption",
    .data_help = NULL,
    .settings = caption_training,
    .open = caption_task_open,
    .close = caption_task_close,
    .model = caption_task_model,
    .plan = caption_task_plan,
    .shard = caption_task_shard,
    .unit = "pictures",
    .batch_done = caption_task_batch_done,
    .state = caption_task_state,
    .validate = caption_task_validate,
};
