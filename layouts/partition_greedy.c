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
            taken |= xpbd_tuples_joins(c->tuples, p[i]) ? c->taken[p[i]] : 0;
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
static bool give_colors(const xpbd_tuples *tuples, const xpbd_walk_step *walk, const uint32_t *rank,
                        uint32_t n, uint32_t *color, uint32_t *n_colors, xpbd_arena *scratch)
{
    coloring c = {.tuples = tuples, .color = color};
    xpbd_walk_step *waiting = xpbd_arena_alloc(scratch, n, sizeof *waiting);
    uint16_t *family = xpbd_arena_alloc(scratch, n, sizeof *family);
    c.taken = xpbd_arena_zero(scratch, tuples->n_particles, sizeof *c.taken);
    if (!waiting || !family || !c.taken) {
        return false;
    }
    xpbd_sort_by_offsets(tuples, rank, walk, n, family, waiting);
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

/* A place for what there is of a colour, a type, and a kind of run: first flags, then bins. */
static size_t place_of(uint32_t color, uint32_t type, uint32_t kind)
{
    return ((size_t)color * XPBD_CONSTRAINT_TYPE_COUNT + type) * XPBD_RUN_KINDS + kind;
}

/* Note the kinds of run that constraints are in: as many as fill groups. Where there are so many
 * colours none are looked for. */
static bool find_runs(const xpbd_tuples *tuples, const xpbd_walk_step *walk, const uint32_t *rank,
                      uint32_t n, const uint32_t *color, uint32_t n_colors, uint8_t *kind_of,
                      xpbd_arena *scratch)
{
    if (n_colors > 64) {
        return true;
    }
    xpbd_run *runs = xpbd_arena_zero(scratch, place_of(n_colors, 0, 0), sizeof *runs);
    uint32_t *count = xpbd_arena_zero(scratch, place_of(n_colors, 0, 0), sizeof *count);
    if (!runs || !count) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t type = walk[k].type;
        if (tuples->runs[type]) {
            uint32_t corners;
            const uint32_t *p = xpbd_tuples_at(tuples, type, walk[k].index, &corners);
            if (xpbd_tuples_has_hub(tuples, p, corners)) {
                continue;
            }
            const uint32_t of = color[tuples->first[type] + walk[k].index];
            xpbd_run *run = &runs[place_of(of, type, 0)];
            const xpbd_run_kind kind = xpbd_run_add(run, p, corners, rank, k);
            for (uint32_t i = 0; kind != XPBD_RUN_NONE && i < XPBD_RUN; i++) {
                kind_of[run->item[i]] = (uint8_t)kind;
                count[place_of(of, type, kind)]++;
            }
        }
    }
    for (size_t place = 0; place < place_of(n_colors, 0, 0); place++) {
        count[place] -= count[place] % XPBD_GROUP;
    }
    for (uint32_t k = 0; k < n; k++) { /* those over are of no kind */
        const uint32_t of = color[tuples->first[walk[k].type] + walk[k].index];
        uint32_t *left = &count[place_of(of, walk[k].type, kind_of[k])];
        if (*left == 0) {
            kind_of[k] = XPBD_RUN_NONE;
        } else {
            --*left;
        }
    }
    return true;
}

bool xpbd_color_all(const xpbd_tuples *tuples, const xpbd_walk_step *walk, const uint32_t *rank,
                    uint32_t n, uint32_t stage, xpbd_bins *bins, xpbd_arena *scratch)
{
    uint32_t n_colors;
    if (n == 0) {
        return true;
    }
    uint8_t *kind = xpbd_arena_zero(scratch, n, 1);
    if (!kind || !give_colors(tuples, walk, rank, n, bins->of, &n_colors, scratch) ||
        !find_runs(tuples, walk, rank, n, bins->of, n_colors, kind, scratch)) {
        return false;
    }
    uint32_t *bin = xpbd_arena_zero(scratch, place_of(n_colors, 0, 0), sizeof *bin);
    if (!bin) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t color = bins->of[tuples->first[walk[k].type] + walk[k].index];
        bin[place_of(color, walk[k].type, kind[k])] = 1;
    }
    for (size_t place = 0; place < place_of(n_colors, 0, 0); place++) {
        const uint32_t of = (uint32_t)(place / XPBD_RUN_KINDS);
        if (bin[place]) {
            bin[place] = xpbd_bins_add(bins, of % XPBD_CONSTRAINT_TYPE_COUNT,
                                       stage + of / XPBD_CONSTRAINT_TYPE_COUNT, XPBD_NO_STRIP,
                                       (xpbd_run_kind)(place % XPBD_RUN_KINDS));
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t *of = &bins->of[tuples->first[walk[k].type] + walk[k].index];
        *of = bin[place_of(*of, walk[k].type, kind[k])];
    }
    return !bins->arena->failed;
}

bool xpbd_partition_greedy(const xpbd_tuples *tuples, const xpbd_walk_step *walk,
                           const uint32_t *rank, xpbd_bins *bins, xpbd_arena *arena,
                           xpbd_arena *scratch)
{
    return xpbd_bins_init(bins, tuples, arena) &&
           xpbd_color_all(tuples, walk, rank, xpbd_tuples_count(tuples), 0, bins, scratch);
}
