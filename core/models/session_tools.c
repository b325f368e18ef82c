#include "models/session_tools.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "math/kernels.h"

void scalars_add(StepScalars *scalars, const char *name, double value)
{
    FOVEA_CHECK(scalars->n < STEP_MAX_SCALARS, "too many scalars for \"%s\"", name);
    scalars->item[scalars->n++] = (TraceScalar){name, value};
}

void scalars_add_attention(StepScalars *scalars, const float *weights, int n)
{
    double entropy = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        double a = (double)weights[i];
        entropy -= a > 0 ? a * log(a) : 0;
        largest = a > largest ? a : largest;
    }
    scalars_add(scalars, "entropy", entropy);
    scalars_add(scalars, "effective", exp(entropy));
    scalars_add(scalars, "largest", largest);
}

static double log_sum(const Real *logits, int n)
{
    enum { CHUNK = 512 };
    Real exponentials[CHUNK], max = kernels()->max((size_t)n, logits);
    double sum = 0;
    for (int i = 0; i < n; i += CHUNK)
        sum += (double)kernels()->exp_sum((size_t)(n - i < CHUNK ? n - i : CHUNK), logits + i, max,
                                          exponentials);
    return (double)max + log(sum);
}

double softmax_probability(const Real *logits, int n, int which)
{
    return exp((double)logits[which] - log_sum(logits, n));
}

TopCandidates top_candidates(Arena *arena, const Real *logits, int n)
{
    int most = n < RUN_N_CANDIDATES ? n : RUN_N_CANDIDATES;
    TopCandidates top = {0, arena_get(arena, (size_t)most, sizeof(TraceCandidate))};
    for (int i = 0; i < n; i++) {
        if (top.n == most && logits[i] <= logits[top.item[most - 1].id])
            continue;
        int place = top.n < most ? top.n++ : most - 1;
        while (place > 0 && logits[i] > logits[top.item[place - 1].id]) {
            top.item[place] = top.item[place - 1];
            place--;
        }
        top.item[place] = (TraceCandidate){"", i, 0};
    }
    double log_z = log_sum(logits, n);
    for (int i = 0; i < top.n; i++)
        top.item[i].probability = exp((double)logits[top.item[i].id] - log_z);
    return top;
}

int piece_find(const Tokenizer *tokenizer, const char *text)
{
    int32_t id = tokenizer_find(tokenizer, text);
    for (int32_t i = 0; id < 0 && i < tokenizer_n_pieces(tokenizer); i++)
        if (strcmp(tokenizer_piece(tokenizer, i), text) == 0)
            id = i;
    return id;
}

bool weights_take(Arena *arena, const StepChoice *choice, Real **weights, Error *error)
{
    return weights_take_seen(arena, choice, NULL, weights, error);
}

bool weights_take_seen(Arena *arena, const StepChoice *choice, const unsigned char *keep,
                       Real **weights, Error *error)
{
    *weights = NULL;
    double sum = 0;
    for (int i = 0; i < choice->n_weights; i++) {
        if (!(choice->weights[i] >= 0) || !isfinite(choice->weights[i]))
            return error_set(error, ERROR_INPUT, "weight %d is %g: none may be negative", i + 1,
                             (double)choice->weights[i]);
        sum += keep && !keep[i] ? 0 : (double)choice->weights[i];
    }
    if (choice->n_weights == 0)
        return true;
    if (sum == 0)
        return error_set(error, ERROR_INPUT,
                         "all weights of the row are zero: one must be positive");
    *weights = arena_get(arena, (size_t)choice->n_weights, sizeof **weights);
    for (int i = 0; i < choice->n_weights; i++)
        (*weights)[i] = keep && !keep[i] ? 0 : (Real)((double)choice->weights[i] / sum);
    return true;
}

double vector_norm(const Real *x, int n)
{
    return sqrt((double)kernels()->dot((size_t)n, x, x));
}

double vector_mean(const Real *x, int n)
{
    return (double)kernels()->sum((size_t)n, x) / n;
}

TokenAxis token_axis_new(int n)
{
    size_t count = (size_t)n + 1;
    return (TokenAxis){n, memory_new(count, sizeof(char *)), memory_new(count, sizeof(TraceSpan)),
                       memory_new(count, 1)};
}

void token_axis_set(TokenAxis *axis, int i, const Token *token, const char *label)
{
    axis->labels[i] = label;
    axis->spans[i] = (TraceSpan){token->begin, token->end};
    axis->flags[i] = i > 0 && !token->starts_word ? TRACE_TOKEN_CONTINUES : 0;
}

int32_t token_axis_add(TokenAxis *axis, TraceBuilder *builder, const char *name, const char *text)
{
    TraceAxis a = {
        .name = name,
        .kind = TRACE_AXIS_TOKEN,
        .len = axis->n,
        .labels = axis->labels,
        .text = text,
        .spans = text ? axis->spans : NULL,
        .flags = axis->flags,
        .parent_axis = -1,
    };
    int32_t index = trace_add_axis(builder, &a);
    free(axis->labels);
    free(axis->spans);
    free(axis->flags);
    return index;
}

void trace_add_hidden(TraceBuilder *b, const char *text, size_t n)
{
    StrBuf words = {0};
    strbuf_addf(&words, "\u201c%.*s\u201d hidden", (int)n, text);
    trace_add_change(b, &(TraceChange){-1, "mask", words.text});
    strbuf_free(&words);
}

/* A change of the whole run, its value at the end. */
static void add_change(TraceBuilder *b, const char *kind, const char *words, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%s%.15g", words, value);
    trace_add_change(b, &(TraceChange){-1, kind, text});
}

static void add_changes(TraceBuilder *b, const RunOptions *o)
{
    if (o->temperature > 0 && o->temperature != 1)
        add_change(b, "temperature", "temperature ", o->temperature);
    if (o->beam > 1)
        add_change(b, "beam", "beam of ", o->beam);
    if (o->beam > 1 && o->length_penalty > 0)
        add_change(b, "length_penalty", "length penalty ", o->length_penalty);
    if (o->window > 0)
        add_change(b, "reach", "window D = ", o->window);
    if (o->renormalise)
        trace_add_change(b, &(TraceChange){-1, "renormalise", "weights renormalised"});
    if (o->sample)
        add_change(b, "sample", "choices drawn, seed ", (double)o->seed);
    if (o->paths > 0)
        add_change(b, "paths", "further draws: ", o->paths);
}

void trace_add_forced(TraceBuilder *b, const RunOptions *options)
{
    if (options->force)
        trace_add_change(b, &(TraceChange){-1, "force", "the output was given"});
}

void trace_add_model_attributes(TraceBuilder *b, const Model *model, const RunOptions *options)
{
    trace_set_attribute(b, "model", "%s", model_name(model));
    trace_set_attribute(b, "title", "%s", model_title(model));
    trace_set_attribute(b, "family", "%s", model_family(model));
    trace_set_attribute(b, "task", "%s", model_task_name(model_task(model)));
    trace_set_attribute(b, "seed", "%" PRIu64, options->seed);
    if (options->temperature > 0 && options->temperature != 1)
        trace_set_attribute(b, "temperature", "%g", options->temperature);
    if (options->beam > 1)
        trace_set_attribute(b, "beam", "%d", options->beam);
    if (options->sample)
        trace_set_attribute(b, "choice", "sample");
    if (options->force)
        trace_set_attribute(b, "forced", "yes");
    add_changes(b, options);
}
