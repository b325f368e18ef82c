/* The recurrent encoder-decoder with additive attention and 8,000 words, as wide as 256 and 512:
 * encoding a sentence, one decoding step, one step of a beam of five, a training step.
 *
 *   bench_translation [SECONDS [WEIGHTS.safetensors ...]]
 *
 * With weights (peers.py writes them) it also prints the tokens that greedy decoding writes, to
 * be compared with those of another program that has the same weights. */
#include "bench.h"

#include "base/error.h"
#include "base/thread.h"
#include "format/safetensors.h"
#include "math/kernels.h"
#include "math/matrix.h"
#include "models/seq2seq_model.h"
#include "train/optimiser.h"
#include "train/seq2seq_loss.h"

enum { VOCABULARY = 8000, LONGEST = 50, BATCH = 64, LENGTH = 12, BEAM = 5, SHARDS = 2 };

typedef struct Shard {
    Tape *tape;
    Real *gradient;
    PairBatch batch;
    Arena *arena;
} Shard;

typedef struct Setup {
    ParamSet *params;
    Seq2Seq *net;
    int width, length;
    int ids[LONGEST];
    Tape *keep, *tape; /* of the source; of a step */
    Ragged batch;
    Seq2SeqSource source;
    Seq2SeqState state;
    Real *state_row;
    int n, last[BEAM], owner[BEAM];
    Shard shard[SHARDS];
    int n_shards;
    Workers *workers;
    Optimiser *optimiser;
} Setup;

static void stop_on(const Error *error)
{
    FOVEA_CHECK(error->kind == ERROR_NONE, "%s", error->message);
}

/* ---- the network ---- */

static void setup(Setup *s, int width)
{
    Error error = {0};
    const Seq2SeqShape shape = {
        .score = SCORE_ADDITIVE,
        .gru = GRU_RESET_AFTER,
        .embedding = width,
        .hidden = width,
        .encoder_hidden = width,
        .attention_hidden = width,
        .window = 10,
        .positions = LONGEST,
        .source_vocabulary = VOCABULARY,
        .target_vocabulary = VOCABULARY,
    };
    *s = (Setup){.params = param_set_new(), .width = width};
    s->net = seq2seq_new(&shape, s->params);
    if (!param_set_allocate(s->params, &error))
        stop_on(&error);
    Random random = random_seed(1, RANDOM_INIT);
    param_set_initialise(s->params, &random);
    for (int i = 0; i < LONGEST; i++)
        s->ids[i] = 3 + i;
    s->keep = tape_new_inference(s->params);
    s->tape = tape_new_inference(s->params);
}

static void teardown(Setup *s)
{
    tape_free(s->keep);
    tape_free(s->tape);
    seq2seq_free(s->net);
    param_set_free(s->params);
}

static void load(Setup *s, const char *path)
{
    Error error = {0};
    SafeTensors *file = safetensors_open(path, &error);
    for (int i = 0; file && i < param_count(s->params); i++) {
        const Param *param = param_at(s->params, i);
        const SafeTensor *tensor = safetensors_find(file, param->name);
        FOVEA_CHECK(tensor && tensor->count == (int64_t)param->rows * param->cols,
                    "%s: tensor %s is missing or of another size", path, param->name);
        if (!safetensors_read(file, tensor, param_value(s->params, param), &error))
            break;
    }
    stop_on(&error);
    safetensors_close(file);
}

/* ---- decoding ---- */

static void encode(void *context)
{
    Setup *s = context;
    tape_reset(s->keep);
    s->batch = ragged_new(tape_arena(s->keep), RAGGED_STEP_MAJOR, 1, &s->length);
    s->source = seq2seq_encode(s->net, s->keep, &s->batch, s->ids, NULL);
}

