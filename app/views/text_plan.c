#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "views/text.h"

const Setting text_settings[] = {
    {"shade", SETTING_CHOICE, "auto", 0, 0, "auto|weight|lift|effect|gradient",
     "words by sqrt(p_s) p_w, weight, times uniform, leaving one out, or gradient times input"},
    {"sort", SETTING_BOOL, "no", 0, 0, NULL, "the heaviest sentences first"},
    {"classes", SETTING_BOOL, "yes", 0, 0, NULL, "probabilities of the classes"},
    {"merge_words", SETTING_BOOL, "yes", 0, 0, NULL, "join the pieces of words"},
    {"reduce", SETTING_CHOICE, "mean", 0, 0, "mean|max|rollout",
     "how heads and layers become one matrix where all are chosen"},
    {"tensor", SETTING_TEXT, "", 0, 0, NULL, "which tensor, by name; empty: the main one"},
    {0},
};

Color text_red(const Theme *theme)
{
    return theme->kind == THEME_DARK ? 0xFF6B61FF : 0xD2342BFF;
}

/* The strongest shade on which the theme's text still reads. */
static float shade_limit(const Theme *theme, Color hue)
{
    for (int i = 92; i > 20; i--)
        if (color_contrast(theme->text, color_mix(theme->background, hue, (float)i / 100)) >= 4.6f)
            return (float)i / 100;
    return 0.2f;
}

/* Shades lie under text of one colour, so they stop where the text would be hard to read. */
static void shade_text(TextPlan *plan, GridRange range)
{
    const Theme *theme = plan->frame->theme;
    ShadeOptions options = {.colormap = range.low < 0 ? 1 + (int)COLORMAP_DIVERGING : 0,
                            .gamma = 1};
    plan->shade = shade_make(plan->frame, options, TRACE_SCALAR, range);
    float up = shade_limit(theme, theme->accent), down = shade_limit(theme, theme->warning);
    bool is_signed = plan->shade.map.diverging;
    for (int i = 0; i < COLORMAP_SAMPLES; i++) {
        float t = (float)i / (COLORMAP_SAMPLES - 1);
        float side = is_signed ? 2 * t - 1 : t;
        plan->shade.map.table[i] = side >= 0
                                       ? color_mix(theme->background, theme->accent, side * up)
                                       : color_mix(theme->background, theme->warning, -side * down);
    }
    plan->shade.map.nan = theme->background;
}

static GridRange find_range(const TextPlan *plan)
{
    GridRange range = {INFINITY, -INFINITY};
    for (int k = 0; k < plan->n_parts; k++) {
        const TextPart *part = &plan->parts[k];
        for (int32_t i = 0; part->values && i < part->n; i++)
            if (isfinite(part->values[i])) {
                range.low = fminf(range.low, part->values[i]);
                range.high = fmaxf(range.high, part->values[i]);
            }
    }
    if (plan->by == TEXT_BY_LIFT && range.high >= range.low)
        range.high = fmaxf(range.high, 2);
    return range;
}

/* ---- layout ---- */

static void flow_part(TextPlan *plan, TextPart *part, float width)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    bool sorted = part->n_blocks > 1 && settings_bool(frame->options, "sort");
    char key[64];
    snprintf(key, sizeof key, "%d:%d:%d", (int)part->axis, (int)part->n_blocks, sorted);
    TextStyle style = theme_text(frame->theme);
    style.size = frame->theme->input_size;
    FlowSpec spec = {
        .text = part->text,
        .spans = part->spans,
        .n_tokens = part->n,
        .blocks = part->blocks,
        .n_blocks = part->n_blocks,
        .style = style,
        .width = fmaxf(width, 60 * u),
        .line = 26 * u,
        .gap = part->n_blocks > 1 ? 5 * u : 0,
        .from_right = plan->is_mirrored, /* beside its bar */
    };
    part->flow = flow_get(frame, key, &spec);
}

static void lay_parts(TextPlan *plan, float width)
{
    float u = view_unit(plan->frame), y = 0;
    for (int i = 0; i < plan->n_parts; i++) {
        TextPart *part = &plan->parts[i];
        flow_part(plan, part, width - plan->gutter);
        if (part->caption != WORD_COUNT)
            y += (i > 0 ? 18 : 0) * u + 20 * u;
        part->top = y;
        y += part->flow->height;
    }
    plan->height = y;
}

enum { BESIDE_HEADING = 3 }; /* classes that find room there */

/* A few stand beside the heading, more in a column at the right, and in a narrow place above the
 * text. Cuts the heading off `rest`. */
