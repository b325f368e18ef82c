/* demo_canvas.c - the page of page.h through every back end, and what it costs.
 *
 *   demo_canvas DIRECTORY      writes PNG, SVG, PDF, GIF and a screenshot, prints times
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/thread.h"
#include "canvas/canvas_cairo.h"
#include "canvas/canvas_sdl.h"
#include "canvas/canvas_svg.h"
#include "page.h"

static bool save(const char *directory, const char *name, StrBuf *bytes, Error *error)
{
    char *path = file_join(directory, name);
    bool ok = file_write(path, bytes->text, bytes->length, error);
    free(path);
    strbuf_clear(bytes);
    return ok;
}

static bool save_pictures(const char *directory, Fonts *fonts, Error *error)
{
    static const float scales[] = {1, 1.25f, 2};
    Canvas *canvas = canvas_new(1, 1);
    StrBuf bytes = {0};
    char name[64];
    bool ok = true;
    for (int words = 0; ok && words < 4; words++)
        for (int dark = 0; ok && dark < 2; dark++) {
            page_record(canvas, fonts, dark, words);
            for (int i = 0; ok && i < 3; i++) {
                snprintf(name, sizeof name, "page-%d-%s-%g.png", words, dark ? "dark" : "light",
                         (double)scales[i]);
                ok = canvas_encode_png(canvas, fonts, &(PngOptions){.scale = scales[i]}, &bytes,
                                       error) &&
                     save(directory, name, &bytes, error);
            }
            snprintf(name, sizeof name, "page-%d-%s.svg", words, dark ? "dark" : "light");
            ok = ok && canvas_encode_svg(canvas, fonts, &(SvgOptions){0}, &bytes, error) &&
                 save(directory, name, &bytes, error);
            snprintf(name, sizeof name, "page-%d-%s.pdf", words, dark ? "dark" : "light");
            const Canvas *page = canvas;
            ok = ok && canvas_encode_pdf(&page, 1, fonts, &(PdfOptions){0}, &bytes, error) &&
                 save(directory, name, &bytes, error);
        }
    canvas_free(canvas);
    strbuf_free(&bytes);
    return ok;
}

static bool save_animation(const char *directory, Fonts *fonts, Error *error)
{
    Canvas *frames[4];
    const Canvas *list[4];
    int delays[4] = {500, 500, 500, 500};
    for (int i = 0; i < 4; i++) {
        list[i] = frames[i] = canvas_new(1, 1);
        page_record(frames[i], fonts, false, i);
    }
    StrBuf bytes = {0};
    bool ok = canvas_encode_gif(list, delays, 4, fonts, &(GifOptions){0}, &bytes, error) &&
              save(directory, "page.gif", &bytes, error);
    for (int i = 0; i < 4; i++)
        canvas_free(frames[i]);
    strbuf_free(&bytes);
    return ok;
}

/* Milliseconds a warm frame: recorded, drawn and shown. */
static bool time_frames(CanvasWindow *window, Canvas *canvas, Fonts *fonts, float scale,
                        Error *error)
{
    enum { N = 100 };
    double record = 0;
    double show = 0;
    for (int i = 0; i < N; i++) {
        double start = clock_seconds();
        page_record(canvas, fonts, false, 0);
        double middle = clock_seconds();
        canvas_window_forget(window);
        if (!canvas_window_show(window, canvas, scale, NULL, error))
            return false;
        record += middle - start;
        show += clock_seconds() - middle;
    }
    printf("warm frame at scale %g: record %.3f ms, draw and show %.3f ms\n", (double)scale,
           record * 1e3 / N, show * 1e3 / N);
    return true;
}

/* From 512 x 512 floats to pixels, 600 x 600. */
static bool time_cells(CanvasWindow *window, Canvas *canvas, Error *error)
{
    enum { N = 50, SIDE = 512 };
    float *values = memory_new((size_t)SIDE * SIDE, sizeof *values);
    Color *colors = memory_new((size_t)SIDE * SIDE, sizeof *colors);
    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = (float)(i * 7919 % 1000) / 1000;
    Colormap map;
    colormap_init(&map, COLORMAP_BLUES, 0xFFFFFFFF);
    double best = 1e9;
    bool ok = true;
    for (int i = 0; ok && i < N; i++) {
        values[i] = 0.5f;
        double start = clock_seconds();
        colormap_fill(&map, (ColormapScale){0, 1, 1}, values, (size_t)SIDE * SIDE, colors);
        canvas_clear(canvas, 1280, 800);
        canvas_cells(canvas, (Rect){20, 20, 600, 600}, SIDE, SIDE, colors);
        canvas_window_forget(window);
        ok = canvas_window_show(window, canvas, 1, NULL, error);
        double took = clock_seconds() - start;
        best = took < best ? took : best;
    }
    printf("512 x 512 cells from numbers to the window: %.3f ms\n", best * 1e3);
    free(values);
    free(colors);
    return ok;
}

static bool run_window(const char *directory, double start, Error *error)
{
    canvas_sdl_prepare();
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return error_set(error, ERROR_UNSUPPORTED, "no display: %s", SDL_GetError());
    double sdl = clock_seconds();
    Fonts *fonts = fonts_new(error);
    if (!fonts)
        return false;
    double loaded = clock_seconds();
    SDL_Window *sdl_window = SDL_CreateWindow("canvas", 0, 0, 1280, 800, SDL_WINDOW_SHOWN);
    CanvasWindow *window = sdl_window ? canvas_window_new(sdl_window, fonts, error) : NULL;
    if (!window)
        return false;
    double opened = clock_seconds();
    Canvas *canvas = canvas_new(1, 1);
    page_record(canvas, fonts, false, 0);
    bool ok = canvas_window_show(window, canvas, 1, NULL, error);
    double shown = clock_seconds();
    printf("SDL %.1f ms, fonts %.1f ms, window %.1f ms, first frame %.1f ms; all %.1f ms\n",
           (sdl - start) * 1e3, (loaded - sdl) * 1e3, (opened - loaded) * 1e3,
           (shown - opened) * 1e3, (shown - start) * 1e3);
    StrBuf png = {0};
    ok = ok && canvas_window_screenshot(window, &png, error) &&
         save(directory, "screenshot.png", &png, error);
    strbuf_free(&png);
    ok = ok && time_frames(window, canvas, fonts, 1, error) && time_cells(window, canvas, error);
    SDL_SetWindowSize(sdl_window, 2560, 1600);
    SDL_PumpEvents();
    ok = ok && time_frames(window, canvas, fonts, 2, error) &&
         save_pictures(directory, fonts, error) && save_animation(directory, fonts, error);
    canvas_free(canvas);
    canvas_window_free(window);
    SDL_DestroyWindow(sdl_window);
    fonts_free(fonts);
    SDL_Quit();
    return ok;
}

int main(int argc, char **argv)
{
    double start = clock_seconds();
    if (argc != 2) {
        fprintf(stderr, "usage: demo_canvas DIRECTORY\n");
        return 2;
    }
    Error error = {0};
    if (!run_window(argv[1], start, &error)) {
        fprintf(stderr, "demo_canvas: %s\n", error.message);
        return 1;
    }
    return 0;
}