static int largest(const Real *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

/* One step for the n rows of `state`; their next tokens go to `next`. */
static Var *step_rows(Setup *s, int n, int *next)
{
    tape_reset(s->tape);
    const Seq2SeqControl control = {.temperature = 1, .owner = s->owner};
    Var *embedded = seq2seq_embed_target(s->net, s->tape, n, s->last, NULL);
    Var *projected = seq2seq_project_target(s->net, s->tape, embedded);
    Seq2SeqState state = {tape_borrow(s->tape, n, s->width, s->state_row), NULL};
    Seq2SeqStep step = seq2seq_step(s->net, s->tape, &s->source, projected, &state, &control);
    Var *readout = seq2seq_readout(s->net, s->tape, step.output, step.context, embedded);
    Var *logits = seq2seq_logits(s->net, s->tape, readout, NULL);
    for (int i = 0; i < n; i++)
        next[i] = largest(var_row(logits, i), VOCABULARY);
    return step.next.state;
}

static void step_once(void *context)
{
    Setup *s = context;
    int next[BEAM];
    step_rows(s, s->n, next);
}

static void begin_rows(Setup *s)
{
    free(s->state_row);
    s->state_row = memory_new((size_t)(BEAM * s->width), sizeof *s->state_row);
    for (int i = 0; i < BEAM; i++) {
        memcpy(s->state_row + i * s->width, s->source.first_state->value,
               (size_t)s->width * sizeof *s->state_row);
        s->last[i] = 1 + i;
        s->owner[i] = 0;
    }
}

static void search(void *context)
{
    Setup *s = context;
    Error error = {0};
    encode(s);
    const Seq2SeqSearch beam = {
        .net = s->net, .params = s->params, .source = &s->source, .control = {.temperature = 1}};
    const BeamSpec spec = {
        .width = BEAM, .max_steps = s->length, .begin_token = 1, .end_token = -1};
    BeamResult result;
    if (!seq2seq_beam(&beam, &spec, &result, &error))
        stop_on(&error);
    beam_result_free(&result);
}

/* Parameters that a step reads, embeddings aside. */
static double step_weights(int h)
{
    double d = h;
    return 3 * d * (d + 2 * d) + 3 * d * d + d * d + d * (4 * d) + VOCABULARY * d;
}

static void bench_decoding(Setup *s, double seconds)
{
    static const int lengths[] = {20, 50};
    double weights = step_weights(s->width), d = s->width;
    for (int i = 0; i < 2; i++) {
        char name[64];
        int n = s->length = lengths[i];
        double encoder = 2 * (3 * d * d + 3 * d * d) + 2 * d * d;
        snprintf(name, sizeof name, "encode H%d S%d", s->width, n);
        bench_run_work("bahdanau", name, seconds, (BenchWork){2 * n * encoder, 4 * encoder}, encode,
                       s);
        encode(s);
        begin_rows(s);
        double keys = n * 3 * d;
        s->n = 1;
        snprintf(name, sizeof name, "step B1 H%d S%d", s->width, n);
        bench_run_work("bahdanau", name, seconds,
                       (BenchWork){2 * (weights + keys), 4 * (weights + keys)}, step_once, s);
        s->n = BEAM;
        snprintf(name, sizeof name, "beam5 step (model only) H%d S%d", s->width, n);
        bench_run_work("bahdanau", name, seconds,
                       (BenchWork){2 * BEAM * (weights + keys), 4 * (weights + keys)}, step_once,
                       s);
        snprintf(name, sizeof name, "beam5 per step (incl. encode) H%d S%d", s->width, n);
        if (!bench_is_wanted(name))
            continue;
        BenchTimes t = bench_measure(seconds, search, s);
        bench_print("bahdanau", name, NULL,
                    (BenchTimes){t.least / n, t.median / n, t.p90 / n, t.repeats});
    }
}

static void print_tokens(Setup *s)
{
    enum { N = 20 };
    s->length = N;
    encode(s);
    begin_rows(s);
    printf("{\"bench\": \"bahdanau\", \"case\": \"greedy tokens H%d\", \"tokens\": [", s->width);
    for (int t = 0; t < N; t++) {
        int next;
        Var *state = step_rows(s, 1, &next);
        memcpy(s->state_row, state->value, (size_t)s->width * sizeof *s->state_row);
        s->last[0] = next;
        printf("%s%d", t ? ", " : "", next);
    }
    puts("]}");
}

/* ---- training ---- */

/* `rows` of the batch: sentences of LENGTH words on both sides. */
static PairBatch make_batch(Arena *arena, int rows, Random *random)
{
    int cells = rows * LENGTH;
    int *length = arena_get(arena, (size_t)rows, sizeof *length);
    int *ids[5];
    for (int k = 0; k < 5; k++)
        ids[k] = arena_get(arena, (size_t)cells, sizeof(int));
    for (int i = 0; i < rows; i++)
        length[i] = LENGTH;
    for (int i = 0; i < cells; i++) {
        for (int k = 0; k < 3; k++)
            ids[k][i] = 3 + (int)random_below(random, VOCABULARY - 3);
        ids[3][i] = ids[4][i] = i;
    }
    return (PairBatch){
        rows,   LENGTH, BATCH * LENGTH, ragged_new(arena, RAGGED_STEP_MAJOR, rows, length),
        ids[0], length, ids[1],         cells,
        ids[3], ids[4], ids[2]};
}

static void run_shard(void *context, int i)
{
    Setup *s = context;
    Shard *shard = &s->shard[i];
    tape_reset(shard->tape);
    memset(shard->gradient, 0, param_set_size(s->params) * sizeof(Real));
    const Seq2SeqLossSpec spec = {.smoothing = 0};
    Measures measures = {0};
    tape_backward(shard->tape, seq2seq_loss(s->net, shard->tape, &shard->batch, &spec, NULL,
                                            (Real)1 / (Real)(BATCH * LENGTH), &measures, NULL));
}

static void train(void *context)
{
    Setup *s = context;
    static const OptimiserGroup groups[PARAM_N_GROUPS] = {{1e-3, 1}};
    workers_run(s->workers, s->n_shards, run_shard, s);
    for (int i = 1; i < s->n_shards; i++)
        kernels()->add(param_set_size(s->params), s->shard[i].gradient, s->shard[0].gradient);
    optimiser_step(s->optimiser, s->shard[0].gradient, groups, NULL);
}

static void bench_training(Setup *s, double seconds, int threads)
{
    Random random = random_seed(2, 0);
    s->n_shards = threads;
    s->workers = workers_new(threads);
    s->optimiser = optimiser_new(s->params);
    for (int i = 0; i < threads; i++) {
        Shard *shard = &s->shard[i];
        shard->gradient = memory_new(param_set_size(s->params), sizeof(Real));
        shard->tape = tape_new(s->params, shard->gradient);
        shard->arena = arena_new();
        shard->batch = make_batch(shard->arena, BATCH / threads, &random);
    }
    char name[64];
    double rows = BATCH * LENGTH, d = s->width;
    double macs = rows * (step_weights(s->width) + 3 * d * d + 2 * 6 * d * d + 2 * d * d);
    snprintf(name, sizeof name, "train step B%d T%d Adam H%d%s", BATCH, LENGTH, s->width,
             threads > 1 ? ", two threads" : "");
    if (threads > 1)
        setenv("FOVEA_BENCH_CLOCK", "wall", 1);
    bench_run_work("bahdanau", name, seconds,
                   (BenchWork){6 * macs / threads, 4.0 * (double)param_set_size(s->params)}, train,
                   s);
    for (int i = 0; i < threads; i++) {
        tape_free(s->shard[i].tape);
        arena_free(s->shard[i].arena);
        free(s->shard[i].gradient);
    }
    optimiser_free(s->optimiser);
    workers_free(s->workers);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.5;
    const char *clock = getenv("FOVEA_BENCH_CLOCK");
    char *before = memory_copy_string(clock ? clock : "cpu");
    matrix_prepare();
    for (int width = 256; width <= 512; width *= 2) {
        Setup s;
        setup(&s, width);
        for (int i = 2; i < argc; i++) {
            char ending[32];
            snprintf(ending, sizeof ending, "%d.safetensors", width);
            if (!strstr(argv[i], ending))
                continue;
            load(&s, argv[i]);
            print_tokens(&s);
        }
        bench_decoding(&s, seconds);
        for (int threads = 1; threads <= SHARDS; threads++) {
            bench_training(&s, 2 * seconds, threads);
            setenv("FOVEA_BENCH_CLOCK", before, 1);
        }
        free(s.state_row);
        teardown(&s);
    }
    free(before);
    return 0;
}
