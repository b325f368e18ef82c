#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/bleu.h"
#include "text/chrf.h"
#include "train/evaluate_tasks.h"
#include "train/pairs.h"

typedef struct Example {
    char *source, *reference, *output;
    double entropy; /* of the weights, mean over steps, in nats; NaN without attention */
    double last;    /* mean weight on the last source piece                             */
    int n_steps;
    Error error;
} Example;

typedef struct Translations {
    const EvaluateRequest *request;
    Example *examples;
    int n;
} Translations;

/* ---- translating ---- */

static double mean_entropy(const Trace *trace)
{
    double sum = 0;
    int n = trace_n_steps(trace);
    for (int i = 0; i < n; i++)
        sum += trace_step_scalar(trace_step(trace, i), "entropy");
    return sum / n;
}

/* How much mass stands on the last source piece, mostly the full stop: attention that is
 * frozen there shows here. */
static double mean_last(const Trace *trace)
{
    const TraceTensor *tensor = trace_find(trace, "attention.weights");
    if (!tensor)
        return NAN;
    TraceMatrix m = trace_matrix(trace, tensor, NULL);
    double sum = 0;
    for (int i = 0; i < m.rows; i++)
        sum += (double)trace_matrix_get(&m, i, m.cols - 1);
    return sum / m.rows;
}

static void translate(void *context, int i)
{
    Translations *t = context;
    Example *e = &t->examples[i];
    if (stop_requested(t->request->stop))
        return;
    const RunInput input = {.text = e->source};
    const RunOptions options = {.beam = t->request->beam, .stop = t->request->stop};
    const Trace *trace = model_run(t->request->model, &input, &options, 0, NULL, &e->error);
    if (!trace)
        return;
    e->output = memory_copy_string(trace_text(trace, "output"));
    e->entropy = mean_entropy(trace);
    e->last = mean_last(trace);
    e->n_steps = trace_n_steps(trace);
    trace_release(trace);
}

static bool translate_all(Translations *t, Error *error)
{
    Workers *workers = workers_new(t->request->threads > 0 ? t->request->threads : 1);
    workers_run(workers, t->n, translate, t);
    workers_free(workers);
    if (stop_requested(t->request->stop))
        return error_set(error, ERROR_CANCELLED, "stopped");
    for (int i = 0; i < t->n; i++)
        if (error_is_set(&t->examples[i].error))
            return error_set(error, t->examples[i].error.kind, "%s, line %d: %s", t->request->data,
                             i + 1, t->examples[i].error.message);
    return true;
}

/* ---- data ---- */

static bool load(Translations *t, Error *error)
{
    Bytes bytes;
    PairLine *lines;
    int n;
    if (!file_read_gzip(t->request->data, FILE_MAX_READ_BYTES, &bytes, error))
        return false;
    if (!pair_lines(t->request->data, bytes.data, bytes.size, &lines, &n, error)) {
        bytes_free(&bytes);
        return false;
    }
    t->n = t->request->limit > 0 && t->request->limit < n ? t->request->limit : n;
    t->examples = memory_new((size_t)t->n, sizeof *t->examples);
    for (int i = 0; i < t->n; i++) {
        t->examples[i].source = memory_copy_bytes(lines[i].source, lines[i].n_source);
        t->examples[i].reference = memory_copy_bytes(lines[i].target, lines[i].n_target);
    }
    free(lines);
    bytes_free(&bytes);
    return true;
}

static void unload(Translations *t)
{
    for (int i = 0; i < t->n; i++) {
        free(t->examples[i].source);
        free(t->examples[i].reference);
        free(t->examples[i].output);
    }
    free(t->examples);
}

static bool write_outputs(const Translations *t, Error *error)
{
    if (!t->request->output)
        return true;
    FileWriter writer;
    if (!file_begin_write(t->request->output, &writer, error))
        return false;
    for (int i = 0; i < t->n; i++)
        fprintf(writer.stream, "%s\n", t->examples[i].output);
    return file_end_write(&writer, error);
}

/* ---- figures ---- */

