/* How long a sentence takes by its length, from what the model's file records (fovea eval
 * --times --record). */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "screen/app_internal.h"
#include "screen/screen_words.h"
#include "views/cost.h"

typedef struct CostTable {
    int n;
    float words[COST_MAX_POINTS], all[COST_MAX_POINTS], selected[COST_MAX_POINTS];
    float share; /* of the pairs that the selection leaves at the last point */
    Language language;
    char subtitle[160];
} CostTable;

static float number(const json_t *point, const char *name)
{
    const json_t *value = json_object_get(point, name);
    return json_is_number(value) ? (float)json_number_value(value) : NAN;
}

static bool read_cost(const App *app, CostTable *table)
{
    *table = (CostTable){.share = NAN, .language = app->language};
    int at = catalogue_find(app->catalogue, app->doc.model);
    const CatalogueEntry *e = at >= 0 ? &app->catalogue->entries[at] : NULL;
    json_t *scores =
        e && e->is_read && e->facts.scores ? json_loads(e->facts.scores, 0, NULL) : NULL;
    size_t i;
    const json_t *point;
    json_array_foreach(json_object_get(scores, "cost"), i, point)
    {
        if (table->n == COST_MAX_POINTS)
            break;
        table->words[table->n] = number(point, "words");
        table->all[table->n] = number(point, "all_ms");
        table->selected[table->n++] = number(point, "selected_ms");
        table->share = number(point, "share_pairs");
    }
    json_decref(scores);
    snprintf(table->subtitle, sizeof table->subtitle, "%s %.2g %%",
             screen_word(app->language, "cost.subtitle"), 100 * (double)table->share);
    return table->n > 1 && isfinite(table->share);
}

bool cost_is_offered(const App *app)
{
    CostTable table;
    return read_cost(app, &table);
}

static CostSpec compose(const CostTable *table, const ViewFrame *frame)
{
    return (CostSpec){
        .frame = frame,
        .title = screen_word(table->language, "cost.title"),
        .subtitle = table->subtitle,
        .across = screen_word(table->language, "cost.across"),
        .up = screen_word(table->language, "cost.up"),
        .all = screen_word(table->language, "cost.all"),
        .selected = screen_word(table->language, "cost.selected"),
        .n = table->n,
        .words = table->words,
        .all_ms = table->all,
        .selected_ms = table->selected,
    };
}

static void draw_figure(const void *context, const ViewFrame *frame, Canvas *canvas)
{
    const CostSpec spec = compose(context, frame);
    cost_draw(&spec, canvas);
}

static void write_figure(const void *context, const ViewFrame *frame, Table *table)
{
    (void)frame;
    static const char *const names[] = {"words", "every word, ms", "selected words, ms"};
    const CostTable *cost = context;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        table_add_text(table, names[k]);
    table_end_row(table);
    for (int i = 0; i < cost->n; i++) {
        table_add_float(table, cost->words[i]);
        table_add_float(table, cost->all[i]);
        table_add_float(table, cost->selected[i]);
        table_end_row(table);
    }
}

static float figure_height(const void *context, const ViewFrame *frame, float width)
{
    (void)context, (void)frame;
    return 0.6f * width;
}

Seen cost_seen(const App *app)
{
    CostTable *table = memory_new(1, sizeof *table);
    read_cost(app, table);
    return (Seen){
        .drawing = {draw_figure, figure_height, write_figure, table},
        .name = "cost",
        .version = (uint64_t)table->n,
        .release = free,
        .context = table,
    };
}
