/* SPDX-License-Identifier: MIT
 *
 * In which order particles lie in memory and constraints are walked. Both are the library's own
 * affair: the caller keeps his indices.
 */
#ifndef XPBD_LAYOUTS_ORDER_H
#define XPBD_LAYOUTS_ORDER_H

#include "layouts/tuples.h"

#define XPBD_ORDER(name) XPBD_ORDER_##name,
typedef enum xpbd_order {
#include "layouts/orders.def"
    XPBD_ORDER_COUNT
} xpbd_order;
#undef XPBD_ORDER

/** Order the particles.
 *  rank     out  [n_particles] place in memory of every particle: a permutation
 *  scratch  in   what is needed on the way stays in it
 *  Returns       false without memory
 *  Cost          linear in particles and constraints */
typedef bool xpbd_order_fn(const xpbd_tuples *tuples, uint32_t *rank, xpbd_arena *scratch);

#define XPBD_ORDER(name) xpbd_order_fn xpbd_order_##name;
#include "layouts/orders.def"
#undef XPBD_ORDER

/** Name an ordering; null past the last. */
const char *xpbd_order_row_name(uint32_t order);
/** Order with the row chosen, or with `order` XPBD_ORDER_COUNT with the one of the shortest mean
 *  span: natural where that is short enough for the nearest cache or no other is shorter by a
 *  third. Sets *chosen. */
bool xpbd_order_run(const xpbd_tuples *tuples, xpbd_order order, xpbd_order *chosen, uint32_t *rank,
                    xpbd_arena *scratch);
/** Measure an order: mean over constraints of the distance between their first and last particle
 *  in memory. What a processor sees as locality, without a processor. */
double xpbd_order_span(const xpbd_tuples *tuples, const uint32_t *rank);
/** As the next one, for any number of particles. */
uint32_t xpbd_order_lowest_of(const xpbd_tuples *tuples, const uint32_t *particles, uint32_t n,
                              const uint32_t *rank, uint32_t *highest);
/** Find the lowest and highest rank of the n particles of a constraint, but of hubs only where it
 *  has no others. */
static inline uint32_t xpbd_order_lowest(const xpbd_tuples *tuples, const uint32_t *particles,
                                         uint32_t n, const uint32_t *rank, uint32_t *highest)
{
    if (n != 2 || tuples->hub) {
        return xpbd_order_lowest_of(tuples, particles, n, rank, highest);
    }
    const uint32_t a = rank[particles[0]], b = rank[particles[1]];
    *highest = a > b ? a : b;
    return a < b ? a : b;
}
/** List all constraints in the order in which they are to be partitioned: as the caller added them,
 *  or by_rank: by their first particle in memory, those of one particle as the caller added them.
 *  walk  out  [xpbd_tuples_count()] */
bool xpbd_order_walk(const xpbd_tuples *tuples, bool by_rank, const uint32_t *rank,
                     xpbd_walk_step *walk, xpbd_arena *scratch);

#endif
