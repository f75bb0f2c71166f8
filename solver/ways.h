/* SPDX-License-Identifier: MIT
 *
 * Which kernel the groups of runs go to: that of their run, that for particles which all weigh the
 * same, or that of groups which are no runs any more. All make the same bits.
 */
#ifndef XPBD_SOLVER_WAYS_H
#define XPBD_SOLVER_WAYS_H

#include "solver/world.h"

/** In a byte per group. */
enum { XPBD_WAY_RUN, XPBD_WAY_EVEN, XPBD_WAY_TORN };

/** Make room for the groups of a type with runs, all of them XPBD_WAY_RUN. False without memory. */
bool xpbd_ways_alloc(xpbd_build *build, uint32_t type);
/** A constraint of a group is removed: nothing of it can be loaded as a whole. */
void xpbd_ways_tear(xpbd_build *build, uint32_t type, uint32_t group);
/** A particle has another weight than before. */
void xpbd_ways_forget(xpbd_build *build);
/** Before a step: look for even groups, unless weights have changed in one of the last steps.
 * Linear in the constraints, some ns for each, when it does. */
void xpbd_ways_begin(xpbd_build *build);
/** Run groups [begin, end) of a block, stretch by stretch. later: not the first iteration. */
void xpbd_ways_run(const xpbd_build *build, const xpbd_block *block, uint32_t begin, uint32_t end,
                   bool later);

#endif
