/* SPDX-License-Identifier: MIT
 *
 * The vocabulary of the kernels, and the only file that names an intrinsic. A vf is XPBD_WIDTH
 * floats, one per constraint (or particle); a vm says for which of them a condition holds.
 *
 * Only operations that IEEE 754 rounds the same way everywhere: no fused multiply-add, no
 * reciprocal estimates, no sums over lanes. That is what makes the bits equal for all widths.
 *
 * Particles that are stored as 16-byte records {x, y, z, w} are read with 128-bit loads. A packet
 * is XPBD_WIDTH of them: lane m (of 128 bits) of register k holds record 4 m + k. So the
 * transposition to components stays inside 128-bit lanes, and spreading one number per record over
 * the record is one shuffle inside lanes. With 16 lanes (8 and 4 have two and one columns):
 *
 *     r[0] = record  0 |  4 |  8 | 12          x = x0 x1 x2 x3 | x4 ... x7 | ... | ... x15
 *     r[1] = record  1 |  5 |  9 | 13   <-->   y = y0 y1 y2 y3 | ...
 *     r[2] = record  2 |  6 | 10 | 14          z
 *     r[3] = record  3 |  7 | 11 | 15          w
 */
#ifndef XPBD_BASE_SIMD_H
#define XPBD_BASE_SIMD_H

#include <stddef.h>
#include <stdint.h>

#define XPBD_INLINE static inline __attribute__((always_inline, unused))

#if defined(XPBD_ISA_SCALAR)

#define XPBD_WIDTH 1
#include "base/simd_scalar.h"

#else

/* ---------------------------------------------------------------- what differs with the width --
 */

#if defined(XPBD_ISA_SSE2) || defined(XPBD_ISA_NEON)

/* No more of SIMDe than is needed: parsing it is a good part of a compilation. */
#include <simde/x86/sse2.h>
#define XPBD_WIDTH   4
#define V(operation) simde_mm_##operation
typedef simde__m128 vf;
typedef simde__m128 vm;

XPBD_INLINE vm v_gt(vf a, vf b)
{
    return V(cmpgt_ps)(a, b);
}
XPBD_INLINE vf v_keep(vm m, vf a)
{
    return V(and_ps)(m, a);
}
XPBD_INLINE vf v_select(vm m, vf a, vf b)
{
    return V(or_ps)(V(and_ps)(m, a), V(andnot_ps)(m, b));
}
XPBD_INLINE vm m_and(vm m, vm n)
{
    return V(and_ps)(m, n);
}

XPBD_INLINE vf v_gather(const float *base, const uint32_t *id)
{
    return V(setr_ps)(base[id[0]], base[id[1]], base[id[2]], base[id[3]]);
}
XPBD_INLINE vf register_gather(const float *base, const uint32_t *id, size_t unit)
{
    return V(load_ps)(base + unit * id[0]);
}
XPBD_INLINE void register_scatter(float *base, const uint32_t *id, size_t unit, vf r)
{
    V(store_ps)(base + unit * id[0], r);
}

#elif defined(XPBD_ISA_AVX2)

#include <simde/x86/avx2.h>
#include <simde/x86/fma.h>
#define XPBD_WIDTH   8
#define V(operation) simde_mm256_##operation
typedef simde__m256 vf;
typedef simde__m256 vm;

XPBD_INLINE vm v_gt(vf a, vf b)
{
    return V(cmp_ps)(a, b, SIMDE_CMP_GT_OQ);
}
XPBD_INLINE vf v_keep(vm m, vf a)
{
    return V(and_ps)(m, a);
}
XPBD_INLINE vf v_select(vm m, vf a, vf b)
{
    return V(blendv_ps)(b, a, m);
}
XPBD_INLINE vm m_and(vm m, vm n)
{
    return V(and_ps)(m, n);
}

XPBD_INLINE vf v_gather(const float *base, const uint32_t *id)
{
    return V(i32gather_ps)(base, V(load_si256)((const simde__m256i *)(const void *)id), 4);
}
XPBD_INLINE vf register_gather(const float *base, const uint32_t *id, size_t unit)
{
    const vf low = V(castps128_ps256)(simde_mm_load_ps(base + unit * id[0]));
    return V(insertf128_ps)(low, simde_mm_load_ps(base + unit * id[4]), 1);
}
XPBD_INLINE void register_scatter(float *base, const uint32_t *id, size_t unit, vf r)
{
    simde_mm_store_ps(base + unit * id[0], V(castps256_ps128)(r));
    simde_mm_store_ps(base + unit * id[4], V(extractf128_ps)(r, 1));
}

