/* SPDX-License-Identifier: MIT
 *
 * Constraints as layouts see them: tuples of particles, whatever they mean. A constraint has one
 * number for all types together, number = first[type] + index.
 */
#ifndef XPBD_LAYOUTS_TUPLES_H
#define XPBD_LAYOUTS_TUPLES_H

#include "base/memory.h"

/** Constraints that the caller added in one go; in this order they are solved by serial-gs. */
typedef struct xpbd_batch {
    uint32_t type, first, count; /* first: index within the type */
} xpbd_batch;

typedef struct xpbd_tuples {
    const uint32_t *particles[XPBD_CONSTRAINT_TYPE_COUNT]; /* [count][n_corners] */
    uint32_t n_corners[XPBD_CONSTRAINT_TYPE_COUNT];
    uint32_t first[XPBD_CONSTRAINT_TYPE_COUNT + 1];
    const xpbd_batch *batches;
    uint32_t n_batches;
    uint32_t n_particles;
} xpbd_tuples;

/** Count all constraints. */
static inline uint32_t xpbd_tuples_count(const xpbd_tuples *tuples)
{
    return tuples->first[XPBD_CONSTRAINT_TYPE_COUNT];
}
/** Find the particles of a constraint of a known type. */
static inline const uint32_t *xpbd_tuples_at(const xpbd_tuples *tuples, uint32_t type,
                                             uint32_t index)
{
    return tuples->particles[type] + (size_t)index * tuples->n_corners[type];
}

/** A place in a list of all constraints. */
typedef struct xpbd_walk_step {
    uint32_t type, index;
} xpbd_walk_step;

#endif
