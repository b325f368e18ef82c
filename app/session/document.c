#include "session/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "trace/base64.h"
#include "trace/trace_json.h"

/* ---- life ---- */

static void init_views(Document *d)
{
    while (view_at(d->n_views))
        d->n_views++;
    d->views = memory_new((size_t)d->n_views, sizeof *d->views);
    for (int i = 0; i < d->n_views; i++)
        d->views[i].options = settings_new(view_at(i)->options);
}

static void restart_history(Document *d)
{
    for (int i = 0; i < d->n_states; i++)
        run_edits_free(d->states[i]);
    d->states = memory_resize(d->states, 1, sizeof(RunEdits *));
    d->states[0] = run_edits_copy(d->edits);
    d->n_states = 1;
    d->now = 0;
}

void document_init(Document *d)
{
    *d = (Document){
        .model = memory_copy_string(""),
        .text = memory_copy_string(""),
        .question = memory_copy_string(""),
        .file = memory_copy_string(""),
        .edits = run_edits_new(),
        .view = view_at(0),
    };
    init_views(d);
    restart_history(d);
}

static void drop_pin(DocumentPin *pin)
{
    trace_release(pin->trace);
    free(pin->json);
}

void document_deinit(Document *d)
{
    free(d->model);
    free(d->text);
    free(d->question);
    free(d->supports);
    free(d->file);
    picture_free(&d->picture);
    free(d->picture_png);
    for (int i = 0; i < d->n_pins; i++)
        drop_pin(&d->pins[i]);
    json_decref(d->screen);
    run_edits_free(d->edits);
    for (int i = 0; i < d->n_views; i++)
        settings_free(d->views[i].options);
    free(d->views);
    for (int i = 0; i < d->n_states; i++)
        run_edits_free(d->states[i]);
    free(d->states);
    *d = (Document){0};
}

static void replace(char **text, const char *with)
{
    char *copy = memory_copy_string(with);
    free(*text);
    *text = copy;
}

void document_set_model(Document *d, const char *model)
{
    replace(&d->model, model);
    replace(&d->file, "");
}

/* Positions in the source mean other words now; options of the whole run stay. */
static bool drop_steps(Document *d)
{
    int n;
    run_edits_interventions(d->edits, &n);
    const RunOptions *o = run_edits_options(d->edits);
    if (n == 0 && o->n_hidden == 0)
        return false;
    run_edits_forget_after(d->edits, -1);
    while (o->n_hidden > 0)
        run_edits_hide(d->edits, o->hidden[0], false);
    document_commit(d);
    return true;
}

bool document_set_text(Document *d, const char *text)
{
    if (strcmp(d->text, text) == 0)
        return false;
    replace(&d->text, text);
    d->n_supports = 0;
    return drop_steps(d);
}

void document_set_question(Document *d, const char *question)
{
    if (strcmp(d->question, question) != 0)
        d->n_supports = 0;
    replace(&d->question, question);
}

void document_set_supports(Document *d, int n, const int *supports)
{
    d->supports = memory_resize(d->supports, (size_t)n + 1, sizeof *d->supports);
    d->n_supports = n;
    for (int i = 0; i < n; i++)
        d->supports[i] = supports[i];
}

void document_set_file(Document *d, const char *path, int sentence)
{
    replace(&d->file, path);
    replace(&d->model, "");
    d->sentence = sentence;
}

void document_set_picture(Document *d, Picture picture)
{
    Error none = {0};
    size_t n = 0;
    picture_free(&d->picture);
    free(d->picture_png);
    d->picture = picture;
    d->picture_png = NULL;
    d->n_pictures++;
    if (!picture.rgba)
        return;
    TraceImage image = picture_view(&picture);
    uint8_t *png = picture_encode_png(&image, &n, &none);
    StrBuf text = {0};
    if (png)
        base64_encode(png, n, &text);
    free(png);
    d->picture_png = png ? strbuf_take(&text) : NULL;
}

/* ---- pinned runs ---- */

