/* SPDX-License-Identifier: MIT
 *
 * A call of each kind that calls.def knows, and others that ask for memory, on one small world. A
 * call that is new needs its function in support_calls.c, or that does not compile.
 */
#ifndef XPBD_TESTS_SUPPORT_CALLS_H
#define XPBD_TESTS_SUPPORT_CALLS_H

#include "support.h"

typedef struct kit_call {
    const char *name;
    xpbd_status (*call)(xpbd_world *world);
    void (*begin)(xpbd_world *world); /* what is there before the call, or null */
    bool builds;                      /* has an error of its own */
} kit_call;

extern const kit_call kit_calls[];
extern const uint32_t kit_n_calls;

/** A world with one constraint of each type, stepped once. */
xpbd_world *kit_calls_world(const xpbd_world_def *def);
/** Set up and take down what the calls need: for a group of tests. */
int kit_calls_begin(void **state);
int kit_calls_end(void **state);

#endif
