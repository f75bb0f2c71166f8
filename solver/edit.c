/* SPDX-License-Identifier: MIT
 *
 * Changing what is there. State goes where it lives at the moment (xpbd_view); what a build holds
 * copies of is written to the model and to the build.
 */
#include "solver/build.h"
#include "solver/check.h"
#include "solver/direct.h"
#include "solver/record.h"
#include "solver/variable.h"

#include <float.h>
#include <string.h>

static void write_rest(xpbd_world *world, xpbd_constraint_type type, uint32_t first, uint32_t count,
                       const xpbd_constraints *in)
{
    const uint32_t n_rest = xpbd_constraint_type_info(type)->n_rest;
    float *rest = world->model.sets[type].rest.data;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < n_rest; k++) {
            rest[(size_t)(first + i) * n_rest + k] = xpbd_input(in->rest, in->rest_stride, i, k);
        }
    }
}

static xpbd_status no_memory(const xpbd_world *world, xpbd_constraint_type type, uint32_t count)
{
    return xpbd_fail(world, XPBD_ERROR_MEMORY, (int32_t)type, count, 0.0,
                     "no memory for values of %u constraints", count);
}

/* What changed in the model, to the build. Its streams have room for what was in use when they were
 * made; for more there is a new build. */
static void refresh(xpbd_world *world, xpbd_constraint_type type, uint32_t first, uint32_t count)
{
    if (world->built && !xpbd_build_has_room(world, type)) {
        xpbd_world_unbuild(world);
    }
    if (world->built) {
        xpbd_build_refresh(world, type, first, count);
    }
}

xpbd_status xpbd_world_set_constraints(xpbd_world *world, xpbd_constraint_type type, uint32_t first,
                                       uint32_t count, const xpbd_constraints *constraints)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    if (!constraints) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "constraints is null");
    }
    XPBD_TRY(xpbd_check_type(world, type));
    xpbd_set *set = &world->model.sets[type];
    XPBD_TRY(xpbd_check_range(world, (int32_t)type, first, count, set->count, "constraints"));
    XPBD_TRY(xpbd_check_present(world, (int32_t)type, first, count));
    if (constraints->particles) {
        return xpbd_fail(world, XPBD_ERROR_PARTICLE_INDEX, (int32_t)type, first, 0.0,
                         "the particles of a constraint can not change; particles must be null");
    }
    if (constraints->sizes) {
        return xpbd_fail(world, XPBD_ERROR_SIZE, (int32_t)type, first, 0.0,
                         "the elements of a constraint can not change; sizes must be null");
    }
    xpbd_constraints in = *constraints;
    const uint32_t element = xpbd_set_element(set, first);
    const uint32_t total = xpbd_set_element(set, first + count) - element;
    XPBD_TRY(xpbd_check_parameters(world, type, first, count, &in));
    XPBD_TRY(xpbd_elements_check_rest(world, type, total, &in));
    for (uint32_t i = 0; in.rest && i < count; i++) {
        float rest[XPBD_REST_MAX];
        for (uint32_t k = 0; k < xpbd_constraint_type_info(type)->n_rest; k++) {
            rest[k] = xpbd_input(in.rest, in.rest_stride, i, k);
        }
        XPBD_TRY(xpbd_check_rest(world, type, first + i, rest));
    }
    if (xpbd_column_grows(set, &in, false, count)) {
        XPBD_TRY(xpbd_check_outside(world));
    }
    if (!xpbd_column_reserve(world, set, &in, false, count, set->count)) {
        return no_memory(world, type, set->count);
    }
    if (in.rest) {
        write_rest(world, type, first, count, &in);
    }
    if (in.element_rest) {
        xpbd_elements_write_rest(world, type, element, total, &in);
    }
    xpbd_column_use(set, &in, false, count);
    xpbd_column_write(set, first, count, &in, false);
    refresh(world, type, first, count);
    xpbd_record_constraints(world, XPBD_CALL_set_constraints, type, first, count, total, &in);
    return XPBD_OK;
}

