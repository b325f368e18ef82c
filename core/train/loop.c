#include "train/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/thread.h"
#include "math/kernels.h"
#include "math/matrix.h"
#include "train/checkpoint.h"
#include "train/loop_state.h"

const Setting loop_settings[] = {
    {"seed", SETTING_INT, "1", 0, 1e9, NULL, "of weights, order, dropout and sampling"},
    {"start", SETTING_TEXT, "", 0, 0, NULL,
     "begin with the weights of this model file: same sizes and vocabulary"},
    {"epochs", SETTING_INT, "12", 1, 10000, NULL, "at most so many"},
    {"rate", SETTING_REAL, "1e-3", 0, 10, NULL, "learning rate of Adam"},
    {"warmup", SETTING_INT, "0", 0, 1e6, NULL, "steps of linear growth of the rate"},
    {"decay", SETTING_REAL, "0.5", 0, 1, NULL, "the rate is multiplied by this each epoch ..."},
    {"decay-from", SETTING_INT, "6", 1, 10000, NULL, "... from this epoch on"},
    {"clip", SETTING_REAL, "1", 0, 1e6, NULL, "largest norm of the gradient; 0: any"},
    {"weight-decay", SETTING_REAL, "0", 0, 10, NULL, "decoupled, on matrices"},
    {"average", SETTING_REAL, "0", 0, 0.99999, NULL,
     "share of the old in the running mean of the weights that is validated and saved; 0: none"},
    {"patience", SETTING_INT, "3", 1, 10000, NULL, "epochs without a better validation loss"},
    {"threads", SETTING_INT, "1", 1, 256, NULL, "does not change the result"},
    {"shards", SETTING_INT, "1", 1, 64, NULL, "parts of a batch that threads can share"},
    {"checkpoint", SETTING_REAL, "5", 0.01, 1e6, NULL, "minutes between checkpoints"},
    {"precision", SETTING_CHOICE, "f16", 0, 0, "f16|f32", "of the saved weights"},
    {0},
};

/* ---- set-up ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    return (a ^ b) * 0x9E3779B97F4A7C15u + (b << 17 | b >> 47);
}

static bool same_vocabulary(const Model *a, const Model *b, Error *error)
{
    json_t *of_a = json_object(), *of_b = json_object();
    bool ok = a->family->describe(a, of_a, error) && b->family->describe(b, of_b, error);
    if (ok && !json_equal(of_a, of_b))
        ok = error_set(error, ERROR_INPUT, "start: the vocabulary of %s is another", model_name(b));
    json_decref(of_a);
    json_decref(of_b);
    return ok;
}

static bool copy_weights(Model *model, const Model *from, Error *error)
{
    if (model->family != from->family)
        return error_set(error, ERROR_INPUT, "start: %s is of the family %s, %s was expected",
                         model_name(from), from->family->name, model->family->name);
    if (!same_vocabulary(model, from, error))
        return false;
    for (int i = 0; i < param_count(model->params); i++) {
        const Param *to = param_at(model->params, i);
        const Param *p = param_find(from->params, to->name);
        if (!p || p->rows != to->rows || p->cols != to->cols)
            return error_set(error, ERROR_INPUT,
                             "start: %s has no \"%s\" of %d x %d: the same sizes were expected",
                             model_name(from), to->name, to->rows, to->cols);
        memcpy(param_value(model->params, to), param_value(from->params, p),
               (size_t)to->rows * (size_t)to->cols * sizeof(Real));
    }
    return true;
}

static bool start_from(Model *model, const char *path, Error *error)
{
    if (!*path)
        return true;
    Model *from = model_load(path, error);
    bool ok = from && copy_weights(model, from, error);
    model_release(from);
    return ok;
}

static bool loop_open(Loop *loop, const TrainRequest *request, Error *error)
{
    loop->request = request;
    loop->seed = (uint64_t)settings_int(request->loop, "seed");
    loop->n_shards = settings_int(request->loop, "shards");
    loop->context = request->task->open(&request->files, request->model_settings, request->training,
                                        loop->seed, error);
    if (!loop->context)
        return false;
    loop->model = request->task->model(loop->context);
    if (!start_from(loop->model, settings_text(request->loop, "start"), error))
        return false;
    loop->params = loop->model->params;
    loop->size = param_set_size(loop->params);
    loop->optimiser = optimiser_new(loop->params);
    loop->optimiser->weight_decay = settings_real(request->loop, "weight-decay");
    loop->best = memory_new(loop->size, sizeof(Real));
    loop->averaged = memory_new(loop->size, sizeof(Real));
    memcpy(loop->averaged, param_set_values(loop->params), loop->size * sizeof(Real));
    memcpy(loop->best, loop->averaged, loop->size * sizeof(Real));
    loop->best_loss = INFINITY;
    loop->order = random_seed(loop->seed, RANDOM_DATA);
    loop->history = json_array();
    matrix_set_threads(1);
    loop->workers = workers_new(settings_int(request->loop, "threads"));
    loop->shards = memory_new((size_t)loop->n_shards, sizeof *loop->shards);
    for (int i = 0; i < loop->n_shards; i++) {
        loop->shards[i].gradient = memory_new(loop->size, sizeof(Real));
        loop->shards[i].tape = tape_new(loop->params, loop->shards[i].gradient);
    }
    return true;
}

static void loop_close(Loop *loop)
{
    for (int i = 0; loop->shards && i < loop->n_shards; i++) {
        tape_free(loop->shards[i].tape);
        free(loop->shards[i].gradient);
    }
    free(loop->shards);
    workers_free(loop->workers);
    optimiser_free(loop->optimiser);
    json_decref(loop->history);
    json_decref(loop->resumed);
    free(loop->best);
    free(loop->averaged);
    if (loop->context)
        loop->request->task->close(loop->context);
}

/* ---- one step ---- */

