/* SPDX-License-Identifier: MIT
 *
 * Which processors a team is planned on: machines made up by hwloc, and the real one under an
 * affinity mask. What threads then do is in test_team_mt.c.
 */
#define _GNU_SOURCE /* mkdtemp(), sched_setaffinity() */
#include "base/topology.h"
#include "tests/support.h"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#define DATA "tests/data/topology/"

/* Plenty of everything, so that the topology alone decides. */
static const xpbd_topology_limits WIDE = {.n_cpus = 1000, .n_openmp = 1000};

static struct hwloc_topology *synthetic(const char *text)
{
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, text), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    return topology;
}

static struct hwloc_topology *from_file(const char *path)
{
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_xml(topology, path), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    return topology;
}

/* Plan as many threads as `want` names and compare; unloads the topology. */
static void check_order(struct hwloc_topology *topology, uint32_t pinning, const char *want)
{
    xpbd_topology_plan plan;
    char got[512] = "";
    uint32_t n = 1;
    for (const char *c = want; *c; c++)
        n += *c == ' ';
    xpbd_topology_plan_on(topology, &WIDE, (int32_t)n, pinning, &plan);
    assert_int_equal(plan.n_threads, n);
    for (uint32_t i = 0, at = 0; i < n; i++)
        at += (uint32_t)snprintf(got + at, sizeof got - at, "%s%d", i ? " " : "", plan.cpu[i]);
    assert_string_equal(got, want);
    xpbd_topology_unload(topology);
}

static void test_T08_logical_and_os_index(void **state)
{
    (void)state;
    const char *box = "pack:2 core:2 pu:1(indexes=0,2,1,3)";
    check_order(synthetic(box), XPBD_PINNING_compact, "0 2 1 3");
    check_order(synthetic(box), XPBD_PINNING_scatter, "0 1 2 3");
}

static void test_T02_more_threads_than_processors_go_round(void **state)
{
    (void)state;
    struct hwloc_topology *topology = synthetic("core:4 pu:1");
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_from_ulong(set, 0xa);
    assert_int_equal(hwloc_topology_restrict(topology, set, 0), 0);
    hwloc_bitmap_free(set);
    const xpbd_topology_limits limits = {.n_cpus = 2, .n_openmp = 2};
    xpbd_topology_plan plan;
    xpbd_topology_plan_on(topology, &limits, 4, XPBD_PINNING_compact, &plan);
    assert_true(plan.oversubscribed);
    assert_int_equal(plan.n_usable, 2);
    check_order(topology, XPBD_PINNING_compact, "1 3 1 3");
}

static void test_cores_come_before_their_siblings(void **state)
{
    (void)state;
    check_order(from_file(DATA "two_sockets.xml"), XPBD_PINNING_compact,
                "0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15 0");
    check_order(from_file(DATA "two_sockets.xml"), XPBD_PINNING_scatter,
                "0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15 0");
    check_order(from_file(DATA "one_core.xml"), XPBD_PINNING_scatter, "0 0 0");
}

static void test_T07_fast_kinds_come_first(void **state)
{
    (void)state;
    check_order(from_file(DATA "hybrid.xml"), XPBD_PINNING_compact, "4 5 6 7");
    check_order(from_file(DATA "hybrid.xml"), XPBD_PINNING_scatter, "4 5 6 7 0 1 2 3");
    /* A slow core beats the sibling of a fast one, which has half a core. */
    check_order(from_file(DATA "hybrid_smt.xml"), XPBD_PINNING_compact, "4 6 0 1 2 3 5 7");
}

static void test_T07_unknown_kinds_are_alike(void **state)
{
    (void)state;
    check_order(from_file(DATA "hybrid_unranked.xml"), XPBD_PINNING_compact, "0 1 2 3 4 5 6 7");
    check_order(synthetic("core:8 pu:1"), XPBD_PINNING_compact, "0 1 2 3 4 5 6 7");
}

