#include "views/heads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Setting heads_settings[] = {
    {"sort", SETTING_CHOICE, "place", 0, 0,
     "place|entropy|distance|diagonal|previous|next|first|special|self",
     "layers by heads, or one list by a measure"},
    {"find", SETTING_CHOICE, "all", 0, 0, "all|self|previous|next|first|special|same-word",
     "heads that follow a pattern; the others fade"},
    {"summaries", SETTING_BOOL, "yes", 0, 0, NULL, "mean, maximum and rollout of each layer"},
    {"colormap", SETTING_CHOICE, "auto", 0, 0, "auto|blues|viridis|cividis|magma|grey|diverging",
     "colours of the cells"},
    {"scale", SETTING_CHOICE, "row", 0, 0, "global|row|unit",
     "one range for all, each head to its largest, or 0 to 1"},
    {"gamma", SETTING_REAL, "1", 0.1, 5, NULL, "below 1 shows more of small values"},
    {"threshold", SETTING_REAL, "0", 0, 1e6, NULL, "smaller values are left white"},
    {"tensor", SETTING_TEXT, "", 0, 0, NULL, "which tensor, by name; empty: the main one"},
    {0},
};

enum { MAX_SUMMARIES = 3 };

typedef struct HeadsPlan {
    const ViewFrame *frame;
    const HeadSet *set; /* NULL: nothing to draw */
    Arena *arena;
    const Head **order; /* [set->n] as drawn     */
    double *keys;       /* what they are sorted by; NULL: by place */
    int32_t cols;       /* of the grid of heads  */
    int n_summaries;
    const Head *summary[MAX_SUMMARIES]; /* [n_layers] each */
    ViewWord summary_name[MAX_SUMMARIES];
    HeadPattern wanted;
    Shade shade;
    float side, pitch_x, pitch_y; /* of thumbnails */
    ViewNotes notes;
    Rect heading, place, legend, notes_place;
    float height, scroll;
    char title[128], subtitle[200];
    Error error;
} HeadsPlan;

/* ---- order ---- */

typedef struct Keyed {
    double key;
    const Head *head;
} Keyed;

static int by_key(const void *a, const void *b)
{
    const Keyed *x = a, *y = b;
    bool x_nan = isnan(x->key), y_nan = isnan(y->key);
    if (x_nan != y_nan)
        return x_nan - y_nan;
    if (x->key != y->key && !x_nan)
        return (x->key > y->key) - (x->key < y->key);
    return (x->head > y->head) - (x->head < y->head);
}

/* Entropy and distance rise from sharp and near; shares fall from the purest pattern. */
static double sort_key(const MeasureHead *m, int sort)
{
    const double keys[] = {0,        m->entropy, m->distance, -m->diagonal, -m->previous,
                           -m->next, -m->first,  -m->special, -m->self};
    return keys[sort];
}

static bool is_read(const Head *head)
{
    return head->rows > 0 && head->cols > 0;
}

static void order_heads(HeadsPlan *plan)
{
    const HeadSet *set = plan->set;
    int sort = settings_choice(plan->frame->options, "sort");
    plan->order = arena_get(plan->arena, (size_t)set->n + 1, sizeof *plan->order);
    Keyed *keyed = arena_get(plan->arena, (size_t)set->n + 1, sizeof *keyed);
    for (int32_t i = 0; i < set->n; i++)
        keyed[i] = (Keyed){is_read(&set->heads[i]) ? sort_key(&set->heads[i].measures, sort) : NAN,
                           &set->heads[i]};
    if (sort > 0) {
        qsort(keyed, (size_t)set->n, sizeof *keyed, by_key);
        plan->keys = arena_get(plan->arena, (size_t)set->n + 1, sizeof *plan->keys);
    }
    for (int32_t i = 0; i < set->n; i++) {
        plan->order[i] = keyed[i].head;
        if (sort > 0)
            plan->keys[i] = fabs(keyed[i].key);
    }
}

/* ---- places ---- */

static void choose_summaries(HeadsPlan *plan)
{
    const HeadSet *set = plan->set;
    if (plan->keys || !settings_bool(plan->frame->options, "summaries") || set->layer_axis < 0)
        return;
    const Head *all[] = {set->head_axis >= 0 ? set->means : NULL,
                         set->head_axis >= 0 ? set->maxima : NULL, set->rollouts};
    static const ViewWord names[] = {WORD_MEAN, WORD_MAX, WORD_ROLLOUT_SHORT};
    for (int i = 0; i < MAX_SUMMARIES; i++)
        if (all[i]) {
            plan->summary_name[plan->n_summaries] = names[i];
            plan->summary[plan->n_summaries++] = all[i];
        }
}

