#include "train/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "format/safetensors.h"

#ifdef FOVEA_DOUBLE
#define REAL_TYPE TRACE_F64
#else
#define REAL_TYPE TRACE_F32
#endif

enum { N_ARRAYS = 5 };

static const char *const array_names[N_ARRAYS] = {"values", "mean", "square", "averaged", "best"};

static void arrays(const Loop *loop, Real *out[N_ARRAYS])
{
    out[0] = param_set_values(loop->params);
    out[1] = loop->optimiser->mean;
    out[2] = loop->optimiser->square;
    out[3] = loop->averaged;
    out[4] = loop->best;
}

static char *path_of(const char *output)
{
    StrBuf path = {0};
    strbuf_addf(&path, "%s.checkpoint", output);
    return strbuf_take(&path);
}

/* What must be equal for a checkpoint to continue a run. Threads, the number of epochs and
 * the like may change. */
static char *fingerprint(const Loop *loop)
{
    static const char *const free_to_change[] = {"threads", "epochs", "checkpoint", "patience"};
    Settings *fixed = settings_copy(loop->request->loop);
    for (size_t i = 0; i < sizeof free_to_change / sizeof free_to_change[0]; i++) {
        const Setting *s = loop_settings;
        while (strcmp(s->name, free_to_change[i]) != 0)
            s++;
        Error unused = {0};
        if (!settings_set(fixed, s->name, s->standard, &unused))
            error_bug(__FILE__, __LINE__, "%s", unused.message);
    }
    StrBuf text = {0};
    strbuf_addf(&text, "%s ", loop->request->task->family);
    settings_to_json(loop->request->model_settings, &text);
    settings_to_json(loop->request->training, &text);
    settings_to_json(fixed, &text);
    strbuf_addf(&text, " %zu parameters", loop->size);
    settings_free(fixed);
    return strbuf_take(&text);
}

/* ---- writing ---- */

static void put_random(json_t *object, const char *key, const Random *random)
{
    char text[80];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64,
             random->state[0], random->state[1], random->state[2], random->state[3]);
    json_object_set_new(object, key, json_string(text));
}

static void put_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void put_integer(json_t *object, const char *key, int64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *task_state(const Loop *loop)
{
    json_t *list = json_array();
    int n = 0;
    double *state =
        loop->request->task->state ? loop->request->task->state(loop->context, &n) : NULL;
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_real(state[i]));
    return list;
}

static json_t *describe(const Loop *loop)
{
    json_t *object = json_object();
    char *print = fingerprint(loop);
    json_object_set_new(object, "run", json_string(print));
    free(print);
    put_integer(object, "epoch", loop->epoch);
    put_integer(object, "batch", loop->batch);
    put_integer(object, "step", (int64_t)loop->step);
    put_integer(object, "mid_epoch", loop->is_mid_epoch);
    put_integer(object, "best_epoch", loop->best_epoch);
    put_integer(object, "bad_epochs", loop->bad_epochs);
    put_integer(object, "skipped", loop->optimiser->skipped);
    put_integer(object, "steps.main", loop->optimiser->steps[PARAM_GROUP_MAIN]);
    put_integer(object, "steps.policy", loop->optimiser->steps[PARAM_GROUP_POLICY]);
    put_real(object, "best_loss", loop->best_loss);
    put_real(object, "moving_loss", loop->moving_loss);
    put_real(object, "seconds", loop->total_seconds + loop->seconds);
    put_random(object, "order", &loop->order);
    put_random(object, "order_at_start", &loop->order_at_start);
    json_object_set_new(object, "task", task_state(loop));
    json_t *measures = json_array();
    for (int i = 0; i < loop->measures.n; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "name", json_string(loop->measures.item[i].name));
        put_real(item, "sum", loop->measures.item[i].sum);
        put_real(item, "weight", loop->measures.item[i].weight);
        json_array_append_new(measures, item);
    }
    json_object_set_new(object, "measures", measures);
    json_object_set(object, "history", loop->history);
    return object;
}

bool checkpoint_write(const Loop *loop, Error *error)
{
    SafeTensorsWriter *writer = safetensors_writer_new();
    json_t *object = describe(loop);
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(object);
    safetensors_writer_metadata(writer, "training", text);
    free(text);
    Real *data[N_ARRAYS];
    arrays(loop, data);
    const int64_t shape[1] = {(int64_t)loop->size};
    for (int i = 0; i < N_ARRAYS; i++)
        safetensors_writer_add_raw(writer, array_names[i], REAL_TYPE, 1, shape, data[i]);
    char *path = path_of(loop->request->output);
    bool ok = safetensors_writer_finish(writer, path, error);
    free(path);
    return ok;
}

bool checkpoint_exists(const char *output)
{
    char *path = path_of(output);
    bool exists = file_exists(path);
    free(path);
    return exists;
}

