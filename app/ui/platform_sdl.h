/* platform_sdl.h - the window: events in, pictures and a few wishes out.
 *
 * The only door between SDL and the rest of the program; this header needs no SDL. A program
 * is a loop:
 *
 *   Input input = {0};
 *   while (platform_wait(platform, ui_wants_frame(ui), &input)) {
 *       do
 *           ... ui_begin, the screen, ui_end ...
 *       while (ui_wants_frame(ui) <= 0);
 *       platform_follow(platform, ui);
 *       platform_show(platform, canvas, &error);
 *   }
 *
 * Logical pixels are the display's own scale times the person's zoom. Waiting costs no CPU.
 * What does not fit into an Input stays in SDL's queue for the next platform_wait.
 *
 * Threads: the one that made it, except platform_wake.
 */
#ifndef FOVEA_UI_PLATFORM_SDL_H
#define FOVEA_UI_PLATFORM_SDL_H
#include "base/strbuf.h"
#include "ui/ui.h"

#define PLATFORM_LEAST_ZOOM 0.5f
#define PLATFORM_MOST_ZOOM  4.0f

typedef struct Platform Platform;

/* Opens a window of width x height logical pixels, as far as the display has room. Fonts are
 * borrowed. NULL: no display; the message says so. */
Platform *platform_new(const char *title, int width, int height, Fonts *fonts,
                       Error *error) FOVEA_MUST_USE;
void platform_free(Platform *platform); /* NULL is fine */

/* Waits until something happens, at most so many seconds (INFINITY: no limit), and fills the
 * input with all that has. false: the window is to be closed. */
bool platform_wait(Platform *platform, double seconds, Input *input) FOVEA_MUST_USE;

/* Ends a wait from any thread: a result is there to be fetched. */
void platform_wake(void *platform);

bool platform_show(Platform *platform, const Canvas *canvas, Error *error) FOVEA_MUST_USE;

/* Pointer shape; input method on where text is typed, and only there. */
void platform_follow(Platform *platform, const Ui *ui);

const Clipboard *platform_clipboard(Platform *platform); /* the system's */

float platform_zoom(const Platform *platform);
void platform_set_zoom(Platform *platform, float zoom); /* held to the limits above */
float platform_scale(const Platform *platform);         /* device pixels per logical pixel */
void platform_set_title(Platform *platform, const char *title);
void platform_toggle_full_screen(Platform *platform);
bool platform_screenshot(Platform *platform, StrBuf *png, Error *error) FOVEA_MUST_USE;

#endif
