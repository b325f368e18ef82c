#include "format/array_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/strmap.h"

#define MAX_NUMBERS 4 /* in a name; more are part of the name */

/* A name as a pattern ("layer.#.cross") and the numbers in it. */
typedef struct Name {
    const Array *array;
    int32_t pattern;
    int32_t n_numbers;
    int32_t numbers[MAX_NUMBERS];
    int32_t order; /* in the file */
} Name;

static size_t name_length(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : n;
}

static void read_name(Name *out, StrBuf *pattern)
{
    const char *text = out->array->name;
    size_t n = name_length(text);
    for (size_t i = 0; i < n;) {
        int32_t value;
        size_t digits = number_parse_index(text + i, n - i, &value);
        if (digits && out->n_numbers < MAX_NUMBERS) {
            out->numbers[out->n_numbers++] = value;
            strbuf_add_char(pattern, '#');
            i += digits;
        } else {
            strbuf_add_char(pattern, text[i++]);
        }
    }
}

static int by_pattern(const void *a, const void *b)
{
    const Name *x = a, *y = b;
    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    for (int32_t i = 0; i < x->n_numbers && i < y->n_numbers; i++)
        if (x->numbers[i] != y->numbers[i])
            return x->numbers[i] < y->numbers[i] ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* ---- what a group is called ---- */

static bool means_nothing(const char *word, size_t n)
{
    static const char *const WORDS[] = {"arr",        "array",   "layer", "layers",
                                        "step",       "head",    "attn",  "attention",
                                        "attentions", "weights", "att",   "self"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strlen(WORDS[i]) == n && memcmp(WORDS[i], word, n) == 0)
            return true;
    return false;
}

/* "decoder.layers.#.cross_attn" -> "decoder.cross" */
static char *make_name(const char *array_name)
{
    StrBuf out = {0};
    size_t n = name_length(array_name), i = 0;
    strbuf_add(&out, "");
    while (i < n) {
        size_t start = i;
        while (i < n && !strchr("._-/ 0123456789", array_name[i]))
            i++;
        if (i > start && !means_nothing(array_name + start, i - start)) {
            if (out.length)
                strbuf_add_char(&out, '.');
            strbuf_add_bytes(&out, array_name + start, i - start);
        }
        while (i < n && strchr("._-/ 0123456789", array_name[i]))
            i++;
    }
    return strbuf_take(&out);
}

/* ---- what its shapes say ---- */

static bool same_but_last(const Array *a, const Array *b, int32_t n_last)
{
    if (a->rank != b->rank || a->type != b->type || a->big_endian != b->big_endian)
        return false;
    for (int32_t i = 0; i < a->rank - n_last; i++)
        if (a->shape[i] != b->shape[i])
            return false;
    return true;
}

static bool same_strides(const Array *a, const Array *b)
{
    for (int32_t i = 0; i < a->rank; i++)
        if (a->stride[i] != b->stride[i])
            return false;
    return true;
}

static bool is_stack(const ArrayGroup *group)
{
    for (int32_t i = 1; i < group->n; i++)
        if (!same_but_last(group->members[0], group->members[i], 0) ||
            !same_strides(group->members[0], group->members[i]))
            return false;
    return true;
}

/* Members begin, begin + stride, ... of one layer: K grows by the rows of each step. */
static bool grows(const ArrayGroup *group, int32_t begin, int32_t stride, int32_t n)
{
    const Array *first = group->members[begin];
    int32_t rank = first->rank;
    if (n < 2 || rank < 3)
        return false;
    for (int32_t i = 1; i < n; i++) {
        const Array *before = group->members[begin + (i - 1) * stride];
        const Array *step = group->members[begin + i * stride];
        if (!same_but_last(first, step, 2) || step->shape[rank - 2] != 1 ||
            step->shape[rank - 1] != before->shape[rank - 1] + 1)
            return false;
    }
    return true;
}

/* Turns [a, b] into [b, a], so that layers come before steps. */
static void swap_outer(ArrayGroup *group)
{
    int32_t a = group->outer[0], b = group->outer[1];
    const Array **turned = memory_new((size_t)group->n, sizeof(Array *));
    for (int32_t i = 0; i < a; i++)
        for (int32_t j = 0; j < b; j++)
            turned[j * a + i] = group->members[i * b + j];
    free(group->members);
    group->members = turned;
    group->outer[0] = b;
    group->outer[1] = a;
}

static bool is_steps(ArrayGroup *group)
{
    int32_t a = group->outer[0], b = group->outer[1];
    bool inner = true, outer = group->n_outer == 2;
    for (int32_t i = 0; i < a && inner; i++)
        inner = grows(group, i * b, 1, b);
    for (int32_t j = 0; j < b && outer; j++)
        outer = grows(group, j, b, a);
    if (outer && !inner)
        swap_outer(group);
    return inner || outer;
}

static bool is_sentences(const ArrayGroup *group)
{
    for (int32_t i = 0; i < group->n; i++)
        if (group->members[i]->rank != 2)
            return false;
    return true;
}

/* ---- grouping ---- */

/* Which of the numbers run over the names; -1 when more than two do. */
static int32_t running_numbers(const Name *names, int32_t n, int32_t which[2])
{
    int32_t count = 0;
    for (int32_t k = 0; k < names[0].n_numbers; k++) {
        bool runs = false;
        for (int32_t i = 1; i < n; i++)
            runs = runs || names[i].numbers[k] != names[0].numbers[k];
        if (!runs)
            continue;
        if (count == 2)
            return -1;
        which[count++] = k;
    }
    return count;
}

/* With two running numbers the names must be a full rectangle of them: names are sorted, so
 * every row repeats the second numbers of the first. */
static bool is_rectangle(const Name *names, int32_t n, const int32_t which[2], int32_t outer[2])
{
    int32_t b = 0;
    while (b < n && names[b].numbers[which[0]] == names[0].numbers[which[0]])
        b++;
    if (n % b != 0)
        return false;
    for (int32_t i = 0; i < n; i++)
        if (names[i].numbers[which[1]] != names[i % b].numbers[which[1]] ||
            names[i].numbers[which[0]] != names[i / b * b].numbers[which[0]])
            return false;
    outer[0] = n / b;
    outer[1] = b;
    return true;
}

static ArrayGroup *add_group(ArrayGroups *groups, size_t *capacity, const Name *names, int32_t n)
{
    groups->at = memory_grow(groups->at, capacity, (size_t)groups->n + 1, sizeof *groups->at);
    ArrayGroup *group = &groups->at[groups->n++];
    *group = (ArrayGroup){.n = n, .outer = {1, n}, .name = make_name(names[0].array->name)};
    group->members = memory_new((size_t)n, sizeof *group->members);
    for (int32_t i = 0; i < n; i++)
        group->members[i] = names[i].array;
    return group;
}

/* The names of one pattern. */
static void add_pattern(ArrayGroups *groups, size_t *capacity, const Name *names, int32_t n)
{
    int32_t which[2] = {0}, outer[2] = {1, n};
    int32_t running = running_numbers(names, n, which);
    bool together = running == 1 || (running == 2 && is_rectangle(names, n, which, outer));
    if (n > 1 && together) {
        ArrayGroup *group = add_group(groups, capacity, names, n);
        group->outer[0] = outer[0];
        group->outer[1] = outer[1];
        group->n_outer = running;
        group->kind = is_steps(group)       ? GROUP_STEPS
                      : is_stack(group)     ? GROUP_STACK
                      : is_sentences(group) ? GROUP_SENTENCES
                                            : GROUP_SINGLE;
        /* numpy.savez(*sentences) names them arr_0, arr_1: plain matrices under such names
         * are sentences even when they happen to be of one size. */
        bool nameless = strncmp(names[0].array->name, "arr_", 4) == 0;
        if (group->kind == GROUP_STACK && nameless && is_sentences(group))
            group->kind = GROUP_SENTENCES;
        if (group->kind != GROUP_SINGLE)
            return;
        groups->n--; /* do not belong together after all */
        free(group->members);
        free(group->name);
    }
    for (int32_t i = 0; i < n; i++)
        add_group(groups, capacity, &names[i], 1);
}

static int by_first(const void *a, const void *b)
{
    const ArrayGroup *x = a, *y = b;
    return x->members[0] < y->members[0] ? -1 : x->members[0] > y->members[0];
}

void array_groups_init(ArrayGroups *groups, const Array *arrays, int32_t n, int32_t least_rank)
{
    *groups = (ArrayGroups){0};
    Name *names = memory_new((size_t)n, sizeof *names);
    StrMap *patterns = strmap_new();
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        if (arrays[i].kind != ARRAY_NUMBERS || arrays[i].rank < least_rank)
            continue;
        Name *name = &names[count++];
        *name = (Name){.array = &arrays[i], .order = i};
        StrBuf pattern = {0};
        strbuf_add(&pattern, "");
        read_name(name, &pattern);
        name->pattern = strmap_get(patterns, pattern.text, pattern.length);
        if (name->pattern < 0) {
            name->pattern = strmap_count(patterns);
            strmap_put(patterns, pattern.text, pattern.length, name->pattern);
        }
        strbuf_free(&pattern);
    }
    qsort(names, (size_t)count, sizeof *names, by_pattern);
    size_t capacity = 0;
    for (int32_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && names[end].pattern == names[i].pattern)
            end++;
        add_pattern(groups, &capacity, names + i, end - i);
    }
    if (groups->n > 1)
        qsort(groups->at, (size_t)groups->n, sizeof *groups->at, by_first);
    strmap_free(patterns);
    free(names);
}

void array_groups_free(ArrayGroups *groups)
{
    for (int32_t i = 0; i < groups->n; i++) {
        free(groups->at[i].members);
        free(groups->at[i].name);
    }
    free(groups->at);
    *groups = (ArrayGroups){0};
}
