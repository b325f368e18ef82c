/* Stepping through a translation: one target token a step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/kernels.h"
#include "models/seq2seq_model.h"
#include "models/session_tools.h"

/* What a step leaves behind; arrays in the session's arena. */
typedef struct StepRecord {
    Real *state;                                     /* after the step */
    Real *attentional;                               /* or NULL        */
    float *scores, *aligned, *weights, *own_weights; /* [S] or NULL; own: before a person's */
    int chosen;                                      /* hard position, or -1 */
    double draw;                                     /* the uniform number that chose it, or NaN */
    bool has_window;
    TraceWindow window;
    int token;
    double probability;
    bool forced;
    TopCandidates candidates;
    StepScalars scalars;
    Random random_before; /* to go back to */
} StepRecord;

typedef struct TranslationSession {
    Session base;
    const Translator *translator;
    RunOptions options;
    char *text;
    TokenList tokens;    /* of the source */
    int n_source;        /* S             */
    unsigned char *keep; /* [S] or NULL   */
    int *forced;         /* target ids, end mark included; NULL */
    int n_forced;
    int max_steps;
    Random random;
    Tape *encoder; /* lives as long as the session */
    Tape *step;    /* reset at every step          */
    Arena *arena;
    Ragged batch;
    Seq2SeqSource source;
    StepRecord *records;
    size_t capacity;
    BeamResult beam; /* nodes of the search, or none */
} TranslationSession;

static const SessionType translation_session;

/* ---- beginning ---- */

static bool encode_source(TranslationSession *s, const char *text, Error *error)
{
    const Translator *t = s->translator;
    tokenizer_encode(t->source, text, strlen(text), &s->tokens);
    if (s->tokens.n == 0)
        return error_set(error, ERROR_INPUT, "there is no word to translate in the input");
    int n = s->n_source = (int)s->tokens.n;
    int *ids = arena_get(s->arena, (size_t)n, sizeof *ids);
    for (int i = 0; i < n; i++)
        ids[i] = s->tokens.items[i].id;
    s->batch = ragged_new(s->arena, RAGGED_STEP_MAJOR, 1, &n);
    s->source = seq2seq_encode(t->net, s->encoder, &s->batch, ids, NULL);
    return true;
}

static bool hide_items(TranslationSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    if (o->n_hidden == 0)
        return true;
    s->keep = arena_get(s->arena, (size_t)s->n_source, 1);
    memset(s->keep, 1, (size_t)s->n_source);
    for (int i = 0; i < o->n_hidden; i++) {
        if (o->hidden[i] < 0 || o->hidden[i] >= s->n_source)
            return error_set(error, ERROR_INPUT, "word %d cannot be hidden: there are %d",
                             o->hidden[i] + 1, s->n_source);
        s->keep[o->hidden[i]] = 0;
    }
    return true;
}

static Seq2SeqControl control_for(const TranslationSession *s, int step)
{
    const RunOptions *o = &s->options;
    return (Seq2SeqControl){
        .step = step,
        .temperature = o->temperature > 0 ? (Real)o->temperature : 1,
        .keep = s->keep,
        .window = o->window,
        .renormalises = o->renormalise,
    };
}

static void force_target(TranslationSession *s, const int *ids, int n, bool add_end)
{
    s->n_forced = n + (add_end ? 1 : 0);
    s->forced = arena_get(s->arena, (size_t)s->n_forced, sizeof *s->forced);
    memcpy(s->forced, ids, (size_t)n * sizeof *ids);
    if (add_end)
        s->forced[n] = TOKENIZER_END;
}

static void force_text(TranslationSession *s, const char *text)
{
    TokenList tokens = {0};
    tokenizer_encode(s->translator->target, text, strlen(text), &tokens);
    int *ids = arena_get(s->arena, tokens.n + 1, sizeof *ids);
    for (size_t i = 0; i < tokens.n; i++)
        ids[i] = tokens.items[i].id;
    force_target(s, ids, (int)tokens.n, true);
    token_list_free(&tokens);
}

/* The search runs to its end at once; its best hypothesis is then stepped through like a
 * forced target, so every step has its weights and candidates. */
