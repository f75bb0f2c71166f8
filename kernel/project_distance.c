/* SPDX-License-Identifier: MIT
 *
 * distance: C = |x0 - x1| - L, kept equal to 0. grad_0 = n, grad_1 = -n with n the unit vector of
 * x0 - x1. Compliance in m/N; of a rod L / (E A). [XPBD16] eq. 18, with damping eq. 26; [PBD07]
 * eq. 7. Arithmetic and degenerate cases: length.h.
 */
#include "kernel/length.h"

XPBD_INLINE void write(const xpbd_lanes *at, const xpbd_read *now, unsigned variant)
{
    length_write(at, now, LENGTH_BOTH, variant);
}

XPBD_PROJECT_STAGES_RUNS(distance);

#if XPBD_DESCRIBE

extern const xpbd_constraint_ops xpbd_ops_distance;
const xpbd_constraint_ops xpbd_ops_distance = {
    .measure = length_measure,
    .rest_of = length_rest_of,
    .rest_fault = length_rest_fault,
    .runs = true,
};

#endif
