/* SPDX-License-Identifier: MIT
 *
 * What kernels of types of variable size share: one unit is one constraint, vectors run along its
 * elements and points. A sum over them is kept in XPBD_GROUP parts, one per lane of a group, which
 * are added in a fixed tree at the end: the order of additions does not depend on the width.
 */
#ifndef XPBD_KERNEL_UNITS_H
#define XPBD_KERNEL_UNITS_H

#include "kernel/project.h"

/* Vectors of a group. */
enum { XPBD_PARTS = XPBD_GROUP / XPBD_WIDTH };

typedef struct xpbd_unit {
    const xpbd_stream *stream;
    const xpbd_units *units;
    const xpbd_store *store;
    const xpbd_pass *pass;
    uint32_t slot;                     /* of values per constraint */
    size_t lane, end;                  /* of its elements, whole groups */
    size_t point, n_points, point_end; /* the same of its points */
} xpbd_unit;

XPBD_INLINE xpbd_unit unit_at(const xpbd_stream *stream, const xpbd_store *store,
                              const xpbd_pass *pass, uint32_t slot)
{
    const xpbd_units *units = stream->units;
    return (xpbd_unit){.stream = stream,
                       .units = units,
                       .store = store,
                       .pass = pass,
                       .slot = slot,
                       .lane = (size_t)units->first_group[slot] * XPBD_GROUP,
                       .end = (size_t)units->first_group[slot + 1] * XPBD_GROUP,
                       .point = (size_t)units->first_point_group[slot] * XPBD_GROUP,
                       .n_points = units->n_points[slot],
                       .point_end = (size_t)units->first_point_group[slot + 1] * XPBD_GROUP};
}

typedef struct xpbd_sum {
    vf part[XPBD_PARTS];
} xpbd_sum;

XPBD_INLINE xpbd_sum sum_zero(void)
{
    xpbd_sum sum;
    for (int k = 0; k < XPBD_PARTS; k++) {
        sum.part[k] = v_set(0.0f);
    }
    return sum;
}
XPBD_INLINE float sum_fold(const xpbd_sum *sum)
{
    _Alignas(64) float a[XPBD_GROUP];
    for (int k = 0; k < XPBD_PARTS; k++) {
        v_store(a + k * XPBD_WIDTH, sum->part[k]);
    }
    for (int n = XPBD_GROUP / 2; n > 0; n /= 2) {
        for (int k = 0; k < n; k++) {
            a[k] = a[k] + a[k + n];
        }
    }
    return a[0];
}

XPBD_INLINE vf v_dot(vf4 a, vf4 b)
{
    return v_add(v_add(v_mul(a.x, b.x), v_mul(a.y, b.y)), v_mul(a.z, b.z));
}

/** Move the points at XPBD_WIDTH lanes, which were loaded as p, by d; or leave the correction d for
 *  gather.c. Pad lanes share their sink with other threads and are not written. */
XPBD_INLINE void unit_move(const xpbd_unit *unit, size_t at, vf4 p, vf4 d, unsigned variant)
{
    const xpbd_store *store = unit->store;
    if (variant & XPBD_VARIANT_ACCUMULATE) {
        p_store(unit->stream->correction + 4 * at, d);
        return;
    }
    const vf4 moved = {v_add(p.x, d.x), v_add(p.y, d.y), v_add(p.z, d.z), p.w};
    const uint32_t *id = unit->units->point + at;
    const size_t last = unit->point + unit->n_points;
    if (at + XPBD_WIDTH <= last) {
        point_store(store, store->position, id, moved);
        return;
    }
    _Alignas(64) float x[3][XPBD_WIDTH];
    v_store(x[0], moved.x);
    v_store(x[1], moved.y);
    v_store(x[2], moved.z);
    for (size_t k = 0; at + k < last; k++) {
        for (uint32_t c = 0; c < 3; c++) {
            store->position[id[k] + c * store->plane] = x[c][k];
        }
    }
}

/** Kernels of a type of variable size: void unit(const xpbd_unit *, unsigned variant). */
#define XPBD_PROJECT_UNITS(name)                                                                   \
    static __attribute__((noinline)) void project(const xpbd_stream *stream,                       \
                                                  const xpbd_store *store, const xpbd_pass *pass,  \
                                                  uint32_t begin, uint32_t end, unsigned variant)  \
    {                                                                                              \
        for (uint32_t slot = begin; slot < end; slot++) {                                          \
            const xpbd_unit at = unit_at(stream, store, pass, slot);                               \
            unit(&at, variant);                                                                    \
        }                                                                                          \
    }                                                                                              \
    XPBD_PROJECT_TABLE(name)

#endif
