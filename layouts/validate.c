/* SPDX-License-Identifier: MIT
 *
 * The validator looks at the finished id arrays, not at the colours that they were made from.
 */
#include "layouts/validate.h"

typedef struct check {
    const xpbd_tuples *tuples;
    const xpbd_bins *bins;
    const xpbd_packing *packing;
    const xpbd_store *store;
    const xpbd_stream *streams;
    uint8_t *used[XPBD_CONSTRAINT_TYPE_COUNT]; /* [lane] by a constraint */
    uint32_t *stage_of;                        /* [slot] last stage that had it, plus 1 */
    uint32_t *bin_of;                          /* [slot] last bin that had it */
    xpbd_conflict *conflict;
} check;

static bool fault(const check *c, const char *what, uint32_t bin, uint32_t particle)
{
    *c->conflict = (xpbd_conflict){what, c->bins->stage[bin], bin, particle};
    return false;
}

/* Every constraint has a lane of its own, in its bin, with its particles. */
static bool check_constraints(const check *c, const uint32_t *rank)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        for (uint32_t i = 0; i < c->tuples->first[type + 1] - c->tuples->first[type]; i++) {
            const uint32_t number = c->tuples->first[type] + i;
            const uint32_t bin = c->bins->of[number], slot = c->packing->slot[number];
            const uint32_t *p = xpbd_tuples_at(c->tuples, type, i);
            if (bin >= c->bins->n_bins || c->bins->type[bin] != type ||
                slot / XPBD_GROUP < c->packing->begin[bin] ||
                slot / XPBD_GROUP >= c->packing->end[bin]) {
                return fault(c, "a constraint is not in its bin", 0, rank[p[0]]);
            }
            if (c->used[type][slot]) {
                return fault(c, "two constraints are in one lane", bin, rank[p[0]]);
            }
            c->used[type][slot] = 1;
            for (uint32_t k = 0; k < c->tuples->n_corners[type]; k++) {
                if (c->streams[type].id[k][slot] != rank[p[k]]) {
                    return fault(c, "a lane has a particle of another constraint", bin,
                                 c->streams[type].id[k][slot]);
                }
            }
        }
    }
    return true;
}

static bool is_sink(const xpbd_store *store, uint32_t particle)
{
    return particle >= xpbd_store_sink(store, 0) && particle < store->n_slots &&
           particle % XPBD_GROUP == 0;
}

static bool check_lane(const check *c, uint32_t bin, uint32_t lane, bool disjoint)
{
    const uint32_t type = c->bins->type[bin], stage = c->bins->stage[bin];
    for (uint32_t k = 0; k < c->tuples->n_corners[type]; k++) {
        const uint32_t particle = c->streams[type].id[k][lane];
        const bool pad = !c->used[type][lane];
        if (particle >= c->store->n_slots || (pad && !is_sink(c->store, particle))) {
            return fault(c, "a pad lane has no sink", bin, particle);
        }
        const bool again = c->stage_of[particle] == stage + 1;
        if (disjoint && again && (!pad || c->bin_of[particle] != bin)) {
            return fault(c,
                         pad ? "a sink is shared by two blocks of a stage"
                             : "a particle is in two constraints of a stage",
                         bin, particle);
        }
        c->stage_of[particle] = stage + 1;
        c->bin_of[particle] = bin;
    }
    return true;
}

static bool alloc_check(check *c, xpbd_arena *scratch)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        c->used[type] =
            xpbd_arena_zero(scratch, (size_t)c->packing->n_groups[type] * XPBD_GROUP, 1);
    }
    c->stage_of = xpbd_arena_zero(scratch, c->store->n_slots, sizeof(uint32_t));
    c->bin_of = xpbd_arena_zero(scratch, c->store->n_slots, sizeof(uint32_t));
    return !scratch->failed;
}

bool xpbd_layout_validate(const xpbd_tuples *tuples, const uint32_t *rank, const xpbd_bins *bins,
                          const xpbd_packing *packing, const xpbd_store *store,
                          const xpbd_stream *streams, bool disjoint, xpbd_conflict *conflict,
                          xpbd_arena *scratch)
{
    check c = {.tuples = tuples,
               .bins = bins,
               .packing = packing,
               .store = store,
               .streams = streams,
               .conflict = conflict};
    *conflict = (xpbd_conflict){0};
    if (!alloc_check(&c, scratch)) {
        conflict->what = "out of memory";
        return false;
    }
    if (!check_constraints(&c, rank)) {
        return false;
    }
    for (uint32_t bin = 0; bin < bins->n_bins; bin++) {
        for (uint32_t g = packing->begin[bin]; g < packing->end[bin]; g++) {
            for (uint32_t lane = g * XPBD_GROUP; lane < (g + 1) * XPBD_GROUP; lane++) {
                if (!check_lane(&c, bin, lane, disjoint)) {
                    return false;
                }
            }
        }
    }
    return true;
}
