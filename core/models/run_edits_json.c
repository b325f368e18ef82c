#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "models/run_edits.h"

/* ---- writing ---- */

static json_t *int_list(const int *items, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_integer(items[i]));
    return list;
}

static json_t *step_to_json(const Intervention *step)
{
    const StepChoice *c = &step->choice;
    json_t *o = json_object();
    json_object_set_new(o, "step", json_integer(step->step));
    if (c->token >= 0)
        json_object_set_new(o, "token", json_integer(c->token));
    if (c->word)
        json_object_set_new(o, "word", json_string(c->word));
    if (c->n_weights > 0) {
        json_t *list = json_array();
        for (int i = 0; i < c->n_weights; i++)
            json_array_append_new(list, json_real((double)c->weights[i]));
        json_object_set_new(o, "weights", list);
    }
    if (c->selected >= 0)
        json_object_set_new(o, "selected", json_integer(c->selected));
    if (c->moves_window) {
        json_object_set_new(o, "centre", json_real(c->centre));
        json_object_set_new(o, "centre_y", json_real(c->centre_y));
    }
    if (c->window > 0)
        json_object_set_new(o, "window", json_integer(c->window));
    if (c->n_flips > 0)
        json_object_set_new(o, "flips", int_list(c->flips, c->n_flips));
    return o;
}

json_t *run_edits_to_json(const RunEdits *edits)
{
    const RunOptions *r = run_edits_options(edits);
    json_t *o = json_object();
    if (r->temperature != 1)
        json_object_set_new(o, "temperature", json_real(r->temperature));
    if (r->beam > 1)
        json_object_set_new(o, "beam", json_integer(r->beam));
    if (r->length_penalty > 0)
        json_object_set_new(o, "length_penalty", json_real(r->length_penalty));
    if (r->window > 0)
        json_object_set_new(o, "window", json_integer(r->window));
    if (r->renormalise)
        json_object_set_new(o, "renormalise", json_true());
    if (r->sample)
        json_object_set_new(o, "sample", json_true());
    if (r->seed)
        json_object_set_new(o, "seed", json_integer((json_int_t)r->seed));
    if (r->paths > 0)
        json_object_set_new(o, "paths", json_integer(r->paths));
    if (r->force)
        json_object_set_new(o, "force", json_string(r->force));
    if (r->n_hidden > 0)
        json_object_set_new(o, "hidden", int_list(r->hidden, r->n_hidden));
    int n;
    const Intervention *steps = run_edits_interventions(edits, &n);
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, step_to_json(&steps[i]));
    if (n > 0)
        json_object_set(o, "steps", list);
    json_decref(list);
    return o;
}

/* ---- reading ---- */

static bool read_number(const char *key, const json_t *value, double least, double most,
                        double *out, Error *error)
{
    *out = json_number_value(value);
    if (!json_is_number(value) || !(*out >= least && *out <= most))
        return error_set(error, ERROR_FORMAT, "\"%s\": a number from %g to %g was expected", key,
                         least, most);
    return true;
}

static bool read_int(const char *key, const json_t *value, int least, int most, int *out,
                     Error *error)
{
    double number;
    if (!read_number(key, value, least, most, &number, error))
        return false;
    *out = (int)number;
    return *out == number || error_set(error, ERROR_FORMAT, "\"%s\": %g is not whole", key, number);
}

static bool read_bool(const char *key, const json_t *value, bool *out, Error *error)
{
    *out = json_is_true(value);
    return json_is_boolean(value) ||
           error_set(error, ERROR_FORMAT, "\"%s\": true or false was expected", key);
}

static bool read_text(const char *key, const json_t *value, const char **out, Error *error)
{
    *out = json_string_value(value);
    return *out != NULL || error_set(error, ERROR_FORMAT, "\"%s\": a text was expected", key);
}

static bool check_list(const char *key, const json_t *value, Error *error)
{
    if (!json_is_array(value) || json_array_size(value) > RUN_EDITS_MAX_ITEMS)
        return error_set(error, ERROR_FORMAT, "\"%s\": a list of at most %d numbers was expected",
                         key, RUN_EDITS_MAX_ITEMS);
    return true;
}

static bool read_weights(RunEdits *edits, int step, const json_t *value, Error *error)
{
    if (!check_list("weights", value, error))
        return false;
    size_t n = json_array_size(value);
    float *weights = memory_new(n, sizeof *weights);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        double w;
        ok = read_number("weights", json_array_get(value, i), 0, 1e30, &w, error);
        weights[i] = (float)w;
    }
    if (ok)
        run_edits_set_weights(edits, step, (int)n, weights);
    free(weights);
    return ok;
}

static bool read_flips(RunEdits *edits, int step, const json_t *value, Error *error)
{
    if (!check_list("flips", value, error))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        int item;
        if (!read_int("flips", json_array_get(value, i), 0, RUN_EDITS_MAX_ITEMS, &item, error))
            return false;
        run_edits_flip(edits, step, item);
    }
    return true;
}

