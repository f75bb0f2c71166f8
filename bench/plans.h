/* SPDX-License-Identifier: MIT
 *
 * What a plan looks like from outside: how its work can be divided, and what it touches.
 */
#ifndef BENCH_PLANS_H
#define BENCH_PLANS_H

#include "xpbd/xpbd.h"

/** Describe the stages of a prepared world as "work:strips*count,...": lane groups, strips or 0,
 *  and how many stages follow each other alike; ~ at the end says that they are a wave. The caller
 * frees it. */
char *bench_plan_text(const xpbd_world *world);
/** Count cache lines of 64 bytes with particles that a lane group of 16 touches, per constraint of
 *  it, over at most some thousands of groups; 0 where there are none. */
double bench_plan_lines(const xpbd_world *world);

#endif
