/* Thumbnails and measures of all heads, worked out once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "views/heads.h"

void heads_place(const HeadSet *set, const ViewFrame *frame, int32_t layer, int32_t head,
                 int32_t at[TRACE_MAX_RANK])
{
    for (int32_t d = 0; d < TRACE_MAX_RANK; d++) {
        int32_t len =
            d + 2 < set->tensor->rank ? trace_tensor_len(frame->trace, set->tensor, d) : 1;
        int32_t wanted = frame->at[d];
        at[d] = wanted < 0 ? 0 : wanted < len ? wanted : len - 1;
    }
    if (set->layer_axis >= 0)
        at[set->layer_axis] = layer < 0 ? GRID_ALL : layer;
    if (set->head_axis >= 0)
        at[set->head_axis] = head < 0 ? GRID_ALL : head;
}

/* Largest magnitude of each block; NaN only where all are. */
static void reduce(const Grid *grid, Head *head, Arena *arena)
{
    head->rows = grid->rows < HEADS_SIDE ? grid->rows : HEADS_SIDE;
    head->cols = grid->cols < HEADS_SIDE ? grid->cols : HEADS_SIDE;
    size_t n = (size_t)head->rows * (size_t)head->cols;
    head->cells = arena_get(arena, n + 1, sizeof *head->cells);
    for (size_t i = 0; i < n; i++)
        head->cells[i] = NAN;
    for (int32_t i = 0; i < grid->rows; i++) {
        int32_t r = (int32_t)((int64_t)i * head->rows / grid->rows);
        float *to = head->cells + (size_t)r * (size_t)head->cols;
        const float *row = grid_row(grid, i);
        for (int32_t j = 0; j < grid->cols; j++) {
            float *cell = &to[(int64_t)j * head->cols / grid->cols];
            if (isnan(*cell) || fabsf(row[j]) > fabsf(*cell))
                *cell = row[j];
            if (isfinite(row[j]))
                head->peak = fmaxf(head->peak, fabsf(row[j]));
        }
    }
}

static void take(Grid *grid, Head *head, Arena *arena)
{
    if (grid->role == TRACE_WEIGHTS)
        head->measures = measure_head(grid);
    reduce(grid, head, arena);
    grid_deinit(grid);
}

static bool read_head(HeadSet *set, const ViewFrame *frame, int32_t i, Error *error)
{
    Head *head = &set->heads[i];
    int32_t at[TRACE_MAX_RANK];
    Grid grid = {0};
    head->layer = set->layer_axis >= 0 ? i / set->n_heads : -1;
    head->head = set->head_axis >= 0 ? i % set->n_heads : -1;
    heads_place(set, frame, head->layer, head->head, at);
    if (!grid_init(&grid, frame->trace, set->tensor, at, error))
        return false;
    take(&grid, head, set->arena);
    set->peak = fmaxf(set->peak, head->peak);
    return true;
}

/* The rollout up to this layer. Where there is no memory for it there is none. */
static void read_rollout(HeadSet *set, const Grid *weights, int32_t layer)
{
    Error passed_over = {0};
    Grid shown = {0};
    if (!set->rollouts)
        return;
    set->rollouts[layer].layer = layer;
    set->rollouts[layer].head = -1;
    if (grid_rollout_step(&set->rollout, weights, &passed_over) &&
        grid_copy(&shown, &set->rollout, &passed_over))
        take(&shown, &set->rollouts[layer], set->arena);
    else
        set->rollouts = NULL;
}

static bool read_layer(HeadSet *set, const ViewFrame *frame, GridReduction how, int32_t layer,
                       Error *error)
{
    Head *head = how == GRID_MEAN ? &set->means[layer] : &set->maxima[layer];
    int32_t at[TRACE_MAX_RANK];
    Grid grid = {0};
    head->layer = set->layer_axis >= 0 ? layer : -1;
    head->head = -1;
    heads_place(set, frame, head->layer, -1, at);
    if (set->layer_axis >= 0)
        at[set->layer_axis] = layer;
    if (!grid_init_reduced(&grid, frame->trace, set->tensor, at, how, error))
        return false;
    if (how == GRID_MEAN)
        read_rollout(set, &grid, layer);
    take(&grid, head, set->arena);
    return true;
}

static bool read_next(HeadSet *set, const ViewFrame *frame, Error *error)
{
    int32_t i = set->n_done, k = i - set->n;
    if (i < set->n)
        return read_head(set, frame, i, error);
    return k % 2 == 0 ? read_layer(set, frame, GRID_MEAN, k / 2, error)
                      : set->head_axis < 0 || read_layer(set, frame, GRID_MAX, k / 2, error);
}

