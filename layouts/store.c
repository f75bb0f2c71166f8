/* SPDX-License-Identifier: MIT
 *
 * Memory of a particle store. Every array has four components per particle, so that both layouts
 * take the same room and the steps of layouts.def are all that tells them apart.
 */
#include "layouts/store.h"

#include "base/memory.h"

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
