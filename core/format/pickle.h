/* pickle.h - the few instructions of a pickle that build tensors, and nothing else.
 *
 * A pickle is a program for a stack machine that can call any Python function. This reads
 * only the instructions that torch.save writes for tensors in tuples, lists and
 * dictionaries, and of all functions only torch's own that rebuild a tensor from its
 * storage; everything else is refused. Nothing is ever executed.
 *
 * Memory: values live in the arena that is passed.
 */
#ifndef FOVEA_FORMAT_PICKLE_H
#define FOVEA_FORMAT_PICKLE_H
#include "base/memory.h"
#include "format/array.h"

#define PICKLE_MAX_BYTES  ((size_t)64 << 20)
#define PICKLE_MAX_VALUES (1 << 20)
#define PICKLE_MAX_DEPTH  64

typedef enum {
    PICKLE_NONE,
    PICKLE_INTEGER,
    PICKLE_NUMBER,
    PICKLE_TEXT,
    PICKLE_LIST,    /* list or tuple */
    PICKLE_DICT,    /* keys and values in turn */
    PICKLE_STORAGE, /* an element type and the name of the file that holds the elements */
    PICKLE_TENSOR,
    PICKLE_GLOBAL, /* a name; never called */
} PickleKind;

typedef struct PickleValue PickleValue;

/* A view of a storage. */
typedef struct PickleTensor {
    const PickleValue *storage;
    int64_t offset; /* in elements */
    int32_t rank;
    int64_t shape[ARRAY_MAX_RANK], stride[ARRAY_MAX_RANK];
} PickleTensor;

struct PickleValue {
    PickleKind kind;
    TraceType type; /* STORAGE */
    int64_t integer;
    double number;
    const char *text;    /* TEXT; STORAGE: its key; GLOBAL: "module name" */
    PickleValue **items; /* LIST and DICT */
    int64_t n, capacity;
    PickleTensor *tensor;
};

/* The value that the pickle leaves; NULL with an error, in which `name` is the file. */
const PickleValue *pickle_read(const void *bytes, size_t n, const char *name, Arena *arena,
                               Error *error) FOVEA_MUST_USE;

#endif
