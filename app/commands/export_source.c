#include "commands/export_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "commands/input_text.h"
#include "format/import.h"
#include "image/picture.h"
#include "models/model.h"
#include "models/run_edits.h"
#include "session/document.h"
#include "session/paths.h"
#include "trace/trace_json.h"

#define MAX_EDITS_BYTES ((size_t)16 << 20)

struct ExportSource {
    const Args *args;
    bool each;
    int sentence; /* of every dump, from 0; -1: the first, or all */

    Model *model; /* or NULL: files are dumps and figures */
    const char *model_name;
    RunEdits *edits;

    int file; /* of the words; the one that is open, or comes next */
    bool is_done;
    ImportSet *dump;
    int32_t at; /* in dump */
    Bytes text;
    size_t text_at;
    int line;
};

/* ---- options of a run ---- */

static bool read_edits(ExportSource *s, Error *error)
{
    const char *path = args_get(s->args, "intervene");
    if (!path) {
        s->edits = run_edits_new();
        return true;
    }
    Bytes bytes;
    if (!file_read(path, MAX_EDITS_BYTES, &bytes, error))
        return false;
    json_t *root = json_text_parse(bytes.data, bytes.size, path, error);
    s->edits = root ? run_edits_from_json(root, error) : NULL;
    json_decref(root);
    bytes_free(&bytes);
    return s->edits != NULL;
}

static bool apply_options(ExportSource *s, Error *error)
{
    const Args *args = s->args;
    double beam, penalty, temperature, window, seed;
    if (!args_number(args, "beam", 0, 1, RUN_MAX_BEAM, &beam, error) ||
        !args_number(args, "length-penalty", 0, 0, 10, &penalty, error) ||
        !args_number(args, "temperature", 0, 1e-6, 1e6, &temperature, error) ||
        !args_number(args, "window", 0, 1, 100000, &window, error) ||
        !args_number(args, "seed", 0, 0, 9007199254740992.0, &seed, error))
        return false;
    if (args_has(args, "beam"))
        run_edits_set_beam(s->edits, (int)beam);
    if (args_has(args, "length-penalty"))
        run_edits_set_length_penalty(s->edits, penalty);
    if (args_has(args, "temperature"))
        run_edits_set_temperature(s->edits, temperature);
    if (args_has(args, "window"))
        run_edits_set_window(s->edits, (int)window);
    if (args_has(args, "seed"))
        run_edits_set_seed(s->edits, (uint64_t)seed);
    if (args_has(args, "sample"))
        run_edits_set_sample(s->edits, true);
    if (args_has(args, "force"))
        run_edits_set_force(s->edits, args_get(args, "force"));
    return true;
}

static Model *load_model(const char *name, Error *error)
{
    char *path = paths_find_model(name, error);
    Model *model = path ? model_load(path, error) : NULL;
    free(path);
    return model;
}

/* ---- life ---- */

static bool open_source(ExportSource *s, Error *error)
{
    double sentence, base;
    s->model_name = args_get(s->args, "model");
    bool has_text = args_has(s->args, "text");
    if (!args_number(s->args, "sentence", 0, 1, IMPORT_MAX_SENTENCES, &sentence, error) ||
        !args_number(s->args, "count-from", 0, 0, 1, &base, error))
        return false;
    s->sentence = (int)sentence - 1;
    if (s->model_name && !has_text && args_n_words(s->args) == 0)
        return error_set(error, ERROR_INPUT, "a model wants an input: -t TEXT, or a file");
    if (!s->model_name && has_text)
        return error_set(error, ERROR_INPUT, "-t TEXT wants a model: -m MODEL");
    if (!s->model_name && args_n_words(s->args) == 0)
        return error_set(error, ERROR_INPUT, "export wants -m MODEL -t TEXT, or a file");
    if (!s->model_name)
        return true;
    s->model = load_model(s->model_name, error);
    return s->model && read_edits(s, error) && apply_options(s, error);
}

ExportSource *export_source_open(const Args *args, bool each, Error *error)
{
    ExportSource *s = memory_new(1, sizeof *s);
    *s = (ExportSource){.args = args, .each = each};
    if (open_source(s, error))
        return s;
    export_source_close(s);
    return NULL;
}

static void close_file(ExportSource *s)
{
    import_close(s->dump);
    bytes_free(&s->text);
    s->dump = NULL;
    s->text = (Bytes){0};
    s->at = 0;
    s->text_at = 0;
    s->line = 0;
    s->file++;
}

void export_source_close(ExportSource *s)
{
    if (!s)
        return;
    close_file(s);
    run_edits_free(s->edits);
    model_release(s->model);
    free(s);
}

void export_item_free(ExportItem *item)
{
    figure_origin_free(&item->made);
}

