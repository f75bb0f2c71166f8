/* SPDX-License-Identifier: MIT
 *
 * distance: C = |x0 - x1| - L, grad_0 = n, grad_1 = -n with n = (x0 - x1) / |x0 - x1|.
 * Compliance in m/N; of a rod L / (E A). [XPBD16] eq. 18, with damping eq. 26; [PBD07] eq. 7.
 *
 *     paper    alpha~ = alpha / dt^2    gamma    d_lambda
 *     here     alpha                    gamma    s * length
 *
 * One division: with d = x0 - x1 the correction is w (n d_lambda) = w (d s), where
 * s = (L - |d| - alpha lambda) / ((w0 + w1 + alpha) |d|).
 *
 * Degenerate: coincident particles have no n, and nothing can move two pinned ones at alpha 0. Both
 * make the denominator 0; s is 0 then, and diagnostics count the constraint. The limit below it is
 * the smallest normal number, not a length: scenes in millimetres are as good as in metres.
 */
#include "kernel/project.h"

#include <float.h>

typedef struct xpbd_read {
    xpbd_pair pair;
    vf weight, length, rate;
} xpbd_read;

XPBD_INLINE xpbd_read read(const xpbd_lanes *at, unsigned variant)
{
    const uint32_t *a = lanes_id(at, 0), *b = lanes_id(at, 1);
    xpbd_read now;
    now.pair = pair_load(at->store, at->store->position, a, b);
    const vf4 d = pair_difference(&now.pair);
    now.weight = d.w;
    now.length = v_sqrt(v_add(v_add(v_mul(d.x, d.x), v_mul(d.y, d.y)), v_mul(d.z, d.z)));
    now.rate = v_set(0.0f);
    if (variant & XPBD_VARIANT_DAMPED) {
        /* grad C (x - x^n): how much the substep has stretched it so far. */
        const xpbd_pair before = pair_load(at->store, at->store->previous, a, b);
        const vf4 e = pair_difference(&before);
        const vf along = v_add(v_add(v_mul(d.x, v_sub(d.x, e.x)), v_mul(d.y, v_sub(d.y, e.y))),
                               v_mul(d.z, v_sub(d.z, e.z)));
        now.rate = v_div_where(v_gt(now.length, v_set(FLT_MIN)), along, now.length);
    }
    return now;
}

XPBD_INLINE void write(const xpbd_lanes *at, const xpbd_read *now, unsigned variant)
{
    const vf alpha = lanes_alpha(at);
    const vf lambda = lanes_lambda(at, 0, variant);
    vf numerator = v_sub(v_sub(lanes_rest(at, 0), now->length), v_mul(alpha, lambda));
    vf weight = now->weight;
    if (variant & XPBD_VARIANT_DAMPED) {
        const vf gamma = lanes_gamma(at);
        numerator = v_sub(numerator, v_mul(gamma, now->rate));
        weight = v_mul(v_add(v_set(1.0f), gamma), weight);
    }
    const vf denominator = v_mul(v_add(weight, alpha), now->length);
    const vf ratio = v_div_where(v_gt(denominator, v_set(FLT_MIN)), numerator, denominator);
    const vf s = lanes_soften(at, ratio, variant);
    lanes_add_lambda(at, 0, lambda, v_mul(s, now->length), variant);
    if (variant & XPBD_VARIANT_ACCUMULATE) {
        vf4 a, b;
        pair_corrections(&now->pair, s, &a, &b);
        lanes_correct(at, 2, 0, a);
        lanes_correct(at, 2, 1, b);
    } else {
        pair_move(at->store, at->store->position, lanes_id(at, 0), lanes_id(at, 1), &now->pair, s);
    }
}

XPBD_PROJECT_STAGES(distance);

#if XPBD_DESCRIBE

#include <math.h>

static bool measure(const double (*x)[3], const float *rest, double *C, double (*gradient)[3])
{
    double d[3], length = 0.0;
    for (int k = 0; k < 3; k++) {
        d[k] = x[0][k] - x[1][k];
        length += d[k] * d[k];
    }
    length = sqrt(length);
    *C = length - (double)rest[0];
    for (int k = 0; k < 3; k++) {
        gradient[0][k] = length > 0.0 ? d[k] / length : 0.0;
        gradient[1][k] = -gradient[0][k];
    }
    return length > 0.0;
}

/* Rounded as the kernel rounds a length, so that the pose of which it is taken is at rest bit for
 * bit. */
static void rest_of(const float (*x)[3], float *rest)
{
    const float d[3] = {x[0][0] - x[1][0], x[0][1] - x[1][1], x[0][2] - x[1][2]};
    rest[0] = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static uint32_t rest_fault(const float *rest)
{
    return rest[0] < 0.0f ? 0 : 1;
}

extern const xpbd_constraint_ops xpbd_ops_distance;
const xpbd_constraint_ops xpbd_ops_distance = {
    .measure = measure, .rest_of = rest_of, .rest_fault = rest_fault};

#endif
