/* SPDX-License-Identifier: MIT
 *
 * Chains and trees of constraints solved at once, in double precision: what tree-direct does in
 * place of sweeps over them. Which constraints those are is in layouts/trees.h.
 */
#ifndef XPBD_SOLVER_DIRECT_H
#define XPBD_SOLVER_DIRECT_H

#include "solver/world.h"

/** Tell whether constraints of a type can be part of a tree: one row between two particles, or any
 *  rows of one particle, two-sided, and with a compliance that is the same number for all rows. */
bool xpbd_direct_takes(xpbd_constraint_type type);
/** Tell whether an inverse mass pins or releases a particle while there are trees: what joins what
 *  changes, and there has to be a new build. */
bool xpbd_direct_turns(const xpbd_world *world, uint32_t particle, float inverse_mass);
/** List which particles can move, [n_particles]. Null without memory. */
uint8_t *xpbd_direct_movable(const xpbd_world *world, xpbd_arena *arena);
/** Make room for the trees of a build, whose packing is done. False without memory. */
bool xpbd_direct_init(xpbd_world *world);
/** Tell where a link's constraint is in the stream of its type. */
uint32_t xpbd_direct_slot(const xpbd_build *build, uint32_t link);
/** Tell what a tree weighs in lane groups. */
uint32_t xpbd_direct_weight(const xpbd_build *build, uint32_t tree);
/** Solve trees [begin, end), in the first iteration from lambda = 0. */
void xpbd_direct_solve(const xpbd_build *build, uint32_t begin, uint32_t end, bool first);

#endif
