/* SPDX-License-Identifier: MIT
 *
 * Proof that a packing may run in parallel. Debug builds check every plan that is made; tests check
 * it and that broken packings are caught.
 */
#ifndef XPBD_LAYOUTS_VALIDATE_H
#define XPBD_LAYOUTS_VALIDATE_H

#include "layouts/pack.h"

typedef struct xpbd_conflict {
    const char *what; /* static text; null: none */
    uint32_t stage, bin;
    uint32_t particle; /* slot in the store */
} xpbd_conflict;

/** Check that
 *    - every constraint is in exactly one lane, and that lane holds its particles;
 *    - every other lane is a pad lane, whose particles are one sink of the store;
 *    - runs are of neighbours;
 *    - hubs are in lanes by their copies only, and other particles never are;
 *    - the points of a constraint of variable size are its particles, each once;
 *    - with `disjoint`, no particle is in two constraints of a stage, and no sink in two bins of
 *      one, but in bins of one strip; there a particle is once in a group. Copies of hubs are in
 * one unit of a stage, or one strip;
 *    - with `disjoint` and where there are slabs and nothing else, strips of both stages have no
 *      particle in common but those of neighbours, and no sink and no copy.
 * Returns true and an empty conflict, or false and the first
 * fault; false and "out of memory" where scratch has none. */
bool xpbd_layout_validate(const xpbd_tuples *tuples, const uint32_t *rank, const xpbd_bins *bins,
                          const xpbd_packing *packing, const xpbd_store *store,
                          const xpbd_stream *streams, bool disjoint, xpbd_conflict *conflict,
                          xpbd_arena *scratch);

#endif
