/* The recurrent attention model against PyTorch (ram_reference.json, made by
 * make_ram_reference.py), and its policy gradient against exact expectations. */
#include "testing.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "models/ram.h"
#include "train/optimiser.h"
#include "train/ram_loss.h"

enum { MOST_PICTURES = 8, MOST_PIXELS = 100 };

typedef struct Tiny {
    ParamSet *params;
    Ram *net;
    Real *gradient;
    int n;
    Real store[MOST_PICTURES][MOST_PIXELS];
    const Real *pictures[MOST_PICTURES];
    int labels[MOST_PICTURES];
} Tiny;

static void tiny_build(Tiny *tiny, const RamShape *shape)
{
    Error error = {0};
    tiny->params = param_set_new();
    tiny->net = ram_new(shape, tiny->params);
    assert_ok(param_set_allocate(tiny->params, &error));
    tiny->gradient = calloc(param_set_size(tiny->params), sizeof(Real));
    for (int i = 0; i < MOST_PICTURES; i++)
        tiny->pictures[i] = tiny->store[i];
}

static void tiny_free(Tiny *tiny)
{
    ram_free(tiny->net);
    param_set_free(tiny->params);
    free(tiny->gradient);
}

static RamBatch tiny_batch(const Tiny *tiny)
{
    return (RamBatch){tiny->n, tiny->pictures, tiny->labels};
}

/* Loss with its gradient. */
static double run(Tiny *tiny, const RamLossSpec *spec, uint64_t seed)
{
    memset(tiny->gradient, 0, param_set_size(tiny->params) * sizeof(Real));
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    RamBatch batch = tiny_batch(tiny);
    Random random = random_seed(seed, RANDOM_SAMPLE);
    Measures measures = {0};
    Var *loss =
        ram_loss(tiny->net, tape, &batch, spec, &random, (Real)1 / (Real)tiny->n, &measures);
    tape_backward(tape, loss);
    double value = (double)loss->value[0];
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

static void read_case(Tiny *tiny, const json_t *doc, const json_t *c)
{
    const RamShape shape = {
        .retina = {(int)number(doc, "patch"), (int)number(doc, "scales")},
        .side = (int)number(doc, "side"),
        .glimpses = (int)number(doc, "glimpses"),
        .hidden = (int)number(doc, "hidden"),
        .glimpse_hidden = (int)number(doc, "glimpse_hidden"),
        .sigma = number(doc, "sigma"),
    };
    tiny_build(tiny, &shape);
    const json_t *labels = json_object_get(doc, "labels");
    tiny->n = (int)json_array_size(labels);
    for (int i = 0; i < tiny->n; i++) {
        tiny->labels[i] = (int)json_integer_value(json_array_get(labels, (size_t)i));
        read_numbers(json_array_get(json_object_get(doc, "pictures"), (size_t)i), tiny->store[i],
                     (size_t)(shape.side * shape.side));
    }
    for (int k = 0; k < param_count(tiny->params); k++) {
        const Param *p = param_at(tiny->params, k);
        read_numbers(json_object_get(json_object_get(c, "values"), p->name),
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
    static const char *const kinds[] = {"none", "moving", "learned"};
    json_t *doc = json_load_file(FOVEA_TEST_DATA "/ram_reference.json", 0, NULL);
    assert_non_null(doc);
    Real places[MOST_PIXELS];
    const json_t *list = json_object_get(doc, "places");
    read_numbers(list, places, json_array_size(list));
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(doc, "cases"), i, c)
    {
        Tiny tiny = {0};
        read_case(&tiny, doc, c);
        RamLossSpec spec = {
            .value = (Real)number(doc, "value"),
            .policy = (Real)number(doc, "policy"),
            .early = (Real)number(c, "early"),
            .moving = number(doc, "moving"),
            .sigma = number(doc, "sigma"),
            .places = places,
        };
        while (strcmp(kinds[spec.baseline], json_string_value(json_object_get(c, "baseline"))))
            spec.baseline++;
        assert_close(run(&tiny, &spec, 1), number(c, "loss"), 1e-12);
        compare_gradients(&tiny, json_object_get(c, "gradients"));
        Optimiser *optimiser = optimiser_new(tiny.params);
        const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.01, 0}, {0.01, 0}};
        for (size_t step = 0; step < 10; step++) {
            assert_close(run(&tiny, &spec, 1),
                         json_number_value(json_array_get(json_object_get(c, "curve"), step)),
                         1e-8);
            optimiser_step(optimiser, tiny.gradient, groups, NULL);
        }
        optimiser_free(optimiser);
        tiny_free(&tiny);
    }
    json_decref(doc);
}

/* ---- the policy ---- */

