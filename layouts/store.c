/* SPDX-License-Identifier: MIT
 *
 * Memory of a particle store. Every array has four components per particle, so that both layouts
 * take the same room and the steps of layouts.def are all that tells them apart.
 */
#include "layouts/store.h"

#include "base/memory.h"

#include <string.h>

static const struct {
    const char *name;
    size_t component_step, particle_step;
} rows[] = {
#define XPBD_LAYOUT_ROW(name, component_step, particle_step) {#name, component_step, particle_step},
#include "layouts/layouts.def"
#undef XPBD_LAYOUT_ROW
};

const char *xpbd_layout_row_name(uint32_t layout)
{
    return layout < XPBD_LAYOUT_COUNT ? rows[layout].name : NULL;
}

bool xpbd_store_init(xpbd_store *store, xpbd_layout layout, uint32_t n, uint32_t n_sinks,
                     xpbd_arena *arena)
{
    *store = (xpbd_store){.n = n};
    store->n_slots = xpbd_store_sink(store, n_sinks);
    /* A line more per plane: planes of a power of two length would fight for the same cache set. */
    const size_t padded = (size_t)store->n_slots + XPBD_GROUP;
    store->step = rows[layout].particle_step;
    store->plane = rows[layout].component_step ? rows[layout].component_step : padded;
    store->position = xpbd_arena_zero(arena, 4 * padded, sizeof(float));
    store->previous = xpbd_arena_zero(arena, 4 * padded, sizeof(float));
    store->velocity = xpbd_arena_zero(arena, 4 * padded, sizeof(float));
    store->inverse_mass = xpbd_arena_zero(arena, padded, sizeof(float));
    return !arena->failed;
}

void xpbd_store_copy(const xpbd_store *store, const float *from, float *to, uint32_t begin,
                     uint32_t end)
{
    const bool records = store->step > 1;
    const size_t at = (size_t)begin * XPBD_GROUP * store->step;
    const size_t n = (size_t)(end - begin) * XPBD_GROUP * store->step;
    for (size_t plane = 0; plane < (records ? 1 : 3); plane++) {
        memcpy(to + at + plane * store->plane, from + at + plane * store->plane, n * sizeof *to);
    }
}
