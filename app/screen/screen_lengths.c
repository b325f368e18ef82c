/* BLEU by source length of the models of a kind, from what their files record. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "screen/app_internal.h"
#include "screen/screen_words.h"
#include "views/lengths.h"

#define MARGIN    24
#define BIN_BYTES 48
#define OPEN_END  100000 /* a bin that has no upper end says a larger number */

typedef struct LengthsTable {
    LengthsModel models[LENGTHS_MAX_MODELS];
    char bins[LENGTHS_MAX_BINS][BIN_BYTES];
    int n_bins, n_models;
} LengthsTable;

static int number(const json_t *bin, const char *name)
{
    json_int_t value = json_integer_value(json_object_get(bin, name));
    return value > OPEN_END ? OPEN_END : (int)value;
}

/* "5-6 words (1145 sentences)" in short. */
static void write_bin(const json_t *bin, char text[BIN_BYTES])
{
    int low = number(bin, "least_words"), high = number(bin, "most_words");
    int n = number(bin, "examples");
    if (high >= OPEN_END)
        snprintf(text, BIN_BYTES, "%d+ (%d)", low, n);
    else
        snprintf(text, BIN_BYTES, "%d\u2013%d (%d)", low, high, n);
}

/* The bins of the first model name the places; a model with others is left out. */
static bool read_model(LengthsTable *table, const CatalogueEntry *e)
{
    json_t *scores = e->facts.scores ? json_loads(e->facts.scores, 0, NULL) : NULL;
    const json_t *bins = json_object_get(scores, "by_length");
    int n = (int)json_array_size(bins);
    bool first = table->n_models == 0;
    bool fits = n > 0 && n <= LENGTHS_MAX_BINS && (first || n == table->n_bins);
    LengthsModel *model = &table->models[table->n_models];
    for (int i = 0; fits && i < n; i++) {
        const json_t *bin = json_array_get(bins, (size_t)i);
        char text[BIN_BYTES];
        write_bin(bin, text);
        if (first)
            memcpy(table->bins[i], text, BIN_BYTES);
        fits = strcmp(table->bins[i], text) == 0;
        const json_t *bleu = json_object_get(bin, "bleu");
        model->score[i] = json_is_number(bleu) ? (float)json_number_value(bleu) : NAN;
    }
    if (fits) {
        table->n_bins = n;
        table->n_models++;
        model->name = e->name + lab_kind_length(e->name);
    }
    json_decref(scores);
    return fits;
}

/* Models without attention first: they are what the others are measured by. */
static void read_table(const App *app, LengthsTable *table)
{
    *table = (LengthsTable){.n_bins = 0};
    const char *names[LAB_MAX];
    int n = lab_find_kind(app, names);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n && table->n_models < LENGTHS_MAX_MODELS; i++) {
            int at = catalogue_find(app->catalogue, names[i]);
            const CatalogueEntry *e = &app->catalogue->entries[at];
            bool fixed = e->facts.attention && strcmp(e->facts.attention, "none") == 0;
            if (e->is_read && fixed == (pass == 0))
                read_model(table, e);
        }
}

bool lengths_is_offered(const App *app)
{
    LengthsTable table;
    read_table(app, &table);
    return table.n_models > 1;
}

void screen_lengths(App *app, Rect place)
{
    LengthsTable table;
    read_table(app, &table);
    const char *bins[LENGTHS_MAX_BINS];
    for (int i = 0; i < table.n_bins; i++)
        bins[i] = table.bins[i];
    ViewFrame frame = app_view_frame(app, rect_pad(place, MARGIN, MARGIN));
    const LengthsSpec spec = {
        .frame = &frame,
        .title = screen_word(app->language, "lengths.title"),
        .subtitle = screen_word(app->language, "lengths.subtitle"),
        .across = screen_word(app->language, "lengths.across"),
        .bins = bins,
        .models = table.models,
        .n_bins = table.n_bins,
        .n_models = table.n_models,
    };
    canvas_clip_push(app->canvas, place);
    lengths_draw(&spec, app->canvas);
    canvas_clip_pop(app->canvas);
}
