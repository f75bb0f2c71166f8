/* SPDX-License-Identifier: MIT
 *
 * What tie_edge and tie_triangle share: C = x0 - sum of b_i x_i over the corners i = 1 ... n that
 * particle 0 is tied to, three rows with gradient 1 for particle 0 and -b_i for the others. The
 * weights b_i sum to 1, so one block solve is three divisions by W = w0 + sum of w_i b_i^2.
 *
 *     C = sum of b_i (x0 - x_i)       which far from the origin is as exact as near it
 *
 * Not the distance to the point, whose gradient is lost just where the tie should rest. There is no
 * torque in it: forces b_i f act along C. Compliance in m/N, of every row. [XPBD16] eq. 18, with
 * damping eq. 26 for the velocity of particle 0 against that of the point it is tied to.
 *
 * Speed: 16-byte records are read and written one by one whatever the width, 6 or 8 times per
 * constraint, and there is little arithmetic to widen: avx512 is 3 to 4 times as fast as scalar,
 * not much more than avx2 (a tie_triangle costs what four attach cost).
 *
 * Degenerate: nothing can move pinned particles at alpha 0; W is 0 and nothing moves.
 */
#ifndef XPBD_KERNEL_TIE_H
#define XPBD_KERNEL_TIE_H

#include "kernel/project.h"

#include <float.h>

/* Particle 0 as seen from the point it is tied to, in any array of particles. */
XPBD_INLINE void tie_offset(const vf4 *p, const vf *b, int n, vf *offset)
{
    vf x = v_set(0.0f), y = x, z = x;
    for (int i = 1; i <= n; i++) {
        x = v_add(x, v_mul(b[i - 1], v_sub(p[0].x, p[i].x)));
        y = v_add(y, v_mul(b[i - 1], v_sub(p[0].y, p[i].y)));
        z = v_add(z, v_mul(b[i - 1], v_sub(p[0].z, p[i].z)));
    }
    offset[0] = x;
    offset[1] = y;
    offset[2] = z;
}

/** n: how many particles it is tied to, a constant. */
XPBD_INLINE void tie_lanes(const xpbd_lanes *at, int n, unsigned variant)
{
    vf4 p[4];
    vf b[3], C[3], d[3], rate[3] = {v_set(0.0f), v_set(0.0f), v_set(0.0f)};
    p[0] = point_load(at->store, at->store->position, lanes_id(at, 0));
    vf weight = p[0].w;
    for (int i = 1; i <= n; i++) {
        p[i] = point_load(at->store, at->store->position, lanes_id(at, i));
        b[i - 1] = lanes_rest(at, i - 1);
        weight = v_add(weight, v_mul(p[i].w, v_mul(b[i - 1], b[i - 1])));
    }
    tie_offset(p, b, n, C);
    const vf alpha = lanes_alpha(at);
    vf gamma = v_set(0.0f);
    if (variant & XPBD_VARIANT_DAMPED) {
        vf4 before[4];
        for (int i = 0; i <= n; i++) {
            before[i] = point_load(at->store, at->store->previous, lanes_id(at, i));
        }
        tie_offset(before, b, n, rate);
        gamma = lanes_gamma(at);
        weight = v_mul(v_add(v_set(1.0f), gamma), weight);
    }
    const vf denominator = v_add(weight, alpha);
    const vm movable = v_gt(denominator, v_set(FLT_MIN));
    for (int row = 0; row < 3; row++) {
        const vf lambda = lanes_lambda(at, row, variant);
        vf numerator = v_sub(v_neg(C[row]), v_mul(alpha, lambda));
        if (variant & XPBD_VARIANT_DAMPED) {
            numerator = v_sub(numerator, v_mul(gamma, v_sub(C[row], rate[row])));
        }
        const vf ratio = v_div_where(movable, numerator, denominator);
        d[row] = lanes_soften(at, ratio, variant);
        lanes_add_lambda(at, row, lambda, d[row], variant);
    }
    lanes_move(at, n + 1, 0, p[0], v_mul(p[0].w, d[0]), v_mul(p[0].w, d[1]), v_mul(p[0].w, d[2]),
               variant);
    for (int i = 1; i <= n; i++) {
        const vf s = v_neg(v_mul(p[i].w, b[i - 1]));
        lanes_move(at, n + 1, i, p[i], v_mul(s, d[0]), v_mul(s, d[1]), v_mul(s, d[2]), variant);
    }
}

#if XPBD_DESCRIBE

#include <math.h>
#include <string.h>

static bool tie_measure(const double (*x)[3], const float *b, int n, double *C,
                        double (*gradient)[3])
{
    for (int row = 0; row < 3; row++) {
        double(*g)[3] = gradient + row * (n + 1);
        memset(g, 0, (size_t)(n + 1) * sizeof *g);
        C[row] = 0.0;
        for (int i = 1; i <= n; i++) {
            const double weight = (double)b[i - 1];
            C[row] += weight * (x[0][row] - x[i][row]);
            g[0][row] += weight;
            g[i][row] = -weight;
        }
    }
    return true;
}

/* Weights may lie outside [0, 1]: a point beyond the edge. They have to sum to 1, or the tie would
 * pull at the origin of the coordinates. */
static uint32_t tie_rest_fault(const float *b, int n)
{
    double sum = 0.0, most = 1.0;
    for (int i = 0; i < n; i++) {
        sum += (double)b[i];
        most = fmax(most, fabs((double)b[i]));
    }
    return fabs(sum - 1.0) <= 1e-5 * most ? (uint32_t)n : (uint32_t)n - 1;
}

/* The point of the edge from a to b that is closest to p: 0 at a, 1 at b. A point for an edge is
 * its first end. In double, so that weights of few bits come out as they are. */
static double tie_closest(const float *p, const float *a, const float *b)
{
    double along = 0.0, square = 0.0;
    for (int k = 0; k < 3; k++) {
        const double e = (double)b[k] - (double)a[k];
        along += e * ((double)p[k] - (double)a[k]);
        square += e * e;
    }
    return along <= 0.0 ? 0.0 : along >= square ? 1.0 : along / square;
}

#endif
#endif
