/* SPDX-License-Identifier: MIT
 *
 * Which processors this process may use and where the threads of a team go on them. A plan is made
 * once, when a world is created or its thread count changes; binding is done by the threads
 * themselves. Loading, planning and binding are apart so that any machine can be planned for, and
 * a topology that is not this machine's (HWLOC_SYNTHETIC, HWLOC_XMLFILE) is never bound to.
 */
#ifndef XPBD_BASE_TOPOLOGY_H
#define XPBD_BASE_TOPOLOGY_H

#include "xpbd/xpbd.h"

struct hwloc_topology; /* hwloc's; only topology.c looks inside */

typedef enum xpbd_pinning {
#define XPBD_PINNING(name, text) XPBD_PINNING_##name,
#include "base/pinnings.def"
#undef XPBD_PINNING
    XPBD_PINNING_COUNT
} xpbd_pinning;

/** What the system grants this process. */
typedef struct xpbd_topology_limits {
    uint32_t n_cpus;   /* in the calling thread's affinity mask (with openmp_binds: OpenMP's) */
    uint32_t n_quota;  /* processors' worth of time the control group gives, rounded up; 0: all */
    uint32_t n_openmp; /* threads that OpenMP would start; 1 without it */
    bool openmp_binds; /* OMP_PROC_BIND or the like is in force: binding is OpenMP's business */
} xpbd_topology_limits;

typedef struct xpbd_topology_plan {
    uint32_t n_threads;            /* 1 ... XPBD_THREADS_MAX */
    uint32_t n_usable;             /* processors for them: mask and quota */
    bool oversubscribed;           /* n_threads > n_usable */
    bool bind;                     /* threads bind themselves to cpu[] */
    const char *binding;           /* static text: "none", "bound", "left to OpenMP",
                                      "not this system, not bound", "unavailable" */
    int32_t cpu[XPBD_THREADS_MAX]; /* OS index per thread, -1 for none. Filled where a topology
                                      was found and pinning asked for, bound or not */
} xpbd_topology_plan;

/** Words of an affinity mask: 8192 processors, beyond any kernel's default limit. */
#define XPBD_TOPOLOGY_MASK_WORDS 128

/** An affinity mask as the kernel has it; ok is false where there are none. */
typedef struct xpbd_topology_mask {
    uint64_t word[XPBD_TOPOLOGY_MASK_WORDS];
    bool ok;
} xpbd_topology_mask;

/** Describe a row of pinnings.def: its name and one line of text. Null past the last. */
const char *xpbd_topology_pinning_name(uint32_t index);
const char *xpbd_topology_pinning_text(uint32_t index);

/** Plan a team on this machine: load, plan, and try whether binding works. Never fails.
 *  limits         what the system and OpenMP grant: xpbd_team_plan() knows
 *  requested      threads; 0 or less: as many as are usable and OpenMP would start
 *  pinning        xpbd_pinning; a value past the last is none
 *  Threads        any. Several worlds that are pinned and stepped at once share processors: each
 *                 plan starts at the same one
 *  Cost           milliseconds with pinning (hwloc reads the machine), less than one without */
void xpbd_topology_plan_threads(const xpbd_topology_limits *limits, int32_t requested,
                                uint32_t pinning, xpbd_topology_plan *plan);

/* ---- the parts, for tests and for benchmarks */

/** Ask the system; of OpenMP it knows nothing and says 1 thread, unbound. */
xpbd_topology_limits xpbd_topology_system_limits(void);
/** Tell how many processors' worth of time a control group allows, rounded up, 0 for no limit.
 *  Quotas of all ancestors count, version 1 and 2.
 *  membership  in  file like /proc/self/cgroup
 *  mount       in  folder like /sys/fs/cgroup */
uint32_t xpbd_topology_quota(const char *membership, const char *mount);
/** Load the topology that hwloc finds or the environment names. Null where it cannot. */
struct hwloc_topology *xpbd_topology_load(void);
void xpbd_topology_unload(struct hwloc_topology *topology);
/** Plan on a topology, or without one (null). Of a topology that is this system only processors in
 *  the calling thread's mask are taken. Binds nothing and asks the system nothing else. */
void xpbd_topology_plan_on(struct hwloc_topology *topology, const xpbd_topology_limits *limits,
                           int32_t requested, uint32_t pinning, xpbd_topology_plan *plan);

/** Read the calling thread's affinity mask. */
void xpbd_topology_save_mask(xpbd_topology_mask *mask);
/** Give the calling thread a mask. Returns false where the system refuses. */
bool xpbd_topology_restore_mask(const xpbd_topology_mask *mask);
/** Bind the calling thread to one processor by OS index, if `within` has it: a host may have
 *  narrowed the mask since the plan was made. Returns false where nothing was changed. */
bool xpbd_topology_bind_self(int32_t cpu, const xpbd_topology_mask *within);

/** Hand the topology as hwloc XML to a writer, in one piece and without the machine's name.
 *  Returns false, and writes nothing, where there is no topology. */
bool xpbd_topology_export_xml(void (*write)(void *user, const char *text, size_t length),
                              void *user);
/** Describe the topology in hwloc's one-line synthetic form; empty where there is none. */
void xpbd_topology_export_line(char *out, size_t size);

/** Tell the processor that this is a waiting loop: frees the core for its SMT sibling. */
static inline void xpbd_topology_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory"); /* "yield" does nothing on most of them */
#elif defined(__powerpc64__)
    __asm__ __volatile__("or 27,27,27" ::: "memory");
#else
    __asm__ __volatile__("" ::: "memory");
#endif
}

#endif
