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
    uint8_t *used[XPBD_CONSTRAINT_TYPE_COUNT]; /* [lane or unit] by a constraint */
    uint32_t *stage_of;                        /* [slot] last stage that had it, plus 1 */
    uint32_t *bin_of;                          /* [slot] last bin that had it */
    uint32_t *unit_of;                         /* [slot] last unit that had it */
    uint32_t *slab_of, *edge_of; /* [slot] slab that has it inside, and the first of the two that a
                                    strip joins at it, plus 1; null without slabs */
    xpbd_conflict *conflict;
} check;

static bool fault(const check *c, const char *what, uint32_t bin, uint32_t particle)
{
    *c->conflict = (xpbd_conflict){what, c->bins->stage[bin], bin, particle};
    return false;
}

static bool is_sink(const check *c, uint32_t particle)
{
    return particle >= xpbd_store_sink(c->store, 0) && particle < c->store->n_slots &&
           particle < xpbd_store_sink(c->store, c->packing->n_sinks) && particle % XPBD_GROUP == 0;
}

static bool is_copy(const check *c, uint32_t id)
{
    return id < c->store->n_slots && id >= c->packing->first_copy &&
           id - c->packing->first_copy < c->packing->n_copies;
}

/* Hubs have only their copies in lanes, and the others none. */
static bool holds(const check *c, uint32_t id, uint32_t particle, const uint32_t *rank)
{
    return xpbd_tuples_joins(c->tuples, particle)
               ? id == rank[particle]
               : is_copy(c, id) &&
                     c->packing->copied[id - c->packing->first_copy] == rank[particle];
}

/* The lane or unit of a constraint is in its bin and holds its particles. */
static bool check_constraint(const check *c, uint32_t type, uint32_t i, const uint32_t *rank)
{
    const xpbd_stream *stream = &c->streams[type];
    const uint32_t number = c->tuples->first[type] + i, corners = c->tuples->n_corners[type];
    const uint32_t bin = c->bins->of[number], slot = c->packing->slot[number];
    const uint32_t unit = stream->units ? slot : slot / XPBD_GROUP;
    uint32_t n;
    const uint32_t *p = xpbd_tuples_at(c->tuples, type, i, &n);
    if (bin >= c->bins->n_bins || c->bins->type[bin] != type || unit < c->packing->begin[bin] ||
        unit >= c->packing->end[bin]) {
        return fault(c, "a constraint is not in its bin", 0, rank[p[0]]);
    }
    if (c->used[type][slot]) {
        return fault(c, "two constraints are in one lane", bin, rank[p[0]]);
    }
    c->used[type][slot] = 1;
    if (stream->units && stream->units->n[slot] != n / corners) {
        return fault(c, "a unit is not as large as its constraint", bin, rank[p[0]]);
    }
    const uint32_t lane = stream->units ? stream->units->first_group[slot] * XPBD_GROUP : slot;
    for (uint32_t k = 0; k < n; k++) {
        if (!holds(c, stream->id[k % corners][lane + k / corners], p[k], rank)) {
            return fault(c, "a lane has a particle of another constraint", bin,
                         stream->id[k % corners][lane + k / corners]);
        }
    }
    return true;
}

static bool check_constraints(const check *c, const uint32_t *rank)
{
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        for (uint32_t i = 0; i < xpbd_tuples_of(c->tuples, type); i++) {
            if (!check_constraint(c, type, i, rank)) {
                return false;
            }
        }
    }
    return true;
}

/* A particle that this stage had before may be there again in the same strip, where everything but
 * the lanes of a group is done in sequence. */
static bool in_sequence(const check *c, uint32_t bin, uint32_t unit, uint32_t particle)
{
    const uint32_t before = c->bin_of[particle], strip = c->bins->strip[bin];
    return strip != XPBD_NO_STRIP && c->bins->strip[before] == strip &&
           !(before == bin && c->unit_of[particle] == unit);
}

/* Slabs are not in step: between two that are no neighbours nothing may be in common. */
static bool check_slab(const check *c, uint32_t bin, uint32_t particle)
{
    const uint32_t n = c->bins->n_slabs, strip = c->bins->strip[bin];
    if (n == 0) {
        return true;
    }
    if (strip < n) {
        c->slab_of[particle] = strip + 1;
    } else {
        c->edge_of[particle] = strip - n + 1;
    }
    const uint32_t slab = c->slab_of[particle], edge = c->edge_of[particle];
    const bool neighbors = particle < c->store->n && (slab == edge || slab == edge + 1);
    return slab == 0 || edge == 0 || neighbors
               ? true
               : fault(c, "two strips that may run at the same time share a particle", bin,
                       particle);
}

/* The lanes of a unit may read the same copy of a hub: nothing moves it. */
static bool is_own_copy(const check *c, uint32_t bin, uint32_t unit, uint32_t particle)
{
    return is_copy(c, particle) && c->bin_of[particle] == bin && c->unit_of[particle] == unit;
}

