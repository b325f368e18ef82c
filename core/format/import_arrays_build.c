#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strmap.h"
#include "format/import_arrays.h"

#define AXIS_NAME_BYTES   40
#define TENSOR_NAME_BYTES 80

/* ---- building ---- */

typedef struct BuildAxis {
    char name[AXIS_NAME_BYTES];
    int32_t wanted; /* length before padding was cut */
    int32_t index, n;
} BuildAxis;

/* What one sentence's tensors have in common. */
typedef struct Build {
    TraceBuilder *builder;
    int32_t sentence;
    Words words[IMPORT_N_SIDES];
    const AlignLinks *gold; /* of the sentence, or NULL */
    bool gold_is_taken;     /* by an array of target by source */
    bool axes_are_told;     /* by a person */
    bool missed_tokens;     /* some axis has none */
    BuildAxis *axes;        /* made so far: those of one name and length are shared */
    int32_t n_axes;
    size_t axis_capacity;
    StrMap *tensor_names;
    Error *error;
} Build;

static const Words *first_of(const Build *build, ImportSide a, ImportSide b, ImportSide c)
{
    static const Words NONE = {.n = -1};
    const ImportSide order[] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (build->words[order[i]].n >= 0)
            return &build->words[order[i]];
    return &NONE;
}

/* An axis of that name and length that exists, or -1; otherwise a name that is free. */
static int32_t find_axis(const Build *build, const char *name, int32_t n, char out[AXIS_NAME_BYTES])
{
    snprintf(out, AXIS_NAME_BYTES, "%.24s", name);
    for (int32_t number = 2;; number++) {
        bool taken = false;
        for (int32_t i = 0; i < build->n_axes; i++) {
            if (strcmp(build->axes[i].name, out) != 0)
                continue;
            if (build->axes[i].wanted == n)
                return i;
            taken = true;
        }
        if (!taken)
            return -1;
        snprintf(out, AXIS_NAME_BYTES, "%.24s %d", name, number);
    }
}

/* Remembers an axis; returns its place in build->axes. */
static int32_t keep_axis(Build *build, const char *name, int32_t wanted, int32_t index, int32_t n)
{
    build->axes = memory_grow(build->axes, &build->axis_capacity, (size_t)build->n_axes + 1,
                              sizeof *build->axes);
    BuildAxis *axis = &build->axes[build->n_axes];
    *axis = (BuildAxis){.wanted = wanted, .index = index, .n = n};
    snprintf(axis->name, sizeof axis->name, "%s", name);
    return build->n_axes++;
}

static int32_t index_axis(Build *build, const char *name, int32_t n)
{
    char unique[AXIS_NAME_BYTES];
    int32_t known = find_axis(build, name, n, unique);
    if (known >= 0)
        return build->axes[known].index;
    int32_t index = trace_add_axis(
        build->builder, &(TraceAxis){.name = unique, .kind = TRACE_AXIS_INDEX, .len = n});
    keep_axis(build, unique, n, index, n);
    return index;
}

/* The place in build->axes of a token axis. */
static int32_t token_axis(Build *build, const char *name, const char *text, const char *items,
                          const Words *words, int32_t n, int32_t used)
{
    char unique[AXIS_NAME_BYTES], unique_text[AXIS_NAME_BYTES];
    int32_t known = find_axis(build, name, n, unique), kept;
    if (known >= 0)
        return known;
    snprintf(unique_text, sizeof unique_text, "%s%s", text, unique + strlen(name));
    ImportAxis axis = {unique, unique_text, items, words, n, used};
    int32_t index = import_add_axis(build->builder, &axis, &kept);
    build->missed_tokens = build->missed_tokens || words->n < 0;
    return keep_axis(build, unique, n, index, kept);
}

/* ---- rows and columns ---- */

typedef struct Used {
    int32_t rows, cols;
} Used;

