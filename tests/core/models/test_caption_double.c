/* The caption model against PyTorch (caption_reference.json, made by
 * make_caption_reference.py), its hard estimator against full enumeration, and relations
 * that must hold. */
#include "testing.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "models/caption.h"
#include "train/caption_loss.h"
#include "train/optimiser.h"

enum { MOST = 4 };

typedef struct Tiny {
    ParamSet *params;
    Caption *net;
    Real *gradient;
    uint64_t seed; /* of draws */
    int n;
    Real *pictures; /* [n side side, 3] */
    int ids[MOST * CAPTION_MAX_WORDS], length[MOST];
    int cells[CAPTION_MAX_WORDS * MOST]; /* [steps, n] */
} Tiny;

static void tiny_build(Tiny *tiny, const CaptionShape *shape)
{
    Error error = {0};
    tiny->params = param_set_new();
    tiny->net = caption_new(shape, tiny->params);
    assert_ok(param_set_allocate(tiny->params, &error));
    tiny->gradient = calloc(param_set_size(tiny->params), sizeof(Real));
}

static void tiny_free(Tiny *tiny)
{
    caption_free(tiny->net);
    param_set_free(tiny->params);
    free(tiny->gradient);
    free(tiny->pictures);
}

/* Loss with its gradient; draws: sampling and policy terms are on. */
static double run(Tiny *tiny, const CaptionLossSpec *spec, bool draws, Real scale,
                  double *log_likelihood)
{
    memset(tiny->gradient, 0, param_set_size(tiny->params) * sizeof(Real));
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    int side = caption_get_shape(tiny->net)->side;
    const CaptionBatch batch = {tiny->n,
                                tape_borrow(tape, tiny->n * side * side, 3, tiny->pictures),
                                tiny->ids, tiny->length};
    Random random = random_seed(tiny->seed, RANDOM_SAMPLE);
    Measures measures = {0};
    Var *loss =
        caption_loss(tiny->net, tape, &batch, spec, draws ? &random : NULL, scale, &measures, NULL);
    double value = (double)loss->value[0];
    if (log_likelihood)
        *log_likelihood = measures_get(&measures, "sentence") * tiny->n;
    tape_backward(tape, loss);
    tape_free(tape);
    return value;
}

/* ---- PyTorch ---- */

static double number(const json_t *doc, const char *key)
{
    return json_number_value(json_object_get(doc, key));
}

static void read_numbers(const json_t *list, Real *out, size_t n)
{
    assert_int_equal(json_array_size(list), n);
    for (size_t i = 0; i < n; i++)
        out[i] = (Real)json_number_value(json_array_get(list, i));
}

static bool is(const json_t *c, const char *key, const char *value)
{
    const char *text = json_string_value(json_object_get(c, key));
    return text && strcmp(text, value) == 0;
}

static void read_batch(Tiny *tiny, const json_t *doc)
{
    const json_t *sentences = json_object_get(doc, "sentences");
    tiny->n = (int)json_array_size(sentences);
    size_t side = (size_t)number(doc, "side"), size = (size_t)tiny->n * side * side * 3;
    tiny->pictures = malloc(size * sizeof(Real));
    read_numbers(json_object_get(doc, "pictures"), tiny->pictures, size);
    for (int i = 0; i < tiny->n; i++) {
        const json_t *words = json_array_get(sentences, (size_t)i);
        tiny->length[i] = (int)json_array_size(words);
        for (int t = 0; t < tiny->length[i]; t++)
            tiny->ids[i * CAPTION_MAX_WORDS + t] =
                (int)json_integer_value(json_array_get(words, (size_t)t));
    }
    size_t t;
    json_t *row;
    json_array_foreach(json_object_get(doc, "cells"), t, row) for (int i = 0; i < tiny->n; i++)
        tiny->cells[(int)t * tiny->n + i] = (int)json_integer_value(json_array_get(row, (size_t)i));
}

static void read_case(Tiny *tiny, const json_t *doc, const json_t *entry)
{
    const json_t *c = json_object_get(entry, "case");
    const CaptionShape shape = {
        .is_hard = is(c, "attention", "hard"),
        .has_gate = !is(c, "gate", "no"),
        .side = (int)number(doc, "side"),
        .grid = (int)number(doc, "side") / 8,
        .width = (int)number(doc, "width"),
        .embedding = (int)number(doc, "embedding"),
        .hidden = (int)number(doc, "hidden"),
        .attention_hidden = (int)number(doc, "attention_hidden"),
        .vocabulary = (int)number(doc, "vocabulary"),
    };
    tiny_build(tiny, &shape);
    read_batch(tiny, doc);
    for (int k = 0; k < param_count(tiny->params); k++) {
        const Param *p = param_at(tiny->params, k);
        read_numbers(json_object_get(json_object_get(entry, "values"), p->name),
                     param_value(tiny->params, p), (size_t)(p->rows * p->cols));
    }
}

