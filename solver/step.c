/* SPDX-License-Identifier: MIT
 *
 * A step: [XPBD16] algorithm 1 once per substep, by all members of the team in one go.
 *
 *     member 0   predict | barrier | scheduler->solve | barrier | finish, predict | barrier | ...
 *     member 1   predict |         |                  |         | finish, predict |
 *
 * Predict and finish of a member work on the same particles, so none is needed between them.
 */
#include "solver/budget.h"
#include "solver/build.h"
#include "solver/check.h"
#include "solver/chebyshev.h"
#include "solver/guard.h"
#include "solver/ports.h"
#include "solver/record.h"
#include "solver/track.h"
#include "solver/ways.h"

#include "base/clock.h"

#include <float.h>

#define SHORTEST_SUBSTEP 1e-9
#define LONGEST_SUBSTEP  1000.0

static const xpbd_constraint_info *rows_of(uint32_t type)
{
    return xpbd_constraint_type_info((xpbd_constraint_type)type);
}

/* Without iterations no kernel sets lambda. */
static void clear_lambda(const xpbd_build *build)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_stream *stream = &build->streams[type];
        for (uint32_t row = 0; row < XPBD_ROWS_MAX && stream->lambda[row]; row++) {
            const size_t n = rows_of(type)->rows_per_element ? xpbd_stream_lanes(stream)
                                                             : xpbd_stream_slots(stream);
            for (size_t lane = 0; lane < n; lane++) {
                stream->lambda[row][lane] = 0.0f;
            }
        }
    }
}

/* |lambda|^2 of a constraint, the largest of its elements where they have rows of their own. */
static float square_of(const xpbd_stream *stream, uint32_t type, size_t slot)
{
    const xpbd_units *units = stream->units;
    const bool each = rows_of(type)->rows_per_element;
    const size_t begin = each ? (size_t)units->first_group[slot] * XPBD_GROUP : slot;
    const size_t end = each ? begin + units->n[slot] : slot + 1;
    float most = 0.0f;
    for (size_t lane = begin; lane < end; lane++) {
        float square = 0.0f;
        for (uint32_t row = 0; row < XPBD_ROWS_MAX && stream->lambda[row]; row++) {
            square += stream->lambda[row][lane] * stream->lambda[row][lane];
        }
        most = square > most ? square : most;
    }
    return most;
}

/* The lanes of one type that can break. */
typedef struct breaking {
    xpbd_build *build;
    uint32_t type;
} breaking;

/* Switch off what pulls too hard. */
static void break_units(void *context, uint32_t begin, uint32_t end)
{
    const breaking *b = context;
    const xpbd_stream *stream = &b->build->streams[b->type];
    const float dt2 = b->build->pass.dt * b->build->pass.dt;
    const size_t n = stream->units ? 1 : XPBD_GROUP; /* constraints of a unit */
    for (size_t lane = begin * n; lane < end * n; lane++) {
        const float square = square_of(stream, b->type, lane);
        const float most = stream->break_force[lane] * dt2;
        if (square > most * most && stream->stiffness[lane] > 0.0f) {
            stream->stiffness[lane] = 0.0f;
            stream->broken[lane] = 1;
            atomic_store_explicit(&b->build->any_broken, true, memory_order_relaxed);
        }
    }
}

static void break_lanes(xpbd_build *build, xpbd_member *member)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_stream *stream = &build->streams[type];
        if (stream->break_force) {
            breaking b = {build, type};
            xpbd_member_share(member, stream->n_groups, 1, break_units, &b);
        }
    }
}

/* Note what broke, in the caller's order. */
static void list_broken(xpbd_world *world)
{
    xpbd_model *model = &world->model;
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    xpbd_broken *out = model->broken.data;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_stream *stream = &world->build.streams[type];
        for (uint32_t i = 0; stream->broken && i < model->sets[type].count; i++) {
            const uint32_t slot = world->build.packing.slot[tuples.first[type] + i];
            if (stream->broken[slot]) {
                stream->broken[slot] = 0;
                ((float *)model->sets[type].columns[XPBD_COLUMN_enabled].data)[i] = 0.0f;
                out[model->n_broken++] = (xpbd_broken){(xpbd_constraint_type)type, i};
            }
        }
    }
}

static void predict(void *context, uint32_t begin, uint32_t end)
{
    const xpbd_build *build = context;
    build->kernels->predict(&build->store, &build->pass, begin, end);
    if (build->prediction) {
        xpbd_store_copy(&build->store, build->store.position, build->prediction, begin, end);
    }
}

/* A substep that ends. */
typedef struct ending {
    xpbd_world *world;
    uint32_t substep;
} ending;

static void finish(void *context, uint32_t begin, uint32_t end)
{
    const ending *e = context;
    const xpbd_build *build = &e->world->build;
    if (e->world->guard == XPBD_GUARD_OFF) {
        build->kernels->finish(&build->store, &build->pass, begin, end);
    } else {
        xpbd_guard_finish(e->world, e->substep, begin, end);
    }
}

