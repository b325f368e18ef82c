/* The hierarchical attention network: 15 sentences of 20 words, hidden 50, five classes, 20,000
 * words; one document forward, 32 forward, and a training step of 32. */
#include "bench.h"

#include "math/kernels.h"
#include "math/matrix.h"
#include "models/han.h"
#include "train/documents.h"
#include "train/han_loss.h"

enum { SENTENCES = 15, WORDS = 20, MOST = 32, VOCABULARY = 20000, CLASSES = 5 };

typedef struct Setup {
    ParamSet *params;
    Han *net;
    Real *gradient, *velocity;
    Tape *tape;
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
    s->gradient = memory_new(param_set_size(s->params), sizeof(Real));
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
    free(s->gradient);
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

/* Stochastic gradient descent with momentum, as the other side does it. */
static void train(void *context)
{
    Setup *s = context;
    size_t n = param_set_size(s->params);
    tape_reset(s->tape);
    memset(s->gradient, 0, n * sizeof(Real));
    const HanLossSpec spec = {0};
    Measures measures = {0};
    DocumentBatch batch =
        document_batch(tape_arena(s->tape), &s->documents, s->n, s->order, 0, NULL);
    tape_backward(s->tape,
                  han_loss(s->net, s->tape, &batch, &spec, (Real)1 / (Real)s->n, &measures));
    Real *value = param_set_values(s->params);
    for (size_t i = 0; i < n; i++) {
        s->velocity[i] = (Real)0.9 * s->velocity[i] + s->gradient[i];
        value[i] -= (Real)0.01 * s->velocity[i];
    }
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
        s->tape = tape_new(s->params, s->gradient);
        snprintf(name, sizeof name, "train step 32 docs E%d SGD", embedding);
        bench_run("han", name, 2 * seconds, train, s);
        tape_free(s->tape);
        teardown(s);
        free(s);
    }
    return 0;
}
