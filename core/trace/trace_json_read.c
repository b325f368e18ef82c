#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "trace/base64.h"
#include "trace/trace_json.h"
#include "trace/trace_json_reader.h"

/* ---- facts ---- */

static bool read_pairs(TraceJsonReader *reader, const json_t *root, const char *key,
                       void (*set)(TraceBuilder *, const char *, const char *))
{
    json_t *object = json_object_get(root, key);
    if (object && !json_is_object(object))
        return reader_fault(reader, key, "an object", object);
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!json_is_string(value))
            return reader_fault(reader, name, "a string", value);
        set(reader->builder, name, json_string_value(value));
    }
    return true;
}

static void set_attribute(TraceBuilder *builder, const char *name, const char *value)
{
    trace_set_attribute(builder, name, "%s", value);
}

static bool read_seed(TraceJsonReader *reader, const json_t *root)
{
    const json_t *seed = json_object_get(root, "seed");
    if (json_is_integer(seed))
        trace_set_attribute(reader->builder, "seed", "%lld", (long long)json_integer_value(seed));
    else if (json_is_string(seed))
        set_attribute(reader->builder, "seed", json_string_value(seed));
    else if (seed && !json_is_null(seed))
        return reader_fault(reader, "seed", "a whole number or a string", seed);
    return true;
}

static bool read_facts(TraceJsonReader *reader, const json_t *root)
{
    const char *model = NULL, *input = NULL, *output = NULL;
    double score = NAN;
    if (!reader_text(reader, root, "model", &model) || !read_seed(reader, root) ||
        !reader_text(reader, root, "input", &input) ||
        !reader_text(reader, root, "output", &output) ||
        !reader_double(reader, root, "score", &score))
        return false;
    if (model)
        set_attribute(reader->builder, "model", model);
    if (input)
        trace_set_text(reader->builder, "input", input);
    if (output)
        trace_set_text(reader->builder, "output", output);
    trace_set_score(reader->builder, score);
    return read_pairs(reader, root, "texts", trace_set_text) &&
           read_pairs(reader, root, "attributes", set_attribute);
}

static bool read_notes(TraceJsonReader *reader, const json_t *root)
{
    const json_t *notes;
    if (!reader_list(reader, root, "notes", &notes))
        return false;
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const char *text = json_string_value(json_array_get(notes, i));
        if (!text)
            return reader_fault(reader, "notes", "a list of strings", json_array_get(notes, i));
        trace_add_note(reader->builder, "%s", text);
    }
    return true;
}

/* ---- steps ---- */

static bool read_candidates(TraceJsonReader *reader, const json_t *entry, TraceStep *step)
{
    const json_t *list;
    if (!reader_list(reader, entry, "candidates", &list))
        return false;
    size_t n = json_array_size(list);
    TraceCandidate *candidates = reader_allocate(reader, n, sizeof *candidates);
    bool ok = candidates != NULL;
    for (size_t i = 0; i < n && ok; i++) {
        const json_t *item = json_array_get(list, i);
        candidates[i].probability = NAN;
        ok = reader_text(reader, item, "token", &candidates[i].token) &&
             reader_integer(reader, item, "id", &candidates[i].id) &&
             reader_double(reader, item, "probability", &candidates[i].probability);
    }
    step->n_candidates = (int32_t)n;
    step->candidates = candidates;
    return ok;
}

static bool read_scalars(TraceJsonReader *reader, const json_t *entry, TraceStep *step)
{
    json_t *object = json_object_get(entry, "scalars");
    if (object && !json_is_object(object))
        return reader_fault(reader, "scalars", "an object", object);
    TraceScalar *scalars = reader_allocate(reader, json_object_size(object), sizeof *scalars);
    if (!scalars)
        return false;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        TraceScalar *scalar = &scalars[step->n_scalars++];
        scalar->name = name;
        if (!reader_to_double(value, &scalar->value))
            return reader_fault(reader, name, "a number", value);
    }
    step->scalars = scalars;
    return true;
}

static bool read_window(TraceJsonReader *reader, const json_t *entry, TraceWindow *window,
                        TraceStep *step)
{
    const json_t *object = json_object_get(entry, "window");
    if (!object || json_is_null(object))
        return true;
    if (!json_is_object(object))
        return reader_fault(reader, "window", "an object", object);
    step->window = window;
    return reader_double(reader, object, "centre", &window->centre) &&
           reader_integer(reader, object, "low", &window->low) &&
           reader_integer(reader, object, "high", &window->high) &&
           reader_double(reader, object, "sigma", &window->sigma);
}

