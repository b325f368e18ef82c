#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "views/text.h"

/* ---- one text ---- */

static Rect box_rect(const TextPlan *plan, const FlowBox *box, float middle)
{
    float u = view_unit(plan->frame);
    return (Rect){plan->place.x + plan->indent + box->x - u, middle - 11 * u, box->width + 2 * u,
                  22 * u};
}

static void shade_box(const TextPlan *plan, Canvas *canvas, const TextPart *part,
                      const FlowBox *box, float middle)
{
    float u = view_unit(plan->frame);
    const Theme *theme = plan->frame->theme;
    Rect rect = box_rect(plan, box, middle);
    if (box->token == part->current) {
        canvas_fill(canvas, rect, 3 * u, color_mix(theme->background, text_red(theme), 0.42f));
        canvas_frame(canvas, rect, 3 * u, (Stroke){text_red(theme), 1.5f * u, 0});
        return;
    }
    if (!part->values)
        return;
    float value = part->values[box->token];
    if (isnan(value)) { /* says nothing */
        canvas_frame(canvas, rect_inset(rect, 0, 2 * u), 3 * u, (Stroke){theme->muted, u, 3 * u});
        return;
    }
    Color color = shade_color(&plan->shade, value, 0);
    if (color_contrast(color, theme->background) > 1.05f)
        canvas_fill(canvas, rect, 3 * u, color);
}

/* Not yet read or written: a veil, so that the line stays one text. */
static void veil_box(const TextPlan *plan, Canvas *canvas, const FlowBox *box, float middle)
{
    Rect rect = box_rect(plan, box, middle);
    canvas_fill(canvas, rect, 0, color_fade(plan->frame->theme->background, 0.62f));
}

/* A word that the person hid is struck out; one that they gave bears a dot. */
static void mark_box(const TextPlan *plan, Canvas *canvas, const TextPart *part, const FlowBox *box,
                     float middle)
{
    const TraceAxis *axis = trace_axis(plan->frame->trace, part->axis);
    uint8_t flags = axis->flags ? axis->flags[box->token] : 0;
    float u = view_unit(plan->frame);
    Rect rect = box_rect(plan, box, middle);
    if (flags & TRACE_TOKEN_HIDDEN)
        canvas_line(canvas, (Point){rect.x, middle}, (Point){rect.x + rect.w, middle},
                    (Stroke){plan->frame->theme->warning, 1.5f * u, 0});
    if (flags & TRACE_TOKEN_FORCED)
        view_draw_changed(plan->frame, canvas, (Point){rect.x + rect.w / 2, rect.y + rect.h});
}

static void tag_box(const TextPlan *plan, Canvas *canvas, const TextPart *part, const FlowBox *box,
                    float middle)
{
    const TraceAxis *axis = trace_axis(plan->frame->trace, part->axis);
    if (axis->labels)
        canvas_tag(canvas, box_rect(plan, box, middle), TAG_CELL, axis->labels[box->token],
                   part->values ? view_number((double)part->values[box->token], 3).text : NULL);
}

/* Only where a model said so about a person's text: dumps mark what they like. */
static bool is_unknown(const TextPlan *plan, const TextPart *part, int32_t token)
{
    const TraceAxis *axis = trace_axis(plan->frame->trace, part->axis);
    return axis->flags && axis->flags[token] & TRACE_TOKEN_UNKNOWN && axis->spans;
}

static void draw_line(const TextPlan *plan, Canvas *canvas, const TextPart *part,
                      const FlowLine *line, float middle)
{
    const FlowBox *boxes = part->flow->boxes + line->first_box;
    for (int32_t i = 0; i < line->n_boxes; i++)
        shade_box(plan, canvas, part, &boxes[i], middle);
    TextStyle style = theme_text(plan->frame->theme);
    style.size = plan->frame->theme->input_size;
    Point at = {plan->place.x + plan->indent + line->x, middle + view_baseline(&style)};
    canvas_text(canvas, at, line->text, style);
    for (int32_t i = 0; i < line->n_boxes; i++) {
        if (boxes[i].token >= part->ghosts_from)
            veil_box(plan, canvas, &boxes[i], middle);
        if (is_unknown(plan, part, boxes[i].token))
            text_draw_unknown(plan, canvas, box_rect(plan, &boxes[i], middle));
        mark_box(plan, canvas, part, &boxes[i], middle);
        tag_box(plan, canvas, part, &boxes[i], middle);
    }
}

