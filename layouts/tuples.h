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
    bool runs[XPBD_CONSTRAINT_TYPE_COUNT];  /* groups of neighbours are worth keeping apart */
    bool trees[XPBD_CONSTRAINT_TYPE_COUNT]; /* may be part of a chain or tree, see trees.h, but */
    const uint8_t *gone[XPBD_CONSTRAINT_TYPE_COUNT]; /* [count] 1: not that one; or null */
    uint32_t first[XPBD_CONSTRAINT_TYPE_COUNT + 1];
    const xpbd_batch *batches;
    uint32_t n_batches;
    uint32_t n_particles;
    const uint8_t *hub; /* [n_particles] 1 where a particle is read and never moved, and joins so
                           many constraints that it must not keep them apart, see hubs.h; or null */
} xpbd_tuples;

/** More constraints than these make a particle a hub, if it is pinned. Few particles of a mesh have
 *  as many, tetrahedra and all their edges included: its colours, and with them its bits, are the
 *  same whoever is pinned. */
#define XPBD_CROWD 32

/** Tell whether two constraints that share a particle must not run at the same time. */
static inline bool xpbd_tuples_joins(const xpbd_tuples *tuples, uint32_t particle)
{
    return !(tuples->hub && tuples->hub[particle]);
}
/** Tell whether there is a hub among n particles: units with one read copies, not neighbours. */
static inline bool xpbd_tuples_has_hub(const xpbd_tuples *tuples, const uint32_t *particles,
                                       uint32_t n)
{
    bool found = false;
    for (uint32_t k = 0; k < n && !found; k++) {
        found = !xpbd_tuples_joins(tuples, particles[k]);
    }
    return found;
}

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
