/* Numbers that are dragged, stepped and typed. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "ui/ui_internal.h"

#define DRAG_RANGE  240.0f /* pixels from one end of the range to the other */
#define FINER       10.0
#define VALUE_WIDTH 72.0f
#define KNOB        7.0f
#define TRACK       4.0f
#define TICK        10.0f

enum { VALUE_BYTES = 64, PAGE_STEPS = 10 };

static double step_of(const UiRange *range)
{
    return range->step > 0 ? range->step : (range->high - range->low) / 100;
}

static double hold(const UiRange *range, double value)
{
    if (range->whole) {
        double step = step_of(range);
        value = range->low + round((value - range->low) / step) * step;
    }
    return fmax(range->low, fmin(range->high, value));
}

/* The caller's format is for one double. */
static void format_value(const UiRange *range, double value, char text[VALUE_BYTES])
{
    snprintf(text, VALUE_BYTES, range->format ? range->format : "%g", value);
}

/* Arrows a step, pages ten, Home and End to the ends. */
static void step_by_keys(Ui *ui, UiId id, const UiRange *range, double *value)
{
    const Event *event;
    for (int at = 0; (event = ui_next_key(ui, id, &at)) != NULL;) {
        double step = step_of(range);
        double next = *value;
        switch (event->key) {
        case KEY_LEFT:
        case KEY_DOWN: next -= step; break;
        case KEY_RIGHT:
        case KEY_UP: next += step; break;
        case KEY_PAGE_DOWN: next -= PAGE_STEPS * step; break;
        case KEY_PAGE_UP: next += PAGE_STEPS * step; break;
        case KEY_HOME: next = range->low; break;
        case KEY_END: next = range->high; break;
        default: continue;
        }
        if (event->mods != 0)
            continue;
        ui_take(ui, event);
        *value = hold(range, next);
    }
}

static void step_by_wheel(Ui *ui, Rect rect, const UiRange *range, double *value)
{
    Point wheel = ui_take_wheel(ui, rect);
    if (wheel.y != 0)
        *value = hold(range, *value + (double)wheel.y * step_of(range));
}

static void begin_typing(Ui *ui, UiId id, const UiRange *range, double value)
{
    char text[VALUE_BYTES];
    Error error = {0};
    format_value(range, value, text);
    if (!edit_reset(ui->number, text, &error))
        return;
    edit_select_all(ui->number);
    ui->number_id = id;
    ui_memory(ui, ui_part(id, "bad"))->open = false;
    ui_give_focus(ui, id, true);
    ui_ask_frame(ui, 0);
}

/* "0,5" is a number too. */
static bool parse_typed(const char *typed, double *value)
{
    char text[VALUE_BYTES];
    typed += strspn(typed, " +");
    size_t n = strlen(typed);
    while (n > 0 && typed[n - 1] == ' ')
        n--;
    if (n == 0 || n >= sizeof text)
        return false;
    for (size_t i = 0; i < n; i++)
        text[i] = typed[i] == ',' ? '.' : typed[i];
    return number_parse(text, n, value) == n && isfinite(*value);
}

/* While the number is typed. bad->open: what stands there was refused. */
static void type_number(Ui *ui, Rect rect, const UiControl *control, const UiRange *range,
                        double *value)
{
    UiId id = ui_id(control->name);
    UiMemory *bad = ui_memory(ui, ui_part(id, "bad"));
    if (ui_take_key(ui, id, KEY_ESCAPE)) {
        ui->number_id = 0;
        ui_ask_frame(ui, 0);
    }
    UiControl field = {.name = control->name, .label = ""};
    unsigned flags = ui_field(ui, rect, &field, ui->number, NULL);
    double typed;
    bool good = parse_typed(edit_text(ui->number), &typed);
    if (flags & UI_FIELD_CHANGED)
        bad->open = false;
    if ((flags & (UI_FIELD_SUBMITTED | UI_FIELD_LEFT)) && ui->number_id == id) {
        if (good)
            *value = hold(range, typed);
        if (good || (flags & UI_FIELD_LEFT))
            ui->number_id = 0;
        bad->open = !good;
    }
    if (bad->open && ui->number_id == id) {
        char kept[VALUE_BYTES];
        char message[256];
        format_value(range, *value, kept);
        snprintf(message, sizeof message, ui_word(ui, STRING_NOT_A_NUMBER), edit_text(ui->number),
                 kept);
        canvas_frame(ui_canvas(ui), rect, ui->frame.theme->radius,
                     (Stroke){ui->frame.theme->warning, 1.5f, 0});
        ui_say(ui, bad->id, rect, message);
    }
}

