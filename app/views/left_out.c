#include "views/left_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "views/heatmap.h"

#define ROW    26.0f
#define BESIDE 680.0f /* wider than this, the points stand beside the table */
#define NUMBER 52.0f
#define POINTS 300.0f

typedef struct LeftOutPlan {
    const LeftOutSpec *spec;
    float u, most_weight, most_effect;
    ViewNotes notes; /* what was changed about the run */
    Rect heading, table, points, notes_place;
    float word_w, weight_w, effect_w; /* columns; the outputs take what is left */
    char subtitle[200];
} LeftOutPlan;

static void add_correlation(LeftOutPlan *p, ViewWord word, double value)
{
    size_t n = strlen(p->subtitle);
    if (isfinite(value))
        snprintf(p->subtitle + n, sizeof p->subtitle - n, "%s%s %s", n > 0 ? " · " : "",
                 view_word(p->spec->frame, word), view_number(value, 2).text);
}

static void plan_left_out(LeftOutPlan *p, const LeftOutSpec *spec)
{
    const ViewFrame *frame = spec->frame;
    *p = (LeftOutPlan){.spec = spec, .u = view_unit(frame)};
    add_correlation(p, WORD_LEFT_OUT_TAU, spec->kendall);
    add_correlation(p, WORD_LEFT_OUT_RHO, spec->spearman);
    add_correlation(p, WORD_LEFT_OUT_ROWS, spec->row_kendall);
    Rect rest = view_content(frame);
    ViewHeading heading = {view_word(frame, WORD_LEFT_OUT_TITLE), p->subtitle};
    p->heading = rest;
    float head = view_draw_heading(frame, NULL, rest, heading) + 12 * p->u;
    rest.y += head;
    rest.h -= head;
    p->table = p->points = rest;
    p->table.h = (float)(spec->n + 1) * ROW * p->u;
    if (rest.w > BESIDE * p->u) {
        p->table.w = floorf(rest.w * 0.6f);
        p->points.x += p->table.w + 32 * p->u;
        p->points.w -= p->table.w + 32 * p->u;
        p->points.h = fminf(POINTS * p->u, fmaxf(180 * p->u, rest.h));
    } else {
        p->points.y += p->table.h + 24 * p->u;
        p->points.h = POINTS * p->u;
    }
    if (frame->trace)
        view_note_changes(frame, &p->notes);
    p->notes_place = p->heading;
    p->notes_place.y = fmaxf(p->table.y + p->table.h, p->points.y + p->points.h) + 10 * p->u;
    p->notes_place.h = view_draw_notes(frame, NULL, p->notes_place, &p->notes);
    p->word_w = fminf(120 * p->u, p->table.w * 0.2f);
    p->weight_w = p->effect_w = p->table.w * 0.22f;
    for (int i = 0; i < spec->n; i++) {
        p->most_weight = fmaxf(p->most_weight, spec->weights[i]);
        if (isfinite(spec->effects[i]))
            p->most_effect = fmaxf(p->most_effect, fabsf(spec->effects[i]));
    }
}

static Rect row_place(const LeftOutPlan *p, int i)
{
    float h = ROW * p->u;
    return (Rect){p->table.x, p->table.y + (float)(i + 1) * h, p->table.w, h};
}

/* ---- the table ---- */

static void put_text(const LeftOutPlan *p, Canvas *canvas, Rect place, const char *text,
                     TextStyle style)
{
    style.max_width = place.w;
    float x = style.align == ALIGN_END ? place.x + place.w : place.x;
    canvas_text(canvas, (Point){x, place.y + place.h / 2 + view_baseline(&style)}, text, style);
    (void)p;
}

/* A classifier and a reader write nothing. */
static bool has_verdict(const ViewFrame *frame)
{
    return frame->trace && trace_n_classes(frame->trace) > 0;
}

