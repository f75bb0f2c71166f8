/* SPDX-License-Identifier: MIT
 *
 * Giving back what removed particles and constraints take. The model that is left is made beside
 * the old one, as large as it has to be, and then takes its place.
 */
#include "solver/ports.h"
#include "solver/record.h"

#include <string.h>

/* Where everything goes; UINT32_MAX: nowhere. */
typedef struct maps {
    uint32_t *particle;
    uint32_t *constraint[XPBD_CONSTRAINT_TYPE_COUNT];
} maps;

static bool make_maps(const xpbd_model *model, maps *to, xpbd_arena *scratch)
{
    uint32_t next = 0;
    to->particle = xpbd_arena_alloc(scratch, model->n_particles, sizeof(uint32_t));
    for (uint32_t i = 0; to->particle && i < model->n_particles; i++) {
        to->particle[i] = xpbd_model_lacks(model, i) ? UINT32_MAX : next++;
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_set *set = &model->sets[type];
        next = 0;
        to->constraint[type] = xpbd_arena_alloc(scratch, set->count, sizeof(uint32_t));
        for (uint32_t i = 0; to->constraint[type] && i < set->count; i++) {
            to->constraint[type][i] = xpbd_set_lacks(set, i) ? UINT32_MAX : next++;
        }
    }
    return !scratch->failed;
}

/* Room for exactly n elements; nothing for none. */
static bool get(xpbd_world *world, xpbd_buffer *buffer, size_t n, size_t size)
{
    return n == 0 || size == 0 || xpbd_buffer_reserve(&world->memory, buffer, 0, n, size);
}

/* Copy what is left of n records. */
static void copy(void *to, const void *from, const uint32_t *map, uint32_t n, size_t size)
{
    for (uint32_t i = 0; i < n && size > 0; i++) {
        if (map[i] != UINT32_MAX) {
            memcpy((char *)to + map[i] * size, (const char *)from + i * size, size);
        }
    }
}

static bool copy_particles(xpbd_world *world, const maps *to, xpbd_model *fresh)
{
    const xpbd_model *model = &world->model;
    const xpbd_view x = xpbd_view_positions(world), v = xpbd_view_velocities(world);
    const uint32_t n = model->n_particles - model->n_removed;
    if (!get(world, &fresh->position, n, 3 * sizeof(float)) ||
        !get(world, &fresh->velocity, n, 3 * sizeof(float)) ||
        !get(world, &fresh->inverse_mass, n, sizeof(float)) ||
        (model->forced && !get(world, &fresh->force, n, 3 * sizeof(float)))) {
        return false;
    }
    float *position = fresh->position.data, *velocity = fresh->velocity.data;
    for (uint32_t i = 0; i < model->n_particles; i++) {
        for (uint32_t c = 0; c < 3 && to->particle[i] != UINT32_MAX; c++) {
            position[3 * (size_t)to->particle[i] + c] = *xpbd_view_at(&x, i, c);
            velocity[3 * (size_t)to->particle[i] + c] = *xpbd_view_at(&v, i, c);
        }
    }
    copy(fresh->inverse_mass.data, model->inverse_mass.data, to->particle, model->n_particles,
         sizeof(float));
    if (model->forced) {
        copy(fresh->force.data, model->force.data, to->particle, model->n_particles,
             3 * sizeof(float));
    }
    fresh->forced = model->forced;
    fresh->n_particles = n;
    return true;
}

/* Elements that are left of a set. */
static uint32_t count_elements(const xpbd_set *set)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t of = xpbd_set_element(set, i + 1) - xpbd_set_element(set, i);
        n += xpbd_set_lacks(set, i) ? 0 : of;
    }
    return n;
}

static void copy_elements(const xpbd_set *set, const xpbd_constraint_info *info, const maps *to,
                          xpbd_set *fresh)
{
    const uint32_t *from = set->particles.data;
    uint32_t *particles = fresh->particles.data, *offsets = fresh->offsets.data, at = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t first = xpbd_set_element(set, i);
        const uint32_t n = xpbd_set_element(set, i + 1) - first;
        if (xpbd_set_lacks(set, i)) {
            continue;
        }
        for (uint32_t k = 0; k < n * info->n_particles; k++) {
            particles[(size_t)at * info->n_particles + k] =
                to->particle[from[(size_t)first * info->n_particles + k]];
        }
        const size_t size = info->n_element_rest * sizeof(float);
        if (size > 0) {
            memcpy((char *)fresh->element_rest.data + at * size,
                   (const char *)set->element_rest.data + first * size, n * size);
        }
        at += n;
        if (offsets) {
            *++offsets = at;
        }
    }
}

