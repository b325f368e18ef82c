/* What is worked out about a dump while the window goes on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "screen/dump.h"

#define SLICE_SECONDS   0.1
#define SLICE_SENTENCES 256
#define TOKENS_BYTES    ((size_t)1 << 20)

/* ---- what the person says ---- */

static char *copy(const char *text)
{
    return text ? memory_copy_string(text) : NULL;
}

void dump_says_copy(DumpSays *to, const DumpSays *from)
{
    *to = (DumpSays){from->swap, copy(from->source), copy(from->target), from->typed,
                     copy(from->gold)};
}

void dump_says_free(DumpSays *says)
{
    free(says->source);
    free(says->target);
    free(says->gold);
    *says = (DumpSays){0};
}

ImportOptions dump_options(const DumpSays *says)
{
    return (ImportOptions){
        .swap = says->swap,
        .gold_path = says->gold,
        .source_text = says->source,
        .target_text = says->target,
        .typed_sentence = says->typed,
    };
}

/* ---- life ---- */

DumpWork *dump_work_new(const AppSpec *spec)
{
    DumpWork *w = memory_new(1, sizeof *w);
    w->measuring = worker_new(spec->wake, spec->wake_context);
    w->looking = worker_new(spec->wake, spec->wake_context);
    w->search = edit_new(EDIT_ONE_LINE, 1024);
    w->source = edit_new(EDIT_ONE_LINE, TOKENS_BYTES);
    w->target = edit_new(EDIT_ONE_LINE, TOKENS_BYTES);
    w->sort = DUMP_IN_FILE;
    w->listed_n = -1;
    return w;
}

static void forget_list(DumpWork *w)
{
    free(w->at);
    free(w->order);
    free(w->notes);
    w->at = NULL;
    w->order = NULL;
    w->notes = NULL;
    w->n_measured = w->n_total = w->n_order = 0;
    w->is_measured = false;
    w->listed_n = -1;
}

void dump_close_beside(DumpWork *w)
{
    import_close(w->beside);
    trace_release(w->beside_trace);
    free(w->beside_path);
    w->beside = NULL;
    w->beside_trace = NULL;
    w->beside_path = NULL;
    w->beside_of = 0;
}

void dump_work_free(DumpWork *w)
{
    if (!w)
        return;
    w->is_closing = true;
    worker_free(w->measuring);
    worker_free(w->looking);
    forget_list(w);
    dump_says_free(&w->says);
    dump_close_beside(w);
    edit_free(w->search);
    edit_free(w->source);
    edit_free(w->target);
    free(w);
}

void dump_forget(App *app)
{
    DumpWork *w = app->dump_work;
    w->opened++;
    worker_cancel(w->measuring);
    worker_cancel(w->looking);
    forget_list(w);
    w->asked_for = w->looked_at = 0;
}

/* ---- measures of the sentences, slice by slice ---- */

typedef struct Measuring {
    App *app;
    uint64_t opened;
    char *path;
    DumpSays says;
    ImportSet *set; /* of the worker's own */
    int from, n;
    ImportMeasures at[SLICE_SENTENCES];
} Measuring;

static void measure_slice(void *context, const StopFlag *stop)
{
    Measuring *m = context;
    Error passed_over = {0}; /* a sentence that cannot be read has no measures */
    const ImportOptions options = dump_options(&m->says);
    double end = clock_seconds() + SLICE_SECONDS;
    m->n = 0;
    if (!m->set)
        m->set = import_open(m->path, &options, &passed_over);
    while (m->set && m->n < SLICE_SENTENCES && m->from + m->n < import_count(m->set) &&
           !stop_requested(stop) && (m->n == 0 || clock_seconds() < end)) {
        error_clear(&passed_over);
        if (!import_measure(m->set, m->from + m->n, &m->at[m->n], &passed_over))
            error_clear(&passed_over);
        m->n++;
    }
}

static void measuring_free(Measuring *m)
{
    import_close(m->set);
    dump_says_free(&m->says);
    free(m->path);
    free(m);
}

