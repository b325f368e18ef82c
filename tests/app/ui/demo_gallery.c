/* demo_gallery.c - the controls of gallery.h as pictures, to be looked at.
 *
 *   demo_gallery DIRECTORY      writes PNG files
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/thread.h"
#include "canvas/canvas_cairo.h"
#include "gallery.h"

typedef struct Stage {
    Ui *ui;
    Canvas *canvas;
    Fonts *fonts;
    Keymap keys;
    Theme theme;
    Language language;
    Input input;
    Gallery gallery;
    float scale;
} Stage;

static void play(Stage *stage)
{
    int frames = 0;
    do {
        UiFrame frame = {.canvas = stage->canvas,
                         .fonts = stage->fonts,
                         .theme = &stage->theme,
                         .input = &stage->input,
                         .language = stage->language,
                         .keys = &stage->keys};
        ui_begin(stage->ui, &frame);
        gallery_draw(stage->ui, &stage->gallery);
        ui_end(stage->ui);
    } while (ui_wants_frame(stage->ui) <= 0 && ++frames < 50);
}

static void send(Stage *stage, Event event)
{
    stage->input.events[stage->input.n_events++] = event;
}

static void press_key(Stage *stage, Key key, uint32_t code, unsigned mods)
{
    send(stage, (Event){.kind = EVENT_KEY, .key = key, .code = code, .mods = mods});
    play(stage);
}

static void click(Stage *stage, const char *name, int button)
{
    Rect rect;
    if (!canvas_find_tag(stage->canvas, name, &rect)) {
        fprintf(stderr, "no \"%s\"\n", name);
        return;
    }
    Event event = {.kind = EVENT_PRESS,
                   .button = button,
                   .clicks = 1,
                   .x = rect.x + rect.w / 2,
                   .y = rect.y + rect.h / 2};
    stage->input.x = event.x;
    stage->input.y = event.y;
    send(stage, event);
    event.kind = EVENT_RELEASE;
    send(stage, event);
    play(stage);
}

static void hover(Stage *stage, const char *name)
{
    Rect rect;
    if (canvas_find_tag(stage->canvas, name, &rect)) {
        stage->input.x = rect.x + rect.w / 2;
        stage->input.y = rect.y + rect.h / 2;
    }
    play(stage);
    stage->input.time += 1;
    play(stage);
}

static bool save(Stage *stage, const char *directory, const char *name, Error *error)
{
    StrBuf bytes = {0};
    char file[128];
    snprintf(file, sizeof file, "%s.png", name);
    char *path = file_join(directory, file);
    bool ok = canvas_encode_png(stage->canvas, stage->fonts, &(PngOptions){.scale = stage->scale},
                                &bytes, error) &&
              file_write(path, bytes.text, bytes.length, error);
    free(path);
    strbuf_free(&bytes);
    return ok;
}

static void stage_begin(Stage *stage, ThemeKind kind, Language language, int words, float width,
                        float height)
{
    stage->ui = ui_new();
    stage->canvas = canvas_new(1, 1);
    stage->theme = theme_make(kind);
    stage->language = language;
    stage->scale = 1;
    stage->input = (Input){.width = width, .height = height, .x = -1, .y = -1, .time = 1};
    keymap_init(&stage->keys);
    gallery_init(&stage->gallery, words);
    play(stage);
}

static void stage_end(Stage *stage)
{
    gallery_free(&stage->gallery);
    canvas_free(stage->canvas);
    ui_free(stage->ui);
}

typedef struct Scene {
    const char *name;
    ThemeKind theme;
    Language language;
    int words;
    float width, height, scale;
    void (*act)(Stage *stage);
} Scene;

static void act_nothing(Stage *stage)
{
    (void)stage;
}

static void act_focus(Stage *stage)
{
    click(stage, "input", BUTTON_LEFT);
    hover(stage, "export");
}

static void act_select(Stage *stage)
{
    click(stage, "text", BUTTON_LEFT);
    press_key(stage, KEY_CHARACTER, 'a', MOD_CTRL);
    hover(stage, "theme");
}

static void act_tab(Stage *stage)
{
    for (int i = 0; i < 8; i++)
        press_key(stage, KEY_TAB, 0, 0);
    hover(stage, "merge");
}

static void act_model(Stage *stage)
{
    click(stage, "model", BUTTON_LEFT);
    press_key(stage, KEY_DOWN, 0, 0);
}

static void act_menu(Stage *stage)
{
    click(stage, "text", BUTTON_RIGHT);
}

static void act_figure_menu(Stage *stage)
{
    stage->input.x = 900;
    stage->input.y = 78;
    send(stage, (Event){.kind = EVENT_PRESS, .button = BUTTON_RIGHT, .x = 900, .y = 78});
    play(stage);
    press_key(stage, KEY_DOWN, 0, 0);
}

static void act_palette(Stage *stage)
{
    press_key(stage, KEY_CHARACTER, 'k', MOD_CTRL);
}

static void act_palette_query(Stage *stage)
{
    act_palette(stage);
    send(stage, (Event){.kind = EVENT_TEXT, .text = "copy"});
    play(stage);
}

static void act_help(Stage *stage)
{
    press_key(stage, KEY_F1, 0, 0);
}

static void act_dialog(Stage *stage)
{
    ui_open(stage->ui, "dialog");
    play(stage);
    press_key(stage, KEY_TAB, 0, 0);
    press_key(stage, KEY_TAB, 0, 0);
    press_key(stage, KEY_TAB, 0, 0);
}

static void act_number(Stage *stage)
{
    click(stage, "temperature", BUTTON_LEFT);
    send(stage, (Event){.kind = EVENT_TEXT, .text = "abc"});
    press_key(stage, KEY_ENTER, 0, 0);
    snprintf(stage->input.composing, INPUT_TEXT_BYTES, "pin yin");
    play(stage);
}

static void act_compose(Stage *stage)
{
    click(stage, "input", BUTTON_LEFT);
    snprintf(stage->input.composing, INPUT_TEXT_BYTES, "ping guo");
    stage->input.composing_caret = 8;
    play(stage);
}

static const Scene scenes[] = {
    {"light", THEME_LIGHT, LANGUAGE_ENGLISH, 0, 1280, 800, 1, act_focus},
    {"dark", THEME_DARK, LANGUAGE_ENGLISH, 0, 1280, 800, 1, act_tab},
    {"chinese", THEME_LIGHT, LANGUAGE_CHINESE, 1, 1280, 800, 1, act_select},
    {"arabic", THEME_DARK, LANGUAGE_ENGLISH, 2, 1280, 800, 1, act_select},
    {"small", THEME_LIGHT, LANGUAGE_ENGLISH, 0, 800, 600, 1, act_nothing},
    {"small-chinese", THEME_DARK, LANGUAGE_CHINESE, 1, 800, 600, 1, act_nothing},
    {"scaled", THEME_LIGHT, LANGUAGE_ENGLISH, 0, 1024, 640, 2, act_focus},
    {"quarter", THEME_LIGHT, LANGUAGE_ENGLISH, 0, 1024, 640, 1.25f, act_focus},
    {"choice", THEME_LIGHT, LANGUAGE_ENGLISH, 0, 1280, 800, 1, act_model},
    {"choice-dark", THEME_DARK, LANGUAGE_CHINESE, 0, 800, 600, 1, act_model},
    {"menu", THEME_LIGHT, LANGUAGE_CHINESE, 0, 1280, 800, 1, act_menu},
    {"figure-menu", THEME_DARK, LANGUAGE_ENGLISH, 0, 1280, 800, 1, act_figure_menu},
    {"palette", THEME_LIGHT, LANGUAGE_ENGLISH, 0, 1280, 800, 1, act_palette},
    {"palette-query", THEME_DARK, LANGUAGE_ENGLISH, 0, 1280, 800, 1, act_palette_query},
    {"help", THEME_LIGHT, LANGUAGE_ENGLISH, 0, 1280, 800, 1, act_help},
    {"help-small", THEME_DARK, LANGUAGE_CHINESE, 0, 800, 600, 1, act_help},
    {"dialog", THEME_LIGHT, LANGUAGE_ENGLISH, 0, 1280, 800, 1, act_dialog},
    {"number", THEME_LIGHT, LANGUAGE_ENGLISH, 0, 1280, 800, 1, act_number},
    {"compose", THEME_DARK, LANGUAGE_CHINESE, 1, 1280, 800, 1, act_compose},
};

static bool show(const Scene *scene, Fonts *fonts, const char *directory, Error *error)
{
    Stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return error_set(error, ERROR_MEMORY, "no memory for a stage");
    stage->fonts = fonts;
    stage_begin(stage, scene->theme, scene->language, scene->words, scene->width, scene->height);
    stage->scale = scene->scale;
    scene->act(stage);
    bool ok = save(stage, directory, scene->name, error);
    enum { N = 100 };
    double start = clock_seconds();
    for (int i = 0; i < N; i++)
        play(stage);
    printf("%-16s %.3f ms a warm frame\n", scene->name, (clock_seconds() - start) * 1e3 / N);
    stage_end(stage);
    free(stage);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: demo_gallery DIRECTORY\n");
        return 2;
    }
    Error error = {0};
    Fonts *fonts = fonts_new(&error);
    bool ok = fonts != NULL;
    for (size_t i = 0; ok && i < sizeof scenes / sizeof scenes[0]; i++)
        ok = show(&scenes[i], fonts, argv[1], &error);
    fonts_free(fonts);
    if (!ok)
        fprintf(stderr, "demo_gallery: %s\n", error.message);
    return ok ? 0 : 1;
}
