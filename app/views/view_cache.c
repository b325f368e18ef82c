#include "views/view_cache.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct Entry {
    char *key;
    void *value;
    size_t bytes;
    void (*free_value)(void *value);
    uint64_t used; /* the clock when it was last asked for */
} Entry;

struct ViewCache {
    Entry entries[VIEW_CACHE_MOST];
    int n;
    size_t bytes;
    uint64_t clock;
    bool again;
};

ViewCache *view_cache_new(void)
{
    return memory_new(1, sizeof(ViewCache));
}

void view_cache_ask_again(ViewCache *cache)
{
    cache->again = true;
}

bool view_cache_is_asked_again(ViewCache *cache)
{
    bool again = cache->again;
    cache->again = false;
    return again;
}

static void remove_entry(ViewCache *cache, int i)
{
    Entry *entry = &cache->entries[i];
    entry->free_value(entry->value);
    free(entry->key);
    cache->bytes -= entry->bytes;
    *entry = cache->entries[--cache->n];
}

void view_cache_clear(ViewCache *cache)
{
    while (cache->n > 0)
        remove_entry(cache, cache->n - 1);
}

void view_cache_free(ViewCache *cache)
{
    if (!cache)
        return;
    view_cache_clear(cache);
    free(cache);
}

ViewKey view_key(const char *fmt, ...)
{
    ViewKey key;
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(key.text, sizeof key.text, fmt, args);
    va_end(args);
    FOVEA_CHECK(n >= 0 && (size_t)n < sizeof key.text, "a key of %d bytes", n);
    return key;
}

void *view_cache_find(ViewCache *cache, const ViewKey *key)
{
    for (int i = 0; i < cache->n; i++)
        if (strcmp(cache->entries[i].key, key->text) == 0) {
            cache->entries[i].used = ++cache->clock;
            return cache->entries[i].value;
        }
    return NULL;
}

static bool drop_oldest(ViewCache *cache)
{
    int oldest = -1;
    for (int i = 0; i < cache->n; i++)
        if (oldest < 0 || cache->entries[i].used < cache->entries[oldest].used)
            oldest = i;
    if (oldest < 0 || cache->entries[oldest].used + VIEW_CACHE_LEAST > cache->clock)
        return false;
    remove_entry(cache, oldest);
    return true;
}

void *view_cache_put(ViewCache *cache, const ViewKey *key, void *value, size_t bytes,
                     void (*free_value)(void *value))
{
    cache->clock++;
    while (cache->n == VIEW_CACHE_MOST || cache->bytes + bytes > VIEW_CACHE_BYTES)
        if (!drop_oldest(cache))
            break;
    FOVEA_CHECK(cache->n < VIEW_CACHE_MOST, "a frame wants more than %d values", VIEW_CACHE_MOST);
    cache->entries[cache->n++] =
        (Entry){memory_copy_string(key->text), value, bytes, free_value, cache->clock};
    cache->bytes += bytes;
    return value;
}
