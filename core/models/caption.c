#include "models/caption.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/conv.h"
#include "nn/recurrent.h"

enum { N_CONVOLUTIONS = 4, SHRINK = 8 };

const Setting caption_settings[] = {
    {"attention", SETTING_CHOICE, "soft", 0, 0, "soft|hard",
     "the weighted mean of all cells, or one cell drawn by the weights"},
    {"gate", SETTING_BOOL, "yes", 0, 0, NULL, "beta: how much of the context each word takes"},
    {"side", SETTING_INT, "64", SHRINK, CAPTION_MAX_SIDE, NULL,
     "pixels of the picture's side, a multiple of 8"},
    {"width", SETTING_INT, "32", 1, 1024, NULL,
     "channels of the first convolution; annotations have four times as many"},
    {"embedding", SETTING_INT, "64", 1, 8192, NULL, "size of word vectors"},
    {"hidden", SETTING_INT, "256", 1, 8192, NULL, "LSTM units"},
    {"attention-hidden", SETTING_INT, "128", 1, 8192, NULL, "units of the score"},
    {0},
};

struct Caption {
    CaptionShape shape;
    const Param *conv_w[N_CONVOLUTIONS], *conv_b[N_CONVOLUTIONS];
    const Param *place;
    const Param *first_h_w, *first_h_b, *first_c_w, *first_c_b;
    const Param *query_w, *key_w, *key_b, *score_v;
    const Param *gate_w, *gate_b;
    const Param *embedding;
    const Param *lstm_y, *lstm_z, *lstm_u, *lstm_b;
    const Param *out_h, *out_z, *out_w, *out_b;
};

bool caption_shape(const Settings *settings, int vocabulary, CaptionShape *shape, Error *error)
{
    *shape = (CaptionShape){
        .is_hard = settings_choice(settings, "attention") == 1,
        .has_gate = settings_bool(settings, "gate"),
        .side = settings_int(settings, "side"),
        .width = settings_int(settings, "width"),
        .embedding = settings_int(settings, "embedding"),
        .hidden = settings_int(settings, "hidden"),
        .attention_hidden = settings_int(settings, "attention-hidden"),
        .vocabulary = vocabulary,
    };
    shape->grid = shape->side / SHRINK;
    return shape->side % SHRINK == 0 ||
           error_set(error, ERROR_INPUT, "side=%d: a multiple of %d was expected", shape->side,
                     SHRINK);
}

/* ---- parameters ---- */

static int channels(const CaptionShape *shape, int layer) /* that come out of it */
{
    return layer < 2 ? shape->width << layer : 4 * shape->width;
}

static int annotation_size(const CaptionShape *shape)
{
    return channels(shape, N_CONVOLUTIONS - 1);
}

static void declare_encoder(Caption *net, ParamSet *p)
{
    static const char *const names[N_CONVOLUTIONS][2] = {{"encoder.1.W", "encoder.1.b"},
                                                         {"encoder.2.W", "encoder.2.b"},
                                                         {"encoder.3.W", "encoder.3.b"},
                                                         {"encoder.4.W", "encoder.4.b"}};
    const CaptionShape *s = &net->shape;
    for (int i = 0; i < N_CONVOLUTIONS; i++) {
        int c = i == 0 ? 3 : channels(s, i - 1), d = channels(s, i);
        /* Variance is kept through relu (He et al. 2015). */
        net->conv_w[i] = param_add(p, names[i][0], d, 9 * c, INIT_NORMAL, sqrt(2.0 / (9 * c)));
        net->conv_b[i] = param_add(p, names[i][1], 1, d, INIT_ZERO, 0);
    }
    int size = annotation_size(s);
    net->place = param_add(p, "encoder.place", s->grid * s->grid, size, INIT_NORMAL, 0.3);
    net->first_h_w = param_add(p, "first.h.W", s->hidden, size, INIT_GLOROT, 1);
    net->first_h_b = param_add(p, "first.h.b", 1, s->hidden, INIT_ZERO, 0);
    net->first_c_w = param_add(p, "first.c.W", s->hidden, size, INIT_GLOROT, 1);
    net->first_c_b = param_add(p, "first.c.b", 1, s->hidden, INIT_ZERO, 0);
}

