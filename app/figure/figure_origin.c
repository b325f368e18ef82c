#include "figure/figure_origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/number.h"
#include "trace/trace_json.h"

/* ---- writing ---- */

static bool is_small(const Trace *trace)
{
    int64_t n = 0;
    for (int32_t i = 0; i < trace_n_tensors(trace) && n <= FIGURE_ORIGIN_MAX_NUMBERS; i++)
        n += trace_tensor_count(trace, trace_tensor(trace, i));
    const TraceImage *image = trace_image(trace);
    if (image)
        n += (int64_t)image->width * image->height;
    return n <= FIGURE_ORIGIN_MAX_NUMBERS;
}

static void add_run(StrBuf *out, const char *name, const Trace *trace)
{
    Error error = {0};
    StrBuf json = {0};
    bool ok = trace && is_small(trace) && trace_json_write(trace, &json, &error);
    strbuf_addf(out, ",\"%s\":%s", name, ok ? json.text : "null");
    strbuf_free(&json);
}

static void add_figure(const Figure *figure, StrBuf *out)
{
    const FigureCamera *c = &figure->camera;
    strbuf_addf(out, "{\"program\":\"%s\",\"view\":\"%s\",\"step\":%d,\"at\":[", FOVEA_VERSION,
                figure->view->name, (int)figure->step);
    for (int i = 0; i < TRACE_MAX_RANK; i++)
        strbuf_addf(out, "%s%d", i ? "," : "", (int)figure->at[i]);
    strbuf_add(out, "],\"options\":");
    settings_to_json(figure->options, out);
    strbuf_add(out, ",\"settings\":");
    settings_to_json(figure->settings, out);
    strbuf_add(out, ",\"camera\":[");
    strbuf_add_float(out, c->zoom);
    strbuf_add_char(out, ',');
    strbuf_add_float(out, c->left);
    strbuf_add_char(out, ',');
    strbuf_add_float(out, c->top);
    strbuf_add_char(out, ']');
    if (figure->session)
        strbuf_addf(out, ",\"session\":%s", figure->session);
    strbuf_add_char(out, '}');
}

bool figure_origin_write(const Figure *figure, StrBuf *out, Error *error)
{
    StrBuf text = {0};
    strbuf_add(&text, "{\"fovea\":1,\"figure\":");
    add_figure(figure, &text);
    add_run(&text, "run", figure->trace);
    if (figure->other)
        add_run(&text, "other", figure->other);
    strbuf_add(&text, "}");
    bool ok = figure_note_write(text.text, text.length, out, error);
    strbuf_free(&text);
    return ok;
}

bool figure_origin_write_trace(const Figure *figure, StrBuf *out, Error *error)
{
    if (!trace_json_write(figure->trace, out, error))
        return false;
    out->text[--out->length] = '\0'; /* the closing brace */
    strbuf_add(out, ",\"figure\":");
    add_figure(figure, out);
    strbuf_add(out, "}\n");
    return true;
}

/* ---- reading ---- */

static void read_settings(Settings *settings, const json_t *values)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)values, name, value)
    {
        Error ignored = {0};
        if (json_is_string(value) && settings_has(settings, name) &&
            !settings_set(settings, name, json_string_value(value), &ignored))
            continue; /* of another version: the default stays */
    }
}

static int32_t read_int(const json_t *value, int32_t otherwise)
{
    json_int_t n = json_is_integer(value) ? json_integer_value(value) : otherwise;
    return n < -1 ? -1 : n > INT32_MAX ? INT32_MAX : (int32_t)n;
}

static float read_part(const json_t *array, size_t i, double most)
{
    double value = json_number_value(json_array_get(array, i));
    return value > 0 && value <= most ? (float)value : 0;
}

/* The member "figure"; all of it may be missing. */
static void read_figure(const json_t *figure, FigureOrigin *out)
{
    const char *name = json_text_string(figure, "view");
    const View *view = name ? view_find(name) : NULL;
    out->view = view ? view : view_first(out->trace);
    out->options = settings_new(out->view->options);
    out->settings = settings_new(figure_settings);
    if (view)
        read_settings(out->options, json_object_get(figure, "options"));
    read_settings(out->settings, json_object_get(figure, "settings"));
    out->step = read_int(json_object_get(figure, "step"), trace_n_steps(out->trace));
    const json_t *at = json_object_get(figure, "at");
    for (size_t i = 0; i < TRACE_MAX_RANK; i++)
        out->at[i] = read_int(json_array_get(at, i), 0);
    const json_t *session = json_object_get(figure, "session");
    out->session = json_is_object(session) ? json_dumps(session, JSON_COMPACT) : NULL;
    const json_t *camera = json_object_get(figure, "camera");
    out->camera =
        (FigureCamera){read_part(camera, 0, 1e6), read_part(camera, 1, 1), read_part(camera, 2, 1)};
}

static bool read_origin(const json_t *root, const char *name, FigureOrigin *out, Error *error)
{
    if (json_integer_value(json_object_get(root, "fovea")) != 1)
        return error_set(error, ERROR_FORMAT, "%s: this is not a run of Fovea", name);
    const json_t *figure = json_object_get(root, "figure");
    bool is_trace = json_object_get(root, "axes") || json_object_get(root, "tensors") ||
                    !json_object_get(root, "run");
    const json_t *run = is_trace ? root : json_object_get(root, "run");
    const json_t *other = json_object_get(root, "other");
    if (json_is_null(run))
        return error_set(error, ERROR_LIMIT,
                         "%s: the run was too large to be put into the figure; run it again", name);
    out->trace = trace_json_read_value(run, name, error);
    if (!out->trace)
        return false;
    if (json_is_object(other) && !is_trace) {
        out->other = trace_json_read_value(other, name, error);
        if (!out->other)
            return false;
    }
    read_figure(figure, out);
    return true;
}

bool figure_origin_read_memory(const char *data, size_t n, const char *name, FigureOrigin *out,
                               Error *error)
{
    *out = (FigureOrigin){0};
    char *note = figure_origin_recognise(data, n) ? figure_note_read(data, n) : NULL;
    if (!note && figure_origin_recognise(data, n))
        return error_set(error, ERROR_FORMAT,
                         "%s: this picture holds no run of Fovea; pictures that Fovea exports do",
                         name);
    if (n > FIGURE_ORIGIN_MAX_BYTES && !note)
        return error_set(error, ERROR_LIMIT, "%s: %zu bytes; a run in JSON has at most %zu", name,
                         n, FIGURE_ORIGIN_MAX_BYTES);
    json_t *root = json_text_parse(note ? note : data, note ? strlen(note) : n, name, error);
    free(note);
    bool ok = root && read_origin(root, name, out, error);
    json_decref(root);
    if (!ok)
        figure_origin_free(out);
    return ok;
}

bool figure_read_origin(const char *path, FigureOrigin *out, Error *error)
{
    *out = (FigureOrigin){0};
    Bytes bytes;
    if (!file_read(path, FIGURE_MAX_FILE_BYTES, &bytes, error))
        return false;
    bool ok = figure_origin_read_memory(bytes.data, bytes.size, file_base_name(path), out, error);
    bytes_free(&bytes);
    return ok;
}

void figure_origin_free(FigureOrigin *origin)
{
    trace_release(origin->trace);
    trace_release(origin->other);
    settings_free(origin->options);
    settings_free(origin->settings);
    free(origin->session);
    *origin = (FigureOrigin){0};
}
