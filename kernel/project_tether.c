/* SPDX-License-Identifier: MIT
 *
 * tether (long range attachment): C = |x0 - x1| - L <= 0, with x0 the held particle, x1 its anchor
 * and L the length of the shortest path between them along the edges of the mesh, of which the rest
 * data of a pose knows only the straight part. It only pulls: lambda <= 0. grad as distance.
 * Compliance in m/N, 0 as a rule. Kim, Chentanez, Mueller 2012, as projected Gauss-Seidel.
 *
 * A row of its own beside rope, with which it shares all arithmetic: a tether is an aid to
 * convergence. It holds nothing that the edges along its path do not hold, so its lambda is not a
 * force in a material, and its energy is not one of the model. Lengths along edges overestimate the
 * geodesic, which errs on the safe side. Degenerate cases: length.h.
 */
#include "kernel/length.h"

XPBD_INLINE void write(const xpbd_lanes *at, const xpbd_read *now, unsigned variant)
{
    length_write(at, now, LENGTH_PULL, variant);
}

XPBD_PROJECT_STAGES(tether);

#if XPBD_DESCRIBE

extern const xpbd_constraint_ops xpbd_ops_tether;
const xpbd_constraint_ops xpbd_ops_tether = {.measure = length_measure,
                                             .rest_of = length_rest_of,
                                             .rest_fault = length_rest_fault,
                                             .side = LENGTH_PULL};

#endif