static void declare_decoder(Caption *net, ParamSet *p)
{
    const CaptionShape *s = &net->shape;
    int d = s->hidden, e = s->embedding, a = s->attention_hidden, size = annotation_size(s);
    net->query_w = param_add(p, "attention.W", a, d, INIT_GLOROT, 1);
    net->key_w = param_add(p, "attention.U", a, size, INIT_GLOROT, 1);
    net->key_b = param_add(p, "attention.b", 1, a, INIT_ZERO, 0);
    net->score_v = param_add(p, "attention.v", 1, a, INIT_GLOROT, 1);
    if (s->has_gate) {
        net->gate_w = param_add(p, "gate.w", 1, d, INIT_GLOROT, 1);
        net->gate_b = param_add(p, "gate.b", 1, 1, INIT_ZERO, 0);
    }
    net->embedding = param_add(p, "words.embedding", s->vocabulary, e, INIT_NORMAL, 0.1);
    net->lstm_y = param_add(p, "decoder.W", 4 * d, e, INIT_GLOROT, 1);
    net->lstm_z = param_add(p, "decoder.C", 4 * d, size, INIT_GLOROT, 1);
    net->lstm_u = param_add(p, "decoder.U", 4 * d, d, INIT_ORTHOGONAL, 1);
    net->lstm_b = param_add(p, "decoder.b", 1, 4 * d, INIT_ZERO, 0);
    net->out_h = param_add(p, "output.L_h", e, d, INIT_GLOROT, 1);
    net->out_z = param_add(p, "output.L_z", e, size, INIT_GLOROT, 1);
    net->out_w = param_add(p, "output.L_o", s->vocabulary, e, INIT_GLOROT, 1);
    net->out_b = param_add(p, "output.b", 1, s->vocabulary, INIT_ZERO, 0);
}

Caption *caption_new(const CaptionShape *shape, ParamSet *params)
{
    Caption *net = memory_new(1, sizeof *net);
    net->shape = *shape;
    declare_encoder(net, params);
    declare_decoder(net, params);
    return net;
}

void caption_free(Caption *net)
{
    free(net);
}

const CaptionShape *caption_get_shape(const Caption *net)
{
    return &net->shape;
}

static Var *linear(Tape *tape, Var *x, const Param *w, const Param *b)
{
    return op_linear(tape, x, tape_weights(tape, w), b ? tape_param(tape, b) : NULL);
}

/* ---- encoder ---- */

static Var *features(const Caption *net, Tape *tape, Var *pictures)
{
    /* Light and dark around zero. */
    Var *x = tape_new_var(tape, pictures->rows, pictures->cols, false);
    for (size_t i = 0; i < var_size(x); i++)
        x->value[i] = 2 * pictures->value[i] - 1;
    int side = net->shape.side;
    for (int i = 0; i < N_CONVOLUTIONS; i++) {
        const Conv conv = {side, side, 3, i + 1 < N_CONVOLUTIONS ? 2 : 1, 1};
        x = op_relu(tape, op_conv(tape, x, tape_param(tape, net->conv_w[i]),
                                  tape_param(tape, net->conv_b[i]), &conv));
        side = conv_out_height(&conv);
    }
    return x;
}

static const AttendTo *grid_of(Arena *arena, int n, int cells)
{
    int *length = arena_get(arena, (size_t)n, sizeof *length);
    for (int i = 0; i < n; i++)
        length[i] = cells;
    Ragged *keys = arena_get(arena, 1, sizeof *keys);
    *keys = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, n, length);
    AttendTo *to = arena_get(arena, 1, sizeof *to);
    *to = (AttendTo){.keys = keys};
    return to;
}

static Var *places(const Caption *net, Tape *tape, int n, int cells)
{
    int *index = arena_get(tape_arena(tape), (size_t)(n * cells), sizeof *index);
    for (int i = 0; i < n * cells; i++)
        index[i] = i % cells;
    return op_gather(tape, tape_weights(tape, net->place), n * cells, index);
}

static Var *first_state(const Caption *net, Tape *tape, const CaptionSource *source, int n)
{
    int cells = source->to->keys->steps;
    Var *even = tape_new_var(tape, n, cells, false);
    for (size_t i = 0; i < var_size(even); i++)
        even->value[i] = 1 / (Real)cells;
    Var *mean = op_context(tape, even, source->annotations, source->to);
    Var *parts[2] = {op_tanh(tape, linear(tape, mean, net->first_h_w, net->first_h_b)),
                     op_tanh(tape, linear(tape, mean, net->first_c_w, net->first_c_b))};
    return op_concat(tape, 2, parts);
}

CaptionSource caption_encode(const Caption *net, Tape *tape, Var *pictures)
{
    int side = net->shape.side, cells = net->shape.grid * net->shape.grid;
    tape_check_shape("caption_encode", pictures, -1, 3);
    int n = pictures->rows / (side * side);
    CaptionSource source = {.to = grid_of(tape_arena(tape), n, cells)};
    source.annotations = op_add(tape, features(net, tape, pictures), places(net, tape, n, cells));
    source.keys = linear(tape, source.annotations, net->key_w, net->key_b);
    source.first_state = first_state(net, tape, &source, n);
    return source;
}

