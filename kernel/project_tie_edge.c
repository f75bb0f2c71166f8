/* SPDX-License-Identifier: MIT
 *
 * tie_edge: C = x0 - (b1 x1 + b2 x2), three rows: particle 0 is tied to a point of the edge from
 * particle 1 to particle 2. grad_0 = 1, grad_i = -b_i. Rest data are the weights of both ends.
 * Compliance in m/N. [XPBD16] eq. 18 and 26. Arithmetic and degenerate cases: tie.h. The rest data
 * of a pose are those of the closest point of the edge; an edge without length ties to its first
 * end.
 */
#include "kernel/tie.h"

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    tie_lanes(at, 2, variant);
}

XPBD_PROJECT_LANES(tie_edge);

#if XPBD_DESCRIBE

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    return tie_measure(x, rest, 2, C, gradient);
}

static void rest_of(const float (*x)[3], float *rest)
{
    rest[1] = (float)tie_closest(x[0], x[1], x[2]);
    rest[0] = 1.0f - rest[1];
}

static uint32_t rest_fault(const float *rest)
{
    return tie_rest_fault(rest, 2);
}

static void settle(float (*x)[3])
{
    for (int k = 0; k < 3; k++) {
        x[0][k] = 0.25f * x[1][k] + 0.75f * x[2][k];
    }
}

extern const xpbd_constraint_ops xpbd_ops_tie_edge;
const xpbd_constraint_ops xpbd_ops_tie_edge = {
    .measure = measure, .rest_of = rest_of, .settle = settle, .rest_fault = rest_fault};

#endif
