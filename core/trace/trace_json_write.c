#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "trace/base64.h"
#include "trace/trace_json.h"

const char *const TRACE_JSON_KINDS[5] = {"token", "step", "grid", "index", "class"};
const char *const TRACE_JSON_FLAGS[TRACE_TOKEN_N_FLAGS] = {"special",   "padding", "unknown",
                                                           "continues", "forced",  "hidden"};
const char *const TRACE_JSON_BEAM_STATES[3] = {"live", "finished", "pruned"};

static void add_string(StrBuf *out, const char *text)
{
    strbuf_add_char(out, '"');
    strbuf_add_json(out, text, strlen(text));
    strbuf_add_char(out, '"');
}

/* `"key":`, with a comma unless it is the first of its object. */
static void add_key(StrBuf *out, const char *key)
{
    if (out->length && out->text[out->length - 1] != '{')
        strbuf_add_char(out, ',');
    add_string(out, key);
    strbuf_add_char(out, ':');
}

/* A comma unless it is the first of its list. */
static void add_comma(StrBuf *out)
{
    if (out->text[out->length - 1] != '[')
        strbuf_add_char(out, ',');
}

static void add_double(StrBuf *out, double value)
{
    const char *quote = isfinite(value) ? "" : "\"";
    strbuf_add(out, quote);
    strbuf_add_double(out, value);
    strbuf_add(out, quote);
}

static void add_float(StrBuf *out, float value)
{
    const char *quote = isfinite(value) ? "" : "\"";
    strbuf_add(out, quote);
    strbuf_add_float(out, value);
    strbuf_add(out, quote);
}

static void add_string_field(StrBuf *out, const char *key, const char *text)
{
    add_key(out, key);
    add_string(out, text);
}

static void add_integer_field(StrBuf *out, const char *key, int32_t value)
{
    add_key(out, key);
    strbuf_addf(out, "%d", value);
}

static void add_double_field(StrBuf *out, const char *key, double value)
{
    add_key(out, key);
    add_double(out, value);
}

/* ---- facts ---- */

/* A seed is a number in the JSON if its text is how that number is written. */
static void add_seed(StrBuf *out, const char *text)
{
    char again[32];
    char *end;
    long long value = strtoll(text, &end, 10);
    snprintf(again, sizeof again, "%lld", value);
    add_key(out, "seed");
    if (strcmp(again, text) == 0)
        strbuf_add(out, text);
    else
        add_string(out, text);
}

static void write_facts(const Trace *trace, StrBuf *out)
{
    const char *model = trace_attribute(trace, "model");
    const char *seed = trace_attribute(trace, "seed");
    const char *input = trace_text(trace, "input");
    const char *output = trace_text(trace, "output");
    if (model)
        add_string_field(out, "model", model);
    if (seed)
        add_seed(out, seed);
    if (input)
        add_string_field(out, "input", input);
    if (output)
        add_string_field(out, "output", output);
    if (!isnan(trace_score(trace)))
        add_double_field(out, "score", trace_score(trace));
}

/* The object of the texts or attributes, without the two that have fields of their own. */
static void write_pairs(const Trace *trace, const char *key, const char *const outside[2],
                        int32_t n, const char *(*at)(const Trace *, int32_t, const char **),
                        StrBuf *out)
{
    bool open = false;
    for (int32_t i = 0; i < n; i++) {
        const char *name;
        const char *value = at(trace, i, &name);
        if (strcmp(name, outside[0]) == 0 || strcmp(name, outside[1]) == 0)
            continue;
        if (!open) {
            add_key(out, key);
            strbuf_add_char(out, '{');
        }
        open = true;
        add_string_field(out, name, value);
    }
    if (open)
        strbuf_add_char(out, '}');
}

static void write_notes(const Trace *trace, StrBuf *out)
{
    if (trace_n_notes(trace) == 0)
        return;
    add_key(out, "notes");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < trace_n_notes(trace); i++) {
        add_comma(out);
        add_string(out, trace_note(trace, i));
    }
    strbuf_add_char(out, ']');
}

/* ---- axes ---- */

static void write_labels(const TraceAxis *axis, StrBuf *out)
{
    add_key(out, "labels");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < axis->len; i++) {
        add_comma(out);
        add_string(out, axis->labels[i]);
    }
    strbuf_add_char(out, ']');
}

