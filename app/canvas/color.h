/* color.h - colours as numbers, and colour maps.
 *
 * Nothing here knows a theme: a colour map is told the colour of the panel that it lies on,
 * so that "nothing" is as quiet as the paper, and from that it knows light from dark.
 *
 * Invariants:
 *   1. Sequential maps (all but DIVERGING) are monotone in lightness up to the rounding of
 *      eight bits: they survive grey print and colour blindness.
 *   2. DIVERGING is symmetric in lightness around its middle and monotone on either side.
 *   3. Black or white on a cell, as color_ink says, has a contrast of at least 4.5 : 1.
 *
 * Memory: a Colormap is plain data. Threads: all functions are pure.
 *
 * Sources: WCAG 2.1 (relative luminance, contrast ratio); B. Ottosson, "A perceptual color
 * space for image processing" (2020), for OKLab; viridis and magma by S. van der Walt,
 * N. Smith and E. Firing (2015, CC0); cividis by Nunez, Anderton and Renslow, PLOS ONE 13(7)
 * (2018).
 */
#ifndef FOVEA_CANVAS_COLOR_H
#define FOVEA_CANVAS_COLOR_H
#include "canvas/canvas.h"

static inline Color color_rgba(int r, int g, int b, int a)
{
    return (Color)r << 24 | (Color)g << 16 | (Color)b << 8 | (Color)a;
}

static inline int color_red(Color color)
{
    return (int)(color >> 24);
}

static inline int color_green(Color color)
{
    return (int)(color >> 16 & 255);
}

static inline int color_blue(Color color)
{
    return (int)(color >> 8 & 255);
}

static inline int color_alpha(Color color)
{
    return (int)(color & 255);
}

/* "#rgb", "#rrggbb" or "#rrggbbaa", with or without the sign. */
bool color_parse(const char *text, Color *color, Error *error) FOVEA_MUST_USE;

/* From a (t = 0) to b (t = 1), channel by channel; t is held to [0, 1]. */
Color color_mix(Color a, Color b, float t);

/* The same colour with its alpha multiplied by opacity in [0, 1]. */
Color color_fade(Color color, float opacity);

/* What is seen when `above` lies on an opaque colour. */
Color color_over(Color above, Color below);

float color_luminance(Color color);     /* relative, [0, 1]; alpha is not looked at     */
float color_contrast(Color a, Color b); /* 1 .. 21, of opaque colours                   */
float color_lightness(Color color);     /* OKLab L, [0, 1]: equal steps look equal      */

/* Black or white, whichever reads better on an opaque cell. */
Color color_ink(Color cell);

#define COLORMAPS(X)                                                                               \
    X(BLUES, "blues", "one hue from the panel to near black or near white")                        \
    X(VIRIDIS, "viridis", "violet to yellow")                                                      \
    X(CIVIDIS, "cividis", "blue to yellow, the same for colour-blind eyes")                        \
    X(MAGMA, "magma", "black to light yellow through red")                                         \
    X(GREY, "grey", "the panel to its opposite")                                                   \
    X(DIVERGING, "diverging", "orange below, blue above, the panel at zero")

typedef enum {
#define COLORMAP(id, name, about) COLORMAP_##id,
    COLORMAPS(COLORMAP)
#undef COLORMAP
        COLORMAP_COUNT,
} ColormapKind;

enum { COLORMAP_SAMPLES = 256 };

typedef struct Colormap {
    Color table[COLORMAP_SAMPLES]; /* opaque */
    Color nan;                     /* of what is no number; a view hatches it */
    bool diverging;                /* the middle of the table is zero         */
} Colormap;

const char *colormap_name(ColormapKind kind);
const char *colormap_about(ColormapKind kind);
bool colormap_find(const char *name, ColormapKind *kind, Error *error) FOVEA_MUST_USE;

/* The panel decides where BLUES, GREY and DIVERGING start and whether they run to dark or to
 * light. */
void colormap_init(Colormap *map, ColormapKind kind, Color panel);

/* t in [0, 1], held to that range; NaN gives map->nan. */
Color colormap_at(const Colormap *map, float t);
Color colormap_nan(const Colormap *map);

/* Where a value stands on the map: `low` at 0, `high` at 1 (a diverging map: low = -high),
 * raised to gamma (below 1: small values show more; a diverging map bends on either side of
 * its middle). low == high gives 0, or the middle. Infinities go to the ends, NaN stays. */
typedef struct ColormapScale {
    float low, high;
    float gamma; /* 0: 1 */
} ColormapScale;
float colormap_position(const Colormap *map, ColormapScale scale, float value);

/* values[n] -> colors[n]. */
void colormap_fill(const Colormap *map, ColormapScale scale, const float *values, size_t n,
                   Color *colors);

#endif