static void take_slice(void *context, JobOutcome outcome)
{
    Measuring *m = context;
    DumpWork *w = m->app->dump_work;
    bool is_ours = !w->is_closing && outcome == JOB_RAN && m->opened == w->opened;
    for (int i = 0; is_ours && i < m->n && m->from + i < w->n_total; i++)
        w->at[m->from + i] = m->at[i];
    if (is_ours)
        w->n_measured = m->from + m->n < w->n_total ? m->from + m->n : w->n_total;
    if (!is_ours || m->n == 0 || w->n_measured == w->n_total) {
        measuring_free(m);
        return;
    }
    m->from = w->n_measured;
    worker_submit(w->measuring, (Job){m, measure_slice, take_slice});
}

static void begin_measuring(App *app)
{
    DumpWork *w = app->dump_work;
    w->is_measured = true;
    w->n_total = import_count(app->dump);
    w->at = memory_new((size_t)w->n_total, sizeof *w->at);
    Measuring *m = memory_new(1, sizeof *m);
    m->app = app;
    m->opened = w->opened;
    m->path = memory_copy_string(app->doc.file);
    dump_says_copy(&m->says, &w->says);
    worker_submit(w->measuring, (Job){m, measure_slice, take_slice});
}

/* ---- the sentence that is shown ---- */

typedef struct Looking {
    App *app;
    const Trace *trace;
    ImportMeasures here;
    int n;
    char tensors[DUMP_MOST_CHECKED][80];
    TraceReport reports[DUMP_MOST_CHECKED];
} Looking;

static bool is_checked(const TraceTensor *t)
{
    return t->role == TRACE_WEIGHTS || t->role == TRACE_SCORES || t->role == TRACE_PROBABILITIES;
}

static void look(void *context, const StopFlag *stop)
{
    Looking *l = context;
    Error passed_over = {0};
    if (!trace_intact(l->trace) || !import_measure_trace(l->trace, &l->here, &passed_over))
        l->here.rows = -1;
    for (int32_t i = 0; i < trace_n_tensors(l->trace) && l->n < DUMP_MOST_CHECKED; i++) {
        const TraceTensor *t = trace_tensor(l->trace, i);
        if (!is_checked(t) || !trace_intact(l->trace))
            continue;
        trace_check(l->trace, t, stop, &l->reports[l->n]);
        snprintf(l->tensors[l->n++], sizeof l->tensors[0], "%s", t->name);
    }
}

static void take_look(void *context, JobOutcome outcome)
{
    Looking *l = context;
    DumpWork *w = l->app->dump_work;
    if (!w->is_closing && outcome == JOB_RAN && w->asked_for == trace_id(l->trace)) {
        w->looked_at = w->asked_for;
        w->here = l->here;
        w->n_reports = l->n;
        memcpy(w->reports, l->reports, sizeof w->reports);
        memcpy(w->tensors, l->tensors, sizeof w->tensors);
    }
    trace_release(l->trace);
    free(l);
}

static void ask_for_look(App *app)
{
    Looking *l = memory_new(1, sizeof *l);
    l->app = app;
    l->trace = trace_retain(app->trace);
    app->dump_work->asked_for = trace_id(app->trace);
    worker_submit_replacing(app->dump_work->looking, (Job){l, look, take_look});
}

/* ---- every frame ---- */

int dump_poll(App *app)
{
    DumpWork *w = app->dump_work;
    int taken = worker_poll(w->measuring) + worker_poll(w->looking);
    dump_check_files(app);
    if (!app->dump)
        return taken;
    if (app->trace && w->asked_for != trace_id(app->trace))
        ask_for_look(app);
    if (!w->is_measured && ui_is_open(app->ui, "sentences"))
        begin_measuring(app);
    if (app->spec.still)
        dump_settle(app);
    return taken;
}

void dump_settle(App *app)
{
    DumpWork *w = app->dump_work;
    do {
        worker_wait(w->measuring);
        worker_wait(w->looking);
    } while (worker_poll(w->measuring) + worker_poll(w->looking) > 0);
}