static bool read_selection(TraceJsonReader *reader, const json_t *entry, TraceStep *step)
{
    const json_t *list;
    if (!reader_list(reader, entry, "selection", &list))
        return false;
    step->n_selected = (int32_t)json_array_size(list);
    step->selected = reader_integers(reader, list, "selection", -1);
    return step->selected != NULL;
}

static bool read_box(const json_t *item, TraceBox *box)
{
    double sides[4];
    if (json_array_size(item) != 4)
        return false;
    for (size_t i = 0; i < 4; i++)
        if (!reader_to_double(json_array_get(item, i), &sides[i]))
            return false;
    *box = (TraceBox){(float)sides[0], (float)sides[1], (float)sides[2], (float)sides[3]};
    return true;
}

static bool read_boxes(TraceJsonReader *reader, const json_t *entry, TraceStep *step)
{
    const json_t *list;
    if (!reader_list(reader, entry, "boxes", &list))
        return false;
    size_t n = json_array_size(list);
    TraceBox *boxes = reader_allocate(reader, n, sizeof *boxes);
    for (size_t i = 0; boxes && i < n; i++)
        if (!read_box(json_array_get(list, i), &boxes[i]))
            return reader_fault(reader, "boxes", "lists of four numbers", json_array_get(list, i));
    step->n_boxes = (int32_t)n;
    step->boxes = boxes;
    return boxes != NULL;
}

static bool read_step(TraceJsonReader *reader, const json_t *entry, size_t index)
{
    TraceStep step = {.token = "", .probability = NAN};
    TraceWindow window = {0};
    arena_reset(reader->arena);
    snprintf(reader->place, sizeof reader->place, "steps[%zu]", index);
    if (!json_is_object(entry))
        return reader_fault(reader, "steps", "a list of objects", entry);
    if (!reader_text(reader, entry, "token", &step.token) ||
        !reader_integer(reader, entry, "id", &step.id) ||
        !reader_double(reader, entry, "probability", &step.probability) ||
        !read_candidates(reader, entry, &step) || !read_scalars(reader, entry, &step) ||
        !read_window(reader, entry, &window, &step) || !read_selection(reader, entry, &step) ||
        !read_boxes(reader, entry, &step))
        return false;
    step.forced = json_is_true(json_object_get(entry, "forced"));
    trace_add_step(reader->builder, &step);
    return !trace_builder_failed(reader->builder);
}

/* ---- the rest ---- */

static bool read_class(TraceJsonReader *reader, const json_t *entry, size_t index)
{
    const char *label = "";
    double probability = NAN;
    snprintf(reader->place, sizeof reader->place, "classes[%zu]", index);
    if (!reader_text(reader, entry, "label", &label) ||
        !reader_double(reader, entry, "probability", &probability))
        return false;
    trace_add_class(reader->builder, label, probability);
    return true;
}

static bool read_beam_node(TraceJsonReader *reader, const json_t *entry, size_t index)
{
    TraceBeamNode node = {.parent = -1, .token = ""};
    int state = TRACE_BEAM_LIVE;
    snprintf(reader->place, sizeof reader->place, "beam[%zu]", index);
    if (!reader_integer(reader, entry, "parent", &node.parent) ||
        !reader_integer(reader, entry, "step", &node.step) ||
        !reader_text(reader, entry, "token", &node.token) ||
        !reader_integer(reader, entry, "id", &node.id) ||
        !reader_double(reader, entry, "log_probability", &node.log_probability) ||
        !reader_double(reader, entry, "score", &node.score) ||
        !reader_choice(reader, entry, "state", TRACE_JSON_BEAM_STATES, 3, &state) ||
        !reader_integer(reader, entry, "dropped_at", &node.dropped_at) ||
        !reader_double(reader, entry, "dropped_score", &node.dropped_score) ||
        !reader_double(reader, entry, "kept_score", &node.kept_score))
        return false;
    node.state = (TraceBeamState)state;
    trace_add_beam_node(reader->builder, &node);
    return !trace_builder_failed(reader->builder);
}

static bool read_change(TraceJsonReader *reader, const json_t *entry, size_t index)
{
    TraceChange change = {.step = -1, .kind = "", .text = ""};
    snprintf(reader->place, sizeof reader->place, "changes[%zu]", index);
    if (!reader_integer(reader, entry, "step", &change.step) ||
        !reader_text(reader, entry, "kind", &change.kind) ||
        !reader_text(reader, entry, "text", &change.text))
        return false;
    trace_add_change(reader->builder, &change);
    return true;
}

