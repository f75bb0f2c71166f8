/* SPDX-License-Identifier: MIT
 *
 * Reading results, in the caller's order and into his memory.
 */
#include "solver/measure.h"

#include "base/hash.h"

#include <string.h>

/* What all readers of particle triples share. */
static xpbd_status read_triples(const xpbd_world *world, const xpbd_view *view, uint32_t first,
                                uint32_t count, float *out, size_t stride)
{
    XPBD_TRY(xpbd_check_range(world, -1, first, count, world->model.n_particles, "particles"));
    if (stride == XPBD_SAME) {
        return xpbd_fail(world, XPBD_ERROR_STRIDE, -1, 0, 0.0, "results need a place each");
    }
    XPBD_TRY(xpbd_check_array(world, -1, out, count, 3, &stride, "out"));
    for (uint32_t i = 0; i < count; i++) {
        const float value[3] = {*xpbd_view_at(view, first + i, 0),
                                *xpbd_view_at(view, first + i, 1),
                                *xpbd_view_at(view, first + i, 2)};
        memcpy((char *)out + i * stride, value, sizeof value);
    }
    return XPBD_OK;
}

xpbd_status xpbd_world_read_positions(const xpbd_world *world, uint32_t first, uint32_t count,
                                      float *out, size_t stride)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    const xpbd_view view = xpbd_view_positions(world);
    return read_triples(world, &view, first, count, out, stride);
}

xpbd_status xpbd_world_read_velocities(const xpbd_world *world, uint32_t first, uint32_t count,
                                       float *out, size_t stride)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    const xpbd_view view = xpbd_view_velocities(world);
    return read_triples(world, &view, first, count, out, stride);
}

/* Results of constraints [first, first + count): n floats each, or of each of their elements. */
static xpbd_status check_results(const xpbd_world *world, xpbd_constraint_type type, uint32_t first,
                                 uint32_t count, uint32_t n, bool elements, const float *out,
                                 size_t *stride)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_type(world, type));
    const xpbd_set *set = &world->model.sets[type];
    XPBD_TRY(xpbd_check_range(world, (int32_t)type, first, count, set->count, "constraints"));
    if (*stride == XPBD_SAME) {
        return xpbd_fail(world, XPBD_ERROR_STRIDE, -1, 0, 0.0, "results need a place each");
    }
    const uint32_t n_records =
        elements ? xpbd_set_element(set, first + count) - xpbd_set_element(set, first) : count;
    return xpbd_check_array(world, (int32_t)type, out, n_records, n, stride, "out");
}

xpbd_status xpbd_world_read_lambdas(const xpbd_world *world, xpbd_constraint_type type,
                                    uint32_t first, uint32_t count, float *out, size_t stride)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    const uint32_t n_rows = info ? info->n_rows : 0;
    XPBD_TRY(check_results(world, type, first, count, n_rows, info && info->rows_per_element, out,
                           &stride));
    char *to = (char *)out;
    fenv_t caller;
    xpbd_team_enter_float(&caller);
    for (uint32_t i = 0; i < count; i++) {
        const xpbd_measure measure = xpbd_measure_begin(world, type, first + i);
        for (uint32_t record = 0; record < measure.n_records; record++, to += stride) {
            float lambda[XPBD_ROWS_MAX];
            xpbd_measure_lambda(&measure, record, lambda);
            memcpy(to, lambda, n_rows * sizeof(float));
        }
    }
    xpbd_team_leave_float(&caller);
    return XPBD_OK;
}

xpbd_status xpbd_world_read_forces(const xpbd_world *world, xpbd_constraint_type type,
                                   uint32_t first, uint32_t count, float *out, size_t stride)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info(type);
    const uint32_t n = info ? info->n_particles : 0;
    XPBD_TRY(check_results(world, type, first, count, 3 * n, true, out, &stride));
    const double inverse_dt2 = world->stepped ? (double)world->build.pass.inverse_dt2 : 0.0;
    char *to = (char *)out;
    fenv_t caller;
    xpbd_team_enter_float(&caller);
    for (uint32_t i = 0; i < count; i++) {
        const xpbd_measure measure = xpbd_measure_begin(world, type, first + i);
        for (uint32_t element = 0; element < measure.elements.n; element++, to += stride) {
            double force[XPBD_CORNERS_MAX][3];
            float rounded[3 * XPBD_CORNERS_MAX];
            xpbd_measure_force(&measure, element, inverse_dt2, force);
            for (uint32_t k = 0; k < 3 * n; k++) {
                rounded[k] = (float)force[k / 3][k % 3];
            }
            memcpy(to, rounded, 3 * n * sizeof(float));
        }
    }
    xpbd_team_leave_float(&caller);
    return XPBD_OK;
}

xpbd_status xpbd_world_read_broken(const xpbd_world *world, uint32_t capacity, xpbd_broken *out,
                                   uint32_t *n)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    if (!n || (!out && capacity > 0)) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "%s is null", n ? "out" : "n");
    }
    *n = world->model.n_broken;
    const uint32_t most = *n < capacity ? *n : capacity;
    if (most > 0) {
        memcpy(out, world->model.broken.data, most * sizeof *out);
    }
    return XPBD_OK;
}

uint64_t xpbd_world_hash(const xpbd_world *world)
{
    if (!world) {
        return 0;
    }
    const xpbd_view x = xpbd_view_positions(world), v = xpbd_view_velocities(world);
    uint64_t hash = xpbd_hash_word(XPBD_HASH_SEED, world->model.n_particles);
    for (uint32_t i = 0; i < world->model.n_particles; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            hash = xpbd_hash_float(hash, *xpbd_view_at(&x, i, c));
            hash = xpbd_hash_float(hash, *xpbd_view_at(&v, i, c));
        }
    }
    return hash;
}
