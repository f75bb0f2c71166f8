/* SPDX-License-Identifier: MIT
 *
 * Velocities are looked at where the kernels have just left them, a few hundred particles at a
 * time. What is slow and rare is scalar and in double: a particle by itself, then by one thread
 * the search for the constraint. So the bits do not depend on lanes, layouts or threads.
 */
#include "solver/guard.h"
#include "solver/check.h"
#include "solver/measure.h"
#include "solver/record.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* 16-slot units that stay in the nearest cache between the kernel and the look. */
enum { CHUNK = 16 };

/* Just below the root of 1/3: no vector of components below this part of a limit is above it. */
#define COMPONENT 0.57735

/* What is put back must not be over the limit again by rounding. */
#define SHY (1.0 - 0x1p-23)

bool xpbd_guard_init(xpbd_world *world)
{
    xpbd_build *build = &world->build;
    build->guarding.mark = NULL;
    if (world->guard != XPBD_GUARD_OFF) {
        build->guarding.mark =
            xpbd_arena_zero(&build->arena, build->store.n_slots, sizeof *build->guarding.mark);
    }
    return !build->arena.failed;
}

void xpbd_guard_begin(xpbd_world *world)
{
    xpbd_guarding *guarding = &world->build.guarding;
    atomic_store_explicit(&guarding->first, 0, memory_order_relaxed);
    atomic_store_explicit(&guarding->lost, 0, memory_order_relaxed);
    atomic_store_explicit(&guarding->n, 0, memory_order_relaxed);
    world->progress.guarded = (xpbd_guarded){.type = -1};
}

static void note(xpbd_guarding *guarding, uint32_t substep, uint32_t slot, double speed,
                 double force)
{
    unsigned first = 0;
    atomic_fetch_add_explicit(&guarding->n, 1, memory_order_relaxed);
    if (isinf(speed)) {
        atomic_store_explicit(&guarding->lost, substep + 1, memory_order_relaxed);
    }
    if (atomic_compare_exchange_strong_explicit(&guarding->first, &first, substep + 1,
                                                memory_order_relaxed, memory_order_relaxed) ||
        first == substep + 1) {
        xpbd_guard_mark *mark = &guarding->mark[slot];
        mark->speed = speed > mark->speed ? speed : mark->speed;
        mark->force = force > mark->force ? force : mark->force;
    }
}

static bool is_movable(const xpbd_store *store, uint32_t slot)
{
    return store->inverse_mass[slot] > 0.0f;
}

static void read_at(const xpbd_store *store, float *array, uint32_t slot, float out[3])
{
    for (uint32_t c = 0; c < 3; c++) {
        out[c] = *xpbd_store_at(store, array, slot, c);
    }
}

/* As the kernels predict. */
static void go_along(const xpbd_build *build, uint32_t slot, const float v[3], float out[3])
{
    for (uint32_t c = 0; c < 3; c++) {
        out[c] =
            *xpbd_store_at(&build->store, build->store.previous, slot, c) + build->pass.dt * v[c];
    }
}

static double length_of(const double d[3])
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Before velocities are made: how far constraints have moved a particle. */
static void guard_force(xpbd_world *world, uint32_t substep, uint32_t slot)
{
    xpbd_build *build = &world->build;
    const xpbd_store *store = &build->store;
    float x[3], v[3], goal[3];
    double d[3];
    read_at(store, store->position, slot, x);
    read_at(store, store->velocity, slot, v);
    go_along(build, slot, v, goal);
    for (uint32_t c = 0; c < 3; c++) {
        d[c] = (double)x[c] - (double)goal[c];
    }
    const double limit = (double)world->max_force, w = (double)store->inverse_mass[slot];
    const double most = limit * w / (double)build->pass.inverse_dt2;
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (!(square > most * most) || !isfinite(square)) {
        return; /* what is no number is found by its speed */
    }
    const double force = sqrt(square) * (double)build->pass.inverse_dt2 / w;
    note(&build->guarding, substep, slot, 0.0, force);
    for (uint32_t c = 0; c < 3 && world->guard == XPBD_GUARD_CLAMP; c++) {
        *xpbd_store_at(store, store->position, slot, c) =
            (float)((double)goal[c] + d[c] * (limit / force) * SHY);
    }
}

