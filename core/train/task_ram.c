/* Training the recurrent attention model on handwritten digits. */
#include <stdlib.h>

#include "base/memory.h"
#include "models/ram_model.h"
#include "train/digits.h"
#include "train/ram_loss.h"
#include "train/task.h"

enum { PROBE_PICTURES = 64, PROBE_DRAWS = 16, VALIDATION_BATCH = 128 };

static const Setting ram_training[] = {
    {"batch", SETTING_INT, "128", 1, 65536, NULL, "pictures in a batch"},
    {"paths", SETTING_INT, "1", 1, 64, NULL, "sampled paths for each picture"},
    {"held-out", SETTING_INT, "5000", 0, 1e7, NULL,
     "pictures at the end of the data kept for validation, unless --valid is given"},
    {"baseline", SETTING_CHOICE, "learned", 0, 0, "none|moving|learned",
     "what the reward is compared with"},
    {"reward", SETTING_CHOICE, "right", 0, 0, "right|chance",
     "of a place: that the last answer is right (the paper); the right digit's mean chance from "
     "there on"},
    {"value", SETTING_REAL, "1", 0, 100, NULL, "weight of the baseline's squared error"},
    {"policy", SETTING_REAL, "1", 0, 100, NULL, "weight of the policy gradient"},
    {"policy-rate", SETTING_REAL, "0.3", 0, 100, NULL,
     "learning rate of the location network, as a share of the others'"},
    {"distortion", SETTING_REAL, "0", 0, 2, NULL,
     "turns, scales, slants and moves training digits; 1: by up to 15 degrees and percent"},
    {"early", SETTING_REAL, "0", 0, 100, NULL,
     "weight of the cross-entropy of read-outs before the last glimpse"},
    {"sigma-first", SETTING_REAL, "0.2", 1e-3, 2, NULL,
     "spread of sampled locations in the first epoch; it falls in a line to sigma ..."},
    {"sigma-epochs", SETTING_INT, "20", 1, 10000, NULL, "... in so many epochs"},
    {0},
};

typedef struct RamTask {
    Model *model;
    const Ram *net;
    Digits train, valid;
    int n_train; /* the rest of `train` is held out */
    int *order;
    int batch_size, paths;
    RamLossSpec loss;
    double policy_rate, sigma_first, distortion;
    int sigma_epochs;
    double state[2]; /* moving average of the reward, and whether it has begun */
} RamTask;

/* ---- opening ---- */

static void ram_task_close(void *task)
{
    RamTask *t = task;
    digits_free(&t->train);
    digits_free(&t->valid);
    free(t->order);
    model_release(t->model);
    free(t);
}

static bool read_data(RamTask *t, const TaskFiles *files, int held_out, Error *error)
{
    if (!digits_read(&t->train, files->data, error))
        return false;
    if (files->valid && !digits_read(&t->valid, files->valid, error))
        return false;
    t->n_train = t->train.n - (files->valid ? 0 : held_out);
    if (t->n_train < 1)
        return error_set(error, ERROR_INPUT, "held-out=%d leaves nothing of %d pictures", held_out,
                         t->train.n);
    t->order = memory_new((size_t)t->n_train, sizeof *t->order);
    for (int i = 0; i < t->n_train; i++)
        t->order[i] = i;
    return true;
}

static void read_settings(RamTask *t, const Settings *training)
{
    t->batch_size = settings_int(training, "batch");
    t->paths = settings_int(training, "paths");
    t->policy_rate = settings_real(training, "policy-rate");
    t->distortion = settings_real(training, "distortion");
    t->sigma_first = settings_real(training, "sigma-first");
    t->sigma_epochs = settings_int(training, "sigma-epochs");
    t->loss = (RamLossSpec){
        .value = (Real)settings_real(training, "value"),
        .policy = (Real)settings_real(training, "policy"),
        .early = (Real)settings_real(training, "early"),
        .baseline = (BaselineKind)settings_choice(training, "baseline"),
        .reward = (RewardKind)settings_choice(training, "reward"),
    };
}

