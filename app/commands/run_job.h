/* run_job.h - what `fovea run` was told to do, shared by its parts: one input (run.c, printed
 * by run_print.c) or a file of them (run_batch.c, with run_journal.c and, where there are
 * graphics libraries, run_report.c), also in parts that are put together later (run_merge.c). */
#ifndef FOVEA_COMMANDS_RUN_JOB_H
#define FOVEA_COMMANDS_RUN_JOB_H
#include "commands/args.h"
#include "commands/run_journal.h"
#include "format/lines.h"
#include "models/leave_one_out.h"
#include "models/run_edits.h"
#include "trace/corpus.h"

typedef struct RunJob {
    const Model *model;
    RunOptions options;
    RunEdits *edits; /* of --intervene; or NULL. The options above hold them already */
    int n_interventions;
    Intervention *interventions; /* with those of the edits */
    const char *save_picture;
    bool json;
} RunJob;

/* The run as it was told; as it would be without the edits. */
const Trace *run_job(const RunJob *job, const RunInput *input, const StopFlag *stop,
                     Error *error) FOVEA_MUST_USE;

/* ---- run_print.c ---- */

void run_print_trace(const Trace *trace);
/* One line: the output, or the verdict and its probability. */
void run_add_line(const Trace *trace, StrBuf *out);
void run_print_followed(const Trace *before, const Trace *after);
void run_print_left_out(const LeaveOneOut *result);
char *run_left_out_json(const LeaveOneOut *result); /* the caller frees */

/* ---- run_batch.c ---- */

typedef struct BatchSpec {
    const char *path;   /* "-": standard input                   */
    const char *output; /* NULL: standard output                 */
    const char *gold;   /* alignment links for each line; NULL   */
    const char *report; /* .html, .svg or .json; NULL            */
    bool resume;
    int shard, n_shards; /* 1 of 1: everything */
    int n_threads;
} BatchSpec;

/* The inputs of a file, one a line, on all processors; results in the order of the lines. A
 * bad line is reported by its number and leaves an empty line; the rest is done. */
bool run_batch(const RunJob *job, const BatchSpec *spec, Error *error) FOVEA_MUST_USE;

/* What came of many lines. */
typedef struct Tally {
    Corpus corpus;
    int64_t n_failed;
    char *problems[20]; /* [n_problems] the first of them */
    int n_problems;
} Tally;

void tally_add(Tally *tally, const JournalEntry *entry);
void tally_free(Tally *tally);
/* NULL for path: none is wanted. */
bool tally_report(const Tally *tally, const JournalHead *head, const char *path,
                  Error *error) FOVEA_MUST_USE;
/* ERROR_IO when a line failed. */
bool tally_conclude(const Tally *tally, int64_t n_lines, Error *error) FOVEA_MUST_USE;

/* ---- run_merge.c ---- */

typedef struct MergeSpec {
    int n;
    const char *const *parts;    /* [n] outputs of shards, in any order */
    const char *output, *report; /* NULL: standard output; none          */
} MergeSpec;

/* The shards' outputs and journals become what the run in one piece would have written, byte
 * for byte. Refused: parts of different runs, missing or repeated lines. */
bool run_merge(const MergeSpec *spec, Error *error) FOVEA_MUST_USE;

/* ---- run_report.c, in fovea-window only ---- */

typedef struct RunReport {
    const char *model, *title;
    const char *input;
    const Corpus *corpus;
    int64_t n_failed;
    const char *const *problems; /* [n_problems] the first of them */
    int n_problems;
} RunReport;

/* By the ending of `path`: .html, .svg, anything else JSON. */
bool run_report_write(const RunReport *report, const char *path, Error *error) FOVEA_MUST_USE;

#endif
