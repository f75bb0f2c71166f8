/* SPDX-License-Identifier: MIT
 *
 * Stage after stage with a barrier between them: Gauss-Seidel by colours or slabs, and Jacobi.
 */
#include "schedulers/schedulers.h"
#include "schedulers/team.h"

/* Lane groups that are worth another member: about 500 constraints, or half a microsecond, which is
 * what a barrier costs when the two cores do not share a cache. */
enum { WORK_PER_MEMBER = 32 };

/* This member's strips, or its part of the blocks. */
static void run_part(const xpbd_plan *plan, const xpbd_stage *stage, const xpbd_member *member,
                     bool alone, uint32_t iteration)
{
    const uint32_t n_strips = stage->strip_end - stage->strip_begin;
    if (n_strips > 0) {
        const xpbd_range range = xpbd_member_slice(member, n_strips, alone ? UINT32_MAX : 1);
        for (uint32_t s = range.begin; s < range.end; s++) {
            xpbd_plan_run_strip(plan, &plan->strips[stage->strip_begin + s], iteration);
        }
    } else {
        const xpbd_range range =
            xpbd_member_slice(member, stage->work, alone ? UINT32_MAX : WORK_PER_MEMBER);
        xpbd_plan_run_work(plan, stage, range.begin, range.end, iteration);
    }
}

void xpbd_sched_run_staged(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    bool alone_before = true;
    bool first = true;
    for (uint32_t iteration = 0; iteration < iterations; iteration++) {
        for (uint32_t s = 0; s < plan->n_stages; s++) {
            const xpbd_stage *stage = &plan->stages[s];
            const bool alone =
                stage->work < 2 * WORK_PER_MEMBER || stage->strip_end - stage->strip_begin == 1;
            if (!first && !(alone && alone_before)) {
                xpbd_member_barrier(member);
            }
            run_part(plan, stage, member, alone, iteration);
            alone_before = alone;
            first = false;
        }
    }
}
