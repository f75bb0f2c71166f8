/* SPDX-License-Identifier: MIT
 *
 * A sweep changes lambda by d_lambda = -A^-1 (C + alpha~ lambda) with A = grad C W grad C^T +
 * alpha~, so the change tells the residual that the constraint was found with, for the price of two
 * passes over lambda. No kernel knows of it.
 *
 * What was tried or thought of instead, and costs of a look on cloth-64 in docs/PERFORMANCE.md:
 * - How far particles moved in the sweep. Cheaper, but wrong where it matters: beside a heavy
 *   particle a light one is pulled to and fro within a sweep and ends where it was, while the
 *   constraint is as far off as before.
 * - A pass of kernels that only measure: half as dear as a sweep.
 * - One more variant of all kernels that notes |h| on the way: all of them twice.
 */
#include "solver/track.h"
#include "solver/budget.h"

#include "solver/direct.h"
#include "solver/measure.h"

#include <math.h>
#include <string.h>

size_t xpbd_track_records(const xpbd_stream *stream, uint32_t type)
{
    return xpbd_constraint_type_info((xpbd_constraint_type)type)->rows_per_element
               ? xpbd_stream_lanes(stream)
               : xpbd_stream_slots(stream);
}

bool xpbd_track_init(xpbd_world *world)
{
    xpbd_build *build = &world->build;
    xpbd_track *track = &build->track;
    const bool extrapolated = world->scheduler->update == XPBD_UPDATE_CHEBYSHEV;
    if (!xpbd_track_is_wanted(world)) {
        return true;
    }
    bool sums = false;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        const size_t n = xpbd_track_records(&build->streams[type], type);
        track->mobility[type] = xpbd_arena_zero(&build->arena, n, sizeof(float));
        track->scale[type] = xpbd_arena_zero(&build->arena, n, sizeof(float));
        track->of_group[type] = xpbd_arena_zero(&build->arena, n / XPBD_GROUP, sizeof(float));
        for (uint32_t row = 0; row < info->n_rows && !extrapolated; row++) {
            track->before[type][row] = xpbd_arena_zero(&build->arena, n, sizeof(float));
        }
        sums = sums || (info->variable && !info->rows_per_element && n > 0);
    }
    if (sums) {
        track->gradient =
            xpbd_arena_zero(&build->arena, world->model.n_particles, sizeof *track->gradient);
    }
    track->on = track->stale = true;
    return !build->arena.failed;
}

/* What a particle weighs in a projection. */
static double weight_of(const xpbd_world *world, uint32_t particle)
{
    const xpbd_store *store = &world->build.store;
    return (double)*xpbd_store_at(store, store->position, world->build.rank[particle], 3);
}

static const uint32_t *corners_of(const xpbd_measure *m, uint32_t element)
{
    const xpbd_set *set = &m->world->model.sets[m->type];
    const uint32_t n = xpbd_constraint_type_info((xpbd_constraint_type)m->type)->n_particles;
    return (const uint32_t *)set->particles.data + ((size_t)m->first + element) * n;
}

/* The largest row sum of |grad C W grad C^T|: |A d_lambda| is at most this times |d_lambda|. A row
 * without a gradient counts as one of length 1. */
static double mobility_of(const xpbd_measure *m, uint32_t record)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)m->type);
    const uint32_t n = info->n_particles;
    const uint32_t *p = corners_of(m, record);
    double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3], most = 0.0, plain = 0.0;
    const bool regular = xpbd_measure_element(m, record, C, g);
    for (uint32_t k = 0; k < n; k++) {
        plain += weight_of(m->world, p[k]);
    }
    for (uint32_t row = 0; row < info->n_rows && regular; row++) {
        double sum = 0.0;
        for (uint32_t q = 0; q < info->n_rows; q++) {
            double entry = 0.0;
            for (uint32_t k = 0; k < n; k++) {
                const double *a = g[row * n + k], *b = g[q * n + k];
                entry += weight_of(m->world, p[k]) * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
            }
            sum += fabs(entry);
        }
        most = sum > most ? sum : most;
    }
    return regular ? most : plain;
}

/* The same of a constraint whose gradient is a sum over its elements. */
static double mobility_of_sum(const xpbd_measure *m, double (*gradient)[3])
{
    const uint32_t n = xpbd_constraint_type_info((xpbd_constraint_type)m->type)->n_particles;
    double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3], sum = 0.0;
    for (int take = 0; take < 2; take++) {
        for (uint32_t e = 0; e < m->elements.n; e++) {
            const uint32_t *p = corners_of(m, e);
            if (!take) {
                xpbd_measure_element(m, e, C, g);
            }
            for (uint32_t k = 0; k < n; k++) {
                for (uint32_t c = 0; c < 3; c++) {
                    double *at = &gradient[p[k]][c];
                    sum += take ? weight_of(m->world, p[k]) * *at * *at : 0.0;
                    *at = take ? 0.0 : *at + g[k][c];
                }
            }
        }
    }
    return sum;
}

