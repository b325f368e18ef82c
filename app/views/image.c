#include "views/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const Setting image_settings[] = {
    {"overlay", SETTING_CHOICE, "tint", 0, 0, "tint|veil",
     "colour where it looks, or darken where it does not"},
    {"grid", SETTING_CHOICE, "cells", 0, 0, "cells|smooth", "the weights as they are, or blurred"},
    {"seen", SETTING_BOOL, "no", 0, 0, NULL, "only what the glimpses have seen so far"},
    {"path", SETTING_BOOL, "yes", 0, 0, NULL, "earlier glimpses and the way between them"},
    {"runs", SETTING_BOOL, "yes", 0, 0, NULL, "the ways that further drawn runs took"},
    {"strip", SETTING_BOOL, "yes", 0, 0, NULL, "all steps as small pictures"},
    {"gamma", SETTING_REAL, "1", 0.1, 5, NULL, "below 1 shows more of small weights"},
    {0},
};

/* ---- what there is ---- */

static const TraceTensor *find_grid(const Trace *trace, int32_t *rows, int32_t *cols)
{
    for (int32_t i = 0; i < trace_n_tensors(trace); i++) {
        const TraceTensor *t = trace_tensor(trace, i);
        const TraceAxis *last = trace_axis(trace, t->axis[t->rank - 1]);
        if (last->kind != TRACE_AXIS_GRID || t->role != TRACE_WEIGHTS)
            continue;
        *rows = last->rows;
        *cols = last->cols;
        return t;
    }
    return NULL;
}

static bool has_boxes(const Trace *trace)
{
    for (int32_t i = 0; i < trace_n_steps(trace); i++)
        if (trace_step(trace, i)->n_boxes > 0)
            return true;
    return false;
}

static const TraceTensor *find_of_rank(const Trace *trace, const char *name, int32_t rank)
{
    const TraceTensor *t = trace_find(trace, name);
    return t && t->rank == rank ? t : NULL;
}

const float *image_weights(const ImagePlan *plan, int32_t step)
{
    const Trace *trace = plan->frame->trace;
    if (!plan->grid)
        return NULL;
    ValuesSpec spec = values_spec(plan->frame, plan->grid);
    int32_t at[TRACE_MAX_RANK];
    for (int32_t d = 0; d < TRACE_MAX_RANK; d++)
        at[d] = spec.at[d] < 0 ? 0 : spec.at[d];
    TraceMatrix matrix = trace_matrix(trace, plan->grid, at);
    if (step < 0 || step >= matrix.rows)
        return NULL;
    float *out = arena_get(plan->arena, (size_t)matrix.cols + 1, sizeof *out);
    trace_matrix_read(&matrix, step, 0, matrix.cols, out);
    return out;
}

static void find_peak(ImagePlan *plan)
{
    for (int32_t i = 0; i < plan->n_steps; i++) {
        const float *w = image_weights(plan, i);
        for (int32_t k = 0; w && k < plan->grid_rows * plan->grid_cols; k++)
            if (isfinite(w[k]))
                plan->peak = fmaxf(plan->peak, w[k]);
    }
}

/* ---- places ---- */

static Rect fit(Rect room, float w, float h)
{
    float scale = fminf(room.w / w, room.h / h);
    return (Rect){room.x, room.y, w * scale, h * scale};
}

static float label_height(const ImagePlan *plan)
{
    return 18 * view_unit(plan->frame);
}

/* Pictures of the strip as large as fits into `height`. */
static void size_strip(ImagePlan *plan, float width, float height)
{
    float u = view_unit(plan->frame), gap = 10 * u;
    float aspect = (float)plan->image->height / (float)plan->image->width;
    plan->thumb = 0;
    for (int32_t per_row = 1; per_row <= plan->n_steps; per_row++) {
        int32_t rows = (plan->n_steps + per_row - 1) / per_row;
        float w = (width - gap * (float)(per_row - 1)) / (float)per_row;
        float h = height / (float)rows - label_height(plan) - gap;
        float side = fminf(fminf(w, h / aspect), 150 * u);
        if (side > plan->thumb) {
            plan->thumb = side;
            plan->per_row = per_row;
        }
    }
}

Rect image_thumb(const ImagePlan *plan, int32_t i)
{
    float gap = 10 * view_unit(plan->frame);
    float aspect = (float)plan->image->height / (float)plan->image->width;
    float pitch_y = plan->thumb * aspect + label_height(plan) + gap;
    return (Rect){plan->strip.x + (float)(i % plan->per_row) * (plan->thumb + gap),
                  plan->strip.y + (float)(i / plan->per_row) * pitch_y, plan->thumb,
                  plan->thumb * aspect};
}

