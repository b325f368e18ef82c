#include "views/shade.h"

#include <math.h>
#include <string.h>

ShadeOptions shade_options(const Settings *settings)
{
    return (ShadeOptions){
        .colormap = settings_choice(settings, "colormap"),
        .scale = (ShadeScale)settings_choice(settings, "scale"),
        .gamma = (float)settings_real(settings, "gamma"),
        .threshold = (float)settings_real(settings, "threshold"),
        .log = settings_has(settings, "log") && settings_bool(settings, "log"),
    };
}

float shade_round_up(float value)
{
    double power = pow(10, floor(log10((double)value)));
    static const double steps[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++)
        if ((double)value <= steps[i] * power * (1 + 1e-6))
            return (float)(steps[i] * power);
    return value;
}

/* From where to where, in round numbers. */
static ColormapScale choose_range(TraceRole role, GridRange found, bool diverges, bool is_unit)
{
    if (is_unit || role == TRACE_MASK)
        return (ColormapScale){diverges ? -1 : 0, 1, 1};
    if (found.low > found.high)
        return (ColormapScale){0, 1, 1};
    float peak = fmaxf(fabsf(found.low), fabsf(found.high));
    float high = peak > 0 ? shade_round_up(peak) : 1;
    if (role == TRACE_WEIGHTS || role == TRACE_PROBABILITIES)
        high = found.high <= 1.0001f ? fminf(high, 1) : high;
    if (diverges)
        return (ColormapScale){-high, high, 1};
    if (found.low >= 0)
        return (ColormapScale){0, high, 1};
    return (ColormapScale){-shade_round_up(-found.low),
                           found.high > 0 ? shade_round_up(found.high) : 0, 1};
}

Shade shade_make(const ViewFrame *frame, ShadeOptions options, TraceRole role, GridRange range)
{
    Shade shade = {
        .threshold = options.threshold, .log = options.log, .ghost = frame->theme->background};
    bool is_signed = range.low < 0 && range.low <= range.high;
    ColormapKind kind = options.colormap > 0 ? (ColormapKind)(options.colormap - 1)
                        : is_signed          ? COLORMAP_DIVERGING
                                             : COLORMAP_BLUES;
    colormap_init(&shade.map, kind, frame->theme->panel);
    shade.map.nan = color_mix(frame->theme->background, frame->theme->line, 0.5f); /* and hatched */
    shade.per_row = options.scale == SCALE_ROW;
    shade.range = choose_range(role, range, shade.map.diverging,
                               shade.per_row || options.scale == SCALE_UNIT);
    if (shade.per_row && is_signed)
        shade.range.low = -1;
    shade.range.gamma = options.gamma;
    return shade;
}

static float largest_of(const Shade *shade)
{
    return fmaxf(fabsf(shade->range.low), fabsf(shade->range.high));
}

/* Where a value lies on the legend, as the value that lies there when it is not by powers of
 * ten: SHADE_DECADES below the largest is nothing. */
static float bend(const Shade *shade, float value)
{
    float high = largest_of(shade);
    if (!shade->log || value == 0 || !isfinite(value) || !(high > 0))
        return value;
    float part = 1 + log10f(fabsf(value) / high) / SHADE_DECADES;
    return copysignf(high * fmaxf(part, 0), value);
}

/* And back: the value at a place of the legend. */
static double unbend(const Shade *shade, double place)
{
    double high = (double)largest_of(shade);
    if (!shade->log || !(high > 0) || (place == 0 && shade->range.low < 0))
        return place;
    return copysign(high * pow(10, SHADE_DECADES * (fabs(place) / high - 1)), place);
}

Color shade_color(const Shade *shade, float value, float row_peak)
{
    if (fabsf(value) < shade->threshold)
        value = 0;
    if (shade->per_row && row_peak > 0)
        value /= row_peak;
    value = bend(shade, value);
    return colormap_at(&shade->map, colormap_position(&shade->map, shade->range, value));
}

