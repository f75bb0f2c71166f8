/* SPDX-License-Identifier: MIT */
#include "solver/ways.h"

#include "base/memory.h"

#include <string.h>

/* Fewer even groups in a row are left to the run's kernel: a call has a cost of its own. Who
 * changes weights in every step would look for even groups in every step: wait until nobody does.
 */
enum { LEAST_EVEN = 4, WAIT = 8 };

bool xpbd_ways_alloc(xpbd_build *build, uint32_t type)
{
    build->way[type] = xpbd_arena_zero(&build->arena, build->streams[type].n_groups, 1);
    return build->way[type];
}

void xpbd_ways_tear(xpbd_build *build, uint32_t type, uint32_t group)
{
    if (build->way[type]) {
        build->way[type][group] = XPBD_WAY_TORN;
        build->any_way[type] = build->any_torn[type] = true;
    }
}

void xpbd_ways_forget(xpbd_build *build)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT && build->even_known; type++) {
        for (uint32_t g = 0; build->way[type] && g < build->streams[type].n_groups; g++) {
            uint8_t *way = &build->way[type][g];
            *way = *way == XPBD_WAY_EVEN ? XPBD_WAY_RUN : *way;
        }
        build->any_way[type] = build->any_torn[type];
    }
    build->even_known = false;
    build->even_wait = WAIT;
}

/* All particles of a group have the weight `even`. */
static bool is_even(const xpbd_build *build, const xpbd_stream *stream, uint32_t n_corners,
                    uint32_t group, float even)
{
    const float *weight = build->store.position + 3 * build->store.plane;
    for (uint32_t c = 0; c < n_corners; c++) {
        const uint32_t *id = stream->id[c] + (size_t)group * XPBD_GROUP;
        for (uint32_t i = 0; i < XPBD_GROUP; i++) {
            if (weight[id[i]] < even || weight[id[i]] > even) {
                return false;
            }
        }
    }
    return true;
}

static void find_even(xpbd_build *build, const xpbd_block *block)
{
    const uint32_t type = block->task % XPBD_CONSTRAINT_TYPE_COUNT;
    const xpbd_stream *stream = &build->streams[type];
    const uint32_t n_corners = xpbd_constraint_type_info((xpbd_constraint_type)type)->n_particles;
    const float *weight = build->store.position + 3 * build->store.plane;
    uint8_t *way = build->way[type];
    float even = 0.0f;
    for (uint32_t g = block->begin, stop; g < block->end; g = stop + 1) {
        for (stop = g; stop < block->end && way[stop] == XPBD_WAY_RUN; stop++) {
            even = even > 0.0f ? even : weight[stream->id[0][(size_t)stop * XPBD_GROUP]];
            if (!is_even(build, stream, n_corners, stop, even)) {
                break;
            }
        }
        if (even > 0.0f && stop - g >= LEAST_EVEN) {
            memset(way + g, XPBD_WAY_EVEN, stop - g);
            build->any_way[type] = true;
        }
    }
}

void xpbd_ways_begin(xpbd_build *build)
{
    if (build->even_known || build->even_wait > 0) {
        build->even_wait -= build->even_wait > 0;
        return;
    }
    for (uint32_t b = 0; b < build->plan.n_blocks; b++) {
        const uint32_t task = build->plan.blocks[b].task;
        if (task < XPBD_TASK_GATHER && build->tasks[task].even[0]) {
            find_even(build, &build->plan.blocks[b]);
        }
    }
    build->even_known = true;
}

/* One past the groups that go the way of the first. */
static uint32_t end_of_stretch(const uint8_t *way, uint32_t begin, uint32_t end)
{
    const uint64_t same = way[begin] * UINT64_C(0x0101010101010101);
    uint64_t word;
    uint32_t g = begin;
    for (; g + sizeof word <= end; g += sizeof word) {
        memcpy(&word, way + g, sizeof word);
        if (word != same) {
            break;
        }
    }
    while (g < end && way[g] == way[begin]) {
        g++;
    }
    return g;
}

void xpbd_ways_run(const xpbd_build *build, const xpbd_block *block, uint32_t begin, uint32_t end,
                   bool later)
{
    const uint32_t type = block->task % XPBD_CONSTRAINT_TYPE_COUNT;
    const xpbd_task *task = &build->tasks[block->task], *general = &build->tasks[type];
    const uint8_t *way = build->way[type];
    for (uint32_t stop; begin < end; begin = stop) {
        xpbd_project_fn *project = task->project[later];
        stop = end_of_stretch(way, begin, end);
        if (way[begin] == XPBD_WAY_TORN) { /* one at a time is faster, by a tenth of a step */
            project = general->project[later];
            stop = begin + 1;
        } else if (way[begin] == XPBD_WAY_EVEN && task->even[later]) {
            project = task->even[later];
        }
        project(task->stream, &build->store, &build->pass, begin, stop);
    }
}