static void run_shard(void *context, int i)
{
    Loop *loop = context;
    Shard *shard = &loop->shards[i];
    tape_reset(shard->tape);
    memset(shard->gradient, 0, loop->size * sizeof(Real));
    shard->measures.n = 0;
    ShardJob job = {
        .tape = shard->tape,
        .batch = loop->batch,
        .shard = i,
        .n_shards = loop->n_shards,
        .epoch = loop->epoch,
        .step = loop->step,
        .random = random_seed(mix(mix(loop->seed, loop->step), (uint64_t)i), RANDOM_DROPOUT),
    };
    shard->items = loop->request->task->shard(loop->context, &job, &shard->measures);
}

static double scheduled_rate(const Loop *loop)
{
    const Settings *s = loop->request->loop;
    double rate = settings_real(s, "rate");
    int from = settings_int(s, "decay-from");
    if (loop->epoch + 1 >= from)
        rate *= pow(settings_real(s, "decay"), loop->epoch + 2 - from);
    double warmup = settings_int(s, "warmup");
    if ((double)loop->step < warmup)
        rate *= ((double)loop->step + 1) / warmup;
    return rate;
}

static void update(Loop *loop, double rate)
{
    OptimiserGroup groups[PARAM_N_GROUPS] = {{rate, settings_real(loop->request->loop, "clip")}};
    if (loop->request->task->rates)
        loop->request->task->rates(loop->context, loop->epoch, rate, groups);
    for (int i = 1; i < loop->n_shards; i++)
        kernels()->add(loop->size, loop->shards[i].gradient, loop->shards[0].gradient);
    optimiser_step(loop->optimiser, loop->shards[0].gradient, groups, NULL);
    /* A running mean that starts as a plain one, so that the first steps count fully. */
    double keep = settings_real(loop->request->loop, "average");
    double start = (double)(loop->step + 1) / (double)(loop->step + 10);
    Real a = (Real)(keep < start ? keep : start);
    Real *mean = loop->averaged;
    const Real *now = param_set_values(loop->params);
    for (size_t i = 0; i < loop->size; i++)
        mean[i] = now[i] + a * (mean[i] - now[i]);
}

static void report(Loop *loop, double rate, const Measures *valid, bool is_best)
{
    if (!loop->request->progress)
        return;
    double speed = loop->seconds > 0 ? loop->items / loop->seconds : 0;
    double each = loop->n_timed > 0 ? loop->seconds / loop->n_timed : 0;
    TrainProgress progress = {
        .epoch = loop->epoch + 1,
        .n_epochs = settings_int(loop->request->loop, "epochs"),
        .batch = loop->batch,
        .n_batches = loop->n_batches,
        .loss = loop->moving_loss,
        .rate = rate,
        .items_per_second = speed,
        .seconds_left = each * (loop->n_batches - loop->batch),
        .unit = loop->request->task->unit,
        .train = &loop->measures,
        .valid = valid,
        .is_best = is_best,
    };
    loop->request->progress(loop->request->context, &progress);
}

