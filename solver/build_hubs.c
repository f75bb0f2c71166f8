/* SPDX-License-Identifier: MIT
 *
 * Which particles are hubs: those of many constraints, while they are pinned. What a build needs to
 * know of that, and what a step has to do about it, is here; why, in layouts/hubs.h.
 */
#include "solver/build.h"

#include "layouts/hubs.h"

#include <string.h>

bool xpbd_build_find_hubs(xpbd_world *world, xpbd_tuples *tuples, xpbd_arena *scratch)
{
    /* Where nothing is coloured nothing has to be kept apart. */
    if (world->scheduler->partition == XPBD_PARTITION_SEQUENCE ||
        world->scheduler->update != XPBD_UPDATE_IN_PLACE) {
        return true;
    }
    world->build.crowded = xpbd_hubs_crowded(tuples, &world->build.arena, scratch);
    const uint8_t *hub = xpbd_build_hubs(world, scratch);
    const bool some = hub && memchr(hub, 1, world->model.n_particles);
    tuples->hub = some ? hub : NULL; /* nobody has to ask then */
    return hub;
}

const uint8_t *xpbd_build_hubs(const xpbd_world *world, xpbd_arena *arena)
{
    const uint8_t *crowded = world->build.crowded;
    const xpbd_model *model = &world->model;
    const float *inverse_mass = model->inverse_mass.data;
    const uint32_t n = model->n_particles;
    uint8_t *hub = crowded ? xpbd_arena_alloc(arena, n, 1) : NULL;
    for (uint32_t i = 0; hub && i < n; i++) {
        const bool pinned = xpbd_model_lacks(model, i)
                                ? ((const uint8_t *)model->removed.data)[i] == XPBD_REMOVED_PINNED
                                : !(inverse_mass[i] > 0.0f);
        hub[i] = crowded[i] && pinned;
    }
    return hub;
}

bool xpbd_build_turns_hub(const xpbd_world *world, uint32_t particle, float inverse_mass)
{
    const float before = ((const float *)world->model.inverse_mass.data)[particle];
    return world->build.crowded && world->build.crowded[particle] &&
           (before > 0.0f) != (inverse_mass > 0.0f);
}

void xpbd_build_copy_hubs(xpbd_build *build)
{
    const xpbd_store *store = &build->store;
    for (uint32_t copy = 0; copy < build->packing.n_copies; copy++) {
        const uint32_t to = build->packing.first_copy + copy, from = build->packing.copied[copy];
        for (uint32_t c = 0; c < 3; c++) {
            /* No -0: what lanes that share a copy add to it would decide about the sign. */
            *xpbd_store_at(store, store->position, to, c) =
                *xpbd_store_at(store, store->position, from, c) + 0.0f;
            *xpbd_store_at(store, store->velocity, to, c) =
                *xpbd_store_at(store, store->velocity, from, c);
        }
    }
}
