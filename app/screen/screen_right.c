/* The panel at the right: the inspector of the current step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "screen/dump.h"
#include "screen/note_words.h"
#include "screen/screen_words.h"
#include "screen/what_if.h"

#define MOST_BARS 12

/* Percentages, in bars; returns the row that was pressed, or -1. */
static bool bar(App *app, Rect *rest, const char *kind, int i, const char *label, double p,
                bool chosen)
{
    char name[48], number[16];
    snprintf(name, sizeof name, "%s.%d", kind, i);
    snprintf(number, sizeof number, p < 0.01 ? "%.2f" : "%.1f", p * 100);
    const UiControl control = {.name = name, .label = label};
    return ui_bar(app->ui, rest, &control, (float)p, number, chosen);
}

static void candidates(App *app, Rect *rest, const TraceStep *step)
{
    char text[64];
    bool is_answer = trace_n_classes(app->trace) > 0; /* and no word to write */
    snprintf(text, sizeof text,
             ui_word(app->ui, is_answer ? STRING_ANSWER_AFTER : STRING_NEXT_WORD),
             app_step(app) + 1);
    ui_heading(app->ui, rest, text);
    for (int i = 0; i < step->n_candidates; i++) {
        const TraceCandidate *c = &step->candidates[i];
        if (!bar(app, rest, "candidate", i, c->token, c->probability, c->id == step->id) ||
            is_answer)
            continue;
        /* Written instead, and decoded again from there. */
        run_edits_forget_after(app->doc.edits, app_step(app));
        run_edits_set_token(app->doc.edits, app_step(app), c->id, c->token);
        app_edited(app);
        return;
    }
}

/* Which classes to show: a few in their order, of many the likeliest first. */
static int choose_classes(const Trace *trace, int order[MOST_BARS])
{
    int n = trace_n_classes(trace), shown = 0;
    for (int i = 0; i < n; i++) {
        double p = trace_class(trace, i)->probability;
        int at = shown;
        while (n > MOST_BARS && at > 0 && trace_class(trace, order[at - 1])->probability < p)
            at--;
        if (at == MOST_BARS)
            continue;
        shown += shown < MOST_BARS;
        for (int k = shown - 1; k > at; k--)
            order[k] = order[k - 1];
        order[at] = i;
    }
    return shown;
}

static void classes(App *app, Rect *rest)
{
    int order[MOST_BARS], shown = choose_classes(app->trace, order);
    int n = trace_n_classes(app->trace), best = 0;
    ui_heading(app->ui, rest, ui_word(app->ui, STRING_CLASS));
    for (int i = 1; i < n; i++)
        if (trace_class(app->trace, i)->probability > trace_class(app->trace, best)->probability)
            best = i;
    for (int i = 0; i < shown; i++) {
        const TraceClass *c = trace_class(app->trace, order[i]);
        bar(app, rest, "class", order[i], c->label, c->probability, order[i] == best);
    }
}

/* The cell under the pointer, or the one that was clicked. */
static void cell(App *app, Rect *rest, Rect panel)
{
    const ViewHit *hit = app->hover.kind == HIT_CELL ? &app->hover : &app->selected;
    if (hit->kind != HIT_CELL || hit->n_lines == 0)
        return;
    ui_rule(app->ui, rest, panel);
    ui_heading(app->ui, rest, ui_word(app->ui, STRING_THIS_CELL));
    for (int i = 0; i < hit->n_lines; i++)
        ui_note(app->ui, rest, hit->lines[i]);
}

/* The sentence that was clicked, or that of the word that was: -1. */
static int32_t chosen_sentence(const App *app, int32_t axis)
{
    const ViewHit *hit = &app->selected;
    if (hit->kind != HIT_ITEM || axis < 0 || hit->axis >= trace_n_axes(app->trace))
        return -1;
    const TraceAxis *chosen = trace_axis(app->trace, hit->axis);
    int32_t item =
        hit->axis == axis ? hit->row
        : chosen->parent && chosen->parent_axis == axis && hit->row >= 0 && hit->row < chosen->len
            ? chosen->parent[hit->row]
            : -1;
    return item < trace_axis(app->trace, axis)->len ? item : -1;
}