/* NULL when it is too large. */
static char *trace_to_text(const Trace *trace)
{
    Error none = {0};
    StrBuf text = {0};
    int64_t numbers = 0;
    for (int32_t i = 0; i < trace_n_tensors(trace); i++)
        numbers += trace_tensor_count(trace, trace_tensor(trace, i));
    bool ok = numbers <= DOCUMENT_MAX_PIN_NUMBERS && trace_json_write(trace, &text, &none);
    char *taken = ok ? strbuf_take(&text) : NULL;
    strbuf_free(&text);
    return taken;
}

void document_unpin(Document *d, int pin)
{
    FOVEA_CHECK(pin >= 0 && pin < d->n_pins, "no such pinned run");
    drop_pin(&d->pins[pin]);
    memmove(d->pins + pin, d->pins + pin + 1, (size_t)(d->n_pins - pin - 1) * sizeof *d->pins);
    d->n_pins--;
}

void document_pin(Document *d, const Trace *trace)
{
    if (d->n_pins == DOCUMENT_MAX_PINS)
        document_unpin(d, 0);
    d->pins[d->n_pins++] = (DocumentPin){trace_retain(trace), trace_to_text(trace)};
}

void document_unpin_all(Document *d)
{
    while (d->n_pins > 0)
        drop_pin(&d->pins[--d->n_pins]);
}

void document_take_pins(Document *d, Document *from)
{
    memcpy(d->pins, from->pins, sizeof d->pins);
    d->n_pins = from->n_pins;
    from->n_pins = 0;
}

static bool same_text(const Trace *a, const Trace *b, const char *name)
{
    const char *x = trace_text(a, name), *y = trace_text(b, name);
    return (!x && !y) || (x && y && strcmp(x, y) == 0);
}

void document_recognise(Document *d, const Trace *trace)
{
    char *json = NULL;
    for (int i = 0; i < d->n_pins; i++) {
        DocumentPin *pin = &d->pins[i];
        bool may_be = pin->json && pin->trace != trace && same_text(pin->trace, trace, "input") &&
                      same_text(pin->trace, trace, "output") &&
                      trace_n_steps(pin->trace) == trace_n_steps(trace);
        if (!may_be)
            continue;
        json = json ? json : trace_to_text(trace);
        if (!json || strcmp(json, pin->json) != 0)
            continue;
        trace_release(pin->trace);
        pin->trace = trace_retain(trace);
    }
    free(json);
}

int document_n_unsaved(const Document *d)
{
    int n = 0;
    for (int i = 0; i < d->n_pins; i++)
        n += !d->pins[i].json;
    return n;
}

/* ---- views ---- */

DocumentView *document_view(Document *d, const View *view)
{
    for (int i = 0; i < d->n_views; i++)
        if (view_at(i) == view)
            return &d->views[i];
    error_bug(__FILE__, __LINE__, "a view that is in no table");
}

/* ---- undo ---- */

void document_commit(Document *d)
{
    if (run_edits_equal(d->edits, d->states[d->now]))
        return;
    while (d->n_states > d->now + 1)
        run_edits_free(d->states[--d->n_states]);
    if (d->n_states == DOCUMENT_MAX_UNDO) {
        run_edits_free(d->states[0]);
        memmove(d->states, d->states + 1, (size_t)(d->n_states - 1) * sizeof *d->states);
        d->n_states--;
    }
    d->states = memory_resize(d->states, (size_t)d->n_states + 1, sizeof *d->states);
    d->states[d->n_states++] = run_edits_copy(d->edits);
    d->now = d->n_states - 1;
}

bool document_can_undo(const Document *d)
{
    return d->now > 0;
}

bool document_can_redo(const Document *d)
{
    return d->now + 1 < d->n_states;
}

static void go_to(Document *d, int state)
{
    run_edits_free(d->edits);
    d->now = state;
    d->edits = run_edits_copy(d->states[state]);
}

void document_undo(Document *d)
{
    if (document_can_undo(d))
        go_to(d, d->now - 1);
}

void document_redo(Document *d)
{
    if (document_can_redo(d))
        go_to(d, d->now + 1);
}

void document_clear_edits(Document *d)
{
    run_edits_free(d->edits);
    d->edits = run_edits_new();
    document_commit(d);
}

/* ---- writing ---- */

