/* SPDX-License-Identifier: MIT
 *
 * Proves what a tolerance means: iterations end where the sweep that was looked at found less, the
 * state is that of as many iterations without a tolerance, what was found is |C + alpha~ lambda| in
 * the unit of C and never less, of every type, and follows changes of values and masses.
 */
#include "support.h"

#include "tests/kernel_bed.h"

#include <math.h>

static xpbd_diagnostics diagnose(const xpbd_world *w)
{
    xpbd_diagnostics d;
    memset(&d, 0x5a, sizeof d);
    assert_ok(xpbd_world_diagnose(w, &d));
    return d;
}

/* A cloth that hangs by two corners, some of it soft, some damped, and with ropes across. */
static xpbd_world *make_cloth(const xpbd_world_def *def)
{
    kit_scene cloth = kit_grid(9, 9, 0.1f, KIT_STRUCTURAL | KIT_SHEAR);
    cloth.w[0] = cloth.w[8] = 0;
    static const uint32_t across[2][2] = {{0, 80}, {8, 72}};
    static const float soft = 1e-4f, slow = 0.002f;
    xpbd_world *w = kit_build(def, &cloth, 0.0f);
    assert_ok(xpbd_world_set_constraints(
        w, XPBD_DISTANCE, 10, 20,
        &(xpbd_constraints){.compliance = &soft, .compliance_stride = XPBD_SAME}));
    assert_ok(xpbd_world_set_constraints(
        w, XPBD_DISTANCE, 40, 20,
        &(xpbd_constraints){.damping_time = &slow, .damping_time_stride = XPBD_SAME}));
    assert_ok(xpbd_world_add_constraints(w, XPBD_ROPE, 2,
                                         &(xpbd_constraints){.particles = across[0]}, NULL));
    kit_scene_free(&cloth);
    return w;
}

static xpbd_world_def falling(const char *scheduler, uint32_t iterations)
{
    xpbd_world_def def = kit_def(scheduler);
    def.acceleration[1] = -9.81f;
    def.iterations = iterations;
    def.spectral_radius = 0.9f; /* else it depends on the iterations */
    return def;
}

/* The number of iterations is the only thing that a tolerance changes. (Chebyshev's last one is
 * another where it is known to be the last.) */
static void test_the_state_is_that_of_as_many_iterations(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        uint64_t before = 0;
        for (int k = 0; k < 3; k++) {
            xpbd_world_def def = falling(name, 2000);
            def.tolerance = 0.04f / (float)(1 << 2 * k);
            def.check_every = 3;
            xpbd_world *w = make_cloth(&def);
            kit_steps(w, 1, 0.1);
            const xpbd_diagnostics d = diagnose(w);
            assert_true(d.n_iterations % 3 == 0 && d.n_iterations < 2000);
            assert_true(d.n_iterations >= before && d.n_iterations > 3u * (k > 0));
            assert_int_equal(d.n_unfinished, 0);
            assert_below(d.sweep_residual, (double)def.tolerance);
            before = d.n_iterations;
            def = falling(name, (uint32_t)d.n_iterations);
            xpbd_world *plain = make_cloth(&def);
            kit_steps(plain, 1, 0.1);
            if (strcmp(name, "jacobi-chebyshev") != 0)
                assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(plain), name);
            assert_int_equal(diagnose(plain).n_iterations, d.n_iterations);
            assert_near(diagnose(plain).sweep_residual, 0.0, 0.0);
            xpbd_world_destroy(w);
            xpbd_world_destroy(plain);
        }
    }
}

/* What no sweep can reach ends at the most there are, once per substep, looked at or not. */
static void test_the_most_iterations_are_the_most(void **state)
{
    static const uint32_t every[] = {1, 4, 7, 8, 20, 21};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(every); i++) {
        xpbd_world_def def = falling(NULL, 20);
        def.tolerance = 1e-30f;
        def.check_every = every[i];
        def.substeps = 3;
        xpbd_world *w = make_cloth(&def);
        kit_steps(w, 2, 1.0 / 60);
        const xpbd_diagnostics d = diagnose(w);
        assert_int_equal(d.n_iterations, 60);
        assert_int_equal(d.n_unfinished, 3);
        assert_true(d.sweep_residual > 0.0 || every[i] > 20);
        xpbd_world_destroy(w);
    }
}

