/* The sentence classifiers against PyTorch (sentence_reference.json, made by
 * make_sentence_reference.py), and the estimator of the selectors against full enumeration. */
#include "sentence_tiny.h"

#include <jansson.h>

/* ---- PyTorch ---- */

static unsigned char *read_flags(const json_t *list)
{
    unsigned char *flags = calloc(json_array_size(list) + 1, 1);
    for (size_t i = 0; i < json_array_size(list); i++)
        flags[i] = json_integer_value(json_array_get(list, i)) != 0;
    return flags;
}

static void configure(Tiny *tiny, const json_t *doc, const json_t *settings)
{
    const char *key;
    json_t *value;
    char text[80];
    json_object_foreach(json_object_get(doc, "sizes"), key, value)
    {
        snprintf(text, sizeof text, "%s=%d", key, (int)json_integer_value(value));
        set(tiny, text);
    }
    json_object_foreach((json_t *)settings, key, value)
    {
        snprintf(text, sizeof text, "%s=%s", key, json_string_value(value));
        set(tiny, text);
    }
}

static int integer(const json_t *list, size_t i)
{
    return (int)json_integer_value(json_array_get(list, i));
}

static int append_ids(const json_t *sentence, int n, int *ids)
{
    for (size_t k = 0; k < json_array_size(sentence); k++)
        ids[n++] = integer(sentence, k);
    return n;
}

/* Every sentence is an example, or every pair of numbers of sentences. */
static void read_examples(Tiny *tiny, const json_t *doc)
{
    bool pairs = sentence_get_shape(tiny->net)->pair;
    const json_t *sentences = json_object_get(doc, "sentences");
    const json_t *examples = pairs ? json_object_get(doc, "pairs") : sentences;
    const json_t *labels = json_object_get(doc, pairs ? "pair_labels" : "labels");
    for (size_t i = 0; i < json_array_size(examples); i++) {
        const json_t *example = json_array_get(examples, i);
        int ids[MOST_WORDS], n_first = 0, n;
        if (pairs) {
            n_first = append_ids(json_array_get(sentences, (size_t)integer(example, 0)), 0, ids);
            n = append_ids(json_array_get(sentences, (size_t)integer(example, 1)), n_first, ids);
        } else {
            n = append_ids(example, 0, ids);
        }
        add_example(tiny, integer(labels, i), n_first, n, ids);
    }
}

static void read_values(Tiny *tiny, const json_t *values, const char *what)
{
    for (int i = 0; i < param_count(tiny->params); i++) {
        const Param *p = param_at(tiny->params, i);
        const json_t *list = json_object_get(values, p->name);
        if ((int)json_array_size(list) != p->rows * p->cols)
            fail_msg("%s: %s [%d, %d] has %zu numbers", what, p->name, p->rows, p->cols,
                     json_array_size(list));
        for (int j = 0; j < p->rows * p->cols; j++)
            param_value(tiny->params, p)[j] =
                (Real)json_real_value(json_array_get(list, (size_t)j));
    }
}

static void compare_gradients(const Tiny *tiny, const json_t *gradients, const char *what)
{
    assert_int_equal(param_count(tiny->params), json_object_size(gradients));
    for (int i = 0; i < param_count(tiny->params); i++) {
        const Param *p = param_at(tiny->params, i);
        const json_t *want = json_object_get(gradients, p->name);
        for (int j = 0; j < p->rows * p->cols; j++) {
            double w = json_real_value(json_array_get(want, (size_t)j));
            double g = (double)tiny->gradient[p->offset + (size_t)j];
            if (!(fabs(w - g) < 1e-10))
                fail_msg("%s: gradient of %s[%d] is %.12g, PyTorch has %.12g", what, p->name, j, g,
                         w);
        }
    }
}

