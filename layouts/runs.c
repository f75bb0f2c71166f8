/* SPDX-License-Identifier: MIT
 *
 * Runs: meshes that come from a grid have constraints that repeat from particle to particle. Found
 * in the ranks alone, whatever the mesh is.
 */
#include "layouts/partition.h"

#include <string.h>

/* Bits of the kinds of which a constraint can be the first. */
static uint32_t kinds_of(const uint32_t *particles, uint32_t corners, const uint32_t *rank)
{
    const uint32_t apart = corners == 2 ? rank[particles[1]] - rank[particles[0]] : 0;
    return 1u << XPBD_RUN_ROWS | (apart == 1 ? 1u << XPBD_RUN_ZIPPED : 0) |
           (apart == 2 ? 1u << XPBD_RUN_HALVED : 0);
}

xpbd_run_kind xpbd_run_add(xpbd_run *run, const uint32_t *particles, uint32_t corners,
                           const uint32_t *rank, uint32_t item)
{
    uint32_t kinds = run->n > 0 ? run->kinds : 0;
    const uint32_t way = rank[particles[0]] - run->first[0];
    for (uint32_t c = 1; c < corners; c++) {
        kinds = rank[particles[c]] - run->first[c] == way ? kinds : 0;
    }
    for (uint32_t kind = XPBD_RUN_ROWS; kinds != 0 && kind < XPBD_RUN_KINDS; kind++) {
        if (way != xpbd_run_offset((xpbd_run_kind)kind, run->n)) {
            kinds &= ~(1u << kind);
        }
    }
    if (kinds == 0) {
        kinds = kinds_of(particles, corners, rank);
        run->n = 0;
        for (uint32_t c = 0; c < corners; c++) {
            run->first[c] = rank[particles[c]];
        }
    }
    run->kinds = kinds;
    run->item[run->n++] = item;
    if (run->n < XPBD_RUN) {
        return XPBD_RUN_NONE;
    }
    run->n = 0;
    return (xpbd_run_kind)__builtin_ctz(kinds);
}

/* Families of constraints with the same offsets between their particles, told apart by a hash: two
 * that share a number only make shorter runs. */
enum { N_HASHES = 256 };

static uint32_t hash_of(const xpbd_tuples *tuples, const uint32_t *rank, xpbd_walk_step at)
{
    uint32_t n, hash = at.type;
    const uint32_t *p = xpbd_tuples_at(tuples, at.type, at.index, &n);
    for (uint32_t c = 1; c < n; c++) {
        hash = (hash ^ (rank[p[c]] - rank[p[0]])) * UINT32_C(2654435761);
    }
    return hash >> 24;
}

void xpbd_sort_by_offsets(const xpbd_tuples *tuples, const uint32_t *rank,
                          const xpbd_walk_step *walk, uint32_t n, uint16_t *family,
                          xpbd_walk_step *sorted)
{
    uint32_t count[N_HASHES + 1] = {0}, place[N_HASHES + 1], in_families = 0, next = 0;
    for (uint32_t k = 0; k < n; k++) {
        const bool runs = tuples->runs[walk[k].type];
        family[k] = (uint16_t)(runs ? hash_of(tuples, rank, walk[k]) : N_HASHES);
        count[family[k]]++;
    }
    for (uint32_t h = 0; h < N_HASHES; h++) {
        const bool large = count[h] >= XPBD_GROUP;
        in_families += large ? count[h] : 0;
        place[h] = large ? next : UINT32_MAX;
        next += large ? count[h] : 0;
    }
    place[N_HASHES] = UINT32_MAX;
    if (in_families < n / 2) {
        memcpy(sorted, walk, n * sizeof *sorted);
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t *at = &place[family[k]];
        sorted[*at != UINT32_MAX ? (*at)++ : next++] = walk[k];
    }
}
