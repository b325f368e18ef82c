/* import_json.c - JSON: traces, dump lines, neat-vision.
 *
 * One object, a list of objects, or one object a line. What an object is, its fields say:
 *   "fovea"                        a trace as `fovea run --json` prints it
 *   "text" with flat "attention"   neat-vision: weights over one text, with a classifier's
 *                                  verdict; attention may be longer than the text (padding)
 *   nested lists of numbers        attention of any shape under any name ("att"), with lists
 *                                  of strings ("src", "tgt", "tokens", ...), perhaps "axis"
 *                                  ("tgt-src") and "kind" ("cross")
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "format/import_arrays.h"
#include "format/import_formats.h"
#include "format/pieces.h"
#include "trace/trace_json.h"

#define LABEL_SEARCH_BYTES ((size_t)1 << 16)

/* ---- recognising ---- */

static size_t skip_spaces(const char *data, size_t n, size_t i)
{
    while (i < n && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n'))
        i++;
    return i;
}

static bool recognise(const char *data, size_t n)
{
    size_t i = n >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    i = skip_spaces(data, n, i);
    if (i >= n || (data[i] != '{' && data[i] != '['))
        return false;
    bool object = data[i] == '{';
    i = skip_spaces(data, n, i + 1);
    if (i >= n)
        return true;
    return object ? data[i] == '"' || data[i] == '}' : strchr("{[\"-0123456789]", data[i]) != NULL;
}

/* ---- labels ---- */

static void add_value(StrBuf *out, const json_t *value)
{
    enum { MOST = 100 };
    char *texts[MOST];
    Words words = {texts, 0};
    if (json_is_string(value)) {
        strbuf_addf(out, "%s%s", out->length ? " | " : "", json_string_value(value));
        return;
    }
    for (size_t i = 0; i < json_array_size(value) && i < MOST; i++) {
        const char *text = json_string_value(json_array_get(value, i));
        texts[words.n++] = (char *)(text ? text : "");
    }
    import_label_add(out, &words);
}

/* The words of a sentence without parsing its numbers: the value behind "src" and its like,
 * wherever that stands in the line. It is only a label. */
static void label_of_line(Slice line, StrBuf *out)
{
    static const char *const KEYS[] = {"\"input\"",  "\"text\"", "\"src\"",    "\"source\"",
                                       "\"tokens\"", "\"tgt\"",  "\"target\"", "\"output\""};
    size_t n = line.n < LABEL_SEARCH_BYTES ? line.n : LABEL_SEARCH_BYTES;
    char *text = memory_copy_bytes(line.text, n);
    strbuf_add(out, "");
    for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS && out->length < 200; k++) {
        const char *found = strstr(text, KEYS[k]);
        if (!found)
            continue;
        size_t i = skip_spaces(text, n, (size_t)(found - text) + strlen(KEYS[k]));
        if (i >= n || text[i] != ':')
            continue;
        json_error_t ignored;
        json_t *value =
            json_loadb(text + i + 1, n - i - 1, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &ignored);
        if (json_is_string(value) || json_is_array(value))
            add_value(out, value);
        json_decref(value);
    }
    free(text);
}

static void label_of_value(const json_t *value, StrBuf *out)
{
    static const char *const KEYS[] = {"input", "text", "src", "source", "tokens", "tgt", "target"};
    strbuf_add(out, "");
    for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS && out->length < 200; k++) {
        const json_t *found = json_object_get(value, KEYS[k]);
        if (json_is_string(found) || json_is_array(found))
            add_value(out, found);
    }
}

static bool add_item(ImportSet *set, StrBuf *label, Error *error)
{
    bool ok = !import_too_many(set, error);
    if (label->length == 0)
        strbuf_addf(label, "%zu", set->n + 1);
    if (ok)
        import_add_item(set, (Slice){label->text, label->length});
    strbuf_free(label);
    return ok;
}

/* ---- what an object is ---- */

static bool is_number(const json_t *value)
{
    return json_is_number(value) || json_is_null(value) || json_is_boolean(value);
}

/* How deep the first items are lists; -1 if there is no number at the bottom. */
static int32_t depth_of(const json_t *value)
{
    int32_t depth = 0;
    while (json_is_array(value)) {
        if (++depth > ARRAY_MAX_RANK)
            return -1;
        value = json_array_get(value, 0);
    }
    return is_number(value) ? depth : -1;
}

static bool is_neat_vision(const json_t *object)
{
    const json_t *text = json_object_get(object, "text");
    return json_is_array(text) && depth_of(json_object_get(object, "attention")) == 1 &&
           (json_array_size(text) == 0 || json_is_string(json_array_get(text, 0)));
}