/* The text without it; the field can take that back. */
static void take_out(App *app, const TraceSpan *span)
{
    Error error = {0};
    const char *text = trace_text(app->trace, "input");
    size_t end = (size_t)span->end;
    while (text[end] == ' ')
        end++;
    StrBuf rest = {0};
    strbuf_addf(&rest, "%.*s%s", (int)span->begin, text, text + end);
    if (!edit_replace_all(app->input, rest.text, &error))
        app_say(app, &error);
    strbuf_free(&rest);
    app->selected = (ViewHit){0};
}

typedef struct WeighedWord {
    int32_t word;
    float weight;
} WeighedWord;

static int heavier_first(const void *a, const void *b)
{
    const WeighedWord *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : x->word - y->word;
}

/* Where the attention within the sentence lies: its heaviest words as bars. */
static void sentence_words(App *app, Rect *rest, int32_t sentence)
{
    const TraceTensor *tensor = trace_find(app->trace, "word.weights");
    int32_t axis = trace_find_axis(app->trace, "word");
    if (!tensor || tensor->rank != 1 || tensor->axis[0] != axis)
        return;
    const TraceAxis *words = trace_axis(app->trace, axis);
    if (!words->parent || !words->labels)
        return;
    TraceMatrix m = trace_matrix(app->trace, tensor, NULL);
    WeighedWord *all = memory_new((size_t)words->len + 1, sizeof *all);
    int32_t n = 0;
    for (int32_t i = 0; i < words->len; i++)
        if (words->parent[i] == sentence)
            all[n++] = (WeighedWord){i, trace_matrix_get(&m, 0, i)};
    qsort(all, (size_t)n, sizeof *all, heavier_first);
    for (int32_t i = 0; i < n && i < MOST_BARS; i++)
        bar(app, rest, "word", i, words->labels[all[i].word], (double)all[i].weight,
            app->selected.axis == axis && app->selected.row == all[i].word);
    free(all);
}

static void sentence(App *app, Rect *rest, Rect panel)
{
    int32_t axis = trace_find_axis(app->trace, "sentence"), i = chosen_sentence(app, axis);
    if (i < 0 || !app_reads_documents(app) || !trace_axis(app->trace, axis)->spans)
        return;
    char text[64];
    const TraceAxis *a = trace_axis(app->trace, axis);
    ui_rule(app->ui, rest, panel);
    snprintf(text, sizeof text, ui_word(app->ui, STRING_SENTENCE_OF), (int)i + 1, (int)a->len);
    ui_heading(app->ui, rest, text);
    bool is_word = app->selected.axis != axis; /* the sentence's own first line is the heading */
    for (int k = is_word ? 0 : 1; k < app->selected.n_lines; k++)
        ui_note(app->ui, rest, app->selected.lines[k]);
    const UiControl control = {.name = "sentence.remove",
                               .label = ui_word(app->ui, STRING_TAKE_OUT)};
    Rect row = rect_pad(rect_cut_top(rest, 36), 16, 4);
    bool out = ui_button(app->ui, rect_cut_left(&row, ui_button_width(app->ui, &control)), &control,
                         UI_FRAMED, false);
    sentence_words(app, rest, i);
    if (out)
        take_out(app, &a->spans[i]);
}

static void scalars(App *app, Rect *rest, Rect panel, const TraceStep *step)
{
    if (step->n_scalars == 0)
        return;
    ui_rule(app->ui, rest, panel);
    ui_heading(app->ui, rest, ui_word(app->ui, STRING_THIS_STEP));
    for (int i = 0; i < step->n_scalars; i++) {
        char value[48];
        bool nats = strcmp(step->scalars[i].name, "entropy") == 0;
        snprintf(value, sizeof value,
                 isnan(step->scalars[i].value) ? "…" /* still to come */
                 : nats                        ? "%.2f nats"
                                               : "%.3g",
                 step->scalars[i].value);
        ui_pair(app->ui, rest, screen_word(app->language, step->scalars[i].name), value);
    }
}

