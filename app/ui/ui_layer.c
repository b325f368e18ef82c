/* What floats above the rest: layers and tooltips. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "ui/ui_internal.h"

enum { TIP_TEXT_PX = 12, TIP_LINE = 18 };

#define TIP_WIDEST 320.0f
#define TIP_PAD    8.0f

static int find_layer(const Ui *ui, UiId id)
{
    for (int i = 1; i < ui->n_layers; i++)
        if (ui->layers[i].id == id)
            return i;
    return 0;
}

static int add_layer(Ui *ui, UiId id)
{
    if (ui->n_layers == UI_MAX_LAYERS)
        return 0;
    UiLayer *layer = &ui->layers[ui->n_layers];
    if (!layer->canvas)
        layer->canvas = canvas_new(1, 1);
    *layer = (UiLayer){
        .id = id, .canvas = layer->canvas, .focus_before = ui->focus, .ring_before = ui->ring};
    ui_give_focus(ui, 0, false);
    return ui->n_layers++;
}

bool ui_layer_begin(Ui *ui, UiId id, Rect rect, bool modal)
{
    int i = find_layer(ui, id);
    if (i == 0)
        i = add_layer(ui, id);
    if (i == 0)
        return false;
    UiLayer *layer = &ui->layers[i];
    layer->rect = rect;
    layer->modal = modal;
    layer->seen = ui->frame_number;
    canvas_clear(layer->canvas, ui->frame.input->width, ui->frame.input->height);
    FOVEA_CHECK(ui->n_clips < UI_MAX_CLIPS && ui->n_scrolls < UI_MAX_SCROLLS, "layers in layers");
    ui->layer_stack[ui->layer_depth++] = ui->layer;
    ui->layer = i;
    ui->clips[ui->n_clips++] = ui_window(ui);
    ui->scrolls[ui->n_scrolls++] = (UiScroll){0};
    return true;
}

void ui_layer_end(Ui *ui)
{
    FOVEA_CHECK(ui->layer_depth > 0, "no layer is open");
    ui->n_clips--;
    ui->n_scrolls--;
    ui->layer = ui->layer_stack[--ui->layer_depth];
}

bool ui_layer_is_top(const Ui *ui)
{
    return ui->layer == ui->n_layers - 1;
}

bool ui_is_modal(const Ui *ui)
{
    return ui->n_layers > 1 && ui->layers[ui->n_layers - 1].modal;
}

bool ui_layer_is_left(Ui *ui, Rect rect)
{
    if (!ui_layer_is_top(ui))
        return false;
    for (int i = 0; i < ui->n_events; i++) {
        const Event *event = &ui->events[i];
        bool leaves = (event->kind == EVENT_KEY && event->key == KEY_ESCAPE) ||
                      (event->kind == EVENT_PRESS && !rect_contains(rect, event->x, event->y));
        if (!leaves || ui->taken[i])
            continue;
        ui_take(ui, event);
        return true;
    }
    return false;
}

bool ui_open(Ui *ui, const char *name)
{
    UiId id = ui_id(name);
    if (ui_is_modal(ui) && find_layer(ui, id) == 0 && ui->layer != ui->n_layers - 1)
        return false;
    UiMemory *memory = ui_memory(ui, id);
    memory->open = memory->fresh = true;
    memory->place = ui->pointer;
    memory->at = -1;
    memory->scroll_y = 0;
    ui->ahead[0] = '\0';
    ui_ask_frame(ui, 0);
    return true;
}

void ui_close(Ui *ui, const char *name)
{
    ui_memory(ui, ui_id(name))->open = false;
    ui_ask_frame(ui, 0);
}

bool ui_is_open(Ui *ui, const char *name)
{
    return ui_memory(ui, ui_id(name))->open;
}

/* Tooltips */

static TextStyle tip_style(const Ui *ui, bool bold)
{
    TextStyle style = theme_muted(ui->frame.theme);
    style.color = ui->frame.theme->on_tooltip;
    style.bold = bold;
    return style;
}

static void add_tip_line(UiTip *tip, const char *text, size_t n)
{
    if (tip->n == UI_TIP_LINES)
        return;
    char *line = tip->lines[tip->n++];
    utf8_clean(text, n, line, UI_TIP_BYTES);
}

/* Words broken to lines of the widest tooltip. */
static void add_tip_text(Ui *ui, const char *text)
{
    TextStyle style = tip_style(ui, false);
    size_t n = strlen(text);
    for (size_t at = 0; at < n;) {
        size_t next = at + fonts_break_line(ui->frame.fonts, text + at, n - at, &style, TIP_WIDEST);
        size_t end = next;
        while (end > at && (text[end - 1] == ' ' || text[end - 1] == '\n'))
            end--;
        add_tip_line(&ui->tip, text + at, end - at);
        at = next;
    }
}

void ui_offer_tip(Ui *ui, UiId id, Rect rect, const char *text, Action action)
{
    if (!text || !text[0])
        return;
    UiTip *tip = &ui->tip;
    tip->id = id;
    tip->place = rect_common(rect, ui->clips[ui->n_clips - 1]);
    tip->at_pointer = tip->at_once = false;
    tip->n = 0;
    add_tip_text(ui, text);
    keymap_show(ui->frame.keys, action, tip->key);
}

