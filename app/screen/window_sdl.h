/* window_sdl.h - the program in a window. */
#ifndef FOVEA_SCREEN_WINDOW_SDL_H
#define FOVEA_SCREEN_WINDOW_SDL_H
#include "base/error.h"

/* Opens the window with these files (none: the default) and returns when it is closed.
 * ERROR_IO when there is no display or no font. */
bool window_run(int n_files, const char *const *files, Error *error) FOVEA_MUST_USE;

#endif
