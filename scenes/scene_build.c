/* SPDX-License-Identifier: MIT
 *
 * From a scene to a world, through the public API alone.
 */
#include <stdlib.h>

#include "scenes/scene.h"

static xpbd_status add_batch(const xpbd_scene_batch *batch, uint32_t first, xpbd_world *world)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(batch->type);
    if (!info)
        return XPBD_ERROR_TYPE;
    xpbd_constraints constraints = {.particles = batch->particles,
                                    .rest = batch->rest,
                                    .sizes = batch->sizes,
                                    .compliance = &batch->compliance,
                                    .compliance_stride = XPBD_SAME,
                                    .damping = &batch->damping,
                                    .damping_stride = XPBD_SAME};
    /* A second scene in the same world: its particles begin at `first`, not at 0. */
    uint32_t *moved = NULL;
    if (first) {
        size_t n = (size_t)batch->n_elements * info->n_particles;
        moved = malloc(n * sizeof *moved);
        if (!moved)
            return XPBD_ERROR_MEMORY;
        for (size_t k = 0; k < n; k++)
            moved[k] = batch->particles[k] + first;
        constraints.particles = moved;
    }
    xpbd_status status =
        xpbd_world_add_constraints(world, batch->type, batch->count, &constraints, NULL);
    free(moved);
    return status;
}

xpbd_status xpbd_scene_build(const xpbd_scene *scene, xpbd_world *world)
{
    const xpbd_particles particles = {.position = scene->positions,
                                      .inverse_mass = scene->inverse_masses};
    uint32_t first = 0;
    xpbd_status status = xpbd_world_set_acceleration(world, scene->gravity);
    if (status == XPBD_OK)
        status = xpbd_world_add_particles(world, scene->n_particles, &particles, &first);
    for (uint32_t b = 0; status == XPBD_OK && b < scene->n_batches; b++)
        status = add_batch(&scene->batches[b], first, world);
    return status;
}
