/* SPDX-License-Identifier: MIT
 *
 * Proves what is special about the types that are made of lengths and weights: ropes and tethers
 * pull and do not push, struts push and do not pull, what does not hold has no influence on a
 * single bit, and ties follow their edge or triangle. What all types share is in test_kernels.c.
 */
#include "support.h"

#include "kernel_bed.h"

#include <float.h>
#include <math.h>

static xpbd_world *make(xpbd_world_def *def, uint32_t n, const float (*x)[3], const float *w,
                        xpbd_constraint_type type, const uint32_t *ids, const float *rest,
                        float compliance)
{
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, n, x, w);
    const xpbd_constraints c = {.particles = ids, .rest = rest, .compliance = &compliance};
    assert_ok(xpbd_world_add_constraints(world, type, 1, &c, NULL));
    return world;
}

static float lambda_of(const xpbd_world *world, xpbd_constraint_type type)
{
    float lambda = NAN;
    assert_ok(xpbd_world_read_lambdas(world, type, 0, 1, &lambda, 0));
    return lambda;
}

static const uint32_t first_two[2] = {0, 1};
static const float one = 1.0f;

/* 1 kg under 10 m/s^2 stretches alpha = 1/1000 m/N by 0.01 m and is held by 10 N, whether by rope
 * or tether; a strut under it is shortened by as much. */
static void test_load_hangs_and_stands_by_hookes_law(void **state)
{
    static const struct {
        xpbd_constraint_type type;
        float y;
        double want;
    } cases[] = {{XPBD_ROPE, -1, -1.01}, {XPBD_TETHER, -1, -1.01}, {XPBD_STRUT, 1, 0.99}};
    const char *name;
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
            const float x[2][3] = {{0, cases[i].y, 0}, {0, 0, 0}}, w[2] = {1, 0};
            xpbd_world_def def = kit_def(name);
            def.acceleration[1] = -10.0f;
            xpbd_world *world = make(&def, 2, x, w, cases[i].type, first_two, &one, 1e-3f);
            kit_steps(world, 400, 1.0 / 60);
            float at[3], force[2][3];
            kit_position(world, 0, at);
            assert_near(at[1], cases[i].want, 1e-5);
            assert_ok(xpbd_world_read_forces(world, cases[i].type, 0, 1, force[0], 0));
            assert_near(force[0][1], 10.0, 0.01);
            assert_near(force[1][1], -10.0, 0.01);
            xpbd_world_destroy(world);
        }
    }
}

/* What does not hold is as if it were not there: the same bits as without it, and lambda is 0, with
 * damping too. */
static void test_slack_has_no_influence(void **state)
{
    static const struct {
        xpbd_constraint_type type;
        float rest, v;
    } cases[] = {{XPBD_ROPE, 3.0f, 1}, {XPBD_TETHER, 3.0f, 1}, {XPBD_STRUT, 0.25f, -1}};
    static const float x[2][3] = {{0.7f, 0.1f, 0}, {0, 0, 0.2f}}, w[2] = {1, 2};
    const char *name;
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
            const xpbd_world_def def = kit_def(name);
            const float tau = 0.5f, v[2][3] = {{cases[i].v, 0.1f, 0}, {0}};
            const xpbd_particles p = {.position = x[0], .velocity = v[0], .inverse_mass = w};
            const xpbd_constraints c = {
                .particles = first_two, .rest = &cases[i].rest, .damping_time = &tau};
            xpbd_world *free = kit_create(&def), *tied = kit_create(&def);
            assert_ok(xpbd_world_add_particles(free, 2, &p, NULL));
            assert_ok(xpbd_world_add_particles(tied, 2, &p, NULL));
            assert_ok(xpbd_world_add_constraints(tied, cases[i].type, 1, &c, NULL));
            kit_steps(free, 20, 1.0 / 60);
            kit_steps(tied, 20, 1.0 / 60);
            assert_same_hash(xpbd_world_hash(tied), xpbd_world_hash(free), name);
            assert_true(lambda_of(tied, cases[i].type) == 0.0f);
            xpbd_world_destroy(free);
            xpbd_world_destroy(tied);
        }
    }
}

