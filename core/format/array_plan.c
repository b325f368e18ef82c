#include "format/array_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "trace/trace_check.h"

#define SAMPLED_ROWS 64 /* of a matrix, to see what sums to one */

/* ---- names ---- */

static const struct {
    const char *name;
    DimRole role;
} DIM_NAMES[] = {
    {"layer", DIM_LAYER},     {"layers", DIM_LAYER}, {"batch", DIM_BATCH}, {"sentence", DIM_BATCH},
    {"sentences", DIM_BATCH}, {"head", DIM_HEAD},    {"heads", DIM_HEAD},  {"step", DIM_STEP},
    {"steps", DIM_STEP},      {"target", DIM_ROW},   {"tgt", DIM_ROW},     {"query", DIM_ROW},
    {"row", DIM_ROW},         {"rows", DIM_ROW},     {"source", DIM_COL},  {"src", DIM_COL},
    {"key", DIM_COL},         {"column", DIM_COL},   {"col", DIM_COL},     {"cols", DIM_COL},
    {"columns", DIM_COL},
};

static const char *const ROLE_NAMES[] = {"layer", "batch",  "head",  "step",
                                         "axis",  "target", "source"};

static DimRole role_of(const char *name)
{
    for (size_t i = 0; i < sizeof DIM_NAMES / sizeof *DIM_NAMES; i++)
        if (strcmp(DIM_NAMES[i].name, name) == 0)
            return DIM_NAMES[i].role;
    return DIM_OTHER;
}

static bool holds(const char *name, const char *part)
{
    size_t n = strlen(name), m = strlen(part);
    for (size_t i = 0; i + m <= n; i++) {
        size_t k = 0;
        while (k < m && (name[i + k] | 0x20) == part[k])
            k++;
        if (k == m)
            return true;
    }
    return false;
}

AttendKind array_attend_kind(const char *name)
{
    static const char *const CROSS[] = {"cross",    "encdec",          "enc_dec", "enc-dec",
                                        "src_attn", "encoder_decoder", "inp_out", "tgt-src"};
    for (size_t i = 0; i < sizeof CROSS / sizeof *CROSS; i++)
        if (holds(name, CROSS[i]))
            return ATTEND_CROSS;
    if (holds(name, "enc") || holds(name, "inp_inp"))
        return ATTEND_ENCODER;
    return holds(name, "dec") || holds(name, "out_out") ? ATTEND_DECODER : ATTEND_UNKNOWN;
}

/* ---- the dims as they lie ---- */

static PlanDim *add_dim(ArrayPlan *plan, int64_t len, int64_t stride, bool outer)
{
    PlanDim *dim = &plan->dims[plan->n++];
    *dim = (PlanDim){.role = DIM_OTHER, .len = len, .stride = stride, .outer = outer};
    return dim;
}

static int64_t step_rows(const ArrayGroup *group)
{
    int64_t rows = 0;
    for (int32_t i = 0; i < group->outer[1]; i++)
        rows += group->members[i]->shape[group->members[i]->rank - 2];
    return rows;
}

static void list_dims(const ArrayGroup *group, ArrayPlan *plan)
{
    const Array *first = group->members[0], *last = group->members[group->n - 1];
    bool steps = group->kind == GROUP_STEPS, stack = group->kind == GROUP_STACK;
    if ((steps || stack) && group->n_outer == 2)
        add_dim(plan, group->outer[0], group->outer[1], true);
    if (stack)
        add_dim(plan, group->outer[1], 1, true);
    for (int32_t i = 0; i < first->rank; i++)
        add_dim(plan, first->shape[i], first->stride[i], false);
    if (steps) {
        plan->dims[plan->n - 2].len = step_rows(group);
        plan->dims[plan->n - 1].len = last->shape[last->rank - 1];
    }
}

static void set_role(PlanDim *dim, DimRole role, int32_t number)
{
    dim->role = role;
    if (role == DIM_OTHER)
        snprintf(dim->name, sizeof dim->name, "axis %d", number);
    else
        snprintf(dim->name, sizeof dim->name, "%s", ROLE_NAMES[role]);
}

/* ---- roles by habit ---- */

