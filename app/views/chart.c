#include "views/chart.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MOST_TICKS = 16 };

typedef struct ChartPlan {
    const ChartSpec *spec;
    Rect plot;
    ChartAxis x, y; /* with the range in force */
    float ticks_x[MOST_TICKS], ticks_y[MOST_TICKS];
    int n_x, n_y;
} ChartPlan;

/* ---- scales ---- */

int chart_ticks(float low, float high, int most, float *ticks)
{
    if (!(high > low) || most < 2)
        return 0;
    double rough = (double)(high - low) / (most - 1);
    double power = pow(10, floor(log10(rough)));
    static const double steps[] = {1, 2, 5, 10};
    double step = 10 * power;
    for (int i = 3; i >= 0; i--)
        if (steps[i] * power >= rough * (1 - 1e-6)) /* the range is of floats */
            step = steps[i] * power;
    int n = 0;
    for (double t = ceil((double)low / step - 1e-6) * step;
         t <= (double)high + step * 1e-6 && n < most; t += step)
        ticks[n++] = (float)(fabs(t) < step * 1e-6 ? 0 : t);
    return n;
}

/* On a logarithmic axis: powers of ten, or every second of them, ...; where there are few, two
 * and five times them too. */
static int log_ticks(float low, float high, float *ticks)
{
    static const float between[] = {0, 0.30103f, 0.69897f};
    int each = (int)ceilf((high - low) / MOST_TICKS), n = 0;
    int n_between = high - low < 2.5f ? 3 : 1;
    for (float power = floorf(low); power <= high; power += (float)each)
        for (int i = 0; i < n_between; i++) {
            float t = power + between[i];
            if (t >= low && t <= high && n < MOST_TICKS)
                ticks[n++] = t;
        }
    return n;
}

static float series_x(const ChartSeries *series, int i)
{
    return series->x ? series->x[i] : (float)i;
}

/* On the axis: NaN where there is no logarithm. */
static float series_y(const ChartSpec *spec, int s, int i)
{
    float y = spec->series[s].y[i];
    return !spec->y.is_log ? y : y > 0 ? log10f(y) : NAN;
}

static ChartAxis find_range(const ChartSpec *spec, bool is_x)
{
    ChartAxis axis = is_x ? spec->x : spec->y;
    if (axis.low != axis.high)
        return axis;
    float low = INFINITY, high = -INFINITY;
    for (int s = 0; s < spec->n_series; s++)
        for (int i = 0; i < spec->series[s].n; i++) {
            float value = is_x ? series_x(&spec->series[s], i) : series_y(spec, s, i);
            if (isfinite(value)) {
                low = fminf(low, value);
                high = fmaxf(high, value);
            }
        }
    if (low > high)
        low = 0, high = 1;
    if (spec->kind == CHART_BARS && is_x)
        low -= 0.5f, high += 0.5f;
    if (spec->kind == CHART_BARS && !is_x)
        low = fminf(low, 0), high = fmaxf(high, 0);
    if (low == high)
        low -= 0.5f, high += 0.5f;
    float room = (high - low) * 0.06f;
    bool keeps = is_x && spec->kind != CHART_POINTS; /* lines reach from edge to edge */
    axis.low = keeps || (spec->kind == CHART_BARS && low == 0) ? low : low - room;
    axis.high = keeps ? high : high + room;
    return axis;
}

static float to_x(const ChartPlan *p, float value)
{
    return p->plot.x + (value - p->x.low) / (p->x.high - p->x.low) * p->plot.w;
}

static float to_y(const ChartPlan *p, float value)
{
    return p->plot.y + p->plot.h - (value - p->y.low) / (p->y.high - p->y.low) * p->plot.h;
}

static Point point_of(const ChartPlan *p, int s, int i)
{
    return (Point){to_x(p, series_x(&p->spec->series[s], i)), to_y(p, series_y(p->spec, s, i))};
}

