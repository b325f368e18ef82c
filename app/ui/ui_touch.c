/* The pointer and the keyboard on one control. */
#include "base/memory.h"
#include "ui/ui_internal.h"

bool ui_is_visible(const Ui *ui, Rect rect)
{
    return !rect_is_empty(rect_common(rect, ui->clips[ui->n_clips - 1]));
}

bool ui_sees_pointer(const Ui *ui, Rect rect)
{
    float x = ui->pointer.x;
    float y = ui->pointer.y;
    for (int i = ui->n_layers - 1; i > ui->layer; i--)
        if (ui->layers[i].modal || rect_contains(ui->layers[i].rect, x, y))
            return false;
    return rect_contains(rect_common(rect, ui->clips[ui->n_clips - 1]), x, y);
}

void ui_give_focus(Ui *ui, UiId id, bool ring)
{
    if (ui->focus != id) {
        ui->typing = false;
        ui->unseen = 0;
        ui->blink_since = ui->now;
        ui_ask_frame(ui, 0);
    }
    ui->focus = id;
    ui->ring = ring;
}

void ui_take(Ui *ui, const Event *event)
{
    ui->taken[event - ui->events] = true;
    if (event->kind == EVENT_KEY && !ui->typing)
        ui->swallow = chord_of_event(event);
}

/* Scrolls the innermost area so that a control that Tab went to is seen. */
static void reveal(Ui *ui, Rect rect)
{
    ui->reveal = 0;
    if (ui->n_scrolls == 0)
        return;
    UiScroll *scroll = &ui->scrolls[ui->n_scrolls - 1];
    if (!scroll->memory)
        return;
    const float margin = 2 * UI_STEP;
    float above = scroll->view.y + margin - rect.y;
    float below = rect.y + rect.h + margin - scroll->view.y - scroll->view.h;
    if (above > 0)
        scroll->memory->scroll_y -= above;
    else if (below > 0)
        scroll->memory->scroll_y += below;
    if (above > 0 || below > 0)
        ui_ask_frame(ui, 0);
}

static void add_stop(Ui *ui, UiId id, Rect rect, bool takes_text)
{
    ui->stops = memory_grow(ui->stops, &ui->stops_capacity, ui->n_stops + 1, sizeof *ui->stops);
    ui->stops[ui->n_stops++] = (UiStop){id, ui->layer, takes_text};
    if (ui->reveal == id && ui->focus == id)
        reveal(ui, rect);
}

static void touch_event(Ui *ui, UiId id, unsigned flags, const Event *event, UiTouch *touch)
{
    if (event->kind == EVENT_PRESS && event->button == BUTTON_LEFT && touch->hot) {
        ui_take(ui, event);
        ui->active = id;
        ui->active_button = event->button;
        ui->pressed_at = (Point){event->x, event->y};
        touch->pressed = true;
        touch->clicks = event->clicks;
        touch->mods = event->mods;
        if (flags & TOUCH_PRESS_FOCUS)
            ui_give_focus(ui, id, false);
    } else if (event->kind == EVENT_RELEASE && event->button == BUTTON_LEFT && ui->active == id) {
        ui_take(ui, event);
        ui->active = 0;
        touch->clicked = touch->hot;
        touch->mods = event->mods;
    } else if (event->kind == EVENT_KEY && (flags & TOUCH_KEYS) && ui->focus == id &&
               (event->key == KEY_SPACE || event->key == KEY_ENTER) && event->mods == 0 &&
               !event->repeat) {
        ui_take(ui, event);
        touch->clicked = true;
    }
}

