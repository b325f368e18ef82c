/* caption_session.h - a description in progress; private to caption_session.c and
 * caption_trace.c. */
#ifndef FOVEA_MODELS_CAPTION_SESSION_H
#define FOVEA_MODELS_CAPTION_SESSION_H
#include "image/scene.h"
#include "models/caption_model.h"
#include "models/session_tools.h"

/* What a step leaves behind; arrays in the session's arena. */
typedef struct WordRecord {
    Real *state;                                     /* [2d] after the step */
    float *scores, *aligned, *weights, *own_weights; /* [L]; own: before a person's, or NULL */
    int chosen;                                      /* hard: the cell, or -1                */
    bool cell_forced;
    double draw; /* the uniform number that chose it, or NaN */
    int word;
    double probability;
    bool forced;
    bool is_given; /* by a choice of this step, not by a given sentence */
    TopCandidates candidates;
    StepScalars scalars;
    Random random_before; /* to go back to */
} WordRecord;

typedef struct CaptionSession {
    Session base;
    const Describer *describer;
    RunOptions options;
    char *text;
    Scene scene; /* n 0: the picture was given */
    float *rgb;  /* [side, side, 3]            */
    int n_cells;
    unsigned char *keep;           /* [L] or NULL */
    int forced[CAPTION_MAX_WORDS]; /* words to write, end mark included */
    int n_forced;
    int max_steps;
    Random random;
    Tape *encoder; /* lives as long as the session */
    Tape *step;    /* reset at every step          */
    Arena *arena;
    CaptionSource source;
    WordRecord *records; /* [max_steps] */
} CaptionSession;

const Trace *caption_session_trace(Session *session, Error *error);

#endif
