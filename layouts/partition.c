/* SPDX-License-Identifier: MIT
 *
 * The two partitions that need no colours.
 */
#include "layouts/partition.h"

bool xpbd_partition_sequence(const xpbd_tuples *tuples, xpbd_bins *bins, xpbd_arena *arena)
{
    if (!xpbd_bins_init(bins, tuples, arena)) {
        return false;
    }
    bins->ordered = true;
    for (uint32_t b = 0; b < tuples->n_batches; b++) {
        const xpbd_batch *batch = &tuples->batches[b];
        const uint32_t bin = xpbd_bins_add(bins, batch->type, 0, XPBD_NO_STRIP, XPBD_RUN_NONE);
        for (uint32_t i = 0; i < batch->count; i++) {
            bins->of[tuples->first[batch->type] + batch->first + i] = bin;
        }
    }
    return !arena->failed;
}

bool xpbd_partition_free(const xpbd_tuples *tuples, xpbd_bins *bins, xpbd_arena *arena)
{
    if (!xpbd_bins_init(bins, tuples, arena)) {
        return false;
    }
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        if (tuples->first[type + 1] == tuples->first[type]) {
            continue;
        }
        const uint32_t bin = xpbd_bins_add(bins, type, 0, XPBD_NO_STRIP, XPBD_RUN_NONE);
        for (uint32_t k = tuples->first[type]; k < tuples->first[type + 1]; k++) {
            bins->of[k] = bin;
        }
    }
    return !arena->failed;
}
