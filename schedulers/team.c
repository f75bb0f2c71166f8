/* SPDX-License-Identifier: MIT
 *
 * The team: one OpenMP region per run, and a barrier that spins first and sleeps then. Spinning
 * alone is fastest on an idle machine but loses whole time slices on a shared one; sleeping alone
 * costs a system call and a wake-up at every stage.
 */
#define _GNU_SOURCE /* syscall() */
#include "schedulers/team.h"

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <sched.h>
#endif

/* Pauses before a member sleeps: some 0.1 ms, twice what a futex wake-up takes. With less, two
 * members can fall into taking turns, each asleep when the other comes, and then every barrier
 * costs a wake-up. */
enum { SPINS = 5000 };

/* With more threads than processors the awaited one cannot run while others spin. Yielding before
 * sleep was tried: no gain, and slower with 64 threads. */
enum { SPINS_OVERSUBSCRIBED = 4 };

/* Lowest bit of the epoch. A sleeper sets it in the very word it sleeps on, so the release cannot
 * miss it, and no other line is touched when nobody sleeps. */
enum { SLEEPS = 1 };

void xpbd_team_plan(int32_t requested, uint32_t pinning, xpbd_topology_plan *plan)
{
    xpbd_topology_limits limits = xpbd_topology_system_limits();
#ifdef _OPENMP
    limits.n_openmp = (uint32_t)omp_get_max_threads();
    limits.openmp_binds = omp_get_proc_bind() != omp_proc_bind_false;
    /* OpenMP has bound this thread to one place by now: its mask is not what the team has. */
    if (limits.openmp_binds && omp_get_num_procs() > 0)
        limits.n_cpus = (uint32_t)omp_get_num_procs();
#else
    requested = 1; /* whatever is asked for: nothing else starts threads */
#endif
    xpbd_topology_plan_threads(&limits, requested, pinning, plan);
}

void xpbd_team_plan_hosted(const xpbd_task_system *host, int32_t requested,
                           xpbd_topology_plan *plan)
{
    const uint32_t most = host->workers < XPBD_THREADS_MAX ? host->workers : XPBD_THREADS_MAX;
    *plan =
        (xpbd_topology_plan){.n_threads = most, .n_usable = most, .binding = "left to the host"};
    if (requested > 0 && (uint32_t)requested < most)
        plan->n_threads = (uint32_t)requested;
    for (uint32_t i = 0; i < XPBD_THREADS_MAX; i++)
        plan->cpu[i] = -1;
}

void xpbd_team_init(xpbd_team *team, const xpbd_topology_plan *plan)
{
    static const xpbd_task_system none = {0};
    xpbd_team_init_hosted(team, plan, &none);
}

void xpbd_team_init_hosted(xpbd_team *team, const xpbd_topology_plan *plan,
                           const xpbd_task_system *host)
{
    team->plan = *plan;
    team->host = *host;
    team->n_active = plan->n_threads;
    team->n_spins = plan->oversubscribed ? SPINS_OVERSUBSCRIBED : SPINS;
    atomic_init(&team->n_refused, 0);
    atomic_init(&team->arrived, 0);
    atomic_init(&team->epoch, 0);
}

void xpbd_team_use(xpbd_team *team, uint32_t n_active)
{
    team->n_active = n_active;
}

void xpbd_team_enter_float(fenv_t *saved)
{
    fegetenv(saved);
    fesetenv(FE_DFL_ENV);
}

void xpbd_team_leave_float(const fenv_t *saved)
{
    fesetenv(saved);
}

static void run_member(xpbd_team *team, uint32_t index, uint32_t count,
                       void (*fn)(void *ctx, xpbd_member *member), void *ctx)
{
    /* No member can have passed a barrier before this load: it would wait for this one. One that
     * is already asleep at the first barrier may have set the bit. */
    const uint32_t epoch = atomic_load_explicit(&team->epoch, memory_order_relaxed);
    xpbd_member member = {
        .index = index, .count = count, .team = team, .epoch = epoch & ~(uint32_t)SLEEPS};
    fenv_t saved;
    xpbd_team_enter_float(&saved);
    const int32_t cpu = team->plan.bind ? team->plan.cpu[index] : -1;
    if (cpu < 0) {
        fn(ctx, &member);
    } else {
        xpbd_topology_mask mask;
        xpbd_topology_save_mask(&mask);
        const bool bound = xpbd_topology_bind_self(cpu, &mask);
        if (!bound)
            atomic_fetch_add_explicit(&team->n_refused, 1, memory_order_relaxed);
        fn(ctx, &member);
        if (bound)
            (void)xpbd_topology_restore_mask(&mask);
    }
    xpbd_team_leave_float(&saved);
}

#ifdef _OPENMP
/* OpenMP keeps the threads of a region for the next one of the same thread. A process that is
 * forked has this thread alone, and libgomp would wait for the others for ever. */
static _Thread_local enum { UNUSED, USED, STRANDED } openmp;

static void in_forked_process(void)
{
    openmp = openmp == UNUSED ? UNUSED : STRANDED;
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_forked_process);
}
#endif