/* The number of columns that makes thumbnails largest, when heads may wrap. */
static int32_t wrapped_columns(const HeadsPlan *plan, float w, float h, float caption)
{
    int32_t best = 1;
    float best_side = 0;
    for (int32_t cols = 1; cols <= plan->set->n && cols <= 64; cols++) {
        int32_t rows = (plan->set->n + cols - 1) / cols;
        float side = fminf(w / (float)cols, h / (float)rows - caption);
        if (side > best_side * 1.001f) {
            best_side = side;
            best = cols;
        }
    }
    return best;
}

static void place_grid(HeadsPlan *plan)
{
    const HeadSet *set = plan->set;
    float u = view_unit(plan->frame), left = 34 * u, top = 20 * u;
    bool wraps = plan->keys || set->layer_axis < 0 || set->head_axis < 0;
    float caption = plan->keys || set->layer_axis < 0 ? 16 * u : 0; /* under each thumbnail */
    float w = plan->place.w - (wraps ? 0 : left), h = plan->place.h - (wraps ? 0 : top);
    plan->cols = wraps ? wrapped_columns(plan, w, h, caption) : set->n_heads;
    int32_t rows = wraps ? (set->n + plan->cols - 1) / plan->cols : set->n_layers;
    float across = (float)plan->cols + (plan->n_summaries ? (float)plan->n_summaries + 0.4f : 0);
    float pitch = fminf(w / across, h / (float)rows - caption);
    pitch = fminf(fmaxf(pitch, 22 * u), 220 * u);
    plan->side = pitch - fmaxf(3 * u, pitch * 0.08f);
    plan->pitch_x = pitch;
    plan->pitch_y = pitch + caption;
    plan->height = plan->pitch_y * (float)rows + (wraps ? 0 : top);
}

static bool shows_names(const HeadsPlan *plan)
{
    return plan->keys || plan->set->layer_axis < 0 || plan->set->head_axis < 0;
}

/* Where thumbnail i of the order stands; of the summaries, column k of a layer. */
static Rect head_rect(const HeadsPlan *plan, int32_t i)
{
    bool wraps = shows_names(plan);
    float u = view_unit(plan->frame), left = wraps ? 0 : 34 * u, top = wraps ? 0 : 20 * u;
    float x = plan->place.x + left + plan->pitch_x * (float)(i % plan->cols);
    float y = plan->place.y + top - plan->scroll + plan->pitch_y * (float)(i / plan->cols);
    return (Rect){x, y, plan->side, plan->side};
}

static Rect summary_rect(const HeadsPlan *plan, int k, int32_t layer)
{
    Rect first = head_rect(plan, layer * plan->cols);
    first.x += plan->pitch_x * ((float)plan->cols + 0.4f + (float)k);
    return first;
}

/* "4 heads", of what `axis` counts */
static void count_items(const HeadsPlan *plan, int32_t axis, int32_t n, char out[48])
{
    const Trace *trace = plan->frame->trace;
    ViewWord word = n == 1 ? WORD_HEADS_ONE : WORD_HEADS_SEVERAL;
    snprintf(out, 48, view_word(plan->frame, word), (int)n,
             axis < 0
                 ? ""
                 : view_name(plan->frame, trace_axis(trace, plan->set->tensor->axis[axis])->name));
}

static void write_words(HeadsPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    const HeadSet *set = plan->set;
    const Trace *trace = frame->trace;
    const TraceTensor *t = set->tensor;
    bool both = set->layer_axis >= 0 && set->head_axis >= 0;
    char layers[48], heads[48];
    count_items(plan, set->layer_axis, both ? set->n_layers : set->n, layers);
    count_items(plan, set->head_axis, both ? set->n_heads : set->n, heads);
    snprintf(plan->title, sizeof plan->title, "%s%s%s", set->layer_axis >= 0 ? layers : "",
             both ? " \u00d7 " : "", set->head_axis >= 0 ? heads : "");
    const char *model = view_maker(trace);
    snprintf(plan->subtitle, sizeof plan->subtitle, view_word(frame, WORD_HEADS_SUBTITLE), t->name,
             (int)trace_tensor_len(trace, t, t->rank - 2),
             (int)trace_tensor_len(trace, t, t->rank - 1), model[0] ? " \u00b7 " : "", model,
             view_name(frame, settings_text(frame->options, "sort")));
}

