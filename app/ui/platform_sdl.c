#include "ui/platform_sdl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

#include "base/memory.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "canvas/canvas_sdl.h"
#include "ui/platform_keys_sdl.h"

#define LEAST_WIDTH  480
#define LEAST_HEIGHT 360
#define NOWHERE      (-1.0f)

struct Platform {
    SDL_Window *window;
    CanvasWindow *canvas;
    Clipboard clipboard;
    SDL_Cursor *cursors[UI_CURSOR_COUNT]; /* made when first wanted */
    UiCursor cursor;
    float zoom;
    float x, y; /* pointer in window coordinates; NOWHERE when outside */
    Uint32 wake_event;
    bool closing;
    bool takes_text;
};

/* The system's clipboard */

static char *get_text(ClipKind kind)
{
#if SDL_VERSION_ATLEAST(2, 26, 0)
    if (kind == CLIP_SELECTED)
        return SDL_GetPrimarySelectionText();
#endif
    return kind == CLIP_COPIED ? SDL_GetClipboardText() : NULL;
}

static void clipboard_get(void *context, ClipKind kind, StrBuf *out)
{
    (void)context;
    char *text = get_text(kind);
    if (text)
        strbuf_add(out, text);
    SDL_free(text);
}

static void clipboard_set(void *context, ClipKind kind, const char *text)
{
    (void)context;
#if SDL_VERSION_ATLEAST(2, 26, 0)
    if (kind == CLIP_SELECTED) {
        SDL_SetPrimarySelectionText(text);
        return;
    }
#endif
    if (kind == CLIP_COPIED)
        SDL_SetClipboardText(text);
}

/* The window */

/* Where nothing can be seen SDL takes its "offscreen" driver by itself, and nobody would know. */
static bool has_display(Error *error)
{
    bool is_open = SDL_InitSubSystem(SDL_INIT_VIDEO) == 0;
    const char *driver = is_open ? SDL_GetCurrentVideoDriver() : NULL;
    bool is_unseen = driver && (strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0);
    if (is_open && (!is_unseen || SDL_GetHint(SDL_HINT_VIDEODRIVER)))
        return true;
    error_set(error, ERROR_UNSUPPORTED,
              "there is no display to open a window on (%s); run and export work without one",
              is_open ? "DISPLAY and WAYLAND_DISPLAY name none" : SDL_GetError());
    return false;
}

static bool open_window(Platform *platform, const char *title, int width, int height, Fonts *fonts,
                        Error *error)
{
    canvas_sdl_prepare();
    SDL_SetHint(SDL_HINT_IME_SUPPORT_EXTENDED_TEXT, "1");
    SDL_SetHint(SDL_HINT_IME_SHOW_UI, "1");
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    if (!has_display(error))
        return false;
    platform->window =
        SDL_CreateWindow(title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, width, height,
                         SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!platform->window)
        return error_set(error, ERROR_UNSUPPORTED, "the window cannot be opened: %s",
                         SDL_GetError());
    SDL_SetWindowMinimumSize(platform->window, LEAST_WIDTH, LEAST_HEIGHT);
    platform->canvas = canvas_window_new(platform->window, fonts, error);
    return platform->canvas != NULL;
}

Platform *platform_new(const char *title, int width, int height, Fonts *fonts, Error *error)
{
    Platform *platform = memory_new(1, sizeof *platform);
    platform->zoom = 1;
    platform->x = platform->y = NOWHERE;
    platform->clipboard = (Clipboard){platform, clipboard_get, clipboard_set};
    if (!open_window(platform, title, width, height, fonts, error)) {
        platform_free(platform);
        return NULL;
    }
    platform->wake_event = SDL_RegisterEvents(1);
    float scale = canvas_window_display_scale(platform->canvas);
    if (scale > 1)
        SDL_SetWindowSize(platform->window, (int)((float)width * scale),
                          (int)((float)height * scale));
    /* SDL starts with the input method on. */
    SDL_StopTextInput();
    return platform;
}

