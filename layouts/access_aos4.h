/* SPDX-License-Identifier: MIT
 *
 * How kernels reach particles in 16-byte records {x, y, z, weight}: packets, see base/simd.h. The
 * names are the same as in the other access headers; kernels are compiled with one of them.
 */
#ifndef XPBD_LAYOUTS_ACCESS_H
#define XPBD_LAYOUTS_ACCESS_H

#include "base/simd.h"
#include "layouts/stream.h"

/** XPBD_WIDTH neighbours from slot i, w being the weight where there is one. */
XPBD_INLINE vf4 range_load(const xpbd_store *store, const float *array, size_t i)
{
    (void)store;
    return p_load(array + 4 * i);
}
XPBD_INLINE void range_store(const xpbd_store *store, float *array, size_t i, vf4 value)
{
    (void)store;
    p_store(array + 4 * i, value);
}

/** XPBD_WIDTH particles by slot. */
XPBD_INLINE vf4 point_load(const xpbd_store *store, const float *array, const uint32_t *id)
{
    (void)store;
    return p_components(p_gather(array, id, 1));
}
XPBD_INLINE void point_store(const xpbd_store *store, float *array, const uint32_t *id, vf4 value)
{
    (void)store;
    p_scatter(array, id, 1, p_records(value));
}

/** Two particles a, b per lane; what most kernels need is the difference alone. */
typedef struct xpbd_pair {
    vp a, b, d;
} xpbd_pair;

XPBD_INLINE xpbd_pair pair_load(const xpbd_store *store, const float *array, const uint32_t *a,
                                const uint32_t *b)
{
    (void)store;
    xpbd_pair pair = {p_gather(array, a, 1), p_gather(array, b, 1), {{v_set(0.0f)}}};
    pair.d = p_difference(pair.a, pair.b);
    return pair;
}
/** xyz: a - b; w: sum of the weights. */
XPBD_INLINE vf4 pair_difference(const xpbd_pair *pair)
{
    return p_components(pair->d);
}
/* With few registers it takes less time to read particles once more than to keep them. */
#define XPBD_READ_AGAIN (XPBD_WIDTH == 4 || XPBD_WIDTH == 8)
/** a += w_a s (a - b), b -= w_b s (a - b), with one s per lane. */
XPBD_INLINE void pair_move(const xpbd_store *store, float *array, const uint32_t *a,
                           const uint32_t *b, const xpbd_pair *pair, vf s)
{
    (void)store;
    const vp c = p_scale(pair->d, s);
    const vp from_a = XPBD_READ_AGAIN ? p_gather(array, a, 1) : pair->a;
    p_scatter(array, a, 1, p_add(from_a, p_weigh(from_a, c)));
    const vp from_b = XPBD_READ_AGAIN ? p_gather(array, b, 1) : pair->b;
    p_scatter(array, b, 1, p_sub(from_b, p_weigh(from_b, c)));
}
/** The same two corrections, as components. */
XPBD_INLINE void pair_corrections(const xpbd_pair *pair, vf s, vf4 *a, vf4 *b)
{
    const vf none = v_set(0.0f);
    const vp c = p_scale(pair->d, s), zero = {{none, none, none, none}};
    *a = p_components(p_weigh(pair->a, c));
    *b = p_components(p_sub(zero, p_weigh(pair->b, c)));
}

/** Kernels that treat all components alike may take records as they are. */
#if XPBD_WIDTH >= 4
#define XPBD_RECORDS 1
#endif

#if XPBD_WIDTH >= 8
#define XPBD_RUNS 1
/** Kernels for runs whose particles all weigh the same. With 16 lanes they would gain nothing. */
#if XPBD_WIDTH == 8
#define XPBD_EVEN_RUNS 1
#endif

XPBD_INLINE void run_read(const float *array, uint32_t a, uint32_t b, xpbd_run_kind kind, vf *to_a,
                          vf *to_b)
{
    if (kind == XPBD_RUN_ZIPPED) {
        unzip_load(array + a, to_a, to_b);
    } else if (kind == XPBD_RUN_HALVED) {
        halve_load(array + a, to_a, to_b);
    } else {
        *to_a = v_load_any(array + a);
        *to_b = v_load_any(array + b);
    }
}
XPBD_INLINE void run_write(float *array, uint32_t a, uint32_t b, xpbd_run_kind kind, vf from_a,
                           vf from_b)
{
    if (kind == XPBD_RUN_ZIPPED) {
        unzip_store(array + a, from_a, from_b);
    } else if (kind == XPBD_RUN_HALVED) {
        halve_store(array + a, from_a, from_b);
    } else {
        v_store_any(array + a, from_a);
        v_store_any(array + b, from_b);
    }
}
/** pair_load() for a group that is a run of some kind, a constant: the registers are read as a
 *  whole, each from the place of its first lane. The difference has no weights where all are even.
 */
XPBD_INLINE xpbd_pair run_load(const xpbd_store *store, const float *array, const uint32_t *a,
                               const uint32_t *b, xpbd_run_kind kind, bool even)
{
    (void)store;
    xpbd_pair pair;
    for (int k = 0; k < 4; k++) {
        run_read(array, a[k], b[k], kind, &pair.a.r[k], &pair.b.r[k]);
        pair.d.r[k] =
            even ? v_sub(pair.a.r[k], pair.b.r[k]) : record_difference(pair.a.r[k], pair.b.r[k]);
    }
    return pair;
}
/** pair_move() likewise. */
XPBD_INLINE void run_move(const xpbd_store *store, float *array, const uint32_t *a,
                          const uint32_t *b, const xpbd_pair *pair, vf s, xpbd_run_kind kind)
{
    (void)store;
    const vp c = p_scale(pair->d, s);
    for (int k = 0; k < 4; k++) {
        vf x = pair->a.r[k], y = pair->b.r[k];
        if (XPBD_READ_AGAIN) {
            run_read(array, a[k], b[k], kind, &x, &y);
        }
        run_write(array, a[k], b[k], kind, v_add(x, v_mul(record_w(x), c.r[k])),
                  v_sub(y, v_mul(record_w(y), c.r[k])));
    }
}
#ifdef XPBD_EVEN_RUNS
/** The same for particles that all have the weight w. */
XPBD_INLINE void run_move_even(float *array, const uint32_t *a, const uint32_t *b,
                               const xpbd_pair *pair, vf s, vf w, xpbd_run_kind kind)
{
    for (int k = 0; k < 4; k++) {
        const vf c = v_mul(w, v_mul(pair->d.r[k], record_spread(s, k)));
        vf x, y;
        run_read(array, a[k], b[k], kind, &x, &y);
        run_write(array, a[k], b[k], kind, v_add(x, c), v_sub(y, c));
    }
}
#endif
#endif

#endif
