/* SPDX-License-Identifier: MIT
 *
 * Force ports: what constraints do to a particle, or one of them to its particles, averaged over
 * the substeps of a step.
 */
#ifndef XPBD_SOLVER_PORTS_H
#define XPBD_SOLVER_PORTS_H

#include "solver/world.h"

/** Find what pulls at the ports, if that is not known. False without memory; nothing that is kept
 *  changes. */
bool xpbd_ports_find(xpbd_world *world);
/** Begin the sums of a step. */
void xpbd_ports_begin(xpbd_world *world);
/** Add the forces of a substep. Cost: the constraints at the ports. */
void xpbd_ports_measure(xpbd_world *world);
/** Make means of the sums. */
void xpbd_ports_end(xpbd_world *world);
/** Follow particles and constraints to their new indices; UINT32_MAX: there is none, and the port
 *  reads 0 from the next step on. */
void xpbd_ports_renumber(xpbd_world *world, const uint32_t *particle, uint32_t *const *constraint);
void xpbd_ports_free(xpbd_world *world);

#endif
