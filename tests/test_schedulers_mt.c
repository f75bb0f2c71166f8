/* SPDX-License-Identifier: MIT
 *
 * Regression tests of faults in colouring and threading known from other engines: colours of stars
 * and grids, stiffness classes, pins set late, Jacobi's stability, calls from inside the host's own
 * threads. A test is named after its entry in the log of known trouble.
 */
#define _POSIX_C_SOURCE 200809L /* alarm, pthread barriers */

#include "support.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

static uint32_t count_stages(const xpbd_world *w)
{
    xpbd_world_summary s;
    assert_ok(xpbd_world_summarize(w, &s));
    return s.n_stages;
}

/* Wherever a constraint of a colour met another one at a particle, two threads would race, and the
 * bits could not stay those of one thread. Large enough that 8 threads have work in a colour. */
static void test_P02_all_constraints_are_coloured_however_soft(void **state)
{
    static const float classes[][2] = {{0, 0}, {1e30f, 1e30f}, {0, 1e30f}, {0, 1e-4f}};
    static const int32_t threads[] = {1, 2, 3, 8};
    kit_scene cloth = kit_grid(101, 101, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = cloth.w[100] = 0;
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(classes); k++) {
        uint64_t want = 0;
        float *soft = calloc(cloth.n_pairs, sizeof *soft);
        assert_non_null(soft);
        for (uint32_t i = 0; i < cloth.n_pairs; i++)
            soft[i] = classes[k][i % 2];
        for (uint32_t t = 0; t < COUNT_OF(threads); t++) {
            xpbd_world_def def = kit_def("colored-gs");
            def.acceleration[1] = -9.81f;
            def.threads = threads[t];
            def.iterations = 5;
            xpbd_world *w = kit_create(&def);
            kit_add_particles(w, cloth.n_particles, (const float(*)[3])cloth.x, cloth.w);
            xpbd_constraints c = {.particles = cloth.pair[0], .compliance = soft};
            assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, cloth.n_pairs, &c, NULL));
            kit_steps(w, 3, 1.0 / 60);
            /* "disabled" by a huge compliance after the colouring, then enabled again */
            const float off = 1e30f, on = 0;
            c = (xpbd_constraints){.compliance = &off, .compliance_stride = XPBD_SAME};
            assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, cloth.n_pairs, &c));
            kit_steps(w, 3, 1.0 / 60);
            c.compliance = &on;
            assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, cloth.n_pairs, &c));
            kit_steps(w, 3, 1.0 / 60);
            if (t == 0)
                want = xpbd_world_hash(w);
            assert_same_hash(xpbd_world_hash(w), want, "colored-gs");
            xpbd_world_destroy(w);
        }
        free(soft);
    }
    kit_scene_free(&cloth);
}

/* Compliance 1e30: nothing is left of the constraints. 1 / (1e30 3600) is no addend to a float. */
static void test_P02_the_softest_cloth_falls_freely(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        kit_scene cloth = kit_grid(21, 21, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
        xpbd_world_def def = kit_def(name);
        def.acceleration[1] = -9.81f;
        xpbd_world *with = kit_build(&def, &cloth, 1e30f), *without = kit_create(&def);
        kit_add_particles(without, cloth.n_particles, (const float(*)[3])cloth.x, cloth.w);
        static const float push[3] = {1, 2, 3};
        assert_ok(xpbd_world_set_velocities(with, 200, 1, push, 0));
        assert_ok(xpbd_world_set_velocities(without, 200, 1, push, 0));
        kit_steps(with, 10, 1.0 / 60);
        kit_steps(without, 10, 1.0 / 60);
        float(*got)[3] = kit_positions(with), (*want)[3] = kit_positions(without);
        for (uint32_t i = 0; i < cloth.n_particles; i++)
            for (int k = 0; k < 3; k++)
                assert_near(got[i][k], want[i][k], 1e-30);
        free(got);
        free(want);
        kit_scene_free(&cloth);
        xpbd_world_destroy(with);
        xpbd_world_destroy(without);
    }
}

