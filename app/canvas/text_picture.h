/* text_picture.h - a layout as pixels, for the back ends made of pixels.
 *
 * SDL_ttf draws the letters, run by run, where fonts.h placed them: the layout alone decides
 * what stands where, to half a pixel. The window and an exported PNG show the same pixels.
 * Letters give one mask that takes the text's colour; fonts with colours of their own
 * (emoji) give a picture. Upright text is hinted vertically only (lines sharpen, widths
 * stay); turned text and emoji are drawn larger and averaged.
 *
 * Pictures are kept with their layout: drawing known text again is a lookup.
 *
 * Threads: SDL_ttf has one font library for the whole process. Layouts are not concerned, but
 * text_picture and the fonts_free of a Fonts that has drawn belong to one thread at a time.
 */
#ifndef FOVEA_CANVAS_TEXT_PICTURE_H
#define FOVEA_CANVAS_TEXT_PICTURE_H
#include "canvas/fonts.h"

#define TEXT_PICTURE_MAX_SIDE 16384 /* pixels; what is beyond is cut off */

typedef struct TextPicture {
    int x, y; /* of the upper left pixel, from the corner where the baseline starts */
    int width, height;
    int stride;            /* bytes of a mask row; a multiple of four; of color: width * 4   */
    const uint8_t *mask;   /* [height, stride] coverage; NULL when nothing takes the colour  */
    const uint32_t *color; /* [height, width] premultiplied 0xAARRGGBB; NULL when all does   */
} TextPicture;

/* The layout at `size` device pixels an em, turned clockwise by `turn` degrees around the
 * left end of its baseline. NULL when there is nothing to see. Borrowed like the layout,
 * which must come from the last fonts_layout. */
const TextPicture *text_picture(Fonts *fonts, const TextLayout *layout, float size, float turn);

#endif
