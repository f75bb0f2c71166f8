/* SPDX-License-Identifier: MIT
 *
 * What a study would measure on machines that are not here, what a plan says of itself, and what
 * constraints need of a machine.
 */
#include "support.h"

#include "bench/plans.h"
#include "bench/roof/roof.h"
#include "bench/roof/roof_lanes.h"
#include "bench/study.h"
#include "solver/world.h"

#include <hwloc.h>
#include <math.h>

/* ---- ladders */

static bench_ladder ladder_of(const char *line, uint32_t n_cpus, uint32_t quota)
{
    bench_ladder ladder;
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, line), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    bench_ladder_make(topology, n_cpus, quota, &ladder);
    hwloc_topology_destroy(topology);
    return ladder;
}

static void check_ladder(const bench_ladder *ladder, const uint32_t *want, size_t n)
{
    assert_int_equal(ladder->n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ladder->threads[i], want[i]);
}

static void test_ladders_stop_where_something_is_full(void **state)
{
    static const uint32_t SERVER[] = {1, 2, 4, 6, 8, 12, 16, 24, 32, 48};
    static const uint32_t MASKED[] = {1, 2, 4, 5}, QUOTA[] = {1, 2, 3}, ONE[] = {1};
    (void)state;
    /* Two packages of two caches with six cores and twelve threads each. */
    const bench_ladder server = ladder_of("pack:2 l3:2 core:6 pu:2", 0, 0);
    check_ladder(&server, SERVER, COUNT_OF(SERVER));
    assert_string_equal(server.why[3], "cores of a last-level cache");
    assert_string_equal(server.why[5], "cores of a package");
    assert_string_equal(server.why[7], "all cores");
    assert_string_equal(server.why[9], "all that may be used");
    const bench_ladder masked = ladder_of("pack:1 core:8 pu:1", 5, 0);
    check_ladder(&masked, MASKED, COUNT_OF(MASKED));
    const bench_ladder quota = ladder_of("pack:1 core:8 pu:1", 0, 3);
    check_ladder(&quota, QUOTA, COUNT_OF(QUOTA));
    assert_string_equal(quota.why[2], "all that the quota allows");
    bench_ladder none;
    bench_ladder_make(NULL, 0, 0, &none);
    check_ladder(&none, ONE, 1);
}

/* ---- plans and needs */

static bench_scene scene_of(const char *name)
{
    char error[256];
    bench_scene scene = {.made = name};
    assert_true(xpbd_scene_make(name, &scene.scene, error, sizeof error));
    scene.n_particles = scene.scene.n_particles;
    for (uint32_t i = 0; i < scene.scene.n_batches; i++)
        scene.n_constraints += scene.scene.batches[i].n_elements;
    return scene;
}

static xpbd_world *world_of(const bench_scene *scene, const char *scheduler, const char *layout)
{
    xpbd_world_def def = xpbd_default_world_def();
    xpbd_world *world = NULL;
    def.scheduler = scheduler;
    def.layout = layout;
    assert_ok(xpbd_world_create(&def, &world, NULL));
    assert_ok(xpbd_scene_build(&scene->scene, world));
    assert_ok(xpbd_world_prepare(world));
    return world;
}

/* Work of "work:strips*count,..." added up. */
static uint64_t work_in(const char *text)
{
    uint64_t sum = 0;
    while (*text != '\0') {
        char *end;
        uint64_t work = strtoull(text, &end, 10);
        assert_int_equal(*end, ':');
        (void)strtoull(end + 1, &end, 10);
        if (*end == '*')
            work *= strtoull(end + 1, &end, 10);
        sum += work;
        text = *end == ',' || *end == '~' ? end + 1 : end;
    }
    return sum;
}

static void test_plans_tell_all_work(void **state)
{
    static const char *const NAMES[] = {"slab-gs", "colored-gs", "jacobi"};
    bench_scene scene = scene_of("cloth-48");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        xpbd_world *world = world_of(&scene, NAMES[i], "aos4");
        uint64_t work = 0;
        for (uint32_t s = 0; s < world->build.plan.n_stages; s++)
            work += world->build.plan.stages[s].work;
        char *text = bench_plan_text(world);
        assert_int_equal(work_in(text), work);
        assert_int_equal(strchr(text, '~') != NULL, world->build.plan.slab_strips != NULL);
        free(text);
        xpbd_world_destroy(world);
    }
    xpbd_world *serial = world_of(&scene, "serial-gs", "aos4");
    char *text = bench_plan_text(serial);
    assert_string_equal(text, "1:1"); /* whatever its stages, one thread */
    free(text);
    xpbd_world_destroy(serial);
    xpbd_scene_free(&scene.scene);
}

/* A line has four records or a component of sixteen particles: a group of a scattered grid can
 * touch no fewer than its particles fill. */
static void test_lines_of_a_group(void **state)
{
    bench_scene scene = scene_of("cloth-48"), wild = scene_of("cloth-48-scrambled");
    (void)state;
    xpbd_world *tidy = world_of(&scene, "colored-gs", "aos4");
    const double lines = bench_plan_lines(tidy);
    assert_true(lines >= 0.125 && lines <= 2);
    xpbd_world_destroy(tidy);
    xpbd_world *serial = world_of(&wild, "serial-gs", "aos4");
    assert_true(bench_plan_lines(serial) > lines);
    xpbd_world_destroy(serial);
    xpbd_scene_free(&scene.scene);
    xpbd_scene_free(&wild.scene);
}

