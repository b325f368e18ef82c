#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/commands.h"
#include "models/model.h"
#include "session/paths.h"

static const ArgOption options[] = {
    {"json", 0, NULL, "one JSON object a line"},
    {0},
};

static void print_json(const Model *m)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(model_name(m)));
    json_object_set_new(o, "title", json_string(model_title(m)));
    json_object_set_new(o, "family", json_string(model_family(m)));
    json_object_set_new(o, "attention", json_string(model_attention(m)));
    json_object_set_new(o, "task", json_string(model_task_name(model_task(m))));
    json_object_set_new(o, "parameters", json_integer(model_parameters(m)));
    json_object_set_new(o, "bytes", json_integer(model_bytes(m)));
    json_object_set_new(o, "scores", json_loads(model_scores(m), 0, NULL));
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(6));
    puts(text);
    free(text);
    json_decref(o);
}

#define MOST_SCORES 5 /* in a line of the table; the rest is in --json */

/* "bleu 42.1, chrf 61.5, 9 more" */
static void print_scores(const char *text)
{
    json_t *scores = json_loads(text, 0, NULL);
    const char *key;
    json_t *value;
    int n = 0;
    json_object_foreach(scores, key, value)
    {
        if (!json_is_number(value) || n++ >= MOST_SCORES)
            continue;
        printf("%s%s %.4g", n > 1 ? ", " : "", key, json_number_value(value));
    }
    if (n > MOST_SCORES)
        printf(", %d more", n - MOST_SCORES);
    json_decref(scores);
}

/* Columns are as wide as what stands in them. */
typedef struct Widths {
    int name, family, attention, task;
} Widths;

static void widen(int *width, const char *text)
{
    int n = (int)strlen(text);
    *width = n > *width ? n : *width;
}

static void measure(Widths *w, const Model *m)
{
    widen(&w->name, model_name(m));
    widen(&w->family, model_family(m));
    widen(&w->attention, model_attention(m));
    widen(&w->task, model_task_name(model_task(m)));
}

static void print_line(const Widths *w, const Model *m)
{
    printf("%-*s  %-*s  %-*s  %-*s  %5.2f M  %5.1f MB  ", w->name, model_name(m), w->family,
           model_family(m), w->attention, model_attention(m), w->task,
           model_task_name(model_task(m)), (double)model_parameters(m) / 1e6,
           (double)model_bytes(m) / 1e6);
    print_scores(model_scores(m));
    putchar('\n');
}

static void print_table(Model *const *models, int n)
{
    Widths widths = {0};
    for (int i = 0; i < n; i++)
        measure(&widths, models[i]);
    for (int i = 0; i < n; i++)
        print_line(&widths, models[i]);
}

static int models_command(const Args *args)
{
    int n, n_loaded = 0, status = EXIT_DONE;
    char **names = paths_list_models(&n);
    Model **models = memory_new((size_t)n + 1, sizeof *models);
    for (int i = 0; i < n; i++) {
        Error error = {0};
        char *path = paths_find_model(names[i], &error);
        Model *model = path ? model_load(path, &error) : NULL;
        if (model)
            models[n_loaded++] = model;
        else
            status = command_fail(&error);
        free(path);
        free(names[i]);
    }
    free(names);
    if (!args_has(args, "json"))
        print_table(models, n_loaded);
    for (int i = 0; i < n_loaded; i++) {
        if (args_has(args, "json"))
            print_json(models[i]);
        model_release(models[i]);
    }
    free(models);
    return status;
}

const Command command_models = {
    "models", "[--json]",     "what is installed: name, family, task, size, held-out scores",
    options,  models_command, NULL,
};
