/* SPDX-License-Identifier: MIT
 *
 * base/topology.h without hwloc, for programs that are run under an emulator: as many threads as
 * are asked for, no binding.
 */
#include "base/topology.h"

const char *xpbd_topology_pinning_name(uint32_t index)
{
    return index == 0 ? "none" : NULL;
}

void xpbd_topology_plan_threads(const xpbd_topology_limits *limits, int32_t requested,
                                uint32_t pinning, xpbd_topology_plan *plan)
{
    (void)limits;
    (void)pinning;
    *plan = (xpbd_topology_plan){.n_threads = 1, .n_usable = 1, .binding = "unavailable"};
    if (requested > 0) {
        plan->n_threads = requested < XPBD_THREADS_MAX ? (uint32_t)requested : XPBD_THREADS_MAX;
        plan->oversubscribed = requested > 1;
    }
}

xpbd_topology_limits xpbd_topology_system_limits(void)
{
    return (xpbd_topology_limits){.n_cpus = 1, .n_openmp = 1};
}

void xpbd_topology_save_mask(xpbd_topology_mask *mask)
{
    mask->ok = false;
}

bool xpbd_topology_restore_mask(const xpbd_topology_mask *mask)
{
    (void)mask;
    return false;
}

bool xpbd_topology_bind_self(int32_t cpu, const xpbd_topology_mask *within)
{
    (void)cpu;
    (void)within;
    return false;
}
