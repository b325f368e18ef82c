/* shade.h - from numbers to colours: which map, from where to where, and the legend that says so.
 *
 * The range of a figure is a round number (0 to 0.5, not 0 to 0.4731), so that legends read
 * well and do not tremble while the input is typed. Signed values lie on the diverging map
 * with zero in the middle.
 */
#ifndef FOVEA_VIEWS_SHADE_H
#define FOVEA_VIEWS_SHADE_H
#include "canvas/color.h"
#include "trace/grid.h"
#include "views/view_tools.h"

typedef enum { SCALE_GLOBAL, SCALE_ROW, SCALE_UNIT } ShadeScale;

/* What a person chose; the names are those of the settings. */
typedef struct ShadeOptions {
    int colormap; /* 0 auto, else 1 + ColormapKind */
    ShadeScale scale;
    float gamma;     /* 0: 1 */
    float threshold; /* smaller values count as nothing; 0: none */
    bool log;        /* by powers of ten, as many below the largest as SHADE_DECADES says */
} ShadeOptions;

#define SHADE_DECADES 4

/* Rows for a view's table of settings, and what they say. */
#define SHADE_SETTINGS                                                                             \
    {"colormap",                                                                                   \
     SETTING_CHOICE,                                                                               \
     "auto",                                                                                       \
     0,                                                                                            \
     0,                                                                                            \
     "auto|blues|viridis|cividis|magma|grey|diverging",                                            \
     "colours of the cells"},                                                                      \
        {"scale",                                                                                  \
         SETTING_CHOICE,                                                                           \
         "global",                                                                                 \
         0,                                                                                        \
         0,                                                                                        \
         "global|row|unit",                                                                        \
         "one range for all, each row to its largest, or 0 to 1"},                                 \
        {"gamma", SETTING_REAL, "1", 0.1, 5, NULL, "below 1 shows more of small values"},          \
        {"log", SETTING_BOOL, "no", 0, 0, NULL, "by powers of ten: what a sink leaves to others"}, \
    {                                                                                              \
        "threshold", SETTING_REAL, "0", 0, 1e6, NULL, "smaller values are left white"              \
    }

ShadeOptions shade_options(const Settings *settings);

typedef struct Shade {
    Colormap map;
    ColormapScale range; /* of the legend; per row: in parts of the row's largest */
    bool per_row, log;
    float threshold;
    Color ghost; /* what ghosts fade into */
} Shade;

/* For values of a role within `range` (low > high: none is finite). */
Shade shade_make(const ViewFrame *frame, ShadeOptions options, TraceRole role, GridRange range);

/* The colour of a value; row_peak is the largest magnitude of its row (used per row only). */
Color shade_color(const Shade *shade, float value, float row_peak);
/* The same for n values of one row. */
void shade_row(const Shade *shade, const float *values, int32_t n, float row_peak, Color *out);
Color shade_ghost(const Shade *shade, Color color);

/* A number's colour on a cell: quiet for nothing, at least 4.5 : 1 otherwise. */
Color shade_ink(Color cell, bool is_quiet);

/* A bar with numbers under it and a caption beside it; returns the height. canvas NULL only
 * measures. `caption` is cut when there is no room. */
float shade_draw_legend(const ViewFrame *frame, Canvas *canvas, const Shade *shade, Rect place,
                        const char *caption, const char *right);

/* 1, 2 or 5 times a power of ten that is at least `value` > 0. */
float shade_round_up(float value);

#endif
