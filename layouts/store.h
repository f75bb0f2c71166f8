/* SPDX-License-Identifier: MIT
 *
 * The particles that a solve works on, in solve order. Behind the last particle come the sinks:
 * pinned particles at the origin that the pad lanes of lane groups point to, so that no kernel has
 * tail code. Sinks are XPBD_GROUP slots apart: two blocks that run at the same time never write
 * the same cache line of them.
 */
#ifndef XPBD_LAYOUTS_STORE_H
#define XPBD_LAYOUTS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpbd_arena; /* of base/memory.h */

/** Lanes of a group, the same for every instruction set: the order of operations, and with it the
 *  bits, do not depend on the width of a vector. */
#define XPBD_GROUP 16

typedef struct xpbd_store {
    float *position;     /* x, y, z and the weight that the solve uses for 1/m */
    float *previous;     /* x, y, z at the start of the substep */
    float *velocity;     /* x, y, z; predicted during a substep */
    float *force;        /* x, y, z in N; null where there is none */
    float *inverse_mass; /* plain array */
    float *correction;   /* Jacobi: records {x, y, z, 0}, of every corner of every constraint */
    size_t plane;        /* floats from one component to the next */
    size_t step;         /* floats from one particle to the next */
    uint32_t n;          /* particles */
    uint32_t n_slots;    /* with sinks, a multiple of XPBD_GROUP */
} xpbd_store;

#define XPBD_LAYOUT_ROW(name, ...) XPBD_LAYOUT_##name,
typedef enum xpbd_layout {
#include "layouts/layouts.def"
    XPBD_LAYOUT_COUNT
} xpbd_layout;
#undef XPBD_LAYOUT_ROW

/** Name a layout; null past the last. */
const char *xpbd_layout_row_name(uint32_t layout);
/** Lay out a store for n particles and n_sinks sinks, all values 0. False without memory. */
bool xpbd_store_init(xpbd_store *store, xpbd_layout layout, uint32_t n, uint32_t n_sinks,
                     struct xpbd_arena *arena);
/** Copy slots of 16-slot units [begin, end) from one array of the store to another. */
void xpbd_store_copy(const xpbd_store *store, const float *from, float *to, uint32_t begin,
                     uint32_t end);
/** Tell the particle slot of a sink. */
static inline uint32_t xpbd_store_sink(const xpbd_store *store, uint32_t sink)
{
    const uint32_t first = (store->n + XPBD_GROUP - 1) / XPBD_GROUP * XPBD_GROUP;
    return first + sink * XPBD_GROUP;
}
/** Find component c of particle i in an array of the store. */
static inline float *xpbd_store_at(const xpbd_store *store, float *array, uint32_t i, uint32_t c)
{
    return array + (size_t)i * store->step + (size_t)c * store->plane;
}

#endif