/* All constraints of a Jacobi sweep see the state before it, so that what sweep k finds is the
 * residual that k - 1 iterations leave: measured apart, in double. */
static void test_jacobi_finds_the_residual_of_the_iteration_before(void **state)
{
    static const char *const names[] = {"jacobi", "jacobi-mass-splitting", "jacobi-chebyshev"};
    static const float still = 0;
    (void)state;
    for (uint32_t s = 0; s < COUNT_OF(names); s++) {
        for (uint32_t k = 1; k < (s < 2 ? 12 : 2); k += 5) { /* Chebyshev's k - 1 are others */
            xpbd_world_def def = falling(names[s], k);
            def.tolerance = 1e-30f;
            def.check_every = k;
            def.relaxation = 0.75f;
            xpbd_world *w = make_cloth(&def);
            def.tolerance = 0;
            def.iterations = k - 1;
            xpbd_world *before = make_cloth(&def);
            const xpbd_constraints undamped = {.damping_time = &still,
                                               .damping_time_stride = XPBD_SAME};
            assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 40, 20, &undamped));
            assert_ok(xpbd_world_set_constraints(before, XPBD_DISTANCE, 40, 20, &undamped));
            kit_steps(w, 1, 1.0 / 60);
            kit_steps(before, 1, 1.0 / 60);
            const double want = diagnose(before).residual_max;
            assert_true(want > 1e-5);
            /* Roundings of a length near 0.1 m, and of lambda. */
            assert_near(diagnose(w).sweep_residual, want, 1e-5 * want + 4e-8);
            xpbd_world_destroy(w);
            xpbd_world_destroy(before);
        }
    }
}

/* One constraint where it was when the world was prepared: |C| for a type of one row or with rows
 * that do not depend on each other; of blocks not less, and not much more. */
static void test_every_type_is_measured_in_its_unit(void **state)
{
    uint64_t seed = 77;
    (void)state;
    BED_EACH_TYPE(type)
    {
        const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
        static const uint32_t ids[4] = {0, 1, 2, 3};
        uint32_t seen = 0;
        for (int round = 0; round < 12; round++) {
            const bed_constraint c = bed_make(type, 0.2, &seed);
            double C[XPBD_ROWS_MAX], g[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3], most = 0.0;
            assert_true(bed_measure(type, c.x, c.rest, C, g));
            for (uint32_t row = 0; row < info->n_rows; row++) {
                most = fmax(most, fabs(bed_residual(type, C[row], 0.0, 0.0)));
            }
            xpbd_world_def def = kit_def("serial-gs");
            def.tolerance = 1e-30f;
            def.check_every = def.iterations = 1;
            xpbd_world *w = kit_create(&def);
            kit_add_particles(w, info->n_particles, c.x, c.inverse_mass);
            assert_ok(xpbd_world_add_constraints(
                w, (xpbd_constraint_type)type, 1,
                &(xpbd_constraints){.particles = ids, .rest = c.rest, .compliance = &c.compliance},
                NULL));
            kit_steps(w, 1, 0.05);
            const double found = diagnose(w).sweep_residual;
            seen += most > 0.0;
            if (found < most * (1 - 1e-4) - 1e-6 ||
                found > most * (info->n_rows > 1 ? 60 : 1.0001) + 1e-6)
                fail_msg("%s: found %g, measured %g", info->name, found, most);
            xpbd_world_destroy(w);
        }
        assert_true(seen > 3);
    }
}

/* Beside a heavy particle a light one is pulled down and up again in each sweep: nothing moves much
 * from one to the next, and yet the chain is far from solved. */
