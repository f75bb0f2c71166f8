/* SPDX-License-Identifier: MIT
 *
 * The team at work: barriers, regions within regions, bound threads, and the state of the host's
 * threads afterwards. Cases that depend on what OpenMP reads at its start run in a child process.
 */
#define _GNU_SOURCE /* sched_getcpu(), feenableexcept() */
#include "schedulers/team.h"
#include "tests/support.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* libomp never frees what it made for a thread that has ended; read by the leak sanitizer. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libomp.so";
}

enum { HANG_S = 240 }; /* alarm() ends a process that hangs: far beyond what any case takes */

static void init_team(xpbd_team *team, int32_t n_threads, uint32_t pinning)
{
    xpbd_topology_plan plan;
    xpbd_team_plan(n_threads, pinning, &plan);
    xpbd_team_init(team, &plan);
}

/* ---- barrier */

/* Plain memory on purpose: only the barrier orders it, so the thread sanitizer judges it too. */
typedef struct phases {
    uint32_t n_epochs;
    uint32_t count; /* members that ran */
    struct {
        uint32_t value;
        char apart[60];
    } cell[XPBD_THREADS_MAX];
    uint64_t n_wrong[XPBD_THREADS_MAX];
} phases;

/* Each member writes its cell, meets, reads all cells, meets again. */
static void run_phases(void *ctx, xpbd_member *member)
{
    phases *p = ctx;
    uint64_t n_wrong = 0;
    for (uint32_t epoch = 0; epoch < p->n_epochs; epoch++) {
        p->cell[member->index].value = epoch + member->index;
        xpbd_member_barrier(member);
        for (uint32_t i = 0; i < member->count; i++)
            n_wrong += p->cell[i].value != epoch + i;
        xpbd_member_barrier(member);
    }
    p->n_wrong[member->index] = n_wrong;
    if (member->index == 0)
        p->count = member->count;
}

/* Run them and return how many members there were, 0 if one read a stale value. */
static uint32_t check_phases(xpbd_team *team, uint32_t n_epochs)
{
    phases *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->n_epochs = n_epochs;
    xpbd_team_run(team, run_phases, p);
    uint32_t count = p->count;
    for (uint32_t i = 0; i < p->count; i++)
        count = p->n_wrong[i] ? 0 : count;
    free(p);
    return count;
}

static void test_barrier_orders_all_that_was_written(void **state)
{
    (void)state;
    static const int32_t COUNTS[] = {1, 2, 3, 4, 7, 8, 16};
    for (uint32_t i = 0; i < COUNT_OF(COUNTS); i++) {
        static xpbd_team team;
        init_team(&team, COUNTS[i], XPBD_PINNING_none);
        for (uint32_t run = 0; run < 4; run++)
            assert_int_equal(check_phases(&team, COUNTS[i] <= 2 ? 20000 : 500), COUNTS[i]);
    }
}

/* Nothing but sleep; then nothing but spin, past the end of the epoch's numbers. */
static void test_barrier_sleeps_spins_and_wraps(void **state)
{
    (void)state;
    static xpbd_team team;
    init_team(&team, 5, XPBD_PINNING_none);
    team.n_spins = 0;
    for (uint32_t run = 0; run < 50; run++)
        assert_int_equal(check_phases(&team, 50), 5);
    init_team(&team, 2, XPBD_PINNING_none);
    team.n_spins = UINT32_MAX;
    atomic_store(&team.epoch, UINT32_MAX - 101);
    assert_int_equal(check_phases(&team, 2000), 2);
}

static void test_R02_many_more_threads_than_processors(void **state)
{
    (void)state;
    static xpbd_team team;
    init_team(&team, 64, XPBD_PINNING_none);
    assert_int_equal(team.plan.oversubscribed, team.plan.n_usable < 64);
    assert_int_equal(check_phases(&team, 200), 64);
}

/* ---- regions within regions */

static void *run_on_thread(void *team)
{
    return (void *)(uintptr_t)check_phases(team, 100);
}

static void test_P09_same_result_from_wherever_it_is_called(void **state)
{
    (void)state;
    static xpbd_team team, own[4];
    init_team(&team, 4, XPBD_PINNING_none);
    assert_int_equal(check_phases(&team, 100), 4);

    pthread_t thread;
    void *count = NULL;
    assert_int_equal(pthread_create(&thread, NULL, run_on_thread, &team), 0);
    assert_int_equal(pthread_join(thread, &count), 0);
    assert_int_equal((uintptr_t)count, 4);
#ifdef _OPENMP
    uint32_t counts[4] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < 4; i++)
        init_team(&own[i], 4, XPBD_PINNING_none);
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (uint32_t i = 0; i < 4; i++)
        counts[i] = check_phases(&own[i], 100);
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(counts[i], 1, 4);

    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    assert_int_equal(check_phases(&team, 100), 4);
    assert_int_equal(omp_get_max_threads(), 1);
    omp_set_num_threads(before);
