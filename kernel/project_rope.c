/* SPDX-License-Identifier: MIT
 *
 * rope: C = |x0 - x1| - L <= 0, a distance that only pulls: lambda <= 0. grad as distance.
 * Compliance in m/N. [XPBD16] eq. 18 and 26 as projected Gauss-Seidel. A slack rope has a lambda of
 * exactly 0, moves nothing and damps nothing, and C < 0 is no error of it. Coincident particles are
 * slack, or with L = 0 have no direction. Arithmetic and degenerate cases: length.h.
 */
#include "kernel/length.h"

XPBD_INLINE void write(const xpbd_lanes *at, const xpbd_read *now, unsigned variant)
{
    length_write(at, now, LENGTH_PULL, variant);
}

XPBD_PROJECT_STAGES(rope);

#if XPBD_DESCRIBE

extern const xpbd_constraint_ops xpbd_ops_rope;
const xpbd_constraint_ops xpbd_ops_rope = {.measure = length_measure,
                                           .rest_of = length_rest_of,
                                           .rest_fault = length_rest_fault,
                                           .side = LENGTH_PULL};

#endif