static json_t *view_to_json(const DocumentView *v)
{
    StrBuf options = {0};
    settings_to_json(v->options, &options);
    json_t *o = json_object();
    json_object_set_new(o, "options", json_loads(options.text, 0, NULL));
    strbuf_free(&options);
    json_object_set_new(
        o, "camera",
        json_pack("[fff]", (double)v->camera.zoom, (double)v->camera.x, (double)v->camera.y));
    json_t *at = json_array();
    for (int i = 0; i < TRACE_MAX_RANK; i++)
        json_array_append_new(at, json_integer(v->at[i]));
    json_object_set_new(o, "at", at);
    return o;
}

static json_t *run_to_json(const Document *d)
{
    json_t *o = json_object();
    json_object_set_new(o, "fovea_session", json_integer(DOCUMENT_VERSION));
    json_object_set_new(o, "model", json_string(d->model));
    json_object_set_new(o, "text", json_string(d->text));
    json_object_set_new(o, "question", json_string(d->question));
    json_t *supports = json_array();
    for (int i = 0; i < d->n_supports; i++)
        json_array_append_new(supports, json_integer(d->supports[i]));
    json_object_set_new(o, "supports", supports);
    json_object_set_new(o, "file", json_string(d->file));
    json_object_set_new(o, "sentence", json_integer(d->sentence));
    json_object_set_new(o, "flipped", json_boolean(d->flipped));
    if (d->picture_png)
        json_object_set_new(o, "picture", json_string(d->picture_png));
    json_object_set_new(o, "edits", run_edits_to_json(d->edits));
    json_object_set_new(o, "view", json_string(d->view->name));
    json_object_set_new(o, "step", json_integer(d->step));
    json_t *views = json_object();
    for (int i = 0; i < d->n_views; i++)
        json_object_set_new(views, view_at(i)->name, view_to_json(&d->views[i]));
    json_object_set_new(o, "views", views);
    return o;
}

/* Takes the reference. */
static char *take_text(json_t *o)
{
    char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(o);
    return text;
}

char *document_run_to_json(const Document *d)
{
    return take_text(run_to_json(d));
}

/* The runs are text already: they go in as they are, as the last member. */
char *document_to_json(const Document *d)
{
    json_t *o = run_to_json(d);
    if (d->screen)
        json_object_set(o, "screen", d->screen);
    char *text = take_text(o);
    size_t n = strlen(text) - strlen("\n}");
    StrBuf all = {0};
    strbuf_add_bytes(&all, text, n);
    free(text);
    bool first = true;
    strbuf_add(&all, ",\n \"pins\": [");
    for (int i = 0; i < d->n_pins; i++) {
        if (!d->pins[i].json)
            continue;
        strbuf_addf(&all, "%s\n  ", first ? "" : ",");
        strbuf_add(&all, d->pins[i].json);
        first = false;
    }
    strbuf_add(&all, "]\n}");
    return strbuf_take(&all);
}

bool document_save(const Document *d, const char *path, Error *error)
{
    char *text = document_to_json(d);
    bool ok = file_write(path, text, strlen(text), error);
    free(text);
    return ok;
}

/* ---- reading ---- */

static void read_text(char **text, const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    if (value)
        replace(text, value);
}

static int read_int(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 && value < 1 << 30 ? (int)value : 0;
}

/* 0 for what a float does not hold. */
static float read_float(const json_t *array, size_t i)
{
    double value = json_number_value(json_array_get(array, i));
    return fabs(value) < 1e9 ? (float)value : 0;
}

static void read_supports(Document *d, const json_t *list)
{
    size_t i;
    json_t *line;
    d->supports = memory_resize(d->supports, json_array_size(list) + 1, sizeof *d->supports);
    d->n_supports = 0;
    json_array_foreach((json_t *)list, i, line)
    {
        json_int_t value = json_integer_value(line);
        if (json_is_integer(line) && value >= 0 && value < 1 << 30)
            d->supports[d->n_supports++] = (int)value;
    }
}