static void test_T13_missing_memory_data_loses_no_processor(void **state)
{
    (void)state;
    check_order(from_file(DATA "memoryless_node.xml"), XPBD_PINNING_compact, "0 1 2 3");
    check_order(from_file(DATA "memoryless_node.xml"), XPBD_PINNING_scatter, "0 2 1 3");
    check_order(synthetic("pu:3"), XPBD_PINNING_scatter, "0 1 2");
}

/* Both orders are permutations of all processors, on lopsided and on large machines. */
static void test_orders_are_permutations(void **state)
{
    (void)state;
    static const char *const BOXES[] = {"pack:3 l3:2 core:3 pu:2", "pack:2 core:64 pu:2",
                                        "group:5 core:1 pu:4", "pack:2 core:128 pu:2"};
    for (uint32_t b = 0; b < COUNT_OF(BOXES); b++) {
        for (uint32_t p = XPBD_PINNING_compact; p < XPBD_PINNING_COUNT; p++) {
            struct hwloc_topology *topology = synthetic(BOXES[b]);
            const int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
            const uint32_t n_planned = n < XPBD_THREADS_MAX ? (uint32_t)n : XPBD_THREADS_MAX;
            bool seen[512] = {false};
            xpbd_topology_plan plan;
            xpbd_topology_plan_on(topology, &WIDE, n, p, &plan);
            assert_int_equal(plan.n_threads, n_planned);
            for (uint32_t i = 0; i < n_planned; i++) {
                assert_in_range(plan.cpu[i], 0, n - 1);
                assert_false(seen[plan.cpu[i]]);
                seen[plan.cpu[i]] = true;
            }
            xpbd_topology_unload(topology);
        }
    }
}

static void test_P12_any_number_of_threads_is_cut_to_the_largest_team(void **state)
{
    (void)state;
    static const struct {
        int32_t requested;
        uint32_t want;
    } CASES[] = {{0, 3},     {-1, 3},       {INT32_MIN, 3}, {1, 1},   {31, 31},
                 {32, 32},   {33, 33},      {64, 64},       {65, 65}, {256, 256},
                 {257, 256}, {100000, 256}, {3, 3},         {4, 4},   {INT32_MAX, 256}};
    const xpbd_topology_limits limits = {.n_cpus = 3, .n_openmp = 8};
    for (uint32_t i = 0; i < COUNT_OF(CASES); i++) {
        for (uint32_t p = 0; p < XPBD_PINNING_COUNT + 1; p++) {
            struct hwloc_topology *topology = synthetic("core:3 pu:1");
            xpbd_topology_plan plan;
            xpbd_topology_plan_on(topology, &limits, CASES[i].requested, p, &plan);
            assert_int_equal(plan.n_threads, CASES[i].want);
            assert_int_equal(plan.oversubscribed, CASES[i].want > 3);
            const bool pinned = p != XPBD_PINNING_none && p < XPBD_PINNING_COUNT;
            for (uint32_t k = 0; k < XPBD_THREADS_MAX; k++)
                assert_int_equal(plan.cpu[k], pinned && k < plan.n_threads ? (int32_t)(k % 3) : -1);
            xpbd_topology_unload(topology);
        }
    }
}

static void test_automatic_count_is_the_smallest_limit(void **state)
{
    (void)state;
    static const xpbd_topology_limits CASES[] = {{.n_cpus = 8, .n_openmp = 8},
                                                 {.n_cpus = 8, .n_openmp = 3},
                                                 {.n_cpus = 8, .n_openmp = 8, .n_quota = 2},
                                                 {.n_cpus = 1, .n_openmp = 8, .n_quota = 2},
                                                 {.n_cpus = 0, .n_openmp = 0},
                                                 {.n_cpus = 2, .n_openmp = 64}};
    static const uint32_t WANT[] = {8, 3, 2, 1, 1, 2};
    for (uint32_t i = 0; i < COUNT_OF(CASES); i++) {
        xpbd_topology_plan plan;
        xpbd_topology_plan_on(NULL, &CASES[i], 0, XPBD_PINNING_none, &plan);
        assert_int_equal(plan.n_threads, WANT[i]);
        assert_false(plan.oversubscribed);
    }
}

