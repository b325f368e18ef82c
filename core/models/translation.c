#include "models/translation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MOST_STEPS_AHEAD 1000

/* ---- tokenizers ---- */

bool tokenizers_read(Tokenizers *t, const json_t *metadata, Error *error)
{
    const json_t *first = json_object_get(metadata, "source_tokenizer");
    const json_t *second = json_object_get(metadata, "target_tokenizer");
    *t = (Tokenizers){0};
    t->source = tokenizer_from_json(first, "source_tokenizer", error);
    t->target = t->source;
    if (t->source && second)
        t->target = tokenizer_from_json(second, "target_tokenizer", error);
    if (t->target)
        return true;
    tokenizer_free(t->source);
    return false;
}

void tokenizers_write(const Tokenizers *t, json_t *metadata)
{
    json_object_set_new(metadata, "source_tokenizer", tokenizer_to_json(t->source));
    if (t->target != t->source)
        json_object_set_new(metadata, "target_tokenizer", tokenizer_to_json(t->target));
}

void tokenizers_free(Tokenizers *t)
{
    if (t->target != t->source)
        tokenizer_free(t->target);
    tokenizer_free(t->source);
}

/* ---- beginning ---- */

static bool check_options(const RunOptions *o, int vocabulary, Error *error)
{
    if (o->temperature < 0 || !isfinite(o->temperature))
        return error_set(error, ERROR_INPUT, "temperature %g: a positive number was expected",
                         o->temperature);
    if (o->beam < 0 || o->beam > RUN_MAX_BEAM)
        return error_set(error, ERROR_INPUT, "beam %d: expected 1 to %d", o->beam, RUN_MAX_BEAM);
    if (o->beam > vocabulary)
        return error_set(error, ERROR_INPUT, "a beam of %d is wider than the vocabulary of %d",
                         o->beam, vocabulary);
    return true;
}

static bool hide_items(Translation *t, Error *error)
{
    const RunOptions *o = &t->options;
    if (o->n_hidden == 0)
        return true;
    t->keep = arena_get(t->arena, (size_t)t->n_source, 1);
    memset(t->keep, 1, (size_t)t->n_source);
    for (int i = 0; i < o->n_hidden; i++) {
        if (o->hidden[i] < 0 || o->hidden[i] >= t->n_source)
            return error_set(error, ERROR_INPUT, "word %d cannot be hidden: there are %d",
                             o->hidden[i] + 1, t->n_source);
        t->keep[o->hidden[i]] = 0;
    }
    return true;
}

static void force_text(Translation *t, const char *text)
{
    TokenList tokens = {0};
    tokenizer_encode(t->tokenizers->target, text, strlen(text), &tokens);
    t->n_given = (int)tokens.n + 1;
    t->given = arena_get(t->arena, tokens.n + 1, sizeof *t->given);
    for (size_t i = 0; i < tokens.n; i++)
        t->given[i] = tokens.items[i].id;
    t->given[tokens.n] = TOKENIZER_END;
    t->forced = t->given;
    t->n_forced = t->n_given;
    token_list_free(&tokens);
}

int translation_step_limit(int n_source, int wanted)
{
    if (wanted > 0)
        return wanted;
    return n_source < (TRANSLATION_MOST_STEPS - 10) / 2 ? 2 * n_source + 10
                                                        : TRANSLATION_MOST_STEPS;
}

bool translation_begin(Translation *t, const SessionType *type, const Model *model,
                       const RunInput *input, const RunOptions *options, Error *error)
{
    t->base.type = type;
    t->base.model = model_retain(model);
    t->tokenizers = model->network;
    t->options = *options;
    t->arena = arena_new();
    t->text = memory_copy_string(input->text ? input->text : "");
    tokenizer_encode(t->tokenizers->source, t->text, strlen(t->text), &t->tokens);
    t->n_source = (int)t->tokens.n;
    if (t->n_source == 0)
        return error_set(error, ERROR_INPUT, "there is no word to translate in the input");
    if (!check_options(options, tokenizer_n_pieces(t->tokenizers->target), error) ||
        !hide_items(t, error))
        return false;
    t->max_steps = translation_step_limit(t->n_source, options->max_steps);
    if (options->force) {
        force_text(t, options->force);
        t->max_steps = t->max_steps > t->n_forced ? t->max_steps : t->n_forced;
    }
    size_t ahead = (size_t)translation_steps_ahead(t);
    t->written = memory_grow(t->written, &t->capacity, ahead, sizeof *t->written);
    return true;
}

int translation_steps_ahead(const Translation *t)
{
    return t->max_steps < MOST_STEPS_AHEAD ? t->max_steps : MOST_STEPS_AHEAD;
}

