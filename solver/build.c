/* SPDX-License-Identifier: MIT
 *
 * From model to build: order, partition, pack; the plan is in plan_build.c. Everything comes
 * from one arena and is dropped as a whole when the model grows.
 */
#include "solver/build.h"
#include "solver/check.h"
#include "solver/chebyshev.h"
#include "solver/corrections.h"
#include "solver/direct.h"
#include "solver/guard.h"
#include "solver/plan_build.h"
#include "solver/ports.h"
#include "solver/track.h"
#include "solver/ways.h"

#include "base/assert.h"
#include "layouts/hubs.h"
#include "layouts/validate.h"

#include <string.h>

static bool partition(xpbd_world *world, const xpbd_tuples *tuples, const xpbd_walk_step *walk,
                      xpbd_bins *bins, xpbd_arena *scratch)
{
    xpbd_build *build = &world->build;
    const uint8_t *movable = NULL;
    switch (world->scheduler->partition) {
    case XPBD_PARTITION_SEQUENCE:
        return xpbd_partition_sequence(tuples, bins, scratch);
    case XPBD_PARTITION_FREE:
        return xpbd_partition_free(tuples, bins, scratch);
    case XPBD_PARTITION_SLABS:
        return xpbd_partition_slabs(tuples, walk, build->rank, bins, scratch, scratch);
    case XPBD_PARTITION_TREES:
        movable = xpbd_direct_movable(world, scratch);
        return movable && xpbd_partition_trees(tuples, walk, build->rank, movable,
                                               &build->direct.trees, bins, &build->arena, scratch);
    case XPBD_PARTITION_COLORS:
        break;
    }
    return xpbd_partition_greedy(tuples, walk, build->rank, bins, scratch, scratch);
}

/* Kinds of values that a type uses, and that its stream must have room for. */
static bool is_damped(const xpbd_set *set)
{
    return set->used[XPBD_COLUMN_damping] || set->used[XPBD_COLUMN_damping_time];
}

static bool is_breakable(const xpbd_set *set)
{
    return set->used[XPBD_COLUMN_break_force];
}

static bool is_stiff(const xpbd_world *world, const xpbd_set *set)
{
    return set->used[XPBD_COLUMN_stiffness] || set->used[XPBD_COLUMN_enabled] ||
           is_breakable(set) || xpbd_build_is_relaxed(world);
}

bool xpbd_build_has_room(const xpbd_world *world, uint32_t type)
{
    const xpbd_set *set = &world->model.sets[type];
    const xpbd_stream *stream = &world->build.streams[type];
    return (stream->damping || !is_damped(set)) && (stream->stiffness || !is_stiff(world, set)) &&
           (stream->break_force || !is_breakable(set));
}

/* Units of a type of variable size, and the room of its element rest data. */
static bool make_units(xpbd_build *build, uint32_t type, const xpbd_tuples *tuples,
                       xpbd_arena *scratch)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    xpbd_stream *stream = &build->streams[type];
    xpbd_units *units = &build->units[type];
    *stream = (xpbd_stream){.n_groups = build->packing.n_groups[type]};
    if (!tuples->offsets[type]) {
        return true;
    }
    stream->units = units;
    if (!xpbd_pack_units(tuples, type, &build->packing, units, &build->arena, scratch)) {
        return false;
    }
    for (uint32_t k = 0; k < info->n_element_rest; k++) {
        units->element_rest[k] =
            xpbd_arena_zero(&build->arena, xpbd_stream_lanes(stream), sizeof(float));
    }
    return !build->arena.failed;
}

static bool alloc_stream(xpbd_world *world, uint32_t type, bool accumulate)
{
    xpbd_build *build = &world->build;
    const xpbd_set *set = &world->model.sets[type];
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    xpbd_stream *stream = &build->streams[type];
    xpbd_arena *arena = &build->arena;
    const size_t lanes = xpbd_stream_slots(stream);
    const size_t rows = info->rows_per_element ? xpbd_stream_lanes(stream) : lanes;
    for (uint32_t k = 0; k < info->n_particles; k++) {
        stream->id[k] = xpbd_arena_zero(arena, xpbd_stream_lanes(stream), sizeof(uint32_t));
    }
    for (uint32_t k = 0; k < xpbd_build_n_packed(type); k++) {
        stream->rest[k] = xpbd_arena_zero(arena, lanes, sizeof(float));
    }
    for (uint32_t k = 0; k < info->n_rows; k++) {
        stream->lambda[k] = xpbd_arena_zero(arena, rows, sizeof(float));
    }
    stream->compliance = xpbd_arena_zero(arena, lanes, sizeof(float));
    if (is_damped(set)) {
        stream->damping = xpbd_arena_zero(arena, lanes, sizeof(float));
    }
    if (is_stiff(world, set)) {
        stream->stiffness = xpbd_arena_zero(arena, lanes, sizeof(float));
    }
    if (is_breakable(set)) {
        stream->break_force = xpbd_arena_zero(arena, lanes, sizeof(float));
        stream->broken = xpbd_arena_zero(arena, lanes, 1);
    }
    if (accumulate) {
        stream->share = xpbd_arena_zero(arena, rows, sizeof(float));
    }
    return !arena->failed;
}

