/* SPDX-License-Identifier: MIT
 *
 * Distance constraints of a scene, ordered, cut up and packed by hand. Included by the tests of
 * what layouts/ does.
 */
#ifndef XPBD_TESTS_SUPPORT_LAYOUT_H
#define XPBD_TESTS_SUPPORT_LAYOUT_H

#include "layouts/validate.h"
#include "tests/support.h"

typedef struct layout {
    xpbd_memory memory;
    xpbd_arena arena, scratch;
    xpbd_batch batches[2];
    xpbd_tuples tuples;
    uint32_t *rank;
    xpbd_walk_step *walk;
    xpbd_order order;
    xpbd_bins bins;
    xpbd_packing packing;
    xpbd_store store;
    xpbd_stream streams[XPBD_CONSTRAINT_TYPE_COUNT];
} layout;

/* Attach constraints to the first n_attached particles come last: two types in one plan. */
static inline void begin(layout *l, const kit_scene *scene, const uint32_t *attached,
                         uint32_t n_attached)
{
    memset(l, 0, sizeof *l);
    xpbd_memory_init(&l->memory, NULL);
    l->arena.memory = l->scratch.memory = &l->memory;
    l->batches[0] = (xpbd_batch){XPBD_DISTANCE, 0, scene->n_pairs};
    l->batches[1] = (xpbd_batch){XPBD_ATTACH, 0, n_attached};
    l->tuples =
        (xpbd_tuples){.batches = l->batches, .n_batches = 2, .n_particles = scene->n_particles};
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const uint32_t count = type == XPBD_DISTANCE ? scene->n_pairs
                               : type == XPBD_ATTACH ? n_attached
                                                     : 0;
        l->tuples.n_corners[type] =
            xpbd_constraint_type_info((xpbd_constraint_type)type)->n_particles;
        l->tuples.first[type + 1] = l->tuples.first[type] + count;
    }
    l->tuples.particles[XPBD_DISTANCE] = (const uint32_t *)scene->pair;
    l->tuples.particles[XPBD_ATTACH] = attached;
    l->rank = xpbd_arena_alloc(&l->arena, scene->n_particles, sizeof *l->rank);
    l->walk = xpbd_arena_alloc(&l->arena, xpbd_tuples_count(&l->tuples), sizeof *l->walk);
}

static inline void finish(layout *l)
{
    xpbd_arena_free(&l->arena);
    xpbd_arena_free(&l->scratch);
    assert_int_equal(0, l->memory.bytes);
}

static inline void order(layout *l, xpbd_order wanted)
{
    assert_true(xpbd_order_run(&l->tuples, wanted, &l->order, l->rank, &l->scratch));
    assert_true(
        xpbd_order_walk(&l->tuples, l->order != XPBD_ORDER_natural, l->rank, l->walk, &l->scratch));
}

static inline void pack(layout *l)
{
    assert_true(
        xpbd_pack_place(&l->tuples, l->walk, &l->bins, &l->packing, &l->arena, &l->scratch));
    assert_true(xpbd_store_init(&l->store, XPBD_LAYOUT_aos4, l->bins.n_places, l->packing.n_sinks,
                                &l->arena));
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        for (uint32_t k = 0; k < l->tuples.n_corners[type]; k++) {
            l->streams[type].id[k] = xpbd_arena_zero(
                &l->arena, (size_t)l->packing.n_groups[type] * XPBD_GROUP, sizeof(uint32_t));
        }
    }
    xpbd_pack_ids(&l->tuples, l->rank, &l->bins, &l->packing, &l->store, l->streams);
}

static inline xpbd_conflict validate(layout *l, bool disjoint)
{
    xpbd_conflict conflict;
    const bool valid = xpbd_layout_validate(&l->tuples, l->rank, &l->bins, &l->packing, &l->store,
                                            l->streams, disjoint, &conflict, &l->scratch);
    assert_true(valid == (conflict.what == NULL));
    return conflict;
}

#endif
