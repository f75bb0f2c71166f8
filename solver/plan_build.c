/* SPDX-License-Identifier: MIT
 *
 * From packed bins to the plan that schedulers run: which kernel a kind of work calls, and which
 * bins become blocks, strips and stages.
 */
#include "solver/plan_build.h"
#include "solver/build.h"
#include "solver/chebyshev.h"
#include "solver/direct.h"
#include "solver/track.h"
#include "solver/ways.h"

#include "schedulers/team.h"

#include <string.h>

static uint32_t task_of(uint32_t type, uint32_t kind)
{
    return kind * XPBD_CONSTRAINT_TYPE_COUNT + type;
}

void xpbd_plan_tasks(xpbd_world *world)
{
    xpbd_build *build = &world->build;
    const bool accumulate = world->scheduler->update != XPBD_UPDATE_IN_PLACE;
    build->kernels = xpbd_kernels_find(world->isa, world->layout);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const unsigned variant = (build->streams[type].damping ? XPBD_VARIANT_DAMPED : 0u) |
                                 (build->streams[type].stiffness ? XPBD_VARIANT_STIFF : 0u) |
                                 (accumulate ? XPBD_VARIANT_ACCUMULATE : 0u);
        xpbd_project_fn *const *project = build->kernels->project[type];
        build->tasks[type] = (xpbd_task){&build->streams[type],
                                         {project[variant | XPBD_VARIANT_FIRST], project[variant]},
                                         {NULL, NULL}};
        for (uint32_t kind = XPBD_RUN_ROWS; kind < XPBD_RUN_KINDS; kind++) {
            xpbd_task *task = &build->tasks[task_of(type, kind)];
            const unsigned first = xpbd_project_run(variant | XPBD_VARIANT_FIRST, kind);
            const unsigned later = xpbd_project_run(variant, kind);
            const bool simple = !(variant & (XPBD_VARIANT_DAMPED | XPBD_VARIANT_ACCUMULATE));
            *task = build->tasks[type];
            if (simple && project[first]) {
                task->project[0] = project[first];
                task->project[1] = project[later];
                task->even[0] = project[first + XPBD_PROJECT_RUNS];
                task->even[1] = project[later + XPBD_PROJECT_RUNS];
            }
        }
    }
}

void xpbd_build_moved(xpbd_world *world)
{
    xpbd_build *build = &world->build;
    build->arena.memory = &world->memory;
    build->plan.solver = build->plan_later.solver = build;
    build->direct.model = &world->model;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (build->streams[type].units) {
            build->streams[type].units = &build->units[type];
        }
    }
    xpbd_plan_tasks(world);
}

static void run_units(void *solver, const xpbd_block *block, uint32_t begin, uint32_t end,
                      uint32_t iteration)
{
    xpbd_build *build = solver;
    const bool first = iteration == 0;
    const uint32_t type = block->task % XPBD_CONSTRAINT_TYPE_COUNT;
    if (block->task < XPBD_TASK_GATHER) {
        const xpbd_task *task = &build->tasks[block->task];
        if (block->task >= XPBD_CONSTRAINT_TYPE_COUNT && build->any_way[type]) {
            xpbd_ways_run(build, block, begin, end, !first);
        } else {
            task->project[!first](task->stream, &build->store, &build->pass, begin, end);
        }
    } else if (block->task == XPBD_TASK_GATHER) {
        build->kernels->gather(&build->store, &build->pass, build->first_correction,
                               build->correction_slot, begin, end);
    } else if (block->task == XPBD_TASK_TREES) {
        xpbd_direct_solve(build, begin, end, first);
    } else if (block->task == XPBD_TASK_DECIDE) {
        xpbd_chebyshev_decide(build, first);
    } else if (block->task == XPBD_TASK_BLEND_POINTS) {
        xpbd_chebyshev_gather(build, begin, end, first);
    } else {
        xpbd_chebyshev_blend(build, block->task - XPBD_TASK_BLEND, begin, end, first);
    }
}

static void run_later_units(void *solver, const xpbd_block *block, uint32_t begin, uint32_t end,
                            uint32_t iteration)
{
    run_units(solver, block, begin, end, iteration + 1);
}

/* Kernels read the next lanes before they write these, so neighbours in a block must not share a
 * particle; pad lanes may: nothing moves their sink. last_bin[slot] names the last bin, plus 1, of
 * which the last group had the particle. */
