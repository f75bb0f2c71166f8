/* SPDX-License-Identifier: MIT
 *
 * The machine as hwloc sees it, cut down to what the calling thread may use. The mask is taken
 * from the system and intersected here: hwloc can do that itself only when told that the topology
 * is this system (HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM), and then a synthetic one from the
 * environment counts as this system as well and is bound to.
 */
#define _GNU_SOURCE /* sched_setaffinity() */
#include "base/topology.h"

#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#if defined(__linux__)
#include <sched.h>
#else
#include <unistd.h>
#endif

static const char *const NAMES[] = {
#define XPBD_PINNING(name, text) #name,
#include "base/pinnings.def"
#undef XPBD_PINNING
};
static const char *const TEXTS[] = {
#define XPBD_PINNING(name, text) text,
#include "base/pinnings.def"
#undef XPBD_PINNING
};

const char *xpbd_topology_pinning_name(uint32_t index)
{
    return index < XPBD_PINNING_COUNT ? NAMES[index] : NULL;
}

const char *xpbd_topology_pinning_text(uint32_t index)
{
    return index < XPBD_PINNING_COUNT ? TEXTS[index] : NULL;
}

/* ---- affinity masks */

static bool mask_has(const xpbd_topology_mask *mask, uint32_t cpu)
{
    return cpu < 64 * XPBD_TOPOLOGY_MASK_WORDS && (mask->word[cpu / 64] >> (cpu % 64) & 1) != 0;
}

#if defined(__linux__)
void xpbd_topology_save_mask(xpbd_topology_mask *mask)
{
    memset(mask, 0, sizeof *mask);
    /* cpu_set_t ends at 1024 processors; the call takes any size. */
    mask->ok = sched_getaffinity(0, sizeof mask->word, (cpu_set_t *)mask->word) == 0;
}

bool xpbd_topology_restore_mask(const xpbd_topology_mask *mask)
{
    return mask->ok && sched_setaffinity(0, sizeof mask->word, (const cpu_set_t *)mask->word) == 0;
}

static uint32_t system_n_cpus(void)
{
    xpbd_topology_mask mask;
    xpbd_topology_save_mask(&mask);
    uint32_t n = 0;
    for (uint32_t i = 0; i < 64 * XPBD_TOPOLOGY_MASK_WORDS; i++)
        n += mask_has(&mask, i);
    return n ? n : 1;
}
#else
void xpbd_topology_save_mask(xpbd_topology_mask *mask)
{
    memset(mask, 0, sizeof *mask);
}

bool xpbd_topology_restore_mask(const xpbd_topology_mask *mask)
{
    (void)mask;
    return false;
}

static uint32_t system_n_cpus(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}
#endif

bool xpbd_topology_bind_self(int32_t cpu, const xpbd_topology_mask *within)
{
    if (cpu < 0 || !within->ok || !mask_has(within, (uint32_t)cpu))
        return false;
    xpbd_topology_mask one = {.ok = true};
    one.word[cpu / 64] = UINT64_C(1) << (cpu % 64);
    return xpbd_topology_restore_mask(&one);
}

/* A sandbox may refuse to bind, or agree and do nothing: try it and look. */
static bool can_bind(int32_t cpu)
{
    xpbd_topology_mask before, after;
    xpbd_topology_save_mask(&before);
    if (!xpbd_topology_bind_self(cpu, &before))
        return false;
    xpbd_topology_save_mask(&after);
    const bool restored = xpbd_topology_restore_mask(&before);
    uint32_t n = 0;
    for (uint32_t i = 0; i < 64 * XPBD_TOPOLOGY_MASK_WORDS; i++)
        n += mask_has(&after, i);
    return restored && n == 1 && mask_has(&after, (uint32_t)cpu);
}

/* ---- limits */

xpbd_topology_limits xpbd_topology_system_limits(void)
{
    xpbd_topology_limits limits = {.n_cpus = system_n_cpus(), .n_openmp = 1};
    limits.n_quota = xpbd_topology_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return limits;
}

/* ---- the order of processors */

struct hwloc_topology *xpbd_topology_load(void)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    if (hwloc_topology_load(topology) == 0 && hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU) > 0)
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