static void guard_speed(xpbd_world *world, uint32_t substep, uint32_t slot)
{
    xpbd_build *build = &world->build;
    const xpbd_store *store = &build->store;
    float v[3], x[3];
    read_at(store, store->velocity, slot, v);
    const double u[3] = {(double)v[0], (double)v[1], (double)v[2]};
    const bool finite = xpbd_is_finite(v[0]) && xpbd_is_finite(v[1]) && xpbd_is_finite(v[2]);
    const double speed = finite ? length_of(u) : INFINITY, limit = (double)world->max_speed;
    if (finite && speed <= limit) {
        return;
    }
    note(&build->guarding, substep, slot, speed, 0.0);
    if (world->guard != XPBD_GUARD_CLAMP) {
        return;
    }
    for (uint32_t c = 0; c < 3; c++) {
        v[c] = finite ? (float)(u[c] * (limit / speed) * SHY) : 0.0f;
    }
    go_along(build, slot, v, x);
    for (uint32_t c = 0; c < 3; c++) {
        *xpbd_store_at(store, store->velocity, slot, c) = v[c];
        *xpbd_store_at(store, store->position, slot, c) = x[c];
    }
}

/* Whether one of 16 numbers has a magnitude above the limit, or is none. By bits, which are ordered
 * as magnitudes are: a difference and an or have lanes on every processor. */
static bool is_over(const float *values, int32_t limit)
{
    int32_t any = 0;
    for (uint32_t i = 0; i < XPBD_GROUP; i++) {
        int32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        any |= limit - (bits & INT32_C(0x7fffffff));
    }
    return any < 0;
}

static bool is_unit_over(const xpbd_store *store, uint32_t unit, int32_t limit)
{
    const bool records = store->step > 1;
    const float *at = store->velocity + (size_t)unit * XPBD_GROUP * store->step;
    bool over = false;
    for (uint32_t k = 0; k < (records ? 4 : 3); k++) {
        over = is_over(at + k * (records ? XPBD_GROUP : store->plane), limit) || over;
    }
    return over;
}

void xpbd_guard_finish(xpbd_world *world, uint32_t substep, uint32_t begin, uint32_t end)
{
    const xpbd_build *build = &world->build;
    const xpbd_store *store = &build->store;
    const float component = fminf((float)(COMPONENT * (double)world->max_speed), FLT_MAX);
    int32_t limit;
    memcpy(&limit, &component, sizeof limit);
    for (uint32_t from = begin; from < end; from += CHUNK) {
        const uint32_t to = end - from < CHUNK ? end : from + CHUNK;
        const uint32_t first = from * XPBD_GROUP, last = to * XPBD_GROUP;
        for (uint32_t slot = first; slot < last && world->max_force <= FLT_MAX; slot++) {
            if (is_movable(store, slot)) {
                guard_force(world, substep, slot);
            }
        }
        build->kernels->finish(store, &build->pass, from, to);
        for (uint32_t unit = from; unit < to; unit++) {
            if (!is_unit_over(store, unit, limit)) {
                continue;
            }
            for (uint32_t slot = unit * XPBD_GROUP; slot < (unit + 1) * XPBD_GROUP; slot++) {
                if (is_movable(store, slot)) {
                    guard_speed(world, substep, slot);
                }
            }
        }
    }
}

bool xpbd_guard_has_found(const xpbd_world *world, uint32_t substep)
{
    const xpbd_guarding *guarding = &world->build.guarding;
    return world->guard != XPBD_GUARD_OFF &&
           (atomic_load_explicit(&guarding->first, memory_order_relaxed) == substep + 1 ||
            atomic_load_explicit(&guarding->lost, memory_order_relaxed) == substep + 1);
}

