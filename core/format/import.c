#include "format/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "format/import_formats.h"
#include "format/import_set.h"
#include "format/pieces.h"
#include "format/sniff.h"
#include "trace/grid.h"
#include "trace/measure.h"

#define LABEL_BYTES 160

/* In the order of asking: those with a magic number first, the loosest texts last. */
static const ImportFormat *const FORMATS[] = {
    &IMPORT_NPY,    &IMPORT_NPZ,     &IMPORT_TORCH, &IMPORT_SAFETENSORS, &IMPORT_JSON,
    &IMPORT_BLOCKS, &IMPORT_FAIRSEQ, &IMPORT_LINKS, &IMPORT_MARIAN,      &IMPORT_ONMT_TABLE,
};

static const ImportFormat *find_format(const char *data, size_t n)
{
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (FORMATS[i]->recognise(data, n))
            return FORMATS[i];
    return NULL;
}

const char *import_recognise(const char *data, size_t n)
{
    const ImportFormat *format = find_format(data, n);
    return format ? format->name : NULL;
}

/* ---- opening ---- */

static bool unknown_kind(const char *data, size_t n, const char *name, Error *error)
{
    if (sniff_impostor(data, n, name, error) || sniff_foreign(data, n, name, error))
        return false;
    return error_set(error, ERROR_UNSUPPORTED,
                     "%s: no kind of attention dump that is known: not numpy, safetensors, torch, "
                     "JSON, nor the text that Nematus, Sockeye, Marian, fairseq, OpenNMT or an "
                     "aligner writes",
                     name);
}

static bool start(ImportSet *set, const char *path, const ImportOptions *options, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    if (options) {
        set->options = *options;
        set->axes = options->axes ? memory_copy_string(options->axes) : NULL;
        set->options.axes = set->axes;
    }
    set->format = n > 0 ? find_format(data, n) : NULL;
    if (!set->format)
        return unknown_kind(data, n, import_file_name(set->file), error);
    if (!import_tokens_load(&set->tokens, path, &set->options, error) ||
        !set->format->open(set, error))
        return false;
    if (set->n == 0)
        return error_set(error, ERROR_FORMAT, "%s: %s without a single sentence",
                         import_file_name(set->file), set->format->name);
    return true;
}

static ImportSet *open_file(ImportFile *file, const char *path, const ImportOptions *options,
                            Error *error)
{
    if (!file)
        return NULL;
    ImportSet *set = memory_new(1, sizeof *set);
    set->file = file;
    if (start(set, path, options, error))
        return set;
    import_close(set);
    return NULL;
}

ImportSet *import_open(const char *path, const ImportOptions *options, Error *error)
{
    return open_file(import_file_open(path, error), path, options, error);
}

ImportSet *import_open_memory(const char *data, size_t n, const char *name,
                              const ImportOptions *options, Error *error)
{
    return open_file(import_file_copy(data, n, name, error), NULL, options, error);
}

void import_close(ImportSet *set)
{
    if (!set)
        return;
    if (set->format && set->format->close)
        set->format->close(set);
    for (size_t i = 0; i < set->n; i++)
        free(set->items[i].label);
    free(set->items);
    free(set->axes);
    import_tokens_free(&set->tokens);
    import_file_release(set->file);
    free(set);
}

/* ---- for the importers ---- */

ImportItem *import_add_item(ImportSet *set, Slice label)
{
    char shown[LABEL_BYTES];
    utf8_clean(label.n ? label.text : "", label.n, shown, sizeof shown);
    set->items = memory_grow(set->items, &set->capacity, set->n + 1, sizeof *set->items);
    ImportItem *item = &set->items[set->n];
    *item = (ImportItem){.label = memory_copy_string(shown), .number = (int64_t)set->n};
    set->n++;
    return item;
}

void import_label_add(StrBuf *label, const Words *words)
{
    enum { MOST = 100 };
    Pieces pieces;
    if (words->n <= 0)
        return;
    pieces_init(&pieces, (const char *const *)words->at, words->n < MOST ? words->n : MOST);
    if (label->length && *pieces.text)
        strbuf_add(label, " | ");
    strbuf_add(label, pieces.text);
    pieces_deinit(&pieces);
}