void xpbd_topology_unload(struct hwloc_topology *topology)
{
    if (topology)
        hwloc_topology_destroy(topology);
}

/* Take from `left` the processors that come next: of each core the first one that is left. */
static void take_class(hwloc_topology_t topology, hwloc_bitmap_t left, hwloc_bitmap_t out)
{
    hwloc_bitmap_copy(out, left);
    hwloc_bitmap_singlify_per_core(topology, out, 0);
    hwloc_bitmap_andnot(left, left, out);
}

/* Keep in `set` the fastest kind that occurs in it, and put the rest into `later`. */
static void keep_fastest(hwloc_topology_t topology, hwloc_bitmap_t set, hwloc_bitmap_t later)
{
    hwloc_bitmap_zero(later);
#if HWLOC_API_VERSION >= 0x00020400
    hwloc_bitmap_t kind = hwloc_bitmap_alloc();
    const int n = hwloc_cpukinds_get_nr(topology, 0);
    for (int i = n - 1; kind && i >= 0; i--) { /* sorted, slowest first, where ranks are known */
        int efficiency = -1;
        if (hwloc_cpukinds_get_info(topology, (unsigned)i, kind, &efficiency, NULL, NULL, 0) != 0 ||
            efficiency < 0)
            break;
        if (!hwloc_bitmap_intersects(kind, set))
            continue;
        hwloc_bitmap_andnot(later, set, kind);
        hwloc_bitmap_and(set, set, kind);
        break;
    }
    hwloc_bitmap_free(kind);
#else
    (void)topology, (void)set;
#endif
}

static uint32_t weight_in(hwloc_const_cpuset_t cpuset, hwloc_const_bitmap_t set,
                          hwloc_bitmap_t scratch)
{
    hwloc_bitmap_and(scratch, cpuset, set);
    return (uint32_t)hwloc_bitmap_weight(scratch);
}

/* Position of a processor among `set` when every object of the tree deals out its children's
 * processors in turn. */
static uint32_t dealt_position(hwloc_obj_t pu, hwloc_const_bitmap_t set, hwloc_bitmap_t scratch)
{
    uint32_t position = 0;
    for (hwloc_obj_t object = pu; object->parent; object = object->parent) {
        uint32_t before = 0;
        for (hwloc_obj_t s = object->parent->first_child; s; s = s->next_sibling) {
            const uint32_t rounds = position + (s->sibling_rank < object->sibling_rank);
            const uint32_t n = weight_in(s->cpuset, set, scratch);
            before += n < rounds ? n : rounds;
        }
        position = before;
    }
    return position;
}

/* Append the processors of a class to cpu[n...]. */
static uint32_t append_class(hwloc_topology_t topology, bool scatter, hwloc_const_bitmap_t set,
                             hwloc_bitmap_t scratch, int32_t *cpu, uint32_t n)
{
    uint32_t rank = 0;
    hwloc_obj_t pu = NULL;
    while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != NULL) {
        if (!hwloc_bitmap_isset(set, pu->os_index))
            continue;
        const uint32_t at = n + (scatter ? dealt_position(pu, set, scratch) : rank);
        if (at < XPBD_THREADS_MAX)
            cpu[at] = (int32_t)pu->os_index;
        rank++;
    }
    return n + rank;
}

/* List the processors that may be used, best first; returns how many, at most XPBD_THREADS_MAX. */
static uint32_t order_cpus(hwloc_topology_t topology, bool scatter, int32_t *cpu)
{
    uint32_t n = 0;
    hwloc_bitmap_t set[4];
    for (int i = 0; i < 4; i++)
        set[i] = hwloc_bitmap_alloc();
    if (set[0] && set[1] && set[2] && set[3]) {
        hwloc_bitmap_t left = set[0], class = set[1], later = set[2], scratch = set[3];
        hwloc_bitmap_and(left, hwloc_topology_get_topology_cpuset(topology),
                         hwloc_topology_get_allowed_cpuset(topology));
        if (hwloc_topology_is_thissystem(topology)) {
            xpbd_topology_mask mask;
            xpbd_topology_save_mask(&mask);
            for (int i = hwloc_bitmap_first(left); mask.ok && i >= 0;
                 i = hwloc_bitmap_next(left, i))
                if (!mask_has(&mask, (uint32_t)i))
                    hwloc_bitmap_clr(left, (unsigned)i);
        }
        while (!hwloc_bitmap_iszero(left) && n < XPBD_THREADS_MAX) {
            for (take_class(topology, left, class); !hwloc_bitmap_iszero(class);
                 hwloc_bitmap_copy(class, later)) {
                keep_fastest(topology, class, later);
                n = append_class(topology, scatter, class, scratch, cpu, n);
            }
        }
    }
    for (int i = 0; i < 4; i++)
        hwloc_bitmap_free(set[i]);
    return n < XPBD_THREADS_MAX ? n : XPBD_THREADS_MAX;
}

