/* SPDX-License-Identifier: MIT
 *
 * Packing is a counting sort of the constraints by bin, with the room of a bin rounded up to whole
 * groups.
 */
#include "layouts/pack.h"

/* Groups without constraints between slabs: a kilobyte of each array, see partition_slabs.c. */
enum { GAP = 16 };

/* The units of a bin follow those of the one placed before. */
static void place_bin(const xpbd_tuples *tuples, const xpbd_bins *bins, xpbd_packing *packing,
                      const uint32_t *size, uint32_t b)
{
    uint32_t *n_groups = &packing->n_groups[bins->type[b]];
    const bool variable = tuples->offsets[bins->type[b]];
    packing->begin[b] = *n_groups;
    *n_groups += variable ? size[b] : (size[b] + XPBD_GROUP - 1) / XPBD_GROUP;
    packing->end[b] = *n_groups;
}

static void leave_gap(const xpbd_tuples *tuples, xpbd_packing *packing)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const bool grouped = xpbd_tuples_of(tuples, type) > 0 && !tuples->offsets[type];
        packing->n_groups[type] += grouped ? GAP : 0;
        packing->n_gaps[type] += grouped ? GAP : 0;
    }
}

/* Every slab and then what joins it to the next: one thread has a part of the memory. */
static void place_slabs(const xpbd_tuples *tuples, const xpbd_bins *bins, xpbd_packing *packing,
                        const uint32_t *size)
{
    uint32_t inside = 0, between = 0;
    while (between < bins->n_bins && bins->stage[between] == 0) {
        between++;
    }
    const uint32_t n_inside = between;
    for (uint32_t slab = 0; slab < bins->n_slabs; slab++) {
        leave_gap(tuples, packing);
        for (; inside < n_inside && bins->strip[inside] == slab; inside++) {
            place_bin(tuples, bins, packing, size, inside);
        }
        for (; between < bins->n_bins && bins->strip[between] == bins->n_slabs + slab; between++) {
            place_bin(tuples, bins, packing, size, between);
        }
    }
    leave_gap(tuples, packing);
}

/* Bin sizes to ranges of groups. */
static void place_bins(const xpbd_tuples *tuples, const xpbd_bins *bins, xpbd_packing *packing,
                       const uint32_t *size)
{
    packing->n_sinks = 0;
    for (uint32_t b = 0; b < bins->n_bins; b++) {
        const bool next_stage = b > 0 && bins->stage[b] != bins->stage[b - 1] && !bins->n_slabs;
        const bool first = b == 0 || next_stage || bins->ordered;
        packing->sink[b] = first ? 0 : packing->sink[b - 1] + !xpbd_bins_go_on(bins, b);
        if (packing->n_sinks <= packing->sink[b]) {
            packing->n_sinks = packing->sink[b] + 1;
        }
        if (bins->n_slabs == 0) {
            place_bin(tuples, bins, packing, size, b);
        }
    }
    if (bins->n_slabs > 0) {
        place_slabs(tuples, bins, packing, size);
    }
}

/* The lane of a constraint: outside of runs that in the order of the walk, see stream.h. */
static uint32_t lane_of(const xpbd_bins *bins, uint32_t bin, uint32_t lane)
{
    const uint32_t i = lane % XPBD_GROUP;
    return bins->run[bin] == XPBD_RUN_NONE ? lane : lane - i + 4 * (i % 4) + i / 4;
}

bool xpbd_pack_place(const xpbd_tuples *tuples, const xpbd_walk_step *walk, const xpbd_bins *bins,
                     xpbd_packing *packing, xpbd_arena *arena, xpbd_arena *scratch)
{
    const uint32_t n = xpbd_tuples_count(tuples);
    *packing = (xpbd_packing){0};
    packing->begin = xpbd_arena_alloc(arena, bins->n_bins, sizeof(uint32_t));
    packing->end = xpbd_arena_alloc(arena, bins->n_bins, sizeof(uint32_t));
    packing->sink = xpbd_arena_alloc(arena, bins->n_bins, sizeof(uint32_t));
    packing->slot = xpbd_arena_alloc(arena, n, sizeof(uint32_t));
    uint32_t *next = xpbd_arena_zero(scratch, bins->n_bins, sizeof *next);
    if (arena->failed || !next) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        next[bins->of[k]]++;
    }
    place_bins(tuples, bins, packing, next);
    for (uint32_t b = 0; b < bins->n_bins; b++) {
        next[b] = packing->begin[b] * (tuples->offsets[bins->type[b]] ? 1 : XPBD_GROUP);
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t number = tuples->first[walk[k].type] + walk[k].index;
        packing->slot[number] = lane_of(bins, bins->of[number], next[bins->of[number]]++);
    }
    return true;
}

static void pack_constraints(const xpbd_tuples *tuples, uint32_t type, const uint32_t *rank,
                             const xpbd_packing *packing, xpbd_stream *stream)
{
    const xpbd_units *units = stream->units;
    const uint32_t corners = tuples->n_corners[type];
    for (uint32_t i = 0; i < xpbd_tuples_of(tuples, type); i++) {
        uint32_t n;
        const uint32_t *p = xpbd_tuples_at(tuples, type, i, &n);
        const uint32_t slot = packing->slot[tuples->first[type] + i];
        const uint32_t lane = units ? units->first_group[slot] * XPBD_GROUP : slot;
        for (uint32_t k = 0; k < n; k++) {
            stream->id[k % corners][lane + k / corners] = rank[p[k]];
        }
        for (uint32_t k = 0; units && k < n; k++) {
            const uint32_t point = units->corner[k % corners][lane + k / corners];
            units->point[units->first_point_group[slot] * XPBD_GROUP + point] = rank[p[k]];
        }
    }
}

void xpbd_pack_ids(const xpbd_tuples *tuples, const uint32_t *rank, const xpbd_bins *bins,
                   const xpbd_packing *packing, const xpbd_store *store, xpbd_stream *streams)
{
    /* Sinks first: of a bin of groups only the last one keeps some. */
    for (uint32_t b = 0; b < bins->n_bins; b++) {
        xpbd_stream *stream = &streams[bins->type[b]];
        const xpbd_units *units = stream->units;
        const uint32_t begin = packing->begin[b], end = packing->end[b];
        const uint32_t sink = xpbd_store_sink(store, packing->sink[b]);
        const uint32_t first = units ? units->first_group[begin] : end - 1;
        const uint32_t last = units ? units->first_group[end] : end;
        for (uint32_t c = 0; c < tuples->n_corners[bins->type[b]]; c++) {
            for (uint32_t lane = first * XPBD_GROUP; lane < last * XPBD_GROUP; lane++) {
                stream->id[c][lane] = sink;
            }
        }
        for (uint32_t lane = units ? units->first_point_group[begin] * XPBD_GROUP : 0;
             units && lane < units->first_point_group[end] * XPBD_GROUP; lane++) {
            units->point[lane] = sink;
        }
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        pack_constraints(tuples, type, rank, packing, &streams[type]);
    }
}
