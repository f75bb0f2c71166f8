/* SPDX-License-Identifier: MIT
 *
 * Keeping a build in step with the model.
 */
#ifndef XPBD_SOLVER_BUILD_H
#define XPBD_SOLVER_BUILD_H

#include "solver/world.h"

/** Copy rest data, compliance and damping of constraints [first, first + count) to the streams. */
void xpbd_build_refresh(xpbd_world *world, uint32_t type, uint32_t first, uint32_t count);
/** Count the floats of rest data that the kernels of a type want. */
uint32_t xpbd_build_n_packed(uint32_t type);
/** Tell whether the streams of a type have room for all kinds of values now in use. */
bool xpbd_build_has_room(const xpbd_world *world, uint32_t type);
/** Take those of constraints [first, first + count) that were removed out of the streams: their
 *  lanes become pad lanes. */
void xpbd_build_remove(xpbd_world *world, uint32_t type, uint32_t first, uint32_t count);
/** Put right what of a build points into its world, after it has come from another. */
void xpbd_build_moved(xpbd_world *world);
/** Tell whether Gauss-Seidel has a factor on every correction, which makes it SOR. */
bool xpbd_build_is_relaxed(const xpbd_world *world);
/** Copy a particle's inverse mass to the store. */
void xpbd_build_weigh(xpbd_world *world, uint32_t particle);
/** Find the particles that are hubs while they are pinned, if the world's scheduler has to keep
 *  constraints apart, and note those that are in `tuples`. False without memory. */
bool xpbd_build_find_hubs(xpbd_world *world, xpbd_tuples *tuples, xpbd_arena *scratch);
/** List the hubs of a build, as in xpbd_tuples. Null where there are none or no memory. */
const uint8_t *xpbd_build_hubs(const xpbd_world *world, xpbd_arena *arena);
/** Tell whether an inverse mass makes a hub of a particle, or no hub any more: then there has to be
 * a new build. */
bool xpbd_build_turns_hub(const xpbd_world *world, uint32_t particle, float inverse_mass);
/** Put the copies of hubs where these are, with their velocities. */
void xpbd_build_copy_hubs(xpbd_build *build);

#endif