/* Kinetic and potential energy of a cloth let go level; heights are counted from the lowest point
 * that 1 m of cloth held at two corners can reach, one diagonal below. */
static double energy(const xpbd_world *w, uint32_t n)
{
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(w, &d));
    float(*x)[3] = kit_positions(w);
    double sum = d.kinetic_energy;
    for (uint32_t i = 0; i < n; i++)
        sum += 9.81 * ((double)x[i][1] + sqrt(2.0));
    free(x);
    return sum;
}

static void test_P03_pins_may_come_after_the_plan(void **state)
{
    static const float zero = 0;
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        kit_scene cloth = kit_grid(32, 32, 0.0625f, KIT_STRUCTURAL | KIT_SHEAR);
        xpbd_world_def def = kit_def(name);
        def.acceleration[1] = -9.81f;
        def.iterations = 5;
        xpbd_world *late = kit_build(&def, &cloth, 0.0f);
        assert_ok(xpbd_world_prepare(late));
        assert_ok(xpbd_world_set_inverse_masses(late, 0, 1, &zero, 0));
        assert_ok(xpbd_world_set_inverse_masses(late, 31, 1, &zero, 0));
        cloth.w[0] = cloth.w[31] = 0;
        xpbd_world *early = kit_build(&def, &cloth, 0.0f);
        const double start = energy(late, 1024);
        kit_steps(late, 300, 1.0 / 60);
        kit_steps(early, 300, 1.0 / 60);
        assert_same_hash(xpbd_world_hash(late), xpbd_world_hash(early), name);
        assert_below(energy(late, 1024), 1.01 * start); /* stable, and no NaN */
        kit_scene_free(&cloth);
        xpbd_world_destroy(late);
        xpbd_world_destroy(early);
    }
}

static uint64_t solve_star(const kit_scene *star, const char *scheduler, int32_t threads,
                           uint32_t *n_stages)
{
    xpbd_world_def def = kit_def(scheduler);
    def.ordering = "natural";
    def.threads = threads;
    def.iterations = 2;
    def.acceleration[1] = -9.81f;
    xpbd_world *w = kit_create(&def);
    const float rest = 1.0f;
    kit_add_particles(w, star->n_particles, (const float(*)[3])star->x, star->w);
    xpbd_constraints c = {.particles = star->pair[0], .rest = &rest, .rest_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, star->n_pairs, &c, NULL));
    kit_steps(w, 2, 1.0 / 60);
    *n_stages = count_stages(w);
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_world_destroy(w);
    return hash;
}

/* All spokes meet at the hub, so every colour has one of them; the greedy colouring takes them as
 * they come, so that colour by colour is the caller's order. */
static void test_P06_a_star_has_as_many_colours_as_spokes(void **state)
{
    static const uint32_t spokes[] = {1, 2, 31, 32, 33, 63, 64, 65, 1000};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(spokes); i++) {
        kit_scene star = kit_star(spokes[i]);
        uint32_t n_stages;
        const uint64_t serial = solve_star(&star, "serial-gs", 1, &n_stages);
        for (int32_t threads = 1; threads <= 8; threads = 2 * threads + 1) {
            const uint64_t got = solve_star(&star, "colored-gs", threads, &n_stages);
            assert_int_equal(n_stages, spokes[i]);
            assert_same_hash(got, serial, "star");
        }
        star.w[0] = 0; /* a fixed hub could do with 1 colour; pins may be released, so it has not */
        const uint64_t fixed = solve_star(&star, "serial-gs", 1, &n_stages);
        assert_same_hash(solve_star(&star, "colored-gs", 2, &n_stages), fixed, "fixed hub");
        assert_true(n_stages == spokes[i] || n_stages == 1);
        kit_scene_free(&star);
    }
}

