#include "canvas/pixels.h"

#include <string.h>

enum { WANTED_SIDE = 1024, LEAST_TIMES = 4, LARGEST_SIDE = 4096 };

int pixels_sharpening(int width, int height)
{
    int side = width > height ? width : height;
    int times = WANTED_SIDE / side;
    times = times < LEAST_TIMES ? LEAST_TIMES : times;
    while (times > 1 && side * times > LARGEST_SIDE)
        times--;
    return times;
}

/* Repeats the first of `times` rows, which is already wide. */
static void repeat_row(uint32_t *row, size_t width, int times)
{
    for (int i = 1; i < times; i++)
        memcpy(row + (size_t)i * width, row, width * sizeof *row);
}

void pixels_from_cells(const CanvasCells *cells, int times, uint32_t *pixels)
{
    size_t n = (size_t)cells->rows * (size_t)cells->cols;
    if (times == 1) {
        for (size_t i = 0; i < n; i++)
            pixels[i] = pixel_from_color(cells->cells[i]);
        return;
    }
    const Color *color = cells->cells;
    size_t width = (size_t)cells->cols * (size_t)times;
    for (int row = 0; row < cells->rows; row++) {
        uint32_t *out = pixels;
        for (int col = 0; col < cells->cols; col++) {
            uint32_t pixel = pixel_from_color(*color++);
            for (int i = 0; i < times; i++)
                *out++ = pixel;
        }
        repeat_row(pixels, width, times);
        pixels += width * (size_t)times;
    }
}

void pixels_from_image(const CanvasImage *image, int times, uint32_t *pixels)
{
    const uint8_t *rgba = image->rgba;
    size_t width = (size_t)image->width * (size_t)times;
    for (int row = 0; row < image->height; row++) {
        uint32_t *out = pixels;
        for (int col = 0; col < image->width; col++, rgba += 4) {
            uint32_t pixel = pixel_premultiply(rgba[0], rgba[1], rgba[2], rgba[3]);
            for (int i = 0; i < times; i++)
                *out++ = pixel;
        }
        repeat_row(pixels, width, times);
        pixels += width * (size_t)times;
    }
}