void shade_row(const Shade *shade, const float *values, int32_t n, float row_peak, Color *out)
{
    bool is_plain = shade->threshold == 0 && !shade->log && !(shade->per_row && row_peak > 0);
    if (is_plain) {
        colormap_fill(&shade->map, shade->range, values, (size_t)n, out);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        out[i] = shade_color(shade, values[i], row_peak);
}

Color shade_ghost(const Shade *shade, Color color)
{
    return color_over(color_fade(color, 0.28f), shade->ghost);
}

Color shade_ink(Color cell, bool is_quiet)
{
    Color ink = color_ink(cell);
    Color faded = color_over(color_fade(ink, is_quiet ? 0.6f : 0.88f), cell);
    return color_contrast(faded, cell) >= 4.5f ? faded : ink;
}

/* ---- legend ---- */

enum { N_TICKS = 5 };

/* The whole bar, bent as the values are. */
static void draw_bar(Canvas *canvas, const Shade *shade, Rect bar)
{
    Color cells[COLORMAP_SAMPLES];
    float low = shade->range.low, high = shade->range.high;
    for (int i = 0; i < COLORMAP_SAMPLES; i++) {
        float value = low + (high - low) * (float)i / (COLORMAP_SAMPLES - 1);
        if (fabs(unbend(shade, (double)value)) < (double)shade->threshold && !shade->per_row)
            value = 0;
        cells[i] = colormap_at(&shade->map, colormap_position(&shade->map, shade->range, value));
    }
    canvas_cells(canvas, bar, 1, COLORMAP_SAMPLES, cells);
}

/* Digits after the point that tell neighbouring ticks apart. */
static int digits_for(float low, float high)
{
    float step = (high - low) / (N_TICKS - 1);
    for (int digits = 0; digits < 6; digits++) {
        double scaled = (double)step * pow(10, digits);
        if (fabs(scaled - round(scaled)) < 1e-3 * scaled)
            return digits;
    }
    return 6;
}

static ViewNumber tick_text(const Shade *shade, int i)
{
    float low = shade->range.low, high = shade->range.high;
    double place = (double)low + ((double)high - (double)low) * i / (N_TICKS - 1);
    double value = unbend(shade, place);
    ViewNumber number = view_number(value, shade->log ? 6 : digits_for(low, high));
    size_t n = strlen(number.text); /* 0.50 -> 0.5, 1.00 -> 1 */
    if (strchr(number.text, '.') && !strchr(number.text, 'e')) {
        while (number.text[n - 1] == '0')
            number.text[--n] = '\0';
        if (number.text[n - 1] == '.')
            number.text[--n] = '\0';
    }
    return number;
}

static void draw_ticks(const ViewFrame *frame, Canvas *canvas, const Shade *shade, Rect bar)
{
    float u = view_unit(frame);
    TextStyle style = theme_number(frame->theme);
    style.size = frame->theme->caption_size;
    style.color = frame->theme->muted;
    style.align = ALIGN_MIDDLE;
    float widest = 0;
    for (int i = 0; i < N_TICKS; i++)
        widest = fmaxf(widest, fonts_width(frame->fonts, tick_text(shade, i).text, &style));
    /* A short bar has a number at its ends and in the middle. */
    int every = bar.w / (N_TICKS - 1) < widest + 6 * u ? (N_TICKS - 1) / 2 : 1;
    for (int i = 0; i < N_TICKS; i += every) {
        float x = bar.x + bar.w * (float)i / (N_TICKS - 1);
        canvas_text(canvas, (Point){x, bar.y + bar.h + 16 * u}, tick_text(shade, i).text, style);
    }
}

static void draw_caption(const ViewFrame *frame, Canvas *canvas, Rect place, Rect bar,
                         const char *caption, const char *right)
{
    float u = view_unit(frame), y = bar.y + bar.h / 2;
    TextStyle style = theme_muted(frame->theme);
    float x = bar.x + bar.w + 20 * u, end = place.x + place.w;
    float wanted = fonts_width(frame->fonts, caption, &style);
    float room = end - x;
    style.max_width = fmaxf(room, u);
    canvas_text(canvas, (Point){x, y + view_baseline(&style)}, caption, style);
    if (!right || !right[0])
        return;
    TextStyle end_style = theme_muted(frame->theme);
    end_style.align = ALIGN_END;
    bool beside = room - wanted - 24 * u > fonts_width(frame->fonts, right, &end_style);
    if (!beside) { /* on the line of the numbers */
        end_style.max_width = fmaxf(end - bar.x - bar.w - 30 * u, u);
        y += 16 * u;
    }
    canvas_text(canvas, (Point){end, y + view_baseline(&end_style)}, right, end_style);
}

float shade_draw_legend(const ViewFrame *frame, Canvas *canvas, const Shade *shade, Rect place,
                        const char *caption, const char *right)
{
    float u = view_unit(frame), height = 32 * u;
    if (!canvas)
        return height;
    Rect bar = {place.x + u, place.y + 2 * u, fminf(220 * u, place.w * 0.42f), 10 * u};
    draw_bar(canvas, shade, bar);
    canvas_frame(canvas, rect_inset(bar, -u, -u), 0, (Stroke){frame->theme->line, u, 0});
    draw_ticks(frame, canvas, shade, bar);
    draw_caption(frame, canvas, place, bar, caption, right);
    canvas_tag(canvas, bar, TAG_LABEL, "legend", caption);
    return height;
}
