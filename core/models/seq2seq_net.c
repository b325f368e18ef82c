#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/seq2seq.h"

const Setting seq2seq_settings[] = {
    {"attention", SETTING_CHOICE, "additive", 0, 0,
     "none|additive|cosine|location|general|dot|scaled-dot", "score function"},
    {"projected", SETTING_BOOL, "no", 0, 0, NULL,
     "dot and scaled-dot: query and keys through learned maps (Vaswani)"},
    {"align", SETTING_CHOICE, "global", 0, 0, "global|local-m|local-p|hard",
     "how scores become weights"},
    {"query", SETTING_CHOICE, "previous", 0, 0, "previous|current",
     "decoder state that scores: before (Bahdanau) or after (Luong) the recurrent step"},
    {"feeding", SETTING_BOOL, "no", 0, 0, NULL, "input feeding (query=current)"},
    {"context", SETTING_CHOICE, "feed", 0, 0, "feed|initial",
     "where a fixed context goes (attention=none)"},
    {"cell", SETTING_CHOICE, "gru", 0, 0, "gru|lstm", "recurrent unit"},
    {"gru", SETTING_CHOICE, "reset-after", 0, 0, "reset-after|reset-before", "kind of GRU"},
    {"embedding", SETTING_INT, "192", 1, 8192, NULL, "size of word vectors"},
    {"hidden", SETTING_INT, "256", 1, 8192, NULL, "decoder units"},
    {"encoder-hidden", SETTING_INT, "256", 1, 8192, NULL, "encoder units in each direction"},
    {"attention-hidden", SETTING_INT, "256", 1, 8192, NULL,
     "units of the additive score and of projected ones"},
    {"embeddings", SETTING_CHOICE, "separate", 0, 0, "separate|shared",
     "one table for source and target or two"},
    {"window", SETTING_INT, "10", 1, 1000, NULL, "D: local windows reach D to both sides"},
    {"typography", SETTING_CHOICE, "plain", 0, 0, "plain|french", "spacing of the written text"},
    {"positions", SETTING_INT, "50", 1, 10000, NULL, "source positions of the location score"},
    {0},
};

struct Seq2Seq {
    Seq2SeqShape shape;
    const Param *source_embedding, *target_embedding;
    const Param *encoder_w[2], *encoder_b[2], *encoder_u[2]; /* forward, backward */
    const Param *first_w, *first_b, *first_cell_w, *first_cell_b;
    const Param *query_w, *key_w, *key_b, *score_v, *log_beta;
    const Param *centre_w, *centre_v;
    const Param *decoder_y, *decoder_b, *decoder_c, *decoder_u;
    const Param *readout_w, *readout_b;
    const Param *output_b;
};

/* ---- shape ---- */

static bool check_shape(const Seq2SeqShape *s, Error *error)
{
    bool is_dot = s->score == SCORE_DOT || s->score == SCORE_SCALED_DOT;
    bool needs_equal = s->score == SCORE_COSINE || (is_dot && !s->projects);
    if (s->projects && !is_dot)
        return error_set(error, ERROR_INPUT,
                         "projected=yes goes with attention=dot or attention=scaled-dot");
    if (needs_equal && s->hidden != 2 * s->encoder_hidden)
        return error_set(error, ERROR_INPUT,
                         "this score compares decoder and encoder states directly: hidden=%d must "
                         "be twice encoder-hidden=%d",
                         s->hidden, s->encoder_hidden);
    if (s->feeds_input && (!s->query_is_current || s->score == SCORE_NONE))
        return error_set(error, ERROR_INPUT, "feeding=yes goes with query=current and attention");
    if (s->score == SCORE_NONE && (s->alignment != ALIGNMENT_GLOBAL || s->query_is_current))
        return error_set(error, ERROR_INPUT, "attention=none has no align and no query to choose");
    if (s->score == SCORE_LOCATION && s->alignment != ALIGNMENT_GLOBAL)
        return error_set(error, ERROR_INPUT, "attention=location goes with align=global");
    if (s->shares_embeddings && s->source_vocabulary != s->target_vocabulary)
        return error_set(error, ERROR_INPUT,
                         "embeddings=shared wants one vocabulary, not %d and %d words",
                         s->source_vocabulary, s->target_vocabulary);
    return true;
}

