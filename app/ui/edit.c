#include "ui/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "ui/edit_internal.h"

enum { CODE_NEXT_LINE = 0x85, CODE_LINE_SEPARATOR = 0x2028, CODE_PARAGRAPH_SEPARATOR = 0x2029 };

Edit *edit_new(EditMode mode, size_t max_bytes)
{
    FOVEA_CHECK(max_bytes > 0, "a text of at most %zu bytes", max_bytes);
    Edit *edit = memory_new(1, sizeof *edit);
    edit->mode = mode;
    edit->max_bytes = max_bytes;
    strbuf_add(&edit->text, "");
    history_clear(&edit->history);
    return edit;
}

void edit_free(Edit *edit)
{
    if (!edit)
        return;
    strbuf_free(&edit->text);
    strbuf_free(&edit->composition);
    strbuf_free(&edit->shown);
    strbuf_free(&edit->clean);
    history_free(&edit->history);
    free(edit);
}

const char *edit_text(const Edit *edit)
{
    return edit->text.text;
}

size_t edit_length(const Edit *edit)
{
    return edit->text.length;
}

EditMode edit_mode(const Edit *edit)
{
    return edit->mode;
}

size_t edit_max_bytes(const Edit *edit)
{
    return edit->max_bytes;
}

uint64_t edit_version(const Edit *edit)
{
    return edit->version;
}

size_t edit_caret(const Edit *edit)
{
    return edit->caret;
}

bool edit_at_line_end(const Edit *edit)
{
    return edit->at_line_end;
}

EditRange edit_selection(const Edit *edit)
{
    return edit->caret < edit->anchor ? (EditRange){edit->caret, edit->anchor}
                                      : (EditRange){edit->anchor, edit->caret};
}

bool edit_has_selection(const Edit *edit)
{
    return edit->caret != edit->anchor;
}

static void drop_composition(Edit *edit)
{
    strbuf_clear(&edit->composition);
}

static void set_caret(Edit *edit, size_t offset, bool select)
{
    drop_composition(edit); /* it was shown where the caret stood */
    edit->caret = edit_boundary_at_or_before(edit->text.text, edit->text.length, offset);
    if (!select)
        edit->anchor = edit->caret;
    edit->at_line_end = false;
    edit->history.closed = true;
}

static size_t motion_target(const Edit *edit, EditMotion motion)
{
    const char *text = edit->text.text;
    size_t n = edit->text.length;
    size_t caret = edit->caret;
    switch (motion) {
    case EDIT_PREVIOUS: return edit_boundary_before(text, n, caret);
    case EDIT_NEXT: return utf8_next_grapheme(text, n, caret);
    case EDIT_WORD_START: return edit_word_start_before(text, n, caret);
    case EDIT_WORD_END: return edit_word_end_after(text, n, caret);
    case EDIT_LINE_START: return edit_line_start(text, caret);
    case EDIT_LINE_END: return edit_line_end(text, n, caret);
    case EDIT_TEXT_START: return 0;
    case EDIT_TEXT_END: return n;
    }
    return caret;
}

void edit_move(Edit *edit, EditMotion motion, bool select)
{
    EditRange selected = edit_selection(edit);
    size_t target = motion_target(edit, motion);
    if (!select && edit_has_selection(edit)) {
        if (motion == EDIT_PREVIOUS)
            target = selected.start;
        else if (motion == EDIT_NEXT)
            target = selected.end;
    }
    set_caret(edit, target, select);
}

void edit_place(Edit *edit, size_t offset, bool select)
{
    set_caret(edit, offset, select);
}

void edit_place_at_line_end(Edit *edit, size_t offset, bool select)
{
    set_caret(edit, offset, select);
    edit->at_line_end = true;
}

void edit_select(Edit *edit, EditRange range)
{
    set_caret(edit, range.start, false);
    set_caret(edit, range.end, true);
}

void edit_select_all(Edit *edit)
{
    edit_select(edit, (EditRange){0, edit->text.length});
}