static void test_P07_jacobi_shares_out_its_corrections(void **state)
{
    static const float x[2][3] = {{0, 0, 0}, {2, 0, 0}}, masses[2] = {0, 1}, rest = 1;
    static const uint32_t pair[2] = {0, 1};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        xpbd_world_def def = kit_def(name);
        def.iterations = 1;
        xpbd_world *w = kit_create(&def);
        kit_add_particles(w, 2, x, masses);
        xpbd_constraints c = {.particles = pair,
                              .particles_stride = XPBD_SAME,
                              .rest = &rest,
                              .rest_stride = XPBD_SAME};
        assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, 8, &c, NULL));
        kit_steps(w, 1, 1.0 / 60);
        float at[3];
        kit_position(w, 1, at);
        assert_near(at[0], 1.0, 0.0); /* Gauss-Seidel: the first of them does it all */
        xpbd_world_destroy(w);
    }
}

static void test_P07_a_hanging_cloth_gains_no_energy(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        kit_scene cloth = kit_grid(32, 32, 1.0f / 31, KIT_STRUCTURAL | KIT_SHEAR);
        cloth.w[0] = cloth.w[31] = 0;
        xpbd_world_def def = kit_def(name);
        def.acceleration[1] = -9.81f;
        xpbd_world *w = kit_build(&def, &cloth, 0.0f);
        const double start = energy(w, 1024);
        for (int i = 0; i < 300; i++) {
            kit_steps(w, 1, 1.0 / 60);
            if (i % 3 == 0)
                assert_below(energy(w, 1024), 1.01 * start);
        }
        kit_scene_free(&cloth);
        xpbd_world_destroy(w);
    }
}

/* 50 x 50 quads with one diagonal: 7600 edges, largest valence 6; greedy needs at most 2 6 - 1. */
static void test_P14_the_colouring_is_always_the_same(void **state)
{
    const char *ordering;
    kit_scene grid = kit_grid(51, 51, 0.02f, KIT_STRUCTURAL | KIT_ONE_DIAGONAL);
    (void)state;
    assert_int_equal(grid.n_pairs, 7600);
    for (uint32_t o = 0; (ordering = xpbd_ordering_name(o)); o++) {
        uint64_t want = 0;
        uint32_t n_stages = 0;
        for (int32_t i = 0; i < 20; i++) {
            xpbd_world_def def = kit_def("colored-gs");
            def.ordering = ordering;
            def.threads = i % 2 ? 4 : 1;
            def.acceleration[1] = -9.81f;
            def.iterations = 2;
            xpbd_world *w = kit_build(&def, &grid, 0.0f);
            const float push[3] = {1, 0, 1};
            assert_ok(xpbd_world_set_velocities(w, 1000, 1, push, 0));
            kit_steps(w, 2, 1.0 / 60);
            if (i == 0) {
                want = xpbd_world_hash(w);
                n_stages = count_stages(w);
                assert_in_range(n_stages, 6, 11);
            }
            assert_int_equal(count_stages(w), n_stages);
            assert_same_hash(xpbd_world_hash(w), want, ordering);
            xpbd_world_destroy(w);
        }
    }
    kit_scene_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_P02_all_constraints_are_coloured_however_soft),
        cmocka_unit_test(test_P02_the_softest_cloth_falls_freely),
        cmocka_unit_test(test_P03_pins_may_come_after_the_plan),
        cmocka_unit_test(test_P06_a_star_has_as_many_colours_as_spokes),
        cmocka_unit_test(test_P07_jacobi_shares_out_its_corrections),
        cmocka_unit_test(test_P07_a_hanging_cloth_gains_no_energy),
        cmocka_unit_test(test_P14_the_colouring_is_always_the_same),
    };
    alarm(280); /* a barrier that never opens ends as a failure, not as a hung build */
    return RUN_GROUP("schedulers_mt", tests);
}
