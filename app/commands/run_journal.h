/* run_journal.h - what a batch has done so far, so that a stopped one can go on.
 *
 * OUT.journal stands beside the output while it is not whole: a first line that says what is
 * being done, then one JSON object for every line of the input, in their order. When all are
 * there, the output is written from it in one piece and the journal is removed; a killed run
 * leaves an old output as it was.
 *
 *   {"fovea_journal": 1, "what": "..."}
 *   {"line": 1, "text": "...", "numbers": [9, 10, 0.8, 0.97, -0.2, 0, 0, 0, 0], "label": ""}
 *   {"line": 2, "error": "..."}
 */
#ifndef FOVEA_COMMANDS_RUN_JOURNAL_H
#define FOVEA_COMMANDS_RUN_JOURNAL_H
#include <stdio.h>

#include "base/error.h"
#include "trace/corpus.h"

typedef struct JournalEntry {
    int64_t line;      /* of the input, from 1               */
    const char *text;  /* what the output holds for it       */
    const char *error; /* or why it failed; NULL             */
    bool is_blank;     /* nothing to do: not in the report   */
    CorpusLine numbers;
} JournalEntry;

typedef struct Journal {
    char *output, *path;
    FILE *stream;
} Journal;

/* `what` names model, input and options: a journal about something else is refused. With
 * `resume` calls take for every entry that is already there. */
bool journal_open(Journal *journal, const char *output, const char *what, bool resume,
                  void (*take)(void *context, const JournalEntry *entry), void *context,
                  Error *error) FOVEA_MUST_USE;
bool journal_add(Journal *journal, const JournalEntry *entry, Error *error) FOVEA_MUST_USE;
/* Writes the output and removes the journal. */
bool journal_finish(Journal *journal, Error *error) FOVEA_MUST_USE;
void journal_close(Journal *journal);

#endif
