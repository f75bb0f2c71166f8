/* SPDX-License-Identifier: MIT
 *
 * Proves that what is read back is what the header says: multipliers, constraint forces, the
 * summary, the diagnostics and the hash, each against a hand-made scene whose values are known in
 * closed form.
 */
#include "support.h"

#include <math.h>

static const double tick = 1.0 / 64;

static void test_lambdas_and_forces_are_zero_before_the_first_step(void **state)
{
    static const uint32_t lone = 1;
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 1.5f, 1e-3f, 0.0f);
    float out[6], zeros[6] = {0};
    (void)state;
    assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, 1, &(xpbd_constraints){.particles = &lone},
                                         NULL));
    memset(out, 0x5a, sizeof out);
    assert_ok(xpbd_world_read_lambdas(w, XPBD_DISTANCE, 0, 1, out, 0));
    assert_same_floats(out, zeros, 1);
    memset(out, 0x5a, sizeof out);
    assert_ok(xpbd_world_read_lambdas(w, XPBD_ATTACH, 0, 1, out, 0));
    assert_same_floats(out, zeros, 3);
    memset(out, 0x5a, sizeof out);
    assert_ok(xpbd_world_read_forces(w, XPBD_DISTANCE, 0, 1, out, 0));
    assert_same_floats(out, zeros, 6);
    memset(out, 0x5a, sizeof out);
    assert_ok(xpbd_world_read_forces(w, XPBD_ATTACH, 0, 1, out, 0));
    assert_same_floats(out, zeros, 3);
    xpbd_world_destroy(w);
}

/* N01 as a force: lambda = -1/4 at dt = 0.1 is 25 N of pull; the last substep counts, also of two
 * with half the step. Rounding: lambda and dt^2 to 2^-24 each. */
static void test_force_is_lambda_times_gradient_over_dt_squared(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        xpbd_world_def def = kit_def(name);
        xpbd_world *w = kit_spring(&def, 1.5f, 0.01f, 0.0f);
        float f[2][3];
        kit_steps(w, 1, 0.1);
        assert_ok(xpbd_world_read_forces(w, XPBD_DISTANCE, 0, 1, f[0], 0));
        assert_near(f[0][0], 25.0, 25.0 * 0x1p-22);
        assert_near(f[1][0], -25.0, 25.0 * 0x1p-22);
        for (int k = 1; k < 3; k++) {
            assert_near(f[0][k], 0.0, 0.0);
            assert_near(f[1][k], 0.0, 0.0);
        }
        xpbd_world_destroy(w);
    }
}

/* Two masses hang: 3 kg attached to a fixed point, 2 kg on a spring below it. At rest the spring
 * carries 20 N and the attachment 50 N. A float of at most 4 m at rest is off by 2^-23 m, which is
 * a force of compliance^-1 2^-23 N for each of the two ends, and the same over dt^2 per mass for
 * what the mass is still accelerated by: (2 / 1e-3 + 5 / (1/60)^2) 2^-23 = 0.0025 N. */
static void test_forces_of_a_hanging_pair_carry_its_weight(void **state)
{
    static const float x[2][3] = {{0, 0, 0}, {0, -1, 0}}, masses[2] = {1 / 3.0f, 0.5f};
    static const uint32_t pair[2] = {0, 1};
    const float soft = 1e-3f, tolerance = 0.0025f;
    const char *name;
    (void)state;
    for (uint32_t i = 0; (name = xpbd_scheduler_name(i)); i++) {
        if (!strcmp(name, "jacobi"))
            continue; /* averaging does not keep momentum, so its forces are not those of statics */
        xpbd_world_def def = kit_def(name);
        def.acceleration[1] = -10.0f;
        def.iterations = 50;
        xpbd_world *w = kit_create(&def);
        kit_add_particles(w, 2, x, masses);
        kit_add_distances(w, 1, &pair, NULL, soft);
        xpbd_constraints c = {.particles = pair, .compliance = &soft};
        assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, 1, &c, NULL));
        kit_steps(w, 1200, 1.0 / 60);
        float f[2][3], anchor[3], at[3];
        assert_ok(xpbd_world_read_forces(w, XPBD_DISTANCE, 0, 1, f[0], 0));
        assert_ok(xpbd_world_read_forces(w, XPBD_ATTACH, 0, 1, anchor, 0));
        assert_near(f[0][1], -20.0, tolerance);
        assert_near(f[1][1], 20.0, tolerance);
        assert_near(f[0][1] + f[1][1], 0.0, 0.0); /* action and reaction */
        assert_near(anchor[1], 50.0, tolerance);
        kit_position(w, 0, at);
        assert_near(at[1], -0.05, (double)(tolerance * soft));
        kit_position(w, 1, at);
        assert_near(at[1], -0.05 - 1.02, 2 * (double)(tolerance * soft));
        xpbd_world_destroy(w);
    }
}