static bool read_picture(Document *d, const json_t *value, Error *error)
{
    size_t n = json_string_length(value);
    if (n == 0)
        return true;
    const char *text = json_string_value(value);
    size_t padding = (size_t)(text[n - 1] == '=') + (size_t)(n > 1 && text[n - 2] == '=');
    size_t n_bytes = n / 4 * 3 >= padding ? n / 4 * 3 - padding : 0;
    uint8_t *bytes = memory_new(n_bytes + 1, 1);
    Picture picture = {0};
    bool ok = base64_decode(text, n, bytes, n_bytes) ||
              error_set(error, ERROR_FORMAT, "\"picture\" is not base64");
    ok = ok && picture_decode(&picture, bytes, n_bytes, error);
    free(bytes);
    if (ok)
        document_set_picture(d, picture);
    return ok;
}

static bool read_pins(Document *d, const json_t *list, Error *error)
{
    char name[32];
    for (size_t i = 0; i < json_array_size(list); i++) {
        snprintf(name, sizeof name, "pinned run %zu", i + 1);
        const Trace *trace = trace_json_read_value(json_array_get(list, i), name, error);
        if (!trace)
            return false;
        document_pin(d, trace);
        trace_release(trace);
    }
    return true;
}

static void read_view(DocumentView *v, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(object, "options"), key, value)
    {
        Error passed_over = {0};
        const char *text = json_string_value(value);
        if (text && !settings_set(v->options, key, text, &passed_over))
            continue; /* of another version */
    }
    const json_t *camera = json_object_get(object, "camera"), *at = json_object_get(object, "at");
    v->camera = (ViewCamera){read_float(camera, 0), read_float(camera, 1), read_float(camera, 2)};
    for (size_t i = 0; i < TRACE_MAX_RANK; i++) {
        json_int_t item = json_integer_value(json_array_get(at, i));
        v->at[i] = item >= -1 && item < TRACE_MAX_LEN ? (int32_t)item : 0;
    }
}

static bool fill(Document *d, const json_t *o, Error *error)
{
    const json_t *version = json_object_get(o, "fovea_session");
    if (!json_is_integer(version))
        return error_set(error, ERROR_FORMAT, "this is not a Fovea session");
    if (json_integer_value(version) != DOCUMENT_VERSION)
        return error_set(error, ERROR_FORMAT, "session version %lld; this Fovea reads version %d",
                         (long long)json_integer_value(version), DOCUMENT_VERSION);
    read_text(&d->model, o, "model");
    read_text(&d->text, o, "text");
    read_text(&d->question, o, "question");
    read_supports(d, json_object_get(o, "supports"));
    read_text(&d->file, o, "file");
    d->sentence = read_int(o, "sentence");
    d->flipped = json_is_true(json_object_get(o, "flipped"));
    d->step = read_int(o, "step");
    json_t *screen = json_object_get(o, "screen");
    d->screen = json_is_object(screen) ? json_incref(screen) : NULL;
    if (!read_picture(d, json_object_get(o, "picture"), error) ||
        !read_pins(d, json_object_get(o, "pins"), error))
        return false;
    const json_t *edits = json_object_get(o, "edits");
    if (edits) {
        RunEdits *read = run_edits_from_json(edits, error);
        if (!read)
            return false;
        run_edits_free(d->edits);
        d->edits = read;
    }
    const char *name = json_string_value(json_object_get(o, "view"));
    if (name && view_find(name))
        d->view = view_find(name);
    for (int i = 0; i < d->n_views; i++) {
        const json_t *view = json_object_get(json_object_get(o, "views"), view_at(i)->name);
        if (json_is_object(view))
            read_view(&d->views[i], view);
    }
    restart_history(d);
    return true;
}

bool document_from_json(Document *d, const char *text, size_t n, Error *error)
{
    json_error_t why;
    json_t *o = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
    if (!o)
        return error_set(error, ERROR_FORMAT, "line %d, column %d: %s", why.line, why.column,
                         why.text);
    Document fresh;
    document_init(&fresh);
    bool ok = fill(&fresh, o, error);
    json_decref(o);
    if (ok) {
        document_deinit(d);
        *d = fresh;
    } else {
        document_deinit(&fresh);
    }
    return ok;
}

bool document_open(Document *d, const char *path, Error *error)
{
    Bytes bytes;
    if (!file_read(path, DOCUMENT_MAX_BYTES, &bytes, error))
        return false;
    bool ok = document_from_json(d, bytes.data, bytes.size, error);
    bytes_free(&bytes);
    if (!ok)
        error_prefix(error, "%s", path);
    return ok;
}
