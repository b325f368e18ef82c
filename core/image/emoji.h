/* emoji.h - colour pictures of emoji, from whatever colour font the system has.
 *
 * fontconfig finds the font, FreeType opens its bitmap strike (Noto Color Emoji has one of
 * 136 x 128 pixels); the pictures are kept at that size and drawn at any other with averaging.
 *
 * Why here and not in the window's font module: scenes are composed while models train and
 * from the command line, where nothing draws.
 *
 * Memory: a set owns its pictures, read-only once loaded. Threads: share it freely.
 */
#ifndef FOVEA_IMAGE_EMOJI_H
#define FOVEA_IMAGE_EMOJI_H
#include "base/error.h"

typedef struct EmojiSet EmojiSet;

/* texts [n]: one emoji each (UTF-8, one code point); NULL: none, it cannot be drawn.
 * ERROR_UNSUPPORTED names the package to install when no colour font is there, or the emoji that
 * the font lacks. */
EmojiSet *emoji_load(int n, const char *const *texts, Error *error) FOVEA_MUST_USE;
void emoji_free(EmojiSet *set); /* NULL is fine */

/* Draws emoji i with its square of `size` pixels around (x, y), real pixels, over
 * rgb [height, width, 3], 0 .. 1. */
void emoji_draw(const EmojiSet *set, int i, double x, double y, double size, float *rgb, int width,
                int height);

#endif
