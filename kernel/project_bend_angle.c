/* SPDX-License-Identifier: MIT
 *
 * bend_angle: C = c (1 - c0 / |c|), c = (x0 - x1) / l0 + (x2 - x1) / l2, three rows; grad C =
 * 1 / l0, -(1 / l0 + 1 / l2), 1 / l2 where the rest is straight. Particle 1 is the middle one. With
 * segments at their lengths, c is the difference of two unit vectors and |c| = 2 sin(phi / 2), phi
 * being the angle by which the line turns: nearly phi itself up to a radian, and growing up to the
 * full fold. Compliance in 1/(N m) (per rad^2): (l0 + l2) / (2 E I) of a rod. The plane analogue of
 * bend_isometric, on curvature.h; [XPBD16] eq. 18, with damping eq. 26.
 *
 * Why a vector: straight is the rest of every rope, and there all scalars are singular. The
 * distance of the middle to the centroid (Mueller's triangle bending) and an angle by
 * atan2(|cross|, dot) are cones over the bend: the gradient is lost at the tip, and a multiplier
 * from before the line passed through straight pushes the wrong way after.
 *
 * Rest data are both lengths and c0 = |c|, 0 for straight. Limits: segments should hold their
 * lengths (by distance or rope constraints), as unequal stretch is taken for bending; of a curved
 * rest it keeps how much, not to which side.
 *
 * Degenerate: a length of 0 is refused, as rest data and from a pose. The others are in
 * curvature.h.
 */
#include "kernel/curvature.h"

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    curvature_lanes(at, 3, variant);
}

XPBD_PROJECT_LONG_LANES(bend_angle);

#if XPBD_DESCRIBE

static void pack(const float *rest, float *packed)
{
    const float before = 1.0f / rest[0], after = 1.0f / rest[1];
    packed[0] = -(before + after);
    packed[1] = after;
    packed[2] = rest[2];
}

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    float packed[3];
    pack(rest, packed);
    return curvature_measure(x, packed, 3, (double)rest[2], C, gradient);
}

static void rest_of(const float (*x)[3], float *rest)
{
    for (int side = 0; side < 2; side++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const double d = (double)x[2 * side][k] - (double)x[1][k];
            square += d * d;
        }
        rest[side] = (float)sqrt(square);
    }
    rest[2] = 0.0f;
    if (rest[0] > 0.0f && rest[1] > 0.0f) {
        float packed[3];
        pack(rest, packed);
        rest[2] = curvature_rest(x, packed, 3);
    }
}

static uint32_t rest_fault(const float *rest)
{
    return !(rest[0] > 0.0f) ? 0 : !(rest[1] > 0.0f) ? 1 : rest[2] < 0.0f ? 2 : 3;
}

extern const xpbd_constraint_ops xpbd_ops_bend_angle;
const xpbd_constraint_ops xpbd_ops_bend_angle = {
    .measure = measure, .rest_of = rest_of, .rest_fault = rest_fault, .pack = pack, .n_packed = 3};

#endif
