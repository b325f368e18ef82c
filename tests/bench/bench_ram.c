/* The recurrent model of visual attention: six glimpses of 8 x 8 in pictures of 28 x 28, 128 of
 * them; a training step and a run. */
#include "bench.h"

#include "math/matrix.h"
#include "train/optimiser.h"
#include "train/ram_loss.h"

enum { SIDE = 28, GLIMPSES = 6, PATCH = 8, BATCH = 128, HIDDEN = 256, GLIMPSE_HIDDEN = 128 };

typedef struct Setup {
    ParamSet *params;
    Ram *net;
    Real *gradient, *pixels;
    const Real *pictures[BATCH];
    int labels[BATCH], n;
    Tape *tape;
    Optimiser *optimiser;
    Random random;
} Setup;

static const RamLossSpec loss = {
    .value = 1, .policy = (Real)0.01, .baseline = BASELINE_LEARNED, .sigma = 0.11};

static void setup(Setup *s)
{
    Error error = {0};
    const RamShape shape = {
        .retina = {.patch = PATCH, .scales = 1},
        .side = SIDE,
        .glimpses = GLIMPSES,
        .hidden = HIDDEN,
        .glimpse_hidden = GLIMPSE_HIDDEN,
        .sigma = loss.sigma,
    };
    s->params = param_set_new();
    s->net = ram_new(&shape, s->params);
    FOVEA_CHECK(param_set_allocate(s->params, &error), "%s", error.message);
    s->random = random_seed(1, RANDOM_INIT);
    param_set_initialise(s->params, &s->random);
    s->gradient = memory_new(param_set_size(s->params), sizeof(Real));
    s->optimiser = optimiser_new(s->params);
    s->pixels = memory_new(BATCH * SIDE * SIDE, sizeof(Real));
    for (int i = 0; i < BATCH * SIDE * SIDE; i++)
        s->pixels[i] = (Real)random_uniform(&s->random);
    for (int i = 0; i < BATCH; i++) {
        s->pictures[i] = s->pixels + i * SIDE * SIDE;
        s->labels[i] = (int)random_below(&s->random, RAM_N_CLASSES);
    }
}

static void train(void *context)
{
    Setup *s = context;
    static const OptimiserGroup groups[PARAM_N_GROUPS] = {{3e-4, 0}, {3e-4, 0}};
    const RamBatch batch = {BATCH, s->pictures, s->labels};
    Measures measures = {0};
    tape_reset(s->tape);
    memset(s->gradient, 0, param_set_size(s->params) * sizeof(Real));
    tape_backward(s->tape, ram_loss(s->net, s->tape, &batch, &loss, &s->random,
                                    (Real)1 / (Real)BATCH, &measures));
    optimiser_step(s->optimiser, s->gradient, groups, NULL);
}

static void run(void *context)
{
    Setup *s = context;
    tape_reset(s->tape);
    RamPaths paths = ram_walk(s->net, s->tape, s->n, s->pictures, loss.sigma, NULL, &s->random);
    ram_classify(s->net, s->tape, paths.state[GLIMPSES - 1]);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.5;
    Setup *s = memory_new(1, sizeof *s);
    matrix_prepare();
    setup(s);
    double each =
        2.0 * GLIMPSES *
        (PATCH * PATCH * GLIMPSE_HIDDEN + 2 * GLIMPSE_HIDDEN * HIDDEN + 2 * HIDDEN * HIDDEN);
    s->tape = tape_new(s->params, s->gradient);
    bench_run_work("ram", "train step B128 6x8x8 M1 Adam", 2 * seconds,
                   (BenchWork){3 * BATCH * each, 4.0 * (double)param_set_size(s->params)}, train,
                   s);
    tape_free(s->tape);
    s->tape = tape_new_inference(s->params);
    s->n = BATCH;
    bench_run_work("ram", "forward B128", seconds, (BenchWork){BATCH * each, 0}, run, s);
    s->n = 1;
    bench_run("ram", "forward B1 (6 glimpses)", seconds, run, s);
    tape_free(s->tape);
    optimiser_free(s->optimiser);
    ram_free(s->net);
    param_set_free(s->params);
    free(s->gradient);
    free(s->pixels);
    free(s);
    return 0;
}
