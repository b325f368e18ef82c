/* A file of inputs: chunks of lines are run on all processors, and what came of each chunk is
 * handed on in the order of the lines. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "commands/input_text.h"
#include "commands/interrupt.h"
#include "commands/progress.h"
#include "commands/run_job.h"
#include "format/lines.h"
#include "math/matrix.h"
#include "trace/trace_json.h"
#include "train/evaluate.h"

#define CHUNK_PER_THREAD 8

/* What came of one line. */
typedef struct Result {
    StrBuf text;
    CorpusLine numbers;
    bool is_blank;
    Error error;
} Result;

typedef struct Batch {
    const RunJob *job;
    const BatchSpec *spec;
    Bytes bytes, gold_bytes;
    Slice *lines, *gold; /* of the whole file */
    int64_t n_lines, n_gold;
    int gold_first;     /* number of a sentence's first word in the gold file */
    int64_t first, end; /* of this shard: lines [first, end)                  */
    int64_t done;       /* next line                                          */
    int64_t chunk;      /* first line of the chunk that runs                  */
    Result *results;    /* of the chunk                                       */
    StopFlag *stop;
    Journal journal;
    Tally tally;
} Batch;

/* ---- reading ---- */

static Slice *split_lines(const Bytes *bytes, int64_t *n)
{
    Slice *lines = NULL;
    size_t capacity = 0;
    Lines walk = lines_begin(bytes->data, bytes->size);
    Slice line;
    for (*n = 0; lines_next(&walk, &line); (*n)++) {
        lines = memory_grow(lines, &capacity, (size_t)*n + 1, sizeof *lines);
        lines[*n] = line;
    }
    return lines;
}

static bool read_gold(Batch *b, Error *error)
{
    if (!b->spec->gold)
        return true;
    if (!file_read(b->spec->gold, FILE_MAX_READ_BYTES, &b->gold_bytes, error))
        return false;
    b->gold = split_lines(&b->gold_bytes, &b->n_gold);
    b->gold_first = evaluate_first_word(b->gold_bytes.data, b->gold_bytes.size);
    if (b->n_gold < b->n_lines)
        return error_set(error, ERROR_INPUT,
                         "%s has %" PRId64 " lines; %s has %" PRId64 ": one line of links for "
                         "each is expected",
                         b->spec->gold, b->n_gold, b->spec->path, b->n_lines);
    return true;
}

/* ---- one line ---- */

/* Of "source ||| target" the source. */
static char *source_of(const Batch *b, Slice line)
{
    char *text = memory_copy_bytes(line.text, line.n);
    char *bar = b->gold ? strstr(text, "|||") : NULL;
    if (bar)
        *bar = '\0';
    return text;
}

static bool run_text(const Batch *b, const char *text, Result *r)
{
    const Trace *trace = run_job(b->job, &(RunInput){.text = text}, b->stop, &r->error);
    if (!trace)
        return false;
    r->numbers = corpus_measure(trace);
    bool ok = true;
    if (b->job->json)
        ok = trace_json_write(trace, &r->text, &r->error);
    else
        run_add_line(trace, &r->text);
    trace_release(trace);
    return ok;
}

static void run_line(void *context, int i)
{
    Batch *b = context;
    Result *r = &b->results[i];
    Slice line = b->lines[b->chunk + i];
    r->is_blank = slice_is_blank(line);
    if (r->is_blank || stop_requested(b->stop) || !input_text_check(line, &r->error))
        return;
    char *text = source_of(b, line);
    bool ok = run_text(b, text, r);
    free(text);
    if (!ok || !b->gold)
        return;
    Slice gold = b->gold[b->chunk + i];
    const AlignedPair pair = {line.text, line.n, gold.text, gold.n, b->gold_first};
    if (!evaluate_aligned_pair(b->job->model, &pair, &r->numbers.align, &r->error))
        error_prefix(&r->error, "alignment");
}

/* ---- in order ---- */

