/* One of several: in a list that opens, or in a list that is there. */
#include "ui/panels.h"
#include "ui/ui_internal.h"

#define PAD          12.0f
#define GAP          8.0f
#define ARROW        16.0f
#define LIST_TALLEST 420.0f
#define LIST_PAD     4.0f

static TextStyle note_style(const Ui *ui)
{
    return theme_caption(ui->frame.theme);
}

float ui_choice_width(Ui *ui, const UiOption *option)
{
    TextStyle label = theme_text(ui->frame.theme);
    TextStyle note = note_style(ui);
    float width = fonts_width(ui->frame.fonts, option->label, &label);
    if (option->note)
        width += GAP + fonts_width(ui->frame.fonts, option->note, &note);
    return ceilf((width + 2 * PAD + GAP + ARROW) / UI_STEP) * UI_STEP;
}

/* The control's own label, or label and note of what is chosen; and the arrow. */
static bool draw_framed(Ui *ui, Rect rect, const UiControl *control, const UiOption *option,
                        UiTouch touch)
{
    const Theme *theme = ui->frame.theme;
    canvas_fill(ui_canvas(ui), rect, theme->radius, touch.hot ? theme->hover : theme->panel);
    canvas_frame(ui_canvas(ui), rect, theme->radius, (Stroke){theme->line, 1, 0});
    Rect inside = rect_pad(rect, PAD, 0);
    Color ink = ui_faded(theme->text, control->disabled);
    icon_draw(ui_canvas(ui), rect_cut_right(&inside, ARROW), ICON_CHEVRON_DOWN, ARROW,
              ui_faded(theme->muted, control->disabled));
    rect_cut_right(&inside, GAP);
    TextStyle label = theme_text(theme);
    label.color = ink;
    const char *text = control->label ? control->label
                       : option       ? option->label
                                      : ui_word(ui, STRING_NO_CHOICE);
    float width = ceilf(fonts_width(ui->frame.fonts, text, &label));
    bool cut = ui_draw_text(ui, rect_cut_left(&inside, width), text, label);
    rect_cut_left(&inside, GAP);
    if (option && option->note && !control->label && inside.w > 3 * UI_STEP)
        cut |= ui_draw_text(ui, inside, option->note, note_style(ui));
    return cut;
}

/* What is chosen, of what: a row of a panel. */
static bool draw_row(Ui *ui, Rect rect, const UiControl *control, const UiOption *option,
                     UiTouch touch)
{
    const Theme *theme = ui->frame.theme;
    if (touch.hot)
        canvas_fill(ui_canvas(ui), rect, theme->radius, theme->hover);
    Rect inside = rect_pad(rect, 2 * UI_STEP, 0);
    TextStyle style = theme_text(theme);
    style.color = ui_faded(theme->text, control->disabled);
    const char *label = ui_control_label(ui, control);
    float width = fminf(ceilf(fonts_width(ui->frame.fonts, label, &style)), inside.w * 0.6f);
    bool cut = ui_draw_text(ui, rect_cut_left(&inside, width), label, style);
    rect_cut_left(&inside, GAP);
    style.color = ui_faded(touch.hot ? theme->text : theme->muted, control->disabled);
    style.align = ALIGN_END;
    return ui_draw_text(ui, inside, option ? option->label : ui_word(ui, STRING_NO_CHOICE),
                        style) ||
           cut;
}

static Rect list_place(Ui *ui, Rect control, const UiRows *rows)
{
    Rect window = rect_pad(ui_window(ui), 2 * UI_STEP, 2 * UI_STEP);
    float wanted = ui_rows_height(ui, rows) + 2 * LIST_PAD;
    float below = window.y + window.h - (control.y + control.h + UI_STEP);
    float above = control.y - UI_STEP - window.y;
    float height = fminf(wanted, fminf(fmaxf(below, above), LIST_TALLEST));
    bool opens_down = height <= below || below >= above;
    float width = fmaxf(control.w, ui_rows_width(ui, rows) + 2 * LIST_PAD + 2 * UI_STEP);
    width = fminf(width, window.w);
    float x = fminf(control.x, window.x + window.w - width);
    float y = opens_down ? control.y + control.h + UI_STEP : control.y - UI_STEP - height;
    return (Rect){floorf(x), floorf(y), ceilf(width), ceilf(height)};
}

/* The list of a choice; returns what was chosen now, or -1. */
static int open_list(Ui *ui, Rect control, UiRows *rows, UiMemory *memory)
{
    Rect box = list_place(ui, control, rows);
    if (!ui_layer_begin(ui, rows->id, box, true))
        return -1;
    if (ui->focus == 0)
        ui_give_focus(ui, rows->id, false);
    ui_touch(ui, rows->id, box, TOUCH_STOP | TOUCH_TEXT | TOUCH_KEYBOARD);
    bool leaves = ui_layer_is_left(ui, box);
    ui_draw_float(ui, box);
    rows->show = memory->fresh;
    if (memory->fresh)
        memory->at = rows->chosen;
    memory->fresh = false;
    Rect content = ui_scroll_open_known(ui, rows->id, rect_pad(box, LIST_PAD, LIST_PAD),
                                        ui_rows_height(ui, rows));
    int chosen = ui_rows(ui, content, rows, &memory->at);
    ui_scroll_shut(ui, ui_rows_height(ui, rows));
    ui_layer_end(ui);
    if (leaves || chosen >= 0)
        memory->open = false;
    return chosen;
}

