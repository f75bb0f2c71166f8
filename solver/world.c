/* SPDX-License-Identifier: MIT
 *
 * The life of a world: what it is created with, what was chosen, and its end.
 */
#include "solver/build.h"
#include "solver/ports.h"
#include "solver/record.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The size tells a caller of another version. */
enum {
    COOKIE = 0x58500000 + sizeof(xpbd_world_def),
    MOST_SUBSTEPS = 1000000,
    MOST_ITERATIONS = 1000000
};

uint32_t xpbd_version(void)
{
    return XPBD_VERSION;
}

xpbd_world_def xpbd_default_world_def(void)
{
    return (xpbd_world_def){.cookie = COOKIE,
                            .substeps = 1,
                            .iterations = 10,
                            .acceleration = {0.0f, -9.81f, 0.0f},
                            .relaxation = 1.0f,
                            .check_every = 8,
                            .max_speed = INFINITY,
                            .max_force = INFINITY};
}

bool xpbd_world_is_custom(const xpbd_world *world)
{
    const xpbd_scheduler *row;
    for (uint32_t i = 0; (row = xpbd_sched_row(i)); i++) {
        if (row == world->scheduler) {
            return false;
        }
    }
    return true;
}

void xpbd_world_tune(xpbd_world *world)
{
    const bool automatic = world->threads_asked == 0 && !xpbd_world_is_custom(world);
    const uint32_t n = world->team.plan.n_threads;
    world->tune = (xpbd_tune){.n = 0};
    if (world->built && automatic && n > 1) {
        xpbd_tune_begin(&world->tune, n, xpbd_sched_useful(&world->build.plan));
    }
    xpbd_team_use(&world->team, world->tune.n > 0 ? world->tune.threads[0] : n);
}

xpbd_status xpbd_world_set_threads(xpbd_world *world, int32_t threads)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (threads < 0) {
        return xpbd_fail(world, XPBD_ERROR_THREADS, -1, 0, threads, "%d threads", threads);
    }
    world->threads_asked = threads;
    const bool sequence = world->scheduler->partition == XPBD_PARTITION_SEQUENCE;
    xpbd_topology_plan plan;
    if (world->host.parallel_for) {
        xpbd_team_plan_hosted(&world->host, sequence ? 1 : threads, &plan);
    } else {
        xpbd_team_plan(sequence ? 1 : threads, world->pinning, &plan);
    }
    xpbd_team_init_hosted(&world->team, &plan, &world->host);
    xpbd_world_tune(world);
    if (plan.oversubscribed) {
        xpbd_tell(world, XPBD_LOG_WARNING, "%u threads, but this process may use %u processors",
                  plan.n_threads, plan.n_usable);
    }
    if (world->pinning != 0 && !plan.bind) {
        xpbd_tell(world, XPBD_LOG_WARNING, "pinning \"%s\": %s", xpbd_pinning_name(world->pinning),
                  plan.binding);
    }
    return XPBD_OK;
}

xpbd_status xpbd_world_set_tolerance(xpbd_world *world, float tolerance, uint32_t check_every)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (!(tolerance >= 0.0f) || check_every == 0) {
        return xpbd_fail(world, XPBD_ERROR_TOLERANCE, -1, check_every, (double)tolerance,
                         "a tolerance of %g, looked at after every %u iterations",
                         (double)tolerance, check_every);
    }
    if (!(world->tolerance > 0.0f) && tolerance > 0.0f) {
        xpbd_world_unbuild(world); /* for the room that looking takes */
    }
    world->tolerance = tolerance;
    world->check_every = check_every;
    xpbd_tune_forget(&world->tune);
    uint32_t values[2] = {0, check_every};
    memcpy(values, &tolerance, sizeof tolerance);
    xpbd_record_words(world, XPBD_CALL_set_tolerance, -1, values, 2);
    return XPBD_OK;
}

xpbd_status xpbd_world_set_solver(xpbd_world *world, uint32_t substeps, uint32_t iterations)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (substeps == 0 || substeps > MOST_SUBSTEPS) {
        return xpbd_fail(world, XPBD_ERROR_SUBSTEPS, -1, 0, substeps,
                         "%u substeps; 1 ... %d are allowed", substeps, MOST_SUBSTEPS);
    }
    if (iterations > MOST_ITERATIONS) {
        return xpbd_fail(world, XPBD_ERROR_ITERATIONS, -1, 0, iterations,
                         "%u iterations; 0 ... %d are allowed", iterations, MOST_ITERATIONS);
    }
    const bool anew = world->iterations != iterations;
    world->substeps = substeps;
    world->iterations = iterations;
    xpbd_tune_forget(&world->tune);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT && world->built && anew; type++) {
        /* Corrected stiffness depends on the iterations. */
        if (world->build.streams[type].stiffness) {
            xpbd_build_refresh(world, type, 0, world->model.sets[type].count);
        }
    }
    const uint32_t values[] = {substeps, iterations};
    xpbd_record_words(world, XPBD_CALL_set_solver, -1, values, 2);
    return XPBD_OK;
}