static void test_a_heavy_chain_is_not_taken_for_solved(void **state)
{
    xpbd_world_def def = falling("serial-gs", 2000);
    def.tolerance = 1e-4f;
    (void)state;
    kit_scene rope = kit_rope(6, 0.1f);
    rope.w[5] = 0.02f;
    for (uint32_t i = 0; i < 6; i++) {
        rope.x[i][1] = -0.1f * (float)i;
        rope.x[i][0] = 0;
    }
    xpbd_world *w = kit_build(&def, &rope, 0.0f);
    kit_steps(w, 1, 1.0 / 60);
    const xpbd_diagnostics d = diagnose(w);
    assert_true(d.n_iterations > 50);
    assert_int_equal(d.n_unfinished, 0);
    assert_below(d.residual_max, 1e-4);
    kit_scene_free(&rope);
    xpbd_world_destroy(w);
}

/* Changed or made so: the same numbers are found. */
static void test_changes_reach_what_is_found(void **state)
{
    static const float soft = 2e-3f, heavy = 0.01f, half = 0.5f, off = 0;
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (int change = 0; change < 5; change++) {
            double found[2];
            for (int late = 0; late < 2; late++) {
                xpbd_world_def def = falling(name, 2);
                def.tolerance = change == 3 && late ? 0 : 1e-30f;
                def.check_every = change == 3 && late ? 8 : 2;
                kit_scene rope = kit_rope(30, 0.1f);
                xpbd_world *w = kit_build(&def, &rope, 1e-6f);
                if (late) {
                    assert_ok(xpbd_world_prepare(w));
                    kit_steps(w, 1, 1.0 / 30);
                    assert_ok(xpbd_world_set_positions(w, 0, 30, rope.x[0], 0));
                    assert_ok(xpbd_world_set_velocities(w, 0, 30, (float[3]){0}, XPBD_SAME));
                }
                xpbd_constraints c = {.compliance = &soft};
                if (change == 1)
                    c = (xpbd_constraints){.stiffness = &half};
                if (change < 2)
                    assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 1, &c));
                if (change == 2)
                    assert_ok(xpbd_world_set_inverse_masses(w, 1, 1, &heavy, 0));
                if (change == 3)
                    assert_ok(xpbd_world_set_tolerance(w, 1e-30f, 2));
                if (change == 4)
                    assert_ok(xpbd_world_set_inverse_masses(w, 15, 1, &off, 0));
                kit_steps(w, 1, 1.0 / 30);
                found[late] = diagnose(w).sweep_residual;
                kit_scene_free(&rope);
                xpbd_world_destroy(w);
            }
            assert_true(found[0] > 0.0);
            assert_near(found[1], found[0], 1e-5 * found[0]);
        }
    }
}

/* Multipliers of the substep before are no part of what the first sweep changes. */
static void test_a_look_forgets_the_substep_before(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    def.tolerance = 1e-30f;
    def.check_every = def.iterations = 1;
    def.substeps = 2;
    (void)state;
    xpbd_world *w = kit_spring(&def, 1.5f, 0.0f, 0.0f);
    const float at[3] = {1.5f, 0, 0};
    for (int i = 0; i < 3; i++) {
        assert_ok(xpbd_world_set_positions(w, 1, 1, at, 0));
        assert_ok(xpbd_world_set_velocities(w, 1, 1, (float[3]){0}, 0));
        kit_steps(w, 1, 2.0);
        assert_near(diagnose(w).sweep_residual, 0.5,
                    0.0); /* of the second: it went back by 1/2 m/s */
    }
    xpbd_world_destroy(w);
}

/* At the start of a substep nothing has been stretched yet, so that damping has no say in h; in
 * what d_lambda means it has. */
static void test_damping_is_taken_into_account(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    def.tolerance = 1e-30f;
    def.check_every = def.iterations = 1;
    (void)state;
    xpbd_world *w = kit_spring(&def, 1.5f, 0.25f, 2.0f);
    kit_steps(w, 1, 1.0);
    assert_near(diagnose(w).sweep_residual, 0.5, 1e-7);
    xpbd_world_destroy(w);
}