static void write_spans(const TraceAxis *axis, StrBuf *out)
{
    add_key(out, "spans");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < axis->len; i++)
        strbuf_addf(out, "%s[%d,%d]", i ? "," : "", axis->spans[i].begin, axis->spans[i].end);
    strbuf_add_char(out, ']');
}

static void write_flags(const TraceAxis *axis, StrBuf *out)
{
    add_key(out, "flags");
    strbuf_add_char(out, '{');
    for (int flag = 0; flag < TRACE_TOKEN_N_FLAGS; flag++) {
        const char *separator = "";
        for (int32_t i = 0; i < axis->len; i++) {
            if (!(axis->flags[i] >> flag & 1))
                continue;
            if (!*separator) {
                add_key(out, TRACE_JSON_FLAGS[flag]);
                strbuf_add_char(out, '[');
            }
            strbuf_addf(out, "%s%d", separator, i);
            separator = ",";
        }
        if (*separator)
            strbuf_add_char(out, ']');
    }
    strbuf_add_char(out, '}');
}

static void write_parents(const Trace *trace, const TraceAxis *axis, StrBuf *out)
{
    add_string_field(out, "parent_axis", trace_axis(trace, axis->parent_axis)->name);
    add_key(out, "parents");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < axis->len; i++)
        strbuf_addf(out, "%s%d", i ? "," : "", axis->parent[i]);
    strbuf_add_char(out, ']');
}

static void write_axis(const Trace *trace, const TraceAxis *axis, StrBuf *out)
{
    strbuf_add_char(out, '{');
    add_string_field(out, "name", axis->name);
    add_string_field(out, "kind", TRACE_JSON_KINDS[axis->kind]);
    if (axis->kind == TRACE_AXIS_GRID) {
        add_integer_field(out, "rows", axis->rows);
        add_integer_field(out, "cols", axis->cols);
    } else if (!axis->labels) {
        add_integer_field(out, "length", axis->len);
    }
    if (axis->labels)
        write_labels(axis, out);
    if (axis->text && !(axis->spans && strcmp(axis->text, "input") == 0))
        add_string_field(out, "text", axis->text);
    if (axis->spans)
        write_spans(axis, out);
    if (axis->flags)
        write_flags(axis, out);
    if (axis->parent)
        write_parents(trace, axis, out);
    strbuf_add_char(out, '}');
}

static void write_axes(const Trace *trace, StrBuf *out)
{
    add_key(out, "axes");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < trace_n_axes(trace); i++) {
        add_comma(out);
        write_axis(trace, trace_axis(trace, i), out);
    }
    strbuf_add_char(out, ']');
}

/* ---- tensors ---- */

static bool is_integer_type(TraceType type)
{
    return type >= TRACE_I8;
}

static void add_element(StrBuf *out, const TraceMatrix *matrix, int32_t row, int32_t col)
{
    int64_t offset = row * matrix->row_stride + col * matrix->col_stride;
    const char *element =
        (const char *)matrix->data + offset * (int64_t)trace_type_bytes(matrix->type);
    if (matrix->type == TRACE_F64) {
        add_double(out, trace_element(matrix->type, matrix->big_endian, element));
    } else if (!is_integer_type(matrix->type)) {
        add_float(out, (float)trace_element(matrix->type, matrix->big_endian, element));
    } else {
        int64_t value = trace_element_integer(matrix->type, matrix->big_endian, element);
        /* Above INT64_MAX most readers give up: as text. */
        if (matrix->type == TRACE_U64 && value < 0)
            strbuf_addf(out, "\"%llu\"", (unsigned long long)value);
        else
            strbuf_addf(out, "%lld", (long long)value);
    }
}

static bool write_row(const TraceMatrix *matrix, int32_t row, StrBuf *out, Error *error)
{
    strbuf_add_char(out, '[');
    for (int32_t col = 0; col < matrix->cols; col++) {
        if (col)
            strbuf_add_char(out, ',');
        add_element(out, matrix, row, col);
    }
    strbuf_add_char(out, ']');
    if (out->length <= TRACE_JSON_MAX_BYTES)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "the JSON of this trace has more than %zu bytes; write it as .npz instead",
                     TRACE_JSON_MAX_BYTES);
}

