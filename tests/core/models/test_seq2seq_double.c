/* The encoder-decoders against PyTorch (seq2seq_reference.json, made by
 * make_seq2seq_reference.py), and the hard estimator against full enumeration. */
#include "reference.h"

#include "models/seq2seq.h"
#include "train/seq2seq_loss.h"

/* ---- a tiny network and batch ---- */

typedef struct Tiny {
    Settings *settings;
    ParamSet *params;
    Seq2Seq *net;
    Real *gradient;
    ReferencePairs pairs;
    int n_shards;
} Tiny;

static void set(Settings *settings, const char *key, const char *value)
{
    Error error = {0};
    assert_ok(settings_set(settings, key, value, &error));
}

static void set_int(Settings *settings, const char *key, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    set(settings, key, text);
}

static void tiny_build(Tiny *tiny, int vocabulary)
{
    Error error = {0};
    Seq2SeqShape shape;
    assert_ok(seq2seq_shape(tiny->settings, vocabulary, vocabulary, &shape, &error));
    tiny->params = param_set_new();
    tiny->net = seq2seq_new(&shape, tiny->params);
    assert_ok(param_set_allocate(tiny->params, &error));
    tiny->gradient = calloc(param_set_size(tiny->params), sizeof(Real));
}

static void tiny_free(Tiny *tiny)
{
    seq2seq_free(tiny->net);
    param_set_free(tiny->params);
    settings_free(tiny->settings);
    free(tiny->gradient);
}

/* ---- PyTorch ---- */

static void configure(Tiny *tiny, const json_t *doc, const json_t *settings)
{
    tiny->settings = settings_new(seq2seq_settings);
    int h = (int)json_integer_value(json_object_get(doc, "encoder_hidden"));
    set_int(tiny->settings, "encoder-hidden", h);
    set_int(tiny->settings, "hidden", 2 * h);
    set_int(tiny->settings, "embedding",
            (int)json_integer_value(json_object_get(doc, "embedding")));
    set_int(tiny->settings, "attention-hidden",
            (int)json_integer_value(json_object_get(doc, "attention_hidden")));
    set_int(tiny->settings, "positions",
            (int)json_integer_value(json_object_get(doc, "positions")));
    set_int(tiny->settings, "window", (int)json_integer_value(json_object_get(doc, "window")));
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)settings, key, value)
        set(tiny->settings, key, json_string_value(value));
}

static double loss_of(void *context)
{
    Tiny *tiny = context;
    int n_shards = tiny->n_shards;
    const Seq2SeqLossSpec spec = {.expectation = 0};
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    double total = 0;
    for (int shard = 0; shard < n_shards; shard++) {
        tape_reset(tape);
        PairBatch batch = pair_batch(tape_arena(tape), &tiny->pairs.list, &tiny->pairs.plan, 0,
                                     shard, n_shards, 1);
        if (batch.n == 0)
            continue;
        Measures measures = {0};
        Var *loss = seq2seq_loss(tiny->net, tape, &batch, &spec, NULL,
                                 (Real)1 / (Real)batch.n_tokens_in_batch, &measures, NULL);
        total += (double)loss->value[0];
        tape_backward(tape, loss);
    }
    tape_free(tape);
    return total;
}

static void losses_gradients_and_adam_agree_with_pytorch(void **state)
{
    (void)state;
    json_t *doc = reference_load("seq2seq_reference.json");
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(doc, "cases"), i, c)
    {
        Tiny tiny = {0};
        const json_t *settings = json_object_get(c, "settings");
        char *what = json_dumps(settings, 0);
        configure(&tiny, doc, settings);
        tiny_build(&tiny, (int)json_integer_value(json_object_get(doc, "vocabulary")));
        reference_read_pairs(&tiny.pairs, doc);
        reference_set_values(tiny.params, json_object_get(c, "values"));
        const Reference r = {tiny.params, tiny.gradient, loss_of, &tiny, what};
        for (tiny.n_shards = 1; tiny.n_shards <= 3; tiny.n_shards++) {
            assert_close(reference_loss(&r), json_real_value(json_object_get(c, "loss")), 1e-12);
            reference_compare_gradients(&r, json_object_get(c, "gradients"));
        }
        tiny.n_shards = 1;
        reference_ten_steps(&r, json_object_get(c, "curve"));
        reference_free_pairs(&tiny.pairs);
        tiny_free(&tiny);
        free(what);
    }
    json_decref(doc);
}

