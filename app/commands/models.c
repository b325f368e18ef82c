#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
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

/* "bleu 42.1, chrf 61.5" */
static void print_scores(const char *text)
{
    json_t *scores = json_loads(text, 0, NULL);
    const char *key;
    json_t *value;
    const char *between = "";
    json_object_foreach(scores, key, value)
    {
        if (json_is_number(value))
            printf("%s%s %.4g", between, key, json_number_value(value));
        between = ", ";
    }
    json_decref(scores);
}

static void print_line(const Model *m)
{
    printf("%-18s %-12s %-11s %-10s %6.2f M %6.1f MB  ", model_name(m), model_family(m),
           model_attention(m), model_task_name(model_task(m)), (double)model_parameters(m) / 1e6,
           (double)model_bytes(m) / 1e6);
    print_scores(model_scores(m));
    putchar('\n');
}

static int models_command(const Args *args)
{
    int n, status = EXIT_DONE;
    char **names = paths_list_models(&n);
    for (int i = 0; i < n; i++) {
        Error error = {0};
        char *path = paths_find_model(names[i], &error);
        Model *model = path ? model_load(path, &error) : NULL;
        if (!model)
            status = command_fail(&error);
        else if (args_has(args, "json"))
            print_json(model);
        else
            print_line(model);
        model_release(model);
        free(path);
        free(names[i]);
    }
    free(names);
    return status;
}

const Command command_models = {
    "models", "[--json]",     "what is installed: name, family, task, size, held-out scores",
    options,  models_command, NULL,
};
