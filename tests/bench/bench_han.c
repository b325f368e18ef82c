/* The hierarchical attention network: 15 sentences of 20 words, hidden 50, five classes, 20,000
 * words; one document forward, 32 forward, and a training step of 32. */
#include "bench.h"

#include "base/thread.h"
#include "math/kernels.h"
#include "math/matrix.h"
#include "models/han.h"
#include "train/documents.h"
#include "train/han_loss.h"

enum { SENTENCES = 15, WORDS = 20, MOST = 32, VOCABULARY = 20000, CLASSES = 5, SHARDS = 2 };

/* A thread's part of a batch. */
typedef struct Shard {
    Real *gradient;
    Tape *tape;
} Shard;

typedef struct Setup {
    ParamSet *params;
    Han *net;
    Real *velocity;
    Tape *tape;
    Shard shard[SHARDS];
    int n_shards;
    Workers *workers;
    Document items[MOST];
    Documents documents;
    int length[SENTENCES];
    int ids[MOST][SENTENCES * WORDS];
    int order[MOST];
    int n;
} Setup;

static void setup(Setup *s, int embedding)
{
    Error error = {0};
    const HanShape shape = {HAN_ATTENTION, VOCABULARY, CLASSES, embedding, 50, 100, 0.1};
    s->params = param_set_new();
    s->net = han_new(&shape, s->params);
    FOVEA_CHECK(param_set_allocate(s->params, &error), "%s", error.message);
    Random random = random_seed(1, RANDOM_INIT);
    param_set_initialise(s->params, &random);
    for (int i = 0; i < SHARDS; i++) {
        s->shard[i].gradient = memory_new(param_set_size(s->params), sizeof(Real));
        s->shard[i].tape = tape_new(s->params, s->shard[i].gradient);
    }
    s->velocity = memory_new(param_set_size(s->params), sizeof(Real));
    for (int i = 0; i < SENTENCES; i++)
        s->length[i] = WORDS;
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < SENTENCES * WORDS; j++)
            s->ids[i][j] = (int)random_below(&random, VOCABULARY);
        s->items[i] = (Document){i % CLASSES, SENTENCES, SENTENCES * WORDS, s->length, s->ids[i]};
        s->order[i] = i;
    }
    s->documents = (Documents){.items = s->items, .n = MOST};
}

static void teardown(Setup *s)
{
    han_free(s->net);
    param_set_free(s->params);
    for (int i = 0; i < SHARDS; i++) {
        tape_free(s->shard[i].tape);
        free(s->shard[i].gradient);
    }
    free(s->velocity);
}

static void forward(void *context)
{
    Setup *s = context;
    tape_reset(s->tape);
    const HanLossSpec spec = {0};
    Measures measures = {0};
    DocumentBatch batch =
        document_batch(tape_arena(s->tape), &s->documents, s->n, s->order, 0, NULL);
    han_loss(s->net, s->tape, &batch, &spec, 1, &measures);
}

static void run_shard(void *context, int i)
{
    Setup *s = context;
    Tape *tape = s->shard[i].tape;
    int n = MOST / s->n_shards;
    tape_reset(tape);
    memset(s->shard[i].gradient, 0, param_set_size(s->params) * sizeof(Real));
    const HanLossSpec spec = {0};
    Measures measures = {0};
    DocumentBatch batch =
        document_batch(tape_arena(tape), &s->documents, n, s->order + i * n, 0, NULL);
    tape_backward(tape, han_loss(s->net, tape, &batch, &spec, (Real)1 / MOST, &measures));
}

/* Stochastic gradient descent with momentum, as the other side does it. */
static void train(void *context)
{
    Setup *s = context;
    size_t n = param_set_size(s->params);
    Real *gradient = s->shard[0].gradient;
    Real *restrict value = param_set_values(s->params), *restrict velocity = s->velocity;
    workers_run(s->workers, s->n_shards, run_shard, s);
    for (int i = 1; i < s->n_shards; i++)
        kernels()->add(n, s->shard[i].gradient, gradient);
    for (size_t i = 0; i < n; i++) {
        velocity[i] = (Real)0.9 * velocity[i] + gradient[i];
        value[i] -= (Real)0.01 * velocity[i];
    }
}

/* Two threads are measured by the time that passes. */
static void bench_training(Setup *s, double seconds, int embedding)
{
    char *before =
        memory_copy_string(getenv("FOVEA_BENCH_CLOCK") ? getenv("FOVEA_BENCH_CLOCK") : "cpu");
    for (int threads = 1; threads <= SHARDS; threads++) {
        char name[64];
        snprintf(name, sizeof name, "train step 32 docs E%d SGD%s", embedding,
                 threads > 1 ? ", two threads" : "");
        s->n_shards = threads;
        s->workers = workers_new(threads);
        setenv("FOVEA_BENCH_CLOCK", threads > 1 ? "wall" : before, 1);
        bench_run("han", name, 2 * seconds, train, s);
        workers_free(s->workers);
    }
    setenv("FOVEA_BENCH_CLOCK", before, 1);
    free(before);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.5;
    matrix_prepare();
    for (int embedding = 100; embedding <= 200; embedding += 100) {
        char name[64];
        Setup *s = memory_new(1, sizeof *s);
        setup(s, embedding);
        s->tape = tape_new_inference(s->params);
        s->n = 1;
        snprintf(name, sizeof name, "forward 1 doc 15x20 E%d", embedding);
        bench_run("han", name, seconds, forward, s);
        s->n = MOST;
        snprintf(name, sizeof name, "forward 32 docs E%d", embedding);
        bench_run("han", name, seconds, forward, s);
        tape_free(s->tape);
        bench_training(s, seconds, embedding);
        teardown(s);
        free(s);
    }
    return 0;
}
