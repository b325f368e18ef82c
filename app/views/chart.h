/* chart.h - lines, points and bars over two axes: losses, BLEU by length, attention against
 * effect. Plain functions of numbers; views and commands feed them.
 *
 * Axes choose round ticks. What is not finite is left out (a line is broken there).
 */
#ifndef FOVEA_VIEWS_CHART_H
#define FOVEA_VIEWS_CHART_H
#include "views/view_tools.h"

typedef enum { CHART_LINES, CHART_POINTS, CHART_BARS } ChartKind;

typedef struct ChartSeries {
    const char *name;
    const float *x; /* [n]; NULL: 0, 1, 2, ... */
    const float *y; /* [n] */
    int n;
    Color color; /* 0: the theme's, by place */
} ChartSeries;

typedef struct ChartAxis {
    const char *title;
    float low, high; /* equal: from the values, in round numbers; bars begin at zero */
    bool is_log;     /* y of lines and points only: powers of ten; what is not above zero is
                        left out, low and high are logarithms */
} ChartAxis;

#define CHART_MAX_SERIES 16

typedef struct ChartSpec {
    const ViewFrame *frame;
    Rect area;
    ChartKind kind;
    ChartAxis x, y;
    const ChartSeries *series;
    int n_series;              /* at most CHART_MAX_SERIES */
    const char *const *labels; /* [n] of the first series; of lines: instead of ticks; NULL: none */
    float marker;              /* x of the playhead; NaN: none */
    bool numbers;              /* on bars */
} ChartSpec;

void chart_draw(const ChartSpec *spec, Canvas *canvas);

/* The point or bar at (x, y), or for lines the one nearest along x: series and index; false
 * outside the plot. `place` is what to outline. */
bool chart_at(const ChartSpec *spec, float x, float y, int *series, int *index, Rect *place);

/* Where the plot itself is, without ticks and titles. */
Rect chart_plot(const ChartSpec *spec);

/* Round ticks that cover low .. high: at most `most` of them. Returns how many. */
int chart_ticks(float low, float high, int most, float *ticks);

#endif