static void random_tiny_with(Tiny *tiny, int glimpses, int location_hidden, double reach)
{
    const RamShape shape = {.retina = {2, 2},
                            .side = 8,
                            .glimpses = glimpses,
                            .hidden = 6,
                            .glimpse_hidden = 4,
                            .location_hidden = location_hidden,
                            .reach = reach,
                            .sigma = 0.25,
                            .starts_in_the_middle = true};
    tiny_build(tiny, &shape);
    Random random = random_seed(3, RANDOM_EXPLORE);
    for (size_t i = 0; i < param_set_size(tiny->params); i++)
        param_set_values(tiny->params)[i] = (Real)(0.6 * random_normal(&random));
    tiny->n = 4;
    for (int i = 0; i < tiny->n; i++) {
        tiny->labels[i] = i * 3 % 10;
        for (int k = 0; k < 64; k++)
            tiny->store[i][k] = (Real)random_uniform(&random);
    }
}

static void random_tiny(Tiny *tiny, int glimpses)
{
    random_tiny_with(tiny, glimpses, 0, 0);
}

static double policy_gradient_norm(const Tiny *tiny, bool of_policy)
{
    double sum = 0;
    for (int k = 0; k < param_count(tiny->params); k++) {
        const Param *p = param_at(tiny->params, k);
        for (int j = 0; (p->group == PARAM_GROUP_POLICY) == of_policy && j < p->rows * p->cols; j++)
            sum += pow((double)tiny->gradient[p->offset + (size_t)j], 2);
    }
    return sum;
}

/* With R = b in every term nothing is left of the policy gradient. */
static void no_advantage_no_gradient(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, 3);
    /* Labels that the model never gives: every reward is 0, and so is the moving baseline. */
    Tape *tape = tape_new_inference(tiny.params);
    Random random = random_seed(1, RANDOM_SAMPLE);
    RamPaths paths = ram_walk(tiny.net, tape, tiny.n, tiny.pictures, 0.25, NULL, &random);
    Var *logits = ram_classify(tiny.net, tape, paths.state[2]);
    for (int i = 0; i < tiny.n; i++) {
        const Real *row = var_row(logits, i);
        tiny.labels[i] = row[0] > row[1] ? 1 : 0;
    }
    tape_free(tape);
    RamLossSpec spec = {.policy = 1, .sigma = 0.25, .baseline = BASELINE_MOVING};
    run(&tiny, &spec, 1);
    assert_close(policy_gradient_norm(&tiny, true), 0, 0);
    spec.moving = 0.5;
    run(&tiny, &spec, 1);
    assert_true(policy_gradient_norm(&tiny, true) > 1e-6);
    tiny_free(&tiny);
}

/* Cross-entropy trains everything but the location network; the policy term only that. */
static void the_two_losses_train_separate_parts(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, 4);
    RamLossSpec spec = {.sigma = 0.25, .baseline = BASELINE_NONE};
    run(&tiny, &spec, 1);
    assert_close(policy_gradient_norm(&tiny, true), 0, 0);
    size_t n = param_set_size(tiny.params);
    Real *before = malloc(n * sizeof *before);
    memcpy(before, tiny.gradient, n * sizeof *before);
    spec.policy = 5;
    spec.baseline = BASELINE_MOVING;
    spec.moving = -1;
    run(&tiny, &spec, 1);
    assert_true(policy_gradient_norm(&tiny, true) > 0);
    for (int k = 0; k < param_count(tiny.params); k++) {
        const Param *p = param_at(tiny.params, k);
        for (int j = 0; p->group != PARAM_GROUP_POLICY && j < p->rows * p->cols; j++)
            assert_true(before[p->offset + (size_t)j] == tiny.gradient[p->offset + (size_t)j]);
    }
    free(before);
    tiny_free(&tiny);
}

/* The share of the policy's gradient that reaches the core is what it was told to be: with the
 * cross-entropy's own gradient taken away, twice the reach is twice the gradient there, and the
 * location network has the same. */
static void the_policy_reaches_the_core_as_far_as_it_may(void **state)
{
    (void)state;
    enum { N_REACHES = 3 };
    const double reaches[N_REACHES] = {0, 0.25, 0.5};
    double of_core[N_REACHES] = {0}, of_policy[N_REACHES] = {0};
    for (int k = 0; k < N_REACHES; k++) {
        Tiny tiny = {0};
        random_tiny_with(&tiny, 4, 3, reaches[k]);
        RamLossSpec spec = {.sigma = 0.25};
        run(&tiny, &spec, 1);
        size_t n = param_set_size(tiny.params);
        Real *without = malloc(n * sizeof *without);
        memcpy(without, tiny.gradient, n * sizeof *without);
        spec = (RamLossSpec){.sigma = 0.25, .policy = 1, .baseline = BASELINE_MOVING, .moving = -1};
        run(&tiny, &spec, 1);
        const Param *core = param_find(tiny.params, "core.W");
        for (int j = 0; j < core->rows * core->cols; j++) {
            size_t at = core->offset + (size_t)j;
            of_core[k] += pow((double)(tiny.gradient[at] - without[at]), 2);
        }
        of_policy[k] = policy_gradient_norm(&tiny, true);
        free(without);
        tiny_free(&tiny);
    }
    assert_close(of_core[0], 0, 0);
    assert_true(of_core[1] > 1e-9);
    assert_close(of_core[2] / of_core[1], 4, 1e-9);
    for (int k = 1; k < N_REACHES; k++)
        assert_close(of_policy[k] / of_policy[0], 1, 1e-12);
}

