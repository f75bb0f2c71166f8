/* SPDX-License-Identifier: MIT
 *
 * What bend_isometric and bend_angle share: a curvature vector c = sum of K_i x_i that is linear in
 * the positions and, with sum K_i = 0, taken from differences to particle 0: far from the origin it
 * is as exact as near it.
 *
 *     c = sum over i > 0 of K_i (x_i - x_0)          C = c (1 - c0 / |c|)          K_0 = -sum K_i
 *
 * c0 >= 0 is the length of c at rest. At c0 = 0 (flat, straight) C = c: linear, three rows, one
 * block K_i 1 for a gradient, W = sum of w_i K_i^2 constant. Not |c|, which is a cone: its gradient
 * is lost at rest, and a scalar lambda keeps the wrong direction when c passes through 0.
 *
 * With a curved rest, C is what c misses to the closest vector of length c0, so its rest turns with
 * the body, and C^2 = (|c| - c0)^2. The step is along K_i C as before. That is exact, although the
 * gradient is K_i (1 + c0 / |c| (c c^T / c^2 - 1)): lambda is along C and C along c at the
 * solution, where both agree; x moved by w_i K_i lambda in all, whatever way lambda took.
 *
 * A length knows no side: bent by the same amount the other way is at rest too. And c is the
 * curvature only where lengths hardly change: stretch of one side is taken for bending.
 *
 * Damping by eq. 26 for the rate of c along itself where c0 > 0, and of c where c0 = 0.
 *
 * Speed: as tie.h says, records are moved one by one whatever the width: avx512 is about 4 times as
 * fast as scalar, three particles a little less, four a little more.
 *
 * Degenerate: c = 0 where c0 > 0 has no direction: C is 0 and nothing moves; counted by
 * diagnostics. At alpha 0 with all pinned W is 0 and nothing moves.
 */
#ifndef XPBD_KERNEL_CURVATURE_H
#define XPBD_KERNEL_CURVATURE_H

#include "kernel/project.h"

#include <float.h>

/* Below this part of c0, c has no direction. */
#define CURVATURE_LOST 1e-6f

/* sum over i > 0 of K_i (x_i - x_0), of positions or their changes */
XPBD_INLINE void curvature_of(const vf4 *p, const vf *K, int n, vf *c)
{
    c[0] = c[1] = c[2] = v_set(0.0f);
    for (int i = 1; i < n; i++) {
        c[0] = v_add(c[0], v_mul(K[i], v_sub(p[i].x, p[0].x)));
        c[1] = v_add(c[1], v_mul(K[i], v_sub(p[i].y, p[0].y)));
        c[2] = v_add(c[2], v_mul(K[i], v_sub(p[i].z, p[0].z)));
    }
}
XPBD_INLINE vf curvature_dot(const vf *a, const vf *b)
{
    return v_add(v_add(v_mul(a[0], b[0]), v_mul(a[1], b[1])), v_mul(a[2], b[2]));
}
XPBD_INLINE vf curvature_length(const vf *c)
{
    return v_sqrt(curvature_dot(c, c));
}

