/* worker.h - one thread that does the long things, and hands the results back.
 *
 * A job is a self-contained copy of its inputs (the worker owns it) and polls a stop flag at
 * every step. Results wait in a mailbox until the window's thread takes them; the wake-up
 * that is sent carries no data. Two ways to submit: in turn, or replacing (the picture must
 * follow the last keystroke: the job that runs is asked to stop, one that waits is dropped).
 *
 * Invariants:
 *   1. Every submitted job is finished exactly once in the submitting thread, by worker_poll
 *      or worker_free: done(context, outcome), after which the context is the callee's.
 *   2. Jobs run one at a time, in the order of submission.
 *
 * Threads: worker_submit, worker_poll and worker_free belong to one thread; the mutex never
 * leaves worker.c.
 */
#ifndef FOVEA_SESSION_WORKER_H
#define FOVEA_SESSION_WORKER_H
#include "base/thread.h"

typedef struct Worker Worker;

typedef enum {
    JOB_RAN,     /* run returned, stopped early or not */
    JOB_DROPPED, /* never ran                          */
} JobOutcome;

typedef struct Job {
    void *context;
    /* In the worker's thread. */
    void (*run)(void *context, const StopFlag *stop);
    /* In the window's thread; frees the context. */
    void (*done)(void *context, JobOutcome outcome);
} Job;

/* wake(context) is called from the worker's thread when a result waits; NULL: never. */
Worker *worker_new(void (*wake)(void *context), void *context);
/* Stops what runs, drops what waits, finishes both. NULL is fine. */
void worker_free(Worker *worker);

void worker_submit(Worker *worker, Job job);
void worker_submit_replacing(Worker *worker, Job job);
/* Asks the running job to stop and drops what waits. */
void worker_cancel(Worker *worker);

/* Finishes the jobs whose results wait; returns how many. */
int worker_poll(Worker *worker);
bool worker_is_busy(const Worker *worker);
/* Blocks until nothing runs and nothing waits to run, for scripts and tests; poll after. */
void worker_wait(Worker *worker);

#endif