/* ---- a model's runs ---- */

static const Trace *run(const ExportSource *s, const Model *model, const RunInput *input,
                        Error *error)
{
    int n;
    const Intervention *interventions = run_edits_interventions(s->edits, &n);
    return model_run(model, input, run_edits_options(s->edits), n, interventions, error);
}

static RunInput text_input(const ExportSource *s, const char *text)
{
    return (RunInput){.text = text, .question = args_get(s->args, "question")};
}

/* What runs it again in the window. */
static char *describe_session(const ExportSource *s, const RunInput *input)
{
    Document doc;
    document_init(&doc);
    document_set_model(&doc, s->model_name);
    document_set_text(&doc, input->text);
    document_set_question(&doc, input->question ? input->question : "");
    run_edits_free(doc.edits);
    doc.edits = run_edits_copy(s->edits);
    char *json = document_run_to_json(&doc);
    document_deinit(&doc);
    return json;
}

static bool run_text(const ExportSource *s, const char *text, ExportItem *item, Error *error)
{
    RunInput input = text_input(s, text);
    item->made.trace = run(s, s->model, &input, error);
    if (item->made.trace)
        item->made.session = describe_session(s, &input);
    return item->made.trace != NULL;
}

static bool sees_pictures(const Model *model)
{
    return model_task(model) == TASK_DIGIT || model_task(model) == TASK_CAPTION;
}

static const Trace *run_picture(const ExportSource *s, const Model *model, const char *path,
                                Error *error)
{
    Picture picture;
    if (!picture_read(&picture, path, error))
        return NULL;
    TraceImage image = picture_view(&picture);
    const Trace *trace = run(s, model, &(RunInput){.image = &image}, error);
    picture_free(&picture);
    return trace;
}

/* The next line of the open text; the file is closed behind the last one. */
static bool run_line(ExportSource *s, ExportItem *item, Error *error)
{
    const char *line = s->text.data + s->text_at;
    size_t n = strcspn(line, "\n");
    char *text = memory_copy_bytes(line, n > 0 && line[n - 1] == '\r' ? n - 1 : n);
    s->line++;
    bool ok = run_text(s, text, item, error);
    if (!ok)
        error_prefix(error, "%s, line %d", item->file, s->line);
    free(text);
    s->text_at += n + 1;
    if (s->text_at > s->text.size)
        close_file(s);
    return ok;
}

static bool next_run(ExportSource *s, ExportItem *item, Error *error)
{
    if (s->text.data)
        return run_line(s, item, error);
    if (sees_pictures(s->model)) {
        item->made.trace = run_picture(s, s->model, item->file, error);
        s->file++;
        return item->made.trace != NULL;
    }
    if (!input_text_read(item->file, &s->text, error)) {
        s->file++;
        return false;
    }
    if (s->each)
        return run_line(s, item, error);
    bool ok = run_text(s, s->text.data, item, error);
    close_file(s);
    return ok;
}

/* ---- dumps and figures ---- */

static bool is_figure(const char *path)
{
    FileMap map;
    Error none = {0}; /* what cannot be read is told of by whoever reads it */
    if (!file_map(path, &map, &none))
        return false;
    bool is = map.size > 0 && figure_origin_recognise(map.data, map.size);
    file_unmap(&map);
    return is;
}

static bool next_sentence(ExportSource *s, ExportItem *item, Error *error)
{
    bool all = s->each && s->sentence < 0;
    int32_t n = import_count(s->dump);
    int32_t i = all ? s->at : s->sentence < 0 ? 0 : s->sentence;
    if (i >= n)
        error_set(error, ERROR_INPUT, "--sentence %d: %s has %d", (int)i + 1, item->file, (int)n);
    else
        item->made.trace = import_trace(s->dump, i, error);
    item->n_siblings = all || s->sentence >= 0 ? 0 : n - 1;
    if (!all || ++s->at >= n)
        close_file(s);
    return item->made.trace != NULL;
}

/* "0", "1", or to be guessed; anything else was refused. */
static LinksBase links_base(const Args *args)
{
    const char *base = args_get(args, "count-from");
    return !base ? LINKS_BASE_GUESS : *base == '1' ? LINKS_BASE_ONE : LINKS_BASE_ZERO;
}

static ImportOptions dump_options(const Args *args)
{
    return (ImportOptions){
        .axes = args_get(args, "axes"),
        .swap = args_has(args, "swap"),
        .links.base = links_base(args),
        .tokens_path = args_get(args, "tokens"),
        .source_path = args_get(args, "source"),
        .target_path = args_get(args, "target"),
        .gold_path = args_get(args, "gold"),
    };
}

static ImportSet *open_dump(const Args *args, const char *path, Error *error)
{
    const ImportOptions options = dump_options(args);
    return import_open(path, &options, error);
}