bool xpbd_team_is_stranded(const xpbd_team *team)
{
#ifdef _OPENMP
    return openmp == STRANDED && !team->host.parallel_for;
#else
    (void)team;
    return false;
#endif
}

void xpbd_team_run(xpbd_team *team, void (*fn)(void *ctx, xpbd_member *member), void *ctx)
{
    atomic_store_explicit(&team->n_refused, 0, memory_order_relaxed);
#ifdef _OPENMP
    const int n_threads = (int)team->n_active;
    if (n_threads > 1 && !team->host.parallel_for && openmp != STRANDED) {
        openmp = USED;
#pragma omp parallel num_threads(n_threads) default(none) firstprivate(team, fn, ctx)
        run_member(team, (uint32_t)omp_get_thread_num(), (uint32_t)omp_get_num_threads(), fn, ctx);
        return;
    }
#endif
    run_member(team, 0, 1, fn, ctx);
}

#if defined(__linux__)
static void sleep_on(atomic_uint *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake_all(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff, NULL, NULL, 0);
}
#else
static void sleep_on(atomic_uint *word, uint32_t value)
{
    (void)word, (void)value;
    sched_yield();
}

static void wake_all(atomic_uint *word)
{
    (void)word;
}
#endif

/* Whether a word, which may have wrapped, is at an even target or beyond. */
static bool is_there(uint32_t now, uint32_t target)
{
    return (int32_t)((now & ~(uint32_t)SLEEPS) - target) >= 0;
}

/* Wait until a word gets there. The loads that end the wait acquire what the release wrote. */
static void await(const xpbd_team *team, atomic_uint *word, uint32_t target)
{
    for (uint32_t i = 0; i < team->n_spins; i++) {
        if (is_there(atomic_load_explicit(word, memory_order_acquire), target))
            return;
        xpbd_topology_pause();
    }
    for (;;) {
        uint32_t now = atomic_load_explicit(word, memory_order_acquire);
        if (is_there(now, target))
            return;
        if (!(now & SLEEPS) &&
            !atomic_compare_exchange_strong_explicit(word, &now, now | SLEEPS, memory_order_acquire,
                                                     memory_order_acquire))
            continue;
        sleep_on(word, now | SLEEPS);
    }
}

static void release(atomic_uint *word, uint32_t value)
{
    if (atomic_exchange_explicit(word, value, memory_order_release) & SLEEPS)
        wake_all(word);
}

void xpbd_member_advance(xpbd_reached *reached, uint32_t n)
{
    release(&reached->value, n << 1);
}

uint32_t xpbd_member_reached(xpbd_reached *reached)
{
    return atomic_load_explicit(&reached->value, memory_order_relaxed) >> 1;
}

void xpbd_member_await(const xpbd_member *member, xpbd_reached *reached, uint32_t n)
{
    await(member->team, &reached->value, n << 1);
}

void xpbd_member_barrier(xpbd_member *member)
{
    if (member->count == 1)
        return;
    xpbd_team *team = member->team;
    const uint32_t old = member->epoch;
    member->epoch = old + 2;
    /* Acquire: the last one takes over what all wrote, and hands it on with the release below. */
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 != member->count) {
        await(team, &team->epoch, old + 2);
        return;
    }
    atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
    release(&team->epoch, old + 2);
}

/* What a hosted team is to do. */
typedef struct shared {
    xpbd_range_fn *fn;
    void *context;
    uint32_t n, grain, count;
} shared;

static void run_shared(void *context, uint32_t worker)
{
    const shared *s = context;
    const xpbd_member part = {.index = worker, .count = s->count};
    const xpbd_range range = xpbd_member_slice(&part, s->n, s->grain);
    fenv_t saved;
    xpbd_team_enter_float(&saved);
    if (range.begin < range.end)
        s->fn(s->context, range.begin, range.end);
    xpbd_team_leave_float(&saved);
}

void xpbd_member_share(xpbd_member *member, uint32_t n, uint32_t grain, xpbd_range_fn *fn,
                       void *context)
{
    const xpbd_team *team = member->team;
    const uint32_t g = grain ? grain : 1;
    const uint32_t n_chunks = n / g + (n % g != 0);
    if (team->host.parallel_for && n_chunks > 1 && team->n_active > 1) {
        shared s = {fn, context, n, g, team->n_active};
        s.count = n_chunks < s.count ? n_chunks : s.count;
        team->host.parallel_for(team->host.user, s.count, run_shared, &s);
        return;
    }
    const xpbd_range range = xpbd_member_slice(member, n, g);
    if (range.begin < range.end)
        fn(context, range.begin, range.end);
}

xpbd_range xpbd_member_slice(const xpbd_member *member, uint32_t n, uint32_t grain)
{
    const uint64_t g = grain ? grain : 1;
    const uint64_t n_chunks = (n + g - 1) / g;
    const uint64_t count = member->count;
    const uint64_t begin = (member->index * n_chunks + count - 1) / count * g;
    const uint64_t end = ((member->index + 1u) * n_chunks + count - 1) / count * g;
    return (xpbd_range){(uint32_t)(begin < n ? begin : n), (uint32_t)(end < n ? end : n)};
}