static bool search(TranslationSession *s, Error *error)
{
    Seq2SeqControl control = control_for(s, 0);
    BeamSpec spec = {
        .width = s->options.beam,
        .length_penalty = s->options.length_penalty,
        .max_steps = s->max_steps,
        .stop = s->options.stop,
    };
    if (s->forced) {
        spec.n_prefix = s->n_forced - 1; /* a forced text is a prefix here */
        spec.prefix = s->forced;
    }
    if (!seq2seq_beam(s->translator->net, s->base.model->params, &s->source, &control, &spec,
                      &s->beam, error))
        return false;
    force_target(s, s->beam.tokens, s->beam.n_tokens, false);
    return true;
}

static bool check_options(const RunOptions *o, const Model *model, Error *error)
{
    if (o->temperature < 0 || !isfinite(o->temperature))
        return error_set(error, ERROR_INPUT, "temperature %g: a positive number was expected",
                         o->temperature);
    if (o->beam < 0 || o->beam > RUN_MAX_BEAM)
        return error_set(error, ERROR_INPUT, "beam %d: expected 1 to %d", o->beam, RUN_MAX_BEAM);
    const Seq2SeqShape *shape = seq2seq_get_shape(((const Translator *)model->network)->net);
    if (o->beam > shape->target_vocabulary)
        return error_set(error, ERROR_INPUT, "a beam of %d is wider than the vocabulary of %d",
                         o->beam, shape->target_vocabulary);
    return true;
}

static bool begin(TranslationSession *s, const Input *input, Error *error)
{
    const Model *model = s->base.model;
    if (!input->text || !check_options(&s->options, model, error))
        return input->text ? false : error_set(error, ERROR_INPUT, "a text was expected");
    if (!encode_source(s, input->text, error) || !hide_items(s, error))
        return false;
    s->max_steps = s->options.max_steps > 0 ? s->options.max_steps : 2 * s->n_source + 10;
    if (s->options.force)
        force_text(s, s->options.force);
    return s->options.beam <= 1 || search(s, error);
}

Session *seq2seq_session_begin(const Model *model, const Input *input, const RunOptions *options,
                               Error *error)
{
    TranslationSession *s = memory_new(1, sizeof *s);
    s->base.type = &translation_session;
    s->base.model = model_retain(model);
    s->translator = model->network;
    s->options = *options;
    s->text = memory_copy_string(input->text ? input->text : "");
    s->random = random_seed(options->seed, RANDOM_SAMPLE);
    s->encoder = tape_new_inference(model->params);
    s->step = tape_new_inference(model->params);
    s->arena = arena_new();
    if (begin(s, input, error))
        return &s->base;
    session_free(&s->base);
    return NULL;
}

static void translation_free(Session *session)
{
    TranslationSession *s = (TranslationSession *)session;
    tape_free(s->encoder);
    tape_free(s->step);
    arena_free(s->arena);
    token_list_free(&s->tokens);
    beam_result_free(&s->beam);
    free(s->records);
    free(s->text);
}

/* ---- one step ---- */

static bool resolve_token(const TranslationSession *s, const StepChoice *choice, int *token,
                          Error *error)
{
    const Tokenizer *t = s->translator->target;
    *token = choice->token;
    if (choice->word) {
        *token = piece_find(t, choice->word);
        if (*token < 0)
            return error_set(error, ERROR_INPUT, "\"%s\" is not a piece that this model can write",
                             choice->word);
    }
    if (*token >= tokenizer_n_pieces(t))
        return error_set(error, ERROR_INPUT, "token %d: the vocabulary has %d", *token,
                         tokenizer_n_pieces(t));
    return true;
}

/* A person's weights, made to sum to one. */
static bool prepare_weights(TranslationSession *s, const StepChoice *choice, Real **weights,
                            Error *error)
{
    *weights = NULL;
    if (choice->n_weights == 0)
        return true;
    if (choice->n_weights != s->n_source)
        return error_set(error, ERROR_INPUT, "%d weights for %d source pieces", choice->n_weights,
                         s->n_source);
    double sum = 0;
    for (int i = 0; i < choice->n_weights; i++) {
        if (!(choice->weights[i] >= 0) || !isfinite(choice->weights[i]))
            return error_set(error, ERROR_INPUT, "weight %d is %g: none may be negative", i + 1,
                             (double)choice->weights[i]);
        sum += (double)choice->weights[i];
    }
    if (sum == 0)
        return error_set(error, ERROR_INPUT,
                         "all weights of the row are zero: one must be positive");
    *weights = arena_get(s->arena, (size_t)s->n_source, sizeof **weights);
    for (int i = 0; i < s->n_source; i++)
        (*weights)[i] = (Real)((double)choice->weights[i] / sum);
    return true;
}

