#include "ui/ui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "ui/ui_internal.h"

#define NUMBER_BYTES ((size_t)64)
#define QUERY_BYTES  ((size_t)256)

static void own_get(void *context, ClipKind kind, StrBuf *out)
{
    const StrBuf *text = &((Ui *)context)->clips_text[kind];
    strbuf_add_bytes(out, text->text, text->length);
}

static void own_set(void *context, ClipKind kind, const char *text)
{
    StrBuf *to = &((Ui *)context)->clips_text[kind];
    strbuf_clear(to);
    strbuf_add(to, text);
}

Ui *ui_new(void)
{
    Ui *ui = memory_new(1, sizeof *ui);
    ui->number = edit_new(EDIT_ONE_LINE, NUMBER_BYTES);
    ui->query = edit_new(EDIT_ONE_LINE, QUERY_BYTES);
    ui->own_clipboard = (Clipboard){ui, own_get, own_set};
    ui->pointer = (Point){-1, -1};
    ui->tip_gone = -INFINITY;
    return ui;
}

void ui_free(Ui *ui)
{
    if (!ui)
        return;
    for (size_t i = 0; i < ui->n_memories; i++) {
        text_lines_free(&ui->memories[i]->lines);
        free(ui->memories[i]);
    }
    for (int i = 1; i < UI_MAX_LAYERS; i++)
        canvas_free(ui->layers[i].canvas);
    edit_free(ui->number);
    edit_free(ui->query);
    strbuf_free(&ui->clips_text[0]);
    strbuf_free(&ui->clips_text[1]);
    free(ui->memories);
    free(ui->queue);
    free(ui->stops);
    free(ui);
}

/* Names */

static UiId hash_more(UiId hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return hash ? hash : 1;
}

UiId ui_id(const char *name)
{
    return hash_more(0xCBF29CE484222325u, name);
}

UiId ui_part(UiId id, const char *part)
{
    return hash_more(id * 0x9E3779B97F4A7C15u, part);
}

void ui_name_item(char name[UI_NAME_BYTES], const char *of, int item)
{
    snprintf(name, UI_NAME_BYTES, "%s.%d", of, item);
}

void ui_name_part(char name[UI_NAME_BYTES], const char *of, const char *part)
{
    snprintf(name, UI_NAME_BYTES, "%s.%s", of, part);
}

UiMemory *ui_memory(Ui *ui, UiId id)
{
    for (size_t i = 0; i < ui->n_memories; i++)
        if (ui->memories[i]->id == id)
            return ui->memories[i];
    ui->memories =
        memory_grow(ui->memories, &ui->memories_capacity, ui->n_memories + 1, sizeof(UiMemory *));
    UiMemory *memory = memory_new(1, sizeof *memory);
    memory->id = id;
    memory->at = -1;
    ui->memories[ui->n_memories++] = memory;
    return memory;
}

/* Events */

static void queue_events(Ui *ui, Input *input)
{
    if (input->n_events == 0)
        return;
    if (ui->queue_start > 0) {
        memmove(ui->queue, ui->queue + ui->queue_start,
                (ui->queue_end - ui->queue_start) * sizeof *ui->queue);
        ui->queue_end -= ui->queue_start;
        ui->queue_start = 0;
    }
    size_t n = (size_t)input->n_events;
    ui->queue = memory_grow(ui->queue, &ui->queue_capacity, ui->queue_end + n, sizeof *ui->queue);
    memcpy(ui->queue + ui->queue_end, input->events, n * sizeof *ui->queue);
    ui->queue_end += n;
    for (int i = 0; i < input->n_events; i++)
        if (input->events[i].kind == EVENT_DROP)
            memcpy(ui->dropped, input->dropped, sizeof ui->dropped);
    input->n_events = 0;
}