EditRange edit_word_at(const Edit *edit, size_t offset)
{
    size_t n = edit->text.length;
    return edit_word_around(edit->text.text, n, offset < n ? offset : n);
}

EditRange edit_line_at(const Edit *edit, size_t offset)
{
    size_t n = edit->text.length;
    offset = offset < n ? offset : n;
    size_t end = edit_line_end(edit->text.text, n, offset);
    return (EditRange){edit_line_start(edit->text.text, offset), end < n ? end + 1 : n};
}

static bool ends_line(uint32_t code)
{
    return code == '\n' || code == '\r' || code == CODE_NEXT_LINE || code == CODE_LINE_SEPARATOR ||
           code == CODE_PARAGRAPH_SEPARATOR;
}

/* What goes in, as this text may hold it; valid until the next call. */
static const StrBuf *clean(Edit *edit, const char *text)
{
    StrBuf *out = &edit->clean;
    strbuf_clear(out);
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        uint32_t code;
        i += (size_t)utf8_decode(text + i, n - i, &code);
        if (code == '\r' && i < n && text[i] == '\n')
            continue;
        if (ends_line(code))
            code = edit->mode == EDIT_LINES ? '\n' : ' ';
        char bytes[4];
        strbuf_add_bytes(out, bytes, (size_t)utf8_encode(code, bytes));
    }
    if (!out->text)
        strbuf_add(out, "");
    return out;
}

/* text[offset..offset + removed) becomes the inserted bytes; the caret stands behind them. */
static void splice(Edit *edit, size_t offset, size_t removed, const char *inserted, size_t n)
{
    StrBuf *text = &edit->text;
    size_t rest = text->length - offset - removed;
    text->text = memory_grow(text->text, &text->capacity, text->length - removed + n + 1, 1);
    memmove(text->text + offset + n, text->text + offset + removed, rest);
    memcpy(text->text + offset, inserted, n);
    text->length = offset + n + rest;
    text->text[text->length] = '\0';
    /* What is joined here may be one character now. */
    edit->caret = edit_boundary_at_or_after(text->text, text->length, offset + n);
    edit->anchor = edit->caret;
    edit->at_line_end = false;
    edit->version++;
}

static void change(Edit *edit, StepKind kind, EditRange range, const char *inserted, size_t n)
{
    size_t removed = range.end - range.start;
    if (removed == 0 && n == 0)
        return;
    EditStep step = {.kind = kind,
                     .offset = range.start,
                     .removed = removed,
                     .inserted = n,
                     .anchor_before = edit->anchor,
                     .caret_before = edit->caret};
    history_add(&edit->history, step, edit->text.text + range.start, inserted);
    splice(edit, range.start, removed, inserted, n);
}

static bool put(Edit *edit, StepKind kind, EditRange range, const char *text, Error *error)
{
    const StrBuf *inserted = clean(edit, text);
    size_t kept = edit->text.length - (range.end - range.start);
    if (inserted->length > edit->max_bytes - kept)
        return error_set(error, ERROR_LIMIT,
                         "the text would be %zu bytes long, and there is room for %zu; nothing "
                         "was changed",
                         kept + inserted->length, edit->max_bytes);
    drop_composition(edit);
    change(edit, kind, range, inserted->text, inserted->length);
    return true;
}

bool edit_type(Edit *edit, const char *text, Error *error)
{
    return put(edit, STEP_TYPING, edit_selection(edit), text, error);
}

bool edit_insert(Edit *edit, const char *text, Error *error)
{
    edit->history.closed = true;
    bool ok = put(edit, STEP_ALONE, edit_selection(edit), text, error);
    edit->history.closed = true;
    return ok;
}

bool edit_replace_all(Edit *edit, const char *text, Error *error)
{
    if (strcmp(clean(edit, text)->text, edit->text.text) == 0)
        return true;
    return put(edit, STEP_ALONE, (EditRange){0, edit->text.length}, text, error);
}

