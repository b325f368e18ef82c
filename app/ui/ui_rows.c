/* Rows of options, grouped, with notes and a line of help. */
#include <string.h>

#include "base/utf8.h"
#include "ui/ui_internal.h"

#define PAD          8.0f
#define GAP          12.0f
#define GROUP_HEIGHT 24.0f
#define HELP_HEIGHT  16.0f
#define AHEAD_FOR    1.0 /* seconds between letters that belong together */

static bool is_shown(const UiRows *rows, int i)
{
    const UiOption *option = &rows->options[i];
    if (!rows->filter || !rows->filter[0])
        return true;
    return ui_match(option->label, rows->filter) > 0 ||
           (option->note && ui_match(option->note, rows->filter) > 1) ||
           (option->group && ui_match(option->group, rows->filter) > 1);
}

static float option_height(const Ui *ui, const UiOption *option)
{
    return ui->frame.theme->row + (option->help ? HELP_HEIGHT : 0);
}

/* Whether a heading stands over option i, the one before it that is shown being `before`. */
static bool has_heading(const UiRows *rows, int before, int i)
{
    const char *group = rows->options[i].group;
    const char *last = before < 0 ? NULL : rows->options[before].group;
    return group && (!last || strcmp(group, last) != 0);
}

float ui_rows_height(Ui *ui, const UiRows *rows)
{
    float height = 0;
    for (int i = 0, before = -1; i < rows->n; i++) {
        if (!is_shown(rows, i))
            continue;
        if (has_heading(rows, before, i))
            height += GROUP_HEIGHT;
        height += option_height(ui, &rows->options[i]);
        before = i;
    }
    return height;
}

static TextStyle note_style(const Ui *ui)
{
    return theme_caption(ui->frame.theme);
}

float ui_rows_width(Ui *ui, const UiRows *rows)
{
    TextStyle label = theme_text(ui->frame.theme);
    label.bold = true;
    TextStyle note = note_style(ui);
    float widest = 0;
    for (int i = 0; i < rows->n; i++) {
        const UiOption *option = &rows->options[i];
        float width = fonts_width(ui->frame.fonts, option->label, &label);
        if (option->note)
            width += GAP + fonts_width(ui->frame.fonts, option->note, &note);
        if (option->help)
            width = fmaxf(width, fonts_width(ui->frame.fonts, option->help, &note));
        widest = fmaxf(widest, width);
    }
    return ceilf(widest) + 2 * PAD + 2 * UI_STEP;
}

static bool can_stand(const UiRows *rows, int i)
{
    return i >= 0 && i < rows->n && is_shown(rows, i) && !rows->options[i].disabled;
}

/* The `count`-th row from `at` that can be chosen, as far as there are any. */
static int step_rows(const UiRows *rows, int at, int direction, int count)
{
    for (int i = at + direction; i >= 0 && i < rows->n && count > 0; i += direction)
        if (can_stand(rows, i)) {
            at = i;
            count--;
        }
    return at;
}

static int move_by_key(const UiRows *rows, const Event *event, int at)
{
    enum { PAGE = 8 };
    if (event->mods != 0)
        return at;
    switch (event->key) {
    case KEY_DOWN: return step_rows(rows, at, 1, 1);
    case KEY_UP: return at < 0 ? step_rows(rows, rows->n, -1, 1) : step_rows(rows, at, -1, 1);
    case KEY_PAGE_DOWN: return step_rows(rows, at, 1, PAGE);
    case KEY_PAGE_UP: return step_rows(rows, at, -1, PAGE);
    case KEY_HOME: return rows->alone ? step_rows(rows, -1, 1, 1) : at;
    case KEY_END: return rows->alone ? step_rows(rows, rows->n, -1, 1) : at;
    default: return at;
    }
}

static bool is_move_key(const UiRows *rows, const Event *event)
{
    if (event->mods != 0)
        return false;
    bool edge = event->key == KEY_HOME || event->key == KEY_END;
    return event->key == KEY_UP || event->key == KEY_DOWN || event->key == KEY_PAGE_UP ||
           event->key == KEY_PAGE_DOWN || (edge && rows->alone);
}

static bool is_ahead(const Ui *ui)
{
    return ui->ahead[0] != '\0' && ui->now - ui->ahead_since <= AHEAD_FOR;
}

/* Typing the start of a label goes to it. */
static int find_ahead(Ui *ui, const UiRows *rows, int at)
{
    size_t n = strlen(ui->ahead);
    /* One letter again and again goes round those that start with it. */
    int first = at + (n > 0 && utf8_length(ui->ahead, n) == 1 ? 1 : 0);
    for (int i = 0; i < rows->n; i++) {
        int row = ((first < 0 ? 0 : first) + i) % rows->n;
        enum { STARTS = 4 };
        if (can_stand(rows, row) && ui_match(rows->options[row].label, ui->ahead) == STARTS)
            return row;
    }
    return at;
}

