/* Several heads in one picture of links. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "views/links.h"

/* ---- which ---- */

/* The heads of the list "1,4,9"; an empty one is all. */
static void read_open(const char *text, bool open[LINKS_MAX_HEADS])
{
    for (int32_t h = 0; h < LINKS_MAX_HEADS; h++)
        open[h] = !*text;
    while (*text) {
        char *end;
        long number = strtol(text, &end, 10);
        if (end == text)
            return;
        if (number >= 1 && number <= LINKS_MAX_HEADS)
            open[number - 1] = true;
        text = *end == ',' ? end + 1 : end;
    }
}

void links_choose_heads(LinksPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    const TraceTensor *t = plan->tensor;
    plan->head_axis = -1;
    plan->n_heads = 0;
    if (settings_choice(frame->options, "heads") == 0 || plan->spec.reduction == VALUES_ROLLOUT)
        return;
    for (int32_t d = 0; d + 2 < t->rank; d++)
        if (strcmp(trace_axis(frame->trace, t->axis[d])->name, "layer") != 0)
            plan->head_axis = d;
    if (plan->head_axis < 0)
        return;
    int32_t n = trace_tensor_len(frame->trace, t, plan->head_axis);
    plan->n_heads = n < LINKS_MAX_HEADS ? n : LINKS_MAX_HEADS;
    read_open(settings_text(frame->options, "open"), plan->open);
}

void links_toggle_head(Settings *options, int32_t head)
{
    bool open[LINKS_MAX_HEADS];
    StrBuf text = {0};
    Error none = {0};
    const char *now = settings_text(options, "open");
    if (head < 0 || head >= LINKS_MAX_HEADS)
        return;
    read_open(now, open);
    for (int32_t h = 0; h < LINKS_MAX_HEADS && !*now; h++)
        open[h] = false; /* of all, the first click leaves one */
    open[head] = !open[head];
    strbuf_add(&text, "");
    for (int32_t h = 0; h < LINKS_MAX_HEADS; h++)
        if (open[h])
            strbuf_addf(&text, "%s%d", text.length ? "," : "", (int)h + 1);
    if (!settings_set(options, "open", text.text, &none))
        error_clear(&none);
    strbuf_free(&text);
}

/* ---- colours ---- */

/* A colour of that hue (0..6) and lightness, HSL with a saturation of 0.9. */
static Color of_hue(double hue, double light)
{
    static const int order[6][3] = {{2, 1, 0}, {1, 2, 0}, {0, 2, 1},
                                    {0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
    double chroma = (1 - fabs(2 * light - 1)) * 0.9, low = light - chroma / 2;
    const double parts[3] = {0, chroma * (1 - fabs(fmod(hue, 2) - 1)), chroma};
    const int *o = order[(int)hue % 6];
    int channel[3];
    for (int i = 0; i < 3; i++)
        channel[i] = (int)lround(255 * (low + parts[o[i]]));
    return color_rgba(channel[0], channel[1], channel[2], 255);
}

/* Hues a golden angle apart never come back. Every eighth comes near one that was: it is made
 * darker or lighter. All have the luminance of their eight, so that none stands out and all
 * stand off the panel. */
Color links_head_color(const Theme *theme, int32_t head)
{
    static const float luminances[2][2] = {{0.22f, 0.10f}, {0.30f, 0.55f}};
    float wanted = luminances[theme->kind == THEME_DARK][head / 8 % 2];
    double hue = fmod(214 + 137.508 * head, 360) / 60, low = 0, high = 1;
    for (int i = 0; i < 12; i++) {
        double light = (low + high) / 2;
        if (color_luminance(of_hue(hue, light)) < wanted)
            low = light;
        else
            high = light;
    }
    return of_hue(hue, (low + high) / 2);
}

/* ---- chips ---- */

Rect links_chip(const LinksPlan *plan, int32_t head)
{
    float u = view_unit(plan->frame), w = 38 * u, h = 22 * u;
    int32_t across = (int32_t)fmaxf(1, floorf(plan->chips.w / w));
    return (Rect){plan->chips.x + w * (float)(head % across),
                  plan->chips.y + h * (float)(head / across), w - 4 * u, h - 4 * u};
}

float links_draw_chips(const LinksPlan *plan, Canvas *canvas)
{
    float u = view_unit(plan->frame);
    if (plan->n_heads == 0)
        return 0;
    const Theme *theme = plan->frame->theme;
    TextStyle style = theme_number(theme);
    style.size = theme->caption_size;
    for (int32_t h = 0; h < plan->n_heads && canvas; h++) {
        char name[32];
        Rect chip = links_chip(plan, h);
        Color color = links_head_color(theme, h);
        Rect swatch = {chip.x + 4 * u, chip.y + chip.h / 2 - 4 * u, 8 * u, 8 * u};
        if (plan->open[h])
            canvas_fill(canvas, swatch, 2 * u, color);
        else
            canvas_frame(canvas, swatch, 2 * u, (Stroke){color_fade(color, 0.6f), u, 0});
        snprintf(name, sizeof name, "%d", (int)h + 1);
        style.color = plan->open[h] ? theme->text : theme->muted;
        canvas_text(canvas, (Point){chip.x + 16 * u, chip.y + chip.h / 2 + view_baseline(&style)},
                    name, style);
        snprintf(name, sizeof name, "head.%d", (int)h + 1);
        canvas_tag(canvas, chip, TAG_ITEM, name, plan->open[h] ? "open" : "closed");
    }
    Rect last = links_chip(plan, plan->n_heads - 1);
    return last.y + last.h + 6 * u - plan->chips.y;
}
