#include "views/outcome.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "trace/followed.h"
#include "views/heatmap.h"

#define ROW          26.0f
#define NUMBER       52.0f
#define STEP         30.0f
#define NOTHING_ELSE 0.0005 /* smaller changes are shown as none */

/* A row: a token or a class, with what each run made of it. */
typedef struct OutcomeRow {
    const char *before, *after; /* NULL: not written there; of a class both are its name */
    double p_before, p_after;   /* NaN: none */
    double change, p_old;       /* as in followed.h */
    int32_t step;               /* of `after`; -1: none */
    bool same, is_given;
} OutcomeRow;

typedef struct OutcomePlan {
    const OutcomeSpec *spec;
    Arena *arena;
    float u;
    OutcomeRow *rows;
    int n, n_other;
    bool is_classes;
    ViewNotes notes;
    char subtitle[64];
    Rect heading, texts, table, notes_place;
    float token_w, p_w, change_w;
} OutcomePlan;

/* ---- rows ---- */

static void read_steps(OutcomePlan *p)
{
    const Trace *before = p->spec->before, *after = p->spec->after;
    Followed f = followed_new(before, after);
    p->rows = arena_get(p->arena, (size_t)f.n + 1, sizeof *p->rows);
    for (int32_t i = 0; i < f.n; i++) {
        const FollowedStep *s = &f.at[i];
        p->rows[p->n++] = (OutcomeRow){
            .before = s->before >= 0 ? trace_step(before, s->before)->token : NULL,
            .after = s->after >= 0 ? trace_step(after, s->after)->token : NULL,
            .p_before = s->p_before,
            .p_after = s->p_after,
            .change = s->change,
            .p_old = s->p_old,
            .step = s->after,
            .same = s->same,
            .is_given = s->after >= 0 && view_is_changed(after, s->after),
        };
    }
    p->n_other = (int)f.n_other;
    followed_free(&f);
}

static int verdict(const Trace *trace)
{
    int best = 0;
    for (int32_t i = 1; i < trace_n_classes(trace); i++)
        if (trace_class(trace, i)->probability > trace_class(trace, best)->probability)
            best = i;
    return best;
}

static void read_classes(OutcomePlan *p)
{
    const Trace *before = p->spec->before, *after = p->spec->after;
    int32_t n = trace_n_classes(after);
    p->is_classes = true;
    p->rows = arena_get(p->arena, (size_t)n + 1, sizeof *p->rows);
    for (int32_t i = 0; i < n && i < trace_n_classes(before); i++) {
        const TraceClass *a = trace_class(before, i), *b = trace_class(after, i);
        p->rows[p->n++] = (OutcomeRow){
            .before = a->label,
            .after = b->label,
            .p_before = a->probability,
            .p_after = b->probability,
            .change = b->probability - a->probability,
            .p_old = NAN,
            .step = -1,
            .same = i != verdict(after) || verdict(before) == verdict(after),
        };
    }
}

/* ---- plan ---- */

static void place_parts(OutcomePlan *p)
{
    const ViewFrame *frame = p->spec->frame;
    Rect rest = view_content(frame);
    ViewHeading heading = {view_word(frame, WORD_OUTCOME_TITLE), p->subtitle};
    float head = view_draw_heading(frame, NULL, rest, heading) + 8 * p->u;
    p->heading = rest;
    p->texts = (Rect){rest.x, rest.y + head, rest.w, p->is_classes ? 0 : 48 * p->u};
    p->table = (Rect){rest.x, p->texts.y + p->texts.h, rest.w, (float)(p->n + 1) * ROW * p->u};
    float y = p->table.y + p->table.h + 12 * p->u;
    p->notes_place = (Rect){rest.x, y, rest.w, 0};
    p->notes_place.h = view_draw_notes(frame, NULL, p->notes_place, &p->notes);
    float w = p->table.w - STEP * p->u;
    p->token_w = w * 0.2f;
    p->p_w = w * 0.18f;
    p->change_w = w * 0.24f;
}

static void plan_outcome(OutcomePlan *p, const OutcomeSpec *spec)
{
    *p = (OutcomePlan){.spec = spec, .arena = arena_new(), .u = view_unit(spec->frame)};
    if (trace_n_classes(spec->after) > 0)
        read_classes(p);
    else
        read_steps(p);
    if (!p->is_classes)
        snprintf(p->subtitle, sizeof p->subtitle, view_word(spec->frame, WORD_OUTCOME_SUBTITLE),
                 p->n_other, p->n);
    ViewFrame after = *spec->frame;
    after.trace = spec->after;
    view_note_changes(&after, &p->notes);
    place_parts(p);
}

static Rect row_place(const OutcomePlan *p, int i)
{
    float h = ROW * p->u;
    return (Rect){p->table.x, p->table.y + (float)(i + 1) * h, p->table.w, h};
}

/* ---- drawing ---- */

static void put(Canvas *canvas, Rect place, const char *text, TextStyle style)
{
    style.max_width = place.w;
    float x = style.align == ALIGN_END ? place.x + place.w : place.x;
    canvas_text(canvas, (Point){x, place.y + place.h / 2 + view_baseline(&style)}, text, style);
}