static void compare_gradients(const Tiny *tiny, const json_t *gradients)
{
    assert_int_equal(param_count(tiny->params), json_object_size(gradients));
    for (int k = 0; k < param_count(tiny->params); k++) {
        const Param *p = param_at(tiny->params, k);
        const json_t *want = json_object_get(gradients, p->name);
        for (int j = 0; j < p->rows * p->cols; j++)
            assert_close(tiny->gradient[p->offset + (size_t)j],
                         json_number_value(json_array_get(want, (size_t)j)), 1e-10);
    }
}

static void losses_gradients_and_adam_agree_with_pytorch(void **state)
{
    (void)state;
    json_t *doc = json_load_file(FOVEA_TEST_DATA "/caption_reference.json", 0, NULL);
    assert_non_null(doc);
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(doc, "cases"), i, entry)
    {
        Tiny tiny = {0};
        read_case(&tiny, doc, entry);
        const CaptionLossSpec spec = {
            .coverage = (Real)number(doc, "coverage"),
            .policy = (Real)number(doc, "policy"),
            .entropy = (Real)number(doc, "entropy"),
            .baseline = number(doc, "baseline"),
            .reward = json_is_true(json_object_get(json_object_get(entry, "case"), "to_go"))
                          ? REWARD_TO_GO
                          : REWARD_SENTENCE,
            .cells = tiny.cells,
        };
        int words = 0;
        for (int k = 0; k < tiny.n; k++)
            words += tiny.length[k];
        Real scale = (Real)1 / (Real)words;
        assert_close(run(&tiny, &spec, true, scale, NULL), number(entry, "loss"), 1e-12);
        compare_gradients(&tiny, json_object_get(entry, "gradients"));
        Optimiser *optimiser = optimiser_new(tiny.params);
        const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.01, 0}};
        for (size_t step = 0; step < 10; step++) {
            assert_close(run(&tiny, &spec, true, scale, NULL),
                         json_number_value(json_array_get(json_object_get(entry, "curve"), step)),
                         1e-8);
            optimiser_step(optimiser, tiny.gradient, groups, NULL);
        }
        optimiser_free(optimiser);
        tiny_free(&tiny);
    }
    json_decref(doc);
}

/* ---- hard attention: the estimator's mean is the gradient of the expectation ---- */

enum { L = 4, T = 2, N_PATHS = 16 };

static void random_tiny(Tiny *tiny, bool is_hard, int n)
{
    const CaptionShape shape = {.is_hard = is_hard,
                                .has_gate = true,
                                .side = 16,
                                .grid = 2,
                                .width = 1,
                                .embedding = 3,
                                .hidden = 4,
                                .attention_hidden = 3,
                                .vocabulary = 6};
    tiny_build(tiny, &shape);
    Random random = random_seed(5, RANDOM_EXPLORE);
    for (size_t i = 0; i < param_set_size(tiny->params); i++)
        param_set_values(tiny->params)[i] = (Real)(0.6 * random_normal(&random));
    tiny->n = n;
    tiny->pictures = malloc((size_t)n * 256 * 3 * sizeof(Real));
    for (int i = 0; i < n * 256 * 3; i++)
        tiny->pictures[i] = (Real)random_uniform(&random);
    for (int i = 0; i < n; i++) {
        tiny->length[i] = T;
        tiny->ids[i * CAPTION_MAX_WORDS] = 1 + (int)random_below(&random, 5);
        tiny->ids[i * CAPTION_MAX_WORDS + 1] = 0;
    }
}

/* Probability of the replayed cells, stepping by hand. */
static double path_probability(const Tiny *tiny)
{
    Tape *tape = tape_new_inference(tiny->params);
    CaptionSource source =
        caption_encode(tiny->net, tape, tape_borrow(tape, 256, 3, tiny->pictures));
    Var *state = source.first_state;
    double p = 1;
    for (int t = 0; t < T; t++) {
        int last = t > 0 ? tiny->ids[t - 1] : -1;
        const CaptionControl control = {.temperature = 1, .chosen = tiny->cells + t};
        CaptionStep step = caption_step(tiny->net, tape, &source,
                                        caption_embed(tiny->net, tape, 1, &last), state, &control);
        p *= (double)step.aligned->value[tiny->cells[t]];
        state = step.state;
    }
    tape_free(tape);
    return p;
}

static void set_path(Tiny *tiny, int path)
{
    tiny->cells[0] = path % L;
    tiny->cells[1] = path / L;
}

