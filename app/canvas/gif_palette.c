#include "canvas/gif_palette.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* Colours that are told apart; beyond that new ones lose their low bits. */
#define MAX_COLORS ((size_t)1 << 20)
#define EMPTY      UINT32_MAX
enum { EXACT_COLORS = 64 };

typedef struct Counted {
    uint32_t color;
    int index; /* in the palette, once made */
    uint64_t count;
} Counted;

struct Palette {
    Counted *table; /* [capacity], open addressing; color EMPTY: free */
    size_t capacity;
    size_t n;
};

static void clear_table(Counted *table, size_t capacity)
{
    for (size_t i = 0; i < capacity; i++)
        table[i].color = EMPTY;
}

Palette *palette_new(void)
{
    Palette *palette = memory_new(1, sizeof *palette);
    palette->capacity = 4096;
    palette->table = memory_new(palette->capacity, sizeof *palette->table);
    clear_table(palette->table, palette->capacity);
    return palette;
}

void palette_free(Palette *palette)
{
    if (!palette)
        return;
    free(palette->table);
    free(palette);
}

/* The place of a colour, or the free one where it belongs. */
static Counted *find(const Palette *palette, uint32_t color)
{
    size_t mask = palette->capacity - 1;
    size_t i = (color * 2654435761u >> 8) & mask;
    while (palette->table[i].color != EMPTY && palette->table[i].color != color)
        i = (i + 1) & mask;
    return &palette->table[i];
}

static void grow(Palette *palette)
{
    Counted *old = palette->table;
    size_t n = palette->capacity;
    palette->capacity = n * 2;
    palette->table = memory_new(palette->capacity, sizeof *palette->table);
    clear_table(palette->table, palette->capacity);
    for (size_t i = 0; i < n; i++)
        if (old[i].color != EMPTY)
            *find(palette, old[i].color) = old[i];
    free(old);
}

static uint32_t coarse(uint32_t color)
{
    return color & 0xF0F0F0;
}

void palette_count(Palette *palette, const uint32_t *pixels, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t color = pixels[i] & 0xFFFFFF;
        size_t run = i + 1;
        while (run < n && (pixels[run] & 0xFFFFFF) == color)
            run++;
        Counted *place = find(palette, color);
        if (place->color == EMPTY && palette->n >= MAX_COLORS)
            place = find(palette, color = coarse(color));
        if (place->color == EMPTY) {
            *place = (Counted){color, 0, 0};
            palette->n++;
        }
        place->count += run - i;
        i = run;
        if (palette->n * 2 > palette->capacity)
            grow(palette);
    }
}

/* By count, the commonest first; then by colour, so that the order is always the same. */
static int by_count(const void *a, const void *b)
{
    const Counted *x = *(Counted *const *)a;
    const Counted *y = *(Counted *const *)b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->color > y->color) - (x->color < y->color);
}

static int channel(uint32_t color, int which)
{
    return (int)(color >> 8 * which & 255);
}

static int compare_channel(const void *a, const void *b, int which)
{
    uint32_t x = (*(Counted *const *)a)->color;
    uint32_t y = (*(Counted *const *)b)->color;
    int difference = channel(x, which) - channel(y, which);
    return difference ? difference : (x > y) - (x < y);
}

static int by_blue(const void *a, const void *b)
{
    return compare_channel(a, b, 0);
}

static int by_green(const void *a, const void *b)
{
    return compare_channel(a, b, 1);
}

static int by_red(const void *a, const void *b)
{
    return compare_channel(a, b, 2);
}

/* A part of the colours: list[first, end). */
typedef struct Part {
    size_t first, end;
    int axis;       /* along which it is longest */
    double badness; /* how much splitting it is worth: by spread, and less by pixels, since a
                     * small gradient shows steps as well as a large one */
} Part;