Rect text_bar(const TextPlan *plan, float middle, float half)
{
    float u = view_unit(plan->frame), w = 60 * u;
    float x = plan->is_mirrored ? plan->place.x + plan->place.w - w : plan->place.x;
    return (Rect){x, middle - half, w, 2 * half};
}

static void draw_sentence_bar(const TextPlan *plan, Canvas *canvas, const TextPart *part,
                              int32_t block, float top)
{
    float u = view_unit(plan->frame);
    float weight = plan->sentences[part->blocks[block].item];
    if (plan->longest <= 0)
        return; /* nothing has been looked at */
    float share = plan->longest > 0 ? weight / plan->longest : 0;
    Rect place = text_bar(plan, top + part->flow->block_top[block], 4.5f * u), bar = place;
    if (plan->is_mirrored) { /* it grows away from the text as well */
        bar.w = fmaxf(place.w * share, u);
        bar.x += place.w - bar.w;
        share = 1;
    }
    view_draw_bar(plan->frame, canvas, bar, share, plan->frame->theme->warning);
    canvas_tag(canvas, place, TAG_LABEL, "sentence", view_number((double)weight, 3).text);
}

void text_draw_part(const TextPlan *plan, Canvas *canvas, const TextPart *part)
{
    float u = view_unit(plan->frame), top = plan->place.y + part->top - plan->scroll;
    if (part->caption != WORD_COUNT) {
        TextStyle caption = theme_caption(plan->frame->theme);
        canvas_text(canvas, (Point){plan->place.x + plan->indent, top - 8 * u},
                    view_word(plan->frame, part->caption), caption);
    }
    int32_t first, end;
    flow_visible(part->flow, plan->place.y - top, plan->place.y + plan->place.h - top, &first,
                 &end);
    for (int32_t i = first; i < end; i++)
        draw_line(plan, canvas, part, &part->flow->lines[i], top + part->flow->lines[i].middle);
    if (plan->support && part == &plan->parts[plan->main])
        text_draw_support(plan, canvas, part, top);
    if (part == &plan->parts[plan->main])
        text_draw_vectors(plan, canvas, part, top);
    if (!text_has_bars(plan) || part != &plan->parts[plan->main])
        return;
    Rect seen = rect_inset(plan->place, 0, -26 * u);
    for (int32_t i = 0; i < part->n_blocks; i++) {
        float y = top + part->flow->block_top[i];
        if (part->blocks[i].item >= 0 && y >= seen.y && y <= seen.y + seen.h)
            draw_sentence_bar(plan, canvas, part, i, top);
    }
}

/* ---- minimap ---- */

enum { MAP_COLS = 48 };

/* A line's tokens as a row of cells. */
static void map_line(const TextPlan *plan, const TextPart *part, const FlowLine *line, float width,
                     Color *cells)
{
    const FlowBox *boxes = part->flow->boxes + line->first_box;
    Color word = color_mix(plan->frame->theme->background, plan->frame->theme->muted, 0.18f);
    for (int32_t i = 0; i < line->n_boxes; i++) {
        int from = (int)(boxes[i].x / width * MAP_COLS);
        int to = (int)((boxes[i].x + boxes[i].width) / width * MAP_COLS);
        float value = part->values ? part->values[boxes[i].token] : 0;
        Color shade = shade_color(&plan->shade, value, 0);
        bool is_shaded = color_contrast(shade, plan->frame->theme->background) > 1.12f;
        for (int k = from < 0 ? 0 : from; k <= to && k < MAP_COLS; k++)
            cells[k] = is_shaded ? shade : word;
    }
}

static void map_part(const TextPlan *plan, Canvas *canvas, const TextPart *part, float scale)
{
    float width = plan->place.w - plan->gutter;
    int32_t n = part->flow->n_lines;
    for (int32_t i = 0; i < n; i++) {
        Color cells[MAP_COLS] = {0};
        const FlowLine *line = &part->flow->lines[i];
        map_line(plan, part, line, fmaxf(width, 1), cells);
        float middle = plan->minimap.y + (part->top + line->middle) * scale;
        float h = fmaxf(26 * view_unit(plan->frame) * scale * 0.7f, 1);
        canvas_cells(canvas, (Rect){plan->minimap.x, middle - h / 2, plan->minimap.w, h}, 1,
                     MAP_COLS, cells);
    }
}

