/* SPDX-License-Identifier: MIT
 *
 * What bending measures where there is nothing to measure.
 */
#include "support.h"

#include "tests/kernel_bed.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lost_direction_has_no_gradient),
    };
    return RUN_GROUP("bending_lost", tests);
}