static int count_words(const char *text)
{
    int n = 0;
    for (const char *p = text; *p; p++)
        n += *p != ' ' && (p == text || p[-1] == ' ');
    return n;
}

typedef struct Range {
    int least, most; /* source words */
} Range;

typedef struct Figures {
    int n;
    Bleu bleu;
    Chrf chrf;
} Figures;

/* Text written without spaces is scored by character. */
static bool is_chinese(const char *text)
{
    size_t n = strlen(text), cjk = 0, others = 0;
    for (size_t i = 0; i < n;) {
        uint32_t code;
        i += (size_t)utf8_decode(text + i, n - i, &code);
        cjk += utf8_is_cjk(code);
        others += !utf8_is_cjk(code);
    }
    return cjk > others;
}

static Figures measure(const Translations *t, Range range)
{
    bool chinese = is_chinese(t->examples[0].reference);
    Figures f = {.bleu = {.tokens = chinese ? BLEU_CHINESE : BLEU_13A}};
    for (int i = 0; i < t->n; i++) {
        const Example *e = &t->examples[i];
        int words = count_words(e->source);
        if (words < range.least || words > range.most)
            continue;
        bleu_add(&f.bleu, e->output, e->reference);
        chrf_add(&f.chrf, e->output, e->reference);
        f.n++;
    }
    return f;
}

static json_t *by_length(const Translations *t)
{
    static const Range ranges[] = {{1, 4},   {5, 6},   {7, 8},       {9, 11},
                                   {12, 14}, {15, 19}, {20, 1 << 30}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        Figures f = measure(t, ranges[i]);
        if (f.n == 0)
            continue;
        json_t *row = json_object();
        json_object_set_new(row, "least_words", json_integer(ranges[i].least));
        json_object_set_new(row, "most_words", json_integer(ranges[i].most));
        json_object_set_new(row, "examples", json_integer(f.n));
        json_object_set_new(row, "bleu", json_real(bleu_score(&f.bleu).score));
        json_object_set_new(row, "chrf", json_real(chrf_score(&f.chrf)));
        json_array_append_new(list, row);
    }
    return list;
}

static void put(json_t *object, const char *prefix, const char *name, json_t *value)
{
    char key[64];
    snprintf(key, sizeof key, "%s%s", prefix, name);
    json_object_set_new(object, key, value);
}

/* Mean over target tokens; absent where nothing attends. */
static void put_attention(json_t *scores, const Translations *t, const char *prefix)
{
    double entropy = 0, last = 0, n = 0;
    for (int i = 0; i < t->n; i++) {
        const Example *e = &t->examples[i];
        entropy += e->entropy * e->n_steps;
        last += e->last * e->n_steps;
        n += e->n_steps;
    }
    if (isnan(entropy) || n == 0)
        return;
    put(scores, prefix, "entropy", json_real(entropy / n));
    put(scores, prefix, "last_share", json_real(last / n));
}

static json_t *score(const Translations *t)
{
    Figures f = measure(t, (Range){0, 1 << 30});
    char prefix[32] = "";
    if (t->request->beam > 1)
        snprintf(prefix, sizeof prefix, "beam%d.", t->request->beam);
    json_t *scores = json_object();
    put(scores, prefix, "bleu", json_real(bleu_score(&f.bleu).score));
    put(scores, prefix, "chrf", json_real(chrf_score(&f.chrf)));
    put_attention(scores, t, prefix);
    json_object_set_new(scores, "examples", json_integer(f.n));
    json_object_set_new(scores, "bleu_signature", json_string(bleu_signature(f.bleu.tokens)));
    if (t->request->by_length)
        put(scores, prefix, "by_length", by_length(t));
    return scores;
}

json_t *evaluate_translation(const EvaluateRequest *request, Error *error)
{
    Translations t = {.request = request};
    if (!load(&t, error))
        return NULL;
    bool ok = translate_all(&t, error) && write_outputs(&t, error);
    json_t *scores = ok ? score(&t) : NULL;
    unload(&t);
    return scores;
}