/* Everything below one index of the leading axes. */
static bool write_data(const Trace *trace, const TraceTensor *tensor, int32_t *at,
                       int32_t dimension, StrBuf *out, Error *error)
{
    if (tensor->rank == 1) {
        TraceMatrix matrix = trace_matrix(trace, tensor, NULL);
        return write_row(&matrix, 0, out, error);
    }
    int32_t n = trace_tensor_len(trace, tensor, dimension);
    bool is_matrix = dimension == tensor->rank - 2;
    TraceMatrix matrix = {0};
    if (is_matrix)
        matrix = trace_matrix(trace, tensor, at);
    strbuf_add_char(out, '[');
    bool ok = true;
    for (int32_t i = 0; i < n && ok; i++) {
        add_comma(out);
        if (is_matrix) {
            ok = write_row(&matrix, i, out, error);
        } else {
            at[dimension] = i;
            ok = write_data(trace, tensor, at, dimension + 1, out, error);
        }
    }
    strbuf_add_char(out, ']');
    return ok;
}

static bool write_tensor(const Trace *trace, const TraceTensor *tensor, bool with_data, StrBuf *out,
                         Error *error)
{
    strbuf_add_char(out, '{');
    add_string_field(out, "name", tensor->name);
    add_string_field(out, "role", trace_role_name(tensor->role));
    if (tensor->type != TRACE_F32)
        add_string_field(out, "type", trace_type_name(tensor->type));
    add_key(out, "axes");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < tensor->rank; i++) {
        add_comma(out);
        add_string(out, trace_axis(trace, tensor->axis[i])->name);
    }
    strbuf_add_char(out, ']');
    int32_t at[TRACE_MAX_RANK] = {0};
    bool ok = true;
    if (with_data) {
        add_key(out, "data");
        ok = write_data(trace, tensor, at, 0, out, error);
    }
    strbuf_add_char(out, '}');
    return ok;
}

static bool write_tensors(const Trace *trace, bool with_data, StrBuf *out, Error *error)
{
    add_key(out, "tensors");
    strbuf_add_char(out, '[');
    bool ok = true;
    for (int32_t i = 0; i < trace_n_tensors(trace) && ok; i++) {
        add_comma(out);
        ok = write_tensor(trace, trace_tensor(trace, i), with_data, out, error);
    }
    strbuf_add_char(out, ']');
    return ok;
}

/* ---- steps ---- */

static void write_candidates(const TraceStep *step, StrBuf *out)
{
    add_key(out, "candidates");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < step->n_candidates; i++) {
        const TraceCandidate *candidate = &step->candidates[i];
        add_comma(out);
        strbuf_add_char(out, '{');
        add_string_field(out, "token", candidate->token);
        if (candidate->id)
            add_integer_field(out, "id", candidate->id);
        add_double_field(out, "probability", candidate->probability);
        strbuf_add_char(out, '}');
    }
    strbuf_add_char(out, ']');
}

static void write_scalars(const TraceStep *step, StrBuf *out)
{
    add_key(out, "scalars");
    strbuf_add_char(out, '{');
    for (int32_t i = 0; i < step->n_scalars; i++)
        add_double_field(out, step->scalars[i].name, step->scalars[i].value);
    strbuf_add_char(out, '}');
}

static void write_window(const TraceWindow *window, StrBuf *out)
{
    add_key(out, "window");
    strbuf_add_char(out, '{');
    add_double_field(out, "centre", window->centre);
    add_integer_field(out, "low", window->low);
    add_integer_field(out, "high", window->high);
    add_double_field(out, "sigma", window->sigma);
    strbuf_add_char(out, '}');
}

static void write_boxes(const TraceStep *step, StrBuf *out)
{
    add_key(out, "boxes");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < step->n_boxes; i++) {
        const TraceBox *box = &step->boxes[i];
        const float sides[4] = {box->x, box->y, box->w, box->h};
        add_comma(out);
        strbuf_add_char(out, '[');
        for (int j = 0; j < 4; j++) {
            add_comma(out);
            add_float(out, sides[j]);
        }
        strbuf_add_char(out, ']');
    }
    strbuf_add_char(out, ']');
}

static void write_step(const TraceStep *step, int32_t index, StrBuf *out)
{
    strbuf_add_char(out, '{');
    add_integer_field(out, "index", index);
    add_string_field(out, "token", step->token);
    if (step->id)
        add_integer_field(out, "id", step->id);
    add_double_field(out, "probability", step->probability);
    if (step->forced) {
        add_key(out, "forced");
        strbuf_add(out, "true");
    }
    write_candidates(step, out);
    write_scalars(step, out);
    if (step->window)
        write_window(step->window, out);
    if (step->n_selected) {
        add_key(out, "selection");
        strbuf_add_char(out, '[');
        for (int32_t i = 0; i < step->n_selected; i++)
            strbuf_addf(out, "%s%d", i ? "," : "", step->selected[i]);
        strbuf_add_char(out, ']');
    }
    if (step->n_boxes)
        write_boxes(step, out);
    strbuf_add_char(out, '}');
}

