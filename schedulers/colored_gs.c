/* SPDX-License-Identifier: MIT
 *
 * colored-gs: Gauss-Seidel by the colours of a greedy colouring. The constraints of a colour share
 * no particle, so they run in vectors and on all threads; a barrier separates colours.
 */
#include "schedulers/schedulers.h"

extern const xpbd_scheduler xpbd_scheduler_colored_gs;
const xpbd_scheduler xpbd_scheduler_colored_gs = {
    XPBD_SCHEDULER_COOKIE,
    "colored-gs",
    "Gauss-Seidel by greedy colours, all threads, one barrier per colour",
    XPBD_PARTITION_COLORS,
    XPBD_UPDATE_IN_PLACE,
    xpbd_sched_run_staged,
};
