#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "train/loop.h"

static const ArgOption options[] = {
    {"data", 'd', "PATH", "training data"},
    {"valid", 'v', "PATH", "validation data; chooses the best epoch"},
    {"output", 'o', "OUT.safetensors", "the model file to write"},
    {"set", 's', "key=value", "a setting; may be repeated"},
    {"title", 0, "TEXT", "one line about the model, kept in the file"},
    {"licence", 0, "TEXT", "terms of the data, kept in the file"},
    {"example", 0, "TEXT", "an input to try, kept in the file; may be repeated"},
    {"resume", 'r', NULL, "continue from OUT.safetensors.checkpoint"},
    {"quiet", 'q', NULL, "no progress"},
    {0},
};

static void print_measures(const char *title, const Measures *m)
{
    fprintf(stderr, "  %s", title);
    for (int i = 0; i < m->n; i++)
        fprintf(stderr, " %s %.4g", m->item[i].name, measures_get(m, m->item[i].name));
}

typedef struct Screen {
    bool is_terminal;
    double last;
} Screen;

static void show_bar(const TrainProgress *p)
{
    enum { WIDTH = 24 };
    int filled = p->n_batches ? WIDTH * p->batch / p->n_batches : 0;
    fprintf(stderr, "\r\033[Kepoch %d/%d [", p->epoch, p->n_epochs);
    for (int i = 0; i < WIDTH; i++)
        fputc(i < filled ? '=' : ' ', stderr);
    int left = (int)p->seconds_left;
    fprintf(stderr, "] loss %.3f  %.0f %s/s  %d:%02d left", p->loss, p->items_per_second, p->unit,
            left / 60, left % 60);
}

static void show_progress(void *context, const TrainProgress *p)
{
    Screen *screen = context;
    double now = clock_seconds();
    bool epoch_ends = p->batch == p->n_batches;
    if (p->valid || (epoch_ends && p->is_best)) {
        fprintf(stderr, "%sepoch %d/%d", screen->is_terminal ? "\r\033[K" : "", p->epoch,
                p->n_epochs);
        print_measures("train:", p->train);
        if (p->valid)
            print_measures("valid:", p->valid);
        fprintf(stderr, "%s  rate %.2g  %.0f %s/s\n", p->is_best ? " (best)" : "", p->rate,
                p->items_per_second, p->unit);
        return;
    }
    double wait = screen->is_terminal ? 0.1 : 60;
    if (now - screen->last < wait)
        return;
    screen->last = now;
    if (screen->is_terminal)
        show_bar(p);
    else
        fprintf(stderr, "epoch %d/%d batch %d/%d loss %.4f %.0f %s/s\n", p->epoch, p->n_epochs,
                p->batch, p->n_batches, p->loss, p->items_per_second, p->unit);
}

static void show_warning(void *context, const Error *error)
{
    const Screen *screen = context;
    fprintf(stderr, "%sfovea: %s; it will be tried again%s\n",
            screen->is_terminal ? "\r\033[K" : "", error->message,
            screen->is_terminal ? " (Ctrl+C gives up)" : "");
}

/* Each key belongs to the model, the task or the loop. */
static bool assign(const Args *args, Settings *const *where, int n_where, Error *error)
{
    for (int i = 0; i < args_count(args, "set"); i++) {
        const char *text = args_nth(args, "set", i);
        const char *equals = strchr(text, '=');
        char *key = memory_copy_bytes(text, equals ? (size_t)(equals - text) : strlen(text));
        int k = 0;
        while (k < n_where && !settings_has(where[k], key))
            k++;
        free(key);
        if (k == n_where)
            return error_set(error, ERROR_INPUT,
                             "--set %s: there is no such setting; see fovea "
                             "train FAMILY --help",
                             text);
        if (!settings_assign(where[k], text, error))
            return false;
    }
    return true;
}

static char *command_line(const Args *args)
{
    StrBuf line = {0};
    strbuf_addf(&line, "fovea train %s", args_word(args, 0));
    for (int i = 0; i < args_count(args, "set"); i++)
        strbuf_addf(&line, " --set %s", args_nth(args, "set", i));
    return strbuf_take(&line);
}

static char *provenance(const Args *args)
{
    StrBuf text = {0};
    strbuf_add(&text, "{");
    const char *licence = args_get(args, "licence");
    if (licence) {
        strbuf_add(&text, "\"licence\": \"");
        strbuf_add_json(&text, licence, strlen(licence));
        strbuf_add(&text, "\"");
    }
    strbuf_add(&text, "}");
    return strbuf_take(&text);
}

static bool run(const Args *args, const TrainTask *task, Error *error)
{
    Settings *where[3] = {settings_new(family_find(task->family)->settings),
                          settings_new(task->settings), settings_new(loop_settings)};
    Screen screen = {.is_terminal = isatty(STDERR_FILENO) != 0};
    char *command = command_line(args), *facts = provenance(args);
    TrainRequest request = {
        .task = task,
        .files = {args_get(args, "data"), args_get(args, "valid")},
        .output = args_get(args, "output"),
        .title = args_get(args, "title"),
        .n_examples = args_count(args, "example"),
        .model_settings = where[0],
        .training = where[1],
        .loop = where[2],
        .resume = args_has(args, "resume"),
        .command = command,
        .provenance = facts,
        .stop = interrupt_catch(),
        .progress = args_has(args, "quiet") ? NULL : show_progress,
        .warn = show_warning,
        .context = &screen,
    };
    const char **examples = memory_new((size_t)request.n_examples + 1, sizeof *examples);
    for (int i = 0; i < request.n_examples; i++)
        examples[i] = args_nth(args, "example", i);
    request.examples = examples;
    bool ok = assign(args, where, 3, error) && train_run(&request, error);
    if (screen.is_terminal)
        fputs("\r\033[K", stderr);
    for (int i = 0; i < 3; i++)
        settings_free(where[i]);
    free(examples);
    free(command);
    free(facts);
    return ok;
}

static int train_command(const Args *args)
{
    Error error = {0};
    const char *family = args_word(args, 0);
    const TrainTask *task = family ? task_find(family) : NULL;
    if (!task)
        error_set(&error, ERROR_INPUT, "train wants a family: fovea train --help lists them");
    else if ((task->data_help && !args_get(args, "data")) || !args_get(args, "output"))
        error_set(&error, ERROR_INPUT, "train wants %s-o OUT.safetensors",
                  task->data_help ? "--data PATH and " : "");
    else if (!task->data_help && args_get(args, "data"))
        error_set(&error, ERROR_INPUT, "train %s makes its own data: --data has no use", family);
    if (error_is_set(&error))
        return command_fail(&error);
    return run(args, task, &error) ? EXIT_DONE : command_fail(&error);
}

static void list_settings(void)
{
    StrBuf text = {0};
    for (int i = 0; task_at(i); i++) {
        const TrainTask *task = task_at(i);
        const Family *family = family_find(task->family);
        strbuf_addf(&text, "\n%s: %s\n  --data: %s\n", task->family, family->help,
                    task->data_help ? task->data_help : "none; it is made while training");
        settings_help(family->settings, &text);
        settings_help(task->settings, &text);
    }
    strbuf_add(&text, "\nevery family:\n");
    settings_help(loop_settings, &text);
    fputs(text.text, stdout);
    strbuf_free(&text);
}

const Command command_train = {
    "train",
    "FAMILY --data PATH [--valid PATH] -o OUT.safetensors [--set key=value ...]",
    "train a model from data",
    options,
    train_command,
    list_settings,
};
