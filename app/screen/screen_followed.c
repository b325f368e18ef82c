/* What followed from the changes: the output against the original, token by token, with what
 * the model gave each of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "screen/what_if.h"
#include "trace/followed.h"
#include "views/view_tools.h"

#define PAD          16
#define NUMBER_WIDTH 46
#define CHANGE_WIDTH 56
#define NOTHING_ELSE 0.0005 /* smaller changes are shown as none */

/* The run without the changes, or what stands beside in Compare. */
static const Trace *original(const App *app)
{
    if (run_edits_count(app->doc.edits) > 0)
        return app->plain && app->plain != app->trace ? app->plain : NULL;
    const Trace *other = strcmp(app->doc.view->name, "compare") == 0 ? app_other(app) : NULL;
    const char *a = other ? trace_text(other, "input") : NULL, *b = trace_text(app->trace, "input");
    return a && b && strcmp(a, b) == 0 ? other : NULL; /* outputs of one text only */
}

/* What is written in both, or what became what; quotation marks keep words of either direction
 * on their side of the arrow. */
static void describe(const App *app, const Trace *before, const FollowedStep *s, StrBuf *out)
{
    const char *old = s->before >= 0 ? trace_step(before, s->before)->token : NULL;
    const char *now = s->after >= 0 ? trace_step(app->trace, s->after)->token : NULL;
    if (s->same)
        strbuf_add(out, now);
    else if (old && now)
        strbuf_addf(out, "\u201c%s\u201d → \u201c%s\u201d", old, now);
    else
        strbuf_addf(out, "%s \u201c%s\u201d", now ? "+" : "−", now ? now : old);
}

/* Probabilities in percent, a change in points with its sign. */
static void draw_numbers(App *app, Rect *row, const FollowedStep *s)
{
    Rect change = rect_cut_right(row, CHANGE_WIDTH), p = rect_cut_right(row, NUMBER_WIDTH);
    double shown = s->after >= 0 ? s->p_after : s->p_before;
    TextStyle style = theme_number(&app->theme);
    style.align = ALIGN_END;
    if (s->after < 0)
        style.color = app->theme.muted;
    ui_label(app->ui, p, view_percent(shown).text, style);
    if (!isfinite(s->change) || fabs(s->change) < NOTHING_ELSE)
        return;
    char text[VIEW_NUMBER_BYTES + 2];
    snprintf(text, sizeof text, "%s%s", s->change > 0 ? "+" : "",
             view_number(100 * s->change, 1).text);
    style.color = s->change > 0 ? app->theme.good : app->theme.warning;
    ui_label(app->ui, change, text, style);
}

static void draw_row(App *app, Rect *rest, const Trace *before, const FollowedStep *s, int i)
{
    Rect row = rect_cut_top(rest, app->theme.line_height);
    char name[32];
    snprintf(name, sizeof name, "followed.%d", i);
    UiArea area = ui_area(app->ui, name, row);
    if (area.inside && s->after >= 0) {
        canvas_fill(ui_canvas(app->ui), rect_pad(row, PAD - 8, 0), 4, app->theme.hover);
        ui_set_cursor(app->ui, UI_CURSOR_HAND);
    }
    Rect inside = rect_pad(row, PAD, 0);
    StrBuf text = {0};
    describe(app, before, s, &text);
    draw_numbers(app, &inside, s);
    TextStyle style = theme_text(&app->theme);
    style.bold = !s->same;
    style.color = s->after < 0 ? app->theme.muted : s->same ? app->theme.text : app->theme.accent;
    ui_label(app->ui, inside, text.text, style);
    canvas_tag(ui_canvas(app->ui), row, TAG_ITEM, name, text.text);
    strbuf_free(&text);
    if (area.released && s->after >= 0)
        app_go_to(app, s->after);
}

static void draw_classes(App *app, Rect *rest, const Trace *before)
{
    int n = trace_n_classes(app->trace);
    for (int i = 0; i < n && i < trace_n_classes(before) && i < 8; i++) {
        const TraceClass *a = trace_class(before, i), *b = trace_class(app->trace, i);
        char value[80];
        snprintf(value, sizeof value, "%s → %s %%", view_percent(a->probability).text,
                 view_percent(b->probability).text);
        ui_pair(app->ui, rest, b->label, value);
    }
}

/* ---- instead of a view ---- */

bool followed_is_offered(const App *app)
{
    return app->trace && !app->dump &&
           original(app) != NULL; /* of two files neither is the other */
}

void screen_followed_pane(App *app, Rect place)
{
    ViewFrame frame = app_view_frame(app, place);
    frame.hover = (ViewHit){0};
    const OutcomeSpec spec = {&frame, original(app), app->trace};
    Rect content = ui_scroll_begin(app->ui, "followed", place);
    float height = outcome_wanted_height(&spec, frame.area.w);
    frame.area.y = content.y;
    frame.area.h = fmaxf(frame.area.h, height);
    UiArea pointer = ui_area(app->ui, "figure", place);
    if (pointer.inside)
        frame.hover = outcome_hit(&spec, pointer.x, pointer.y);
    app->hover = frame.hover;
    outcome_draw(&spec, ui_canvas(app->ui));
    ui_scroll_end(app->ui, height);
    if (pointer.released && frame.hover.kind == HIT_ITEM && frame.hover.col >= 0)
        app_go_to(app, frame.hover.col);
}

Seen followed_seen(const App *app)
{
    const Trace *before = original(app);
    OutcomePicture *picture = outcome_picture_new(before, app->trace);
    return (Seen){
        .drawing = outcome_picture_drawing(picture),
        .name = "followed",
        .version = trace_id(before),
        .release = outcome_picture_free,
        .context = picture,
    };
}

/* ---- in the inspector ---- */

void screen_followed(App *app, Rect *rest, Rect panel)
{
    if (!followed_is_offered(app))
        return;
    const Trace *before = original(app);
    Followed f = followed_new(before, app->trace);
    ui_rule(app->ui, rest, panel);
    ui_heading(app->ui, rest, ui_word(app->ui, STRING_FOLLOWED));
    char note[96];
    if (trace_n_classes(app->trace) > 0)
        draw_classes(app, rest, before);
    else {
        snprintf(note, sizeof note, ui_word(app->ui, STRING_TOKENS_DIFFER), (int)f.n_other,
                 (int)f.n);
        ui_note(app->ui, rest, note);
        for (int i = 0; i < f.n; i++)
            draw_row(app, rest, before, &f.at[i], i);
    }
    followed_free(&f);
}
