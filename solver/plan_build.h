/* SPDX-License-Identifier: MIT
 *
 * The last part of a build: tasks and the plan.
 */
#ifndef XPBD_SOLVER_PLAN_BUILD_H
#define XPBD_SOLVER_PLAN_BUILD_H

#include "solver/world.h"

/** Choose the kernels of all kinds of work, for what the streams have. */
void xpbd_plan_tasks(xpbd_world *world);
/** Make blocks from bins and of the trees, and after Jacobi's one stage one more that gathers.
 *  False without memory. */
bool xpbd_plan_make(xpbd_world *world, const xpbd_bins *bins, xpbd_arena *scratch);

#endif
