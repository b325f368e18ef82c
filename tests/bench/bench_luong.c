/* Attention alone over 10 to 10,000 source positions, d = 512: dot and general scores over
 * all of them, and local-p, whose window of 21 positions should cost the same at any length. */
#include "bench.h"

#include "attention/attention.h"
#include "base/error.h"
#include "grad/ops.h"
#include "math/matrix.h"

enum { WIDTH = 512, REACH = 10, MOST = 10000 };

typedef enum { DOT, GENERAL, LOCAL, N_KINDS } Kind;

typedef struct Setup {
    ParamSet *params;
    const Param *score, *centre_w, *centre_v;
    Real *keys, query[WIDTH];
    int n;
    Kind kind;
    Tape *tape;
} Setup;

static void setup(Setup *s)
{
    Error error = {0};
    s->params = param_set_new();
    s->score = param_add(s->params, "score", WIDTH, WIDTH, INIT_GLOROT, 1);
    s->centre_w = param_add(s->params, "centre.W", WIDTH, WIDTH, INIT_GLOROT, 1);
    s->centre_v = param_add(s->params, "centre.v", 1, WIDTH, INIT_GLOROT, 1);
    FOVEA_CHECK(param_set_allocate(s->params, &error), "%s", error.message);
    Random random = random_seed(1, RANDOM_INIT);
    param_set_initialise(s->params, &random);
    s->keys = memory_new((size_t)MOST * WIDTH, sizeof(Real));
    for (int i = 0; i < MOST * WIDTH; i++)
        s->keys[i] = (Real)(0.1 * random_normal(&random));
    for (int i = 0; i < WIDTH; i++)
        s->query[i] = (Real)random_normal(&random);
    s->tape = tape_new_inference(s->params);
}

static Var *linear(const Setup *s, Var *x, const Param *w)
{
    return op_linear(s->tape, x, tape_param(s->tape, w), NULL);
}

/* p = (S - 1) sigmoid(v^T tanh(W s)), and the window around it. */
static Var *place_window(const Setup *s, Var *query, Span *span)
{
    Var *scale = op_sigmoid(
        s->tape, linear(s, op_tanh(s->tape, linear(s, query, s->centre_w)), s->centre_v));
    Var *centre = op_scale(s->tape, scale, (Real)(s->n - 1));
    int p = (int)centre->value[0];
    *span = (Span){p - REACH < 0 ? 0 : p - REACH, p + REACH + 1 > s->n ? s->n : p + REACH + 1};
    return centre;
}

static void attend(void *context)
{
    const Setup *s = context;
    Tape *t = s->tape;
    tape_reset(t);
    Ragged rows = ragged_new(tape_arena(t), RAGGED_SEQUENCE_MAJOR, 1, &s->n);
    Var *keys = tape_borrow(t, s->n, WIDTH, s->keys);
    Var *query = tape_borrow(t, 1, WIDTH, (Real *)s->query), *centre = NULL;
    Span span;
    AttendTo to = {.keys = &rows};
    if (s->kind == LOCAL) {
        centre = place_window(s, query, &span);
        to.span = &span;
    }
    Var *q = s->kind == DOT ? query : linear(s, query, s->score);
    Var *weights = op_align_softmax(t, op_score_dot(t, q, keys, 1, &to), 1, &to);
    if (centre)
        weights = op_align_gaussian(t, weights, centre, (Real)REACH / 2, &to);
    op_context(t, weights, keys, &to);
}

int main(int argc, char **argv)
{
    static const char *const names[N_KINDS] = {"dot", "general", "local-p"};
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.5;
    Setup *s = memory_new(1, sizeof *s);
    matrix_prepare();
    setup(s);
    static const int lengths[] = {10, 50, 100, 500, 1000, 5000, MOST};
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
        for (int kind = 0; kind < N_KINDS; kind++) {
            s->n = lengths[l];
            s->kind = (Kind)kind;
            char name[64];
            snprintf(name, sizeof name, "attention only %s S%d", names[kind], s->n);
            double positions = kind == LOCAL && s->n > 2 * REACH + 1 ? 2 * REACH + 1 : s->n;
            double weights = kind == DOT ? 0 : kind == GENERAL ? 1 : 2;
            double numbers = positions * WIDTH + weights * WIDTH * WIDTH;
            bench_run_work("luong", name, seconds / 3,
                           (BenchWork){2 * (numbers + positions * WIDTH), 4 * numbers}, attend, s);
        }
    tape_free(s->tape);
    param_set_free(s->params);
    free(s->keys);
    free(s);
    return 0;
}
