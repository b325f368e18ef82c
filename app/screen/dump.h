/* dump.h - a file of another tool in the window: which of its sentences is shown and how they
 * compare with each other, what is odd about the numbers, what a person adds to it (axes the
 * other way round, tokens, gold links), and a second file beside it.
 *
 *   dump.c              opening, turning, another sentence, the file beside
 *   dump_work.c         what is worked out beside the window: measures and checks
 *   dump_session.c      what of all this a session keeps
 *   screen_sentences.c  the list of sentences: searched, sorted by any measure
 *   screen_dump.c       the parts of the panels and the dialogs
 *
 * Invariants: `order` lists sentences of the open file; what a worker hands back for a file
 * that was open before is dropped (`opened` tells). The file beside is only there while a file
 * is open.
 *
 * Threads: an ImportSet belongs to one thread, so the worker that measures the sentences opens
 * the file for itself; it works in slices of a tenth of a second and stops between two.
 */
#ifndef FOVEA_SCREEN_DUMP_H
#define FOVEA_SCREEN_DUMP_H
#include "screen/app_internal.h"
#include "trace/trace_check.h"

#define DUMP_MOST_CHECKED 4 /* tensors of one sentence */
#define DUMP_NOTE_BYTES   32
#define DUMP_IN_FILE      (-1) /* sorted as the file has them */

/* What the person said about the open file. */
typedef struct DumpSays {
    bool swap;             /* rows and columns against what was assumed */
    char *source, *target; /* typed tokens of sentence `typed`; NULL: none */
    int typed;
    char *gold; /* path; NULL: what stands beside */
} DumpSays;

struct DumpWork {
    Worker *measuring, *looking;
    bool is_closing;
    uint64_t opened; /* counts files that were opened, or opened otherwise */
    DumpSays says;

    /* Of the sentences: at[0 .. n_measured). */
    bool is_measured; /* the list was asked for */
    ImportMeasures *at;
    int n_measured, n_total;

    /* The list as it is shown: worked out again when one of these is another. */
    int sort; /* a measure, or DUMP_IN_FILE */
    bool falls;
    Edit *search;
    uint64_t search_version;
    int listed_n; /* measured when it was listed; -1: to be listed */
    int *order;
    char (*notes)[DUMP_NOTE_BYTES];
    int n_order;

    /* Of the sentence that is shown, once `looked_at` is its trace. */
    uint64_t asked_for, looked_at;
    ImportMeasures here;
    int n_reports;
    char tensors[DUMP_MOST_CHECKED][80];
    TraceReport reports[DUMP_MOST_CHECKED];

    ImportSet *beside;
    char *beside_path;
    const Trace *beside_trace; /* of the sentence that belongs to the one that is shown */
    uint64_t beside_of;        /* that trace */

    Edit *source, *target; /* fields of the dialog for tokens */
};

DumpWork *dump_work_new(const AppSpec *spec);
void dump_work_free(DumpWork *work);
void dump_close_beside(DumpWork *work);

/* ---- dump.c ---- */
bool dump_open(App *app, const char *path, Error *error) FOVEA_MUST_USE;
void dump_close(App *app);
/* Another sentence of the dump, or the same with its last two axes flipped. */
void dump_show(App *app, int sentence, bool flipped);
bool dump_says_tokens(App *app, const char *source, const char *target,
                      Error *error) FOVEA_MUST_USE;
bool dump_says_gold(App *app, const char *path, Error *error) FOVEA_MUST_USE;
/* A second file, for the Compare view. */
bool dump_open_beside(App *app, const char *path, Error *error) FOVEA_MUST_USE;
/* The same without a change of the view. */
bool dump_load_beside(App *app, const char *path, Error *error) FOVEA_MUST_USE;
const Trace *dump_partner(App *app); /* borrowed; NULL when there is none */
/* What was dropped on the window while a dump is open: gold links become its gold, a dump stands
 * beside it when the two are being compared; false when it is to be opened as usual. */
bool dump_takes_dropped(App *app, const char *path);
/* Lets go of every trace whose file has become shorter, and says so; called before drawing. */
void dump_check_files(App *app);

/* ---- dump_work.c ---- */
int dump_poll(App *app);
void dump_settle(App *app);
/* Something about the file is another: everything that was worked out is void. */
void dump_forget(App *app);
ImportOptions dump_options(const DumpSays *says);
void dump_says_copy(DumpSays *to, const DumpSays *from);
void dump_says_free(DumpSays *says);

/* ---- dump_session.c ----
 *   {"source": "the red house", "target": "..", "typed": 0, "gold": PATH, "beside": PATH,
 *    "sort": "entropy", "falls": true} */
json_t *dump_to_json(const App *app); /* a new reference */
/* What the person had said; files that are gone are looked for beside the session. */
void dump_says_read(DumpSays *says, const json_t *object, const char *session);
/* The rest, once the file is open again; what cannot be had any more is said. */
void dump_restore(App *app, const json_t *object, const char *session);

/* ---- screen_sentences.c ---- */
void screen_sentences(App *app); /* the list of a dump's sentences */

/* ---- screen_dump.c ---- */
void dump_rows(App *app, Rect *panel);                /* at the left: what can be done */
void dump_findings(App *app, Rect *rest, Rect panel); /* at the right: measures, checks */
void screen_tokens(App *app);                         /* the dialog that takes tokens  */
bool dump_compare_options(App *app, Rect *panel);     /* true: they replace a run's    */

#endif