/* Goes on for as long as the frame may take; always a matrix at least. */
static void read_on(HeadSet *set, const ViewFrame *frame)
{
    while (set->n_done < set->n_all && !error_is_set(&set->error)) {
        if (!read_next(set, frame, &set->error))
            return;
        set->n_done++;
        if (frame->until > 0 && clock_seconds() >= frame->until)
            break;
    }
    if (set->n_done < set->n_all)
        view_cache_ask_again(frame->cache);
    else
        grid_deinit(&set->rollout);
}

/* Rollout needs layers over one and the same axis. */
static bool has_rollouts(const HeadSet *set)
{
    const TraceTensor *t = set->tensor;
    return set->layer_axis >= 0 && t->axis[t->rank - 1] == t->axis[t->rank - 2] &&
           t->role == TRACE_WEIGHTS;
}

/* The axis called "layer" runs down; of the others the innermost runs across. */
static void find_axes(HeadSet *set, const Trace *trace)
{
    int32_t leading = set->tensor->rank - 2;
    set->layer_axis = set->head_axis = -1;
    for (int32_t d = 0; d < leading; d++)
        if (strcmp(trace_axis(trace, set->tensor->axis[d])->name, "layer") == 0)
            set->layer_axis = d;
    for (int32_t d = leading - 1; d >= 0 && set->head_axis < 0; d--)
        if (d != set->layer_axis)
            set->head_axis = d;
    for (int32_t d = leading - 1; d >= 0 && set->layer_axis < 0; d--)
        if (d != set->head_axis)
            set->layer_axis = d;
    set->n_layers =
        set->layer_axis >= 0 ? trace_tensor_len(trace, set->tensor, set->layer_axis) : 1;
    set->n_heads = set->head_axis >= 0 ? trace_tensor_len(trace, set->tensor, set->head_axis) : 1;
}

static void set_free(void *value)
{
    HeadSet *set = value;
    grid_deinit(&set->rollout);
    arena_free(set->arena);
    free(set);
}

static HeadSet *new_set(const ViewFrame *frame, const TraceTensor *tensor)
{
    HeadSet *set = memory_new(1, sizeof *set);
    set->tensor = tensor;
    set->arena = arena_new();
    find_axes(set, frame->trace);
    if ((int64_t)set->n_layers * set->n_heads > HEADS_MAX)
        set->n_layers = HEADS_MAX / (set->n_heads < HEADS_MAX ? set->n_heads : HEADS_MAX);
    if (set->n_heads > HEADS_MAX)
        set->n_heads = HEADS_MAX;
    size_t layers = (size_t)set->n_layers + 1;
    set->n = set->n_layers * set->n_heads;
    set->heads = arena_get_zeroed(set->arena, (size_t)set->n + 1, sizeof *set->heads);
    set->means = arena_get_zeroed(set->arena, layers, sizeof *set->means);
    set->maxima = arena_get_zeroed(set->arena, layers, sizeof *set->maxima);
    if (has_rollouts(set))
        set->rollouts = arena_get_zeroed(set->arena, layers, sizeof *set->rollouts);
    set->n_all = set->n + 2 * set->n_layers;
    return set;
}

static size_t bytes_of(const HeadSet *set)
{
    return (size_t)set->n_all * (HEADS_SIDE * HEADS_SIDE * sizeof(float) + sizeof(Head));
}

const HeadSet *heads_get(const ViewFrame *frame, const TraceTensor *tensor, Error *error)
{
    if (!tensor || tensor->rank < 3) {
        error_set(error, ERROR_INPUT, "%s", view_word(frame, WORD_NO_HEADS));
        return NULL;
    }
    ValuesSpec spec = {.trace = frame->trace, .tensor = tensor};
    for (int32_t d = 0; d + 4 < tensor->rank; d++)
        spec.at[d] = frame->at[d];
    ViewKey key = values_key("heads", &spec);
    HeadSet *set = view_cache_find(frame->cache, &key);
    if (!set) {
        set = new_set(frame, tensor);
        view_cache_put(frame->cache, &key, set, bytes_of(set), set_free);
    }
    read_on(set, frame);
    if (!error_is_set(&set->error))
        return set;
    error_set(error, set->error.kind, "%s", set->error.message);
    return NULL;
}

HeadPattern heads_pattern(const MeasureHead *m)
{
    const double shares[PATTERN_COUNT] = {
        [PATTERN_SELF] = m->self,       [PATTERN_PREVIOUS] = m->previous,
        [PATTERN_NEXT] = m->next,       [PATTERN_FIRST] = m->first,
        [PATTERN_SPECIAL] = m->special, [PATTERN_SAME_WORD] = m->same_word,
    };
    HeadPattern best = PATTERN_NONE;
    for (int i = 1; i < PATTERN_COUNT; i++)
        if (shares[i] >= HEADS_PATTERN && (best == PATTERN_NONE || shares[i] > shares[best]))
            best = (HeadPattern)i;
    return best;
}