static void draw_header(const LeftOutPlan *p, Canvas *canvas)
{
    const ViewFrame *frame = p->spec->frame;
    TextStyle style = theme_caption(frame->theme);
    Rect row = {p->table.x, p->table.y, p->table.w, ROW * p->u};
    float x = row.x + p->word_w, gap = 12 * p->u;
    put_text(p, canvas, (Rect){x, row.y, p->weight_w - gap, row.h},
             view_word(frame, WORD_LEFT_OUT_WEIGHT), style);
    put_text(p, canvas, (Rect){x + p->weight_w, row.y, p->effect_w - gap, row.h},
             view_word(frame, WORD_LEFT_OUT_LOST), style);
    x += p->weight_w + p->effect_w;
    put_text(p, canvas, (Rect){x, row.y, row.x + row.w - x, row.h},
             view_word(frame, has_verdict(frame) ? WORD_LEFT_OUT_VERDICT : WORD_LEFT_OUT_OUTPUT),
             style);
    canvas_fill(canvas, (Rect){row.x, row.y + row.h - 1, row.w, 1}, 0, frame->theme->line);
}

/* A bar from `zero` (a part of the room) and its number behind the room. */
static void draw_bar(const LeftOutPlan *p, Canvas *canvas, Rect place, float value, float most,
                     bool is_signed)
{
    const Theme *theme = p->spec->frame->theme;
    TextStyle style = theme_number(theme);
    style.align = ALIGN_END;
    Rect number = {place.x + place.w - (NUMBER + 12) * p->u, place.y, NUMBER * p->u, place.h};
    int digits = !is_signed || (most > 0 && most < 1) ? 3 : 2;
    put_text(p, canvas, number, view_number((double)value, digits).text, style);
    float room = number.x - place.x, zero = is_signed ? room * 0.25f : 0;
    float length = isfinite(value) && most > 0 ? value / most * (room - zero) : 0;
    length = fmaxf(length, -zero);
    float x = place.x + zero + fminf(0, length);
    canvas_fill(canvas, (Rect){x, place.y + 8 * p->u, fmaxf(1, fabsf(length)), place.h - 16 * p->u},
                2 * p->u, length < 0 ? theme->warning : theme->accent);
    if (is_signed)
        canvas_fill(canvas, (Rect){place.x + zero, place.y + 4 * p->u, 1, place.h - 8 * p->u}, 0,
                    theme->line);
}

static void draw_row(const LeftOutPlan *p, Canvas *canvas, int i)
{
    const LeftOutSpec *spec = p->spec;
    const ViewFrame *frame = spec->frame;
    Rect row = row_place(p, i);
    bool hovered = frame->hover.kind == HIT_ITEM && frame->hover.row == i && !frame->is_figure;
    if (hovered)
        canvas_fill(canvas, rect_inset(row, -6 * p->u, 0), 4 * p->u, frame->theme->hover);
    TextStyle style = theme_text(frame->theme);
    style.bold = hovered;
    float gap = 12 * p->u, x = row.x + p->word_w;
    put_text(p, canvas, (Rect){row.x, row.y, p->word_w - gap, row.h}, spec->words[i], style);
    draw_bar(p, canvas, (Rect){x, row.y, p->weight_w, row.h}, spec->weights[i], p->most_weight,
             false);
    draw_bar(p, canvas, (Rect){x + p->weight_w, row.y, p->effect_w, row.h}, spec->effects[i],
             p->most_effect, true);
    x += p->weight_w + p->effect_w;
    style = theme_muted(frame->theme);
    const char *output = spec->outputs[i];
    if (output)
        style.color = frame->theme->text;
    put_text(p, canvas, (Rect){x, row.y, row.x + row.w - x, row.h},
             output ? output : view_word(frame, WORD_LEFT_OUT_SAME), style);
    canvas_tag(canvas, row, TAG_ITEM, spec->words[i],
               view_number((double)spec->effects[i], 2).text);
}

/* ---- the points ---- */

