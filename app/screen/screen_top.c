/* The bar at the top: which model, what it reads, and the window's own buttons. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "screen/app_internal.h"

#define GAP           8
#define FIELD_HEIGHT  30
#define PAPER_HEIGHT  126
#define MOST_OPTIONS  128
#define MOST_EXAMPLES 16
#define EXAMPLE_BYTES 96

/* "en → fr" from "en-fr-additive"; the rest of the name is the note. */
static void short_name(const char *name, char label[64], char note[64])
{
    const char *first = strchr(name, '-');
    const char *second = first ? strchr(first + 1, '-') : NULL;
    bool is_pair = first && second && first - name == 2 && second - first == 3;
    if (is_pair) {
        snprintf(label, 64, "%.2s → %.2s", name, first + 1);
        snprintf(note, 64, "%.60s", second + 1);
    } else {
        snprintf(label, 64, "%.63s", name);
        note[0] = '\0';
    }
}

typedef struct ModelOptions {
    UiOption option[MOST_OPTIONS];
    char label[MOST_OPTIONS][64], note[MOST_OPTIONS][64];
    int n, chosen;
} ModelOptions;

static void list_models(const App *app, ModelOptions *list)
{
    const Catalogue *c = app->catalogue;
    list->n = c->n < MOST_OPTIONS - 1 ? c->n : MOST_OPTIONS - 1;
    list->chosen = catalogue_find(c, app->doc.model);
    for (int i = 0; i < list->n; i++) {
        const CatalogueEntry *e = &c->entries[i];
        short_name(e->name, list->label[i], list->note[i]);
        list->option[i] = (UiOption){
            .label = list->label[i],
            .note = list->note[i],
            .help = e->is_read ? e->facts.title : e->problem,
            .group = catalogue_group(e),
            .disabled = e->problem != NULL,
        };
    }
    if (list->chosen >= 0 || (!app->model && !app->dump))
        return;
    /* A model or a dump that was opened from a file stands at the end. */
    list->chosen = list->n;
    const char *name = app->model ? model_name(app->model) : file_base_name(app->doc.file);
    snprintf(list->label[list->n], 64, "%.63s", name);
    snprintf(list->note[list->n], 64, "%s", app->model ? "" : ui_word(app->ui, STRING_IMPORTED));
    list->option[list->n] = (UiOption){
        .label = list->label[list->n],
        .note = list->note[list->n],
        .help = app->model ? model_title(app->model) : import_format(app->dump),
    };
    list->n++;
}

static void model_choice(App *app, Rect *bar)
{
    ModelOptions list = {.n = 0};
    list_models(app, &list);
    float width = list.chosen >= 0 ? ui_choice_width(app->ui, &list.option[list.chosen]) : 120;
    Rect place = rect_middle(rect_cut_left(bar, width), width, FIELD_HEIGHT);
    rect_cut_left(bar, GAP);
    int chosen = list.chosen;
    const UiControl control = {.name = "model", .action = ACTION_MODEL_CHOOSE, .label = NULL};
    if (!ui_choice(app->ui, place, &control, UI_FRAMED, list.option, list.n, &chosen) ||
        chosen >= app->catalogue->n)
        return;
    Error error = {0};
    if (!app_use_model(app, app->catalogue->entries[chosen].name, &error))
        app_say(app, &error);
}

static void buttons(App *app, Rect *bar)
{
    static const struct {
        const char *name;
        Action action;
        Icon icon;
    } icons[] = {
        {"help", ACTION_HELP, ICON_HELP},
        {"language", ACTION_LANGUAGE, ICON_LANGUAGE},
        {"theme", ACTION_THEME, ICON_THEME},
    };
    const UiControl export = {
        .name = "export", .label = ui_word(app->ui, STRING_EXPORT), .action = ACTION_EXPORT};
    float width = ui_button_width(app->ui, &export);
    ui_button(app->ui, rect_middle(rect_cut_right(bar, width), width, FIELD_HEIGHT), &export,
              UI_PRIMARY, false);
    rect_cut_right(bar, GAP);
    for (size_t i = 0; i < sizeof icons / sizeof icons[0]; i++) {
        const UiControl control = {
            .name = icons[i].name, .action = icons[i].action, .icon = icons[i].icon};
        ui_button(app->ui, rect_middle(rect_cut_right(bar, 34), 30, FIELD_HEIGHT), &control,
                  UI_QUIET, false);
        rect_cut_right(bar, 4);
    }
}

/* ---- fields ---- */

static bool field(App *app, Rect place, const char *name, StringId hint, Edit *edit,
                  uint64_t *version)
{
    Error error = {0};
    const UiControl control = {.name = name, .label = ui_word(app->ui, hint)};
    unsigned what = ui_field(app->ui, place, &control, edit, &error);
    if (what & UI_FIELD_REFUSED)
        app_say(app, &error);
    bool changed = edit_version(edit) != *version;
    *version = edit_version(edit);
    return changed;
}

/* Of a document only how it begins. */
static void first_line(const char *text, char line[EXAMPLE_BYTES])
{
    size_t n = strcspn(text, "\n");
    bool cut = text[n] != '\0';
    if (n > EXAMPLE_BYTES - 4) {
        n = utf8_valid_prefix(text, EXAMPLE_BYTES - 4);
        cut = true;
    }
    snprintf(line, EXAMPLE_BYTES, "%.*s%s", (int)n, text, cut ? "\u2026" : "");
}

