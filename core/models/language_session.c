/* Stepping through a text word by word, and writing on where it ends. Every step decides one
 * token (the begin mark, a piece of the text, then the model's own) and reads it: its row of
 * weights looks back at the tokens before it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention.h"
#include "base/memory.h"
#include "math/kernels.h"
#include "models/language_model.h"
#include "models/session_tools.h"

typedef struct StepRecord {
    int token;
    TraceSpan span; /* in the text that is given; written ones are placed later */
    bool forced;
    double probability;
    TopCandidates candidates;
    float *scores, *weights, *own_weights; /* [step] or NULL; own: before a person's */
    StepScalars scalars;
    Random random_before;
} StepRecord;

typedef struct LanguageSession {
    Session base;
    const LanguageModel *model;
    const LanguageShape *shape;
    RunOptions options;
    char *text;
    TokenList tokens;      /* of the text */
    unsigned char *hidden; /* [max_steps] or NULL */
    int max_steps;
    Random random;
    Arena *arena;
    Tape *tape; /* reset at every step */
    StepRecord *records;
    size_t capacity;
    Real *states, *reads, *keys; /* [max_steps] rows of 2d, 2d, a */
} LanguageSession;

static const SessionType language_session;

/* ---- beginning ---- */

static bool check_options(LanguageSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    if (o->temperature < 0 || !isfinite(o->temperature))
        return error_set(error, ERROR_INPUT, "temperature %g: a positive number was expected",
                         o->temperature);
    if (o->beam > 1 || o->force)
        return error_set(error, ERROR_INPUT,
                         "%s reads its text: it takes no beam and no other text to write",
                         model_name(s->base.model));
    if (o->max_steps < 0 || o->max_steps > LANGUAGE_MAX_PIECES)
        return error_set(error, ERROR_INPUT, "%d steps: expected 1 to %d", o->max_steps,
                         LANGUAGE_MAX_PIECES);
    return true;
}

static bool hide(LanguageSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    if (o->n_hidden == 0)
        return true;
    s->hidden = arena_get_zeroed(s->arena, (size_t)s->max_steps, 1);
    for (int i = 0; i < o->n_hidden; i++) {
        if (o->hidden[i] < 0 || o->hidden[i] >= s->max_steps)
            return error_set(error, ERROR_INPUT, "word %d cannot be hidden: there are %d",
                             o->hidden[i] + 1, s->max_steps);
        s->hidden[o->hidden[i]] = 1;
    }
    return true;
}

static bool begin(LanguageSession *s, const RunInput *input, Error *error)
{
    if (!input->text)
        return error_set(error, ERROR_INPUT, "a text was expected");
    if (!check_options(s, error))
        return false;
    tokenizer_encode(s->model->tokenizer, s->text, strlen(s->text), &s->tokens);
    if (s->tokens.n + 2 > LANGUAGE_MAX_PIECES)
        return error_set(error, ERROR_LIMIT, "the input has %zu pieces; the limit is %d",
                         s->tokens.n, LANGUAGE_MAX_PIECES - 2);
    s->max_steps = s->options.max_steps > 0 ? s->options.max_steps : (int)s->tokens.n + 2;
    size_t n = (size_t)s->max_steps, wide = 2 * (size_t)s->shape->hidden;
    s->states = arena_get(s->arena, n * wide, sizeof *s->states);
    s->reads = arena_get_zeroed(s->arena, n * wide, sizeof *s->reads);
    s->keys = arena_get(s->arena, n * (size_t)s->shape->attention_hidden, sizeof *s->keys);
    return hide(s, error);
}

Session *language_session_begin(const Model *model, const RunInput *input,
                                const RunOptions *options, Error *error)
{
    LanguageSession *s = memory_new(1, sizeof *s);
    s->base.type = &language_session;
    s->base.model = model_retain(model);
    s->model = model->network;
    s->shape = language_get_shape(s->model->net);
    s->options = *options;
    s->text = memory_copy_string(input->text ? input->text : "");
    s->random = random_seed(options->seed, RANDOM_SAMPLE);
    s->arena = arena_new();
    s->tape = tape_new_inference(model->params);
    if (begin(s, input, error))
        return &s->base;
    session_free(&s->base);
    return NULL;
}

