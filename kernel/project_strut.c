/* SPDX-License-Identifier: MIT
 *
 * strut: C = |x0 - x1| - L >= 0, a distance that only pushes: lambda >= 0. grad as distance.
 * Compliance in m/N. [XPBD16] eq. 18 and 26 as projected Gauss-Seidel. Where its ends are farther
 * apart than L it has a lambda of exactly 0, and C > 0 is no error of it. Coincident particles
 * should be pushed apart but have no direction: they stay. Arithmetic: length.h.
 */
#include "kernel/length.h"

XPBD_INLINE void write(const xpbd_lanes *at, const xpbd_read *now, unsigned variant)
{
    length_write(at, now, LENGTH_PUSH, variant);
}

XPBD_PROJECT_STAGES(strut);

#if XPBD_DESCRIBE

extern const xpbd_constraint_ops xpbd_ops_strut;
const xpbd_constraint_ops xpbd_ops_strut = {.measure = length_measure,
                                            .rest_of = length_rest_of,
                                            .rest_fault = length_rest_fault,
                                            .side = LENGTH_PUSH};

#endif
