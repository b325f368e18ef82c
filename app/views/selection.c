/* selection.c - hard token selection before soft attention (Shen et al. 2018, "Reinforced
 * Self-Attention Network"): for every token the probability to be a head (a query, down) and a
 * dependent (a key, across), what was drawn, the masked matrix that they leave, and what becomes
 * of it: every word's gate and its weight in the pooled vector.
 *
 * A step of the run shows as much as had been computed by then; room is kept for the rest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/heatmap.h"
#include "views/matrix.h"

static const Setting selection_settings[] = {
    {"numbers", SETTING_BOOL, "yes", 0, 0, NULL, "numbers in cells where they fit"},
    SHADE_SETTINGS,
    {"reduce", SETTING_CHOICE, "mean", 0, 0, "mean|max", "over features where all are chosen"},
    {"direction", SETTING_CHOICE, "forward", 0, 0, "forward|backward",
     "which of the two, where earlier and later words are read apart"},
    {"feature", SETTING_INT, "0", 0, 4096, NULL,
     "one feature of weights that have many, from 1; 0: all of them"},
    {0},
};

#define COLUMN             36  /* of gate and pooling, in units of 1               */
#define LEAST_WITH_COLUMNS 420 /* width of the figure; narrower ones do without it */
#define LEAST_HEADING      280 /* from the cells on; a heading that has less begins further left */

/* One of the two selections. */
typedef struct Chooser {
    const float *probabilities; /* [n] */
    const float *selected;      /* [n] 0 or 1; NULL: above one half */
    const float *flipped;       /* [n] 1: turned over by the person; NULL: none */
} Chooser;

/* How far the run has come, in the order of its steps. */
typedef enum {
    STAGE_SELECTION,
    STAGE_MASK,
    STAGE_SCORES,
    STAGE_WEIGHTS,
    STAGE_GATE,
    STAGE_ALL
} SelectionStage;

typedef struct SelectionPlan {
    const ViewFrame *frame;
    Arena *arena;
    SelectionStage stage;
    int32_t n, direction;
    Chooser heads, dependents;  /* no probabilities: every word is both */
    bool has_columns;           /* for gate and pooling, beside the heads */
    const float *gate, *pooled; /* [n]; NULL: not yet; NaN: the word is gone */
    const Values *values;       /* NULL: nothing to draw */
    Shade shade;
    Matrix matrix;
    float strip; /* room for probabilities above the matrix    */
    float room;  /* and for what stands beside it, in units of 1 */
    char subtitle[160];
    ViewNotes notes;
    Rect heading, legend, notes_place;
    Error error;
} SelectionPlan;

/* ---- reading ---- */

static const TraceTensor *find_role(const Trace *trace, const char *name)
{
    const TraceTensor *t = trace_find(trace, name);
    return t && t->rank <= 2 ? t : NULL;
}

static const float *read_list(SelectionPlan *plan, const char *name)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *t = find_role(trace, name);
    if (!t)
        return NULL;
    int32_t n = trace_tensor_len(trace, t, t->rank - 1);
    if (plan->n != 0 && n != plan->n)
        return NULL;
    plan->n = n;
    TraceMatrix matrix = trace_matrix(trace, t, NULL);
    int32_t direction = plan->direction < matrix.rows ? plan->direction : 0;
    float *out = arena_get(plan->arena, (size_t)n + 1, sizeof *out);
    if (matrix.rows > 0)
        trace_matrix_read(&matrix, direction, 0, n, out);
    return out;
}

/* Two selectors, or none and what every word read. */
static bool offers(const Trace *trace)
{
    return (find_role(trace, "head.probabilities") &&
            find_role(trace, "dependent.probabilities")) ||
           (find_role(trace, "gate.mean") && trace_find(trace, "attention.mask"));
}

/* A trace without such steps shows everything. */
static SelectionStage find_stage(const ViewFrame *frame)
{
    static const char *const names[] = {"selection", "mask", "scores", "weights", "gate"};
    bool is_step = frame->step >= 0 && frame->step < trace_n_steps(frame->trace);
    const char *token = is_step ? trace_step(frame->trace, frame->step)->token : "";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(token, names[i]) == 0)
            return (SelectionStage)i;
    return STAGE_ALL;
}

static bool is_chosen(const Chooser *chooser, int32_t i)
{
    if (!chooser->probabilities)
        return true;
    return chooser->selected ? chooser->selected[i] > 0.5f : chooser->probabilities[i] > 0.5f;
}

