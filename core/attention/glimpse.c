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

/* Adds one row of the picture to a row of the patch: `factor` pixels to each cell. The first
 * and last pixel of the picture bound the run; cells are filled from left to right. */
static void add_row(const Real *row, int x, int side, int patch, int shift, Real *out)
{
    int begin = x > 0 ? x : 0;
    int end = x + (patch << shift) < side ? x + (patch << shift) : side;
    if (shift == 0) {
        for (int i = begin; i < end; i++)
            out[i - x] += row[i];
        return;
    }
    for (int i = begin; i < end; i++)
        out[(i - x) >> shift] += row[i];
}

static void look_at_scale(const Real *picture, int side, const PatchBox *box, int patch, int shift,
                          Real *out)
{
    memset(out, 0, (size_t)patch * (size_t)patch * sizeof *out);
    int begin = box->y > 0 ? box->y : 0;
    int end = box->y + box->side < side ? box->y + box->side : side;
    for (int y = begin; y < end; y++)
        add_row(picture + (size_t)y * (size_t)side, box->x, side, patch, shift,
                out + (size_t)((y - box->y) >> shift) * (size_t)patch);
    Real share = 1 / (Real)(1 << 2 * shift);
    for (int i = 0; shift > 0 && i < patch * patch; i++)
        out[i] *= share;
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
