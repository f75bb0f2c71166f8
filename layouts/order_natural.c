/* SPDX-License-Identifier: MIT
 *
 * natural: as the caller numbered them. Meshes from generators are often good already.
 */
#include "layouts/order.h"

bool xpbd_order_natural(const xpbd_tuples *tuples, uint32_t *rank, xpbd_arena *scratch)
{
    (void)scratch;
    for (uint32_t i = 0; i < tuples->n_particles; i++) {
        rank[i] = i;
    }
    return true;
}
