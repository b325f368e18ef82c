/* beam.c - the tree of a beam search: tokens from left to right, the best path in the accent.
 * The sign at a hypothesis' end says what became of it: finished and live ones have their
 * scores, what was pruned is reached by dashes and says when and why under the pointer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/heatmap.h"

static const Setting beam_settings[] = {
    {"dropped", SETTING_BOOL, "yes", 0, 0, NULL, "hypotheses that the search pruned"},
    {0},
};

typedef struct Place {
    bool shown;
    bool is_best; /* on the path of the best hypothesis */
    int32_t first_child, next_sibling;
    float row;  /* in rows of the tree */
    float x, w; /* in content pixels */
} Place;

typedef struct BeamPlan {
    const ViewFrame *frame;
    Arena *arena;
    int32_t n, best;
    Place *places; /* [n] */
    int32_t n_rows, n_steps;
    float row_height, width, height;
    ViewNotes notes;
    Rect heading, place, notes_place;
    float scroll_x, scroll_y;
    char subtitle[160];
} BeamPlan;

/* ---- the tree ---- */

static bool is_shown_state(const BeamPlan *plan, const TraceBeamNode *node)
{
    return node->state != TRACE_BEAM_PRUNED || settings_bool(plan->frame->options, "dropped");
}

/* A node is shown when it or something below it is. */
static void link_nodes(BeamPlan *plan)
{
    const Trace *trace = plan->frame->trace;
    for (int32_t i = 0; i < plan->n; i++)
        plan->places[i] = (Place){.first_child = -1, .next_sibling = -1};
    for (int32_t i = plan->n - 1; i >= 0; i--) {
        const TraceBeamNode *node = trace_beam_node(trace, i);
        plan->places[i].shown = plan->places[i].shown || is_shown_state(plan, node);
        if (node->parent < 0)
            continue;
        Place *parent = &plan->places[node->parent];
        parent->shown = parent->shown || plan->places[i].shown;
        plan->places[i].next_sibling = parent->first_child;
        parent->first_child = i;
        plan->n_steps = node->step + 1 > plan->n_steps ? node->step + 1 : plan->n_steps;
    }
}

/* Where a hypothesis ends; what it came through bears the state of the best that came of it. */
static bool is_finished(const BeamPlan *plan, int32_t i)
{
    return trace_beam_node(plan->frame->trace, i)->state == TRACE_BEAM_FINISHED &&
           plan->places[i].first_child < 0;
}

static bool has_score(const BeamPlan *plan, int32_t i)
{
    return plan->places[i].first_child < 0 &&
           trace_beam_node(plan->frame->trace, i)->state != TRACE_BEAM_PRUNED;
}

static void find_best(BeamPlan *plan)
{
    const Trace *trace = plan->frame->trace;
    plan->best = -1;
    for (int pass = 0; pass < 2 && plan->best < 0; pass++)
        for (int32_t i = 0; i < plan->n; i++) {
            const TraceBeamNode *node = trace_beam_node(trace, i);
            bool counts = pass == 0 ? is_finished(plan, i) : plan->places[i].first_child < 0;
            if (counts &&
                (plan->best < 0 || node->score > trace_beam_node(trace, plan->best)->score))
                plan->best = i;
        }
    for (int32_t i = plan->best; i >= 0; i = trace_beam_node(trace, i)->parent)
        plan->places[i].is_best = true;
}

/* Leaves take rows from top to bottom, the best path first; a parent stands at its first
 * child's row, so the best hypothesis runs straight along the top. Iterative: a beam is as
 * deep as the output is long. */
static void place_rows(BeamPlan *plan)
{
    int32_t *stack = arena_get(plan->arena, (size_t)plan->n * 2 + 2, sizeof *stack);
    int32_t top = 0;
    for (int pass = 1; pass >= 0; pass--) /* roots; the best is taken last, so comes out first */
        for (int32_t i = plan->n - 1; i >= 0; i--)
            if (trace_beam_node(plan->frame->trace, i)->parent < 0 && plan->places[i].shown &&
                plan->places[i].is_best == (pass == 0))
                stack[top++] = i;
    bool begins_row = true;
    while (top > 0) {
        int32_t i = stack[--top];
        Place *place = &plan->places[i];
        if (begins_row)
            plan->n_rows++;
        place->row = (float)(plan->n_rows - 1);
        begins_row = true;
        for (int pass = 1; pass >= 0; pass--)
            for (int32_t c = place->first_child; c >= 0; c = plan->places[c].next_sibling)
                if (plan->places[c].shown && plan->places[c].is_best == (pass == 0)) {
                    stack[top++] = c;
                    begins_row = false;
                }
    }
}