/* One member of a step's object; false with a message. */
static bool read_step_member(RunEdits *edits, int step, const json_t *whole, const char *key,
                             const json_t *value, Error *error)
{
    int number;
    double real;
    const char *text;
    if (strcmp(key, "step") == 0 || strcmp(key, "centre_y") == 0)
        return true;
    if (strcmp(key, "token") == 0) {
        const char *word = json_string_value(json_object_get(whole, "word"));
        if (!read_int(key, value, 0, 1 << 24, &number, error))
            return false;
        run_edits_set_token(edits, step, number, word);
    } else if (strcmp(key, "word") == 0) {
        if (!read_text(key, value, &text, error))
            return false;
        if (!json_object_get(whole, "token"))
            run_edits_set_token(edits, step, -1, text);
    } else if (strcmp(key, "weights") == 0) {
        return read_weights(edits, step, value, error);
    } else if (strcmp(key, "selected") == 0) {
        if (!read_int(key, value, 0, RUN_EDITS_MAX_ITEMS, &number, error))
            return false;
        run_edits_set_selected(edits, step, number);
    } else if (strcmp(key, "centre") == 0) {
        const json_t *y = json_object_get(whole, "centre_y");
        if (!read_number(key, value, -1e6, 1e6, &real, error))
            return false;
        run_edits_set_centre(edits, step, real, json_number_value(y));
    } else if (strcmp(key, "window") == 0) {
        if (!read_int(key, value, 1, RUN_EDITS_MAX_ITEMS, &number, error))
            return false;
        run_edits_set_step_window(edits, step, number);
    } else if (strcmp(key, "flips") == 0) {
        return read_flips(edits, step, value, error);
    } else {
        return error_set(error, ERROR_FORMAT, "\"%s\" is nothing that a step can be told", key);
    }
    return true;
}

static bool read_steps(RunEdits *edits, const json_t *list, Error *error)
{
    if (!check_list("steps", list, error))
        return false;
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)list, i, item)
    {
        int step;
        if (!read_int("step", json_object_get(item, "step"), 0, RUN_EDITS_MAX_STEPS, &step, error))
            return false;
        const char *key;
        json_t *value;
        json_object_foreach(item, key, value)
        {
            if (read_step_member(edits, step, item, key, value, error))
                continue;
            error_prefix(error, "step %d", step);
            return false;
        }
    }
    return true;
}

static bool read_hidden(RunEdits *edits, const json_t *list, Error *error)
{
    if (!check_list("hidden", list, error))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        int item;
        if (!read_int("hidden", json_array_get(list, i), 0, RUN_EDITS_MAX_ITEMS, &item, error))
            return false;
        run_edits_hide(edits, item, true);
    }
    return true;
}

static bool read_member(RunEdits *edits, const char *key, const json_t *value, Error *error)
{
    double real;
    int number;
    bool on;
    const char *text;
    bool ok = true;
    if (strcmp(key, "temperature") == 0) {
        if ((ok = read_number(key, value, 1e-6, 1e6, &real, error)))
            run_edits_set_temperature(edits, real);
    } else if (strcmp(key, "beam") == 0) {
        if ((ok = read_int(key, value, 1, RUN_MAX_BEAM, &number, error)))
            run_edits_set_beam(edits, number);
    } else if (strcmp(key, "length_penalty") == 0) {
        if ((ok = read_number(key, value, 0, 10, &real, error)))
            run_edits_set_length_penalty(edits, real);
    } else if (strcmp(key, "window") == 0) {
        if ((ok = read_int(key, value, 1, RUN_EDITS_MAX_ITEMS, &number, error)))
            run_edits_set_window(edits, number);
    } else if (strcmp(key, "paths") == 0) {
        if ((ok = read_int(key, value, 1, RUN_MAX_PATHS, &number, error)))
            run_edits_set_paths(edits, number);
    } else if (strcmp(key, "seed") == 0) {
        if ((ok = read_number(key, value, 0, 9007199254740992.0, &real, error)))
            run_edits_set_seed(edits, (uint64_t)real);
    } else if (strcmp(key, "renormalise") == 0) {
        if ((ok = read_bool(key, value, &on, error)))
            run_edits_set_renormalise(edits, on);
    } else if (strcmp(key, "sample") == 0) {
        if ((ok = read_bool(key, value, &on, error)))
            run_edits_set_sample(edits, on);
    } else if (strcmp(key, "force") == 0) {
        if ((ok = read_text(key, value, &text, error)))
            run_edits_set_force(edits, text);
    } else if (strcmp(key, "hidden") == 0) {
        ok = read_hidden(edits, value, error);
    } else if (strcmp(key, "steps") == 0) {
        ok = read_steps(edits, value, error);
    } else {
        ok = error_set(error, ERROR_FORMAT, "\"%s\" is nothing that a run can be told", key);
    }
    return ok;
}

RunEdits *run_edits_from_json(const json_t *value, Error *error)
{
    if (!json_is_object(value)) {
        error_set(error, ERROR_FORMAT, "interventions: an object was expected");
        return NULL;
    }
    RunEdits *edits = run_edits_new();
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
    {
        if (read_member(edits, key, member, error))
            continue;
        error_prefix(error, "interventions");
        run_edits_free(edits);
        return NULL;
    }
    return edits;
}

RunEdits *run_edits_open(const char *path, Error *error)
{
    Bytes bytes;
    if (!file_read(path, RUN_EDITS_MAX_BYTES, &bytes, error))
        return NULL;
    json_t *value = json_text_parse(bytes.data, bytes.size, path, error);
    bytes_free(&bytes);
    RunEdits *edits = value ? run_edits_from_json(value, error) : NULL;
    if (value && !edits)
        error_prefix(error, "%s", path);
    json_decref(value);
    return edits;
}