ImportItem *import_add_pair(ImportSet *set, Slice source, Slice target)
{
    StrBuf label = {0};
    Words words[] = {words_split(source), words_split(target)};
    strbuf_add(&label, "");
    for (int i = 0; i < 2; i++) {
        import_label_add(&label, &words[i]);
        words_free(&words[i]);
    }
    ImportItem *item = import_add_item(set, (Slice){label.text, label.length});
    strbuf_free(&label);
    return item;
}

bool import_too_many(const ImportSet *set, Error *error)
{
    if (set->n < IMPORT_MAX_SENTENCES)
        return false;
    error_set(error, ERROR_LIMIT, "%s: more than %d sentences", import_file_name(set->file),
              IMPORT_MAX_SENTENCES);
    return true;
}

TraceBuilder *import_begin_trace(const ImportSet *set, int32_t i)
{
    TraceBuilder *builder = trace_builder_new();
    const char *path = import_file_name(set->file), *name = file_base_name(path);
    char clean[256];
    utf8_clean(name, strlen(name), clean, sizeof clean);
    trace_set_attribute(builder, "format", "%s", set->format->name);
    trace_set_attribute(builder, "file", "%s", clean);
    trace_set_attribute(builder, "sentence", "%d", i);
    return builder;
}

LinksOptions import_links_options(const ImportSet *set, TraceBuilder *builder)
{
    LinksOptions links = set->options.links;
    links.swap = links.swap != set->options.swap;
    if (set->options.swap)
        trace_add_note(builder, IMPORT_EXCHANGED);
    return links;
}

/* ---- the list of sentences ---- */

const char *import_format(const ImportSet *set)
{
    return set->format->name;
}

bool import_can_swap(const ImportSet *set)
{
    return !set->is_stated;
}

int32_t import_count(const ImportSet *set)
{
    return (int32_t)set->n;
}

static const ImportItem *item_at(const ImportSet *set, int32_t i)
{
    FOVEA_CHECK(i >= 0 && (size_t)i < set->n, "sentence %d of %zu", i, set->n);
    return &set->items[i];
}

const char *import_label(ImportSet *set, int32_t i)
{
    return item_at(set, i)->label;
}

/* Whether `text` holds `part`, without regard to case. */
static bool holds(const char *text, const char *part)
{
    size_t n = strlen(text), m = strlen(part);
    for (size_t start = 0; start <= n; start++) {
        size_t i = start, j = 0;
        uint32_t a, b;
        while (j < m && i < n) {
            int step = utf8_decode(text + i, n - i, &a);
            int part_step = utf8_decode(part + j, m - j, &b);
            if (utf8_lower(a) != utf8_lower(b))
                break;
            i += (size_t)step;
            j += (size_t)part_step;
        }
        if (j == m)
            return true;
    }
    return false;
}

int32_t import_find(ImportSet *set, const char *text, int32_t from)
{
    for (int32_t i = from < 0 ? 0 : from; i < (int32_t)set->n; i++)
        if (holds(set->items[i].label, text))
            return i;
    return -1;
}

const Trace *import_trace(ImportSet *set, int32_t i, Error *error)
{
    item_at(set, i);
    if (!import_file_check(set->file, error))
        return NULL;
    return set->format->build(set, i, error);
}

/* ---- measures ---- */

static const TraceTensor *first_weights(const Trace *trace)
{
    for (int32_t i = 0; i < trace_n_tensors(trace); i++) {
        const TraceTensor *tensor = trace_tensor(trace, i);
        if (tensor->role == TRACE_WEIGHTS && trace_tensor_count(trace, tensor) > 0)
            return tensor;
    }
    return NULL;
}

static int32_t count_items(const GridItem *items, int32_t n)
{
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++)
        count += !(items[i].flags & TRACE_TOKEN_PADDING);
    return count;
}

