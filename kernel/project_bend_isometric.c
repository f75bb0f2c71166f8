/* SPDX-License-Identifier: MIT
 *
 * bend_isometric: C = c (1 - c0 / |c|), c = sum of k_i x_i, three rows; grad_i C = k_i where the
 * rest is flat. Particles 0 and 1 are the wing tips, 2 and 3 the hinge. Compliance 1/D in 1/(N m),
 * D = E h^3 / (12 (1 - nu^2)) the bending stiffness of the plate. Bergou, Wardetzky, Harmon, Zorin,
 * Grinspun 2006 (energy D/2 |c|^2); [XPBD16] eq. 18, with damping eq. 26.
 *
 *     k = sqrt(3 / (A0 + A1)) (-(cot 2 + cot 3), -(cot 2' + cot 3'), cot 3 + cot 3', cot 2 + cot
 * 2')
 *
 * with A0, A1 the areas and cot j, cot j' the cotangents of the angles at hinge particle j in the
 * triangles of particle 0 and 1. Rest data are k_1, k_2, k_3 in 1/m (k_0 = -(k_1 + k_2 + k_3)) and
 * c0. An energy quadratic in the positions, not C = energy, whose gradient is 0 at rest.
 *
 * Limits: right for nearly isometric motion only, as in cloth that stretches little; of a curved
 * rest it keeps how much, not to which side. bend_dihedral has neither limit and is slower.
 *
 * Degenerate: a triangle without area at rest gives k = 0, which does nothing and is counted; the
 * others are in curvature.h. Any pose of a good rest shape is good, slivers and folds included.
 */
#include "kernel/curvature.h"

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    curvature_lanes(at, 4, variant);
}

XPBD_PROJECT_LONG_LANES(bend_isometric);

#if XPBD_DESCRIBE

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    return curvature_measure(x, rest, 4, (double)rest[3], C, gradient);
}

/* Cotangents of the angles at both ends of the hinge in the triangle of particle `wing`, and its
 * area; false where there is none. */
static bool cotangents(const float (*x)[3], int wing, double *at_2, double *at_3, double *area)
{
    double e[3], p[3], ee = 0.0, ep = 0.0, pp = 0.0;
    for (int k = 0; k < 3; k++) {
        e[k] = (double)x[3][k] - (double)x[2][k];
        p[k] = (double)x[wing][k] - (double)x[2][k];
        ee += e[k] * e[k];
        ep += e[k] * p[k];
        pp += p[k] * p[k];
    }
    const double n[3] = {e[1] * p[2] - e[2] * p[1], e[2] * p[0] - e[0] * p[2],
                         e[0] * p[1] - e[1] * p[0]};
    const double twice = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(twice > 1e-6 * (ee + pp))) {
        return false;
    }
    *at_2 = ep / twice;
    *at_3 = (ee - ep) / twice;
    *area = 0.5 * twice;
    return true;
}

static void rest_of(const float (*x)[3], float *rest)
{
    double a2, a3, b2, b3, A0, A1;
    rest[0] = rest[1] = rest[2] = rest[3] = 0.0f;
    if (!cotangents(x, 0, &a2, &a3, &A0) || !cotangents(x, 1, &b2, &b3, &A1)) {
        return;
    }
    const double scale = sqrt(3.0 / (A0 + A1));
    rest[0] = (float)(-scale * (b2 + b3));
    rest[1] = (float)(scale * (a3 + b3));
    rest[2] = (float)(scale * (a2 + b2));
    rest[3] = curvature_rest(x, rest, 4);
}

static uint32_t rest_fault(const float *rest)
{
    return rest[3] < 0.0f ? 3 : 4;
}

extern const xpbd_constraint_ops xpbd_ops_bend_isometric;
const xpbd_constraint_ops xpbd_ops_bend_isometric = {
    .measure = measure, .rest_of = rest_of, .rest_fault = rest_fault};

#endif
