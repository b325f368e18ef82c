#include "models/transformer_net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const Setting transformer_settings[] = {
    {"width", SETTING_INT, "128", 2, 4096, NULL, "of the model, d"},
    {"heads", SETTING_INT, "4", 1, 64, NULL, "of every attention; divides the width"},
    {"layers", SETTING_INT, "3", 1, TRANSFORMER_MAX_LAYERS, NULL, "of encoder and decoder each"},
    {"feed-forward", SETTING_INT, "512", 1, 16384, NULL, "inner width of the feed-forward layers"},
    {"norm", SETTING_CHOICE, "after", 0, 0, "after|before", "where layer normalisation stands"},
    {"typography", SETTING_CHOICE, "plain", 0, 0, "plain|french", "spacing of the written text"},
    {0},
};

typedef struct EncoderLayer {
    MultiHeadLayer self;
    FeedForwardLayer feed;
    NormLayer norm[2];
} EncoderLayer;

typedef struct DecoderLayer {
    MultiHeadLayer self, cross;
    FeedForwardLayer feed;
    NormLayer norm[3];
} DecoderLayer;

struct Transformer {
    TransformerShape shape;
    const Param *embedding, *output_b;
    EncoderLayer encoder[TRANSFORMER_MAX_LAYERS];
    DecoderLayer decoder[TRANSFORMER_MAX_LAYERS];
    NormLayer last[2]; /* norm=before: after the encoder, after the decoder */
};

bool transformer_shape(const Settings *settings, int vocabulary, TransformerShape *shape,
                       Error *error)
{
    *shape = (TransformerShape){
        .width = settings_int(settings, "width"),
        .heads = settings_int(settings, "heads"),
        .layers = settings_int(settings, "layers"),
        .feed_forward = settings_int(settings, "feed-forward"),
        .vocabulary = vocabulary,
        .norm_is_first = settings_choice(settings, "norm") == 1,
    };
    if (shape->width % shape->heads != 0)
        return error_set(error, ERROR_INPUT, "width=%d is not a multiple of heads=%d", shape->width,
                         shape->heads);
    return true;
}

/* ---- parameters ---- */

static const char *name_of(char *buffer, size_t size, const char *side, int layer, const char *part)
{
    snprintf(buffer, size, "%s.%d.%s", side, layer, part);
    return buffer;
}

static void declare_encoder_layer(EncoderLayer *l, ParamSet *p, int i, const TransformerShape *s)
{
    char n[64];
    l->self =
        multi_head_layer_declare(p, name_of(n, sizeof n, "encoder", i, "self"), s->width, s->heads);
    l->feed = feed_forward_layer_declare(p, name_of(n, sizeof n, "encoder", i, "feed"), s->width,
                                         s->feed_forward);
    l->norm[0] = norm_layer_declare(p, name_of(n, sizeof n, "encoder", i, "norm.self"), s->width);
    l->norm[1] = norm_layer_declare(p, name_of(n, sizeof n, "encoder", i, "norm.feed"), s->width);
}

static void declare_decoder_layer(DecoderLayer *l, ParamSet *p, int i, const TransformerShape *s)
{
    char n[64];
    l->self =
        multi_head_layer_declare(p, name_of(n, sizeof n, "decoder", i, "self"), s->width, s->heads);
    l->cross = multi_head_layer_declare(p, name_of(n, sizeof n, "decoder", i, "cross"), s->width,
                                        s->heads);
    l->feed = feed_forward_layer_declare(p, name_of(n, sizeof n, "decoder", i, "feed"), s->width,
                                         s->feed_forward);
    l->norm[0] = norm_layer_declare(p, name_of(n, sizeof n, "decoder", i, "norm.self"), s->width);
    l->norm[1] = norm_layer_declare(p, name_of(n, sizeof n, "decoder", i, "norm.cross"), s->width);
    l->norm[2] = norm_layer_declare(p, name_of(n, sizeof n, "decoder", i, "norm.feed"), s->width);
}

Transformer *transformer_new(const TransformerShape *shape, ParamSet *params)
{
    Transformer *net = memory_new(1, sizeof *net);
    net->shape = *shape;
    net->embedding =
        param_add(params, "embedding", shape->vocabulary, shape->width, INIT_NORMAL, 0.1);
    for (int i = 0; i < shape->layers; i++)
        declare_encoder_layer(&net->encoder[i], params, i, shape);
    for (int i = 0; i < shape->layers; i++)
        declare_decoder_layer(&net->decoder[i], params, i, shape);
    if (shape->norm_is_first) {
        net->last[0] = norm_layer_declare(params, "encoder.norm", shape->width);
        net->last[1] = norm_layer_declare(params, "decoder.norm", shape->width);
    }
    net->output_b = param_add(params, "output.b", 1, shape->vocabulary, INIT_ZERO, 0);
    return net;
}

void transformer_free(Transformer *net)
{
    free(net);
}

