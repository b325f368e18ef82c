#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "trace/trace.h"
#include "trace/trace_data.h"

struct TraceBuilder {
    Trace *trace;
    Error error;
};

TraceBuilder *trace_builder_new(void)
{
    /* The one counter of the process: an identity that is never reused cannot be had from
     * an address, and a cache that mistook one trace for another would draw the wrong one. */
    static atomic_uint_fast64_t next_id = 1;
    TraceBuilder *builder = memory_new(1, sizeof *builder);
    builder->trace = memory_new(1, sizeof *builder->trace);
    atomic_init(&builder->trace->references, 1);
    builder->trace->id = atomic_fetch_add(&next_id, 1);
    builder->trace->arena = arena_new();
    builder->trace->score = NAN;
    builder->trace->axis_names = strmap_new();
    builder->trace->tensor_names = strmap_new();
    return builder;
}

void trace_builder_free(TraceBuilder *builder)
{
    if (!builder)
        return;
    trace_destroy(builder->trace);
    free(builder);
}

bool trace_builder_failed(const TraceBuilder *builder)
{
    return error_is_set(&builder->error);
}

void trace_builder_fail(TraceBuilder *builder, const Error *error)
{
    error_set(&builder->error, error->kind, "%s", error->message);
}

/* ---- memory ---- */

static void *get(TraceBuilder *builder, size_t n, size_t size)
{
    void *pointer = arena_try_get(builder->trace->arena, n, size);
    if (!pointer)
        error_set(&builder->error, ERROR_MEMORY, "no memory for %zu x %zu bytes of a trace", n,
                  size);
    return pointer;
}

static void *copy(TraceBuilder *builder, const void *source, size_t n, size_t size)
{
    void *pointer = get(builder, n, size);
    if (pointer && n)
        memcpy(pointer, source, n * size);
    return pointer;
}

/* Valid UTF-8 only (T2). "" for NULL; never NULL itself, so that a failed copy can be used. */
static const char *copy_text(TraceBuilder *builder, const char *what, const char *text)
{
    if (!text)
        return "";
    size_t n = strlen(text);
    size_t valid = utf8_valid_prefix(text, n);
    if (valid < n) {
        error_set(&builder->error, ERROR_FORMAT, "%s \"%.40s\" is not valid UTF-8 at byte %zu",
                  what, text, valid);
        return "";
    }
    const char *made = copy(builder, text, n + 1, 1);
    return made ? made : "";
}

static bool grow(TraceBuilder *builder, void **at, int32_t n, int32_t *capacity, int32_t limit,
                 size_t size, const char *what)
{
    if (error_is_set(&builder->error))
        return false;
    if (n >= limit)
        return error_set(&builder->error, ERROR_LIMIT, "more than %d %s in one trace", limit, what);
    if (n < *capacity)
        return true;
    int32_t wanted = *capacity ? *capacity * 2 : 8;
    void *bigger = get(builder, (size_t)wanted, size);
    if (!bigger)
        return false;
    if (n)
        memcpy(bigger, *at, (size_t)n * size);
    *at = bigger;
    *capacity = wanted;
    return true;
}

/* Room for one more entry of a list; false (and the error set) when there cannot be one. */
#define ROOM(builder, list, limit, what)                                                           \
    grow(builder, (void **)&(builder)->trace->list.at, (builder)->trace->list.n,                   \
         &(builder)->trace->list.capacity, limit, sizeof *(builder)->trace->list.at, what)

/* Adds the entry when nothing has failed while it was put together. */
#define PUSH(builder, list, value)                                                                 \
    do {                                                                                           \
        if (!error_is_set(&(builder)->error))                                                      \
            (builder)->trace->list.at[(builder)->trace->list.n++] = (value);                       \
    } while (0)

/* ---- facts ---- */

static char *format_text(const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    FOVEA_CHECK(n >= 0, "bad format \"%s\"", fmt);
    char *text = memory_new((size_t)n + 1, 1);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    return text;
}

static TracePair *find_pair(TracePair *pairs, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return &pairs[i];
    return NULL;
}

void trace_set_text(TraceBuilder *builder, const char *name, const char *text)
{
    if (!ROOM(builder, texts, TRACE_MAX_AXES, "texts"))
        return;
    const char *value = copy_text(builder, name, text);
    TracePair *old = find_pair(builder->trace->texts.at, builder->trace->texts.n, name);
    if (old)
        old->value = value;
    else
        PUSH(builder, texts, ((TracePair){copy_text(builder, "text name", name), value}));
}

