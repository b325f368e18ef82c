/* Stepping through a translation by a Transformer: one target token a step. The decoder runs
 * over the whole prefix each time; rows of earlier steps come out the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "models/transformer_model.h"

typedef struct TransformerSession {
    Translation translation;
    const TransformerTranslator *translator;
    const TransformerShape *shape;
    Tape *encoder, *step;
    Ragged source;
    TransformerMemory memory;
    TransformerWeights encoder_weights;
    Real **given; /* [n_steps] a person's weights over the source [S], or NULL */
    size_t capacity;
} TransformerSession;

static const SessionType transformer_session;

/* ---- beginning ---- */

static void encode(TransformerSession *s)
{
    Translation *t = &s->translation;
    int *ids = arena_get(t->arena, (size_t)t->n_source, sizeof *ids);
    for (int i = 0; i < t->n_source; i++)
        ids[i] = t->tokens.items[i].id;
    s->source = ragged_new(t->arena, RAGGED_SEQUENCE_MAJOR, 1, &t->n_source);
    const TransformerSource source = {&s->source, ids, t->keep};
    Var *encoded =
        transformer_encode(s->translator->net, s->encoder, &source, NULL, &s->encoder_weights);
    s->memory = transformer_memory(s->translator->net, s->encoder, &s->source, encoded);
    s->memory.keep = t->keep;
    s->memory.temperature = (Real)t->options.temperature;
    s->memory.wants_scores = true;
}

/* ---- beam ---- */

typedef struct Prefixes {
    TransformerSession *session;
    Tape *tape;
    int *tokens; /* [n, length] of the hypotheses of the last call */
    int n, length;
    int n_given; /* first rows of every hypothesis that keep a person's weights */
} Prefixes;

/* Rows [H, n * length, S] for the decoder, n hypotheses of `length` rows each: a person's
 * where they gave some for one of the first n_given steps, else NaN. NULL when they gave none. */
static const Real *replaced_rows(const TransformerSession *s, Tape *tape, int n, int length,
                                 int n_given)
{
    bool any = false;
    for (int t = 0; t < n_given; t++)
        any = any || s->given[t];
    if (!any)
        return NULL;
    size_t S = (size_t)s->translation.n_source, rows = (size_t)n * (size_t)length;
    Real *out = tape_scratch(tape, (size_t)s->shape->heads * rows * S);
    for (size_t i = 0; i < (size_t)s->shape->heads * rows; i++) {
        int t = (int)(i % (size_t)length);
        out[i * S] = (Real)NAN;
        if (t < n_given && s->given[t])
            memcpy(out + i * S, s->given[t], S * sizeof *out);
    }
    return out;
}

static const Var *beam_logits(void *context, int step, int n, const int *from, const int *last)
{
    Prefixes *p = context;
    TransformerSession *s = p->session;
    int length = step + 1;
    int *tokens = memory_new((size_t)n * (size_t)length, sizeof *tokens);
    for (int i = 0; i < n; i++) {
        if (from)
            memcpy(tokens + i * length, p->tokens + from[i] * p->length,
                   (size_t)p->length * sizeof *tokens);
        tokens[i * length + step] = last[i];
    }
    free(p->tokens);
    *p = (Prefixes){s, p->tape, tokens, n, length, p->n_given};
    tape_reset(p->tape);
    Arena *arena = tape_arena(p->tape);
    int *lengths = arena_get(arena, (size_t)n, sizeof *lengths);
    int *final = arena_get(arena, (size_t)n, sizeof *final);
    for (int i = 0; i < n; i++) {
        lengths[i] = length;
        final[i] = i * length + step;
    }
    Ragged *target = arena_get(arena, 1, sizeof *target);
    *target = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, n, lengths);
    TransformerMemory memory = s->memory;
    memory.owner = arena_get_zeroed(arena, (size_t)n, sizeof(int));
    memory.wants_scores = false;
    memory.replaced =
        replaced_rows(s, p->tape, n, length, p->n_given < length ? p->n_given : length);
    Var *decoded =
        transformer_decode(s->translator->net, p->tape, &memory, target, tokens, NULL, NULL, NULL);
    return transformer_logits(s->translator->net, p->tape, op_gather(p->tape, decoded, n, final));
}