static void place_heading(TextPlan *plan, Rect *rest)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame), w = text_classes_width(frame);
    int32_t n = settings_bool(frame->options, "classes") ? trace_n_classes(frame->trace) : 0;
    bool is_beside = n > 0 && n <= BESIDE_HEADING && rest->w >= 560 * u;
    plan->heading_place = *rest;
    plan->heading_place.w -= is_beside ? w + 28 * u : 0;
    float head = view_draw_heading(frame, NULL, plan->heading_place, plan->heading) + 16 * u;
    if (is_beside) {
        plan->classes = (Rect){rest->x + rest->w - w, rest->y, w, text_classes_height(frame)};
        head = fmaxf(head, plan->classes.h + 6 * u);
    }
    rest->y += head;
    rest->h -= head;
}

static void place_classes(TextPlan *plan, Rect *rest)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    bool is_placed = !rect_is_empty(plan->classes);
    if (is_placed || trace_n_classes(frame->trace) == 0 ||
        !settings_bool(frame->options, "classes"))
        return;
    float height = text_classes_height(frame);
    if (rest->w >= 560 * u) {
        float w = text_classes_width(frame);
        plan->classes = (Rect){rest->x + rest->w - w, rest->y, w, height};
        rest->w -= w + 28 * u;
        return;
    }
    plan->classes = (Rect){rest->x, rest->y, fminf(rest->w, 280 * u), height};
    rest->y += height + 14 * u;
    rest->h -= height + 14 * u;
}

enum { DIRECTION_BYTES = 256 }; /* of a text that tell its direction */

static bool reads_leftwards(const TextPlan *plan)
{
    char start[DIRECTION_BYTES];
    const char *text = plan->parts[plan->main].text;
    TextStyle style = theme_text(plan->frame->theme);
    utf8_clean(text, strlen(text), start, sizeof start);
    return fonts_layout(plan->frame->fonts, start, &style)->right_to_left;
}

static void place_parts(TextPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    Rect rest = view_content(frame);
    place_heading(plan, &rest);
    float notes = view_draw_notes(frame, NULL, rest, &plan->notes);
    float below = 54 * u + (notes > 0 ? notes + 8 * u : 0);
    rest.h -= below;
    place_classes(plan, &rest);
    plan->gutter = plan->sentences ? 78 * u : 0;
    plan->is_mirrored = plan->sentences && reads_leftwards(plan);
    plan->indent = plan->is_mirrored ? 0 : plan->gutter;
    lay_parts(plan, rest.w);
    float wide = 60 * u;
    if (plan->height > rest.h && !frame->is_figure) {
        plan->minimap = (Rect){rest.x + rest.w - wide, rest.y, wide, rest.h};
        lay_parts(plan, rest.w - wide - 16 * u);
        rest.w -= wide + 16 * u;
    }
    plan->place = rest;
    ViewPort port = {rest, rest.w, plan->height, 1};
    plan->scroll = view_camera(&port, frame->camera).y;
    float end = fmaxf(rest.y + fminf(plan->height, rest.h), plan->classes.y + plan->classes.h);
    plan->legend = (Rect){rest.x, end + 20 * u, fminf(rest.w, 520 * u), 34 * u};
    plan->notes_place = (Rect){rest.x, end + 62 * u, rest.w, notes};
}

static void write_heading(TextPlan *plan)
{
    static const ViewWord by[] = {WORD_TEXT_BY_AUTO, WORD_TEXT_BY_WEIGHT, WORD_TEXT_BY_LIFT,
                                  WORD_TEXT_BY_EFFECT, WORD_TEXT_BY_GRADIENT};
    const ViewFrame *frame = plan->frame;
    plan->heading.title = view_attention_title(frame);
    if (!plan->values) {
        plan->heading.title = view_word(frame, WORD_TEXT_DOCUMENT);
        snprintf(
            plan->subtitle, sizeof plan->subtitle, "%s%s",
            text_has_bars(plan)                 ? view_word(frame, WORD_TEXT_BARS)
            : plan->stage == TEXT_STAGE_VECTORS ? view_word(frame, WORD_TEXT_STRIPS)
                                                : "",
            view_word(
                frame,
                by[plan->by == TEXT_BY_AUTO && !text_has_bars(plan) ? TEXT_BY_WEIGHT : plan->by]));
    }
    size_t n = strlen(plan->subtitle);
    if (plan->support)
        snprintf(plan->subtitle + n, sizeof plan->subtitle - n, " · %s",
                 view_word(frame, WORD_TEXT_FRAMED));
    plan->heading.subtitle = plan->subtitle;
}

void text_plan(TextPlan *plan, const ViewFrame *frame)
{
    *plan = (TextPlan){.frame = frame,
                       .arena = arena_new(),
                       .by = (TextBy)settings_choice(frame->options, "shade")};
    view_note_changes(frame, &plan->notes);
    text_find_parts(plan);
    if (plan->n_parts > 0 && plan->parts[plan->main].n == 0) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_TOKENS));
        plan->n_parts = 0;
    }
    if (plan->n_parts == 0)
        return;
    shade_text(plan, find_range(plan));
    write_heading(plan);
    place_parts(plan);
}

void text_plan_free(TextPlan *plan)
{
    arena_free(plan->arena);
}
