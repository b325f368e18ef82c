/* edit_internal.h - inside of the text editing model: edit.c, edit_history.c, edit_words.c. */
#ifndef FOVEA_UI_EDIT_INTERNAL_H
#define FOVEA_UI_EDIT_INTERNAL_H
#include "ui/edit.h"

typedef enum {
    STEP_ALONE,    /* never joined                    */
    STEP_TYPING,   /* joins typing that goes on       */
    STEP_ERASING,  /* joins deletion to the left      */
    STEP_DELETING, /* joins deletion to the right     */
} StepKind;

/* `removed` bytes at `offset` gave way to `inserted` bytes. Both texts lie in
 * EditHistory.bytes, one after the other, in the order of the steps. */
typedef struct EditStep {
    StepKind kind;
    size_t offset;
    size_t removed, inserted;
    size_t anchor_before, caret_before;
} EditStep;

typedef struct EditHistory {
    EditStep *steps; /* [n_steps] */
    size_t n_steps;
    size_t capacity;
    size_t n_done;    /* steps that are in the text; the rest can be redone */
    StrBuf bytes;     /* of all steps                                       */
    size_t done_size; /* of bytes: those of the done steps                  */
    bool closed;      /* the last step takes nothing more                   */
} EditHistory;

struct Edit {
    EditMode mode;
    size_t max_bytes;
    StrBuf text;
    size_t caret, anchor;
    bool at_line_end;
    uint64_t version;
    EditHistory history;
    StrBuf composition;
    size_t composition_caret;
    StrBuf shown; /* text with composition; only while composing */
    StrBuf clean; /* scratch */
};

/* Grapheme boundaries of text[0..n). Found from the start of the line: a cluster never
 * reaches over a newline. */
size_t edit_boundary_at_or_before(const char *text, size_t n, size_t offset);
size_t edit_boundary_before(const char *text, size_t n, size_t offset);
size_t edit_boundary_at_or_after(const char *text, size_t n, size_t offset);

size_t edit_line_start(const char *text, size_t offset);
size_t edit_line_end(const char *text, size_t n, size_t offset);
size_t edit_word_start_before(const char *text, size_t n, size_t offset);
size_t edit_word_end_after(const char *text, size_t n, size_t offset);
EditRange edit_word_around(const char *text, size_t n, size_t offset);

void history_clear(EditHistory *history);
void history_free(EditHistory *history);
/* Remembers a change that is about to be made: what stands in the text at step->offset and
 * the bytes that will stand there. */
void history_add(EditHistory *history, EditStep step, const char *removed, const char *inserted);
/* The step to take back or to make again, with its two texts; NULL when there is none. */
const EditStep *history_back(EditHistory *history, const char **removed, const char **inserted);
const EditStep *history_forward(EditHistory *history, const char **removed, const char **inserted);

#endif
