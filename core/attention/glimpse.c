#include "attention/glimpse.h"

#include <math.h>
#include <string.h>

int retina_size(const Retina *retina)
{
    return retina->scales * retina->patch * retina->patch;
}

static int corner(Real place, int side, int patch)
{
    return (int)floor(((double)place + 1) / 2 * side) - patch / 2;
}

PatchBox retina_box(const Retina *retina, int scale, int side, Real x, Real y)
{
    int patch = retina->patch << scale;
    return (PatchBox){corner(x, side, patch), corner(y, side, patch), patch};
}

static int overlap(int begin, int length, int side)
{
    int low = begin > 0 ? begin : 0;
    int high = begin + length < side ? begin + length : side;
    return high > low ? high - low : 0;
}

double retina_overlap(const PatchBox *box, int side)
{
    double area = (double)overlap(box->x, box->side, side) * overlap(box->y, box->side, side);
    return area / ((double)box->side * box->side);
}

/* Adds the part of a picture's row that lies in the box to sum [box->side]. */
static void add_row(const Real *row, int side, const PatchBox *box, Real *sum)
{
    int begin = box->x > 0 ? 0 : -box->x;
    int end = box->x + box->side < side ? box->side : side - box->x;
    for (int i = begin; i < end; i++)
        sum[i] += row[box->x + i];
}

/* Rows are added first, as they lie, and neighbours in a row last: few additions are left
 * for the slow direction. */
static void look_at_scale(const Real *picture, int side, const PatchBox *box, int patch, int shift,
                          Real *out)
{
    Real sum[RETINA_MAX_PATCH << (RETINA_MAX_SCALES - 1)];
    int factor = 1 << shift;
    Real share = 1 / (Real)(factor * factor);
    for (int y = 0; y < patch; y++, out += patch) {
        memset(sum, 0, (size_t)box->side * sizeof *sum);
        for (int v = box->y + y * factor; v < box->y + (y + 1) * factor; v++)
            if (v >= 0 && v < side)
                add_row(picture + (long)v * side, side, box, sum);
        for (int x = 0; x < patch; x++) {
            Real total = 0;
            for (int u = 0; u < factor; u++)
                total += sum[x * factor + u];
            out[x] = total * share;
        }
    }
}

void retina_look(const Retina *retina, const Real *picture, int side, Real x, Real y, Real *out)
{
    int area = retina->patch * retina->patch;
    for (int scale = 0; scale < retina->scales; scale++) {
        PatchBox box = retina_box(retina, scale, side, x, y);
        look_at_scale(picture, side, &box, retina->patch, scale, out + scale * area);
    }
}

double gaussian_log_density(const Real mean[2], const Real sample[2], double sigma)
{
    double dx = (double)(sample[0] - mean[0]), dy = (double)(sample[1] - mean[1]);
    const double two_pi = 6.283185307179586;
    return -(dx * dx + dy * dy) / (2 * sigma * sigma) - log(two_pi * sigma * sigma);
}
