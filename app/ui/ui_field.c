/* A text field: its place, the pointer in it, its drawing. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ui/overlays.h"
#include "ui/ui_field.h"

#define PAD        10.0f
#define PAD_SMALL  8.0f
#define LINE_PX    24.0f /* of a field of several lines */
#define ICON_SIZE  14.0f
#define CARET_ROOM 2.0f
#define NEWLINE_PX 6.0f /* a selected newline */
#define DRAG_AGAIN 0.05 /* seconds: the text goes on while the pointer is beside it */

#define WIDEST_PX 8000.0f /* a wider line is drawn in part: pictures end at 32,767 pixels */
#define BESIDE_PX 400.0f  /* drawn beside what is seen */

enum { MAX_SPANS = 64 };

EditShown field_lines(Field *field)
{
    EditShown shown = edit_shown(field->edit);
    text_lines_update(&field->memory->lines, field->ui->frame.fonts, shown.text, shown.n,
                      &field->style, field->several ? field->inside.w - CARET_ROOM : 0);
    return shown;
}

/* Where offset 0 of the lines' own coordinates stands. */
static float text_left(const Field *field)
{
    const TextLines *lines = &field->memory->lines;
    if (field->several)
        return field->inside.x;
    float room = field->inside.w - CARET_ROOM;
    if (lines->widest <= room)
        return field->inside.x + (lines->lines[0].right_to_left ? room - lines->widest : 0);
    return field->inside.x - field->memory->scroll_x;
}

/* The top of the first line in a field of one line: in the middle. */
static float text_top(const Field *field, Rect content)
{
    return field->several ? content.y : field->inside.y;
}

static size_t offset_under_pointer(Field *field, Rect content, bool *at_line_end)
{
    const TextLines *lines = &field->memory->lines;
    float y = field->ui->pointer.y - text_top(field, content);
    float line = field->several ? floorf(y / field->line) : 0;
    size_t at = line <= 0 ? 0 : line >= (float)lines->n_lines ? lines->n_lines - 1 : (size_t)line;
    return text_lines_offset_at(lines, field->ui->frame.fonts, at,
                                field->ui->pointer.x - text_left(field), at_line_end);
}

static EditRange unit_at(const Edit *edit, size_t offset, int clicks)
{
    return clicks >= 3 ? edit_line_at(edit, offset) : edit_word_at(edit, offset);
}

static void press(Field *field, Rect content, UiTouch touch)
{
    UiMemory *memory = field->memory;
    bool at_end;
    size_t offset = offset_under_pointer(field, content, &at_end);
    memory->at = -1;
    memory->clicks = touch.clicks;
    if (touch.clicks >= 2) {
        memory->word = unit_at(field->edit, offset, touch.clicks);
        edit_select(field->edit, memory->word);
    } else if (at_end) {
        edit_place_at_line_end(field->edit, offset, (touch.mods & MOD_SHIFT) != 0);
    } else {
        edit_place(field->edit, offset, (touch.mods & MOD_SHIFT) != 0);
    }
}

/* By letters, or by words or lines after a double or triple click. */
static void drag(Field *field, Rect content)
{
    UiMemory *memory = field->memory;
    Edit *edit = field->edit;
    bool at_end;
    size_t offset = offset_under_pointer(field, content, &at_end);
    if (memory->clicks < 2) {
        if (offset != edit_caret(edit))
            edit_place(edit, offset, true);
    } else {
        EditRange here = unit_at(edit, offset, memory->clicks);
        bool backward = here.start < memory->word.start;
        edit_place(edit, backward ? memory->word.end : memory->word.start, false);
        edit_place(edit, backward ? here.start : here.end, true);
    }
    if (!rect_contains(field->inside, field->ui->pointer.x, field->ui->pointer.y))
        ui_ask_frame(field->ui, DRAG_AGAIN);
}

/* X11's second clipboard holds what is selected with the mouse. */
static void offer_selection(Field *field)
{
    EditRange range = edit_selection(field->edit);
    if (range.start == range.end)
        return;
    const Clipboard *clipboard = ui_clipboard(field->ui);
    char *copy = memory_copy_bytes(edit_text(field->edit) + range.start, range.end - range.start);
    clipboard->set(clipboard->context, CLIP_SELECTED, copy);
    free(copy);
}