static void place_parts(ImagePlan *plan)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    view_place_changes(frame, &content, &plan->notes, &plan->notes_place);
    ViewHeading heading = {plan->title, plan->subtitle};
    float head = view_draw_heading(frame, NULL, content, heading) + 12 * u;
    plan->heading = content;
    Rect rest = {content.x, content.y + head, content.w, content.h - head};
    bool has_side = plan->patches || plan->verdicts || trace_n_classes(frame->trace) > 0;
    float side = has_side ? fminf(260 * u, rest.w * 0.4f) : 0;
    float below = plan->grid ? 52 * u : 8 * u;
    bool has_strip = plan->n_steps > 1 && settings_bool(frame->options, "strip");
    float main_share = has_strip ? 0.62f : 1;
    Rect room = {rest.x, rest.y, rest.w - side - (has_side ? 28 * u : 0),
                 (rest.h - below) * main_share};
    plan->picture = fit(room, (float)plan->image->width, (float)plan->image->height);
    plan->side = (Rect){plan->picture.x + plan->picture.w + 28 * u, rest.y, side, plan->picture.h};
    plan->legend =
        (Rect){rest.x, plan->picture.y + plan->picture.h + 12 * u, fminf(rest.w, 480 * u), 34 * u};
    float y = plan->picture.y + plan->picture.h + below;
    plan->strip = (Rect){rest.x, y, rest.w, fmaxf(rest.y + rest.h - y, 0)};
    if (has_strip)
        size_strip(plan, plan->strip.w, plan->strip.h);
}

Point image_point(const ImagePlan *plan, Rect picture, float x, float y)
{
    (void)plan;
    return (Point){picture.x + x * picture.w, picture.y + y * picture.h};
}

/* ---- plan ---- */

static void write_words(ImagePlan *plan)
{
    const ViewFrame *frame = plan->frame;
    bool glimpses = has_boxes(frame->trace);
    plan->title = view_word(frame, glimpses ? WORD_IMAGE_GLIMPSES : WORD_IMAGE_GRID);
    if (plan->n_steps == 0)
        return;
    char where[96];
    const TraceStep *step = trace_step(frame->trace, plan->step);
    if (glimpses)
        snprintf(where, sizeof where, view_word(frame, WORD_IMAGE_GLIMPSE), (int)plan->step + 1,
                 (int)plan->n_steps);
    else
        snprintf(where, sizeof where, view_word(frame, WORD_IMAGE_WORD), (int)plan->step + 1,
                 step->token);
    const char *model = view_attribute(frame->trace, "model");
    snprintf(plan->subtitle, sizeof plan->subtitle, "%s%s%s", where, model[0] ? " \u00b7 " : "",
             model);
}

static void make_shade(ImagePlan *plan)
{
    const Theme *theme = plan->frame->theme;
    plan->shade = shade_make(plan->frame, (ShadeOptions){.gamma = 1}, TRACE_WEIGHTS,
                             (GridRange){0, plan->peak});
    plan->shade.range.gamma = (float)settings_real(plan->frame->options, "gamma");
    for (int i = 0; i < COLORMAP_SAMPLES; i++) {
        float t = (float)i / (COLORMAP_SAMPLES - 1);
        plan->shade.map.table[i] = plan->veils
                                       ? color_mix(0x202020FF, 0xF4F4F4FF, t)
                                       : color_mix(theme->background, IMAGE_MARK, 0.85f * t);
    }
}

void image_plan(ImagePlan *plan, const ViewFrame *frame)
{
    const Trace *trace = frame->trace;
    *plan = (ImagePlan){.frame = frame, .arena = arena_new()};
    plan->veils = settings_choice(frame->options, "overlay") == 1;
    plan->smooth = settings_choice(frame->options, "grid") == 1;
    const TraceImage *image = trace_image(trace);
    if (!image || image->width == 0 || image->height == 0) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_IMAGE));
        return;
    }
    plan->image = image;
    plan->n_steps = trace_n_steps(trace);
    plan->step = frame->step < 0 ? 0 : frame->step;
    if (plan->step >= plan->n_steps)
        plan->step = plan->n_steps > 0 ? plan->n_steps - 1 : 0;
    plan->grid = find_grid(trace, &plan->grid_rows, &plan->grid_cols);
    plan->patches = find_of_rank(trace, "glimpse.patches", 3);
    plan->verdicts = find_of_rank(trace, "class.probabilities", 2);
    plan->places = find_of_rank(trace, "paths.locations", 3);
    plan->taken = find_of_rank(trace, "paths.cells", 2);
    find_peak(plan);
    make_shade(plan);
    write_words(plan);
    place_parts(plan);
}