/* Where a number was lost, a pinned particle, a copy of one or a sink may have got a correction of
 * 0 times infinity, and a cluster a rotation that is none. */
static void put_right(xpbd_build *build)
{
    const xpbd_store *store = &build->store;
    for (uint32_t slot = 0; slot < store->n_slots; slot++) {
        float x[3], v[3];
        read_at(store, store->position, slot, x);
        if (is_movable(store, slot) ||
            (xpbd_is_finite(x[0]) && xpbd_is_finite(x[1]) && xpbd_is_finite(x[2]))) {
            continue;
        }
        read_at(store, store->velocity, slot, v);
        go_along(build, slot, v, x);
        for (uint32_t c = 0; c < 3; c++) {
            *xpbd_store_at(store, store->position, slot, c) = x[c];
        }
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_stream *stream = &build->streams[type];
        for (size_t k = 0; stream->units && k < stream->n_groups; k++) {
            double *state = stream->units->state + 4 * k;
            if (!isfinite(state[0] + state[1] + state[2] + state[3])) {
                memset(state, 0, 4 * sizeof *state);
            }
        }
    }
}

static const xpbd_guard_mark *mark_of(const xpbd_world *world, uint32_t particle)
{
    return &world->build.guarding.mark[world->build.rank[particle]];
}

static bool is_marked(const xpbd_guard_mark *mark)
{
    return mark->speed > 0.0 || mark->force > 0.0;
}

static void name_particle(const xpbd_world *world, xpbd_guarded *guarded)
{
    double worst = -1.0;
    for (uint32_t i = 0; i < world->model.n_particles; i++) {
        const xpbd_guard_mark *mark = mark_of(world, i);
        const double excess = isinf(mark->speed) ? INFINITY
                                                 : fmax(mark->speed / (double)world->max_speed,
                                                        mark->force / (double)world->max_force);
        if (is_marked(mark) && excess > worst) {
            worst = excess;
            guarded->particle = i;
        }
    }
    const xpbd_guard_mark *mark = mark_of(world, guarded->particle);
    guarded->speed = mark->speed;
    guarded->force = mark->force;
    if (!(mark->speed > 0.0)) { /* it is within its limit, and may have been brought there */
        const xpbd_view v = xpbd_view_velocities(world);
        const double u[3] = {(double)*xpbd_view_at(&v, guarded->particle, 0),
                             (double)*xpbd_view_at(&v, guarded->particle, 1),
                             (double)*xpbd_view_at(&v, guarded->particle, 2)};
        guarded->speed = length_of(u);
    }
}

/* The largest force of an element on particles that are marked; 0 where it does nothing. */
static double pull_of(const xpbd_measure *m, uint32_t element)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)m->type);
    const xpbd_set *set = &m->world->model.sets[m->type];
    const uint32_t n = info->n_particles;
    const uint32_t *p = (const uint32_t *)set->particles.data + ((size_t)m->first + element) * n;
    float lambda[XPBD_ROWS_MAX];
    double force[XPBD_CORNERS_MAX][3], most = 0.0;
    bool any = false, acts = false;
    for (uint32_t k = 0; k < n; k++) {
        any = any || is_marked(mark_of(m->world, p[k]));
    }
    if (!any) {
        return 0.0;
    }
    xpbd_measure_lambda(m, info->rows_per_element ? element : 0, lambda);
    for (uint32_t row = 0; row < info->n_rows; row++) {
        acts = acts || !(fabsf(lambda[row]) <= 0.0f);
    }
    if (!acts) {
        return 0.0; /* and not 0 times what is no number */
    }
    xpbd_measure_force(m, element, (double)m->world->build.pass.inverse_dt2, force);
    for (uint32_t k = 0; k < n; k++) {
        if (is_marked(mark_of(m->world, p[k]))) {
            const double length = length_of(force[k]);
            most = fmax(most, isfinite(length) ? length : INFINITY);
        }
    }
    return most;
}