static void press_other_button(Field *field, Rect content, const UiControl *control,
                               const Event *event)
{
    Ui *ui = field->ui;
    ui_take(ui, event);
    ui_give_focus(ui, field->id, false);
    if (event->button == BUTTON_MIDDLE) {
        bool at_end;
        edit_place(field->edit, offset_under_pointer(field, content, &at_end), false);
        field_paste(field, CLIP_SELECTED);
    } else if (event->button == BUTTON_RIGHT) {
        char name[UI_NAME_BYTES];
        ui_name_part(name, control->name, "menu");
        ui_open(ui, name);
    }
}

static void field_pointer(Field *field, Rect content, const UiControl *control, UiTouch touch)
{
    Ui *ui = field->ui;
    bool composing = edit_is_composing(field->edit);
    if (touch.hot || touch.held)
        ui_set_cursor(ui, UI_CURSOR_TEXT);
    if (touch.pressed && !composing)
        press(field, content, touch);
    else if (touch.held && !composing)
        drag(field, content);
    if (touch.clicked)
        offer_selection(field);
    for (int i = 0; i < ui->n_events && touch.hot; i++)
        if (ui->events[i].kind == EVENT_PRESS && !ui->taken[i])
            press_other_button(field, content, control, &ui->events[i]);
}

/* Cut, copy, paste, for those who look for them with the right button. */
static void field_menu(Field *field, const UiControl *control)
{
    Ui *ui = field->ui;
    Edit *edit = field->edit;
    char name[UI_NAME_BYTES];
    ui_name_part(name, control->name, "menu");
    if (!ui_is_open(ui, name))
        return;
    bool selected = edit_has_selection(edit);
    const UiMenuItem items[] = {
        {.label = ui_word(ui, STRING_CUT), .key = "Ctrl+X", .disabled = !selected},
        {.label = ui_word(ui, STRING_COPY), .key = "Ctrl+C", .disabled = !selected},
        {.label = ui_word(ui, STRING_PASTE), .key = "Ctrl+V"},
        {.label = ui_word(ui, STRING_SELECT_ALL), .key = "Ctrl+A", .disabled = !edit_length(edit)},
        {.separator = true},
        {.label = ui_word(ui, STRING_ACTION_UNDO),
         .key = "Ctrl+Z",
         .disabled = !edit_can_undo(edit)},
        {.label = ui_word(ui, STRING_ACTION_REDO),
         .key = "Ctrl+Y",
         .disabled = !edit_can_redo(edit)},
    };
    uint64_t version = edit_version(edit);
    switch (ui_menu(ui, name, items, (int)(sizeof items / sizeof items[0]))) {
    case 0: edit_cut(edit, ui_clipboard(ui)); break;
    case 1: edit_copy(edit, ui_clipboard(ui)); break;
    case 2: field_paste(field, CLIP_COPIED); break;
    case 3: edit_select_all(edit); break;
    case 5: edit_undo(edit); break;
    case 6: edit_redo(edit); break;
    default: break;
    }
    if (edit_version(edit) != version)
        field_changed(field, true);
}

static Point caret_place(Field *field, EditShown shown, size_t *line)
{
    const TextLines *lines = &field->memory->lines;
    bool at_end = edit_at_line_end(field->edit) && !edit_is_composing(field->edit);
    *line = text_lines_find(lines, shown.caret, at_end);
    float x = text_lines_caret_x(lines, field->ui->frame.fonts, *line, shown.caret);
    return (Point){x, field->line * (float)*line};
}

/* The caret is seen: sideways in one line, up and down in several. */
static void follow_caret(Field *field, EditShown shown)
{
    UiMemory *memory = field->memory;
    if (field->ui->focus != field->id) {
        memory->scroll_x = 0; /* what nobody edits is read from its start */
        return;
    }
    size_t line;
    Point caret = caret_place(field, shown, &line);
    if (field->several) {
        ui_scroll_to(field->ui, caret.y, caret.y + field->line);
        return;
    }
    float room = field->inside.w - CARET_ROOM;
    float most = fmaxf(0, memory->lines.widest - room);
    if (caret.x - memory->scroll_x > room)
        memory->scroll_x = caret.x - room;
    if (caret.x < memory->scroll_x)
        memory->scroll_x = caret.x;
    memory->scroll_x = fmaxf(0, fminf(memory->scroll_x, most));
}