/* What one thread does alone at the end of a substep. */
static void look(xpbd_world *world, uint32_t n)
{
    xpbd_substep *substep = &world->substep;
    xpbd_ports_measure(world);
    if (substep->callback) {
        fenv_t ours;
        xpbd_team_enter_float(&ours);
        xpbd_team_leave_float(&substep->caller);
        substep->n_done = n;
        substep->inside = true;
        substep->stop = !substep->callback(substep->user, world, n);
        substep->inside = false;
        xpbd_build_copy_hubs(&world->build); /* he may have put a pinned one elsewhere */
        xpbd_team_leave_float(&ours);
    }
    substep->n_done = n + 1;
}

/* All iterations of a substep, and a barrier. */
static void solve(xpbd_world *world, xpbd_member *member, uint32_t substep, uint32_t *n_checks)
{
    if (world->tolerance > 0.0f) {
        xpbd_track_solve(world, member, substep, n_checks);
        return;
    }
    if (world->budget.microseconds > 0) {
        xpbd_budget_solve(world, member, substep);
        return;
    }
    world->scheduler->solve(&world->build.plan, member, world->iterations);
    if (member->index == 0) {
        world->progress.n_iterations += world->iterations;
    }
    xpbd_member_barrier(member);
}

static void run_member(void *context, xpbd_member *member)
{
    xpbd_world *world = context;
    xpbd_build *build = &world->build;
    const uint32_t n_units = build->store.n_slots / XPBD_GROUP;
    const bool looks = world->substep.callback || world->ports.n > 0;
    uint32_t n_checks = 0;
    for (uint32_t substep = 0; substep < world->substeps; substep++) {
        xpbd_member_share(member, n_units, 1, predict, build);
        xpbd_member_barrier(member);
        solve(world, member, substep, &n_checks);
        xpbd_member_share(member, n_units, 1, finish, &(ending){world, substep});
        break_lanes(build, member);
        if (world->iterations == 0 && member->index == 0) {
            clear_lambda(build);
        }
        if (looks || world->guard != XPBD_GUARD_OFF) {
            xpbd_member_barrier(member);
        }
        const bool found = xpbd_guard_has_found(world, substep);
        if (found && member->index == 0) {
            xpbd_guard_look(world, substep);
        }
        if (looks && member->index == 0) {
            look(world, substep);
        }
        if (looks || found) {
            xpbd_member_barrier(member);
        }
        if (world->substep.stop) {
            return;
        }
    }
}

/* Pinned particles that moved in the last step stop; those that are to move in this one get the
 * velocity that takes them there. */
static void begin_moves(xpbd_world *world, double dt)
{
    xpbd_model *model = &world->model;
    xpbd_move *moves = model->moves.data;
    const xpbd_view x = xpbd_view_positions(world), v = xpbd_view_velocities(world);
    for (uint32_t k = 0; k < model->n_moved; k++) {
        for (uint32_t c = 0; c < 3; c++) {
            *xpbd_view_at(&v, moves[k].particle, c) = 0.0f;
        }
    }
    for (uint32_t k = 0; k < model->n_moves; k++) {
        moves[k] = moves[model->n_moved + k];
        for (uint32_t c = 0; c < 3; c++) {
            const double way =
                (double)moves[k].target[c] - (double)*xpbd_view_at(&x, moves[k].particle, c);
            *xpbd_view_at(&v, moves[k].particle, c) = (float)(way / dt);
        }
    }
    model->n_moved = model->n_moves;
    model->n_moves = 0;
}

/* They end exactly where they were told to. */
static void end_moves(xpbd_world *world)
{
    const xpbd_move *moves = world->model.moves.data;
    const xpbd_view x = xpbd_view_positions(world);
    for (uint32_t k = 0; k < world->model.n_moved; k++) {
        for (uint32_t c = 0; c < 3; c++) {
            *xpbd_view_at(&x, moves[k].particle, c) = moves[k].target[c];
        }
    }
}

/* Whether the largest compliance is too large for a substep. What is remembered of it only grows;
 * it is looked up again before somebody is refused for it. */
static bool overflows(xpbd_set *set, double substep)
{
    /* Some room, as alpha~ is multiplied by lengths yet. */
    const double limit = (double)FLT_MAX * 1e-3 * (substep * substep);
    if ((double)set->most_compliant <= limit) {
        return false;
    }
    set->most_compliant = 0.0f;
    for (uint32_t i = 0; i < set->count; i++) {
        const float value = xpbd_column_at(set, XPBD_COLUMN_compliance, i);
        set->most_compliant = value > set->most_compliant ? value : set->most_compliant;
    }
    return (double)set->most_compliant > limit;
}

