/* edit.h - a text that a person edits: characters, caret, selection, undo.
 *
 * Nothing here knows a screen, a key or a font. Moves go by what a person takes for a
 * character (a grapheme cluster), by words and by lines; moving up and down over wrapped
 * lines needs widths and is text_lines.h's. The caret may stand at the end of a wrapped line
 * or at the start of the next, which is the same offset: `at_line_end` tells which.
 *
 * What goes in is cleaned: bad bytes become U+FFFD, every kind of line end becomes '\n', and
 * in a field of one line a space. Other control characters stay and are shown as signs.
 *
 * Text of an input method that is not committed yet (composition) is shown at the caret, in
 * place of the selection, and is no part of the text until it is typed.
 *
 * Invariants:
 *   1. The text is valid UTF-8, at most max_bytes long, and ends with a zero byte.
 *   2. Caret and anchor stand on grapheme boundaries of the text.
 *   3. Nothing is lost: a change that would make the text too long is refused whole, with
 *      ERROR_LIMIT, and changes nothing, not even the selection.
 *   4. Undoing everything gives the text of edit_new or of the last edit_reset, as long as
 *      the changes since fit into EDIT_HISTORY_BYTES; beyond that the oldest are forgotten.
 *
 * Memory: grows with the text and its history. Threads: an Edit belongs to one thread.
 */
#ifndef FOVEA_UI_EDIT_H
#define FOVEA_UI_EDIT_H
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"

#define EDIT_HISTORY_BYTES ((size_t)4 << 20)

typedef struct Edit Edit;

typedef enum {
    EDIT_ONE_LINE,
    EDIT_LINES,
} EditMode;

typedef enum {
    EDIT_PREVIOUS, /* character */
    EDIT_NEXT,
    EDIT_WORD_START, /* of this word, or of the one before */
    EDIT_WORD_END,   /* of this word, or of the one after  */
    EDIT_LINE_START, /* between newlines                   */
    EDIT_LINE_END,
    EDIT_TEXT_START,
    EDIT_TEXT_END,
} EditMotion;

typedef struct EditRange {
    size_t start, end; /* bytes */
} EditRange;

/* 0 < max_bytes. Empty. */
Edit *edit_new(EditMode mode, size_t max_bytes);
void edit_free(Edit *edit); /* NULL is fine */

/* Another text, with no history; the caret at its end. false: too long, nothing changed. */
bool edit_reset(Edit *edit, const char *text, Error *error) FOVEA_MUST_USE;
/* The same as a change that can be undone. */
bool edit_replace_all(Edit *edit, const char *text, Error *error) FOVEA_MUST_USE;

const char *edit_text(const Edit *edit); /* borrowed until the next change */
size_t edit_length(const Edit *edit);
EditMode edit_mode(const Edit *edit);
size_t edit_max_bytes(const Edit *edit);
uint64_t edit_version(const Edit *edit); /* another number after every change of the text */

/* Caret and selection. */
size_t edit_caret(const Edit *edit);
bool edit_at_line_end(const Edit *edit);
EditRange edit_selection(const Edit *edit); /* start == end: none */
bool edit_has_selection(const Edit *edit);

/* Without `select` a move to a side leaves a selection at that end of it. */
void edit_move(Edit *edit, EditMotion motion, bool select);
/* To the boundary at or before offset. */
void edit_place(Edit *edit, size_t offset, bool select);
void edit_place_at_line_end(Edit *edit, size_t offset, bool select);
void edit_select(Edit *edit, EditRange range); /* the caret at its end */
void edit_select_all(Edit *edit);
EditRange edit_word_at(const Edit *edit, size_t offset); /* a double click's */
EditRange edit_line_at(const Edit *edit, size_t offset); /* a triple click's, with its newline */

/* Changes. Each replaces the selection, if there is one. false: refused, nothing changed. */
bool edit_type(Edit *edit, const char *text, Error *error) FOVEA_MUST_USE;   /* coalesces   */
bool edit_insert(Edit *edit, const char *text, Error *error) FOVEA_MUST_USE; /* a step alone */
/* The selection, or from the caret to where the motion leads; false when that is nothing. */
bool edit_delete(Edit *edit, EditMotion motion);

bool edit_undo(Edit *edit); /* false when there is nothing */
bool edit_redo(Edit *edit);
bool edit_can_undo(const Edit *edit);
bool edit_can_redo(const Edit *edit);
/* What is typed next is a step of its own: the field was left, or time has passed. */
void edit_end_step(Edit *edit);

/* The system's clipboard, or a test's. The second place is X11's: what is selected now, put
 * in with the middle button. */
typedef enum { CLIP_COPIED, CLIP_SELECTED } ClipKind;

typedef struct Clipboard {
    void *context;
    void (*get)(void *context, ClipKind kind, StrBuf *out); /* appends */
    void (*set)(void *context, ClipKind kind, const char *text);
} Clipboard;

bool edit_copy(const Edit *edit, const Clipboard *clipboard); /* false: nothing selected */
bool edit_cut(Edit *edit, const Clipboard *clipboard);
bool edit_paste(Edit *edit, const Clipboard *clipboard, ClipKind kind, Error *error) FOVEA_MUST_USE;

/* "" ends it; `caret` is a byte offset in it. */
void edit_compose(Edit *edit, const char *text, size_t caret);
bool edit_is_composing(const Edit *edit);

/* The text as it is seen, with the composition in it. */
typedef struct EditShown {
    const char *text; /* borrowed until the next change or compose */
    size_t n;
    size_t caret;
    EditRange selection;   /* in `text` */
    EditRange composition; /* likewise  */
} EditShown;
EditShown edit_shown(const Edit *edit);

#endif
