/* SPDX-License-Identifier: MIT
 *
 * Which constraints may run at the same time. The result is bins: constraints of one type that
 * share no particle (but in a sequence) and end up as one block of a stage. Bins of one stage share
 * no particle either.
 */
#ifndef XPBD_LAYOUTS_PARTITION_H
#define XPBD_LAYOUTS_PARTITION_H

#include "layouts/order.h"

typedef struct xpbd_bins {
    uint32_t n_bins, n_stages;
    bool ordered;    /* bins, and the constraints in them, may share particles: keep the order */
    uint32_t *of;    /* [xpbd_tuples_count()] bin of a constraint, by number */
    uint32_t *type;  /* [n_bins] */
    uint32_t *stage; /* [n_bins], never falling */
} xpbd_bins;

/* Each takes the constraints in the order of `walk`, keeps the bins in `arena` and what it needs on
 * the way in `scratch`, is linear, and returns false without memory. */

/** A bin per batch, in one stage: the caller's order. Its constraints may share particles. */
bool xpbd_partition_sequence(const xpbd_tuples *tuples, xpbd_bins *bins, xpbd_arena *arena);
/** A bin per type, in one stage: for updates that do not move particles in place. */
bool xpbd_partition_free(const xpbd_tuples *tuples, xpbd_bins *bins, xpbd_arena *arena);
/** Greedy colours: each constraint takes the lowest colour that none of its particles has yet. A
 *  colour is a stage, with a bin per type. Colours are as many as needed, without a limit. */
bool xpbd_partition_greedy(const xpbd_tuples *tuples, const xpbd_walk_step *walk, xpbd_bins *bins,
                           xpbd_arena *arena, xpbd_arena *scratch);

#endif