static float *keep_row(TranslationSession *s, const Var *x)
{
    if (!x)
        return NULL;
    float *copy = arena_get(s->arena, (size_t)x->cols, sizeof *copy);
    for (int i = 0; i < x->cols; i++)
        copy[i] = (float)x->value[i];
    return copy;
}

static Real *keep_state(TranslationSession *s, const Var *x)
{
    if (!x)
        return NULL;
    Real *copy = arena_get(s->arena, var_size(x), sizeof *copy);
    return memcpy(copy, x->value, var_size(x) * sizeof *copy);
}

/* Positions that were not scored hold NaN, which is shown as "not computed". */
static void mark_unscored(float *scores, const Span *span, const unsigned char *keep, int n)
{
    for (int j = 0; j < n; j++)
        if ((span && (j < span->low || j >= span->high)) || (keep && !keep[j]))
            scores[j] = NAN;
}

static void keep_attention(TranslationSession *s, const Seq2SeqStep *step, StepRecord *r,
                           int window)
{
    r->chosen = step->chosen ? step->chosen[0] : -1;
    if (!step->scores)
        return;
    r->scores = keep_row(s, step->scores);
    mark_unscored(r->scores, step->spans, s->keep, s->n_source);
    r->aligned = keep_row(s, step->aligned);
    r->weights = keep_row(s, step->weights);
    const Seq2SeqShape *shape = seq2seq_get_shape(s->translator->net);
    if (!step->spans || shape->score == SCORE_LOCATION)
        return;
    r->has_window = true;
    r->window = (TraceWindow){
        .centre = step->centre ? (double)step->centre->value[0]
                               : (step->spans[0].low + step->spans[0].high - 1) / 2.0,
        .low = step->spans[0].low,
        .high = step->spans[0].high - 1,
        .sigma = step->centre ? window / 2.0 : 0,
    };
}

static void keep_scalars(TranslationSession *s, const Seq2SeqStep *step, StepRecord *r)
{
    const Seq2SeqShape *shape = seq2seq_get_shape(s->translator->net);
    StepScalars *out = &r->scalars;
    if (r->weights) {
        scalars_add_attention(out, r->aligned, s->n_source);
        if (r->has_window) {
            scalars_add(out, "positions.scored", r->window.high - r->window.low + 1);
            double mass = 0;
            for (int j = 0; j < s->n_source; j++)
                mass += (double)r->weights[j];
            scalars_add(out, "weight.sum", mass);
        }
    }
    if (r->chosen >= 0) {
        scalars_add(out, "log_choice", log((double)r->aligned[r->chosen]));
        scalars_add(out, "draw", r->draw);
    }
    if (step->context)
        scalars_add(out, "context.norm", vector_norm(step->context->value, step->context->cols));
    scalars_add(out, "state.norm", vector_norm(step->output->value, step->output->cols));
    static const char *const gru[] = {"gate.reset", "gate.update"};
    static const char *const lstm[] = {"gate.input", "gate.forget", "gate.output"};
    int n = shape->is_lstm ? 3 : 2;
    for (int i = 0; i < n; i++)
        scalars_add(out, shape->is_lstm ? lstm[i] : gru[i],
                    vector_mean(step->gates + i * shape->hidden, shape->hidden));
}

static Seq2SeqState previous_state(TranslationSession *s)
{
    if (s->base.n_steps == 0)
        return (Seq2SeqState){s->source.first_state, NULL};
    const StepRecord *r = &s->records[s->base.n_steps - 1];
    const Seq2SeqShape *shape = seq2seq_get_shape(s->translator->net);
    int width = s->source.first_state->cols;
    return (Seq2SeqState){
        tape_borrow(s->step, 1, width, r->state),
        r->attentional ? tape_borrow(s->step, 1, shape->embedding, r->attentional) : NULL,
    };
}

/* Which token is written, and what else could have been. */
static void decide(TranslationSession *s, const Var *logits, int token, StepRecord *r)
{
    const Tokenizer *t = s->translator->target;
    int n = s->base.n_steps;
    r->forced = token >= 0;
    if (token < 0 && s->forced && n < s->n_forced) {
        token = s->forced[n];
        r->forced = s->options.force != NULL;
    }
    r->candidates = top_candidates(s->arena, logits->value, logits->cols);
    if (token < 0)
        token = r->candidates.item[0].id;
    r->token = token;
    r->probability = softmax_probability(logits->value, logits->cols, token);
    for (int i = 0; i < r->candidates.n; i++)
        r->candidates.item[i].token = tokenizer_piece(t, r->candidates.item[i].id);
}

