/* Menus, dialogs, messages. */
#include <stdio.h>
#include <string.h>

#include "ui/overlays.h"
#include "ui/ui_internal.h"

#define PAD        4.0f
#define ITEM_PAD   8.0f
#define GAP        24.0f
#define SEPARATOR  8.0f
#define MARK       16.0f
#define DIALOG_PAD 20.0f
#define TITLE      48.0f
#define MARGIN     16.0f

static const char *item_label(Ui *ui, const UiMenuItem *item)
{
    if (item->label)
        return item->label;
    return item->action == ACTION_NONE ? "" : ui_action_words(ui, item->action);
}

static const char *item_key(Ui *ui, const UiMenuItem *item, char text[CHORD_TEXT_BYTES])
{
    if (item->key)
        return item->key;
    text[0] = '\0';
    if (item->action != ACTION_NONE)
        keymap_show(ui->frame.keys, item->action, text);
    return text;
}

static bool item_disabled(Ui *ui, const UiMenuItem *item)
{
    return item->separator || item->disabled ||
           (item->action != ACTION_NONE && !ui_can(ui, item->action));
}

static TextStyle key_style(const Ui *ui)
{
    TextStyle style = theme_number(ui->frame.theme);
    style.size = ui->frame.theme->caption_size;
    style.color = ui->frame.theme->muted;
    style.align = ALIGN_END;
    return style;
}

static float item_height(const Ui *ui, const UiMenuItem *item)
{
    return item->separator ? SEPARATOR + 1 : ui->frame.theme->row;
}

/* Where it was asked for, moved into the window. */
static Rect menu_place(Ui *ui, Point at, const UiMenuItem *items, int n)
{
    TextStyle label = theme_text(ui->frame.theme);
    TextStyle key = key_style(ui);
    float width = 0;
    float height = 2 * PAD;
    for (int i = 0; i < n; i++) {
        char text[CHORD_TEXT_BYTES];
        float item = fonts_width(ui->frame.fonts, item_label(ui, &items[i]), &label) + GAP +
                     fonts_width(ui->frame.fonts, item_key(ui, &items[i], text), &key);
        width = fmaxf(width, item);
        height += item_height(ui, &items[i]);
    }
    width = ceilf(width) + MARK + 2 * ITEM_PAD + 2 * PAD;
    Rect window = rect_pad(ui_window(ui), PAD, PAD);
    float x = fmaxf(window.x, fminf(at.x, window.x + window.w - width));
    float y = fmaxf(window.y, fminf(at.y, window.y + window.h - height));
    return (Rect){floorf(x), floorf(y), width, height};
}

static void draw_item(Ui *ui, Rect rect, const UiMenuItem *item, bool at)
{
    const Theme *theme = ui->frame.theme;
    if (item->separator) {
        canvas_fill(ui_canvas(ui), (Rect){rect.x, rect.y + SEPARATOR / 2, rect.w, 1}, 0,
                    theme->line);
        return;
    }
    bool disabled = item_disabled(ui, item);
    if (at)
        canvas_fill(ui_canvas(ui), rect, theme->radius - 2, theme->hover);
    Rect inside = rect_pad(rect, ITEM_PAD, 0);
    Rect mark = rect_cut_left(&inside, MARK);
    if (item->checked)
        icon_draw(ui_canvas(ui), (Rect){mark.x - 2, mark.y, 12, mark.h}, ICON_CHECK, 12,
                  theme->accent);
    char text[CHORD_TEXT_BYTES];
    TextStyle key = key_style(ui);
    key.color = ui_faded(key.color, disabled);
    ui_draw_text(ui, inside, item_key(ui, item, text), key);
    TextStyle label = theme_text(theme);
    label.color = ui_faded(theme->text, disabled);
    ui_draw_text(ui, inside, item_label(ui, item), label);
}

/* The next item that can be chosen. */
static int step_item(Ui *ui, const UiMenuItem *items, int n, int at, int direction)
{
    for (int i = 0; i < n; i++) {
        at = at < 0 && direction < 0 ? n - 1 : (at + direction + n) % n;
        if (!item_disabled(ui, &items[at]))
            return at;
    }
    return -1;
}

static int menu_keys(Ui *ui, UiId id, const UiMenuItem *items, int n, int *at)
{
    const Event *event;
    for (int i = 0; (event = ui_next_key(ui, id, &i)) != NULL;) {
        if (event->mods != 0)
            continue;
        bool picks = event->key == KEY_ENTER || event->key == KEY_SPACE;
        if (event->key == KEY_DOWN || event->key == KEY_UP)
            *at = step_item(ui, items, n, *at, event->key == KEY_DOWN ? 1 : -1);
        else if (!picks)
            continue;
        ui_take(ui, event);
        if (picks && *at >= 0 && *at < n && !item_disabled(ui, &items[*at]))
            return *at;
    }
    return -1;
}

static int menu_items(Ui *ui, Rect rect, const char *name, const UiMenuItem *items, int n, int *at)
{
    int chosen = -1;
    for (int i = 0; i < n; i++) {
        Rect row = rect_cut_top(&rect, item_height(ui, &items[i]));
        char item[UI_NAME_BYTES];
        ui_name_item(item, name, i);
        UiTouch touch = {0};
        if (!item_disabled(ui, &items[i]))
            touch = ui_touch(ui, ui_id(item), row, 0);
        if (touch.hot)
            *at = i;
        if (touch.clicked)
            chosen = i;
        draw_item(ui, row, &items[i], *at == i);
        if (!items[i].separator)
            ui_tag(ui, row, TAG_ITEM, item, item_label(ui, &items[i]));
    }
    return chosen;
}

