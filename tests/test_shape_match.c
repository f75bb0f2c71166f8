/* SPDX-License-Identifier: MIT
 *
 * What shape_match does, against closed forms, and which clusters the API refuses.
 */
#include "tests/support_clusters.h"

#include <math.h>

static void test_A14_A14_sizes_and_members_are_checked(void **state)
{
    (void)state;
    static const float x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t member[4] = {0, 1, 2, 0}, two[2] = {2, 2}, none[2] = {1, 0}, one = 4;
    static const float half = 0.5f, more = 1.5f, bad[4][3] = {{0}, {0}, {0, NAN, 0}};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 4, x, NULL);
    const xpbd_constraint_type type = XPBD_SHAPE_MATCH;
    xpbd_constraints c = {.particles = member};
    assert_status(xpbd_world_add_constraints(world, type, 1, &c, NULL), XPBD_ERROR_NULL);
    c.sizes = &one;
    assert_status(xpbd_world_add_constraints(world, type, 1, &c, NULL),
                  XPBD_ERROR_PARTICLE_REPEATED);
    assert_near(xpbd_world_error(world)->value, 0.0, 0.0);
    c.sizes = none;
    assert_status(xpbd_world_add_constraints(world, type, 2, &c, NULL), XPBD_ERROR_SIZE);
    assert_int_equal(1, xpbd_world_error(world)->element);
    c.sizes = two;
    c.rest = &more;
    c.rest_stride = XPBD_SAME;
    assert_status(xpbd_world_add_constraints(world, type, 2, &c, NULL), XPBD_ERROR_REST);
    c.rest = &half;
    c.element_rest = bad[0];
    assert_status(xpbd_world_add_constraints(world, type, 2, &c, NULL), XPBD_ERROR_REST);
    assert_status(xpbd_world_add_constraints(world, XPBD_DISTANCE, 1, &c, NULL), XPBD_ERROR_SIZE);
    c.element_rest = NULL;
    assert_ok(
        xpbd_world_add_constraints(world, type, 2, &c, NULL)); /* a member may repeat across */
    xpbd_constraints change = {.sizes = two};
    assert_status(xpbd_world_set_constraints(world, type, 0, 2, &change), XPBD_ERROR_SIZE);
    float lambda[4][3], force[4][3];
    assert_ok(xpbd_world_read_lambdas(world, type, 0, 2, lambda[0], 0));
    assert_ok(xpbd_world_read_forces(world, type, 0, 2, force[0], 0));
    assert_status(xpbd_world_read_forces(world, type, 1, 2, force[0], 0), XPBD_ERROR_RANGE);
    xpbd_world_summary summary;
    kit_steps(world, 1, 0.01);
    assert_ok(xpbd_world_summarize(world, &summary));
    assert_int_equal(2, summary.n_groups);
    assert_int_equal(28, summary.n_padding);
    xpbd_world_destroy(world);
}

static const float cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1.5f, 1, 1}};

static xpbd_world *cluster(const xpbd_world_def *def, float stretch, const xpbd_constraints *c)
{
    xpbd_world *world = kit_create(def);
    kit_add_particles(world, 8, cube, NULL);
    kit_add_cluster(world, 8, NULL, stretch, c);
    return world;
}

