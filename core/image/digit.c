#include "image/digit.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "image/picture.h"
#include "image/resample.h"

/* Ink above this share of the strongest counts as part of the digit; contrast below that is
 * noise of a blank page. */
static const float ink_threshold = 0.15f, least_contrast = 0.08f;

typedef struct Box {
    int left, top, right, bottom; /* exclusive on the right and below */
} Box;

/* Mean of the outermost pixels: what the paper looks like. */
static double border_mean(const float *grey, int width, int height)
{
    double sum = 0;
    long n = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
                sum += (double)grey[(size_t)y * (size_t)width + (size_t)x];
                n++;
            }
    return sum / (double)n;
}

/* Paper becomes 0, the strongest ink 1. */
static bool stretch(float *ink, size_t n, Error *error)
{
    float low = ink[0], high = ink[0];
    for (size_t i = 1; i < n; i++) {
        low = fminf(low, ink[i]);
        high = fmaxf(high, ink[i]);
    }
    if (!(high - low >= least_contrast))
        return error_set(error, ERROR_INPUT,
                         "the picture is blank: a digit drawn on it was expected");
    for (size_t i = 0; i < n; i++)
        ink[i] = (ink[i] - low) / (high - low);
    return true;
}

static Box ink_box(const float *ink, int width, int height)
{
    Box box = {width, height, 0, 0};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            if (ink[(size_t)y * (size_t)width + (size_t)x] < ink_threshold)
                continue;
            box.left = x < box.left ? x : box.left;
            box.right = x + 1 > box.right ? x + 1 : box.right;
            box.top = y < box.top ? y : box.top;
            box.bottom = y + 1 > box.bottom ? y + 1 : box.bottom;
        }
    return box;
}

/* Offset that brings the centre of mass to the middle of the square. */
static void centre_of_mass(const float *ink, int side, double *x, double *y)
{
    double mass = 0, sum_x = 0, sum_y = 0;
    for (int i = 0; i < side * side; i++) {
        mass += (double)ink[i];
        sum_x += (double)ink[i] * (i % side + 0.5);
        sum_y += (double)ink[i] * (i / side + 0.5);
    }
    *x = mass > 0 ? sum_x / mass - side / 2.0 : 0;
    *y = mass > 0 ? sum_y / mass - side / 2.0 : 0;
}

/* The square of the source around a middle that becomes the whole of `out`. */
static void cut(const float *ink, int width, int height, double cx, double cy, double extent,
                int side, float *out)
{
    const ResamplePart part = {cx - extent / 2, cy - extent / 2, extent, extent};
    plane_resample(ink, width, height, 1, &part, 0, out, side, side);
}

static void centre_digit(const float *ink, int width, int height, int side, float *out)
{
    Box box = ink_box(ink, width, height);
    double longest = fmax(box.right - box.left, box.bottom - box.top);
    double extent = longest * side / DIGIT_INK_SIDE; /* source pixels of the whole square */
    double cx = (box.left + box.right) / 2.0, cy = (box.top + box.bottom) / 2.0;
    cut(ink, width, height, cx, cy, extent, side, out);
    double dx, dy;
    centre_of_mass(out, side, &dx, &dy);
    /* Whole pixels of the result, as MNIST's makers did. */
    cx += round(dx) * extent / side;
    cy += round(dy) * extent / side;
    cut(ink, width, height, cx, cy, extent, side, out);
}

static bool lay_out(float *ink, int width, int height, DigitLayout layout, int side, float *out,
                    Error *error)
{
    if (!stretch(ink, (size_t)width * (size_t)height, error))
        return false;
    if (width == side && height == side) {
        for (int i = 0; i < side * side; i++)
            out[i] = ink[i];
        return true;
    }
    if (layout == DIGIT_CENTRED)
        centre_digit(ink, width, height, side, out);
    else
        cut(ink, width, height, width / 2.0, height / 2.0, fmax(width, height), side, out);
    return stretch(out, (size_t)side * (size_t)side, error);
}

bool digit_prepare(const TraceImage *image, DigitLayout layout, int side, float *out, Error *error)
{
    size_t n = (size_t)image->width * (size_t)image->height;
    float *grey = memory_try_new(n, sizeof *grey);
    if (!grey)
        return error_set(error, ERROR_MEMORY, "no memory for %d x %d pixels", image->width,
                         image->height);
    picture_to_grey(image, grey);
    if (border_mean(grey, image->width, image->height) > 0.5)
        for (size_t i = 0; i < n; i++)
            grey[i] = 1 - grey[i];
    bool ok = lay_out(grey, image->width, image->height, layout, side, out, error);
    free(grey);
    return ok;
}

bool digit_from_canvas(const float *canvas, int width, int height, DigitLayout layout, int side,
                       float *out, Error *error)
{
    FOVEA_CHECK(width > 0 && height > 0, "a canvas of %d x %d", width, height);
    size_t n = (size_t)width * (size_t)height;
    float *ink = memory_new(n, sizeof *ink);
    for (size_t i = 0; i < n; i++)
        ink[i] = canvas[i];
    bool ok = lay_out(ink, width, height, layout, side, out, error);
    free(ink);
    return ok;
}

static float distance_to_stroke(float x, float y, float x0, float y0, float x1, float y1)
{
    float dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
    float t = length > 0 ? ((x - x0) * dx + (y - y0) * dy) / length : 0;
    t = fminf(fmaxf(t, 0), 1);
    return hypotf(x - (x0 + t * dx), y - (y0 + t * dy));
}

void canvas_draw_stroke(float *canvas, int width, int height, float x0, float y0, float x1,
                        float y1, float pen_width)
{
    float reach = pen_width / 2 + 1;
    int left = (int)fmaxf(floorf(fminf(x0, x1) - reach), 0);
    int right = (int)fminf(ceilf(fmaxf(x0, x1) + reach), (float)width);
    int top = (int)fmaxf(floorf(fminf(y0, y1) - reach), 0);
    int bottom = (int)fminf(ceilf(fmaxf(y0, y1) + reach), (float)height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            float d = distance_to_stroke((float)x + 0.5f, (float)y + 0.5f, x0, y0, x1, y1);
            float ink = fminf(fmaxf(pen_width / 2 + 0.5f - d, 0), 1);
            float *cell = &canvas[(size_t)y * (size_t)width + (size_t)x];
            *cell = fmaxf(*cell, ink);
        }
}
