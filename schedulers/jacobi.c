/* SPDX-License-Identifier: MIT
 *
 * jacobi: every constraint is projected from the same positions, then every particle gathers the
 * mean of its corrections, times omega. Two barriers an iteration whatever the mesh, no atomics. A
 * mean over differing numbers of constraints does not keep momentum; jacobi-mass-splitting does.
 * [UNIFIED14] sec. 4.2.
 */
#include "schedulers/schedulers.h"

extern const xpbd_scheduler xpbd_scheduler_jacobi;
const xpbd_scheduler xpbd_scheduler_jacobi = {
    XPBD_SCHEDULER_COOKIE,
    "jacobi",
    "Jacobi, each particle moved by omega times the mean of its corrections",
    XPBD_PARTITION_FREE,
    XPBD_UPDATE_AVERAGED,
    xpbd_sched_run_staged,
};
