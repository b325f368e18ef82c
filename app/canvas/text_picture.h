/* text_picture.h - a layout as pixels, for the back ends made of pixels.
 *
 * FreeType renders the glyphs where fonts.h placed them, so the window and an exported PNG
 * show the same pixels. Outlines give one mask that takes the text's colour; fonts with
 * colours of their own (emoji) give a picture. Upright text is hinted vertically only
 * (lines sharpen, advances stay), turned text not at all.
 *
 * Pictures are kept with their layout: drawing known text again is a lookup.
 */
#ifndef FOVEA_CANVAS_TEXT_PICTURE_H
#define FOVEA_CANVAS_TEXT_PICTURE_H
#include "canvas/fonts.h"

#define TEXT_PICTURE_MAX_SIDE 16384 /* pixels; what is beyond is cut off */
#define TEXT_PICTURE_PHASES   4     /* places within a pixel in each direction */

typedef struct TextPicture {
    int x, y; /* of the upper left pixel, from the pixel in which the baseline starts */
    int width, height;
    int stride;            /* bytes of a mask row; a multiple of four; of color: width * 4   */
    const uint8_t *mask;   /* [height, stride] coverage; NULL when nothing takes the colour  */
    const uint32_t *color; /* [height, width] premultiplied 0xAARRGGBB; NULL when all does   */
} TextPicture;

/* The layout at `size` device pixels an em, turned clockwise by `turn` degrees around the
 * left end of its baseline, which stands at (phase_x, phase_y) / TEXT_PICTURE_PHASES within
 * its pixel. NULL when there is nothing to see. Borrowed like the layout, which must come
 * from the last fonts_layout. */
const TextPicture *text_picture(Fonts *fonts, const TextLayout *layout, float size, float turn,
                                int phase_x, int phase_y);

#endif
