#include "canvas/canvas_sdl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "canvas/canvas_cairo.h"

struct CanvasWindow {
    SDL_Window *window;
    Fonts *fonts;
    SDL_Surface *own; /* drawn into when the window's format is not XRGB; NULL otherwise */
    bool known;       /* the rest tells what is shown */
    uint64_t hash;
    float scale;
    int width, height;
};

void canvas_sdl_prepare(void)
{
    /* With this hint SDL copies pixels to X11 itself (1 ms a frame) rather than through an
     * OpenGL texture (15 ms). Wayland has only the latter. */
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!driver || strcmp(driver, "wayland") != 0)
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
}

static bool sdl_failed(const char *doing, Error *error)
{
    return error_set(error, ERROR_UNSUPPORTED, "%s: %s", doing, SDL_GetError());
}

static bool is_xrgb(const SDL_Surface *surface)
{
    return surface->format->format == SDL_PIXELFORMAT_RGB888 ||
           surface->format->format == SDL_PIXELFORMAT_ARGB8888;
}

/* The surface to draw into: the window's, or one that is converted to its format. */
static SDL_Surface *target(CanvasWindow *window, SDL_Surface *screen, Error *error)
{
    if (is_xrgb(screen))
        return screen;
    SDL_Surface *own = window->own;
    if (own && own->w == screen->w && own->h == screen->h)
        return own;
    SDL_FreeSurface(own);
    window->own =
        SDL_CreateRGBSurfaceWithFormat(0, screen->w, screen->h, 32, SDL_PIXELFORMAT_RGB888);
    if (!window->own)
        sdl_failed("no memory for the window's picture", error);
    return window->own;
}

CanvasWindow *canvas_window_new(SDL_Window *sdl_window, Fonts *fonts, Error *error)
{
    if (!SDL_GetWindowSurface(sdl_window)) {
        sdl_failed("the window cannot be drawn into", error);
        return NULL;
    }
    CanvasWindow *window = memory_new(1, sizeof *window);
    window->window = sdl_window;
    window->fonts = fonts;
    return window;
}

void canvas_window_free(CanvasWindow *window)
{
    if (!window)
        return;
    SDL_FreeSurface(window->own);
    free(window);
}

void canvas_window_forget(CanvasWindow *window)
{
    window->known = false;
}

static CanvasPixels pixels_of(const SDL_Surface *surface, float scale)
{
    return (CanvasPixels){
        .data = surface->pixels,
        .width = surface->w,
        .height = surface->h,
        .stride = surface->pitch,
        .scale = scale,
        .opaque = true,
    };
}

static bool covers(const Canvas *canvas, const SDL_Surface *surface, float scale)
{
    return canvas_width(canvas) * scale >= (float)surface->w &&
           canvas_height(canvas) * scale >= (float)surface->h;
}

static bool draw(CanvasWindow *window, SDL_Surface *screen, const Canvas *canvas, float scale,
                 Error *error)
{
    SDL_Surface *surface = target(window, screen, error);
    if (!surface)
        return false;
    if (SDL_MUSTLOCK(surface) && SDL_LockSurface(surface) != 0)
        return sdl_failed("the window's pixels cannot be reached", error);
    CanvasPixels pixels = pixels_of(surface, scale);
    if (!covers(canvas, surface, scale))
        memset(surface->pixels, 0, (size_t)surface->pitch * (size_t)surface->h);
    bool ok = canvas_draw_pixels(canvas, window->fonts, &pixels, error);
    if (SDL_MUSTLOCK(surface))
        SDL_UnlockSurface(surface);
    if (ok && surface != screen && SDL_BlitSurface(surface, NULL, screen, NULL) != 0)
        ok = sdl_failed("the picture cannot be copied to the window", error);
    return ok;
}

bool canvas_window_show(CanvasWindow *window, const Canvas *canvas, float scale, bool *drawn,
                        Error *error)
{
    /* Asked for each time: SDL replaces the surface when the window's size changes. */
    SDL_Surface *screen = SDL_GetWindowSurface(window->window);
    if (!screen)
        return sdl_failed("the window cannot be drawn into", error);
    uint64_t hash = canvas_hash(canvas);
    bool same = window->known && window->hash == hash && window->scale == scale &&
                window->width == screen->w && window->height == screen->h;
    window->known = same || draw(window, screen, canvas, scale, error);
    window->hash = hash;
    window->scale = scale;
    window->width = screen->w;
    window->height = screen->h;
    if (drawn)
        *drawn = !same;
    if (!window->known)
        return false;
    if (SDL_UpdateWindowSurface(window->window) != 0)
        return sdl_failed("the window cannot be shown", error);
    return true;
}

void canvas_window_size(const CanvasWindow *window, int *width, int *height)
{
    SDL_GetWindowSizeInPixels(window->window, width, height);
}

bool canvas_window_screenshot(const CanvasWindow *window, StrBuf *png, Error *error)
{
    SDL_Surface *screen = SDL_GetWindowSurface(window->window);
    if (!screen)
        return sdl_failed("the window has no picture", error);
    const SDL_Surface *surface = is_xrgb(screen) ? screen : window->own;
    if (!surface)
        return error_set(error, ERROR_UNSUPPORTED, "nothing was drawn in the window yet");
    CanvasPixels pixels = pixels_of(surface, window->scale);
    return png_encode(&pixels, 0, (CanvasNotes){0}, png, error);
}

float canvas_window_display_scale(const CanvasWindow *window)
{
    float dpi = 0;
    int display = SDL_GetWindowDisplayIndex(window->window);
    if (display < 0 || SDL_GetDisplayDPI(display, &dpi, NULL, NULL) != 0 || !(dpi > 120))
        return 1;
    return fminf(floorf(dpi / 96 * 4 + 0.5f) / 4, 3);
}
