#include "models/sentence_net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attention/pooling.h"
#include "base/memory.h"
#include "base/strbuf.h"

const Setting sentence_settings[] = {
    {"attention", SETTING_CHOICE, "resan", 0, 0, "none|multi-head|structured|disan|resan|hard",
     "what the words of a sentence do with each other"},
    {"pair", SETTING_BOOL, "no", 0, 0, NULL, "an example is two sentences, to be compared"},
    {"embedding", SETTING_INT, "100", 1, 4096, NULL, "size of word vectors"},
    {"hidden", SETTING_INT, "100", 1, 4096, NULL, "size of word states (structured: each way)"},
    {"heads", SETTING_INT, "4", 1, 64, NULL, "multi-head: heads"},
    {"layers", SETTING_INT, "1", 1, SENTENCE_MAX_LAYERS, NULL, "multi-head: layers"},
    {"feed-forward", SETTING_INT, "0", 0, 16384, NULL,
     "multi-head: width of the feed-forward layer; 0: none"},
    {"positions", SETTING_BOOL, "yes", 0, 0, NULL, "multi-head: add sinusoidal positions"},
    {"hops", SETTING_INT, "4", 1, 64, NULL, "structured: rows of the attention matrix"},
    {"hop-hidden", SETTING_INT, "64", 1, 4096, NULL, "structured: units of the score"},
    {"direction", SETTING_CHOICE, "both", 0, 0, "diagonal|both",
     "resan: one block for all pairs, or one for earlier and one for later words"},
    {"c", SETTING_REAL, "5", 0.1, 20, NULL, "disan, resan: scores are c tanh(. / c)"},
    {"unselected", SETTING_CHOICE, "drop", 0, 0, "drop|zero|mean",
     "resan: what becomes of words that are no heads"},
    {"fusion", SETTING_CHOICE, "pooling", 0, 0, "pooling|bilstm|bigru",
     "resan, hard: how a selector sees the sentence"},
    {"selector-hidden", SETTING_INT, "64", 1, 4096, NULL, "resan, hard: units of a selector"},
    {"selector-bias", SETTING_REAL, "2", -10, 10, NULL,
     "resan, hard: a fresh selector keeps sigmoid of this"},
    {0},
};

/* ---- shape ---- */

bool sentence_shape(const Settings *settings, int vocabulary, int classes, SentenceShape *shape,
                    Error *error)
{
    *shape = (SentenceShape){
        .kind = (SentenceKind)settings_choice(settings, "attention"),
        .pair = settings_bool(settings, "pair"),
        .embedding = settings_int(settings, "embedding"),
        .hidden = settings_int(settings, "hidden"),
        .vocabulary = vocabulary,
        .classes = classes,
        .heads = settings_int(settings, "heads"),
        .layers = settings_int(settings, "layers"),
        .feed_forward = settings_int(settings, "feed-forward"),
        .positions = settings_bool(settings, "positions"),
        .hops = settings_int(settings, "hops"),
        .hop_hidden = settings_int(settings, "hop-hidden"),
        .direction = (SentenceDirection)settings_choice(settings, "direction"),
        .c = (Real)settings_real(settings, "c"),
        .unselected = (Unselected)settings_choice(settings, "unselected"),
        .fusion = (Fusion)settings_choice(settings, "fusion"),
        .selector_hidden = settings_int(settings, "selector-hidden"),
        .selector_bias = settings_real(settings, "selector-bias"),
    };
    if (shape->kind == SENTENCE_DISAN)
        shape->direction = DIRECTION_BOTH;
    if (shape->kind == SENTENCE_MULTI_HEAD && shape->hidden % shape->heads != 0)
        return error_set(error, ERROR_INPUT, "hidden=%d cannot be divided among heads=%d",
                         shape->hidden, shape->heads);
    return true;
}

int sentence_n_selectors(const SentenceShape *shape)
{
    return shape->kind == SENTENCE_RESAN ? 2 : shape->kind == SENTENCE_HARD ? 1 : 0;
}

