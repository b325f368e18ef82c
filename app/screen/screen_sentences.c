/* The list of a dump's sentences: searched by their words, sorted by any of their measures. The
 * order is worked out only when something has changed, so that thousands scroll like ten. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/dump.h"
#include "screen/screen_words.h"
#include "views/view_tools.h"

#define MOST_LISTED 20000

/* ---- the order ---- */

typedef struct Ranked {
    double value;
    int sentence;
} Ranked;

/* What has no value stands at the end, whichever way it is sorted. */
static int by_value(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (isnan(x->value) != isnan(y->value))
        return isnan(x->value) - isnan(y->value);
    if (x->value != y->value && !isnan(x->value))
        return x->value < y->value ? -1 : 1;
    return x->sentence - y->sentence;
}

static double value_of(const DumpWork *w, int sentence, int measure)
{
    if (measure == DUMP_IN_FILE || sentence >= w->n_measured)
        return NAN;
    return import_measure_value(&w->at[sentence], measure);
}

static void write_note(const DumpWork *w, int sentence, char out[DUMP_NOTE_BYTES])
{
    double value = value_of(w, sentence, w->sort);
    if (w->sort == DUMP_IN_FILE)
        snprintf(out, DUMP_NOTE_BYTES, "%d", sentence + 1);
    else if (isnan(value))
        snprintf(out, DUMP_NOTE_BYTES, "\u2013");
    else
        snprintf(out, DUMP_NOTE_BYTES, "%s", view_number(value, w->sort == 0 ? 0 : 3).text);
}

static void list_sentences(App *app)
{
    DumpWork *w = app->dump_work;
    int n = import_count(app->dump), kept = 0;
    const char *wanted = edit_text(w->search);
    Ranked *all = memory_new((size_t)n, sizeof *all);
    for (int i = import_find(app->dump, wanted, 0); i >= 0;
         i = import_find(app->dump, wanted, i + 1)) {
        double value = value_of(w, i, w->sort);
        all[kept++] = (Ranked){w->falls ? -value : value, i};
    }
    if (w->sort != DUMP_IN_FILE && kept > 0)
        qsort(all, (size_t)kept, sizeof *all, by_value);
    free(w->order);
    free(w->notes);
    w->n_order = kept < MOST_LISTED ? kept : MOST_LISTED;
    w->order = memory_new((size_t)w->n_order + 1, sizeof *w->order);
    w->notes = memory_new((size_t)w->n_order + 1, sizeof *w->notes);
    for (int i = 0; i < w->n_order; i++) {
        w->order[i] = all[i].sentence;
        write_note(w, all[i].sentence, w->notes[i]);
    }
    w->listed_n = w->n_measured;
    w->search_version = edit_version(w->search);
    free(all);
}

/* Once all are measured, or every second: a list that moves under the pointer is of no use. */
static bool is_due(const DumpWork *w)
{
    bool grows = w->sort != DUMP_IN_FILE && w->listed_n != w->n_measured;
    bool enough = w->n_measured == w->n_total || w->n_measured >= 2 * w->listed_n;
    return w->listed_n < 0 || w->search_version != edit_version(w->search) || (grows && enough);
}

/* ---- the dialog ---- */

/* "Sort", and which way. */
static void sort_row(App *app, Rect row)
{
    DumpWork *w = app->dump_work;
    UiOption options[IMPORT_N_MEASURES + 1] = {{.label = ui_word(app->ui, STRING_IN_FILE_ORDER)}};
    char names[IMPORT_N_MEASURES][48];
    for (int k = 0; k < IMPORT_N_MEASURES; k++) {
        snprintf(names[k], sizeof names[k], "measure.%s", import_measure_name(k));
        options[k + 1].label = screen_word(app->language, names[k]);
    }
    const UiControl way = {
        .name = "sentences.way",
        .label = ui_word(app->ui, w->falls ? STRING_FALLING : STRING_RISING),
        .disabled = w->sort == DUMP_IN_FILE,
    };
    bool turned = ui_button(app->ui, rect_cut_right(&row, 112), &way, UI_FRAMED, false);
    rect_cut_right(&row, 8);
    int chosen = w->sort + 1;
    const UiControl sort = {.name = "sentences.sort", .label = ui_word(app->ui, STRING_SORT_BY)};
    bool other = ui_choice(app->ui, row, &sort, UI_QUIET, options, IMPORT_N_MEASURES + 1, &chosen);
    w->sort = chosen - 1;
    w->falls = turned ? !w->falls : w->falls;
    if (turned || other)
        w->listed_n = -1;
}

static void search_row(App *app, Rect row)
{
    Error error = {0};
    const UiControl search = {.name = "sentences.search", .label = ui_word(app->ui, STRING_SEARCH)};
    if (ui_field(app->ui, row, &search, app->dump_work->search, &error) & UI_FIELD_REFUSED)
        app_say(app, &error);
}

/* How many there are, and how far measuring has come. */
static void foot(App *app, Rect row)
{
    const DumpWork *w = app->dump_work;
    char found[96], measured[96];
    snprintf(found, sizeof found, ui_word(app->ui, STRING_SENTENCES_FOUND), w->n_order,
             import_count(app->dump));
    snprintf(measured, sizeof measured, ui_word(app->ui, STRING_MEASURED), w->n_measured,
             w->n_total);
    if (w->n_order == MOST_LISTED)
        snprintf(measured, sizeof measured, ui_word(app->ui, STRING_SENTENCES_CUT), MOST_LISTED);
    bool says_more = w->n_measured < w->n_total || w->n_order == MOST_LISTED;
    TextStyle style = theme_muted(&app->theme);
    ui_label(app->ui, row, found, style);
    style.align = ALIGN_END;
    ui_label(app->ui, row, says_more ? measured : "", style);
}

void screen_sentences(App *app)
{
    Rect body;
    DumpWork *w = app->dump_work;
    if (!app->dump ||
        !ui_dialog_begin(app->ui, "sentences", ui_word(app->ui, STRING_SENTENCES), 720, 600, &body))
        return;
    search_row(app, rect_cut_top(&body, 32));
    rect_cut_top(&body, 8);
    sort_row(app, rect_cut_top(&body, 28));
    rect_cut_top(&body, 8);
    Rect last = rect_cut_bottom(&body, 24);
    if (is_due(w))
        list_sentences(app);
    UiOption *options = memory_new((size_t)w->n_order + 1, sizeof *options);
    int chosen = -1;
    for (int i = 0; i < w->n_order; i++) {
        options[i] = (UiOption){.label = import_label(app->dump, w->order[i]), .note = w->notes[i]};
        chosen = w->order[i] == app->doc.sentence ? i : chosen;
    }
    const UiControl control = {.name = "sentences.list"};
    if (ui_list(app->ui, body, &control, options, w->n_order, NULL, &chosen) && chosen >= 0)
        dump_show(app, w->order[chosen], app->doc.flipped);
    free(options);
    foot(app, last);
    ui_dialog_end(app->ui);
}