void ui_say(Ui *ui, UiId id, Rect rect, const char *text)
{
    ui_offer_tip(ui, id, rect, text, ACTION_NONE);
    ui->tip.at_once = true;
}

void ui_tip_lines(Ui *ui, const char *const *lines, int n)
{
    UiTip *tip = &ui->tip;
    tip->id = 0;
    tip->at_pointer = n > 0;
    tip->at_once = false;
    tip->n = 0;
    tip->key[0] = '\0';
    for (int i = 0; i < n; i++)
        add_tip_line(tip, lines[i], strlen(lines[i]));
}

static float tip_width(const Ui *ui)
{
    const UiTip *tip = &ui->tip;
    float width = 0;
    for (int i = 0; i < tip->n; i++) {
        TextStyle style = tip_style(ui, tip->at_pointer && i == 0 && tip->n > 1);
        float line = fonts_width(ui->frame.fonts, tip->lines[i], &style);
        if (tip->key[0] && i == tip->n - 1) {
            TextStyle key = theme_number(ui->frame.theme);
            key.size = theme_caption(ui->frame.theme).size;
            line += 3 * UI_STEP + fonts_width(ui->frame.fonts, tip->key, &key);
        }
        width = fmaxf(width, line);
    }
    return ceilf(fminf(width, ui_window((Ui *)ui).w - 4 * TIP_PAD)) + 2 * TIP_PAD;
}

/* Below the control, above it when there is no room; right of the pointer, or left. */
static Rect tip_place(const Ui *ui, float w, float h)
{
    const UiTip *tip = &ui->tip;
    float width = ui->frame.input->width;
    float height = ui->frame.input->height;
    Rect place = {tip->place.x, tip->place.y + tip->place.h + UI_STEP, w, h};
    float above = tip->place.y - UI_STEP - h;
    if (tip->at_pointer) {
        place.x = ui->pointer.x + 4 * UI_STEP;
        place.y = ui->pointer.y + 4 * UI_STEP;
        above = ui->pointer.y - 2 * UI_STEP - h;
        if (place.x + w > width - UI_STEP)
            place.x = ui->pointer.x - 2 * UI_STEP - w;
    }
    if (place.y + h > height - UI_STEP && above >= UI_STEP)
        place.y = above;
    place.x = floorf(fmaxf(UI_STEP, fminf(place.x, width - UI_STEP - w)));
    place.y = floorf(fmaxf(UI_STEP, fminf(place.y, height - UI_STEP - h)));
    return place;
}

static void paint_tip(Ui *ui)
{
    const UiTip *tip = &ui->tip;
    const Theme *theme = ui->frame.theme;
    Canvas *canvas = ui->frame.canvas;
    Rect box = tip_place(ui, tip_width(ui), TIP_LINE * (float)tip->n + 2 * UI_STEP);
    canvas_fill(canvas, rect_inset((Rect){box.x, box.y + 2, box.w, box.h}, -1, -1),
                theme->radius + 1, theme->shadow);
    canvas_fill(canvas, box, theme->radius, theme->tooltip);
    Rect rows = rect_pad(box, TIP_PAD, UI_STEP);
    for (int i = 0; i < tip->n; i++) {
        Rect row = rect_cut_top(&rows, TIP_LINE);
        if (tip->key[0] && i == tip->n - 1) {
            TextStyle key = theme_number(theme);
            key.size = theme_caption(theme).size;
            key.color = theme->on_tooltip_muted;
            key.align = ALIGN_END;
            ui_draw_text(ui, row, tip->key, key);
        }
        ui_draw_text(ui, row, tip->lines[i],
                     tip_style(ui, tip->at_pointer && i == 0 && tip->n > 1));
    }
    canvas_tag(canvas, box, TAG_LABEL, "tooltip", tip->lines[0]);
}

static bool is_disturbed(const Ui *ui)
{
    for (int i = 0; i < ui->n_events; i++)
        if (ui->events[i].kind != EVENT_RELEASE)
            return true;
    return false;
}

void ui_draw_tip(Ui *ui)
{
    UiTip *tip = &ui->tip;
    if (ui->tip_id != tip->id) {
        if (ui->tip_seen)
            ui->tip_gone = ui->now;
        ui->tip_id = tip->id;
        ui->tip_since = ui->now;
        ui->tip_blocked = ui->tip_seen = false;
    }
    if (tip->n > 0 && (tip->at_pointer || tip->at_once)) {
        paint_tip(ui);
        return;
    }
    ui->tip_blocked |= is_disturbed(ui) || ui->active != 0;
    if (tip->id == 0 || ui->tip_blocked) {
        ui->tip_seen = false;
        return;
    }
    bool warm = ui->tip_since - ui->tip_gone < UI_TIP_WARM;
    double wait = warm ? 0 : UI_TIP_SECONDS - (ui->now - ui->tip_since);
    ui->tip_seen = !(wait > 0);
    if (ui->tip_seen)
        paint_tip(ui);
    else
        ui_ask_frame(ui, wait);
}
