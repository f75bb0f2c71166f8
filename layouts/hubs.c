/* SPDX-License-Identifier: MIT
 *
 * Two passes over all lanes in the order of the plan: one counts the copies, one hands them out.
 */
#include "layouts/hubs.h"

static void count_up(uint8_t *crowded)
{
    *crowded = (uint8_t)(*crowded + (*crowded <= XPBD_CROWD));
}

uint8_t *xpbd_hubs_crowded(const xpbd_tuples *tuples, xpbd_arena *arena, xpbd_arena *scratch)
{
    uint8_t *crowded = xpbd_arena_zero(arena, tuples->n_particles, 1);
    uint32_t *last = xpbd_arena_zero(scratch, tuples->n_particles, sizeof *last); /* plus 1 */
    if (!crowded || !last) {
        return NULL;
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const uint32_t count = xpbd_tuples_of(tuples, type);
        if (!tuples->offsets[type]) {
            const size_t n = (size_t)count * tuples->n_corners[type];
            for (size_t k = 0; k < n; k++) {
                count_up(&crowded[tuples->particles[type][k]]);
            }
        }
        for (uint32_t i = 0; tuples->offsets[type] && i < count; i++) {
            uint32_t n;
            const uint32_t *p = xpbd_tuples_at(tuples, type, i, &n);
            const uint32_t number = tuples->first[type] + i + 1;
            for (uint32_t k = 0; k < n; k++) {
                if (last[p[k]] != number) { /* once, however often its elements name it */
                    count_up(&crowded[p[k]]);
                    last[p[k]] = number;
                }
            }
        }
    }
    for (uint32_t i = 0; i < tuples->n_particles; i++) {
        crowded[i] = crowded[i] > XPBD_CROWD;
    }
    return crowded;
}

/* Of one hub. */
typedef struct hub {
    uint32_t slot;
    uint32_t stage, user; /* the last that read it, plus 1 */
    uint32_t n;           /* copies read in that stage so far */
    uint32_t most;
    uint32_t first; /* its first copy */
} hub;

typedef struct pass {
    hub *hubs;
    const uint32_t *hub_at; /* [slot] hub, plus 1 */
    uint32_t n_slots;       /* with a hub_at */
    uint32_t first_copy;
    uint32_t stage, user; /* plus 1 */
    bool give;
} pass;

static void read_lanes(const pass *at, uint32_t *id, uint32_t begin, uint32_t end)
{
    for (uint32_t lane = begin; lane < end; lane++) {
        if (id[lane] >= at->n_slots || at->hub_at[id[lane]] == 0) {
            continue;
        }
        hub *h = &at->hubs[at->hub_at[id[lane]] - 1];
        h->n = h->stage == at->stage ? h->n + (h->user != at->user) : 1;
        h->most = h->n > h->most ? h->n : h->most;
        h->stage = at->stage;
        h->user = at->user;
        if (at->give) {
            id[lane] = at->first_copy + h->first + h->n - 1;
        }
    }
}

/* Strips run in sequence: all of one read the same copy. */
static void run_pass(pass *at, const xpbd_tuples *tuples, const xpbd_bins *bins,
                     const xpbd_packing *packing, xpbd_stream *streams)
{
    at->user = 0;
    for (uint32_t b = 0; b < bins->n_bins; b++) {
        const uint32_t type = bins->type[b];
        const xpbd_units *units = streams[type].units;
        at->stage = bins->n_slabs ? 1 : bins->stage[b] + 1; /* slabs are not in step */
        at->user += !xpbd_bins_go_on(bins, b);
        for (uint32_t u = packing->begin[b]; u < packing->end[b]; u++) {
            const uint32_t begin = (units ? units->first_group[u] : u) * XPBD_GROUP;
            const uint32_t end = (units ? units->first_group[u + 1] : u + 1) * XPBD_GROUP;
            at->user += bins->strip[b] == XPBD_NO_STRIP;
            for (uint32_t c = 0; c < tuples->n_corners[type]; c++) {
                read_lanes(at, streams[type].id[c], begin, end);
            }
            if (units) {
                read_lanes(at, units->point, units->first_point_group[u] * XPBD_GROUP,
                           units->first_point_group[u + 1] * XPBD_GROUP);
            }
        }
    }
}

bool xpbd_hubs_copy(const xpbd_tuples *tuples, const uint32_t *rank, const xpbd_bins *bins,
                    xpbd_packing *packing, const xpbd_store *store, xpbd_stream *streams,
                    xpbd_arena *arena, xpbd_arena *scratch)
{
    uint32_t n_hubs = 0;
    for (uint32_t i = 0; i < tuples->n_particles && tuples->hub; i++) {
        n_hubs += tuples->hub[i];
    }
    if (n_hubs == 0) {
        return true;
    }
    hub *hubs = xpbd_arena_zero(scratch, n_hubs, sizeof *hubs);
    uint32_t *hub_at = xpbd_arena_zero(scratch, store->n, sizeof *hub_at);
    if (!hubs || !hub_at) {
        return false;
    }
    pass at = {.hubs = hubs,
               .hub_at = hub_at,
               .n_slots = store->n,
               .first_copy = xpbd_store_sink(store, packing->n_sinks)};
    n_hubs = 0;
    for (uint32_t i = 0; i < tuples->n_particles; i++) {
        if (tuples->hub[i]) {
            hubs[n_hubs++].slot = rank[i];
            hub_at[rank[i]] = n_hubs;
        }
    }
    run_pass(&at, tuples, bins, packing, streams);
    for (uint32_t k = 0; k < n_hubs; k++) {
        hubs[k].first = packing->n_copies;
        hubs[k].stage = 0;
        packing->n_copies += hubs[k].most;
    }
    packing->first_copy = at.first_copy;
    packing->copied = xpbd_arena_alloc(arena, packing->n_copies, sizeof(uint32_t));
    if (!packing->copied) {
        return false;
    }
    for (uint32_t k = 0; k < n_hubs; k++) {
        for (uint32_t copy = 0; copy < hubs[k].most; copy++) {
            packing->copied[hubs[k].first + copy] = hubs[k].slot;
        }
    }
    at.give = true;
    run_pass(&at, tuples, bins, packing, streams);
    return true;
}
