/* Stepping through a translation by a recurrent network: one target token a step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "models/seq2seq_model.h"
#include "models/seq2seq_saliency.h"
#include "models/translation.h"

/* What a step leaves behind beside its decision; arrays in the session's arena. */
typedef struct StepRecord {
    Real *state;                                     /* after the step */
    Real *attentional;                               /* or NULL        */
    float *scores, *aligned, *weights, *own_weights; /* [S] or NULL; own: before a person's */
    int chosen;                                      /* hard position, or -1 */
    double draw;                                     /* the uniform number that chose it, or NaN */
    bool has_window;
    TraceWindow window;
    StepChoice choice;    /* the person's; its arrays are not kept                      */
    const Real *painted;  /* [S] the person's weights, summing to one, or NULL          */
    Random random_before; /* to go back to */
} StepRecord;

typedef struct RecurrentSession {
    Translation translation;
    const Translator *translator;
    const Seq2SeqShape *shape;
    Random random;
    Tape *encoder; /* lives as long as the session */
    Tape *step;    /* reset at every step          */
    Ragged batch;
    Seq2SeqSource source;
    StepRecord *records;
    size_t capacity;
} RecurrentSession;

/* Words written times words read: a step's gradient goes through the whole source. */
#define SALIENCY_MOST_CELLS 8192

static const SessionType recurrent_session;

/* ---- beginning ---- */

static void encode_source(RecurrentSession *s)
{
    Translation *t = &s->translation;
    int *ids = arena_get(t->arena, (size_t)t->n_source, sizeof *ids);
    for (int i = 0; i < t->n_source; i++)
        ids[i] = t->tokens.items[i].id;
    s->batch = ragged_new(t->arena, RAGGED_STEP_MAJOR, 1, &t->n_source);
    s->source = seq2seq_encode(s->translator->net, s->encoder, &s->batch, ids, NULL);
}

static Seq2SeqControl control_for(const RecurrentSession *s, int step)
{
    const RunOptions *o = &s->translation.options;
    return (Seq2SeqControl){
        .step = step,
        .temperature = o->temperature > 0 ? (Real)o->temperature : 1,
        .keep = s->translation.keep,
        .window = o->window,
        .renormalises = o->renormalise,
    };
}

static void apply_choice(const StepRecord *r, Seq2SeqControl *control)
{
    const StepChoice *choice = &r->choice;
    control->weights = r->painted;
    control->hard_position = &choice->selected;
    if (choice->moves_window)
        control->centre = &choice->centre;
    if (choice->window > 0)
        control->window = choice->window;
}

/* While a search goes over what has been written, each step is as it was. */
static void steer_again(void *context, int step, Seq2SeqControl *control)
{
    const RecurrentSession *s = context;
    if (step < s->translation.base.n_steps)
        apply_choice(&s->records[step], control);
}

/* The search runs to its end at once; its best hypothesis is then stepped through. */
static bool search(RecurrentSession *s, int n_written, Error *error)
{
    const Seq2SeqSearch request = {
        .net = s->translator->net,
        .params = s->translation.base.model->params,
        .source = &s->source,
        .control = control_for(s, 0),
        .steer = steer_again,
        .context = s,
    };
    BeamSpec spec = translation_beam_spec(&s->translation, n_written);
    BeamResult beam;
    if (!seq2seq_beam(&request, &spec, &beam, error))
        return false;
    translation_follow(&s->translation, &beam, n_written);
    return true;
}

/* What steps leave behind: two states, five rows over the source, the candidates. */
static void reserve_steps(RecurrentSession *s)
{
    Translation *t = &s->translation;
    size_t n = (size_t)translation_steps_ahead(t);
    size_t state = (size_t)s->source.first_state->cols + (size_t)s->shape->embedding;
    size_t bytes = (state + 5 * (size_t)t->n_source) * sizeof(Real) +
                   RUN_N_CANDIDATES * sizeof(TraceCandidate) + 9 * MEMORY_ALIGNMENT;
    arena_reserve(t->arena, n * bytes);
    s->records = memory_grow(s->records, &s->capacity, n, sizeof *s->records);
}