static void draw_spans(Field *field, Rect line_box, size_t line, EditRange range, bool underline)
{
    TextSpan spans[MAX_SPANS];
    Ui *ui = field->ui;
    const Theme *theme = ui->frame.theme;
    const TextLines *lines = &field->memory->lines;
    int n =
        text_lines_spans(lines, ui->frame.fonts, line, range.start, range.end, spans, MAX_SPANS);
    for (int i = 0; i < n; i++) {
        Rect span = {line_box.x + spans[i].x, line_box.y, spans[i].width, line_box.h};
        if (underline)
            canvas_fill(ui_canvas(ui), (Rect){span.x, span.y + span.h - 3, span.w, 1}, 0,
                        theme->text);
        else
            canvas_fill(ui_canvas(ui), span, 0, theme->selection);
    }
    const TextLine *at = &lines->lines[line];
    if (!underline && at->next > at->end && range.start <= at->end && range.end > at->end) {
        float end = text_lines_caret_x(lines, ui->frame.fonts, line, at->end);
        float x = line_box.x + end - (at->right_to_left ? NEWLINE_PX : 0);
        canvas_fill(ui_canvas(ui), (Rect){x, line_box.y, NEWLINE_PX, line_box.h}, 0,
                    theme->selection);
    }
}

/* A line that is wider than back ends can draw: the part in and around the field. */
static void draw_part(Field *field, Point at, size_t i, TextStyle style)
{
    Ui *ui = field->ui;
    const TextLines *lines = &field->memory->lines;
    const TextLine *line = &lines->lines[i];
    bool at_end;
    float from = field->inside.x - at.x, to = from + field->inside.w;
    size_t start = text_lines_offset_at(lines, ui->frame.fonts, i, from - BESIDE_PX, &at_end);
    size_t end = text_lines_offset_at(lines, ui->frame.fonts, i, to + BESIDE_PX, &at_end);
    if (end < start) { /* right to left */
        size_t other = start;
        start = end;
        end = other;
    }
    float first = text_lines_caret_x(lines, ui->frame.fonts, i, start);
    float last = text_lines_caret_x(lines, ui->frame.fonts, i, end);
    char *part = memory_copy_bytes(text_lines_text(lines, i) + (start - line->start), end - start);
    canvas_text(ui_canvas(ui), (Point){at.x + fminf(first, last), at.y}, part, style);
    free(part);
}

static void draw_lines(Field *field, Rect content, EditShown shown, bool focused)
{
    Ui *ui = field->ui;
    const TextLines *lines = &field->memory->lines;
    float left = text_left(field);
    float top = text_top(field, content);
    float height = field->several ? field->line : field->inside.h;
    size_t first = 0;
    if (field->several && top < field->inside.y)
        first = (size_t)((field->inside.y - top) / height);
    for (size_t i = first; i < lines->n_lines; i++) {
        Rect box = {left, top + height * (float)i, fmaxf(field->inside.w, lines->widest), height};
        if (box.y > field->inside.y + field->inside.h)
            break;
        Rect glow = field->several ? box : rect_middle(box, box.w, fminf(height, 20));
        glow.x = left;
        if (focused)
            draw_spans(field, glow, i, shown.selection, false);
        draw_spans(field, glow, i, shown.composition, true);
        const TextLine *line = &lines->lines[i];
        TextStyle style = field->style;
        if (!field->several && !focused)
            style.max_width = field->inside.w;
        Point at = {left + line->left, ui_baseline(ui, box)};
        if (lines->widest > WIDEST_PX && focused && !field->several)
            draw_part(field, (Point){left, at.y}, i, style);
        else
            canvas_text(ui_canvas(ui), at, text_lines_text(lines, i), style);
    }
}

/* On for half of the time after each key, then on; not for ever, or an idle window would be
 * busy. */
static bool caret_is_on(Ui *ui)
{
    double since = ui->now - ui->blink_since;
    if (ui->frame.still || since >= UI_BLINK_FOR)
        return true;
    double turn = floor(since / UI_BLINK_SECONDS);
    ui_ask_frame(ui, (turn + 1) * UI_BLINK_SECONDS - since);
    return fmod(turn, 2) == 0;
}

static void draw_caret(Field *field, Rect content, EditShown shown)
{
    Ui *ui = field->ui;
    size_t line;
    Point caret = caret_place(field, shown, &line);
    float height = field->several ? field->line - 2 * 2 : fminf(field->inside.h, 18);
    float y = text_top(field, content) +
              (field->several ? caret.y + 2 : floorf((field->inside.h - height) / 2));
    Rect rect = {roundf(text_left(field) + caret.x), y, 1, height};
    ui->caret = rect;
    ui->caret_seen = true;
    if (caret_is_on(ui))
        canvas_fill(ui_canvas(ui), rect, 0, ui->frame.theme->text);
}

