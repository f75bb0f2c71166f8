/* SPDX-License-Identifier: MIT
 *
 * Making the n-th allocation fail, and counting what is not freed. A program that includes this
 * replaces malloc() and its kin, so it goes into the one file of a test, and does nothing where the
 * C library is not glibc or a sanitizer has replaced them already.
 */
#ifndef XPBD_TESTS_SUPPORT_MEMORY_H
#define XPBD_TESTS_SUPPORT_MEMORY_H

#include "support.h"

#include <errno.h>

#if defined(__GLIBC__) && !KIT_SANITIZED
#define KIT_CAN_FAIL 1

/* Allocations until one fails; 0: none fails. */
static uint64_t kit_fail_after;
static int64_t kit_live_blocks;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

/* fopen() and its like hand on the errno of the malloc() within. */
static inline bool kit_fails_now(void)
{
    if (!kit_fail_after || --kit_fail_after > 0)
        return false;
    errno = ENOMEM;
    return true;
}

static inline void *kit_counted(void *memory)
{
    kit_live_blocks += memory != NULL;
    return memory;
}

void *malloc(size_t size)
{
    return kit_fails_now() ? NULL : kit_counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return kit_fails_now() ? NULL : kit_counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (kit_fails_now())
        return NULL;
    return memory ? __libc_realloc(memory, size) : kit_counted(__libc_malloc(size));
}

void free(void *memory)
{
    kit_live_blocks -= memory != NULL;
    __libc_free(memory);
}
#endif

/** Call `attempt` with the first, second, ... allocation failing until it returns true. It must
 *  free what it got and return false when an allocation failed. Checks that nothing leaks. Returns
 *  how many allocations there were; 0 where they can not be made to fail. */
static inline uint64_t kit_fail_each_allocation(bool (*attempt)(const void *), const void *what)
{
#ifdef KIT_CAN_FAIL
    for (uint64_t n = 1; n < 10000; n++) {
        int64_t before = kit_live_blocks;
        kit_fail_after = n;
        bool done = attempt(what);
        bool failed = kit_fail_after == 0;
        kit_fail_after = 0;
        if (kit_live_blocks != before)
            fail_msg("allocation %llu fails: %lld blocks are not freed", (unsigned long long)n,
                     (long long)(kit_live_blocks - before));
        if (done == failed)
            fail_msg("allocation %llu %s, and the call %s", (unsigned long long)n,
                     failed ? "fails" : "does not fail", done ? "succeeds" : "fails");
        if (done)
            return n - 1;
    }
    fail_msg("more than 10000 allocations");
#endif
    (void)attempt;
    (void)what;
    return 0;
}

#endif
