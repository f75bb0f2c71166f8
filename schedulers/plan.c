/* SPDX-License-Identifier: MIT
 *
 * How a scheduler has parts of a plan run.
 */
#include "xpbd/scheduler.h"

void xpbd_plan_run(const xpbd_plan *plan, const xpbd_block *block, uint32_t begin, uint32_t end,
                   uint32_t iteration)
{
    plan->run(plan->solver, block, begin, end, iteration);
}

void xpbd_plan_run_stage(const xpbd_plan *plan, const xpbd_stage *stage, uint32_t begin,
                         uint32_t end, uint32_t iteration)
{
    uint32_t passed = 0; /* units of the blocks before */
    for (uint32_t b = stage->begin; b < stage->end && passed < end; b++) {
        const xpbd_block *block = &plan->blocks[b];
        const uint32_t n = block->end - block->begin;
        const uint32_t from = begin > passed ? begin - passed : 0;
        const uint32_t to = end - passed < n ? end - passed : n;
        if (from < to) {
            xpbd_plan_run(plan, block, block->begin + from, block->begin + to, iteration);
        }
        passed += n;
    }
}

/* How many of n units, each of this weight and the first at `passed`, have their middle before a
 * mark. */
static uint32_t units_before(uint32_t mark, uint32_t passed, uint32_t weight, uint32_t n)
{
    const uint32_t middle = passed + weight / 2;
    const uint32_t count = mark > middle ? (mark - middle - 1) / weight + 1 : 0;
    return count < n ? count : n;
}

void xpbd_plan_run_work(const xpbd_plan *plan, const xpbd_stage *stage, uint32_t begin,
                        uint32_t end, uint32_t iteration)
{
    uint32_t passed = 0; /* work of the blocks before */
    for (uint32_t b = stage->begin; b < stage->end && passed < end; b++) {
        const xpbd_block *block = &plan->blocks[b];
        const uint32_t n = block->end - block->begin;
        const uint32_t from = units_before(begin, passed, block->weight, n);
        const uint32_t to = units_before(end, passed, block->weight, n);
        if (from < to) {
            xpbd_plan_run(plan, block, block->begin + from, block->begin + to, iteration);
        }
        passed += n * block->weight;
    }
}

void xpbd_plan_run_strip(const xpbd_plan *plan, const xpbd_strip *strip, uint32_t iteration)
{
    for (uint32_t b = strip->begin; b < strip->end; b++) {
        const xpbd_block *block = &plan->blocks[b];
        xpbd_plan_run(plan, block, block->begin, block->end, iteration);
    }
}