static bool check_lane(const check *c, uint32_t bin, uint32_t lane, bool disjoint)
{
    const uint32_t type = c->bins->type[bin], stage = c->bins->stage[bin];
    for (uint32_t k = 0; k < c->tuples->n_corners[type]; k++) {
        const uint32_t particle = c->streams[type].id[k][lane];
        const bool pad = !c->used[type][lane];
        if (particle >= c->store->n_slots || (pad && !is_sink(c, particle))) {
            return fault(c, "a pad lane has no sink", bin, particle);
        }
        const bool again = c->stage_of[particle] == stage + 1;
        const uint32_t unit = lane / XPBD_GROUP;
        if (disjoint && again && !in_sequence(c, bin, unit, particle) &&
            !is_own_copy(c, bin, unit, particle) && (!pad || c->bin_of[particle] != bin)) {
            return fault(c,
                         pad ? "a sink is shared by two blocks of a stage"
                             : "a particle is in two constraints of a stage",
                         bin, particle);
        }
        c->stage_of[particle] = stage + 1;
        c->bin_of[particle] = bin;
        c->unit_of[particle] = unit;
        if (disjoint && !check_slab(c, bin, particle)) {
            return false;
        }
    }
    return true;
}

/* Units read the points that their elements name, and write no others. */
static bool check_point(const check *c, uint32_t bin, uint32_t unit, uint32_t lane, bool disjoint)
{
    const xpbd_units *units = c->streams[c->bins->type[bin]].units;
    const uint32_t stage = c->bins->stage[bin], particle = units->point[lane];
    if (lane - units->first_point_group[unit] * XPBD_GROUP >= units->n_points[unit]) {
        return particle < c->store->n_slots && is_sink(c, particle)
                   ? true
                   : fault(c, "a pad lane has no sink", bin, particle);
    }
    const bool again = particle < c->store->n_slots && c->stage_of[particle] == stage + 1;
    if ((particle >= c->store->n && !is_copy(c, particle)) ||
        (again && c->bin_of[particle] == bin && c->unit_of[particle] == unit)) {
        return fault(c, "a point is no particle, or one twice", bin, particle);
    }
    if (disjoint && again && !in_sequence(c, bin, unit, particle)) {
        return fault(c, "a particle is in two constraints of a stage", bin, particle);
    }
    c->stage_of[particle] = stage + 1;
    c->bin_of[particle] = bin;
    c->unit_of[particle] = unit;
    return !disjoint || check_slab(c, bin, particle);
}

/* Every corner is the point that it says, so that what a unit moves is what its points are. */
static bool check_unit(const check *c, uint32_t bin, uint32_t unit, bool disjoint)
{
    const uint32_t type = c->bins->type[bin];
    const xpbd_stream *stream = &c->streams[type];
    const xpbd_units *units = stream->units;
    const uint32_t point = units->first_point_group[unit] * XPBD_GROUP;
    const uint32_t lane = units->first_group[unit] * XPBD_GROUP;
    for (uint32_t k = point; k < units->first_point_group[unit + 1] * XPBD_GROUP; k++) {
        if (!check_point(c, bin, unit, k, disjoint)) {
            return false;
        }
    }
    for (uint32_t corner = 0; corner < c->tuples->n_corners[type]; corner++) {
        for (uint32_t k = lane; k < units->first_group[unit + 1] * XPBD_GROUP; k++) {
            const uint32_t at = units->corner[corner][k], id = stream->id[corner][k];
            const bool pad = k - lane >= units->n[unit];
            if (pad ? at != 0 || id >= c->store->n_slots || !is_sink(c, id)
                    : at >= units->n_points[unit] || units->point[point + at] != id) {
                return fault(c, "a corner is not the point that it says", bin, id);
            }
        }
    }
    return true;
}

/* Registers of a run are read as a whole: lanes k, k + 4, k + 8 and k + 12. */
static bool check_run(const check *c, uint32_t bin, uint32_t unit)
{
    const uint32_t type = c->bins->type[bin];
    const xpbd_run_kind kind = (xpbd_run_kind)c->bins->run[bin];
    for (uint32_t corner = 0; corner < c->tuples->n_corners[type]; corner++) {
        const uint32_t *id = c->streams[type].id[corner] + unit * XPBD_GROUP;
        for (uint32_t lane = 0; lane < XPBD_GROUP; lane++) {
            const uint32_t a = c->streams[type].id[0][unit * XPBD_GROUP + lane];
            const uint32_t apart = kind == XPBD_RUN_ZIPPED ? 1 : 2;
            if (id[lane] >= c->store->n ||
                id[lane] != id[lane % 4] + xpbd_run_offset(kind, lane / 4) ||
                (kind != XPBD_RUN_ROWS && corner == 1 && id[lane] != a + apart)) {
                return fault(c, "a run has a particle that does not follow", bin, id[lane]);
            }
        }
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
    c->unit_of = xpbd_arena_zero(scratch, c->store->n_slots, sizeof(uint32_t));
    if (c->bins->n_slabs > 0) {
        c->slab_of = xpbd_arena_zero(scratch, c->store->n_slots, sizeof(uint32_t));
        c->edge_of = xpbd_arena_zero(scratch, c->store->n_slots, sizeof(uint32_t));
    }
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
        const bool variable = streams[bins->type[bin]].units;
        const bool apart = disjoint && bin < bins->n_bins - bins->n_idle;
        for (uint32_t unit = packing->begin[bin]; unit < packing->end[bin]; unit++) {
            if ((variable && !check_unit(&c, bin, unit, apart)) ||
                (bins->run[bin] != XPBD_RUN_NONE && !check_run(&c, bin, unit))) {
                return false;
            }
            for (uint32_t lane = unit * XPBD_GROUP; !variable && lane < (unit + 1) * XPBD_GROUP;
                 lane++) {
                if (!check_lane(&c, bin, lane, apart)) {
                    return false;
                }
            }
        }
    }
    return true;
}