/* reward=chance: R_t is the mean chance of the right digit over the glimpses after the choice. */
static void a_choice_is_paid_the_mean_chance_of_what_follows_it(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, 3);
    tiny.n = 1;
    Tape *tape = tape_new_inference(tiny.params);
    RamPaths paths = ram_walk(tiny.net, tape, 1, tiny.pictures, 0, NULL, NULL);
    double chance[3], sum = 0;
    for (int t = 0; t < 3; t++) {
        Var *logits = ram_classify(tiny.net, tape, paths.state[t]);
        double all = 0;
        for (int c = 0; c < RAM_N_CLASSES; c++)
            all += exp((double)logits->value[c]);
        chance[t] = exp((double)logits->value[tiny.labels[0]]) / all;
    }
    for (int t = 0; t < 2; t++) {
        double reward = t == 0 ? (chance[1] + chance[2]) / 2 : chance[2];
        sum += pow((double)paths.baseline[t]->value[0] - reward, 2) / 2;
    }
    Measures measures = {0};
    const RamLossSpec spec = {.reward = REWARD_CHANCE};
    RamBatch batch = tiny_batch(&tiny);
    ram_loss(tiny.net, tape, &batch, &spec, NULL, 1, &measures);
    assert_close(measures_get(&measures, "baseline.error"), sum, 1e-12);
    assert_close(measures_get(&measures, "reward"), (chance[1] + 3 * chance[2]) / 4, 1e-12);
    tape_free(tape);
    tiny_free(&tiny);
}

/* One decision, reward known as a function of the place: E[(R - b) d log pi / d m] must be
 * d E[R] / d m for any b. Both integrals are taken on a fine grid of places. */
static void the_score_function_estimates_the_gradient_of_the_expected_reward(void **state)
{
    (void)state;
    const double sigma = 0.25, goal[2] = {0.2, -0.4}, mean[2] = {-0.1, 0.3};
    enum { STEPS = 400 };
    for (int b = 0; b < 2; b++) {
        double baseline = b == 0 ? 0 : -1.3, estimate = 0, mass = 0, mean_score = 0;
        for (int i = 0; i < STEPS; i++)
            for (int k = 0; k < STEPS; k++) {
                const Real place[2] = {(Real)(mean[0] + sigma * (16.0 * i / STEPS - 8)),
                                       (Real)(mean[1] + sigma * (16.0 * k / STEPS - 8))};
                const Real m[2] = {(Real)mean[0], (Real)mean[1]};
                double cell = pow(sigma * 16.0 / STEPS, 2);
                double p = exp(gaussian_log_density(m, place, sigma)) * cell;
                double reward =
                    -pow((double)place[0] - goal[0], 2) - pow((double)place[1] - goal[1], 2);
                double score = ((double)place[0] - mean[0]) / (sigma * sigma);
                mass += p;
                mean_score += p * score;
                estimate += p * (reward - baseline) * score;
            }
        assert_close(mass, 1, 1e-10);
        assert_close(mean_score, 0, 1e-10);
        assert_close(estimate, -2 * (mean[0] - goal[0]), 1e-8);
    }
}

/* Means of samples lie where the network says; the used place is clipped, the sample is not. */
static void samples_scatter_around_the_mean_and_are_used_clipped(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, 2);
    enum { DRAWS = 20000 };
    double sum[2] = {0}, sigma = 0.25;
    Random random = random_seed(5, RANDOM_SAMPLE);
    Tape *tape = tape_new_inference(tiny.params);
    const Real *mean = NULL;
    Real kept[2] = {0};
    for (int i = 0; i < DRAWS; i++) {
        tape_reset(tape);
        RamPaths paths = ram_walk(tiny.net, tape, 1, tiny.pictures, sigma, NULL, &random);
        mean = paths.mean[0]->value;
        kept[0] = mean[0];
        kept[1] = mean[1];
        sum[0] += (double)paths.sample[1][0];
        sum[1] += (double)paths.sample[1][1];
    }
    for (int k = 0; k < 2; k++)
        assert_close(sum[k] / DRAWS, kept[k], 4 * sigma / sqrt(DRAWS));
    const Real outside[] = {0, 0, 3, -5}, border[] = {0, 0, 1, -1};
    Real state_of[2][6];
    for (int k = 0; k < 2; k++) {
        tape_reset(tape);
        RamPaths paths =
            ram_walk(tiny.net, tape, 1, tiny.pictures, sigma, k == 0 ? outside : border, &random);
        memcpy(state_of[k], paths.state[1]->value, sizeof state_of[k]);
        assert_close(paths.sample[1][0], k == 0 ? 3 : 1, 0);
    }
    assert_memory_equal(state_of[0], state_of[1], sizeof state_of[0]);
    tape_free(tape);
    tiny_free(&tiny);
}

