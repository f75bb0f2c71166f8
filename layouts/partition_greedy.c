/* SPDX-License-Identifier: MIT
 *
 * Greedy colouring with a 64-bit mask of taken colours per particle. A constraint that finds all
 * 64 taken waits for the next round, which starts with empty masks and colours from 64 on: the
 * result is that of an unlimited mask, because a constraint that waits takes no colour before.
 */
#include "layouts/partition.h"

#include <string.h>

#define WAITING UINT32_MAX

typedef struct coloring {
    const xpbd_tuples *tuples;
    uint64_t *taken; /* [n_particles] */
    uint32_t *color; /* [constraint number], WAITING until it has one */
} coloring;

/* One round over the constraints that wait, which are moved to the front. Returns how many still
 * wait afterwards. */
static uint32_t color_round(const coloring *c, xpbd_walk_step *waiting, uint32_t n, uint32_t base,
                            uint32_t *n_colors)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < n; k++) {
        const xpbd_walk_step at = waiting[k];
        uint32_t corners;
        const uint32_t *p = xpbd_tuples_at(c->tuples, at.type, at.index, &corners);
        uint64_t taken = 0;
        for (uint32_t i = 0; i < corners; i++) {
            taken |= c->taken[p[i]];
        }
        if (taken == UINT64_MAX) {
            waiting[left++] = at;
            continue;
        }
        const uint32_t color = (uint32_t)__builtin_ctzll(~taken);
        for (uint32_t i = 0; i < corners; i++) {
            c->taken[p[i]] |= UINT64_C(1) << color;
        }
        c->color[c->tuples->first[at.type] + at.index] = base + color;
        *n_colors = base + color + 1 > *n_colors ? base + color + 1 : *n_colors;
    }
    return left;
}

/* Colours of the steps of a walk, kept in bins->of for the time being. */
static bool give_colors(const xpbd_tuples *tuples, const xpbd_walk_step *walk, uint32_t n,
                        uint32_t *color, uint32_t *n_colors, xpbd_arena *scratch)
{
    coloring c = {.tuples = tuples, .color = color};
    xpbd_walk_step *waiting = xpbd_arena_alloc(scratch, n, sizeof *waiting);
    c.taken = xpbd_arena_zero(scratch, tuples->n_particles, sizeof *c.taken);
    if (!waiting || !c.taken) {
        return false;
    }
    memcpy(waiting, walk, n * sizeof *waiting);
    *n_colors = 0;
    uint32_t left = n;
    for (uint32_t base = 0; left > 0; base += 64) {
        if (base > 0) {
            memset(c.taken, 0, tuples->n_particles * sizeof *c.taken);
        }
        left = color_round(&c, waiting, left, base, n_colors);
    }
    return true;
}

bool xpbd_color_all(const xpbd_tuples *tuples, const xpbd_walk_step *walk, uint32_t n,
                    uint32_t stage, xpbd_bins *bins, xpbd_arena *scratch)
{
    uint32_t n_colors;
    if (n == 0) {
        return true;
    }
    if (!give_colors(tuples, walk, n, bins->of, &n_colors, scratch)) {
        return false;
    }
    /* Pairs (colour, type) that occur become bins, in this order. */
    const size_t n_pairs = (size_t)n_colors * XPBD_CONSTRAINT_TYPE_COUNT;
    uint32_t *bin = xpbd_arena_zero(scratch, n_pairs, sizeof *bin);
    if (!bin) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t color = bins->of[tuples->first[walk[k].type] + walk[k].index];
        bin[(size_t)color * XPBD_CONSTRAINT_TYPE_COUNT + walk[k].type] = 1;
    }
    for (size_t pair = 0; pair < n_pairs; pair++) {
        if (bin[pair]) {
            bin[pair] =
                xpbd_bins_add(bins, (uint32_t)(pair % XPBD_CONSTRAINT_TYPE_COUNT),
                              stage + (uint32_t)(pair / XPBD_CONSTRAINT_TYPE_COUNT), XPBD_NO_STRIP);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t *of = &bins->of[tuples->first[walk[k].type] + walk[k].index];
        *of = bin[(size_t)*of * XPBD_CONSTRAINT_TYPE_COUNT + walk[k].type];
    }
    return !bins->arena->failed;
}

bool xpbd_partition_greedy(const xpbd_tuples *tuples, const xpbd_walk_step *walk, xpbd_bins *bins,
                           xpbd_arena *arena, xpbd_arena *scratch)
{
    return xpbd_bins_init(bins, tuples, arena) &&
           xpbd_color_all(tuples, walk, xpbd_tuples_count(tuples), 0, bins, scratch);
}
