#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace_data.h"

void trace_destroy(Trace *trace)
{
    for (int32_t i = trace->owned.n; i-- > 0;)
        trace->owned.at[i].release(trace->owned.at[i].owner);
    strmap_free(trace->axis_names);
    strmap_free(trace->tensor_names);
    arena_free(trace->arena);
    free(trace);
}

const Trace *trace_retain(const Trace *trace)
{
    if (trace)
        atomic_fetch_add(&((Trace *)trace)->references, 1);
    return trace;
}

void trace_release(const Trace *trace)
{
    if (trace && atomic_fetch_sub(&((Trace *)trace)->references, 1) == 1)
        trace_destroy((Trace *)trace);
}

bool trace_intact(const Trace *trace)
{
    for (int32_t i = 0; i < trace->guards.n; i++)
        if (!trace->guards.at[i].intact(trace->guards.at[i].owner))
            return false;
    return true;
}

uint64_t trace_id(const Trace *trace)
{
    return trace->id;
}

double trace_score(const Trace *trace)
{
    return trace->score;
}

const TraceImage *trace_image(const Trace *trace)
{
    return trace->image.rgba ? &trace->image : NULL;
}

/* ---- lists ---- */

#define CHECK_INDEX(list, i)                                                                       \
    FOVEA_CHECK((i) >= 0 && (i) < (list).n, "item %d of %d", (int)(i), (int)(list).n)

/* trace_n_X and the accessor of item i, which returns a pointer to it. */
#define LIST_ACCESS(Type, list, count, item)                                                       \
    int32_t count(const Trace *trace)                                                              \
    {                                                                                              \
        return trace->list.n;                                                                      \
    }                                                                                              \
    const Type *item(const Trace *trace, int32_t i)                                                \
    {                                                                                              \
        CHECK_INDEX(trace->list, i);                                                               \
        return &trace->list.at[i];                                                                 \
    }

LIST_ACCESS(TraceAxis, axes, trace_n_axes, trace_axis)
LIST_ACCESS(TraceTensor, tensors, trace_n_tensors, trace_tensor)
LIST_ACCESS(TraceStep, steps, trace_n_steps, trace_step)
LIST_ACCESS(TraceClass, classes, trace_n_classes, trace_class)
LIST_ACCESS(TraceBeamNode, beam, trace_n_beam_nodes, trace_beam_node)
LIST_ACCESS(TraceChange, changes, trace_n_changes, trace_change)

int32_t trace_n_notes(const Trace *trace)
{
    return trace->notes.n;
}

const char *trace_note(const Trace *trace, int32_t i)
{
    CHECK_INDEX(trace->notes, i);
    return trace->notes.at[i];
}

/* ---- pairs ---- */

static const char *find_pair(const TracePair *pairs, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return pairs[i].value;
    return NULL;
}

const char *trace_text(const Trace *trace, const char *name)
{
    return find_pair(trace->texts.at, trace->texts.n, name);
}

const char *trace_attribute(const Trace *trace, const char *name)
{
    return find_pair(trace->attributes.at, trace->attributes.n, name);
}

int32_t trace_n_texts(const Trace *trace)
{
    return trace->texts.n;
}

const char *trace_text_at(const Trace *trace, int32_t i, const char **name)
{
    CHECK_INDEX(trace->texts, i);
    if (name)
        *name = trace->texts.at[i].name;
    return trace->texts.at[i].value;
}

int32_t trace_n_attributes(const Trace *trace)
{
    return trace->attributes.n;
}

const char *trace_attribute_at(const Trace *trace, int32_t i, const char **name)
{
    CHECK_INDEX(trace->attributes, i);
    if (name)
        *name = trace->attributes.at[i].name;
    return trace->attributes.at[i].value;
}

/* ---- by name ---- */

int32_t trace_find_axis(const Trace *trace, const char *name)
{
    return strmap_get(trace->axis_names, name, strlen(name));
}

const TraceTensor *trace_find(const Trace *trace, const char *name)
{
    int i = strmap_get(trace->tensor_names, name, strlen(name));
    return i < 0 ? NULL : &trace->tensors.at[i];
}

double trace_step_scalar(const TraceStep *step, const char *name)
{
    for (int32_t i = 0; i < step->n_scalars; i++)
        if (strcmp(step->scalars[i].name, name) == 0)
            return step->scalars[i].value;
    return NAN;
}

/* ---- tensors ---- */

int32_t trace_tensor_len(const Trace *trace, const TraceTensor *tensor, int32_t dimension)
{
    FOVEA_CHECK(dimension >= 0 && dimension < tensor->rank, "dimension %d of tensor %s of rank %d",
                dimension, tensor->name, tensor->rank);
    return trace->axes.at[tensor->axis[dimension]].len;
}

int64_t trace_tensor_count(const Trace *trace, const TraceTensor *tensor)
{
    int64_t count = 1;
    for (int32_t i = 0; i < tensor->rank; i++)
        count *= trace_tensor_len(trace, tensor, i);
    return count;
}

TraceMatrix trace_matrix(const Trace *trace, const TraceTensor *tensor, const int32_t *at)
{
    int32_t rank = tensor->rank;
    int64_t offset = 0;
    const char *data = tensor->data;
    for (int32_t i = 0; i < rank - 2; i++) {
        FOVEA_CHECK(at && at[i] >= 0 && at[i] < trace_tensor_len(trace, tensor, i),
                    "tensor %s: index %d of axis %d out of range", tensor->name, at ? at[i] : -1,
                    i);
        if (i == 0 && tensor->parts)
            data = tensor->parts[at[0]];
        else
            offset += at[i] * tensor->stride[i];
    }
    return (TraceMatrix){
        .rows = rank > 1 ? trace_tensor_len(trace, tensor, rank - 2) : 1,
        .cols = trace_tensor_len(trace, tensor, rank - 1),
        .type = tensor->type,
        .big_endian = tensor->big_endian,
        .data = offset ? data + offset * (int64_t)trace_type_bytes(tensor->type) : data,
        .row_stride = rank > 1 ? tensor->stride[rank - 2] : 0,
        .col_stride = tensor->stride[rank - 1],
    };
}