UiTouch ui_touch(Ui *ui, UiId id, Rect rect, unsigned flags)
{
    UiTouch touch = {0};
    if (flags & TOUCH_STOP)
        add_stop(ui, id, rect, (flags & TOUCH_TEXT) != 0);
    touch.hot = !(flags & TOUCH_KEYBOARD) && (ui->active == 0 || ui->active == id) &&
                (ui->hot == 0 || ui->hot == id) && ui_sees_pointer(ui, rect);
    if (touch.hot)
        ui->hot = id;
    ui->active_seen |= ui->active == id;
    for (int i = 0; i < ui->n_events; i++)
        if (!ui->taken[i])
            touch_event(ui, id, flags, &ui->events[i], &touch);
    ui->active_seen |= ui->active == id;
    touch.held = ui->active == id;
    touch.focused = ui->focus == id;
    touch.dx = ui->pointer.x - ui->pressed_at.x;
    touch.dy = ui->pointer.y - ui->pressed_at.y;
    return touch;
}

const Event *ui_next_key(Ui *ui, UiId id, int *at)
{
    while (ui->focus == id && *at < ui->n_events) {
        int i = (*at)++;
        if (!ui->taken[i] && ui->events[i].kind == EVENT_KEY)
            return &ui->events[i];
    }
    return NULL;
}

bool ui_take_key(Ui *ui, UiId id, Key key)
{
    const Event *event;
    for (int at = 0; (event = ui_next_key(ui, id, &at)) != NULL;)
        if (event->key == key && event->mods == 0) {
            ui_take(ui, event);
            return true;
        }
    return false;
}

Point ui_take_wheel(Ui *ui, Rect rect)
{
    Point lines = {0, 0};
    if (!ui_sees_pointer(ui, rect))
        return lines;
    for (int i = 0; i < ui->n_events; i++)
        if (ui->events[i].kind == EVENT_WHEEL && !ui->taken[i]) {
            lines.x += ui->events[i].dx;
            lines.y += ui->events[i].dy;
            ui->taken[i] = true;
        }
    return lines;
}

/* The place of a press of any button in this batch that nobody took. */
static const Event *find_press(const Ui *ui)
{
    for (int i = 0; i < ui->n_events; i++)
        if (ui->events[i].kind == EVENT_PRESS && !ui->taken[i])
            return &ui->events[i];
    return NULL;
}

static void area_release(Ui *ui, UiId id, UiArea *area)
{
    for (int i = 0; i < ui->n_events; i++) {
        const Event *event = &ui->events[i];
        if (event->kind != EVENT_RELEASE || ui->active != id || ui->taken[i] ||
            event->button != ui->active_button)
            continue;
        ui_take(ui, event);
        ui->active = 0;
        area->released = true;
        area->button = event->button;
    }
}

UiArea ui_area(Ui *ui, const char *name, Rect rect)
{
    UiId id = ui_id(name);
    UiArea area = {.x = ui->pointer.x, .y = ui->pointer.y, .mods = ui->mods};
    area.inside =
        (ui->active == 0 || ui->active == id) && ui->hot == 0 && ui_sees_pointer(ui, rect);
    if (area.inside)
        ui->hot = id;
    const Event *press = find_press(ui);
    if (press && area.inside && ui->active == 0) {
        ui_take(ui, press);
        ui_give_focus(ui, 0, false);
        ui->active = id;
        ui->active_button = press->button;
        ui->pressed_at = (Point){press->x, press->y};
        area.pressed = true;
        area.clicks = press->clicks;
        area.mods = press->mods;
    }
    ui->active_seen |= ui->active == id;
    area_release(ui, id, &area);
    area.held = ui->active == id;
    if (area.held)
        area.button = ui->active_button;
    area.from_x = ui->pressed_at.x;
    area.from_y = ui->pressed_at.y;
    Point wheel = area.inside ? ui_take_wheel(ui, rect) : (Point){0, 0};
    area.wheel_x = wheel.x;
    area.wheel_y = wheel.y;
    return area;
}

const char *ui_take_dropped(Ui *ui)
{
    for (int i = 0; i < ui->n_events; i++)
        if (ui->events[i].kind == EVENT_DROP && !ui->taken[i]) {
            ui->taken[i] = true;
            return ui->dropped;
        }
    return NULL;
}
