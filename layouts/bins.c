/* SPDX-License-Identifier: MIT
 *
 * The list of bins that a partition makes.
 */
#include "layouts/partition.h"

#include <string.h>

/* The old copy stays in the arena: all of them together are no more than the last one. */
static bool grow(uint32_t **array, uint32_t used, uint32_t capacity, xpbd_arena *arena)
{
    uint32_t *larger = xpbd_arena_alloc(arena, capacity, sizeof *larger);
    if (larger && used > 0) {
        memcpy(larger, *array, used * sizeof *larger);
    }
    *array = larger ? larger : *array;
    return larger;
}

bool xpbd_bins_init(xpbd_bins *bins, const xpbd_tuples *tuples, xpbd_arena *arena)
{
    *bins = (xpbd_bins){.n_places = tuples->n_particles, .arena = arena};
    bins->of = xpbd_arena_alloc(arena, xpbd_tuples_count(tuples), sizeof(uint32_t));
    return bins->of;
}

uint32_t xpbd_bins_add(xpbd_bins *bins, uint32_t type, uint32_t stage, uint32_t strip,
                       xpbd_run_kind run)
{
    if (bins->n_bins == bins->capacity) {
        const uint32_t capacity = bins->capacity ? 2 * bins->capacity : 64;
        if (!grow(&bins->type, bins->n_bins, capacity, bins->arena) ||
            !grow(&bins->stage, bins->n_bins, capacity, bins->arena) ||
            !grow(&bins->strip, bins->n_bins, capacity, bins->arena) ||
            !grow(&bins->run, bins->n_bins, capacity, bins->arena)) {
            return XPBD_NO_BIN;
        }
        bins->capacity = capacity;
    }
    bins->type[bins->n_bins] = type;
    bins->stage[bins->n_bins] = stage;
    bins->strip[bins->n_bins] = strip;
    bins->run[bins->n_bins] = run;
    bins->n_stages = stage + 1 > bins->n_stages ? stage + 1 : bins->n_stages;
    return bins->n_bins++;
}
