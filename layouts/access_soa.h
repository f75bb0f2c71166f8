/* SPDX-License-Identifier: MIT
 *
 * How kernels reach particles in one array per component. The names are the same as in the other
 * access headers; kernels are compiled with one of them.
 *
 * Speed: a lane's particle is four loads and three stores of single floats here, and takes longer
 * than the arithmetic of most types, which so miss the aim of 3 times the scalar kernel on avx2 and
 * 4 times on avx512. On aos4 it is one load and one store.
 */
#ifndef XPBD_LAYOUTS_ACCESS_H
#define XPBD_LAYOUTS_ACCESS_H

#include "base/simd.h"
#include "layouts/store.h"

/** XPBD_WIDTH neighbours from slot i, w being the weight where there is one. */
XPBD_INLINE vf4 range_load(const xpbd_store *store, const float *array, size_t i)
{
    const float *x = array + i;
    const size_t plane = store->plane;
    return (vf4){v_load(x), v_load(x + plane), v_load(x + 2 * plane), v_load(x + 3 * plane)};
}
XPBD_INLINE void range_store(const xpbd_store *store, float *array, size_t i, vf4 value)
{
    float *x = array + i;
    const size_t plane = store->plane;
    v_store(x, value.x);
    v_store(x + plane, value.y);
    v_store(x + 2 * plane, value.z);
    v_store(x + 3 * plane, value.w);
}

/** XPBD_WIDTH particles by slot. */
XPBD_INLINE vf4 point_load(const xpbd_store *store, const float *array, const uint32_t *id)
{
    const size_t plane = store->plane;
    return (vf4){v_gather(array, id), v_gather(array + plane, id), v_gather(array + 2 * plane, id),
                 v_gather(array + 3 * plane, id)};
}
XPBD_INLINE void point_store(const xpbd_store *store, float *array, const uint32_t *id, vf4 value)
{
    /* The weight does not change. */
    const size_t plane = store->plane;
    v_scatter(array, id, value.x);
    v_scatter(array + plane, id, value.y);
    v_scatter(array + 2 * plane, id, value.z);
}

/** Two particles a, b per lane; what most kernels need is the difference alone. */
typedef struct xpbd_pair {
    vf4 a, b, d;
} xpbd_pair;

XPBD_INLINE xpbd_pair pair_load(const xpbd_store *store, const float *array, const uint32_t *a,
                                const uint32_t *b)
{
    const vf4 p = point_load(store, array, a), q = point_load(store, array, b);
    return (xpbd_pair){p, q, {v_sub(p.x, q.x), v_sub(p.y, q.y), v_sub(p.z, q.z), v_add(p.w, q.w)}};
}
/** xyz: a - b; w: sum of the weights. */
XPBD_INLINE vf4 pair_difference(const xpbd_pair *pair)
{
    return pair->d;
}
/** a += w_a s (a - b), b -= w_b s (a - b), with one s per lane. */
XPBD_INLINE void pair_move(const xpbd_store *store, float *array, const uint32_t *a,
                           const uint32_t *b, const xpbd_pair *pair, vf s)
{
    const vf4 p = pair->a, q = pair->b;
    const vf x = v_mul(pair->d.x, s), y = v_mul(pair->d.y, s), z = v_mul(pair->d.z, s);
    point_store(store, array, a,
                (vf4){v_add(p.x, v_mul(p.w, x)), v_add(p.y, v_mul(p.w, y)),
                      v_add(p.z, v_mul(p.w, z)), p.w});
    point_store(store, array, b,
                (vf4){v_sub(q.x, v_mul(q.w, x)), v_sub(q.y, v_mul(q.w, y)),
                      v_sub(q.z, v_mul(q.w, z)), q.w});
}
/** The same two corrections, as components. */
XPBD_INLINE void pair_corrections(const xpbd_pair *pair, vf s, vf4 *a, vf4 *b)
{
    const vf x = v_mul(pair->d.x, s), y = v_mul(pair->d.y, s), z = v_mul(pair->d.z, s);
    const vf zero = v_set(0.0f);
    *a = (vf4){v_mul(pair->a.w, x), v_mul(pair->a.w, y), v_mul(pair->a.w, z), zero};
    *b = (vf4){v_sub(zero, v_mul(pair->b.w, x)), v_sub(zero, v_mul(pair->b.w, y)),
               v_sub(zero, v_mul(pair->b.w, z)), zero};
}

#endif