/* It says itself what its axes are. */
static bool is_stated(const json_t *object)
{
    return json_object_get(object, "fovea") || is_neat_vision(object);
}

/* ---- opening ---- */

/* One whole value: an object, or a list of objects (or of numbers: bare attention). */
static bool open_value(ImportSet *set, const char *data, size_t n, Error *error)
{
    const char *name = import_file_name(set->file);
    if (n > IMPORT_MAX_JSON)
        return error_set(error, ERROR_LIMIT, "%s: %zu bytes of JSON; at most %zu are read", name, n,
                         IMPORT_MAX_JSON);
    json_t *root = json_text_parse(data, n, name, error);
    set->state = root;
    if (!root)
        return false;
    bool list = json_is_array(root) && json_is_object(json_array_get(root, 0));
    set->is_stated = is_stated(list ? json_array_get(root, 0) : root);
    size_t count = list ? json_array_size(root) : 1;
    for (size_t i = 0; i < count; i++) {
        StrBuf label = {0};
        label_of_value(list ? json_array_get(root, i) : root, &label);
        if (!add_item(set, &label, error))
            return false;
    }
    return true;
}

static bool open_lines(ImportSet *set, const char *data, size_t n, Error *error)
{
    Lines lines = lines_begin(data, n);
    Slice line;
    while (lines_next(&lines, &line)) {
        StrBuf label = {0};
        if (slice_is_blank(line))
            continue;
        label_of_line(line, &label);
        if (!add_item(set, &label, error))
            return false;
        ImportItem *item = &set->items[set->n - 1];
        item->begin = (size_t)(line.text - data);
        item->end = item->begin + line.n;
        item->number = lines.number;
    }
    return true;
}

/* More than one line, and the first is a value by itself, which is looked at. */
static bool is_lines(ImportSet *set, const char *data, size_t n)
{
    Lines lines = lines_begin(data, n);
    Slice line, second = {0};
    do
        if (!lines_next(&lines, &line))
            return false;
    while (slice_is_blank(line));
    while (lines_next(&lines, &second) && slice_is_blank(second))
        ;
    if (slice_is_blank(second) || line.n > IMPORT_MAX_JSON)
        return false;
    Error ignored = {0};
    json_t *value = json_text_parse(line.text, line.n, "", &ignored);
    bool ok = json_is_object(value);
    set->is_stated = ok && is_stated(value);
    json_decref(value);
    return ok;
}

static bool open_json(ImportSet *set, Error *error)
{
    size_t n;
    const char *data = import_file_data(set->file, &n);
    return is_lines(set, data, n) ? open_lines(set, data, n, error)
                                  : open_value(set, data, n, error);
}

/* ---- lists of numbers ---- */

typedef struct Numbers {
    Array *array;
    ImportNumbers *out;
    const char *name;
    Error *error;
} Numbers;

static bool take_number(const Numbers *numbers, const json_t *value)
{
    if (!is_number(value))
        return error_set(numbers->error, ERROR_FORMAT, "\"%s\": %s among the numbers",
                         numbers->name, json_text_type(value));
    import_numbers_add(numbers->out, json_is_null(value)      ? NAN
                                     : json_is_boolean(value) ? (float)json_is_true(value)
                                                              : (float)json_number_value(value));
    return true;
}

static bool take_list(const Numbers *numbers, const json_t *list, int32_t depth)
{
    const Array *array = numbers->array;
    if (depth == array->rank)
        return take_number(numbers, list);
    if (!json_is_array(list) || (int64_t)json_array_size(list) != array->shape[depth])
        return error_set(numbers->error, ERROR_FORMAT,
                         "\"%s\": lists of different lengths at depth %d: %zu and %lld",
                         numbers->name, depth, json_array_size(list),
                         (long long)array->shape[depth]);
    bool ok = true;
    for (size_t i = 0; i < json_array_size(list) && ok; i++)
        ok = take_list(numbers, json_array_get(list, i), depth + 1);
    return ok;
}

/* A rectangular array of floats; *storage is the caller's to free. */
static bool read_array(const json_t *value, const char *name, Array *array, float **storage,
                       Error *error)
{
    ImportNumbers out = {0};
    size_t bytes;
    *array =
        (Array){.name = name, .kind = ARRAY_NUMBERS, .type = TRACE_F32, .rank = depth_of(value)};
    const json_t *list = value;
    for (int32_t i = 0; i < array->rank; i++) {
        array->shape[i] = (int64_t)json_array_size(list);
        list = json_array_get(list, 0);
    }
    Numbers numbers = {array, &out, name, error};
    bool ok = take_list(&numbers, value, 0) && array_set_dense(array, false, &bytes);
    *storage = out.at;
    array->data = out.at;
    return ok;
}