static void ten_steps(Tiny *tiny, const SentenceLossSpec *spec, const json_t *curve,
                      const char *what)
{
    Optimiser *optimiser = optimiser_new(tiny->params);
    const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.01, 0}, {0.01, 0}};
    for (size_t step = 0; step < 10; step++) {
        double want = json_real_value(json_array_get(curve, step));
        double got = loss_of(tiny, spec, 1);
        if (!(fabs(want - got) < 1e-8))
            fail_msg("%s: loss at step %zu is %.12g, PyTorch has %.12g", what, step, got, want);
        optimiser_step(optimiser, tiny->gradient, groups, NULL);
    }
    optimiser_free(optimiser);
}

static void compare_case(const json_t *doc, const json_t *c)
{
    Tiny tiny = {0};
    char *what = json_dumps(json_object_get(c, "settings"), 0);
    configure(&tiny, doc, json_object_get(c, "settings"));
    build(&tiny, (int)json_integer_value(json_object_get(doc, "vocabulary")),
          (int)json_integer_value(json_object_get(doc, "classes")), 1, 1);
    read_examples(&tiny, doc);
    read_values(&tiny, json_object_get(c, "values"), what);
    const json_t *z = json_object_get(c, "selection");
    unsigned char *flags[2] = {read_flags(json_object_get(z, "head")),
                               read_flags(json_object_get(z, "dependent"))};
    const Selection given = {{flags[0], flags[1]}};
    const SentenceLossSpec spec = {
        .teaches_network = true,
        .teaches_policy = true,
        .copies = 1,
        .penalty = (Real)json_real_value(json_object_get(doc, "penalty")),
        .lambda = json_real_value(json_object_get(doc, "lambda")),
        .floor = json_real_value(json_object_get(doc, "floor")),
        .given = json_is_object(z) ? &given : NULL,
    };
    for (int n_shards = 1; n_shards <= (spec.given ? 1 : 3); n_shards++) {
        double loss = loss_of(&tiny, &spec, n_shards);
        if (!(fabs(loss - json_real_value(json_object_get(c, "loss"))) < 1e-12))
            fail_msg("%s: loss %.14g, PyTorch has %.14g", what, loss,
                     json_real_value(json_object_get(c, "loss")));
        compare_gradients(&tiny, json_object_get(c, "gradients"), what);
    }
    ten_steps(&tiny, &spec, json_object_get(c, "curve"), what);
    free(flags[0]);
    free(flags[1]);
    tiny_free(&tiny);
    free(what);
}

static void losses_gradients_and_adam_agree_with_pytorch(void **state)
{
    (void)state;
    json_error_t why;
    json_t *doc = json_load_file(FOVEA_TEST_DATA "/sentence_reference.json", 0, &why);
    assert_non_null(doc);
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(doc, "cases"), i, c) compare_case(doc, c);
    json_decref(doc);
}

/* ---- the estimator: enumerate every selection ---- */

typedef struct Enumerated {
    Tiny tiny;
    int n_bits; /* words times selectors */
    SentenceLossSpec spec;
} Enumerated;

static void enumerate_begin(Enumerated *e, const char *kind, int n_words)
{
    static const int ids[8] = {3, 5, 4, 2, 6, 3, 7, 4};
    e->tiny = (Tiny){0};
    char text[40];
    snprintf(text, sizeof text, "attention=%s", kind);
    set(&e->tiny, text);
    set(&e->tiny, "embedding=2");
    set(&e->tiny, "hidden=3");
    set(&e->tiny, "selector-hidden=2");
    set(&e->tiny, "direction=diagonal");
    build(&e->tiny, 8, 3, 5, 0.8);
    add_sentence(&e->tiny, 1, n_words, ids);
    e->n_bits = n_words * sentence_n_selectors(sentence_get_shape(e->tiny.net));
    e->spec = (SentenceLossSpec){.teaches_policy = true, .copies = 1, .lambda = 0.7, .floor = 0.25};
}

/* One selection: its probability; the reward; the gradient is left in tiny.gradient, where
 * the loss is the policy's term alone. */