void tally_add(Tally *tally, const JournalEntry *e)
{
    int most = (int)(sizeof tally->problems / sizeof tally->problems[0]);
    if (!e->error) {
        if (!e->is_blank)
            corpus_add(&tally->corpus, &e->numbers);
        return;
    }
    tally->n_failed++;
    if (tally->n_problems == most)
        return;
    StrBuf text = {0};
    strbuf_addf(&text, "line %" PRId64 ": %s", e->line, e->error);
    tally->problems[tally->n_problems++] = strbuf_take(&text);
}

/* Of a line that is done, now or before. */
static void count(void *context, const JournalEntry *e)
{
    Batch *b = context;
    b->done = e->line;
    tally_add(&b->tally, e);
}

/* In a file of JSON objects a bad line is one, too. */
static void describe_failure(const Batch *b, int64_t line, Result *r)
{
    strbuf_clear(&r->text);
    strbuf_add(&r->text, "");
    if (!b->job->json)
        return;
    strbuf_addf(&r->text, "{\"line\":%" PRId64 ",\"error\":\"", line);
    strbuf_add_json(&r->text, r->error.message, strlen(r->error.message));
    strbuf_add(&r->text, "\"}");
}

static bool hand_on(Batch *b, int64_t line, Result *r, Progress *progress, Error *error)
{
    bool failed = error_is_set(&r->error);
    if (failed) {
        progress_clear(progress);
        fprintf(stderr, "fovea: %s, line %" PRId64 ": %s\n", b->spec->path, line, r->error.message);
        describe_failure(b, line, r);
    }
    const JournalEntry entry = {
        .line = line,
        .text = r->text.text ? r->text.text : "",
        .error = failed ? r->error.message : NULL,
        .is_blank = r->is_blank,
        .numbers = r->numbers,
    };
    count(b, &entry);
    if (b->spec->output)
        return journal_add(&b->journal, &entry, error);
    return (fputs(entry.text, stdout) >= 0 && putchar('\n') != EOF) ||
           error_set(error, ERROR_IO, "standard output cannot be written");
}

static bool run_chunk(Batch *b, Workers *workers, int n, Progress *progress, Error *error)
{
    b->chunk = b->done;
    memset(b->results, 0, (size_t)n * sizeof *b->results);
    workers_run(workers, n, run_line, b);
    bool stopped = stop_requested(b->stop), ok = true;
    for (int i = 0; i < n; i++) {
        ok = ok && !stopped && hand_on(b, b->chunk + i + 1, &b->results[i], progress, error);
        strbuf_free(&b->results[i].text);
    }
    if (stopped)
        return error_set(error, ERROR_CANCELLED, "stopped after %" PRId64 " of %" PRId64 " lines%s",
                         b->done - b->first, b->end - b->first,
                         b->spec->output ? "; --resume goes on from there" : "");
    return ok;
}

static bool run_all(Batch *b, Error *error)
{
    int most = b->spec->n_threads * CHUNK_PER_THREAD;
    b->results = memory_new((size_t)most, sizeof *b->results);
    Workers *workers = workers_new(b->spec->n_threads);
    Progress progress = progress_begin(b->end - b->first, b->done - b->first);
    bool ok = true;
    while (ok && b->done < b->end) {
        int64_t left = b->end - b->done;
        ok = run_chunk(b, workers, (int)(left < most ? left : most), &progress, error);
        progress_show(&progress, b->done - b->first);
    }
    progress_clear(&progress);
    workers_free(workers);
    free(b->results);
    return ok;
}

/* ---- together ---- */