static void write_steps(const Trace *trace, StrBuf *out)
{
    add_key(out, "steps");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < trace_n_steps(trace); i++) {
        add_comma(out);
        write_step(trace_step(trace, i), i, out);
    }
    strbuf_add_char(out, ']');
}

/* ---- the rest ---- */

static void write_classes(const Trace *trace, StrBuf *out)
{
    if (trace_n_classes(trace) == 0)
        return;
    add_key(out, "classes");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < trace_n_classes(trace); i++) {
        add_comma(out);
        strbuf_add_char(out, '{');
        add_string_field(out, "label", trace_class(trace, i)->label);
        add_double_field(out, "probability", trace_class(trace, i)->probability);
        strbuf_add_char(out, '}');
    }
    strbuf_add_char(out, ']');
}

static void write_beam(const Trace *trace, StrBuf *out)
{
    if (trace_n_beam_nodes(trace) == 0)
        return;
    add_key(out, "beam");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < trace_n_beam_nodes(trace); i++) {
        const TraceBeamNode *node = trace_beam_node(trace, i);
        add_comma(out);
        strbuf_add_char(out, '{');
        add_integer_field(out, "parent", node->parent);
        add_integer_field(out, "step", node->step);
        add_string_field(out, "token", node->token);
        add_integer_field(out, "id", node->id);
        add_double_field(out, "log_probability", node->log_probability);
        add_double_field(out, "score", node->score);
        add_string_field(out, "state", TRACE_JSON_BEAM_STATES[node->state]);
        if (node->dropped_at > 0) {
            add_integer_field(out, "dropped_at", node->dropped_at);
            add_double_field(out, "dropped_score", node->dropped_score);
            add_double_field(out, "kept_score", node->kept_score);
        }
        strbuf_add_char(out, '}');
    }
    strbuf_add_char(out, ']');
}

static void write_image(const Trace *trace, StrBuf *out)
{
    const TraceImage *image = trace_image(trace);
    if (!image)
        return;
    add_key(out, "image");
    strbuf_add_char(out, '{');
    add_integer_field(out, "width", image->width);
    add_integer_field(out, "height", image->height);
    add_key(out, "rgba");
    strbuf_add_char(out, '"');
    base64_encode(image->rgba, (size_t)image->width * (size_t)image->height * 4, out);
    strbuf_add(out, "\"}");
}

static void write_changes(const Trace *trace, StrBuf *out)
{
    if (trace_n_changes(trace) == 0)
        return;
    add_key(out, "changes");
    strbuf_add_char(out, '[');
    for (int32_t i = 0; i < trace_n_changes(trace); i++) {
        const TraceChange *change = trace_change(trace, i);
        add_comma(out);
        strbuf_add_char(out, '{');
        add_integer_field(out, "step", change->step);
        add_string_field(out, "kind", change->kind);
        add_string_field(out, "text", change->text);
        strbuf_add_char(out, '}');
    }
    strbuf_add_char(out, ']');
}

static bool write_all(const Trace *trace, bool with_data, StrBuf *out, Error *error)
{
    strbuf_addf(out, "{\"fovea\":%d", TRACE_JSON_VERSION);
    write_facts(trace, out);
    const char *const texts[2] = {"input", "output"}, *const attributes[2] = {"model", "seed"};
    write_pairs(trace, "texts", texts, trace_n_texts(trace), trace_text_at, out);
    write_pairs(trace, "attributes", attributes, trace_n_attributes(trace), trace_attribute_at,
                out);
    write_notes(trace, out);
    write_axes(trace, out);
    bool ok = write_tensors(trace, with_data, out, error);
    write_steps(trace, out);
    write_classes(trace, out);
    write_beam(trace, out);
    write_image(trace, out);
    write_changes(trace, out);
    strbuf_add_char(out, '}');
    return ok;
}

bool trace_json_write(const Trace *trace, StrBuf *out, Error *error)
{
    return write_all(trace, true, out, error);
}

bool trace_json_write_outline(const Trace *trace, StrBuf *out, Error *error)
{
    return write_all(trace, false, out, error);
}