static void test_summary_counts_what_was_built(void **state)
{
    kit_scene star = kit_star(20);
    xpbd_world_def def = kit_def("colored-gs");
    xpbd_world *w = kit_build(&def, &star, 0.0f);
    xpbd_world_summary s;
    (void)state;
    memset(&s, 0x5a, sizeof s);
    assert_ok(xpbd_world_summarize(w, &s));
    assert_int_equal(s.n_particles, 21);
    assert_int_equal(s.n_constraints[XPBD_DISTANCE], 20);
    assert_int_equal(s.n_constraints[XPBD_ATTACH], 0);
    assert_string_equal(s.scheduler, "colored-gs");
    assert_int_equal(s.threads, 1);
    assert_false(s.oversubscribed);
    assert_non_null(s.isa);
    assert_non_null(s.ordering);
    assert_string_equal(s.binding, "none");
    assert_int_equal(s.n_stages, 0);
    assert_int_equal(s.n_groups, 0);
    assert_int_equal(s.n_padding, 0);
    assert_ok(xpbd_world_prepare(w));
    assert_ok(xpbd_world_summarize(w, &s));
    assert_int_equal(s.n_stages, 20); /* every spoke meets every other at the hub */
    assert_int_equal(s.n_groups, 20);
    assert_int_equal(s.n_padding, 20 * 15);
    assert_true(s.bytes >= 21 * 7 * sizeof(float) + 20 * 5 * sizeof(float));
    /* Adding makes the plan stale. */
    static const float one[3] = {9, 9, 9};
    assert_ok(xpbd_world_add_particles(w, 1, &(xpbd_particles){.position = one}, NULL));
    kit_steps(w, 1, tick);
    assert_ok(xpbd_world_summarize(w, &s));
    assert_int_equal(s.n_particles, 22);
    assert_int_equal(s.n_stages, 20);
    kit_scene_free(&star);
    xpbd_world_destroy(w);

    kit_scene pairs = kit_pairs(100, 1); /* one colour: 7 groups of 16, 12 lanes to spare */
    w = kit_build(&def, &pairs, 0.0f);
    assert_ok(xpbd_world_prepare(w));
    assert_ok(xpbd_world_summarize(w, &s));
    assert_int_equal(s.n_stages, 1);
    assert_int_equal(s.n_groups, 7);
    assert_int_equal(s.n_padding, 12);
    kit_scene_free(&pairs);
    xpbd_world_destroy(w);
}

/* Powers of two, so that every sum is exact in double. */
static void test_diagnostics_of_a_known_state(void **state)
{
    static const float x[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 2, 0}};
    static const float v[3][3] = {{8, 8, 8}, {0, 1, 0}, {2, 0, -1}}, masses[3] = {0, 0.5f, 0.25f};
    static const uint32_t pairs[2][2] = {{0, 1}, {2, 0}}, lone = 2;
    static const float rest[2] = {3.5f, 2.25f}, target[3] = {0, 2, -0.125f};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_create(&def);
    xpbd_diagnostics d;
    (void)state;
    assert_ok(xpbd_world_add_particles(
        w, 3, &(xpbd_particles){.position = x[0], .velocity = v[0], .inverse_mass = masses}, NULL));
    kit_add_distances(w, 2, pairs, rest, 0x1p-3f);
    const float soft = 0x1p-4f;
    xpbd_constraints c = {.particles = &lone, .rest = target, .compliance = &soft};
    assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, 1, &c, NULL));
    assert_ok(xpbd_world_diagnose(w, &d));
    /* C = 1/2, -1/4 and (0, 0, 1/8): five rows. */
    assert_near(d.residual_max, 0.5, 0.0);
    assert_near(d.residual_rms, sqrt((0.25 + 0.0625 + 0.015625) / 5), 1e-15);
    assert_int_equal(d.worst_type, XPBD_DISTANCE);
    assert_int_equal(d.worst_index, 0);
    assert_near(d.kinetic_energy, 0.5 * 2 * 1 + 0.5 * 4 * 5, 0.0);
    assert_near(d.constraint_energy, 0.5 * (0.25 + 0.0625) * 8 + 0.5 * 0.015625 * 16, 0.0);
    const double p[3] = {8, 2, -4}, l[3] = {4 * 2 * -1, 0, 2 * 4 * 1 - 4 * 2 * 2};
    for (int k = 0; k < 3; k++) {
        assert_near(d.momentum[k], p[k], 0.0);
        assert_near(d.angular_momentum[k], l[k], 0.0);
    }
    assert_int_equal(d.n_nonfinite, 0);
    assert_int_equal(d.n_degenerate, 0);
    assert_int_equal(d.n_infeasible, 0);
    assert_int_equal(d.first_degenerate_type, -1);
    assert_int_equal(d.first_infeasible_type, -1);
    xpbd_world_destroy(w);
}