/* How far a matrix is not zero. */
static void extend_used(TraceMatrix matrix, Used *used)
{
    float *row = memory_new((size_t)matrix.cols, sizeof *row);
    for (int32_t i = 0; i < matrix.rows; i++) {
        trace_matrix_read(&matrix, i, 0, matrix.cols, row);
        int32_t n = matrix.cols;
        while (n > 0 && row[n - 1] == 0)
            n--;
        used->cols = n > used->cols ? n : used->cols;
        used->rows = n > 0 && i >= used->rows ? i + 1 : used->rows;
    }
    free(row);
}

/* Over the first and the last matrix of the sentence. */
static Used find_used(const ArrayGroup *group, const ArrayPlan *plan, int32_t sentence)
{
    Used used = {0, 0};
    int64_t index[PLAN_MAX_DIMS];
    for (int last = 0; last < 2; last++) {
        for (int32_t i = 0; i < plan->n; i++)
            index[i] = i == plan->batch ? sentence : last ? plan->dims[i].len - 1 : 0;
        extend_used(array_plan_matrix(group, plan, index), &used);
    }
    return used;
}

/* What the rows and columns of a group are for this sentence. */
typedef struct Sides {
    int32_t row, col; /* places in build->axes; row -1: a vector */
} Sides;

static Sides square_axis(Build *build, AttendKind kind, int32_t n, int32_t used)
{
    bool encoder = kind == ATTEND_ENCODER, decoder = kind == ATTEND_DECODER;
    const char *name = encoder ? "source" : decoder ? "target" : "token";
    const Words *words = encoder   ? first_of(build, IMPORT_SOURCE, IMPORT_BOTH, IMPORT_BOTH)
                         : decoder ? first_of(build, IMPORT_TARGET, IMPORT_BOTH, IMPORT_BOTH)
                                   : first_of(build, IMPORT_BOTH, IMPORT_SOURCE, IMPORT_TARGET);
    int32_t axis =
        token_axis(build, name, decoder ? "output" : "input", "rows and columns", words, n, used);
    return (Sides){axis, axis};
}

static Sides make_sides(Build *build, const ArrayGroup *group, const ArrayPlan *plan)
{
    int32_t rows = plan->row < 0 ? 1 : (int32_t)plan->dims[plan->row].len;
    int32_t cols = (int32_t)plan->dims[plan->col].len;
    bool both = build->words[IMPORT_SOURCE].n >= 0 && build->words[IMPORT_TARGET].n >= 0;
    bool any = both || first_of(build, IMPORT_BOTH, IMPORT_SOURCE, IMPORT_TARGET)->n >= 0;
    Used used = {rows, cols};
    if (any && group->kind != GROUP_STEPS && rows > 0 && cols > 0)
        used = find_used(group, plan, build->sentence);
    bool is_told = build->axes_are_told && build->words[IMPORT_BOTH].n < 0;
    bool cross = plan->kind == ATTEND_CROSS ||
                 (plan->kind == ATTEND_UNKNOWN && (both || build->gold || is_told));
    if (plan->row >= 0 && rows == cols && !cross)
        return square_axis(build, plan->kind, rows, used.rows > used.cols ? used.rows : used.cols);
    const Words *source =
        first_of(build, IMPORT_SOURCE, IMPORT_BOTH, plan->row < 0 ? IMPORT_TARGET : IMPORT_BOTH);
    const Words *target = first_of(build, IMPORT_TARGET, IMPORT_TARGET, IMPORT_TARGET);
    Sides sides = {-1, -1};
    if (plan->row >= 0)
        sides.row = token_axis(build, "target", "output", "rows", target, rows, used.rows);
    sides.col = token_axis(build, plan->row < 0 ? "token" : "source", "input", "columns", source,
                           cols, used.cols);
    return sides;
}

/* ---- one tensor ---- */

