/* SPDX-License-Identifier: MIT
 *
 * An allocator that counts, never gives zeros, and refuses what a test wants refused. Included by
 * the tests that use it.
 */
#ifndef XPBD_TESTS_SUPPORT_HEAP_H
#define XPBD_TESTS_SUPPORT_HEAP_H

#include "support.h"

typedef struct heap {
    uint64_t n_requests, fail_at; /* the request that is refused, counted from 1; 0: none */
    bool fail_on;                 /* and all after it */
    int64_t n_live;
    size_t largest; /* request */
} heap;

static void *heap_alloc(void *user, size_t size, size_t alignment)
{
    heap *h = user;
    h->n_requests++;
    h->largest = size > h->largest ? size : h->largest;
    if (h->fail_at && (h->fail_on ? h->n_requests >= h->fail_at : h->n_requests == h->fail_at))
        return NULL;
    void *memory = aligned_alloc(alignment, size);
    assert_non_null(memory);
    memset(memory, 0xa5, size); /* nobody may count on zeros */
    h->n_live++;
    return memory;
}

static void heap_free(void *user, void *memory, size_t size)
{
    heap *h = user;
    (void)size;
    assert_non_null(memory);
    h->n_live--;
    free(memory);
}

#endif