static void draw_frame(Field *field, Rect rect, const UiControl *control, UiTouch touch)
{
    Ui *ui = field->ui;
    const Theme *theme = ui->frame.theme;
    canvas_fill(ui_canvas(ui), rect, theme->radius, theme->panel);
    if (touch.focused)
        ui_draw_ring(ui, rect);
    else
        canvas_frame(ui_canvas(ui), rect, theme->radius,
                     (Stroke){touch.hot ? theme->muted : theme->line, 1, 0});
    if (control->icon != ICON_NONE)
        icon_draw(ui_canvas(ui), (Rect){rect.x + PAD_SMALL, rect.y, ICON_SIZE, rect.h},
                  control->icon, ICON_SIZE, theme->muted);
}

static Field field_make(Ui *ui, Rect rect, const UiControl *control, Edit *edit, Error *error)
{
    const Theme *theme = ui->frame.theme;
    bool small = rect.h <= theme->row;
    Field field = {.ui = ui,
                   .id = ui_id(control->name),
                   .edit = edit,
                   .style = small ? theme_text(theme) : theme_input(theme),
                   .several = edit_mode(edit) == EDIT_LINES,
                   .error = error};
    field.memory = ui_memory(ui, field.id);
    field.inside = rect_pad(rect, small ? PAD_SMALL : PAD, field.several ? UI_STEP : 0);
    if (control->icon != ICON_NONE)
        rect_cut_left(&field.inside, ICON_SIZE + UI_STEP);
    field.line = field.several ? LINE_PX : field.inside.h;
    return field;
}

/* The text between the frame and its clip. */
static void field_body(Field *field, Rect rect, const UiControl *control, UiTouch touch)
{
    Ui *ui = field->ui;
    size_t caret_before = edit_caret(field->edit);
    uint64_t version_before = edit_version(field->edit);
    Rect content = field->inside;
    Rect seen = {field->inside.x - 2, rect.y + 1, field->inside.w + 4, rect.h - 2};
    field_keys(field);
    EditShown shown = field_lines(field);
    if (field->several)
        content = ui_scroll_open_known(ui, ui_part(field->id, "scroll"), field->inside,
                                       field->line * (float)field->memory->lines.n_lines);
    else
        ui_clip_push(ui, seen);
    field_pointer(field, content, control, touch);
    shown = field_lines(field);
    bool moved = caret_before != edit_caret(field->edit) ||
                 version_before != edit_version(field->edit) || edit_is_composing(field->edit);
    if (moved || !field->several)
        follow_caret(field, shown);
    draw_lines(field, content, shown, touch.focused);
    if (shown.n == 0 && control->label) {
        TextStyle style = field->style;
        style.color = ui->frame.theme->muted;
        ui_draw_text(ui, (Rect){field->inside.x, field->inside.y, field->inside.w, field->line},
                     control->label, style);
    }
    if (ui->focus == field->id)
        draw_caret(field, content, shown);
    if (field->several)
        ui_scroll_shut(ui, field->line * (float)field->memory->lines.n_lines);
    else
        ui_clip_pop(ui);
}

unsigned ui_field(Ui *ui, Rect rect, const UiControl *control, Edit *edit, Error *error)
{
    Error unread = {0};
    Field field = field_make(ui, rect, control, edit, error ? error : &unread);
    if (rect_is_empty(field.inside))
        return 0;
    UiTouch touch = ui_touch(ui, field.id, rect, TOUCH_STOP | TOUCH_PRESS_FOCUS | TOUCH_TEXT);
    bool had_focus = field.memory->open;
    field.memory->open = touch.focused;
    draw_frame(&field, rect, control, touch);
    field_body(&field, rect, control, touch);
    field_menu(&field, control);
    if (had_focus && ui->focus != field.id && !ui_is_modal(ui)) {
        field.flags |= UI_FIELD_LEFT;
        edit_end_step(edit);
    }
    ui_control_hint(ui, control, touch, rect, false);
    ui_tag(ui, rect, TAG_FIELD, control->name, edit_text(edit));
    return field.flags;
}
