/* demo_gallery.c - the controls of gallery.h as pictures, to be looked at.
 *
 *   demo_gallery DIRECTORY      writes PNG files
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/thread.h"
#include "canvas/canvas_cairo.h"
#include "stage.h"

/* Rests on a control until its tooltip comes. */
static void hover(Stage *stage, const char *name)
{
    stage_hover(stage, name);
    stage_wait(stage, 1);
}

static bool save(Stage *stage, float scale, const char *directory, const char *name, Error *error)
{
    StrBuf bytes = {0};
    char file[128];
    snprintf(file, sizeof file, "%s.png", name);
    char *path = file_join(directory, file);
    bool ok = canvas_encode_png(stage->canvas, stage->fonts, &(PngOptions){.scale = scale}, &bytes,
                                error) &&
              file_write(path, bytes.text, bytes.length, error);
    free(path);
    strbuf_free(&bytes);
    return ok;
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
    stage_click(stage, "input");
    hover(stage, "export");
}

static void act_select(Stage *stage)
{
    stage_click(stage, "text");
    stage_chord(stage, 'a', MOD_CTRL);
    hover(stage, "theme");
}

static void act_tab(Stage *stage)
{
    for (int i = 0; i < 8; i++)
        stage_key(stage, KEY_TAB, 0);
    hover(stage, "merge");
}

static void act_model(Stage *stage)
{
    stage_click(stage, "model");
    stage_key(stage, KEY_DOWN, 0);
}

static void act_menu(Stage *stage)
{
    Rect rect = stage_place(stage, "text");
    stage_press(stage, rect.x + 200, rect.y + 80, BUTTON_RIGHT, 1);
    stage_release(stage, BUTTON_RIGHT);
}

static void act_figure_menu(Stage *stage)
{
    stage_press(stage, 900, 78, BUTTON_RIGHT, 1);
    stage_release(stage, BUTTON_RIGHT);
    stage_key(stage, KEY_DOWN, 0);
}

static void act_palette(Stage *stage)
{
    stage_chord(stage, 'k', MOD_CTRL);
}

static void act_palette_query(Stage *stage)
{
    act_palette(stage);
    stage_text(stage, "copy");
}

static void act_help(Stage *stage)
{
    stage_key(stage, KEY_F1, 0);
}

static void act_dialog(Stage *stage)
{
    ui_open(stage->ui, "dialog");
    stage_play(stage);
    stage_key(stage, KEY_TAB, 0);
    stage_key(stage, KEY_TAB, 0);
    stage_key(stage, KEY_TAB, 0);
}

static void act_number(Stage *stage)
{
    stage_click(stage, "temperature");
    stage_text(stage, "abc");
    stage_key(stage, KEY_ENTER, 0);
}

static void act_compose(Stage *stage)
{
    stage_click(stage, "input");
    snprintf(stage->input.composing, INPUT_TEXT_BYTES, "ping guo");
    stage->input.composing_caret = 8;
    stage_play(stage);
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
    Stage *stage = stage_new(fonts, scene->theme, scene->language, scene->words);
    stage->input.width = scene->width;
    stage->input.height = scene->height;
    stage_play(stage);
    scene->act(stage);
    bool ok = save(stage, scene->scale, directory, scene->name, error);
    enum { N = 100 };
    double start = clock_seconds();
    for (int i = 0; i < N; i++)
        stage_play(stage);
    printf("%-16s %.3f ms a warm frame\n", scene->name, (clock_seconds() - start) * 1e3 / N);
    stage_free(stage);
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
