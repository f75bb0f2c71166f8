/* SPDX-License-Identifier: MIT
 *
 * The Chebyshev semi-iteration over Jacobi's sweeps: what it keeps of a build, and what it does at
 * the end of every iteration.
 */
#ifndef XPBD_SOLVER_CHEBYSHEV_H
#define XPBD_SOLVER_CHEBYSHEV_H

#include "solver/world.h"

/** Make room in a build that has its streams and store. False without memory. */
bool xpbd_chebyshev_init(xpbd_world *world);
/** Choose rho for a step. */
void xpbd_chebyshev_begin_step(xpbd_world *world);
/** Do the only unit of XPBD_TASK_DECIDE: choose the weights of this iteration from what the one
 *  before has found. At any time between two stages of blending. */
void xpbd_chebyshev_decide(xpbd_build *build, bool first);
/** Do units [begin, end) of XPBD_TASK_BLEND_POINTS: 16 particles each gather their corrections. */
void xpbd_chebyshev_gather(const xpbd_build *build, uint32_t begin, uint32_t end, bool first);
/** Do units [begin, end) of XPBD_TASK_BLEND + type: 16 records of lambda each. */
void xpbd_chebyshev_blend(xpbd_build *build, uint32_t type, uint32_t begin, uint32_t end,
                          bool first);

#endif
