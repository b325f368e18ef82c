/* pixels.h - matrices and images as the premultiplied pixels that files and cairo want. */
#ifndef FOVEA_CANVAS_PIXELS_H
#define FOVEA_CANVAS_PIXELS_H
#include "canvas/canvas_backend.h"

static inline uint32_t pixel_premultiply(uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
    if (a == 255)
        return 0xFF000000u | r << 16 | g << 8 | b;
    return a << 24 | (r * a + 127) / 255 << 16 | (g * a + 127) / 255 << 8 | (b * a + 127) / 255;
}

static inline uint32_t pixel_from_color(Color color)
{
    return pixel_premultiply(color >> 24, color >> 16 & 255, color >> 8 & 255, color & 255);
}

/* How many times a picture whose pixels must stay sharp is repeated each way in a file. Many
 * viewers smooth what they enlarge, whatever the file asks for; of a cell of n x n pixels
 * they can only smooth the rim. */
int pixels_sharpening(int width, int height);

/* 0xAARRGGBB, each pixel `times` x `times` (1 for smooth images); the caller owns the array of
 * [rows * times, cols * times]. */
void pixels_from_cells(const CanvasCells *cells, int times, uint32_t *pixels);
void pixels_from_image(const CanvasImage *image, int times, uint32_t *pixels);

#endif