static bool read_image(TraceJsonReader *reader, const json_t *root)
{
    const json_t *entry = json_object_get(root, "image");
    TraceImage image = {0};
    const char *text = NULL;
    if (!entry)
        return true;
    snprintf(reader->place, sizeof reader->place, "image");
    if (!reader_integer(reader, entry, "width", &image.width) ||
        !reader_integer(reader, entry, "height", &image.height) ||
        !reader_text(reader, entry, "rgba", &text))
        return false;
    if (image.width < 1 || image.height < 1 || image.width > TRACE_MAX_IMAGE_SIDE ||
        image.height > TRACE_MAX_IMAGE_SIDE)
        return error_set(reader->error, ERROR_LIMIT, "image: %d x %d; 1 to %d are possible",
                         image.width, image.height, TRACE_MAX_IMAGE_SIDE);
    size_t bytes = (size_t)image.width * (size_t)image.height * 4;
    if (!text || strlen(text) / 4 != (bytes + 2) / 3)
        return error_set(reader->error, ERROR_FORMAT,
                         "image: \"rgba\" is not the base64 of the %zu bytes of %d x %d pixels",
                         bytes, image.width, image.height);
    uint8_t *rgba = memory_try_new(bytes, 1);
    bool ok = rgba && base64_decode(text, strlen(text), rgba, bytes);
    image.rgba = rgba;
    if (ok)
        trace_set_image(reader->builder, &image);
    free(rgba);
    return ok || error_set(reader->error, rgba ? ERROR_FORMAT : ERROR_MEMORY,
                           "image: \"rgba\" of %zu bytes cannot be decoded", bytes);
}

/* Calls `read` for every item of the list `key`. */
static bool read_each(TraceJsonReader *reader, const json_t *root, const char *key,
                      bool (*read)(TraceJsonReader *, const json_t *, size_t))
{
    const json_t *list;
    snprintf(reader->place, sizeof reader->place, "trace");
    if (!reader_list(reader, root, key, &list))
        return false;
    bool ok = true;
    for (size_t i = 0; i < json_array_size(list) && ok; i++)
        ok = read(reader, json_array_get(list, i), i);
    return ok;
}

static bool read_version(TraceJsonReader *reader, const json_t *root)
{
    int32_t version = 0;
    if (!json_is_object(root))
        return error_set(reader->error, ERROR_FORMAT, "a trace is a JSON object; this is %s",
                         json_text_type(root));
    if (!reader_integer(reader, root, "fovea", &version))
        return false;
    if (version != TRACE_JSON_VERSION)
        return error_set(reader->error, ERROR_UNSUPPORTED,
                         "\"fovea\" (the version) is %d; %d is what can be read", version,
                         TRACE_JSON_VERSION);
    return true;
}

static bool read_all(TraceJsonReader *reader, const json_t *root)
{
    return read_version(reader, root) && read_facts(reader, root) && read_notes(reader, root) &&
           reader_read_axes(reader, root) && reader_read_tensors(reader, root) &&
           read_each(reader, root, "steps", read_step) &&
           read_each(reader, root, "classes", read_class) &&
           read_each(reader, root, "beam", read_beam_node) && read_image(reader, root) &&
           read_each(reader, root, "changes", read_change);
}

const Trace *trace_json_read_value(const json_t *value, const char *name, Error *error)
{
    return trace_json_read_outline(value, name, NULL, error);
}

const Trace *trace_json_read_outline(const json_t *value, const char *name,
                                     const TraceJsonSource *source, Error *error)
{
    Error fault = {0};
    TraceJsonReader reader = {.builder = trace_builder_new(),
                              .arena = arena_new(),
                              .axes = strmap_new(),
                              .source = source,
                              .error = &fault,
                              .place = "trace"};
    if (source)
        source->begin(source->context, reader.builder);
    if (!read_all(&reader, value))
        trace_builder_fail(reader.builder, &fault);
    arena_free(reader.arena);
    strmap_free(reader.axes);
    free(reader.length);
    const Trace *trace = trace_seal(reader.builder, &fault);
    if (!trace) {
        error_prefix(&fault, "%s", name);
        error_set(error, fault.kind, "%s", fault.message);
    }
    return trace;
}

const Trace *trace_json_read(const char *text, size_t n, const char *name, Error *error)
{
    if (n > TRACE_JSON_MAX_BYTES) {
        error_set(error, ERROR_LIMIT, "%s: %zu bytes of JSON; at most %zu are read", name, n,
                  TRACE_JSON_MAX_BYTES);
        return NULL;
    }
    json_t *value = json_text_parse(text, n, name, error);
    if (!value)
        return NULL;
    const Trace *trace = trace_json_read_value(value, name, error);
    json_decref(value);
    return trace;
}
