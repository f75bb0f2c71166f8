/* SPDX-License-Identifier: MIT
 *
 * Proves what the parameters of a single constraint do beyond compliance: stiffness of PBD, damping
 * times, breaking, switching off; on numbers that float holds exactly where that is possible.
 */
#include "support.h"

#include <math.h>

static const double tick = 1.0 / 64;

/* Particle 1 of mass 1 at 1.5 on a constraint of rest length 1: C = 1/2 before the step. */
static xpbd_world *make(const xpbd_world_def *def, const xpbd_constraints *parameters)
{
    static const float x[2][3] = {{0, 0, 0}, {1.5f, 0, 0}}, masses[2] = {0, 1}, rest = 1;
    static const uint32_t pair[2] = {0, 1};
    xpbd_world *w = kit_create(def);
    kit_add_particles(w, 2, x, masses);
    xpbd_constraints c = *parameters;
    c.particles = pair;
    c.rest = &rest;
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, 1, &c, NULL));
    return w;
}

static double step_once(const xpbd_world_def *def, const xpbd_constraints *parameters)
{
    float x[3];
    xpbd_world *w = make(def, parameters);
    kit_steps(w, 1, tick);
    kit_position(w, 1, x);
    xpbd_world_destroy(w);
    return x[0];
}

/* A single constraint is left with (1 - k) C whatever the iterations, as each takes the n-th root;
 * plain stiffness leaves (1 - k)^n C. Each iteration rounds x to 2^-24, and k' is a float whose
 * 2^-24 counts n times in the power. */
static void test_stiffness_leaves_its_residual(void **state)
{
    static const float stiffness[] = {0.0f, 0.1f, 0.75f, 1.0f};
    static const uint32_t iterations[] = {1, 2, 10, 100};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (uint32_t k = 0; k < COUNT_OF(stiffness); k++) {
            for (uint32_t i = 0; i < COUNT_OF(iterations); i++) {
                const double left = 1 - (double)stiffness[k], n = iterations[i];
                const xpbd_constraints c = {.stiffness = &stiffness[k]};
                xpbd_world_def def = kit_def(name);
                def.iterations = iterations[i];
                assert_near(step_once(&def, &c), 1 + 0.5 * left, n * 0x1p-23);
                def.plain_stiffness = true;
                assert_near(step_once(&def, &c), 1 + 0.5 * pow(left, n), n * 0x1p-23);
            }
        }
    }
}

/* gamma = tau / dt = 1 at compliance 0: one step goes half of the way, C = gamma / (1 + gamma) C,
 * and stays there in further iterations. */
static void test_damping_time_works_on_rigid_constraints(void **state)
{
    static const uint32_t iterations[] = {1, 2, 10};
    static const float tau = 1.0f / 64;
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (uint32_t i = 0; i < COUNT_OF(iterations); i++) {
            const xpbd_constraints c = {.damping_time = &tau};
            xpbd_world_def def = kit_def(name);
            def.iterations = iterations[i];
            assert_near(step_once(&def, &c), 1.25, 0.0);
        }
    }
}

/* alpha beta = 2^-10 2^4 s is the same damping as a time of 2^-6 s, and both add up. */
static void test_damping_time_is_alpha_times_beta(void **state)
{
    static const float alpha = 0x1p-10f, beta = 0x1p4f, half = 0x1p3f, tau = 0x1p-6f;
    static const float half_tau = 0x1p-7f;
    const xpbd_constraints ways[] = {
        {.compliance = &alpha, .damping = &beta},
        {.compliance = &alpha, .damping_time = &tau},
        {.compliance = &alpha, .damping = &half, .damping_time = &half_tau}};
    xpbd_world_def def = kit_def(NULL);
    uint64_t want = 0;
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(ways); i++) {
        xpbd_world *w = make(&def, &ways[i]);
        kit_steps(w, 10, tick);
        want = i ? want : xpbd_world_hash(w);
        assert_same_hash(xpbd_world_hash(w), want, "alpha beta + tau");
        xpbd_world_destroy(w);
    }
}