/* ---- names of series, in lines that fit ---- */

#define NAME_LINE 18
#define NAME_MARK 20 /* a dash of the series' colour, and its gap */
#define NAME_GAP  16

static float name_width(const ChartSpec *spec, int s)
{
    TextStyle style = theme_caption(spec->frame->theme);
    return fonts_width(spec->frame->fonts, spec->series[s].name, &style) +
           (NAME_MARK + NAME_GAP) * view_unit(spec->frame);
}

/* Width of the line that begins with series `first`; *next: the first of the line below. */
static float names_on_line(const ChartSpec *spec, int first, int *next)
{
    float u = view_unit(spec->frame), width = -NAME_GAP * u;
    int s = first;
    for (; s < spec->n_series; s++) {
        float more = name_width(spec, s);
        if (s > first && width + more > spec->area.w - 80 * u)
            break;
        width += more;
    }
    *next = s;
    return width;
}

static int lines_of_names(const ChartSpec *spec)
{
    int n = 0;
    for (int first = 0, next; spec->n_series > 1 && first < spec->n_series; first = next, n++)
        names_on_line(spec, first, &next);
    return n;
}

static void plan_chart(ChartPlan *p, const ChartSpec *spec)
{
    *p = (ChartPlan){.spec = spec};
    FOVEA_CHECK(spec->n_series <= CHART_MAX_SERIES, "%d series", spec->n_series);
    float u = view_unit(spec->frame);
    float left = 54 * u, bottom = 40 * u;
    float top = (24 + NAME_LINE * fmaxf(0, (float)lines_of_names(spec) - 1)) * u;
    p->plot =
        (Rect){spec->area.x + left, spec->area.y + top, fmaxf(spec->area.w - left - 12 * u, 10 * u),
               fmaxf(spec->area.h - top - bottom, 10 * u)};
    p->x = find_range(spec, true);
    p->y = find_range(spec, false);
    int most_x = (int)fminf(fmaxf(p->plot.w / (70 * u), 2), MOST_TICKS);
    int most_y = (int)fminf(fmaxf(p->plot.h / (24 * u), 2), MOST_TICKS);
    p->n_x = chart_ticks(p->x.low, p->x.high, most_x, p->ticks_x);
    p->n_y = chart_ticks(p->y.low, p->y.high, most_y, p->ticks_y);
    if (spec->y.is_log && p->y.high - p->y.low > 0.5f)
        p->n_y = log_ticks(p->y.low, p->y.high, p->ticks_y);
}

Rect chart_plot(const ChartSpec *spec)
{
    ChartPlan p;
    plan_chart(&p, spec);
    return p.plot;
}

static Color series_color(const ChartSpec *spec, int s)
{
    const Theme *t = spec->frame->theme;
    /* The theme's four, then hues that the colour-blind tell from them (Okabe and Ito 2008). */
    const Color colors[] = {t->accent,  t->warning, t->good,    t->muted,
                            0xCC79A7FF, 0x56B4E9FF, 0xE69F00FF, 0x8C6BB1FF};
    int n = sizeof colors / sizeof colors[0];
    return spec->series[s].color ? spec->series[s].color : colors[s % n];
}

/* ---- axes ---- */

static void draw_ticks(const ChartPlan *p, Canvas *canvas)
{
    const Theme *theme = p->spec->frame->theme;
    float u = view_unit(p->spec->frame);
    TextStyle style = theme_number(theme);
    style.size = theme->caption_size;
    style.color = theme->muted;
    style.align = ALIGN_END;
    for (int i = 0; i < p->n_y; i++) {
        float y = to_y(p, p->ticks_y[i]);
        canvas_line(canvas, (Point){p->plot.x, y}, (Point){p->plot.x + p->plot.w, y},
                    (Stroke){theme->line, u, 0});
        double value = (double)p->ticks_y[i];
        canvas_text(canvas, (Point){p->plot.x - 8 * u, y + view_baseline(&style)},
                    view_short_number(p->spec->y.is_log ? pow(10, value) : value).text, style);
    }
    style.align = ALIGN_MIDDLE;
    for (int i = 0; i < p->n_x && !(p->spec->kind != CHART_POINTS && p->spec->labels); i++)
        canvas_text(canvas, (Point){to_x(p, p->ticks_x[i]), p->plot.y + p->plot.h + 16 * u},
                    view_short_number((double)p->ticks_x[i]).text, style);
}

