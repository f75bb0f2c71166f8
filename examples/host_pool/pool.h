/* SPDX-License-Identifier: MIT
 *
 * A small pool of threads, as hosts have one: what libxpbd needs of it is one function.
 */
#ifndef XPBD_EXAMPLES_POOL_H
#define XPBD_EXAMPLES_POOL_H

#include <stdint.h>

typedef struct pool pool;

/** Start n - 1 threads; the caller of pool_for is the n-th. Null where that fails. */
pool *pool_start(uint32_t n);
void pool_stop(pool *p);

/** Call task(context, i) for each i in [0, count) on the threads of the pool, and return when all
 *  have returned: the signature of xpbd_task_system.parallel_for, with the pool as its user. */
void pool_for(void *user, uint32_t count, void (*task)(void *context, uint32_t worker),
              void *context);

#endif