/** n: how many particles, a constant. The stream's rest data are K_1 ... K_(n-1), c0. */
XPBD_INLINE void curvature_lanes(const xpbd_lanes *at, int n, unsigned variant)
{
    vf4 p[4];
    vf K[4], c[3], d[3], rate[3] = {v_set(0.0f), v_set(0.0f), v_set(0.0f)};
    K[0] = v_set(0.0f);
    for (int i = 1; i < n; i++) {
        K[i] = lanes_rest(at, i - 1);
        K[0] = v_sub(K[0], K[i]);
    }
    vf weight = v_set(0.0f);
    for (int i = 0; i < n; i++) {
        p[i] = point_load(at->store, at->store->position, lanes_id(at, i));
        weight = v_add(weight, v_mul(p[i].w, v_mul(K[i], K[i])));
    }
    curvature_of(p, K, n, c);
    const vf length = curvature_length(c), c0 = lanes_rest(at, n - 1);
    const vf lost = v_max(v_mul(c0, v_set(CURVATURE_LOST)), v_set(FLT_MIN));
    const vf part = v_div_where(v_gt(length, lost), v_sub(length, c0), length);
    const vf alpha = lanes_alpha(at);
    vf gamma = v_set(0.0f);
    if (variant & XPBD_VARIANT_DAMPED) {
        vf4 before[4];
        for (int i = 0; i < n; i++) {
            before[i] = point_load(at->store, at->store->previous, lanes_id(at, i));
        }
        curvature_of(before, K, n, rate);
        for (int row = 0; row < 3; row++) {
            rate[row] = v_sub(c[row], rate[row]);
        }
        /* Of a curved rest only the part along c, or damping would brake rotation. */
        const vf along =
            v_div_where(v_gt(length, lost), curvature_dot(c, rate), v_mul(length, length));
        const vm curved = v_gt(c0, v_set(0.0f));
        for (int row = 0; row < 3; row++) {
            rate[row] = v_select(curved, v_mul(along, c[row]), rate[row]);
        }
        gamma = lanes_gamma(at);
        weight = v_mul(v_add(v_set(1.0f), gamma), weight);
    }
    const vf denominator = v_add(weight, alpha);
    const vm movable = v_gt(denominator, v_set(FLT_MIN));
    for (int row = 0; row < 3; row++) {
        const vf lambda = lanes_lambda(at, row, variant);
        vf numerator = v_sub(v_neg(v_mul(part, c[row])), v_mul(alpha, lambda));
        if (variant & XPBD_VARIANT_DAMPED) {
            numerator = v_sub(numerator, v_mul(gamma, rate[row]));
        }
        const vf ratio = v_div_where(movable, numerator, denominator);
        d[row] = lanes_soften(at, ratio, variant);
        lanes_add_lambda(at, row, lambda, d[row], variant);
    }
    for (int i = 0; i < n; i++) {
        const vf s = v_mul(p[i].w, K[i]);
        lanes_move(at, n, i, p[i], v_mul(s, d[0]), v_mul(s, d[1]), v_mul(s, d[2]), variant);
    }
}

#if XPBD_DESCRIBE

#include <math.h>

/* K: K_1 ... K_(n-1). False where all K are 0 (there was no area to take them from), and where a
 * curved rest has lost its direction. */
static bool curvature_measure(const double (*x)[3], const float *K, int n, double c0, double *C,
                              double (*gradient)[3])
{
    double c[3] = {0}, sum = 0.0, most = 0.0;
    for (int i = 1; i < n; i++) {
        sum += (double)K[i - 1];
        most = fmax(most, fabs((double)K[i - 1]));
        for (int k = 0; k < 3; k++) {
            c[k] += (double)K[i - 1] * (x[i][k] - x[0][k]);
        }
    }
    const double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    const bool found = length > (double)CURVATURE_LOST * c0;
    const double part = c0 > 0.0 && found ? c0 / length : 0.0;
    for (int row = 0; row < 3; row++) {
        C[row] = found || !(c0 > 0.0) ? c[row] * (1.0 - part) : 0.0;
        for (int i = 0; i < n; i++) {
            const double Ki = i > 0 ? (double)K[i - 1] : -sum;
            for (int k = 0; k < 3; k++) {
                const double turn = part > 0.0 ? part * c[row] * c[k] / (length * length) : 0.0;
                gradient[row * n + i][k] = Ki * ((row == k ? 1.0 - part : 0.0) + turn);
            }
        }
    }
    return most > 0.0 && (found || !(c0 > 0.0));
}

/* |c| as the kernel rounds it, so that the pose of which it is taken is at rest bit for bit; but 0
 * where it is no more than the rounding of the positions: flat is flat. */
static float curvature_rest(const float (*x)[3], const float *K, int n)
{
    vf4 p[4];
    vf k[4] = {0.0f}, c[3];
    float reach = 0.0f, sum = 0.0f;
    for (int i = 0; i < n; i++) {
        p[i] = (vf4){x[i][0], x[i][1], x[i][2], 0.0f};
        if (i > 0) {
            k[i] = K[i - 1];
            sum += fabsf(k[i]);
        }
        for (int axis = 0; axis < 3; axis++) {
            reach = fmaxf(reach, fabsf(x[i][axis]));
        }
    }
    curvature_of(p, k, n, c);
    const float length = curvature_length(c);
    return length > 4.0f * FLT_EPSILON * sum * reach ? length : 0.0f;
}

#endif
#endif