/* A ball thrown up on a rope of 1 m flies freely, falls, and is caught at 1 m; no bounce. */
static void test_rope_catches(void **state)
{
    static const float x[2][3] = {{0, -0.5f, 0}, {0, 0, 0}}, v[2][3] = {{0, 2, 0}, {0}},
                       w[2] = {1, 0};
    (void)state;
    xpbd_world_def def = kit_def(NULL);
    def.acceleration[1] = -8.0f;
    xpbd_world *world = kit_create(&def);
    assert_ok(xpbd_world_add_particles(
        world, 2, &(xpbd_particles){.position = x[0], .velocity = v[0], .inverse_mass = w}, NULL));
    const xpbd_constraints c = {.particles = first_two, .rest = &one};
    assert_ok(xpbd_world_add_constraints(world, XPBD_ROPE, 1, &c, NULL));
    float at[3];
    for (int n = 1; n <= 40; n++) {
        kit_steps(world, 1, 1.0 / 64);
        const double t = n / 64.0;
        kit_position(world, 0, at);
        assert_near(at[1], -0.5 + 2 * t - 4 * t * (t + 1.0 / 64), 1e-6);
        assert_true(lambda_of(world, XPBD_ROPE) == 0.0f);
    }
    kit_steps(world, 60, 1.0 / 64);
    kit_position(world, 0, at);
    assert_near(at[1], -1.0, 1e-6);
    assert_near((double)lambda_of(world, XPBD_ROPE) * 64 * 64, -8.0, 1e-2);
    xpbd_world_destroy(world);
}

/* A kernel on one pair along x, with a multiplier from an iteration before. */
static bed_result pair(xpbd_constraint_type type, float length, float previous, float lambda,
                       float compliance, float damping)
{
    static bed_constraint in[BED_LANES];
    static bed_result out[BED_LANES];
    const xpbd_pass pass = bed_pass();
    uint64_t seed = 1;
    for (int lane = 0; lane < BED_LANES; lane++) {
        in[lane] = bed_make(type, 0.0, &seed);
    }
    in[5] = (bed_constraint){.x = {{length}, {0}},
                             .previous = {{previous}, {0}},
                             .inverse_mass = {1, 1},
                             .rest = {1},
                             .compliance = compliance,
                             .damping = damping,
                             .lambda = {lambda}};
    bed_run(type, xpbd_cpu_widest(), XPBD_LAYOUT_aos4, XPBD_VARIANT_DAMPED, &pass, in, out);
    return out[5];
}

/* Inverse masses 1 and 1: d_lambda = -C / 2. A slack of less than what lambda has given is taken
 * back in part; of more, lambda is taken back whole, and ends at 0 exactly. */
static void test_iterations_take_back_what_they_gave(void **state)
{
    (void)state;
    bed_result r = pair(XPBD_ROPE, 0.875f, 0.875f, -0.25f, 0, 0);
    assert_near(r.lambda[0], -0.25 + 0.125 / 2, 1e-7);
    assert_near(r.x[0][0], 0.875 + 0.125 / 2, 1e-7);
    assert_near(r.x[1][0], -0.125 / 2, 1e-7);
    r = pair(XPBD_ROPE, 0.875f, 0.875f, -0.03f, 0, 0);
    assert_true(r.lambda[0] == 0.0f);
    assert_near(r.x[0][0], 0.875 + 0.03, 1e-7);
    r = pair(XPBD_STRUT, 1.125f, 1.125f, 0.25f, 0, 0);
    assert_near(r.lambda[0], 0.25 - 0.125 / 2, 1e-7);
    assert_near(r.x[0][0], 1.125 - 0.125 / 2, 1e-7);
    r = pair(XPBD_STRUT, 1.125f, 1.125f, 0.03f, 0, 0);
    assert_true(r.lambda[0] == 0.0f);
    assert_near(r.x[0][0], 1.125 - 0.03, 1e-7);
    uint64_t seed = 2;
    for (int i = 0; i < 100; i++) {
        const float lambda = (float)bed_random(&seed, 0.01, 0.1);
        const float alpha = (float)bed_random(&seed, 0.0, 1e-4);
        const float length = (float)bed_random(&seed, 0.3, 0.7);
        assert_true(pair(XPBD_ROPE, length, length, -lambda, alpha, 0).lambda[0] == 0.0f);
        assert_true(pair(XPBD_STRUT, 2 - length, 1, lambda, alpha, 0).lambda[0] == 0.0f);
    }
}

/* [XPBD16] eq. 26 with 1/dt = 100: alpha~ = 1e-4 * 1e4 = 1, gamma = 0.005 * 100 = 1/2, and a rate
 * of 1/4: d_lambda = (-C - gamma rate) / (3/2 * 2 + 1). Not where a rope is slack, however fast it
 * unwinds, nor so much that it would push. */