/* A column is as wide as its widest token. */
static void place_columns(BeamPlan *plan)
{
    const Trace *trace = plan->frame->trace;
    float u = view_unit(plan->frame);
    float *widths = arena_get_zeroed(plan->arena, (size_t)plan->n_steps + 2, sizeof *widths);
    TextStyle style = theme_text(plan->frame->theme);
    style.bold = true;
    for (int32_t i = 0; i < plan->n; i++) {
        const TraceBeamNode *node = trace_beam_node(trace, i);
        if (!plan->places[i].shown || node->step < 0)
            continue;
        plan->places[i].w = fminf(fonts_width(plan->frame->fonts, node->token, &style), 120 * u);
        float wanted = plan->places[i].w + (has_score(plan, i) ? 82 : 34) * u;
        widths[node->step] = fmaxf(widths[node->step], wanted);
    }
    float *starts = arena_get_zeroed(plan->arena, (size_t)plan->n_steps + 2, sizeof *starts);
    for (int32_t s = 0; s < plan->n_steps; s++)
        starts[s + 1] = starts[s] + widths[s];
    for (int32_t i = 0; i < plan->n; i++) {
        int32_t step = trace_beam_node(trace, i)->step;
        plan->places[i].x = step >= 0 ? starts[step] : 0;
    }
    plan->width = starts[plan->n_steps];
}

static void write_subtitle(BeamPlan *plan)
{
    int count[3] = {0};
    const Trace *trace = plan->frame->trace;
    for (int32_t i = 0; i < plan->n; i++) /* ends of hypotheses */
        if (plan->places[i].first_child < 0)
            count[trace_beam_node(trace, i)->state]++;
    snprintf(plan->subtitle, sizeof plan->subtitle, view_word(plan->frame, WORD_BEAM_SUBTITLE),
             count[TRACE_BEAM_FINISHED], count[TRACE_BEAM_LIVE], count[TRACE_BEAM_PRUNED]);
}

static void plan_beam(BeamPlan *plan, const ViewFrame *frame)
{
    float u = view_unit(frame);
    *plan = (BeamPlan){.frame = frame, .arena = arena_new(), .n = trace_n_beam_nodes(frame->trace)};
    plan->places = arena_get_zeroed(plan->arena, (size_t)plan->n + 1, sizeof *plan->places);
    for (int32_t i = 0; i < plan->n; i++) {
        int32_t step = trace_beam_node(frame->trace, i)->step;
        plan->n_steps = step + 1 > plan->n_steps ? step + 1 : plan->n_steps;
    }
    link_nodes(plan);
    find_best(plan);
    place_rows(plan);
    place_columns(plan);
    write_subtitle(plan);
    Rect content = view_content(frame);
    view_place_changes(frame, &content, &plan->notes, &plan->notes_place);
    float head = view_draw_heading(frame, NULL, content, (ViewHeading){"x", plan->subtitle});
    plan->heading = content;
    plan->place = (Rect){content.x, content.y + head + 14 * u, content.w,
                         fmaxf(content.h - head - 14 * u, 40 * u)};
    plan->row_height = 26 * u;
    plan->height = plan->row_height * (float)plan->n_rows;
    ViewPort port = {plan->place, fmaxf(plan->width, plan->place.w),
                     fmaxf(plan->height, plan->place.h), 1};
    ViewCamera camera = view_camera(&port, frame->camera);
    plan->scroll_x = camera.x;
    plan->scroll_y = camera.y;
}

/* ---- drawing ---- */

static Rect node_rect(const BeamPlan *plan, int32_t i)
{
    const Place *p = &plan->places[i];
    float u = view_unit(plan->frame);
    return (Rect){plan->place.x + p->x - plan->scroll_x,
                  plan->place.y + plan->row_height * p->row - plan->scroll_y, p->w + 12 * u,
                  plan->row_height};
}

