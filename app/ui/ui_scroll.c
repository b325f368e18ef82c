/* Areas that show a part of something higher. */
#include "ui/panels.h"
#include "ui/ui_internal.h"

#define BAR_WIDTH   10.0f /* of the place that can be grabbed */
#define THUMB_LEAST 24.0f

static float most_scroll(const UiMemory *memory, Rect view)
{
    return fmaxf(0, memory->extent - view.h);
}

static void hold_in_range(UiMemory *memory, Rect view)
{
    memory->scroll_y = roundf(fmaxf(0, fminf(memory->scroll_y, most_scroll(memory, view))));
}

static Rect thumb_place(const UiMemory *memory, Rect view)
{
    float most = most_scroll(memory, view);
    if (most <= 0)
        return (Rect){0};
    float height = fminf(fmaxf(view.h * view.h / memory->extent, THUMB_LEAST), view.h);
    float y = view.y + (view.h - height) * memory->scroll_y / most;
    return (Rect){view.x + view.w - BAR_WIDTH, y, BAR_WIDTH, height};
}

/* Before the content, which lies below it. */
static void touch_thumb(Ui *ui, UiScroll *scroll)
{
    UiMemory *memory = scroll->memory;
    UiTouch touch = ui_touch(ui, ui_part(memory->id, "bar"), scroll->thumb, 0);
    if (touch.pressed)
        memory->value = memory->scroll_y;
    float free = scroll->view.h - scroll->thumb.h;
    if (touch.held && free > 0) {
        memory->scroll_y = memory->value + touch.dy * most_scroll(memory, scroll->view) / free;
        hold_in_range(memory, scroll->view);
        scroll->thumb = thumb_place(memory, scroll->view);
    }
    scroll->thumb_hot = touch.hot || touch.held;
}

Rect ui_scroll_open(Ui *ui, UiId id, Rect rect)
{
    FOVEA_CHECK(ui->n_scrolls < UI_MAX_SCROLLS, "more than %d scroll areas", UI_MAX_SCROLLS);
    UiScroll *scroll = &ui->scrolls[ui->n_scrolls++];
    *scroll = (UiScroll){.memory = ui_memory(ui, id), .view = rect};
    hold_in_range(scroll->memory, rect);
    scroll->thumb = thumb_place(scroll->memory, rect);
    ui_clip_push(ui, rect);
    if (!rect_is_empty(scroll->thumb))
        touch_thumb(ui, scroll);
    return (Rect){rect.x, rect.y - scroll->memory->scroll_y, rect.w,
                  fmaxf(rect.h, scroll->memory->extent)};
}

Rect ui_scroll_open_known(Ui *ui, UiId id, Rect rect, float height)
{
    ui_memory(ui, id)->extent = height;
    return ui_scroll_open(ui, id, rect);
}

/* Wheel, and the page keys where no control wants them. After the content, which may want
 * the wheel itself. */
static void move_by_events(Ui *ui, UiScroll *scroll)
{
    UiMemory *memory = scroll->memory;
    if (most_scroll(memory, scroll->view) <= 0)
        return;
    memory->scroll_y -= UI_WHEEL_PX * ui_take_wheel(ui, scroll->view).y;
    /* In a dialog the keys need no pointer. */
    bool keys = ui_sees_pointer(ui, scroll->view) || (ui->layer > 0 && ui_layer_is_top(ui));
    for (int i = 0; i < ui->n_events && keys; i++) {
        const Event *event = &ui->events[i];
        if (event->kind != EVENT_KEY || ui->taken[i] || event->mods != 0)
            continue;
        if (event->key != KEY_PAGE_UP && event->key != KEY_PAGE_DOWN)
            continue;
        float page = fmaxf(scroll->view.h - 2 * ui->frame.theme->row, ui->frame.theme->row);
        memory->scroll_y += event->key == KEY_PAGE_DOWN ? page : -page;
        ui_take(ui, event);
    }
    hold_in_range(memory, scroll->view);
}

void ui_scroll_shut(Ui *ui, float height)
{
    FOVEA_CHECK(ui->n_scrolls > 0 && ui->scrolls[ui->n_scrolls - 1].memory,
                "no scroll area is open");
    UiScroll *scroll = &ui->scrolls[ui->n_scrolls - 1];
    if (scroll->memory->extent != height) {
        scroll->memory->extent = height;
        ui_ask_frame(ui, 0);
    }
    move_by_events(ui, scroll);
    if (!rect_is_empty(scroll->thumb)) {
        const Theme *theme = ui->frame.theme;
        float width = scroll->thumb_hot ? 6 : 4;
        Rect thumb = scroll->thumb;
        thumb.x += thumb.w - width - 2;
        thumb.w = width;
        canvas_fill(ui_canvas(ui), thumb, width / 2,
                    color_fade(theme->muted, scroll->thumb_hot ? 0.8f : 0.45f));
    }
    ui_clip_pop(ui);
    ui->n_scrolls--;
}

void ui_scroll_to(Ui *ui, float top, float bottom)
{
    UiScroll *scroll = &ui->scrolls[ui->n_scrolls - 1];
    UiMemory *memory = scroll->memory;
    float before = memory->scroll_y;
    if (bottom > memory->scroll_y + scroll->view.h)
        memory->scroll_y = bottom - scroll->view.h;
    if (top < memory->scroll_y)
        memory->scroll_y = top;
    hold_in_range(memory, scroll->view);
    if (memory->scroll_y != before)
        ui_ask_frame(ui, 0);
}

Rect ui_scroll_begin(Ui *ui, const char *name, Rect rect)
{
    return ui_scroll_open(ui, ui_id(name), rect);
}

void ui_scroll_end(Ui *ui, float height)
{
    ui_scroll_shut(ui, height);
}

/* A field's text scrolls in a part of the field. */
static UiMemory *memory_of(Ui *ui, const char *name)
{
    UiMemory *field = ui_memory(ui, ui_part(ui_id(name), "scroll"));
    return field->extent > 0 ? field : ui_memory(ui, ui_id(name));
}

float ui_scroll_at(Ui *ui, const char *name)
{
    return memory_of(ui, name)->scroll_y;
}

/* Its height is not known before it is drawn: until then there is room enough. */
void ui_scroll_put(Ui *ui, const char *name, float y)
{
    UiMemory *both[] = {memory_of(ui, name), ui_memory(ui, ui_part(ui_id(name), "scroll"))};
    for (int i = 0; i < 2; i++) {
        both[i]->scroll_y = y;
        if (y > 0)
            both[i]->extent = fmaxf(both[i]->extent, y + 1e5f);
    }
    ui_ask_frame(ui, 0);
}
