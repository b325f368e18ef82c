#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "base/error.h"

#define ARENA_FIRST_BLOCK_BYTES  ((size_t)64 << 10)
#define ARENA_LARGEST_STEP_BYTES ((size_t)64 << 20)

bool memory_multiply(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static _Noreturn void out_of_memory(size_t n, size_t size)
{
    fprintf(stderr, "fovea: out of memory (%zu x %zu bytes)\n", n, size);
    exit(1);
}

void *memory_try_new(size_t n, size_t size)
{
    size_t bytes;
    if (!memory_multiply(n, size, &bytes))
        return NULL;
    return calloc(bytes ? bytes : 1, 1);
}

void *memory_new(size_t n, size_t size)
{
    void *pointer = memory_try_new(n, size);
    if (!pointer)
        out_of_memory(n, size);
    return pointer;
}

void *memory_try_resize(void *pointer, size_t n, size_t size)
{
    size_t bytes;
    if (!memory_multiply(n, size, &bytes))
        return NULL;
    return realloc(pointer, bytes ? bytes : 1);
}

void *memory_resize(void *pointer, size_t n, size_t size)
{
    void *result = memory_try_resize(pointer, n, size);
    if (!result)
        out_of_memory(n, size);
    return result;
}

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
#define HEAP_FIRST_BYTES (2 * MEMORY_LARGE_PAGE_BYTES)
#define HEAP_GAP_BYTES   ((uintptr_t)4096)
#define HEAP_MAP_BYTES   ((int)32 << 20) /* larger blocks are mapped for themselves */
#define HEAP_KEPT_BYTES  ((int)128 << 20)

/* A large page is given only where no small one has been touched. So the heap begins a small
 * page before the border, which takes what malloc itself writes while it grows. */
void memory_prepare(void)
{
    const uintptr_t page = MEMORY_LARGE_PAGE_BYTES;
    uintptr_t end = (uintptr_t)sbrk(0);
    uintptr_t border = (end + HEAP_GAP_BYTES + page - 1) / page * page;
    mallopt(M_MMAP_THRESHOLD, HEAP_MAP_BYTES);
    mallopt(M_TRIM_THRESHOLD, HEAP_KEPT_BYTES);
    if (end == (uintptr_t)-1 || sbrk((intptr_t)(border - HEAP_GAP_BYTES - end)) == (void *)-1)
        return;
    mallopt(M_TOP_PAD, (int)HEAP_FIRST_BYTES);
    void *volatile first = malloc(HEAP_GAP_BYTES / 2); /* volatile, or both calls are left out */
    free(first);
    mallopt(M_TOP_PAD, 128 << 10); /* as it is without being asked */
    if ((uintptr_t)sbrk(0) >= border + HEAP_FIRST_BYTES)
        (void)madvise((void *)border, HEAP_FIRST_BYTES, MADV_HUGEPAGE);
}
#else
void memory_prepare(void)
{
}
#endif

static void *at_border(void *pointer, uintptr_t border)
{
    return (void *)(((uintptr_t)pointer + border - 1) / border * border);
}

/* Not by calloc: what malloc has in its heap is never fresh as a whole. */
static bool map_block(MemoryBlock *block, size_t bytes)
{
    const size_t page = MEMORY_LARGE_PAGE_BYTES;
    bytes = (bytes + page - 1) / page * page;
    void *origin =
        mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (origin == MAP_FAILED)
        return false;
    *block = (MemoryBlock){at_border(origin, page), origin, bytes + page};
#ifdef MADV_HUGEPAGE /* a wish: nothing depends on its being granted */
    (void)madvise(block->start, bytes, MADV_HUGEPAGE);
#endif
    return true;
}

bool memory_block_get(MemoryBlock *block, size_t n, size_t size)
{
    size_t bytes;
    *block = (MemoryBlock){0};
    if (!memory_multiply(n, size, &bytes) || bytes > SIZE_MAX / 2)
        return false;
    if (bytes >= 2 * MEMORY_LARGE_PAGE_BYTES)
        return map_block(block, bytes);
    void *origin = calloc(bytes + MEMORY_ALIGNMENT, 1);
    if (origin)
        *block = (MemoryBlock){at_border(origin, MEMORY_ALIGNMENT), origin, 0};
    return origin != NULL;
}

void memory_block_free(MemoryBlock *block)
{
    if (block->mapped_bytes)
        munmap(block->origin, block->mapped_bytes);
    else
        free(block->origin);
    *block = (MemoryBlock){0};
}

void *memory_grow(void *array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return array;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    if (wanted < needed)
        wanted = needed;
    *capacity = wanted;
    return memory_resize(array, wanted, size);
}

char *memory_copy_bytes(const char *text, size_t n)
{
    char *copy = memory_new(n + 1, 1);
    if (n)
        memcpy(copy, text, n);
    return copy;
}

char *memory_copy_string(const char *text)
{
    return memory_copy_bytes(text, strlen(text));
}

/* Blocks form a list in the order of filling; `current` is the one being filled. */
typedef struct Block {
    struct Block *next;
    size_t size;
    size_t used;
    unsigned char *data;
} Block;

struct Arena {
    Block *first;
    Block *current;
};

Arena *arena_new(void)
{
    return memory_new(1, sizeof(Arena));
}

void arena_free(Arena *arena)
{
    if (!arena)
        return;
    for (Block *block = arena->first; block;) {
        Block *next = block->next;
        free(block->data);
        free(block);
        block = next;
    }
    free(arena);
}

void arena_reset(Arena *arena)
{
    for (Block *block = arena->first; block; block = block->next)
        block->used = 0;
    arena->current = arena->first;
}

/* NULL when there is no memory. */
static Block *block_new(size_t size)
{
    Block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->size = size;
    block->data = aligned_alloc(MEMORY_ALIGNMENT, size);
    if (!block->data) {
        free(block);
        return NULL;
    }
    return block;
}

/* The next block with room for `bytes`, appended when none of those kept has it. */
static bool next_block(Arena *arena, size_t bytes)
{
    Block *last = arena->current;
    for (Block *block = last ? last->next : NULL; block; block = block->next) {
        if (block->size >= bytes) {
            arena->current = block;
            return true;
        }
        last = block;
    }
    size_t size = last ? last->size * 2 : ARENA_FIRST_BLOCK_BYTES;
    if (size > ARENA_LARGEST_STEP_BYTES)
        size = ARENA_LARGEST_STEP_BYTES;
    if (size < bytes)
        size = bytes;
    Block *block = block_new(size);
    if (!block)
        return false;
    if (last)
        last->next = block;
    else
        arena->first = block;
    arena->current = block;
    return true;
}

static void *try_get(Arena *arena, size_t n, size_t size)
{
    size_t bytes;
    if (!memory_multiply(n, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + MEMORY_ALIGNMENT - 1) & ~(size_t)(MEMORY_ALIGNMENT - 1);
    Block *block = arena->current;
    if (!block || block->size - block->used < bytes) {
        if (!next_block(arena, bytes))
            return NULL;
        block = arena->current;
    }
    void *pointer = block->data + block->used;
    block->used += bytes;
    return pointer;
}

void arena_reserve(Arena *arena, size_t bytes)
{
    Block *current = arena->current;
    if (current && current->size - current->used >= bytes)
        return;
    Block **end = current ? &current->next : &arena->first;
    for (; *end; end = &(*end)->next)
        if ((*end)->size >= bytes)
            return;
    bytes = (bytes + MEMORY_ALIGNMENT - 1) & ~(size_t)(MEMORY_ALIGNMENT - 1);
    Block *block = block_new(bytes > ARENA_FIRST_BLOCK_BYTES ? bytes : ARENA_FIRST_BLOCK_BYTES);
    if (!block)
        out_of_memory(bytes, 1);
    *end = block;
    if (!arena->current)
        arena->current = block;
}

void *arena_get(Arena *arena, size_t n, size_t size)
{
    void *pointer = try_get(arena, n, size);
    if (!pointer)
        out_of_memory(n, size);
    return pointer;
}

void *arena_try_get(Arena *arena, size_t n, size_t size)
{
    void *pointer = try_get(arena, n, size);
    if (pointer)
        memset(pointer, 0, n * size);
    return pointer;
}

void *arena_get_zeroed(Arena *arena, size_t n, size_t size)
{
    void *pointer = arena_get(arena, n, size);
    memset(pointer, 0, n * size);
    return pointer;
}

char *arena_copy_string(Arena *arena, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(arena_get(arena, n, 1), text, n);
}

size_t arena_used_bytes(const Arena *arena)
{
    size_t total = 0;
    for (const Block *block = arena->first; block; block = block->next)
        total += block->used;
    return total;
}

size_t arena_reserved_bytes(const Arena *arena)
{
    size_t total = 0;
    for (const Block *block = arena->first; block; block = block->next)
        total += block->size;
    return total;
}
