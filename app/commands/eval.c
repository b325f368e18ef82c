#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "commands/commands.h"
#include "models/family.h"
#include "session/paths.h"
#include "train/evaluate.h"

static const ArgOption options[] = {
    {"model", 'm', "MODEL", "an installed model or a file"},
    {"data", 'd', "PATH", "held-out data in the format of the training data"},
    {"beam", 0, "K", "translation: beam search instead of greedy"},
    {"limit", 0, "N", "only the first N examples"},
    {"threads", 0, "N", "default: all processors"},
    {"alignments", 0, "GOLD", "translation: score word alignment against these links"},
    {"prefix", 0, "TEXT", "put before the names of recorded figures"},
    {"by-length", 0, NULL, "translation, sentence classifiers: also by length"},
    {"padding", 0, "PATH", "sentence classifiers: also with this text around each sentence"},
    {"times", 0, NULL, "sentence classifiers: also milliseconds, as they are and by length"},
    {"output", 'o', "PATH", "write what the model produced, one example a line"},
    {"record", 0, NULL, "keep the figures in the model file"},
    {"title", 0, "TEXT", "with --record: one line about the model, kept in the file"},
    {"example", 0, "TEXT", "with --record: an input to try, kept in the file; may be repeated"},
    {"json", 0, NULL, "one JSON object"},
    {0},
};

static void print_plain(const json_t *scores)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)scores, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        printf("%-20s %s\n", key, text);
        free(text);
    }
}

/* The figures join those that the file has already. */
static bool record(const Args *args, Model *model, const char *path, const json_t *scores,
                   Error *error)
{
    json_t *all = json_loads(model->scores, 0, NULL);
    const char *prefix = args_get(args, "prefix");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)scores, key, value)
    {
        StrBuf name = {0};
        strbuf_addf(&name, "%s%s", prefix ? prefix : "", key);
        json_object_set(all, name.text, value);
        strbuf_free(&name);
    }
    free(model->scores);
    model->scores = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(all);
    for (int i = 0; i < args_count(args, "example"); i++) {
        model->examples =
            memory_resize(model->examples, model->n_examples + 1, sizeof *model->examples);
        model->examples[model->n_examples++] = memory_copy_string(args_nth(args, "example", i));
    }
    if (args_has(args, "title")) {
        free(model->title);
        model->title = memory_copy_string(args_get(args, "title"));
    }
    return model_save(model, path, true, error);
}

static bool evaluate(const Args *args, Model *model, const char *path, Error *error)
{
    double beam, limit, threads;
    if (!args_number(args, "beam", 1, 1, RUN_MAX_BEAM, &beam, error) ||
        !args_number(args, "limit", 0, 0, 1e9, &limit, error) ||
        !args_number(args, "threads", thread_count_available(), 1, 256, &threads, error))
        return false;
    const EvaluateRequest request = {
        .model = model,
        .data = args_get(args, "data"),
        .beam = (int)beam,
        .limit = (int)limit,
        .threads = (int)threads,
        .by_length = args_has(args, "by-length"),
        .times = args_has(args, "times"),
        .padding = args_get(args, "padding"),
        .output = args_get(args, "output"),
        .alignments = args_get(args, "alignments"),
    };
    json_t *scores = evaluate_model(&request, error);
    if (!scores)
        return false;
    if (args_has(args, "json")) {
        char *text = json_dumps(scores, JSON_COMPACT | JSON_REAL_PRECISION(6));
        puts(text);
        free(text);
    } else {
        print_plain(scores);
    }
    bool ok = !args_has(args, "record") || record(args, model, path, scores, error);
    json_decref(scores);
    return ok;
}

static int eval_command(const Args *args)
{
    Error error = {0};
    const char *name = args_get(args, "model");
    if (!name) {
        error_set(&error, ERROR_INPUT, "eval wants -m MODEL and --data PATH");
        return command_fail(&error);
    }
    char *path = paths_find_model(name, &error);
    Model *model = path ? model_load(path, &error) : NULL;
    bool ok = model != NULL;
    if (ok && !args_get(args, "data") && model_task(model) != TASK_CAPTION)
        ok = error_set(&error, ERROR_INPUT, "eval wants --data PATH for this model");
    ok = ok && evaluate(args, model, path, &error);
    model_release(model);
    free(path);
    return ok ? EXIT_DONE : command_fail(&error);
}

const Command command_eval = {
    "eval",
    "-m MODEL --data PATH [--json]",
    "measure a model on held-out data",
    options,
    eval_command,
    NULL,
};
