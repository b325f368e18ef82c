#include "views/multiples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/heatmap.h"

typedef struct Multiple {
    Matrix matrix; /* rows 0: nothing to draw */
    const Values *values;
    Rect title;
} Multiple;

typedef struct MultiplesPlan {
    const MultiplesSpec *spec;
    Multiple all[MULTIPLES_MAX];
    ViewFrame frames[MULTIPLES_MAX];
    Shade shade;
    int cols, rows;
    bool stacks; /* asides stand under the titles, for want of room beside one of them */
    Rect heading, grid, legend;
} MultiplesPlan;

#define LINE 18 /* of the words above a picture */

static void read_values(MultiplesPlan *plan)
{
    const MultiplesSpec *spec = plan->spec;
    GridRange range = {INFINITY, -INFINITY};
    TraceRole role = TRACE_WEIGHTS;
    for (int i = 0; i < spec->n; i++) {
        ViewFrame *frame = &plan->frames[i];
        *frame = *spec->frame;
        frame->trace = spec->traces[i];
        const TraceTensor *t = values_named(frame->trace, settings_text(frame->options, "tensor"));
        if (!t)
            continue;
        ValuesSpec values = values_spec(frame, t);
        Error error = {0};
        const Values *v = plan->all[i].values = values_get(frame, &values, &error);
        if (!v)
            continue;
        role = v->role;
        range.low = fminf(range.low, v->range.low);
        range.high = fmaxf(range.high, v->range.high);
    }
    plan->shade = shade_make(spec->frame, shade_options(spec->frame->options), role, range);
}

/* As many columns as make the pictures largest. */
static void choose_columns(MultiplesPlan *plan, Rect room)
{
    float best = 0;
    plan->cols = 1;
    for (int cols = 1; cols <= plan->spec->n && cols <= 8; cols++) {
        int rows = (plan->spec->n + cols - 1) / cols;
        float side = fminf(room.w / (float)cols, room.h / (float)rows * 1.15f);
        if (side > best) {
            best = side;
            plan->cols = cols;
        }
    }
    plan->rows = (plan->spec->n + plan->cols - 1) / plan->cols;
}

static bool asides_need_a_line(const MultiplesSpec *spec, float width)
{
    TextStyle title = theme_text(spec->frame->theme), aside = theme_caption(spec->frame->theme);
    title.bold = true;
    for (int i = 0; spec->asides && i < spec->n; i++)
        if (fonts_width(spec->frame->fonts, spec->titles[i], &title) +
                fonts_width(spec->frame->fonts, spec->asides[i], &aside) >
            width - 8 * view_unit(spec->frame))
            return true;
    return false;
}

static void place_one(MultiplesPlan *plan, int i, Rect room)
{
    int more = (plan->spec->notes ? 1 : 0) + (plan->stacks ? 1 : 0);
    float u = view_unit(plan->spec->frame), head = (20 + LINE * (float)more) * u;
    Multiple *one = &plan->all[i];
    one->title = (Rect){room.x, room.y, room.w, head};
    if (!one->values || one->values->matrix.rows == 0 || one->values->matrix.cols == 0)
        return;
    Rect area = {room.x, room.y + head, room.w, room.h - head};
    MatrixSpec spec = matrix_spec(&plan->frames[i], one->values, &plan->shade, area);
    spec.numbers = settings_bool(plan->frames[i].options, "numbers");
    heatmap_mark_step(&plan->frames[i], &spec);
    heatmap_mark_hover(&plan->frames[i], &spec);
    one->matrix = matrix_plan(&spec);
    if (!plan->spec->notes) {
        one->title.x = one->matrix.cells.x;
        one->title.w = room.x + room.w - one->title.x;
    }
}

static void plan_multiples(MultiplesPlan *plan, const MultiplesSpec *spec)
{
    *plan = (MultiplesPlan){.spec = spec};
    FOVEA_CHECK(spec->n <= MULTIPLES_MAX, "%d pictures", spec->n);
    float u = view_unit(spec->frame), gap = 20 * u;
    Rect content = view_content(spec->frame);
    read_values(plan);
    float head = 0;
    if (spec->title)
        head = view_draw_heading(spec->frame, NULL, content,
                                 (ViewHeading){spec->title, spec->subtitle}) +
               12 * u;
    plan->heading = content;
    plan->legend =
        (Rect){content.x, content.y + content.h - 34 * u, fminf(content.w, 480 * u), 34 * u};
    Rect room = {content.x, content.y + head, content.w, content.h - head - 54 * u};
    choose_columns(plan, room);
    plan->grid = room;
    float w = (room.w - gap * (float)(plan->cols - 1)) / (float)plan->cols;
    float h = (room.h - gap * (float)(plan->rows - 1)) / (float)plan->rows;
    plan->stacks = asides_need_a_line(spec, w);
    for (int i = 0; i < spec->n; i++)
        place_one(plan, i,
                  (Rect){room.x + (w + gap) * (float)(i % plan->cols),
                         room.y + (h + gap) * (float)(i / plan->cols), w, h});
}

