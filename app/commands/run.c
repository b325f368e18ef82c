#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "commands/commands.h"
#include "commands/input_text.h"
#include "commands/run_job.h"
#include "commands/run_story.h"
#include "image/picture.h"
#include "session/paths.h"
#include "trace/trace_json.h"

static const ArgOption options[] = {
    {"model", 'm', "MODEL",
     "an installed model or a file (default: en-fr-additive; with a question: reader-babi)"},
    {"text", 't', "TEXT",
     "the input; readers: the story; pictures: strokes or the objects of a scene"},
    {"question", 'q', "TEXT", "readers: what is asked about the story"},
    {"number", 'n', "N[:K]",
     "readers: story N of a file in bAbI's format, its question K (default: the last)"},
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
    {"intervene", 0, "FILE.json", "changes to the run; prints what followed from them"},
    {"leave-one-out", 0, NULL, "hide each word in turn: its weight against its effect"},
    {"save-picture", 0, "OUT.png", "write the picture that the model saw"},
    {"json", 0, NULL, "one trace a line"},
    {"whole", 0, NULL,
     "the file is one text, a document of many lines, not one a line; a web page always is"},
    {"output", 'o', "OUT", "a file of inputs: where the results go, a line for each"},
    {"resume", 0, NULL, "go on where an earlier run with -o was stopped"},
    {"shard", 0, "I/N", "only the I-th of N parts of the file; -o of each is for --merge"},
    {"merge", 0, NULL, "the words are the outputs of all shards: makes one output and --report"},
    {"threads", 0, "N", "default: all processors"},
    {"gold", 0, "LINKS", "lines are \"source ||| target\": alignment error against these links"},
    {"report", 0, "OUT", ".html, .svg or .json: attention over the whole file, with charts"},
    {0},
};

