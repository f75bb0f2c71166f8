/* SPDX-License-Identifier: MIT
 *
 * Adding to the model. Everything is checked first, then room is made, then it is written: whatever
 * fails on the way has changed nothing.
 */
#include "solver/check.h"
#include "solver/record.h"
#include "solver/reserve.h"
#include "solver/variable.h"

#include <float.h>
#include <string.h>

static xpbd_status check_particles(const xpbd_world *world, uint32_t count, xpbd_particles *in)
{
    XPBD_TRY(xpbd_check_array(world, -1, in->position, count, 3, &in->position_stride, "position"));
    if (in->velocity) {
        XPBD_TRY(
            xpbd_check_array(world, -1, in->velocity, count, 3, &in->velocity_stride, "velocity"));
    }
    if (in->inverse_mass) {
        XPBD_TRY(xpbd_check_array(world, -1, in->inverse_mass, count, 1, &in->inverse_mass_stride,
                                  "inverse_mass"));
    }
    XPBD_TRY(xpbd_check_vectors(world, XPBD_ERROR_POSITION, in->position, in->position_stride, 0,
                                count, "position"));
    XPBD_TRY(xpbd_check_vectors(world, XPBD_ERROR_VELOCITY, in->velocity, in->velocity_stride, 0,
                                count, "velocity"));
    return xpbd_check_numbers(world, XPBD_ERROR_INVERSE_MASS, -1, in->inverse_mass,
                              in->inverse_mass_stride, 0, count, 0.0f, FLT_MAX, "inverse mass");
}

xpbd_status xpbd_world_add_particles(xpbd_world *world, uint32_t count,
                                     const xpbd_particles *particles, uint32_t *first)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (!particles) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "particles is null");
    }
    xpbd_model *model = &world->model;
    const uint32_t n = model->n_particles;
    if (count > XPBD_MOST - n) {
        return xpbd_fail(world, XPBD_ERROR_COUNT, -1, n, count,
                         "%u particles more than %u are too many; the limit is %u", count, n,
                         XPBD_MOST);
    }
    xpbd_particles in = *particles;
    XPBD_TRY(check_particles(world, count, &in));
    if (!xpbd_reserve_particles(world, count)) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, (uint64_t)n + count, 0.0,
                         "no memory for %u particles more", count);
    }
    xpbd_world_unbuild(world);
    float *x = model->position.data, *v = model->velocity.data, *w = model->inverse_mass.data;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            x[3 * (n + i) + c] = xpbd_input(in.position, in.position_stride, i, c);
            v[3 * (n + i) + c] =
                in.velocity ? xpbd_input(in.velocity, in.velocity_stride, i, c) : 0.0f;
        }
        w[n + i] =
            in.inverse_mass ? xpbd_input(in.inverse_mass, in.inverse_mass_stride, i, 0) : 1.0f;
    }
    if (model->forced && count > 0) { /* without particles there is no array yet */
        memset((float *)model->force.data + 3 * (size_t)n, 0, 3 * sizeof(float) * count);
    }
    if (model->n_removed > 0) {
        memset((uint8_t *)model->removed.data + n, 0, count);
    }
    if (first) {
        *first = n;
    }
    model->n_particles = n + count;
    xpbd_record_particles(world, count, &in);
    return XPBD_OK;
}

/* Indices in range, and no particle twice in one element. */
static xpbd_status check_corners(const xpbd_world *world, xpbd_constraint_type type, uint32_t total,
                                 const xpbd_constraints *in)
{
    const uint32_t corners = xpbd_constraint_type_info(type)->n_particles;
    const uint32_t n = world->model.n_particles;
    uint32_t left = 0, i = UINT32_MAX; /* elements of constraint i yet to come */
    for (uint32_t e = 0; e < total; e++, left--) {
        if (left == 0) {
            left = xpbd_elements_of(in, ++i);
        }
        uint32_t p[XPBD_CORNERS_MAX];
        memcpy(p, (const char *)in->particles + e * in->particles_stride, corners * sizeof *p);
        for (uint32_t k = 0; k < corners; k++) {
            if (p[k] >= n) {
                return xpbd_fail(world, XPBD_ERROR_PARTICLE_INDEX, (int32_t)type, i, p[k],
                                 "constraint %u of this batch names particle %u, but there are %u",
                                 i, p[k], n);
            }
            if (xpbd_model_lacks(&world->model, p[k])) {
                return xpbd_fail(world, XPBD_ERROR_REMOVED, (int32_t)type, i, p[k],
                                 "constraint %u of this batch names particle %u, which was removed",
                                 i, p[k]);
            }
            for (uint32_t l = 0; l < k; l++) {
                if (p[l] == p[k]) {
                    return xpbd_fail(world, XPBD_ERROR_PARTICLE_REPEATED, (int32_t)type, i, p[k],
                                     "constraint %u of this batch names particle %u twice", i,
                                     p[k]);
                }
            }
        }
    }
    return XPBD_OK;
}

