/* Stepping through a reader. */
#include "models/reader_session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const SessionType reader_session;

/* ---- steps ---- */

static bool is_impatient(const ReaderSession *s)
{
    return s->shape->attention == READER_IMPATIENT;
}

static int n_steps(const ReaderSession *s)
{
    return 1 + (int)s->read.question.n + (is_impatient(s) ? 0 : s->n_looks) + 1;
}

ReaderStage reader_stage(const ReaderSession *s, int step)
{
    if (step == 0)
        return READER_STORY;
    if (step == n_steps(s) - 1)
        return READER_ANSWER;
    return is_impatient(s) || step > (int)s->read.question.n ? READER_LOOK : READER_QUESTION;
}

static int within(int n, int most)
{
    return n < 0 ? 0 : n < most ? n : most;
}

int reader_n_looks(const ReaderSession *s, int n)
{
    return within(n - 1 - (is_impatient(s) ? 0 : (int)s->read.question.n), s->n_looks);
}

int reader_n_asked(const ReaderSession *s, int n)
{
    return within(n - 1, (int)s->read.question.n);
}

const int *reader_sentences(const ReaderSession *s)
{
    int *sentence = arena_get(s->arena, (size_t)s->n_items, sizeof *sentence);
    for (int i = 0, k = 0; i < s->read.n_sentences; i++)
        for (int j = 0; j < (s->shape->over_sentences ? 1 : s->read.length[i]); j++)
            sentence[k++] = i;
    return sentence;
}

/* ---- beginning ---- */

static bool check_options(ReaderSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    const ClassNames *answers = s->answerer->answers;
    if (o->temperature < 0 || !isfinite(o->temperature))
        return error_set(error, ERROR_INPUT, "temperature %g: a positive number was expected",
                         o->temperature);
    if (o->beam > 1)
        return error_set(error, ERROR_INPUT, "%s gives one answer: it takes no beam",
                         model_name(s->base.model));
    s->gold = o->force ? class_names_find(answers, o->force, strlen(o->force)) : -1;
    if (o->force && s->gold < 0)
        return error_set(error, ERROR_INPUT, "\"%s\" is none of the %d answers of %s", o->force,
                         class_names_count(answers), model_name(s->base.model));
    return true;
}

static bool hide_items(ReaderSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    if (o->n_hidden == 0)
        return true;
    s->keep = arena_get(s->arena, (size_t)s->n_items, 1);
    memset(s->keep, 1, (size_t)s->n_items);
    for (int i = 0; i < o->n_hidden; i++) {
        if (o->hidden[i] < 0 || o->hidden[i] >= s->n_items)
            return error_set(error, ERROR_INPUT, "%s %d cannot be hidden: there are %d",
                             s->shape->over_sentences ? "sentence" : "word", o->hidden[i] + 1,
                             s->n_items);
        s->keep[o->hidden[i]] = 0;
    }
    return true;
}

static bool mark_supports(ReaderSession *s, const RunInput *input, Error *error)
{
    if (input->n_supports == 0)
        return true;
    s->support = arena_get_zeroed(s->arena, (size_t)s->read.n_sentences, 1);
    for (int k = 0; k < input->n_supports; k++) {
        bool found = false;
        for (int i = 0; i < s->read.n_sentences; i++)
            if (s->read.line[i] == input->supports[k])
                s->support[i] = found = true;
        if (!found)
            return error_set(error, ERROR_INPUT,
                             "line %d cannot hold the answer: there is no sentence in it",
                             input->supports[k] + 1);
    }
    return true;
}

static bool begin(ReaderSession *s, const RunInput *input, Error *error)
{
    if (!check_options(s, error) ||
        !reader_text_read(s->answerer->vocabulary, input->text, input->question, &s->read, error))
        return false;
    s->n_items = s->shape->over_sentences ? s->read.n_sentences : (int)s->read.words.n;
    s->n_looks = is_impatient(s) ? (int)s->read.question.n : s->shape->hops;
    s->looks = arena_get_zeroed(s->arena, (size_t)s->n_looks, sizeof *s->looks);
    if (!hide_items(s, error) || !mark_supports(s, input, error))
        return false;
    const ReaderItem *item = &s->read.item;
    s->batch = reader_batch(s->arena, 1, &item);
    s->reading = reader_read(s->answerer->net, s->tape, &s->batch, NULL);
    return true;
}

Session *reader_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                              Error *error)
{
    ReaderSession *s = memory_new(1, sizeof *s);
    s->base.type = &reader_session;
    s->base.model = model_retain(model);
    s->answerer = model->network;
    s->shape = reader_get_shape(s->answerer->net);
    s->options = *options;
    s->text = memory_copy_string(input->text ? input->text : "");
    s->question = memory_copy_string(input->question ? input->question : "");
    s->arena = arena_new();
    s->tape = tape_new_inference(model->params);
    if (begin(s, input, error))
        return &s->base;
    session_free(&s->base);
    return NULL;
}