Session *seq2seq_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                               Error *error)
{
    RecurrentSession *s = memory_new(1, sizeof *s);
    s->translator = model->network;
    s->shape = seq2seq_get_shape(s->translator->net);
    s->random = random_seed(options->seed, RANDOM_SAMPLE);
    s->encoder = tape_new_inference(model->params);
    s->step = tape_new_inference(model->params);
    bool ok = translation_begin(&s->translation, &recurrent_session, model, input, options, error);
    if (ok) {
        encode_source(s);
        reserve_steps(s);
        ok = options->beam <= 1 || search(s, 0, error);
    }
    if (ok)
        return &s->translation.base;
    session_free(&s->translation.base);
    return NULL;
}

static void recurrent_free(Session *session)
{
    RecurrentSession *s = (RecurrentSession *)session;
    tape_free(s->encoder);
    tape_free(s->step);
    free(s->records);
    translation_end(&s->translation);
}

/* ---- one step ---- */

static float *keep_row(RecurrentSession *s, const Var *x)
{
    if (!x)
        return NULL;
    float *copy = arena_get(s->translation.arena, (size_t)x->cols, sizeof *copy);
    for (int i = 0; i < x->cols; i++)
        copy[i] = (float)x->value[i];
    return copy;
}

static Real *keep_state(RecurrentSession *s, const Var *x)
{
    if (!x)
        return NULL;
    Real *copy = arena_get(s->translation.arena, var_size(x), sizeof *copy);
    return memcpy(copy, x->value, var_size(x) * sizeof *copy);
}

/* Positions that were not scored hold NaN, which is shown as "not computed". */
static void mark_unscored(float *scores, const Span *span, const unsigned char *keep, int n)
{
    for (int j = 0; j < n; j++)
        if ((span && (j < span->low || j >= span->high)) || (keep && !keep[j]))
            scores[j] = NAN;
}

static void keep_attention(RecurrentSession *s, const Seq2SeqStep *step, StepRecord *r, int window)
{
    r->chosen = step->chosen ? step->chosen[0] : -1;
    if (!step->scores)
        return;
    r->scores = keep_row(s, step->scores);
    mark_unscored(r->scores, step->spans, s->translation.keep, s->translation.n_source);
    r->aligned = keep_row(s, step->aligned);
    r->weights = keep_row(s, step->weights);
    if (!step->spans || s->shape->score == SCORE_LOCATION)
        return;
    const Span *span = step->spans;
    r->has_window = true;
    r->window = (TraceWindow){
        .centre =
            step->centre ? (double)step->centre->value[0] : (span->low + span->high - 1) / 2.0,
        .low = span->low,
        .high = span->high - 1,
        .sigma = step->centre ? window / 2.0 : 0,
    };
}

static void add_attention_scalars(const RecurrentSession *s, const StepRecord *r, StepScalars *out)
{
    int n = s->translation.n_source;
    if (r->weights) {
        scalars_add_attention(out, r->aligned, n);
        if (r->has_window) {
            double mass = 0;
            for (int j = 0; j < n; j++)
                mass += (double)r->weights[j];
            scalars_add(out, "positions.scored", r->window.high - r->window.low + 1);
            scalars_add(out, "weight.sum", mass);
        }
    }
    if (r->chosen >= 0) {
        scalars_add(out, "log_choice", log((double)r->aligned[r->chosen]));
        if (r->draw == r->draw)
            scalars_add(out, "draw", r->draw);
    }
}

