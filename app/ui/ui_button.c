/* Controls that are pressed: buttons, rows to go to, checks, tabs. */
#include "ui/ui_internal.h"

#define PAD       12.0f
#define ICON_SIZE 16.0f
#define GAP       8.0f
#define BOX_SIZE  14.0f

typedef struct ButtonPaint {
    Color fill, line, ink; /* fill, line 0: none */
    bool bold;
} ButtonPaint;

static ButtonPaint button_paint(const Theme *theme, UiLook look, bool on, UiTouch touch)
{
    bool pushed = touch.held && touch.hot;
    if (look == UI_PRIMARY) {
        Color accent = theme->accent;
        if (touch.hot)
            accent = color_mix(accent, theme->text, pushed ? 0.2f : 0.1f);
        return (ButtonPaint){accent, 0, theme->on_accent, true};
    }
    ButtonPaint paint = {0, look == UI_FRAMED ? theme->line : 0, theme->text, false};
    if (look == UI_FRAMED)
        paint.fill = theme->panel;
    if (touch.hot)
        paint.fill = pushed ? theme->line : theme->hover;
    if (on) {
        paint.fill = theme->accent_tint;
        paint.ink = theme->accent;
    }
    return paint;
}

static float label_width(Ui *ui, const UiControl *control, bool bold)
{
    TextStyle style = theme_text(ui->frame.theme);
    style.bold = bold;
    return ceilf(fonts_width(ui->frame.fonts, ui_control_label(ui, control), &style));
}

float ui_button_width(Ui *ui, const UiControl *control)
{
    float label = label_width(ui, control, true);
    float icon = control->icon == ICON_NONE ? 0 : ICON_SIZE;
    float width = label + icon + (label > 0 && icon > 0 ? GAP : 0) + 2 * PAD;
    return label == 0 ? ui->frame.theme->row + UI_STEP : ceilf(width / UI_STEP) * UI_STEP;
}

/* Icon and words, together in the middle. Returns whether the words were cut. */
static bool draw_face(Ui *ui, Rect rect, const UiControl *control, ButtonPaint paint)
{
    const char *label = ui_control_label(ui, control);
    Rect inside = rect_pad(rect, UI_STEP, 0);
    float icon = control->icon == ICON_NONE ? 0 : ICON_SIZE;
    if (!label[0]) {
        icon_draw(ui_canvas(ui), inside, control->icon, icon, paint.ink);
        return false;
    }
    float width = label_width(ui, control, paint.bold);
    if (icon > 0) {
        float all = fminf(icon + GAP + width, inside.w);
        rect_cut_left(&inside, floorf((inside.w - all) / 2));
        icon_draw(ui_canvas(ui), rect_cut_left(&inside, icon), control->icon, icon, paint.ink);
        rect_cut_left(&inside, GAP);
    }
    TextStyle style = theme_text(ui->frame.theme);
    style.color = paint.ink;
    style.bold = paint.bold;
    style.align = icon > 0 ? ALIGN_START : ALIGN_MIDDLE;
    return ui_draw_text(ui, inside, label, style);
}

bool ui_button(Ui *ui, Rect rect, const UiControl *control, UiLook look, bool on)
{
    const Theme *theme = ui->frame.theme;
    bool disabled = ui_control_disabled(ui, control);
    UiTouch touch = {0};
    if (!disabled)
        touch = ui_touch(ui, ui_id(control->name), rect, TOUCH_STOP | TOUCH_KEYS);
    if (!ui_is_visible(ui, rect))
        return touch.clicked;
    ButtonPaint paint = button_paint(theme, look, on, touch);
    paint.ink = ui_faded(paint.ink, disabled && look != UI_PRIMARY);
    if (look == UI_QUIET && !on && !touch.hot && control->icon != ICON_NONE)
        paint.ink = ui_faded(theme->muted, disabled);
    if (paint.fill)
        canvas_fill(ui_canvas(ui), rect, theme->radius, ui_faded(paint.fill, disabled));
    if (paint.line)
        canvas_frame(ui_canvas(ui), rect, theme->radius, (Stroke){paint.line, 1, 0});
    bool cut = draw_face(ui, rect, control, paint);
    if (touch.focused && ui->ring)
        ui_draw_ring(ui, rect);
    ui_control_hint(ui, control, touch, rect, cut);
    ui_tag(ui, rect, TAG_BUTTON, control->name, on ? "on" : ui_control_label(ui, control));
    if (touch.clicked)
        ui_add_action(ui, control->action);
    return touch.clicked;
}

bool ui_item(Ui *ui, Rect rect, const UiControl *control, bool chosen)
{
    const Theme *theme = ui->frame.theme;
    bool disabled = ui_control_disabled(ui, control);
    UiTouch touch = {0};
    if (!disabled)
        touch = ui_touch(ui, ui_id(control->name), rect, TOUCH_STOP | TOUCH_KEYS);
    if (!ui_is_visible(ui, rect))
        return touch.clicked;
    if (chosen || touch.hot)
        canvas_fill(ui_canvas(ui), rect, theme->radius, chosen ? theme->accent_tint : theme->hover);
    Rect inside = rect_pad(rect, 2 * UI_STEP, 0);
    if (control->note) {
        TextStyle note = theme_number(theme);
        note.size = theme->caption_size;
        note.color = chosen ? theme->accent : ui_faded(theme->muted, disabled);
        note.align = ALIGN_END;
        ui_draw_text(ui,
                     rect_cut_right(&inside, fonts_width(ui->frame.fonts, control->note, &note)),
                     control->note, note);
        rect_cut_right(&inside, GAP);
    }
    if (control->icon != ICON_NONE) {
        icon_draw(ui_canvas(ui), rect_cut_left(&inside, ICON_SIZE), control->icon, ICON_SIZE,
                  chosen ? theme->accent : theme->muted);
        rect_cut_left(&inside, GAP);
    }
    TextStyle style = theme_text(theme);
    style.color = chosen ? theme->accent : ui_faded(theme->text, disabled);
    style.bold = chosen;
    bool cut = ui_draw_text(ui, inside, ui_control_label(ui, control), style);
    if (touch.focused && ui->ring)
        ui_draw_ring(ui, rect);
    ui_control_hint(ui, control, touch, rect, cut);
    ui_tag(ui, rect, TAG_ITEM, control->name, chosen ? "on" : ui_control_label(ui, control));
    if (touch.clicked)
        ui_add_action(ui, control->action);
    return touch.clicked;
}

