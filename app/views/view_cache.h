/* view_cache.h - what views worked out for earlier frames and may need again.
 *
 * Values are kept under a text key that names everything they depend on (a trace's id comes
 * first, and is never reused). Nothing here changes what is drawn: a view that finds nothing
 * works it out again.
 *
 * A borrowed value lives until VIEW_CACHE_LEAST other values have been asked for: a frame
 * never asks for so many. Beyond that the least recently used go once VIEW_CACHE_BYTES are
 * full.
 *
 * Threads: one.
 */
#ifndef FOVEA_VIEWS_VIEW_CACHE_H
#define FOVEA_VIEWS_VIEW_CACHE_H
#include <stddef.h>

#include "base/error.h"

#define VIEW_CACHE_LEAST     64
#define VIEW_CACHE_MOST      1024
#define VIEW_CACHE_BYTES     ((size_t)192 << 20)
#define VIEW_CACHE_KEY_BYTES 256

typedef struct ViewCache ViewCache;

ViewCache *view_cache_new(void);
void view_cache_free(ViewCache *cache); /* NULL is fine */
void view_cache_clear(ViewCache *cache);

/* What was drawn is not all there is: another frame goes on with it. Asked and forgotten by the
 * window once a frame. */
void view_cache_ask_again(ViewCache *cache);
bool view_cache_is_asked_again(ViewCache *cache);

/* printf into a key; a longer one is a bug. */
typedef struct ViewKey {
    char text[VIEW_CACHE_KEY_BYTES];
} ViewKey;
ViewKey view_key(const char *fmt, ...) FOVEA_PRINTF(1, 2);

/* The value, or NULL. */
void *view_cache_find(ViewCache *cache, const ViewKey *key);
/* Takes ownership; `bytes` is about how much it holds. Returns the value. */
void *view_cache_put(ViewCache *cache, const ViewKey *key, void *value, size_t bytes,
                     void (*free_value)(void *value));

#endif