static void *ram_task_open(const TaskFiles *files, Settings *model_settings,
                           const Settings *training, uint64_t seed, Error *error)
{
    RamTask *t = memory_new(1, sizeof *t);
    t->model = model_new(family_find("ram"), settings_copy(model_settings));
    read_settings(t, training);
    t->model->network = ram_model_new(t->model, error);
    t->net = t->model->network;
    if (!t->net || !param_set_allocate(t->model->params, error) ||
        !read_data(t, files, settings_int(training, "held-out"), error)) {
        ram_task_close(t);
        return NULL;
    }
    Random random = random_seed(seed, RANDOM_INIT);
    param_set_initialise(t->model->params, &random);
    return t;
}

static Model *ram_task_model(void *task)
{
    return ((RamTask *)task)->model;
}

static int ram_task_plan(void *task, Random *random, int epoch)
{
    (void)epoch;
    RamTask *t = task;
    random_shuffle(random, t->order, t->n_train);
    return (t->n_train + t->batch_size - 1) / t->batch_size;
}

/* ---- one batch ---- */

/* `paths` rows for each of the digits order[0 .. n-1] (NULL: from, from + 1, ...). */
static RamBatch compose_batch(const RamTask *t, const Digits *digits, const int *order, int from,
                              int n, int paths, double distortion, Arena *arena, Random *random)
{
    const RamShape *shape = ram_get_shape(t->net);
    size_t pixels = (size_t)shape->side * (size_t)shape->side;
    Real *store = arena_get(arena, (size_t)n * pixels, sizeof *store);
    const Real **pictures = arena_get(arena, (size_t)(n * paths), sizeof *pictures);
    int *labels = arena_get(arena, (size_t)(n * paths), sizeof *labels);
    for (int i = 0; i < n; i++) {
        int digit = order ? order[i] : from + i;
        Real *picture = store + (size_t)i * pixels;
        digits_compose(digits, digit, shape->canvas, shape->side, distortion, random, picture);
        for (int k = 0; k < paths; k++) {
            pictures[i * paths + k] = picture;
            labels[i * paths + k] = digits->labels[digit];
        }
    }
    return (RamBatch){n * paths, pictures, labels};
}

static double sigma_of_epoch(const RamTask *t, int epoch)
{
    double last = ram_get_shape(t->net)->sigma;
    double share = epoch < t->sigma_epochs ? (double)epoch / t->sigma_epochs : 1;
    return t->sigma_first + share * (last - t->sigma_first);
}

static double ram_task_shard(void *task, ShardJob *job, Measures *measures)
{
    const RamTask *t = task;
    int begin = job->batch * t->batch_size;
    int n = t->n_train - begin < t->batch_size ? t->n_train - begin : t->batch_size;
    int low = n * job->shard / job->n_shards, high = n * (job->shard + 1) / job->n_shards;
    if (low == high)
        return 0;
    RamBatch batch = compose_batch(t, &t->train, t->order + begin + low, 0, high - low, t->paths,
                                   t->distortion, tape_arena(job->tape), &job->random);
    RamLossSpec spec = t->loss;
    spec.moving = t->state[0];
    spec.sigma = sigma_of_epoch(t, job->epoch);
    Real scale = (Real)1 / (Real)(n * t->paths);
    tape_backward(job->tape,
                  ram_loss(t->net, job->tape, &batch, &spec, &job->random, scale, measures));
    return high - low;
}

static void ram_task_batch_done(void *task, const Measures *measures)
{
    RamTask *t = task;
    if (ram_get_shape(t->net)->looking != LOOKING_LEARNED)
        return;
    double reward = measures_get(measures, "reward");
    t->state[0] = t->state[1] != 0 ? 0.9 * t->state[0] + 0.1 * reward : reward;
    t->state[1] = 1;
}

static double *ram_task_state(void *task, int *n)
{
    *n = 2;
    return ((RamTask *)task)->state;
}

