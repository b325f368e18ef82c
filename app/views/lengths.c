#include "views/lengths.h"

#include <math.h>

#include "views/chart.h"
#include "views/heatmap.h"

typedef struct LengthsPlan {
    ChartSeries series[LENGTHS_MAX_MODELS];
    ChartSpec chart;
} LengthsPlan;

/* Hues that the colour-blind tell apart (Okabe and Ito 2008); the second half paler. Models
 * without attention keep the colour of warnings for themselves. */
static Color color_of(const Theme *theme, bool is_fixed, int k)
{
    const Color hues[] = {theme->accent, theme->good, 0xCC79A7FF,  0x56B4E9FF,
                          0xE69F00FF,    0x8C6BB1FF,  theme->muted};
    int n = sizeof hues / sizeof hues[0];
    Color hue = is_fixed ? theme->warning : hues[k % n];
    return k < (is_fixed ? 1 : n) ? hue : color_mix(theme->background, hue, 0.55f);
}

static void plan_lengths(LengthsPlan *plan, const LengthsSpec *spec)
{
    const ViewFrame *frame = spec->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    ViewHeading heading = {spec->title, spec->subtitle};
    float head = view_draw_heading(frame, NULL, content, heading) + 16 * u;
    int n[2] = {0};
    for (int i = 0; i < spec->n_models; i++) {
        const LengthsModel *m = &spec->models[i];
        plan->series[i] =
            (ChartSeries){.name = m->name,
                          .y = m->score,
                          .n = spec->n_bins,
                          .color = color_of(frame->theme, m->is_fixed, n[m->is_fixed]++)};
    }
    plan->chart = (ChartSpec){
        .frame = frame,
        .area = {content.x, content.y + head, content.w, fminf(content.h - head, 480 * u)},
        .kind = CHART_LINES,
        .x = {.title = spec->across},
        .y = {.title = "BLEU"},
        .series = plan->series,
        .n_series = spec->n_models,
        .labels = spec->bins,
        .marker = NAN,
    };
}

void lengths_draw(const LengthsSpec *spec, Canvas *canvas)
{
    LengthsPlan plan;
    plan_lengths(&plan, spec);
    const ViewFrame *frame = spec->frame;
    view_draw_heading(frame, canvas, view_content(frame),
                      (ViewHeading){spec->title, spec->subtitle});
    chart_draw(&plan.chart, canvas);
    if (frame->hover.kind == HIT_ITEM && !frame->is_figure)
        canvas_circle(canvas,
                      (Point){frame->hover.place.x + frame->hover.place.w / 2,
                              frame->hover.place.y + frame->hover.place.h / 2},
                      5 * view_unit(frame), frame->theme->background,
                      (Stroke){plan.series[frame->hover.row].color, 2.5f * view_unit(frame), 0});
    view_draw_tooltip(frame, canvas, &frame->hover);
}

bool lengths_hit(const LengthsSpec *spec, float x, float y, ViewHit *hit)
{
    LengthsPlan plan;
    plan_lengths(&plan, spec);
    *hit = (ViewHit){.kind = HIT_ITEM, .axis = -1};
    int model, bin;
    if (!chart_at(&plan.chart, x, y, &model, &bin, &hit->place)) {
        *hit = (ViewHit){0};
        return false;
    }
    hit->row = model;
    hit->col = bin;
    view_hit_add(hit, "%s", spec->models[model].name);
    view_hit_add(hit, "%s %s", spec->bins[bin], spec->across);
    view_hit_add(hit, "BLEU %s", view_number((double)spec->models[model].score[bin], 1).text);
    return true;
}

float lengths_wanted_height(const LengthsSpec *spec, float width)
{
    return 80 * view_unit(spec->frame) + fminf(width * 0.62f, 480 * view_unit(spec->frame));
}
