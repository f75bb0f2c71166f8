/* SPDX-License-Identifier: MIT
 *
 * The threads of a world, and their barrier. One parallel region runs a whole step; inside it the
 * members meet at a barrier of our own, since a region or an OpenMP barrier per stage costs ten
 * times as much, and thousands of times as much on a machine that is busy.
 */
#ifndef XPBD_SCHEDULERS_TEAM_H
#define XPBD_SCHEDULERS_TEAM_H

#include "base/topology.h"
#include "xpbd/scheduler.h"

#include <fenv.h>
#include <stdalign.h>
#include <stdatomic.h>

/* Two lines of 64 bytes: processors fetch lines in pairs. */
#define XPBD_TEAM_APART 128

/** Owned by a world; must be aligned to 64. Only team.c looks inside, but for `plan`
 *  and `n_active`.
 *
 *      | plan, host, n_active, n_spins: read by all | pad | arrived: written by all | pad | epoch:
 * read by all | */
typedef struct xpbd_team {
    alignas(64) xpbd_topology_plan plan;
    xpbd_task_system host; /* parallel_for is null where the threads are OpenMP's */
    uint32_t n_active;     /* threads of the next run, at most plan.n_threads */
    uint32_t n_spins;      /* before a waiting member goes to sleep */
    atomic_uint n_refused; /* members of the last run that could not be bound as planned */
    char pad0[XPBD_TEAM_APART];
    atomic_uint arrived; /* members that are at the barrier */
    char pad1[XPBD_TEAM_APART];
    atomic_uint epoch; /* barriers passed << 1 | somebody sleeps */
    char pad2[XPBD_TEAM_APART];
} xpbd_team;

/** How far something is that other members wait for: a number of theirs, << 1 | somebody sleeps. */
typedef struct xpbd_reached {
    alignas(64) atomic_uint value;
} xpbd_reached;

/** Half-open range of units. */
typedef struct xpbd_range {
    uint32_t begin, end;
} xpbd_range;

/** Plan a team for this process: what the system grants and what OpenMP would start and bind.
 *  Never fails. Arguments and cost as of xpbd_topology_plan_threads(). */
void xpbd_team_plan(int32_t requested, uint32_t pinning, xpbd_topology_plan *plan);

/** Plan a team of the host's threads: nothing is asked of the system, nothing bound. Arguments as
 *  above; never more than the host has. */
void xpbd_team_plan_hosted(const xpbd_task_system *host, int32_t requested,
                           xpbd_topology_plan *plan);

/** Make a team for a plan, which is copied, of OpenMP's threads, or of those of a host. Starts no
 *  thread. Not while the team runs. */
void xpbd_team_init_hosted(xpbd_team *team, const xpbd_topology_plan *plan,
                           const xpbd_task_system *host);
/** The same with OpenMP's threads. */
void xpbd_team_init(xpbd_team *team, const xpbd_topology_plan *plan);

/** Use fewer members from the next run on: 1 ... plan.n_threads. */
void xpbd_team_use(xpbd_team *team, uint32_t n_active);

/** Run fn on all members at once and return when all are done.
 *
 *  There are n_active members, or as many fewer as OpenMP gives: one inside the caller's own
 *  parallel region (unless nesting is on), fewer under OMP_THREAD_LIMIT. fn finds the real number
 *  in member->count, and must reach each barrier on all members or on none. A hosted team has one,
 *  and the host's threads do what it shares.
 *  Every member runs in the default floating-point environment, whatever the caller's; masks,
 *  environment and exception flags are put back at the end, also those of OpenMP's threads, which
 *  the host may use for its own regions.
 *  Memory   none; OpenMP's own at the first region
 *  Threads  one run at a time per team */
void xpbd_team_run(xpbd_team *team, void (*fn)(void *ctx, xpbd_member *member), void *ctx);

/** Set what was reached to n and wake those who wait for it: what this member wrote before is
 *  visible to them. One member does so between two barriers, with numbers that never fall, but may
 *  wrap at 2^31. */
void xpbd_member_advance(xpbd_reached *reached, uint32_t n);
/** Wait until n or more is reached. Some other member must get it there without this one. */
void xpbd_member_await(const xpbd_member *member, xpbd_reached *reached, uint32_t n);
/** Tell what was reached, to the member that advances it. */
uint32_t xpbd_member_reached(xpbd_reached *reached);

/** Tell whether the calling thread has lost the others of OpenMP in a fork: runs of the team are
 *  its own alone then. */
bool xpbd_team_is_stranded(const xpbd_team *team);

/** Tell which of n units are this member's: contiguous, in the order of the members, in multiples
 *  of `grain` (0 counts as 1; the last one is cut). Few units go to the first members. */
xpbd_range xpbd_member_slice(const xpbd_member *member, uint32_t n, uint32_t grain);

/** Save the calling thread's floating-point environment and set the default one: round to nearest,
 *  no trap, no flushing of denormals. For what computes outside xpbd_team_run(). */
void xpbd_team_enter_float(fenv_t *saved);
/** Put it back, with the exception flags as they were. */
void xpbd_team_leave_float(const fenv_t *saved);

#endif
