/* model.h - one interface to every model: load, step, run.
 *
 * A Model is weights, settings and vocabularies, read-only once loaded and shared by any
 * number of sessions and threads. A Session is one input in progress: session_step advances
 * it by one decision (a target token, a glimpse, a sentence, a stage of a classifier),
 * session_rewind goes back, session_trace gives what has happened so far as an immutable
 * Trace. Every intervention that a person can make is a StepChoice or a field of
 * RunOptions, so it can be scripted and tested without a screen.
 *
 * Invariants:
 *   1. The same model, input, options and choices give the same trace, bit for bit.
 *   2. session_rewind(s, k) and the same steps again give the same trace.
 *
 * Errors: ERROR_INPUT for what the person asked, ERROR_FORMAT for a damaged file,
 * ERROR_CANCELLED when options.stop was raised. Threads: a Session belongs to one thread.
 */
#ifndef FOVEA_MODELS_MODEL_H
#define FOVEA_MODELS_MODEL_H
#include <stdint.h>

#include "base/error.h"
#include "base/thread.h"
#include "trace/trace.h"

#define MODEL_FORMAT_VERSION 1
#define RUN_MAX_INPUT_BYTES  ((size_t)4 << 20)
#define RUN_MAX_BEAM         64
#define RUN_N_CANDIDATES     10
#define RUN_MAX_PATHS        1000

typedef struct Model Model;
typedef struct Session Session;

/* ---- models ---- */

Model *model_load(const char *path, Error *error) FOVEA_MUST_USE;
const Model *model_retain(const Model *model);
void model_release(const Model *model); /* NULL is fine */

typedef enum {
    TASK_TRANSLATE, /* text -> text                      */
    TASK_CLASSIFY,  /* text -> class                     */
    TASK_LANGUAGE,  /* text -> next words                */
    TASK_ANSWER,    /* text and question -> word         */
    TASK_DIGIT,     /* image -> class                    */
    TASK_CAPTION,   /* image -> text                     */
} ModelTask;

const char *model_name(const Model *model);      /* file name without its ending     */
const char *model_title(const Model *model);     /* a line for people                */
const char *model_family(const Model *model);    /* "seq2seq"                        */
const char *model_attention(const Model *model); /* "additive", "local-p", "hard"    */
ModelTask model_task(const Model *model);
const char *model_task_name(ModelTask task);
long model_parameters(const Model *model);
long model_bytes(const Model *model); /* of the file                      */
const char *model_setting(const Model *model, const char *name); /* as text, or NULL   */
const char *model_provenance(const Model *model);     /* JSON object: data, licence, ...  */
const char *model_scores(const Model *model);         /* JSON object: held-out figures    */
const char *model_example(const Model *model, int i); /* an input to try, or NULL      */

/* What a model file says about itself, without its weights: for lists. */
typedef struct ModelFacts {
    char *name, *title, *family, *attention;
    ModelTask task;
    long bytes;
    char *scores; /* JSON object */
} ModelFacts;

bool model_peek(const char *path, ModelFacts *facts, Error *error) FOVEA_MUST_USE;
void model_facts_free(ModelFacts *facts);

/* ---- running ---- */

typedef struct RunInput {
    const char *text;        /* sentence, document or story; image models: a description
                                of the picture (strokes, objects of a scene), if no image */
    const char *question;    /* readers only                                      */
    int n_supports;          /* readers: lines of the story, from 0, that are known */
    const int *supports;     /* to hold the answer; marked in the trace, never read */
    const TraceImage *image; /* image models only                                 */
} RunInput;

/* Zero-initialised means: the model's own way, seed 0, greedy. */
typedef struct RunOptions {
    uint64_t seed;
    double temperature;    /* of the softmax over scores; 0: 1                                 */
    int beam;              /* 0 or 1: greedy                                                   */
    double length_penalty; /* alpha in ((5 + n) / 6)^alpha (Wu et al. 2016); 0: n, the length  */
    int max_steps;         /* 0: 2 S + 10, at most 2,000                                       */
    int window;            /* D of local windows; 0: the model's                               */
    bool renormalise;      /* local-p weights divided by their sum                             */
    bool sample;           /* hard choices drawn instead of the largest                        */
    int paths;             /* image models: sampled runs laid beside the run; selections: the
                              classes are means over so many draws; 0: none                     */
    int feature;           /* multi-dimensional: kept when all features are too many to keep   */
    const char *force;     /* target text to write instead of the model's own; NULL            */
    bool verdict_first;    /* documents: without what each word and sentence did to the class,
                              which takes longer than the class; attribute "effects": "later"  */
    int n_hidden;          /* input items that attention may not see                           */
    const int *hidden;
    const StopFlag *stop; /* NULL: cannot be cancelled                                        */
} RunOptions;

/* What a person decides for one step. Zero-initialised is NOT neutral: use STEP_CHOICE_NONE. */
typedef struct StepChoice {
    int token;            /* id to write; -1: the model's choice                      */
    const char *word;     /* or the token by its text; NULL                           */
    int n_weights;        /* 0: the model's weights                                   */
    const float *weights; /* one for each input item; renormalised to sum one         */
    int selected;         /* hard: the position to take; -1: the model's              */
    bool moves_window;
    double centre;   /* of a local window, or the x of a glimpse                 */
    double centre_y; /* the y of a glimpse                                       */
    int window;      /* D at this step; 0: as in the options                     */
    int n_flips;     /* selections (ReSA) to turn over at this step              */
    const int *flips;
} StepChoice;

#define STEP_CHOICE_NONE ((StepChoice){.token = -1, .selected = -1})

Session *session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                       Error *error) FOVEA_MUST_USE;
/* choice NULL: the model's own. ERROR_INPUT when the session is done or the choice does not
 * fit; the session is then unchanged. */
bool session_step(Session *session, const StepChoice *choice, Error *error) FOVEA_MUST_USE;
bool session_is_done(const Session *session);
int session_n_steps(const Session *session);
/* Keeps steps 0 .. step-1; 0 <= step <= session_n_steps. */
void session_rewind(Session *session, int step);
/* A new reference; NULL on failure. */
const Trace *session_trace(Session *session, Error *error) FOVEA_MUST_USE;
void session_free(Session *session); /* NULL is fine */

/* A whole run: every step until the end, choices applied where they belong. */
typedef struct Intervention {
    int step;
    StepChoice choice;
} Intervention;

const Trace *model_run(const Model *model, const RunInput *input, const RunOptions *options,
                       int n_interventions, const Intervention *interventions,
                       Error *error) FOVEA_MUST_USE;

#endif