static void place_parts(HeadsPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    view_place_changes(frame, &content, &plan->notes, &plan->notes_place);
    float head =
        view_draw_heading(frame, NULL, content, (ViewHeading){plan->title, plan->subtitle});
    plan->heading = content;
    plan->place = (Rect){content.x, content.y + head + 10 * u, content.w,
                         fmaxf(content.h - head - 64 * u, 60 * u)};
    place_grid(plan);
    ViewPort port = {plan->place, plan->place.w, plan->height, 1};
    plan->scroll = view_camera(&port, frame->camera).y;
    float end = plan->place.y + fminf(plan->height, plan->place.h);
    Rect last = plan->n_summaries ? summary_rect(plan, plan->n_summaries - 1, 0)
                                  : head_rect(plan, plan->cols - 1);
    float across = fmaxf(last.x + last.w - content.x, 560 * u);
    plan->legend = (Rect){content.x, end + 16 * u, fminf(content.w, across), 34 * u};
}

static void plan_heads(HeadsPlan *plan, const ViewFrame *frame)
{
    *plan = (HeadsPlan){.frame = frame, .arena = arena_new()};
    const TraceTensor *t = values_named(frame->trace, settings_text(frame->options, "tensor"));
    plan->set = heads_get(frame, t, &plan->error);
    if (!plan->set)
        return;
    if (plan->set->n == 0 || plan->set->heads[0].rows == 0 || plan->set->heads[0].cols == 0) {
        plan->set = NULL;
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_TOKENS));
        return;
    }
    plan->wanted = (HeadPattern)settings_choice(frame->options, "find");
    ShadeOptions options = shade_options(frame->options);
    GridRange range = {0, plan->set->peak};
    plan->shade = shade_make(frame, options, t->role, range);
    order_heads(plan);
    choose_summaries(plan);
    write_words(plan);
    place_parts(plan);
}

/* ---- drawing ---- */

/* At most one cell a pixel: [*rows, *cols] into out, the largest magnitudes. */
static void fit_thumbnail(const Head *head, float side, int32_t *rows, int32_t *cols, float *out)
{
    int32_t most = (int32_t)fmaxf(floorf(side), 1);
    *rows = head->rows < most ? head->rows : most;
    *cols = head->cols < most ? head->cols : most;
    for (int32_t i = 0; i < *rows * *cols; i++)
        out[i] = NAN;
    for (int32_t i = 0; i < head->rows; i++)
        for (int32_t j = 0; j < head->cols; j++) {
            float value = head->cells[i * head->cols + j];
            float *cell = &out[i * *rows / head->rows * *cols + j * *cols / head->cols];
            if (isnan(*cell) || fabsf(value) > fabsf(*cell))
                *cell = value;
        }
}

static void draw_thumbnail(const HeadsPlan *plan, Canvas *canvas, const Head *head, Rect place,
                           bool is_faint)
{
    float values[HEADS_SIDE * HEADS_SIDE], u = view_unit(plan->frame);
    Color cells[HEADS_SIDE * HEADS_SIDE];
    int32_t rows, cols;
    canvas_frame(canvas, rect_inset(place, -u, -u), 0, (Stroke){plan->frame->theme->line, u, 0});
    if (!is_read(head))
        return;
    fit_thumbnail(head, place.w, &rows, &cols, values);
    for (int32_t i = 0; i < rows * cols; i++) {
        cells[i] = shade_color(&plan->shade, values[i], head->peak);
        if (is_faint)
            cells[i] = shade_ghost(&plan->shade, cells[i]);
    }
    canvas_cells(canvas, place, rows, cols, cells);
}

static void name_head(const HeadsPlan *plan, const Head *head, char out[48])
{
    const Trace *trace = plan->frame->trace;
    const HeadSet *set = plan->set;
    const int32_t dims[2] = {set->layer_axis, set->head_axis}, items[2] = {head->layer, head->head};
    size_t n = 0;
    out[0] = '\0';
    for (int k = 0; k < 2; k++) {
        if (dims[k] < 0 || items[k] < 0)
            continue;
        const TraceAxis *axis = trace_axis(trace, set->tensor->axis[dims[k]]);
        int wrote = axis->labels
                        ? snprintf(out + n, 48 - n, "%s%.18s", n ? "." : "",
                                   view_name(plan->frame, axis->labels[items[k]]))
                        : snprintf(out + n, 48 - n, "%s%d", n ? "." : "", (int)items[k] + 1);
        if (wrote < 0 || n + (size_t)wrote >= 48)
            break;
        n += (size_t)wrote;
    }
}

static bool is_marked(const ViewHit *hit, const Head *head)
{
    return hit->kind == HIT_HEAD && hit->row == head->layer && hit->col == head->head;
}