static void drag_number(Ui *ui, UiMemory *memory, UiTouch touch, const UiRange *range,
                        double *value)
{
    if (touch.pressed) {
        memory->number = *value;
        memory->dragged = false;
    }
    if (!touch.held)
        return;
    memory->dragged |= fabsf(touch.dx) > UI_DRAG_PX;
    if (!memory->dragged)
        return;
    double per_px = (range->high - range->low) / (double)DRAG_RANGE;
    if (ui->mods & MOD_SHIFT)
        per_px /= FINER;
    *value = hold(range, memory->number + (double)touch.dx * per_px);
}

static void draw_number(Ui *ui, Rect rect, const UiControl *control, UiTouch touch,
                        const UiRange *range, double value)
{
    const Theme *theme = ui->frame.theme;
    if (touch.hot || touch.held) {
        canvas_fill(ui_canvas(ui), rect, theme->radius, theme->hover);
        Rect track = rect_pad(rect, 2 * UI_STEP, 0);
        float part = (float)((value - range->low) / (range->high - range->low));
        track.y = rect.y + rect.h - 3;
        canvas_fill(ui_canvas(ui), (Rect){track.x, track.y, track.w, 2}, 1, theme->line);
        canvas_fill(ui_canvas(ui), (Rect){track.x, track.y, track.w * part, 2}, 1, theme->accent);
    }
    char text[VALUE_BYTES];
    format_value(range, value, text);
    Rect inside = rect_pad(rect, 2 * UI_STEP, 0);
    TextStyle number = theme_number(theme);
    number.align = ALIGN_END;
    number.color = ui_faded(touch.hot ? theme->text : theme->muted, control->disabled);
    float width = ceilf(fonts_width(ui->frame.fonts, text, &number));
    ui_draw_text(ui, rect_cut_right(&inside, width), text, number);
    rect_cut_right(&inside, 2 * UI_STEP);
    TextStyle style = theme_text(theme);
    style.color = ui_faded(theme->text, control->disabled);
    bool cut = ui_draw_text(ui, inside, ui_control_label(ui, control), style);
    if (touch.focused && ui->ring)
        ui_draw_ring(ui, rect);
    UiControl hinted = *control;
    if (!hinted.tip)
        hinted.tip = ui_word(ui, STRING_SLIDER_HINT);
    if (touch.hot)
        ui_set_cursor(ui, UI_CURSOR_SIDEWAYS);
    ui_control_hint(ui, &hinted, touch, rect, cut);
    ui_tag(ui, rect, TAG_SLIDER, control->name, text);
}

static void number_by_keys(Ui *ui, UiId id, Rect rect, UiTouch touch, const UiRange *range,
                           double *value)
{
    step_by_keys(ui, id, range, value);
    if (touch.focused)
        step_by_wheel(ui, rect, range, value);
    UiMemory *memory = ui_memory(ui, id);
    if (touch.clicked && !memory->dragged)
        begin_typing(ui, id, range, *value);
    if (!touch.held)
        memory->dragged = false;
}

