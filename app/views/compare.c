/* compare.c - two runs side by side on one scale with linked pointers, or their difference on
 * a diverging map with zero in the middle. The run that the frame's trace is compared with
 * stands first, and is subtracted: what is shown is what the change did. A hit's axis says which
 * of the two: 0 the frame's trace, 1 the other. */
#include "trace/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "views/compare.h"
#include "views/heatmap.h"

static const Setting compare_settings[] = {
    {"mode", SETTING_CHOICE, "side", 0, 0, "side|difference", "both, or the one minus the other"},
    HEATMAP_SETTINGS,
    {0},
};

/* ---- side by side ---- */

typedef struct Pair {
    char labels[2][VIEW_HIT_BYTES];
    ViewFrame frames[2];
    HeatmapPlan plans[2];
} Pair;

static bool differ(const char *a, const char *b)
{
    return a && b && *a && *b && strcmp(a, b) != 0;
}

static const char *say_which(const ViewFrame *frame, bool is_other)
{
    int32_t mine = trace_n_changes(frame->trace), theirs = trace_n_changes(frame->other);
    bool before = (mine > 0 && theirs == 0) ? is_other : !is_other;
    if ((mine > 0) != (theirs > 0))
        return view_word(frame, before ? WORD_BEFORE_CHANGES : WORD_AFTER_CHANGES);
    return view_word(frame, is_other ? WORD_FIRST_RUN : WORD_SECOND_RUN);
}

/* What tells the two apart: their models, their sentences, or which came first. */
static void run_label(const ViewFrame *frame, const Trace *trace, char room[VIEW_HIT_BYTES])
{
    const Trace *a = frame->trace, *b = frame->other;
    const char *text = trace_text(trace, "input");
    bool models = differ(view_maker(a), view_maker(b));
    bool texts = differ(trace_text(a, "input"), trace_text(b, "input"));
    const char *model = models ? view_maker(trace) : "";
    StrBuf label = {0};
    strbuf_add(&label, model);
    if (texts)
        strbuf_addf(&label, "%s\u201c%s\u201d", models ? ": " : "", text);
    if (!label.length)
        strbuf_add(&label, say_which(frame, trace == b));
    utf8_clean(label.text, label.length, room, VIEW_HIT_BYTES);
    strbuf_free(&label);
}

static GridRange join_ranges(GridRange a, GridRange b)
{
    return (GridRange){fminf(a.low, b.low), fmaxf(a.high, b.high)};
}

static void plan_pair(Pair *pair, const ViewFrame *frame)
{
    bool above = frame->area.h > frame->area.w * 1.2f; /* a tall figure stacks them */
    for (int i = 0; i < 2; i++) {
        ViewFrame *half = &pair->frames[i];
        *half = *frame;
        half->title = NULL; /* each says which run it is */
        run_label(frame, i == 0 ? frame->trace : frame->other, pair->labels[i]);
        half->label = pair->labels[i];
        half->trace = i == 0 ? frame->trace : frame->other;
        half->other = NULL;
        half->area.w *= above ? 1 : 0.5f;
        half->area.h *= above ? 0.5f : 1;
        half->area.x += above ? 0 : (float)(1 - i) * half->area.w;
        half->area.y += above ? (float)(1 - i) * half->area.h : 0;
        heatmap_plan(&pair->plans[i], half);
    }
    if (!pair->plans[0].values || !pair->plans[1].values)
        return;
    GridRange range = join_ranges(pair->plans[0].values->range, pair->plans[1].values->range);
    for (int i = 0; i < 2; i++)
        heatmap_plan_in(&pair->plans[i], &pair->frames[i], &range);
}

static void draw_pair(const ViewFrame *frame, Canvas *canvas)
{
    Pair pair;
    plan_pair(&pair, frame);
    for (int i = 0; i < 2; i++) {
        if (pair.plans[i].values)
            heatmap_draw_plan(&pair.plans[i], canvas);
        else
            view_draw_empty(&pair.frames[i], canvas, pair.plans[i].error.message);
    }
}

/* ---- difference ---- */

typedef struct Difference {
    const ViewFrame *frame;
    const Values *values; /* NULL: cannot be made */
    const Values *first;  /* of the other trace: what is subtracted */
    CompareSummary summary;
    int32_t n_other_labels;
    Shade shade;
    Matrix matrix;
    ViewNotes notes;
    char subtitle[2 * VIEW_HIT_BYTES + 16];
    Rect heading, legend, notes_place;
} Difference;

static const Values *values_of(const ViewFrame *frame, const Trace *trace)
{
    ViewFrame one = *frame;
    one.trace = trace;
    const TraceTensor *t = values_named(trace, settings_text(frame->options, "tensor"));
    if (!t)
        return NULL;
    ValuesSpec spec = values_spec(&one, t);
    Error error = {0};
    return values_get(&one, &spec, &error);
}

