/* What keys do in a text field. */
#include "ui/ui_field.h"

enum { NO_GOAL = -1 };

void field_changed(Field *field, bool accepted)
{
    field->flags |= accepted ? UI_FIELD_CHANGED : UI_FIELD_REFUSED;
}

void field_paste(Field *field, ClipKind kind)
{
    uint64_t version = edit_version(field->edit);
    bool ok = edit_paste(field->edit, ui_clipboard(field->ui), kind, field->error);
    if (!ok || edit_version(field->edit) != version)
        field_changed(field, ok);
}

/* Up and down keep to the place across that the first of them started from. */
static void move_lines(Field *field, int count, bool select)
{
    field_lines(field);
    Edit *edit = field->edit;
    UiMemory *memory = field->memory;
    TextLines *lines = &memory->lines;
    Fonts *fonts = field->ui->frame.fonts;
    size_t at = text_lines_find(lines, edit_caret(edit), edit_at_line_end(edit));
    if (memory->at == NO_GOAL)
        memory->value = text_lines_caret_x(lines, fonts, at, edit_caret(edit));
    long target = (long)at + count;
    if (target < 0) {
        edit_move(edit, EDIT_TEXT_START, select);
    } else if (target >= (long)lines->n_lines) {
        edit_move(edit, EDIT_TEXT_END, select);
    } else {
        bool at_end;
        size_t offset = text_lines_offset_at(lines, fonts, (size_t)target, memory->value, &at_end);
        if (at_end)
            edit_place_at_line_end(edit, offset, select);
        else
            edit_place(edit, offset, select);
    }
    memory->at = 0;
}

static void move_to_edge(Field *field, bool end, bool select)
{
    Edit *edit = field->edit;
    if (!field->several) {
        edit_move(edit, end ? EDIT_LINE_END : EDIT_LINE_START, select);
        return;
    }
    field_lines(field);
    const TextLines *lines = &field->memory->lines;
    size_t at = text_lines_find(lines, edit_caret(edit), edit_at_line_end(edit));
    const TextLine *line = &lines->lines[at];
    if (!end)
        edit_place(edit, line->start, select);
    else if (line->end == line->next && at + 1 < lines->n_lines)
        edit_place_at_line_end(edit, line->end, select);
    else
        edit_place(edit, line->end, select);
}

/* Right is forward, except in a line that reads from right to left. */
static void move_sideways(Field *field, bool right, bool word, bool select)
{
    field_lines(field);
    const TextLines *lines = &field->memory->lines;
    Edit *edit = field->edit;
    size_t at = text_lines_find(lines, edit_caret(edit), edit_at_line_end(edit));
    bool forward = right != lines->lines[at].right_to_left;
    if (word)
        edit_move(edit, forward ? EDIT_WORD_END : EDIT_WORD_START, select);
    else
        edit_move(edit, forward ? EDIT_NEXT : EDIT_PREVIOUS, select);
}

static bool move_by_key(Field *field, const Event *event)
{
    bool select = (event->mods & MOD_SHIFT) != 0;
    bool ctrl = (event->mods & MOD_CTRL) != 0;
    int page = (int)fmaxf(1, floorf(field->inside.h / field->line) - 1);
    switch (event->key) {
    case KEY_LEFT:
    case KEY_RIGHT: move_sideways(field, event->key == KEY_RIGHT, ctrl, select); return true;
    case KEY_HOME:
        if (ctrl)
            edit_move(field->edit, EDIT_TEXT_START, select);
        else
            move_to_edge(field, false, select);
        return true;
    case KEY_END:
        if (ctrl)
            edit_move(field->edit, EDIT_TEXT_END, select);
        else
            move_to_edge(field, true, select);
        return true;
    default: break;
    }
    if (!field->several || ctrl)
        return false;
    switch (event->key) {
    case KEY_UP: move_lines(field, -1, select); return true;
    case KEY_DOWN: move_lines(field, 1, select); return true;
    case KEY_PAGE_UP: move_lines(field, -page, select); return true;
    case KEY_PAGE_DOWN: move_lines(field, page, select); return true;
    default: return false;
    }
}