static void draw_head(const HeadsPlan *plan, Canvas *canvas, const Head *head, Rect place)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    if (place.y > plan->place.y + plan->place.h || place.y + plan->pitch_y < plan->place.y)
        return;
    bool is_faint = plan->wanted != PATTERN_NONE && is_read(head) &&
                    heads_pattern(&head->measures) != plan->wanted;
    draw_thumbnail(plan, canvas, head, place, is_faint);
    bool is_hovered = is_marked(&frame->hover, head);
    if (!frame->is_figure && (is_hovered || is_marked(&frame->selected, head)))
        canvas_frame(canvas, rect_inset(place, -3 * u, -3 * u), 2 * u,
                     (Stroke){frame->theme->accent, 2 * u, 0});
    char name[48];
    name_head(plan, head, name);
    canvas_tag(canvas, place, TAG_ITEM, name, NULL);
}

static void draw_names(const HeadsPlan *plan, Canvas *canvas)
{
    float u = view_unit(plan->frame);
    TextStyle style = theme_number(plan->frame->theme);
    style.size = fminf(plan->frame->theme->caption_size, plan->pitch_x * 0.4f);
    style.color = plan->frame->theme->muted;
    char name[48];
    for (int32_t i = 0; i < plan->set->n; i++) {
        Rect r = head_rect(plan, i);
        name_head(plan, plan->order[i], name);
        canvas_text(canvas, (Point){r.x, r.y + r.h + style.size + 2 * u}, name, style);
        if (!plan->keys || plan->pitch_x < 52 * u)
            continue;
        TextStyle key = style;
        key.align = ALIGN_END;
        canvas_text(canvas, (Point){r.x + r.w, r.y + r.h + style.size + 2 * u},
                    view_number(plan->keys[i], 2).text, key);
    }
}

static void axis_name(const HeadsPlan *plan, int32_t dimension, int32_t i,
                      char room[SIDE_LABEL_BYTES], const char **out)
{
    Side side = side_of_axis(plan->frame->trace, plan->set->tensor->axis[dimension]);
    *out = side_label(&side, i, room);
}

static void draw_axes(const HeadsPlan *plan, Canvas *canvas)
{
    const HeadSet *set = plan->set;
    float u = view_unit(plan->frame);
    TextStyle style = theme_number(plan->frame->theme);
    style.size = fminf(plan->frame->theme->caption_size, plan->pitch_x * 0.42f);
    style.color = plan->frame->theme->muted;
    style.align = ALIGN_MIDDLE;
    style.max_width = plan->pitch_x - 2 * u;
    char room[SIDE_LABEL_BYTES];
    const char *name;
    for (int32_t k = 0; k < plan->cols; k++) {
        Rect r = head_rect(plan, k);
        axis_name(plan, set->head_axis, k, room, &name);
        canvas_text(canvas, (Point){r.x + r.w / 2, r.y - 7 * u}, name, style);
    }
    TextStyle word = theme_caption(plan->frame->theme);
    word.align = ALIGN_MIDDLE;
    word.max_width = plan->pitch_x - u;
    for (int k = 0; k < plan->n_summaries; k++) {
        Rect r = summary_rect(plan, k, 0);
        canvas_text(canvas, (Point){r.x + r.w / 2, r.y - 7 * u},
                    view_word(plan->frame, plan->summary_name[k]), word);
    }
    style.align = ALIGN_END;
    style.max_width = 30 * u;
    for (int32_t layer = 0; layer < set->n_layers; layer++) {
        Rect r = head_rect(plan, layer * plan->cols);
        axis_name(plan, set->layer_axis, layer, room, &name);
        canvas_text(canvas, (Point){r.x - 8 * u, r.y + r.h / 2 + view_baseline(&style)}, name,
                    style);
    }
}

static void draw_summaries(const HeadsPlan *plan, Canvas *canvas)
{
    for (int k = 0; k < plan->n_summaries; k++)
        for (int32_t layer = 0; layer < plan->set->n_layers; layer++)
            draw_thumbnail(plan, canvas, &plan->summary[k][layer], summary_rect(plan, k, layer),
                           false);
}

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    HeadsPlan plan;
    plan_heads(&plan, frame);
    if (!plan.set) {
        view_draw_empty(frame, canvas, plan.error.message);
        arena_free(plan.arena);
        return;
    }
    float u = view_unit(frame);
    view_draw_heading(frame, canvas, plan.heading, (ViewHeading){plan.title, plan.subtitle});
    canvas_clip_push(canvas, rect_inset(plan.place, -4 * u, -4 * u));
    for (int32_t i = 0; i < plan.set->n; i++)
        draw_head(&plan, canvas, plan.order[i], head_rect(&plan, i));
    draw_summaries(&plan, canvas);
    if (shows_names(&plan))
        draw_names(&plan, canvas);
    else
        draw_axes(&plan, canvas);
    canvas_clip_pop(canvas);
    shade_draw_legend(
        frame, canvas, &plan.shade, plan.legend,
        view_word(frame, plan.shade.per_row ? WORD_LEGEND_PER_HEAD : WORD_LEGEND_WEIGHT),
        view_word(frame, WORD_QUERIES_DOWN));
    view_draw_notes(frame, canvas, plan.notes_place, &plan.notes);
    view_draw_tooltip(frame, canvas, &frame->hover);
    arena_free(plan.arena);
}