void text_draw_minimap(const TextPlan *plan, Canvas *canvas)
{
    if (rect_is_empty(plan->minimap))
        return;
    float u = view_unit(plan->frame);
    float scale = fminf(plan->minimap.h / plan->height, 0.16f);
    for (int i = 0; i < plan->n_parts; i++)
        map_part(plan, canvas, &plan->parts[i], scale);
    Rect seen = {plan->minimap.x - 4 * u, plan->minimap.y + plan->scroll * scale,
                 plan->minimap.w + 8 * u, plan->place.h * scale};
    canvas_fill(canvas, seen, 3 * u, color_fade(plan->frame->theme->accent, 0.1f));
    canvas_frame(canvas, seen, 3 * u, (Stroke){color_fade(plan->frame->theme->accent, 0.6f), u, 0});
    canvas_tag(canvas, plan->minimap, TAG_SLIDER, "minimap", NULL);
}

/* ---- classes ---- */

enum { CLASSES_SHOWN = 10, MASS_COLUMN = 46, MASS_LEGEND = 46 /* of the legend below */ };

static int shown_classes(const ViewFrame *frame)
{
    int32_t n = trace_n_classes(frame->trace);
    return n < CLASSES_SHOWN ? (int)n : CLASSES_SHOWN;
}

/* Attention on what names each candidate, beside its probability; NULL: not known. */
static const TraceTensor *mass_of(const ViewFrame *frame)
{
    const TraceTensor *mass = trace_find(frame->trace, "candidate.mass");
    bool fits = mass && mass->rank == 1 &&
                trace_axis(frame->trace, mass->axis[0])->len == trace_n_classes(frame->trace);
    return fits ? mass : NULL;
}

float text_classes_width(const ViewFrame *frame)
{
    return view_unit(frame) * (mass_of(frame) ? 262 : 196);
}

float text_classes_height(const ViewFrame *frame)
{
    return view_unit(frame) *
           (20 + 21 * (float)shown_classes(frame) + (mass_of(frame) ? MASS_LEGEND : 0));
}

typedef struct Candidate {
    const TraceClass *class_;
    double mass; /* NaN: not known */
} Candidate;

