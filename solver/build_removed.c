/* SPDX-License-Identifier: MIT
 *
 * Removed constraints in a build: they keep their place, so that order, colours and plan are those
 * of a build from which they were removed later, but nothing is in it.
 */
#include "solver/build.h"
#include "solver/ways.h"

static void clear_lambda(const xpbd_stream *stream, uint32_t type, uint32_t slot)
{
    const bool each = xpbd_constraint_type_info((xpbd_constraint_type)type)->rows_per_element;
    const uint32_t begin = each ? stream->units->first_group[slot] * XPBD_GROUP : slot;
    const uint32_t end = each ? stream->units->first_group[slot + 1] * XPBD_GROUP : slot + 1;
    for (uint32_t row = 0; row < XPBD_ROWS_MAX && stream->lambda[row]; row++) {
        for (uint32_t lane = begin; lane < end; lane++) {
            stream->lambda[row][lane] = 0.0f;
        }
    }
}

/* As pad lanes are from the beginning. */
static void clear_values(const xpbd_stream *stream, uint32_t slot)
{
    for (uint32_t k = 0; k < XPBD_REST_MAX && stream->rest[k]; k++) {
        stream->rest[k][slot] = 0.0f;
    }
    float *const values[] = {stream->compliance, stream->damping, stream->stiffness,
                             stream->break_force};
    for (uint32_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        if (values[k]) {
            values[k][slot] = 0.0f;
        }
    }
    if (stream->broken) {
        stream->broken[slot] = 0;
    }
}

void xpbd_build_remove(xpbd_world *world, uint32_t type, uint32_t first, uint32_t count)
{
    xpbd_build *build = &world->build;
    const xpbd_set *set = &world->model.sets[type];
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    const uint32_t *slots = build->packing.slot + tuples.first[type];
    xpbd_stream *stream = &build->streams[type];
    for (uint32_t i = first; i < first + count; i++) {
        if (!xpbd_set_lacks(set, i)) {
            continue;
        }
        clear_values(stream, slots[i]);
        clear_lambda(stream, type, slots[i]);
        xpbd_pack_remove(&build->packing, type, slots[i], stream);
        xpbd_ways_tear(build, type, slots[i] / XPBD_GROUP);
    }
}
