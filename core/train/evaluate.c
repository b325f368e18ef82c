#include "train/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "models/family.h"
#include "text/bleu.h"
#include "train/pairs.h"

typedef struct Example {
    char *source, *reference, *output;
    double entropy; /* mean over steps, in nats; NaN without attention */
    Error error;
} Example;

typedef struct Translations {
    const EvaluateRequest *request;
    Example *examples;
    int n;
} Translations;

static double mean_scalar(const Trace *trace, const char *name)
{
    double sum = 0;
    int n = trace_n_steps(trace);
    for (int i = 0; i < n; i++)
        sum += trace_step_scalar(trace_step(trace, i), name);
    return sum / n;
}

static void translate(void *context, int i)
{
    Translations *t = context;
    Example *e = &t->examples[i];
    const Input input = {.text = e->source};
    const RunOptions options = {.beam = t->request->beam};
    const Trace *trace = model_run(t->request->model, &input, &options, 0, NULL, &e->error);
    if (!trace)
        return;
    e->output = memory_copy_string(trace_text(trace, "output"));
    e->entropy = mean_scalar(trace, "entropy");
    trace_release(trace);
}

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
    FileWriter writer;
    if (!file_begin_write(t->request->output, &writer, error))
        return false;
    for (int i = 0; i < t->n; i++)
        fprintf(writer.stream, "%s\n", t->examples[i].output);
    return file_end_write(&writer, error);
}

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

static int select_range(const Translations *t, Range range, const char **outputs,
                        const char **references)
{
    int n = 0;
    for (int i = 0; i < t->n; i++) {
        int words = count_words(t->examples[i].source);
        if (words < range.least || words > range.most)
            continue;
        outputs[n] = t->examples[i].output;
        references[n++] = t->examples[i].reference;
    }
    return n;
}

static void put_real(json_t *object, const char *prefix, const char *name, double value)
{
    char key[64];
    snprintf(key, sizeof key, "%s%s", prefix, name);
    json_object_set_new(object, key, json_real(value));
}

static BleuTokens tokens_of(const Model *model)
{
    const char *target = model_setting(model, "typography");
    (void)target;
    return BLEU_13A;
}

static json_t *by_length(const Translations *t, const char **outputs, const char **references)
{
    static const Range ranges[] = {{1, 4}, {5, 6}, {7, 8}, {9, 11}, {12, 14}, {15, 19}, {20, 999}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        int n = select_range(t, ranges[i], outputs, references);
        if (n == 0)
            continue;
        json_t *row = json_object();
        json_object_set_new(row, "words", json_pack("[ii]", ranges[i].least, ranges[i].most));
        json_object_set_new(row, "examples", json_integer(n));
        put_real(row, "", "bleu",
                 bleu_corpus(n, outputs, references, tokens_of(t->request->model)));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *score(const Translations *t)
{
    const char **outputs = memory_new((size_t)t->n, sizeof *outputs);
    const char **references = memory_new((size_t)t->n, sizeof *references);
    int n = select_range(t, (Range){0, 1 << 30}, outputs, references);
    char prefix[32] = "";
    if (t->request->beam > 1)
        snprintf(prefix, sizeof prefix, "beam%d.", t->request->beam);
    json_t *scores = json_object();
    put_real(scores, prefix, "bleu",
             bleu_corpus(n, outputs, references, tokens_of(t->request->model)));
    put_real(scores, prefix, "chrf", chrf_corpus(n, outputs, references));
    double entropy = 0;
    for (int i = 0; i < t->n; i++)
        entropy += t->examples[i].entropy / t->n;
    if (entropy == entropy)
        put_real(scores, prefix, "entropy", entropy);
    json_object_set_new(scores, "examples", json_integer(n));
    if (t->request->by_length)
        json_object_set_new(scores, "by_length", by_length(t, outputs, references));
    free(outputs);
    free(references);
    return scores;
}

static json_t *evaluate_translation(const EvaluateRequest *request, Error *error)
{
    Translations t = {.request = request};
    if (!load(&t, error))
        return NULL;
    Workers *workers = workers_new(request->threads);
    workers_run(workers, t.n, translate, &t);
    workers_free(workers);
    bool ok = true;
    for (int i = 0; ok && i < t.n; i++)
        if (error_is_set(&t.examples[i].error))
            ok = error_set(error, t.examples[i].error.kind, "%s, line %d: %s", request->data, i + 1,
                           t.examples[i].error.message);
    json_t *scores = ok && (!request->output || write_outputs(&t, error)) ? score(&t) : NULL;
    unload(&t);
    return scores;
}

json_t *evaluate_model(const EvaluateRequest *request, Error *error)
{
    if (model_task(request->model) == TASK_TRANSLATE)
        return evaluate_translation(request, error);
    error_set(error, ERROR_UNSUPPORTED, "%s cannot be evaluated this way",
              model_name(request->model));
    return NULL;
}
