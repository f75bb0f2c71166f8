/* SPDX-License-Identifier: MIT
 *
 * Lanes whose constraint was removed while the packing stays. They become pad lanes, but anywhere
 * in a bin: its sink, which the last group of the bin has for itself, does not do for them. A strip
 * and an ordered plan run in sequence, and units of variable size write no pad lanes; elsewhere
 * every unit has a slot that no other of its stage has.
 */
#include "layouts/pack.h"

bool xpbd_pack_spares(const xpbd_tuples *tuples, const xpbd_bins *bins, xpbd_packing *packing,
                      const xpbd_store *store, bool disjoint, xpbd_arena *arena)
{
    packing->first_spare = xpbd_store_sink(store, xpbd_packing_sinks(packing));
    packing->n_spares = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        packing->spare[type] = xpbd_arena_alloc(arena, packing->n_groups[type], sizeof(uint32_t));
    }
    if (arena->failed) {
        return false;
    }
    uint32_t used = 0; /* in the stage of the bin */
    for (uint32_t b = 0; b < bins->n_bins; b++) {
        const bool shared =
            !disjoint || bins->strip[b] != XPBD_NO_STRIP || tuples->offsets[bins->type[b]];
        uint32_t *spare = packing->spare[bins->type[b]];
        used = b > 0 && bins->stage[b] == bins->stage[b - 1] ? used : 0;
        for (uint32_t u = packing->begin[b]; u < packing->end[b]; u++) {
            /* Slots in turn: a group must not wait for what the one before has written. */
            spare[u] = shared ? xpbd_store_sink(store, packing->sink[b]) + u % XPBD_GROUP
                              : packing->first_spare + used++;
        }
        packing->n_spares = used > packing->n_spares ? used : packing->n_spares;
    }
    return true;
}

static void scale(uint32_t *slots, size_t n, uint32_t step)
{
    for (size_t i = 0; i < n; i++) {
        slots[i] *= step;
    }
}

void xpbd_pack_scale(const xpbd_store *store, xpbd_packing *packing, xpbd_stream *streams)
{
    const uint32_t step = (uint32_t)store->step;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT && step != 1; type++) {
        const xpbd_stream *stream = &streams[type];
        const xpbd_units *units = stream->units;
        for (uint32_t c = 0; c < XPBD_CORNERS_MAX && stream->id[c]; c++) {
            scale(stream->id[c], xpbd_stream_lanes(stream), step);
        }
        if (units) {
            scale(units->point, (size_t)units->first_point_group[stream->n_groups] * XPBD_GROUP,
                  step);
        }
        scale(packing->spare[type], packing->n_groups[type], step);
    }
}

void xpbd_pack_remove(const xpbd_packing *packing, uint32_t type, uint32_t slot,
                      xpbd_stream *stream)
{
    const xpbd_units *units = stream->units;
    const uint32_t spare = packing->spare[type][units ? slot : slot / XPBD_GROUP];
    const uint32_t begin = units ? units->first_group[slot] * XPBD_GROUP : slot;
    const uint32_t end = units ? units->first_group[slot + 1] * XPBD_GROUP : slot + 1;
    for (uint32_t c = 0; c < XPBD_CORNERS_MAX && stream->id[c]; c++) {
        for (uint32_t lane = begin; lane < end; lane++) {
            stream->id[c][lane] = spare;
        }
    }
    if (units) {
        for (uint32_t lane = units->first_point_group[slot] * XPBD_GROUP;
             lane < units->first_point_group[slot + 1] * XPBD_GROUP; lane++) {
            units->point[lane] = spare;
        }
        units->n[slot] = units->n_points[slot] = 0;
    }
}