static void test_needs_are_those_of_the_source(void **state)
{
    bench_scene scene = scene_of("rope-3000");
    roof_need need;
    (void)state;
    assert_true(roof_count(&scene, &need));
    /* One root and one quotient, in groups of which pad lanes are a few. */
    const double padded = need.roots;
    assert_true(padded >= 1 && padded < 1.05);
    assert_true(fabs(need.quotients - padded) < 1e-9);
    /* In each lane two records and their numbers come in and two go out; length, compliance and
     * lambda come in, lambda goes out. */
    assert_true(fabs(need.loaded - padded * (2 * 20 + 12)) < 1e-9);
    assert_true(fabs(need.stored - padded * (2 * 16 + 4)) < 1e-9);
    /* Two numbers, length, compliance, lambda twice; each particle in and out. */
    const double particles = 32.0 * scene.n_particles / (double)scene.n_constraints;
    assert_true(fabs(need.moved - 24 - particles) < 1e-9);
    xpbd_scene_free(&scene.scene);
}

static void test_all_scenes_can_be_counted(void **state)
{
    static const char *const NAMES[] = {"cloth-8", "tetblock-3", "drape-5", "softbody-3",
                                        "balloon-4"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        bench_scene scene = scene_of(NAMES[i]);
        roof_need need;
        assert_true(roof_count(&scene, &need));
        assert_true(need.operations > 5 && need.roots + need.quotients > 0 && need.moved > 8);
        xpbd_scene_free(&scene.scene);
    }
}

static void test_bounds_are_the_slowest_need(void **state)
{
    const roof_need need = {.operations = 30,
                            .roots = 1,
                            .quotients = 1,
                            .loaded = 50,
                            .stored = 40,
                            .moved = 40,
                            .scene = 1 << 19};
    roof_limits limits = {.n_lanes = 1, .n_threads = 2, .threads = {1, 2}};
    limits.lanes[0].isa = "avx2";
    limits.lanes[0].arithmetic = 60e9;
    limits.lanes[0].root = 4e9;
    limits.lanes[0].quotient = 8e9;
    limits.cache_bytes[ROOF_L1] = 1 << 15;
    limits.cache_bytes[ROOF_L2] = 1 << 18;
    limits.cache_bytes[ROOF_L3] = 1 << 24;
    for (int level = 0; level < ROOF_LEVELS; level++)
        for (int i = 0; i < 2; i++) {
            limits.read[level][i] = (level == ROOF_L1 ? 400e9 : 50e9) * (i + 1);
            limits.update[level][i] = limits.read[level][i];
        }
    bench_row rows[2] = {{.n_samples = 1, .ns_min = 1.6}, {.n_samples = 1, .ns_min = 0.8}};
    for (int i = 0; i < 2; i++)
        rows[i].what = (bench_case){"slab-gs", "aos4", "avx2", "compact", (uint32_t)i + 1};
    bench_result result = {.rows = rows, .n_rows = 2};
    (void)state;
    roof_bound(&limits, &need, &result);
    const bench_needs *one = &rows[0].needs;
    assert_true(fabs(one->bound_ns[BENCH_BOUND_ARITHMETIC] - 0.5) < 1e-9);
    assert_true(fabs(one->bound_ns[BENCH_BOUND_DIVIDE] - 0.375) < 1e-9);
    assert_true(fabs(one->bound_ns[BENCH_BOUND_CACHE] - 0.2) < 1e-9);
    assert_true(fabs(one->bound_ns[BENCH_BOUND_MEMORY] - 0.8) < 1e-9);
    assert_int_equal(one->level, ROOF_L3);
    assert_true(fabs(one->reached - 0.5) < 1e-9);
    /* Two threads have twice of all, and two L2 hold the scene. */
    assert_int_equal(rows[1].needs.level, ROOF_L2);
    assert_true(fabs(rows[1].needs.reached - 0.5) < 1e-9);
}

/* The loops do what they say, so that none of them is left out by a compiler. */
static void test_loops_do_their_work(void **state)
{
    _Alignas(64) float a[2 * ROOF_STRIDE];
    const char *isa;
    (void)state;
    for (uint32_t i = 0; (isa = xpbd_isa_name(i)) != NULL; i++) {
        const roof_lanes *lanes = roof_lanes_find(isa);
        if (!xpbd_isa_available(i) || lanes == NULL)
            continue;
        lanes->store(a, COUNT_OF(a), 3);
        lanes->update(a, COUNT_OF(a), 1);
        assert_true(lanes->read(a, COUNT_OF(a)) == 4.0f * COUNT_OF(a));
        /* Products stay 1, sums count the turns. */
        const float n = (float)lanes->width * ROOF_CHAINS;
        assert_true(lanes->arithmetic(10, 1) == n * 1 + n * 11);
        /* x = sqrt(x + 1.7) and x = 1.7 / (x + 1.7) */
        assert_true(fabsf(lanes->root(60, 1) / n - 1.8964f) < 1e-3f);
        assert_true(fabsf(lanes->divide(60, 1) / n - 0.7064f) < 1e-3f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ladders_stop_where_something_is_full),
        cmocka_unit_test(test_plans_tell_all_work),
        cmocka_unit_test(test_lines_of_a_group),
        cmocka_unit_test(test_needs_are_those_of_the_source),
        cmocka_unit_test(test_all_scenes_can_be_counted),
        cmocka_unit_test(test_bounds_are_the_slowest_need),
        cmocka_unit_test(test_loops_do_their_work),
    };
    return RUN_GROUP("plans", tests);
}