/* Half turns are where the gradient of the rotation vanishes. */
static void test_turned_clusters_stay_as_they_are(void **state)
{
    (void)state;
    static const float turns[][3] = {{1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const xpbd_constraints none = {0};
    for (int k = 0; k < 3; k++) {
        for (int built = 0; built < 2; built++) {
            xpbd_world_def def = kit_def(NULL);
            xpbd_world *world = cluster(&def, 0.0f, &none);
            if (built) {
                kit_steps(world, 1, 0.01); /* with a rotation to start from */
            }
            float turned[8][3];
            for (int i = 0; i < 24; i++) {
                turned[i / 3][i % 3] = cube[i / 3][i % 3] * turns[k][i % 3];
            }
            assert_ok(xpbd_world_set_positions(world, 0, 8, turned[0], 0));
            kit_steps(world, 1, 0.01);
            float(*x)[3] = kit_positions(world);
            for (int i = 0; i < 24; i++) {
                assert_near(x[i / 3][i % 3], turned[i / 3][i % 3], 1e-6);
            }
            free(x);
            xpbd_world_destroy(world);
        }
    }
}

static double corner_volume(float (*x)[3])
{
    double e[3][3];
    for (int k = 0; k < 9; k++) {
        e[k / 3][k % 3] = (double)x[1 << (k / 3)][k % 3] - (double)x[0][k % 3];
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
           e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static void test_inverted_and_flattened_clusters_come_back(void **state)
{
    (void)state;
    const xpbd_constraints none = {0};
    for (int kind = 0; kind < 4; kind++) {
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = cluster(&def, kind & 2 ? 0.5f : 0.0f, &none);
        float start[8][3];
        memcpy(start, cube, sizeof start);
        for (int i = 0; i < 8; i++) {
            start[i][0] *= kind & 1 ? -1.0f : 0.0f;
        }
        assert_ok(xpbd_world_set_positions(world, 0, 8, start[0], 0));
        for (int step = 0; step < 3; step++) {
            kit_steps(world, 1, 0.01);
        }
        float(*x)[3] = kit_positions(world);
        /* A blend of a rotation with a linear map has not quite the volume of either. */
        assert_near(corner_volume(x), 1.0, kind & 2 ? 0.2 : 1e-5);
        free(x);
        xpbd_world_destroy(world);
    }
}

/* With stretch 1 a linear map of constant volume is at rest; with 0 it is not. */
static void test_stretch_allows_linear_maps(void **state)
{
    (void)state;
    const xpbd_constraints none = {0};
    float start[8][3];
    for (int i = 0; i < 8; i++) {
        start[i][0] = 2.0f * cube[i][0] + 0.5f * cube[i][1];
        start[i][1] = 0.5f * cube[i][1];
        start[i][2] = cube[i][2];
    }
    for (int stretch = 0; stretch < 2; stretch++) {
        xpbd_world_def def = kit_def(NULL);
        xpbd_world *world = cluster(&def, (float)stretch, &none);
        assert_ok(xpbd_world_set_positions(world, 0, 8, start[0], 0));
        kit_steps(world, 1, 0.01);
        float(*x)[3] = kit_positions(world);
        double most = 0.0;
        for (int i = 0; i < 24; i++) {
            most = fmax(most, fabs((double)x[i / 3][i % 3] - (double)start[i / 3][i % 3]));
        }
        assert_true(stretch ? most < 1e-6 : most > 0.1);
        free(x);
        xpbd_world_destroy(world);
    }
}

/* Two members of masses m0, m1 are a spring: the goals lie on their line with the members' centre,
 * so |C_0| + |C_1| is the strain s, and the least energy at a given s is s^2 / (4 alpha). Implicit
 * Euler of that with the reduced mass m: s' = (s + dt v) / (1 + dt^2 / (2 alpha m)), in one
 * iteration as in ten, and with damping (eq. 26) dt (dt + tau) in the denominator and tau dt s
 * instead of nothing in the numerator. */
static void test_two_members_are_a_spring(void **state)
{
    (void)state;
    static const float x[2][3] = {{0, 0, 0}, {1, 0, 0}}, start[2][3] = {{0, 0, 0}, {1.2f, 0, 0}};
    static const float w[2] = {1.0f, 0.25f};
    const float alpha = 1e-3f, tau = 0.02f, dt = 0.01f;
    for (int k = 0; k < 4; k++) {
        xpbd_world_def def = kit_def(NULL);
        def.iterations = k & 1 ? 10 : 1;
        xpbd_world *world = kit_create(&def);
        kit_add_particles(world, 2, x, w);
        const xpbd_constraints c = {.compliance = &alpha, .damping_time = k & 2 ? &tau : NULL};
        kit_add_cluster(world, 2, NULL, 0.0f, &c);
        assert_ok(xpbd_world_set_positions(world, 0, 2, start[0], 0));
        double s = 0.2, v = 0.0;
        const double stiff = 1.0 / (2.0 * (double)alpha * (1.0 / 1.25)), h = (double)dt;
        const double t = k & 2 ? (double)tau : 0.0;
        for (int step = 0; step < 20; step++) {
            kit_steps(world, 1, (double)dt);
            const double next = (s + h * v + stiff * h * t * s) / (1.0 + stiff * h * (h + t));
            v = (next - s) / h;
            s = next;
            float a[3], b[3];
            kit_position(world, 0, a);
            kit_position(world, 1, b);
            assert_near((double)b[0] - (double)a[0] - 1.0, s, 1e-5);
        }
        xpbd_diagnostics d;
        assert_ok(xpbd_world_diagnose(world, &d));
        if (!(k & 2)) {
            assert_below(d.residual_max, 1e-6);
            assert_near(d.constraint_energy / (s * s / (4.0 * (double)alpha)), 1.0, 1e-3);
        }
        xpbd_world_destroy(world);
    }
}

/* A solved cluster of unequal masses: the residual is that of goals which weigh all members alike.
 */
static void test_residual_of_compliant_clusters_vanishes(void **state)
{
    (void)state;
    const float alpha = 1e-3f;
    const xpbd_constraints c = {.compliance = &alpha};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = cluster(&def, 0.0f, &c);
    float start[8][3], w[8];
    uint64_t seed = 3;
    for (int i = 0; i < 24; i++) {
        start[i / 3][i % 3] = cube[i / 3][i % 3] + kit_uniform(&seed, -0.2f, 0.2f);
        w[i / 3] = kit_uniform(&seed, 0.1f, 4.0f);
    }
    w[3] = 0.0f;
    assert_ok(xpbd_world_set_inverse_masses(world, 0, 8, w, 0));
    assert_ok(xpbd_world_set_positions(world, 0, 8, start[0], 0));
    xpbd_diagnostics d;
    assert_ok(xpbd_world_diagnose(world, &d));
    assert_true(d.residual_max > 0.05);
    kit_steps(world, 1, 0.01);
    assert_ok(xpbd_world_diagnose(world, &d));
    assert_below(d.residual_max, 2e-6);
    float lambda[8][3], force[8][3], sum[3] = {0};
    assert_ok(xpbd_world_read_lambdas(world, XPBD_SHAPE_MATCH, 0, 1, lambda[0], 0));
    assert_ok(xpbd_world_read_forces(world, XPBD_SHAPE_MATCH, 0, 1, force[0], 0));
    for (int k = 0; k < 24; k++) {
        sum[k % 3] += force[k / 3][k % 3];
        assert_near(force[k / 3][k % 3], (double)lambda[k / 3][k % 3] * 1e4, 1e-3);
    }
    for (int k = 0; k < 3; k++) {
        assert_near(sum[k], 0.0, 2e-3);
    }
    xpbd_world_destroy(world);
}

/* A spinning cluster is not slowed down by damping, even though every member moves. */
static void test_damping_leaves_rotation_alone(void **state)
{
    (void)state;
    const float tau = 0.1f;
    const xpbd_constraints c = {.damping_time = &tau};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = cluster(&def, 0.0f, &c);
    float v[8][3];
    for (int i = 0; i < 8; i++) { /* about the centroid, which is at (0.5625, 0.5, 0.5) */
        v[i][0] = -(cube[i][1] - 0.5f);
        v[i][1] = cube[i][0] - 0.5625f;
        v[i][2] = 0.0f;
    }
    assert_ok(xpbd_world_set_velocities(world, 0, 8, v[0], 0));
    xpbd_diagnostics before, after;
    assert_ok(xpbd_world_diagnose(world, &before));
    kit_steps(world, 1000, 0.001);
    assert_ok(xpbd_world_diagnose(world, &after));
    assert_near(after.angular_momentum[2] / before.angular_momentum[2], 1.0, 1e-2);
    xpbd_world_destroy(world);
}

/* New rest positions, switching off, breaking. */
static void test_clusters_change_and_break(void **state)
{
    (void)state;
    const float weak = 10.0f;
    const xpbd_constraints c = {.break_force = &weak};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = cluster(&def, 0.0f, &c);
    float larger[8][3], slightly[8][3];
    for (int i = 0; i < 24; i++) {
        slightly[i / 3][i % 3] = cube[i / 3][i % 3] * 1.0005f;
        larger[i / 3][i % 3] = cube[i / 3][i % 3] * 2.0f;
    }
    xpbd_constraints change = {.element_rest = slightly[0]};
    kit_steps(world, 1, 0.01);
    assert_ok(xpbd_world_set_constraints(world, XPBD_SHAPE_MATCH, 0, 1, &change));
    kit_steps(world, 1, 0.01);
    float(*x)[3] = kit_positions(world);
    assert_near(corner_volume(x), pow(1.0005, 3.0), 1e-5);
    free(x);
    xpbd_broken broken[1];
    uint32_t n;
    assert_ok(xpbd_world_read_broken(world, 1, broken, &n));
    assert_int_equal(0, n);
    change.element_rest = larger[0];
    assert_ok(xpbd_world_set_constraints(world, XPBD_SHAPE_MATCH, 0, 1, &change));
    kit_steps(world, 1, 0.01);
    assert_ok(xpbd_world_read_broken(world, 1, broken, &n));
    assert_int_equal(1, n);
    assert_int_equal(XPBD_SHAPE_MATCH, broken[0].type);
    const float still[8][3] = {{0}};
    assert_ok(xpbd_world_set_velocities(world, 0, 8, still[0], 0));
    assert_ok(xpbd_world_set_positions(world, 0, 8, cube[0], 0));
    kit_steps(world, 3, 0.01);
    x = kit_positions(world);
    assert_same_floats(x[0], cube[0], 24); /* off: nothing pulls at it */
    free(x);
    xpbd_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_A14_A14_sizes_and_members_are_checked),
        cmocka_unit_test(test_turned_clusters_stay_as_they_are),
        cmocka_unit_test(test_inverted_and_flattened_clusters_come_back),
        cmocka_unit_test(test_stretch_allows_linear_maps),
        cmocka_unit_test(test_two_members_are_a_spring),
        cmocka_unit_test(test_residual_of_compliant_clusters_vanishes),
        cmocka_unit_test(test_damping_leaves_rotation_alone),
        cmocka_unit_test(test_clusters_change_and_break),
    };
    return RUN_GROUP("shape_match", tests);
}