static void reader_session_free(Session *session)
{
    ReaderSession *s = (ReaderSession *)session;
    tape_free(s->tape);
    arena_free(s->arena);
    reader_text_free(&s->read);
    free(s->text);
    free(s->question);
}

/* ---- one look ---- */

static float *keep_row(ReaderSession *s, const Var *x)
{
    if (!x)
        return NULL;
    float *copy = arena_get(s->arena, (size_t)s->n_items, sizeof *copy);
    for (int i = 0; i < s->n_items; i++)
        copy[i] = s->keep && !s->keep[i] && x->value[i] == 0 ? 0 : (float)x->value[i];
    return copy;
}

static ReaderLook look(ReaderSession *s, int k, const Real *weights)
{
    const ReaderControl control = {(Real)s->options.temperature, s->keep, weights};
    const ReaderNet *net = s->answerer->net;
    const LookRecord *before = k > 0 ? &s->looks[k - 1] : NULL;
    if (!is_impatient(s))
        return reader_look(net, s->tape, &s->reading, k,
                           before ? before->state : s->reading.question, &control);
    int *at = arena_get(s->arena, 2, sizeof *at); /* the story, and the word of the question */
    at[0] = 0;
    at[1] = k;
    return reader_look_again(net, s->tape, &s->reading, 1, at, at + 1,
                             before ? before->context : NULL, &control);
}

static void measure_support(const ReaderSession *s, LookRecord *r)
{
    if (!s->support)
        return;
    const int *sentence = reader_sentences(s);
    double *mass = arena_get_zeroed(s->arena, (size_t)s->read.n_sentences, sizeof *mass);
    double on_support = 0;
    int top = 0;
    for (int i = 0; i < s->n_items; i++)
        mass[sentence[i]] += (double)r->weights[i];
    for (int i = 0; i < s->read.n_sentences; i++) {
        on_support += s->support[i] ? mass[i] : 0;
        top = mass[i] > mass[top] ? i : top;
    }
    scalars_add(&r->scalars, "support.mass", on_support);
    scalars_add(&r->scalars, "support.top", s->support[top]);
}

static void take_look(ReaderSession *s, int k, const Real *weights)
{
    LookRecord *r = &s->looks[k];
    *r = (LookRecord){0};
    ReaderLook l = look(s, k, NULL);
    r->scores = keep_row(s, l.scores);
    if (weights) {
        r->own = keep_row(s, l.weights);
        l = look(s, k, weights);
    }
    r->weights = keep_row(s, l.weights);
    r->context = l.context;
    r->state = l.state;
    scalars_add(&r->scalars, "look", k + 1);
    scalars_add_attention(&r->scalars, r->weights, s->n_items);
    scalars_add(&r->scalars, "context.norm", vector_norm(l.context->value, l.context->cols));
    if (l.state)
        scalars_add(&r->scalars, "state.norm", vector_norm(l.state->value, l.state->cols));
    measure_support(s, r);
}

static void answer(ReaderSession *s)
{
    const ReaderNet *net = s->answerer->net;
    const LookRecord *last = &s->looks[s->n_looks - 1];
    Var *state = is_impatient(s) ? reader_join(net, s->tape, last->context, s->reading.question)
                                 : last->state;
    s->logits = reader_answer(net, s->tape, state, NULL);
}

/* ---- stepping ---- */

static bool check_choice(const ReaderSession *s, ReaderStage stage, const StepChoice *choice,
                         Error *error)
{
    if (choice->token >= 0 || choice->word || choice->selected >= 0 || choice->moves_window ||
        choice->window > 0 || choice->n_flips > 0)
        return error_set(error, ERROR_INPUT,
                         "%s takes weights where it looks at the story, and nothing else",
                         model_name(s->base.model));
    if (choice->n_weights == 0)
        return true;
    if (stage != READER_LOOK)
        return error_set(error, ERROR_INPUT,
                         "nothing is looked at in this step: it takes no "
                         "weights");
    return choice->n_weights == s->n_items ||
           error_set(error, ERROR_INPUT, "%d weights for the %d %s of the story", choice->n_weights,
                     s->n_items, s->shape->over_sentences ? "sentences" : "words");
}

static bool reader_session_step(Session *session, const StepChoice *choice, Error *error)
{
    ReaderSession *s = (ReaderSession *)session;
    ReaderStage stage = reader_stage(s, session->n_steps);
    Real *weights;
    if (!check_choice(s, stage, choice, error) ||
        !weights_take_seen(s->arena, choice, s->keep, &weights, error))
        return false;
    if (stage == READER_LOOK)
        take_look(s, reader_n_looks(s, session->n_steps), weights);
    if (stage == READER_ANSWER)
        answer(s);
    session->n_steps++;
    session->is_done = stage == READER_ANSWER;
    return true;
}

static void reader_session_rewind(Session *session, int step)
{
    ReaderSession *s = (ReaderSession *)session;
    session->n_steps = step;
    session->is_done = step == n_steps(s);
    if (!session->is_done)
        s->logits = NULL;
}

static const SessionType reader_session = {
    reader_session_step,
    reader_session_rewind,
    reader_trace,
    reader_session_free,
};