static void refuse(xpbd_world *w, const xpbd_constraints *c, xpbd_status want, double value)
{
    static const uint32_t pairs[2][2] = {{0, 1}, {0, 1}};
    const uint64_t hash = xpbd_world_hash(w);
    xpbd_constraints in = *c;
    for (int add = 0; add < 2; add++) {
        in.particles = add ? pairs[0] : NULL;
        assert_status(add ? xpbd_world_add_constraints(w, XPBD_DISTANCE, 2, &in, NULL)
                          : xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 2, &in),
                      want);
        const xpbd_error *e = xpbd_world_error(w);
        assert_int_equal(e->status, want);
        assert_int_equal(e->type, XPBD_DISTANCE);
        assert_int_equal(e->element, 1);
        assert_true(isnan(value) ? isnan(e->value) : !(e->value < value) && !(e->value > value));
        assert_non_null(strstr(e->text, "distance"));
    }
    assert_same_hash(xpbd_world_hash(w), hash, "refused parameters");
}

static void test_A10_parameters_out_of_range_are_refused(void **state)
{
    static const float bad[][2] = {{0, -0.5f}, {0, NAN}, {0, INFINITY}, {0, 1.5f}};
    static const uint32_t pairs[2][2] = {{0, 1}, {0, 1}};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 1.5f, 1e-3f, 0.0f);
    (void)state;
    kit_add_distances(w, 1, pairs, NULL, 0.0f);
    for (uint32_t i = 0; i < 4; i++) {
        const double value = (double)bad[i][1];
        if (i < 3)
            refuse(w, &(xpbd_constraints){.damping_time = bad[i]}, XPBD_ERROR_DAMPING, value);
        if (i < 2)
            refuse(w, &(xpbd_constraints){.break_force = bad[i]}, XPBD_ERROR_BREAK_FORCE, value);
        refuse(w, &(xpbd_constraints){.stiffness = bad[i]}, XPBD_ERROR_STIFFNESS, value);
    }
    const size_t strides[] = {1, 3};
    for (uint32_t i = 0; i < COUNT_OF(strides); i++) {
        const xpbd_constraints c[] = {{.damping_time = bad[0], .damping_time_stride = strides[i]},
                                      {.stiffness = bad[0], .stiffness_stride = strides[i]},
                                      {.break_force = bad[0], .break_force_stride = strides[i]}};
        for (uint32_t k = 0; k < COUNT_OF(c); k++)
            assert_status(xpbd_world_set_constraints(w, XPBD_DISTANCE, 0, 2, &c[k]),
                          XPBD_ERROR_STRIDE);
    }
    xpbd_world_destroy(w);
}

/* 60 masses of 1, 2 and 3 kg hang in g = 8 on rigid links: lambda / dt^2 is 8, 16 and 24 N to the
 * bit. */
enum { HANGING = 60 };

static xpbd_world *make_hanging(const char *scheduler, int32_t threads, float strength)
{
    float x[2 * HANGING][3] = {{0}}, masses[2 * HANGING] = {0};
    uint32_t pair[HANGING][2];
    for (uint32_t i = 0; i < HANGING; i++) {
        x[2 * i][0] = x[2 * i + 1][0] = (float)i;
        x[2 * i + 1][1] = -1;
        masses[2 * i + 1] = i % 3 == 0 ? 1.0f : i % 3 == 1 ? 0.5f : 1 / 3.0f;
        pair[i][0] = 2 * i;
        pair[i][1] = 2 * i + 1;
    }
    xpbd_world_def def = kit_def(scheduler);
    def.acceleration[1] = -8;
    def.threads = threads;
    xpbd_world *w = kit_create(&def);
    kit_add_particles(w, 2 * HANGING, (const float(*)[3])x, masses);
    xpbd_constraints c = {
        .particles = pair[0], .break_force = &strength, .break_force_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, HANGING, &c, NULL));
    return w;
}

static void check_heights(const xpbd_world *w, uint32_t third, double height)
{
    for (uint32_t i = third; i < HANGING; i += 3) {
        float at[3];
        kit_position(w, 2 * i + 1, at);
        assert_near(at[1], height, third == 2 ? 0x1p-23 : 0); /* 1/3 kg^-1 is rounded */
    }
}

static void test_constraints_break_above_their_force(void **state)
{
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            xpbd_world *w = make_hanging(name, threads, 20.0f);
            xpbd_broken broken[HANGING];
            uint32_t n = 99;
            assert_ok(xpbd_world_read_broken(w, HANGING, broken, &n));
            assert_int_equal(n, 0);
            kit_steps(w, 1, tick); /* the link still holds while it breaks */
            assert_ok(xpbd_world_read_broken(w, HANGING, broken, &n));
            assert_int_equal(n, HANGING / 3);
            for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(broken[i].type, XPBD_DISTANCE);
                assert_int_equal(broken[i].index, 3 * i + 2);
            }
            for (uint32_t third = 0; third < 3; third++)
                check_heights(w, third, -1);
            kit_steps(w, 1, tick); /* g dt^2 = 1/512 */
            check_heights(w, 0, -1);
            check_heights(w, 1, -1);
            check_heights(w, 2, -1 - 1.0 / 512);
            memset(broken, 0x5a, sizeof broken);
            assert_ok(xpbd_world_read_broken(w, 0, NULL, &n));
            assert_int_equal(n, 0); /* of the last step, not of all */
            xpbd_world_destroy(w);

            w = make_hanging(name, threads, INFINITY);
            kit_steps(w, 2, tick);
            assert_ok(xpbd_world_read_broken(w, 0, NULL, &n));
            assert_int_equal(n, 0);
            xpbd_world_destroy(w);
        }
    }
}