static xpbd_status check_time(xpbd_world *world, double dt)
{
    const double substep = dt / world->substeps;
    if (!(substep >= SHORTEST_SUBSTEP && substep <= LONGEST_SUBSTEP)) {
        return xpbd_fail(world, XPBD_ERROR_TIME_STEP, -1, 0, dt,
                         "a time step of %g s in %u substeps; a substep has to be between %g and "
                         "%g s",
                         dt, world->substeps, SHORTEST_SUBSTEP, LONGEST_SUBSTEP);
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (overflows(&world->model.sets[type], substep)) {
            return xpbd_fail(world, XPBD_ERROR_TIME_STEP, (int32_t)type, 0, dt,
                             "a compliance of %g over the square of a substep of %g s overflows",
                             (double)world->model.sets[type].most_compliant, substep);
        }
    }
    return XPBD_OK;
}

/* Threads that are not what they were when they were planned: the host hears of it once. */
static void lose_threads(xpbd_world *world)
{
    xpbd_tell(world, XPBD_LOG_WARNING, "this process was forked: one thread instead of %u",
              world->team.plan.n_threads);
    world->team.plan.n_threads = 1;
    xpbd_world_tune(world);
}

static void look_at_binding(xpbd_world *world)
{
    const uint32_t n = atomic_load_explicit(&world->team.n_refused, memory_order_relaxed);
    if (n > 0 && !world->refusal_told) {
        xpbd_tell(world, XPBD_LOG_WARNING,
                  "pinning \"%s\": %u of %u threads were refused their processor and run anywhere",
                  xpbd_pinning_name(world->pinning), n, world->team.n_active);
    }
    world->refusal_told = n > 0;
}

/* On as many threads as are fastest. */
static void run(xpbd_world *world)
{
    if (world->team.plan.n_threads > 1 && xpbd_team_is_stranded(&world->team)) {
        lose_threads(world);
    }
    if (world->tune.n > 1) {
        xpbd_team_use(&world->team, xpbd_tune_next(&world->tune));
    }
    world->budget.begin = xpbd_clock_seconds();
    xpbd_team_run(&world->team, run_member, world);
    world->progress.seconds = xpbd_clock_seconds() - world->budget.begin;
    world->progress.n_threads = world->team.n_active;
    look_at_binding(world);
    if (world->tune.n > 1) {
        /* What a budget or a tolerance cuts short says nothing as a whole. */
        const uint64_t n = world->progress.n_iterations;
        xpbd_tune_learn(&world->tune, world->progress.seconds / (double)(n > 0 ? n : 1));
    }
}

static xpbd_status step(xpbd_world *world, double dt)
{
    XPBD_TRY(check_time(world, dt));
    XPBD_TRY(xpbd_world_prepare(world));
    const double substep = dt / world->substeps;
    world->build.pass = (xpbd_pass){
        .dt = (float)substep,
        .inverse_dt = (float)(1.0 / substep),
        .inverse_dt2 = (float)(1.0 / (substep * substep)),
        .acceleration = {world->acceleration[0], world->acceleration[1], world->acceleration[2]},
        .relaxation = world->relaxation,
    };
    world->model.n_broken = 0;
    atomic_store_explicit(&world->build.any_broken, false, memory_order_relaxed);
    world->progress.n_iterations = 0;
    world->progress.n_unfinished = world->progress.n_late = 0;
    xpbd_track_begin(world);
    xpbd_ways_begin(&world->build);
    xpbd_chebyshev_begin_step(world);
    begin_moves(world, dt);
    xpbd_build_copy_hubs(&world->build);
    xpbd_ports_begin(world);
    xpbd_guard_begin(world);
    world->stepped = true;
    world->build.predicted = world->build.prediction;
    world->substep.stop = false;
    world->substep.n_done = 0;
    run(world);
    xpbd_ports_end(world);
    world->progress.n_substeps = world->substep.stop ? world->substep.n_done : world->substeps;
    if (world->progress.n_substeps == world->substeps) {
        end_moves(world);
    }
    if (atomic_load_explicit(&world->build.any_broken, memory_order_relaxed)) {
        list_broken(world);
    }
    xpbd_guard_end(world);
    return XPBD_OK;
}

xpbd_status xpbd_world_step(xpbd_world *world, double dt)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    /* Its rounding mode reaches no number, our exceptions not its flags. */
    xpbd_team_enter_float(&world->substep.caller);
    const xpbd_status status = step(world, dt);
    xpbd_team_leave_float(&world->substep.caller);
    if (status == XPBD_OK) {
        xpbd_record_step(world, dt);
    }
    return status;
}

xpbd_status xpbd_world_set_substep_callback(xpbd_world *world, xpbd_substep_fn *callback,
                                            void *user)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    world->substep.callback = callback;
    world->substep.user = user;
    return XPBD_OK;
}
