/* memory.h - allocation, and arenas.
 *
 * Two kinds of allocation. Small ones whose size we chose never fail: when the machine
 * has no memory left the program stops with a message (memory_new...). Those whose size
 * comes from a file or a user are polite: they return NULL and the caller reports
 * ERROR_MEMORY (memory_try...).
 *
 * An Arena hands out memory that is given back all at once. It keeps its blocks on reset,
 * so a loop that resets it each turn allocates nothing after the first turn.
 *
 * Invariants:
 *   1. All sizes are n * size with checked overflow.
 *   2. Arena memory is aligned to 64 bytes (a cache line, an AVX-512 vector) and zeroed
 *      only when asked.
 *
 * Threads: an Arena belongs to one thread at a time.
 */
#ifndef FOVEA_BASE_MEMORY_H
#define FOVEA_BASE_MEMORY_H
#include <stdbool.h>
#include <stddef.h>

#define MEMORY_ALIGNMENT        64
#define MEMORY_LARGE_PAGE_BYTES ((size_t)2 << 20)

/* Zeroed; never NULL (n * size may be 0). Freed with free(). */
void *memory_new(size_t n, size_t size);
void *memory_resize(void *pointer, size_t n, size_t size); /* new part not zeroed */
char *memory_copy_string(const char *text);
char *memory_copy_bytes(const char *text, size_t n); /* plus a terminating zero */

/* Zeroed; NULL when there is not enough memory or n * size overflows. */
void *memory_try_new(size_t n, size_t size);
void *memory_try_resize(void *pointer, size_t n, size_t size);

/* On a virtual machine the first touch of a page can take 20 microseconds, of a large one 100. So
 * the first megabytes of the heap are asked for in large pages (what starts a program is
 * thousands of small allocations), and what was given back is kept for the next time (a picture
 * of megabytes, drawn again in the next frame). To be called first of all, while there is one
 * thread. */
void memory_prepare(void);

/* Zeroed memory for the weights of a model. From two large pages on it begins at the border of
 * one and is asked for in them, because all of it will be written at once: 16 megabytes are
 * then touched 8 times instead of 4,096. */
typedef struct MemoryBlock {
    void *start;         /* at least on the border of a cache line */
    void *origin;        /* what it is cut from */
    size_t mapped_bytes; /* 0: of the heap */
} MemoryBlock;

bool memory_block_get(MemoryBlock *block, size_t n, size_t size); /* false: no memory */
void memory_block_free(MemoryBlock *block);                       /* zero-initialised is fine */

/* false when a * b overflows size_t. */
bool memory_multiply(size_t a, size_t b, size_t *product);

/* Makes room for at least `needed` elements in a growing array: doubles *capacity. */
void *memory_grow(void *array, size_t *capacity, size_t needed, size_t size);

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *arena); /* NULL is fine */
void arena_reset(Arena *arena);

/* Valid until the next reset; never NULL. */
void *arena_get(Arena *arena, size_t n, size_t size);
void *arena_get_zeroed(Arena *arena, size_t n, size_t size);
/* Zeroed; NULL when there is not enough memory: for sizes that come from a file. */
void *arena_try_get(Arena *arena, size_t n, size_t size);
char *arena_copy_string(Arena *arena, const char *text);

/* So many bytes more will come without asking the system for memory. */
void arena_reserve(Arena *arena, size_t bytes);

size_t arena_used_bytes(const Arena *arena);
size_t arena_reserved_bytes(const Arena *arena); /* does not shrink on reset */

#endif