static bool may_see(const SelectionPlan *plan, const TraceMatrix *mask, int32_t i, int32_t j)
{
    if (mask)
        return trace_matrix_get(mask, i, j) > 0.5f;
    return i != j && is_chosen(&plan->heads, i) && is_chosen(&plan->dependents, j);
}

/* The mask over the same two axes as the weights, for one direction. */
static bool find_mask(const SelectionPlan *plan, int32_t direction, TraceMatrix *out)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *t = trace_find(trace, "attention.mask");
    if (!t || t->rank < 2 || t->rank > 3 || trace_tensor_len(trace, t, t->rank - 1) != plan->n ||
        trace_tensor_len(trace, t, t->rank - 2) != plan->n)
        return false;
    int32_t at[TRACE_MAX_RANK] = {0};
    if (t->rank == 3 && direction < trace_tensor_len(trace, t, 0))
        at[0] = direction;
    *out = trace_matrix(trace, t, at);
    return true;
}

static bool is_square(const SelectionPlan *plan, const TraceTensor *t)
{
    const Trace *trace = plan->frame->trace;
    return t && t->rank >= 2 && trace_tensor_len(trace, t, t->rank - 1) == plan->n &&
           trace_tensor_len(trace, t, t->rank - 2) == plan->n;
}

/* What the matrix shows at this stage: the mask, scores, one feature's weights, or the mean of
 * all features. */
static const TraceTensor *find_shown(const SelectionPlan *plan, bool *is_one)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *features = trace_find(trace, "features.weights");
    const TraceTensor *weights = trace_find(trace, "attention.weights");
    const TraceTensor *scores = trace_find(trace, "attention.scores");
    *is_one = false;
    if (plan->stage == STAGE_SCORES && is_square(plan, scores))
        return scores;
    if (plan->stage < STAGE_WEIGHTS)
        return trace_find(trace, "attention.mask");
    *is_one = settings_int(plan->frame->options, "feature") > 0 && is_square(plan, features) &&
              features->rank > 2;
    if (*is_one)
        return features;
    return is_square(plan, weights) ? weights : trace_find(trace, "attention.mask");
}

/* [direction, feature, head, dependent]; the feature only where one is shown, the direction
 * only where there are two. */
static void choose_slice(const SelectionPlan *plan, const TraceTensor *shown, bool is_one,
                         int32_t at[TRACE_MAX_RANK])
{
    const Trace *trace = plan->frame->trace;
    int32_t n_leading = shown->rank - 2;
    if (n_leading > (is_one ? 1 : 0))
        at[0] = plan->direction < trace_tensor_len(trace, shown, 0) ? plan->direction : 0;
    if (!is_one)
        return;
    int32_t feature = settings_int(plan->frame->options, "feature") - 1;
    int32_t len = trace_tensor_len(trace, shown, n_leading - 1);
    at[n_leading - 1] = feature < len ? feature : len - 1;
}

/* Weights with what is masked as NaN; the mask itself where there are no weights. */
static bool make_grid(SelectionPlan *plan, Grid *grid)
{
    const Trace *trace = plan->frame->trace;
    bool is_one;
    const TraceTensor *shape = find_shown(plan, &is_one);
    if (!shape) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(plan->frame, WORD_NO_SELECTION));
        return false;
    }
    ValuesSpec spec = values_spec(plan->frame, shape);
    choose_slice(plan, shape, is_one, spec.at);
    GridReduction how = spec.reduction == VALUES_MAX ? GRID_MAX : GRID_MEAN;
    if (!grid_init_reduced(grid, trace, shape, spec.at, how, &plan->error))
        return false;
    TraceMatrix mask;
    bool has_mask = find_mask(plan, plan->direction, &mask);
    for (int32_t i = 0; i < grid->rows; i++)
        for (int32_t j = 0; j < grid->cols; j++)
            if (plan->stage == STAGE_SELECTION || !may_see(plan, has_mask ? &mask : NULL, i, j))
                grid->data[(size_t)i * (size_t)grid->cols + (size_t)j] = NAN;
    return true;
}

static const Values *masked_values(SelectionPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    ViewKey key = view_key(
        "selection:%llu:%d,%d,%d,%d:%d,%d:%d:%d", (unsigned long long)trace_id(frame->trace),
        (int)frame->at[0], (int)frame->at[1], (int)frame->at[2], (int)frame->at[3],
        (int)plan->stage, (int)plan->direction, settings_int(frame->options, "feature"),
        settings_choice(frame->options, "reduce"));
    const Values *values = values_find(frame, &key);
    Grid grid = {0};
    if (values)
        return values;
    return make_grid(plan, &grid) ? values_put(frame, &key, &grid) : NULL;
}

