/* SPDX-License-Identifier: MIT
 *
 * Removing. What is removed keeps its index, so that those of all others stay valid, and is marked;
 * a build is told to leave it out (build_removed.c). Room for the marks is made first: without
 * memory nothing has changed.
 */
#include "solver/build.h"
#include "solver/record.h"

#include <string.h>

static bool reserve_marks(xpbd_world *world, xpbd_buffer *marks, uint32_t n_removed, uint32_t n)
{
    return xpbd_buffer_reserve(&world->memory, marks, n_removed > 0 ? n : 0, n, sizeof(uint8_t));
}

/* Marks that are about to have their first. */
static uint8_t *begin_marks(xpbd_buffer *marks, uint32_t n_removed, uint32_t n)
{
    if (n_removed == 0 && n > 0) {
        memset(marks->data, 0, n);
    }
    return marks->data;
}

/* The lists of corrections that particles gather count constraints, and what was one tree may be
 * two: there has to be a new build. */
static void keep_build(xpbd_world *world)
{
    if (world->scheduler->update != XPBD_UPDATE_IN_PLACE ||
        world->scheduler->partition == XPBD_PARTITION_TREES) {
        xpbd_world_unbuild(world);
    }
}

xpbd_status xpbd_world_remove_constraints(xpbd_world *world, xpbd_constraint_type type,
                                          uint32_t first, uint32_t count)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    XPBD_TRY(xpbd_check_type(world, type));
    xpbd_set *set = &world->model.sets[type];
    XPBD_TRY(xpbd_check_range(world, (int32_t)type, first, count, set->count, "constraints"));
    if (count == 0) {
        return XPBD_OK;
    }
    if (!reserve_marks(world, &set->removed, set->n_removed, set->count)) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, (int32_t)type, set->count, 0.0,
                         "no memory to remove %u constraints", count);
    }
    uint8_t *removed = begin_marks(&set->removed, set->n_removed, set->count);
    for (uint32_t i = first; i < first + count; i++) {
        set->n_removed += !removed[i];
        removed[i] = 1;
    }
    keep_build(world);
    if (world->built) {
        xpbd_build_remove(world, type, first, count);
    }
    const uint32_t values[] = {first, count};
    xpbd_record_words(world, XPBD_CALL_remove_constraints, (int32_t)type, values, 2);
    return XPBD_OK;
}

/* Whether a constraint that is there names one of some particles. */
static bool joins(const xpbd_tuples *tuples, const xpbd_set *set, uint32_t type, uint32_t i,
                  uint32_t first, uint32_t count)
{
    uint32_t n;
    const uint32_t *p = xpbd_tuples_at(tuples, type, i, &n);
    bool found = false;
    for (uint32_t k = 0; k < n && !found; k++) {
        found = p[k] - first < count;
    }
    return found && !xpbd_set_lacks(set, i);
}

/* Make room to mark the constraints of some particles; counts them. */
static bool reserve_joined(xpbd_world *world, uint32_t first, uint32_t count, uint32_t *n)
{
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    *n = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        xpbd_set *set = &world->model.sets[type];
        uint32_t found = 0;
        for (uint32_t i = 0; i < set->count; i++) {
            found += joins(&tuples, set, type, i, first, count);
        }
        if (found > 0 && !reserve_marks(world, &set->removed, set->n_removed, set->count)) {
            return false;
        }
        *n += found;
    }
    return true;
}

static void remove_joined(xpbd_world *world, uint32_t first, uint32_t count)
{
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        xpbd_set *set = &world->model.sets[type];
        for (uint32_t i = 0; i < set->count; i++) {
            if (joins(&tuples, set, type, i, first, count)) {
                begin_marks(&set->removed, set->n_removed, set->count)[i] = 1;
                set->n_removed++;
                if (world->built) {
                    xpbd_build_remove(world, type, i, 1);
                }
            }
        }
    }
}

static void remove_particle(xpbd_world *world, uint8_t *removed, uint32_t i)
{
    xpbd_model *model = &world->model;
    const xpbd_view velocities = xpbd_view_velocities(world);
    float *inverse_mass = (float *)model->inverse_mass.data + i;
    removed[i] = *inverse_mass > 0.0f ? XPBD_REMOVED_FREE : XPBD_REMOVED_PINNED;
    model->n_removed++;
    *inverse_mass = 0.0f;
    for (uint32_t c = 0; c < 3; c++) {
        *xpbd_view_at(&velocities, i, c) = 0.0f;
    }
    if (world->built) {
        xpbd_build_weigh(world, i);
    }
}

xpbd_status xpbd_world_remove_particles(xpbd_world *world, uint32_t first, uint32_t count,
                                        uint32_t *n_constraints)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    xpbd_model *model = &world->model;
    uint32_t n_joined = 0;
    XPBD_TRY(xpbd_check_outside(world));
    XPBD_TRY(xpbd_check_range(world, -1, first, count, model->n_particles, "particles"));
    if (!reserve_marks(world, &model->removed, model->n_removed, model->n_particles) ||
        !reserve_joined(world, first, count, &n_joined)) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, first, count,
                         "no memory to remove %u particles and their constraints", count);
    }
    if (count > 0) {
        keep_build(world);
        remove_joined(world, first, count);
        xpbd_model_forget_moves(model, first, count, true);
    }
    uint8_t *removed = begin_marks(&model->removed, model->n_removed, model->n_particles);
    for (uint32_t i = first; i < first + count; i++) {
        if (!removed[i]) {
            remove_particle(world, removed, i);
        }
    }
    if (n_constraints) {
        *n_constraints = n_joined;
    }
    const uint32_t values[] = {first, count};
    xpbd_record_words(world, XPBD_CALL_remove_particles, -1, values, 2);
    return XPBD_OK;
}

xpbd_status xpbd_world_read_removed(const xpbd_world *world, int32_t type, uint32_t first,
                                    uint32_t count, bool *out)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    const xpbd_model *model = &world->model;
    if (type != -1) {
        XPBD_TRY(xpbd_check_type(world, (xpbd_constraint_type)type));
    }
    XPBD_TRY(xpbd_check_range(world, type, first, count,
                              type < 0 ? model->n_particles : model->sets[type].count,
                              type < 0 ? "particles" : "constraints"));
    if (!out && count > 0) {
        return xpbd_fail(world, XPBD_ERROR_NULL, type, 0, 0.0, "out is null");
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = type < 0 ? xpbd_model_lacks(model, first + i)
                          : xpbd_set_lacks(&model->sets[type], first + i);
    }
    return XPBD_OK;
}