/* ---- one object ---- */

/* Whether all lists of a depth are as long as `shape` says. */
static bool has_shape(const json_t *list, const size_t *shape, int32_t rank)
{
    if (json_array_size(list) != shape[0])
        return false;
    for (size_t i = 0; rank > 1 && i < shape[0]; i++)
        if (!has_shape(json_array_get(list, i), shape + 1, rank - 1))
            return false;
    return true;
}

static bool is_even(const json_t *value, int32_t depth)
{
    size_t shape[ARRAY_MAX_RANK];
    const json_t *list = value;
    for (int32_t i = 0; i < depth; i++) {
        shape[i] = json_array_size(list);
        list = json_array_get(list, 0);
    }
    return has_shape(value, shape, depth);
}

static bool add_array(const json_t *value, const char *name, ImportArrays *arrays,
                      TraceBuilder *builder, Error *error)
{
    Array array;
    float *storage;
    bool ok = read_array(value, name, &array, &storage, error);
    if (storage)
        trace_own(builder, storage, free);
    return ok && import_arrays_add(arrays, &array, error);
}

/* What grows from step to step (the lists of `generate`) is taken apart: "att.0", "att.1", ...,
 * as long as its parts are more than matrices. */
static bool add_numbers(const json_t *value, const char *name, ImportArrays *arrays,
                        TraceBuilder *builder, Error *error)
{
    int32_t depth = depth_of(value);
    if (depth < 1)
        return error_set(error, ERROR_FORMAT, "\"%s\": %s where a list of numbers was expected",
                         name, json_text_type(value));
    if (depth < 4 || is_even(value, depth))
        return add_array(value, name, arrays, builder, error);
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(value); i++) {
        StrBuf part = {0};
        strbuf_addf(&part, "%s.%zu", name, i);
        ok = add_numbers(json_array_get(value, i), part.text, arrays, builder, error);
        strbuf_free(&part);
    }
    return ok;
}

static bool add_arrays(const json_t *object, int32_t least_depth, ImportArrays *arrays,
                       TraceBuilder *builder, Error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (depth_of(value) >= least_depth && !add_numbers(value, key, arrays, builder, error))
            return false;
    }
    return true;
}

static int32_t count_names(const char *axes)
{
    int32_t n = 0;
    for (const char *p = axes; *p;) {
        size_t length = strcspn(p, ", -");
        n += length > 0;
        p += length + (p[length] != '\0');
    }
    return n;
}

/* "axis" and "kind" describe the one matrix of a dump line; options come before them. */
static bool build_arrays(const ImportSet *set, const json_t *object, int32_t i,
                         TraceBuilder *builder, Error *error)
{
    const ImportOptions *options = &set->options;
    ImportArrays arrays = {.swap = options->swap};
    ImportTokens tokens = {0};
    const char *axes = options->axes ? options->axes : json_text_string(object, "axis");
    bool named = options->tokens_path || options->source_path || options->target_path ||
                 options->source_text || options->target_text;
    bool ok = add_arrays(object, 2, &arrays, builder, error);
    if (ok && arrays.n == 0)
        ok = add_arrays(object, 1, &arrays, builder, error);
    if (ok && arrays.n == 0)
        ok = error_set(error, ERROR_FORMAT,
                       "no attention in it: neither \"fovea\" nor nested lists of numbers");
    bool own = !named && import_tokens_take(&tokens, object);
    /* "tgt-src" is said of a matrix; a stack of heads goes by its shape. */
    if (ok && !options->axes && axes && count_names(axes) != arrays.at[0].rank)
        axes = NULL;
    ok = ok &&
         import_arrays_plan(&arrays, own ? &tokens : &set->tokens, axes,
                            json_text_string(object, "kind"), "this object", error) &&
         import_arrays_build(&arrays, own ? &tokens : &set->tokens,
                             import_tokens_gold(&set->tokens, i), own ? 0 : i, builder, error);
    if (ok && arrays.n_sentences > 1)
        trace_add_note(builder, "one of %d sentences in one object: an object a sentence shows all",
                       arrays.n_sentences);
    import_arrays_free(&arrays);
    import_tokens_free(&tokens);
    return ok;
}

/* A number, a string or a list of either, as text. */
static void add_fact(TraceBuilder *builder, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return;
    char *text = json_is_string(value) ? memory_copy_string(json_string_value(value))
                                       : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    if (text)
        trace_set_attribute(builder, key, "%s", text);
    free(text);
}