/* ---- plan ---- */

/* Of both directions: earlier and later words are read apart. */
static double count_pairs(const SelectionPlan *plan)
{
    const Trace *trace = plan->frame->trace;
    const TraceTensor *t = trace_find(trace, "attention.mask");
    int32_t directions = t && t->rank == 3 ? trace_tensor_len(trace, t, 0) : 1;
    double pairs = 0;
    for (int32_t k = 0; k < directions; k++) {
        TraceMatrix mask;
        bool has_mask = find_mask(plan, k, &mask);
        for (int32_t i = 0; i < plan->n; i++)
            for (int32_t j = 0; j < plan->n; j++)
                pairs += may_see(plan, has_mask ? &mask : NULL, i, j);
    }
    return pairs;
}

static void write_subtitle(SelectionPlan *plan)
{
    double heads = 0, dependents = 0, n = plan->n;
    for (int32_t i = 0; i < plan->n; i++) {
        heads += is_chosen(&plan->heads, i);
        dependents += is_chosen(&plan->dependents, i);
    }
    double pairs = count_pairs(plan), all = n > 1 ? n * (n - 1) : 1;
    snprintf(plan->subtitle, sizeof plan->subtitle, view_word(plan->frame, WORD_SELECTION_SUBTITLE),
             view_percent(heads / n).text, view_percent(dependents / n).text,
             view_percent(pairs / all).text);
}

static void place_parts(SelectionPlan *plan)
{
    const ViewFrame *frame = plan->frame;
    float u = view_unit(frame);
    Rect content = view_content(frame);
    view_place_changes(frame, &content, &plan->notes, &plan->notes_place);
    ViewHeading heading = {view_word(frame, WORD_SELECTION_TITLE), plan->subtitle};
    float head = view_draw_heading(frame, NULL, content, heading) + 12 * u;
    plan->strip = 52 * u;
    float legend = shade_draw_legend(frame, NULL, &plan->shade, content, "", "") + 24 * u;
    Rect area = {content.x, content.y + head + plan->strip, content.w,
                 content.h - head - plan->strip - legend};
    MatrixSpec spec = matrix_spec(frame, plan->values, &plan->shade, area);
    spec.numbers = plan->stage > STAGE_MASK && settings_bool(frame->options, "numbers");
    spec.right_room = plan->room * u;
    heatmap_mark_hover(frame, &spec);
    plan->matrix = matrix_plan(&spec);
    const Rect *cells = &plan->matrix.cells;
    bool is_narrow = content.x + content.w - cells->x < LEAST_HEADING * u;
    float left = is_narrow ? content.x : cells->x;
    plan->heading = (Rect){left, content.y, content.x + content.w - left, head};
    plan->legend =
        (Rect){cells->x, cells->y + cells->h + 24 * u,
               fminf(fmaxf(cells->w, 320 * u), content.x + content.w - cells->x), 34 * u};
}

/* Room is kept before the step that fills it, so that the figure does not jump. */
static void read_columns(SelectionPlan *plan)
{
    bool fits = view_content(plan->frame).w >= LEAST_WITH_COLUMNS * view_unit(plan->frame);
    plan->gate = read_list(plan, "gate.mean");
    plan->pooled = read_list(plan, "pool.weights");
    plan->has_columns = fits && plan->gate && plan->pooled;
    if (!plan->has_columns || plan->stage < STAGE_GATE)
        plan->gate = NULL;
    if (!plan->has_columns || plan->stage < STAGE_ALL)
        plan->pooled = NULL;
    plan->room = (plan->heads.probabilities ? 120 : 20) + (plan->has_columns ? 96 : 0);
}

static void plan_selection(SelectionPlan *plan, const ViewFrame *frame)
{
    *plan = (SelectionPlan){.frame = frame, .arena = arena_new(), .stage = find_stage(frame)};
    plan->direction =
        frame->at[0] > 0 ? frame->at[0] : settings_choice(frame->options, "direction");
    plan->heads = (Chooser){read_list(plan, "head.probabilities"), read_list(plan, "head.selected"),
                            read_list(plan, "head.flipped")};
    plan->dependents =
        (Chooser){read_list(plan, "dependent.probabilities"), read_list(plan, "dependent.selected"),
                  read_list(plan, "dependent.flipped")};
    if (!offers(frame->trace)) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_SELECTION));
        return;
    }
    read_columns(plan);
    if (plan->n == 0) {
        error_set(&plan->error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_TOKENS));
        return;
    }
    plan->values = masked_values(plan);
    if (!plan->values)
        return;
    plan->shade =
        shade_make(frame, shade_options(frame->options), plan->values->role, plan->values->range);
    write_subtitle(plan);
    place_parts(plan);
}