static void language_session_free(Session *session)
{
    LanguageSession *s = (LanguageSession *)session;
    tape_free(s->tape);
    arena_free(s->arena);
    token_list_free(&s->tokens);
    free(s->records);
    free(s->text);
}

/* ---- one step ---- */

static bool resolve_token(const LanguageSession *s, const StepChoice *choice, int *token,
                          Error *error)
{
    const Tokenizer *t = s->model->tokenizer;
    *token = choice->token;
    if (choice->word) {
        *token = piece_find(t, choice->word);
        if (*token < 0)
            return error_set(error, ERROR_INPUT, "\"%s\" is not a piece that this model can read",
                             choice->word);
    }
    if (*token >= tokenizer_n_pieces(t))
        return error_set(error, ERROR_INPUT, "token %d: the vocabulary has %d", *token,
                         tokenizer_n_pieces(t));
    if (*token >= 0 && s->base.n_steps == 0)
        return error_set(error, ERROR_INPUT, "the first token is the begin mark");
    return true;
}

static bool check_choice(const LanguageSession *s, const StepChoice *choice, Error *error)
{
    if (choice->selected >= 0 || choice->moves_window || choice->window > 0 || choice->n_flips > 0)
        return error_set(error, ERROR_INPUT,
                         "%s takes tokens and weights, no positions, windows or selections",
                         model_name(s->base.model));
    if (choice->n_weights == 0)
        return true;
    if (s->shape->kind == LANGUAGE_NONE)
        return error_set(error, ERROR_INPUT, "%s has no attention whose weights could be replaced",
                         model_name(s->base.model));
    return choice->n_weights == s->base.n_steps ||
           error_set(error, ERROR_INPUT, "%d weights for the %d tokens before this one",
                     choice->n_weights, s->base.n_steps);
}

/* What the model expects after the tokens so far. */
static const Var *expect(LanguageSession *s)
{
    size_t wide = 2 * (size_t)s->shape->hidden;
    Real *h = s->states + (size_t)(s->base.n_steps - 1) * wide;
    return language_logits(s->model->net, s->tape, tape_borrow(s->tape, 1, s->shape->hidden, h), 0,
                           NULL);
}

static int draw(LanguageSession *s, const Var *logits)
{
    size_t n = (size_t)logits->cols;
    Real *p = arena_get(s->arena, n, sizeof *p);
    Real sum = kernels()->exp_sum(n, logits->value, kernels()->max(n, logits->value), p);
    return align_sample(p, logits->cols, random_uniform(&s->random) * (double)sum);
}

/* Which token comes, and how likely it was. */
static void decide(LanguageSession *s, int token, StepRecord *r)
{
    int step = s->base.n_steps;
    r->forced = token >= 0;
    if (step == 0) {
        r->token = TOKENIZER_BEGIN;
        r->probability = 1;
        return;
    }
    const Tokenizer *t = s->model->tokenizer;
    const Var *logits = expect(s);
    r->candidates = top_candidates(s->arena, logits->value, logits->cols);
    for (int i = 0; i < r->candidates.n; i++)
        r->candidates.item[i].token = tokenizer_piece(t, r->candidates.item[i].id);
    if ((size_t)step <= s->tokens.n) {
        const Token *given = &s->tokens.items[step - 1];
        r->span = (TraceSpan){given->begin, given->end};
        token = token >= 0 ? token : given->id;
    }
    if (token < 0)
        token = s->options.sample ? draw(s, logits) : r->candidates.item[0].id;
    r->token = token;
    r->probability = softmax_probability(logits->value, logits->cols, token);
}

static float *keep_row(LanguageSession *s, const Real *x, int n)
{
    float *copy = arena_get(s->arena, (size_t)n, sizeof *copy);
    for (int i = 0; i < n; i++)
        copy[i] = (float)x[i];
    return copy;
}

static void keep_scalars(const LanguageSession *s, const LstmnStep *step, StepRecord *r)
{
    static const char *const gates[] = {"gate.input", "gate.forget", "gate.output"};
    int d = s->shape->hidden, n = s->base.n_steps;
    if (r->weights && n > 0) {
        scalars_add_attention(&r->scalars, r->weights, n);
        double back = 0;
        for (int k = 0; k < n; k++)
            back += (double)r->weights[k] * (n - k);
        scalars_add(&r->scalars, "distance", back);
    }
    scalars_add(&r->scalars, "state.norm", vector_norm(step->state, d));
    for (int i = 0; i < 3; i++)
        scalars_add(&r->scalars, gates[i], vector_mean(step->gates + i * d, d));
}