static bool apart(const xpbd_build *build, uint32_t type, uint32_t bin, const uint32_t *last_bin)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    for (uint32_t c = 0; c < info->n_particles; c++) {
        const uint32_t *id =
            build->streams[type].id[c] + (size_t)build->packing.begin[bin] * XPBD_GROUP;
        for (uint32_t i = 0; i < XPBD_GROUP; i++) {
            if (last_bin[id[i]] == bin && id[i] < build->store.n) {
                return false;
            }
        }
    }
    return true;
}

static void note_last(const xpbd_build *build, uint32_t type, uint32_t bin, uint32_t *last_bin)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    for (uint32_t c = 0; c < info->n_particles; c++) {
        const uint32_t *id =
            build->streams[type].id[c] + ((size_t)build->packing.end[bin] - 1) * XPBD_GROUP;
        for (uint32_t i = 0; i < XPBD_GROUP; i++) {
            last_bin[id[i]] = bin + 1;
        }
    }
}

/* Bins of a strip that follow each other become one block where they may. */
static bool continues(const xpbd_build *build, const xpbd_bins *bins, uint32_t bin,
                      uint32_t *last_bin)
{
    const uint32_t type = bins->type[bin];
    const bool same = xpbd_bins_go_on(bins, bin) && type == bins->type[bin - 1] &&
                      bins->run[bin] == bins->run[bin - 1];
    const bool apart_of = same && (build->streams[type].units || apart(build, type, bin, last_bin));
    if (bins->strip[bin] != XPBD_NO_STRIP && !build->streams[type].units) {
        note_last(build, type, bin, last_bin);
    }
    return apart_of;
}

/* The lists of a plan while it is made. */
typedef struct plan_lists {
    xpbd_block *blocks;
    xpbd_stage *stages;
    xpbd_strip *strips;
    uint32_t *slab_strips; /* null without slabs */
    uint32_t *last_bin;    /* [n_slots] */
} plan_lists;

/* Lane groups of elements that one of the units [begin, end) has, on average. */
static uint32_t weight_of(const xpbd_stream *stream, uint32_t begin, uint32_t end)
{
    const xpbd_units *units = stream->units;
    const uint32_t n = end - begin;
    return units ? (units->first_group[end] - units->first_group[begin] + n - 1) / n : 1;
}

static void add_block(xpbd_build *build, const xpbd_bins *bins, const plan_lists *lists,
                      uint32_t bin)
{
    const uint32_t begin = build->packing.begin[bin], end = build->packing.end[bin];
    xpbd_plan *plan = &build->plan;
    xpbd_stage *stage = &lists->stages[bins->stage[bin]];
    const bool in_strip = bins->strip[bin] != XPBD_NO_STRIP;
    if (stage->n_units == 0) {
        stage->begin = plan->n_blocks;
        stage->strip_begin = stage->strip_end = plan->n_strips;
    }
    if (continues(build, bins, bin, lists->last_bin)) {
        lists->blocks[plan->n_blocks - 1].end = end;
    } else {
        lists->blocks[plan->n_blocks++] =
            (xpbd_block){begin, end, task_of(bins->type[bin], bins->run[bin]), 1};
    }
    xpbd_block *block = &lists->blocks[plan->n_blocks - 1];
    stage->work -= (block->end - block->begin - (end - begin)) * block->weight;
    block->weight = weight_of(&build->streams[bins->type[bin]], block->begin, block->end);
    stage->work += (block->end - block->begin) * block->weight;
    if (in_strip && !xpbd_bins_go_on(bins, bin)) {
        if (lists->slab_strips) {
            lists->slab_strips[bins->strip[bin]] = plan->n_strips;
        }
        lists->strips[plan->n_strips++] = (xpbd_strip){.begin = plan->n_blocks - 1};
    }
    if (in_strip) {
        lists->strips[plan->n_strips - 1].end = plan->n_blocks;
        lists->strips[plan->n_strips - 1].n_units += end - begin;
    }
    stage->n_units += end - begin;
    stage->end = plan->n_blocks;
    stage->strip_end = plan->n_strips;
}

static uint32_t count_strips(const xpbd_bins *bins)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < bins->n_bins; b++) {
        n += bins->strip[b] != XPBD_NO_STRIP && !xpbd_bins_go_on(bins, b);
    }
    return n;
}