static bool change(App *app, Rect *rest, int i)
{
    StrBuf text = {0};
    change_describe(app, run_edits_at(app->doc.edits, i), &text);
    Rect row = rect_pad(rect_cut_top(rest, 24), 16, 0);
    char name[32];
    snprintf(name, sizeof name, "undo.%d", i);
    const UiControl undo = {.name = name, .label = ui_word(app->ui, STRING_UNDO_ONE)};
    Rect button = rect_cut_right(&row, ui_button_width(app->ui, &undo));
    ui_label(app->ui, row, text.text, theme_text(&app->theme));
    strbuf_free(&text);
    return ui_button(app->ui, button, &undo, UI_QUIET, false);
}

/* What a person can change in the view that is open. */
static StringId how_to_change(const App *app)
{
    const char *view = app->doc.view->name;
    if (strcmp(view, "selection") == 0 && trace_find(app->trace, "head.probabilities"))
        return STRING_CLICK_TO_FLIP;
    if (strcmp(view, "image") == 0 && model_task(app->model) == TASK_DIGIT)
        return STRING_CLICK_TO_LOOK;
    if (strcmp(view, "text") == 0)
        return STRING_RIGHT_CLICK_WORD;
    bool paints = strcmp(view, "heatmap") == 0 && (trace_find(app->trace, "attention.weights") ||
                                                   trace_find(app->trace, "cross.weights"));
    return paints ? STRING_NO_CHANGES : STRING_NONE_YET;
}

static void changes(App *app, Rect *rest, Rect panel)
{
    ui_rule(app->ui, rest, panel);
    ui_heading(app->ui, rest, ui_word(app->ui, STRING_CHANGES));
    int n = run_edits_count(app->doc.edits);
    if (n == 0)
        ui_note(app->ui, rest, ui_word(app->ui, how_to_change(app)));
    for (int i = 0; i < n; i++)
        if (change(app, rest, i)) {
            run_edits_remove(app->doc.edits, i);
            app_edited(app);
            return;
        }
}

static void notes(App *app, Rect *rest, Rect panel)
{
    int n = trace_n_notes(app->trace);
    if (n == 0)
        return;
    ui_rule(app->ui, rest, panel);
    ui_heading(app->ui, rest, ui_word(app->ui, STRING_NOTES));
    for (int i = 0; i < n; i++) {
        StrBuf note = {0};
        note_say(app->language, trace_note(app->trace, i), &note);
        ui_note(app->ui, rest, note.text);
        strbuf_free(&note);
    }
}

void screen_right(App *app, Rect panel)
{
    if (!app->trace)
        return;
    Rect content = ui_scroll_begin(app->ui, "right", panel);
    Rect rest = content;
    rest.h = 4000;
    float top = rest.y;
    rect_cut_top(&rest, 10);
    const TraceStep *step = app_n_steps(app) > 0 ? trace_step(app->trace, app_step(app)) : NULL;
    bool is_last = app_step(app) + 1 >= app_n_steps(app);
    /* A reader and a classifier by stages have no answer before their last step. */
    bool reads = step && (!isnan(trace_step_scalar(step, "asked")) || app_has_stages(app));
    if (trace_n_classes(app->trace) > 0 && (is_last || !reads))
        classes(app, &rest);
    if (step && step->n_candidates > 0 && !(is_last && trace_n_classes(app->trace) > 0))
        candidates(app, &rest, step);
    cell(app, &rest, panel);
    sentence(app, &rest, panel);
    if (step)
        scalars(app, &rest, panel, step);
    if (app->model)
        changes(app, &rest, panel);
    screen_followed(app, &rest, panel);
    screen_distances(app, &rest, panel);
    dump_findings(app, &rest, panel);
    notes(app, &rest, panel);
    ui_scroll_end(app->ui, rest.y - top + 12);
}