int sentence_n_parts(const SentenceShape *shape)
{
    return shape->pair ? 2 : 1;
}

int sentence_n_blocks(const SentenceShape *shape)
{
    if (shape->kind != SENTENCE_DISAN && shape->kind != SENTENCE_RESAN)
        return 0;
    return shape->direction == DIRECTION_BOTH ? 2 : 1;
}

PairRule sentence_rule(const SentenceShape *shape, int block)
{
    if (shape->direction == DIRECTION_DIAGONAL)
        return PAIRS_DIFFERENT;
    return block == 0 ? PAIRS_EARLIER : PAIRS_LATER;
}

/* Width of what is pooled. */
static int pooled_width(const SentenceShape *s)
{
    if (s->kind == SENTENCE_STRUCTURED || sentence_n_blocks(s) == 2)
        return 2 * s->hidden;
    return s->hidden;
}

/* ---- parameters ---- */

const Param *sentence_param(ParamSet *params, const char *prefix, const char *name, int rows,
                            int cols, Init init, double scale, int group)
{
    StrBuf full = {0};
    strbuf_addf(&full, "%s.%s", prefix, name);
    Param *param = param_add(params, full.text, rows, cols, init, scale);
    param->group = group;
    strbuf_free(&full);
    return param;
}

static const Param *add(ParamSet *params, const char *prefix, const char *name, int rows, int cols)
{
    Init init = name[0] == 'b' ? INIT_ZERO : INIT_GLOROT;
    return sentence_param(params, prefix, name, rows, cols, init, 1, PARAM_GROUP_MAIN);
}

static void declare_layers(SentenceNet *net, ParamSet *p)
{
    const SentenceShape *s = &net->shape;
    for (int i = 0; i < s->layers; i++) {
        char name[4][24];
        static const char *const parts[4] = {"attend", "norm1", "forward", "norm2"};
        for (int k = 0; k < 4; k++)
            snprintf(name[k], sizeof name[k], "layer%d.%s", i, parts[k]);
        net->heads[i] = multi_head_layer_declare(p, name[0], s->hidden, s->heads);
        net->norm[i][0] = norm_layer_declare(p, name[1], s->hidden);
        if (s->feed_forward == 0)
            continue;
        net->forward[i] = feed_forward_layer_declare(p, name[2], s->hidden, s->feed_forward);
        net->norm[i][1] = norm_layer_declare(p, name[3], s->hidden);
    }
}

static void declare_pooling(SentenceNet *net, ParamSet *p)
{
    const SentenceShape *s = &net->shape;
    int width = pooled_width(s);
    if (s->kind == SENTENCE_NONE || s->kind == SENTENCE_HARD)
        return;
    bool structured = s->kind == SENTENCE_STRUCTURED;
    int inner = structured ? s->hop_hidden : width, outer = structured ? s->hops : width;
    net->pool_w1 = add(p, "pool", "W1", inner, width);
    net->pool_w2 = add(p, "pool", "W2", outer, inner);
    if (structured)
        return;
    net->pool_b1 = add(p, "pool", "b1", 1, inner);
    net->pool_b2 = add(p, "pool", "b2", 1, outer);
}

static void declare_classifier(SentenceNet *net, ParamSet *p)
{
    const SentenceShape *s = &net->shape;
    int width = pooled_width(s) * (s->kind == SENTENCE_STRUCTURED ? s->hops : 1);
    width *= s->pair ? 4 : 1;
    net->out_w = add(p, "output", "W", s->hidden, width);
    net->out_b = add(p, "output", "b", 1, s->hidden);
    net->class_w =
        sentence_param(p, "class", "W", s->classes, s->hidden, INIT_GLOROT, 1, PARAM_GROUP_MAIN);
    net->class_b = add(p, "class", "b", 1, s->classes);
}