xpbd_status xpbd_world_enable_constraints(xpbd_world *world, xpbd_constraint_type type,
                                          uint32_t first, uint32_t count, bool enabled)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    XPBD_TRY(xpbd_check_type(world, type));
    xpbd_set *set = &world->model.sets[type];
    XPBD_TRY(xpbd_check_range(world, (int32_t)type, first, count, set->count, "constraints"));
    XPBD_TRY(xpbd_check_present(world, (int32_t)type, first, count));
    const xpbd_constraints none = {0};
    if (!xpbd_column_reserve(world, set, &none, !enabled, count, set->count)) {
        return no_memory(world, type, set->count);
    }
    xpbd_column_use(set, &none, !enabled, count);
    float *column = set->columns[XPBD_COLUMN_enabled].data;
    for (uint32_t i = first; set->used[XPBD_COLUMN_enabled] && i < first + count; i++) {
        column[i] = enabled ? 1.0f : 0.0f;
    }
    refresh(world, type, first, count);
    const uint32_t values[] = {first, count, enabled};
    xpbd_record_words(world, XPBD_CALL_enable_constraints, (int32_t)type, values, 3);
    return XPBD_OK;
}

/* What all setters of particle triples share. */
static xpbd_status check_triples(xpbd_world *world, xpbd_status status, uint32_t first,
                                 uint32_t count, const float *array, size_t *stride,
                                 const char *what)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_range(world, -1, first, count, world->model.n_particles, "particles"));
    XPBD_TRY(xpbd_check_present(world, -1, first, count));
    XPBD_TRY(xpbd_check_array(world, -1, array, count, 3, stride, what));
    return xpbd_check_vectors(world, status, array, *stride, first, count, what);
}

static void write_triples(const xpbd_view *view, uint32_t first, uint32_t count, const float *array,
                          size_t stride)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            *xpbd_view_at(view, first + i, c) = xpbd_input(array, stride, i, c);
        }
    }
}

xpbd_status xpbd_world_set_positions(xpbd_world *world, uint32_t first, uint32_t count,
                                     const float *position, size_t stride)
{
    XPBD_TRY(
        check_triples(world, XPBD_ERROR_POSITION, first, count, position, &stride, "position"));
    const xpbd_view view = xpbd_view_positions(world);
    write_triples(&view, first, count, position, stride);
    xpbd_record_floats(world, XPBD_CALL_set_positions, first, count, 3, position, stride);
    return XPBD_OK;
}

void xpbd_model_forget_moves(xpbd_model *model, uint32_t first, uint32_t count, bool coming)
{
    xpbd_move *moves = model->moves.data;
    uint32_t kept = 0, kept_moved = 0;
    for (uint32_t k = 0; k < model->n_moved + model->n_moves; k++) {
        const bool moved = k < model->n_moved;
        const bool inside = moves[k].particle >= first && moves[k].particle - first < count;
        if (!(inside && (moved || coming))) {
            moves[kept++] = moves[k];
            kept_moved += moved;
        }
    }
    model->n_moves = kept - kept_moved;
    model->n_moved = kept_moved;
}

xpbd_status xpbd_world_set_velocities(xpbd_world *world, uint32_t first, uint32_t count,
                                      const float *velocity, size_t stride)
{
    XPBD_TRY(
        check_triples(world, XPBD_ERROR_VELOCITY, first, count, velocity, &stride, "velocity"));
    const xpbd_view view = xpbd_view_velocities(world);
    write_triples(&view, first, count, velocity, stride);
    xpbd_model_forget_moves(&world->model, first, count, false);
    xpbd_record_floats(world, XPBD_CALL_set_velocities, first, count, 3, velocity, stride);
    return XPBD_OK;
}