static ChartSpec points_spec(const LeftOutPlan *p, ChartSeries *series)
{
    const LeftOutSpec *spec = p->spec;
    *series = (ChartSeries){.name = "words", .x = spec->weights, .y = spec->effects, .n = spec->n};
    return (ChartSpec){
        .frame = spec->frame,
        .area = p->points,
        .kind = CHART_POINTS,
        .x = {.title = view_word(spec->frame, WORD_LEFT_OUT_WEIGHT),
              .low = 0,
              .high = ceilf(12.5f * p->most_weight + 0.01f) / 10}, /* room for the last label */
        .y = {.title = view_word(spec->frame, WORD_LEFT_OUT_EFFECT)},
        .series = series,
        .n_series = 1,
        .labels = spec->words,
        .marker = NAN,
    };
}

void left_out_draw(const LeftOutSpec *spec, Canvas *canvas)
{
    LeftOutPlan p;
    ChartSeries series;
    plan_left_out(&p, spec);
    view_draw_heading(spec->frame, canvas, p.heading,
                      (ViewHeading){view_word(spec->frame, WORD_LEFT_OUT_TITLE), p.subtitle});
    draw_header(&p, canvas);
    for (int i = 0; i < spec->n; i++)
        draw_row(&p, canvas, i);
    ChartSpec chart = points_spec(&p, &series);
    if (spec->n > 0)
        chart_draw(&chart, canvas);
    view_draw_notes(spec->frame, canvas, p.notes_place, &p.notes);
    view_draw_tooltip(spec->frame, canvas, &spec->frame->hover);
}

ViewHit left_out_hit(const LeftOutSpec *spec, float x, float y)
{
    LeftOutPlan p;
    ChartSeries series;
    ViewHit hit = {0};
    plan_left_out(&p, spec);
    ChartSpec chart = points_spec(&p, &series);
    int which = -1, found = -1;
    for (int i = 0; i < spec->n; i++)
        if (rect_contains(row_place(&p, i), x, y))
            found = i;
    if (found < 0 && (spec->n == 0 || !chart_at(&chart, x, y, &which, &found, &hit.place)))
        return (ViewHit){0};
    hit.kind = HIT_ITEM;
    hit.row = found;
    if (hit.place.w <= 0)
        hit.place = row_place(&p, found);
    view_hit_add(&hit, "%s", spec->words[found]);
    view_hit_add(&hit, "%s %s", view_word(spec->frame, WORD_LEFT_OUT_WEIGHT),
                 view_number((double)spec->weights[found], 3).text);
    view_hit_add(&hit, "%s %s", view_word(spec->frame, WORD_LEFT_OUT_EFFECT),
                 view_number((double)spec->effects[found], 3).text);
    if (spec->outputs[found])
        view_hit_add(&hit, "%s", spec->outputs[found]);
    return hit;
}

float left_out_wanted_height(const LeftOutSpec *spec, float width)
{
    ViewFrame frame = *spec->frame;
    LeftOutSpec tall = *spec;
    LeftOutPlan p;
    frame.area = (Rect){0, 0, width, 400 * view_unit(spec->frame)};
    tall.frame = &frame;
    plan_left_out(&p, &tall);
    return p.notes_place.y + p.notes_place.h + view_content(&frame).y;
}

void left_out_write(const LeftOutSpec *spec, Table *table)
{
    static const char *const names[] = {"word", "mean weight", "effect, nats", "changes",
                                        "what is then written"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        table_add_text(table, names[k]);
    table_end_row(table);
    for (int i = 0; i < spec->n; i++) {
        table_add_text(table, spec->words[i]);
        table_add_float(table, spec->weights[i]);
        table_add_float(table, spec->effects[i]);
        table_add_int(table, spec->outputs[i] != NULL);
        table_add_text(table, spec->outputs[i] ? spec->outputs[i] : "");
        table_end_row(table);
    }
}
