#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "commands/commands.h"
#include "image/picture.h"
#include "models/model.h"
#include "session/paths.h"
#include "trace/trace_json.h"

static const ArgOption options[] = {
    {"model", 'm', "MODEL", "an installed model or a file (default: en-fr-additive)"},
    {"text", 't', "TEXT", "the input; for pictures: strokes or the objects of a scene"},
    {"force", 0, "TEXT", "a target to write instead of the model's own"},
    {"beam", 0, "K", "beam search of this width"},
    {"length-penalty", 0, "ALPHA", "((5 + n) / 6)^alpha; 0 divides by the length"},
    {"temperature", 0, "T", "of the softmax over scores"},
    {"window", 0, "D", "of local attention"},
    {"sample", 0, NULL, "draw hard choices instead of taking the largest"},
    {"feature", 0, "K", "multi-dimensional attention: the feature to keep when all are too many"},
    {"seed", 0, "N", "of the draws"},
    {"paths", 0, "N",
     "pictures: sampled runs beside the run; digits and selections average over them"},
    {"glimpses", 0, "N", "digits: looks at the picture"},
    {"look", 0, "STEP:X,Y", "digits: put a glimpse there (parts of the picture); may be repeated"},
    {"cell", 0, "STEP:CELL", "captions: take this cell of the grid; may be repeated"},
    {"save-picture", 0, "OUT.png", "write the picture that the model saw"},
    {"json", 0, NULL, "one trace a line"},
    {0},
};

typedef struct Job {
    const Model *model;
    RunOptions options;
    int n_interventions;
    Intervention *interventions;
    const char *save_picture;
    bool json;
} Job;

static bool read_options(const Args *args, RunOptions *o, Error *error)
{
    double beam, window, seed, paths, glimpses, feature;
    bool ok = args_number(args, "beam", 1, 1, RUN_MAX_BEAM, &beam, error) &&
              args_number(args, "window", 0, 1, 100000, &window, error) &&
              args_number(args, "feature", 0, 0, 1e6, &feature, error) &&
              args_number(args, "seed", 0, 0, 9007199254740992.0, &seed, error) &&
              args_number(args, "temperature", 1, 1e-6, 1e6, &o->temperature, error) &&
              args_number(args, "length-penalty", 0, 0, 10, &o->length_penalty, error) &&
              args_number(args, "paths", 0, 0, RUN_MAX_PATHS, &paths, error) &&
              args_number(args, "glimpses", 0, 0, 1000, &glimpses, error);
    if (!ok)
        return false;
    o->paths = (int)paths;
    o->max_steps = (int)glimpses;
    o->beam = (int)beam;
    o->window = (int)window;
    o->feature = (int)feature;
    o->seed = (uint64_t)seed;
    o->sample = args_has(args, "sample");
    o->force = args_get(args, "force");
    return true;
}

/* "3:0.2,0.8" or "3:17": steps are counted from 1. */
static bool read_intervention(const char *text, int n_numbers, Intervention *out, Error *error)
{
    double number[3];
    const char *p = text;
    for (int i = 0; i <= n_numbers; i++) {
        size_t n = number_parse(p, strlen(p), &number[i]);
        char expected = i == 0 ? ':' : i < n_numbers ? ',' : '\0';
        if (n == 0 || p[n] != expected || (i == 0 && !(number[0] >= 1 && number[0] <= 1000)))
            return error_set(error, ERROR_INPUT, "\"%s\": STEP:%s was expected", text,
                             n_numbers == 2 ? "X,Y" : "CELL");
        p += n + 1;
    }
    *out = (Intervention){(int)number[0] - 1, STEP_CHOICE_NONE};
    if (n_numbers == 2) {
        out->choice.moves_window = true;
        out->choice.centre = number[1];
        out->choice.centre_y = number[2];
    } else {
        out->choice.selected = number[1] >= 0 && number[1] < 1e6 ? (int)number[1] : 1000000;
    }
    return true;
}

static bool read_interventions(const Args *args, Job *job, Error *error)
{
    int looks = args_count(args, "look"), cells = args_count(args, "cell");
    job->interventions = memory_new((size_t)(looks + cells) + 1, sizeof *job->interventions);
    for (int i = 0; i < looks + cells; i++) {
        bool is_look = i < looks;
        const char *text = is_look ? args_nth(args, "look", i) : args_nth(args, "cell", i - looks);
        if (!read_intervention(text, is_look ? 2 : 1, &job->interventions[i], error))
            return false;
        job->n_interventions++;
    }
    return true;
}