static void input_changed(App *app)
{
    document_set_text(&app->doc, edit_text(app->input));
    app->at_end = true;
    app_run(app);
}

static void target_changed(App *app)
{
    run_edits_set_force(app->doc.edits, edit_text(app->target));
    app_edited(app);
}

/* "sentences: 15 · words: 187" */
static void document_label(App *app, Rect bar)
{
    const char *of = app_reads_documents(app) ? "word" : "document";
    int32_t words = app->trace ? trace_find_axis(app->trace, of) : -1;
    int32_t sentences = app->trace ? trace_find_axis(app->trace, "sentence") : -1;
    if (words < 0 || sentences < 0)
        return;
    char text[96];
    snprintf(text, sizeof text, ui_word(app->ui, STRING_DOCUMENT_OF),
             (int)trace_axis(app->trace, sentences)->len, (int)trace_axis(app->trace, words)->len);
    rect_cut_left(&bar, GAP);
    ui_label(app->ui, bar, text, theme_muted(&app->theme));
}

static void question_changed(App *app)
{
    document_set_question(&app->doc, edit_text(app->question));
    app->at_end = true;
    app_run(app);
}

/* Beside the story: what is asked, and below it which story of a file it is. */
static void question_column(App *app, Rect place)
{
    if (field(app, rect_cut_top(&place, FIELD_HEIGHT), "question", STRING_TYPE_A_QUESTION,
              app->question, &app->question_version))
        question_changed(app);
    rect_cut_top(&place, GAP);
    if (place.h >= FIELD_HEIGHT)
        story_button(app, rect_cut_top(&place, FIELD_HEIGHT));
}

void screen_paper(App *app, Rect *window)
{
    if (!app_reads_lines(app))
        return;
    bool asks = !app_reads_documents(app);
    Rect place = rect_cut_top(window, fminf(PAPER_HEIGHT, window->h / 3));
    canvas_fill(app->canvas, (Rect){place.x, place.y + place.h - 1, place.w, 1}, 0,
                app->theme.line);
    place = rect_pad(place, 24, 12);
    if (asks) {
        question_column(app, rect_cut_right(&place, floorf((place.w - GAP) * 0.38f)));
        rect_cut_right(&place, GAP);
    }
    if (field(app, place, "input", asks ? STRING_TYPE_A_STORY : STRING_TYPE_A_DOCUMENT, app->input,
              &app->input_version))
        input_changed(app);
}

static void fields(App *app, Rect bar)
{
    if (app_reads_lines(app)) {
        document_label(app, bar);
        return;
    }
    Rect place = rect_middle(bar, bar.w, FIELD_HEIGHT);
    if (app->target_is_open) {
        Rect second = rect_cut_right(&place, floorf((place.w - GAP) * 0.5f));
        rect_cut_right(&place, GAP);
        if (field(app, second, "target", STRING_TYPE_A_TARGET, app->target, &app->target_version))
            target_changed(app);
    }
    StringId hint = STRING_TYPE_A_SENTENCE;
    if (app->model && model_task(app->model) == TASK_DIGIT)
        hint = STRING_TYPE_STROKES;
    else if (app->model && model_task(app->model) == TASK_CAPTION)
        hint = STRING_TYPE_A_SCENE;
    if (field(app, place, "input", hint, app->input, &app->input_version))
        input_changed(app);
}

/* Of a dump: which sentence, and a way to the others. */
static void sentence_button(App *app, Rect bar)
{
    const char *label = import_label(app->dump, app->doc.sentence);
    char note[48];
    snprintf(note, sizeof note, ui_word(app->ui, STRING_SENTENCE_OF), app->doc.sentence + 1,
             import_count(app->dump));
    const UiControl control = {.name = "sentence", .label = label, .note = note};
    if (ui_button(app->ui, rect_middle(bar, bar.w, FIELD_HEIGHT), &control, UI_FRAMED, false))
        ui_open(app->ui, "sentences");
}

/* What the model brings to be tried, one click each. */
static void examples(App *app, Rect *bar)
{
    UiOption list[MOST_EXAMPLES];
    char lines[MOST_EXAMPLES][EXAMPLE_BYTES];
    int n = 0, chosen = -1;
    for (const char *text; n < MOST_EXAMPLES && (text = model_example(app->model, n)); n++) {
        first_line(text, lines[n]);
        list[n] = (UiOption){.label = lines[n]};
        if (app_is_example(app, text))
            chosen = n;
    }
    if (n == 0)
        return;
    const UiOption button = {.label = ui_word(app->ui, STRING_EXAMPLES)};
    float width = ui_choice_width(app->ui, &button);
    Rect place = rect_middle(rect_cut_right(bar, width), width, FIELD_HEIGHT);
    rect_cut_right(bar, GAP);
    const UiControl control = {.name = "examples", .label = button.label};
    if (!ui_choice(app->ui, place, &control, UI_FRAMED, list, n, &chosen))
        return;
    app_take_example(app, model_example(app->model, chosen));
    app->at_end = true;
    app_fill_fields(app);
    app_run(app);
}

void screen_top(App *app, Rect place)
{
    Rect bar = rect_pad(place, 12, 0);
    model_choice(app, &bar);
    buttons(app, &bar);
    rect_cut_right(&bar, 12);
    if (app->dump)
        sentence_button(app, bar);
    else {
        if (app->model)
            examples(app, &bar);
        fields(app, bar);
    }
}