static void name_tensor(Build *build, const ArrayGroup *group, const ArrayPlan *plan,
                        int32_t n_groups, char out[TENSOR_NAME_BYTES])
{
    const char *ending = plan->role == TRACE_WEIGHTS ? "weights" : trace_role_name(plan->role);
    const char *kind = plan->kind == ATTEND_CROSS     ? "cross."
                       : plan->kind == ATTEND_ENCODER ? "encoder."
                       : plan->kind == ATTEND_DECODER ? "decoder."
                                                      : "";
    if (*kind || n_groups == 1 || !*group->name)
        snprintf(out, TENSOR_NAME_BYTES, "attention.%s%s", n_groups == 1 ? "" : kind, ending);
    else
        snprintf(out, TENSOR_NAME_BYTES, "attention.%.40s.%s", group->name, ending);
    if (strmap_get(build->tensor_names, out, strlen(out)) >= 0)
        snprintf(out, TENSOR_NAME_BYTES, "attention.%.60s", group->members[0]->name);
    strmap_put(build->tensor_names, out, strlen(out), 0);
}

/* The axes that stay: what is left of the dims in front, then rows and columns. `dims` gets
 * the dim of each. False with an error when they are too many. */
static bool list_axes(Build *build, const ArrayGroup *group, const ArrayPlan *plan, Sides sides,
                      TraceTensor *tensor, int32_t dims[TRACE_MAX_RANK])
{
    int32_t n = 0, last = plan->row < 0 ? 1 : 2;
    for (int32_t i = 0; i < plan->n; i++) {
        const PlanDim *dim = &plan->dims[i];
        if (i == plan->row || i == plan->col || i == plan->batch || dim->len == 1)
            continue;
        if (n + last == TRACE_MAX_RANK)
            return error_set(build->error, ERROR_LIMIT,
                             "array \"%s\" has more than %d axes that are not of length 1",
                             group->members[0]->name, TRACE_MAX_RANK);
        tensor->axis[n] = index_axis(build, dim->name, (int32_t)dim->len);
        dims[n++] = i;
    }
    if (plan->row >= 0) {
        tensor->axis[n] = build->axes[sides.row].index;
        dims[n++] = plan->row;
    }
    tensor->axis[n] = build->axes[sides.col].index;
    dims[n++] = plan->col;
    tensor->rank = n;
    return true;
}

/* Member of the group and element within it where the sentence begins. */
static void find_start(const ArrayPlan *plan, int32_t sentence, int64_t *member, int64_t *element)
{
    *member = *element = 0;
    if (plan->batch < 0)
        return;
    const PlanDim *batch = &plan->dims[plan->batch];
    *(batch->outer ? member : element) = sentence * batch->stride;
}

/* In place: the strides of the file become the tensor's. */
static void add_in_place(Build *build, const ArrayGroup *group, const ArrayPlan *plan,
                         TraceTensor *tensor, const int32_t *dims)
{
    int64_t member, element;
    find_start(plan, build->sentence, &member, &element);
    const Array *first = group->members[member];
    size_t size = trace_type_bytes(first->type);
    bool apart = plan->dims[dims[0]].outer;
    int32_t n = apart ? (int32_t)plan->dims[dims[0]].len : 0;
    const void **parts = memory_new((size_t)n, sizeof *parts);
    for (int32_t i = 0; i < n; i++) {
        const Array *array = group->members[member + i * plan->dims[dims[0]].stride];
        parts[i] = (const char *)array->data + element * (int64_t)size;
    }
    for (int32_t i = 0; i < tensor->rank; i++)
        tensor->stride[i] = plan->dims[dims[i]].stride;
    tensor->type = first->type;
    tensor->big_endian = first->big_endian;
    tensor->data = (const char *)first->data + element * (int64_t)size;
    tensor->parts = apart ? parts : NULL;
    trace_add_mapped(build->builder, tensor, NULL, 0);
    free(parts);
}

static float *new_dense(Build *build, const ArrayGroup *group, const TraceTensor *tensor,
                        const int32_t *len)
{
    size_t bytes = sizeof(float);
    for (int32_t i = 0; i < tensor->rank; i++) {
        if (memory_multiply(bytes, (size_t)len[i], &bytes) && bytes <= IMPORT_MAX_DENSE_BYTES)
            continue;
        error_set(build->error, ERROR_LIMIT,
                  "the arrays like \"%s\" would have to be put together in more than %zu bytes; "
                  "save one array a layer instead",
                  group->members[0]->name, IMPORT_MAX_DENSE_BYTES);
        return NULL;
    }
    return trace_new_tensor(build->builder, tensor->name, tensor->role, tensor->rank, tensor->axis);
}