xpbd_status xpbd_world_set_inverse_masses(xpbd_world *world, uint32_t first, uint32_t count,
                                          const float *inverse_mass, size_t stride)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    XPBD_TRY(xpbd_check_range(world, -1, first, count, world->model.n_particles, "particles"));
    XPBD_TRY(xpbd_check_present(world, -1, first, count));
    XPBD_TRY(xpbd_check_array(world, -1, inverse_mass, count, 1, &stride, "inverse_mass"));
    XPBD_TRY(xpbd_check_numbers(world, XPBD_ERROR_INVERSE_MASS, -1, inverse_mass, stride, first,
                                count, 0.0f, FLT_MAX, "inverse mass"));
    bool anew = world->scheduler->update != XPBD_UPDATE_IN_PLACE; /* shares of lambda */
    for (uint32_t i = 0; i < count && world->built && !anew; i++) {
        const float w = xpbd_input(inverse_mass, stride, i, 0);
        anew = xpbd_build_turns_hub(world, first + i, w) || xpbd_direct_turns(world, first + i, w);
    }
    if (anew) {
        xpbd_world_unbuild(world);
    }
    const xpbd_view velocities = xpbd_view_velocities(world);
    float *kept = world->model.inverse_mass.data;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t particle = first + i;
        const float w = xpbd_input(inverse_mass, stride, i, 0);
        if (w > 0.0f || kept[particle] > 0.0f) {
            xpbd_model_forget_moves(&world->model, particle, 1, true);
        }
        for (uint32_t c = 0; c < 3 && !(w > 0.0f) && kept[particle] > 0.0f; c++) {
            *xpbd_view_at(&velocities, particle, c) = 0.0f;
        }
        kept[particle] = w;
        if (world->built) {
            xpbd_build_weigh(world, particle);
        }
    }
    xpbd_record_floats(world, XPBD_CALL_set_inverse_masses, first, count, 1, inverse_mass, stride);
    return XPBD_OK;
}

xpbd_status xpbd_world_set_forces(xpbd_world *world, uint32_t first, uint32_t count,
                                  const float *force, size_t stride)
{
    XPBD_TRY(check_triples(world, XPBD_ERROR_FORCE, first, count, force, &stride, "force"));
    xpbd_model *model = &world->model;
    if (!model->forced) {
        XPBD_TRY(xpbd_check_outside(world)); /* forces want memory, and streams of their own */
        const size_t n = model->n_particles;
        if (!xpbd_buffer_reserve(&world->memory, &model->force, 0, n, 3 * sizeof(float))) {
            return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, n, 0.0,
                             "no memory for the forces on %zu particles", n);
        }
        if (n > 0) {
            memset(model->force.data, 0, 3 * sizeof(float) * n);
        }
        model->forced = true;
        xpbd_world_unbuild(world);
    }
    const xpbd_view in_model = {model->force.data, 3, 1, NULL};
    write_triples(&in_model, first, count, force, stride);
    if (world->built) {
        const xpbd_store *store = &world->build.store;
        const xpbd_view in_store = {store->force, store->step, store->plane, world->build.rank};
        write_triples(&in_store, first, count, force, stride);
    }
    xpbd_record_floats(world, XPBD_CALL_set_forces, first, count, 3, force, stride);
    return XPBD_OK;
}

xpbd_status xpbd_world_move_particles(xpbd_world *world, uint32_t first, uint32_t count,
                                      const float *target, size_t stride)
{
    XPBD_TRY(check_triples(world, XPBD_ERROR_POSITION, first, count, target, &stride, "target"));
    XPBD_TRY(xpbd_check_outside(world));
    xpbd_model *model = &world->model;
    const float *inverse_mass = model->inverse_mass.data;
    for (uint32_t i = 0; i < count; i++) {
        if (inverse_mass[first + i] > 0.0f) {
            return xpbd_fail(world, XPBD_ERROR_NOT_PINNED, -1, first + i,
                             (double)inverse_mass[first + i],
                             "particle %u has an inverse mass of %g", first + i,
                             (double)inverse_mass[first + i]);
        }
    }
    const size_t used = (size_t)model->n_moved + model->n_moves;
    if (!xpbd_buffer_reserve(&world->memory, &model->moves, used, used + count,
                             sizeof(xpbd_move))) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, used + count, 0.0, "no memory for %zu moves",
                         used + count);
    }
    xpbd_move *moves = model->moves.data;
    for (uint32_t i = 0; i < count; i++) {
        moves[used + i].particle = first + i;
        for (uint32_t c = 0; c < 3; c++) {
            moves[used + i].target[c] = xpbd_input(target, stride, i, c);
        }
    }
    model->n_moves += count;
    xpbd_record_floats(world, XPBD_CALL_move_particles, first, count, 3, target, stride);
    return XPBD_OK;
}