SentenceNet *sentence_new(const SentenceShape *shape, ParamSet *params)
{
    static const char *const blocks[2] = {"block0", "block1"};
    static const char *const selectors[SELECT_MOST] = {"select.head", "select.dependent"};
    SentenceNet *net = memory_new(1, sizeof *net);
    net->shape = *shape;
    net->embedding =
        param_add(params, "embedding", shape->vocabulary, shape->embedding, INIT_NORMAL, 0.1);
    if (shape->kind == SENTENCE_STRUCTURED) {
        net->recurrent = bidirectional_declare(params, "encoder", CELL_LSTM, shape->embedding,
                                               shape->hidden, PARAM_GROUP_MAIN);
    } else {
        net->in_w = add(params, "input", "W", shape->hidden, shape->embedding);
        net->in_b = add(params, "input", "b", 1, shape->hidden);
    }
    if (shape->kind == SENTENCE_MULTI_HEAD)
        declare_layers(net, params);
    for (int i = 0; i < sentence_n_blocks(shape); i++)
        sentence_declare_block(&net->block[i], params, blocks[i], shape->hidden);
    declare_pooling(net, params);
    declare_classifier(net, params);
    for (int i = 0; i < sentence_n_selectors(shape); i++)
        sentence_declare_selector(&net->selector[i], params, selectors[i], shape);
    return net;
}

void sentence_free(SentenceNet *net)
{
    free(net);
}

const SentenceShape *sentence_get_shape(const SentenceNet *net)
{
    return &net->shape;
}

const Param *sentence_embedding(const SentenceNet *net)
{
    return net->embedding;
}

/* ---- words ---- */

Var *sentence_linear(Tape *tape, Var *x, const Param *w, const Param *b)
{
    return op_linear(tape, x, tape_weights(tape, w), b ? tape_param(tape, b) : NULL);
}

Var *sentence_embed(const SentenceNet *net, Tape *tape, const Ragged *rows, const int *ids)
{
    return op_gather(tape, tape_weights(tape, net->embedding), rows->rows, ids);
}

static Var *drop_words(Tape *tape, Var *x, const SentenceDropout *dropout)
{
    if (!dropout)
        return x;
    x = op_dropout_rows(tape, x, dropout->words, dropout->random);
    return op_dropout(tape, x, dropout->embedding, dropout->random);
}

/* Word vectors times sqrt(e), so that they and the positions are of one size. */
static Var *input_states(const SentenceNet *net, Tape *tape, const Ragged *rows, Var *x)
{
    const SentenceShape *s = &net->shape;
    if (s->kind == SENTENCE_STRUCTURED)
        return bidirectional_layer(tape, &net->recurrent, x, rows);
    if (s->kind != SENTENCE_MULTI_HEAD)
        return op_elu(tape, sentence_linear(tape, x, net->in_w, net->in_b));
    Real scale = (Real)sqrt((double)s->embedding);
    Var *h = sentence_linear(tape, op_scale(tape, x, scale), net->in_w, net->in_b);
    return s->positions ? op_add(tape, h, position_rows(tape, rows, 0, s->hidden)) : h;
}

/* LN(x + dropout(y)) */
static Var *join(Tape *tape, const NormLayer *norm, Var *x, Var *y, const SentenceDropout *dropout)
{
    if (dropout)
        y = op_dropout(tape, y, dropout->embedding, dropout->random);
    return norm_layer(tape, norm, op_add(tape, x, y));
}

static Var *run_layers(const SentenceNet *net, Tape *tape, const Ragged *rows, Var *h,
                       const Selection *selection, const SentenceDropout *dropout, SentenceRun *run)
{
    const MultiHeadSpec spec = {
        .queries = rows,
        .keys = rows,
        .keep = selection ? selection->picked[SELECT_DEPENDENT] : NULL,
        .wants_scores = !tape_is_recording(tape),
    };
    run->n_heads = net->shape.layers;
    for (int i = 0; i < net->shape.layers; i++) {
        run->heads[i] = multi_head_layer(tape, &net->heads[i], h, h, &spec);
        h = join(tape, &net->norm[i][0], h, run->heads[i].output, dropout);
        if (net->shape.feed_forward > 0)
            h = join(tape, &net->norm[i][1], h,
                     feed_forward_layer(tape, &net->forward[i], h, 0, NULL), dropout);
    }
    return h;
}

