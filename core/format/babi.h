/* babi.h - question answering tasks in the format of bAbI (Weston et al. 2015, arXiv
 * 1502.05698): short stories with questions between their sentences.
 *
 *     1 Mary moved to the bathroom.
 *     2 John went to the hallway.
 *     3 Where is Mary?<TAB>bathroom<TAB>1
 *
 * Lines are numbered from 1; the number 1 begins a new story. A line with a TAB is a question:
 * its answer, and the numbers of the sentences that support it. The answer may be several
 * words in one ("football,milk"; "s,e"): it is a text like any other. A question sees the
 * sentences of its story that stand before it. Windows line ends, a byte-order mark and blank
 * lines are taken off.
 *
 * Errors (ERROR_FORMAT) name file, line and column: a number that is missing or out of order,
 * text that is missing or not UTF-8, a question without an answer, support that is no earlier
 * sentence of the story, a file without a question.
 *
 * Memory: slices point into the file's bytes, which the Babi owns. Threads: read-only use.
 * Depends on: base.
 */
#ifndef FOVEA_FORMAT_BABI_H
#define FOVEA_FORMAT_BABI_H
#include "base/file.h"
#include "format/lines.h"

#define BABI_MAX_BYTES ((size_t)256 << 20)

typedef struct BabiQuestion {
    int line;           /* of the file, from 1                                          */
    int first_sentence; /* of Babi.sentences: where its story begins                    */
    int n_sentences;    /* of the story, before the question                            */
    Slice question, answer;
    const int *supports; /* [n_supports] sentences of the story, from 0                 */
    int n_supports;
} BabiQuestion;

typedef struct Babi {
    Slice *sentences; /* of all stories, in order */
    int n_sentences;
    BabiQuestion *questions;
    int n_questions;
    int *stories; /* [n_stories + 1] first question of each story that has one */
    int n_stories;
    int *supports; /* of all questions */
    Bytes bytes;
} Babi;

bool babi_read(const char *path, Babi *out, Error *error) FOVEA_MUST_USE;
/* The same from memory, which is taken over; `name` is the file for messages. */
bool babi_parse(const char *name, Bytes bytes, Babi *out, Error *error) FOVEA_MUST_USE;
void babi_free(Babi *babi); /* also after a failure */

/* The sentences before a question, one a line; the caller frees. */
char *babi_story(const Babi *babi, const BabiQuestion *question);

/* "3" is story 3 (its last question: 0), "3:2" its question 2. */
bool babi_read_number(const char *text, int *story, int *question, Error *error) FOVEA_MUST_USE;

/* Question `question` (from 1; 0: the last one) of story `story` (from 1). NULL when there is
 * none: ERROR_INPUT says how many there are. */
const BabiQuestion *babi_find(const Babi *babi, int story, int question, Error *error);

#endif
