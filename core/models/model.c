#include "models/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/memory.h"
#include "format/safetensors.h"
#include "models/family.h"

#define METADATA_KEY "fovea"
#define MAX_EXAMPLES 64

/* ---- life ---- */

Model *model_new(const Family *family, Settings *settings)
{
    Model *model = memory_new(1, sizeof *model);
    atomic_init(&model->references, 1);
    model->family = family;
    model->settings = settings;
    model->params = param_set_new();
    model->name = memory_copy_string("untitled");
    model->title = memory_copy_string("");
    model->provenance = memory_copy_string("{}");
    model->scores = memory_copy_string("{}");
    return model;
}

const Model *model_retain(const Model *model)
{
    atomic_fetch_add(&((Model *)model)->references, 1);
    return model;
}

void model_release(const Model *shared)
{
    Model *model = (Model *)shared;
    if (!model || atomic_fetch_sub(&model->references, 1) > 1)
        return;
    if (model->network)
        model->family->close(model->network);
    param_set_free(model->params);
    settings_free(model->settings);
    for (size_t i = 0; i < model->n_examples; i++)
        free(model->examples[i]);
    free(model->examples);
    free(model->name);
    free(model->title);
    free(model->provenance);
    free(model->scores);
    free(model);
}

/* ---- reading ---- */

static void replace(char **text, const char *with)
{
    char *copy = memory_copy_string(with);
    free(*text);
    *text = copy;
}

static void name_after_file(Model *model, const char *path)
{
    const char *base = file_base_name(path);
    size_t n = strlen(base) - strlen(file_extension(base));
    free(model->name);
    model->name = memory_copy_bytes(base, n);
}

static json_t *parse_metadata(const SafeTensors *file, Error *error)
{
    const char *text = safetensors_metadata(file, METADATA_KEY);
    if (!text) {
        error_set(error, ERROR_FORMAT, "no \"%s\" in its metadata: this is not a Fovea model",
                  METADATA_KEY);
        return NULL;
    }
    static const char *const as_text[] = {"source_tokenizer", "target_tokenizer", "tokenizer",
                                          NULL};
    json_t *metadata = json_scan_object(text, strlen(text), as_text);
    if (metadata)
        return metadata;
    json_error_t why;
    metadata = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!metadata)
        error_set(error, ERROR_FORMAT, "model description, line %d: %s", why.line, why.text);
    return metadata;
}

static bool read_settings(Settings *settings, const json_t *object, Error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (!json_is_string(value))
            return error_set(error, ERROR_FORMAT, "setting \"%s\" is not a text", key);
        if (!settings_set(settings, key, json_string_value(value), error))
            return false;
    }
    return true;
}

static void read_examples(Model *model, const json_t *list)
{
    size_t n = json_array_size(list);
    n = n > MAX_EXAMPLES ? MAX_EXAMPLES : n;
    model->examples = memory_new(n, sizeof *model->examples);
    for (size_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text)
            model->examples[model->n_examples++] = memory_copy_string(text);
    }
}

static void read_json_text(char **text, const json_t *value)
{
    char *dump = json_is_object(value) ? json_dumps(value, JSON_COMPACT) : NULL;
    if (!dump)
        return;
    replace(text, dump);
    free(dump);
}

static Model *open_described(const json_t *metadata, Error *error)
{
    const json_t *version = json_object_get(metadata, "format");
    if (!json_is_integer(version) || json_integer_value(version) != MODEL_FORMAT_VERSION) {
        error_set(error, ERROR_FORMAT,
                  "model format %lld; this Fovea reads format %d: a newer Fovea may open it",
                  (long long)json_integer_value(version), MODEL_FORMAT_VERSION);
        return NULL;
    }
    const char *name = json_string_value(json_object_get(metadata, "family"));
    const Family *family = name ? family_find(name) : NULL;
    if (!family) {
        error_set(error, ERROR_FORMAT, "model family \"%s\" is unknown", name ? name : "");
        return NULL;
    }
    Model *model = model_new(family, settings_new(family->settings));
    const char *title = json_string_value(json_object_get(metadata, "title"));
    if (title)
        replace(&model->title, title);
    read_json_text(&model->provenance, json_object_get(metadata, "provenance"));
    read_json_text(&model->scores, json_object_get(metadata, "scores"));
    read_examples(model, json_object_get(metadata, "examples"));
    if (read_settings(model->settings, json_object_get(metadata, "settings"), error))
        model->network = family->open(model, metadata, error);
    if (model->network)
        return model;
    model_release(model);
    return NULL;
}

