/* SPDX-License-Identifier: MIT
 *
 * Keeping a build in step with the model.
 */
#ifndef XPBD_SOLVER_BUILD_H
#define XPBD_SOLVER_BUILD_H

#include "solver/world.h"

/** Copy rest data, compliance and damping of constraints [first, first + count) to the streams. */
void xpbd_build_refresh(xpbd_world *world, uint32_t type, uint32_t first, uint32_t count);
/** Tell whether the streams of a type have room for all kinds of values now in use. */
bool xpbd_build_has_room(const xpbd_world *world, uint32_t type);
/** Copy a particle's inverse mass to the store. */
void xpbd_build_weigh(xpbd_world *world, uint32_t particle);

#endif
