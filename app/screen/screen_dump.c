/* A dump in the panels: what can be done with it at the left, at the right what its numbers
 * say; and the dialog that takes typed tokens. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "screen/dump.h"
#include "screen/note_words.h"
#include "screen/screen_words.h"
#include "views/view_tools.h"

/* ---- at the left ---- */

void dump_rows(App *app, Rect *panel)
{
    static const struct {
        const char *name;
        StringId label;
        Action action;
    } rows[] = {
        {"dump.sentences", STRING_ALL_SENTENCES, ACTION_SENTENCES},
        {"dump.turn", STRING_TURN_AXES, ACTION_TRANSPOSE},
        {"dump.tokens", STRING_TYPE_TOKENS, ACTION_TOKENS},
        {"dump.gold", STRING_GOLD_FILE, ACTION_GOLD_FILE},
        {"dump.beside", STRING_FILE_BESIDE, ACTION_BESIDE},
    };
    if (!app->dump)
        return;
    ui_caption(app->ui, panel, ui_word(app->ui, STRING_DUMP_FILE));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const UiControl control = {.name = rows[i].name, .label = ui_word(app->ui, rows[i].label)};
        Rect row = rect_pad(rect_cut_top(panel, app->theme.row), 8, 0);
        if (ui_item(app->ui, row, &control, false))
            app_do(app, rows[i].action);
        rect_cut_top(panel, 1);
    }
    rect_cut_top(panel, 12);
}

bool dump_compare_options(App *app, Rect *panel)
{
    const char *path = app->dump_work->beside_path;
    if (!app->dump || (!path && app->doc.n_pins > 0))
        return false;
    char name[96] = "";
    const char *base = path ? file_base_name(path) : "";
    utf8_clean(base, strlen(base), name, sizeof name);
    const UiControl control = {
        .name = "compare.file",
        .label = ui_word(app->ui, STRING_COMPARE_WITH),
        .note = path ? name : ui_word(app->ui, STRING_NO_FILE_BESIDE),
    };
    if (ui_item(app->ui, rect_pad(rect_cut_top(panel, app->theme.row), 8, 0), &control, false))
        app_do(app, ACTION_BESIDE);
    return true;
}

/* ---- at the right: measures ---- */

static void measures(App *app, Rect *rest, Rect panel)
{
    const ImportMeasures *m = &app->dump_work->here;
    if (m->rows <= 0)
        return;
    char text[64];
    ui_rule(app->ui, rest, panel);
    ui_heading(app->ui, rest, ui_word(app->ui, STRING_MEASURES));
    snprintf(text, sizeof text, ui_word(app->ui, STRING_N_ITEMS), m->cols, m->rows);
    ui_note(app->ui, rest, text);
    for (int k = 1; k < IMPORT_N_MEASURES; k++) {
        double value = import_measure_value(m, k);
        if (isnan(value))
            continue;
        snprintf(text, sizeof text, "measure.%s", import_measure_name(k));
        const char *label = screen_word(app->language, text);
        ui_pair(app->ui, rest, label, view_number(value, 3).text);
    }
}

/* ---- at the right: what is odd ---- */

/* The sentence of a finding: how often, perhaps the worst value, where. */
static void write_finding(const App *app, const TraceFinding *f, char *out, size_t size)
{
    static const StringId ids[TRACE_CHECK_N] = {STRING_CHECK_NAN,          STRING_CHECK_INFINITE,
                                                STRING_CHECK_NEGATIVE,     STRING_CHECK_ROW_SUM,
                                                STRING_CHECK_COLUMN_SUM,   STRING_CHECK_ZERO_ROWS,
                                                STRING_CHECK_ZERO_COLUMNS, STRING_CHECK_UNIFORM,
                                                STRING_CHECK_SINK,         STRING_CHECK_OTHER};
    char count[24], value[24];
    StrBuf where = {0};
    note_say_place(app->language, *f->place ? f->place : "\u2013", &where);
    const char *place = where.text;
    const char *format = ui_word(app->ui, ids[f->kind]);
    snprintf(count, sizeof count, "%lld", (long long)f->count);
    snprintf(value, sizeof value, "%.4g", f->value);
    switch (f->kind) {
    case TRACE_CHECK_NEGATIVE:
    case TRACE_CHECK_ROW_SUM:
    case TRACE_CHECK_SINK: snprintf(out, size, format, count, value, place); break;
    case TRACE_CHECK_COLUMN_SUM:
    case TRACE_CHECK_OTHER: snprintf(out, size, format, count); break;
    default: snprintf(out, size, format, count, place); break;
    }
    strbuf_free(&where);
}