bool seq2seq_shape(const Settings *settings, int source_vocabulary, int target_vocabulary,
                   Seq2SeqShape *shape, Error *error)
{
    *shape = (Seq2SeqShape){
        .score = (ScoreKind)settings_choice(settings, "attention"),
        .projects = settings_bool(settings, "projected"),
        .alignment = (Alignment)settings_choice(settings, "align"),
        .query_is_current = settings_choice(settings, "query") == 1,
        .feeds_input = settings_bool(settings, "feeding"),
        .is_lstm = settings_choice(settings, "cell") == 1,
        .gru = (GruKind)settings_choice(settings, "gru"),
        .shares_embeddings = settings_choice(settings, "embeddings") == 1,
        .embedding = settings_int(settings, "embedding"),
        .hidden = settings_int(settings, "hidden"),
        .encoder_hidden = settings_int(settings, "encoder-hidden"),
        .attention_hidden = settings_int(settings, "attention-hidden"),
        .window = settings_int(settings, "window"),
        .positions = settings_int(settings, "positions"),
        .source_vocabulary = source_vocabulary,
        .target_vocabulary = target_vocabulary,
    };
    shape->feeds_context = shape->score == SCORE_NONE && settings_choice(settings, "context") == 0;
    return check_shape(shape, error);
}

/* ---- parameters ---- */

static void declare_encoder(Seq2Seq *net, ParamSet *p, int gates)
{
    static const char *const names[2][3] = {
        {"encoder.forward.W", "encoder.forward.b", "encoder.forward.U"},
        {"encoder.backward.W", "encoder.backward.b", "encoder.backward.U"},
    };
    int e = net->shape.embedding, h = net->shape.encoder_hidden;
    for (int i = 0; i < 2; i++) {
        net->encoder_w[i] = param_add(p, names[i][0], gates * h, e, INIT_GLOROT, 1);
        net->encoder_b[i] = param_add(p, names[i][1], 1, gates * h, INIT_ZERO, 0);
        net->encoder_u[i] = param_add(p, names[i][2], gates * h, h, INIT_ORTHOGONAL, 1);
    }
}

static void declare_first_state(Seq2Seq *net, ParamSet *p)
{
    int d = net->shape.hidden, h = net->shape.encoder_hidden;
    net->first_w =
        param_add(p, "decoder.first.W", d, net->shape.is_lstm ? 2 * h : h, INIT_GLOROT, 1);
    net->first_b = param_add(p, "decoder.first.b", 1, d, INIT_ZERO, 0);
    if (!net->shape.is_lstm)
        return;
    net->first_cell_w = param_add(p, "decoder.first_cell.W", d, 2 * h, INIT_GLOROT, 1);
    net->first_cell_b = param_add(p, "decoder.first_cell.b", 1, d, INIT_ZERO, 0);
}

/* A policy in its way: it says where to look, and may learn at a rate of its own. */
static void declare_centre(Seq2Seq *net, ParamSet *p)
{
    int d = net->shape.hidden;
    Param *w = param_add(p, "attention.centre.W", d, d, INIT_GLOROT, 1);
    Param *v = param_add(p, "attention.centre.v", 1, d, INIT_GLOROT, 1);
    w->group = v->group = PARAM_GROUP_POLICY;
    net->centre_w = w;
    net->centre_v = v;
}

static void declare_attention(Seq2Seq *net, ParamSet *p)
{
    const Seq2SeqShape *s = &net->shape;
    int d = s->hidden, a = s->attention_hidden, annotation = 2 * s->encoder_hidden;
    switch (s->score) {
    case SCORE_ADDITIVE:
        net->query_w = param_add(p, "attention.W", a, d, INIT_GLOROT, 1);
        net->key_w = param_add(p, "attention.U", a, annotation, INIT_GLOROT, 1);
        net->key_b = param_add(p, "attention.b", 1, a, INIT_ZERO, 0);
        net->score_v = param_add(p, "attention.v", 1, a, INIT_GLOROT, 1);
        break;
    case SCORE_GENERAL:
        net->query_w = param_add(p, "attention.W", annotation, d, INIT_GLOROT, 1);
        break;
    case SCORE_LOCATION:
        net->query_w = param_add(p, "attention.W", s->positions, d, INIT_GLOROT, 1);
        break;
    case SCORE_COSINE:
        net->log_beta = param_add(p, "attention.log_beta", 1, 1, INIT_ZERO, 0);
        break;
    case SCORE_DOT:
    case SCORE_SCALED_DOT:
        if (s->projects) {
            net->query_w = param_add(p, "attention.W", a, d, INIT_GLOROT, 1);
            net->key_w = param_add(p, "attention.U", a, annotation, INIT_GLOROT, 1);
        }
        break;
    case SCORE_NONE: break;
    }
    if (s->alignment == ALIGNMENT_LOCAL_P)
        declare_centre(net, p);
}

