/* SPDX-License-Identifier: MIT
 *
 * Steps that are limited in time.
 */
#ifndef XPBD_SOLVER_BUDGET_H
#define XPBD_SOLVER_BUDGET_H

#include "solver/world.h"

/** Tell all members alike whether the time of a substep is over. They come from a barrier, and are
 *  past another one afterwards. */
bool xpbd_budget_is_over(xpbd_world *world, xpbd_member *member, uint32_t substep);
/** Iterate as long as there is time; ends with a barrier. */
void xpbd_budget_solve(xpbd_world *world, xpbd_member *member, uint32_t substep);

#endif