/* What is no number is not below anything. */
static void test_overflow_is_never_good_enough(void **state)
{
    static const float far[3] = {3e38f, 3e38f, 0};
    (void)state;
    xpbd_world_def def = falling(NULL, 16);
    def.tolerance = INFINITY;
    xpbd_world *w = make_cloth(&def);
    kit_steps(w, 1, 1.0 / 60);
    assert_int_equal(diagnose(w).n_iterations, 8);
    assert_ok(xpbd_world_set_velocities(w, 40, 1, far, 0));
    kit_steps(w, 1, 10.0);
    const xpbd_diagnostics d = diagnose(w);
    assert_true(d.n_nonfinite > 0);
    assert_int_equal(d.n_iterations, 16);
    assert_int_equal(d.n_unfinished, 1);
    xpbd_world_destroy(w);
}

static void test_bad_values_are_refused(void **state)
{
    static const float bad[] = {-1e-9f, -1, NAN, -INFINITY};
    static const float radii[] = {-0.1f, 1, 1.5f, NAN, INFINITY};
    (void)state;
    xpbd_world *w;
    xpbd_error error;
    for (uint32_t i = 0; i < COUNT_OF(bad); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.tolerance = bad[i];
        assert_status(xpbd_world_create(&def, &w, &error), XPBD_ERROR_TOLERANCE);
        assert_non_null(strstr(error.text, "tolerance"));
        assert_null(w);
    }
    for (uint32_t i = 0; i < COUNT_OF(radii); i++) {
        xpbd_world_def def = xpbd_default_world_def();
        def.spectral_radius = radii[i];
        assert_status(xpbd_world_create(&def, &w, &error), XPBD_ERROR_SPECTRAL_RADIUS);
        assert_non_null(strstr(error.text, "radius"));
    }
    xpbd_world_def def = falling(NULL, 8);
    def.check_every = 0;
    assert_status(xpbd_world_create(&def, &w, &error), XPBD_ERROR_TOLERANCE);
    def.check_every = 2;
    def.tolerance = 1e-3f;
    w = make_cloth(&def);
    xpbd_world *untouched = make_cloth(&def);
    for (uint32_t i = 0; i < COUNT_OF(bad); i++)
        assert_status(xpbd_world_set_tolerance(w, bad[i], 1), XPBD_ERROR_TOLERANCE);
    assert_status(xpbd_world_set_tolerance(w, 1, 0), XPBD_ERROR_TOLERANCE);
    assert_non_null(strstr(xpbd_world_error(w)->text, "every 0"));
    assert_status(xpbd_world_set_tolerance(NULL, 1, 1), XPBD_ERROR_NULL);
    kit_steps(w, 2, 1.0 / 60);
    kit_steps(untouched, 2, 1.0 / 60);
    assert_same_hash(xpbd_world_hash(w), xpbd_world_hash(untouched), "after refusals");
    assert_int_equal(diagnose(w).n_iterations, diagnose(untouched).n_iterations);
    xpbd_world_destroy(w);
    xpbd_world_destroy(untouched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_state_is_that_of_as_many_iterations),
        cmocka_unit_test(test_the_most_iterations_are_the_most),
        cmocka_unit_test(test_jacobi_finds_the_residual_of_the_iteration_before),
        cmocka_unit_test(test_every_type_is_measured_in_its_unit),
        cmocka_unit_test(test_a_heavy_chain_is_not_taken_for_solved),
        cmocka_unit_test(test_changes_reach_what_is_found),
        cmocka_unit_test(test_a_look_forgets_the_substep_before),
        cmocka_unit_test(test_damping_is_taken_into_account),
        cmocka_unit_test(test_overflow_is_never_good_enough),
        cmocka_unit_test(test_bad_values_are_refused),
    };
    return RUN_GROUP("tolerance", tests);
}