/* Four neighbouring records a b a b as a a and b b, and back. */
XPBD_INLINE void unzip_load(const float *p, vf *a, vf *b)
{
    const vf low = V(loadu_ps)(p), high = V(loadu_ps)(p + 8);
    *a = V(permute2f128_ps)(low, high, 0x20);
    *b = V(permute2f128_ps)(low, high, 0x31);
}
XPBD_INLINE void unzip_store(float *p, vf a, vf b)
{
    V(storeu_ps)(p, V(permute2f128_ps)(a, b, 0x20));
    V(storeu_ps)(p + 8, V(permute2f128_ps)(a, b, 0x31));
}
/* Four neighbouring records a a b b as a a and b b. */
XPBD_INLINE void halve_load(const float *p, vf *a, vf *b)
{
    *a = V(loadu_ps)(p);
    *b = V(loadu_ps)(p + 8);
}
XPBD_INLINE void halve_store(float *p, vf a, vf b)
{
    V(storeu_ps)(p, a);
    V(storeu_ps)(p + 8, b);
}

#elif defined(XPBD_ISA_AVX512)

#include <simde/x86/avx512.h>
#define XPBD_WIDTH   16
#define V(operation) simde_mm512_##operation
typedef simde__m512 vf;
typedef simde__mmask16 vm;

XPBD_INLINE vm v_gt(vf a, vf b)
{
    return V(cmp_ps_mask)(a, b, SIMDE_CMP_GT_OQ);
}
XPBD_INLINE vf v_keep(vm m, vf a)
{
    return V(maskz_mov_ps)(m, a);
}
XPBD_INLINE vf v_select(vm m, vf a, vf b)
{
    return V(mask_blend_ps)(m, b, a);
}
XPBD_INLINE vm m_and(vm m, vm n)
{
    return (vm)(m & n);
}

XPBD_INLINE vf v_gather(const float *base, const uint32_t *id)
{
    /* SIMDe has no name for this one, and this branch is compiled for x86 alone. */
    return _mm512_i32gather_ps(_mm512_load_si512(id), base, 4);
}
XPBD_INLINE vf register_gather(const float *base, const uint32_t *id, size_t unit)
{
    vf r = V(castps128_ps512)(simde_mm_load_ps(base + unit * id[0]));
    r = V(insertf32x4)(r, simde_mm_load_ps(base + unit * id[4]), 1);
    r = V(insertf32x4)(r, simde_mm_load_ps(base + unit * id[8]), 2);
    return V(insertf32x4)(r, simde_mm_load_ps(base + unit * id[12]), 3);
}
XPBD_INLINE void register_scatter(float *base, const uint32_t *id, size_t unit, vf r)
{
    simde_mm_store_ps(base + unit * id[0], V(castps512_ps128)(r));
    simde_mm_store_ps(base + unit * id[4], V(extractf32x4_ps)(r, 1));
    simde_mm_store_ps(base + unit * id[8], V(extractf32x4_ps)(r, 2));
    simde_mm_store_ps(base + unit * id[12], V(extractf32x4_ps)(r, 3));
}

/* Eight neighbouring records a b a b a b a b as a a a a and b b b b, and back. */
XPBD_INLINE void unzip_load(const float *p, vf *a, vf *b)
{
    const vf low = V(loadu_ps)(p), high = V(loadu_ps)(p + 16);
    *a = V(shuffle_f32x4)(low, high, 0x88);
    *b = V(shuffle_f32x4)(low, high, 0xdd);
}
XPBD_INLINE void unzip_store(float *p, vf a, vf b)
{
    const vf low = V(shuffle_f32x4)(a, b, 0x44), high = V(shuffle_f32x4)(a, b, 0xee);
    V(storeu_ps)(p, V(shuffle_f32x4)(low, low, 0xd8));
    V(storeu_ps)(p + 16, V(shuffle_f32x4)(high, high, 0xd8));
}
/* Eight neighbouring records a a b b a a b b, likewise. */
XPBD_INLINE void halve_load(const float *p, vf *a, vf *b)
{
    const vf low = V(loadu_ps)(p), high = V(loadu_ps)(p + 16);
    *a = V(shuffle_f32x4)(low, high, 0x44);
    *b = V(shuffle_f32x4)(low, high, 0xee);
}
XPBD_INLINE void halve_store(float *p, vf a, vf b)
{
    V(storeu_ps)(p, V(shuffle_f32x4)(a, b, 0x44));
    V(storeu_ps)(p + 16, V(shuffle_f32x4)(a, b, 0xee));
}

#else
#error "compile kernels through kernel/kernels.bzl, which names the instruction set"
#endif

/* -------------------------------------------------------------------- what does not, from here --
 */

