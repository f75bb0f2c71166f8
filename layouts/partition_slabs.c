/* SPDX-License-Identifier: MIT
 *
 * Slabs: particles in the order of memory, cut into ranges with equal shares of the constraints.
 *
 *     particles   |   slab 0   |   slab 1   |   slab 2   |   slab 3   |
 *     stage 0       strip 0      strip 1      strip 2      strip 3         constraints inside
 *     stage 1              strip 4      strip 5      strip 6               across one boundary
 *     stage 2              strip 7                                         the rest
 *
 * Two strips of stage 1 must not meet inside the slab that they share: a constraint that reaches a
 * particle of another boundary's strip goes to the rest. How many slabs there are follows from the
 * mesh alone: as many as possible, up to a limit, with few constraints across.
 */
#include "layouts/partition.h"

#include <string.h>

/* Below LEAST constraints in a slab the pad lanes at its end weigh too much. */
enum { LEAST_IN_SLAB = 4096, MOST_SLABS = 256 };
enum { GAP = 64 }; /* places: a kilobyte of records */
/* Parts of all constraints that may be across, and in the rest. */
#define MOST_ACROSS 0.16
#define MOST_REST   0.02
/* A slab may have this many times its share: around a hub all low ranks are the same. */
#define MOST_UNEVEN 1.5

typedef struct cut {
    const xpbd_tuples *tuples;
    const xpbd_walk_step *walk;
    uint32_t *rank;
    uint32_t n, n_slabs;
    uint32_t *low, *high; /* [n] lowest and highest rank of a step of the walk */
    uint32_t *slab;       /* [n_particles] by rank */
    uint32_t *boundary;   /* [n_particles] by rank: boundary whose strip has it, plus 1 */
    uint32_t *key;        /* [n] slab, n_slabs + boundary, or for the rest 2 n_slabs - 1 */
    uint32_t *n_of;       /* [2 MOST_SLABS] constraints of a key */
} cut;

/* Where a slab but the first begins: with whole lines of each array, so that runs are not cut. */
static uint32_t first_rank(const cut *c, uint32_t slab)
{
    const uint32_t low = c->low[(uint64_t)c->n * slab / c->n_slabs];
    return (low + XPBD_GROUP / 2) / XPBD_GROUP * XPBD_GROUP;
}

static void cut_particles(const cut *c)
{
    uint32_t slab = 0;
    for (uint32_t r = 0; r < c->tuples->n_particles; r++) {
        while (slab + 1 < c->n_slabs && r >= first_rank(c, slab + 1)) {
            slab++;
        }
        c->slab[r] = slab;
        c->boundary[r] = 0;
    }
}

