/* glimpse.h - looking at part of a picture: the retina of Mnih et al. 2014 (arXiv 1406.6247).
 *
 * A glimpse takes k square patches around one location, of g, 2g, 4g, ... pixels, each made
 * g x g by averaging squares of 1, 2, 4, ... pixels: sharp in the middle, coarse around it.
 * Hard attention: what lies outside every patch does not reach the network at all.
 *
 * Locations are (x, y) in [-1, 1]^2; (0, 0) is the middle of the picture, (-1, -1) its top
 * left corner. The patch of side s begins at floor((l + 1) / 2 W) - s / 2; no interpolation.
 * Outside the picture there is 0.
 *
 * Nothing flows back through a retina: where to look is learned by policy gradients.
 */
#ifndef FOVEA_ATTENTION_GLIMPSE_H
#define FOVEA_ATTENTION_GLIMPSE_H
#include "math/real.h"

#define RETINA_MAX_SCALES 8
#define RETINA_MAX_PATCH  64

typedef struct Retina {
    int patch;  /* g: pixels of a patch's side, even */
    int scales; /* k                                 */
} Retina;

typedef struct PatchBox {
    int x, y, side; /* pixels; may reach outside the picture */
} PatchBox;

/* Numbers that one glimpse gives: k g^2. */
int retina_size(const Retina *retina);

/* Where scale j of a glimpse at (x, y) lies in a picture of side x side pixels. */
PatchBox retina_box(const Retina *retina, int scale, int side, Real x, Real y);

/* Part of a box inside the picture, 0 .. 1. */
double retina_overlap(const PatchBox *box, int side);

/* One picture [side, side], values 0 .. 1; out [k, g, g], finest scale first. */
void retina_look(const Retina *retina, const Real *picture, int side, Real x, Real y, Real *out);

/* log N(sample; mean, sigma^2 I) of a point in the plane. */
double gaussian_log_density(const Real mean[2], const Real sample[2], double sigma);

#endif
