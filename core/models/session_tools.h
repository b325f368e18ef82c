/* session_tools.h - what the sessions of all families share; private to core/models. */
#ifndef FOVEA_MODELS_SESSION_TOOLS_H
#define FOVEA_MODELS_SESSION_TOOLS_H
#include "base/memory.h"
#include "math/real.h"
#include "models/family.h"
#include "text/tokenizer.h"

#define STEP_MAX_SCALARS 24

typedef struct StepScalars {
    int n;
    TraceScalar item[STEP_MAX_SCALARS];
} StepScalars;

void scalars_add(StepScalars *scalars, const char *name, double value); /* name: a literal */
/* "entropy" (nats), "effective" (exp of it), "largest". */
void scalars_add_attention(StepScalars *scalars, const float *weights, int n);

typedef struct TopCandidates {
    int n;
    TraceCandidate *item; /* by falling probability; ties by id; tokens not yet set */
} TopCandidates;

TopCandidates top_candidates(Arena *arena, const Real *logits, int n);
double softmax_probability(const Real *logits, int n, int which);

/* Id of a piece by its raw or shown form, or -1. */
int piece_find(const Tokenizer *tokenizer, const char *text);

double vector_norm(const Real *x, int n);
double vector_mean(const Real *x, int n);

/* A person's weights of a choice, made to sum to one, in the arena; *weights is NULL when the
 * choice has none. None may be negative, one must be positive. Items with keep 0 are hidden: they
 * get nothing (keep NULL: none is). */
bool weights_take_seen(Arena *arena, const StepChoice *choice, const unsigned char *keep,
                       Real **weights, Error *error) FOVEA_MUST_USE;
/* All items are seen. */
bool weights_take(Arena *arena, const StepChoice *choice, Real **weights,
                  Error *error) FOVEA_MUST_USE;

/* The arrays of a token axis while it is put together. */
typedef struct TokenAxis {
    int n;
    const char **labels;
    TraceSpan *spans;
    uint8_t *flags;
} TokenAxis;

TokenAxis token_axis_new(int n);
void token_axis_set(TokenAxis *axis, int i, const Token *token, const char *label);
/* Adds it under a name and frees it. text: what the spans point into, NULL: no spans. */
int32_t token_axis_add(TokenAxis *axis, TraceBuilder *builder, const char *name, const char *text);

/* Among the changes: an item of the source, by its n bytes of text, may not be seen. */
void trace_add_hidden(TraceBuilder *builder, const char *text, size_t n);

/* Among the changes: the output was given, for models that write. */
void trace_add_forced(TraceBuilder *builder, const RunOptions *options);

/* model, family, attention, task, seed and the options that differ from the default, which are
 * changes, too. */
void trace_add_model_attributes(TraceBuilder *builder, const Model *model,
                                const RunOptions *options);

#endif