static void draw_box(Ui *ui, Rect box, bool on, bool hot, bool disabled)
{
    const Theme *theme = ui->frame.theme;
    Canvas *canvas = ui_canvas(ui);
    if (!on) {
        Color line = hot ? theme->text : theme->muted;
        canvas_frame(canvas, box, 3, (Stroke){ui_faded(line, disabled), 1.2f, 0});
        return;
    }
    canvas_fill(canvas, box, 3, ui_faded(theme->accent, disabled));
    icon_draw(canvas, box, ICON_CHECK, 12, theme->on_accent);
}

bool ui_check(Ui *ui, Rect rect, const UiControl *control, bool *on)
{
    const Theme *theme = ui->frame.theme;
    bool disabled = ui_control_disabled(ui, control);
    UiTouch touch = {0};
    if (!disabled)
        touch = ui_touch(ui, ui_id(control->name), rect, TOUCH_STOP | TOUCH_KEYS);
    if (touch.clicked)
        *on = !*on;
    if (!ui_is_visible(ui, rect))
        return touch.clicked;
    if (touch.hot)
        canvas_fill(ui_canvas(ui), rect, theme->radius, theme->hover);
    Rect inside = rect_pad(rect, 2 * UI_STEP, 0);
    draw_box(ui, rect_middle(rect_cut_left(&inside, BOX_SIZE), BOX_SIZE, BOX_SIZE), *on, touch.hot,
             disabled);
    rect_cut_left(&inside, GAP);
    TextStyle style = theme_text(theme);
    style.color = ui_faded(theme->text, disabled);
    bool cut = ui_draw_text(ui, inside, ui_control_label(ui, control), style);
    if (touch.focused && ui->ring)
        ui_draw_ring(ui, rect);
    ui_control_hint(ui, control, touch, rect, cut);
    ui_tag(ui, rect, TAG_CHECK, control->name, *on ? "on" : "off");
    return touch.clicked;
}

/* Left and Right, Home and End: another tab, or the same. */
static int tab_of_key(Ui *ui, UiId id, int n, int chosen)
{
    const Event *event;
    for (int at = 0; (event = ui_next_key(ui, id, &at)) != NULL;) {
        int next = chosen;
        switch (event->key) {
        case KEY_LEFT: next = chosen - 1; break;
        case KEY_RIGHT: next = chosen + 1; break;
        case KEY_HOME: next = 0; break;
        case KEY_END: next = n - 1; break;
        default: continue;
        }
        if (event->mods != 0)
            continue;
        ui_take(ui, event);
        chosen = next < 0 ? 0 : next >= n ? n - 1 : next;
    }
    return chosen;
}

static void draw_tab(Ui *ui, Rect rect, const char *label, bool chosen, bool hot)
{
    const Theme *theme = ui->frame.theme;
    TextStyle style = theme_text(theme);
    style.align = ALIGN_MIDDLE;
    style.color = chosen ? theme->accent : hot ? theme->text : theme->muted;
    style.bold = chosen;
    ui_draw_text(ui, rect_pad(rect, UI_STEP, 0), label, style);
    if (chosen)
        canvas_fill(ui_canvas(ui), (Rect){rect.x, rect.y + rect.h - 2, rect.w, 2}, 0,
                    theme->accent);
}

bool ui_tabs(Ui *ui, Rect rect, const UiControl *control, const char *const *labels, int n,
             int *chosen)
{
    const Theme *theme = ui->frame.theme;
    UiId id = ui_id(control->name);
    UiTouch row = ui_touch(ui, id, rect, TOUCH_STOP | TOUCH_KEYBOARD);
    int next = tab_of_key(ui, id, n, *chosen);
    canvas_fill(ui_canvas(ui), (Rect){rect.x, rect.y + rect.h - 1, rect.w, 1}, 0, theme->line);
    TextStyle bold = theme_text(theme);
    bold.bold = true;
    Rect rest = rect;
    for (int i = 0; i < n; i++) {
        float width = ceilf(fonts_width(ui->frame.fonts, labels[i], &bold)) + 2 * PAD;
        Rect tab = rect_cut_left(&rest, width);
        char name[UI_NAME_BYTES];
        ui_name_item(name, control->name, i);
        UiTouch touch = ui_touch(ui, ui_id(name), tab, 0);
        if (touch.clicked)
            next = i;
        draw_tab(ui, tab, labels[i], i == next, touch.hot);
        if (row.focused && ui->ring && i == next)
            ui_draw_ring(ui, rect_pad(tab, 1, 2));
        ui_tag(ui, tab, TAG_ITEM, name, labels[i]);
    }
    bool changed = next != *chosen;
    *chosen = next;
    return changed;
}