static void add_state_scalars(const RecurrentSession *s, const Seq2SeqStep *step, StepScalars *out)
{
    static const char *const gru[] = {"gate.reset", "gate.update"};
    static const char *const lstm[] = {"gate.input", "gate.forget", "gate.output"};
    int d = s->shape->hidden, n = s->shape->is_lstm ? 3 : 2;
    if (step->context)
        scalars_add(out, "context.norm", vector_norm(step->context->value, step->context->cols));
    scalars_add(out, "state.norm", vector_norm(step->output->value, d));
    if (s->shape->is_lstm)
        scalars_add(out, "cell.norm", vector_norm(step->next.state->value + d, d));
    for (int i = 0; i < n; i++)
        scalars_add(out, s->shape->is_lstm ? lstm[i] : gru[i], vector_mean(step->gates + i * d, d));
}

static Seq2SeqState previous_state(RecurrentSession *s)
{
    int n = s->translation.base.n_steps;
    if (n == 0)
        return (Seq2SeqState){s->source.first_state, NULL};
    const StepRecord *r = &s->records[n - 1];
    return (Seq2SeqState){
        tape_borrow(s->step, 1, s->source.first_state->cols, r->state),
        r->attentional ? tape_borrow(s->step, 1, s->shape->embedding, r->attentional) : NULL,
    };
}

static Seq2SeqControl steered(RecurrentSession *s, StepRecord *r)
{
    const RunOptions *o = &s->translation.options;
    Seq2SeqControl control = control_for(s, s->translation.base.n_steps);
    r->draw = o->sample ? random_uniform(&s->random) : NAN;
    control.hard = o->sample ? CHOOSE_SAMPLE : CHOOSE_ARGMAX;
    control.hard_draws = &r->draw;
    apply_choice(r, &control);
    return control;
}

static void run_step(RecurrentSession *s, const StepChoice *choice, int token, StepRecord *r)
{
    const Seq2Seq *net = s->translator->net;
    tape_reset(s->step);
    int last = translation_last(&s->translation);
    Var *embedded = seq2seq_embed_target(net, s->step, 1, &last, NULL);
    Var *projected = seq2seq_project_target(net, s->step, embedded);
    Seq2SeqState state = previous_state(s);
    Seq2SeqControl control = steered(s, r);
    control.weights = NULL;
    Seq2SeqStep step = seq2seq_step(net, s->step, &s->source, projected, &state, &control);
    if (r->painted) {
        r->own_weights = keep_row(s, step.weights);
        control.weights = r->painted;
        step = seq2seq_step(net, s->step, &s->source, projected, &state, &control);
    }
    Var *readout = step.next.attentional
                       ? step.next.attentional
                       : seq2seq_readout(net, s->step, step.output, step.context, embedded);
    r->state = keep_state(s, step.next.state);
    r->attentional = keep_state(s, step.next.attentional);
    keep_attention(s, &step, r, control.window > 0 ? control.window : s->shape->window);
    Written *w = translation_write(&s->translation, seq2seq_logits(net, s->step, readout, NULL),
                                   choice, token);
    add_attention_scalars(s, r, &w->scalars);
    add_state_scalars(s, &step, &w->scalars);
}

static bool recurrent_step(Session *session, const StepChoice *choice, Error *error)
{
    RecurrentSession *s = (RecurrentSession *)session;
    int token, plan = translation_stale_plan(&s->translation);
    Real *weights;
    if (!translation_resolve(&s->translation, choice, &token, &weights, error) ||
        (plan >= 0 && !search(s, plan, error)))
        return false;
    s->records =
        memory_grow(s->records, &s->capacity, (size_t)session->n_steps + 1, sizeof *s->records);
    StepRecord *r = &s->records[session->n_steps];
    *r = (StepRecord){.random_before = s->random, .choice = *choice, .painted = weights};
    run_step(s, choice, token, r);
    return true;
}

static void recurrent_rewind(Session *session, int step)
{
    RecurrentSession *s = (RecurrentSession *)session;
    if (step < session->n_steps)
        s->random = s->records[step].random_before;
    translation_rewind(&s->translation, step);
}

/* ---- trace ---- */

typedef float *(*RowOf)(const StepRecord *r);

static float *weights_of(const StepRecord *r)
{
    return r->weights;
}