/* Moves an index over `n` dims of the lengths on; false after the last. */
static bool next_index(int32_t *at, const int32_t *len, int32_t n)
{
    for (int32_t i = n; i-- > 0;) {
        if (++at[i] < len[i])
            return true;
        at[i] = 0;
    }
    return false;
}

/* Matrix by matrix into memory of the trace. */
static void add_copied(Build *build, const ArrayGroup *group, const ArrayPlan *plan,
                       const TraceTensor *tensor, const int32_t *dims, const int32_t *len)
{
    int32_t at[TRACE_MAX_RANK] = {0}, leading = tensor->rank - (plan->row < 0 ? 1 : 2);
    int32_t rows = plan->row < 0 ? 1 : len[tensor->rank - 2], cols = len[tensor->rank - 1];
    int64_t index[PLAN_MAX_DIMS] = {0};
    float *out = new_dense(build, group, tensor, len);
    if (!out || rows == 0 || cols == 0)
        return;
    if (plan->batch >= 0)
        index[plan->batch] = build->sentence;
    do {
        for (int32_t i = 0; i < leading; i++)
            index[dims[i]] = at[i];
        TraceMatrix matrix = array_plan_matrix(group, plan, index);
        for (int32_t row = 0; row < rows; row++, out += cols)
            trace_matrix_read(&matrix, row, 0, cols, out);
    } while (next_index(at, len, leading));
}

/* What one step of generation adds, for an index of the plan's dims. */
static TraceMatrix step_matrix(const ArrayGroup *group, const int64_t *index, int32_t step)
{
    int32_t layered = group->n_outer == 2;
    int64_t layer = layered ? index[0] : 0, offset = 0;
    const Array *array = group->members[layer * group->outer[1] + step];
    for (int32_t i = 0; i < array->rank - 2; i++)
        offset += index[i + layered] * array->stride[i];
    return (TraceMatrix){
        .rows = (int32_t)array->shape[array->rank - 2],
        .cols = (int32_t)array->shape[array->rank - 1],
        .type = array->type,
        .big_endian = array->big_endian,
        .data = (const char *)array->data + offset * (int64_t)trace_type_bytes(array->type),
        .row_stride = array->stride[array->rank - 2],
        .col_stride = array->stride[array->rank - 1],
    };
}

/* One generated token after the other, row below row. */
static void add_steps(Build *build, const ArrayGroup *group, const ArrayPlan *plan,
                      const TraceTensor *tensor, const int32_t *dims, const int32_t *len)
{
    int32_t at[TRACE_MAX_RANK] = {0}, leading = tensor->rank - 2;
    int32_t rows = len[tensor->rank - 2], cols = len[tensor->rank - 1];
    int64_t index[PLAN_MAX_DIMS] = {0};
    float *out = new_dense(build, group, tensor, len);
    if (!out)
        return;
    if (plan->batch >= 0)
        index[plan->batch] = build->sentence;
    do {
        int32_t row = 0;
        for (int32_t i = 0; i < leading; i++)
            index[dims[i]] = at[i];
        for (int32_t step = 0; step < group->outer[1]; step++) {
            TraceMatrix matrix = step_matrix(group, index, step);
            int32_t n = matrix.cols < cols ? matrix.cols : cols;
            for (int32_t i = 0; i < matrix.rows && row < rows; i++, row++)
                trace_matrix_read(&matrix, i, 0, n, out + (size_t)row * (size_t)cols);
        }
        out += (size_t)rows * (size_t)cols;
    } while (next_index(at, len, leading));
}

static bool can_stay(const ArrayGroup *group, const ArrayPlan *plan, const TraceTensor *tensor,
                     const int32_t *dims)
{
    int32_t outer = 0;
    if (group->kind == GROUP_STEPS)
        return false;
    for (int32_t i = 0; i < tensor->rank; i++)
        outer += plan->dims[dims[i]].outer;
    /* A tensor has one axis whose items lie apart, the outermost of at least three. */
    return outer == 0 || (outer == 1 && plan->dims[dims[0]].outer && tensor->rank >= 3);
}

