/* SPDX-License-Identifier: MIT
 *
 * All memory of a world comes from here: single buffers that grow while a scene is added, and
 * arenas for what is built in one go and freed in one go (a plan, the scratch of a build).
 */
#ifndef XPBD_BASE_MEMORY_H
#define XPBD_BASE_MEMORY_H

#include "xpbd/xpbd.h"

/** Every block starts on a cache line, which is also the widest vector. */
#define XPBD_ALIGNMENT 64

typedef struct xpbd_memory {
    xpbd_allocator allocator;
    uint64_t bytes; /* held at present */
} xpbd_memory;

/** Take the caller's hooks, or the C library where they are null. */
void xpbd_memory_init(xpbd_memory *memory, const xpbd_allocator *allocator);
/** Get uninitialised memory. Null where there is none or where count * size overflows. */
void *xpbd_memory_alloc(xpbd_memory *memory, size_t count, size_t size);
/** Give back what xpbd_memory_alloc() returned for the same count and size. Null is allowed. */
void xpbd_memory_free(xpbd_memory *memory, void *block, size_t count, size_t size);

/** A growing array. Zero-initialise it; `capacity` counts elements. */
typedef struct xpbd_buffer {
    void *data;
    size_t capacity;
} xpbd_buffer;

/** Make room for `count` elements, of which `used` are kept. False leaves the buffer as it was. */
bool xpbd_buffer_reserve(xpbd_memory *memory, xpbd_buffer *buffer, size_t used, size_t count,
                         size_t size);
void xpbd_buffer_free(xpbd_memory *memory, xpbd_buffer *buffer, size_t size);

/** Bytes of a large page. Blocks of the C library of at least that size ask for such pages: the
 *  first touch of a small one costs microseconds on some machines. */
#define XPBD_LARGE_PAGE ((size_t)1 << 21)

/** A stack of chunks, freed together. Zero-initialise all but `memory`, and `at_once` where it is
 *  known. */
typedef struct xpbd_arena {
    xpbd_memory *memory;
    struct xpbd_chunk *chunks;
    size_t at_once; /* bytes that a chunk has at least, for an arena that is freed soon */
    bool failed;    /* one allocation was refused: callers may check once, at the end */
} xpbd_arena;

/** Get uninitialised memory, aligned to XPBD_ALIGNMENT. Null and `failed` where there is none. */
void *xpbd_arena_alloc(xpbd_arena *arena, size_t count, size_t size);
/** The same, all bytes 0. */
void *xpbd_arena_zero(xpbd_arena *arena, size_t count, size_t size);
void xpbd_arena_free(xpbd_arena *arena);

#endif