xpbd_status xpbd_world_set_acceleration(xpbd_world *world, const float acceleration[3])
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (!acceleration) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "acceleration is null");
    }
    for (uint32_t k = 0; k < 3; k++) {
        if (!xpbd_is_finite(acceleration[k])) {
            return xpbd_fail(world, XPBD_ERROR_ACCELERATION, -1, k, (double)acceleration[k],
                             "component %u of the acceleration is %g", k, (double)acceleration[k]);
        }
    }
    memcpy(world->acceleration, acceleration, sizeof world->acceleration);
    xpbd_record_words(world, XPBD_CALL_set_acceleration, -1, acceleration, 3);
    return XPBD_OK;
}

static xpbd_status configure_host(xpbd_world *world, const xpbd_world_def *def)
{
    world->log = def->log;
    if (!def->task_system) {
        return XPBD_OK;
    }
    if (!def->task_system->parallel_for || def->task_system->workers == 0) {
        return xpbd_fail(world, XPBD_ERROR_TASK_SYSTEM, -1, 0, def->task_system->workers,
                         "the task system has %s",
                         def->task_system->parallel_for ? "no workers" : "no parallel_for");
    }
    world->host = *def->task_system;
    return XPBD_OK;
}

static xpbd_status configure(xpbd_world *world, const xpbd_world_def *def)
{
    if (def->cookie != COOKIE) {
        return xpbd_fail(world, XPBD_ERROR_COOKIE, -1, 0, def->cookie,
                         "the world definition was not made by xpbd_default_world_def()");
    }
    XPBD_TRY(configure_host(world, def));
    if (!(def->relaxation > 0.0f && def->relaxation < 2.0f)) {
        return xpbd_fail(world, XPBD_ERROR_RELAXATION, -1, 0, (double)def->relaxation,
                         "the relaxation factor is %g, not in (0, 2)", (double)def->relaxation);
    }
    if (!(def->spectral_radius >= 0.0f && def->spectral_radius < 1.0f)) {
        return xpbd_fail(world, XPBD_ERROR_SPECTRAL_RADIUS, -1, 0, (double)def->spectral_radius,
                         "the spectral radius is %g, not in [0, 1)", (double)def->spectral_radius);
    }
    world->relaxation = def->relaxation;
    world->spectral_radius = def->spectral_radius;
    world->plain_stiffness = def->plain_stiffness;
    world->keep_prediction = def->keep_prediction;
    XPBD_TRY(xpbd_world_set_tolerance(world, def->tolerance, def->check_every));
    XPBD_TRY(xpbd_world_set_guard(world, (xpbd_guard)def->guard, def->max_speed, def->max_force));
    XPBD_TRY(xpbd_world_choose(world, def));
    XPBD_TRY(xpbd_world_set_solver(world, def->substeps, def->iterations));
    XPBD_TRY(xpbd_world_set_acceleration(world, def->acceleration));
    return xpbd_world_set_threads(world, def->threads);
}

xpbd_status xpbd_world_create(const xpbd_world_def *def, xpbd_world **out, xpbd_error *error)
{
    xpbd_error local = {.type = -1};
    const xpbd_world_def defaults = xpbd_default_world_def();
    def = def ? def : &defaults;
    xpbd_status status = XPBD_OK;
    xpbd_memory memory;
    xpbd_world *world = NULL;
    if (!out) {
        status = XPBD_ERROR_NULL;
    } else if (def->cookie == COOKIE && def->allocator &&
               (!def->allocator->alloc || !def->allocator->free)) {
        status = XPBD_ERROR_NULL;
    } else {
        *out = NULL;
        xpbd_memory_init(&memory, def->cookie == COOKIE ? def->allocator : NULL);
        world = xpbd_memory_alloc(&memory, 1, sizeof *world);
        status = world ? XPBD_OK : XPBD_ERROR_MEMORY;
    }
    if (status == XPBD_OK) {
        memset(world, 0, sizeof *world);
        world->memory = memory;
        world->error = &local;
        status = configure(world, def);
        if (status == XPBD_OK) {
            world->error = xpbd_memory_alloc(&world->memory, 1, sizeof *world->error);
            status = world->error ? XPBD_OK : XPBD_ERROR_MEMORY;
        }
    }
    if (status != XPBD_OK) {
        if (world) {
            memory = world->memory;
            xpbd_memory_free(&memory, world, 1, sizeof *world);
        }
        if (local.status == XPBD_OK) {
            local.status = status;
            strcpy(local.text, xpbd_status_text(status));
        }
    } else {
        *world->error = local;
        *out = world;
    }
    if (error) {
        *error = local;
    }
    return status;
}

