/* import_arrays.h - traces from the arrays of a file: the common half of the importers of
 * numpy, safetensors, torch and JSON dumps.
 *
 * Arrays are grouped (array_group.h), their axes are given a meaning (array_plan.h), and for
 * one sentence each group becomes a tensor of the trace: in place where the file allows it.
 */
#ifndef FOVEA_FORMAT_IMPORT_ARRAYS_H
#define FOVEA_FORMAT_IMPORT_ARRAYS_H
#include "format/array_plan.h"
#include "format/import_set.h"

/* Larger parts of a file are never copied, only read in place. */
#define IMPORT_MAX_DENSE_BYTES ((size_t)512 << 20)

typedef struct ImportArrays {
    Array *at; /* names are owned */
    int32_t n;
    size_t capacity;
    ArrayGroups groups;
    ArrayPlan *plans; /* one for each group */
    int32_t n_sentences;
    const char *axes; /* as given to import_arrays_plan */
    bool swap;        /* set before it is called */
    char **left_out;  /* sentences on what could not be read */
    int32_t n_left_out;
    json_t *outline; /* the file is a trace of ours (export.h): everything but its numbers */
    size_t left_out_capacity;
} ImportArrays;

/* Adds an array; its name is copied. Before import_arrays_plan. An error above
 * TRACE_MAX_TENSORS. */
bool import_arrays_add(ImportArrays *arrays, const Array *array, Error *error) FOVEA_MUST_USE;

/* Text arrays become tokens: of the side that their name says, or of both. */
void import_arrays_take_texts(const ImportArrays *arrays, ImportTokens *tokens);

/* Groups and plans. `kind` and `axes` as in PlanHints; `axes` must outlive the arrays. */
bool import_arrays_plan(ImportArrays *arrays, const ImportTokens *tokens, const char *axes,
                        const char *kind, const char *file, Error *error) FOVEA_MUST_USE;

/* Adds the axes and tensors of one sentence to the builder, which must own the storage; `gold`
 * are its links, or NULL. */
bool import_arrays_build(const ImportArrays *arrays, const ImportTokens *tokens,
                         const AlignLinks *gold, int32_t sentence, TraceBuilder *builder,
                         Error *error) FOVEA_MUST_USE;

void import_arrays_free(ImportArrays *arrays);

/* Notes for every trace that something was left out. */
void import_arrays_leave_out(ImportArrays *arrays, const char *what);

/* ---- the halves of an ImportFormat that works on arrays ----
 * open: plans and lists; the set's state becomes `arrays`, allocated by the caller, whatever
 * happens. The other two are the format's build and close. */
bool import_arrays_open(ImportSet *set, ImportArrays *arrays, Error *error) FOVEA_MUST_USE;
const Trace *import_arrays_trace(ImportSet *set, int32_t i, Error *error);
void import_arrays_close(ImportSet *set);

/* Items for every sentence, labelled by their tokens. */
void import_arrays_list(ImportSet *set, const ImportArrays *arrays, const ImportTokens *tokens);

#endif