/* Closed, arrow keys go to the next and the one before. */
static int step_by_key(Ui *ui, UiId id, const UiOption *options, int n, int chosen)
{
    const Event *event;
    for (int at = 0; (event = ui_next_key(ui, id, &at)) != NULL;) {
        int direction = event->key == KEY_DOWN ? 1 : event->key == KEY_UP ? -1 : 0;
        if (direction == 0 || event->mods != 0)
            continue;
        ui_take(ui, event);
        for (int i = chosen + direction; i >= 0 && i < n; i += direction)
            if (!options[i].disabled) {
                chosen = i;
                break;
            }
    }
    return chosen;
}

bool ui_choice(Ui *ui, Rect rect, const UiControl *control, UiLook look, const UiOption *options,
               int n, int *chosen)
{
    UiId id = ui_id(control->name);
    UiMemory *memory = ui_memory(ui, id);
    UiTouch touch = {0};
    bool disabled = control->disabled || n == 0;
    if (!disabled)
        touch = ui_touch(ui, id, rect, TOUCH_STOP | TOUCH_KEYS);
    if (touch.clicked)
        ui_open(ui, control->name);
    int next = disabled ? *chosen : step_by_key(ui, id, options, n, *chosen);
    if (memory->open && !disabled) {
        UiRows rows = {.id = ui_part(id, "list"),
                       .name = control->name,
                       .options = options,
                       .n = n,
                       .chosen = next,
                       .alone = true};
        int picked = open_list(ui, rect, &rows, memory);
        next = picked >= 0 ? picked : next;
    }
    const UiOption *option = next >= 0 && next < n ? &options[next] : NULL;
    if (ui_is_visible(ui, rect)) {
        bool cut = look == UI_FRAMED ? draw_framed(ui, rect, control, option, touch)
                                     : draw_row(ui, rect, control, option, touch);
        if (touch.focused && ui->ring)
            ui_draw_ring(ui, rect);
        if (!memory->open)
            ui_control_hint(ui, control, touch, rect, cut);
        ui_tag(ui, rect, TAG_CHOICE, control->name, option ? option->label : "");
    }
    bool changed = next != *chosen;
    *chosen = next;
    return changed;
}

/* The field above a list: what it holds filters the rows, and it has their keys. */
static void list_search(Ui *ui, Rect rect, const char *of, Edit *search, UiRows *rows)
{
    char name[UI_NAME_BYTES];
    ui_name_part(name, of, "search");
    UiControl box = {.name = name, .label = ui_word(ui, STRING_SEARCH), .icon = ICON_SEARCH};
    rows->pick = (ui_field(ui, rect, &box, search, NULL) & UI_FIELD_SUBMITTED) != 0;
    rows->filter = edit_text(search);
    if (ui_has_focus(ui, name)) {
        rows->id = ui_id(name);
        rows->alone = false;
    }
}

bool ui_list(Ui *ui, Rect rect, const UiControl *control, const UiOption *options, int n,
             Edit *search, int *chosen)
{
    UiId id = ui_id(control->name);
    UiMemory *memory = ui_memory(ui, id);
    UiRows rows = {.id = id,
                   .name = control->name,
                   .options = options,
                   .n = n,
                   .chosen = *chosen,
                   .alone = true};
    if (search) {
        Rect field = rect_cut_top(&rect, ui->frame.theme->row + UI_STEP);
        rect_cut_top(&rect, UI_STEP);
        list_search(ui, field, control->name, search, &rows);
    }
    UiTouch touch = ui_touch(ui, id, rect, TOUCH_STOP | TOUCH_TEXT | TOUCH_KEYBOARD);
    if (memory->at >= n)
        memory->at = *chosen;
    float height = ui_rows_height(ui, &rows);
    Rect content = ui_scroll_open_known(ui, id, rect, height);
    int picked = ui_rows(ui, content, &rows, &memory->at);
    if (height == 0)
        ui_label(ui, (Rect){rect.x + GAP, rect.y, rect.w, ui->frame.theme->row},
                 ui_word(ui, STRING_NOTHING_FOUND), theme_muted(ui->frame.theme));
    ui_scroll_shut(ui, height);
    if (touch.focused && ui->ring)
        ui_draw_ring(ui, rect_pad(rect, 1, 1));
    ui_tag(ui, rect, TAG_GROUP, control->name, *chosen >= 0 ? options[*chosen].label : "");
    bool changed = picked >= 0 && picked != *chosen;
    if (picked >= 0)
        *chosen = picked;
    return changed;
}
