/* SPDX-License-Identifier: MIT
 *
 * Steps that are limited in time. One member looks at the clock for all, or some would go on and
 * wait at a barrier for ever.
 */
#include "solver/budget.h"
#include "solver/record.h"

#include "base/clock.h"

bool xpbd_budget_is_over(xpbd_world *world, xpbd_member *member, uint32_t substep)
{
    xpbd_budget *budget = &world->budget;
    if (member->index == 0) {
        const double share = 1e-6 * budget->microseconds / world->substeps;
        budget->late = xpbd_clock_seconds() - budget->begin >= share * (substep + 1);
        world->progress.n_late += budget->late;
    }
    xpbd_member_barrier(member);
    return budget->late;
}

void xpbd_budget_solve(xpbd_world *world, xpbd_member *member, uint32_t substep)
{
    const uint32_t most = world->iterations;
    uint32_t done = 0;
    bool over = false;
    while (done < most && !over) {
        world->scheduler->solve(done ? &world->build.plan_later : &world->build.plan, member, 1);
        xpbd_member_barrier(member);
        done++;
        over = done < most && xpbd_budget_is_over(world, member, substep);
    }
    if (member->index == 0) {
        world->progress.n_iterations += done;
    }
}

xpbd_status xpbd_world_set_budget(xpbd_world *world, uint32_t microseconds)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    XPBD_TRY(xpbd_check_outside(world));
    if (microseconds > 0 && xpbd_record_is_on(world)) {
        return xpbd_fail(world, XPBD_ERROR_BUDGET, -1, 0, microseconds,
                         "a step of at most %u us has a result that depends on the machine, and a "
                         "record is being made",
                         microseconds);
    }
    world->budget.microseconds = microseconds;
    return XPBD_OK;
}

xpbd_status xpbd_world_read_report(const xpbd_world *world, xpbd_step_report *report)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    if (!report) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "report is null");
    }
    const xpbd_progress *progress = &world->progress;
    const xpbd_guarded *guarded = &progress->guarded;
    *report = (xpbd_step_report){.seconds = progress->seconds,
                                 .threads = progress->n_threads,
                                 .substeps = progress->n_substeps,
                                 .iterations = progress->n_iterations,
                                 .n_late = progress->n_late,
                                 .n_unfinished = progress->n_unfinished,
                                 .sweep_residual = (double)progress->residual,
                                 .n_guarded = guarded->n,
                                 .guard_substep = guarded->substep,
                                 .guard_particle = guarded->particle,
                                 .guard_speed = guarded->speed,
                                 .guard_force = guarded->force,
                                 .guard_type = guarded->n > 0 ? guarded->type : -1,
                                 .guard_index = guarded->index,
                                 .guard_pull = guarded->pull};
    return XPBD_OK;
}