/* The first array between two texts carries the gold links, which lie over its axes. */
static void take_gold(Build *build, const ArrayPlan *plan, Sides sides)
{
    if (plan->row < 0 || sides.row == sides.col || build->gold_is_taken)
        return;
    const BuildAxis *row = &build->axes[sides.row], *col = &build->axes[sides.col];
    import_add_gold(build->builder, build->gold, (int32_t[]){row->index, col->index},
                    (int32_t[]){row->n, col->n});
    build->gold_is_taken = true;
}

static bool add_group(Build *build, const ArrayGroup *group, const ArrayPlan *plan,
                      int32_t n_groups)
{
    char name[TENSOR_NAME_BYTES];
    TraceTensor tensor = {.name = name, .role = plan->role};
    int32_t dims[TRACE_MAX_RANK], len[TRACE_MAX_RANK];
    Sides sides = make_sides(build, group, plan);
    name_tensor(build, group, plan, n_groups, name);
    trace_add_note(build->builder, "%s", plan->note);
    if (!list_axes(build, group, plan, sides, &tensor, dims))
        return false;
    for (int32_t i = 0; i < tensor.rank; i++)
        len[i] = (int32_t)plan->dims[dims[i]].len;
    if (plan->row >= 0)
        len[tensor.rank - 2] = build->axes[sides.row].n;
    len[tensor.rank - 1] = build->axes[sides.col].n;
    if (can_stay(group, plan, &tensor, dims))
        add_in_place(build, group, plan, &tensor, dims);
    else if (group->kind == GROUP_STEPS)
        add_steps(build, group, plan, &tensor, dims, len);
    else
        add_copied(build, group, plan, &tensor, dims, len);
    take_gold(build, plan, sides);
    return !error_is_set(build->error);
}

/* A sentence of a group of sentences is an array of its own, with a plan of its own. */
static bool add_sentence(Build *build, const ArrayGroup *group, const ImportArrays *arrays)
{
    if (build->sentence >= group->n)
        return true;
    ArrayGroup one = {.kind = GROUP_SINGLE,
                      .name = group->name,
                      .n = 1,
                      .members = group->members + build->sentence,
                      .outer = {1, 1}};
    ArrayPlan plan;
    int32_t sentence = build->sentence;
    if (!array_plan_make(&one, &(PlanHints){.axes = arrays->axes, .swap = arrays->swap}, &plan,
                         build->error))
        return false;
    build->sentence = 0;
    bool ok = add_group(build, &one, &plan, arrays->groups.n);
    build->sentence = sentence;
    return ok;
}

bool import_arrays_build(const ImportArrays *arrays, const ImportTokens *tokens,
                         const AlignLinks *gold, int32_t sentence, TraceBuilder *builder,
                         Error *error)
{
    Error fault = {0};
    Build build = {.builder = builder,
                   .sentence = sentence,
                   .gold = gold,
                   .axes_are_told = arrays->axes != NULL,
                   .tensor_names = strmap_new(),
                   .error = &fault};
    for (int side = 0; side < IMPORT_N_SIDES; side++)
        build.words[side] = import_tokens_get(tokens, (ImportSide)side, sentence);
    bool ok = true;
    for (int32_t i = 0; i < arrays->groups.n && ok; i++) {
        const ArrayGroup *group = &arrays->groups.at[i];
        ok = group->kind == GROUP_SENTENCES
                 ? add_sentence(&build, group, arrays)
                 : add_group(&build, group, &arrays->plans[i], arrays->groups.n);
    }
    if (build.missed_tokens)
        trace_add_note(builder, "some axes are numbered, for want of tokens; they can stand beside "
                                "the file, in .tokens.json or .src and .tgt");
    for (int side = 0; side < IMPORT_N_SIDES; side++)
        words_free(&build.words[side]);
    strmap_free(build.tensor_names);
    free(build.axes);
    error_set(error, fault.kind, "%s", fault.message);
    return ok;
}
