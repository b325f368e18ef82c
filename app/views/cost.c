#include "views/cost.h"

#include <math.h>

#include "views/chart.h"
#include "views/heatmap.h"

void cost_draw(const CostSpec *spec, Canvas *canvas)
{
    const ViewFrame *frame = spec->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    float head =
        view_draw_heading(frame, canvas, content, (ViewHeading){spec->title, spec->subtitle}) +
        16 * u;
    const ChartSeries series[] = {
        {.name = spec->all, .x = spec->words, .y = spec->all_ms, .n = spec->n},
        {.name = spec->selected, .x = spec->words, .y = spec->selected_ms, .n = spec->n},
    };
    const ChartSpec chart = {
        .frame = frame,
        .area = {content.x, content.y + head, content.w, fminf(content.h - head, 460 * u)},
        .kind = CHART_LINES,
        .x = {.title = spec->across},
        .y = {.title = spec->up},
        .series = series,
        .n_series = 2,
        .marker = NAN,
    };
    chart_draw(&chart, canvas);
}
