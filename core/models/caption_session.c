/* Stepping through a description: one word a step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/scene.h"
#include "models/caption_session.h"

static const SessionType caption_session;

/* ---- beginning ---- */

static bool render_text(CaptionSession *s, const char *text, float *rgb, Error *error)
{
    EmojiSet *emoji = NULL;
    if (scene_parse(text, s->options.seed, &s->scene, error))
        emoji = scene_load_emoji(&s->scene, error);
    if (emoji)
        scene_render(&s->scene, emoji, caption_get_shape(s->describer->net)->side, rgb);
    emoji_free(emoji);
    return emoji != NULL;
}

static bool prepare_picture(CaptionSession *s, const RunInput *input, Error *error)
{
    const CaptionShape *shape = caption_get_shape(s->describer->net);
    size_t n = (size_t)shape->side * (size_t)shape->side * 3;
    s->rgb = arena_get(s->arena, n, sizeof *s->rgb);
    bool ok = true;
    if (input->image)
        describer_prepare(shape, input->image, s->rgb);
    else if (input->text)
        ok = render_text(s, input->text, s->rgb, error);
    else
        ok = error_set(error, ERROR_INPUT, "a picture or the description of a scene was expected");
    if (!ok)
        return false;
    Var *picture = tape_new_var(s->encoder, shape->side * shape->side, 3, false);
    for (size_t i = 0; i < n; i++)
        picture->value[i] = (Real)s->rgb[i];
    s->source = caption_encode(s->describer->net, s->encoder, picture);
    return true;
}

static bool hide_cells(CaptionSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    if (o->n_hidden == 0)
        return true;
    s->keep = arena_get(s->arena, (size_t)s->n_cells, 1);
    memset(s->keep, 1, (size_t)s->n_cells);
    for (int i = 0; i < o->n_hidden; i++) {
        if (o->hidden[i] < 0 || o->hidden[i] >= s->n_cells)
            return error_set(error, ERROR_INPUT, "cell %d cannot be hidden: there are %d",
                             o->hidden[i] + 1, s->n_cells);
        s->keep[o->hidden[i]] = 0;
    }
    return true;
}

static bool check_options(CaptionSession *s, Error *error)
{
    const RunOptions *o = &s->options;
    if (o->temperature < 0 || !isfinite(o->temperature))
        return error_set(error, ERROR_INPUT, "temperature %g: a positive number was expected",
                         o->temperature);
    if (o->beam > 1)
        return error_set(error, ERROR_INPUT,
                         "captions are written greedily, without a beam: beam %d", o->beam);
    if (o->paths < 0 || o->paths > RUN_MAX_PATHS)
        return error_set(error, ERROR_INPUT, "%d paths: 0 to %d were expected", o->paths,
                         RUN_MAX_PATHS);
    s->max_steps =
        o->max_steps > 0 && o->max_steps < CAPTION_MAX_WORDS ? o->max_steps : CAPTION_MAX_WORDS;
    if (!o->force)
        return true;
    s->n_forced = describer_encode(s->describer, o->force, s->forced, error);
    return s->n_forced > 0;
}

Session *caption_session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                               Error *error)
{
    CaptionSession *s = memory_new(1, sizeof *s);
    s->base.type = &caption_session;
    s->base.model = model_retain(model);
    s->describer = model->network;
    s->options = *options;
    s->text = memory_copy_string(input->text ? input->text : "");
    s->random = random_seed(options->seed, RANDOM_SAMPLE);
    s->encoder = tape_new_inference(model->params);
    s->step = tape_new_inference(model->params);
    s->arena = arena_new();
    const CaptionShape *shape = caption_get_shape(s->describer->net);
    s->n_cells = shape->grid * shape->grid;
    if (check_options(s, error) && hide_cells(s, error) && prepare_picture(s, input, error)) {
        s->records = memory_new((size_t)s->max_steps, sizeof *s->records);
        return &s->base;
    }
    session_free(&s->base);
    return NULL;
}

static void caption_session_free(Session *session)
{
    CaptionSession *s = (CaptionSession *)session;
    tape_free(s->encoder);
    tape_free(s->step);
    arena_free(s->arena);
    free(s->records);
    free(s->text);
}

/* ---- what a person decides ---- */

static bool resolve_word(const CaptionSession *s, const StepChoice *choice, int *word, Error *error)
{
    const Describer *d = s->describer;
    *word = choice->token;
    if (choice->word) {
        *word = describer_find(d, choice->word, strlen(choice->word));
        if (*word < 0)
            return error_set(error, ERROR_INPUT, "\"%s\" is not a word that this model can write",
                             choice->word);
    }
    return *word < d->n_words ||
           error_set(error, ERROR_INPUT, "word %d: the vocabulary has %d", *word, d->n_words);
}

static bool prepare_weights(CaptionSession *s, const StepChoice *choice, Real **weights,
                            Error *error)
{
    *weights = NULL;
    if (choice->n_weights > 0 && choice->n_weights != s->n_cells)
        return error_set(error, ERROR_INPUT, "%d weights for %d cells", choice->n_weights,
                         s->n_cells);
    return weights_take_seen(s->arena, choice, s->keep, weights, error);
}