static void find_mobility(xpbd_world *world, uint32_t type, uint32_t i, size_t record)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    xpbd_track *track = &world->build.track;
    const xpbd_measure m = xpbd_measure_begin(world, type, i);
    if (info->variable && !info->rows_per_element) {
        track->mobility[type][record] = (float)mobility_of_sum(&m, track->gradient);
        return;
    }
    for (uint32_t e = 0; e < m.n_records; e++) {
        track->mobility[type][record + e] = (float)mobility_of(&m, e);
    }
}

/* The largest row sum of the compliance of a constraint whose parameter is 1. */
static double softness_of(const xpbd_world *world, uint32_t type, uint32_t i)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
    double matrix[XPBD_ROWS_MAX * XPBD_ROWS_MAX], most = 0.0;
    if (!ops->compliance) {
        return 1.0;
    }
    memset(matrix, 0, sizeof matrix);
    ops->compliance((const float *)world->model.sets[type].rest.data + (size_t)i * info->n_rest,
                    matrix);
    for (uint32_t row = 0; row < info->n_rows; row++) {
        double sum = 0.0;
        for (uint32_t q = 0; q < info->n_rows; q++) {
            sum += fabs(matrix[row * info->n_rows + q]);
        }
        most = sum > most ? sum : most;
    }
    return most;
}

/* From |d_lambda| to |h|, and back what a stiffness or Jacobi's share has taken of d_lambda. */
static void find_scale(xpbd_world *world, uint32_t type, uint32_t i, uint32_t slot, size_t record)
{
    const xpbd_stream *stream = &world->build.streams[type];
    xpbd_track *track = &world->build.track;
    const double per = 1.0 / (double)track->dt;
    const double alpha = (double)stream->compliance[slot] * per * per * softness_of(world, type, i);
    const double gamma = stream->damping ? (double)stream->damping[slot] * per : 0.0;
    const double k = stream->stiffness ? (double)stream->stiffness[slot] : 1.0;
    const xpbd_set *set = &world->model.sets[type];
    const bool each = xpbd_constraint_type_info((xpbd_constraint_type)type)->rows_per_element;
    const uint32_t n = each ? xpbd_set_element(set, i + 1) - xpbd_set_element(set, i) : 1;
    for (size_t r = record; r < record + n; r++) {
        const double part = k * (stream->share ? (double)stream->share[r] : 1.0);
        const double whole = (1.0 + gamma) * (double)track->mobility[type][r] + alpha;
        track->scale[type][r] = part > 0.0 ? (float)fmin(whole / part, 1e30) : 0.0f;
    }
}

static void refresh(xpbd_world *world, uint32_t type, uint32_t first, uint32_t count, bool mobility)
{
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    const xpbd_units *units = world->build.streams[type].units;
    const bool each = xpbd_constraint_type_info((xpbd_constraint_type)type)->rows_per_element;
    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t slot = world->build.packing.slot[tuples.first[type] + i];
        const size_t record = each ? (size_t)units->first_group[slot] * XPBD_GROUP : slot;
        if (mobility) {
            find_mobility(world, type, i, record);
        }
        find_scale(world, type, i, slot, record);
    }
}

/* Trees know their residual themselves. */
static void leave_out_trees(xpbd_build *build, uint32_t type)
{
    const xpbd_trees *trees = &build->direct.trees;
    for (uint32_t k = 0; trees->n > 0 && k < trees->first_link[trees->n]; k++) {
        if (trees->link[k].type == type) {
            build->track.scale[type][xpbd_direct_slot(build, k)] = 0.0f;
        }
    }
}

/* Once all scales are there. */
static void group_scales(xpbd_build *build, uint32_t type)
{
    const float *scale = build->track.scale[type];
    const size_t n = xpbd_track_records(&build->streams[type], type) / XPBD_GROUP;
    for (size_t group = 0; group < n; group++) {
        const float *of = scale + group * XPBD_GROUP;
        bool same = true;
        for (uint32_t k = 1; k < XPBD_GROUP; k++) {
            same = same && !(of[k] < of[0]) && !(of[k] > of[0]);
        }
        build->track.of_group[type][group] = same ? of[0] : -1.0f;
    }
}

void xpbd_track_refresh(xpbd_world *world, uint32_t type, uint32_t first, uint32_t count)
{
    xpbd_track *track = &world->build.track;
    if (world->built && track->on && !track->stale) {
        refresh(world, type, first, count, true);
        leave_out_trees(&world->build, type);
        group_scales(&world->build, type);
    }
}

void xpbd_track_begin(xpbd_world *world)
{
    xpbd_build *build = &world->build;
    xpbd_track *track = &build->track;
    atomic_store_explicit(&track->most[0], 0, memory_order_relaxed);
    atomic_store_explicit(&track->most[1], 0, memory_order_relaxed);
    const bool same = !(track->dt < build->pass.dt || track->dt > build->pass.dt);
    if (track->on && (track->stale || !same)) {
        track->dt = build->pass.dt;
        for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
            refresh(world, type, 0, world->model.sets[type].count, track->stale);
            leave_out_trees(build, type);
            group_scales(build, type);
        }
        track->stale = false;
    }
}

