/* The Transformer translator against PyTorch (transformer_reference.json, made by
 * make_transformer_reference.py). */
#include "reference.h"

#include "train/transformer_loss.h"

typedef struct Tiny {
    ParamSet *params;
    Transformer *net;
    Real *gradient;
    ReferencePairs pairs;
    int n_shards;
} Tiny;

static double loss_of(void *context)
{
    Tiny *tiny = context;
    Tape *tape = tape_new(tiny->params, tiny->gradient);
    double total = 0;
    for (int shard = 0; shard < tiny->n_shards; shard++) {
        tape_reset(tape);
        SequenceBatch batch = sequence_batch(tape_arena(tape), &tiny->pairs.list, &tiny->pairs.plan,
                                             0, shard, tiny->n_shards);
        Measures measures = {0};
        Var *loss = transformer_loss(tiny->net, tape, &batch, NULL, 0,
                                     (Real)1 / (Real)batch.n_tokens_in_batch, &measures);
        total += (double)loss->value[0];
        tape_backward(tape, loss);
    }
    tape_free(tape);
    return total;
}

static int read_int(const json_t *doc, const char *key)
{
    return (int)json_integer_value(json_object_get(doc, key));
}

static void losses_gradients_and_adam_agree_with_pytorch(void **state)
{
    (void)state;
    Error error = {0};
    json_t *doc = reference_load("transformer_reference.json");
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(doc, "cases"), i, c)
    {
        const char *norm = json_string_value(json_object_get(c, "norm"));
        const TransformerShape shape = {
            .width = read_int(doc, "width"),
            .heads = read_int(doc, "heads"),
            .layers = read_int(doc, "layers"),
            .feed_forward = read_int(doc, "feed_forward"),
            .vocabulary = read_int(doc, "vocabulary"),
            .norm_is_first = strcmp(norm, "before") == 0,
        };
        Tiny tiny = {.params = param_set_new()};
        tiny.net = transformer_new(&shape, tiny.params);
        assert_ok(param_set_allocate(tiny.params, &error));
        tiny.gradient = calloc(param_set_size(tiny.params), sizeof(Real));
        reference_read_pairs(&tiny.pairs, doc);
        reference_set_values(tiny.params, json_object_get(c, "values"));
        const Reference r = {tiny.params, tiny.gradient, loss_of, &tiny, norm};
        for (tiny.n_shards = 1; tiny.n_shards <= 3; tiny.n_shards += 2) {
            assert_close(reference_loss(&r), json_real_value(json_object_get(c, "loss")), 1e-12);
            reference_compare_gradients(&r, json_object_get(c, "gradients"));
        }
        tiny.n_shards = 1;
        reference_ten_steps(&r, json_object_get(c, "curve"));
        reference_free_pairs(&tiny.pairs);
        transformer_free(tiny.net);
        param_set_free(tiny.params);
        free(tiny.gradient);
    }
    json_decref(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_gradients_and_adam_agree_with_pytorch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
