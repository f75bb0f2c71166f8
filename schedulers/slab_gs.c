/* SPDX-License-Identifier: MIT
 *
 * slab-gs: Gauss-Seidel by regions of the mesh that are fixed whatever the number of threads: all
 * that is inside a slab by one thread, then what joins two slabs. What a thread touches stays in
 * its cache from one iteration to the next.
 */
#include "schedulers/schedulers.h"

extern const xpbd_scheduler xpbd_scheduler_slab_gs;
const xpbd_scheduler xpbd_scheduler_slab_gs = {
    XPBD_SCHEDULER_COOKIE,
    "slab-gs",
    "Gauss-Seidel by slabs of the mesh, coloured in chunks; a slab waits for its neighbours alone",
    XPBD_PARTITION_SLABS,
    XPBD_UPDATE_IN_PLACE,
    xpbd_sched_run_wave,
};
