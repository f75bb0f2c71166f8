/* SPDX-License-Identifier: MIT
 *
 * Stage after stage with a barrier between them: Gauss-Seidel by colours or slabs, and Jacobi.
 */
#include "schedulers/schedulers.h"
#include "schedulers/team.h"

/* Lane groups that are worth another member: about 500 constraints, or half a microsecond, which is
 * what a barrier costs when the two cores do not share a cache. */
enum { WORK_PER_MEMBER = 32 };

/* One iteration of one stage. */
typedef struct part {
    const xpbd_plan *plan;
    const xpbd_stage *stage;
    uint32_t iteration;
} part;

static void run_strips(void *context, uint32_t begin, uint32_t end)
{
    const part *p = context;
    for (uint32_t s = begin; s < end; s++) {
        xpbd_plan_run_strip(p->plan, &p->plan->strips[p->stage->strip_begin + s], p->iteration);
    }
}

static void run_work(void *context, uint32_t begin, uint32_t end)
{
    const part *p = context;
    xpbd_plan_run_work(p->plan, p->stage, begin, end, p->iteration);
}

void xpbd_sched_run_staged(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations)
{
    bool alone_before = true;
    bool first = true;
    for (uint32_t iteration = 0; iteration < iterations; iteration++) {
        for (uint32_t s = 0; s < plan->n_stages; s++) {
            const xpbd_stage *stage = &plan->stages[s];
            const uint32_t n_strips = stage->strip_end - stage->strip_begin;
            const bool alone = stage->work < 2 * WORK_PER_MEMBER || n_strips == 1;
            part p = {plan, stage, iteration};
            if (!first && !(alone && alone_before)) {
                xpbd_member_barrier(member);
            }
            if (n_strips > 0) {
                xpbd_member_share(member, n_strips, alone ? UINT32_MAX : 1, run_strips, &p);
            } else {
                xpbd_member_share(member, stage->work, alone ? UINT32_MAX : WORK_PER_MEMBER,
                                  run_work, &p);
            }
            alone_before = alone;
            first = false;
        }
    }
}

uint32_t xpbd_sched_useful(const xpbd_plan *plan)
{
    uint32_t most = 1;
    for (uint32_t s = 0; s < plan->n_stages; s++) {
        const xpbd_stage *stage = &plan->stages[s];
        const uint32_t n_strips = stage->strip_end - stage->strip_begin;
        const uint32_t parts = stage->work < 2 * WORK_PER_MEMBER ? 1
                               : n_strips > 0                    ? n_strips
                                                                 : stage->work / WORK_PER_MEMBER;
        most = parts > most ? parts : most;
    }
    return most;
}