static void declare_decoder(Seq2Seq *net, ParamSet *p, int gates)
{
    const Seq2SeqShape *s = &net->shape;
    int e = s->embedding, d = s->hidden, annotation = 2 * s->encoder_hidden;
    bool has_context = s->score != SCORE_NONE || s->feeds_context;
    net->decoder_y = param_add(p, "decoder.W", gates * d, e, INIT_GLOROT, 1);
    net->decoder_b = param_add(p, "decoder.b", 1, gates * d, INIT_ZERO, 0);
    net->decoder_u = param_add(p, "decoder.U", gates * d, d, INIT_ORTHOGONAL, 1);
    if (s->feeds_input)
        net->decoder_c = param_add(p, "decoder.C", gates * d, e, INIT_GLOROT, 1);
    else if (has_context && !s->query_is_current)
        net->decoder_c = param_add(p, "decoder.C", gates * d, annotation, INIT_GLOROT, 1);
    int width = d + (has_context ? annotation : 0) + (s->query_is_current ? 0 : e);
    net->readout_w = param_add(p, "readout.W", e, width, INIT_GLOROT, 1);
    if (!s->query_is_current)
        net->readout_b = param_add(p, "readout.b", 1, e, INIT_ZERO, 0);
    net->output_b = param_add(p, "output.b", 1, s->target_vocabulary, INIT_ZERO, 0);
}

Seq2Seq *seq2seq_new(const Seq2SeqShape *shape, ParamSet *params)
{
    Seq2Seq *net = memory_new(1, sizeof *net);
    net->shape = *shape;
    int gates = shape->is_lstm ? 4 : 3;
    net->source_embedding = param_add(params, "source.embedding", shape->source_vocabulary,
                                      shape->embedding, INIT_NORMAL, 0.1);
    net->target_embedding = net->source_embedding;
    if (!shape->shares_embeddings)
        net->target_embedding = param_add(params, "target.embedding", shape->target_vocabulary,
                                          shape->embedding, INIT_NORMAL, 0.1);
    declare_encoder(net, params, gates);
    declare_first_state(net, params);
    declare_attention(net, params);
    declare_decoder(net, params, gates);
    return net;
}

void seq2seq_free(Seq2Seq *net)
{
    free(net);
}

const Seq2SeqShape *seq2seq_get_shape(const Seq2Seq *net)
{
    return &net->shape;
}

/* ---- encoder ---- */

static Var *param(Tape *tape, const Param *p)
{
    return p ? tape_param(tape, p) : NULL;
}

static Var *encode_direction(const Seq2Seq *net, Tape *tape, const Ragged *batch, Var *embedded,
                             int direction)
{
    Var *xp = op_linear(tape, embedded, tape_weights(tape, net->encoder_w[direction]),
                        param(tape, net->encoder_b[direction]));
    Var *u = tape_weights(tape, net->encoder_u[direction]);
    if (net->shape.is_lstm)
        return op_lstm_sequence(tape, lstm_remember(tape, xp), u, batch, direction == 1);
    return op_gru_sequence(tape, net->shape.gru, xp, u, batch, direction == 1);
}

static Var *final_states(Tape *tape, const Ragged *batch, Var *states, int direction)
{
    return op_gather(tape, states, batch->n, recurrent_final_rows(tape, batch, direction == 1));
}

/* LSTM: [h | c] from both directions' final halves. */
static Var *first_lstm_state(const Seq2Seq *net, Tape *tape, Var *const final[2])
{
    int h = net->shape.encoder_hidden;
    Var *outputs[2], *cells[2], *halves[2];
    for (int i = 0; i < 2; i++) {
        outputs[i] = op_slice(tape, final[i], 0, h);
        cells[i] = op_slice(tape, final[i], h, 2 * h);
    }
    halves[0] =
        op_tanh(tape, op_linear(tape, op_concat(tape, 2, outputs), tape_weights(tape, net->first_w),
                                param(tape, net->first_b)));
    halves[1] = op_linear(tape, op_concat(tape, 2, cells), tape_weights(tape, net->first_cell_w),
                          param(tape, net->first_cell_b));
    return op_concat(tape, 2, halves);
}