/* What the command line says goes before what the file of changes says. */
static bool read_options(const Args *args, RunOptions *o, Error *error)
{
    double beam, window, seed, paths, glimpses, feature;
    bool ok =
        args_number(args, "beam", o->beam, 1, RUN_MAX_BEAM, &beam, error) &&
        args_number(args, "window", o->window, 1, 100000, &window, error) &&
        args_number(args, "feature", 0, 0, 1e6, &feature, error) &&
        args_number(args, "seed", (double)o->seed, 0, 9007199254740992.0, &seed, error) &&
        args_number(args, "temperature", o->temperature, 1e-6, 1e6, &o->temperature, error) &&
        args_number(args, "length-penalty", o->length_penalty, 0, 10, &o->length_penalty, error) &&
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
    o->sample = o->sample || args_has(args, "sample");
    if (args_has(args, "force"))
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

static bool read_interventions(const Args *args, RunJob *job, Error *error)
{
    int looks = args_count(args, "look"), cells = args_count(args, "cell"), n_edits = 0;
    const Intervention *edits = job->edits ? run_edits_interventions(job->edits, &n_edits) : NULL;
    job->interventions =
        memory_new((size_t)(looks + cells + n_edits) + 1, sizeof *job->interventions);
    for (int i = 0; i < looks + cells; i++) {
        bool is_look = i < looks;
        const char *text = is_look ? args_nth(args, "look", i) : args_nth(args, "cell", i - looks);
        if (!read_intervention(text, is_look ? 2 : 1, &job->interventions[i], error))
            return false;
        job->n_interventions++;
    }
    for (int i = 0; i < n_edits; i++)
        job->interventions[job->n_interventions++] = edits[i];
    return true;
}

static bool read_job(const Args *args, RunJob *job, Error *error)
{
    const char *path = args_get(args, "intervene");
    job->options = (RunOptions){.temperature = 1, .beam = 1};
    if (path) {
        job->edits = run_edits_open(path, error);
        if (!job->edits)
            return false;
        job->options = *run_edits_options(job->edits);
    }
    job->json = args_has(args, "json");
    job->save_picture = args_get(args, "save-picture");
    return read_options(args, &job->options, error) && read_interventions(args, job, error);
}

const Trace *run_job(const RunJob *job, const RunInput *input, const StopFlag *stop, Error *error)
{
    RunOptions wanted = job->options;
    wanted.stop = stop;
    wanted.verdict_first = !job->json && !job->edits; /* what explains it would not be printed */
    const Trace *trace =
        model_run(job->model, input, &wanted, job->n_interventions, job->interventions, error);
    if (trace && job->edits && !run_edits_check_steps(job->edits, trace_n_steps(trace), error)) {
        trace_release(trace);
        return NULL;
    }
    return trace;
}

/* ---- one input ---- */

static bool print_json(const Trace *trace, Error *error)
{
    StrBuf line = {0};
    bool ok = trace_json_write(trace, &line, error);
    if (ok)
        puts(line.text);
    strbuf_free(&line);
    return ok;
}

/* Without the file of changes, as far as the command line lets it be. */
static bool print_followed(const Args *args, const RunJob *job, const RunInput *input,
                           const Trace *after, Error *error)
{
    RunOptions plain = {.temperature = 1, .beam = 1};
    if (!read_options(args, &plain, error))
        return false;
    const Trace *before = model_run(job->model, input, &plain, 0, NULL, error);
    if (before)
        run_print_followed(before, after);
    trace_release(before);
    return before != NULL;
}

static bool save_picture(const RunJob *job, const Trace *trace, Error *error)
{
    if (!job->save_picture)
        return true;
    return trace_image(trace)
               ? picture_write_png(trace_image(trace), job->save_picture, error)
               : error_set(error, ERROR_INPUT, "--save-picture: this model sees no picture");
}

static bool run_left_out(const Args *args, const RunJob *job, const RunInput *input, Error *error)
{
    double threads;
    if (!args_number(args, "threads", thread_count_available(), 1, 256, &threads, error))
        return false;
    const LeaveOneOutSpec spec = {
        .model = job->model,
        .input = input,
        .options = &job->options,
        .n_interventions = job->n_interventions,
        .interventions = job->interventions,
        .n_threads = (int)threads,
    };
    LeaveOneOut result;
    if (!leave_one_out(&spec, &result, error))
        return false;
    if (job->json) {
        char *text = run_left_out_json(&result);
        puts(text);
        free(text);
    } else {
        run_print_left_out(&result);
    }
    leave_one_out_free(&result);
    return true;
}

static bool run_input(const Args *args, const RunJob *job, const RunInput *input, Error *error)
{
    if (args_has(args, "leave-one-out"))
        return run_left_out(args, job, input, error);
    const Trace *trace = run_job(job, input, NULL, error);
    if (!trace)
        return false;
    bool ok = save_picture(job, trace, error);
    if (ok && job->json)
        ok = print_json(trace, error);
    else if (ok && job->edits)
        ok = print_followed(args, job, input, trace, error);
    else if (ok)
        run_print_trace(trace);
    trace_release(trace);
    return ok;
}

static bool sees_pictures(const Model *model)
{
    return model_task(model) == TASK_DIGIT || model_task(model) == TASK_CAPTION;
}

static bool run_picture(const Args *args, const RunJob *job, const char *path, Error *error)
{
    Picture picture;
    if (!picture_read(&picture, path, error))
        return false;
    TraceImage view = picture_view(&picture);
    bool ok = run_input(args, job, &(RunInput){.image = &view}, error);
    picture_free(&picture);
    return ok;
}

static bool asks(const Args *args)
{
    return args_has(args, "question") || args_has(args, "number");
}

static bool run_story(const Args *args, const RunJob *job, Error *error)
{
    const StorySpec spec = {
        .text = args_get(args, "text"),
        .path = args_n_words(args) > 0 ? args_word(args, 0) : NULL,
        .question = args_get(args, "question"),
        .number = args_get(args, "number"),
    };
    Story story;
    bool ok = story_read(&spec, &story, error) && run_input(args, job, &story.input, error);
    story_deinit(&story);
    return ok;
}

/* ---- a file of inputs ---- */

static bool run_whole(const Args *args, const RunJob *job, Error *error)
{
    static const char *const for_many[] = {"output", "resume", "shard", "gold", "report"};
    const char *path = args_word(args, 0);
    for (size_t i = 0; i < sizeof for_many / sizeof for_many[0]; i++)
        if (args_has(args, for_many[i]))
            return error_set(error, ERROR_INPUT, "%s: one text is one run: no --%s", path,
                             for_many[i]);
    Bytes text;
    bool ok = input_text_read(path, &text, error) &&
              run_input(args, job, &(RunInput){.text = text.data}, error);
    bytes_free(&text);
    return ok;
}

/* "2/8" */
static bool read_shard(const char *text, BatchSpec *spec, Error *error)
{
    int32_t shard = 1, n = 1;
    size_t used = text ? number_parse_index(text, strlen(text), &shard) : 0;
    bool ok = !text || (used > 0 && text[used] == '/');
    if (text && ok) {
        size_t rest = strlen(text + used + 1);
        ok = number_parse_index(text + used + 1, rest, &n) == rest && rest > 0;
    }
    if (!ok || shard < 1 || n < 1 || shard > n)
        return error_set(error, ERROR_INPUT,
                         "--shard %s: I/N was expected, I from 1 to N, such as 2/8", text);
    spec->shard = shard;
    spec->n_shards = n;
    return true;
}

static bool check_report(const char *path, Error *error)
{
    const char *ending = path ? file_extension(path) : ".html";
    return strcmp(ending, ".html") == 0 || strcmp(ending, ".svg") == 0 ||
           strcmp(ending, ".json") == 0 ||
           error_set(error, ERROR_INPUT, "--report %s: .html, .svg or .json was expected", path);
}

static bool merge(const Args *args, Error *error)
{
    int n = args_n_words(args);
    const char **parts = memory_new((size_t)n + 1, sizeof *parts);
    for (int i = 0; i < n; i++)
        parts[i] = args_word(args, i);
    const MergeSpec spec = {
        .n = n,
        .parts = parts,
        .output = args_get(args, "output"),
        .report = args_get(args, "report"),
    };
    bool ok = check_report(spec.report, error) && run_merge(&spec, error);
    free(parts);
    return ok;
}

static bool run_file(const Args *args, const RunJob *job, Error *error)
{
    BatchSpec spec = {
        .path = args_word(args, 0),
        .output = args_get(args, "output"),
        .gold = args_get(args, "gold"),
        .report = args_get(args, "report"),
        .resume = args_has(args, "resume"),
    };
    double threads;
    if (!check_report(spec.report, error))
        return false;
    if (spec.resume && !spec.output)
        return error_set(error, ERROR_INPUT, "--resume wants -o OUT");
    if (args_has(args, "leave-one-out"))
        return error_set(error, ERROR_INPUT, "--leave-one-out wants -t TEXT");
    if (spec.gold && model_task(job->model) != TASK_TRANSLATE)
        return error_set(error, ERROR_INPUT, "--gold: %s translates nothing",
                         model_name(job->model));
    if (!read_shard(args_get(args, "shard"), &spec, error) ||
        !args_number(args, "threads", thread_count_available(), 1, 256, &threads, error))
        return false;
    spec.n_threads = (int)threads;
    return run_batch(job, &spec, error);
}

static bool run(const Args *args, RunJob *job, Error *error)
{
    const char *text = args_get(args, "text");
    if (!read_job(args, job, error))
        return false;
    if (model_task(job->model) == TASK_ANSWER)
        return run_story(args, job, error);
    if (asks(args))
        return error_set(error, ERROR_INPUT, "%s reads no stories: it takes no question",
                         model_name(job->model));
    if (text)
        return run_input(args, job, &(RunInput){.text = text}, error);
    if (args_n_words(args) != 1)
        return error_set(error, ERROR_INPUT, "run wants -t TEXT, a file of inputs, or -");
    if (sees_pictures(job->model))
        return run_picture(args, job, args_word(args, 0), error);
    bool is_one = args_has(args, "whole") || input_text_is_page(args_word(args, 0));
    return is_one ? run_whole(args, job, error) : run_file(args, job, error);
}

static int run_command(const Args *args)
{
    Error error = {0};
    if (args_has(args, "merge"))
        return merge(args, &error) ? EXIT_DONE : command_fail(&error);
    RunJob job = {0};
    const char *name = args_get(args, "model");
    const char *standard = asks(args) ? "reader-babi" : "en-fr-additive";
    char *path = paths_find_model(name ? name : standard, &error);
    Model *model = path ? model_load(path, &error) : NULL;
    job.model = model;
    bool ok = model && run(args, &job, &error);
    run_edits_free(job.edits);
    free(job.interventions);
    model_release(model);
    free(path);
    return ok ? EXIT_DONE : command_fail(&error);
}

const Command command_run = {
    "run",
    "-m MODEL [-t TEXT | FILE | -] [--json] ... | --merge OUT... -o OUT",
    "run a model and print what it does",
    options,
    run_command,
    NULL,
};