static bool search(TransformerSession *s, int n_written, Error *error)
{
    Prefixes prefixes = {
        .session = s,
        .tape = tape_new_inference(s->translation.base.model->params),
        .n_given = n_written,
    };
    const BeamDecoder decoder = {&prefixes, beam_logits};
    BeamSpec spec = translation_beam_spec(&s->translation, n_written);
    BeamResult beam;
    bool ok = beam_search(&decoder, &spec, &beam, error);
    if (ok)
        translation_follow(&s->translation, &beam, n_written);
    tape_free(prefixes.tape);
    free(prefixes.tokens);
    return ok;
}

/* Every head keeps a weight for every pair of pieces. */
static bool check_length(const TransformerSession *s, Error *error)
{
    int n = s->translation.n_source;
    return n <= TRANSFORMER_MOST_PIECES ||
           error_set(error, ERROR_LIMIT,
                     "the input has %d pieces; a Transformer keeps its attention among at most %d",
                     n, TRANSFORMER_MOST_PIECES);
}

Session *transformer_session_begin(const Model *model, const RunInput *input,
                                   const RunOptions *options, Error *error)
{
    TransformerSession *s = memory_new(1, sizeof *s);
    s->translator = model->network;
    s->shape = transformer_get_shape(s->translator->net);
    s->encoder = tape_new_inference(model->params);
    s->step = tape_new_inference(model->params);
    bool ok =
        translation_begin(&s->translation, &transformer_session, model, input, options, error) &&
        check_length(s, error);
    if (options->max_steps <= 0 && !options->force &&
        s->translation.max_steps > TRANSFORMER_MOST_STEPS)
        s->translation.max_steps = TRANSFORMER_MOST_STEPS;
    if (ok) {
        encode(s);
        ok = options->beam <= 1 || search(s, 0, error);
    }
    if (ok)
        return &s->translation.base;
    session_free(&s->translation.base);
    return NULL;
}

static void transformer_session_free(Session *session)
{
    TransformerSession *s = (TransformerSession *)session;
    tape_free(s->encoder);
    tape_free(s->step);
    free(s->given);
    translation_end(&s->translation);
}

/* ---- one step ---- */

/* The decoder over the begin mark and the first n - 1 tokens: n rows. */
static Var *decode_prefix(TransformerSession *s, int n, bool replaces, TransformerWeights *self,
                          TransformerWeights *cross)
{
    tape_reset(s->step);
    Arena *arena = tape_arena(s->step);
    int *ids = arena_get(arena, (size_t)n, sizeof *ids);
    ids[0] = TOKENIZER_BEGIN;
    for (int t = 1; t < n; t++)
        ids[t] = s->translation.written[t - 1].token;
    Ragged *target = arena_get(arena, 1, sizeof *target);
    *target = ragged_new(arena, RAGGED_SEQUENCE_MAJOR, 1, &n);
    TransformerMemory memory = s->memory;
    memory.replaced = replaces ? replaced_rows(s, s->step, 1, n, n) : NULL;
    return transformer_decode(s->translator->net, s->step, &memory, target, ids, NULL, self, cross);
}

/* Mean over layers and heads of the weights over the source at row t of n. */
static void mean_cross(const TransformerSession *s, const TransformerWeights *cross, int n, int t,
                       float *out)
{
    size_t S = (size_t)s->translation.n_source;
    memset(out, 0, S * sizeof *out);
    float share = 1.0f / (float)(s->shape->layers * s->shape->heads);
    for (int l = 0; l < s->shape->layers; l++)
        for (int h = 0; h < s->shape->heads; h++) {
            const Real *row = cross->layer[l] + ((size_t)h * (size_t)n + (size_t)t) * S;
            for (size_t j = 0; j < S; j++)
                out[j] += share * (float)row[j];
        }
}

static bool transformer_step(Session *session, const StepChoice *choice, Error *error)
{
    TransformerSession *s = (TransformerSession *)session;
    Translation *t = &s->translation;
    int token, n = session->n_steps + 1, plan = translation_stale_plan(t);
    Real *weights;
    if (!translation_resolve(t, choice, &token, &weights, error) ||
        (plan >= 0 && !search(s, plan, error)))
        return false;
    s->given = memory_grow(s->given, &s->capacity, (size_t)n, sizeof *s->given);
    s->given[n - 1] = weights;
    TransformerWeights cross = {{0}, {0}};
    Var *decoded = decode_prefix(s, n, true, NULL, &cross);
    Var *logits =
        transformer_logits(s->translator->net, s->step, op_slice_rows(s->step, decoded, n - 1, n));
    Written *w = translation_write(t, logits, choice, token);
    float *mean = arena_get(t->arena, (size_t)t->n_source, sizeof *mean);
    mean_cross(s, &cross, n, n - 1, mean);
    scalars_add_attention(&w->scalars, mean, t->n_source);
    scalars_add(&w->scalars, "state.norm", vector_norm(var_row(decoded, n - 1), s->shape->width));
    return true;
}