/* Whether what comes after the event must see what the event did. */
static bool ends_batch(const Ui *ui, const Event *event)
{
    if (event->kind == EVENT_TEXT || event->kind == EVENT_WHEEL)
        return false;
    if (event->kind != EVENT_KEY || !ui->typing)
        return true;
    bool edits = event->key == KEY_CHARACTER || event->key == KEY_SPACE ||
                 (event->key >= KEY_LEFT && event->key <= KEY_PAGE_DOWN) ||
                 event->key == KEY_BACKSPACE || event->key == KEY_DELETE;
    return !edits || (event->mods & (MOD_CTRL | MOD_ALT)) != 0;
}

static void choose_batch(Ui *ui)
{
    size_t waiting = ui->queue_end - ui->queue_start;
    ui->events = waiting > 0 ? ui->queue + ui->queue_start : NULL;
    ui->n_events = 0;
    while ((size_t)ui->n_events < waiting && ui->n_events < INPUT_MAX_EVENTS)
        if (ends_batch(ui, &ui->events[ui->n_events++]))
            break;
    memset(ui->taken, 0, sizeof ui->taken);
}

static bool is_drained(const Ui *ui)
{
    return ui->queue_start + (size_t)ui->n_events == ui->queue_end;
}

/* Where the pointer is as the batch sees it. */
static void place_pointer(Ui *ui, const Input *input)
{
    bool placed = false;
    for (int i = 0; i < ui->n_events; i++) {
        const Event *event = &ui->events[i];
        if (event->kind == EVENT_KEY || event->kind == EVENT_TEXT)
            continue;
        ui->pointer = (Point){event->x, event->y};
        placed = true;
    }
    if (!placed && is_drained(ui))
        ui->pointer = (Point){input->x, input->y};
    ui->mods = input->mods;
}

static void read_composition(Ui *ui, const Input *input)
{
    if (!is_drained(ui))
        return;
    memcpy(ui->composing, input->composing, sizeof ui->composing);
    ui->composing_caret = input->composing_caret;
}

/* A character key that was a command must not also be typed into the field that it opened. */
static void swallow_text(Ui *ui)
{
    for (int i = 0; i < ui->n_events && ui->swallow.key; i++) {
        const Event *event = &ui->events[i];
        if (event->kind == EVENT_TEXT) {
            uint32_t code;
            size_t n = strlen(event->text);
            if (n > 0 && utf8_decode(event->text, n, &code) == (int)n &&
                utf8_lower(code) == ui->swallow.code)
                ui->taken[i] = true;
        }
        if (event->kind == EVENT_TEXT || event->kind == EVENT_KEY)
            ui->swallow = (Chord){0};
    }
}

void ui_begin(Ui *ui, const UiFrame *frame)
{
    ui->frame = *frame;
    ui->frame_number++;
    ui->now = frame->input->time;
    queue_events(ui, frame->input);
    choose_batch(ui);
    place_pointer(ui, frame->input);
    read_composition(ui, frame->input);
    swallow_text(ui);
    for (int i = 0; i < ui->n_events; i++)
        if (ui->events[i].kind != EVENT_WHEEL)
            ui->blink_since = ui->now;
    ui->wants = INFINITY;
    ui->hot = 0;
    ui->active_seen = false;
    ui->caret_seen = false;
    ui->cursor = UI_CURSOR_ARROW;
    ui->n_stops = 0;
    ui->n_actions = 0;
    ui->tip.id = 0;
    ui->tip.at_pointer = ui->tip.at_once = false;
    ui->layer = 0;
    ui->layer_depth = 0;
    ui->n_layers = ui->n_layers > 0 ? ui->n_layers : 1;
    ui->layers[0].canvas = frame->canvas;
    ui->clips[0] = ui_window(ui);
    ui->n_clips = 1;
    ui->n_scrolls = 0;
    canvas_clear(frame->canvas, frame->input->width, frame->input->height);
    canvas_fill(frame->canvas, ui_window(ui), 0, frame->theme->background);
}

/* Keys that no control took */

static int find_stop(const Ui *ui, UiId id, int layer)
{
    for (size_t i = 0; i < ui->n_stops; i++)
        if (ui->stops[i].id == id && ui->stops[i].layer == layer)
            return (int)i;
    return -1;
}

