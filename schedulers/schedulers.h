/* SPDX-License-Identifier: MIT
 *
 * The rows of schedulers.def, and the runners that they share.
 */
#ifndef XPBD_SCHEDULERS_SCHEDULERS_H
#define XPBD_SCHEDULERS_SCHEDULERS_H

#include "xpbd/scheduler.h"

/** Find a scheduler by its place in schedulers.def; null past the last. */
const xpbd_scheduler *xpbd_sched_row(uint32_t index);

/** Run all stages of an unordered plan `iterations` times, every stage divided over the team. A
 *  stage that is too small to be worth dividing is run by fewer members, or by the first alone;
 *  between two of those no barrier is needed. */
void xpbd_sched_run_staged(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations);

/** Run a plan of slabs without stages: a slab goes on when its neighbours are far enough. The bits
 *  are the same. Other plans, and those of a host's tasks, are run stage after stage. */
void xpbd_sched_run_wave(const xpbd_plan *plan, xpbd_member *member, uint32_t iterations);

/** Tell how many members can have a part of some stage of a plan, as the above divides it. */
uint32_t xpbd_sched_useful(const xpbd_plan *plan);

#endif