static Var *make_keys(const Seq2Seq *net, Tape *tape, Var *annotations)
{
    if (!net->key_w)
        return annotations;
    return op_linear(tape, annotations, tape_weights(tape, net->key_w), param(tape, net->key_b));
}

Seq2SeqSource seq2seq_encode(const Seq2Seq *net, Tape *tape, const Ragged *batch, const int *ids,
                             const Dropout *dropout)
{
    const Seq2SeqShape *s = &net->shape;
    Seq2SeqSource source = {.batch = batch};
    source.embedded = op_gather(tape, tape_weights(tape, net->source_embedding), batch->rows, ids);
    if (dropout)
        source.embedded = op_dropout(tape, source.embedded, dropout->embedding, dropout->random);
    Var *states[2], *outputs[2], *final[2];
    for (int i = 0; i < 2; i++) {
        states[i] = encode_direction(net, tape, batch, source.embedded, i);
        outputs[i] = s->is_lstm ? op_slice(tape, states[i], 0, s->encoder_hidden) : states[i];
        final[i] = final_states(tape, batch, states[i], i);
    }
    source.annotations = op_concat(tape, 2, outputs);
    source.keys = make_keys(net, tape, source.annotations);
    if (s->is_lstm)
        source.first_state = first_lstm_state(net, tape, final);
    else
        source.first_state =
            op_tanh(tape, op_linear(tape, final[1], tape_weights(tape, net->first_w),
                                    param(tape, net->first_b)));
    if (s->feeds_context) {
        if (s->is_lstm)
            for (int i = 0; i < 2; i++)
                final[i] = op_slice(tape, final[i], 0, s->encoder_hidden);
        source.fixed_context = op_concat(tape, 2, final);
    }
    if (net->log_beta)
        source.beta = op_exp(tape, param(tape, net->log_beta));
    return source;
}

/* ---- decoder ---- */

Var *seq2seq_embed_target(const Seq2Seq *net, Tape *tape, int n, const int *ids,
                          const Dropout *dropout)
{
    Var *embedded = op_gather(tape, tape_weights(tape, net->target_embedding), n, ids);
    return dropout ? op_dropout(tape, embedded, dropout->embedding, dropout->random) : embedded;
}

Var *seq2seq_project_target(const Seq2Seq *net, Tape *tape, Var *embedded)
{
    Var *xp =
        op_linear(tape, embedded, tape_weights(tape, net->decoder_y), param(tape, net->decoder_b));
    return net->shape.is_lstm ? lstm_remember(tape, xp) : xp;
}

static Var *score(const Seq2Seq *net, Tape *tape, const Seq2SeqSource *source, Var *s,
                  const AttendTo *to)
{
    Var *q = net->query_w ? op_linear(tape, s, tape_weights(tape, net->query_w), NULL) : s;
    switch (net->shape.score) {
    case SCORE_ADDITIVE:
        return op_score_additive(tape, q, source->keys, param(tape, net->score_v), to);
    case SCORE_LOCATION: return op_score_location(tape, q, to);
    case SCORE_COSINE: return op_score_cosine(tape, q, source->keys, source->beta, to);
    case SCORE_SCALED_DOT:
        return op_score_dot(tape, q, source->keys, 1 / (Real)sqrt((double)q->cols), to);
    case SCORE_GENERAL:
    case SCORE_DOT:
    case SCORE_NONE: break;
    }
    return op_score_dot(tape, q, source->keys, 1, to);
}