static void test_damping_acts_while_it_holds(void **state)
{
    (void)state;
    bed_result r = pair(XPBD_ROPE, 1.5f, 1.25f, 0, 1e-4f, 0.005f);
    assert_near(r.lambda[0], -(0.5 + 0.125) / 4, 1e-6);
    assert_near(r.x[0][0], 1.5 - (0.5 + 0.125) / 4, 1e-6);
    r = pair(XPBD_ROPE, 0.9f, 0.1f, 0, 1e-4f, 0.005f);
    assert_true(r.lambda[0] == 0.0f && r.x[0][0] == 0.9f && r.x[1][0] == 0.0f);
    r = pair(XPBD_ROPE, 1.1f, 1.9f, 0, 1e-4f, 0.005f);
    assert_true(r.lambda[0] == 0.0f && r.x[0][0] == 1.1f && r.x[1][0] == 0.0f);
    r = pair(XPBD_STRUT, 0.5f, 0.75f, 0, 1e-4f, 0.005f);
    assert_near(r.lambda[0], (0.5 + 0.125) / 4, 1e-6);
    r = pair(XPBD_STRUT, 1.1f, 1.9f, 0, 1e-4f, 0.005f);
    assert_true(r.lambda[0] == 0.0f && r.x[0][0] == 1.1f && r.x[1][0] == 0.0f);
}

/* FORMULAS part 3 no. 5 and 7: coincident particles stay finite, millimetres are not too small. */
static void test_F5_F7_no_length_is_too_small(void **state)
{
    static const xpbd_constraint_type types[] = {XPBD_DISTANCE, XPBD_ROPE, XPBD_STRUT, XPBD_TETHER};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        const bool push = types[i] == XPBD_STRUT;
        bed_result r = pair(types[i], 0.0f, 0.0f, 0, 0, 0);
        assert_true(r.x[0][0] == 0.0f && r.x[1][0] == 0.0f && r.lambda[0] == 0.0f);
        const float x[2][3] = {{push ? 1e-6f : 3e-6f}, {0}}, w[2] = {1e-6f, 1e-6f}, rest = 2e-6f;
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = make(&def, 2, x, w, types[i], first_two, &rest, 0);
        kit_steps(world, 1, 1e-3);
        float a[3], b[3];
        kit_position(world, 0, a);
        kit_position(world, 1, b);
        assert_near((double)a[0] - (double)b[0], 2e-6, 1e-12);
        xpbd_world_destroy(world);
    }
}

/* A chain with too few iterations stretches; tethers to its anchor hold it. */
static double longest_reach(bool tethered)
{
    enum { N = 20 };
    kit_scene scene = kit_rope(N, 0.1f);
    xpbd_world_def def = kit_def("serial-gs");
    def.acceleration[1] = -9.81f;
    def.iterations = 2;
    xpbd_world *world = kit_build(&def, &scene, 0);
    for (uint32_t i = 1; i < N && tethered; i++) {
        const uint32_t ids[2] = {i, 0};
        const float path = 0.1f * (float)i;
        const xpbd_constraints c = {.particles = ids, .rest = &path};
        assert_ok(xpbd_world_add_constraints(world, XPBD_TETHER, 1, &c, NULL));
    }
    double reach = 0;
    for (int n = 0; n < 200; n++) {
        float anchor[3], tip[3];
        kit_steps(world, 1, 1.0 / 60);
        kit_position(world, 0, anchor);
        kit_position(world, N - 1, tip);
        reach = fmax(reach,
                     hypot((double)tip[0] - (double)anchor[0], (double)tip[1] - (double)anchor[1]));
    }
    xpbd_world_destroy(world);
    kit_scene_free(&scene);
    return reach;
}

static void test_tethers_hold_what_few_iterations_do_not(void **state)
{
    (void)state;
    assert_true(longest_reach(false) > 1.3 * 1.9);
    assert_below(longest_reach(true), 1.02 * 1.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_hangs_and_stands_by_hookes_law),
        cmocka_unit_test(test_slack_has_no_influence),
        cmocka_unit_test(test_rope_catches),
        cmocka_unit_test(test_iterations_take_back_what_they_gave),
        cmocka_unit_test(test_damping_acts_while_it_holds),
        cmocka_unit_test(test_F5_F7_no_length_is_too_small),
        cmocka_unit_test(test_tethers_hold_what_few_iterations_do_not),
    };
    return RUN_GROUP("length_types", tests);
}