static void test_diagnostics_of_an_empty_world(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_create(&def);
    xpbd_diagnostics d;
    (void)state;
    memset(&d, 0x5a, sizeof d);
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_near(d.residual_max, 0.0, 0.0);
    assert_near(d.residual_rms, 0.0, 0.0); /* and not 0 / 0 */
    assert_int_equal(d.worst_type, -1);
    assert_near(d.kinetic_energy, 0.0, 0.0);
    assert_int_equal(d.n_nonfinite, 0);
    xpbd_world_destroy(w);
}

/* Eq. 9 after one iteration of one constraint holds up to rounding; with the particle pulled away
 * afterwards, the residual is the change of C. */
static void test_residual_is_that_of_equation_9(void **state)
{
    static const float away[3] = {1.75f, 0, 0};
    xpbd_world_def def = kit_def(NULL);
    def.iterations = 1;
    xpbd_world *w = kit_spring(&def, 1.5f, 0.01f, 0.0f);
    xpbd_diagnostics d;
    (void)state;
    kit_steps(w, 1, 0.1);
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_near(d.residual_max, 0.0, 0x1p-24); /* alpha / dt^2 is 1 - 2^-25 in double */
    assert_ok(xpbd_world_set_positions(w, 1, 1, away, 0));
    assert_ok(xpbd_world_diagnose(w, &d));
    assert_near(d.residual_max, 0.5, 0x1p-24);
    assert_near(d.residual_rms, 0.5, 0x1p-24);
    xpbd_world_destroy(w);
}

static void test_hash_tells_states_apart(void **state)
{
    static const float x[2][3] = {{1, 2, 3}, {4, 5, 6}}, swapped[2][3] = {{4, 5, 6}, {1, 2, 3}};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *a = kit_create(&def), *b = kit_create(&def);
    (void)state;
    assert_same_hash(xpbd_world_hash(a), xpbd_world_hash(b), "empty worlds");
    kit_add_particles(a, 2, x, NULL);
    assert_int_not_equal(xpbd_world_hash(a), xpbd_world_hash(b));
    kit_add_particles(b, 2, x, NULL);
    const uint64_t hash = xpbd_world_hash(a);
    assert_same_hash(xpbd_world_hash(b), hash, "same particles");
    assert_true(hash != 0);
    assert_ok(xpbd_world_prepare(b));
    assert_same_hash(xpbd_world_hash(b), hash, "prepared");
    assert_ok(xpbd_world_set_positions(b, 0, 2, swapped[0], 0));
    assert_int_not_equal(xpbd_world_hash(b), hash);
    assert_ok(xpbd_world_set_positions(b, 0, 2, x[0], 0));
    assert_same_hash(xpbd_world_hash(b), hash, "positions put back");
    for (uint32_t i = 0; i < 6; i++) { /* the lowest bit of each number counts */
        float other[2][3] = {{0}};
        other[i / 3][i % 3] = 0x1p-149f;
        assert_ok(xpbd_world_set_velocities(b, 0, 2, other[0], 0));
        assert_int_not_equal(xpbd_world_hash(b), hash);
        memcpy(other, x, sizeof other);
        other[i / 3][i % 3] = nextafterf(other[i / 3][i % 3], 100.0f);
        assert_ok(xpbd_world_set_positions(a, 0, 2, other[0], 0));
        assert_int_not_equal(xpbd_world_hash(a), hash);
        assert_int_not_equal(xpbd_world_hash(a), xpbd_world_hash(b));
    }
    xpbd_world_destroy(a);
    xpbd_world_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lambdas_and_forces_are_zero_before_the_first_step),
        cmocka_unit_test(test_force_is_lambda_times_gradient_over_dt_squared),
        cmocka_unit_test(test_forces_of_a_hanging_pair_carry_its_weight),
        cmocka_unit_test(test_summary_counts_what_was_built),
        cmocka_unit_test(test_diagnostics_of_a_known_state),
        cmocka_unit_test(test_diagnostics_of_an_empty_world),
        cmocka_unit_test(test_residual_is_that_of_equation_9),
        cmocka_unit_test(test_hash_tells_states_apart),
    };
    return RUN_GROUP("api_read", tests);
}