/* The lower bound of Xu et al. 2015, eq. 10: sum over paths of p(s) log p(y | s). */
static double expectation(Tiny *tiny)
{
    const CaptionLossSpec spec = {.cells = tiny->cells};
    double sum = 0, mass = 0;
    for (int path = 0; path < N_PATHS; path++) {
        double log_likelihood;
        set_path(tiny, path);
        run(tiny, &spec, true, 1, &log_likelihood);
        double p = path_probability(tiny);
        sum += p * log_likelihood;
        mass += p;
    }
    assert_close(mass, 1, 1e-12);
    return sum;
}

static void mean_estimate(Tiny *tiny, double baseline, bool to_go, double *mean)
{
    const CaptionLossSpec spec = {.policy = 1,
                                  .baseline = baseline,
                                  .reward = to_go ? REWARD_TO_GO : REWARD_SENTENCE,
                                  .cells = tiny->cells};
    size_t n = param_set_size(tiny->params);
    memset(mean, 0, n * sizeof *mean);
    for (int path = 0; path < N_PATHS; path++) {
        set_path(tiny, path);
        double p = path_probability(tiny);
        run(tiny, &spec, true, 1, NULL);
        for (size_t i = 0; i < n; i++)
            mean[i] += p * (double)tiny->gradient[i];
    }
}

static void the_hard_estimator_is_unbiased_for_any_baseline(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, true, 1);
    size_t n = param_set_size(tiny.params);
    double *mean = calloc(n, sizeof *mean), *other = calloc(n, sizeof *other);
    mean_estimate(&tiny, 0, false, mean);
    mean_estimate(&tiny, -2.3, false, other);
    for (size_t i = 0; i < n; i++)
        assert_close(mean[i], other[i], 1e-10);
    mean_estimate(&tiny, -0.7, true, other);
    for (size_t i = 0; i < n; i++)
        assert_close(mean[i], other[i], 1e-10);
    for (int k = 0; k < param_count(tiny.params); k++) {
        const Param *p = param_at(tiny.params, k);
        for (int j = 0; j < p->rows * p->cols; j += 29) {
            Real *w = param_value(tiny.params, p) + j, old = *w;
            *w = old + (Real)1e-5;
            double above = expectation(&tiny);
            *w = old - (Real)1e-5;
            double below = expectation(&tiny);
            *w = old;
            /* The loss is minus the bound. */
            assert_close(-mean[p->offset + (size_t)j], (above - below) / 2e-5, 1e-7);
        }
    }
    free(mean);
    free(other);
    tiny_free(&tiny);
}

/* ---- relations ---- */

/* A sentence's loss is the same beside longer and shorter ones. */
static void a_picture_alone_and_in_a_batch_gives_the_same(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, false, 3);
    tiny.length[1] = 1;
    tiny.ids[CAPTION_MAX_WORDS] = 0;
    const CaptionLossSpec spec = {.coverage = 0};
    double together = run(&tiny, &spec, false, 1, NULL), apart = 0;
    for (int i = 0; i < 3; i++) {
        Tiny one = tiny;
        one.n = 1;
        one.pictures = tiny.pictures + (size_t)i * 256 * 3;
        memcpy(one.ids, tiny.ids + i * CAPTION_MAX_WORDS, sizeof(int) * CAPTION_MAX_WORDS);
        one.length[0] = tiny.length[i];
        apart += run(&one, &spec, false, 1, NULL);
    }
    assert_close(together, apart, 1e-10);
    tiny_free(&tiny);
}

static void weights_gate_and_context_keep_their_bounds(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, false, 1);
    Tape *tape = tape_new_inference(tiny.params);
    CaptionSource source = caption_encode(tiny.net, tape, tape_borrow(tape, 256, 3, tiny.pictures));
    int last = -1;
    const CaptionControl control = {.temperature = 1};
    CaptionStep step =
        caption_step(tiny.net, tape, &source, caption_embed(tiny.net, tape, 1, &last),
                     source.first_state, &control);
    double sum = 0;
    for (int i = 0; i < L; i++) {
        assert_true(step.weights->value[i] >= 0);
        sum += (double)step.weights->value[i];
    }
    assert_close(sum, 1, 1e-12);
    double beta = (double)step.gate->value[0];
    assert_true(beta > 0 && beta < 1);
    for (int c = 0; c < step.context->cols; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < L; i++) {
            low = fmin(low, (double)var_row(source.annotations, i)[c]);
            high = fmax(high, (double)var_row(source.annotations, i)[c]);
        }
        double context = (double)step.context->value[c] / beta;
        assert_true(context >= low - 1e-12 && context <= high + 1e-12);
    }
    tape_free(tape);
    tiny_free(&tiny);
}

