/* SPDX-License-Identifier: MIT
 *
 * Compiled once per instruction set, as the kernels are. Seven chains are enough to hide the
 * latency of a sum or a product, and fit sixteen registers.
 */
#include "bench/roof/roof_lanes.h"

#include "base/simd.h"

#define PASTE_(a, b) a##__##b
#define PASTE(a, b)  PASTE_(a, b)
/** bench_roof_lanes__<isa> */
#define TABLE PASTE(bench_roof_lanes, XPBD_ISA)

extern const roof_lanes TABLE;

static float sum_of(const vf *a, int n)
{
    _Alignas(64) float lane[XPBD_WIDTH];
    float sum = 0;
    for (int k = 0; k < n; k++) {
        v_store(lane, a[k]);
        for (int i = 0; i < XPBD_WIDTH; i++)
            sum += lane[i];
    }
    return sum;
}

/* `one` comes from outside: a compiler that knew it would leave the products out. */
static float arithmetic(uint64_t turns, float one)
{
    const vf unit = v_set(one);
    vf a[ROOF_CHAINS], b[ROOF_CHAINS];
    for (int k = 0; k < ROOF_CHAINS; k++)
        a[k] = b[k] = unit;
    for (uint64_t i = 0; i < turns; i++)
        for (int k = 0; k < ROOF_CHAINS; k++) {
            a[k] = v_mul(a[k], unit);
            b[k] = v_add(b[k], unit);
        }
    return sum_of(a, ROOF_CHAINS) + sum_of(b, ROOF_CHAINS);
}

/* The sums in these two loops are in other units' time. */
static float root(uint64_t turns, float one)
{
    const vf more = v_set(one + 0.7f);
    vf a[ROOF_CHAINS];
    for (int k = 0; k < ROOF_CHAINS; k++)
        a[k] = more;
    for (uint64_t i = 0; i < turns; i++)
        for (int k = 0; k < ROOF_CHAINS; k++)
            a[k] = v_sqrt(v_add(a[k], more));
    return sum_of(a, ROOF_CHAINS);
}

static float divide(uint64_t turns, float one)
{
    const vf more = v_set(one + 0.7f);
    vf a[ROOF_CHAINS];
    for (int k = 0; k < ROOF_CHAINS; k++)
        a[k] = more;
    for (uint64_t i = 0; i < turns; i++)
        for (int k = 0; k < ROOF_CHAINS; k++)
            a[k] = v_div(more, v_add(a[k], more));
    return sum_of(a, ROOF_CHAINS);
}

enum { UNROLL = ROOF_STRIDE / 16 };

static float read_all(const float *p, size_t n)
{
    vf sum[UNROLL];
    for (int k = 0; k < UNROLL; k++)
        sum[k] = v_set(0.0f);
    for (size_t i = 0; i < n; i += UNROLL * XPBD_WIDTH)
        for (int k = 0; k < UNROLL; k++)
            sum[k] = v_add(sum[k], v_load(p + i + k * XPBD_WIDTH));
    return sum_of(sum, UNROLL);
}

static void update(float *p, size_t n, float add)
{
    const vf more = v_set(add);
    for (size_t i = 0; i < n; i += UNROLL * XPBD_WIDTH)
        for (int k = 0; k < UNROLL; k++)
            v_store(p + i + k * XPBD_WIDTH, v_add(v_load(p + i + k * XPBD_WIDTH), more));
}

static void store(float *p, size_t n, float value)
{
    _Alignas(64) const float record[4] = {value, value, value, value};
    const q4 r = q_load(record);
    for (size_t i = 0; i < n; i += ROOF_STRIDE)
        for (int k = 0; k < ROOF_STRIDE / 4; k++)
            q_store(p + i + 4 * k, r);
}

const roof_lanes TABLE = {.width = XPBD_WIDTH,
                          .arithmetic = arithmetic,
                          .root = root,
                          .divide = divide,
                          .read = read_all,
                          .update = update,
                          .store = store};