void trace_set_attribute(TraceBuilder *builder, const char *name, const char *fmt, ...)
{
    if (!ROOM(builder, attributes, TRACE_MAX_AXES, "attributes"))
        return;
    va_list args;
    va_start(args, fmt);
    char *text = format_text(fmt, args);
    va_end(args);
    const char *value = copy_text(builder, name, text);
    free(text);
    TracePair *old = find_pair(builder->trace->attributes.at, builder->trace->attributes.n, name);
    if (old)
        old->value = value;
    else
        PUSH(builder, attributes, ((TracePair){copy_text(builder, "attribute name", name), value}));
}

void trace_add_note(TraceBuilder *builder, const char *fmt, ...)
{
    if (!ROOM(builder, notes, TRACE_MAX_AXES, "notes"))
        return;
    va_list args;
    va_start(args, fmt);
    char *text = format_text(fmt, args);
    va_end(args);
    PUSH(builder, notes, copy_text(builder, "note", text));
    free(text);
}

void trace_set_score(TraceBuilder *builder, double log_probability)
{
    builder->trace->score = log_probability;
}

/* ---- axes ---- */

static bool claim_name(TraceBuilder *builder, StrMap *names, const char *what, const char *name,
                       int32_t index)
{
    FOVEA_CHECK(name, "one of the %s has no name", what);
    if (strmap_get(names, name, strlen(name)) >= 0)
        return error_set(&builder->error, ERROR_FORMAT, "two %s of a trace are called \"%s\"", what,
                         name);
    strmap_put(names, name, strlen(name), index);
    return true;
}

static bool check_axis(TraceBuilder *builder, const TraceAxis *axis)
{
    Error *error = &builder->error;
    if (axis->len < 0 || axis->len > TRACE_MAX_LEN)
        return error_set(error, ERROR_LIMIT, "axis \"%s\" has %d items; 0 to %d are possible",
                         axis->name, axis->len, TRACE_MAX_LEN);
    if (axis->kind == TRACE_AXIS_GRID &&
        (axis->rows < 0 || axis->cols < 0 || (int64_t)axis->rows * axis->cols != axis->len))
        return error_set(error, ERROR_FORMAT, "grid axis \"%s\" has %d items but %d x %d cells",
                         axis->name, axis->len, axis->rows, axis->cols);
    if (axis->parent && axis->parent_axis >= 0 && axis->parent_axis >= builder->trace->axes.n)
        return error_set(error, ERROR_FORMAT, "axis \"%s\" names parent axis %d of %d", axis->name,
                         axis->parent_axis, builder->trace->axes.n);
    return true;
}

static bool check_parents(TraceBuilder *builder, const TraceAxis *axis)
{
    if (axis->parent_axis < 0)
        return error_set(&builder->error, ERROR_FORMAT,
                         "axis \"%s\" has parents but no parent axis", axis->name);
    int32_t n = builder->trace->axes.at[axis->parent_axis].len;
    for (int32_t i = 0; i < axis->len; i++)
        if (axis->parent[i] < -1 || axis->parent[i] >= n)
            return error_set(&builder->error, ERROR_FORMAT,
                             "item %d of axis \"%s\" has parent %d of %d", i, axis->name,
                             axis->parent[i], n);
    return true;
}

/* All labels behind their pointers in one piece: an axis may have millions. */
static const char *const *copy_labels(TraceBuilder *builder, const TraceAxis *axis)
{
    size_t bytes = 0;
    for (int32_t i = 0; i < axis->len; i++) {
        const char *label = axis->labels[i] ? axis->labels[i] : "";
        size_t n = strlen(label);
        if (!utf8_is_valid(label, n)) {
            error_set(&builder->error, ERROR_FORMAT,
                      "label %d of axis \"%s\" is not valid UTF-8: \"%.40s\"", i, axis->name,
                      label);
            return NULL;
        }
        bytes += n + 1;
    }
    const char **labels = get(builder, (size_t)axis->len, sizeof *labels);
    char *pool = get(builder, bytes, 1);
    for (int32_t i = 0; labels && pool && i < axis->len; i++) {
        const char *label = axis->labels[i] ? axis->labels[i] : "";
        size_t n = strlen(label) + 1;
        labels[i] = memcpy(pool, label, n);
        pool += n;
    }
    return labels;
}

