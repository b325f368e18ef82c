/* run_edits.h - what a person changed about a run, owned, described, undone and saved.
 *
 * RunOptions and Interventions (model.h) borrow their arrays; a RunEdits owns them. It is a
 * value: undo keeps copies. Every difference from the model's own way is one change with a
 * name, listed in a fixed order (options first, then steps), and can be taken back on its
 * own.
 *
 * As JSON (what `fovea run --intervene FILE` reads and a saved session holds):
 *   {"temperature": 0.5, "beam": 5, "length_penalty": 0.6, "window": 4, "renormalise": true,
 *    "sample": true, "seed": 7, "paths": 100, "force": "...", "hidden": [2],
 *    "steps": [{"step": 3, "token": 41, "word": "pomme", "weights": [0, 1], "selected": 2,
 *               "centre": 4.5, "centre_y": 0, "window": 2, "flips": [0, 5]}]}
 * Every member may be missing; an unknown one is refused with its name.
 */
#ifndef FOVEA_MODELS_RUN_EDITS_H
#define FOVEA_MODELS_RUN_EDITS_H
#include <jansson.h>

#include "base/strbuf.h"
#include "models/model.h"

#define RUN_EDITS_MAX_STEPS 100000
#define RUN_EDITS_MAX_ITEMS 100000
#define RUN_EDITS_MAX_BYTES ((size_t)16 << 20) /* of a file */

typedef struct RunEdits RunEdits;

RunEdits *run_edits_new(void);
RunEdits *run_edits_copy(const RunEdits *edits);
void run_edits_free(RunEdits *edits); /* NULL is fine */
bool run_edits_equal(const RunEdits *a, const RunEdits *b);

/* For session_begin and model_run; borrowed until the next change. `stop` is NULL. */
const RunOptions *run_edits_options(const RunEdits *edits);
const Intervention *run_edits_interventions(const RunEdits *edits, int *n);

/* ---- the whole run; the value that means "the model's own way" takes the change back ---- */
void run_edits_set_temperature(RunEdits *edits, double temperature); /* 1 */
void run_edits_set_beam(RunEdits *edits, int width);                 /* 1 */
void run_edits_set_length_penalty(RunEdits *edits, double alpha);    /* 0 */
void run_edits_set_window(RunEdits *edits, int reach);               /* 0 */
void run_edits_set_renormalise(RunEdits *edits, bool on);
void run_edits_set_sample(RunEdits *edits, bool on);
void run_edits_set_seed(RunEdits *edits, uint64_t seed);     /* 0 */
void run_edits_set_paths(RunEdits *edits, int paths);        /* 0 */
void run_edits_set_force(RunEdits *edits, const char *text); /* NULL or "" */
void run_edits_hide(RunEdits *edits, int item, bool hidden);

/* ---- one step ---- */
void run_edits_set_token(RunEdits *edits, int step, int token, const char *word);   /* -1, NULL */
void run_edits_set_weights(RunEdits *edits, int step, int n, const float *weights); /* 0 */
void run_edits_set_selected(RunEdits *edits, int step, int position);               /* -1 */
void run_edits_set_centre(RunEdits *edits, int step, double x, double y);
void run_edits_clear_centre(RunEdits *edits, int step);
void run_edits_set_step_window(RunEdits *edits, int step, int reach); /* 0 */
void run_edits_flip(RunEdits *edits, int step, int item);             /* again: back */
/* What was decided after a step makes no sense once the step is decided anew. */
void run_edits_forget_after(RunEdits *edits, int step);

/* ---- the list of changes ---- */
int run_edits_count(const RunEdits *edits);
/* ERROR_INPUT names a changed step that a run of n_steps does not have: it changed nothing. */
bool run_edits_check_steps(const RunEdits *edits, int n_steps, Error *error) FOVEA_MUST_USE;
typedef enum {
    RUN_EDIT_TEMPERATURE,
    RUN_EDIT_BEAM,
    RUN_EDIT_LENGTH_PENALTY,
    RUN_EDIT_WINDOW,
    RUN_EDIT_RENORMALISE,
    RUN_EDIT_SAMPLE, /* number: the seed */
    RUN_EDIT_PATHS,
    RUN_EDIT_FORCE,  /* word: the text          */
    RUN_EDIT_HIDDEN, /* number: the source item */
    RUN_EDIT_TOKEN,  /* word, or number: its id */
    RUN_EDIT_WEIGHTS,
    RUN_EDIT_SELECTED, /* number: the position */
    RUN_EDIT_CENTRE,
    RUN_EDIT_STEP_WINDOW,
    RUN_EDIT_FLIPS, /* number: how many */
    RUN_EDIT_KINDS,
} RunEditKind;

typedef struct RunEdit {
    RunEditKind kind;
    int step;         /* 0-based; -1: the whole run          */
    double number;    /* what it was set to                  */
    const char *word; /* or NULL; borrowed until the next change */
} RunEdit;

RunEdit run_edits_at(const RunEdits *edits, int i);
void run_edits_remove(RunEdits *edits, int i);

/* ---- JSON ---- */
json_t *run_edits_to_json(const RunEdits *edits); /* the caller's reference */
RunEdits *run_edits_from_json(const json_t *value, Error *error) FOVEA_MUST_USE;
/* A file; "-" is standard input. */
RunEdits *run_edits_open(const char *path, Error *error) FOVEA_MUST_USE;

#endif
