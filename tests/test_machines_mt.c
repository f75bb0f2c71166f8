/* SPDX-License-Identifier: MIT
 *
 * Worlds on machines of all kinds: whatever hwloc says, or does not say, and whatever the system
 * refuses, a pinned world steps with the bits of any other, leaves the caller's mask alone, and
 * tells what pinning came to. Which processors are planned is in test_topology.c too.
 */
#define _GNU_SOURCE /* sched_setaffinity(), seccomp */
#include "base/topology.h"
#include "tests/support.h"

#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__) && defined(__x86_64__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#define DATA "tests/data/topology/"

/* ---- plans, for each pinning */

static const struct {
    const char *machine; /* a file of DATA, or a synthetic description */
    const char *compact, *scatter;
} MACHINES[] = {
    /* two sockets */
    {"two_sockets.xml", "0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15",
     "0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15"},
    {"pack:2 core:2 pu:1", "0 1 2 3", "0 2 1 3"},
    /* two sockets of two memories each */
    {"pack:2 numa:2 core:2 pu:1", "0 1 2 3 4 5 6 7", "0 4 2 6 1 5 3 7"},
    {"memoryless_node.xml", "0 1 2 3", "0 2 1 3"},
    /* slow and fast cores */
    {"hybrid.xml", "4 5 6 7 0 1 2 3", "4 5 6 7 0 1 2 3"},
    {"hybrid_smt.xml", "4 6 0 1 2 3 5 7", "4 6 0 1 2 3 5 7"},
    /* one core, with a sibling and without */
    {"one_core.xml", "0 0", "0 0"},
    {"core:1 pu:2", "0 1", "0 1"},
    /* 1, 2 and 7 are off, and with them the siblings of three cores */
    {"offline.xml", "0 3 4 6 5 0", "0 4 3 6 5 0"},
    /* of four only one is allowed */
    {"only_cpu_1.xml", "1 1 1", "1 1 1"},
};