int32_t trace_add_axis(TraceBuilder *builder, const TraceAxis *axis)
{
    Trace *trace = builder->trace;
    int32_t index = trace->axes.n;
    if (!ROOM(builder, axes, TRACE_MAX_AXES, "axes") || !check_axis(builder, axis) ||
        (axis->parent && !check_parents(builder, axis)) ||
        !claim_name(builder, trace->axis_names, "axes", axis->name, index))
        return 0;
    size_t n = (size_t)axis->len;
    TraceAxis made = *axis;
    made.name = copy_text(builder, "axis name", axis->name);
    made.labels = axis->labels ? copy_labels(builder, axis) : NULL;
    made.text = axis->text ? copy_text(builder, "text name", axis->text) : NULL;
    made.spans = axis->spans ? copy(builder, axis->spans, n, sizeof *made.spans) : NULL;
    made.flags = axis->flags ? copy(builder, axis->flags, n, 1) : NULL;
    made.parent = axis->parent ? copy(builder, axis->parent, n, sizeof *made.parent) : NULL;
    made.parent_axis = axis->parent ? axis->parent_axis : -1;
    PUSH(builder, axes, made);
    return index;
}

/* ---- tensors ---- */

/* The product of the axes' lengths, or -1. */
static int64_t count_elements(TraceBuilder *builder, const TraceTensor *tensor)
{
    Error *error = &builder->error;
    if (tensor->rank < 1 || tensor->rank > TRACE_MAX_RANK) {
        error_set(error, ERROR_LIMIT, "tensor \"%s\" has %d axes; 1 to %d are possible",
                  tensor->name, tensor->rank, TRACE_MAX_RANK);
        return -1;
    }
    int64_t count = 1;
    bool empty = false;
    for (int32_t i = 0; i < tensor->rank; i++) {
        int32_t axis = tensor->axis[i];
        if (axis < 0 || axis >= builder->trace->axes.n) {
            error_set(error, ERROR_FORMAT, "tensor \"%s\" names axis %d of %d", tensor->name, axis,
                      builder->trace->axes.n);
            return -1;
        }
        empty = empty || builder->trace->axes.at[axis].len == 0;
    }
    for (int32_t i = 0; i < tensor->rank && !empty; i++) {
        int64_t len = builder->trace->axes.at[tensor->axis[i]].len;
        if (count > TRACE_MAX_ELEMENTS / len) {
            error_set(error, ERROR_LIMIT, "tensor \"%s\" has more than %lld elements", tensor->name,
                      (long long)TRACE_MAX_ELEMENTS);
            return -1;
        }
        count *= len;
    }
    return empty ? 0 : count;
}

/* An empty tensor keeps zero strides: those of its other axes might overflow. */
static void set_dense_strides(TraceBuilder *builder, TraceTensor *tensor, int64_t count)
{
    int64_t stride = count ? 1 : 0;
    for (int32_t i = tensor->rank; i-- > 0;) {
        tensor->stride[i] = stride;
        stride *= builder->trace->axes.at[tensor->axis[i]].len;
    }
}

static void push_tensor(TraceBuilder *builder, TraceTensor *tensor)
{
    Trace *trace = builder->trace;
    if (!claim_name(builder, trace->tensor_names, "tensors", tensor->name, trace->tensors.n))
        return;
    tensor->name = copy_text(builder, "tensor name", tensor->name);
    PUSH(builder, tensors, *tensor);
}

float *trace_new_tensor(TraceBuilder *builder, const char *name, TraceRole role, int32_t rank,
                        const int32_t *axes)
{
    TraceTensor tensor = {.name = name, .role = role, .rank = rank, .type = TRACE_F32};
    if (!ROOM(builder, tensors, TRACE_MAX_TENSORS, "tensors"))
        return NULL;
    for (int32_t i = 0; i < rank && i < TRACE_MAX_RANK; i++)
        tensor.axis[i] = axes[i];
    int64_t count = count_elements(builder, &tensor);
    if (count < 0)
        return NULL;
    float *data = get(builder, (size_t)count, sizeof *data);
    if (!data)
        return NULL;
    tensor.data = data;
    set_dense_strides(builder, &tensor, count);
    push_tensor(builder, &tensor);
    return error_is_set(&builder->error) ? NULL : data;
}

