/* translation.h - what stepping through a translation is, whatever the network: source
 * pieces, forced targets, decisions, candidates, the common part of the trace. Private to
 * core/models. */
#ifndef FOVEA_MODELS_TRANSLATION_H
#define FOVEA_MODELS_TRANSLATION_H
#include "models/beam.h"
#include "models/session_tools.h"

/* First member of every translator's network. */
typedef struct Tokenizers {
    Tokenizer *source;
    Tokenizer *target; /* the same pointer when the vocabulary is joint */
} Tokenizers;

/* From and to the metadata of a model file. */
bool tokenizers_read(Tokenizers *tokenizers, const json_t *metadata, Error *error) FOVEA_MUST_USE;
void tokenizers_write(const Tokenizers *tokenizers, json_t *metadata);
void tokenizers_free(Tokenizers *tokenizers);

/* One step's decision. */
typedef struct Written {
    int token;
    double probability;
    bool forced;
    unsigned changes; /* WRITTEN_...: what the person decided about this step */
    int plan;         /* the plan's prefix once this step was written         */
    TopCandidates candidates;
    StepScalars scalars;
} Written;

enum { WRITTEN_TOKEN = 1, WRITTEN_WEIGHTS = 2, WRITTEN_SELECTION = 4, WRITTEN_WINDOW = 8 };

/* First member of every translation session. */
typedef struct Translation {
    Session base;
    const Tokenizers *tokenizers;
    RunOptions options;
    char *text;
    TokenList tokens;    /* of the source */
    int n_source;        /* S             */
    unsigned char *keep; /* [S] 0 hides a piece; NULL: none hidden */
    int *given;          /* the target that the options force, end mark included; NULL */
    int n_given;
    int *forced; /* what is written unless a choice says otherwise: `given`, or the
                    best hypothesis of a search; NULL */
    int n_forced;
    int plan;        /* written tokens that the search took as its prefix */
    int wanted_plan; /* differs from `plan` after rewinding behind it     */
    int max_steps;
    Arena *arena;
    Written *written; /* [n_steps] */
    size_t capacity;
    BeamResult beam; /* nodes of the search, or none */
} Translation;

/* Steps that nobody asked for by number or by a forced target: 2 S + 10, and no more than this.
 * A model that has lost its way writes on until it is stopped. */
#define TRANSLATION_MOST_STEPS 2000
int translation_step_limit(int n_source, int wanted);

/* Reads options and input; false with a message. The caller encodes, then searches. */
bool translation_begin(Translation *t, const SessionType *type, const Model *model,
                       const RunInput *input, const RunOptions *options, Error *error);
void translation_end(Translation *t);
/* How many steps a session makes room for when it begins, so that stepping takes no memory. */
int translation_steps_ahead(const Translation *t);

/* Options for tokenizer_decode of the target. */
unsigned translation_typography(const Model *model);

/* A search's best hypothesis is stepped through like a forced target. Once the person changes
 * a step, the search is made anew from there: its prefix is what has been written (and what
 * of the forced text is still to come). */
BeamSpec translation_beam_spec(const Translation *t, int n_written);
void translation_follow(Translation *t, const BeamResult *beam, int n_written);
/* What a session calls before it steps: the search must be made again, with this many
 * written tokens; -1: it need not. */
int translation_stale_plan(const Translation *t);
void translation_rewind(Translation *t, int step);

/* What the choice asks for: *token is an id or -1; *weights [S] sum to one, or NULL. */
bool translation_resolve(Translation *t, const StepChoice *choice, int *token, Real **weights,
                         Error *error) FOVEA_MUST_USE;
/* The token that the step before wrote, or the begin mark. */
int translation_last(const Translation *t);
/* Decides and records the step (token: an id that the choice asks for, or -1); the session's
 * step count grows. Returns the record for scalars, valid until the next step. */
Written *translation_write(Translation *t, const Var *logits, const StepChoice *choice, int token);

/* Everything of the trace but attention: texts, attributes, axes 0 "source" and 1 "target",
 * beam. Steps are added by the caller, who knows windows and selections. */
TraceBuilder *translation_trace_begin(const Translation *t);
/* The step's token, candidates and scalars. */
TraceStep translation_trace_step(const Translation *t, int i);

#endif