/* ---- one vector ---- */

static Var *pool(const SentenceNet *net, Tape *tape, SentenceRun *run)
{
    Var *u = run->pooled;
    if (!net->pool_w1)
        return op_pool_mean(tape, u, run->out);
    Var *inner = sentence_linear(tape, u, net->pool_w1, net->pool_b1);
    bool structured = net->shape.kind == SENTENCE_STRUCTURED;
    inner = structured ? op_tanh(tape, inner) : op_elu(tape, inner);
    Var *scores = sentence_linear(tape, inner, net->pool_w2, net->pool_b2);
    run->pool_weights = op_pool_softmax(tape, scores, run->out);
    if (structured)
        return op_pool_product(tape, run->pool_weights, u, run->out);
    return op_pool_sum(tape, op_multiply(tape, run->pool_weights, u), run->out);
}

/* [u ; v ; |u - v| ; u o v] of two rows that follow each other: [2n, w] -> [n, 4w] */
static Var *compare(Tape *tape, Var *sentences)
{
    int w = sentences->cols;
    Var *both = op_reshape(tape, sentences, sentences->rows / 2, 2 * w);
    Var *u = op_slice(tape, both, 0, w), *v = op_slice(tape, both, w, 2 * w);
    Var *parts[3] = {both, op_abs(tape, op_subtract(tape, u, v)), op_multiply(tape, u, v)};
    return op_concat(tape, 3, parts);
}

static Var *classify(const SentenceNet *net, Tape *tape, Var *sentence,
                     const SentenceDropout *dropout)
{
    Var *x = net->shape.pair ? compare(tape, sentence) : sentence;
    if (dropout)
        x = op_dropout(tape, x, dropout->hidden, dropout->random);
    x = op_elu(tape, sentence_linear(tape, x, net->out_w, net->out_b));
    if (dropout)
        x = op_dropout(tape, x, dropout->hidden, dropout->random);
    return sentence_linear(tape, x, net->class_w, net->class_b);
}

/* Which words are pooled: all of them, or the heads alone. */
static void set_out(const SentenceNet *net, Tape *tape, const Ragged *rows,
                    const Selection *selection, SentenceRun *run)
{
    bool drops = net->shape.kind != SENTENCE_RESAN || net->shape.unselected == UNSELECTED_DROP;
    PickedRows out =
        sentence_pick(tape, rows, drops && selection ? selection->picked[SELECT_HEAD] : NULL);
    run->out = out.rows;
    run->out_row = out.row;
}

SentenceRun sentence_run(const SentenceNet *net, Tape *tape, const Ragged *rows, Var *embedded,
                         const Selection *selection, const SentenceDropout *dropout)
{
    SentenceRun run = {.n_blocks = sentence_n_blocks(&net->shape)};
    Var *h = input_states(net, tape, rows, drop_words(tape, embedded, dropout));
    run.hidden = h;
    set_out(net, tape, rows, selection, &run);
    if (net->shape.kind == SENTENCE_MULTI_HEAD)
        h = run_layers(net, tape, rows, h, selection, dropout, &run);
    Var *u[2] = {h, NULL};
    for (int i = 0; i < run.n_blocks; i++) {
        sentence_run_block(net, tape, rows, h, selection, dropout, i, &run);
        u[i] = run.block[i].u;
    }
    if (run.n_blocks == 2)
        run.pooled = op_concat(tape, 2, u);
    else
        run.pooled = run.n_blocks == 1 || run.out->rows == rows->rows
                         ? u[0]
                         : op_gather(tape, h, run.out->rows, run.out_row);
    run.sentence = pool(net, tape, &run);
    run.logits = classify(net, tape, run.sentence, dropout);
    return run;
}
