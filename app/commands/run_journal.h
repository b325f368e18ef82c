/* run_journal.h - what a batch has done so far, so that a stopped one can go on.
 *
 * OUT.journal stands beside the output while it is not whole: a first line that says what is
 * being done, then one JSON object for every line of the input, in their order. When all are
 * there, the output is written from it in one piece and the journal is removed; a killed run
 * leaves an old output as it was. The journal of a shard stays: it is what shards are merged
 * from.
 *
 *   {"fovea_journal": 1, "what": "...", "model": "...", "title": "...", "input": "...",
 *    "first": 0, "end": 2, "of": 80}
 *   {"line": 1, "text": "...", "numbers": [9, 10, 0.8, 0.97, -0.2, 0, 0, 0, 0], "label": ""}
 *   {"line": 2, "error": "..."}
 */
#ifndef FOVEA_COMMANDS_RUN_JOURNAL_H
#define FOVEA_COMMANDS_RUN_JOURNAL_H
#include <stdio.h>

#include <jansson.h>

#include "base/error.h"
#include "base/file.h"
#include "trace/corpus.h"

typedef struct JournalEntry {
    int64_t line;      /* of the input, from 1               */
    const char *text;  /* what the output holds for it       */
    const char *error; /* or why it failed; NULL             */
    bool is_blank;     /* nothing to do: not in the report   */
    CorpusLine numbers;
} JournalEntry;

/* What is done: strings are borrowed. */
typedef struct JournalHead {
    const char *what; /* everything that decides what comes out, but for which lines */
    const char *model, *title, *input;
    int64_t first, end, n_lines; /* lines [first, end) of n_lines */
} JournalHead;

typedef struct Journal {
    char *output, *path;
    FILE *stream;
} Journal;

/* Is called for every entry, in the order of lines. */
typedef void (*JournalTake)(void *context, const JournalEntry *entry);

/* A journal about something else is refused. With `resume` calls take for what is there. */
typedef struct JournalSpec {
    const char *output;
    JournalHead head;
    bool resume;
    JournalTake take;
    void *context;
} JournalSpec;
bool journal_open(Journal *journal, const JournalSpec *spec, Error *error) FOVEA_MUST_USE;
bool journal_add(Journal *journal, const JournalEntry *entry, Error *error) FOVEA_MUST_USE;
/* Writes the output; the journal stays or goes. */
bool journal_finish(Journal *journal, bool stays, Error *error) FOVEA_MUST_USE;
void journal_close(Journal *journal);

/* The journal that a finished shard left beside its output. */
typedef struct JournalPart {
    char *path;
    Bytes bytes;
    json_t *first_line;
    JournalHead head;
} JournalPart;

/* Refused when it is none, or not whole. */
bool journal_read(const char *output, JournalPart *part, Error *error) FOVEA_MUST_USE;
void journal_walk(const JournalPart *part, JournalTake take, void *context);
void journal_part_free(JournalPart *part); /* a zero one is fine */

#endif
