/* SPDX-License-Identifier: MIT
 *
 * Proves that ties hold a particle to a point of an edge or a triangle: which point they choose,
 * that they follow it, and that nothing is pulled at the origin of the coordinates.
 */
#include "support.h"

#include "kernel/kernel.h"

#include <math.h>

static void weights(xpbd_constraint_type type, const float (*x)[3], float *rest)
{
    xpbd_constraint_ops_of(type)->rest_of(x, rest);
}

static void test_edge_takes_the_closest_point(void **state)
{
    float b[2];
    (void)state;
    weights(XPBD_TIE_EDGE, (const float[][3]){{0.25f, 3, 4}, {0, 0, 0}, {1, 0, 0}}, b);
    assert_true(b[0] == 0.75f && b[1] == 0.25f);
    weights(XPBD_TIE_EDGE, (const float[][3]){{-2, 3, 4}, {0, 0, 0}, {1, 0, 0}}, b);
    assert_true(b[0] == 1.0f && b[1] == 0.0f);
    weights(XPBD_TIE_EDGE, (const float[][3]){{7, 3, 4}, {0, 0, 0}, {1, 0, 0}}, b);
    assert_true(b[0] == 0.0f && b[1] == 1.0f);
    /* No length, and then one of less than 1e-20 m^2. */
    weights(XPBD_TIE_EDGE, (const float[][3]){{7, 3, 4}, {1, 1, 1}, {1, 1, 1}}, b);
    assert_true(b[0] == 1.0f && b[1] == 0.0f);
    weights(XPBD_TIE_EDGE, (const float[][3]){{5e-12f, 1, 0}, {0, 0, 0}, {1e-11f, 0, 0}}, b);
    assert_near(b[1], 0.5, 1e-6);
}

/* On the border of a triangle it is the plane's weights that are rounded, each for itself. */
static void test_border_of_a_triangle_is_inside(void **state)
{
    static const float p[3][3] = {{0, 1, 7}, {1, 0, 7}, {1, 2, 7}};
    const float third = (float)(1.0 / 3.0), rest = (float)(2.0 / 3.0);
    const float want[3][3] = {{rest, 0, third}, {rest, third, 0}, {0x1p-53f, third, rest}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        float x[4][3] = {{0}, {0, 0, 0}, {3, 0, 0}, {0, 3, 0}}, b[3];
        memcpy(x[0], p[i], sizeof x[0]);
        weights(XPBD_TIE_TRIANGLE, (const float(*)[3])x, b);
        assert_same_floats(b, want[i], 3);
    }
}

static void test_triangle_takes_the_closest_point(void **state)
{
    /* Corners (0,0), (1,0), (0,1); points over the inside, an edge, a corner. */
    static const struct {
        float p[3], b[3];
    } cases[] = {{{0.25f, 0.5f, 9}, {0.25f, 0.25f, 0.5f}},
                 {{0.5f, -2, 1}, {0.5f, 0.5f, 0}},
                 {{-1, 0.25f, 1}, {0.75f, 0, 0.25f}},
                 {{2, 2, 1}, {0, 0.5f, 0.5f}},
                 {{0.75f, 0.75f, 1}, {0, 0.5f, 0.5f}},
                 {{5, -1, 1}, {0, 1, 0}},
                 {{-1, -1, 1}, {1, 0, 0}}};
    float b[3];
    (void)state;
    for (uint32_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        const float size = i % 2 ? 0x1p-40f : 1.0f;
        float x[4][3] = {{0}, {0, 0, 0}, {size, 0, 0}, {0, size, 0}};
        for (int k = 0; k < 3; k++) {
            x[0][k] = size * cases[i / 2].p[k];
        }
        weights(XPBD_TIE_TRIANGLE, (const float(*)[3])x, b);
        assert_same_floats(b, cases[i / 2].b, 3);
    }
    /* Without area: corners in a line, one that rounding does not quite lose, and on one spot. */
    for (int k = 0; k < 2; k++) {
        const float h = k == 0 ? 0.0f : 0x1.7f9688p-24f;
        const float x[4][3] = {{1.375f, 0.6875f * h, 0}, {0, 0, 0}, {1, 0, 0}, {2, h, 0}};
        weights(XPBD_TIE_TRIANGLE, x, b);
        assert_near(b[1] + 2 * b[2], 1.375, 1e-6);
        assert_near(b[0] + b[1] + b[2], 1.0, 1e-6);
    }
    /* Of edges that are as close the first. */
    const float first[3] = {0.5f, 0.5f, 0};
    weights(XPBD_TIE_TRIANGLE, (const float[][3]){{0.5f, 1, 0}, {0}, {1, 0, 0}, {2, 0, 0}}, b);
    assert_same_floats(b, first, 3);
    weights(XPBD_TIE_TRIANGLE, (const float[][3]){{1, 1, 0}, {2, 2, 2}, {2, 2, 2}, {2, 2, 2}}, b);
    assert_near(b[0] + b[1] + b[2], 1.0, 0);
}