bool compare_values(const ViewFrame *frame, ComparedValues *out)
{
    *out = (ComparedValues){0};
    const Values *a = out->second = values_of(frame, frame->trace);
    const Values *b = out->first = frame->other ? values_of(frame, frame->other) : NULL;
    Error error = {0};
    Grid grid = {0};
    if (!a || !b || !a->grid.arena || !b->grid.arena || a->matrix.rows == 0 ||
        a->matrix.cols == 0 || !compare_shapes(&a->grid, &b->grid, &error))
        return false;
    ValuesSpec spec = values_spec(frame, a->tensor);
    ViewKey first = values_key("difference", &spec);
    ViewKey key = view_key("%s:%llu", first.text, (unsigned long long)trace_id(frame->other));
    out->difference = values_find(frame, &key);
    if (!out->difference && compare_difference(&a->grid, &b->grid, &grid, &error))
        out->difference = values_put(frame, &key, &grid);
    return out->difference != NULL;
}

static const Values *difference_values(Difference *d)
{
    ComparedValues values;
    if (!compare_values(d->frame, &values))
        return NULL;
    d->first = values.first;
    d->summary = compare_grids(&values.first->grid, &values.second->grid);
    d->n_other_labels = compare_n_other_labels(&values.first->grid, &values.second->grid);
    return values.difference;
}

static void note_difference(Difference *d)
{
    char room[SIDE_LABEL_BYTES];
    const ViewFrame *frame = d->frame;
    view_note_changes(frame, &d->notes);
    view_note(&d->notes, false, view_word(frame, WORD_COMPARE_SUMMARY),
              view_number(d->summary.jensen_shannon, 3).text,
              view_percent(d->summary.argmax_agreement).text);
    if (d->summary.worst_row >= 0)
        view_note(&d->notes, false, view_word(frame, WORD_COMPARE_WORST),
                  side_label(&d->values->rows, d->summary.worst_row, room),
                  view_number(d->summary.worst, 3).text);
    if (d->n_other_labels > 0)
        view_note(&d->notes, true, view_word(frame, WORD_COMPARE_LABELS), (int)d->n_other_labels);
}

static void place_difference(Difference *d)
{
    const ViewFrame *frame = d->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    ViewHeading heading = {view_word(frame, WORD_DIFFERENCE_TITLE), d->subtitle};
    float head = view_draw_heading(frame, NULL, content, heading) + 14 * u;
    float notes = view_draw_notes(frame, NULL, content, &d->notes);
    float below = 68 * u + notes;
    Rect area = {content.x, content.y + head, content.w, content.h - head - below};
    MatrixSpec spec = matrix_spec(frame, d->values, &d->shade, area);
    spec.camera = frame->camera;
    spec.numbers = settings_bool(frame->options, "numbers");
    spec.transposed = settings_bool(frame->options, "transpose");
    spec.tag = "difference";
    heatmap_mark_hover(frame, &spec);
    d->matrix = matrix_plan(&spec);
    const Rect *cells = &d->matrix.cells;
    float right = content.x + content.w - cells->x;
    d->heading = (Rect){cells->x, content.y, right, head};
    d->legend = (Rect){cells->x, cells->y + cells->h + 26 * u,
                       fminf(fmaxf(cells->w, 320 * u), right), 34 * u};
    d->notes_place = (Rect){cells->x, d->legend.y + 40 * u, right, notes};
}

static void plan_difference(Difference *d, const ViewFrame *frame)
{
    *d = (Difference){.frame = frame};
    d->values = difference_values(d);
    if (!d->values)
        return;
    ShadeOptions options = shade_options(frame->options);
    GridRange range = d->values->range;
    range.low = fminf(range.low, -1e-6f); /* zero stays in the middle */
    if (options.colormap == 0)
        options.colormap = 1 + (int)COLORMAP_DIVERGING;
    d->shade = shade_make(frame, options, TRACE_SCALAR, range);
    char mine[VIEW_HIT_BYTES], theirs[VIEW_HIT_BYTES];
    run_label(frame, frame->trace, mine);
    run_label(frame, frame->other, theirs);
    snprintf(d->subtitle, sizeof d->subtitle, view_word(frame, WORD_DIFFERENCE_SUBTITLE), mine,
             theirs);
    note_difference(d);
    place_difference(d);
}