/* ---- drawing ---- */

static void draw_chance(const SelectionPlan *plan, Canvas *canvas, Rect bar, float share, bool up,
                        bool chosen)
{
    const Theme *theme = plan->frame->theme;
    float u = view_unit(plan->frame);
    Color color = chosen ? theme->accent : color_mix(theme->background, theme->muted, 0.45f);
    canvas_fill(canvas, bar, fminf(2 * u, fminf(bar.w, bar.h) / 2), theme->line);
    Rect full = bar;
    if (up) {
        full.h = fmaxf(bar.h * share, u);
        full.y = bar.y + bar.h - full.h;
    } else {
        full.w = fmaxf(bar.w * share, u);
    }
    canvas_fill(canvas, full, fminf(2 * u, fminf(full.w, full.h) / 2), color);
}

/* A filled dot: selected; a ring: left out. A second ring around it: turned over by the person. */
static void draw_mark(const SelectionPlan *plan, Canvas *canvas, Point at, float size,
                      const Chooser *chooser, int32_t i)
{
    const Theme *theme = plan->frame->theme;
    bool chosen = is_chosen(chooser, i);
    float u = view_unit(plan->frame), radius = fminf(4.5f * u, size * 0.4f);
    if (chooser->flipped && chooser->flipped[i] > 0.5f) {
        canvas_circle(canvas, at, radius + 2.5f * u, 0, (Stroke){theme->warning, 1.5f * u, 0});
        canvas_tag(canvas, (Rect){at.x - radius, at.y - radius, 2 * radius, 2 * radius}, TAG_LABEL,
                   "flipped", NULL);
    }
    canvas_circle(
        canvas, at, radius, chosen ? theme->accent : 0,
        (Stroke){chosen ? theme->accent : theme->muted, 1.5f * view_unit(plan->frame), 0});
}

static void draw_dependents(const SelectionPlan *plan, Canvas *canvas)
{
    if (!plan->dependents.probabilities)
        return;
    const Matrix *m = &plan->matrix;
    float u = view_unit(plan->frame), base = m->cells.y - m->top_layout.extent - 4 * u;
    float w = fminf(m->cell_w * 0.5f, 12 * u);
    for (int32_t j = 0; j < plan->n; j++) {
        Rect cell = matrix_cell(m, 0, j);
        float middle = cell.x + cell.w / 2;
        bool chosen = is_chosen(&plan->dependents, j);
        draw_chance(plan, canvas, (Rect){middle - w / 2, base - 44 * u, w, 30 * u},
                    plan->dependents.probabilities[j], true, chosen);
        draw_mark(plan, canvas, (Point){middle, base - 6 * u}, cell.w, &plan->dependents, j);
        canvas_tag(canvas, (Rect){cell.x, base - 46 * u, cell.w, 46 * u}, TAG_CHECK, "dependent",
                   chosen ? "on" : "off");
    }
}

static void draw_heads(const SelectionPlan *plan, Canvas *canvas)
{
    const Matrix *m = &plan->matrix;
    float u = view_unit(plan->frame), x = m->cells.x + m->cells.w + 16 * u;
    float h = fminf(m->cell_h * 0.5f, 12 * u);
    if (!plan->heads.probabilities)
        return;
    for (int32_t i = 0; i < plan->n; i++) {
        Rect cell = matrix_cell(m, i, 0);
        float middle = cell.y + cell.h / 2;
        bool chosen = is_chosen(&plan->heads, i);
        draw_mark(plan, canvas, (Point){x, middle}, cell.h, &plan->heads, i);
        draw_chance(plan, canvas, (Rect){x + 14 * u, middle - h / 2, 60 * u, h},
                    plan->heads.probabilities[i], false, chosen);
        canvas_tag(canvas, (Rect){x - 8 * u, cell.y, 90 * u, cell.h}, TAG_CHECK, "head",
                   chosen ? "on" : "off");
    }
    TextStyle style = theme_caption(plan->frame->theme);
    canvas_text(canvas, (Point){x - 5 * u, m->cells.y - 8 * u},
                view_word(plan->frame, WORD_HEADS_DOWN), style);
    canvas_text(canvas, (Point){x - 5 * u, m->cells.y - m->top_layout.extent - 8 * u},
                view_word(plan->frame, WORD_DEPENDENTS_ACROSS), style);
}

