/* SPDX-License-Identifier: MIT
 *
 * Put before a kernel's source by roof.bzl: the vocabulary of simd.h for one lane, with a count of
 * what is done. So what a constraint needs is not written down anywhere but in its kernel.
 */
#ifndef BENCH_ROOF_ROOF_COUNT_SIMD_H
#define BENCH_ROOF_ROOF_COUNT_SIMD_H

#include <stdint.h>

/* One lane, but not the file's description in double precision, which is compiled elsewhere. */
#define XPBD_ISA_SCALAR 1
#include "base/simd.h"
#undef XPBD_ISA_SCALAR

/** Counts of this process: the kernels have nowhere else to put them. */
typedef struct roof_counts {
    uint64_t operations; /* sums, differences, products */
    uint64_t roots, quotients;
    uint64_t loaded, stored; /* bytes */
} roof_counts;
extern roof_counts roof_counted;

XPBD_INLINE vf count_operation(vf a, uint64_t n)
{
    roof_counted.operations += n;
    return a;
}
XPBD_INLINE vf count_root(vf a)
{
    roof_counted.roots++;
    return v_sqrt(a);
}
XPBD_INLINE vf count_quotient(vf a)
{
    roof_counted.quotients++;
    return a;
}
XPBD_INLINE const float *count_load(const float *p, uint64_t bytes)
{
    roof_counted.loaded += bytes;
    return p;
}
XPBD_INLINE float *count_store(float *p, uint64_t bytes)
{
    roof_counted.stored += bytes;
    return p;
}
XPBD_INLINE vp count_packet(vp p, uint64_t n)
{
    roof_counted.operations += n;
    return p;
}

/* Functions can not take the names of others; from here on the kernel's calls are counted. */
#define v_add(a, b)                  count_operation(v_add(a, b), 1)
#define v_sub(a, b)                  count_operation(v_sub(a, b), 1)
#define v_mul(a, b)                  count_operation(v_mul(a, b), 1)
#define v_div(a, b)                  count_quotient(v_div(a, b))
#define v_div_where(m, a, b)         count_quotient(v_div_where(m, a, b))
#define v_sqrt(a)                    count_root(a)
#define v_load(p)                    v_load(count_load(p, 4))
#define v_store(p, a)                v_store(count_store(p, 4), a)
#define v_gather(base, id)           v_gather(count_load(base, 8), id)
#define v_scatter(base, id, a)       v_scatter(count_store(base, 4), id, a)
#define p_gather(base, id, unit)     p_gather(count_load(base, 20), id, unit)
#define p_scatter(base, id, unit, p) p_scatter(count_store(base, 16), id, unit, p)
#define p_load(base)                 p_load(count_load(base, 16))
#define p_store(base, ...)           p_store(count_store(base, 16), __VA_ARGS__)
#define q_load(p)                    q_load(count_load(p, 16))
#define q_store(p, a)                q_store(count_store(p, 16), a)
#define p_difference(a, b)           count_packet(p_difference(a, b), 4)
#define p_scale(d, s)                count_packet(p_scale(d, s), 3)
#define p_weigh(a, c)                count_packet(p_weigh(a, c), 3)
#define p_add(a, b)                  count_packet(p_add(a, b), 3)
#define p_sub(a, b)                  count_packet(p_sub(a, b), 3)
#define q_add(a, b)                  count_packet(q_add(a, b), 4)
#define q_scale(a, s)                count_packet(q_scale(a, s), 4)

#endif