/* Tokens before this step that may be seen; NULL: all. */
static unsigned char *seen_tokens(LanguageSession *s)
{
    size_t n = (size_t)s->base.n_steps;
    unsigned char *keep = s->hidden ? arena_get(s->arena, n + 1, 1) : NULL;
    for (size_t k = 0; keep && k < n; k++)
        keep[k] = !s->hidden[k];
    return keep;
}

/* Reads the decided token: its weights, state and key. */
static void read_token(LanguageSession *s, const Real *weights, StepRecord *r)
{
    int n = s->base.n_steps;
    size_t wide = 2 * (size_t)s->shape->hidden, a = (size_t)s->shape->attention_hidden;
    size_t row = (size_t)n;
    const LstmnMemory memory = {n, s->states, s->keys, s->reads + (n > 0 ? row - 1 : 0) * wide};
    const unsigned char *keep = seen_tokens(s);
    Var *x = language_embed(s->model->net, s->tape, 1, &r->token, 0, NULL);
    Real temperature = s->options.temperature > 0 ? (Real)s->options.temperature : 1;
    LstmnStep step = language_step(s->model->net, s->tape, x, &memory, keep, temperature, NULL);
    if (weights) {
        r->own_weights = keep_row(s, step.attention, n);
        step = language_step(s->model->net, s->tape, x, &memory, keep, temperature, weights);
    }
    memcpy(s->states + row * wide, step.state, wide * sizeof *step.state);
    if (s->shape->kind == LANGUAGE_INTRA) {
        memcpy(s->reads + row * wide, step.read, wide * sizeof *step.read);
        memcpy(s->keys + row * a, step.key, a * sizeof *step.key);
        r->scores = keep_row(s, step.scores, n);
        r->weights = keep_row(s, step.attention, n);
    }
    keep_scalars(s, &step, r);
}

static bool language_session_step(Session *session, const StepChoice *choice, Error *error)
{
    LanguageSession *s = (LanguageSession *)session;
    int token;
    Real *weights = NULL;
    if (!resolve_token(s, choice, &token, error) || !check_choice(s, choice, error) ||
        !weights_take_seen(s->arena, choice, seen_tokens(s), &weights, error))
        return false;
    s->records =
        memory_grow(s->records, &s->capacity, (size_t)session->n_steps + 1, sizeof *s->records);
    StepRecord *r = &s->records[session->n_steps];
    *r = (StepRecord){.random_before = s->random};
    tape_reset(s->tape);
    decide(s, token, r);
    bool ends = r->token == TOKENIZER_END && session->n_steps > 0;
    read_token(s, weights, r);
    session->n_steps++;
    session->is_done = ends || session->n_steps >= s->max_steps;
    return true;
}

static void language_session_rewind(Session *session, int step)
{
    LanguageSession *s = (LanguageSession *)session;
    if (step < session->n_steps) {
        s->random = s->records[step].random_before;
        session->is_done = false;
    }
    session->n_steps = step;
}

/* ---- trace ---- */

/* The text as far as it goes, then what was written after it, with the spans of both. */
static char *output_text(const LanguageSession *s, TraceSpan *spans)
{
    int n = s->base.n_steps, given = (int)s->tokens.n + 1;
    StrBuf text = {0}, written = {0};
    strbuf_add(&text, s->text);
    for (int i = 0; i < n && i < given; i++)
        spans[i] = s->records[i].span;
    if (n <= given)
        return strbuf_take(&text);
    /* The last given piece goes along, so that the joint is spaced as it must be. */
    int32_t *ids = memory_new((size_t)(n - given) + 1, sizeof *ids);
    for (int i = given - 1; i < n; i++)
        ids[i - given + 1] = s->records[i].token;
    TokenList places = {0};
    tokenizer_decode(s->model->tokenizer, ids, (size_t)(n - given) + 1, 0, &written, &places);
    int32_t joint = places.items[0].end, base = (int32_t)strlen(s->text) - joint;
    if (written.text)
        strbuf_add(&text, written.text + joint);
    for (int i = given; i < n; i++) {
        const Token *place = &places.items[i - given + 1];
        spans[i] = (TraceSpan){base + place->begin, base + place->end};
    }
    token_list_free(&places);
    strbuf_free(&written);
    free(ids);
    return strbuf_take(&text);
}

