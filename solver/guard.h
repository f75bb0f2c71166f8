/* SPDX-License-Identifier: MIT
 *
 * The guard against explosions: particles that are too fast, pulled too hard or no number at all
 * are found at the end of each substep, named, and put back where that is asked for. What it is
 * exactly: xpbd_world_set_guard().
 */
#ifndef XPBD_SOLVER_GUARD_H
#define XPBD_SOLVER_GUARD_H

#include "solver/world.h"

/** Make room in a build that has its store. False without memory. */
bool xpbd_guard_init(xpbd_world *world);
/** Get ready for a step, on one thread. */
void xpbd_guard_begin(xpbd_world *world);
/** Turn what was solved into velocities, of particles of units [begin, end), and guard them. */
void xpbd_guard_finish(xpbd_world *world, uint32_t substep, uint32_t begin, uint32_t end);
/** Tell whether xpbd_guard_look() is needed: the same on all members, after a barrier. */
bool xpbd_guard_has_found(const xpbd_world *world, uint32_t substep);
/** Name what was found, and put right what no particle with a mass is, on one thread. */
void xpbd_guard_look(xpbd_world *world, uint32_t substep);
/** Tell the host at the end of a step, on the thread that called it. */
void xpbd_guard_end(xpbd_world *world);

#endif
