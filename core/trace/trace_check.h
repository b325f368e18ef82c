/* trace_check.h - what is odd about a tensor, said and never mended.
 *
 * A figure drawn from a dump is only as true as the dump: weights that do not sum to one, NaN
 * rows of a fully masked query, padding that was left in, a head that looks at one token
 * whatever the query is. Nothing of this is repaired behind the person's back; it is listed,
 * each kind once, with how often it occurs and where it is worst.
 *
 * What is looked for depends on the role: sums, negatives, uniform maps and sinks only in
 * weights, negatives also in probabilities, NaN and infinities everywhere (-inf among scores
 * is how masks are written and only counted).
 *
 * Depends on: trace.
 */
#ifndef FOVEA_TRACE_TRACE_CHECK_H
#define FOVEA_TRACE_TRACE_CHECK_H
#include "base/thread.h"
#include "trace/trace.h"

typedef enum {
    TRACE_CHECK_NAN,          /* at: the first                                             */
    TRACE_CHECK_INFINITE,     /* at: the first                                             */
    TRACE_CHECK_NEGATIVE,     /* at, value: the lowest                                     */
    TRACE_CHECK_ROW_SUM,      /* rows off by more than the tolerance; at, value: the worst */
    TRACE_CHECK_COLUMN_SUM,   /* matrices whose columns sum to one where the rows do not   */
    TRACE_CHECK_ZERO_ROWS,    /* rows of zeros; at: the first                              */
    TRACE_CHECK_ZERO_COLUMNS, /* columns of zeros; at: the first                           */
    TRACE_CHECK_UNIFORM,      /* matrices with one value in every cell; at: the first      */
    TRACE_CHECK_SINK,         /* matrices in which one column gets more than half of all   */
    TRACE_CHECK_OTHER,        /* matrices that are hardly attention: most rows sum to neither
                                 one nor zero, nor do the columns; at: the first           */
    TRACE_CHECK_N
} TraceCheckKind;

#define TRACE_CHECK_SINK_SHARE 0.5
#define TRACE_CHECK_SINK_LEAST 4 /* rows and columns; smaller matrices have no sinks */

typedef struct TraceFinding {
    TraceCheckKind kind;
    int64_t count;              /* cells, rows, columns or matrices     */
    int32_t at[TRACE_MAX_RANK]; /* an index for each of the tensor's axes; unused ones 0 */
    double value;
    char place[120]; /* "head 2, target 3 (maison)", from 1, of what `text` names; or "" */
    char text[240];  /* a sentence */
} TraceFinding;

typedef struct TraceReport {
    int64_t n_matrices, n_rows;
    int32_t n;
    TraceFinding findings[TRACE_CHECK_N]; /* in the order of the kinds */
    bool complete;                        /* false: stopped on request */
} TraceReport;

/* How far a row's sum may be from one: what rounding to the type explains. */
double trace_check_tolerance(TraceType type);

/* Reads the whole tensor. */
void trace_check(const Trace *trace, const TraceTensor *tensor, const StopFlag *stop,
                 TraceReport *out);

const TraceFinding *trace_report_find(const TraceReport *report, TraceCheckKind kind); /* or NULL */

#endif
