/* SPDX-License-Identifier: MIT
 *
 * What distance, rope, strut and tether share: C = |x0 - x1| - L, grad_0 = n, grad_1 = -n with
 * n = (x0 - x1) / |x0 - x1|. They differ in the sign that lambda may have. The file of a type
 * includes this and writes a write() that names its side.
 *
 *     paper    alpha~ = alpha / dt^2    gamma    d_lambda
 *     here     alpha                    gamma    s * length
 *
 * One division: with d = x0 - x1 the correction is w (n d_lambda) = w (d s), where
 * s = (L - |d| - alpha lambda) / (W |d|) and W = w0 + w1 + alpha.
 *
 * One-sided, as projected Gauss-Seidel: lambda + d_lambda is cut at 0 and the difference is
 * applied, so that a constraint takes back what it gave before. Cut before the division: lambda +
 * numerator / W has the sign of numerator - limit with limit = -lambda W, and a numerator of limit
 * leaves a lambda of 0. Damping (eq. 26) acts only where the constraint would hold without it: a
 * slack rope is not braked.
 *
 * Degenerate: coincident particles have no n, and nothing can move two pinned ones at alpha 0. Both
 * make the denominator 0; s is 0 then, and diagnostics count the constraint. The limit below it is
 * the smallest normal number, not a length: scenes in millimetres are as good as in metres.
 */
#ifndef XPBD_KERNEL_LENGTH_H
#define XPBD_KERNEL_LENGTH_H

#include "kernel/project.h"

#include <float.h>

/** What a constraint may do: the sign of lambda, as in xpbd_constraint_ops.side. */
enum { LENGTH_PULL = -1, LENGTH_BOTH = 0, LENGTH_PUSH = 1 };

typedef struct xpbd_read {
    xpbd_pair pair;
    vf weight, length, rate;
} xpbd_read;

/* Ask for what the stream has a dozen groups further on. In cache that costs a hundredth; out of it
 * the processor does not keep up with five arrays by itself. */
XPBD_INLINE void length_prefetch(const xpbd_lanes *at)
{
    const size_t further = at->i + 12 * XPBD_GROUP;
    if (XPBD_WIDTH == XPBD_GROUP) {
        __builtin_prefetch(at->stream->id[0] + further);
        __builtin_prefetch(at->stream->id[1] + further);
        __builtin_prefetch(at->stream->rest[0] + further);
        __builtin_prefetch(at->stream->compliance + further);
        __builtin_prefetch(at->stream->lambda[0] + further, 1);
    }
}

XPBD_INLINE xpbd_read read(const xpbd_lanes *at, unsigned variant)
{
    const uint32_t *a = lanes_id(at, 0), *b = lanes_id(at, 1);
    length_prefetch(at);
    xpbd_read now;
    now.pair = lanes_pair(at, variant);
    const vf4 d = pair_difference(&now.pair);
    now.weight = lanes_pair_weight(at, d, variant);
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

/* Beyond the limit on the side where lambda has its sign. */
XPBD_INLINE vm length_holds(int side, vf numerator, vf limit)
{
    return side == LENGTH_PULL ? v_lt(numerator, limit) : v_gt(numerator, limit);
}

/** side: a constant; the branches on it are gone when compiled. */
XPBD_INLINE void length_write(const xpbd_lanes *at, const xpbd_read *now, int side,
                              unsigned variant)
{
    const vf alpha = lanes_alpha(at);
    const vf lambda = lanes_lambda(at, 0, variant);
    vf numerator = v_sub(v_sub(lanes_rest(at, 0), now->length), v_mul(alpha, lambda));
    vf weight = now->weight;
    const vf undamped = numerator, undamped_weight = v_add(weight, alpha);
    if (variant & XPBD_VARIANT_DAMPED) {
        const vf gamma = lanes_gamma(at);
        numerator = v_sub(numerator, v_mul(gamma, now->rate));
        weight = v_mul(v_add(v_set(1.0f), gamma), weight);
    }
    weight = v_add(weight, alpha);
    const vf back = v_neg(lambda), limit = v_mul(back, weight);
    vm holds = v_gt(weight, v_set(0.0f));
    if (side != LENGTH_BOTH) {
        /* Softened here, so that what is taken back is taken back whole. */
        numerator = lanes_soften(at, numerator, variant);
        holds = length_holds(side, numerator, limit);
        if (variant & XPBD_VARIANT_DAMPED) {
            holds = m_and(holds, length_holds(side, undamped, v_mul(back, undamped_weight)));
        }
        numerator = v_select(holds, numerator, limit);
    }
    const vf denominator = v_mul(weight, now->length);
    const vf ratio = v_div_where(v_gt(denominator, v_set(FLT_MIN)), numerator, denominator);
    vf s = ratio, d_lambda;
    if (side == LENGTH_BOTH) {
        s = lanes_soften(at, ratio, variant);
        d_lambda = v_mul(s, now->length);
    } else {
        /* Rounding may not carry lambda past 0, and what does not hold has a lambda of exactly 0.
         */
        d_lambda = v_mul(s, now->length);
        d_lambda = side == LENGTH_PULL ? v_min(d_lambda, back) : v_max(d_lambda, back);
        d_lambda = v_select(holds, d_lambda, back);
    }
    lanes_add_lambda(at, 0, lambda, d_lambda, variant);
    if (variant & XPBD_VARIANT_ACCUMULATE) {
        vf4 a, b;
        pair_corrections(&now->pair, s, &a, &b);
        lanes_correct(at, 2, 0, a);
        lanes_correct(at, 2, 1, b);
    } else {
        lanes_move_pair(at, &now->pair, s, variant);
    }
}

#if XPBD_DESCRIBE

#include <math.h>

static bool length_measure(const double (*x)[3], const float *rest, double *C,
                           double (*gradient)[3])
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
static void length_rest_of(const float (*x)[3], float *rest)
{
    const float d[3] = {x[0][0] - x[1][0], x[0][1] - x[1][1], x[0][2] - x[1][2]};
    rest[0] = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static uint32_t length_rest_fault(const float *rest)
{
    return rest[0] < 0.0f ? 0 : 1;
}

#endif
#endif
