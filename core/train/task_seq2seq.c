/* Training recurrent encoder-decoders on sentence pairs, one a line: source TAB target. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "models/seq2seq_model.h"
#include "train/pairs.h"
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
    {"samples", SETTING_INT, "1", 1, 64, NULL, "align=hard: draws for each sentence"},
    {0},
};

typedef struct Seq2SeqTask {
    Model *model;
    TranslationData data;
    Dropout dropout; /* probabilities; the random numbers are the shard's */
    Real smoothing, policy, entropy;
    double expectation;
    bool has_baseline;
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
    Tokenizer *source, *target;
    bool ok = translation_data_open(&t->data, files, training, &source, &target, error);
    if (ok)
        t->model->network = translator_new(t->model, source, target, error);
    ok = ok && t->model->network && param_set_allocate(t->model->params, error);
    if (!ok) {
        seq2seq_task_close(t);
        return NULL;
    }
    Random random = random_seed(seed, RANDOM_INIT);
    param_set_initialise(t->model->params, &random);
    t->dropout.embedding = t->dropout.readout = (Real)settings_real(training, "dropout");
    t->smoothing = (Real)settings_real(training, "smoothing");
    t->expectation = settings_real(training, "expectation");
    t->policy = (Real)settings_real(training, "policy");
    t->entropy = (Real)settings_real(training, "entropy");
    t->has_baseline = settings_choice(training, "baseline") == 1;
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

/* Everything that the decoder left behind, by step. */
typedef struct Decoded {
    Var **outputs, **contexts, **readouts, **aligned;
    const int **chosen;
    Real *soft_share; /* [n]: 1 where the expectation was taken */
} Decoded;

static Decoded new_decoded(Arena *arena, int steps, int n)
{
    size_t t = (size_t)steps;
    return (Decoded){
        arena_get_zeroed(arena, t, sizeof(Var *)), arena_get_zeroed(arena, t, sizeof(Var *)),
        arena_get_zeroed(arena, t, sizeof(Var *)), arena_get_zeroed(arena, t, sizeof(Var *)),
        arena_get_zeroed(arena, t, sizeof(int *)), arena_get_zeroed(arena, (size_t)n, sizeof(Real)),
    };
}

static void draw_hard_choices(Arena *arena, int n, Random *random, Seq2SeqControl *control)
{
    double *draws = arena_get(arena, (size_t)n, sizeof *draws);
    for (int i = 0; i < n; i++)
        draws[i] = random_uniform(random);
    control->hard = CHOOSE_SAMPLE;
    control->hard_draws = draws;
}

/* Teacher forcing over all steps. random NULL: validation, hard choices by argmax. */
static Decoded decode(const Seq2SeqTask *t, Tape *tape, const Seq2SeqSource *source,
                      const PairBatch *batch, Var *projected, Random *random)
{
    const Translator *translator = t->model->network;
    Arena *arena = tape_arena(tape);
    Decoded d = new_decoded(arena, batch->steps, batch->n);
    bool hard = seq2seq_get_shape(translator->net)->alignment == ALIGNMENT_HARD;
    if (hard && random)
        for (int i = 0; i < batch->n; i++)
            d.soft_share[i] = random_uniform(random) < t->expectation ? 1 : 0;
    Seq2SeqState state = {source->first_state, NULL};
    for (int step = 0; step < batch->steps; step++) {
        Seq2SeqControl control = {.step = step, .temperature = 1};
        if (hard && random) {
            draw_hard_choices(arena, batch->n, random, &control);
            control.soft_share = d.soft_share;
        }
        Var *x = op_slice_rows(tape, projected, step * batch->n, (step + 1) * batch->n);
        Seq2SeqStep s = seq2seq_step(translator->net, tape, source, x, &state, &control);
        state = s.next;
        d.outputs[step] = s.output;
        d.contexts[step] = s.context;
        d.readouts[step] = s.next.attentional;
        d.aligned[step] = s.aligned;
        d.chosen[step] = s.chosen;
    }
    return d;
}

/* The logits of the real target positions only: [batch->n_rows, V]. */
static Var *logits_of(const Seq2SeqTask *t, Tape *tape, const PairBatch *batch, const Decoded *d,
                      Var *embedded, const Dropout *dropout)
{
    const Translator *translator = t->model->network;
    Var *readout;
    if (d->readouts[0]) {
        readout =
            op_gather(tape, op_stack(tape, batch->steps, d->readouts), batch->n_rows, batch->row);
    } else {
        Var *outputs =
            op_gather(tape, op_stack(tape, batch->steps, d->outputs), batch->n_rows, batch->row);
        Var *contexts = NULL;
        if (d->contexts[0])
            contexts = op_gather(tape, op_stack(tape, batch->steps, d->contexts), batch->n_rows,
                                 batch->row);
        readout = seq2seq_readout(translator->net, tape, outputs, contexts,
                                  op_gather(tape, embedded, batch->n_rows, batch->row));
    }
    return seq2seq_logits(translator->net, tape, readout, dropout);
}

/* REINFORCE on the drawn positions (MODELS 6.2): for every draw, minus weight times
 * (G_t - b_t) grad log a_t(z), with G_t the log-probability of the target from t on and b_t
 * the moving average of a token's times the tokens left. Plus an entropy bonus. */
