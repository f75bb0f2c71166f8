/* SPDX-License-Identifier: MIT
 *
 * Buffers and arenas. An arena chunk is a header on a cache line of its own followed by the data;
 * small requests share chunks, large ones get exactly what they need.
 */
#define _DEFAULT_SOURCE /* madvise(), posix_memalign() */
#include "base/memory.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { CHUNK_SIZE = 1 << 16 };

typedef struct xpbd_chunk {
    struct xpbd_chunk *next;
    size_t size, used; /* of the data behind this header */
} xpbd_chunk;

_Static_assert(sizeof(xpbd_chunk) <= XPBD_ALIGNMENT, "the header has to fit before the data");

#if defined(__linux__)
static void *large_alloc(size_t size)
{
    void *block;
    if (posix_memalign(&block, XPBD_LARGE_PAGE, size) != 0) {
        return NULL;
    }
    (void)madvise(block, size / XPBD_LARGE_PAGE * XPBD_LARGE_PAGE, MADV_HUGEPAGE);
    return block;
}
#endif

static void *libc_alloc(void *user, size_t size, size_t alignment)
{
    (void)user;
#if defined(__linux__)
    if (size >= XPBD_LARGE_PAGE) {
        return large_alloc(size);
    }
#endif
    return aligned_alloc(alignment, size);
}

static void libc_free(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

void xpbd_memory_init(xpbd_memory *memory, const xpbd_allocator *allocator)
{
    memory->allocator = allocator ? *allocator : (xpbd_allocator){libc_alloc, libc_free, NULL};
    memory->bytes = 0;
}

/* Round up to whole cache lines: what aligned_alloc wants, and no two blocks share a line. 0 where
 * the product overflows. */
static size_t rounded_size(size_t count, size_t size)
{
    if (count == 0) {
        count = 1;
    }
    if (count > (SIZE_MAX - XPBD_ALIGNMENT) / size) {
        return 0;
    }
    return (count * size + XPBD_ALIGNMENT - 1) & ~(size_t)(XPBD_ALIGNMENT - 1);
}

void *xpbd_memory_alloc(xpbd_memory *memory, size_t count, size_t size)
{
    const size_t bytes = rounded_size(count, size);
    if (bytes == 0) {
        return NULL;
    }
    void *block = memory->allocator.alloc(memory->allocator.user, bytes, XPBD_ALIGNMENT);
    if (block) {
        memory->bytes += bytes;
    }
    return block;
}

void xpbd_memory_free(xpbd_memory *memory, void *block, size_t count, size_t size)
{
    if (block) {
        const size_t bytes = rounded_size(count, size);
        memory->bytes -= bytes;
        memory->allocator.free(memory->allocator.user, block, bytes);
    }
}

bool xpbd_buffer_reserve(xpbd_memory *memory, xpbd_buffer *buffer, size_t used, size_t count,
                         size_t size)
{
    XPBD_ASSERT(used <= buffer->capacity);
    if (count <= buffer->capacity) {
        return true;
    }
    /* Grow by half, so that adding one at a time stays linear; the first time exactly. */
    const size_t grown = used + used / 2;
    const size_t capacity = grown > count ? grown : count;
    void *data = xpbd_memory_alloc(memory, capacity, size);
    if (!data) {
        return false;
    }
    if (used) {
        memcpy(data, buffer->data, used * size);
    }
    xpbd_memory_free(memory, buffer->data, buffer->capacity, size);
    *buffer = (xpbd_buffer){data, capacity};
    return true;
}

void xpbd_buffer_free(xpbd_memory *memory, xpbd_buffer *buffer, size_t size)
{
    xpbd_memory_free(memory, buffer->data, buffer->capacity, size);
    *buffer = (xpbd_buffer){NULL, 0};
}

void *xpbd_arena_alloc(xpbd_arena *arena, size_t count, size_t size)
{
    const size_t bytes = rounded_size(count, size);
    xpbd_chunk *chunk = arena->chunks;
    if (bytes && (!chunk || chunk->size - chunk->used < bytes)) {
        size_t data = bytes > CHUNK_SIZE / 4 ? bytes : CHUNK_SIZE;
        data = data < arena->at_once ? arena->at_once : data;
        xpbd_chunk *fresh = xpbd_memory_alloc(arena->memory, data + XPBD_ALIGNMENT, 1);
        if (fresh) {
            *fresh = (xpbd_chunk){chunk, data, 0};
            arena->chunks = fresh;
        }
        chunk = fresh;
    }
    if (!bytes || !chunk) {
        arena->failed = true;
        return NULL;
    }
    void *block = (char *)chunk + XPBD_ALIGNMENT + chunk->used;
    chunk->used += bytes;
    return block;
}

void *xpbd_arena_zero(xpbd_arena *arena, size_t count, size_t size)
{
    void *block = xpbd_arena_alloc(arena, count, size);
    if (block) {
        memset(block, 0, count * size);
    }
    return block;
}

void xpbd_arena_free(xpbd_arena *arena)
{
    while (arena->chunks) {
        xpbd_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        xpbd_memory_free(arena->memory, chunk, chunk->size + XPBD_ALIGNMENT, 1);
    }
    arena->failed = false;
}
