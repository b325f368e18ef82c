/* array_plan.h - what the axes of a dumped array mean.
 *
 * [2, 12, 7, 9] is for a person to read: two layers of twelve heads, seven target words over
 * nine source words? The last two axes are rows (what attends: query, target) and columns
 * (what is attended to: key, source), unless the columns sum to one and the rows do not;
 * then they are swapped. What stands before follows the habit of the tools:
 *
 *   [head, T, S]                     or [layer, T, S] when every layer has its own array
 *   [layer, head, T, S]              or [sentence, head, T, S] when there are as many
 *                                    sentences of tokens
 *   [layer, batch, head, T, S]
 *
 * Axes of length 1 in front mean nothing. Or the person says it: "layer,head,target,source".
 * What was decided, and what could not be, is a sentence in `note`.
 *
 * Depends on: array_group.
 */
#ifndef FOVEA_FORMAT_ARRAY_PLAN_H
#define FOVEA_FORMAT_ARRAY_PLAN_H
#include "format/array_group.h"

typedef enum { DIM_LAYER, DIM_BATCH, DIM_HEAD, DIM_STEP, DIM_OTHER, DIM_ROW, DIM_COL } DimRole;

#define PLAN_MAX_DIMS   (ARRAY_MAX_RANK + 2)
#define PLAN_NAME_BYTES 24

typedef struct PlanDim {
    DimRole role;
    char name[PLAN_NAME_BYTES]; /* of the axis: "layer", "head", ... */
    int64_t len;
    int64_t stride; /* in elements; of outer axes in members of the group */
    bool outer;     /* runs over the members */
} PlanDim;

/* Which sequences attend to which, as far as names say it. */
typedef enum { ATTEND_UNKNOWN, ATTEND_CROSS, ATTEND_ENCODER, ATTEND_DECODER } AttendKind;

AttendKind array_attend_kind(const char *name);

typedef struct PlanHints {
    const char *axes;    /* as in ImportOptions, or NULL */
    const char *kind;    /* "cross", "encoder", ...: what the file says, or NULL */
    int32_t n_sentences; /* of tokens */
    bool swap;           /* rows and columns the other way than it would be taken */
} PlanHints;

typedef struct ArrayPlan {
    int32_t n; /* dims, outermost first; rows and columns are among them */
    PlanDim dims[PLAN_MAX_DIMS];
    int32_t row, col, batch; /* which dims; -1: none */
    AttendKind kind;
    TraceRole role;
    int32_t n_sentences; /* the group's: its batch, its members, or 1 */
    char note[400];
} ArrayPlan;

bool array_plan_make(const ArrayGroup *group, const PlanHints *hints, ArrayPlan *plan,
                     Error *error) FOVEA_MUST_USE;

/* The matrix of rows and columns at an index for every dim (those of row and col do not
 * count). Not for GROUP_STEPS. */
TraceMatrix array_plan_matrix(const ArrayGroup *group, const ArrayPlan *plan, const int64_t *index);

#endif