void trace_add_tensor(TraceBuilder *builder, const char *name, TraceRole role, int32_t rank,
                      const int32_t *axes, const float *data)
{
    float *made = trace_new_tensor(builder, name, role, rank, axes);
    if (!made)
        return;
    size_t count = 1;
    for (int32_t i = 0; i < rank; i++)
        count *= (size_t)builder->trace->axes.at[axes[i]].len;
    if (count)
        memcpy(made, data, count * sizeof *made);
}

/* T4: the lowest and the highest element that the strides can reach from `data`, over the
 * axes from `first` on. */
static bool lies_inside(const TraceBuilder *builder, const TraceTensor *tensor, const void *data,
                        int32_t first, const void *storage, size_t storage_bytes)
{
    int64_t bytes = (int64_t)trace_type_bytes(tensor->type);
    int64_t low = (const char *)data - (const char *)storage, high = low + bytes;
    bool fits = true;
    for (int32_t i = first; i < tensor->rank && fits; i++) {
        int64_t reach;
        int64_t len = builder->trace->axes.at[tensor->axis[i]].len;
        fits = !__builtin_mul_overflow(tensor->stride[i], (len - 1) * bytes, &reach) &&
               !__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
    }
    return fits && low >= 0 && (uint64_t)high <= storage_bytes;
}

static bool check_inside(TraceBuilder *builder, const TraceTensor *tensor, const void *storage,
                         size_t storage_bytes)
{
    int32_t n = tensor->parts ? builder->trace->axes.at[tensor->axis[0]].len : 1;
    for (int32_t i = 0; i < n; i++) {
        const void *data = tensor->parts ? tensor->parts[i] : tensor->data;
        if (!lies_inside(builder, tensor, data, tensor->parts != NULL, storage, storage_bytes))
            return error_set(&builder->error, ERROR_FORMAT,
                             "tensor \"%s\" reaches outside its %zu bytes of storage", tensor->name,
                             storage_bytes);
    }
    return true;
}

void trace_add_mapped(TraceBuilder *builder, const TraceTensor *tensor, const void *storage,
                      size_t storage_bytes)
{
    if (!ROOM(builder, tensors, TRACE_MAX_TENSORS, "tensors"))
        return;
    FOVEA_CHECK(!tensor->parts || tensor->rank >= 3, "tensor %s of rank %d in parts", tensor->name,
                tensor->rank);
    int64_t count = count_elements(builder, tensor);
    if (count < 0 ||
        (count > 0 && storage && !check_inside(builder, tensor, storage, storage_bytes)))
        return;
    TraceTensor made = *tensor;
    if (count == 0) {
        made.data = NULL;
        made.parts = NULL;
        memset(made.stride, 0, sizeof made.stride);
    } else if (tensor->parts) {
        size_t n = (size_t)builder->trace->axes.at[tensor->axis[0]].len;
        made.data = NULL;
        made.parts = copy(builder, tensor->parts, n, sizeof *made.parts);
    }
    push_tensor(builder, &made);
}

void trace_own(TraceBuilder *builder, void *owner, void (*release)(void *owner))
{
    if (ROOM(builder, owned, TRACE_MAX_TENSORS, "owned files"))
        PUSH(builder, owned, ((TraceOwned){owner, release}));
    else
        release(owner);
}

void trace_guard(TraceBuilder *builder, void *owner, bool (*intact)(void *owner))
{
    if (ROOM(builder, guards, TRACE_MAX_TENSORS, "guarded files"))
        PUSH(builder, guards, ((TraceGuard){owner, intact}));
}

/* ---- steps and the rest ---- */

static const TraceCandidate *copy_candidates(TraceBuilder *builder, const TraceStep *step)
{
    TraceCandidate *made =
        copy(builder, step->candidates, (size_t)step->n_candidates, sizeof *made);
    for (int32_t i = 0; made && i < step->n_candidates; i++)
        made[i].token = copy_text(builder, "candidate", made[i].token);
    return made;
}

static const TraceScalar *copy_scalars(TraceBuilder *builder, const TraceStep *step)
{
    TraceScalar *made = copy(builder, step->scalars, (size_t)step->n_scalars, sizeof *made);
    for (int32_t i = 0; made && i < step->n_scalars; i++) {
        made[i].name = copy_text(builder, "scalar name", made[i].name);
        for (int32_t j = 0; j < i; j++)
            if (strcmp(made[i].name, made[j].name) == 0)
                error_set(&builder->error, ERROR_FORMAT, "two scalars of a step are called \"%s\"",
                          made[i].name);
    }
    return made;
}