static const SafeTensor *find_value(const Param *param, const SafeTensors *file, Error *error)
{
    const SafeTensor *tensor = safetensors_find(file, param->name);
    if (!tensor) {
        error_set(error, ERROR_FORMAT, "tensor \"%s\" is missing", param->name);
        return NULL;
    }
    if (tensor->rank == 2 && tensor->shape[0] == param->rows && tensor->shape[1] == param->cols)
        return tensor;
    error_set(error, ERROR_FORMAT,
              "tensor \"%s\" is [%lld, %lld], the configuration wants [%d, %d]", param->name,
              tensor->rank > 0 ? (long long)tensor->shape[0] : 1LL,
              tensor->rank > 1 ? (long long)tensor->shape[1] : 1LL, param->rows, param->cols);
    return NULL;
}

static bool read_value(Model *model, const Param *param, const SafeTensors *file, Error *error)
{
    const SafeTensor *tensor = find_value(param, file, error);
#ifdef FOVEA_DOUBLE
    float *values = memory_new((size_t)tensor->count, sizeof *values);
    bool ok = safetensors_read(file, tensor, values, error);
    for (int64_t i = 0; ok && i < tensor->count; i++)
        param_value(model->params, param)[i] = values[i];
    free(values);
#else
    bool ok = safetensors_read(file, tensor, param_value(model->params, param), error);
#endif
    safetensors_forget(file, tensor);
    return ok;
}

static bool read_halves(Model *model, const SafeTensors *file, Error *error)
{
    if (!param_set_allocate_halves(model->params, error))
        return false;
    for (int i = 0; i < param_count(model->params); i++) {
        const Param *param = param_at(model->params, i);
        if (!safetensors_copy(file, safetensors_find(file, param->name),
                              param_half_storage(model->params, param), error))
            return false;
    }
    return true;
}

static bool read_values(Model *model, const SafeTensors *file, Error *error)
{
    /* Sizes come from the file's settings: compare them with the tensors that are really
     * there before any memory is taken. */
    bool are_halves = true;
    for (int i = 0; i < param_count(model->params); i++) {
        const SafeTensor *tensor = find_value(param_at(model->params, i), file, error);
        if (!tensor)
            return false;
        are_halves = are_halves && tensor->type == TRACE_F16;
    }
    if (are_halves)
        return read_halves(model, file, error);
    if (!param_set_allocate(model->params, error))
        return false;
    for (int i = 0; i < param_count(model->params); i++)
        if (!read_value(model, param_at(model->params, i), file, error))
            return false;
    return true;
}

/* A model with everything but its values; *file stays open. */
static Model *open_file(const char *path, SafeTensors **file, Error *error)
{
    *file = safetensors_open(path, error);
    if (!*file)
        return NULL;
    Error why = {0};
    json_t *metadata = parse_metadata(*file, &why);
    Model *model = metadata ? open_described(metadata, &why) : NULL;
    json_decref(metadata);
    if (model) {
        size_t bytes;
        safetensors_storage(*file, &bytes);
        model->bytes = (long)bytes;
        name_after_file(model, path);
        return model;
    }
    error_prefix(&why, "%s", path);
    error_set(error, why.kind, "%s", why.message);
    safetensors_close(*file);
    return NULL;
}

Model *model_load(const char *path, Error *error)
{
    SafeTensors *file;
    Model *model = open_file(path, &file, error);
    if (!model)
        return NULL;
    Error why = {0};
    if (!read_values(model, file, &why)) {
        error_prefix(&why, "%s", path);
        error_set(error, why.kind, "%s", why.message);
        model_release(model);
        model = NULL;
    }
    safetensors_close(file);
    return model;
}

bool model_peek(const char *path, ModelFacts *facts, Error *error)
{
    SafeTensors *file;
    Model *model = open_file(path, &file, error);
    if (!model)
        return false;
    *facts = (ModelFacts){
        .name = memory_copy_string(model->name),
        .title = memory_copy_string(model->title),
        .family = memory_copy_string(model->family->name),
        .attention = memory_copy_string(model_attention(model)),
        .task = model_task(model),
        .bytes = model->bytes,
        .scores = memory_copy_string(model->scores),
    };
    model_release(model);
    safetensors_close(file);
    return true;
}

void model_facts_free(ModelFacts *facts)
{
    free(facts->name);
    free(facts->title);
    free(facts->family);
    free(facts->attention);
    free(facts->scores);
    *facts = (ModelFacts){0};
}

/* ---- writing ---- */

static json_t *describe(const Model *model, Error *error)
{
    json_t *metadata = json_object();
    StrBuf settings = {0};
    settings_to_json(model->settings, &settings);
    json_object_set_new(metadata, "format", json_integer(MODEL_FORMAT_VERSION));
    json_object_set_new(metadata, "family", json_string(model->family->name));
    json_object_set_new(metadata, "title", json_string(model->title));
    json_object_set_new(metadata, "settings", json_loads(settings.text, 0, NULL));
    json_object_set_new(metadata, "provenance", json_loads(model->provenance, 0, NULL));
    json_object_set_new(metadata, "scores", json_loads(model->scores, 0, NULL));
    json_t *examples = json_array();
    for (size_t i = 0; i < model->n_examples; i++)
        json_array_append_new(examples, json_string(model->examples[i]));
    json_object_set_new(metadata, "examples", examples);
    strbuf_free(&settings);
    if (model->family->describe(model, metadata, error))
        return metadata;
    json_decref(metadata);
    return NULL;
}