static void test_read_broken_fills_what_there_is_room_for(void **state)
{
    xpbd_world *w = make_hanging(NULL, 1, 4.0f);
    xpbd_broken broken[4];
    uint32_t n;
    (void)state;
    kit_steps(w, 1, tick);
    memset(broken, 0x5a, sizeof broken);
    const xpbd_broken untouched = broken[3];
    assert_ok(xpbd_world_read_broken(w, 3, broken, &n));
    assert_int_equal(n, HANGING);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(broken[i].index, i);
    assert_memory_equal(&broken[3], &untouched, sizeof untouched);
    /* mended, it breaks again */
    assert_ok(xpbd_world_enable_constraints(w, XPBD_DISTANCE, 7, 1, true));
    kit_steps(w, 1, tick);
    assert_ok(xpbd_world_read_broken(w, 4, broken, &n));
    assert_int_equal(n, 1);
    assert_int_equal(broken[0].index, 7);
    xpbd_world_destroy(w);
}

/* What is off moves nothing: the bits of a world that has no constraints at all; on again, those
 * of one that never was off, from the same state. */
static void test_A05_constraints_that_are_off_do_nothing(void **state)
{
    static const float push[3] = {1, -2, 3};
    const char *name;
    (void)state;
    for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
        kit_scene cloth = kit_grid(9, 9, 0.125f, KIT_STRUCTURAL | KIT_SHEAR);
        xpbd_world_def def = kit_def(name);
        def.acceleration[1] = -9.81f;
        xpbd_world *off = kit_build(&def, &cloth, 1e-5f), *none = kit_create(&def);
        kit_add_particles(none, 81, (const float(*)[3])cloth.x, cloth.w);
        assert_ok(xpbd_world_set_velocities(off, 40, 1, push, 0));
        assert_ok(xpbd_world_set_velocities(none, 40, 1, push, 0));
        assert_ok(xpbd_world_enable_constraints(off, XPBD_DISTANCE, 0, cloth.n_pairs, false));
        kit_steps(off, 5, tick);
        kit_steps(none, 5, tick);
        assert_same_hash(xpbd_world_hash(off), xpbd_world_hash(none), name);
        for (uint32_t k = 0; k < cloth.n_pairs; k++)
            assert_near(kit_lambda(off, k), 0.0, 0.0);

        xpbd_world *on = kit_build(&def, &cloth, 1e-5f);
        float(*x)[3] = kit_positions(off), (*v)[3] = kit_velocities(off);
        assert_ok(xpbd_world_set_positions(on, 0, 81, x[0], 0));
        assert_ok(xpbd_world_set_velocities(on, 0, 81, v[0], 0));
        assert_ok(xpbd_world_enable_constraints(off, XPBD_DISTANCE, 0, cloth.n_pairs, true));
        kit_steps(off, 5, tick);
        kit_steps(on, 5, tick);
        assert_same_hash(xpbd_world_hash(off), xpbd_world_hash(on), name);
        assert_int_not_equal(xpbd_world_hash(off), xpbd_world_hash(none));
        free(x);
        free(v);
        kit_scene_free(&cloth);
        xpbd_world_destroy(off);
        xpbd_world_destroy(on);
        xpbd_world_destroy(none);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiffness_leaves_its_residual),
        cmocka_unit_test(test_damping_time_works_on_rigid_constraints),
        cmocka_unit_test(test_damping_time_is_alpha_times_beta),
        cmocka_unit_test(test_A10_parameters_out_of_range_are_refused),
        cmocka_unit_test(test_constraints_break_above_their_force),
        cmocka_unit_test(test_read_broken_fills_what_there_is_room_for),
        cmocka_unit_test(test_A05_constraints_that_are_off_do_nothing),
    };
    return RUN_GROUP("api_parameters", tests);
}