static Part measure(Counted *const *list, size_t first, size_t end)
{
    Part part = {first, end, 0, 0};
    double weight = 0;
    for (size_t i = first; i < end; i++)
        weight += (double)list[i]->count;
    for (int axis = 0; axis < 3; axis++) {
        int low = 255;
        int high = 0;
        for (size_t i = first; i < end; i++) {
            int value = channel(list[i]->color, axis);
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        double spread = high - low;
        if (spread * spread * pow(weight, 0.25) > part.badness) {
            part.badness = spread * spread * pow(weight, 0.25);
            part.axis = axis;
        }
    }
    return part;
}

/* Splits at the weighted median of the longest axis; both sides get at least one colour. */
static void split(Counted **list, Part *part, Part *rest)
{
    static int (*const orders[3])(const void *, const void *) = {by_blue, by_green, by_red};
    size_t n = part->end - part->first;
    qsort(list + part->first, n, sizeof(Counted *), orders[part->axis]);
    uint64_t total = 0;
    for (size_t i = part->first; i < part->end; i++)
        total += list[i]->count;
    uint64_t below = 0;
    size_t middle = part->first;
    while (middle + 1 < part->end && (below + list[middle]->count) * 2 <= total)
        below += list[middle++]->count;
    middle = middle == part->first ? middle + 1 : middle;
    *rest = measure(list, middle, part->end);
    *part = measure(list, part->first, middle);
}

static uint32_t mean(Counted *const *list, const Part *part)
{
    uint64_t sum[3] = {0};
    uint64_t total = 0;
    for (size_t i = part->first; i < part->end; i++) {
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += list[i]->count * (uint64_t)channel(list[i]->color, axis);
        total += list[i]->count;
    }
    uint32_t color = 0;
    for (int axis = 0; axis < 3; axis++)
        color |= (uint32_t)((sum[axis] + total / 2) / total) << 8 * axis;
    return color;
}

static int cut(Counted **list, size_t n, uint32_t *colors, int room)
{
    Part parts[PALETTE_COLORS];
    int n_parts = 1;
    parts[0] = measure(list, 0, n);
    while (n_parts < room) {
        int worst = 0;
        for (int i = 1; i < n_parts; i++)
            worst = parts[i].badness > parts[worst].badness ? i : worst;
        if (parts[worst].badness == 0)
            break;
        split(list, &parts[worst], &parts[n_parts++]);
    }
    for (int i = 0; i < n_parts; i++)
        colors[i] = mean(list, &parts[i]);
    return n_parts;
}

static int nearest(const uint32_t *colors, int n, uint32_t color)
{
    int best = 0;
    int least = INT32_MAX;
    for (int i = 0; i < n; i++) {
        int blue = channel(colors[i], 0) - channel(color, 0);
        int green = channel(colors[i], 1) - channel(color, 1);
        int red = channel(colors[i], 2) - channel(color, 2);
        /* The eye's weights for brightness, roughly. */
        int distance = 2 * red * red + 4 * green * green + blue * blue;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

int palette_make(Palette *palette, uint32_t colors[PALETTE_COLORS])
{
    FOVEA_CHECK(palette->n > 0, "a palette of no colours");
    Counted **list = memory_new(palette->n, sizeof(Counted *));
    size_t n = 0;
    for (size_t i = 0; i < palette->capacity; i++)
        if (palette->table[i].color != EMPTY)
            list[n++] = &palette->table[i];
    qsort(list, n, sizeof(Counted *), by_count);
    size_t exact = n <= PALETTE_COLORS ? n : EXACT_COLORS;
    for (size_t i = 0; i < exact; i++)
        colors[i] = list[i]->color;
    int n_colors = (int)exact;
    if (n > exact)
        n_colors += cut(list + exact, n - exact, colors + exact, PALETTE_COLORS - EXACT_COLORS);
    for (size_t i = 0; i < palette->capacity; i++)
        if (palette->table[i].color != EMPTY)
            palette->table[i].index = nearest(colors, n_colors, palette->table[i].color);
    free(list);
    return n_colors;
}

int palette_index(const Palette *palette, uint32_t pixel)
{
    const Counted *place = find(palette, pixel & 0xFFFFFF);
    if (place->color == EMPTY)
        place = find(palette, coarse(pixel & 0xFFFFFF));
    FOVEA_CHECK(place->color != EMPTY, "colour %06x was not counted", (unsigned)pixel & 0xFFFFFF);
    return place->index;
}