static void move_focus(Ui *ui, bool back)
{
    int top = ui->n_layers - 1;
    int n = (int)ui->n_stops;
    int at = find_stop(ui, ui->focus, top);
    for (int i = 0; i < n; i++) {
        at = at < 0 ? (back ? n - 1 : 0) : (at + (back ? n - 1 : 1)) % n;
        if (ui->stops[at].layer == top)
            break;
    }
    if (at >= 0 && ui->stops[at].layer == top) {
        ui_give_focus(ui, ui->stops[at].id, true);
        ui->reveal = ui->focus;
    }
}

static void handle_rest(Ui *ui)
{
    for (int i = 0; i < ui->n_events; i++) {
        const Event *event = &ui->events[i];
        if (ui->taken[i])
            continue;
        if (event->kind == EVENT_PRESS)
            ui_give_focus(ui, 0, false);
        if (event->kind != EVENT_KEY)
            continue;
        if (event->key == KEY_TAB && !(event->mods & (MOD_CTRL | MOD_ALT)))
            move_focus(ui, (event->mods & MOD_SHIFT) != 0);
        else if (event->key == KEY_ESCAPE)
            ui_give_focus(ui, 0, false);
    }
}

/* The keyboard is where a control of this frame is; one that comes only in the next frame,
 * because it was just opened, is waited for. */
static void check_focus(Ui *ui)
{
    ui->typing = false;
    bool seen = false;
    for (size_t i = 0; i < ui->n_stops; i++)
        if (ui->stops[i].id == ui->focus) {
            ui->typing = ui->stops[i].takes_text;
            seen = true;
        }
    ui->unseen = seen || ui->focus == 0 ? 0 : ui->unseen + 1;
    if (ui->unseen > 2)
        ui_give_focus(ui, 0, false);
}

static bool is_released(const Ui *ui)
{
    for (int i = 0; i < ui->n_events; i++)
        if (ui->events[i].kind == EVENT_RELEASE && ui->events[i].button == ui->active_button)
            return true;
    return is_drained(ui) && ui->n_events == 0 && !ui->frame.input->down[ui->active_button];
}

/* Layers that were not drawn are gone; the keyboard goes back to where it was. */
static void drop_layers(Ui *ui)
{
    for (int i = ui->n_layers - 1; i > 0; i--) {
        UiLayer layer = ui->layers[i];
        if (layer.seen == ui->frame_number)
            continue;
        ui_give_focus(ui, layer.focus_before, layer.ring_before);
        for (int j = i; j + 1 < ui->n_layers; j++)
            ui->layers[j] = ui->layers[j + 1];
        ui->n_layers--;
        ui->layers[ui->n_layers] = (UiLayer){.canvas = layer.canvas};
        ui_ask_frame(ui, 0);
    }
}

void ui_end(Ui *ui)
{
    FOVEA_CHECK(ui->n_clips == 1 && ui->layer_depth == 0 && ui->n_scrolls == 0,
                "%d clips, %d layers, %d scroll areas are open", ui->n_clips - 1, ui->layer_depth,
                ui->n_scrolls);
    handle_rest(ui);
    if (ui->active && (is_released(ui) || !ui->active_seen))
        ui->active = 0;
    for (int i = 1; i < ui->n_layers; i++)
        if (ui->layers[i].seen == ui->frame_number)
            canvas_append(ui->frame.canvas, ui->layers[i].canvas);
    ui_draw_tip(ui);
    check_focus(ui);
    drop_layers(ui);
    if (ui->n_events > 0 || !is_drained(ui))
        ui_ask_frame(ui, 0);
    ui->queue_start += (size_t)ui->n_events;
    ui->n_events = 0;
    ui->frame = (UiFrame){0};
}

/* Actions */

void ui_add_action(Ui *ui, Action action)
{
    if (action != ACTION_NONE && ui->n_actions < UI_MAX_ACTIONS)
        ui->actions[ui->n_actions++] = action;
}