static void test_T12_binding_is_left_to_openmp(void **state)
{
    (void)state;
    const xpbd_topology_limits limits = {.n_cpus = 2, .n_openmp = 2, .openmp_binds = true};
    xpbd_topology_plan plan;
    xpbd_topology_plan_threads(&limits, 0, XPBD_PINNING_compact, &plan);
    assert_string_equal(plan.binding, "left to OpenMP");
    assert_false(plan.bind);
    assert_int_equal(plan.n_threads, 2);
    assert_int_equal(plan.cpu[0], -1);
}

/* ---- this machine */

static xpbd_topology_limits here(void)
{
    xpbd_topology_limits limits = xpbd_topology_system_limits();
    limits.n_openmp = XPBD_THREADS_MAX;
    return limits;
}

static void check_mask_unchanged(const xpbd_topology_mask *before)
{
    xpbd_topology_mask after;
    xpbd_topology_save_mask(&after);
    assert_memory_equal(&after, before, sizeof after);
}

static void test_T01_plan_stays_within_the_affinity_mask(void **state)
{
    (void)state;
    xpbd_topology_mask before;
    xpbd_topology_save_mask(&before);
    if (!before.ok)
        skip();
    for (int32_t cpu = 0; cpu < 64 * XPBD_TOPOLOGY_MASK_WORDS; cpu++) {
        if (!xpbd_topology_bind_self(cpu, &before))
            continue;
        const xpbd_topology_limits limits = here();
        xpbd_topology_mask narrow;
        xpbd_topology_save_mask(&narrow);
        xpbd_topology_plan plan;
        xpbd_topology_plan_threads(&limits, 0, XPBD_PINNING_compact, &plan);
        assert_int_equal(plan.n_threads, 1);
        assert_int_equal(plan.n_usable, 1);
        if (plan.bind)
            assert_int_equal(plan.cpu[0], cpu);
        xpbd_topology_plan_threads(&limits, 4, XPBD_PINNING_scatter, &plan);
        assert_true(plan.oversubscribed);
        for (uint32_t i = 0; plan.bind && i < 4; i++)
            assert_int_equal(plan.cpu[i], cpu);
        check_mask_unchanged(&narrow);
        assert_true(xpbd_topology_restore_mask(&before));
    }
    check_mask_unchanged(&before);
}