/* One bar a word, of `most`; nothing for a word that is gone. */
static void draw_column(const SelectionPlan *plan, Canvas *canvas, float x, ViewWord name,
                        const float *values, float most)
{
    const Matrix *m = &plan->matrix;
    float u = view_unit(plan->frame), h = fminf(m->cell_h * 0.5f, 12 * u);
    for (int32_t i = 0; values && i < plan->n; i++) {
        Rect cell = matrix_cell(m, i, 0);
        Rect bar = {x, cell.y + (cell.h - h) / 2, COLUMN * u, h};
        if (!(values[i] > 0) || !(most > 0))
            continue;
        canvas_fill(canvas, bar, fminf(2 * u, h / 2), plan->frame->theme->line);
        view_draw_bar(plan->frame, canvas, bar, values[i] / most, plan->frame->theme->good);
    }
    if (values)
        canvas_text(canvas, (Point){x, m->cells.y - 8 * u}, view_word(plan->frame, name),
                    theme_caption(plan->frame->theme));
}

static void draw_columns(const SelectionPlan *plan, Canvas *canvas)
{
    float u = view_unit(plan->frame), most = 0;
    float x =
        plan->matrix.cells.x + plan->matrix.cells.w + (plan->heads.probabilities ? 106 : 16) * u;
    for (int32_t i = 0; plan->pooled && i < plan->n; i++)
        most = fmaxf(most, plan->pooled[i]);
    draw_column(plan, canvas, x, WORD_GATE_COLUMN, plan->gate, 1);
    draw_column(plan, canvas, x + (COLUMN + 12) * u, WORD_POOL_COLUMN, plan->pooled, most);
}

/* Between the two sentences of a pair, of which no word reads the other's. */
static void draw_border(const SelectionPlan *plan, Canvas *canvas)
{
    const Matrix *m = &plan->matrix;
    int first = 0;
    if (sscanf(view_attribute(plan->frame->trace, "first"), "%d", &first) != 1 || first <= 0 ||
        first >= plan->n)
        return;
    Rect before = matrix_cell(m, first - 1, first - 1), after = matrix_cell(m, first, first);
    Stroke stroke = {plan->frame->theme->muted, 1.5f * view_unit(plan->frame), 0};
    float x = fmaxf(before.x, after.x), y = after.y;
    canvas_line(canvas, (Point){x, m->cells.y}, (Point){x, m->cells.y + m->cells.h}, stroke);
    canvas_line(canvas, (Point){m->cells.x, y}, (Point){m->cells.x + m->cells.w, y}, stroke);
}

static void draw_legend(const SelectionPlan *plan, Canvas *canvas)
{
    if (plan->stage <= STAGE_MASK)
        return; /* there are no numbers yet */
    ViewWord word = plan->stage == STAGE_SCORES ? WORD_LEGEND_SCORE : WORD_LEGEND_WEIGHT;
    shade_draw_legend(plan->frame, canvas, &plan->shade, plan->legend, view_word(plan->frame, word),
                      "");
}

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    SelectionPlan plan;
    plan_selection(&plan, frame);
    if (!plan.values) {
        view_draw_empty(frame, canvas, plan.error.message);
        arena_free(plan.arena);
        return;
    }
    canvas_clip_push(canvas, frame->area);
    view_draw_heading(frame, canvas, plan.heading,
                      (ViewHeading){view_word(frame, WORD_SELECTION_TITLE), plan.subtitle});
    matrix_draw(&plan.matrix, canvas);
    draw_dependents(&plan, canvas);
    draw_heads(&plan, canvas);
    draw_columns(&plan, canvas);
    draw_border(&plan, canvas);
    draw_legend(&plan, canvas);
    matrix_draw_crosshair(&plan.matrix, canvas);
    view_draw_notes(frame, canvas, plan.notes_place, &plan.notes);
    canvas_clip_pop(canvas);
    view_draw_tooltip(frame, canvas, &frame->hover);
    arena_free(plan.arena);
}

/* ---- hits ---- */

