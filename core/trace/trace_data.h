/* trace_data.h - what a Trace is made of; only trace.c and trace_builder.c look inside.
 *
 * Everything lies in one arena, so a trace dies at once. Arrays grow while it is built (the
 * old, shorter copies stay in the arena: at most as much again) and never move afterwards.
 */
#ifndef FOVEA_TRACE_TRACE_DATA_H
#define FOVEA_TRACE_TRACE_DATA_H
#include <stdatomic.h>

#include "base/memory.h"
#include "base/strmap.h"
#include "trace/trace.h"

typedef struct TracePair {
    const char *name;
    const char *value;
} TracePair;

typedef struct TraceOwned {
    void *owner;
    void (*release)(void *owner);
} TraceOwned;

typedef struct TraceGuard {
    void *owner;
    bool (*intact)(void *owner);
} TraceGuard;

/* A growing array in the arena. */
#define TRACE_LIST(Type)                                                                           \
    struct {                                                                                       \
        Type *at;                                                                                  \
        int32_t n, capacity;                                                                       \
    }

struct Trace {
    atomic_int references;
    uint64_t id;
    Arena *arena;
    double score;
    TRACE_LIST(TracePair) texts;
    TRACE_LIST(TracePair) attributes;
    TRACE_LIST(const char *) notes;
    TRACE_LIST(TraceAxis) axes;
    TRACE_LIST(TraceTensor) tensors;
    TRACE_LIST(TraceStep) steps;
    TRACE_LIST(TraceClass) classes;
    TRACE_LIST(TraceBeamNode) beam;
    TRACE_LIST(TraceChange) changes;
    TRACE_LIST(TraceOwned) owned;
    TRACE_LIST(TraceGuard) guards;
    TraceImage image; /* rgba NULL: none */
    StrMap *axis_names;
    StrMap *tensor_names;
};

/* Releases everything: shared by trace_release and trace_builder_free. */
void trace_destroy(Trace *trace);

#endif
