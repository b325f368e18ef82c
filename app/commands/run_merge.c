/* The parts of a job array become one: what the run in one piece would have written. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/run_job.h"

static int by_first_line(const void *a, const void *b)
{
    const JournalHead *x = &((const JournalPart *)a)->head, *y = &((const JournalPart *)b)->head;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end); /* empty parts before the one that begins there */
}

/* In order, of one run, and together all of its lines. */
static bool check_parts(const JournalPart *parts, int n, Error *error)
{
    int64_t next = 0;
    for (int i = 0; i < n; i++) {
        const JournalHead *h = &parts[i].head;
        if (strcmp(h->what, parts[0].head.what) != 0 || h->n_lines != parts[0].head.n_lines)
            return error_set(error, ERROR_INPUT,
                             "%s and %s are of different runs (model, input or options differ)",
                             parts[0].path, parts[i].path);
        if (h->first < next)
            return error_set(error, ERROR_INPUT, "%s: line %" PRId64 " is in another part already",
                             parts[i].path, h->first + 1);
        if (h->first > next)
            break;
        next = h->end;
    }
    const int64_t all = parts[0].head.n_lines;
    return next == all ||
           error_set(error, ERROR_INPUT, "line %" PRId64 " of %" PRId64 " is in none of the parts",
                     next + 1, all);
}

typedef struct Merge {
    FILE *stream;
    Tally tally;
} Merge;

static void take(void *context, const JournalEntry *entry)
{
    Merge *m = context;
    tally_add(&m->tally, entry);
    fputs(entry->text, m->stream);
    fputc('\n', m->stream);
}

static bool write_all(Merge *m, const JournalPart *parts, const MergeSpec *spec, Error *error)
{
    FileWriter writer = {.stream = stdout};
    if (spec->output && !file_begin_write(spec->output, &writer, error))
        return false;
    m->stream = writer.stream;
    for (int i = 0; i < spec->n; i++)
        journal_walk(&parts[i], take, m);
    return !spec->output || file_end_write(&writer, error);
}

bool run_merge(const MergeSpec *spec, Error *error)
{
    JournalPart *parts = memory_new((size_t)spec->n + 1, sizeof *parts);
    Merge m = {0};
    bool ok = spec->n > 0 || error_set(error, ERROR_INPUT, "--merge wants the outputs of shards");
    for (int i = 0; i < spec->n && ok; i++)
        ok = journal_read(spec->parts[i], &parts[i], error);
    if (ok)
        qsort(parts, (size_t)spec->n, sizeof *parts, by_first_line);
    ok = ok && check_parts(parts, spec->n, error) && write_all(&m, parts, spec, error) &&
         tally_report(&m.tally, &parts[0].head, spec->report, error) &&
         tally_conclude(&m.tally, parts[0].head.n_lines, error);
    for (int i = 0; i < spec->n; i++)
        journal_part_free(&parts[i]);
    tally_free(&m.tally);
    free(parts);
    return ok;
}
