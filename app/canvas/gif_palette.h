/* gif_palette.h - 255 colours for many pictures.
 *
 * First every picture is counted, then the palette is made, then colours are looked up. When
 * there are more colours than places, the commonest keep theirs exactly (plain areas and
 * text must not shift), and the rest is divided by median cut (Heckbert 1982), each part
 * shown by its mean.
 */
#ifndef FOVEA_CANVAS_GIF_PALETTE_H
#define FOVEA_CANVAS_GIF_PALETTE_H
#include <stddef.h>
#include <stdint.h>

enum { PALETTE_COLORS = 255 };

typedef struct Palette Palette;

Palette *palette_new(void);
void palette_free(Palette *palette); /* NULL is fine */

/* pixels[n] as 0xRRGGBB; the top byte is not looked at. */
void palette_count(Palette *palette, const uint32_t *pixels, size_t n);

/* Ends counting. Returns the number of colours; they stand in colors. */
int palette_make(Palette *palette, uint32_t colors[PALETTE_COLORS]);

/* The index for a colour; after palette_make, of colours that were counted. */
int palette_index(const Palette *palette, uint32_t pixel);

#endif
