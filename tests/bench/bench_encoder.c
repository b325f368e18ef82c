/* A Transformer's encoder that gives all its attention weights: six layers of width 512 with 8
 * heads on 16, 128 and 512 words, and twelve of 768 with 12 heads. */
#include "bench.h"

#include "attention/transformer.h"
#include "base/error.h"
#include "math/matrix.h"

enum { MOST_LAYERS = 12 };

typedef struct Layer {
    MultiHeadLayer attention;
    FeedForwardLayer feed_forward;
    NormLayer first, second;
} Layer;

typedef struct Setup {
    ParamSet *params;
    Layer layer[MOST_LAYERS];
    int layers, width, heads, n;
    Real *x;
    Tape *tape;
} Setup;

static void setup(Setup *s, int layers, int width, int heads)
{
    Error error = {0};
    *s = (Setup){.params = param_set_new(), .layers = layers, .width = width, .heads = heads};
    for (int i = 0; i < layers; i++) {
        char prefix[4][32];
        static const char *const parts[4] = {"self", "feed", "norm1", "norm2"};
        for (int k = 0; k < 4; k++)
            snprintf(prefix[k], sizeof prefix[k], "%d.%s", i, parts[k]);
        s->layer[i] = (Layer){multi_head_layer_declare(s->params, prefix[0], width, heads),
                              feed_forward_layer_declare(s->params, prefix[1], width, 4 * width),
                              norm_layer_declare(s->params, prefix[2], width),
                              norm_layer_declare(s->params, prefix[3], width)};
    }
    FOVEA_CHECK(param_set_allocate(s->params, &error), "%s", error.message);
    Random random = random_seed(1, RANDOM_INIT);
    param_set_initialise(s->params, &random);
    s->x = memory_new((size_t)(512 * width), sizeof(Real));
    for (int i = 0; i < 512 * width; i++)
        s->x[i] = (Real)random_normal(&random);
    s->tape = tape_new_inference(s->params);
}

static void encode(void *context)
{
    const Setup *s = context;
    Tape *t = s->tape;
    tape_reset(t);
    Ragged rows = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 1, &s->n);
    const MultiHeadSpec spec = {.queries = &rows, .keys = &rows};
    Var *x = tape_borrow(t, s->n, s->width, s->x);
    for (int i = 0; i < s->layers; i++) {
        const Layer *l = &s->layer[i];
        x = norm_layer(t, &l->first,
                       op_add(t, x, multi_head_layer(t, &l->attention, x, x, &spec).output));
        x = norm_layer(t, &l->second,
                       op_add(t, x, feed_forward_layer(t, &l->feed_forward, x, 0, NULL)));
    }
}

static void bench_shape(double seconds, int layers, int width, int heads)
{
    static const int lengths[] = {16, 128, 512};
    Setup s;
    setup(&s, layers, width, heads);
    for (int i = width == 512 ? 0 : 1; i < 3; i++) {
        s.n = lengths[i];
        double n = s.n, d = width;
        char name[64];
        snprintf(name, sizeof name, "forward+attention %dx%dx%d n%d", layers, width, heads, s.n);
        bench_run_work("transformer", name, seconds,
                       (BenchWork){layers * (2 * n * d * 12 * d + 4 * n * n * d),
                                   4.0 * (double)param_set_size(s.params)},
                       encode, &s);
    }
    tape_free(s.tape);
    param_set_free(s.params);
    free(s.x);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.5;
    matrix_prepare();
    bench_shape(seconds, 6, 512, 8);
    bench_shape(seconds, 12, 768, 12);
    return 0;
}