static void test_weights_must_sum_to_one(void **state)
{
    static const float x[4][3] = {{0.2f, 0.2f, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const uint32_t ids[4] = {0, 1, 2, 3};
    static const float good[3] = {0.1f, 0.2f, 0.7f}, outside[3] = {2.0f, -1.5f, 0.5f},
                       bad[3] = {0.1f, 0.2f, 0.6f};
    (void)state;
    const xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    kit_add_particles(world, 4, x, NULL);
    xpbd_constraints c = {.particles = ids, .rest = good};
    assert_ok(xpbd_world_add_constraints(world, XPBD_TIE_TRIANGLE, 1, &c, NULL));
    c.rest = outside;
    assert_ok(xpbd_world_add_constraints(world, XPBD_TIE_TRIANGLE, 1, &c, NULL));
    c.rest = bad;
    assert_status(xpbd_world_add_constraints(world, XPBD_TIE_TRIANGLE, 1, &c, NULL),
                  XPBD_ERROR_REST);
    assert_status(xpbd_world_add_constraints(world, XPBD_TIE_EDGE, 1, &c, NULL), XPBD_ERROR_REST);
    xpbd_world_destroy(world);
}

/* By 1e-5 of the largest, or of 1: floats do not know large weights any better. */
static void test_weights_may_miss_one_by_rounding(void **state)
{
    static const struct {
        float b[3];
        bool good;
    } cases[] = {{{0.5f, 0.500009f, 0}, true},
                 {{0.5f, 0.499991f, 0}, true},
                 {{0.5f, 0.500012f, 0}, false},
                 {{0.5f, 0.499988f, 0}, false},
                 {{-1000, 500.5f, 500.508f}, true},
                 {{-1000, 500.5f, 500.512f}, false},
                 {{1000, -499.5f, -499.508f}, true},
                 {{1000, -499.5f, -499.512f}, false},
                 {{500, 501.008f, -1000}, true},
                 {{500, 501.012f, -1000}, false},
                 /* off by exactly as much */
                 {{0x1.fd2aaep+6f, -0x1.f9296p+6f, -0x1.4p-20f}, true}};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        const uint32_t fault = xpbd_constraint_ops_of(XPBD_TIE_TRIANGLE)->rest_fault(cases[i].b);
        assert_int_equal(fault, cases[i].good ? 3 : 2);
    }
    const float edge[2] = {0.5f, 0.5000011f}, off[2] = {0.5f, 0.50002f};
    assert_int_equal(xpbd_constraint_ops_of(XPBD_TIE_EDGE)->rest_fault(edge), 2);
    assert_int_equal(xpbd_constraint_ops_of(XPBD_TIE_EDGE)->rest_fault(off), 1);
}

/* A pinned triangle is carried away; the tied particle goes with its point, wherever that is. */
static void test_tie_follows_its_point(void **state)
{
    static const float b[3] = {0.25f, 0.25f, 0.5f}, w[4] = {1, 0, 0, 0};
    static const float far[2][3] = {{0, 0, 0}, {5000, -3000, 9000}};
    static const uint32_t ids[4] = {0, 1, 2, 3};
    const char *name;
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t s = 0; (name = xpbd_scheduler_name(s)); s++) {
            float x[4][3] = {{0.25f, 0.5f, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, target[3][3], p[3];
            for (int i = 0; i < 12; i++) {
                x[i / 3][i % 3] += far[k][i % 3];
            }
            for (int i = 0; i < 9; i++) {
                target[i / 3][i % 3] = x[1 + i / 3][i % 3] + (float)(1 << i % 3);
            }
            const xpbd_world_def def = kit_def(name);
            xpbd_world *world = kit_create(&def);
            kit_add_particles(world, 4, (const float(*)[3])x, w);
            const xpbd_constraints c = {.particles = ids, .rest = b};
            assert_ok(xpbd_world_add_constraints(world, XPBD_TIE_TRIANGLE, 1, &c, NULL));
            assert_ok(xpbd_world_move_particles(world, 1, 3, target[0], 0));
            kit_steps(world, 1, 1.0 / 60);
            kit_position(world, 0, p);
            for (int i = 0; i < 3; i++) {
                assert_near(p[i], x[0][i] + (float)(1 << i), k == 0 ? 1e-6 : 1e-3);
            }
            xpbd_world_destroy(world);
        }
    }
}

/* One particle with all the motion, tied to an edge of two others, all free: sum of m v stays. */
static void test_tie_keeps_momentum(void **state)
{
    static const float x[3][3] = {{0.25f, 0, 0}, {0, 0, 0}, {1, 0, 0}}, w[3] = {0.5f, 1, 2},
                       v[3][3] = {{1, 2, -3}};
    static const uint32_t ids[3] = {0, 1, 2};
    (void)state;
    const xpbd_world_def def = kit_def(NULL);
    xpbd_world *world = kit_create(&def);
    assert_ok(xpbd_world_add_particles(
        world, 3, &(xpbd_particles){.position = x[0], .velocity = v[0], .inverse_mass = w}, NULL));
    const float compliance = 1e-4f;
    const xpbd_constraints c = {.particles = ids, .compliance = &compliance};
    assert_ok(xpbd_world_add_constraints(world, XPBD_TIE_EDGE, 1, &c, NULL));
    xpbd_diagnostics d;
    kit_steps(world, 100, 1.0 / 100);
    assert_ok(xpbd_world_diagnose(world, &d));
    for (int k = 0; k < 3; k++) {
        assert_near(d.momentum[k], 2.0 * (double)v[0][k], 2e-3);
    }
    float at[3][3];
    assert_ok(xpbd_world_read_positions(world, 0, 3, at[0], 0));
    assert_true(fabsf(at[1][0]) > 0.1f);
    xpbd_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_takes_the_closest_point),
        cmocka_unit_test(test_triangle_takes_the_closest_point),
        cmocka_unit_test(test_border_of_a_triangle_is_inside),
        cmocka_unit_test(test_weights_must_sum_to_one),
        cmocka_unit_test(test_weights_may_miss_one_by_rounding),
        cmocka_unit_test(test_tie_follows_its_point),
        cmocka_unit_test(test_tie_keeps_momentum),
    };
    return RUN_GROUP("ties", tests);
}
