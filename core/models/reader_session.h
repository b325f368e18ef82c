/* reader_session.h - a story being read and a question being answered; private to
 * reader_session.c and reader_trace.c. */
#ifndef FOVEA_MODELS_READER_SESSION_H
#define FOVEA_MODELS_READER_SESSION_H
#include "models/reader_model.h"
#include "models/session_tools.h"

/* Steps: the story, every word of the question, the looks (impatient: one with each word of
 * the question instead), the answer. */
typedef enum { READER_STORY, READER_QUESTION, READER_LOOK, READER_ANSWER } ReaderStage;

/* One look at the story; arrays [n_items]. */
typedef struct LookRecord {
    Var *context, *state;
    float *scores; /* NULL with attention=none                */
    float *weights;
    float *own; /* NULL; before a person's weights            */
    StepScalars scalars;
} LookRecord;

typedef struct ReaderSession {
    Session base;
    const Answerer *answerer;
    const ReaderShape *shape;
    RunOptions options;
    char *text, *question;
    ReaderText read;
    int n_items;            /* words or sentences               */
    unsigned char *keep;    /* [n_items] or NULL: all           */
    unsigned char *support; /* [n_sentences] or NULL: not known */
    int gold;               /* the answer that is right, or -1  */
    int n_looks;            /* of a whole run                   */
    LookRecord *looks;      /* [n_looks]                        */
    Var *logits;            /* after the last step              */
    Arena *arena;
    Tape *tape; /* as long as the session */
    ReaderBatch batch;
    ReaderReading reading;
} ReaderSession;

ReaderStage reader_stage(const ReaderSession *s, int step);
/* How many looks the first n steps have; how many words of the question they have read. */
int reader_n_looks(const ReaderSession *s, int n_steps);
int reader_n_asked(const ReaderSession *s, int n_steps);
/* Sentence that an item is, or belongs to: [n_items], in the session's arena. */
const int *reader_sentences(const ReaderSession *s);

/* ---- reader_trace.c ---- */
const Trace *reader_trace(Session *session, Error *error);

#endif