static void train_batch(Loop *loop)
{
    double began = clock_seconds();
    workers_run(loop->workers, loop->n_shards, run_shard, loop);
    Measures batch = {0};
    for (int i = 0; i < loop->n_shards; i++) {
        measures_merge(&batch, &loop->shards[i].measures);
        loop->items += loop->shards[i].items;
    }
    double rate = scheduled_rate(loop);
    update(loop, rate);
    if (loop->request->task->batch_done)
        loop->request->task->batch_done(loop->context, &batch);
    measures_merge(&loop->measures, &batch);
    double loss = measures_get(&batch, "loss");
    loop->moving_loss =
        loop->step == 0 ? loss : loop->moving_loss + 0.02 * (loss - loop->moving_loss);
    loop->seconds += clock_seconds() - began;
    loop->n_timed++;
    loop->batch++;
    loop->step++;
    report(loop, rate, NULL, false);
}

/* ---- epochs ---- */

/* The averaged weights stand in for the current ones; a second call swaps back. */
static void swap_weights(Loop *loop)
{
    Real *now = param_set_values(loop->params);
    for (size_t i = 0; i < loop->size; i++) {
        Real keep = now[i];
        now[i] = loop->averaged[i];
        loop->averaged[i] = keep;
    }
}

static json_t *measures_json(const Measures *measures)
{
    json_t *object = json_object();
    for (int i = 0; i < measures->n; i++)
        json_object_set_new(object, measures->item[i].name,
                            json_real(measures_get(measures, measures->item[i].name)));
    return object;
}

static bool end_epoch(Loop *loop, Error *error)
{
    Measures valid = {0};
    swap_weights(loop);
    bool ok = !loop->request->task->validate ||
              loop->request->task->validate(loop->context, loop->workers, &valid, error);
    double loss = measures_get(valid.n ? &valid : &loop->measures, "loss");
    bool counts =
        !loop->request->task->counts || loop->request->task->counts(loop->context, loop->epoch);
    bool is_best = counts && loss < loop->best_loss;
    bool none_yet = loop->best_loss == INFINITY;
    if (ok && (is_best || (!counts && none_yet))) {
        memcpy(loop->best, param_set_values(loop->params), loop->size * sizeof(Real));
        loop->best_epoch = loop->epoch + 1;
    }
    if (ok && is_best)
        loop->best_loss = loss;
    swap_weights(loop);
    if (!ok)
        return false;
    loop->bad_epochs = is_best || !counts ? 0 : loop->bad_epochs + 1;
    json_t *entry = json_object();
    json_object_set_new(entry, "epoch", json_integer(loop->epoch + 1));
    json_object_set_new(entry, "train", measures_json(&loop->measures));
    if (valid.n)
        json_object_set_new(entry, "valid", measures_json(&valid));
    json_array_append_new(loop->history, entry);
    report(loop, scheduled_rate(loop), valid.n ? &valid : NULL, is_best);
    loop->epoch++;
    loop->batch = 0;
    loop->measures.n = 0;
    loop->is_mid_epoch = false;
    return true;
}

static void warn(const Loop *loop, const Error *error)
{
    if (loop->request->warn)
        loop->request->warn(loop->request->context, error);
}

/* A full disk takes a checkpoint, not the run. */
static void keep_checkpoint(const Loop *loop)
{
    Error error = {0};
    if (!checkpoint_write(loop, &error))
        warn(loop, &error);
}

static bool stop_with_checkpoint(Loop *loop, Error *error)
{
    if (!checkpoint_write(loop, error))
        return false;
    return error_set(error, ERROR_CANCELLED,
                     "stopped in epoch %d; continue with --resume from %s.checkpoint",
                     loop->epoch + 1, loop->request->output);
}

static bool run_epoch(Loop *loop, Error *error)
{
    loop->total_seconds += loop->seconds;
    loop->items = loop->seconds = 0;
    loop->n_timed = 0;
    if (!loop->is_mid_epoch) {
        loop->order_at_start = loop->order;
        loop->is_mid_epoch = true;
    }
    loop->n_batches = loop->request->task->plan(loop->context, &loop->order, loop->epoch);
    double wait = 60 * settings_real(loop->request->loop, "checkpoint");
    double last = clock_seconds();
    while (loop->batch < loop->n_batches) {
        if (stop_requested(loop->request->stop))
            return stop_with_checkpoint(loop, error);
        train_batch(loop);
        if (clock_seconds() - last > wait) {
            keep_checkpoint(loop);
            last = clock_seconds();
        }
    }
    if (!end_epoch(loop, error))
        return false;
    keep_checkpoint(loop);
    return true;
}