/* The rest data of one constraint: the caller's, or that of the pose as it is now. */
static void rest_of(const xpbd_world *world, xpbd_constraint_type type, uint32_t i,
                    uint32_t element, const xpbd_constraints *in, float *rest)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    if (in->rest) {
        for (uint32_t k = 0; k < info->n_rest; k++) {
            rest[k] = xpbd_input(in->rest, in->rest_stride, i, k);
        }
        return;
    }
    if (info->variable) {
        xpbd_elements_rest(world, type, element, in->sizes[i], in, rest);
        return;
    }
    const xpbd_view view = xpbd_view_positions(world);
    uint32_t p[XPBD_CORNERS_MAX];
    float x[XPBD_CORNERS_MAX][3];
    memcpy(p, (const char *)in->particles + i * in->particles_stride,
           info->n_particles * sizeof *p);
    for (uint32_t k = 0; k < info->n_particles; k++) {
        for (uint32_t c = 0; c < 3; c++) {
            x[k][c] = *xpbd_view_at(&view, p[k], c);
        }
    }
    xpbd_constraint_ops_of(type)->rest_of(x, rest);
}

static xpbd_status check_constraints(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                                     xpbd_constraints *in, uint32_t *total)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    const xpbd_set *set = &world->model.sets[type];
    const uint32_t used = xpbd_set_element(set, set->count);
    XPBD_TRY(xpbd_elements_check(world, type, count, used, in, total));
    XPBD_TRY(xpbd_check_array(world, (int32_t)type, in->particles, *total, info->n_particles,
                              &in->particles_stride, "particles"));
    XPBD_TRY(check_corners(world, type, *total, in));
    XPBD_TRY(xpbd_elements_check_shapes(world, type, count, in));
    XPBD_TRY(xpbd_elements_check_pose(world, type, *total, in));
    XPBD_TRY(xpbd_check_parameters(world, type, 0, count, in));
    for (uint32_t i = 0, element = 0; i < count; i++) {
        float rest[XPBD_REST_MAX];
        rest_of(world, type, i, element, in, rest);
        XPBD_TRY(xpbd_check_rest(world, type, i, rest));
        element += xpbd_elements_of(in, i);
    }
    return XPBD_OK;
}

/* Adding one at a time makes one batch as long as the type stays. */
static void note_batch(xpbd_model *model, uint32_t type, uint32_t first, uint32_t count)
{
    xpbd_batch *batches = model->batches.data;
    if (model->n_batches > 0 && batches[model->n_batches - 1].type == type) {
        batches[model->n_batches - 1].count += count;
    } else {
        batches[model->n_batches++] = (xpbd_batch){type, first, count};
    }
}

static void write_constraints(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                              uint32_t total, const xpbd_constraints *in)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    xpbd_set *set = &world->model.sets[type];
    const size_t n = set->count;
    uint32_t *particles = (uint32_t *)set->particles.data +
                          (size_t)xpbd_set_element(set, set->count) * info->n_particles;
    float *rest = (float *)set->rest.data + n * info->n_rest;
    for (uint32_t e = 0; e < total; e++) {
        memcpy(particles + (size_t)e * info->n_particles,
               (const char *)in->particles + e * in->particles_stride,
               info->n_particles * sizeof(uint32_t));
    }
    for (uint32_t i = 0, element = 0; i < count; i++) {
        rest_of(world, type, i, element, in, rest + (size_t)i * info->n_rest);
        element += xpbd_elements_of(in, i);
    }
    xpbd_elements_append(world, type, count, in);
    if (set->n_removed > 0) {
        memset((uint8_t *)set->removed.data + n, 0, count);
    }
    set->count += count;
    xpbd_column_use(set, in, false, count);
    xpbd_column_write(set, (uint32_t)n, count, in, true);
    note_batch(&world->model, type, (uint32_t)n, count);
}

static xpbd_status add_constraints(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                                   xpbd_constraints *in)
{
    uint32_t total;
    XPBD_TRY(check_constraints(world, type, count, in, &total));
    if (!xpbd_reserve_constraints(world, type, count, total, in) ||
        !xpbd_reserve_batches(world, 1)) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, (int32_t)type, count, 0.0,
                         "no memory for %u constraints more", count);
    }
    if (count > 0) {
        write_constraints(world, type, count, total, in);
        xpbd_world_unbuild(world);
    }
    xpbd_record_constraints(world, XPBD_CALL_add_constraints, type, 0, count, total, in);
    return XPBD_OK;
}

xpbd_status xpbd_world_add_constraints(xpbd_world *world, xpbd_constraint_type type, uint32_t count,
                                       const xpbd_constraints *constraints, uint32_t *first)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (!constraints) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "constraints is null");
    }
    XPBD_TRY(xpbd_check_type(world, type));
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    const uint32_t n = xpbd_tuples_count(&tuples);
    if (count > XPBD_MOST - n) {
        return xpbd_fail(world, XPBD_ERROR_COUNT, (int32_t)type, n, count,
                         "%u constraints more than %u are too many; the limit is %u", count, n,
                         XPBD_MOST);
    }
    const uint32_t before = world->model.sets[type].count;
    xpbd_constraints in = *constraints;
    fenv_t caller; /* its rounding mode is not to reach the rest data */
    xpbd_team_enter_float(&caller);
    const xpbd_status status = add_constraints(world, type, count, &in);
    xpbd_team_leave_float(&caller);
    if (status == XPBD_OK && first) {
        *first = before;
    }
    return status;
}