void translation_end(Translation *t)
{
    arena_free(t->arena);
    token_list_free(&t->tokens);
    beam_result_free(&t->beam);
    free(t->written);
    free(t->text);
}

/* ---- searching ---- */

BeamSpec translation_beam_spec(const Translation *t, int n_written)
{
    int n_text = t->given ? t->n_given - 1 : 0; /* a forced text is a prefix here */
    int n = n_written > n_text ? n_written : n_text;
    int *prefix = arena_get(t->arena, (size_t)n + 1, sizeof *prefix);
    for (int i = 0; i < n; i++)
        prefix[i] = i < n_written ? t->written[i].token : t->given[i];
    const BeamSpec spec = {
        .width = t->options.beam,
        .length_penalty = t->options.length_penalty,
        .max_steps = t->max_steps,
        .begin_token = TOKENIZER_BEGIN,
        .end_token = TOKENIZER_END,
        .n_prefix = n,
        .prefix = prefix,
        .stop = t->options.stop,
    };
    return spec;
}

void translation_follow(Translation *t, const BeamResult *beam, int n_written)
{
    beam_result_free(&t->beam);
    t->beam = *beam;
    t->n_forced = beam->n_tokens;
    t->forced = beam->tokens;
    t->plan = t->wanted_plan = n_written;
}

int translation_stale_plan(const Translation *t)
{
    return t->options.beam > 1 && t->wanted_plan != t->plan ? t->wanted_plan : -1;
}

void translation_rewind(Translation *t, int step)
{
    t->base.n_steps = step;
    t->base.is_done = false;
    t->wanted_plan = step > 0 ? t->written[step - 1].plan : 0;
}

/* ---- one step ---- */

bool translation_resolve(Translation *t, const StepChoice *choice, int *token, Real **weights,
                         Error *error)
{
    const Tokenizer *target = t->tokenizers->target;
    *token = choice->token;
    if (choice->word && *token < 0) {
        *token = piece_find(target, choice->word);
        if (*token < 0)
            return error_set(error, ERROR_INPUT, "\"%s\" is not a piece that this model can write",
                             choice->word);
    }
    if (*token >= tokenizer_n_pieces(target))
        return error_set(error, ERROR_INPUT, "token %d: the vocabulary has %d", *token,
                         tokenizer_n_pieces(target));
    if (choice->selected >= t->n_source)
        return error_set(error, ERROR_INPUT, "position %d: the source has %d pieces",
                         choice->selected + 1, t->n_source);
    *weights = NULL;
    if (choice->n_weights > 0 && choice->n_weights != t->n_source)
        return error_set(error, ERROR_INPUT, "%d weights for %d source pieces", choice->n_weights,
                         t->n_source);
    return weights_take_seen(t->arena, choice, t->keep, weights, error);
}

int translation_last(const Translation *t)
{
    return t->base.n_steps > 0 ? t->written[t->base.n_steps - 1].token : TOKENIZER_BEGIN;
}

static unsigned changes_of(const StepChoice *choice, int token)
{
    return (token >= 0 ? WRITTEN_TOKEN : 0U) | (choice->n_weights > 0 ? WRITTEN_WEIGHTS : 0U) |
           (choice->selected >= 0 ? WRITTEN_SELECTION : 0U) |
           (choice->moves_window || choice->window > 0 ? WRITTEN_WINDOW : 0U);
}

Written *translation_write(Translation *t, const Var *logits, const StepChoice *choice, int token)
{
    int n = t->base.n_steps;
    t->written = memory_grow(t->written, &t->capacity, (size_t)n + 1, sizeof *t->written);
    Written *w = &t->written[n];
    *w = (Written){.forced = token >= 0, .changes = changes_of(choice, token)};
    if (w->changes)
        t->wanted_plan = n + 1;
    w->plan = t->wanted_plan;
    if (token < 0 && t->forced && n < t->n_forced) {
        token = t->forced[n];
        w->forced = n < t->n_given - (t->options.beam > 1 ? 1 : 0);
    }
    const Real *row = logits->value;
    w->candidates = top_candidates(t->arena, row, logits->cols);
    w->token = token >= 0 ? token : w->candidates.item[0].id;
    w->probability = softmax_probability(row, logits->cols, w->token);
    for (int i = 0; i < w->candidates.n; i++)
        w->candidates.item[i].token =
            tokenizer_piece(t->tokenizers->target, w->candidates.item[i].id);
    t->base.n_steps++;
    t->base.is_done = w->token == TOKENIZER_END || t->base.n_steps >= t->max_steps;
    return w;
}

/* ---- trace ---- */

static void add_change(TraceBuilder *b, int step, const char *kind, const char *text)
{
    trace_add_change(b, &(TraceChange){step, kind, text});
}