static struct hwloc_topology *load(const char *machine)
{
    hwloc_topology_t topology;
    char path[128];
    snprintf(path, sizeof path, DATA "%s", machine);
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(strstr(machine, ".xml") ? hwloc_topology_set_xml(topology, path)
                                             : hwloc_topology_set_synthetic(topology, machine),
                     0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    return topology;
}

static void check_plan(const char *machine, uint32_t pinning, const char *want)
{
    const xpbd_topology_limits wide = {.n_cpus = 1000, .n_openmp = 1000};
    xpbd_topology_plan plan;
    char got[256] = "";
    uint32_t n = 1;
    for (const char *c = want; *c; c++)
        n += *c == ' ';
    struct hwloc_topology *topology = load(machine);
    xpbd_topology_plan_on(topology, &wide, (int32_t)n, pinning, &plan);
    xpbd_topology_unload(topology);
    for (uint32_t i = 0, at = 0; i < n; i++)
        at += (uint32_t)snprintf(got + at, sizeof got - at, "%s%d", i ? " " : "", plan.cpu[i]);
    if (strcmp(got, want) != 0)
        fail_msg("%s, %s: planned %s, expected %s", machine, xpbd_topology_pinning_name(pinning),
                 got, want);
    assert_false(plan.bind); /* it is another machine */
}

static void test_plans_of_all_machines(void **state)
{
    (void)state;
    for (uint32_t m = 0; m < COUNT_OF(MACHINES); m++) {
        check_plan(MACHINES[m].machine, XPBD_PINNING_compact, MACHINES[m].compact);
        check_plan(MACHINES[m].machine, XPBD_PINNING_scatter, MACHINES[m].scatter);
    }
}

/* ---- worlds */

typedef struct remarks {
    uint32_t n_warnings;
    char last[256];
} remarks;

static void note(void *user, xpbd_log_level level, const char *text)
{
    remarks *r = user;
    if (level == XPBD_LOG_WARNING && strstr(text, "pinning")) {
        r->n_warnings++;
        snprintf(r->last, sizeof r->last, "%s", text);
    }
}

static xpbd_world *make(uint32_t pinning, int32_t threads, remarks *r)
{
    kit_scene sheet = kit_grid(40, 40, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
    xpbd_world_def def = kit_def(NULL);
    *r = (remarks){0};
    def.threads = threads;
    def.pinning = xpbd_pinning_name(pinning);
    def.log = (xpbd_log){note, r};
    def.acceleration[0] = 1;
    sheet.w[0] = 0;
    xpbd_world *w = kit_build(&def, &sheet, 1e-5f);
    kit_scene_free(&sheet);
    return w;
}

static const char *binding_of(const xpbd_world *w)
{
    xpbd_world_summary s;
    assert_ok(xpbd_world_summarize(w, &s));
    return s.binding;
}

static uint64_t step_and_end(xpbd_world *w)
{
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    kit_steps(w, 2, 0.01);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return hash;
}

static uint64_t plain_hash(void)
{
    remarks r;
    return step_and_end(make(XPBD_PINNING_none, 1, &r));
}

/* Machines that are not this one are planned for, not bound to, and it is said. */
static void test_worlds_on_other_machines(void **state)
{
    const uint64_t want = plain_hash();
    remarks r;
    (void)state;
    for (uint32_t m = 0; m < COUNT_OF(MACHINES) + 2; m++) {
        char path[128] = "/nonexistent"; /* the last two: no such file, and no sysfs */
        const char *machine = m < COUNT_OF(MACHINES) ? MACHINES[m].machine : ".xml";
        const char *variable = m > COUNT_OF(MACHINES)    ? "HWLOC_FSROOT"
                               : strstr(machine, ".xml") ? "HWLOC_XMLFILE"
                                                         : "HWLOC_SYNTHETIC";
        if (m < COUNT_OF(MACHINES))
            snprintf(path, sizeof path, "%s%s", strstr(machine, ".xml") ? DATA : "", machine);
        for (uint32_t pinning = 0; pinning < XPBD_PINNING_COUNT; pinning++) {
            assert_int_equal(setenv(variable, path, 1), 0);
            xpbd_world *w = make(pinning, 3, &r);
            assert_int_equal(unsetenv(variable), 0);
            const char *binding = binding_of(w);
            if (pinning == XPBD_PINNING_none)
                assert_string_equal(binding, "none");
            else if (m < COUNT_OF(MACHINES))
                assert_string_equal(binding, "not this system, not bound");
            /* Whatever is not as asked for is a warning. */
            assert_int_equal(r.n_warnings,
                             pinning != XPBD_PINNING_none && strcmp(binding, "bound") != 0);
            assert_same_hash(step_and_end(w), want, machine);
        }
    }
}

static uint32_t count_allowed(cpu_set_t *set)
{
    assert_int_equal(sched_getaffinity(0, sizeof *set, set), 0);
    return (uint32_t)CPU_COUNT(set);
}

/* None allowed but the last one, which has number 1 where there are two. */
static void test_one_processor_alone(void **state)
{
    const uint64_t want = plain_hash();
    cpu_set_t all, one;
    size_t last = CPU_SETSIZE - 1;
    remarks r;
    (void)state;
    count_allowed(&all);
    while (!CPU_ISSET(last, &all))
        last--;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    for (uint32_t pinning = 0; pinning < XPBD_PINNING_COUNT; pinning++) {
        for (int32_t threads = 0; threads < 4; threads += 3) {
            assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
            xpbd_world_summary s;
            xpbd_world *w = make(pinning, threads, &r);
            assert_ok(xpbd_world_summarize(w, &s));
            const uint64_t hash = step_and_end(w);
            assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
            assert_int_equal(s.threads_usable, 1);
            assert_int_equal(s.threads, threads ? 3 : 1);
            assert_int_equal(s.oversubscribed, threads == 3);
            assert_same_hash(hash, want, "one processor");
        }
    }
}

/* A host that narrows its mask between the plan and the step, and widens it again. */
static void test_a_mask_that_changes_is_reported(void **state)
{
    const uint64_t want = plain_hash();
    cpu_set_t all, few;
    char text[4096];
    size_t first = 0;
    remarks r;
    (void)state;
    if (count_allowed(&all) < 2)
        skip();
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&few);
    CPU_SET(first, &few);
    xpbd_world *w = make(XPBD_PINNING_compact, 2, &r);
    if (strcmp(binding_of(w), "bound") != 0) {
        xpbd_world_destroy(w);
        skip();
    }
    xpbd_world_destroy(w);
    /* Planned for the last one alone, and then it may use the first alone. */
    cpu_set_t rest = all;
    CPU_CLR(first, &rest);
    assert_int_equal(sched_setaffinity(0, sizeof rest, &rest), 0);
    w = make(XPBD_PINNING_compact, 1, &r);
    assert_string_equal(binding_of(w), "bound");
    assert_int_equal(sched_setaffinity(0, sizeof few, &few), 0);
    kit_steps(w, 1, 0.01);
    assert_int_equal(r.n_warnings, 1);
    assert_non_null(strstr(r.last, "refused"));
    assert_string_equal(binding_of(w), "refused in the last step");
    assert_ok(xpbd_world_explain(w, text, sizeof text, NULL));
    assert_non_null(strstr(text, "pinning: compact (refused in the last step)"));
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    kit_steps(w, 1, 0.01);
    assert_int_equal(r.n_warnings, 1);
    assert_string_equal(binding_of(w), "bound");
    assert_same_hash(xpbd_world_hash(w), want, "another mask");
    xpbd_world_destroy(w);
}

#if defined(__linux__) && defined(__x86_64__)
/* A sandbox in which sched_setaffinity() fails. */
static bool forbid_binding(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {COUNT_OF(rules), rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int live_without_binding(uint64_t want)
{
    remarks r;
    for (uint32_t pinning = XPBD_PINNING_compact; pinning < XPBD_PINNING_COUNT; pinning++) {
        xpbd_world *w = make(pinning, 2, &r);
        if (strcmp(binding_of(w), "unavailable") != 0 || r.n_warnings != 1)
            return 1;
        if (step_and_end(w) != want)
            return 2;
    }
    return 0;
}
#endif

static void test_binding_that_is_forbidden_is_reported(void **state)
{
    const uint64_t want = plain_hash();
    int status = 0;
    (void)state, (void)want, (void)status;
#if defined(__linux__) && defined(__x86_64__)
    if (KIT_RACE_CHECKED)
        skip(); /* its runtime ends a child that starts a thread */
    const pid_t pid = fork();
    if (pid == 0)
        _exit(forbid_binding() ? live_without_binding(want) : 77);
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
#else
    skip();
#endif
}

int main(void)
{
    unsetenv("HWLOC_SYNTHETIC"), unsetenv("HWLOC_XMLFILE"), unsetenv("HWLOC_FSROOT");
    unsetenv("HWLOC_THISSYSTEM");
    setenv("KMP_AFFINITY", "disabled", 1); /* clang's runtime ends a process that may not bind */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_of_all_machines),
        cmocka_unit_test(test_worlds_on_other_machines),
        cmocka_unit_test(test_one_processor_alone),
        cmocka_unit_test(test_a_mask_that_changes_is_reported),
        cmocka_unit_test(test_binding_that_is_forbidden_is_reported),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("machines_mt", tests);
}