static void draw_titles(const ChartPlan *p, Canvas *canvas)
{
    float u = view_unit(p->spec->frame);
    TextStyle style = theme_caption(p->spec->frame->theme);
    if (p->spec->y.title)
        canvas_text(canvas, (Point){p->spec->area.x, p->spec->area.y + 10 * u}, p->spec->y.title,
                    style);
    style.align = ALIGN_END;
    if (p->spec->x.title)
        canvas_text(canvas, (Point){p->plot.x + p->plot.w, p->plot.y + p->plot.h + 32 * u},
                    p->spec->x.title, style);
}

/* Names of the places along x: under the points that lines join. */
static void draw_places(const ChartPlan *p, Canvas *canvas)
{
    const ChartSpec *spec = p->spec;
    TextStyle style = theme_caption(spec->frame->theme);
    float each = p->plot.w / (p->x.high - p->x.low);
    style.max_width = each - 2 * view_unit(spec->frame);
    for (int i = 0; spec->n_series > 0 && i < spec->series[0].n; i++) {
        float x = to_x(p, series_x(&spec->series[0], i)), room = p->plot.x + p->plot.w - x;
        style.align = room < each / 2            ? ALIGN_END
                      : x - p->plot.x < each / 2 ? ALIGN_START
                                                 : ALIGN_MIDDLE;
        canvas_text(canvas, (Point){x, p->plot.y + p->plot.h + 16 * view_unit(spec->frame)},
                    spec->labels[i], style);
    }
}

/* Names of several series, from the right end of the top line. */
static void draw_names(const ChartPlan *p, Canvas *canvas)
{
    const ChartSpec *spec = p->spec;
    float u = view_unit(spec->frame), y = spec->area.y + 6 * u;
    TextStyle style = theme_caption(spec->frame->theme);
    for (int first = 0, next; spec->n_series > 1 && first < spec->n_series; first = next) {
        float x = p->plot.x + p->plot.w - names_on_line(spec, first, &next);
        for (int s = first; s < next; s++) {
            canvas_fill(canvas, (Rect){x, y - 2 * u, 12 * u, 4 * u}, 2 * u, series_color(spec, s));
            canvas_text(canvas, (Point){x + NAME_MARK * u, y + view_baseline(&style)},
                        spec->series[s].name, style);
            x += name_width(spec, s);
        }
        y += NAME_LINE * u;
    }
}

/* ---- what is in it ---- */

static void draw_line(const ChartPlan *p, Canvas *canvas, int s)
{
    const ChartSeries *series = &p->spec->series[s];
    float u = view_unit(p->spec->frame);
    Point *points = memory_new((size_t)series->n + 1, sizeof *points);
    int n = 0;
    for (int i = 0; i <= series->n; i++) {
        Point at = i < series->n ? point_of(p, s, i) : (Point){NAN, NAN};
        if (isfinite(at.x) && isfinite(at.y) && n < CANVAS_MAX_PATH_POINTS) {
            points[n++] = at;
            continue;
        }
        if (n > 1)
            canvas_path(canvas, points, n, false, (Stroke){series_color(p->spec, s), 2 * u, 0});
        else if (n == 1)
            canvas_circle(canvas, points[0], 2.5f * u, series_color(p->spec, s), (Stroke){0});
        n = 0;
    }
    free(points);
}

#define MOST_LABELS 400 /* of points; more say nothing */