const TransformerShape *transformer_get_shape(const Transformer *net)
{
    return &net->shape;
}

/* ---- passes ---- */

static Var *drop(Tape *tape, Var *x, const TransformerDropout *dropout)
{
    return dropout ? op_dropout(tape, x, dropout->probability, dropout->random) : x;
}

static Var *embed(const Transformer *net, Tape *tape, const Ragged *rows, const int *ids,
                  const TransformerDropout *dropout)
{
    int d = net->shape.width;
    Var *x = op_gather(tape, tape_weights(tape, net->embedding), rows->rows, ids);
    x = op_scale(tape, x, (Real)sqrt((double)d));
    return drop(tape, op_add(tape, x, position_rows(tape, rows, 0, d)), dropout);
}

/* What a part reads, and how its result joins the residual stream. */
static Var *part_input(const Transformer *net, Tape *tape, const NormLayer *norm, Var *x)
{
    return net->shape.norm_is_first ? norm_layer(tape, norm, x) : x;
}

static Var *join(const Transformer *net, Tape *tape, const NormLayer *norm, Var *x, Var *part,
                 const TransformerDropout *dropout)
{
    Var *sum = op_add(tape, x, drop(tape, part, dropout));
    return net->shape.norm_is_first ? sum : norm_layer(tape, norm, sum);
}

static Var *feed(const Transformer *net, Tape *tape, const FeedForwardLayer *layer,
                 const NormLayer *norm, Var *x, const TransformerDropout *dropout)
{
    Var *part =
        feed_forward_layer(tape, layer, part_input(net, tape, norm, x),
                           dropout ? dropout->probability : 0, dropout ? dropout->random : NULL);
    return join(net, tape, norm, x, part, dropout);
}

static void note(TransformerWeights *weights, int layer, const MultiHead *head)
{
    if (!weights)
        return;
    weights->layer[layer] = head->weights;
    weights->scores[layer] = head->scores;
}

Var *transformer_encode(const Transformer *net, Tape *tape, const TransformerSource *source,
                        const TransformerDropout *dropout, TransformerWeights *weights)
{
    Var *x = embed(net, tape, source->rows, source->ids, dropout);
    const MultiHeadSpec spec = {
        .queries = source->rows, .keys = source->rows, .keep = source->keep};
    for (int i = 0; i < net->shape.layers; i++) {
        const EncoderLayer *l = &net->encoder[i];
        Var *in = part_input(net, tape, &l->norm[0], x);
        MultiHead self = multi_head_layer(tape, &l->self, in, in, &spec);
        note(weights, i, &self);
        x = join(net, tape, &l->norm[0], x, self.output, dropout);
        x = feed(net, tape, &l->feed, &l->norm[1], x, dropout);
    }
    return net->shape.norm_is_first ? norm_layer(tape, &net->last[0], x) : x;
}

TransformerMemory transformer_memory(const Transformer *net, Tape *tape, const Ragged *source,
                                     Var *encoded)
{
    TransformerMemory memory = {.source = source};
    for (int i = 0; i < net->shape.layers; i++)
        memory.layer[i] = multi_head_layer_keys(tape, &net->decoder[i].cross, encoded);
    return memory;
}

Var *transformer_decode(const Transformer *net, Tape *tape, const TransformerMemory *memory,
                        const Ragged *target, const int *ids, const TransformerDropout *dropout,
                        TransformerWeights *self, TransformerWeights *cross)
{
    Var *x = embed(net, tape, target, ids, dropout);
    const MultiHeadSpec own = {.queries = target, .keys = target, .causal = true};
    const MultiHeadSpec over = {
        .queries = target,
        .keys = memory->source,
        .owner = memory->owner,
        .keep = memory->keep,
        .temperature = memory->temperature,
        .wants_scores = memory->wants_scores,
        .replaced = memory->replaced,
    };
    for (int i = 0; i < net->shape.layers; i++) {
        const DecoderLayer *l = &net->decoder[i];
        Var *in = part_input(net, tape, &l->norm[0], x);
        MultiHead head = multi_head_layer(tape, &l->self, in, in, &own);
        note(self, i, &head);
        x = join(net, tape, &l->norm[0], x, head.output, dropout);
        in = part_input(net, tape, &l->norm[1], x);
        head = multi_head_layer_over(tape, &l->cross, in, &memory->layer[i], &over);
        note(cross, i, &head);
        x = join(net, tape, &l->norm[1], x, head.output, dropout);
        x = feed(net, tape, &l->feed, &l->norm[2], x, dropout);
    }
    return net->shape.norm_is_first ? norm_layer(tape, &net->last[1], x) : x;
}

Var *transformer_logits(const Transformer *net, Tape *tape, Var *decoded)
{
    return op_linear(tape, decoded, tape_weights(tape, net->embedding),
                     tape_param(tape, net->output_b));
}