void platform_free(Platform *platform)
{
    if (!platform)
        return;
    for (int i = 0; i < UI_CURSOR_COUNT; i++)
        SDL_FreeCursor(platform->cursors[i]);
    canvas_window_free(platform->canvas);
    if (platform->window)
        SDL_DestroyWindow(platform->window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    free(platform);
}

/* Device pixels per unit of SDL's window coordinates. */
static float pixels_per_unit(const Platform *platform)
{
    int width;
    int height;
    int pixels;
    SDL_GetWindowSize(platform->window, &width, NULL);
    canvas_window_size(platform->canvas, &pixels, &height);
    return width > 0 ? (float)pixels / (float)width : 1;
}

float platform_scale(const Platform *platform)
{
    return canvas_window_display_scale(platform->canvas) * platform->zoom;
}

float platform_zoom(const Platform *platform)
{
    return platform->zoom;
}

void platform_set_zoom(Platform *platform, float zoom)
{
    platform->zoom = fmaxf(PLATFORM_LEAST_ZOOM, fminf(zoom, PLATFORM_MOST_ZOOM));
}

/* From window coordinates to logical pixels. */
static float to_logical(const Platform *platform, float value)
{
    return value * pixels_per_unit(platform) / platform_scale(platform);
}

/* Events */

static Event *add_event(Input *input, EventKind kind)
{
    FOVEA_CHECK(input->n_events < INPUT_MAX_EVENTS, "more than %d events", INPUT_MAX_EVENTS);
    Event *event = &input->events[input->n_events++];
    *event = (Event){.kind = kind, .x = input->x, .y = input->y, .mods = input->mods};
    return event;
}

static void set_pointer(Platform *platform, Input *input, float x, float y)
{
    platform->x = x;
    platform->y = y;
    bool outside = x == NOWHERE && y == NOWHERE;
    input->x = outside ? NOWHERE : to_logical(platform, x);
    input->y = outside ? NOWHERE : to_logical(platform, y);
}

static int button_number(Uint8 button)
{
    switch (button) {
    case SDL_BUTTON_LEFT: return BUTTON_LEFT;
    case SDL_BUTTON_MIDDLE: return BUTTON_MIDDLE;
    case SDL_BUTTON_RIGHT: return BUTTON_RIGHT;
    default: return 0;
    }
}

static void take_button(Platform *platform, Input *input, const SDL_MouseButtonEvent *button)
{
    int number = button_number(button->button);
    if (number == 0)
        return;
    set_pointer(platform, input, (float)button->x, (float)button->y);
    bool pressed = button->type == SDL_MOUSEBUTTONDOWN;
    input->down[number] = pressed;
    /* A drag goes on outside the window. */
    SDL_CaptureMouse(input->down[1] || input->down[2] || input->down[3] ? SDL_TRUE : SDL_FALSE);
    Event *event = add_event(input, pressed ? EVENT_PRESS : EVENT_RELEASE);
    event->button = number;
    event->clicks = (button->clicks - 1) % 3 + 1;
}

static void take_wheel(Input *input, const SDL_MouseWheelEvent *wheel)
{
    Event *event = add_event(input, EVENT_WHEEL);
    float sign = wheel->direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1;
    event->dx = sign * wheel->preciseX;
    event->dy = sign * wheel->preciseY;
    /* Shift turns a plain wheel sideways. */
    if ((input->mods & MOD_SHIFT) && event->dx == 0) {
        event->dx = event->dy;
        event->dy = 0;
    }
}

static void take_key(Input *input, const SDL_KeyboardEvent *key)
{
    Event event = {.kind = EVENT_KEY, .repeat = key->repeat != 0, .x = input->x, .y = input->y};
    if (platform_read_key(&key->keysym, &event))
        *add_event(input, EVENT_KEY) = event;
}

/* As much of a text as an event holds, in whole characters. Returns the bytes. */
static size_t take_text_part(Input *input, const char *text, size_t n)
{
    size_t part = n < INPUT_TEXT_BYTES ? n : INPUT_TEXT_BYTES - 1;
    while (part < n && part > 0 && ((unsigned char)text[part] & 0xC0) == 0x80)
        part--;
    Event *event = add_event(input, EVENT_TEXT);
    memcpy(event->text, text, part);
    event->text[part] = '\0';
    return part;
}

static void take_typed(Input *input, const char *text)
{
    /* Alt and a letter is a command, though X11 also makes text of it. */
    SDL_Keymod mods = SDL_GetModState();
    if ((mods & (KMOD_CTRL | KMOD_LALT)) && !(mods & (KMOD_MODE | KMOD_RALT)))
        return;
    take_text_part(input, text, strlen(text));
}

/* `start` counts characters. */
static void take_composition(Input *input, const char *text, Sint32 start)
{
    size_t n = strlen(text);
    if (n >= INPUT_TEXT_BYTES)
        n = utf8_previous_grapheme(text, n, INPUT_TEXT_BYTES);
    memcpy(input->composing, text, n);
    input->composing[n] = '\0';
    size_t caret = 0;
    uint32_t code;
    for (Sint32 i = 0; i < start && caret < n; i++)
        caret += (size_t)utf8_decode(text + caret, n - caret, &code);
    /* Many input methods never say where the caret is. */
    input->composing_caret = (int)(start > 0 ? caret : n);
}

/* Where a file was let go: no motion was reported while it was dragged. */
static void find_pointer(Platform *platform, Input *input)
{
    int x;
    int y;
    int left;
    int top;
    SDL_GetGlobalMouseState(&x, &y);
    SDL_GetWindowPosition(platform->window, &left, &top);
    set_pointer(platform, input, (float)(x - left), (float)(y - top));
}

static void take_drop(Platform *platform, Input *input, SDL_DropEvent *drop)
{
    if (drop->file && strlen(drop->file) < INPUT_PATH_BYTES) {
        find_pointer(platform, input);
        memcpy(input->dropped, drop->file, strlen(drop->file) + 1);
        add_event(input, EVENT_DROP);
    }
    SDL_free(drop->file);
}

static void take_window_event(Platform *platform, Input *input, const SDL_WindowEvent *window)
{
    switch (window->event) {
    case SDL_WINDOWEVENT_LEAVE: set_pointer(platform, input, NOWHERE, NOWHERE); break;
    case SDL_WINDOWEVENT_CLOSE: platform->closing = true; break;
    case SDL_WINDOWEVENT_FOCUS_LOST: input->composing[0] = '\0'; break;
    default: break;
    }
}

static void take_event(Platform *platform, Input *input, SDL_Event *event)
{
    input->mods = platform_read_mods(SDL_GetModState());
    switch (event->type) {
    case SDL_QUIT: platform->closing = true; break;
    case SDL_WINDOWEVENT: take_window_event(platform, input, &event->window); break;
    case SDL_MOUSEMOTION:
        set_pointer(platform, input, (float)event->motion.x, (float)event->motion.y);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP: take_button(platform, input, &event->button); break;
    case SDL_MOUSEWHEEL: take_wheel(input, &event->wheel); break;
    case SDL_KEYDOWN: take_key(input, &event->key); break;
    case SDL_TEXTINPUT:
        input->composing[0] = '\0';
        take_typed(input, event->text.text);
        break;
    case SDL_TEXTEDITING: take_composition(input, event->edit.text, event->edit.start); break;
    case SDL_TEXTEDITING_EXT:
        take_composition(input, event->editExt.text, event->editExt.start);
        SDL_free(event->editExt.text);
        break;
    case SDL_DROPFILE: take_drop(platform, input, &event->drop); break;
    default: break;
    }
}

/* Another event may be taken: there is room, and only one file is dropped in a frame. */
static bool has_room(const Input *input)
{
    return input->n_events < INPUT_MAX_EVENTS &&
           (input->n_events == 0 || input->events[input->n_events - 1].kind != EVENT_DROP);
}

static void measure(Platform *platform, Input *input)
{
    int width;
    int height;
    canvas_window_size(platform->canvas, &width, &height);
    float scale = platform_scale(platform);
    input->width = fmaxf(1, (float)width / scale);
    input->height = fmaxf(1, (float)height / scale);
    input->time = clock_seconds();
}

bool platform_wait(Platform *platform, double seconds, Input *input)
{
    enum { LONGEST_MS = 1 << 30 };
    SDL_Event event;
    bool any;
    if (seconds * 1000 < LONGEST_MS)
        any = SDL_WaitEventTimeout(&event, (int)ceil(fmax(seconds, 0) * 1000)) != 0;
    else
        any = SDL_WaitEvent(&event) != 0;
    for (; any; any = has_room(input) && SDL_PollEvent(&event) != 0)
        take_event(platform, input, &event);
    measure(platform, input);
    bool open = !platform->closing;
    platform->closing = false; /* the program may have reasons to stay */
    return open;
}

void platform_wake(void *context)
{
    const Platform *platform = context;
    SDL_Event event = {.type = platform->wake_event};
    SDL_PushEvent(&event);
}

/* Pictures and wishes */

bool platform_show(Platform *platform, const Canvas *canvas, Error *error)
{
    return canvas_window_show(platform->canvas, canvas, platform_scale(platform), NULL, error);
}

static void show_cursor(Platform *platform, UiCursor cursor)
{
    static const SDL_SystemCursor shapes[UI_CURSOR_COUNT] = {
        [UI_CURSOR_ARROW] = SDL_SYSTEM_CURSOR_ARROW,
        [UI_CURSOR_HAND] = SDL_SYSTEM_CURSOR_HAND,
        [UI_CURSOR_TEXT] = SDL_SYSTEM_CURSOR_IBEAM,
        [UI_CURSOR_SIDEWAYS] = SDL_SYSTEM_CURSOR_SIZEWE,
        [UI_CURSOR_MOVE] = SDL_SYSTEM_CURSOR_SIZEALL,
        [UI_CURSOR_CROSS] = SDL_SYSTEM_CURSOR_CROSSHAIR,
    };
    if (cursor == platform->cursor && platform->cursors[cursor])
        return;
    if (!platform->cursors[cursor])
        platform->cursors[cursor] = SDL_CreateSystemCursor(shapes[cursor]);
    if (platform->cursors[cursor])
        SDL_SetCursor(platform->cursors[cursor]);
    platform->cursor = cursor;
}

void platform_follow(Platform *platform, const Ui *ui)
{
    show_cursor(platform, ui_cursor(ui));
    Rect caret = {0};
    bool text = ui_wants_text(ui, &caret);
    if (text != platform->takes_text) {
        if (text)
            SDL_StartTextInput();
        else
            SDL_StopTextInput();
        platform->takes_text = text;
    }
    if (text) {
        float unit = platform_scale(platform) / pixels_per_unit(platform);
        SDL_Rect rect = {(int)(caret.x * unit), (int)(caret.y * unit),
                         (int)fmaxf(1, caret.w * unit), (int)fmaxf(1, caret.h * unit)};
        SDL_SetTextInputRect(&rect);
    }
}

const Clipboard *platform_clipboard(Platform *platform)
{
    return &platform->clipboard;
}

void platform_set_title(Platform *platform, const char *title)
{
    SDL_SetWindowTitle(platform->window, title);
}

void platform_toggle_full_screen(Platform *platform)
{
    bool full = (SDL_GetWindowFlags(platform->window) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
    SDL_SetWindowFullscreen(platform->window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

bool platform_screenshot(Platform *platform, StrBuf *png, Error *error)
{
    return canvas_window_screenshot(platform->canvas, png, error);
}