static void run_step(TranslationSession *s, const StepChoice *choice, int token, Real *weights,
                     StepRecord *r)
{
    const Seq2Seq *net = s->translator->net;
    tape_reset(s->step);
    int last = s->base.n_steps > 0 ? s->records[s->base.n_steps - 1].token : TOKENIZER_BEGIN;
    Var *embedded = seq2seq_embed_target(net, s->step, 1, &last, NULL);
    Seq2SeqState state = previous_state(s);
    Seq2SeqControl control = control_for(s, s->base.n_steps);
    r->draw = s->options.sample ? random_uniform(&s->random) : NAN;
    control.hard = s->options.sample ? CHOOSE_SAMPLE : CHOOSE_ARGMAX;
    control.hard_draws = &r->draw;
    control.hard_position = &choice->selected;
    if (choice->moves_window)
        control.centre = &choice->centre;
    if (choice->window > 0)
        control.window = choice->window;
    Var *projected = seq2seq_project_target(net, s->step, embedded);
    Seq2SeqStep step = seq2seq_step(net, s->step, &s->source, projected, &state, &control);
    if (weights) {
        r->own_weights = keep_row(s, step.weights);
        control.weights = weights;
        step = seq2seq_step(net, s->step, &s->source, projected, &state, &control);
    }
    Var *readout = step.next.attentional
                       ? step.next.attentional
                       : seq2seq_readout(net, s->step, step.output, step.context, embedded);
    decide(s, seq2seq_logits(net, s->step, readout, NULL), token, r);
    r->state = keep_state(s, step.next.state);
    r->attentional = keep_state(s, step.next.attentional);
    int window = control.window > 0 ? control.window : seq2seq_get_shape(net)->window;
    keep_attention(s, &step, r, window);
    keep_scalars(s, &step, r);
}

static bool translation_step(Session *session, const StepChoice *choice, Error *error)
{
    TranslationSession *s = (TranslationSession *)session;
    int token;
    Real *weights;
    if (!resolve_token(s, choice, &token, error) || !prepare_weights(s, choice, &weights, error))
        return false;
    if (choice->selected >= s->n_source)
        return error_set(error, ERROR_INPUT, "position %d: the source has %d pieces",
                         choice->selected + 1, s->n_source);
    s->records =
        memory_grow(s->records, &s->capacity, (size_t)session->n_steps + 1, sizeof *s->records);
    StepRecord *r = &s->records[session->n_steps];
    *r = (StepRecord){.random_before = s->random};
    run_step(s, choice, token, weights, r);
    session->n_steps++;
    session->is_done = r->token == TOKENIZER_END || session->n_steps >= s->max_steps;
    return true;
}

static void translation_rewind(Session *session, int step)
{
    TranslationSession *s = (TranslationSession *)session;
    if (step < session->n_steps)
        s->random = s->records[step].random_before;
    session->n_steps = step;
    session->is_done = false;
}

/* ---- trace ---- */

static void add_source_axis(const TranslationSession *s, TraceBuilder *b)
{
    TokenAxis axis = token_axis_new(s->n_source);
    for (int i = 0; i < s->n_source; i++)
        token_axis_set(&axis, i, &s->tokens.items[i],
                       tokenizer_piece(s->translator->source, s->tokens.items[i].id));
    token_axis_add(&axis, b, "source", "input");
}

static void add_target_axis(const TranslationSession *s, TraceBuilder *b)
{
    const Tokenizer *t = s->translator->target;
    int n = s->base.n_steps;
    TokenAxis axis = token_axis_new(n);
    for (int i = 0; i < n; i++) {
        const StepRecord *r = &s->records[i];
        axis.labels[i] = tokenizer_piece(t, r->token);
        axis.flags[i] =
            (uint8_t)((r->token < TOKENIZER_N_SPECIAL ? TRACE_TOKEN_SPECIAL : 0) |
                      (r->forced ? TRACE_TOKEN_FORCED : 0) |
                      (i > 0 && !tokenizer_starts_word(t, r->token) ? TRACE_TOKEN_CONTINUES : 0));
    }
    token_axis_add(&axis, b, "target", NULL);
}