static int type_ahead(Ui *ui, const UiRows *rows, int at)
{
    if (!is_ahead(ui))
        ui->ahead[0] = '\0';
    for (int i = 0; i < ui->n_events; i++) {
        const Event *event = &ui->events[i];
        if (event->kind != EVENT_TEXT || ui->taken[i])
            continue;
        size_t used = strlen(ui->ahead);
        size_t n = strlen(event->text);
        ui_take(ui, event);
        if (used + n >= sizeof ui->ahead)
            continue;
        memcpy(ui->ahead + used, event->text, n + 1);
        ui->ahead_since = ui->now;
        at = find_ahead(ui, rows, at);
    }
    return at;
}

static int rows_keys(Ui *ui, const UiRows *rows, int *at)
{
    const Event *event;
    int chosen = -1;
    for (int i = 0; (event = ui_next_key(ui, rows->id, &i)) != NULL;) {
        bool picks =
            event->mods == 0 &&
            (event->key == KEY_ENTER || (event->key == KEY_SPACE && rows->alone && !is_ahead(ui)));
        if (is_move_key(rows, event))
            *at = move_by_key(rows, event, *at);
        else if (picks && can_stand(rows, *at))
            chosen = *at;
        else if (!rows->alone || event->key != KEY_CHARACTER ||
                 (event->mods & ~(unsigned)MOD_SHIFT))
            continue;
        ui_take(ui, event);
    }
    if (rows->alone && ui->focus == rows->id)
        *at = type_ahead(ui, rows, *at);
    return chosen;
}

static void draw_option(Ui *ui, Rect rect, const UiRows *rows, int i, bool at)
{
    const Theme *theme = ui->frame.theme;
    const UiOption *option = &rows->options[i];
    bool chosen = i == rows->chosen;
    if (at || chosen)
        canvas_fill(ui_canvas(ui), rect, theme->radius - 2,
                    chosen ? theme->accent_tint : theme->hover);
    if (at && chosen)
        canvas_frame(ui_canvas(ui), rect, theme->radius - 2, (Stroke){theme->accent, 1, 0});
    Rect inside = rect_pad(rect, PAD, 0);
    if (option->help)
        inside = rect_pad(inside, 0, 2);
    Rect help = option->help ? rect_cut_bottom(&inside, HELP_HEIGHT) : (Rect){0};
    TextStyle note = note_style(ui);
    if (chosen)
        note.color = theme->accent;
    note.color = ui_faded(note.color, option->disabled);
    ui_draw_text(ui, (Rect){help.x, help.y - 3, help.w, help.h}, option->help ? option->help : "",
                 note);
    if (option->note) {
        note.align = ALIGN_END;
        float width = fminf(fonts_width(ui->frame.fonts, option->note, &note), inside.w / 2);
        ui_draw_text(ui, rect_cut_right(&inside, ceilf(width)), option->note, note);
        rect_cut_right(&inside, GAP);
    }
    TextStyle label = theme_text(theme);
    label.color = chosen ? theme->accent : ui_faded(theme->text, option->disabled);
    label.bold = chosen;
    if (ui_draw_text(ui, inside, option->label, label) && at)
        ui_offer_tip(ui, ui_part(rows->id, option->label), rect, option->label, ACTION_NONE);
}

static bool pointer_moved(Ui *ui, UiMemory *memory)
{
    bool moved = memory->place.x != ui->pointer.x || memory->place.y != ui->pointer.y;
    memory->place = ui->pointer;
    return moved;
}

int ui_rows(Ui *ui, Rect rect, const UiRows *rows, int *at)
{
    int before_keys = rows->show ? -1 : *at;
    if (rows->filter && rows->filter[0] && !can_stand(rows, *at))
        *at = step_rows(rows, -1, 1, 1);
    int chosen = rows_keys(ui, rows, at);
    if (rows->pick && can_stand(rows, *at))
        chosen = *at;
    bool moved = pointer_moved(ui, ui_memory(ui, ui_part(rows->id, "pointer")));
    float y = rect.y;
    for (int i = 0, before = -1; i < rows->n; i++) {
        if (!is_shown(rows, i))
            continue;
        float top = y;
        if (has_heading(rows, before, i)) {
            ui_draw_text(ui, rect_pad((Rect){rect.x, y, rect.w, GROUP_HEIGHT}, PAD, 0),
                         rows->options[i].group, note_style(ui));
            y += GROUP_HEIGHT;
        }
        before = i;
        Rect row = {rect.x, y, rect.w, option_height(ui, &rows->options[i])};
        y += row.h;
        if (*at == i && before_keys != i)
            ui_scroll_to(ui, top - rect.y, y - rect.y);
        if (!ui_is_visible(ui, row))
            continue;
        char name[UI_NAME_BYTES];
        ui_name_item(name, rows->name, i);
        UiTouch touch = {0};
        if (!rows->options[i].disabled)
            touch = ui_touch(ui, ui_id(name), row, 0);
        /* A pointer that rests does not take the place back that a key moved on. */
        if (touch.hot && moved)
            *at = i;
        if (touch.pressed && rows->alone)
            ui_give_focus(ui, rows->id, false);
        if (touch.clicked)
            chosen = i;
        draw_option(ui, row, rows, i, *at == i);
        ui_tag(ui, row, TAG_ITEM, name, rows->options[i].label);
    }
    return chosen;
}