int ui_menu(Ui *ui, const char *name, const UiMenuItem *items, int n)
{
    UiId id = ui_id(name);
    UiMemory *memory = ui_memory(ui, id);
    if (!memory->open)
        return -1;
    Rect box = menu_place(ui, memory->place, items, n);
    if (!ui_layer_begin(ui, id, box, true))
        return -1;
    if (ui->focus == 0)
        ui_give_focus(ui, id, false);
    ui_touch(ui, id, box, TOUCH_STOP | TOUCH_KEYBOARD);
    bool leaves = ui_layer_is_left(ui, box);
    ui_draw_float(ui, box);
    int chosen = menu_keys(ui, id, items, n, &memory->at);
    int clicked = menu_items(ui, rect_pad(box, PAD, PAD), name, items, n, &memory->at);
    chosen = chosen >= 0 ? chosen : clicked;
    ui_tag(ui, box, TAG_GROUP, name, NULL);
    ui_layer_end(ui);
    if (chosen >= 0)
        ui_add_action(ui, items[chosen].action);
    if (leaves || chosen >= 0)
        memory->open = false;
    return chosen;
}

bool ui_dialog_begin(Ui *ui, const char *name, const char *title, float width, float height,
                     Rect *body)
{
    UiMemory *memory = ui_memory(ui, ui_id(name));
    if (!memory->open)
        return false;
    Rect window = ui_window(ui);
    width = fminf(width, window.w - 2 * MARGIN);
    height = fminf(height, window.h - 2 * MARGIN);
    Rect box = rect_middle(window, floorf(width), floorf(height));
    if (!ui_layer_begin(ui, memory->id, box, true))
        return false;
    canvas_fill(ui_canvas(ui), window, 0, ui->frame.theme->dim);
    ui_draw_float(ui, box);
    ui_tag(ui, box, TAG_GROUP, name, title);
    ui_clip_push(ui, box);
    Rect inside = rect_pad(box, DIALOG_PAD, 0);
    Rect bar = rect_cut_top(&inside, TITLE);
    char close[UI_NAME_BYTES];
    ui_name_part(close, name, "close");
    UiControl button = {
        .name = close, .label = "", .icon = ICON_CLOSE, .tip = ui_word(ui, STRING_CLOSE)};
    Rect corner = rect_cut_right(&bar, ui->frame.theme->row);
    corner.x += 2 * UI_STEP;
    if (ui_button(ui, rect_middle(corner, corner.w, corner.w), &button, UI_QUIET, false))
        memory->open = false;
    ui_label(ui, bar, title, theme_title(ui->frame.theme));
    rect_cut_bottom(&inside, DIALOG_PAD);
    *body = inside;
    return true;
}

void ui_dialog_end(Ui *ui)
{
    UiLayer *layer = &ui->layers[ui->layer];
    ui_clip_pop(ui);
    /* Last, so that what lies in the dialog has Escape first. */
    if (ui_layer_is_left(ui, layer->rect))
        ui_memory(ui, layer->id)->open = false;
    ui_layer_end(ui);
}

static Color message_color(const Theme *theme, UiMessageKind kind)
{
    return kind == UI_MESSAGE_INFO ? theme->muted : theme->warning;
}

UiAnswer ui_message(Ui *ui, Rect rect, const char *name, const UiMessage *message)
{
    static const Icon icons[] = {ICON_INFO, ICON_WARNING, ICON_ERROR};
    const Theme *theme = ui->frame.theme;
    UiAnswer answer = UI_ANSWER_NONE;
    Rect row = rect_middle(rect, rect.w, theme->row);
    char part[UI_NAME_BYTES];
    ui_name_part(part, name, "close");
    UiControl close = {
        .name = part, .label = "", .icon = ICON_CLOSE, .tip = ui_word(ui, STRING_CLOSE)};
    if (ui_button(ui, rect_cut_right(&row, theme->row), &close, UI_QUIET, false))
        answer = UI_ANSWER_CLOSE;
    if (message->action) {
        char act[UI_NAME_BYTES];
        ui_name_part(act, name, "action");
        UiControl button = {.name = act, .label = message->action};
        rect_cut_right(&row, UI_STEP);
        Rect place = rect_cut_right(&row, fminf(ui_button_width(ui, &button), row.w / 2));
        if (ui_button(ui, place, &button, UI_FRAMED, false))
            answer = UI_ANSWER_ACTION;
    }
    rect_cut_right(&row, 2 * UI_STEP);
    icon_draw(ui_canvas(ui), rect_cut_left(&row, 16), icons[message->kind], 16,
              message_color(theme, message->kind));
    rect_cut_left(&row, 2 * UI_STEP);
    TextStyle style = theme_text(theme);
    if (message->kind != UI_MESSAGE_INFO)
        style.color = theme->warning;
    ui_label(ui, row, message->text, style);
    ui_tag(ui, rect, TAG_LABEL, name, message->text);
    return answer;
}
