#include "text/pairs.h"

#include <stdlib.h>

#include "base/memory.h"

#define FIRST_SLOTS 1024

static uint64_t key_of(int32_t left, int32_t right)
{
    return ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
}

/* The slot that holds the key, or the free one where it belongs. */
static size_t slot_of(const Pairs *pairs, uint64_t key)
{
    uint64_t hash = key * 0x9E3779B97F4A7C15u;
    size_t mask = pairs->n_slots - 1;
    size_t slot = (size_t)(hash >> 32) & mask;
    while (pairs->keys[slot] && pairs->keys[slot] != key)
        slot = (slot + 1) & mask;
    return slot;
}

int32_t pairs_get(const Pairs *pairs, int32_t left, int32_t right)
{
    if (!pairs->n_slots)
        return -1;
    size_t slot = slot_of(pairs, key_of(left, right));
    return pairs->keys[slot] ? pairs->values[slot] : -1;
}

static void grow(Pairs *pairs, size_t n_slots)
{
    Pairs larger = {.n_slots = n_slots, .count = pairs->count};
    larger.keys = memory_new(larger.n_slots, sizeof *larger.keys);
    larger.values = memory_new(larger.n_slots, sizeof *larger.values);
    for (size_t i = 0; i < pairs->n_slots; i++) {
        if (!pairs->keys[i])
            continue;
        size_t slot = slot_of(&larger, pairs->keys[i]);
        larger.keys[slot] = pairs->keys[i];
        larger.values[slot] = pairs->values[i];
    }
    pairs_deinit(pairs);
    *pairs = larger;
}

void pairs_reserve(Pairs *pairs, size_t n)
{
    size_t n_slots = pairs->n_slots ? pairs->n_slots : FIRST_SLOTS;
    while (n * 2 > n_slots)
        n_slots *= 2;
    if (n_slots > pairs->n_slots)
        grow(pairs, n_slots);
}

void pairs_add(Pairs *pairs, int32_t left, int32_t right, int32_t value)
{
    if (pairs->count * 2 >= pairs->n_slots)
        grow(pairs, pairs->n_slots ? pairs->n_slots * 2 : FIRST_SLOTS);
    uint64_t key = key_of(left, right);
    size_t slot = slot_of(pairs, key);
    pairs->keys[slot] = key;
    pairs->values[slot] = value;
    pairs->count++;
}

void pairs_deinit(Pairs *pairs)
{
    free(pairs->keys);
    free(pairs->values);
    *pairs = (Pairs){0};
}