/* Both outputs whole, under each other. */
static void draw_texts(const OutcomePlan *p, Canvas *canvas)
{
    const ViewFrame *frame = p->spec->frame;
    const Trace *traces[] = {p->spec->before, p->spec->after};
    const ViewWord words[] = {WORD_OUTCOME_BEFORE, WORD_OUTCOME_AFTER};
    TextStyle caption = theme_caption(frame->theme), style = theme_text(frame->theme);
    float head = fmaxf(fonts_width(frame->fonts, view_word(frame, words[0]), &caption),
                       fonts_width(frame->fonts, view_word(frame, words[1]), &caption)) +
                 10 * p->u;
    for (int i = 0; i < 2 && p->texts.h > 0; i++) {
        Rect line = {p->texts.x, p->texts.y + (float)i * 20 * p->u, p->texts.w, 20 * p->u};
        const char *text = trace_text(traces[i], "output");
        put(canvas, (Rect){line.x, line.y, head, line.h}, view_word(frame, words[i]), caption);
        style.bold = i == 1 && p->n_other > 0;
        put(canvas, (Rect){line.x + head, line.y, line.w - head, line.h}, text ? text : "", style);
    }
}

static void draw_header(const OutcomePlan *p, Canvas *canvas)
{
    const ViewFrame *frame = p->spec->frame;
    TextStyle style = theme_caption(frame->theme);
    float x = p->table.x + STEP * p->u, y = p->table.y, h = ROW * p->u;
    const ViewWord words[] = {WORD_OUTCOME_BEFORE, WORD_PROBABILITY, WORD_OUTCOME_AFTER,
                              WORD_PROBABILITY, WORD_OUTCOME_CHANGE};
    const float widths[] = {p->token_w, p->p_w, p->token_w, p->p_w, p->change_w};
    for (int k = 0; k < 5; k++) {
        put(canvas, (Rect){x, y, widths[k] - 10 * p->u, h}, view_word(frame, words[k]), style);
        x += widths[k];
    }
    canvas_fill(canvas, (Rect){p->table.x, y + h - 1, p->table.w, 1}, 0, frame->theme->line);
}

static void draw_share(const OutcomePlan *p, Canvas *canvas, Rect place, double share, Color color)
{
    if (!isfinite(share))
        return;
    TextStyle style = theme_number(p->spec->frame->theme);
    style.align = ALIGN_END;
    Rect number = {place.x + place.w - (NUMBER + 14) * p->u, place.y, NUMBER * p->u, place.h};
    put(canvas, number, view_percent(share).text, style);
    view_draw_bar(p->spec->frame, canvas,
                  (Rect){place.x, place.y + 9 * p->u, number.x - place.x, place.h - 18 * p->u},
                  (float)share, color);
}

/* From the middle, in points: to the right what grew. */
static void draw_change(const OutcomePlan *p, Canvas *canvas, Rect place, double change)
{
    const Theme *theme = p->spec->frame->theme;
    float room = place.w - (NUMBER + 10) * p->u, middle = place.x + room / 2;
    canvas_fill(canvas, (Rect){middle, place.y + 4 * p->u, 1, place.h - 8 * p->u}, 0, theme->line);
    if (!isfinite(change) || fabs(change) < NOTHING_ELSE)
        return;
    float length = (float)fmin(1, fabs(change)) * room / 2;
    Color color = change > 0 ? theme->good : theme->warning;
    canvas_fill(canvas,
                (Rect){change > 0 ? middle : middle - length, place.y + 9 * p->u, fmaxf(length, 1),
                       place.h - 18 * p->u},
                fminf(2 * p->u, length / 2), color);
    char text[VIEW_NUMBER_BYTES + 2];
    snprintf(text, sizeof text, "%s%s", change > 0 ? "+" : "", view_number(100 * change, 1).text);
    TextStyle style = theme_number(theme);
    style.align = ALIGN_END;
    style.color = color;
    put(canvas, place, text, style);
}

static void draw_token(const OutcomePlan *p, Canvas *canvas, Rect place, const char *token,
                       TextStyle style)
{
    place.w -= 12 * p->u;
    if (!token) {
        token = "\u2013";
        style.color = p->spec->frame->theme->muted;
        style.bold = false;
    }
    put(canvas, place, token, style);
}