/* ---- hits ---- */

static void describe_head(const HeadsPlan *plan, const Head *head, const char *what, ViewHit *hit)
{
    static const ViewWord patterns[PATTERN_COUNT] = {
        WORD_PATTERN_NONE,  WORD_PATTERN_SELF,    WORD_PATTERN_PREVIOUS, WORD_PATTERN_NEXT,
        WORD_PATTERN_FIRST, WORD_PATTERN_SPECIAL, WORD_PATTERN_WORD};
    const ViewFrame *frame = plan->frame;
    const MeasureHead *m = &head->measures;
    char name[48];
    name_head(plan, head, name);
    view_hit_add(hit, "%s %s", what, name);
    HeadPattern pattern = heads_pattern(m);
    if (pattern != PATTERN_NONE)
        view_hit_add(hit, "%s", view_word(frame, patterns[pattern]));
    view_hit_add(hit, view_word(frame, WORD_HEAD_ENTROPY), view_number(m->entropy, 2).text,
                 view_number(m->effective, 1).text);
    view_hit_add(hit, view_word(frame, WORD_HEAD_DISTANCE), view_number(m->distance, 1).text);
    if (m->special > 0)
        view_hit_add(hit, view_word(frame, WORD_HEAD_SPECIAL), view_percent(m->special).text);
}

static ViewHit head_hit(const HeadsPlan *plan, const Head *head, const char *what, Rect place)
{
    ViewHit hit = {.kind = HIT_HEAD, .row = head->layer, .col = head->head, .place = place};
    describe_head(plan, head, what, &hit);
    return hit;
}

static ViewHit hit_plan(const HeadsPlan *plan, float x, float y)
{
    if (!rect_contains(plan->place, x, y))
        return (ViewHit){0};
    for (int32_t i = 0; i < plan->set->n; i++) {
        Rect place = head_rect(plan, i);
        if (rect_contains(place, x, y) && is_read(plan->order[i]))
            return head_hit(plan, plan->order[i], view_word(plan->frame, WORD_HEAD), place);
    }
    for (int k = 0; k < plan->n_summaries; k++)
        for (int32_t layer = 0; layer < plan->set->n_layers; layer++) {
            Rect place = summary_rect(plan, k, layer);
            if (rect_contains(place, x, y) && is_read(&plan->summary[k][layer]))
                return head_hit(plan, &plan->summary[k][layer],
                                view_word(plan->frame, plan->summary_name[k]), place);
        }
    return (ViewHit){0};
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    HeadsPlan plan;
    plan_heads(&plan, frame);
    ViewHit found = plan.set ? hit_plan(&plan, x, y) : (ViewHit){0};
    arena_free(plan.arena);
    return found;
}

/* ---- the view ---- */

static float wanted_height(const ViewFrame *frame, float width)
{
    ViewFrame tall = *frame;
    float u = view_unit(frame);
    tall.area = (Rect){0, 0, width, width};
    tall.camera = (ViewCamera){0};
    HeadsPlan plan;
    plan_heads(&plan, &tall);
    float height = 200 * u;
    if (plan.set)
        height = plan.place.y + plan.height + 60 * u + (frame->is_figure ? 0 : 18 * u) +
                 (plan.notes.n > 0 ? plan.notes_place.h + 8 * u : 0);
    arena_free(plan.arena);
    return height;
}

static ViewPort port(const ViewFrame *frame)
{
    HeadsPlan plan;
    plan_heads(&plan, frame);
    ViewPort port = {0};
    if (plan.set)
        port = (ViewPort){plan.place, plan.place.w, fmaxf(plan.height, plan.place.h), 1};
    arena_free(plan.arena);
    return port;
}

static bool offers(const Trace *trace)
{
    const TraceTensor *main = values_main(trace);
    if (!main || main->rank < 3)
        return false;
    return trace_axis(trace, main->axis[main->rank - 1])->kind != TRACE_AXIS_GRID;
}

const View view_heads = {
    "heads", "Heads", heads_settings, offers, draw, hit, wanted_height, port, NULL,
};
