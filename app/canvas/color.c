#include "canvas/color.h"

#include <math.h>
#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool color_parse(const char *text, Color *color, Error *error)
{
    const char *digits = text[0] == '#' ? text + 1 : text;
    size_t n = strlen(digits);
    uint32_t value = 0;
    bool ok = n == 3 || n == 6 || n == 8;
    for (size_t i = 0; ok && i < n; i++) {
        int digit = hex_digit(digits[i]);
        ok = digit >= 0;
        value = value << 4 | (uint32_t)(digit & 15);
        if (n == 3)
            value = value << 4 | (uint32_t)(digit & 15);
    }
    if (!ok)
        return error_set(error, ERROR_INPUT,
                         "\"%.40s\" is not a colour; expected #rgb, #rrggbb or #rrggbbaa", text);
    *color = n == 8 ? value : value << 8 | 255;
    return true;
}

static int mix_channel(int a, int b, float t)
{
    return (int)lrintf((float)a + t * (float)(b - a));
}

Color color_mix(Color a, Color b, float t)
{
    t = fminf(fmaxf(t, 0), 1);
    return color_rgba(mix_channel(color_red(a), color_red(b), t),
                      mix_channel(color_green(a), color_green(b), t),
                      mix_channel(color_blue(a), color_blue(b), t),
                      mix_channel(color_alpha(a), color_alpha(b), t));
}

Color color_fade(Color color, float opacity)
{
    opacity = fminf(fmaxf(opacity, 0), 1);
    return (color & 0xFFFFFF00u) | (Color)lrintf((float)color_alpha(color) * opacity);
}

Color color_over(Color above, Color below)
{
    return color_mix(below | 255, above | 255, (float)color_alpha(above) / 255);
}

