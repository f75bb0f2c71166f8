/* SPDX-License-Identifier: MIT
 *
 * What bending measures where there is nothing to measure, and which rest data it takes.
 */
#include "support.h"

#include "tests/kernel_bed.h"

#include <math.h>

/* A line that was bent and is straight has lost the direction of its bend: where c is no more than
 * a millionth of what it is at rest, C is 0 and has no gradient; a little more, and it has one
 * again. */
static void test_a_lost_direction_has_no_gradient(void **state)
{
    static const float rest[3] = {1, 1, 1}, straight[3] = {1, 1, 0};
    static const float wide[3] = {4, 4, 0};
    (void)state;
    for (int k = 0; k < 3; k++) {
        /* c is 2 y: half of the limit, the limit itself, one and a half of it */
        const double y = (double)1e-6f * (k + 1) / 4;
        const double x[3][3] = {{0, 0, 0}, {1, -y, 0}, {2, 0, 0}};
        double C[3], g[9][3];
        const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_BEND_ANGLE);
        assert_true(ops->measure(x, rest, C, g) == (k == 2));
        assert_near(C[1], k == 2 ? 2 * y - 1 : 0, 1e-12);
        assert_near(C[0], 0, 0);
        assert_near(g[3][1], 1, 1e-6);
        /* a straight rest needs none */
        assert_true(ops->measure(x, straight, C, g));
        assert_near(C[1], 2 * y, 1e-15);
        assert_true(ops->measure(x, wide, C, g));
        assert_near(C[1], y / 2, 1e-15);
    }
}

static uint32_t fault(xpbd_constraint_type type, float a, float b, float c, float d)
{
    return xpbd_constraint_ops_of(type)->rest_fault((const float[4]){a, b, c, d});
}

/* The first value that is not allowed, or how many there are. */
static void test_rest_data_are_checked(void **state)
{
    static const float pi = 0x1.921fb6p+1f;
    (void)state;
    assert_int_equal(fault(XPBD_BEND_ANGLE, 0.5f, 0.5f, 0.5f, 0), 3);
    assert_int_equal(fault(XPBD_BEND_ANGLE, 0.5f, 0.5f, 0, 0), 3);
    assert_int_equal(fault(XPBD_BEND_ANGLE, 0, 0.5f, 0.5f, 0), 0);
    assert_int_equal(fault(XPBD_BEND_ANGLE, -1, -1, -1, 0), 0);
    assert_int_equal(fault(XPBD_BEND_ANGLE, 0.5f, 0, 0.5f, 0), 1);
    assert_int_equal(fault(XPBD_BEND_ANGLE, 0.5f, -1, -1, 0), 1);
    assert_int_equal(fault(XPBD_BEND_ANGLE, 0.5f, 0.5f, -0.5f, 0), 2);
    assert_int_equal(fault(XPBD_BEND_ISOMETRIC, -1, -1, -1, 0.5f), 4);
    assert_int_equal(fault(XPBD_BEND_ISOMETRIC, 1, 1, 1, 0), 4);
    assert_int_equal(fault(XPBD_BEND_ISOMETRIC, 1, 1, 1, -0.5f), 3);
    for (int sign = -1; sign <= 1; sign++) {
        const float s = (float)sign, more = nextafterf(pi, 4);
        assert_int_equal(fault(XPBD_BEND_DIHEDRAL, s * pi, 0, 0, 0), 1);
        assert_int_equal(fault(XPBD_BEND_DIHEDRAL, s * more, 0, 0, 0), sign == 0);
    }
}

static void check_rest(xpbd_constraint_type type, const float (*x)[3], bool good)
{
    float memory[5] = {1e30f, 7, 7, 7, 7}, *rest = memory + 1;
    xpbd_constraint_ops_of(type)->rest_of(x, rest);
    if (type == XPBD_BEND_ANGLE)
        assert_true(good ? rest[2] > 0 : rest[2] == 0);
    for (int k = 0; k < 4 && type == XPBD_BEND_ISOMETRIC; k++)
        assert_true(good ? rest[0] < 0 && rest[1] != 0 : rest[k] == 0);
    assert_true(memory[0] == 1e30f && (type == XPBD_BEND_ISOMETRIC || rest[3] == 7));
}

/* A line one side of which has no length is straight; a hinge with a wing of no area is none. A
 * wing is none whose height is a millionth of its lengths, squares of both sides over the hinge. */
static void test_rest_data_of_nothing(void **state)
{
    static const float p[3] = {0, 1, 0}, q[3] = {0, 0, 1}, none[3] = {0}, e[3] = {1, 0, 0};
    static const float far[2][3] = {{1000, 0.5f, 0}, {1000, 2, 0}};
    static const float limit[3] = {0x1.13ac5cp-13f, 0x1.0c6f9ep-20f, 0}, long_e = 0x1.000022p+0f;
    float x[4][3];
    (void)state;
    for (int k = 0; k < 4; k++) {
        memset(x, 0, sizeof x);
        memcpy(x[0], k & 1 ? none : p, sizeof p);
        memcpy(x[2], k & 2 ? none : q, sizeof q);
        check_rest(XPBD_BEND_ANGLE, (const float(*)[3])x, k == 0);
    }
    for (int wing = 0; wing < 2; wing++) {
        const float *low[] = {p, none, far[0], far[1], limit, limit};
        static const bool good[] = {true, false, false, true, false, true};
        for (int k = 0; k < 6; k++) {
            memset(x, 0, sizeof x);
            memcpy(x[1 - wing], q, sizeof q);
            memcpy(x[wing], low[k], sizeof p);
            memcpy(x[3], e, sizeof e);
            x[3][0] = k < 4 ? 1 : long_e;
            x[wing][1] = k == 5 ? nextafterf(limit[1], 1) : x[wing][1];
            check_rest(XPBD_BEND_ISOMETRIC, (const float(*)[3])x, good[k]);
        }
    }
}

/* Where there was no area all weights are 0, and nothing is measured; one that is not is enough. A
 * flat shape in its plane is measured: it is at rest. */
static void test_weights_of_nothing(void **state)
{
    static const double x[4][3] = {{0, 1, 0}, {0, -1, 0}, {0}, {1, 0, 0}};
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of(XPBD_BEND_ISOMETRIC);
    (void)state;
    for (int k = -1; k < 6; k++) {
        float rest[8] = {0};
        double C[3], g[12][3];
        if (k >= 0)
            rest[k / 2] = k % 2 ? 1 : -1;
        assert_true(ops->measure(x, rest, C, g) == (k >= 0));
    }
    static const double line[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    static const float straight[3] = {1, 1, 0};
    double C[3], g[9][3];
    assert_true(xpbd_constraint_ops_of(XPBD_BEND_ANGLE)->measure(line, straight, C, g));
    for (int k = 0; k < 27; k++) {
        static const double K[3] = {1, -2, 1};
        assert_near(g[k / 3][k % 3], k / 9 == k % 3 ? K[k / 3 % 3] : 0, 0);
        assert_near(C[k % 3], 0, 0);
    }
    /* What is no number is not at rest. */
    const double lost[3][3] = {{0, 0, 0}, {1, 0, 0}, {NAN, 0, 0}};
    xpbd_constraint_ops_of(XPBD_BEND_ANGLE)->measure(lost, straight, C, g);
    assert_true(isnan(C[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lost_direction_has_no_gradient),
        cmocka_unit_test(test_rest_data_are_checked),
        cmocka_unit_test(test_rest_data_of_nothing),
        cmocka_unit_test(test_weights_of_nothing),
    };
    return RUN_GROUP("bending_lost", tests);
}