/* ---- hard attention: the estimator's expectation is the gradient of the expectation ---- */

enum { S = 3, T = 3, N_PATHS = 27 };

typedef struct PathResult {
    double probability, log_likelihood;
} PathResult;

static void hard_build(Tiny *tiny)
{
    static const int source[S] = {3, 5, 4}, target[T] = {4, 3, 2};
    tiny->settings = settings_new(seq2seq_settings);
    set(tiny->settings, "align", "hard");
    set_int(tiny->settings, "embedding", 3);
    set_int(tiny->settings, "hidden", 4);
    set_int(tiny->settings, "encoder-hidden", 2);
    set_int(tiny->settings, "attention-hidden", 3);
    tiny_build(tiny, 6);
    tiny->pairs.pairs[0] = (Pair){source, target, S, T};
    reference_plan(&tiny->pairs, 1);
    Random random = random_seed(3, 0);
    for (size_t i = 0; i < param_set_size(tiny->params); i++)
        param_set_values(tiny->params)[i] = (Real)(0.7 * random_normal(&random));
}

/* The probability of a path is the product of the softmax weights along it; it is read off
 * a run whose policy term is the only one (log-likelihood weight excluded by differences). */
static PathResult walk(Tiny *tiny, const int positions[T], const Seq2SeqLossSpec *like,
                       bool backward)
{
    Seq2SeqLossSpec spec = *like;
    spec.positions = positions;
    memset(tiny->gradient, 0, param_set_size(tiny->params) * sizeof(Real));
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    PairBatch batch =
        pair_batch(tape_arena(tape), &tiny->pairs.list, &tiny->pairs.plan, 0, 0, 1, 1);
    Measures measures = {0};
    Random random = random_seed(1, 0);
    const Real *nll;
    Var *loss = seq2seq_loss(tiny->net, tape, &batch, &spec, &random, 1, &measures, &nll);
    PathResult result = {1, 0};
    for (int t = 0; t < T; t++)
        result.log_likelihood -= (double)nll[t];
    if (backward)
        tape_backward(tape, loss);
    tape_free(tape);
    /* Probabilities: step through by hand. */
    tape = tape_new_inference(tiny->params);
    batch = pair_batch(tape_arena(tape), &tiny->pairs.list, &tiny->pairs.plan, 0, 0, 1, 1);
    Seq2SeqSource source = seq2seq_encode(tiny->net, tape, &batch.sources, batch.source_ids, NULL);
    Seq2SeqState state = {source.first_state, NULL};
    for (int t = 0; t < T; t++) {
        Var *y = seq2seq_embed_target(tiny->net, tape, 1, batch.input_ids + t, NULL);
        Seq2SeqControl control = {.step = t, .temperature = 1, .hard_position = positions + t};
        Seq2SeqStep step = seq2seq_step(
            tiny->net, tape, &source, seq2seq_project_target(tiny->net, tape, y), &state, &control);
        result.probability *= (double)step.aligned->value[positions[t]];
        state = step.next;
    }
    tape_free(tape);
    return result;
}

/* J = sum over paths of p(z) log p(y | z). */
static double expectation(Tiny *tiny)
{
    const Seq2SeqLossSpec spec = {.expectation = 0};
    double j = 0, mass = 0;
    for (int path = 0; path < N_PATHS; path++) {
        const int positions[T] = {path % S, path / S % S, path / S / S};
        PathResult r = walk(tiny, positions, &spec, false);
        j += r.probability * r.log_likelihood;
        mass += r.probability;
    }
    assert_close(mass, 1, 1e-12);
    return j;
}

