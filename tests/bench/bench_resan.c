/* Multi-dimensional self-attention.
 *
 * block      one block with gate and source2token, d = 300: all pairs i != j, and earlier words
 *            only; forward and a training step
 * selection  the whole ReSAN (d = 100, one block) on n = 16 ... 512 words when all, half or a
 *            quarter of them are heads and dependents, with and without deciding which
 * members    one sentence of 20 words through every member of the family (d = 64) */
#include "bench.h"

#include "attention/feature.h"
#include "attention/pooling.h"
#include "base/memory.h"
#include "math/matrix.h"
#include "models/sentence_model.h"
#include "train/optimiser.h"

/* ---- one block ---- */

typedef struct Block {
    ParamSet *params;
    const Param *w1, *w2, *b1, *gate_s, *gate_h, *gate_b, *pool1, *pool_b1, *pool2, *pool_b2;
    const Param *class_w, *class_b;
    Real *gradient, *x;
    int *place, *classes;
    Optimiser *optimiser;
    Tape *tape;
    Ragged rows;
    Arena *arena;
    PairRule rule;
    int n, d;
} Block;

static void block_setup(Block *b, int n_words, int n_sentences, int d)
{
    Error error = {0};
    b->params = param_set_new();
    ParamSet *p = b->params;
    b->w1 = param_add(p, "W1", d, d, INIT_GLOROT, 1);
    b->w2 = param_add(p, "W2", d, d, INIT_GLOROT, 1);
    b->b1 = param_add(p, "b1", 1, d, INIT_ZERO, 0);
    b->gate_s = param_add(p, "gate.s", d, d, INIT_GLOROT, 1);
    b->gate_h = param_add(p, "gate.h", d, d, INIT_GLOROT, 1);
    b->gate_b = param_add(p, "gate.b", 1, d, INIT_ZERO, 0);
    b->pool1 = param_add(p, "pool1", d, d, INIT_GLOROT, 1);
    b->pool_b1 = param_add(p, "pool1.b", 1, d, INIT_ZERO, 0);
    b->pool2 = param_add(p, "pool2", d, d, INIT_GLOROT, 1);
    b->pool_b2 = param_add(p, "pool2.b", 1, d, INIT_ZERO, 0);
    b->class_w = param_add(p, "class", 3, d, INIT_GLOROT, 1);
    b->class_b = param_add(p, "class.b", 1, 3, INIT_ZERO, 0);
    FOVEA_CHECK(param_set_allocate(p, &error), "%s", error.message);
    Random random = random_seed(1, RANDOM_INIT);
    param_set_initialise(p, &random);
    b->gradient = memory_new(param_set_size(p), sizeof(Real));
    b->optimiser = optimiser_new(p);
    b->arena = arena_new();
    int *length = arena_get(b->arena, (size_t)n_sentences, sizeof *length);
    for (int i = 0; i < n_sentences; i++)
        length[i] = n_words;
    b->rows = ragged_new(b->arena, RAGGED_SEQUENCE_MAJOR, n_sentences, length);
    b->place = arena_get(b->arena, (size_t)b->rows.rows, sizeof *b->place);
    b->classes = arena_get_zeroed(b->arena, (size_t)n_sentences, sizeof *b->classes);
    for (int i = 0; i < b->rows.rows; i++)
        b->place[i] = i % n_words;
    b->n = n_sentences;
    b->d = d;
    b->x = memory_new((size_t)b->rows.rows * (size_t)d, sizeof(Real));
    for (int i = 0; i < b->rows.rows * d; i++)
        b->x[i] = (Real)random_normal(&random);
}

static void block_teardown(Block *b)
{
    optimiser_free(b->optimiser);
    param_set_free(b->params);
    arena_free(b->arena);
    free(b->gradient);
    free(b->x);
}

static Var *linear(const Block *b, Var *x, const Param *w, const Param *bias)
{
    return op_linear(b->tape, x, tape_param(b->tape, w), bias ? tape_param(b->tape, bias) : NULL);
}

static Var *block_run(const Block *b)
{
    Tape *t = b->tape;
    Var *x = tape_borrow(t, b->rows.rows, b->d, b->x);
    const FeaturePairs pairs = {&b->rows, &b->rows, b->place, b->place, b->rule};
    Var *s =
        op_feature_attend(t, linear(b, x, b->w1, NULL), linear(b, x, b->w2, b->b1), x, 5, &pairs);
    Var *gate =
        op_sigmoid(t, op_add(t, linear(b, s, b->gate_s, NULL), linear(b, x, b->gate_h, b->gate_b)));
    Var *u = op_mix(t, gate, x, s);
    Var *scores = linear(b, op_elu(t, linear(b, u, b->pool1, b->pool_b1)), b->pool2, b->pool_b2);
    return op_pool_sum(t, op_multiply(t, op_pool_softmax(t, scores, &b->rows), u), &b->rows);
}

static void block_forward(void *context)
{
    Block *b = context;
    tape_reset(b->tape);
    block_run(b);
}

static void block_train(void *context)
{
    Block *b = context;
    static const OptimiserGroup groups[PARAM_N_GROUPS] = {{1e-3, 0}};
    tape_reset(b->tape);
    memset(b->gradient, 0, param_set_size(b->params) * sizeof(Real));
    CrossEntropy ce = op_cross_entropy(b->tape, linear(b, block_run(b), b->class_w, b->class_b),
                                       b->classes, NULL, 0, (Real)1 / (Real)b->n);
    tape_backward(b->tape, ce.loss);
    optimiser_step(b->optimiser, b->gradient, groups, NULL);
}

