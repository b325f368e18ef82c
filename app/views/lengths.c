#include "views/lengths.h"

#include <math.h>

#include "views/chart.h"
#include "views/heatmap.h"

void lengths_draw(const LengthsSpec *spec, Canvas *canvas)
{
    const ViewFrame *frame = spec->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    float head =
        view_draw_heading(frame, canvas, content, (ViewHeading){spec->title, spec->subtitle}) +
        16 * u;
    ChartSeries series[LENGTHS_MAX_MODELS];
    for (int i = 0; i < spec->n_models; i++)
        series[i] = (ChartSeries){
            .name = spec->models[i].name, .y = spec->models[i].score, .n = spec->n_bins};
    const ChartSpec chart = {
        .frame = frame,
        .area = {content.x, content.y + head, content.w, fminf(content.h - head, 460 * u)},
        .kind = CHART_BARS,
        .x = {.title = spec->across},
        .series = series,
        .n_series = spec->n_models,
        .labels = spec->bins,
        .marker = NAN,
        .numbers = spec->n_models <= 3,
    };
    chart_draw(&chart, canvas);
}
