/* array_group.h - which arrays of a dump belong together.
 *
 * Tools save one array a layer ("arr_0" .. "arr_11", "layer.3.cross"), one a sentence, or one
 * a generated token. Names tell which belong together: they are equal but for a number. The
 * members are ordered by that number (10 comes after 9, whatever the directory says), and
 * their shapes tell what the number counts:
 *
 *   GROUP_SINGLE     one array alone
 *   GROUP_STACK      equal shapes: the number is an axis of its own, outermost. Two numbers
 *                    that both run ("layer.3.head.5") make two axes.
 *   GROUP_STEPS      [.., 1, K] with K growing by one: what generation leaves behind. The
 *                    rows are put together into [.., sum of rows, last K], zeros behind.
 *   GROUP_SENTENCES  matrices of different shapes: one sentence each
 *
 * Memory: groups borrow the arrays (and their names) that they were made from.
 */
#ifndef FOVEA_FORMAT_ARRAY_GROUP_H
#define FOVEA_FORMAT_ARRAY_GROUP_H
#include "format/array.h"

typedef enum { GROUP_SINGLE, GROUP_STACK, GROUP_STEPS, GROUP_SENTENCES } GroupKind;

typedef struct ArrayGroup {
    GroupKind kind;
    char *name; /* without the numbers and the words that mean nothing: "cross", or "" */
    int32_t n;  /* members */
    const Array **members;
    /* Of the whole: a stack has `outer` axes before the members' own; n = outer[0] * outer[1]
     * (the first one 1 when only one number runs). Steps: outer[0] layers of outer[1] steps. */
    int32_t outer[2];
    int32_t n_outer;
} ArrayGroup;

typedef struct ArrayGroups {
    ArrayGroup *at;
    int32_t n;
} ArrayGroups;

/* Groups the number arrays that have a rank of at least `least_rank`, in the order of their
 * first members. Texts and lower ranks are left out. */
void array_groups_init(ArrayGroups *groups, const Array *arrays, int32_t n, int32_t least_rank);
void array_groups_free(ArrayGroups *groups);

#endif
