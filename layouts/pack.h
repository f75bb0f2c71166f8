/* SPDX-License-Identifier: MIT
 *
 * From bins to streams: every bin becomes a range of whole lane groups of its type's stream, in
 * the order of the walk, the last group filled up with pad lanes.
 *
 *     stream of a type    | bin 0: groups 0 ... 3 | bin 2: groups 4 ... 9 | ...
 *
 * Of a type of variable size the units of a bin are its constraints instead, see stream.h.
 */
#ifndef XPBD_LAYOUTS_PACK_H
#define XPBD_LAYOUTS_PACK_H

#include "layouts/partition.h"
#include "layouts/stream.h"

typedef struct xpbd_packing {
    uint32_t *begin; /* [n_bins] first unit of a bin, within the stream of its type */
    uint32_t *end;   /* [n_bins] one past the last */
    uint32_t *slot;  /* [constraint number] lane in the type's stream, or unit of variable size */
    uint32_t n_groups[XPBD_CONSTRAINT_TYPE_COUNT]; /* units */
    uint32_t n_gaps[XPBD_CONSTRAINT_TYPE_COUNT];   /* of them: groups between slabs, of no bin */
    uint32_t *sink; /* [n_bins] sink of its pad lanes: no two bins of a stage share one, but those
                       of a strip and of an ordered plan. Where there are slabs and nothing else,
                       strips of both stages can run at the same time, and none share one */
    uint32_t n_sinks;
    uint32_t n_copies, first_copy; /* of hubs: slots behind the sinks, see hubs.h */
    uint32_t *copied;              /* [n_copies] slot of the particle that each is a copy of */
    uint32_t *spare[XPBD_CONSTRAINT_TYPE_COUNT]; /* [n_groups] where lanes of a unit point to when
                                                    their constraint is removed */
    uint32_t n_spares, first_spare;              /* slots behind those of the copies */
} xpbd_packing;

/** Count the sinks of a store that has room for the sinks and the copies of a packing. */
static inline uint32_t xpbd_packing_sinks(const xpbd_packing *packing)
{
    return packing->n_sinks + (packing->n_copies + XPBD_GROUP - 1) / XPBD_GROUP;
}
/** The same, with room for its spare slots. */
static inline uint32_t xpbd_packing_all_sinks(const xpbd_packing *packing)
{
    return xpbd_packing_sinks(packing) + (packing->n_spares + XPBD_GROUP - 1) / XPBD_GROUP;
}

/** Give every constraint its lane. False without memory. */
bool xpbd_pack_place(const xpbd_tuples *tuples, const xpbd_walk_step *walk, const xpbd_bins *bins,
                     xpbd_packing *packing, xpbd_arena *arena, xpbd_arena *scratch);
/** Lay out the units of a type of variable size: everything that its elements and points need but
 *  rest data. False without memory. */
bool xpbd_pack_units(const xpbd_tuples *tuples, uint32_t type, const xpbd_packing *packing,
                     xpbd_units *units, xpbd_arena *arena, xpbd_arena *scratch);
/** Write the particle slots of all lanes into the streams' id arrays, which the caller allocated:
 *  those of constraints by rank, and the sinks of `store` for pad lanes. */
void xpbd_pack_ids(const xpbd_tuples *tuples, const uint32_t *rank, const xpbd_bins *bins,
                   const xpbd_packing *packing, const xpbd_store *store, xpbd_stream *streams);
/** Give every unit a place for lanes that lose their constraint. Kernels write back what they read,
 *  so with `disjoint` no two units that may run at the same time have the same one. `store` needs
 *  its number of particles only; copies of hubs are counted already. False without memory. */
bool xpbd_pack_spares(const xpbd_tuples *tuples, const xpbd_bins *bins, xpbd_packing *packing,
                      const xpbd_store *store, bool disjoint, xpbd_arena *arena);
/** Turn particle slots into places, the last step of packing: the floats of a particle in an array
 *  of the store start at its place. An address in a kernel is the sum of two registers then. */
void xpbd_pack_scale(const xpbd_store *store, xpbd_packing *packing, xpbd_stream *streams);
/** Turn the lanes of a constraint into pad lanes, after xpbd_pack_scale or, of all, before. `slot`
 * is that of the constraint. */
void xpbd_pack_remove(const xpbd_packing *packing, uint32_t type, uint32_t slot,
                      xpbd_stream *stream);

#endif