static Var *policy_terms(const Seq2SeqTask *t, Tape *tape, const PairBatch *batch, const Decoded *d,
                         const Real *nll, Real scale)
{
    Arena *arena = tape_arena(tape);
    size_t n = (size_t)batch->n;
    double *to_go = arena_get_zeroed(arena, n, sizeof *to_go);
    Var **terms = arena_get(arena, (size_t)batch->steps * 2, sizeof *terms);
    int n_terms = 0;
    for (int step = batch->steps; step-- > 0;) {
        Real *advantage = arena_get_zeroed(arena, n, sizeof *advantage);
        Real *is_real = arena_get_zeroed(arena, n, sizeof *is_real);
        for (int i = 0; i < batch->n; i++) {
            int row = batch->row_of[step * batch->n + i];
            if (row < 0)
                continue;
            to_go[i] -= (double)nll[row];
            double expected = t->has_baseline ? t->state[0] * (batch->length[i] - step) : 0;
            advantage[i] = d->soft_share[i] != 0 ? 0 : (Real)(to_go[i] - expected);
            is_real[i] = 1;
        }
        terms[n_terms++] =
            op_log_chosen(tape, d->aligned[step], d->chosen[step], advantage, -scale * t->policy);
        terms[n_terms++] = op_entropy(tape, d->aligned[step], is_real, -scale * t->entropy);
    }
    Real *ones = arena_get(arena, (size_t)n_terms, sizeof *ones);
    for (int i = 0; i < n_terms; i++)
        ones[i] = 1;
    return op_weighted_sum(tape, n_terms, terms, ones);
}

static double mean_entropy(const PairBatch *batch, const Decoded *d)
{
    double sum = 0;
    for (int step = 0; step < batch->steps; step++)
        for (int i = 0; i < batch->n; i++) {
            if (batch->row_of[step * batch->n + i] < 0)
                continue;
            const Real *a = var_row(d->aligned[step], i);
            for (int j = 0; j < d->aligned[step]->cols; j++)
                sum -= a[j] > 0 ? (double)a[j] * log((double)a[j]) : 0;
        }
    return sum / batch->n_rows;
}

/* Loss of a batch; backward when the tape records. */
static void run_batch(const Seq2SeqTask *t, Tape *tape, const PairBatch *batch, Random *random,
                      Real scale, Measures *measures)
{
    const Translator *translator = t->model->network;
    Dropout dropout = t->dropout;
    dropout.random = random;
    const Dropout *drop = random ? &dropout : NULL;
    Seq2SeqSource source =
        seq2seq_encode(translator->net, tape, &batch->sources, batch->source_ids, drop);
    Var *embedded = seq2seq_embed_target(translator->net, tape, batch->steps * batch->n,
                                         batch->input_ids, drop);
    Var *projected = seq2seq_project_target(translator->net, tape, embedded);
    Decoded d = decode(t, tape, &source, batch, projected, random);
    Var *logits = logits_of(t, tape, batch, &d, embedded, drop);
    CrossEntropy ce =
        op_cross_entropy(tape, logits, batch->target_ids, NULL, random ? t->smoothing : 0, scale);
    measures_add(measures, "loss", ce.sum_nll / ce.n_counted, ce.n_counted);
    measures_add(measures, "accuracy", (double)ce.n_correct / ce.n_counted, ce.n_counted);
    if (d.aligned[0])
        measures_add(measures, "entropy", mean_entropy(batch, &d), ce.n_counted);
    if (!random)
        return;
    Var *terms[2] = {ce.loss};
    const Real ones[2] = {1, 1};
    bool hard = d.chosen[0] != NULL;
    if (hard)
        terms[1] = policy_terms(t, tape, batch, &d, ce.nll, scale);
    tape_backward(tape, op_weighted_sum(tape, hard ? 2 : 1, terms, ones));
}

static double seq2seq_task_shard(void *task, ShardJob *job, Measures *measures)
{
    const Seq2SeqTask *t = task;
    PairBatch batch = pair_batch(tape_arena(job->tape), t->data.train, &t->data.plan, job->batch,
                                 job->shard, job->n_shards, t->samples);
    if (batch.n == 0)
        return 0;
    Real scale = (Real)1 / (Real)(batch.n_tokens_in_batch * t->samples);
    run_batch(t, job->tape, &batch, &job->random, scale, measures);
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

/* ---- validation ---- */

typedef struct Validation {
    const Seq2SeqTask *task;
    PairPlan plan;
    Measures *measures; /* one for each batch, merged in order */
} Validation;

static void validate_batch(void *context, int i)
{
    Validation *v = context;
    Tape *tape = tape_new_inference(v->task->model->params);
    PairBatch batch = pair_batch(tape_arena(tape), v->task->data.valid, &v->plan, i, 0, 1, 1);
    run_batch(v->task, tape, &batch, NULL, 1, &v->measures[i]);
    tape_free(tape);
}

static bool seq2seq_task_validate(void *task, Workers *workers, Measures *measures, Error *error)
{
    (void)error;
    const Seq2SeqTask *t = task;
    if (!t->data.valid)
        return true;
    Validation v = {.task = t};
    pair_plan(&v.plan, t->data.valid, t->data.batch_size, NULL);
    v.measures = memory_new((size_t)v.plan.n_batches, sizeof *v.measures);
    workers_run(workers, v.plan.n_batches, validate_batch, &v);
    for (int i = 0; i < v.plan.n_batches; i++)
        measures_merge(measures, &v.measures[i]);
    free(v.measures);
    pair_plan_free(&v.plan);
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
    .validate = seq2seq_task_validate,
};