/* ---- decoder ---- */

Var *caption_embed(const Caption *net, Tape *tape, int n, const int *ids)
{
    return op_gather(tape, tape_weights(tape, net->embedding), n, ids);
}

static const int *choose_cells(Tape *tape, const Var *aligned, const CaptionControl *control)
{
    int n = aligned->rows, cells = aligned->cols;
    int *chosen = arena_get(tape_arena(tape), (size_t)n, sizeof *chosen);
    for (int i = 0; i < n; i++) {
        const Real *row = var_row(aligned, i);
        if (control->chosen && control->chosen[i] >= 0)
            chosen[i] = control->chosen[i];
        else if (control->draws)
            chosen[i] = align_sample(row, cells, control->draws[i]);
        else
            chosen[i] = align_argmax(row, cells);
    }
    return chosen;
}

/* One-hot rows; where soft_share is 1 the softmax stays. */
static Var *chosen_weights(Tape *tape, Var *aligned, const int *chosen,
                           const CaptionControl *control)
{
    Var *one_hot = tape_zeros(tape, aligned->rows, aligned->cols);
    for (int i = 0; i < aligned->rows; i++)
        if (chosen[i] >= 0)
            var_row(one_hot, i)[chosen[i]] = 1;
    if (!control->soft_share)
        return one_hot;
    Var *share = tape_borrow(tape, aligned->rows, 1, (Real *)control->soft_share);
    return op_mix(tape, share, aligned, one_hot);
}

static void attend(const Caption *net, Tape *tape, const CaptionSource *source, Var *query,
                   const CaptionControl *control, CaptionStep *out)
{
    AttendTo *to = arena_get(tape_arena(tape), 1, sizeof *to);
    *to = *source->to;
    to->keep = control->keep;
    out->scores = op_score_additive(tape, linear(tape, query, net->query_w, NULL), source->keys,
                                    tape_param(tape, net->score_v), to);
    out->aligned = op_align_softmax(tape, out->scores, control->temperature, to);
    out->weights = out->aligned;
    if (net->shape.is_hard && !control->weights) {
        out->chosen = choose_cells(tape, out->aligned, control);
        out->weights = chosen_weights(tape, out->aligned, out->chosen, control);
    }
    if (control->weights) {
        out->weights = tape_new_var(tape, query->rows, out->aligned->cols, false);
        for (int i = 0; i < query->rows; i++)
            memcpy(var_row(out->weights, i), control->weights,
                   (size_t)out->aligned->cols * sizeof *control->weights);
    }
    out->context = op_context(tape, out->weights, source->annotations, source->to);
    if (!net->shape.has_gate)
        return;
    out->gate = op_sigmoid(tape, linear(tape, query, net->gate_w, net->gate_b));
    out->context = op_multiply(tape, out->context, out->gate);
}

/* A fresh network remembers: 1 is added to the forget gate's input (Jozefowicz et al. 2015). */
static Var *remember(Tape *tape, Var *xp)
{
    Var *bias = tape_zeros(tape, 1, xp->cols);
    for (int j = xp->cols / 4; j < xp->cols / 2; j++)
        bias->value[j] = 1;
    return op_add(tape, xp, bias);
}

CaptionStep caption_step(const Caption *net, Tape *tape, const CaptionSource *source, Var *embedded,
                         Var *state, const CaptionControl *control)
{
    CaptionStep out = {0};
    attend(net, tape, source, op_slice(tape, state, 0, net->shape.hidden), control, &out);
    Var *xp = op_add(tape, linear(tape, embedded, net->lstm_y, net->lstm_b),
                     linear(tape, out.context, net->lstm_z, NULL));
    out.state =
        op_lstm_step(tape, remember(tape, xp), state, tape_weights(tape, net->lstm_u), &out.gates);
    return out;
}

Var *caption_logits(const Caption *net, Tape *tape, Var *embedded, Var *states, Var *contexts,
                    Real dropout, Random *random)
{
    Var *h = op_slice(tape, states, 0, net->shape.hidden);
    Var *sum = op_add(tape, embedded, linear(tape, h, net->out_h, NULL));
    sum = op_tanh(tape, op_add(tape, sum, linear(tape, contexts, net->out_z, NULL)));
    return linear(tape, op_dropout(tape, sum, dropout, random), net->out_w, net->out_b);
}