static void add_changes(const Translation *t, TraceBuilder *b)
{
    trace_add_forced(b, &t->options);
    for (int i = 0; i < t->options.n_hidden; i++) {
        const Token *word = &t->tokens.items[t->options.hidden[i]];
        trace_add_hidden(b, t->text + word->begin, (size_t)(word->end - word->begin));
    }
    for (int i = 0; i < t->base.n_steps; i++) {
        unsigned changes = t->written[i].changes;
        if (changes & WRITTEN_TOKEN)
            add_change(b, i, "token", "the word was given");
        if (changes & WRITTEN_WEIGHTS)
            add_change(b, i, "weights", "the weights were painted");
        if (changes & WRITTEN_SELECTION)
            add_change(b, i, "selection", "the position was chosen by hand");
        if (changes & WRITTEN_WINDOW)
            add_change(b, i, "window", "the window was moved");
    }
}

static void add_source_axis(const Translation *t, TraceBuilder *b)
{
    TokenAxis axis = token_axis_new(t->n_source);
    for (int i = 0; i < t->n_source; i++) {
        token_axis_set(&axis, i, &t->tokens.items[i],
                       tokenizer_piece(t->tokenizers->source, t->tokens.items[i].id));
        if (t->keep && !t->keep[i])
            axis.flags[i] |= TRACE_TOKEN_HIDDEN;
    }
    token_axis_add(&axis, b, "source", "input");
}

static uint8_t target_flags(const Translation *t, int i)
{
    const Written *w = &t->written[i];
    int flags = w->token < TOKENIZER_N_SPECIAL ? TRACE_TOKEN_SPECIAL : 0;
    flags |= w->forced ? TRACE_TOKEN_FORCED : 0;
    if (i > 0 && !tokenizer_starts_word(t->tokenizers->target, w->token))
        flags |= TRACE_TOKEN_CONTINUES;
    return (uint8_t)flags;
}

/* The output text, and where each token stands in it. */
static void add_target(const Translation *t, TraceBuilder *b)
{
    const Tokenizer *tokenizer = t->tokenizers->target;
    int n = t->base.n_steps;
    double total = 0;
    int32_t *ids = memory_new((size_t)n + 1, sizeof *ids);
    TokenAxis axis = token_axis_new(n);
    for (int i = 0; i < n; i++) {
        ids[i] = t->written[i].token;
        total += log(t->written[i].probability);
        axis.labels[i] = tokenizer_piece(tokenizer, ids[i]);
        axis.flags[i] = target_flags(t, i);
    }
    StrBuf text = {0};
    TokenList places = {0};
    strbuf_add(&text, "");
    tokenizer_decode(tokenizer, ids, (size_t)n, translation_typography(t->base.model), &text,
                     &places);
    for (int i = 0; i < n; i++)
        axis.spans[i] = (TraceSpan){places.items[i].begin, places.items[i].end};
    trace_set_text(b, "output", text.text);
    trace_set_score(b, total);
    token_axis_add(&axis, b, "target", "output");
    token_list_free(&places);
    strbuf_free(&text);
    free(ids);
}

static void add_beam(const Translation *t, TraceBuilder *b)
{
    for (int i = 0; i < t->beam.n_nodes; i++) {
        const BeamNode *n = &t->beam.nodes[i];
        TraceBeamNode node = {
            .parent = n->parent,
            .step = n->step,
            .token = tokenizer_piece(t->tokenizers->target, n->token),
            .id = n->token,
            .log_probability = n->log_probability,
            .score = n->score,
            .state = n->state,
            .dropped_at = n->dropped_at,
            .dropped_score = n->dropped_score,
            .kept_score = n->kept_score,
        };
        trace_add_beam_node(b, &node);
    }
}

unsigned translation_typography(const Model *model)
{
    const char *style = model_setting(model, "typography");
    return style && strcmp(style, "french") == 0 ? TOKENIZER_FRENCH : 0;
}

TraceBuilder *translation_trace_begin(const Translation *t)
{
    TraceBuilder *b = trace_builder_new();
    trace_set_text(b, "input", t->text);
    trace_add_model_attributes(b, t->base.model, &t->options);
    add_source_axis(t, b);
    add_target(t, b);
    add_beam(t, b);
    add_changes(t, b);
    return b;
}

TraceStep translation_trace_step(const Translation *t, int i)
{
    const Written *w = &t->written[i];
    return (TraceStep){
        .token = tokenizer_piece(t->tokenizers->target, w->token),
        .id = w->token,
        .probability = w->probability,
        .forced = w->forced,
        .n_candidates = w->candidates.n,
        .candidates = w->candidates.item,
        .n_scalars = w->scalars.n,
        .scalars = w->scalars.item,
    };
}
