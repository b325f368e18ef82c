#include "math/ragged.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { FEW_LENGTHS = 1024 };

static int *step_starts(Arena *arena, int n, int steps, const int *length)
{
    int *start = arena_get(arena, (size_t)steps + 1, sizeof *start);
    int active = n;
    start[0] = 0;
    for (int t = 0; t < steps; t++) {
        while (active > 0 && length[active - 1] <= t)
            active--;
        start[t + 1] = start[t] + active;
    }
    return start;
}

static int *sequence_starts(Arena *arena, int n, const int *length)
{
    int *start = arena_get(arena, (size_t)n + 1, sizeof *start);
    start[0] = 0;
    for (int i = 0; i < n; i++)
        start[i + 1] = start[i] + length[i];
    return start;
}

Ragged ragged_new(Arena *arena, RaggedOrder order, int n, const int *length)
{
    Ragged r = {.order = order, .n = n};
    int *copy = arena_get(arena, (size_t)n + 1, sizeof *copy);
    if (n > 0)
        memcpy(copy, length, (size_t)n * sizeof *copy);
    for (int i = 0; i < n; i++) {
        FOVEA_CHECK(length[i] >= 0, "length %d", length[i]);
        FOVEA_CHECK(order != RAGGED_STEP_MAJOR || i == 0 || length[i] <= length[i - 1],
                    "lengths %d, %d are not falling", length[i - (i > 0)], length[i]);
        r.rows += length[i];
        r.steps = length[i] > r.steps ? length[i] : r.steps;
    }
    r.length = copy;
    r.start = order == RAGGED_STEP_MAJOR ? step_starts(arena, n, r.steps, copy)
                                         : sequence_starts(arena, n, copy);
    return r;
}

void ragged_sort(int n, const int *length, int *order)
{
    /* Counting sort: lengths are small. */
    int longest = 0;
    for (int i = 0; i < n; i++)
        longest = length[i] > longest ? length[i] : longest;
    int few[FEW_LENGTHS] = {0}; /* so that the step of a training allocates nothing */
    int *many = longest < FEW_LENGTHS ? NULL : memory_new((size_t)longest + 1, sizeof *many);
    int *place = many ? many : few;
    for (int i = 0; i < n; i++)
        place[length[i]]++;
    int before = 0;
    for (int l = longest; l >= 0; l--) {
        int count = place[l];
        place[l] = before;
        before += count;
    }
    for (int i = 0; i < n; i++)
        order[place[length[i]]++] = i;
    free(many);
}
