/* stage.h - the gallery on a stage: events in, a recording out, no window. */
#ifndef FOVEA_TESTS_STAGE_H
#define FOVEA_TESTS_STAGE_H
#include <stdlib.h>

#include "base/memory.h"
#include "gallery.h"

/* Every event may want a frame of its own, and motion a few more. */
enum { STAGE_MAX_FRAMES = INPUT_MAX_EVENTS + 50 };

typedef struct Stage {
    Ui *ui;
    Canvas *canvas;
    Fonts *fonts; /* borrowed */
    Keymap keys;
    Theme theme;
    Language language;
    Input input;
    Gallery gallery;
    bool unavailable[ACTION_COUNT];
    bool still;
    int frames;                 /* drawn by the last stage_play */
    void (*draw)(Ui *, void *); /* NULL: the gallery            */
    void *context;
} Stage;

static inline void stage_frame(Stage *stage)
{
    UiFrame frame = {.canvas = stage->canvas,
                     .fonts = stage->fonts,
                     .theme = &stage->theme,
                     .input = &stage->input,
                     .language = stage->language,
                     .keys = &stage->keys,
                     .unavailable = stage->unavailable,
                     .still = stage->still};
    ui_begin(stage->ui, &frame);
    if (stage->draw)
        stage->draw(stage->ui, stage->context);
    else
        gallery_draw(stage->ui, &stage->gallery);
    ui_end(stage->ui);
}

/* Frames until nothing more is wanted at once. */
static inline void stage_play(Stage *stage)
{
    stage->frames = 0;
    do {
        stage_frame(stage);
        stage->frames++;
    } while (ui_wants_frame(stage->ui) <= 0 && stage->frames < STAGE_MAX_FRAMES);
    FOVEA_CHECK(stage->frames < STAGE_MAX_FRAMES, "the screen never comes to rest");
}

static inline void stage_send(Stage *stage, Event event)
{
    FOVEA_CHECK(stage->input.n_events < INPUT_MAX_EVENTS, "too many events");
    stage->input.events[stage->input.n_events++] = event;
}

static inline void stage_key(Stage *stage, Key key, unsigned mods)
{
    stage_send(stage, (Event){.kind = EVENT_KEY, .key = key, .mods = mods});
    stage_play(stage);
}

/* A key that types nothing, such as Ctrl+Z. */
static inline void stage_chord(Stage *stage, char code, unsigned mods)
{
    stage_send(stage, (Event){.kind = EVENT_KEY,
                              .key = KEY_CHARACTER,
                              .code = (unsigned char)code,
                              .mods = mods});
    stage_play(stage);
}

static inline void stage_add_text(Stage *stage, const char *text)
{
    Event event = {.kind = EVENT_TEXT};
    snprintf(event.text, sizeof event.text, "%s", text);
    stage_send(stage, event);
}

static inline void stage_text(Stage *stage, const char *text)
{
    stage_add_text(stage, text);
    stage_play(stage);
}

/* Letters as a keyboard sends them: key, then text. */
static inline void stage_type(Stage *stage, const char *letters)
{
    for (; *letters; letters++) {
        char text[2] = {*letters, 0};
        stage_send(stage, (Event){.kind = EVENT_KEY,
                                  .key = *letters == ' ' ? KEY_SPACE : KEY_CHARACTER,
                                  .code = (unsigned char)*letters});
        stage_add_text(stage, text);
    }
    stage_play(stage);
}

static inline bool stage_has(const Stage *stage, const char *name)
{
    Rect rect;
    return canvas_find_tag(stage->canvas, name, &rect);
}

static inline Rect stage_place(const Stage *stage, const char *name)
{
    Rect rect = {0};
    bool found = canvas_find_tag(stage->canvas, name, &rect);
    FOVEA_CHECK(found, "there is no \"%s\" on the screen", name);
    return rect;
}

static inline void stage_move(Stage *stage, float x, float y)
{
    stage->input.x = x;
    stage->input.y = y;
    stage_play(stage);
}

static inline void stage_press(Stage *stage, float x, float y, int button, int clicks)
{
    stage->input.x = x;
    stage->input.y = y;
    stage->input.down[button] = true;
    stage_send(stage, (Event){.kind = EVENT_PRESS,
                              .button = button,
                              .clicks = clicks,
                              .x = x,
                              .y = y,
                              .mods = stage->input.mods});
    stage_play(stage);
}

static inline void stage_release(Stage *stage, int button)
{
    stage->input.down[button] = false;
    stage_send(
        stage,
        (Event){.kind = EVENT_RELEASE, .button = button, .x = stage->input.x, .y = stage->input.y});
    stage_play(stage);
}

static inline void stage_click_at(Stage *stage, float x, float y)
{
    stage_press(stage, x, y, BUTTON_LEFT, 1);
    stage_release(stage, BUTTON_LEFT);
}

static inline void stage_click(Stage *stage, const char *name)
{
    Rect rect = stage_place(stage, name);
    stage_click_at(stage, rect.x + rect.w / 2, rect.y + rect.h / 2);
}

static inline void stage_hover(Stage *stage, const char *name)
{
    Rect rect = stage_place(stage, name);
    stage_move(stage, rect.x + rect.w / 2, rect.y + rect.h / 2);
}

static inline void stage_wheel(Stage *stage, float lines)
{
    stage_send(stage,
               (Event){.kind = EVENT_WHEEL, .x = stage->input.x, .y = stage->input.y, .dy = lines});
    stage_play(stage);
}

static inline void stage_wait(Stage *stage, double seconds)
{
    stage->input.time += seconds;
    stage_play(stage);
}

/* The gallery with the words of a language; nothing drawn by others. */
static inline Stage *stage_new(Fonts *fonts, ThemeKind kind, Language language, int words)
{
    Stage *stage = memory_new(1, sizeof *stage);
    stage->ui = ui_new();
    stage->canvas = canvas_new(1, 1);
    stage->fonts = fonts;
    stage->theme = theme_make(kind);
    stage->language = language;
    stage->input = (Input){.width = 1280, .height = 800, .x = -1, .y = -1, .time = 1};
    keymap_init(&stage->keys);
    gallery_init(&stage->gallery, words);
    stage_play(stage);
    return stage;
}

static inline void stage_free(Stage *stage)
{
    gallery_free(&stage->gallery);
    canvas_free(stage->canvas);
    ui_free(stage->ui);
    free(stage);
}

#endif