static Action action_of_key(Ui *ui, const Event *event)
{
    Action action = keymap_action(ui->frame.keys, event);
    if (action == ACTION_NONE || !ui_can(ui, action) ||
        (event->repeat && !action_repeats(action)) || (ui_is_modal(ui) && action != ACTION_QUIT))
        return ACTION_NONE;
    return action;
}

Action ui_next_action(Ui *ui)
{
    if (ui->n_actions > 0) {
        Action action = ui->actions[0];
        ui->n_actions--;
        memmove(ui->actions, ui->actions + 1, (size_t)ui->n_actions * sizeof ui->actions[0]);
        return action;
    }
    for (int i = 0; i < ui->n_events && ui->frame.keys; i++) {
        const Event *event = &ui->events[i];
        Action action =
            ui->taken[i] || event->kind != EVENT_KEY ? ACTION_NONE : action_of_key(ui, event);
        if (action == ACTION_NONE)
            continue;
        ui_take(ui, event);
        return action;
    }
    return ACTION_NONE;
}

/* What others ask */

double ui_wants_frame(const Ui *ui)
{
    return ui->wants;
}

void ui_ask_frame(Ui *ui, double seconds)
{
    ui->wants = fmin(ui->wants, fmax(seconds, 0));
}

bool ui_wants_text(const Ui *ui, Rect *caret)
{
    if (caret && ui->caret_seen)
        *caret = ui->caret;
    return ui->typing;
}

UiCursor ui_cursor(const Ui *ui)
{
    return ui->cursor;
}

void ui_set_cursor(Ui *ui, UiCursor cursor)
{
    ui->cursor = cursor;
}

Canvas *ui_canvas(Ui *ui)
{
    return ui->layers[ui->layer].canvas;
}

Fonts *ui_fonts(Ui *ui)
{
    return ui->frame.fonts;
}

const Theme *ui_theme(Ui *ui)
{
    return ui->frame.theme;
}

Language ui_language(Ui *ui)
{
    return ui->frame.language;
}

double ui_time(Ui *ui)
{
    return ui->now;
}

Rect ui_window(Ui *ui)
{
    return (Rect){0, 0, ui->frame.input->width, ui->frame.input->height};
}

const char *ui_word(Ui *ui, StringId id)
{
    return ui_text(ui->frame.language, id);
}

const char *ui_action_words(Ui *ui, Action action)
{
    const char *meaning = ui->frame.meanings ? ui->frame.meanings[action] : NULL;
    return meaning ? meaning : ui_word(ui, action_words(action));
}

bool ui_can(Ui *ui, Action action)
{
    return !ui->frame.unavailable || !ui->frame.unavailable[action];
}

const Clipboard *ui_clipboard(const Ui *ui)
{
    return ui->frame.clipboard ? ui->frame.clipboard : &ui->own_clipboard;
}

void ui_focus(Ui *ui, const char *name)
{
    ui_give_focus(ui, name ? ui_id(name) : 0, true);
    ui->reveal = ui->focus;
    /* A layer that closes now does not take the keyboard back. */
    for (int i = ui->layer + 1; i < ui->n_layers; i++)
        ui->layers[i].focus_before = ui->focus;
    ui_ask_frame(ui, 0);
}

bool ui_has_focus(Ui *ui, const char *name)
{
    return ui->focus == ui_id(name);
}

float ui_ease(Ui *ui, const char *name, float target)
{
    UiMemory *memory = ui_memory(ui, ui_part(ui_id(name), "ease"));
    double passed = ui->now - memory->since;
    bool moves = memory->open && !ui->frame.still && fabsf(target - memory->value) > 0.002f;
    memory->open = true;
    memory->since = ui->now;
    if (!moves) {
        memory->value = target;
        return target;
    }
    /* Exponential: 98 percent of the way in UI_EASE_SECONDS. After a pause it starts now. */
    if (passed < 4 * UI_EASE_SECONDS)
        memory->value += (target - memory->value) * (float)(1 - exp(-4 * passed / UI_EASE_SECONDS));
    ui_ask_frame(ui, 1.0 / 60);
    return memory->value;
}
