#include "attention/transformer.h"

#include "base/error.h"
#include "base/strbuf.h"

static const Param *declare(ParamSet *params, const char *prefix, const char *name, int rows,
                            int cols, Init init)
{
    StrBuf full = {0};
    strbuf_addf(&full, "%s.%s", prefix, name);
    const Param *param = param_add(params, full.text, rows, cols, init, 1);
    strbuf_free(&full);
    return param;
}

NormLayer norm_layer_declare(ParamSet *params, const char *prefix, int d)
{
    return (NormLayer){declare(params, prefix, "gain", 1, d, INIT_ONE),
                       declare(params, prefix, "bias", 1, d, INIT_ZERO)};
}

Var *norm_layer(Tape *tape, const NormLayer *layer, Var *x)
{
    return op_layer_norm(tape, x, tape_param(tape, layer->gain), tape_param(tape, layer->bias));
}

MultiHeadLayer multi_head_layer_declare(ParamSet *params, const char *prefix, int d, int heads)
{
    FOVEA_CHECK(heads > 0 && d % heads == 0, "%s: %d heads of a width of %d", prefix, heads, d);
    return (MultiHeadLayer){
        .heads = heads,
        .query_w = declare(params, prefix, "query.W", d, d, INIT_GLOROT),
        .query_b = declare(params, prefix, "query.b", 1, d, INIT_ZERO),
        .key_w = declare(params, prefix, "key.W", d, d, INIT_GLOROT),
        .key_b = declare(params, prefix, "key.b", 1, d, INIT_ZERO),
        .value_w = declare(params, prefix, "value.W", d, d, INIT_GLOROT),
        .value_b = declare(params, prefix, "value.b", 1, d, INIT_ZERO),
        .output_w = declare(params, prefix, "output.W", d, d, INIT_GLOROT),
        .output_b = declare(params, prefix, "output.b", 1, d, INIT_ZERO),
    };
}

static Var *project(Tape *tape, const Param *w, const Param *b, Var *x)
{
    return op_linear(tape, x, tape_weights(tape, w), tape_param(tape, b));
}

KeysValues multi_head_layer_keys(Tape *tape, const MultiHeadLayer *layer, Var *memory)
{
    return (KeysValues){project(tape, layer->key_w, layer->key_b, memory),
                        project(tape, layer->value_w, layer->value_b, memory)};
}

MultiHead multi_head_layer_over(Tape *tape, const MultiHeadLayer *layer, Var *x,
                                const KeysValues *memory, const MultiHeadSpec *spec)
{
    MultiHeadSpec own = *spec;
    own.heads = layer->heads;
    MultiHead result = op_multi_head(tape, project(tape, layer->query_w, layer->query_b, x),
                                     memory->keys, memory->values, &own);
    result.output = project(tape, layer->output_w, layer->output_b, result.output);
    return result;
}

MultiHead multi_head_layer(Tape *tape, const MultiHeadLayer *layer, Var *x, Var *memory,
                           const MultiHeadSpec *spec)
{
    KeysValues over = multi_head_layer_keys(tape, layer, memory);
    return multi_head_layer_over(tape, layer, x, &over, spec);
}

FeedForwardLayer feed_forward_layer_declare(ParamSet *params, const char *prefix, int d, int f)
{
    return (FeedForwardLayer){
        declare(params, prefix, "in.W", f, d, INIT_GLOROT),
        declare(params, prefix, "in.b", 1, f, INIT_ZERO),
        declare(params, prefix, "out.W", d, f, INIT_GLOROT),
        declare(params, prefix, "out.b", 1, d, INIT_ZERO),
    };
}

Var *feed_forward_layer(Tape *tape, const FeedForwardLayer *layer, Var *x, Real dropout,
                        Random *random)
{
    Var *inner = op_relu(tape, project(tape, layer->in_w, layer->in_b, x));
    return project(tape, layer->out_w, layer->out_b, op_dropout(tape, inner, dropout, random));
}