static void describe_chance(const SelectionPlan *plan, const Chooser *chooser, int32_t i,
                            ViewHit *hit)
{
    const ViewFrame *frame = plan->frame;
    if (!chooser->probabilities)
        return;
    view_hit_add(hit, view_word(frame, WORD_SELECTION_PROBABILITY),
                 view_number((double)chooser->probabilities[i], 2).text,
                 view_word(frame, is_chosen(chooser, i) ? WORD_KEPT : WORD_LEFT_OUT));
}

static void describe_parts(const SelectionPlan *plan, int32_t i, ViewHit *hit)
{
    const ViewFrame *frame = plan->frame;
    if (!plan->gate || !isfinite(plan->gate[i]))
        return; /* the word is gone, or has not come so far */
    view_hit_add(hit, view_word(frame, WORD_GATE_PART), view_number((double)plan->gate[i], 2).text);
    if (plan->pooled && isfinite(plan->pooled[i]))
        view_hit_add(hit, view_word(frame, WORD_POOL_PART),
                     view_number((double)plan->pooled[i], 3).text);
}

static void describe_cell(const SelectionPlan *plan, int32_t row, int32_t col, ViewHit *hit)
{
    char a[SIDE_LABEL_BYTES], b[SIDE_LABEL_BYTES];
    const Values *v = plan->values;
    float value = values_at(v, row, col);
    view_hit_add(hit, "%s \u2190 %s", side_label(&v->rows, row, a), side_label(&v->cols, col, b));
    if (isnan(value))
        view_hit_add(hit, "%s", view_word(plan->frame, WORD_MASKED));
    else
        view_hit_add(hit, "%s %s",
                     view_word(plan->frame, plan->stage == STAGE_SCORES ? WORD_SCORE : WORD_WEIGHT),
                     view_number((double)value, 3).text);
}

static ViewHit hit_plan(const SelectionPlan *plan, float x, float y)
{
    ViewHit hit = {0};
    char room[SIDE_LABEL_BYTES];
    const Matrix *m = &plan->matrix;
    const Values *v = plan->values;
    int32_t row, col;
    bool in_columns = x >= m->cells.x && x < m->cells.x + m->cells.w && y < m->cells.y &&
                      y >= m->cells.y - m->top_layout.extent - plan->strip;
    bool in_rows = y >= m->cells.y && y < m->cells.y + m->cells.h &&
                   x < m->cells.x + m->cells.w + m->spec.right_room &&
                   x >= m->cells.x - m->left_layout.extent;
    if (matrix_cell_at(m, x, y, &row, &col)) {
        hit =
            (ViewHit){.kind = HIT_CELL, .row = row, .col = col, .place = matrix_cell(m, row, col)};
        describe_cell(plan, row, col, &hit);
    } else if (in_columns && matrix_cell_at(m, x, m->cells.y, &row, &col)) {
        hit = (ViewHit){.kind = HIT_COL, .axis = v->cols.axis, .col = col, .place = {x, y, 1, 1}};
        view_hit_add(&hit, "%s", side_label(&v->cols, col, room));
        describe_chance(plan, &plan->dependents, col, &hit);
    } else if (in_rows && matrix_cell_at(m, m->cells.x, y, &row, &col)) {
        hit = (ViewHit){.kind = HIT_ROW, .axis = v->rows.axis, .row = row, .place = {x, y, 1, 1}};
        view_hit_add(&hit, "%s", side_label(&v->rows, row, room));
        describe_chance(plan, &plan->heads, row, &hit);
        describe_parts(plan, row, &hit);
    }
    return hit;
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    SelectionPlan plan;
    plan_selection(&plan, frame);
    ViewHit found = plan.values ? hit_plan(&plan, x, y) : (ViewHit){0};
    arena_free(plan.arena);
    return found;
}

static float wanted_height(const ViewFrame *frame, float width)
{
    ViewFrame tall = *frame;
    float u = view_unit(frame);
    tall.area = (Rect){0, 0, width, width * 1.3f};
    SelectionPlan plan;
    plan_selection(&plan, &tall);
    float height = plan.values
                       ? plan.legend.y + plan.legend.h + plan.notes_place.h +
                             (plan.notes.n > 0 ? 8 * u : 0) + (frame->is_figure ? 10 : 28) * u
                       : 200 * u;
    arena_free(plan.arena);
    return height;
}

const View view_selection = {
    "selection", "Selection", selection_settings, offers, draw, hit, wanted_height, NULL, NULL,
};
