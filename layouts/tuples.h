/* SPDX-License-Identifier: MIT
 *
 * Constraints as layouts see them: tuples of particles, whatever they mean. A constraint has one
 * number for all types together, number = first[type] + index. It consists of elements of n_corners
 * particles each: one element, or in a type of variable size as many as its offsets say.
 */
#ifndef XPBD_LAYOUTS_TUPLES_H
#define XPBD_LAYOUTS_TUPLES_H

#include "base/memory.h"

/** Constraints that the caller added in one go; in this order they are solved by serial-gs. */
typedef struct xpbd_batch {
    uint32_t type, first, count; /* first: index within the type */
} xpbd_batch;

typedef struct xpbd_tuples {
    const uint32_t *particles[XPBD_CONSTRAINT_TYPE_COUNT]; /* [elements][n_corners] */
    const uint32_t *offsets[XPBD_CONSTRAINT_TYPE_COUNT];   /* [count + 1] first element of each
                                                              constraint; null: one element each */
    uint32_t n_corners[XPBD_CONSTRAINT_TYPE_COUNT];
    bool runs[XPBD_CONSTRAINT_TYPE_COUNT]; /* groups of neighbours are worth keeping apart */
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
/** Count the constraints of a type. */
static inline uint32_t xpbd_tuples_of(const xpbd_tuples *tuples, uint32_t type)
{
    return tuples->first[type + 1] - tuples->first[type];
}
/** Find the particles of a constraint, and how many they are: repeated ones, which a type of
 *  variable size may have, count each time. */
static inline const uint32_t *xpbd_tuples_at(const xpbd_tuples *tuples, uint32_t type,
                                             uint32_t index, uint32_t *n)
{
    const uint32_t *offsets = tuples->offsets[type], corners = tuples->n_corners[type];
    *n = offsets ? (offsets[index + 1] - offsets[index]) * corners : corners;
    return tuples->particles[type] + (size_t)(offsets ? offsets[index] : index) * corners;
}

/** A place in a list of all constraints. */
typedef struct xpbd_walk_step {
    uint32_t type, index;
} xpbd_walk_step;

#endif
