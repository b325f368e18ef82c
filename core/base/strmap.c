#include "base/strmap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct Entry {
    size_t offset; /* of the key in `keys` */
    size_t length;
    uint32_t hash;
    int value;
} Entry;

struct StrMap {
    int *slots; /* index of an entry, or -1 */
    size_t n_slots;
    Entry *entries;
    size_t n_entries;
    size_t entry_capacity;
    char *keys;
    size_t n_key_bytes;
    size_t key_capacity;
};

static uint32_t hash_of(const char *key, size_t n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)key[i]) * 16777619u;
    return hash;
}

static void place(StrMap *map, int index)
{
    size_t mask = map->n_slots - 1;
    size_t slot = map->entries[index].hash & mask;
    while (map->slots[slot] >= 0)
        slot = (slot + 1) & mask;
    map->slots[slot] = index;
}

static void rehash(StrMap *map, size_t n_slots)
{
    map->slots = memory_resize(map->slots, n_slots, sizeof *map->slots);
    map->n_slots = n_slots;
    for (size_t i = 0; i < n_slots; i++)
        map->slots[i] = -1;
    for (size_t i = 0; i < map->n_entries; i++)
        place(map, (int)i);
}

StrMap *strmap_new(void)
{
    StrMap *map = memory_new(1, sizeof *map);
    rehash(map, 64);
    return map;
}

void strmap_reserve(StrMap *map, size_t n)
{
    size_t n_slots = map->n_slots;
    while (n * 3 > n_slots * 2)
        n_slots *= 2;
    if (n_slots > map->n_slots)
        rehash(map, n_slots);
    map->entries = memory_grow(map->entries, &map->entry_capacity, n, sizeof *map->entries);
}

void strmap_free(StrMap *map)
{
    if (!map)
        return;
    free(map->slots);
    free(map->entries);
    free(map->keys);
    free(map);
}

static int find(const StrMap *map, const char *key, size_t n, uint32_t hash)
{
    size_t mask = map->n_slots - 1;
    for (size_t slot = hash & mask; map->slots[slot] >= 0; slot = (slot + 1) & mask) {
        const Entry *entry = &map->entries[map->slots[slot]];
        if (entry->hash == hash && entry->length == n &&
            memcmp(map->keys + entry->offset, key, n) == 0)
            return map->slots[slot];
    }
    return -1;
}

int strmap_get(const StrMap *map, const char *key, size_t n)
{
    int index = find(map, key, n, hash_of(key, n));
    return index < 0 ? -1 : map->entries[index].value;
}

int *strmap_put(StrMap *map, const char *key, size_t n, int value)
{
    FOVEA_CHECK(value >= 0, "strmap value %d", value);
    uint32_t hash = hash_of(key, n);
    int index = find(map, key, n, hash);
    if (index >= 0) {
        map->entries[index].value = value;
        return &map->entries[index].value;
    }
    if ((map->n_entries + 1) * 3 > map->n_slots * 2)
        rehash(map, map->n_slots * 2);
    map->keys = memory_grow(map->keys, &map->key_capacity, map->n_key_bytes + n + 1, 1);
    memcpy(map->keys + map->n_key_bytes, key, n);
    map->keys[map->n_key_bytes + n] = '\0';
    map->entries =
        memory_grow(map->entries, &map->entry_capacity, map->n_entries + 1, sizeof *map->entries);
    map->entries[map->n_entries] = (Entry){map->n_key_bytes, n, hash, value};
    map->n_key_bytes += n + 1;
    place(map, (int)map->n_entries);
    return &map->entries[map->n_entries++].value;
}

int strmap_count(const StrMap *map)
{
    return (int)map->n_entries;
}

const char *strmap_key(const StrMap *map, int i, size_t *n, int *value)
{
    const Entry *entry = &map->entries[i];
    if (n)
        *n = entry->length;
    if (value)
        *value = entry->value;
    return map->keys + entry->offset;
}