/* ---- plans */

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void xpbd_topology_plan_on(struct hwloc_topology *topology, const xpbd_topology_limits *limits,
                           int32_t requested, uint32_t pinning, xpbd_topology_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    const uint32_t n_cpus = limits->n_cpus ? limits->n_cpus : 1;
    plan->n_usable = limits->n_quota ? min_u32(n_cpus, limits->n_quota) : n_cpus;
    plan->n_threads =
        requested > 0 ? (uint32_t)requested : min_u32(plan->n_usable, limits->n_openmp);
    plan->n_threads = min_u32(plan->n_threads ? plan->n_threads : 1, XPBD_THREADS_MAX);
    plan->oversubscribed = plan->n_threads > plan->n_usable;
    for (uint32_t i = 0; i < XPBD_THREADS_MAX; i++)
        plan->cpu[i] = -1;

    if (pinning == XPBD_PINNING_none || pinning >= XPBD_PINNING_COUNT) {
        plan->binding = "none";
        return;
    }
    if (limits->openmp_binds) {
        plan->binding = "left to OpenMP";
        return;
    }
    int32_t cpu[XPBD_THREADS_MAX];
    const uint32_t n = topology ? order_cpus(topology, pinning == XPBD_PINNING_scatter, cpu) : 0;
    if (n == 0) {
        plan->binding = "unavailable";
        return;
    }
    for (uint32_t i = 0; i < plan->n_threads; i++)
        plan->cpu[i] = cpu[i % n];
    plan->bind = hwloc_topology_is_thissystem(topology) != 0;
    plan->binding = plan->bind ? "bound" : "not this system, not bound";
}

void xpbd_topology_plan_threads(const xpbd_topology_limits *limits, int32_t requested,
                                uint32_t pinning, xpbd_topology_plan *plan)
{
    const bool wanted =
        pinning != XPBD_PINNING_none && pinning < XPBD_PINNING_COUNT && !limits->openmp_binds;
    struct hwloc_topology *topology = wanted ? xpbd_topology_load() : NULL;
    xpbd_topology_plan_on(topology, limits, requested, pinning, plan);
    xpbd_topology_unload(topology);
    if (plan->bind && !can_bind(plan->cpu[0])) {
        plan->bind = false;
        plan->binding = "unavailable";
    }
}

/* ---- for the record */

bool xpbd_topology_export_xml(void (*write)(void *user, const char *text, size_t length),
                              void *user)
{
    hwloc_topology_t topology = xpbd_topology_load();
    if (!topology)
        return false;
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    for (unsigned i = 0; i < root->infos_count; i++)
        if (strcmp(root->infos[i].name, "HostName") == 0)
            root->infos[i].value[0] = '\0';
    char *text = NULL;
    int length = 0;
    const bool ok = hwloc_topology_export_xmlbuffer(topology, &text, &length, 0) == 0;
    if (ok) {
        write(user, text, strlen(text)); /* hwloc counts the closing zero */
        hwloc_free_xmlbuffer(topology, text);
    }
    hwloc_topology_destroy(topology);
    return ok;
}

void xpbd_topology_export_line(char *out, size_t size)
{
    if (size == 0)
        return;
    out[0] = '\0';
    hwloc_topology_t topology = xpbd_topology_load();
    if (topology && hwloc_topology_export_synthetic(topology, out, size, 0) < 0)
        out[0] = '\0';
    xpbd_topology_unload(topology);
}
