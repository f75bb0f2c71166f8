/* SPDX-License-Identifier: MIT
 *
 * Where the state is: in the model or in the store of the build.
 */
#include "solver/direct.h"

static xpbd_view view_of(const xpbd_world *world, const xpbd_buffer *kept, float *store)
{
    if (world->built) {
        return (xpbd_view){store, world->build.store.step, world->build.store.plane,
                           world->build.rank};
    }
    return (xpbd_view){kept->data, 3, 1, NULL};
}

xpbd_view xpbd_view_positions(const xpbd_world *world)
{
    return view_of(world, &world->model.position, world->build.store.position);
}

xpbd_view xpbd_view_velocities(const xpbd_world *world)
{
    return view_of(world, &world->model.velocity, world->build.store.velocity);
}

xpbd_tuples xpbd_world_tuples(const xpbd_world *world)
{
    const xpbd_model *model = &world->model;
    xpbd_tuples tuples = {.batches = model->batches.data,
                          .n_batches = model->n_batches,
                          .n_particles = model->n_particles};
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_set *set = &model->sets[type];
        tuples.particles[type] = set->particles.data;
        tuples.offsets[type] = set->offsets.data;
        tuples.runs[type] = xpbd_constraint_ops_of((xpbd_constraint_type)type)->runs;
        tuples.gone[type] = set->n_removed > 0 ? set->removed.data : NULL;
        tuples.trees[type] = xpbd_direct_takes((xpbd_constraint_type)type);
        tuples.n_corners[type] = xpbd_constraint_type_info((xpbd_constraint_type)type)->n_particles;
        tuples.first[type + 1] = tuples.first[type] + set->count;
    }
    return tuples;
}

void xpbd_world_unbuild(xpbd_world *world)
{
    if (!world->built) {
        return;
    }
    const xpbd_view x = xpbd_view_positions(world), v = xpbd_view_velocities(world);
    float *position = world->model.position.data, *velocity = world->model.velocity.data;
    for (uint32_t i = 0; i < world->model.n_particles; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            position[3 * (size_t)i + c] = *xpbd_view_at(&x, i, c);
            velocity[3 * (size_t)i + c] = *xpbd_view_at(&v, i, c);
        }
    }
    xpbd_arena_free(&world->build.arena);
    world->built = false;
    world->stepped = false;
    world->ports.stale = world->ports.n > 0;
}
