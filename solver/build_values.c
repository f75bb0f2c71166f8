/* SPDX-License-Identifier: MIT
 *
 * Numbers of constraints and particles on their way from the model to a build.
 */
#include "solver/build.h"
#include "solver/check.h"
#include "solver/track.h"
#include "solver/ways.h"

#include <string.h>

uint32_t xpbd_build_n_packed(uint32_t type)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
    return ops->pack ? ops->n_packed
                     : xpbd_constraint_type_info((xpbd_constraint_type)type)->n_rest;
}

/* 1 - (1 - k)^(1 / n), so that n corrections leave 1 - k of a constraint ([PBD07] sec. 3.3). The
 * root by Newton's method from above, in operations that round the same everywhere; pow() of the C
 * library need not. */
static float correct_stiffness(float k, uint32_t n)
{
    if (n <= 1 || k <= 0.0f || k >= 1.0f) {
        return k;
    }
    const double a = 1.0 - (double)k;
    double x = 1.0;
    for (int round = 0; round < 200; round++) {
        double power = 1.0, base = x; /* x^(n - 1) */
        for (uint32_t e = n - 1; e > 0; e >>= 1) {
            power *= e & 1 ? base : 1.0;
            base *= base;
        }
        const double next = x - (x - a / power) / n;
        if (!(next < x)) {
            break;
        }
        x = next;
    }
    return (float)(1.0 - x);
}

/* Trees are solved as a whole; Jacobi has its factor in gather.c. */
bool xpbd_build_is_relaxed(const xpbd_world *world)
{
    return world->scheduler->update == XPBD_UPDATE_IN_PLACE &&
           world->scheduler->partition != XPBD_PARTITION_TREES &&
           (world->relaxation < 1.0f || world->relaxation > 1.0f);
}

#define LONGEST_DAMPING 1e15f /* s */

/* Compliance, damping and stiffness of a constraint as the kernels want them. */
static void refresh_values(xpbd_world *world, uint32_t type, uint32_t i, uint32_t slot)
{
    const xpbd_set *set = &world->model.sets[type];
    xpbd_stream *stream = &world->build.streams[type];
    const float k = xpbd_column_at(set, XPBD_COLUMN_stiffness, i);
    const bool stiff = k >= 0.0f;
    const float compliance = stiff ? 0.0f : xpbd_column_at(set, XPBD_COLUMN_compliance, i);
    stream->compliance[slot] = compliance;
    if (stream->damping) {
        const float damping = compliance * xpbd_column_at(set, XPBD_COLUMN_damping, i) +
                              xpbd_column_at(set, XPBD_COLUMN_damping_time, i);
        /* Longer than any simulation is as good as for ever, and damping / dt stays a number. */
        stream->damping[slot] = stiff                       ? 0.0f
                                : damping < LONGEST_DAMPING ? damping
                                                            : LONGEST_DAMPING;
    }
    if (stream->stiffness) {
        const bool on = xpbd_column_at(set, XPBD_COLUMN_enabled, i) > 0.0f;
        const float corrected =
            world->plain_stiffness ? k : correct_stiffness(k, world->iterations);
        const float whole = xpbd_build_is_relaxed(world) ? world->relaxation : 1.0f;
        stream->stiffness[slot] = !on ? 0.0f : stiff ? corrected : whole;
    }
    if (stream->break_force) {
        stream->break_force[slot] = xpbd_column_at(set, XPBD_COLUMN_break_force, i);
    }
}

static void refresh_elements(xpbd_world *world, uint32_t type, uint32_t i, uint32_t slot)
{
    const uint32_t n = xpbd_constraint_type_info((xpbd_constraint_type)type)->n_element_rest;
    const xpbd_set *set = &world->model.sets[type];
    const xpbd_units *units = &world->build.units[type];
    const uint32_t first = xpbd_set_element(set, i), last = xpbd_set_element(set, i + 1);
    for (uint32_t e = first; n > 0 && e < last; e++) {
        for (uint32_t k = 0; k < n; k++) {
            units->element_rest[k][units->first_group[slot] * XPBD_GROUP + e - first] =
                ((const float *)set->element_rest.data)[(size_t)e * n + k];
        }
    }
}

void xpbd_build_refresh(xpbd_world *world, uint32_t type, uint32_t first, uint32_t count)
{
    const uint32_t n_rest = xpbd_constraint_type_info((xpbd_constraint_type)type)->n_rest;
    const uint32_t n_packed = xpbd_build_n_packed(type);
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
    const float *rest = world->model.sets[type].rest.data;
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    const uint32_t *slots = world->build.packing.slot + tuples.first[type];
    xpbd_stream *stream = &world->build.streams[type];
    fenv_t caller; /* setters come here from the caller's own */
    xpbd_team_enter_float(&caller);
    for (uint32_t i = first; i < first + count; i++) {
        if (xpbd_set_lacks(&world->model.sets[type], i)) {
            continue;
        }
        float own[XPBD_REST_MAX];
        const float *packed = rest + (size_t)i * n_rest;
        if (ops->pack) {
            ops->pack(packed, own);
            packed = own;
        }
        for (uint32_t k = 0; k < n_packed; k++) {
            stream->rest[k][slots[i]] = packed[k];
        }
        refresh_values(world, type, i, slots[i]);
        if (stream->units) {
            refresh_elements(world, type, i, slots[i]);
        }
    }
    xpbd_track_refresh(world, type, first, count);
    xpbd_team_leave_float(&caller);
}

void xpbd_build_weigh(xpbd_world *world, uint32_t particle)
{
    xpbd_build *build = &world->build;
    const xpbd_store *store = &build->store;
    const uint32_t slot = build->rank[particle];
    const float w = ((const float *)world->model.inverse_mass.data)[particle];
    float weight = w;
    if (world->scheduler->update >= XPBD_UPDATE_MASS_SPLIT) {
        const uint32_t n = build->first_correction[slot + 1] - build->first_correction[slot];
        weight = w * (float)(n > 0 ? n : 1); /* what moves at all must not have 0 */
    }
    build->track.stale = true;
    xpbd_ways_forget(build);
    store->inverse_mass[slot] = w;
    *xpbd_store_at(store, store->position, slot, 3) = weight;
}