void xpbd_model_free(xpbd_memory *memory, xpbd_model *model)
{
    xpbd_buffer_free(memory, &model->position, 3 * sizeof(float));
    xpbd_buffer_free(memory, &model->velocity, 3 * sizeof(float));
    xpbd_buffer_free(memory, &model->inverse_mass, sizeof(float));
    xpbd_buffer_free(memory, &model->force, 3 * sizeof(float));
    xpbd_buffer_free(memory, &model->removed, 1);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        xpbd_set *set = &model->sets[type];
        xpbd_buffer_free(memory, &set->particles, info->n_particles * sizeof(uint32_t));
        xpbd_buffer_free(memory, &set->rest, info->n_rest * sizeof(float));
        xpbd_buffer_free(memory, &set->offsets, sizeof(uint32_t));
        xpbd_buffer_free(memory, &set->element_rest, info->n_element_rest * sizeof(float));
        xpbd_buffer_free(memory, &set->removed, 1);
        for (uint32_t k = 0; k < XPBD_COLUMN_COUNT; k++) {
            xpbd_buffer_free(memory, &set->columns[k], sizeof(float));
        }
    }
    xpbd_buffer_free(memory, &model->table, sizeof(uint64_t));
    xpbd_buffer_free(memory, &model->batches, sizeof(xpbd_batch));
    xpbd_buffer_free(memory, &model->moves, sizeof(xpbd_move));
    xpbd_buffer_free(memory, &model->broken, sizeof(xpbd_broken));
}

void xpbd_world_destroy(xpbd_world *world)
{
    if (!world || world->substep.inside) {
        return;
    }
    if (world->built) {
        xpbd_arena_free(&world->build.arena);
    }
    xpbd_model_free(&world->memory, &world->model);
    xpbd_ports_free(world);
    xpbd_record_free(world);
    xpbd_memory_free(&world->memory, world->error, 1, sizeof *world->error);
    xpbd_memory memory = world->memory;
    xpbd_memory_free(&memory, world, 1, sizeof *world);
    XPBD_ASSERT(memory.bytes == 0);
}

static void summarize_build(const xpbd_world *world, xpbd_world_summary *summary)
{
    const xpbd_build *build = &world->build;
    summary->ordering = xpbd_ordering_name(build->order);
    summary->n_stages = build->plan.n_stages;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_set *set = &world->model.sets[type];
        const uint32_t n_lanes = (uint32_t)xpbd_stream_lanes(&build->streams[type]) -
                                 build->packing.n_gaps[type] * XPBD_GROUP;
        summary->n_groups += n_lanes / XPBD_GROUP;
        summary->n_padding += n_lanes - xpbd_set_element(set, set->count);
        for (uint32_t i = 0; set->n_removed > 0 && i < set->count; i++) {
            const uint32_t n = xpbd_set_element(set, i + 1) - xpbd_set_element(set, i);
            summary->n_padding += xpbd_set_lacks(set, i) ? n : 0;
        }
    }
}

xpbd_status xpbd_world_summarize(const xpbd_world *world, xpbd_world_summary *summary)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    if (!summary) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "summary is null");
    }
    const xpbd_topology_plan *plan = &world->team.plan;
    const uint32_t n_refused = atomic_load_explicit(&world->team.n_refused, memory_order_relaxed);
    *summary = (xpbd_world_summary){
        .n_particles = world->model.n_particles,
        .n_removed_particles = world->model.n_removed,
        .scheduler = world->scheduler->name,
        .layout = xpbd_layout_name(world->layout),
        .isa = xpbd_isa_name(world->isa),
        .ordering = world->order == XPBD_ORDER_COUNT ? "auto" : xpbd_ordering_name(world->order),
        .pinning = xpbd_pinning_name(world->pinning),
        .threads = plan->n_threads,
        .threads_active = world->team.n_active,
        .threads_usable = plan->n_usable,
        .oversubscribed = plan->oversubscribed,
        .binding = n_refused > 0 ? "refused in the last step" : plan->binding,
        .bytes = world->memory.bytes,
    };
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        summary->n_constraints[type] = world->model.sets[type].count;
        summary->n_removed_constraints[type] = world->model.sets[type].n_removed;
    }
    if (world->built) {
        summarize_build(world, summary);
    }
    return XPBD_OK;
}