/* Frequencies of 40,000 draws within four standard deviations of the softmax. */
static void hard_cells_are_drawn_by_the_weights(void **state)
{
    (void)state;
    enum { DRAWS = 40000 };
    Tiny tiny = {0};
    random_tiny(&tiny, true, 1);
    Tape *tape = tape_new_inference(tiny.params), *step_tape = tape_new_inference(tiny.params);
    CaptionSource source = caption_encode(tiny.net, tape, tape_borrow(tape, 256, 3, tiny.pictures));
    int last = -1, count[L] = {0};
    double p[L];
    Random random = random_seed(6, RANDOM_SAMPLE);
    for (int k = 0; k < DRAWS; k++) {
        tape_reset(step_tape);
        double draw = random_uniform(&random);
        const CaptionControl control = {.temperature = 1, .draws = &draw};
        CaptionStep step =
            caption_step(tiny.net, step_tape, &source, caption_embed(tiny.net, step_tape, 1, &last),
                         source.first_state, &control);
        count[step.chosen[0]]++;
        double sum = 0;
        for (int i = 0; i < L; i++) {
            p[i] = (double)step.aligned->value[i];
            sum += (double)step.weights->value[i];
        }
        assert_close(step.weights->value[step.chosen[0]], 1, 0);
        assert_close(sum, 1, 0);
    }
    for (int i = 0; i < L; i++)
        assert_close((double)count[i] / DRAWS, p[i], 4 * sqrt(p[i] * (1 - p[i]) / DRAWS));
    tape_free(tape);
    tape_free(step_tape);
    tiny_free(&tiny);
}

/* A pass that takes the expectation everywhere is the soft model. */
static void hard_attention_in_expectation_is_soft_attention(void **state)
{
    (void)state;
    Tiny hard = {0}, soft = {0};
    random_tiny(&hard, true, 3);
    random_tiny(&soft, false, 3);
    const CaptionLossSpec spec = {.expectation = 1, .policy = 1, .baseline = -3};
    double a = run(&hard, &spec, true, 1, NULL), b = run(&soft, &spec, true, 1, NULL);
    assert_close(a, b, 1e-12);
    for (size_t i = 0; i < param_set_size(hard.params); i++)
        assert_close(hard.gradient[i], soft.gradient[i], 1e-12);
    tiny_free(&hard);
    tiny_free(&soft);
}

/* Four pictures, four words: mean log-likelihood of a word at the beginning and at the end. */
static void learn(bool is_hard, double *first, double *last, double *greedy)
{
    enum { STEPS = 300, PART = 50 };
    Tiny tiny = {0};
    random_tiny(&tiny, is_hard, MOST);
    for (int i = 0; i < MOST; i++)
        tiny.ids[i * CAPTION_MAX_WORDS] = 1 + i;
    Optimiser *optimiser = optimiser_new(tiny.params);
    const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.02, 5}};
    const CaptionLossSpec spec = {.policy = (Real)0.1, .baseline = -0.5, .expectation = 0.5};
    *first = *last = 0;
    for (int step = 0; step < STEPS; step++) {
        double log_likelihood;
        tiny.seed = (uint64_t)step;
        run(&tiny, &spec, true, (Real)0.125, &log_likelihood);
        *first += step < PART ? log_likelihood / (PART * MOST * T) : 0;
        *last += step >= STEPS - PART ? log_likelihood / (PART * MOST * T) : 0;
        optimiser_step(optimiser, tiny.gradient, groups, NULL);
    }
    /* The largest cells alone must do, without draws. */
    run(&tiny, &spec, false, 1, greedy);
    *greedy /= MOST * T;
    optimiser_free(optimiser);
    tiny_free(&tiny);
}

static void a_few_pictures_are_learned_by_heart(void **state)
{
    (void)state;
    for (int is_hard = 0; is_hard < 2; is_hard++) {
        double first, last, greedy;
        learn(is_hard == 1, &first, &last, &greedy);
        assert_true(last > first);
        assert_true(greedy > -0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_gradients_and_adam_agree_with_pytorch),
        cmocka_unit_test(the_hard_estimator_is_unbiased_for_any_baseline),
        cmocka_unit_test(a_picture_alone_and_in_a_batch_gives_the_same),
        cmocka_unit_test(weights_gate_and_context_keep_their_bounds),
        cmocka_unit_test(hard_cells_are_drawn_by_the_weights),
        cmocka_unit_test(hard_attention_in_expectation_is_soft_attention),
        cmocka_unit_test(a_few_pictures_are_learned_by_heart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