void image_plan_free(ImagePlan *plan)
{
    arena_free(plan->arena);
}

/* ---- the view ---- */

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    ImagePlan plan;
    image_plan(&plan, frame);
    if (!plan.image) {
        view_draw_empty(frame, canvas, plan.error.message);
        image_plan_free(&plan);
        return;
    }
    if (frame->is_in_strip) {
        image_draw_film(&plan, canvas);
        image_plan_free(&plan);
        return;
    }
    view_draw_heading(frame, canvas, plan.heading, (ViewHeading){plan.title, plan.subtitle});
    image_draw_picture(&plan, canvas, plan.picture, plan.step, false);
    canvas_tag(canvas, plan.picture, TAG_HEATMAP, "picture", NULL);
    if (plan.grid)
        shade_draw_legend(frame, canvas, &plan.shade, plan.legend,
                          view_word(frame, WORD_LEGEND_WEIGHT), "");
    image_draw_side(&plan, canvas);
    image_draw_strip(&plan, canvas);
    view_draw_notes(frame, canvas, plan.notes_place, &plan.notes);
    view_draw_tooltip(frame, canvas, &frame->hover);
    image_plan_free(&plan);
}

static ViewHit picture_hit(const ImagePlan *plan, float x, float y)
{
    ViewHit hit = {.kind = HIT_POINT, .place = {x, y, 1, 1}};
    hit.x = (x - plan->picture.x) / plan->picture.w;
    hit.y = (y - plan->picture.y) / plan->picture.h;
    const float *weights = image_weights(plan, plan->step);
    if (!weights) {
        view_hit_add(&hit, "x %s, y %s", view_number((double)hit.x, 2).text,
                     view_number((double)hit.y, 2).text);
        return hit;
    }
    int32_t row = (int32_t)(hit.y * (float)plan->grid_rows);
    int32_t col = (int32_t)(hit.x * (float)plan->grid_cols);
    float w = plan->picture.w / (float)plan->grid_cols,
          h = plan->picture.h / (float)plan->grid_rows;
    hit.kind = HIT_CELL;
    hit.row = plan->step;
    hit.col = row * plan->grid_cols + col;
    hit.place = (Rect){plan->picture.x + (float)col * w, plan->picture.y + (float)row * h, w, h};
    view_hit_add(&hit, view_word(plan->frame, WORD_IMAGE_CELL), (int)row + 1, (int)col + 1);
    view_hit_add(&hit, "%s %s", view_word(plan->frame, WORD_WEIGHT),
                 view_number((double)weights[hit.col], 3).text);
    int32_t n_runs;
    int32_t n = image_count_taken(plan, plan->step, hit.col, &n_runs);
    if (n_runs > 0)
        view_hit_add(&hit, view_word(plan->frame, WORD_IMAGE_TAKEN), (int)n, (int)n_runs);
    return hit;
}

static ViewHit hit_plan(const ImagePlan *plan, float x, float y)
{
    if (rect_contains(plan->picture, x, y))
        return picture_hit(plan, x, y);
    for (int32_t i = 0; plan->thumb > 0 && i < plan->n_steps; i++) {
        Rect thumb = image_thumb(plan, i);
        if (!rect_contains(thumb, x, y))
            continue;
        ViewHit hit = {.kind = HIT_STEP, .row = i, .place = thumb};
        view_hit_add(&hit, view_word(plan->frame, WORD_STEP_OF), (int)i + 1, (int)plan->n_steps);
        return hit;
    }
    return (ViewHit){0};
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    ImagePlan plan;
    image_plan(&plan, frame);
    ViewHit found = plan.image ? hit_plan(&plan, x, y) : (ViewHit){0};
    image_plan_free(&plan);
    return found;
}

static float wanted_height(const ViewFrame *frame, float width)
{
    const TraceImage *image = trace_image(frame->trace);
    float u = view_unit(frame);
    if (frame->is_in_strip && image && image->width > 0)
        return (width - 2 * IMAGE_FILM_GAP * u) * (float)image->height / (float)image->width +
               (2 * IMAGE_FILM_GAP + IMAGE_FILM_LABEL) * u;
    ViewNotes notes = {0};
    view_note_changes(frame, &notes);
    Rect line = {0, 0, width, 0};
    return width * 0.9f + 60 * u + view_draw_notes(frame, NULL, line, &notes);
}

static bool offers(const Trace *trace)
{
    return trace_image(trace) != NULL;
}

const View view_image = {
    "image", "Image", image_settings, offers, draw, hit, wanted_height, NULL, NULL,
};