/* A figure of ours brings its view and settings along. */
static bool next_from_file(ExportSource *s, ExportItem *item, Error *error)
{
    if (!s->dump && is_figure(item->file)) {
        bool ok = figure_read_origin(item->file, &item->made, error);
        s->file++;
        return ok;
    }
    if (!s->dump)
        s->dump = open_dump(s->args, item->file, error);
    if (s->dump)
        return next_sentence(s, item, error);
    s->file++;
    return false;
}

bool export_source_next(ExportSource *s, ExportItem *item, Error *error)
{
    *item = (ExportItem){.file = ""};
    const char *text = args_get(s->args, "text");
    if (s->is_done)
        return false;
    bool ok;
    if (s->model && text) {
        s->is_done = true;
        ok = run_text(s, text, item, error);
    } else {
        item->file = args_word(s->args, s->file);
        ok = item->file && (s->model ? next_run(s, item, error) : next_from_file(s, item, error));
        s->is_done = s->file >= args_n_words(s->args);
    }
    if (ok && !item->made.view)
        item->made.step = trace_n_steps(item->made.trace);
    return ok;
}

/* ---- what it is compared with ---- */

static const Trace *run_other(ExportSource *s, const char *name, Error *error)
{
    Model *model = load_model(name, error);
    const char *text = args_get(s->args, "text"), *file = args_word(s->args, 0);
    const Trace *trace = NULL;
    Bytes bytes = {0};
    if (model && !text && sees_pictures(model))
        trace = run_picture(s, model, file, error);
    else if (model && (text || input_text_read(file, &bytes, error))) {
        RunInput input = text_input(s, text ? text : bytes.data);
        trace = run(s, model, &input, error);
    }
    bytes_free(&bytes);
    model_release(model);
    return trace;
}

const Trace *export_source_other(ExportSource *s, const char *name, Error *error)
{
    if (s->model && !file_exists(name))
        return run_other(s, name, error);
    ImportSet *set = import_open(name, NULL, error);
    const Trace *trace = set ? import_trace(set, s->sentence < 0 ? 0 : s->sentence, error) : NULL;
    import_close(set);
    return trace;
}

/* ---- the same input, run otherwise ---- */

/* The text that the item's model read; false for pictures and other tools' files. */
static bool item_input(const ExportSource *s, const ExportItem *item, RunInput *input, Error *error)
{
    const char *text = trace_text(item->made.trace, "input");
    if (!s->model || !text || sees_pictures(s->model))
        return error_set(error, ERROR_INPUT,
                         "this picture wants a model and a text: -m MODEL "
                         "-t TEXT");
    *input = text_input(s, text);
    return true;
}

const Trace *export_source_plain(ExportSource *s, const ExportItem *item, Error *error)
{
    RunInput input;
    if (!item_input(s, item, &input, error))
        return NULL;
    if (run_edits_count(s->edits) == 0) {
        error_set(error, ERROR_INPUT,
                  "nothing was changed about this run: --intervene FILE, or one of its options");
        return NULL;
    }
    return model_run(s->model, &input, &(RunOptions){0}, 0, NULL, error);
}

bool export_source_left_out(ExportSource *s, const ExportItem *item, LeaveOneOut *out, Error *error)
{
    RunInput input;
    int n;
    if (!item_input(s, item, &input, error))
        return false;
    const Intervention *interventions = run_edits_interventions(s->edits, &n);
    const LeaveOneOutSpec spec = {
        .model = s->model,
        .input = &input,
        .options = run_edits_options(s->edits),
        .n_interventions = n,
        .interventions = interventions,
        .n_threads = thread_count_available(),
    };
    return leave_one_out(&spec, out, error);
}

/* ---- whole dumps ---- */

bool export_source_is_whole_dump(const ExportSource *s)
{
    if (s->model || s->sentence >= 0 || args_n_words(s->args) != 1)
        return false;
    return !is_figure(args_word(s->args, 0));
}

bool export_source_write_lines(ExportSource *s, FILE *out, Error *error)
{
    const char *path = args_word(s->args, 0);
    ImportSet *set = open_dump(s->args, path, error);
    bool ok = set != NULL;
    for (int32_t i = 0; ok && i < import_count(set); i++) {
        StrBuf line = {0};
        const Trace *trace = import_trace(set, i, error);
        ok = trace && trace_json_write(trace, &line, error);
        strbuf_add_char(&line, '\n');
        if (ok && fwrite(line.text, 1, line.length, out) != line.length)
            ok = error_set(error, ERROR_IO, "%s: not all of it could be written", path);
        strbuf_free(&line);
        trace_release(trace);
    }
    import_close(set);
    return ok;
}
