/* SPDX-License-Identifier: MIT
 *
 * Packing is a counting sort of the constraints by bin, with the room of a bin rounded up to whole
 * groups.
 */
#include "layouts/pack.h"

/* Bin sizes to ranges of groups, bins of a type one after the other. */
static void place_bins(const xpbd_bins *bins, xpbd_packing *packing, const uint32_t *size)
{
    packing->n_sinks = 0;
    for (uint32_t b = 0; b < bins->n_bins; b++) {
        uint32_t *n_groups = &packing->n_groups[bins->type[b]];
        packing->begin[b] = *n_groups;
        *n_groups += (size[b] + XPBD_GROUP - 1) / XPBD_GROUP;
        packing->end[b] = *n_groups;
        const bool next = b > 0 && bins->stage[b] == bins->stage[b - 1] && !bins->ordered;
        packing->sink[b] = next ? packing->sink[b - 1] + 1 : 0;
        if (packing->n_sinks <= packing->sink[b]) {
            packing->n_sinks = packing->sink[b] + 1;
        }
    }
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
    place_bins(bins, packing, next);
    for (uint32_t b = 0; b < bins->n_bins; b++) {
        next[b] = packing->begin[b] * XPBD_GROUP;
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t number = tuples->first[walk[k].type] + walk[k].index;
        packing->slot[number] = next[bins->of[number]]++;
    }
    return true;
}

void xpbd_pack_ids(const xpbd_tuples *tuples, const uint32_t *rank, const xpbd_bins *bins,
                   const xpbd_packing *packing, const xpbd_store *store, xpbd_stream *streams)
{
    /* Sinks first: only the last group of a bin keeps some. */
    for (uint32_t b = 0; b < bins->n_bins; b++) {
        const uint32_t type = bins->type[b], last = (packing->end[b] - 1) * XPBD_GROUP;
        for (uint32_t c = 0; c < tuples->n_corners[type]; c++) {
            for (uint32_t lane = 0; lane < XPBD_GROUP; lane++) {
                streams[type].id[c][last + lane] = xpbd_store_sink(store, packing->sink[b]);
            }
        }
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        for (uint32_t i = 0; i < tuples->first[type + 1] - tuples->first[type]; i++) {
            const uint32_t *p = xpbd_tuples_at(tuples, type, i);
            const uint32_t slot = packing->slot[tuples->first[type] + i];
            for (uint32_t c = 0; c < tuples->n_corners[type]; c++) {
                streams[type].id[c][slot] = rank[p[c]];
            }
        }
    }
}