XPBD_INLINE vf v_set(float a)
{
    return V(set1_ps)(a);
}
XPBD_INLINE vf v_load(const float *p)
{
    return V(load_ps)(p);
}
XPBD_INLINE void v_store(float *p, vf a)
{
    V(store_ps)(p, a);
}
/** p may be anywhere. */
XPBD_INLINE vf v_load_any(const float *p)
{
    return V(loadu_ps)(p);
}
XPBD_INLINE void v_store_any(float *p, vf a)
{
    V(storeu_ps)(p, a);
}
XPBD_INLINE vf v_add(vf a, vf b)
{
    return V(add_ps)(a, b);
}
XPBD_INLINE vf v_sub(vf a, vf b)
{
    return V(sub_ps)(a, b);
}
XPBD_INLINE vf v_mul(vf a, vf b)
{
    return V(mul_ps)(a, b);
}
XPBD_INLINE vf v_div(vf a, vf b)
{
    return V(div_ps)(a, b);
}
XPBD_INLINE vf v_sqrt(vf a)
{
    return V(sqrt_ps)(a);
}
/** a < b ? a : b, so b where they are zeros of either sign or one is no number. */
XPBD_INLINE vf v_min(vf a, vf b)
{
    return V(min_ps)(a, b);
}
/** The sign bit turned, and cleared: of zeros too. */
XPBD_INLINE vf v_neg(vf a)
{
    return V(xor_ps)(a, v_set(-0.0f));
}
XPBD_INLINE vf v_abs(vf a)
{
    return V(andnot_ps)(v_set(-0.0f), a);
}
/** a > b ? a : b */
XPBD_INLINE vf v_max(vf a, vf b)
{
    return V(max_ps)(a, b);
}

XPBD_INLINE void v_scatter(float *base, const uint32_t *id, vf a)
{
    _Alignas(64) float lane[XPBD_WIDTH];
    v_store(lane, a);
    for (int k = 0; k < XPBD_WIDTH; k++) {
        base[id[k]] = lane[k];
    }
}

typedef struct vf4 {
    vf x, y, z, w;
} vf4;

/* 128-bit constants for every record of a register. */
XPBD_INLINE vf record_pattern(uint32_t xyz, uint32_t w)
{
    _Alignas(64) uint32_t word[XPBD_WIDTH];
    for (int k = 0; k < XPBD_WIDTH; k++) {
        word[k] = k % 4 == 3 ? w : xyz;
    }
    return v_load((const float *)(const void *)word);
}

/** Records {x, y, z, w} as they lie in memory, XPBD_WIDTH / 4 in a register: one and the same
 *  {x, y, z, 0}, and w spread over each record. */
XPBD_INLINE vf record_set(const float xyz[3])
{
    _Alignas(64) float number[XPBD_WIDTH];
    for (int k = 0; k < XPBD_WIDTH; k++) {
        number[k] = k % 4 == 3 ? 0.0f : xyz[k % 4];
    }
    return v_load(number);
}
XPBD_INLINE vf record_w(vf r)
{
    return V(shuffle_ps)(r, r, 0xff);
}

/* One instruction instead of two, where there is one. b times 1 or -1 is exact, so that the fused
 * operation rounds once and as an addition does. */
XPBD_INLINE vf record_difference(vf a, vf b)
{
#if defined(XPBD_ISA_AVX512) || defined(XPBD_ISA_AVX2)
    return V(fmadd_ps)(b, record_pattern(UINT32_C(0xbf800000), UINT32_C(0x3f800000)), a);
#else
    return v_add(a, V(xor_ps)(b, record_pattern(UINT32_C(0x80000000), 0)));
#endif
}
XPBD_INLINE vf record_xyz_mul(vf a, vf b)
{
#if defined(XPBD_ISA_AVX512)
    return V(maskz_mul_ps)(0x7777, a, b);
#else
    return V(and_ps)(v_mul(a, b), record_pattern(UINT32_C(0xffffffff), 0));
#endif
}
#if defined(XPBD_ISA_AVX2)
/** Numbers k of every four lanes, spread over x, y and z of their records; w: 0. */
XPBD_INLINE vf record_spread(vf s, int k)
{
    _Alignas(32) int8_t from[32];
    for (int i = 0; i < 32; i++) {
        from[i] = (int8_t)(i % 16 < 12 ? 4 * k + i % 4 : -1);
    }
    const simde__m256i pattern = V(load_si256)((const simde__m256i *)(const void *)from);
    return V(castsi256_ps)(V(shuffle_epi8)(V(castps_si256)(s), pattern));
}
#endif

