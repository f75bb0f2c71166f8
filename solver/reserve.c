/* SPDX-License-Identifier: MIT
 *
 * Room in the model: for what is being added, and in advance. Buffers only grow here; what they
 * hold, and what is built, stays as it is.
 */
#include "solver/reserve.h"
#include "solver/check.h"
#include "solver/variable.h"

bool xpbd_reserve_particles(xpbd_world *world, uint32_t count)
{
    xpbd_model *model = &world->model;
    xpbd_memory *memory = &world->memory;
    const size_t n = model->n_particles, total = n + count;
    return xpbd_buffer_reserve(memory, &model->position, n, total, 3 * sizeof(float)) &&
           xpbd_buffer_reserve(memory, &model->velocity, n, total, 3 * sizeof(float)) &&
           xpbd_buffer_reserve(memory, &model->inverse_mass, n, total, sizeof(float)) &&
           (model->n_removed == 0 || xpbd_buffer_reserve(memory, &model->removed, n, total, 1)) &&
           (!model->forced ||
            xpbd_buffer_reserve(memory, &model->force, n, total, 3 * sizeof(float)));
}

bool xpbd_reserve_batches(xpbd_world *world, uint32_t count)
{
    xpbd_model *model = &world->model;
    return xpbd_buffer_reserve(&world->memory, &model->batches, model->n_batches,
                               (size_t)model->n_batches + count, sizeof(xpbd_batch));
}

bool xpbd_reserve_constraints(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                              uint32_t elements, const xpbd_constraints *in)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    xpbd_memory *memory = &world->memory;
    xpbd_set *set = &world->model.sets[type];
    const size_t n = set->count, total = n + count, used = xpbd_set_element(set, set->count);
    return xpbd_buffer_reserve(memory, &set->particles, used, used + elements,
                               info->n_particles * sizeof(uint32_t)) &&
           xpbd_elements_reserve(world, type, count, elements) &&
           xpbd_buffer_reserve(memory, &set->rest, n, total, info->n_rest * sizeof(float)) &&
           (set->n_removed == 0 || xpbd_buffer_reserve(memory, &set->removed, n, total, 1)) &&
           xpbd_column_reserve(world, set, in, false, count, total);
}

/* Counts in range: of particles, constraints of all types together, and elements of each. */
static xpbd_status check(const xpbd_world *world, const xpbd_reservation *reservation)
{
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    const uint32_t n = world->model.n_particles;
    uint64_t sum = xpbd_tuples_count(&tuples);
    if (reservation->particles > XPBD_MOST - n) {
        return xpbd_fail(world, XPBD_ERROR_COUNT, -1, n, reservation->particles,
                         "%u particles more than %u are too many; the limit is %u",
                         reservation->particles, n, XPBD_MOST);
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const bool variable = xpbd_constraint_type_info((xpbd_constraint_type)type)->variable;
        const xpbd_set *set = &world->model.sets[type];
        const uint32_t count = reservation->of[type].count;
        const uint32_t elements = reservation->of[type].elements;
        const uint32_t used = xpbd_set_element(set, set->count);
        sum += count;
        if (sum > XPBD_MOST || elements > XPBD_MOST - used) {
            return xpbd_fail(world, XPBD_ERROR_COUNT, (int32_t)type, used, count,
                             "%u constraints of %u elements more are too many; the limit is %u",
                             count, elements, XPBD_MOST);
        }
        if (variable ? elements < count : elements > 0) {
            return xpbd_fail(world, XPBD_ERROR_SIZE, (int32_t)type, 0, elements,
                             variable ? "%u elements are too few for %u constraints"
                                      : "%u elements: this type has one in each of %u constraints",
                             elements, count);
        }
    }
    return XPBD_OK;
}

static bool reserve_type(xpbd_world *world, xpbd_constraint_type type,
                         const xpbd_reservation *reservation)
{
    static const float given = 0.5f; /* no value that an array may be left out for */
    const uint32_t count = reservation->of[type].count;
    const bool variable = xpbd_constraint_type_info(type)->variable;
    const uint32_t elements = variable ? reservation->of[type].elements : count;
    const xpbd_constraints in = {
        .compliance = reservation->of[type].compliance ? &given : NULL,
        .damping = reservation->of[type].damping ? &given : NULL,
        .damping_time = reservation->of[type].damping_time ? &given : NULL,
        .stiffness = reservation->of[type].stiffness ? &given : NULL,
        .break_force = reservation->of[type].break_force ? &given : NULL,
    };
    return count == 0 || (xpbd_reserve_constraints(world, type, count, elements, &in) &&
                          xpbd_elements_reserve_check(world, type, elements));
}

xpbd_status xpbd_world_reserve(xpbd_world *world, const xpbd_reservation *reservation)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (!reservation) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "reservation is null");
    }
    XPBD_TRY(check(world, reservation));
    if (!xpbd_reserve_particles(world, reservation->particles) ||
        !xpbd_reserve_batches(world, reservation->batches)) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, reservation->particles, 0.0,
                         "no memory for %u particles more", reservation->particles);
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (!reserve_type(world, (xpbd_constraint_type)type, reservation)) {
            return xpbd_fail(world, XPBD_ERROR_MEMORY, (int32_t)type, reservation->of[type].count,
                             0.0, "no memory for %u constraints more", reservation->of[type].count);
        }
    }
    return XPBD_OK;
}