/* p = sigmoid(v^T tanh(W s)) (S - 1) for every row; or where the person put it. */
static Var *predict_centre(const Seq2Seq *net, Tape *tape, Var *s, const AttendTo *to,
                           const double *moved)
{
    int n = s->rows;
    Var *last = tape_new_var(tape, n, 1, false);
    for (int i = 0; i < n; i++)
        last->value[i] = (Real)(to->keys->length[attend_owner(to, i)] - 1);
    if (moved) {
        for (int i = 0; i < n; i++) {
            Real most = last->value[i], p = (Real)*moved;
            last->value[i] = p < 0 ? 0 : p > most ? most : p;
        }
        return last;
    }
    Var *hidden = op_tanh(tape, op_linear(tape, s, tape_weights(tape, net->centre_w), NULL));
    Var *scale = op_sigmoid(tape, op_linear(tape, hidden, tape_weights(tape, net->centre_v), NULL));
    return op_multiply(tape, scale, last);
}

/* The positions that each row scores. */
static Span *make_spans(const Seq2Seq *net, Tape *tape, int n, const AttendTo *to,
                        const Var *centre, const Seq2SeqControl *control)
{
    const Seq2SeqShape *s = &net->shape;
    int reach = control->window > 0 ? control->window : s->window;
    Span *spans = arena_get(tape_arena(tape), (size_t)n, sizeof *spans);
    for (int i = 0; i < n; i++) {
        int length = to->keys->length[attend_owner(to, i)];
        if (s->score == SCORE_LOCATION) {
            spans[i] = (Span){0, length < s->positions ? length : s->positions};
            continue;
        }
        double p = centre            ? (double)centre->value[i]
                   : control->centre ? *control->centre
                                     : (double)control->step;
        int k = p < 0 ? 0 : p > length - 1 ? length - 1 : (int)floor(p);
        spans[i] =
            (Span){k - reach < 0 ? 0 : k - reach, k + reach + 1 > length ? length : k + reach + 1};
    }
    return spans;
}

static const int *choose_positions(Tape *tape, const Var *weights, const AttendTo *to,
                                   const Seq2SeqControl *control)
{
    int *chosen = arena_get(tape_arena(tape), (size_t)weights->rows, sizeof *chosen);
    for (int i = 0; i < weights->rows; i++) {
        int length = to->keys->length[attend_owner(to, i)];
        if (control->hard_position && control->hard_position[i] >= 0 &&
            control->hard_position[i] < length)
            chosen[i] = control->hard_position[i];
        else if (control->hard == CHOOSE_SAMPLE)
            chosen[i] = align_sample(var_row(weights, i), length, control->hard_draws[i]);
        else
            chosen[i] = align_argmax(var_row(weights, i), length);
    }
    return chosen;
}

/* One-hot rows where a position was chosen; where soft_share is 1 the softmax stays. */
static Var *hard_weights(Tape *tape, Var *soft, const int *chosen, const Seq2SeqControl *control)
{
    Var *one_hot = tape_zeros(tape, soft->rows, soft->cols);
    for (int i = 0; i < soft->rows; i++)
        if (chosen[i] >= 0)
            var_row(one_hot, i)[chosen[i]] = 1;
    if (!control->soft_share)
        return one_hot;
    Var *share = tape_borrow(tape, soft->rows, 1, (Real *)control->soft_share);
    return op_mix(tape, share, soft, one_hot);
}

static Var *replaced_weights(Tape *tape, const Var *like, const Real *weights)
{
    Var *w = tape_new_var(tape, like->rows, like->cols, false);
    for (int i = 0; i < w->rows; i++)
        memcpy(var_row(w, i), weights, (size_t)w->cols * sizeof *weights);
    return w;
}

/* Rows divided by their sums, as constants (inference only). */
static Var *renormalised(Tape *tape, const Var *weights)
{
    Var *w = tape_constant(tape, weights->rows, weights->cols, weights->value);
    for (int i = 0; i < w->rows; i++) {
        Real sum = 0;
        for (int j = 0; j < w->cols; j++)
            sum += var_row(w, i)[j];
        for (int j = 0; sum > 0 && j < w->cols; j++)
            var_row(w, i)[j] /= sum;
    }
    return w;
}