static void bench_blocks(double seconds)
{
    static const int sizes[3][2] = {{30, 1}, {30, 16}, {128, 1}};
    for (int i = 0; i < 3; i++)
        for (int rule = 0; rule < 2; rule++) {
            Block b = {.rule = rule == 0 ? PAIRS_DIFFERENT : PAIRS_EARLIER};
            char name[80];
            block_setup(&b, sizes[i][0], sizes[i][1], 300);
            const char *pairs = rule == 0 ? "all pairs" : "earlier";
            b.tape = tape_new_inference(b.params);
            snprintf(name, sizeof name, "forward B%d n%d d300, %s", sizes[i][1], sizes[i][0],
                     pairs);
            bench_run("resan", name, seconds, block_forward, &b);
            tape_free(b.tape);
            b.tape = tape_new(b.params, b.gradient);
            snprintf(name, sizeof name, "train step B%d n%d d300 Adam, %s", sizes[i][1],
                     sizes[i][0], pairs);
            bench_run("resan", name, seconds, block_train, &b);
            tape_free(b.tape);
            block_teardown(&b);
        }
}

/* ---- whole networks ---- */

typedef struct Network {
    ParamSet *params;
    SentenceNet *net;
    Tape *tape;
    Arena *arena;
    Ragged rows;
    int *ids;
    unsigned char *flags[SELECT_MOST];
    bool selects; /* these flags: decided beforehand                */
    bool decides; /* the selectors run and words are drawn          */
    Random random;
} Network;

static void network_setup(Network *n, const char *const *settings, int words)
{
    Error error = {0};
    SentenceShape shape;
    Settings *s = settings_new(sentence_settings);
    for (int i = 0; settings[i]; i++)
        FOVEA_CHECK(settings_assign(s, settings[i], &error), "%s", error.message);
    FOVEA_CHECK(sentence_shape(s, 5000, 2, &shape, &error), "%s", error.message);
    settings_free(s);
    n->params = param_set_new();
    n->net = sentence_new(&shape, n->params);
    FOVEA_CHECK(param_set_allocate(n->params, &error), "%s", error.message);
    n->random = random_seed(1, RANDOM_INIT);
    param_set_initialise(n->params, &n->random);
    n->arena = arena_new();
    n->rows = ragged_new(n->arena, RAGGED_SEQUENCE_MAJOR, 1, &words);
    n->ids = arena_get(n->arena, (size_t)words, sizeof *n->ids);
    for (int i = 0; i < words; i++)
        n->ids[i] = (int)random_below(&n->random, 5000);
    n->tape = tape_new_inference(n->params);
}

static void network_teardown(Network *n)
{
    tape_free(n->tape);
    sentence_free(n->net);
    param_set_free(n->params);
    arena_free(n->arena);
}

/* Heads and dependents by themselves, each word with the same probability. */
static void choose(Network *n, double share)
{
    for (int k = 0; k < SELECT_MOST; k++) {
        n->flags[k] = arena_get(n->arena, (size_t)n->rows.rows, 1);
        for (int i = 0; i < n->rows.rows; i++)
            n->flags[k][i] = random_uniform(&n->random) < share;
    }
}

static void network_run(void *context)
{
    Network *n = context;
    tape_reset(n->tape);
    Var *x = sentence_embed(n->net, n->tape, &n->rows, n->ids);
    Selection selection = {{n->flags[0], n->flags[1]}};
    if (n->decides) {
        Var *logits = sentence_select(n->net, n->tape, &n->rows, x);
        Selection drawn = sentence_draw(tape_arena(n->tape), logits, &n->random);
        selection = n->selects ? selection : drawn;
    }
    sentence_run(n->net, n->tape, &n->rows, x, n->selects || n->decides ? &selection : NULL, NULL);
}

static void bench_selection(double seconds)
{
    static const char *const settings[] = {"attention=resan", "hidden=100", "embedding=100",
                                           "direction=diagonal", NULL};
    for (int words = 16; words <= 512; words *= 2) {
        Network n = {.params = NULL};
        char name[80];
        network_setup(&n, settings, words);
        snprintf(name, sizeof name, "n%d all", words);
        bench_run("selection", name, seconds, network_run, &n);
        for (int part = 2; part <= 4; part *= 2) {
            choose(&n, 1.0 / part);
            n.selects = true;
            n.decides = false;
            snprintf(name, sizeof name, "n%d 1/%d given", words, part);
            bench_run("selection", name, seconds, network_run, &n);
            n.decides = true;
            snprintf(name, sizeof name, "n%d 1/%d decided", words, part);
            bench_run("selection", name, seconds, network_run, &n);
        }
        network_teardown(&n);
    }
}

static void bench_members(double seconds)
{
    static const char *const members[][5] = {
        {"attention=none", "hidden=64", "embedding=64"},
        {"attention=multi-head", "hidden=64", "embedding=64"},
        {"attention=structured", "hidden=64", "embedding=64"},
        {"attention=disan", "hidden=64", "embedding=64"},
        {"attention=resan", "hidden=64", "embedding=64"},
        {"attention=hard", "hidden=64", "embedding=64"},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        Network n = {.params = NULL};
        network_setup(&n, members[i], 20);
        n.decides = sentence_n_selectors(sentence_get_shape(n.net)) > 0;
        n.selects = n.decides;
        choose(&n, 0.4);
        bench_run("members", members[i][0] + strlen("attention="), seconds, network_run, &n);
        network_teardown(&n);
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.5;
    matrix_prepare();
    bench_blocks(seconds);
    bench_selection(seconds / 3);
    bench_members(seconds / 3);
    return 0;
}
