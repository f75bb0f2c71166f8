/* SPDX-License-Identifier: MIT
 *
 * The two partitions that need no colours.
 */
#include "layouts/partition.h"

static bool alloc_bins(xpbd_bins *bins, uint32_t n_bins, const xpbd_tuples *tuples,
                       xpbd_arena *arena)
{
    *bins = (xpbd_bins){.n_bins = n_bins, .n_stages = n_bins > 0};
    bins->of = xpbd_arena_alloc(arena, xpbd_tuples_count(tuples), sizeof(uint32_t));
    bins->type = xpbd_arena_alloc(arena, n_bins, sizeof(uint32_t));
    bins->stage = xpbd_arena_zero(arena, n_bins, sizeof(uint32_t));
    return !arena->failed;
}

bool xpbd_partition_sequence(const xpbd_tuples *tuples, xpbd_bins *bins, xpbd_arena *arena)
{
    if (!alloc_bins(bins, tuples->n_batches, tuples, arena)) {
        return false;
    }
    bins->ordered = true;
    for (uint32_t b = 0; b < tuples->n_batches; b++) {
        const xpbd_batch *batch = &tuples->batches[b];
        bins->type[b] = batch->type;
        for (uint32_t i = 0; i < batch->count; i++) {
            bins->of[tuples->first[batch->type] + batch->first + i] = b;
        }
    }
    return true;
}

bool xpbd_partition_free(const xpbd_tuples *tuples, xpbd_bins *bins, xpbd_arena *arena)
{
    uint32_t n_bins = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        n_bins += tuples->first[type + 1] > tuples->first[type];
    }
    if (!alloc_bins(bins, n_bins, tuples, arena)) {
        return false;
    }
    uint32_t bin = 0;
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        for (uint32_t k = tuples->first[type]; k < tuples->first[type + 1]; k++) {
            bins->of[k] = bin;
        }
        if (tuples->first[type + 1] > tuples->first[type]) {
            bins->type[bin++] = type;
        }
    }
    return true;
}