static void transformer_rewind(Session *session, int step)
{
    translation_rewind((Translation *)session, step);
}

/* ---- trace ---- */

static int32_t index_axis(TraceBuilder *b, const char *name, int n)
{
    const TraceAxis axis = {.name = name, .kind = TRACE_AXIS_INDEX, .len = n, .parent_axis = -1};
    return trace_add_axis(b, &axis);
}

/* What the decoder reads to write token t: the begin mark and the tokens before t. */
static int32_t prefix_axis(const TransformerSession *s, TraceBuilder *b)
{
    const Translation *t = &s->translation;
    TokenAxis axis = token_axis_new(t->base.n_steps);
    for (int i = 0; i < axis.n; i++) {
        int token = i == 0 ? TOKENIZER_BEGIN : t->written[i - 1].token;
        bool continues = i > 1 && !tokenizer_starts_word(t->tokenizers->target, token);
        axis.labels[i] = tokenizer_piece(t->tokenizers->target, token);
        axis.flags[i] = i == 0 ? TRACE_TOKEN_SPECIAL : continues ? TRACE_TOKEN_CONTINUES : 0;
    }
    return token_axis_add(&axis, b, "prefix", NULL);
}

/* A tensor [layer, head, rows, cols] from the layers' arrays. */
static void add_layers(const TransformerSession *s, TraceBuilder *b, const char *name,
                       TraceRole role, const Real *const *layers, const int32_t axes[4],
                       size_t rows_by_cols)
{
    float *out = trace_new_tensor(b, name, role, 4, axes);
    size_t n = (size_t)s->shape->heads * rows_by_cols;
    for (int l = 0; out && l < s->shape->layers; l++)
        for (size_t i = 0; i < n; i++)
            out[(size_t)l * n + i] = (float)layers[l][i];
}

static void add_attention(TransformerSession *s, TraceBuilder *b)
{
    int n = s->translation.base.n_steps;
    size_t S = (size_t)s->translation.n_source, T = (size_t)n;
    int32_t layer = index_axis(b, "layer", s->shape->layers);
    int32_t head = index_axis(b, "head", s->shape->heads);
    const int32_t encoder[4] = {layer, head, 0, 0};
    add_layers(s, b, "encoder.weights", TRACE_WEIGHTS, s->encoder_weights.layer, encoder, S * S);
    if (n == 0)
        return;
    const int32_t cross_axes[4] = {layer, head, 1, 0};
    const int32_t self_axes[4] = {layer, head, 1, prefix_axis(s, b)};
    TransformerWeights self = {{0}, {0}}, cross = {{0}, {0}};
    decode_prefix(s, n, true, &self, &cross);
    add_layers(s, b, "cross.weights", TRACE_WEIGHTS, cross.layer, cross_axes, T * S);
    add_layers(s, b, "cross.scores", TRACE_SCORES, cross.scores, cross_axes, T * S);
    add_layers(s, b, "decoder.weights", TRACE_WEIGHTS, self.layer, self_axes, T * T);
    const int32_t mean_axes[2] = {1, 0};
    float *mean = trace_new_tensor(b, "attention.weights", TRACE_WEIGHTS, 2, mean_axes);
    for (int t = 0; mean && t < n; t++)
        mean_cross(s, &cross, n, t, mean + (size_t)t * S);
}

static const Trace *transformer_trace(Session *session, Error *error)
{
    TransformerSession *s = (TransformerSession *)session;
    TraceBuilder *b = translation_trace_begin(&s->translation);
    trace_set_attribute(b, "attention", "multi-head");
    trace_add_note(b, "attention.weights is the mean of cross.weights over layers and heads");
    add_attention(s, b);
    for (int i = 0; i < session->n_steps; i++) {
        TraceStep step = translation_trace_step(&s->translation, i);
        trace_add_step(b, &step);
    }
    return trace_seal(b, error);
}

static const SessionType transformer_session = {
    transformer_step,
    transformer_rewind,
    transformer_trace,
    transformer_session_free,
};