static void ram_task_rates(void *task, int epoch, double rate,
                           OptimiserGroup groups[PARAM_N_GROUPS])
{
    (void)epoch;
    const RamTask *t = task;
    groups[PARAM_GROUP_POLICY] = groups[PARAM_GROUP_MAIN];
    groups[PARAM_GROUP_POLICY].rate = rate * t->policy_rate;
}

/* ---- validation ---- */

typedef struct Validation {
    const RamTask *task;
    const Digits *digits;
    int first, n;
} Validation;

/* The same pictures every time: their places come from the number of the batch. */
static void validate_batch(void *context, int i, Tape *tape, Measures *measures)
{
    Validation *v = context;
    const RamTask *t = v->task;
    int begin = i * VALIDATION_BATCH;
    int n = v->n - begin < VALIDATION_BATCH ? v->n - begin : VALIDATION_BATCH;
    Random random = random_seed((uint64_t)i, RANDOM_EXPLORE);
    RamBatch batch =
        compose_batch(t, v->digits, NULL, v->first + begin, n, 1, 0, tape_arena(tape), &random);
    RamLossSpec spec = {.sigma = ram_get_shape(t->net)->sigma, .reward = t->loss.reward};
    ram_loss(t->net, tape, &batch, &spec, &random, 1, measures);
    if (ram_get_shape(t->net)->looking == LOOKING_LEARNED) {
        Measures mean = {0};
        spec.sigma = 0;
        ram_loss(t->net, tape, &batch, &spec, &random, 1, &mean);
        measures_add(measures, "accuracy.mean", measures_get(&mean, "accuracy"), n);
    }
}

static void measure_variance(const Validation *v, Measures *measures)
{
    const RamTask *t = v->task;
    static const char *const names[BASELINE_N_KINDS] = {"variance.none", "variance.moving",
                                                        "variance.learned"};
    int n = v->n < PROBE_PICTURES ? v->n : PROBE_PICTURES;
    Arena *arena = arena_new();
    Random random = random_seed(0, RANDOM_EXPLORE);
    RamBatch batch = compose_batch(t, v->digits, NULL, v->first, n, 1, 0, arena, &random);
    RamLossSpec spec = t->loss;
    spec.sigma = ram_get_shape(t->net)->sigma;
    spec.moving = t->state[0];
    double variance[BASELINE_N_KINDS];
    ram_gradient_variance(t->net, t->model->params, &batch, &spec, PROBE_DRAWS, 1, variance);
    for (int kind = 0; kind < BASELINE_N_KINDS; kind++)
        measures_add(measures, names[kind], variance[kind], 1);
    arena_free(arena);
}

static bool ram_task_validate(void *task, Workers *workers, Measures *measures, Error *error)
{
    (void)error;
    const RamTask *t = task;
    Validation v = {.task = t, .digits = &t->train, .first = t->n_train};
    v.n = t->train.n - t->n_train;
    if (t->valid.n > 0)
        v = (Validation){.task = t, .digits = &t->valid, .n = t->valid.n};
    if (v.n == 0)
        return true;
    int n_batches = (v.n + VALIDATION_BATCH - 1) / VALIDATION_BATCH;
    measures_of_batches(workers, t->model->params, n_batches, validate_batch, &v, measures);
    if (ram_get_shape(t->net)->looking == LOOKING_LEARNED)
        measure_variance(&v, measures);
    return true;
}

const TrainTask task_ram = {
    .family = "ram",
    .data_help = "handwritten digits: an IDX file ...images-idx3..., labels beside it; gzip too",
    .settings = ram_training,
    .open = ram_task_open,
    .close = ram_task_close,
    .model = ram_task_model,
    .plan = ram_task_plan,
    .shard = ram_task_shard,
    .unit = "pictures",
    .batch_done = ram_task_batch_done,
    .state = ram_task_state,
    .validate = ram_task_validate,
    .rates = ram_task_rates,
};