static void assign_leading(const ArrayGroup *group, const PlanHints *hints, ArrayPlan *plan)
{
    int32_t n = plan->n - 2;
    PlanDim *dims = plan->dims;
    bool outer = n > 0 && dims[0].outer, many = hints->n_sentences > 1;
    int32_t inner = outer ? 1 : 0; /* the first that is the members' own */
    bool by_sentence = many && inner < n && dims[inner].len == hints->n_sentences;
    for (int32_t i = 0; i < n; i++)
        set_role(&dims[i], DIM_OTHER, i);
    if (n >= 1 && outer)
        set_role(&dims[0], DIM_LAYER, 0);
    if (group->kind == GROUP_STEPS) {
        if (n - inner >= 3)
            set_role(&dims[inner], DIM_LAYER, 0);
        if (n - inner >= 2)
            set_role(&dims[n - 2], DIM_BATCH, 0);
        if (n - inner >= 1)
            set_role(&dims[n - 1], DIM_HEAD, 0);
    } else if (n == 1 && !outer) {
        set_role(&dims[0], by_sentence ? DIM_BATCH : DIM_HEAD, 0);
    } else if (n == 2) {
        set_role(&dims[0], outer || !by_sentence ? DIM_LAYER : DIM_BATCH, 0);
        set_role(&dims[1], outer && by_sentence ? DIM_BATCH : DIM_HEAD, 0);
    } else if (n >= 3) {
        set_role(&dims[0], DIM_LAYER, 0);
        set_role(&dims[1], DIM_BATCH, 0);
        set_role(&dims[2], DIM_HEAD, 0);
    }
}

static void assign_by_habit(const ArrayGroup *group, const PlanHints *hints, ArrayPlan *plan)
{
    if (plan->n == 1) {
        set_role(&plan->dims[0], DIM_COL, 0);
        return;
    }
    assign_leading(group, hints, plan);
    set_role(&plan->dims[plan->n - 2], DIM_ROW, 0);
    set_role(&plan->dims[plan->n - 1], DIM_COL, 0);
}

/* ---- roles as told ---- */

typedef struct AxisNames {
    int32_t n;
    char at[PLAN_MAX_DIMS][PLAN_NAME_BYTES];
} AxisNames;

static bool split_axes(const char *axes, AxisNames *names, Error *error)
{
    *names = (AxisNames){0};
    for (const char *p = axes; *p;) {
        size_t n = strcspn(p, ", -\t");
        if (n >= PLAN_NAME_BYTES || (n > 0 && names->n == PLAN_MAX_DIMS))
            return error_set(error, ERROR_INPUT, "axes \"%s\": too many or too long names", axes);
        if (n > 0) {
            memcpy(names->at[names->n], p, n);
            names->at[names->n++][n] = '\0';
        }
        p += n + (p[n] != '\0');
    }
    return true;
}

static bool refuse_axes(const ArrayGroup *group, const char *axes, const char *why, Error *error)
{
    char shape[ARRAY_SHAPE_BYTES];
    array_describe_shape(group->members[0], shape);
    return error_set(error, ERROR_INPUT, "axes \"%s\" %s; array \"%s\" is %s%s", axes, why,
                     group->members[0]->name, shape,
                     group->kind == GROUP_STACK ? ", and there is one for each layer" : "");
}

/* All dims are named, or all but those of length 1. */
static bool assign_as_told(const ArrayGroup *group, const char *axes, ArrayPlan *plan, Error *error)
{
    AxisNames names;
    int32_t long_dims = 0, next = 0, rows = 0, cols = 0;
    if (!split_axes(axes, &names, error))
        return false;
    for (int32_t i = 0; i < plan->n; i++)
        long_dims += plan->dims[i].len != 1;
    bool all = names.n == plan->n;
    if (!all && names.n != long_dims)
        return refuse_axes(group, axes, "are not as many as the array's", error);
    for (int32_t i = 0; i < plan->n; i++) {
        PlanDim *dim = &plan->dims[i];
        if (!all && dim->len == 1) {
            set_role(dim, DIM_OTHER, i);
            continue;
        }
        const char *name = names.at[next++];
        set_role(dim, role_of(name), i);
        if (dim->role == DIM_OTHER)
            snprintf(dim->name, sizeof dim->name, "%s", name);
        rows += dim->role == DIM_ROW;
        cols += dim->role == DIM_COL;
        if (dim->outer && (dim->role == DIM_ROW || dim->role == DIM_COL))
            return refuse_axes(group, axes, "take the number of the array for rows or columns",
                               error);
    }
    if (cols != 1 || rows != (names.n > 1))
        return refuse_axes(group, axes, "should name one target and one source", error);
    return true;
}