/* ---- the end ---- */

static void add_settings(json_t *object, const char *key, const Settings *settings)
{
    StrBuf text = {0};
    settings_to_json(settings, &text);
    json_object_set_new(object, key, json_loads(text.text, 0, NULL));
    strbuf_free(&text);
}

static void describe_run(Loop *loop)
{
    const TrainRequest *r = loop->request;
    json_t *p = r->provenance ? json_loads(r->provenance, 0, NULL) : NULL;
    if (!p)
        p = json_object();
    if (r->command)
        json_object_set_new(p, "command", json_string(r->command));
    if (r->files.data)
        json_object_set_new(p, "data", json_string(file_base_name(r->files.data)));
    if (r->files.valid)
        json_object_set_new(p, "valid", json_string(file_base_name(r->files.valid)));
    json_object_set_new(p, "fovea", json_string(FOVEA_VERSION));
    json_object_set_new(p, "steps", json_integer((json_int_t)loop->step));
    json_object_set_new(p, "epochs", json_integer(loop->epoch));
    json_object_set_new(p, "best_epoch", json_integer(loop->best_epoch));
    json_object_set_new(p, "seconds", json_real(floor(loop->total_seconds + loop->seconds)));
    add_settings(p, "loop", r->loop);
    add_settings(p, "training", r->training);
    json_object_set(p, "history", loop->history);
    char *text = json_dumps(p, JSON_COMPACT | JSON_REAL_PRECISION(6));
    free(loop->model->provenance);
    loop->model->provenance = text;
    json_decref(p);
}

static void describe_model(Loop *loop)
{
    const TrainRequest *r = loop->request;
    Model *m = loop->model;
    if (r->title) {
        free(m->title);
        m->title = memory_copy_string(r->title);
    }
    m->examples = memory_resize(m->examples, (size_t)r->n_examples, sizeof *m->examples);
    m->n_examples = 0;
    for (int i = 0; i < r->n_examples; i++)
        m->examples[m->n_examples++] = memory_copy_string(r->examples[i]);
}

/* Hours of work are in memory: room may still be made for them. */
static bool save_patiently(const Loop *loop, Error *error)
{
    const double pause = 2, slice = 0.1;
    bool half = settings_choice(loop->request->loop, "precision") == 0;
    bool is_told = false;
    for (;;) {
        Error why = {0};
        if (model_save(loop->model, loop->request->output, half, &why))
            return true;
        if (why.kind != ERROR_IO || stop_requested(loop->request->stop))
            return error_set(error, why.kind, "%s", why.message);
        if (!is_told)
            warn(loop, &why);
        is_told = true;
        for (double t = 0; t < pause && !stop_requested(loop->request->stop); t += slice)
            clock_sleep(slice);
    }
}

static bool finish(Loop *loop, Error *error)
{
    describe_model(loop);
    memcpy(param_set_values(loop->params), loop->best, loop->size * sizeof(Real));
    describe_run(loop);
    if (!save_patiently(loop, error))
        return false;
    checkpoint_remove(loop->request->output);
    return true;
}

/* Better before the first batch than after the last. */
static bool check_output(const TrainRequest *request, Error *error)
{
    FileWriter probe;
    if (!request->resume && checkpoint_exists(request->output))
        return error_set(error, ERROR_INPUT,
                         "%s.checkpoint is left from an unfinished run: continue it with "
                         "--resume, or remove it",
                         request->output);
    if (!file_begin_write(request->output, &probe, error))
        return false;
    file_cancel_write(&probe);
    return true;
}

static bool train(Loop *loop, Error *error)
{
    if (loop->request->resume && !checkpoint_read(loop, error))
        return false;
    int n_epochs = settings_int(loop->request->loop, "epochs");
    int patience = settings_int(loop->request->loop, "patience");
    while (loop->epoch < n_epochs && loop->bad_epochs < patience)
        if (!run_epoch(loop, error))
            return false;
    return finish(loop, error);
}

bool train_run(const TrainRequest *request, Error *error)
{
    Loop loop = {0};
    bool ok =
        check_output(request, error) && loop_open(&loop, request, error) && train(&loop, error);
    if (loop.request)
        loop_close(&loop);
    return ok;
}