/* The classes by falling probability, then in their own order. */
static int by_falling_probability(const void *a, const void *b)
{
    const TraceClass *x = ((const Candidate *)a)->class_, *y = ((const Candidate *)b)->class_;
    double p = x->probability, q = y->probability;
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

static bool are_numbers(const Trace *trace)
{
    for (int32_t i = 0; i < trace_n_classes(trace); i++) {
        const char *label = trace_class(trace, i)->label;
        double value;
        if (number_parse(label, strlen(label), &value) != strlen(label))
            return false;
    }
    return true;
}

/* Numbers that all fit keep their order: stars read as a scale. `mass`: by class, or NULL. */
static Candidate *candidates(const TextPlan *plan, const float *mass)
{
    const Trace *trace = plan->frame->trace;
    int32_t n = trace_n_classes(trace);
    Candidate *sorted = arena_get(plan->arena, (size_t)n + 1, sizeof *sorted);
    for (int32_t i = 0; i < n; i++)
        sorted[i] = (Candidate){trace_class(trace, i), mass ? (double)mass[i] : NAN};
    if (n > CLASSES_SHOWN || !are_numbers(trace))
        qsort(sorted, (size_t)n, sizeof *sorted, by_falling_probability);
    return sorted;
}

const TraceClass *const *text_classes(const TextPlan *plan, int *n)
{
    const Candidate *all = candidates(plan, NULL);
    *n = shown_classes(plan->frame);
    const TraceClass **classes = arena_get(plan->arena, (size_t)*n + 1, sizeof *classes);
    for (int i = 0; i < *n; i++)
        classes[i] = all[i].class_;
    return classes;
}

static bool is_likeliest(const Trace *trace, const TraceClass *class_)
{
    const Candidate it = {class_, NAN};
    for (int32_t i = 0; i < trace_n_classes(trace); i++)
        if (by_falling_probability(&(const Candidate){trace_class(trace, i), NAN}, &it) < 0)
            return false;
    return true;
}

/* Of a candidate in 0 .. 1 at the right end of its row. */
static void draw_share(const TextPlan *plan, Canvas *canvas, float right, float y, double share)
{
    TextStyle number = theme_number(plan->frame->theme);
    number.align = ALIGN_END;
    number.color = plan->frame->theme->muted;
    canvas_text(canvas, (Point){right, y + view_baseline(&number)}, view_percent(share).text,
                number);
}

static Color mass_color(const TextPlan *plan)
{
    return plan->frame->theme->warning;
}

/* The attention on it: a second bar below the first, and a second column of numbers. */
static void draw_mass(const TextPlan *plan, Canvas *canvas, const Candidate *c, Rect bar, float y)
{
    float u = view_unit(plan->frame), right = plan->classes.x + plan->classes.w;
    view_draw_bar(plan->frame, canvas, (Rect){bar.x, bar.y + bar.h + u, bar.w, 3 * u},
                  (float)c->mass, mass_color(plan));
    draw_share(plan, canvas, right, y, c->mass);
    canvas_tag(canvas, (Rect){right - MASS_COLUMN * u, y - 10 * u, MASS_COLUMN * u, 20 * u},
               TAG_ITEM, "mass", view_percent(c->mass).text);
}

static void draw_class(const TextPlan *plan, Canvas *canvas, const Candidate *c, int place)
{
    const Theme *theme = plan->frame->theme;
    const TraceClass *class_ = c->class_;
    float u = view_unit(plan->frame);
    Rect all = plan->classes;
    bool is_best = is_likeliest(plan->frame->trace, class_);
    float y = all.y + 28 * u + 21 * u * (float)place;
    bool has_mass = !isnan(c->mass);
    all.w -= has_mass ? MASS_COLUMN * u : 0;
    TextStyle label = theme_text(theme);
    label.max_width = all.w * 0.42f;
    label.bold = is_best;
    canvas_text(canvas, (Point){all.x, y + view_baseline(&label)}, class_->label, label);
    float high = has_mass ? 6 * u : 9 * u, above = has_mass ? 5 * u : 4.5f * u;
    Rect bar = {all.x + all.w * 0.45f, y - above, all.w * 0.55f - 42 * u, high};
    view_draw_bar(plan->frame, canvas, bar, (float)class_->probability,
                  is_best ? theme->accent : color_fade(theme->accent, 0.55f));
    draw_share(plan, canvas, all.x + all.w, y, class_->probability);
    canvas_tag(canvas, (Rect){all.x, y - 10 * u, all.w, 20 * u}, TAG_ITEM, class_->label,
               view_percent(class_->probability).text);
    if (has_mass)
        draw_mass(plan, canvas, c, bar, y);
}

/* Which bar and column is which. */
static void draw_mass_legend(const TextPlan *plan, Canvas *canvas)
{
    float u = view_unit(plan->frame);
    float y = plan->classes.y + plan->classes.h - (MASS_LEGEND - 16) * u;
    const struct {
        ViewWord word;
        Color color;
        float high;
    } lines[] = {{WORD_PROBABILITY_OF, plan->frame->theme->accent, 6 * u},
                 {WORD_MASS_OF, mass_color(plan), 3 * u}};
    TextStyle words = theme_caption(plan->frame->theme);
    words.max_width = plan->classes.w - 26 * u;
    for (int i = 0; i < 2; i++, y += 16 * u) {
        canvas_fill(canvas, (Rect){plan->classes.x, y - lines[i].high / 2, 18 * u, lines[i].high},
                    1.5f * u, lines[i].color);
        canvas_text(canvas, (Point){plan->classes.x + 26 * u, y + view_baseline(&words)},
                    view_word(plan->frame, lines[i].word), words);
    }
    canvas_tag(canvas, plan->classes, TAG_LABEL, "mass.legend", NULL);
}

void text_draw_classes(const TextPlan *plan, Canvas *canvas)
{
    if (rect_is_empty(plan->classes) || plan->stage < TEXT_STAGE_CLASS ||
        !text_is_answered(plan->frame))
        return;
    const TraceTensor *tensor = mass_of(plan->frame);
    const float *mass =
        tensor ? text_rank_one((TextPlan *)plan, tensor->name, tensor->axis[0]) : NULL;
    TextStyle caption = theme_caption(plan->frame->theme);
    canvas_text(canvas, (Point){plan->classes.x, plan->classes.y + 9 * view_unit(plan->frame)},
                view_word(plan->frame, mass ? WORD_ANSWERS : WORD_CLASSES), caption);
    const Candidate *all = candidates(plan, mass);
    for (int i = 0; i < shown_classes(plan->frame); i++)
        draw_class(plan, canvas, &all[i], i);
    if (mass)
        draw_mass_legend(plan, canvas);
}