static bool check_cell(const CaptionSession *s, const StepChoice *choice, Error *error)
{
    if (choice->selected < 0)
        return true;
    if (!caption_get_shape(s->describer->net)->is_hard)
        return error_set(error, ERROR_INPUT,
                         "soft attention takes no single cell: weights can be given");
    return choice->selected < s->n_cells ||
           error_set(error, ERROR_INPUT, "cell %d: the grid has %d", choice->selected + 1,
                     s->n_cells);
}

/* ---- one step ---- */

static void *keep(CaptionSession *s, const Var *x, bool as_float)
{
    if (!x)
        return NULL;
    if (!as_float) {
        Real *copy = arena_get(s->arena, var_size(x), sizeof *copy);
        return memcpy(copy, x->value, var_size(x) * sizeof *copy);
    }
    float *copy = arena_get(s->arena, var_size(x), sizeof *copy);
    for (size_t i = 0; i < var_size(x); i++)
        copy[i] = (float)x->value[i];
    return copy;
}

static void keep_scalars(const CaptionSession *s, const CaptionStep *step, WordRecord *r)
{
    const CaptionShape *shape = caption_get_shape(s->describer->net);
    StepScalars *out = &r->scalars;
    scalars_add_attention(out, r->aligned, s->n_cells);
    if (step->gate)
        scalars_add(out, "gate.beta", (double)step->gate->value[0]);
    if (r->chosen >= 0) {
        scalars_add(out, "log_choice", log((double)r->aligned[r->chosen]));
        if (!isnan(r->draw))
            scalars_add(out, "draw", r->draw);
    }
    scalars_add(out, "context.norm", vector_norm(step->context->value, step->context->cols));
    scalars_add(out, "state.norm", vector_norm(step->state->value, shape->hidden));
    static const char *const gates[] = {"gate.input", "gate.forget", "gate.output"};
    for (int i = 0; i < 3; i++)
        scalars_add(out, gates[i], vector_mean(step->gates + i * shape->hidden, shape->hidden));
}

static void decide(CaptionSession *s, const Var *logits, int word, WordRecord *r)
{
    int n = s->base.n_steps;
    r->forced = r->is_given = word >= 0;
    if (word < 0 && n < s->n_forced) {
        word = s->forced[n];
        r->forced = true;
    }
    r->candidates = top_candidates(s->arena, logits->value, logits->cols);
    r->word = word < 0 ? r->candidates.item[0].id : word;
    r->probability = softmax_probability(logits->value, logits->cols, r->word);
    for (int i = 0; i < r->candidates.n; i++)
        r->candidates.item[i].token = s->describer->words[r->candidates.item[i].id];
}

static void run_step(CaptionSession *s, const StepChoice *choice, int word, const Real *weights,
                     WordRecord *r)
{
    const Caption *net = s->describer->net;
    int n = s->base.n_steps, last = n > 0 ? s->records[n - 1].word : -1;
    tape_reset(s->step);
    Var *state = s->source.first_state;
    if (n > 0)
        state = tape_borrow(s->step, 1, state->cols, s->records[n - 1].state);
    Var *embedded = caption_embed(net, s->step, 1, &last);
    r->draw = s->options.sample ? random_uniform(&s->random) : NAN;
    CaptionControl control = {
        .temperature = s->options.temperature > 0 ? (Real)s->options.temperature : 1,
        .keep = s->keep,
        .chosen = &choice->selected,
        .draws = s->options.sample ? &r->draw : NULL,
    };
    CaptionStep step = caption_step(net, s->step, &s->source, embedded, state, &control);
    if (weights) {
        r->own_weights = keep(s, step.weights, true);
        control.weights = weights;
        step = caption_step(net, s->step, &s->source, embedded, state, &control);
    }
    decide(s, caption_logits(net, s->step, embedded, step.state, step.context, 0, NULL), word, r);
    r->cell_forced = choice->selected >= 0;
    r->chosen = step.chosen ? step.chosen[0] : -1;
    r->state = keep(s, step.state, false);
    r->scores = keep(s, step.scores, true);
    r->aligned = keep(s, step.aligned, true);
    r->weights = keep(s, step.weights, true);
    for (int i = 0; s->keep && i < s->n_cells; i++)
        if (!s->keep[i])
            r->scores[i] = NAN; /* shown as "not computed" */
    keep_scalars(s, &step, r);
}

static bool caption_session_step(Session *session, const StepChoice *choice, Error *error)
{
    CaptionSession *s = (CaptionSession *)session;
    int word;
    Real *weights;
    if (!resolve_word(s, choice, &word, error) || !prepare_weights(s, choice, &weights, error) ||
        !check_cell(s, choice, error))
        return false;
    WordRecord *r = &s->records[session->n_steps];
    *r = (WordRecord){.random_before = s->random};
    run_step(s, choice, word, weights, r);
    session->n_steps++;
    session->is_done = r->word == CAPTION_END || session->n_steps >= s->max_steps;
    return true;
}

static void caption_session_rewind(Session *session, int step)
{
    CaptionSession *s = (CaptionSession *)session;
    if (step < session->n_steps)
        s->random = s->records[step].random_before;
    session->n_steps = step;
    session->is_done = false;
}

static const SessionType caption_session = {
    caption_session_step,
    caption_session_rewind,
    caption_session_trace,
    caption_session_free,
};