/* A picture's result does not depend on the others of its batch. */
static void a_picture_alone_and_in_a_batch_gives_the_same(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, 3);
    Tape *tape = tape_new_inference(tiny.params);
    Random random = random_seed(5, RANDOM_SAMPLE);
    RamPaths all = ram_walk(tiny.net, tape, tiny.n, tiny.pictures, 0, NULL, &random);
    for (int i = 0; i < tiny.n; i++) {
        RamPaths one = ram_walk(tiny.net, tape, 1, tiny.pictures + i, 0, NULL, &random);
        for (int k = 0; k < 6; k++)
            assert_close(one.state[2]->value[k], var_row(all.state[2], i)[k], 1e-12);
    }
    tape_free(tape);
    tiny_free(&tiny);
}

/* A learned baseline that is right about every picture takes the variance away. */
static void baselines_change_the_variance_of_the_estimate(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, 3);
    /* Always the same answer, always right: R = 1. */
    param_value(tiny.params, param_find(tiny.params, "action.b"))[4] = 1000;
    for (int i = 0; i < tiny.n; i++)
        tiny.labels[i] = 4;
    memset(param_value(tiny.params, param_find(tiny.params, "baseline.w")), 0, 6 * sizeof(Real));
    param_value(tiny.params, param_find(tiny.params, "baseline.b"))[0] = 1;
    RamBatch batch = tiny_batch(&tiny);
    RamLossSpec spec = {.sigma = 0.01, .moving = 0.75};
    double variance[BASELINE_N_KINDS];
    ram_gradient_variance(tiny.net, tiny.params, &batch, &spec, 8, 2, variance);
    assert_true(variance[BASELINE_NONE] > 0);
    assert_close(variance[BASELINE_MOVING] / variance[BASELINE_NONE], 0.0625, 1e-6);
    assert_close(variance[BASELINE_LEARNED], 0, 1e-12);
    tiny_free(&tiny);
}

/* Eight pictures can be learned by heart. */
static void a_few_pictures_are_learned_by_heart(void **state)
{
    (void)state;
    Tiny tiny = {0};
    random_tiny(&tiny, 3);
    tiny.n = MOST_PICTURES;
    Random random = random_seed(9, RANDOM_EXPLORE);
    for (int i = 0; i < tiny.n; i++) {
        tiny.labels[i] = i;
        for (int k = 0; k < 64; k++)
            tiny.store[i][k] = (Real)random_uniform(&random);
    }
    Optimiser *optimiser = optimiser_new(tiny.params);
    const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.01, 5}, {0.003, 5}};
    const RamLossSpec spec = {.value = 1, .policy = 1, .baseline = BASELINE_LEARNED, .sigma = 0.05};
    for (int step = 0; step < 500; step++) {
        run(&tiny, &spec, (uint64_t)step);
        optimiser_step(optimiser, tiny.gradient, groups, NULL);
    }
    Tape *tape = tape_new_inference(tiny.params);
    RamBatch batch = tiny_batch(&tiny);
    Measures measures = {0};
    ram_loss(tiny.net, tape, &batch, &(RamLossSpec){0}, &random, 1, &measures);
    assert_true(measures_get(&measures, "loss") < 0.2);
    assert_close(measures_get(&measures, "accuracy"), 1, 0);
    tape_free(tape);
    optimiser_free(optimiser);
    tiny_free(&tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_gradients_and_adam_agree_with_pytorch),
        cmocka_unit_test(no_advantage_no_gradient),
        cmocka_unit_test(the_two_losses_train_separate_parts),
        cmocka_unit_test(the_policy_reaches_the_core_as_far_as_it_may),
        cmocka_unit_test(a_choice_is_paid_the_mean_chance_of_what_follows_it),
        cmocka_unit_test(the_score_function_estimates_the_gradient_of_the_expected_reward),
        cmocka_unit_test(samples_scatter_around_the_mean_and_are_used_clipped),
        cmocka_unit_test(a_picture_alone_and_in_a_batch_gives_the_same),
        cmocka_unit_test(baselines_change_the_variance_of_the_estimate),
        cmocka_unit_test(a_few_pictures_are_learned_by_heart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