/* What particular schedulers and options want besides. */
static bool make_extras(xpbd_world *world)
{
    xpbd_build *build = &world->build;
    if (world->keep_prediction) {
        build->prediction = xpbd_arena_zero(
            &build->arena, 4 * ((size_t)build->store.n_slots + XPBD_GROUP), sizeof(float));
        build->imbalance =
            xpbd_arena_zero(&build->arena, world->model.n_particles, sizeof *build->imbalance);
    }
    return !build->arena.failed && xpbd_direct_init(world) && xpbd_track_init(world) &&
           xpbd_guard_init(world) &&
           (world->scheduler->update != XPBD_UPDATE_CHEBYSHEV || xpbd_chebyshev_init(world));
}

/* Particles to the store. */
static bool fill_store(xpbd_world *world)
{
    xpbd_build *build = &world->build;
    xpbd_store *store = &build->store;
    const xpbd_model *model = &world->model;
    const float *x = model->position.data, *v = model->velocity.data, *f = model->force.data;
    if (model->forced) {
        store->force = xpbd_arena_zero(&build->arena, 4 * ((size_t)store->n_slots + XPBD_GROUP),
                                       sizeof(float));
        if (!store->force) {
            return false;
        }
    }
    for (uint32_t i = 0; i < model->n_particles; i++) {
        const uint32_t slot = build->rank[i];
        for (uint32_t c = 0; c < 3; c++) {
            *xpbd_store_at(store, store->position, slot, c) = x[3 * (size_t)i + c];
            *xpbd_store_at(store, store->velocity, slot, c) = v[3 * (size_t)i + c];
            if (model->forced) {
                *xpbd_store_at(store, store->force, slot, c) = f[3 * (size_t)i + c];
            }
        }
        xpbd_build_weigh(world, i);
    }
    return true;
}

/* A step must not allocate: room for all that can break. */
static bool reserve_broken(xpbd_world *world)
{
    size_t n = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        n += is_breakable(&world->model.sets[type]) ? world->model.sets[type].count : 0;
    }
    return xpbd_buffer_reserve(&world->memory, &world->model.broken, world->model.n_broken, n,
                               sizeof(xpbd_broken));
}

#ifndef NDEBUG
/* Debug builds prove what the schedulers rely on; false where there is no memory to do so. */
static bool prove(const xpbd_world *world, const xpbd_bins *bins, xpbd_arena *scratch)
{
    const xpbd_build *build = &world->build;
    xpbd_tuples tuples = xpbd_world_tuples(world);
    tuples.hub = xpbd_build_hubs(world, scratch);
    const bool disjoint = world->scheduler->update == XPBD_UPDATE_IN_PLACE && !bins->ordered;
    xpbd_conflict conflict;
    const bool valid =
        xpbd_layout_validate(&tuples, build->rank, bins, &build->packing, &build->store,
                             build->streams, disjoint, &conflict, scratch);
    XPBD_ASSERT(valid || scratch->failed);
    return !scratch->failed;
}
#endif

/* Places for the values of all constraints. */
static bool alloc_streams(xpbd_world *world, const xpbd_tuples *tuples, xpbd_arena *scratch)
{
    xpbd_build *build = &world->build;
    const bool accumulate = world->scheduler->update != XPBD_UPDATE_IN_PLACE;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (!make_units(build, type, tuples, scratch) || !alloc_stream(world, type, accumulate)) {
            return false;
        }
        if (tuples->runs[type] && !xpbd_ways_alloc(build, type)) {
            return false;
        }
    }
    return !build->arena.failed;
}

/* Values and state for what has its place. Removed constraints had theirs until here, so that the
 * others get what they would have had without a removal. */
static bool fill(xpbd_world *world, const xpbd_bins *bins, const xpbd_tuples *tuples,
                 xpbd_arena *scratch)
{
    xpbd_build *build = &world->build;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        xpbd_build_refresh(world, type, 0, world->model.sets[type].count);
    }
    if (!xpbd_plan_make(world, bins, scratch)) {
        return false;
    }
#ifndef NDEBUG
    if (!prove(world, bins, scratch)) {
        return false;
    }
#endif
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        xpbd_build_remove(world, type, 0, world->model.sets[type].count);
    }
    if (world->scheduler->update != XPBD_UPDATE_IN_PLACE) {
        if (!xpbd_corrections_list(build, tuples, scratch)) {
            return false;
        }
        xpbd_corrections_share(world, tuples);
    }
    const bool stored = fill_store(world);
    build->even_wait = 0; /* these weights are not others than before */
    if (!stored || !make_extras(world) || !reserve_broken(world)) {
        return false;
    }
    xpbd_pack_scale(&build->store, &build->packing, build->streams);
    build->store.n_slots = build->packing.first_spare; /* spare slots stay at 0 without steps */
    return true;
}