static void print_weights(const Trace *trace)
{
    const TraceTensor *tensor = trace_find(trace, "attention.weights");
    if (!tensor || tensor->rank != 2)
        return;
    TraceMatrix m = trace_matrix(trace, tensor, NULL);
    const TraceAxis *rows = trace_axis(trace, tensor->axis[0]);
    const TraceAxis *cols = trace_axis(trace, tensor->axis[1]);
    for (int32_t i = 0; i < m.rows; i++) {
        int32_t best = 0;
        for (int32_t j = 1; j < m.cols; j++)
            if (trace_matrix_get(&m, i, j) > trace_matrix_get(&m, i, best))
                best = j;
        printf("  %-16s <- %-16s %.3f\n", rows->labels[i], cols->labels[best],
               (double)trace_matrix_get(&m, i, best));
    }
}

static void print_trace(const Trace *trace)
{
    const char *output = trace_text(trace, "output");
    if (output)
        puts(output);
    for (int32_t i = 0; i < trace_n_classes(trace); i++)
        printf("%s %.4f\n", trace_class(trace, i)->label, trace_class(trace, i)->probability);
    print_weights(trace);
}

static bool run_input(const Job *job, const RunInput *input, Error *error)
{
    const Trace *trace = model_run(job->model, input, &job->options, job->n_interventions,
                                   job->interventions, error);
    if (!trace)
        return false;
    bool ok = true;
    if (job->save_picture)
        ok = trace_image(trace)
                 ? picture_write_png(trace_image(trace), job->save_picture, error)
                 : error_set(error, ERROR_INPUT, "--save-picture: this model sees no picture");
    if (ok && job->json) {
        StrBuf line = {0};
        ok = trace_json_write(trace, &line, error);
        if (ok)
            puts(line.text);
        strbuf_free(&line);
    } else if (ok) {
        print_trace(trace);
    }
    trace_release(trace);
    return ok;
}

static bool run_text(const Job *job, const char *text, Error *error)
{
    return run_input(job, &(RunInput){.text = text}, error);
}

static bool sees_pictures(const Model *model)
{
    return model_task(model) == TASK_DIGIT || model_task(model) == TASK_CAPTION;
}

static bool run_picture(const Job *job, const char *path, Error *error)
{
    Picture picture;
    if (!picture_read(&picture, path, error))
        return false;
    TraceImage view = picture_view(&picture);
    bool ok = run_input(job, &(RunInput){.image = &view}, error);
    picture_free(&picture);
    return ok;
}

/* One input a line; a bad line is reported by its number and the rest is done. */
static bool run_lines(const Job *job, const char *path, Error *error)
{
    Bytes bytes;
    if (!file_read(path, FILE_MAX_READ_BYTES, &bytes, error))
        return false;
    int number = 0, failed = 0;
    for (char *line = bytes.data; line < bytes.data + bytes.size;) {
        char *end = strchr(line, '\n');
        size_t n = end ? (size_t)(end - line) : strlen(line);
        char *text = memory_copy_bytes(line, n > 0 && line[n - 1] == '\r' ? n - 1 : n);
        Error why = {0};
        number++;
        if (!run_text(job, text, &why)) {
            fprintf(stderr, "fovea: %s, line %d: %s\n", path, number, why.message);
            failed++;
        }
        free(text);
        line += n + 1;
    }
    bytes_free(&bytes);
    if (failed)
        return error_set(error, ERROR_IO, "%d of %d lines failed", failed, number);
    return true;
}

static int run_command(const Args *args)
{
    Error error = {0};
    Job job = {.json = args_has(args, "json")};
    const char *name = args_get(args, "model");
    char *path = paths_find_model(name ? name : "en-fr-additive", &error);
    Model *model = path ? model_load(path, &error) : NULL;
    job.model = model;
    const char *text = args_get(args, "text");
    job.save_picture = args_get(args, "save-picture");
    bool ok =
        model && read_options(args, &job.options, &error) && read_interventions(args, &job, &error);
    if (ok && text)
        ok = run_text(&job, text, &error);
    else if (ok && args_n_words(args) == 1 && sees_pictures(model))
        ok = run_picture(&job, args_word(args, 0), &error);
    else if (ok && args_n_words(args) == 1)
        ok = run_lines(&job, args_word(args, 0), &error);
    else if (ok)
        ok = error_set(&error, ERROR_INPUT, "run wants -t TEXT, a file of inputs, or - ");
    free(job.interventions);
    model_release(model);
    free(path);
    return ok ? EXIT_DONE : command_fail(&error);
}

const Command command_run = {
    "run",
    "-m MODEL [-t TEXT | FILE | -] [--json] ...",
    "run a model and print what it does",
    options,
    run_command,
    NULL,
};
