/* SPDX-License-Identifier: MIT
 *
 * Which thread counts. Threads take one processor of each core first, so that a count means: of the
 * fast cores, of the cores of a cache, of a package, of all cores, and then their siblings.
 */
#include "bench/study.h"

#include <hwloc.h>
#include <string.h>

#include "base/topology.h"

static void insert(bench_ladder *ladder, uint32_t threads, const char *why)
{
    if (threads < 1 || threads > ladder->usable)
        return;
    size_t at = 0;
    while (at < ladder->n && ladder->threads[at] < threads)
        at++;
    if (at < ladder->n && ladder->threads[at] == threads) {
        if (ladder->why[at][0] == '\0')
            ladder->why[at] = why;
        return;
    }
    if (ladder->n == BENCH_LADDER_MOST)
        return;
    memmove(ladder->threads + at + 1, ladder->threads + at,
            (ladder->n - at) * sizeof *ladder->threads);
    memmove(ladder->why + at + 1, ladder->why + at, (ladder->n - at) * sizeof *ladder->why);
    ladder->threads[at] = threads;
    ladder->why[at] = why;
    ladder->n++;
}

/* Cores of a set; of a topology that knows no cores its processors. */
static uint32_t cores_in(hwloc_topology_t topology, hwloc_const_cpuset_t set)
{
    const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_CORE);
    return cores > 0 ? (uint32_t)cores : (uint32_t)hwloc_bitmap_weight(set);
}

static uint32_t cores_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, 0);
    return object != NULL ? cores_in(topology, object->cpuset) : 0;
}

/* Cores of the fastest kind; 0 where all are alike. */
static uint32_t fast_cores(hwloc_topology_t topology)
{
    uint32_t cores = 0;
#if HWLOC_API_VERSION >= 0x00020400
    const int n = hwloc_cpukinds_get_nr(topology, 0);
    hwloc_bitmap_t kind = hwloc_bitmap_alloc();
    int efficiency = -1;
    if (n > 1 && kind != NULL &&
        hwloc_cpukinds_get_info(topology, (unsigned)n - 1, kind, &efficiency, NULL, NULL, 0) == 0 &&
        efficiency >= 0)
        cores = cores_in(topology, kind);
    hwloc_bitmap_free(kind);
#else
    (void)topology;
#endif
    return cores;
}

void bench_ladder_make(struct hwloc_topology *topology, uint32_t n_cpus, uint32_t quota,
                       bench_ladder *ladder)
{
    *ladder = (bench_ladder){.quota = quota};
    const int pus = topology != NULL ? hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU) : 0;
    uint32_t usable = n_cpus > 0 ? n_cpus : pus > 0 ? (uint32_t)pus : 1;
    if (quota > 0 && quota < usable)
        usable = quota;
    ladder->usable = usable < XPBD_THREADS_MAX ? usable : XPBD_THREADS_MAX;
    for (uint32_t n = 1; n <= ladder->usable; n *= 2)
        insert(ladder, n, "");
    insert(ladder, ladder->usable,
           quota > 0 && usable == quota ? "all that the quota allows" : "all that may be used");
    if (topology == NULL)
        return;
    const struct {
        uint32_t threads;
        const char *why;
    } full[] = {
        {cores_of(topology, HWLOC_OBJ_MACHINE), "all cores"},
        {cores_of(topology, HWLOC_OBJ_PACKAGE), "cores of a package"},
        {cores_of(topology, HWLOC_OBJ_NUMANODE), "cores of a memory node"},
        {cores_of(topology, HWLOC_OBJ_L3CACHE), "cores of a last-level cache"},
        {fast_cores(topology), "fast cores"},
        {(uint32_t)pus, "with SMT siblings"},
    };
    for (size_t i = 0; i < sizeof full / sizeof full[0]; i++)
        insert(ladder, full[i].threads, full[i].why);
}

void bench_ladder_here(bench_ladder *ladder)
{
    const xpbd_topology_limits limits = xpbd_topology_system_limits();
    struct hwloc_topology *topology = xpbd_topology_load();
    bench_ladder_make(topology, limits.n_cpus, limits.n_quota, ladder);
    xpbd_topology_unload(topology);
}