void checkpoint_remove(const char *output)
{
    char *path = path_of(output);
    unlink(path);
    free(path);
}

/* ---- reading ---- */

static int64_t get_integer(const json_t *object, const char *key)
{
    return (int64_t)json_integer_value(json_object_get(object, key));
}

static double get_real(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static bool get_random(const json_t *object, const char *key, Random *random)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text || strlen(text) != 64)
        return false;
    for (int i = 0; i < 4; i++) {
        char part[17] = {0};
        memcpy(part, text + 16 * i, 16);
        char *end;
        random->state[i] = strtoull(part, &end, 16);
        if (*end)
            return false;
    }
    return true;
}

/* The names point into the JSON that was read, which the loop keeps. */
static void get_measures(Loop *loop, json_t *list)
{
    size_t i;
    json_t *item;
    loop->measures.n = 0;
    json_array_foreach(list, i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        if (!name || loop->measures.n == MEASURES_MAX)
            continue;
        int n = loop->measures.n++;
        loop->measures.item[n].name = name;
        loop->measures.item[n].sum = get_real(item, "sum", 0);
        loop->measures.item[n].weight = get_real(item, "weight", 0);
    }
}

static bool apply(Loop *loop, json_t *object, Error *error)
{
    char *print = fingerprint(loop);
    const char *theirs = json_string_value(json_object_get(object, "run"));
    bool same = theirs && strcmp(theirs, print) == 0;
    free(print);
    if (!same)
        return error_set(error, ERROR_INPUT,
                         "it belongs to a run with other settings or data; start without --resume");
    if (!get_random(object, "order", &loop->order) ||
        !get_random(object, "order_at_start", &loop->order_at_start))
        return error_set(error, ERROR_FORMAT, "its random state is damaged");
    loop->epoch = (int)get_integer(object, "epoch");
    loop->batch = (int)get_integer(object, "batch");
    loop->step = (uint64_t)get_integer(object, "step");
    loop->is_mid_epoch = get_integer(object, "mid_epoch") != 0;
    loop->best_epoch = (int)get_integer(object, "best_epoch");
    loop->bad_epochs = (int)get_integer(object, "bad_epochs");
    loop->optimiser->skipped = get_integer(object, "skipped");
    loop->optimiser->steps[PARAM_GROUP_MAIN] = get_integer(object, "steps.main");
    loop->optimiser->steps[PARAM_GROUP_POLICY] = get_integer(object, "steps.policy");
    loop->best_loss = get_real(object, "best_loss", INFINITY);
    loop->moving_loss = get_real(object, "moving_loss", 0);
    loop->total_seconds = get_real(object, "seconds", 0);
    json_t *history = json_object_get(object, "history");
    if (json_is_array(history)) {
        json_decref(loop->history);
        loop->history = json_incref(history);
    }
    get_measures(loop, json_object_get(object, "measures"));
    int n = 0;
    double *state =
        loop->request->task->state ? loop->request->task->state(loop->context, &n) : NULL;
    for (int i = 0; i < n; i++)
        state[i] = json_number_value(json_array_get(json_object_get(object, "task"), (size_t)i));
    /* The plan of the running epoch is drawn again from where it was. */
    if (loop->is_mid_epoch)
        loop->order = loop->order_at_start;
    return true;
}

static bool read_arrays(Loop *loop, const SafeTensors *file, Error *error)
{
    Real *data[N_ARRAYS];
    arrays(loop, data);
    for (int i = 0; i < N_ARRAYS; i++) {
        const SafeTensor *tensor = safetensors_find(file, array_names[i]);
        if (!tensor || tensor->type != REAL_TYPE || tensor->count != (int64_t)loop->size)
            return error_set(error, ERROR_FORMAT, "array \"%s\" does not fit", array_names[i]);
        memcpy(data[i], tensor->data, loop->size * sizeof(Real));
    }
    return true;
}

bool checkpoint_read(Loop *loop, Error *error)
{
    char *path = path_of(loop->request->output);
    SafeTensors *file = safetensors_open(path, error);
    Error why = {0};
    bool ok = false;
    if (file) {
        const char *text = safetensors_metadata(file, "training");
        json_error_t parse;
        json_t *object = text ? json_loads(text, 0, &parse) : NULL;
        if (!object)
            error_set(&why, ERROR_FORMAT, "this is not a training checkpoint");
        ok = object && apply(loop, object, &why) && read_arrays(loop, file, &why);
        json_decref(loop->resumed);
        loop->resumed = object; /* measure names point into it */
        safetensors_close(file);
    }
    if (error_is_set(&why)) {
        error_prefix(&why, "%s", path);
        error_set(error, why.kind, "%s", why.message);
    }
    free(path);
    return ok;
}