/* sRGB's transfer function, [0, 1] both ways. */
static float to_linear(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static float from_linear(float value)
{
    return value <= 0.0031308f ? value * 12.92f : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
}

float color_luminance(Color color)
{
    return 0.2126f * to_linear((float)color_red(color) / 255) +
           0.7152f * to_linear((float)color_green(color) / 255) +
           0.0722f * to_linear((float)color_blue(color) / 255);
}

float color_contrast(Color a, Color b)
{
    float x = color_luminance(a);
    float y = color_luminance(b);
    return (fmaxf(x, y) + 0.05f) / (fminf(x, y) + 0.05f);
}

Color color_ink(Color cell)
{
    /* Where both read equally well: (1.05)/(y + .05) = (y + .05)/.05. One of the two is
     * always at sqrt(21) = 4.58 or above. */
    return color_luminance(cell) > 0.17913f ? 0x000000FFu : 0xFFFFFFFFu;
}

typedef struct Lab {
    float l, a, b;
} Lab;

static Lab lab_from_color(Color color)
{
    float r = to_linear((float)color_red(color) / 255);
    float g = to_linear((float)color_green(color) / 255);
    float b = to_linear((float)color_blue(color) / 255);
    float l = cbrtf(0.4122214708f * r + 0.5363325363f * g + 0.0514459929f * b);
    float m = cbrtf(0.2119034982f * r + 0.6806995451f * g + 0.1073969566f * b);
    float s = cbrtf(0.0883024619f * r + 0.2817188376f * g + 0.6299787005f * b);
    return (Lab){0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
                 1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
                 0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
}

float color_lightness(Color color)
{
    return lab_from_color(color).l;
}

/* Linear RGB of a colour, which may lie outside [0, 1]. */
static void lab_to_linear(Lab lab, float rgb[3])
{
    float l = lab.l + 0.3963377774f * lab.a + 0.2158037573f * lab.b;
    float m = lab.l - 0.1055613458f * lab.a - 0.0638541728f * lab.b;
    float s = lab.l - 0.0894841775f * lab.a - 1.2914855480f * lab.b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s;
    rgb[1] = -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s;
    rgb[2] = -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s;
}

static bool is_displayable(Lab lab)
{
    const float slack = 1e-4f;
    float rgb[3];
    lab_to_linear(lab, rgb);
    for (int i = 0; i < 3; i++)
        if (rgb[i] < -slack || rgb[i] > 1 + slack)
            return false;
    return true;
}

/* The nearest that a screen can show at the same lightness and hue: less chroma. */
static Color lab_to_color(Lab lab)
{
    float keep = 1;
    if (!is_displayable(lab)) {
        keep = 0;
        for (float step = 0.5f; step > 1e-3f; step /= 2) {
            float wider = keep + step;
            if (is_displayable((Lab){lab.l, lab.a * wider, lab.b * wider}))
                keep = wider;
        }
    }
    float rgb[3];
    lab_to_linear((Lab){lab.l, lab.a * keep, lab.b * keep}, rgb);
    int channel[3];
    for (int i = 0; i < 3; i++)
        channel[i] = (int)lrintf(255 * from_linear(fminf(fmaxf(rgb[i], 0), 1)));
    return color_rgba(channel[0], channel[1], channel[2], 255);
}

/* A ramp of one hue: lightness falls or rises evenly from the panel to `end`, chroma swells
 * to `chroma` in between. */
typedef struct Ramp {
    Lab panel;
    float end_lightness;
    float end_chroma;
    float chroma;
    float hue; /* degrees */
} Ramp;

static Color ramp_at(const Ramp *ramp, float t)
{
    const float pi = 3.14159265f;
    float radians = ramp->hue * pi / 180;
    float chroma = ramp->chroma * sinf(pi * powf(t, 0.9f)) + ramp->end_chroma * t;
    /* The panel's own tint fades out. */
    return lab_to_color((Lab){
        ramp->panel.l + t * (ramp->end_lightness - ramp->panel.l),
        ramp->panel.a * (1 - t) + chroma * cosf(radians),
        ramp->panel.b * (1 - t) + chroma * sinf(radians),
    });
}

static void fill_ramp(Colormap *map, const Ramp *ramp)
{
    for (int i = 0; i < COLORMAP_SAMPLES; i++)
        map->table[i] = ramp_at(ramp, (float)i / (COLORMAP_SAMPLES - 1));
}

/* 256 samples make no exact middle: the two around it are the panel. */
static void fill_diverging(Colormap *map, const Ramp *below, const Ramp *above)
{
    int half = COLORMAP_SAMPLES / 2;
    for (int i = 0; i < half; i++) {
        float t = (float)i / (float)(half - 1);
        map->table[half + i] = ramp_at(above, t);
        map->table[half - 1 - i] = ramp_at(below, t);
    }
}

/* Every 15th of the 256 published colours; between them straight lines. */
enum { POINTS = 18 };

static const uint32_t viridis[POINTS] = {
    0x440154, 0x481769, 0x472A7A, 0x433D84, 0x3D4E8A, 0x355E8D, 0x2E6D8E, 0x297B8E, 0x23898E,
    0x1F978B, 0x21A585, 0x2EB37C, 0x46C06F, 0x65CB5E, 0x89D548, 0xB0DD2F, 0xD8E219, 0xFDE725,
};

static const uint32_t cividis[POINTS] = {
    0x00224E, 0x002D68, 0x163770, 0x2E416D, 0x3F4C6C, 0x4E566C, 0x5C616E, 0x696B71, 0x767676,
    0x838179, 0x928C78, 0xA09875, 0xAFA471, 0xBFB06B, 0xCFBD62, 0xDFCA57, 0xF0D846, 0xFEE838,
};

static const uint32_t magma[POINTS] = {
    0x000004, 0x090720, 0x1A1042, 0x311165, 0x4A1079, 0x621980, 0x792282, 0x912B81, 0xAA337D,
    0xC23B75, 0xD9466B, 0xEC5860, 0xF7725C, 0xFC8E64, 0xFEAA74, 0xFEC68A, 0xFDE2A3, 0xFCFDBF,
};

static void fill_points(Colormap *map, const uint32_t *points)
{
    const int step = (COLORMAP_SAMPLES - 1) / (POINTS - 1);
    for (int i = 0; i < COLORMAP_SAMPLES; i++) {
        int k = i / step < POINTS - 1 ? i / step : POINTS - 2;
        float t = (float)(i - k * step) / (float)step;
        map->table[i] = color_mix(points[k] << 8 | 255, points[k + 1] << 8 | 255, t);
    }
}

void colormap_init(Colormap *map, ColormapKind kind, Color panel)
{
    FOVEA_CHECK(kind < COLORMAP_COUNT, "colour map %d", (int)kind);
    Lab paper = lab_from_color(panel);
    bool dark = paper.l < 0.5f;
    float end = dark ? 0.97f : 0.24f;
    map->diverging = kind == COLORMAP_DIVERGING;
    map->nan = color_mix(panel | 255, dark ? 0xFFFFFFFFu : 0x000000FFu, 0.15f);
    Ramp blues = {paper, end, dark ? 0.015f : 0.06f, dark ? 0.11f : 0.105f, dark ? 245 : 250};
    Ramp grey = {{paper.l, 0, 0}, end, 0, 0, 0};
    /* Ends that still have colour, so that the two sides differ where it matters most. */
    float far = dark ? 0.80f : 0.40f;
    Ramp above = {paper, far, 0.12f, 0.06f, 255};
    Ramp below = {paper, far, 0.12f, 0.06f, 55};
    switch (kind) {
    case COLORMAP_BLUES: fill_ramp(map, &blues); break;
    case COLORMAP_GREY: fill_ramp(map, &grey); break;
    case COLORMAP_DIVERGING: fill_diverging(map, &below, &above); break;
    case COLORMAP_VIRIDIS: fill_points(map, viridis); break;
    case COLORMAP_CIVIDIS: fill_points(map, cividis); break;
    case COLORMAP_MAGMA: fill_points(map, magma); break;
    case COLORMAP_COUNT: break;
    }
}

static const char *const names[] = {
#define COLORMAP(id, name, about) name,
    COLORMAPS(COLORMAP)
#undef COLORMAP
};

static const char *const abouts[] = {
#define COLORMAP(id, name, about) about,
    COLORMAPS(COLORMAP)
#undef COLORMAP
};

const char *colormap_name(ColormapKind kind)
{
    FOVEA_CHECK(kind < COLORMAP_COUNT, "colour map %d", (int)kind);
    return names[kind];
}

const char *colormap_about(ColormapKind kind)
{
    FOVEA_CHECK(kind < COLORMAP_COUNT, "colour map %d", (int)kind);
    return abouts[kind];
}

bool colormap_find(const char *name, ColormapKind *kind, Error *error)
{
    for (int i = 0; i < COLORMAP_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *kind = (ColormapKind)i;
            return true;
        }
    }
    return error_set(error, ERROR_INPUT,
                     "there is no colour map \"%.40s\"; there are blues, viridis, cividis, magma, "
                     "grey and diverging",
                     name);
}

Color colormap_nan(const Colormap *map)
{
    return map->nan;
}

/* Comparisons rather than fminf and fmaxf, which are calls: this runs once a cell. */
static float hold(float t)
{
    return t > 0 ? (t < 1 ? t : 1) : 0;
}

Color colormap_at(const Colormap *map, float t)
{
    if (isnan(t))
        return map->nan;
    return map->table[(int)(hold(t) * (COLORMAP_SAMPLES - 1) + 0.5f)];
}

float colormap_position(const Colormap *map, ColormapScale scale, float value)
{
    if (!isfinite(value)) /* no place in the range: drawn like what is missing */
        return NAN;
    float range = scale.high - scale.low;
    float nothing = map->diverging ? 0.5f : 0;
    if (!(range > 0))
        return nothing;
    float t = hold((value - scale.low) / range);
    if (scale.gamma == 0 || scale.gamma == 1)
        return t;
    if (!map->diverging)
        return powf(t, scale.gamma);
    float away = powf(fabsf(t - 0.5f) * 2, scale.gamma) / 2;
    return t < 0.5f ? 0.5f - away : 0.5f + away;
}

/* Without gamma. First all places of a part, which is vector arithmetic, then all colours; the
 * place after the last is that of NaN. */
static void fill_straight(const Colormap *map, ColormapScale scale, const float *values, size_t n,
                          Color *colors)
{
    enum { PART = 256 };
    Color table[COLORMAP_SAMPLES + 1];
    int32_t place[PART];
    float low = scale.low, range = scale.high - scale.low;
    memcpy(table, map->table, sizeof map->table);
    table[COLORMAP_SAMPLES] = map->nan;
    for (size_t done = 0; done < n; done += PART) {
        size_t m = n - done < PART ? n - done : PART;
        const float *value = values + done;
        for (size_t i = 0; i < m; i++) {
            float t = hold((value[i] - low) / range);
            int32_t at = (int32_t)(t * (COLORMAP_SAMPLES - 1) + 0.5f);
            place[i] = isnan(value[i]) ? COLORMAP_SAMPLES : at;
        }
        for (size_t i = 0; i < m; i++)
            colors[done + i] = table[place[i]];
    }
}

void colormap_fill(const Colormap *map, ColormapScale scale, const float *values, size_t n,
                   Color *colors)
{
    if (scale.high > scale.low && (scale.gamma == 0 || scale.gamma == 1)) {
        fill_straight(map, scale, values, n, colors);
        return;
    }
    for (size_t i = 0; i < n; i++)
        colors[i] = colormap_at(map, colormap_position(map, scale, values[i]));
}