static bool add_gold(const Trace *trace, const char *name, bool possible, AlignLinks *gold)
{
    const TraceTensor *tensor = trace_find(trace, name);
    if (!tensor || tensor->rank != 2)
        return false;
    TraceMatrix m = trace_matrix(trace, tensor, NULL);
    for (int32_t i = 0; i < m.rows; i++)
        for (int32_t j = 0; j < m.cols; j++)
            if (trace_matrix_get(&m, i, j) > 0)
                align_links_add(gold, (AlignLink){j, i, possible});
    return true;
}

/* Each row's largest weight against the gold links. */
static double gold_error_rate(const Trace *trace, const Grid *grid)
{
    AlignLinks gold = {0}, predicted = {0};
    AlignScore score = {0};
    double rate = NAN;
    bool sure = add_gold(trace, "gold.sure", false, &gold);
    if (add_gold(trace, "gold.possible", true, &gold) || sure) {
        align_from_grid(grid, 0, &predicted);
        align_score_add(&score, &predicted, &gold);
        rate = align_score_error_rate(&score);
    }
    align_links_free(&gold);
    align_links_free(&predicted);
    return rate;
}

static void measure_grid(const Trace *trace, const Grid *grid, ImportMeasures *out)
{
    double largest = 0;
    int32_t n = 0;
    MeasureHead head = measure_head(grid);
    for (int32_t i = 0; i < grid->rows; i++) {
        MeasureRow row = measure_row(grid, i);
        if (!(row.sum > 0))
            continue;
        largest += (double)row.max / row.sum;
        n++;
    }
    out->rows = count_items(grid->row, grid->rows);
    out->cols = count_items(grid->col, grid->cols);
    out->length_ratio = out->cols > 0 ? (double)out->rows / out->cols : NAN;
    out->entropy = head.entropy;
    out->largest = n ? largest / n : NAN;
    out->distance = head.distance;
    out->confidence = confidence_of_grid(grid);
    out->error_rate = gold_error_rate(trace, grid);
}

static const ImportMeasures NOT_MEASURED = {0, 0, NAN, NAN, NAN, NAN, {NAN, NAN, NAN, NAN}, NAN};

bool import_measure_trace(const Trace *trace, ImportMeasures *out, Error *error)
{
    static const int32_t ALL[TRACE_MAX_RANK] = {GRID_ALL, GRID_ALL, GRID_ALL,
                                                GRID_ALL, GRID_ALL, GRID_ALL};
    const TraceTensor *tensor = first_weights(trace);
    Grid grid = {0};
    *out = NOT_MEASURED;
    bool ok = !tensor || grid_init_reduced(&grid, trace, tensor, ALL, GRID_MEAN, error);
    if (ok && tensor)
        measure_grid(trace, &grid, out);
    grid_deinit(&grid);
    return ok;
}

bool import_measure(ImportSet *set, int32_t i, ImportMeasures *out, Error *error)
{
    *out = NOT_MEASURED;
    const Trace *trace = import_trace(set, i, error);
    bool ok = trace && import_measure_trace(trace, out, error);
    trace_release(trace);
    return ok;
}

static const char *const MEASURE_NAMES[IMPORT_N_MEASURES] = {
    "length",   "ratio",      "entropy",   "largest",    "distance",
    "coverage", "absent-out", "absent-in", "confidence", "error-rate"};

const char *import_measure_name(int k)
{
    FOVEA_CHECK(k >= 0 && k < IMPORT_N_MEASURES, "measure %d", k);
    return MEASURE_NAMES[k];
}

double import_measure_value(const ImportMeasures *m, int k)
{
    const Confidence *c = &m->confidence;
    const double values[IMPORT_N_MEASURES] = {m->rows,       m->length_ratio, m->entropy,
                                              m->largest,    m->distance,     c->coverage_deviation,
                                              c->absent_out, c->absent_in,    c->confidence,
                                              m->error_rate};
    FOVEA_CHECK(k >= 0 && k < IMPORT_N_MEASURES, "measure %d", k);
    return values[k];
}
