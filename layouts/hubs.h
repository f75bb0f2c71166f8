/* SPDX-License-Identifier: MIT
 *
 * Pinned particles that many constraints share, such as the anchor of a thousand tethers. They are
 * read and never moved, so they keep nothing apart: colours pass over them (xpbd_tuples.hub). But
 * kernels write back what they read, and two threads must not write the same place, even the same
 * bits. So every unit of work, or strip, has a copy of its own, in slots behind the sinks:
 *
 *     particles | sinks | copies of hub 0: 0 1 2 ... | copies of hub 1: 0 1 ...
 *
 * No stage needs more copies of a hub than it has units that read it, and stages share them.
 * Whoever moves the particle between two steps has to bring the copies after; during a step they
 * follow the same arithmetic as the particle.
 */
#ifndef XPBD_LAYOUTS_HUBS_H
#define XPBD_LAYOUTS_HUBS_H

#include "layouts/pack.h"

/** Find particles that are in more than XPBD_CROWD constraints: 1 for each, [n_particles]. Null
 *  without memory. */
uint8_t *xpbd_hubs_crowded(const xpbd_tuples *tuples, xpbd_arena *arena, xpbd_arena *scratch);
/** Give the units of all bins their copies of the hubs of `tuples`: in the id and point arrays of
 *  the streams, which pack_ids() has written, and in the packing. `store` needs its number of
 *  particles only. False without memory. */
bool xpbd_hubs_copy(const xpbd_tuples *tuples, const uint32_t *rank, const xpbd_bins *bins,
                    xpbd_packing *packing, const xpbd_store *store, xpbd_stream *streams,
                    xpbd_arena *arena, xpbd_arena *scratch);

#endif
