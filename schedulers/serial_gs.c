/* SPDX-License-Identifier: MIT
 *
 * serial-gs: constraints one after the other in the order in which the caller added them. The
 * reference that the others are measured against.
 */
#include "schedulers/schedulers.h"

static void solve(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    if (member->index != 0) {
        return;
    }
    for (uint32_t iteration = 0; iteration < iterations; iteration++) {
        for (uint32_t s = 0; s < plan->n_stages; s++) {
            xpbd_plan_run_stage(plan, &plan->stages[s], 0, plan->stages[s].n_units, iteration);
        }
    }
}

extern const xpbd_scheduler xpbd_scheduler_serial_gs;
const xpbd_scheduler xpbd_scheduler_serial_gs = {
    XPBD_SCHEDULER_COOKIE,
    "serial-gs",
    "Gauss-Seidel in the order of addition, one thread, one lane: the reference",
    XPBD_PARTITION_SEQUENCE,
    XPBD_UPDATE_IN_PLACE,
    solve,
};