/* Everything that decides what comes out: a journal of something else must not be continued. */
static char *what_is_done(const Batch *b)
{
    const RunJob *job = b->job;
    const RunOptions *o = &job->options;
    StrBuf text = {0};
    strbuf_addf(&text, "%s (%ld bytes), %s (%zu bytes), ", model_name(job->model),
                model_bytes(job->model), b->spec->path, b->bytes.size);
    strbuf_addf(&text, "seed %" PRIu64 " temperature %g beam %d %g steps %d window %d %d %d %d %d",
                o->seed, o->temperature, o->beam, o->length_penalty, o->max_steps, o->window,
                o->sample, o->renormalise, o->paths, o->feature);
    strbuf_addf(&text, " force \"%s\" gold \"%s\" %s", o->force ? o->force : "",
                b->spec->gold ? b->spec->gold : "", job->json ? "json" : "text");
    if (job->edits) {
        json_t *edits = run_edits_to_json(job->edits);
        char *dump = json_dumps(edits, JSON_COMPACT | JSON_SORT_KEYS);
        strbuf_addf(&text, " %s", dump);
        free(dump);
        json_decref(edits);
    }
    return strbuf_take(&text);
}

static JournalHead head_of(const Batch *b, const char *what)
{
    return (JournalHead){
        .what = what,
        .model = model_name(b->job->model),
        .title = model_title(b->job->model),
        .input = b->spec->path,
        .first = b->first,
        .end = b->end,
        .n_lines = b->n_lines,
    };
}

static bool begin(Batch *b, Error *error)
{
    const BatchSpec *spec = b->spec;
    if (!file_read(spec->path, FILE_MAX_READ_BYTES, &b->bytes, error))
        return false;
    b->lines = split_lines(&b->bytes, &b->n_lines);
    b->first = b->done = b->n_lines * (spec->shard - 1) / spec->n_shards;
    b->end = b->n_lines * spec->shard / spec->n_shards;
    if (!read_gold(b, error))
        return false;
    if (!spec->output)
        return true;
    char *what = what_is_done(b);
    const JournalSpec journal = {
        .output = spec->output,
        .head = head_of(b, what),
        .resume = spec->resume,
        .take = count,
        .context = b,
    };
    bool ok = journal_open(&b->journal, &journal, error);
    free(what);
    return ok;
}

#ifdef FOVEA_DRAWS
bool tally_report(const Tally *tally, const JournalHead *head, const char *path, Error *error)
{
    const RunReport r = {
        .model = head->model,
        .title = head->title,
        .input = head->input,
        .corpus = &tally->corpus,
        .n_failed = tally->n_failed,
        .problems = (const char *const *)tally->problems,
        .n_problems = tally->n_problems,
    };
    return !path || run_report_write(&r, path, error);
}
#else
bool tally_report(const Tally *tally, const JournalHead *head, const char *path, Error *error)
{
    (void)tally;
    (void)head;
    return !path || error_set(error, ERROR_UNSUPPORTED, "--report: this program cannot draw");
}
#endif

bool tally_conclude(const Tally *tally, int64_t n_lines, Error *error)
{
    return tally->n_failed == 0 ||
           error_set(error, ERROR_IO, "%" PRId64 " of %" PRId64 " lines failed", tally->n_failed,
                     n_lines);
}

void tally_free(Tally *tally)
{
    for (int i = 0; i < tally->n_problems; i++)
        free(tally->problems[i]);
}

static void end(Batch *b)
{
    journal_close(&b->journal);
    tally_free(&b->tally);
    free(b->lines);
    free(b->gold);
    bytes_free(&b->bytes);
    bytes_free(&b->gold_bytes);
}

bool run_batch(const RunJob *job, const BatchSpec *spec, Error *error)
{
    Batch b = {.job = job, .spec = spec, .stop = interrupt_catch()};
    matrix_set_threads(1); /* the processors work on lines of their own */
    bool ok = begin(&b, error) && run_all(&b, error);
    if (ok && spec->output)
        ok = journal_finish(&b.journal, spec->n_shards > 1, error);
    const JournalHead head = head_of(&b, "");
    ok = ok && tally_report(&b.tally, &head, spec->report, error) &&
         tally_conclude(&b.tally, b.end - b.first, error);
    end(&b);
    return ok;
}