static void test_T01_no_thread_is_bound_outside_a_mask(void **state)
{
    (void)state;
    xpbd_topology_mask before;
    xpbd_topology_save_mask(&before);
    if (!before.ok)
        skip();
    int32_t cpu = 0;
    while (!(before.word[cpu / 64] >> (cpu % 64) & 1))
        cpu++;
    xpbd_topology_mask without = before;
    without.word[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
    assert_false(xpbd_topology_bind_self(cpu, &without));
    assert_false(xpbd_topology_bind_self(-1, &before));
    assert_false(xpbd_topology_bind_self(64 * XPBD_TOPOLOGY_MASK_WORDS, &before));
    check_mask_unchanged(&before);
}

/* Plan with one variable set; what hwloc reads from the environment must never make us bind. */
static xpbd_topology_plan plan_under(const char *variable, const char *value)
{
    const xpbd_topology_limits limits = here();
    xpbd_topology_mask before;
    xpbd_topology_save_mask(&before);
    xpbd_topology_plan plan;
    assert_int_equal(setenv(variable, value, 1), 0);
    xpbd_topology_plan_threads(&limits, 0, XPBD_PINNING_compact, &plan);
    assert_int_equal(unsetenv(variable), 0);
    check_mask_unchanged(&before);
    assert_in_range(plan.n_threads, 1, XPBD_THREADS_MAX);
    assert_int_equal(plan.n_threads, limits.n_quota && limits.n_quota < limits.n_cpus
                                         ? limits.n_quota
                                         : limits.n_cpus);
    return plan;
}

static void test_T06_foreign_topology_is_planned_but_not_bound(void **state)
{
    (void)state;
    xpbd_topology_plan plan = plan_under("HWLOC_SYNTHETIC", "core:8 pu:1");
    assert_false(plan.bind);
    assert_string_equal(plan.binding, "not this system, not bound");
    assert_int_equal(plan.cpu[0], 0);
    plan = plan_under("HWLOC_XMLFILE", DATA "hybrid.xml");
    assert_false(plan.bind);
    assert_string_equal(plan.binding, "not this system, not bound");
    assert_int_equal(plan.cpu[0], 4);
}

static void test_T05_no_topology_is_no_obstacle(void **state)
{
    (void)state;
    char folder[] = "/tmp/xpbd_no_topology_XXXXXX";
    assert_non_null(mkdtemp(folder));
    const xpbd_topology_plan plan = plan_under("HWLOC_FSROOT", folder);
    assert_int_equal(rmdir(folder), 0);
    assert_false(plan.bind);
    (void)plan_under("HWLOC_XMLFILE", "/nonexistent");

    xpbd_topology_plan none;
    xpbd_topology_plan_on(NULL, &WIDE, 2, XPBD_PINNING_compact, &none);
    assert_string_equal(none.binding, "unavailable");
    assert_false(none.bind);
    assert_int_equal(none.n_threads, 2);
    assert_int_equal(none.cpu[0], -1);
}

/* ---- for the record */

static void take_text(void *user, const char *text, size_t length)
{
    assert_int_equal(strlen(text), length);
    assert_non_null(strstr(text, "<topology"));
    const char *key = "\"HostName\" value=\"";
    const char *name = strstr(text, key);
    assert_true(!name || name[strlen(key)] == '"');
    *(size_t *)user = length;
}

static void test_export_is_complete_and_nameless(void **state)
{
    (void)state;
    size_t length = 0;
    assert_true(xpbd_topology_export_xml(take_text, &length));
    assert_true(length > 100);
    char line[200] = "x";
    assert_int_equal(setenv("HWLOC_SYNTHETIC", "pack:2 core:2 pu:1", 1), 0);
    xpbd_topology_export_line(line, sizeof line);
    assert_int_equal(unsetenv("HWLOC_SYNTHETIC"), 0);
    assert_non_null(strstr(line, "Package:2 Core:2 PU:1"));
    xpbd_topology_export_line(line, 0);
}

static void test_every_pinning_has_a_name_and_a_text(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < XPBD_PINNING_COUNT; i++) {
        assert_true(xpbd_topology_pinning_name(i)[0] != '\0');
        assert_true(xpbd_topology_pinning_text(i)[0] != '\0');
    }
    assert_null(xpbd_topology_pinning_name(XPBD_PINNING_COUNT));
    assert_null(xpbd_topology_pinning_text(UINT32_MAX));
}

int main(void)
{
    /* What is in the environment of the test must not decide it. */
    unsetenv("HWLOC_SYNTHETIC"), unsetenv("HWLOC_XMLFILE"), unsetenv("HWLOC_FSROOT");
    unsetenv("HWLOC_THISSYSTEM");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_T08_logical_and_os_index),
        cmocka_unit_test(test_T02_more_threads_than_processors_go_round),
        cmocka_unit_test(test_cores_come_before_their_siblings),
        cmocka_unit_test(test_T07_fast_kinds_come_first),
        cmocka_unit_test(test_T07_unknown_kinds_are_alike),
        cmocka_unit_test(test_T13_missing_memory_data_loses_no_processor),
        cmocka_unit_test(test_orders_are_permutations),
        cmocka_unit_test(test_P12_any_number_of_threads_is_cut_to_the_largest_team),
        cmocka_unit_test(test_automatic_count_is_the_smallest_limit),
        cmocka_unit_test(test_T12_binding_is_left_to_openmp),
        cmocka_unit_test(test_T01_plan_stays_within_the_affinity_mask),
        cmocka_unit_test(test_T01_no_thread_is_bound_outside_a_mask),
        cmocka_unit_test(test_T06_foreign_topology_is_planned_but_not_bound),
        cmocka_unit_test(test_T05_no_topology_is_no_obstacle),
        cmocka_unit_test(test_export_is_complete_and_nameless),
        cmocka_unit_test(test_every_pinning_has_a_name_and_a_text),
    };
    return RUN_GROUP("topology", tests);
}
