/* demo_views.c - every view of every sample, as PNG files to be looked at.
 *
 *   demo_views DIRECTORY [VIEW [SAMPLE]]      all, one view, one sample of it
 *   demo_views --time                         milliseconds a frame
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/thread.h"
#include "canvas/canvas_cairo.h"
#include "gallery.h"

static bool save(const char *directory, const char *name, Canvas *canvas, Fonts *fonts,
                 Color background, Error *error)
{
    StrBuf png = {0};
    char *path = file_join(directory, name);
    bool ok = canvas_encode_png(canvas, fonts, &(PngOptions){.scale = 1, .background = background},
                                &png, error) &&
              file_write(path, png.text, png.length, error);
    free(path);
    strbuf_free(&png);
    return ok;
}

static bool draw_sample(const char *directory, const Sample *sample, Fonts *fonts, Error *error)
{
    bool ok = true;
    for (int dark = 0; ok && dark < 2; dark++) {
        Gallery gallery;
        gallery_open(&gallery, sample, fonts, dark ? THEME_DARK : THEME_LIGHT);
        Canvas *canvas = canvas_new(gallery.frame.area.w, gallery.frame.area.h);
        gallery.view->draw(&gallery.frame, canvas);
        char name[128];
        snprintf(name, sizeof name, "%s-%s-%s.png", gallery.view->name, sample->name,
                 dark ? "dark" : "light");
        ok = save(directory, name, canvas, fonts, gallery.theme.background, error);
        canvas_free(canvas);
        gallery_close(&gallery);
    }
    return ok;
}

/* The plain functions: charts, many small heatmaps. */
static bool draw_plain(const char *directory, Fonts *fonts, ThemeKind kind, Error *error)
{
    Gallery g;
    gallery_open(&g, &samples[0], fonts, kind);
    Canvas *canvas = canvas_new(g.frame.area.w, g.frame.area.h);
    gallery_charts(&g.frame, canvas);
    char name[64];
    snprintf(name, sizeof name, "charts-%s.png", kind == THEME_DARK ? "dark" : "light");
    bool ok = save(directory, name, canvas, fonts, g.theme.background, error);
    canvas_clear(canvas, g.frame.area.w, g.frame.area.h);
    gallery_multiples(&g.frame, canvas);
    snprintf(name, sizeof name, "multiples-%s.png", kind == THEME_DARK ? "dark" : "light");
    ok = ok && save(directory, name, canvas, fonts, g.theme.background, error);
    canvas_free(canvas);
    gallery_close(&g);
    return ok;
}

static void time_sample(const Sample *sample, Fonts *fonts)
{
    enum { N = 20 };
    Gallery gallery;
    gallery_open(&gallery, sample, fonts, THEME_LIGHT);
    Canvas *canvas = canvas_new(gallery.frame.area.w, gallery.frame.area.h);
    double start = clock_seconds();
    gallery.view->draw(&gallery.frame, canvas);
    double first = clock_seconds() - start;
    double best = 1e9, hit = 1e9;
    for (int i = 0; i < N; i++) {
        start = clock_seconds();
        canvas_clear(canvas, gallery.frame.area.w, gallery.frame.area.h);
        gallery.view->draw(&gallery.frame, canvas);
        double middle = clock_seconds();
        gallery.view->hit(&gallery.frame, 400, 300);
        double end = clock_seconds();
        best = middle - start < best ? middle - start : best;
        hit = end - middle < hit ? end - middle : hit;
    }
    printf("%-10s %-14s first %7.2f ms, warm %6.3f ms, hit %6.3f ms\n", gallery.view->name,
           sample->name, first * 1e3, best * 1e3, hit * 1e3);
    canvas_free(canvas);
    gallery_close(&gallery);
}

int main(int argc, char **argv)
{
    Error error = {0};
    Fonts *fonts = fonts_new(&error);
    bool ok = fonts != NULL && argc > 1;
    bool times = argc > 1 && strcmp(argv[1], "--time") == 0;
    for (int i = 0; ok && i < N_SAMPLES; i++) {
        const Sample *sample = &samples[i];
        if ((argc > 2 && strcmp(argv[2], sample->view) != 0) ||
            (argc > 3 && strcmp(argv[3], sample->name) != 0))
            continue;
        if (times)
            time_sample(sample, fonts);
        else
            ok = draw_sample(argv[1], sample, fonts, &error);
    }
    if (ok && !times && argc == 2)
        ok = draw_plain(argv[1], fonts, THEME_LIGHT, &error) &&
             draw_plain(argv[1], fonts, THEME_DARK, &error);
    fonts_free(fonts);
    if (!ok)
        fprintf(stderr, "demo_views: %s\n", error.message);
    return ok ? 0 : 1;
}