/* A block of work that is no bin's. */
static void append_block(xpbd_build *build, const plan_lists *lists, uint32_t stage,
                         xpbd_block block)
{
    xpbd_plan *plan = &build->plan;
    xpbd_stage *to = &lists->stages[stage];
    to->begin = to->n_units == 0 ? plan->n_blocks : to->begin;
    to->n_units += block.end - block.begin;
    to->work += (block.end - block.begin) * block.weight;
    lists->blocks[plan->n_blocks++] = block;
    to->end = plan->n_blocks;
}

/* What Jacobi's stage is followed by: one that gathers corrections. */
static void append_gathering(xpbd_build *build, const plan_lists *lists, uint32_t stage,
                             bool extrapolate)
{
    const uint32_t n_units = (build->store.n + XPBD_GROUP - 1) / XPBD_GROUP;
    const uint32_t task = extrapolate ? XPBD_TASK_BLEND_POINTS : XPBD_TASK_GATHER;
    append_block(build, lists, stage, (xpbd_block){0, n_units, task, 1});
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT && extrapolate; type++) {
        const size_t n = xpbd_track_records(&build->streams[type], type);
        const uint32_t n_groups = (uint32_t)((n + XPBD_GROUP - 1) / XPBD_GROUP);
        if (n > 0) {
            append_block(build, lists, stage, (xpbd_block){0, n_groups, XPBD_TASK_BLEND + type, 1});
        }
    }
}

/* Which strip is where, for those that do not run stage by stage. */
static bool list_slabs(xpbd_build *build, const xpbd_bins *bins, plan_lists *lists)
{
    const size_t n = 2 * (size_t)bins->n_slabs;
    if (n == 0) {
        return true;
    }
    lists->slab_strips = xpbd_arena_alloc(&build->arena, n, sizeof(uint32_t));
    build->plan.slab_strips = lists->slab_strips;
    build->plan.n_slabs = bins->n_slabs;
    build->plan.progress = xpbd_arena_zero(&build->arena, n, sizeof(xpbd_reached));
    for (size_t k = 0; lists->slab_strips && k < n; k++) {
        lists->slab_strips[k] = UINT32_MAX;
    }
    return !build->arena.failed;
}

bool xpbd_plan_make(xpbd_world *world, const xpbd_bins *bins, xpbd_arena *scratch)
{
    xpbd_build *build = &world->build;
    xpbd_arena *arena = &build->arena;
    const bool gather = world->scheduler->update != XPBD_UPDATE_IN_PLACE && bins->n_bins > 0;
    const bool extrapolate = gather && world->scheduler->update == XPBD_UPDATE_CHEBYSHEV;
    const uint32_t n_stages = bins->n_stages + gather;
    const uint32_t n_trees = build->direct.trees.n;
    const uint32_t n_more =
        gather + n_trees + (extrapolate ? 2 + (uint32_t)XPBD_CONSTRAINT_TYPE_COUNT : 0);
    plan_lists lists = {
        .blocks = xpbd_arena_alloc(arena, bins->n_bins + n_more, sizeof(xpbd_block)),
        .stages = xpbd_arena_zero(arena, n_stages, sizeof(xpbd_stage)),
        .strips = xpbd_arena_alloc(arena, count_strips(bins), sizeof(xpbd_strip)),
        .last_bin = xpbd_arena_zero(scratch, build->store.n_slots, sizeof(uint32_t)),
    };
    if (!lists.blocks || !lists.stages || !lists.strips || !lists.last_bin) {
        return false;
    }
    build->plan = (xpbd_plan){.stages = lists.stages,
                              .blocks = lists.blocks,
                              .strips = lists.strips,
                              .n_stages = n_stages,
                              .ordered = bins->ordered,
                              .run = run_units,
                              .solver = build};
    if (!list_slabs(build, bins, &lists)) {
        return false;
    }
    if (extrapolate) {
        append_block(build, &lists, 0, (xpbd_block){0, 1, XPBD_TASK_DECIDE, 1});
    }
    for (uint32_t b = 0; b < bins->n_bins - bins->n_idle; b++) {
        add_block(build, bins, &lists, b);
    }
    for (uint32_t tree = 0; tree < n_trees; tree++) {
        append_block(
            build, &lists, n_stages - 1,
            (xpbd_block){tree, tree + 1, XPBD_TASK_TREES, xpbd_direct_weight(build, tree)});
    }
    if (gather) {
        append_gathering(build, &lists, bins->n_stages, extrapolate);
    }
    build->plan_later = build->plan;
    build->plan_later.run = run_later_units;
    return true;
}
