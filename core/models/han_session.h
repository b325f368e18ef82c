/* han_session.h - a document on its way to a class; private to han_session.c, han_effects.c and
 * han_trace.c. */
#ifndef FOVEA_MODELS_HAN_SESSION_H
#define FOVEA_MODELS_HAN_SESSION_H
#include "models/han_model.h"
#include "models/session_tools.h"

/* What a step shows. */
typedef enum {
    HAN_STAGE_WORDS,     /* word weights                                */
    HAN_STAGE_VECTORS,   /* what each sentence became                   */
    HAN_STAGE_SENTENCES, /* sentence weights                            */
    HAN_STAGE_CLASS,     /* the verdict, and what it would be without ... */
    HAN_N_STAGES
} HanSessionStage;

/* Everything by the document's own order; NULL where the model has no such thing. */
typedef struct HanRun {
    Real *states, *vectors;                /* [words,2h], [sentences,2h]          */
    float *word_weights, *word_scores;     /* [words] weights: what was used      */
    float *word_own;                       /* [words] without a person's          */
    float *sentence_weights;               /* [sentences] what was used           */
    float *sentence_scores, *sentence_own; /* [sentences] own: without a person's */
    double *probability;                   /* [classes]                           */
    int best;                              /* class                               */
} HanRun;

/* What an item does to the probability of the best class; NaN: not computed. */
typedef struct HanEffects {
    float *sentence, *word; /* p with everything minus p without it */
    float *gradient;        /* d p / d x . x of the word's vector x  */
    bool is_partial;        /* not every word was left out            */
} HanEffects;

typedef struct HanSession {
    Session base;
    const HanClassifier *classifier;
    RunOptions options;
    char *text;
    HanText read;
    int n_sentences, n_words;
    int *length;            /* [sentences] words of each        */
    int *first;             /* [sentences + 1] its first word   */
    int *sentence_of;       /* [words]                          */
    int *ids;               /* [words]                          */
    unsigned char *visible; /* [words] or NULL: all             */
    Real *weights;          /* [sentences] a person's, or NULL  */
    Real *word_weights;     /* [words] a person's, or NULL; 1 a sentence */
    Arena *arena;           /* lives as long as the session     */
    HanRun run;
    HanEffects effects;
    bool has_effects;
} HanSession;

/* Both levels over the document; fills s->run. */
void han_run(HanSession *s);
/* A run with hidden words or a person's weights has none. */
bool han_has_effects(const HanSession *s);
/* Fills s->effects once, if there are any; false after a stop. */
bool han_run_effects(HanSession *s, Error *error) FOVEA_MUST_USE;

/* ---- han_trace.c ---- */
const Trace *han_trace(Session *session, Error *error);

#endif