static void draw_row(const OutcomePlan *p, Canvas *canvas, int i)
{
    const ViewFrame *frame = p->spec->frame;
    const Theme *theme = frame->theme;
    const OutcomeRow *r = &p->rows[i];
    Rect row = row_place(p, i), cell = row;
    if (frame->hover.kind == HIT_ITEM && frame->hover.row == i && !frame->is_figure)
        canvas_fill(canvas, rect_inset(row, -6 * p->u, 0), 4 * p->u, theme->hover);
    TextStyle number = theme_number(theme), style = theme_text(theme);
    number.color = theme->muted;
    char step[16] = "";
    if (r->step >= 0)
        snprintf(step, sizeof step, "%d", (int)r->step + 1);
    put(canvas, (Rect){row.x, row.y, STEP * p->u, row.h}, step, number);
    cell.x += STEP * p->u;
    draw_token(p, canvas, (Rect){cell.x, row.y, p->token_w, row.h}, r->before, theme_muted(theme));
    cell.x += p->token_w;
    draw_share(p, canvas, (Rect){cell.x, row.y, p->p_w, row.h}, r->p_before,
               color_mix(theme->background, theme->muted, 0.55f));
    cell.x += p->p_w;
    style.bold = !r->same;
    style.color = r->same ? theme->text : theme->accent;
    draw_token(p, canvas, (Rect){cell.x, row.y, p->token_w, row.h}, r->after, style);
    if (r->is_given)
        view_draw_changed(frame, canvas, (Point){cell.x - 7 * p->u, row.y + row.h / 2});
    cell.x += p->token_w;
    draw_share(p, canvas, (Rect){cell.x, row.y, p->p_w, row.h}, r->p_after, theme->accent);
    cell.x += p->p_w;
    draw_change(p, canvas, (Rect){cell.x, row.y, p->change_w, row.h}, r->change);
    canvas_tag(canvas, row, TAG_ITEM, r->after ? r->after : r->before, r->same ? "same" : "other");
}

void outcome_draw(const OutcomeSpec *spec, Canvas *canvas)
{
    OutcomePlan p;
    plan_outcome(&p, spec);
    view_draw_heading(spec->frame, canvas, p.heading,
                      (ViewHeading){view_word(spec->frame, WORD_OUTCOME_TITLE), p.subtitle});
    draw_texts(&p, canvas);
    draw_header(&p, canvas);
    for (int i = 0; i < p.n; i++)
        draw_row(&p, canvas, i);
    view_draw_notes(spec->frame, canvas, p.notes_place, &p.notes);
    view_draw_tooltip(spec->frame, canvas, &spec->frame->hover);
    arena_free(p.arena);
}

/* ---- hits, sizes, numbers ---- */

static ViewHit row_hit(const OutcomePlan *p, int i)
{
    const ViewFrame *frame = p->spec->frame;
    const OutcomeRow *r = &p->rows[i];
    ViewHit hit = {.kind = HIT_ITEM, .axis = -1, .row = i, .col = r->step};
    hit.place = row_place(p, i);
    hit.place.w = 0; /* beside its left end */
    if (r->same || p->is_classes)
        view_hit_add(&hit, "%s", r->after);
    else
        view_hit_add(&hit, "%s \u2192 %s", r->before ? r->before : "\u2013",
                     r->after ? r->after : "\u2013");
    if (isfinite(r->p_before))
        view_hit_add(&hit, "%s %s %%", view_word(frame, WORD_OUTCOME_BEFORE),
                     view_percent(r->p_before).text);
    if (isfinite(r->p_after))
        view_hit_add(&hit, "%s %s %%", view_word(frame, WORD_OUTCOME_AFTER),
                     view_percent(r->p_after).text);
    if (isfinite(r->p_old) && !r->same && r->before)
        view_hit_add(&hit, view_word(frame, WORD_OUTCOME_OLD), r->before,
                     view_percent(r->p_old).text);
    if (r->is_given)
        view_hit_add(&hit, "%s", view_word(frame, WORD_OUTCOME_GIVEN));
    return hit;
}

ViewHit outcome_hit(const OutcomeSpec *spec, float x, float y)
{
    OutcomePlan p;
    ViewHit hit = {0};
    plan_outcome(&p, spec);
    for (int i = 0; i < p.n && hit.kind == HIT_NOTHING; i++)
        if (rect_contains(row_place(&p, i), x, y))
            hit = row_hit(&p, i);
    arena_free(p.arena);
    return hit;
}

float outcome_wanted_height(const OutcomeSpec *spec, float width)
{
    OutcomePlan p;
    ViewFrame frame = *spec->frame;
    OutcomeSpec tall = *spec;
    frame.area = (Rect){0, 0, width, 400 * view_unit(spec->frame)};
    tall.frame = &frame;
    plan_outcome(&p, &tall);
    float height = p.notes_place.y + p.notes_place.h + view_content(&frame).y;
    arena_free(p.arena);
    return height;
}

void outcome_write(const OutcomeSpec *spec, Table *table)
{
    static const char *const names[] = {"step",    "before", "p before",           "after",
                                        "p after", "change", "p of before, after", "given"};
    OutcomePlan p;
    plan_outcome(&p, spec);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        table_add_text(table, names[k]);
    table_end_row(table);
    for (int i = 0; i < p.n; i++) {
        const OutcomeRow *r = &p.rows[i];
        table_add_int(table, r->step + 1);
        table_add_text(table, r->before ? r->before : "");
        table_add_double(table, r->p_before);
        table_add_text(table, r->after ? r->after : "");
        table_add_double(table, r->p_after);
        table_add_double(table, r->change);
        table_add_double(table, r->p_old);
        table_add_int(table, r->is_given);
        table_end_row(table);
    }
    arena_free(p.arena);
}
