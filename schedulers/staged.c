/* SPDX-License-Identifier: MIT
 *
 * Stage after stage with a barrier between them: coloured Gauss-Seidel and Jacobi alike.
 */
#include "schedulers/schedulers.h"
#include "schedulers/team.h"

/* Lane groups that are worth another member: about 500 constraints, or half a microsecond, which is
 * what a barrier costs when the two cores do not share a cache. */
enum { UNITS_PER_MEMBER = 32 };

void xpbd_sched_run_staged(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    bool alone_before = true;
    bool first = true;
    for (uint32_t iteration = 0; iteration < iterations; iteration++) {
        for (uint32_t s = 0; s < plan->n_stages; s++) {
            const xpbd_stage *stage = &plan->stages[s];
            const bool alone = stage->n_units < 2 * UNITS_PER_MEMBER;
            if (!first && !(alone && alone_before)) {
                xpbd_member_barrier(member);
            }
            const xpbd_range range =
                xpbd_member_slice(member, stage->n_units, alone ? UINT32_MAX : UNITS_PER_MEMBER);
            xpbd_plan_run_stage(plan, stage, range.begin, range.end, iteration);
            alone_before = alone;
            first = false;
        }
    }
}