/* Points from the highest down: the order in which their labels look for room. */
static int by_height(const ChartSeries *series, int order[MOST_LABELS])
{
    int n = series->n < MOST_LABELS ? series->n : MOST_LABELS;
    for (int i = 0; i < n; i++) {
        int at = i;
        while (at > 0 && fabsf(series->y[order[at - 1]]) < fabsf(series->y[i])) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
    return n;
}

static bool overlaps(const Rect *places, int n, Rect r)
{
    for (int i = 0; i < n; i++)
        if (r.x < places[i].x + places[i].w && places[i].x < r.x + r.w &&
            r.y < places[i].y + places[i].h && places[i].y < r.y + r.h)
            return true;
    return false;
}

/* A label stands right or left of its point, above or below it; where there is no room it is
 * left to the pointer. */
static void draw_point_labels(const ChartPlan *p, Canvas *canvas)
{
    const ChartSeries *series = &p->spec->series[0];
    float u = view_unit(p->spec->frame);
    TextStyle style = theme_caption(p->spec->frame->theme);
    int order[MOST_LABELS], n = by_height(series, order), used = 0;
    Rect places[2 * MOST_LABELS];
    for (int i = 0; i < n; i++) {
        Point at = point_of(p, 0, i);
        places[used++] = (Rect){at.x - 3 * u, at.y - 3 * u, 6 * u, 6 * u};
    }
    for (int i = 0; i < n; i++) {
        const char *label = p->spec->labels[order[i]];
        Point at = point_of(p, 0, order[i]);
        float w = fonts_width(p->spec->frame->fonts, label, &style), h = style.size;
        const Point starts[] = {{at.x + 6 * u, at.y - 4 * u},
                                {at.x - 6 * u - w, at.y - 4 * u},
                                {at.x + 6 * u, at.y + 4 * u + 0.7f * h},
                                {at.x - 6 * u - w, at.y + 4 * u + 0.7f * h}};
        for (int k = 0; k < 4 && isfinite(at.x) && isfinite(at.y); k++) {
            Rect place = {starts[k].x, starts[k].y - 0.8f * h, w, h};
            if (place.x < p->plot.x || overlaps(places, used, place))
                continue;
            canvas_text(canvas, starts[k], label, style);
            places[used++] = place;
            break;
        }
    }
}

static void draw_points(const ChartPlan *p, Canvas *canvas, int s)
{
    const ChartSeries *series = &p->spec->series[s];
    float u = view_unit(p->spec->frame);
    Color color = color_fade(series_color(p->spec, s), series->n > 60 ? 0.45f : 0.75f);
    for (int i = 0; i < series->n; i++) {
        Point at = point_of(p, s, i);
        if (isfinite(at.x) && isfinite(at.y))
            canvas_circle(canvas, at, 3.5f * u, color, (Stroke){0});
    }
    if (s == 0 && p->spec->labels)
        draw_point_labels(p, canvas);
}

static Rect bar_rect(const ChartPlan *p, int s, int i)
{
    const ChartSpec *spec = p->spec;
    float each = p->plot.w / (p->x.high - p->x.low), w = each * 0.72f / (float)spec->n_series;
    float x = to_x(p, series_x(&spec->series[s], i)) - each * 0.36f + w * (float)s;
    float zero = to_y(p, 0), y = to_y(p, spec->series[s].y[i]);
    return (Rect){x, fminf(y, zero), w * 0.94f, fabsf(zero - y)};
}

static void draw_bars(const ChartPlan *p, Canvas *canvas, int s)
{
    const ChartSpec *spec = p->spec;
    const ChartSeries *series = &spec->series[s];
    float u = view_unit(spec->frame);
    TextStyle number = theme_number(spec->frame->theme), label = theme_caption(spec->frame->theme);
    number.size = spec->frame->theme->caption_size;
    number.color = spec->frame->theme->muted;
    number.align = label.align = ALIGN_MIDDLE;
    for (int i = 0; i < series->n; i++) {
        if (!isfinite(series->y[i]))
            continue;
        Rect bar = bar_rect(p, s, i);
        canvas_fill(canvas, bar, fminf(2 * u, bar.h / 2), series_color(spec, s));
        canvas_tag(canvas, bar, TAG_CELL, series->name,
                   view_short_number((double)series->y[i]).text);
        if (spec->numbers && bar.w > 22 * u)
            canvas_text(canvas, (Point){bar.x + bar.w / 2, bar.y - 4 * u},
                        view_short_number((double)series->y[i]).text, number);
        label.max_width = p->plot.w / (p->x.high - p->x.low) - 2 * u;
        if (s == 0 && spec->labels)
            canvas_text(canvas,
                        (Point){to_x(p, series_x(series, i)), p->plot.y + p->plot.h + 16 * u},
                        spec->labels[i], label);
    }
}

void chart_draw(const ChartSpec *spec, Canvas *canvas)
{
    ChartPlan p;
    plan_chart(&p, spec);
    float u = view_unit(spec->frame);
    draw_ticks(&p, canvas);
    draw_titles(&p, canvas);
    if (spec->kind == CHART_LINES && spec->labels)
        draw_places(&p, canvas);
    draw_names(&p, canvas);
    if (isfinite(spec->marker)) {
        float x = to_x(&p, spec->marker);
        canvas_line(canvas, (Point){x, p.plot.y}, (Point){x, p.plot.y + p.plot.h},
                    (Stroke){spec->frame->theme->accent, 1.5f * u, 4 * u});
    }
    canvas_clip_push(canvas, rect_inset(p.plot, -4 * u, -14 * u));
    for (int s = 0; s < spec->n_series; s++) {
        if (spec->kind == CHART_LINES)
            draw_line(&p, canvas, s);
        else if (spec->kind == CHART_POINTS)
            draw_points(&p, canvas, s);
    }
    canvas_clip_pop(canvas);
    for (int s = 0; s < spec->n_series && spec->kind == CHART_BARS; s++)
        draw_bars(&p, canvas, s);
    canvas_tag(canvas, p.plot, TAG_GROUP, "chart", spec->y.title);
}

/* ---- hits ---- */

static float distance(const ChartPlan *p, int s, int i, float x, float y)
{
    Point at = point_of(p, s, i);
    if (!isfinite(at.x) || !isfinite(at.y))
        return INFINITY;
    /* Along a line what counts is x first, but for points that stand under each other. */
    bool is_line = p->spec->kind == CHART_LINES && !p->spec->labels;
    float dx = at.x - x, dy = (at.y - y) * (is_line ? 0.05f : 1);
    return sqrtf(dx * dx + dy * dy);
}

bool chart_at(const ChartSpec *spec, float x, float y, int *series, int *index, Rect *place)
{
    ChartPlan p;
    plan_chart(&p, spec);
    float u = view_unit(spec->frame), best = spec->kind == CHART_POINTS ? 8 * u : INFINITY;
    bool found = false;
    if (!rect_contains(rect_inset(p.plot, -4 * u, -4 * u), x, y))
        return false;
    for (int s = 0; s < spec->n_series; s++)
        for (int i = 0; i < spec->series[s].n; i++) {
            Rect bar = {0};
            float away = spec->kind == CHART_BARS ? 0 : distance(&p, s, i, x, y);
            if (spec->kind == CHART_BARS) {
                bar = bar_rect(&p, s, i);
                if (!(x >= bar.x && x < bar.x + bar.w))
                    continue;
            }
            if (!(away < best))
                continue;
            best = away;
            found = true;
            *series = s;
            *index = i;
            Point at = point_of(&p, s, i);
            *place =
                spec->kind == CHART_BARS ? bar : (Rect){at.x - 4 * u, at.y - 4 * u, 8 * u, 8 * u};
        }
    return found;
}