static float *scores_of(const StepRecord *r)
{
    return r->scores;
}

static float *softmax_of(const StepRecord *r)
{
    return r->aligned;
}

static float *own_weights_of(const StepRecord *r)
{
    return r->own_weights ? r->own_weights : r->weights;
}

static void add_rows(const RecurrentSession *s, TraceBuilder *b, const char *name, TraceRole role,
                     RowOf row)
{
    const int32_t axes[2] = {1, 0}; /* target, source */
    size_t n = (size_t)s->translation.n_source;
    float *out = trace_new_tensor(b, name, role, 2, axes);
    for (int i = 0; out && i < s->translation.base.n_steps; i++)
        memcpy(out + (size_t)i * n, row(&s->records[i]), n * sizeof *out);
}

static void add_attention(const RecurrentSession *s, TraceBuilder *b)
{
    int n = s->translation.base.n_steps;
    if (n == 0 || s->shape->score == SCORE_NONE)
        return;
    bool changed = false;
    for (int i = 0; i < n; i++)
        changed = changed || s->records[i].own_weights;
    add_rows(s, b, "attention.weights", TRACE_WEIGHTS, weights_of);
    add_rows(s, b, "attention.scores", TRACE_SCORES, scores_of);
    if (s->shape->alignment == ALIGNMENT_LOCAL_P || s->shape->alignment == ALIGNMENT_HARD)
        add_rows(s, b, "attention.softmax", TRACE_WEIGHTS, softmax_of);
    if (changed)
        add_rows(s, b, "attention.own_weights", TRACE_WEIGHTS, own_weights_of);
}

/* A fixed context leaves no weights; what it still holds of each word is asked of the
 * gradient. Long sentences go without. */
static bool add_saliency(const RecurrentSession *s, TraceBuilder *b, Error *error)
{
    const Translation *t = &s->translation;
    int n = t->base.n_steps;
    if (n == 0 || s->shape->score != SCORE_NONE)
        return true;
    if ((int64_t)n * t->n_source > SALIENCY_MOST_CELLS) {
        trace_add_note(b, "too long to ask what the fixed context holds of each word");
        return true;
    }
    int *source = arena_get(t->arena, (size_t)t->n_source, sizeof *source);
    int *target = arena_get(t->arena, (size_t)n, sizeof *target);
    for (int i = 0; i < t->n_source; i++)
        source[i] = t->tokens.items[i].id;
    for (int i = 0; i < n; i++)
        target[i] = t->written[i].token;
    const SaliencyInput input = {
        .translator = s->translator,
        .params = t->base.model->params,
        .source = source,
        .n_source = t->n_source,
        .target = target,
        .n_target = n,
        .stop = t->options.stop,
    };
    const int32_t axes[2] = {1, 0}; /* target, source */
    float *out = trace_new_tensor(b, "saliency.weights", TRACE_WEIGHTS, 2, axes);
    return !out || seq2seq_saliency(&input, out, error);
}

static const Trace *recurrent_trace(Session *session, Error *error)
{
    RecurrentSession *s = (RecurrentSession *)session;
    TraceBuilder *b = translation_trace_begin(&s->translation);
    static const char *const names[] = {"attention", "projected", "align",
                                        "query",     "cell",      "feeding"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        trace_set_attribute(b, names[i], "%s", model_setting(session->model, names[i]));
    add_attention(s, b);
    if (!add_saliency(s, b, error)) {
        trace_builder_free(b);
        return NULL;
    }
    for (int i = 0; i < session->n_steps; i++) {
        const StepRecord *r = &s->records[i];
        TraceStep step = translation_trace_step(&s->translation, i);
        step.window = r->has_window ? &r->window : NULL;
        step.n_selected = r->chosen >= 0;
        step.selected = &r->chosen;
        trace_add_step(b, &step);
    }
    return trace_seal(b, error);
}

static const SessionType recurrent_session = {
    recurrent_step,
    recurrent_rewind,
    recurrent_trace,
    recurrent_free,
};
