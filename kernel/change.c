/* SPDX-License-Identifier: MIT
 *
 * The largest |now - before| scale of multipliers, two lane groups at a time for the latency of the
 * maxima. Most constraints of a scene weigh the same: of groups whose lanes have one scale it comes
 * as one number, so that a third of the memory is not read. A maximum does not depend on the order,
 * and a NaN, which maxima may lose, makes a sum of zeros one.
 */
#include "kernel/project.h"

extern xpbd_change_fn XPBD_KERNEL_NAME(change);

XPBD_INLINE vf change_at(const float *now, const float *before, const float *scale, float of_group,
                         size_t i)
{
    const vf factor = of_group < 0.0f ? v_load(scale + i) : v_set(of_group);
    return v_mul(v_abs(v_sub(v_load(now + i), v_load(before + i))), factor);
}

float XPBD_KERNEL_NAME(change)(const float *now, const float *before, const float *scale,
                               const float *of_group, uint32_t begin, uint32_t end)
{
    const vf zero = v_set(0.0f);
    vf most[2] = {zero, zero}, poison = zero;
    for (size_t group = begin; group < end; group++) {
        for (size_t part = 0; part < XPBD_GROUP; part += XPBD_WIDTH) {
            const vf h = change_at(now, before, scale, of_group[group], group * XPBD_GROUP + part);
            vf *into = &most[group % 2];
            *into = v_max(h, *into);
            poison = v_add(poison, v_mul(h, zero));
        }
    }
    _Alignas(64) float lanes[2][XPBD_WIDTH];
    v_store(lanes[0], v_max(most[0], most[1]));
    v_store(lanes[1], poison);
    float largest = 0.0f, sum = 0.0f;
    for (size_t lane = 0; lane < XPBD_WIDTH; lane++) {
        largest = lanes[0][lane] > largest ? lanes[0][lane] : largest;
        sum += lanes[1][lane];
    }
    return largest + sum;
}