bool ui_number(Ui *ui, Rect rect, const UiControl *control, const UiRange *range, double *value)
{
    UiId id = ui_id(control->name);
    double before = *value;
    if (ui->number_id == id && !control->disabled) {
        Rect field = rect_pad(rect, 0, 2);
        Rect right = rect_cut_right(&field, fmaxf(VALUE_WIDTH, field.w * 0.4f));
        ui_draw_text(ui, rect_pad((Rect){rect.x, rect.y, field.w, rect.h}, 2 * UI_STEP, 0),
                     ui_control_label(ui, control), theme_text(ui->frame.theme));
        type_number(ui, right, control, range, value);
        return *value != before;
    }
    UiTouch touch = {0};
    if (!control->disabled) {
        touch = ui_touch(ui, id, rect, TOUCH_STOP | TOUCH_KEYS | TOUCH_PRESS_FOCUS);
        drag_number(ui, ui_memory(ui, id), touch, range, value);
        number_by_keys(ui, id, rect, touch, range, value);
    }
    if (ui_is_visible(ui, rect))
        draw_number(ui, rect, control, touch, range, *value);
    return *value != before;
}

static void draw_slider(Ui *ui, Rect rect, const UiControl *control, UiTouch touch,
                        const UiRange *range, float part)
{
    const Theme *theme = ui->frame.theme;
    Canvas *canvas = ui_canvas(ui);
    Rect bar = rect_pad(rect, KNOB, 0);
    float y = floorf(rect.y + rect.h / 2);
    Color accent = ui_faded(theme->accent, control->disabled);
    canvas_fill(canvas, (Rect){bar.x, y - TRACK / 2, bar.w, TRACK}, TRACK / 2, theme->line);
    canvas_fill(canvas, (Rect){bar.x, y - TRACK / 2, bar.w * part, TRACK}, TRACK / 2, accent);
    /* Marks that would touch say nothing. */
    bool apart = range->ticks > 1 && bar.w / (float)(range->ticks - 1) >= 2 * UI_STEP;
    for (int i = 0; apart && i < range->ticks; i++) {
        float x = roundf(bar.x + bar.w * (float)i / (float)(range->ticks - 1));
        canvas_fill(canvas, (Rect){x - 0.5f, y - TICK / 2, 1, TICK}, 0,
                    color_fade(theme->muted, 0.6f));
    }
    float knob = touch.hot || touch.held ? KNOB + 1 : KNOB;
    Point centre = {bar.x + bar.w * part, y};
    if (touch.focused && ui->ring)
        canvas_circle(canvas, centre, knob + 3, color_fade(theme->accent, 0.3f), (Stroke){0});
    canvas_circle(canvas, centre, knob, accent, (Stroke){0});
}

bool ui_slider(Ui *ui, Rect rect, const UiControl *control, const UiRange *range, double *value)
{
    UiId id = ui_id(control->name);
    double before = *value;
    bool disabled = control->disabled || !(range->high > range->low);
    UiTouch touch = {0};
    if (!disabled) {
        touch = ui_touch(ui, id, rect, TOUCH_STOP | TOUCH_PRESS_FOCUS);
        Rect bar = rect_pad(rect, KNOB, 0);
        if ((touch.held || touch.clicked) && bar.w > 0) {
            double part = (double)((ui->pointer.x - bar.x) / bar.w);
            *value = hold(range, range->low + part * (range->high - range->low));
        }
        step_by_keys(ui, id, range, value);
        step_by_wheel(ui, rect, range, value);
    }
    if (!ui_is_visible(ui, rect))
        return *value != before;
    float part = disabled ? 0 : (float)((*value - range->low) / (range->high - range->low));
    float eased = ui_ease(ui, control->name, part);
    draw_slider(ui, rect, control, touch, range, touch.held ? part : eased);
    char text[VALUE_BYTES];
    format_value(range, *value, text);
    ui_control_hint(ui, control, touch, rect, false);
    ui_tag(ui, rect, TAG_SLIDER, control->name, text);
    return *value != before;
}
