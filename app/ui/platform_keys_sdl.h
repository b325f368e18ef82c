/* platform_keys_sdl.h - SDL's keys as ours.
 *
 * A key is what its layout says, so that Ctrl+Z is where Z is printed. Two exceptions make
 * commands reachable everywhere: on layouts without Latin letters the place of the key
 * decides, and the row of digits counts as digits even where they need Shift.
 */
#ifndef FOVEA_UI_PLATFORM_KEYS_SDL_H
#define FOVEA_UI_PLATFORM_KEYS_SDL_H
#include <SDL.h>

#include "ui/input.h"

unsigned platform_read_mods(SDL_Keymod mods);

/* Fills key, code and mods; false: a key that means nothing here, such as Shift alone. */
bool platform_read_key(const SDL_Keysym *key, Event *event);

#endif
