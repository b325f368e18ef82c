/* BLEU by source length of the models of a kind, from what their files record. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/app_internal.h"
#include "screen/screen_words.h"
#include "views/lengths.h"

#define BIN_BYTES  48
#define NAME_BYTES 64
#define OPEN_END   100000 /* a bin that has no upper end says a larger number */

typedef struct LengthsTable {
    LengthsModel models[LENGTHS_MAX_MODELS];
    char names[LENGTHS_MAX_MODELS][NAME_BYTES];
    char bins[LENGTHS_MAX_BINS][BIN_BYTES];
    const char *title, *subtitle, *across;
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
static bool read_model(LengthsTable *table, const CatalogueEntry *e, bool is_fixed)
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
        snprintf(table->names[table->n_models], NAME_BYTES, "%s",
                 e->name + lab_kind_length(e->name));
        model->is_fixed = is_fixed;
        table->n_bins = n;
        table->n_models++;
    }
    json_decref(scores);
    return fits;
}

/* Models without attention first: they are what the others are measured by. */
static void read_table(const App *app, LengthsTable *table)
{
    *table = (LengthsTable){
        .title = screen_word(app->language, "lengths.title"),
        .subtitle = screen_word(app->language, "lengths.subtitle"),
        .across = screen_word(app->language, "lengths.across"),
    };
    const char *names[LAB_MAX];
    int n = lab_find_kind(app, names);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n && table->n_models < LENGTHS_MAX_MODELS; i++) {
            int at = catalogue_find(app->catalogue, names[i]);
            const CatalogueEntry *e = &app->catalogue->entries[at];
            bool fixed = e->facts.attention && strcmp(e->facts.attention, "none") == 0;
            if (e->is_read && fixed == (pass == 0))
                read_model(table, e, fixed);
        }
}

bool lengths_is_offered(const App *app)
{
    LengthsTable table;
    read_table(app, &table);
    return table.n_models > 1;
}

/* ---- the picture ---- */

typedef struct LengthsPicture {
    LengthsSpec spec;
    LengthsModel models[LENGTHS_MAX_MODELS];
    const char *bins[LENGTHS_MAX_BINS];
} LengthsPicture;

static void compose(const LengthsTable *table, const ViewFrame *frame, LengthsPicture *out)
{
    for (int i = 0; i < table->n_models; i++) {
        out->models[i] = table->models[i];
        out->models[i].name = table->names[i];
    }
    for (int i = 0; i < table->n_bins; i++)
        out->bins[i] = table->bins[i];
    out->spec = (LengthsSpec){
        .frame = frame,
        .title = table->title,
        .subtitle = table->subtitle,
        .across = table->across,
        .bins = out->bins,
        .models = out->models,
        .n_bins = table->n_bins,
        .n_models = table->n_models,
    };
}

static void draw_figure(const void *context, const ViewFrame *frame, Canvas *canvas)
{
    LengthsPicture picture;
    compose(context, frame, &picture);
    lengths_draw(&picture.spec, canvas);
}

static void write_figure(const void *context, const ViewFrame *frame, Table *table)
{
    (void)frame;
    const LengthsTable *lengths = context;
    table_add_text(table, lengths->across);
    for (int k = 0; k < lengths->n_models; k++)
        table_add_text(table, lengths->names[k]);
    table_end_row(table);
    for (int i = 0; i < lengths->n_bins; i++) {
        table_add_text(table, lengths->bins[i]);
        for (int k = 0; k < lengths->n_models; k++)
            table_add_float(table, lengths->models[k].score[i]);
        table_end_row(table);
    }
}

static float figure_height(const void *context, const ViewFrame *frame, float width)
{
    LengthsPicture picture;
    compose(context, frame, &picture);
    return lengths_wanted_height(&picture.spec, width);
}

static bool hit_figure(const void *context, const ViewFrame *frame, float x, float y, ViewHit *hit)
{
    LengthsPicture picture;
    compose(context, frame, &picture);
    return lengths_hit(&picture.spec, x, y, hit);
}

Seen lengths_seen(const App *app)
{
    LengthsTable *table = memory_new(1, sizeof *table);
    read_table(app, table);
    return (Seen){
        .drawing = {draw_figure, figure_height, write_figure, table},
        .hit = hit_figure,
        .name = "lengths",
        .version = (uint64_t)table->n_models,
        .release = free,
        .context = table,
    };
}