void trace_add_step(TraceBuilder *builder, const TraceStep *step)
{
    if (!ROOM(builder, steps, TRACE_MAX_STEPS, "steps"))
        return;
    TraceStep made = *step;
    made.token = copy_text(builder, "step token", step->token);
    made.candidates = step->n_candidates ? copy_candidates(builder, step) : NULL;
    made.scalars = step->n_scalars ? copy_scalars(builder, step) : NULL;
    made.window = step->window ? copy(builder, step->window, 1, sizeof *made.window) : NULL;
    made.selected = step->n_selected ? copy(builder, step->selected, (size_t)step->n_selected,
                                            sizeof *made.selected)
                                     : NULL;
    made.boxes = step->n_boxes
                     ? copy(builder, step->boxes, (size_t)step->n_boxes, sizeof *made.boxes)
                     : NULL;
    PUSH(builder, steps, made);
}

void trace_add_class(TraceBuilder *builder, const char *label, double probability)
{
    if (ROOM(builder, classes, TRACE_MAX_STEPS, "classes"))
        PUSH(builder, classes,
             ((TraceClass){copy_text(builder, "class label", label), probability}));
}

void trace_add_beam_node(TraceBuilder *builder, const TraceBeamNode *node)
{
    int32_t n = builder->trace->beam.n;
    if (!ROOM(builder, beam, TRACE_MAX_BEAM_NODES, "beam nodes"))
        return;
    if (node->parent < -1 || node->parent >= n) {
        error_set(&builder->error, ERROR_FORMAT,
                  "beam node %d has parent %d; -1 to %d are possible", n, node->parent, n - 1);
        return;
    }
    TraceBeamNode made = *node;
    made.token = copy_text(builder, "beam token", node->token);
    PUSH(builder, beam, made);
}

void trace_set_image(TraceBuilder *builder, const TraceImage *image)
{
    if (error_is_set(&builder->error))
        return;
    if (image->width < 1 || image->height < 1 || image->width > TRACE_MAX_IMAGE_SIDE ||
        image->height > TRACE_MAX_IMAGE_SIDE) {
        error_set(&builder->error, ERROR_LIMIT, "an image of %d x %d; 1 to %d are possible",
                  image->width, image->height, TRACE_MAX_IMAGE_SIDE);
        return;
    }
    size_t bytes = (size_t)image->width * (size_t)image->height * 4;
    builder->trace->image = *image;
    builder->trace->image.rgba = copy(builder, image->rgba, bytes, 1);
}

void trace_add_change(TraceBuilder *builder, const TraceChange *change)
{
    if (!ROOM(builder, changes, TRACE_MAX_STEPS, "changes"))
        return;
    TraceChange made = *change;
    made.kind = copy_text(builder, "change kind", change->kind);
    made.text = copy_text(builder, "change", change->text);
    PUSH(builder, changes, made);
}

/* ---- sealing ---- */

static bool check_spans(TraceBuilder *builder, const TraceAxis *axis)
{
    const TracePair *text =
        axis->text ? find_pair(builder->trace->texts.at, builder->trace->texts.n, axis->text)
                   : NULL;
    if (!text)
        return error_set(&builder->error, ERROR_FORMAT,
                         "the spans of axis \"%s\" point into text \"%s\", which is not there",
                         axis->name, axis->text ? axis->text : "");
    size_t length = strlen(text->value);
    for (int32_t i = 0; i < axis->len; i++) {
        TraceSpan span = axis->spans[i];
        if (span.begin < 0 || span.begin > span.end || (size_t)span.end > length)
            return error_set(&builder->error, ERROR_FORMAT,
                             "span %d of axis \"%s\" is %d to %d; the text has %zu bytes", i,
                             axis->name, span.begin, span.end, length);
    }
    return true;
}

const Trace *trace_seal(TraceBuilder *builder, Error *error)
{
    Trace *trace = builder->trace;
    /* Only now: a text may have come, or changed, after the axis. */
    for (int32_t i = 0; i < trace->axes.n && !error_is_set(&builder->error); i++)
        if (trace->axes.at[i].spans)
            check_spans(builder, &trace->axes.at[i]);
    if (error_is_set(&builder->error)) {
        error_set(error, builder->error.kind, "%s", builder->error.message);
        trace_destroy(trace);
        trace = NULL;
    }
    free(builder);
    return trace;
}
