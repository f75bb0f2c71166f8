/* SPDX-License-Identifier: MIT
 *
 * What the Jacobi schedulers need of a build: who gathers which corrections, and what lambda keeps.
 */
#ifndef XPBD_SOLVER_CORRECTIONS_H
#define XPBD_SOLVER_CORRECTIONS_H

#include "solver/world.h"

/** List the corrections that every particle gathers, constraints in the order of their lanes: one
 *  per constraint, however many of its elements name the particle. False without memory. */
bool xpbd_corrections_list(xpbd_build *build, const xpbd_tuples *tuples, xpbd_arena *scratch);
/** Fill the streams' shares: what part of a correction lambda keeps. */
void xpbd_corrections_share(xpbd_world *world, const xpbd_tuples *tuples);

#endif