static void draw_edge(const BeamPlan *plan, Canvas *canvas, int32_t i)
{
    const TraceBeamNode *node = trace_beam_node(plan->frame->trace, i);
    if (node->parent < 0 || !plan->places[node->parent].shown)
        return;
    const Theme *theme = plan->frame->theme;
    float u = view_unit(plan->frame);
    Rect from = node_rect(plan, node->parent), to = node_rect(plan, i);
    Point a = {from.x + from.w, from.y + from.h / 2}, b = {to.x, to.y + to.h / 2};
    float bend = (b.x - a.x) * 0.5f;
    Point curve[4] = {a, {a.x + bend, a.y}, {b.x - bend, b.y}, b};
    float p = (float)exp(node->log_probability);
    bool is_pruned = node->state == TRACE_BEAM_PRUNED && !plan->places[i].is_best;
    Color color = plan->places[i].is_best ? theme->accent
                  : is_pruned             ? color_fade(theme->muted, 0.55f)
                                          : theme->muted;
    canvas_path(canvas, curve, 4, true,
                (Stroke){color, u * fmaxf(0.8f, 4 * fminf(p, 1)), is_pruned ? 3 * u : 0});
}

/* What became of a hypothesis, where it ends. */
static void draw_end(const BeamPlan *plan, Canvas *canvas, int32_t i)
{
    static const char *const signs[] = {
        [TRACE_BEAM_LIVE] = "\u25cb ",
        [TRACE_BEAM_FINISHED] = "\u25cf ",
        [TRACE_BEAM_PRUNED] = "\u00d7",
    };
    const Theme *theme = plan->frame->theme;
    const TraceBeamNode *node = trace_beam_node(plan->frame->trace, i);
    Rect rect = node_rect(plan, i);
    TextStyle style = theme_number(theme);
    style.size = theme->caption_size;
    style.color = i == plan->best ? theme->accent : theme->muted;
    char text[VIEW_NUMBER_BYTES + 8];
    snprintf(text, sizeof text, "%s%s", signs[node->state],
             has_score(plan, i) ? view_number(node->score, 2).text : "");
    canvas_text(canvas,
                (Point){rect.x + rect.w - 2 * view_unit(plan->frame),
                        rect.y + rect.h / 2 + view_baseline(&style)},
                text, style);
}

/* A token that the person gave: what the search had to begin with. */
static bool is_given(const BeamPlan *plan, int32_t i)
{
    const TraceBeamNode *node = trace_beam_node(plan->frame->trace, i);
    return node->step >= 0 && node->step < trace_n_steps(plan->frame->trace) &&
           trace_step(plan->frame->trace, node->step)->forced &&
           trace_step(plan->frame->trace, node->step)->id == node->id;
}

static void draw_node(const BeamPlan *plan, Canvas *canvas, int32_t i)
{
    const ViewFrame *frame = plan->frame;
    const Theme *theme = frame->theme;
    const TraceBeamNode *node = trace_beam_node(frame->trace, i);
    float u = view_unit(frame);
    Rect rect = node_rect(plan, i);
    const ViewHit *hits[] = {&frame->hover, &frame->selected};
    for (int k = 0; k < 2 && !frame->is_figure; k++)
        if (hits[k]->kind == HIT_NODE && hits[k]->row == i)
            canvas_fill(canvas, rect_inset(rect, 0, 2 * u), 4 * u, theme->accent_tint);
    TextStyle style = theme_text(theme);
    style.max_width = 120 * u;
    style.bold = plan->places[i].is_best;
    if (node->state == TRACE_BEAM_PRUNED && !plan->places[i].is_best)
        style.color = theme->muted;
    float middle = rect.y + rect.h / 2;
    canvas_text(canvas, (Point){rect.x + 6 * u, middle + view_baseline(&style)}, node->token,
                style);
    if (plan->places[i].first_child < 0)
        draw_end(plan, canvas, i);
    if (is_given(plan, i))
        view_draw_changed(frame, canvas, (Point){rect.x + u, middle});
    canvas_tag(canvas, rect, TAG_ITEM, node->token, view_number(node->score, 3).text);
}

static bool is_visible(const BeamPlan *plan, int32_t i)
{
    Rect rect = node_rect(plan, i);
    return plan->places[i].shown && rect.y < plan->place.y + plan->place.h &&
           rect.y + rect.h > plan->place.y;
}