#endif
    (void)own;
}

static void test_P11_teams_of_several_threads_do_not_meet(void **state)
{
    (void)state;
    static xpbd_team team[8];
    pthread_t thread[8];
    for (uint32_t i = 0; i < 8; i++) {
        init_team(&team[i], 1 + (int32_t)i % 3, XPBD_PINNING_none);
        assert_int_equal(pthread_create(&thread[i], NULL, run_on_thread, &team[i]), 0);
    }
    for (uint32_t i = 0; i < 8; i++) {
        void *count = NULL;
        assert_int_equal(pthread_join(thread[i], &count), 0);
        assert_int_equal((uintptr_t)count, 1 + i % 3);
    }
}

/* ---- floating point */

typedef struct floats {
    int rounding[XPBD_THREADS_MAX];
    float half_of_tiniest[XPBD_THREADS_MAX];
    volatile float tiniest; /* normal: its half is a denormal */
} floats;

static void look_at_floats(void *ctx, xpbd_member *member)
{
    floats *f = ctx;
    f->rounding[member->index] = fegetround();
    f->half_of_tiniest[member->index] = f->tiniest * 0.5f;
    volatile float zero = 0; /* must neither trap nor show afterwards */
    zero = 1 / zero;
}

static void check_floats(xpbd_team *team)
{
    floats f = {.tiniest = 0x1p-126f};
    xpbd_team_run(team, look_at_floats, &f);
    for (uint32_t i = 0; i < team->plan.n_threads; i++) {
        assert_int_equal(f.rounding[i], FE_TONEAREST);
        assert_true(f.half_of_tiniest[i] == 0x1p-127f);
    }
}

static void test_float_environment_is_ours_inside_and_the_callers_after(void **state)
{
    (void)state;
    static xpbd_team team;
    for (int32_t n = 1; n <= 2; n++) {
        init_team(&team, n, n == 1 ? XPBD_PINNING_none : XPBD_PINNING_compact);
        assert_int_equal(feclearexcept(FE_ALL_EXCEPT), 0);
        assert_int_equal(feraiseexcept(FE_UNDERFLOW), 0);
        assert_int_equal(fesetround(FE_UPWARD), 0);
#if defined(__SSE2__)
        const uint32_t flushing = __builtin_ia32_stmxcsr() | 0x8040; /* FTZ and DAZ */
        __builtin_ia32_ldmxcsr(flushing);
#endif
#if defined(__GLIBC__)
        feenableexcept(FE_DIVBYZERO);
#endif
        check_floats(&team);
#if defined(__GLIBC__)
        assert_int_equal(fegetexcept(), FE_DIVBYZERO);
        fedisableexcept(FE_DIVBYZERO);
#endif
#if defined(__SSE2__)
        assert_int_equal(__builtin_ia32_stmxcsr() & 0x8040, 0x8040);
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x8040u);
#endif
        assert_int_equal(fegetround(), FE_UPWARD);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        assert_int_equal(fetestexcept(FE_UNDERFLOW | FE_DIVBYZERO), FE_UNDERFLOW);
    }
}

/* ---- binding */

typedef struct masks {
    xpbd_topology_mask mask[XPBD_THREADS_MAX];
    int cpu[XPBD_THREADS_MAX];
} masks;

static void look_at_masks(void *ctx, xpbd_member *member)
{
    masks *m = ctx;
    xpbd_topology_save_mask(&m->mask[member->index]);
    xpbd_member_barrier(member);
    m->cpu[member->index] = sched_getcpu();
}

static bool is_only(const xpbd_topology_mask *mask, int32_t cpu)
{
    xpbd_topology_mask one = {.ok = true};
    one.word[cpu / 64] = UINT64_C(1) << (cpu % 64);
    return memcmp(mask, &one, sizeof one) == 0;
}

static void *read_mask(void *mask)
{
    xpbd_topology_save_mask(mask);
    return NULL;
}

/* The caller, and a thread it starts now, have all of the mask. */
static void check_host_mask(const xpbd_topology_mask *want)
{
    static xpbd_topology_mask got;
    xpbd_topology_save_mask(&got);
    assert_memory_equal(&got, want, sizeof got);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_mask, &got), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_memory_equal(&got, want, sizeof got);
}

static void test_T11_masks_are_put_back(void **state)
{
    (void)state;
    static xpbd_team pinned, loose;
    static masks m;
    xpbd_topology_mask before;
    xpbd_topology_save_mask(&before);
    init_team(&pinned, 2, XPBD_PINNING_compact);
    init_team(&loose, 2, XPBD_PINNING_none);
    check_host_mask(&before);
    if (!pinned.plan.bind)
        skip(); /* nothing can be bound here; that is said in plan.binding */
    for (uint32_t run = 0; run < 3; run++) {
        xpbd_team_run(&pinned, look_at_masks, &m);
        for (uint32_t i = 0; i < 2; i++) {
            assert_true(is_only(&m.mask[i], pinned.plan.cpu[i]));
            assert_int_equal(m.cpu[i], pinned.plan.cpu[i]);
        }
        check_host_mask(&before);
        /* OpenMP's threads are the host's as well: another team must find them loose. */
        xpbd_team_run(&loose, look_at_masks, &m);
        for (uint32_t i = 0; i < 2; i++)
            assert_memory_equal(&m.mask[i], &before, sizeof before);
    }
}

