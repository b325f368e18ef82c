#include "image/resample.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* The input cells that one output cell is made of, along one axis. */
typedef struct Taps {
    int first, n;
    float *weight;
} Taps;

/* Shrinking: a box as wide as the output cell. Enlarging: a triangle of two input cells. */
static double tap_weight(double centre, double step, int i)
{
    double middle = i + 0.5;
    if (step > 1) {
        double low = fmax(centre - step / 2, i), high = fmin(centre + step / 2, i + 1);
        return fmax(high - low, 0);
    }
    return fmax(1 - fabs(middle - centre), 0);
}

static Taps *make_taps(double begin, double length, int n_out)
{
    Taps *taps = memory_new((size_t)n_out, sizeof *taps);
    double step = length / n_out;
    double reach = step > 1 ? step / 2 : 1;
    for (int o = 0; o < n_out; o++) {
        double centre = begin + (o + 0.5) * step, sum = 0;
        Taps *t = &taps[o];
        t->first = (int)floor(centre - reach);
        t->n = (int)ceil(centre + reach) - t->first;
        t->weight = memory_new((size_t)t->n, sizeof *t->weight);
        for (int i = 0; i < t->n; i++)
            sum += tap_weight(centre, step, t->first + i);
        for (int i = 0; i < t->n; i++)
            t->weight[i] = (float)(tap_weight(centre, step, t->first + i) / sum);
    }
    return taps;
}

static void free_taps(Taps *taps, int n)
{
    for (int i = 0; i < n; i++)
        free(taps[i].weight);
    free(taps);
}

/* One input row, or the outside, to an output row's width. */
static void shrink_row(const float *row, int in_width, int channels, const Taps *taps, int width,
                       float outside, float *out)
{
    for (int x = 0; x < width; x++)
        for (int c = 0; c < channels; c++) {
            double sum = 0;
            for (int i = 0; i < taps[x].n; i++) {
                int at = taps[x].first + i;
                bool inside = row && at >= 0 && at < in_width;
                float value = inside ? row[(size_t)at * (size_t)channels + (size_t)c] : outside;
                sum += (double)(taps[x].weight[i] * value);
            }
            out[(size_t)x * (size_t)channels + (size_t)c] = (float)sum;
        }
}

void plane_resample(const float *in, int in_width, int in_height, int channels,
                    const ResamplePart *part, float outside, float *out, int width, int height)
{
    Taps *across = make_taps(part->x, part->w, width), *down = make_taps(part->y, part->h, height);
    size_t row_size = (size_t)width * (size_t)channels;
    float *row = memory_new(row_size, sizeof *row);
    for (int y = 0; y < height; y++) {
        float *target = out + (size_t)y * row_size;
        for (size_t i = 0; i < row_size; i++)
            target[i] = 0;
        for (int k = 0; k < down[y].n; k++) {
            int at = down[y].first + k;
            bool inside = at >= 0 && at < in_height;
            const float *source =
                inside ? in + (size_t)at * (size_t)in_width * (size_t)channels : NULL;
            shrink_row(source, in_width, channels, across, width, outside, row);
            for (size_t i = 0; i < row_size; i++)
                target[i] += down[y].weight[k] * row[i];
        }
    }
    free(row);
    free_taps(across, width);
    free_taps(down, height);
}

static double luminance(const uint8_t *p)
{
    return (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]) / 255;
}

void picture_to_grey(const TraceImage *image, float *out)
{
    size_t n = (size_t)image->width * (size_t)image->height;
    double light = 0, opaque = 0;
    for (size_t i = 0; i < n; i++) {
        light += luminance(image->rgba + 4 * i) * image->rgba[4 * i + 3];
        opaque += image->rgba[4 * i + 3];
    }
    /* Without transparency the background does not matter. */
    double background = opaque > 0 && light / opaque > 0.5 ? 0 : 1;
    for (size_t i = 0; i < n; i++) {
        double alpha = image->rgba[4 * i + 3] / 255.0;
        out[i] = (float)(alpha * luminance(image->rgba + 4 * i) + (1 - alpha) * background);
    }
}

void picture_to_rgb(const TraceImage *image, float *out)
{
    size_t n = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = image->rgba + 4 * i;
        float alpha = (float)p[3] / 255;
        for (int c = 0; c < 3; c++)
            out[3 * i + (size_t)c] = alpha * (float)p[c] / 255 + (1 - alpha);
    }
}
