/* SPDX-License-Identifier: MIT
 *
 * attach: C = x0 - target, three rows with gradient 1 each, so that one block solve is three
 * divisions by the same number. Not |x0 - target|, whose gradient is lost just where it should
 * rest. Compliance in m/N, of every row. [XPBD16] eq. 18, with damping eq. 26. The rate of eq. 26
 * is that of the particle: a moving target drags it, damping slows it in space.
 *
 * Speed: on one core and aos4, scalar 3.2 ns, sse2 1.35, avx2 0.93, avx512 0.79: 3.3 and 3.9 to 4.0
 * times. It is not the caches, as 500 attachments take as long each as 20,000. As in tie.h a record
 * of 16 bytes is read and written by itself whatever the width, with little arithmetic between;
 * that this is what holds avx512 back was not measured apart.
 *
 * Degenerate: a pinned particle at alpha 0. The denominator is 0 and nothing moves.
 */
#include "kernel/project.h"

#include <float.h>

XPBD_INLINE void lanes(const xpbd_lanes *at, unsigned variant)
{
    const uint32_t *id = lanes_id(at, 0);
    const vf4 p = point_load(at->store, at->store->position, id);
    const vf alpha = lanes_alpha(at);
    vf gamma = v_set(0.0f), weight = p.w;
    vf4 before = p;
    if (variant & XPBD_VARIANT_DAMPED) {
        gamma = lanes_gamma(at);
        weight = v_mul(v_add(v_set(1.0f), gamma), weight);
        before = point_load(at->store, at->store->previous, id);
    }
    const vf denominator = v_add(weight, alpha);
    const vm movable = v_gt(denominator, v_set(FLT_MIN));
    const vf x[3] = {p.x, p.y, p.z}, x0[3] = {before.x, before.y, before.z};
    vf d[3];
    for (int row = 0; row < 3; row++) {
        const vf lambda = lanes_lambda(at, row, variant);
        vf numerator = v_sub(v_sub(lanes_rest(at, row), x[row]), v_mul(alpha, lambda));
        if (variant & XPBD_VARIANT_DAMPED) {
            numerator = v_sub(numerator, v_mul(gamma, v_sub(x[row], x0[row])));
        }
        const vf ratio = v_div_where(movable, numerator, denominator);
        const vf d_lambda = lanes_soften(at, ratio, variant);
        lanes_add_lambda(at, row, lambda, d_lambda, variant);
        d[row] = v_mul(p.w, d_lambda);
    }
    lanes_move(at, 1, 0, p, d[0], d[1], d[2], variant);
}

XPBD_PROJECT_LANES(attach);

#if XPBD_DESCRIBE

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    for (int row = 0; row < 3; row++) {
        C[row] = x[0][row] - (double)rest[row];
        for (int k = 0; k < 3; k++) {
            gradient[row][k] = row == k ? 1.0 : 0.0;
        }
    }
    return true;
}

static void rest_of(const float (*x)[3], float *rest)
{
    for (int k = 0; k < 3; k++) {
        rest[k] = x[0][k];
    }
}

static uint32_t rest_fault(const float *rest)
{
    (void)rest;
    return 3;
}

extern const xpbd_constraint_ops xpbd_ops_attach;
const xpbd_constraint_ops xpbd_ops_attach = {
    .measure = measure, .rest_of = rest_of, .rest_fault = rest_fault};

#endif