bool model_save(const Model *model, const char *path, bool half, Error *error)
{
    json_t *metadata = describe(model, error);
    if (!metadata)
        return false;
    char *text = json_dumps(metadata, JSON_COMPACT);
    json_decref(metadata);
    SafeTensorsWriter *writer = safetensors_writer_new();
    safetensors_writer_metadata(writer, METADATA_KEY, text);
    free(text);
    for (int i = 0; i < param_count(model->params); i++) {
        const Param *param = param_at(model->params, i);
        const int64_t shape[2] = {param->rows, param->cols};
#ifdef FOVEA_DOUBLE
        safetensors_writer_add_raw(writer, param->name, TRACE_F64, 2, shape,
                                   param_value(model->params, param));
        (void)half;
#else
        safetensors_writer_add(writer, param->name, half ? TRACE_F16 : TRACE_F32, 2, shape,
                               param_value(model->params, param));
#endif
    }
    return safetensors_writer_finish(writer, path, error);
}

/* ---- facts ---- */

const char *model_name(const Model *model)
{
    return model->name;
}

const char *model_title(const Model *model)
{
    return model->title;
}

const char *model_family(const Model *model)
{
    return model->family->name;
}

const char *model_attention(const Model *model)
{
    return model->family->attention(model);
}

ModelTask model_task(const Model *model)
{
    return model->family->task(model);
}

const char *model_task_name(ModelTask task)
{
    static const char *const names[] = {"translate", "classify", "language",
                                        "answer",    "digit",    "caption"};
    return names[task];
}

long model_parameters(const Model *model)
{
    return (long)param_set_elements(model->params);
}

long model_bytes(const Model *model)
{
    return model->bytes;
}

const char *model_setting(const Model *model, const char *name)
{
    return settings_has(model->settings, name) ? settings_text(model->settings, name) : NULL;
}

const char *model_provenance(const Model *model)
{
    return model->provenance;
}

const char *model_scores(const Model *model)
{
    return model->scores;
}

const char *model_example(const Model *model, int i)
{
    return i >= 0 && (size_t)i < model->n_examples ? model->examples[i] : NULL;
}

/* ---- sessions ---- */

Session *session_begin(const Model *model, const RunInput *input, const RunOptions *options,
                       Error *error)
{
    const RunOptions none = {0};
    if (input->text && strlen(input->text) > RUN_MAX_INPUT_BYTES) {
        error_set(error, ERROR_LIMIT, "the input has %zu bytes; the limit is %zu",
                  strlen(input->text), RUN_MAX_INPUT_BYTES);
        return NULL;
    }
    return model->family->begin(model, input, options ? options : &none, error);
}

bool session_step(Session *session, const StepChoice *choice, Error *error)
{
    if (session->is_done)
        return error_set(error, ERROR_INPUT, "the run has ended after %d steps", session->n_steps);
    const StepChoice none = STEP_CHOICE_NONE;
    return session->type->step(session, choice ? choice : &none, error);
}

bool session_is_done(const Session *session)
{
    return session->is_done;
}

int session_n_steps(const Session *session)
{
    return session->n_steps;
}

void session_rewind(Session *session, int step)
{
    FOVEA_CHECK(step >= 0 && step <= session->n_steps, "rewind to %d of %d", step,
                session->n_steps);
    session->type->rewind(session, step);
}

const Trace *session_trace(Session *session, Error *error)
{
    return session->type->trace(session, error);
}

void session_free(Session *session)
{
    if (!session)
        return;
    const Model *model = session->model;
    session->type->free(session);
    model_release(model);
    free(session);
}

static const StepChoice *choice_for(int step, int n, const Intervention *interventions)
{
    for (int i = 0; i < n; i++)
        if (interventions[i].step == step)
            return &interventions[i].choice;
    return NULL;
}

const Trace *model_run(const Model *model, const RunInput *input, const RunOptions *options,
                       int n_interventions, const Intervention *interventions, Error *error)
{
    Session *session = session_begin(model, input, options, error);
    if (!session)
        return NULL;
    bool ok = true;
    while (ok && !session_is_done(session)) {
        int step = session_n_steps(session);
        ok = !(options && stop_requested(options->stop)) ||
             error_set(error, ERROR_CANCELLED, "stopped after %d steps", step);
        ok = ok && session_step(session, choice_for(step, n_interventions, interventions), error);
    }
    const Trace *trace = ok ? session_trace(session, error) : NULL;
    session_free(session);
    return trace;
}
