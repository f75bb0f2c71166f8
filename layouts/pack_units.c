/* SPDX-License-Identifier: MIT
 *
 * Units of variable size: where their elements and points are, and which elements meet in a point.
 * All of it is in the order in which the caller named elements, so that sums over a constraint do
 * not depend on the order of particles in memory.
 */
#include "layouts/pack.h"

static uint32_t groups_of(uint32_t n)
{
    return (n + XPBD_GROUP - 1) / XPBD_GROUP;
}

/* n[] to where the groups of every unit begin. */
static uint32_t *place_groups(const uint32_t *n, uint32_t n_units, xpbd_arena *arena)
{
    uint32_t *first = xpbd_arena_zero(arena, (size_t)n_units + 1, sizeof *first);
    for (uint32_t u = 0; first && u < n_units; u++) {
        first[u + 1] = first[u] + groups_of(n[u]);
    }
    return first;
}

/* Number the particles of every constraint in the order in which it names them. */
static bool find_points(const xpbd_tuples *tuples, uint32_t type, const uint32_t *slot,
                        xpbd_units *units, xpbd_arena *scratch)
{
    const uint32_t corners = tuples->n_corners[type];
    uint32_t *owner = xpbd_arena_zero(scratch, tuples->n_particles, sizeof *owner); /* plus 1 */
    uint32_t *point = xpbd_arena_alloc(scratch, tuples->n_particles, sizeof *point);
    if (!owner || !point) {
        return false;
    }
    for (uint32_t i = 0; i < xpbd_tuples_of(tuples, type); i++) {
        uint32_t n, n_points = 0;
        const uint32_t *p = xpbd_tuples_at(tuples, type, i, &n);
        const uint32_t lane = units->first_group[slot[i]] * XPBD_GROUP;
        for (uint32_t k = 0; k < n; k++) {
            if (owner[p[k]] != i + 1) {
                owner[p[k]] = i + 1;
                point[p[k]] = n_points++;
            }
            units->corner[k % corners][lane + k / corners] = point[p[k]];
        }
        units->n_points[slot[i]] = n_points;
    }
    return true;
}

/* A counting sort of corners by point. */
static bool list_uses(xpbd_units *units, uint32_t corners, uint32_t n_units, xpbd_arena *arena,
                      xpbd_arena *scratch)
{
    const size_t n_lanes = (size_t)units->first_point_group[n_units] * XPBD_GROUP;
    const size_t n_corners = (size_t)units->first_group[n_units] * XPBD_GROUP * corners;
    uint32_t *place = xpbd_arena_alloc(scratch, n_lanes, sizeof *place);
    units->first_use = xpbd_arena_zero(arena, n_lanes + 1, sizeof(uint32_t));
    units->use = xpbd_arena_alloc(arena, n_corners, sizeof(uint32_t));
    if (!place || !units->first_use || !units->use) {
        return false;
    }
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t u = 0; u < n_units; u++) {
            const uint32_t lane = units->first_group[u] * XPBD_GROUP;
            const uint32_t first = units->first_point_group[u] * XPBD_GROUP;
            for (uint32_t k = 0; k < units->n[u] * corners; k++) {
                const uint32_t point = first + units->corner[k % corners][lane + k / corners];
                if (fill) {
                    units->use[place[point]++] = k / corners;
                } else {
                    units->first_use[point + 1]++;
                }
            }
        }
        for (size_t k = 0; k < n_lanes && !fill; k++) {
            units->first_use[k + 1] += units->first_use[k];
            place[k] = units->first_use[k];
        }
    }
    return true;
}

bool xpbd_pack_units(const xpbd_tuples *tuples, uint32_t type, const xpbd_packing *packing,
                     xpbd_units *units, xpbd_arena *arena, xpbd_arena *scratch)
{
    const uint32_t corners = tuples->n_corners[type], n_units = packing->n_groups[type];
    const uint32_t *slot = packing->slot + tuples->first[type];
    *units = (xpbd_units){.n = xpbd_arena_zero(arena, n_units, sizeof(uint32_t)),
                          .n_points = xpbd_arena_zero(arena, n_units, sizeof(uint32_t))};
    if (arena->failed) {
        return false;
    }
    for (uint32_t i = 0; i < n_units; i++) {
        uint32_t n;
        xpbd_tuples_at(tuples, type, i, &n);
        units->n[slot[i]] = n / corners;
    }
    units->first_group = place_groups(units->n, n_units, arena);
    if (!units->first_group) {
        return false;
    }
    const size_t n_lanes = (size_t)units->first_group[n_units] * XPBD_GROUP;
    for (uint32_t c = 0; c < corners; c++) {
        units->corner[c] = xpbd_arena_zero(arena, n_lanes, sizeof(uint32_t));
    }
    if (arena->failed || !find_points(tuples, type, slot, units, scratch)) {
        return false;
    }
    units->first_point_group = place_groups(units->n_points, n_units, arena);
    if (!units->first_point_group || !list_uses(units, corners, n_units, arena, scratch)) {
        return false;
    }
    const size_t n_points = (size_t)units->first_point_group[n_units] * XPBD_GROUP;
    units->point = xpbd_arena_zero(arena, n_points, sizeof(uint32_t));
    units->element_scratch = xpbd_arena_zero(arena, 4 * n_lanes, sizeof(float));
    units->point_scratch[0] = xpbd_arena_zero(arena, 4 * n_points, sizeof(float));
    units->point_scratch[1] = xpbd_arena_zero(arena, 4 * n_points, sizeof(float));
    units->state = xpbd_arena_zero(arena, 4 * (size_t)n_units, sizeof(double));
    return !arena->failed;
}