static bool lay_out(xpbd_world *world, xpbd_bins *bins, xpbd_arena *scratch)
{
    xpbd_build *build = &world->build;
    xpbd_tuples tuples = xpbd_world_tuples(world);
    const uint32_t n = xpbd_tuples_count(&tuples);
    build->rank = xpbd_arena_alloc(&build->arena, tuples.n_particles, sizeof(uint32_t));
    xpbd_walk_step *walk = xpbd_arena_alloc(scratch, n, sizeof *walk);
    if (!build->rank || !walk || !xpbd_build_find_hubs(world, &tuples, scratch) ||
        !xpbd_order_run(&tuples, world->order, &build->order, build->rank, scratch)) {
        return false;
    }
    const bool by_rank =
        build->order != XPBD_ORDER_natural || world->scheduler->partition == XPBD_PARTITION_SLABS;
    if (!xpbd_order_walk(&tuples, by_rank, build->rank, walk, scratch) ||
        !partition(world, &tuples, walk, bins, scratch)) {
        return false;
    }
    if (bins->ordered) { /* the caller's order whatever that of the particles */
        xpbd_order_walk(&tuples, false, build->rank, walk, scratch);
    }
    if (!xpbd_pack_place(&tuples, walk, bins, &build->packing, &build->arena, scratch) ||
        !alloc_streams(world, &tuples, scratch)) {
        return false;
    }
    const bool disjoint = world->scheduler->update == XPBD_UPDATE_IN_PLACE && !bins->ordered;
    const xpbd_store slots = {.n = bins->n_places}; /* all that ids depend on */
    xpbd_pack_ids(&tuples, build->rank, bins, &build->packing, &slots, build->streams);
    return xpbd_hubs_copy(&tuples, build->rank, bins, &build->packing, &slots, build->streams,
                          &build->arena, scratch) &&
           xpbd_pack_spares(&tuples, bins, &build->packing, &slots, disjoint, &build->arena) &&
           xpbd_store_init(&build->store, world->layout, bins->n_places,
                           xpbd_packing_all_sinks(&build->packing), &build->arena) &&
           fill(world, bins, &tuples, scratch);
}

static void tell_what_was_built(const xpbd_world *world)
{
    const xpbd_build *build = &world->build;
    if (world->scheduler->partition == XPBD_PARTITION_SLABS && build->plan.n_strips == 0 &&
        build->plan.n_stages > 0) {
        xpbd_tell(world, XPBD_LOG_WARNING,
                  "%s: the mesh is too tangled for slabs, so it has one stage per colour",
                  world->scheduler->name);
    }
    xpbd_tell(world, XPBD_LOG_INFO, "prepared: %s, %s order, %u stages, %u blocks, %u strips",
              world->scheduler->name, xpbd_ordering_name(build->order), build->plan.n_stages,
              build->plan.n_blocks, build->plan.n_strips);
}

/* About what a build needs on the way, in whole large pages; nothing where that is far from one. */
static size_t scratch_at_once(const xpbd_world *world)
{
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    const size_t n = 48 * (size_t)xpbd_tuples_count(&tuples) + 32 * (size_t)tuples.n_particles;
    const size_t pages = (n + XPBD_LARGE_PAGE / 2) / XPBD_LARGE_PAGE;
    return pages > 0 ? pages * XPBD_LARGE_PAGE - XPBD_ALIGNMENT
                     : 0; /* less the header of a chunk */
}

static xpbd_status build(xpbd_world *world)
{
    xpbd_arena scratch = {.memory = &world->memory, .at_once = scratch_at_once(world)};
    xpbd_bins bins;
    world->build = (xpbd_build){.arena = {.memory = &world->memory}};
    fenv_t caller; /* its rounding mode is not to reach a number that is kept */
    xpbd_team_enter_float(&caller);
    if (lay_out(world, &bins, &scratch)) {
        xpbd_plan_tasks(world);
        world->built = true;
    } else {
        xpbd_arena_free(&world->build.arena);
    }
    xpbd_arena_free(&scratch);
    xpbd_team_leave_float(&caller);
    if (!world->built) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, world->model.n_particles, 0.0,
                         "no memory to prepare %u particles", world->model.n_particles);
    }
    xpbd_world_tune(world);
    tell_what_was_built(world);
    return XPBD_OK;
}

xpbd_status xpbd_world_prepare(xpbd_world *world)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (!world->built) {
        XPBD_TRY(build(world));
    }
    if (!xpbd_ports_find(world)) {
        return xpbd_fail(world, XPBD_ERROR_MEMORY, -1, world->ports.n, 0.0,
                         "no memory for what pulls at %u ports", world->ports.n);
    }
    return XPBD_OK;
}
