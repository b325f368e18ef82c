/* sentence_session.h - a sentence, or a pair of them, on its way to a class; private to
 * sentence_session.c and sentence_trace.c.
 *
 * Of a pair, "first ||| second" (or a TAB or line end between them), the words of both are one
 * list; the bar is no word. No word reads one of the other sentence. */
#ifndef FOVEA_MODELS_SENTENCE_SESSION_H
#define FOVEA_MODELS_SENTENCE_SESSION_H
#include "models/sentence_model.h"
#include "models/session_tools.h"

/* What a step shows; a model has those that apply to it, in this order. */
typedef enum {
    STAGE_SELECTION,
    STAGE_MASK,
    STAGE_SCORES,
    STAGE_WEIGHTS,
    STAGE_GATE,
    STAGE_POOLING,
    STAGE_CLASS,
    STAGE_N
} SentenceStage;

typedef struct SentenceSession {
    Session base;
    const SentenceClassifier *classifier;
    const SentenceShape *shape;
    RunOptions options;
    char *text;
    int gold; /* class that the reward is about, or -1: the likeliest */
    TokenList tokens;
    int n;       /* words, of both sentences    */
    Ragged rows; /* the sentence, or the two    */
    int *ids;
    unsigned char *visible; /* [n] or NULL: all */
    int n_stages;
    SentenceStage stage[STAGE_N];
    Arena *arena; /* lives as long as the session                        */
    Tape *words;  /* vectors and selectors: as long as the session       */
    Tape *tape;   /* of `run`; reset when the selection changes           */
    Var *embedded, *select_logits;
    double *draws[SELECT_MOST];         /* [n] uniform numbers; NULL: threshold */
    unsigned char *picked[SELECT_MOST]; /* [n] what was selected                */
    unsigned char *flipped;             /* [selectors * n]                      */
    SentenceRun run;
    double *expected, *deviation; /* [classes] over draws, or NULL */
} SentenceSession;

int sentence_n_flips(const SentenceSession *s);
/* Class probabilities as they are shown: of this selection, or the expectation. */
const double *sentence_probabilities(SentenceSession *s);

/* ---- sentence_trace.c ---- */
const Trace *sentence_trace(Session *session, Error *error);

#endif
