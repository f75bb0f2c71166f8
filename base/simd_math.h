/* SPDX-License-Identifier: MIT
 *
 * Functions of mathematics in the vocabulary of simd.h, hence with the same bits everywhere, which
 * the C library's do not have.
 */
#ifndef XPBD_BASE_SIMD_MATH_H
#define XPBD_BASE_SIMD_MATH_H

#include "base/simd.h"

/* atan t for |t| <= tan(pi / 8), as t + t s P(s) with s = t^2. P is the minimax polynomial of the
 * relative error of atan: Remez exchange in 50 digits, lowest coefficient rounded to float and
 * held, the others fitted again, and so on. Its own error is 7e-10, a hundredth of an ulp. */
XPBD_INLINE vf v_atan_small(vf t)
{
    const vf s = v_mul(t, t);
    vf P = v_set(-0x1.f2e778p-5f);
    P = v_add(v_mul(P, s), v_set(0x1.b22494p-4f));
    P = v_add(v_mul(P, s), v_set(-0x1.23b9a4p-3f));
    P = v_add(v_mul(P, s), v_set(0x1.9991e2p-3f));
    P = v_add(v_mul(P, s), v_set(-0x1.55554ap-2f));
    return v_add(t, v_mul(v_mul(t, s), P));
}

/** Angle of the point (x, y) to the x axis, in (-pi, pi] rounded to float; error below 2.2 ulp.
 *  Zeros have no sign here: the angle of (-1, -0) is pi and that of the origin 0. Exact, that is
 *  the float next to it, where x or y is 0. Finite x and y only.
 *
 *  With t the smaller of |x| and |y| over the larger one, or where that is past tan(pi / 8) the
 *  tangent of what it lacks to pi / 4, the angle is k pi / 4 + atan t with some signs. pi / 4 is
 *  cut in two, so that k pi / 4 has no error of its own: k hi is exact. */
XPBD_INLINE vf v_atan2(vf y, vf x)
{
    const vf zero = v_set(0.0f), one = v_set(1.0f);
    const vf ax = v_abs(x), ay = v_abs(y);
    const vf most = v_max(ax, ay), least = v_min(ax, ay);
    const vm steep = v_gt(ay, ax), behind = v_lt(x, zero), below = v_lt(y, zero);
    const vm far = v_gt(least, v_mul(most, v_set(0x1.a8279ap-2f)));
    const vf up = v_select(far, v_sub(least, most), least);
    const vf down = v_select(far, v_add(most, least), most);
    vf angle = v_atan_small(v_div_where(v_gt(down, zero), up, down));
    vf k = v_keep(far, one);
    angle = v_select(steep, v_neg(angle), angle);
    k = v_select(steep, v_sub(v_set(2.0f), k), k);
    angle = v_select(behind, v_neg(angle), angle);
    k = v_select(behind, v_sub(v_set(4.0f), k), k);
    const vf hi = v_mul(k, v_set(0x1.921fcp-1f)), lo = v_mul(k, v_set(-0x1.5777a6p-22f));
    angle = v_add(hi, v_add(lo, angle));
    return v_select(below, v_neg(angle), angle);
}

#endif