uint32_t xpbd_track_largest(const xpbd_build *build, uint32_t type, const float *now,
                            const float *before, size_t begin, size_t end)
{
    const xpbd_track *track = &build->track;
    const float *scale = track->scale[type];
    const size_t groups = end / XPBD_GROUP, left = groups * XPBD_GROUP;
    float most = build->kernels->change(now, before, scale, track->of_group[type],
                                        (uint32_t)(begin / XPBD_GROUP), (uint32_t)groups);
    for (size_t i = left > begin ? left : begin; i < end; i++) { /* units may fill no group */
        const float h = fabsf(now[i] - before[i]) * scale[i];
        most = h <= most || isnan(most) ? most : h;
    }
    uint32_t bits;
    memcpy(&bits, &most, sizeof bits);
    return bits & UINT32_C(0x7fffffff); /* no sign, of a NaN either */
}

void xpbd_track_raise(atomic_uint *shared, uint32_t bits)
{
    uint32_t now = atomic_load_explicit(shared, memory_order_relaxed);
    while (bits > now && !atomic_compare_exchange_weak_explicit(
                             shared, &now, bits, memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* This member's records of a type. */
static xpbd_range slice_of(const xpbd_build *build, const xpbd_member *member, uint32_t type)
{
    return xpbd_member_slice(member, (uint32_t)xpbd_track_records(&build->streams[type], type),
                             XPBD_GROUP);
}

/* Lambda before the sweep that is looked at. */
static void keep(xpbd_build *build, const xpbd_member *member, bool first)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_range mine = slice_of(build, member, type);
        for (uint32_t row = 0; row < XPBD_ROWS_MAX && build->streams[type].lambda[row]; row++) {
            float *before = build->track.before[type][row] + mine.begin;
            const size_t size = (mine.end - mine.begin) * sizeof *before;
            if (first) {
                memset(before, 0, size);
            } else {
                memcpy(before, build->streams[type].lambda[row] + mine.begin, size);
            }
        }
    }
}

/* What the sweep has found, into a shared maximum. */
static void note(xpbd_build *build, const xpbd_member *member, atomic_uint *shared)
{
    const xpbd_track *track = &build->track;
    uint32_t most = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_range mine = slice_of(build, member, type);
        for (uint32_t row = 0; row < XPBD_ROWS_MAX && build->streams[type].lambda[row]; row++) {
            const uint32_t bits =
                xpbd_track_largest(build, type, build->streams[type].lambda[row],
                                   track->before[type][row], mine.begin, mine.end);
            most = bits > most ? bits : most;
        }
    }
    const xpbd_range trees = xpbd_member_slice(member, build->direct.trees.n, 1);
    for (uint32_t t = trees.begin; t < trees.end; t++) {
        uint32_t bits;
        memcpy(&bits, &build->direct.residual[t], sizeof bits);
        most = bits > most ? bits : most;
    }
    xpbd_track_raise(shared, most);
}

/* The last of `n` iterations, of which `done` are done, is looked at. */
static float look_at(xpbd_world *world, xpbd_member *member, uint32_t done, uint32_t n,
                     uint32_t *look)
{
    xpbd_build *build = &world->build;
    const xpbd_plan *plan = done + n > 1 ? &build->plan_later : &build->plan;
    const bool extrapolated = world->scheduler->update == XPBD_UPDATE_CHEBYSHEV;
    atomic_uint *shared = &build->track.most[*look % 2];
    if (!extrapolated) {
        keep(build, member, done + n == 1);
        xpbd_member_barrier(member);
    }
    world->scheduler->solve(plan, member, 1);
    xpbd_member_barrier(member);
    if (extrapolated) {
        xpbd_track_raise(shared,
                         atomic_load_explicit(&build->chebyshev.most, memory_order_relaxed));
    } else {
        note(build, member, shared);
    }
    if (member->index == 0) { /* read by nobody since two barriers */
        atomic_store_explicit(&build->track.most[(*look + 1) % 2], 0, memory_order_relaxed);
    }
    xpbd_member_barrier(member);
    const uint32_t bits = atomic_load_explicit(shared, memory_order_relaxed);
    float h;
    memcpy(&h, &bits, sizeof h);
    ++*look;
    return h;
}

void xpbd_track_solve(xpbd_world *world, xpbd_member *member, uint32_t substep, uint32_t *look)
{
    const uint32_t most = world->iterations, every = world->check_every;
    uint32_t done = 0;
    bool met = false, over = false;
    float h = 0.0f;
    while (done < most && !met && !over) {
        const uint32_t n = most - done < every ? most - done : every, before = n - (n == every);
        if (before > 0) {
            world->scheduler->solve(done ? &world->build.plan_later : &world->build.plan, member,
                                    before);
            xpbd_member_barrier(member);
        }
        if (n == every) {
            h = look_at(world, member, done, n, look);
            met = h < world->tolerance;
        }
        done += n;
        over = world->budget.microseconds > 0 && done < most && !met &&
               xpbd_budget_is_over(world, member, substep);
    }
    if (member->index == 0) {
        world->progress.n_iterations += done;
        world->progress.n_unfinished += !met;
        world->progress.residual = done < every ? world->progress.residual : h;
    }
}