/* A constraint across boundary b takes its particles for b, unless another boundary has one. */
static bool take_particles(const cut *c, uint32_t k, uint32_t b)
{
    uint32_t n;
    const uint32_t *p = xpbd_tuples_at(c->tuples, c->walk[k].type, c->walk[k].index, &n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t owner = c->boundary[c->rank[p[i]]];
        if (owner != 0 && owner != b + 1 && xpbd_tuples_joins(c->tuples, p[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        c->boundary[c->rank[p[i]]] = b + 1;
    }
    return true;
}

/* Sort the constraints into strips; false where too many are not inside a slab, or one has most. */
static bool cut_constraints(const cut *c)
{
    uint32_t across = 0, most = 0;
    memset(c->n_of, 0, 2 * MOST_SLABS * sizeof *c->n_of);
    for (uint32_t k = 0; k < c->n; k++) {
        const uint32_t low = c->slab[c->low[k]], high = c->slab[c->high[k]];
        c->key[k] = low;
        if (high != low) {
            const bool near = high == low + 1 && take_particles(c, k, low);
            c->key[k] = near ? c->n_slabs + low : 2 * c->n_slabs - 1;
            across += near;
        }
        c->n_of[c->key[k]]++;
    }
    for (uint32_t slab = 0; slab < c->n_slabs; slab++) {
        most = c->n_of[slab] > most ? c->n_of[slab] : most;
    }
    return across <= MOST_ACROSS * c->n && c->n_of[2 * c->n_slabs - 1] <= MOST_REST * c->n &&
           most <= MOST_UNEVEN * c->n / c->n_slabs;
}

static bool prepare(cut *c, xpbd_arena *scratch)
{
    c->low = xpbd_arena_alloc(scratch, c->n, sizeof(uint32_t));
    c->high = xpbd_arena_alloc(scratch, c->n, sizeof(uint32_t));
    c->key = xpbd_arena_alloc(scratch, c->n, sizeof(uint32_t));
    c->n_of = xpbd_arena_alloc(scratch, 2 * MOST_SLABS, sizeof(uint32_t));
    c->slab = xpbd_arena_alloc(scratch, c->tuples->n_particles, sizeof(uint32_t));
    c->boundary = xpbd_arena_alloc(scratch, c->tuples->n_particles, sizeof(uint32_t));
    if (scratch->failed) {
        return false;
    }
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t n;
        const uint32_t *p = xpbd_tuples_at(c->tuples, c->walk[k].type, c->walk[k].index, &n);
        c->low[k] = xpbd_order_lowest(c->tuples, p, n, c->rank, &c->high[k]);
    }
    return true;
}

/* Places without a particle before every slab and after the last: a processor that goes through a
 * slab fetches ahead of itself, and another one works on what comes then. Lines that it takes have
 * to be taken back before they can be written. */
static void spread(const cut *c, xpbd_bins *bins)
{
    for (uint32_t i = 0; i < c->tuples->n_particles && c->n_slabs > 1; i++) {
        c->rank[i] += (c->slab[c->rank[i]] + 1) * GAP;
    }
    bins->n_places += c->n_slabs > 1 ? (c->n_slabs + 1) * GAP : 0;
}

/* Steps of the walk, strip by strip: a counting sort. */
static bool emit(const cut *c, xpbd_bins *bins, xpbd_arena *scratch)
{
    const uint32_t n_keys = 2 * c->n_slabs;
    uint32_t *place = xpbd_arena_zero(scratch, (size_t)n_keys + 1, sizeof *place);
    xpbd_walk_step *sorted = xpbd_arena_alloc(scratch, c->n, sizeof *sorted);
    xpbd_chunks chunks;
    if (!place || !sorted || !xpbd_chunks_init(&chunks, c->tuples, c->rank, scratch)) {
        return false;
    }
    for (uint32_t key = 0; key < n_keys; key++) {
        place[key + 1] = place[key] + c->n_of[key];
    }
    for (uint32_t k = 0; k < c->n; k++) {
        sorted[place[c->key[k]]++] = c->walk[k];
    }
    spread(c, bins);
    uint32_t begin = 0;
    for (uint32_t key = 0; key < n_keys; key++) { /* place[key] is now where the key ends */
        const uint32_t n = place[key] - begin;
        const bool rest = key == n_keys - 1;
        if (rest && n > LEAST_IN_SLAB) {
            return xpbd_color_all(c->tuples, sorted + begin, c->rank, n, bins->n_stages, bins,
                                  scratch);
        }
        const uint32_t stage = key < c->n_slabs ? 0 : rest ? bins->n_stages : 1;
        if (!xpbd_chunks_strip(&chunks, sorted + begin, n, stage, key, bins)) {
            return false;
        }
        begin = place[key];
    }
    bins->n_slabs = c->n_of[n_keys - 1] == 0 && c->n_slabs > 1 ? c->n_slabs : 0;
    return true;
}

bool xpbd_partition_slabs(const xpbd_tuples *tuples, const xpbd_walk_step *walk, uint32_t *rank,
                          xpbd_bins *bins, xpbd_arena *arena, xpbd_arena *scratch)
{
    cut c = {.tuples = tuples, .walk = walk, .rank = rank, .n = xpbd_tuples_count(tuples)};
    if (!xpbd_bins_init(bins, tuples, arena) || !prepare(&c, scratch)) {
        return false;
    }
    c.n_slabs = 1;
    while (c.n_slabs < MOST_SLABS && 2 * c.n_slabs <= c.n / LEAST_IN_SLAB) {
        c.n_slabs *= 2;
    }
    const bool large = c.n_slabs > 1;
    for (; c.n_slabs > 0; c.n_slabs /= 2) {
        cut_particles(&c);
        if (cut_constraints(&c) && (c.n_slabs > 1 || !large)) {
            return emit(&c, bins, scratch);
        }
    }
    return xpbd_color_all(tuples, walk, rank, c.n, 0, bins, scratch);
}