/* ---- looking at the numbers ---- */

TraceMatrix array_plan_matrix(const ArrayGroup *group, const ArrayPlan *plan, const int64_t *index)
{
    int64_t member = 0, offset = 0;
    for (int32_t i = 0; i < plan->n; i++) {
        const PlanDim *dim = &plan->dims[i];
        if (i == plan->row || i == plan->col)
            continue;
        if (dim->outer)
            member += index[i] * dim->stride;
        else
            offset += index[i] * dim->stride;
    }
    const Array *array = group->members[member];
    const PlanDim *row = plan->row >= 0 ? &plan->dims[plan->row] : NULL;
    const PlanDim *col = &plan->dims[plan->col];
    return (TraceMatrix){
        .rows = row ? (int32_t)row->len : 1,
        .cols = (int32_t)col->len,
        .type = array->type,
        .big_endian = array->big_endian,
        .data = (const char *)array->data + offset * (int64_t)trace_type_bytes(array->type),
        .row_stride = row ? row->stride : 0,
        .col_stride = col->stride,
    };
}

typedef struct Sums {
    int32_t good, bad;    /* rows */
    bool negative, large; /* any value below 0, above 1 */
} Sums;

static void look_at_rows(TraceMatrix matrix, double tolerance, Sums *sums)
{
    float *row = memory_new((size_t)matrix.cols, sizeof *row);
    int32_t step = matrix.rows > SAMPLED_ROWS ? matrix.rows / SAMPLED_ROWS : 1;
    for (int32_t i = 0; i < matrix.rows; i += step) {
        double sum = 0;
        bool zero = true;
        trace_matrix_read(&matrix, i, 0, matrix.cols, row);
        for (int32_t j = 0; j < matrix.cols; j++) {
            sum += (double)row[j];
            zero = zero && row[j] == 0;
            if (!isfinite(row[j])) /* a mask, or a fault: the check tells of it */
                continue;
            sums->negative = sums->negative || row[j] < 0;
            sums->large = sums->large || (double)row[j] > 1 + tolerance;
        }
        if (zero || !isfinite(sum))
            continue;
        sums->good += fabs(sum - 1) <= tolerance;
        sums->bad += fabs(sum - 1) > tolerance;
    }
    free(row);
}

static bool mostly_good(const Sums *sums)
{
    return sums->good > 0 && sums->good >= 4 * sums->bad;
}

/* The first, the middle and the last matrix, as far as they are several. */
static void look(const ArrayGroup *group, const ArrayPlan *plan, Sums *rows, Sums *cols)
{
    int64_t index[PLAN_MAX_DIMS];
    bool is_alone = true;
    for (int32_t i = 0; i < plan->n; i++)
        is_alone = is_alone && (i == plan->row || i == plan->col || plan->dims[i].len == 1);
    for (int k = 0; k < (is_alone ? 1 : 3); k++) {
        for (int32_t i = 0; i < plan->n; i++)
            index[i] = (plan->dims[i].len - 1) * k / 2;
        TraceMatrix matrix = array_plan_matrix(group, plan, index);
        double tolerance = 5 * trace_check_tolerance(matrix.type);
        look_at_rows(matrix, tolerance, rows);
        look_at_rows(trace_matrix_transpose(matrix), tolerance, cols);
    }
}

static bool has_cells(const ArrayPlan *plan)
{
    for (int32_t i = 0; i < plan->n; i++)
        if (plan->dims[i].len == 0)
            return false;
    return true;
}

static void add_note(ArrayPlan *plan, const char *text)
{
    size_t used = strlen(plan->note);
    snprintf(plan->note + used, sizeof plan->note - used, "%s", text);
}

static void swap_sides(ArrayPlan *plan)
{
    int32_t row = plan->row;
    plan->row = plan->col;
    plan->col = row;
    set_role(&plan->dims[plan->row], DIM_ROW, 0);
    set_role(&plan->dims[plan->col], DIM_COL, 0);
}