/* sum over paths of p(z) times the estimator's gradient of the loss. */
static void mean_estimate(Tiny *tiny, double baseline, double *mean)
{
    const Seq2SeqLossSpec spec = {.policy = 1, .baseline = baseline};
    size_t n = param_set_size(tiny->params);
    memset(mean, 0, n * sizeof *mean);
    for (int path = 0; path < N_PATHS; path++) {
        const int positions[T] = {path % S, path / S % S, path / S / S};
        PathResult r = walk(tiny, positions, &spec, true);
        for (size_t i = 0; i < n; i++)
            mean[i] += r.probability * (double)tiny->gradient[i];
    }
}

static void the_hard_estimator_is_unbiased_for_any_baseline(void **state)
{
    (void)state;
    Tiny tiny = {0};
    hard_build(&tiny);
    size_t n = param_set_size(tiny.params);
    double *mean = calloc(n, sizeof *mean), *shifted = calloc(n, sizeof *shifted);
    mean_estimate(&tiny, 0, mean);
    mean_estimate(&tiny, -1.7, shifted);
    for (size_t i = 0; i < n; i++)
        assert_close(mean[i], shifted[i], 1e-10);
    for (int k = 0; k < param_count(tiny.params); k++) {
        const Param *p = param_at(tiny.params, k);
        for (int j = 0; j < p->rows * p->cols; j += 5) {
            Real *w = param_value(tiny.params, p) + j;
            Real old = *w;
            *w = old + (Real)1e-5;
            double above = expectation(&tiny);
            *w = old - (Real)1e-5;
            double below = expectation(&tiny);
            *w = old;
            /* The loss is minus J. */
            assert_close(-mean[p->offset + (size_t)j], (above - below) / 2e-5, 1e-8);
        }
    }
    free(mean);
    free(shifted);
    tiny_free(&tiny);
}

/* ---- relations between members of the family ---- */

static void a_window_as_wide_as_the_sentence_is_global(void **state)
{
    (void)state;
    static const int source[4] = {3, 5, 4, 3}, target[T] = {4, 3, 2};
    double loss[2];
    for (int local = 0; local < 2; local++) {
        Tiny tiny = {.settings = settings_new(seq2seq_settings)};
        set(tiny.settings, "attention", "general");
        set(tiny.settings, "query", "current");
        set(tiny.settings, "align", local ? "local-m" : "global");
        set_int(tiny.settings, "window", 9);
        set_int(tiny.settings, "embedding", 3);
        set_int(tiny.settings, "hidden", 4);
        set_int(tiny.settings, "encoder-hidden", 2);
        tiny_build(&tiny, 6);
        Random random = random_seed(5, RANDOM_INIT);
        param_set_initialise(tiny.params, &random);
        tiny.pairs.pairs[0] = (Pair){source, target, 4, T};
        reference_plan(&tiny.pairs, 1);
        tiny.n_shards = 1;
        loss[local] = loss_of(&tiny);
        tiny_free(&tiny);
    }
    assert_true(loss[0] == loss[1]);
}

static void settings_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][3] = {
        {"attention=dot", "hidden=100", "twice encoder-hidden"},
        {"feeding=yes", NULL, "feeding=yes goes with"},
        {"attention=general", "projected=yes", "projected=yes goes with"},
        {"attention=none", "align=hard", "attention=none has no align"},
        {"attention=location", "align=local-m", "location goes with"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Error error = {0};
        Settings *settings = settings_new(seq2seq_settings);
        for (int k = 0; k < 2 && bad[i][k]; k++)
            assert_ok(settings_assign(settings, bad[i][k], &error));
        Seq2SeqShape shape;
        assert_refused(seq2seq_shape(settings, 10, 10, &shape, &error), bad[i][2]);
        settings_free(settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_gradients_and_adam_agree_with_pytorch),
        cmocka_unit_test(the_hard_estimator_is_unbiased_for_any_baseline),
        cmocka_unit_test(a_window_as_wide_as_the_sentence_is_global),
        cmocka_unit_test(settings_that_contradict_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