static void test_T01_narrowed_mask_wins_over_an_older_plan(void **state)
{
    (void)state;
    static xpbd_team team;
    static masks m;
    xpbd_topology_mask before;
    xpbd_topology_save_mask(&before);
    init_team(&team, 2, XPBD_PINNING_compact);
    if (!team.plan.bind || team.plan.n_usable < 2)
        skip();
    assert_true(xpbd_topology_bind_self(team.plan.cpu[1], &before));
    xpbd_topology_mask narrow;
    xpbd_topology_save_mask(&narrow);
    xpbd_team_run(&team, look_at_masks, &m);
    assert_true(is_only(&m.mask[0], team.plan.cpu[1]));
    check_host_mask(&narrow);
    assert_true(xpbd_topology_restore_mask(&before));
}

/* ---- in a child, whose OpenMP starts under another environment */

/* Says how many threads an automatic team has and on how many processors, how many members one of
 * three threads really gets, and what binds. */
static int tell_plan(void)
{
    static xpbd_team team;
    static masks m;
    init_team(&team, 0, XPBD_PINNING_compact);
    xpbd_team_run(&team, look_at_masks, &m);
    uint32_t n_different = 0;
    for (uint32_t i = 0; i < team.plan.n_threads; i++) {
        bool seen = false;
        for (uint32_t k = 0; k < i; k++)
            seen |= m.cpu[k] == m.cpu[i];
        n_different += !seen;
    }
    printf("%u threads, %u processors, ", team.plan.n_threads, n_different);
    const char *binding = team.plan.binding;
    init_team(&team, 3, XPBD_PINNING_none);
    printf("%u of 3, %s\n", check_phases(&team, 100), binding);
    return 0;
}

static void run_child(const char *variables, char *line, size_t size)
{
    char self[512], command[700];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        skip();
    self[n] = '\0';
    (void)snprintf(command, sizeof command, "env %s XPBD_TEST_CHILD=1 '%s'", variables, self);
    FILE *child = popen(command, "r");
    assert_non_null(child);
    assert_non_null(fgets(line, (int)size, child));
    assert_int_equal(pclose(child), 0);
}

static void test_T12_openmp_binds_alone(void **state)
{
    (void)state;
    const xpbd_topology_limits limits = xpbd_topology_system_limits();
    const uint32_t n =
        limits.n_quota && limits.n_quota < limits.n_cpus ? limits.n_quota : limits.n_cpus;
    char want[100], got[100];
    (void)snprintf(want, sizeof want, "%u threads, %u processors, 3 of 3, left to OpenMP\n", n, n);
    run_child("-u OMP_NUM_THREADS OMP_PROC_BIND=true OMP_PLACES=threads", got, sizeof got);
    assert_string_equal(got, want);
}

static void test_openmp_count_limits_an_automatic_team(void **state)
{
    (void)state;
    char got[100];
    run_child("OMP_NUM_THREADS=1", got, sizeof got);
    assert_memory_equal(got, "1 threads, 1 processors, 3 of 3, ", 33);
}

static void test_fewer_threads_than_asked_for_do_all_the_work(void **state)
{
    (void)state;
    char got[100];
    run_child("OMP_THREAD_LIMIT=2", got, sizeof got);
    assert_non_null(strstr(got, " 2 of 3, "));
}

int main(void)
{
    (void)alarm(HANG_S);
    if (getenv("XPBD_TEST_CHILD"))
        return tell_plan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier_orders_all_that_was_written),
        cmocka_unit_test(test_barrier_sleeps_spins_and_wraps),
        cmocka_unit_test(test_R02_many_more_threads_than_processors),
        cmocka_unit_test(test_P09_same_result_from_wherever_it_is_called),
        cmocka_unit_test(test_P11_teams_of_several_threads_do_not_meet),
        cmocka_unit_test(test_float_environment_is_ours_inside_and_the_callers_after),
        cmocka_unit_test(test_T11_masks_are_put_back),
        cmocka_unit_test(test_T01_narrowed_mask_wins_over_an_older_plan),
        cmocka_unit_test(test_T12_openmp_binds_alone),
        cmocka_unit_test(test_openmp_count_limits_an_automatic_team),
        cmocka_unit_test(test_fewer_threads_than_asked_for_do_all_the_work),
    };
    return RUN_GROUP("team", tests);
}