static void draw_difference(const Difference *d, Canvas *canvas)
{
    const ViewFrame *frame = d->frame;
    canvas_clip_push(canvas, frame->area);
    view_draw_heading(frame, canvas, d->heading,
                      (ViewHeading){view_word(frame, WORD_DIFFERENCE_TITLE), d->subtitle});
    matrix_draw(&d->matrix, canvas);
    shade_draw_legend(frame, canvas, &d->shade, d->legend, view_word(frame, WORD_LEGEND_DIFFERENCE),
                      "");
    view_draw_notes(frame, canvas, d->notes_place, &d->notes);
    matrix_draw_crosshair(&d->matrix, canvas);
    canvas_clip_pop(canvas);
}

static ViewHit hit_difference(const Difference *d, float x, float y)
{
    ViewHit hit = {0};
    char a[SIDE_LABEL_BYTES], b[SIDE_LABEL_BYTES];
    const Values *v = d->values;
    int32_t row, col;
    if (!matrix_cell_at(&d->matrix, x, y, &row, &col))
        return hit;
    hit = (ViewHit){.kind = HIT_CELL,
                    .row = side_first(&v->rows, row),
                    .col = side_first(&v->cols, col),
                    .place = matrix_cell(&d->matrix, row, col)};
    float before = values_at(d->first, row, col), change = values_at(v, row, col);
    view_hit_add(&hit, "%s \u2190 %s", side_label(&v->rows, row, a), side_label(&v->cols, col, b));
    view_hit_add(&hit, "%s \u2192 %s (%s%s)", view_number((double)before, 3).text,
                 view_number((double)(before + change), 3).text, change > 0 ? "+" : "",
                 view_number((double)change, 3).text);
    return hit;
}

/* ---- the view ---- */

static bool wants_difference(const ViewFrame *frame)
{
    return settings_choice(frame->options, "mode") == 1;
}

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    Difference d = {0};
    if (!frame->other) {
        view_draw_empty(frame, canvas, view_word(frame, WORD_NOTHING_TO_COMPARE));
        return;
    }
    if (wants_difference(frame))
        plan_difference(&d, frame);
    if (d.values)
        draw_difference(&d, canvas);
    else
        draw_pair(frame, canvas);
    if (wants_difference(frame) && !d.values) {
        ViewNotes notes = {0};
        view_note(&notes, true, "%s", view_word(frame, WORD_COMPARE_SHAPES));
        Rect content = view_content(frame);
        view_draw_notes(frame, canvas, (Rect){content.x, frame->area.y + 4, content.w, 0}, &notes);
    }
    view_draw_tooltip(frame, canvas, &frame->hover);
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    Difference d = {0};
    if (!frame->other)
        return (ViewHit){0};
    if (wants_difference(frame))
        plan_difference(&d, frame);
    if (d.values)
        return hit_difference(&d, x, y);
    Pair pair;
    plan_pair(&pair, frame);
    for (int i = 0; i < 2; i++) {
        if (!pair.plans[i].values || !rect_contains(pair.frames[i].area, x, y))
            continue;
        ViewHit found = heatmap_hit_plan(&pair.plans[i], x, y);
        if (found.kind == HIT_CELL)
            found.axis = i;
        return found;
    }
    return (ViewHit){0};
}

static float wanted_height(const ViewFrame *frame, float width)
{
    ViewFrame tall = *frame;
    float u = view_unit(frame);
    tall.area = (Rect){0, 0, width, width};
    tall.camera = (ViewCamera){0};
    if (!frame->other)
        return 200 * u;
    Difference d = {0};
    if (wants_difference(frame))
        plan_difference(&d, &tall);
    float pad = view_content(&tall).y;
    if (d.values)
        return d.notes_place.y + d.notes_place.h + pad;
    Pair pair;
    plan_pair(&pair, &tall);
    float height = 200 * u;
    for (int i = 0; i < 2; i++)
        if (pair.plans[i].values)
            height = fmaxf(height, pair.plans[i].notes_place.y + pair.plans[i].notes_place.h + pad);
    return height;
}

static ViewPort port(const ViewFrame *frame)
{
    ViewFrame whole = *frame;
    whole.camera = (ViewCamera){0};
    Difference d = {0};
    if (!frame->other)
        return (ViewPort){0};
    if (wants_difference(frame))
        plan_difference(&d, &whole);
    if (d.values)
        return matrix_port(&d.matrix);
    Pair pair;
    plan_pair(&pair, &whole);
    return pair.plans[0].values ? matrix_port(&pair.plans[0].matrix) : (ViewPort){0};
}

static bool offers(const Trace *trace)
{
    const TraceTensor *main = values_main(trace);
    return main && main->rank > 1 &&
           trace_axis(trace, main->axis[main->rank - 1])->kind != TRACE_AXIS_GRID;
}

const View view_compare = {
    "compare", "Compare", compare_settings, offers, draw, hit, wanted_height, port, NULL,
};
