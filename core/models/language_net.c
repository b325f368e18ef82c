#include <stdlib.h>

#include "base/memory.h"
#include "models/language.h"
#include "nn/recurrent.h"

const Setting language_settings[] = {
    {"attention", SETTING_CHOICE, "intra", 0, 0, "intra|none",
     "what a word may read: all words before it, or the last state"},
    {"embedding", SETTING_INT, "160", 1, 8192, NULL, "size of word vectors"},
    {"hidden", SETTING_INT, "256", 1, 8192, NULL, "units of the state"},
    {"attention-hidden", SETTING_INT, "128", 1, 8192, NULL, "units of the score"},
    {0},
};

struct LanguageNet {
    LanguageShape shape;
    const Param *embedding;
    const Param *input_w, *input_b, *recurrent_u;
    const Param *word_w, *state_w, *read_w, *score_v;
    const Param *readout_w, *readout_b, *output_b;
};

LanguageShape language_shape(const Settings *settings, int vocabulary)
{
    return (LanguageShape){
        .kind = (LanguageKind)settings_choice(settings, "attention"),
        .vocabulary = vocabulary,
        .embedding = settings_int(settings, "embedding"),
        .hidden = settings_int(settings, "hidden"),
        .attention_hidden = settings_int(settings, "attention-hidden"),
    };
}

LanguageNet *language_new(const LanguageShape *shape, ParamSet *params)
{
    LanguageNet *net = memory_new(1, sizeof *net);
    int e = shape->embedding, d = shape->hidden, a = shape->attention_hidden;
    net->shape = *shape;
    net->embedding = param_add(params, "embedding", shape->vocabulary, e, INIT_NORMAL, 0.1);
    net->input_w = param_add(params, "input.W", 4 * d, e, INIT_GLOROT, 1);
    net->input_b = param_add(params, "input.b", 1, 4 * d, INIT_ZERO, 0);
    net->recurrent_u = param_add(params, "recurrent.U", 4 * d, d, INIT_ORTHOGONAL, 1);
    if (shape->kind == LANGUAGE_INTRA) {
        net->word_w = param_add(params, "attention.W_x", a, e, INIT_GLOROT, 1);
        net->state_w = param_add(params, "attention.W_h", a, d, INIT_GLOROT, 1);
        net->read_w = param_add(params, "attention.W_r", a, d, INIT_GLOROT, 1);
        net->score_v = param_add(params, "attention.v", 1, a, INIT_GLOROT, 1);
    }
    net->readout_w = param_add(params, "readout.W", e, d, INIT_GLOROT, 1);
    net->readout_b = param_add(params, "readout.b", 1, e, INIT_ZERO, 0);
    net->output_b = param_add(params, "output.b", 1, shape->vocabulary, INIT_ZERO, 0);
    return net;
}

void language_free(LanguageNet *net)
{
    free(net);
}

const LanguageShape *language_get_shape(const LanguageNet *net)
{
    return &net->shape;
}

Var *language_embed(const LanguageNet *net, Tape *tape, int n, const int *ids, Real dropout,
                    Random *random)
{
    Var *x = op_gather(tape, tape_weights(tape, net->embedding), n, ids);
    return op_dropout(tape, x, dropout, random);
}

static Var *linear(Tape *tape, Var *x, const Param *w, const Param *b)
{
    return op_linear(tape, x, tape_weights(tape, w), b ? tape_param(tape, b) : NULL);
}

static LstmnWeights weights_of(const LanguageNet *net, Tape *tape)
{
    return (LstmnWeights){tape_param(tape, net->recurrent_u), tape_param(tape, net->state_w),
                          tape_param(tape, net->read_w), tape_param(tape, net->score_v)};
}

static Var *inputs(const LanguageNet *net, Tape *tape, Var *x)
{
    return lstm_remember(tape, linear(tape, x, net->input_w, net->input_b));
}

Var *language_read(const LanguageNet *net, Tape *tape, Var *x, const Ragged *batch,
                   const Real **attention)
{
    Var *xp = inputs(net, tape, x), *states;
    if (net->shape.kind == LANGUAGE_INTRA) {
        LstmnWeights weights = weights_of(net, tape);
        states = op_lstmn_sequence(tape, xp, linear(tape, x, net->word_w, NULL), &weights, batch,
                                   attention);
    } else {
        states = op_lstm_sequence(tape, xp, tape_weights(tape, net->recurrent_u), batch, false);
        if (attention)
            *attention = NULL;
    }
    return op_slice(tape, states, 0, net->shape.hidden);
}

Var *language_logits(const LanguageNet *net, Tape *tape, Var *h, Real dropout, Random *random)
{
    Var *readout = linear(tape, h, net->readout_w, net->readout_b);
    readout = op_dropout(tape, readout, dropout, random);
    return op_linear(tape, readout, tape_weights(tape, net->embedding),
                     tape_param(tape, net->output_b));
}

static LstmnStep plain_step(const LanguageNet *net, Tape *tape, Var *xp, const LstmnMemory *memory)
{
    size_t wide = 2 * (size_t)net->shape.hidden, n = (size_t)memory->n;
    Var *state = tape_zeros(tape, 1, (int)wide);
    if (n > 0)
        state = tape_constant(tape, 1, (int)wide, memory->states + (n - 1) * wide);
    const Real *gates;
    LstmnStep step = {0};
    step.state = op_lstm_step(tape, xp, state, tape_weights(tape, net->recurrent_u), &gates)->value;
    step.gates = (Real *)gates;
    return step;
}

LstmnStep language_step(const LanguageNet *net, Tape *tape, Var *x, const LstmnMemory *memory,
                        const unsigned char *keep, Real temperature, const Real *replaced)
{
    Var *xp = inputs(net, tape, x);
    if (net->shape.kind == LANGUAGE_NONE)
        return plain_step(net, tape, xp, memory);
    LstmnWeights weights = weights_of(net, tape);
    return lstmn_step(tape, xp, linear(tape, x, net->word_w, NULL), &weights, memory, keep,
                      temperature, replaced);
}
