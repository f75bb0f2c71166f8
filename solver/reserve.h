/* SPDX-License-Identifier: MIT
 *
 * Making room in the model. Each returns false without memory; what is kept stays as it is.
 */
#ifndef XPBD_SOLVER_RESERVE_H
#define XPBD_SOLVER_RESERVE_H

#include "solver/world.h"

/** For particles more than there are. */
bool xpbd_reserve_particles(xpbd_world *world, uint32_t count);
/** For calls that add constraints. */
bool xpbd_reserve_batches(xpbd_world *world, uint32_t count);
/** For constraints more of a type, with `elements` in all, and for the numbers that `in` has arrays
 *  of; the arrays are not read. */
bool xpbd_reserve_constraints(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                              uint32_t elements, const xpbd_constraints *in);

#endif
