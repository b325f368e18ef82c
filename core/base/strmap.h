/* strmap.h - from byte strings to non-negative integers.
 *
 * Open addressing over FNV-1a, at most two thirds full. Keys are copied; bytes of any
 * kind, the length counts. Used for vocabularies and merge tables.
 */
#ifndef FOVEA_BASE_STRMAP_H
#define FOVEA_BASE_STRMAP_H
#include <stdbool.h>
#include <stddef.h>

typedef struct StrMap StrMap;

StrMap *strmap_new(void);
void strmap_free(StrMap *map); /* NULL is fine */

/* Room for so many entries, so that none of them is placed twice. */
void strmap_reserve(StrMap *map, size_t n);

/* The value of the key, or -1. */
int strmap_get(const StrMap *map, const char *key, size_t n);

/* Sets or replaces; value >= 0. Returns a pointer to the stored value, valid until the
 * next strmap_put. */
int *strmap_put(StrMap *map, const char *key, size_t n, int value);

int strmap_count(const StrMap *map);

/* Entry i of 0..count-1 in order of insertion; the key is borrowed and terminated. */
const char *strmap_key(const StrMap *map, int i, size_t *n, int *value);

#endif