static bool change_by_key(Field *field, const Event *event)
{
    Edit *edit = field->edit;
    bool ctrl = (event->mods & MOD_CTRL) != 0;
    bool shift = (event->mods & MOD_SHIFT) != 0;
    switch (event->key) {
    case KEY_BACKSPACE:
        if (edit_delete(edit, ctrl ? EDIT_WORD_START : EDIT_PREVIOUS))
            field_changed(field, true);
        return true;
    case KEY_DELETE:
        if (shift ? edit_cut(edit, ui_clipboard(field->ui))
                  : edit_delete(edit, ctrl ? EDIT_WORD_END : EDIT_NEXT))
            field_changed(field, true);
        return true;
    case KEY_INSERT:
        if (shift)
            field_paste(field, CLIP_COPIED);
        else if (ctrl)
            edit_copy(edit, ui_clipboard(field->ui));
        return shift || ctrl;
    case KEY_ENTER:
        if (field->several && !ctrl)
            field_changed(field, edit_type(edit, "\n", field->error));
        else
            field->flags |= UI_FIELD_SUBMITTED;
        return true;
    default: return false;
    }
}

/* What there is to take back here is taken back here; else the key is the program's. */
static bool step_back(Field *field, bool redo)
{
    Edit *edit = field->edit;
    if (redo ? !edit_redo(edit) : !edit_undo(edit))
        return false;
    field_changed(field, true);
    return true;
}

static bool command_by_key(Field *field, const Event *event)
{
    Edit *edit = field->edit;
    bool shift = (event->mods & MOD_SHIFT) != 0;
    if ((event->mods & MOD_ALT) || !(event->mods & MOD_CTRL) || event->key != KEY_CHARACTER)
        return false;
    switch (event->code) {
    case 'a': edit_select_all(edit); return true;
    case 'c': return !shift && edit_copy(edit, ui_clipboard(field->ui));
    case 'x':
        if (edit_cut(edit, ui_clipboard(field->ui)))
            field_changed(field, true);
        return true;
    case 'v': field_paste(field, CLIP_COPIED); return true;
    case 'z': return step_back(field, shift);
    case 'y': return step_back(field, true);
    default: return false;
    }
}

static bool is_typing_key(const Event *event)
{
    return (event->key == KEY_CHARACTER || event->key == KEY_SPACE) &&
           !(event->mods & (MOD_CTRL | MOD_ALT));
}

static void key_event(Field *field, const Event *event)
{
    int goal = field->memory->at;
    field->memory->at = NO_GOAL;
    if (event->key == KEY_UP || event->key == KEY_DOWN || event->key == KEY_PAGE_UP ||
        event->key == KEY_PAGE_DOWN)
        field->memory->at = goal;
    if (event->key == KEY_ESCAPE) {
        field->flags |= UI_FIELD_LEFT;
        field->memory->open = false;
        ui_give_focus(field->ui, 0, false);
        ui_take(field->ui, event);
        return;
    }
    bool alt = (event->mods & MOD_ALT) != 0;
    if (is_typing_key(event) || command_by_key(field, event) ||
        (!alt && (move_by_key(field, event) || change_by_key(field, event))))
        ui_take(field->ui, event);
}

void field_keys(Field *field)
{
    Ui *ui = field->ui;
    for (int i = 0; i < ui->n_events && ui->focus == field->id; i++) {
        const Event *event = &ui->events[i];
        if (ui->taken[i])
            continue;
        if (event->kind == EVENT_KEY) {
            key_event(field, event);
        } else if (event->kind == EVENT_TEXT) {
            field->memory->at = NO_GOAL;
            field_changed(field, edit_type(field->edit, event->text, field->error));
            ui_take(ui, event);
        }
    }
    if (ui->focus == field->id)
        edit_compose(field->edit, ui->composing, (size_t)ui->composing_caret);
    else if (edit_is_composing(field->edit))
        edit_compose(field->edit, "", 0);
}