/* Posteriors may be logits: then the classes get their softmax. */
static void add_classes(TraceBuilder *builder, const json_t *posterior, const ImportTokens *tokens)
{
    size_t n = json_array_size(posterior);
    double sum = 0, largest = -INFINITY;
    bool probabilities = true;
    for (size_t i = 0; i < n; i++) {
        double value = json_number_value(json_array_get(posterior, i));
        probabilities = probabilities && value >= 0 && value <= 1;
        largest = value > largest ? value : largest;
    }
    for (size_t i = 0; i < n && !probabilities; i++)
        sum += exp(json_number_value(json_array_get(posterior, i)) - largest);
    for (size_t i = 0; i < n; i++) {
        double value = json_number_value(json_array_get(posterior, i));
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        const char *name = import_tokens_label(tokens, number);
        trace_add_class(builder, name ? name : number,
                        probabilities ? value : exp(value - largest) / sum);
    }
    if (n > 0 && !probabilities)
        trace_add_note(builder, "posteriors are not within 0 and 1; their softmax is shown");
}

static bool build_neat_vision(const json_t *object, const ImportTokens *tokens,
                              TraceBuilder *builder, Error *error)
{
    const json_t *text = json_object_get(object, "text");
    Array array;
    float *weights = NULL;
    size_t n = json_array_size(text);
    Words words = {.at = memory_new(n, sizeof *words.at), .n = (int32_t)n};
    for (size_t i = 0; i < n; i++) {
        const char *token = json_string_value(json_array_get(text, i));
        words.at[i] = memory_copy_string(token ? token : "");
    }
    bool ok =
        read_array(json_object_get(object, "attention"), "attention", &array, &weights, error);
    if (ok) {
        int32_t used = (int32_t)array.count, kept;
        while (used > 0 && weights[used - 1] == 0)
            used--;
        ImportAxis axis = {"token", "input", "weights", &words, (int32_t)array.count, used};
        int32_t index = import_add_axis(builder, &axis, &kept);
        float *out = trace_new_tensor(builder, "attention.weights", TRACE_WEIGHTS, 1, &index);
        for (int32_t i = 0; out && i < kept; i++)
            out[i] = weights[i];
        add_fact(builder, object, "id");
        add_fact(builder, object, "label");
        add_fact(builder, object, "prediction");
        add_classes(builder, json_object_get(object, "posterior"), tokens);
    }
    free(weights);
    words_free(&words);
    return ok;
}

static const Trace *build_object(ImportSet *set, const json_t *object, int32_t i, Error *error)
{
    StrBuf place = {0};
    strbuf_addf(&place, "%s: sentence %d", import_file_name(set->file), i + 1);
    const Trace *trace = NULL;
    Error fault = {0};
    if (json_object_get(object, "fovea")) {
        trace = trace_json_read_value(object, place.text, &fault);
    } else {
        TraceBuilder *builder = import_begin_trace(set, i);
        bool ok = is_neat_vision(object) ? build_neat_vision(object, &set->tokens, builder, &fault)
                                         : build_arrays(set, object, i, builder, &fault);
        if (!ok)
            trace_builder_fail(builder, &fault);
        trace = trace_seal(builder, &fault);
        if (!trace)
            error_prefix(&fault, "%s", place.text);
    }
    if (!trace)
        error_set(error, fault.kind, "%s", fault.message);
    strbuf_free(&place);
    return trace;
}

/* A bare list of numbers is attention without a name. */
static const Trace *build_bare(ImportSet *set, json_t *list, Error *error)
{
    json_t *object = json_object();
    json_object_set(object, "attention", list);
    const Trace *trace = build_object(set, object, 0, error);
    json_decref(object);
    return trace;
}

static const Trace *build(ImportSet *set, int32_t i, Error *error)
{
    json_t *root = set->state;
    if (json_is_object(root))
        return build_object(set, root, i, error);
    if (root && json_is_object(json_array_get(root, 0)))
        return build_object(set, json_array_get(root, (size_t)i), i, error);
    if (root)
        return build_bare(set, root, error);
    size_t n;
    const ImportItem *item = &set->items[i];
    const char *line = import_file_data(set->file, &n) + item->begin;
    char place[64];
    snprintf(place, sizeof place, "object in line %lld", (long long)item->number);
    if (item->end - item->begin > IMPORT_MAX_JSON) {
        error_set(error, ERROR_LIMIT, "%s: a line of more than %zu bytes",
                  import_file_name(set->file), IMPORT_MAX_JSON);
        return NULL;
    }
    json_t *object = json_text_parse(line, item->end - item->begin, place, error);
    if (!object) {
        error_prefix(error, "%s", import_file_name(set->file));
        return NULL;
    }
    const Trace *trace = build_object(set, object, i, error);
    json_decref(object);
    return trace;
}

static void close_json(ImportSet *set)
{
    json_decref(set->state);
}

const ImportFormat IMPORT_JSON = {"JSON", recognise, open_json, build, close_json};
