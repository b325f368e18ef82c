/* The language models against PyTorch (language_reference.json, made by
 * make_language_reference.py). */
#include "testing.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/language.h"
#include "train/language_loss.h"
#include "train/optimiser.h"

enum { MOST = 8 };

typedef struct Tiny {
    Settings *settings;
    ParamSet *params;
    LanguageNet *net;
    Real *gradient;
    Pair pairs[MOST];
    Pairs list;
    BatchPlan plan;
    int ids[64], order[MOST], start[2];
} Tiny;

static void configure(Tiny *tiny, const json_t *doc, const json_t *settings)
{
    Error error = {0};
    const char *key;
    json_t *value;
    char text[60];
    tiny->settings = settings_new(language_settings);
    json_object_foreach(json_object_get(doc, "sizes"), key, value)
    {
        snprintf(text, sizeof text, "%s=%d", key, (int)json_integer_value(value));
        assert_ok(settings_assign(tiny->settings, text, &error));
    }
    json_object_foreach((json_t *)settings, key, value)
        assert_ok(settings_set(tiny->settings, key, json_string_value(value), &error));
}

static void build(Tiny *tiny, int vocabulary)
{
    Error error = {0};
    LanguageShape shape = language_shape(tiny->settings, vocabulary);
    tiny->params = param_set_new();
    tiny->net = language_new(&shape, tiny->params);
    assert_ok(param_set_allocate(tiny->params, &error));
    tiny->gradient = calloc(param_set_size(tiny->params), sizeof(Real));
}

static void read_sentences(Tiny *tiny, const json_t *list)
{
    int used = 0, n = (int)json_array_size(list);
    for (int i = 0; i < n; i++) {
        const json_t *sentence = json_array_get(list, (size_t)i);
        int *ids = tiny->ids + used;
        for (size_t k = 0; k < json_array_size(sentence); k++)
            tiny->ids[used++] = (int)json_integer_value(json_array_get(sentence, k));
        tiny->pairs[i] = (Pair){ids, ids, 0, (int)json_array_size(sentence)};
        tiny->order[i] = i;
    }
    tiny->list = (Pairs){.pairs = tiny->pairs, .n = n};
    tiny->start[1] = n;
    tiny->plan = (BatchPlan){tiny->order, tiny->start, 1};
}

static double loss_of(Tiny *tiny, int n_shards)
{
    memset(tiny->gradient, 0, param_set_size(tiny->params) * sizeof(Real));
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    double total = 0;
    for (int shard = 0; shard < n_shards; shard++) {
        tape_reset(tape);
        LanguageBatch batch =
            language_batch(tape_arena(tape), &tiny->list, &tiny->plan, 0, shard, n_shards);
        Measures measures = {0};
        Var *loss = language_loss(tiny->net, tape, &batch, 0, NULL,
                                  (Real)1 / (Real)batch.n_tokens_in_batch, &measures);
        total += (double)loss->value[0];
        tape_backward(tape, loss);
    }
    tape_free(tape);
    return total;
}

static void compare_case(const json_t *doc, const json_t *c)
{
    Tiny tiny = {0};
    configure(&tiny, doc, json_object_get(c, "settings"));
    build(&tiny, (int)json_integer_value(json_object_get(doc, "vocabulary")));
    read_sentences(&tiny, json_object_get(doc, "sentences"));
    assert_int_equal(param_count(tiny.params), json_object_size(json_object_get(c, "values")));
    for (int i = 0; i < param_count(tiny.params); i++) {
        const Param *p = param_at(tiny.params, i);
        const json_t *values = json_object_get(json_object_get(c, "values"), p->name);
        assert_int_equal(json_array_size(values), p->rows * p->cols);
        for (int j = 0; j < p->rows * p->cols; j++)
            param_value(tiny.params, p)[j] =
                (Real)json_real_value(json_array_get(values, (size_t)j));
    }
    for (int n_shards = 1; n_shards <= 3; n_shards++) {
        assert_close(loss_of(&tiny, n_shards), json_real_value(json_object_get(c, "loss")), 1e-12);
        for (int i = 0; i < param_count(tiny.params); i++) {
            const Param *p = param_at(tiny.params, i);
            const json_t *want = json_object_get(json_object_get(c, "gradients"), p->name);
            for (int j = 0; j < p->rows * p->cols; j++)
                assert_close(tiny.gradient[p->offset + (size_t)j],
                             json_real_value(json_array_get(want, (size_t)j)), 1e-10);
        }
    }
    Optimiser *optimiser = optimiser_new(tiny.params);
    const OptimiserGroup groups[PARAM_N_GROUPS] = {{0.01, 0}};
    for (size_t step = 0; step < 10; step++) {
        assert_close(loss_of(&tiny, 1),
                     json_real_value(json_array_get(json_object_get(c, "curve"), step)), 1e-8);
        optimiser_step(optimiser, tiny.gradient, groups, NULL);
    }
    optimiser_free(optimiser);
    language_free(tiny.net);
    param_set_free(tiny.params);
    settings_free(tiny.settings);
    free(tiny.gradient);
}

static void losses_gradients_and_adam_agree_with_pytorch(void **state)
{
    (void)state;
    json_error_t why;
    json_t *doc = json_load_file(FOVEA_TEST_DATA "/language_reference.json", 0, &why);
    assert_non_null(doc);
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(doc, "cases"), i, c) compare_case(doc, c);
    json_decref(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_gradients_and_adam_agree_with_pytorch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
