/* SPDX-License-Identifier: MIT
 *
 * The vocabulary of simd.h for one lane, in plain C: the reference that every width must equal. A
 * packet is one record, with its components in r[0] ... r[3].
 */
#ifndef XPBD_BASE_SIMD_SCALAR_H
#define XPBD_BASE_SIMD_SCALAR_H

#include <stdbool.h>

typedef float vf;
typedef bool vm;

typedef struct vf4 {
    vf x, y, z, w;
} vf4;

XPBD_INLINE vf v_set(float a)
{
    return a;
}
XPBD_INLINE vf v_load(const float *p)
{
    return *p;
}
XPBD_INLINE void v_store(float *p, vf a)
{
    *p = a;
}
XPBD_INLINE vf v_add(vf a, vf b)
{
    return a + b;
}
XPBD_INLINE vf v_sub(vf a, vf b)
{
    return a - b;
}
XPBD_INLINE vf v_mul(vf a, vf b)
{
    return a * b;
}
XPBD_INLINE vf v_div(vf a, vf b)
{
    return a / b;
}
XPBD_INLINE vf v_sqrt(vf a)
{
    return __builtin_sqrtf(a);
}
XPBD_INLINE vf v_max(vf a, vf b)
{
    return a > b ? a : b;
}
XPBD_INLINE vm v_gt(vf a, vf b)
{
    return a > b;
}
XPBD_INLINE vf v_keep(vm m, vf a)
{
    return m ? a : 0.0f;
}
XPBD_INLINE vf v_select(vm m, vf a, vf b)
{
    return m ? a : b;
}
XPBD_INLINE vm m_and(vm m, vm n)
{
    return m && n;
}
XPBD_INLINE vf v_min(vf a, vf b)
{
    return a < b ? a : b;
}
XPBD_INLINE vf v_neg(vf a)
{
    return -a;
}
XPBD_INLINE vf v_abs(vf a)
{
    return __builtin_fabsf(a);
}
XPBD_INLINE vf v_gather(const float *base, const uint32_t *id)
{
    return base[*id];
}
XPBD_INLINE void v_scatter(float *base, const uint32_t *id, vf a)
{
    base[*id] = a;
}

typedef struct vp {
    vf r[4];
} vp;

XPBD_INLINE vp p_gather(const float *base, const uint32_t *id, size_t unit)
{
    const float *p = base + unit * *id;
    return (vp){{p[0], p[1], p[2], p[3]}};
}
XPBD_INLINE void p_scatter(float *base, const uint32_t *id, size_t unit, vp p)
{
    for (int k = 0; k < 4; k++) {
        base[unit * *id + (size_t)k] = p.r[k];
    }
}
XPBD_INLINE vf4 p_components(vp p)
{
    return (vf4){p.r[0], p.r[1], p.r[2], p.r[3]};
}
XPBD_INLINE vp p_records(vf4 c)
{
    return (vp){{c.x, c.y, c.z, c.w}};
}
XPBD_INLINE vp p_difference(vp a, vp b)
{
    return (vp){{a.r[0] - b.r[0], a.r[1] - b.r[1], a.r[2] - b.r[2], a.r[3] + b.r[3]}};
}
XPBD_INLINE vp p_scale(vp d, vf s)
{
    return (vp){{d.r[0] * s, d.r[1] * s, d.r[2] * s, 0.0f}};
}
XPBD_INLINE vp p_weigh(vp a, vp c)
{
    return (vp){{a.r[3] * c.r[0], a.r[3] * c.r[1], a.r[3] * c.r[2], a.r[3] * c.r[3]}};
}
XPBD_INLINE vp p_add(vp a, vp b)
{
    return (vp){{a.r[0] + b.r[0], a.r[1] + b.r[1], a.r[2] + b.r[2], a.r[3] + b.r[3]}};
}
XPBD_INLINE vp p_sub(vp a, vp b)
{
    return (vp){{a.r[0] - b.r[0], a.r[1] - b.r[1], a.r[2] - b.r[2], a.r[3] - b.r[3]}};
}

typedef vp q4;
XPBD_INLINE q4 q_zero(void)
{
    return (q4){{0.0f, 0.0f, 0.0f, 0.0f}};
}
XPBD_INLINE q4 q_load(const float *p)
{
    return (q4){{p[0], p[1], p[2], p[3]}};
}
XPBD_INLINE void q_store(float *p, q4 a)
{
    for (int k = 0; k < 4; k++) {
        p[k] = a.r[k];
    }
}
XPBD_INLINE q4 q_add(q4 a, q4 b)
{
    return p_add(a, b);
}
XPBD_INLINE q4 q_scale(q4 a, float s)
{
    return (q4){{a.r[0] * s, a.r[1] * s, a.r[2] * s, a.r[3] * s}};
}

#endif
