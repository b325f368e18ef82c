/* canvas_sdl.h - recordings in a window.
 *
 * The painter of canvas_cairo.h draws straight into the window's own pixels and SDL shows
 * them, so the screen, a screenshot and an exported PNG are the same picture. This beats
 * SDL's renderers without a graphics card by a factor of two to five (text, matrices,
 * curves), and no second rasteriser has to look like the first.
 *
 * Invariants:
 *   1. The same recording at the same size and scale is drawn once; showing it again after
 *      the window was covered costs a copy.
 *   2. Without a display (SDL_VIDEODRIVER=dummy or offscreen) the pixels are the same.
 *
 * Threads: the one that made the window.
 */
#ifndef FOVEA_CANVAS_CANVAS_SDL_H
#define FOVEA_CANVAS_CANVAS_SDL_H
#include <SDL.h>

#include "base/strbuf.h"
#include "canvas/canvas.h"
#include "canvas/fonts.h"

typedef struct CanvasWindow CanvasWindow;

/* Call before SDL_CreateWindow: chooses the fast way to the screen. */
void canvas_sdl_prepare(void);

/* Both are borrowed and must outlive the result. */
CanvasWindow *canvas_window_new(SDL_Window *window, Fonts *fonts, Error *error) FOVEA_MUST_USE;
void canvas_window_free(CanvasWindow *window); /* NULL is fine */

/* Draws the canvas at `scale` device pixels per logical one and shows it; what the canvas
 * does not cover is black. *drawn (may be NULL) tells whether anything had to be drawn. */
bool canvas_window_show(CanvasWindow *window, const Canvas *canvas, float scale, bool *drawn,
                        Error *error) FOVEA_MUST_USE;

/* The next show draws even an equal recording: other fonts, a lost surface. */
void canvas_window_forget(CanvasWindow *window);

/* Size in device pixels. */
void canvas_window_size(const CanvasWindow *window, int *width, int *height);

/* What is shown now, as a PNG file in memory. */
bool canvas_window_screenshot(const CanvasWindow *window, StrBuf *png, Error *error) FOVEA_MUST_USE;

/* Device pixels per logical pixel that suit the display: 1 up to about 120 dpi, in steps of
 * a quarter up to 3. */
float canvas_window_display_scale(const CanvasWindow *window);

#endif