static void draw(const ViewFrame *frame, Canvas *canvas)
{
    BeamPlan plan;
    plan_beam(&plan, frame);
    if (plan.n == 0) {
        view_draw_empty(frame, canvas, view_word(frame, WORD_NO_BEAM));
        arena_free(plan.arena);
        return;
    }
    view_draw_heading(frame, canvas, plan.heading,
                      (ViewHeading){view_word(frame, WORD_BEAM_TITLE), plan.subtitle});
    canvas_clip_push(canvas, plan.place);
    for (int best = 0; best < 2; best++) /* the best path above the others */
        for (int32_t i = 0; i < plan.n; i++)
            if (plan.places[i].shown && plan.places[i].is_best == (best == 1))
                draw_edge(&plan, canvas, i);
    for (int32_t i = 0; i < plan.n; i++)
        if (is_visible(&plan, i))
            draw_node(&plan, canvas, i);
    canvas_clip_pop(canvas);
    view_draw_notes(frame, canvas, plan.notes_place, &plan.notes);
    view_draw_tooltip(frame, canvas, &frame->hover);
    arena_free(plan.arena);
}

/* ---- hits ---- */

/* The hypothesis up to a node, its last words where it is long. */
static void describe_path(const BeamPlan *plan, int32_t i, ViewHit *hit)
{
    enum { MOST = 64 };
    const Trace *trace = plan->frame->trace;
    int32_t path[MOST];
    int n = 0;
    for (; i >= 0 && n < MOST; i = trace_beam_node(trace, i)->parent)
        path[n++] = i;
    StrBuf text = {0};
    strbuf_add(&text, i >= 0 ? "\u2026" : "");
    while (n-- > 0)
        strbuf_addf(&text, "%s%s", text.length ? " " : "", trace_beam_node(trace, path[n])->token);
    view_hit_add(hit, "%s", text.text);
    strbuf_free(&text);
}

static ViewHit node_hit(const BeamPlan *plan, int32_t i)
{
    static const ViewWord states[] = {
        [TRACE_BEAM_LIVE] = WORD_BEAM_LIVE,
        [TRACE_BEAM_FINISHED] = WORD_BEAM_FINISHED,
        [TRACE_BEAM_PRUNED] = WORD_BEAM_PRUNED,
    };
    const ViewFrame *frame = plan->frame;
    const TraceBeamNode *node = trace_beam_node(frame->trace, i);
    ViewHit hit = {.kind = HIT_NODE, .row = i, .place = node_rect(plan, i)};
    describe_path(plan, i, &hit);
    view_hit_add(&hit, view_word(frame, WORD_BEAM_TOKEN),
                 view_number(node->log_probability, 3).text,
                 view_percent(exp(node->log_probability)).text);
    view_hit_add(&hit, "%s %s \u00b7 %s", view_word(frame, WORD_SCORE),
                 view_number(node->score, 3).text, view_word(frame, states[node->state]));
    if (node->dropped_at > 0)
        view_hit_add(&hit, view_word(frame, WORD_BEAM_DROPPED), (int)node->dropped_at + 1,
                     view_number(node->dropped_score, 3).text,
                     view_number(node->kept_score, 3).text);
    return hit;
}

static ViewHit hit(const ViewFrame *frame, float x, float y)
{
    BeamPlan plan;
    plan_beam(&plan, frame);
    ViewHit found = {0};
    if (rect_contains(plan.place, x, y))
        for (int32_t i = 0; i < plan.n && found.kind == HIT_NOTHING; i++)
            if (is_visible(&plan, i) && rect_contains(node_rect(&plan, i), x, y))
                found = node_hit(&plan, i);
    arena_free(plan.arena);
    return found;
}

static float wanted_height(const ViewFrame *frame, float width)
{
    BeamPlan plan;
    ViewFrame tall = *frame;
    tall.area = (Rect){0, 0, width, 400};
    plan_beam(&plan, &tall);
    float height = plan.n == 0
                       ? 200 * view_unit(frame)
                       : plan.place.y + plan.height + view_content(&tall).y +
                             (plan.notes.n > 0 ? plan.notes_place.h + 8 * view_unit(frame) : 0);
    arena_free(plan.arena);
    return height;
}

static ViewPort port(const ViewFrame *frame)
{
    BeamPlan plan;
    plan_beam(&plan, frame);
    ViewPort port = {0};
    if (plan.n > 0)
        port = (ViewPort){plan.place, fmaxf(plan.width, plan.place.w),
                          fmaxf(plan.height, plan.place.h), 1};
    arena_free(plan.arena);
    return port;
}

static bool offers(const Trace *trace)
{
    return trace_n_beam_nodes(trace) > 0;
}

const View view_beam = {
    "beam", "Beam", beam_settings, offers, draw, hit, wanted_height, port, NULL,
};