static void draw_words(const MultiplesPlan *plan, int i, Canvas *canvas)
{
    const MultiplesSpec *spec = plan->spec;
    const ViewFrame *frame = spec->frame;
    float u = view_unit(frame);
    Rect place = plan->all[i].title;
    TextStyle title = theme_text(frame->theme), small = theme_caption(frame->theme);
    title.bold = true;
    small.color = frame->theme->muted;
    float baseline = place.y + title.size;
    title.max_width = place.w;
    canvas_text(canvas, (Point){place.x, baseline}, spec->titles[i], title);
    small.max_width = place.w;
    if (spec->asides && plan->stacks) {
        canvas_text(canvas, (Point){place.x, baseline += LINE * u}, spec->asides[i], small);
    } else if (spec->asides) {
        small.align = ALIGN_END;
        canvas_text(canvas, (Point){place.x + place.w, baseline}, spec->asides[i], small);
        small.align = ALIGN_START;
    }
    if (spec->notes)
        canvas_text(canvas, (Point){place.x, baseline += LINE * u}, spec->notes[i], small);
    if (!plan->all[i].values)
        canvas_text(canvas, (Point){place.x, baseline + 28 * u},
                    view_word(frame, WORD_NO_ATTENTION), small);
}

void multiples_draw(const MultiplesSpec *spec, Canvas *canvas)
{
    MultiplesPlan *plan = memory_new(1, sizeof *plan);
    plan_multiples(plan, spec);
    const ViewFrame *frame = spec->frame;
    canvas_clip_push(canvas, frame->area);
    if (spec->title)
        view_draw_heading(frame, canvas, plan->heading, (ViewHeading){spec->title, spec->subtitle});
    for (int i = 0; i < spec->n; i++) {
        const Multiple *one = &plan->all[i];
        draw_words(plan, i, canvas);
        matrix_draw(&one->matrix, canvas);
        if (one->values && one->matrix.rows > 0)
            matrix_draw_crosshair(&one->matrix, canvas);
    }
    shade_draw_legend(frame, canvas, &plan->shade, plan->legend,
                      view_word(frame, WORD_LEGEND_WEIGHT), "");
    view_draw_tooltip(frame, canvas, &frame->hover);
    canvas_clip_pop(canvas);
    free(plan);
}

/* What stands above a picture, whole. */
static void hit_words(const MultiplesPlan *plan, int i, ViewHit *hit)
{
    const MultiplesSpec *spec = plan->spec;
    TextStyle style = theme_muted(spec->frame->theme);
    *hit = (ViewHit){.kind = HIT_ITEM, .axis = -1, .row = i, .place = plan->all[i].title};
    hit->place.w = 0; /* beside its left end */
    view_hit_add(hit, "%s", spec->titles[i]);
    if (spec->asides && spec->asides[i][0])
        view_hit_add(hit, "%s", spec->asides[i]);
    const char *rest = spec->notes ? spec->notes[i] : "";
    for (size_t n = strlen(rest); n > 0;) {
        size_t taken =
            fonts_break_line(spec->frame->fonts, rest, n, &style, 300 * view_unit(spec->frame));
        view_hit_add(hit, "%.*s", (int)taken, rest);
        rest += taken;
        n -= taken;
    }
}

int multiples_hit(const MultiplesSpec *spec, float x, float y, ViewHit *hit)
{
    MultiplesPlan *plan = memory_new(1, sizeof *plan);
    plan_multiples(plan, spec);
    int found = -1;
    *hit = (ViewHit){0};
    for (int i = 0; i < spec->n && found < 0; i++) {
        const Multiple *one = &plan->all[i];
        int32_t row, col;
        char a[SIDE_LABEL_BYTES], b[SIDE_LABEL_BYTES];
        if (spec->notes && rect_contains(one->title, x, y)) {
            hit_words(plan, i, hit);
            found = i;
        }
        if (found >= 0 || !one->values || !matrix_cell_at(&one->matrix, x, y, &row, &col))
            continue;
        const Values *v = one->values;
        found = i;
        *hit = (ViewHit){.kind = HIT_CELL,
                         .axis = i,
                         .row = side_first(&v->rows, row),
                         .col = side_first(&v->cols, col),
                         .place = matrix_cell(&one->matrix, row, col)};
        view_hit_add(hit, "%s \u2190 %s", side_label(&v->rows, row, a),
                     side_label(&v->cols, col, b));
        view_hit_add(hit, "%s: %s", spec->titles[i],
                     view_number((double)values_at(v, row, col), 3).text);
    }
    free(plan);
    return found;
}

float multiples_wanted_height(const MultiplesSpec *spec, float width)
{
    float u = view_unit(spec->frame);
    int cols = spec->n < 3 ? (spec->n > 0 ? spec->n : 1) : width > 700 * u ? 3 : 2;
    int rows = (spec->n + cols - 1) / cols;
    return 130 * u + (float)rows * (width / (float)cols) * 0.9f;
}

static void write_one(const Values *v, const char *title, Table *table)
{
    char room[SIDE_LABEL_BYTES];
    for (int32_t i = 0; i < v->rows.n; i++)
        for (int32_t j = 0; j < v->cols.n; j++) {
            table_add_text(table, title);
            table_add_text(table, side_label(&v->rows, i, room));
            table_add_text(table, side_label(&v->cols, j, room));
            table_add_float(table, values_at(v, i, j));
            table_end_row(table);
        }
}

void multiples_write(const MultiplesSpec *spec, Table *table)
{
    static const char *const names[] = {"run", "row", "column", "weight"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        table_add_text(table, names[k]);
    table_end_row(table);
    MultiplesPlan *plan = memory_new(1, sizeof *plan);
    plan->spec = spec;
    read_values(plan);
    for (int i = 0; i < spec->n; i++)
        if (plan->all[i].values)
            write_one(plan->all[i].values, spec->titles[i], table);
    free(plan);
}
