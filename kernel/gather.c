/* SPDX-License-Identifier: MIT
 *
 * The second half of a Jacobi iteration: every particle adds up the corrections of its own
 * constraints, in a fixed order and without atomics, and moves by omega / n of their sum. With
 * the masses split n-fold the weight that made the corrections was n w, and omega / n undoes that.
 */
#include "kernel/project.h"

extern xpbd_gather_fn XPBD_KERNEL_NAME(gather);

XPBD_INLINE void move(const xpbd_store *store, uint32_t i, q4 correction)
{
    _Alignas(16) float d[4];
    q_store(d, correction);
    for (uint32_t c = 0; c < 3; c++) {
        float *x = xpbd_store_at(store, store->position, i, c);
        *x = *x + d[c];
    }
}

void XPBD_KERNEL_NAME(gather)(const xpbd_store *store, const xpbd_pass *pass, const uint32_t *first,
                              const uint32_t *slot, uint32_t begin, uint32_t end)
{
    const uint32_t last = end * XPBD_GROUP < store->n ? end * XPBD_GROUP : store->n;
    for (uint32_t i = begin * XPBD_GROUP; i < last; i++) {
        const uint32_t n = first[i + 1] - first[i];
        if (n == 0) {
            continue;
        }
        q4 sum = q_zero();
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            sum = q_add(sum, q_load(store->correction + 4 * (size_t)slot[k]));
        }
        move(store, i, q_scale(sum, pass->relaxation / (float)n));
    }
}