static void add_token_axis(const LanguageSession *s, TraceBuilder *b)
{
    const Tokenizer *t = s->model->tokenizer;
    int n = s->base.n_steps;
    TokenAxis axis = token_axis_new(n);
    char *output = output_text(s, axis.spans);
    for (int i = 0; i < n; i++) {
        const StepRecord *r = &s->records[i];
        axis.labels[i] = tokenizer_piece(t, r->token);
        axis.flags[i] =
            (uint8_t)((r->token < TOKENIZER_N_SPECIAL ? TRACE_TOKEN_SPECIAL : 0) |
                      (r->forced ? TRACE_TOKEN_FORCED : 0) |
                      (i > 1 && !tokenizer_starts_word(t, r->token) ? TRACE_TOKEN_CONTINUES : 0) |
                      (s->hidden && s->hidden[i] ? TRACE_TOKEN_HIDDEN : 0));
    }
    trace_set_text(b, "output", output);
    token_axis_add(&axis, b, "token", "output");
    free(output);
}

static void add_rows(const LanguageSession *s, TraceBuilder *b, const char *name, TraceRole role,
                     size_t member, float beyond)
{
    static const int32_t axes[2] = {0, 0};
    size_t n = (size_t)s->base.n_steps;
    float *out = trace_new_tensor(b, name, role, 2, axes);
    for (size_t i = 0; out && i < n; i++) {
        const float *row = *(float **)((char *)&s->records[i] + member);
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = j < i ? row[j] : beyond;
    }
}

static void add_attention(LanguageSession *s, TraceBuilder *b)
{
    int n = s->base.n_steps;
    if (n == 0 || s->shape->kind == LANGUAGE_NONE)
        return;
    add_rows(s, b, "attention.weights", TRACE_WEIGHTS, offsetof(StepRecord, weights), 0);
    add_rows(s, b, "attention.scores", TRACE_SCORES, offsetof(StepRecord, scores), NAN);
    bool changed = false;
    for (int i = 0; i < n; i++)
        changed = changed || s->records[i].own_weights;
    if (!changed)
        return;
    for (int i = 0; i < n; i++)
        if (!s->records[i].own_weights)
            s->records[i].own_weights = s->records[i].weights;
    add_rows(s, b, "attention.own_weights", TRACE_WEIGHTS, offsetof(StepRecord, own_weights), 0);
}

static double add_steps(const LanguageSession *s, TraceBuilder *b)
{
    double total = 0;
    for (int i = 0; i < s->base.n_steps; i++) {
        const StepRecord *r = &s->records[i];
        total += log(r->probability);
        const TraceStep step = {
            .token = tokenizer_piece(s->model->tokenizer, r->token),
            .id = r->token,
            .probability = r->probability,
            .forced = r->forced,
            .n_candidates = r->candidates.n,
            .candidates = r->candidates.item,
            .n_scalars = r->scalars.n,
            .scalars = r->scalars.item,
        };
        trace_add_step(b, &step);
    }
    return total;
}

static void add_changes(const LanguageSession *s, TraceBuilder *b)
{
    for (int i = 0; i < s->base.n_steps; i++) {
        const StepRecord *r = &s->records[i];
        const char *piece = tokenizer_piece(s->model->tokenizer, r->token);
        if (s->hidden && s->hidden[i])
            trace_add_hidden(b, piece, strlen(piece));
        if (r->forced)
            trace_add_change(b, &(TraceChange){i, "token", "the word was given"});
        if (r->own_weights && r->own_weights != r->weights)
            trace_add_change(b, &(TraceChange){i, "weights", "the weights were painted"});
    }
}

static const Trace *language_session_trace(Session *session, Error *error)
{
    LanguageSession *s = (LanguageSession *)session;
    TraceBuilder *b = trace_builder_new();
    trace_set_text(b, "input", s->text);
    trace_add_model_attributes(b, session->model, &s->options);
    trace_set_attribute(b, "attention", "%s", model_attention(session->model));
    add_token_axis(s, b);
    add_attention(s, b);
    trace_set_score(b, add_steps(s, b));
    add_changes(s, b);
    return trace_seal(b, error);
}

static const SessionType language_session = {
    language_session_step,
    language_session_rewind,
    language_session_trace,
    language_session_free,
};