static void judge_numbers(const ArrayGroup *group, ArrayPlan *plan, bool told)
{
    Sums rows = {0}, cols = {0};
    plan->role = TRACE_WEIGHTS;
    if (group->kind == GROUP_STEPS || group->kind == GROUP_SENTENCES || !has_cells(plan))
        return;
    look(group, plan, &rows, &cols);
    if (rows.negative || rows.large) {
        plan->role = TRACE_SCORES;
        add_note(plan, rows.negative
                           ? "; does not look like attention: values below zero, taken as scores"
                           : "; does not look like attention: values above one, taken as scores");
        return;
    }
    if (told || plan->row < 0 || mostly_good(&rows)) {
        bool both = !told && plan->row >= 0 && mostly_good(&cols) && rows.bad + cols.bad == 0;
        if (both && plan->dims[plan->row].len > 1)
            add_note(plan, "; rows and columns both sum to one, so the order is a guess");
        return;
    }
    if (mostly_good(&cols)) {
        swap_sides(plan);
        add_note(plan, "; swapped, because columns sum to one and rows do not");
    } else {
        add_note(plan, "; neither rows nor columns sum to one, so the order is a guess");
    }
}

/* ---- the whole ---- */

static void describe(const ArrayGroup *group, ArrayPlan *plan)
{
    const Array *first = group->members[0];
    char shape[ARRAY_SHAPE_BYTES], name[60];
    utf8_clean(first->name, strlen(first->name), name, sizeof name);
    array_describe_shape(first, shape);
    size_t used = (size_t)snprintf(plan->note, sizeof plan->note, "%s %s", name, shape);
    if (group->n > 1)
        used += (size_t)snprintf(plan->note + used, sizeof plan->note - used,
                                 " and %d more like it", group->n - 1);
    for (int32_t i = 0; i < plan->n && used < sizeof plan->note - 40; i++)
        used += (size_t)snprintf(plan->note + used, sizeof plan->note - used, "%s%s",
                                 i ? ", " : " taken as ", plan->dims[i].name);
}

static bool check_lengths(const ArrayGroup *group, const ArrayPlan *plan, Error *error)
{
    for (int32_t i = 0; i < plan->n; i++)
        if (plan->dims[i].len > TRACE_MAX_LEN)
            return error_set(error, ERROR_LIMIT, "array \"%s\": an axis of %lld items; at most %d",
                             group->members[0]->name, (long long)plan->dims[i].len, TRACE_MAX_LEN);
    return true;
}

static void find_dims(ArrayPlan *plan)
{
    plan->row = plan->col = plan->batch = -1;
    for (int32_t i = 0; i < plan->n; i++) {
        if (plan->dims[i].role == DIM_ROW)
            plan->row = i;
        else if (plan->dims[i].role == DIM_COL)
            plan->col = i;
        else if (plan->dims[i].role == DIM_BATCH && plan->batch < 0)
            plan->batch = i;
    }
}

bool array_plan_make(const ArrayGroup *group, const PlanHints *hints, ArrayPlan *plan, Error *error)
{
    *plan = (ArrayPlan){0};
    list_dims(group, plan);
    FOVEA_CHECK(plan->n > 0, "array %s has no axes", group->members[0]->name);
    if (!check_lengths(group, plan, error))
        return false;
    if (!hints->axes)
        assign_by_habit(group, hints, plan);
    else if (!assign_as_told(group, hints->axes, plan, error))
        return false;
    find_dims(plan);
    if (group->kind == GROUP_STEPS && (plan->row != plan->n - 2 || plan->col != plan->n - 1))
        return refuse_axes(group, hints->axes, "should end in target, source for generated steps",
                           error);
    plan->kind = array_attend_kind(hints->kind ? hints->kind : group->members[0]->name);
    plan->n_sentences = group->kind == GROUP_SENTENCES ? group->n
                        : plan->batch >= 0             ? (int32_t)plan->dims[plan->batch].len
                                                       : 1;
    describe(group, plan);
    judge_numbers(group, plan, hints->axes != NULL);
    if (hints->swap && plan->row >= 0 && group->kind != GROUP_STEPS) {
        swap_sides(plan);
        add_note(plan, "; rows and columns exchanged, as asked");
    }
    return true;
}