static double run_selection(Enumerated *e, int bits, bool backward, double *reward)
{
    Tiny *tiny = &e->tiny;
    int n = tiny->n_ids;
    unsigned char flags[2][16] = {{0}};
    for (int i = 0; i < e->n_bits; i++)
        flags[i / n][i % n] = bits >> i & 1;
    const Selection given = {{flags[0], e->n_bits > n ? flags[1] : NULL}};
    SentenceLossSpec spec = e->spec;
    spec.given = &given;
    memset(tiny->gradient, 0, param_set_size(tiny->params) * sizeof(Real));
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    SentenceBatch batch = sentence_batch(tape_arena(tape), &tiny->list, &tiny->plan, 0, 0, 1, 1);
    Measures measures = {0};
    SentenceOutcome outcome;
    Var *loss = sentence_loss(tiny->net, tape, &batch, &spec, NULL, 1, &measures, &outcome);
    double p = 1;
    for (int i = 0; i < e->n_bits; i++) {
        double a = (double)var_row(outcome.select_logits, i % n)[i / n];
        p *= 1 / (1 + exp(bits >> i & 1 ? -a : a));
    }
    *reward = outcome.reward[0];
    if (backward)
        tape_backward(tape, loss);
    tape_free(tape);
    return p;
}

static double expected_reward(Enumerated *e)
{
    double sum = 0, total = 0, reward;
    for (int bits = 0; bits < 1 << e->n_bits; bits++) {
        double p = run_selection(e, bits, false, &reward);
        sum += p * reward;
        total += p;
    }
    assert_close(total, 1, 1e-12);
    return sum;
}

/* sum p(z) times the estimator, which is the gradient of minus the reward. */
static double *expected_estimate(Enumerated *e, double moving)
{
    size_t n = param_set_size(e->tiny.params);
    double *mean = calloc(n, sizeof *mean), reward;
    e->spec.baseline = SENTENCE_BASELINE_MOVING;
    e->spec.moving = moving;
    for (int bits = 0; bits < 1 << e->n_bits; bits++) {
        double p = run_selection(e, bits, true, &reward);
        for (size_t i = 0; i < n; i++)
            mean[i] += p * (double)e->tiny.gradient[i];
    }
    return mean;
}

static void compare_with_enumeration(const char *kind, int n_words)
{
    Enumerated e;
    enumerate_begin(&e, kind, n_words);
    double *plain = expected_estimate(&e, 0), *shifted = expected_estimate(&e, -1.3);
    for (int k = 0; k < param_count(e.tiny.params); k++) {
        const Param *p = param_at(e.tiny.params, k);
        bool policy = p->group == PARAM_GROUP_POLICY;
        for (int j = 0; j < p->rows * p->cols; j++) {
            size_t at = p->offset + (size_t)j;
            assert_close(plain[at], shifted[at], 1e-10);
            if (!policy) {
                assert_true(plain[at] == 0); /* no reward reaches the network */
                continue;
            }
            Real *w = param_value(e.tiny.params, p) + j;
            Real old = *w;
            *w = old + (Real)1e-5;
            double above = expected_reward(&e);
            *w = old - (Real)1e-5;
            double below = expected_reward(&e);
            *w = old;
            assert_close(-plain[at], (above - below) / 2e-5, 1e-8);
        }
    }
    free(plain);
    free(shifted);
    tiny_free(&e.tiny);
}

static void the_estimator_is_the_gradient_of_the_expected_reward(void **state)
{
    (void)state;
    for (int n_words = 1; n_words <= 4; n_words++)
        compare_with_enumeration("resan", n_words); /* two selections of each word */
    for (int n_words = 1; n_words <= 8; n_words++)
        compare_with_enumeration("hard", n_words);
}

