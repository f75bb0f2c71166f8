/* SPDX-License-Identifier: MIT
 *
 * What all orderings share: the choice between them, and the walk over the constraints that
 * follows from one.
 */
#include "layouts/order.h"

#include <string.h>

/* Particles that far apart are in the nearest cache together, 16 bytes each: no order is better. */
enum { SHORT_SPAN = 1024 };

static const struct {
    const char *name;
    xpbd_order_fn *run;
} rows[] = {
#define XPBD_ORDER(name) {#name, xpbd_order_##name},
#include "layouts/orders.def"
#undef XPBD_ORDER
};

const char *xpbd_order_row_name(uint32_t order)
{
    return order < XPBD_ORDER_COUNT ? rows[order].name : NULL;
}

uint32_t xpbd_order_lowest_of(const xpbd_tuples *tuples, const uint32_t *particles, uint32_t n,
                              const uint32_t *rank, uint32_t *highest)
{
    uint32_t begin = 0;
    while (begin < n - 1 && !xpbd_tuples_joins(tuples, particles[begin])) {
        begin++;
    }
    uint32_t low = rank[particles[begin]];
    *highest = low;
    for (uint32_t k = begin + 1; k < n; k++) {
        const uint32_t r = xpbd_tuples_joins(tuples, particles[k]) ? rank[particles[k]] : low;
        low = r < low ? r : low;
        *highest = r > *highest ? r : *highest;
    }
    return low;
}

double xpbd_order_span(const xpbd_tuples *tuples, const uint32_t *rank)
{
    double sum = 0.0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        for (uint32_t i = 0; i < xpbd_tuples_of(tuples, type); i++) {
            uint32_t n, high;
            const uint32_t *p = xpbd_tuples_at(tuples, type, i, &n);
            const uint32_t low = xpbd_order_lowest(tuples, p, n, rank, &high);
            sum += high - low;
        }
    }
    const uint32_t count = xpbd_tuples_count(tuples);
    return count ? sum / count : 0.0;
}

bool xpbd_order_run(const xpbd_tuples *tuples, xpbd_order order, xpbd_order *chosen, uint32_t *rank,
                    xpbd_arena *scratch)
{
    if (order != XPBD_ORDER_COUNT) {
        *chosen = order;
        return rows[order].run(tuples, rank, scratch);
    }
    uint32_t *other = xpbd_arena_alloc(scratch, tuples->n_particles, sizeof *other);
    if (!other || !rows[0].run(tuples, rank, scratch)) {
        return false;
    }
    *chosen = (xpbd_order)0;
    const double natural = xpbd_order_span(tuples, rank);
    if (natural <= SHORT_SPAN) {
        return true;
    }
    double best = natural / 1.5;
    for (uint32_t k = 1; k < XPBD_ORDER_COUNT; k++) {
        if (!rows[k].run(tuples, other, scratch)) {
            return false;
        }
        const double span = xpbd_order_span(tuples, other);
        if (span < best) {
            best = span;
            *chosen = (xpbd_order)k;
            memcpy(rank, other, tuples->n_particles * sizeof *rank);
        }
    }
    return true;
}

/* As the caller added them. */
static void walk_batches(const xpbd_tuples *tuples, xpbd_walk_step *walk)
{
    for (uint32_t b = 0; b < tuples->n_batches; b++) {
        const xpbd_batch *batch = &tuples->batches[b];
        for (uint32_t i = 0; i < batch->count; i++) {
            *walk++ = (xpbd_walk_step){batch->type, batch->first + i};
        }
    }
}

bool xpbd_order_walk(const xpbd_tuples *tuples, bool by_rank, const uint32_t *rank,
                     xpbd_walk_step *walk, xpbd_arena *scratch)
{
    if (!by_rank) {
        walk_batches(tuples, walk);
        return true;
    }
    /* A counting sort by lowest rank, which keeps the caller's order among equals. */
    const uint32_t n = xpbd_tuples_count(tuples);
    xpbd_walk_step *added = xpbd_arena_alloc(scratch, n, sizeof *added);
    uint32_t *place = xpbd_arena_zero(scratch, (size_t)tuples->n_particles + 1, sizeof *place);
    uint32_t *key = xpbd_arena_alloc(scratch, n, sizeof *key);
    if (!added || !place || !key) {
        return false;
    }
    walk_batches(tuples, added);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t corners, high;
        const uint32_t *p = xpbd_tuples_at(tuples, added[k].type, added[k].index, &corners);
        key[k] = xpbd_order_lowest(tuples, p, corners, rank, &high);
        place[key[k] + 1]++;
    }
    for (uint32_t i = 0; i < tuples->n_particles; i++) {
        place[i + 1] += place[i];
    }
    for (uint32_t k = 0; k < n; k++) {
        walk[place[key[k]]++] = added[k];
    }
    return true;
}