static void report(App *app, Rect *rest, const char *tensor, const TraceReport *r)
{
    char text[320];
    if (app->dump_work->n_reports > 1)
        ui_note(app->ui, rest, tensor);
    for (int32_t i = 0; i < r->n; i++) {
        write_finding(app, &r->findings[i], text, sizeof text);
        char name[48];
        snprintf(name, sizeof name, "finding.%d", (int)r->findings[i].kind);
        TextStyle style = theme_muted(&app->theme);
        style.color = app->theme.warning;
        Rect place = rect_pad(*rest, 16, 0);
        place.h = ui_paragraph(app->ui, place, text, style);
        rect_cut_top(rest, place.h + 2);
        canvas_tag(app->canvas, place, TAG_ITEM, name, text);
    }
    if (r->n == 0)
        ui_note(app->ui, rest, ui_word(app->ui, STRING_CHECK_NOTHING));
}

void dump_findings(App *app, Rect *rest, Rect panel)
{
    const DumpWork *w = app->dump_work;
    if (!app->dump || !app->trace || w->looked_at != trace_id(app->trace))
        return;
    if (w->n_reports > 0) {
        ui_rule(app->ui, rest, panel);
        ui_heading(app->ui, rest, ui_word(app->ui, STRING_CHECKED));
    }
    for (int i = 0; i < w->n_reports; i++)
        report(app, rest, w->tensors[i], &w->reports[i]);
    measures(app, rest, panel);
}

/* ---- tokens ---- */

static bool token_field(App *app, Rect *body, const char *name, StringId label, Edit *edit)
{
    Error error = {0};
    ui_label(app->ui, rect_cut_top(body, 24), ui_word(app->ui, label), theme_muted(&app->theme));
    const UiControl control = {.name = name, .label = ""};
    unsigned what = ui_field(app->ui, rect_cut_top(body, 32), &control, edit, &error);
    if (what & UI_FIELD_REFUSED)
        app_say(app, &error);
    rect_cut_top(body, 8);
    return (what & UI_FIELD_SUBMITTED) != 0;
}

void screen_tokens(App *app)
{
    Rect body;
    DumpWork *w = app->dump_work;
    if (!app->dump ||
        !ui_dialog_begin(app->ui, "tokens", ui_word(app->ui, STRING_TYPE_TOKENS), 640, 240, &body))
        return;
    bool done = token_field(app, &body, "tokens.source", STRING_SOURCE_TOKENS, w->source);
    done = token_field(app, &body, "tokens.target", STRING_TARGET_TOKENS, w->target) || done;
    const UiControl ok = {.name = "tokens.ok", .label = ui_word(app->ui, STRING_OK)};
    Rect foot = rect_cut_bottom(&body, 32);
    done = ui_button(app->ui, rect_cut_right(&foot, fmaxf(72, ui_button_width(app->ui, &ok))), &ok,
                     UI_PRIMARY, false) ||
           done;
    ui_dialog_end(app->ui);
    if (!done)
        return;
    Error error = {0};
    ui_close(app->ui, "tokens");
    if (!dump_says_tokens(app, edit_text(w->source), edit_text(w->target), &error))
        app_say(app, &error);
}