static void add_rows(const TranslationSession *s, TraceBuilder *b, const char *name, TraceRole role,
                     size_t member)
{
    const int32_t axes[2] = {1, 0}; /* target, source */
    float *out = trace_new_tensor(b, name, role, 2, axes);
    for (int i = 0; out && i < s->base.n_steps; i++) {
        float *row = *(float **)((char *)&s->records[i] + member);
        memcpy(out + (size_t)i * (size_t)s->n_source, row, (size_t)s->n_source * sizeof *out);
    }
}

static void add_attention(TranslationSession *s, TraceBuilder *b)
{
    int n = s->base.n_steps;
    const Seq2SeqShape *shape = seq2seq_get_shape(s->translator->net);
    if (n == 0 || shape->score == SCORE_NONE)
        return;
    bool changed = false;
    for (int i = 0; i < n; i++)
        changed = changed || s->records[i].own_weights;
    add_rows(s, b, "attention.weights", TRACE_WEIGHTS, offsetof(StepRecord, weights));
    add_rows(s, b, "attention.scores", TRACE_SCORES, offsetof(StepRecord, scores));
    if (shape->alignment == ALIGNMENT_LOCAL_P || shape->alignment == ALIGNMENT_HARD)
        add_rows(s, b, "attention.softmax", TRACE_WEIGHTS, offsetof(StepRecord, aligned));
    if (!changed)
        return;
    for (int i = 0; i < n; i++)
        if (!s->records[i].own_weights)
            s->records[i].own_weights = s->records[i].weights;
    add_rows(s, b, "attention.own_weights", TRACE_WEIGHTS, offsetof(StepRecord, own_weights));
}

static void add_steps(const TranslationSession *s, TraceBuilder *b)
{
    for (int i = 0; i < s->base.n_steps; i++) {
        const StepRecord *r = &s->records[i];
        TraceStep step = {
            .token = tokenizer_piece(s->translator->target, r->token),
            .id = r->token,
            .probability = r->probability,
            .forced = r->forced,
            .n_candidates = r->candidates.n,
            .candidates = r->candidates.item,
            .n_scalars = r->scalars.n,
            .scalars = r->scalars.item,
            .window = r->has_window ? &r->window : NULL,
            .n_selected = r->chosen >= 0,
            .selected = &r->chosen,
        };
        trace_add_step(b, &step);
    }
}

static void add_beam(const TranslationSession *s, TraceBuilder *b)
{
    for (int i = 0; i < s->beam.n_nodes; i++) {
        const BeamNode *n = &s->beam.nodes[i];
        TraceBeamNode node = {
            .parent = n->parent,
            .step = n->step,
            .token = tokenizer_piece(s->translator->target, n->token),
            .id = n->token,
            .log_probability = n->log_probability,
            .score = n->score,
            .state = n->state,
        };
        trace_add_beam_node(b, &node);
    }
}

static void add_output(const TranslationSession *s, TraceBuilder *b)
{
    size_t n = 0;
    double total = 0;
    int32_t *ids = memory_new((size_t)s->base.n_steps + 1, sizeof *ids);
    for (int i = 0; i < s->base.n_steps; i++) {
        total += log(s->records[i].probability);
        if (s->records[i].token != TOKENIZER_END)
            ids[n++] = s->records[i].token;
    }
    StrBuf text = {0};
    tokenizer_decode(s->translator->target, ids, n, translator_typography(s->base.model), &text,
                     NULL);
    trace_set_text(b, "output", text.text ? text.text : "");
    trace_set_score(b, total);
    strbuf_free(&text);
    free(ids);
}

static void add_attributes(const TranslationSession *s, TraceBuilder *b)
{
    const Model *model = s->base.model;
    trace_add_model_attributes(b, model, &s->options);
    static const char *const names[] = {"attention", "align", "query", "cell", "feeding"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        trace_set_attribute(b, names[i], "%s", settings_text(model->settings, names[i]));
}

static const Trace *translation_trace(Session *session, Error *error)
{
    TranslationSession *s = (TranslationSession *)session;
    TraceBuilder *b = trace_builder_new();
    trace_set_text(b, "input", s->text);
    add_attributes(s, b);
    add_output(s, b);
    add_source_axis(s, b);
    add_target_axis(s, b);
    add_attention(s, b);
    add_steps(s, b);
    add_beam(s, b);
    return trace_seal(b, error);
}

static const SessionType translation_session = {
    translation_step,
    translation_rewind,
    translation_trace,
    translation_free,
};