static bool copy_set(xpbd_world *world, uint32_t type, const maps *to, xpbd_model *model)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const xpbd_set *set = &world->model.sets[type];
    xpbd_set *fresh = &model->sets[type];
    const size_t n = set->count - set->n_removed, n_elements = count_elements(set);
    if (n == 0) {
        return true;
    }
    if (!get(world, &fresh->particles, n_elements, info->n_particles * sizeof(uint32_t)) ||
        !get(world, &fresh->rest, n, info->n_rest * sizeof(float)) ||
        (info->variable && !get(world, &fresh->offsets, n + 1, sizeof(uint32_t))) ||
        !get(world, &fresh->element_rest, n_elements, info->n_element_rest * sizeof(float))) {
        return false;
    }
    for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
        fresh->used[k] = set->used[k];
        if (set->used[k]) {
            if (!get(world, &fresh->columns[k], n, sizeof(float))) {
                return false;
            }
            copy(fresh->columns[k].data, set->columns[k].data, to->constraint[type], set->count,
                 sizeof(float));
        }
    }
    if (info->variable) {
        *(uint32_t *)fresh->offsets.data = 0;
    }
    copy(fresh->rest.data, set->rest.data, to->constraint[type], set->count,
         info->n_rest * sizeof(float));
    copy_elements(set, info, to, fresh);
    fresh->count = (uint32_t)n;
    fresh->most_compliant = set->most_compliant;
    return true;
}

/* What the caller added in one go stays together; what has nothing left between it becomes one. */
static bool copy_batches(xpbd_world *world, xpbd_model *fresh)
{
    const xpbd_model *model = &world->model;
    const xpbd_batch *from = model->batches.data;
    if (!get(world, &fresh->batches, model->n_batches, sizeof(xpbd_batch))) {
        return false;
    }
    xpbd_batch *to = fresh->batches.data;
    uint32_t first[XPBD_CONSTRAINT_TYPE_COUNT] = {0};
    for (uint32_t b = 0; b < model->n_batches; b++) {
        const uint32_t type = from[b].type;
        uint32_t left = 0;
        for (uint32_t i = from[b].first; i < from[b].first + from[b].count; i++) {
            left += !xpbd_set_lacks(&model->sets[type], i);
        }
        if (left > 0 && fresh->n_batches > 0 && to[fresh->n_batches - 1].type == type) {
            to[fresh->n_batches - 1].count += left;
        } else if (left > 0) {
            to[fresh->n_batches++] = (xpbd_batch){type, first[type], left};
        }
        first[type] += left;
    }
    return true;
}

/* Moves of the last step and the next, and what broke in the last. */
static bool copy_events(xpbd_world *world, const maps *to, xpbd_model *fresh)
{
    const xpbd_model *model = &world->model;
    const xpbd_move *moves = model->moves.data;
    const xpbd_broken *broken = model->broken.data;
    const size_t n_moves = (size_t)model->n_moved + model->n_moves;
    if (!get(world, &fresh->moves, n_moves, sizeof(xpbd_move)) ||
        !get(world, &fresh->broken, model->n_broken, sizeof(xpbd_broken))) {
        return false;
    }
    for (size_t k = 0; k < n_moves; k++) { /* no move is of a removed particle */
        ((xpbd_move *)fresh->moves.data)[k] = moves[k];
        ((xpbd_move *)fresh->moves.data)[k].particle = to->particle[moves[k].particle];
    }
    fresh->n_moved = model->n_moved;
    fresh->n_moves = model->n_moves;
    for (uint32_t k = 0; k < model->n_broken; k++) {
        const uint32_t index = to->constraint[broken[k].type][broken[k].index];
        if (index != UINT32_MAX) {
            ((xpbd_broken *)fresh->broken.data)[fresh->n_broken++] =
                (xpbd_broken){broken[k].type, index};
        }
    }
    return true;
}

static bool copy_model(xpbd_world *world, const maps *to, xpbd_model *fresh)
{
    bool copied = copy_particles(world, to, fresh) && copy_batches(world, fresh) &&
                  copy_events(world, to, fresh);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT && copied; type++) {
        copied = copy_set(world, type, to, fresh);
    }
    return copied;
}

static void hand_out(const xpbd_model *model, const maps *to, uint32_t *particle_map,
                     uint32_t *const *constraint_maps)
{
    if (particle_map && model->n_particles > 0) {
        memcpy(particle_map, to->particle, model->n_particles * sizeof *particle_map);
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT && constraint_maps; type++) {
        if (constraint_maps[type] && model->sets[type].count > 0) {
            memcpy(constraint_maps[type], to->constraint[type],
                   model->sets[type].count * sizeof(uint32_t));
        }
    }
}

xpbd_status xpbd_world_compact(xpbd_world *world, uint32_t *particle_map,
                               uint32_t *const *constraint_maps)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    bool any = world->model.n_removed > 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        any = any || world->model.sets[type].n_removed > 0;
    }
    maps to;
    xpbd_model fresh = {0};
    xpbd_arena scratch = {.memory = &world->memory};
    const bool done =
        make_maps(&world->model, &to, &scratch) && (!any || copy_model(world, &to, &fresh));
    if (done) {
        hand_out(&world->model, &to, particle_map, constraint_maps);
    }
    if (done && any) {
        xpbd_world_unbuild(world);
        xpbd_model_free(&world->memory, &world->model);
        world->model = fresh;
        xpbd_ports_renumber(world, to.particle, to.constraint);
    } else {
        xpbd_model_free(&world->memory, &fresh);
    }
    xpbd_arena_free(&scratch);
    if (done) {
        xpbd_record_words(world, XPBD_CALL_compact, -1, NULL, 0);
    }
    return done ? XPBD_OK
                : xpbd_fail(world, XPBD_ERROR_MEMORY, -1, world->model.n_particles, 0.0,
                            "no memory to number %u particles anew", world->model.n_particles);
}