/* Fills scores, weights and context of `out` from the query s [n,d]. */
static void attend(const Seq2Seq *net, Tape *tape, const Seq2SeqSource *source, Var *s,
                   const Seq2SeqControl *control, Seq2SeqStep *out)
{
    const Seq2SeqShape *shape = &net->shape;
    AttendTo *to = arena_get(tape_arena(tape), 1, sizeof *to);
    *to = (AttendTo){source->batch, control->owner, NULL, control->keep};
    if (shape->alignment == ALIGNMENT_LOCAL_P)
        out->centre = predict_centre(net, tape, s, to, control->centre);
    bool local = shape->alignment == ALIGNMENT_LOCAL_M || shape->alignment == ALIGNMENT_LOCAL_P;
    if (local || shape->score == SCORE_LOCATION)
        out->spans = to->span = make_spans(net, tape, s->rows, to, out->centre, control);
    out->scores = score(net, tape, source, s, to);
    out->aligned = op_align_softmax(tape, out->scores, control->temperature, to);
    out->weights = out->aligned;
    if (shape->alignment == ALIGNMENT_LOCAL_P) {
        int reach = control->window > 0 ? control->window : shape->window;
        out->weights = op_align_gaussian(tape, out->aligned, out->centre, (Real)reach / 2, to);
        if (control->renormalises)
            out->weights = renormalised(tape, out->weights);
    }
    if (shape->alignment == ALIGNMENT_HARD && control->hard != CHOOSE_EXPECTATION) {
        out->chosen = choose_positions(tape, out->aligned, to, control);
        out->weights = hard_weights(tape, out->aligned, out->chosen, control);
    }
    if (control->weights) {
        /* A person's weights may lie anywhere, also outside the window. */
        AttendTo *everywhere = arena_get(tape_arena(tape), 1, sizeof *everywhere);
        *everywhere = (AttendTo){source->batch, control->owner, NULL, NULL};
        to = everywhere;
        out->weights = replaced_weights(tape, out->weights, control->weights);
    }
    out->context = op_context(tape, out->weights, source->annotations, to);
}

static Var *recur(const Seq2Seq *net, Tape *tape, Var *xp, Var *state, const Real **gates)
{
    Var *u = tape_weights(tape, net->decoder_u);
    if (net->shape.is_lstm)
        return op_lstm_step(tape, xp, state, u, gates);
    return op_gru_step(tape, net->shape.gru, xp, state, u, gates);
}

/* The LSTM's h of [h | c]; the GRU's state itself. */
static Var *output_of(const Seq2Seq *net, Tape *tape, Var *state)
{
    return net->shape.is_lstm ? op_slice(tape, state, 0, net->shape.hidden) : state;
}

Seq2SeqStep seq2seq_step(const Seq2Seq *net, Tape *tape, const Seq2SeqSource *source,
                         Var *projected, const Seq2SeqState *state, const Seq2SeqControl *control)
{
    const Seq2SeqShape *shape = &net->shape;
    Seq2SeqStep out = {.context = source->fixed_context};
    if (out.context && control->owner)
        out.context = op_gather(tape, out.context, projected->rows, control->owner);
    if (shape->score != SCORE_NONE && !shape->query_is_current)
        attend(net, tape, source, output_of(net, tape, state->state), control, &out);
    Var *xp = projected;
    Var *extra = shape->query_is_current ? state->attentional : out.context;
    if (net->decoder_c && extra)
        xp = op_add(tape, op_linear(tape, extra, tape_weights(tape, net->decoder_c), NULL),
                    projected);
    out.next.state = recur(net, tape, xp, state->state, &out.gates);
    out.output = output_of(net, tape, out.next.state);
    if (shape->score != SCORE_NONE && shape->query_is_current)
        attend(net, tape, source, out.output, control, &out);
    if (shape->feeds_input)
        out.next.attentional = seq2seq_readout(net, tape, out.output, out.context, NULL);
    return out;
}

Var *seq2seq_readout(const Seq2Seq *net, Tape *tape, Var *outputs, Var *contexts, Var *embedded)
{
    Var *parts[3];
    int n = 0;
    if (net->shape.query_is_current) {
        parts[n++] = contexts;
        parts[n++] = outputs;
    } else {
        parts[n++] = outputs;
        if (contexts)
            parts[n++] = contexts;
        parts[n++] = embedded;
    }
    return op_tanh(tape,
                   op_linear(tape, op_concat(tape, n, parts), tape_weights(tape, net->readout_w),
                             param(tape, net->readout_b)));
}

Var *seq2seq_logits(const Seq2Seq *net, Tape *tape, Var *readout, const Dropout *dropout)
{
    if (dropout)
        readout = op_dropout(tape, readout, dropout->readout, dropout->random);
    return op_linear(tape, readout, tape_weights(tape, net->target_embedding),
                     param(tape, net->output_b));
}