static void name_constraint(const xpbd_world *world, xpbd_guarded *guarded)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        for (uint32_t i = 0; i < world->model.sets[type].count; i++) {
            const xpbd_measure m = xpbd_measure_begin(world, type, i);
            for (uint32_t e = 0; e < m.elements.n; e++) {
                const double pull = pull_of(&m, e);
                if (pull > guarded->pull) {
                    guarded->pull = pull;
                    guarded->type = (int32_t)type;
                    guarded->index = i;
                }
            }
        }
    }
}

void xpbd_guard_look(xpbd_world *world, uint32_t substep)
{
    xpbd_build *build = &world->build;
    xpbd_guarding *guarding = &build->guarding;
    if (world->guard == XPBD_GUARD_CLAMP &&
        atomic_load_explicit(&guarding->lost, memory_order_relaxed) == substep + 1) {
        put_right(build);
    }
    if (atomic_load_explicit(&guarding->first, memory_order_relaxed) == substep + 1) {
        world->progress.guarded.substep = substep;
        name_particle(world, &world->progress.guarded);
        name_constraint(world, &world->progress.guarded);
        memset(guarding->mark, 0, build->store.n_slots * sizeof *guarding->mark);
    }
}

/* Once, until a step is calm again. */
static void tell(const xpbd_world *world)
{
    const xpbd_guarded *g = &world->progress.guarded;
    char who[96] = "no constraint pulled", what[96];
    if (g->type >= 0) {
        const char *name = xpbd_constraint_type_info((xpbd_constraint_type)g->type)->name;
        snprintf(who, sizeof who, "%s %u pulled hardest, with %g N", name, g->index, g->pull);
    }
    if (isinf(g->speed)) {
        snprintf(what, sizeof what, "was no number");
    } else if (g->force > 0.0) {
        snprintf(what, sizeof what, "was pulled with %g N, over %g", g->force,
                 (double)world->max_force);
    } else {
        snprintf(what, sizeof what, "had %g m/s, over %g", g->speed, (double)world->max_speed);
    }
    xpbd_tell(world, XPBD_LOG_WARNING, "guard: in substep %u particle %u %s; %s%s", g->substep,
              g->particle, what, who, world->guard == XPBD_GUARD_CLAMP ? "; put back" : "");
}

void xpbd_guard_end(xpbd_world *world)
{
    const uint64_t n = atomic_load_explicit(&world->build.guarding.n, memory_order_relaxed);
    world->progress.guarded.n = n;
    if (n > 0 && !world->guard_told) {
        tell(world);
    }
    world->guard_told = n > 0;
}

xpbd_status xpbd_world_set_guard(xpbd_world *world, xpbd_guard guard, float max_speed,
                                 float max_force)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if ((unsigned)guard > XPBD_GUARD_CLAMP) {
        return xpbd_fail(world, XPBD_ERROR_GUARD, -1, 0, (double)guard, "%d is no guard",
                         (int)guard);
    }
    if (!(max_speed > 0.0f) || !(max_force > 0.0f)) {
        const bool speed = !(max_speed > 0.0f);
        const double value = (double)(speed ? max_speed : max_force);
        return xpbd_fail(world, XPBD_ERROR_GUARD, -1, speed ? 0 : 1, value,
                         "%s is %g, and has to be positive", speed ? "max_speed" : "max_force",
                         value);
    }
    if (world->guard == XPBD_GUARD_OFF && guard != XPBD_GUARD_OFF) {
        xpbd_world_unbuild(world); /* for the room of its marks */
    }
    world->guard = guard;
    world->max_speed = max_speed;
    world->max_force = max_force;
    uint32_t values[3] = {guard};
    memcpy(&values[1], &max_speed, sizeof max_speed);
    memcpy(&values[2], &max_force, sizeof max_force);
    xpbd_record_words(world, XPBD_CALL_set_guard, -1, values, 3);
    return XPBD_OK;
}