bool edit_reset(Edit *edit, const char *text, Error *error)
{
    if (!edit_replace_all(edit, text, error))
        return false;
    set_caret(edit, edit->text.length, false);
    history_clear(&edit->history);
    return true;
}

bool edit_delete(Edit *edit, EditMotion motion)
{
    drop_composition(edit);
    EditRange range = edit_selection(edit);
    StepKind kind = STEP_ALONE;
    if (range.start == range.end) {
        size_t target = motion_target(edit, motion);
        range = target < edit->caret ? (EditRange){target, edit->caret}
                                     : (EditRange){edit->caret, target};
        if (motion == EDIT_PREVIOUS)
            kind = STEP_ERASING;
        else if (motion == EDIT_NEXT)
            kind = STEP_DELETING;
    }
    if (range.start == range.end)
        return false;
    change(edit, kind, range, "", 0);
    return true;
}

bool edit_undo(Edit *edit)
{
    const char *removed;
    const char *inserted;
    drop_composition(edit);
    const EditStep *step = history_back(&edit->history, &removed, &inserted);
    if (!step)
        return false;
    splice(edit, step->offset, step->inserted, removed, step->removed);
    edit->anchor = step->anchor_before;
    edit->caret = step->caret_before;
    return true;
}

bool edit_redo(Edit *edit)
{
    const char *removed;
    const char *inserted;
    drop_composition(edit);
    const EditStep *step = history_forward(&edit->history, &removed, &inserted);
    if (!step)
        return false;
    splice(edit, step->offset, step->removed, inserted, step->inserted);
    return true;
}

bool edit_can_undo(const Edit *edit)
{
    return edit->history.n_done > 0;
}

bool edit_can_redo(const Edit *edit)
{
    return edit->history.n_done < edit->history.n_steps;
}

void edit_end_step(Edit *edit)
{
    edit->history.closed = true;
}

bool edit_copy(const Edit *edit, const Clipboard *clipboard)
{
    if (!edit_has_selection(edit))
        return false;
    EditRange range = edit_selection(edit);
    char *copy = memory_copy_bytes(edit->text.text + range.start, range.end - range.start);
    clipboard->set(clipboard->context, CLIP_COPIED, copy);
    free(copy);
    return true;
}

bool edit_cut(Edit *edit, const Clipboard *clipboard)
{
    return edit_copy(edit, clipboard) && edit_delete(edit, EDIT_NEXT);
}

bool edit_paste(Edit *edit, const Clipboard *clipboard, ClipKind kind, Error *error)
{
    StrBuf text = {0};
    clipboard->get(clipboard->context, kind, &text);
    bool ok = text.length == 0 || edit_insert(edit, text.text, error);
    strbuf_free(&text);
    return ok;
}

void edit_compose(Edit *edit, const char *text, size_t caret)
{
    if (edit->composition.length == 0 && text[0] == '\0')
        return;
    const StrBuf *composition = clean(edit, text);
    strbuf_clear(&edit->composition);
    strbuf_add_bytes(&edit->composition, composition->text, composition->length);
    edit->composition_caret =
        edit_boundary_at_or_before(edit->composition.text, edit->composition.length, caret);
    strbuf_clear(&edit->shown);
    EditRange range = edit_selection(edit);
    strbuf_add_bytes(&edit->shown, edit->text.text, range.start);
    strbuf_add_bytes(&edit->shown, composition->text, composition->length);
    strbuf_add(&edit->shown, edit->text.text + range.end);
}

bool edit_is_composing(const Edit *edit)
{
    return edit->composition.length > 0;
}

EditShown edit_shown(const Edit *edit)
{
    if (!edit_is_composing(edit))
        return (EditShown){.text = edit->text.text,
                           .n = edit->text.length,
                           .caret = edit->caret,
                           .selection = edit_selection(edit)};
    size_t start = edit_selection(edit).start;
    size_t caret = start + edit->composition_caret;
    return (EditShown){.text = edit->shown.text,
                       .n = edit->shown.length,
                       .caret = caret,
                       .selection = {caret, caret},
                       .composition = {start, start + edit->composition.length}};
}