/* The same four rows seen as columns; it is its own inverse. */
XPBD_INLINE vf4 transpose(vf r0, vf r1, vf r2, vf r3)
{
    const vf xy01 = V(unpacklo_ps)(r0, r1), zw01 = V(unpackhi_ps)(r0, r1);
    const vf xy23 = V(unpacklo_ps)(r2, r3), zw23 = V(unpackhi_ps)(r2, r3);
    return (vf4){V(shuffle_ps)(xy01, xy23, 0x44), V(shuffle_ps)(xy01, xy23, 0xee),
                 V(shuffle_ps)(zw01, zw23, 0x44), V(shuffle_ps)(zw01, zw23, 0xee)};
}

typedef struct vp {
    vf r[4];
} vp;

/** Records at base + unit id[]. With a unit of 1, ids that count floats already, an address takes
 * no instruction of its own; with 4 they are numbers of records. */
XPBD_INLINE vp p_gather(const float *base, const uint32_t *id, size_t unit)
{
    vp p;
    for (int k = 0; k < 4; k++) {
        p.r[k] = register_gather(base, id + k, unit);
    }
    return p;
}
XPBD_INLINE void p_scatter(float *base, const uint32_t *id, size_t unit, vp p)
{
    for (int k = 0; k < 4; k++) {
        register_scatter(base, id + k, unit, p.r[k]);
    }
}
XPBD_INLINE vf4 p_components(vp p)
{
    return transpose(p.r[0], p.r[1], p.r[2], p.r[3]);
}
XPBD_INLINE vp p_records(vf4 c)
{
    const vf4 r = transpose(c.x, c.y, c.z, c.w);
    return (vp){{r.x, r.y, r.z, r.w}};
}

/** xyz: a - b, exactly as a subtraction rounds; w: a + b. */
XPBD_INLINE vp p_difference(vp a, vp b)
{
    vp d;
    for (int k = 0; k < 4; k++) {
        d.r[k] = record_difference(a.r[k], b.r[k]);
    }
    return d;
}
/** xyz: d s, with one s per record; w: 0. */
XPBD_INLINE vp p_scale(vp d, vf s)
{
    return (vp){{record_xyz_mul(d.r[0], V(shuffle_ps)(s, s, 0x00)),
                 record_xyz_mul(d.r[1], V(shuffle_ps)(s, s, 0x55)),
                 record_xyz_mul(d.r[2], V(shuffle_ps)(s, s, 0xaa)),
                 record_xyz_mul(d.r[3], V(shuffle_ps)(s, s, 0xff))}};
}
/** w of a, times c. */
XPBD_INLINE vp p_weigh(vp a, vp c)
{
    vp d;
    for (int k = 0; k < 4; k++) {
        d.r[k] = v_mul(V(shuffle_ps)(a.r[k], a.r[k], 0xff), c.r[k]);
    }
    return d;
}
XPBD_INLINE vp p_add(vp a, vp b)
{
    return (vp){{v_add(a.r[0], b.r[0]), v_add(a.r[1], b.r[1]), v_add(a.r[2], b.r[2]),
                 v_add(a.r[3], b.r[3])}};
}
XPBD_INLINE vp p_sub(vp a, vp b)
{
    return (vp){{v_sub(a.r[0], b.r[0]), v_sub(a.r[1], b.r[1]), v_sub(a.r[2], b.r[2]),
                 v_sub(a.r[3], b.r[3])}};
}

/* One record at a time. */
typedef simde__m128 q4;
XPBD_INLINE q4 q_zero(void)
{
    return simde_mm_setzero_ps();
}
XPBD_INLINE q4 q_load(const float *p)
{
    return simde_mm_load_ps(p);
}
XPBD_INLINE void q_store(float *p, q4 a)
{
    simde_mm_store_ps(p, a);
}
XPBD_INLINE q4 q_add(q4 a, q4 b)
{
    return simde_mm_add_ps(a, b);
}
XPBD_INLINE q4 q_scale(q4 a, float s)
{
    return simde_mm_mul_ps(a, simde_mm_set1_ps(s));
}

#endif

/* v_select(m, a, b): a where m holds, b elsewhere. m_and(m, n): where both hold. */
XPBD_INLINE vm v_lt(vf a, vf b)
{
    return v_gt(b, a);
}
/** a / b where m holds, 0 elsewhere, whatever b is there. */
XPBD_INLINE vf v_div_where(vm m, vf a, vf b)
{
    return v_keep(m, v_div(a, b));
}

/** The records of XPBD_WIDTH neighbours, as components. */
XPBD_INLINE vf4 p_load(const float *base)
{
    static const uint32_t id[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return p_components(p_gather(base, id, 4));
}
XPBD_INLINE void p_store(float *base, vf4 c)
{
    static const uint32_t id[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    p_scatter(base, id, 4, p_records(c));
}

#endif