/* The copy that takes every word teaches the network alone. */
static void the_anchor_plays_no_part_in_the_policy(void **state)
{
    (void)state;
    static const int ids[3] = {3, 5, 4};
    static const unsigned char flags[9] = {1, 1, 1, 1, 0, 1, 0, 0, 1};
    const Selection given = {{flags, NULL}};
    Tiny tiny = {0};
    set(&tiny, "attention=hard");
    set(&tiny, "embedding=3");
    set(&tiny, "hidden=4");
    build(&tiny, 8, 3, 2, 0.5);
    add_sentence(&tiny, 2, 3, ids);
    SentenceLossSpec spec = {.teaches_policy = true,
                             .copies = 3,
                             .anchor = true,
                             .baseline = SENTENCE_BASELINE_OTHERS,
                             .given = &given};
    size_t n = param_set_size(tiny.params);
    Real *got = calloc(n, sizeof *got);
    loss_of(&tiny, &spec, 1);
    memcpy(got, tiny.gradient, n * sizeof *got);
    spec.copies = 2;
    spec.anchor = false;
    const Selection without = {{flags + 3, NULL}};
    spec.given = &without;
    loss_of(&tiny, &spec, 1);
    for (size_t i = 0; i < n; i++)
        assert_close(got[i] * 3, tiny.gradient[i] * 2, 1e-12); /* means over three and two */
    free(got);
    tiny_free(&tiny);
}

/* With two copies and every pair of selections: the other copy as baseline keeps the mean. */
static void the_other_copies_are_an_unbiased_baseline(void **state)
{
    (void)state;
    Enumerated e;
    enumerate_begin(&e, "hard", 3);
    double *want = expected_estimate(&e, 0), reward;
    size_t n = param_set_size(e.tiny.params);
    double *got = calloc(n, sizeof *got), p[8];
    for (int bits = 0; bits < 8; bits++)
        p[bits] = run_selection(&e, bits, false, &reward);
    SentenceLossSpec spec = e.spec;
    spec.copies = 2;
    spec.baseline = SENTENCE_BASELINE_OTHERS;
    for (int both = 0; both < 64; both++) {
        unsigned char flags[6];
        for (int i = 0; i < 6; i++)
            flags[i] = both >> i & 1;
        const Selection given = {{flags, NULL}};
        spec.given = &given;
        loss_of(&e.tiny, &spec, 1);
        for (size_t i = 0; i < n; i++)
            got[i] += p[both & 7] * p[both >> 3] * (double)e.tiny.gradient[i];
    }
    for (size_t i = 0; i < n; i++)
        assert_close(got[i], want[i], 1e-12);
    free(want);
    free(got);
    tiny_free(&e.tiny);
}

static void neither_gradient_reaches_the_other_side(void **state)
{
    (void)state;
    static const int ids[4] = {3, 5, 4, 2};
    Tiny tiny = {0};
    set(&tiny, "attention=resan");
    set(&tiny, "embedding=3");
    set(&tiny, "hidden=4");
    build(&tiny, 8, 3, 2, 0.5);
    add_sentence(&tiny, 2, 4, ids);
    static const unsigned char flags[4] = {1, 0, 1, 1};
    const Selection given = {{flags, flags}};
    for (int side = 0; side < 2; side++) {
        const SentenceLossSpec spec = {.teaches_network = side == 0,
                                       .teaches_policy = side == 1,
                                       .copies = 1,
                                       .given = &given};
        loss_of(&tiny, &spec, 1);
        double sum[PARAM_N_GROUPS] = {0};
        for (int i = 0; i < param_count(tiny.params); i++) {
            const Param *p = param_at(tiny.params, i);
            for (int j = 0; j < p->rows * p->cols; j++)
                sum[p->group] += fabs((double)tiny.gradient[p->offset + (size_t)j]);
        }
        assert_true(sum[side == 0 ? PARAM_GROUP_MAIN : PARAM_GROUP_POLICY] > 0.01);
        assert_true(sum[side == 0 ? PARAM_GROUP_POLICY : PARAM_GROUP_MAIN] == 0);
    }
    tiny_free(&tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_gradients_and_adam_agree_with_pytorch),
        cmocka_unit_test(the_estimator_is_the_gradient_of_the_expected_reward),
        cmocka_unit_test(the_anchor_plays_no_part_in_the_policy),
        cmocka_unit_test(the_other_copies_are_an_unbiased_baseline),
        cmocka_unit_test(neither_gradient_reaches_the_other_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
